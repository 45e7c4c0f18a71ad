/* SPDX-License-Identifier: MIT */
/* The blocks of footprints. */
#include <assert.h>
#include <string.h>

#include "texture/placement.h"
#include "texture/texel_order.h"
#include "util/minmax.h"

/* The blocks of one fragment's texels, wherever these lie; once: each only where it is read first. */
static unsigned
fragment_blocks(const struct cm_texture_image *image, const struct cm_texture_binding *binding, int32_t x,
                int32_t y, unsigned extent, bool once, uint64_t *blocks)
{
   const struct cm_texture_layout *layout = image->layout;
   const struct cm_texture_level *level = image->level;
   const bool compressed = layout->block_width > 1 || layout->block_height > 1;
   unsigned count = 0;
   for (unsigned i = 0; i < extent * extent; i++) {
      const int32_t dx = (int32_t)(i % extent), dy = (int32_t)(i / extent);
      uint32_t column = cm_footprint_coordinate(x + dx, level->width, binding->repeat_s);
      uint32_t row = cm_footprint_coordinate(y + dy, level->height, binding->repeat_t);
      if (compressed) {
         column /= layout->block_width;
         row /= layout->block_height;
      }
      const uint64_t begin = image->address + layout->placement->texel_offset(layout, level, column, row);
      const uint64_t last = (begin + layout->sample_bytes - 1) >> image->block_shift;
      for (uint64_t block = begin >> image->block_shift; block <= last; block++) {
         unsigned known = 0;
         while (known < count && (!once || blocks[known] != block))
            known++;
         if (known == count)
            blocks[count++] = block;
      }
   }
   return count;
}

static unsigned
all_fragments_blocks(const struct cm_texture_image *image, const struct cm_texture_binding *binding,
                     const struct cm_footprint *footprint, bool once, uint64_t *blocks)
{
   unsigned count = 0;
   for (unsigned f = 0; f < 4; f++) {
      if (footprint->live & 1u << f)
         count += fragment_blocks(image, binding, footprint->texel[f].x, footprint->texel[f].y,
                                  footprint->linear ? 2 : 1, once, blocks + count);
   }
   return count;
}

/* Whether the squares of a Morton order stand one below the other. */
static bool
is_column_of_squares(const struct cm_texture_layout *layout, const struct cm_texture_level *level)
{
   return layout->placement->order == CM_ORDER_MORTON && level->columns <= 1u << level->inner_shift &&
          level->row_texels == 1ull << 2 * level->inner_shift;
}

/* Of the lowest bits of a texel's number, how many are the column's; in orders other than
 * rows. The others are the row's. */
static unsigned
column_bits_of_block(const struct cm_texture_layout *layout, const struct cm_texture_level *level,
                     unsigned bits)
{
   const unsigned inner = level->inner_shift, outer = level->outer_shift;
   if (layout->placement->order == CM_ORDER_MORTON) {
      if (bits <= 2 * inner)
         return (bits + 1) / 2;
      return is_column_of_squares(layout, level) ? inner : bits - inner;
   }
   unsigned count = bits < inner ? bits : inner;
   if (bits > 2 * inner)
      count += bits - 2 * inner < outer - inner ? bits - 2 * inner : outer - inner;
   if (bits > 2 * outer)
      count += bits - 2 * outer;
   return count;
}

bool
cm_texture_block_shape(const struct cm_texture_layout *layout, const struct cm_texture_level *level,
                       uint64_t address, unsigned block_shift, struct cm_block_shape *shape)
{
   const uint64_t within_block = (1ull << block_shift) - 1;
   if (layout->texel_shift > block_shift || address & within_block)
      return false;
   const unsigned bits = block_shift - layout->texel_shift;
   if (layout->placement->order == CM_ORDER_ROWS) {
      *shape = (struct cm_block_shape){.column_shift = (uint8_t)bits};
      return (level->row_bytes & within_block) == 0;
   }
   const unsigned column_shift = column_bits_of_block(layout, level, bits);
   *shape = (struct cm_block_shape){(uint8_t)column_shift, (uint8_t)(bits - column_shift)};
   /* Where there is a row of tiles below the first, it has to begin with a block. */
   return is_column_of_squares(layout, level) || level->rows <= 1u << level->outer_shift ||
          (level->row_texels << layout->texel_shift & within_block) == 0;
}

