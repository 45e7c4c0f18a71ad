/* SPDX-License-Identifier: MIT */
/** Texture bindings: what can be decided before the first sample is taken. */
#include "tile/tbr_texture_unit.h"

#include <assert.h>
#include <string.h>

#include "tile/tbr_pass.h"
#include "util/format/u_format.h"
#include "util/macros.h"

const int32_t tbr_texture_srgb[256] = {
   0,     10,    20,    30,    40,    50,    59,    69,    79,    89,    99,    109,   120,   131,   143,
   156,   169,   183,   197,   213,   228,   245,   262,   280,   298,   317,   337,   358,   379,   401,
   424,   447,   471,   496,   522,   549,   576,   604,   633,   662,   693,   724,   756,   789,   822,
   857,   892,   928,   965,   1002,  1041,  1081,  1121,  1162,  1204,  1247,  1291,  1335,  1381,  1428,
   1475,  1523,  1572,  1622,  1673,  1725,  1778,  1832,  1887,  1942,  1999,  2057,  2115,  2175,  2235,
   2297,  2359,  2422,  2487,  2552,  2618,  2686,  2754,  2823,  2894,  2965,  3037,  3111,  3185,  3261,
   3337,  3415,  3493,  3573,  3653,  3735,  3818,  3902,  3987,  4073,  4160,  4248,  4337,  4427,  4518,
   4611,  4704,  4799,  4895,  4992,  5089,  5188,  5289,  5390,  5492,  5596,  5700,  5806,  5913,  6021,
   6130,  6241,  6352,  6465,  6579,  6694,  6810,  6927,  7046,  7165,  7286,  7408,  7531,  7656,  7781,
   7908,  8036,  8165,  8296,  8427,  8560,  8694,  8829,  8965,  9103,  9242,  9382,  9523,  9666,  9810,
   9955,  10101, 10249, 10397, 10547, 10699, 10851, 11005, 11160, 11316, 11474, 11633, 11793, 11954, 12117,
   12281, 12446, 12613, 12781, 12950, 13121, 13292, 13465, 13640, 13815, 13992, 14171, 14350, 14531, 14714,
   14897, 15082, 15268, 15456, 15645, 15835, 16027, 16220, 16414, 16610, 16807, 17005, 17205, 17406, 17609,
   17812, 18018, 18224, 18432, 18642, 18852, 19064, 19278, 19493, 19709, 19927, 20146, 20366, 20588, 20811,
   21036, 21262, 21489, 21718, 21949, 22180, 22413, 22648, 22884, 23121, 23360, 23601, 23842, 24085, 24330,
   24576, 24824, 25072, 25323, 25575, 25828, 26083, 26339, 26597, 26856, 27116, 27378, 27642, 27907, 28173,
   28441, 28711, 28982, 29254, 29528, 29804, 30080, 30359, 30639, 30920, 31203, 31487, 31773, 32061, 32350,
   32640,
};

bool
tbr_texture_repeats(enum pipe_tex_wrap wrap)
{
   return wrap == PIPE_TEX_WRAP_REPEAT;
}

static void
sample_empty(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
             struct tbr_sample_arguments *arguments)
{
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

/** Whether the format's blocks of 4 × 4 texels decode to bytes without loss. */
static bool
has_blocks_of_bytes(enum pipe_format format)
{
   const struct util_format_description *description = util_format_description(format);
   if (description->block.width != 4 || description->block.height != 4 || util_format_is_snorm(format))
      return false;
   switch (description->layout) {
   case UTIL_FORMAT_LAYOUT_S3TC:
   case UTIL_FORMAT_LAYOUT_RGTC: return true;
   case UTIL_FORMAT_LAYOUT_ETC: return format == PIPE_FORMAT_ETC1_RGB8;
   case UTIL_FORMAT_LAYOUT_BPTC:
      return format == PIPE_FORMAT_BPTC_RGBA_UNORM || format == PIPE_FORMAT_BPTC_SRGBA;
   default: return false;
   }
}

/** The format by which a compressed format's blocks are decoded to stored bytes: that
 * without sRGB; that of red and green for luminance and alpha, whose bytes Mesa decodes
 * without the alpha. */
static enum pipe_format
block_decoder_format(enum pipe_format format)
{
   return format == PIPE_FORMAT_LATC2_UNORM ? PIPE_FORMAT_RGTC2_UNORM : util_format_linear(format);
}

/** Whether the texels are channels of unsigned normalised numbers. */
static bool
has_normalized_channels(const struct util_format_description *description)
{
   if (description->layout != UTIL_FORMAT_LAYOUT_PLAIN)
      return false;
   for (unsigned i = 0; i < description->nr_channels; i++) {
      const struct util_format_channel_description *channel = &description->channel[i];
      if (channel->type != UTIL_FORMAT_TYPE_VOID &&
          (channel->type != UTIL_FORMAT_TYPE_UNSIGNED || !channel->normalized))
         return false;
   }
   return true;
}

/** The kind of a format: how the specialised functions decode its texels. */
static enum texture_kind
classify_format(enum pipe_format format)
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

