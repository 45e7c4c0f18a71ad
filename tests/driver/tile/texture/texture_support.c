/* SPDX-License-Identifier: MIT */
/** Random textures, and the choice of the vector feature level, for the texture
 * unit's tests and benchmark. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tile/tbr_isa.h"
#include "texture_test.h"
#include "util/format/u_format.h"
#include "util/macros.h"
#include "util/u_math.h"

#if defined(TBR_ONLY)
static const struct tbr_isa *const isa_levels[TEXTURE_TEST_MAX_LEVELS] = {&TBR_ONLY_TABLE};
#elif defined(__x86_64__)
static const struct tbr_isa *const isa_levels[TEXTURE_TEST_MAX_LEVELS] = {
   &tbr_isa_x86_64,
   &tbr_isa_x86_64_v3,
   &tbr_isa_x86_64_v4,
};
#else
static const struct tbr_isa *const isa_levels[TEXTURE_TEST_MAX_LEVELS] = {&tbr_isa_native};
#endif
static unsigned current_level;

unsigned
texture_test_num_levels(void)
{
#if defined(TBR_ONLY) || !defined(__x86_64__)
   return 1;
#else
   __builtin_cpu_init();
   if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
      return 1;
   return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512dq")
             ? 3
             : 2;
#endif
}

const char *
texture_test_level_name(unsigned level)
{
   return isa_levels[level]->name;
}

void
texture_test_use_level(unsigned level)
{
   current_level = level;
}

const struct tbr_isa *
tbr_isa_get(void)
{
   return isa_levels[current_level];
}

uint64_t
texture_test_random(void)
{
   static uint64_t state = 0x9e3779b97f4a7c15u;
   state ^= state << 13;
   state ^= state >> 7;
   state ^= state << 17;
   return state * 0x2545f4914f6cdd1du;
}

/** Random bytes, or floats between -2 and 2 where any bits could be no number. */
static void
fill(uint8_t *memory, size_t bytes, enum pipe_format format)
{
   const struct util_format_description *description = util_format_description(format);
   if (description->channel[0].type == UTIL_FORMAT_TYPE_FLOAT && description->channel[0].size == 32) {
      const bool depth = util_format_is_depth_or_stencil(format);
      for (size_t i = 0; i + 4 <= bytes; i += 4) {
         float value = (float)texture_test_uniform(depth ? 0.0 : -2.0, depth ? 1.0 : 2.0);
         memcpy(memory + i, &value, sizeof(value));
      }
      return;
   }
   for (size_t i = 0; i < bytes; i++)
      memory[i] = (uint8_t)(texture_test_random() >> 40);
}

void
texture_test_image_init(struct texture_test_image *image, const struct texture_test_description *description)
{
   struct tbr_texture_binding *binding = &image->binding;
   memset(image, 0, sizeof(*image));
   binding->unit = 3;
   binding->target = (uint8_t)description->target;
   binding->format = description->format;
   for (unsigned i = 0; i < 4; i++)
      binding->swizzle[i] = (uint8_t)i;
   assert(description->levels <= TBR_MAX_LEVELS);
   binding->num_levels = CLAMP(description->levels, 1, TBR_MAX_LEVELS);
   binding->num_layers = MAX2(description->layers, 1);
   binding->sampler.max_lod = 1000.0f;

   if (description->target == PIPE_BUFFER) {
      const size_t bytes = (size_t)description->width * util_format_get_blocksize(description->format);
      image->memory = malloc(bytes);
      fill(image->memory, bytes, description->format);
      binding->buffer_elements = description->width;
      binding->levels[0] = (struct tbr_texture_level){.texels = image->memory,
                                                      .width = description->width,
                                                      .height = 1,
                                                      .depth = 1};
      return;
   }

   size_t offsets[TBR_MAX_LEVELS], bytes = 0;
   for (unsigned i = 0; i < binding->num_levels; i++) {
      struct tbr_texture_level *level = &binding->levels[i];
      level->width = MAX2(description->width >> i, 1);
      level->height = MAX2(description->height >> i, 1);
      level->depth = MAX2(description->depth >> i, 1);
      level->row_stride = util_format_get_stride(description->format, level->width);
      level->layer_stride = level->row_stride * util_format_get_nblocksy(description->format, level->height);
      offsets[i] = bytes;
      bytes += (size_t)level->layer_stride * MAX2(level->depth, binding->num_layers);
      /* Texels need no more alignment than their words'. */
      bytes = (bytes + 3) & ~(size_t)3;
   }
   /* Ends where the texels end, so that a checker sees reads past them. */
   image->memory = malloc(bytes);
   fill(image->memory, bytes, description->format);
   for (unsigned i = 0; i < binding->num_levels; i++)
      binding->levels[i].texels = image->memory + offsets[i];
}

void
texture_test_image_free(struct texture_test_image *image)
{
   free(image->memory);
}
