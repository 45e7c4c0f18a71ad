/* SPDX-License-Identifier: MIT */
#include "events/pixel_block.h"

#include <assert.h>
#include <string.h>

#include "util/minmax.h"

#define PIXELS (CM_BLOCK_SIZE * CM_BLOCK_SIZE)
#define QUADS 4
#define PREDICTOR_BITS 2
#define REDUCTION_BITS 2
/* A quad's width is the channel's less its reduction, or 0. */
#define NOTHING 3

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

/* Of a channel of a block with one predictor. */
struct widths {
   uint8_t quad[QUADS]; /* bits of each of a quad's differences; as stored, some more than they need */
   uint8_t width;       /* the largest of them */
   uint8_t predictor;   /* enum predictor */
   uint16_t bits;       /* all that is stored of the channel */
};

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

/* ---- widths --------------------------------------------------------------------- */

static inline unsigned
bits_of(uint32_t value)
{
   return 63 - (unsigned)__builtin_clzll((uint64_t)value << 1 | 1);
}

/* Bits of a channel's width, which is at most the channel's. */
static inline unsigned
width_bits(unsigned bits)
{
   return bits_of(bits);
}

static inline unsigned
reduction_of(const struct widths *widths, unsigned quad)
{
   return widths->quad[quad] ? widths->width - widths->quad[quad] : NOTHING;
}

/* From the widths that quads need to what is stored. */
static inline void
finish_widths(struct widths *widths, unsigned bits)
{
   uint8_t *quad = widths->quad;
   const unsigned width = cm_max(cm_max(quad[0], quad[1]), cm_max(quad[2], quad[3]));
   widths->width = (uint8_t)width;
   if (!width) {
      widths->bits = (uint16_t)(PREDICTOR_BITS + width_bits(bits));
      return;
   }
   const unsigned least = width < NOTHING ? 0 : width - NOTHING + 1;
   for (unsigned q = 0; q < QUADS; q++)
      quad[q] = (uint8_t)(quad[q] ? cm_max(quad[q], least) : 0);
   /* The first quad has one pixel less: the block's first. */
   widths->bits = (uint16_t)(PREDICTOR_BITS + width_bits(bits) + QUADS * REDUCTION_BITS + 3u * quad[0] +
                             4u * (quad[1] + quad[2] + quad[3]));
}

/* A word of a pixel: 32 bits, or all that there are. */
static inline uint32_t
load_word(const uint8_t *pixel, unsigned bytes)
{
   switch (bytes) {
   case 1: return pixel[0];
   case 2: return pixel[0] | (uint32_t)pixel[1] << 8;
   default: return pixel[0] | (uint32_t)pixel[1] << 8 | (uint32_t)pixel[2] << 16 | (uint32_t)pixel[3] << 24;
   }
}

/* No vector is passed to a function that is not inlined. */
#pragma GCC diagnostic ignored "-Wpsabi"

#define LANE uint8_t
#define SIGNED_LANE int8_t
#define LANE_BITS 8
#define NAME(function) function##_8
#include "events/pixel_block_tmp.h"

#define LANE uint16_t
#define SIGNED_LANE int16_t
#define LANE_BITS 16
#define NAME(function) function##_16
#include "events/pixel_block_tmp.h"

#define LANE uint32_t
#define SIGNED_LANE int32_t
#define LANE_BITS 32
#define NAME(function) function##_32
#include "events/pixel_block_tmp.h"

/* Fewer bits a lane are faster, and give the same. */
static void
choose_widths(const struct cm_pixel_layout *layout, const uint8_t *pixels, size_t stride,
              struct widths *chosen)
{
   unsigned most = 0;
   for (unsigned c = 0; c < layout->num_channels; c++)
      most = cm_max(most, layout->bits[c]);
   if (most <= 8)
      choose_widths_8(layout, pixels, stride, chosen);
   else if (most <= 16)
      choose_widths_16(layout, pixels, stride, chosen);
   else
      choose_widths_32(layout, pixels, stride, chosen);
}

/* ---- bits ----------------------------------------------------------------------- */

/* Appends to bytes that are zeros, the lowest bit of a byte first. */
struct bit_writer {
   uint8_t *bytes;
   unsigned used;
};

static void
put_bits(struct bit_writer *writer, uint32_t value, unsigned bits)
{
   for (unsigned b = 0; b < bits; b++, writer->used++)
      writer->bytes[writer->used / 8] |= (uint8_t)((value >> b & 1) << writer->used % 8);
}

static void
put_head(struct bit_writer *writer, const struct widths *widths, unsigned bits)
{
   put_bits(writer, widths->predictor, PREDICTOR_BITS);
   put_bits(writer, widths->width, width_bits(bits));
   for (unsigned q = 0; q < QUADS && widths->width; q++)
      put_bits(writer, reduction_of(widths, q), REDUCTION_BITS);
}

static void
put_residuals(struct bit_writer *writer, const struct widths *widths, unsigned bits, const uint32_t *values)
{
   uint32_t residual[PIXELS];
   find_residuals_32((enum predictor)widths->predictor, values, residual);
   for (unsigned q = 0; q < QUADS; q++) {
      for (unsigned p = q ? 0 : 1; p < 4; p++) {
         const unsigned x = q % 2 * 2 + p % 2, y = q / 2 * 2 + p / 2;
         put_bits(writer, residual[y * CM_BLOCK_SIZE + x] >> (32 - bits), widths->quad[q]);
      }
   }
}

/* ---- blocks --------------------------------------------------------------------- */

