/* SPDX-License-Identifier: MIT */
/* A timeline of random frames is a Perfetto trace: each packet of a described track, slices that end, in the order of
 * time and within each other, frames as long as their cycles, and DRAM's bytes those that were counted. It changes no
 * counter. And properties of the cycles: nothing gets sooner when something takes longer or has less room. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/full_pass.h"
#include "support/random_pass.h"
#include "support/test.h"
#include "timing/timeline.h"
#include "timing/timing.h"

/* ---- messages ---------------------------------------------------------- */

struct field {
   uint32_t number, type;
   uint64_t value; /* of a number, or the bits of a double */
   struct cm_byte_reader content;
};

static bool
next_field(struct cm_byte_reader *reader, struct field *field)
{
   if (!cm_bytes_left(reader))
      return false;
   const uint64_t tag = cm_get_varint(reader);
   *field = (struct field){.number = (uint32_t)(tag >> 3), .type = tag & 7};
   assert_true(field->type == 0 || field->type == 1 || field->type == 2);
   if (field->type == 1) {
      const uint8_t *bytes = cm_get_bytes(reader, 8);
      assert_non_null(bytes);
      field->value = cm_load_uint64(bytes);
   } else {
      field->value = cm_get_varint(reader);
   }
   if (field->type == 2) {
      const uint8_t *bytes = cm_get_bytes(reader, field->value);
      assert_non_null(bytes);
      field->content = (struct cm_byte_reader){bytes, bytes + field->value, false};
   }
   assert_false(reader->bad);
   return true;
}

/* A message's only field of that number. */
static struct field
field_of(struct cm_byte_reader message, uint32_t number)
{
   struct field field, found = {0};
   while (next_field(&message, &field)) {
      if (field.number == number) {
         assert_int_equal(found.number, 0);
         found = field;
      }
   }
   return found;
}

static struct cm_byte_reader
reader_of(const struct cm_byte_writer *bytes)
{
   assert_false(bytes->out_of_memory);
   return (struct cm_byte_reader){bytes->data, bytes->data + bytes->size, false};
}

/* ---- packets ----------------------------------------------------------- */

enum { MAX_TRACKS = 200, MAX_COUNTERS = 32 };
/* Numbers of fields, as Perfetto's .proto files have them. */
enum { PACKET = 1, TIMESTAMP = 8, SEQUENCE = 10, EVENT = 11, COUNTERS = 52, TRACK = 60 };
enum { TYPE = 9, EVENT_TRACK = 11, UUID = 1, PARENT = 5, PROCESS = 3 };

struct reader {
   bool described[MAX_TRACKS], is_process[MAX_TRACKS];
   uint64_t depths[MAX_TRACKS], last[MAX_TRACKS];
   unsigned slices, samples, counters;
   uint64_t frame_begin, frame_end;
   uint64_t sampled; /* until then */
   double bytes;     /* of DRAM, in the frame */
};

static void
read_track(struct reader *reader, struct cm_byte_reader track)
{
   const uint64_t uuid = field_of(track, UUID).value, parent = field_of(track, PARENT).value;
   assert_true(uuid && uuid < MAX_TRACKS && parent < MAX_TRACKS && !reader->described[uuid]);
   reader->described[uuid] = true;
   reader->is_process[uuid] = field_of(track, PROCESS).number;
   assert_true(reader->is_process[uuid] ? !parent : reader->is_process[parent]);
}

static void
read_event(struct reader *reader, uint64_t time, struct cm_byte_reader event)
{
   const uint64_t type = field_of(event, TYPE).value, track = field_of(event, EVENT_TRACK).value;
   assert_true(track < MAX_TRACKS && reader->described[track] && !reader->is_process[track]);
   assert_true(time >= reader->last[track] && (type == 1 || type == 2));
   reader->last[track] = time;
   const bool is_frames = track == 3;
   if (type == 1 && is_frames && !reader->depths[track])
      reader->frame_begin = time;
   reader->slices += type == 1;
   reader->depths[track] += type == 1 ? 1 : -1ull;
   assert_true(reader->depths[track] <= (is_frames ? 2 : 1));
   if (type == 2 && is_frames && !reader->depths[track])
      reader->frame_end = time;
}

/* The last two counters are DRAM's bytes per second. */
static void
read_sample(struct reader *reader, uint64_t time, struct cm_byte_reader event)
{
   struct field field, spec;
   const bool is_first = !reader->samples++;
   unsigned count = 0;
   while (next_field(&event, &field)) {
      while (field.number == 1 && next_field(&field.content, &spec))
         assert_int_equal(field_of(spec.content, 1).value, ++reader->counters);
      if (field.number != 2)
         continue;
      assert_int_equal(field_of(field.content, 1).value, ++count);
      const struct field bits = field_of(field.content, 3);
      double value;
      memcpy(&value, &bits.value, sizeof value);
      assert_true(bits.type == 1 && value >= 0);
      if (!is_first && count > reader->counters - 2)
         reader->bytes += value * (double)(time - reader->sampled) / 1e9;
   }
   assert_true(reader->counters > 2 && count == reader->counters);
   assert_true(is_first || time > reader->sampled);
   reader->sampled = time;
}

