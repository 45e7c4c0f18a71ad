/* SPDX-License-Identifier: MIT */
/* The work of draws: wasted fragments, vertices, primitives, the Parameter Buffer. */
#include <string.h>

#include "advice/advice_internal.h"
#include "config/config.h"
#include "tiling/parameter_buffer.h"
#include "util/array.h"
#include "util/minmax.h"

/* When a rule says something: so many per frame at least that it matters. */
#define LEAST_VERTICES 1000
#define LEAST_PRIMITIVES 1000
#define TINY_PIXELS 8 /* two quads */
/* Transformed vertices that are kept, for a GPU that keeps none: there the caches have the reuse. */
#define USUAL_ENTRIES 32

/* What a draw of the pass has done. */
struct draw_seen {
   uint64_t fragments;       /* that run */
   uint64_t opaque, visible; /* of deferred groups: that run, and of these those that are seen in the end */
   uint64_t written;
   uint64_t pixels; /* that its primitives cover */
};

/* ---- a tile's words -------------------------------------------------------------- */

static void
count_quads(const struct cm_pass *pass, struct draw_seen *draws, const uint32_t *event)
{
   const struct cm_quad *quads = (const struct cm_quad *)(event + 2);
   struct draw_seen *draw = &draws[event[1]];
   const bool shaded = cm_event_type(*event) == CM_EVENT_SHADE;
   const bool once = !cm_event_continues(*event);
   for (uint32_t q = 0; q < cm_event_count(*event); q++) {
      const struct cm_quad *quad = &quads[q];
      if (once)
         draw->pixels += (unsigned)__builtin_popcount(quad->covered);
      if (!shaded)
         continue;
      draw->fragments += (unsigned)__builtin_popcount(quad->live);
      draw->written += (unsigned)__builtin_popcount(quad->live & quad->written);
      if (pass->kind == CM_PASS_FULL && *event & CM_SHADE_DEFERRED) {
         draw->opaque += (unsigned)__builtin_popcount(quad->live);
         draw->visible += (unsigned)__builtin_popcount(quad->live & quad->visible);
      }
   }
}

static void
look_at_tiles(struct cm_advice *advice, const struct cm_pass *pass, struct draw_seen *draws)
{
   for (uint32_t t = 0; t < pass->tiles_x * pass->tiles_y; t++) {
      const uint32_t *word = pass->tiles[t].words, *end = word + pass->tiles[t].num_words;
      for (uint32_t draw = 0; word < end; word = cm_event_next(word)) {
         switch (cm_event_type(*word)) {
         case CM_EVENT_SHADE:
         case CM_EVENT_UNSHADED:
            draw = word[1];
            count_quads(pass, draws, word);
            break;
         case CM_EVENT_FOOTPRINTS: cm_advice_look_at_footprints(advice, pass, draw, word); break;
         default: break;
         }
      }
   }
}

/* ---- draws ----------------------------------------------------------------------- */

/* Counts the vertices that the draw fetches, and those that are different. In the FIFO of transformed vertices are
 * those that were fetched last. */
static bool
count_vertices(struct cm_advice *advice, const struct cm_pass *pass, const struct cm_draw *draw,
               uint64_t *num_fetched, uint64_t *distinct)
{
   const uint32_t *vertices = pass->vertices + draw->first_vertex;
   const uint32_t own = advice->config->vertex_stage.reuse_entries, entries = own ? own : USUAL_ENTRIES;
   uint32_t fetched = 0;
   if (!cm_array_reserve(&advice->numbers, draw->num_vertices, sizeof(uint32_t)) ||
       !cm_array_reserve(&advice->seen_vertices, draw->num_vertices, sizeof(uint32_t)))
      return false;
   uint32_t *numbers = advice->numbers.data;
   uint32_t *when = advice->seen_vertices.data; /* 1 + the number of its last fetch; 0: none */
   const uint32_t different = cm_number_vertices(&advice->sorted, vertices, draw->num_vertices, numbers);
   if (different == UINT32_MAX)
      return false;
   memset(when, 0, different * sizeof *when);
   for (uint32_t v = 0; v < draw->num_vertices; v++) {
      uint32_t *of = &when[numbers[v]];
      if (!*of || fetched - *of + 1 > entries)
         *of = ++fetched;
   }
   *distinct += different;
   *num_fetched += fetched;
   return true;
}

static uint64_t
vertex_bytes(const struct cm_draw *draw)
{
   uint64_t bytes = 0;
   for (uint32_t e = 0; e < draw->num_elements; e++)
      bytes += draw->elements[e].instance_divisor ? 0 : draw->elements[e].bytes;
   return bytes;
}

