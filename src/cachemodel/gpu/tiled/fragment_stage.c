/* SPDX-License-Identifier: MIT */
/* The Fragment Processors: which one takes a quad, its shaders, its texture
 * reads through that processor's texture cache. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/attribution_internal.h"
#include "gpu/gpu_internal.h"
#include "gpu/tiled/shading.h"
#include "gpu/compute/storage.h"
#include "texture/texel_order.h"
#include "util/minmax.h"

#define NO_DRAW UINT32_MAX

bool
cm_fragment_stage_bind(struct cm_fragment_stage *stage)
{
   struct cm_gpu *gpu = stage->gpu;
   const struct cm_pass *pass = gpu->pass;
   struct cm_resource *(*textures)[CM_MAX_TEXTURE_UNITS];
   if (!cm_array_reserve(&stage->draw_textures, pass->num_draws, sizeof *textures))
      return false;
   textures = stage->draw_textures.data;
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const struct cm_draw *draw = &pass->draws[d];
      memset(textures[d], 0, sizeof textures[d]);
      for (uint32_t unit = 0; unit < draw->num_textures && unit < CM_MAX_TEXTURE_UNITS; unit++) {
         struct cm_resource *resource = cm_address_space_use(&gpu->space, draw->textures[unit].resource);
         if (!resource)
            continue;
         resource->sampled = true;
         textures[d][unit] = resource;
      }
   }
   return true;
}

/* ---- quads ------------------------------------------------------------- */

static uint32_t
least_work(const struct cm_shading *shading)
{
   uint32_t least = 0;
   for (uint32_t p = 1; p < shading->processors; p++) {
      if (shading->work[p] < shading->work[least])
         least = p;
   }
   return least;
}

/* A quad's place in the tile: the number of its block, or its own. */
static inline uint32_t
place_of(const struct cm_shading *shading, const struct cm_quad *quad)
{
   switch (shading->scheduler) {
   case CM_SCHEDULER_QUAD_BLOCK: return cm_z_order(quad->x >> 1, quad->y >> 1);
   case CM_SCHEDULER_SUB_TILE: return cm_z_order(quad->x, quad->y);
   default: return 0;
   }
}

/* Which processor takes a quad. */
static inline uint32_t
choose_processor(struct cm_shading *shading, uint32_t place)
{
   switch (shading->scheduler) {
   case CM_SCHEDULER_QUAD_BLOCK: return place % shading->processors;
   case CM_SCHEDULER_SUB_TILE: return place * shading->processors / shading->tile_quads;
   case CM_SCHEDULER_TILE: return shading->tile % shading->processors;
   case CM_SCHEDULER_LEAST_WORK: return least_work(shading);
   default: return cm_shading_next_processor(shading);
   }
}

/* Assigns a quad to a processor, which fetches the shader. */
static inline void
take_quad(struct cm_shading *shading, const struct cm_quad *quad, uint32_t processor)
{
   if (cm_shading_switches_shader(shading, processor)) {
      shading->pipeline[CM_PIPELINE_PROGRAM_SWITCHES]++;
      if (shading->worker)
         cm_shading_worker_fetch_shader(shading->worker, shading->draw_number, processor);
      else
         cm_gpu_fetch_shader(shading->gpu, CM_SHADER_FRAGMENT, &shading->draw->fragment_shader, processor);
   }
   shading->pipeline[CM_PIPELINE_QUADS]++;
   shading->pipeline[CM_PIPELINE_FRAGMENTS] += cm_quad_fragments(quad->live);
}

/* Areas of textures that were bound to a unit. */
static void
forget_areas(struct cm_shading *shading, const struct cm_texture_unit *unit)
{
   const uint32_t instances = shading->gpu->hierarchy.entry[CM_STREAM_TEXTURE].instances;
   for (uint32_t i = 0; unit->areas && i < instances; i++) {
      struct cm_texture_area *areas = shading->texture->areas + i * CM_AREAS + unit->areas - 1;
      areas[0].key = areas[1].key = CM_NO_AREA;
   }
}

