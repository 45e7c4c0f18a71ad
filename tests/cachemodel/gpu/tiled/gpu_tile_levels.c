/* SPDX-License-Identifier: MIT */
/* Hierarchical lists: a small pass by hand, random ones against a reference that reads all entries of all lists one by one, and
 * the cycles of the entries that are dropped. */
#include <stdlib.h>
#include <string.h>

#include "support/arrivals.h"
#include "support/pass_builder.h"
#include "support/random_pass.h"
#include "support/test.h"
#include "tiling/parameter_buffer.h"

#define BY_HAND                                                                          \
   "parameter_buffer.levels=3", "parameter_buffer.level_lists=4", "tile.order=scanline", \
      "parameter_buffer.layout=baseline"

/* The example of docs/parameter-buffer.md: 4 x 2 tiles, lists 0 … 7 of tiles, 8 and 9 of 2x2 tiles, 10 of 4x4.
 *
 * Primitive 0 covers all tiles, 8 lists of the finest level, so it is in lists 8 and 9. Primitive 1 covers tile 5, primitive 2
 * tiles 0 and 1. Primitive 3 covers tiles 1, 2, 3, 5 and 6, whose box has 6 tiles: it is in lists 8 and 9, too. */
static struct pass_builder *
example(void)
{
   struct pass_builder *pass = pass_new(0, 128, 64, 32);
   pass_draw(pass);
   pass_primitive(pass, 3, (const uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7}, 8);
   pass_primitive(pass, 2, (const uint32_t[]){5}, 1);
   pass_primitive(pass, 1, (const uint32_t[]){0, 1}, 2);
   pass_primitive(pass, 1, (const uint32_t[]){1, 2, 3, 5, 6}, 5);
   return pass;
}

/* Lists 0: {2}, 1: {2}, 5: {1}, 8: {0, 3}, 9: {0, 3}: 7 PMDs in 5 blocks. Tiles 0 … 7 read 3, 3, 2, 2, 2, 3, 2, 2 of them, and
 * tiles 0, 4 and 7 drop primitive 3. */
TEST(by_hand)
{
   struct cm_gpu *gpu = test_gpu((const char *const[]){BY_HAND, NULL});
   struct pass_builder *pass = example();
   pass_run_and_free(pass, gpu);
   expect_counters(gpu, {"tiling_engine.pmds", 7}, {"tiling_engine.entries_read", 19},
                   {"tiling_engine.entries_dropped", 3}, {"tile_cache.pb_list.writes", 7},
                   {"tile_cache.pb_list.reads", 19}, {"tile_cache.pb_list.misses", 5},
                   {"tile_cache.pb_attribute.writes", 7},
                   {"tile_cache.pb_attribute.reads", 3 * 8 + 2 * 1 + 1 * 2 + 1 * 5});
   cm_gpu_destroy(gpu);
}

/* Binned by its box, primitive 3 arrives at tile 7, too, which drops nothing then. */
TEST(boxes_by_hand)
{
   struct cm_gpu *gpu =
      test_gpu((const char *const[]){BY_HAND, "parameter_buffer.overlap=bounding-box", NULL});
   struct pass_builder *pass = example();
   pass_run_and_free(pass, gpu);
   expect_counters(gpu, {"tiling_engine.pmds", 7}, {"tiling_engine.entries_read", 19},
                   {"tiling_engine.entries_dropped", 2},
                   {"tile_cache.pb_attribute.reads", 3 * 8 + 2 * 1 + 1 * 2 + 1 * 6});
   cm_gpu_destroy(gpu);
}

/* One level more, and one list for a primitive: 2 is in list 8, as 0 and 1 are in its bin; 0 and 3 are in list 10. */
TEST(one_list)
{
   struct cm_gpu *gpu = test_gpu((const char *const[]){BY_HAND, "parameter_buffer.level_lists=1", NULL});
   struct pass_builder *pass = example();
   pass_run_and_free(pass, gpu);
   /* Lists 5: {1}, 8: {2}, 10: {0, 3}. All tiles read list 10, tiles 0, 1, 4 and 5 list 8. Tiles 0, 4 and 7 drop 3, tiles 4 and 5
    * drop 2. */
   expect_counters(gpu, {"tiling_engine.pmds", 4}, {"tiling_engine.entries_read", 8 * 2 + 4 + 1},
                   {"tiling_engine.entries_dropped", 5}, {"tile_cache.pb_list.misses", 3});
   cm_gpu_destroy(gpu);
}

