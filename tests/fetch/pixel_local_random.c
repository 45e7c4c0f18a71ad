/* SPDX-License-Identifier: MIT */
/* pixel_local_random COUNT: so many framebuffers with random draws, with and without pixel local storage, between clears,
 * reads, flushes and changes of state. Prints for each what has been read of it, as one number; most of it is defined, and what
 * is not must be the same whatever the simulated GPU is like (pixel_local_random_test.py). */
#include "fetch/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <GLES2/gl2ext.h>
#include <GLES3/gl32.h>

#define SIZE 61 /* no tile size divides it */
#define MAX_RECTANGLES 6

/* What follows the number of a fragment's rectangle; COLOR makes a colour of four numbers below 64. */
static const char *const sources[] = {
   /* Storage only: opaque, dependent on what is there, with discard, depth and early tests. */
   "__pixel_local_outEXT Words { uint w0, w1; };\nvoid main() { w0 = number; w1 = number * 3u; }\n",
   "__pixel_local_outEXT Words { uint w0, w1, w2, w3; };\nvoid main() { w3 = number; w0 = w1 = w2 = 2u; }\n",
   "__pixel_local_outEXT Words { uint w0, w1, w2; };\n"
   "void main() { if (((uint(gl_FragCoord.y) ^ number) & 1u) == 1u) discard; w2 = number; }\n",
   "__pixel_localEXT Words { uint w0, w1, w2, w3; };\nvoid main() { w0 = w0 * 5u + number; w2 ^= w0 + w1; "
   "}\n",
   "__pixel_localEXT Words { uint w0, w1, w2, w3; };\n"
   "void main() { w3 += w0 + number; if ((w0 & 3u) == 1u) discard; }\n",
   "__pixel_localEXT Words { uint w0, w1; };\nvoid main() { w1 = number; gl_FragDepth = float(number) / "
   "256.0; }\n",
   "layout(early_fragment_tests) in;\n__pixel_localEXT Words { uint w0, w1, w2, w3; };\n"
   "void main() { w3 += 1u; w2 = number; }\n",
   "__pixel_local_inEXT In { uint w[4]; } from;\n__pixel_local_outEXT Out { uint w[2]; } to;\n"
   "void main() { to.w[1] = from.w[3]; to.w[0] = from.w[0] + from.w[1] + number; }\n",
   /* The framebuffer. */
   "__pixel_local_inEXT Words { uint w0, w1, w2, w3; };\nout OUTPUT color;\n"
   "void main() { color = COLOR(uvec4(w0, w1, w2, w3) & 63u); }\n",
   "out OUTPUT color;\nvoid main() { color = COLOR(uvec4(number, 2, 3, number * 7u) & 63u); }\n",
   "out OUTPUT color;\n"
   "void main() { if (((uint(gl_FragCoord.x) + number) & 1u) == 1u) discard; color = COLOR(uvec4(number & "
   "63u)); }\n",
   /* Nothing. */
   "void main() {}\n",
};
#define NUM_PROGRAMS (sizeof sources / sizeof sources[0])
#define READER 8

struct target {
   bool is_integer; /* RGBA32UI instead of RGBA8 */
   GLuint framebuffer, programs[NUM_PROGRAMS], query;
};

static uint64_t sum; /* of all that has been read */

static void
add(const void *data, size_t bytes)
{
   for (size_t i = 0; i < bytes; i++)
      sum = (sum ^ ((const uint8_t *)data)[i]) * 1099511628211;
}

static bool
often(unsigned percent)
{
   return random_below(100) < percent;
}

static void
set(GLenum state, bool on)
{
   if (on)
      glEnable(state);
   else
      glDisable(state);
}

static GLuint
make_program(const char *source, bool is_integer)
{
   static const char vertex[] = "in vec3 position;\n"
                                "flat out highp uint number;\n"
                                "void main() {\n"
                                "   number = uint(position.z);\n"
                                "   gl_Position = vec4(position.xy, fract(position.z * 0.1875) - 0.5, 1.0);\n"
                                "}\n";
   char text[2000];
   snprintf(text, sizeof text,
            "#extension GL_EXT_shader_pixel_local_storage : require\n"
            "precision highp float;\nprecision highp int;\n#define OUTPUT %s\n#define COLOR(number) %s\n"
            "flat in highp uint number;\n%s",
            is_integer ? "uvec4" : "vec4", is_integer ? "number" : "(vec4(number) / 63.0)", source);
   return build_versioned_program("#version 310 es\n", vertex, text);
}

static struct target
make_target(bool is_integer)
{
   static const GLenum points[] = {GL_COLOR_ATTACHMENT0, GL_DEPTH_STENCIL_ATTACHMENT};
   const GLenum formats[] = {is_integer ? GL_RGBA32UI : GL_RGBA8, GL_DEPTH24_STENCIL8};
   struct target target = {.is_integer = is_integer};
   GLuint buffers[2];
   for (unsigned i = 0; i < NUM_PROGRAMS; i++)
      target.programs[i] = make_program(sources[i], is_integer);
   glGenQueries(1, &target.query);
   glGenFramebuffers(1, &target.framebuffer);
   glGenRenderbuffers(2, buffers);
   glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer);
   for (unsigned i = 0; i < 2; i++) {
      glBindRenderbuffer(GL_RENDERBUFFER, buffers[i]);
      glRenderbufferStorage(GL_RENDERBUFFER, formats[i], SIZE, SIZE);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, points[i], GL_RENDERBUFFER, buffers[i]);
   }
   return target;
}

