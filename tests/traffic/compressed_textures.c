/* SPDX-License-Identifier: MIT */
/* compressed_textures FORMAT: draws a texture of 32 × 32 compressed blocks, each of one colour, texel by texel (the first
 * frame), then its other levels, blocks that were written and copied into it, and the same from a vertex shader and
 * from the layers of an array; checks each pixel. What the first frame reads is in compressed_textures_test.py. */
#include <GLES3/gl32.h>
#include <GLES2/gl2ext.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define BLOCKS 32
#define MAX_SIZE (BLOCKS * 12)
#define LAYERS 3

enum coding { ETC2, PUNCHTHROUGH, EAC, SIGNED_EAC, ASTC };

static const struct format {
   const char *name;
   GLenum format;
   enum coding coding;
   int width, height, bytes; /* of a block */
   int channels;             /* that are stored */
   bool srgb;
   GLenum other_sign; /* a format for views; 0: none */
} formats[] = {
   {"etc2_rgb8", GL_COMPRESSED_RGB8_ETC2, ETC2, 4, 4, 8, 3, false, 0},
   {"etc2_srgb8", GL_COMPRESSED_SRGB8_ETC2, ETC2, 4, 4, 8, 3, true, 0},
   {"etc2_rgb8a1", GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2, PUNCHTHROUGH, 4, 4, 8, 3, false, 0},
   {"etc2_rgba8", GL_COMPRESSED_RGBA8_ETC2_EAC, ETC2, 4, 4, 16, 4, false, 0},
   {"etc2_r11_unorm", GL_COMPRESSED_R11_EAC, EAC, 4, 4, 8, 1, false, GL_COMPRESSED_SIGNED_R11_EAC},
   {"etc2_r11_snorm", GL_COMPRESSED_SIGNED_R11_EAC, SIGNED_EAC, 4, 4, 8, 1, false, GL_COMPRESSED_R11_EAC},
   {"etc2_rg11_unorm", GL_COMPRESSED_RG11_EAC, EAC, 4, 4, 16, 2, false, GL_COMPRESSED_SIGNED_RG11_EAC},
   {"etc2_rg11_snorm", GL_COMPRESSED_SIGNED_RG11_EAC, SIGNED_EAC, 4, 4, 16, 2, false, GL_COMPRESSED_RG11_EAC},
   {"astc_4x4", GL_COMPRESSED_RGBA_ASTC_4x4_KHR, ASTC, 4, 4, 16, 4, false, 0},
   {"astc_5x4", GL_COMPRESSED_RGBA_ASTC_5x4_KHR, ASTC, 5, 4, 16, 4, false, 0},
   {"astc_6x6", GL_COMPRESSED_RGBA_ASTC_6x6_KHR, ASTC, 6, 6, 16, 4, false, 0},
   {"astc_8x8_srgb", GL_COMPRESSED_SRGB8_ALPHA8_ASTC_8x8_KHR, ASTC, 8, 8, 16, 4, true, 0},
   {"astc_12x10", GL_COMPRESSED_RGBA_ASTC_12x10_KHR, ASTC, 12, 10, 16, 4, false, 0},
};

static const struct format *format;
static GLubyte pixels[MAX_SIZE * MAX_SIZE * 4];

/* ---- blocks --------------------------------------------------------------- */

/* What a block is to show; `seed` tells levels and later contents apart. */
static void
choose_color(int column, int row, int seed, GLubyte color[4])
{
   color[0] = 7 * column + 3 + seed;
   color[1] = 7 * row + 5 + 2 * seed;
   color[2] = 7 * (column ^ row) + 9;
   color[3] = 255 - 4 * column - seed;
}

/* EAC: a base and no multiplier; all indices are 0, for which table 0 has -3. */
static void
encode_eac(GLubyte base, GLubyte *block)
{
   memset(block, 0, 8);
   block[0] = base;
}