/* 40 entries that a tile drops at once, and one that it does not: accesses to three blocks of 16 narrow PMDs, and two to the
 * third block, in which its own is the last. */
TEST(one_access_per_block)
{
   struct cm_gpu *gpu =
      test_gpu((const char *const[]){"parameter_buffer.levels=1", "tile.order=scanline", NULL});
   struct pass_builder *pass = pass_new(0, 64, 32, 32);
   pass_draw(pass);
   for (unsigned p = 0; p < 40; p++)
      pass_primitive(pass, 1, (const uint32_t[]){1}, 1);
   pass_primitive(pass, 1, (const uint32_t[]){0}, 1);
   pass_run_and_free(pass, gpu);
   expect_counters(gpu, {"tiling_engine.pmds", 41}, {"tiling_engine.entries_read", 2 * 41},
                   {"tiling_engine.entries_dropped", 40 + 1},
                   {"tile_cache.pb_list.reads", (3 + 1) + (40 + 1)}, {"tile_cache.pb_list.misses", 3});
   cm_gpu_destroy(gpu);
}

/* ---- random passes ------------------------------------------------------------ */

#define MOST_ACCESSES 400000
#define MOST_LISTS 512
#define MOST_ENTRIES 512

/* An access to PB-Lists or PB-Attributes. */
struct access {
   uint64_t block; /* address */
   bool write;
};

struct reference {
   uint32_t most_levels, most_lists;
   bool interleaved, boxed;
   const struct pass_builder *pass;
   struct access accesses[MOST_ACCESSES];
   unsigned count, seen;
   uint64_t pmds, read, dropped;
   uint32_t entries[MOST_LISTS][MOST_ENTRIES], length[MOST_LISTS];
   uint32_t num_lists, finest, num_levels;
   bool wide;
};

static void
expect(struct reference *reference, uint64_t address, bool write)
{
   assert_true(reference->count < MOST_ACCESSES);
   reference->accesses[reference->count++] = (struct access){address & ~63ull, write};
}

static void
check(void *context, const struct cm_unit_arrival *arrival)
{
   struct reference *reference = context;
   if (arrival->stream != CM_STREAM_PB_LIST && arrival->stream != CM_STREAM_PB_ATTRIBUTE)
      return;
   assert_true(reference->seen < reference->count);
   assert_int_equal(arrival->address, reference->accesses[reference->seen].block);
   assert_int_equal(arrival->access != CM_READ, reference->accesses[reference->seen].write);
   reference->seen++;
}

static uint64_t
address(const struct reference *reference, uint32_t list, uint32_t n)
{
   const uint32_t bytes = reference->wide ? 8 : 4, of_block = 64 / bytes;
   const uint64_t block = reference->interleaved ? (uint64_t)(n / of_block) * reference->num_lists + list
                                                 : (uint64_t)list * 64 + n / of_block;
   return (1ull << 40) + block * 64 + n % of_block * bytes;
}

/* Whether a primitive arrives at a tile. */
static bool
arrives(const struct reference *reference, uint32_t p, uint32_t tile)
{
   const struct cm_pass *pass = &reference->pass->pass;
   const struct cm_primitive *primitive = &pass->primitives[p];
   const uint32_t *tiles = pass->primitive_tiles + primitive->first_tile, columns = pass->tiles_x;
   bool left = false, right = false, above = false, below = false;
   for (uint32_t i = 0; i < primitive->num_tiles; i++) {
      if (tiles[i] == tile)
         return true;
      left |= tiles[i] % columns <= tile % columns;
      right |= tiles[i] % columns >= tile % columns;
      above |= tiles[i] / columns <= tile / columns;
      below |= tiles[i] / columns >= tile / columns;
   }
   return reference->boxed && left && right && above && below;
}

