/* SPDX-License-Identifier: MIT */
/* Colour buffers of floats of less than single precision, in vectors: the same bits as
 * through Mesa's format library. Included by tbr_blend_tmp.h. */

/* ---- half precision ---------------------------------------------------- */

TBR_INLINE struct colors
unpack_half_pixels(struct half_pixels pixels)
{
   return (struct colors){floats_from_halves(pixels.red_green),
                          floats_from_halves(ints_shift_right_logical(pixels.red_green, 16)),
                          floats_from_halves(pixels.blue_alpha),
                          floats_from_halves(ints_shift_right_logical(pixels.blue_alpha, 16))};
}

TBR_INLINE struct half_pixels
pack_half_pixels(struct colors colors)
{
   return (struct half_pixels){ints_or(halves_from_floats(colors.r),
                                       ints_shift_left(halves_from_floats(colors.g), 16)),
                               ints_or(halves_from_floats(colors.b),
                                       ints_shift_left(halves_from_floats(colors.a), 16))};
}

TBR_INLINE ints
select_bits(int32_t mask, ints yes, ints no)
{
   return ints_or(ints_and(yes, ints_all(mask)), ints_and(no, ints_all(~mask)));
}

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

/* ---- unsigned floats of 11 and 10 bits --------------------------------- */

/* A channel, in the low bits of the lanes, with 5 bits of exponent. */
TBR_INLINE floats
unpack_unsigned_floats(ints bits, unsigned mantissa_bits)
{
   const ints mantissa = ints_and(bits, ints_all((1 << mantissa_bits) - 1));
   const ints exponent = ints_and(ints_shift_right_logical(bits, mantissa_bits), ints_all(31));
   const floats denormal =
      floats_mul(floats_from_ints(mantissa), floats_all(1.0f / (float)(1 << (14 + mantissa_bits))));
   const ints normal = ints_or(ints_shift_left(ints_add(exponent, ints_all(112)), 23),
                               ints_shift_left(mantissa, 23 - mantissa_bits));
   const ints special = ints_or(mantissa, ints_all(0x7f800000));
   const ints finite = ints_select(ints_equal(exponent, ints_all(0)), ints_from_bits(denormal), normal);
   return floats_from_bits(ints_select(ints_equal(exponent, ints_all(31)), special, finite));
}

/* Rounds to nearest. Negative numbers are 0, finite ones that are too large the largest. */
TBR_INLINE ints
pack_unsigned_floats(floats value, unsigned mantissa_bits)
{
   const unsigned dropped = 23 - mantissa_bits;
   const ints bits = ints_from_bits(value);
   const int32_t infinity = 31 << mantissa_bits;
   /* Half of the last bit that stays, a little less where that is even. */
   const ints last = ints_and(ints_shift_right_logical(bits, dropped), ints_all(1));
   const ints rounded = ints_add(ints_add(bits, ints_all((1 << (dropped - 1)) - 1)), last);
   const ints normal =
      ints_add(ints_shift_right_logical(rounded, dropped), ints_all(-(112 << (int)mantissa_bits)));
   const ints denormal = ints_round(floats_mul(value, floats_all((float)(1 << (14 + mantissa_bits)))));
   /* The bits of floats that are not negative have their order. */
   const ints largest = ints_all(0x47000000 | ((1 << mantissa_bits) - 1) << (int)dropped);
   ints result = ints_select(ints_less(bits, ints_all(112 << 23 | 1 << 23)), denormal, normal);
   result = ints_select(ints_less(largest, bits), ints_all(infinity - 1), result);
   result = ints_select(ints_equal(bits, ints_all(0x7f800000)), ints_all(infinity), result);
   result = ints_select(ints_negative(bits), ints_all(0), result);
   const ints magnitude = ints_and(bits, ints_all(0x7fffffff));
   return ints_select(ints_less(ints_all(0x7f800000), magnitude), ints_all(infinity | 1), result);
}

static void
write_packed_floats(struct tbr_tile_thread *thread, unsigned n, uint8_t *buffer_pixels, uint32_t live)
{
   const struct tbr_draw_plan *plan = &thread->plan;
   const struct tbr_color_plan *color = &plan->color[n];
   const struct tbr_tile_color *buffer = &thread->color[n];
   const struct tbr_fragment_block *block = &thread->queue.block;
   const uint16_t *quad = thread->queue.quad;
   const ints old = gather_pixels(buffer, buffer_pixels, quad);
   struct colors colors = load_colors(block->color[n]);
   if (color->blend != TBR_BLEND_REPLACE) {
      const struct colors destination = {
         unpack_unsigned_floats(ints_and(old, ints_all(0x7ff)), 6),
         unpack_unsigned_floats(ints_and(ints_shift_right_logical(old, 11), ints_all(0x7ff)), 6),
         unpack_unsigned_floats(ints_shift_right_logical(old, 22), 5), floats_all(1.0f)};
      colors = blend_colors(plan, buffer, n, block, &colors, &destination);
   }
   ints pixels = ints_or(pack_unsigned_floats(colors.r, 6),
                         ints_or(ints_shift_left(pack_unsigned_floats(colors.g, 6), 11),
                                 ints_shift_left(pack_unsigned_floats(colors.b, 5), 22)));
   if (color->partial)
      pixels = apply_write_mask(buffer, color, pixels, old);
   scatter_pixels(buffer, buffer_pixels, quad, live, pixels);
}
