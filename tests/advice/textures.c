/* SPDX-License-Identifier: MIT */
#include "advice/textures.h"

#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>
#include <stdint.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/program.h"

static uint32_t
hash(uint32_t x, uint32_t y, uint32_t seed)
{
   uint32_t h = x * 0x9e3779b1u ^ y * 0x85ebca6bu ^ seed * 0xc2b2ae35u;
   h = (h ^ h >> 15) * 0x2c1b3c6du;
   h = (h ^ h >> 12) * 0x297a2d39u;
   return h ^ h >> 15;
}

/* A level of some texels per side. */
struct level {
   int size;
   uint32_t seed;
};

static uint32_t
cell_of(const struct level *level, int texel)
{
   return level->size > TEXTURE_CELLS ? (uint32_t)texel / (level->size / TEXTURE_CELLS) : (uint32_t)texel;
}

/* What ETC's individual mode can say of 4 x 4 texels: a color of 4 bits per channel for each 4 x 4 cells, and for each cell
 * one of four brightnesses. */
static unsigned
base_of(const struct level *level, int x, int y, unsigned channel)
{
   const uint32_t group = hash(cell_of(level, x) / 4, cell_of(level, y) / 4, level->seed);
   return group >> 8 * channel & 15;
}

static unsigned
brightness_of(const struct level *level, int x, int y)
{
   return hash(cell_of(level, x), cell_of(level, y), ~level->seed) & 3;
}

/* The brightnesses: ETC's table number 5. */
#define ETC_TABLE 5
static const int etc_steps[4] = {24, 80, -24, -80};

static int
clamp(int value)
{
   return value < 0 ? 0 : value > 255 ? 255 : value;
}

static void
fill_texels(const struct level *level, uint8_t *texels)
{
   for (int y = 0; y < level->size; y++) {
      for (int x = 0; x < level->size; x++, texels += 3) {
         for (unsigned channel = 0; channel < 3; channel++)
            texels[channel] = (uint8_t)clamp((int)base_of(level, x, y, channel) * 17 +
                                             etc_steps[brightness_of(level, x, y)]);
      }
   }
}

/* A block in individual mode whose halves are of the same color. */
static void
fill_block(const struct level *level, int x0, int y0, uint8_t block[8])
{
   uint32_t low = 0;
   for (unsigned channel = 0; channel < 3; channel++)
      block[channel] = (uint8_t)(base_of(level, x0, y0, channel) * 17);
   block[3] = ETC_TABLE << 5 | ETC_TABLE << 2;
   for (int x = 0; x < 4; x++) {
      for (int y = 0; y < 4; y++) {
         const unsigned brightness = brightness_of(level, x0 + x, y0 + y);
         low |= (brightness >> 1) << (16 + x * 4 + y) | (brightness & 1) << (x * 4 + y);
      }
   }
   for (unsigned byte = 0; byte < 4; byte++)
      block[4 + byte] = (uint8_t)(low >> (24 - 8 * byte));
}

static int
fill_blocks(const struct level *level, uint8_t *blocks)
{
   int bytes = 0;
   for (int y = 0; y < level->size; y += 4) {
      for (int x = 0; x < level->size; x += 4, bytes += 8)
         fill_block(level, x, y, blocks + bytes);
   }
   return bytes;
}

unsigned
make_texture(int size, bool compressed, bool mipmapped, unsigned seed)
{
   int levels = 1;
   while (mipmapped && size >> levels)
      levels++;
   uint8_t *data = malloc((size_t)size * size * 3);
   require(data, "out of memory");
   const GLuint texture = bind_new_texture(GL_TEXTURE_2D);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   if (!compressed)
      glTexStorage2D(GL_TEXTURE_2D, levels, GL_RGB8, size, size);
   for (int l = 0; l < levels; l++) {
      const struct level level = {size >> l, seed};
      if (compressed) {
         const int bytes = fill_blocks(&level, data);
         glCompressedTexImage2D(GL_TEXTURE_2D, l, GL_ETC1_RGB8_OES, level.size, level.size, 0, bytes, data);
      } else {
         fill_texels(&level, data);
         glTexSubImage2D(GL_TEXTURE_2D, l, 0, 0, level.size, level.size, GL_RGB, GL_UNSIGNED_BYTE, data);
      }
   }
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, mipmapped ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   free(data);
   return texture;
}