static bool
look_at_draw(struct cm_advice *advice, const struct cm_pass *pass, uint32_t number,
             const struct draw_seen *done)
{
   const struct cm_draw *draw = &pass->draws[number];
   struct cm_vertex_shader_seen *vertex =
      cm_advice_element(&advice->vertex_ids, &advice->vertex_shaders, &advice->vertex_shaders_capacity,
                        draw->vertex_shader.id, sizeof *advice->vertex_shaders);
   struct cm_fragment_shader_seen *fragment =
      cm_advice_element(&advice->fragment_ids, &advice->fragment_shaders, &advice->fragment_shaders_capacity,
                        draw->fragment_shader.id, sizeof *advice->fragment_shaders);
   if (!vertex || !fragment)
      return false;
   cm_advice_remember(advice, &vertex->place, pass, number);
   /* Other events have no fragments that are hidden, and none of draws without a shader. */
   if (pass->kind == CM_PASS_FULL)
      vertex->pixels += done->pixels;
   if (draw->index_buffer) {
      const uint64_t before = vertex->fetched;
      if (!count_vertices(advice, pass, draw, &vertex->fetched, &vertex->distinct))
         return false;
      vertex->bytes += (vertex->fetched - before) * vertex_bytes(draw);
   }
   if (draw->tests.late) {
      cm_advice_remember(advice, &fragment->place, pass, number);
      fragment->fragments += done->fragments;
      fragment->written += done->written;
   }
   return true;
}

/* ---- a pass ---------------------------------------------------------------------- */

static void
look_at_primitives(struct cm_advice *advice, const struct cm_pass *pass, struct cm_target_seen *target)
{
   uint64_t blocks = 0;
   uint32_t most = 0;
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      const struct cm_primitive *primitive = &pass->primitives[p];
      struct cm_vertex_shader_seen *vertex =
         &advice->vertex_shaders[cm_id_table_find(&advice->vertex_ids,
                                                  pass->draws[primitive->draw].vertex_shader.id)];
      blocks += primitive->num_attributes;
      most = cm_max(most, primitive->num_attributes);
      vertex->blocks += primitive->num_attributes;
      vertex->primitives += pass->kind == CM_PASS_FULL;
   }
   const bool wide = cm_pb_needs_wide((uint64_t)pass->tiles_x * pass->tiles_y, blocks, most);
   const uint64_t bytes = blocks * CM_PB_BLOCK_BYTES + pass->num_primitive_tiles * cm_pmd_bytes(wide);
   const struct cm_cache_config *l2 = &advice->config->caches[CM_UNIT_L2];
   if (!target || advice->config->mode == CM_MODE_IMR || !l2->size || bytes <= l2->size)
      return;
   target->large++;
   target->blocks += blocks;
   target->pmds += pass->num_primitive_tiles;
   target->largest = cm_max64(target->largest, bytes);
}

bool
cm_advice_look_at_draws(struct cm_advice *advice, const struct cm_pass *pass)
{
   if (pass->kind == CM_PASS_COMPUTE)
      return true;
   struct cm_resource_seen *target = cm_advice_seen(advice, cm_pass_target(pass));
   if (!cm_array_reserve(&advice->draws, pass->num_draws, sizeof(struct draw_seen)))
      return false;
   struct draw_seen *draws = advice->draws.data;
   memset(draws, 0, pass->num_draws * sizeof *draws);
   advice->knows_overdraw |= pass->kind == CM_PASS_FULL;
   look_at_tiles(advice, pass, draws);
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      if (!look_at_draw(advice, pass, d, &draws[d]))
         return false;
      if (target) {
         target->target.opaque += draws[d].opaque;
         target->target.hidden += draws[d].opaque - draws[d].visible;
      }
   }
   look_at_primitives(advice, pass, target ? &target->target : NULL);
   return true;
}

/* ---- findings -------------------------------------------------------------------- */

/* A finding with one change, at a place; NULL when out of memory. resource: what it is of; 0: none. */
static struct cm_finding *
add_finding(struct cm_advice *advice, enum cm_advice_rule rule, const struct cm_place *place,
            struct cm_change change, uint32_t resource)
{
   struct cm_finding *finding = cm_advice_add_finding(advice, rule, place);
   if (!finding || !cm_finding_add_change(finding, change) ||
       (resource && !cm_finding_add_resource(finding, resource)))
      return NULL;
   return finding;
}

