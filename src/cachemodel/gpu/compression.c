/* SPDX-License-Identifier: MIT */
#include "gpu/compression.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/attribution_internal.h"
#include "gpu/gpu_internal.h"
#include "util/array.h"
#include "util/message.h"
#include "util/minmax.h"

/* Superblocks that are remembered: blocks of a superblock are missed one after another. */
#define NUM_SUPERBLOCKS 64

/* One that texture units have read. */
struct seen_superblock {
   const struct cm_compressed_image *image; /* NULL: none */
   uint32_t number;                         /* of the image's superblocks */
   struct cm_superblock superblock;
   struct {
      uint16_t begin, end; /* bursts of the body */
   } blocks[CM_SUPERBLOCK_BLOCKS];
};

struct cm_compression {
   struct cm_gpu *gpu;
   struct cm_access_stream *requests; /* of texture units; NULL: the hierarchy's */
   uint64_t used;                     /* bytes of addresses, from CM_BODIES_ADDRESS on */
   /* By their addresses, those that texture units see; and those that the pass has changed. */
   struct cm_compressed_image **visible, **changed;
   size_t visible_capacity, changed_capacity, num_visible, num_changed;
   bool lacks_contents; /* reported */
   uint64_t counts[CM_STREAM_COUNT][CM_COMPRESSION_EVENT_COUNT];

   /* Of the texture units, on the thread that simulates their caches. */
   uint32_t read_bytes;               /* that are read at once behind the first texture caches */
   struct cm_compressed_image *found; /* the image that was found last; NULL: none */
   uint64_t gap, gap_end;             /* addresses where none was found last, as far as there is none */
   struct seen_superblock superblocks[NUM_SUPERBLOCKS]; /* by number */
   bool out_of_memory;
};

/* For who has caused it, too. */
static inline void
add(struct cm_compression *compression, enum cm_stream stream, enum cm_compression_event event,
    uint64_t count)
{
   const struct cm_gpu_attribution *attribution = compression->gpu->attribution;
   compression->counts[stream][event] += count;
   if (attribution)
      cm_attribution_count(attribution->counts,
                           attribution->first_of_compression + CM_COMPRESSION_COLUMN(stream, event), count);
}

/* ---- images ------------------------------------------------------------------ */

static uint32_t
layers_of(const struct cm_texture_layout *layout)
{
   return layout->layers > 1 ? layout->layers : layout->levels[0].slices;
}

struct cm_compressed_image *
cm_compression_find(const struct cm_resource *resource, uint32_t level, uint32_t layer)
{
   const struct cm_compressed_images *images = resource->compressed;
   assert(!images || (level < resource->layout->num_levels && layer < images->num_layers));
   return images ? images->images[level * images->num_layers + layer] : NULL;
}

/* Whether images of the resource can be compressed, as attachments of a stream. */
static bool
is_compressible(const struct cm_compression_config *config, const struct cm_resource *resource,
                enum cm_stream stream)
{
   const struct cm_resource_description *description = &resource->description;
   const bool is_color = stream == CM_STREAM_COLOR || stream == CM_STREAM_DISPLAY;
   const uint32_t is_on = !is_color                     ? config->depth
                          : description->is_displayable ? config->display
                                                        : config->color;
   return is_on && !resource->never_compressed && !(description->uses & CM_USE_OTHER) &&
          resource->layout->samples == 1 && resource->layout->block_width == 1 &&
          resource->layout->block_height == 1 && resource->layout->texel_shift != CM_NO_SHIFT &&
          resource->layout->texel_bytes <= config->most_pixel_bytes;
}

