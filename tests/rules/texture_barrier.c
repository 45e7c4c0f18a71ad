/* SPDX-License-Identifier: MIT */
/* NV_texture_barrier: fragments read the texture that they are drawn to, each its own pixel once a barrier, or
 * pixels that no draw since the barrier has written. */
#include "gles.h"

#include <EGL/egl.h>

#define SIZE 80 /* several tiles of every size */

static void(GL_APIENTRY *barrier)(void); /* not in the headers of OpenGL ES */

static const char fragment_source[] =
   "#version 300 es\n"
   "precision highp float;\n"
   "uniform highp sampler2D image;\n"
   "uniform ivec2 from;\n"
   "out vec4 color;\n"
   "void main() {\n"
   "   color = texelFetch(image, ivec2(gl_FragCoord.xy) + from, 0) + vec4(1.0, 2.0, 0.0, 0.0) / 255.0;\n"
   "}\n";

static void
expect_all(const char *what, int x0, int x1, unsigned wanted)
{
   for (int y = 0; y < SIZE; y += 7) {
      for (int x = x0; x < x1; x += 3) {
         const unsigned pixel = gles_pixel(x, y);
         if (!holds(pixel == wanted, "%s: pixel %d, %d is %08x instead of %08x", what, x, y, pixel, wanted))
            return;
      }
   }
}

int
main(void)
{
   GLint texture;
   gles_open();
   if (!has_extension("GL_NV_texture_barrier"))
      stop("there is no GL_NV_texture_barrier");
   barrier = (void(GL_APIENTRY *)(void))eglGetProcAddress("glTextureBarrierNV");
   gles_framebuffer(GL_RGBA8, GL_NONE, SIZE, SIZE);
   glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                         GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   const GLuint program = build_program(gles_position_vertex, fragment_source);
   const GLint from = glGetUniformLocation(program, "from");
   glUseProgram(program);
   glClearColor(0, 0, 0, 1);
   glClear(GL_COLOR_BUFFER_BIT);

   /* Every pixel from itself. */
   for (int i = 0; i < 5; i++) {
      barrier();
      gles_rectangle(-1, -1, 1, 1, 0);
   }
   expect_all("own pixels", 0, SIZE, 0x050a00ff);

   /* Halves from each other. */
   for (int i = 0; i < 4; i++) {
      const int left = i & 1;
      barrier();
      glUniform2i(from, left ? SIZE / 2 : -SIZE / 2, 0);
      gles_rectangle(left ? -1 : 0, -1, left ? 0 : 1, 1, 0);
   }
   expect_all("the left half", 0, SIZE / 2, 0x091200ff);
   expect_all("the right half", SIZE / 2, SIZE, 0x081000ff);
   return gles_close();
}
