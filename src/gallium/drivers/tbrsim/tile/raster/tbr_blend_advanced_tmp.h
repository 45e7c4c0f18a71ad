/* SPDX-License-Identifier: MIT */
/* The equations of KHR_blend_equation_advanced, f(Cs, Cd) of tables X.1 and X.2 of its specification. The
 * shaders only give the source colour: Mesa's own evaluation of the equations has been taken out of them
 * (tbr_nir_drop_blend_equation). */
#include <math.h>

#include "compiler/shader_enums.h"
#include "tile/tbr_tile.h"
#include "tile/raster/tbr_vector.h"

/* ---- component by component ----------------------------------------------- */

TBR_INLINE float
lesser(float a, float b)
{
   return a < b ? a : b;
}

TBR_INLINE float
greater(float a, float b)
{
   return a > b ? a : b;
}

TBR_INLINE float
hard_light(float s, float d)
{
   return s <= 0.5f ? 2 * s * d : 1 - 2 * (1 - s) * (1 - d);
}

TBR_INLINE float
color_dodge(float s, float d)
{
   return d <= 0 ? 0 : s < 1 ? lesser(1, d / (1 - s)) : 1;
}

TBR_INLINE float
color_burn(float s, float d)
{
   return d >= 1 ? 1 : s > 0 ? 1 - lesser(1, (1 - d) / s) : 0;
}

TBR_INLINE float
soft_light(float s, float d)
{
   if (s <= 0.5f)
      return d - (1 - 2 * s) * d * (1 - d);
   return d + (2 * s - 1) * (d <= 0.25f ? d * ((16 * d - 12) * d + 3) : sqrtf(d) - d);
}

TBR_INLINE float
blend_separable(enum gl_advanced_blend_mode mode, float s, float d)
{
   switch (mode) {
   case BLEND_MULTIPLY: return s * d;
   case BLEND_SCREEN: return s + d - s * d;
   case BLEND_OVERLAY: return hard_light(d, s);
   case BLEND_DARKEN: return lesser(s, d);
   case BLEND_LIGHTEN: return greater(s, d);
   case BLEND_COLORDODGE: return color_dodge(s, d);
   case BLEND_COLORBURN: return color_burn(s, d);
   case BLEND_HARDLIGHT: return hard_light(s, d);
   case BLEND_SOFTLIGHT: return soft_light(s, d);
   case BLEND_DIFFERENCE: return fabsf(d - s);
   case BLEND_EXCLUSION: return s + d - 2 * s * d;
   default: unreachable("there are no more separable equations");
   }
}

/* ---- hue, saturation, luminosity ------------------------------------------- */

struct rgb {
   float r, g, b;
};

TBR_INLINE float
luminosity(struct rgb c)
{
   return 0.30f * c.r + 0.59f * c.g + 0.11f * c.b;
}

TBR_INLINE float
least_component(struct rgb c)
{
   return lesser(lesser(c.r, c.g), c.b);
}

TBR_INLINE float
greatest_component(struct rgb c)
{
   return greater(greater(c.r, c.g), c.b);
}

/* The colour, moved along the axis of greys until it has a luminosity, then towards its grey as far as it is
 * out of range. Greys are in range but for rounding, which must not become a factor. */
TBR_INLINE struct rgb
set_luminosity(struct rgb base, float wanted)
{
   const float more = wanted - luminosity(base);
   struct rgb c = {base.r + more, base.g + more, base.b + more};
   const float grey = luminosity(c), low = least_component(c), high = greatest_component(c);
   float factor = 1;
   if (low < 0)
      factor = grey > low ? greater(grey, 0) / (grey - low) : 0;
   else if (high > 1)
      factor = high > grey ? greater(1 - grey, 0) / (high - grey) : 0;
   if (factor < 1) {
      c.r = grey + (c.r - grey) * factor;
      c.g = grey + (c.g - grey) * factor;
      c.b = grey + (c.b - grey) * factor;
   }
   return c;
}

