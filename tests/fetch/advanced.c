/* SPDX-License-Identifier: MIT */
/* advanced: all equations of KHR_blend_equation_advanced, in an OpenGL ES 3.0 and an OpenGL 3.3 context, against
 * the formulas of its specification in doubles. Prints every pixel that is wrong; exit status 0 if none is. */
#include "fetch/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <EGL/egl.h>
#include <GLES2/gl2ext.h>

#define SIZE 61 /* no tile size divides it */
#define LAYERS 3
#define MAX_COMPLAINTS 5

/* ---- the specification ---------------------------------------------------- */

struct color {
   double c[4];
};

static double
multiply(double s, double d)
{
   return s * d;
}

static double
screen(double s, double d)
{
   return s + d - s * d;
}

static double
hard_light(double s, double d)
{
   return s <= 0.5 ? 2 * s * d : 1 - 2 * (1 - s) * (1 - d);
}

static double
overlay(double s, double d)
{
   return hard_light(d, s);
}

static double
color_dodge(double s, double d)
{
   if (d <= 0)
      return 0;
   return s < 1 ? fmin(1, d / (1 - s)) : 1;
}

static double
color_burn(double s, double d)
{
   if (d >= 1)
      return 1;
   return s > 0 ? 1 - fmin(1, (1 - d) / s) : 0;
}

static double
soft_light(double s, double d)
{
   if (s <= 0.5)
      return d - (1 - 2 * s) * d * (1 - d);
   return d + (2 * s - 1) * (d <= 0.25 ? d * ((16 * d - 12) * d + 3) : sqrt(d) - d);
}

static double
difference(double s, double d)
{
   return fabs(d - s);
}

static double
exclusion(double s, double d)
{
   return s + d - 2 * s * d;
}

static double
luminosity(const double *c)
{
   return 0.30 * c[0] + 0.59 * c[1] + 0.11 * c[2];
}

static double
least(const double *c)
{
   return fmin(fmin(c[0], c[1]), c[2]);
}

static double
greatest(const double *c)
{
   return fmax(fmax(c[0], c[1]), c[2]);
}

static void
set_luminosity(const double *base, const double *from, double *result)
{
   const double more = luminosity(from) - luminosity(base);
   for (int i = 0; i < 3; i++)
      result[i] = base[i] + more;
   const double light = luminosity(result), low = least(result), high = greatest(result);
   for (int i = 0; i < 3; i++) {
      if (low < 0)
         result[i] = light + (result[i] - light) * light / (light - low);
      else if (high > 1)
         result[i] = light + (result[i] - light) * (1 - light) / (high - light);
   }
}

static void
set_luminosity_saturation(const double *base, const double *saturation, const double *light, double *result)
{
   const double low = least(base), range = greatest(base) - low;
   const double wanted = greatest(saturation) - least(saturation);
   double saturated[3];
   for (int i = 0; i < 3; i++)
      saturated[i] = range > 0 ? (base[i] - low) * wanted / range : 0;
   set_luminosity(saturated, light, result);
}

static void
hue(const double *s, const double *d, double *result)
{
   set_luminosity_saturation(s, d, d, result);
}

static void
saturation(const double *s, const double *d, double *result)
{
   set_luminosity_saturation(d, s, d, result);
}

static void
color(const double *s, const double *d, double *result)
{
   set_luminosity(s, d, result);
}

static void
light(const double *s, const double *d, double *result)
{
   set_luminosity(d, s, result);
}

static const struct equation {
   GLenum name;
   const char *qualifier;
   double (*component)(double s, double d);
   void (*hsl)(const double *s, const double *d, double *result);
} equations[] = {
   {GL_MULTIPLY_KHR, "blend_support_multiply", multiply, NULL},
   {GL_SCREEN_KHR, "blend_support_screen", screen, NULL},
   {GL_OVERLAY_KHR, "blend_support_overlay", overlay, NULL},
   {GL_DARKEN_KHR, "blend_support_darken", fmin, NULL},
   {GL_LIGHTEN_KHR, "blend_support_lighten", fmax, NULL},
   {GL_COLORDODGE_KHR, "blend_support_colordodge", color_dodge, NULL},
   {GL_COLORBURN_KHR, "blend_support_colorburn", color_burn, NULL},
   {GL_HARDLIGHT_KHR, "blend_support_hardlight", hard_light, NULL},
   {GL_SOFTLIGHT_KHR, "blend_support_softlight", soft_light, NULL},
   {GL_DIFFERENCE_KHR, "blend_support_difference", difference, NULL},
   {GL_EXCLUSION_KHR, "blend_support_exclusion", exclusion, NULL},
   {GL_HSL_HUE_KHR, "blend_support_hsl_hue", NULL, hue},
   {GL_HSL_SATURATION_KHR, "blend_support_hsl_saturation", NULL, saturation},
   {GL_HSL_COLOR_KHR, "blend_support_hsl_color", NULL, color},
   {GL_HSL_LUMINOSITY_KHR, "blend_support_hsl_luminosity", NULL, light},
};
#define NUM_EQUATIONS (sizeof equations / sizeof equations[0])

