/* SPDX-License-Identifier: MIT */
/* color_buffers: what clears, draws, masks and blending leave in colour buffers of every
 * renderable format (OpenGL ES 3.0.6, 4.1.7, 4.2; EXT_color_buffer_float and
 * EXT_render_snorm), against the specification's formulas, within the format's last place. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "formats.h"
#include "gles.h"

#define SIZE 4

/* Programs that write a uniform, and that read a texture, of floats and integers. */
#define WRITE_SOURCE(vector)                            \
   "#version 300 es\n"                                  \
   "precision highp float; precision highp int;\n"      \
   "uniform highp " vector " value;\n"                  \
   "layout(location = 0) out highp " vector " color;\n" \
   "void main() { color = value; }\n"
#define READ_SOURCE(sampler, vector)                    \
   "#version 300 es\n"                                  \
   "precision highp float; precision highp int;\n"      \
   "uniform highp " sampler " image;\n"                 \
   "layout(location = 0) out highp " vector " color;\n" \
   "void main() { color = texelFetch(image, ivec2(0, 0), 0); }\n"

static const char *const write_sources[] = {WRITE_SOURCE("vec4"), WRITE_SOURCE("ivec4"),
                                            WRITE_SOURCE("uvec4")};
static const char *const read_sources[] = {READ_SOURCE("sampler2D", "vec4"),
                                           READ_SOURCE("isampler2D", "ivec4"),
                                           READ_SOURCE("usampler2D", "uvec4")};
static const GLenum read_formats[] = {GL_RGBA32F, GL_RGBA32I, GL_RGBA32UI};

static GLuint write_programs[3], read_programs[3], read_framebuffers[3];
static GLuint framebuffer, texture;
static const struct format *format;

static void
open_format(void)
{
   framebuffer = bind_new_framebuffer(0);
   texture = gles_texture(GL_TEXTURE_2D, format->internal, SIZE, SIZE, 1, 1);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
}

static void
close_format(void)
{
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteTextures(1, &texture);
}

/* ---- what a format can hold ------------------------------------------------- */

struct limits {
   double low, high;   /* of every channel that there is */
   double step, ratio; /* the last place: absolute, or relative to the value */
   unsigned channels;
   bool alpha;
};

static struct limits
find_limits(void)
{
   struct limits limits = {.low = 0, .high = 1, .step = 1.0 / 255, .channels = 4, .alpha = true};
   if (strstr(format->name, "SNORM"))
      limits.low = -1, limits.step = 1.0 / 127;
   /* Half-precision floats, and smaller ones, may be rounded to either neighbour. */
   if (strstr(format->name, "F"))
      limits.low = -65504, limits.high = 65504, limits.step = 1e-4, limits.ratio = 2.0 / 1024;
   if (strstr(format->name, "32F"))
      limits.low = -INFINITY, limits.high = INFINITY, limits.step = limits.ratio = 2e-6;
   if (format->format == GL_RED)
      limits.channels = 1;
   else if (format->format == GL_RG)
      limits.channels = 2;
   else if (format->format == GL_RGB)
      limits.channels = 3;
   limits.alpha = limits.channels == 4;
   switch (format->internal) {
   case GL_RGB565: limits.step = 1.0 / 31; break;
   case GL_RGBA4: limits.step = 1.0 / 15; break;
   case GL_RGB5_A1: limits.step = 1.0 / 31; break;
   case GL_SRGB8_ALPHA8: limits.step = 1.0 / 110; break;
   case GL_RGB10_A2: limits.step = 1.0 / 1023; break;
   case GL_R11F_G11F_B10F:
      limits.low = 0;
      limits.high = 64512;
      limits.ratio = 2.0 / 32;
      break;
   default: break;
   }
   return limits;
}

/* The step of a channel, where alpha has fewer bits. */
static double
find_step(const struct limits *limits, unsigned channel, double value)
{
   if (channel == 3 && format->internal == GL_RGB5_A1)
      return 1;
   if (channel == 3 && format->internal == GL_RGB10_A2)
      return 1.0 / 3;
   return limits->step + limits->ratio * fabs(value);
}

static double
clamp(double value, const struct limits *limits)
{
   return fmin(fmax(value, limits->low), limits->high);
}

