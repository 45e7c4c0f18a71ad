/* SPDX-License-Identifier: MIT */
#include "geometry/tbr_binning.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "draw/draw_context.h"
#include "draw/draw_pipe.h"
#include "util/u_memory.h"
#include "util/u_prim.h"
#include "pass/tbr_batch.h"
#include "state/tbr_context.h"
#include "geometry/tbr_draw_events.h"
#include "geometry/tbr_pb_encode.h"
#include "shader/tbr_shader.h"
#include "geometry/tbr_vertex_accesses.h"

typedef const float (*vertex_attributes)[4];

#define SUBPIXEL (1.0f / (1 << TBR_SUBPIXEL_BITS))

static struct tbr_binning *
tbr_binning(struct vbuf_render *render)
{
   return (struct tbr_binning *)render;
}

/* ---- vertex layout ------------------------------------------------------ */

static int
emit(struct tbr_binning *binning, unsigned semantic, unsigned index)
{
   const int output = draw_find_shader_output(binning->context->draw, semantic, index);
   if (output < 0)
      return -1;
   return draw_emit_vertex_attr(&binning->vertex_info, EMIT_4F, output);
}

/** Position, then the fragment shader's attributes in their order, then what
 * primitive assembly itself needs. */
static void
make_vertex_info(struct tbr_binning *binning)
{
   struct tbr_context *context = binning->context;
   const struct tbr_fragment_shader *shader = context->fragment_shader;
   struct vertex_info *info = &binning->vertex_info;

   draw_prepare_shader_outputs(context->draw);
   memset(info, 0, sizeof *info);
   draw_emit_vertex_attr(info, EMIT_4F, draw_find_shader_output(context->draw, TGSI_SEMANTIC_POSITION, 0));
   for (unsigned i = 0; i < shader->num_inputs; i++) {
      const struct tbr_shader_input *input = &shader->inputs[i];
      if (input->source == TBR_INPUT_ATTRIBUTE)
         draw_emit_vertex_attr(info, EMIT_4F,
                               draw_find_shader_output(context->draw, input->semantic_name,
                                                       input->semantic_index));
   }
   binning->point_size_slot = emit(binning, TGSI_SEMANTIC_PSIZE, 0);
   binning->back_color_slot[0] = emit(binning, TGSI_SEMANTIC_BCOLOR, 0);
   binning->back_color_slot[1] = emit(binning, TGSI_SEMANTIC_BCOLOR, 1);
   binning->face_slot = emit(binning, TGSI_SEMANTIC_FACE, 0);
   binning->viewport_slot = emit(binning, TGSI_SEMANTIC_VIEWPORT_INDEX, 0);
   binning->layer_slot = emit(binning, TGSI_SEMANTIC_LAYER, 0);
   draw_compute_vertex_size(info);
   binning->stride = info->size * sizeof(float);
   binning->vertex_info_valid = true;
}

void
tbr_binning_lay_out(struct tbr_context *context)
{
   make_vertex_info(context->binning);
}

void
tbr_binning_flush(struct tbr_context *context)
{
   if (context->binning->batch)
      context->binning->stage->flush(context->binning->stage, DRAW_FLUSH_STATE_CHANGE);
}

static const struct vertex_info *
get_vertex_info(struct vbuf_render *render)
{
   struct tbr_binning *binning = tbr_binning(render);
   if (!binning->vertex_info_valid || (binning->context->dirty & TBR_DIRTY_LAYOUT))
      make_vertex_info(binning);
   return &binning->vertex_info;
}

/* ---- vertices ------------------------------------------------------------ */

static bool
allocate_vertices(struct vbuf_render *render, uint16_t vertex_size, uint16_t num_vertices)
{
   struct tbr_binning *binning = tbr_binning(render);
   const size_t bytes = (size_t)vertex_size * num_vertices;
   if (bytes > binning->vertices_bytes) {
      align_free(binning->vertices);
      binning->vertices = align_malloc(bytes, 64);
      binning->vertices_bytes = binning->vertices ? bytes : 0;
   }
   binning->stride = vertex_size;
   return binning->vertices != NULL;
}

