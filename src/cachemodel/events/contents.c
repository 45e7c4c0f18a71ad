/* SPDX-License-Identifier: MIT */
#include "events/contents.h"

#include <assert.h>
#include <stdlib.h>

#include "util/array.h"
#include "util/id_table.h"
#include "util/minmax.h"

/* What a pass has stored in an attachment. */
struct store {
   struct cm_store_end end;
   uint32_t images; /* that still have it; 0: the store is free */
   bool was_read, is_kept;
   uint32_t next_free; /* of the free ones: 1 + its number; 0: none */
};

/* An image: a level and layer of an attachment's resource. */
struct image {
   uint16_t layer;
   uint8_t level;
   uint32_t store; /* 1 + the number of the last one; 0: there is none, or it was replaced */
   uint32_t next;  /* of the resource's images: 1 + its number; 0: none */
};

/* A texture, or a window. */
struct resource {
   struct cm_resource_description description;
   uint32_t first_image; /* 1 + its number; 0: no pass draws to it */
};

struct cm_contents {
   struct cm_id_table ids;
   struct resource *resources; /* by their index there */
   size_t resources_capacity;
   struct image *images;
   size_t num_images, images_capacity;
   struct store *stores;
   size_t num_stores, stores_capacity;
   uint32_t free_store; /* 1 + its number; 0: none */
   struct cm_store_end *ends;
   size_t num_ends, ends_capacity;
   bool were_taken; /* the ends */
   uint64_t passes;
};

struct cm_contents *
cm_contents_create(void)
{
   return calloc(1, sizeof(struct cm_contents));
}

void
cm_contents_destroy(struct cm_contents *contents)
{
   if (!contents)
      return;
   cm_id_table_finish(&contents->ids);
   free(contents->resources);
   free(contents->images);
   free(contents->stores);
   free(contents->ends);
   free(contents);
}

/* ---- resources and images --------------------------------------------------------- */

static struct resource *
find_resource(const struct cm_contents *contents, uint32_t id)
{
   const uint32_t index = cm_id_table_find(&contents->ids, id);
   assert(index == CM_NO_INDEX || index < contents->ids.count);
   return index == CM_NO_INDEX ? NULL : &contents->resources[index];
}

bool
cm_contents_define_resource(struct cm_contents *contents, const struct cm_resource_description *description)
{
   const uint32_t count = contents->ids.count;
   if (description->is_buffer)
      return true;
   const uint32_t index = cm_id_table_add(&contents->ids, description->id);
   if (index == CM_NO_INDEX || !cm_array_make_room(&contents->resources, &contents->resources_capacity, count,
                                                   1, sizeof *contents->resources))
      return false;
   if (index == count)
      contents->resources[index] = (struct resource){.description = *description};
   return true;
}

/* The image; NULL when out of memory. */
static struct image *
find_image(struct cm_contents *contents, struct resource *resource, uint8_t level, uint16_t layer)
{
   assert(resource->first_image <= contents->num_images);
   for (uint32_t i = resource->first_image; i; i = contents->images[i - 1].next) {
      if (contents->images[i - 1].level == level && contents->images[i - 1].layer == layer)
         return &contents->images[i - 1];
   }
   if (!cm_array_make_room(&contents->images, &contents->images_capacity, contents->num_images, 1,
                           sizeof *contents->images))
      return NULL;
   struct image *image = &contents->images[contents->num_images++];
   *image = (struct image){.level = level, .layer = layer, .next = resource->first_image};
   resource->first_image = (uint32_t)contents->num_images;
   return image;
}

/* The layers of an attachment that exist. */
static uint32_t
count_layers(const struct resource *resource, const struct cm_attachment *attachment)
{
   const uint32_t images = cm_max(resource->description.layers, resource->description.depth);
   return attachment->layer < images ? cm_min(attachment->more_layers + 1u, images - attachment->layer) : 0;
}

/* ---- stores ------------------------------------------------------------------------ */

static bool
add_end(struct cm_contents *contents, const struct store *store, enum cm_store_fate fate)
{
   if (contents->were_taken)
      contents->num_ends = 0;
   contents->were_taken = false;
   if (!cm_array_make_room(&contents->ends, &contents->ends_capacity, contents->num_ends, 1,
                           sizeof *contents->ends))
      return false;
   contents->ends[contents->num_ends] = store->end;
   contents->ends[contents->num_ends++].fate = fate;
   return true;
}

