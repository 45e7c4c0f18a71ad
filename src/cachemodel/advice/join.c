/* SPDX-License-Identifier: MIT */
#include "advice/join.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "advice/change.h"
#include "events/tile_content.h"
#include "util/array.h"

struct cm_pass_join {
   struct cm_pass pass; /* its arrays are the join's */
   size_t draws, descriptors, vertices, feedback, vertex_bindings, vertex_accesses, region_runs, primitives,
      primitive_tiles; /* capacities */
   uint32_t num_tiles; /* that there are tiles[], touched[] and contents[] for */
   struct cm_tile_content *contents;
   bool taken;
};

struct cm_pass_join *
cm_pass_join_create(void)
{
   struct cm_pass_join *join = calloc(1, sizeof *join);
   if (join)
      join->taken = true;
   return join;
}

static void
free_pass(struct cm_pass_join *join)
{
   for (uint32_t t = 0; t < join->num_tiles; t++) {
      free(join->pass.tiles[t].words);
      cm_tile_content_finish(&join->contents[t]);
   }
   free(join->contents);
   free(join->pass.tiles);
   free(join->pass.touched);
   free(join->pass.draws);
   free(join->pass.descriptors);
   free(join->pass.vertices);
   free(join->pass.feedback);
   free(join->pass.vertex_bindings);
   free(join->pass.vertex_accesses);
   free(join->pass.region_runs);
   free(join->pass.primitives);
   free(join->pass.primitive_tiles);
}

void
cm_pass_join_destroy(struct cm_pass_join *join)
{
   if (!join)
      return;
   free_pass(join);
   free(join);
}

void
cm_pass_join_release(struct cm_pass_join *join)
{
   if (!join->taken)
      return;
   free_pass(join);
   *join = (struct cm_pass_join){.taken = true};
}

static bool
same_image(const struct cm_attachment *a, const struct cm_attachment *b)
{
   return a->resource == b->resource && a->level == b->level && a->layer == b->layer &&
          a->more_layers == b->more_layers;
}

bool
cm_passes_can_join(const struct cm_pass *first, const struct cm_pass *second)
{
   if (first->width != second->width || first->height != second->height || first->kind != second->kind ||
       first->tile_size != second->tile_size || first->tiles_x != second->tiles_x ||
       first->tiles_y != second->tiles_y || first->num_color != second->num_color || first->num_storages ||
       second->num_storages || cm_pass_has_vertex_storage(first) || cm_pass_has_vertex_storage(second) ||
       first->kind == CM_PASS_COMPUTE)
      return false;
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      const struct cm_attachment *attachment = cm_pass_attachment(second, slot);
      if (!same_image(cm_pass_attachment(first, slot), attachment) || attachment->clear ||
          (slot < CM_MAX_COLOR_ATTACHMENTS && first->resolve[slot].resource))
         return false;
   }
   return true;
}

/* ---- joining ------------------------------------------------------------------ */

/* Appends elements to an array of the pass. */
static bool
append(void *array, size_t *capacity, size_t count, const void *more, size_t num_more, size_t element_bytes)
{
   if (!num_more)
      return true;
   if (!cm_array_make_room(array, capacity, count, num_more, element_bytes))
      return false;
   memcpy(*(char **)array + count * element_bytes, more, num_more * element_bytes);
   return true;
}

#define APPEND(join, array, more)                                                                            \
   append(&(join)->pass.array, &(join)->array, (join)->pass.num_##array, (more)->array, (more)->num_##array, \
          sizeof *(more)->array)

/* Numbers that the pass's own are counted on from. */
struct offsets {
   uint32_t draw, primitive;
};

