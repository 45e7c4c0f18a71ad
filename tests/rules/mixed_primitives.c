/* SPDX-License-Identifier: MIT */
/* Filled polygons and smooth lines of one draw: draw's stage for smooth lines binds another fragment shader when it meets the
 * first line, and the polygons that it has handed on before are drawn with their own. */
#include <GL/gl.h>

#include "support/check.h"
#include "support/egl.h"

#define SIZE 64

static void
quad(float left, float right, bool front)
{
   const float corners[4][2] = {{left, -0.5f}, {right, -0.5f}, {right, 0.5f}, {left, 0.5f}};
   for (unsigned i = 0; i < 4; i++)
      glVertex2fv(corners[front ? i : 3 - i]);
}

static unsigned
green_at(int x, int y)
{
   GLubyte pixel[4];
   glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   return pixel[1];
}

int
main(void)
{
   egl_open_context((struct surface_request){SURFACELESS_PBUFFER, SIZE, SIZE, .depth = false}, true, 2, 1);
   glPolygonMode(GL_FRONT, GL_FILL);
   glPolygonMode(GL_BACK, GL_LINE);
   glEnable(GL_LINE_SMOOTH);
   glEnable(GL_BLEND);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   glColor4f(0.0f, 1.0f, 0.0f, 1.0f);
   glBegin(GL_QUADS);
   quad(-0.75f, -0.25f, true);
   quad(0.25f, 0.75f, false);
   glEnd();
   for (int y = 20; y < 44; y += 4) {
      for (int x = 12; x < 22; x += 3)
         require(green_at(x, y) == 255, "pixel (%d, %d) of the polygon is %u", x, y, green_at(x, y));
      require(green_at(48, y) == 0, "pixel (48, %d) between the lines is %u", y, green_at(48, y));
      require(green_at(40, y) + green_at(39, y) > 100, "no line at row %d", y);
   }
   require(glGetError() == GL_NO_ERROR, "an error of OpenGL");
   return check_status();
}
