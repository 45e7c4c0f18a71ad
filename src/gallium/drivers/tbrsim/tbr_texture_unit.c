/* SPDX-License-Identifier: MIT */
/** Texture bindings: what can be decided before the first sample is taken. */
#include "tbr_texture_unit.h"

#include <string.h>

#include "tbr_pass.h"
#include "util/format/u_format.h"
#include "util/macros.h"

bool
tbr_texture_repeats(enum pipe_tex_wrap wrap)
{
   return wrap == PIPE_TEX_WRAP_REPEAT;
}

static void
sample_empty(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
             struct tbr_sample_arguments *arguments)
{
   (void)thread;
   (void)binding;
   memset(arguments->texel, 0, sizeof(arguments->texel));
   for (unsigned lane = 0; lane < TBR_LANES; lane++)
      arguments->texel[3][lane] = 1.0f;
}

void
tbr_texture_binding_init_empty(struct tbr_texture_binding *binding)
{
   memset(binding, 0, sizeof(*binding));
   binding->sample = sample_empty;
}

/** The kind of a plain format of up to four normalised 8-bit channels, and for
 * each colour component the byte or constant (4: 0, 5: 1) that it is. */
static enum texture_kind
classify_format(enum pipe_format format, uint8_t component[4])
{
   const struct util_format_description *description = util_format_description(format);
   const unsigned bytes = util_format_get_blocksize(format);

   if (description->layout != UTIL_FORMAT_LAYOUT_PLAIN ||
       description->colorspace != UTIL_FORMAT_COLORSPACE_RGB || bytes == 3 || bytes > 4)
      return TEXTURE_KIND_GENERAL;
   for (unsigned i = 0; i < description->nr_channels; i++) {
      const struct util_format_channel_description *channel = &description->channel[i];
      if (channel->size != 8 || (channel->type != UTIL_FORMAT_TYPE_VOID &&
                                 (channel->type != UTIL_FORMAT_TYPE_UNSIGNED || !channel->normalized)))
         return TEXTURE_KIND_GENERAL;
   }
   for (unsigned i = 0; i < 4; i++) {
      const unsigned swizzle = description->swizzle[i];
      component[i] = swizzle <= PIPE_SWIZZLE_W ? description->channel[swizzle].shift / 8
                   : swizzle == PIPE_SWIZZLE_1 ? 5 : 4;
   }
   return bytes == 4 ? TEXTURE_KIND_BYTES_4 : bytes == 2 ? TEXTURE_KIND_BYTES_2 : TEXTURE_KIND_BYTES_1;
}

/** The parameters of wrap[]'s formula; false for modes that it does not cover. */
static bool
prepare_wrap(struct tbr_texture_binding *binding, unsigned axis, unsigned wrap)
{
   struct tbr_texture_private *state = &binding->private_state;

   state->wrap[axis].scale = 1.0f;
   state->wrap[axis].offset = 0.0f;
   state->wrap[axis].period = 0.0f;
   state->wrap[axis].magnitude = ~0u;
   state->wrap[axis].repeat = 0;
   switch (wrap) {
   case PIPE_TEX_WRAP_REPEAT:
      state->wrap[axis].period = 1.0f;
      state->wrap[axis].repeat = ~0;
      return true;
   case PIPE_TEX_WRAP_CLAMP_TO_EDGE:
      return true;
   case PIPE_TEX_WRAP_MIRROR_REPEAT:
      state->wrap[axis].scale = 0.5f;
      state->wrap[axis].offset = 0.5f;
      state->wrap[axis].period = 2.0f;
      state->wrap[axis].magnitude = 0x7fffffff;
      return true;
   case PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE:
      state->wrap[axis].magnitude = 0x7fffffff;
      return true;
   default:
      return false;
   }
}

/** The border colour as the format would hold it: range, missing channels. */
static void
prepare_border(struct tbr_texture_binding *binding)
{
   const struct util_format_description *description = util_format_description(binding->format);
   const union pipe_color_union *color = &binding->sampler.border_color;
   float *border = binding->private_state.border;

   if (binding->private_state.integer) {
      for (unsigned i = 0; i < 4; i++) {
         uint32_t bits = description->swizzle[i] <= PIPE_SWIZZLE_W ? color->ui[i]
                                                                  : description->swizzle[i] == PIPE_SWIZZLE_1;
         memcpy(&border[i], &bits, sizeof(bits));
      }
      return;
   }
   const bool depth = util_format_is_depth_or_stencil(binding->format);
   const struct util_format_channel_description *channel =
      &description->channel[MAX2(0, util_format_get_first_non_void_channel(binding->format))];
   const bool compressed = description->layout != UTIL_FORMAT_LAYOUT_PLAIN;
   for (unsigned i = 0; i < 4; i++) {
      float value = color->f[depth ? 0 : i];
      if (description->is_unorm || (channel->normalized && channel->type == UTIL_FORMAT_TYPE_UNSIGNED))
         value = CLAMP(value, 0.0f, 1.0f);
      else if (description->is_snorm || (channel->normalized && channel->type == UTIL_FORMAT_TYPE_SIGNED))
         value = CLAMP(value, -1.0f, 1.0f);
      const unsigned swizzle = depth ? (i == 3 ? PIPE_SWIZZLE_1 : PIPE_SWIZZLE_X) : description->swizzle[i];
      border[i] = swizzle <= PIPE_SWIZZLE_W || (compressed && swizzle == PIPE_SWIZZLE_NONE) ? value
                : swizzle == PIPE_SWIZZLE_1 ? 1.0f : 0.0f;
   }
}

