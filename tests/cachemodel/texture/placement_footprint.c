/* SPDX-License-Identifier: MIT */
/* A footprint's blocks: for each live fragment, each block of its texels once.
 * The fast paths agree with a computation texel by texel over random footprints, in all
 * placements and with blocks of several sizes. */
#include "support/pass_builder.h"
#include "support/test.h"
#include "texture/placement.h"

static const struct cm_config config = {.texture = {.placement = CM_PLACEMENT_LINEAR, .row_alignment = 64}};

/* Where a coordinate past the edge reads. */
static uint32_t
at_edge(int x, int size, bool repeat)
{
   if (x < 0)
      return (uint32_t)(repeat ? x + size : 0);
   if (x >= size)
      return (uint32_t)(repeat ? x - size : size - 1);
   return (uint32_t)x;
}

static unsigned
plain_blocks(const struct cm_resource_description *r, const struct cm_texture_layout *layout,
             uint64_t address, const struct cm_texture_binding *binding, const struct cm_footprint *f,
             unsigned block_shift, bool by_texel, uint64_t *blocks)
{
   const unsigned level = binding->first_level + f->level;
   const int width = (int)(r->width >> level ? r->width >> level : 1);
   const int height = (int)(r->height >> level ? r->height >> level : 1);
   unsigned count = 0;
   for (unsigned q = 0; q < 4; q++) {
      unsigned first = count;
      for (int i = 0; f->live >> q & 1 && i < (f->linear ? 4 : 1); i++) {
         const uint32_t x = at_edge(f->texel[q].x + i % 2, width, binding->repeat_s);
         const uint32_t y = at_edge(f->texel[q].y + i / 2, height, binding->repeat_t);
         const uint64_t begin = address + cm_texture_offset(layout, level, binding->first_layer + f->layer,
                                                            x / r->block_width, y / r->block_height);
         first = by_texel ? count : first;
         for (uint64_t byte = begin; byte < begin + r->block_bytes; byte++) {
            bool known = false;
            for (unsigned b = first; b < count; b++)
               known |= blocks[b] == byte >> block_shift;
            if (!known)
               blocks[count++] = byte >> block_shift;
         }
      }
   }
   return count;
}

static unsigned num_grids[CM_PLACEMENT_MORTON_4K + 1]; /* footprints that had a grid, by placement */
static unsigned num_in_one_block;                      /* that read an image of one block */

/* In an image of one block every live fragment reads that once, inside and outside of the image: the grid is that block. */
static void
check_one_block(const struct cm_texture_image *image, const struct cm_footprint *footprint,
                const struct cm_texel_bounds *bounds, const uint64_t *blocks, unsigned count)
{
   struct cm_footprint_kind kind = cm_footprint_kind(image, footprint);
   struct cm_block_grid grid;
   if (!cm_texture_image_is_one_block(image))
      return;
   kind.is_one_block = true;
   assert_int_equal(cm_footprint_grid(&kind, footprint, bounds, &grid), count != 0);
   if (!count)
      return;
   num_in_one_block++;
   assert_int_equal(grid.reads, count);
   assert_int_equal(grid.columns, 1);
   assert_int_equal(grid.rows, 1);
   for (unsigned b = 0; b < count; b++)
      assert_int_equal(blocks[b], grid.block);
}

/* The blocks of a footprint, which lie in its grid and are the same listed by it. */
static unsigned
blocks_of(const struct cm_texture_layout *layout, uint64_t address, const struct cm_texture_binding *binding,
          const struct cm_footprint *footprint, unsigned block_shift, uint64_t *blocks)
{
   struct cm_texture_image image;
   cm_texture_image_init(&image, layout, address, binding, footprint, block_shift);
   const unsigned count = cm_footprint_blocks(&image, binding, footprint, blocks);

   struct cm_texel_bounds bounds[4];
   struct cm_block_grid grid;
   cm_footprints_bounds(footprint, 1, bounds);
   check_one_block(&image, footprint, bounds, blocks, count);
   const struct cm_footprint_kind its_kind = cm_footprint_kind(&image, footprint);
   if (!cm_footprint_grid(&its_kind, footprint, bounds, &grid))
      return count;
   for (unsigned kind = 0; kind <= CM_PLACEMENT_MORTON_4K; kind++)
      num_grids[kind] += layout->placement == cm_placements[kind];
   assert_int_equal(grid.reads, count);
   assert_in_range(grid.columns, 1, 2);
   assert_in_range(grid.rows, 1, CM_GRID_ROWS);
   for (unsigned b = 0; b < count; b++) {
      bool is_there = false;
      for (unsigned i = 0; i < grid.columns * grid.rows; i++)
         is_there |= cm_grid_block(&grid, i % grid.columns, i / grid.columns) == blocks[b];
      assert_true(is_there);
   }
   uint64_t by_grid[CM_MAX_FOOTPRINT_BLOCKS];
   assert_int_equal(cm_footprint_blocks_of_grid(&image, footprint, bounds, &grid, by_grid), count);
   assert_memory_equal(by_grid, blocks, count * sizeof *blocks);
   cm_grid_cells cells[4];
   unsigned listed = 0;
   cm_footprint_cells(&image, footprint, bounds, &grid, cells);
   for (unsigned f = 0; f < 4; f++) {
      for (unsigned cell = 0; cell < 2 * CM_GRID_ROWS; cell++) {
         if (cells[f] >> cell & 1)
            assert_int_equal(cm_grid_cell_block(&grid, cell), blocks[listed++]);
      }
   }
   assert_int_equal(listed, count);
   return count;
}

