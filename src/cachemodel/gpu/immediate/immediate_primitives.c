/* SPDX-License-Identifier: MIT */
/* What primitives go through: region by region HiZ, block by block the tests, the shaders, blending. */
#include <assert.h>

#include "gpu/attribution_internal.h"
#include "gpu/immediate/immediate.h"
#include "gpu/immediate/immediate_internal.h"
#include "gpu/tiled/stages.h"
#include "texture/texel_order.h"
#include "util/minmax.h"

/* ---- a block of 4x4 pixels --------------------------------------------- */

/* The fragments of a primitive in a block; masks: bit 4 * row + column. */
struct block {
   uint32_t x, y;    /* its upper left pixel */
   uint32_t covered; /* those that are not hidden */
   uint32_t live;    /* those that passed the early tests */
   uint32_t written; /* those that passed all */
   const cm_ordered_quad *quads;
   size_t num_quads;
   unsigned running; /* bit n: quads[n] runs a shader; more than 32 quads are not in a block */
};

/* A quad's mask, shifted to its position in the block's. */
static inline uint32_t
in_block(uint32_t mask, cm_ordered_quad quad)
{
   const uint32_t position = (uint32_t)(quad >> CM_POSITION_SHIFT) & 3;
   return ((mask & 3) | (mask >> 2) << 4) << (8 * (position >> 1) + 2 * (position & 1));
}

/* What the runs of a group do with a quad together: a shader may run once per sample. */
static __attribute__((noinline)) void
add_runs(const uint32_t *event, const uint32_t *end, uint32_t number, uint32_t *live, uint32_t *written)
{
   do {
      const struct cm_quad *quad = (const struct cm_quad *)(event + 2) + number;
      *live |= quad->live;
      *written |= quad->written;
      event = cm_group_next_run(event, end);
   } while (event < end && cm_event_continues(*event));
}

static inline void
add_quad(struct cm_immediate *immediate, struct block *block, size_t n, const uint32_t *end)
{
   const cm_ordered_quad reference = block->quads[n];
   const uint32_t number = cm_ordered_number(reference);
   const uint32_t *event = cm_ordered_event(immediate->order, reference);
   const struct cm_quad *quad = (const struct cm_quad *)(event + 2) + number;
   uint32_t live = quad->live, written = quad->written;
   if (cm_event_type(*event) == CM_EVENT_SHADE) {
      if (cm_event_sample(*event))
         add_runs(event, end, number, &live, &written);
      block->running |= (unsigned)(live != 0) << n;
   } else if (*event & CM_UNSHADED_HIDDEN) {
      immediate->pipeline[CM_PIPELINE_HIDDEN_QUADS]++;
      return;
   }
   immediate->pipeline[CM_PIPELINE_FAILED_QUADS] += !live;
   block->covered |= in_block(quad->covered | live, reference);
   block->live |= in_block(live, reference);
   block->written |= in_block(written, reference);
}

static void
access_surface(struct cm_immediate *immediate, struct cm_render_surface *surface, const struct block *block,
               uint32_t mask, unsigned access)
{
   cm_gpu_attribute_resource(immediate->gpu, surface->attachment->resource);
   cm_render_surface_access(surface, immediate->hierarchy, block->x, block->y, mask, access);
}

/* Reads stencil and depth, from one attachment where it has both. */
static void
read_stencil_and_depth(struct cm_immediate *immediate, const struct block *block, uint32_t mask, bool stencil,
                       bool depth)
{
   if (stencil && !immediate->stencil_is_depth)
      access_surface(immediate, immediate->stencil, block, mask, CM_SURFACE_READ);
   if (depth || (stencil && immediate->stencil_is_depth))
      access_surface(immediate, immediate->depth, block, mask, CM_SURFACE_READ);
}

/* Whether bounds of the block's depths could tell the result of the depth test, which is that of the early tests: all
 * fragments pass, or all fail. */
static bool
is_decided(const struct cm_immediate *immediate, const struct block *block,
           const struct cm_fragment_tests *tests)
{
   return immediate->gpu->config.immediate.depth_reads == CM_DEPTH_READS_UNDECIDED && tests->hierarchical &&
          !tests->stencil_test && !tests->late && (!block->live || block->live == block->covered);
}

