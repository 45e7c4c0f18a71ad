/* SPDX-License-Identifier: MIT */
/* large: textures and framebuffers of the largest size, 16384 pixels, and 3D textures of 2048: their far ends
 * are drawn to, sampled and read to the pixel. Most of a square one is never touched. */
#include <GLES3/gl3.h>
#include <stdint.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define LARGE 16384
#define LARGE_3D 2048

static const char vertex_source[] = "#version 300 es\n"
                                    "in vec4 position;\n"
                                    "void main() { gl_Position = position; }\n";
/* A pixel's coordinates, in four bytes. */
static const char place_source[] = "#version 300 es\n"
                                   "precision highp float;\n"
                                   "out vec4 color;\n"
                                   "void main() {\n"
                                   "   ivec2 p = ivec2(gl_FragCoord.xy);\n"
                                   "   color = vec4(p.x & 255, p.x >> 8, p.y & 255, p.y >> 8) / 255.0;\n"
                                   "}\n";
static const char fetch_source[] = "#version 300 es\n"
                                   "precision highp float;\n"
                                   "uniform highp sampler2D image;\n"
                                   "out vec4 color;\n"
                                   "void main() { color = texelFetch(image, ivec2(gl_FragCoord.xy), 0); }\n";
static const char sample_source[] =
   "#version 300 es\n"
   "precision highp float;\n"
   "uniform highp sampler2D image;\n"
   "uniform vec2 first, step;\n"
   "out vec4 color;\n"
   "void main() {\n"
   "   color = textureLod(image, first + floor(gl_FragCoord.xy) * step, 0.0);\n"
   "}\n";
static const char volume_source[] = "#version 300 es\n"
                                    "precision highp float;\n"
                                    "uniform highp sampler3D image;\n"
                                    "uniform vec3 where;\n"
                                    "out vec4 color;\n"
                                    "void main() { color = textureLod(image, where, 0.0); }\n";

static GLuint
use_program(const char *fragment)
{
   const GLuint program = build_program(vertex_source, fragment);
   glUseProgram(program);
   return program;
}

static void
draw_corners(const GLfloat *corners)
{
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
   glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void
draw_all(void)
{
   static const GLfloat corners[] = {-1, -1, 3, -1, -1, 3};
   draw_corners(corners);
}

static GLuint
create_texture(GLenum target, GLsizei width, GLsizei height, GLsizei depth)
{
   const GLuint texture = bind_new_texture(target);
   if (target == GL_TEXTURE_3D)
      glTexStorage3D(target, 1, GL_RGBA8, width, height, depth);
   else
      glTexStorage2D(target, 1, GL_RGBA8, width, height);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   require(glGetError() == GL_NO_ERROR, "no texture of %d x %d x %d", width, height, depth);
   return texture;
}

static GLuint
create_target(GLsizei width, GLsizei height)
{
   const GLuint texture = create_texture(GL_TEXTURE_2D, width, height, 1);
   bind_new_framebuffer(texture);
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "no framebuffer of %d x %d",
           width, height);
   glViewport(0, 0, width, height);
   return texture;
}

static uint32_t
place(int x, int y)
{
   return (uint32_t)x | (uint32_t)y << 16;
}

/** Whether the framebuffer's pixels tell their own places. */
static void
expect_places(const char *what, int x0, int y0, int width, int height)
{
   uint32_t *pixels = calloc((size_t)width * height, sizeof *pixels);
   glReadPixels(x0, y0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
         const uint32_t pixel = pixels[y * width + x];
         require(pixel == place(x0 + x, y0 + y), "%s: pixel %d, %d is that of %u, %u", what, x0 + x, y0 + y,
                 pixel & 0xffff, pixel >> 16);
      }
   }
   free(pixels);
}

static void
expect_pixel(const char *what, int x, int y, uint32_t wanted)
{
   uint32_t pixel;
   glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, &pixel);
   require(pixel == wanted, "%s: pixel %d, %d is 0x%08x, expected 0x%08x", what, x, y, pixel, wanted);
}

