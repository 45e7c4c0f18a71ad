/* SPDX-License-Identifier: MIT */
/* A pass that was read from a recording: its memory and what the GPU defers of it. */
#include <assert.h>
#include <stdlib.h>

#include "events/deferred.h"
#include "events/recording.h"
#include "events/recording_format.h"
#include "events/tile_content.h"

void
cm_recorded_pass_release(struct cm_recorded_pass *pass)
{
   if (!pass)
      return;
   cm_pass_finish(&pass->pass);
   free(pass);
}

size_t
cm_recorded_pass_bytes(const struct cm_pass *pass)
{
   assert(pass->tiles || !pass->tiles_x);
   size_t bytes = sizeof *pass;
   for (uint32_t t = 0; t < pass->tiles_x * pass->tiles_y; t++)
      bytes += sizeof pass->tiles[t] + 1 + pass->tiles[t].capacity * sizeof(uint32_t);
   for (uint32_t t = 0; pass->contents && t < pass->tiles_x * pass->tiles_y; t++)
      bytes += sizeof pass->contents[t] + pass->contents[t].capacity;
   return bytes + pass->num_draws * sizeof *pass->draws + pass->num_addressed * sizeof *pass->addressed +
          pass->num_descriptors * sizeof *pass->descriptors + pass->num_vertices * sizeof *pass->vertices +
          pass->num_feedback * sizeof *pass->feedback +
          pass->num_vertex_bindings * sizeof *pass->vertex_bindings +
          pass->num_vertex_accesses * sizeof *pass->vertex_accesses +
          pass->num_region_runs * sizeof *pass->region_runs +
          pass->num_primitives * sizeof *pass->primitives +
          pass->num_primitive_tiles * sizeof *pass->primitive_tiles;
}

bool
cm_recorded_pass_defer(struct cm_recorded_pass *recorded, struct cm_deferred *deferred)
{
   assert(recorded->bytes);
   struct cm_pass *pass = &recorded->pass;
   if (pass->kind != CM_PASS_FULL)
      return true;
   if (!cm_deferred_build_pass(deferred, pass))
      return false;
   for (uint32_t t = 0; t < pass->tiles_x * pass->tiles_y; t++) {
      const bool is_other = pass->deferred[t].words != pass->tiles[t].words;
      recorded->bytes +=
         sizeof pass->deferred[t] + (is_other ? pass->deferred[t].num_words * sizeof(uint32_t) : 0);
   }
   return true;
}
