/* SPDX-License-Identifier: MIT */
#include "pass/tbr_batch.h"
#include "config/config.h"

#include "draw/draw_context.h"
#include "tiling/tile_order.h"
#include "util/format/u_format.h"
#include "util/log.h"
#include "util/u_framebuffer.h"
#include "util/ralloc.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "state/tbr_context.h"
#include "pass/tbr_counter_query.h"
#include "model/tbr_model.h"
#include "pass/tbr_hazards.h"
#include "pass/tbr_pass_contents.h"
#include "pass/tbr_pixel_local.h"
#include "model/tbr_process.h"
#include "model/tbr_progress.h"
#include "tile/tbr_renderer.h"
#include "state/tbr_resource.h"
#include "state/tbr_screen.h"
#include "shader/tbr_shader.h"

/** Memory that the draws of a batch may read. More ends the pass: applications that make
 * new textures for every draw would use up the host's memory. */
#define MAX_HELD_BYTES (1ull << 30)
/** The most that one resource adds to referenced_bytes: the largest textures must not end a pass at every draw. */
#define MAX_COUNTED_BYTES (1ull << 26)

void *
tbr_batch_allocate(struct tbr_batch *batch, size_t bytes)
{
   assert(batch->state == TBR_BATCH_RECORDING);
   return linear_alloc_child(batch->arena, bytes);
}

struct tbr_storage *
tbr_batch_hold_storage(struct tbr_batch *batch, const struct tbr_resource *resource)
{
   struct tbr_context *context = batch->context;
   if (context->aside && context->aside->sequence == p_atomic_read(&resource->last_write))
      tbr_batch_submit_aside(context, CM_END_COPY);
   struct tbr_storage *storage = p_atomic_read(&resource->storage);
   assert(batch->state == TBR_BATCH_RECORDING && storage);
   if (tbr_batch_holds(batch, storage))
      return storage;
   struct tbr_storage **held = util_dynarray_grow(&batch->storages, struct tbr_storage *, 1);
   if (!held)
      return NULL;
   storage = NULL;
   tbr_resource_hold(resource, &storage);
   *held = storage;
   batch->referenced_bytes += MIN2(storage->bytes, MAX_COUNTED_BYTES);
   return storage;
}

void
tbr_batch_hold_shader(struct tbr_batch *batch, struct tbr_fragment_shader *shader)
{
   assert(batch->state == TBR_BATCH_RECORDING && !batch->closed);
   struct tbr_fragment_shader **held = util_dynarray_grow(&batch->shaders, struct tbr_fragment_shader *, 1);
   if (!held)
      return;
   *held = NULL;
   tbr_fragment_shader_reference(held, shader);
}

struct tbr_storage *
tbr_batch_reads(struct tbr_batch *batch, struct tbr_resource *resource)
{
   assert(batch->context->batch == batch);
   struct tbr_storage *storage = tbr_batch_hold_storage(batch, resource);
   if (storage && p_atomic_read(&resource->last_read) != batch->sequence)
      tbr_resource_note_read(batch->context, resource, batch->sequence);
   if (resource->address_number)
      tbr_addresses_note_use(tbr_screen(resource->base.screen), batch->sequence);
   return storage;
}

/** In the batch's memory. */
static void
release_addresses(void *held)
{
   tbr_address_table_reference(held, NULL);
}

bool
tbr_batch_use_addresses(struct tbr_batch *batch, bool stores)
{
   struct tbr_context *context = batch->context;
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   assert(context->batch == batch && context->addresses);
   tbr_addresses_note_use(screen, batch->sequence);
   if (stores) {
      tbr_addresses_note_store(screen, batch->sequence);
      tbr_addresses_note_write(screen);
      batch->stores = true;
   }
   if (batch->addresses == context->addresses)
      return true;
   struct tbr_address_table **held = ralloc(batch->memory, struct tbr_address_table *);
   if (!held)
      return false;
   *held = NULL;
   tbr_address_table_reference(held, context->addresses);
   ralloc_set_destructor(held, release_addresses);
   batch->addresses = *held;
   return true;
}

bool
tbr_batch_holds(const struct tbr_batch *batch, const struct tbr_storage *storage)
{
   util_dynarray_foreach (&batch->storages, struct tbr_storage *, held) {
      if (*held == storage)
         return true;
   }
   return false;
}

