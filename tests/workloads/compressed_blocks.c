/* SPDX-License-Identifier: MIT */
/** Encodes images with the scenes' encoders, lets the driver decode them, and compares with the images: a smooth one
 * and one of two colours per block, which each format must come close to; two flat ones, which it must hit. */
#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define SIDE 32

static const char vertex_source[] = "attribute vec2 position;\n"
                                    "varying vec2 at;\n"
                                    "void main()\n"
                                    "{\n"
                                    "   at = position * 0.5 + 0.5;\n"
                                    "   gl_Position = vec4(position, 0.0, 1.0);\n"
                                    "}\n";
static const char fragment_source[] = "precision highp float;\n"
                                      "varying vec2 at;\n"
                                      "uniform sampler2D image;\n"
                                      "void main()\n"
                                      "{\n"
                                      "   gl_FragColor = texture2D(image, at);\n"
                                      "}\n";

enum image { FLAT_DARK, FLAT_BRIGHT, SMOOTH, TWO_COLORS, NUM_IMAGES_TESTED };

static void
make_texel(enum image image, unsigned x, unsigned y, uint8_t *texel)
{
   static const uint8_t colors[2][3] = {{34, 51, 85}, {204, 187, 153}};
   for (unsigned c = 0; c < 3; c++) {
      switch (image) {
      case FLAT_DARK: texel[c] = 17; break;
      case FLAT_BRIGHT: texel[c] = 238; break;
      case SMOOTH: texel[c] = c == 0 ? 4 * x + 60 : c == 1 ? 3 * x + 2 * y + 40 : 5 * y + 30; break;
      default: texel[c] = colors[(x ^ y) & 1][c]; break;
      }
   }
   texel[3] = 255;
}

static void
load(GLenum format, enum image image)
{
   const unsigned bytes = format == GL_COMPRESSED_RGB8_ETC2 ? 8 : 16;
   uint8_t blocks[SIDE * SIDE], *block = blocks;
   for (unsigned y = 0; y < SIDE; y += 4) {
      for (unsigned x = 0; x < SIDE; x += 4, block += bytes) {
         uint8_t texels[64];
         for (unsigned i = 0; i < 16; i++)
            make_texel(image, x + i % 4, y + i / 4, &texels[4 * i]);
         (bytes == 8 ? encode_etc2 : encode_astc)(texels, block);
      }
   }
   glCompressedTexImage2D(GL_TEXTURE_2D, 0, format, SIDE, SIDE, 0, block - blocks, blocks);
}

/* The greatest difference of a channel; the average's tenths. */
static void
compare(enum image image, unsigned *most, unsigned *average)
{
   uint8_t pixels[SIDE * SIDE * 4];
   unsigned sum = 0;
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   *most = 0;
   for (unsigned i = 0; i < SIDE * SIDE; i++) {
      uint8_t texel[4];
      make_texel(image, i % SIDE, i / SIDE, texel);
      for (unsigned c = 0; c < 4; c++) {
         const unsigned difference = abs(pixels[4 * i + c] - texel[c]);
         *most = difference > *most ? difference : *most;
         sum += difference;
      }
   }
   *average = sum * 10 / (SIDE * SIDE * 4);
}

static void
test_format(const char *name, GLenum format, const unsigned limits[NUM_IMAGES_TESTED][2])
{
   for (enum image image = 0; image < NUM_IMAGES_TESTED; image++) {
      unsigned most, average;
      load(format, image);
      compare(image, &most, &average);
      holds(most <= limits[image][0] && average <= limits[image][1],
            "%s, image %u: off by %u at most and %u.%u on average; expected %u and %u.%u", name, image, most,
            average / 10, average % 10, limits[image][0], limits[image][1] / 10, limits[image][1] % 10);
   }
}

int
main(void)
{
   /* At most, and ten times the average. ETC2's colours have 4 bits per channel, and all channels change by as much:
    * a step of 17 / 2, and what is rounded. ASTC's weights have 8 steps between two texels' own colours. */
   static const unsigned etc2[NUM_IMAGES_TESTED][2] = {{2, 20}, {2, 20}, {18, 60}, {40, 200}};
   static const unsigned astc[NUM_IMAGES_TESTED][2] = {{0, 0}, {0, 0}, {12, 40}, {0, 0}};
   static const float corners[] = {-1, -1, 3, -1, -1, 3};
   struct egl egl =
      egl_open_context((struct surface_request){.kind = SURFACELESS_PBUFFER, .width = SIDE, .height = SIDE},
                       false, 3, 0);
   glUseProgram(build_program(vertex_source, fragment_source));
   create_buffer(GL_ARRAY_BUFFER, corners, sizeof corners);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   bind_new_texture(GL_TEXTURE_2D);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glViewport(0, 0, SIDE, SIDE);
   test_format("ETC2", GL_COMPRESSED_RGB8_ETC2, etc2);
   require(has_extension("GL_KHR_texture_compression_astc_ldr"), "no ASTC");
   test_format("ASTC", GL_COMPRESSED_RGBA_ASTC_4x4_KHR, astc);
   require(glGetError() == GL_NO_ERROR, "an error of OpenGL ES");
   egl_close(&egl);
   return check_status();
}
