/* SPDX-License-Identifier: MIT */
/* depth_buffers: what is written to depth buffers of every format, read back from their
 * textures (OpenGL ES 3.0.6, 2.13.1, 3.6.2, 3.9.2, 4.1.5).
 *
 * Depths of fragments, with polygon offset or from the program, are limited to 0 … 1
 * whatever the format is, as are glDepthRangef's and glClearDepthf's. A unit of polygon
 * offset is, for floating point, the last place of the polygon's greatest depth; of fixed
 * point no depth may be lost and two at most be skipped. */
#include <float.h>
#include <math.h>

#include "gles.h"

#define SIZE 8

static const struct format {
   GLenum format;
   const char *name;
   int bits; /* 0: floating point */
} formats[] = {
   {GL_DEPTH_COMPONENT16, "16", 16},         {GL_DEPTH_COMPONENT24, "24", 24},
   {GL_DEPTH24_STENCIL8, "24 stencil", 24},  {GL_DEPTH_COMPONENT32F, "32F", 0},
   {GL_DEPTH32F_STENCIL8, "32F stencil", 0},
};

static const char written_depth_source[] = "#version 300 es\n"
                                           "precision highp float;\n"
                                           "uniform float depth;\n"
                                           "out vec4 color;\n"
                                           "void main() { color = vec4(1.0); gl_FragDepth = depth; }\n";
static const char read_source[] =
   "#version 300 es\n"
   "precision highp float;\n"
   "uniform highp sampler2D image;\n"
   "out highp uvec4 color;\n"
   "void main() {\n"
   "   color = uvec4(floatBitsToUint(texelFetch(image, ivec2(gl_FragCoord.xy), 0).x));\n"
   "}\n";

static GLuint plain, writing, reading;
static GLuint depth_framebuffer, read_framebuffer, depth_texture;
static const struct format *format;

static void
open_format(void)
{
   GLint name;
   depth_framebuffer = gles_framebuffer(GL_RGBA8, format->format, SIZE, SIZE);
   glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT,
                                         GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, &name);
   depth_texture = (GLuint)name;
   read_framebuffer = gles_framebuffer(GL_RGBA32UI, GL_NONE, SIZE, SIZE);
   glBindTexture(GL_TEXTURE_2D, depth_texture);
   glBindFramebuffer(GL_FRAMEBUFFER, depth_framebuffer);
}

/* The depth of the pixel, exactly as a texture shows it. */
static float
read_depth(int x, int y)
{
   union {
      GLuint bits[4];
      float depth;
   } value;
   glBindFramebuffer(GL_FRAMEBUFFER, read_framebuffer);
   glDisable(GL_DEPTH_TEST);
   glDisable(GL_POLYGON_OFFSET_FILL);
   glUseProgram(reading);
   gles_rectangle(-1, -1, 1, 1, 0);
   glReadPixels(x, y, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, value.bits);
   glBindFramebuffer(GL_FRAMEBUFFER, depth_framebuffer);
   return value.depth;
}

static void
begin(float cleared)
{
   glDepthMask(GL_TRUE);
   glClearDepthf(cleared);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   glDepthFunc(GL_ALWAYS);
   glDepthRangef(0, 1);
}

static float
clamp(float depth)
{
   return fminf(fmaxf(depth, 0), 1);
}

/* What a depth is in the format, nearest; ties may go either way. */
static bool
is_depth(float found, double expected)
{
   if (format->bits == 0)
      return found == (float)expected;
   const double most = (double)((1 << format->bits) - 1);
   return fabs(found * most - expected * most) <= 0.5001 + most * 3e-8;
}

static void
clears(void)
{
   static const float depths[] = {0, 0.25f, 0.3f, 1, -0.5f, 1.5f, 1e10f};
   for (unsigned n = 0; n < COUNT_OF(depths); n++) {
      begin(depths[n]);
      const float found = read_depth(3, 3);
      holds(is_depth(found, clamp(depths[n])), "%s: cleared to %g: %.9g", format->name, depths[n], found);
   }
}

/* gl_FragDepth, and what it is compared with. */
static void
programs_depths(void)
{
   static const float depths[] = {0,     1e-6f, 0.1f,   0.5f,       0.9999999f, 1,
                                  -0.0f, -0.1f, -1e10f, 1.0000001f, 2,          1e10f};
   const GLint location = glGetUniformLocation(writing, "depth");
   for (unsigned n = 0; n < COUNT_OF(depths); n++) {
      begin(0.5f);
      glUseProgram(writing);
      glUniform1f(location, depths[n]);
      gles_rectangle(-1, -1, 1, 1, 0);
      const float found = read_depth(3, 3);
      holds(is_depth(found, clamp(depths[n])), "%s: gl_FragDepth %.9g: %.9g", format->name, depths[n], found);

      /* Compared with what is stored at the end of the range. */
      const float end = depths[n] < 0.5f ? 0 : 1;
      static const GLenum functions[] = {GL_EQUAL, GL_LESS, GL_GREATER, GL_LEQUAL, GL_GEQUAL, GL_NOTEQUAL};
      for (unsigned f = 0; f < COUNT_OF(functions) && clamp(depths[n]) == end; f++) {
         begin(end);
         glUseProgram(writing);
         glDepthFunc(functions[f]);
         glDepthMask(GL_FALSE);
         gles_rectangle(-1, -1, 1, 1, 0);
         const bool expected =
            functions[f] == GL_EQUAL || functions[f] == GL_LEQUAL || functions[f] == GL_GEQUAL;
         holds((gles_pixel(3, 3) != 0) == expected, "%s: gl_FragDepth %.9g compared (0x%04x) with %g",
               format->name, depths[n], functions[f], end);
      }
   }
}

