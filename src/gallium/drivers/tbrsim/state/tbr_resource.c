/* SPDX-License-Identifier: MIT */
/** A resource's memory, and what the event stream is told of it. */
#include "state/tbr_resource.h"

#include <assert.h>
#include <stdlib.h>

#include "util/format/u_format.h"
#include "util/u_atomic.h"
#include "util/u_inlines.h"
#include "util/u_math.h"
#include "util/u_memory.h"
#include "model/tbr_model.h"
#include "state/tbr_context.h"
#include "state/tbr_names.h"
#include "state/tbr_screen.h"
#include "state/tbr_signatures.h"

/** Vector loads of a last element may reach past it. */
#define MEMORY_SLACK 64
/** Simulated bytes that stand for the application's own memory. */
#define USER_BUFFER_BYTES (64u << 20)

/* ---- storage ---------------------------------------------------------- */

struct tbr_storage *
tbr_storage_create(uint64_t bytes)
{
   struct tbr_storage *storage = CALLOC_STRUCT(tbr_storage);
   if (!storage)
      return NULL;
   /* Zeroed, so that no image depends on what the memory was used for before. */
   storage->allocation = calloc(1, bytes + MEMORY_SLACK + TBR_MEMORY_ALIGNMENT);
   if (!storage->allocation) {
      FREE(storage);
      return NULL;
   }
   pipe_reference_init(&storage->reference, 1);
   storage->memory = (uint8_t *)align_uintptr((uintptr_t)storage->allocation, TBR_MEMORY_ALIGNMENT);
   storage->bytes = bytes;
   return storage;
}

static void
destroy_storage(struct tbr_storage *storage)
{
   assert(!p_atomic_read(&storage->reference.count));
   if (storage->display_target) {
      storage->winsys->displaytarget_unmap(storage->winsys, storage->display_target);
      storage->winsys->displaytarget_destroy(storage->winsys, storage->display_target);
   }
   tbr_signatures_free(storage->signatures);
   free(storage->allocation);
   FREE(storage);
}

void
tbr_storage_reference(struct tbr_storage **destination, struct tbr_storage *source)
{
   struct tbr_storage *old = *destination;
   if (pipe_reference(old ? &old->reference : NULL, source ? &source->reference : NULL))
      destroy_storage(old);
   *destination = source;
}

bool
tbr_resource_hold(const struct tbr_resource *resource, struct tbr_storage **held)
{
   struct tbr_screen *screen = tbr_screen(resource->base.screen);
   struct tbr_storage *storage = NULL;

   /* What is held cannot be another memory at the same address. */
   if (p_atomic_read(&resource->storage) == *held)
      return false;
   simple_mtx_lock(&screen->storage_lock);
   tbr_storage_reference(&storage, resource->storage);
   simple_mtx_unlock(&screen->storage_lock);
   assert(storage);
   tbr_storage_reference(held, NULL);
   *held = storage;
   return true;
}

void
tbr_resource_replace_storage(struct tbr_resource *resource, struct tbr_storage *storage)
{
   struct tbr_screen *screen = tbr_screen(resource->base.screen);

   assert(storage->bytes == resource->storage->bytes && !resource->display_target);
   simple_mtx_lock(&screen->storage_lock);
   struct tbr_storage *old = resource->storage;
   p_atomic_set(&resource->storage, storage);
   simple_mtx_unlock(&screen->storage_lock);
   tbr_storage_reference(&old, NULL);
}

bool
tbr_resource_is_stale_front(const struct tbr_resource *resource)
{
   return resource->front_drawable && p_atomic_read(&resource->last_write) == resource->displayed_write;
}

void
tbr_resource_read_front(struct tbr_resource *resource)
{
   struct tbr_storage *storage = resource->storage;
   assert(resource->front_drawable && storage->display_target);
   storage->winsys->displaytarget_unmap(storage->winsys, storage->display_target);
   /* The address stays the same: the window's content is read into the memory. */
   storage->winsys->displaytarget_map(storage->winsys, storage->display_target, PIPE_MAP_READ);
}

/* ---- event stream ----------------------------------------------------- */

