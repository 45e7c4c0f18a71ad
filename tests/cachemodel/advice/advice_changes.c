/* SPDX-License-Identifier: MIT */
/* Changes of the event stream (advice/change.h): the changed pass is the one that the program would have sent, as built by
 * hand, and costs the simulated GPU the same, counter by counter. */
#include <stdlib.h>
#include <string.h>

#include "advice/change.h"
#include "advice/join.h"
#include "support/pass_builder.h"
#include "support/random_pass.h"
#include "support/test.h"

#define TARGET 1
#define TEXTURE 2
#define BUFFER 3

/* A GPU with a target, a texture and a buffer, as the change defines them. */
static struct cm_gpu *
new_gpu(struct cm_changer *changer, uint8_t levels)
{
   static const char *const settings[] = {"mode=tbr", "parameter_buffer.pass_end=keep", NULL};
   struct cm_gpu *gpu = test_gpu(settings);
   struct cm_resource_description resources[] = {
      describe_texture(64, 64, 1, 4),
      describe_texture(64, 64, levels, 4),
      {.id = BUFFER, .is_buffer = true, .width = 65536},
   };
   resources[0].id = TARGET;
   resources[1].id = TEXTURE;
   for (unsigned r = 0; r < 3; r++) {
      const struct cm_resource_description changed =
         changer ? cm_changer_resource(changer, &resources[r]) : resources[r];
      cm_gpu_define_resource(gpu, &changed);
   }
   return gpu;
}

/* Fails where the two have counted anything differently. */
static void
compare_frames(struct cm_gpu *gpu, struct cm_gpu *other)
{
   const struct cm_counter_table *table = cm_gpu_counters(gpu);
   const uint64_t *values = cm_gpu_frame_end(gpu), *others = cm_gpu_frame_end(other);
   for (uint32_t c = 0; c < table->count; c++) {
      if (values[c] != others[c])
         fail_msg("%s: %llu, by hand %llu", table->counters[c].name, (unsigned long long)values[c],
                  (unsigned long long)others[c]);
   }
}

static void
assert_same(struct cm_gpu *gpu, struct cm_gpu *other)
{
   compare_frames(gpu, other);
   cm_gpu_destroy(gpu);
   cm_gpu_destroy(other);
}

/* Sends passes through changes, and others that are as these should make them. */
static void
check_changes(const struct cm_change *changes, uint32_t num_changes, struct pass_builder *const *passes,
              unsigned num_passes, struct pass_builder *const *expected, unsigned num_expected,
              uint8_t expected_levels)
{
   struct cm_changer *changer = cm_changer_create(changes, num_changes);
   assert_non_null(changer);
   struct cm_gpu *gpu = new_gpu(changer, 1), *other = new_gpu(NULL, expected_levels);
   for (unsigned p = 0; p < num_passes; p++) {
      const struct cm_pass *pass = &passes[p]->pass;
      const enum cm_changer_result result = cm_changer_pass(changer, &pass);
      assert_int_not_equal(result, CM_CHANGER_OUT_OF_MEMORY);
      if (result == CM_CHANGER_PASS)
         gpu_run_pass(gpu, pass);
      cm_changer_pass_end(changer); /* it goes on where only parts of a joined pass have come */
   }
   for (unsigned p = 0; p < num_expected; p++)
      pass_run(expected[p], other);
   assert_same(gpu, other);
   cm_changer_destroy(changer);
   for (unsigned p = 0; p < num_passes; p++)
      pass_free(passes[p]);
   for (unsigned p = 0; p < num_expected; p++) {
      if (p >= num_passes || expected[p] != passes[p])
         pass_free(expected[p]);
   }
}

static void
check_change(const struct cm_change *change, struct pass_builder *const *passes, unsigned num_passes,
             struct pass_builder *const *expected, unsigned num_expected, uint8_t expected_levels)
{
   check_changes(change, 1, passes, num_passes, expected, num_expected, expected_levels);
}

static struct pass_builder *
new_pass(bool load)
{
   struct pass_builder *builder = pass_new(0, 64, 64, 16);
   pass_color(builder, TARGET, 4);
   builder->pass.color[0].load = load;
   return builder;
}

