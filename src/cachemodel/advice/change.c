/* SPDX-License-Identifier: MIT */
#include "advice/change.h"

#include <stdlib.h>
#include <string.h>

#include "advice/join.h"
#include "util/array.h"
#include "util/minmax.h"

struct cm_changer {
   const struct cm_change *change;
   uint64_t next;                          /* number of the next pass */
   uint32_t next_changed;                  /* in change->passes */
   bool has_texture;                       /* change->number is defined */
   struct cm_resource_description texture; /* as defined */
   struct cm_pass pass;                    /* the changed one */
   struct cm_array draws, primitives, vertices, primitive_tiles, tiles, seen, counts, order, sorted;
   struct cm_tile_events words; /* of all tiles */
   struct cm_pass_join *join;
   uint32_t levels; /* that the texture's last whole footprint becomes coarser */
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
add_footprints(struct cm_changer *changer, const struct cm_draw *draw, const uint32_t *event,
               const uint8_t live[4])
{
   const struct cm_change *change = changer->change;
   const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
   const uint32_t unit = cm_event_unit(*event);
   const struct cm_texture_binding *binding = unit < draw->num_textures ? &draw->textures[unit] : NULL;
   const bool coarser = change->type == CM_CHANGE_MIPMAPS && changer->has_texture && binding &&
                        binding->resource == change->number;
   const size_t header = changer->words.num_words;
   uint32_t kept = 0;
   if (!add_words(&changer->words, event, 1))
      return false;
   for (uint32_t f = 0; f < cm_event_count(*event); f++) {
      struct cm_footprint footprint = footprints[f];
      footprint.live &= live[footprint.quad & 3];
      if (!footprint.live)
         continue;
      if (coarser) {
         /* Of the original: quads at an edge, which have not all fragments, are like the one before them. */
         if (footprints[f].live == 15)
            changer->levels =
               cm_levels_coarser(cm_footprint_step(&footprints[f], binding, &changer->texture));
         const uint32_t levels = changer->levels;
         const uint32_t size = cm_max(changer->texture.width, changer->texture.height) >>
                               cm_min(binding->first_level, CM_MAX_LEVELS);
         const uint32_t last = 31 - (uint32_t)__builtin_clz(cm_max(size, 1));
         const uint32_t level = cm_min(footprint.level + levels, cm_max(last, footprint.level));
         for (unsigned i = 0; i < 4; i++) {
            footprint.texel[i].x = (int16_t)(footprint.texel[i].x >> (level - footprint.level));
            footprint.texel[i].y = (int16_t)(footprint.texel[i].y >> (level - footprint.level));
         }
         footprint.level = (uint8_t)level;
      }
      if (!add_words(&changer->words, &footprint, CM_FOOTPRINT_WORDS))
         return false;
      kept++;
   }
   if (kept)
      changer->words.words[header] = cm_event_with_count(*event, kept);
   else
      changer->words.num_words = header;
   return true;
}

/* Adds an event of quads; live: the fragments that still run, of each. */
static bool
add_quads(struct cm_changer *changer, const struct cm_pass *pass, const uint32_t *event, uint8_t live[4])
{
   const struct cm_change *change = changer->change;
   const struct cm_quad *quads = (const struct cm_quad *)(event + 2);
   const struct cm_draw *draw = &pass->draws[event[1]];
   if (!add_words(&changer->words, event, 2))
      return false;
   for (uint32_t q = 0; q < cm_event_count(*event); q++) {
      struct cm_quad quad = quads[q];
      const uint32_t *merged = changer->seen.data;
      quad.live = (uint8_t)running(change, draw, *event, &quad) & 15;
      quad.visible &= quad.live;
      quad.written &= quad.live;
      if (change->type == CM_CHANGE_COARSER_MESH && quad.primitive < pass->num_primitives)
         quad.primitive = merged[quad.primitive];
      live[q & 3] = quad.live;
      if (!add_words(&changer->words, &quad, CM_QUAD_WORDS))
         return false;
   }
   return true;
}

static bool
change_words(struct cm_changer *changer, const struct cm_pass *pass, const struct cm_tile_events *tile)
{
   const uint32_t *word = tile->words, *end = word + tile->num_words;
   const struct cm_draw *draw = NULL;
   uint8_t live[4] = {0};
   for (; word < end; word = cm_event_next(word)) {
      bool fine;
      switch (cm_event_type(*word)) {
      case CM_EVENT_SHADE:
      case CM_EVENT_UNSHADED:
         draw = &pass->draws[word[1]];
         fine = add_quads(changer, pass, word, live);
         break;
      case CM_EVENT_FOOTPRINTS: fine = add_footprints(changer, draw, word, live); break;
      default: fine = add_words(&changer->words, word, (size_t)(cm_event_next(word) - word)); break;
      }
      if (!fine)
         return false;
   }
   return true;
}

/* Gives the pass tiles with changed words. */
static bool
change_tiles(struct cm_changer *changer, const struct cm_pass *pass)
{
   const uint32_t count = pass->tiles_x * pass->tiles_y;
   if (!cm_array_reserve(&changer->tiles, count, sizeof(struct cm_tile_events)))
      return false;
   struct cm_tile_events *tiles = changer->tiles.data;
   changer->words.num_words = 0;
   for (uint32_t t = 0; t < count; t++) {
      const size_t first = changer->words.num_words;
      if (!change_words(changer, pass, &pass->tiles[t]))
         return false;
      tiles[t] = (struct cm_tile_events){.num_words = changer->words.num_words - first, .capacity = first};
   }
   /* The words have moved while they grew: where a tile's begin was kept in its capacity. */
   for (uint32_t t = 0; t < count; t++) {
      tiles[t].words = tiles[t].num_words ? changer->words.words + tiles[t].capacity : NULL;
      tiles[t].capacity = tiles[t].num_words;
   }
   changer->pass.tiles = tiles;
   return true;
}

/* ---- vertices and primitives ------------------------------------------------------ */

static struct cm_draw *
copy_draws(struct cm_changer *changer, const struct cm_pass *pass)
{
   if (!cm_array_reserve(&changer->draws, pass->num_draws, sizeof(struct cm_draw)))
      return NULL;
   memcpy(changer->draws.data, pass->draws, pass->num_draws * sizeof(struct cm_draw));
   return changer->pass.draws = changer->draws.data;
}

/* Puts a draw's vertices so that each is followed by its repetitions, in the order of their first ones. */
static bool
group_vertices(struct cm_changer *changer, const uint32_t *fetched, uint32_t count, uint32_t *grouped)
{
   if (!cm_array_reserve(&changer->seen, (size_t)count + 1, sizeof(uint32_t)) ||
       !cm_array_reserve(&changer->counts, (size_t)count + 1, sizeof(uint32_t)) ||
       !cm_array_reserve(&changer->order, (size_t)count + 1, sizeof(uint32_t)))
      return false;
   uint32_t *number = changer->seen.data, *ends = changer->counts.data, *order = changer->order.data;
   const uint32_t distinct = cm_number_vertices(&changer->sorted, fetched, count, number);
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
fetch_once(struct cm_changer *changer, const struct cm_pass *pass)
{
   if (!cm_array_reserve(&changer->vertices, pass->num_vertices, sizeof(uint32_t)))
      return false;
   uint32_t *vertices = changer->vertices.data;
   if (pass->num_vertices)
      memcpy(vertices, pass->vertices, pass->num_vertices * sizeof *vertices);
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const struct cm_draw *draw = &pass->draws[d];
      if (draw->index_buffer && draw->vertex_shader.id == changer->change->number &&
          !group_vertices(changer, pass->vertices + draw->first_vertex, draw->num_vertices,
                          vertices + draw->first_vertex))
         return false;
   }
   changer->pass.vertices = vertices;
   return true;
}

/* The tiles of primitives one after another, each once; their number. */
static uint32_t
join_tiles(uint32_t *tiles, const struct cm_pass *pass, const struct cm_primitive *primitives, uint32_t count)
{
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
coarsen(struct cm_changer *changer, const struct cm_pass *pass)
{
   struct cm_draw *draws = copy_draws(changer, pass);
   if (!draws || !cm_array_reserve(&changer->primitives, pass->num_primitives, sizeof(struct cm_primitive)) ||
       !cm_array_reserve(&changer->primitive_tiles, pass->num_primitive_tiles, sizeof(uint32_t)) ||
       !cm_array_reserve(&changer->seen, pass->num_primitives, sizeof(uint32_t)))
      return false;
   struct cm_primitive *primitives = changer->primitives.data;
   uint32_t *tiles = changer->primitive_tiles.data, *merged = changer->seen.data;
   uint32_t kept = 0;
   uint64_t num_tiles = 0;
   for (uint32_t p = 0, count; p < pass->num_primitives; p += count) {
      const uint32_t draw = pass->primitives[p].draw;
      const uint32_t most =
         draws[draw].vertex_shader.id == changer->change->number ? CM_CHANGE_COARSER_BY : 1;
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
      if (draws[d].vertex_shader.id == changer->change->number)
         draws[d].num_vertices = (draws[d].num_vertices + CM_CHANGE_COARSER_BY - 1) / CM_CHANGE_COARSER_BY;
   }
   changer->pass.primitives = primitives;
   changer->pass.num_primitives = kept;
   changer->pass.primitive_tiles = tiles;
   changer->pass.num_primitive_tiles = num_tiles;
   changer->pass.attribute_blocks = 0;
   return change_tiles(changer, pass);
}

static bool
halve_attributes(struct cm_changer *changer, const struct cm_pass *pass)
{
   if (!cm_array_reserve(&changer->primitives, pass->num_primitives, sizeof(struct cm_primitive)))
      return false;
   struct cm_primitive *primitives = changer->primitives.data;
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      primitives[p] = pass->primitives[p];
      primitives[p].num_attributes = 1 + primitives[p].num_attributes / 2;
   }
   changer->pass.primitives = primitives;
   changer->pass.attribute_blocks = 0;
   return true;
}

/* ---- attachments ------------------------------------------------------------------ */

static void
change_attachments(struct cm_pass *pass, const struct cm_changed_pass *changed)
{
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      struct cm_attachment *attachment = (struct cm_attachment *)cm_pass_attachment(pass, slot);
      attachment->load &= !(changed->no_load >> slot & 1);
      attachment->store &= !(changed->no_store >> slot & 1);
   }
}

