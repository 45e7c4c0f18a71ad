/* SPDX-License-Identifier: MIT */
/* Compressed framebuffers against a naive model that looks at each byte of each body: random images, superblocks, sizes, tiles,
 * loads and texels. Also conservation: without compression the same passes move the raw bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/pass_builder.h"
#include "support/test.h"
#include "tiling/tile_order.h"

#define MOST 128 /* pixels of an image's side */

struct shape {
   uint32_t width, height, header_bytes, burst, pixel_bytes, tile;
   bool in_header, by_block;
};

struct naive {
   struct shape shape;
   uint32_t columns, rows;
   uint8_t sizes[MOST / 4][MOST / 4];   /* as stored */
   uint8_t visible[MOST / 4][MOST / 4]; /* at the end of the last pass */
   bool exists, cached[MOST][MOST / 16 * 4];
   uint64_t reads, writes, raw, texture_body, texture_header, texture_raw;
};

/* ---- the model ----------------------------------------------------------------- */

/* The body of a superblock: which block each byte is of; returns its bytes. is_solid: it has none. */
static uint32_t
lay_out(const struct naive *naive, uint8_t sizes[MOST / 4][MOST / 4], uint32_t left, uint32_t top,
        bool is_raw, uint32_t begins[MOST / 4][MOST / 4], uint32_t ends[MOST / 4][MOST / 4], bool *is_solid)
{
   const struct shape *shape = &naive->shape;
   double at = 0;
   bool has_pixel[MOST / 16][MOST / 16] = {{false}};
   unsigned groups = 0, others = 0;
   for (uint32_t y = top; y < top + shape->height && y < naive->rows; y += 4) {
      for (uint32_t x = left; x < left + shape->width && x < naive->columns; x += 4) {
         double bytes = sizes[y / 4][x / 4] * (16.0 * shape->pixel_bytes) / 64;
         others += bytes > 0;
         if (bytes == 0 && !has_pixel[y / 16][x / 16]) {
            has_pixel[y / 16][x / 16] = true;
            groups++;
            bytes = shape->pixel_bytes;
         }
         if (is_raw)
            bytes = 16 * shape->pixel_bytes;
         begins[y / 4][x / 4] = (uint32_t)at;
         at += bytes;
         ends[y / 4][x / 4] = bytes > 0 ? (uint32_t)(at + 0.999) : begins[y / 4][x / 4];
      }
   }
   *is_solid = !is_raw && groups == 1 && !others && shape->in_header;
   return (uint32_t)(at + 0.999);
}

/* Bytes of a body's bursts (at least `least` bytes each, where a cache has blocks of so many) that have a byte of the pixels x0, y0 …
 * x1, y1; all: of the whole superblock. */
static uint64_t
body_bytes(const struct naive *naive, uint8_t sizes[MOST / 4][MOST / 4], uint32_t left, uint32_t top,
           uint32_t least, const uint32_t *pixels)
{
   static uint32_t begins[MOST / 4][MOST / 4], ends[MOST / 4][MOST / 4];
   static bool needed[1 << 16];
   const struct shape *shape = &naive->shape;
   bool is_solid;
   uint32_t raw = 0, bytes = lay_out(naive, sizes, left, top, false, begins, ends, &is_solid);
   if (is_solid)
      return 0;
   for (uint32_t y = top; y < top + shape->height && y < naive->rows; y += 4) {
      for (uint32_t x = left; x < left + shape->width && x < naive->columns; x += 4)
         raw += 16 * shape->pixel_bytes;
   }
   if ((bytes + shape->burst - 1) / shape->burst * shape->burst >= raw)
      bytes = lay_out(naive, sizes, left, top, true, begins, ends, &is_solid);
   memset(needed, 0, sizeof needed);
   for (uint32_t y = top; y < top + shape->height && y < naive->rows; y += 4) {
      for (uint32_t x = left; x < left + shape->width && x < naive->columns; x += 4) {
         const bool is_read = !pixels || !shape->by_block ||
                              (x + 4 > pixels[0] && y + 4 > pixels[1] && x < pixels[2] && y < pixels[3]);
         for (uint32_t b = begins[y / 4][x / 4]; is_read && b < ends[y / 4][x / 4]; b++)
            needed[b / shape->burst * shape->burst] = true;
      }
   }
   uint64_t sum = 0;
   const uint32_t step = shape->burst > least ? shape->burst : least;
   for (uint32_t b = 0; b < sizeof needed; b += step) {
      bool any = false;
      for (uint32_t of = b; of < b + step; of += shape->burst)
         any |= needed[of];
      sum += any ? step : 0;
   }
   return sum;
}

static uint64_t
header_row_bytes(const struct naive *naive, uint32_t first, uint32_t end, uint32_t row, uint64_t unit)
{
   const uint32_t across = (naive->columns + naive->shape.width - 1) / naive->shape.width;
   const uint64_t from = (uint64_t)(row * across + first) * naive->shape.header_bytes,
                  to = (uint64_t)(row * across + end) * naive->shape.header_bytes;
   return ((to - 1) / unit - from / unit + 1) * unit;
}