void
cm_shading_take_draw(struct cm_shading *shading, uint32_t number)
{
   assert(number < shading->gpu->pass->num_draws);
   const struct cm_draw *draw = &shading->gpu->pass->draws[number];
   struct cm_resource *const *textures = cm_fragment_stage_textures(shading->stage, number);
   for (uint32_t unit = 0; unit < draw->num_textures && unit < CM_MAX_TEXTURE_UNITS; unit++) {
      const struct cm_resource *resource = textures[unit];
      forget_areas(shading, &shading->units[unit]);
      if (resource)
         cm_texture_unit_bind(&shading->units[unit], &draw->textures[unit], resource->layout,
                              resource->address, resource->bytes);
      else
         cm_texture_unit_unbind(&shading->units[unit]);
   }
   cm_gpu_attribute_draw(shading->gpu, number);
   shading->draw_number = number;
   shading->draw = draw;
   shading->without_shader = 0;
   for (uint32_t p = 0; p < shading->processors; p++)
      shading->without_shader += shading->at_draw[p] != number;
}

static uint8_t
attributes_of(const struct cm_pass *pass, const struct cm_quad *quad)
{
   return quad->primitive < pass->num_primitives ? (uint8_t)pass->primitives[quad->primitive].num_attributes
                                                 : 1;
}

/* Logs for timing that a quad has run. */
static __attribute__((noinline)) void
time_quad(struct cm_shading *shading, const struct cm_quad *quad, uint32_t processor, uint64_t footprints)
{
   const struct cm_logged_quad timed = {
      .primitive = quad->primitive,
      .draw = shading->draw_number,
      .instructions = shading->draw->fragment_shader.instructions,
      .footprints = (uint16_t)(footprints < UINT16_MAX ? footprints : UINT16_MAX),
      .processor = (uint8_t)processor,
      .attributes = attributes_of(shading->gpu->pass, quad) & 127,
      .shaded = true,
   };
   cm_timing_quad(shading->gpu->timing, &timed);
}

/* Quads that run no shader, but are rasterised and tested. */
static void
time_hidden_quads(struct cm_gpu *gpu, const uint32_t *word)
{
   const struct cm_pass *pass = gpu->pass;
   const struct cm_quad *quads = (const struct cm_quad *)(word + 2);
   for (uint32_t q = 0; q < cm_event_count(*word); q++) {
      const uint32_t primitive = quads[q].primitive;
      const struct cm_logged_quad timed = {
         .primitive = primitive,
         .draw = primitive < pass->num_primitives ? pass->primitives[primitive].draw : CM_NOT_ATTRIBUTED,
         .attributes = attributes_of(pass, &quads[q]) & 127,
      };
      cm_timing_quad(gpu->timing, &timed);
   }
}

/* ---- groups of quads --------------------------------------------------- */

/* Sorts an instruction's footprints by quad. Inlined: most events have a single one. */
static inline __attribute__((always_inline)) bool
add_footprints(struct cm_shading *shading, struct cm_run *run, const uint32_t *event)
{
   const uint32_t count = cm_event_count(*event);
   const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
   struct cm_texture_unit *unit = cm_shading_unit(shading, event);
   if (!cm_shading_make_room(shading, count))
      return false;
   struct cm_quad_read *reads = shading->reads.data;
   uint32_t n = shading->num_reads;
   for (uint32_t i = 0; i < count; i++) {
      const unsigned quad = footprints[i].quad & 3;
      reads[n] = (struct cm_quad_read){.footprint = &footprints[i], .unit = unit, .next = CM_NO_READ};
      if (run->first[quad] == CM_NO_READ)
         run->first[quad] = n;
      else
         reads[run->last[quad]].next = n;
      run->last[quad] = n++;
   }
   shading->num_reads = n;
   return true;
}

/* Takes a shade event, those that continue it and their footprints; returns their end,
 * NULL when out of memory. */
