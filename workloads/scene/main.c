/* SPDX-License-Identifier: MIT */
/** scene: renders a scene from a description (docs/workloads.md) with OpenGL ES 3, frame by frame, on any driver. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <X11/Xlib.h>
#include <getopt.h>
#include <png.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

#define MAX_SETTINGS 64

static const char usage[] =
   "usage: scene [OPTIONS] DESCRIPTION.yaml\n"
   "\n"
   "Renders a scene that has what the description asks for, off the screen, 1/60 s a frame.\n"
   "\n"
   "  --frames N         frames to render (default: the description's)\n"
   "  --size WxH         pixels (default: the description's; the scene stays the same)\n"
   "  --set KEY=VALUE    a value instead of the description's; may be repeated\n"
   "  --png FILE         writes a frame as a picture: the last one, or\n"
   "  --png-frame N      frame N; the first is 0\n"
   "  --print            prints the scene as the program has computed it, and renders nothing\n"
   "  --window           renders into a window of the display\n"
   "  --help             this text\n";

void
fail(const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   fprintf(stderr, "scene: ");
   vfprintf(stderr, format, arguments);
   fprintf(stderr, "\n");
   va_end(arguments);
   exit(1);
}

void *
allocate(size_t count, size_t size)
{
   void *memory = calloc(count ? count : 1, size);
   if (!memory)
      fail("out of memory");
   return memory;
}

void *
reallocate(void *memory, size_t count, size_t size)
{
   memory = realloc(memory, count * size);
   if (!memory)
      fail("out of memory");
   return memory;
}

struct options {
   const char *path, *png;
   char *settings[MAX_SETTINGS];
   unsigned num_settings, frames, width, height;
   long png_frame;
   bool print, window;
};

static struct options
parse(int argc, char **argv)
{
   static const struct option known[] = {
      {"frames", required_argument, NULL, 'f'},
      {"size", required_argument, NULL, 's'},
      {"set", required_argument, NULL, 'k'},
      {"png", required_argument, NULL, 'p'},
      {"png-frame", required_argument, NULL, 'n'},
      {"print", no_argument, NULL, 'i'},
      {"window", no_argument, NULL, 'w'},
      {"help", no_argument, NULL, 'h'},
      {0},
   };
   struct options options = {.png_frame = -1};
   int option;
   char rest;
   while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
      switch (option) {
      case 'f':
         if (sscanf(optarg, "%u%c", &options.frames, &rest) != 1 || !options.frames)
            fail("--frames %s: not a number of frames", optarg);
         break;
      case 's':
         if (sscanf(optarg, "%ux%u%c", &options.width, &options.height, &rest) != 2 || options.width < 1 ||
             options.height < 1 || options.width > 8192 || options.height > 8192)
            fail("--size %s: not WIDTHxHEIGHT", optarg);
         break;
      case 'k':
         if (options.num_settings == MAX_SETTINGS)
            fail("more than %d --set", MAX_SETTINGS);
         options.settings[options.num_settings++] = optarg;
         break;
      case 'p': options.png = optarg; break;
      case 'n':
         if (sscanf(optarg, "%ld%c", &options.png_frame, &rest) != 1 || options.png_frame < 0)
            fail("--png-frame %s: not a frame", optarg);
         break;
      case 'i': options.print = true; break;
      case 'w': options.window = true; break;
      case 'h': fputs(usage, stdout); exit(0);
      default: fputs(usage, stderr); exit(2);
      }
   }
   if (optind + 1 != argc) {
      fputs(usage, stderr);
      exit(2);
   }
   options.path = argv[optind];
   return options;
}

/* ---- the surface -------------------------------------------------------------------------------------------- */

struct surface {
   EGLDisplay display;
   EGLSurface surface;
};

static EGLSurface
create_window(EGLDisplay egl, EGLConfig config, Display *display, unsigned width, unsigned height)
{
   const Window window =
      XCreateSimpleWindow(display, DefaultRootWindow(display), 0, 0, width, height, 0, 0, 0);
   XMapWindow(display, window);
   XSync(display, False);
   return eglCreateWindowSurface(egl, config, window, NULL);
}