/* Draws a primitive over the tiles, indexed and textured; number: makes draws different. */
static void
add_draw(struct pass_builder *builder, uint32_t number)
{
   const uint32_t tiles[] = {number % 4, 4 + number, 8 + number % 7};
   struct cm_draw *draw = pass_draw(builder);
   draw->vertex_shader = (struct cm_shader){.id = 1, .instructions = 8, .constant_bytes = 64};
   draw->fragment_shader = (struct cm_shader){.id = 1 + number % 2, .instructions = 20};
   draw->index_buffer = BUFFER;
   draw->index_offset = number * 1000;
   draw->index_bytes = 2;
   draw->num_elements = 1;
   draw->elements[0] =
      (struct cm_vertex_element){.buffer = BUFFER, .offset = 4096, .stride = 16, .bytes = 16};
   draw->first_vertex = builder->pass.num_vertices;
   draw->num_vertices = 6;
   for (uint32_t v = 0; v < 6; v++)
      builder->vertices[builder->pass.num_vertices++] = number * 10 + v % 4;
   draw->num_textures = 1;
   draw->textures[0] = (struct cm_texture_binding){.resource = TEXTURE};
   for (unsigned p = 0; p < 2; p++) {
      const uint32_t primitive = builder->pass.num_primitives;
      pass_primitive(builder, 3, tiles, 3);
      for (unsigned t = 0; t < 3; t++) {
         const struct cm_quad quads[] = {
            {.primitive = primitive, .x = 1, .y = 2, .live = 15, .covered = 15, .visible = 15, .written = 15},
            {.primitive = primitive,
             .x = 3,
             .y = (uint8_t)p,
             .live = 7,
             .covered = 7,
             .visible = 7,
             .written = 3}};
         const struct cm_footprint read = {.quad = 1,
                                           .live = 7,
                                           .texel = {{(int16_t)(number * 5), 3}, {1, 1}, {2, 9}}};
         pass_quads(builder, tiles[t], builder->pass.num_draws - 1, 0, quads, 2);
         pass_footprints(builder, tiles[t], 0, &read, 1);
      }
   }
}

/* ---- passes ---------------------------------------------------------------- */

TEST(join)
{
   for (unsigned between = 0; between < 2; between++) {
      struct pass_builder *first = new_pass(true), *middle = new_pass(false), *last = new_pass(true),
                          *whole = new_pass(true), *same = new_pass(false);
      add_draw(first, 1);
      add_draw(first, 4);
      add_draw(middle, 2);
      middle->pass.color[0].resource = TEXTURE;
      add_draw(same, 2);
      same->pass.color[0].resource = TEXTURE;
      add_draw(last, 3);
      add_draw(whole, 1);
      add_draw(whole, 4);
      add_draw(whole, 3);
      assert_true(cm_passes_can_join(&first->pass, &last->pass));
      assert_false(cm_passes_can_join(&first->pass, &middle->pass));
      struct cm_changed_pass pairs[] = {{.pass = 0, .joins = true}, {.pass = 1 + between}};
      const struct cm_change change = {.type = CM_CHANGE_JOIN_PASSES, .passes = pairs, .num_passes = 2};
      struct pass_builder *passes[] = {first, between ? middle : last, last};
      struct pass_builder *expected[] = {between ? same : whole, whole};
      check_change(&change, passes, 2 + between, expected, 1 + between, 1);
      if (!between) {
         pass_free(middle);
         pass_free(same);
      }
   }
}

static bool
find_surface(const struct cm_pass *pass, uint32_t tile, unsigned slot, struct cm_stored_surface *surface)
{
   for (size_t at = 0; cm_tile_content_next(&pass->contents[tile], &at, surface);) {
      if (surface->slot == slot)
         return true;
   }
   return false;
}

/* A surface of a tile is that of the last pass that stores it; what memory had before is another question. */
static void
check_joined_contents(const struct cm_pass *joined, const struct cm_pass *first, const struct cm_pass *second)
{
   assert_int_equal(joined->contents != NULL, first->contents && second->contents);
   for (uint32_t t = 0; joined->contents && t < joined->tiles_x * joined->tiles_y; t++) {
      assert_int_equal(joined->contents[t].same_inputs, 0);
      for (unsigned slot = 0; slot < 2 * CM_CONTENT_RESOLVE; slot++) {
         struct cm_stored_surface found, expected;
         const bool is_there =
            find_surface(second, t, slot, &expected) || find_surface(first, t, slot, &expected);
         assert_int_equal(find_surface(joined, t, slot, &found), is_there);
         if (!is_there)
            continue;
         const size_t groups = (size_t)expected.columns * expected.rows;
         assert_memory_equal(found.sizes, expected.sizes, groups * CM_GROUP_BLOCKS);
         for (size_t g = 0; g < groups; g++)
            assert_int_equal(found.same[g], expected.same[g] & ~CM_SAME_AS_MEMORY);
      }
   }
}