static void
read_packets(struct reader *reader, const struct cm_byte_writer *bytes)
{
   struct cm_byte_reader packets = reader_of(bytes);
   struct field packet;
   while (next_field(&packets, &packet)) {
      assert_true(packet.number == PACKET && packet.type == 2);
      assert_int_equal(field_of(packet.content, SEQUENCE).value, 1);
      const uint64_t time = field_of(packet.content, TIMESTAMP).value;
      const struct field track = field_of(packet.content, TRACK), event = field_of(packet.content, EVENT);
      const struct field counters = field_of(packet.content, COUNTERS);
      assert_int_equal((track.number != 0) + (event.number != 0) + (counters.number != 0), 1);
      if (track.number)
         read_track(reader, track.content);
      else if (event.number)
         read_event(reader, time, event.content);
      else
         read_sample(reader, time, counters.content);
   }
}

/* ---- frames ------------------------------------------------------------ */

static void
define_resources(struct cm_gpu *gpu, bool is_immediate)
{
   if (is_immediate)
      define_full_resources(gpu);
   else
      define_random_resources(gpu);
}

static void
run_random_passes(struct cm_gpu *gpu, uint64_t *state, uint32_t frame)
{
   for (unsigned number = 0; number <= frame % 2; number++) {
      struct pass_builder *pass = random_pass(state, frame);
      pass_run(pass, gpu);
      pass_free(pass);
   }
}

static void
run_full_passes(struct cm_gpu *gpu, uint32_t frame)
{
   for (unsigned number = 0; number <= frame % 2; number++) {
      struct full_model *model = full_model(frame * 4 + number + 1);
      struct pass_builder *pass = full_pass(model, 16, frame);
      pass->pass.frame = frame;
      pass_run(pass, gpu);
      pass_free(pass);
      full_model_free(model);
   }
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
value_of(struct cm_gpu *gpu, const uint64_t *values, const char *counter)
{
   const int number = cm_counter_table_find(cm_gpu_counters(gpu), counter);
   assert_true(number >= 0);
   return values[number];
}

static uint64_t
cycles_of(struct cm_gpu *gpu)
{
   return value_of(gpu, cm_gpu_total(gpu), "gpu.cycles");
}

/* ---- timelines --------------------------------------------------------- */

static struct cm_gpu *
gpu_of(const char *preset, const char *mode, unsigned clock_mhz)
{
   char clock[32];
   snprintf(clock, sizeof clock, "clock_mhz=%u", clock_mhz);
   const char *const settings[] = {"timing=on", mode, clock, NULL};
   struct cm_config *config = test_config_of(preset, settings);
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   assert_non_null(gpu);
   cm_config_destroy(config);
   return gpu;
}

/* Frames 8 to 11 of a program, of which 9 and 10 are kept; for comparison, a GPU without a timeline. */
static void
check_frames(const char *preset, const char *mode, unsigned clock_mhz)
{
   const struct cm_timeline_frames kept = {.first = 9, .last = 10, .begin = 8};
   struct cm_gpu *gpu = gpu_of(preset, mode, clock_mhz), *plain = gpu_of(preset, mode, clock_mhz);
   struct cm_gpu *const both[] = {gpu, plain};
   const bool is_immediate = strcmp(mode, "mode=imr") == 0;
   struct reader reader = {0};
   uint64_t states[] = {21, 21};
   assert_null(cm_gpu_timeline(plain));
   assert_true(cm_gpu_make_timeline(gpu, &kept));
   read_packets(&reader, cm_timeline_head(cm_gpu_timeline(gpu)));
   for (uint32_t frame = 8; frame < 12; frame++) {
      const uint64_t *values[2];
      const uint64_t began = value_of(gpu, cm_gpu_total(gpu), "gpu.time");
      for (unsigned g = 0; g < 2; g++) {
         if (frame == 8)
            define_resources(both[g], is_immediate);
         if (is_immediate)
            run_full_passes(both[g], frame);
         else
            run_random_passes(both[g], &states[g], frame);
         values[g] = cm_gpu_frame_end(both[g]);
      }
      assert_true(cm_gpu_is_complete(gpu));
      assert_memory_equal(values[0], values[1], cm_gpu_counters(gpu)->count * sizeof(uint64_t));
      const struct cm_byte_writer *packets = cm_timeline_frame(cm_gpu_timeline(gpu));
      assert_true((packets != NULL) == (frame == 9 || frame == 10));
      if (!packets)
         continue;
      const unsigned slices = reader.slices, samples = reader.samples;
      reader.bytes = 0;
      read_packets(&reader, packets);
      assert_true(reader.slices > slices + 4 && reader.samples > samples + 1);
      for (unsigned track = 0; track < MAX_TRACKS; track++)
         assert_int_equal(reader.depths[track], 0);
      assert_int_equal(reader.frame_begin, began);
      assert_int_equal(reader.frame_end, value_of(gpu, cm_gpu_total(gpu), "gpu.time"));
      assert_int_equal(reader.sampled, reader.frame_end);
      assert_int_equal(llround(reader.bytes), value_of(gpu, values[0], "dram.total.read_bytes") +
                                                 value_of(gpu, values[0], "dram.total.write_bytes"));
   }
   cm_gpu_destroy(gpu);
   cm_gpu_destroy(plain);
}

TEST(packets)
{
   check_frames("tcor-baseline-64k", "mode=tbdr", 600);
   check_frames("tcor-baseline-64k", "mode=tbr", 800);
   check_frames("imr-8m", "mode=imr", 1600);
   check_frames("imr-8m", "mode=imr", 2500);
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
                                   "pipeline.load_requests=4096",
                                   change,
                                   NULL};
   struct cm_gpu *gpu = test_gpu(settings);
   run_frames(gpu, 6);
   const uint64_t cycles = cycles_of(gpu);
   cm_gpu_destroy(gpu);
   return cycles;
}

TEST(monotonic)
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
