/* SPDX-License-Identifier: MIT */
#include "random_recording.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "random_pass.h"
#include "test.h"

static char directory[64], path[96];

static void
remove_recording(void)
{
   unlink(path);
   rmdir(directory);
}

const char *
recording_path(void)
{
   if (!directory[0]) {
      snprintf(directory, sizeof directory, "/tmp/tbrsim-recording-XXXXXX");
      assert_non_null(mkdtemp(directory));
      snprintf(path, sizeof path, "%s/test.tbr", directory);
      atexit(remove_recording);
   }
   return path;
}

struct cm_resource_description
random_resource(uint32_t id)
{
   if (id <= 4)
      return (struct cm_resource_description){.id = id,
                                              .is_buffer = true,
                                              .levels = 1,
                                              .samples = 1,
                                              .block_width = 1,
                                              .block_height = 1,
                                              .block_bytes = 1,
                                              .width = 20000u << id,
                                              .height = 1,
                                              .depth = 1,
                                              .layers = 1};
   return (struct cm_resource_description){.id = id,
                                           .levels = (uint8_t)(1 + id % 7),
                                           .samples = id % 3 ? 1 : 4,
                                           .block_width = 1,
                                           .block_height = 1,
                                           .block_bytes = 4,
                                           .width = 64u << id % 5,
                                           .height = 300,
                                           .depth = id % 4 ? 1 : 9,
                                           .layers = id % 4 ? 6 : 1,
                                           .is_displayable = id % 5 == 0};
}

struct cm_recorder *
new_recorder(const char *path)
{
   const struct cm_run_value values[] = {{"program", "a \"program\""}, {"tbrsim", "0"}, {"empty", ""}};
   char error[512] = "";
   struct cm_config *config = test_config(NULL);
   struct cm_recorder *recorder =
      cm_recorder_create(path, NULL, CM_RECORDING_PLAIN, config, values, 3, error, sizeof error);
   assert_string_equal(error, "");
   assert_non_null(recorder);
   cm_config_destroy(config);
   return recorder;
}

struct waiting_owner {
   struct cm_pass_owner base;
   sem_t released;
};

static void
keep_tile(struct cm_pass_owner *owner, uint32_t tile)
{
}

static void
note_release(struct cm_pass_owner *owner)
{
   sem_post(&((struct waiting_owner *)owner)->released);
}

void
record_pass(struct cm_recorder *recorder, const struct pass_builder *builder)
{
   struct waiting_owner owner = {.base = {keep_tile, note_release}};
   sem_init(&owner.released, 0, 0);
   cm_recorder_pass_begin(recorder, &builder->pass, &owner.base);
   for (uint32_t t = builder->pass.tiles_x * builder->pass.tiles_y; t-- > 0;)
      cm_recorder_pass_tile(recorder, t);
   cm_recorder_pass_end(recorder);
   while (sem_wait(&owner.released) != 0)
      continue;
   sem_destroy(&owner.released);
}

static uint64_t
seed_of(uint64_t seed, uint32_t frame)
{
   uint64_t state = seed * 1000 + frame;
   random_next(&state);
   return state;
}

void
write_random_recording(const char *path, uint64_t seed, uint32_t frames)
{
   struct cm_recorder *recorder = new_recorder(path);
   cm_recorder_gpu_begin(recorder);
   for (uint32_t frame = 0; frame < frames; frame++) {
      uint64_t state = seed_of(seed, frame);
      for (uint32_t id = frame ? 7 : 1; frame < 2 && id <= (frame ? RECORDING_RESOURCES : 6); id++) {
         const struct cm_resource_description resource = random_resource(id);
         cm_recorder_define_resource(recorder, &resource);
      }
      for (uint32_t passes = 1 + random_below(&state, 3); passes > 0; passes--) {
         struct pass_builder *builder = random_pass(&state, frame);
         record_pass(recorder, builder);
         pass_free(builder);
      }
      cm_recorder_frame_end(recorder, frame + 10);
   }
   assert_true(cm_recorder_destroy(recorder));
}

#define ASSERT_ARRAYS(a, b, count) \
   assert_true((count) == 0 || memcmp(a, b, (size_t)(count) * sizeof *(a)) == 0)

/* Of a full pass' tile, found by its words. */
static bool
is_in_order(const struct cm_tile_events *tile)
{
   const uint32_t *end = tile->words + tile->num_words;
   for (const uint32_t *word = tile->words; word < end; word = cm_event_next(word)) {
      const bool is_shaded = cm_event_type(*word) == CM_EVENT_SHADE;
      if ((is_shaded && *word & CM_SHADE_DEFERRED) || (!is_shaded && !cm_event_is_of_run(*word)))
         return false;
   }
   return true;
}

