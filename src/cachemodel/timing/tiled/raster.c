/* SPDX-License-Identifier: MIT */
/* The Raster Pipeline: Rasterizer, Early Z-Test, Fragment Processors, Blending Unit; quad by quad, in the order in
 * which they are shaded. A quad keeps a context of its Fragment Processor until it is in the queue before the
 * Blending Unit; blending is in order. */
#include <assert.h>

#include "timing/tiled/tiled.h"

void
cm_raster_timing_init(struct cm_tiled_timing *timing)
{
   struct cm_raster_timing *raster = &timing->raster;
   struct cm_pool *pool = &timing->base.pool;
   const struct cm_pipeline_config *pipeline = timing->pipeline;
   const uint32_t processors = timing->base.config->fragment_stage.processors;
   const uint32_t contexts = processors * pipeline->fragment_contexts;
   uint32_t capacity = 1;
   while (capacity < 2 * contexts || capacity < 2 * pipeline->color_queue)
      capacity *= 2;
   raster->flying_mask = capacity - 1;
   raster->flying = cm_pool_take(pool, capacity, sizeof *raster->flying);
   raster->next_context = cm_pool_take(pool, processors, sizeof *raster->next_context);
   raster->contexts = cm_pool_take(pool, contexts, sizeof *raster->contexts);
   for (uint32_t c = 0; raster->contexts && c < contexts; c++)
      raster->contexts[c].item = CM_UNKNOWN;
   for (uint32_t p = 0; raster->contexts && raster->next_context && p < processors; p++)
      raster->next_context[p] = raster->contexts + p * pipeline->fragment_contexts;
   cm_queue_init(&raster->z_queue, pipeline->fragment_queue, pool);
   cm_queue_init(&raster->z_flight, pipeline->early_z_quads, pool);
   cm_queue_init(&raster->fragments, pipeline->fragment_queue, pool);
   cm_queue_init(&raster->colors, pipeline->color_queue, pool);
}

/* ---- after the Fragment Processors --------------------------------------- */

/* A quad releases its context when it is shaded and the Blending Unit's queue, which is in order, has room. */
static inline __attribute__((always_inline)) void
release_context(struct cm_tiled_timing *timing, uint64_t quad)
{
   struct cm_raster_timing *raster = &timing->raster;
   struct cm_flying_quad *flying = &raster->flying[quad & raster->flying_mask];
   if (flying->released != CM_UNKNOWN)
      return;
   assert(flying->context->item == quad);
   const uint64_t data = cm_dependency_resolve(&timing->memory.base, &flying->wait) + flying->tail;
   flying->released = cm_context_release(flying->context, flying->issued, data,
                                         cm_queue_room_of(&raster->colors, quad), flying->wait.waits_for);
}

static inline __attribute__((always_inline)) void
blend(struct cm_tiled_timing *timing, uint64_t quads)
{
   struct cm_raster_timing *raster = &timing->raster;
   for (; raster->blended < quads; raster->blended++) {
      release_context(timing, raster->blended);
      struct cm_flying_quad *flying = &raster->flying[raster->blended & raster->flying_mask];
      struct cm_work *work = flying->work;
      cm_work_serve(work, &raster->blend, flying->draw);
      cm_stage_account(&raster->blend, CM_STAGE_STARVED, flying->released);
      cm_stage_account(&raster->blend, CM_STAGE_MEMORY, work->loaded);
      const uint64_t begin = raster->blend.until;
      cm_stage_work(&raster->blend, CM_STAGE_STARVED, begin, timing->pipeline->blend_cycles);
      cm_queue_push(&raster->colors);
      cm_queue_pop(&raster->colors, flying->released, begin);
      if (work->blend_begin == CM_UNKNOWN)
         work->blend_begin = begin;
      work->shaded = raster->blend.until;
   }
}

void
cm_raster_timing_blend(struct cm_tiled_timing *timing, uint64_t quads)
{
   blend(timing, quads);
}