static void
encode(const GLubyte color[4], GLubyte *block)
{
   memset(block, 0, format->bytes);
   switch (format->coding) {
   case ETC2:
      if (format->channels == 4) {
         /* With a multiplier of 0 nothing is added to EAC's alpha. */
         encode_eac(color[3], block);
         block += 8;
      }
      for (int c = 0; c < 3; c++)
         block[c] = (color[c] >> 4) * 0x11; /* the same four bits for both halves */
      break;
   case PUNCHTHROUGH:
      for (int c = 0; c < 3; c++)
         block[c] = color[c] & 0xf8; /* five bits, and a difference of 0 */
      block[3] = 2;                  /* opaque */
      break;
   case EAC:
   case SIGNED_EAC:
      for (int c = 0; c < format->channels; c++)
         encode_eac(format->coding == EAC ? color[c] : color[c] / 2, block + 8 * c);
      break;
   case ASTC:
      /* A block of one colour without an extent. */
      memset(block, 0xff, 8);
      block[0] = 0xfc;
      block[1] = 0xfd;
      for (int c = 0; c < 4; c++)
         block[8 + 2 * c] = block[9 + 2 * c] = color[c];
      break;
   }
}

static double
linear(double value)
{
   return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* EAC's eleven bits, of a base alone, with a sign or without. */
static double
decode_eac(GLubyte base, bool is_signed)
{
   return is_signed ? ((signed char)base * 8 - 3) * 255.0 / 1023.0 : (base * 8 + 4 - 3) * 255.0 / 2047.0;
}

/* The color that the block decodes to, of 0 to 255. other_sign: as the format of the other sign has it. */
static void
decode(const GLubyte color[4], bool other_sign, double decoded[4])
{
   decoded[0] = decoded[1] = decoded[2] = 0;
   decoded[3] = 255;
   for (int c = 0; c < format->channels; c++) {
      switch (format->coding) {
      case ETC2: decoded[c] = c == 3 ? color[c] : (color[c] >> 4) * 0x11 + 2; break;
      case PUNCHTHROUGH: decoded[c] = (color[c] & 0xf8) + (color[c] >> 5) + 2; break;
      case EAC: decoded[c] = fmax(decode_eac(color[c], other_sign), 0.0); break;
      case SIGNED_EAC: decoded[c] = decode_eac(color[c] / 2, !other_sign); break;
      case ASTC: decoded[c] = color[c]; break;
      }
      if (format->srgb && c < 3)
         decoded[c] = 255.0 * linear(decoded[c] / 255.0);
   }
}

/* ---- textures ------------------------------------------------------------- */

static int
level_size(int size, int level)
{
   return size >> level ? size >> level : 1;
}

static int
count_blocks(int size, int block)
{
   return (size + block - 1) / block;
}

static int
count_levels(void)
{
   int levels = 0;
   for (int size = BLOCKS * (format->width > format->height ? format->width : format->height); size;
        size /= 2)
      levels++;
   return levels;
}

/* All blocks of a level, row by row. */
static int
make_level(int level, int seed, GLubyte *blocks)
{
   const int columns = count_blocks(level_size(BLOCKS * format->width, level), format->width);
   const int rows = count_blocks(level_size(BLOCKS * format->height, level), format->height);
   for (int i = 0; i < columns * rows; i++) {
      GLubyte color[4];
      choose_color(i % columns, i / columns, seed, color);
      encode(color, blocks + (size_t)i * format->bytes);
   }
   return columns * rows * format->bytes;
}

static GLuint
make_texture(GLenum target, int levels)
{
   static GLubyte blocks[BLOCKS * BLOCKS * 16 * LAYERS];
   const int width = BLOCKS * format->width, height = BLOCKS * format->height;
   const GLuint texture = bind_new_texture(target);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   if (target == GL_TEXTURE_2D) {
      glTexStorage2D(target, levels, format->format, width, height);
      for (int level = 0; level < levels; level++) {
         const int bytes = make_level(level, level, blocks);
         glCompressedTexSubImage2D(target, level, 0, 0, level_size(width, level), level_size(height, level),
                                   format->format, bytes, blocks);
      }
   } else {
      glTexStorage3D(target, 1, format->format, width, height, LAYERS);
      int bytes = 0;
      for (int layer = 0; layer < LAYERS; layer++)
         bytes += make_level(0, 2 * layer, blocks + bytes);
      glCompressedTexSubImage3D(target, 0, 0, 0, 0, width, height, LAYERS, format->format, bytes, blocks);
   }
   require(!glGetError(), "a texture of %s", format->name);
   return texture;
}

/* ---- drawing -------------------------------------------------------------- */

static const char fragment_head[] = "precision highp float;\nprecision highp sampler2DArray;\n"
                                    "precision highp sampler3D;\nout vec4 result;\n";

static GLuint
make_fragment_program(const char *sampler, const char *coordinates)
{
   char source[512];
   snprintf(source, sizeof source,
            "#version 320 es\n%suniform %s image;\nuniform int level, layer;\n"
            "void main() { result = texelFetch(image, %s, level); }\n",
            fragment_head, sampler, coordinates);
   return build_program(
      "#version 320 es\nin vec2 position;\nvoid main() { gl_Position = vec4(position, 0.0, 1.0); }\n",
      source);
}

/* Points, each of the colour that its vertex reads. */
static GLuint
make_vertex_program(void)
{
   return build_program(
      "#version 320 es\nuniform highp sampler2D image;\nuniform int level, layer;\nuniform ivec2 size;\n"
      "flat out vec4 color;\n"
      "void main() {\n"
      "   ivec2 at = ivec2(gl_VertexID % size.x, gl_VertexID / size.x);\n"
      "   color = texelFetch(image, at, level);\n"
      "   gl_Position = vec4((vec2(at) + 0.5) / vec2(size) * 2.0 - 1.0, 0.0, 1.0);\n"
      "   gl_PointSize = 1.0;\n"
      "}\n",
      "#version 320 es\nprecision highp float;\nflat in vec4 color;\nout vec4 result;\n"
      "void main() { result = color; }\n");
}

static void
draw(GLuint program, int level, int layer, bool points)
{
   const int width = level_size(BLOCKS * format->width, level),
             height = level_size(BLOCKS * format->height, level);
   glUseProgram(program);
   glUniform1i(glGetUniformLocation(program, "level"), level);
   glUniform1i(glGetUniformLocation(program, "layer"), layer);
   glUniform2i(glGetUniformLocation(program, "size"), width, height);
   glViewport(0, 0, width, height);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(points ? GL_POINTS : GL_TRIANGLES, 0, points ? width * height : 3);
   glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

/* One block may have another colour. */
static bool shows_other_sign;

static void
check(const char *what, int level, int seed, int other_column, int other_row, const GLubyte *other)
{
   const int width = level_size(BLOCKS * format->width, level),
             height = level_size(BLOCKS * format->height, level);
   for (int i = 0; i < width * height; i++) {
      const int column = i % width / format->width, row = i / width / format->height;
      GLubyte color[4];
      double expected[4];
      choose_color(column, row, seed, color);
      if (other && column == other_column && row == other_row)
         memcpy(color, other, 4);
      decode(color, shows_other_sign, expected);
      for (int c = 0; c < 4; c++)
         holds(fabs(pixels[4 * i + c] - expected[c]) <= 1.0,
               "%s, %s, level %d: pixel %d, %d, channel %d: %d, not %.1f", format->name, what, level,
               i % width, i / width, c, pixels[4 * i + c], expected[c]);
   }
}

/* ---- scenes --------------------------------------------------------------- */

/* A block that is written while the last draw may not have read it yet, and one that comes from a texture whose texels
 * are as large as a block. */
static void
change_blocks(GLuint program, GLuint texture)
{
   static const GLubyte written[4] = {200, 100, 50, 150}, copied[4] = {60, 180, 220, 90};
   GLubyte block[16];
   encode(written, block);
   glBindTexture(GL_TEXTURE_2D, texture);
   glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 5 * format->width, 9 * format->height, format->width,
                             format->height, format->format, format->bytes, block);
   draw(program, 0, 0, false);
   check("a block written", 0, 0, 5, 9, written);
   GLubyte old[4];
   choose_color(5, 9, 0, old);
   encode(old, block);
   glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 5 * format->width, 9 * format->height, format->width,
                             format->height, format->format, format->bytes, block);

   encode(copied, block);
   const GLuint texels = bind_new_image(format->bytes == 16 ? GL_RGBA32UI : GL_RG32UI, 4, 4);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 1, 2, 1, 1, format->bytes == 16 ? GL_RGBA_INTEGER : GL_RG_INTEGER,
                   GL_UNSIGNED_INT, block);
   glCopyImageSubData(texels, GL_TEXTURE_2D, 0, 1, 2, 0, texture, GL_TEXTURE_2D, 0, 31 * format->width,
                      17 * format->height, 0, 1, 1, 1);
   require(!glGetError(), "a copy of a texel to a block");
   glBindTexture(GL_TEXTURE_2D, texture);
   draw(program, 0, 0, false);
   check("a texel copied", 0, 0, 31, 17, copied);
   glDeleteTextures(1, &texels);
}