/* ---- creation and destruction ------------------------------------------- */

/** Drops all references of the batch, keeps its own memory. */
static void
release_references(struct tbr_batch *batch)
{
   assert(batch->state == TBR_BATCH_FREE && !batch->job.users);
   for (unsigned i = 0; i < ARRAY_SIZE(batch->surfaces); i++)
      pipe_surface_reference(&batch->surfaces[i], NULL);
   for (unsigned i = 0; i < ARRAY_SIZE(batch->resolved); i++)
      pipe_resource_reference(&batch->resolved[i], NULL);
   tbr_pass_contents_end(batch);
   util_dynarray_foreach (&batch->storages, struct tbr_storage *, storage)
      tbr_storage_reference(storage, NULL);
   util_dynarray_foreach (&batch->shaders, struct tbr_fragment_shader *, shader)
      tbr_fragment_shader_reference(shader, NULL);
   util_dynarray_foreach (&batch->sinks, struct tbr_fragment_sink *, sink)
      tbr_fragment_sink_release(*sink);
   util_dynarray_clear(&batch->sinks);
   tbr_batch_time_release(batch->time);
   batch->time = NULL;
   ralloc_free(batch->memory);
   batch->memory = NULL;
}

static void
destroy_batch(struct tbr_batch *batch)
{
   assert(batch->state == TBR_BATCH_FREE && !batch->memory);
   util_dynarray_foreach (&batch->pages, struct cm_pb_attribute_block *, page)
      align_free(*page);
   cm_pb_lists_destroy(batch->lists);
   util_dynarray_fini(&batch->pages);
   util_dynarray_fini(&batch->first_blocks);
   util_dynarray_fini(&batch->traversal);
   util_dynarray_fini(&batch->position);
   util_dynarray_fini(&batch->states);
   util_dynarray_fini(&batch->storages);
   util_dynarray_fini(&batch->shaders);
   util_dynarray_fini(&batch->sinks);
   util_dynarray_fini(&batch->tile_done);
   tbr_pass_events_fini(&batch->events);
   FREE(batch);
}

static void
reclaim(struct tbr_context *context)
{
   struct tbr_renderer *renderer = tbr_screen(context->base.screen)->renderer;
   struct tbr_job *job = tbr_renderer_take_retired(renderer, context);
   while (job) {
      struct tbr_batch *batch = container_of(job, struct tbr_batch, job);
      job = job->next;
      assert(batch->context == context && batch != context->batch);
      tbr_job_set_state(&batch->job, TBR_JOB_RETIRED, TBR_JOB_IDLE);
      tbr_batch_set_state(batch, TBR_BATCH_SUBMITTED, TBR_BATCH_FREE);
      release_references(batch);
      batch->next = context->free_batches;
      context->free_batches = batch;
   }
}

void
tbr_batch_destroy_all(struct tbr_context *context)
{
   assert(!context->batch);
   tbr_renderer_drain(tbr_screen(context->base.screen)->renderer, context);
   reclaim(context);
   assert(!context->retired_jobs &&
          (!context->batches_in_flight || tbr_screen(context->base.screen)->in_forked_child));
   while (context->free_batches) {
      struct tbr_batch *next = context->free_batches->next;
      destroy_batch(context->free_batches);
      context->free_batches = next;
   }
}

static struct tbr_batch *
take_batch(struct tbr_context *context)
{
   reclaim(context);
   struct tbr_batch *batch = context->free_batches;
   assert(!batch || batch->state == TBR_BATCH_FREE);
   if (batch)
      context->free_batches = batch->next;
   else
      batch = CALLOC_STRUCT(tbr_batch);
   return batch;
}

/** Removes all draws of the batch. */
static void
discard_draws(struct tbr_batch *batch)
{
   assert(batch->state == TBR_BATCH_FREE || batch->state == TBR_BATCH_RECORDING);
   batch->drawn = false;
   batch->read = batch->written = 0;
   batch->num_blocks = 0;
   batch->max_attributes = 1;
   util_dynarray_clear(&batch->first_blocks);
   util_dynarray_clear(&batch->states);
   tbr_pass_events_drop_draws(&batch->events);
}

