/* SPDX-License-Identifier: MIT */
#include "gpu/tiled/elimination.h"

#include <assert.h>
#include <string.h>

#include "gpu/attribution_internal.h"
#include "gpu/gpu_internal.h"
#include "gpu/tiled/stages.h"
#include "util/message.h"

/* Bytes of an attribute in the Parameter Buffer, and of what says which shader and state a draw has. */
#define ATTRIBUTE_BYTES 48
#define STATE_BYTES 8

/* In masks of what is the same: as in the n-th frame before. */
static unsigned
frame_bit(uint32_t n)
{
   return (unsigned)CM_SAME_AS_FRAME << (n - 1);
}

void
cm_elimination_init(struct cm_elimination_stage *elimination, struct cm_gpu *gpu)
{
   elimination->gpu = gpu;
   elimination->is_on = cm_config_has_transaction_elimination(&gpu->config) ||
                        cm_config_has_rendering_elimination(&gpu->config);
}

void
cm_elimination_finish(struct cm_elimination_stage *elimination)
{
   cm_id_table_finish(&elimination->attachments);
   CM_FREE_ARRAYS(&elimination->counted, &elimination->last_draws);
}

/* ---- signatures in memory -------------------------------------------------------- */

static void
access_line(struct cm_elimination_stage *elimination, const struct cm_signature_line *line, bool write)
{
   struct cm_hierarchy *hierarchy = &elimination->gpu->hierarchy;
   cm_hierarchy_access_range(hierarchy, 0, line->address, 1ull << CM_DRAM_BLOCK_SHIFT, line->stream, write);
}

static void
write_back(struct cm_elimination_stage *elimination, const struct cm_signature_line *line)
{
   if (line->dirty)
      access_line(elimination, line, true);
}

/* Brings the block of an address on chip, in place of the one not used for longest. */
static struct cm_signature_line *
use_line(struct cm_elimination_stage *elimination, uint64_t address, enum cm_stream stream)
{
   struct cm_signature_lines *lines = &elimination->lines;
   const uint32_t size = elimination->gpu->config.transaction_elimination.lines;
   struct cm_signature_line used = {.address = address, .stream = stream};
   uint32_t n = 0;
   while (n < lines->count && lines->lines[n].address != address)
      n++;
   if (n < lines->count) {
      used = lines->lines[n];
   } else {
      if (lines->count == size)
         write_back(elimination, &lines->lines[n = size - 1]);
      else
         lines->count++;
      access_line(elimination, &used, false);
   }
   memmove(&lines->lines[1], &lines->lines[0], n * sizeof used);
   lines->lines[0] = used;
   return &lines->lines[0];
}

/* ---- the images of a pass --------------------------------------------------------- */

/* Which of an image's buffers the pass stores to; its tiles. */
static struct cm_last_store *
last_stores(const struct cm_elimination_stage *elimination, const struct cm_stored_tiles *tiles)
{
   const uint32_t buffer = elimination->gpu->pass->frame % tiles->buffers;
   return (struct cm_last_store *)tiles->last + (size_t)buffer * tiles->tiles_x * tiles->tiles_y;
}

/* Whether an image has one level, layer and sample: others take no part. */
static bool
is_plain(const struct cm_resource_description *description)
{
   return !description->is_buffer && description->levels == 1 && description->samples <= 1 &&
          description->layers == 1 && description->depth == 1;
}

