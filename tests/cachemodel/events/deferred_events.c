/* SPDX-License-Identifier: MIT */
/* What a deferred GPU shades of a full pass: which fragments, in which order, and that the
 * counters are those of a pass that says so outright. */
#include <stdlib.h>
#include <string.h>

#include "events/deferred.h"
#include "support/pass_builder.h"
#include "support/test.h"

#define DEFERRED CM_SHADE_DEFERRED

/* A full pass with three draws of one texture. */
static struct pass_builder *
new_pass(enum cm_pass_kind kind)
{
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   pass->pass.kind = kind;
   for (unsigned d = 0; d < 3; d++) {
      struct cm_draw *draw = pass_draw(pass);
      draw->fragment_shader = (struct cm_shader){.id = 7 + d, .instructions = 20, .constant_bytes = 64};
      draw->num_textures = 1;
      draw->textures[0].resource = 1;
   }
   return pass;
}

static struct cm_quad
quad(uint32_t primitive, uint8_t x, uint8_t y, uint8_t live, uint8_t visible)
{
   return (struct cm_quad){.primitive = primitive,
                           .x = x,
                           .y = y,
                           .live = live,
                           .covered = 15,
                           .visible = visible,
                           .written = live};
}

/* A shade event of one quad that reads a texel of its own. */
static void
add_quad(struct pass_builder *pass, uint32_t draw, uint32_t flags, struct cm_quad added)
{
   pass_quads(pass, 0, draw, flags, &added, 1);
   struct cm_footprint footprint = {.live = added.live};
   for (unsigned i = 0; i < 4; i++) {
      footprint.texel[i].x = (int16_t)(added.x * 2 + i % 2);
      footprint.texel[i].y = (int16_t)(added.primitive * 3 + i / 2);
   }
   pass_footprints(pass, 0, 0, &footprint, 1);
}

static void
add_word(struct pass_builder *pass, uint32_t word)
{
   uint32_t *room = cm_tile_events_reserve(&pass->tiles[0], 1);
   assert_non_null(room);
   *room = word;
   pass->tiles[0].num_words++;
}

/* Derives the events of all tiles of the full pass; fails unless the first one's are the other's. */
static void
derive_pass(struct cm_deferred *deferred, struct pass_builder *full, const struct pass_builder *expected)
{
   assert_true(cm_deferred_build_pass(deferred, &full->pass));
   assert_int_equal(full->pass.deferred[0].num_words, expected->tiles[0].num_words);
   assert_memory_equal(full->pass.deferred[0].words, expected->tiles[0].words,
                       expected->tiles[0].num_words * sizeof(uint32_t));
}

/* The counters of a pass in mode tbdr, whose small caches make them those of this order of quads. */
static void
run_counters(struct pass_builder *pass, const char *order, uint64_t values[1024])
{
   struct cm_gpu *gpu =
      test_gpu((const char *const[]){"mode=tbdr", order, "caches.texture_cache.size=256",
                                     "caches.texture_cache.ways=1", "caches.l2.size=512", NULL});
   define_texture(gpu, 1, 64, 64, 1);
   pass_run(pass, gpu);
   const size_t bytes = cm_gpu_counters(gpu)->count * sizeof *values;
   assert_true(bytes <= 1024 * sizeof *values);
   memset(values, 0, 1024 * sizeof *values);
   memcpy(values, cm_gpu_total(gpu), bytes);
   cm_gpu_destroy(gpu);
}

/* Fails unless the full pass' deferred events are the other's, and its counters, too, whether they are derived before or tile by
 * tile. Frees both. */
