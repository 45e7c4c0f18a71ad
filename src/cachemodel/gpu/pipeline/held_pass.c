/* SPDX-License-Identifier: MIT */
#include "gpu/pipeline/held_pass.h"

#include <assert.h>
#include <string.h>

static bool
copy(struct cm_array *array, const void *elements, size_t count, size_t bytes)
{
   if (!cm_array_reserve(array, count, bytes))
      return false;
   if (count)
      memcpy(array->data, elements, count * bytes);
   return true;
}

bool
cm_held_pass_begin(struct cm_held_pass *held, const struct cm_pass *pass)
{
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   held->num_words = 0;
   if (!copy(&held->draws, pass->draws, pass->num_draws, sizeof *pass->draws) ||
       !copy(&held->descriptors, pass->descriptors, pass->num_descriptors, sizeof *pass->descriptors) ||
       !copy(&held->primitives, pass->primitives, pass->num_primitives, sizeof *pass->primitives) ||
       !copy(&held->touched, pass->touched, num_tiles, sizeof *pass->touched) ||
       !cm_array_reserve(&held->tiles, num_tiles, sizeof *pass->tiles))
      return false;
   memset(held->tiles.data, 0, num_tiles * sizeof *pass->tiles);
   held->pass = *pass;
   struct cm_pass *its = &held->pass;
   its->draws = held->draws.data;
   its->descriptors = held->descriptors.data;
   its->primitives = held->primitives.data;
   its->touched = held->touched.data;
   its->tiles = held->tiles.data;
   /* What geometry alone needs, and what nobody may ask for (config check). */
   its->num_storages = its->num_addressed = its->num_vertex_bindings = 0;
   its->num_vertices = its->num_feedback = its->num_vertex_accesses = its->num_region_runs =
      its->num_primitive_tiles = 0;
   its->storages = NULL;
   its->addressed = its->vertices = its->primitive_tiles = its->deferred_words = NULL;
   its->feedback = NULL;
   its->vertex_bindings = NULL;
   its->vertex_accesses = NULL;
   its->region_runs = NULL;
   its->deferred = NULL;
   its->contents = NULL;
   return true;
}

/* Until the pass ends, capacity says where the tile's words begin. */
bool
cm_held_pass_tile(struct cm_held_pass *held, const struct cm_tile_events *events, uint32_t tile)
{
   const size_t needed = (held->num_words + events->num_words) * sizeof(uint32_t);
   assert(tile < held->pass.tiles_x * held->pass.tiles_y);
   if (needed > held->words.bytes && !cm_array_extend(&held->words, 2 * needed, 1))
      return false;
   if (events->num_words)
      memcpy((uint32_t *)held->words.data + held->num_words, events->words,
             events->num_words * sizeof(uint32_t));
   held->pass.tiles[tile] = (struct cm_tile_events){.num_words = events->num_words,
                                                    .capacity = held->num_words,
                                                    .is_in_order = events->is_in_order};
   held->num_words += events->num_words;
   return true;
}

void
cm_held_pass_end(struct cm_held_pass *held)
{
   const uint32_t num_tiles = held->pass.tiles_x * held->pass.tiles_y;
   for (uint32_t t = 0; t < num_tiles; t++) {
      struct cm_tile_events *events = &held->pass.tiles[t];
      events->words = events->num_words ? (uint32_t *)held->words.data + events->capacity : NULL;
      events->capacity = events->num_words;
   }
}

void
cm_held_pass_finish(struct cm_held_pass *held)
{
   CM_FREE_ARRAYS(&held->draws, &held->descriptors, &held->primitives, &held->tiles, &held->touched,
                  &held->words);
}
