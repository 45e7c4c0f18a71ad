/* SPDX-License-Identifier: MIT */
/* Forward pixel kill: which quads of a tile are killed, by hand and against a reference that compares all quads with all; what
 * the GPU counts then. */
#include <string.h>

#include "events/pixel_kill.h"
#include "support/pass_builder.h"
#include "support/test.h"

#define OPAQUE CM_SHADE_DEFERRED
#define TILE 8
#define SIDE (TILE / 2)

/* Draws that differ in what may happen to their quads. */
enum draw { SOLID, BLENDED, DISCARDS, LATE_READS, STENCILS, STORES, LOADS, NUM_DRAWS };

static const struct cm_fragment_tests tests[NUM_DRAWS] = {
   [SOLID] = {.depth_test = true, .depth_write = true, .color_write = 1},
   [BLENDED] = {.depth_test = true, .color_write = 1, .color_read = 1},
   [DISCARDS] = {.depth_test = true, .depth_write = true, .late = true, .color_write = 1},
   [LATE_READS] = {.depth_test = true, .late = true, .color_write = 1},
   [STENCILS] = {.stencil_test = true, .stencil_write = true, .late = true, .color_write = 1},
   [STORES] = {.late = true, .color_write = 1},
   [LOADS] = {.depth_test = true, .color_write = 1},
};

static struct cm_storage storage = {.num_buffers = 1, .buffers = {{.resource = 2, .bytes = 4096}}};

static struct pass_builder *
new_pass(enum cm_pass_kind kind, uint32_t tile_size)
{
   struct pass_builder *pass = pass_new(0, tile_size, tile_size, tile_size);
   pass->pass.kind = kind;
   pass_color(pass, 3, 4);
   for (uint32_t d = 0; d < NUM_DRAWS; d++) {
      struct cm_draw *draw = pass_draw(pass);
      const uint32_t tile = 0;
      draw->tests = tests[d];
      draw->fragment_shader = (struct cm_shader){.id = 7 + d, .instructions = 20, .constant_bytes = 64};
      draw->num_textures = 1;
      draw->textures[0].resource = 1;
      pass_primitive(pass, 2, &tile, 1);
   }
   return pass;
}

static bool
is_opaque(uint32_t draw)
{
   return draw == SOLID || draw == LOADS;
}

/* What a quad accesses in a run: a texel of its own, and for some draws a word of a buffer. */
static void
add_accesses(struct pass_builder *pass, uint32_t draw, const struct cm_quad *quads, uint32_t count)
{
   struct cm_footprint texels[4];
   struct cm_buffer_access words[4];
   for (uint32_t q = 0; q < count; q++) {
      texels[q] = (struct cm_footprint){.quad = (uint8_t)q, .live = quads[q].live};
      words[q] = (struct cm_buffer_access){.quad = (uint8_t)q, .live = quads[q].live};
      for (unsigned i = 0; i < 4; i++) {
         texels[q].texel[i].x = (int16_t)(quads[q].x * 2 + i % 2);
         texels[q].texel[i].y = (int16_t)(quads[q].y * 2 + i / 2 + 16 * draw);
         words[q].offset[i] = 64 * (quads[q].y * SIDE + quads[q].x);
      }
   }
   pass_footprints(pass, 0, 0, texels, count);
   if (draw != STORES && draw != LOADS)
      return;
   /* Passes without storage are shaded on several threads, if there are some. */
   pass->pass.storages = &storage;
   pass->pass.num_storages = pass->draws[draw].storage = 1;
   const uint32_t operation = draw == STORES ? CM_STORAGE_STORE : CM_STORAGE_LOAD;
   const uint32_t word =
      CM_EVENT_BUFFER | count << 8 | operation << CM_STORAGE_OPERATION_SHIFT | 4u << CM_STORAGE_BYTES_SHIFT;
   pass_words(pass, 0, &word, 1);
   pass_words(pass, 0, words, count * CM_BUFFER_ACCESS_WORDS);
}

static void
add_group(struct pass_builder *pass, uint32_t draw, uint32_t flags, const struct cm_quad *quads,
          uint32_t count)
{
   pass_quads(pass, 0, draw, flags | (pass->pass.kind == CM_PASS_FULL && is_opaque(draw) ? OPAQUE : 0), quads,
              count);
   add_accesses(pass, draw, quads, count);
}