static void
read_pixels(const struct target *target)
{
   static GLuint pixels[SIZE * SIZE][4];
   memset(pixels, 0, sizeof pixels);
   glReadPixels(0, 0, SIZE, SIZE, target->is_integer ? GL_RGBA_INTEGER : GL_RGBA,
                target->is_integer ? GL_UNSIGNED_INT : GL_UNSIGNED_BYTE, pixels);
   add(pixels, sizeof pixels);
}

static void
clear_color(const struct target *target)
{
   const GLuint numbers[4] = {random_below(3), 0, 0, 1};
   const GLfloat color[4] = {0.5f * numbers[0], 0, 0, 1};
   if (target->is_integer)
      glClearBufferuiv(GL_COLOR, 0, numbers);
   else
      glClearBufferfv(GL_COLOR, 0, color);
}

static void
set_draw_state(const struct target *target)
{
   static const GLenum functions[] = {GL_LESS, GL_LEQUAL, GL_ALWAYS, GL_GREATER, GL_EQUAL};
   if (often(30)) {
      set(GL_DEPTH_TEST, often(60));
      glDepthFunc(functions[random_below(5)]);
      glDepthMask(often(75));
   }
   if (often(20)) {
      set(GL_STENCIL_TEST, often(50));
      glStencilFunc(often(50) ? GL_ALWAYS : GL_LEQUAL, (GLint)random_below(3), 255);
      glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
   }
   if (often(20)) {
      set(GL_BLEND, !target->is_integer && often(50));
      glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
   }
   if (often(15))
      glColorMask(often(75), often(75), often(75), often(75));
}

/* Rectangles, of which some are all of the framebuffer. */
static void
draw_rectangles(GLuint program)
{
   float vertices[MAX_RECTANGLES * 6][3];
   const unsigned count = 1 + random_below(MAX_RECTANGLES);
   for (unsigned r = 0; r < count; r++) {
      const bool whole = often(25);
      const unsigned x0 = whole ? 0 : random_below(SIZE), y0 = whole ? 0 : random_below(SIZE);
      const unsigned x1 = whole ? SIZE : x0 + 1 + random_below(SIZE),
                     y1 = whole ? SIZE : y0 + 1 + random_below(SIZE);
      const unsigned corners[6][2] = {{x0, y0}, {x1, y0}, {x0, y1}, {x0, y1}, {x1, y0}, {x1, y1}};
      const unsigned number = 1 + random_below(250);
      for (unsigned v = 0; v < 6; v++) {
         vertices[r * 6 + v][0] = 2.0f * corners[v][0] / SIZE - 1;
         vertices[r * 6 + v][1] = 2.0f * corners[v][1] / SIZE - 1;
         vertices[r * 6 + v][2] = number;
      }
   }
   glUseProgram(program);
   draw_triangles(vertices, count * 6);
}

static void
draw_something(const struct target *target)
{
   const GLuint program = target->programs[random_below(NUM_PROGRAMS)];
   const bool queries = often(15);
   GLuint result = 0;
   set_draw_state(target);
   if (queries)
      glBeginQuery(GL_ANY_SAMPLES_PASSED, target->query);
   draw_rectangles(program);
   if (queries) {
      glEndQuery(GL_ANY_SAMPLES_PASSED);
      glGetQueryObjectuiv(target->query, GL_QUERY_RESULT, &result);
      add(&result, sizeof result);
   }
}

static void
take_step(const struct target *target)
{
   static const GLenum depth[] = {GL_DEPTH_ATTACHMENT};
   switch (random_below(40)) {
   case 0: set(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT, !glIsEnabled(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT)); break;
   case 1: clear_color(target); break;
   case 2: glClear(GL_DEPTH_BUFFER_BIT); break;
   case 3: read_pixels(target); break;
   case 4: glFlush(); break;
   case 5:
      glEnable(GL_SCISSOR_TEST);
      glScissor((GLint)random_below(30), (GLint)random_below(30), 1 + (GLint)random_below(40),
                1 + (GLint)random_below(40));
      if (often(50))
         clear_color(target);
      break;
   case 6: glDisable(GL_SCISSOR_TEST); break;
   case 7:
      glInvalidateFramebuffer(GL_FRAMEBUFFER, 1, depth);
      glDisable(GL_SCISSOR_TEST);
      glDepthMask(GL_TRUE);
      glClear(GL_DEPTH_BUFFER_BIT);
      break;
   default: draw_something(target);
   }
}

static void
reset_state(void)
{
   static const GLenum states[] = {GL_DEPTH_TEST, GL_STENCIL_TEST, GL_BLEND, GL_SCISSOR_TEST};
   for (unsigned i = 0; i < sizeof states / sizeof states[0]; i++)
      glDisable(states[i]);
   glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
   glDepthMask(GL_TRUE);
}

static void
draw_framebuffer(const struct target *target)
{
   glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
   glViewport(0, 0, SIZE, SIZE);
   clear_color(target);
   glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   set(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT, often(70));
   for (unsigned steps = 5 + random_below(40); steps > 0; steps--)
      take_step(target);
   reset_state();
   read_pixels(target);
   if (glIsEnabled(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT)) {
      draw_rectangles(target->programs[READER]);
      read_pixels(target);
      glDisable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   }
   /* Draws of programs with storage, while it is not enabled. */
   while (glGetError() != GL_NO_ERROR)
      continue;
}

int
main(int argc, char **argv)
{
   require(argc == 2, "usage: pixel_local_random COUNT");
   const unsigned count = (unsigned)atoi(argv[1]);
   open_context(false);
   const struct target targets[] = {make_target(false), make_target(true)};
   for (unsigned i = 0; i < count; i++) {
      sum = 14695981039346656037u;
      draw_framebuffer(&targets[i % 2]);
      printf("%" PRIx64 "\n", sum);
   }
   return 0;
}