/* ---- what there is -------------------------------------------------------- */

static void
test_limits(void)
{
   static const GLenum names[] = {GL_MAX_TEXTURE_SIZE, GL_MAX_CUBE_MAP_TEXTURE_SIZE,
                                  GL_MAX_RENDERBUFFER_SIZE};
   GLint size, sizes[2];
   for (unsigned i = 0; i < 3; i++) {
      glGetIntegerv(names[i], &size);
      require(size == LARGE, "limit 0x%x is %d", names[i], size);
   }
   glGetIntegerv(GL_MAX_3D_TEXTURE_SIZE, &size);
   require(size == LARGE_3D, "3D textures have up to %d texels", size);
   glGetIntegerv(GL_MAX_VIEWPORT_DIMS, sizes);
   require(sizes[0] == LARGE && sizes[1] == LARGE, "viewports have up to %d x %d pixels", sizes[0], sizes[1]);
}

/** What exceeds memory's limit is refused, and the next is not. */
static void
test_refused(void)
{
   GLuint textures[3];
   glGenTextures(3, textures);
   glBindTexture(GL_TEXTURE_2D, textures[0]);
   glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA32F, LARGE, LARGE);
   require(glGetError() == GL_OUT_OF_MEMORY, "4 GiB are not refused");
   glBindTexture(GL_TEXTURE_CUBE_MAP, textures[1]);
   glTexStorage2D(GL_TEXTURE_CUBE_MAP, 15, GL_RGBA8, LARGE, LARGE);
   require(glGetError() == GL_OUT_OF_MEMORY, "a cube map of 8 GiB is not refused");
   glBindTexture(GL_TEXTURE_3D, textures[2]);
   glTexStorage3D(GL_TEXTURE_3D, 12, GL_RGBA8, LARGE_3D, LARGE_3D, LARGE_3D);
   require(glGetError() == GL_OUT_OF_MEMORY, "a 3D texture of 32 GiB is not refused");
   glDeleteTextures(3, textures);
}

/* ---- long and narrow: all pixels ------------------------------------------ */

static void
test_strip(int width, int height)
{
   const GLuint image = create_target(width, height);
   use_program(place_source);
   draw_all();
   expect_places("drawn", 0, 0, width, height);

   create_target(width, height);
   glBindTexture(GL_TEXTURE_2D, image);
   use_program(fetch_source);
   draw_all();
   expect_places("fetched", 0, 0, width, height);

   /* At the centres of texels linear filtering gives the texels; all of them as bytes of 255 are exact. */
   for (unsigned linear = 0; linear < 2; linear++) {
      create_target(width, height);
      glBindTexture(GL_TEXTURE_2D, image);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, linear ? GL_LINEAR : GL_NEAREST);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, linear ? GL_LINEAR : GL_NEAREST);
      const GLuint program = use_program(sample_source);
      glUniform2f(glGetUniformLocation(program, "first"), 0.5f / width, 0.5f / height);
      glUniform2f(glGetUniformLocation(program, "step"), 1.0f / width, 1.0f / height);
      draw_all();
      expect_places(linear ? "filtered" : "sampled", 0, 0, width, height);
   }
}

/* ---- a square: corners and a diagonal --------------------------------------- */

static void
test_corners(void)
{
   static const int corners[][2] = {
      {0, 0}, {LARGE - 8, 0}, {0, LARGE - 8}, {LARGE - 8, LARGE - 8}, {8192 - 4, 8192 - 4}};
   use_program(place_source);
   glEnable(GL_SCISSOR_TEST);
   for (unsigned i = 0; i < 5; i++) {
      glScissor(corners[i][0], corners[i][1], 8, 8);
      draw_all();
   }
   for (unsigned i = 0; i < 5; i++)
      expect_places("a corner", corners[i][0], corners[i][1], 8, 8);
   glDisable(GL_SCISSOR_TEST);
}

/** Pixels' x of a normalised coordinate. */
static GLfloat
normalized(double pixel)
{
   return (GLfloat)(pixel / (LARGE / 2) - 1);
}

