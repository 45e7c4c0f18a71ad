/* SPDX-License-Identifier: MIT */
/* Frames that several threads time at once: counters, energies, attributed rows and timelines are the same bytes as with one, for
 * every preset. A caller that takes frames late gets the same. */
#include <stdlib.h>
#include <string.h>

#include "gpu/attribution.h"
#include "gpu/gpu_config.h"
#include "memory/future.h"
#include "support/full_pass.h"
#include "support/test.h"
#include "timing/timeline.h"
#include "util/byte_stream.h"

#define FRAMES 10

static const unsigned thread_counts[] = {2, 3, 4, 8};
#define NUM_COUNTS (sizeof thread_counts / sizeof thread_counts[0])

/* What is looked at besides counters. */
enum look { LOOK_PLAIN, LOOK_ATTRIBUTION, LOOK_TIMELINE, LOOK_COUNT };

static struct cm_config *
config_of(const char *preset, enum look look)
{
   static const char *const settings[LOOK_COUNT][6] = {
      [LOOK_PLAIN] = {"timing=on"},
      [LOOK_ATTRIBUTION] = {"timing=on", "attribution.pass=on", "attribution.draw=on",
                            "attribution.texture=on", "attribution.tile=on"},
      [LOOK_TIMELINE] = {"timing=on"},
   };
   return test_config_of(preset, settings[look]);
}

static void
put_rows(struct cm_byte_writer *bytes, struct cm_gpu *gpu, const struct cm_config *config)
{
   const struct cm_counter_table *table = cm_gpu_counters(gpu);
   bool flags[4000];
   assert_true(table->count <= sizeof flags / sizeof flags[0]);
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++) {
      struct cm_attributed_rows rows;
      if (!cm_config_attributes_by(config, (enum cm_origin_part)part))
         continue;
      assert_true(cm_attributed_counters(config, table, (enum cm_origin_part)part, flags));
      assert_true(cm_gpu_attributed_rows(gpu, (enum cm_origin_part)part, &rows));
      for (uint32_t r = 0; r < rows.count; r++) {
         const uint32_t keys[] = {rows.list[r].frames_ago, rows.list[r].pass, rows.list[r].number};
         cm_put_bytes(bytes, keys, sizeof keys);
         for (uint32_t c = 0; c < table->count; c++) {
            const uint64_t value =
               flags[c] ? cm_gpu_attributed_value(gpu, &rows.list[r], &table->counters[c]) : 0;
            cm_put_bytes(bytes, &value, sizeof value);
         }
      }
   }
}

/* A frame that the GPU has returned: its counters, rows and packets. */
static void
put_frame(struct cm_byte_writer *bytes, struct cm_gpu *gpu, const struct cm_config *config,
          const uint64_t *values)
{
   cm_put_bytes(bytes, values, cm_gpu_counters(gpu)->count * sizeof *values);
   put_rows(bytes, gpu, config);
   const struct cm_byte_writer *packets =
      cm_gpu_timeline(gpu) ? cm_timeline_frame(cm_gpu_timeline(gpu)) : NULL;
   if (packets)
      cm_put_bytes(bytes, packets->data, packets->size);
}

/* One or two passes, and now and then none. */
static void
run_frame(struct cm_gpu *gpu, const struct cm_config *config, uint32_t frame)
{
   for (uint32_t n = 0; n < frame % 4; n += 2) {
      struct full_model *model = full_model(1 + frame + n);
      struct pass_builder *pass = full_pass(model, config->tile.size, 1 + frame + n);
      pass->pass.frame = frame;
      pass_run(pass, gpu);
      pass_free(pass);
      full_model_free(model);
   }
}

/* Frames are taken after each one; or, lazily, one of those that are there, and the rest in the end. */
static uint32_t
take_frames(struct cm_byte_writer *bytes, struct cm_gpu *gpu, const struct cm_config *config, bool is_lazy)
{
   uint32_t count = 0;
   for (const uint64_t *values = cm_gpu_frame_end(gpu); values;
        values = is_lazy ? NULL : cm_gpu_next_frame(gpu)) {
      put_frame(bytes, gpu, config, values);
      count++;
   }
   return count;
}