/* An image's memory. False when out of memory. */
static bool
add_surface(struct cm_compression *compression, struct cm_compressed_image *image)
{
   struct cm_compressed_surface *surface = &image->surface;
   cm_compressed_surface_init(surface, &compression->gpu->config.framebuffer_compression,
                              image->level->columns, image->level->rows, image->layout->texel_bytes);
   const size_t blocks = cm_compressed_surface_blocks(surface);
   const uint64_t bytes =
      cm_max64(cm_compressed_surface_body_bytes(surface), cm_compressed_surface_header_bytes(surface));
   surface->headers = CM_HEADERS_ADDRESS + compression->used;
   surface->bodies = CM_BODIES_ADDRESS + compression->used;
   surface->sizes = malloc(2 * blocks);
   if (!surface->sizes)
      return false;
   memset(surface->sizes, CM_RAW_SIZE, 2 * blocks);
   image->visible = surface->sizes + blocks;
   compression->used += (bytes + CM_PAGE_BYTES - 1) / CM_PAGE_BYTES * CM_PAGE_BYTES;
   return true;
}

/* NULL: blocks of memory are no rectangles of its pixels, or out of memory. */
static struct cm_compressed_image *
create_image(struct cm_gpu *gpu, const struct cm_resource *resource, enum cm_stream stream, uint32_t level,
             uint32_t layer)
{
   const struct cm_texture_layout *layout = resource->layout;
   struct cm_compressed_image form = {
      .resource = resource->description.id,
      .stream = stream,
      .layout = layout,
      .level = &layout->levels[level],
   };
   struct cm_block_shape unused;
   form.begin = resource->address + cm_texture_slice_offset(layout, form.level, layer);
   form.end = form.begin + form.level->slice_bytes;
   if (!cm_texture_block_shape(layout, form.level, form.begin, gpu->texture.block_shift, &form.shape) ||
       !cm_texture_block_shape(layout, form.level, form.begin, gpu->hierarchy.entry[stream].block_shift,
                               &unused))
      return NULL;
   form.has_blocks = 1u << form.shape.column_shift == CM_BLOCK_SIZE &&
                     1u << form.shape.row_shift == CM_BLOCK_SIZE &&
                     gpu->config.framebuffer_compression.reads == CM_BODY_READS_BLOCKS;
   struct cm_compressed_image *image = malloc(sizeof *image);
   if (image)
      *image = form;
   if (!image || !add_surface(gpu->compression, image)) {
      free(image);
      cm_gpu_out_of_memory(gpu);
      return NULL;
   }
   return image;
}

struct cm_compressed_image *
cm_compression_add(struct cm_gpu *gpu, struct cm_resource *resource, enum cm_stream stream, uint32_t level,
                   uint32_t layer)
{
   assert(!cm_compression_find(resource, level, layer));
   if (!is_compressible(&gpu->config.framebuffer_compression, resource, stream))
      return NULL;
   struct cm_compressed_image *image = create_image(gpu, resource, stream, level, layer);
   if (!image)
      return NULL;
   const uint32_t layers = layers_of(resource->layout);
   if (!resource->compressed) {
      resource->compressed =
         calloc(1, sizeof *resource->compressed +
                      (size_t)layers * resource->layout->num_levels * sizeof(struct cm_compressed_image *));
      if (resource->compressed) {
         resource->compressed->num_layers = layers;
         resource->compressed->count = layers * resource->layout->num_levels;
      }
   }
   if (!resource->compressed) {
      free(image->surface.sizes);
      free(image);
      cm_gpu_out_of_memory(gpu);
      return NULL;
   }
   return resource->compressed->images[level * layers + layer] = image;
}

void
cm_compressed_images_free(struct cm_compressed_images *images)
{
   for (uint32_t i = 0; images && i < images->count; i++) {
      if (!images->images[i])
         continue;
      free(images->images[i]->surface.sizes);
      free(images->images[i]->places);
      free(images->images[i]);
   }
   free(images);
}

static void
forget_found(struct cm_compression *compression)
{
   compression->found = NULL;
   compression->gap = compression->gap_end = 0;
}

/* Removes the images of a resource from a list. Returns how many are left. */
static size_t
without(struct cm_compressed_image **images, size_t count, uint32_t resource)
{
   size_t kept = 0;
   for (size_t i = 0; i < count; i++) {
      images[kept] = images[i];
      kept += images[i]->resource != resource;
   }
   return kept;
}