static bool
is_power_of_two(uint32_t number)
{
   return (number & (number - 1)) == 0;
}

void
cm_texture_image_init(struct cm_texture_image *image, const struct cm_texture_layout *layout,
                      uint64_t address, const struct cm_texture_binding *binding,
                      const struct cm_footprint *footprint, unsigned block_shift)
{
   const bool multisampled = layout->samples > 1;
   uint32_t level_number = (uint32_t)binding->first_level + (multisampled ? 0 : footprint->level);
   if (level_number >= layout->num_levels)
      level_number = layout->num_levels - 1;
   const struct cm_texture_level *level = &layout->levels[level_number];

   const uint32_t images = layout->layers > 1 ? layout->layers : level->slices;
   uint32_t layer = binding->first_layer + footprint->layer;
   if (layer >= images)
      layer = images - 1;
   uint32_t sample = multisampled ? footprint->level : 0;
   if (sample >= layout->samples)
      sample = layout->samples - 1;
   *image = (struct cm_texture_image){
      .layout = layout,
      .level = level,
      .address =
         address + cm_texture_slice_offset(layout, level, layer) + (uint64_t)sample * layout->sample_bytes,
      .block_shift = block_shift,
   };
   if (!is_power_of_two(layout->block_width) || !is_power_of_two(layout->block_height) ||
       !cm_texture_block_shape(layout, level, image->address, block_shift, &image->shape))
      return;
   image->compression = (struct cm_block_shape){(uint8_t)__builtin_ctz(layout->block_width),
                                                (uint8_t)__builtin_ctz(layout->block_height)};
   image->shape.column_shift += image->compression.column_shift;
   image->shape.row_shift += image->compression.row_shift;
   image->block_end[0] = (int16_t)((1 << image->shape.column_shift) - 1);
   image->block_end[1] = (int16_t)((1 << image->shape.row_shift) - 1);
   image->texel_shift = block_shift - layout->texel_shift;
   image->first_block = image->address >> block_shift;
   image->row_blocks = level->row_bytes >> block_shift;
   image->has_rows_of_blocks = layout->placement->order == CM_ORDER_ROWS;
   image->has_tiles_of_blocks = !image->has_rows_of_blocks;
   image->grid_rows = image->has_rows_of_blocks ? CM_GRID_ROWS : 2;
}

/* Writes each of two columns' blocks in two rows once. */
static inline __attribute__((always_inline)) unsigned
different_blocks(uint64_t row, uint64_t other_row, uint64_t column, uint64_t other_column, uint64_t *blocks)
{
   unsigned count = 0;
   blocks[count++] = row + column;
   if (other_column != column)
      blocks[count++] = row + other_column;
   if (other_row != row) {
      blocks[count++] = other_row + column;
      if (other_column != column)
         blocks[count++] = other_row + other_column;
   }
   return count;
}

