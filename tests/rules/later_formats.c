/* SPDX-License-Identifier: MIT */
/* later_formats: what OpenGL ES 3.0 has not. Signed normalised formats are textures only (3.0.6, table 3.13:
 * not colour-renderable; EXT_render_snorm builds on OpenGL ES 3.1 up to its fourth revision), and stencil alone is
 * a renderbuffer's format, not a texture's (OES_texture_stencil8 requires OpenGL ES 3.1). */

#include "gles.h"

#define GL_STENCIL_INDEX 0x1901

static GLenum
status_with_texture(GLenum format)
{
   GLuint framebuffer;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   const GLuint texture = gles_texture(GL_TEXTURE_2D, format, 16, 16, 1, 1);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   return glCheckFramebufferStatus(GL_FRAMEBUFFER);
}

static void
check_signed_normalised(void)
{
   static const struct {
      const char *name;
      GLenum format;
   } formats[] = {
      {"R8_SNORM", GL_R8_SNORM},
      {"RG8_SNORM", GL_RG8_SNORM},
      {"RGB8_SNORM", GL_RGB8_SNORM},
      {"RGBA8_SNORM", GL_RGBA8_SNORM},
   };
   holds(!has_extension("GL_EXT_render_snorm"), "EXT_render_snorm is there");
   for (unsigned i = 0; i < COUNT_OF(formats); i++) {
      GLuint renderbuffer;
      glGenRenderbuffers(1, &renderbuffer);
      glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
      glRenderbufferStorage(GL_RENDERBUFFER, formats[i].format, 16, 16);
      holds(glGetError() == GL_INVALID_ENUM, "%s: a renderbuffer", formats[i].name);
      const GLenum status = status_with_texture(formats[i].format);
      holds(glGetError() == GL_NO_ERROR, "%s: no texture", formats[i].name);
      holds(status == GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT, "%s: status %04x", formats[i].name, status);
   }
   holds(status_with_texture(GL_RGBA8) == GL_FRAMEBUFFER_COMPLETE, "RGBA8 is not complete");
}

static void
check_stencil_alone(void)
{
   GLuint texture;
   holds(!has_extension("GL_OES_texture_stencil8"), "OES_texture_stencil8 is there");
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_STENCIL_INDEX8, 16, 16, 0, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, NULL);
   holds(glGetError() != GL_NO_ERROR, "TexImage2D takes STENCIL_INDEX8");
   glTexStorage2D(GL_TEXTURE_2D, 1, GL_STENCIL_INDEX8, 16, 16);
   holds(glGetError() == GL_INVALID_ENUM, "TexStorage2D takes STENCIL_INDEX8");
}

int
main(void)
{
   gles_open();
   check_signed_normalised();
   check_stencil_alone();
   return gles_close();
}