static void
assert_deferred(struct pass_builder *full, struct pass_builder *expected)
{
   struct cm_deferred deferred = {0};
   assert_true(cm_deferred_build(&deferred, &full->tiles[0]));
   assert_int_equal(deferred.result->num_words, expected->tiles[0].num_words);
   assert_memory_equal(deferred.result->words, expected->tiles[0].words,
                       deferred.result->num_words * sizeof(uint32_t));

   uint64_t values[1024], others[1024];
   run_counters(full, "fragment_stage.quad_order=blocks", values);
   derive_pass(&deferred, full, expected);
   for (unsigned run = 1; run < 3; run++) {
      run_counters(run < 2 ? full : expected, "fragment_stage.quad_order=blocks", others);
      assert_memory_equal(values, others, sizeof values);
   }
   free(full->pass.deferred_words);
   free(full->pass.deferred);
   cm_deferred_finish(&deferred);
   pass_free(full);
   pass_free(expected);
}

static struct cm_quad
shaded(uint32_t primitive, uint8_t x, uint8_t y, uint8_t visible)
{
   struct cm_quad result = quad(primitive, x, y, visible, visible);
   result.covered = result.written = visible;
   return result;
}

TEST(hidden_fragments_vanish)
{
   struct pass_builder *full = new_pass(CM_PASS_FULL), *expected = new_pass(CM_PASS_TBDR);
   /* Four quads of a group: one is hidden, two in part; one has a footprint that goes with
    * its hidden fragments, and an instruction is left with none. */
   const struct cm_quad group[4] = {quad(0, 0, 0, 15, 0), quad(0, 1, 0, 15, 5), quad(0, 0, 1, 7, 6),
                                    quad(0, 1, 1, 15, 15)};
   pass_quads(full, 0, 0, DEFERRED, group, 4);
   const struct cm_footprint first[] = {{.quad = 0, .live = 15},
                                        {.quad = 1, .live = 2},
                                        {.quad = 1, .live = 13},
                                        {.quad = 2, .live = 7},
                                        {.quad = 3, .live = 15, .level = 1}};
   const struct cm_footprint second[] = {{.quad = 0, .live = 15}, {.quad = 1, .live = 10}};
   pass_footprints(full, 0, 0, first, 5);
   pass_footprints(full, 0, 0, second, 2);
   add_word(full, CM_EVENT_FLUSH);

   const struct cm_quad kept[3] = {shaded(0, 1, 0, 5), shaded(0, 0, 1, 6), shaded(0, 1, 1, 15)};
   const struct cm_footprint left[] = {{.quad = 0, .live = 5},
                                       {.quad = 1, .live = 6},
                                       {.quad = 2, .live = 15, .level = 1}};
   pass_quads(expected, 0, 0, 0, kept, 3);
   pass_footprints(expected, 0, 0, left, 3);
   assert_deferred(full, expected);
}

/* A tile that is shaded in order is taken as it is, whether that is known or found; one quad that is not, and it is not. */
TEST(in_order)
{
   struct cm_deferred deferred = {0};
   for (unsigned known = 0; known < 2; known++) {
      struct pass_builder *full = new_pass(CM_PASS_FULL);
      add_quad(full, 0, 0, quad(0, 6, 0, 15, 15));
      add_quad(full, 1, 0, quad(1, 4, 0, 7, 7));
      full->tiles[0].is_in_order = known;
      assert_true(cm_deferred_build(&deferred, &full->tiles[0]));
      assert_ptr_equal(deferred.result, &full->tiles[0]);
      assert_true(cm_deferred_build_pass(&deferred, &full->pass));
      assert_ptr_equal(full->pass.deferred[0].words, full->tiles[0].words);
      assert_int_equal(full->pass.deferred[0].num_words, full->tiles[0].num_words);
      free(full->pass.deferred_words);
      free(full->pass.deferred);
      full->pass.deferred = NULL;

      struct pass_builder *expected = new_pass(CM_PASS_TBDR);
      add_quad(expected, 0, 0, quad(0, 6, 0, 15, 15));
      add_quad(expected, 1, 0, quad(1, 4, 0, 7, 7));
      add_quad(expected, 1, 0, shaded(2, 2, 0, 1));
      full->tiles[0].is_in_order = false;
      add_quad(full, 1, DEFERRED, quad(2, 2, 0, 3, 1));
      assert_deferred(full, expected);
   }
   cm_deferred_finish(&deferred);
}

