/* SPDX-License-Identifier: MIT */
/* What the calls of a trace tell of the sizes of what is drawn on, and of its frames. */
#include <stdio.h>
#include <string.h>

#include "support/run_tests.h"
#undef fail

#include "tools.h"
#include "input/trace_drawables.h"

void
fail(int status, const char *format, ...)
{
   abort();
}

void *
allocate(unsigned long size)
{
   return malloc(size);
}

#define CURRENT "1 @0 glXMakeCurrent(dpy = 0x9, drawable = 7, ctx = 0xc) = True"
#define BEGIN CURRENT, "2 @0 glViewport(x = 0, y = 0, width = 200, height = 120) // fake"
#define VIEWPORT(x, y, width, height) \
   "3 @0 glViewport(x = " #x ", y = " #y ", width = " #width ", height = " #height ")"
#define DRAW "4 @0 glDrawArrays(mode = GL_TRIANGLES, first = 0, count = 3)"
#define CLEAR "5 @0 glClear(mask = GL_COLOR_BUFFER_BIT)"
#define BIND(name) "6 @0 glBindFramebuffer(target = GL_FRAMEBUFFER, framebuffer = " #name ")"
#define SWAP "8 @0 glXSwapBuffers(dpy = 0x9, drawable = 7)"
#define CHECK(sizes, frames, ...)                                \
   do {                                                          \
      static const char *const calls[] = {__VA_ARGS__};          \
      check(sizes, frames, sizeof calls / sizeof *calls, calls); \
   } while (0)

/* Sizes as they are written, the drawable that was made last first, with semicolons for the ends of lines. */
static void
check(const char *sizes, unsigned frames, size_t count, const char *const calls[])
{
   char *text;
   size_t length;
   struct trace_drawables *drawables = trace_drawables_create();
   FILE *file = open_memstream(&text, &length);
   for (size_t c = 0; c < count; c++)
      trace_drawables_take(drawables, calls[c]);
   trace_drawables_end(drawables);
   trace_drawables_write(drawables, file);
   fclose(file);
   for (size_t c = 0; c < length; c++)
      text[c] = text[c] == '\n' ? ';' : text[c];
   assert_string_equal(text, sizes);
   assert_int_equal(trace_drawables_count_frames(drawables), frames);
   free(text);
   trace_drawables_destroy(drawables);
}

/* A context's first viewport is the window's; later ones only change it where they are drawn with. */
TEST(viewports)
{
   CHECK("1 0 200 120 1;", 0, BEGIN);
   CHECK("1 0 200 120 1;", 2, BEGIN, SWAP, VIEWPORT(0, 0, 300, 300), SWAP);
   CHECK("1 0 200 120 1;1 1 300 100 1;", 2, BEGIN, DRAW, SWAP, VIEWPORT(0, 0, 300, 100), DRAW, SWAP);
   CHECK("1 0 200 120 1;1 1 300 100 1;", 1, BEGIN, DRAW, SWAP, VIEWPORT(0, 0, 300, 100), CLEAR);
   /* The buffers have been made when the first frame's viewport changes. */
   CHECK("1 0 200 120 1;1 1 90 80 1;", 2, BEGIN, VIEWPORT(0, 0, 90, 80), DRAW, SWAP, DRAW, SWAP);
   /* What becomes known later holds from the beginning. */
   CHECK("1 0 90 80 1;", 3, CURRENT, CLEAR, SWAP, SWAP, VIEWPORT(0, 0, 90, 80), DRAW, SWAP);
}

TEST(parts_of_a_window)
{
   CHECK("1 0 200 120 1;1 1 160 100 1;", 2, BEGIN, SWAP, VIEWPORT(0, 0, 80, 100), DRAW,
         VIEWPORT(80, 0, 80, 100), DRAW, SWAP);
   CHECK("1 0 200 120 1;", 2, BEGIN, SWAP, VIEWPORT(0, 40, 200, 70), DRAW, SWAP);
   CHECK("1 0 200 120 1;1 1 210 120 1;", 2, BEGIN, SWAP, VIEWPORT(10, 40, 200, 70), DRAW, SWAP);
   CHECK("1 0 200 120 1;", 2, BEGIN, SWAP, VIEWPORT(-50, -50, 400, 400), DRAW, SWAP);
   CHECK("1 0 200 120 1;1 1 50 40 1;", 2, BEGIN, SWAP,
         "9 @0 glViewportIndexedf(index = 0, x = 0, y = 0, w = 30, h = 40)", DRAW,
         "9 @0 glViewportArrayv(first = 0, count = 1, v = {20, 0, 30, 40})", DRAW, SWAP);
}