/* Of up to four footprints at once: those of a loop over the live fragments. */
TEST(bounds)
{
   uint64_t state = 1;
   for (unsigned n = 0; n < 10000; n++) {
      struct cm_footprint footprints[4];
      struct cm_texel_bounds bounds[4];
      const unsigned count = 1 + random_below(&state, 4);
      for (unsigned i = 0; i < 4; i++) {
         footprints[i] = (struct cm_footprint){.live = (uint8_t)(n % 2 ? 15 : random_below(&state, 16))};
         for (unsigned f = 0; f < 4; f++) {
            footprints[i].texel[f].x = (int16_t)(random_below(&state, 65536) - 32768);
            footprints[i].texel[f].y = (int16_t)(random_below(&state, 20) - 10);
         }
      }
      cm_footprints_bounds(footprints, count, bounds);
      for (unsigned i = 0; i < count; i++) {
         int least[2] = {32767, 32767}, greatest[2] = {-32768, -32768};
         for (unsigned f = 0; f < 4; f++) {
            const int texel[2] = {footprints[i].texel[f].x, footprints[i].texel[f].y};
            for (unsigned axis = 0; axis < 2 && footprints[i].live >> f & 1; axis++) {
               least[axis] = texel[axis] < least[axis] ? texel[axis] : least[axis];
               greatest[axis] = texel[axis] > greatest[axis] ? texel[axis] : greatest[axis];
            }
         }
         if (!footprints[i].live)
            continue;
         assert_int_equal(bounds[i].least, (uint16_t)least[0] | (uint32_t)(uint16_t)least[1] << 16);
         assert_int_equal(bounds[i].greatest, (uint16_t)greatest[0] | (uint32_t)(uint16_t)greatest[1] << 16);
      }
   }
}

