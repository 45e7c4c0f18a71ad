/* SPDX-License-Identifier: MIT */
/* Primitive setup: snapped positions, edge functions, plane equations. */
#include <float.h>

#include "tile/tbr_tile.h"
#include "tile/raster/tbr_vector.h"

#define SUBPIXELS (1 << TBR_SUBPIXEL_BITS)
/* |coordinate| ≤ 32768 pixels, as the binning stage guarantees: what keeps edge
 * functions within 32 bits in a tile. Anything beyond is a corrupted Parameter
 * Buffer, and is drawn somewhere, without harm. */
#define MAX_COORDINATE (TBR_MAX_COORDINATE * SUBPIXELS)

typedef double double4 __attribute__((vector_size(32)));
typedef float float4 __attribute__((vector_size(16)));

/* A vertex on the grid of 1/256 pixel. */
struct snapped_vertex {
   int32_t x, y;
};

/* Of a parallelogram four, in order. */
struct snapped_vertices {
   struct snapped_vertex v[4];
   unsigned count;
};

/* The edge function a * x + b * y + origin is ≥ 0 at pixel (x, y) of the tile if
 * the pixel's centre, or its sample 0, is inside. */
struct edge {
   int32_t origin, a, b;
   int32_t sample[TBR_MAX_SAMPLES]; /* what to add for each sample; of multisampled passes only */
   int32_t block_low, block_high;   /* least and greatest value in a 4×4 block, from its first pixel's */
   ints pixels;                     /* a * x + b * y of a block's pixels */
};

/* Rounds to nearest, ties to even; what is not a number goes to the upper left. */
TBR_INLINE struct snapped_vertex
snap_vertex(const float position[4])
{
   struct snapped_vertex vertex;
#if defined(__SSE2__)
   __m128 fixed = _mm_mul_ps(_mm_loadu_ps(position), _mm_set1_ps(SUBPIXELS));
   fixed = _mm_min_ps(_mm_max_ps(fixed, _mm_set1_ps(-MAX_COORDINATE)), _mm_set1_ps(MAX_COORDINATE));
   _mm_storel_epi64((__m128i *)&vertex, _mm_cvtps_epi32(fixed));
#else
   int32_t *const coordinates[2] = {&vertex.x, &vertex.y};
   for (unsigned n = 0; n < 2; n++) {
      float fixed = position[n] * SUBPIXELS;
      fixed = fixed > -MAX_COORDINATE ? fixed : -MAX_COORDINATE;
      fixed = fixed < MAX_COORDINATE ? fixed : MAX_COORDINATE;
      *coordinates[n] = (int32_t)__builtin_rintf(fixed);
   }
#endif
   return vertex;
}

TBR_INLINE void
snap_vertices(struct snapped_vertices *vertices, const struct cm_pb_attribute_block *position)
{
   struct snapped_vertex *v = vertices->v;
   for (unsigned n = 0; n < 3; n++)
      v[n] = snap_vertex(position->vertex[n]);
   vertices->count = 3;
   if (position->flags & TBR_PRIMITIVE_PARALLELOGRAM) {
      /* v0, v1, v1 + v2 - v0, v2 */
      v[3] = v[2];
      v[2].x += v[1].x - v[0].x;
      v[2].y += v[1].y - v[0].y;
      vertices->count = 4;
   }
}

/* Twice the area of the triangle of the first two and the last vertex: positive
 * if they go clockwise on a screen whose y points down. */
TBR_INLINE int64_t
signed_area(const struct snapped_vertices *vertices)
{
   const struct snapped_vertex *v = vertices->v, *last = &v[vertices->count - 1];
   return (int64_t)(v[1].x - v[0].x) * (last->y - v[0].y) - (int64_t)(last->x - v[0].x) * (v[1].y - v[0].y);
}

/* ---- coverage ---------------------------------------------------------- */

/* Lane masks of a block by sample; those of single-sampled passes have one. */
struct coverage {
   uint32_t sample[TBR_MAX_SAMPLES];
};