/* The blocks of a footprint in an image that has_tiles_of_blocks. */
static inline __attribute__((always_inline)) unsigned
tile_blocks(const struct cm_texture_image *image, const struct cm_texture_binding *binding,
            const struct cm_footprint *footprint, uint64_t *blocks, enum cm_texel_order order)
{
   const struct cm_texture_level *level = image->level;
   const int32_t more = footprint->linear ? 1 : 0;
   const uint32_t shift = image->texel_shift;
   const struct cm_block_shape compressed = image->compression;
   unsigned count = 0;
   for (unsigned f = 0; f < 4; f++) {
      if (!(footprint->live & 1u << f))
         continue;
      const int32_t x = footprint->texel[f].x, y = footprint->texel[f].y;
      const uint32_t column = cm_footprint_coordinate(x, level->width, binding->repeat_s);
      const uint32_t other_column = cm_footprint_coordinate(x + more, level->width, binding->repeat_s);
      const uint32_t row = cm_footprint_coordinate(y, level->height, binding->repeat_t);
      const uint32_t other_row = cm_footprint_coordinate(y + more, level->height, binding->repeat_t);
      count += different_blocks(
         image->first_block + (cm_row_texel(level, order, row >> compressed.row_shift) >> shift),
         image->first_block + (cm_row_texel(level, order, other_row >> compressed.row_shift) >> shift),
         cm_column_texel(level, order, column >> compressed.column_shift) >> shift,
         cm_column_texel(level, order, other_column >> compressed.column_shift) >> shift, blocks + count);
   }
   return count;
}

/* The blocks of a footprint in an image that has_rows_of_blocks. */
static inline unsigned
row_blocks(const struct cm_texture_image *image, const struct cm_texture_binding *binding,
           const struct cm_footprint *footprint, uint64_t *blocks)
{
   const uint32_t width = image->level->width, height = image->level->height;
   const int32_t more = footprint->linear ? 1 : 0; /* columns and rows beyond the first */
   const struct cm_block_shape shape = image->shape;
   const uint64_t first_block = image->first_block, row_blocks = image->row_blocks;
   unsigned count = 0;
   for (unsigned f = 0; f < 4; f++) {
      if (!(footprint->live & 1u << f))
         continue;
      const int32_t x = footprint->texel[f].x, y = footprint->texel[f].y;
      const uint32_t row = cm_footprint_coordinate(y, height, binding->repeat_t) >> shape.row_shift;
      const uint32_t other_row =
         cm_footprint_coordinate(y + more, height, binding->repeat_t) >> shape.row_shift;
      const uint32_t column = cm_footprint_coordinate(x, width, binding->repeat_s) >> shape.column_shift;
      const uint32_t other_column =
         cm_footprint_coordinate(x + more, width, binding->repeat_s) >> shape.column_shift;
      count += different_blocks(first_block + row * row_blocks, first_block + other_row * row_blocks, column,
                                other_column, blocks + count);
   }
   return count;
}

unsigned
cm_footprint_blocks(const struct cm_texture_image *image, const struct cm_texture_binding *binding,
                    const struct cm_footprint *footprint, uint64_t *blocks)
{
   if (image->has_rows_of_blocks)
      return row_blocks(image, binding, footprint, blocks);
   if (image->has_tiles_of_blocks) {
      return image->layout->placement->order == CM_ORDER_MORTON
                ? tile_blocks(image, binding, footprint, blocks, CM_ORDER_MORTON)
                : tile_blocks(image, binding, footprint, blocks, CM_ORDER_TILES);
   }
   return all_fragments_blocks(image, binding, footprint, true, blocks);
}

unsigned
cm_footprint_texels(const struct cm_texture_image *image, const struct cm_texture_binding *binding,
                    const struct cm_footprint *footprint, uint64_t *blocks)
{
   return all_fragments_blocks(image, binding, footprint, false, blocks);
}

unsigned
cm_distinct_blocks(const uint64_t *blocks, unsigned count, uint64_t *firsts)
{
   unsigned num_firsts = 0;
   for (unsigned b = 0; b < count; b++) {
      unsigned known = 0;
      while (known < num_firsts && firsts[known] != blocks[b])
         known++;
      if (known == num_firsts)
         firsts[num_firsts++] = blocks[b];
   }
   return num_firsts;
}

/* ---- a quad at once ------------------------------------------------------ */

/* x and y of a quad's four texels; the pairs as numbers. */
typedef int16_t quad_texels __attribute__((vector_size(16)));
typedef uint32_t quad_pairs __attribute__((vector_size(16)));