/** Level tables, with 32-bit offsets from one base; false where those overflow. */
static bool
prepare_levels(struct tbr_texture_binding *binding)
{
   struct tbr_texture_private *state = &binding->private_state;
   uintptr_t lowest = UINTPTR_MAX, highest = 0;

   for (unsigned i = 0; i < binding->num_levels; i++) {
      const struct tbr_texture_level *level = &binding->levels[i];
      const uintptr_t first = (uintptr_t)level->texels;
      const unsigned layers = MAX2(binding->num_layers, level->depth);
      lowest = MIN2(lowest, first);
      highest = MAX2(highest, first + (uintptr_t)level->layer_stride * (layers - 1) +
                                 (uintptr_t)level->row_stride * level->height);
   }
   /* Aligned, so that aligned words can be read relative to it. */
   state->base = (const uint8_t *)(lowest & ~(uintptr_t)63);
   for (unsigned i = 0; i < ARRAY_SIZE(state->width); i++) {
      const struct tbr_texture_level *level = &binding->levels[MIN2(i, binding->num_levels - 1)];
      state->width[i] = (float)level->width * 65536.0f;
      state->height[i] = (float)level->height * 65536.0f;
      state->last_x[i] = (int32_t)level->width - 1;
      state->last_y[i] = (int32_t)level->height - 1;
      state->offset[i] = (int32_t)((uintptr_t)level->texels - (uintptr_t)state->base);
      state->row_stride[i] = (int32_t)level->row_stride;
      state->layer_stride[i] = (int32_t)level->layer_stride;
   }
   return highest - (uintptr_t)state->base < (uintptr_t)INT32_MAX;
}

static unsigned
count_dimensions(unsigned target)
{
   switch (target) {
   case PIPE_BUFFER:
   case PIPE_TEXTURE_1D:
   case PIPE_TEXTURE_1D_ARRAY: return 1;
   case PIPE_TEXTURE_3D: return 3;
   default: return 2;
   }
}

static void
prepare_decoding(struct tbr_texture_binding *binding)
{
   struct tbr_texture_private *state = &binding->private_state;
   const struct util_format_description *description = util_format_description(binding->format);

   state->block_width = description->block.width;
   state->block_height = description->block.height;
   state->block_bytes = description->block.bits / 8;
   if (util_format_has_depth(description)) {
      state->unpack_depth = util_format_unpack_description(binding->format)->unpack_z_float;
   } else if (util_format_has_stencil(description)) {
      state->unpack_stencil = util_format_unpack_description(binding->format)->unpack_s_8uint;
      state->integer = true;
   } else {
      state->fetch = util_format_fetch_rgba_func(binding->format);
      state->integer = util_format_is_pure_integer(binding->format);
   }
}

/** Whether the specialised functions cover the target, wraps and coordinates. */
static bool
is_specialised(struct tbr_texture_binding *binding)
{
   const bool wraps = prepare_wrap(binding, 0, binding->sampler.wrap_s) &
                      prepare_wrap(binding, 1, binding->sampler.wrap_t);
   const bool addresses = prepare_levels(binding);
   const bool cube = binding->target == PIPE_TEXTURE_CUBE;
   if (!wraps || !addresses || binding->sampler.unnormalized_coords)
      return false;
   return binding->target == PIPE_TEXTURE_2D || (cube && !binding->private_state.seamless);
}

void
tbr_texture_binding_prepare(struct tbr_texture_binding *binding)
{
   struct tbr_texture_private *state = &binding->private_state;
   struct pipe_sampler_state *sampler = &binding->sampler;

   memset(state, 0, sizeof(*state));
   prepare_decoding(binding);
   state->dimensions = count_dimensions(binding->target);
   state->last_level = binding->num_levels - 1;
   const bool normalized = !sampler->unnormalized_coords && binding->target != PIPE_TEXTURE_RECT;
   state->scale[0] = normalized ? (float)binding->levels[0].width : 1.0f;
   state->scale[1] = normalized ? (float)binding->levels[0].height : 1.0f;
   state->scale[2] = (float)binding->levels[0].depth;
   for (unsigned i = 0; i < 4; i++)
      state->quad_scale[i] = state->scale[i / 2];
   state->lod_bias = sampler->lod_bias;
   state->min_lod = sampler->min_lod;
   state->max_lod = sampler->max_lod;
   if (binding->num_levels == 1)
      sampler->min_mip_filter = PIPE_TEX_MIPFILTER_NONE;
   state->seamless = sampler->seamless_cube_map && (binding->target == PIPE_TEXTURE_CUBE ||
                                                    binding->target == PIPE_TEXTURE_CUBE_ARRAY);
   prepare_border(binding);

   uint8_t component[4] = {0, 1, 2, 3};
   const bool covered = is_specialised(binding);
   state->kind = covered ? classify_format(binding->format, component) : TEXTURE_KIND_GENERAL;
   if (state->kind == TEXTURE_KIND_BYTES_4 || state->kind == TEXTURE_KIND_GENERAL) {
      /* Faces and levels of the narrow kinds go through the general function. */
   } else if (binding->target != PIPE_TEXTURE_2D) {
      state->kind = TEXTURE_KIND_GENERAL;
   }
   state->identity = true;
   for (unsigned i = 0; i < 4; i++) {
      const unsigned swizzle = binding->swizzle[i];
      state->channel[i] = swizzle <= PIPE_SWIZZLE_W ? component[swizzle] : swizzle == PIPE_SWIZZLE_1 ? 5 : 4;
      state->identity &= state->channel[i] == i;
   }
   binding->sample = tbr_isa_get()->choose_sampler(binding);
}