/* Pixels of the tile whose centres may be covered; ends exclusive. */
struct pixel_box {
   int32_t x0, y0, x1, y1;
};

/* The points of a pixel that coverage is looked at, from its upper left: the least
 * and greatest coordinates. */
struct sample_bounds {
   int32_t low_x, low_y, high_x, high_y;
};

TBR_INLINE struct sample_bounds
sample_bounds(const struct tbr_draw_plan *plan, unsigned samples)
{
   const int32_t(*sample)[2] = plan->sample;
   struct sample_bounds bounds = {sample[0][0], sample[0][1], sample[0][0], sample[0][1]};
   for (unsigned n = 1; n < samples; n++) {
      bounds.low_x = MIN2(bounds.low_x, sample[n][0]);
      bounds.low_y = MIN2(bounds.low_y, sample[n][1]);
      bounds.high_x = MAX2(bounds.high_x, sample[n][0]);
      bounds.high_y = MAX2(bounds.high_y, sample[n][1]);
   }
   return bounds;
}

/* False if no sample of the tile, scissor and framebuffer is in the box. */
TBR_INLINE bool
setup_box(const struct tbr_tile_thread *thread, const struct snapped_vertices *vertices, unsigned samples,
          struct pixel_box *box)
{
   const struct tbr_draw_plan *plan = &thread->plan;
   const struct sample_bounds point = sample_bounds(plan, samples);
   const struct snapped_vertex *v = vertices->v;
   int32_t low_x = MIN3(v[0].x, v[1].x, v[2].x), high_x = MAX3(v[0].x, v[1].x, v[2].x);
   int32_t low_y = MIN3(v[0].y, v[1].y, v[2].y), high_y = MAX3(v[0].y, v[1].y, v[2].y);
   if (vertices->count == 4) {
      low_x = MIN2(low_x, v[3].x);
      high_x = MAX2(high_x, v[3].x);
      low_y = MIN2(low_y, v[3].y);
      high_y = MAX2(high_y, v[3].y);
   }
   box->x0 =
      MAX2(((low_x - point.high_x + SUBPIXELS - 1) >> TBR_SUBPIXEL_BITS) - thread->tile_x, plan->clip_x0);
   box->y0 =
      MAX2(((low_y - point.high_y + SUBPIXELS - 1) >> TBR_SUBPIXEL_BITS) - thread->tile_y, plan->clip_y0);
   box->x1 = MIN2(((high_x - point.low_x) >> TBR_SUBPIXEL_BITS) + 1 - thread->tile_x, plan->clip_x1);
   box->y1 = MIN2(((high_y - point.low_y) >> TBR_SUBPIXEL_BITS) + 1 - thread->tile_y, plan->clip_y1);
   return box->x0 < box->x1 && box->y0 < box->y1;
}

/* Fills the edges that cross the box and returns how many; -1 if one has the
 * whole box outside. */
