/* SPDX-License-Identifier: MIT */
/** Random copies, blits, resolves and clears. */
#include <string.h>

#include "device_private.h"
#include "random_transfers.h"

static uint32_t
least(uint32_t a, uint32_t b)
{
   return a < b ? a : b;
}

/* One that has a sample per texel. */
static struct picture *
random_picture(struct world *world)
{
   return &world->pictures[1 + roll(&world->dice, NUM_PICTURES - 1)];
}

static struct vk_buffer *
random_buffer(struct world *world)
{
   return &PICK(&world->dice, world->buffers);
}

/* ---- buffers -------------------------------------------------------------------- */

/* Between a buffer and an image: with space between rows and between images, or without. */
static void
transfer(struct world *world, struct picture *picture, bool to_buffer)
{
   struct dice *dice = &world->dice;
   const struct part part = random_part(dice, picture);
   const uint32_t row = chance(dice, 50) ? 0 : part.size[0] + roll(dice, 5);
   const uint32_t height = chance(dice, 50) ? 0 : part.size[1] + roll(dice, 3);
   const VkDeviceSize stride = (VkDeviceSize)(row ? row : part.size[0]) * part.bytes;
   const VkDeviceSize bytes = stride * (height ? height : part.size[1]) * part.size[2] * part.layers;
   const uint32_t unit = part.bytes < 4 ? 4 : part.bytes; /* of offsets */
   if (bytes > BUFFER_BYTES)
      return;
   const VkDeviceSize offset = (VkDeviceSize)unit * roll(dice, (unsigned)((BUFFER_BYTES - bytes) / unit) + 1);
   const VkBufferImageCopy region = buffer_region(&part, offset, row, height);
   const VkBuffer buffer = random_buffer(world)->buffer;
   if (to_buffer)
      vkCmdCopyImageToBuffer(world->commands, picture->image, VK_IMAGE_LAYOUT_GENERAL, buffer, 1, &region);
   else
      vkCmdCopyBufferToImage(world->commands, buffer, picture->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

static void
copy_to_buffer(struct world *world)
{
   struct picture *picture = random_picture(world);
   if (!picture->is_rounded)
      transfer(world, picture, true);
}

/* Bytes of a buffer may be no number of a format. */
static void
copy_to_picture(struct world *world)
{
   struct picture *picture = random_picture(world);
   if (picture->format->number != FLOAT && picture->format->number != DEPTH &&
       picture->format->number != DEPTH_STENCIL)
      transfer(world, picture, false);
}

static void
change_buffer(struct world *world)
{
   struct dice *dice = &world->dice;
   struct vk_buffer *buffer = random_buffer(world);
   const VkDeviceSize size = 4 * (1 + roll(dice, 64)),
                      offset = 4 * roll(dice, (BUFFER_BYTES - (unsigned)size) / 4 + 1);
   uint32_t words[64];
   for (unsigned i = 0; i < 64; i++)
      words[i] = (uint32_t)roll_bits(dice);
   const VkBufferCopy region = {4 * roll(dice, (BUFFER_BYTES - (unsigned)size) / 4), offset, size};
   switch (roll(dice, 3)) {
   case 0: vkCmdFillBuffer(world->commands, buffer->buffer, offset, size, words[0]); break;
   case 1: vkCmdUpdateBuffer(world->commands, buffer->buffer, offset, size, words); break;
   default:
      vkCmdCopyBuffer(world->commands, world->buffers[0].buffer, world->buffers[1].buffer, 1, &region);
      break;
   }
}

/* ---- copies --------------------------------------------------------------------- */

static bool
is_depth(const struct format *format)
{
   return format->number == DEPTH || format->number == STENCIL || format->number == DEPTH_STENCIL;
}

/* Bytes that are numbers of one format may not be of another one. */
static bool
can_copy(const struct picture *from, const struct picture *to)
{
   if (from == to || from->format->bytes != to->format->bytes ||
       (from->type == VK_IMAGE_TYPE_1D) != (to->type == VK_IMAGE_TYPE_1D))
      return false;
   if (from->format == to->format)
      return true;
   return !is_depth(from->format) && !is_depth(to->format) && to->format->number != FLOAT &&
          !from->is_rounded;
}

/* Two parts become equally large; layers of one may be slices of the other. */
static void
make_equal(struct part *from, struct part *to)
{
   for (unsigned d = 0; d < 2; d++)
      from->size[d] = to->size[d] = least(from->size[d], to->size[d]);
   const bool from_slices = from->picture->type == VK_IMAGE_TYPE_3D,
              to_slices = to->picture->type == VK_IMAGE_TYPE_3D;
   const uint32_t depth =
      least(from_slices ? from->size[2] : from->layers, to_slices ? to->size[2] : to->layers);
   *(from_slices ? &from->size[2] : &from->layers) = depth;
   *(to_slices ? &to->size[2] : &to->layers) = depth;
}

static void
copy_picture(struct world *world)
{
   struct picture *from = random_picture(world), *to = random_picture(world);
   struct part source = random_part(&world->dice, from), copy = random_part(&world->dice, to);
   if (!can_copy(from, to))
      return;
   if (from->format->number == DEPTH_STENCIL && source.aspect != copy.aspect)
      return;
   make_equal(&source, &copy);
   VkImageCopy region = {
      .srcSubresource = part_layers(&source),
      .srcOffset = part_offset(&source),
      .dstSubresource = part_layers(&copy),
      .dstOffset = part_offset(&copy),
      .extent = part_extent(&source),
   };
   if (copy.picture->type == VK_IMAGE_TYPE_3D)
      region.extent.depth = copy.size[2];
   to->is_rounded |= from->is_rounded;
   vkCmdCopyImage(world->commands, from->image, VK_IMAGE_LAYOUT_GENERAL, to->image, VK_IMAGE_LAYOUT_GENERAL,
                  1, &region);
}

/* ---- blits and resolves ----------------------------------------------------------- */

/* Whether numbers of one format are converted to the other so that all devices agree, but for rounding. */
static bool
can_blit(const struct picture *from, const struct picture *to)
{
   const enum number number = from->format->number;
   if (from == to || number == BLOCKS || to->format->number == BLOCKS || from->type != to->type)
      return false;
   if (from->format == to->format)
      return true;
   return to->format->can_convert && (number == UNORM || number == SNORM || number == FLOAT);
}

/* An odd number of texels, so that none is halfway between others. */
static void
make_odd(struct part *part)
{
   for (unsigned d = 0; d < 3; d++)
      part->size[d] -= part->size[d] % 2 == 0;
}

static void
set_corners(struct dice *dice, const struct part *part, bool mirrors, VkOffset3D corners[2])
{
   const VkExtent3D extent = part_extent(part);
   corners[0] = part_offset(part);
   corners[1] = (VkOffset3D){corners[0].x + (int32_t)extent.width, corners[0].y + (int32_t)extent.height,
                             corners[0].z + (int32_t)extent.depth};
   if (mirrors && chance(dice, 50)) {
      const int32_t x = corners[0].x;
      corners[0].x = corners[1].x;
      corners[1].x = x;
   }
   if (mirrors && part->picture->type != VK_IMAGE_TYPE_1D && chance(dice, 50)) {
      const int32_t y = corners[0].y;
      corners[0].y = corners[1].y;
      corners[1].y = y;
   }
}

static void
blit(struct world *world)
{
   struct dice *dice = &world->dice;
   struct picture *from = random_picture(world), *to = random_picture(world);
   struct part source = random_part(dice, from), target = random_part(dice, to);
   const bool is_linear = from->format->number <= FLOAT && to->format->can_convert && chance(dice, 40);
   VkImageBlit region = {0};
   if (!can_blit(from, to))
      return;
   if (from->format->number == DEPTH_STENCIL && source.aspect != target.aspect)
      return;
   source.layers = target.layers = least(source.layers, target.layers);
   make_odd(&source);
   if (is_linear) {
      /* A filter may read what is around the part. */
      const struct part all = whole_level(from, source.level, 0);
      memcpy(source.at, all.at, sizeof source.at);
      memcpy(source.size, all.size, sizeof source.size);
   }
   region.srcSubresource = part_layers(&source);
   region.dstSubresource = part_layers(&target);
   set_corners(dice, &source, true, region.srcOffsets);
   set_corners(dice, &target, true, region.dstOffsets);
   to->is_rounded |= from->is_rounded || is_linear || from->format != to->format;
   vkCmdBlitImage(world->commands, from->image, VK_IMAGE_LAYOUT_GENERAL, to->image, VK_IMAGE_LAYOUT_GENERAL,
                  1, &region, is_linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST);
}

/* The first picture has several samples. */
static void
resolve(struct world *world)
{
   struct picture *from = &world->pictures[0], *to = random_picture(world);
   struct part source = random_part(&world->dice, from), target = random_part(&world->dice, to);
   if (to->format->format != from->format->format || to->type != VK_IMAGE_TYPE_2D)
      return;
   source.layers = target.layers = least(source.layers, target.layers);
   for (unsigned d = 0; d < 2; d++)
      source.size[d] = target.size[d] = least(source.size[d], target.size[d]);
   const VkImageResolve region = {
      .srcSubresource = part_layers(&source),
      .srcOffset = part_offset(&source),
      .dstSubresource = part_layers(&target),
      .dstOffset = part_offset(&target),
      .extent = part_extent(&source),
   };
   vkCmdResolveImage(world->commands, from->image, VK_IMAGE_LAYOUT_GENERAL, to->image,
                     VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

/* ---- clears ----------------------------------------------------------------------- */

/* Numbers that the format has. */
static VkClearColorValue
random_color(struct dice *dice, enum number number)
{
   VkClearColorValue color;
   for (unsigned c = 0; c < 4; c++) {
      if (number == UINT)
         color.uint32[c] = roll(dice, 4);
      else if (number == SINT)
         color.int32[c] = roll_between(dice, -100, 100);
      else
         color.float32[c] = number == SNORM ? (float)roll_between(dice, -1, 1) : (float)roll(dice, 2);
   }
   return color;
}

void
clear_picture(struct world *world, struct picture *picture)
{
   struct dice *dice = &world->dice;
   const struct part some = random_part(dice, picture);
   VkImageSubresourceRange range = {some.aspect, some.level, 1, some.layer, some.layers};
   if (chance(dice, 50))
      range.levelCount = VK_REMAINING_MIP_LEVELS;
   if (chance(dice, 50) || picture->samples > 1) {
      range.baseArrayLayer = 0;
      range.layerCount = VK_REMAINING_ARRAY_LAYERS;
   }
   if (is_depth(picture->format)) {
      const float depth = (float)roll(dice, 2);
      const VkClearDepthStencilValue value = {depth, roll(dice, 256)};
      vkCmdClearDepthStencilImage(world->commands, picture->image, VK_IMAGE_LAYOUT_GENERAL, &value, 1,
                                  &range);
   } else if (picture->format->number != BLOCKS) {
      const VkClearColorValue color = random_color(dice, picture->format->number);
      vkCmdClearColorImage(world->commands, picture->image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &range);
   }
}

/* ---- steps ------------------------------------------------------------------------- */

void
step(struct world *world)
{
   switch (roll(&world->dice, 16)) {
   case 0: clear_picture(world, random_picture(world)); break;
   case 1: clear_picture(world, &world->pictures[0]); break;
   case 2: change_buffer(world); break;
   case 3: /* what follows is another submission */
      vk_run(world->commands);
      world->commands = vk_begin();
      break;
   case 4:
   case 5: copy_to_buffer(world); break;
   case 6:
   case 7: copy_to_picture(world); break;
   case 8: resolve(world); break;
   case 9:
   case 10:
   case 11: blit(world); break;
   default: copy_picture(world); break;
   }
}