static inline quad_texels
every_texel(const void *texel)
{
   uint32_t pair;
   memcpy(&pair, texel, sizeof pair);
   return (quad_texels)(quad_pairs){pair, pair, pair, pair};
}

/* All bits of the texels of the live fragments. */
static inline quad_texels
live_texels(unsigned live)
{
   const quad_texels bits = {1, 1, 2, 2, 4, 4, 8, 8};
   const int16_t mask[2] = {(int16_t)live, (int16_t)live};
   return (every_texel(mask) & bits) != 0;
}

/* A loop over elements is what compilers make one instruction of. */
static inline quad_texels
least_texels(quad_texels a, quad_texels b)
{
   quad_texels result;
   for (unsigned i = 0; i < 8; i++)
      result[i] = a[i] < b[i] ? a[i] : b[i];
   return result;
}

static inline quad_texels
greatest_texels(quad_texels a, quad_texels b)
{
   quad_texels result;
   for (unsigned i = 0; i < 8; i++)
      result[i] = a[i] > b[i] ? a[i] : b[i];
   return result;
}

/* The first texels of the live fragments; those of the others are the same as one of these. live_mask: all bits of the
 * live ones'. */
static inline __attribute__((always_inline)) quad_texels
first_texels(const struct cm_footprint *footprint, unsigned live, quad_texels *live_mask)
{
   quad_texels first;
   _Static_assert(sizeof footprint->texel == sizeof first, "a texel is x, y of 16 bits");
   memcpy(&first, footprint->texel, sizeof first);
   *live_mask = (quad_texels){0} == 0;
   if (live == 15)
      return first;
   *live_mask = live_texels(live);
   return (first & *live_mask) | (every_texel(&footprint->texel[__builtin_ctz(live | 8)]) & ~*live_mask);
}

/* Of four footprints: the texels of their fragments, and the bounds of these. */
struct four_bounds {
   quad_pairs texel[4], least, greatest;
};

/* As a transposition of their texels: what compilers make a few instructions of for each. */
static inline __attribute__((always_inline)) struct four_bounds
bounds_of_texels(const quad_texels texels[4])
{
   const quad_pairs a = (quad_pairs)texels[0], b = (quad_pairs)texels[1], c = (quad_pairs)texels[2],
                    d = (quad_pairs)texels[3];
   /* Of each footprint, fragments 0 and 1, and 2 and 3. */
   const quad_pairs ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
                    ab_next = __builtin_shufflevector(a, b, 2, 6, 3, 7),
                    cd = __builtin_shufflevector(c, d, 0, 4, 1, 5),
                    cd_next = __builtin_shufflevector(c, d, 2, 6, 3, 7);
   const quad_pairs least_ab = (quad_pairs)least_texels((quad_texels)ab, (quad_texels)ab_next),
                    least_cd = (quad_pairs)least_texels((quad_texels)cd, (quad_texels)cd_next),
                    greatest_ab = (quad_pairs)greatest_texels((quad_texels)ab, (quad_texels)ab_next),
                    greatest_cd = (quad_pairs)greatest_texels((quad_texels)cd, (quad_texels)cd_next);
   return (struct four_bounds){
      .texel = {__builtin_shufflevector(ab, cd, 0, 1, 4, 5), __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
                __builtin_shufflevector(ab_next, cd_next, 0, 1, 4, 5),
                __builtin_shufflevector(ab_next, cd_next, 2, 3, 6, 7)},
      .least = (quad_pairs)least_texels((quad_texels)__builtin_shufflevector(least_ab, least_cd, 0, 1, 4, 5),
                                        (quad_texels)__builtin_shufflevector(least_ab, least_cd, 2, 3, 6, 7)),
      .greatest = (quad_pairs)
         greatest_texels((quad_texels)__builtin_shufflevector(greatest_ab, greatest_cd, 0, 1, 4, 5),
                         (quad_texels)__builtin_shufflevector(greatest_ab, greatest_cd, 2, 3, 6, 7)),
   };
}

