/* SPDX-License-Identifier: MIT */
/**
 * What shaders do to storage buffers and images (tbr_load_store.h), compiled for each vector feature level by tbr_isa.c.
 * The usual formats and patterns are loops over all lanes, which the compiler makes vectors of.
 */
#include <assert.h>
#include <string.h>

#include "util/format/u_format.h"
#include "util/u_math.h"
#include "state/tbr_addresses.h"
#include "tile/tbr_load_store.h"
#include "tile/tbr_texture_unit.h"

/* ---- events ------------------------------------------------------------- */

static enum cm_storage_operation
storage_recorded_operation(uint32_t operation)
{
   return operation == TBR_LOAD    ? CM_STORAGE_LOAD
          : operation == TBR_STORE ? CM_STORAGE_STORE
                                   : CM_STORAGE_ATOMIC;
}

static uint32_t
storage_header(enum cm_event_type type, uint32_t count, uint32_t unit, uint32_t operation, uint32_t bytes)
{
   return type | count << 8 | unit << 16 |
          (uint32_t)storage_recorded_operation(operation) << CM_STORAGE_OPERATION_SHIFT |
          bytes << CM_STORAGE_BYTES_SHIFT;
}

/** lanes: those that access memory within the buffer. */
static void
storage_record_buffer(struct tbr_texture_thread *thread, const struct tbr_load_store_arguments *arguments,
                      uint32_t lanes, uint32_t bytes)
{
   const size_t most = 1 + TBR_QUADS * CM_BUFFER_ACCESS_WORDS;
   uint32_t *event = cm_tile_events_reserve(thread->events, most), count = 0;
   if (!event)
      return;
   struct cm_buffer_access *accesses = (struct cm_buffer_access *)(event + 1);
   for (unsigned quad = 0; quad < TBR_QUADS; quad++) {
      const uint8_t live = lanes >> 4 * quad & 15;
      if (!live)
         continue;
      accesses[count] = (struct cm_buffer_access){.quad = quad, .live = live};
      memcpy(accesses[count++].offset, &arguments->coordinates[0][4 * quad], sizeof accesses->offset);
   }
   event[0] = storage_header(CM_EVENT_BUFFER, count, arguments->binding, arguments->operation, bytes);
   thread->events->num_words += 1 + count * CM_BUFFER_ACCESS_WORDS;
}

static bool
storage_has_rows(enum pipe_texture_target target)
{
   return target != PIPE_BUFFER && target != PIPE_TEXTURE_1D && target != PIPE_TEXTURE_1D_ARRAY;
}

static uint32_t
storage_layer_of(const struct tbr_bound_image *image, const struct tbr_load_store_arguments *arguments,
                 unsigned lane)
{
   return image->layered ? (uint32_t)arguments->coordinates[2][lane] : 0;
}

/** A footprint of the lanes of a quad that have the same layer and sample as the first one. Returns these. */
static uint8_t
storage_describe_texels(const struct tbr_bound_image *image, const struct tbr_load_store_arguments *arguments,
                        unsigned quad, uint32_t live, struct cm_footprint *footprint)
{
   const unsigned first = 4 * quad + (unsigned)ffs((int)live) - 1;
   const uint32_t layer = storage_layer_of(image, arguments, first);
   const int32_t sample = image->samples > 1 ? arguments->sample[first] : 0;
   *footprint = (struct cm_footprint){.quad = quad, .level = (uint8_t)sample, .layer = layer};
   for (unsigned i = 0; i < 4; i++) {
      const unsigned lane = 4 * quad + i;
      const uint32_t x = arguments->coordinates[0][lane], y = arguments->coordinates[1][lane];
      if (!(live >> i & 1) || storage_layer_of(image, arguments, lane) != layer ||
          (image->samples > 1 && arguments->sample[lane] != sample))
         continue;
      footprint->live |= 1u << i;
      if (image->target == PIPE_BUFFER) {
         footprint->texel[i].x = (int16_t)(x & 32767);
         footprint->texel[i].y = (int16_t)(x >> 15);
      } else {
         footprint->texel[i].x = (int16_t)x;
         footprint->texel[i].y =
            (int16_t)(image->target == PIPE_TEXTURE_1D || image->target == PIPE_TEXTURE_1D_ARRAY ? 0 : y);
      }
   }
   return footprint->live;
}