/* The tiles of an image, of as many as the pass has. NULL when out of memory. */
static struct cm_stored_tiles *
tiles_of(struct cm_elimination_stage *elimination, struct cm_resource *resource)
{
   struct cm_gpu *gpu = elimination->gpu;
   const struct cm_pass *pass = gpu->pass;
   struct cm_stored_tiles *tiles = resource->stored_tiles;
   if (tiles && tiles->tiles_x == pass->tiles_x && tiles->tiles_y == pass->tiles_y)
      return tiles;
   const struct cm_stored_tiles now = {
      .tiles_x = pass->tiles_x,
      .tiles_y = pass->tiles_y,
      .buffers = resource->description.is_displayable ? gpu->config.frame.buffers : 1,
   };
   const size_t count = (size_t)now.buffers * now.tiles_x * now.tiles_y;
   free(tiles);
   tiles = resource->stored_tiles = calloc(1, sizeof *tiles + count * sizeof tiles->last[0]);
   if (!tiles)
      return NULL;
   *tiles = now;
   if (cm_config_has_transaction_elimination(&gpu->config))
      tiles->signatures =
         cm_address_space_reserve(&gpu->space,
                                  (uint64_t)count * gpu->config.transaction_elimination.signature_bytes);
   return tiles;
}

/* The pass stores an image, in its tiles or elsewhere. False when out of memory. */
static bool
add_image(struct cm_elimination_stage *elimination, uint32_t id, uint32_t slot, bool in_place)
{
   struct cm_gpu *gpu = elimination->gpu;
   struct cm_resource *resource = cm_address_space_use(&gpu->space, id);
   if (!resource || !resource->layout)
      return true;
   struct cm_stored_image *image = &elimination->images[elimination->num_images++];
   *image = (struct cm_stored_image){
      .resource = id,
      .slot = slot,
      .stream = cm_framebuffer_color_stream(gpu, resource),
      .is_displayed = resource->description.is_displayable,
      .in_place = in_place,
   };
   if (!is_plain(&resource->description))
      return true;
   image->tiles = tiles_of(elimination, resource);
   if (!image->tiles)
      return false;
   struct cm_last_store *last = last_stores(elimination, image->tiles);
   for (uint32_t t = 0; !in_place && t < image->tiles->tiles_x * image->tiles->tiles_y; t++)
      last[t] = (struct cm_last_store){.frame = gpu->pass->frame + 1};
   return true;
}

static bool
is_in_place(const struct cm_resolve *resolve)
{
   return !resolve->x0 && !resolve->y0 && !resolve->target_x && !resolve->target_y && !resolve->flip_y;
}

static bool
find_images(struct cm_elimination_stage *elimination)
{
   const struct cm_pass *pass = elimination->gpu->pass;
   elimination->num_images = 0;
   for (uint32_t c = 0; c < pass->num_color && c < CM_MAX_COLOR_ATTACHMENTS; c++) {
      const struct cm_attachment *color = &pass->color[c];
      const struct cm_resolve *resolve = &pass->resolve[c];
      if ((color->store && color->pixel_bytes && !add_image(elimination, color->resource, c, true)) ||
          !add_image(elimination, resolve->resource, CM_CONTENT_RESOLVE + c, is_in_place(resolve)))
         return false;
   }
   /* Stencil that shares depth's pixels moves with them. */
   for (unsigned slot = CM_SLOT_DEPTH; slot <= CM_SLOT_STENCIL; slot++) {
      const struct cm_attachment *attachment = cm_pass_attachment(pass, slot);
      if (attachment->store && attachment->pixel_bytes &&
          !add_image(elimination, attachment->resource, slot, true))
         return false;
   }
   return true;
}

static bool
is_color(const struct cm_stored_image *image)
{
   return image->slot != CM_SLOT_DEPTH && image->slot != CM_SLOT_STENCIL;
}

/* ---- passes ------------------------------------------------------------------------ */

static uint64_t
add_to_hash(uint64_t hash, uint32_t value)
{
   return (hash ^ value) * 0x100000001b3ull; /* FNV-1a, 32 bits at a time */
}