static void
forget_superblocks(struct cm_compression *compression)
{
   for (unsigned s = 0; s < NUM_SUPERBLOCKS; s++)
      compression->superblocks[s].image = NULL;
}

void
cm_compression_forget(struct cm_compression *compression, uint32_t id)
{
   compression->num_visible = without(compression->visible, compression->num_visible, id);
   compression->num_changed = without(compression->changed, compression->num_changed, id);
   forget_found(compression);
   forget_superblocks(compression);
}

void
cm_compression_give_up(struct cm_gpu *gpu, struct cm_resource *resource)
{
   resource->never_compressed = true;
   if (!resource->compressed)
      return;
   cm_compression_forget(gpu->compression, resource->description.id);
   cm_compressed_images_free(resource->compressed);
   resource->compressed = NULL;
}

/* ---- passes ------------------------------------------------------------------ */

void
cm_compression_change(struct cm_compression *compression, struct cm_compressed_image *image)
{
   if (image->is_changed)
      return;
   if (!cm_array_make_room(&compression->changed, &compression->changed_capacity, compression->num_changed, 1,
                           sizeof *compression->changed)) {
      cm_gpu_out_of_memory(compression->gpu);
      return;
   }
   compression->changed[compression->num_changed++] = image;
   image->is_changed = true;
}

void
cm_compression_begin_pass(struct cm_compression *compression)
{
   const struct cm_pass *pass = compression->gpu->pass;
   if (pass->contents || pass->kind == CM_PASS_COMPUTE || compression->lacks_contents)
      return;
   compression->lacks_contents = true;
   cm_message(CM_MESSAGE_INFO,
              "framebuffer_compression has no effect: the events do not say how small pixels "
              "become (recordings of versions before 13 do not)");
}

/* Makes an image visible to texture units. */
static void
publish(struct cm_compression *compression, struct cm_compressed_image *image)
{
   size_t at = compression->num_visible;
   while (at && compression->visible[at - 1]->begin > image->begin)
      at--;
   if (at && compression->visible[at - 1] == image)
      return;
   if (!cm_array_make_room(&compression->visible, &compression->visible_capacity, compression->num_visible, 1,
                           sizeof *compression->visible)) {
      cm_gpu_out_of_memory(compression->gpu);
      return;
   }
   memmove(compression->visible + at + 1, compression->visible + at,
           (compression->num_visible++ - at) * sizeof *compression->visible);
   compression->visible[at] = image;
   forget_found(compression);
}

/* What was in memory before is stale in caches that read past the tile buffers. */
static void
invalidate(struct cm_gpu *gpu, const struct cm_compressed_image *image)
{
   const struct cm_compressed_surface *surface = &image->surface;
   const uint64_t headers = cm_compressed_surface_header_bytes(surface),
                  bodies = cm_compressed_surface_body_bytes(surface);
   cm_gpu_attribute_resource(gpu, image->resource);
   cm_hierarchy_written_past(&gpu->hierarchy, &gpu->config, image->stream, surface->headers,
                             surface->headers + headers);
   cm_hierarchy_written_past(&gpu->hierarchy, &gpu->config, image->stream, surface->bodies,
                             surface->bodies + bodies);
}

void
cm_compression_end_pass(struct cm_compression *compression)
{
   struct cm_gpu *gpu = compression->gpu;
   struct cm_cache *headers = gpu->hierarchy.caches[CM_UNIT_HEADER_CACHE];
   for (uint32_t i = 0; headers && i < gpu->hierarchy.instances[CM_UNIT_HEADER_CACHE]; i++)
      cm_cache_empty(&headers[i], true);
   for (size_t i = 0; i < compression->num_changed; i++) {
      struct cm_compressed_image *image = compression->changed[i];
      const struct cm_resource *resource = cm_address_space_use(&gpu->space, image->resource);
      memcpy(image->visible, image->surface.sizes, cm_compressed_surface_blocks(&image->surface));
      image->is_changed = false;
      publish(compression, image);
      if (resource && resource->sampled)
         invalidate(gpu, image);
   }
   if (compression->num_changed)
      forget_superblocks(compression);
   compression->num_changed = 0;
}

