/* SPDX-License-Identifier: MIT */
/** Images that textures are made of: noise, bricks, faces, sweets, signs. */
#include <math.h>
#include <string.h>

#include "scene.h"

struct color {
   float r, g, b;
};

static uint32_t
hash(uint32_t x, uint32_t y, uint32_t seed)
{
   uint32_t state = x * 374761393u + y * 668265263u + seed * 2246822519u;
   return random_bits(&state);
}

/* Between -1 and 1; the same at both ends of the period. */
static float
noise_octave(float x, float y, unsigned period, uint32_t seed)
{
   const float fx = floorf(x), fy = floorf(y);
   const unsigned x0 = (unsigned)(int)fx % period, y0 = (unsigned)(int)fy % period;
   const unsigned x1 = (x0 + 1) % period, y1 = (y0 + 1) % period;
   float s = x - fx, t = y - fy;
   s = s * s * (3 - 2 * s);
   t = t * t * (3 - 2 * t);
   const float scale = 1 / 2147483648.0f;
   const float a = hash(x0, y0, seed) * scale - 1, b = hash(x1, y0, seed) * scale - 1;
   const float c = hash(x0, y1, seed) * scale - 1, d = hash(x1, y1, seed) * scale - 1;
   const float above = a + (b - a) * s, below = c + (d - c) * s;
   return above + (below - above) * t;
}

static float
noise(float u, float v, unsigned period, uint32_t seed)
{
   float sum = 0, weight = 0.5f;
   for (unsigned octave = 0; octave < 4; octave++, period *= 2, weight /= 2)
      sum += weight * noise_octave(u * period, v * period, period, seed + octave);
   return sum;
}

