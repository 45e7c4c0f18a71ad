/* SPDX-License-Identifier: MIT */
/* A timeline is what a viewer of the Chrome trace event format takes: one JSON value, each event with what its phase
 * needs, in the order of time, no two spans of a track at once, all within the frame. And properties of the cycles:
 * nothing gets sooner when something takes longer or has less room. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/json_reader.h"
#include "support/random_pass.h"
#include "support/test.h"
#include "timing/timeline.h"
#include "timing/timing.h"

static uint64_t
number_of(const char *text, const char *event, const char *key)
{
   const char *const path[] = {"traceEvents", event, key, NULL};
   uint64_t number = 0;
   if (!json_number(text, path, &number))
      fail_msg("event %s has no %s", event, key);
   return number;
}

static void
run_frames(struct cm_gpu *gpu, unsigned frames)
{
   uint64_t state = 21;
   define_random_resources(gpu);
   for (uint32_t frame = 0; frame < frames; frame++) {
      struct pass_builder *pass = random_pass(&state, frame);
      pass_run(pass, gpu);
      pass_free(pass);
      cm_gpu_frame_end(gpu);
   }
   assert_true(cm_gpu_is_complete(gpu));
}

static uint64_t
cycles_of(struct cm_gpu *gpu)
{
   return cm_gpu_total(gpu)[cm_counter_table_find(cm_gpu_counters(gpu), "gpu.cycles")];
}

/* The timeline of frame 1 of three; its text, to be freed. */
static __attribute__((noinline)) char *
make_timeline(const char *mode)
{
   const char *const settings[] = {"timing=on", mode, NULL};
   struct cm_config *config = test_config(settings);
   struct cm_gpu *gpu = test_gpu(settings);
   struct cm_timeline *timeline = cm_timeline_create(1, 8, cm_timing_banks(config));
   assert_non_null(timeline);
   cm_gpu_set_timeline(gpu, timeline);
   run_frames(gpu, 3);
   assert_true(cm_timeline_is_complete(timeline));
   char *text = NULL;
   size_t length = 0;
   FILE *file = open_memstream(&text, &length);
   assert_true(cm_timeline_write(timeline, file));
   fclose(file);
   cm_timeline_destroy(timeline);
   cm_gpu_destroy(gpu);
   cm_config_destroy(config);
   return text;
}

static void
test_schema(void **unused)
{
   static const char *const modes[] = {"mode=tbdr", "mode=tbr"};
   char *text;
   for (unsigned m = 0; m < 2; m++) {
      text = make_timeline(modes[m]);
      assert_true(json_is_valid(text));
      assert_non_null(strstr(text, "\"frame\":\"8\""));
      assert_non_null(strstr(text, "\"events left out\":\"0\""));
      uint64_t ends[64] = {0}, last = 0, spans = 0, values = 0;
      /* An event a line, as it is written; a JSON reader finds the same. */
      const char *const events[] = {"traceEvents", NULL};
      const unsigned count = json_array_length(text, events);
      unsigned lines = 0;
      for (const char *line = strstr(text, "{\"ph\""); line; line = strstr(line + 1, "\n{\"ph\"")) {
         line += *line == '\n';
         const char phase = line[7];
         unsigned pid, tid;
         unsigned long long begin, duration;
         assert_int_equal(sscanf(strstr(line, "\"pid\":"), "\"pid\":%u,\"tid\":%u", &pid, &tid), 2);
         lines++;
         if (phase == 'M')
            continue;
         assert_int_equal(sscanf(strstr(line, "\"ts\":"), "\"ts\":%llu", &begin), 1);
         assert_true(begin >= last);
         last = begin;
         values += phase == 'C';
         if (phase == 'C')
            continue;
         assert_int_equal(phase, 'X');
         assert_int_equal(sscanf(strstr(line, "\"dur\":"), "\"dur\":%llu", &duration), 1);
         assert_true(tid < 64 && duration > 0 && begin >= ends[tid]);
         ends[tid] = begin + duration;
         spans++;
      }
      assert_int_equal(lines, count);
      assert_true(spans > 20 && values > 20);
      char event[16];
      snprintf(event, sizeof event, "%u", count - 1);
      assert_true(number_of(text, event, "ts") == last);
      free(text);
   }
}

/* Cycles of random frames with one change. Without misses, nothing depends on who is first. */
static uint64_t
changed(const char *change)
{
   const char *const settings[] = {"timing=on",
                                   "caches.vertex_cache.policy=perfect",
                                   "caches.texture_cache.policy=perfect",
                                   "caches.tile_cache.policy=perfect",
                                   "caches.instruction_cache.policy=perfect",
                                   "pipeline.flush_requests=4096",
                                   change,
                                   NULL};
   struct cm_gpu *gpu = test_gpu(settings);
   run_frames(gpu, 6);
   const uint64_t cycles = cycles_of(gpu);
   cm_gpu_destroy(gpu);
   return cycles;
}

static void
test_monotonic(void **unused)
{
   static const struct {
      const char *key;
      unsigned values[4];
      bool room; /* more of it is no slower; else more of it is no faster */
   } keys[] = {
      {"pipeline.vertex_processors", {1, 2, 4, 16}, true},
      {"pipeline.vertex_queue", {1, 4, 16, 64}, true},
      {"pipeline.assembly_cycles", {1, 2, 7, 40}, false},
      {"pipeline.triangle_queue", {1, 2, 16, 64}, true},
      {"pipeline.fetch_queue", {1, 2, 16, 64}, true},
      {"pipeline.tile_queue", {1, 2, 16, 64}, true},
      {"pipeline.rasterizer_cycles", {1, 2, 5, 20}, false},
      {"pipeline.early_z_quads", {1, 2, 8, 32}, true},
      {"pipeline.early_z_latency", {1, 3, 20, 100}, false},
      {"pipeline.fragment_queue", {1, 4, 64, 256}, true},
      {"pipeline.fragment_contexts", {1, 2, 4, 16}, true},
      {"pipeline.color_queue", {1, 4, 64, 256}, true},
      {"pipeline.blend_cycles", {1, 2, 9, 40}, false},
      {"caches.texture_cache.latency", {1, 4, 20, 300}, false},
      {"caches.tile_cache.latency", {1, 4, 20, 300}, false},
      {"caches.vertex_cache.latency", {1, 4, 20, 300}, false},
   };
   for (unsigned k = 0; k < sizeof keys / sizeof keys[0]; k++) {
      uint64_t before = 0;
      for (unsigned v = 0; v < 4; v++) {
         char change[80];
         snprintf(change, sizeof change, "%s=%u", keys[k].key, keys[k].values[v]);
         const uint64_t cycles = changed(change);
         /* Tiles' flushes meet in DRAM in another order: one cycle in two hundred. */
         const uint64_t slack = before / 200;
         if (v && (keys[k].room ? cycles > before + slack : cycles + slack < before))
            fail_msg("%s: %llu cycles after %llu", change, (unsigned long long)cycles,
                     (unsigned long long)before);
         before = cycles;
      }
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_schema),
      cmocka_unit_test(test_monotonic),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
