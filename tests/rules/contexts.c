/* SPDX-License-Identifier: MIT */
/* contexts HOW: contexts that programs ask for through GLX and EGL.
 *    hidden    GLX, a single-buffered window that is not shown: a context is made current and asked
 *    shown     the same; then the window is shown, drawn to, and read back by the X server
 *    queried   the same as hidden; the swap interval of its drawable is asked for
 *    versions  GLX and EGL contexts of every version, twice; prints those that there are */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"

#define SIZE 64

static Display *display;

/* ---- a front buffer ---------------------------------------------------- */

static Window
create_window(const XVisualInfo *visual)
{
   const Window root = RootWindow(display, visual->screen);
   XSetWindowAttributes attributes = {
      .background_pixel = 0x0000ff,
      .colormap = XCreateColormap(display, root, visual->visual, AllocNone),
   };
   return XCreateWindow(display, root, 0, 0, SIZE, SIZE, 0, visual->depth, InputOutput, visual->visual,
                        CWBackPixel | CWColormap, &attributes);
}

static unsigned long
pixel_of(Window window, int x, int y)
{
   XImage *image = XGetImage(display, window, x, y, 1, 1, AllPlanes, ZPixmap);
   require(image != NULL, "XGetImage");
   const unsigned long pixel = XGetPixel(image, 0, 0) & 0xffffff;
   XDestroyImage(image);
   return pixel;
}

static void
show(Window window)
{
   XEvent event;
   XSelectInput(display, window, ExposureMask);
   XMapWindow(display, window);
   XWindowEvent(display, window, ExposureMask, &event);
}

/* A quarter is drawn; the rest keeps the window's own content, which is read first. */
static void
draw_to_front(Window window)
{
   show(window);
   glEnable(GL_SCISSOR_TEST);
   glScissor(0, 0, SIZE / 2, SIZE / 2);
   glClearColor(1, 0, 0, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   glFlush();
   XSync(display, False);
   require(pixel_of(window, 8, SIZE - 8) == 0xff0000, "the quarter that was cleared is not red");
   require(pixel_of(window, SIZE - 8, 8) == 0x0000ff, "the rest has not kept the window's background");
}

/* Swaps wait for nothing: there is no interval, and none is late. */
static void
query_swaps(GLXDrawable drawable)
{
   static const int attributes[] = {GLX_SWAP_INTERVAL_EXT, GLX_MAX_SWAP_INTERVAL_EXT,
                                    GLX_LATE_SWAPS_TEAR_EXT};
   for (unsigned a = 0; a < sizeof(attributes) / sizeof(attributes[0]); a++) {
      unsigned value = 99;
      glXQueryDrawable(display, drawable, attributes[a], &value);
      require(value == 0, "attribute %#x of the drawable is %u", attributes[a], value);
   }
}

static void
front_buffer(const char *how)
{
   int wanted[] = {GLX_RGBA, GLX_RED_SIZE, 8, GLX_GREEN_SIZE, 8, GLX_BLUE_SIZE, 8, None};
   XVisualInfo *visual = glXChooseVisual(display, DefaultScreen(display), wanted);
   require(visual != NULL, "there is no single-buffered visual");
   GLXContext context = glXCreateContext(display, visual, NULL, True);
   require(context != NULL, "glXCreateContext");
   const Window window = create_window(visual);
   require(glXMakeCurrent(display, window, context), "glXMakeCurrent");
   const char *renderer = (const char *)glGetString(GL_RENDERER);
   require(renderer && strstr(renderer, "tbrsim"), "the driver is not tbrsim");
   if (!strcmp(how, "shown"))
      draw_to_front(window);
   else if (!strcmp(how, "queried"))
      query_swaps(window);
   glXMakeCurrent(display, None, NULL);
   glXDestroyContext(display, context);
   XSync(display, False);
}

/* ---- versions ---------------------------------------------------------- */

static int
ignore_error(Display *from, XErrorEvent *event)
{
   return 0;
}

static int
has_glx(GLXFBConfig config, int profile, int major, int minor)
{
   const PFNGLXCREATECONTEXTATTRIBSARBPROC create =
      (PFNGLXCREATECONTEXTATTRIBSARBPROC)glXGetProcAddressARB((const GLubyte *)"glXCreateContextAttribsARB");
   const int wanted[] = {GLX_CONTEXT_MAJOR_VERSION_ARB,
                         major,
                         GLX_CONTEXT_MINOR_VERSION_ARB,
                         minor,
                         GLX_CONTEXT_PROFILE_MASK_ARB,
                         profile,
                         None};
   GLXContext context = create(display, config, NULL, True, wanted);
   if (context)
      glXDestroyContext(display, context);
   XSync(display, False);
   return context != NULL;
}

static int
has_egl(EGLDisplay egl, EGLenum api, int major, int minor)
{
   const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION, major, EGL_CONTEXT_MINOR_VERSION, minor, EGL_NONE};
   eglBindAPI(api);
   EGLContext context = eglCreateContext(egl, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
   if (context)
      eglDestroyContext(egl, context);
   return context != EGL_NO_CONTEXT;
}

static void
try_versions(EGLDisplay egl, GLXFBConfig config)
{
   static const struct {
      int major, minor, es;
   } versions[] = {{3, 0, 1}, {3, 1, 1}, {3, 2, 1}, {3, 3, 0}, {4, 0, 0},
                   {4, 3, 0}, {4, 6, 0}, {9, 9, 0}, {99, 0, 0}};
   for (unsigned i = 0; i < sizeof versions / sizeof versions[0]; i++) {
      const int major = versions[i].major, minor = versions[i].minor, es = versions[i].es;
      const char *api = es ? "OpenGL ES" : "OpenGL";
      if (has_glx(config, es ? GLX_CONTEXT_ES2_PROFILE_BIT_EXT : GLX_CONTEXT_CORE_PROFILE_BIT_ARB, major,
                  minor))
         printf("GLX %s %d.%d\n", api, major, minor);
      if (has_egl(egl, es ? EGL_OPENGL_ES_API : EGL_OPENGL_API, major, minor))
         printf("EGL %s %d.%d\n", api, major, minor);
   }
}

static void
versions(void)
{
   int count;
   GLXFBConfig *configs = glXChooseFBConfig(display, DefaultScreen(display), NULL, &count);
   require(configs && count, "glXChooseFBConfig");
   EGLDisplay egl = eglGetDisplay((EGLNativeDisplayType)display);
   require(eglInitialize(egl, NULL, NULL), "eglInitialize");
   XSetErrorHandler(ignore_error);
   for (int i = 0; i < 2; i++)
      try_versions(egl, configs[0]);
}

int
main(int argc, char **argv)
{
   require(argc == 2, "usage: contexts hidden|shown|queried|versions");
   display = XOpenDisplay(NULL);
   require(display != NULL, "XOpenDisplay");
   if (!strcmp(argv[1], "versions"))
      versions();
   else
      front_buffer(argv[1]);
   return 0;
}
