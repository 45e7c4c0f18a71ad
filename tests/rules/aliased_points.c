/* SPDX-License-Identifier: MIT */
/* aliased_points: which pixels points without antialiasing have that are no sprites, at eighths of pixels. Of odd sizes they are
 * centred on the pixel that their coordinates are in, rounded down; of even sizes on the nearest corner of pixels, of two the
 * upper right one (OpenGL 4.5 compatibility profile, 14.4.1). */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <math.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define SIZE 16

/** The first of a point's pixels along an axis. */
static int
first_pixel(double place, int size)
{
   return size & 1 ? (int)floor(place) - size / 2 : (int)floor(place + 0.5) - size / 2;
}

static void
check_point(const char *surface, double x, double y, int size)
{
   static GLubyte pixels[SIZE][SIZE][4];
   const int column = first_pixel(x, size), row = first_pixel(y, size);
   unsigned wrong = 0;
   glClear(GL_COLOR_BUFFER_BIT);
   glPointSize((GLfloat)size);
   glBegin(GL_POINTS);
   glVertex2d(x, y);
   glEnd();
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (int i = 0; i < SIZE; i++) {
      for (int j = 0; j < SIZE; j++) {
         const bool wanted = i >= row && i < row + size && j >= column && j < column + size;
         wrong += (pixels[i][j][0] != 0) != wanted;
      }
   }
   holds(wrong == 0, "%s: size %d at (%g, %g): %u pixels are wrong", surface, size, x, y, wrong);
}

static void
check_surface(const char *surface)
{
   for (int size = 1; size <= 4; size++) {
      for (int i = 0; i < 64; i++)
         check_point(surface, 8 + i % 8 / 8.0, 8 + i / 8 % 8 / 8.0, size);
   }
}

int
main(void)
{
   egl_open_context((struct surface_request){SURFACELESS_PBUFFER, SIZE, SIZE, .depth = false}, true, 2, 1);
   glViewport(0, 0, SIZE, SIZE);
   glOrtho(0, SIZE, 0, SIZE, -1, 1);
   check_surface("rows go down");
   const GLuint renderbuffer = bind_new_renderbuffer(GL_RGBA8, SIZE, SIZE);
   bind_new_framebuffer(0);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
   check_surface("rows go up");
   require(glGetError() == GL_NO_ERROR, "an error of OpenGL");
   return check_status();
}
