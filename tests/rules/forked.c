/* SPDX-License-Identifier: MIT */
/* A process that opens a display, then forks. The child
 *    opened    draws twice: the parent has made no context before
 *    used      makes a context, which is refused, and closes the display: the parent has drawn
 *    unflushed closes the display: the parent has drawn what it has not flushed
 *    draws     draws with the parent's context, which ends it
 *    computes  dispatches with the parent's context, which ends it
 * The parent waits for it and draws once. */
#include <GLES3/gl31.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

static struct egl egl;
static EGLContext context = EGL_NO_CONTEXT;

static void
begin(void)
{
   context = egl_create_context(&egl, false, 3, 1, EGL_NO_CONTEXT);
   egl_make_current(&egl, context);
   bind_new_framebuffer(bind_new_image(GL_RGBA8, 64, 64));
}

static void
draw(float red)
{
   GLubyte pixel[4];
   glClearColor(red, 0, 1, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   glReadPixels(63, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   require(pixel[0] == red * 255 && pixel[2] == 255, "wrong colour: %d, %d", pixel[0], pixel[2]);
}

static void
dispatch(void)
{
   const char *source = "#version 310 es\nlayout(local_size_x = 4) in;\nvoid main() {}\n";
   const GLuint program = glCreateShaderProgramv(GL_COMPUTE_SHADER, 1, &source);
   glUseProgram(program);
   glDispatchCompute(1, 1, 1);
}

static void
be_child(const char *how)
{
   if (!strcmp(how, "opened")) {
      begin();
      draw(0);
      draw(1);
   } else if (!strcmp(how, "draws")) {
      draw(1);
   } else if (!strcmp(how, "computes")) {
      dispatch();
   } else {
      const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE};
      require(strcmp(how, "used") ||
                 eglCreateContext(egl.display, egl.config, EGL_NO_CONTEXT, version) == EGL_NO_CONTEXT,
              "the child has a context");
      egl_close(&egl);
   }
   exit(0);
}

int
main(int argc, char **argv)
{
   require(argc == 2, "usage: forked opened|used|unflushed|draws|computes");
   const char *how = argv[1];
   egl = egl_open((struct surface_request){.kind = SURFACELESS});
   if (strcmp(how, "opened"))
      begin();
   if (!strcmp(how, "unflushed"))
      glClear(GL_COLOR_BUFFER_BIT);
   else if (strcmp(how, "opened"))
      draw(0);
   const pid_t child = fork();
   if (!child)
      be_child(how);
   int status;
   require(child > 0 && waitpid(child, &status, 0) == child, "no child");
   const int expected = !strcmp(how, "draws") || !strcmp(how, "computes") ? SIGABRT : 0;
   require(status == expected, "the child ended with status %#x", status);
   if (!strcmp(how, "opened"))
      begin();
   draw(1);
   egl_close(&egl);
   return 0;
}