static void
test_coverage(void)
{
   static const GLfloat half[] = {-1, -1, 1, -1, 1, 1};
   use_program(place_source);
   glEnable(GL_SCISSOR_TEST);
   glScissor(LARGE - 32, LARGE - 32, 32, 32);
   glClearColor(1, 1, 1, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   draw_corners(half);
   for (int i = 2; i < 16; i++) {
      expect_pixel("below the diagonal", LARGE - i, LARGE - i - 1, place(LARGE - i, LARGE - i - 1));
      expect_pixel("above the diagonal", LARGE - i, LARGE - i + 1, 0xffffffff);
   }
   /* An edge 1/256 of a pixel before a centre, and one after it. */
   for (int side = -1; side <= 1; side += 2) {
      const double edge = LARGE - 10 + 0.5 + side / 256.0;
      const GLfloat corners[] = {normalized(edge), -1, normalized(edge), 3, normalized(edge + LARGE), -1};
      glClear(GL_COLOR_BUFFER_BIT);
      draw_corners(corners);
      expect_pixel("at an edge", LARGE - 10, LARGE - 20,
                   side < 0 ? place(LARGE - 10, LARGE - 20) : 0xffffffff);
      expect_pixel("right of it", LARGE - 9, LARGE - 20, place(LARGE - 9, LARGE - 20));
      expect_pixel("left of it", LARGE - 11, LARGE - 20, 0xffffffff);
   }
   glDisable(GL_SCISSOR_TEST);
}

/** The last texels are filtered with the first, as GL_REPEAT says. */
static void
test_wrapping(GLuint image)
{
   static const GLubyte white[4] = {255, 255, 255, 255}, black[4] = {0, 0, 0, 0};
   static const int ends[] = {0, LARGE - 1};
   glBindTexture(GL_TEXTURE_2D, image);
   for (unsigned i = 0; i < 4; i++)
      glTexSubImage2D(GL_TEXTURE_2D, 0, ends[i & 1], ends[i >> 1], 1, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                      i == 3 ? white : black);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
   create_target(1, 1);
   glBindTexture(GL_TEXTURE_2D, image);
   const GLuint program = use_program(sample_source);
   glUniform2f(glGetUniformLocation(program, "first"), 1, 1);
   draw_all();
   expect_pixel("four corners' mean", 0, 0, 0x40404040);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
   draw_all();
   expect_pixel("the last texel", 0, 0, 0xffffffff);
}

/* ---- 3D ------------------------------------------------------------------- */

static void
test_volume(int width, int height, int depth)
{
   const GLubyte green[4] = {0, 255, 0, 255};
   const GLuint image = create_texture(GL_TEXTURE_3D, width, height, depth);
   glTexSubImage3D(GL_TEXTURE_3D, 0, width - 1, height - 1, depth - 1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                   green);
   create_target(1, 1);
   glBindTexture(GL_TEXTURE_3D, image);
   const GLuint program = use_program(volume_source);
   const GLint where = glGetUniformLocation(program, "where");
   glUniform3f(where, 1 - 0.5f / width, 1 - 0.5f / height, 1 - 0.5f / depth);
   draw_all();
   expect_pixel("the last texel of a volume", 0, 0, 0xff00ff00);
   glUniform3f(where, 1 - 0.5f / width, 1 - 0.5f / height, 1 - 1.5f / depth);
   draw_all();
   expect_pixel("the one before it", 0, 0, 0);
   glDeleteTextures(1, &image);
}

int
main(void)
{
   struct egl egl = egl_open_context((struct surface_request){SURFACELESS}, false, 3, 0);
   glEnableVertexAttribArray(0);

   test_limits();
   test_refused();
   test_strip(LARGE, 8);
   test_strip(8, LARGE);
   const GLuint square = create_target(LARGE, LARGE);
   test_corners();
   test_coverage();
   test_wrapping(square);
   test_volume(LARGE_3D, 2, 2);
   test_volume(2, 2, LARGE_3D);
   require(glGetError() == GL_NO_ERROR, "a GL error");
   egl_close(&egl);
   return 0;
}