static void
naive_tile(struct naive *naive, uint32_t x0, uint32_t y0, bool is_store, const uint8_t *content)
{
   const struct shape *shape = &naive->shape;
   const uint32_t x1 = x0 + shape->tile < naive->columns ? x0 + shape->tile : naive->columns;
   const uint32_t y1 = y0 + shape->tile < naive->rows ? y0 + shape->tile : naive->rows;
   const uint32_t groups_x = (x1 - x0 + 15) / 16, pixels[4] = {x0, y0, x1, y1};
   for (uint32_t y = y0; y < y1; y++)
      naive->raw += ((x1 * shape->pixel_bytes - 1) / 64 - x0 * shape->pixel_bytes / 64 + 1) * 64;
   for (uint32_t top = y0 / shape->height * shape->height; top < y1; top += shape->height) {
      const uint32_t first = x0 / shape->width, end = (x1 - 1) / shape->width + 1;
      bool partial = false;
      for (uint32_t left = first * shape->width; left < x1; left += shape->width) {
         const uint32_t right = left + shape->width < naive->columns ? left + shape->width : naive->columns;
         const uint32_t bottom = top + shape->height < naive->rows ? top + shape->height : naive->rows;
         const bool is_whole = left >= x0 && top >= y0 && right <= x1 && bottom <= y1;
         partial |= !is_whole;
         if (!is_store || !is_whole)
            naive->reads += body_bytes(naive, naive->sizes, left, top, 0, is_store ? NULL : pixels);
         if (!is_store)
            continue;
         for (uint32_t y = top > y0 ? top : y0; y < bottom && y < y1; y += 4) {
            for (uint32_t x = left > x0 ? left : x0; x < right && x < x1; x += 4)
               naive->sizes[y / 4][x / 4] = content[((y - y0) / 16 * groups_x + (x - x0) / 16) * 16 +
                                                    (y - y0) / 4 % 4 * 4 + (x - x0) / 4 % 4];
         }
         naive->writes += body_bytes(naive, naive->sizes, left, top, 0, NULL);
      }
      const uint64_t headers = header_row_bytes(naive, first, end, top / shape->height, shape->burst);
      naive->reads += !is_store || partial ? headers : 0;
      naive->writes += is_store ? headers : 0;
   }
}

/* A texel: a block of the texture cache, of one row, and what it is made of. */
static void
naive_texel(struct naive *naive, uint32_t x, uint32_t y)
{
   const struct shape *shape = &naive->shape;
   const uint32_t in_block = 64 / shape->pixel_bytes, column = x / in_block;
   if (naive->cached[y][column])
      return;
   naive->cached[y][column] = true;
   naive->texture_raw += 64;
   const uint32_t end = (column + 1) * in_block < naive->columns ? (column + 1) * in_block : naive->columns;
   const uint32_t pixels[4] = {column * in_block, y, end, y + 1};
   for (uint32_t s = pixels[0] / shape->width; s * shape->width < end; s++) {
      naive->texture_header += header_row_bytes(naive, s, s + 1, y / shape->height, 64);
      naive->texture_body +=
         body_bytes(naive, naive->visible, s * shape->width, y / shape->height * shape->height, 64, pixels);
   }
}

/* ---- rounds -------------------------------------------------------------------- */

static struct cm_gpu *
make_gpu(const struct shape *shape, bool is_compressed)
{
   char numbers[6][64];
   const uint32_t values[] = {shape->width, shape->height, shape->header_bytes, shape->burst};
   static const char *const names[] = {"superblock_width", "superblock_height", "header_bytes", "burst"};
   for (unsigned n = 0; n < 4; n++)
      snprintf(numbers[n], sizeof numbers[n], "framebuffer_compression.%s=%u", names[n], values[n]);
   snprintf(numbers[4], sizeof numbers[4], "tile.size=%u", shape->tile);
   snprintf(numbers[5], sizeof numbers[5], "framebuffer_compression.mode=%s",
            is_compressed ? "blocks" : "none");
   return test_gpu_with(
      test_compression_settings,
      (const char *const[]){numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5],
                            shape->in_header ? "framebuffer_compression.solid_colors=in-header"
                                             : "framebuffer_compression.solid_colors=in-body",
                            shape->by_block ? "framebuffer_compression.reads=blocks"
                                            : "framebuffer_compression.reads=superblocks",
                            "fragment_stage.processors=1", "caches.texture_cache.instances=1",
                            "caches.texture_cache.size=1M", "tile.order=scanline", NULL});
}

static struct shape
random_shape(uint64_t *state)
{
   static const uint32_t sides[][2] = {{16, 16}, {32, 8}, {16, 4}, {8, 8}, {64, 4}, {32, 32}, {4, 4}};
   const uint32_t *side = sides[random_below(state, 7)];
   return (struct shape){
      .width = side[0],
      .height = side[1],
      .header_bytes = 1u << random_below(state, 6),
      .burst = 16u << random_below(state, 4),
      .pixel_bytes = 1u << random_below(state, 3),
      .tile = 16u << random_below(state, 3),
      .in_header = random_below(state, 2),
      .by_block = random_below(state, 2),
   };
}