/* What random passes have is all in the joined one. */
TEST(join_random)
{
   uint64_t random = 7;
   struct cm_pass_join *join = cm_pass_join_create();
   for (unsigned n = 0; n < 50; n++) {
      struct pass_builder *first = random_pass(&random, 0), *second = random_pass(&random, 0);
      struct cm_pass other = second->pass;
      memcpy(other.color, first->pass.color, sizeof other.color);
      if (other.tiles_x != first->pass.tiles_x || other.tiles_y != first->pass.tiles_y ||
          other.tile_size != first->pass.tile_size)
         continue;
      assert_true(cm_pass_join_add(join, &first->pass));
      assert_true(cm_pass_join_add(join, &other));
      const struct cm_pass *joined = cm_pass_join_take(join);
      assert_int_equal(joined->num_draws, first->pass.num_draws + other.num_draws);
      assert_int_equal(joined->num_primitive_tiles,
                       first->pass.num_primitive_tiles + other.num_primitive_tiles);
      for (uint32_t p = 0; p < joined->num_primitives; p++) {
         assert_true(joined->primitives[p].draw < joined->num_draws);
         assert_true((p < first->pass.num_primitives) ==
                     (joined->primitives[p].draw < first->pass.num_draws));
      }
      check_joined_contents(joined, &first->pass, &other);
      pass_free(first);
      pass_free(second);
   }
   cm_pass_join_destroy(join);
}

TEST(attachments)
{
   struct pass_builder *first = new_pass(true), *second = new_pass(true), *not_stored = new_pass(true),
                       *not_loaded = new_pass(false);
   struct pass_builder *all[] = {first, second, not_stored, not_loaded};
   for (unsigned p = 0; p < 4; p++)
      add_draw(all[p], p % 2);
   not_stored->pass.color[0].store = false;
   struct cm_changed_pass changed[] = {{.pass = 0, .no_store = 1}, {.pass = 1, .no_load = 1}};
   const struct cm_change change = {.type = CM_CHANGE_ATTACHMENTS, .passes = changed, .num_passes = 2};
   check_change(&change, all, 2, all + 2, 2, 1);
}

TEST(skip)
{
   struct pass_builder *first = new_pass(false), *second = new_pass(true), *left = new_pass(true);
   add_draw(first, 1);
   add_draw(second, 2);
   add_draw(left, 2);
   struct cm_changed_pass changed[] = {{.pass = 0}};
   const struct cm_change change = {.type = CM_CHANGE_SKIP_PASSES, .passes = changed, .num_passes = 1};
   check_change(&change, (struct pass_builder *[]){first, second}, 2, &left, 1, 1);
}

/* ---- fragments --------------------------------------------------------------- */

/* Quads of opaque draws, and of a blended one, of which some fragments are hidden in the end. */
static struct pass_builder *
opaque_pass(uint64_t *random)
{
   struct pass_builder *builder = new_pass(false);
   builder->pass.kind = CM_PASS_FULL;
   for (uint32_t d = 0; d < 4; d++) {
      const uint32_t flags = d == 3 ? 0 : CM_SHADE_DEFERRED;
      add_draw(builder, d);
      for (uint32_t tile = 0; tile < 16; tile++) {
         const struct cm_quad quad = {
            .primitive = builder->pass.num_primitives - 1,
            .x = (uint8_t)random_below(random, 8),
            .y = (uint8_t)random_below(random, 8),
            .live = 15,
            .covered = 15,
            .visible = (uint8_t)(flags ? random_below(random, 16) : 15) & 15,
            .written = 15,
         };
         const struct cm_footprint read = {.live = 15,
                                           .texel = {{(int16_t)tile, 3}, {1, 1}, {2, 9}, {9, 30}}};
         pass_quads(builder, tile, d, flags, &quad, 1);
         pass_footprints(builder, tile, 0, &read, 1);
      }
   }
   return builder;
}