/* Without a window, Mesa needs no window system; other drivers may. */
static EGLDisplay
open_display(Display *display)
{
   EGLDisplay egl = display ? eglGetDisplay(display)
                            : eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   if (!eglInitialize(egl, NULL, NULL)) {
      egl = eglGetDisplay(EGL_DEFAULT_DISPLAY);
      if (!eglInitialize(egl, NULL, NULL))
         fail("no EGL display");
   }
   return egl;
}

static struct surface
open_surface(unsigned width, unsigned height, bool window)
{
   const EGLint wanted[] = {EGL_SURFACE_TYPE,
                            window ? EGL_WINDOW_BIT : EGL_PBUFFER_BIT,
                            EGL_RENDERABLE_TYPE,
                            EGL_OPENGL_ES3_BIT,
                            EGL_RED_SIZE,
                            8,
                            EGL_GREEN_SIZE,
                            8,
                            EGL_BLUE_SIZE,
                            8,
                            EGL_DEPTH_SIZE,
                            24,
                            EGL_NONE};
   const EGLint size[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE};
   const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_NONE};
   Display *display = window ? XOpenDisplay(NULL) : NULL;
   if (window && !display)
      fail("--window: no display");
   struct surface result = {open_display(display), EGL_NO_SURFACE};
   EGLConfig config;
   EGLint count;
   if (!eglChooseConfig(result.display, wanted, &config, 1, &count) || !count)
      fail("no EGL configuration for OpenGL ES 3");
   eglBindAPI(EGL_OPENGL_ES_API);
   const EGLContext context = eglCreateContext(result.display, config, EGL_NO_CONTEXT, version);
   result.surface = window ? create_window(result.display, config, display, width, height)
                           : eglCreatePbufferSurface(result.display, config, size);
   if (context == EGL_NO_CONTEXT || result.surface == EGL_NO_SURFACE ||
       !eglMakeCurrent(result.display, result.surface, result.surface, context))
      fail("no context of OpenGL ES 3, or no surface of %ux%u pixels", width, height);
   return result;
}

static void
write_png(const char *path, unsigned width, unsigned height)
{
   uint8_t *pixels = allocate((size_t)width * height, 4);
   glPixelStorei(GL_PACK_ALIGNMENT, 4);
   glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (size_t i = 0; i < (size_t)width * height; i++)
      pixels[4 * i + 3] = 255;
   png_image image = {.version = PNG_IMAGE_VERSION,
                      .width = width,
                      .height = height,
                      .format = PNG_FORMAT_RGBA};
   /* The lower left pixel comes first. */
   if (!png_image_write_to_file(&image, path, 0, pixels, -(int)width * 4, NULL))
      fail("%s: %s", path, image.message);
   free(pixels);
}

static void
render(const struct scene *scene, const struct options *options, unsigned frames)
{
   const struct surface surface = open_surface(scene->width, scene->height, options->window);
   struct renderer *renderer = create_renderer(scene);
   const unsigned chosen = options->png_frame >= 0 ? (unsigned)options->png_frame : frames - 1;
   if (options->png && chosen >= frames)
      fail("--png-frame %u: there are %u frames", chosen, frames);
   for (unsigned frame = 0; frame < frames; frame++) {
      draw_frame(renderer, frame);
      if (options->png && frame == chosen)
         write_png(options->png, scene->width, scene->height);
      eglSwapBuffers(surface.display, surface.surface);
      glFinish();
   }
   if (glGetError() != GL_NO_ERROR)
      fail("an error of OpenGL ES");
   free_renderer(renderer);
   eglMakeCurrent(surface.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglTerminate(surface.display);
}

int
main(int argc, char **argv)
{
   const struct options options = parse(argc, argv);
   struct description *description = read_description(options.path, options.settings, options.num_settings);
   struct scene scene = {0};
   struct measure measure = solve(&scene, description);
   if (options.width) {
      scene.width = options.width;
      scene.height = options.height;
      measure = measure_frame(&scene, 0);
   }
   if (options.print)
      print_scene(&scene, &measure);
   else
      render(&scene, &options, options.frames ? options.frames : description->frames);
   free_scene(&scene);
   free_description(description);
   return 0;
}
