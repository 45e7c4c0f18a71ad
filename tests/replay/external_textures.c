/* SPDX-License-Identifier: MIT */
/* Draws three frames from an external texture, as a program on Android shows video or a camera: each has another EGL image,
 * which a texture of OpenGL is behind. Checks the pixels of each. */
#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define SIZE 64
#define TEXELS 16
#define FRAMES 3

static const char vertex_source[] = "#version 300 es\nin vec2 position;\nout vec2 at;\n"
                                    "void main() {\n"
                                    "   at = position * 0.5 + 0.5;\n"
                                    "   gl_Position = vec4(position, 0.0, 1.0);\n"
                                    "}\n";
static const char fragment_source[] =
   "#version 300 es\n#extension GL_OES_EGL_image_external_essl3 : require\n"
   "precision mediump float;\nuniform samplerExternalOES image;\n"
   "in vec2 at;\nout vec4 result;\n"
   "void main() { result = texture(image, at); }\n";

static void
choose_texel(int x, int y, int frame, GLubyte *texel)
{
   texel[0] = 16 * x + frame;
   texel[1] = 16 * y + 2 * frame;
   texel[2] = 80 * frame;
   texel[3] = 255;
}

static EGLImageKHR
make_image(const struct egl *egl, int frame)
{
   PFNEGLCREATEIMAGEKHRPROC create_image = (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
   static const EGLint attributes[] = {EGL_GL_TEXTURE_LEVEL_KHR, 0, EGL_NONE};
   GLubyte texels[TEXELS * TEXELS][4];
   for (int i = 0; i < TEXELS * TEXELS; i++)
      choose_texel(i % TEXELS, i / TEXELS, frame, texels[i]);
   const GLuint texture = bind_new_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TEXELS, TEXELS, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   const EGLImageKHR image = create_image(egl->display, eglGetCurrentContext(), EGL_GL_TEXTURE_2D_KHR,
                                          (EGLClientBuffer)(size_t)texture, attributes);
   require(image != EGL_NO_IMAGE_KHR, "an EGL image");
   return image;
}

static void
check(int frame)
{
   GLubyte pixels[SIZE * SIZE][4];
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (int i = 0; i < SIZE * SIZE; i++) {
      GLubyte texel[4];
      choose_texel(i % SIZE * TEXELS / SIZE, i / SIZE * TEXELS / SIZE, frame, texel);
      holds(!memcmp(pixels[i], texel, 3), "frame %d: pixel %d, %d: %d, %d, %d, not %d, %d, %d", frame,
            i % SIZE, i / SIZE, pixels[i][0], pixels[i][1], pixels[i][2], texel[0], texel[1], texel[2]);
   }
}

int
main(void)
{
   static const float corners[] = {-1, -1, 3, -1, -1, 3};
   const struct egl egl =
      egl_open_context((struct surface_request){X11_WINDOW, SIZE, SIZE, .depth = false}, false, 3, 0);
   PFNGLEGLIMAGETARGETTEXTURE2DOESPROC target_texture =
      (PFNGLEGLIMAGETARGETTEXTURE2DOESPROC)eglGetProcAddress("glEGLImageTargetTexture2DOES");
   glUseProgram(build_program(vertex_source, fragment_source));
   create_buffer(GL_ARRAY_BUFFER, corners, sizeof corners);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   bind_new_texture(GL_TEXTURE_EXTERNAL_OES);
   glTexParameteri(GL_TEXTURE_EXTERNAL_OES, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_EXTERNAL_OES, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   for (int frame = 0; frame < FRAMES; frame++) {
      target_texture(GL_TEXTURE_EXTERNAL_OES, make_image(&egl, frame));
      glDrawArrays(GL_TRIANGLES, 0, 3);
      check(frame);
      egl_swap(&egl);
   }
   require(!glGetError(), "no error");
   return check_status();
}
