/* SPDX-License-Identifier: MIT */
/* Blending, logic operations and colour masks of every renderable format against a
 * reference that treats one pixel at a time as four numbers, with the format library's
 * packing and unpacking. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "raster_harness.h"
#include "support/run_tests.h"
#include "pipe/tbr_formats.h"
#include "util/format/u_format.h"

#define WIDTH 21
#define HEIGHT 13
#define ROUNDS 6

/* ---- the program's colours ---------------------------------------------- */

/* What the colours of the draw being tested are made of; program_constants.depth tells
 * the draws apart. */
static uint64_t color_seed;
static struct {
   bool integer;
   uint32_t quantum; /* not 0: multiples of 1 / quantum, which rounding cannot change */
   bool far_out;     /* also beyond 0 … 1 */
} color_kinds[TBR_MAX_COLOR_BUFFERS];
#define SECOND_SOURCE TBR_MAX_COLOR_BUFFERS

static uint64_t
hash_of(unsigned draw, unsigned buffer, unsigned c, unsigned x, unsigned y)
{
   uint64_t state = color_seed + (((((uint64_t)draw * 16 + buffer) * 4 + c) * 64 + x) * 64 + y) * 0x9e3779b9u;
   random_bits(&state);
   return state;
}

static float
program_color(unsigned draw, unsigned buffer, unsigned c, unsigned x, unsigned y)
{
   uint64_t random = hash_of(draw, buffer, c, x, y);
   const unsigned kind = buffer == SECOND_SOURCE ? 0 : buffer;
   if (color_kinds[kind].integer) {
      const uint32_t bits = random_bits(&random) >> random_below(&random, 32);
      float value;
      memcpy(&value, &bits, 4);
      return value;
   }
   if (color_kinds[kind].quantum)
      return (float)random_below(&random, color_kinds[kind].quantum + 1) / (float)color_kinds[kind].quantum;
   return color_kinds[kind].far_out ? random_float(&random, -1.5f, 2.5f) : random_float(&random, 0, 1);
}

static bool
is_discarded(unsigned draw, unsigned x, unsigned y)
{
   uint64_t random = hash_of(draw, 15, 0, x, y);
   return random_below(&random, 4) == 0;
}

static void
shade(const struct tbr_fragment_resources *resources, struct tbr_fragment_block *block,
      struct tbr_texture_thread *thread)
{
   const struct program_constants *constants = (const void *)resources->constants[0].words;
   const unsigned draw = constants->depth;
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      const unsigned x = block->window_x[lane], y = block->window_y[lane];
      for (unsigned c = 0; c < 4; c++) {
         for (unsigned n = 0; n < TBR_MAX_COLOR_BUFFERS; n++)
            block->color[n][c][lane] = program_color(draw, n, c, x, y);
         block->color_second[c][lane] = program_color(draw, SECOND_SOURCE, c, x, y);
      }
      if (constants->discard != 0 && is_discarded(draw, x, y))
         block->live &= ~(1u << lane);
   }
}

/* ---- the reference ------------------------------------------------------- */

union color {
   float f[4];
   uint32_t ui[4];
   int32_t i[4];
};

struct limits {
   float low, high;
};

static struct limits
limits_of(enum pipe_format format)
{
   if (util_format_is_snorm(format))
      return (struct limits){-1, 1};
   if (util_format_is_unorm(format) || util_format_is_srgb(format))
      return (struct limits){0, 1};
   return (struct limits){-INFINITY, INFINITY};
}

static float
limited(struct limits limits, float value)
{
   return value < limits.low ? limits.low : value > limits.high ? limits.high : value;
}