/* The list of a level, counted from the finest, for a tile. */
static uint32_t
list_of(const struct reference *reference, uint32_t level, uint32_t tile)
{
   const struct cm_pass *pass = &reference->pass->pass;
   uint32_t first = 0;
   for (uint32_t l = 0;; l++) {
      const uint32_t side = 1u << (reference->finest + l);
      const uint32_t columns = (pass->tiles_x + side - 1) / side, rows = (pass->tiles_y + side - 1) / side;
      if (l == level)
         return first + tile / pass->tiles_x / side * columns + tile % pass->tiles_x / side;
      first += columns * rows;
   }
}

/* The level on which few enough bins have tiles of the box. */
static uint32_t
level_of(const struct reference *reference, uint32_t p)
{
   const struct cm_pass *pass = &reference->pass->pass;
   const struct reference boxed = {.pass = reference->pass, .boxed = true};
   for (uint32_t level = 0;; level++) {
      bool has[MOST_LISTS] = {false};
      uint32_t bins = 0;
      for (uint32_t tile = 0; tile < pass->tiles_x * pass->tiles_y; tile++) {
         const uint32_t list = list_of(reference, level, tile);
         if (arrives(&boxed, p, tile) && !has[list]) {
            has[list] = true;
            bins++;
         }
      }
      if (bins <= reference->most_lists || level + 1 == reference->num_levels)
         return level;
   }
}

static void
expect_attributes(struct reference *reference, uint32_t p, bool write)
{
   const struct cm_pass *pass = &reference->pass->pass;
   uint32_t block = 0;
   for (uint32_t before = 0; before < p; before++)
      block += pass->primitives[before].num_attributes;
   for (uint32_t a = 0; a < pass->primitives[p].num_attributes; a++)
      expect(reference, (1ull << 41) + (block + a) * 64, write);
}

/* Each primitive goes into the lists of the tiles at which it arrives, once. */
static void
write_lists(struct reference *reference)
{
   const struct cm_pass *pass = &reference->pass->pass;
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      const uint32_t level = level_of(reference, p);
      for (uint32_t tile = 0; tile < pass->tiles_x * pass->tiles_y; tile++) {
         const uint32_t list = list_of(reference, level, tile), length = reference->length[list];
         if (!arrives(reference, p, tile) || (length && reference->entries[list][length - 1] == p))
            continue;
         assert_true(length < MOST_ENTRIES);
         expect(reference, address(reference, list, length), true);
         reference->entries[list][reference->length[list]++] = p;
         reference->pmds++;
      }
      expect_attributes(reference, p, true);
   }
}

/* Reads all entries that are before a primitive, level by level, those of a block at once. */
static void
drop(struct reference *reference, uint32_t tile, uint32_t *next, uint32_t p)
{
   for (uint32_t level = 0; level < reference->num_levels; level++) {
      const uint32_t list = list_of(reference, level, tile);
      uint64_t last = 0;
      for (; next[level] < reference->length[list] && reference->entries[list][next[level]] < p;
           next[level]++) {
         const uint64_t block = address(reference, list, next[level]) & ~63ull;
         assert_false(arrives(reference, reference->entries[list][next[level]], tile));
         if (block != last)
            expect(reference, block, false);
         last = block;
         reference->read++;
         reference->dropped++;
      }
   }
}

static void
read_tile(struct reference *reference, uint32_t tile)
{
   const struct cm_pass *pass = &reference->pass->pass;
   uint32_t next[16] = {0};
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      if (!arrives(reference, p, tile))
         continue;
      const uint32_t level = level_of(reference, p), list = list_of(reference, level, tile);
      drop(reference, tile, next, p);
      assert_int_equal(reference->entries[list][next[level]], p);
      expect(reference, address(reference, list, next[level]++), false);
      expect_attributes(reference, p, false);
      reference->read++;
   }
   drop(reference, tile, next, pass->num_primitives);
}