static void *
map_vertices(struct vbuf_render *render)
{
   return tbr_binning(render)->vertices;
}

static void
unmap_vertices(struct vbuf_render *render, uint16_t min_index, uint16_t max_index)
{
}

static void
release_vertices(struct vbuf_render *render)
{
}

static void
set_primitive(struct vbuf_render *render, enum mesa_prim primitive)
{
   tbr_binning(render)->primitive = primitive;
}

static void
set_view_index(struct vbuf_render *render, unsigned view_index)
{
}

static void
set_stream_output_info(struct vbuf_render *render, unsigned stream, unsigned count, unsigned generated)
{
   struct tbr_binning *binning = tbr_binning(render);
   assert(stream < PIPE_MAX_VERTEX_STREAMS);
   tbr_draw_events_run_stages(binning->context);
   tbr_vertex_accesses_end_part(binning->context);
   if (!binning->counts_primitives)
      return;
   struct tbr_stream_counts *counts = &binning->streams[stream];
   counts->generated += generated;
   if (binning->context->num_stream_output)
      counts->needed += generated;
   counts->written += count;
   tbr_draw_events_capture(binning->context, stream, count);
}

/** draw's figures of the draw just made, summed up for queries. */
static void
add_statistics(struct tbr_context *context, const struct pipe_query_data_pipeline_statistics *statistics)
{
   for (unsigned i = 0; i < ARRAY_SIZE(statistics->counters); i++)
      context->statistics.counters[i] += statistics->counters[i];
   /* draw counts primitives; a geometry shader may run several times for each. */
   if (context->geometry_shader)
      context->statistics.gs_invocations +=
         statistics->gs_invocations * (context->geometry_shader->invocations - 1u);
}

static void
pipeline_statistics(struct vbuf_render *render, const struct pipe_query_data_pipeline_statistics *statistics)
{
   struct tbr_binning *binning = tbr_binning(render);
   if (binning->counts_statistics)
      add_statistics(binning->context, statistics);
}

/* ---- primitives ---------------------------------------------------------- */

uint32_t
tbr_binning_vertices_per_primitive(const struct tbr_binning *binning)
{
   const struct tbr_context *context = binning->context;
   const struct tbr_drawn_shader *shader = tbr_last_drawn_shader(context);
   return shader != context->vertex_shader ? shader->vertices_per_primitive
                                           : mesa_vertices_per_prim(u_reduced_prim(binning->input_primitive));
}

/** draw injects the facing of the polygon an unfilled primitive comes from, 1 or 0. What has always been a line or a point faces
 * the front. */
static bool
injected_facing(const struct tbr_binning *binning, vertex_attributes vertex)
{
   return binning->face_slot < 0 || tbr_binning_vertices_per_primitive(binning) < 3 ||
          vertex[binning->face_slot][0] > 0;
}

/** A geometry or vertex shader's whole number. */
static uint32_t
integer_at(vertex_attributes vertex, int slot)
{
   uint32_t value;
   assert(slot >= 0);
   memcpy(&value, vertex[slot], sizeof value);
   return value;
}

/** Sends the primitive to the viewport and layer that its provoking vertex names. */
static void
bin_primitive(struct tbr_binning *binning, struct tbr_binned_primitive *primitive)
{
   assert(primitive->provoking < 3);
   binning->polygon += !primitive->reach.pixels;
   vertex_attributes provoking = primitive->vertex[primitive->provoking];
   primitive->layer = binning->layer_slot >= 0 ? integer_at(provoking, binning->layer_slot) : binning->view;
   if (binning->viewport_slot >= 0) {
      const uint32_t viewport = integer_at(provoking, binning->viewport_slot);
      if (!tbr_draw_select_viewport(binning->context, viewport < PIPE_MAX_VIEWPORTS ? viewport : 0)) {
         binning->out_of_memory = true;
         return;
      }
   }
   tbr_bin_primitive(binning, primitive);
}