static float
reference_factor(enum pipe_blendfactor factor, unsigned c, const float source[4], const float second[4],
                 const float destination[4], const float constant[4])
{
   switch (factor) {
   case PIPE_BLENDFACTOR_ZERO: return 0;
   case PIPE_BLENDFACTOR_ONE: return 1;
   case PIPE_BLENDFACTOR_SRC_COLOR: return source[c];
   case PIPE_BLENDFACTOR_INV_SRC_COLOR: return 1 - source[c];
   case PIPE_BLENDFACTOR_SRC_ALPHA: return source[3];
   case PIPE_BLENDFACTOR_INV_SRC_ALPHA: return 1 - source[3];
   case PIPE_BLENDFACTOR_DST_COLOR: return destination[c];
   case PIPE_BLENDFACTOR_INV_DST_COLOR: return 1 - destination[c];
   case PIPE_BLENDFACTOR_DST_ALPHA: return destination[3];
   case PIPE_BLENDFACTOR_INV_DST_ALPHA: return 1 - destination[3];
   case PIPE_BLENDFACTOR_CONST_COLOR: return constant[c];
   case PIPE_BLENDFACTOR_INV_CONST_COLOR: return 1 - constant[c];
   case PIPE_BLENDFACTOR_CONST_ALPHA: return constant[3];
   case PIPE_BLENDFACTOR_INV_CONST_ALPHA: return 1 - constant[3];
   case PIPE_BLENDFACTOR_SRC1_COLOR: return second[c];
   case PIPE_BLENDFACTOR_INV_SRC1_COLOR: return 1 - second[c];
   case PIPE_BLENDFACTOR_SRC1_ALPHA: return second[3];
   case PIPE_BLENDFACTOR_INV_SRC1_ALPHA: return 1 - second[3];
   case PIPE_BLENDFACTOR_SRC_ALPHA_SATURATE: return c == 3 ? 1 : fminf(source[3], 1 - destination[3]);
   default: fail_msg("blend factor %u", factor); return 0;
   }
}

static void
reference_blend(const struct tbr_draw_state *draw, const struct pipe_rt_blend_state *rt,
                enum pipe_format format, const float first[4], const float other[4],
                const float destination[4], float result[4])
{
   const struct limits limits = limits_of(format);
   float source[4], second[4], constant[4];
   for (unsigned c = 0; c < 4; c++) {
      source[c] = limited(limits, first[c]);
      second[c] = limited(limits, other[c]);
      constant[c] = limited(limits, draw->blend_color[c]);
   }
   for (unsigned c = 0; c < 4; c++) {
      const unsigned function = c < 3 ? rt->rgb_func : rt->alpha_func;
      const float s = source[c], d = destination[c];
      const float a = s * reference_factor(c < 3 ? rt->rgb_src_factor : rt->alpha_src_factor, c, source,
                                           second, destination, constant);
      const float b = d * reference_factor(c < 3 ? rt->rgb_dst_factor : rt->alpha_dst_factor, c, source,
                                           second, destination, constant);
      result[c] = limited(limits, function == PIPE_BLEND_ADD                ? a + b
                                  : function == PIPE_BLEND_SUBTRACT         ? a - b
                                  : function == PIPE_BLEND_REVERSE_SUBTRACT ? b - a
                                  : function == PIPE_BLEND_MIN              ? fminf(s, d)
                                                                            : fmaxf(s, d));
   }
}

/* The truth table of an operation is its number: bit 2 s + d is the result. */
static uint8_t
reference_logic(enum pipe_logicop operation, uint8_t source, uint8_t destination)
{
   uint8_t result = 0;
   for (unsigned bit = 0; bit < 8; bit++) {
      const unsigned s = source >> bit & 1, d = destination >> bit & 1;
      result |= (operation >> (2 * s + d) & 1) << bit;
   }
   return result;
}