/* A view of the same blocks in EAC's format of the other sign. */
static void
view_other_sign(GLuint program, GLuint texture)
{
   PFNGLTEXTUREVIEWOESPROC texture_view = (PFNGLTEXTUREVIEWOESPROC)eglGetProcAddress("glTextureViewOES");
   GLuint view;
   glGenTextures(1, &view);
   texture_view(view, GL_TEXTURE_2D, texture, format->other_sign, 0, 1, 0, 1);
   require(!glGetError(), "a view of %s", format->name);
   glBindTexture(GL_TEXTURE_2D, view);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   shows_other_sign = true;
   draw(program, 0, 0, false);
   static const GLubyte copied[4] = {60, 180, 220, 90}; /* change_blocks left it */
   check("with the other sign", 0, 0, 31, 17, copied);
   shows_other_sign = false;
   glBindTexture(GL_TEXTURE_2D, texture);
}

static struct egl
open_context(int width, int height)
{
   const struct egl egl =
      egl_open_context((struct surface_request){X11_WINDOW, 16, 16, .depth = false}, false, 3, 2);
   const GLuint renderbuffer = bind_new_renderbuffer(GL_RGBA8, width, height);
   bind_new_framebuffer(0);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
   return egl;
}

int
main(int argc, char **argv)
{
   for (unsigned i = 0; argc > 1 && i < sizeof formats / sizeof formats[0]; i++) {
      if (!strcmp(argv[1], formats[i].name))
         format = &formats[i];
   }
   require(format, "usage: compressed_textures FORMAT");
   const struct egl egl = open_context(BLOCKS * format->width, BLOCKS * format->height);
   static const float corners[] = {-1, -1, 3, -1, -1, 3};
   create_buffer(GL_ARRAY_BUFFER, corners, sizeof corners);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);

   const GLuint program = make_fragment_program("sampler2D", "ivec2(gl_FragCoord.xy)");
   const int levels = count_levels();
   const GLuint texture = make_texture(GL_TEXTURE_2D, levels);
   for (int level = 0; level < levels; level++) {
      draw(program, level, 0, false);
      check("from fragments", level, level, 0, 0, NULL);
      if (level == 0)
         egl_swap(&egl);
   }
   change_blocks(program, texture);
   if (format->other_sign && has_extension("GL_OES_texture_view"))
      view_other_sign(program, texture);
   const GLuint layered = make_fragment_program("sampler2DArray", "ivec3(gl_FragCoord.xy, layer)");
   make_texture(GL_TEXTURE_2D_ARRAY, 1);
   for (int layer = 0; layer < LAYERS; layer++) {
      draw(layered, 0, layer, false);
      check("from a layer", 0, 2 * layer, 0, 0, NULL);
   }
   if (format->coding == ASTC && has_extension("GL_KHR_texture_compression_astc_sliced_3d")) {
      const GLuint sliced = make_fragment_program("sampler3D", "ivec3(gl_FragCoord.xy, layer)");
      make_texture(GL_TEXTURE_3D, 1);
      for (int layer = 0; layer < LAYERS; layer++) {
         draw(sliced, 0, layer, false);
         check("from a slice", 0, 2 * layer, 0, 0, NULL);
      }
   }
   draw(make_vertex_program(), 1, 0, true);
   check("from vertices", 1, 1, 0, 0, NULL);
   return check_status();
}