static void
bin_part(struct tbr_binning *binning, vertex_attributes v0, vertex_attributes v1, vertex_attributes v2,
         unsigned provoking, struct tbr_reach reach)
{
   const struct pipe_rasterizer_state *rasterizer = binning->context->rasterizer;
   binning->clipped_primitives++;
   struct tbr_binned_primitive primitive = {
      .vertex = {v0, v1, v2},
      .provoking = provoking,
      .offset = rasterizer->offset_tri,
      .reach = reach,
   };
   for (unsigned i = 0; i < 3; i++)
      memcpy(primitive.corner[i], primitive.vertex[i][0], sizeof primitive.corner[i]);
   bin_primitive(binning, &primitive);
}

static void
bin_triangle(struct tbr_binning *binning, vertex_attributes v0, vertex_attributes v1, vertex_attributes v2,
             unsigned provoking)
{
   bin_part(binning, v0, v1, v2, provoking, (struct tbr_reach){0});
}

static float
snap(float coordinate)
{
   return rintf(coordinate / SUBPIXEL) * SUBPIXEL;
}

/** Whether a line that ends here has been at the pixel's centre, along its major axis, and is in the diamond around it: it
 * has not left the pixel, and another that begins here has it (OpenGL ES 3.2, 13.6.1). Ends are as if
 * shifted by (-ε, -ε²), as the rule has them; those of wide lines are those of the line whose first pixels are drawn. */
static bool
is_in_second_half(const struct pipe_rasterizer_state *rasterizer, bool x_major, bool forwards,
                  const float position[4])
{
   const int subpixels = 1 << TBR_SUBPIXEL_BITS, half = subpixels / 2;
   const int centre = rasterizer->half_pixel_center ? half : 0;
   const int aside = (MAX2((int)roundf(rasterizer->line_width), 1) - 1) * half;
   const bool down = rasterizer->bottom_edge_rule; /* y points down */
   int x = (int)lrintf(position[0] * (float)subpixels) - centre + half;
   int y = (int)lrintf(position[1] * (float)subpixels) - centre + half;
   if (x_major)
      y += down ? aside : -aside;
   else
      x -= aside;
   const int dx = ((x - 1) & (subpixels - 1)) + 1 - half;
   const int dy = down ? (y & (subpixels - 1)) - half : ((y - 1) & (subpixels - 1)) + 1 - half;
   const bool is_right = dx > 0, is_later = x_major ? is_right : down ? dy >= 0 : dy > 0;
   const int distance = abs(dx) + abs(dy);
   return is_later == forwards && (distance < half || (distance == half && is_right));
}

/** Moves ends that are in the second half of a pixel's diamond to the first half, so that the pixel is in of a line that
 * begins there and out of one that ends there. False if nothing is left. */
static bool
place_ends(const struct tbr_binning *binning, vertex_attributes v[2], struct tbr_clipped_line *moved)
{
   const struct pipe_rasterizer_state *rasterizer = binning->context->rasterizer;
   const vertex_attributes whole[2] = {v[0], v[1]};
   const float dx = v[1][0][0] - v[0][0][0], dy = v[1][0][1] - v[0][0][1];
   const bool x_major = fabsf(dx) >= fabsf(dy);
   const float length = x_major ? dx : dy;
   if (length == 0)
      return false;
   const double half_pixel = 0.5 / fabs((double)length);
   bool is_moved[2] = {false, false};
   for (unsigned end = 0; end < 2; end++) {
      if (is_in_second_half(rasterizer, x_major, length > 0, whole[end][0]) &&
          tbr_move_line_end(binning, whole, end - half_pixel, end, moved->vertex[end])) {
         v[end] = (vertex_attributes)moved->vertex[end];
         is_moved[end] = true;
      }
   }
   return !is_moved[1] || is_moved[0] || half_pixel < 1;
}