/* What a pixel becomes. */
static void
reference_pixel(const struct tbr_draw_state *draw, enum pipe_format format, unsigned n, unsigned x,
                unsigned y, uint8_t *pixel)
{
   const struct pipe_rt_blend_state *rt = &draw->blend.rt[n];
   const size_t bytes = util_format_get_blocksize(format);
   const bool integer = util_format_is_pure_integer(format);
   union color source, second, old, result;
   for (unsigned c = 0; c < 4; c++) {
      source.f[c] = program_color(1, n, c, x, y);
      second.f[c] = program_color(1, SECOND_SOURCE, c, x, y);
   }
   if (draw->alpha_to_one && !integer)
      source.f[3] = second.f[3] = 1;
   util_format_unpack_rgba(format, &old, pixel, 1);
   result = source;
   if (rt->blend_enable && !integer && !draw->blend.logicop_enable)
      reference_blend(draw, rt, format, source.f, second.f, old.f, result.f);
   uint8_t packed[16] = {0};
   util_format_pack_rgba(format, packed, &result, 1);
   if (draw->blend.logicop_enable && !util_format_is_float(format) && !util_format_is_srgb(format)) {
      for (size_t at = 0; at < bytes; at++)
         packed[at] = reference_logic(draw->blend.logicop_func, packed[at], pixel[at]);
   }
   util_format_unpack_rgba(format, &result, packed, 1);
   for (unsigned c = 0; c < 4; c++) {
      if (!(rt->colormask >> c & 1))
         result.ui[c] = old.ui[c];
   }
   util_format_pack_rgba(format, pixel, &result, 1);
}

/* ---- comparing ----------------------------------------------------------- */

static bool
is_fixed_point(enum pipe_format format)
{
   return util_format_is_unorm(format) || util_format_is_snorm(format) || util_format_is_srgb(format);
}

/* Channels that a float has no room for: the reference itself is not exact. */
static bool
is_finer_than_float(enum pipe_format format)
{
   return is_fixed_point(format) && util_format_description(format)->channel[0].size > 24;
}

/* Equal, but for one unit of fixed-point channels that are computed. */
static bool
is_like(enum pipe_format format, bool exact, const uint8_t *expected, const uint8_t *found)
{
   union color a, b;
   util_format_unpack_rgba(format, &a, expected, 1);
   util_format_unpack_rgba(format, &b, found, 1);
   if (exact || !is_fixed_point(format))
      return memcmp(&a, &b, sizeof a) == 0 || (!util_format_is_pure_integer(format) && a.f[0] == b.f[0] &&
                                               a.f[1] == b.f[1] && a.f[2] == b.f[2] && a.f[3] == b.f[3]);
   const struct util_format_description *description = util_format_description(format);
   for (unsigned c = 0; c < 4; c++) {
      const unsigned channel = description->swizzle[c];
      if (channel > PIPE_SWIZZLE_W) {
         if (a.f[c] != b.f[c])
            return false;
         continue;
      }
      const unsigned bits = description->channel[channel].size - util_format_is_snorm(format);
      const float unit = fmaxf(1.0f / (exp2f((float)bits) - 1.0f), 1e-6f);
      /* Near 1 a step of sRGB is up to 2.3 of its mean. */
      if (fabsf(a.f[c] - b.f[c]) > unit * (util_format_is_srgb(format) && c < 3 ? 2.5f : 1.01f))
         return false;
   }
   return true;
}