static inline __attribute__((always_inline)) const uint32_t *
take_group(struct cm_shading *shading, const uint32_t *group, const uint32_t *end)
{
   const uint32_t *word = group;
   if (group[1] != shading->draw_number)
      cm_shading_take_draw(shading, group[1]);
   shading->group = group;
   shading->num_runs = 0;
   shading->num_reads = 0;
   do {
      struct cm_run *run = &shading->runs[shading->num_runs++];
      run->quads = (const struct cm_quad *)(word + 2);
      memset(run->first, 0xff, sizeof run->first);
      word = cm_event_next(word);
      for (; word < end && cm_event_is_access(*word); word = cm_event_next(word)) {
         /* Accesses to storage are left out where that has no stream. */
         if (cm_event_type(*word) == CM_EVENT_FOOTPRINTS && !add_footprints(shading, run, word)) {
            shading->group = NULL;
            return NULL;
         }
      }
   } while (word < end && cm_event_continues(*word) && shading->num_runs < CM_MAX_RUNS);
   return word;
}

static inline uint32_t
resource_of(const struct cm_quad_read *read)
{
   return read->unit->binding ? read->unit->binding->resource : 0;
}

/* Reads and counts a quad's footprints, each for its resource. Returns how many. */
static __attribute__((noinline)) uint64_t
read_attributed(struct cm_shading *shading, uint32_t first, uint32_t processor, struct cm_cache *cache)
{
   struct cm_gpu *gpu = shading->gpu;
   const struct cm_quad_read *reads = shading->reads.data;
   uint64_t footprints = 0;
   for (uint32_t n = first; n != CM_NO_READ; n = reads[n].next, footprints++) {
      if (cm_gpu_is_other_resource(gpu, resource_of(&reads[n]))) {
         cm_texture_unit_finish_reads(shading->texture, cache);
         cm_gpu_attribute_texture(gpu, resource_of(&reads[n]));
      }
      cm_texture_unit_read(shading->texture, reads[n].unit, reads[n].footprint, processor, cache);
      shading->pipeline[CM_PIPELINE_FOOTPRINTS]++;
   }
   return footprints;
}

/* Groups after which it is tried again whether areas are of use, and how many groups that takes. */
#define AREA_PERIOD 1024
#define AREA_TRIAL 16

/* Whether reads are compared with areas: where each quad reads other blocks than the last one, or changes the cache, it
 * would only cost. */
static inline bool
uses_areas(struct cm_shading *shading)
{
   const uint32_t n = shading->area_groups++ % AREA_PERIOD;
   if (n == 0)
      shading->area_reads = shading->area_misses = 0;
   if (n == AREA_TRIAL)
      shading->areas_help = 4 * shading->area_misses < 3 * shading->area_reads;
   return n < AREA_TRIAL || shading->areas_help;
}

/* What a quad does on its processor, in a run. Returns its footprints. attributes: they are counted by resource. areas: they
 * are compared with areas. */
static inline __attribute__((always_inline)) uint64_t
run_on_processor(struct cm_shading *shading, const struct cm_run *run, uint32_t number, uint32_t processor,
                 bool attributes, bool areas)
{
   const struct cm_quad_read *reads = shading->reads.data;
   take_quad(shading, &run->quads[number], processor);
   struct cm_cache *cache = cm_texture_path_cache(shading->texture, processor);
   uint64_t footprints = 0;
   if (__builtin_expect(attributes, false)) {
      footprints = read_attributed(shading, run->first[number], processor, cache);
   } else if (areas) {
      footprints = cm_shading_read_in_areas(shading, run->first[number], processor, cache);
      shading->pipeline[CM_PIPELINE_FOOTPRINTS] += footprints;
   } else {
      for (uint32_t n = run->first[number]; n != CM_NO_READ; n = reads[n].next, footprints++)
         cm_texture_unit_read(shading->texture, reads[n].unit, reads[n].footprint, processor, cache);
      shading->pipeline[CM_PIPELINE_FOOTPRINTS] += footprints;
   }
   cm_texture_unit_finish_reads(shading->texture, cache);
   return footprints;
}

/* What the group's quad of that number does, in all its runs. place: as of place_of. in_turn:
 * processors take quads in turn, and timing does not log each. areas: as of run_on_processor. */
