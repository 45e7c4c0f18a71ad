/* SPDX-License-Identifier: MIT */
/** Blocks of 4 x 4 texels of ASTC (KHR_texture_compression_astc_hdr, C.2), always of one kind: one partition, two RGB
 * endpoints of eight bits per channel, sixteen weights of three bits. */
#include <string.h>

#include "scene.h"

/* Bits 10 to 0: D 0, H 0, B 00 (4 columns), A 10 (4 rows), R0 1, 00, R2 R1 11: weights 0 to 7. */
#define BLOCK_MODE 0x053
#define RGB_DIRECT 8 /* colour endpoint mode, bits 13 to 16 */
#define ENDPOINTS_BIT 17

static void
put_bits(uint8_t block[16], unsigned first, unsigned count, unsigned value)
{
   for (unsigned i = 0; i < count; i++)
      block[(first + i) / 8] |= (value >> i & 1) << (first + i) % 8;
}

/* Of the channel that varies most, the texels with its least and greatest value; the brighter one last. */
static void
find_endpoints(const uint8_t texels[64], const uint8_t *ends[2])
{
   int most = -1;
   for (unsigned c = 0; c < 3; c++) {
      unsigned low = 0, high = 0;
      for (unsigned i = 1; i < 16; i++) {
         if (texels[4 * i + c] < texels[4 * low + c])
            low = i;
         if (texels[4 * i + c] > texels[4 * high + c])
            high = i;
      }
      if (texels[4 * high + c] - texels[4 * low + c] > most) {
         most = texels[4 * high + c] - texels[4 * low + c];
         ends[0] = &texels[4 * low];
         ends[1] = &texels[4 * high];
      }
   }
   /* Where the second's sum is less, a decoder would contract blue. */
   if (ends[1][0] + ends[1][1] + ends[1][2] < ends[0][0] + ends[0][1] + ends[0][2]) {
      const uint8_t *first = ends[0];
      ends[0] = ends[1];
      ends[1] = first;
   }
}

/* The weight, 0 to 7, at which the texel is nearest to the line between the endpoints. */
static unsigned
find_weight(const uint8_t *texel, const uint8_t *const ends[2])
{
   int along = 0, length = 0;
   for (unsigned c = 0; c < 3; c++) {
      along += (texel[c] - ends[0][c]) * (ends[1][c] - ends[0][c]);
      length += (ends[1][c] - ends[0][c]) * (ends[1][c] - ends[0][c]);
   }
   if (length == 0 || along <= 0)
      return 0;
   return along >= length ? 7 : (unsigned)((14 * along + length) / (2 * length));
}

void
encode_astc(const uint8_t texels[64], uint8_t block[16])
{
   const uint8_t *ends[2] = {texels, texels};
   find_endpoints(texels, ends);
   memset(block, 0, 16);
   put_bits(block, 0, 11, BLOCK_MODE);
   put_bits(block, 13, 4, RGB_DIRECT);
   for (unsigned c = 0; c < 3; c++) {
      put_bits(block, ENDPOINTS_BIT + 16 * c, 8, ends[0][c]);
      put_bits(block, ENDPOINTS_BIT + 16 * c + 8, 8, ends[1][c]);
   }
   /* Weights are stored from the end, each bit after bit. */
   for (unsigned i = 0; i < 16; i++) {
      const unsigned weight = find_weight(&texels[4 * i], ends);
      for (unsigned bit = 0; bit < 3; bit++)
         put_bits(block, 127 - (3 * i + bit), 1, weight >> bit & 1);
   }
}