/** The same of a quad of which all four access an image of one layer and sample. */
static void
storage_describe_plain_texels(const struct tbr_bound_image *image,
                              const struct tbr_load_store_arguments *arguments, unsigned quad,
                              struct cm_footprint *footprint)
{
   const int32_t *xs = &arguments->coordinates[0][4 * quad], *ys = &arguments->coordinates[1][4 * quad];
   const int32_t rows = storage_has_rows(image->target) ? ~0 : 0;
   *footprint = (struct cm_footprint){.quad = quad, .live = 15};
   for (unsigned i = 0; i < 4; i++) {
      footprint->texel[i].x = (int16_t)xs[i];
      footprint->texel[i].y = (int16_t)(ys[i] & rows);
   }
}

static void
storage_record_image(struct tbr_texture_thread *thread, const struct tbr_bound_image *image,
                     const struct tbr_load_store_arguments *arguments, uint32_t lanes)
{
   const size_t most = 1 + TBR_LANES * CM_FOOTPRINT_WORDS;
   uint32_t *event = cm_tile_events_reserve(thread->events, most), count = 0;
   if (!event)
      return;
   struct cm_footprint *footprints = (struct cm_footprint *)(event + 1);
   const bool plain = image->layers <= 1 && image->samples <= 1 && image->target != PIPE_BUFFER;
   for (unsigned quad = 0; quad < TBR_QUADS; quad++) {
      uint32_t live = lanes >> 4 * quad & 15;
      if (plain && live == 15) {
         storage_describe_plain_texels(image, arguments, quad, &footprints[count++]);
         continue;
      }
      while (live)
         live &= ~(uint32_t)storage_describe_texels(image, arguments, quad, live, &footprints[count++]);
   }
   event[0] = storage_header(CM_EVENT_IMAGE, count, arguments->binding - TBR_STORAGE_IMAGE(0),
                             arguments->operation, 0);
   thread->events->num_words += 1 + count * CM_FOOTPRINT_WORDS;
}

/* ---- atomics ------------------------------------------------------------ */

static uint32_t
storage_combine(uint32_t operation, uint32_t old, uint32_t data, uint32_t swap)
{
   switch (operation) {
   case TBR_ATOMIC_ADD: return old + data;
   case TBR_ATOMIC_AND: return old & data;
   case TBR_ATOMIC_OR: return old | data;
   case TBR_ATOMIC_XOR: return old ^ data;
   case TBR_ATOMIC_SIGNED_MIN: return (int32_t)old < (int32_t)data ? old : data;
   case TBR_ATOMIC_SIGNED_MAX: return (int32_t)old > (int32_t)data ? old : data;
   case TBR_ATOMIC_UNSIGNED_MIN: return MIN2(old, data);
   case TBR_ATOMIC_UNSIGNED_MAX: return MAX2(old, data);
   case TBR_ATOMIC_COMPARE_AND_SWAP: return old == data ? swap : old;
   default: return data;
   }
}

