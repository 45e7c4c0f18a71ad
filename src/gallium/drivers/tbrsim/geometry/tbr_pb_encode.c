/* SPDX-License-Identifier: MIT */
/** The Polygon List Builder (TCOR II-B): exact primitive–tile overlap, and the bytes of
 * PB-Attributes and PB-Lists. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "util/macros.h"
#include "config/config.h"
#include "pass/tbr_batch.h"
#include "geometry/tbr_binning.h"
#include "state/tbr_context.h"
#include "geometry/tbr_pb_encode.h"
#include "shader/tbr_shader.h"

static_assert(1 + TBR_MAX_INPUTS == CM_MAX_PRIMITIVE_ATTRIBUTES, "an Attribute Cache holds any primitive");

#define SUBPIXELS (1 << TBR_SUBPIXEL_BITS)

/* Coordinates are up to this far from the window's origin, differences of them twice as far; an edge's value is the sum of
 * two products of differences. */
#define FARTHEST ((int64_t)TBR_MAX_COORDINATE * SUBPIXELS)
static_assert(FARTHEST <= 1 << 24, "a float holds all coordinates exactly");
static_assert(2 * FARTHEST <= INT32_MAX, "32 bits hold their differences");
static_assert(2 * FARTHEST <= INT64_MAX / (2 * FARTHEST) / 2, "64 bits hold an edge's values");

/** Half-plane a * x + b * y + c >= 0 over subpixel coordinates. */
struct edge {
   int64_t a, b, c;
};

struct outline {
   struct edge edges[4];
   unsigned num_edges;
   int32_t x0, y0, x1, y1; /**< first and last pixel with a sample inside the bounds, inclusive */
};

/** Where coverage is looked at in a pixel, from its upper left, in subpixels: the
 * centre, or samples from low to high in both directions. */
struct sample_range {
   int32_t low, high;
};

static struct sample_range
sample_range(const struct tbr_binning *binning)
{
   const struct pipe_rasterizer_state *rasterizer = binning->context->rasterizer;
   const int32_t centre = rasterizer->half_pixel_center ? SUBPIXELS / 2 : 0;
   float spread = 0; /* pixels from the centre */
   if (binning->batch->pass.samples > 1 && rasterizer->multisample) {
      for (unsigned s = 0; s < TBR_MAX_SAMPLES; s++)
         spread =
            MAX3(spread, fabsf(tbr_sample_positions[s][0] - 0.5f), fabsf(tbr_sample_positions[s][1] - 0.5f));
   }
   const int32_t subpixels = (int32_t)(spread * SUBPIXELS);
   return (struct sample_range){centre - subpixels, centre + subpixels};
}

static int32_t
snap(float coordinate)
{
   return (int32_t)lrintf(coordinate * SUBPIXELS);
}

/** First pixel whose (last) sample is at or after the coordinate, last whose (first)
 * one is at or before. */
static int32_t
first_pixel(int32_t coordinate, struct sample_range sample)
{
   return (coordinate - sample.high + SUBPIXELS - 1) >> TBR_SUBPIXEL_BITS;
}

static int32_t
last_pixel(int32_t coordinate, struct sample_range sample)
{
   return (coordinate - sample.low) >> TBR_SUBPIXEL_BITS;
}

static void
make_edge(struct edge *edge, const int32_t *from, const int32_t *to, int64_t sign)
{
   edge->a = sign * (from[1] - to[1]);
   edge->b = sign * (to[0] - from[0]);
   edge->c = -(edge->a * from[0] + edge->b * from[1]);
}

/** False if the primitive covers nothing or is culled: not finite, degenerate,
 * facing the wrong way, or outside. */
static bool
make_outline(const struct tbr_binning *binning, struct tbr_binned_primitive *primitive,
             struct sample_range sample, struct outline *outline)
{
   const struct pipe_rasterizer_state *rasterizer = binning->context->rasterizer;
   int32_t corner[4][2];
   for (unsigned i = 0; i < 3; i++) {
      const float x = primitive->corner[i][0], y = primitive->corner[i][1];
      if (!(fabsf(x) <= (float)TBR_MAX_COORDINATE && fabsf(y) <= (float)TBR_MAX_COORDINATE))
         return false;
      corner[i][0] = snap(x);
      corner[i][1] = snap(y);
   }
   const int64_t area = (int64_t)(corner[1][0] - corner[0][0]) * (corner[2][1] - corner[0][1]) -
                        (int64_t)(corner[2][0] - corner[0][0]) * (corner[1][1] - corner[0][1]);
   if (!area)
      return false;

