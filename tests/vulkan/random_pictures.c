/* SPDX-License-Identifier: MIT */
/** Images of all types and many formats, and parts of them. */
#include <string.h>

#include "device_private.h"
#include "random_transfers.h"

#define FORMAT(name, number, bytes, can_convert) {#name, VK_FORMAT_##name, number, bytes, can_convert}

static const struct format formats[] = {
   FORMAT(R8_UNORM, UNORM, 1, true),
   FORMAT(R8G8_UNORM, UNORM, 2, true),
   FORMAT(R8G8B8A8_UNORM, UNORM, 4, true),
   FORMAT(B8G8R8A8_UNORM, UNORM, 4, true),
   FORMAT(A8B8G8R8_UNORM_PACK32, UNORM, 4, true),
   FORMAT(R8G8B8A8_SNORM, SNORM, 4, false),
   FORMAT(R8G8B8A8_UINT, UINT, 4, false),
   FORMAT(R8G8B8A8_SINT, SINT, 4, false),
   FORMAT(R8G8B8A8_SRGB, UNORM, 4, false),
   FORMAT(R5G6B5_UNORM_PACK16, UNORM, 2, false),
   FORMAT(A1R5G5B5_UNORM_PACK16, UNORM, 2, false),
   FORMAT(B4G4R4A4_UNORM_PACK16, UNORM, 2, false),
   FORMAT(A2B10G10R10_UNORM_PACK32, UNORM, 4, false),
   FORMAT(A2B10G10R10_UINT_PACK32, UINT, 4, false),
   FORMAT(R16_UINT, UINT, 2, false),
   FORMAT(R16_SFLOAT, FLOAT, 2, false),
   FORMAT(R16G16_SFLOAT, FLOAT, 4, false),
   FORMAT(R16G16B16A16_UINT, UINT, 8, false),
   FORMAT(R16G16B16A16_SINT, SINT, 8, false),
   FORMAT(R16G16B16A16_SFLOAT, FLOAT, 8, false),
   FORMAT(R32_UINT, UINT, 4, false),
   FORMAT(R32_SINT, SINT, 4, false),
   FORMAT(R32_SFLOAT, FLOAT, 4, true),
   FORMAT(R32G32_UINT, UINT, 8, false),
   FORMAT(R32G32_SFLOAT, FLOAT, 8, true),
   FORMAT(R32G32B32A32_UINT, UINT, 16, false),
   FORMAT(R32G32B32A32_SFLOAT, FLOAT, 16, true),
   FORMAT(BC1_RGBA_UNORM_BLOCK, BLOCKS, 8, false),
   FORMAT(BC3_UNORM_BLOCK, BLOCKS, 16, false),
   FORMAT(BC7_UNORM_BLOCK, BLOCKS, 16, false),
};

static const struct format depth_formats[] = {
   FORMAT(D16_UNORM, DEPTH, 2, false),
   FORMAT(D32_SFLOAT, DEPTH, 4, false),
   FORMAT(S8_UINT, STENCIL, 1, false),
   FORMAT(D32_SFLOAT_S8_UINT, DEPTH_STENCIL, 4, false),
};

static const struct format rgba8 = FORMAT(R8G8B8A8_UNORM, UNORM, 4, true);

/* ---- sizes -------------------------------------------------------------------- */

static uint32_t
block_size(const struct picture *picture, unsigned dimension)
{
   return picture->format->number == BLOCKS && dimension < 2 ? 4 : 1;
}

static uint32_t
level_texels(const struct picture *picture, uint32_t level, unsigned dimension)
{
   const uint32_t all[3] = {picture->extent.width, picture->extent.height, picture->extent.depth};
   return all[dimension] >> level ? all[dimension] >> level : 1;
}

uint32_t
level_size(const struct picture *picture, uint32_t level, unsigned dimension)
{
   const uint32_t block = block_size(picture, dimension);
   return (level_texels(picture, level, dimension) + block - 1) / block;
}

uint32_t
num_aspects(const struct format *format)
{
   return format->number == DEPTH_STENCIL ? 2 : 1;
}