static uint64_t
hash_attachments(const struct cm_pass *pass)
{
   uint64_t hash = 0xcbf29ce484222325ull;
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      const struct cm_attachment *attachment = cm_pass_attachment(pass, slot);
      hash = add_to_hash(hash, attachment->resource);
      hash = add_to_hash(hash, attachment->level | (uint32_t)attachment->layer << 8);
      hash = add_to_hash(hash, attachment->more_layers);
   }
   for (unsigned c = 0; c < CM_MAX_COLOR_ATTACHMENTS; c++) {
      const struct cm_resolve *to = &pass->resolve[c];
      const uint32_t parts[] = {to->resource, to->level, to->layer,    to->x0,       to->y0,    to->x1,
                                to->y1,       c,         to->target_x, to->target_y, to->flip_y};
      for (unsigned i = 0; to->resource && i < sizeof parts / sizeof parts[0]; i++)
         hash = add_to_hash(hash, parts[i]);
   }
   return hash;
}

/* Numbers the frame's passes to the same attachments. False when out of memory. */
static bool
number_pass(struct cm_elimination_stage *elimination)
{
   const struct cm_pass *pass = elimination->gpu->pass;
   const uint32_t known = elimination->attachments.count;
   const uint32_t index = cm_id_table_add(&elimination->attachments, hash_attachments(pass));
   elimination->pass = 0;
   if (index == CM_NO_INDEX ||
       !cm_array_extend(&elimination->counted, elimination->attachments.count, sizeof(struct cm_last_store)))
      return false;
   struct cm_last_store *counted = (struct cm_last_store *)elimination->counted.data + index;
   if (index == known || counted->frame != pass->frame + 1)
      *counted = (struct cm_last_store){.frame = pass->frame + 1};
   counted->pass++;
   if (counted->pass < 256 && index < 1u << 23)
      elimination->pass = (index + 1) << 8 | counted->pass;
   return true;
}

/* Whether the signatures of all tiles of an image fit. */
static bool
fits(const struct cm_elimination_stage *elimination, const struct cm_stored_tiles *tiles)
{
   return (uint64_t)tiles->tiles_x * tiles->tiles_y * elimination->gpu->config.frame.buffers <=
          elimination->gpu->config.rendering_elimination.signatures;
}

/* Whether the pass' tiles have nothing but their inputs, and store nothing but displayed images, and depth with them. */
static bool
may_skip(const struct cm_elimination_stage *elimination)
{
   const struct cm_pass *pass = elimination->gpu->pass;
   bool is_displayed = false;
   if (!cm_config_has_rendering_elimination(&elimination->gpu->config) || !elimination->pass ||
       pass->num_storages)
      return false;
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      if (cm_pass_attachment(pass, slot)->load)
         return false;
   }
   for (uint32_t i = 0; i < elimination->num_images; i++) {
      const struct cm_stored_image *image = &elimination->images[i];
      if (!image->tiles || !image->in_place || (is_color(image) && !image->is_displayed) ||
          !fits(elimination, image->tiles))
         return false;
      is_displayed |= image->is_displayed;
   }
   return is_displayed;
}

/* The image whose stores are compared: a pass has one, as Mali's descriptors have (Mesa, pan_select_crc_rt). */
static const struct cm_stored_image *
find_compared(const struct cm_elimination_stage *elimination)
{
   if (!cm_config_has_transaction_elimination(&elimination->gpu->config))
      return NULL;
   for (uint32_t i = 0; i < elimination->num_images; i++) {
      const struct cm_stored_image *image = &elimination->images[i];
      if (image->tiles && image->in_place && is_color(image))
         return image;
   }
   return NULL;
}

bool
cm_elimination_begin(struct cm_elimination_stage *elimination)
{
   const struct cm_pass *pass = elimination->gpu->pass;
   elimination->compared = NULL;
   elimination->skips = false;
   cm_timing_sign(elimination->gpu->timing, 0, 0);
   if (!elimination->is_on)
      return true;
   if (!find_images(elimination) || !number_pass(elimination))
      return false;
   if (!pass->contents) {
      if (!elimination->lacks_contents)
         cm_message(CM_MESSAGE_INFO, "nothing is eliminated: the events do not say which tiles are as before "
                                     "(recordings before version 13, or changed ones)");
      elimination->lacks_contents = true;
      return true;
   }
   elimination->compared = find_compared(elimination);
   elimination->skips = may_skip(elimination);
   elimination->signed_draws = 0;
   const size_t num_tiles = (size_t)pass->tiles_x * pass->tiles_y;
   if (!elimination->skips)
      return true;
   if (!cm_array_reserve(&elimination->last_draws, num_tiles, sizeof(uint32_t)))
      return false;
   memset(elimination->last_draws.data, 0, num_tiles * sizeof(uint32_t));
   return true;
}

