/* SPDX-License-Identifier: MIT */
#include "advice/change.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "advice/join.h"
#include "advice/merge.h"
#include "util/array.h"
#include "util/minmax.h"

/* A change at work. */
struct stage {
   const struct cm_change *change;
   bool
      is_of_joined; /* of CM_CHANGE_ATTACHMENTS: what the last part of a joined pass does not store, no part does */
   uint32_t next_changed;                  /* in change->passes */
   bool has_texture;                       /* change->number is defined */
   struct cm_resource_description texture; /* as defined */
   struct cm_pass pass;                    /* the changed one */
   struct cm_array draws, primitives, vertices, primitive_tiles, tiles, seen, counts, order, sorted;
   struct cm_tile_events words; /* of all tiles */
   struct cm_pass_join *join;
   struct cm_pass_merge *merge;
   uint32_t levels; /* that the texture's last whole footprint becomes coarser */
};

struct cm_changer {
   struct stage *stages; /* in the order in which they are applied */
   uint32_t num_stages;
   uint64_t next; /* number of the next pass */
};

/* ---- of a pass --------------------------------------------------------------- */

uint32_t
cm_pass_target(const struct cm_pass *pass)
{
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      if (cm_pass_attachment(pass, slot)->resource)
         return cm_pass_attachment(pass, slot)->resource;
   }
   return 0;
}

uint32_t
cm_texel_distance(int32_t a, int32_t b, uint32_t size, bool repeats)
{
   const uint32_t distance = (uint32_t)(a < b ? b - a : a - b);
   return repeats && distance * 2 > size && distance <= size ? size - distance : distance;
}

/* Whether the distances of two pairs are alike, as where coordinates are interpolated. */
static bool
are_alike(uint32_t a, uint32_t b)
{
   return cm_max(a, b) - cm_min(a, b) <= 1 + cm_min(a, b) / 4;
}

uint32_t
cm_footprint_step(const struct cm_footprint *footprint, const struct cm_texture_binding *binding,
                  const struct cm_resource_description *texture)
{
   if (footprint->live != 15)
      return 0;
   const unsigned level = cm_min(footprint->level + binding->first_level, CM_MAX_LEVELS);
   const uint32_t width = cm_max(texture->width >> level, 1), height = cm_max(texture->height >> level, 1);
   uint32_t steps[2] = {0};
   /* Fragments 0 and 1, 2 and 3 are side by side; 0 and 2, 1 and 3 above each other. */
   for (unsigned axis = 0; axis < 2; axis++) {
      const unsigned other = axis ? 2 : 1, second = axis ? 1 : 2;
      uint32_t x[2], y[2];
      for (unsigned pair = 0; pair < 2; pair++) {
         const unsigned first = pair ? second : 0;
         x[pair] = cm_texel_distance(footprint->texel[first].x, footprint->texel[first + other].x, width,
                                     binding->repeat_s);
         y[pair] = cm_texel_distance(footprint->texel[first].y, footprint->texel[first + other].y, height,
                                     binding->repeat_t);
      }
      if (!are_alike(x[0], x[1]) || !are_alike(y[0], y[1]))
         return 0;
      steps[axis] = cm_max(cm_max(x[0], x[1]), cm_max(y[0], y[1]));
   }
   return texture->levels == 1 ? cm_max(steps[0], steps[1]) : cm_min(steps[0], steps[1]);
}

uint32_t
cm_levels_coarser(uint32_t step)
{
   return step > 2 ? 31 - (uint32_t)__builtin_clz(step - 1) : 0;
}

/* ---- vertices ------------------------------------------------------------------- */

static int
ascending(const void *a, const void *b)
{
   const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
   return (first > second) - (first < second);
}