/* ---- texture units ----------------------------------------------------------- */

/* Remembers the image that has an address, or those around it. */
static void
search_visible(struct cm_compression *compression, uint64_t address)
{
   struct cm_compressed_image *const *images = compression->visible;
   size_t below = 0, end = compression->num_visible; /* images that begin up to the address */
   while (below < end) {
      const size_t middle = (below + end) / 2;
      if (images[middle]->begin <= address)
         below = middle + 1;
      else
         end = middle;
   }
   if (below && address < images[below - 1]->end) {
      compression->found = images[below - 1];
      return;
   }
   compression->gap = below ? images[below - 1]->end : 0;
   compression->gap_end = below < compression->num_visible ? images[below]->begin : UINT64_MAX;
}

static inline bool
has_address(const struct cm_compressed_image *image, uint64_t address)
{
   return image && address >= image->begin && address < image->end;
}

static inline struct cm_compressed_image *
find_visible(struct cm_compression *compression, uint64_t address)
{
   if (address >= compression->gap && address < compression->gap_end)
      return NULL;
   if (!has_address(compression->found, address))
      search_visible(compression, address);
   return has_address(compression->found, address) ? compression->found : NULL;
}

#define NO_PLACE UINT32_MAX

static uint32_t
place_of(const struct cm_compressed_image *image, uint32_t column, uint32_t row)
{
   const struct cm_compressed_surface *surface = &image->surface;
   const unsigned column_shift = surface->column_shift, row_shift = surface->row_shift;
   if (!image->has_blocks)
      return column | row << 16;
   const uint32_t number = (row >> row_shift) * surface->superblocks_x + (column >> column_shift);
   const uint32_t block =
      (row & ((1u << row_shift) - 1)) << column_shift | (column & ((1u << column_shift) - 1));
   return number * CM_SUPERBLOCK_BLOCKS + block;
}

/* Which pixels each block of the image has. False when out of memory. */
static bool
find_places(struct cm_compressed_image *image, unsigned block_shift)
{
   const size_t count = (size_t)((image->end - image->begin + (1u << block_shift) - 1) >> block_shift);
   const struct cm_block_shape shape = image->shape;
   image->places = malloc(count * sizeof *image->places);
   if (!image->places)
      return false;
   memset(image->places, 0xff, count * sizeof *image->places);
   for (uint32_t row = 0; row << shape.row_shift < image->level->rows; row++) {
      for (uint32_t column = 0; column << shape.column_shift < image->level->columns; column++) {
         const uint64_t offset =
            image->layout->placement->texel_offset(image->layout, image->level, column << shape.column_shift,
                                                   row << shape.row_shift);
         assert(offset >> block_shift < count);
         image->places[offset >> block_shift] = place_of(image, column, row);
      }
   }
   return true;
}

/* Reads what has [begin, end) behind the cache. Returns how many bytes. */
static inline uint64_t
read_range(const struct cm_compression *compression, struct cm_cache *cache, uint64_t begin, uint64_t end)
{
   const uint32_t bytes = compression->read_bytes;
   uint64_t read = 0;
   for (uint64_t address = begin & ~(uint64_t)(bytes - 1); address < end; address += bytes, read += bytes)
      cm_cache_read_next(cache, address, bytes, CM_STREAM_TEXTURE);
   return read;
}

