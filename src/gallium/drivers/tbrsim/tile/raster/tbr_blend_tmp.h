/* SPDX-License-Identifier: MIT */
/* Blending, logic operations and colour masks: from the shader's colours to the
 * on-chip colour buffers. */
#include "tile/tbr_tile.h"
#include "tile/raster/tbr_vector.h"

/* r, g, b, a of sixteen fragments. Four members, not an array: the compiler keeps
 * them in registers. */
struct colors {
   floats r, g, b, a;
};

#define EACH_COLOR(E)        \
   (struct colors)           \
   {                         \
      E(r), E(g), E(b), E(a) \
   }

TBR_INLINE floats
clamp_floats(floats a, float low, float high)
{
   return floats_min(floats_max(a, floats_all(low)), floats_all(high));
}

TBR_INLINE struct colors
load_colors(const float planes[4][TBR_LANES])
{
   return (struct colors){floats_load(planes[0]), floats_load(planes[1]), floats_load(planes[2]),
                          floats_load(planes[3])};
}

TBR_INLINE void
store_colors(float planes[4][TBR_LANES], struct colors colors)
{
   floats_store(planes[0], colors.r);
   floats_store(planes[1], colors.g);
   floats_store(planes[2], colors.b);
   floats_store(planes[3], colors.a);
}

TBR_INLINE struct colors
clamp_colors(const struct tbr_tile_color *buffer, struct colors colors)
{
   if (buffer->clamp_high == INFINITY)
      return colors;
#define E(n) clamp_floats(colors.n, buffer->clamp_low, buffer->clamp_high)
   return EACH_COLOR(E);
#undef E
}

#include "tile/raster/tbr_blend_advanced_tmp.h"
#include "tile/raster/tbr_blend_float_tmp.h"

/* ---- blend equations --------------------------------------------------- */

struct blend_inputs {
   struct colors source, second, destination, constant;
};

TBR_INLINE floats
one_minus(floats a)
{
   return floats_sub(floats_all(1.0f), a);
}

TBR_INLINE floats
component(const struct colors *colors, unsigned c)
{
   const floats *const components[4] = {&colors->r, &colors->g, &colors->b, &colors->a};
   return *components[c];
}

static floats
blend_factor(enum pipe_blendfactor factor, const struct blend_inputs *in, unsigned c)
{
   switch (factor) {
   case PIPE_BLENDFACTOR_ONE: return floats_all(1.0f);
   case PIPE_BLENDFACTOR_SRC_COLOR: return component(&in->source, c);
   case PIPE_BLENDFACTOR_SRC_ALPHA: return in->source.a;
   case PIPE_BLENDFACTOR_DST_ALPHA: return in->destination.a;
   case PIPE_BLENDFACTOR_DST_COLOR: return component(&in->destination, c);
   case PIPE_BLENDFACTOR_SRC_ALPHA_SATURATE:
      return c == 3 ? floats_all(1.0f) : floats_min(in->source.a, one_minus(in->destination.a));
   case PIPE_BLENDFACTOR_CONST_COLOR: return component(&in->constant, c);
   case PIPE_BLENDFACTOR_CONST_ALPHA: return in->constant.a;
   case PIPE_BLENDFACTOR_SRC1_COLOR: return component(&in->second, c);
   case PIPE_BLENDFACTOR_SRC1_ALPHA: return in->second.a;
   case PIPE_BLENDFACTOR_ZERO: return floats_all(0.0f);
   case PIPE_BLENDFACTOR_INV_SRC_COLOR:
   case PIPE_BLENDFACTOR_INV_SRC_ALPHA:
   case PIPE_BLENDFACTOR_INV_DST_ALPHA:
   case PIPE_BLENDFACTOR_INV_DST_COLOR:
   case PIPE_BLENDFACTOR_INV_CONST_COLOR:
   case PIPE_BLENDFACTOR_INV_CONST_ALPHA:
   case PIPE_BLENDFACTOR_INV_SRC1_COLOR:
   case PIPE_BLENDFACTOR_INV_SRC1_ALPHA:
      return one_minus(blend_factor(factor & ~PIPE_BLENDFACTOR_INVERT_BIT, in, c));
   default: unreachable("there are no more blend factors");
   }
}