TBR_INLINE int
setup_edges(const struct tbr_tile_thread *thread, const struct snapped_vertices *vertices, bool clockwise,
            const struct pixel_box *box, unsigned samples, struct edge edges[4])
{
   const struct tbr_draw_state *state = thread->plan.state;
   const int32_t(*sample)[2] = thread->plan.sample;
   const int64_t origin_x = (int64_t)thread->tile_x * SUBPIXELS + sample[0][0];
   const int64_t origin_y = (int64_t)thread->tile_y * SUBPIXELS + sample[0][1];
   int count = 0;
   const int64_t columns = box->x1 - 1 - box->x0, rows = box->y1 - 1 - box->y0;
   const struct snapped_vertex *to = vertices->v;
   for (int n = vertices->count - 1; n >= 0; n--) {
      const struct snapped_vertex *from = &vertices->v[n];
      int32_t a = from->y - to->y;
      int32_t b = to->x - from->x;
      to = from;
      if (!clockwise) {
         a = -a;
         b = -b;
      }
      /* Centres on the edge belong to the primitive if it is a left edge, or a
       * horizontal one at the top (or at the bottom, by the other rule). */
      const bool inclusive = a > 0 || (a == 0 && (state->bottom_edge_rule ? b < 0 : b > 0));
      const int64_t exact = a * (origin_x - from->x) + b * (origin_y - from->y) - !inclusive;
      /* From pixel to pixel the exact value steps by a * 256, so that dividing
       * by 256, rounding down, keeps every sign. */
      const int64_t origin = exact >> TBR_SUBPIXEL_BITS;
      const int64_t corner = origin + (int64_t)a * box->x0 + (int64_t)b * box->y0;
      const int64_t across = a * columns, down = b * rows;
      struct edge *edge = &edges[count];
      /* The least and greatest of the samples' functions against sample 0's. */
      int32_t sample_low = 0, sample_high = 0;
      for (unsigned s = 1; s < samples; s++) {
         const int64_t more =
            (int64_t)a * (sample[s][0] - sample[0][0]) + (int64_t)b * (sample[s][1] - sample[0][1]);
         edge->sample[s] = (int32_t)(((exact + more) >> TBR_SUBPIXEL_BITS) - origin);
         sample_low = MIN2(sample_low, edge->sample[s]);
         sample_high = MAX2(sample_high, edge->sample[s]);
      }
      const int64_t high = corner + (a > 0 ? across : 0) + (b > 0 ? down : 0) + sample_high;
      if (high < 0)
         return -1;
      const int64_t low = corner + (a > 0 ? 0 : across) + (b > 0 ? 0 : down) + sample_low;
      if (low >= 0)
         continue;
      count++;
      edge->sample[0] = 0;
      edge->origin = (int32_t)origin;
      edge->a = a;
      edge->b = b;
      edge->block_low = 3 * (MIN2(a, 0) + MIN2(b, 0)) + sample_low;
      edge->block_high = 3 * (MAX2(a, 0) + MAX2(b, 0)) + sample_high;
      edge->pixels =
         ints_add(ints_mul(ints_all(a), ints_load(tbr_lane_x)), ints_mul(ints_all(b), ints_load(tbr_lane_y)));
   }
   return count;
}

/* ---- planes ------------------------------------------------------------ */

/* What turns differences of an attribute between vertices into its slopes. */
static inline struct tbr_gradient
setup_gradient(const struct snapped_vertices *vertices, int64_t area)
{
   const struct snapped_vertex *v = vertices->v, *last = &v[vertices->count - 1];
   const double scale = SUBPIXELS / (double)area;
   return (struct tbr_gradient){
      .x1 = (v[1].x - v[0].x) * scale,
      .y1 = (v[1].y - v[0].y) * scale,
      .x2 = (last->x - v[0].x) * scale,
      .y2 = (last->y - v[0].y) * scale,
   };
}

static inline struct tbr_plane
setup_plane(const struct tbr_gradient *gradient, float a0, float a1, float a2)
{
   const double d1 = (double)a1 - a0, d2 = (double)a2 - a0;
   return (struct tbr_plane){
      .base = a0,
      .ddx = (float)(d1 * gradient->y2 - d2 * gradient->y1),
      .ddy = (float)(d2 * gradient->x1 - d1 * gradient->x2),
   };
}

/* A unit of polygon offset in a depth buffer of floats: the resolution of the primitive's largest depth, and no
 * denormal number, which would be flushed. */
static double
float_depth_unit(const float z[3])
{
   const float largest =
      __builtin_fmaxf(__builtin_fmaxf(__builtin_fabsf(z[0]), __builtin_fabsf(z[1])), __builtin_fabsf(z[2]));
   int exponent = 0;
   __builtin_frexpf(largest, &exponent); /* largest = 0.1… * 2^exponent */
   return largest > 0.0f ? __builtin_fmax(__builtin_ldexp(1.0, exponent - FLT_MANT_DIG), FLT_MIN) : FLT_MIN;
}