void
cm_footprints_bounds(const struct cm_footprint *footprints, unsigned count, struct cm_texel_bounds bounds[4])
{
   quad_texels texels[4], live_mask;
   assert(count >= 1 && count <= 4);
   for (unsigned i = 0; i < 4; i++) {
      const struct cm_footprint *footprint = &footprints[i < count ? i : count - 1];
      texels[i] = first_texels(footprint, footprint->live & 15, &live_mask);
   }
   const struct four_bounds all = bounds_of_texels(texels);
   const quad_pairs low = __builtin_shufflevector(all.least, all.greatest, 0, 4, 1, 5),
                    high = __builtin_shufflevector(all.least, all.greatest, 2, 6, 3, 7);
   memcpy(bounds, &low, sizeof low);
   memcpy(bounds + 2, &high, sizeof high);
}

/* Values of fewer bits compare as signed ones, for which SSE2 has instructions. */
typedef int32_t quad_numbers __attribute__((vector_size(16)));

/* As a transposition. */
static inline void
store_places(quad_pairs shape, quad_pairs column, quad_pairs first_row, quad_pairs other_row,
             struct cm_footprint_place places[4])
{
   const quad_pairs low = __builtin_shufflevector(shape, column, 0, 4, 1, 5),
                    high = __builtin_shufflevector(shape, column, 2, 6, 3, 7),
                    low_rows = __builtin_shufflevector(first_row, other_row, 0, 4, 1, 5),
                    high_rows = __builtin_shufflevector(first_row, other_row, 2, 6, 3, 7);
   const quad_pairs all[4] = {__builtin_shufflevector(low, low_rows, 0, 1, 4, 5),
                              __builtin_shufflevector(low, low_rows, 2, 3, 6, 7),
                              __builtin_shufflevector(high, high_rows, 0, 1, 4, 5),
                              __builtin_shufflevector(high, high_rows, 2, 3, 6, 7)};
   static_assert(sizeof all == 4 * sizeof *places, "a place is four numbers");
   memcpy(places, all, sizeof all);
}

/* Whether there are four footprints, with all fragments live. */
static inline __attribute__((always_inline)) bool
are_full(const struct cm_footprint *footprints, unsigned stride, unsigned count)
{
   unsigned live = count == 4 ? 15 : 0;
   for (unsigned i = 0; live && i < 4; i++)
      live &= footprints[i * stride].live;
   return live == 15;
}

/* The texels of others: the last one's follow. */
static __attribute__((noinline)) void
fill_texels(const struct cm_footprint *footprints, unsigned stride, unsigned count, quad_texels texels[4])
{
   quad_texels live_mask;
   for (unsigned i = 0; i < 4; i++) {
      const struct cm_footprint *footprint = &footprints[cm_min(i, count - 1) * stride];
      texels[i] = first_texels(footprint, footprint->live & 15, &live_mask);
   }
}

/* Where four footprints lie: the bounds of their fragments, with what linear ones read besides. */
struct four_places {
   quad_pairs texel[4], left, top, right, bottom;
   quad_numbers is_outside;
};

static inline __attribute__((always_inline)) struct four_places
find_bounds(const struct cm_footprint_kind *kind, const struct cm_footprint *footprints, unsigned stride,
            unsigned count)
{
   quad_texels texels[4];
   if (__builtin_expect(are_full(footprints, stride, count), true)) {
      for (unsigned i = 0; i < 4; i++)
         memcpy(&texels[i], footprints[i * stride].texel, sizeof texels[i]);
   } else {
      quad_texels filled[4]; /* texels stay in registers */
      fill_texels(footprints, stride, count, filled);
      for (unsigned i = 0; i < 4; i++)
         texels[i] = filled[i];
   }
   const struct four_bounds all = bounds_of_texels(texels);
   const quad_pairs right = (all.greatest & 0xffff) + kind->more, bottom = (all.greatest >> 16) + kind->more;
   return (struct four_places){
      .texel = {all.texel[0], all.texel[1], all.texel[2], all.texel[3]},
      .left = all.least & 0xffff,
      .top = all.least >> 16,
      .right = right,
      .bottom = bottom,
      .is_outside = (quad_numbers)((all.least & 0x80008000) != 0) |
                    ((quad_numbers)right >= (int32_t)kind->width) |
                    ((quad_numbers)bottom >= (int32_t)kind->height),
   };
}