/** Half the width, from the line to its side. */
static void
find_side(const struct pipe_rasterizer_state *rasterizer, vertex_attributes v0, vertex_attributes v1,
          float side[2])
{
   const float dx = v1[0][0] - v0[0][0], dy = v1[0][1] - v0[0][1];
   const bool x_major = fabsf(dx) >= fabsf(dy);
   side[0] = side[1] = 0;
   if (rasterizer->line_rectangular) {
      const float half = MAX2(rasterizer->line_width, 1.0f) * 0.5f;
      const float length = (float)sqrt((double)dx * dx + (double)dy * dy);
      side[0] = length > 0 ? -dy / length * half : 0;
      side[1] = length > 0 ? dx / length * half : 0;
   } else {
      side[x_major ? 1 : 0] = MAX2(roundf(rasterizer->line_width), 1.0f) * 0.5f;
   }
}

/** Whether the rasteriser supports an end's coordinates: in front of the eye and not
 * too far from the window. */
static bool
is_near(vertex_attributes vertex)
{
   const float *position = vertex[0];
   return position[3] > 0 && fabsf(position[0]) < TBR_LINE_BAND && fabsf(position[1]) < TBR_LINE_BAND;
}

/** The line as a parallelogram. Of single samples: of its width across its minor axis,
 * one pixel a column (or row) for width 1, from the first to the last pixel whose diamond it leaves. Multisampled:
 * the rectangle whose sides are half the width away from it. */
static void
bin_line(struct tbr_binning *binning, vertex_attributes v0, vertex_attributes v1)
{
   const struct pipe_rasterizer_state *rasterizer = binning->context->rasterizer;
   struct tbr_clipped_line clipped, moved;
   vertex_attributes ends[2] = {v0, v1};
   float side[2];
   if ((!is_near(v0) || !is_near(v1)) && !tbr_clip_line(binning, ends, &clipped))
      return;
   binning->clipped_primitives++;
   find_side(rasterizer, ends[0], ends[1], side);
   if (!rasterizer->line_rectangular && !place_ends(binning, ends, &moved))
      return;
   struct tbr_binned_primitive primitive = {
      .vertex = {ends[0], ends[1], ends[0]},
      .parallelogram = true,
      .front_facing = injected_facing(binning, ends[0]),
      .provoking = rasterizer->flatshade_first ? 0 : 1,
   };
   for (unsigned i = 0; i < 3; i++) {
      memcpy(primitive.corner[i], primitive.vertex[i][0], sizeof primitive.corner[i]);
      for (unsigned c = 0; c < 2; c++)
         primitive.corner[i][c] += i == 2 ? side[c] : -side[c];
   }
   bin_primitive(binning, &primitive);
}

static void
bin_point(struct tbr_binning *binning, vertex_attributes vertex)
{
   const struct pipe_rasterizer_state *rasterizer = binning->context->rasterizer;
   float size = rasterizer->point_size;
   binning->clipped_primitives++;
   if (rasterizer->point_size_per_vertex && binning->point_size_slot >= 0)
      size = vertex[binning->point_size_slot][0];
   size = CLAMP(size, 1.0f, 255.0f);
   /* Snapped, so that where a point is in the window cannot move it by a pixel. */
   float x = snap(vertex[0][0]), y = snap(vertex[0][1]);
   if (!rasterizer->point_quad_rasterization && !rasterizer->multisample) {
      /* GL's aliased points: an integer width centred on a pixel's centre (odd)
       * or corner (even). Coordinates are rounded down, so up where y points down. */
      const bool down = rasterizer->bottom_edge_rule;
      size = MAX2(roundf(size), 1.0f);
      const float half_pixel = (int)size & 1 ? 0.5f : 0;
      x = floorf(x + 0.5f - half_pixel) + half_pixel;
      y = down ? ceilf(y - 0.5f + half_pixel) - half_pixel : floorf(y + 0.5f - half_pixel) + half_pixel;
   }

   const float half = size * 0.5f;
   struct tbr_binned_primitive primitive = {
      .corner = {{x - half, y - half}, {x + half, y - half}, {x - half, y + half}},
      .vertex = {vertex, vertex, vertex},
      .parallelogram = true,
      .front_facing = injected_facing(binning, vertex),
      .point = true,
   };
   for (unsigned i = 0; i < 3; i++) {
      primitive.corner[i][2] = vertex[0][2];
      primitive.corner[i][3] = vertex[0][3];
   }
   bin_primitive(binning, &primitive);
}

