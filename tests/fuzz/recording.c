/* SPDX-License-Identifier: MIT */
/* Recordings, down to the simulated GPU that takes what comes out of them. The first byte says
 * what the rest is: 0, a file; else payloads as they are after the checksums, of version 4 for 1, else of
 * the newest version: definitions, a pass, events of tiles, the first two after two bytes of length each;
 * for 3 also the third, and contents of tiles follow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/gpu_config.h"
#include "events/deferred.h"
#include "events/names.h"
#include "events/recording.h"
#include "events/recording_format.h"
#include "gpu/gpu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A tile-based GPU, and an immediate-mode one for the passes that it can take. */
static const char *const presets[] = {NULL, "imr-8m"};
#define NUM_GPUS (sizeof presets / sizeof presets[0])

static struct cm_config *configs[NUM_GPUS];

struct gpus {
   struct cm_gpu *list[NUM_GPUS];
};

static struct gpus
new_gpus(void)
{
   char error[512];
   struct gpus gpus;
   for (size_t g = 0; g < NUM_GPUS; g++) {
      if (!configs[g]) {
         configs[g] = cm_config_load(presets[g], TBRSIM_CONFIGS, error, sizeof error);
         /* With rows by texture, which have names. */
         if (!configs[g] || !cm_config_set(configs[g], "attribution.texture=on", error, sizeof error))
            abort();
      }
      gpus.list[g] = cm_gpu_create(configs[g], NULL, 0);
   }
   return gpus;
}

static void
define_resource(const struct gpus *gpus, const struct cm_resource_description *resource)
{
   for (size_t g = 0; g < NUM_GPUS; g++)
      cm_gpu_define_resource(gpus->list[g], resource);
}

/* What names are for: to be asked for. */
static void
ask_for_names(const struct cm_names *names, const struct cm_pass *pass)
{
   char path[100];
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const struct cm_draw *draw = &pass->draws[d];
      if (cm_names_group_path(names, draw->group, path, sizeof path) < sizeof path &&
          strlen(path) >= sizeof path)
         abort();
      cm_names_string(names, draw->marker);
      cm_names_shader_label(names, CM_SHADER_FRAGMENT, draw->fragment_shader.id);
      cm_names_label(names, draw->index_buffer);
      cm_names_format(names, draw->textures[0].resource);
   }
}

static void
define_name(const struct gpus *gpus, const struct cm_name *name)
{
   for (size_t g = 0; g < NUM_GPUS; g++)
      cm_gpu_define_name(gpus->list[g], name);
}

static void
define_code(const struct gpus *gpus, const struct cm_shader_code *code)
{
   for (size_t g = 0; g < NUM_GPUS; g++)
      cm_gpu_define_code(gpus->list[g], code);
}

static void
end_frame(const struct gpus *gpus)
{
   for (size_t g = 0; g < NUM_GPUS; g++)
      cm_gpu_frame_end(gpus->list[g]);
}

static void
destroy_gpus(const struct gpus *gpus)
{
   for (size_t g = 0; g < NUM_GPUS; g++)
      cm_gpu_destroy(gpus->list[g]);
}

/* Passes that the GPU is busy with for long say nothing new. */
static bool
is_short(const struct cm_pass *pass)
{
   uint64_t work = (uint64_t)pass->tiles_x * pass->tiles_y;
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const struct cm_draw *draw = &pass->draws[d];
      work += draw->num_vertices * (1ull + draw->num_elements);
      work += draw->control_invocations + draw->evaluation_invocations + draw->geometry_invocations;
      work += draw->vertex_shader.instructions + draw->control_shader.instructions +
              draw->evaluation_shader.instructions + draw->geometry_shader.instructions +
              draw->fragment_shader.instructions;
      work += draw->vertex_shader.constant_bytes + draw->control_shader.constant_bytes +
              draw->evaluation_shader.constant_bytes + draw->geometry_shader.constant_bytes +
              draw->fragment_shader.constant_bytes;
      for (uint32_t n = 0; n < draw->num_descriptors; n++)
         work += 64ull * pass->descriptors[draw->first_descriptor + n].count;
      for (uint32_t e = 0; e < draw->num_elements; e++)
         work += draw->num_vertices * (uint64_t)draw->elements[e].bytes / 16;
      for (uint32_t f = 0; f < draw->num_feedback; f++)
         work += pass->feedback[draw->first_feedback + f].records *
                 (1ull + pass->feedback[draw->first_feedback + f].bytes / 16);
   }
   return work < 100000 && (uint64_t)pass->tiles_x * pass->tiles_y < 2000;
}

static void
run_pass_on(struct cm_gpu *gpu, const struct cm_pass *pass)
{
   cm_gpu_pass_begin(gpu, pass);
   const uint32_t *traversal = cm_gpu_pass_traversal(gpu);
   for (uint32_t n = 0; traversal && n < pass->tiles_x * pass->tiles_y; n++)
      cm_gpu_pass_tile(gpu, traversal[n]);
   cm_gpu_pass_end(gpu);
}