static inline bool
is_settled(struct cm_tiled_timing *timing, uint64_t quads)
{
   struct cm_raster_timing *raster = &timing->raster;
   uint64_t settled = raster->settled;
   while (settled < raster->quads && !raster->flying[settled & raster->flying_mask].pending)
      settled++;
   raster->settled = settled;
   return settled >= quads;
}

bool
cm_raster_timing_is_settled(struct cm_tiled_timing *timing, uint64_t quads)
{
   return is_settled(timing, quads);
}

/* Whether it is known when a context is free: the reads of the quad that has it are done, and those of quads that
 * have to be blended before it can release the context. */
static inline bool
is_context_known(struct cm_tiled_timing *timing, uint32_t processor)
{
   struct cm_raster_timing *raster = &timing->raster;
   const struct cm_context *context = raster->next_context[processor];
   const uint64_t capacity = raster->flying_mask + 1;
   if (raster->quads - raster->blended == capacity && !is_settled(timing, raster->blended + 1))
      return false;
   if (context->item == CM_UNKNOWN || context->released != CM_UNKNOWN)
      return true;
   return !raster->flying[context->item & raster->flying_mask].pending &&
          (context->item < raster->colors.size ||
           is_settled(timing, context->item - raster->colors.size + 1));
}

/* When a context is free. If its quad's release is unknown, the quad is still in the ring: it is not blended. */
static inline __attribute__((always_inline)) uint64_t
context_is_free(struct cm_tiled_timing *timing, struct cm_context *context)
{
   struct cm_raster_timing *raster = &timing->raster;
   if (context->item == CM_UNKNOWN)
      return 0;
   if (context->released == CM_UNKNOWN) {
      if (context->item >= raster->colors.size)
         blend(timing, context->item - raster->colors.size + 1);
      release_context(timing, context->item);
   }
   return context->released;
}

/* ---- Fragment Processors ------------------------------------------------- */

/* Runs a quad on a processor, from its dispatch on. Texture reads are spread evenly among the instructions; those
 * after the last read need the data. unhindered: the cycle of its dispatch if a context had been free. */
static inline __attribute__((always_inline)) void
run(struct cm_tiled_timing *timing, const struct cm_logged_quad *quad, uint64_t unhindered,
    const cm_entry *token, const cm_entry *end, struct cm_flying_quad *flying)
{
   struct cm_raster_timing *raster = &timing->raster;
   struct cm_stage *processor = &timing->base.processors[quad->processor];
   uint64_t begin = raster->dispatch;
   cm_work_serve(flying->work, processor, quad->draw);
   cm_stage_account(processor, CM_STAGE_STARVED, unhindered);
   if (raster->dispatch > processor->until) {
      cm_context_wait(flying->context, processor, raster->dispatch);
      cm_work_serve(flying->work, processor, quad->draw);
   }
   while (token < end && cm_entry_stream(*token) != CM_STREAM_TEXTURE &&
          cm_entry_stream(*token) != CM_STREAM_STORAGE) {
      const cm_entry *next = cm_group_end(token, end);
      struct cm_dependency program;
      cm_dependency_begin(&program, cm_later(begin, processor->until));
      cm_tiled_memory_fetch_shader(&timing->memory, token, next, program.time, &program);
      begin = cm_dependency_resolve(&timing->memory.base, &program);
      cm_stage_account(processor, CM_STAGE_MEMORY, begin);
      token = next;
   }
   begin = cm_later(begin, processor->until);
   flying->work->dispatch_end = flying->issued =
      cm_stage_work(processor, CM_STAGE_STARVED, begin, quad->instructions);
   cm_dependency_begin(&flying->wait, 0);
   flying->tail = 0;
   flying->pending = false;
   if (!quad->footprints)
      return;
   /* Most quads have one footprint. */
   const uint32_t piece =
      quad->footprints == 1 ? quad->instructions / 2 : quad->instructions / (quad->footprints + 1);
   flying->tail = quad->instructions - quad->footprints * piece;
   cm_texture_timing_quad(&timing->texture, quad->processor, token, end, begin + piece, piece, &flying->wait,
                          &flying->pending);
}