static struct color
mix(struct color a, struct color b, float t)
{
   t = fminf(fmaxf(t, 0), 1);
   return (struct color){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

static struct color
shade(struct color color, float light)
{
   return (struct color){color.r * light, color.g * light, color.b * light};
}

static struct color
hue(uint32_t seed)
{
   const float at = hash(seed, 17, 3) / 4294967296.0f * 6;
   const struct color color = {fabsf(at - 3) - 1, 2 - fabsf(at - 2), 2 - fabsf(at - 4)};
   return mix((struct color){0.25f, 0.22f, 0.25f},
              mix((struct color){1, 1, 1},
                  (struct color){fminf(fmaxf(color.r, 0), 1), fminf(fmaxf(color.g, 0), 1),
                                 fminf(fmaxf(color.b, 0), 1)},
                  0.7f),
              0.9f);
}

static float
disc(float u, float v, float x, float y, float radius)
{
   return (radius - hypotf(u - x, v - y)) * 40;
}

static struct color
brick(float u, float v, uint32_t seed, struct color stone, unsigned rows, float joint)
{
   const float y = v * rows, row = floorf(y);
   const float x = u * rows / 2 + ((int)row % 2 ? 0.5f : 0), column = floorf(x);
   const float edge = fminf(fminf(x - column, column + 1 - x) * 2, fminf(y - row, row + 1 - y));
   const float tone =
      0.8f + 0.35f * hash((uint32_t)(int)column % (rows / 2), (uint32_t)(int)row, seed) / 4294967296.0f;
   const struct color face = shade(stone, tone + 0.3f * noise(u, v, 16, seed));
   return mix((struct color){0.55f, 0.53f, 0.5f}, face, (edge - joint) * 20);
}

static struct color
sky(float u, float v, uint32_t seed)
{
   const struct color high = {0.25f, 0.5f, 0.9f}, low = {0.75f, 0.87f, 0.97f}, cloud = {0.98f, 0.98f, 1};
   return mix(mix(high, low, v), cloud, 1.8f * noise(u, v, 4, seed) + 0.15f);
}

static struct color
road(float u, float v, uint32_t seed)
{
   const float across = fabsf(u - 0.5f);
   const struct color asphalt = shade((struct color){0.33f, 0.33f, 0.36f}, 1 + 0.35f * noise(u, v, 32, seed));
   struct color color = mix(asphalt, (struct color){0.95f, 0.95f, 0.9f}, (0.012f - across) * 200);
   if (v > 0.5f)
      color = asphalt;
   const struct color grass = shade((struct color){0.28f, 0.5f, 0.2f}, 1 + 0.5f * noise(u, v, 24, seed + 9));
   color = mix(color, (struct color){0.9f, 0.3f, 0.25f}, (across - 0.36f) * 200);
   return mix(color, grass, (across - 0.39f) * 200);
}

static struct color
icon(float u, float v, uint32_t seed)
{
   const struct color body = hue(seed), light = mix(body, (struct color){1, 1, 1}, 0.6f);
   const float stripe = sinf((u * 3 + v * 3) * 6.2832f + (seed % 3));
   struct color color = mix(body, light, seed % 2 ? stripe * 3 : disc(u, v, 0.5f, 0.5f, 0.25f));
   color = shade(color, 1.1f - 0.6f * hypotf(u - 0.5f, v - 0.5f));
   return mix(color, (struct color){1, 1, 1}, disc(u, v, 0.36f, 0.28f, 0.1f));
}

static struct color
face(float u, float v, uint32_t seed)
{
   const struct color skin = {0.93f, 0.72f, 0.55f}, cloth = hue(seed), dark = {0.1f, 0.08f, 0.08f};
   struct color color = v < 0.36f ? skin : shade(cloth, 0.95f + 0.2f * noise(u, v, 16, seed));
   color = v < 0.12f ? shade(hue(seed + 5), 0.6f) : color;
   color = mix(color, (struct color){1, 1, 1},
               fmaxf(disc(u, v, 0.42f, 0.2f, 0.05f), disc(u, v, 0.58f, 0.2f, 0.05f)));
   color = mix(color, dark, fmaxf(disc(u, v, 0.42f, 0.21f, 0.025f), disc(u, v, 0.58f, 0.21f, 0.025f)));
   color = mix(color, (struct color){0.75f, 0.25f, 0.22f},
               v > 0.28f && v < 0.31f ? (0.08f - fabsf(u - 0.5f)) * 60 : 0);
   return mix(color, dark, v > 0.62f && v < 0.66f ? 1 : 0);
}

static struct color
facade(float u, float v, uint32_t seed)
{
   const struct color wall =
      shade(mix(hue(seed), (struct color){0.7f, 0.68f, 0.62f}, 0.7f), 1 + 0.2f * noise(u, v, 16, seed));
   const float x = u * 5, y = v * 6, fx = x - floorf(x), fy = y - floorf(y);
   const bool lit = hash((uint32_t)x, (uint32_t)y, seed) % 4 == 0;
   const struct color glass =
      lit ? (struct color){0.98f, 0.9f, 0.6f}
          : mix((struct color){0.2f, 0.28f, 0.4f}, (struct color){0.5f, 0.62f, 0.75f}, 1 - fy);
   const float inside = fminf(fminf(fx - 0.2f, 0.8f - fx), fminf(fy - 0.2f, 0.85f - fy));
   return mix(wall, glass, inside * 40);
}

static struct color
sign(float u, float v, uint32_t seed)
{
   const struct color ground = hue(seed + 2), frame = {0.95f, 0.82f, 0.4f};
   const float edge = fminf(fminf(u, 1 - u), fminf(v, 1 - v));
   const float line = sinf(v * 40) > 0.2f && hash((uint32_t)(u * 24), (uint32_t)(v * 40 / 6.2832f), seed) % 3;
   struct color color =
      mix(shade(ground, 0.75f + 0.3f * (1 - v)), (struct color){1, 1, 1}, edge > 0.14f ? line * 0.9f : 0);
   return mix(frame, color, (edge - 0.05f) * 60);
}

static struct color
paint(unsigned kind, float u, float v, uint32_t seed)
{
   const float n = noise(u, v, 8, seed);
   switch (kind) {
   case IMAGE_GRASS:
      return mix((struct color){0.2f, 0.4f, 0.13f}, (struct color){0.5f, 0.65f, 0.26f},
                 0.5f + n + 0.4f * noise(u, v, 64, seed));
   case IMAGE_BRICK:
      return brick(u, v, seed, mix((struct color){0.68f, 0.32f, 0.22f}, hue(seed), 0.15f), 8, 0.05f);
   case IMAGE_ROAD: return road(u, v, seed);
   case IMAGE_SKY: return sky(u, v, seed);
   case IMAGE_WOOD: {
      const float plank = v * 5 - floorf(v * 5);
      const float grain = 0.2f * sinf((u * 4 + 2 * n) * 6.2832f + 20 * floorf(v * 5));
      return shade((struct color){0.66f, 0.44f, 0.24f}, plank < 0.06f ? 0.4f : 0.95f + grain + 0.2f * n);
   }
   case IMAGE_ICON: return icon(u, v, seed);
   case IMAGE_FACE: return face(u, v, seed);
   case IMAGE_FACADE: return facade(u, v, seed);
   case IMAGE_METAL: {
      const float x = u * 4 - floorf(u * 4), y = v * 4 - floorf(v * 4);
      const bool joint = x < 0.04f || y < 0.04f;
      const struct color plate = mix((struct color){0.55f, 0.58f, 0.62f}, hue(seed), 0.45f);
      return shade(mix(plate, (struct color){0.2f, 0.2f, 0.22f}, disc(x, y, 0.14f, 0.14f, 0.05f)),
                   joint ? 0.5f : 1 + 0.25f * n);
   }
   case IMAGE_SIGN: return sign(u, v, seed);
   case IMAGE_STONE: return brick(u, v, seed, (struct color){0.62f, 0.6f, 0.55f}, 4, 0.03f);
   default: return mix((struct color){0.2f, 0.16f, 0.3f}, (struct color){0.7f, 0.55f, 0.65f}, 0.5f + n);
   }
}

static uint8_t
to_byte(float value)
{
   return value <= 0 ? 0 : value >= 1 ? 255 : (uint8_t)(value * 255 + 0.5f);
}

void
draw_image(struct texture_recipe recipe, unsigned size, uint8_t *rgba)
{
   for (unsigned y = 0; y < size; y++) {
      for (unsigned x = 0; x < size; x++, rgba += 4) {
         const struct color color = paint(recipe.kind, (x + 0.5f) / size, (y + 0.5f) / size, recipe.seed);
         rgba[0] = to_byte(color.r);
         rgba[1] = to_byte(color.g);
         rgba[2] = to_byte(color.b);
         rgba[3] = 255;
      }
   }
}

/** The next level: half as many texels, rounded down, each the average of the ones that it covers. */
void
halve_image(const uint8_t *rgba, unsigned width, unsigned height, uint8_t *half)
{
   const unsigned across = width > 1 ? width / 2 : 1, down = height > 1 ? height / 2 : 1;
   for (unsigned y = 0; y < down; y++) {
      for (unsigned x = 0; x < across; x++) {
         const unsigned x0 = x * width / across, x1 = (x + 1) * width / across;
         const unsigned y0 = y * height / down, y1 = (y + 1) * height / down;
         unsigned sums[4] = {0}, count = 0;
         for (unsigned sy = y0; sy < y1; sy++) {
            for (unsigned sx = x0; sx < x1; sx++, count++) {
               for (unsigned c = 0; c < 4; c++)
                  sums[c] += rgba[((size_t)sy * width + sx) * 4 + c];
            }
         }
         for (unsigned c = 0; c < 4; c++)
            half[((size_t)y * across + x) * 4 + c] = (sums[c] + count / 2) / count;
      }
   }
}