/** Other tiles may access the word at the same time. */
static uint32_t
storage_atomic(uint32_t *word, uint32_t operation, uint32_t data, uint32_t swap)
{
   uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
   while (!__atomic_compare_exchange_n(word, &old, storage_combine(operation, old, data, swap), true,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      ;
   return old;
}

/* ---- buffers ------------------------------------------------------------ */

#define STORAGE_ALL_LANES ((1u << TBR_LANES) - 1)

/** The lanes whose access lies within the buffer. */
static uint32_t
storage_lanes_inside(const struct tbr_bound_buffer *buffer, const int32_t *offsets, uint32_t bytes)
{
   uint32_t lanes = 0, most = 0;
   if (!buffer->memory || buffer->bytes < bytes)
      return 0;
   const uint32_t last = buffer->bytes - bytes;
   for (unsigned lane = 0; lane < TBR_LANES; lane++)
      most = MAX2(most, (uint32_t)offsets[lane]);
   if (most <= last)
      return STORAGE_ALL_LANES;
   for (unsigned lane = 0; lane < TBR_LANES; lane++)
      lanes |= (uint32_t)((uint32_t)offsets[lane] <= last) << lane;
   return lanes;
}

/** How far the offsets are apart: 0 or 4 bytes from lane to lane; 1: anything else. */
static unsigned
storage_distance_of(const int32_t *offsets)
{
   uint32_t same = 0, next = 0;
   for (unsigned lane = 1; lane < TBR_LANES; lane++) {
      same |= (uint32_t)(offsets[lane] ^ offsets[0]);
      next |= (uint32_t)(offsets[lane] ^ (offsets[0] + 4 * (int32_t)lane));
   }
   return !same ? 0 : !next ? 4 : 1;
}

/** All lanes are inside. */
static void
storage_load_all(const uint8_t *memory, struct tbr_load_store_arguments *arguments, unsigned words)
{
   const int32_t *offsets = arguments->coordinates[0];
   const unsigned distance = storage_distance_of(offsets);
   for (unsigned i = 0; i < words; i++) {
      uint32_t *result = arguments->result[i], word;
      const uint8_t *source = memory + 4 * i;
      if (distance == 4) {
         memcpy(result, source + (uint32_t)offsets[0], sizeof arguments->result[i]);
      } else if (distance == 0) {
         memcpy(&word, source + (uint32_t)offsets[0], 4);
         for (unsigned lane = 0; lane < TBR_LANES; lane++)
            result[lane] = word;
      } else {
         for (unsigned lane = 0; lane < TBR_LANES; lane++)
            memcpy(&result[lane], source + (uint32_t)offsets[lane], 4);
      }
   }
}

static void
storage_load_buffer(const struct tbr_bound_buffer *buffer, struct tbr_load_store_arguments *arguments,
                    uint32_t inside, unsigned words)
{
   if (inside == STORAGE_ALL_LANES) {
      storage_load_all(buffer->memory, arguments, words);
      return;
   }
   memset(arguments->result, 0, words * sizeof arguments->result[0]);
   u_foreach_bit (lane, inside) {
      const uint8_t *source = buffer->memory + (uint32_t)arguments->coordinates[0][lane];
      for (unsigned i = 0; i < words; i++)
         memcpy(&arguments->result[i][lane], source + 4 * i, 4);
   }
}

static void
storage_store_buffer(const struct tbr_bound_buffer *buffer, const struct tbr_load_store_arguments *arguments,
                     uint32_t lanes, unsigned words)
{
   u_foreach_bit (lane, lanes) {
      uint8_t *destination = buffer->memory + (uint32_t)arguments->coordinates[0][lane];
      for (unsigned i = 0; i < words; i++)
         memcpy(destination + 4 * i, &arguments->data[i][lane], 4);
   }
}

static void
storage_access_buffer(struct tbr_texture_thread *thread, const struct tbr_bound_buffer *buffer,
                      struct tbr_load_store_arguments *arguments)
{
   const unsigned words = (unsigned)arguments->coordinates[1][0];
   const uint32_t inside = storage_lanes_inside(buffer, arguments->coordinates[0], 4 * words);
   const uint32_t lanes = inside & arguments->active & thread->live;
   assert(words >= 1 && words <= 4);
   if (arguments->operation == TBR_LOAD) {
      storage_load_buffer(buffer, arguments, inside, words);
   } else if (arguments->operation == TBR_STORE) {
      storage_store_buffer(buffer, arguments, lanes, words);
   } else {
      memset(arguments->result[0], 0, sizeof arguments->result[0]);
      u_foreach_bit (lane, lanes) {
         uint32_t *word = (uint32_t *)(buffer->memory + ((uint32_t)arguments->coordinates[0][lane] & ~3u));
         arguments->result[0][lane] =
            storage_atomic(word, arguments->operation, arguments->data[0][lane], arguments->swap[lane]);
      }
   }
   if (thread->events && lanes)
      storage_record_buffer(thread, arguments, lanes, 4 * words);
}

/* ---- memory by address ----------------------------------------------------- */

/** Where the lanes' accesses are in memory; returns the lanes whose access is within a buffer. */
static uint32_t
storage_find_addresses(const struct tbr_address_table *table,
                       const struct tbr_load_store_arguments *arguments, uint32_t bytes,
                       uint8_t *memory[TBR_LANES])
{
   const int32_t *offsets = arguments->coordinates[0], *numbers = arguments->coordinates[2];
   uint32_t lanes = 0;
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      const uint32_t number = (uint32_t)numbers[lane], offset = (uint32_t)offsets[lane];
      const struct tbr_addressed_buffer *buffer = number < table->count ? &table->buffers[number] : NULL;
      if (!buffer || buffer->bytes < bytes || offset > buffer->bytes - bytes)
         continue;
      memory[lane] = buffer->memory + offset;
      lanes |= 1u << lane;
   }
   return lanes;
}

/** An access for each buffer that a quad's lanes are in. */
static void
storage_record_addresses(struct tbr_texture_thread *thread, const struct tbr_load_store_arguments *arguments,
                         uint32_t lanes, uint32_t bytes)
{
   const size_t most = 1 + TBR_LANES * CM_BUFFER_ACCESS_WORDS;
   const int32_t *offsets = arguments->coordinates[0], *numbers = arguments->coordinates[2];
   uint32_t *event = cm_tile_events_reserve(thread->events, most), count = 0;
   if (!event)
      return;
   struct cm_buffer_access *accesses = (struct cm_buffer_access *)(event + 1);
   for (unsigned quad = 0; quad < TBR_QUADS; quad++) {
      for (uint32_t left = lanes >> 4 * quad & 15; left; left &= ~(uint32_t)accesses[count++].live) {
         const int32_t number = numbers[4 * quad + (unsigned)ffs((int)left) - 1];
         accesses[count] = (struct cm_buffer_access){.quad = quad, .buffer = (uint16_t)number};
         memcpy(accesses[count].offset, &offsets[4 * quad], sizeof accesses->offset);
         for (unsigned i = 0; i < 4; i++)
            accesses[count].live |= (left >> i & 1 && numbers[4 * quad + i] == number) << i;
      }
   }
   event[0] = storage_header(CM_EVENT_BUFFER, count, CM_BY_ADDRESS, arguments->operation, bytes);
   thread->events->num_words += 1 + count * CM_BUFFER_ACCESS_WORDS;
}

static void
storage_report_outside(const struct tbr_load_store_arguments *arguments, uint32_t lanes)
{
   const unsigned lane = (unsigned)ffs((int)lanes) - 1;
   tbr_addresses_report_outside((uint64_t)(uint32_t)arguments->coordinates[2][lane] << 32 |
                                (uint32_t)arguments->coordinates[0][lane]);
}

static void
storage_access_addresses(struct tbr_texture_thread *thread, const struct tbr_address_table *table,
                         struct tbr_load_store_arguments *arguments)
{
   const unsigned words = (unsigned)arguments->coordinates[1][0];
   const uint32_t executing = arguments->active & thread->live;
   uint8_t *memory[TBR_LANES];
   assert(table && words >= 1 && words <= 4);
   const uint32_t inside = storage_find_addresses(table, arguments, 4 * words, memory);
   const uint32_t lanes = inside & executing;
   if (arguments->operation == TBR_LOAD) {
      memset(arguments->result, 0, words * sizeof arguments->result[0]);
      /* Others may have the address of memory that is gone. */
      u_foreach_bit (lane, inside & arguments->active) {
         for (unsigned i = 0; i < words; i++)
            memcpy(&arguments->result[i][lane], memory[lane] + 4 * i, 4);
      }
   } else if (arguments->operation == TBR_STORE) {
      u_foreach_bit (lane, lanes) {
         for (unsigned i = 0; i < words; i++)
            memcpy(memory[lane] + 4 * i, &arguments->data[i][lane], 4);
      }
   } else {
      memset(arguments->result[0], 0, sizeof arguments->result[0]);
      u_foreach_bit (lane, lanes) {
         uint32_t *word = (uint32_t *)((uintptr_t)memory[lane] & ~(uintptr_t)3);
         arguments->result[0][lane] =
            storage_atomic(word, arguments->operation, arguments->data[0][lane], arguments->swap[lane]);
      }
   }
   if (executing & ~inside)
      storage_report_outside(arguments, executing & ~inside);
   if (thread->events && lanes)
      storage_record_addresses(thread, arguments, lanes, 4 * words);
}

/* ---- images ------------------------------------------------------------- */

/** Bytes of the largest texel. */
#define STORAGE_MAX_TEXEL_BYTES 16

/** Where the lanes' texels are. */
struct found_texels {
   uint32_t offset[TBR_LANES]; /**< bytes from the image's first texel; 0 where it is outside */
   uint32_t inside[TBR_LANES]; /**< ~0 or 0 */
   uint32_t lanes;             /**< those inside */
};

static void
storage_find_texels(const struct tbr_bound_image *image, const struct tbr_load_store_arguments *arguments,
                    struct found_texels *found)
{
   static const int32_t zeros[TBR_LANES];
   const int32_t *xs = arguments->coordinates[0];
   const int32_t *ys = storage_has_rows(image->target) ? arguments->coordinates[1] : zeros;
   const int32_t *layers = image->layered ? arguments->coordinates[2] : zeros;
   const int32_t *samples = image->samples > 1 ? arguments->sample : zeros;
   const uint32_t layer_stride = (uint32_t)image->layer_stride, row_stride = (uint32_t)image->row_stride;
   const uint32_t sample_stride = (uint32_t)image->sample_stride;
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      const uint32_t x = (uint32_t)xs[lane], y = (uint32_t)ys[lane];
      const uint32_t layer = (uint32_t)layers[lane], sample = (uint32_t)samples[lane];
      const uint32_t inside = -(uint32_t)((x < image->width) & (y < image->height) & (layer < image->layers) &
                                          (sample < image->samples));
      found->inside[lane] = inside;
      found->offset[lane] =
         (layer * layer_stride + sample * sample_stride + y * row_stride + x * image->texel_bytes) & inside;
   }
   found->lanes = 0;
   for (unsigned lane = 0; lane < TBR_LANES && image->texels; lane++)
      found->lanes |= (found->inside[lane] & 1) << lane;
}

