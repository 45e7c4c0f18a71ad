/* SPDX-License-Identifier: MIT */
#include "pass/tbr_hazards.h"

#include <assert.h>
#include <string.h>

#include "util/u_atomic.h"
#include "model/tbr_model.h"
#include "pass/tbr_batch.h"
#include "state/tbr_context.h"
#include "state/tbr_resource.h"
#include "tile/tbr_renderer.h"

/** The number of the batch being recorded; 0, which no batch has, if there is none. */
static uint64_t
recording(const struct tbr_context *context)
{
   return context->batch ? context->batch->sequence : 0;
}

/** Whether the batch of that number is being recorded. */
static bool
is_recording(const struct tbr_context *context, uint64_t sequence)
{
   return sequence &&
          (sequence == recording(context) || (context->aside && sequence == context->aside->sequence));
}

/** Submits the batch of that number if it is being recorded. */
static void
submit_recording(struct tbr_context *context, uint64_t sequence, enum cm_end_reason reason)
{
   if (sequence == recording(context))
      tbr_batch_flush(context, reason);
   else if (context->aside && sequence == context->aside->sequence)
      tbr_batch_submit_aside(context, reason);
}

void
tbr_batch_finish(struct tbr_context *context, uint64_t sequence, enum cm_end_reason reason)
{
   if (!sequence)
      return;
   submit_recording(context, sequence, reason);
   tbr_renderer_wait(tbr_screen(context->base.screen)->renderer, sequence);
   assert(!is_recording(context, sequence));
}

/** Whether draws of a batch that is being recorded, if there is one, read the resource. */
static bool
is_read_by(const struct tbr_batch *batch, const struct tbr_resource *resource)
{
   return batch && p_atomic_read(&resource->reader) &&
          tbr_batch_holds(batch, p_atomic_read(&resource->storage));
}

static bool
is_read_by_recording(const struct tbr_context *context, const struct tbr_resource *resource)
{
   return is_read_by(context->batch, resource) || is_read_by(context->aside, resource);
}

/** Whether submitted batches read the resource; last_read alone is not enough if they
 * are of several contexts. */
static bool
is_being_read(const struct tbr_context *context, const struct tbr_resource *resource)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   return !tbr_renderer_done(screen->renderer, p_atomic_read(&resource->last_read)) ||
          (p_atomic_read(&resource->reader) == TBR_READERS_MANY && !tbr_renderer_idle(screen->renderer));
}

void
tbr_resource_note_read(const struct tbr_context *context, struct tbr_resource *resource, uint64_t sequence)
{
   assert(sequence && sequence == recording(context));
   const struct tbr_context *reader = p_atomic_cmpxchg_ptr(&resource->reader, NULL, context);
   if (reader && reader != context)
      p_atomic_set(&resource->reader, TBR_READERS_MANY);
   p_atomic_set(&resource->last_read, sequence);
}

void
tbr_resource_wait(struct tbr_context *context, struct tbr_resource *resource, bool for_write,
                  enum cm_end_reason reason)
{
   tbr_batch_finish(context, p_atomic_read(&resource->last_write), reason);
   /* Which of the buffers with addresses a batch has used is not known. */
   if (resource->address_number)
      tbr_addresses_wait(context, for_write, reason);
   if (!for_write)
      return;
   if (is_read_by(context->batch, resource))
      tbr_batch_flush(context, reason);
   if (is_read_by(context->aside, resource))
      tbr_batch_submit_aside(context, reason);
   tbr_batch_finish(context, p_atomic_read(&resource->last_read), reason);
   if (p_atomic_read(&resource->reader) == TBR_READERS_MANY)
      tbr_renderer_wait_idle(tbr_screen(context->base.screen)->renderer);
}

/* ---- memory by address ----------------------------------------------------- */

void
tbr_addresses_note_use(struct tbr_screen *screen, uint64_t sequence)
{
   assert(sequence);
   p_atomic_set(&screen->addresses.last_use, sequence);
}

void
tbr_addresses_note_store(struct tbr_screen *screen, uint64_t sequence)
{
   struct tbr_addresses *addresses = &screen->addresses;
   const uint64_t last = p_atomic_read(&addresses->last_write);
   assert(sequence);
   if (last == sequence)
      return;
   p_atomic_set(&addresses->write_before, last);
   p_atomic_set(&addresses->last_write, sequence);
}

void
tbr_addresses_wait(struct tbr_context *context, bool for_write, enum cm_end_reason reason)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   struct tbr_addresses *addresses = &screen->addresses;
   const uint64_t last_write = p_atomic_read(&addresses->last_write);
   if (reason != CM_END_DRAW) {
      tbr_batch_finish(context, last_write, reason);
      if (for_write)
         tbr_batch_finish(context, p_atomic_read(&addresses->last_use), reason);
   } else if (for_write) {
      tbr_renderer_wait_idle(screen->renderer);
   } else {
      tbr_renderer_wait(screen->renderer, is_recording(context, last_write)
                                             ? p_atomic_read(&addresses->write_before)
                                             : last_write);
   }
}

/* ---- memory that is replaced ------------------------------------------------- */