/* As many fragments run as on a deferred GPU, which the same events tell what is hidden. */
TEST(front_to_back)
{
   static const char *const tbr[] = {"mode=tbr", NULL}, *const tbdr[] = {"mode=tbdr", NULL};
   static const char *const counters[] = {"fragment_stage.fragments", "fragment_stage.quads",
                                          "fragment_stage.footprints", "texture_cache.total.reads"};
   const struct cm_change change = {.type = CM_CHANGE_FRONT_TO_BACK, .number = TARGET};
   uint64_t random = 3;
   for (unsigned n = 0; n < 20; n++) {
      struct pass_builder *builder = opaque_pass(&random);
      struct cm_gpu *gpus[] = {test_gpu(tbr), test_gpu(tbdr), test_gpu(tbr)};
      struct cm_changer *changer = cm_changer_create(&change, 1);
      const struct cm_pass *pass = &builder->pass;
      assert_int_equal(cm_changer_pass(changer, &pass), CM_CHANGER_PASS);
      for (unsigned g = 0; g < 3; g++) {
         define_texture(gpus[g], TARGET, 64, 64, 1);
         define_texture(gpus[g], TEXTURE, 64, 64, 1);
         define_buffer(gpus[g], BUFFER, 65536);
         gpu_run_pass(gpus[g], g ? &builder->pass : pass);
         cm_gpu_frame_end(gpus[g]);
      }
      for (unsigned c = 0; c < 4; c++) {
         assert_int_equal(gpu_total(gpus[0], counters[c]), gpu_total(gpus[1], counters[c]));
         assert_true(gpu_total(gpus[0], counters[c]) < gpu_total(gpus[2], counters[c]));
      }
      for (unsigned g = 0; g < 3; g++)
         cm_gpu_destroy(gpus[g]);
      cm_changer_destroy(changer);
      pass_free(builder);
   }
}

/* Of late tests only what is written runs: the second quads, of which 2 of 3 fragments are; they alone read. */
TEST(early_tests)
{
   struct pass_builder *builder = new_pass(false), *early = new_pass(false);
   add_draw(builder, 0);
   add_draw(builder, 1);
   add_draw(early, 0);
   add_draw(early, 1);
   builder->draws[1].tests.late = true;
   early->draws[1].tests.late = true;
   for (uint32_t t = 0; t < 16; t++) {
      uint32_t *word = early->tiles[t].words, *end = word + early->tiles[t].num_words;
      for (uint32_t draw = 0; word < end; word = (uint32_t *)cm_event_next(word)) {
         if (cm_event_type(*word) == CM_EVENT_SHADE) {
            draw = word[1];
            struct cm_quad *quads = (struct cm_quad *)(word + 2);
            if (draw == 1)
               quads[1].live = quads[1].visible = 3;
         } else if (draw == 1) {
            ((struct cm_footprint *)(word + 1))->live = 3;
         }
      }
   }
   const struct cm_change change = {.type = CM_CHANGE_EARLY_TESTS, .number = 2};
   check_change(&change, &builder, 1, &early, 1, 1);
}

/* ---- textures ---------------------------------------------------------------- */

/* A pass that reads the texture, a quad a footprint, with so many texels from fragment to fragment. */
static struct pass_builder *
read_texture(unsigned step, uint8_t level, unsigned shift)
{
   struct pass_builder *builder = new_pass(false);
   struct cm_draw *draw = pass_draw(builder);
   draw->fragment_shader = (struct cm_shader){.id = 1, .instructions = 4};
   draw->num_textures = 1;
   draw->textures[0] = (struct cm_texture_binding){.resource = TEXTURE, .repeat_s = true, .repeat_t = true};
   pass_primitive(builder, 1, &(uint32_t){0}, 1);
   for (unsigned y = 0; y + step < 64; y += 2 * step) {
      for (unsigned x = 0; x + step < 64; x += 2 * step) {
         struct cm_footprint footprint = {.level = level, .live = 15, .linear = 1};
         for (unsigned f = 0; f < 4; f++) {
            footprint.texel[f].x = (int16_t)((x + (f & 1) * step) >> shift);
            footprint.texel[f].y = (int16_t)((y + (f >> 1) * step) >> shift);
         }
         pass_shade(builder, 0, 0, 1, 15);
         pass_footprints(builder, 0, 0, &footprint, 1);
      }
   }
   return builder;
}