static inline __attribute__((always_inline)) void
run_quad(struct cm_shading *shading, uint32_t number, uint32_t place, bool in_turn, bool areas)
{
   for (uint32_t r = 0; r < shading->num_runs; r++) {
      const struct cm_run *run = &shading->runs[r];
      const struct cm_quad *quad = &run->quads[number];
      if (!quad->live)
         continue;
      const uint32_t processor =
         in_turn ? cm_shading_next_processor(shading) : choose_processor(shading, place);
      const uint64_t footprints =
         run_on_processor(shading, run, number, processor, !in_turn && shading->attributes_each, areas);
      if (in_turn)
         continue;
      shading->work[processor] += shading->draw->fragment_shader.instructions + footprints;
      if (shading->times_each)
         time_quad(shading, quad, processor, footprints);
   }
}

/* ---- groups of shaders with storage -------------------------------------- */

static inline bool
has_storage(const struct cm_shading *shading, const uint32_t *group)
{
   return __builtin_expect(shading->has_storage, false) && shading->gpu->pass->draws[group[1]].storage;
}

/* Reads the footprints of a quad in an event. Returns how many. */
static uint32_t
read_footprints(struct cm_shading *shading, const uint32_t *event, uint32_t number, uint32_t processor)
{
   struct cm_gpu *gpu = shading->gpu;
   const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
   const uint32_t count = cm_event_count(*event);
   struct cm_cache *cache = cm_texture_path_cache(shading->texture, processor);
   struct cm_texture_unit *unit = cm_shading_unit(shading, event);
   uint32_t read = 0;
   if (shading->attributes_each)
      cm_gpu_attribute_texture(gpu, unit->binding ? unit->binding->resource : 0);
   for (uint32_t i = 0; i < count; i++) {
      if ((footprints[i].quad & 3) != number)
         continue;
      cm_texture_unit_read(shading->texture, unit, &footprints[i], processor, cache);
      read++;
   }
   cm_texture_unit_finish_reads(shading->texture, cache);
   gpu->pipeline[CM_PIPELINE_FOOTPRINTS] += read;
   return read;
}

/* What a quad does in a run, instruction by instruction. */
static void
run_with_storage(struct cm_shading *shading, const uint32_t *run, const uint32_t *end, uint32_t number,
                 uint32_t processor)
{
   const struct cm_quad *quad = (const struct cm_quad *)(run + 2) + number;
   uint64_t footprints = 0, accesses = 0;
   for (const uint32_t *event = cm_event_next(run); event < end && cm_event_is_access(*event);
        event = cm_event_next(event)) {
      if (cm_event_type(*event) == CM_EVENT_FOOTPRINTS)
         footprints += read_footprints(shading, event, number, processor);
      else
         accesses += cm_storage_access(shading->stage->storage, shading->draw->storage - 1, event, number,
                                       number + 1, quad->live, processor);
   }
   shading->work[processor] += shading->draw->fragment_shader.instructions + footprints;
   if (shading->times_each)
      time_quad(shading, quad, processor, footprints + accesses);
}

/* A quad of a group, all its runs; returns the group's end. */
static const uint32_t *
run_quad_with_storage(struct cm_shading *shading, const uint32_t *group, const uint32_t *end, uint32_t number,
                      uint32_t place)
{
   const uint32_t *word = group;
   if (group[1] != shading->draw_number)
      cm_shading_take_draw(shading, group[1]);
   do {
      const struct cm_quad *quad = (const struct cm_quad *)(word + 2) + number;
      if (quad->live) {
         const uint32_t processor = choose_processor(shading, place);
         take_quad(shading, quad, processor);
         run_with_storage(shading, word, end, number, processor);
      }
      word = cm_group_next_run(word, end);
   } while (word < end && cm_event_continues(*word));
   return word;
}

static __attribute__((noinline)) const uint32_t *
run_group_with_storage(struct cm_shading *shading, const uint32_t *group, const uint32_t *end)
{
   const struct cm_quad *quads = (const struct cm_quad *)(group + 2);
   const uint32_t *next = group;
   for (uint32_t q = 0; q < cm_min(cm_event_count(*group), 4); q++)
      next = run_quad_with_storage(shading, group, end, q, place_of(shading, &quads[q]));
   return next;
}