/* Appends a tile's words. */
static bool
append_words(struct cm_tile_events *to, const struct cm_tile_events *from, struct offsets offsets)
{
   if (!from->num_words)
      return true;
   uint32_t *first = cm_tile_events_reserve(to, from->num_words);
   if (!first)
      return false;
   memcpy(first, from->words, from->num_words * sizeof *first);
   to->num_words += from->num_words;
   for (uint32_t *word = first, *end = first + from->num_words; word < end;
        word = (uint32_t *)cm_event_next(word)) {
      if (cm_event_type(*word) != CM_EVENT_SHADE && cm_event_type(*word) != CM_EVENT_UNSHADED)
         continue;
      struct cm_quad *quads = (struct cm_quad *)(word + 2);
      word[1] += offsets.draw;
      for (uint32_t q = 0; q < cm_event_count(*word); q++)
         quads[q].primitive += offsets.primitive;
   }
   return true;
}

/* Appends a surface, which replaces other pixels than it did. */
static bool
add_surface(struct cm_tile_content *to, const struct cm_stored_surface *from)
{
   const size_t groups = (size_t)from->columns * from->rows;
   uint8_t *same, *sizes;
   if (!cm_tile_content_add(to, from->slot, from->columns, from->rows, &same, &sizes))
      return false;
   for (size_t g = 0; g < groups; g++)
      same[g] = from->same[g] & (uint8_t)~CM_SAME_AS_MEMORY;
   memcpy(sizes, from->sizes, groups * CM_GROUP_BLOCKS);
   return true;
}

/* What both passes of a tile store in the end: of a surface of both, the second. */
static bool
join_contents(struct cm_tile_content *content, const struct cm_tile_content *second)
{
   struct cm_tile_content joined = {0};
   struct cm_stored_surface a, b;
   size_t at_a = 0, at_b = 0;
   bool has_a = cm_tile_content_next(content, &at_a, &a), has_b = cm_tile_content_next(second, &at_b, &b),
        ok = true;
   while (ok && (has_a || has_b)) {
      const bool take_b = has_b && (!has_a || b.slot <= a.slot),
                 drop_a = has_a && (!take_b || a.slot == b.slot);
      ok = add_surface(&joined, take_b ? &b : &a);
      has_a = drop_a ? cm_tile_content_next(content, &at_a, &a) : has_a;
      has_b = take_b ? cm_tile_content_next(second, &at_b, &b) : has_b;
   }
   cm_tile_content_finish(content);
   *content = joined;
   return ok;
}

/* Restarts with the attachments of a pass, without anything drawn. */
static bool
begin(struct cm_pass_join *join, const struct cm_pass *pass)
{
   const struct cm_pass old = join->pass;
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   join->pass = *pass;
   join->pass.draws = old.draws;
   join->pass.descriptors = old.descriptors;
   join->pass.vertices = old.vertices;
   join->pass.feedback = old.feedback;
   join->pass.vertex_bindings = old.vertex_bindings;
   join->pass.vertex_accesses = old.vertex_accesses;
   join->pass.region_runs = old.region_runs;
   join->pass.primitives = old.primitives;
   join->pass.primitive_tiles = old.primitive_tiles;
   join->pass.tiles = old.tiles;
   join->pass.touched = old.touched;
   join->pass.deferred = NULL;
   join->pass.num_draws = join->pass.num_primitives = join->pass.attribute_blocks = 0;
   join->pass.num_descriptors = 0;
   join->pass.num_vertices = join->pass.num_feedback = join->pass.num_primitive_tiles = 0;
   join->pass.num_vertex_accesses = join->pass.num_region_runs = join->pass.num_vertex_bindings = 0;
   assert(!pass->num_storages && !pass->num_addressed);
   if (num_tiles > join->num_tiles) {
      struct cm_tile_events *tiles = realloc(old.tiles, num_tiles * sizeof *tiles);
      if (tiles) {
         memset(tiles + join->num_tiles, 0, (num_tiles - join->num_tiles) * sizeof *tiles);
         join->pass.tiles = tiles;
      }
      bool *touched = realloc(old.touched, num_tiles * sizeof *touched);
      if (touched)
         join->pass.touched = touched;
      struct cm_tile_content *contents = realloc(join->contents, num_tiles * sizeof *contents);
      if (contents) {
         memset(contents + join->num_tiles, 0, (num_tiles - join->num_tiles) * sizeof *contents);
         join->contents = contents;
      }
      if (!tiles || !touched || !contents)
         return false;
      join->num_tiles = num_tiles;
   }
   for (uint32_t t = 0; t < num_tiles; t++) {
      join->pass.tiles[t].num_words = 0;
      cm_tile_content_reset(&join->contents[t]);
   }
   join->pass.contents = pass->contents ? join->contents : NULL;
   memset(join->pass.touched, 0, num_tiles * sizeof *join->pass.touched);
   join->taken = false;
   return true;
}

