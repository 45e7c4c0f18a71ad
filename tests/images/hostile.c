/* SPDX-License-Identifier: MIT */
/* hostile WHAT: a program that misbehaves, or whose window does, on an X11 window.
 *    resize    draws a known picture into a window whose size changes every frame
 *    bounds    draws vertices and indices past the ends of their buffers, then a known picture
 *    abort     draws five frames and aborts in the middle of the sixth
 * Pictures are looked at here; exit status 0 where they are right. */
#include <EGL/egl.h>
#include <GLES2/gl2.h>
#include <X11/Xlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char vertex_source[] = "attribute vec4 position;\n"
                                    "void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }\n";
static const char fragment_source[] = "precision mediump float;\n"
                                      "uniform vec4 color;\n"
                                      "void main() { gl_FragColor = color; }\n";

static Display *x;
static Window window;
static EGLDisplay display;
static EGLSurface surface;
static GLint color_location;

static void
require(int condition, const char *what)
{
   if (condition)
      return;
   fprintf(stderr, "hostile: %s\n", what);
   exit(1);
}

static void
open_window(int width, int height)
{
   static const EGLint wanted[] = {
      EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_DEPTH_SIZE, 24,
      EGL_NONE};
   static const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
   EGLConfig config;
   EGLint count;
   x = XOpenDisplay(NULL);
   require(x != NULL, "XOpenDisplay");
   window = XCreateSimpleWindow(x, DefaultRootWindow(x), 0, 0, width, height, 0, 0, 0);
   XMapWindow(x, window);
   XSync(x, False);
   display = eglGetDisplay((EGLNativeDisplayType)x);
   require(eglInitialize(display, NULL, NULL), "eglInitialize");
   eglBindAPI(EGL_OPENGL_ES_API);
   require(eglChooseConfig(display, wanted, &config, 1, &count) && count, "eglChooseConfig");
   EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
   surface = eglCreateWindowSurface(display, config, (EGLNativeWindowType)window, NULL);
   require(eglMakeCurrent(display, surface, surface, context), "eglMakeCurrent");
}

static void
use_program(void)
{
   GLuint program = glCreateProgram();
   const struct {
      GLenum type;
      const char *source;
   } shaders[] = {{GL_VERTEX_SHADER, vertex_source}, {GL_FRAGMENT_SHADER, fragment_source}};
   for (int s = 0; s < 2; s++) {
      GLuint shader = glCreateShader(shaders[s].type);
      glShaderSource(shader, 1, &shaders[s].source, NULL);
      glCompileShader(shader);
      glAttachShader(program, shader);
   }
   glBindAttribLocation(program, 0, "position");
   glLinkProgram(program);
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
      XResizeWindow(x, window, sizes[s][0], sizes[s][1]);
      XSync(x, False);
      /* The surface takes its window's size when a frame begins. */
      eglSwapBuffers(display, surface);
      EGLint width, height;
      glViewport(0, 0, sizes[s][0], sizes[s][1]);
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      draw_halves();
      eglQuerySurface(display, surface, EGL_WIDTH, &width);
      eglQuerySurface(display, surface, EGL_HEIGHT, &height);
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
      eglSwapBuffers(display, surface);
   }
}

static void
abort_in_frame(void)
{
   for (int frame = 0; frame < 5; frame++) {
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      draw_halves();
      eglSwapBuffers(display, surface);
   }
   /* The memory model is a moment behind the renderer. */
   usleep(300000);
   draw_halves();
   abort();
}

int
main(int argc, char **argv)
{
   require(argc == 2, "usage: hostile resize|bounds|abort");
   open_window(200, 120);
   use_program();
   glViewport(0, 0, 200, 120);
   if (!strcmp(argv[1], "resize"))
      resize();
   else if (!strcmp(argv[1], "bounds"))
      bounds();
   else if (!strcmp(argv[1], "abort"))
      abort_in_frame();
   else
      require(0, argv[1]);
   eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglTerminate(display);
   return 0;
}