/* Reads of quads in flight must be resolved while their tickets are valid. */
static inline __attribute__((always_inline)) void
resolve_old_reads(struct cm_tiled_timing *timing)
{
   struct cm_raster_timing *raster = &timing->raster;
   if (raster->quads - raster->blended == raster->flying_mask + 1)
      blend(timing, raster->blended + 1);
   else if (raster->blended < raster->quads &&
            timing->memory.base.last_ticket -
                  raster->flying[raster->blended & raster->flying_mask].submitted >
               CM_DRAM_TICKETS / 2)
      blend(timing, raster->settled);
}

/* The context of a processor's next quad, which takes it. */
static inline struct cm_context *
take_context(struct cm_tiled_timing *timing, uint32_t processor)
{
   struct cm_raster_timing *raster = &timing->raster;
   const uint32_t contexts = timing->pipeline->fragment_contexts;
   struct cm_context *context = raster->next_context[processor],
                     *first = raster->contexts + processor * contexts;
   raster->next_context[processor] = context + 1 == first + contexts ? first : context + 1;
   return context;
}

/* Dispatches a quad that passed the Early Z-Test. */
static inline __attribute__((always_inline)) void
dispatch(struct cm_tiled_timing *timing, const struct cm_logged_quad *quad, uint64_t arrived,
         const cm_entry *token, const cm_entry *end)
{
   struct cm_raster_timing *raster = &timing->raster;
   struct cm_work *work = raster->work;
   struct cm_context *context = take_context(timing, quad->processor);
   resolve_old_reads(timing);
   const uint64_t is_free = context_is_free(timing, context);
   const uint64_t unhindered = cm_later(arrived, raster->dispatch + 1);
   raster->dispatch = cm_later(unhindered, is_free);
   cm_queue_pop(&raster->fragments, arrived, raster->dispatch);
   if (work->dispatch_begin == CM_UNKNOWN)
      work->dispatch_begin = raster->dispatch;
   struct cm_flying_quad *flying = &raster->flying[raster->quads & raster->flying_mask];
   flying->context = context;
   flying->released = CM_UNKNOWN;
   flying->work = work;
   flying->draw = quad->draw;
   flying->submitted = timing->memory.base.last_ticket;
   run(timing, quad, unhindered, token, end, flying);
   *context = (struct cm_context){
      .item = raster->quads++,
      .released = CM_UNKNOWN,
      .pass = work->pass,
      .draw = quad->draw,
      .tile = work->tile,
   };
}

/* ---- Rasterizer and Early Z-Test ----------------------------------------- */

/* A quad leaves the Rasterizer and goes through the Early Z-Test; returns when it is done. */
static inline __attribute__((always_inline)) uint64_t
test_depth(struct cm_tiled_timing *timing, const struct cm_logged_quad *quad, uint64_t rasterized)
{
   struct cm_raster_timing *raster = &timing->raster;
   const uint64_t enters = cm_later(rasterized, cm_queue_room(&raster->z_queue));
   cm_work_serve(raster->work, &raster->early_z, quad->draw);
   cm_stage_account(&raster->rasterizer, CM_STAGE_BLOCKED, enters);
   cm_queue_push(&raster->z_queue);
   cm_stage_account(&raster->early_z, CM_STAGE_STARVED, enters);
   cm_stage_account(&raster->early_z, CM_STAGE_BLOCKED, cm_queue_room(&raster->z_flight));
   const uint64_t begin = raster->early_z.until;
   cm_queue_pop(&raster->z_queue, enters, begin);
   cm_queue_push(&raster->z_flight);
   cm_stage_work(&raster->early_z, CM_STAGE_STARVED, begin, 1);
   uint64_t out = begin + timing->pipeline->early_z_latency;
   if (quad->shaded) {
      out = cm_later(out, cm_queue_room(&raster->fragments));
      cm_queue_push(&raster->fragments);
   }
   raster->z_time = out = cm_later(out, raster->z_time);
   cm_queue_pop(&raster->z_flight, begin, out);
   return out;
}

