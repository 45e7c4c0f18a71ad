/* SPDX-License-Identifier: MIT */
/** The EGL set-up of the programs that draw. What fails ends the program (check.h). */
#ifndef SUPPORT_EGL_H
#define SUPPORT_EGL_H

#include <stdbool.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <X11/Xlib.h>

enum surface_kind {
   SURFACELESS,         /**< no window system and no surface: the program draws to framebuffer objects */
   SURFACELESS_PBUFFER, /**< no window system, a pbuffer */
   X11_PBUFFER,         /**< a pbuffer of the X server that DISPLAY names */
   X11_WINDOW,          /**< a mapped window of that server, on a connection of its own */
};

/** What to draw on: 8 bits each of red, green, blue. */
struct surface_request {
   enum surface_kind kind;
   int width, height; /**< in pixels; not of SURFACELESS */
   bool depth;        /**< 24 bits of depth, 8 of stencil */
   int samples;       /**< of a pixel; 0: not multisampled */
};

struct egl {
   EGLDisplay display;
   EGLConfig config;   /**< of SURFACELESS: EGL_NO_CONFIG_KHR */
   EGLSurface surface; /**< of SURFACELESS: EGL_NO_SURFACE */
   Display *x11;       /**< of X11_WINDOW */
   Window window;      /**< of X11_WINDOW */
};

/** Opens a display and creates the surface. */
struct egl egl_open(struct surface_request request);

/** Creates a context of OpenGL ES, or of OpenGL's core profile. Objects are shared with those of the other context
 * unless it is EGL_NO_CONTEXT. */
EGLContext egl_create_context(const struct egl *egl, bool desktop, int major, int minor, EGLContext shared);

/** Creates a context of OpenGL's compatibility profile, which shares no objects. */
EGLContext egl_create_compatible_context(const struct egl *egl, int major, int minor);

/** Makes a context current on the surface; EGL_NO_CONTEXT: none. */
void egl_make_current(const struct egl *egl, EGLContext context);

/** All of these: the context that it creates is current. */
struct egl egl_open_context(struct surface_request request, bool desktop, int major, int minor);

void egl_swap(const struct egl *egl);

/** Ends the display with all its contexts and surfaces; none is current afterwards. */
void egl_close(struct egl *egl);

#endif