/** A word of each texel. */
static void
storage_gather_words(const struct tbr_bound_image *image, const struct found_texels *found, unsigned word,
                     uint32_t words[TBR_LANES])
{
   for (unsigned lane = 0; lane < TBR_LANES; lane++)
      memcpy(&words[lane], image->texels + found->offset[lane] + 4 * word, 4);
}

static void
storage_load_bytes(const struct tbr_bound_image *image, struct tbr_load_store_arguments *arguments,
                   const struct found_texels *found)
{
   uint32_t words[TBR_LANES];
   storage_gather_words(image, found, 0, words);
   for (unsigned i = 0; i < 4; i++) {
      for (unsigned lane = 0; lane < TBR_LANES; lane++) {
         const float value = (float)(int32_t)(words[lane] >> 8 * i & 0xff) * (1.0f / 255.0f);
         arguments->result[i][lane] = fui(value) & found->inside[lane];
      }
   }
}

static void
storage_load_words(const struct tbr_bound_image *image, struct tbr_load_store_arguments *arguments,
                   const struct found_texels *found)
{
   const unsigned channels = image->texel_bytes / 4;
   for (unsigned i = 0; i < channels; i++) {
      storage_gather_words(image, found, i, arguments->result[i]);
      for (unsigned lane = 0; lane < TBR_LANES; lane++)
         arguments->result[i][lane] &= found->inside[lane];
   }
   for (unsigned i = channels; i < 4; i++) {
      for (unsigned lane = 0; lane < TBR_LANES; lane++)
         arguments->result[i][lane] = i == 3 ? image->one : 0;
   }
}