static vertex_attributes
vertex_at(const struct tbr_binning *binning, unsigned index)
{
   assert(((size_t)index + 1) * binning->stride <= binning->vertices_bytes);
   return (vertex_attributes)(binning->vertices + (size_t)index * binning->stride);
}

/** The vertex at a place of a list; indices NULL: they are start, start + 1 … */
#define VERTEX(n) vertex_at(binning, indices ? indices[n] : start + (n))

/** Takes a list of triangles, or what is made of them, apart. */
static void
bin_triangles(struct tbr_binning *binning, const uint16_t *indices, unsigned start, unsigned count)
{
   const bool first = binning->context->rasterizer->flatshade_first;
   const unsigned provoking = first ? 0 : 2;

   switch (binning->primitive) {
   case MESA_PRIM_TRIANGLES:
      for (unsigned i = 2; i < count; i += 3)
         bin_part(binning, VERTEX(i - 2), VERTEX(i - 1), VERTEX(i), provoking,
                  binning->has_parts ? binning->reach[i / 3] : (struct tbr_reach){0});
      break;
   case MESA_PRIM_TRIANGLE_STRIP:
      for (unsigned i = 2; i < count; i++) {
         /* The swap keeps the provoking vertex at its index. */
         if (i & 1) {
            if (first)
               bin_triangle(binning, VERTEX(i - 2), VERTEX(i), VERTEX(i - 1), 0);
            else
               bin_triangle(binning, VERTEX(i - 1), VERTEX(i - 2), VERTEX(i), 2);
         } else {
            bin_triangle(binning, VERTEX(i - 2), VERTEX(i - 1), VERTEX(i), provoking);
         }
      }
      break;
   case MESA_PRIM_TRIANGLE_FAN:
      for (unsigned i = 2; i < count; i++)
         bin_triangle(binning, VERTEX(0), VERTEX(i - 1), VERTEX(i), first ? 1 : 2);
      break;
   case MESA_PRIM_QUADS:
      /* The last vertex provokes, whatever the convention. */
      for (unsigned i = 3; i < count; i += 4) {
         bin_triangle(binning, VERTEX(i - 3), VERTEX(i - 2), VERTEX(i), 2);
         bin_triangle(binning, VERTEX(i - 2), VERTEX(i - 1), VERTEX(i), 2);
      }
      break;
   case MESA_PRIM_QUAD_STRIP:
      for (unsigned i = 3; i < count; i += 2) {
         bin_triangle(binning, VERTEX(i - 3), VERTEX(i - 2), VERTEX(i), 2);
         bin_triangle(binning, VERTEX(i - 1), VERTEX(i - 3), VERTEX(i), 2);
      }
      break;
   case MESA_PRIM_POLYGON:
      /* The first vertex provokes. */
      for (unsigned i = 2; i < count; i++)
         bin_triangle(binning, VERTEX(i - 1), VERTEX(i), VERTEX(0), 2);
      break;
   default: unreachable("draw takes all other primitives apart");
   }
}

/** Takes a list of primitives apart. */
static void
bin_list(struct tbr_binning *binning, const uint16_t *indices, unsigned start, unsigned count)
{
   if (!binning->batch || !tbr_draw_refresh_state(binning->context))
      return;

   switch (binning->primitive) {
   case MESA_PRIM_POINTS:
      for (unsigned i = 0; i < count; i++)
         bin_point(binning, VERTEX(i));
      break;
   case MESA_PRIM_LINES:
      for (unsigned i = 1; i < count; i += 2)
         bin_line(binning, VERTEX(i - 1), VERTEX(i));
      break;
   case MESA_PRIM_LINE_STRIP:
   case MESA_PRIM_LINE_LOOP:
      for (unsigned i = 1; i < count; i++)
         bin_line(binning, VERTEX(i - 1), VERTEX(i));
      if (binning->primitive == MESA_PRIM_LINE_LOOP && count > 1)
         bin_line(binning, VERTEX(count - 1), VERTEX(0));
      break;
   default: bin_triangles(binning, indices, start, count); break;
   }
}