/* Reads what the tests compare with. */
static void
test(struct cm_immediate *immediate, const struct block *block, const struct cm_fragment_tests *tests)
{
   read_stencil_and_depth(immediate, block, block->covered, tests->stencil_test,
                          tests->depth_test && !is_decided(immediate, block, tests));
}

/* Writes what they change; whether that is depth. */
static bool
update(struct cm_immediate *immediate, const struct block *block, const struct cm_fragment_tests *tests)
{
   const uint32_t stencil = tests->stencil_write ? block->covered : 0;
   const uint32_t depth = !tests->depth_write ? 0 : tests->late ? block->written : block->live;
   if (immediate->stencil_is_depth) {
      access_surface(immediate, immediate->depth, block, stencil | depth,
                     CM_SURFACE_WRITE | CM_SURFACE_KEEP_PART);
   } else {
      access_surface(immediate, immediate->stencil, block, stencil, CM_SURFACE_WRITE);
      access_surface(immediate, immediate->depth, block, depth, CM_SURFACE_WRITE);
   }
   return depth && immediate->depth->has_layer;
}

/* The block's number in Z-order. */
static inline uint32_t
block_number(const struct block *block)
{
   return cm_z_order(block->x / CM_PIXEL_BLOCK & 0xffff, block->y / CM_PIXEL_BLOCK & 0xffff);
}

static void
shade(struct cm_immediate *immediate, const struct block *block, const uint32_t *end)
{
   const uint32_t number = block_number(block);
   for (size_t n = 0; n < block->num_quads; n++) {
      if (block->running >> n & 1)
         cm_shading_run_quad(immediate->shading, cm_ordered_event(immediate->order, block->quads[n]), end,
                             cm_ordered_number(block->quads[n]), number);
   }
}

static void
blend(struct cm_immediate *immediate, const struct block *block, const struct cm_fragment_tests *tests)
{
   for (uint32_t targets = tests->color_write & ((1u << immediate->num_color) - 1); targets;
        targets &= targets - 1) {
      const uint32_t c = (uint32_t)__builtin_ctz(targets);
      const unsigned read = tests->color_read >> c & 1 ? CM_SURFACE_READ : 0;
      access_surface(immediate, &immediate->surfaces[c], block, block->written, CM_SURFACE_WRITE | read);
   }
}

/* Texture reads of the shaders. They are requested together with the reads of the tests. */
static void
fetch(struct cm_immediate *immediate, const struct block *block, const struct cm_fragment_tests *tests)
{
   read_stencil_and_depth(immediate, block, block->live, tests->stencil_fetch, tests->depth_fetch);
   for (uint32_t sources = tests->color_fetch & ((1u << immediate->num_color) - 1); sources;
        sources &= sources - 1) {
      const uint32_t c = (uint32_t)__builtin_ctz(sources);
      access_surface(immediate, &immediate->surfaces[c], block, block->live, CM_SURFACE_READ);
   }
}

/* Footprints, and instructions that access storage, so far. */
static uint32_t
count_accesses(const uint64_t *pipeline)
{
   return (uint32_t)(pipeline[CM_PIPELINE_FOOTPRINTS] + pipeline[CM_PIPELINE_STORAGE_LOADS] +
                     pipeline[CM_PIPELINE_STORAGE_STORES] + pipeline[CM_PIPELINE_STORAGE_ATOMICS]);
}

/* Before and after a block's shaders: what of them takes time. */
static void
begin_timed(struct cm_immediate *immediate, struct cm_logged_block *timed)
{
   cm_timing_block_part_end(immediate->gpu->timing, immediate->calls, CM_BLOCK_TESTS);
   immediate->executed = cm_shading_executed(immediate->shading);
   timed->footprints = count_accesses(immediate->pipeline);
}