   if (single != TEXTURE_KIND_GENERAL)
      return single;
   const bool srgb = description->colorspace == UTIL_FORMAT_COLORSPACE_SRGB;
   if (has_blocks_of_bytes(format))
      return srgb ? TEXTURE_KIND_BLOCK_SRGB : TEXTURE_KIND_BLOCK;
   if (util_format_is_depth_or_stencil(format) || util_format_is_pure_integer(format))
      return TEXTURE_KIND_GENERAL;
   if (!has_normalized_channels(description))
      return TEXTURE_KIND_WIDE;
   const bool alpha_last =
      description->nr_channels == 4 && description->block.bits == 32 && description->channel[3].shift == 24 &&
      description->channel[3].size == 8 &&
      (description->swizzle[3] == PIPE_SWIZZLE_W || description->swizzle[3] == PIPE_SWIZZLE_1);
   if (srgb)
      return alpha_last ? TEXTURE_KIND_SRGB : TEXTURE_KIND_WIDE;
   for (unsigned p = 0; p < ARRAY_SIZE(packed); p++) {
      bool equal = description->block.bits == packed[p].bytes * 8u;
      for (unsigned i = 0, shift = 0; i < 4; shift += packed[p].size[i++])
         equal &= (i < description->nr_channels ? description->channel[i].size : 0) == packed[p].size[i] &&
                  (!packed[p].size[i] || description->channel[i].shift == shift);
      if (equal)
         return packed[p].kind;
   }
   return TEXTURE_KIND_WIDE;
}

/** How a channel becomes a float, or an integer's bits. */
static enum texture_conversion
classify_channel(const struct util_format_channel_description *channel, bool srgb)
{
   const bool within_word = channel->shift / 32 == (channel->shift + channel->size - 1) / 32;
   if (!within_word || channel->size > 32)
      return TEXTURE_CONVERT_ANY;
   if (channel->type == UTIL_FORMAT_TYPE_FLOAT)
      return channel->size == 32   ? TEXTURE_CONVERT_WORD
             : channel->size == 16 ? TEXTURE_CONVERT_HALF
                                   : TEXTURE_CONVERT_ANY;
   const bool is_signed = channel->type == UTIL_FORMAT_TYPE_SIGNED;
   if (!is_signed && channel->type != UTIL_FORMAT_TYPE_UNSIGNED)
      return TEXTURE_CONVERT_ANY;
   if (srgb)
      return channel->size == 8 ? TEXTURE_CONVERT_SRGB : TEXTURE_CONVERT_ANY;
   if (channel->normalized && channel->size <= 16)
      return is_signed ? TEXTURE_CONVERT_SNORM : TEXTURE_CONVERT_UNORM;
   if (channel->pure_integer)
      return channel->size == 32 ? TEXTURE_CONVERT_WORD
             : is_signed         ? TEXTURE_CONVERT_SINT
                                 : TEXTURE_CONVERT_UINT;
   return TEXTURE_CONVERT_ANY;
}

/** How texels of plain colours are converted: one way for all channels, or by Mesa's functions. */
static enum texture_conversion
classify_plain(const struct util_format_description *description)
{
   const bool srgb = description->colorspace == UTIL_FORMAT_COLORSPACE_SRGB;
   const int first = util_format_get_first_non_void_channel(description->format);
   const unsigned bits = description->block.bits;
   if (first < 0 || (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 96 && bits != 128) ||
       (srgb && bits != 32))
      return TEXTURE_CONVERT_ANY;
   const enum texture_conversion conversion = classify_channel(&description->channel[first], srgb);
   if (bits > 64 && conversion != TEXTURE_CONVERT_WORD)
      return TEXTURE_CONVERT_ANY;
   for (unsigned i = 0; i < description->nr_channels; i++)
      if (description->channel[i].type != UTIL_FORMAT_TYPE_VOID &&
          classify_channel(&description->channel[i], srgb) != conversion)
         return TEXTURE_CONVERT_ANY;
   bool bytes = conversion == TEXTURE_CONVERT_UNORM && bits <= 32;
   for (unsigned i = 0; i < description->nr_channels; i++)
      bytes &= description->channel[i].size == 8 && description->channel[i].shift == 8 * i;
   return bytes ? TEXTURE_CONVERT_BYTES : conversion;
}

