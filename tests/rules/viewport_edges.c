/* SPDX-License-Identifier: MIT */
/* viewport_edges: points and lines at the edges of the viewport.
 *
 * OpenGL ES 2.0.25, 2.13: a point is discarded if it lies outside the near or far clip
 * plane and otherwise passed unchanged; a line segment is clipped at these planes. What
 * is outside the viewport is left out fragment by fragment: of a point whose centre is
 * outside, of a wide line that runs next to the viewport, the part inside is drawn. */
#include <math.h>
#include <string.h>

#include "gles.h"

#define SIZE 64

static const char vertex_source[] = "#version 300 es\n"
                                    "in vec4 position;\n"
                                    "in vec2 coordinates;\n"
                                    "uniform float size;\n"
                                    "out highp vec2 place;\n"
                                    "void main() {\n"
                                    "   gl_Position = position;\n"
                                    "   gl_PointSize = size;\n"
                                    "   place = coordinates;\n"
                                    "}\n";
static const char fragment_source[] = "#version 300 es\n"
                                      "in highp vec2 place;\n"
                                      "out highp vec4 color;\n"
                                      "void main() { color = vec4(1.0, place, 1.0); }\n";

static GLint size_location;

struct rectangle {
   int x, y, width, height;
};

static const struct rectangle viewports[] = {{0, 0, SIZE, SIZE},
                                             {16, 16, 32, 32},
                                             {16, 24, 48, 40},
                                             {7, 3, 21, 37}};

static bool
contains(const struct rectangle *rectangle, int x, int y)
{
   return x >= rectangle->x && x < rectangle->x + rectangle->width && y >= rectangle->y &&
          y < rectangle->y + rectangle->height;
}

/* The scissors tried with a viewport: none, one that is greater, one that is smaller. */
static struct rectangle
choose_scissor(const struct rectangle *viewport, int n)
{
   static const struct rectangle whole = {0, 0, SIZE, SIZE};
   struct rectangle scissor = whole;
   if (n == 1) {
      scissor =
         (struct rectangle){viewport->x - 5, viewport->y + 3, viewport->width + 8, viewport->height + 2};
      if (scissor.x < 0)
         scissor.x = 0;
   } else if (n == 2) {
      scissor =
         (struct rectangle){viewport->x + 2, viewport->y + 1, viewport->width - 5, viewport->height - 3};
   }
   if (n == 0) {
      glDisable(GL_SCISSOR_TEST);
   } else {
      glEnable(GL_SCISSOR_TEST);
      glScissor(scissor.x, scissor.y, scissor.width, scissor.height);
   }
   return scissor;
}

/* Clip coordinates, before they are multiplied by w, of window coordinates. */
static void
place_vertex(float position[4], const struct rectangle *viewport, double x, double y, double z, double w)
{
   position[0] = (float)(((x - viewport->x) * 2 / viewport->width - 1) * w);
   position[1] = (float)(((y - viewport->y) * 2 / viewport->height - 1) * w);
   position[2] = (float)(z * w);
   position[3] = (float)w;
}

static unsigned char pixels[SIZE][SIZE][4];

static void
draw(GLenum mode, const float (*positions)[4], const float (*places)[2], int count)
{
   static const float nowhere[2][2];
   glClear(GL_COLOR_BUFFER_BIT);
   glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, 0, places ? places : nowhere);
   glEnableVertexAttribArray(1);
   gles_draw(mode, positions, count);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

/* ---- points ---------------------------------------------------------------- */

static void
try_point(const struct rectangle *viewport, int scissor_number, double x, double y, double z, double size)
{
   float position[1][4];
   glViewport(viewport->x, viewport->y, viewport->width, viewport->height);
   glDisable(GL_SCISSOR_TEST);
   glUniform1f(size_location, (float)size);
   place_vertex(position[0], viewport, x, y, z, 1.5);
   glClear(GL_COLOR_BUFFER_BIT);
   const struct rectangle scissor = choose_scissor(viewport, scissor_number);
   gles_draw(GL_POINTS, (const float(*)[4])position, 1);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   int wrong = 0;
   for (int row = 0; row < SIZE; row++) {
      for (int column = 0; column < SIZE; column++) {
         const bool in_square = fabs(column + 0.5 - x) < size / 2 && fabs(row + 0.5 - y) < size / 2;
         const bool expected =
            in_square && fabs(z) <= 1 && contains(viewport, column, row) && contains(&scissor, column, row);
         wrong += (pixels[row][column][0] != 0) != expected;
      }
   }
   holds(wrong == 0,
         "point at (%g, %g, %g) of size %g, viewport %d %d %d %d, scissor %d: %d pixels are wrong", x, y, z,
         size, viewport->x, viewport->y, viewport->width, viewport->height, scissor_number, wrong);
}