static struct cm_quad
quad_at(uint32_t draw, uint32_t place, uint32_t side, uint8_t live)
{
   return (struct cm_quad){.primitive = draw,
                           .x = (uint8_t)(place % side),
                           .y = (uint8_t)(place / side),
                           .live = live,
                           .covered = 15,
                           .visible = is_opaque(draw) ? 0 : live,
                           .written = live};
}

static void
add_quad(struct pass_builder *pass, uint32_t draw, uint32_t place, uint8_t live)
{
   const struct cm_quad quad = quad_at(draw, place, pass->pass.tile_size / 2, live);
   add_group(pass, draw, 0, &quad, 1);
}

static void
add_flush(struct pass_builder *pass)
{
   const uint32_t flush = CM_EVENT_FLUSH;
   pass_words(pass, 0, &flush, 1);
}

/* Four quads a group, all of the tile, row by row. */
static void
add_layer(struct pass_builder *pass, uint32_t draw)
{
   const uint32_t side = pass->pass.tile_size / 2;
   for (uint32_t place = 0; place < side * side; place += 4) {
      struct cm_quad quads[4];
      for (uint32_t q = 0; q < 4; q++)
         quads[q] = quad_at(draw, place + q, side, 15);
      add_group(pass, draw, 0, quads, 4);
   }
}

/* ---- by hand ------------------------------------------------------------- */

/* Fails unless so many quads and fragments are killed with that many waiting, and all others are shaded, on one thread and on
 * three. */
static void
expect_killed(const struct pass_builder *full, const char *waiting, uint64_t quads, uint64_t fragments)
{
   const char *const settings[3][4] = {{"mode=tbr", NULL},
                                       {"mode=tbr", waiting, NULL},
                                       {"mode=tbr", waiting}};
   uint64_t shaded[3][2];
   for (unsigned run = 0; run < 3; run++) {
      struct cm_gpu *gpu = test_gpu(settings[run]);
      assert_true(cm_gpu_set_threads(gpu, run == 2 ? 3 : 1));
      define_texture(gpu, 1, 64, 128, 1);
      define_buffer(gpu, 2, 4096);
      define_texture(gpu, 3, 64, 64, 1);
      pass_run(full, gpu);
      shaded[run][0] = gpu_total(gpu, "fragment_stage.quads");
      shaded[run][1] = gpu_total(gpu, "fragment_stage.fragments");
      if (run)
         expect_counters(gpu, {"fragment_stage.killed_quads", quads},
                         {"fragment_stage.killed_fragments", fragments},
                         {"fragment_stage.footprints", shaded[run][0]});
      cm_gpu_destroy(gpu);
   }
   for (unsigned run = 1; run < 3; run++) {
      assert_int_equal(shaded[run][0] + quads, shaded[0][0]);
      assert_int_equal(shaded[run][1] + fragments, shaded[0][1]);
   }
}

/* Two opaque layers of 256 quads: a quad is hidden by the 256th after it. */
TEST(back_to_front)
{
   struct pass_builder *pass = new_pass(CM_PASS_FULL, 32);
   add_layer(pass, SOLID);
   add_layer(pass, SOLID);
   add_flush(pass);
   expect_killed(pass, "fragment_stage.pixel_kill=256", 256, 1024);
   expect_killed(pass, "fragment_stage.pixel_kill=255", 0, 0);
   pass_free(pass);
}

/* A blended layer kills none, and is killed with the one below it. */
TEST(blended_between)
{
   struct pass_builder *pass = new_pass(CM_PASS_FULL, 32);
   add_layer(pass, SOLID);
   add_flush(pass);
   add_layer(pass, BLENDED);
   expect_killed(pass, "fragment_stage.pixel_kill=65536", 0, 0);
   add_layer(pass, SOLID);
   add_flush(pass);
   expect_killed(pass, "fragment_stage.pixel_kill=512", 512, 2048);
   expect_killed(pass, "fragment_stage.pixel_kill=511", 256, 1024);
   expect_killed(pass, "fragment_stage.pixel_kill=255", 0, 0);
   pass_free(pass);
}

