/* SPDX-License-Identifier: MIT */
/** Textures in OpenGL ES, with all levels, in the description's format. */
#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

unsigned
level_size(unsigned size, unsigned level)
{
   return size >> level ? size >> level : 1;
}

unsigned
num_levels(unsigned size)
{
   unsigned levels = 1;
   while (size >> levels)
      levels++;
   return levels;
}

unsigned
texel_bits(enum texture_format format)
{
   static const unsigned bits[] = {[RGBA8] = 32, [RGB565] = 16, [ETC1] = 4, [ETC2] = 4, [ASTC] = 8};
   return bits[format];
}

bool
is_compressed(enum texture_format format)
{
   return format == ETC1 || format == ETC2 || format == ASTC;
}

static const GLenum gl_formats[] = {
   [RGBA8] = GL_RGBA8,
   [RGB565] = GL_RGB565,
   [ETC1] = GL_ETC1_RGB8_OES,
   [ETC2] = GL_COMPRESSED_RGB8_ETC2,
   [ASTC] = GL_COMPRESSED_RGBA_ASTC_4x4_KHR,
};

static uint8_t *
compress(const uint8_t *rgba, unsigned size, enum texture_format format, size_t *bytes)
{
   const unsigned blocks = (size + 3) / 4, each = format == ASTC ? 16 : 8;
   *bytes = (size_t)blocks * blocks * each;
   uint8_t *result = allocate(*bytes, 1);
   for (unsigned y = 0; y < blocks; y++) {
      for (unsigned x = 0; x < blocks; x++) {
         uint8_t texels[64], *block = result + ((size_t)y * blocks + x) * each;
         for (unsigned i = 0; i < 16; i++) {
            const unsigned column = 4 * x + i % 4, row = 4 * y + i / 4;
            memcpy(&texels[4 * i],
                   &rgba[4 * ((size_t)(row < size ? row : size - 1) * size +
                              (column < size ? column : size - 1))],
                   4);
         }
         if (format == ASTC)
            encode_astc(texels, block);
         else
            encode_etc2(texels, block);
      }
   }
   return result;
}

static void
load_level(const uint8_t *rgba, unsigned size, unsigned level, enum texture_format format)
{
   if (is_compressed(format)) {
      size_t bytes;
      uint8_t *blocks = compress(rgba, size, format, &bytes);
      glCompressedTexImage2D(GL_TEXTURE_2D, level, gl_formats[format], size, size, 0, bytes, blocks);
      free(blocks);
   } else if (format == RGB565) {
      uint16_t *packed = allocate((size_t)size * size, sizeof *packed);
      for (size_t i = 0; i < (size_t)size * size; i++)
         packed[i] = rgba[4 * i] >> 3 << 11 | rgba[4 * i + 1] >> 2 << 5 | rgba[4 * i + 2] >> 3;
      glPixelStorei(GL_UNPACK_ALIGNMENT, 2);
      glTexSubImage2D(GL_TEXTURE_2D, level, 0, 0, size, size, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, packed);
      free(packed);
   } else {
      glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
      glTexSubImage2D(GL_TEXTURE_2D, level, 0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
   }
}

unsigned
create_texture(struct texture_recipe recipe, unsigned size, enum texture_format format,
               enum texture_filter filter)
{
   static const char *const needed[] = {
      [ETC1] = "GL_OES_compressed_ETC1_RGB8_texture", [ASTC] = "GL_KHR_texture_compression_astc_ldr"};
   const char *extensions = (const char *)glGetString(GL_EXTENSIONS);
   if ((format == ETC1 || format == ASTC) && !strstr(extensions, needed[format]))
      fail("texture_format: the driver has no %s", needed[format]);
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   if (!is_compressed(format))
      glTexStorage2D(GL_TEXTURE_2D, num_levels(size), gl_formats[format], size, size);
   uint8_t *image = allocate((size_t)size * size, 4);
   draw_image(recipe, size, image);
   for (unsigned level = 0; level < num_levels(size); level++) {
      const unsigned side = level_size(size, level);
      load_level(image, side, level, format);
      uint8_t *half = allocate((size_t)side * side, 4);
      halve_image(image, side, side, half);
      free(image);
      image = half;
   }
   free(image);
   static const GLint filters[] = {[NEAREST_LEVEL] = GL_LINEAR_MIPMAP_NEAREST,
                                   [TRILINEAR] = GL_LINEAR_MIPMAP_LINEAR,
                                   [ONE_LEVEL] = GL_LINEAR};
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filters[filter]);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
   return texture;
}
