/* SPDX-License-Identifier: MIT */
/* The immediate-mode pipeline from primitives on: regions and their HiZ, blocks of 4x4 pixels and their early tests,
 * their shaders and textures, colours. Items wait for a cache's reply in an in-order queue, while accesses of later
 * items are outstanding. */
#include <assert.h>

#include "timing/immediate/immediate.h"

/* Accounts the cycles of a stage before an item: until its arrival the stage was starved or waited for memory, then
 * for space in the output queue. */
static void
account_waits(struct cm_stage *stage, uint64_t arrived, enum cm_stage_state before, uint64_t room,
              enum cm_stage_state behind)
{
   cm_stage_account(stage, before, arrived);
   cm_stage_account(stage, behind, room);
}

/* Whether an item's data is known to arrive before `now`. If so, *reason is what it waited for since its lookup, and
 * *cycle when it continues: after the item before it. */
static bool
has_arrived(struct cm_immediate_timing *timing, struct cm_lookups *lookups, uint64_t *cycle,
            enum cm_stage_state *reason)
{
   if (cm_flight_is_empty(&lookups->flight))
      return false;
   struct cm_dependency *wait = cm_flight_oldest(&lookups->flight);
   if (!cm_dependency_is_known(&timing->memory.base, wait))
      return false;
   *reason = wait->time > lookups->out ? CM_STAGE_MEMORY : CM_STAGE_BLOCKED;
   *cycle = cm_later(wait->time, lookups->out);
   return *cycle < timing->now;
}

/* ---- regions ------------------------------------------------------------- */

static void
take_primitive(struct cm_immediate_timing *timing, uint64_t entered)
{
   const struct cm_logged_primitive *primitive = &timing->log.primitives.items[timing->primitive];
   cm_immediate_serve(timing, &timing->hierarchical, primitive->draw, 0, CM_NO_ITEM);
   cm_stage_account(&timing->hierarchical, CM_STAGE_STARVED, entered);
   cm_queue_pop(&timing->triangles, entered, timing->hierarchical.until);
   if (!primitive->num_regions) {
      cm_stage_go_on(&timing->hierarchical, 1);
      timing->primitive++;
   }
}

bool
cm_immediate_look_up_region(struct cm_immediate_timing *timing)
{
   const bool is_new = !timing->primitive_region;
   if (timing->hierarchical.until >= timing->now ||
       (is_new && timing->triangles.popped == timing->triangles.entered))
      return false;
   if (is_new) {
      const uint64_t entered = timing->triangle_entered[timing->triangles.popped % timing->triangles.size];
      if (entered >= timing->now)
         return false;
      if (!timing->log.primitives.items[timing->primitive].num_regions) {
         take_primitive(timing, entered);
         return true;
      }
   }
   if (!cm_queue_room_known(&timing->hiz.flight.queue) ||
       cm_queue_room(&timing->hiz.flight.queue) >= timing->now)
      return false;
   if (is_new)
      take_primitive(timing, timing->triangle_entered[timing->triangles.popped % timing->triangles.size]);
   const struct cm_logged_region *region = &timing->log.regions.items[timing->region++];
   cm_immediate_serve(timing, &timing->hierarchical, region->draw, 0, region->tile);
   account_waits(&timing->hierarchical, 0, CM_STAGE_STARVED, cm_queue_room(&timing->hiz.flight.queue),
                 timing->hiz.reason);
   const uint64_t begin = timing->hierarchical.until;
   struct cm_dependency *wait = cm_flight_push(&timing->hiz.flight, begin);
   wait->time = begin + 1;
   cm_stage_go_on(&timing->hierarchical, 1);
   cm_immediate_access(timing, region->begin, region->hiz_end, begin, wait);
   cm_immediate_report(timing, CM_REPORT_HIERARCHICAL_Z, region->draw, begin, timing->hierarchical.until);
   if (++timing->primitive_region == timing->log.primitives.items[timing->primitive].num_regions) {
      timing->primitive++;
      timing->primitive_region = 0;
   }
   return true;
}

/* ---- blocks -------------------------------------------------------------- */