static floats
blend_component(enum pipe_blend_func function, enum pipe_blendfactor source_factor,
                enum pipe_blendfactor destination_factor, const struct blend_inputs *in, unsigned c)
{
   const floats source = component(&in->source, c), destination = component(&in->destination, c);
   if (function == PIPE_BLEND_MIN)
      return floats_min(source, destination);
   if (function == PIPE_BLEND_MAX)
      return floats_max(source, destination);
   const floats a = floats_mul(source, blend_factor(source_factor, in, c));
   const floats b = floats_mul(destination, blend_factor(destination_factor, in, c));
   switch (function) {
   case PIPE_BLEND_ADD: return floats_add(a, b);
   case PIPE_BLEND_SUBTRACT: return floats_sub(a, b);
   case PIPE_BLEND_REVERSE_SUBTRACT: return floats_sub(b, a);
   default: unreachable("there are no more blend equations");
   }
}

static struct colors
blend_general(const struct tbr_draw_state *state, const struct tbr_tile_color *buffer,
              const struct pipe_rt_blend_state *rt, const struct tbr_fragment_block *block,
              const struct colors *source, const struct colors *destination)
{
   struct blend_inputs in; /* .second is only read with dual source blending */
   in.source = *source;
   in.destination = *destination;
   const float *constant = state->blend_color;
   in.constant = clamp_colors(buffer, (struct colors){floats_all(constant[0]), floats_all(constant[1]),
                                                      floats_all(constant[2]), floats_all(constant[3])});
   if (state->dual_source)
      in.second = clamp_colors(buffer, load_colors(block->color_second));
   return (struct colors){
      blend_component(rt->rgb_func, rt->rgb_src_factor, rt->rgb_dst_factor, &in, 0),
      blend_component(rt->rgb_func, rt->rgb_src_factor, rt->rgb_dst_factor, &in, 1),
      blend_component(rt->rgb_func, rt->rgb_src_factor, rt->rgb_dst_factor, &in, 2),
      blend_component(rt->alpha_func, rt->alpha_src_factor, rt->alpha_dst_factor, &in, 3),
   };
}

/* One component of the common equations, which treat all four alike: the general
 * one with the constant factors multiplied out, equal to the bit. */
TBR_INLINE floats
blend_common(enum tbr_blend_kind kind, floats source, floats alpha, floats destination)
{
   switch (kind) {
   case TBR_BLEND_ALPHA:
      return floats_add(floats_mul(source, alpha), floats_mul(destination, one_minus(alpha)));
   case TBR_BLEND_PREMULTIPLIED: return floats_add(source, floats_mul(destination, one_minus(alpha)));
   case TBR_BLEND_ADD: return floats_add(source, destination);
   default: return source;
   }
}

/* The result of blending, not clamped yet. */
static struct colors
blend_colors(const struct tbr_draw_plan *plan, const struct tbr_tile_color *buffer, unsigned n,
             const struct tbr_fragment_block *block, const struct colors *source,
             const struct colors *destination)
{
   const enum tbr_blend_kind kind = plan->color[n].blend;
   if (kind == TBR_BLEND_ADVANCED)
      return blend_advanced(plan->state->blend.advanced_blend_func, source, destination);
   if (kind == TBR_BLEND_GENERAL)
      return blend_general(plan->state, buffer, &plan->state->blend.rt[n], block, source, destination);
#define E(n) blend_common(kind, source->n, source->a, destination->n)
   return EACH_COLOR(E);
#undef E
}

/* ---- logic operations -------------------------------------------------- */