/** Texels are gathered first, so that the format's function converts all of them at once. */
static void
storage_load_general(const struct tbr_bound_image *image, struct tbr_load_store_arguments *arguments,
                     const struct found_texels *found)
{
   uint8_t gathered[TBR_LANES * STORAGE_MAX_TEXEL_BYTES];
   uint32_t values[TBR_LANES][4];
   memset(gathered, 0, TBR_LANES * image->texel_bytes);
   u_foreach_bit (lane, found->lanes)
      memcpy(gathered + lane * image->texel_bytes, image->texels + found->offset[lane], image->texel_bytes);
   util_format_unpack_rgba(image->format, values, gathered, TBR_LANES);
   for (unsigned i = 0; i < 4; i++) {
      for (unsigned lane = 0; lane < TBR_LANES; lane++)
         arguments->result[i][lane] = values[lane][i];
   }
}

static void
storage_load_image(const struct tbr_bound_image *image, struct tbr_load_store_arguments *arguments,
                   const struct found_texels *found)
{
   /* Outside of the image is a texel of zeros, of whose channels those that are missing are 0, 0, 0 and 1. */
   if (!image->texels)
      memset(arguments->result, 0, sizeof arguments->result);
   else if (image->kind == TBR_IMAGE_BYTES)
      storage_load_bytes(image, arguments, found);
   else if (image->kind == TBR_IMAGE_WORDS)
      storage_load_words(image, arguments, found);
   else
      storage_load_general(image, arguments, found);
}

