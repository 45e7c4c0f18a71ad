/* SPDX-License-Identifier: MIT */
/* Passes that could be one because the second reads its own pixels only: where the rule holds, and where it almost does; and
 * both as one (advice/merge.h), as built by hand. */
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "advice/merge.h"
#include "support/pass_builder.h"
#include "support/test.h"

enum { ALBEDO = 1, DEPTH, LIGHT, OTHER, WINDOW, SAMPLED, NUM_RESOURCES };

#define SIZE 64 /* pixels of the targets; tiles have 16 */
#define TILE 16
#define TILES 16

/* ---- passes -------------------------------------------------------------------------- */

static struct cm_resource_description
describe(uint32_t id)
{
   return (struct cm_resource_description){
      .id = id,
      .is_displayable = id == WINDOW,
      .levels = 1,
      .samples = id == SAMPLED ? 4 : 1,
      .block_width = 1,
      .block_height = 1,
      .block_bytes = 4,
      .width = SIZE,
      .height = SIZE,
      .depth = 1,
      .layers = 1,
      .uses = CM_USE_TEXTURE | CM_USE_COLOR,
   };
}

static struct cm_attachment
attach_depth(void)
{
   return (struct cm_attachment){.resource = DEPTH, .pixel_bytes = 4, .store = true, .clear = true};
}

static struct pass_builder *
new_pass(uint32_t target, uint32_t size)
{
   struct pass_builder *pass = pass_new(0, size, size, TILE);
   pass->pass.kind = CM_PASS_FULL;
   pass_color(pass, target, 4);
   return pass;
}

/* Quad q of a tile, of the last primitive, which covers all of it. */
static struct cm_quad
whole_quad(const struct pass_builder *pass, uint8_t q)
{
   return (struct cm_quad){.primitive = pass->pass.num_primitives - 1,
                           .x = q % 8,
                           .y = q / 8,
                           .live = 15,
                           .covered = 15,
                           .visible = 15,
                           .written = 15};
}

/* Draws over all pixels. flags: of the shade events. */
static struct cm_draw *
add_draw(struct pass_builder *pass, uint32_t flags)
{
   const uint32_t tiles = pass->pass.tiles_x * pass->pass.tiles_y;
   uint32_t numbers[TILES];
   struct cm_draw *draw = pass_draw(pass);
   draw->tests.color_write = 1;
   draw->vertex_shader.id = draw->fragment_shader.id = 1;
   for (uint32_t t = 0; t < tiles; t++)
      numbers[t] = t;
   pass_primitive(pass, 2, numbers, tiles);
   for (uint32_t t = 0; t < tiles; t++) {
      for (uint8_t q = 0; q < 64; q++) {
         const struct cm_quad quad = whole_quad(pass, q);
         pass_quads(pass, t, pass->pass.num_draws - 1, flags, &quad, 1);
      }
   }
   return draw;
}

/* What is read of the first pass, pixel by pixel: texel + offset, in rows from the bottom if it is upside down. */
struct reads {
   int x, y;
   bool is_upside_down, is_linear;
   uint8_t level;
   uint32_t layer;
   uint8_t quads; /* of each tile; 0: all */
};

/* Draws over all pixels, each of which reads these textures. */
static void
add_reader(struct pass_builder *pass, const uint32_t *textures, uint32_t num_textures, struct reads reads)
{
   struct cm_draw *draw = pass_draw(pass);
   uint32_t numbers[TILES];
   const uint32_t tiles = pass->pass.tiles_x * pass->pass.tiles_y;
   draw->tests.color_write = 1;
   draw->vertex_shader.id = draw->fragment_shader.id = 2;
   draw->num_textures = num_textures;
   for (uint32_t unit = 0; unit < num_textures; unit++)
      draw->textures[unit] = (struct cm_texture_binding){.resource = textures[unit]};
   for (uint32_t t = 0; t < tiles; t++)
      numbers[t] = t;
   pass_primitive(pass, 2, numbers, tiles);
   for (uint32_t t = 0; t < tiles; t++) {
      for (uint8_t q = 0; q < (reads.quads ? reads.quads : 64); q++) {
         const struct cm_quad quad = whole_quad(pass, q);
         struct cm_footprint read = {.live = 15,
                                     .linear = reads.is_linear,
                                     .level = reads.level,
                                     .layer = reads.layer};
         for (int f = 0; f < 4; f++) {
            const int x = (int)(t % pass->pass.tiles_x) * TILE + quad.x * 2 + f % 2 + reads.x;
            const int y = (int)(t / pass->pass.tiles_x) * TILE + quad.y * 2 + f / 2 + reads.y;
            read.texel[f].x = (int16_t)x;
            read.texel[f].y = (int16_t)(reads.is_upside_down ? SIZE - 1 - y : y);
         }
         pass_quads(pass, t, pass->pass.num_draws - 1, CM_SHADE_DEFERRED, &quad, 1);
         for (uint32_t unit = 0; unit < num_textures; unit++)
            pass_footprints(pass, t, unit, &read, 1);
      }
   }
}

