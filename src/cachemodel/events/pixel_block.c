/* SPDX-License-Identifier: MIT */
#include "events/pixel_block.h"

#include <assert.h>
#include <string.h>

#include "util/minmax.h"

#define PIXELS (CM_BLOCK_SIZE * CM_BLOCK_SIZE)
#define QUADS 4
#define PREDICTOR_BITS 2
#define REDUCTION_BITS 2

_Static_assert(CM_BLOCK_SIZE == 4 && CM_RAW_SIZE == 64 && CM_MAX_PIXEL_BYTES * 4 == CM_RAW_SIZE,
               "the format's");

/* What a pixel is expected to be. The first pixel of a block is stored as it is. */
enum predictor {
   FROM_LEFT,  /* the pixel to the left; in the first column, the one above */
   FROM_ABOVE, /* the pixel above; in the first row, the one to the left */
   FROM_FIRST, /* the block's first pixel */
   FROM_PLANE, /* what continues the plane through the neighbours */
   PREDICTORS
};

/* As large as all processors have them: what moves elements about is slow in larger ones. */
#define VECTOR_BYTES 16
typedef uint8_t byte_vector __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t half_vector __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t word_vector __attribute__((vector_size(VECTOR_BYTES)));

#define BLOCK_ROWS (CM_GROUP_SIZE / CM_BLOCK_SIZE)

/* 32 bits of each of a group's pixels, or all that there are: by their place in the block, then by block, a row of them in a vector. */
struct words {
   word_vector pixel[PIXELS][BLOCK_ROWS];
};

/* Of the elements of two vectors, the lower halves, and the upper ones. */
#define EVEN_BYTES(a, b)                                                                                  \
   __builtin_shufflevector((byte_vector)(a), (byte_vector)(b), 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, \
                           24, 26, 28, 30)
#define ODD_BYTES(a, b)                                                                                   \
   __builtin_shufflevector((byte_vector)(a), (byte_vector)(b), 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, \
                           25, 27, 29, 31)
#define EVEN_HALVES(a, b) \
   __builtin_shufflevector((half_vector)(a), (half_vector)(b), 0, 2, 4, 6, 8, 10, 12, 14)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "lower halves are first");

bool
cm_pixel_layout_is_valid(const struct cm_pixel_layout *layout)
{
   unsigned bits = 0;
   const uint8_t *of = layout->bits;
   if (!layout->num_channels || layout->num_channels > CM_PIXEL_CHANNELS ||
       (layout->is_color && (layout->num_channels < 3 || of[0] > of[1] || of[2] > of[1])))
      return false;
   for (unsigned c = 0; c < layout->num_channels; c++) {
      if (!of[c] || of[c] > 32 || bits % 32 + of[c] > 32)
         return false;
      bits += of[c];
   }
   return bits == 8u * layout->bytes && layout->bytes && layout->bytes <= CM_MAX_PIXEL_BYTES &&
          !(layout->bytes & (layout->bytes - 1));
}

/* ---- pixels --------------------------------------------------------------------- */

static inline void
load_row(const uint8_t *pixels, unsigned pixel_bytes, uint32_t row[CM_GROUP_SIZE])
{
   if (pixel_bytes == sizeof *row) {
      memcpy(row, pixels, CM_GROUP_SIZE * sizeof *row);
      return;
   }
   for (unsigned x = 0; x < CM_GROUP_SIZE; x++, pixels += pixel_bytes) {
      switch (pixel_bytes) {
      case 1: row[x] = pixels[0]; break;
      case 2: row[x] = pixels[0] | (uint32_t)pixels[1] << 8; break;
      default: memcpy(&row[x], pixels, sizeof row[x]);
      }
   }
}

