/* SPDX-License-Identifier: MIT */
/* Passes whose geometry runs among the tiles of the pass before (parameter_buffer.written: among-tiles): frames counted by
 * hand, and random ones against a naive model that puts all accesses to the Tile Cache in their order first. */
#include <stdlib.h>
#include <string.h>

#include "support/pass_builder.h"
#include "support/test.h"

#define SETTINGS                                                                                        \
   "mode=tbr", "tile.order=scanline", "caches.tile_cache.index=modulo", "caches.tile_cache.policy=lru", \
      "caches.tile_cache.block=64"

/* A pass of 64x32 pixels with a primitive on both of its tiles. */
static void
run_primitive(struct cm_gpu *gpu, uint32_t frame)
{
   struct pass_builder *pass = pass_new(frame, 64, 32, 32);
   pass->pass.kind = CM_PASS_TBR;
   pass_draw(pass);
   pass_primitive(pass, 1, (const uint32_t[]){0, 1}, 2);
   pass_run_and_free(pass, gpu);
}

TEST(by_hand)
{
   /* Two blocks; lists only. A and B are the Parameter Buffers. */
   static const char *const settings[] = {SETTINGS, "caches.tile_cache.size=128", "caches.tile_cache.ways=2",
                                          "streams.pb_attribute=l2", NULL};
   struct cm_gpu *gpu =
      test_gpu_with(settings, (const char *const[]){"parameter_buffer.written=among-tiles", NULL});
   assert_true(cm_gpu_is_late(gpu));
   run_primitive(gpu, 0);
   assert_null(cm_gpu_frame_end(gpu));
   run_primitive(gpu, 1);
   /* Writes of A0 and A1 miss, A0 is read; B's primitive comes with the last of two tiles: B0 evicts A1, B1 evicts A0, which
    * counts for frame 1. Then A1 is read again, and evicts B0. */
   assert_frame(gpu, cm_gpu_frame_end(gpu),
                COUNTERS({"gpu.frames", 1}, {"tiling_engine.primitives", 1}, {"tile_cache.pb_list.writes", 2},
                         {"tile_cache.pb_list.reads", 2}, {"tile_cache.pb_list.misses", 3},
                         {"tile_cache.pb_list.writebacks", 1}, {"l2.pb_attribute.writes", 1},
                         {"l2.pb_attribute.reads", 2}));
   /* The second frame's: of the writes, both; B0 is read, and evicts B1; B1, and evicts A1, which is as it was in the L2. */
   assert_frame(gpu, cm_gpu_last_frame(gpu),
                COUNTERS({"gpu.frames", 1}, {"tiling_engine.primitives", 1}, {"tile_cache.pb_list.writes", 2},
                         {"tile_cache.pb_list.reads", 2}, {"tile_cache.pb_list.misses", 4},
                         {"tile_cache.pb_list.writebacks", 3}, {"l2.pb_attribute.writes", 1},
                         {"l2.pb_attribute.reads", 2}));
   assert_null(cm_gpu_last_frame(gpu));
   cm_gpu_destroy(gpu);
   /* One after the other, at the same addresses, the second frame hits. */
   gpu = test_gpu(settings);
   assert_false(cm_gpu_is_late(gpu));
   run_primitive(gpu, 0);
   assert_frame(gpu, cm_gpu_frame_end(gpu), COUNTERS({"tile_cache.pb_list.misses", 2}));
   run_primitive(gpu, 1);
   assert_frame(gpu, cm_gpu_frame_end(gpu), COUNTERS({"tile_cache.pb_list.misses", 0}));
   assert_null(cm_gpu_last_frame(gpu));
   cm_gpu_destroy(gpu);
}

TEST(frames_without_passes)
{
   struct cm_gpu *gpu =
      test_gpu((const char *const[]){SETTINGS, "parameter_buffer.written=among-tiles", NULL});
   assert_null(cm_gpu_last_frame(gpu));
   assert_null(cm_gpu_frame_end(gpu));
   assert_frame(gpu, cm_gpu_frame_end(gpu), COUNTERS({"gpu.frames", 1}, {"gpu.passes", 0}));
   run_primitive(gpu, 2);
   run_primitive(gpu, 2);
   assert_frame(gpu, cm_gpu_frame_end(gpu), COUNTERS({"gpu.frames", 1}, {"gpu.passes", 0}));
   assert_frame(gpu, cm_gpu_frame_end(gpu),
                COUNTERS({"gpu.frames", 1}, {"gpu.passes", 2}, {"tiling_engine.primitives", 2}));
   assert_frame(gpu, cm_gpu_last_frame(gpu), COUNTERS({"gpu.frames", 1}, {"gpu.passes", 0}));
   cm_gpu_destroy(gpu);
}

