/* SPDX-License-Identifier: MIT */
/* Rasteriser: from a primitive to masks of covered pixels, block by block. */
#include "tile/tbr_tile.h"
#include "tile/tbr_tile_hidden.h"
#include "tile/raster/tbr_vector.h"

/* Cells x0 … x1, y0 … y1 (inclusive, 0 … 3) of a 4×4 group, quad-major. */
TBR_INLINE uint32_t
cells_mask(int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
   static const uint16_t from_x[4] = {0xffff, 0xfafa, 0xf0f0, 0xa0a0};
   static const uint16_t to_x[4] = {0x0505, 0x0f0f, 0x5f5f, 0xffff};
   static const uint16_t from_y[4] = {0xffff, 0xffcc, 0xff00, 0xcc00};
   static const uint16_t to_y[4] = {0x0033, 0x00ff, 0x33ff, 0xffff};
   return from_x[x0] & to_x[x1] & from_y[y0] & to_y[y1];
}

/* The box's part of the 4×4 group of cells that begins at x, y. */
TBR_INLINE uint32_t
box_mask(const struct pixel_box *box, int32_t x, int32_t y)
{
   if (x >= box->x0 && y >= box->y0 && x + 4 <= box->x1 && y + 4 <= box->y1)
      return 0xffff;
   return cells_mask(MAX2(box->x0 - x, 0), MAX2(box->y0 - y, 0), MIN2(box->x1 - 1 - x, 3),
                     MIN2(box->y1 - 1 - y, 3));
}

/* Samples of a block inside all edges, of those lanes that `lanes` has. */
TBR_INLINE struct coverage
block_coverage(const struct edge *edges, int num_edges, unsigned samples, int32_t x, int32_t y,
               uint32_t lanes)
{
   ints outside[TBR_MAX_SAMPLES] = {};
   for (int n = 0; n < num_edges; n++) {
      const int32_t first = edges[n].origin + edges[n].a * x + edges[n].b * y;
      for (unsigned s = 0; s < samples; s++) {
         const int32_t more = s ? edges[n].sample[s] : 0;
         outside[s] = ints_or(outside[s], ints_add(edges[n].pixels, ints_all(first + more)));
      }
   }
   struct coverage coverage;
   for (unsigned s = 0; s < samples; s++)
      coverage.sample[s] = (ints_negative(outside[s]) ^ 0xffff) & lanes;
   return coverage;
}

TBR_INLINE struct coverage
whole_coverage(unsigned samples, uint32_t lanes)
{
   struct coverage coverage;
   for (unsigned s = 0; s < samples; s++)
      coverage.sample[s] = lanes;
   return coverage;
}

/* What becomes of a covered block: tests, then the visibility buffer or the queue.
 * Returns whether anything was left of it. */
TBR_INLINE bool
draw_coverage(struct tbr_tile_thread *thread, uint32_t primitive_index, uint32_t block_x, uint32_t block_y,
              struct coverage coverage, unsigned samples)
{
   const struct tbr_draw_plan *plan = &thread->plan;
   const struct tbr_tile_primitive *primitive = &thread->primitives[primitive_index];
   uint32_t covered = 0, any = 0;
   const struct coverage before = coverage;
   assert(block_x < thread->blocks_x && block_y * thread->blocks_x < thread->num_blocks);
   for (unsigned s = 0; s < samples; s++) {
      const float *offset = samples > 1 ? plan->sample_offset[s] : no_offset;
      uint32_t mask = coverage.sample[s];
      covered |= mask;
      if (samples > 1 && !(plan->state->sample_mask >> s & 1))
         mask = 0;
      if (mask && plan->early) {
         mask = test_block(thread, primitive, block_x, block_y, s, offset, mask);
         if (plan->state->occlusion_counter)
            thread->occlusion[plan->state->occlusion_counter] += util_bitcount(mask);
      } else if (mask && plan->reject_early) {
         mask = reject_block(thread, primitive, block_x, block_y, s, offset, mask);
      }
      assert(!(mask & ~covered));
      coverage.sample[s] = mask;
      any |= mask;
   }
   if (unlikely(thread->dump))
      tbr_tile_dump_block(thread, block_x, block_y, covered, any);
   const uint32_t block = block_y * thread->blocks_x + block_x;
   if (unlikely(thread->pass->keep_hidden))
      tbr_hidden_record_unshaded(thread, primitive_index, block, covered, any);
   if (!any || !plan->shade)
      return false;
   if (plan->record) {
      for (unsigned s = 0; s < samples; s++) {
         int32_t *place = (int32_t *)thread->visibility + s * TBR_TILE_MAX_PIXELS + block * 16;
         if (coverage.sample[s])
            ints_store_masked(place, coverage.sample[s], ints_all(primitive_index + 1));
      }
      if (likely(!thread->pass->keep_hidden))
         return true;
   }
   if (samples > 1)
      queue_samples(thread, primitive_index, block, coverage, covered, &before);
   else
      queue_block(thread, primitive_index, block, coverage.sample[0], covered);
   return true;
}