uint32_t
cm_number_vertices(struct cm_array *sorted, const uint32_t *vertices, uint32_t count, uint32_t *numbers)
{
   if (!cm_array_reserve(sorted, count, sizeof(uint32_t)))
      return UINT32_MAX;
   uint32_t *list = sorted->data, distinct = 0;
   if (count)
      memcpy(list, vertices, count * sizeof *list);
   qsort(list, count, sizeof *list, ascending);
   for (uint32_t v = 0; v < count; v++) {
      if (!distinct || list[distinct - 1] != list[v])
         list[distinct++] = list[v];
   }
   for (uint32_t v = 0; v < count; v++)
      numbers[v] =
         (uint32_t)((uint32_t *)bsearch(&vertices[v], list, distinct, sizeof *list, ascending) - list);
   return distinct;
}

/* ---- a tile's words ------------------------------------------------------------ */

static bool
add_words(struct cm_tile_events *events, const void *words, size_t count)
{
   uint32_t *room = cm_tile_events_reserve(events, count);
   if (!room)
      return false;
   memcpy(room, words, count * sizeof *room);
   events->num_words += count;
   return true;
}

/* Which fragments of a quad still run. */
static uint32_t
running(const struct cm_change *change, const struct cm_draw *draw, uint32_t event,
        const struct cm_quad *quad)
{
   if (change->type == CM_CHANGE_FRONT_TO_BACK && event & CM_SHADE_DEFERRED)
      return quad->live & quad->visible;
   if (change->type == CM_CHANGE_EARLY_TESTS && draw->tests.late &&
       draw->fragment_shader.id == change->number)
      return quad->live & quad->written;
   return quad->live;
}

/* Adds the footprints of fragments that still run, and those of another level. live: of the quads. */
static bool
add_footprints(struct stage *stage, const struct cm_draw *draw, const uint32_t *event, const uint8_t live[4])
{
   assert(draw && cm_event_type(*event) == CM_EVENT_FOOTPRINTS);
   const struct cm_change *change = stage->change;
   const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
   const uint32_t unit = cm_event_unit(*event);
   const struct cm_texture_binding *binding = unit < draw->num_textures ? &draw->textures[unit] : NULL;
   const bool coarser = change->type == CM_CHANGE_MIPMAPS && stage->has_texture && binding &&
                        binding->resource == change->number;
   const size_t header = stage->words.num_words;
   uint32_t kept = 0;
   if (!add_words(&stage->words, event, 1))
      return false;
   for (uint32_t f = 0; f < cm_event_count(*event); f++) {
      struct cm_footprint footprint = footprints[f];
      footprint.live &= live[footprint.quad & 3];
      if (!footprint.live)
         continue;
      if (coarser) {
         /* Of the original: quads at an edge, which have not all fragments, are like the one before them. */
         if (footprints[f].live == 15)
            stage->levels = cm_levels_coarser(cm_footprint_step(&footprints[f], binding, &stage->texture));
         const uint32_t levels = stage->levels;
         const uint32_t size = cm_max(stage->texture.width, stage->texture.height) >>
                               cm_min(binding->first_level, CM_MAX_LEVELS);
         const uint32_t last = 31 - (uint32_t)__builtin_clz(cm_max(size, 1));
         const uint32_t level = cm_min(footprint.level + levels, cm_max(last, footprint.level));
         for (unsigned i = 0; i < 4; i++) {
            footprint.texel[i].x = (int16_t)(footprint.texel[i].x >> (level - footprint.level));
            footprint.texel[i].y = (int16_t)(footprint.texel[i].y >> (level - footprint.level));
         }
         footprint.level = (uint8_t)level;
      }
      if (!add_words(&stage->words, &footprint, CM_FOOTPRINT_WORDS))
         return false;
      kept++;
   }
   if (kept)
      stage->words.words[header] = cm_event_with_count(*event, kept);
   else
      stage->words.num_words = header;
   return true;
}