const struct cm_store_end *
cm_contents_ends(struct cm_contents *contents, uint32_t *count)
{
   *count = contents->were_taken ? 0 : (uint32_t)contents->num_ends;
   contents->were_taken = true;
   return contents->ends;
}

/* A store of the next pass, without an image; NULL when out of memory. */
static struct store *
new_store(struct cm_contents *contents, uint32_t resource, unsigned slot)
{
   assert(contents->free_store <= contents->num_stores && slot < CM_SLOTS);
   struct store *store;
   if (contents->free_store) {
      store = &contents->stores[contents->free_store - 1];
      contents->free_store = store->next_free;
   } else {
      if (!cm_array_make_room(&contents->stores, &contents->stores_capacity, contents->num_stores, 1,
                              sizeof *contents->stores))
         return NULL;
      store = &contents->stores[contents->num_stores++];
   }
   *store = (struct store){.end = {.pass = contents->passes, .resource = resource, .slot = (uint8_t)slot}};
   return store;
}

/* What is stored in an image is needed: it is read, or kept. */
static bool
need_image(struct cm_contents *contents, const struct image *image, enum cm_store_fate fate)
{
   assert(image->store <= contents->num_stores && fate != CM_STORE_REPLACED);
   struct store *store = image->store ? &contents->stores[image->store - 1] : NULL;
   const bool is_known = !store || store->was_read || (store->is_kept && fate == CM_STORE_KEPT);
   if (is_known)
      return true;
   if (fate == CM_STORE_READ)
      store->was_read = true;
   store->is_kept = true;
   return add_end(contents, store, fate);
}

/* The image has its store no more. The store, where no other image has it either; else NULL. */
static struct store *
leave_store(struct cm_contents *contents, struct image *image)
{
   const uint32_t number = image->store;
   image->store = 0;
   if (!number || --contents->stores[number - 1].images)
      return NULL;
   assert(number <= contents->num_stores);
   contents->stores[number - 1].next_free = contents->free_store;
   contents->free_store = number;
   return &contents->stores[number - 1];
}

/* What is stored in an image is replaced. */
static bool
replace_image(struct cm_contents *contents, struct image *image)
{
   const struct store *store = leave_store(contents, image);
   return !store || store->was_read || store->is_kept || add_end(contents, store, CM_STORE_REPLACED);
}

bool
cm_contents_read(struct cm_contents *contents, uint32_t id)
{
   const struct resource *resource = find_resource(contents, id);
   bool ok = true;
   for (uint32_t i = resource ? resource->first_image : 0; i; i = contents->images[i - 1].next)
      ok &= need_image(contents, &contents->images[i - 1], CM_STORE_READ);
   return ok;
}

bool
cm_contents_frame_end(struct cm_contents *contents)
{
   assert(contents->ids.count <= contents->resources_capacity);
   bool ok = true;
   for (uint32_t r = 0; r < contents->ids.count; r++) {
      const struct resource *resource = &contents->resources[r];
      uint32_t i = resource->description.is_displayable ? resource->first_image : 0;
      for (; i; i = contents->images[i - 1].next)
         ok &= need_image(contents, &contents->images[i - 1], CM_STORE_KEPT);
   }
   return ok;
}

/* ---- a pass ------------------------------------------------------------------------- */

bool
cm_contents_pass_reads(struct cm_contents *contents, const struct cm_pass *pass)
{
   bool ok = true;
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      for (uint32_t unit = 0; unit < pass->draws[d].num_textures; unit++)
         ok &= cm_contents_read(contents, pass->draws[d].textures[unit].resource);
   }
   /* What shaders load and store is needed. Buffers are not drawn to. */
   for (uint32_t s = 0; s < pass->num_storages; s++) {
      for (uint32_t i = 0; i < pass->storages[s].num_images; i++)
         ok &= cm_contents_read(contents, pass->storages[s].images[i].resource);
   }
   for (uint32_t b = 0; b < pass->num_vertex_bindings; b++)
      ok &= cm_contents_read(contents, pass->vertex_bindings[b].resource);
   return ok;
}