static void
set_aspect(struct part *part, uint32_t aspect)
{
   const struct format *format = part->picture->format;
   part->bytes = format->bytes;
   part->aspect = VK_IMAGE_ASPECT_COLOR_BIT;
   if (format->number == DEPTH || (format->number == DEPTH_STENCIL && !aspect))
      part->aspect = VK_IMAGE_ASPECT_DEPTH_BIT;
   if (format->number == STENCIL || (format->number == DEPTH_STENCIL && aspect)) {
      part->aspect = VK_IMAGE_ASPECT_STENCIL_BIT;
      part->bytes = 1;
   }
}

struct part
whole_level(const struct picture *picture, uint32_t level, uint32_t aspect)
{
   struct part part = {.picture = picture, .level = level, .layers = picture->layers};
   set_aspect(&part, aspect);
   for (unsigned d = 0; d < 3; d++)
      part.size[d] = level_size(picture, level, d);
   return part;
}

struct part
random_part(struct dice *dice, const struct picture *picture)
{
   const uint32_t aspect = roll(dice, num_aspects(picture->format));
   struct part part = whole_level(picture, roll(dice, picture->levels), aspect);
   part.layer = roll(dice, picture->layers);
   part.layers = 1 + roll(dice, picture->layers - part.layer);
   for (unsigned d = 0; d < 3; d++) {
      const uint32_t all = part.size[d];
      part.size[d] = chance(dice, 40) ? all : 1 + roll(dice, all);
      part.at[d] = roll(dice, all - part.size[d] + 1);
   }
   return part;
}

VkDeviceSize
part_bytes(const struct part *part)
{
   return (VkDeviceSize)part->bytes * part->size[0] * part->size[1] * part->size[2] * part->layers;
}

/* ---- as Vulkan has them --------------------------------------------------------- */

VkOffset3D
part_offset(const struct part *part)
{
   return (VkOffset3D){(int32_t)(part->at[0] * block_size(part->picture, 0)),
                       (int32_t)(part->at[1] * block_size(part->picture, 1)), (int32_t)part->at[2]};
}

/* Blocks at the edge may be larger than the level. */
static uint32_t
extent(const struct part *part, unsigned dimension)
{
   const uint32_t block = block_size(part->picture, dimension), at = part->at[dimension] * block;
   const uint32_t end = at + part->size[dimension] * block,
                  all = level_texels(part->picture, part->level, dimension);
   return (end < all ? end : all) - at;
}

VkExtent3D
part_extent(const struct part *part)
{
   return (VkExtent3D){extent(part, 0), extent(part, 1), extent(part, 2)};
}

VkImageSubresourceLayers
part_layers(const struct part *part)
{
   return (VkImageSubresourceLayers){part->aspect, part->level, part->layer, part->layers};
}

VkBufferImageCopy
buffer_region(const struct part *part, VkDeviceSize offset, uint32_t row, uint32_t height)
{
   return (VkBufferImageCopy){
      .bufferOffset = offset,
      .bufferRowLength = row * block_size(part->picture, 0),
      .bufferImageHeight = height * block_size(part->picture, 1),
      .imageSubresource = part_layers(part),
      .imageOffset = part_offset(part),
      .imageExtent = part_extent(part),
   };
}

/* ---- texels ------------------------------------------------------------------------ */

/* A number of floating point with 5 or 8 bits of exponent, from 2^-4 to 2^4, of either sign. */
static uint32_t
random_float(struct dice *dice, unsigned mantissa, uint32_t bias)
{
   const uint32_t exponent = bias - 4 + roll(dice, 8), sign = roll(dice, 2);
   const uint32_t fraction = (uint32_t)roll_bits(dice) & ((1u << mantissa) - 1);
   return sign << (mantissa == 10 ? 15 : 31) | exponent << mantissa | fraction;
}