static void
check_buffer(const struct scene *scene, unsigned n, const struct image *before, const struct image *after,
             const struct run *run)
{
   const struct tbr_draw_state *draw = &scene->draws[1];
   const enum pipe_format format = scene->color[n].format;
   const size_t bytes = util_format_get_blocksize(format);
   const bool exact =
      (draw->blend.logicop_enable && !is_finer_than_float(format)) || util_format_is_pure_integer(format);
   for (unsigned at = 0; at < WIDTH * HEIGHT * scene->samples; at++) {
      const unsigned sample = at / (WIDTH * HEIGHT), x = at % WIDTH, y = at / WIDTH % HEIGHT;
      uint8_t expected[16];
      memcpy(expected, before->color[n] + at * bytes, bytes);
      if (draw->sample_mask >> sample & 1 && x >= draw->scissor_x0 && x < draw->scissor_x1 &&
          y >= draw->scissor_y0 && y < draw->scissor_y1 && !(draw->shader_discards && is_discarded(1, x, y)))
         reference_pixel(draw, format, n, x, y, expected);
      if (is_like(format, exact, expected, after->color[n] + at * bytes))
         continue;
      const struct pipe_rt_blend_state *rt = &draw->blend.rt[n];
      union color a, b;
      util_format_unpack_rgba(format, &a, expected, 1);
      util_format_unpack_rgba(format, &b, after->color[n] + at * bytes, 1);
      fail_msg("%s, tiles of %u: %s, buffer %u, pixel %u,%u, sample %u is %g %g %g %g, not %g %g %g %g "
               "(mask %x, logic %d, blend %d: %u %u %u, %u %u %u; alpha to one %d)",
               run->isa->name, run->tile_size, util_format_short_name(format), n, x, y, sample, b.f[0],
               b.f[1], b.f[2], b.f[3], a.f[0], a.f[1], a.f[2], a.f[3], rt->colormask,
               draw->blend.logicop_enable ? (int)draw->blend.logicop_func : -1, rt->blend_enable,
               rt->rgb_func, rt->rgb_src_factor, rt->rgb_dst_factor, rt->alpha_func, rt->alpha_src_factor,
               rt->alpha_dst_factor, draw->alpha_to_one);
   }
}

/* ---- scenes -------------------------------------------------------------- */

static struct tbr_draw_state *
add_draw(struct scene *scene, uint64_t *random)
{
   struct tbr_draw_state *draw = scene_add_draw(scene);
   scene->constants[scene->num_draws - 1].depth = scene->num_draws - 1;
   draw->shade = shade;
   draw->multisample = scene->samples > 1;
   add_rectangle(scene, random);
   return draw;
}

static void
choose_state(struct scene *scene, struct tbr_draw_state *draw, bool logic, uint64_t *random)
{
   for (unsigned c = 0; c < 4; c++)
      draw->blend_color[c] = random_float(random, -0.5f, 1.5f);
   draw->dual_source = scene->num_color == 1 && random_below(random, 3) == 0;
   draw->blend.logicop_enable = logic;
   draw->blend.logicop_func = random_below(random, 16);
   for (unsigned n = 0; n < scene->num_color; n++) {
      if (random_below(random, 5))
         random_blend(random, draw, &draw->blend.rt[n]);
      if (random_below(random, 3) == 0)
         draw->blend.rt[n].colormask = random_below(random, 16);
   }
   if (random_below(random, 2)) {
      draw->scissor_x0 = random_below(random, WIDTH / 2);
      draw->scissor_y0 = random_below(random, HEIGHT / 2);
      draw->scissor_x1 -= random_below(random, WIDTH / 2);
      draw->scissor_y1 -= random_below(random, HEIGHT / 2);
   }
   if (random_below(random, 2)) {
      draw->shader_discards = true;
      scene->constants[1].discard = 1;
   }
   if (scene->samples > 1) {
      draw->sample_mask = random_below(random, 2) ? 15 : random_below(random, 15) + 1;
      draw->alpha_to_one = random_below(random, 4) == 0;
   }
}

/* The largest value of a channel, so that logic operations see the same bits whoever
 * rounds; 0 where they do not apply. */
static uint32_t
quantum_of(enum pipe_format format, bool logic)
{
   if (!logic || !is_fixed_point(format))
      return 0;
   const struct util_format_description *description = util_format_description(format);
   uint32_t quantum = 0;
   for (unsigned c = 0; c < description->nr_channels; c++) {
      if (description->channel[c].type == UTIL_FORMAT_TYPE_VOID)
         continue;
      const uint32_t maximum =
         UINT32_MAX >> (32 - description->channel[c].size + util_format_is_snorm(format));
      /* Of channels of several sizes, and of those that a float has no room for, only the
       * ends are exact. */
      quantum = (!quantum || quantum == maximum) && maximum < 1u << 24 ? maximum : 1;
   }
   return quantum;
}