/* Whether all of size x size pixels are equal: those of the first row are the one before, and all rows are the first. */
static inline bool
is_flat(const uint8_t *pixels, size_t stride, size_t pixel_bytes, unsigned size)
{
   const size_t row = size * pixel_bytes;
   bool flat = !memcmp(pixels, pixels + pixel_bytes, row - pixel_bytes);
   for (unsigned y = 1; flat && y < size; y++)
      flat = !memcmp(pixels, pixels + y * stride, row);
   return flat;
}

/* Parts of CM_RAW_SIZE that so many bits take. */
static unsigned
size_of_bits(unsigned bits, unsigned pixel_bytes)
{
   const unsigned part = 2 * pixel_bytes;
   return cm_min((bits + part - 1) / part, CM_RAW_SIZE);
}

/* Whether a block has one color, and its size then. */
static inline bool
find_flat_size(const struct cm_pixel_layout *layout, const uint8_t *pixels, size_t stride,
               const uint8_t *group_first, unsigned *size)
{
   if (!is_flat(pixels, stride, layout->bytes, CM_BLOCK_SIZE))
      return false;
   *size = memcmp(pixels, group_first, layout->bytes) ? CM_FLAT_SIZE : 0;
   return true;
}

unsigned
cm_block_size(const struct cm_pixel_layout *layout, const uint8_t *pixels, size_t stride,
              const uint8_t *group_first)
{
   assert(cm_pixel_layout_is_valid(layout));
   struct widths widths[CM_PIXEL_CHANNELS];
   unsigned size, bits = 8u * layout->bytes;
   if (find_flat_size(layout, pixels, stride, group_first, &size))
      return size;
   choose_widths(layout, pixels, stride, widths);
   for (unsigned c = 0; c < layout->num_channels; c++)
      bits += widths[c].bits;
   return size_of_bits(bits, layout->bytes);
}

unsigned
cm_stored_size(unsigned size)
{
   const unsigned rounded = (size + CM_SIZE_STEP - 1) / CM_SIZE_STEP * CM_SIZE_STEP;
   return rounded > CM_RAW_SIZE - 2 * CM_SIZE_STEP ? CM_RAW_SIZE : rounded;
}

static void
copy_pixels(const uint8_t *pixels, size_t stride, size_t row_bytes, uint8_t *bytes)
{
   for (unsigned y = 0; y < CM_BLOCK_SIZE; y++)
      memcpy(bytes + y * row_bytes, pixels + y * stride, row_bytes);
}

unsigned
cm_block_encode(const struct cm_pixel_layout *layout, const uint8_t *pixels, size_t stride,
                const uint8_t *group_first, uint8_t bytes[CM_MAX_BLOCK_BYTES])
{
   uint32_t values[CM_PIXEL_CHANNELS][PIXELS];
   struct widths widths[CM_PIXEL_CHANNELS];
   const unsigned size = cm_block_size(layout, pixels, stride, group_first);
   memset(bytes, 0, CM_MAX_BLOCK_BYTES);
   if (size == CM_RAW_SIZE) {
      copy_pixels(pixels, stride, CM_BLOCK_SIZE * layout->bytes, bytes);
      return size;
   }
   if (size)
      memcpy(bytes, pixels, layout->bytes);
   if (size <= CM_FLAT_SIZE)
      return size;
   struct bit_writer writer = {bytes, 8u * layout->bytes};
   choose_widths(layout, pixels, stride, widths);
   load_block_32(layout, pixels, stride, values);
   for (unsigned c = 0; c < layout->num_channels; c++)
      put_head(&writer, &widths[c], layout->bits[c]);
   for (unsigned c = 0; c < layout->num_channels; c++)
      put_residuals(&writer, &widths[c], layout->bits[c], values[c]);
   assert(size_of_bits(writer.used, layout->bytes) == size);
   return size;
}

void
cm_group_sizes(const struct cm_pixel_layout *layout, const uint8_t *pixels, size_t stride, unsigned width,
               unsigned height, uint8_t sizes[CM_GROUP_BLOCKS])
{
   uint8_t whole[CM_GROUP_SIZE * CM_GROUP_SIZE * CM_MAX_PIXEL_BYTES];
   const size_t pixel_bytes = layout->bytes;
   assert(width && width <= CM_GROUP_SIZE && height && height <= CM_GROUP_SIZE);
   if (width < CM_GROUP_SIZE || height < CM_GROUP_SIZE) {
      /* Pixels outside are equal to the nearest inside. */
      for (unsigned y = 0; y < CM_GROUP_SIZE; y++) {
         uint8_t *row = whole + y * CM_GROUP_SIZE * pixel_bytes;
         memcpy(row, pixels + cm_min(y, height - 1) * stride, width * pixel_bytes);
         for (unsigned x = width; x < CM_GROUP_SIZE; x++)
            memcpy(row + x * pixel_bytes, row + (width - 1) * pixel_bytes, pixel_bytes);
      }
      pixels = whole;
      stride = CM_GROUP_SIZE * pixel_bytes;
   }
   if (is_flat(pixels, stride, pixel_bytes, CM_GROUP_SIZE)) {
      memset(sizes, 0, CM_GROUP_BLOCKS);
      return;
   }
   for (unsigned b = 0; b < CM_GROUP_BLOCKS; b++) {
      const size_t x = b % 4 * CM_BLOCK_SIZE, y = b / 4 * CM_BLOCK_SIZE;
      const unsigned size = cm_block_size(layout, pixels + y * stride + x * pixel_bytes, stride, pixels);
      sizes[b] = (uint8_t)cm_stored_size(size);
   }
}