/* Which draws' quads an opaque one may kill. */
TEST(what_is_killed)
{
   static const bool killed[NUM_DRAWS] = {
      [SOLID] = true, [BLENDED] = true, [LATE_READS] = true, [LOADS] = true};
   for (uint32_t draw = 0; draw < NUM_DRAWS; draw++) {
      struct pass_builder *pass = new_pass(CM_PASS_FULL, TILE);
      add_quad(pass, draw, 5, 3);
      add_flush(pass);
      add_quad(pass, LOADS, 5, 15);
      add_flush(pass);
      expect_killed(pass, "fragment_stage.pixel_kill=1", killed[draw], 2 * killed[draw]);
      pass_free(pass);
   }
}

/* Only opaque draws kill. */
TEST(what_kills)
{
   for (uint32_t draw = 0; draw < NUM_DRAWS; draw++) {
      struct pass_builder *pass = new_pass(CM_PASS_FULL, TILE);
      add_quad(pass, SOLID, 5, 3);
      add_quad(pass, draw, 5, 15);
      add_flush(pass);
      expect_killed(pass, "fragment_stage.pixel_kill=1", is_opaque(draw), 2 * is_opaque(draw));
      pass_free(pass);
   }
}

/* A quad that passes at some fragments kills none alone, not even one that it hides; with the one before it at its place it kills
 * those before both. Another quad between them, at that place, is in the way; at another place it is not. */
TEST(in_parts)
{
   struct pass_builder *pass = new_pass(CM_PASS_FULL, TILE);
   add_quad(pass, SOLID, 5, 1);
   add_quad(pass, BLENDED, 5, 15);
   add_quad(pass, SOLID, 5, 7);
   expect_killed(pass, "fragment_stage.pixel_kill=100", 0, 0);
   add_quad(pass, SOLID, 6, 7);
   add_quad(pass, SOLID, 5, 12);
   expect_killed(pass, "fragment_stage.pixel_kill=100", 2, 5);
   expect_killed(pass, "fragment_stage.pixel_kill=3", 1, 4);
   add_quad(pass, SOLID, 6, 2);
   add_quad(pass, BLENDED, 6, 1);
   add_quad(pass, SOLID, 6, 15);
   expect_killed(pass, "fragment_stage.pixel_kill=100", 5, 10);
   add_quad(pass, SOLID, 5, 3);
   add_quad(pass, BLENDED, 5, 8);
   add_quad(pass, SOLID, 5, 12);
   expect_killed(pass, "fragment_stage.pixel_kill=100", 6, 13);
   pass_free(pass);
}

/* Runs for two samples are one quad: what passes in any of them counts once. An opaque quad that is seen, in samples that its
 * killer does not cover, stays until the next flush. */
TEST(samples)
{
   struct pass_builder *pass = new_pass(CM_PASS_FULL, TILE);
   struct cm_quad pair[2] = {quad_at(SOLID, 4, SIDE, 15), quad_at(SOLID, 5, SIDE, 15)};
   pair[1].visible = 2;
   add_group(pass, SOLID, 1u << CM_SHADE_SAMPLE_SHIFT, pair, 2);
   pair[0].live = 0;
   add_group(pass, SOLID, CM_SHADE_CONTINUES | 2u << CM_SHADE_SAMPLE_SHIFT, pair, 2);
   add_quad(pass, SOLID, 4, 15);
   add_quad(pass, SOLID, 5, 15);
   add_flush(pass);
   struct cm_pixel_kill kill = {0};
   assert_true(cm_pixel_kill_build(&kill, 2, &pass->pass, &pass->tiles[0]));
   assert_int_equal(kill.num_killed, 1);
   assert_true(cm_pixel_kill_build(&kill, 1, &pass->pass, &pass->tiles[0]));
   assert_ptr_equal(kill.result, &pass->tiles[0]);
   add_quad(pass, SOLID, 5, 15);
   assert_true(cm_pixel_kill_build(&kill, 100, &pass->pass, &pass->tiles[0]));
   assert_int_equal(kill.num_killed, 3);
   cm_pixel_kill_finish(&kill);
   pass_free(pass);
}

/* ---- what caches and energy see ------------------------------------------- */

