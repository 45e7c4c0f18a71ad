/* SPDX-License-Identifier: MIT */
#include "support/timed_compute.h"

#include <stdio.h>

#include "support/full_pass.h"
#include "support/random_pass.h"
#include "support/stages.h"
#include "support/test.h"

struct cm_gpu *
timed_gpu(const char *preset, const char *const *changes)
{
   const char *settings[40] = {"timing=on", "caches.instruction_cache.policy=perfect"};
   unsigned count = 2;
   for (; *changes; changes++)
      settings[count++] = *changes;
   struct cm_config *config = test_config_of(preset, settings);
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   assert_non_null(gpu);
   cm_config_destroy(config);
   define_buffer(gpu, 2, BUFFER);
   return gpu;
}

/* ---- dispatches ------------------------------------------------------------- */

struct pass_builder *
make_dispatch(const struct load *load, struct cm_storage *storage)
{
   struct pass_builder *pass = compute_pass(load->groups, BUFFER, storage);
   uint32_t offsets[CM_INVOCATIONS];
   pass->pass.dispatch.shader.instructions = load->instructions;
   for (uint32_t g = 0; g < load->groups; g++) {
      for (uint32_t a = 0; a < load->accesses; a++) {
         const uint32_t first = load->of_their_own ? (g * load->accesses + a) * load->blocks * 64 : 0;
         fill_offsets(offsets, first, load->blocks == 1 ? 4 : 64);
         add_access(pass, g, load->operation, 4, offsets,
                    load->blocks == 1 ? 0xffff : (1u << load->blocks) - 1);
      }
   }
   return pass;
}

uint64_t
end_frame(struct cm_gpu *gpu)
{
   cm_gpu_frame_end(gpu);
   assert_true(cm_gpu_is_complete(gpu));
   return gpu_total(gpu, "gpu.cycles");
}

uint64_t
cycles_of(const char *preset, const struct load *load, const char *const *changes)
{
   struct cm_storage storage;
   struct pass_builder *pass = make_dispatch(load, &storage);
   struct cm_gpu *gpu = timed_gpu(preset, changes);
   pass_run(pass, gpu);
   const uint64_t cycles = end_frame(gpu);
   assert_int_equal(gpu_total(gpu, "compute_stage.cycles"), cycles);
   pass_free(pass);
   cm_gpu_destroy(gpu);
   return cycles;
}

uint64_t
cycles_of_400(const char *preset, struct load load, const char *const *changes)
{
   load.groups = 400;
   const uint64_t fewer = cycles_of(preset, &load, changes);
   load.groups = 800;
   return cycles_of(preset, &load, changes) - fewer;
}

uint64_t
cycles_of_barrier(const char *preset, bool has_barrier, const char *const *changes, uint64_t *waited)
{
   struct cm_storage storage;
   struct pass_builder *pass = compute_pass(1, BUFFER, &storage);
   uint32_t offsets[CM_INVOCATIONS];
   fill_offsets(offsets, 0, 4);
   pass->pass.dispatch.shader.instructions = 10;
   add_access(pass, 0, CM_STORAGE_LOAD, 4, offsets, 0xffff);
   for (uint32_t r = 1; r < 4; r++)
      add_run(pass, 0, r * CM_INVOCATIONS, false);
   if (has_barrier) {
      add_barrier(pass, 0);
      for (uint32_t r = 0; r < 4; r++)
         add_run(pass, 0, r * CM_INVOCATIONS, true);
   }
   struct cm_gpu *gpu = timed_gpu(preset, changes);
   pass_run(pass, gpu);
   const uint64_t cycles = end_frame(gpu);
   *waited = gpu_total(gpu, "compute_stage.barrier_cycles");
   pass_free(pass);
   cm_gpu_destroy(gpu);
   return cycles;
}

#define STREAM_GROUPS 1000

static struct pass_builder *
stream_pass(bool copies, struct cm_storage *storage)
{
   struct pass_builder *pass = compute_pass(STREAM_GROUPS, BUFFER, storage);
   uint32_t offsets[CM_INVOCATIONS];
   for (uint32_t g = 0; g < STREAM_GROUPS; g++) {
      for (uint32_t part = 0; part < (copies ? 8 : 4); part++) {
         fill_offsets(offsets, (part < 4 ? 0 : BUFFER / 2) + g * 1024 + part % 4 * 256, 16);
         add_access(pass, g, part < 4 ? CM_STORAGE_LOAD : CM_STORAGE_STORE, 16, offsets, 0xffff);
      }
   }
   return pass;
}

