/* SPDX-License-Identifier: MIT */
/* The Raster Pipeline: Rasterizer, Early Z-Test, Fragment Processors, Blending Unit; quad by quad, in the order in
 * which they are shaded. A quad keeps a context of its Fragment Processor until it is in the queue before the
 * Blending Unit; blending is in order. Where processors have lanes of their own, the Rasterizer and each lane are as
 * far as they can be: the one with the least clock is next. */
#include <assert.h>

#include "timing/tiled/tiled.h"

/* processors: which share the lane. */
static void
init_lane(struct cm_lane *lane, const struct cm_pipeline_config *pipeline, uint32_t processors,
          struct cm_pool *pool)
{
   uint32_t capacity = 1;
   while (capacity < 2 * processors * pipeline->fragment_contexts || capacity < 2 * pipeline->color_queue)
      capacity *= 2;
   lane->flying_mask = capacity - 1;
   lane->flying = cm_pool_take(pool, capacity, sizeof *lane->flying);
   lane->tile = CM_UNKNOWN;
   cm_queue_init(&lane->z_queue, pipeline->fragment_queue, pool);
   cm_queue_init(&lane->z_flight, pipeline->early_z_quads, pool);
   cm_queue_init(&lane->fragments, pipeline->fragment_queue, pool);
   cm_queue_init(&lane->colors, pipeline->color_queue, pool);
   lane->waiting = cm_pool_take(pool, lane->z_queue.mask + 1, sizeof *lane->waiting);
}

/* A processor's contexts. Returns the first one. */
static struct cm_quad_context *
make_contexts(uint32_t count, struct cm_pool *pool)
{
   struct cm_quad_context *contexts = cm_pool_take(pool, count, sizeof *contexts);
   for (uint32_t c = 0; contexts && c < count; c++)
      contexts[c].next = &contexts[c + 1 < count ? c + 1 : 0];
   return contexts;
}

void
cm_raster_timing_init(struct cm_tiled_timing *timing)
{
   struct cm_raster_timing *raster = &timing->raster;
   struct cm_pool *pool = &timing->base.pool;
   const struct cm_pipeline_config *pipeline = timing->pipeline;
   const uint32_t processors = timing->base.config->fragment_stage.processors;
   raster->has_lanes = pipeline->lanes != CM_LANES_SHARED;
   raster->num_lanes = timing->base.lanes = cm_config_lanes(timing->base.config);
   raster->coupled.tile = CM_UNKNOWN;
   for (uint32_t l = 0; l < raster->num_lanes; l++)
      init_lane(&raster->lanes[l], pipeline, processors / raster->num_lanes, pool);
   raster->ends = cm_pool_take(pool, pipeline->tile_buffers * raster->num_lanes, sizeof *raster->ends);
   raster->next_context = cm_pool_take(pool, processors, sizeof *raster->next_context);
   for (uint32_t p = 0; raster->next_context && p < processors; p++)
      raster->next_context[p] = make_contexts(pipeline->fragment_contexts, pool);
}

/* ---- after the Fragment Processors --------------------------------------- */

/* A quad releases its context when it is shaded and the Blending Unit's queue, which is in order, has room. */
static inline __attribute__((always_inline)) void
release_context(struct cm_tiled_timing *timing, struct cm_lane *lane, struct cm_flying_quad *flying,
                uint64_t quad)
{
   if (flying->released != CM_UNKNOWN)
      return;
   assert(flying->context->base.item == quad);
   const uint64_t data = cm_dependency_resolve(&timing->memory.base, &flying->wait) + flying->tail;
   flying->released = cm_context_release(&flying->context->base, flying->issued, data,
                                         cm_queue_room_of(&lane->colors, quad), flying->wait.waits_for);
   lane->released = cm_later(lane->released, flying->released);
}