void
cm_elimination_end(struct cm_elimination_stage *elimination)
{
   for (uint32_t n = 0; n < elimination->lines.count; n++)
      write_back(elimination, &elimination->lines.lines[n]);
   elimination->lines.count = 0;
}

/* ---- rendering elimination ----------------------------------------------------------- */

static uint32_t
blocks_of(const struct cm_elimination_stage *elimination, uint32_t bytes)
{
   const uint32_t block = elimination->gpu->config.rendering_elimination.block_bytes;
   return (bytes + block - 1) / block;
}

void
cm_elimination_sign(struct cm_elimination_stage *elimination, const struct cm_primitive *primitive,
                    const uint32_t *binned_tiles)
{
   struct cm_gpu *gpu = elimination->gpu;
   assert(elimination->skips);
   const uint32_t *primitive_tiles = binned_tiles + primitive->first_tile;
   uint32_t *last_draws = elimination->last_draws.data;
   uint32_t blocks = blocks_of(elimination, primitive->num_attributes * ATTRIBUTE_BYTES);
   uint32_t tiles = primitive->num_tiles;
   for (uint32_t i = 0; i < primitive->num_tiles; i++) {
      tiles += last_draws[primitive_tiles[i]] != primitive->draw + 1;
      last_draws[primitive_tiles[i]] = primitive->draw + 1;
   }
   /* Primitives are in program order. */
   if (elimination->signed_draws <= primitive->draw) {
      const struct cm_shader *shader = &gpu->pass->draws[primitive->draw].fragment_shader;
      blocks += blocks_of(elimination, STATE_BYTES + shader->constant_bytes);
      elimination->signed_draws = primitive->draw + 1;
   }
   gpu->elimination[CM_ELIMINATION_SIGNED_BLOCKS] += blocks;
   gpu->elimination[CM_ELIMINATION_SIGNED_TILES] += tiles;
   cm_timing_sign(gpu->timing, blocks, tiles);
}

/* How many frames before this one a tile of an image had the same inputs, if those are of what is in the buffer; 0: none. */
static uint32_t
same_frame(const struct cm_elimination_stage *elimination, const struct cm_stored_image *image, uint32_t tile)
{
   const struct cm_pass *pass = elimination->gpu->pass;
   const struct cm_last_store *last = last_stores(elimination, image->tiles) + tile;
   const uint32_t before = pass->frame + 1 - last->frame;
   return last->frame && last->pass == elimination->pass && before >= 1 && before <= CM_EARLIER_FRAMES &&
                pass->contents[tile].same_inputs & frame_bit(before)
             ? before
             : 0;
}

/* Whether it is known that the pixels of a surface, which is not drawn, are others than in that frame. */
static bool
is_known_to_differ(const struct cm_stored_surface *surface, uint32_t before)
{
   for (uint32_t group = 0; group < (uint32_t)surface->columns * surface->rows; group++) {
      if (!(surface->same[group] & frame_bit(before)))
         return true;
   }
   return false;
}