/** Empties the batch, but keeps its arrays' memory. */
static void
reset_batch(struct tbr_batch *batch)
{
   assert(batch->state == TBR_BATCH_FREE && !batch->job.users && !batch->memory);
   batch->next = NULL;
   batch->invalidated = false;
   batch->closed = batch->stores = false;
   batch->cleared = batch->stale_fronts = 0;
   batch->pixel_local = 0;
   batch->pixel_local_lost = false;
   batch->addresses = NULL;
   batch->most_blocks = 0;
   discard_draws(batch);
   util_dynarray_clear(&batch->storages);
   batch->referenced_bytes = 0;
   util_dynarray_clear(&batch->shaders);
   assert(!batch->sinks.size && !batch->time);
   memset(&batch->job, 0, sizeof batch->job);
   memset(&batch->pass, 0, sizeof batch->pass);
   tbr_pass_events_reset(&batch->events);
}

/* ---- beginning --------------------------------------------------------- */

static_assert(PIPE_CLEAR_DEPTH == 1 << TBR_DEPTH && PIPE_CLEAR_STENCIL == 1 << TBR_STENCIL &&
                 PIPE_CLEAR_COLOR0 == 1 << TBR_COLOR0,
              "masks of attachments are PIPE_CLEAR_*");

void
tbr_batch_attach(struct tbr_context *context, struct tbr_batch *batch, struct pipe_surface *surface,
                 enum tbr_attachment_number i)
{
   struct tbr_resource *resource = tbr_resource(surface->texture);
   const unsigned samples = MAX2(resource->base.nr_samples, 1);
   if (context->aside && tbr_batch_holds(context->aside, p_atomic_read(&resource->storage)))
      tbr_batch_submit_aside(context, CM_END_COPY);
   const struct tbr_storage *storage = tbr_batch_hold_storage(batch, resource);
   assert(storage);
   assert(samples == 1 || samples == batch->pass.samples);
   assert(surface->u.tex.first_layer <= surface->u.tex.last_layer);
   pipe_surface_reference(&batch->surfaces[i], surface);
   batch->pass.attached |= 1u << i;
   if (i >= TBR_COLOR0)
      batch->pass.num_color = batch->events.pass.num_color = MAX2(batch->pass.num_color, i - TBR_COLOR0 + 1);
   batch->pass.attachment[i] = (struct tbr_attachment){
      .memory = tbr_storage_address(storage, resource, surface->u.tex.level, surface->u.tex.first_layer),
      .stride = resource->row_stride[surface->u.tex.level],
      .samples = samples,
      .sample_stride = samples > 1 ? resource->sample_stride : 0,
      .layer_stride = resource->layer_stride[surface->u.tex.level],
      .layers = surface->u.tex.last_layer - surface->u.tex.first_layer + 1,
      .format = surface->format,
      .load = !resource->undefined,
      .store = true,
   };
   p_atomic_set(&resource->last_write, batch->sequence);
   *tbr_pass_events_attachment(&batch->events, i) = (struct cm_attachment){
      .resource = tbr_resource_announce(context, resource),
      .level = surface->u.tex.level,
      .layer = surface->u.tex.first_layer,
      .more_layers = surface->u.tex.last_layer - surface->u.tex.first_layer,
      .pixel_bytes = util_format_get_blocksize(surface->format),
   };
}

static void
attach_all(struct tbr_context *context, struct tbr_batch *batch)
{
   const struct pipe_framebuffer_state *framebuffer = &context->framebuffer;

   assert(framebuffer->nr_cbufs <= TBR_MAX_COLOR_BUFFERS);
   batch->pass.num_color = batch->events.pass.num_color = framebuffer->nr_cbufs;
   for (unsigned i = 0; i < framebuffer->nr_cbufs; i++) {
      if (!framebuffer->cbufs[i])
         continue;
      struct tbr_resource *resource = tbr_resource(framebuffer->cbufs[i]->texture);
      if (tbr_resource_is_stale_front(resource)) {
         tbr_resource_wait(context, resource, true, CM_END_READ);
         batch->stale_fronts |= 1u << (TBR_COLOR0 + i);
      }
      tbr_batch_attach(context, batch, framebuffer->cbufs[i], TBR_COLOR0 + i);
   }

   struct pipe_surface *depth = framebuffer->zsbuf;
   if (!depth)
      return;
   const struct util_format_description *description = util_format_description(depth->format);
   if (util_format_has_depth(description))
      tbr_batch_attach(context, batch, depth, TBR_DEPTH);
   if (util_format_has_stencil(description)) {
      tbr_batch_attach(context, batch, depth, TBR_STENCIL);
      if (batch->pass.depth.memory)
         batch->events.pass.stencil.pixel_bytes = 0;
   }
}