TEST(order_of_blocks)
{
   struct pass_builder *full = new_pass(CM_PASS_FULL), *expected = new_pass(CM_PASS_TBDR);
   /* Blocks row by row. In the block at column 1 primitive 2 has an earlier fragment than
    * primitive 1, which was drawn before, and in that at column 2 they share theirs. */
   add_quad(full, 0, DEFERRED, quad(0, 9, 6, 15, 8));
   add_quad(full, 0, DEFERRED, quad(1, 2, 0, 15, 8));
   add_quad(full, 0, DEFERRED, quad(1, 3, 1, 15, 15));
   add_quad(full, 0, DEFERRED, quad(1, 5, 1, 15, 4));
   add_quad(full, 0, DEFERRED, quad(2, 2, 0, 15, 4));
   add_quad(full, 0, DEFERRED, quad(2, 3, 0, 15, 2));
   add_quad(full, 0, DEFERRED, quad(2, 5, 1, 15, 4));
   add_quad(full, 0, DEFERRED, quad(3, 0, 2, 15, 1));
   add_quad(full, 0, DEFERRED, quad(4, 8, 6, 15, 0));
   add_word(full, CM_EVENT_FLUSH);

   add_quad(expected, 0, 0, shaded(2, 2, 0, 4));
   add_quad(expected, 0, 0, shaded(2, 3, 0, 2));
   add_quad(expected, 0, 0, shaded(1, 2, 0, 8));
   add_quad(expected, 0, 0, shaded(1, 3, 1, 15));
   add_quad(expected, 0, 0, shaded(1, 5, 1, 4));
   add_quad(expected, 0, 0, shaded(2, 5, 1, 4));
   add_quad(expected, 0, 0, shaded(3, 0, 2, 1));
   add_quad(expected, 0, 0, shaded(0, 9, 6, 8));
   assert_deferred(full, expected);
}

/* The same quads in the order of draws: hidden fragments go, and nothing else changes; also where the other order was derived
 * before. Its counters are those of a pass that says so outright, and not those of the other order. */
TEST(order_of_draws)
{
   struct pass_builder *full = new_pass(CM_PASS_FULL), *expected = new_pass(CM_PASS_TBDR);
   add_quad(full, 0, DEFERRED, quad(0, 9, 6, 15, 8));
   add_quad(full, 0, DEFERRED, quad(1, 2, 0, 15, 8));
   add_quad(full, 0, DEFERRED, quad(2, 2, 0, 15, 4));
   add_quad(full, 0, DEFERRED, quad(3, 8, 6, 15, 0));
   add_quad(full, 0, DEFERRED, quad(0, 2, 1, 15, 15));
   add_word(full, CM_EVENT_FLUSH);
   add_quad(full, 1, DEFERRED, quad(4, 0, 0, 15, 15));
   add_word(full, CM_EVENT_FLUSH);
   add_quad(expected, 0, 0, shaded(0, 9, 6, 8));
   add_quad(expected, 0, 0, shaded(1, 2, 0, 8));
   add_quad(expected, 0, 0, shaded(2, 2, 0, 4));
   add_quad(expected, 0, 0, shaded(0, 2, 1, 15));
   add_quad(expected, 1, 0, shaded(4, 0, 0, 15));

   struct cm_deferred deferred = {.in_draw_order = true}, by_block = {0};
   assert_true(cm_deferred_build(&deferred, &full->tiles[0]));
   assert_int_equal(deferred.result->num_words, expected->tiles[0].num_words);
   assert_memory_equal(deferred.result->words, expected->tiles[0].words,
                       deferred.result->num_words * sizeof(uint32_t));
   cm_deferred_finish(&deferred);

   uint64_t outright[1024], values[1024];
   run_counters(expected, "fragment_stage.quad_order=blocks", outright);
   for (unsigned run = 0; run < 2; run++) {
      run_counters(full, "fragment_stage.quad_order=draws", values);
      assert_memory_equal(values, outright, sizeof values);
      if (run == 0)
         assert_true(cm_deferred_build_pass(&by_block, &full->pass));
   }
   run_counters(full, "fragment_stage.quad_order=blocks", values);
   assert_memory_not_equal(values, outright, sizeof values);
   free(full->pass.deferred_words);
   free(full->pass.deferred);
   cm_deferred_finish(&by_block);
   pass_free(full);
   pass_free(expected);
}

