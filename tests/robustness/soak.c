/* SPDX-License-Identifier: MIT */
/* soak SECONDS: a game and its launcher for so long. A window is drawn to and resized; every two seconds another context,
 * which shares objects with the first, compiles, draws and is destroyed; every five seconds the game's own context is
 * lost: destroyed with its objects alive, and made again. Pictures are looked at. Prints a line every ten seconds: seconds,
 * frames, KiB of resident memory, threads, descriptors. */
#include <GLES3/gl3.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define TEXELS 64

static struct egl egl;
static unsigned made; /* programs: each is another one */

static double
now(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int
count_entries(const char *path)
{
   int count = 0;
   DIR *directory = opendir(path);
   require(directory, "cannot read %s", path);
   while (readdir(directory))
      count++;
   closedir(directory);
   return count;
}

static void
print_usage(double seconds, unsigned long frames)
{
   long pages = 0;
   FILE *file = fopen("/proc/self/statm", "r");
   require(file && fscanf(file, "%*s %ld", &pages) == 1, "cannot read /proc/self/statm");
   fclose(file);
   printf("%.0f %lu %ld %d %d\n", seconds, frames, pages * (sysconf(_SC_PAGESIZE) / 1024),
          count_entries("/proc/self/task"), count_entries("/proc/self/fd"));
   fflush(stdout);
}

static GLuint
make_program(void)
{
   static const char vertex[] = "#version 300 es\nuniform highp vec4 place;\nout highp vec2 at;\n"
                                "void main() {\n"
                                "   vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                                "   at = corner;\n"
                                "   gl_Position = vec4(corner * place.zw + place.xy, 0.0, 1.0);\n"
                                "}\n";
   char fragment[500];
   snprintf(
      fragment, sizeof fragment,
      "#version 300 es\nprecision highp float;\nuniform sampler2D image;\nin vec2 at;\nout vec4 color;\n"
      "void main() { color = vec4(texture(image, at * 4.0).xyz, 1.0) * (1.0 + float(%u) * 0.0); }\n",
      made++ % 64);
   return build_program(vertex, fragment);
}

static GLuint
make_texture(GLubyte green)
{
   static GLubyte texels[TEXELS * TEXELS * 4];
   GLuint texture;
   for (int i = 0; i < TEXELS * TEXELS * 4; i++)
      texels[i] = i % 4 == 1 ? green : 255;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TEXELS, TEXELS, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glGenerateMipmap(GL_TEXTURE_2D);
   return texture;
}

/** Many rectangles, then one over all of them, whose colour is checked. */
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

static EGLContext
start_game(GLuint *program)
{
   const EGLContext context = egl_create_context(&egl, false, 3, 0, EGL_NO_CONTEXT);
   egl_make_current(&egl, context);
   *program = make_program();
   make_texture(200);
   return context;
}

/** What a loading screen or an embedded page does. */
static void
use_other_context(EGLContext game, int width, int height)
{
   const EGLContext other = egl_create_context(&egl, false, 3, 0, game);
   egl_make_current(&egl, other);
   const GLuint program = make_program(), texture = make_texture(100);
   draw_frame(program, width, height, 100, true);
   glDeleteTextures(1, &texture);
   glDeleteProgram(program);
   egl_make_current(&egl, game);
   require(eglDestroyContext(egl.display, other), "eglDestroyContext");
}

int
main(int argc, char **argv)
{
   require(argc == 2, "usage: soak SECONDS");
   const double began = now(), length = strtod(argv[1], NULL);
   double next_print = 0, next_other = 1, next_loss = 2.5;
   GLuint program;
   int width = 320, height = 240;
   egl = egl_open((struct surface_request){X11_WINDOW, width, height, .depth = true});
   EGLContext game = start_game(&program);
   unsigned long frames = 0;
   for (double seconds = 0; seconds < length; seconds = now() - began, frames++) {
      if (frames % 50 == 49) { /* the surface takes its window's size when a frame begins */
         width = 64 + (int)(frames * 37 % 400);
         height = 48 + (int)(frames * 53 % 300);
         XResizeWindow(egl.x11, egl.window, (unsigned)width, (unsigned)height);
         XSync(egl.x11, False);
         egl_swap(&egl);
      }
      draw_frame(program, width, height, 200, frames % 10 == 0);
      egl_swap(&egl);
      if (seconds >= next_other) {
         use_other_context(game, width, height);
         next_other = seconds + 2;
      }
      if (seconds >= next_loss) {
         egl_make_current(&egl, EGL_NO_CONTEXT);
         require(eglDestroyContext(egl.display, game), "eglDestroyContext");
         game = start_game(&program);
         next_loss = seconds + 5;
      }
      if (seconds >= next_print) {
         print_usage(seconds, frames);
         next_print = seconds + 10;
      }
   }
   print_usage(now() - began, frames);
   egl_close(&egl);
   return 0;
}
