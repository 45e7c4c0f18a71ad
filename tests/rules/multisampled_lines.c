/* SPDX-License-Identifier: MIT */
/* multisampled_lines: with samples a line is a rectangle whose sides are parallel to it, at
 * half its width from it, and whose ends are perpendicular to it (OpenGL ES 3.0.6, 3.5.4).
 * Where samples are is the implementation's: the covered area is checked. */
#include <math.h>

#include "gles.h"

#define SIZE 64

static GLuint
make_framebuffer(int samples)
{
   GLuint renderbuffer;
   const GLuint framebuffer = bind_new_framebuffer(0);
   glGenRenderbuffers(1, &renderbuffer);
   glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, SIZE, SIZE);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      stop("a framebuffer with %d samples is not complete", samples);
   return framebuffer;
}

int
main(void)
{
   static const float widths[] = {1, 1.5f, 2, 5, 9};
   static unsigned char pixels[SIZE * SIZE][4];
   gles_open();
   glUseProgram(build_program(gles_position_vertex, gles_white_fragment));
   const GLuint samples = make_framebuffer(4), resolved = make_framebuffer(0);
   glViewport(0, 0, SIZE, SIZE);
   for (unsigned n = 0; n < 24 * COUNT_OF(widths); n++) {
      const float width = widths[n / 24], length = 40;
      const double angle = (n % 24 + 0.37) * M_PI / 12;
      const float x = (float)cos(angle) * length / SIZE, y = (float)sin(angle) * length / SIZE;
      const float line[2][4] = {{-x + 0.007f, -y + 0.003f, 0, 1}, {x + 0.007f, y + 0.003f, 0, 1}};
      glBindFramebuffer(GL_FRAMEBUFFER, samples);
      glClear(GL_COLOR_BUFFER_BIT);
      glLineWidth(width);
      gles_draw(GL_LINES, line, 2);
      glBindFramebuffer(GL_READ_FRAMEBUFFER, samples);
      glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved);
      glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
      glBindFramebuffer(GL_FRAMEBUFFER, resolved);
      glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);

      double area = 0, farthest = 0;
      for (int p = 0; p < SIZE * SIZE; p++) {
         const double dx = p % SIZE + 0.5 - SIZE * 0.5035, dy = p / SIZE + 0.5 - SIZE * 0.5015;
         area += pixels[p][0] / 255.0;
         if (pixels[p][0])
            farthest = fmax(farthest, fabs(dx * cos(angle) + dy * sin(angle)));
      }
      const double expected = (double)width * length;
      holds(fabs(area - expected) < 0.06 * expected,
            "line %u of width %g at %.1f degrees covers %.1f pixels, not %.1f", n, width, angle * 180 / M_PI,
            area, expected);
      holds(farthest < length / 2 + 0.75, "line %u of width %g reaches %.2f pixels along, not %.2f", n, width,
            farthest, length / 2);
   }
   return gles_close();
}