/* Quads of a group remain one where they follow each other, in a block and in the group. */
TEST(groups)
{
   struct pass_builder *full = new_pass(CM_PASS_FULL), *expected = new_pass(CM_PASS_TBDR);
   const struct cm_quad first[4] = {quad(0, 2, 0, 15, 15), quad(0, 3, 0, 15, 3), quad(0, 0, 1, 15, 15),
                                    quad(0, 1, 1, 15, 15)};
   const struct cm_quad second[3] = {quad(0, 4, 0, 15, 1), quad(0, 5, 0, 15, 0), quad(0, 4, 1, 15, 15)};
   const struct cm_footprint reads[4] = {{.quad = 0, .live = 15},
                                         {.quad = 1, .live = 12},
                                         {.quad = 2, .live = 1},
                                         {.quad = 3, .live = 15}};
   pass_quads(full, 0, 0, DEFERRED, first, 4);
   pass_footprints(full, 0, 0, reads, 4);
   pass_quads(full, 0, 0, DEFERRED, second, 3);
   pass_footprints(full, 0, 0, reads, 3);
   add_word(full, CM_EVENT_FLUSH);

   const struct cm_quad left[2] = {shaded(0, 0, 1, 15), shaded(0, 1, 1, 15)};
   const struct cm_footprint of_left[2] = {{.quad = 0, .live = 1}, {.quad = 1, .live = 15}};
   pass_quads(expected, 0, 0, 0, left, 2);
   pass_footprints(expected, 0, 0, of_left, 2);
   const struct cm_quad right[2] = {shaded(0, 2, 0, 15), shaded(0, 3, 0, 3)};
   pass_quads(expected, 0, 0, 0, right, 2);
   pass_footprints(expected, 0, 0, reads, 1);
   const struct cm_quad split[2] = {shaded(0, 4, 0, 1), shaded(0, 4, 1, 15)};
   const struct cm_footprint of_split[2] = {{.quad = 0, .live = 1}, {.quad = 0, .live = 1}};
   for (unsigned q = 0; q < 2; q++) {
      pass_quads(expected, 0, 0, 0, &split[q], 1);
      pass_footprints(expected, 0, 0, &of_split[q], 1);
   }
   assert_deferred(full, expected);
}

/* Runs of primitives stay in order, those of one draw too; so do flushes, and what is not
 * put off. Quads that run nothing are left out. */