void
check_stream(const struct stream *stream, bool copies, double factor)
{
   struct cm_storage storage;
   struct pass_builder *pass = stream_pass(copies, &storage);
   struct cm_gpu *gpu = timed_gpu(stream->preset, stream->changes);
   struct cm_gpu *one = timed_gpu(stream->preset, stream->one_miss);
   pass_run(pass, gpu);
   end_frame(gpu);
   const double bytes =
      (double)(gpu_total(gpu, "dram.storage.read_bytes") + gpu_total(gpu, "dram.storage.write_bytes"));
   const double least = bytes / stream->peak, time = (double)gpu_total(gpu, "gpu.time");
   assert_true(bytes >= (copies ? 1.4 : 1) * STREAM_GROUPS * 1024);
   assert_true(time >= least && time <= factor * least);
   pass_run(pass, one);
   end_frame(one);
   assert_true((double)gpu_total(one, "gpu.time") > stream->slowdown * time);
   assert_true(gpu_total(one, "load_store.mshr_cycles") > gpu_total(gpu, "load_store.mshr_cycles"));
   pass_free(pass);
   cm_gpu_destroy(gpu);
   cm_gpu_destroy(one);
}

/* ---- fragments -------------------------------------------------------------- */

uint64_t
cycles_of_quad(const char *preset, bool accesses, enum cm_storage_operation operation,
               const char *const *changes)
{
   static const uint32_t tile = 0;
   const struct cm_quad quad = {.live = 15, .covered = 15, .visible = 15, .written = 15};
   const struct cm_buffer_access access = {.live = 15, .offset = {0, 4, 8, 12}};
   struct cm_storage storage = {.num_buffers = 1, .buffers = {{.resource = 2, .bytes = BUFFER}}};
   struct pass_builder *pass = pass_new(0, 16, 16, 16);
   struct cm_draw *draw = pass_draw(pass);
   pass->pass.kind = CM_PASS_TBR;
   pass->pass.num_storages = 1;
   pass->pass.storages = &storage;
   draw->num_vertices = 1;
   draw->fragment_shader.instructions = 10;
   draw->storage = 1;
   pass_primitive(pass, 1, &tile, 1);
   pass_quads(pass, 0, 0, 0, &quad, 1);
   if (accesses) {
      const uint32_t word = CM_EVENT_BUFFER | 1 << 8 | (uint32_t)operation << CM_STORAGE_OPERATION_SHIFT |
                            4 << CM_STORAGE_BYTES_SHIFT;
      pass_words(pass, 0, &word, 1);
      pass_words(pass, 0, &access, CM_BUFFER_ACCESS_WORDS);
   }
   struct cm_gpu *gpu = timed_gpu(preset, changes);
   pass_run(pass, gpu);
   const uint64_t cycles = end_frame(gpu);
   pass_free(pass);
   cm_gpu_destroy(gpu);
   return cycles;
}

/* ---- random passes ---------------------------------------------------------- */

static void
add_random_accesses(struct pass_builder *pass, uint32_t group, uint64_t *random)
{
   for (uint32_t i = random_below(random, 5); i > 0; i--) {
      uint32_t offsets[CM_INVOCATIONS];
      const enum cm_storage_operation operation = random_below(random, CM_STORAGE_OPERATIONS);
      const uint32_t first = random_below(random, BUFFER / 2), lanes = 1 + random_below(random, 0xffff);
      fill_offsets(offsets, first & ~3u, 4u << 2 * random_below(random, 4));
      add_access(pass, group, operation, 4, offsets, lanes);
   }
}

