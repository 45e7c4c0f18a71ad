/* SPDX-License-Identifier: MIT */
/* render_scenes SURFACE WIDTH HEIGHT FRAMES [DIRECTORY]: draws every scene of
 * scenes.h on a surface (window, pbuffer, fbo, surfaceless; the last two draw into a
 * framebuffer object) and prints "SCENE FRAME CHECKSUM" for each frame; the pixels
 * go to DIRECTORY/SCENE-FRAME.ppm. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes.h"

struct surface {
   EGLDisplay display;
   EGLSurface surface;
   EGLContext contexts[NUM_SCENE_CONTEXTS];
   struct target targets[NUM_SCENE_CONTEXTS];
};

static void
require(int condition, const char *what)
{
   if (condition)
      return;
   fprintf(stderr, "render_scenes: %s failed (EGL 0x%x)\n", what, eglGetError());
   exit(1);
}

static EGLDisplay
open_display(bool window, Display **x)
{
   if (window) {
      *x = XOpenDisplay(NULL);
      require(*x != NULL, "XOpenDisplay");
      return eglGetDisplay((EGLNativeDisplayType)*x);
   }
   PFNEGLGETPLATFORMDISPLAYEXTPROC get_display = (void *)eglGetProcAddress("eglGetPlatformDisplayEXT");
   return get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
}

static EGLSurface
make_surface(EGLDisplay display, EGLConfig config, Display *x, bool pbuffer, int width, int height)
{
   if (pbuffer) {
      const EGLint size[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE};
      return eglCreatePbufferSurface(display, config, size);
   }
   EGLint visual_id;
   eglGetConfigAttrib(display, config, EGL_NATIVE_VISUAL_ID, &visual_id);
   XVisualInfo template = {.visualid = visual_id};
   int count;
   XVisualInfo *visual = XGetVisualInfo(x, VisualIDMask, &template, &count);
   require(visual != NULL, "XGetVisualInfo");
   XSetWindowAttributes attributes = {
      .colormap = XCreateColormap(x, DefaultRootWindow(x), visual->visual, AllocNone),
   };
   Window window = XCreateWindow(x, DefaultRootWindow(x), 0, 0, width, height, 0, visual->depth, InputOutput,
                                 visual->visual, CWColormap | CWBorderPixel, &attributes);
   XMapWindow(x, window);
   XSync(x, False);
   return eglCreateWindowSurface(display, config, (EGLNativeWindowType)window, NULL);
}

static struct target
make_framebuffer(int width, int height)
{
   GLuint framebuffer, color, depth;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glGenRenderbuffers(1, &color);
   glBindRenderbuffer(GL_RENDERBUFFER, color);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8_OES, width, height);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
   glGenRenderbuffers(1, &depth);
   glBindRenderbuffer(GL_RENDERBUFFER, depth);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8_OES, width, height);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, depth);
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "the framebuffer object");
   return (struct target){framebuffer, width, height};
}

static EGLContext
make_context(EGLDisplay display, EGLConfig config, enum scene_context kind)
{
   static const EGLint versions[NUM_SCENE_CONTEXTS][7] = {
      [SCENE_ES_2] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE},
      [SCENE_GL_33] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                       EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE},
   };
   eglBindAPI(kind == SCENE_GL_33 ? EGL_OPENGL_API : EGL_OPENGL_ES_API);
   const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, versions[kind]);
   require(context != EGL_NO_CONTEXT, "eglCreateContext");
   return context;
}

static void
use_context(const struct surface *surface, enum scene_context kind)
{
   eglBindAPI(kind == SCENE_GL_33 ? EGL_OPENGL_API : EGL_OPENGL_ES_API);
   require(eglMakeCurrent(surface->display, surface->surface, surface->surface, surface->contexts[kind]),
           "eglMakeCurrent");
}

static struct surface
open_surface(const char *kind, int width, int height)
{
   bool window = !strcmp(kind, "window"), pbuffer = !strcmp(kind, "pbuffer"), fbo = !strcmp(kind, "fbo");
   require(window || pbuffer || fbo || !strcmp(kind, "surfaceless"), kind);
   Display *x = NULL;
   struct surface surface = {.surface = EGL_NO_SURFACE};
   surface.display = open_display(window || fbo, &x);
   require(surface.display && eglInitialize(surface.display, NULL, NULL), "eglInitialize");
   const EGLint wanted[] = {EGL_SURFACE_TYPE,
                            window || fbo ? EGL_WINDOW_BIT : EGL_PBUFFER_BIT,
                            EGL_RENDERABLE_TYPE,
                            EGL_OPENGL_ES2_BIT | EGL_OPENGL_ES3_BIT | EGL_OPENGL_BIT,
                            EGL_RED_SIZE,
                            8,
                            EGL_GREEN_SIZE,
                            8,
                            EGL_BLUE_SIZE,
                            8,
                            EGL_DEPTH_SIZE,
                            24,
                            EGL_STENCIL_SIZE,
                            8,
                            EGL_NONE};
   EGLConfig config;
   EGLint count;
   require(eglChooseConfig(surface.display, wanted, &config, 1, &count) && count, "eglChooseConfig");
   if (strcmp(kind, "surfaceless")) {
      surface.surface = make_surface(surface.display, config, x, pbuffer, width, height);
      require(surface.surface != EGL_NO_SURFACE, "the surface");
   }
   for (unsigned c = 0; c < NUM_SCENE_CONTEXTS; c++) {
      surface.contexts[c] = make_context(surface.display, config, c);
      use_context(&surface, c);
      surface.targets[c] =
         window || pbuffer ? (struct target){0, width, height} : make_framebuffer(width, height);
   }
   return surface;
}

static uint64_t
checksum(const uint8_t *bytes, size_t size)
{
   uint64_t hash = 0xcbf29ce484222325u;
   for (size_t b = 0; b < size; b++)
      hash = (hash ^ bytes[b]) * 0x100000001b3u;
   return hash;
}

static void
write_image(const char *directory, const char *scene, int frame, const uint8_t *pixels, int width, int height)
{
   char path[4096];
   snprintf(path, sizeof(path), "%s/%s-%d.ppm", directory, scene, frame);
   FILE *file = fopen(path, "wb");
   require(file != NULL, path);
   fprintf(file, "P6\n%d %d\n255\n", width, height);
   for (int p = 0; p < width * height; p++)
      fwrite(pixels + p * 4, 1, 3, file);
   require(!fclose(file), path);
}

int
main(int argc, char **argv)
{
   require(argc == 5 || argc == 6, "usage: render_scenes SURFACE WIDTH HEIGHT FRAMES [DIRECTORY]");
   int width = atoi(argv[2]), height = atoi(argv[3]), frames = atoi(argv[4]);
   struct surface surface = open_surface(argv[1], width, height);
   uint8_t *pixels = malloc((size_t)width * height * 4);

   for (unsigned s = 0; s < num_scenes; s++) {
      use_context(&surface, scenes[s].context);
      for (int frame = 0; frame < frames; frame++) {
         scenes[s].draw(&surface.targets[scenes[s].context], frame);
         glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
         GLenum error = glGetError();
         if (error) {
            fprintf(stderr, "render_scenes: %s: GL error 0x%x\n", scenes[s].name, error);
            return 1;
         }
         printf("%s %d %016llx\n", scenes[s].name, frame,
                (unsigned long long)checksum(pixels, (size_t)width * height * 4));
         if (argc == 6)
            write_image(argv[5], scenes[s].name, frame, pixels, width, height);
         if (surface.surface != EGL_NO_SURFACE)
            eglSwapBuffers(surface.display, surface.surface);
      }
   }
   free(pixels);
   eglMakeCurrent(surface.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglTerminate(surface.display);
   return 0;
}
