/* SPDX-License-Identifier: MIT */
/* EXT_robustness and KHR_robust_buffer_access_behavior: contexts, what they report, and reads outside of
 * vertex buffers, index buffers and textures, which see nothing of other memory: what may be read is green,
 * what lies next to it red. */
#define GL_GLEXT_PROTOTYPES
#include "gles.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2ext.h>
#include <string.h>

#define SIZE 16

static PFNGLGETGRAPHICSRESETSTATUSEXTPROC get_status;
static PFNGLREADNPIXELSEXTPROC read_pixels;
static PFNGLGETNUNIFORMFVEXTPROC get_uniform;

static const char plain_vertex[] = "#version 300 es\n"
                                   "in vec4 position;\n"
                                   "in vec4 coordinates;\n"
                                   "out vec4 value;\n"
                                   "void main() { gl_Position = position; value = coordinates; }\n";
static const char plain_fragment[] = "#version 300 es\n"
                                     "precision highp float;\n"
                                     "in vec4 value;\n"
                                     "out vec4 color;\n"
                                     "void main() { color = value; }\n";

/* ---- contexts -------------------------------------------------------------- */

static void
make_context(EGLint strategy)
{
   const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                            3,
                            EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT,
                            EGL_TRUE,
                            EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT,
                            strategy,
                            EGL_NONE};
   EGLDisplay display = eglGetCurrentDisplay();
   const EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
   if (!context || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
      stop("no robust context: EGL error 0x%x", eglGetError());
   glPixelStorei(GL_PACK_ALIGNMENT, 1);
}

static void
check_context(EGLint egl_strategy, GLint gl_strategy)
{
   GLint value = -1;
   make_context(egl_strategy);
   holds(has_extension("GL_EXT_robustness"), "there is no GL_EXT_robustness");
   holds(has_extension("GL_KHR_robust_buffer_access_behavior"),
         "there is no GL_KHR_robust_buffer_access_behavior");
   glGetIntegerv(GL_RESET_NOTIFICATION_STRATEGY_EXT, &value);
   holds(value == gl_strategy, "the strategy is 0x%x instead of 0x%x", value, gl_strategy);
   glGetIntegerv(GL_CONTEXT_ROBUST_ACCESS_EXT, &value);
   holds(value == 1, "access is not robust");
   holds(get_status() == GL_NO_ERROR, "the context has been reset");
}

/* ---- bounds of the application's memory --------------------------------------- */

static void
check_sizes(void)
{
   unsigned char pixels[4 * 4 * 4 + 1];
   float values[4] = {7, 7, 7, 7};
   gles_framebuffer(GL_RGBA8, GL_NONE, SIZE, SIZE);
   glClearColor(0, 1, 0, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   memset(pixels, 7, sizeof pixels);
   read_pixels(0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, 63, pixels);
   holds(glGetError() == GL_INVALID_OPERATION && pixels[0] == 7, "pixels were read past the memory's end");
   read_pixels(0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, 64, pixels);
   holds(glGetError() == GL_NO_ERROR && pixels[1] == 255 && pixels[64] == 7, "64 bytes of pixels are wrong");

   const GLuint program = build_program(plain_vertex, "#version 300 es\n"
                                                      "precision highp float;\n"
                                                      "uniform vec4 constant;\n"
                                                      "out vec4 color;\n"
                                                      "void main() { color = constant; }\n");
   const GLint constant = glGetUniformLocation(program, "constant");
   glUseProgram(program);
   glUniform4f(constant, 1, 2, 3, 4);
   get_uniform(program, constant, 12, values);
   holds(glGetError() == GL_INVALID_OPERATION && values[0] == 7, "a uniform was read past the memory's end");
   get_uniform(program, constant, 16, values);
   holds(glGetError() == GL_NO_ERROR && values[3] == 4, "a uniform is wrong");
}

/* ---- bounds of buffers --------------------------------------------------------- */

/** Whether nothing red or blue was drawn. */
static void
expect_nothing_else(const char *what)
{
   for (int y = 0; y < SIZE; y++) {
      for (int x = 0; x < SIZE; x++) {
         const unsigned pixel = gles_pixel(x, y);
         if (!holds((pixel & 0xff00ff00) == 0, "%s: pixel %d, %d is %08x", what, x, y, pixel))
            return;
      }
   }
}

static void
fill(float (*values)[4], unsigned count, unsigned channel)
{
   memset(values, 0, count * sizeof *values);
   for (unsigned i = 0; i < count; i++)
      values[i][channel] = values[i][3] = 1;
}

static void
check_vertices(void)
{
   static const float corners[][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
   /* Past the end of indices, then of vertices. */
   static const GLushort indices[] = {0, 1, 2};
   static const GLuint wild[] = {0, 1, 2, 1000000, 1, 2, 0, 0x7fffffff, 2, 0, 1, 0xfffffff0};
   float green[4][4], red[64][4];
   fill(green, 4, 1);
   fill(red, 64, 0);
   gles_framebuffer(GL_RGBA8, GL_NONE, SIZE, SIZE);
   glClear(GL_COLOR_BUFFER_BIT);
   glUseProgram(build_program(plain_vertex, plain_fragment));
   create_buffer(GL_ARRAY_BUFFER, corners, sizeof corners);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);

   for (unsigned vertices = 1; vertices <= 3; vertices++) {
      for (unsigned divisor = 0; divisor < 2; divisor++) {
         create_buffer(GL_ARRAY_BUFFER, red, sizeof red);
         create_buffer(GL_ARRAY_BUFFER, green, vertices * 16 - 8);
         create_buffer(GL_ARRAY_BUFFER, red, sizeof red);
         GLint last;
         glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &last);
         glBindBuffer(GL_ARRAY_BUFFER, last - 1);
         glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 0, NULL);
         glVertexAttribDivisor(1, divisor);
         glDrawArraysInstanced(GL_TRIANGLES, 0, 3, 5);
         glDrawArrays(GL_TRIANGLES, 2, 300);
         expect_nothing_else("vertices past a buffer's end");
      }
   }
   create_buffer(GL_ELEMENT_ARRAY_BUFFER, indices, sizeof indices);
   glDrawElements(GL_TRIANGLES, 3000, GL_UNSIGNED_SHORT, NULL);
   glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, (void *)1000);
   expect_nothing_else("indices past a buffer's end");
   create_buffer(GL_ELEMENT_ARRAY_BUFFER, wild, sizeof wild);
   glDrawElements(GL_TRIANGLES, 12, GL_UNSIGNED_INT, NULL);
   expect_nothing_else("indices of vertices that are not there");
   glVertexAttribDivisor(1, 0);
   glDisableVertexAttribArray(1);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
}