/* Rasterises a region's next block, and requests the depth and stencil of its early tests. */
static void
look_up_depth(struct cm_immediate_timing *timing, const struct cm_logged_region *region, uint64_t begin)
{
   const struct cm_logged_block *block = &timing->log.blocks.items[timing->block++];
   const uint32_t tests = timing->raster_block++ ? block[-1].end : region->hiz_end;
   cm_immediate_serve(timing, &timing->rasterizer, region->draw, 0, region->tile);
   cm_immediate_serve(timing, &timing->early_z, region->draw, 0, region->tile);
   account_waits(&timing->rasterizer, begin, CM_STAGE_STARVED, cm_queue_room(&timing->depth.flight.queue),
                 CM_STAGE_BLOCKED);
   const uint64_t rasterizes = timing->rasterizer.until;
   const uint64_t out = cm_stage_go_on(&timing->rasterizer, timing->pipeline->rasterizer_cycles);
   account_waits(&timing->early_z, out - 1, CM_STAGE_STARVED, cm_queue_room(&timing->depth.flight.queue),
                 timing->depth.reason);
   const uint64_t enters = timing->early_z.until;
   struct cm_dependency *wait = cm_flight_push(&timing->depth.flight, enters);
   const uint64_t done = cm_immediate_access(timing, tests, block->tests_end, enters, wait);
   cm_stage_account(&timing->early_z, CM_STAGE_BUSY, cm_later(done, enters + 1));
   wait->time = cm_later(wait->time, timing->early_z.until);
   cm_immediate_report(timing, CM_REPORT_RASTERIZER, region->draw, rasterizes, out);
   cm_immediate_report(timing, CM_REPORT_EARLY_Z, region->draw, enters, timing->early_z.until);
   /* The Rasterizer does not run ahead of the tests. */
   cm_stage_account(&timing->rasterizer, CM_STAGE_BLOCKED, timing->early_z.until);
}

bool
cm_immediate_rasterize(struct cm_immediate_timing *timing)
{
   if (timing->rasterizer.until >= timing->now)
      return false;
   if (!timing->raster_block) {
      enum cm_stage_state reason;
      if (!has_arrived(timing, &timing->hiz, &timing->region_out, &reason))
         return false;
      timing->hiz.reason = reason;
   }
   const struct cm_logged_region *region = &timing->log.regions.items[timing->raster_region];
   const bool has_block = timing->raster_block < region->num_blocks;
   if (has_block && (!cm_queue_room_known(&timing->depth.flight.queue) ||
                     cm_queue_room(&timing->depth.flight.queue) >= timing->now))
      return false;
   if (!timing->raster_block) {
      const uint64_t begin = cm_later(timing->region_out, timing->rasterizer.until);
      cm_immediate_serve(timing, &timing->rasterizer, region->draw, 0, region->tile);
      if (has_block)
         cm_stage_account(&timing->rasterizer,
                          timing->hiz.reason == CM_STAGE_MEMORY ? CM_STAGE_MEMORY : CM_STAGE_STARVED, begin);
      cm_lookups_pop(&timing->hiz, has_block ? begin : timing->region_out, timing->hiz.reason);
   }
   if (has_block)
      look_up_depth(timing, region, timing->region_out);
   if (timing->raster_block == region->num_blocks) {
      timing->raster_region++;
      timing->raster_block = 0;
   }
   return true;
}

/* When a block releases its context; CM_UNKNOWN. It must be shaded, and have room in the colour queue, which is in
 * order. */
static uint64_t
release_context(struct cm_immediate_timing *timing, uint64_t number)
{
   struct cm_running_block *running = &timing->running[number & timing->running_mask];
   const uint32_t room = timing->pipeline->color_queue;
   if (running->released != CM_UNKNOWN)
      return running->released;
   if (!cm_dependency_is_known(&timing->memory.base, &running->wait) || number >= timing->blended + room)
      return CM_UNKNOWN;
   const uint64_t data = running->wait.time ? running->wait.time + running->tail : 0;
   assert(running->context->item == number);
   running->released = cm_context_release(running->context, running->issued, data,
                                          cm_queue_room_of(&timing->colors, number), running->wait.waits_for);
   return running->released;
}

/* Runs a block's shader. Texture reads and accesses to storage are spread evenly among the instructions; those after the last read need the
 * data. */