/** Puts the only channel that matters into so many bits from one on. */
static void
prepare_single_channel(struct tbr_texture_private *state, enum texture_conversion conversion, unsigned shift,
                       unsigned size)
{
   state->conversion = conversion;
   state->channels[0] = (struct texture_channel){
      .word = shift / 32,
      .left = 32 - size - shift % 32,
      .right = 32 - size,
      .scale = 1.0f / (float)BITFIELD_MASK(size),
   };
}

/** Depth, or stencil where there is no depth. */
static bool
prepare_depth_channel(struct tbr_texture_private *state, enum pipe_format format)
{
   switch (format) {
   case PIPE_FORMAT_Z16_UNORM: prepare_single_channel(state, TEXTURE_CONVERT_UNORM, 0, 16); return true;
   case PIPE_FORMAT_Z24X8_UNORM:
   case PIPE_FORMAT_Z24_UNORM_S8_UINT:
      prepare_single_channel(state, TEXTURE_CONVERT_DEPTH_24, 0, 24);
      return true;
   case PIPE_FORMAT_X8Z24_UNORM:
   case PIPE_FORMAT_S8_UINT_Z24_UNORM:
      prepare_single_channel(state, TEXTURE_CONVERT_DEPTH_24, 8, 24);
      return true;
   case PIPE_FORMAT_Z32_FLOAT:
   case PIPE_FORMAT_Z32_FLOAT_S8X24_UINT:
      prepare_single_channel(state, TEXTURE_CONVERT_WORD, 0, 32);
      return true;
   case PIPE_FORMAT_S8_UINT:
   case PIPE_FORMAT_S8X24_UINT: prepare_single_channel(state, TEXTURE_CONVERT_UINT, 0, 8); return true;
   case PIPE_FORMAT_X24S8_UINT: prepare_single_channel(state, TEXTURE_CONVERT_UINT, 24, 8); return true;
   case PIPE_FORMAT_X32_S8X24_UINT: prepare_single_channel(state, TEXTURE_CONVERT_UINT, 32, 8); return true;
   default: return false;
   }
}

/** How texels are converted, and for each of red, green, blue and alpha the channel of a texel or the
 * constant (4: 0, 5: 1) that it is. False where only the general function reads the format. */
static bool
prepare_channels(struct tbr_texture_private *state, enum pipe_format format, uint8_t component[4])
{
   const struct util_format_description *description = util_format_description(format);
   const bool blocks = has_blocks_of_bytes(format);
   if (util_format_is_depth_or_stencil(format)) {
      component[0] = component[1] = component[2] = PIPE_SWIZZLE_X;
      component[3] = PIPE_SWIZZLE_1;
      return prepare_depth_channel(state, format);
   }
   for (unsigned i = 0; i < 4; i++)
      component[i] = i;
   if (blocks)
      state->conversion = util_format_is_srgb(format) ? TEXTURE_CONVERT_SRGB : TEXTURE_CONVERT_BYTES;
   else if (format == PIPE_FORMAT_R9G9B9E5_FLOAT)
      state->conversion = TEXTURE_CONVERT_R9G9B9E5;
   else if (format == PIPE_FORMAT_R11G11B10_FLOAT)
      state->conversion = TEXTURE_CONVERT_R11G11B10;
   else if (description->layout == UTIL_FORMAT_LAYOUT_PLAIN)
      state->conversion = classify_plain(description);
   if (state->conversion == TEXTURE_CONVERT_ANY)
      return (description->block.width == 1 && description->block.height == 1) || state->block_shift;
   if (state->conversion == TEXTURE_CONVERT_R9G9B9E5 || state->conversion == TEXTURE_CONVERT_R11G11B10) {
      component[3] = PIPE_SWIZZLE_1;
      return true;
   }
   if (!blocks || description->layout == UTIL_FORMAT_LAYOUT_RGTC)
      for (unsigned i = 0; i < 4; i++)
         component[i] =
            description->swizzle[i] == PIPE_SWIZZLE_NONE ? PIPE_SWIZZLE_0 : description->swizzle[i];
   for (unsigned i = 0; i < (blocks ? 4 : description->nr_channels); i++) {
      const unsigned shift = blocks ? i * 8 : description->channel[i].shift;
      const unsigned size = blocks ? 8 : description->channel[i].size;
      const unsigned most = state->conversion == TEXTURE_CONVERT_SNORM ? size - 1 : size;
      state->channels[i] = (struct texture_channel){
         .word = shift / 32,
         .left = 32 - size - shift % 32,
         .right = 32 - size,
         .srgb = i != (blocks ? 3 : description->swizzle[3]),
         .scale = 1.0f / (float)BITFIELD_MASK(most),
      };
   }
   return true;
}