void
random_texels(struct dice *dice, const struct part *part, uint8_t *bytes)
{
   const struct format *format = part->picture->format;
   const bool is_half =
      format->format >= VK_FORMAT_R16_UNORM && format->format <= VK_FORMAT_R16G16B16A16_SFLOAT;
   const VkDeviceSize size = part_bytes(part);
   for (VkDeviceSize i = 0; i < size;) {
      uint32_t word = (uint32_t)roll_bits(dice);
      unsigned count = 1;
      if (format->number == FLOAT) {
         word = random_float(dice, is_half ? 10 : 23, is_half ? 15 : 127);
         count = is_half ? 2 : 4;
      } else if (part->aspect == VK_IMAGE_ASPECT_DEPTH_BIT && part->bytes == 4) {
         const float depth = (float)roll(dice, 1025) / 1024.0f;
         memcpy(&word, &depth, sizeof word);
         count = 4;
      }
      memcpy(bytes + i, &word, count);
      i += count;
   }
}

/* ---- images --------------------------------------------------------------------- */

/* A number of texels whose levels are whole blocks down to the last one. */
static uint32_t
random_extent(struct dice *dice, const struct picture *picture, unsigned dimension)
{
   if (picture->format->number == BLOCKS && dimension < 2)
      return (1 + roll(dice, 4)) * 4 << (picture->levels - 1);
   return 1 + roll(dice, dimension == 2 ? 9 : 40);
}

static VkImageType
random_type(struct dice *dice, const struct format *format)
{
   static const VkImageType types[] = {VK_IMAGE_TYPE_1D, VK_IMAGE_TYPE_2D, VK_IMAGE_TYPE_2D,
                                       VK_IMAGE_TYPE_3D};
   return format->number < DEPTH ? PICK(dice, types) : VK_IMAGE_TYPE_2D;
}

static uint32_t
most_levels(const VkExtent3D *extent)
{
   uint32_t levels = 1;
   while ((extent->width | extent->height | extent->depth) >> levels)
      levels++;
   return levels;
}

static void
describe_picture(struct picture *picture, struct dice *dice, unsigned number)
{
   picture->samples = 1;
   picture->levels = picture->layers = 1;
   picture->format = number < 2 ? &rgba8 : number < 4 ? &PICK(dice, depth_formats) : &PICK(dice, formats);
   picture->type = number == 0 ? VK_IMAGE_TYPE_2D : random_type(dice, picture->format);
   if (picture->format->number == BLOCKS)
      picture->levels = 1 + roll(dice, 3);
   picture->extent.width = random_extent(dice, picture, 0);
   picture->extent.height = picture->type == VK_IMAGE_TYPE_1D ? 1 : random_extent(dice, picture, 1);
   picture->extent.depth = picture->type == VK_IMAGE_TYPE_3D ? random_extent(dice, picture, 2) : 1;
   if (picture->type != VK_IMAGE_TYPE_3D)
      picture->layers = 1 + roll(dice, 6);
   if (number == 0)
      picture->samples = 4;
   else if (picture->format->number != BLOCKS)
      picture->levels = 1 + roll(dice, most_levels(&picture->extent));
}

void
create_picture(struct picture *picture, struct dice *dice, unsigned number)
{
   *picture = (struct picture){0};
   describe_picture(picture, dice, number);
   const VkImageCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .imageType = picture->type,
      .format = picture->format->format,
      .extent = picture->extent,
      .mipLevels = picture->levels,
      .arrayLayers = picture->layers,
      .samples = (VkSampleCountFlagBits)picture->samples,
      .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
   };
   picture->image = vk_create_any_image(&info);
}

void
prepare_picture(struct world *world, const struct picture *picture)
{
   VkImageAspectFlags aspects = 0;
   for (uint32_t aspect = 0; aspect < num_aspects(picture->format); aspect++)
      aspects |= whole_level(picture, 0, aspect).aspect;
   const VkImageMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
      .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
      .newLayout = VK_IMAGE_LAYOUT_GENERAL,
      .image = picture->image,
      .subresourceRange = {aspects, 0, picture->levels, 0, picture->layers},
   };
   vkCmdPipelineBarrier(world->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                        0, NULL, 0, NULL, 1, &barrier);
}