/* Some work-groups have several runs, and some barriers. */
static struct pass_builder *
random_compute_pass(uint64_t *random, struct cm_storage *storage)
{
   const uint32_t groups = 1 + random_below(random, 60);
   struct pass_builder *pass = compute_pass(groups, BUFFER, storage);
   pass->pass.dispatch.shader.instructions = random_below(random, 40);
   for (uint32_t g = 0; g < groups; g++) {
      const uint32_t runs = 1 + random_below(random, 6);
      add_random_accesses(pass, g, random);
      for (uint32_t phase = random_below(random, 3), r = 1;; phase--, r = 0) {
         for (bool resumes = !r; r < runs; r++) {
            add_run(pass, g, r * CM_INVOCATIONS, resumes);
            add_random_accesses(pass, g, random);
         }
         if (!phase)
            break;
         add_barrier(pass, g);
      }
   }
   return pass;
}

static struct pass_builder *
random_full_pass(uint32_t seed)
{
   struct full_model *model = full_model(seed);
   struct pass_builder *pass = full_pass(model, 16, seed);
   full_model_free(model);
   return pass;
}

/* What the units have to do in a frame, at least, has to fit in its cycles. */
static void
check_least_cycles(struct cm_gpu *gpu, const uint64_t *frame, uint32_t processors)
{
   const struct cm_counter_table *table = cm_gpu_counters(gpu);
#define VALUE(name) frame[cm_counter_table_find(table, name)]
   const uint64_t cycles = VALUE("gpu.cycles");
   assert_true(VALUE("fragment_processors.busy_cycles") <= processors * cycles);
   assert_true(VALUE("load_store.port_cycles") <= processors * cycles);
   assert_true(VALUE("compute_stage.cycles") <= cycles);
   assert_true(VALUE("load_store.write_back_cycles") <= cycles);
   assert_true(VALUE("load_store.port_cycles") >= VALUE("load_store.loads") + VALUE("load_store.stores"));
   assert_int_equal(VALUE("dram_system.reads"), VALUE("dram.total.reads"));
   assert_int_equal(VALUE("dram_system.writes"), VALUE("dram.total.writes"));
#undef VALUE
}

/* processors: 0: without time. */
static void
run_random_frames(struct cm_gpu *gpu, bool full, uint32_t processors)
{
   const uint32_t buffer = full ? FULL_NUM_RESOURCES : 2;
   uint64_t random = 7;
   struct cm_storage storage;
   if (full)
      define_full_resources(gpu);
   else
      define_random_resources(gpu);
   define_buffer(gpu, buffer, BUFFER);
   for (uint32_t frame = 0; frame < 12; frame++) {
      for (uint32_t passes = 1 + random_below(&random, 5); passes > 0; passes--) {
         const bool is_compute = random_below(&random, 2);
         struct pass_builder *pass = is_compute ? random_compute_pass(&random, &storage)
                                     : full     ? random_full_pass(8 * frame + passes)
                                                : random_pass(&random, frame);
         if (is_compute)
            storage.buffers[0].resource = buffer;
         pass->pass.frame = frame;
         pass_run_and_free(pass, gpu);
      }
      const uint64_t *values = cm_gpu_frame_end(gpu);
      if (processors)
         check_least_cycles(gpu, values, processors);
   }
   assert_true(cm_gpu_is_complete(gpu));
}

void
check_random_frames(const char *preset, const char *const *const *settings, unsigned num_settings, bool full,
                    uint32_t processors, unsigned stages)
{
   for (unsigned s = 0; s < num_settings; s++) {
      const char *changes[24];
      unsigned count = 0;
      while ((changes[count] = settings[s][count]))
         count++;
      struct cm_gpu *gpus[3];
      for (unsigned g = 0; g < 3; g++) {
         changes[0] = g < 2 ? "timing=on" : "timing=off";
         struct cm_config *config = test_config_of(preset, changes);
         gpus[g] = cm_gpu_create(config, NULL, 0);
         assert_non_null(gpus[g]);
         cm_config_destroy(config);
         run_random_frames(gpus[g], full, g < 2 ? processors : 0);
      }
      assert_int_equal(assert_stages_add_up(gpus[0], processors, 1), stages);
      assert_only_time_is_new(gpus[2], gpus[0], gpus[1]);
      assert_true(gpu_total(gpus[0], "load_store.loads") > (full ? 100 : 0));
      for (unsigned g = 0; g < 3; g++)
         cm_gpu_destroy(gpus[g]);
   }
}