static bool
can_replace_storage(const struct tbr_resource *resource)
{
   return !resource->display_target && !(resource->base.flags & PIPE_RESOURCE_FLAG_MAP_PERSISTENT);
}

/** The resource becomes a new one in the event stream. */
static void
renew(struct tbr_context *context, struct tbr_resource *resource)
{
   assert(can_replace_storage(resource));
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   simple_mtx_lock(&screen->announce_mutex);
   tbr_resource_note_gone(resource);
   p_atomic_set(&resource->id, p_atomic_inc_return(&screen->next_resource_id));
   simple_mtx_unlock(&screen->announce_mutex);
   p_atomic_set(&resource->last_read, 0);
   p_atomic_set(&resource->reader, NULL);
   p_atomic_set(&resource->last_write, 0);
   p_atomic_set(&resource->stored, false);
   tbr_context_storage_replaced(context);
}

bool
tbr_resource_orphan(struct tbr_context *context, struct tbr_resource *resource)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);

   const uint64_t last_write = p_atomic_read(&resource->last_write);
   if (!p_atomic_read(&resource->last_read) && !last_write)
      return true;
   if (!can_replace_storage(resource))
      return false;
   /* The next draws must not go to a batch that renders to the old memory. */
   if (last_write)
      submit_recording(context, last_write, CM_END_WRITE);
   tbr_context_release_storage(context, resource->storage);

   /* A reference more than the resource's own: another context draws with the memory. */
   if (!is_read_by_recording(context, resource) && !is_being_read(context, resource) &&
       tbr_renderer_done(screen->renderer, last_write) &&
       p_atomic_read(&resource->storage->reference.count) == 1) {
      memset(resource->storage->memory, 0, resource->storage->bytes);
   } else {
      struct tbr_storage *fresh = tbr_storage_create(resource->storage->bytes);
      if (!fresh)
         return false;
      tbr_resource_replace_storage(resource, fresh);
   }
   renew(context, resource);
   return true;
}

/** Gives the resource a copy of its memory, for the batch being recorded to keep
 * reading the original. */
static bool
shadow(struct tbr_context *context, struct tbr_resource *resource, enum cm_end_reason reason)
{
   assert(is_read_by_recording(context, resource) && can_replace_storage(resource));
   struct tbr_storage *copy = tbr_storage_create(resource->storage->bytes);
   if (!copy)
      return false;
   tbr_batch_finish(context, p_atomic_read(&resource->last_write), reason);
   struct tbr_storage *original = NULL;
   tbr_resource_hold(resource, &original);
   memcpy(copy->memory, original->memory, copy->bytes);
   tbr_storage_reference(&original, NULL);
   tbr_resource_announce_read(context, resource);
   tbr_resource_replace_storage(resource, copy);
   renew(context, resource);
   return true;
}

void
tbr_resource_prepare_write(struct tbr_context *context, struct tbr_resource *resource,
                           enum cm_end_reason reason)
{
   if (is_read_by_recording(context, resource) &&
       !is_recording(context, p_atomic_read(&resource->last_write)) && can_replace_storage(resource) &&
       shadow(context, resource, reason))
      return;
   tbr_resource_wait(context, resource, true, reason);
}

void
tbr_resource_refresh_front(struct tbr_context *context, struct tbr_resource *resource)
{
   if (!tbr_resource_is_stale_front(resource))
      return;
   tbr_resource_wait(context, resource, true, CM_END_READ);
   tbr_resource_read_front(resource);
}

/* ---- resources that the model can forget ---------------------------------- */

/** Batches that another context may have begun, with the resource in their events, since it was replaced here. */
#define BATCHES_BETWEEN_CONTEXTS 64

/** One that no draw names any more. */
struct tbr_gone_resource {
   uint32_t id;
   uint64_t sequence; /**< batches before this one may name it */
};

void
tbr_resource_note_gone(const struct tbr_resource *resource)
{
   struct tbr_screen *screen = tbr_screen(resource->base.screen);
   if (!screen->model || p_atomic_read(&resource->announced_id) != resource->id)
      return;
   simple_mtx_lock(&screen->gone_lock);
   struct tbr_gone_resource *gone = util_dynarray_grow(&screen->gone, struct tbr_gone_resource, 1);
   if (gone) /* else the model remembers it */
      *gone = (struct tbr_gone_resource){resource->id, tbr_renderer_next_sequence(screen->renderer) +
                                                          BATCHES_BETWEEN_CONTEXTS};
   simple_mtx_unlock(&screen->gone_lock);
}

void
tbr_resource_forget_gone(struct tbr_screen *screen)
{
   simple_mtx_assert_locked(&screen->submit_lock);
   const uint64_t recorded = tbr_renderer_oldest_recorded(screen->renderer);
   unsigned kept = 0;
   simple_mtx_lock(&screen->gone_lock);
   util_dynarray_foreach (&screen->gone, struct tbr_gone_resource, gone) {
      if (gone->sequence <= recorded)
         tbr_model_forget_resource(screen->model, gone->id);
      else
         *util_dynarray_element(&screen->gone, struct tbr_gone_resource, kept++) = *gone;
   }
   screen->gone.size = kept * sizeof(struct tbr_gone_resource);
   simple_mtx_unlock(&screen->gone_lock);
}
