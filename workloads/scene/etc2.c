/* SPDX-License-Identifier: MIT */
/** Blocks of COMPRESSED_RGB8_ETC2 (OpenGL ES 3.0, C.1.1): two halves side by side, each with a colour of four bits a
 * channel ("individual" mode) and one of eight pairs of changes in brightness, from which each texel chooses. */
#include <stdlib.h>
#include <string.h>

#include "scene.h"

static const int modifiers[8][2] = {{2, 8},   {5, 17},  {9, 29},   {13, 42},
                                    {18, 60}, {24, 80}, {33, 106}, {47, 183}};

static int
clamp(int value)
{
   return value < 0 ? 0 : value > 255 ? 255 : value;
}

/* Index 0, 1: brighter by the smaller, the larger change; 2, 3: darker. */
static int
change(unsigned table, unsigned index)
{
   const int modifier = modifiers[table][index & 1];
   return index & 2 ? -modifier : modifier;
}

static unsigned
texel_error(const uint8_t *texel, const int base[3], int by)
{
   unsigned error = 0;
   for (unsigned c = 0; c < 3; c++) {
      const int difference = clamp(base[c] + by) - texel[c];
      error += difference * difference;
   }
   return error;
}

static unsigned
best_index(const uint8_t *texel, const int base[3], unsigned table, unsigned *error)
{
   unsigned best = 0;
   *error = ~0u;
   for (unsigned index = 0; index < 4; index++) {
      const unsigned found = texel_error(texel, base, change(table, index));
      if (found < *error) {
         *error = found;
         best = index;
      }
   }
   return best;
}

/* A half's table; the texels' indices, by column. */
static unsigned
encode_half(const uint8_t texels[64], unsigned half, const int base[3], uint8_t indices[8])
{
   unsigned best = 0, least = ~0u;
   for (unsigned table = 0; table < 8; table++) {
      unsigned sum = 0;
      uint8_t tried[8];
      for (unsigned i = 0; i < 8; i++) {
         const unsigned x = 2 * half + i / 4, y = i % 4;
         unsigned error;
         tried[i] = best_index(&texels[4 * (4 * y + x)], base, table, &error);
         sum += error;
      }
      if (sum < least) {
         least = sum;
         best = table;
         memcpy(indices, tried, sizeof tried);
      }
   }
   return best;
}

void
encode_etc2(const uint8_t texels[64], uint8_t block[8])
{
   unsigned colors[2][3], tables[2];
   uint8_t indices[16];
   for (unsigned half = 0; half < 2; half++) {
      int base[3];
      for (unsigned c = 0; c < 3; c++) {
         unsigned sum = 0;
         for (unsigned i = 0; i < 8; i++)
            sum += texels[4 * (4 * (i % 4) + 2 * half + i / 4) + c];
         colors[half][c] = (sum * 15 + 8 * 255 / 2) / (8 * 255);
         base[c] = colors[half][c] * 17;
      }
      tables[half] = encode_half(texels, half, base, &indices[8 * half]);
   }
   memset(block, 0, 8);
   for (unsigned c = 0; c < 3; c++)
      block[c] = colors[0][c] << 4 | colors[1][c];
   block[3] = tables[0] << 5 | tables[1] << 2; /* neither differential nor flipped */
   for (unsigned i = 0; i < 16; i++) {
      block[5 - i / 8] |= (indices[i] >> 1) << i % 8;
      block[7 - i / 8] |= (indices[i] & 1) << i % 8;
   }
}
