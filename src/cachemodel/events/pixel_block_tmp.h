/* SPDX-License-Identifier: MIT */
/* Bits of a channel in lanes of LANE_BITS bits, of type LANE: pixel_block.c includes this for three widths, for speed. NARROW: a vector
 * of the lower bits of words. A vector has the same pixel of some of the group's blocks. A value is in the upper bits of its lane;
 * all below are 0. So differences are modulo the channel's bits by themselves. */

#define LANES (VECTOR_BYTES * 8 / LANE_BITS)
#define PARTS (CM_GROUP_BLOCKS / LANES)

typedef LANE NAME(lanes) __attribute__((vector_size(VECTOR_BYTES)));

/* A channel of a group. */
struct NAME(channel) {
   NAME(lanes) pixel[PIXELS][PARTS];
};

static inline LANE
NAME(upper_bits)(unsigned bits)
{
   return (LANE)((LANE)-1 << (LANE_BITS - bits));
}

/* A channel whose lowest bit is this one of the words. */
static inline void
NAME(load_channel)(const struct words *words, unsigned first_bit, unsigned bits,
                   struct NAME(channel) * channel)
{
   const unsigned up = 32 - bits - first_bit % 32;
   const LANE mask = NAME(upper_bits)(bits);
   for (unsigned p = 0; p < PIXELS; p++) {
      word_vector shifted[BLOCK_ROWS];
      for (unsigned i = 0; i < BLOCK_ROWS; i++)
         shifted[i] = words->pixel[p][i] << up >> (32 - LANE_BITS);
      for (unsigned i = 0; i < PARTS; i++)
         channel->pixel[p][i] = NARROW(shifted, i) & mask;
   }
}

/* A difference from what is expected, of which only the highest bit counts: it is that of the difference with its sign moved to the
 * lowest bit. Above the highest bit all are as the sign; there neighbours are equal. */
static inline NAME(lanes) NAME(mark)(NAME(lanes) difference)
{
   return difference ^ (difference + difference);
}

/* What is stored of each quad with each predictor: all bits of its marks. */
static inline void
NAME(gather_quads)(const NAME(lanes) v[PIXELS], NAME(lanes) quads[PREDICTORS][QUADS])
{
   /* From the pixel to the left, and from the one above. */
   NAME(lanes) across[PIXELS], down[PIXELS];
#pragma GCC unroll 16
   for (unsigned p = 1; p < PIXELS; p++) {
      const unsigned x = p % CM_BLOCK_SIZE, y = p / CM_BLOCK_SIZE;
      NAME(lanes) *const quad = &quads[0][y / 2 * 2 + x / 2], plane;
      if (x)
         across[p] = v[p] - v[p - 1];
      if (y)
         down[p] = v[p] - v[p - CM_BLOCK_SIZE];
      if (x && y)
         plane = across[p] - across[p - CM_BLOCK_SIZE];
      else if (x)
         plane = x > 1 ? across[p] - across[p - 1] : across[p];
      else
         plane = y > 1 ? down[p] - down[p - CM_BLOCK_SIZE] : down[p];
      quad[FROM_LEFT * QUADS] |= NAME(mark)(x ? across[p] : down[p]);
      quad[FROM_ABOVE * QUADS] |= NAME(mark)(y ? down[p] : across[p]);
      quad[FROM_FIRST * QUADS] |= NAME(mark)(v[p] - v[0]);
      quad[FROM_PLANE * QUADS] |= NAME(mark)(plane);
   }
}

/* The highest bit that is set. */
static inline NAME(lanes) NAME(highest_bit)(NAME(lanes) v)
{
   for (unsigned s = 1; s < LANE_BITS; s *= 2)
      v |= v >> (LANE)s;
   return v ^ v >> 1;
}

/* How many bits a value has, of which only the highest one is set. */
static inline NAME(lanes) NAME(count_bits)(NAME(lanes) highest)
{
   /* Of a bit's number, each digit: the bits that have it. */
   static const uint32_t digits[] = {0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00, 0xffff0000};
   NAME(lanes) number = {0};
   for (unsigned d = 0; 1 << d < LANE_BITS; d++)
      number |= (NAME(lanes))((highest & (LANE)digits[d]) != 0) & (LANE)(1 << d);
   return (number + 1) & (NAME(lanes))(highest != 0);
}