TBR_INLINE struct rgb
set_saturation(struct rgb base, struct rgb from)
{
   const float low = least_component(base), range = greatest_component(base) - low;
   const float wanted = greatest_component(from) - least_component(from);
   if (!(range > 0))
      return (struct rgb){0, 0, 0};
   return (struct rgb){(base.r - low) * wanted / range, (base.g - low) * wanted / range,
                       (base.b - low) * wanted / range};
}

TBR_INLINE struct rgb
blend_hsl(enum gl_advanced_blend_mode mode, struct rgb s, struct rgb d)
{
   switch (mode) {
   case BLEND_HSL_HUE: return set_luminosity(set_saturation(s, d), luminosity(d));
   case BLEND_HSL_SATURATION: return set_luminosity(set_saturation(d, s), luminosity(d));
   case BLEND_HSL_COLOR: return set_luminosity(s, luminosity(d));
   case BLEND_HSL_LUMINOSITY: return set_luminosity(d, luminosity(s));
   default: unreachable("there are no more equations of hue, saturation and luminosity");
   }
}

/* ---- sixteen fragments ------------------------------------------------------- */

/* A premultiplied component without its alpha; exactly 1 if it is as large. */
TBR_INLINE float
divide_by_alpha(float component, float alpha)
{
   return alpha == 0 ? 0 : component / alpha;
}

TBR_INLINE struct rgb
blend_rgb(enum gl_advanced_blend_mode mode, struct rgb s, struct rgb d)
{
   if (mode >= BLEND_HSL_HUE)
      return blend_hsl(mode, s, d);
   return (struct rgb){blend_separable(mode, s.r, d.r), blend_separable(mode, s.g, d.g),
                       blend_separable(mode, s.b, d.b)};
}

TBR_INLINE void
blend_lanes_as(enum gl_advanced_blend_mode mode, const float source[4][TBR_LANES], float pixels[4][TBR_LANES])
{
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      const float sa = source[3][lane], da = pixels[3][lane];
      const struct rgb s = {divide_by_alpha(source[0][lane], sa), divide_by_alpha(source[1][lane], sa),
                            divide_by_alpha(source[2][lane], sa)};
      const struct rgb d = {divide_by_alpha(pixels[0][lane], da), divide_by_alpha(pixels[1][lane], da),
                            divide_by_alpha(pixels[2][lane], da)};
      const float both = sa * da, only_source = sa * (1 - da), only_destination = da * (1 - sa);
      const struct rgb f = blend_rgb(mode, s, d);
      pixels[0][lane] = f.r * both + s.r * only_source + d.r * only_destination;
      pixels[1][lane] = f.g * both + s.g * only_source + d.g * only_destination;
      pixels[2][lane] = f.b * both + s.b * only_source + d.b * only_destination;
      pixels[3][lane] = both + only_source + only_destination;
   }
}

static __attribute__((noinline)) void
blend_lanes(enum gl_advanced_blend_mode mode, const float source[4][TBR_LANES], float pixels[4][TBR_LANES])
{
   switch (mode) {
#define CASE(mode) \
   case mode: blend_lanes_as(mode, source, pixels); break;
      CASE(BLEND_MULTIPLY)
      CASE(BLEND_SCREEN)
      CASE(BLEND_OVERLAY)
      CASE(BLEND_DARKEN)
      CASE(BLEND_LIGHTEN)
      CASE(BLEND_COLORDODGE)
      CASE(BLEND_COLORBURN)
      CASE(BLEND_HARDLIGHT)
      CASE(BLEND_SOFTLIGHT)
      CASE(BLEND_DIFFERENCE)
      CASE(BLEND_EXCLUSION)
      CASE(BLEND_HSL_HUE)
      CASE(BLEND_HSL_SATURATION)
      CASE(BLEND_HSL_COLOR)
      CASE(BLEND_HSL_LUMINOSITY)
#undef CASE
   case BLEND_NONE: unreachable("there is no equation");
   }
}

static struct colors
blend_advanced(enum gl_advanced_blend_mode mode, const struct colors *source,
               const struct colors *destination)
{
   float from[4][TBR_LANES], pixels[4][TBR_LANES];
   store_colors(from, *source);
   store_colors(pixels, *destination);
   blend_lanes(mode, from, pixels);
   return load_colors(pixels);
}