TEST(order_of_runs)
{
   struct pass_builder *full = new_pass(CM_PASS_FULL), *expected = new_pass(CM_PASS_TBDR);
   const struct cm_quad unshaded = quad(9, 3, 3, 0, 0);
   add_quad(full, 0, DEFERRED, quad(0, 6, 0, 15, 15));
   pass_quads(full, 0, 0, 0, &unshaded, 1);
   full->tiles[0].words[full->tiles[0].num_words - 4] = CM_EVENT_UNSHADED | 1 << 8;
   add_quad(full, 0, DEFERRED, quad(1, 4, 0, 15, 15));
   add_quad(full, 0, DEFERRED | CM_SHADE_RUN, quad(2, 2, 0, 15, 15));
   add_quad(full, 0, DEFERRED | CM_SHADE_RUN, quad(3, 0, 0, 15, 15));
   add_quad(full, 1, DEFERRED, quad(4, 0, 2, 15, 15));
   add_word(full, CM_EVENT_FLUSH);
   add_quad(full, 2, 0, quad(5, 0, 0, 7, 7));
   add_quad(full, 1, DEFERRED, quad(6, 2, 2, 15, 15));
   add_word(full, CM_EVENT_FLUSH);
   add_quad(full, 1, DEFERRED, quad(7, 0, 2, 15, 15));
   add_word(full, CM_EVENT_FLUSH);

   add_quad(expected, 0, 0, shaded(1, 4, 0, 15));
   add_quad(expected, 0, 0, shaded(0, 6, 0, 15));
   add_quad(expected, 0, 0, shaded(3, 0, 0, 15));
   add_quad(expected, 0, 0, shaded(2, 2, 0, 15));
   add_quad(expected, 1, 0, shaded(4, 0, 2, 15));
   add_quad(expected, 2, 0, quad(5, 0, 0, 7, 7));
   add_quad(expected, 1, 0, shaded(6, 2, 2, 15));
   add_quad(expected, 1, 0, shaded(7, 0, 2, 15));
   assert_deferred(full, expected);
}

/* Programs that run once per sample: a quad's runs stay together, and those of samples where
 * it is hidden go. */
TEST(samples)
{
   struct pass_builder *full = new_pass(CM_PASS_FULL), *expected = new_pass(CM_PASS_TBDR);
   const uint8_t visible[3][2] = {{0, 8}, {12, 4}, {1, 0}};
   for (uint32_t run = 0; run < 3; run++) {
      const struct cm_quad pair[2] = {quad(0, 2, 0, 15, visible[run][0]), quad(0, 3, 0, 15, visible[run][1])};
      pass_quads(full, 0, 0, DEFERRED | (run ? CM_SHADE_CONTINUES : 0) | (run + 1) << CM_SHADE_SAMPLE_SHIFT,
                 pair, 2);
      const struct cm_footprint reads[2] = {{.quad = 0, .live = 15, .texel = {{.x = (int16_t)run}}},
                                            {.quad = 1, .live = 15, .texel = {{.x = (int16_t)run}}}};
      pass_footprints(full, 0, 0, reads, 2);
   }
   /* Of two primitives, the one whose first fragment, in any sample, is the first. */
   add_quad(full, 0, DEFERRED, quad(1, 2, 0, 15, 2));
   add_word(full, CM_EVENT_FLUSH);

   for (uint8_t q = 0; q < 2; q++) {
      bool continues = false;
      for (uint32_t run = 0; run < 3; run++) {
         if (!visible[run][q])
            continue;
         const struct cm_quad one = shaded(0, 2 + q, 0, visible[run][q]);
         const struct cm_footprint read = {.live = visible[run][q], .texel = {{.x = (int16_t)run}}};
         pass_quads(expected, 0, 0, continues ? CM_SHADE_CONTINUES : 0, &one, 1);
         pass_footprints(expected, 0, 0, &read, 1);
         continues = true;
      }
   }
   add_quad(expected, 0, 0, shaded(1, 2, 0, 2));
   assert_deferred(full, expected);
}

/* Adds an instruction of a buffer's, with an access for each of some quads. */
static void
add_loads(struct pass_builder *pass, const struct cm_buffer_access *accesses, uint32_t count)
{
   const uint32_t word = CM_EVENT_BUFFER | count << 8 | 1u << 16 |
                         CM_STORAGE_LOAD << CM_STORAGE_OPERATION_SHIFT | 4u << CM_STORAGE_BYTES_SHIFT;
   pass_words(pass, 0, &word, 1);
   pass_words(pass, 0, accesses, count * CM_BUFFER_ACCESS_WORDS);
}