/* ---- bounds of textures ---------------------------------------------------------- */

static GLuint
create_texture(unsigned channel)
{
   unsigned char texels[4 * 4][4] = {{0}};
   const GLuint texture = gles_texture(GL_TEXTURE_2D, GL_RGBA8, 4, 4, 1, 2);
   for (unsigned i = 0; i < 16; i++)
      texels[i][channel] = texels[i][3] = 255;
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glTexSubImage2D(GL_TEXTURE_2D, 1, 0, 0, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   return texture;
}

static void
check_textures(void)
{
   static const int places[][3] = {{-1, 0, 0},         {4, 3, 0},          {0, 4, 0},
                                   {0, -1000000, 0},   {0x7fffffff, 0, 0}, {2, 0, 1},
                                   {0, 0x40000000, 1}, {0, 0, 2},          {0, 0, -1},
                                   {1, 1, 0x7fffffff}};
   create_texture(0);
   const GLuint green = create_texture(1);
   create_texture(2);
   gles_framebuffer(GL_RGBA8, GL_NONE, SIZE, SIZE);
   const GLuint program =
      build_program(plain_vertex, "#version 300 es\n"
                                  "precision highp float;\n"
                                  "uniform highp sampler2D image;\n"
                                  "uniform ivec3 place;\n"
                                  "out vec4 color;\n"
                                  "void main() { color = texelFetch(image, place.xy, place.z); }\n");
   glUseProgram(program);
   glBindTexture(GL_TEXTURE_2D, green);
   for (unsigned i = 0; i < COUNT_OF(places); i++) {
      glUniform3iv(glGetUniformLocation(program, "place"), 1, places[i]);
      gles_rectangle(-1, -1, 1, 1, 0);
      expect_nothing_else("a texel past the edges");
   }
}

int
main(void)
{
   gles_open();
   get_status = (PFNGLGETGRAPHICSRESETSTATUSEXTPROC)eglGetProcAddress("glGetGraphicsResetStatusEXT");
   read_pixels = (PFNGLREADNPIXELSEXTPROC)eglGetProcAddress("glReadnPixelsEXT");
   get_uniform = (PFNGLGETNUNIFORMFVEXTPROC)eglGetProcAddress("glGetnUniformfvEXT");
   check_context(EGL_NO_RESET_NOTIFICATION_EXT, GL_NO_RESET_NOTIFICATION_EXT);
   check_context(EGL_LOSE_CONTEXT_ON_RESET_EXT, GL_LOSE_CONTEXT_ON_RESET_EXT);
   check_sizes();
   check_vertices();
   check_textures();
   holds(get_status() == GL_NO_ERROR, "the context has been reset");
   return gles_close();
}