static __attribute__((noinline)) bool
draw_samples(struct tbr_tile_thread *thread, uint32_t primitive, uint32_t block_x, uint32_t block_y,
             struct coverage coverage)
{
   return draw_coverage(thread, primitive, block_x, block_y, coverage, TBR_MAX_SAMPLES);
}

static bool
draw_pixels(struct tbr_tile_thread *thread, uint32_t primitive, uint32_t block_x, uint32_t block_y,
            uint32_t mask)
{
   return draw_coverage(thread, primitive, block_x, block_y, (struct coverage){{mask}}, 1);
}

TBR_INLINE bool
draw_block(struct tbr_tile_thread *thread, uint32_t primitive, uint32_t block_x, uint32_t block_y,
           struct coverage coverage, unsigned samples)
{
   if (samples > 1)
      return draw_samples(thread, primitive, block_x, block_y, coverage);
   return coverage.sample[0] && draw_pixels(thread, primitive, block_x, block_y, coverage.sample[0]);
}

/* Blocks of the box without looking at groups of blocks first: few of them. */
TBR_INLINE bool
rasterize_few(struct tbr_tile_thread *thread, uint32_t primitive, const struct pixel_box *box,
              const struct edge *edges, int num_edges, unsigned samples)
{
   bool used = false;
   for (int32_t y = box->y0 & ~3; y < box->y1; y += 4) {
      for (int32_t x = box->x0 & ~3; x < box->x1; x += 4) {
         const struct coverage coverage =
            block_coverage(edges, num_edges, samples, x, y, box_mask(box, x, y));
         used |= draw_block(thread, primitive, x / 4, y / 4, coverage, samples);
      }
   }
   return used;
}

/* Sixteen blocks at once: those outside an edge, and those that one crosses. */
TBR_INLINE bool
rasterize_groups(struct tbr_tile_thread *thread, uint32_t primitive, const struct pixel_box *box,
                 const struct edge *edges, int num_edges, unsigned samples)
{
   bool used = false;
   const struct pixel_box block_box = {box->x0 / 4, box->y0 / 4, (box->x1 + 3) / 4, (box->y1 + 3) / 4};
   for (int32_t group_y = block_box.y0 & ~3; group_y < block_box.y1; group_y += 4) {
      for (int32_t group_x = block_box.x0 & ~3; group_x < block_box.x1; group_x += 4) {
         ints outside = {}, crossed = {};
         for (int n = 0; n < num_edges; n++) {
            const int32_t first = edges[n].origin + edges[n].a * (group_x * 4) + edges[n].b * (group_y * 4);
            const ints corner = ints_add(ints_shift_left(edges[n].pixels, 2), ints_all(first));
            outside = ints_or(outside, ints_add(corner, ints_all(edges[n].block_high)));
            crossed = ints_or(crossed, ints_add(corner, ints_all(edges[n].block_low)));
         }
         uint32_t blocks = box_mask(&block_box, group_x, group_y) & ~ints_negative(outside);
         const uint32_t partial = ints_negative(crossed);
         /* u_foreach_bit's ffs() tests for zero once more; here that is one instruction in a thousand. */
         for (; blocks; blocks &= blocks - 1) {
            const unsigned lane = __builtin_ctz(blocks);
            const int32_t block_x = group_x + tbr_lane_x[lane], block_y = group_y + tbr_lane_y[lane];
            const uint32_t lanes = box_mask(box, block_x * 4, block_y * 4);
            const struct coverage coverage =
               partial >> lane & 1
                  ? block_coverage(edges, num_edges, samples, block_x * 4, block_y * 4, lanes)
                  : whole_coverage(samples, lanes);
            used |= draw_block(thread, primitive, block_x, block_y, coverage, samples);
         }
      }
   }
   return used;
}

