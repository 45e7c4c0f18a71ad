/* SPDX-License-Identifier: MIT */
/* sample_coverage: how many of four samples alpha and the sample coverage value leave (OpenGL ES 3.0.6, 4.1.3). */
#include <math.h>
#include <stdio.h>

#include "gles.h"

#define SAMPLES 4
#define SIZE 8 /* pixels */
#define STEPS 32

static const char fragment_source[] =
   "#version 300 es\n"
   "precision highp float;\n"
   "uniform vec2 alpha;\n"
   "layout(location = 0) out vec4 color;\n"
   "layout(location = 1) out vec4 second;\n"
   "void main() { color = vec4(1.0, 1.0, 1.0, alpha.x); second = vec4(alpha.y); }\n";
static GLuint samples, resolved;
static GLint alpha;

static GLuint
make_framebuffer(int num_samples)
{
   GLuint framebuffer, renderbuffer[2];
   static const GLenum buffers[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
   framebuffer = bind_new_framebuffer(0);
   glGenRenderbuffers(2, renderbuffer);
   for (unsigned i = 0; i < 2; i++) {
      glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer[i]);
      glRenderbufferStorageMultisample(GL_RENDERBUFFER, num_samples, GL_RGBA8, SIZE, SIZE);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, buffers[i], GL_RENDERBUFFER, renderbuffer[i]);
   }
   glDrawBuffers(2, buffers);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      stop("a framebuffer with %d samples is not complete", num_samples);
   return framebuffer;
}

/* The part of the samples that a rectangle covers: of red, which is 1 in all that are drawn. */
static double
draw(float first_alpha, float second_alpha)
{
   glBindFramebuffer(GL_FRAMEBUFFER, samples);
   glClear(GL_COLOR_BUFFER_BIT);
   glUniform2f(alpha, first_alpha, second_alpha);
   gles_rectangle(-1, -1, 1, 1, 0);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, samples);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved);
   glReadBuffer(GL_COLOR_ATTACHMENT0);
   glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
   glBindFramebuffer(GL_FRAMEBUFFER, resolved);
   double sum = 0;
   for (int p = 0; p < SIZE * SIZE; p++)
      sum += (gles_pixel(p % SIZE, p / SIZE) >> 24) / 255.0;
   return sum / (SIZE * SIZE);
}

/* More alpha covers no fewer samples, 0 none, 1 all; the part is alpha's but for what pixels of four samples cannot say. */
static void
check_alpha(void)
{
   double last = 0;
   glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
   for (int step = 0; step <= STEPS; step++) {
      const float value = (float)step / STEPS;
      const double covered = draw(value, 1 - value);
      holds(covered >= last - 0.01, "alpha %g covers %g, less alpha %g", value, covered, last);
      holds(fabs(covered - value) <= 1.0 / SAMPLES, "alpha %g covers %g of the samples", value, covered);
      holds(step || covered == 0, "alpha 0 covers %g", covered);
      holds(step < STEPS || covered > 0.99, "alpha 1 covers %g", covered);
      last = covered;
   }
   glDisable(GL_SAMPLE_ALPHA_TO_COVERAGE);
   holds(draw(0, 0) > 0.99, "alpha 0 covers not all, though it does not count");
}

static void
check_value(void)
{
   double last = 0;
   glEnable(GL_SAMPLE_COVERAGE);
   for (int step = 0; step <= STEPS; step++) {
      const float value = (float)step / STEPS;
      glSampleCoverage(value, GL_FALSE);
      const double covered = draw(0.5f, 0.5f);
      glSampleCoverage(value, GL_TRUE);
      const double inverted = draw(0.5f, 0.5f);
      holds(covered >= last - 0.01, "value %g covers %g, a lower one %g", value, covered, last);
      holds(fabs(covered - value) <= 1.0 / SAMPLES, "value %g covers %g of the samples", value, covered);
      holds(fabs(covered + inverted - 1) < 0.01, "value %g covers %g, inverted %g", value, covered, inverted);
      last = covered;
   }
   glSampleCoverage(0, GL_TRUE);
   holds(draw(0.5f, 0.5f) > 0.99, "value 0 inverted covers not all");
   /* Both: samples that either of them takes away are not drawn. */
   glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
   glSampleCoverage(0, GL_FALSE);
   holds(draw(1, 1) == 0, "value 0 covers something, where alpha is 1");
   glSampleCoverage(1, GL_FALSE);
   holds(draw(0, 0) == 0, "alpha 0 covers something, where the value is 1");
   glDisable(GL_SAMPLE_ALPHA_TO_COVERAGE);
   glDisable(GL_SAMPLE_COVERAGE);
}

int
main(void)
{
   gles_open();
   const GLuint program = build_program(gles_position_vertex, fragment_source);
   glUseProgram(program);
   alpha = glGetUniformLocation(program, "alpha");
   samples = make_framebuffer(SAMPLES);
   resolved = make_framebuffer(0);
   glViewport(0, 0, SIZE, SIZE);
   check_alpha();
   check_value();
   return gles_close();
}
