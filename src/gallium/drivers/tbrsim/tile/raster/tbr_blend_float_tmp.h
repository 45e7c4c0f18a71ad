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

/* ---- unsigned floats of 11 and 10 bits --------------------------------- */

/* A channel, in the low bits of the lanes, with 5 bits of exponent. */
TBR_INLINE floats
unpack_unsigned_floats(ints bits, unsigned mantissa_bits)
{
#define E(n) texture_from_unsigned_floats(bits.piece[n], mantissa_bits)
   return (floats){{PIECES(E)}};
#undef E
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

/* Red and green of 11 bits, blue of 10, in a word. */
TBR_INLINE struct colors
unpack_packed_floats(ints pixels)
{
   return (
      struct colors){unpack_unsigned_floats(ints_and(pixels, ints_all(0x7ff)), 6),
                     unpack_unsigned_floats(ints_and(ints_shift_right_logical(pixels, 11), ints_all(0x7ff)),
                                            6),
                     unpack_unsigned_floats(ints_shift_right_logical(pixels, 22), 5), floats_all(1.0f)};
}

TBR_INLINE ints
pack_packed_floats(struct colors colors)
{
   return ints_or(pack_unsigned_floats(colors.r, 6),
                  ints_or(ints_shift_left(pack_unsigned_floats(colors.g, 6), 11),
                          ints_shift_left(pack_unsigned_floats(colors.b, 5), 22)));
}