/* What is stored of a channel with one predictor, but for what each channel has: reductions and differences. */
static inline NAME(lanes) NAME(stored_bits)(const NAME(lanes) quad[QUADS], unsigned bits)
{
   const NAME(lanes) highest = NAME(highest_bit)(quad[0] | quad[1] | quad[2] | quad[3]);
   /* Marks have the channel's lowest bit where values have. */
   const NAME(lanes) width = NAME(count_bits)(highest >> (LANE)(LANE_BITS - bits));
   const NAME(lanes) two_highest = highest | highest >> 1;
   NAME(lanes) of_quad[QUADS];
   /* A quad has a bit less for each of the two highest ones that it does without, or none. */
   for (unsigned q = 0; q < QUADS; q++)
      of_quad[q] =
         (width + (NAME(lanes))((quad[q] & highest) == 0) + (NAME(lanes))((quad[q] & two_highest) == 0)) &
         (NAME(lanes))(quad[q] != 0);
   /* The first quad has one pixel less: the block's first. */
   return 4 * (of_quad[0] + of_quad[1] + of_quad[2] + of_quad[3]) - of_quad[0] +
          ((NAME(lanes))(width != 0) & QUADS * REDUCTION_BITS);
}

/* Whether all blocks have one value each. */
static inline bool
NAME(is_flat)(const NAME(lanes) v[PIXELS])
{
   NAME(lanes) others = {0};
   uint64_t words[VECTOR_BYTES / sizeof(uint64_t)];
   for (unsigned p = 1; p < PIXELS; p++)
      others |= v[p] ^ v[0];
   memcpy(words, &others, sizeof words);
   return !(words[0] | words[1]);
}

/* Adds the bits of each block, with the predictor of the fewest. */
static void
NAME(add_part)(const NAME(lanes) v[PIXELS], unsigned bits, uint16_t counts[LANES])
{
   NAME(lanes) quads[PREDICTORS][QUADS] = {{{0}}};
   LANE each[LANES];
   NAME(gather_quads)(v, quads);
   NAME(lanes) fewest = NAME(stored_bits)(quads[0], bits);
   for (unsigned p = 1; p < PREDICTORS; p++) {
      const NAME(lanes) found = NAME(stored_bits)(quads[p], bits);
      const NAME(lanes) is_fewer = (NAME(lanes))(found < fewest);
      fewest = (found & is_fewer) | (fewest & ~is_fewer);
   }
   memcpy(each, &fewest, sizeof each);
   for (unsigned b = 0; b < LANES; b++)
      counts[b] = (uint16_t)(counts[b] + each[b]);
}

static void
NAME(add_channel)(const struct NAME(channel) * channel, unsigned bits, uint16_t counts[CM_GROUP_BLOCKS])
{
   for (unsigned i = 0; i < PARTS; i++) {
      NAME(lanes) v[PIXELS];
      for (unsigned p = 0; p < PIXELS; p++)
         v[p] = channel->pixel[p][i];
      if (!NAME(is_flat)(v))
         NAME(add_part)(v, bits, counts + i * LANES);
   }
}

/* Adds the bits of all channels. */
static void
NAME(add_channels)(const struct cm_pixel_layout *layout, struct NAME(channel) * channels,
                   uint16_t counts[CM_GROUP_BLOCKS])
{
   /* Red and blue less green: of grey, nothing is left. */
   for (unsigned c = 0; layout->is_color && c < 3; c += 2) {
      const LANE mask = NAME(upper_bits)(layout->bits[c]);
      for (unsigned p = 0; p < PIXELS; p++) {
         for (unsigned i = 0; i < PARTS; i++)
            channels[c].pixel[p][i] -= channels[1].pixel[p][i] & mask;
      }
   }
   for (unsigned c = 0; c < layout->num_channels; c++)
      NAME(add_channel)(&channels[c], layout->bits[c], counts);
}

static void
NAME(add_group)(const struct cm_pixel_layout *layout, const uint8_t *pixels, size_t stride,
                uint16_t counts[CM_GROUP_BLOCKS])
{
   struct NAME(channel) channels[CM_PIXEL_CHANNELS];
   struct words words;
   unsigned bit = 0;
   for (unsigned c = 0; c < layout->num_channels; c++) {
      if (bit % 32 == 0)
         load_words(layout->bytes, pixels + bit / 8, stride, &words);
      NAME(load_channel)(&words, bit, layout->bits[c], &channels[c]);
      bit += layout->bits[c];
   }
   NAME(add_channels)(layout, channels, counts);
}

#undef LANES
#undef PARTS
#undef LANE
#undef LANE_BITS
#undef NARROW
#undef NAME