/* All of a run. Where policies need next uses, of the last pass over it. */
static struct cm_byte_writer
run_once(const struct cm_config *config, enum look look, struct cm_futures *futures, bool divides,
         unsigned threads)
{
   struct cm_byte_writer bytes = {0};
   char error[512];
   struct cm_gpu *gpu = cm_gpu_create_with_futures(config, futures, error, sizeof error);
   uint32_t taken = 0;
   assert_non_null(gpu);
   if (look == LOOK_TIMELINE && cm_futures_is_last_pass(futures)) {
      assert_true(cm_gpu_make_timeline(gpu, &(struct cm_timeline_frames){.first = 5, .last = 6, .begin = 1}));
      cm_put_bytes(&bytes, cm_timeline_head(cm_gpu_timeline(gpu))->data,
                   cm_timeline_head(cm_gpu_timeline(gpu))->size);
   }
   if (divides && cm_futures_is_last_pass(futures))
      cm_gpu_set_longest_part(gpu, 1);
   assert_true(cm_gpu_set_threads(gpu, threads));
   define_full_resources(gpu);
   for (uint32_t frame = 0; frame < FRAMES; frame++) {
      run_frame(gpu, config, frame);
      taken += take_frames(&bytes, gpu, config, look == LOOK_PLAIN && threads == 3);
   }
   for (const uint64_t *values; (values = cm_gpu_last_frame(gpu)); taken++)
      put_frame(&bytes, gpu, config, values);
   assert_int_equal(taken, FRAMES);
   const uint64_t *total = cm_gpu_total(gpu);
   cm_put_bytes(&bytes, total, cm_gpu_counters(gpu)->count * sizeof *total);
   assert_true(cm_gpu_is_complete(gpu) && !bytes.out_of_memory);
   cm_gpu_destroy(gpu);
   return bytes;
}

static struct cm_byte_writer
run(const struct cm_config *config, enum look look, bool divides, unsigned threads)
{
   struct cm_futures *futures = cm_futures_create(config);
   struct cm_byte_writer bytes = {0};
   assert_non_null(futures);
   for (bool last = false; !last;) {
      char error[512];
      free(bytes.data);
      bytes = run_once(config, look, futures, divides, threads);
      last = cm_futures_is_last_pass(futures);
      if (!cm_futures_end_pass(futures, error, sizeof error))
         fail_msg("%s", error);
   }
   cm_futures_destroy(futures);
   return bytes;
}

/* With each number of threads; with few rounds, with one of them in turn. Every other time frames are divided at each pass. */
static void
check(const char *preset, enum look look)
{
   static unsigned turn, number;
   const bool divides = number++ & 1;
   struct cm_config *config = config_of(preset, look);
   struct cm_byte_writer expected = run(config, look, divides, 1);
   const unsigned tried = test_rounds(NUM_COUNTS);
   for (unsigned n = 0; n < tried; n++) {
      const unsigned threads = thread_counts[turn++ % NUM_COUNTS];
      struct cm_byte_writer bytes = run(config, look, divides, threads);
      if (expected.size != bytes.size || memcmp(expected.data, bytes.data, bytes.size))
         fail_msg("%s: %u threads find something else (%u)", preset, threads, look);
      free(bytes.data);
   }
   free(expected.data);
   cm_config_destroy(config);
}

/* Whether it can be timed. */
static bool
has_timing(const char *preset)
{
   struct cm_config *config = test_config_of(preset, NULL);
   char error[512];
   config->timing = CM_TIMING_ON;
   const bool has = cm_config_validate(config, error, sizeof error);
   cm_config_destroy(config);
   return has;
}

static void
check_preset(const char *preset, const char *description, void *context)
{
   if (!has_timing(preset))
      return;
   for (unsigned look = 0; look < LOOK_COUNT; look++)
      check(preset, (enum look)look);
   ++*(unsigned *)context;
}

TEST(presets)
{
   char error[512];
   unsigned count = 0;
   assert_true(cm_config_list_presets(NULL, check_preset, &count, error, sizeof error));
   assert_true(count > 20);
}

static void
abandon(const char *preset)
{
   struct cm_config *config = config_of(preset, LOOK_PLAIN);
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   assert_true(cm_gpu_set_threads(gpu, 3));
   define_full_resources(gpu);
   for (uint32_t frame = 1; frame < 4; frame++) {
      run_frame(gpu, config, frame);
      if (frame < 3)
         (void)cm_gpu_frame_end(gpu);
   }
   cm_gpu_destroy(gpu);
   cm_config_destroy(config);
}

/* A GPU that goes with frames under way, ended or not. */
TEST(abandoned)
{
   abandon("imr-8m");
   abandon("tcor-64k");
}