/* What the change says of the pass of that number; NULL: nothing. */
static const struct cm_changed_pass *
changed_pass(struct cm_changer *changer, uint64_t number)
{
   const struct cm_change *change = changer->change;
   while (changer->next_changed < change->num_passes && change->passes[changer->next_changed].pass < number)
      changer->next_changed++;
   if (changer->next_changed == change->num_passes || change->passes[changer->next_changed].pass != number)
      return NULL;
   return &change->passes[changer->next_changed];
}

/* ---- the stream ------------------------------------------------------------------- */

struct cm_changer *
cm_changer_create(const struct cm_change *change)
{
   struct cm_changer *changer = calloc(1, sizeof *changer);
   if (!changer)
      return NULL;
   changer->change = change;
   if (change->type == CM_CHANGE_JOIN_PASSES)
      changer->join = cm_pass_join_create();
   if (changer->join || change->type != CM_CHANGE_JOIN_PASSES)
      return changer;
   free(changer);
   return NULL;
}

void
cm_changer_destroy(struct cm_changer *changer)
{
   if (!changer)
      return;
   cm_changer_pass_end(changer);
   cm_pass_join_destroy(changer->join);
   free(changer);
}

void
cm_changer_pass_end(struct cm_changer *changer)
{
   struct cm_array *const arrays[] = {&changer->draws,           &changer->primitives, &changer->vertices,
                                      &changer->primitive_tiles, &changer->tiles,      &changer->seen,
                                      &changer->counts,          &changer->order,      &changer->sorted};
   for (unsigned a = 0; a < sizeof arrays / sizeof arrays[0]; a++) {
      free(arrays[a]->data);
      *arrays[a] = (struct cm_array){0};
   }
   free(changer->words.words);
   changer->words = (struct cm_tile_events){0};
   if (changer->join)
      cm_pass_join_release(changer->join);
}