static inline void
read_header(struct cm_compression *compression, const struct cm_superblock *superblock,
            struct cm_cache *cache)
{
   const struct cm_hierarchy *hierarchy = &compression->gpu->hierarchy;
   struct cm_cache *headers = hierarchy->caches[CM_UNIT_TEXTURE_HEADER_CACHE];
   const uint64_t address = superblock->header;
   add(compression, CM_STREAM_TEXTURE, CM_COMPRESSION_EVENT_SOLID + superblock->kind, 1);
   if (!headers) {
      const uint32_t bytes = compression->gpu->config.framebuffer_compression.header_bytes;
      add(compression, CM_STREAM_TEXTURE, CM_COMPRESSION_EVENT_HEADER_BYTES,
          read_range(compression, cache, address, address + bytes));
      return;
   }
   const uint32_t instances = hierarchy->instances[CM_UNIT_TEXTURE_HEADER_CACHE];
   if (instances > 1)
      headers += (size_t)(cache - hierarchy->caches[cache->unit]) % instances;
   if (headers->attribution)
      cm_cache_attribute_access(headers, address, CM_STREAM_TEXTURE, CM_READ);
   cm_cache_access(headers, address, CM_STREAM_TEXTURE, CM_READ);
}

static void
see_superblock(struct seen_superblock *seen, const struct cm_compressed_image *image, uint32_t number)
{
   const struct cm_compressed_surface *surface = &image->surface;
   const struct cm_superblock *superblock = &seen->superblock;
   seen->image = image;
   seen->number = number;
   cm_superblock_init(&seen->superblock, surface, image->visible, number % surface->superblocks_x,
                      number / surface->superblocks_x);
   const unsigned shift = (unsigned)__builtin_ctz(surface->config->burst);
   assert(superblock->body % surface->config->burst == 0);
   for (uint32_t b = 0; image->has_blocks && b < superblock->num_blocks; b++) {
      uint64_t begin, end;
      const bool has_body = cm_superblock_block(superblock, surface, b, &begin, &end);
      seen->blocks[b].begin = has_body ? (uint16_t)((begin - superblock->body) >> shift) : 0;
      seen->blocks[b].end = has_body ? (uint16_t)((end - superblock->body) >> shift) : 0;
   }
}

/* A superblock as texture units see it. */
static inline const struct seen_superblock *
find_superblock(struct cm_compression *compression, const struct cm_compressed_image *image, uint32_t number)
{
   struct seen_superblock *seen =
      &compression->superblocks[(number ^ number / NUM_SUPERBLOCKS) % NUM_SUPERBLOCKS];
   if (seen->image != image || seen->number != number)
      see_superblock(seen, image, number);
   return seen;
}

/* Reads what a superblock has of a rectangle of the image, but for what is before *read_to. */
static void
read_superblock(struct cm_compression *compression, struct cm_cache *cache,
                const struct cm_compressed_image *image, uint32_t number, struct cm_superblock_part part,
                uint64_t *read_to)
{
   const struct cm_superblock *superblock = &find_superblock(compression, image, number)->superblock;
   const uint64_t bytes = compression->read_bytes;
   uint32_t block = 0;
   uint64_t begin = superblock->body, end = superblock->body;
   read_header(compression, superblock, cache);
   while (cm_superblock_next(superblock, &image->surface, part, &block, &begin, &end)) {
      add(compression, CM_STREAM_TEXTURE, CM_COMPRESSION_EVENT_BODY_BYTES,
          read_range(compression, cache, cm_max64(begin, *read_to), end));
      *read_to = cm_max64(*read_to, (end + bytes - 1) & ~(bytes - 1));
   }
}

/* A block of the cache that has any pixels of the image; their column and row, in such blocks. */
static void
read_rectangle(struct cm_compression *compression, struct cm_cache *cache,
               const struct cm_compressed_image *image, uint32_t column, uint32_t row)
{
   const struct cm_compressed_surface *surface = &image->surface;
   const uint32_t x0 = column << image->shape.column_shift, y0 = row << image->shape.row_shift;
   const uint32_t x1 = cm_min(x0 + (1u << image->shape.column_shift), surface->columns),
                  y1 = cm_min(y0 + (1u << image->shape.row_shift), surface->rows);
   const uint32_t width = surface->config->superblock_width, height = surface->config->superblock_height;
   uint64_t read_to = 0;
   for (uint32_t y = y0 / height; y * height < y1; y++) {
      for (uint32_t x = x0 / width; x * width < x1; x++)
         read_superblock(compression, cache, image, y * surface->superblocks_x + x,
                         cm_superblock_part_of(surface, x, y, x0, y0, x1, y1), &read_to);
   }
}

