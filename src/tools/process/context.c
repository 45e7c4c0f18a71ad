/* SPDX-License-Identifier: MIT */
/** What tbrsim doctor runs: makes a context the way programs do, and prints the renderer. It links EGL and GLX, which the
 * command does not. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>

static _Noreturn void
give_up(const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   vfprintf(stderr, format, arguments);
   va_end(arguments);
   fputc('\n', stderr);
   exit(EXIT_FAILURE);
}

static void
print_renderer(const GLubyte *(*get_string)(GLenum name))
{
   const GLubyte *renderer = get_string ? get_string(GL_RENDERER) : NULL;
   const GLubyte *version = get_string ? get_string(GL_VERSION) : NULL;
   if (!renderer || !version)
      give_up("the context does not say what renders");
   printf("%s, %s\n", (const char *)renderer, (const char *)version);
}

static void
make_egl_context(void)
{
   static const EGLint attributes[] = {EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE};
   EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
   if (!display || !eglInitialize(display, NULL, NULL))
      give_up("no EGL display without a window system: error %#x", eglGetError());
   eglBindAPI(EGL_OPENGL_ES_API);
   EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
   if (!context || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
      give_up("no context of OpenGL ES 3: error %#x", eglGetError());
   print_renderer((const GLubyte *(*)(GLenum))eglGetProcAddress("glGetString"));
   eglTerminate(display);
}

static void
make_glx_context(void)
{
   static int attributes[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_DEPTH_SIZE, 16, None};
   Display *display = XOpenDisplay(NULL);
   if (!display)
      give_up("the X server does not answer");
   XVisualInfo *visual = glXChooseVisual(display, DefaultScreen(display), attributes);
   if (!visual)
      give_up("the X server has no visual for OpenGL");
   const Window root = RootWindow(display, visual->screen);
   XSetWindowAttributes window_attributes = {
      .border_pixel = 0,
      .colormap = XCreateColormap(display, root, visual->visual, AllocNone),
   };
   const Window window = XCreateWindow(display, root, 0, 0, 16, 16, 0, visual->depth, InputOutput,
                                       visual->visual, CWBorderPixel | CWColormap, &window_attributes);
   GLXContext context = glXCreateContext(display, visual, NULL, True);
   if (!context || !glXMakeCurrent(display, window, context))
      give_up("no context of OpenGL");
   print_renderer(glGetString);
   glXMakeCurrent(display, None, NULL);
   glXDestroyContext(display, context);
   XDestroyWindow(display, window);
   XFree(visual);
   XCloseDisplay(display);
}

int
main(int argc, char **argv)
{
   if (argc == 2 && !strcmp(argv[1], "egl"))
      make_egl_context();
   else if (argc == 2 && !strcmp(argv[1], "glx"))
      make_glx_context();
   else
      give_up("usage: tbrsim-context egl|glx");
   return EXIT_SUCCESS;
}