   outline->num_edges = 3;
   if (!primitive->parallelogram) {
      /* y points down: an anticlockwise outline has a negative area. */
      primitive->front_facing = (area < 0) == rasterizer->front_ccw;
      if (rasterizer->cull_face & (primitive->front_facing ? PIPE_FACE_FRONT : PIPE_FACE_BACK))
         return false;
   } else {
      /* In order around the outline: 0, 1, 1 + 2 - 0, 2. */
      outline->num_edges = 4;
      memcpy(corner[3], corner[2], sizeof corner[2]);
      corner[2][0] = corner[1][0] + corner[3][0] - corner[0][0];
      corner[2][1] = corner[1][1] + corner[3][1] - corner[0][1];
   }

   int32_t min[2] = {INT32_MAX, INT32_MAX}, max[2] = {INT32_MIN, INT32_MIN};
   for (unsigned i = 0; i < outline->num_edges; i++) {
      for (unsigned c = 0; c < 2; c++) {
         min[c] = MIN2(min[c], corner[i][c]);
         max[c] = MAX2(max[c], corner[i][c]);
      }
      make_edge(&outline->edges[i], corner[i], corner[(i + 1) % outline->num_edges], area > 0 ? 1 : -1);
   }

   outline->x0 = MAX2(first_pixel(min[0], sample), binning->x0);
   outline->y0 = MAX2(first_pixel(min[1], sample), binning->y0);
   outline->x1 = MIN2(last_pixel(max[0], sample), binning->x1 - 1);
   outline->y1 = MIN2(last_pixel(max[1], sample), binning->y1 - 1);
   return outline->x0 <= outline->x1 && outline->y0 <= outline->y1;
}

/** Whether some sample of the rectangle may be inside all edges: the edges' greatest
 * values over the rectangle of the samples. Exact for a convex shape together with the
 * bounds. */
static bool
overlaps(const struct outline *outline, struct sample_range sample, int32_t x0, int32_t y0, int32_t x1,
         int32_t y1)
{
   const int64_t left = (int64_t)x0 * SUBPIXELS + sample.low, right = (int64_t)x1 * SUBPIXELS + sample.high;
   const int64_t top = (int64_t)y0 * SUBPIXELS + sample.low, bottom = (int64_t)y1 * SUBPIXELS + sample.high;
   for (unsigned i = 0; i < outline->num_edges; i++) {
      const struct edge *edge = &outline->edges[i];
      if (edge->a * (edge->a > 0 ? right : left) + edge->b * (edge->b > 0 ? bottom : top) + edge->c < 0)
         return false;
   }
   return true;
}

/** Appends the tiles of the layer that the primitive overlaps. */
static bool
find_tiles(struct tbr_batch *batch, const struct outline *outline, struct sample_range sample, uint32_t layer,
           struct cm_primitive *primitive)
{
   const int32_t size = batch->pass.tile_size;
   const uint32_t first_row = layer * batch->pass.layer_tiles_y;
   const int32_t tx0 = outline->x0 / size, tx1 = outline->x1 / size;
   const int32_t ty0 = outline->y0 / size, ty1 = outline->y1 / size;
   const uint32_t most = (uint32_t)(tx1 - tx0 + 1) * (ty1 - ty0 + 1);

   assert((uint32_t)tx1 < batch->pass.tiles_x && (uint32_t)ty1 < batch->pass.layer_tiles_y);
   assert(first_row + ty1 < batch->pass.tiles_y);
   primitive->first_tile = util_dynarray_num_elements(&batch->events.primitive_tiles, uint32_t);
   uint32_t *tiles = util_dynarray_grow(&batch->events.primitive_tiles, uint32_t, most);
   if (!tiles)
      return false;
   uint32_t count = 0;