/* Reads the pixel at the origin through the texture. */
union pixel {
   GLfloat f[4];
   GLint i[4];
   GLuint u[4];
};

static union pixel
read_pixel(void)
{
   union pixel pixel;
   GLboolean blending = glIsEnabled(GL_BLEND), mask[4];
   glGetBooleanv(GL_COLOR_WRITEMASK, mask);
   glDisable(GL_BLEND);
   glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
   glBindFramebuffer(GL_FRAMEBUFFER, read_framebuffers[format->kind]);
   glBindTexture(GL_TEXTURE_2D, texture);
   glUseProgram(read_programs[format->kind]);
   gles_rectangle(-1, -1, 1, 1, 0);
   switch (format->kind) {
   case KIND_FLOAT: glReadPixels(0, 0, 1, 1, GL_RGBA, GL_FLOAT, pixel.f); break;
   case KIND_SIGNED: glReadPixels(0, 0, 1, 1, GL_RGBA_INTEGER, GL_INT, pixel.i); break;
   default: glReadPixels(0, 0, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, pixel.u);
   }
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   if (blending)
      glEnable(GL_BLEND);
   glColorMask(mask[0], mask[1], mask[2], mask[3]);
   return pixel;
}

/* Channels that the format does not have are 0, alpha 1. */
static void
check_floats(const double expected[4], double steps, const char *what, unsigned number)
{
   const struct limits limits = find_limits();
   const union pixel found = read_pixel();
   for (unsigned c = 0; c < 4; c++) {
      const bool there = c < limits.channels;
      const double value = there ? clamp(expected[c], &limits) : c == 3;
      const double tolerance = there ? steps * find_step(&limits, c, value) : 0;
      holds(fabs(found.f[c] - value) <= tolerance, "%s %s %u: channel %u is %.7g, not %.7g", format->name,
            what, number, c, found.f[c], value);
   }
}

/* Of integers the lowest bits are kept. */
static void
check_integers(const GLint expected[4], const char *what, unsigned number)
{
   const union pixel found = read_pixel();
   const bool is_signed = format->kind == KIND_SIGNED;
   const unsigned channels = format->format == GL_RED_INTEGER ? 1 : format->format == GL_RG_INTEGER ? 2 : 4;
   const unsigned bits = format->internal == GL_RGB10_A2UI ? 10
                         : strstr(format->name, "32")      ? 32
                         : strstr(format->name, "16")      ? 16
                                                           : 8;
   for (unsigned c = 0; c < 4; c++) {
      const unsigned own_bits = c == 3 && bits == 10 ? 2 : bits;
      int64_t value = c < channels ? (is_signed ? expected[c] : (int64_t)(GLuint)expected[c]) : c == 3;
      if (c < channels) {
         const int64_t high = is_signed ? (INT64_C(1) << (own_bits - 1)) - 1 : (INT64_C(1) << own_bits) - 1;
         const int64_t low = is_signed ? -high - 1 : 0;
         /* What does not fit is undefined. */
         if (value < low || value > high)
            continue;
      }
      const int64_t stored = is_signed ? found.i[c] : (int64_t)found.u[c];
      holds(stored == value, "%s %s %u: channel %u is %lld, not %lld", format->name, what, number, c,
            (long long)stored, (long long)value);
   }
}

static const float floats[][4] = {
   {0, 0, 0, 0},
   {1, 1, 1, 1},
   {0.25f, 0.5f, 0.75f, 0.3f},
   {-0.5f, 1.5f, -2, 3},
   {0.1f, 0.2f, 0.9f, 0.6f},
   {100, -100, 6e4f, -7},
   {0.003f, 0.998f, 1e-5f, 0.4f},
};
static const GLint integers[][4] = {
   {0, 0, 0, 0}, {1, 2, 3, 1}, {-1, 127, -128, 3}, {255, 32767, -32768, 2}, {1023, 65535, -70000, 2147483647},
};

static void
check_value(unsigned n, const char *what)
{
   if (format->kind == KIND_FLOAT) {
      const double expected[4] = {floats[n][0], floats[n][1], floats[n][2], floats[n][3]};
      check_floats(expected, 0.51, what, n);
   } else {
      check_integers(integers[n], what, n);
   }
}

