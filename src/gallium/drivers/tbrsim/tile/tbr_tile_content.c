/* SPDX-License-Identifier: MIT */
#include "tile/tbr_tile_content.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include "util/xxhash.h"

#include "util/format/u_format.h"
#include "util/u_math.h"
#include "state/tbr_signatures.h"
#include "tile/tbr_tile.h"

uint64_t
tbr_signature(const void *bytes, size_t n, uint64_t other)
{
   const uint64_t signature = XXH64(bytes, n, other);
   return signature != TBR_UNKNOWN_SIGNATURE ? signature : 1;
}

bool
tbr_describe_pixel(enum pipe_format format, struct cm_pixel_layout *layout)
{
   const struct util_format_description *description = util_format_description(format);
   if (description->block.bits % 8 || description->nr_channels > CM_PIXEL_CHANNELS)
      return false;
   *layout = (struct cm_pixel_layout){
      .bytes = (uint8_t)(description->block.bits / 8),
      .num_channels = description->nr_channels,
   };
   for (unsigned c = 0; c < description->nr_channels; c++)
      layout->bits[c] = description->channel[c].size;
   layout->is_color = description->nr_channels >= 3 && description->swizzle[1] == PIPE_SWIZZLE_Y &&
                      description->colorspace != UTIL_FORMAT_COLORSPACE_ZS;
   if (cm_pixel_layout_is_valid(layout))
      return true;
   layout->is_color = false;
   return cm_pixel_layout_is_valid(layout);
}

/* ---- the tile's part of a surface ------------------------------------------ */

/* Pixels in memory. */
struct part {
   unsigned slot;
   const struct tbr_surface_content *surface;
   const uint8_t *memory; /* the first pixel */
   ptrdiff_t stride;
   uint32_t width, height; /* pixels */
   uint32_t column, row;   /* of the image's groups, where it begins */
};

static uint32_t
count_columns(const struct part *part)
{
   return DIV_ROUND_UP(part->width, CM_GROUP_SIZE);
}

static uint32_t
count_rows(const struct part *part)
{
   return DIV_ROUND_UP(part->height, CM_GROUP_SIZE);
}

static struct part
part_of_attachment(const struct tbr_tile_thread *thread, enum tbr_attachment_number i)
{
   const struct tbr_attachment *attachment = &thread->pass->attachment[i];
   const struct tbr_surface_content *surface = &thread->pass->contents->attachment[i];
   return (struct part){
      .slot = i == TBR_DEPTH     ? CM_SLOT_DEPTH
              : i == TBR_STENCIL ? CM_SLOT_STENCIL
                                 : i - TBR_COLOR0,
      .surface = surface,
      .memory = attachment->memory + thread->layer * attachment->layer_stride +
                (size_t)thread->tile_y * attachment->stride + (size_t)thread->tile_x * surface->layout.bytes,
      .stride = attachment->stride,
      .width = thread->width,
      .height = thread->height,
      .column = thread->tile_x / CM_GROUP_SIZE,
      .row = thread->tile_y / CM_GROUP_SIZE,
   };
}

/* width is 0 where the tile has nothing of it. */
static struct part
part_of_resolve(const struct tbr_tile_thread *thread, unsigned color)
{
   const struct tbr_resolve *resolve = &thread->pass->resolve[color];
   const struct tbr_surface_content *surface = &thread->pass->contents->resolve[color];
   const uint32_t x0 = MAX2((uint32_t)thread->tile_x, resolve->x0),
                  y0 = MAX2((uint32_t)thread->tile_y, resolve->y0);
   const uint32_t x1 = MIN2((uint32_t)(thread->tile_x + thread->width), resolve->x1),
                  y1 = MIN2((uint32_t)(thread->tile_y + thread->height), resolve->y1);
   if (x0 >= x1 || y0 >= y1)
      return (struct part){0};
   const uint32_t x = x0 - resolve->x0, y = y0 - resolve->y0;
   return (struct part){
      .slot = CM_CONTENT_RESOLVE + color,
      .surface = surface,
      .memory = resolve->memory + (ptrdiff_t)y * resolve->stride + (size_t)x * surface->layout.bytes,
      .stride = resolve->stride,
      .width = x1 - x0,
      .height = y1 - y0,
      .column = surface->column + x / CM_GROUP_SIZE,
      .row = surface->row + y / CM_GROUP_SIZE,
   };
}

