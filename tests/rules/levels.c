/* SPDX-License-Identifier: MIT */
/* levels: which level of a mipmap is chosen (OpenGL ES 3.0.6, 3.8.10) where quads are
 * seen in perspective, for 2D and 3D textures.
 *
 * The scale factor's base-2 logarithm is to be within the bounds that the specification
 * gives for approximations, those of the pixel's neighbours included: derivatives are
 * differences between the pixels of a quad. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gles.h"

#define SIZE 16    /* pixels */
#define TEXTURE 64 /* texels of level 0 */
#define LEVELS 7
#define PRECISION (1.0 / 64)

static const char vertex_source[] = "#version 300 es\n"
                                    "in vec4 position;\n"
                                    "in vec3 coordinates;\n"
                                    "out highp vec3 place;\n"
                                    "void main() {\n"
                                    "   place = coordinates;\n"
                                    "   gl_Position = position;\n"
                                    "}\n";
#define FRAGMENT_SOURCE(sampler, coordinates) \
   "#version 300 es\n"                        \
   "precision highp float;\n"                 \
   "uniform highp " sampler " image;\n"       \
   "in vec3 place;\n"                         \
   "out vec4 color;\n"                        \
   "void main() { color = texture(image, " coordinates "); }\n"

static const struct target {
   GLenum target;
   const char *name, *source;
   unsigned dimensions;
   unsigned neighbours; /* whose bounds count: those at the sides, or at the corners, too */
} targets[] = {
   {GL_TEXTURE_2D, "2D", FRAGMENT_SOURCE("sampler2D", "place.xy"), 2, 8},
   {GL_TEXTURE_2D_ARRAY, "2D array", FRAGMENT_SOURCE("sampler2DArray", "vec3(place.xy, 1.0)"), 2, 8},
   {GL_TEXTURE_3D, "3D", FRAGMENT_SOURCE("sampler3D", "place"), 3, 4},
};

/* w of the quad's corners: lower left, lower right, upper left, upper right. */
static const double perspectives[][4] = {
   {1.0, 1.0, 1.0, 1.0}, {1.2, 0.7, 1.0, 1.0}, {1.3, 0.6, 0.8, 2.0},
   {0.8, 1.7, 1.0, 0.6}, {1.2, 1.7, 1.0, 1.5},
};

#define NUM_QUADS 200

static const GLenum wraps[] = {GL_CLAMP_TO_EDGE, GL_MIRRORED_REPEAT, GL_REPEAT};
static const GLenum filters[] = {GL_NEAREST_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_NEAREST};

/* ---- what the specification allows ---------------------------------------- */

/* One triangle of the quad: 1/w and coordinates/w are linear in window coordinates. */
struct triangle {
   double x[3], y[3], inverse_w[3], place[3][3];
};

/* 1/w, or a coordinate over w, at (x, y), or with its slopes. */
static double
linear(const struct triangle *triangle, const double values[3], double x, double y)
{
   const double *px = triangle->x, *py = triangle->y;
   const double area = (px[1] - px[0]) * (py[2] - py[0]) - (px[2] - px[0]) * (py[1] - py[0]);
   const double b1 = ((x - px[0]) * (py[2] - py[0]) - (px[2] - px[0]) * (y - py[0])) / area;
   const double b2 = ((px[1] - px[0]) * (y - py[0]) - (x - px[0]) * (py[1] - py[0])) / area;
   return values[0] * (1 - b1 - b2) + values[1] * b1 + values[2] * b2;
}

/* The derivative of a coordinate in the direction (dx, dy), in texels. */
static double
derivative(const struct triangle *triangle, unsigned axis, double x, double y, double dx, double dy)
{
   double over_w[3];
   for (unsigned i = 0; i < 3; i++)
      over_w[i] = triangle->place[i][axis] * triangle->inverse_w[i];
   const double value = linear(triangle, over_w, x, y);
   const double slope = linear(triangle, over_w, x + dx, y + dy) - value;
   const double w = 1.0 / linear(triangle, triangle->inverse_w, x, y);
   const double w_slope = linear(triangle, triangle->inverse_w, x + dx, y + dy) - 1.0 / w;
   return (slope - value * w * w_slope) * w * TEXTURE;
}

struct bounds {
   double low, high;
};

/* Widens the bounds by those of the level of detail at a point of the triangle. */
static void
include(struct bounds *bounds, const struct triangle *triangle, unsigned dimensions, double x, double y)
{
   double longest = 0, sum = 0;
   for (unsigned axis = 0; axis < dimensions; axis++) {
      const double across = fabs(derivative(triangle, axis, x, y, 1, 0));
      const double up = fabs(derivative(triangle, axis, x, y, 0, 1));
      longest = fmax(longest, fmax(across, up));
      sum += fmax(across, up);
   }
   bounds->low = fmin(bounds->low, log2(fmax(longest, 1e-9)) - PRECISION);
   bounds->high = fmax(bounds->high, log2(fmax(sum, 1e-9)) + PRECISION);
}

/* Random numbers, the same in every run. */
static double
random_between(double low, double high)
{
   static unsigned state = 1;
   state = state * 1664525u + 1013904223u;
   return low + (high - low) * (state >> 8) / 16777216.0;
}

static int
nearest_level(double lambda)
{
   if (lambda <= 0.5)
      return 0;
   const double level = ceil(lambda + 0.5) - 1;
   return level < LEVELS ? (int)level : LEVELS - 1;
}

