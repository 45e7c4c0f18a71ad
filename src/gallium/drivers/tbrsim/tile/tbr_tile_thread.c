/* SPDX-License-Identifier: MIT */
/* What a thread keeps from tile to tile: independent of the vector level. */
#include "tile/tbr_tile.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/format/u_format.h"
#include "util/log.h"
#include "model/tbr_process.h"

const float tbr_sample_positions[TBR_MAX_SAMPLES][2] = {{6 / 16.0f, 2 / 16.0f},
                                                        {14 / 16.0f, 6 / 16.0f},
                                                        {2 / 16.0f, 10 / 16.0f},
                                                        {10 / 16.0f, 14 / 16.0f}};

_Noreturn void
tbr_tile_out_of_memory(const char *what)
{
   mesa_loge("out of memory for %s of a tile", what);
   tbr_process_abort();
}

/* Reserves space for what is visible in a tile of so many samples per pixel. */
static bool
reserve_visible(struct tbr_tile_thread *thread, uint32_t samples)
{
   const uint32_t capacity = samples * TBR_TILE_MAX_PIXELS;
   if (capacity <= thread->visible_capacity)
      return true;
   free(thread->visible);
   free(thread->sorted);
   thread->visible = malloc(capacity * sizeof(*thread->visible));
   thread->sorted = malloc(capacity * sizeof(*thread->sorted));
   thread->visible_capacity = thread->visible && thread->sorted ? capacity : 0;
   return thread->visible_capacity;
}

struct tbr_tile_thread *
tbr_tile_thread_create(void)
{
   const size_t size = ALIGN_POT(sizeof(struct tbr_tile_thread), 64);
   struct tbr_tile_thread *thread = aligned_alloc(64, size);
   if (!thread)
      return NULL;
   memset(thread, 0, size);
   thread->primitives_capacity = 1024;
   thread->primitives = malloc(thread->primitives_capacity * sizeof(*thread->primitives));
   thread->run_offsets_capacity = 64;
   thread->run_offsets = malloc(thread->run_offsets_capacity * sizeof(*thread->run_offsets));
   if (!reserve_visible(thread, 1) || !thread->primitives || !thread->run_offsets) {
      tbr_tile_thread_destroy(thread);
      return NULL;
   }
   return thread;
}

void
tbr_tile_thread_destroy(struct tbr_tile_thread *thread)
{
   if (!thread)
      return;
   while (thread->chunks) {
      struct tbr_plane_chunk *chunk = thread->chunks;
      thread->chunks = chunk->next;
      free(chunk);
   }
   for (unsigned n = 0; n < TBR_MAX_COLOR_BUFFERS; n++)
      free(thread->color[n].pixels);
   free(thread->visible);
   free(thread->sorted);
   free(thread->primitives);
   free(thread->run_offsets);
   free(thread->replaced);
   free(thread->occlusion);
   free(thread);
}

/* An array of twice the capacity with the elements of one that it replaces. */
static void *
double_array(void *array, size_t element_size, uint32_t *capacity, const char *what)
{
   *capacity *= 2;
   array = *capacity ? realloc(array, *capacity * element_size) : NULL;
   if (!array)
      tbr_tile_out_of_memory(what);
   return array;
}

void
tbr_tile_grow_primitives(struct tbr_tile_thread *thread)
{
   assert(thread->num_primitives == thread->primitives_capacity);
   thread->primitives = double_array(thread->primitives, sizeof(*thread->primitives),
                                     &thread->primitives_capacity, "the primitives");
}

void
tbr_tile_grow_runs(struct tbr_tile_thread *thread)
{
   assert(thread->num_runs <= thread->run_offsets_capacity);
   thread->run_offsets = double_array(thread->run_offsets, sizeof(*thread->run_offsets),
                                      &thread->run_offsets_capacity, "the draws");
}