static void
check_formats(const enum pipe_format *formats, unsigned num_formats, uint32_t samples, bool logic,
              uint64_t *random)
{
   struct scene scene;
   scene_init(&scene, WIDTH, HEIGHT, formats[0], PIPE_FORMAT_NONE);
   scene.samples = samples;
   scene.num_color = num_formats;
   color_seed = random_bits(random);
   for (unsigned n = 0; n < num_formats; n++) {
      scene.color[n].format = formats[n];
      scene.color[n].clear = true;
      color_kinds[n].integer = util_format_is_pure_integer(formats[n]);
      color_kinds[n].quantum = quantum_of(formats[n], logic);
      color_kinds[n].far_out = random_below(random, 2);
   }
   add_draw(&scene, random);
   choose_state(&scene, add_draw(&scene, random), logic, random);
   struct scene first = scene;
   first.num_primitives = 1;
   struct image before;
   const struct run run_before = {levels[0], 16, false, false, 0, 0};
   scene_render(&first, &run_before, &before);
   for (unsigned level = 0; level < num_levels; level++) {
      const struct run run = {levels[level], level & 1 ? 32 : 8, false, false, 0, 0};
      struct image after;
      scene_render(&scene, &run, &after);
      for (unsigned n = 0; n < num_formats; n++)
         check_buffer(&scene, n, &before, &after, &run);
      image_finish(&after);
   }
   image_finish(&before);
   scene_finish(&scene);
}

static unsigned
renderable_formats(enum pipe_format formats[PIPE_FORMAT_COUNT])
{
   unsigned count = 0;
   for (unsigned format = 1; format < PIPE_FORMAT_COUNT; format++) {
      if (tbr_format_is_color_renderable(format))
         formats[count++] = format;
   }
   return count;
}

/* Each format on its own. */
TEST(every_format)
{
   enum pipe_format formats[PIPE_FORMAT_COUNT];
   const unsigned count = renderable_formats(formats);
   uint64_t random = 21;
   assert_true(count > 50);
   for (unsigned n = 0; n < count; n++) {
      for (unsigned round = 0; round < ROUNDS; round++)
         check_formats(&formats[n], 1, round & 1 ? TBR_MAX_SAMPLES : 1, round % 3 == 2, &random);
   }
}

/* Formats that games use, often. */
TEST(common_formats)
{
   static const enum pipe_format formats[] = {
      PIPE_FORMAT_B8G8R8A8_UNORM,    PIPE_FORMAT_B8G8R8X8_UNORM,     PIPE_FORMAT_R8G8B8A8_UNORM,
      PIPE_FORMAT_B5G6R5_UNORM,      PIPE_FORMAT_R8_UNORM,           PIPE_FORMAT_R8G8B8A8_SRGB,
      PIPE_FORMAT_R10G10B10A2_UNORM, PIPE_FORMAT_R16G16B16A16_FLOAT, PIPE_FORMAT_R11G11B10_FLOAT,
   };
   uint64_t random = 22;
   for (unsigned n = 0; n < sizeof(formats) / sizeof(formats[0]); n++) {
      for (unsigned round = 0; round < 40; round++)
         check_formats(&formats[n], 1, round & 1 ? TBR_MAX_SAMPLES : 1, round % 5 == 4, &random);
   }
}

/* Several buffers of different formats, each with its own equations and mask. */
TEST(several_buffers)
{
   enum pipe_format formats[PIPE_FORMAT_COUNT], chosen[TBR_MAX_COLOR_BUFFERS];
   const unsigned count = renderable_formats(formats);
   uint64_t random = 23;
   for (unsigned round = 0; round < 100; round++) {
      const unsigned buffers = 2 + random_below(&random, TBR_MAX_COLOR_BUFFERS - 1);
      for (unsigned n = 0; n < buffers; n++)
         chosen[n] = formats[random_below(&random, count)];
      check_formats(chosen, buffers, round & 1 ? TBR_MAX_SAMPLES : 1, round % 4 == 3, &random);
   }
}
