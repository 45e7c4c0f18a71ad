/* SPDX-License-Identifier: MIT */
/* Draws eight frames, of which little changes from one to the next: first a pass to a texture that is not cleared, then one to
 * the window, which is; both are drawn to in their left half. What is known of the tiles' contents is in contents_test.py. */
#include <GLES3/gl32.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define SIZE 64
#define FRAMES 8
#define CHANGED 3  /* the first frame with another color */
#define RESTORED 5 /* the first frame with the first color again */
#define UPLOADED 6 /* the frame before which both textures are uploaded once more */

static const char vertex_source[] =
   "in vec2 position;\nvoid main() { gl_Position = vec4(position, 0.0, 1.0); }\n";
static const char fragment_source[] =
   "precision mediump float;\nuniform sampler2D image;\nuniform vec4 factor;\n"
   "out vec4 result;\n"
   "void main() { result = factor * texture(image, vec2(0.5)); }\n";

static void
upload(GLuint texture, const GLubyte *pixels, int size)
{
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

int
main(void)
{
   static const GLubyte white[4] = {255, 255, 255, 255}, black[SIZE * SIZE * 4];
   static const float left_half[] = {-1, -1, 0, -1, -1, 1, 0, 1};
   struct egl egl = egl_open_context((struct surface_request){X11_WINDOW, SIZE, SIZE, false, 0}, false, 3, 0);
   const GLuint image = bind_new_image(GL_RGBA8, 1, 1);
   const GLuint target = bind_new_image(GL_RGBA8, SIZE, SIZE), framebuffer = bind_new_framebuffer(target);
   const GLuint program = build_versioned_program("#version 300 es\n", vertex_source, fragment_source);
   glUseProgram(program);
   const GLint factor = glGetUniformLocation(program, "factor");
   create_buffer(GL_ARRAY_BUFFER, left_half, sizeof left_half);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(0);
   glClearColor(0.25f, 0.5f, 0.75f, 1.0f);
   upload(image, white, 1);
   for (int frame = 0; frame < FRAMES; frame++) {
      if (frame == UPLOADED) {
         upload(target, black, SIZE);
         upload(image, white, 1);
      }
      glBindTexture(GL_TEXTURE_2D, image);
      const float red = frame >= CHANGED && frame < RESTORED ? 1.0f : 0.5f;
      glUniform4f(factor, red, 1.0f, 1.0f, 1.0f);
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
      glBindFramebuffer(GL_FRAMEBUFFER, 0);
      glClear(GL_COLOR_BUFFER_BIT);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
      egl_swap(&egl);
   }
   require(glGetError() == GL_NO_ERROR, "no error");
   egl_close(&egl);
   return 0;
}