/* The usual case: the cache's block is one of 4x4 pixels. */
static inline void
read_block(struct cm_compression *compression, struct cm_cache *cache,
           const struct cm_compressed_image *image, uint32_t place)
{
   const struct seen_superblock *seen = find_superblock(compression, image, place / CM_SUPERBLOCK_BLOCKS);
   const uint32_t block = place % CM_SUPERBLOCK_BLOCKS;
   const uint64_t body = seen->superblock.body, burst = image->surface.config->burst;
   const uint64_t begin = seen->blocks[block].begin, end = seen->blocks[block].end;
   read_header(compression, &seen->superblock, cache);
   if (begin < end)
      add(compression, CM_STREAM_TEXTURE, CM_COMPRESSION_EVENT_BODY_BYTES,
          read_range(compression, cache, body + begin * burst, body + end * burst));
}

/* False: the block has no pixels of the image, or out of memory. */
static bool
fetch_from(struct cm_compression *compression, struct cm_cache *cache, struct cm_compressed_image *image,
           uint64_t address)
{
   if (!image->places && !find_places(image, cache->block_shift)) {
      compression->out_of_memory = true;
      return false;
   }
   const uint32_t place = image->places[(address - image->begin) >> cache->block_shift];
   if (place == NO_PLACE)
      return false;
   struct cm_access_stream *requests =
      compression->requests ? compression->requests : compression->gpu->hierarchy.requests;
   if (requests)
      cm_access_stream_append(requests, cm_entry_make(CM_ENTRY_FILL, cache->unit, 0, CM_STREAM_TEXTURE,
                                                      address >> CM_ENTRY_ADDRESS_SHIFT));
   add(compression, CM_STREAM_TEXTURE, CM_COMPRESSION_EVENT_RAW_BYTES, 1ull << cache->block_shift);
   if (image->has_blocks)
      read_block(compression, cache, image, place);
   else
      read_rectangle(compression, cache, image, place & 0xffff, place >> 16);
   return true;
}

void
cm_compression_report(struct cm_compression *compression, struct cm_access_stream *requests)
{
   if (compression)
      compression->requests = requests;
}

/* cm_cache.fetch of the first texture caches. */
static bool
fetch_texels(void *context, struct cm_cache *cache, uint64_t block, enum cm_stream stream)
{
   const uint64_t address = block << cache->block_shift;
   struct cm_compressed_image *image = stream == CM_STREAM_TEXTURE ? find_visible(context, address) : NULL;
   return image && fetch_from(context, cache, image, address);
}

/* ---- building, counters ------------------------------------------------------ */

struct cm_compression *
cm_compression_create(struct cm_gpu *gpu)
{
   const enum cm_unit unit = gpu->config.streams[CM_STREAM_TEXTURE];
   struct cm_compression *compression = calloc(1, sizeof *compression);
   if (!compression)
      return NULL;
   compression->gpu = gpu;
   const struct cm_cache *next = gpu->hierarchy.caches[unit][0].next;
   compression->read_bytes = next ? 1u << next->block_shift : gpu->config.framebuffer_compression.burst;
   for (uint32_t i = 0; i < gpu->hierarchy.instances[unit]; i++)
      cm_cache_fetch_by(&gpu->hierarchy.caches[unit][i], fetch_texels, compression);
   return compression;
}

void
cm_compression_destroy(struct cm_compression *compression)
{
   if (!compression)
      return;
   free(compression->visible);
   free(compression->changed);
   free(compression);
}