static ints
logic_operation(enum pipe_logicop operation, ints source, ints destination)
{
   switch (operation) {
   case PIPE_LOGICOP_CLEAR: return ints_all(0);
   case PIPE_LOGICOP_NOR: return ints_not(ints_or(source, destination));
   case PIPE_LOGICOP_AND_INVERTED: return ints_and(ints_not(source), destination);
   case PIPE_LOGICOP_COPY_INVERTED: return ints_not(source);
   case PIPE_LOGICOP_AND_REVERSE: return ints_and(source, ints_not(destination));
   case PIPE_LOGICOP_INVERT: return ints_not(destination);
   case PIPE_LOGICOP_XOR: return ints_xor(source, destination);
   case PIPE_LOGICOP_NAND: return ints_not(ints_and(source, destination));
   case PIPE_LOGICOP_AND: return ints_and(source, destination);
   case PIPE_LOGICOP_EQUIV: return ints_not(ints_xor(source, destination));
   case PIPE_LOGICOP_NOOP: return destination;
   case PIPE_LOGICOP_OR_INVERTED: return ints_or(ints_not(source), destination);
   case PIPE_LOGICOP_COPY: return source;
   case PIPE_LOGICOP_OR_REVERSE: return ints_or(source, ints_not(destination));
   case PIPE_LOGICOP_OR: return ints_or(source, destination);
   case PIPE_LOGICOP_SET: return ints_all(-1);
   default: unreachable("there are no more logic operations");
   }
}

/* ---- unsigned normalised channels in a word ---------------------------- */

TBR_INLINE ints
gather_pixels(const struct tbr_tile_color *buffer, const uint8_t *buffer_pixels, const uint16_t quad[4])
{
   if (buffer->pixel_bytes == 4)
      return ints_gather_quads((const int32_t *)buffer_pixels, quad);
   int32_t pixels[TBR_LANES] = {0};
   for (unsigned lane = 0; lane < TBR_LANES; lane++)
      memcpy(&pixels[lane], buffer_pixels + (4 * quad[lane / 4] + lane % 4) * buffer->pixel_bytes,
             buffer->pixel_bytes);
   return ints_load(pixels);
}

TBR_INLINE void
scatter_pixels(const struct tbr_tile_color *buffer, uint8_t *buffer_pixels, const uint16_t quad[4],
               uint32_t live, ints value)
{
   if (buffer->pixel_bytes == 4) {
      ints_scatter_quads((int32_t *)buffer_pixels, quad, live, value);
      return;
   }
   int32_t pixels[TBR_LANES];
   ints_store(pixels, value);
   u_foreach_bit (lane, live) {
      memcpy(buffer_pixels + (4 * quad[lane / 4] + lane % 4) * buffer->pixel_bytes, &pixels[lane],
             buffer->pixel_bytes);
   }
}

TBR_INLINE floats
unpack_channel(const struct tbr_tile_color *buffer, ints pixels, unsigned c)
{
   const ints channel =
      ints_and(ints_shift_right_logical(pixels, buffer->shift[c]), ints_all((int32_t)buffer->maximum[c]));
   return floats_mul(floats_from_ints(channel), floats_all(buffer->inverse_maximum[c]));
}

TBR_INLINE struct colors
unpack_channels(const struct tbr_tile_color *buffer, ints pixels)
{
   return (struct colors){unpack_channel(buffer, pixels, 0), unpack_channel(buffer, pixels, 1),
                          unpack_channel(buffer, pixels, 2),
                          buffer->alpha_is_one ? floats_all(1.0f) : unpack_channel(buffer, pixels, 3)};
}

/* Rounds to nearest. */
TBR_INLINE ints
pack_channel(const struct tbr_tile_color *buffer, floats value, unsigned c)
{
   const ints channel =
      ints_round(floats_mul(clamp_floats(value, 0.0f, 1.0f), floats_all(buffer->maximum[c])));
   return ints_shift_left(channel, buffer->shift[c]);
}