TEST(mipmaps)
{
   static const struct {
      unsigned step, levels;
   } cases[] = {{1, 0}, {2, 0}, {3, 1}, {4, 1}, {5, 2}, {8, 2}, {9, 3}, {16, 3}};
   for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
      assert_int_equal(cm_levels_coarser(cases[c].step), cases[c].levels);
      struct pass_builder *builder = read_texture(cases[c].step, 0, 0),
                          *coarser = read_texture(cases[c].step, (uint8_t)cases[c].levels, cases[c].levels);
      const struct cm_change change = {.type = CM_CHANGE_MIPMAPS, .number = TEXTURE};
      check_change(&change, &builder, 1, &coarser, 1, 7);
   }
}

/* A quad at an edge is read at the level of the one before it. */
TEST(mipmaps_at_edge)
{
   struct pass_builder *passes[2];
   for (unsigned p = 0; p < 2; p++) {
      passes[p] = read_texture(8, p ? 2 : 0, p ? 2 : 0);
      struct cm_footprint edge = {.level = p ? 2 : 0,
                                  .live = 5,
                                  .linear = 1,
                                  .texel = {{p ? 4 : 16, 0}, {0, 0}, {p ? 4 : 16, p ? 5 : 20}}};
      pass_shade(passes[p], 0, 0, 1, 5);
      pass_footprints(passes[p], 0, 0, &edge, 1);
   }
   const struct cm_change change = {.type = CM_CHANGE_MIPMAPS, .number = TEXTURE};
   check_change(&change, passes, 1, passes + 1, 1, 7);
}

/* Reads at random are not minified, whatever is between their texels; nor is the way around the edge. */
TEST(steps)
{
   const struct cm_resource_description texture = describe_texture(64, 64, 1, 4);
   const struct cm_texture_binding repeats = {.resource = 1, .repeat_s = true, .repeat_t = true},
                                   clamps = {.resource = 1};
   const struct {
      struct cm_footprint footprint;
      uint32_t repeated, clamped;
   } cases[] = {
      {{.live = 15, .texel = {{0, 0}, {4, 0}, {0, 4}, {4, 4}}}, 4, 4},
      {{.live = 15, .texel = {{0, 0}, {4, 0}, {0, 9}, {4, 9}}}, 9, 9},
      {{.live = 15, .texel = {{62, 5}, {1, 5}, {62, 6}, {1, 6}}}, 3, 61},
      {{.live = 15, .texel = {{0, 0}, {40, 3}, {7, 50}, {2, 11}}}, 0, 0},
      {{.live = 7, .texel = {{0, 0}, {4, 0}, {0, 4}, {4, 4}}}, 0, 0},
      {{.live = 15, .texel = {{9, 9}, {9, 9}, {9, 9}, {9, 9}}}, 0, 0},
   };
   for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
      assert_int_equal(cm_footprint_step(&cases[c].footprint, &repeats, &texture), cases[c].repeated);
      assert_int_equal(cm_footprint_step(&cases[c].footprint, &clamps, &texture), cases[c].clamped);
   }
   /* With mipmaps, the axis that is minified less counts. */
   const struct cm_resource_description mipmapped = describe_texture(64, 64, 7, 4);
   assert_int_equal(cm_footprint_step(&cases[0].footprint, &clamps, &mipmapped), 4);
   assert_int_equal(cm_footprint_step(&cases[1].footprint, &clamps, &mipmapped), 4);
}

/* All texels of 64 × 64 once: 16 KiB, 256 blocks; compressed to 8 bytes per block of 4 × 4 texels an eighth. */
TEST(compress)
{
   for (uint32_t bytes = 8; bytes <= 16; bytes *= 2) {
      struct pass_builder *builder = read_texture(1, 0, 0);
      const struct cm_change change = {.type = CM_CHANGE_COMPRESS, .number = TEXTURE, .block_bytes = bytes};
      struct cm_changer *changer = cm_changer_create(&change, 1);
      struct cm_gpu *gpu = new_gpu(NULL, 1), *compressed = new_gpu(changer, 1);
      const struct cm_pass *pass = &builder->pass;
      assert_int_equal(cm_changer_pass(changer, &pass), CM_CHANGER_PASS);
      gpu_run_pass(compressed, pass);
      pass_run(builder, gpu);
      cm_gpu_frame_end(compressed);
      cm_gpu_frame_end(gpu);
      assert_int_equal(gpu_total(gpu, "dram.texture.reads"), 256);
      assert_int_equal(gpu_total(compressed, "dram.texture.reads"), 256 * bytes / 64);
      cm_gpu_destroy(gpu);
      cm_gpu_destroy(compressed);
      cm_changer_destroy(changer);
      pass_free(builder);
   }
}