TEST(random)
{
   static const struct cm_resource_description resources[] = {
      {.id = 1,
       .levels = 6,
       .samples = 1,
       .block_width = 1,
       .block_height = 1,
       .block_bytes = 4,
       .width = 37,
       .height = 50,
       .depth = 1,
       .layers = 1},
      {.id = 1,
       .levels = 5,
       .samples = 1,
       .block_width = 1,
       .block_height = 1,
       .block_bytes = 1,
       .width = 300,
       .height = 16,
       .depth = 1,
       .layers = 6},
      {.id = 1,
       .levels = 5,
       .samples = 1,
       .block_width = 1,
       .block_height = 1,
       .block_bytes = 12,
       .width = 33,
       .height = 33,
       .depth = 1,
       .layers = 1},
      {.id = 1,
       .levels = 4,
       .samples = 1,
       .block_width = 4,
       .block_height = 4,
       .block_bytes = 8,
       .width = 64,
       .height = 30,
       .depth = 1,
       .layers = 1},
      {.id = 1,
       .levels = 3,
       .samples = 1,
       .block_width = 5,
       .block_height = 4,
       .block_bytes = 16,
       .width = 51,
       .height = 43,
       .depth = 1,
       .layers = 2},
      {.id = 1,
       .levels = 2,
       .samples = 1,
       .block_width = 1,
       .block_height = 1,
       .block_bytes = 16,
       .width = 18,
       .height = 9,
       .depth = 6,
       .layers = 1},
   };
   uint64_t state = 1;
   for (unsigned n = 0; n < 200000; n++) {
      const struct cm_resource_description *r = &resources[n / 4 % 6];
      struct cm_config varied = config;
      varied.texture.row_alignment = n % 5 ? 64 : 1;
      if (n % 3) {
         varied.texture.placement = (enum cm_placement_kind)(1 + random_below(&state, 4));
         varied.texture.first_level_tile = 2u << random_below(&state, 4);
         varied.texture.second_level_tile = varied.texture.first_level_tile * 2 << random_below(&state, 3);
      }
      const unsigned block_shift = n % 3 == 2 ? 4 + random_below(&state, 9) : 6;
      struct cm_texture_layout layout;
      cm_texture_layout_init(&layout, r, &varied);
      const struct cm_texture_binding binding = {.resource = 1,
                                                 .repeat_s = random_below(&state, 2),
                                                 .repeat_t = random_below(&state, 2),
                                                 .first_level = (uint8_t)random_below(&state, 2),
                                                 .first_layer = (uint16_t)(r->layers > 1)};
      struct cm_footprint f = {
         .level = (uint8_t)random_below(&state, r->levels - binding.first_level),
         .live = (uint8_t)random_below(&state, 16),
         .linear = (uint8_t)random_below(&state, 2),
         .layer = r->layers > 1  ? random_below(&state, r->layers - 1)
                  : r->depth > 1 ? 2
                                 : 0,
      };
      const unsigned level = binding.first_level + f.level;
      const int width = (int)(r->width >> level ? r->width >> level : 1);
      const int height = (int)(r->height >> level ? r->height >> level : 1);
      for (unsigned q = 0; q < 4; q++) {
         /* Anywhere, or next to the quad's other fragments. */
         const int low = f.linear ? -1 : 0, near = 3;
         const bool together = q && random_below(&state, 2) && width > near && height > near;
         const int x = (int)random_below(&state, (uint32_t)(together ? near : width - low));
         const int y = (int)random_below(&state, (uint32_t)(together ? near : height - low));
         const int first_x = together && f.texel[0].x < width - near ? f.texel[0].x : low;
         const int first_y = together && f.texel[0].y < height - near ? f.texel[0].y : low;
         f.texel[q].x = (int16_t)(first_x + x);
         f.texel[q].y = (int16_t)(first_y + y);
      }
      uint64_t blocks[CM_MAX_FOOTPRINT_BLOCKS], expected[CM_MAX_FOOTPRINT_BLOCKS * 2];
      const unsigned count = blocks_of(&layout, 8192, &binding, &f, block_shift, blocks);
      assert_int_equal(count, plain_blocks(r, &layout, 8192, &binding, &f, block_shift, false, expected));
      assert_memory_equal(blocks, expected, count * sizeof blocks[0]);
      struct cm_texture_image image;
      cm_texture_image_init(&image, &layout, 8192, &binding, &f, block_shift);
      const unsigned of_texels = cm_footprint_texels(&image, &binding, &f, blocks);
      assert_int_equal(of_texels, plain_blocks(r, &layout, 8192, &binding, &f, block_shift, true, expected));
      assert_memory_equal(blocks, expected, of_texels * sizeof blocks[0]);
   }
   for (unsigned kind = 0; kind <= CM_PLACEMENT_MORTON_4K; kind++)
      assert_true(num_grids[kind] > 100);
   assert_true(num_in_one_block > 100);
}

TEST(by_hand)
{
   /* 64 x 64 RGBA8 at 4096: a row is four blocks; block 64 is its first. */
   struct cm_resource_description resource = describe_texture(64, 64, 1, 4);
   struct cm_texture_layout layout;
   cm_texture_layout_init(&layout, &resource, &config);
   struct cm_texture_binding binding = {.resource = 1, .repeat_s = true};
   uint64_t blocks[CM_MAX_FOOTPRINT_BLOCKS];

   /* Fragment 0 straddles two blocks in two rows; fragment 3 reads across the
    * repeated left edge and the clamped upper one. */
   const struct cm_footprint f = {.live = 9, .linear = 1, .texel = {{15, 2}, {0, 0}, {0, 0}, {-1, 63}}};
   static const uint64_t expected[] = {64 + 8, 64 + 9, 64 + 12, 64 + 13, 64 + 255, 64 + 252};
   assert_int_equal(blocks_of(&layout, 4096, &binding, &f, 6, blocks), 6);
   assert_memory_equal(blocks, expected, sizeof expected);

   /* Clamped, column -1 is column 0. */
   binding.repeat_s = false;
   assert_int_equal(blocks_of(&layout, 4096, &binding, &f, 6, blocks), 5);
   assert_int_equal(blocks[4], 64 + 252);

   /* What is out of range by more than that stays inside the texture. */
   const struct cm_footprint wild = {.live = 15,
                                     .level = 9,
                                     .layer = 77,
                                     .linear = 1,
                                     .texel = {{32767, 32767}, {-32768, -32768}, {1000, 0}, {0, 1000}}};
   const unsigned count = blocks_of(&layout, 4096, &binding, &wild, 6, blocks);
   for (unsigned i = 0; i < count; i++)
      assert_in_range(blocks[i], 64, 64 + 255);
}