/** Whether the specialised functions know the wrap mode. */
static bool
prepare_wrap(struct tbr_texture_binding *binding, unsigned axis, unsigned wrap)
{
   binding->private_state.repeat[axis] = wrap == PIPE_TEX_WRAP_REPEAT ? ~0 : 0;
   return wrap == PIPE_TEX_WRAP_REPEAT || wrap == PIPE_TEX_WRAP_CLAMP_TO_EDGE ||
          wrap == PIPE_TEX_WRAP_MIRROR_REPEAT || wrap == PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE;
}

/** The nearest integer that a channel of an integer format can hold. */
static uint32_t
limit_integer(const struct util_format_channel_description *channel, uint32_t bits)
{
   if (channel->size >= 32)
      return bits;
   if (channel->type == UTIL_FORMAT_TYPE_UNSIGNED)
      return MIN2(bits, BITFIELD_MASK(channel->size));
   const int32_t most = (int32_t)BITFIELD_MASK(channel->size - 1);
   return (uint32_t)CLAMP((int32_t)bits, -most - 1, most);
}

/** The nearest value that red, green, blue or alpha of a format can have. */
static float
limit_float(enum pipe_format format, unsigned component, float value)
{
   const struct util_format_description *description = util_format_description(format);
   const struct util_format_channel_description *channel =
      &description->channel[MAX2(0, util_format_get_first_non_void_channel(format))];
   if (format == PIPE_FORMAT_R11G11B10_FLOAT)
      return CLAMP(value, 0.0f, component == 2 ? 64512.0f : 65024.0f);
   if (format == PIPE_FORMAT_R9G9B9E5_FLOAT)
      return CLAMP(value, 0.0f, 65408.0f);
   if (format == PIPE_FORMAT_BPTC_RGB_UFLOAT)
      return CLAMP(value, 0.0f, 65504.0f);
   if (description->is_unorm || (channel->normalized && channel->type == UTIL_FORMAT_TYPE_UNSIGNED))
      return CLAMP(value, 0.0f, 1.0f);
   if (description->is_snorm || (channel->normalized && channel->type == UTIL_FORMAT_TYPE_SIGNED))
      return CLAMP(value, -1.0f, 1.0f);
   if (format == PIPE_FORMAT_BPTC_RGB_FLOAT ||
       (channel->type == UTIL_FORMAT_TYPE_FLOAT && channel->size == 16))
      return CLAMP(value, -65504.0f, 65504.0f);
   return value;
}

static void
prepare_integer_border(struct tbr_texture_binding *binding)
{
   const struct util_format_description *description = util_format_description(binding->format);
   const union pipe_color_union *color = &binding->sampler.border_color;
   for (unsigned i = 0; i < 4; i++) {
      const unsigned swizzle = description->swizzle[i];
      uint32_t bits;
      if (util_format_is_depth_or_stencil(binding->format))
         bits = MIN2(color->ui[i], UINT8_MAX);
      else if (swizzle <= PIPE_SWIZZLE_W)
         bits = limit_integer(&description->channel[swizzle], color->ui[i]);
      else
         bits = swizzle == PIPE_SWIZZLE_1;
      memcpy(&binding->private_state.border[i], &bits, sizeof(bits));
   }
}