static bool
set_up_tiles(struct tbr_context *context, struct tbr_batch *batch)
{
   const struct cm_config *config = tbr_screen(context->base.screen)->config;
   struct tbr_pass *pass = &batch->pass;

   pass->width = context->framebuffer.width;
   pass->height = context->framebuffer.height;
   pass->tile_size = config->tile.size;
   pass->tiles_x = DIV_ROUND_UP(pass->width, pass->tile_size);
   pass->layer_tiles_y = DIV_ROUND_UP(pass->height, pass->tile_size);
   pass->tiles_y = pass->layer_tiles_y * MAX2(util_framebuffer_get_num_layers(&context->framebuffer), 1);
   pass->samples = util_framebuffer_get_num_samples(&context->framebuffer) > 1 ? TBR_MAX_SAMPLES : 1;
   pass->deferred = config->mode == CM_MODE_TBDR;

   /* More tiles than PMDs can number: several layers of the largest size. */
   if ((uint64_t)pass->tiles_x * pass->tiles_y > CM_PB_WIDE_TILES)
      return false;
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   if (!util_dynarray_resize(&batch->traversal, uint32_t, num_tiles) ||
       !util_dynarray_resize(&batch->position, uint32_t, num_tiles) ||
       !util_dynarray_resize(&batch->tile_done, uint8_t, num_tiles) ||
       !tbr_pass_events_set_tiles(&batch->events, num_tiles))
      return false;

   memset(batch->tile_done.data, 0, batch->tile_done.size);
   cm_tile_order_build(config->tile.order, pass->tiles_x, pass->tiles_y,
                       cm_traversal_reversed(config->frame.traversal, batch->frame), batch->traversal.data);
   cm_tile_order_positions(batch->traversal.data, num_tiles, batch->position.data);
   return true;
}

struct tbr_batch *
tbr_batch_get(struct tbr_context *context)
{
   tbr_screen_check_owner(tbr_screen(context->base.screen));
   if (context->batch && context->batch->closed)
      tbr_batch_submit(context, CM_END_RESOLVE);
   else if (context->deferred_flushes)
      tbr_batch_submit(context, CM_END_FLUSH);
   else if (context->batch && context->batch->referenced_bytes > MAX_HELD_BYTES)
      tbr_batch_submit(context, CM_END_MEMORY);
   context->deferred_flushes = 0;
   context->flushed_last = false;
   if (context->batch) {
      assert(context->batch->state == TBR_BATCH_RECORDING && context->batch->context == context);
      return context->batch;
   }

   struct tbr_screen *screen = tbr_screen(context->base.screen);
   struct tbr_batch *batch = take_batch(context);
   if (!batch)
      return NULL;

   reset_batch(batch);
   batch->context = context;
   batch->frame = p_atomic_read(&screen->frame);
   batch->recorded = screen->model && tbr_model_frame_wanted(screen->model, batch->frame);
   batch->memory = ralloc_context(NULL);
   batch->arena = linear_context(batch->memory);
   const bool ready =
      batch->arena && set_up_tiles(context, batch) &&
      util_dynarray_ensure_cap(&batch->sinks, sizeof(struct tbr_fragment_sink *)) &&
      util_dynarray_ensure_cap(&batch->storages, ARRAY_SIZE(batch->surfaces) * sizeof(struct tbr_storage *));
   batch->sequence = ready ? tbr_renderer_begin(screen->renderer) : 0;
   if (!batch->sequence) {
      release_references(batch);
      destroy_batch(batch);
      return NULL;
   }
   assert(batch->sequence > context->last_batch);
   tbr_batch_set_state(batch, TBR_BATCH_FREE, TBR_BATCH_RECORDING);
   util_dynarray_append(&batch->sinks, struct tbr_fragment_sink *, NULL);
   attach_all(context, batch);
   batch->referenced_bytes = 0;

   context->batch = batch;
   context->dirty = TBR_DIRTY_ALL;
   /* A pass is charged to the queries that saw a part of it, which one that is set aside still is. */
   if (!context->aside)
      tbr_counter_queries_begin_pass(context);
   return batch;
}