static struct pass_builder *
first_pass(void)
{
   struct pass_builder *pass = new_pass(ALBEDO, SIZE);
   pass->pass.depth = attach_depth();
   add_draw(pass, CM_SHADE_DEFERRED);
   return pass;
}

/* ---- the rule ------------------------------------------------------------------------ */

enum variant {
   PLAIN,
   UPSIDE_DOWN_WINDOW,
   READ_LATER,
   FOUND, /* those above are found */
   NEIGHBOUR = FOUND,
   UPSIDE_DOWN,
   LINEAR,
   LEVEL,
   LAYER,
   FEW_FRAGMENTS,
   OTHER_SIZE,
   OTHER_SAMPLES,
   PASS_BETWEEN,
   READ_BETWEEN,
   OTHER_FRAME,
   READ_BY_VERTICES,
   STORAGE,
   OWN_ATTACHMENT,
   SHARED_IS_CLEARED,
   OTHER_DEPTH,
   RESOLVES,
   NOT_STORED,
   VARIANTS
};

static struct pass_builder *
second_pass(enum variant variant)
{
   static const uint32_t textures[] = {ALBEDO, DEPTH};
   const struct reads reads = {
      .x = variant == NEIGHBOUR ? -1 : 0,
      .is_upside_down = variant == UPSIDE_DOWN || variant == UPSIDE_DOWN_WINDOW,
      .is_linear = variant == LINEAR,
      .level = variant == LEVEL,
      .layer = variant == LAYER,
      .quads = variant == FEW_FRAGMENTS ? 7 : 0, /* 16 tiles, 2 textures, 4 fragments: 896 texels */
   };
   const uint32_t target = variant == UPSIDE_DOWN_WINDOW ? WINDOW
                           : variant == OTHER_SAMPLES    ? SAMPLED
                                                         : LIGHT;
   struct pass_builder *pass = new_pass(target, variant == OTHER_SIZE ? SIZE / 2 : SIZE);
   /* Depth is the first one's, or another, and not read then. */
   const bool has_depth = variant == SHARED_IS_CLEARED || variant == OTHER_DEPTH;
   add_reader(pass, textures, has_depth ? 1 : 2, reads);
   if (has_depth)
      pass->pass.depth = attach_depth();
   if (variant == OTHER_DEPTH)
      pass->pass.depth.resource = OTHER;
   if (variant == OWN_ATTACHMENT) {
      pass_color(pass, ALBEDO, 4);
      pass->pass.color[1].load = true;
   }
   if (variant == RESOLVES)
      pass->pass.resolve[0].resource = OTHER;
   if (variant == READ_BY_VERTICES) {
      pass->vertex_bindings[pass->pass.num_vertex_bindings++].resource = ALBEDO;
      pass_vertex_read(pass, 0, 0, 1, 1, false);
   }
   return pass;
}

static void
send(struct cm_advice *advice, struct pass_builder *pass)
{
   assert_true(cm_advice_pass(advice, &pass->pass));
   pass_free(pass);
}

static void
send_frame(struct cm_advice *advice, enum variant variant, uint32_t number)
{
   const struct cm_name read = {.type = CM_NAME_READ, .number = ALBEDO};
   static struct cm_storage storage;
   struct pass_builder *first = first_pass(), *second = second_pass(variant);
   cm_advice_frame_begin(advice, number, true);
   first->pass.color[0].store = variant != NOT_STORED;
   if (variant == STORAGE) {
      first->pass.storages = &storage;
      first->pass.num_storages = 1;
   }
   send(advice, first);
   if (variant == PASS_BETWEEN) {
      struct pass_builder *between = new_pass(OTHER, SIZE);
      add_draw(between, 0);
      send(advice, between);
   }
   if (variant == READ_BETWEEN)
      assert_true(cm_advice_define_name(advice, &read));
   if (variant == OTHER_FRAME) {
      assert_true(cm_advice_frame_end(advice));
      cm_advice_frame_begin(advice, number + 1, true);
   }
   send(advice, second);
   if (variant == READ_LATER) {
      struct pass_builder *later = new_pass(OTHER, SIZE);
      add_reader(later, (const uint32_t[]){ALBEDO}, 1, (struct reads){.x = 3});
      send(advice, later);
   }
   assert_true(cm_advice_frame_end(advice));
}