static void
run_pass(const struct gpus *gpus, struct cm_pass *pass)
{
   struct cm_deferred deferred = {0};
   ask_for_names(cm_gpu_names(gpus->list[0]), pass);
   for (size_t g = 0; g < NUM_GPUS && is_short(pass); g++) {
      if (g == 0 || pass->kind == CM_PASS_FULL)
         run_pass_on(gpus->list[g], pass);
   }
   /* Once more with what deferred GPUs shade, derived before. */
   if (pass->kind == CM_PASS_FULL && is_short(pass) && cm_deferred_build_pass(&deferred, pass))
      run_pass_on(gpus->list[0], pass);
   cm_deferred_finish(&deferred);
}

static void
run_file(const uint8_t *data, size_t size)
{
   char path[64], error[512];
   const int file = memfd_create("recording", MFD_CLOEXEC);
   if (file < 0 || write(file, data, size) != (ssize_t)size)
      abort();
   snprintf(path, sizeof path, "/proc/self/fd/%d", file);
   struct cm_recording *recording = cm_recording_open(path, error, sizeof error);
   close(file);
   if (!recording)
      return;
   struct gpus gpus = new_gpus();
   struct cm_item item = {.type = CM_ITEM_GPU};
   bool begun = false;
   while (item.type != CM_ITEM_END && item.type != CM_ITEM_DAMAGED) {
      item = cm_recording_next(recording);
      /* Another GPU has other names. */
      if (item.type == CM_ITEM_GPU && begun) {
         destroy_gpus(&gpus);
         gpus = new_gpus();
      }
      begun |= item.type == CM_ITEM_GPU;
      for (size_t n = 0; n < item.num_names; n++)
         define_name(&gpus, &item.names[n]);
      for (size_t r = 0; r < item.num_resources; r++)
         define_resource(&gpus, &item.resources[r]);
      for (size_t c = 0; c < item.num_codes; c++)
         define_code(&gpus, &item.codes[c]);
      if (item.type == CM_ITEM_PASS)
         run_pass(&gpus, &item.pass->pass);
      if (item.type == CM_ITEM_FRAME_END)
         end_frame(&gpus);
      free(item.resources);
      free(item.names);
      free(item.codes);
      cm_recorded_pass_release(item.pass);
   }
   struct cm_recording_section sections[CM_RECORDING_MAX_SECTIONS];
   cm_recording_sections(recording, sections);
   destroy_gpus(&gpus);
   cm_recording_close(recording);
}

/* A part of the payloads, after its length. */
static struct cm_byte_reader
next_part(struct cm_byte_reader *all)
{
   const uint8_t *length = cm_get_bytes(all, 2);
   size_t bytes = length ? (size_t)(length[0] | length[1] << 8) : 0;
   bytes = bytes < cm_bytes_left(all) ? bytes : cm_bytes_left(all);
   const uint8_t *at = cm_get_bytes(all, bytes);
   return (struct cm_byte_reader){at, at + bytes, false};
}

static void
run_payloads(uint32_t version, bool has_contents, const uint8_t *data, size_t size)
{
   struct cm_byte_reader all = {data, data + size, false};
   struct cm_byte_reader definitions = next_part(&all), head = next_part(&all);
   struct cm_byte_reader tiles = has_contents ? next_part(&all) : all;
   struct cm_name_check check = {0};
   struct cm_definitions found;
   struct cm_pass pass = {0};
   const struct gpus gpus = new_gpus();
   cm_decode_definitions(&definitions, version, &check, &found);
   for (size_t n = 0; n < found.num_names; n++)
      define_name(&gpus, &found.names[n]);
   for (size_t r = 0; r < found.num_resources; r++)
      define_resource(&gpus, &found.resources[r]);
   for (size_t c = 0; c < found.num_codes; c++)
      define_code(&gpus, &found.codes[c]);
   if (!cm_decode_pass(&head, version, &pass) && !cm_check_pass_names(&check, &pass) &&
       !cm_decode_tiles(&tiles, CM_RECORDING_VERSION, &pass) &&
       (!has_contents || !cm_decode_contents(&all, &pass))) {
      run_pass(&gpus, &pass);
      end_frame(&gpus);
   }
   cm_pass_finish(&pass);
   cm_definitions_finish(&found);
   cm_name_check_begin(&check);
   destroy_gpus(&gpus);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   if (!size)
      return 0;
   if (data[0])
      run_payloads(data[0] == 1 ? CM_RECORDING_OLDEST_VERSION : CM_RECORDING_VERSION, data[0] == 3, data + 1,
                   size - 1);
   else
      run_file(data + 1, size - 1);
   return 0;
}