static void
clear(unsigned n)
{
   if (format->kind == KIND_FLOAT)
      glClearBufferfv(GL_COLOR, 0, floats[n]);
   else if (format->kind == KIND_SIGNED)
      glClearBufferiv(GL_COLOR, 0, integers[n]);
   else
      glClearBufferuiv(GL_COLOR, 0, (const GLuint *)integers[n]);
}

static void
draw(unsigned n)
{
   const GLuint program = write_programs[format->kind];
   const GLint location = glGetUniformLocation(program, "value");
   glUseProgram(program);
   if (format->kind == KIND_FLOAT)
      glUniform4fv(location, 1, floats[n]);
   else if (format->kind == KIND_SIGNED)
      glUniform4iv(location, 1, integers[n]);
   else
      glUniform4uiv(location, 1, (const GLuint *)integers[n]);
   gles_rectangle(-1, -1, 1, 1, 0);
}

static void
try_values(void)
{
   const unsigned count = format->kind == KIND_FLOAT ? COUNT_OF(floats) : COUNT_OF(integers);
   for (unsigned n = 0; n < count; n++) {
      clear(n);
      check_value(n, "cleared");
      clear(n ? 0 : 1);
      draw(n);
      check_value(n, "drawn");
   }
}

static void
try_masks(void)
{
   for (unsigned mask = 0; mask < 16; mask++) {
      GLint whole[4];
      double fraction[4];
      clear(1);
      glColorMask(mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3 & 1);
      if (mask & 4)
         clear(2);
      else
         draw(2);
      glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
      for (unsigned c = 0; c < 4; c++) {
         whole[c] = integers[mask >> c & 1 ? 2 : 1][c];
         fraction[c] = floats[mask >> c & 1 ? 2 : 1][c];
      }
      if (format->kind == KIND_FLOAT)
         check_floats(fraction, 0.51, "masked", mask);
      else
         check_integers(whole, "masked", mask);
   }
}

/* ---- blending ----------------------------------------------------------------- */

static const float constant[4] = {0.7f, 0.2f, 1.5f, -0.4f};

/* A factor of channel c, of clamped operands. */
static double
factor(GLenum name, unsigned c, const double source[4], const double destination[4],
       const double blend_color[4])
{
   switch (name) {
   case GL_ONE: return 1;
   case GL_SRC_COLOR: return source[c];
   case GL_ONE_MINUS_SRC_COLOR: return 1 - source[c];
   case GL_DST_COLOR: return destination[c];
   case GL_ONE_MINUS_DST_COLOR: return 1 - destination[c];
   case GL_SRC_ALPHA: return source[3];
   case GL_ONE_MINUS_SRC_ALPHA: return 1 - source[3];
   case GL_DST_ALPHA: return destination[3];
   case GL_ONE_MINUS_DST_ALPHA: return 1 - destination[3];
   case GL_CONSTANT_COLOR: return blend_color[c];
   case GL_ONE_MINUS_CONSTANT_COLOR: return 1 - blend_color[c];
   case GL_CONSTANT_ALPHA: return blend_color[3];
   case GL_ONE_MINUS_CONSTANT_ALPHA: return 1 - blend_color[3];
   case GL_SRC_ALPHA_SATURATE: return c == 3 ? 1 : fmin(source[3], 1 - destination[3]);
   default: return 0;
   }
}

static double
combine(GLenum equation, double source, double source_factor, double destination, double destination_factor)
{
   switch (equation) {
   case GL_FUNC_ADD: return source * source_factor + destination * destination_factor;
   case GL_FUNC_SUBTRACT: return source * source_factor - destination * destination_factor;
   case GL_FUNC_REVERSE_SUBTRACT: return destination * destination_factor - source * source_factor;
   case GL_MIN: return fmin(source, destination);
   default: return fmax(source, destination);
   }
}

struct blending {
   GLenum color_equation, alpha_equation, color_source, color_destination, alpha_source, alpha_destination;
};

