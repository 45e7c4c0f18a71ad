/* SPDX-License-Identifier: MIT */
#include "tile/tbr_decoding.h"

#include <assert.h>

#include "main/texcompress_astc.h"
#include "main/texcompress_etc.h"
#include "util/format/u_format.h"
#include "state/tbr_resource.h"

enum pipe_format
tbr_decoded_format(enum pipe_format format)
{
   const struct util_format_description *description = util_format_description(format);
   switch (format) {
   case PIPE_FORMAT_ETC2_R11_UNORM: return PIPE_FORMAT_R16_UNORM;
   case PIPE_FORMAT_ETC2_R11_SNORM: return PIPE_FORMAT_R16_SNORM;
   case PIPE_FORMAT_ETC2_RG11_UNORM: return PIPE_FORMAT_R16G16_UNORM;
   case PIPE_FORMAT_ETC2_RG11_SNORM: return PIPE_FORMAT_R16G16_SNORM;
   case PIPE_FORMAT_ETC2_RGB8:
   case PIPE_FORMAT_ETC2_RGB8A1:
   case PIPE_FORMAT_ETC2_RGBA8: return PIPE_FORMAT_R8G8B8A8_UNORM;
   case PIPE_FORMAT_ETC2_SRGB8:
   case PIPE_FORMAT_ETC2_SRGB8A1:
   case PIPE_FORMAT_ETC2_SRGBA8: return PIPE_FORMAT_R8G8B8A8_SRGB;
   default:
      if (description->layout != UTIL_FORMAT_LAYOUT_ASTC || description->block.depth > 1)
         return PIPE_FORMAT_NONE;
      return util_format_is_srgb(format) ? PIPE_FORMAT_R8G8B8A8_SRGB : PIPE_FORMAT_R8G8B8A8_UNORM;
   }
}

enum pipe_format
tbr_other_sign(enum pipe_format format)
{
   switch (format) {
   case PIPE_FORMAT_ETC2_R11_UNORM: return PIPE_FORMAT_ETC2_R11_SNORM;
   case PIPE_FORMAT_ETC2_R11_SNORM: return PIPE_FORMAT_ETC2_R11_UNORM;
   case PIPE_FORMAT_ETC2_RG11_UNORM: return PIPE_FORMAT_ETC2_RG11_SNORM;
   case PIPE_FORMAT_ETC2_RG11_SNORM: return PIPE_FORMAT_ETC2_RG11_UNORM;
   default: return PIPE_FORMAT_NONE;
   }
}

const struct tbr_resource *
tbr_sampled_resource(const struct pipe_sampler_view *view)
{
   const struct tbr_resource *resource = tbr_resource(view->texture);
   if (tbr_decoded_format(view->format) == PIPE_FORMAT_NONE)
      return resource;
   assert(resource->decoded);
   const bool other = view->format == tbr_other_sign(resource->base.format);
   return other ? resource->decoded->decoded : resource->decoded;
}

enum pipe_format
tbr_sampled_format(const struct pipe_sampler_view *view)
{
   const enum pipe_format decoded = tbr_decoded_format(view->format);
   return decoded == PIPE_FORMAT_NONE ? view->format : decoded;
}

/** Into one decoded copy, as the format has it. */
static void
decode(const struct tbr_resource *resource, const struct tbr_resource *decoded, enum pipe_format format,
       const struct tbr_storage *storage, unsigned level, const struct pipe_box *box)
{
   const struct util_format_description *description = util_format_description(format);
   const unsigned width = u_minify(resource->base.width0, level);
   const unsigned height = u_minify(resource->base.height0, level);
   /* Boxes of whole blocks may reach past the level. */
   const unsigned columns = MIN2(box->width, (int)width - box->x);
   const unsigned rows = MIN2(box->height, (int)height - box->y);

   assert(decoded && box->x % description->block.width == 0 && box->y % description->block.height == 0);
   for (int layer = box->z; layer < box->z + box->depth; layer++) {
      const uint8_t *from = tbr_storage_address(storage, resource, level, layer) +
                            (size_t)box->y / description->block.height * resource->row_stride[level] +
                            (size_t)box->x / description->block.width * (description->block.bits / 8);
      uint8_t *to = tbr_storage_address(storage, decoded, level, layer) +
                    (size_t)box->y * decoded->row_stride[level] +
                    (size_t)box->x * util_format_get_blocksize(decoded->base.format);
      if (description->layout == UTIL_FORMAT_LAYOUT_ASTC)
         _mesa_unpack_astc_2d_ldr(to, decoded->row_stride[level], from, resource->row_stride[level], columns,
                                  rows, format);
      else
         _mesa_unpack_etc2_format(to, decoded->row_stride[level], from, resource->row_stride[level], columns,
                                  rows, format, false);
   }
}

void
tbr_decode(const struct tbr_resource *resource, const struct tbr_storage *storage, unsigned level,
           const struct pipe_box *box)
{
   const struct tbr_resource *decoded = resource->decoded;
   const enum pipe_format format = resource->base.format;
   decode(resource, decoded, format, storage, level, box);
   if (decoded->decoded)
      decode(resource, decoded->decoded, tbr_other_sign(format), storage, level, box);
}
