/* SPDX-License-Identifier: MIT */
/* hostile WHAT: a program that misbehaves, or whose window does, on an X11 window.
 *    resize    draws a known picture into a window whose size changes every frame
 *    bounds    draws vertices and indices past the ends of their buffers, then a known picture
 *    abort     draws five frames and aborts in the middle of the sixth
 * Pictures are looked at here; exit status 0 where they are right. */
#include <GLES2/gl2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

static const char vertex_source[] = "attribute vec4 position;\n"
                                    "void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }\n";
static const char fragment_source[] = "precision mediump float;\n"
                                      "uniform vec4 color;\n"
                                      "void main() { gl_FragColor = color; }\n";

static struct egl egl;
static GLint color_location;

static void
use_program(void)
{
   const GLuint program = build_program(vertex_source, fragment_source);
   glUseProgram(program);
   color_location = glGetUniformLocation(program, "color");
   glEnableVertexAttribArray(0);
}

/* The left half red, the right half green, from client memory. */
static void
draw_halves(void)
{
   static const float left[] = {-1, -1, 0, -1, -1, 1, 0, 1}, right[] = {0, -1, 1, -1, 0, 1, 1, 1};
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glUniform4f(color_location, 1, 0, 0, 1);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, left);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   glUniform4f(color_location, 0, 1, 0, 1);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, right);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void
check_halves(int width, int height)
{
   unsigned char *pixels = malloc((size_t)width * height * 4);
   glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (int p = 0; p < width * height; p++) {
      int left = p % width * 2 + 1 < width, middle = p % width * 2 + 1 == width;
      require(middle || (pixels[p * 4] == (left ? 255 : 0) && pixels[p * 4 + 1] == (left ? 0 : 255)),
              "a pixel has the wrong colour");
   }
   free(pixels);
}

static void
resize(void)
{
   static const int sizes[][2] = {{64, 64}, {200, 130}, {31, 257}, {500, 20}, {1, 1}, {300, 300}};
   for (unsigned s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
      XResizeWindow(egl.x11, egl.window, sizes[s][0], sizes[s][1]);
      XSync(egl.x11, False);
      /* The surface takes its window's size when a frame begins. */
      egl_swap(&egl);
      EGLint width, height;
      glViewport(0, 0, sizes[s][0], sizes[s][1]);
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      draw_halves();
      eglQuerySurface(egl.display, egl.surface, EGL_WIDTH, &width);
      eglQuerySurface(egl.display, egl.surface, EGL_HEIGHT, &height);
      require(width == sizes[s][0] && height == sizes[s][1], "the surface did not follow its window");
      check_halves(width, height);
   }
}

static void
bounds(void)
{
   static const unsigned short indices[] = {0, 1, 2, 2, 1, 3, 60000, 65535, 4, 5, 30000, 3};
   static const float corners[] = {-1, -1, 1, -1, -1, 1, 1, 1};
   GLuint buffers[2];
   glGenBuffers(2, buffers);
   glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
   glBufferData(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
   glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices, GL_STATIC_DRAW);
   for (int frame = 0; frame < 3; frame++) {
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      glUniform4f(color_location, 0, 0, 1, 1);
      glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
      glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
      glDrawArrays(GL_TRIANGLES, 0, 3000);
      glDrawArrays(GL_TRIANGLES, 1000000, 3);
      glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 200, (void *)4096);
      glDrawArrays(GL_POINTS, 0, 100);
      glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
      glDrawElements(GL_TRIANGLES, 12, GL_UNSIGNED_SHORT, NULL);
      glDrawElements(GL_TRIANGLES, 30000, GL_UNSIGNED_SHORT, NULL);
      glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, (void *)1000000);
      draw_halves();
      check_halves(200, 120);
      egl_swap(&egl);
   }
}

/* Waits until the statistics have so many frames: the memory model runs later than the renderer. */
static void
wait_for_statistics(unsigned frames)
{
   const char *directory = getenv("TBRSIM_OUT");
   char path[4096];
   require(directory, "no TBRSIM_OUT");
   snprintf(path, sizeof path, "%s/stats.json", directory);
   for (unsigned found = 0; found < frames; usleep(10000)) {
      FILE *file = fopen(path, "r");
      found = 0;
      for (int c, before = 0; file && (c = getc(file)) != EOF; before = c)
         found += before == '\n' && c == '['; /* a frame's row */
      if (file)
         fclose(file);
   }
}

static void
abort_in_frame(void)
{
   for (int frame = 0; frame < 5; frame++) {
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      draw_halves();
      egl_swap(&egl);
   }
   wait_for_statistics(5);
   draw_halves();
   abort();
}

int
main(int argc, char **argv)
{
   require(argc == 2, "usage: hostile resize|bounds|abort");
   egl = egl_open_context((struct surface_request){X11_WINDOW, 200, 120, .depth = true}, false, 2, 0);
   use_program();
   glViewport(0, 0, 200, 120);
   if (!strcmp(argv[1], "resize"))
      resize();
   else if (!strcmp(argv[1], "bounds"))
      bounds();
   else if (!strcmp(argv[1], "abort"))
      abort_in_frame();
   else
      stop("%s: no such case", argv[1]);
   egl_close(&egl);
   return 0;
}