#define MAX_PARTS (TBR_NUM_ATTACHMENTS + TBR_MAX_COLOR_BUFFERS)

/* What the tile stores, by ascending slot; returns how many. */
static unsigned
find_parts(const struct tbr_tile_thread *thread, struct part parts[MAX_PARTS])
{
   const struct tbr_pass_contents *contents = thread->pass->contents;
   unsigned count = 0;
   for (unsigned n = 0; n < TBR_NUM_ATTACHMENTS; n++) {
      const enum tbr_attachment_number i =
         n < TBR_MAX_COLOR_BUFFERS ? TBR_COLOR0 + n : n - TBR_MAX_COLOR_BUFFERS;
      if (contents->attachment[i].stored && thread->layer < thread->pass->attachment[i].layers)
         parts[count++] = part_of_attachment(thread, i);
   }
   for (unsigned c = 0; c < thread->pass->num_color; c++) {
      if (!contents->resolve[c].stored || thread->layer)
         continue;
      parts[count] = part_of_resolve(thread, c);
      count += parts[count].width > 0;
   }
   return count;
}

static struct tbr_group *
group_of(const struct part *part, uint32_t column, uint32_t row)
{
   struct tbr_signatures *signatures = part->surface->signatures;
   if (!signatures)
      return NULL;
   assert(part->column + column < signatures->columns && part->row + row < signatures->rows);
   return &signatures->groups[(part->row + row) * signatures->columns + part->column + column];
}

/* ---- inputs ----------------------------------------------------------------- */

/* What the tile starts with, if that is not a clear: TBR_UNKNOWN_SIGNATURE where it is not known. */
static uint64_t
add_loaded(const struct part *part, uint64_t signature)
{
   for (uint32_t row = 0; row < count_rows(part); row++) {
      for (uint32_t column = 0; column < count_columns(part); column++) {
         const struct tbr_group *group = group_of(part, column, row);
         if (!group || group->version != part->surface->version || !group->now)
            return TBR_UNKNOWN_SIGNATURE;
         signature = tbr_signature(&group->now, sizeof group->now, signature);
      }
   }
   return signature;
}

static uint64_t
add_primitive(const struct tbr_pass *pass, const struct cm_pmd *pmd, uint64_t signature)
{
   const struct cm_pb_attribute_block *blocks = tbr_pass_attributes(pass, pmd->primitive);
   const uint64_t head[2] = {pass->contents->draw_inputs[blocks->draw],
                             (uint64_t)pmd->num_attributes << 32 | blocks->flags};
   if (head[0] == TBR_UNKNOWN_SIGNATURE)
      return TBR_UNKNOWN_SIGNATURE;
   signature = tbr_signature(head, sizeof head, signature);
   for (uint32_t b = 0; b < pmd->num_attributes; b++)
      signature = tbr_signature(blocks[b].vertex, sizeof blocks[b].vertex, signature);
   return signature;
}

/* Before anything is stored. */
static uint64_t
find_inputs(const struct tbr_tile_thread *thread)
{
   const struct tbr_pass *pass = thread->pass;
   uint64_t signature = pass->contents->pass_inputs;
   for (unsigned i = 0; i < TBR_NUM_ATTACHMENTS && signature; i++) {
      const struct tbr_attachment *attachment = &pass->attachment[i];
      if (!attachment->memory || !attachment->load || attachment->clear ||
          thread->layer >= attachment->layers)
         continue;
      const struct part part = part_of_attachment(thread, i);
      signature = add_loaded(&part, signature);
   }
   const uint32_t length = signature ? cm_pb_lists_length(pass->lists, thread->tile) : 0;
   const uint8_t *pmds = length ? cm_pb_lists_pmd(pass->lists, thread->tile, 0) : NULL;
   for (uint32_t n = 0; n < length && signature; n++) {
      const struct cm_pmd pmd = cm_pmd_decode(pmds + (size_t)n * cm_pmd_bytes(pass->wide), pass->wide);
      signature = add_primitive(pass, &pmd, signature);
   }
   return signature;
}

