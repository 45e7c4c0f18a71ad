/* SPDX-License-Identifier: MIT */
/* line_directions: which pixels a line has between its ends does not depend on the end that it begins at, even where it goes
 * between two of them (OpenGL ES 3.2, 13.6.1: as if both ends were shifted by (-ε, -ε²)). */
#include <math.h>

#include "gles.h"

#define SIZE 32

static unsigned char pixels[SIZE][SIZE][4];

static void
draw_line(const double ends[2][2], int width)
{
   float line[2][4];
   for (unsigned i = 0; i < 2; i++) {
      line[i][0] = (float)(ends[i][0] * 2 / SIZE - 1);
      line[i][1] = (float)(ends[i][1] * 2 / SIZE - 1);
      line[i][2] = 0;
      line[i][3] = 1;
   }
   glClear(GL_COLOR_BUFFER_BIT);
   glLineWidth((float)width);
   gles_draw(GL_LINES, (const float(*)[4])line, 2);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

/** The lowest pixel of a column (or the first of a row) whose place along the line is given. */
static int
first_pixel(const double ends[2][2], bool x_major, double place, int width)
{
   const unsigned major = x_major ? 0 : 1, minor = 1 - major;
   const double slope = (ends[1][minor] - ends[0][minor]) / (ends[1][major] - ends[0][major]);
   const double first = ends[0][minor] + (place - ends[0][major]) * slope - (width - 1) / 2.0;
   return x_major && slope > 0 ? (int)floor(first) : (int)ceil(first) - 1;
}

static void
check_line(const double ends[2][2], int width)
{
   const bool x_major = fabs(ends[1][0] - ends[0][0]) >= fabs(ends[1][1] - ends[0][1]);
   const unsigned major = x_major ? 0 : 1;
   const double low = fmin(ends[0][major], ends[1][major]), high = fmax(ends[0][major], ends[1][major]);
   int wrong = 0;
   draw_line(ends, width);
   for (int along = 0; along < SIZE; along++) {
      const double place = along + 0.5;
      if (fabs(place - low) <= 1 || fabs(place - high) <= 1)
         continue;
      const bool between = place > low && place < high;
      const int first = between ? first_pixel(ends, x_major, place, width) : 0;
      for (int across = 0; across < SIZE; across++) {
         const int row = x_major ? across : along, column = x_major ? along : across;
         const bool wanted = between && across >= first && across < first + width;
         wrong += (pixels[row][column][0] != 0) != wanted;
      }
   }
   holds(wrong == 0, "line of width %d from (%g, %g) to (%g, %g): %d pixels are wrong", width, ends[0][0],
         ends[0][1], ends[1][0], ends[1][1], wrong);
}

int
main(void)
{
   /* Slopes whose lines go through points half-way between pixels. */
   static const int directions[][2] = {{8, 8},  {8, -8}, {12, 6}, {12, -6}, {6, 12},  {-6, 12},
                                       {16, 4}, {3, 12}, {10, 0}, {0, 10},  {12, 16}, {16, -12}};
   static const double places[] = {0, 0.25, 0.5};
   gles_open();
   gles_framebuffer(GL_RGBA8, GL_NONE, SIZE, SIZE);
   glUseProgram(build_program(gles_position_vertex, gles_white_fragment));
   for (unsigned d = 0; d < COUNT_OF(directions); d++) {
      for (unsigned n = 0; n < 2 * COUNT_OF(places) * COUNT_OF(places) * 4; n++) {
         const double x = 16 + places[n / 8 % 3], y = 16 + places[n / 24];
         const double half[2] = {directions[d][0] / 2.0, directions[d][1] / 2.0};
         const int sign = n & 1 ? -1 : 1;
         const double ends[2][2] = {{x - sign * half[0], y - sign * half[1]},
                                    {x + sign * half[0], y + sign * half[1]}};
         check_line(ends, (int)(n / 2 % 4) + 1);
      }
   }
   return gles_close();
}
