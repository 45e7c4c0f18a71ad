/* SPDX-License-Identifier: MIT */
/* stencil_buffers: the stencil test and its operations on every format that has stencil
 * (OpenGL ES 3.0.6, 4.1.4), clears under masks (4.2.3) and blits of depth and stencil
 * (4.3.3), against the values that the specification gives. */
#include "gles.h"

#define SIZE 8

static const GLenum functions[] = {GL_NEVER,   GL_LESS,     GL_EQUAL,  GL_LEQUAL,
                                   GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS};
static const GLenum operations[] = {GL_KEEP, GL_ZERO,   GL_REPLACE,   GL_INCR,
                                    GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP};

static unsigned seed = 1;

static unsigned
random_below(unsigned n)
{
   seed = seed * 1664525u + 1013904223u;
   return (seed >> 8) % n;
}

static bool
passes(GLenum function, unsigned reference, unsigned stored)
{
   switch (function) {
   case GL_NEVER: return false;
   case GL_LESS: return reference < stored;
   case GL_EQUAL: return reference == stored;
   case GL_LEQUAL: return reference <= stored;
   case GL_GREATER: return reference > stored;
   case GL_NOTEQUAL: return reference != stored;
   case GL_GEQUAL: return reference >= stored;
   default: return true;
   }
}

static unsigned
operate(GLenum operation, unsigned stored, unsigned reference, unsigned mask)
{
   unsigned value = stored;
   switch (operation) {
   case GL_ZERO: value = 0; break;
   case GL_REPLACE: value = reference; break;
   case GL_INCR: value = stored < 255 ? stored + 1 : 255; break;
   case GL_DECR: value = stored > 0 ? stored - 1 : 0; break;
   case GL_INVERT: value = ~stored; break;
   case GL_INCR_WRAP: value = stored + 1; break;
   case GL_DECR_WRAP: value = stored - 1; break;
   default: break;
   }
   return (stored & ~mask) | (value & mask & 255);
}

/* One face's state, at random; values are often at the ends of their range. */
struct face {
   GLenum function, fail, depth_fail, pass;
   unsigned reference, value_mask, write_mask;
};

static unsigned
random_byte(void)
{
   static const unsigned ends[] = {0, 1, 127, 128, 254, 255};
   return random_below(2) ? ends[random_below(COUNT_OF(ends))] : random_below(256);
}

static struct face
random_face(void)
{
   return (struct face){
      .function = functions[random_below(COUNT_OF(functions))],
      .fail = operations[random_below(COUNT_OF(operations))],
      .depth_fail = operations[random_below(COUNT_OF(operations))],
      .pass = operations[random_below(COUNT_OF(operations))],
      .reference = random_byte(),
      .value_mask = random_below(2) ? 255 : random_byte(),
      .write_mask = random_below(2) ? 255 : random_byte(),
   };
}

static void
use_face(GLenum side, const struct face *face)
{
   glStencilFuncSeparate(side, face->function, (GLint)face->reference, face->value_mask);
   glStencilOpSeparate(side, face->fail, face->depth_fail, face->pass);
   glStencilMaskSeparate(side, face->write_mask);
}

/* Whether the pixel's stencil value is this, found with the test itself. */
static bool
stencil_is(unsigned expected)
{
   glDisable(GL_DEPTH_TEST);
   glStencilFunc(GL_EQUAL, (GLint)expected, 255);
   glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
   glStencilMask(255);
   glClear(GL_COLOR_BUFFER_BIT);
   gles_rectangle(-1, -1, 1, 1, 0);
   return gles_pixel(5, 2) != 0;
}