static void
add_image_loads(struct pass_builder *pass, const struct cm_footprint *footprints, uint32_t count)
{
   const uint32_t word = CM_EVENT_IMAGE | count << 8 | 1u << 16;
   pass_words(pass, 0, &word, 1);
   pass_words(pass, 0, footprints, count * CM_FOOTPRINT_WORDS);
}

/* Opaque draws may load from buffers and images: of that, too, remains what visible fragments do. */
TEST(storage)
{
   struct pass_builder *passes[2] = {new_pass(CM_PASS_FULL), new_pass(CM_PASS_TBDR)};
   struct cm_storage storage = {.num_buffers = 2, .num_images = 2};
   storage.buffers[1] = (struct cm_storage_buffer){.resource = 2, .bytes = 4096};
   storage.images[1].resource = 3;
   for (unsigned p = 0; p < 2; p++) {
      passes[p]->pass.storages = &storage;
      passes[p]->pass.num_storages = 1;
      passes[p]->draws[0].storage = 1;
   }
   const struct cm_quad group[4] = {quad(0, 0, 0, 15, 0), quad(0, 1, 0, 15, 5), quad(0, 0, 1, 15, 15),
                                    quad(0, 1, 1, 15, 15)};
   struct cm_buffer_access accesses[4];
   struct cm_footprint texels[4];
   for (uint8_t q = 0; q < 4; q++) {
      accesses[q] =
         (struct cm_buffer_access){.quad = q, .live = 15, .offset = {q * 64, q * 64 + 4, q * 64 + 8, q * 64}};
      texels[q] = (struct cm_footprint){.quad = q, .live = 15, .texel = {{.x = (int16_t)(q * 8)}}};
   }
   pass_quads(passes[0], 0, 0, DEFERRED, group, 4);
   add_loads(passes[0], accesses, 4);
   add_image_loads(passes[0], texels, 4);
   pass_footprints(passes[0], 0, 0, texels, 4);
   add_loads(passes[0], accesses, 1);
   add_word(passes[0], CM_EVENT_FLUSH);

   const struct cm_quad kept[3] = {shaded(0, 1, 0, 5), shaded(0, 0, 1, 15), shaded(0, 1, 1, 15)};
   for (uint8_t q = 0; q < 4; q++) {
      accesses[q].quad = texels[q].quad = (uint8_t)(q - 1);
      accesses[q].live = texels[q].live = q == 1 ? 5 : 15;
   }
   pass_quads(passes[1], 0, 0, 0, kept, 3);
   add_loads(passes[1], accesses + 1, 3);
   add_image_loads(passes[1], texels + 1, 3);
   pass_footprints(passes[1], 0, 0, texels + 1, 3);
   assert_deferred(passes[0], passes[1]);
}

/* A GPU in mode tbr shades all that passed early Z. */
TEST(mode_tbr)
{
   struct pass_builder *full = new_pass(CM_PASS_FULL);
   add_quad(full, 0, DEFERRED, quad(0, 6, 0, 15, 0));
   add_quad(full, 0, DEFERRED, quad(1, 4, 0, 7, 3));
   add_word(full, CM_EVENT_FLUSH);
   add_quad(full, 1, 0, quad(2, 4, 0, 3, 3));
   const uint64_t fragments[] = {2 + 2, 4 + 3 + 2}, quads[] = {2, 3};
   for (unsigned tbr = 0; tbr < 2; tbr++) {
      struct cm_gpu *gpu = test_gpu((const char *const[]){tbr ? "mode=tbr" : "mode=tbdr", NULL});
      define_texture(gpu, 1, 64, 64, 1);
      pass_run(full, gpu);
      expect_counters(gpu, {"fragment_stage.quads", quads[tbr]}, {"fragment_stage.fragments", fragments[tbr]},
                      {"fragment_stage.footprints", quads[tbr]},
                      {"fragment_stage.program_switches", quads[tbr]});
      cm_gpu_destroy(gpu);
   }
   pass_free(full);
}
