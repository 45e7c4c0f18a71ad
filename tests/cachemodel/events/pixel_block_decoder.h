/* SPDX-License-Identifier: MIT */
/** A decoder of compressed blocks, written from docs/compression.md and not from the compressor. */
#ifndef PIXEL_BLOCK_DECODER_H
#define PIXEL_BLOCK_DECODER_H

#include <assert.h>
#include <string.h>

#include "events/pixel_block.h"

/** Bytes of the largest block. */
#define CM_MAX_BLOCK_BYTES (CM_BLOCK_SIZE * CM_BLOCK_SIZE * CM_MAX_PIXEL_BYTES)

struct block_bits {
   const uint8_t *bytes;
   unsigned at;
};

static inline uint64_t
take_bits(struct block_bits *bits, unsigned n)
{
   uint64_t value = 0;
   for (unsigned i = 0; i < n; i++, bits->at++)
      value += (uint64_t)(bits->bytes[bits->at / 8] >> bits->at % 8 & 1) << i;
   return value;
}

static inline uint64_t
modulo(int64_t value, unsigned bits)
{
   const int64_t period = (int64_t)1 << bits;
   return (uint64_t)((value % period + period) % period);
}

/* What the predictor says of pixel x, y, not the first. */
static inline int64_t
expected_pixel(unsigned predictor, int64_t pixel[4][4], unsigned x, unsigned y)
{
   switch (predictor) {
   case 0: return x ? pixel[y][x - 1] : pixel[y - 1][x];
   case 1: return y ? pixel[y - 1][x] : pixel[y][x - 1];
   case 2: return pixel[0][0];
   default:
      if (x && y)
         return pixel[y][x - 1] + pixel[y - 1][x] - pixel[y - 1][x - 1];
      if (x)
         return x == 1 ? pixel[0][0] : 2 * pixel[0][x - 1] - pixel[0][x - 2];
      return y == 1 ? pixel[0][0] : 2 * pixel[y - 1][0] - pixel[y - 2][0];
   }
}

/* The heads of all channels come first: predictor, width, the quads' reductions. */
struct channel_head {
   unsigned predictor, width, reduction[4];
};

static inline struct channel_head
take_head(struct block_bits *bits, unsigned channel_bits)
{
   struct channel_head head = {0};
   unsigned width_bits = 0;
   while (channel_bits >> width_bits)
      width_bits++;
   head.predictor = (unsigned)take_bits(bits, 2);
   head.width = (unsigned)take_bits(bits, width_bits);
   for (unsigned q = 0; q < 4 && head.width; q++)
      head.reduction[q] = (unsigned)take_bits(bits, 2);
   return head;
}

static inline void
take_channel(struct block_bits *bits, const struct channel_head *head, unsigned channel_bits,
             int64_t pixel[4][4])
{
   int64_t difference[4][4] = {{0}};
   for (unsigned q = 0; q < 4 && head->width; q++) {
      const unsigned width = head->reduction[q] == 3 ? 0 : head->width - head->reduction[q];
      for (unsigned p = 0; p < 4; p++) {
         if (!q && !p)
            continue;
         const uint64_t value = take_bits(bits, width);
         difference[q / 2 * 2 + p / 2][q % 2 * 2 + p % 2] =
            value & 1 ? -(int64_t)(value / 2) - 1 : (int64_t)(value / 2);
      }
   }
   for (unsigned p = 1; p < 16; p++) {
      const unsigned x = p % 4, y = p / 4;
      pixel[y][x] =
         (int64_t)modulo(expected_pixel(head->predictor, pixel, x, y) + difference[y][x], channel_bits);
   }
}

static inline void
restore_color(const struct cm_pixel_layout *layout, int64_t pixel[4][4][4], unsigned x, unsigned y)
{
   const int64_t green = pixel[1][y][x];
   for (unsigned c = 0; c < 3; c += 2) {
      const int more = layout->bits[1] - layout->bits[c];
      pixel[c][y][x] = (int64_t)modulo(pixel[c][y][x] + (more > 0 ? green >> more : green), layout->bits[c]);
   }
}

/* One pixel's channels as bytes, and back. */
static inline void
split_pixel(const struct cm_pixel_layout *layout, const uint8_t *bytes, int64_t *channels)
{
   struct block_bits bits = {bytes, 0};
   for (unsigned c = 0; c < layout->num_channels; c++)
      channels[c] = (int64_t)take_bits(&bits, layout->bits[c]);
}

static inline void
join_pixel(const struct cm_pixel_layout *layout, const int64_t *channels, uint8_t *bytes)
{
   memset(bytes, 0, layout->bytes);
   for (unsigned c = 0, at = 0; c < layout->num_channels; at += layout->bits[c++]) {
      for (unsigned b = 0; b < layout->bits[c]; b++)
         bytes[(at + b) / 8] |= (uint8_t)((channels[c] >> b & 1) << (at + b) % 8);
   }
}

static inline void
decode_packed(const struct cm_pixel_layout *layout, const uint8_t *bytes, uint8_t *pixels)
{
   int64_t pixel[4][4][4], first[4] = {0};
   struct channel_head heads[4];
   struct block_bits bits = {bytes, 8u * layout->bytes};
   split_pixel(layout, bytes, first);
   for (unsigned c = 0; c < layout->num_channels; c++)
      pixel[c][0][0] = first[c];
   for (unsigned c = 0; c < 3 && layout->is_color; c += 2) {
      const int more = layout->bits[1] - layout->bits[c];
      pixel[c][0][0] = (int64_t)modulo(first[c] - (more > 0 ? first[1] >> more : first[1]), layout->bits[c]);
   }
   for (unsigned c = 0; c < layout->num_channels; c++)
      heads[c] = take_head(&bits, layout->bits[c]);
   for (unsigned c = 0; c < layout->num_channels; c++)
      take_channel(&bits, &heads[c], layout->bits[c], pixel[c]);
   for (unsigned p = 0; p < 16; p++) {
      int64_t channels[4];
      if (layout->is_color)
         restore_color(layout, pixel, p % 4, p / 4);
      for (unsigned c = 0; c < layout->num_channels; c++)
         channels[c] = pixel[c][p / 4][p % 4];
      join_pixel(layout, channels, pixels + p * layout->bytes);
   }
}

/* A block of so many parts to 16 pixels, row by row. */
static inline void
decode_block(const struct cm_pixel_layout *layout, const uint8_t *bytes, unsigned size,
             const uint8_t *group_first, uint8_t *pixels)
{
   if (size == 64) {
      memcpy(pixels, bytes, 16u * layout->bytes);
   } else if (size <= 4) {
      assert(!size || size == 4);
      for (unsigned p = 0; p < 16; p++)
         memcpy(pixels + p * layout->bytes, size ? bytes : group_first, layout->bytes);
   } else {
      decode_packed(layout, bytes, pixels);
   }
}

#endif