/* A skipped tile's pixels, which the renderer has, must be what they were. */
static void
check_skipped(struct cm_elimination_stage *elimination, uint32_t tile)
{
   const struct cm_pass *pass = elimination->gpu->pass;
   struct cm_stored_surface surface;
   size_t offset = 0;
   bool differs = false;
   while (cm_tile_content_next(&pass->contents[tile], &offset, &surface)) {
      for (uint32_t i = 0; i < elimination->num_images; i++) {
         const struct cm_stored_image *image = &elimination->images[i];
         if (image->slot == surface.slot)
            differs |= is_known_to_differ(&surface, same_frame(elimination, image, tile));
      }
   }
   if (!differs)
      return;
   elimination->gpu->elimination[CM_ELIMINATION_WRONG_TILES]++;
   if (!elimination->is_wrong)
      cm_message(CM_MESSAGE_ERROR,
                 "rendering elimination: tile %u of frame %u has the same inputs as before and other pixels "
                 "(rendering_elimination.wrong counts such tiles)",
                 tile, pass->frame);
   elimination->is_wrong = true;
}

bool
cm_elimination_skip(struct cm_elimination_stage *elimination, uint32_t tile)
{
   uint64_t *counts = elimination->gpu->elimination;
   assert(elimination->skips);
   cm_timing_check(elimination->gpu->timing, tile);
   counts[CM_ELIMINATION_COMPARED_TILES]++;
   for (uint32_t i = 0; i < elimination->num_images; i++) {
      if (!same_frame(elimination, &elimination->images[i], tile))
         return false;
   }
   counts[CM_ELIMINATION_SKIPPED_TILES]++;
   check_skipped(elimination, tile);
   cm_elimination_stored(elimination, tile);
   return true;
}

/* ---- transaction elimination ---------------------------------------------------------- */

/* The bits that all groups of the slot have; false: nothing is known of it. */
static bool
find_same(const struct cm_tile_content *content, uint32_t slot, uint8_t *same)
{
   struct cm_stored_surface surface;
   size_t offset = 0;
   while (cm_tile_content_next(content, &offset, &surface)) {
      if (surface.slot != slot)
         continue;
      *same = UINT8_MAX;
      for (uint32_t group = 0; group < (uint32_t)surface.columns * surface.rows; group++)
         *same &= surface.same[group];
      return true;
   }
   return false;
}

bool
cm_elimination_of_store(struct cm_elimination_stage *elimination, uint32_t tile, uint32_t slot)
{
   struct cm_gpu *gpu = elimination->gpu;
   const struct cm_stored_image *image = elimination->compared;
   uint8_t same;
   if (!image || image->slot != slot || !find_same(&gpu->pass->contents[tile], slot, &same))
      return false;
   const struct cm_stored_tiles *tiles = image->tiles;
   const struct cm_last_store *last = last_stores(elimination, tiles) + tile;
   const bool is_first = image->is_displayed && last->frame != gpu->pass->frame + 1;
   const unsigned asked = is_first ? frame_bit(tiles->buffers) : CM_SAME_AS_MEMORY;
   const uint64_t signature = tiles->signatures + (uint64_t)(last - tiles->last) *
                                                     gpu->config.transaction_elimination.signature_bytes;
   const uint64_t block = signature & ~(uint64_t)((1u << CM_DRAM_BLOCK_SHIFT) - 1);
   cm_gpu_attribute_resource(gpu, image->resource);
   cm_timing_surface(gpu->timing, image->resource);
   struct cm_signature_line *line = use_line(elimination, block, image->stream);
   gpu->elimination[CM_ELIMINATION_COMPARED_STORES]++;
   if (same & asked) {
      gpu->elimination[CM_ELIMINATION_ELIMINATED_STORES]++;
      return true;
   }
   line->dirty = true;
   return false;
}

void
cm_elimination_stored(struct cm_elimination_stage *elimination, uint32_t tile)
{
   for (uint32_t i = 0; i < elimination->num_images; i++) {
      const struct cm_stored_image *image = &elimination->images[i];
      if (image->tiles && image->in_place)
         last_stores(elimination, image->tiles)[tile] =
            (struct cm_last_store){elimination->gpu->pass->frame + 1, elimination->pass};
   }
}