static void
run(struct cm_immediate_timing *timing, const struct cm_logged_block *block, struct cm_running_block *running)
{
   struct cm_fragment_processor *processor = &timing->processors[block->processor];
   const cm_entry *token = cm_logged_token(timing, block->tests_end);
   const cm_entry *end = cm_logged_token(timing, block->shade_end);
   const uint32_t piece = block->instructions / (block->footprints + 1);
   uint64_t begin = running->dispatched, at = 0;
   cm_dependency_begin(&running->wait, 0);
   running->tail = block->footprints ? block->instructions - block->footprints * piece : 0;
   bool has_begun = false;
   while (token < end) {
      if (cm_entry_kind(*token) != CM_ENTRY_GROUP) {
         /* The fetch of its shader, for which all else waits. */
         const cm_entry *next = token;
         while (next < end && cm_entry_kind(*next) != CM_ENTRY_GROUP)
            next++;
         struct cm_dependency program = {.time = begin};
         cm_immediate_memory_run(&timing->memory, token, next, begin, &program);
         const uint64_t there = cm_dependency_resolve(&timing->memory.base, &program);
         begin = has_begun ? begin : there;
         token = next;
         continue;
      }
      const cm_entry *next = cm_immediate_memory_group_end(token, end);
      if (!has_begun)
         at = begin = cm_later(begin, processor->stage->until);
      has_begun = true;
      at += piece;
      cm_immediate_memory_group(&timing->memory, block->processor, token, next, at, &running->wait);
      token = next;
   }
   begin = cm_later(begin, processor->stage->until);
   cm_stage_account(processor->stage, CM_STAGE_MEMORY, begin);
   running->issued = cm_later(cm_processor_issue(timing, processor, begin, 4ull * block->instructions),
                              begin + block->instructions);
}

/* Whether it is known when the units of a block, the next to dispatch, have MSHRs for all its misses. */
static bool
has_mshrs(struct cm_immediate_timing *timing, const struct cm_logged_block *block)
{
   if (!timing->misses_counted)
      timing->tested_misses =
         cm_immediate_memory_count_misses(&timing->memory, cm_logged_token(timing, block->tests_end),
                                          cm_logged_token(timing, block->shade_end));
   timing->misses_counted = true;
   return cm_immediate_memory_has_mshrs(&timing->memory, block->processor, timing->tested_misses);
}

/* The region of the block that leaves the tests next. */
static const struct cm_logged_region *
tested_region(struct cm_immediate_timing *timing)
{
   while (!timing->log.regions.items[timing->test_region].num_blocks)
      timing->test_region++;
   return &timing->log.regions.items[timing->test_region];
}

/* Dispatches the oldest block that passed its tests; false where no context is free yet. */
static bool
dispatch(struct cm_immediate_timing *timing, const struct cm_logged_block *block, uint64_t arrived)
{
   struct cm_fragment_processor *processor = &timing->processors[block->processor];
   const uint32_t contexts = timing->pipeline->fragment_contexts;
   struct cm_context *context = &processor->contexts[processor->count % contexts];
   const uint64_t unhindered = cm_later(arrived, timing->dispatch + 1);
   const bool had_block = processor->count >= contexts;
   /* Not released: not blended, so the block is still in the ring. */
   const uint64_t is_free = !had_block                        ? 0
                            : context->released != CM_UNKNOWN ? context->released
                                                              : release_context(timing, context->item);
   if (cm_later(unhindered, is_free) >= timing->now ||
       timing->dispatched - timing->finished > timing->running_mask || !has_mshrs(timing, block))
      return false;
   timing->misses_counted = false;
   timing->dispatch = cm_later(unhindered, is_free);
   const struct cm_logged_region *region = tested_region(timing);
   cm_immediate_serve(timing, processor->stage, region->draw, 0, region->tile);
   cm_stage_account(processor->stage, CM_STAGE_STARVED, unhindered);
   cm_context_wait(context, processor->stage, timing->dispatch);
   cm_immediate_serve(timing, processor->stage, region->draw, 0, region->tile);
   *context = (struct cm_context){
      .item = timing->dispatched,
      .released = CM_UNKNOWN,
      .pass = timing->base.last_pass,
      .draw = region->draw,
      .tile = region->tile,
   };
   processor->count++;
   struct cm_running_block *running = &timing->running[timing->dispatched & timing->running_mask];
   *running = (struct cm_running_block){
      .block = timing->tested,
      .dispatched = timing->dispatch,
      .released = CM_UNKNOWN,
      .draw = region->draw,
      .tile = region->tile,
      .context = context,
   };
   timing->dispatched++;
   cm_queue_push(&timing->colors);
   run(timing, block, running);
   return true;
}

