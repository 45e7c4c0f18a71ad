/* SPDX-License-Identifier: MIT */
/* Channels of a block in lanes of LANE_BITS bits, of types LANE and SIGNED_LANE: pixel_block.c includes this for three widths, for speed. A value
 * is in the upper bits of its lane; all below are 0. So differences are modulo the channel's bits by themselves. */

/* All of a block's pixels: compilers do not find these by themselves. */
typedef LANE NAME(lanes) __attribute__((vector_size(PIXELS * LANE_BITS / 8)));
typedef SIGNED_LANE NAME(signed_lanes) __attribute__((vector_size(PIXELS * LANE_BITS / 8)));

static inline NAME(lanes) NAME(load)(const LANE *from)
{
   NAME(lanes) lanes;
   memcpy(&lanes, from, sizeof lanes);
   return lanes;
}

static inline LANE
NAME(upper_bits)(unsigned bits)
{
   return (LANE)((LANE)-1 << (LANE_BITS - bits));
}

static inline void
NAME(load_channel)(const struct cm_pixel_layout *layout, const uint8_t *pixels, size_t stride,
                   unsigned first_bit, unsigned bits, LANE *values)
{
   const unsigned up = 32 - bits - first_bit % 32;
   const LANE mask = NAME(upper_bits)(bits);
   pixels += first_bit / 32 * 4;
   for (unsigned y = 0; y < CM_BLOCK_SIZE; y++) {
      for (unsigned x = 0; x < CM_BLOCK_SIZE; x++) {
         const uint32_t word = load_word(pixels + y * stride + x * layout->bytes, layout->bytes);
         values[y * CM_BLOCK_SIZE + x] = (LANE)(word << up >> (32 - LANE_BITS)) & mask;
      }
   }
}

/* Of the most common layout, four channels that fill a lane each. False: it is another one. */
static inline bool
NAME(load_lanes)(const struct cm_pixel_layout *layout, const uint8_t *pixels, size_t stride,
                 LANE values[CM_PIXEL_CHANNELS][PIXELS])
{
   if (layout->bytes != CM_PIXEL_CHANNELS * LANE_BITS / 8 || layout->num_channels != CM_PIXEL_CHANNELS ||
       layout->bits[0] != LANE_BITS || layout->bits[1] != LANE_BITS || layout->bits[2] != LANE_BITS)
      return false;
   for (unsigned y = 0; y < CM_BLOCK_SIZE; y++) {
      LANE row[CM_BLOCK_SIZE][CM_PIXEL_CHANNELS];
      memcpy(row, pixels + y * stride, sizeof row);
      for (unsigned c = 0; c < CM_PIXEL_CHANNELS; c++) {
         for (unsigned x = 0; x < CM_BLOCK_SIZE; x++)
            values[c][y * CM_BLOCK_SIZE + x] = row[x][c];
      }
   }
   return true;
}

static void
NAME(load_block)(const struct cm_pixel_layout *layout, const uint8_t *pixels, size_t stride,
                 LANE values[CM_PIXEL_CHANNELS][PIXELS])
{
   unsigned bit = 0;
   const bool are_lanes = NAME(load_lanes)(layout, pixels, stride, values);
   for (unsigned c = 0; c < layout->num_channels && !are_lanes; c++) {
      NAME(load_channel)(layout, pixels, stride, bit, layout->bits[c], values[c]);
      bit += layout->bits[c];
   }
   /* Red and blue less green: of grey, nothing is left. */
   for (unsigned c = 0; layout->is_color && c < 3; c += 2) {
      const LANE mask = NAME(upper_bits)(layout->bits[c]);
      for (unsigned p = 0; p < PIXELS; p++)
         values[c][p] = (LANE)(values[c][p] - (values[1][p] & mask));
   }
}