void
assert_passes_equal(const struct cm_pass *a, const struct cm_pass *b)
{
   const uint32_t num_tiles = a->tiles_x * a->tiles_y;
   assert_int_equal(a->tiles_x, b->tiles_x);
   assert_int_equal(a->tiles_y, b->tiles_y);
   assert_int_equal(a->num_draws, b->num_draws);
   assert_int_equal(a->num_vertices, b->num_vertices);
   assert_int_equal(a->num_feedback, b->num_feedback);
   assert_int_equal(a->num_vertex_bindings, b->num_vertex_bindings);
   assert_int_equal(a->num_vertex_accesses, b->num_vertex_accesses);
   assert_int_equal(a->num_region_runs, b->num_region_runs);
   assert_int_equal(a->num_primitives, b->num_primitives);
   assert_int_equal(a->num_primitive_tiles, b->num_primitive_tiles);
   assert_int_equal(a->num_storages, b->num_storages);
   assert_int_equal(a->num_addressed, b->num_addressed);
   assert_int_equal(a->num_descriptors, b->num_descriptors);
   ASSERT_ARRAYS(a->draws, b->draws, a->num_draws);
   ASSERT_ARRAYS(a->storages, b->storages, a->num_storages);
   ASSERT_ARRAYS(a->addressed, b->addressed, a->num_addressed);
   ASSERT_ARRAYS(a->descriptors, b->descriptors, a->num_descriptors);
   ASSERT_ARRAYS(a->vertices, b->vertices, a->num_vertices);
   ASSERT_ARRAYS(a->feedback, b->feedback, a->num_feedback);
   for (uint32_t t = 0; t < a->num_vertex_bindings; t++) {
      assert_int_equal(a->vertex_bindings[t].resource, b->vertex_bindings[t].resource);
      assert_int_equal(a->vertex_bindings[t].repeat_t, b->vertex_bindings[t].repeat_t);
   }
   ASSERT_ARRAYS(a->vertex_accesses, b->vertex_accesses, a->num_vertex_accesses);
   ASSERT_ARRAYS(a->region_runs, b->region_runs, a->num_region_runs);
   ASSERT_ARRAYS(a->primitives, b->primitives, a->num_primitives);
   ASSERT_ARRAYS(a->primitive_tiles, b->primitive_tiles, a->num_primitive_tiles);
   ASSERT_ARRAYS(a->touched, b->touched, num_tiles);
   for (uint32_t t = 0; t < num_tiles; t++) {
      assert_int_equal(a->tiles[t].num_words, b->tiles[t].num_words);
      if (a->tiles[t].num_words && a->kind == CM_PASS_FULL)
         assert_int_equal(a->tiles[t].is_in_order, is_in_order(&b->tiles[t]));
      ASSERT_ARRAYS(a->tiles[t].words, b->tiles[t].words, a->tiles[t].num_words);
   }
   assert_int_equal(!a->contents, !b->contents);
   for (uint32_t t = 0; a->contents && t < num_tiles; t++) {
      assert_int_equal(a->contents[t].same_inputs, b->contents[t].same_inputs);
      assert_int_equal(a->contents[t].num_bytes, b->contents[t].num_bytes);
      ASSERT_ARRAYS(a->contents[t].bytes, b->contents[t].bytes, a->contents[t].num_bytes);
   }
   /* Everything else: the structures without their pointers. */
   struct cm_pass left = *a, right = *b;
   struct cm_pass *const both[] = {&left, &right};
   for (unsigned i = 0; i < 2; i++) {
      both[i]->draws = NULL;
      both[i]->storages = NULL;
      both[i]->descriptors = NULL;
      both[i]->addressed = both[i]->vertices = both[i]->primitive_tiles = NULL;
      both[i]->feedback = NULL;
      both[i]->vertex_bindings = NULL;
      both[i]->vertex_accesses = NULL;
      both[i]->region_runs = NULL;
      both[i]->primitives = NULL;
      both[i]->tiles = NULL;
      both[i]->touched = NULL;
      both[i]->contents = NULL;
   }
   assert_memory_equal(&left, &right, sizeof left);
}

/* Member by member: what lies between them is anything. */
static void
assert_same_resource(const struct cm_resource_description *found,
                     const struct cm_resource_description *expected)
{
#define SAME(member) assert_int_equal(found->member, expected->member)
   SAME(id);
   SAME(is_buffer);
   SAME(levels);
   SAME(samples);
   SAME(block_width);
   SAME(block_height);
   SAME(block_bytes);
   SAME(width);
   SAME(height);
   SAME(depth);
   SAME(layers);
   SAME(is_displayable);
#undef SAME
}

uint32_t
compare_random_recording(struct cm_recording *recording, uint64_t seed, uint32_t first)
{
   size_t count;
   const struct cm_indexed_frame *frames = cm_recording_frames(recording, &count);
   uint32_t frame = first, passes = 0, resources = 0;
   uint64_t state = seed_of(seed, frame);
   struct pass_builder *expected = NULL;

   cm_recording_seek(recording, first, SIZE_MAX);
   assert_int_equal(cm_recording_next(recording).type, first < count ? CM_ITEM_GPU : CM_ITEM_END);
   for (;;) {
      struct cm_item item = cm_recording_next(recording);
      if (item.type == CM_ITEM_END || item.type == CM_ITEM_DAMAGED)
         break;
      assert_int_equal(item.frame, frame);
      switch (item.type) {
      case CM_ITEM_RESOURCES:
         for (size_t i = 0; i < item.num_resources; i++) {
            const struct cm_resource_description resource = random_resource(++resources);
            assert_same_resource(&item.resources[i], &resource);
         }
         free(item.resources);
         break;
      case CM_ITEM_PASS:
         assert_int_equal(resources, frame ? RECORDING_RESOURCES : 6);
         if (!passes)
            passes = 1 + random_below(&state, 3);
         expected = random_pass(&state, frame);
         assert_passes_equal(&item.pass->pass, &expected->pass);
         pass_free(expected);
         cm_recorded_pass_release(item.pass);
         break;
      default:
         assert_int_equal(item.type, CM_ITEM_FRAME_END);
         assert_int_equal(frames[frame].number, frame + 10);
         assert_int_equal(frames[frame].counts.passes, passes);
         passes = 0;
         state = seed_of(seed, ++frame);
         break;
      }
   }
   return frame - first;
}