/* Passes to a target of other pixels, with the same sizes of blocks, of which each is part of what it is uncompressed. */
TEST(narrow)
{
   const struct cm_change change = {.type = CM_CHANGE_NARROW, .number = TARGET, .block_bytes = 4};
   struct cm_changer *changer = cm_changer_create(&change, 1);
   struct cm_gpu *gpu[2];
   uint64_t random = 3;
   for (unsigned by_hand = 0; by_hand < 2; by_hand++) {
      struct cm_resource_description target = describe_texture(64, 64, 1, by_hand ? 4 : 8);
      target.id = TARGET;
      if (!by_hand)
         target = cm_changer_resource(changer, &target);
      gpu[by_hand] = test_gpu_with(test_compression_settings, (const char *const[]){NULL});
      cm_gpu_define_resource(gpu[by_hand], &target);
   }
   for (unsigned round = 0; round < 3; round++) {
      struct pass_builder *pass = new_pass(round > 0);
      for (uint32_t tile = 0; tile < 16; tile++)
         pass->touched[tile] = true;
      pass_random_contents(pass, 0, &random);
      const struct cm_pass *changed = &pass->pass;
      pass_run(pass, gpu[1]);
      pass->pass.color[0].pixel_bytes = 8;
      assert_int_equal(cm_changer_pass(changer, &changed), CM_CHANGER_PASS);
      gpu_run_pass(gpu[0], changed);
      cm_changer_pass_end(changer);
      pass_free(pass);
   }
   compare_frames(gpu[0], gpu[1]);
   assert_true(gpu_total(gpu[0], "framebuffer_compression.color.compressed_superblocks") > 0);
   cm_gpu_destroy(gpu[0]);
   cm_gpu_destroy(gpu[1]);
   cm_changer_destroy(changer);
}

/* ---- geometry ---------------------------------------------------------------- */

static struct pass_builder *
draw_vertices(const uint32_t *vertices, uint32_t count)
{
   struct pass_builder *builder = new_pass(false);
   add_draw(builder, 0);
   builder->draws[0].num_vertices = count;
   memcpy(builder->vertices, vertices, count * sizeof *vertices);
   builder->pass.num_vertices = count;
   return builder;
}

TEST(fetch_once)
{
   static const uint32_t scattered[] = {7, 0, 3, 7, 100, 0, 7, 5, 3},
                         grouped[] = {7, 7, 7, 0, 0, 3, 3, 100, 5};
   struct pass_builder *builder = draw_vertices(scattered, 9), *expected = draw_vertices(grouped, 9);
   const struct cm_change change = {.type = CM_CHANGE_FETCH_ONCE, .number = 1};
   check_change(&change, &builder, 1, &expected, 1, 1);
   builder = draw_vertices(scattered, 9), expected = draw_vertices(scattered, 9);
   const struct cm_change other = {.type = CM_CHANGE_FETCH_ONCE, .number = 2};
   check_change(&other, &builder, 1, &expected, 1, 1);
}