static void
try_draws(const char *format, bool has_depth)
{
   for (unsigned n = 0; n < 400; n++) {
      const struct face front = random_face(), back = random_face();
      const struct face *face = n & 1 ? &back : &front;
      const unsigned stored = random_byte();
      const bool depth_test = n & 2, depth_passes = random_below(2) || !depth_test || !has_depth;
      glStencilMask(255);
      glClearStencil((GLint)stored);
      glClearDepthf(0.5f);
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
      if (depth_test)
         glEnable(GL_DEPTH_TEST);
      else
         glDisable(GL_DEPTH_TEST);
      glDepthFunc(GL_LESS);
      use_face(GL_FRONT, &front);
      use_face(GL_BACK, &back);
      glFrontFace(n & 1 ? GL_CW : GL_CCW);
      gles_rectangle(-1, -1, 1, 1, depth_passes ? -0.5f : 0.5f);
      glFrontFace(GL_CCW);
      const bool drawn = gles_pixel(5, 2) != 0;

      const bool stencil_passes =
         passes(face->function, face->reference & face->value_mask, stored & face->value_mask);
      const GLenum operation = !stencil_passes ? face->fail : depth_passes ? face->pass : face->depth_fail;
      const unsigned expected = operate(operation, stored, face->reference, face->write_mask);
      holds(drawn == (stencil_passes && depth_passes), "%s: draw %u: %s", format, n,
            drawn ? "drawn, but fails a test" : "not drawn, but passes the tests");
      holds(stencil_is(expected), "%s: draw %u: operation 0x%04x on %u with reference %u, mask %u is not %u",
            format, n, operation, stored, face->reference, face->write_mask, expected);
   }
}

static void
try_clears(const char *format)
{
   for (unsigned n = 0; n < 40; n++) {
      const unsigned before = random_byte(), after = random_byte(), mask = random_byte();
      glStencilMask(255);
      glClearStencil((GLint)before);
      glClear(GL_STENCIL_BUFFER_BIT | GL_COLOR_BUFFER_BIT);
      /* Within a pass, too, and with one call for depth and stencil. */
      if (n & 1)
         gles_rectangle(-1, -1, 0, 0, 0);
      glStencilMask(mask);
      const GLint value = (GLint)after;
      if (n % 3 == 2)
         glClearBufferiv(GL_STENCIL, 0, &value);
      else {
         glClearStencil(value);
         glClear(GL_STENCIL_BUFFER_BIT);
      }
      const unsigned expected = (before & ~mask) | (after & mask);
      glDisable(GL_DEPTH_TEST);
      holds(stencil_is(expected), "%s: %u cleared to %u under mask %u is not %u", format, before, after, mask,
            expected);
   }
}

/* ---- blits ------------------------------------------------------------------ */

static GLuint
make_target(GLenum format, GLenum attachment, int samples)
{
   GLuint framebuffer, renderbuffers[2];
   framebuffer = bind_new_framebuffer(0);
   glGenRenderbuffers(2, renderbuffers);
   glBindRenderbuffer(GL_RENDERBUFFER, renderbuffers[0]);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, SIZE, SIZE);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffers[0]);
   glBindRenderbuffer(GL_RENDERBUFFER, renderbuffers[1]);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, SIZE, SIZE);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, renderbuffers[1]);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      stop("a framebuffer of format 0x%04x with %d samples is not complete", format, samples);
   return framebuffer;
}

/* The four quarters of the buffer, from the lower left: stencil n + 1, depth n / 8. */
static void
fill_quarters(void)
{
   glDisable(GL_STENCIL_TEST);
   glEnable(GL_SCISSOR_TEST);
   for (int n = 0; n < 4; n++) {
      glScissor(n % 2 * SIZE / 2, n / 2 * SIZE / 2, SIZE / 2, SIZE / 2);
      glClearStencil(n + 1);
      glClearDepthf((float)n / 8);
      glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   }
   glDisable(GL_SCISSOR_TEST);
}

/* Which quarter a pixel's depth or stencil came from, or -1; what was there has 9 and 0.9. */
static int
find_quarter(int x, int y, bool depth)
{
   glDepthMask(GL_FALSE);
   for (int n = 0; n < 4; n++) {
      glClear(GL_COLOR_BUFFER_BIT);
      if (depth) {
         glDisable(GL_STENCIL_TEST);
         glEnable(GL_DEPTH_TEST);
         glDepthFunc(GL_EQUAL);
      } else {
         glDisable(GL_DEPTH_TEST);
         glEnable(GL_STENCIL_TEST);
         glStencilFunc(GL_EQUAL, n + 1, 255);
      }
      gles_rectangle(-1, -1, 1, 1, (float)n / 4 - 1);
      if (gles_pixel(x, y)) {
         glDepthMask(GL_TRUE);
         return n;
      }
   }
   glDepthMask(GL_TRUE);
   return -1;
}