#undef VERTEX

static void
draw_elements(struct vbuf_render *render, const uint16_t *indices, unsigned count)
{
   struct tbr_binning *binning = tbr_binning(render);
   bin_list(binning, indices, 0, count);
   if (binning->has_parts)
      memset(binning->reach, 0, count / 3 * sizeof *binning->reach);
   binning->has_parts = false;
}

static void
continue_triangle(struct vbuf_render *render, unsigned index, float pixels, float sides)
{
   struct tbr_binning *binning = tbr_binning(render);
   assert(binning->primitive == MESA_PRIM_TRIANGLES && index % 3 == 0 && index + 2 < TBR_MAX_INDICES);
   /* No guard band is that large: the renderer's own would not be (tbr_pb_encode.c). */
   if (!(pixels <= (float)TBR_MAX_COORDINATE))
      return;
   /* Of the width or the height beyond a side, which is half of it from the centre. */
   const float percent = ceilf(MAX2(sides - 1, 0.0f) * 50);
   binning->reach[index / 3] = (struct tbr_reach){
      .pixels = (uint16_t)MAX2(ceilf(pixels), 1.0f),
      .percent = (uint16_t)MIN2(percent, (float)UINT16_MAX),
   };
   binning->has_parts = true;
}

static void
draw_arrays(struct vbuf_render *render, unsigned start, unsigned count)
{
   bin_list(tbr_binning(render), NULL, start, count);
}

/* ---- creation and destruction ------------------------------------------- */

static void
destroy_render(struct vbuf_render *render)
{
   align_free(tbr_binning(render)->vertices);
   FREE(render);
}

bool
tbr_binning_init(struct tbr_context *context)
{
   struct tbr_binning *binning = CALLOC_STRUCT(tbr_binning);
   if (!binning)
      return false;

   binning->context = context;
   binning->base = (struct vbuf_render){
      .max_indices = TBR_MAX_INDICES,
      .max_vertex_buffer_bytes = 128 * 1024,
      .get_vertex_info = get_vertex_info,
      .allocate_vertices = allocate_vertices,
      .map_vertices = map_vertices,
      .unmap_vertices = unmap_vertices,
      .release_vertices = release_vertices,
      .set_primitive = set_primitive,
      .set_view_index = set_view_index,
      .draw_elements = draw_elements,
      .continue_triangle = continue_triangle,
      .draw_arrays = draw_arrays,
      .set_stream_output_info = set_stream_output_info,
      .pipeline_statistics = pipeline_statistics,
      .destroy = destroy_render,
   };

   binning->stage = draw_vbuf_stage(context->draw, &binning->base);
   if (!binning->stage) {
      destroy_render(&binning->base);
      return false;
   }
   draw_set_rasterize_stage(context->draw, binning->stage);
   draw_set_render(context->draw, &binning->base);

   /* Points and lines of any width, and point sprites, are rasterised here, and where
    * draw's flags say so (OpenGL ES) they end at the viewport pixel by pixel: a point whose
    * centre is outside, or a line beside the viewport, may reach into it. */
   draw_set_driver_clipping(context->draw, false, false, false, true);
   draw_wide_point_threshold(context->draw, 10000.0f);
   draw_wide_line_threshold(context->draw, 10000.0f);
   draw_wide_point_sprites(context->draw, false);
   draw_enable_point_sprites(context->draw, false);
   draw_enable_line_stipple(context->draw, true);
   /* NIR counts constants in words. */
   draw_set_constant_buffer_stride(context->draw, sizeof(float));

   context->binning = binning;
   context->vbuf_render = &binning->base;
   return true;
}