static void
storage_store_image(const struct tbr_bound_image *image, const struct tbr_load_store_arguments *arguments,
                    const struct found_texels *found, uint32_t lanes)
{
   uint8_t packed[TBR_LANES * STORAGE_MAX_TEXEL_BYTES];
   uint32_t values[TBR_LANES][4];
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      for (unsigned i = 0; i < 4; i++)
         values[lane][i] = arguments->data[i][lane];
   }
   util_format_pack_rgba(image->format, packed, values, TBR_LANES);
   u_foreach_bit (lane, lanes)
      memcpy(image->texels + found->offset[lane], packed + lane * image->texel_bytes, image->texel_bytes);
}

static void
storage_access_image(struct tbr_texture_thread *thread, const struct tbr_bound_image *image,
                     struct tbr_load_store_arguments *arguments)
{
   struct found_texels found;
   storage_find_texels(image, arguments, &found);
   const uint32_t lanes = found.lanes & arguments->active & thread->live;
   assert(image->texel_bytes <= STORAGE_MAX_TEXEL_BYTES);
   if (arguments->operation == TBR_LOAD) {
      storage_load_image(image, arguments, &found);
   } else if (arguments->operation == TBR_STORE) {
      if (lanes)
         storage_store_image(image, arguments, &found, lanes);
   } else {
      /* Images of atomics have one channel of 32 bits. */
      memset(arguments->result[0], 0, sizeof arguments->result[0]);
      u_foreach_bit (lane, lanes)
         arguments->result[0][lane] =
            storage_atomic((uint32_t *)(image->texels + found.offset[lane]), arguments->operation,
                           arguments->data[0][lane], arguments->swap[lane]);
   }
   if (thread->events && lanes)
      storage_record_image(thread, image, arguments, lanes);
}

/* ---- entry ---------------------------------------------------------------- */

static void
storage_load_store(struct tbr_texture_thread *thread, const struct tbr_bound_storage *storage,
                   struct tbr_load_store_arguments *arguments)
{
   static const struct tbr_bound_image no_image;
   const uint32_t binding = arguments->binding;
   if (binding < TBR_MAX_BOUND_BUFFERS)
      storage_access_buffer(thread, &storage->buffers[binding], arguments);
   else if (binding < TBR_BARRIER)
      storage_access_image(thread, &storage->images[binding - TBR_STORAGE_IMAGE(0)], arguments);
   else if (binding == TBR_MEMORY_BY_ADDRESS)
      storage_access_addresses(thread, storage->addresses, arguments);
   else
      storage_access_image(thread, &no_image, arguments);
}