/* ---- a naive model ----------------------------------------------------------- */

#define TILES_X 4
#define TILES_Y 3
#define TILES (TILES_X * TILES_Y)
#define MOST_PRIMITIVES 40
#define SETS 4
#define WAYS 2

struct naive_primitive {
   uint32_t attributes, num_tiles, tiles[TILES];
};

struct naive_pass {
   uint32_t frame, number, num_primitives;
   struct naive_primitive primitives[MOST_PRIMITIVES];
};

struct naive_frame {
   uint64_t reads, writes, misses, writebacks;
};

/* Sets of blocks, the last one used first. */
struct naive_block {
   uint64_t number;
   bool dirty;
};

struct naive_cache {
   struct naive_block blocks[SETS][WAYS];
   struct naive_frame *frame; /* whose access it is */
};

static void
naive_access(struct naive_cache *cache, uint64_t address, bool write)
{
   struct naive_block *set = cache->blocks[address / 64 % SETS];
   const uint64_t number = address / 64;
   unsigned way = 0;
   while (way < WAYS - 1 && set[way].number != number)
      way++;
   struct naive_block block = set[way];
   *(write ? &cache->frame->writes : &cache->frame->reads) += 1;
   if (block.number != number) {
      cache->frame->misses++;
      cache->frame->writebacks += block.dirty;
      block = (struct naive_block){.number = number};
   }
   block.dirty |= write;
   memmove(set + 1, set, way * sizeof *set);
   set[0] = block;
}

/* Of the baseline layout, lists in the order of the traversal. */
static uint64_t
list_address(const struct naive_pass *pass, uint32_t tile, uint32_t n, bool reversed)
{
   const uint32_t position = reversed ? TILES - 1 - tile : tile;
   const uint64_t buffer = pass->number % 2 ? 1ull << 39 : 0;
   return (1ull << 40) + buffer + position * 64ull * 64 + n * 4ull;
}

static void
naive_attributes(struct naive_cache *cache, const struct naive_pass *pass, uint32_t p, bool write)
{
   uint64_t block = 0;
   for (uint32_t before = 0; before < p; before++)
      block += pass->primitives[before].attributes;
   const uint64_t buffer = pass->number % 2 ? 1ull << 39 : 0;
   for (uint32_t a = 0; a < pass->primitives[p].attributes; a++)
      naive_access(cache, (1ull << 41) + buffer + (block + a) * 64, write);
}

/* The primitive's place in a tile's list; -1: it is not there. */
static int
naive_place(const struct naive_pass *pass, uint32_t p, uint32_t tile)
{
   int place = -1;
   for (uint32_t other = 0; other <= p; other++) {
      bool is_there = false;
      for (uint32_t t = 0; t < pass->primitives[other].num_tiles; t++)
         is_there |= pass->primitives[other].tiles[t] == tile;
      place += is_there;
      if (other == p && !is_there)
         return -1;
   }
   return place;
}

static void
naive_bin(struct naive_cache *cache, const struct naive_pass *pass, uint32_t p, bool reversed)
{
   for (uint32_t t = 0; t < pass->primitives[p].num_tiles; t++) {
      const uint32_t tile = pass->primitives[p].tiles[t];
      naive_access(cache, list_address(pass, tile, (uint32_t)naive_place(pass, p, tile), reversed), true);
   }
   naive_attributes(cache, pass, p, true);
}

static void
naive_fetch(struct naive_cache *cache, const struct naive_pass *pass, uint32_t tile, bool reversed)
{
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      const int place = naive_place(pass, p, tile);
      if (place < 0)
         continue;
      naive_access(cache, list_address(pass, tile, (uint32_t)place, reversed), false);
      naive_attributes(cache, pass, p, false);
   }
}

/* All passes: each one's tiles, and before the n-th of T the primitives of the next pass up to P * n / T; if a frame without
 * passes is in between, all of them after the tiles. */