bool
cm_shading_run_quad(struct cm_shading *shading, const uint32_t *group, const uint32_t *end, uint32_t number,
                    uint32_t block)
{
   if (has_storage(shading, group)) {
      run_quad_with_storage(shading, group, end, number, block);
      return true;
   }
   if (group != shading->group && !take_group(shading, group, end))
      return false;
   run_quad(shading, number, block, false, false);
   return true;
}

/* ---- tiles ------------------------------------------------------------- */

/* Whether the quads of a group run once, each on a processor of its own that holds the shader: what they read is in
 * no order then, as long as it changes nothing. next: the group's next run. */
static inline bool
has_own_processors(const struct cm_shading *shading, const uint32_t *next, const uint32_t *end)
{
   return !shading->without_shader && !(next < end && cm_event_continues(*next));
}

/* Runs the quads of a group; returns its end, NULL when out of memory. */
static inline __attribute__((always_inline)) const uint32_t *
run_group(struct cm_shading *shading, const uint32_t *group, const uint32_t *end)
{
   const struct cm_quad *quads = (const struct cm_quad *)(group + 2);
   const uint32_t count = cm_min(cm_event_count(*group), 4);
   const bool areas = shading->has_areas && uses_areas(shading);
   const uint32_t *next;
   if (areas && shading->has_four) {
      if (group[1] != shading->draw_number)
         cm_shading_take_draw(shading, group[1]);
      next = cm_group_next_run(group, end);
      if (has_own_processors(shading, next, end))
         return cm_own_processors_run(shading, group, next) ? next : NULL;
   }
   next = take_group(shading, group, end);
   if (!next)
      return NULL;
   if (shading->in_turn) {
      for (uint32_t q = 0; q < count; q++)
         run_quad(shading, q, 0, true, areas);
   } else {
      for (uint32_t q = 0; q < count; q++)
         run_quad(shading, q, place_of(shading, &quads[q]), false, areas);
   }
   return next;
}

/* Whether the quads of a shade event, `next` being the event after it, read nothing (neither
 * textures nor, as all processors hold it, their shader), and which processor has run one
 * does not matter to later ones. */
static inline bool
reads_nothing(const struct cm_shading *shading, const uint32_t *word, const uint32_t *next,
              const uint32_t *end)
{
   return word[1] == shading->draw_number && !shading->without_shader && !shading->counts_each &&
          (next == end || (!cm_event_is_access(*next) && !cm_event_continues(*next)));
}

/* Assigns the quads of such an event to processors: round-robin, to the next ones. */
static void
count_quads(struct cm_shading *shading, const uint32_t *word)
{
   const struct cm_quad *quads = (const struct cm_quad *)(word + 2);
   const uint32_t count = cm_event_count(*word);
   uint32_t running = 0, fragments = 0;
   for (uint32_t q = 0; q < count && q < 4; q++) {
      running += quads[q].live != 0;
      fragments += cm_quad_fragments(quads[q].live);
   }
   shading->next += running;
   while (shading->next >= shading->processors)
      shading->next -= shading->processors;
   shading->pipeline[CM_PIPELINE_QUADS] += running;
   shading->pipeline[CM_PIPELINE_FRAGMENTS] += fragments;
}

bool
cm_shading_run_tile(struct cm_shading *shading, const struct cm_tile_events *events, uint32_t position)
{
   struct cm_gpu *gpu = shading->gpu;
   if (!events->num_words)
      return true;
   cm_shading_begin(shading);
   shading->tile = position;
   const uint32_t *end = events->words + events->num_words;
   for (const uint32_t *word = events->words; word < end;) {
      const uint32_t *next = cm_event_next(word);
      if (cm_event_type(*word) == CM_EVENT_SHADE) {
         if (has_storage(shading, word))
            next = run_group_with_storage(shading, word, end);
         else if (reads_nothing(shading, word, next, end))
            count_quads(shading, word);
         else
            next = run_group(shading, word, end);
      } else if (shading->times_each && cm_event_type(*word) == CM_EVENT_UNSHADED) {
         time_hidden_quads(gpu, word);
      }
      if (!next)
         return false;
      word = next;
   }
   return true;
}