/* Of a row of blocks, to their places. */
static inline void
place_row(const word_vector blocks[4], word_vector (*to)[BLOCK_ROWS], unsigned block_row)
{
   const word_vector a = __builtin_shufflevector(blocks[0], blocks[1], 0, 4, 1, 5),
                     b = __builtin_shufflevector(blocks[2], blocks[3], 0, 4, 1, 5),
                     c = __builtin_shufflevector(blocks[0], blocks[1], 2, 6, 3, 7),
                     d = __builtin_shufflevector(blocks[2], blocks[3], 2, 6, 3, 7);
   to[0][block_row] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
   to[1][block_row] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
   to[2][block_row] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
   to[3][block_row] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

static void
load_words(unsigned pixel_bytes, const uint8_t *pixels, size_t stride, struct words *words)
{
   for (unsigned y = 0; y < CM_GROUP_SIZE; y++, pixels += stride) {
      uint32_t row[CM_GROUP_SIZE];
      word_vector blocks[4];
      load_row(pixels, pixel_bytes, row);
      memcpy(blocks, row, sizeof blocks);
      place_row(blocks, &words->pixel[y % CM_BLOCK_SIZE * CM_BLOCK_SIZE], y / CM_BLOCK_SIZE);
   }
}

/* ---- bits ----------------------------------------------------------------------- */

#define LANE uint8_t
#define LANE_BITS 8
#define NARROW(words, i) EVEN_BYTES(EVEN_BYTES(words[0], words[1]), EVEN_BYTES(words[2], words[3]))
#define NAME(function) function##_8
#include "events/pixel_block_tmp.h"

#define LANE uint16_t
#define LANE_BITS 16
#define NARROW(words, i) EVEN_HALVES(words[2 * i], words[2 * i + 1])
#define NAME(function) function##_16
#include "events/pixel_block_tmp.h"

#define LANE uint32_t
#define LANE_BITS 32
#define NARROW(words, i) words[i]
#define NAME(function) function##_32
#include "events/pixel_block_tmp.h"

/* The most common layout, four channels of a byte, is faster without shifts. */
static bool
is_bytes(const struct cm_pixel_layout *layout)
{
   const uint8_t *bits = layout->bits;
   return layout->num_channels == 4 && bits[0] == 8 && bits[1] == 8 && bits[2] == 8 && bits[3] == 8;
}

static void
add_bytes(const struct cm_pixel_layout *layout, const uint8_t *pixels, size_t stride,
          uint16_t counts[CM_GROUP_BLOCKS])
{
   struct channel_8 channels[CM_PIXEL_CHANNELS];
   struct words words;
   load_words(layout->bytes, pixels, stride, &words);
   for (unsigned p = 0; p < PIXELS; p++) {
      const word_vector *word = words.pixel[p];
      const byte_vector even[2] = {EVEN_BYTES(word[0], word[1]), EVEN_BYTES(word[2], word[3])};
      const byte_vector odd[2] = {ODD_BYTES(word[0], word[1]), ODD_BYTES(word[2], word[3])};
      channels[0].pixel[p][0] = EVEN_BYTES(even[0], even[1]);
      channels[1].pixel[p][0] = EVEN_BYTES(odd[0], odd[1]);
      channels[2].pixel[p][0] = ODD_BYTES(even[0], even[1]);
      channels[3].pixel[p][0] = ODD_BYTES(odd[0], odd[1]);
   }
   add_channels_8(layout, channels, counts);
}

/* What blocks have besides their counts, if they are not flat: a pixel; of each channel, the predictor and the width, which is at
 * most the channel's. */
static unsigned
common_bits(const struct cm_pixel_layout *layout)
{
   unsigned bits = 8u * layout->bytes;
   for (unsigned c = 0; c < layout->num_channels; c++)
      bits += PREDICTOR_BITS + 32 - (unsigned)__builtin_clz(layout->bits[c]);
   return bits;
}

/* Bits of each block, besides those; of flat ones 0. Fewer bits a lane are faster, and give the same. */
static void
count_bits(const struct cm_pixel_layout *layout, const uint8_t *pixels, size_t stride,
           uint16_t counts[CM_GROUP_BLOCKS])
{
   unsigned most = 0;
   for (unsigned c = 0; c < layout->num_channels; c++)
      most = cm_max(most, layout->bits[c]);
   memset(counts, 0, CM_GROUP_BLOCKS * sizeof *counts);
   if (is_bytes(layout))
      add_bytes(layout, pixels, stride, counts);
   else if (most <= 8)
      add_group_8(layout, pixels, stride, counts);
   else if (most <= 16)
      add_group_16(layout, pixels, stride, counts);
   else
      add_group_32(layout, pixels, stride, counts);
}

/* ---- sizes ---------------------------------------------------------------------- */

/* Whether all of a group's pixels are equal: those of the first row are the one before, and all rows are the first. */
static inline bool
is_flat(const uint8_t *pixels, size_t stride, size_t pixel_bytes)
{
   const size_t row = CM_GROUP_SIZE * pixel_bytes;
   bool flat = !memcmp(pixels, pixels + pixel_bytes, row - pixel_bytes);
   for (unsigned y = 1; flat && y < CM_GROUP_SIZE; y++)
      flat = !memcmp(pixels, pixels + y * stride, row);
   return flat;
}

unsigned
cm_stored_size(unsigned size)
{
   const unsigned rounded = (size + CM_SIZE_STEP - 1) / CM_SIZE_STEP * CM_SIZE_STEP;
   return rounded > CM_RAW_SIZE - 2 * CM_SIZE_STEP ? CM_RAW_SIZE : rounded;
}

/* Pixels outside are equal to the nearest inside. */
static void
fill_group(const uint8_t *pixels, size_t stride, size_t pixel_bytes, unsigned width, unsigned height,
           uint8_t *whole)
{
   for (unsigned y = 0; y < CM_GROUP_SIZE; y++) {
      uint8_t *row = whole + y * CM_GROUP_SIZE * pixel_bytes;
      memcpy(row, pixels + cm_min(y, height - 1) * stride, width * pixel_bytes);
      for (unsigned x = width; x < CM_GROUP_SIZE; x++)
         memcpy(row + x * pixel_bytes, row + (width - 1) * pixel_bytes, pixel_bytes);
   }
}

void
cm_group_sizes(const struct cm_pixel_layout *layout, const uint8_t *pixels, size_t stride, unsigned width,
               unsigned height, uint8_t sizes[CM_GROUP_BLOCKS])
{
   uint8_t whole[CM_GROUP_SIZE * CM_GROUP_SIZE * CM_MAX_PIXEL_BYTES];
   const size_t pixel_bytes = layout->bytes;
   assert(cm_pixel_layout_is_valid(layout));
   assert(width && width <= CM_GROUP_SIZE && height && height <= CM_GROUP_SIZE);
   if (width < CM_GROUP_SIZE || height < CM_GROUP_SIZE) {
      fill_group(pixels, stride, pixel_bytes, width, height, whole);
      pixels = whole;
      stride = CM_GROUP_SIZE * pixel_bytes;
   }
   memset(sizes, 0, CM_GROUP_BLOCKS);
   if (is_flat(pixels, stride, pixel_bytes))
      return;
   uint16_t counts[CM_GROUP_BLOCKS];
   count_bits(layout, pixels, stride, counts);
   const unsigned common = common_bits(layout), part = 2 * layout->bytes;
   for (unsigned b = 0; b < CM_GROUP_BLOCKS; b++) {
      const uint8_t *first = pixels + b / 4 * CM_BLOCK_SIZE * stride + b % 4 * CM_BLOCK_SIZE * pixel_bytes;
      if (counts[b])
         sizes[b] = (uint8_t)cm_stored_size((common + counts[b] + part - 1) / part);
      else if (memcmp(first, pixels, pixel_bytes) != 0)
         sizes[b] = CM_FLAT_SIZE;
   }
}