static void
begin(struct reference *reference, const struct pass_builder *pass)
{
   const uint32_t longer = pass->pass.tiles_x > pass->pass.tiles_y ? pass->pass.tiles_x : pass->pass.tiles_y;
   reference->pass = pass;
   reference->count = reference->seen = 0;
   memset(reference->length, 0, sizeof reference->length);
   reference->finest = 0;
   while ((2u << (reference->finest + reference->most_levels - 1)) <= longer)
      reference->finest++;
   reference->num_levels = 1;
   while (reference->num_levels < reference->most_levels &&
          (1u << (reference->finest + reference->num_levels - 1)) <= longer)
      reference->num_levels++;
   reference->num_lists = list_of(reference, reference->num_levels, 0);
   reference->wide = false;
   for (uint32_t p = 0; p < pass->pass.num_primitives; p++)
      reference->wide |= pass->pass.primitives[p].num_attributes > 16;
}

/* Boxes with holes, of all sizes; some tiles are touched without a primitive. */
static struct pass_builder *
make_pass(uint64_t *state)
{
   const uint32_t columns = 1 + random_below(state, 11), rows = 1 + random_below(state, 9);
   struct pass_builder *pass = pass_new(0, columns * 32, rows * 32, 32);
   pass_draw(pass);
   for (unsigned p = 0; p < 40; p++) {
      uint32_t tiles[128], count = 0;
      const uint32_t size = 1 + random_below(state, 4 * (1 + p % 3));
      const uint32_t x0 = random_below(state, columns), y0 = random_below(state, rows);
      for (uint32_t y = y0; y < rows && y < y0 + size; y++) {
         for (uint32_t x = x0; x < columns && x < x0 + size; x++) {
            if (!count || random_below(state, 3))
               tiles[count++] = y * columns + x;
         }
      }
      pass_primitive(pass, 1 + random_below(state, p == 39 ? 20 : 5), tiles, count);
   }
   for (uint32_t t = 0; t < columns * rows; t++)
      pass->touched[t] |= random_below(state, 2);
   return pass;
}

TEST(random_passes)
{
   struct reference *reference = calloc(1, sizeof *reference);
   uint64_t state = 3, dropped = 0;
   for (uint32_t round = 0; round < test_rounds(80); round++) {
      char levels[64], lists[64];
      reference->most_levels = 1 + random_below(&state, 6);
      reference->most_lists = 1 + random_below(&state, 6);
      reference->interleaved = round % 2;
      reference->boxed = round / 2 % 2;
      snprintf(levels, sizeof levels, "parameter_buffer.levels=%u", reference->most_levels);
      snprintf(lists, sizeof lists, "parameter_buffer.level_lists=%u", reference->most_lists);
      struct cm_gpu *gpu = test_gpu((const char *const[]){
         levels, lists, "tile.order=scanline", "streams.pb_list=dram", "streams.pb_attribute=dram",
         reference->interleaved ? "parameter_buffer.layout=interleaved" : "parameter_buffer.layout=baseline",
         reference->boxed ? "parameter_buffer.overlap=bounding-box" : "parameter_buffer.overlap=exact",
         NULL});
      struct test_arrivals arrivals = {.access = check, .context = reference};
      struct pass_builder *pass = make_pass(&state);
      test_read_arrivals(gpu, CM_UNIT_DRAM, &arrivals);
      begin(reference, pass);
      reference->pmds = reference->read = reference->dropped = 0;
      write_lists(reference);
      for (uint32_t t = 0; t < pass->pass.tiles_x * pass->pass.tiles_y; t++) {
         bool is_read = pass->touched[t];
         for (uint32_t p = 0; p < pass->pass.num_primitives; p++)
            is_read |= arrives(reference, p, t);
         if (is_read)
            read_tile(reference, t);
      }
      pass_run_and_free(pass, gpu);
      expect_counters(gpu, {"tiling_engine.pmds", reference->pmds},
                      {"tiling_engine.entries_read", reference->read},
                      {"tiling_engine.entries_dropped", reference->dropped});
      assert_int_equal(reference->seen, reference->count);
      dropped += reference->dropped;
      cm_gpu_destroy(gpu);
   }
   assert_true(dropped > 1000); /* or nothing was tested */
   free(reference);
}

