/* SPDX-License-Identifier: MIT */
#include "support/egl.h"

#include <X11/Xutil.h>

#include "support/check.h"

static EGLConfig
choose_config(EGLDisplay display, const struct surface_request *request)
{
   const EGLint wanted[][2] = {
      {EGL_SURFACE_TYPE, request->kind == X11_WINDOW ? EGL_WINDOW_BIT : EGL_PBUFFER_BIT},
      {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT | EGL_OPENGL_ES3_BIT | EGL_OPENGL_BIT},
      {EGL_RED_SIZE, 8},
      {EGL_GREEN_SIZE, 8},
      {EGL_BLUE_SIZE, 8},
      {EGL_DEPTH_SIZE, request->depth ? 24 : 0},
      {EGL_STENCIL_SIZE, request->depth ? 8 : 0},
      {EGL_SAMPLES, request->samples},
      {EGL_NONE, EGL_NONE},
   };
   EGLConfig config;
   EGLint count, samples;
   require(eglChooseConfig(display, wanted[0], &config, 1, &count) && count, "no EGL configuration");
   eglGetConfigAttrib(display, config, EGL_SAMPLES, &samples);
   require(samples == request->samples, "a configuration of %d samples instead of %d", samples,
           request->samples);
   return config;
}

/* A window of the configuration's visual. */
static Window
create_window(const struct egl *egl, int width, int height)
{
   const Window root = DefaultRootWindow(egl->x11);
   EGLint id;
   int count;
   eglGetConfigAttrib(egl->display, egl->config, EGL_NATIVE_VISUAL_ID, &id);
   XVisualInfo *visual = XGetVisualInfo(egl->x11, VisualIDMask, &(XVisualInfo){.visualid = id}, &count);
   require(visual != NULL, "XGetVisualInfo");
   XSetWindowAttributes attributes = {
      .colormap = XCreateColormap(egl->x11, root, visual->visual, AllocNone),
   };
   const Window window = XCreateWindow(egl->x11, root, 0, 0, width, height, 0, visual->depth, InputOutput,
                                       visual->visual, CWColormap | CWBorderPixel, &attributes);
   XFree(visual);
   XMapWindow(egl->x11, window);
   XSync(egl->x11, False);
   return window;
}

static EGLDisplay
get_display(struct egl *egl, enum surface_kind kind)
{
   if (kind == SURFACELESS || kind == SURFACELESS_PBUFFER)
      return eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   if (kind == X11_WINDOW) {
      egl->x11 = XOpenDisplay(NULL);
      require(egl->x11 != NULL, "XOpenDisplay");
   }
   return eglGetDisplay(egl->x11);
}

struct egl
egl_open(struct surface_request request)
{
   const EGLint size[] = {EGL_WIDTH, request.width, EGL_HEIGHT, request.height, EGL_NONE};
   struct egl egl = {.config = EGL_NO_CONFIG_KHR, .surface = EGL_NO_SURFACE};
   egl.display = get_display(&egl, request.kind);
   require(eglInitialize(egl.display, NULL, NULL), "eglInitialize");
   if (request.kind == SURFACELESS)
      return egl;
   egl.config = choose_config(egl.display, &request);
   if (request.kind == X11_WINDOW) {
      egl.window = create_window(&egl, request.width, request.height);
      egl.surface = eglCreateWindowSurface(egl.display, egl.config, egl.window, NULL);
   } else {
      egl.surface = eglCreatePbufferSurface(egl.display, egl.config, size);
   }
   require(egl.surface != EGL_NO_SURFACE, "no surface of %d x %d pixels", request.width, request.height);
   return egl;
}

EGLContext
egl_create_context(const struct egl *egl, bool desktop, int major, int minor, EGLContext shared)
{
   const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, major, EGL_CONTEXT_MINOR_VERSION, minor, EGL_NONE};
   eglBindAPI(desktop ? EGL_OPENGL_API : EGL_OPENGL_ES_API);
   EGLContext context = eglCreateContext(egl->display, egl->config, shared, version);
   require(context != EGL_NO_CONTEXT, "no context of OpenGL%s %d.%d", desktop ? "" : " ES", major, minor);
   return context;
}

EGLContext
egl_create_compatible_context(const struct egl *egl, int major, int minor)
{
   const EGLint profile[] = {EGL_CONTEXT_MAJOR_VERSION,
                             major,
                             EGL_CONTEXT_MINOR_VERSION,
                             minor,
                             EGL_CONTEXT_OPENGL_PROFILE_MASK,
                             EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT,
                             EGL_NONE};
   eglBindAPI(EGL_OPENGL_API);
   EGLContext context = eglCreateContext(egl->display, egl->config, EGL_NO_CONTEXT, profile);
   require(context != EGL_NO_CONTEXT, "no context of OpenGL %d.%d, compatibility profile", major, minor);
   return context;
}

void
egl_make_current(const struct egl *egl, EGLContext context)
{
   EGLSurface surface = context == EGL_NO_CONTEXT ? EGL_NO_SURFACE : egl->surface;
   require(eglMakeCurrent(egl->display, surface, surface, context), "eglMakeCurrent");
}

struct egl
egl_open_context(struct surface_request request, bool desktop, int major, int minor)
{
   const struct egl egl = egl_open(request);
   egl_make_current(&egl, egl_create_context(&egl, desktop, major, minor, EGL_NO_CONTEXT));
   return egl;
}

void
egl_swap(const struct egl *egl)
{
   require(eglSwapBuffers(egl->display, egl->surface), "eglSwapBuffers");
}

void
egl_close(struct egl *egl)
{
   egl_make_current(egl, EGL_NO_CONTEXT);
   require(eglTerminate(egl->display), "eglTerminate");
   if (egl->x11)
      XCloseDisplay(egl->x11);
}