bool
cm_compression_is_complete(const struct cm_compression *compression)
{
   return !compression || !compression->out_of_memory;
}

void
cm_compression_count(struct cm_compression *compression, enum cm_stream stream,
                     enum cm_compression_event event, uint64_t count)
{
   add(compression, stream, event, count);
}

static bool
list(const struct cm_config *config, struct cm_counter_table *table)
{
   static const struct cm_counter_text texts[] = {CM_COMPRESSION_EVENTS(CM_COUNTER_TEXT)};
   static const enum cm_stream streams[] = {CM_STREAM_COLOR, CM_STREAM_DEPTH, CM_STREAM_STENCIL,
                                            CM_STREAM_DISPLAY, CM_STREAM_TEXTURE};
   bool ok = true;
   for (unsigned s = 0; ok && s < sizeof streams / sizeof streams[0]; s++) {
      const int events =
         streams[s] == CM_STREAM_TEXTURE ? CM_COMPRESSION_EVENT_PARTIAL : CM_COMPRESSION_EVENT_COUNT;
      char prefix[64], description[96];
      if (config->framebuffer_compression.mode == CM_COMPRESSION_NONE ||
          !cm_config_has_stream(config, streams[s]))
         continue;
      snprintf(prefix, sizeof prefix, "framebuffer_compression.%s.", cm_stream_names[streams[s]]);
      snprintf(description, sizeof description,
               "compressed images, %s: ", cm_stream_descriptions[streams[s]]);
      ok = cm_counter_table_append_texts(table, texts, events, (int)CM_COMPRESSION_COLUMN(streams[s], 0),
                                         prefix, description);
   }
   return ok;
}

/* What the caches of headers read and write, if there are any: all, or what a row of attribution has. */
static uint64_t
cached_header_bytes(const struct cm_gpu *gpu, enum cm_stream stream, const uint64_t *row)
{
   const struct cm_hierarchy *hierarchy = &gpu->hierarchy;
   const enum cm_unit unit =
      stream == CM_STREAM_TEXTURE ? CM_UNIT_TEXTURE_HEADER_CACHE : CM_UNIT_HEADER_CACHE;
   static const enum cm_cache_event moved[] = {CM_CACHE_EVENT_FILLS, CM_CACHE_EVENT_WRITEBACKS};
   uint64_t blocks = 0;
   for (unsigned e = 0; hierarchy->caches[unit] && e < 2; e++) {
      const struct cm_counter counter = {.unit = (int)unit,
                                         .instance = -1,
                                         .stream = (int)stream,
                                         .event = moved[e]};
      blocks += row ? cm_attribution_value(gpu->attribution->counts, row, &counter)
                    : cm_hierarchy_counter(hierarchy, &counter);
   }
   return hierarchy->caches[unit] ? blocks << hierarchy->caches[unit]->block_shift : 0;
}

/* With what the caches of headers have counted. */
static uint64_t
complete(const struct cm_gpu *gpu, const struct cm_counter *counter, uint64_t count, const uint64_t *row)
{
   const enum cm_stream stream = (enum cm_stream)(counter->event / CM_COMPRESSION_EVENT_COUNT);
   const bool is_of_headers =
      counter->event % CM_COMPRESSION_EVENT_COUNT == CM_COMPRESSION_EVENT_HEADER_BYTES;
   return count + (is_of_headers ? cached_header_bytes(gpu, stream, row) : 0);
}

uint64_t
cm_compression_attributed(const struct cm_gpu *gpu, const struct cm_counter *counter, const uint64_t *row)
{
   return complete(gpu, counter, row[gpu->attribution->first_of_compression + (uint32_t)counter->event], row);
}

static uint64_t
read_counter(const void *data, const struct cm_counter *counter)
{
   const struct cm_compression *compression = data;
   return complete(compression->gpu, counter, (&compression->counts[0][0])[counter->event], NULL);
}

const struct cm_counter_source cm_compression_counters = {list, read_counter};
