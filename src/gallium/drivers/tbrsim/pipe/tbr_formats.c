/* SPDX-License-Identifier: MIT */
#include "pipe/tbr_formats.h"

#include "util/format/u_format.h"

bool
tbr_format_has_wide_channels(const struct util_format_description *description)
{
   for (unsigned i = 0; i < description->nr_channels; i++) {
      if (description->channel[i].type != UTIL_FORMAT_TYPE_VOID && description->channel[i].size == 64)
         return true;
   }
   return false;
}

bool
tbr_format_is_odd_rgb(const struct util_format_description *description)
{
   return description->is_array && description->nr_channels == 3 && description->block.bits != 96;
}

bool
tbr_format_is_depth_stencil(enum pipe_format format)
{
   switch (format) {
   case PIPE_FORMAT_Z16_UNORM:
   case PIPE_FORMAT_Z24X8_UNORM:
   case PIPE_FORMAT_X8Z24_UNORM:
   case PIPE_FORMAT_Z24_UNORM_S8_UINT:
   case PIPE_FORMAT_S8_UINT_Z24_UNORM:
   case PIPE_FORMAT_Z32_FLOAT:
   case PIPE_FORMAT_Z32_FLOAT_S8X24_UINT:
   case PIPE_FORMAT_S8_UINT: return true;
   default: return false;
   }
}

bool
tbr_format_is_color_renderable(enum pipe_format format)
{
   const struct util_format_description *description = util_format_description(format);
   const struct util_format_pack_description *pack = util_format_pack_description(format);

   if (description->colorspace != UTIL_FORMAT_COLORSPACE_RGB &&
       description->colorspace != UTIL_FORMAT_COLORSPACE_SRGB)
      return false;
   if (description->layout != UTIL_FORMAT_LAYOUT_PLAIN && format != PIPE_FORMAT_R11G11B10_FLOAT)
      return false;
   if (description->block.width != 1 || description->block.height != 1 || description->is_mixed ||
       tbr_format_is_odd_rgb(description) || tbr_format_has_wide_channels(description) ||
       util_format_is_scaled(format))
      return false;
   for (unsigned i = 0; i < description->nr_channels; i++) {
      if (description->channel[i].type == UTIL_FORMAT_TYPE_FIXED)
         return false;
   }
   return pack && (pack->pack_rgba_float || pack->pack_rgba_uint || pack->pack_rgba_sint) &&
          util_format_fetch_rgba_func(format);
}
