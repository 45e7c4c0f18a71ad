/* SPDX-License-Identifier: MIT */
/* soak seconds|frames N [BYTES]: a game and its launcher, for so long. A window is drawn to and resized; textures,
 * framebuffer objects, buffers and programs come and go; other contexts, which share objects with the first, compile, draw
 * and are destroyed; the game's own context is lost, with its objects alive, and made again. Pictures are looked at.
 * With BYTES each frame loses as many on purpose, so that it can be tested that the memory's growth is found.
 * Prints a line every CYCLE frames (print_usage). */
#define _GNU_SOURCE /* asprintf */
#include <GLES3/gl3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"
#include "support/usage.h"

#define TEXELS 64
/* Frames from one window's size, and one context's loss, to the next. */
#define CYCLE 50
/* Programs that differ: a game has no endless number of them. */
#define PROGRAMS 16

static struct egl egl;
static unsigned made; /* programs */

static GLuint
make_program(void)
{
   static const char vertex[] = "#version 300 es\nuniform highp vec4 place;\nout highp vec2 at;\n"
                                "void main() {\n"
                                "   vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                                "   at = corner;\n"
                                "   gl_Position = vec4(corner * place.zw + place.xy, 0.0, 1.0);\n"
                                "}\n";
   char *fragment;
   require(
      asprintf(
         &fragment,
         "#version 300 es\nprecision highp float;\nuniform sampler2D image;\nin vec2 at;\nout vec4 color;\n"
         "void main() { color = vec4(texture(image, at * 4.0).xyz, 1.0) * (1.0 + float(%u) * 0.0); }\n",
         made++ % PROGRAMS) >= 0,
      "out of memory");
   const GLuint program = build_program(vertex, fragment);
   free(fragment);
   return program;
}

static GLuint
make_texture(GLubyte green)
{
   static GLubyte texels[TEXELS * TEXELS * 4];
   for (int i = 0; i < TEXELS * TEXELS * 4; i++)
      texels[i] = i % 4 == 1 ? green : 255;
   const GLuint texture = bind_new_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TEXELS, TEXELS, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glGenerateMipmap(GL_TEXTURE_2D);
   return texture;
}

/* Many rectangles, then one over all of them, whose colour is checked. */
static void
draw_frame(GLuint program, int width, int height, GLubyte green, bool checks)
{
   const GLint place = glGetUniformLocation(program, "place");
   glViewport(0, 0, width, height);
   glClearColor(0, 0, 0, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glUseProgram(program);
   for (int i = 0; i < 40; i++) {
      glUniform4f(place, -1 + 0.04f * (float)i, -1 + 0.03f * (float)(i * 7 % 40), 0.3f, 0.4f);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   }
   glUniform4f(place, -1, -1, 2, 2);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   if (!checks)
      return;
   GLubyte pixel[4];
   glReadPixels(width / 2, height / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   require(pixel[0] == 255 && pixel[1] == green && pixel[2] == 255, "%d x %d: %d %d %d instead of 255 %d 255",
           width, height, pixel[0], pixel[1], pixel[2], green);
   require(glGetError() == GL_NO_ERROR, "a GL error");
}

/* An effect that is drawn to a texture of its own, which is deleted, and a buffer that is. */
static void
draw_effect(GLuint program, GLuint image)
{
   const GLuint texture = bind_new_image(GL_RGBA8, TEXELS, TEXELS);
   const GLuint framebuffer = bind_new_framebuffer(texture);
   glBindTexture(GL_TEXTURE_2D, image);
   draw_frame(program, TEXELS, TEXELS, 200, true);
   GLuint buffer = create_buffer(GL_ARRAY_BUFFER, &texture, sizeof texture);
   glBindFramebuffer(GL_FRAMEBUFFER, 0);
   glDeleteBuffers(1, &buffer);
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteTextures(1, &texture);
}

struct game {
   EGLContext context;
   GLuint program, image;
};

static struct game
start_game(void)
{
   struct game game = {.context = egl_create_context(&egl, false, 3, 0, EGL_NO_CONTEXT)};
   egl_make_current(&egl, game.context);
   game.program = make_program();
   game.image = make_texture(200);
   return game;
}

static void
lose_game(const struct game *game)
{
   egl_make_current(&egl, EGL_NO_CONTEXT);
   require(eglDestroyContext(egl.display, game->context), "eglDestroyContext");
}

/* What a loading screen or an embedded page does. */
static void
use_other_context(const struct game *game, int width, int height)
{
   const EGLContext other = egl_create_context(&egl, false, 3, 0, game->context);
   egl_make_current(&egl, other);
   const GLuint program = make_program(), texture = make_texture(100);
   draw_frame(program, width, height, 100, true);
   glDeleteTextures(1, &texture);
   glDeleteProgram(program);
   egl_make_current(&egl, game->context);
   require(eglDestroyContext(egl.display, other), "eglDestroyContext");
}

int
main(int argc, char **argv)
{
   require(argc == 3 || argc == 4, "usage: soak seconds|frames N [BYTES]");
   const double began = read_seconds(), length = strtod(argv[2], NULL);
   const bool by_time = !strcmp(argv[1], "seconds");
   const size_t lost = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
   int width = 320, height = 240;
   egl = egl_open((struct surface_request){X11_WINDOW, width, height, .depth = true});
   struct game game = start_game();
   for (unsigned long frames = 0; (by_time ? read_seconds() - began : (double)frames) < length; frames++) {
      if (frames % CYCLE == CYCLE - 1) { /* the surface takes its window's size when a frame begins */
         width = 64 + (int)(frames * 37 % 400);
         height = 48 + (int)(frames * 53 % 300);
         XResizeWindow(egl.x11, egl.window, (unsigned)width, (unsigned)height);
         XSync(egl.x11, False);
         egl_swap(&egl);
      }
      draw_frame(game.program, width, height, 200, frames % 10 == 0);
      if (frames % 10 == 5)
         draw_effect(game.program, game.image);
      egl_swap(&egl);
      lose_memory(lost);
      if (frames % CYCLE == 20)
         use_other_context(&game, width, height);
      if (frames % CYCLE == 40) {
         lose_game(&game);
         game = start_game();
         print_usage(read_seconds() - began, frames + 1);
      }
   }
   lose_game(&game);
   egl_close(&egl);
   return 0;
}
