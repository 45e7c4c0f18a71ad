/* SPDX-License-Identifier: MIT */
/* Multisampling: what is drawn into samples, and how it is resolved. */
#include <GLES3/gl3.h>
#include <stdio.h>

#include "images/scenes.h"
#include "support/program.h"

#define SIZE 100

static GLuint multisampled, resolved, texture;

static void
create_framebuffers(void)
{
   GLuint buffers[2];
   GLint most;
   glGetIntegerv(GL_MAX_SAMPLES, &most);
   const GLsizei samples = most < 4 ? most : 4;
   glGenRenderbuffers(2, buffers);
   glBindRenderbuffer(GL_RENDERBUFFER, buffers[0]);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, SIZE, SIZE);
   glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH24_STENCIL8, SIZE, SIZE);
   multisampled = bind_new_framebuffer(0);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[0]);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, buffers[1]);

   texture = bind_new_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   resolved = bind_new_framebuffer(texture);
}

/* Of samples into pixels, the whole or a part of it. */
static void
resolve(GLint x0, GLint y0, GLint x1, GLint y1)
{
   glBindFramebuffer(GL_READ_FRAMEBUFFER, multisampled);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved);
   glBlitFramebuffer(x0, y0, x1, y1, x0, y0, x1, y1, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

static void
show(const struct target *target, float left, float right)
{
   static const float white[4] = {1, 1, 1, 1};
   begin(target, texture_program());
   glBindTexture(GL_TEXTURE_2D, texture);
   draw_rectangle(left, -1, right, 1, 0, white);
}

/* Opaque, blended and stencilled triangles, some in half of the samples only; a resolve
 * of all of it, then more drawing, and a resolve of a part that no tile divides. */
void
draw_multisampled(const struct target *target, int frame)
{
   static const GLenum attachments[] = {GL_COLOR_ATTACHMENT0, GL_DEPTH_STENCIL_ATTACHMENT};
   if (!multisampled)
      create_framebuffers();
   const struct target samples = {multisampled, SIZE, SIZE};
   begin(&samples, color_program());
   glClearColor(0.2f, 0.1f, 0.3f, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   draw_random_triangles(311 + frame, 40, 0.6f, 1);
   glEnable(GL_BLEND);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   draw_random_triangles(312 + frame, 20, 0.4f, 0.5f);
   resolve(0, 0, SIZE, SIZE);
   show(target, -1, 0);

   begin(&samples, color_program());
   glEnable(GL_SAMPLE_COVERAGE);
   glSampleCoverage(0.5f, frame & 1);
   glEnable(GL_STENCIL_TEST);
   glStencilFunc(GL_GEQUAL, 1, 0xff);
   glStencilOp(GL_KEEP, GL_INCR, GL_INCR);
   draw_random_triangles(313 + frame, 20, 0.7f, 1);
   glDisable(GL_SAMPLE_COVERAGE);
   draw_random_triangles(314 + frame, 10, 0.5f, 1);
   resolve(13, 7, 71, 93);
   glInvalidateFramebuffer(GL_READ_FRAMEBUFFER, 2, attachments);
   show(target, 0, 1);
}

static const char interpolated_vertex_source[] = "#version 300 es\n"
                                                 "in vec4 position, color;\n"
                                                 "out vec3 place;\n"
                                                 "centroid out vec3 shade;\n"
                                                 "void main() {\n"
                                                 "   gl_Position = position * (1.0 + color.g);\n"
                                                 "   place = vec3(0.5 + 0.5 * position.xy, color.b);\n"
                                                 "   shade = vec3(place.yx, color.r);\n"
                                                 "}\n";

/* Drivers without multisampling do not have the functions: they have one place a pixel. */
static const char interpolated_fragment_source[] =
   "#extension GL_OES_shader_multisample_interpolation : enable\n"
   "#extension GL_OES_sample_variables : enable\n"
   "precision highp float;\n"
   "in vec3 place;\n"
   "centroid in vec3 shade;\n"
   "out vec4 color;\n"
   "void main() {\n"
   "   vec2 away = 0.4 * sin(gl_FragCoord.yx);\n"
   "   int number = (int(gl_FragCoord.x) + SAMPLE) & 3;\n"
   "#ifdef GL_OES_shader_multisample_interpolation\n"
   "   color.r = interpolateAtCentroid(place).x;\n"
   "   color.g = interpolateAtSample(place, number).y;\n"
   "   color.b = interpolateAtOffset(shade, away).z;\n"
   "   color.a = 0.5 + 0.1 * float(gl_SampleMaskIn[0] & 1);\n"
   "#else\n"
   "   color = vec4(place.xy, shade.z, 0.6);\n"
   "#endif\n"
   "}\n";

static GLuint
interpolated_program(const char *sample)
{
   char source[1500];
   snprintf(source, sizeof source, "#version 300 es\n#define SAMPLE %s\n%s", sample,
            interpolated_fragment_source);
   return make_program(interpolated_vertex_source, source);
}

/* Inputs at other places than the pixel's centre, in programs that run once per pixel and
 * once per sample. */
void
draw_interpolated(const struct target *target, int frame)
{
   static GLuint per_pixel, per_sample;
   if (!multisampled)
      create_framebuffers();
   if (!per_pixel) {
      per_pixel = interpolated_program("0");
      per_sample = interpolated_program(has_extension("GL_OES_sample_variables") ? "gl_SampleID" : "0");
   }
   const struct target samples = {multisampled, SIZE, SIZE};
   begin(&samples, per_pixel);
   glClearColor(0.1f, 0.3f, 0.2f, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   glEnable(GL_BLEND);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   draw_random_triangles(315 + frame, 20, 0.7f, 1);
   resolve(0, 0, SIZE, SIZE);
   show(target, -1, 0);

   begin(&samples, per_sample);
   glDisable(GL_BLEND);
   draw_random_triangles(316 + frame, 20, 0.7f, 1);
   resolve(0, 0, SIZE, SIZE);
   show(target, 0, 1);
}