static struct color
blend(const struct equation *equation, struct color source, struct color destination)
{
   const double sa = source.c[3], da = destination.c[3];
   const double both = sa * da, only_source = sa * (1 - da), only_destination = da * (1 - sa);
   double s[3], d[3], f[3];
   struct color result;
   for (int i = 0; i < 3; i++) {
      s[i] = sa == 0 ? 0 : source.c[i] / sa;
      d[i] = da == 0 ? 0 : destination.c[i] / da;
   }
   if (equation->hsl)
      equation->hsl(s, d, f);
   for (int i = 0; i < 3; i++) {
      if (equation->component)
         f[i] = equation->component(s[i], d[i]);
      result.c[i] = f[i] * both + s[i] * only_source + d[i] * only_destination;
   }
   result.c[3] = both + only_source + only_destination;
   return result;
}

/* ---- programs ---------------------------------------------------------------- */

static int broken;
static PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC attach_samples;

/* Layer 0 is the whole picture, the next ones are what is left of it after so many columns and rows: three
 * rectangles in one draw. Their colours come from a texture, a square of it for each layer. */
static GLuint
make_blending_program(bool desktop, const char *qualifier)
{
   static const char vertex[] = "in vec3 position;\n"
                                "flat out int layer;\n"
                                "void main() {\n"
                                "   layer = int(position.z);\n"
                                "   gl_Position = vec4(position.xy, 0.0, 1.0);\n"
                                "}\n";
   static const char fragment[] =
      "#extension GL_KHR_blend_equation_advanced : require\n"
      "precision highp float;\n"
      "flat in int layer;\n"
      "uniform highp sampler2D colors;\n"
      "layout(%s) out;\n"
      "out vec4 color;\n"
      "void main() { color = texelFetch(colors, ivec2(gl_FragCoord.xy) + ivec2(0, layer * %d), 0); }\n";
   char text[2000];
   snprintf(text, sizeof text, fragment, qualifier, SIZE);
   return build_versioned_program(desktop ? "#version 330\n" : "#version 300 es\n", vertex, text);
}

/* ---- pictures ----------------------------------------------------------------- */

/* Premultiplied; many with components at the ends of their ranges, or alike. */
static void
random_color(unsigned char *rgba)
{
   const unsigned kind = random_below(6);
   const unsigned alpha = kind == 0 ? 0 : kind <= 2 ? 255 : 1 + random_below(255);
   const unsigned grey = random_below(alpha + 1);
   for (int i = 0; i < 3; i++) {
      const unsigned end = random_below(5);
      rgba[i] = kind == 5 ? grey : end == 0 ? 0 : end == 1 ? alpha : random_below(alpha + 1);
   }
   rgba[3] = alpha;
}

static unsigned char sources[LAYERS * SIZE * SIZE][4], destinations[SIZE * SIZE][4];
static float found[SIZE * SIZE][4];

static bool
is_in_layer(int layer, int x, int y)
{
   return x >= layer * 7 && y >= layer * 11;
}

static void
draw_layers(int count)
{
   float vertices[LAYERS * 6][3];
   for (int layer = 0; layer < count; layer++) {
      const float x0 = 2.0f * 7 * layer / SIZE - 1, y0 = 2.0f * 11 * layer / SIZE - 1;
      const float corners[6][2] = {{x0, y0}, {1, y0}, {x0, 1}, {x0, 1}, {1, y0}, {1, 1}};
      for (int v = 0; v < 6; v++) {
         memcpy(vertices[layer * 6 + v], corners[v], sizeof corners[v]);
         vertices[layer * 6 + v][2] = layer;
      }
   }
   draw_triangles(vertices, count * 6);
}

static GLuint
make_texture(GLenum format, int height, GLenum type, const void *pixels)
{
   const GLuint texture = bind_new_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, format, SIZE, height, 0, GL_RGBA, type, pixels);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   return texture;
}

static struct color
to_color(const unsigned char *rgba)
{
   struct color color;
   for (int i = 0; i < 4; i++)
      color.c[i] = rgba[i] / 255.0;
   return color;
}

/* What a buffer of 8 bits keeps of a colour. */
static struct color
quantise(struct color color)
{
   for (int i = 0; i < 4; i++)
      color.c[i] = rint(fmin(fmax(color.c[i], 0), 1) * 255) / 255;
   return color;
}