/* As many entries are kept as flat lists have, and attributes are read as often. */
TEST(same_primitives)
{
   static const char *const levels[] = {"parameter_buffer.levels=0", "parameter_buffer.levels=1",
                                        "parameter_buffer.levels=3", "parameter_buffer.levels=13"};
   uint64_t kept = 0, attributes = 0;
   for (unsigned l = 0; l < 4; l++) {
      struct cm_gpu *gpu = test_gpu((const char *const[]){levels[l], "parameter_buffer.level_lists=2", NULL});
      uint64_t state = 8;
      define_random_resources(gpu);
      for (uint32_t frame = 0; frame < 10; frame++)
         pass_run_and_free(random_pass(&state, frame), gpu);
      if (!l) {
         kept = gpu_total(gpu, "tiling_engine.pmds");
         attributes = gpu_total(gpu, "tile_cache.pb_attribute.reads");
         cm_gpu_destroy(gpu);
         continue;
      }
      expect_counters(gpu, {"tile_cache.pb_attribute.reads", attributes},
                      {"tiling_engine.entries_dropped", gpu_total(gpu, "tiling_engine.entries_read") - kept});
      assert_true(gpu_total(gpu, "tiling_engine.entries_dropped") > 100);
      cm_gpu_destroy(gpu);
   }
}

/* ---- cycles ------------------------------------------------------------------- */

/* A tile whose own primitive comes after 512 entries of another one. */
static struct pass_builder *
late_primitive(void)
{
   struct pass_builder *pass = pass_new(0, 64, 32, 32);
   pass_draw(pass);
   for (unsigned p = 0; p < 512; p++)
      pass_primitive(pass, 1, (const uint32_t[]){1}, 1);
   pass_primitive(pass, 1, (const uint32_t[]){0}, 1);
   return pass;
}

/* Nothing else happens while the first tile drops them: 512 cycles, or those of 32 blocks. */
TEST(cycles)
{
   static const char *const simple[] = {"timing=on",
                                        "parameter_buffer.levels=1",
                                        "mode=tbr",
                                        "tile.order=scanline",
                                        "core=simple",
                                        "fragment_stage.processors=1",
                                        "caches.texture_cache.instances=1",
                                        NULL};
   static const char *const pipes[] = {"timing=on",
                                       "parameter_buffer.levels=1",
                                       "mode=tbr",
                                       "tile.order=scanline",
                                       "fragment_stage.processors=1",
                                       "caches.texture_cache.instances=1",
                                       "core=pipes",
                                       "fragment_stage.scheduler=tile",
                                       "shader_core.warp_threads=16",
                                       "shader_core.threads=64",
                                       "shader_core.issue_threads=32",
                                       "shader_core.fma_threads=32",
                                       "shader_core.varying_components=16",
                                       "shader_core.texels=4",
                                       "shader_core.load_store_threads=1",
                                       "shader_core.tile_pixels=2",
                                       "shader_core.raster_quads=1",
                                       "shader_core.depth_quads=1",
                                       NULL};
   static const char *const *const cores[] = {simple, pipes};
   for (unsigned c = 0; c < 2; c++) {
      uint64_t cycles[3];
      static const char *const rates[] = {"pipeline.list_entries=1", "pipeline.list_entries=5",
                                          "pipeline.list_entries=16"};
      for (unsigned r = 0; r < 3; r++)
         cycles[r] =
            cycles_of_pass(test_gpu_with(cores[c], (const char *const[]){rates[r], NULL}), late_primitive());
      /* 16 entries of a block: 16 cycles, 4 or 1. */
      assert_int_equal(cycles[0] - cycles[1], 32 * (16 - 4));
      assert_int_equal(cycles[0] - cycles[2], 32 * (16 - 1));
   }
}