TBR_INLINE ints
pack_channels(const struct tbr_tile_color *buffer, struct colors colors)
{
   return ints_or(ints_or(pack_channel(buffer, colors.r, 0), pack_channel(buffer, colors.g, 1)),
                  ints_or(pack_channel(buffer, colors.b, 2), pack_channel(buffer, colors.a, 3)));
}

TBR_INLINE ints
select_bits(int32_t mask, ints yes, ints no)
{
   return ints_or(ints_and(yes, ints_all(mask)), ints_and(no, ints_all(~mask)));
}

TBR_INLINE ints
apply_write_mask(const struct tbr_tile_color *buffer, const struct tbr_color_plan *color, ints pixels,
                 ints old)
{
   int32_t mask = 0;
   memcpy(&mask, color->write_mask, buffer->pixel_bytes);
   return select_bits(mask, pixels, old);
}

/* Pixels of a word: unsigned normalised channels, or R11G11B10 floats. */
static void
write_words(struct tbr_tile_thread *thread, unsigned n, uint8_t *buffer_pixels, uint32_t live)
{
   const struct tbr_draw_plan *plan = &thread->plan;
   const struct tbr_color_plan *color = &plan->color[n];
   const struct tbr_tile_color *buffer = &thread->color[n];
   const uint16_t *quad = thread->queue.quad;
   const struct tbr_fragment_block *block = &thread->queue.block;
   const bool is_float = color->path == TBR_COLOR_PACKED_FLOAT;
   const ints old = gather_pixels(buffer, buffer_pixels, quad);
   struct colors colors = load_colors(block->color[n]);
   if (color->blend != TBR_BLEND_REPLACE) {
      const struct colors source = clamp_colors(buffer, colors);
      const struct colors destination = is_float ? unpack_packed_floats(old) : unpack_channels(buffer, old);
      colors = blend_colors(plan, buffer, n, block, &source, &destination);
   }
   ints pixels = is_float ? pack_packed_floats(colors) : pack_channels(buffer, colors);
   if (color->logic_op)
      pixels = logic_operation(plan->state->blend.logicop_func, pixels, old);
   pixels = ints_or(pixels, ints_all(buffer->filler));
   if (color->partial)
      pixels = apply_write_mask(buffer, color, pixels, old);
   scatter_pixels(buffer, buffer_pixels, quad, live, pixels);
}

/* ---- four channels of 8 bits, with a common equation ------------------- */

/* Byte `byte` of every pixel; the component that it holds comes straight from
 * the shader's output. */
TBR_INLINE ints
blend_byte(const struct tbr_tile_color *buffer, const float planes[4][TBR_LANES], unsigned byte,
           enum tbr_blend_kind kind, floats alpha, ints old)
{
   floats value = clamp_floats(floats_load(planes[buffer->component[byte]]), 0.0f, 1.0f);
   if (kind != TBR_BLEND_REPLACE) {
      const ints channel = ints_and(ints_shift_right_logical(old, 8 * byte), ints_all(0xff));
      const floats destination = floats_mul(floats_from_ints(channel), floats_all(1.0f / 255.0f));
      value = blend_common(kind, value, alpha, destination);
      /* No term is negative; a sum weighted with alpha exceeds 1 by rounding at most, and rounds to 255. */
      if (kind != TBR_BLEND_ALPHA)
         value = floats_min(value, floats_all(1.0f));
   }
   return ints_shift_left(ints_round(floats_mul(value, floats_all(255.0f))), 8 * byte);
}

