/* SPDX-License-Identifier: MIT */
#include "raster_harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/blend.h"

/* ---- coverage ---------------------------------------------------------- */

struct point {
   int64_t x, y;
};

static int64_t
cross(struct point a, struct point b, struct point p)
{
   return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/* Whether the convex polygon, its corners clockwise on the screen, owns p. */
static bool
owns(const struct point *corner, unsigned count, struct point p, bool bottom_rule)
{
   for (unsigned n = 0; n < count; n++) {
      const struct point a = corner[n], b = corner[(n + 1) % count];
      const int64_t side = cross(a, b, p);
      if (side < 0)
         return false;
      if (side > 0)
         continue;
      const bool left = b.y < a.y; /* clockwise with y down: left edges go up */
      const bool top = a.y == b.y && b.x > a.x, bottom = a.y == b.y && b.x < a.x;
      if (!(left || (bottom_rule ? bottom : top)))
         return false;
   }
   return true;
}

struct polygon {
   struct point corner[4];
   unsigned count;
   int64_t area;
};

static struct polygon
make_polygon(const struct scene_primitive *primitive)
{
   struct polygon polygon = {.count = 3};
   struct point v[3];
   for (unsigned n = 0; n < 3; n++) {
      v[n].x = llrint((double)primitive->position[n][0] * 256.0);
      v[n].y = llrint((double)primitive->position[n][1] * 256.0);
   }
   polygon.area = cross(v[0], v[1], v[2]);
   polygon.corner[0] = v[0];
   polygon.corner[1] = v[1];
   polygon.corner[2] = v[2];
   if (primitive->flags & TBR_PRIMITIVE_PARALLELOGRAM) {
      polygon.count = 4;
      polygon.corner[2] = (struct point){v[1].x + v[2].x - v[0].x, v[1].y + v[2].y - v[0].y};
      polygon.corner[3] = v[2];
   }
   if (polygon.area < 0) { /* the other way round */
      for (unsigned n = 0; n < polygon.count / 2; n++) {
         const struct point swap = polygon.corner[n];
         polygon.corner[n] = polygon.corner[polygon.count - 1 - n];
         polygon.corner[polygon.count - 1 - n] = swap;
      }
   }
   return polygon;
}

/* ---- tests ------------------------------------------------------------- */

static bool
compare(unsigned function, int64_t a, int64_t b)
{
   switch (function) {
   case PIPE_FUNC_NEVER: return false;
   case PIPE_FUNC_LESS: return a < b;
   case PIPE_FUNC_EQUAL: return a == b;
   case PIPE_FUNC_LEQUAL: return a <= b;
   case PIPE_FUNC_GREATER: return a > b;
   case PIPE_FUNC_NOTEQUAL: return a != b;
   case PIPE_FUNC_GEQUAL: return a >= b;
   default: return true;
   }
}

static void
apply_stencil(uint8_t *stored, const struct tbr_stencil *test, unsigned operation, uint8_t reference)
{
   int value = *stored;
   switch (operation) {
   case PIPE_STENCIL_OP_KEEP: return;
   case PIPE_STENCIL_OP_ZERO: value = 0; break;
   case PIPE_STENCIL_OP_REPLACE: value = reference; break;
   case PIPE_STENCIL_OP_INCR: value = value < 255 ? value + 1 : 255; break;
   case PIPE_STENCIL_OP_DECR: value = value > 0 ? value - 1 : 0; break;
   case PIPE_STENCIL_OP_INCR_WRAP: value = (value + 1) & 255; break;
   case PIPE_STENCIL_OP_DECR_WRAP: value = (value - 1) & 255; break;
   default: value = ~value & 255;
   }
   *stored = (*stored & ~test->writemask) | (value & test->writemask);
}

static double
depth_maximum(enum pipe_format format)
{
   switch (format) {
   case PIPE_FORMAT_Z16_UNORM: return 65535.0;
   case PIPE_FORMAT_Z24X8_UNORM:
   case PIPE_FORMAT_X8Z24_UNORM:
   case PIPE_FORMAT_Z24_UNORM_S8_UINT:
   case PIPE_FORMAT_S8_UINT_Z24_UNORM: return 16777215.0;
   default: return 0.0; /* floats */
   }
}

static int64_t
encode_depth(enum pipe_format format, double z)
{
   const double maximum = depth_maximum(format);
   if (maximum == 0.0)
      return llrint(z * 0x1p40);
   return llrint(fmin(fmax(z, 0.0), 1.0) * maximum);
}

static bool
has_stencil(enum pipe_format format)
{
   return format == PIPE_FORMAT_Z24_UNORM_S8_UINT || format == PIPE_FORMAT_S8_UINT_Z24_UNORM ||
          format == PIPE_FORMAT_S8_UINT || format == PIPE_FORMAT_Z32_FLOAT_S8X24_UINT;
}

/* The fragment's way through stencil and depth test; whether it passes. */
static bool
test_fragment(const struct scene *scene, const struct tbr_draw_state *draw, bool front, int64_t z,
              uint8_t exported, int64_t *depth, uint8_t *stencil)
{
   const bool test_depth = draw->depth_test && scene->depth.format != PIPE_FORMAT_NONE &&
                           scene->depth.format != PIPE_FORMAT_S8_UINT;
   const bool depth_passes = !test_depth || compare(draw->depth_func, z, *depth);
   if (draw->stencil_test && has_stencil(scene->depth.format)) {
      const struct tbr_stencil *test = &draw->stencil[!front];
      const uint8_t reference = draw->shader_writes_stencil ? exported : test->reference;
      if (!compare(test->func, reference & test->valuemask, *stencil & test->valuemask)) {
         apply_stencil(stencil, test, test->fail_op, reference);
         return false;
      }
      apply_stencil(stencil, test, depth_passes ? test->zpass_op : test->zfail_op, reference);
   }
   if (!depth_passes)
      return false;
   if (test_depth && draw->depth_write)
      *depth = z;
   return true;
}

/* ---- blending ---------------------------------------------------------- */

static double
factor(unsigned name, const double *source, const double *second, const double *destination,
       const float *constant, unsigned c)
{
   switch (name) {
   case PIPE_BLENDFACTOR_ONE: return 1;
   case PIPE_BLENDFACTOR_SRC_COLOR: return source[c];
   case PIPE_BLENDFACTOR_SRC_ALPHA: return source[3];
   case PIPE_BLENDFACTOR_DST_ALPHA: return destination[3];
   case PIPE_BLENDFACTOR_DST_COLOR: return destination[c];
   case PIPE_BLENDFACTOR_SRC_ALPHA_SATURATE: return c == 3 ? 1 : fmin(source[3], 1 - destination[3]);
   case PIPE_BLENDFACTOR_CONST_COLOR: return constant[c];
   case PIPE_BLENDFACTOR_CONST_ALPHA: return constant[3];
   case PIPE_BLENDFACTOR_SRC1_COLOR: return second[c];
   case PIPE_BLENDFACTOR_SRC1_ALPHA: return second[3];
   default: /* ZERO and the inverted ones */
      return 1 - factor(name & ~PIPE_BLENDFACTOR_INVERT_BIT, source, second, destination, constant, c);
   }
}

static double
unorm8(double value)
{
   return nearbyint(fmin(fmax(value, 0.0), 1.0) * 255.0) / 255.0;
}

static void
blend_fragment(const struct tbr_draw_state *draw, const double *source, const double *second, double *stored)
{
   const struct pipe_rt_blend_state *rt = &draw->blend.rt[0];
   double result[4];
   for (unsigned c = 0; c < 4; c++) {
      const double s = source[c], d = stored[c];
      if (!rt->blend_enable) {
         result[c] = s;
         continue;
      }
      const double a = s * factor(c == 3 ? rt->alpha_src_factor : rt->rgb_src_factor, source, second, stored,
                                  draw->blend_color, c);
      const double b = d * factor(c == 3 ? rt->alpha_dst_factor : rt->rgb_dst_factor, source, second, stored,
                                  draw->blend_color, c);
      switch (c == 3 ? rt->alpha_func : rt->rgb_func) {
      case PIPE_BLEND_ADD: result[c] = a + b; break;
      case PIPE_BLEND_SUBTRACT: result[c] = a - b; break;
      case PIPE_BLEND_REVERSE_SUBTRACT: result[c] = b - a; break;
      case PIPE_BLEND_MIN: result[c] = fmin(s, d); break;
      default: result[c] = fmax(s, d);
      }
   }
   for (unsigned c = 0; c < 4; c++) {
      if (rt->colormask >> c & 1)
         stored[c] = unorm8(result[c]);
   }
}

/* ---- a fragment from coverage to colour -------------------------------- */

static double
interpolate(const struct polygon *polygon, const struct scene_primitive *primitive, struct point p, double a0,
            double a1, double a2)
{
   struct point v[3];
   for (unsigned n = 0; n < 3; n++) {
      v[n].x = llrint((double)primitive->position[n][0] * 256.0);
      v[n].y = llrint((double)primitive->position[n][1] * 256.0);
   }
   const double w1 = (double)cross(v[2], v[0], p) / (double)polygon->area;
   const double w2 = (double)cross(v[0], v[1], p) / (double)polygon->area;
   return a0 + (a1 - a0) * w1 + (a2 - a0) * w2;
}

/** The same from the vertices before they are snapped, but for slivers, which
 * snapping changes altogether, and for parallelograms. */
static double
interpolate_attribute(const struct polygon *polygon, const struct scene_primitive *primitive, struct point p,
                      double a0, double a1, double a2)
{
   double x[3], y[3];
   for (unsigned n = 0; n < 3; n++) {
      x[n] = primitive->position[n][0];
      y[n] = primitive->position[n][1];
   }
   const double area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
   const double ratio = area / ((double)polygon->area / 65536.0);
   if ((primitive->flags & TBR_PRIMITIVE_PARALLELOGRAM) || !(ratio > 0.5 && ratio < 2.0))
      return interpolate(polygon, primitive, p, a0, a1, a2);
   const double px = (double)p.x / 256.0 - x[0], py = (double)p.y / 256.0 - y[0];
   const double w1 = (px * (y[2] - y[0]) - py * (x[2] - x[0])) / area;
   const double w2 = (py * (x[1] - x[0]) - px * (y[1] - y[0])) / area;
   return a0 + (a1 - a0) * w1 + (a2 - a0) * w2;
}

static void
draw_fragment(const struct scene *scene, const struct scene_primitive *primitive,
              const struct polygon *polygon, struct point p, int x, int y, struct reference *reference)
{
   const struct tbr_draw_state *draw = &scene->draws[primitive->draw];
   const struct program_constants *constants = &scene->constants[primitive->draw];
   const size_t at = (size_t)y * scene->width + x;
   const float(*v)[4] = primitive->position;
   const bool front = primitive->flags & TBR_PRIMITIVE_FRONT_FACING;
   double z = interpolate(polygon, primitive, p, v[0][2], v[1][2], v[2][2]);
   if (draw->shader_writes_depth && !draw->early_tests)
      z += constants->depth;
   z = fmin(fmax(z, draw->depth_near), draw->depth_far);
   const uint8_t exported = (uint8_t)constants->stencil + (x & 1);
   const bool discarded = draw->shader_discards && program_discards(constants, x, y);
   if (!draw->early_tests && discarded)
      return;
   if (!test_fragment(scene, draw, front, encode_depth(scene->depth.format, z), exported,
                      &reference->depth[at], &reference->stencil[at]))
      return;
   reference->occlusion[draw->occlusion_counter]++;
   if (discarded || !draw->shade)
      return;
   double color[4], second[4];
   const double w = 1.0 / interpolate_attribute(polygon, primitive, p, v[0][3], v[1][3], v[2][3]);
   for (unsigned c = 0; c < 4; c++) {
      const float(*a)[4] = primitive->color;
      double value = interpolate_attribute(polygon, primitive, p, (double)a[0][c] * v[0][3],
                                           (double)a[1][c] * v[1][3], (double)a[2][c] * v[2][3]) *
                     w;
      if (!front && c == 2)
         value = 1 - value;
      color[c] = fmin(fmax(value, 0.0), 1.0);
      second[c] = fmin(fmax(1 - value, 0.0), 1.0);
   }
   blend_fragment(draw, color, second, reference->color[at]);
}

void
reference_render(const struct scene *scene, struct reference *reference)
{
   const size_t pixels = (size_t)scene->width * scene->height;
   memset(reference, 0, sizeof(*reference));
   reference->color = calloc(pixels, sizeof(*reference->color));
   reference->depth = calloc(pixels, sizeof(*reference->depth));
   reference->stencil = calloc(pixels, 1);
   reference->coverage = calloc(pixels, sizeof(*reference->coverage));
   for (size_t at = 0; at < pixels; at++) {
      for (unsigned c = 0; c < 4; c++)
         reference->color[at][c] = unorm8(scene->color[0].clear_value.f[c]);
      reference->depth[at] = encode_depth(scene->depth.format, scene->depth.clear_value.f[0]);
      reference->stencil[at] = scene->depth.clear_value.ui[1];
   }
   for (uint32_t n = 0; n < scene->num_primitives; n++) {
      const struct scene_primitive *primitive = &scene->primitives[n];
      const struct tbr_draw_state *draw = &scene->draws[primitive->draw];
      const struct polygon polygon = make_polygon(primitive);
      const int center = draw->half_pixel_center ? 128 : 0;
      if (polygon.area == 0)
         continue;
      for (int y = draw->scissor_y0; y < draw->scissor_y1; y++) {
         for (int x = draw->scissor_x0; x < draw->scissor_x1; x++) {
            const struct point p = {x * 256 + center, y * 256 + center};
            if (!owns(polygon.corner, polygon.count, p, draw->bottom_edge_rule))
               continue;
            reference->visible += !reference->coverage[(size_t)y * scene->width + x]++;
            draw_fragment(scene, primitive, &polygon, p, x, y, reference);
         }
      }
   }
}

void
reference_finish(struct reference *reference)
{
   free(reference->color);
   free(reference->depth);
   free(reference->stencil);
   free(reference->coverage);
}
