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

/** The kind of a depth format, or of one of a single float. */
static enum texture_kind
classify_single(enum pipe_format format)
{
   switch (format) {
   case PIPE_FORMAT_Z16_UNORM: return TEXTURE_KIND_16;
   case PIPE_FORMAT_Z24X8_UNORM:
   case PIPE_FORMAT_Z24_UNORM_S8_UINT: return TEXTURE_KIND_24_LOW;
   case PIPE_FORMAT_X8Z24_UNORM:
   case PIPE_FORMAT_S8_UINT_Z24_UNORM: return TEXTURE_KIND_24_HIGH;
   case PIPE_FORMAT_Z32_FLOAT:
   case PIPE_FORMAT_R32_FLOAT: return TEXTURE_KIND_FLOAT;
   default: return TEXTURE_KIND_GENERAL;
   }
}

/** The kind of a format, and for each of red, green, blue and alpha the channel of
 * a texel or the constant (4: 0, 5: 1) that it is. */
static enum texture_kind
classify_format(enum pipe_format format, uint8_t component[4])
{
   static const struct {
      uint8_t bytes, size[4];
      enum texture_kind kind;
   } packed[] = {
      {1, {8}, TEXTURE_KIND_BYTES_1},          {2, {8, 8}, TEXTURE_KIND_BYTES_2},
      {4, {8, 8, 8, 8}, TEXTURE_KIND_BYTES_4}, {2, {5, 6, 5}, TEXTURE_KIND_565},
      {2, {5, 5, 5, 1}, TEXTURE_KIND_5551},    {2, {4, 4, 4, 4}, TEXTURE_KIND_4444},
   };
   const struct util_format_description *description = util_format_description(format);
   const enum texture_kind single = classify_single(format);

   if (single != TEXTURE_KIND_GENERAL) {
      const bool depth = util_format_is_depth_or_stencil(format);
      for (unsigned i = 0; i < 4; i++)
         component[i] = i == 3 ? 5 : i == 0 || depth ? 0 : 4;
      return single;
   }
   if (description->layout != UTIL_FORMAT_LAYOUT_PLAIN ||
       description->colorspace != UTIL_FORMAT_COLORSPACE_RGB)
      return TEXTURE_KIND_GENERAL;
   for (unsigned i = 0; i < description->nr_channels; i++) {
      const struct util_format_channel_description *channel = &description->channel[i];
      if (channel->type != UTIL_FORMAT_TYPE_VOID &&
          (channel->type != UTIL_FORMAT_TYPE_UNSIGNED || !channel->normalized))
         return TEXTURE_KIND_GENERAL;
   }
   for (unsigned i = 0; i < 4; i++) {
      const unsigned swizzle = description->swizzle[i];
      component[i] = swizzle <= PIPE_SWIZZLE_W ? swizzle : swizzle == PIPE_SWIZZLE_1 ? 5 : 4;
   }
   for (unsigned p = 0; p < ARRAY_SIZE(packed); p++) {
      bool equal = description->block.bits == packed[p].bytes * 8u;
      for (unsigned i = 0, shift = 0; i < 4; shift += packed[p].size[i++])
         equal &= (i < description->nr_channels ? description->channel[i].size : 0) == packed[p].size[i] &&
                  (!packed[p].size[i] || description->channel[i].shift == shift);
      if (equal)
         return packed[p].kind;
   }
   return TEXTURE_KIND_GENERAL;
}

/** Whether the specialised functions know the wrap mode. */
static bool
prepare_wrap(struct tbr_texture_binding *binding, unsigned axis, unsigned wrap)
{
   binding->private_state.repeat[axis] = wrap == PIPE_TEX_WRAP_REPEAT ? ~0 : 0;
   return wrap == PIPE_TEX_WRAP_REPEAT || wrap == PIPE_TEX_WRAP_CLAMP_TO_EDGE ||
          wrap == PIPE_TEX_WRAP_MIRROR_REPEAT || wrap == PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE;
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
         uint32_t bits = description->swizzle[i] <= PIPE_SWIZZLE_W
                            ? color->ui[i]
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
                  : swizzle == PIPE_SWIZZLE_1                                               ? 1.0f
                                                                                            : 0.0f;
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
   for (unsigned i = 0; i < ARRAY_SIZE(state->records); i++) {
      const struct tbr_texture_level *level = &binding->levels[MIN2(i, binding->num_levels - 1)];
      const float size[2] = {(float)level->width * 65536.0f, (float)level->height * 65536.0f};
      int32_t *record = state->records[i];
      memcpy(&record[TEXTURE_WIDTH], &size[0], sizeof(size[0]));
      memcpy(&record[TEXTURE_HEIGHT], &size[1], sizeof(size[1]));
      record[TEXTURE_LAST_X] = (int32_t)level->width - 1;
      record[TEXTURE_LAST_Y] = (int32_t)level->height - 1;
      record[TEXTURE_ROW_STRIDE] = (int32_t)level->row_stride;
      record[TEXTURE_OFFSET] = (int32_t)((uintptr_t)level->texels - (uintptr_t)state->base);
      record[TEXTURE_LAYER_STRIDE] = (int32_t)level->layer_stride;
      for (unsigned field = 0; field < TEXTURE_NUM_GEOMETRY_FIELDS; field++)
         state->tables[field][i] = record[field];
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
   const bool wraps =
      prepare_wrap(binding, 0, binding->sampler.wrap_s) & prepare_wrap(binding, 1, binding->sampler.wrap_t);
   const bool addresses = prepare_levels(binding);
   if (!wraps || !addresses || binding->sampler.unnormalized_coords)
      return false;
   return binding->target == PIPE_TEXTURE_2D || binding->target == PIPE_TEXTURE_CUBE;
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
   if (binding->num_levels == 1)
      sampler->min_mip_filter = PIPE_TEX_MIPFILTER_NONE;
   state->min_lambda = sampler->min_lod;
   state->max_lambda = sampler->max_lod;
   if (sampler->min_mip_filter != PIPE_TEX_MIPFILTER_NONE) {
      state->min_lambda = CLAMP(sampler->min_lod, 0.0f, (float)state->last_level);
      state->max_lambda = CLAMP(sampler->max_lod, 0.0f, (float)state->last_level);
   }
   state->seamless = sampler->seamless_cube_map &&
                     (binding->target == PIPE_TEXTURE_CUBE || binding->target == PIPE_TEXTURE_CUBE_ARRAY);
   prepare_border(binding);

   uint8_t component[4] = {0, 1, 2, 3};
   const bool covered = is_specialised(binding);
   state->kind = covered ? classify_format(binding->format, component) : TEXTURE_KIND_GENERAL;
   /* Cube maps of the other kinds are rare: through the general function. */
   if (binding->target != PIPE_TEXTURE_2D && state->kind != TEXTURE_KIND_BYTES_4)
      state->kind = TEXTURE_KIND_GENERAL;
   state->identity = true;
   for (unsigned i = 0; i < 4; i++) {
      const unsigned swizzle = binding->swizzle[i];
      state->channel[i] = swizzle <= PIPE_SWIZZLE_W ? component[swizzle] : swizzle == PIPE_SWIZZLE_1 ? 5 : 4;
      state->identity &= state->channel[i] == i;
   }
   binding->sample = tbr_isa_get()->choose_sampler(binding);
}