static inline __attribute__((always_inline)) void
blend(struct cm_tiled_timing *timing, struct cm_lane *lane, uint64_t quads)
{
   for (; lane->blended < quads; lane->blended++) {
      struct cm_flying_quad *flying = &lane->flying[lane->blended & lane->flying_mask];
      release_context(timing, lane, flying, lane->blended);
      struct cm_work *work = flying->work;
      cm_work_serve(work, &lane->blend, flying->draw);
      cm_stage_account(&lane->blend, CM_STAGE_STARVED, flying->released);
      cm_stage_account(&lane->blend, CM_STAGE_MEMORY, work->loaded);
      const uint64_t begin = lane->blend.until;
      cm_stage_go_on(&lane->blend, timing->pipeline->blend_cycles);
      cm_queue_push(&lane->colors);
      cm_queue_pop(&lane->colors, flying->released, begin);
      if (begin < work->blend_begin)
         work->blend_begin = begin;
      work->shaded = cm_later(work->shaded, lane->blend.until);
   }
}

static inline bool
is_settled(struct cm_lane *lane, uint64_t quads)
{
   uint64_t settled = lane->settled;
   if (settled >= quads)
      return true;
   while (settled < lane->quads && !lane->flying[settled & lane->flying_mask].pending)
      settled++;
   lane->settled = settled;
   return settled >= quads;
}

/* By lane, where its quads of a tile end. */
static inline struct cm_lane_end *
lane_ends(const struct cm_tiled_timing *timing, const struct cm_work *work)
{
   const struct cm_raster_timing *raster = &timing->raster;
   return &raster->ends[work->number % timing->pipeline->tile_buffers * raster->num_lanes];
}

bool
cm_raster_timing_is_settled(struct cm_tiled_timing *timing, const struct cm_work *work)
{
   struct cm_raster_timing *raster = &timing->raster;
   const struct cm_lane_end *ends = lane_ends(timing, work);
   for (uint32_t l = 0; l < raster->num_lanes; l++) {
      /* A lane's last quads may be hidden ones. */
      if (raster->lanes[l].z_queue.popped < ends[l].tested || !is_settled(&raster->lanes[l], ends[l].shaded))
         return false;
   }
   return true;
}

void
cm_raster_timing_blend(struct cm_tiled_timing *timing, const struct cm_work *work)
{
   struct cm_raster_timing *raster = &timing->raster;
   for (uint32_t l = 0; l < raster->num_lanes; l++)
      blend(timing, &raster->lanes[l], lane_ends(timing, work)[l].shaded);
}

uint64_t
cm_raster_timing_tested(const struct cm_tiled_timing *timing)
{
   const struct cm_raster_timing *raster = &timing->raster;
   uint64_t tested = 0;
   for (uint32_t l = 0; l < raster->num_lanes; l++)
      tested = cm_later(tested, raster->lanes[l].z_time);
   return tested;
}

/* Whether it is known when a context is free: the reads of the quad that has it are done, and those of quads that
 * have to be blended before it can release the context. */
static inline bool
is_context_known(struct cm_tiled_timing *timing, struct cm_lane *lane, uint32_t processor)
{
   const struct cm_quad_context *context = timing->raster.next_context[processor];
   const uint64_t item = context->base.item, capacity = lane->flying_mask + 1;
   if (lane->quads - lane->blended == capacity && !is_settled(lane, lane->blended + 1))
      return false;
   if (context->base.released != CM_UNKNOWN)
      return true;
   return !context->flying->pending &&
          (item < lane->colors.size || is_settled(lane, item - lane->colors.size + 1));
}

/* When a context is free. If its quad's release is unknown, the quad is still in the ring: it is not blended. */
static inline __attribute__((always_inline)) uint64_t
context_is_free(struct cm_tiled_timing *timing, struct cm_lane *lane, struct cm_quad_context *context)
{
   const uint64_t item = context->base.item;
   if (context->base.released == CM_UNKNOWN) {
      if (item >= lane->colors.size)
         blend(timing, lane, item - lane->colors.size + 1);
      release_context(timing, lane, context->flying, item);
   }
   return context->base.released;
}

/* ---- Fragment Processors ------------------------------------------------- */

/* Runs a quad on a processor of that number, from its dispatch on. Texture reads are spread evenly among the instructions; those
 * after the last read need the data. unhindered: the cycle of its dispatch if a context had been free. */