/* Four primitives become one, with all tiles; five of another draw two. */
TEST(coarser_mesh)
{
   struct pass_builder *builder = new_pass(false);
   static const uint32_t tiles[9][2] = {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {4, 5},
                                        {5, 6}, {6, 7}, {8, 9}, {9, 10}};
   for (unsigned p = 0; p < 9; p++) {
      if (p == 0 || p == 4) {
         struct cm_draw *draw = pass_draw(builder);
         draw->vertex_shader.id = 1;
         draw->num_vertices = p ? 15 : 12;
      }
      pass_primitive(builder, 2, tiles[p], 2);
      const struct cm_quad quad = {.primitive = p, .live = 15, .covered = 15, .visible = 15, .written = 15};
      pass_quads(builder, tiles[p][0], builder->pass.num_draws - 1, 0, &quad, 1);
   }
   const struct cm_change change = {.type = CM_CHANGE_COARSER_MESH, .number = 1};
   struct cm_changer *changer = cm_changer_create(&change, 1);
   const struct cm_pass *pass = &builder->pass;
   assert_int_equal(cm_changer_pass(changer, &pass), CM_CHANGER_PASS);
   static const uint32_t counts[3] = {4, 6, 2};
   static const uint32_t expected[3][6] = {{0, 1, 2, 3}, {4, 5, 6, 7, 8, 9}, {9, 10}};
   assert_int_equal(pass->num_primitives, 3);
   for (unsigned p = 0; p < 3; p++) {
      assert_int_equal(pass->primitives[p].draw, p > 0);
      assert_int_equal(pass->primitives[p].num_tiles, counts[p]);
      assert_memory_equal(pass->primitive_tiles + pass->primitives[p].first_tile, expected[p],
                          counts[p] * sizeof(uint32_t));
   }
   assert_int_equal(pass->draws[0].num_vertices, 3);
   assert_int_equal(pass->draws[1].num_vertices, 4);
   /* Quads name the primitives that theirs have become. */
   static const uint32_t joined[] = {0, 0, 0, 0, 1, 1, 1, 1, 2};
   for (unsigned t = 0; t < 16; t++) {
      const uint32_t *before = builder->tiles[t].words, *word = pass->tiles[t].words;
      assert_int_equal(builder->tiles[t].num_words, pass->tiles[t].num_words);
      for (const uint32_t *end = word + pass->tiles[t].num_words; word < end;
           word = cm_event_next(word), before = cm_event_next(before))
         assert_int_equal(((const struct cm_quad *)(word + 2))->primitive,
                          joined[((const struct cm_quad *)(before + 2))->primitive]);
   }
   cm_changer_destroy(changer);
   pass_free(builder);
}

TEST(half_attributes)
{
   struct pass_builder *builder = new_pass(false), *narrow = new_pass(false);
   for (uint32_t n = 1; n <= 8; n++) {
      for (unsigned p = 0; p < 2; p++) {
         struct pass_builder *to = p ? narrow : builder;
         pass_draw(to);
         pass_primitive(to, p ? 1 + n / 2 : n, &n, 1);
      }
   }
   const struct cm_change change = {.type = CM_CHANGE_HALF_ATTRIBUTES, .number = TARGET};
   check_change(&change, &builder, 1, &narrow, 1, 1);
}

/* ---- several ------------------------------------------------------------------ */

/* Changes of passes have the numbers that these have in the recorded stream, in whatever order they are given: a pass that is
 * left out comes before two that become one, of which the first needs no load and the second no store: so neither stores, for what
 * the first one does was for the second. */
TEST(several_of_passes)
{
   struct cm_changed_pass skipped[] = {{.pass = 0}}, joined[] = {{.pass = 1, .joins = true}, {.pass = 3}},
                          attachments[] = {{.pass = 1, .no_load = 1}, {.pass = 3, .no_store = 1}};
   const struct cm_change skip = {.type = CM_CHANGE_SKIP_PASSES, .passes = skipped, .num_passes = 1},
                          join = {.type = CM_CHANGE_JOIN_PASSES, .passes = joined, .num_passes = 2},
                          loads = {.type = CM_CHANGE_ATTACHMENTS, .passes = attachments, .num_passes = 2};
   for (unsigned order = 0; order < 2; order++) {
      const struct cm_change changes[] = {order ? join : loads, skip, order ? loads : join};
      struct pass_builder *passes[4], *expected[2] = {new_pass(false), new_pass(false)};
      for (unsigned p = 0; p < 4; p++) {
         passes[p] = new_pass(p == 1 || p == 3);
         add_draw(passes[p], p);
      }
      passes[2]->pass.color[0].resource = TEXTURE;
      add_draw(expected[0], 2);
      expected[0]->pass.color[0].resource = TEXTURE;
      add_draw(expected[1], 1);
      add_draw(expected[1], 3);
      expected[1]->pass.color[0].store = false;
      check_changes(changes, 3, passes, 4, expected, 2, 1);
   }
}