TBR_INLINE void
write_bytes_as(struct tbr_tile_thread *thread, unsigned n, uint8_t *buffer_pixels, uint32_t live,
               enum tbr_blend_kind kind, bool partial)
{
   const struct tbr_tile_color *buffer = &thread->color[n];
   const uint16_t *quad = thread->queue.quad;
   const float(*planes)[TBR_LANES] = thread->queue.block.color[n];
   const bool is_block = thread->queue.whole_block;
   int32_t *const pixels = (int32_t *)buffer_pixels;
   ints old = {};
   floats alpha = {};
   if (kind != TBR_BLEND_REPLACE || partial)
      old = is_block ? ints_load(pixels + 4 * quad[0]) : ints_gather_quads(pixels, quad);
   if (kind == TBR_BLEND_ALPHA || kind == TBR_BLEND_PREMULTIPLIED)
      alpha = clamp_floats(floats_load(planes[3]), 0.0f, 1.0f);
   ints new = ints_or(ints_or(blend_byte(buffer, planes, 0, kind, alpha, old),
                              blend_byte(buffer, planes, 1, kind, alpha, old)),
                      ints_or(blend_byte(buffer, planes, 2, kind, alpha, old),
                              blend_byte(buffer, planes, 3, kind, alpha, old)));
   new = ints_or(new, ints_all(buffer->filler));
   if (partial)
      new = apply_write_mask(buffer, &thread->plan.color[n], new, old);
   if (is_block)
      ints_store_masked(pixels + 4 * quad[0], live, new);
   else
      ints_scatter_quads(pixels, quad, live, new);
}

static void
write_bytes(struct tbr_tile_thread *thread, unsigned n, uint8_t *buffer_pixels, uint32_t live)
{
   const struct tbr_color_plan *color = &thread->plan.color[n];
   if (color->blend == TBR_BLEND_REPLACE && !color->partial)
      write_bytes_as(thread, n, buffer_pixels, live, TBR_BLEND_REPLACE, false);
   else if (color->blend == TBR_BLEND_REPLACE)
      write_bytes_as(thread, n, buffer_pixels, live, TBR_BLEND_REPLACE, true);
   else if (color->blend == TBR_BLEND_ALPHA)
      write_bytes_as(thread, n, buffer_pixels, live, TBR_BLEND_ALPHA, color->partial);
   else if (color->blend == TBR_BLEND_PREMULTIPLIED)
      write_bytes_as(thread, n, buffer_pixels, live, TBR_BLEND_PREMULTIPLIED, color->partial);
   else
      write_bytes_as(thread, n, buffer_pixels, live, TBR_BLEND_ADD, color->partial);
}

/* ---- four channels of half precision ------------------------------------ */

static void
write_half(struct tbr_tile_thread *thread, unsigned n, uint8_t *buffer_pixels, uint32_t live)
{
   const struct tbr_draw_plan *plan = &thread->plan;
   const struct tbr_color_plan *color = &plan->color[n];
   const struct tbr_fragment_block *block = &thread->queue.block;
   const bool blends = color->blend != TBR_BLEND_REPLACE;
   struct colors colors = load_colors(block->color[n]);
   struct half_pixels old = {0};
   uint8_t *quads[TBR_QUADS];
   for (unsigned q = 0; q < TBR_QUADS; q++)
      quads[q] = buffer_pixels + (size_t)thread->queue.quad[q] * 4 * 8;

   if (blends || color->partial)
      old = load_half_quads((const uint8_t **)quads);
   if (blends) {
      const struct colors destination = unpack_half_pixels(old);
      colors = blend_colors(plan, &thread->color[n], n, block, &colors, &destination);
   }
   struct half_pixels pixels = pack_half_pixels(colors);
   if (color->partial) {
      int32_t mask[2];
      memcpy(mask, color->write_mask, sizeof mask);
      pixels.red_green = select_bits(mask[0], pixels.red_green, old.red_green);
      pixels.blue_alpha = select_bits(mask[1], pixels.blue_alpha, old.blue_alpha);
   }
   store_half_quads(quads, live, pixels);
}

/* ---- every other format ------------------------------------------------ */