void
tbr_tile_next_chunk(struct tbr_tile_thread *thread)
{
   struct tbr_plane_chunk **link = thread->chunk ? &thread->chunk->next : &thread->chunks;
   if (!*link) {
      const size_t size = sizeof(struct tbr_plane_chunk) + TBR_PLANES_PER_CHUNK * sizeof(struct tbr_plane);
      *link = aligned_alloc(64, ALIGN_POT(size, 64));
      if (!*link)
         tbr_tile_out_of_memory("the attributes");
      (*link)->next = NULL;
   }
   thread->chunk = *link;
   thread->chunk_used = 0;
}

/* ---- what a pass needs ------------------------------------------------- */

/* Whether the format is unsigned normalised channels in at most 32 bits; fills
 * the positions of the channels. */
static bool
describe_unorm(struct tbr_tile_color *color, const struct util_format_description *description)
{
   if (description->layout != UTIL_FORMAT_LAYOUT_PLAIN ||
       description->colorspace != UTIL_FORMAT_COLORSPACE_RGB ||
       (description->block.bits != 8 && description->block.bits != 16 && description->block.bits != 32))
      return false;
   color->filler = 0;
   uint32_t void_bits = 0;
   for (unsigned n = 0; n < description->nr_channels; n++) {
      const struct util_format_channel_description *channel = &description->channel[n];
      const uint32_t bits = BITFIELD_MASK(channel->size) << channel->shift;
      if (channel->type == UTIL_FORMAT_TYPE_VOID)
         void_bits |= bits;
      else if (channel->type != UTIL_FORMAT_TYPE_UNSIGNED || !channel->normalized || channel->size > 16)
         return false;
   }
   bool used[4] = {false};
   for (unsigned c = 0; c < 4; c++) {
      color->shift[c] = 0;
      color->maximum[c] = 0;
      color->inverse_maximum[c] = 0;
      const unsigned swizzle = description->swizzle[c];
      if (swizzle > PIPE_SWIZZLE_W)
         continue;
      if (used[swizzle]) /* luminance: several components share a channel */
         return false;
      used[swizzle] = true;
      const uint32_t maximum = BITFIELD_MASK(description->channel[swizzle].size);
      color->shift[c] = description->channel[swizzle].shift;
      color->maximum[c] = maximum;
      color->inverse_maximum[c] = 1.0f / maximum;
   }
   color->alpha_is_one = description->swizzle[3] == PIPE_SWIZZLE_1;
   color->filler = void_bits;
   return true;
}

static bool
is_four_bytes(struct tbr_tile_color *color, const struct util_format_description *description)
{
   if (description->block.bits != 32 || description->nr_channels != 4)
      return false;
   for (unsigned n = 0; n < 4; n++) {
      if (description->channel[n].size != 8)
         return false;
   }
   memset(color->component, 0, sizeof(color->component));
   for (unsigned c = 0; c < 4; c++) {
      if (color->maximum[c])
         color->component[color->shift[c] / 8] = c;
   }
   return true;
}