static inline __attribute__((always_inline)) void
run(struct cm_tiled_timing *timing, const struct cm_lane *lane, const struct cm_logged_kind *kind,
    uint32_t number, uint64_t unhindered, const cm_entry *token, const cm_entry *end,
    struct cm_flying_quad *flying)
{
   struct cm_stage *processor = &timing->base.processors[number];
   uint64_t begin = lane->dispatch;
   cm_work_serve(flying->work, processor, kind->draw);
   cm_stage_account(processor, CM_STAGE_STARVED, unhindered);
   if (lane->dispatch > processor->until) {
      cm_context_wait(&flying->context->base, processor, lane->dispatch);
      cm_work_serve(flying->work, processor, kind->draw);
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
   flying->issued = cm_stage_work(processor, CM_STAGE_STARVED, begin, kind->instructions);
   flying->work->dispatch_end = cm_later(flying->work->dispatch_end, flying->issued);
   cm_dependency_begin(&flying->wait, 0);
   flying->tail = 0;
   flying->pending = false;
   if (!kind->footprints)
      return;
   /* Most quads have one footprint. */
   const uint32_t piece =
      kind->footprints == 1 ? kind->instructions / 2 : kind->instructions / (kind->footprints + 1);
   flying->tail = kind->instructions - kind->footprints * piece;
   cm_texture_timing_quad(&timing->texture, number, token, end, begin + piece, piece, &flying->wait,
                          &flying->pending);
}

/* Reads of a lane's quads in flight must be resolved while their tickets are valid. */
static inline __attribute__((always_inline)) void
resolve_old_reads(struct cm_tiled_timing *timing, struct cm_lane *lane)
{
   if (lane->quads - lane->blended == lane->flying_mask + 1)
      blend(timing, lane, lane->blended + 1);
   else if (lane->blended < lane->quads &&
            timing->memory.base.last_ticket - lane->flying[lane->blended & lane->flying_mask].submitted >
               CM_DRAM_TICKETS / 2) {
      is_settled(lane, lane->quads); /* raises lane->settled as far as it goes */
      blend(timing, lane, lane->settled);
   }
}

/* The context of a processor's next quad, which takes it. */
static inline struct cm_quad_context *
take_context(struct cm_tiled_timing *timing, uint32_t processor)
{
   struct cm_quad_context **next = &timing->raster.next_context[processor], *context = *next;
   *next = context->next;
   return context;
}

/* Dispatches a quad that passed the Early Z-Test. */
static inline __attribute__((always_inline)) void
dispatch(struct cm_tiled_timing *timing, struct cm_lane *lane, struct cm_work *work,
         const struct cm_logged_kind *kind, uint32_t processor, uint64_t arrived, const cm_entry *token,
         const cm_entry *end, bool has_lanes)
{
   struct cm_raster_timing *raster = &timing->raster;
   struct cm_quad_context *context = take_context(timing, processor);
   for (uint32_t l = 0; has_lanes && l < raster->num_lanes; l++)
      resolve_old_reads(timing, &raster->lanes[l]);
   if (!has_lanes)
      resolve_old_reads(timing, lane);
   const uint64_t is_free = context_is_free(timing, lane, context);
   const uint64_t unhindered = cm_later(cm_later(arrived, lane->barrier), lane->dispatch + 1);
   lane->dispatch = cm_later(unhindered, is_free);
   cm_queue_pop(&lane->fragments, arrived, lane->dispatch);
   if (lane->dispatch < work->dispatch_begin)
      work->dispatch_begin = lane->dispatch;
   struct cm_flying_quad *flying = &lane->flying[lane->quads & lane->flying_mask];
   flying->context = context;
   flying->released = CM_UNKNOWN;
   flying->work = work;
   flying->draw = kind->draw;
   flying->submitted = timing->memory.base.last_ticket;
   run(timing, lane, kind, processor, unhindered, token, end, flying);
   context->flying = flying;
   context->base.item = lane->quads++;
   context->base.released = CM_UNKNOWN;
   context->base.pass = work->pass;
   context->base.draw = kind->draw;
   context->base.tile = work->tile;
}

/* ---- Rasterizer and Early Z-Test ----------------------------------------- */

/* A quad leaves the Rasterizer; returns when, and so is before the Early Z-Test. */
static inline __attribute__((always_inline)) uint64_t
leave_rasterizer(struct cm_tiled_timing *timing, struct cm_lane *lane, uint64_t rasterized)
{
   const uint64_t enters = cm_later(rasterized, cm_queue_room(&lane->z_queue));
   cm_stage_account(&timing->raster.rasterizer, CM_STAGE_BLOCKED, enters);
   cm_queue_push(&lane->z_queue);
   return enters;
}

/* It goes through the Early Z-Test; returns when it is done. */
static inline __attribute__((always_inline)) uint64_t
test_depth(struct cm_tiled_timing *timing, struct cm_lane *lane, const struct cm_work *work,
           const struct cm_logged_kind *kind, uint64_t enters)
{
   cm_work_serve(work, &lane->early_z, kind->draw);
   cm_stage_account(&lane->early_z, CM_STAGE_STARVED, cm_later(enters, lane->test_barrier));
   cm_stage_account(&lane->early_z, CM_STAGE_BLOCKED, cm_queue_room(&lane->z_flight));
   const uint64_t begin = lane->early_z.until;
   cm_queue_pop(&lane->z_queue, enters, begin);
   cm_queue_push(&lane->z_flight);
   cm_stage_go_on(&lane->early_z, 1);
   uint64_t out = begin + timing->pipeline->early_z_latency;
   if (kind->shaded) {
      out = cm_later(out, cm_queue_room(&lane->fragments));
      cm_queue_push(&lane->fragments);
   }
   lane->z_time = out = cm_later(out, lane->z_time);
   cm_queue_pop(&lane->z_flight, begin, out);
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
   cm_stage_go_on(&raster->rasterizer, 1);
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
          work->log.fetched.items[raster->popped].index <=
             cm_log_kind(&work->log, &work->log.quads.items[raster->next])->primitive;
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

/* Whether the tile's first quad can be rasterised. */
static inline bool
can_begin(struct cm_tiled_timing *timing, const struct cm_work *work)
{
   return work->loaded != CM_UNKNOWN && find_barrier(timing, work) &&
          !(cm_tiled_timing_is_deferred(timing) && work->hidden_end == CM_UNKNOWN) &&
          work->fetch_begin != CM_UNKNOWN;
}

/* Whether the Rasterizer can take an item, then *item; with its quads' lane, if that is shared. */
static inline __attribute__((always_inline)) bool
is_ready(struct cm_tiled_timing *timing, uint64_t *clock, enum item *item, bool has_lanes)
{
   struct cm_raster_timing *raster = &timing->raster;
   *clock = has_lanes ? raster->rasterizer.until : raster->lanes[0].dispatch;
   if (!raster->next && !raster->popped) {
      raster->work = cm_work_tile(raster->work);
      if (!raster->work || !can_begin(timing, raster->work))
         return false;
   }
   const struct cm_work *work = raster->work;
   *item = next_item(timing);
   if (*item == PRIMITIVE)
      return cm_fetcher_timing_can_pass_on(timing, work, raster->popped, clock);
   const struct cm_logged_quad *quad = &work->log.quads.items[raster->next];
   if (has_lanes)
      return *item == TILE_END || cm_queue_room_known(&raster->lanes[quad->processor].z_queue);
   *clock = cm_later(*clock, raster->lanes[0].next_check);
   return *item == TILE_END || !cm_log_kind(&work->log, quad)->shaded ||
          is_context_known(timing, &raster->lanes[0], quad->processor);
}

static void
end_tile(struct cm_tiled_timing *timing)
{
   struct cm_raster_timing *raster = &timing->raster;
   struct cm_work *work = raster->work;
   assert(raster->next == work->log.quads.count);
   /* The quads that lanes have not taken raise it. */
   work->z_end =
      cm_later(raster->has_lanes ? work->z_end : raster->lanes[0].z_time, raster->rasterizer.until);
   timing->hidden.z_free[work->number & 1] = work->z_end;
   for (uint32_t l = 0; l < raster->num_lanes; l++)
      lane_ends(timing, work)[l] =
         (struct cm_lane_end){raster->lanes[l].z_queue.entered, raster->lanes[l].rasterized};
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
   work->z_end = 0;
   work->shade_begin = raster->rasterizer.until;
   work->shaded = cm_later(work->shade_begin, work->loaded);
}

/* Whether the next quad's context is held by a quad whose data has no known arrival; then it is checked again when
 * the other stages have reached next_check. */
static inline bool
has_to_wait(struct cm_tiled_timing *timing, struct cm_lane *lane, uint32_t processor)
{
   const struct cm_quad_context *context = timing->raster.next_context[processor];
   struct cm_flying_quad *flying = context->flying;
   if (context->base.released != CM_UNKNOWN)
      return false;
   if (!flying->wait.num_tickets)
      return false;
   const uint64_t now = cm_later(cm_later(lane->dispatch, lane->next_check), flying->wait.time);
   if (cm_dependency_is_known_at(&timing->memory.base, &flying->wait, now))
      return false;
   lane->next_check = now + CM_MEMORY_POLL_CYCLES;
   return true;
}

/* Tokens are prefetched this many ahead: they are in the cache of the consumer's core. */
#define TOKENS_AHEAD 48

/* Of a quad: a line for each line that its tokens fill. */
static inline void
prefetch_tokens(const struct cm_log *log, uint32_t token, uint32_t end)
{
   const uint32_t line = 64 / sizeof(cm_entry);
   for (; token < end; token += line)
      __builtin_prefetch(log->entries.items + token + line + TOKENS_AHEAD);
}

/* A quad goes from the queue before the Early Z-Test to its processor. token: where its entries begin. */
static inline __attribute__((always_inline)) void
pass_on(struct cm_tiled_timing *timing, struct cm_lane *lane, struct cm_work *work,
        const struct cm_logged_quad *quad, uint32_t token, uint64_t entered, bool has_lanes)
{
   const cm_entry *tokens = work->log.entries.items;
   const struct cm_logged_kind *kind = cm_log_kind(&work->log, quad);
   const uint64_t out = test_depth(timing, lane, work, kind, entered);
   if (kind->shaded)
      dispatch(timing, lane, work, kind, quad->processor, out, tokens + token, tokens + quad->tokens_end,
               has_lanes);
}

static inline __attribute__((always_inline)) void
take_quad(struct cm_tiled_timing *timing, const struct cm_logged_quad *quad, bool has_lanes)
{
   struct cm_raster_timing *raster = &timing->raster;
   const struct cm_logged_kind *kind = cm_log_kind(&raster->work->log, quad);
   struct cm_lane *lane = &raster->lanes[has_lanes ? quad->processor : 0];
   const uint32_t token = raster->token, number = raster->next++;
   raster->token = quad->tokens_end;
   prefetch_tokens(&raster->work->log, token, quad->tokens_end);
   cm_work_serve(raster->work, &raster->rasterizer, kind->draw);
   const uint64_t rasterized =
      cm_stage_go_on(&raster->rasterizer, kind->attributes * timing->pipeline->rasterizer_cycles);
   const uint64_t entered = leave_rasterizer(timing, lane, rasterized);
   lane->rasterized += kind->shaded;
   if (has_lanes)
      lane->waiting[(lane->z_queue.entered - 1) & lane->z_queue.mask] =
         (struct cm_waiting_quad){raster->work, number, token, entered};
   else
      pass_on(timing, lane, raster->work, quad, token, entered, false);
}

static inline __attribute__((always_inline)) void
step(struct cm_tiled_timing *timing, enum item item, bool has_lanes)
{
   struct cm_raster_timing *raster = &timing->raster;
   const struct cm_logged_quad *quad = raster->work->log.quads.items + raster->next;
   if (item == QUAD && !has_lanes && has_to_wait(timing, &raster->lanes[0], quad->processor))
      return;
   if (!raster->next && !raster->popped)
      begin_tile(timing);
   switch (item) {
   case PRIMITIVE: pop_primitive(timing); break;
   case QUAD: take_quad(timing, quad, has_lanes); break;
   case TILE_END: end_tile(timing); break;
   }
}

/* ---- lanes of processors ------------------------------------------------- */

/* A lane's oldest quad that it has not taken; NULL: there is none. */
static inline const struct cm_waiting_quad *
oldest(const struct cm_lane *lane)
{
   const struct cm_queue *queue = &lane->z_queue;
   return queue->popped < queue->entered ? &lane->waiting[queue->popped & queue->mask] : NULL;
}

/* Whether a lane has done all that it has of the tiles before one, as far as the times of it are known. */
static inline bool
has_left(struct cm_lane *lane, uint64_t tile)
{
   const struct cm_waiting_quad *next = oldest(lane);
   return (!next || next->work->number >= tile) && is_settled(lane, lane->quads);
}

/* Whether it is known when a lane's stages may begin with a tile. */
static bool
can_change(struct cm_tiled_timing *timing, struct cm_lane *lane, uint64_t tile)
{
   struct cm_raster_timing *raster = &timing->raster;
   if (lane->tile == tile || raster->coupled.tile == tile)
      return true;
   if (timing->pipeline->lanes == CM_LANES_DECOUPLED)
      return is_settled(lane, lane->quads);
   for (uint32_t l = 0; l < raster->num_lanes; l++) {
      if (!has_left(&raster->lanes[l], tile))
         return false;
   }
   return true;
}

/* All lanes have left the tiles before: when the last one has left each stage. */
static void
meet(struct cm_tiled_timing *timing, const struct cm_work *tile)
{
   struct cm_raster_timing *raster = &timing->raster;
   uint64_t blended = 0;
   raster->coupled.tile = tile->number;
   for (uint32_t l = 0; l < raster->num_lanes; l++) {
      struct cm_lane *lane = &raster->lanes[l];
      blend(timing, lane, lane->quads);
      raster->coupled.test = cm_later(raster->coupled.test, lane->z_time);
      raster->coupled.dispatch = cm_later(raster->coupled.dispatch, lane->released);
      blended = cm_later(blended, lane->blend.until);
   }
   for (uint32_t l = 0; l < raster->num_lanes; l++) {
      cm_work_serve(tile, &raster->lanes[l].blend, CM_NO_ITEM);
      cm_stage_account(&raster->lanes[l].blend, CM_STAGE_STARVED, blended);
   }
}

/* A lane's stages change to a tile. */
static void
change(struct cm_tiled_timing *timing, struct cm_lane *lane, const struct cm_work *tile)
{
   struct cm_raster_timing *raster = &timing->raster;
   lane->tile = tile->number;
   if (timing->pipeline->lanes == CM_LANES_DECOUPLED) {
      blend(timing, lane, lane->quads);
      lane->test_barrier = lane->z_time;
      lane->barrier = lane->released;
      return;
   }
   if (raster->coupled.tile != tile->number)
      meet(timing, tile);
   lane->test_barrier = raster->coupled.test;
   lane->barrier = raster->coupled.dispatch;
}

static inline const struct cm_logged_quad *
logged(const struct cm_waiting_quad *waiting)
{
   return &waiting->work->log.quads.items[waiting->quad];
}

/* Whether it is shaded. */
static inline bool
is_shaded(const struct cm_waiting_quad *waiting)
{
   return cm_log_kind(&waiting->work->log, logged(waiting))->shaded;
}

/* Whether a lane can take its oldest quad. */
static bool
is_lane_ready(struct cm_tiled_timing *timing, struct cm_lane *lane, uint64_t *clock)
{
   const struct cm_waiting_quad *next = oldest(lane);
   if (!next || !can_change(timing, lane, next->work->number))
      return false;
   *clock = cm_later(cm_later(lane->dispatch, next->entered), lane->next_check);
   return !is_shaded(next) || is_context_known(timing, lane, logged(next)->processor);
}

/* Whether a lane has a quad whose data has no known arrival; the one that waits for it checks again at next_check. */
static bool
has_unknown(struct cm_tiled_timing *timing, const struct cm_lane *lane, struct cm_lane *waiting)
{
   for (uint64_t quad = lane->blended; quad < lane->quads; quad++) {
      struct cm_flying_quad *flying = &lane->flying[quad & lane->flying_mask];
      if (flying->released != CM_UNKNOWN || !flying->wait.num_tickets)
         continue;
      const uint64_t now = cm_later(cm_later(waiting->dispatch, waiting->next_check), flying->wait.time);
      if (!cm_dependency_is_known_at(&timing->memory.base, &flying->wait, now)) {
         waiting->next_check = now + CM_MEMORY_POLL_CYCLES;
         return true;
      }
   }
   return false;
}

/* Whether its stages, or of coupled lanes those of all, still wait for data of the tile before. */
static bool
has_to_stay(struct cm_tiled_timing *timing, struct cm_lane *lane, uint64_t tile)
{
   struct cm_raster_timing *raster = &timing->raster;
   if (lane->tile == tile || raster->coupled.tile == tile)
      return false;
   if (timing->pipeline->lanes == CM_LANES_DECOUPLED)
      return has_unknown(timing, lane, lane);
   for (uint32_t l = 0; l < raster->num_lanes; l++) {
      if (has_unknown(timing, &raster->lanes[l], lane))
         return true;
   }
   return false;
}

static void
step_lane(struct cm_tiled_timing *timing, struct cm_lane *lane)
{
   const struct cm_waiting_quad next = *oldest(lane);
   const struct cm_logged_quad *quad = logged(&next);
   assert(next.work->flush_begin == CM_UNKNOWN);
   if (has_to_stay(timing, lane, next.work->number) ||
       (is_shaded(&next) && has_to_wait(timing, lane, quad->processor)))
      return;
   if (lane->tile != next.work->number)
      change(timing, lane, next.work);
   pass_on(timing, lane, next.work, quad, next.token, next.entered, true);
   next.work->z_end = cm_later(next.work->z_end, lane->z_time);
}

/* Finds what has the least clock: the Rasterizer, or a lane. */
static bool
find_next(struct cm_tiled_timing *timing, uint64_t *clock, enum item *item)
{
   struct cm_raster_timing *raster = &timing->raster;
   uint64_t its;
   *clock = CM_UNKNOWN;
   raster->next_lane = raster->num_lanes;
   for (uint32_t l = 0; l < raster->num_lanes; l++) {
      if (is_lane_ready(timing, &raster->lanes[l], &its) && its < *clock) {
         *clock = its;
         raster->next_lane = l;
      }
   }
   const bool has_item = is_ready(timing, &its, item, true);
   if (has_item && its <= *clock) {
      *clock = its;
      raster->next_lane = raster->num_lanes;
   }
   return has_item || raster->next_lane < raster->num_lanes;
}

/* ---- the stage ----------------------------------------------------------- */

bool
cm_raster_timing_ready(struct cm_tiled_timing *timing, uint64_t *clock)
{
   enum item item;
   return timing->raster.has_lanes ? find_next(timing, clock, &item) : is_ready(timing, clock, &item, false);
}

void
cm_raster_timing_run(struct cm_tiled_timing *timing, uint32_t most, uint64_t until)
{
   struct cm_raster_timing *raster = &timing->raster;
   uint64_t clock;
   enum item item = TILE_END;
   if (raster->has_lanes) {
      find_next(timing, &clock, &item);
      do {
         if (raster->next_lane < raster->num_lanes)
            step_lane(timing, &raster->lanes[raster->next_lane]);
         else
            step(timing, item, true);
      } while (--most && find_next(timing, &clock, &item) && clock <= until);
      return;
   }
   item = next_item(timing);
   do
      step(timing, item, false);
   while (--most && is_ready(timing, &clock, &item, false) && clock <= until);
}