/* A coarser mesh whose vertices are fetched once is the same as one after the other. */
TEST(several_of_draws)
{
   const struct cm_change changes[] = {{.type = CM_CHANGE_FETCH_ONCE, .number = 1},
                                       {.type = CM_CHANGE_HALF_ATTRIBUTES, .number = TARGET},
                                       {.type = CM_CHANGE_COARSER_MESH, .number = 1}};
   struct pass_builder *first = new_pass(false), *same = new_pass(false), *expected = new_pass(false);
   for (uint32_t d = 0; d < 3; d++) {
      add_draw(first, d);
      add_draw(same, d);
   }
   struct cm_changer *coarser = cm_changer_create(&changes[2], 1), *once = cm_changer_create(&changes[0], 1);
   struct cm_changer *half = cm_changer_create(&changes[1], 1);
   const struct cm_pass *pass = &same->pass, *const before = pass;
   assert_int_equal(cm_changer_pass(coarser, &pass), CM_CHANGER_PASS);
   assert_int_equal(cm_changer_pass(once, &pass), CM_CHANGER_PASS);
   assert_int_equal(cm_changer_pass(half, &pass), CM_CHANGER_PASS);
   assert_ptr_not_equal(pass, before);
   const struct cm_pass kept = expected->pass;
   expected->pass = *pass;
   struct pass_builder *list[] = {expected};
   struct cm_changer *all = cm_changer_create(changes, 3);
   struct cm_gpu *gpu = new_gpu(all, 1), *other = new_gpu(NULL, 1);
   pass = &first->pass;
   assert_int_equal(cm_changer_pass(all, &pass), CM_CHANGER_PASS);
   gpu_run_pass(gpu, pass);
   pass_run(list[0], other);
   assert_same(gpu, other);
   expected->pass = kept;
   cm_changer_destroy(coarser);
   cm_changer_destroy(once);
   cm_changer_destroy(half);
   cm_changer_destroy(all);
   pass_free(first);
   pass_free(same);
   pass_free(expected);
}

/* A texture that has mipmaps and is compressed; another one stays. */
TEST(several_of_a_texture)
{
   const struct cm_change changes[] = {{.type = CM_CHANGE_COMPRESS, .number = TEXTURE, .block_bytes = 8},
                                       {.type = CM_CHANGE_MIPMAPS, .number = TEXTURE}};
   struct cm_changer *changer = cm_changer_create(changes, 2);
   struct cm_resource_description texture = describe_texture(64, 32, 1, 4);
   texture.id = TEXTURE;
   struct cm_resource_description changed = cm_changer_resource(changer, &texture);
   assert_int_equal(changed.levels, 7);
   assert_int_equal(changed.block_bytes, 8);
   assert_int_equal(changed.block_width, 4);
   texture.id = TARGET;
   changed = cm_changer_resource(changer, &texture);
   assert_int_equal(changed.levels, 1);
   assert_int_equal(changed.block_bytes, 4);
   cm_changer_destroy(changer);
}

/* A pass is left out or joined. */
TEST(cannot_combine)
{
   struct cm_changed_pass skipped[] = {{.pass = 2}, {.pass = 7}},
                          joined[] = {{.pass = 4, .joins = true}, {.pass = 7}};
   const struct cm_change skip = {.type = CM_CHANGE_SKIP_PASSES, .passes = skipped, .num_passes = 2},
                          join = {.type = CM_CHANGE_JOIN_PASSES, .passes = joined, .num_passes = 2},
                          loads = {.type = CM_CHANGE_ATTACHMENTS, .passes = joined, .num_passes = 2};
   assert_false(cm_changes_combine(&skip, &join));
   assert_false(cm_changes_combine(&join, &skip));
   assert_true(cm_changes_combine(&skip, &loads));
   joined[1].pass = 6;
   assert_true(cm_changes_combine(&skip, &join));
}

/* A joined pass loads nothing but what its first part loads. */
TEST(shared_loads)
{
   struct cm_changed_pass joined[] = {{.pass = 2, .joins = true},
                                      {.pass = 4, .joins = true},
                                      {.pass = 5},
                                      {.pass = 7, .joins = true},
                                      {.pass = 9}},
                          loaded[] = {{.pass = 2, .no_load = 1},
                                      {.pass = 4, .no_load = 1},
                                      {.pass = 5, .no_store = 1},
                                      {.pass = 8, .no_load = 1},
                                      {.pass = 9, .no_load = 1}};
   struct cm_change join = {.type = CM_CHANGE_JOIN_PASSES, .passes = joined, .num_passes = 5},
                    loads = {.type = CM_CHANGE_ATTACHMENTS, .passes = loaded, .num_passes = 5};
   assert_int_equal(cm_changes_shared_loads(&loads, &join), 2);
   joined[1].joins = false;
   loaded[2].no_load = 1;
   assert_int_equal(cm_changes_shared_loads(&loads, &join), 2);
   loads.num_passes = 1;
   assert_int_equal(cm_changes_shared_loads(&loads, &join), 0);
}