/* Where the inputs were the same, so must be what was stored. */
static unsigned
compare_inputs(const struct tbr_pass_contents *contents, uint32_t tile, const struct tbr_tile_inputs *now)
{
   unsigned same = 0;
   for (unsigned f = 0; f < CM_EARLIER_FRAMES; f++) {
      const struct tbr_pass_inputs *earlier = contents->earlier[f];
      if (!earlier || !now->inputs || earlier->tiles[tile].inputs != now->inputs)
         continue;
      assert(earlier->tiles[tile].stored == now->stored);
      same |= CM_SAME_AS_FRAME << f;
   }
   return same;
}

/* ---- what is stored ---------------------------------------------------------- */

static uint32_t
part_bytes(const struct part *part)
{
   return part->width * part->height * part->surface->layout.bytes;
}

void
tbr_tile_content_begin(struct tbr_tile_thread *thread)
{
   struct part parts[MAX_PARTS];
   const unsigned count = find_parts(thread, parts);
   size_t bytes = 0;
   for (unsigned p = 0; p < count; p++)
      bytes += part_bytes(&parts[p]);
   if (bytes > thread->replaced_capacity) {
      free(thread->replaced);
      thread->replaced = malloc(bytes);
      if (!thread->replaced)
         tbr_tile_out_of_memory("the pixels that are replaced");
      thread->replaced_capacity = bytes;
   }
   uint8_t *at = thread->replaced;
   for (unsigned p = 0; p < count; p++) {
      const size_t row = parts[p].width * parts[p].surface->layout.bytes;
      for (uint32_t y = 0; y < parts[p].height; y++, at += row)
         memcpy(at, parts[p].memory + y * parts[p].stride, row);
   }
   thread->inputs = find_inputs(thread);
}

/* A group of a part: the pixels, and those that they replaced. */
struct stored_group {
   const uint8_t *pixels, *replaced;
   ptrdiff_t stride, replaced_stride;
   uint32_t width, height;
};

static bool
is_as_before(const struct stored_group *group, size_t pixel_bytes)
{
   for (uint32_t y = 0; y < group->height; y++) {
      if (memcmp(group->pixels + y * group->stride, group->replaced + y * group->replaced_stride,
                 group->width * pixel_bytes) != 0)
         return false;
   }
   return true;
}

/* Any odd number with bits all over. */
#define SIGNATURE_KEY 0x9e3779b97f4a7c15