/** The border colour as the format would hold it: range, missing channels. */
static void
prepare_border(struct tbr_texture_binding *binding)
{
   const struct util_format_description *description = util_format_description(binding->format);
   if (binding->private_state.integer) {
      prepare_integer_border(binding);
      return;
   }
   const bool depth = util_format_is_depth_or_stencil(binding->format);
   const bool compressed = description->layout != UTIL_FORMAT_LAYOUT_PLAIN;
   for (unsigned i = 0; i < 4; i++) {
      const float value = limit_float(binding->format, i, binding->sampler.border_color.f[depth ? 0 : i]);
      const unsigned swizzle = depth ? (i == 3 ? PIPE_SWIZZLE_1 : PIPE_SWIZZLE_X) : description->swizzle[i];
      binding->private_state.border[i] =
         swizzle <= PIPE_SWIZZLE_W || (compressed && swizzle == PIPE_SWIZZLE_NONE) ? value
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
      const unsigned planes = MAX2(binding->num_samples, 1) - 1;
      lowest = MIN2(lowest, first);
      highest = MAX2(highest, first + (uintptr_t)level->layer_stride * (layers - 1) +
                                 (uintptr_t)level->row_stride * level->height +
                                 (uintptr_t)binding->sample_stride * planes +
                                 (uintptr_t)binding->buffer_elements * state->block_bytes);
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
      record[TEXTURE_LAST_Z] = (int32_t)level->depth - 1;
      for (unsigned field = 0; field < TEXTURE_NUM_GEOMETRY_FIELDS; field++)
         state->tables[field][i] = record[field];
   }
   return highest - (uintptr_t)state->base < (uintptr_t)INT32_MAX;
}

/** Whether the processor is one whose gathers of 8 bytes are fast: Intel's since Sapphire Rapids,
 * which are known by half precision. On those before, microcode against Gather Data Sampling
 * makes them slow, and AMD's take twice as long as loads. */
static bool
gathers_fast(void)
{
#if defined(__x86_64__)
   return __builtin_cpu_is("intel") && __builtin_cpu_supports("avx512fp16");
#else
   return false;
#endif
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
   state->block_shift = state->block_width == 4 && state->block_height == 4 ? 2 : 0;
   if (util_format_has_depth(description)) {
      state->unpack_depth = util_format_unpack_description(binding->format)->unpack_z_float;
   } else if (util_format_has_stencil(description)) {
      state->unpack_stencil = util_format_unpack_description(binding->format)->unpack_s_8uint;
      state->integer = true;
   } else {
      state->fetch = util_format_fetch_rgba_func(binding->format);
      if (has_blocks_of_bytes(binding->format))
         state->unpack_block =
            util_format_unpack_description(block_decoder_format(binding->format))->unpack_rgba_8unorm_rect;
      state->decode_s3tc = tbr_s3tc_choose_decoder(binding->format);
      state->integer = util_format_is_pure_integer(binding->format);
   }
}

/** Whether the specialised functions cover the target, wraps and coordinates. */
static bool
is_specialised(struct tbr_texture_binding *binding)
{
   const bool wraps =
      prepare_wrap(binding, 0, binding->sampler.wrap_s) & prepare_wrap(binding, 1, binding->sampler.wrap_t);
   if (!wraps || binding->sampler.unnormalized_coords)
      return false;
   return binding->num_samples <= 1 &&
          (binding->target == PIPE_TEXTURE_2D || binding->target == PIPE_TEXTURE_2D_ARRAY ||
           binding->target == PIPE_TEXTURE_CUBE);
}

/** Whether the vector functions cover the coordinates: those in texels repeat in no API, and there is a texel for
 * lanes that read none. Looks for borders. */
static bool
prepare_vector_wraps(struct tbr_texture_binding *binding)
{
   struct tbr_texture_private *state = &binding->private_state;
   const unsigned wraps[3] = {binding->sampler.wrap_s, binding->sampler.wrap_t, binding->sampler.wrap_r};
   bool repeats = false;
   state->common_wrap = wraps[0];
   for (unsigned i = 0; i < state->dimensions; i++) {
      if (wraps[i] != wraps[0])
         state->common_wrap = TEXTURE_WRAP_MIXED;
      repeats |= wraps[i] == PIPE_TEX_WRAP_REPEAT || wraps[i] == PIPE_TEX_WRAP_MIRROR_REPEAT;
      state->bordered |= wraps[i] == PIPE_TEX_WRAP_CLAMP || wraps[i] == PIPE_TEX_WRAP_CLAMP_TO_BORDER ||
                         wraps[i] == PIPE_TEX_WRAP_MIRROR_CLAMP ||
                         wraps[i] == PIPE_TEX_WRAP_MIRROR_CLAMP_TO_BORDER;
   }
   if (binding->target == PIPE_BUFFER)
      return binding->buffer_elements > 0;
   return state->normalized || (!repeats && state->dimensions < 3);
}

/** The border's channels as a texel would have them in memory; false where no texel is such: luminance of
 * different red, green and blue. */