/* Adds an event of quads; live: the fragments that still run, of each. */
static bool
add_quads(struct stage *stage, const struct cm_pass *pass, const uint32_t *event, uint8_t live[4])
{
   assert(event[1] < pass->num_draws);
   const struct cm_change *change = stage->change;
   const struct cm_quad *quads = (const struct cm_quad *)(event + 2);
   const struct cm_draw *draw = &pass->draws[event[1]];
   if (!add_words(&stage->words, event, 2))
      return false;
   for (uint32_t q = 0; q < cm_event_count(*event); q++) {
      struct cm_quad quad = quads[q];
      const uint32_t *merged = stage->seen.data;
      quad.live = (uint8_t)running(change, draw, *event, &quad) & 15;
      quad.visible &= quad.live;
      quad.written &= quad.live;
      if (change->type == CM_CHANGE_COARSER_MESH && quad.primitive < pass->num_primitives)
         quad.primitive = merged[quad.primitive];
      live[q & 3] = quad.live;
      if (!add_words(&stage->words, &quad, CM_QUAD_WORDS))
         return false;
   }
   return true;
}

static bool
change_words(struct stage *stage, const struct cm_pass *pass, const struct cm_tile_events *tile)
{
   const uint32_t *word = tile->words, *end = word + tile->num_words;
   const struct cm_draw *draw = NULL;
   uint8_t live[4] = {0};
   for (; word < end; word = cm_event_next(word)) {
      bool ok;
      switch (cm_event_type(*word)) {
      case CM_EVENT_SHADE:
      case CM_EVENT_UNSHADED:
         draw = &pass->draws[word[1]];
         ok = add_quads(stage, pass, word, live);
         break;
      case CM_EVENT_FOOTPRINTS: ok = add_footprints(stage, draw, word, live); break;
      default: ok = add_words(&stage->words, word, (size_t)(cm_event_next(word) - word)); break;
      }
      if (!ok)
         return false;
   }
   return true;
}

/* Gives the pass tiles with changed words. */
static bool
change_tiles(struct stage *stage, const struct cm_pass *pass)
{
   const uint32_t count = pass->tiles_x * pass->tiles_y;
   if (!cm_array_reserve(&stage->tiles, count, sizeof(struct cm_tile_events)))
      return false;
   struct cm_tile_events *tiles = stage->tiles.data;
   stage->words.num_words = 0;
   for (uint32_t t = 0; t < count; t++) {
      const size_t first = stage->words.num_words;
      if (!change_words(stage, pass, &pass->tiles[t]))
         return false;
      tiles[t] = (struct cm_tile_events){.num_words = stage->words.num_words - first, .capacity = first};
   }
   /* The words have moved while they grew: where a tile's begin was kept in its capacity. */
   for (uint32_t t = 0; t < count; t++) {
      tiles[t].words = tiles[t].num_words ? stage->words.words + tiles[t].capacity : NULL;
      tiles[t].capacity = tiles[t].num_words;
   }
   stage->pass.tiles = tiles;
   return true;
}

/* ---- vertices and primitives ------------------------------------------------------ */

static struct cm_draw *
copy_draws(struct stage *stage, const struct cm_pass *pass)
{
   if (!cm_array_reserve(&stage->draws, pass->num_draws, sizeof(struct cm_draw)))
      return NULL;
   memcpy(stage->draws.data, pass->draws, pass->num_draws * sizeof(struct cm_draw));
   return stage->pass.draws = stage->draws.data;
}

/* Puts a draw's vertices so that each is followed by its repetitions, in the order of their first ones. */
static bool
group_vertices(struct stage *stage, const uint32_t *fetched, uint32_t count, uint32_t *grouped)
{
   if (!cm_array_reserve(&stage->seen, (size_t)count + 1, sizeof(uint32_t)) ||
       !cm_array_reserve(&stage->counts, (size_t)count + 1, sizeof(uint32_t)) ||
       !cm_array_reserve(&stage->order, (size_t)count + 1, sizeof(uint32_t)))
      return false;
   uint32_t *number = stage->seen.data, *ends = stage->counts.data, *order = stage->order.data;
   const uint32_t distinct = cm_number_vertices(&stage->sorted, fetched, count, number);
   if (distinct == UINT32_MAX)
      return false;
   memset(ends, 0, ((size_t)count + 1) * sizeof *ends);
   uint32_t seen = 0;
   for (uint32_t v = 0; v < count; v++) {
      if (!ends[number[v]]++)
         order[seen++] = number[v];
   }
   for (uint32_t n = 0, first = 0; n < distinct; n++) {
      const uint32_t repetitions = ends[order[n]];
      ends[order[n]] = first;
      first += repetitions;
   }
   for (uint32_t v = 0; v < count; v++)
      grouped[ends[number[v]]++] = fetched[v];
   return true;
}