/* Sixteen pixels as rows of rgba, as the format library takes them. */
TBR_INLINE void
colors_to_rows(float rows[TBR_LANES][4], struct colors colors)
{
   float planes[4][TBR_LANES];
   store_colors(planes, colors);
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      for (unsigned c = 0; c < 4; c++)
         rows[lane][c] = planes[c][lane];
   }
}

TBR_INLINE struct colors
colors_from_rows(float rows[TBR_LANES][4])
{
   float planes[4][TBR_LANES];
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      for (unsigned c = 0; c < 4; c++)
         planes[c][lane] = rows[lane][c];
   }
   return load_colors(planes);
}

/* The queue's pixels of any format, lane by lane. */
TBR_INLINE void
gather_raw_pixels(const struct tbr_tile_color *buffer, const uint8_t *buffer_pixels, const uint16_t quad[4],
                  uint8_t raw[TBR_LANES * 16])
{
   const size_t quad_bytes = 4 * (size_t)buffer->pixel_bytes;
   for (unsigned q = 0; q < TBR_QUADS; q++)
      memcpy(raw + q * quad_bytes, buffer_pixels + quad[q] * quad_bytes, quad_bytes);
}

TBR_INLINE struct colors
unpack_raw_pixels(const struct tbr_tile_color *buffer, const uint8_t raw[TBR_LANES * 16])
{
   float rows[TBR_LANES][4];
   buffer->unpack->unpack_rgba(rows, raw, TBR_LANES);
   return colors_from_rows(rows);
}

static void
write_general(struct tbr_tile_thread *thread, unsigned n, uint8_t *buffer_pixels, uint32_t live)
{
   const struct tbr_draw_plan *plan = &thread->plan;
   const struct tbr_color_plan *color = &plan->color[n];
   const struct tbr_tile_color *buffer = &thread->color[n];
   const struct tbr_fragment_queue *queue = &thread->queue;
   const size_t pixel_bytes = buffer->pixel_bytes;
   float rows[TBR_LANES][4];
   uint8_t old[TBR_LANES * 16], new[TBR_LANES * 16];
   gather_raw_pixels(buffer, buffer_pixels, queue->quad, old);
   struct colors colors = load_colors(queue->block.color[n]);
   if (color->blend != TBR_BLEND_REPLACE) {
      const struct colors source = clamp_colors(buffer, colors);
      const struct colors destination = unpack_raw_pixels(buffer, old);
      colors = blend_colors(plan, buffer, n, &queue->block, &source, &destination);
   }
   if (!buffer->integer)
      colors = clamp_colors(buffer, colors);
   colors_to_rows(rows, colors);
   if (!buffer->integer)
      buffer->pack->pack_rgba_float(new, 0, &rows[0][0], 0, TBR_LANES, 1);
   else if (util_format_is_pure_uint(buffer->format))
      buffer->pack->pack_rgba_uint(new, 0, (const uint32_t *)rows, 0, TBR_LANES, 1);
   else
      buffer->pack->pack_rgba_sint(new, 0, (const int32_t *)rows, 0, TBR_LANES, 1);
   if (color->logic_op) {
      for (size_t at = 0; at < TBR_LANES * pixel_bytes; at += 64)
         ints_store(new + at, logic_operation(plan->state->blend.logicop_func, ints_load(new + at),
                                              ints_load(old + at)));
   }
   u_foreach_bit (lane, live) {
      uint8_t *pixel = buffer_pixels + (4 * queue->quad[lane / 4] + lane % 4) * pixel_bytes;
      for (size_t at = 0; at < pixel_bytes; at++)
         pixel[at] =
            (new[lane * pixel_bytes + at] & color->write_mask[at]) | (pixel[at] & ~color->write_mask[at]);
   }
}