/* What blending makes of clamped operands. */
static void
evaluate(const struct blending *blending, const double source[4], const double destination[4],
         const double blend_color[4], const struct limits *factors, double expected[4])
{
   for (unsigned c = 0; c < 4; c++) {
      const bool alpha = c == 3;
      const GLenum source_name = alpha ? blending->alpha_source : blending->color_source;
      const GLenum destination_name = alpha ? blending->alpha_destination : blending->color_destination;
      const double source_factor = factor(source_name, c, source, destination, blend_color);
      const double destination_factor = factor(destination_name, c, source, destination, blend_color);
      expected[c] =
         combine(alpha ? blending->alpha_equation : blending->color_equation, source[c],
                 clamp(source_factor, factors), destination[c], clamp(destination_factor, factors));
   }
}

static void
blend(const struct blending *blending, unsigned source_number, unsigned destination_number, unsigned number)
{
   const bool floating = strstr(format->name, "F") != NULL;
   struct limits limits = find_limits();
   if (floating) {
      limits.low = -INFINITY;
      limits.high = INFINITY;
   }
   /* Factors of signed normalised buffers, up to 2, GPUs do not clamp to 1 as the text has it. */
   const struct limits factors = {.low = limits.low, .high = limits.low == -1 ? 2 : limits.high};
   double source[4], destination[4], blend_color[4], expected[4];
   clear(destination_number);
   const union pixel stored = read_pixel();
   glEnable(GL_BLEND);
   glBlendColor(constant[0], constant[1], constant[2], constant[3]);
   glBlendEquationSeparate(blending->color_equation, blending->alpha_equation);
   glBlendFuncSeparate(blending->color_source, blending->color_destination, blending->alpha_source,
                       blending->alpha_destination);
   draw(source_number);
   glDisable(GL_BLEND);
   for (unsigned c = 0; c < 4; c++) {
      source[c] = clamp(floats[source_number][c], &limits);
      blend_color[c] = clamp(constant[c], &limits);
      destination[c] = stored.f[c];
   }
   evaluate(blending, source, destination, blend_color, &factors, expected);
   check_floats(expected, 0.75, "blended", number);
}

static void
try_blending(void)
{
   static const GLenum factors[] = {
      GL_ZERO,
      GL_ONE,
      GL_SRC_COLOR,
      GL_ONE_MINUS_SRC_COLOR,
      GL_DST_COLOR,
      GL_ONE_MINUS_DST_COLOR,
      GL_SRC_ALPHA,
      GL_ONE_MINUS_SRC_ALPHA,
      GL_DST_ALPHA,
      GL_ONE_MINUS_DST_ALPHA,
      GL_CONSTANT_COLOR,
      GL_ONE_MINUS_CONSTANT_COLOR,
      GL_CONSTANT_ALPHA,
      GL_ONE_MINUS_CONSTANT_ALPHA,
      GL_SRC_ALPHA_SATURATE,
   };
   static const GLenum equations[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MIN,
                                      GL_MAX};
   const unsigned num_factors = COUNT_OF(factors), num_destinations = num_factors - 1;
   for (unsigned n = 0; n < num_factors * num_destinations; n++) {
      const struct blending blending = {
         .color_equation = equations[n % COUNT_OF(equations)],
         .alpha_equation = equations[n / 3 % COUNT_OF(equations)],
         .color_source = factors[n % num_factors],
         .color_destination = factors[n / num_factors],
         .alpha_source = factors[(n + 5) % num_factors],
         .alpha_destination = factors[(n * 3 + n / num_factors) % num_destinations],
      };
      blend(&blending, n % 3 ? 4 : 3, n % 2 ? 2 : 6, n);
   }
   glBlendEquation(GL_FUNC_ADD);
}

int
main(void)
{
   gles_open();
   for (unsigned kind = 0; kind < 3; kind++) {
      write_programs[kind] = build_program(gles_position_vertex, write_sources[kind]);
      read_programs[kind] = build_program(gles_position_vertex, read_sources[kind]);
      read_framebuffers[kind] = gles_framebuffer(read_formats[kind], GL_NONE, SIZE, SIZE);
   }
   for (size_t n = 0; n < num_formats; n++) {
      format = &formats[n];
      if (format->kind == KIND_DEPTH)
         continue;
      open_format();
      if (glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE) {
         try_values();
         try_masks();
         if (format->kind == KIND_FLOAT)
            try_blending();
      }
      close_format();
   }
   return gles_close();
}