   if (most == 1) {
      tiles[count++] = (first_row + ty0) * batch->pass.tiles_x + tx0;
   } else {
      for (int32_t ty = ty0; ty <= ty1; ty++) {
         const int32_t y0 = MAX2(ty * size, outline->y0), y1 = MIN2(ty * size + size - 1, outline->y1);
         for (int32_t tx = tx0; tx <= tx1; tx++) {
            const int32_t x0 = MAX2(tx * size, outline->x0);
            const int32_t x1 = MIN2(tx * size + size - 1, outline->x1);
            if (overlaps(outline, sample, x0, y0, x1, y1))
               tiles[count++] = (first_row + ty) * batch->pass.tiles_x + tx;
         }
      }
   }
   assert(count <= most);
   primitive->num_tiles = count;
   batch->events.primitive_tiles.size -= (most - count) * sizeof(uint32_t);
   return true;
}

/* ---- PB-Attributes ------------------------------------------------------ */

static bool
allocate_page(struct tbr_batch *batch)
{
   /* Space for a primitive that begins in the last block. */
   const size_t blocks = TBR_PAGE_BLOCKS + TBR_MAX_INPUTS;
   struct cm_pb_attribute_block **page = util_dynarray_grow(&batch->pages, struct cm_pb_attribute_block *, 1);
   if (!page)
      return false;
   *page = align_malloc(blocks * sizeof(struct cm_pb_attribute_block), 64);
   if (!*page)
      (void)util_dynarray_pop(&batch->pages, struct cm_pb_attribute_block *);
   return *page;
}

/** Makes room for a primitive and its attributes: NULL when out of memory. */
static struct cm_pb_attribute_block *
append_primitive(struct tbr_batch *batch, const struct cm_primitive *primitive)
{
   const uint32_t block = batch->num_blocks;
   assert(primitive->num_tiles && primitive->num_attributes - 1 <= TBR_MAX_INPUTS);
   assert(batch->first_blocks.size / sizeof(uint32_t) == batch->events.primitives.size / sizeof(*primitive));
   if (block >> TBR_PAGE_SHIFT == util_dynarray_num_elements(&batch->pages, struct cm_pb_attribute_block *) &&
       !allocate_page(batch))
      return NULL;
   uint32_t *first_block = util_dynarray_grow(&batch->first_blocks, uint32_t, 1);
   if (!first_block)
      return NULL;
   struct cm_primitive *appended = util_dynarray_grow(&batch->events.primitives, struct cm_primitive, 1);
   if (!appended) {
      (void)util_dynarray_pop(&batch->first_blocks, uint32_t);
      return NULL;
   }
   *first_block = block;
   *appended = *primitive;
   batch->num_blocks = block + primitive->num_attributes;
   batch->max_attributes = MAX2(batch->max_attributes, primitive->num_attributes);
   return tbr_batch_block(batch, block);
}

static bool
is_point_coordinate(const struct pipe_rasterizer_state *rasterizer, const struct tbr_shader_input *input)
{
   if (input->location == VARYING_SLOT_PNTC)
      return true;
   return input->location >= VARYING_SLOT_TEX0 && input->location <= VARYING_SLOT_TEX7 &&
          (rasterizer->sprite_coord_enable & (1 << (input->location - VARYING_SLOT_TEX0)));
}

/** Point coordinates of the square's corners: (0, 0), (1, 0), (0, 1), upside down
 * where the origin is the lower left. */
static void
write_point_coordinate(const struct pipe_rasterizer_state *rasterizer, struct cm_pb_attribute_block *block)
{
   static const float corners[3][2] = {{0, 0}, {1, 0}, {0, 1}};
   for (unsigned i = 0; i < 3; i++) {
      const float t = corners[i][1];
      block->vertex[i][0] = corners[i][0];
      block->vertex[i][1] = rasterizer->sprite_coord_mode == PIPE_SPRITE_COORD_LOWER_LEFT ? 1 - t : t;
      block->vertex[i][2] = 0;
      block->vertex[i][3] = 1;
   }
}

static int
attribute_slot(const struct tbr_binning *binning, const struct tbr_binned_primitive *primitive,
               const struct tbr_shader_input *input)
{
   if (!primitive->front_facing && binning->context->rasterizer->light_twoside) {
      const int color = input->location - VARYING_SLOT_COL0;
      if ((color == 0 || color == 1) && binning->back_color_slot[color] >= 0)
         return binning->back_color_slot[color];
   }
   return input->attribute + 1;
}

static void
write_attributes(const struct tbr_binning *binning, const struct tbr_binned_primitive *primitive,
                 struct cm_pb_attribute_block *blocks)
{
   const struct tbr_fragment_shader *shader = binning->context->fragment_shader;
   const struct pipe_rasterizer_state *rasterizer = binning->context->rasterizer;