bool
cm_pass_join_add(struct cm_pass_join *join, const struct cm_pass *pass)
{
   if (join->taken && !begin(join, pass))
      return false;
   struct cm_pass *joined = &join->pass;
   const struct offsets offsets = {joined->num_draws, joined->num_primitives};
   if (!APPEND(join, draws, pass) || !APPEND(join, descriptors, pass) || !APPEND(join, vertices, pass) ||
       !APPEND(join, feedback, pass) || !APPEND(join, vertex_bindings, pass) ||
       !APPEND(join, vertex_accesses, pass) || !APPEND(join, region_runs, pass) ||
       !APPEND(join, primitives, pass) || !APPEND(join, primitive_tiles, pass))
      return false;
   for (uint32_t d = offsets.draw; d < offsets.draw + pass->num_draws; d++) {
      joined->draws[d].first_descriptor += joined->num_descriptors;
      joined->draws[d].first_vertex += joined->num_vertices;
      joined->draws[d].first_feedback += joined->num_feedback;
      joined->draws[d].first_vertex_access += joined->num_vertex_accesses;
      joined->draws[d].first_region_run += joined->num_region_runs;
   }
   for (uint64_t r = 0; r < pass->num_vertex_accesses; r++)
      joined->vertex_accesses[joined->num_vertex_accesses + r].binding += joined->num_vertex_bindings;
   for (uint32_t p = offsets.primitive; p < offsets.primitive + pass->num_primitives; p++) {
      joined->primitives[p].draw += offsets.draw;
      joined->primitives[p].first_tile += joined->num_primitive_tiles;
   }
   for (uint32_t t = 0; t < pass->tiles_x * pass->tiles_y; t++) {
      if (!append_words(&joined->tiles[t], &pass->tiles[t], offsets))
         return false;
      joined->touched[t] |= pass->touched[t];
      if (joined->contents && pass->contents && !join_contents(&joined->contents[t], &pass->contents[t]))
         return false;
   }
   if (!pass->contents)
      joined->contents = NULL;
   joined->num_draws += pass->num_draws;
   joined->num_descriptors += pass->num_descriptors;
   joined->num_vertices += pass->num_vertices;
   joined->num_feedback += pass->num_feedback;
   joined->num_vertex_bindings += pass->num_vertex_bindings;
   joined->num_vertex_accesses += pass->num_vertex_accesses;
   joined->num_region_runs += pass->num_region_runs;
   joined->num_primitives += pass->num_primitives;
   joined->num_primitive_tiles += pass->num_primitive_tiles;
   joined->attribute_blocks += pass->attribute_blocks;
   joined->end = pass->end;
   joined->end_call = pass->end_call;
   memcpy(joined->resolve, pass->resolve, sizeof joined->resolve);
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      struct cm_attachment *first = (struct cm_attachment *)cm_pass_attachment(joined, slot);
      const struct cm_attachment *second = cm_pass_attachment(pass, slot);
      assert(first->resource == second->resource);
      first->load |= second->load && !first->store && !first->clear;
      first->store |= second->store;
   }
   return true;
}

void
cm_pass_join_attach(struct cm_pass_join *join, const struct cm_pass *attachments)
{
   assert(!join->taken);
   join->pass.num_color = attachments->num_color;
   memcpy(join->pass.color, attachments->color, sizeof join->pass.color);
   join->pass.depth = attachments->depth;
   join->pass.stencil = attachments->stencil;
}

const struct cm_pass *
cm_pass_join_take(struct cm_pass_join *join)
{
   assert(!join->taken);
   join->taken = true;
   return &join->pass;
}