/* What each pixel but the first is expected to be. */
static inline void
NAME(predict)(enum predictor predictor, const LANE *v, LANE *expected)
{
   LANE padded[PIXELS + CM_BLOCK_SIZE + 1] = {
      0}; /* pixels before the first, for what is replaced afterwards */
   LANE *at = padded + CM_BLOCK_SIZE + 1;
   NAME(lanes) plane;
   memcpy(at, v, PIXELS * sizeof *v);
   switch (predictor) {
   case FROM_LEFT:
      memcpy(expected, at - 1, PIXELS * sizeof *v);
      expected[4] = v[0], expected[8] = v[4], expected[12] = v[8];
      break;
   case FROM_ABOVE:
      memcpy(expected, at - 4, PIXELS * sizeof *v);
      expected[1] = v[0], expected[2] = v[1], expected[3] = v[2];
      break;
   case FROM_FIRST:
      for (unsigned p = 0; p < PIXELS; p++)
         expected[p] = v[0];
      break;
   default:
      plane = NAME(load)(at - 1) + NAME(load)(at - 4) - NAME(load)(at - 5);
      memcpy(expected, &plane, sizeof plane);
      expected[1] = expected[4] = v[0];
      for (unsigned i = 2; i < CM_BLOCK_SIZE; i++) {
         expected[i] = (LANE)(2 * v[i - 1] - v[i - 2]);
         expected[4 * i] = (LANE)(2 * v[4 * i - 4] - v[4 * i - 8]);
      }
   }
}

/* Differences with the sign moved to the lowest bit of the channel; below it are any bits. */
static inline void
NAME(find_residuals)(enum predictor predictor, const LANE *v, LANE *residual)
{
   union {
      LANE pixel[PIXELS];
      NAME(lanes) all;
   } expected;
   NAME(predict)(predictor, v, expected.pixel);
   const NAME(lanes) difference = NAME(load)(v) - expected.all;
   const NAME(lanes) folded = (difference + difference) ^ (NAME(lanes))((NAME(signed_lanes))difference < 0);
   memcpy(residual, &folded, sizeof folded);
   residual[0] = 0;
}

/* All bits of each quad's residuals. */
static inline void
NAME(gather_quads)(const LANE *residual, LANE *gathered)
{
#if LANE_BITS == 8
   /* Rows, then columns of pairs, in a word. */
   uint64_t rows[2];
   memcpy(rows, residual, sizeof rows);
   const uint64_t pairs = (uint32_t)(rows[0] | rows[0] >> 32) | (rows[1] | rows[1] << 32) >> 32 << 32;
   const uint64_t quads = pairs | pairs >> 8;
   for (unsigned q = 0; q < QUADS; q++)
      gathered[q] = (LANE)(quads >> 16 * q);
#else
   LANE pair[PIXELS / 2];
   for (unsigned p = 0; p < PIXELS / 2; p++)
      pair[p] = residual[p / 4 * 8 + p % 4] | residual[p / 4 * 8 + 4 + p % 4];
   for (unsigned q = 0; q < QUADS; q++)
      gathered[q] = pair[2 * q] | pair[2 * q + 1];
#endif
}

static inline struct widths
NAME(find_widths)(enum predictor predictor, const LANE *v, unsigned bits)
{
   LANE residual[PIXELS], gathered[QUADS];
   struct widths widths = {.predictor = (uint8_t)predictor};
   NAME(find_residuals)(predictor, v, residual);
   NAME(gather_quads)(residual, gathered);
   for (unsigned q = 0; q < QUADS; q++)
      widths.quad[q] = (uint8_t)bits_of((uint32_t)gathered[q] >> (LANE_BITS - bits));
   finish_widths(&widths, bits);
   return widths;
}

/* Of each channel, with the predictor that leaves the fewest bits, the first of several. */
static void
NAME(choose_widths)(const struct cm_pixel_layout *layout, const uint8_t *pixels, size_t stride,
                    struct widths *chosen)
{
   LANE values[CM_PIXEL_CHANNELS][PIXELS];
   NAME(load_block)(layout, pixels, stride, values);
   for (unsigned c = 0; c < layout->num_channels; c++) {
      struct widths best = NAME(find_widths)(FROM_LEFT, values[c], layout->bits[c]);
#pragma GCC unroll 3
      for (enum predictor p = FROM_LEFT + 1; p < PREDICTORS; p++) {
         if (!best.width)
            break;
         const struct widths found = NAME(find_widths)(p, values[c], layout->bits[c]);
         best = found.bits < best.bits ? found : best;
      }
      chosen[c] = best;
   }
}

#undef LANE
#undef SIGNED_LANE
#undef LANE_BITS
#undef NAME