static bool
fetch_once(struct stage *stage, const struct cm_pass *pass)
{
   if (!cm_array_reserve(&stage->vertices, pass->num_vertices, sizeof(uint32_t)))
      return false;
   uint32_t *vertices = stage->vertices.data;
   if (pass->num_vertices)
      memcpy(vertices, pass->vertices, pass->num_vertices * sizeof *vertices);
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const struct cm_draw *draw = &pass->draws[d];
      if (draw->index_buffer && draw->vertex_shader.id == stage->change->number &&
          !group_vertices(stage, pass->vertices + draw->first_vertex, draw->num_vertices,
                          vertices + draw->first_vertex))
         return false;
   }
   stage->pass.vertices = vertices;
   return true;
}

/* The tiles of primitives one after another, each once; their number. */
static uint32_t
join_tiles(uint32_t *tiles, const struct cm_pass *pass, const struct cm_primitive *primitives, uint32_t count)
{
   assert(count);
   uint32_t total = 0, kept = 0;
   for (uint32_t p = 0; p < count; p++) {
      memcpy(tiles + total, pass->primitive_tiles + primitives[p].first_tile,
             primitives[p].num_tiles * sizeof *tiles);
      total += primitives[p].num_tiles;
   }
   qsort(tiles, total, sizeof *tiles, ascending);
   for (uint32_t t = 0; t < total; t++) {
      if (!kept || tiles[kept - 1] != tiles[t])
         tiles[kept++] = tiles[t];
   }
   return kept;
}

/* Joins primitives of the shader's draws; of the vertices the first ones stay, which are shared as all were. */
static bool
coarsen(struct stage *stage, const struct cm_pass *pass)
{
   assert(stage->change->type == CM_CHANGE_COARSER_MESH);
   struct cm_draw *draws = copy_draws(stage, pass);
   if (!draws || !cm_array_reserve(&stage->primitives, pass->num_primitives, sizeof(struct cm_primitive)) ||
       !cm_array_reserve(&stage->primitive_tiles, pass->num_primitive_tiles, sizeof(uint32_t)) ||
       !cm_array_reserve(&stage->seen, pass->num_primitives, sizeof(uint32_t)))
      return false;
   struct cm_primitive *primitives = stage->primitives.data;
   uint32_t *tiles = stage->primitive_tiles.data, *merged = stage->seen.data;
   uint32_t kept = 0;
   uint64_t num_tiles = 0;
   for (uint32_t p = 0, count; p < pass->num_primitives; p += count) {
      const uint32_t draw = pass->primitives[p].draw;
      const uint32_t most = draws[draw].vertex_shader.id == stage->change->number ? CM_CHANGE_COARSER_BY : 1;
      for (count = 1; count < most && p + count < pass->num_primitives; count++) {
         if (pass->primitives[p + count].draw != draw)
            break;
      }
      for (uint32_t c = 0; c < count; c++)
         merged[p + c] = kept;
      primitives[kept] = pass->primitives[p];
      primitives[kept].first_tile = num_tiles;
      primitives[kept].num_tiles = join_tiles(tiles + num_tiles, pass, &pass->primitives[p], count);
      num_tiles += primitives[kept++].num_tiles;
   }
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      if (draws[d].vertex_shader.id == stage->change->number)
         draws[d].num_vertices = (draws[d].num_vertices + CM_CHANGE_COARSER_BY - 1) / CM_CHANGE_COARSER_BY;
   }
   stage->pass.primitives = primitives;
   stage->pass.num_primitives = kept;
   stage->pass.primitive_tiles = tiles;
   stage->pass.num_primitive_tiles = num_tiles;
   stage->pass.attribute_blocks = 0;
   return change_tiles(stage, pass);
}