/* A stencil buffer in the depth buffer's memory moves with it. */
static bool
is_part_of_depth(const struct cm_pass *pass, unsigned slot)
{
   return slot == CM_SLOT_STENCIL && pass->stencil.resource == pass->depth.resource &&
          !pass->stencil.pixel_bytes;
}

/* Whether the pass replaces all of an attachment's pixels. */
static bool
replaces(const struct resource *resource, const struct cm_pass *pass, const struct cm_attachment *attachment)
{
   if (attachment->load || (!attachment->clear && !attachment->store))
      return false;
   const uint32_t level = cm_min(attachment->level, CM_MAX_LEVELS);
   if (pass->width < cm_max(resource->description.width >> level, 1) ||
       pass->height < cm_max(resource->description.height >> level, 1))
      return false;
   for (uint32_t t = 0; t < pass->tiles_x * pass->tiles_y; t++) {
      if (!pass->touched[t])
         return false;
   }
   return true;
}

/* An image as the pass begins: what was stored in it is read, replaced, or stays. */
static bool
begin_image(struct cm_contents *contents, const struct cm_attachment *attachment, bool replaced,
            struct image *image)
{
   if (replaced)
      return replace_image(contents, image);
   /* Where tiles are not touched, the rest of the image is kept. */
   if (attachment->load)
      return need_image(contents, image, CM_STORE_READ);
   return !attachment->store || need_image(contents, image, CM_STORE_KEPT);
}

/* All layers of an attachment. */
static bool
pass_attachment(struct cm_contents *contents, const struct cm_pass *pass, unsigned slot, uint16_t *stored)
{
   assert(slot < CM_SLOTS);
   const struct cm_attachment *attachment = cm_pass_attachment(pass, slot);
   struct resource *resource = find_resource(contents, attachment->resource);
   if (!resource || is_part_of_depth(pass, slot))
      return true;
   const bool replaced = replaces(resource, pass, attachment);
   struct store *store = NULL;
   for (uint32_t layer = 0; layer < count_layers(resource, attachment); layer++) {
      struct image *image =
         find_image(contents, resource, attachment->level, (uint16_t)(attachment->layer + layer));
      if (!image || !begin_image(contents, attachment, replaced, image))
         return false;
      if (!attachment->store)
         continue;
      leave_store(contents, image);
      if (!store && !(store = new_store(contents, attachment->resource, slot)))
         return false;
      store->images++;
      image->store = (uint32_t)(store - contents->stores) + 1;
   }
   if (store)
      *stored |= (uint16_t)(1 << slot);
   return true;
}

/* What a resolve writes may be a part: what is there stays. */
static bool
resolve_to(struct cm_contents *contents, const struct cm_resolve *resolve)
{
   struct resource *resource = find_resource(contents, resolve->resource);
   if (!resource)
      return true;
   if (!find_image(contents, resource, resolve->level, resolve->layer))
      return false;
   bool ok = true;
   for (uint32_t i = resource->first_image; i; i = contents->images[i - 1].next)
      ok &= need_image(contents, &contents->images[i - 1], CM_STORE_KEPT);
   return ok;
}

bool
cm_contents_pass_stores(struct cm_contents *contents, const struct cm_pass *pass, uint16_t *stored)
{
   *stored = 0;
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      if (!pass_attachment(contents, pass, slot, stored))
         return false;
   }
   for (uint32_t c = 0; c < CM_MAX_COLOR_ATTACHMENTS; c++) {
      if (!resolve_to(contents, &pass->resolve[c]))
         return false;
   }
   contents->passes++;
   return true;
}

bool
cm_contents_has_unread(struct cm_contents *contents, const struct cm_attachment *attachment, uint64_t pass)
{
   struct resource *resource = find_resource(contents, attachment->resource);
   for (uint32_t layer = 0; resource && layer < count_layers(resource, attachment); layer++) {
      const struct image *image =
         find_image(contents, resource, attachment->level, (uint16_t)(attachment->layer + layer));
      const struct store *store = image && image->store ? &contents->stores[image->store - 1] : NULL;
      if (!store || store->was_read || store->is_kept || store->end.pass != pass)
         return false;
   }
   return true;
}