/* All that is counted but for killed quads, and what is rasterised and tested, is as if these had not been drawn. */
TEST(as_if_not_drawn)
{
   struct pass_builder *full = new_pass(CM_PASS_FULL, 32), *rest = new_pass(CM_PASS_TBR, 32);
   add_layer(full, DISCARDS);
   add_layer(full, LOADS);
   add_layer(full, BLENDED);
   add_layer(full, SOLID);
   add_flush(full);
   add_layer(rest, DISCARDS);
   add_layer(rest, SOLID);
   const char *const settings[] = {"mode=tbr",
                                   "fragment_stage.pixel_kill=512",
                                   "timing=on",
                                   "caches.l2.size=4096",
                                   "caches.texture_cache.size=256",
                                   "caches.texture_cache.ways=1",
                                   NULL};
   uint64_t totals[2];
   static const char *const same[] = {"fragment_stage.quads",
                                      "fragment_stage.footprints",
                                      "fragment_stage.program_switches",
                                      "texture_cache.texture.misses",
                                      "l2.total.reads",
                                      "dram.total.reads",
                                      "operations.quad_instructions",
                                      "operations.color_writes",
                                      "operations.color_reads",
                                      "load_store.loads"};
   for (unsigned c = 0; c < sizeof same / sizeof *same; c++) {
      for (unsigned run = 0; run < 2; run++) {
         struct cm_gpu *gpu = test_gpu(settings);
         define_texture(gpu, 1, 64, 128, 1);
         define_buffer(gpu, 2, 4096);
         define_texture(gpu, 3, 64, 64, 1);
         pass_run(run ? rest : full, gpu);
         totals[run] = gpu_total(gpu, same[c]);
         if (!run)
            expect_counters(gpu, {"fragment_stage.killed_quads", 512}, {"operations.raster_quads", 1024},
                            {"operations.quad_attributes", 2048}, {"operations.depth_quads", 1024},
                            {"operations.depth_writes", 512});
         cm_gpu_destroy(gpu);
      }
      assert_int_equal(totals[0], totals[1]);
   }
   pass_free(full);
   pass_free(rest);
}

/* Cycles: a killed quad is rasterised and tested, and runs nothing. */
TEST(cycles)
{
   uint64_t cycles[3];
   const char *const settings[3][4] = {{"mode=tbr", "timing=on", "fragment_stage.pixel_kill=256", NULL},
                                       {"mode=tbr", "timing=on", NULL},
                                       {"mode=tbr", "timing=on", NULL}};
   for (unsigned run = 0; run < 3; run++) {
      struct pass_builder *pass = new_pass(CM_PASS_FULL, 32);
      for (uint32_t layer = 0; layer < (run < 2 ? 2 : 1); layer++)
         add_layer(pass, SOLID);
      struct cm_gpu *gpu = test_gpu(settings[run]);
      define_texture(gpu, 1, 64, 128, 1);
      define_texture(gpu, 3, 64, 64, 1);
      cycles[run] = cycles_of_pass(gpu, pass);
   }
   assert_true(cycles[0] < cycles[1]);
   assert_true(cycles[0] > cycles[2]);
}

/* ---- a reference ----------------------------------------------------------- */

#define MOST_QUADS 400

struct reference_quad {
   struct cm_quad quad; /* masks of all runs */
   uint32_t draw, interval;
   bool is_killed;
};

struct reference {
   struct reference_quad quads[MOST_QUADS];
   uint32_t count;
};

/* A group of one or two runs. */
static void
add_random_group(struct pass_builder *pass, struct reference *reference, uint64_t *state, uint32_t interval)
{
   const uint32_t draw = random_below(state, 2) ? SOLID : random_below(state, NUM_DRAWS);
   const uint32_t count = 1 + random_below(state, 4), runs = 1 + (random_below(state, 4) == 0);
   struct reference_quad *first = &reference->quads[reference->count];
   for (uint32_t run = 0; run < runs; run++) {
      struct cm_quad quads[4];
      for (uint32_t q = 0; q < count; q++) {
         const uint32_t place =
            run ? first[q].quad.y * (uint32_t)SIDE + first[q].quad.x : random_below(state, SIDE * SIDE);
         quads[q] =
            quad_at(draw, place, SIDE, (uint8_t)(random_below(state, 2) ? 15 : random_below(state, 16)));
         if (!run && !quads[q].live)
            quads[q].live = 8;
         if (is_opaque(draw) && random_below(state, 8) == 0)
            quads[q].visible = quads[q].live;
         if (!run)
            first[q] = (struct reference_quad){quads[q], draw, interval, false};
         first[q].quad.live |= quads[q].live;
         first[q].quad.visible |= quads[q].visible;
      }
      add_group(pass, draw, run ? CM_SHADE_CONTINUES : 0, quads, count);
   }
   reference->count += count;
}

