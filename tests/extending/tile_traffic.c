/* SPDX-License-Identifier: MIT */
/* Bytes of main memory that each tile causes: a reader of the access stream.
 *
 *    tile_traffic CONFIG RECORDING.tbr
 *
 * writes a line a tile, frame,tile,bytes; the tile is "-" where there is none: geometry, and what ends a pass. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "access/arrivals.h"
#include "events/recording.h"
#include "gpu/gpu.h"
#include "gpu/gpu_config.h"

struct tile_traffic {
   struct cm_arrivals memory; /* which unit is looked at: memory */
   unsigned frame;
   uint64_t bytes; /* since the last line */
};

static void
write_line(struct tile_traffic *traffic, const char *tile)
{
   if (traffic->bytes)
      printf("%u,%s,%" PRIu64 "\n", traffic->frame, tile, traffic->bytes);
   traffic->bytes = 0;
}

static void
mark(struct tile_traffic *traffic, enum cm_mark mark, uint64_t value)
{
   char tile[24];
   snprintf(tile, sizeof tile, "%" PRIu64, value);
   write_line(traffic, mark == CM_MARK_TILE_END ? tile : "-");
   traffic->frame += mark == CM_MARK_FRAME_END;
}

static void
read_entries(void *context, const cm_entry *entries, uint32_t count)
{
   struct tile_traffic *traffic = context;
   struct cm_unit_arrival arrival;
   for (uint32_t i = 0; i < count; i++) {
      switch (cm_arrivals_decode(&traffic->memory, entries[i], &arrival)) {
      case CM_ARRIVAL_ACCESS: traffic->bytes += arrival.bytes; break;
      case CM_ARRIVAL_MARK: mark(traffic, arrival.mark, cm_entry_value(entries[i])); break;
      default: break;
      }
   }
}

static void
run_pass(struct cm_gpu *gpu, struct cm_recorded_pass *recorded)
{
   const struct cm_pass *pass = &recorded->pass;
   cm_gpu_pass_begin(gpu, pass);
   const uint32_t *traversal = cm_gpu_pass_traversal(gpu);
   for (uint32_t n = 0; traversal && n < pass->tiles_x * pass->tiles_y; n++)
      cm_gpu_pass_tile(gpu, traversal[n]);
   cm_gpu_pass_end(gpu);
   cm_recorded_pass_release(recorded);
}

/* Simulates a recording's frames; false, with a message, where something is wrong. */
static bool
run(const struct cm_config *config, struct cm_recording *recording, struct tile_traffic *traffic)
{
   const struct cm_access_reader reader = {.read = read_entries, .context = traffic};
   struct cm_gpu *gpu = NULL;
   struct cm_item item = cm_recording_next(recording);
   char error[512] = "out of memory";
   bool fine = true;
   for (; fine && item.type < CM_ITEM_END; item = cm_recording_next(recording)) {
      switch (item.type) {
      case CM_ITEM_GPU:
         cm_gpu_destroy(gpu);
         gpu = cm_gpu_create(config, error, sizeof error);
         fine = gpu && cm_gpu_add_reader(gpu, &reader);
         break;
      case CM_ITEM_RESOURCES:
         for (size_t r = 0; r < item.num_resources; r++)
            cm_gpu_define_resource(gpu, &item.resources[r]);
         free(item.resources);
         free(item.names);
         free(item.codes);
         break;
      case CM_ITEM_PASS: run_pass(gpu, item.pass); break;
      default: cm_gpu_frame_end(gpu); break;
      }
   }
   fine = fine && gpu && cm_gpu_is_complete(gpu);
   cm_gpu_destroy(gpu);
   if (!fine || item.type == CM_ITEM_DAMAGED)
      fprintf(stderr, "%s\n", fine ? cm_recording_damage(recording) : error);
   return fine && item.type == CM_ITEM_END;
}

int
main(int argc, char **argv)
{
   char error[512] = "usage: tile_traffic CONFIG RECORDING.tbr";
   struct tile_traffic traffic = {.memory = {.unit = CM_UNIT_DRAM}};
   struct cm_config *config = argc == 3 ? cm_config_load(argv[1], NULL, error, sizeof error) : NULL;
   struct cm_recording *recording = config ? cm_recording_open(argv[2], error, sizeof error) : NULL;
   if (!recording) {
      fprintf(stderr, "%s\n", error);
      cm_config_destroy(config);
      return 1;
   }
   size_t frames;
   cm_recording_frames(recording, &frames);
   cm_recording_seek(recording, 0, frames - 1);
   puts("frame,tile,bytes");
   const bool fine = run(config, recording, &traffic);
   cm_recording_close(recording);
   cm_config_destroy(config);
   return fine ? 0 : 1;
}