static void
naive_run(const struct naive_pass *passes, uint32_t num_passes, struct naive_frame *frames)
{
   static struct naive_cache cache;
   memset(&cache, 0, sizeof cache);
   for (uint32_t number = 0, binned = 0; number < num_passes; number++, binned = 0) {
      const struct naive_pass *pass = &passes[number], *next = number + 1 < num_passes ? pass + 1 : NULL;
      const bool overlaps = next && next->frame <= pass->frame + 1;
      const bool was_binned = number && pass->frame <= pass[-1].frame + 1;
      cache.frame = &frames[pass->frame];
      for (uint32_t p = 0; !was_binned && p < pass->num_primitives; p++)
         naive_bin(&cache, pass, p, pass->frame % 2);
      for (uint32_t n = 1; n <= TILES; n++) {
         for (; overlaps && binned < next->num_primitives * n / TILES; binned++) {
            cache.frame = &frames[next->frame];
            naive_bin(&cache, next, binned, next->frame % 2);
         }
         cache.frame = &frames[pass->frame];
         naive_fetch(&cache, pass, pass->frame % 2 ? TILES - n : n - 1, pass->frame % 2);
      }
   }
}

static void
random_pass(struct naive_pass *pass, uint64_t *state)
{
   pass->num_primitives = random_below(state, MOST_PRIMITIVES);
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      struct naive_primitive *primitive = &pass->primitives[p];
      primitive->attributes = 1 + random_below(state, 3);
      primitive->num_tiles = 0;
      const uint32_t always = random_below(state, TILES);
      for (uint32_t tile = 0; tile < TILES; tile++) {
         if (tile == always || random_below(state, 5) == 0)
            primitive->tiles[primitive->num_tiles++] = tile;
      }
   }
}

static void
run_pass(struct cm_gpu *gpu, const struct naive_pass *naive)
{
   struct pass_builder *pass = pass_new(naive->frame, 32 * TILES_X, 32 * TILES_Y, 32);
   pass->pass.kind = CM_PASS_TBR;
   pass_draw(pass);
   for (uint32_t p = 0; p < naive->num_primitives; p++)
      pass_primitive(pass, naive->primitives[p].attributes, naive->primitives[p].tiles,
                     naive->primitives[p].num_tiles);
   memset(pass->touched, 1, TILES);
   pass_run_and_free(pass, gpu);
}

static void
assert_naive(struct cm_gpu *gpu, const uint64_t *values, const struct naive_frame *frame)
{
   assert_non_null(values);
   assert_frame(gpu, values,
                COUNTERS({"tile_cache.total.reads", frame->reads}, {"tile_cache.total.writes", frame->writes},
                         {"tile_cache.total.misses", frame->misses},
                         {"tile_cache.total.writebacks", frame->writebacks}));
}

#define FRAMES 6
#define MOST_PASSES (2 * FRAMES)

TEST(naive_model)
{
   uint64_t state = 7;
   for (unsigned round = 0; round < test_rounds(200); round++) {
      struct cm_gpu *gpu =
         test_gpu((const char *const[]){SETTINGS, "parameter_buffer.written=among-tiles",
                                        "frame.traversal=boustrophedonic", "caches.tile_cache.size=512",
                                        "caches.tile_cache.ways=2", NULL});
      static struct naive_pass passes[MOST_PASSES];
      struct naive_frame frames[FRAMES] = {{0}};
      uint32_t count = 0;
      for (uint32_t frame = 0; frame < FRAMES; frame++) {
         for (uint32_t n = frame ? random_below(&state, 3) : 1; n > 0; n--) {
            random_pass(&passes[count], &state);
            passes[count].frame = frame;
            passes[count].number = count;
            count++;
         }
      }
      naive_run(passes, count, frames);
      for (uint32_t frame = 0, pass = 0; frame < FRAMES; frame++) {
         for (; pass < count && passes[pass].frame == frame; pass++)
            run_pass(gpu, &passes[pass]);
         const uint64_t *values = cm_gpu_frame_end(gpu);
         if (frame)
            assert_naive(gpu, values, &frames[frame - 1]);
      }
      assert_naive(gpu, cm_gpu_last_frame(gpu), &frames[FRAMES - 1]);
      cm_gpu_destroy(gpu);
   }
}

/* ---- what does not depend on the order ------------------------------------------ */