static uint8_t
uses_of(unsigned bind)
{
   static const struct {
      unsigned bind;
      enum cm_resource_use use;
   } table[] = {
      {PIPE_BIND_VERTEX_BUFFER, CM_USE_VERTICES},
      {PIPE_BIND_INDEX_BUFFER, CM_USE_INDICES},
      {PIPE_BIND_CONSTANT_BUFFER, CM_USE_CONSTANTS},
      {PIPE_BIND_SAMPLER_VIEW, CM_USE_TEXTURE},
      {PIPE_BIND_RENDER_TARGET, CM_USE_COLOR},
      {PIPE_BIND_DEPTH_STENCIL, CM_USE_DEPTH_STENCIL},
      {PIPE_BIND_STREAM_OUTPUT, CM_USE_FEEDBACK},
      {PIPE_BIND_SHADER_BUFFER | PIPE_BIND_SHADER_IMAGE | PIPE_BIND_COMMAND_ARGS_BUFFER |
          PIPE_BIND_QUERY_BUFFER,
       CM_USE_OTHER},
   };
   unsigned uses = 0;
   for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
      uses |= bind & table[i].bind ? table[i].use : 0;
   return (uint8_t)uses;
}

static void
describe(struct tbr_screen *screen, const struct tbr_resource *resource,
         struct cm_resource_description *description)
{
   const struct pipe_resource *base = &resource->base;

   *description = (struct cm_resource_description){
      .id = resource->id,
      .is_buffer = base->target == PIPE_BUFFER,
      .levels = base->last_level + 1,
      .samples = MAX2(base->nr_samples, 1),
      .block_width = 1,
      .block_height = 1,
      .block_bytes = 1,
      .width = base->width0,
      .height = 1,
      .depth = 1,
      .layers = 1,
      .uses = uses_of(base->bind),
   };
   if (description->is_buffer)
      return;
   description->format = tbr_names_string(screen, util_format_short_name(base->format));
   description->block_width = util_format_get_blockwidth(base->format);
   description->block_height = util_format_get_blockheight(base->format);
   description->block_bytes = util_format_get_blocksize(base->format);
   description->height = base->height0;
   description->depth = base->target == PIPE_TEXTURE_3D ? base->depth0 : 1;
   description->layers = base->target == PIPE_TEXTURE_3D ? 1 : MAX2(base->array_size, 1);
   description->is_displayable = resource->display_target != NULL;
}

uint32_t
tbr_resource_announce(struct tbr_context *context, struct tbr_resource *resource)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);

   uint32_t id = p_atomic_read(&resource->id);
   if (!screen->model || p_atomic_read(&resource->announced_id) == id)
      return id;
   /* Another context may be about to announce it, too: once, and before either uses it; or to renew it. */
   simple_mtx_lock(&screen->announce_mutex);
   id = resource->id;
   if (resource->announced_id != id) {
      struct cm_resource_description description;
      describe(screen, resource, &description);
      assert(description.id && description.block_bytes);
      tbr_model_define_resource(screen->model, &description);
      p_atomic_set(&resource->announced_id, id);
      if (resource->label)
         tbr_names_announce_label(screen, resource);
   }
   simple_mtx_unlock(&screen->announce_mutex);
   return id;
}

void
tbr_resource_announce_read(struct tbr_context *context, struct tbr_resource *resource)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   if (!p_atomic_read(&resource->stored))
      return;
   /* A pass of another context that has been rendered is in the stream when the lock is free. */
   simple_mtx_lock(&screen->submit_lock);
   const bool stored = p_atomic_xchg(&resource->stored, false);
   if (stored && screen->model)
      tbr_model_define_name(screen->model, &(struct cm_name){.type = CM_NAME_READ, .number = resource->id});
   simple_mtx_unlock(&screen->submit_lock);
}

uint32_t
tbr_resource_user_buffer(struct tbr_context *context)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);

   simple_mtx_lock(&screen->announce_mutex);
   if (!screen->user_buffer_id && screen->model) {
      const struct tbr_resource buffer = {
         .base = {.target = PIPE_BUFFER, .width0 = USER_BUFFER_BYTES, .bind = PIPE_BIND_INDEX_BUFFER},
         .id = p_atomic_inc_return(&screen->next_resource_id),
      };
      struct cm_resource_description description;
      describe(screen, &buffer, &description);
      tbr_model_define_resource(screen->model, &description);
      screen->user_buffer_id = description.id;
   }
   const uint32_t id = screen->user_buffer_id;
   simple_mtx_unlock(&screen->announce_mutex);
   return id;
}
