/* SPDX-License-Identifier: MIT */
#include "gles.h"

#include "support/egl.h"

const char gles_position_vertex[] = "#version 300 es\n"
                                    "in vec4 position;\n"
                                    "void main() { gl_Position = position; }\n";
const char gles_scaled_vertex[] = "#version 300 es\n"
                                  "in vec4 position;\n"
                                  "out highp vec2 coordinates;\n"
                                  "uniform highp float scale;\n"
                                  "void main() {\n"
                                  "   coordinates = position.xy * scale;\n"
                                  "   gl_Position = position;\n"
                                  "}\n";
const char gles_white_fragment[] = "#version 300 es\n"
                                   "precision highp float;\n"
                                   "out vec4 color;\n"
                                   "void main() { color = vec4(1.0); }\n";

static struct egl egl;

void
gles_open(void)
{
   egl = egl_open_context((struct surface_request){SURFACELESS}, false, 3, 0);
   glPixelStorei(GL_PACK_ALIGNMENT, 1);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
}

int
gles_close(void)
{
   const GLenum error = glGetError();
   holds(error == GL_NO_ERROR, "GL reports error 0x%04x", error);
   egl_close(&egl);
   return check_status();
}

GLuint
gles_texture(GLenum target, GLenum format, int width, int height, int depth, int levels)
{
   const GLuint texture = bind_new_texture(target);
   if (target == GL_TEXTURE_3D || target == GL_TEXTURE_2D_ARRAY)
      glTexStorage3D(target, levels, format, width, height, depth);
   else
      glTexStorage2D(target, levels, format, width, height);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, levels > 1 ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   return texture;
}

static bool
has_stencil(GLenum format)
{
   return format == GL_DEPTH24_STENCIL8 || format == GL_DEPTH32F_STENCIL8;
}

GLuint
gles_framebuffer(GLenum color_format, GLenum depth_stencil_format, int width, int height)
{
   const GLuint framebuffer = bind_new_framebuffer(0);
   if (color_format != GL_NONE) {
      const GLuint texture = gles_texture(GL_TEXTURE_2D, color_format, width, height, 1, 1);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   }
   if (depth_stencil_format != GL_NONE) {
      const GLenum attachment =
         has_stencil(depth_stencil_format) ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT;
      const GLuint texture = gles_texture(GL_TEXTURE_2D, depth_stencil_format, width, height, 1, 1);
      glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D, texture, 0);
   }
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      stop("the framebuffer of formats 0x%04x and 0x%04x is not complete", color_format,
           depth_stencil_format);
   glViewport(0, 0, width, height);
   return framebuffer;
}

void
gles_draw(GLenum mode, const float (*vertices)[4], int count)
{
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, vertices);
   glEnableVertexAttribArray(0);
   glDrawArrays(mode, 0, count);
}

void
gles_rectangle(float left, float bottom, float right, float top, float z)
{
   const float corners[][4] = {{left, bottom, z, 1},
                               {right, bottom, z, 1},
                               {left, top, z, 1},
                               {right, top, z, 1}};
   gles_draw(GL_TRIANGLE_STRIP, corners, 4);
}

unsigned
gles_pixel(int x, int y)
{
   unsigned char rgba[4];
   glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
   return (unsigned)rgba[0] << 24 | rgba[1] << 16 | rgba[2] << 8 | rgba[3];
}