void
tbr_batch_refresh_fronts(struct tbr_batch *batch)
{
   assert(batch->state == TBR_BATCH_RECORDING);
   u_foreach_bit (i, batch->stale_fronts)
      tbr_resource_read_front(tbr_resource(batch->surfaces[i]->texture));
   batch->stale_fronts = 0;
}

/* ---- clears and invalidation ------------------------------------------- */

/** Attachments of a closed batch are about to be cleared: their stores are needless. */
static void
drop_cleared_stores(struct tbr_batch *batch, unsigned buffers)
{
   assert(batch->closed);
   if ((buffers & PIPE_CLEAR_DEPTHSTENCIL) != PIPE_CLEAR_DEPTHSTENCIL)
      buffers &= ~PIPE_CLEAR_DEPTHSTENCIL;
   u_foreach_bit (i, buffers & batch->pass.attached)
      batch->pass.attachment[i].store = false;
}

/** Whether clearing the framebuffer clears all that is attached. */
static bool
covers_attachments(const struct tbr_batch *batch)
{
   u_foreach_bit (i, batch->pass.attached) {
      const struct pipe_surface *surface = batch->surfaces[i];
      if (surface->width != batch->pass.width || surface->height != batch->pass.height)
         return false;
   }
   return true;
}

/** Whether a clear of these buffers overwrites all that the batch has drawn. Clearing the colour buffer clears pixel local
 * storage (tbr_pixel_local_reset). */
static bool
clears_everything(const struct tbr_batch *batch, unsigned buffers)
{
   const struct tbr_pass *pass = &batch->pass;
   if (batch->pixel_local_lost || buffers & PIPE_CLEAR_COLOR0)
      buffers |= batch->pixel_local;
   return !(pass->attached & ~buffers) && pass->tiles_y == pass->layer_tiles_y && covers_attachments(batch);
}

/** Whether shaders of the batch's draws may have stored to memory, or will. */
static bool
stores(const struct tbr_batch *batch)
{
   util_dynarray_foreach (&batch->events.vertex_bindings, struct cm_texture_binding, binding) {
      if (binding->is_storage)
         return true;
   }
   return batch->stores;
}

/** Discards the batch's draws, unless they have effects besides the attachments: on a
 * query, transform feedback or storage. */
static bool
drop_draws(struct tbr_context *context, struct tbr_batch *batch)
{
   draw_flush(context->draw);
   if (context->batch != batch || util_dynarray_num_elements(&batch->sinks, struct tbr_fragment_sink *) > 1 ||
       batch->events.feedback.size || stores(batch))
      return false;
   discard_draws(batch);
   context->dirty = TBR_DIRTY_ALL;
   return true;
}

unsigned
tbr_batch_clear(struct tbr_context *context, unsigned buffers, const union pipe_color_union *color,
                double depth, unsigned stencil)
{
   if (context->batch && context->batch->closed && covers_attachments(context->batch))
      drop_cleared_stores(context->batch, buffers);
   struct tbr_batch *batch = tbr_batch_get(context);
   if (!batch)
      return buffers;
   if (batch->drawn && !(clears_everything(batch, buffers) && drop_draws(context, batch)))
      return buffers;

   assert(!batch->drawn && !batch->closed && batch == context->batch);
   tbr_batch_revalidate(batch);
   const union pipe_color_union depth_value = {.f = {depth}}, stencil_value = {.ui = {0, stencil & 0xff}};
   u_foreach_bit (i, buffers & batch->pass.attached) {
      struct tbr_attachment *attachment = &batch->pass.attachment[i];
      attachment->clear = true;
      attachment->load = false;
      attachment->clear_value = i == TBR_DEPTH ? depth_value : i == TBR_STENCIL ? stencil_value : *color;
   }
   batch->cleared |= buffers;
   return 0;
}