static void
try_points(void)
{
   static const double sizes[] = {1, 4, 9, 31.5};
   static const double depths[] = {0, 0.9, 1.1, -1.1};
   for (unsigned v = 0; v < COUNT_OF(viewports); v++) {
      const struct rectangle *viewport = &viewports[v];
      for (unsigned s = 0; s < COUNT_OF(sizes); s++) {
         for (int place = 0; place < 25; place++) {
            /* Outside, at, and inside each edge; never half-way between pixel centres. */
            const double steps[5] = {-2.3, -0.3, 0.6, 1.3, 3.7};
            const double x = place % 5 < 3 ? viewport->x + steps[place % 5]
                                           : viewport->x + viewport->width - 1 + steps[place % 5] / 1.9;
            const double y = place / 5 < 3 ? viewport->y + steps[place / 5]
                                           : viewport->y + viewport->height - 1 + steps[place / 5] / 1.9;
            try_point(viewport, place % 3, x, y, depths[place % 7 < 4 ? 0 : place % 7 - 3], sizes[s]);
         }
      }
   }
}

/* ---- lines ------------------------------------------------------------------ */

struct line {
   double x0, y0, z0, w0, x1, y1, z1, w1;
};

static void
draw_line(const struct rectangle *viewport, const struct line *line)
{
   static const float places[2][2] = {{0, 1}, {1, 0}};
   float positions[2][4];
   glViewport(viewport->x, viewport->y, viewport->width, viewport->height);
   place_vertex(positions[0], viewport, line->x0, line->y0, line->z0, line->w0);
   place_vertex(positions[1], viewport, line->x1, line->y1, line->z1, line->w1);
   draw(GL_LINES, (const float(*)[4])positions, places, 2);
}

/* Whether a straight line has pixels at a place along it: those whose diamonds it goes through and leaves (13.6.1). */
static bool
has_place(double from, double to, double across, int width, int place)
{
   const double centre = place + 0.5, first = across - (width - 1) / 2.0;
   const double beside = fabs(first - floor(first) - 0.5);
   const bool forwards = to > from;
   const bool begins = forwards ? from < centre : from > centre, ends = forwards ? to > centre : to < centre;
   return (begins || fabs(from - centre) + beside < 0.5) && ends && fabs(to - centre) + beside > 0.5;
}

/* Horizontal and vertical lines, next to, at and within the edges. */
static void
try_straight_line(const struct rectangle *viewport, bool vertical, double along0, double along1,
                  double across, int width, int scissor_number)
{
   const struct line line = {vertical ? across : along0, vertical ? along0 : across, 0, 1,
                             vertical ? across : along1, vertical ? along1 : across, 0, 2};
   glDisable(GL_SCISSOR_TEST);
   glLineWidth((float)width);
   glClear(GL_COLOR_BUFFER_BIT);
   const struct rectangle scissor = choose_scissor(viewport, scissor_number);
   glDisable(GL_SCISSOR_TEST);
   glClear(GL_COLOR_BUFFER_BIT);
   if (scissor_number)
      glEnable(GL_SCISSOR_TEST);
   draw_line(viewport, &line);
   int wrong = 0;
   for (int row = 0; row < SIZE; row++) {
      for (int column = 0; column < SIZE; column++) {
         const double minor = (vertical ? column : row) + 0.5;
         const bool on_line = has_place(along0, along1, across, width, vertical ? row : column) &&
                              fabs(minor - across) < width / 2.0;
         const bool expected = on_line && contains(viewport, column, row) && contains(&scissor, column, row);
         wrong += (pixels[row][column][0] != 0) != expected;
      }
   }
   holds(wrong == 0,
         "%s line of width %d at %g from %g to %g, viewport %d %d %d %d, scissor %d: %d pixels are wrong",
         vertical ? "vertical" : "horizontal", width, across, along0, along1, viewport->x, viewport->y,
         viewport->width, viewport->height, scissor_number, wrong);
}

static void
try_straight_lines(void)
{
   static const int widths[] = {1, 2, 5, 16};
   for (unsigned v = 0; v < COUNT_OF(viewports); v++) {
      const struct rectangle *viewport = &viewports[v];
      for (int n = 0; n < 2 * (int)COUNT_OF(widths) * 5; n++) {
         const bool vertical = n & 1;
         const int width = widths[n / 2 % COUNT_OF(widths)];
         const int low = vertical ? viewport->x : viewport->y,
                   length = vertical ? viewport->width : viewport->height;
         const int start = vertical ? viewport->y : viewport->x,
                   end = start + (vertical ? viewport->height : viewport->width);
         const double acrosses[5] = {low - 6.3, low - 1.3, low + 0.3, low + length - 0.8, low + length + 2.2};
         const double across = acrosses[n / (2 * (int)COUNT_OF(widths))];
         try_straight_line(viewport, vertical, start - 9.3, end + 4.2, across, width, n % 3);
         try_straight_line(viewport, vertical, end - 3.25, start + 2.4, across, width, n % 3);
         try_straight_line(viewport, vertical, start - 100000, end + 300000, across, width, n % 3);
      }
   }
}