/* Of blocks that are a row of texels each. */
static inline __attribute__((always_inline)) bool
find_rows(const struct cm_footprint_kind *kind, const struct four_places *all,
          struct cm_footprint_place places[4])
{
   const struct cm_texture_image *image = kind->image;
   const quad_pairs *const texel = all->texel;
   const quad_pairs left = all->left, top = all->top, right = all->right, height = all->bottom - top;
   const int32_t block_end = image->block_end[0];
   const quad_numbers spreads = ((quad_numbers)(right - (left & ~(uint32_t)block_end)) <= 2 * block_end + 1) &
                                ((quad_numbers)height < (int32_t)kind->spread_rows);
   const quad_pairs first = texel[0] >> 16, third = texel[2] >> 16;
   const quad_numbers aligned = (first == texel[1] >> 16) & (third == texel[3] >> 16) & spreads;
   const quad_numbers is_upright =
      aligned & (texel[0] << 16 == texel[2] << 16) & (texel[1] << 16 == texel[3] << 16);
   const quad_numbers is_short = ((quad_numbers)height <= (int32_t)kind->more + 1) & spreads;
   const quad_numbers is_flat = (quad_numbers)height == (int32_t)kind->more;
   const quad_numbers in_columns = (quad_numbers)(left ^ right) > block_end;
   const quad_numbers of_columns = (is_upright & CM_TWO_COLUMNS) | (~is_upright & CM_ANY_COLUMNS),
                      of_more_rows = (aligned & CM_FOUR_ROWS) | (~aligned & CM_MANY_ROWS),
                      of_few_rows = (is_flat & CM_TWO_ROWS) | (~is_flat & CM_THREE_ROWS),
                      of_rows = (is_short & of_few_rows) | (~is_short & of_more_rows);
   const quad_pairs opposite = top + ((quad_pairs)(first == top) & height);
   const quad_numbers shape = (in_columns & of_columns) | (~in_columns & of_rows);
   store_places((quad_pairs)((all->is_outside & CM_ANYWHERE) | (~all->is_outside & shape)),
                left >> image->shape.column_shift, first,
                (opposite & (quad_pairs)is_short) | (third & ~(quad_pairs)is_short), places);
   uint64_t halves[2];
   memcpy(halves, &all->is_outside, sizeof halves);
   return !(halves[0] | halves[1]);
}

/* Of others. */
static void
find_blocks(const struct cm_footprint_kind *kind, const struct four_places *all,
            struct cm_footprint_place places[4])
{
   const struct cm_texture_image *image = kind->image;
   const quad_pairs top = all->top >> image->shape.row_shift, bottom = all->bottom >> image->shape.row_shift,
                    first = all->texel[0] >> 16 >> image->shape.row_shift;
   const quad_numbers is_column =
      ~all->is_outside & ((quad_numbers)(all->left ^ all->right) <= (int32_t)image->block_end[0]);
   const quad_numbers is_one = is_column & (bottom == top),
                      is_two = is_column & (bottom == top + 1) & -(kind->spread_rows >= 2);
   store_places((quad_pairs)((is_one & CM_ONE_BLOCK) | (is_two & CM_TWO_BLOCKS) |
                             (~(is_one | is_two) & CM_ANYWHERE)),
                all->left >> image->shape.column_shift, first, top + bottom - first, places);
}