/* The number of the run of primitives of one draw that a new primitive continues
 * or begins. */
TBR_INLINE uint32_t
find_run(const struct tbr_tile_thread *thread)
{
   return thread->num_runs && thread->run_draw == thread->plan.draw ? thread->num_runs - 1 : thread->num_runs;
}

/* The run has a primitive that is kept. */
TBR_INLINE void
keep_run(struct tbr_tile_thread *thread, uint32_t run)
{
   if (run < thread->num_runs)
      return;
   assert(run == thread->num_runs);
   if (run == thread->run_offsets_capacity)
      tbr_tile_grow_runs(thread);
   thread->num_runs = run + 1;
   thread->run_draw = thread->plan.draw;
}

/* Draws the primitive whose attributes begin at `position`. */
TBR_INLINE void
rasterize_primitive_as(struct tbr_tile_thread *thread, const struct cm_pb_attribute_block *position,
                       uint32_t first_block, uint32_t num_attributes, unsigned samples)
{
   const struct tbr_draw_plan *plan = &thread->plan;
   struct snapped_vertices vertices;
   snap_vertices(&vertices, position);
   const int64_t area = signed_area(&vertices);
   struct pixel_box box;
   struct edge edges[4];
   if (area == 0 || !setup_box(thread, &vertices, samples, &box))
      return;
   assert(box.x0 >= 0 && box.x0 < box.x1 && box.x1 <= thread->width);
   assert(box.y0 >= 0 && box.y0 < box.y1 && box.y1 <= thread->height);
   const int num_edges = setup_edges(thread, &vertices, area > 0, &box, samples, edges);
   if (num_edges < 0)
      return;

   if (thread->num_primitives == thread->primitives_capacity)
      tbr_tile_grow_primitives(thread);
   const uint32_t index = thread->num_primitives++;
   struct tbr_tile_primitive *primitive = &thread->primitives[index];
   primitive->attributes = position;
   primitive->planes = NULL;
   primitive->reference_x = vertices.v[0].x * (1.0f / SUBPIXELS);
   primitive->reference_y = vertices.v[0].y * (1.0f / SUBPIXELS);
   primitive->first_block = first_block;
   primitive->draw = plan->draw;
   primitive->run = find_run(thread);
   primitive->num_inputs = num_attributes - 1;
   primitive->front_facing = position->flags & TBR_PRIMITIVE_FRONT_FACING ? ~0u : 0;
   primitive->gradient = setup_gradient(&vertices, area);
   primitive->depth = setup_depth_plane(thread, plan->state, position, &primitive->gradient);

   const int32_t blocks_x = ((box.x1 + 3) >> 2) - (box.x0 >> 2),
                 blocks_y = ((box.y1 + 3) >> 2) - (box.y0 >> 2);
   const bool used = blocks_x * blocks_y <= 4
                        ? rasterize_few(thread, index, &box, edges, num_edges, samples)
                        : rasterize_groups(thread, index, &box, edges, num_edges, samples);
   /* The index of a primitive without fragments is reused for the next. */
   assert(index + 1 == thread->num_primitives);
   if (!used) {
      thread->num_primitives--;
      return;
   }
   keep_run(thread, thread->primitives[index].run);
   if (plan->record)
      thread->has_visible = true;
}

static void
rasterize_primitive(struct tbr_tile_thread *thread, const struct cm_pb_attribute_block *position,
                    uint32_t first_block, uint32_t num_attributes)
{
   rasterize_primitive_as(thread, position, first_block, num_attributes, 1);
}

static void
rasterize_multisampled(struct tbr_tile_thread *thread, const struct cm_pb_attribute_block *position,
                       uint32_t first_block, uint32_t num_attributes)
{
   rasterize_primitive_as(thread, position, first_block, num_attributes, TBR_MAX_SAMPLES);
}