void
tbr_batch_invalidate(struct tbr_context *context, struct tbr_resource *resource)
{
   struct tbr_batch *batch = context->batch;
   /* `undefined` is of the whole resource: a part of one is not tracked. */
   const bool whole = resource->base.last_level == 0 && resource->base.array_size <= 1 &&
                      resource->base.depth0 <= 1 && !resource->display_target;
   resource->undefined = resource->undefined || whole;
   if (!batch)
      return;
   assert(batch->state == TBR_BATCH_RECORDING);
   u_foreach_bit (i, batch->pass.attached) {
      struct tbr_attachment *attachment = &batch->pass.attachment[i];
      if (tbr_resource(batch->surfaces[i]->texture) != resource)
         continue;
      /* Neither load nor store is needed of what is undefined. */
      attachment->store = false;
      attachment->load = attachment->load && batch->drawn;
   }
   batch->invalidated = true;
}

void
tbr_batch_revalidate(struct tbr_batch *batch)
{
   assert(batch->state == TBR_BATCH_RECORDING);
   if (!batch->invalidated)
      return;
   u_foreach_bit (i, batch->pass.attached)
      batch->pass.attachment[i].store = true;
   batch->invalidated = false;
}

/* ---- submission --------------------------------------------------------- */

/** A buffer that no draw writes need not be stored; one that no draw reads or writes
 * need not be loaded. */
static void
decide_transfers(struct tbr_batch *batch)
{
   struct tbr_pass *pass = &batch->pass;
   unsigned read = batch->read, written = batch->written;
   batch->stored = 0;
   if (pass->depth.memory && pass->depth.memory == pass->stencil.memory) {
      /* They share pixels: storing one stores the other. */
      if ((written | batch->cleared) & PIPE_CLEAR_DEPTHSTENCIL)
         written |= PIPE_CLEAR_DEPTHSTENCIL;
      if (read & PIPE_CLEAR_DEPTHSTENCIL)
         read |= PIPE_CLEAR_DEPTHSTENCIL;
   }
   u_foreach_bit (i, pass->attached) {
      struct tbr_attachment *attachment = &pass->attachment[i];
      /* The store writes whole tiles: pixels that no draw covers must be loaded first. */
      attachment->load = attachment->load && (read | written) >> i & 1;
      attachment->store = attachment->store && (written >> i & 1 || attachment->clear);
      assert(attachment->memory && !(attachment->load && attachment->clear));
      if (!attachment->store)
         continue;
      /* Later passes load what is stored. */
      tbr_resource(batch->surfaces[i]->texture)->undefined = false;
      batch->stored |= 1u << i;
   }
   tbr_batch_resolve_single_sampled(batch);
}

/** A buffer swap is no call that has a number, nor is the end of a context. */
static void
describe_end(struct tbr_batch *batch, enum cm_end_reason reason)
{
   assert(reason > CM_END_UNKNOWN && reason < CM_END_REASONS);
   batch->events.pass.end = reason;
   batch->events.pass.end_call =
      reason == CM_END_FRAME || reason == CM_END_CONTEXT ? 0 : batch->context->names.call;
}

/** The pass is about to be in the event stream: reads of what it stores are announced from now on. With submit_lock, so
 * that a read in another context comes either before the pass or after it (tbr_resource_announce_read). */
static void
mark_stored(struct tbr_batch *batch)
{
   u_foreach_bit (i, batch->stored)
      p_atomic_set(&tbr_resource(batch->surfaces[i]->texture)->stored, true);
   for (unsigned i = 0; i < ARRAY_SIZE(batch->resolved); i++) {
      if (batch->resolved[i])
         p_atomic_set(&tbr_resource(batch->resolved[i])->stored, true);
   }
}

/** Bytes of memory that only the batch references. */
static uint64_t
count_orphaned_bytes(const struct tbr_batch *batch)
{
   uint64_t bytes = 0;
   util_dynarray_foreach (&batch->storages, struct tbr_storage *, storage) {
      if (p_atomic_read(&(*storage)->reference.count) == 1)
         bytes += (*storage)->bytes;
   }
   return bytes;
}