static bool
halve_attributes(struct stage *stage, const struct cm_pass *pass)
{
   if (!cm_array_reserve(&stage->primitives, pass->num_primitives, sizeof(struct cm_primitive)))
      return false;
   struct cm_primitive *primitives = stage->primitives.data;
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      primitives[p] = pass->primitives[p];
      primitives[p].num_attributes = 1 + primitives[p].num_attributes / 2;
   }
   stage->pass.primitives = primitives;
   stage->pass.attribute_blocks = 0;
   return true;
}

/* ---- attachments ------------------------------------------------------------------ */

static void
change_attachments(struct cm_pass *pass, const struct cm_changed_pass *changed, bool loads)
{
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      struct cm_attachment *attachment = (struct cm_attachment *)cm_pass_attachment(pass, slot);
      attachment->load &= !(loads && changed->no_load >> slot & 1);
      attachment->store &= !(changed->no_store >> slot & 1);
   }
}

/* What the change says of the pass of that number; NULL: nothing. */
static const struct cm_changed_pass *
changed_pass(struct stage *stage, uint64_t number)
{
   const struct cm_change *change = stage->change;
   while (stage->next_changed < change->num_passes && change->passes[stage->next_changed].pass < number)
      stage->next_changed++;
   if (stage->next_changed == change->num_passes || change->passes[stage->next_changed].pass != number)
      return NULL;
   return &change->passes[stage->next_changed];
}

/* ---- the stream ------------------------------------------------------------------- */

/* Whether the change leaves out whole passes, or makes one of several. */
static bool
is_of_whole_passes(const struct cm_change *change)
{
   return change->type == CM_CHANGE_SKIP_PASSES || change->type == CM_CHANGE_JOIN_PASSES ||
          change->type == CM_CHANGE_MERGE_PASSES;
}

bool
cm_changes_combine(const struct cm_change *one, const struct cm_change *other)
{
   /* Two that join are of different targets, and two that leave out passes are never in each other's way. */
   const bool can_meet = is_of_whole_passes(one) && is_of_whole_passes(other) &&
                         (one->type != other->type || one->type == CM_CHANGE_MERGE_PASSES);
   for (uint32_t a = 0, b = 0; can_meet && a < one->num_passes && b < other->num_passes;) {
      const uint64_t first = one->passes[a].pass, second = other->passes[b].pass;
      if (first == second)
         return false;
      a += first < second;
      b += first > second;
   }
   return true;
}

uint32_t
cm_changes_shared_loads(const struct cm_change *attachments, const struct cm_change *join)
{
   uint32_t shared = 0;
   assert(attachments->type == CM_CHANGE_ATTACHMENTS && join->type == CM_CHANGE_JOIN_PASSES);
   for (uint32_t a = 0, j = 1; a < attachments->num_passes && j < join->num_passes;) {
      const uint64_t first = attachments->passes[a].pass, second = join->passes[j].pass;
      shared += first == second && join->passes[j - 1].joins && attachments->passes[a].no_load;
      a += first <= second;
      j += second <= first;
   }
   return shared;
}

/* After which others a stage is at work. */
static enum cm_change_type
place_of(const struct stage *stage)
{
   return stage->is_of_joined ? CM_CHANGE_JOIN_PASSES : stage->change->type;
}

/* Inserts a stage after those of its position and of earlier ones. False when out of memory. */
static bool
add_stage(struct cm_changer *changer, const struct cm_change *change, bool is_of_joined)
{
   const struct stage added = {.change = change, .is_of_joined = is_of_joined};
   uint32_t place = changer->num_stages++;
   for (; place && place_of(&changer->stages[place - 1]) > place_of(&added); place--)
      changer->stages[place] = changer->stages[place - 1];
   struct stage *stage = &changer->stages[place];
   *stage = added;
   if (change->type == CM_CHANGE_JOIN_PASSES)
      stage->join = cm_pass_join_create();
   if (change->type == CM_CHANGE_MERGE_PASSES)
      stage->merge = cm_pass_merge_create();
   return (stage->join || change->type != CM_CHANGE_JOIN_PASSES) &&
          (stage->merge || change->type != CM_CHANGE_MERGE_PASSES);
}