/* Writes the queue's live fragments to a colour buffer's sample. */
TBR_INLINE void
write_color(struct tbr_tile_thread *thread, unsigned n, uint32_t sample, uint32_t live)
{
   uint8_t *pixels = thread->color[n].pixels + sample * thread->color[n].sample_bytes;
   switch (thread->plan.color[n].path) {
   case TBR_COLOR_BYTES: write_bytes(thread, n, pixels, live); break;
   case TBR_COLOR_UNORM:
   case TBR_COLOR_PACKED_FLOAT: write_words(thread, n, pixels, live); break;
   case TBR_COLOR_HALF: write_half(thread, n, pixels, live); break;
   case TBR_COLOR_GENERAL: write_general(thread, n, pixels, live); break;
   }
}

/* Writes the colours of the queue's live fragments to a sample (0 of single-sampled
 * passes). */
static void
write_colors(struct tbr_tile_thread *thread, uint32_t sample, uint32_t live)
{
   for (unsigned n = 0; n < thread->pass->num_color; n++) {
      if (thread->plan.color[n].write)
         write_color(thread, n, sample, live);
   }
}

/* ---- the same to all samples ------------------------------------------- */

/* Whether the samples of the queue's quads hold the same pixels in a buffer. */
TBR_INLINE bool
samples_are_equal(const struct tbr_tile_thread *thread, const struct tbr_tile_color *buffer)
{
   const size_t quad_bytes = 4 * buffer->pixel_bytes;
   for (unsigned q = 0; q < TBR_QUADS; q++) {
      const uint8_t *first = buffer->pixels + thread->queue.quad[q] * quad_bytes;
      for (unsigned s = 1; s < TBR_MAX_SAMPLES; s++) {
         if (memcmp(first, first + s * buffer->sample_bytes, quad_bytes))
            return false;
      }
   }
   return true;
}

/* Gives the other samples of the live fragments what was written to sample 0. */
TBR_INLINE void
copy_first_sample(struct tbr_tile_thread *thread, const struct tbr_tile_color *buffer, uint32_t live)
{
   const size_t pixel_bytes = buffer->pixel_bytes, quad_bytes = 4 * pixel_bytes;
   const uint16_t *quad = thread->queue.quad;
   if (live == 0xffff && thread->queue.whole_block) {
      uint8_t *first = buffer->pixels + quad[0] * quad_bytes;
      for (unsigned s = 1; s < TBR_MAX_SAMPLES; s++)
         memcpy(first + s * buffer->sample_bytes, first, TBR_QUADS * quad_bytes);
      return;
   }
   u_foreach_bit (lane, live) {
      uint8_t *first = buffer->pixels + (4 * quad[lane / 4] + lane % 4) * pixel_bytes;
      for (unsigned s = 1; s < TBR_MAX_SAMPLES; s++)
         memcpy(first + s * buffer->sample_bytes, first, pixel_bytes);
   }
}

/* Writes the colours of the queue's live fragments, which cover all samples of their
 * pixels: what comes out the same is worked out once. */
static void
write_colors_of_pixels(struct tbr_tile_thread *thread, uint32_t live)
{
   for (unsigned n = 0; n < thread->pass->num_color; n++) {
      const struct tbr_color_plan *color = &thread->plan.color[n];
      if (!color->write)
         continue;
      const bool replaces = color->blend == TBR_BLEND_REPLACE && !color->logic_op && !color->partial;
      const bool once = replaces || samples_are_equal(thread, &thread->color[n]);
      write_color(thread, n, 0, live);
      if (once) {
         copy_first_sample(thread, &thread->color[n], live);
         continue;
      }
      for (unsigned s = 1; s < TBR_MAX_SAMPLES; s++)
         write_color(thread, n, s, live);
   }
}

/* ---- the plan ---------------------------------------------------------- */