static bool
prepare_stored_border(struct tbr_texture_private *state, const uint8_t component[4])
{
   bool known[4] = {false}, same = true;
   for (unsigned i = 0; i < 4; i++) {
      uint32_t bits;
      memcpy(&bits, &state->border[i], sizeof(bits));
      if (component[i] > PIPE_SWIZZLE_W) {
         const float one = 1.0f;
         uint32_t constant = state->integer;
         if (!state->integer)
            memcpy(&constant, &one, sizeof(constant));
         same &= bits == (component[i] == PIPE_SWIZZLE_1 ? constant : 0);
         continue;
      }
      float *stored = &state->stored_border[component[i]];
      same &= !known[component[i]] || memcmp(stored, &bits, sizeof(bits)) == 0;
      memcpy(stored, &bits, sizeof(bits));
      known[component[i]] = true;
   }
   return same;
}

void
tbr_texture_binding_prepare(struct tbr_texture_binding *binding)
{
   struct tbr_texture_private *state = &binding->private_state;
   struct pipe_sampler_state *sampler = &binding->sampler;

   assert(binding->num_levels >= 1 && binding->num_levels <= TBR_MAX_LEVELS && binding->num_layers);
   memset(state, 0, sizeof(*state));
   prepare_decoding(binding);
   state->dimensions = count_dimensions(binding->target);
   state->last_level = binding->num_levels - 1;
   state->normalized = !sampler->unnormalized_coords && binding->target != PIPE_TEXTURE_RECT;
   state->scale[0] = state->normalized ? (float)binding->levels[0].width : 1.0f;
   state->scale[1] = state->normalized ? (float)binding->levels[0].height : 1.0f;
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
   state->gathers = gathers_fast();
   state->seamless = sampler->seamless_cube_map &&
                     (binding->target == PIPE_TEXTURE_CUBE || binding->target == PIPE_TEXTURE_CUBE_ARRAY);
   /* Past the edges of its faces there are other faces. */
   if (state->seamless)
      sampler->wrap_s = sampler->wrap_t = PIPE_TEX_WRAP_CLAMP_TO_EDGE;
   state->format = binding->format;
   state->reduction = sampler->reduction_mode;
   state->is_signed = util_format_is_pure_sint(binding->format);
   const bool averages = state->reduction == PIPE_TEX_REDUCTION_WEIGHTED_AVERAGE;
   state->filtered = !state->integer || !averages;
   const bool probes = !state->integer && averages &&
                       (sampler->min_img_filter == PIPE_TEX_FILTER_LINEAR ||
                        sampler->mag_img_filter == PIPE_TEX_FILTER_LINEAR);
   state->max_anisotropy = probes && state->dimensions == 2 ? CLAMP(sampler->max_anisotropy, 1, 16) : 1;
   state->layered = binding->target == PIPE_TEXTURE_1D_ARRAY || binding->target == PIPE_TEXTURE_2D_ARRAY;
   prepare_border(binding);

   const struct util_format_description *description = util_format_description(binding->format);
   state->clamps_reference = description->channel[0].type != UTIL_FORMAT_TYPE_FLOAT;

   static const uint8_t as_stored[4] = {PIPE_SWIZZLE_X, PIPE_SWIZZLE_Y, PIPE_SWIZZLE_Z, PIPE_SWIZZLE_W};
   uint8_t component[4];
   const bool addresses = prepare_levels(binding), wraps = prepare_vector_wraps(binding);
   state->vectors = prepare_channels(state, binding->format, component) && addresses && wraps && averages &&
                    (prepare_stored_border(state, component) || !state->bordered);
   state->kind =
      is_specialised(binding) && state->vectors ? classify_format(binding->format) : TEXTURE_KIND_GENERAL;
   if (binding->target == PIPE_TEXTURE_CUBE && state->kind != TEXTURE_KIND_BYTES_4)
      state->kind = TEXTURE_KIND_GENERAL;
   util_format_compose_swizzles(component, binding->swizzle, state->channel);
   for (unsigned i = 0; i < 4; i++)
      if (state->channel[i] <= PIPE_SWIZZLE_W)
         state->used_channels |= 1u << state->channel[i];
   state->identity = memcmp(state->channel, as_stored, sizeof as_stored) == 0;
   binding->sample = tbr_isa_get()->choose_sampler(binding);
   assert(binding->sample && (state->fetch || state->unpack_depth || state->unpack_stencil));
}
