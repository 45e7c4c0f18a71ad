/* SPDX-License-Identifier: MIT */
/* displays HOW: a program with two EGL displays, each with its window.
 *    probe    opens both, draws three frames on the second
 *    both     draws three frames on each in turn, the second display first
 *    after    draws three frames on the first, closes it, draws two on the second
 *    fork     draws a frame, forks a child that ends at once, draws another
 *    none     opens both, draws nothing */
#include <EGL/egl.h>
#include <GLES2/gl2.h>
#include <X11/Xlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
   EGLDisplay display;
   EGLSurface surface;
   EGLContext context;
} screens[2];

static void
require(int condition, const char *what)
{
   if (condition)
      return;
   fprintf(stderr, "displays: %s\n", what);
   exit(1);
}

static void
open_display(int n)
{
   static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT,
                                   EGL_NONE};
   static const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
   EGLConfig config;
   EGLint count;
   Display *x = XOpenDisplay(NULL);
   require(x != NULL, "XOpenDisplay");
   const Window window = XCreateSimpleWindow(x, DefaultRootWindow(x), 0, 0, 96, 64, 0, 0, 0);
   XMapWindow(x, window);
   XSync(x, False);
   screens[n].display = eglGetDisplay((EGLNativeDisplayType)x);
   require(n == 0 || screens[n].display != screens[0].display, "there is one display only");
   require(eglInitialize(screens[n].display, NULL, NULL), "eglInitialize");
   eglBindAPI(EGL_OPENGL_ES_API);
   require(eglChooseConfig(screens[n].display, wanted, &config, 1, &count) && count, "eglChooseConfig");
   screens[n].surface = eglCreateWindowSurface(screens[n].display, config, (EGLNativeWindowType)window, NULL);
   screens[n].context = eglCreateContext(screens[n].display, config, EGL_NO_CONTEXT, version);
}

static void
draw_frame(int n)
{
   require(eglMakeCurrent(screens[n].display, screens[n].surface, screens[n].surface, screens[n].context),
           "eglMakeCurrent");
   glClearColor(n, 0, 1, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   require(eglSwapBuffers(screens[n].display, screens[n].surface), "eglSwapBuffers");
}

static void
close_display(int n)
{
   eglMakeCurrent(screens[n].display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroyContext(screens[n].display, screens[n].context);
   eglDestroySurface(screens[n].display, screens[n].surface);
   eglTerminate(screens[n].display);
}

int
main(int argc, char **argv)
{
   require(argc == 2, "usage: displays probe|both|after|fork|child|none");
   open_display(0);
   if (strcmp(argv[1], "child"))
      open_display(1);
   if (!strcmp(argv[1], "probe")) {
      for (int i = 0; i < 3; i++)
         draw_frame(1);
      close_display(0);
   } else if (!strcmp(argv[1], "both")) {
      for (int i = 0; i < 3; i++) {
         draw_frame(1);
         draw_frame(0);
      }
   } else if (!strcmp(argv[1], "after")) {
      for (int i = 0; i < 3; i++)
         draw_frame(0);
      close_display(0);
      for (int i = 0; i < 2; i++)
         draw_frame(1);
   } else if (!strcmp(argv[1], "child")) {
      draw_frame(0);
      const pid_t child = fork();
      if (!child) {
         open_display(1);
         draw_frame(1);
         exit(0);
      }
      int status;
      require(child > 0 && waitpid(child, &status, 0) == child && status == 0, "the child did not end well");
      draw_frame(0);
   } else if (!strcmp(argv[1], "fork")) {
      draw_frame(0);
      const pid_t child = fork();
      if (!child)
         exit(0);
      int status;
      require(child > 0 && waitpid(child, &status, 0) == child && status == 0, "the child did not end well");
      draw_frame(0);
   } else {
      require(!strcmp(argv[1], "none"), argv[1]);
   }
   return 0;
}