struct cm_resource_description
cm_changer_resource(struct cm_changer *changer, const struct cm_resource_description *resource)
{
   const struct cm_change *change = changer->change;
   struct cm_resource_description changed = *resource;
   if (change->number != resource->id || resource->is_buffer)
      return changed;
   if (change->type == CM_CHANGE_COMPRESS) {
      changed.block_width = changed.block_height = 4;
      changed.block_bytes = (uint8_t)change->block_bytes;
   } else if (change->type == CM_CHANGE_MIPMAPS) {
      changer->texture = *resource;
      changer->has_texture = true;
      changed.levels = (uint8_t)(32 - __builtin_clz(cm_max(resource->width, resource->height)));
   }
   return changed;
}

/* A pass that is the first part, the last, or one in between. */
static enum cm_changer_result
join_passes(struct cm_changer *changer, const struct cm_changed_pass *changed, const struct cm_pass **pass)
{
   if (!changed)
      return CM_CHANGER_PASS;
   if (!cm_pass_join_add(changer->join, *pass))
      return CM_CHANGER_OUT_OF_MEMORY;
   if (changed->joins)
      return CM_CHANGER_SKIPPED;
   *pass = cm_pass_join_take(changer->join);
   return CM_CHANGER_PASS;
}

enum cm_changer_result
cm_changer_pass(struct cm_changer *changer, const struct cm_pass **pass)
{
   const struct cm_change *change = changer->change;
   const struct cm_changed_pass *changed = changed_pass(changer, changer->next++);
   const bool of_target = cm_pass_target(*pass) == change->number;
   bool fine = true;
   if (change->type == CM_CHANGE_SKIP_PASSES && changed)
      return CM_CHANGER_SKIPPED;
   if (change->type == CM_CHANGE_JOIN_PASSES)
      return join_passes(changer, changed, pass);
   changer->pass = **pass;
   changer->pass.deferred = NULL;
   switch (change->type) {
   case CM_CHANGE_NONE:
   case CM_CHANGE_SKIP_PASSES:
   case CM_CHANGE_JOIN_PASSES:
   case CM_CHANGE_COMPRESS: return CM_CHANGER_PASS;
   case CM_CHANGE_ATTACHMENTS:
      if (changed)
         change_attachments(&changer->pass, changed);
      break;
   case CM_CHANGE_FRONT_TO_BACK:
      if (!of_target || (*pass)->kind != CM_PASS_FULL)
         return CM_CHANGER_PASS;
      fine = change_tiles(changer, *pass);
      break;
   case CM_CHANGE_EARLY_TESTS:
   case CM_CHANGE_MIPMAPS: fine = change_tiles(changer, *pass); break;
   case CM_CHANGE_FETCH_ONCE: fine = fetch_once(changer, *pass); break;
   case CM_CHANGE_COARSER_MESH: fine = coarsen(changer, *pass); break;
   case CM_CHANGE_HALF_ATTRIBUTES: fine = !of_target || halve_attributes(changer, *pass); break;
   }
   if (!fine)
      return CM_CHANGER_OUT_OF_MEMORY;
   *pass = &changer->pass;
   return CM_CHANGER_PASS;
}