static void
compare(const struct equation *equation, const char *context, int layers, bool quantised, double tolerance)
{
   int wrong = 0;
   for (int p = 0; p < SIZE * SIZE; p++) {
      struct color expected = to_color(destinations[p]);
      for (int layer = 0; layer < layers; layer++) {
         if (!is_in_layer(layer, p % SIZE, p / SIZE))
            continue;
         if (equation)
            expected = blend(equation, to_color(sources[layer * SIZE * SIZE + p]), expected);
         else
            expected = to_color(sources[layer * SIZE * SIZE + p]);
         if (quantised)
            expected = quantise(expected);
      }
      double away = 0;
      for (int i = 0; i < 4; i++)
         away = fmax(away, fabs(found[p][i] - expected.c[i]));
      if (away <= tolerance)
         continue;
      if (wrong++ < MAX_COMPLAINTS)
         fprintf(stderr, "%s, %s, %d layers, pixel %d,%d: %g %g %g %g, expected %g %g %g %g\n", context,
                 equation ? equation->qualifier : "no equation", layers, p % SIZE, p / SIZE, found[p][0],
                 found[p][1], found[p][2], found[p][3], expected.c[0], expected.c[1], expected.c[2],
                 expected.c[3]);
   }
   broken += wrong != 0;
}

/* Draws layers into a picture, with so many samples per pixel, all alike; equation NULL: with blending off. */
static void
check(const struct equation *equation, GLuint program, const char *context, int layers, GLenum format,
      int samples)
{
   const bool bytes = format == GL_RGBA8;
   static float wide[SIZE * SIZE][4];
   for (int p = 0; p < SIZE * SIZE; p++) {
      for (int i = 0; i < 4; i++)
         wide[p][i] = destinations[p][i] / 255.0f;
   }
   const GLuint target = bytes ? make_texture(format, SIZE, GL_UNSIGNED_BYTE, destinations)
                               : make_texture(format, SIZE, GL_FLOAT, wide);
   const GLuint framebuffer = bind_new_framebuffer(0);
   if (samples > 1)
      attach_samples(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target, 0, samples);
   else
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target, 0);
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "framebuffer");
   const GLuint source = make_texture(GL_RGBA8, LAYERS * SIZE, GL_UNSIGNED_BYTE, sources);
   glViewport(0, 0, SIZE, SIZE);
   glUseProgram(program);
   if (equation) {
      glEnable(GL_BLEND);
      glBlendEquation(equation->name);
   } else {
      glDisable(GL_BLEND);
   }
   draw_layers(layers);
   static unsigned char read[SIZE * SIZE][4];
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, bytes ? GL_UNSIGNED_BYTE : GL_FLOAT, bytes ? (void *)read : found);
   require(glGetError() == GL_NO_ERROR, "a GL error");
   for (int p = 0; bytes && p < SIZE * SIZE; p++) {
      for (int i = 0; i < 4; i++)
         found[p][i] = read[p][i] / 255.0f;
   }
   /* Half a step from rounding otherwise where the result lies between two; several layers add up. */
   compare(equation, context, layers, bytes,
           bytes        ? (layers > 1 ? 5.01 : 1.01) / 255
           : layers > 1 ? 1e-3
                        : 2e-5);
   glDeleteTextures(1, &target);
   glDeleteTextures(1, &source);
   glDeleteFramebuffers(1, &framebuffer);
}

int
main(void)
{
   for (int p = 0; p < LAYERS * SIZE * SIZE; p++)
      random_color(sources[p]);
   for (int p = 0; p < SIZE * SIZE; p++)
      random_color(destinations[p]);
   for (int desktop = 0; desktop < 2; desktop++) {
      const char *context = desktop ? "OpenGL" : "OpenGL ES";
      open_context(desktop);
      require(has_extension("GL_KHR_blend_equation_advanced"), "GL_KHR_blend_equation_advanced");
      require(has_extension("GL_KHR_blend_equation_advanced_coherent"),
              "GL_KHR_blend_equation_advanced_coherent");
      require(glIsEnabled(GL_BLEND_ADVANCED_COHERENT_KHR), "blending is coherent by default");
      if (has_extension("GL_EXT_multisampled_render_to_texture"))
         attach_samples = (PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC)eglGetProcAddress(
            "glFramebufferTexture2DMultisampleEXT");
      else
         attach_samples = NULL;
      const GLuint all = make_blending_program(desktop, "blend_support_all_equations");
      for (unsigned e = 0; e < NUM_EQUATIONS; e++) {
         const GLuint one = make_blending_program(desktop, equations[e].qualifier);
         check(&equations[e], one, context, 1, GL_RGBA8, 1);
         check(&equations[e], all, context, 1, GL_RGBA8, 1);
         check(&equations[e], all, context, LAYERS, GL_RGBA8, 1);
         if (attach_samples)
            check(&equations[e], all, context, LAYERS, GL_RGBA8, 4);
         if (desktop) {
            check(&equations[e], one, context, 1, GL_RGBA32F, 1);
            check(&equations[e], all, context, LAYERS, GL_RGBA32F, 1);
         }
      }
      check(NULL, all, context, LAYERS, GL_RGBA8, 1);
   }
   if (broken)
      fprintf(stderr, "advanced: %d pictures are wrong\n", broken);
   return broken != 0;
}
