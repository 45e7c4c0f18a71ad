/* SPDX-License-Identifier: MIT */
/** An encoder of compressed blocks, pixel by pixel, written from docs/compression.md: what cm_group_sizes says can be reached. */
#ifndef PIXEL_BLOCK_ENCODER_H
#define PIXEL_BLOCK_ENCODER_H

#include "events/pixel_block_decoder.h"

/** A channel with one predictor. */
struct encoded_channel {
   unsigned predictor, width, quad[4]; /**< bits of each quad's differences */
   unsigned bits;                      /**< all that is written of it */
   uint64_t differences[4][4];         /**< the sign in the lowest bit; by quad */
};

static inline unsigned
bits_of_number(uint64_t number)
{
   unsigned bits = 0;
   while (number >> bits)
      bits++;
   return bits;
}

static inline void
put_number(uint8_t *bytes, unsigned *at, uint64_t value, unsigned bits)
{
   for (unsigned b = 0; b < bits; b++, ++*at)
      bytes[*at / 8] |= (uint8_t)((value >> b & 1) << *at % 8);
}

static inline struct encoded_channel
encode_channel(int64_t pixel[4][4], unsigned predictor, unsigned channel_bits)
{
   struct encoded_channel channel = {.predictor = predictor};
   for (unsigned p = 1; p < 16; p++) {
      const unsigned x = p % 4, y = p / 4, quad = y / 2 * 2 + x / 2;
      int64_t difference =
         (int64_t)modulo(pixel[y][x] - expected_pixel(predictor, pixel, x, y), channel_bits);
      if (difference >> (channel_bits - 1))
         difference -= (int64_t)1 << channel_bits;
      const uint64_t value = difference < 0 ? (uint64_t)(-2 * difference - 1) : (uint64_t)(2 * difference);
      channel.differences[quad][y % 2 * 2 + x % 2] = value;
      if (bits_of_number(value) > channel.quad[quad])
         channel.quad[quad] = bits_of_number(value);
      if (channel.quad[quad] > channel.width)
         channel.width = channel.quad[quad];
   }
   channel.bits = 2 + bits_of_number(channel_bits) + (channel.width ? 8 : 0);
   for (unsigned q = 0; q < 4; q++) {
      /* Reductions are 0 … 2, or nothing is written. */
      if (channel.quad[q] && channel.quad[q] + 2 < channel.width)
         channel.quad[q] = channel.width - 2;
      channel.bits += channel.quad[q] * (q ? 4 : 3);
   }
   return channel;
}

/** Of a channel's values, with the best predictor. */
static inline struct encoded_channel
encode_best(int64_t pixel[4][4], unsigned channel_bits)
{
   struct encoded_channel best = encode_channel(pixel, 0, channel_bits);
   for (unsigned p = 1; p < 4; p++) {
      const struct encoded_channel found = encode_channel(pixel, p, channel_bits);
      best = found.bits < best.bits ? found : best;
   }
   return best;
}

static inline void
put_channels(const struct cm_pixel_layout *layout, const struct encoded_channel *channels, uint8_t *bytes,
             unsigned *at)
{
   for (unsigned c = 0; c < layout->num_channels; c++) {
      put_number(bytes, at, channels[c].predictor, 2);
      put_number(bytes, at, channels[c].width, bits_of_number(layout->bits[c]));
      for (unsigned q = 0; q < 4 && channels[c].width; q++)
         put_number(bytes, at, channels[c].quad[q] ? channels[c].width - channels[c].quad[q] : 3, 2);
   }
   for (unsigned c = 0; c < layout->num_channels; c++) {
      for (unsigned i = 1; i < 16; i++)
         put_number(bytes, at, channels[c].differences[i / 4][i % 4], channels[c].quad[i / 4]);
   }
}

/** pixels: 16, row by row; bytes: zeros, CM_MAX_BLOCK_BYTES. Returns the size, exact. */
static inline unsigned
encode_block(const struct cm_pixel_layout *layout, const uint8_t *pixels, const uint8_t *group_first,
             uint8_t *bytes)
{
   const unsigned pixel_bytes = layout->bytes, part = 2 * pixel_bytes;
   int64_t pixel[4][4][4];
   struct encoded_channel channels[4];
   if (!memcmp(pixels, pixels + pixel_bytes, 15 * pixel_bytes)) {
      memcpy(bytes, pixels, pixel_bytes);
      return memcmp(pixels, group_first, pixel_bytes) ? 4 : 0;
   }
   for (unsigned p = 0; p < 16; p++) {
      int64_t values[4];
      split_pixel(layout, pixels + p * pixel_bytes, values);
      for (unsigned c = 0; c < layout->num_channels; c++)
         pixel[c][p / 4][p % 4] = values[c];
      for (unsigned c = 0; c < 3 && layout->is_color; c += 2)
         pixel[c][p / 4][p % 4] =
            (int64_t)modulo(values[c] - (values[1] >> (layout->bits[1] - layout->bits[c])), layout->bits[c]);
   }
   unsigned bits = 8 * pixel_bytes, at = bits;
   for (unsigned c = 0; c < layout->num_channels; c++) {
      channels[c] = encode_best(pixel[c], layout->bits[c]);
      bits += channels[c].bits;
   }
   const unsigned size = (bits + part - 1) / part;
   memcpy(bytes, pixels, size < CM_RAW_SIZE ? pixel_bytes : 16 * pixel_bytes);
   if (size >= CM_RAW_SIZE)
      return CM_RAW_SIZE;
   put_channels(layout, channels, bytes, &at);
   assert(at == bits);
   return size;
}

#endif