/** Hands the batch over to the renderer. */
static void
submit_job(struct tbr_screen *screen, struct tbr_batch *batch)
{
   batch->job = (struct tbr_job){
      .renderer = screen->renderer,
      .context = batch->context,
      .sequence = batch->sequence,
      .pass = &batch->pass,
      .source = {.pass = &batch->events.pass,
                 .traversal = batch->traversal.data,
                 .has_thumbnail = batch->recorded && screen->thumbnails},
      .touched = batch->events.touched.data,
      .in_order = batch->stores,
      .recorded = batch->recorded,
      .num_blocks = batch->num_blocks,
      .orphaned_bytes = count_orphaned_bytes(batch),
      .sinks = batch->sinks.data,
      .time = batch->time,
      .tile_events = batch->events.tiles.data,
      .tile_done = batch->tile_done.data,
   };
   tbr_batch_set_state(batch, TBR_BATCH_RECORDING, TBR_BATCH_SUBMITTED);
   tbr_renderer_submit(screen->renderer, &batch->job);
}

static void
submit(struct tbr_context *context, struct tbr_batch *batch, enum cm_end_reason reason)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   assert(batch->state == TBR_BATCH_RECORDING && batch->context == context);
   context->last_batch = batch->sequence;
   if (screen->in_forked_child)
      return; /* A forked child has a copy of it: the parent draws it. */
   batch->pass.keep_hidden = batch->recorded && screen->record_hidden;

   tbr_pixel_local_end_batch(context, batch);
   bool ok = tbr_batch_write_lists(batch, screen->config->parameter_buffer.layout);
   if (batch->addresses && batch->events.storages.size)
      ok = tbr_address_table_list(batch->addresses, &batch->events.addressed) && ok;
   if (batch->recorded)
      ok =
         ok && tbr_pass_events_number_primitives(&batch->events, batch->first_blocks.data, batch->num_blocks);
   if (!ok) {
      mesa_loge("out of memory for the Parameter Buffer; the process ends");
      tbr_process_abort();
   }
   decide_transfers(batch);
   assert(batch->pass.lists == batch->lists);
   batch->pass.draws = batch->states.data;
   batch->pass.num_occlusion_counters = util_dynarray_num_elements(&batch->sinks, struct tbr_fragment_sink *);
   tbr_batch_debug(batch);
   tbr_progress_pass();
   if (batch->recorded)
      batch->pass.event_primitive = batch->events.primitive_numbers.data;
   batch->events.pass.frame = batch->frame;
   batch->events.pass.attribute_blocks = batch->most_blocks;
   tbr_pass_events_complete(&batch->events, &batch->pass);
   describe_end(batch, reason);

   /* Once submitted, a batch that is not recorded may be recycled at any time. */
   const bool recorded = batch->recorded;
   /* The model must take passes in the order of rendering (tbr_renderer.c). */
   simple_mtx_lock(&screen->submit_lock);
   if (recorded)
      mark_stored(batch);
   tbr_pass_contents_begin(screen, batch);
   submit_job(screen, batch);
   if (recorded)
      tbr_model_pass(screen->model, &batch->job.source);
   if (screen->model)
      tbr_resource_forget_gone(screen);
   simple_mtx_unlock(&screen->submit_lock);
   tbr_counter_queries_account(context);
}

void
tbr_batch_submit(struct tbr_context *context, enum cm_end_reason reason)
{
   struct tbr_batch *batch = context->batch;
   context->batch = NULL;
   if (batch)
      submit(context, batch, reason);
}

void
tbr_batch_set_aside(struct tbr_context *context)
{
   assert(!context->aside);
   draw_flush(context->draw);
   if (context->deferred_flushes)
      tbr_batch_submit(context, CM_END_FLUSH);
   context->aside = context->batch;
   context->batch = NULL;
}

void
tbr_batch_submit_aside(struct tbr_context *context, enum cm_end_reason reason)
{
   struct tbr_batch *batch = context->aside;
   context->aside = NULL;
   submit(context, batch, reason);
}

void
tbr_batch_resume(struct tbr_context *context)
{
   if (!context->aside)
      return;
   assert(!context->batch);
   context->batch = context->aside;
   context->aside = NULL;
   context->dirty = TBR_DIRTY_ALL;
}

void
tbr_batch_flush(struct tbr_context *context, enum cm_end_reason reason)
{
   draw_flush(context->draw);
   tbr_batch_submit(context, reason);
}