struct cm_changer *
cm_changer_create(const struct cm_change *changes, uint32_t count)
{
   struct cm_changer *changer = calloc(1, sizeof *changer);
   if (!changer)
      return NULL;
   changer->stages = calloc(2 * (size_t)count + 1, sizeof *changer->stages);
   bool ok = changer->stages;
   for (uint32_t c = 0; ok && c < count; c++)
      ok = add_stage(changer, &changes[c], false);
   for (uint32_t c = 0; ok && c < count; c++) {
      if (changes[c].type == CM_CHANGE_ATTACHMENTS)
         ok = add_stage(changer, &changes[c], true);
   }
   if (ok)
      return changer;
   cm_changer_destroy(changer);
   return NULL;
}

void
cm_changer_destroy(struct cm_changer *changer)
{
   if (!changer)
      return;
   cm_changer_pass_end(changer);
   for (uint32_t s = 0; s < changer->num_stages; s++) {
      cm_pass_join_destroy(changer->stages[s].join);
      cm_pass_merge_destroy(changer->stages[s].merge);
   }
   free(changer->stages);
   free(changer);
}

static void
end_pass(struct stage *stage)
{
   struct cm_array *const arrays[] = {&stage->draws,           &stage->primitives, &stage->vertices,
                                      &stage->primitive_tiles, &stage->tiles,      &stage->seen,
                                      &stage->counts,          &stage->order,      &stage->sorted};
   for (unsigned a = 0; a < sizeof arrays / sizeof arrays[0]; a++) {
      free(arrays[a]->data);
      *arrays[a] = (struct cm_array){0};
   }
   free(stage->words.words);
   stage->words = (struct cm_tile_events){0};
   if (stage->join)
      cm_pass_join_release(stage->join);
   if (stage->merge)
      cm_pass_merge_release(stage->merge);
}

void
cm_changer_pass_end(struct cm_changer *changer)
{
   for (uint32_t s = 0; s < changer->num_stages; s++)
      end_pass(&changer->stages[s]);
}

static void
change_resource(struct stage *stage, struct cm_resource_description *resource)
{
   const struct cm_change *change = stage->change;
   if (change->number != resource->id || resource->is_buffer)
      return;
   if (change->type == CM_CHANGE_COMPRESS) {
      resource->block_width = resource->block_height = 4;
      resource->block_bytes = (uint8_t)change->block_bytes;
   } else if (change->type == CM_CHANGE_NARROW) {
      resource->block_bytes = (uint8_t)change->block_bytes;
   } else if (change->type == CM_CHANGE_MIPMAPS) {
      stage->texture = *resource;
      stage->has_texture = true;
      resource->levels = (uint8_t)(32 - __builtin_clz(cm_max(resource->width, resource->height)));
   }
}

struct cm_resource_description
cm_changer_resource(struct cm_changer *changer, const struct cm_resource_description *resource)
{
   struct cm_resource_description changed = *resource;
   for (uint32_t s = 0; s < changer->num_stages; s++)
      change_resource(&changer->stages[s], &changed);
   return changed;
}

/* A pass that is the first part, the last, or one in between. */
static enum cm_changer_result
join_passes(struct stage *stage, const struct cm_changed_pass *changed, const struct cm_pass **pass)
{
   if (!changed)
      return CM_CHANGER_PASS;
   if (!cm_pass_join_add(stage->join, *pass))
      return CM_CHANGER_OUT_OF_MEMORY;
   if (changed->joins)
      return CM_CHANGER_SKIPPED;
   *pass = cm_pass_join_take(stage->join);
   return CM_CHANGER_PASS;
}