   for (unsigned i = 0; i < shader->num_inputs; i++) {
      const struct tbr_shader_input *input = &shader->inputs[i];
      if (input->source != TBR_INPUT_ATTRIBUTE)
         continue;
      assert(input->attribute < shader->num_attributes);
      struct cm_pb_attribute_block *block = &blocks[input->attribute];
      block->draw = block->flags = block->reserved = 0;
      if (primitive->point && is_point_coordinate(rasterizer, input)) {
         write_point_coordinate(rasterizer, block);
         continue;
      }
      const int slot = attribute_slot(binning, primitive, input);
      assert(slot >= 0 && (unsigned)slot < binning->vertex_info.num_attribs);
      const bool constant =
         input->interpolation == TBR_INTERPOLATE_CONSTANT || (input->color && rasterizer->flatshade);
      for (unsigned v = 0; v < 3; v++)
         memcpy(block->vertex[v], primitive->vertex[constant ? primitive->provoking : v][slot],
                sizeof block->vertex[v]);
   }
}

/** Whether the primitive is a part of the same triangle as the last one that was binned: of its first parts, some may have
 * covered nothing, and others may be in the pass before. */
static bool
continues_last(const struct tbr_binning *binning, const struct tbr_binned_primitive *primitive)
{
   const struct tbr_batch *batch = binning->batch;
   const bool continues =
      primitive->reach.pixels && batch->num_blocks && batch->last_polygon == binning->polygon;
   assert(!continues ||
          util_dynarray_top_ptr(&batch->events.primitives, struct cm_primitive)->draw == binning->event_draw);
   return continues;
}

/** Whether the next primitive would not fit into the simulated Parameter Buffer. */
static bool
is_full(struct tbr_binning *binning)
{
   const struct cm_config *config = tbr_screen(binning->context->base.screen)->config;
   const uint32_t blocks = 1 + binning->context->fragment_shader->num_attributes;
   const uint32_t needed = binning->batch->num_blocks + blocks;
   binning->batch->most_blocks = MAX2(binning->batch->most_blocks, needed);
   return needed > config->parameter_buffer.attribute_blocks;
}

void
tbr_bin_primitive(struct tbr_binning *binning, struct tbr_binned_primitive *primitive)
{
   const struct sample_range sample = sample_range(binning);
   struct outline outline;
   struct cm_primitive binned = {.draw = binning->event_draw};

   if (!make_outline(binning, primitive, sample, &outline))
      return;
   if (is_full(binning) && !tbr_draw_continue(binning->context))
      return;

   struct tbr_batch *batch = binning->batch;
   assert(batch == binning->context->batch && batch->state == TBR_BATCH_RECORDING && !batch->closed);
   assert(primitive->provoking < 3);
   const uint32_t last_layer = batch->pass.tiles_y / batch->pass.layer_tiles_y - 1;
   const uint32_t layer = MIN2(primitive->layer, last_layer);
   binned.draw = binning->event_draw;
   binned.num_attributes = 1 + binning->context->fragment_shader->num_attributes;
   if (continues_last(binning, primitive)) {
      binned.reach_pixels = primitive->reach.pixels;
      binned.reach_percent = primitive->reach.percent;
   }
   if (!find_tiles(batch, &outline, sample, layer, &binned)) {
      binning->out_of_memory = true;
      return;
   }
   if (!binned.num_tiles)
      return;
   struct cm_pb_attribute_block *blocks = append_primitive(batch, &binned);
   if (!blocks) {
      binning->out_of_memory = true;
      batch->events.primitive_tiles.size -= binned.num_tiles * sizeof(uint32_t);
      return;
   }

   batch->last_polygon = binning->polygon;
   memcpy(blocks[0].vertex, primitive->corner, sizeof blocks[0].vertex);
   blocks[0].draw = binning->state;
   blocks[0].flags = (primitive->front_facing ? TBR_PRIMITIVE_FRONT_FACING : 0) |
                     (primitive->parallelogram ? TBR_PRIMITIVE_PARALLELOGRAM : 0) |
                     (primitive->offset ? TBR_PRIMITIVE_OFFSET : 0);
   blocks[0].reserved = 0;
   write_attributes(binning, primitive, blocks + 1);
}