/* Two frames of two passes, with vertices, textures and colours; forgets the first pass' target once nobody names it. */
static struct cm_gpu *
run_frames(const char *written, uint64_t values[2][4096])
{
   char assignment[60];
   snprintf(assignment, sizeof assignment, "parameter_buffer.written=%s", written);
   struct cm_gpu *gpu = test_gpu((const char *const[]){SETTINGS, assignment, NULL});
   const size_t bytes = cm_gpu_counters(gpu)->count * sizeof(uint64_t);
   assert_true(bytes <= sizeof values[0]);
   define_texture(gpu, 1, 64, 64, 1);
   define_buffer(gpu, 2, 4096);
   for (uint32_t frame = 0; frame < 2; frame++) {
      for (uint32_t number = 0; number < 2; number++) {
         const uint32_t target = 3 + 2 * frame + number;
         struct pass_builder *pass = pass_new(frame, 64, 64, 32);
         pass->pass.kind = CM_PASS_TBR;
         define_texture(gpu, target, 64, 64, 1);
         pass_color(pass, target, 4);
         struct cm_draw *draw = pass_draw(pass);
         draw->num_textures = 1;
         draw->textures[0].resource = number ? target - 1 : 1;
         draw->num_elements = 1;
         draw->elements[0] = (struct cm_vertex_element){.buffer = 2, .stride = 16, .bytes = 16};
         draw->num_vertices = 30;
         pass_primitive(pass, 2, (const uint32_t[]){0, 1, 2, 3}, 4);
         pass_primitive(pass, 2, (const uint32_t[]){1, 3}, 2);
         for (uint32_t tile = 0; tile < 4; tile++) {
            pass_shade(pass, tile, 0, 4, 15);
            pass_footprints(pass, tile, 0, &(struct cm_footprint){.live = 15, .linear = 1}, 1);
         }
         memset(pass->touched, 1, 4);
         pass_run_and_free(pass, gpu);
      }
      cm_gpu_forget_resource(gpu, 3 + 2 * frame);
      const uint64_t *ended = cm_gpu_frame_end(gpu);
      if (ended)
         memcpy(values[frame - cm_gpu_is_late(gpu)], ended, bytes);
   }
   const uint64_t *ended = cm_gpu_last_frame(gpu);
   if (ended)
      memcpy(values[1], ended, bytes);
   assert_true(cm_gpu_is_complete(gpu));
   return gpu;
}

TEST(same_work)
{
   static uint64_t before[2][4096], among[2][4096];
   struct cm_gpu *gpu = run_frames("before-tiles", before);
   cm_gpu_destroy(gpu);
   gpu = run_frames("among-tiles", among);
   /* Each frame does what it does in the other order; so do caches but for hits and misses. */
   static const char *const prefixes[] = {"gpu.", "tiling_engine.", "fragment_stage.", "dram.color.",
                                          "operations."};
   static const char *const suffixes[] = {".reads", ".writes"};
   const struct cm_counter_table *table = cm_gpu_counters(gpu);
   unsigned compared = 0;
   for (uint32_t c = 0; c < table->count; c++) {
      const char *name = table->counters[c].name;
      bool is_same = false;
      for (unsigned p = 0; p < sizeof prefixes / sizeof *prefixes; p++)
         is_same |= strncmp(name, prefixes[p], strlen(prefixes[p])) == 0;
      for (unsigned s = 0; s < 2; s++)
         is_same |= (strncmp(name, "tile_cache", 10) == 0 || strncmp(name, "texture_cache", 13) == 0 ||
                     strncmp(name, "vertex_cache", 12) == 0) &&
                    strstr(name, suffixes[s]);
      for (uint32_t frame = 0; is_same && frame < 2; frame++) {
         if (before[frame][c] != among[frame][c])
            fail_msg("%s of frame %u: %d instead of %d", name, frame, (int)among[frame][c],
                     (int)before[frame][c]);
         compared += before[frame][c] > 0;
      }
   }
   assert_true(compared > 30);
   cm_gpu_destroy(gpu);
}

TEST(refused)
{
   static const struct {
      const char *preset, *setting, *what;
   } cases[] = {
      {"boustro-fo", "timing=on", "the timing runs passes one after another"},
      {"imr-8m", "timing=off", "mode imr"},
      {"tcor-64k", "timing=off", "the primitive_buffer"},
      {"boustro-fo", "attribution.tile=on", "attributed"},
      {"rendering-elimination", "timing=off", "contents of tiles"},
      {"boustro-fo", "parameter_buffer.pass_end=discard", "another pass"},
      {"boustro-fo", "parameter_buffer.attributes=vertices", "not those of primitives"},
   };
   for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
      char error[512] = "";
      struct cm_config *config =
         test_config_of(cases[c].preset, (const char *const[]){cases[c].setting, NULL});
      config->parameter_buffer.written = CM_PB_AMONG_TILES;
      assert_null(cm_gpu_create(config, error, sizeof error));
      if (!strstr(error, "parameter_buffer.written: among-tiles, but") || !strstr(error, cases[c].what))
         fail_msg("%s, %s: %s", cases[c].preset, cases[c].setting, error);
      cm_config_destroy(config);
   }
}