/* Without Hidden Surface Removal, the Rasterizer takes primitives from the Tile Fetcher's queue. */
static void
pop_primitive(struct cm_tiled_timing *timing)
{
   struct cm_raster_timing *raster = &timing->raster;
   cm_fetcher_timing_pass_on(timing, raster->work, raster->popped);
   const struct cm_logged_fetched *primitive = &raster->work->log.fetched.items[raster->popped++];
   cm_work_serve(raster->work, &raster->rasterizer, primitive->draw);
   cm_stage_account(&raster->rasterizer, CM_STAGE_STARVED, cm_later(primitive->ready, raster->barrier));
   cm_queue_pop(&timing->fetcher.tiles, primitive->ready, raster->rasterizer.until);
   cm_stage_work(&raster->rasterizer, CM_STAGE_STARVED, raster->rasterizer.until, 1);
}

/* Whether the next quad, or the tile's end, has to wait for a primitive to be popped. */
static bool
wants_primitive(const struct cm_tiled_timing *timing)
{
   const struct cm_raster_timing *raster = &timing->raster;
   const struct cm_work *work = raster->work;
   if (cm_tiled_timing_is_deferred(timing) || raster->popped == work->log.fetched.count)
      return false;
   return raster->next == work->log.quads.count ||
          work->log.fetched.items[raster->popped].index <= work->log.quads.items[raster->next].primitive;
}

/* Whether all flushes of the pass before are done, and when. */
static bool
find_barrier(struct cm_tiled_timing *timing, const struct cm_work *work)
{
   if (!work->begins)
      return true;
   timing->transfer.flush = cm_work_tile(timing->transfer.flush);
   if (timing->transfer.flush != work)
      return false;
   timing->raster.barrier = timing->transfer.stage.until;
   return true;
}

/* What the Rasterizer takes next. */
enum item { PRIMITIVE, QUAD, TILE_END };

static inline __attribute__((always_inline)) enum item
next_item(const struct cm_tiled_timing *timing)
{
   if (wants_primitive(timing))
      return PRIMITIVE;
   return timing->raster.next == timing->raster.work->log.quads.count ? TILE_END : QUAD;
}

/* Sets *item where there is a tile. */
static inline __attribute__((always_inline)) bool
is_ready(struct cm_tiled_timing *timing, uint64_t *clock, enum item *item)
{
   struct cm_raster_timing *raster = &timing->raster;
   *clock = raster->dispatch;
   raster->work = cm_work_tile(raster->work);
   struct cm_work *work = raster->work;
   if (!work)
      return false;
   if (!raster->next && !raster->popped) {
      if (work->loaded == CM_UNKNOWN || !find_barrier(timing, work) ||
          (cm_tiled_timing_is_deferred(timing) && work->hidden_end == CM_UNKNOWN) ||
          work->fetch_begin == CM_UNKNOWN)
         return false;
   }
   *item = next_item(timing);
   if (*item == PRIMITIVE)
      return cm_fetcher_timing_can_pass_on(timing, work, raster->popped, clock);
   *clock = cm_later(*clock, raster->next_check);
   const struct cm_logged_quad *quad = &work->log.quads.items[raster->next];
   return *item == TILE_END || !quad->shaded || is_context_known(timing, quad->processor);
}

bool
cm_raster_timing_ready(struct cm_tiled_timing *timing, uint64_t *clock)
{
   enum item item;
   return is_ready(timing, clock, &item);
}

static void
end_tile(struct cm_tiled_timing *timing)
{
   struct cm_raster_timing *raster = &timing->raster;
   struct cm_work *work = raster->work;
   assert(raster->next == work->log.quads.count);
   work->z_end = cm_later(raster->z_time, raster->rasterizer.until);
   timing->hidden.z_free[work->number & 1] = work->z_end;
   work->last_quad = raster->quads;
   work->is_shaded = true;
   raster->work = work->next;
   raster->next = raster->popped = 0;
}