static bool
add_with(const struct pipe_rt_blend_state *rt, enum pipe_blendfactor source,
         enum pipe_blendfactor destination)
{
   return rt->rgb_func == PIPE_BLEND_ADD && rt->alpha_func == PIPE_BLEND_ADD &&
          rt->rgb_src_factor == source && rt->rgb_dst_factor == destination &&
          rt->alpha_src_factor == source && rt->alpha_dst_factor == destination;
}

static enum tbr_blend_kind
choose_blend(const struct pipe_blend_state *blend, const struct pipe_rt_blend_state *rt)
{
   if (blend->advanced_blend_func != BLEND_NONE)
      return TBR_BLEND_ADVANCED;
   if (!rt->blend_enable || add_with(rt, PIPE_BLENDFACTOR_ONE, PIPE_BLENDFACTOR_ZERO))
      return TBR_BLEND_REPLACE;
   if (add_with(rt, PIPE_BLENDFACTOR_SRC_ALPHA, PIPE_BLENDFACTOR_INV_SRC_ALPHA))
      return TBR_BLEND_ALPHA;
   if (add_with(rt, PIPE_BLENDFACTOR_ONE, PIPE_BLENDFACTOR_INV_SRC_ALPHA))
      return TBR_BLEND_PREMULTIPLIED;
   if (add_with(rt, PIPE_BLENDFACTOR_ONE, PIPE_BLENDFACTOR_ONE))
      return TBR_BLEND_ADD;
   return TBR_BLEND_GENERAL;
}

/* Bits of a pixel that belong to the components of the colour mask. Bits of no
 * component (X) may always be written; a channel that several components share
 * (luminance, intensity) is written from the first of them, and goes with it. */
static void
fill_write_mask(uint8_t mask[16], enum pipe_format format, unsigned colormask)
{
   const struct util_format_description *description = util_format_description(format);
   bool seen[4] = {false};
   memset(mask, 0xff, 16);
   if (format == PIPE_FORMAT_R11G11B10_FLOAT) {
      const uint32_t bits = (colormask & PIPE_MASK_R ? 0x7ff : 0) |
                            (colormask & PIPE_MASK_G ? 0x7ff << 11 : 0) |
                            (colormask & PIPE_MASK_B ? 0x3ffu << 22 : 0);
      memcpy(mask, &bits, 4);
      return;
   }
   for (unsigned c = 0; c < 4; c++) {
      const unsigned swizzle = description->swizzle[c];
      if (swizzle > PIPE_SWIZZLE_W || seen[swizzle])
         continue;
      seen[swizzle] = true;
      if (colormask >> c & 1)
         continue;
      const unsigned first = description->channel[swizzle].shift;
      for (unsigned bit = first; bit < first + description->channel[swizzle].size; bit++)
         mask[bit / 8] &= ~(1u << bit % 8);
   }
}

static void
plan_color(const struct tbr_tile_thread *thread, struct tbr_draw_plan *plan, unsigned n)
{
   const struct tbr_draw_state *state = plan->state;
   const struct tbr_tile_color *buffer = &thread->color[n];
   struct tbr_color_plan *color = &plan->color[n];
   const struct pipe_rt_blend_state *rt = &state->blend.rt[n];
   color->write =
      state->shade && state->color_outputs >> n & 1 && thread->pass->color[n].memory && rt->colormask;
   if (!color->write)
      return;
   color->logic_op = state->blend.logicop_enable && buffer->logic_op;
   color->blend =
      state->blend.logicop_enable || buffer->integer ? TBR_BLEND_REPLACE : choose_blend(&state->blend, rt);
   color->path = buffer->kind;
   if (color->path == TBR_COLOR_BYTES && (color->logic_op || color->blend >= TBR_BLEND_GENERAL))
      color->path = TBR_COLOR_UNORM;
   color->partial = !util_format_colormask_full(util_format_description(buffer->format), rt->colormask);
   if (color->partial || buffer->kind == TBR_COLOR_GENERAL)
      fill_write_mask(color->write_mask, buffer->format, rt->colormask);
}
