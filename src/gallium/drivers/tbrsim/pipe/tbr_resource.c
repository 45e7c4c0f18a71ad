/* SPDX-License-Identifier: MIT */
/** Resources as Gallium asks for them: their layout in memory, creation, display targets. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/format/u_format.h"
#include "util/u_atomic.h"
#include "util/u_inlines.h"
#include "util/u_math.h"
#include "util/u_memory.h"
#include "pass/tbr_hazards.h"
#include "pipe/tbr_functions.h"
#include "state/tbr_resource.h"
#include "state/tbr_screen.h"
#include "tile/tbr_decoding.h"

/** What an int's byte offsets reach, in generated code and in the texture unit. */
#define MAX_RESOURCE_BYTES (1ull << 31)

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
      resource->row_stride[level] = align(row, row >= TBR_MEMORY_ALIGNMENT ? TBR_MEMORY_ALIGNMENT : 16);
      resource->layer_stride[level] =
         align64((uint64_t)resource->row_stride[level] * rows, TBR_MEMORY_ALIGNMENT);
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
   /* Whatever rate was asked for: Mesa answers queries with this, and refuses to share what is lossy. */
   resource->base.compression_rate = PIPE_COMPRESSION_FIXED_RATE_NONE;
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
                                   resource->base.height0, TBR_MEMORY_ALIGNMENT, resource->front_drawable,
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
      resource->storage = tbr_storage_create(lay_out(resource));
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

/** Memory of a resource that belongs to somebody else. */
static struct tbr_storage *
describe_memory(uint8_t *memory, uint64_t bytes)
{
   struct tbr_storage *storage = CALLOC_STRUCT(tbr_storage);
   if (!storage)
      return NULL;
   pipe_reference_init(&storage->reference, 1);
   storage->memory = memory;
   storage->bytes = bytes;
   return storage;
}

struct pipe_resource *
tbr_resource_create_unbacked(struct pipe_screen *screen, const struct pipe_resource *template,
                             uint64_t *bytes)
{
   if (template->target != PIPE_BUFFER && !can_create_resource(screen, template))
      return NULL;
   struct tbr_resource *resource = create_object(screen, template);
   if (!resource)
      return NULL;
   resource->base.flags |= PIPE_RESOURCE_FLAG_MAP_PERSISTENT;
   *bytes = lay_out(resource);
   resource->storage = describe_memory(NULL, *bytes);
   if (!resource->storage) {
      free_object(resource);
      return NULL;
   }
   return &resource->base;
}

bool
tbr_resource_bind_memory(struct tbr_resource *resource, uint8_t *memory)
{
   assert(!resource->storage->memory);
   struct tbr_storage *storage = describe_memory(memory, resource->storage->bytes);
   if (storage)
      tbr_resource_replace_storage(resource, storage);
   return storage;
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
   resource->imported = true;
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

static void
resource_destroy(struct pipe_screen *screen, struct pipe_resource *base)
{
   struct tbr_resource *resource = tbr_resource(base);
   assert(resource->storage);
   tbr_resource_note_gone(resource);
   tbr_addresses_forget(resource);
   /* Batches that use the memory hold it. */
   tbr_storage_reference(&resource->storage, NULL);
   free_object(resource);
}

void
tbr_resource_init_screen(struct tbr_screen *screen)
{
   simple_mtx_init(&screen->announce_mutex, mtx_plain);
   simple_mtx_init(&screen->storage_lock, mtx_plain);
   tbr_addresses_init(&screen->addresses);
   simple_mtx_init(&screen->gone_lock, mtx_plain);
   util_dynarray_init(&screen->gone, NULL);
   screen->base.resource_create = resource_create;
   screen->base.resource_create_front = resource_create_front;
   screen->base.resource_destroy = resource_destroy;
   screen->base.resource_from_handle = resource_from_handle;
   screen->base.resource_get_handle = resource_get_handle;
   screen->base.can_create_resource = can_create_resource;
}