static bool
find_target(struct cm_advice *advice, uint32_t index)
{
   const struct cm_target_seen *target = &advice->resources[index].target;
   const uint32_t id = advice->resources[index].description.id;
   if (advice->config->mode != CM_MODE_TBDR &&
       cm_advice_is_large(advice, target->hidden, target->opaque, CM_ADVICE_LEAST_FRAGMENTS)) {
      struct cm_finding *finding =
         add_finding(advice, CM_ADVICE_OVERDRAW, &target->place,
                     (struct cm_change){.type = CM_CHANGE_FRONT_TO_BACK, .number = id}, id);
      if (!finding)
         return false;
      finding->passes = target->passes;
      finding->weight = target->hidden * 16;
      const bool kills = advice->config->fragment_stage.pixel_kill;
      cm_finding_add_average(advice, finding,
                             kills ? "opaque fragments that pass the early tests per frame"
                                   : "opaque fragments shaded per frame",
                             target->opaque);
      cm_finding_add_average(advice, finding,
                             kills ? "of these hidden in the end, some of them killed before they are shaded"
                                   : "of these hidden in the end",
                             target->hidden);
   }
   if (target->large) {
      struct cm_finding *finding =
         add_finding(advice, CM_ADVICE_PARAMETER_BUFFER, &target->place,
                     (struct cm_change){.type = CM_CHANGE_HALF_ATTRIBUTES, .number = id}, id);
      if (!finding)
         return false;
      finding->passes = target->large;
      finding->weight = target->blocks * CM_PB_BLOCK_BYTES;
      cm_finding_add_evidence(finding, "bytes of the largest Parameter Buffer", (double)target->largest);
      cm_finding_add_evidence(finding, "bytes of the L2", (double)advice->config->caches[CM_UNIT_L2].size);
      cm_finding_add_average(advice, finding, "attributes per frame", target->blocks);
      cm_finding_add_average(advice, finding, "PMDs per frame", target->pmds);
   }
   return true;
}

static bool
find_vertex_shader(struct cm_advice *advice, uint32_t index)
{
   const struct cm_vertex_shader_seen *vertex = &advice->vertex_shaders[index];
   const uint32_t id = (uint32_t)advice->vertex_ids.ids[index];
   if (cm_advice_is_large(advice, vertex->fetched - vertex->distinct, vertex->fetched, LEAST_VERTICES)) {
      struct cm_finding *finding =
         add_finding(advice, CM_ADVICE_VERTICES_FETCHED_AGAIN, &vertex->place,
                     (struct cm_change){.type = CM_CHANGE_FETCH_ONCE, .number = id}, 0);
      if (!finding)
         return false;
      finding->vertex_shader = id;
      finding->weight = vertex->bytes / vertex->fetched * (vertex->fetched - vertex->distinct);
      cm_finding_add_average(advice, finding, "vertices fetched per frame, for lack of reuse soon after",
                             vertex->fetched);
      cm_finding_add_average(advice, finding, "different ones, draw by draw", vertex->distinct);
   }
   if (cm_advice_is_large(advice, vertex->primitives, vertex->primitives, LEAST_PRIMITIVES) &&
       vertex->pixels < TINY_PIXELS * vertex->primitives) {
      struct cm_finding *finding =
         add_finding(advice, CM_ADVICE_TINY_PRIMITIVES, &vertex->place,
                     (struct cm_change){.type = CM_CHANGE_COARSER_MESH, .number = id}, 0);
      if (!finding)
         return false;
      finding->vertex_shader = id;
      finding->weight = vertex->blocks * CM_PB_BLOCK_BYTES;
      cm_finding_add_average(advice, finding, "primitives binned per frame", vertex->primitives);
      cm_finding_add_evidence(finding, "pixels that each covers on average",
                              (double)vertex->pixels / (double)vertex->primitives);
   }
   return true;
}

static bool
find_fragment_shader(struct cm_advice *advice, uint32_t index)
{
   const struct cm_fragment_shader_seen *fragment = &advice->fragment_shaders[index];
   const uint32_t id = (uint32_t)advice->fragment_ids.ids[index];
   if (!cm_advice_is_large(advice, fragment->fragments - fragment->written, fragment->fragments,
                           CM_ADVICE_LEAST_FRAGMENTS))
      return true;
   struct cm_finding *finding =
      add_finding(advice, CM_ADVICE_LATE_TESTS, &fragment->place,
                  (struct cm_change){.type = CM_CHANGE_EARLY_TESTS, .number = id}, 0);
   if (!finding)
      return false;
   finding->fragment_shader = id;
   finding->weight = (fragment->fragments - fragment->written) * 16;
   cm_finding_add_average(advice, finding, "fragments shaded per frame", fragment->fragments);
   cm_finding_add_average(advice, finding, "of these written", fragment->written);
   return true;
}

bool
cm_advice_find_draws(struct cm_advice *advice)
{
   for (uint32_t r = 0; r < advice->resource_ids.count; r++) {
      if (!find_target(advice, r))
         return false;
   }
   for (uint32_t s = 0; s < advice->vertex_ids.count; s++) {
      if (!find_vertex_shader(advice, s))
         return false;
   }
   for (uint32_t s = 0; s < advice->fragment_ids.count; s++) {
      if (!find_fragment_shader(advice, s))
         return false;
   }
   return true;
}