/* Both halves of a product: each bit of either factor is in many. */
static inline uint64_t
fold(uint64_t a, uint64_t b)
{
   const unsigned __int128 product = (unsigned __int128)a * b;
   return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t
sign_words(const uint8_t *bytes, uint64_t other)
{
   uint64_t words[2];
   memcpy(words, bytes, sizeof words);
   return fold(words[0] ^ SIGNATURE_KEY, words[1] ^ other);
}

/* Pixels are signed all the time, and a group's rows are short: a third of what tbr_signature takes. */
static uint64_t
sign_pixels(const uint8_t *pixels, ptrdiff_t stride, uint32_t height, size_t row_bytes)
{
   uint64_t signature = height;
   for (uint32_t y = 0; y < height; y++) {
      const uint8_t *row = pixels + y * stride;
      size_t left = row_bytes;
      for (; left >= 16; left -= 16, row += 16)
         signature = sign_words(row, signature);
      if (left) {
         uint8_t rest[16] = {0};
         memcpy(rest, row, left);
         signature = sign_words(rest, signature);
      }
   }
   signature = fold(signature ^ row_bytes, SIGNATURE_KEY);
   return signature != TBR_UNKNOWN_SIGNATURE ? signature : 1;
}

static uint64_t
sign_group(const struct stored_group *group, size_t pixel_bytes)
{
   return sign_pixels(group->pixels, group->stride, group->height, group->width * pixel_bytes);
}

static ASSERTED uint64_t
sign_replaced(const struct stored_group *group, size_t pixel_bytes)
{
   return sign_pixels(group->replaced, group->replaced_stride, group->height, group->width * pixel_bytes);
}

/* Returns the group's signature. known: what is kept of the place, or NULL. */
static uint64_t
describe_group(const struct tbr_pass_contents *contents, const struct part *part,
               const struct stored_group *group, struct tbr_group *known, uint8_t *same, uint8_t *sizes)
{
   const struct cm_pixel_layout *layout = &part->surface->layout;
   const uint64_t version = part->surface->version;
   *same = is_as_before(group, layout->bytes) ? CM_SAME_AS_MEMORY : 0;
   const bool is_kept = known && known->version == version && known->now;
   /* Nothing has written there but what keeps signatures. */
   assert(!is_kept || sign_replaced(group, layout->bytes) == known->now);
   const uint64_t signature = is_kept && *same ? known->now : sign_group(group, layout->bytes);
   if (is_kept && known->now == signature)
      memcpy(sizes, known->sizes, CM_GROUP_BLOCKS);
   else
      cm_group_sizes(layout, group->pixels, group->stride, group->width, group->height, sizes);
   if (known) {
      *same |= tbr_group_store(known, version, contents->frame, signature);
      memcpy(known->sizes, sizes, CM_GROUP_BLOCKS);
   }
   return signature;
}

/* Returns the signature of what is stored, up to this part. replaced: what it was. */
static uint64_t
describe_part(const struct tbr_pass_contents *contents, struct cm_tile_content *content,
              const struct part *part, const uint8_t *replaced, uint64_t signature)
{
   const uint32_t columns = count_columns(part), rows = count_rows(part),
                  pixel_bytes = part->surface->layout.bytes;
   const size_t replaced_stride = part->width * pixel_bytes;
   uint8_t *same, *sizes;
   if (!cm_tile_content_add(content, part->slot, columns, rows, &same, &sizes))
      tbr_tile_out_of_memory("the contents");
   for (uint32_t g = 0; g < columns * rows; g++) {
      const uint32_t x = g % columns * CM_GROUP_SIZE, y = g / columns * CM_GROUP_SIZE;
      const struct stored_group group = {
         .pixels = part->memory + y * part->stride + x * pixel_bytes,
         .replaced = replaced + y * replaced_stride + x * pixel_bytes,
         .stride = part->stride,
         .replaced_stride = replaced_stride,
         .width = MIN2(part->width - x, CM_GROUP_SIZE),
         .height = MIN2(part->height - y, CM_GROUP_SIZE),
      };
      const uint64_t of_group =
         describe_group(contents, part, &group, group_of(part, g % columns, g / columns), &same[g],
                        sizes + g * CM_GROUP_BLOCKS);
      signature = tbr_signature(&of_group, sizeof of_group, signature);
   }
   return signature;
}

void
tbr_tile_content_end(struct tbr_tile_thread *thread)
{
   const struct tbr_pass_contents *contents = thread->pass->contents;
   struct cm_tile_content *content = &contents->tiles[thread->tile];
   struct part parts[MAX_PARTS];
   const unsigned count = find_parts(thread, parts);
   const uint8_t *replaced = thread->replaced;
   struct tbr_tile_inputs now = {.inputs = thread->inputs, .stored = 1};
   assert(!content->num_bytes && !content->same_inputs);
   for (unsigned p = 0; p < count; p++) {
      now.stored = describe_part(contents, content, &parts[p], replaced, now.stored);
      replaced += part_bytes(&parts[p]);
   }
   if (!contents->inputs)
      return;
   content->same_inputs = (uint8_t)compare_inputs(contents, thread->tile, &now);
   contents->inputs->tiles[thread->tile] = now;
}
