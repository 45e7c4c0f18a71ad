/* SPDX-License-Identifier: MIT */
/* displays HOW: a program with two EGL displays, each with its window.
 *    probe    opens both, draws three frames on the second
 *    both     draws three frames on each in turn, the second display first
 *    after    draws three frames on the first, closes it, draws two on the second
 *    fork     draws a frame, forks a child that ends at once, draws another
 *    flushed  clears the second without a swap, and flushes that
 *    open     the same without flushing
 *    none     opens both, draws nothing */
#include <GLES2/gl2.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"
#include "support/egl.h"

static struct {
   struct egl egl;
   EGLContext context;
} screens[2];

static void
open_display(int n)
{
   screens[n].egl = egl_open((struct surface_request){X11_WINDOW, 96, 64, .depth = false});
   require(n == 0 || screens[n].egl.display != screens[0].egl.display, "there is one display only");
   screens[n].context = egl_create_context(&screens[n].egl, false, 2, 0, EGL_NO_CONTEXT);
}

static void
draw_frame(int n)
{
   egl_make_current(&screens[n].egl, screens[n].context);
   glClearColor(n, 0, 1, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   egl_swap(&screens[n].egl);
}

static void
wait_for(pid_t child)
{
   int status;
   require(child > 0 && waitpid(child, &status, 0) == child && status == 0, "the child did not end well");
}

int
main(int argc, char **argv)
{
   setlocale(LC_ALL, "");
   require(argc == 2, "usage: displays probe|both|after|fork|child|flushed|open|none");
   open_display(0);
   if (strcmp(argv[1], "child"))
      open_display(1);
   if (!strcmp(argv[1], "probe")) {
      for (int i = 0; i < 3; i++)
         draw_frame(1);
      egl_close(&screens[0].egl);
   } else if (!strcmp(argv[1], "both")) {
      for (int i = 0; i < 3; i++) {
         draw_frame(1);
         draw_frame(0);
      }
   } else if (!strcmp(argv[1], "after")) {
      for (int i = 0; i < 3; i++)
         draw_frame(0);
      egl_close(&screens[0].egl);
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
      wait_for(child);
      draw_frame(0);
   } else if (!strcmp(argv[1], "flushed") || !strcmp(argv[1], "open")) {
      egl_make_current(&screens[1].egl, screens[1].context);
      glClearColor(0.5f, 0, 1, 1);
      glClear(GL_COLOR_BUFFER_BIT);
      if (!strcmp(argv[1], "flushed"))
         glFlush();
   } else if (!strcmp(argv[1], "fork")) {
      draw_frame(0);
      const pid_t child = fork();
      if (!child)
         exit(0);
      wait_for(child);
      draw_frame(0);
   } else {
      require(!strcmp(argv[1], "none"), "%s: no such case", argv[1]);
   }
   return 0;
}