bool
cm_fragment_stage_is_deferred(const struct cm_gpu *gpu)
{
   return gpu->pass->kind == CM_PASS_FULL && gpu->config.mode == CM_MODE_TBDR;
}

bool
cm_fragment_stage_run(struct cm_fragment_stage *stage, uint32_t tile)
{
   struct cm_gpu *gpu = stage->gpu;
   assert(gpu->pass->kind != CM_PASS_COMPUTE);
   const struct cm_tile_events *events = &gpu->pass->tiles[tile];
   if (cm_fragment_stage_is_deferred(gpu) && gpu->pass->deferred) {
      events = &gpu->pass->deferred[tile];
   } else if (cm_fragment_stage_is_deferred(gpu)) {
      if (!cm_deferred_build(&stage->deferred, events))
         return false;
      events = stage->deferred.result;
   }
   if (!cm_shading_run_tile(stage->shading, events, gpu->positions[tile]))
      return false;
   if (cm_config_counts_operations(&gpu->config))
      cm_operations_tile(gpu, &gpu->pass->tiles[tile], events, gpu->operations);
   return true;
}

bool
cm_fragment_stage_init(struct cm_fragment_stage *stage, struct cm_gpu *gpu, struct cm_storage_stage *storage)
{
   *stage = (struct cm_fragment_stage){.gpu = gpu, .storage = storage};
   stage->shading = cm_shading_create(stage, NULL);
   return stage->shading;
}

void
cm_fragment_stage_finish(struct cm_fragment_stage *stage)
{
   free(stage->draw_textures.data);
   cm_deferred_finish(&stage->deferred);
   cm_shading_destroy(stage->shading);
}

/* ---- processors -------------------------------------------------------- */

struct cm_shading *
cm_shading_create(const struct cm_fragment_stage *stage, struct cm_shading_worker *worker)
{
   struct cm_gpu *gpu = stage->gpu;
   struct cm_shading *shading = calloc(1, sizeof *shading);
   assert(gpu->config.fragment_stage.processors <= CM_MAX_PROCESSORS);
   if (!shading)
      return NULL;
   shading->gpu = gpu;
   shading->stage = stage;
   shading->worker = worker;
   shading->texture = worker ? &worker->texture : &gpu->texture;
   shading->pipeline = worker ? worker->pipeline : gpu->pipeline;
   shading->processors = gpu->config.fragment_stage.processors;
   shading->scheduler = gpu->config.fragment_stage.scheduler;
   shading->tile_quads = gpu->config.tile.size * gpu->config.tile.size / 4;
   shading->times_each = gpu->timing && gpu->config.mode != CM_MODE_IMR;
   shading->attributes_each = gpu->attribution && gpu->attribution->is_by_resource;
   shading->in_turn =
      shading->scheduler == CM_SCHEDULER_ROUND_ROBIN && !shading->times_each && !shading->attributes_each;
   const uint32_t instances = gpu->hierarchy.entry[CM_STREAM_TEXTURE].instances;
   shading->has_areas = shading->texture->areas && !shading->times_each && !shading->attributes_each;
   shading->has_four = shading->has_areas && shading->in_turn && shading->processors >= 4 && instances >= 4 &&
                       shading->processors % instances == 0;
   for (uint32_t unit = 0; shading->has_areas && unit < cm_min(CM_AREA_UNITS, CM_MAX_TEXTURE_UNITS); unit++)
      shading->units[unit].areas = 1 + 2 * unit;
   shading->counts_each = shading->scheduler == CM_SCHEDULER_LEAST_WORK || shading->times_each;
   return shading;
}

void
cm_shading_destroy(struct cm_shading *shading)
{
   if (!shading)
      return;
   free(shading->reads.data);
   free(shading);
}

void
cm_shading_begin(struct cm_shading *shading)
{
   shading->next = 0;
   shading->group = NULL;
   shading->draw_number = NO_DRAW;
   shading->has_storage = shading->stage->storage->is_used;
   shading->without_shader = shading->processors;
   memset(shading->work, 0, sizeof shading->work);
   for (uint32_t p = 0; p < shading->processors; p++)
      shading->at_draw[p] = NO_DRAW;
}