static bool
is_same_place(const struct cm_quad *a, const struct cm_quad *b)
{
   return a->x == b->x && a->y == b->y;
}

/* Whether quad `killer` kills quad `victim`, as the header says. */
static bool
kills(const struct reference *reference, uint32_t killer, uint32_t victim, uint32_t waiting)
{
   const struct reference_quad *k = &reference->quads[killer], *v = &reference->quads[victim];
   if (killer <= victim || killer - victim > waiting || !is_same_place(&k->quad, &v->quad) ||
       !is_opaque(k->draw))
      return false;
   if (v->draw == DISCARDS || v->draw == STENCILS || v->draw == STORES)
      return false;
   if (is_opaque(v->draw) && v->quad.visible && v->interval == k->interval)
      return false;
   if (k->quad.live == 15)
      return true;
   uint32_t last = killer - 1;
   while (!is_same_place(&reference->quads[last].quad, &k->quad))
      last--;
   return last > victim && is_opaque(reference->quads[last].draw) &&
          (reference->quads[last].quad.live | k->quad.live) == 15;
}

/* Reads the result: each quad once, shaded or killed, with the masks that it had. */
static void
compare(const struct cm_tile_events *result, struct reference *reference)
{
   uint32_t left = 0, killed = 0;
   for (uint32_t q = 0; q < reference->count; q++)
      left += !reference->quads[q].is_killed;
   const uint32_t total = reference->count - left;
   const uint32_t *end = result->words + result->num_words;
   for (const uint32_t *word = result->words; word < end; word = cm_event_next(word)) {
      const struct cm_quad *quads = (const struct cm_quad *)(word + 2);
      if (cm_event_type(*word) != CM_EVENT_SHADE && cm_event_type(*word) != CM_EVENT_UNSHADED)
         continue;
      for (uint32_t q = 0; q < cm_event_count(*word) && !cm_event_continues(*word); q++) {
         if (cm_event_type(*word) == CM_EVENT_SHADE) {
            left -= quads[q].live != 0;
            continue;
         }
         assert_true(*word & CM_UNSHADED_KILLED);
         struct reference_quad *expected = reference->quads;
         while (!expected->is_killed)
            expected++;
         assert_int_equal(word[1], expected->draw);
         assert_true(is_same_place(&quads[q], &expected->quad));
         assert_int_equal(quads[q].primitive, expected->draw);
         assert_int_equal(quads[q].live, expected->quad.live);
         expected->is_killed = false;
         killed++;
      }
   }
   assert_int_equal(left, 0);
   assert_int_equal(killed, total);
}

TEST(reference)
{
   static const uint32_t most_waiting[] = {0, 1, 3, 16, 50, CM_MOST_WAITING_QUADS};
   static struct reference reference;
   struct cm_pixel_kill kill = {0};
   for (uint64_t seed = 1; seed <= test_rounds(400); seed++) {
      uint64_t state = seed;
      struct pass_builder *pass = new_pass(CM_PASS_FULL, TILE);
      const uint32_t waiting = most_waiting[random_below(&state, 6)];
      uint32_t interval = 0;
      reference.count = 0;
      for (uint32_t n = random_below(&state, MOST_QUADS / 4); n > 0; n--) {
         if (random_below(&state, 8) == 0) {
            add_flush(pass);
            interval++;
         }
         add_random_group(pass, &reference, &state, interval);
      }
      for (uint32_t victim = 0; victim < reference.count; victim++) {
         for (uint32_t killer = victim + 1; killer < reference.count; killer++)
            reference.quads[victim].is_killed |= kills(&reference, killer, victim, waiting);
      }
      assert_true(cm_pixel_kill_build(&kill, waiting, &pass->pass, &pass->tiles[0]));
      compare(kill.result, &reference);
      pass_free(pass);
   }
   cm_pixel_kill_finish(&kill);
}