bool
cm_footprint_find_places(const struct cm_footprint_kind *kind, const struct cm_footprint *footprints,
                         unsigned stride, unsigned count, struct cm_footprint_place places[4])
{
   assert(cm_footprint_kind_has_shapes(kind) && count >= 1 && count <= 4);
   if (kind->is_one_block) {
      for (unsigned i = 0; i < 4; i++)
         places[i] = (struct cm_footprint_place){.shape = CM_ONE_BLOCK};
      return false;
   }
   const struct four_places all = find_bounds(kind, footprints, stride, count);
   if (__builtin_expect(kind->usual_live == 15, true))
      return find_rows(kind, &all, places);
   find_blocks(kind, &all, places);
   return false;
}

uint32_t
cm_footprint_linear_reads(const struct cm_texture_image *image, const struct cm_footprint *footprint)
{
   quad_texels live;
   const quad_texels first = first_texels(footprint, footprint->live & 15, &live);
   const quad_texels end = every_texel(image->block_end);
   const quad_texels crosses = ((first & end) == end) & 1;
   const quad_texels both = crosses & (quad_texels)((quad_pairs)crosses << 16);
   quad_texels reads = (crosses + both + (quad_texels){1, 0, 1, 0, 1, 0, 1, 0}) & live;
   reads += __builtin_shufflevector(reads, reads, 4, 5, 6, 7, 0, 1, 2, 3);
   uint64_t sums;
   memcpy(&sums, &reads, sizeof sums);
   return (uint32_t)(sums * 0x0001000100010001u >> 48);
}

/* Where a grid of blocks lies in an image that has_tiles_of_blocks. left, top: column and row of its first block. */
static inline __attribute__((always_inline)) void
place_in_order(const struct cm_texture_image *image, enum cm_texel_order order, uint32_t left, uint32_t top,
               struct cm_block_grid *grid)
{
   uint64_t columns[2], rows[2];
   for (uint32_t i = 0; i < 2; i++) {
      const uint32_t column = (left + i) << image->shape.column_shift >> image->compression.column_shift,
                     row = (top + i) << image->shape.row_shift >> image->compression.row_shift;
      columns[i] = cm_column_texel(image->level, order, column) >> image->texel_shift;
      rows[i] = cm_row_texel(image->level, order, row) >> image->texel_shift;
   }
   grid->block = image->first_block + columns[0] + rows[0];
   grid->column = columns[1] - columns[0];
   grid->row = rows[1] - rows[0];
}

struct cm_block_grid
cm_place_grid_in_tiles(const struct cm_texture_image *image, uint32_t left, uint32_t top,
                       struct cm_block_grid grid)
{
   if (image->layout->placement->order == CM_ORDER_MORTON)
      place_in_order(image, CM_ORDER_MORTON, left, top, &grid);
   else
      place_in_order(image, CM_ORDER_TILES, left, top, &grid);
   return grid;
}

unsigned
cm_footprint_blocks_of_grid(const struct cm_texture_image *image, const struct cm_footprint *footprint,
                            const struct cm_texel_bounds *bounds, const struct cm_block_grid *grid,
                            uint64_t *blocks)
{
   const unsigned live = footprint->live & 15, column_shift = image->shape.column_shift,
                  row_shift = image->shape.row_shift;
   const uint32_t more = footprint->linear != 0;
   assert(live);
   const uint32_t left = (bounds->least & 0xffff) >> column_shift, top = bounds->least >> 16 >> row_shift;
   unsigned count = 0;
   for (unsigned f = 0; f < 4; f++) {
      if (!(live >> f & 1))
         continue;
      const uint32_t x = (uint32_t)footprint->texel[f].x, y = (uint32_t)footprint->texel[f].y;
      count += different_blocks(cm_grid_block(grid, 0, (y >> row_shift) - top),
                                cm_grid_block(grid, 0, ((y + more) >> row_shift) - top),
                                ((x >> column_shift) - left) * grid->column,
                                (((x + more) >> column_shift) - left) * grid->column, blocks + count);
   }
   return count;
}