static float
depth_offset(const struct tbr_tile_thread *thread, const struct tbr_draw_state *state,
             const struct tbr_plane *plane, const float z[3])
{
   const float slope = __builtin_fmaxf(__builtin_fabsf(plane->ddx), __builtin_fabsf(plane->ddy));
   double unit = 1.0;
   if (!state->offset_units_unscaled)
      unit = thread->depth_is_float ? float_depth_unit(z) : thread->depth_unit;
   float offset = (float)((double)state->offset_scale * slope + state->offset_units * unit);
   if (state->offset_clamp > 0.0f && offset > state->offset_clamp)
      offset = state->offset_clamp;
   else if (state->offset_clamp < 0.0f && offset < state->offset_clamp)
      offset = state->offset_clamp;
   return offset;
}

static inline struct tbr_plane
setup_depth_plane(const struct tbr_tile_thread *thread, const struct tbr_draw_state *state,
                  const struct cm_pb_attribute_block *position, const struct tbr_gradient *gradient)
{
   const float z[3] = {position->vertex[0][2], position->vertex[1][2], position->vertex[2][2]};
   struct tbr_plane plane = setup_plane(gradient, z[0], z[1], z[2]);
   if (position->flags & TBR_PRIMITIVE_OFFSET)
      plane.offset = depth_offset(thread, state, &plane, z);
   return plane;
}

TBR_INLINE double4
to_doubles(float4 a)
{
   return __builtin_convertvector(a, double4);
}

/* Attributes belong to the vertices as they are, not as they are snapped: what makes
 * planes of them, and how far the first vertex has been moved. */
struct attribute_frame {
   struct tbr_gradient gradient;
   double moved_x, moved_y;
};

TBR_INLINE void
setup_input_planes(struct tbr_plane planes[4], const struct attribute_frame *frame,
                   const struct cm_pb_attribute_block *attribute, unsigned interpolation,
                   const float inverse_w[3])
{
   const struct tbr_gradient *gradient = &frame->gradient;
   float4 a0, a1, a2;
   memcpy(&a0, attribute->vertex[0], 16);
   if (interpolation == TBR_INTERPOLATE_CONSTANT) {
      for (unsigned c = 0; c < 4; c++)
         planes[c] = (struct tbr_plane){.base = a0[c]};
      return;
   }
   memcpy(&a1, attribute->vertex[1], 16);
   memcpy(&a2, attribute->vertex[2], 16);
   if (interpolation == TBR_INTERPOLATE_PERSPECTIVE) {
      a0 *= inverse_w[0];
      a1 *= inverse_w[1];
      a2 *= inverse_w[2];
   }
   const double4 d1 = to_doubles(a1) - to_doubles(a0), d2 = to_doubles(a2) - to_doubles(a0);
   const float4 ddx = __builtin_convertvector(d1 * gradient->y2 - d2 * gradient->y1, float4);
   const float4 ddy = __builtin_convertvector(d2 * gradient->x1 - d1 * gradient->x2, float4);
   /* As move_plane does; constant ones, which may be integers' bits, stay as they are. */
   a0 += __builtin_convertvector(to_doubles(ddx) * frame->moved_x + to_doubles(ddy) * frame->moved_y, float4);
   typedef int32_t int4 __attribute__((vector_size(16)));
   const float4 base_ddx_low = __builtin_shuffle(a0, ddx, (int4){0, 4, 1, 5});
   const float4 base_ddx_high = __builtin_shuffle(a0, ddx, (int4){2, 6, 3, 7});
   const float4 zero = {};
   const float4 ddy_low = __builtin_shuffle(ddy, zero, (int4){0, 4, 1, 5});
   const float4 ddy_high = __builtin_shuffle(ddy, zero, (int4){2, 6, 3, 7});
   quad_floats *rows = (quad_floats *)planes;
   rows[0] = __builtin_shuffle(base_ddx_low, ddy_low, (int4){0, 1, 4, 5});
   rows[1] = __builtin_shuffle(base_ddx_low, ddy_low, (int4){2, 3, 6, 7});
   rows[2] = __builtin_shuffle(base_ddx_high, ddy_high, (int4){0, 1, 4, 5});
   rows[3] = __builtin_shuffle(base_ddx_high, ddy_high, (int4){2, 3, 6, 7});
}