static bool
begin_color(struct tbr_tile_color *color, const struct tbr_attachment *attachment, uint32_t tile_pixels,
            uint32_t samples)
{
   if (!attachment->memory)
      return true;
   const struct util_format_description *description = util_format_description(attachment->format);
   assert(description->block.bits / 8 <= sizeof color->clear_pixel);
   color->format = attachment->format;
   color->pixel_bytes = description->block.bits / 8;
   color->sample_bytes = (size_t)tile_pixels * color->pixel_bytes;
   const size_t bytes = color->sample_bytes * samples;
   if (bytes > color->capacity) {
      free(color->pixels);
      color->pixels = aligned_alloc(64, ALIGN_POT(bytes, 64));
      color->capacity = color->pixels ? bytes : 0;
      if (!color->pixels)
         return false;
   }
   color->integer = util_format_is_pure_integer(attachment->format);
   color->kind = TBR_COLOR_UNORM;
   if (!describe_unorm(color, description)) {
      color->kind = attachment->format == PIPE_FORMAT_R16G16B16A16_FLOAT ? TBR_COLOR_HALF
                    : attachment->format == PIPE_FORMAT_R11G11B10_FLOAT  ? TBR_COLOR_PACKED_FLOAT
                                                                         : TBR_COLOR_GENERAL;
      color->filler = 0;
   } else if (is_four_bytes(color, description)) {
      color->kind = TBR_COLOR_BYTES;
   }
   color->logic_op = !util_format_is_float(attachment->format) && !util_format_is_srgb(attachment->format);
   const bool is_snorm = util_format_is_snorm(attachment->format);
   const bool is_normalized =
      is_snorm || util_format_is_unorm(attachment->format) || util_format_is_srgb(attachment->format);
   color->clamp_low = is_snorm ? -1.0f : is_normalized ? 0.0f : -INFINITY;
   color->clamp_high = is_normalized ? 1.0f : INFINITY;
   color->pack = util_format_pack_description(attachment->format);
   color->unpack = util_format_unpack_description(attachment->format);
   memset(color->clear_pixel, 0, sizeof(color->clear_pixel));
   util_format_pack_rgba(attachment->format, color->clear_pixel, &attachment->clear_value, 1);
   for (unsigned n = 0; n < color->pixel_bytes && n < 4; n++)
      color->clear_pixel[n] |= color->filler >> 8 * n;
   return true;
}

static bool
begin_depth(struct tbr_tile_thread *thread, const struct tbr_pass *pass)
{
   thread->has_depth = pass->depth.memory != NULL;
   thread->has_stencil = pass->stencil.memory != NULL;
   thread->depth_is_float = false;
   thread->depth_scale = 0;
   thread->depth_unit = 0;
   if (!thread->has_depth)
      return true;
   const struct util_format_description *description = util_format_description(pass->depth.format);
   const struct util_format_channel_description *channel = &description->channel[description->swizzle[0]];
   thread->depth_is_float = channel->type == UTIL_FORMAT_TYPE_FLOAT;
   if (!thread->depth_is_float) {
      assert(channel->size <= 24);
      thread->depth_scale = (float)BITFIELD_MASK(channel->size);
      /* Twice the distance of two values: that far the rounding of interpolated depth
       * cannot hide an offset. Also the unit of draw's stage for unfilled polygons. */
      thread->depth_unit = 2.0 / (double)(1u << channel->size);
   }
   return true;
}

bool
tbr_tile_thread_begin(struct tbr_tile_thread *thread, const struct tbr_pass *pass)
{
   assert(pass->tile_size % 4 == 0 && pass->tile_size * pass->tile_size <= TBR_TILE_MAX_PIXELS);
   assert(pass->samples == 1 || pass->samples == TBR_MAX_SAMPLES);
   assert(!thread->queue.count && !thread->has_visible);
   thread->pass = pass;
   thread->blocks_x = pass->tile_size / 4;
   thread->num_blocks = thread->blocks_x * thread->blocks_x;
   for (uint32_t block = 0; block < thread->num_blocks; block++) {
      thread->block_x[block] = block % thread->blocks_x;
      thread->block_y[block] = block / thread->blocks_x;
   }
   for (unsigned n = 0; n < pass->num_color; n++) {
      if (!begin_color(&thread->color[n], &pass->color[n], pass->tile_size * pass->tile_size, pass->samples))
         return false;
   }
   if (!begin_depth(thread, pass) || !reserve_visible(thread, pass->samples))
      return false;
   if (pass->num_occlusion_counters > thread->occlusion_capacity) {
      free(thread->occlusion);
      thread->occlusion = malloc(pass->num_occlusion_counters * sizeof(*thread->occlusion));
      thread->occlusion_capacity = thread->occlusion ? pass->num_occlusion_counters : 0;
      if (!thread->occlusion)
         return false;
   }
   if (pass->num_occlusion_counters)
      memset(thread->occlusion, 0, pass->num_occlusion_counters * sizeof(*thread->occlusion));
   return true;
}

const uint64_t *
tbr_tile_thread_occlusion(const struct tbr_tile_thread *thread)
{
   return thread->occlusion;
}
