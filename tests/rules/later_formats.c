/* SPDX-License-Identifier: MIT */
/* later_formats: formats that came with OpenGL ES 3.1. Signed normalised formats are attachments (EXT_render_snorm), and
 * keep values below zero; stencil alone is a texture's format, whose values shaders read (OES_texture_stencil8). */
#include <math.h>
#include <stdlib.h>

#include "gles.h"

#define SIZE 16
#define GL_STENCIL_INDEX 0x1901
#define GL_R16_SNORM 0x8F98
#define GL_RG16_SNORM 0x8F99
#define GL_RGBA16_SNORM 0x8F9B

static void
attach(GLenum attachment, GLuint texture)
{
   glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D, texture, 0);
}

static void
begin_framebuffer(void)
{
   bind_new_framebuffer(0);
   glViewport(0, 0, SIZE, SIZE);
}

/** A pixel in the middle, of the texture, as bytes: 128 + 127 times each channel. */
static void
read_signed(GLuint program, GLuint texture, unsigned char pixel[4])
{
   begin_framebuffer();
   attach(GL_COLOR_ATTACHMENT0, gles_texture(GL_TEXTURE_2D, GL_RGBA8, SIZE, SIZE, 1, 1));
   glBindTexture(GL_TEXTURE_2D, texture);
   glUseProgram(program);
   gles_rectangle(-1, -1, 1, 1, 0);
   glReadPixels(SIZE / 2, SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
}

static void
check_signed_normalised(void)
{
   static const struct {
      const char *name;
      GLenum format;
      unsigned channels;
      int is_word;
   } formats[] = {
      {"R8_SNORM", GL_R8_SNORM, 1, 0},       {"RG8_SNORM", GL_RG8_SNORM, 2, 0},
      {"RGBA8_SNORM", GL_RGBA8_SNORM, 4, 0}, {"R16_SNORM", GL_R16_SNORM, 1, 1},
      {"RG16_SNORM", GL_RG16_SNORM, 2, 1},   {"RGBA16_SNORM", GL_RGBA16_SNORM, 4, 1},
   };
   static const float cleared[4] = {-0.5f, 0.25f, -1.0f, 0.5f};
   const GLuint program =
      build_program(gles_position_vertex,
                    "#version 300 es\nprecision highp float; uniform highp sampler2D image; out vec4 color;\n"
                    "void main() { color = (texelFetch(image, ivec2(8), 0) * 127.0 + 128.0) / 255.0; }");
   holds(has_extension("GL_EXT_render_snorm"), "EXT_render_snorm is not there");
   for (unsigned i = 0; i < COUNT_OF(formats); i++) {
      unsigned char pixel[4] = {0};
      if (formats[i].is_word && !has_extension("GL_EXT_texture_norm16"))
         continue;
      const GLuint texture = gles_texture(GL_TEXTURE_2D, formats[i].format, SIZE, SIZE, 1, 1);
      begin_framebuffer();
      attach(GL_COLOR_ATTACHMENT0, texture);
      const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
      holds(status == GL_FRAMEBUFFER_COMPLETE, "%s: status %04x", formats[i].name, status);
      glClearBufferfv(GL_COLOR, 0, cleared);
      read_signed(program, texture, pixel);
      for (unsigned c = 0; c < 4; c++) {
         const float value = c < formats[i].channels ? cleared[c] : c == 3 ? 1.0f : 0.0f;
         const int expected = (int)lroundf(value * 127.0f + 128.0f);
         holds(abs(pixel[c] - expected) <= 1, "%s: channel %u is %d, not %d", formats[i].name, c, pixel[c],
               expected);
      }
   }
}

static void
check_stencil_alone(void)
{
   static const GLubyte uploaded[4] = {1, 2, 3, 200};
   const GLint drawn = 77;
   GLuint texture, pixel[4];
   const GLuint program = build_program(
      gles_position_vertex,
      "#version 300 es\nprecision highp float; uniform highp usampler2D image; out uvec4 color;\n"
      "void main() { color = texelFetch(image, ivec2(gl_FragCoord.xy), 0); }");
   holds(has_extension("GL_OES_texture_stencil8"), "OES_texture_stencil8 is not there");
   texture = bind_new_texture(GL_TEXTURE_2D);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glTexStorage2D(GL_TEXTURE_2D, 1, GL_STENCIL_INDEX8, SIZE, SIZE);
   begin_framebuffer();
   attach(GL_STENCIL_ATTACHMENT, texture);
   glClearBufferiv(GL_STENCIL, 0, &drawn);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 4, 0, 4, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, uploaded);
   begin_framebuffer();
   const GLuint copy = gles_texture(GL_TEXTURE_2D, GL_R32UI, SIZE, SIZE, 1, 1);
   attach(GL_COLOR_ATTACHMENT0, copy);
   glBindTexture(GL_TEXTURE_2D, texture);
   glUseProgram(program);
   gles_rectangle(-1, -1, 1, 1, 0);
   for (int x = 0; x < SIZE; x++) {
      const GLuint expected = x >= 4 && x < 8 ? uploaded[x - 4] : (GLuint)drawn;
      glReadPixels(x, 0, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, pixel);
      holds(pixel[0] == expected, "stencil at %d is %u, not %u", x, pixel[0], expected);
   }
}

int
main(void)
{
   gles_open();
   check_signed_normalised();
   check_stencil_alone();
   return gles_close();
}