static void
end_timed(const struct cm_immediate *immediate, const struct block *block, struct cm_logged_block *timed)
{
   const struct cm_gpu *gpu = immediate->gpu;
   if (!gpu->timing)
      return;
   const uint64_t executed = cm_shading_executed(immediate->shading) - immediate->executed;
   timed->goes_on = block->running;
   timed->footprints = count_accesses(immediate->pipeline) - timed->footprints;
   timed->instructions = (uint32_t)cm_min64(executed, CM_MOST_LOGGED_INSTRUCTIONS);
   timed->processor = (uint16_t)(block_number(block) % gpu->config.fragment_stage.processors);
   cm_timing_block(gpu->timing, immediate->calls, timed);
}

/* Whether depth was written. */
static bool
run_block(struct cm_immediate *immediate, const struct block *block, const struct cm_fragment_tests *tests,
          const uint32_t *end)
{
   struct cm_logged_block timed = {0};
   /* Late tests come after the shader, but what was dropped before it was looked at. */
   const bool looks_early = !tests->late || (block->covered & ~block->live);
   bool wrote_depth = false;
   if (looks_early)
      test(immediate, block, tests);
   if (!tests->late)
      wrote_depth = update(immediate, block, tests);
   fetch(immediate, block, tests);
   begin_timed(immediate, &timed);
   shade(immediate, block, end);
   cm_timing_block_part_end(immediate->gpu->timing, immediate->calls, CM_BLOCK_SHADERS);
   if (!looks_early)
      test(immediate, block, tests);
   if (tests->late)
      wrote_depth = update(immediate, block, tests);
   blend(immediate, block, tests);
   end_timed(immediate, block, &timed);
   return wrote_depth;
}

/* ---- a primitive ------------------------------------------------------- */

/* How many quads from the first on have the same position from a bit on; of a block, at most as many as
 * struct block can take. */
static size_t
count_alike(const cm_ordered_quad *quads, size_t count, unsigned shift, size_t most)
{
   size_t n = 1;
   while (n < count && n < most && quads[n] >> shift == quads[0] >> shift)
      n++;
   return n;
}

/* Hierarchical depth is that of the depth attachment's layer. */
static void
access_hiz(struct cm_immediate *immediate, const cm_ordered_quad *quads, enum cm_access access)
{
   const uint32_t x = cm_ordered_block_column(*quads) * CM_PIXEL_BLOCK;
   const uint32_t y = cm_ordered_block_row(*quads) * CM_PIXEL_BLOCK;
   cm_gpu_attribute_resource(immediate->gpu, immediate->gpu->pass->depth.resource);
   if (immediate->depth->has_layer && x < immediate->depth->level->columns &&
       y < immediate->depth->level->rows)
      cm_cleared_blocks_access(immediate->hiz->cleared, immediate->hierarchy,
                               immediate->hiz_address +
                                  cm_hiz_region_offset(immediate->hiz, immediate->hiz_level, x, y),
                               CM_STREAM_HIZ, access);
}

/* The tile that a position of the layer lies in, of the event stream's. */
static uint32_t
tile_of(const struct cm_immediate *immediate, const cm_ordered_quad *quads)
{
   assert(immediate->gpu->pass->tile_size >= CM_PIXEL_BLOCK);
   const struct cm_pass *pass = immediate->gpu->pass;
   const uint32_t x = cm_ordered_block_column(*quads) * CM_PIXEL_BLOCK / pass->tile_size;
   const uint32_t y = cm_ordered_block_row(*quads) * CM_PIXEL_BLOCK / pass->tile_size;
   return (immediate->layer * pass->layer_tiles_y + y) * pass->tiles_x + x;
}