TEST(framebuffer_objects)
{
   CHECK("1 0 200 120 1;", 2, BEGIN, SWAP, VIEWPORT(0, 0, 512, 512), BIND(3), DRAW, BIND(0), CLEAR,
         VIEWPORT(0, 0, 200, 120), DRAW, SWAP);
   CHECK(
      "1 0 200 120 1;1 1 64 32 1;", 2, BEGIN, SWAP, BIND(3), VIEWPORT(0, 0, 512, 512), DRAW, BIND(0),
      "9 @0 glBlitFramebuffer(srcX0 = 0, srcY0 = 0, srcX1 = 9, srcY1 = 9, dstX0 = 0, dstY0 = 32, dstX1 = 64, "
      "dstY1 = 0, mask = GL_COLOR_BUFFER_BIT, filter = GL_NEAREST)",
      SWAP);
   CHECK("1 0 200 120 1;1 1 512 512 1;", 2, BEGIN, SWAP, BIND(3), VIEWPORT(0, 0, 512, 512), BIND(0), DRAW,
         SWAP);
}

/* What is asked for before a frame is drawn is its size, afterwards the next one's. */
TEST(questions)
{
#define ASK(what, value) \
   "9 @0 glXQueryDrawable(dpy = 0x9, draw = 7, attribute = GLX_" #what ", value = &" #value ")"
   CHECK("1 0 200 120 1;1 1 300 100 1;", 2, BEGIN, SWAP, ASK(WIDTH, 300), ASK(HEIGHT, 100),
         VIEWPORT(0, 0, 30, 30), DRAW, SWAP);
   CHECK("1 0 200 120 1;1 1 30 30 1;1 2 300 100 1;", 3, BEGIN, SWAP, VIEWPORT(0, 0, 30, 30), DRAW,
         ASK(HEIGHT, 100), ASK(WIDTH, 300), SWAP, DRAW, SWAP);
}

/* Numbers are those in which drawables become current; what is made by another call has a number of its own. */
TEST(drawables)
{
   CHECK("1 0 200 120 1;2 0 64 48 0;", 1,
         "1 @0 eglCreatePbufferSurface(dpy = 0x1, config = 0x2, attrib_list = {EGL_WIDTH, 64, EGL_HEIGHT, "
         "48, EGL_NONE}) = 0x5",
         BEGIN, SWAP, "9 @1 eglMakeCurrent(dpy = 0x1, draw = 0x5, read = 0x5, ctx = 0xd) = EGL_TRUE",
         "9 @1 eglSwapBuffers(dpy = 0x1, surface = 0x5) = EGL_TRUE");
   CHECK("2 0 9 8 1;", 0, "1 @0 eglMakeCurrent(dpy = 0x1, draw = NULL, read = NULL, ctx = 0xb) = EGL_TRUE",
         "2 @0 eglMakeCurrent(dpy = 0x1, draw = 0x4, read = 0x4, ctx = 0xa) = EGL_FALSE",
         "3 @0 eglMakeCurrent(dpy = 0x1, draw = 0x5, read = 0x5, ctx = 0xa) = EGL_TRUE", VIEWPORT(0, 0, 9, 8),
         DRAW);
#define WINDOW "1 @0 eglCreateWindowSurface(dpy = 0x1, config = 0x2, win = 0x3, attrib_list = {}) = 0x5"
#define MAKE_CURRENT "2 @0 eglMakeCurrent(dpy = 0x1, draw = 0x5, read = 0x5, ctx = 0xa) = EGL_TRUE"
   CHECK("2 0 20 10 1;1 0 9 8 1;", 0, WINDOW, MAKE_CURRENT, VIEWPORT(0, 0, 9, 8), DRAW, WINDOW, MAKE_CURRENT,
         VIEWPORT(0, 0, 20, 10), DRAW);
}

/* Traces of Windows and macOS have frames, too. */
TEST(other_systems)
{
   CHECK("1 0 200 120 1;", 1, "1 @0 wglMakeCurrent(hdc = 0x7, hglrc = 0xc) = TRUE",
         "2 @0 glViewport(x = 0, y = 0, width = 200, height = 120) // fake", DRAW,
         "8 @0 wglSwapBuffers(hdc = 0x7) = TRUE");
   CHECK("", 1, "8 @0 CGLFlushDrawable(ctx = 0x7) = kCGLNoError");
}