static struct attribute_frame
setup_attribute_frame(const struct tbr_tile_primitive *primitive)
{
   const struct cm_pb_attribute_block *position = primitive->attributes;
   struct attribute_frame frame = {.gradient = primitive->gradient};
   /* The sides of a parallelogram are made from a line or a point. */
   if (position->flags & TBR_PRIMITIVE_PARALLELOGRAM)
      return frame;
   const float(*vertex)[4] = position->vertex;
   const double x1 = (double)vertex[1][0] - vertex[0][0], y1 = (double)vertex[1][1] - vertex[0][1];
   const double x2 = (double)vertex[2][0] - vertex[0][0], y2 = (double)vertex[2][1] - vertex[0][1];
   const double area = x1 * y2 - x2 * y1;
   /* Snapping changes a sliver altogether: it keeps the gradient that fits what is
    * drawn of it. The gradient's determinant is that of the snapped area's inverse. */
   const struct tbr_gradient *snapped = &primitive->gradient;
   const double ratio = area * (snapped->x1 * snapped->y2 - snapped->x2 * snapped->y1);
   if (!(ratio > 0.5 && ratio < 2.0))
      return frame;
   const double inverse = 1.0 / area;
   const struct snapped_vertex first = snap_vertex(vertex[0]);
   frame.gradient = (struct tbr_gradient){x1 * inverse, y1 * inverse, x2 * inverse, y2 * inverse};
   frame.moved_x = first.x * (1.0 / SUBPIXELS) - vertex[0][0];
   frame.moved_y = first.y * (1.0 / SUBPIXELS) - vertex[0][1];
   return frame;
}

/* Lets a plane start from the first vertex where it was moved to. */
TBR_INLINE void
move_plane(struct tbr_plane *plane, const struct attribute_frame *frame)
{
   plane->base += (float)(plane->ddx * frame->moved_x + plane->ddy * frame->moved_y);
}

/* All planes that the fragment shader may read, the first time a fragment of
 * the primitive is shaded. */
static void
setup_planes(struct tbr_tile_thread *thread, struct tbr_tile_primitive *primitive)
{
   const struct tbr_draw_state *state = thread->plan.state;
   const struct cm_pb_attribute_block *position = primitive->attributes;
   const uint32_t num_planes = TBR_PLANE_INPUT(state->num_inputs, 0);
   if (!thread->chunk || thread->chunk_used + num_planes > TBR_PLANES_PER_CHUNK)
      tbr_tile_next_chunk(thread);
   struct tbr_plane *planes = thread->chunk->planes + thread->chunk_used;
   thread->chunk_used += num_planes;

   const struct attribute_frame frame = setup_attribute_frame(primitive);
   const float inverse_w[3] = {position->vertex[0][3], position->vertex[1][3], position->vertex[2][3]};
   planes[TBR_PLANE_INVERSE_W] = setup_plane(&frame.gradient, inverse_w[0], inverse_w[1], inverse_w[2]);
   move_plane(&planes[TBR_PLANE_INVERSE_W], &frame);
   planes[TBR_PLANE_DEPTH] = primitive->depth;
   for (unsigned slot = 0; slot < state->num_inputs; slot++) {
      struct tbr_plane *input = &planes[TBR_PLANE_INPUT(slot, 0)];
      if (slot >= primitive->num_inputs) {
         memset(input, 0, 4 * sizeof(*input)); /* only a corrupted PMD lacks attributes */
      } else if (state->input_components[slot]) {
         setup_input_planes(input, &frame, position + 1 + slot, state->interpolation[slot], inverse_w);
      }
   }
   primitive->planes = planes;
}