/* Of three frames, of which the last one's stores may still be read. */
static void
check_rule(const struct cm_config *config, enum variant variant, bool is_found)
{
   struct cm_advice *advice = cm_advice_create(config);
   assert_non_null(advice);
   for (uint32_t id = 1; id < NUM_RESOURCES; id++) {
      const struct cm_resource_description resource = describe(id);
      assert_true(cm_advice_define_resource(advice, &resource));
   }
   for (uint32_t frame = 0; frame < 3; frame++)
      send_frame(advice, variant, 2 * frame);
   uint32_t count;
   const struct cm_finding *findings = cm_advice_findings(advice, &count), *found = NULL;
   for (uint32_t f = 0; f < count; f++) {
      /* What the second pass could read in the tiles is read all the same. */
      assert_true(variant >= FOUND || (findings[f].rule != CM_ADVICE_UNNEEDED_STORE &&
                                       findings[f].rule != CM_ADVICE_BROKEN_PASS));
      if (findings[f].rule == CM_ADVICE_MERGEABLE_PASS)
         found = &findings[f];
   }
   if ((found != NULL) != is_found)
      fail_msg("variant %d is %sfound", (int)variant, found ? "" : "not ");
   if (found) {
      assert_int_equal(found->passes, 3);
      assert_int_equal(found->num_resources, 2);
      assert_int_equal(found->changes->type, CM_CHANGE_MERGE_PASSES);
      assert_int_equal(found->changes->num_passes, 6);
      const uint16_t both = 1 | 1 << CM_SLOT_DEPTH;
      for (uint32_t p = 0; p < 6; p++) {
         const struct cm_changed_pass *pass = &found->changes->passes[p];
         assert_int_equal(pass->joins, p % 2 == 0);
         assert_int_equal(pass->read, p % 2 ? 0 : both);
         const uint16_t needed = variant == READ_LATER ? 1 : 0;
         assert_int_equal(pass->no_store, p % 2 || p == 4 ? 0 : both & ~needed);
      }
      assert_int_equal(found->num_unknown_frames, 1);
      assert_int_equal(found->unknown_frames[0], 4);
   }
   cm_advice_destroy(advice);
}

TEST(mergeable_pass)
{
   static const char *const modes[][2] = {{"mode=tbr", NULL}, {"mode=tbdr", NULL}};
   for (unsigned m = 0; m < 2; m++) {
      struct cm_config *config = test_config(modes[m]);
      for (unsigned variant = 0; variant < VARIANTS; variant++)
         check_rule(config, (enum variant)variant, variant < FOUND);
      cm_config_destroy(config);
   }
}

/* There the attachments are in memory all the time. */
TEST(without_tiles)
{
   static const char *const nothing[] = {NULL};
   struct cm_config *config = test_config_of("imr-8m", nothing);
   check_rule(config, PLAIN, false);
   cm_config_destroy(config);
}

/* ---- both as one --------------------------------------------------------------------- */

/* What the program sends that has one pass. */
static struct pass_builder *
merged_pass(void)
{
   struct pass_builder *pass = first_pass();
   pass->pass.color[0].store = false;
   pass->pass.depth.store = false;
   pass_color(pass, LIGHT, 4);
   for (uint32_t t = 0; t < TILES; t++)
      pass_words(pass, t, (const uint32_t[]){CM_EVENT_FLUSH}, 1);
   struct cm_draw *draw = add_draw(pass, 0);
   draw->vertex_shader.id = draw->fragment_shader.id = 2;
   draw->tests = (struct cm_fragment_tests){.color_write = 2, .color_fetch = 1, .depth_fetch = true};
   return pass;
}

static struct cm_gpu *
new_gpu(const char *mode)
{
   const char *const settings[] = {mode, "parameter_buffer.pass_end=keep", NULL};
   struct cm_gpu *gpu = test_gpu(settings);
   for (uint32_t id = 1; id < NUM_RESOURCES; id++) {
      const struct cm_resource_description resource = describe(id);
      cm_gpu_define_resource(gpu, &resource);
   }
   return gpu;
}