/* The first of a pair, or the second. */
static enum cm_changer_result
merge_passes(struct stage *stage, const struct cm_changed_pass *changed, const struct cm_pass **pass)
{
   if (!changed)
      return CM_CHANGER_PASS;
   if (changed->joins)
      return cm_pass_merge_begin(stage->merge, *pass, changed->read, changed->no_store)
                ? CM_CHANGER_SKIPPED
                : CM_CHANGER_OUT_OF_MEMORY;
   *pass = cm_pass_merge_end(stage->merge, *pass);
   return *pass ? CM_CHANGER_PASS : CM_CHANGER_OUT_OF_MEMORY;
}

/* Whether a draw of the pass is what the change is of. */
static bool
concerns_draw(const struct cm_change *change, const struct cm_draw *draw)
{
   bool has_texture = false;
   switch (change->type) {
   case CM_CHANGE_EARLY_TESTS: return draw->tests.late && draw->fragment_shader.id == change->number;
   case CM_CHANGE_COARSER_MESH: return draw->vertex_shader.id == change->number;
   case CM_CHANGE_FETCH_ONCE: return draw->index_buffer && draw->vertex_shader.id == change->number;
   default:
      for (uint32_t unit = 0; unit < draw->num_textures; unit++)
         has_texture |= draw->textures[unit].resource == change->number;
      return has_texture;
   }
}

static bool
concerns_any_draw(const struct cm_change *change, const struct cm_pass *pass)
{
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      if (concerns_draw(change, &pass->draws[d]))
         return true;
   }
   return false;
}

/* Whether the change leaves the pass as it is. */
static bool
is_untouched(const struct cm_change *change, const struct cm_changed_pass *changed,
             const struct cm_pass *pass)
{
   const bool of_target = cm_pass_target(pass) == change->number;
   switch (change->type) {
   case CM_CHANGE_ATTACHMENTS: return !changed;
   case CM_CHANGE_FRONT_TO_BACK: return !of_target || pass->kind != CM_PASS_FULL;
   case CM_CHANGE_HALF_ATTRIBUTES: return !of_target;
   case CM_CHANGE_EARLY_TESTS:
   case CM_CHANGE_MIPMAPS:
   case CM_CHANGE_COARSER_MESH:
   case CM_CHANGE_FETCH_ONCE: return !concerns_any_draw(change, pass);
   default: return true;
   }
}

/* The pass of that number in the recorded stream. */
static enum cm_changer_result
change_pass(struct stage *stage, uint64_t number, const struct cm_pass **pass)
{
   const struct cm_change *change = stage->change;
   const struct cm_changed_pass *changed = changed_pass(stage, number);
   bool ok = true;
   if (change->type == CM_CHANGE_SKIP_PASSES && changed)
      return CM_CHANGER_SKIPPED;
   if (change->type == CM_CHANGE_JOIN_PASSES)
      return join_passes(stage, changed, pass);
   if (change->type == CM_CHANGE_MERGE_PASSES)
      return merge_passes(stage, changed, pass);
   if (is_untouched(change, changed, *pass))
      return CM_CHANGER_PASS;
   stage->pass = **pass;
   stage->pass.deferred = NULL;
   switch (change->type) {
   case CM_CHANGE_ATTACHMENTS: change_attachments(&stage->pass, changed, !stage->is_of_joined); break;
   case CM_CHANGE_COARSER_MESH: ok = coarsen(stage, *pass); break;
   case CM_CHANGE_FETCH_ONCE: ok = fetch_once(stage, *pass); break;
   case CM_CHANGE_HALF_ATTRIBUTES: ok = halve_attributes(stage, *pass); break;
   default: ok = change_tiles(stage, *pass); break;
   }
   *pass = &stage->pass;
   return ok ? CM_CHANGER_PASS : CM_CHANGER_OUT_OF_MEMORY;
}

enum cm_changer_result
cm_changer_pass(struct cm_changer *changer, const struct cm_pass **pass)
{
   const uint64_t number = changer->next++;
   enum cm_changer_result result = CM_CHANGER_PASS;
   for (uint32_t s = 0; s < changer->num_stages && result == CM_CHANGER_PASS; s++)
      result = change_pass(&changer->stages[s], number, pass);
   return result;
}