static struct triangle
make_triangle(const float positions[4][4], const float places[4][3], unsigned first)
{
   struct triangle triangle;
   for (unsigned i = 0; i < 3; i++) {
      const float *position = positions[first + i];
      triangle.x[i] = (position[0] / (double)position[3] + 1) * SIZE / 2;
      triangle.y[i] = (position[1] / (double)position[3] + 1) * SIZE / 2;
      triangle.inverse_w[i] = 1.0 / position[3];
      for (unsigned axis = 0; axis < 3; axis++)
         triangle.place[i][axis] = places[first + i][axis];
   }
   return triangle;
}

static void
check(const unsigned char (*pixels)[4], const float positions[4][4], const float places[4][3],
      const struct target *target, const char *what)
{
   const struct triangle triangles[2] = {make_triangle(positions, places, 0),
                                         make_triangle(positions, places, 1)};
   int wrong = 0, wrong_x = 0, wrong_y = 0, wrong_level = 0;
   for (int y = 0; y < SIZE; y++) {
      for (int x = 0; x < SIZE; x++) {
         struct bounds bounds = {INFINITY, -INFINITY};
         /* The strip's diagonal goes from the lower right to the upper left. */
         const int side = x + y - (SIZE - 1);
         for (unsigned t = 0; t < 2; t++) {
            if (t == 0 ? side > 1 : side < -1)
               continue;
            static const int steps[9][2] = {{0, 0},   {-1, 0}, {1, 0},  {0, -1}, {0, 1},
                                            {-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
            for (unsigned s = 0; s <= target->neighbours; s++)
               include(&bounds, &triangles[t], target->dimensions, x + 0.5 + steps[s][0],
                       y + 0.5 + steps[s][1]);
         }
         const int level = pixels[y * SIZE + x][0] / 32;
         if (level < nearest_level(bounds.low) || level > nearest_level(bounds.high)) {
            wrong++;
            wrong_x = x;
            wrong_y = y;
            wrong_level = level;
         }
      }
   }
   holds(wrong == 0, "%s texture, %s: %d pixels have a wrong level, (%d, %d) has %d", target->name, what,
         wrong, wrong_x, wrong_y, wrong_level);
}

/* ---- textures whose texels name their level ------------------------------- */

static void
make_texture(const struct target *target)
{
   const int depth = target->target == GL_TEXTURE_3D ? TEXTURE : 4;
   unsigned char *texels = malloc((size_t)TEXTURE * TEXTURE * TEXTURE * 4);
   gles_texture(target->target, GL_RGBA8, TEXTURE, TEXTURE, depth, LEVELS);
   for (int level = 0; level < LEVELS; level++) {
      const int size = TEXTURE >> level;
      const int slices = target->target == GL_TEXTURE_3D ? size : depth;
      for (size_t i = 0; i < (size_t)size * size * slices * 4; i++)
         texels[i] = (unsigned char)(level * 32 + 16);
      if (target->target == GL_TEXTURE_2D)
         glTexSubImage2D(target->target, level, 0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE, texels);
      else
         glTexSubImage3D(target->target, level, 0, 0, 0, size, size, slices, GL_RGBA, GL_UNSIGNED_BYTE,
                         texels);
   }
   free(texels);
}

/* Coordinates with random slopes, from magnified to less than a texel of the last level. */
static void
make_quad(unsigned perspective, float positions[4][4], float places[4][3])
{
   const double slope = exp2(random_between(-1, 5));
   for (unsigned corner = 0; corner < 4; corner++) {
      const double w = perspectives[perspective][corner];
      positions[corner][0] = (float)((corner & 1 ? 1 : -1) * w);
      positions[corner][1] = (float)((corner & 2 ? 1 : -1) * w);
      positions[corner][2] = 0;
      positions[corner][3] = (float)w;
   }
   for (unsigned axis = 0; axis < 3; axis++) {
      const double origin = random_between(-2, 2);
      const double right = slope * random_between(-1, 1), up = slope * random_between(-1, 1);
      for (unsigned corner = 0; corner < 4; corner++)
         places[corner][axis] = (float)(origin + (corner & 1 ? right : 0) + (corner & 2 ? up : 0));
   }
}

static void
try_quad(const struct target *target, unsigned n)
{
   static unsigned char pixels[SIZE * SIZE][4];
   float positions[4][4], places[4][3];
   char what[100];
   const GLenum wrap = wraps[n % COUNT_OF(wraps)], filter = filters[n % COUNT_OF(filters)];
   const unsigned perspective = n % COUNT_OF(perspectives);
   glTexParameteri(target->target, GL_TEXTURE_WRAP_S, (GLint)wrap);
   glTexParameteri(target->target, GL_TEXTURE_WRAP_T, (GLint)wrap);
   glTexParameteri(target->target, GL_TEXTURE_WRAP_R, (GLint)wrap);
   glTexParameteri(target->target, GL_TEXTURE_MIN_FILTER, (GLint)filter);
   make_quad(perspective, positions, places);
   glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, 0, places);
   glEnableVertexAttribArray(1);
   gles_draw(GL_TRIANGLE_STRIP, (const float(*)[4])positions, 4);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   snprintf(what, sizeof what, "quad %u, wrap 0x%04x, filter 0x%04x, perspective %u", n, wrap, filter,
            perspective);
   check((const unsigned char(*)[4])pixels, (const float(*)[4])positions, (const float(*)[3])places, target,
         what);
}

int
main(void)
{
   gles_open();
   gles_framebuffer(GL_RGBA8, GL_NONE, SIZE, SIZE);
   for (unsigned i = 0; i < COUNT_OF(targets); i++) {
      glUseProgram(build_program(vertex_source, targets[i].source));
      make_texture(&targets[i]);
      for (unsigned n = 0; n < NUM_QUADS; n++)
         try_quad(&targets[i], n);
   }
   return gles_close();
}
