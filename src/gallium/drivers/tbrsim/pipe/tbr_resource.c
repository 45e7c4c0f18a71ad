/* SPDX-License-Identifier: MIT */
#include "pipe/tbr_resource.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/format/u_format.h"
#include "util/u_atomic.h"
#include "util/u_inlines.h"
#include "util/u_math.h"
#include "util/u_memory.h"
#include "pass/tbr_batch.h"
#include "pipe/tbr_context.h"
#include "tile/tbr_decoding.h"
#include "model/tbr_model.h"
#include "tile/tbr_renderer.h"

#define MEMORY_ALIGNMENT 64
/** Vector loads of a last element may reach past it. */
#define MEMORY_SLACK 64
/** What an int's byte offsets reach, in generated code and in the texture unit. */
#define MAX_RESOURCE_BYTES (1ull << 31)
/** Simulated bytes that stand for the application's own memory. */
#define USER_BUFFER_BYTES (64u << 20)

/* ---- storage ---------------------------------------------------------- */

static struct tbr_storage *
create_storage(uint64_t bytes)
{
   struct tbr_storage *storage = CALLOC_STRUCT(tbr_storage);
   if (!storage)
      return NULL;
   /* Zeroed, so that no image depends on what the memory was used for before. */
   storage->allocation = calloc(1, bytes + MEMORY_SLACK + MEMORY_ALIGNMENT);
   if (!storage->allocation) {
      FREE(storage);
      return NULL;
   }
   pipe_reference_init(&storage->reference, 1);
   storage->memory = (uint8_t *)align_uintptr((uintptr_t)storage->allocation, MEMORY_ALIGNMENT);
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

/** The resource gets other memory; the reference to it becomes the resource's. */
static void
replace_storage(struct tbr_resource *resource, struct tbr_storage *storage)
{
   struct tbr_screen *screen = tbr_screen(resource->base.screen);

   assert(storage->bytes == resource->storage->bytes && !resource->display_target);
   simple_mtx_lock(&screen->storage_lock);
   struct tbr_storage *old = resource->storage;
   p_atomic_set(&resource->storage, storage);
   simple_mtx_unlock(&screen->storage_lock);
   tbr_storage_reference(&old, NULL);
}

/* ---- layout ----------------------------------------------------------- */

/** Fills in strides and offsets of levels that begin at a byte; returns where they end. */
static uint64_t
lay_out_levels(struct tbr_resource *resource, uint64_t bytes)
{
   const struct pipe_resource *base = &resource->base;

   assert(base->last_level < TBR_MAX_LEVELS);
   if (base->target == PIPE_BUFFER) {
      resource->row_stride[0] = base->width0;
      resource->layer_stride[0] = base->width0;
      return base->width0;
   }

   for (unsigned level = 0; level <= base->last_level; level++) {
      const uint32_t row = util_format_get_stride(base->format, u_minify(base->width0, level));
      const uint32_t rows = util_format_get_nblocksy(base->format, u_minify(base->height0, level));

      resource->level_offset[level] = bytes;
      resource->row_stride[level] = align(row, row >= MEMORY_ALIGNMENT ? MEMORY_ALIGNMENT : 16);
      resource->layer_stride[level] = align64((uint64_t)resource->row_stride[level] * rows, MEMORY_ALIGNMENT);
      bytes += resource->layer_stride[level] * util_num_layers(base, level);
   }
   resource->sample_stride = bytes;
   return bytes * MAX2(base->nr_samples, 1);
}

/** How many decoded copies a resource has. */
static unsigned
count_decoded(const struct pipe_resource *base)
{
   if (base->target == PIPE_BUFFER || tbr_decoded_format(base->format) == PIPE_FORMAT_NONE)
      return 0;
   return tbr_other_sign(base->format) == PIPE_FORMAT_NONE ? 1 : 2;
}

/** Makes copies[0], copies[1] the resource's decoded copies, as many as it has. */
static void
describe_decoded(struct tbr_resource *resource, struct tbr_resource copies[2])
{
   const unsigned count = count_decoded(&resource->base);
   enum pipe_format format = resource->base.format;
   struct tbr_resource *of = resource;
   resource->decoded = NULL;
   for (unsigned i = 0; i < count; i++) {
      assert(resource->base.nr_samples <= 1);
      copies[i] = (struct tbr_resource){.base = resource->base};
      copies[i].base.format = tbr_decoded_format(format);
      of->decoded = &copies[i];
      of = &copies[i];
      format = tbr_other_sign(format);
   }
}

/** Fills in strides and offsets, returns the size in bytes. */
static uint64_t
lay_out(struct tbr_resource *resource)
{
   uint64_t bytes = 0;
   for (struct tbr_resource *copy = resource; copy; copy = copy->decoded)
      bytes = lay_out_levels(copy, bytes);
   return bytes;
}

static bool
can_create_resource(struct pipe_screen *screen, const struct pipe_resource *template)
{
   struct tbr_resource resource = {.base = *template}, decoded[2];
   describe_decoded(&resource, decoded);
   return template->last_level < TBR_MAX_LEVELS && lay_out(&resource) <= MAX_RESOURCE_BYTES;
}

/* ---- creation and destruction ------------------------------------------- */

static void
free_object(struct tbr_resource *resource)
{
   FREE(resource->decoded);
   FREE(resource);
}

static struct tbr_resource *
create_object(struct pipe_screen *base, const struct pipe_resource *template)
{
   struct tbr_resource *resource = CALLOC_STRUCT(tbr_resource);
   if (!resource)
      return NULL;
   resource->base = *template;
   resource->base.screen = base;
   resource->base.next = NULL;
   const unsigned num_decoded = count_decoded(template);
   if (num_decoded) {
      struct tbr_resource *decoded = CALLOC(num_decoded, sizeof(struct tbr_resource));
      if (!decoded) {
         FREE(resource);
         return NULL;
      }
      describe_decoded(resource, decoded);
   }
   pipe_reference_init(&resource->base.reference, 1);
   resource->id = p_atomic_inc_return(&tbr_screen(base)->next_resource_id);
   return resource;
}

/** Takes over a display target as the resource's memory. */
static bool
adopt_display_target(struct tbr_resource *resource, struct sw_winsys *winsys,
                     struct sw_displaytarget *display_target, unsigned stride, bool from_elsewhere)
{
   /* Of a front buffer only the address: mapped for reading, it would be read from the window at once, which
    * fails while the window is not shown; unmapped from writing, it would be shown. See tbr_resource_read_front. */
   assert(!resource->storage && !resource->base.last_level);
   const unsigned access = resource->front_drawable ? 0 : PIPE_MAP_READ_WRITE;
   struct tbr_storage *storage = CALLOC_STRUCT(tbr_storage);
   void *memory = storage ? winsys->displaytarget_map(winsys, display_target, access) : NULL;
   if (!memory) {
      FREE(storage);
      winsys->displaytarget_destroy(winsys, display_target);
      return false;
   }

   const unsigned rows = util_format_get_nblocksy(resource->base.format, resource->base.height0);
   pipe_reference_init(&storage->reference, 1);
   storage->memory = memory;
   storage->bytes = (uint64_t)stride * rows;
   storage->winsys = winsys;
   storage->display_target = display_target;
   if (!from_elsewhere)
      memset(memory, 0, storage->bytes);

   resource->storage = storage;
   resource->display_target = display_target;
   resource->row_stride[0] = stride;
   resource->layer_stride[0] = storage->bytes;
   resource->sample_stride = storage->bytes;
   return true;
}

static bool
create_display_target(struct tbr_resource *resource)
{
   struct sw_winsys *winsys = tbr_screen(resource->base.screen)->winsys;
   unsigned stride = 0;
   struct sw_displaytarget *display_target =
      winsys->displaytarget_create(winsys, resource->base.bind, resource->base.format, resource->base.width0,
                                   resource->base.height0, MEMORY_ALIGNMENT, resource->front_drawable,
                                   &stride);
   return display_target && adopt_display_target(resource, winsys, display_target, stride, false);
}

static bool
is_displayed(const struct pipe_resource *template)
{
   return template->target != PIPE_BUFFER &&
          (template->bind & (PIPE_BIND_DISPLAY_TARGET | PIPE_BIND_SCANOUT | PIPE_BIND_SHARED));
}

static struct pipe_resource *
resource_create_front(struct pipe_screen *base, const struct pipe_resource *template, const void *drawable)
{
   if (!can_create_resource(base, template))
      return NULL;
   struct tbr_resource *resource = create_object(base, template);
   if (!resource)
      return NULL;

   bool ok;
   if (is_displayed(template)) {
      resource->front_drawable = drawable;
      ok = create_display_target(resource);
   } else {
      resource->storage = create_storage(lay_out(resource));
      ok = resource->storage != NULL;
   }
   if (!ok) {
      free_object(resource);
      return NULL;
   }
   return &resource->base;
}

static struct pipe_resource *
resource_create(struct pipe_screen *screen, const struct pipe_resource *template)
{
   return resource_create_front(screen, template, NULL);
}

static struct pipe_resource *
resource_from_handle(struct pipe_screen *base, const struct pipe_resource *template,
                     struct winsys_handle *handle, unsigned usage)
{
   struct sw_winsys *winsys = tbr_screen(base)->winsys;
   if (!winsys->displaytarget_from_handle || template->target == PIPE_BUFFER || template->last_level)
      return NULL;
   struct tbr_resource *resource = create_object(base, template);
   if (!resource)
      return NULL;

   unsigned stride = 0;
   struct sw_displaytarget *display_target =
      winsys->displaytarget_from_handle(winsys, template, handle, &stride);
   if (!display_target || !adopt_display_target(resource, winsys, display_target, stride, true)) {
      free_object(resource);
      return NULL;
   }
   return &resource->base;
}

static bool
resource_get_handle(struct pipe_screen *base, struct pipe_context *context, struct pipe_resource *resource,
                    struct winsys_handle *handle, unsigned usage)
{
   struct sw_winsys *winsys = tbr_screen(base)->winsys;
   struct sw_displaytarget *display_target = tbr_resource(resource)->display_target;
   return display_target && winsys->displaytarget_get_handle &&
          winsys->displaytarget_get_handle(winsys, display_target, handle);
}

/* ---- resources that the model can forget ---------------------------------- */

/** Batches that another context may have begun, with the resource in their events, since it was replaced here. */
#define BATCHES_BETWEEN_CONTEXTS 64

/** One that no draw names any more. */
struct tbr_gone_resource {
   uint32_t id;
   uint64_t sequence; /**< batches before this one may name it */
};

/** The resource is destroyed, or becomes another one in the event stream. */
static void
note_gone(struct tbr_screen *screen, const struct tbr_resource *resource)
{
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

static void
resource_destroy(struct pipe_screen *screen, struct pipe_resource *base)
{
   struct tbr_resource *resource = tbr_resource(base);
   assert(resource->storage);
   note_gone(tbr_screen(screen), resource);
   /* Batches that use the memory hold it. */
   tbr_storage_reference(&resource->storage, NULL);
   free_object(resource);
}

/* ---- hazards ---------------------------------------------------------- */

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
   note_gone(tbr_screen(context->base.screen), resource);
   resource->id = p_atomic_inc_return(&tbr_screen(context->base.screen)->next_resource_id);
   p_atomic_set(&resource->last_read, 0);
   p_atomic_set(&resource->reader, NULL);
   p_atomic_set(&resource->last_write, 0);
   p_atomic_set(&resource->stored, false);
   tbr_state_storage_replaced(context, resource);
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
   tbr_state_release_storage(context, resource->storage);

   /* A reference more than the resource's own: another context draws with the memory. */
   if (!is_read_by_recording(context, resource) && !is_being_read(context, resource) &&
       tbr_renderer_done(screen->renderer, last_write) &&
       p_atomic_read(&resource->storage->reference.count) == 1) {
      memset(resource->storage->memory, 0, resource->storage->bytes);
   } else {
      struct tbr_storage *fresh = create_storage(resource->storage->bytes);
      if (!fresh)
         return false;
      replace_storage(resource, fresh);
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
   struct tbr_storage *copy = create_storage(resource->storage->bytes);
   if (!copy)
      return false;
   tbr_batch_finish(context, p_atomic_read(&resource->last_write), reason);
   struct tbr_storage *original = NULL;
   tbr_resource_hold(resource, &original);
   memcpy(copy->memory, original->memory, copy->bytes);
   tbr_storage_reference(&original, NULL);
   tbr_resource_announce_read(context, resource);
   replace_storage(resource, copy);
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

bool
tbr_resource_is_stale_front(const struct tbr_resource *resource)
{
   return resource->front_drawable && p_atomic_read(&resource->last_write) == resource->displayed_write;
}

void
tbr_resource_refresh_front(struct tbr_context *context, struct tbr_resource *resource)
{
   if (!tbr_resource_is_stale_front(resource))
      return;
   tbr_resource_wait(context, resource, true, CM_END_READ);
   tbr_resource_read_front(resource);
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

void
tbr_resource_announce(struct tbr_context *context, struct tbr_resource *resource)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);

   if (!screen->model || p_atomic_read(&resource->announced_id) == resource->id)
      return;
   /* Another context may be about to announce it, too: once, and before either uses it. */
   simple_mtx_lock(&screen->announce_mutex);
   if (resource->announced_id != resource->id) {
      struct cm_resource_description description;
      describe(screen, resource, &description);
      assert(description.id && description.block_bytes);
      tbr_model_define_resource(screen->model, &description);
      p_atomic_set(&resource->announced_id, resource->id);
      if (resource->label)
         tbr_names_announce_label(screen, resource);
   }
   simple_mtx_unlock(&screen->announce_mutex);
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

void
tbr_resource_init_screen(struct tbr_screen *screen)
{
   simple_mtx_init(&screen->announce_mutex, mtx_plain);
   simple_mtx_init(&screen->storage_lock, mtx_plain);
   simple_mtx_init(&screen->gone_lock, mtx_plain);
   util_dynarray_init(&screen->gone, NULL);
   screen->base.resource_create = resource_create;
   screen->base.resource_create_front = resource_create_front;
   screen->base.resource_destroy = resource_destroy;
   screen->base.resource_from_handle = resource_from_handle;
   screen->base.resource_get_handle = resource_get_handle;
   screen->base.can_create_resource = can_create_resource;
}
