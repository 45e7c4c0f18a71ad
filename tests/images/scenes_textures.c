/* SPDX-License-Identifier: MIT */
/* Textures of OpenGL ES 3.0: compressed, arrays, three dimensions, comparison, anisotropic filtering. */
#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>
#include <string.h>

#include "images/scenes.h"
#include "support/program.h"

#define SIZE 64

static const char vertex_source[] = "#version 300 es\n"
                                    "in vec4 position, color;\n"
                                    "in vec2 texture;\n"
                                    "out vec4 v_color;\n"
                                    "out vec2 v_texture;\n"
                                    "void main()\n"
                                    "{\n"
                                    "   gl_Position = position;\n"
                                    "   v_color = color;\n"
                                    "   v_texture = texture;\n"
                                    "}\n";

#define FRAGMENT(declaration, expression)   \
   "#version 300 es\n"                      \
   "precision highp float;\n"               \
   "uniform highp " declaration " image;\n" \
   "in vec4 v_color;\n"                     \
   "in vec2 v_texture;\n"                   \
   "out vec4 result;\n"                     \
   "void main() { result = " expression "; }\n"

static GLuint
bind_new(GLenum target, GLenum minify, GLenum magnify)
{
   const GLuint texture = bind_new_texture(target);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, minify);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, magnify);
   return texture;
}

static void
random_bytes(uint8_t *bytes, size_t count, uint32_t seed)
{
   for (size_t i = 0; i < count; i++)
      bytes[i] = random_bits(&seed) >> 8;
}

/* Random blocks in all levels: every mode that a format has occurs. */
static GLuint
make_compressed(GLenum format, int block_bytes)
{
   static uint8_t blocks[SIZE / 4 * (SIZE / 4) * 16];
   const GLuint texture = bind_new(GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR);
   random_bytes(blocks, sizeof blocks, format);
   for (int level = 0, size = SIZE; size; level++, size /= 2) {
      const int across = (size + 3) / 4;
      glCompressedTexImage2D(GL_TEXTURE_2D, level, format, size, size, 0, across * across * block_bytes,
                             blocks);
   }
   return texture;
}

void
draw_compressed_textures(const struct target *target, int frame)
{
   static const struct {
      GLenum format;
      int block_bytes;
   } formats[] = {
      {GL_COMPRESSED_RGB8_ETC2, 8},           {GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC, 16},
      {GL_COMPRESSED_RG11_EAC, 16},           {GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, 8},
      {GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, 16},
   };
   static GLuint textures[sizeof formats / sizeof formats[0]];
   begin(target, texture_program());
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   for (unsigned f = 0; f < sizeof formats / sizeof formats[0]; f++) {
      if (!textures[f])
         textures[f] = make_compressed(formats[f].format, formats[f].block_bytes);
      glBindTexture(GL_TEXTURE_2D, textures[f]);
      draw_random_triangles(411 + frame + f, 8, 0.7f, 1);
   }
}

static void
draw_layers(GLenum kind, GLuint program, GLuint *texture, uint32_t seed)
{
   static uint8_t texels[SIZE * SIZE * 6 * 4];
   if (!*texture) {
      *texture = bind_new(kind, GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR);
      random_bytes(texels, sizeof texels, kind);
      glTexImage3D(kind, 0, GL_RGBA8, SIZE, SIZE / 2, 6, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
      glGenerateMipmap(kind);
   }
   glUseProgram(program);
   glBindTexture(kind, *texture);
   draw_random_triangles(seed, 10, 0.6f, 1);
}

static GLuint
make_depth_texture(void)
{
   static uint16_t depths[SIZE * SIZE];
   const GLuint texture = bind_new(GL_TEXTURE_2D, GL_LINEAR, GL_LINEAR);
   for (int t = 0; t < SIZE * SIZE; t++)
      depths[t] = (t % SIZE * 3 + t / SIZE * 5) % 64 * 1023;
   glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT16, SIZE, SIZE, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT,
                depths);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
   return texture;
}

void
draw_layered_textures(const struct target *target, int frame)
{
   static GLuint array, solid, compared, array_program, solid_program, compared_program;
   if (!array_program) {
      array_program =
         make_program(vertex_source,
                      FRAGMENT("sampler2DArray", "texture(image, vec3(v_texture, v_color.x * 7.0 - 1.0))"));
      solid_program =
         make_program(vertex_source, FRAGMENT("sampler3D", "texture(image, vec3(v_texture, v_color.x))"));
      compared_program =
         make_program(vertex_source, FRAGMENT("sampler2DShadow",
                                              "v_color * vec4(texture(image, vec3(v_texture, v_color.x)))"));
      compared = make_depth_texture();
   }
   begin(target, array_program);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   draw_layers(GL_TEXTURE_2D_ARRAY, array_program, &array, 421 + frame);
   draw_layers(GL_TEXTURE_3D, solid_program, &solid, 422 + frame);
   glUseProgram(compared_program);
   glBindTexture(GL_TEXTURE_2D, compared);
   draw_random_triangles(423 + frame, 10, 0.6f, 1);
}

/* Floors that run to the horizon. */
void
draw_anisotropic_textures(const struct target *target, int frame)
{
   static GLuint texture;
   static uint8_t texels[SIZE * SIZE * 4];
   if (!texture) {
      texture = bind_new(GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR);
      for (int t = 0; t < SIZE * SIZE; t++)
         memset(texels + t * 4, (t / 8 ^ t / SIZE / 8) & 1 ? 255 : 60, 4);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
      glGenerateMipmap(GL_TEXTURE_2D);
   }
   begin(target, texture_program());
   glClear(GL_COLOR_BUFFER_BIT);
   glBindTexture(GL_TEXTURE_2D, texture);
   for (int i = 0; i < 4; i++) {
      const float left = -1 + 0.5f * i, far = 6 + 3 * i + frame;
      const struct vertex floor[] = {
         {{left, -1, 0, 1}, {1, 1, 1, 1}, {0, 0}},
         {{left + 0.5f, -1, 0, 1}, {1, 1, 1, 1}, {4, 0}},
         {{left * far, far, 0, far}, {1, 1, 1, 1}, {0, 16}},
         {{(left + 0.5f) * far, far, 0, far}, {1, 1, 1, 1}, {4, 16}},
      };
      glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, 2 << i);
      draw(GL_TRIANGLE_STRIP, floor, 4);
   }
}