TEST(merged)
{
   static const char *const modes[] = {"mode=tbr", "mode=tbdr"};
   for (unsigned m = 0; m < 2; m++) {
      struct pass_builder *first = first_pass(), *second = second_pass(PLAIN);
      struct cm_changed_pass pair[] = {
         {.pass = 0, .joins = true, .read = 1 | 1 << CM_SLOT_DEPTH, .no_store = 1 | 1 << CM_SLOT_DEPTH},
         {.pass = 1}};
      const struct cm_change change = {.type = CM_CHANGE_MERGE_PASSES, .passes = pair, .num_passes = 2};
      struct cm_changer *changer = cm_changer_create(&change, 1);
      struct cm_gpu *gpu = new_gpu(modes[m]), *by_hand = new_gpu(modes[m]);
      const struct cm_pass *pass = &first->pass;
      assert_true(cm_passes_can_merge(&first->pass, &second->pass));
      assert_int_equal(cm_merged_pixel_bytes(&first->pass, &second->pass), 12);
      assert_int_equal(cm_changer_pass(changer, &pass), CM_CHANGER_SKIPPED);
      cm_changer_pass_end(changer);
      pass = &second->pass;
      assert_int_equal(cm_changer_pass(changer, &pass), CM_CHANGER_PASS);
      gpu_run_pass(gpu, pass);
      cm_changer_pass_end(changer);
      pass_run_and_free(merged_pass(), by_hand);

      const struct cm_counter_table *table = cm_gpu_counters(gpu);
      const uint64_t *values = cm_gpu_frame_end(gpu), *expected = cm_gpu_frame_end(by_hand);
      for (uint32_t c = 0; c < table->count; c++) {
         if (values[c] != expected[c])
            fail_msg("%s: %llu, by hand %llu", table->counters[c].name, (unsigned long long)values[c],
                     (unsigned long long)expected[c]);
      }
      /* Only what is lit is in memory. */
      assert_int_equal(gpu_total(gpu, "dram.color.write_bytes"), SIZE * SIZE * 4);
      assert_int_equal(gpu_total(gpu, "dram.depth.write_bytes"), 0);
      assert_int_equal(gpu_total(gpu, "texture_cache.total.reads"), 0);
      cm_gpu_destroy(gpu);
      cm_gpu_destroy(by_hand);
      cm_changer_destroy(changer);
      pass_free(first);
      pass_free(second);
   }
}

/* A color attachment and the depth of the first that the second draws on. */
TEST(shared_attachments)
{
   struct pass_builder *first = first_pass(), *second = new_pass(LIGHT, SIZE);
   pass_color(first, OTHER, 4);
   pass_color(second, OTHER, 4);
   second->pass.color[1].load = true;
   second->pass.depth = attach_depth();
   second->pass.depth.clear = false;
   second->pass.depth.load = true;
   second->pass.depth.store = false;
   add_reader(second, (const uint32_t[]){ALBEDO}, 1, (struct reads){0});
   second->draws[0].tests.color_write = 3;
   assert_true(cm_passes_can_merge(&first->pass, &second->pass));
   struct cm_pass_merge *merge = cm_pass_merge_create();
   assert_true(cm_pass_merge_begin(merge, &first->pass, 1, 0));
   const struct cm_pass *pass = cm_pass_merge_end(merge, &second->pass);
   assert_non_null(pass);
   /* ALBEDO, which is stored all the same, OTHER of both, LIGHT. */
   assert_int_equal(pass->num_color, 3);
   assert_int_equal(pass->color[0].resource, ALBEDO);
   assert_int_equal(pass->color[1].resource, OTHER);
   assert_int_equal(pass->color[2].resource, LIGHT);
   for (unsigned c = 0; c < 3; c++)
      assert_true(pass->color[c].store && !pass->color[c].load);
   assert_true(pass->depth.clear && !pass->depth.load && !pass->depth.store);
   assert_int_equal(pass->num_draws, 2);
   assert_int_equal(pass->draws[1].tests.color_write, 1 << 2 | 1 << 1);
   assert_int_equal(pass->draws[1].tests.color_fetch, 1);
   cm_pass_merge_destroy(merge);

   /* What the first does not store, the second cannot load. */
   first->pass.color[1].store = false;
   assert_false(cm_passes_can_merge(&first->pass, &second->pass));
   first->pass.color[1].store = true;
   /* Eight of the first and one of the second are too many. */
   for (unsigned c = 2; c < CM_MAX_COLOR_ATTACHMENTS; c++)
      pass_color(first, 20 + c, 4);
   assert_false(cm_passes_can_merge(&first->pass, &second->pass));
   pass_free(first);
   pass_free(second);
}

/* A change leaves out or merges a pass once. */
TEST(combinations)
{
   struct cm_changed_pass first[] = {{.pass = 0, .joins = true}, {.pass = 1}},
                          second[] = {{.pass = 1, .joins = true}, {.pass = 2}};
   const struct cm_change merge = {.type = CM_CHANGE_MERGE_PASSES, .passes = first, .num_passes = 2},
                          next = {.type = CM_CHANGE_MERGE_PASSES, .passes = second, .num_passes = 2},
                          skip = {.type = CM_CHANGE_SKIP_PASSES, .passes = &second[1], .num_passes = 1},
                          loads = {.type = CM_CHANGE_ATTACHMENTS, .passes = second, .num_passes = 2};
   assert_false(cm_changes_combine(&merge, &next));
   assert_false(cm_changes_combine(&next, &skip));
   assert_true(cm_changes_combine(&merge, &skip));
   assert_true(cm_changes_combine(&merge, &loads));
}