static void
try_blits(GLenum format, const char *name, GLenum attachment, GLbitfield planes)
{
   static const struct {
      int source[4], destination[4], samples;
   } blits[] = {
      {{0, 0, 8, 8}, {0, 0, 8, 8}, 0}, {{0, 0, 8, 8}, {8, 0, 0, 8}, 0}, {{0, 0, 8, 8}, {0, 8, 8, 0}, 0},
      {{0, 0, 8, 8}, {2, 2, 6, 6}, 0}, {{4, 4, 8, 8}, {0, 0, 8, 8}, 0}, {{2, 2, 6, 6}, {7, 7, 3, 3}, 0},
      {{0, 0, 8, 8}, {0, 0, 8, 8}, 4}, {{4, 0, 8, 4}, {4, 0, 8, 4}, 4},
   };
   for (unsigned n = 0; n < COUNT_OF(blits); n++) {
      const int *s = blits[n].source, *d = blits[n].destination;
      const GLuint source = make_target(format, attachment, blits[n].samples);
      fill_quarters();
      const GLuint destination = make_target(format, attachment, 0);
      glClearStencil(9);
      glClearDepthf(0.9f);
      glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
      glBindFramebuffer(GL_READ_FRAMEBUFFER, source);
      glBlitFramebuffer(s[0], s[1], s[2], s[3], d[0], d[1], d[2], d[3], planes, GL_NEAREST);
      glBindFramebuffer(GL_FRAMEBUFFER, destination);
      for (int y = 1; y < SIZE; y += 2) {
         for (int x = 1; x < SIZE; x += 2) {
            const double along_x = (x + 0.5 - d[0]) / (d[2] - d[0]),
                         along_y = (y + 0.5 - d[1]) / (d[3] - d[1]);
            const bool inside = along_x > 0 && along_x < 1 && along_y > 0 && along_y < 1;
            const int from_x = (int)(s[0] + along_x * (s[2] - s[0])),
                      from_y = (int)(s[1] + along_y * (s[3] - s[1]));
            const int quarter = inside ? from_x / (SIZE / 2) + from_y / (SIZE / 2) * 2 : -1;
            if (attachment != GL_STENCIL_ATTACHMENT) {
               const int expected = planes & GL_DEPTH_BUFFER_BIT ? quarter : -1,
                         found = find_quarter(x, y, true);
               holds(found == expected,
                     "%s: blit %u of planes 0x%04x: depth at (%d, %d) is that of quarter %d, not %d", name, n,
                     planes, x, y, found, expected);
            }
            if (attachment != GL_DEPTH_ATTACHMENT) {
               const int expected = planes & GL_STENCIL_BUFFER_BIT ? quarter : -1,
                         found = find_quarter(x, y, false);
               holds(found == expected,
                     "%s: blit %u of planes 0x%04x: stencil at (%d, %d) is that of quarter %d, not %d", name,
                     n, planes, x, y, found, expected);
            }
         }
      }
      const GLuint framebuffers[] = {source, destination};
      glDeleteFramebuffers(2, framebuffers);
   }
}

int
main(void)
{
   static const struct {
      GLenum format, attachment;
      const char *name;
   } formats[] = {
      {GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT, "DEPTH24_STENCIL8"},
      {GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT, "DEPTH32F_STENCIL8"},
      {GL_STENCIL_INDEX8, GL_STENCIL_ATTACHMENT, "STENCIL_INDEX8"},
      {GL_DEPTH_COMPONENT16, GL_DEPTH_ATTACHMENT, "DEPTH_COMPONENT16"},
      {GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT, "DEPTH_COMPONENT24"},
      {GL_DEPTH_COMPONENT32F, GL_DEPTH_ATTACHMENT, "DEPTH_COMPONENT32F"},
   };
   gles_open();
   glUseProgram(build_program(gles_position_vertex, gles_white_fragment));
   glViewport(0, 0, SIZE, SIZE);
   for (unsigned f = 0; f < COUNT_OF(formats); f++) {
      if (formats[f].attachment != GL_DEPTH_ATTACHMENT) {
         make_target(formats[f].format, formats[f].attachment, 0);
         glEnable(GL_STENCIL_TEST);
         try_draws(formats[f].name, formats[f].attachment == GL_DEPTH_STENCIL_ATTACHMENT);
         try_clears(formats[f].name);
         glDisable(GL_STENCIL_TEST);
      }
      for (GLbitfield planes = 1; planes < 4; planes++) {
         const GLbitfield bits =
            (planes & 1 ? GL_DEPTH_BUFFER_BIT : 0) | (planes & 2 ? GL_STENCIL_BUFFER_BIT : 0);
         try_blits(formats[f].format, formats[f].name, formats[f].attachment, bits);
      }
   }
   return gles_close();
}