/* A block has left the tests. With the last one of its region HiZ is written, if it is. */
static void
end_test(struct cm_immediate_timing *timing, uint64_t cycle)
{
   timing->tested++;
   const struct cm_logged_region *region = tested_region(timing);
   if (++timing->test_block < region->num_blocks)
      return;
   timing->test_region++;
   timing->test_block = 0;
   struct cm_dependency unused = {0};
   cm_immediate_access(timing, region->update_begin, region->end, cycle, &unused);
}

bool
cm_immediate_test(struct cm_immediate_timing *timing)
{
   uint64_t out;
   enum cm_stage_state reason;
   if (!has_arrived(timing, &timing->depth, &out, &reason))
      return false;
   const struct cm_logged_block *block = &timing->log.blocks.items[timing->tested];
   if (block->goes_on) {
      if (!dispatch(timing, block, out))
         return false;
      /* A block leaves the tests' queue when a context is free. */
      if (timing->dispatch > out)
         reason = CM_STAGE_BLOCKED;
      out = cm_later(out, timing->dispatch);
   }
   cm_lookups_pop(&timing->depth, out, reason);
   timing->end = cm_later(timing->end, out);
   end_test(timing, out);
   return true;
}

/* ---- colours ------------------------------------------------------------- */

bool
cm_immediate_look_up_colors(struct cm_immediate_timing *timing)
{
   if (timing->blended == timing->dispatched || timing->blending.until >= timing->now ||
       !cm_queue_room_known(&timing->color.flight.queue))
      return false;
   const uint64_t released = release_context(timing, timing->blended);
   const uint64_t room = cm_queue_room(&timing->color.flight.queue);
   if (released >= timing->now || room >= timing->now)
      return false;
   struct cm_running_block *running = &timing->running[timing->blended & timing->running_mask];
   cm_immediate_serve(timing, &timing->blending, running->draw, 0, running->tile);
   account_waits(&timing->blending, released, CM_STAGE_STARVED, room, timing->color.reason);
   const uint64_t begin = timing->blending.until;
   const struct cm_logged_block *block = &timing->log.blocks.items[running->block];
   struct cm_dependency *wait = cm_flight_push(&timing->color.flight, begin);
   const uint64_t done = cm_immediate_access(timing, block->shade_end, block->end, begin, wait);
   cm_stage_account(&timing->blending, CM_STAGE_BUSY, cm_later(done, begin + 1));
   wait->time = cm_later(wait->time, timing->blending.until);
   cm_immediate_report(timing, CM_REPORT_FRAGMENTS, running->draw, running->dispatched, released);
   cm_immediate_report(timing, CM_REPORT_BLENDING, running->draw, begin, timing->blending.until);
   cm_queue_pop(&timing->colors, running->dispatched, begin);
   timing->blended++;
   return true;
}

bool
cm_immediate_blend(struct cm_immediate_timing *timing)
{
   uint64_t out;
   enum cm_stage_state reason;
   if (!has_arrived(timing, &timing->color, &out, &reason))
      return false;
   cm_lookups_pop(&timing->color, out, reason);
   timing->finished++;
   timing->end = cm_later(timing->end, out);
   return true;
}

void
cm_immediate_transfer(struct cm_immediate_timing *timing, uint32_t begin, uint32_t end)
{
   struct cm_stage *stage = &timing->blending;
   const cm_entry *token = cm_logged_token(timing, begin), *last = cm_logged_token(timing, end);
   struct cm_dependency wait = {.time = timing->barrier};
   cm_immediate_serve(timing, stage, CM_NO_ITEM, 0, CM_NO_ITEM);
   cm_stage_account(stage, CM_STAGE_STARVED, timing->barrier);
   while (token < last) {
      const cm_entry *next = token + 1;
      while (next < last && !cm_immediate_memory_begins_access(&timing->memory, *token, *next))
         next++;
      cm_stage_account(stage, CM_STAGE_MEMORY, timing->memory.stalled);
      const uint64_t done = cm_immediate_memory_run(&timing->memory, token, next, stage->until, &wait);
      cm_stage_account(stage, CM_STAGE_BUSY, cm_later(done, stage->until + 1));
      token = next;
   }
   timing->end = cm_later(timing->end, stage->until);
   cm_stage_account(stage, CM_STAGE_MEMORY, cm_dependency_resolve(&timing->memory.base, &wait));
   timing->end = cm_later(timing->end, stage->until);
}