static void
store_and_load(struct naive *naive, struct cm_gpu *gpus[2], uint64_t *state)
{
   const struct shape *shape = &naive->shape;
   struct pass_builder *pass = pass_new(0, naive->columns, naive->rows, shape->tile);
   const uint32_t num_tiles = pass->pass.tiles_x * pass->pass.tiles_y;
   pass_color(pass, 1, (uint8_t)shape->pixel_bytes);
   pass->pass.color[0].load = naive->exists && random_below(state, 2);
   for (uint32_t tile = 0; tile < num_tiles; tile++)
      pass->touched[tile] = !naive->exists || random_below(state, 2);
   naive->exists = true;
   pass_random_contents(pass, 0, state);
   pass_run(pass, gpus[0]);
   pass_run(pass, gpus[1]);
   uint32_t order[64];
   assert_true(num_tiles <= 64);
   cm_tile_order_build(CM_TILE_ORDER_SCANLINE, pass->pass.tiles_x, pass->pass.tiles_y, false, order);
   for (uint32_t n = 0; n < num_tiles; n++) {
      const uint32_t tile = order[n];
      const uint32_t x = tile % pass->pass.tiles_x * shape->tile, y = tile / pass->pass.tiles_x * shape->tile;
      struct cm_stored_surface surface;
      size_t offset = 0;
      if (!pass->touched[tile])
         continue;
      assert_true(cm_tile_content_next(&pass->contents[tile], &offset, &surface));
      if (pass->pass.color[0].load)
         naive_tile(naive, x, y, false, NULL);
      naive_tile(naive, x, y, true, surface.sizes);
   }
   memcpy(naive->visible, naive->sizes, sizeof naive->sizes);
   memset(naive->cached, 0, sizeof naive->cached);
   pass_free(pass);
}

static void
read_texels(struct naive *naive, struct cm_gpu *gpus[2], uint64_t *state)
{
   struct pass_builder *pass = pass_new(0, 16, 16, naive->shape.tile);
   pass_draw(pass)->num_textures = 1;
   pass->draws[0].textures[0].resource = 1;
   for (uint32_t n = random_below(state, 100); n; n--) {
      const uint32_t x = random_below(state, naive->columns), y = random_below(state, naive->rows);
      const struct cm_footprint footprint = {.live = 1, .texel = {{(int16_t)x, (int16_t)y}}};
      pass_shade(pass, 0, 0, 1, 1);
      pass_footprints(pass, 0, 0, &footprint, 1);
      naive_texel(naive, x, y);
   }
   pass_run(pass, gpus[0]);
   pass_run_and_free(pass, gpus[1]);
}

static void
compare(const struct naive *naive, struct cm_gpu *gpus[2])
{
   expect_counters(gpus[0], {"dram.color.read_bytes", naive->reads},
                   {"dram.color.write_bytes", naive->writes},
                   {"framebuffer_compression.color.raw_bytes", naive->raw},
                   {"framebuffer_compression.texture.raw_bytes", naive->texture_raw},
                   {"framebuffer_compression.texture.header_bytes", naive->texture_header},
                   {"framebuffer_compression.texture.body_bytes", naive->texture_body},
                   {"l2.texture.reads", (naive->texture_header + naive->texture_body) / 64});
   assert_int_equal(gpu_total(gpus[0], "framebuffer_compression.color.header_bytes") +
                       gpu_total(gpus[0], "framebuffer_compression.color.body_bytes"),
                    naive->reads + naive->writes);
   /* What compression saves and what it moves is what is moved without. */
   expect_counters(gpus[1], {"l2.texture.reads", naive->texture_raw / 64},
                   {"texture_cache.texture.misses", gpu_total(gpus[0], "texture_cache.texture.misses")});
   assert_int_equal(gpu_total(gpus[1], "dram.color.read_bytes") +
                       gpu_total(gpus[1], "dram.color.write_bytes"),
                    naive->raw);
}

TEST(random_images)
{
   const uint32_t rounds = test_rounds(80);
   for (uint32_t round = 0; round < rounds; round++) {
      uint64_t state = 77 + round;
      struct naive *naive = calloc(1, sizeof *naive);
      naive->shape = random_shape(&state);
      naive->columns = 1 + random_below(&state, MOST);
      naive->rows = 1 + random_below(&state, MOST);
      memset(naive->sizes, 64, sizeof naive->sizes);
      struct cm_gpu *gpus[2] = {make_gpu(&naive->shape, true), make_gpu(&naive->shape, false)};
      struct cm_resource_description image =
         describe_texture(naive->columns, naive->rows, 1, (uint8_t)naive->shape.pixel_bytes);
      for (unsigned g = 0; g < 2; g++)
         cm_gpu_define_resource(gpus[g], &image);
      for (unsigned pass = 0; pass < 4; pass++) {
         store_and_load(naive, gpus, &state);
         read_texels(naive, gpus, &state);
         compare(naive, gpus);
      }
      for (unsigned g = 0; g < 2; g++)
         cm_gpu_destroy(gpus[g]);
      free(naive);
   }
}