static void
begin_tile(struct cm_tiled_timing *timing)
{
   struct cm_raster_timing *raster = &timing->raster;
   struct cm_work *work = raster->work;
   raster->token = work->log.marks[CM_LOG_FETCHED];
   cm_work_serve(work, &raster->rasterizer, CM_NO_ITEM);
   cm_stage_account(&raster->rasterizer, CM_STAGE_STARVED, raster->barrier);
   cm_stage_account(&raster->rasterizer, CM_STAGE_STARVED,
                    cm_tiled_timing_is_deferred(timing) ? work->hidden_end : work->fetch_begin);
   /* The depth test needs what was loaded. */
   if (work->log.marks[CM_LOG_LOADED])
      cm_stage_account(&raster->rasterizer, CM_STAGE_MEMORY, work->loaded);
   work->shade_begin = raster->rasterizer.until;
   work->shaded = cm_later(work->shade_begin, work->loaded);
}

/* Whether the next quad's context is held by a quad whose data has no known arrival; then it is checked again when
 * the other stages have reached next_check. */
static inline bool
has_to_wait(struct cm_tiled_timing *timing, uint32_t processor)
{
   struct cm_raster_timing *raster = &timing->raster;
   const struct cm_context *context = raster->next_context[processor];
   if (context->item == CM_UNKNOWN || context->released != CM_UNKNOWN)
      return false;
   struct cm_flying_quad *flying = &raster->flying[context->item & raster->flying_mask];
   if (!flying->wait.num_tickets)
      return false;
   const uint64_t now = cm_later(cm_later(raster->dispatch, raster->next_check), flying->wait.time);
   if (cm_dependency_is_known_at(&timing->memory.base, &flying->wait, now))
      return false;
   raster->next_check = now + CM_MEMORY_POLL_CYCLES;
   return true;
}

/* Tokens are prefetched this many ahead. */
#define TOKENS_AHEAD 48

static inline __attribute__((always_inline)) void
take_quad(struct cm_tiled_timing *timing, const struct cm_logged_quad *quad)
{
   struct cm_raster_timing *raster = &timing->raster;
   const cm_entry *tokens = raster->work->log.entries.items;
   const cm_entry *token = tokens + raster->token, *end = tokens + quad->tokens_end;
   raster->next++;
   raster->token = quad->tokens_end;
   /* They are in the cache of the consumer's core. */
   __builtin_prefetch(end + TOKENS_AHEAD);
   cm_work_serve(raster->work, &raster->rasterizer, quad->draw);
   const uint64_t rasterized = cm_stage_work(&raster->rasterizer, CM_STAGE_STARVED, raster->rasterizer.until,
                                             quad->attributes * timing->pipeline->rasterizer_cycles);
   const uint64_t out = test_depth(timing, quad, rasterized);
   if (quad->shaded)
      dispatch(timing, quad, out, token, end);
}

static inline __attribute__((always_inline)) void
step(struct cm_tiled_timing *timing, enum item item)
{
   struct cm_raster_timing *raster = &timing->raster;
   const struct cm_logged_quad *quad = raster->work->log.quads.items + raster->next;
   if (item == QUAD && has_to_wait(timing, quad->processor))
      return;
   if (!raster->next && !raster->popped)
      begin_tile(timing);
   switch (item) {
   case PRIMITIVE: pop_primitive(timing); break;
   case QUAD: take_quad(timing, quad); break;
   case TILE_END: end_tile(timing); break;
   }
}

void
cm_raster_timing_run(struct cm_tiled_timing *timing, uint32_t most, uint64_t until)
{
   uint64_t clock;
   enum item item = next_item(timing);
   do
      step(timing, item);
   while (--most && is_ready(timing, &clock, &item) && clock <= until);
}