static void
depth_ranges(void)
{
   static const float ranges[][2] = {{0, 1},       {1, 0},  {0.25f, 0.75f}, {0.75f, 0.25f},
                                     {0.5f, 0.5f}, {-1, 2}, {0, 0.125f}};
   static const float depths[] = {-1, -0.5f, 0, 0.25f, 1};
   for (unsigned r = 0; r < COUNT_OF(ranges); r++) {
      for (unsigned d = 0; d < COUNT_OF(depths); d++) {
         begin(0.5f);
         glUseProgram(plain);
         glDepthRangef(ranges[r][0], ranges[r][1]);
         gles_rectangle(-1, -1, 1, 1, depths[d]);
         const float near = clamp(ranges[r][0]), far = clamp(ranges[r][1]);
         const double expected = near + (far - near) * (depths[d] + 1) / 2;
         const float found = read_depth(3, 3);
         holds(is_depth(found, expected), "%s: depth %g of range %g … %g: %.9g", format->name, depths[d],
               ranges[r][0], ranges[r][1], found);
      }
   }
   glDepthRangef(0, 1);
}

/* A rectangle of constant window depth with units of polygon offset. */
static float
draw_offset(float depth, float factor, float units)
{
   begin(0.5f);
   glUseProgram(plain);
   glEnable(GL_POLYGON_OFFSET_FILL);
   glPolygonOffset(factor, units);
   gles_rectangle(-1, -1, 1, 1, depth * 2 - 1);
   return read_depth(3, 3);
}

static void
offset_units(void)
{
   static const float depths[] = {0, 0.0078125f, 0.25f, 0.3125f, 0.5f, 0.75f, 0.984375f, 1};
   static const float units[] = {1, -1, 2, 17, -100, 1e9f, -1e9f};
   for (unsigned d = 0; d < COUNT_OF(depths); d++) {
      for (unsigned u = 0; u < COUNT_OF(units); u++) {
         const float found = draw_offset(depths[d], 0, units[u]);
         if (!format->bits && depths[d] == 0) {
            /* What is less would be a denormal number, and flushed. */
            const float expected = clamp(units[u] * FLT_MIN);
            holds(found == expected, "%s: %g units from 0: %.9g", format->name, units[u], found);
            continue;
         }
         /* The least unit is the resolution; that of floats 2^(e - 23). */
         int exponent;
         frexpf(depths[d], &exponent);
         const double least = format->bits ? 1.0 / ((1 << format->bits) - 1) : ldexp(1, exponent - 24);
         const double low =
            clamp((float)(depths[d] + units[u] * least * (format->bits && units[u] < 0 ? 2 : 1)));
         const double high =
            clamp((float)(depths[d] + units[u] * least * (format->bits && units[u] > 0 ? 2 : 1)));
         const bool good = is_depth(found, found < low ? low : found > high ? high : found);
         holds(good, "%s: %g units from %g: %.9g", format->name, units[u], depths[d], found);
         if (fabsf(units[u]) == 1 && depths[d] + units[u] * least > 0 && depths[d] + units[u] * least < 1)
            holds(found != draw_offset(depths[d], 0, 0), "%s: %g units from %g: no other depth", format->name,
                  units[u], depths[d]);
      }
   }
}

/* A factor of the slope, which is the greater of those along x and y. */
static void
offset_factors(void)
{
   static const float corners[][4][4] = {
      {{-1, -1, -0.5f, 1}, {1, -1, 0.5f, 1}, {-1, 1, -0.5f, 1}, {1, 1, 0.5f, 1}}, /* 1/16 a pixel along x */
      {{-1, -1, 0.5f, 1}, {1, -1, 0.5f, 1}, {-1, 1, -0.5f, 1}, {1, 1, -0.5f, 1}}, /* along y */
      {{-1, -1, -1, 1}, {1, -1, 0, 1}, {-1, 1, -0.5f, 1}, {1, 1, 0.5f, 1}},       /* along both */
   };
   static const float factors[] = {0, 1, -1, 2.5f, 100, -100};
   for (unsigned c = 0; c < COUNT_OF(corners); c++) {
      float flat = 0;
      for (unsigned f = 0; f < COUNT_OF(factors); f++) {
         begin(0.5f);
         glUseProgram(plain);
         glEnable(GL_POLYGON_OFFSET_FILL);
         glPolygonOffset(factors[f], 0);
         gles_draw(GL_TRIANGLE_STRIP, corners[c], 4);
         const float found = read_depth(3, 3);
         if (f == 0)
            flat = found;
         const float expected = clamp(flat + factors[f] * 0.0625f);
         holds(fabsf(found - expected) < 4e-5f, "%s: %g slopes of plane %u: %.9g, not %.9g", format->name,
               factors[f], c, found, expected);
      }
   }
}

int
main(void)
{
   gles_open();
   plain = build_program(gles_position_vertex, gles_white_fragment);
   writing = build_program(gles_position_vertex, written_depth_source);
   reading = build_program(gles_position_vertex, read_source);
   for (unsigned n = 0; n < COUNT_OF(formats); n++) {
      format = &formats[n];
      open_format();
      clears();
      programs_depths();
      depth_ranges();
      offset_units();
      offset_factors();
   }
   return gles_close();
}