static void
run_region(struct cm_immediate *immediate, const struct cm_fragment_tests *tests,
           const cm_ordered_quad *quads, size_t count)
{
   assert(count);
   const uint32_t *end = (const uint32_t *)immediate->order->words.data + immediate->order->num_words;
   uint64_t *pipeline = immediate->pipeline;
   const uint32_t tile = tile_of(immediate, quads);
   bool wrote_depth = false, left = false;
   cm_gpu_attribute_tile(immediate->gpu, tile);
   pipeline[CM_PIPELINE_RASTERIZED_QUADS] += count;
   if (tests->hierarchical) {
      access_hiz(immediate, quads, CM_READ);
      pipeline[CM_PIPELINE_HIZ_TESTS]++;
   }
   cm_timing_region(immediate->gpu->timing, immediate->calls, tile);
   for (size_t first = 0; first < count;) {
      struct block block = {
         .x = cm_ordered_block_column(quads[first]) * CM_PIXEL_BLOCK,
         .y = cm_ordered_block_row(quads[first]) * CM_PIXEL_BLOCK,
         .quads = quads + first,
         .num_quads = count_alike(quads + first, count - first, CM_POSITION_BLOCK_SHIFT, 32),
      };
      for (size_t n = 0; n < block.num_quads; n++)
         add_quad(immediate, &block, n, end);
      if (block.covered) {
         wrote_depth |= run_block(immediate, &block, tests, end);
         left = true;
      }
      first += block.num_quads;
   }
   if (tests->hierarchical)
      pipeline[CM_PIPELINE_HIDDEN_REGIONS] += !left;
   if (wrote_depth)
      access_hiz(immediate, quads, CM_WRITE);
   cm_timing_region_end(immediate->gpu->timing, immediate->calls);
}

static inline unsigned
region_shift(const struct cm_immediate *immediate)
{
   return CM_POSITION_REGION_SHIFT - immediate->gpu->config.immediate.hiz_region;
}

/* A primitive, or, from quad `first` on, the part of it that begins there; its quads are in order. */
static void
run_quads(struct cm_immediate *immediate, uint32_t number, const cm_ordered_quad *quads, size_t first,
          size_t end)
{
   const struct cm_pass *pass = immediate->gpu->pass;
   const struct cm_primitive *primitive = &pass->primitives[number];
   const uint32_t tile = pass->primitive_tiles[primitive->first_tile];
   cm_immediate_select_layer(immediate, tile / pass->tiles_x / pass->layer_tiles_y);
   cm_gpu_attribute_draw(immediate->gpu, primitive->draw);
   if (!first) {
      cm_timing_primitive(immediate->gpu->timing, immediate->calls, primitive->draw);
      immediate->pipeline[CM_PIPELINE_RASTERIZED_PRIMITIVES]++;
   }
   while (first < end) {
      const size_t alike = count_alike(quads + first, end - first, region_shift(immediate), SIZE_MAX);
      run_region(immediate, &pass->draws[primitive->draw].tests, quads + first, alike);
      first += alike;
   }
   cm_gpu_attribute_tile(immediate->gpu, CM_NOT_ATTRIBUTED);
}

size_t
cm_immediate_part_end(const struct cm_immediate *immediate, const cm_ordered_quad *quads, size_t count,
                      size_t first)
{
   if (count - first <= CM_PRIMITIVE_RUN_QUADS)
      return count;
   const size_t end = first + CM_PRIMITIVE_RUN_QUADS;
   return end + count_alike(quads + end, count - end, region_shift(immediate), SIZE_MAX);
}

bool
cm_immediate_runs_any(const struct cm_immediate *immediate, const struct cm_primitive_run *run,
                      const bool *draws)
{
   const struct cm_quad_order *order = immediate->order;
   for (uint32_t p = run->first; p < run->end; p++) {
      const cm_ordered_quad *quads = cm_quad_order_quads(order, p);
      const size_t end = run->quads_end ? run->quads_end : cm_quad_order_count(order, p);
      for (size_t q = run->quads_begin; q < end; q++) {
         const uint32_t *event = cm_ordered_event(order, quads[q]);
         if (cm_event_type(*event) == CM_EVENT_SHADE && draws[event[1]])
            return true;
      }
   }
   return false;
}

bool
cm_immediate_run(struct cm_immediate *immediate, const struct cm_primitive_run *run)
{
   assert(run->end && run->first < run->end);
   if (run->quads_end) {
      run_quads(immediate, run->first, cm_quad_order_quads(immediate->order, run->first), run->quads_begin,
                run->quads_end);
      return true;
   }
   for (uint32_t p = run->first; p < run->end; p++) {
      if (!cm_quad_order_sort(immediate->order, p, &immediate->scratch))
         return false;
      run_quads(immediate, p, cm_quad_order_quads(immediate->order, p), 0,
                cm_quad_order_count(immediate->order, p));
   }
   return true;
}