/* A line is the same in every viewport, but for what is outside. */
static void
try_slanted_lines(void)
{
   static const struct line lines[] = {
      {3.2, 7.1, 0, 1, 61.4, 55.3, 0, 1},
      {-20.3, 11.2, 0, 1, 90.1, 47.7, 0, 1},
      {31.3, -77.2, 0, 1, 29.9, 103.6, 0, 2},
      {12.1, 40.4, -0.5, 1, 70.3, 12.9, 0.5, 3},
      {14.3, 10.2, 0.1, 1, 60.3, 13.9, 0.2, 1},
      {13.1, 60.3, 0, 1, 15.9, 5.2, 0, 1},
      {-3000.2, -4000.1, 0, 1, 3100.4, 4050.3, 0, 1},
   };
   static const int widths[] = {1, 4, 9};
   static unsigned char whole[SIZE][SIZE][4];
   for (unsigned n = 0; n < COUNT_OF(lines) * COUNT_OF(widths); n++) {
      const struct line *line = &lines[n / COUNT_OF(widths)];
      glDisable(GL_SCISSOR_TEST);
      glLineWidth((float)widths[n % COUNT_OF(widths)]);
      draw_line(&viewports[0], line);
      memcpy(whole, pixels, sizeof whole);
      for (unsigned v = 1; v < COUNT_OF(viewports); v++) {
         int wrong = 0;
         draw_line(&viewports[v], line);
         for (int row = 0; row < SIZE; row++) {
            for (int column = 0; column < SIZE; column++) {
               const bool expected = whole[row][column][0] && contains(&viewports[v], column, row);
               wrong += (pixels[row][column][0] != 0) != expected;
            }
         }
         holds(wrong == 0, "line %u of width %d in viewport %u: %d pixels differ from the whole line",
               n / (unsigned)COUNT_OF(widths), widths[n % COUNT_OF(widths)], v, wrong);
      }
   }
}

/* Lines whose ends are far away keep their colours, and end where they leave the clip volume. */
static void
try_far_lines(void)
{
   static const struct line lines[] = {
      {-70000, 20.3, 0, 1, 90000, 20.3, 0, 1},     {32.2, -200000, 0, 1, 32.2, 400000, 0, 3},
      {-40000, -40000, 0, 0.01, 60.3, 60.2, 0, 1}, {5.3, 1e6, 0, 0.001, 6.9, 2.3, 0, 1},
      {5e5, 33.3, 0.5, 2, -3e5, 33.3, 0.5, 0.25},
   };
   glDisable(GL_SCISSOR_TEST);
   glLineWidth(3);
   for (unsigned n = 0; n < COUNT_OF(lines); n++) {
      const struct line *line = &lines[n];
      int lit = 0, wrong = 0;
      draw_line(&viewports[0], line);
      const double dx = line->x1 - line->x0, dy = line->y1 - line->y0;
      for (int row = 0; row < SIZE; row++) {
         for (int column = 0; column < SIZE; column++) {
            if (!pixels[row][column][0])
               continue;
            lit++;
            const double t =
               fabs(dx) > fabs(dy) ? (column + 0.5 - line->x0) / dx : (row + 0.5 - line->y0) / dy;
            const double place = t / line->w1 / ((1 - t) / line->w0 + t / line->w1);
            wrong += fabs(pixels[row][column][1] - place * 255) > 1.5 ||
                     fabs(pixels[row][column][2] - (1 - place) * 255) > 1.5;
         }
      }
      holds(lit >= 100, "far line %u has %d pixels", n, lit);
      holds(wrong == 0, "far line %u: %d of %d pixels have a wrong colour", n, wrong, lit);
   }
}

/* A line that goes through the near plane ends there. */
static void
try_near_plane(void)
{
   static const struct line lines[] = {{2.3, 32.3, -3, 1, 62.3, 32.3, 1, 1},
                                       {2.3, 32.3, 3, 1, 62.3, 32.3, -1, 1}};
   glLineWidth(1);
   for (unsigned n = 0; n < COUNT_OF(lines); n++) {
      draw_line(&viewports[0], &lines[n]);
      for (int column = 0; column < SIZE; column++) {
         const bool expected = column + 0.5 > 32.3 && column + 0.5 < 62.3;
         holds((pixels[32][column][0] != 0) == expected, "line %u through the near or far plane: column %d",
               n, column);
      }
   }
}

int
main(void)
{
   gles_open();
   gles_framebuffer(GL_RGBA8, GL_NONE, SIZE, SIZE);
   const GLuint program = build_program(vertex_source, fragment_source);
   glUseProgram(program);
   size_location = glGetUniformLocation(program, "size");
   try_points();
   try_straight_lines();
   try_slanted_lines();
   try_far_lines();
   try_near_plane();
   return gles_close();
}
