/* SPDX-License-Identifier: MIT */
/* The Fragment Processors: which one takes a quad, its shaders, its texture reads through its texture cache. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "events/quads.h"
#include "gpu/attribution_internal.h"
#include "gpu/compute/storage.h"
#include "gpu/gpu_internal.h"
#include "gpu/shader_cost.h"
#include "gpu/shading_worker.h"
#include "gpu/tiled/stages.h"
#include "texture/filtered_reads.h"
#include "texture/texel_order.h"
#include "texture/unit.h"
#include "util/minmax.h"

#define NO_DRAW UINT32_MAX

/* What a quad reads of a texture. */
struct texture_read {
   const struct cm_footprint *footprint;
   struct cm_texture_unit *unit;
   struct cm_texel_bounds bounds; /* the footprint's */
};

/* Most reads of a group that is collected. */
#define MAX_COLLECTED 256

/* The Fragment Processors within a tile, or in mode imr a pass. */
struct cm_shading {
   struct cm_gpu *gpu;
   const struct cm_fragment_stage *stage;
   struct cm_shading_worker *worker; /* simulates the processors; NULL: the main thread does */
   struct cm_texture_path *texture;  /* the worker's, or the GPU's */
   uint64_t *pipeline;               /* the same: counters of stages */
   uint32_t processors;
   enum cm_scheduler scheduler;
   bool counts_each;     /* which processor runs a quad matters, if it reads nothing, too */
   bool times_each;      /* timing logs each quad */
   bool attributes_each; /* footprints are counted by resource */
   bool is_plain;        /* none of that, and the caches are as of cm_texture_path_is_plain */
   bool logs_plainly;    /* timing logs each quad, whose reads and instructions are all that matters */
   struct cm_cache *caches[CM_MAX_PROCESSORS]; /* that each reads textures through */
   uint32_t next;                              /* round-robin: which one gets the next quad */
   uint32_t tile, tile_quads;                  /* its position in the traversal; quads that it has room for */
   uint32_t side;                              /* the square root of them */
   uint32_t mirror_x, mirror_y;         /* of the tile's columns and rows: side - 1 or 0, to xor with */
   uint64_t work[CM_MAX_PROCESSORS];    /* least-work: what each has done */
   uint32_t at_draw[CM_MAX_PROCESSORS]; /* draw whose shader a processor holds */
   uint32_t without_shader;             /* processors that do not hold the last group's */
   uint32_t draw_number;                /* of the last group */
   const struct cm_draw *draw;          /* the same */
   const struct cm_shader_code *code;   /* its fragment shader's, if that has control flow; else NULL */
   uint64_t least_instructions;         /* of a quad of it that ran region 0 alone */
   uint64_t instructions[4];            /* of a group's quads, as far as is known */
   uint64_t executed;                   /* in mode imr: instructions of all quads so far */
   bool costs_each;                     /* timing has shader cores: quads have costs */
   bool has_cost;                       /* that of the draw's quads is logged, with this number */
   uint32_t cost;
   const uint32_t *cost_regions; /* which is of quads in this CM_EVENT_REGIONS */
   const uint32_t *regions[4];   /* of a group's quads; NULL: they ran region 0 alone */
   const uint32_t *last_regions; /* of the draw; NULL: none; and what a quad of it ran */
   uint64_t last_ran;
   bool has_kind; /* the last quad that is logged is of the draw, and like this */
   struct cm_logged_kind kind;
   uint32_t unit_samples[CM_MAX_TEXTURE_UNITS];        /* cm_texture_samples */
   uint32_t samples;                                   /* of the quad's reads so far */
   struct cm_texture_unit units[CM_MAX_TEXTURE_UNITS]; /* its; those it uses */
   struct cm_texture_unit no_unit;                     /* what a footprint of a unit beyond names */
   struct texture_read reads[4][MAX_COLLECTED];        /* of a group that is collected, by quad */
   struct texture_read *reads_end[4];
};

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

/* A quad's place in the tile: the number of its block, or its own, or of the first of its row or column. */
static inline uint32_t
place_of(const struct cm_shading *shading, const struct cm_quad *quad)
{
   const uint32_t x = quad->x ^ shading->mirror_x, y = quad->y ^ shading->mirror_y;
   switch (shading->scheduler) {
   case CM_SCHEDULER_QUAD_BLOCK: return cm_z_order(x >> 1, y >> 1);
   case CM_SCHEDULER_SUB_TILE: return cm_z_order(x, y);
   case CM_SCHEDULER_INTERLEAVED: return x + y * (shading->processors / 2);
   case CM_SCHEDULER_ROWS: return y * shading->side;
   case CM_SCHEDULER_COLUMNS: return x * shading->side;
   default: return 0;
   }
}

static inline uint32_t
next_processor(struct cm_shading *shading)
{
   const uint32_t processor = shading->next;
   shading->next = processor + 1 == shading->processors ? 0 : processor + 1;
   return processor;
}

/* Which processor takes a quad. */
static inline uint32_t
choose_processor(struct cm_shading *shading, uint32_t place)
{
   switch (shading->scheduler) {
   case CM_SCHEDULER_INTERLEAVED:
   case CM_SCHEDULER_QUAD_BLOCK: return place % shading->processors;
   case CM_SCHEDULER_ROWS:
   case CM_SCHEDULER_COLUMNS:
   case CM_SCHEDULER_SUB_TILE: return place * shading->processors / shading->tile_quads;
   case CM_SCHEDULER_TILE: return shading->tile % shading->processors;
   case CM_SCHEDULER_LEAST_WORK: return least_work(shading);
   default: return next_processor(shading);
   }
}

/* A processor that is assigned a quad fetches the shader, where it holds another. */
static inline void
hold_shader(struct cm_shading *shading, uint32_t processor)
{
   if (__builtin_expect(shading->at_draw[processor] == shading->draw_number, true))
      return;
   shading->at_draw[processor] = shading->draw_number;
   shading->without_shader--;
   shading->pipeline[CM_PIPELINE_PROGRAM_SWITCHES] += !shading->worker;
   if (shading->worker)
      cm_shading_worker_hold_shader(shading->worker, shading->draw_number, processor);
   else
      cm_gpu_fetch_shader(shading->gpu, shading->draw, CM_SHADER_FRAGMENT, &shading->draw->fragment_shader,
                          processor);
}

/* Counts the quads of a run, the first four at most, that have live fragments; returns how many. */
static inline uint32_t
count_running(struct cm_shading *shading, const struct cm_quad *quads, uint32_t count)
{
   uint32_t live = 0; /* four bits each */
   for (uint32_t q = 0; q < count && q < 4; q++)
      live |= (uint32_t)quads[q].live << 4 * q;
   const uint32_t has_live = (live | live >> 1 | live >> 2 | live >> 3) & 0x1111;
   const uint32_t pairs = (live & 0x5555) + (live >> 1 & 0x5555),
                  sums = (pairs & 0x3333) + (pairs >> 2 & 0x3333);
   const uint32_t bytes = (sums & 0x0f0f) + (sums >> 4 & 0x0f0f);
   const uint32_t running = has_live * 0x1111 >> 12 & 15, fragments = (bytes + (bytes >> 8)) & 31;
   shading->pipeline[CM_PIPELINE_QUADS] += running;
   shading->pipeline[CM_PIPELINE_FRAGMENTS] += fragments;
   return running;
}

/* Whether a run is of four quads whose fragments are all live. */
static inline bool
is_full(const struct cm_quad *quads, uint32_t count)
{
   return count == 4 && CM_FOUR_QUADS(quads, live) == 15;
}

/* Changes to a draw's shader and textures. */
static void
take_draw(struct cm_shading *shading, uint32_t number)
{
   assert(number < shading->gpu->pass->num_draws);
   const struct cm_draw *draw = &shading->gpu->pass->draws[number];
   struct cm_resource *const *textures = cm_fragment_stage_textures(shading->stage, number);
   for (uint32_t unit = 0; unit < draw->num_textures && unit < CM_MAX_TEXTURE_UNITS; unit++)
      cm_gpu_bind_texture(&shading->units[unit], &draw->textures[unit], textures[unit]);
   cm_gpu_attribute_draw(shading->gpu, number);
   shading->draw_number = number;
   shading->draw = draw;
   shading->code = cm_gpu_executed_code(shading->gpu, CM_SHADER_FRAGMENT, draw->fragment_shader.id);
   shading->least_instructions = shading->code ? cm_code_quad_operations(shading->code, CM_PIPE_ISSUE, NULL)
                                               : draw->fragment_shader.instructions;
   shading->without_shader = 0;
   for (uint32_t p = 0; p < shading->processors; p++)
      shading->without_shader += shading->at_draw[p] != number;
   shading->has_cost = shading->has_kind = false;
   shading->last_regions = NULL;
   for (uint32_t unit = 0; shading->costs_each && unit < draw->num_textures && unit < CM_MAX_TEXTURE_UNITS;
        unit++)
      shading->unit_samples[unit] = cm_texture_samples(shading->gpu, &draw->textures[unit], textures[unit]);
}

static uint8_t
attributes_of(const struct cm_pass *pass, const struct cm_quad *quad)
{
   return quad->primitive < pass->num_primitives ? (uint8_t)pass->primitives[quad->primitive].num_attributes
                                                 : 1;
}

/* The number of what a quad costs: of many quads that run the same regions the same. */
static uint32_t
log_cost(struct cm_shading *shading, uint32_t attributes, const uint32_t *regions)
{
   if (!shading->has_cost || shading->cost_regions != regions) {
      const struct cm_shader_cost cost = cm_fragment_cost(shading->gpu, shading->draw, attributes, regions);
      shading->cost = shading->worker ? cm_quad_log_add_cost(shading->worker->quads, &cost)
                                      : cm_timing_cost(shading->gpu->timing, &cost);
      shading->cost_regions = regions;
      shading->has_cost = true;
   }
   return shading->cost;
}

/* The next quads are of a kind: to the timing, or for it in the worker's segment. */
static inline void
log_kind(struct cm_shading *shading, const struct cm_logged_kind *kind)
{
   if (shading->worker)
      cm_quad_log_add_kind(shading->worker->quads, kind);
   else
      cm_timing_kind(shading->gpu->timing, kind);
}

/* The same for a quad. */
static inline void
log_quad(struct cm_shading *shading, uint32_t processor)
{
   if (shading->worker)
      cm_quad_log_add(shading->worker->quads, shading->worker->requests.requests.count, processor);
   else
      cm_timing_quad(shading->gpu->timing, processor);
}

/* Logs the kind of a quad that has run, unless it is that of the last one. */
static __attribute__((noinline)) void
take_kind(struct cm_shading *shading, const struct cm_quad *quad, uint32_t number, uint64_t footprints)
{
   struct cm_logged_kind kind = {
      .primitive = quad->primitive,
      .draw = shading->draw_number,
      .instructions = (uint32_t)cm_min64(shading->instructions[number], CM_MOST_LOGGED_INSTRUCTIONS),
      .footprints = (uint16_t)(footprints < UINT16_MAX ? footprints : UINT16_MAX),
      .attributes = attributes_of(shading->gpu->pass, quad),
      .shaded = true,
   };
   if (shading->costs_each) {
      kind.cost = log_cost(shading, kind.attributes, shading->regions[number]);
      kind.samples = (uint16_t)cm_min(shading->samples, UINT16_MAX);
      kind.pixels = (uint16_t)cm_tile_pixels(shading->draw, quad);
      shading->samples = 0;
   }
   if (shading->has_kind && memcmp(&shading->kind, &kind, sizeof kind) == 0)
      return;
   shading->has_kind = true;
   shading->kind = kind;
   log_kind(shading, &kind);
}

/* Logs for timing that a quad has run. */
static inline void
time_quad(struct cm_shading *shading, const struct cm_quad *quad, uint32_t number, uint32_t processor,
          uint64_t footprints)
{
   const struct cm_logged_kind *kind = &shading->kind;
   if (shading->costs_each || !shading->has_kind || kind->primitive != quad->primitive ||
       kind->footprints != footprints || kind->instructions != shading->instructions[number])
      take_kind(shading, quad, number, footprints);
   log_quad(shading, processor);
}

/* Quads that run no shader, but are rasterised and tested. */
static void
time_hidden_quads(struct cm_shading *shading, const uint32_t *word)
{
   struct cm_gpu *gpu = shading->gpu;
   const struct cm_pass *pass = gpu->pass;
   const bool is_placed = cm_config_places_quads(&gpu->config);
   const struct cm_quad *quads = (const struct cm_quad *)(word + 2);
   shading->has_kind = false;
   for (uint32_t q = 0; q < cm_event_count(*word); q++) {
      const uint32_t primitive = quads[q].primitive;
      const struct cm_logged_kind kind = {
         .primitive = primitive,
         .draw = primitive < pass->num_primitives ? pass->primitives[primitive].draw : CM_NOT_ATTRIBUTED,
         .attributes = attributes_of(pass, &quads[q]),
      };
      if (!q || primitive != quads[q - 1].primitive)
         log_kind(shading, &kind);
      log_quad(shading, is_placed ? choose_processor(shading, place_of(shading, &quads[q])) : 0);
   }
}

/* Quads that are killed before they run. */
static __attribute__((noinline)) void
count_killed_quads(struct cm_shading *shading, const uint32_t *word)
{
   const struct cm_quad *quads = (const struct cm_quad *)(word + 2);
   if (word[1] != shading->draw_number)
      take_draw(shading, word[1]);
   shading->pipeline[CM_PIPELINE_KILLED_QUADS] += cm_event_count(*word);
   for (uint32_t q = 0; q < cm_event_count(*word); q++)
      shading->pipeline[CM_PIPELINE_KILLED_FRAGMENTS] += cm_quad_fragments(quads[q].live);
}

/* ---- groups of quads --------------------------------------------------- */

/* What is bound where an event reads. */
static inline struct cm_texture_unit *
unit_of(struct cm_shading *shading, const uint32_t *event)
{
   const uint32_t number = cm_event_unit(*event);
   return number < shading->draw->num_textures ? &shading->units[number] : &shading->no_unit;
}

static void
read_texture(struct cm_shading *shading, struct cm_texture_unit *unit, const struct cm_footprint *footprint,
             const struct cm_texel_bounds *bounds, uint32_t processor, struct cm_cache *cache)
{
   if (shading->attributes_each)
      cm_gpu_attribute_texture(shading->gpu, unit->binding ? unit->binding->resource : 0);
   cm_texture_unit_read(shading->texture, unit, footprint, bounds, processor, cache);
   if (shading->costs_each && unit != &shading->no_unit)
      shading->samples += shading->unit_samples[unit - shading->units];
}

/* A quad, of that number in its group, has run on its processor. accesses: to storage. */
static inline void
end_quad(struct cm_shading *shading, const struct cm_quad *quad, uint32_t number, uint32_t processor,
         uint64_t footprints, uint64_t accesses)
{
   const uint64_t instructions = shading->instructions[number];
   shading->pipeline[CM_PIPELINE_FOOTPRINTS] += footprints;
   shading->work[processor] += instructions + footprints;
   shading->executed += instructions;
   if (__builtin_expect(shading->times_each, false))
      time_quad(shading, quad, number, processor, footprints + accesses);
}

/* Quads of the group ran more than region 0. Where the renderer's code is not in the stream, they have the instructions of its
 * text; another instruction set's code may be there. */
static __attribute__((noinline)) void
take_regions(struct cm_shading *shading, const uint32_t *regions)
{
   if (!shading->last_regions || !cm_regions_are_alike(shading->last_regions, regions))
      shading->last_ran = shading->code ? cm_code_quad_operations(shading->code, CM_PIPE_ISSUE, regions)
                                        : shading->least_instructions;
   shading->last_regions = regions;
   for (unsigned q = 0; q < 4; q++) {
      if (cm_regions_quads(*regions) >> q & 1) {
         shading->instructions[q] = shading->last_ran;
         shading->regions[q] = regions;
      }
   }
}

static inline bool
has_storage(const struct cm_shading *shading)
{
   return __builtin_expect(shading->stage->storage->is_used, false) && shading->draw->storage;
}

/* Sorts an instruction's footprints by quad; they end at `last`. */
static inline void
collect_footprints(struct cm_shading *shading, struct cm_texture_unit *unit,
                   const struct cm_footprint *footprint, const struct cm_footprint *last)
{
   while (footprint < last) {
      struct cm_texel_bounds bounds[4];
      const unsigned count = last - footprint < 4 ? (unsigned)(last - footprint) : 4;
      cm_footprints_bounds(footprint, count, bounds);
      for (unsigned i = 0; i < count; i++, footprint++)
         *shading->reads_end[footprint->quad & 3]++ = (struct texture_read){footprint, unit, bounds[i]};
   }
}

/* Sorts the footprints of a group by quad, if it runs once and is without storage. Returns the group's end; NULL: it is
 * another. */
static inline const uint32_t *
collect_reads(struct cm_shading *shading, const uint32_t *group, const uint32_t *end)
{
   const uint32_t *event = cm_event_next(group);
   uint32_t count = 0;
   for (unsigned q = 0; q < 4; q++) {
      shading->reads_end[q] = shading->reads[q];
      shading->instructions[q] = shading->least_instructions;
      shading->regions[q] = NULL;
   }
   while (event < end) {
      if (__builtin_expect(cm_event_type(*event) == CM_EVENT_REGIONS, false)) {
         take_regions(shading, event);
         event = cm_event_next(event);
         continue;
      }
      if (cm_event_type(*event) != CM_EVENT_FOOTPRINTS)
         break;
      const struct cm_footprint *footprint = (const struct cm_footprint *)(event + 1);
      const struct cm_footprint *last = footprint + cm_event_count(*event);
      count += cm_event_count(*event);
      if (count > MAX_COLLECTED)
         return NULL;
      collect_footprints(shading, unit_of(shading, event), footprint, last);
      event = (const uint32_t *)last;
   }
   return event < end && (cm_event_is_of_run(*event) || cm_event_continues(*event)) ? NULL : event;
}

/* What a quad does in a group whose reads are collected and which is counted. */
static inline void
run_collected(struct cm_shading *shading, const struct cm_quad *quad, uint32_t number, uint32_t processor)
{
   const struct texture_read *first = shading->reads[number], *end = shading->reads_end[number];
   struct cm_cache *cache = cm_texture_path_cache(shading->texture, processor);
   hold_shader(shading, processor);
   for (const struct texture_read *read = first; read < end; read++)
      read_texture(shading, read->unit, read->footprint, &read->bounds, processor, cache);
   end_quad(shading, quad, number, processor, (uint64_t)(end - first), 0);
}

/* What a quad does on its processor in a run, instruction by instruction. Accesses to storage are left out where that
 * has no stream. Returns the run's end. */
static const uint32_t *
run_on_processor(struct cm_shading *shading, const uint32_t *run, const uint32_t *end, uint32_t number,
                 uint32_t processor)
{
   const struct cm_quad *quad = (const struct cm_quad *)(run + 2) + number;
   struct cm_cache *cache = cm_texture_path_cache(shading->texture, processor);
   const uint32_t *event = cm_event_next(run);
   uint64_t read = 0, accesses = 0;
   count_running(shading, quad, 1);
   hold_shader(shading, processor);
   shading->instructions[number] = shading->least_instructions;
   shading->regions[number] = NULL;
   for (; event < end && cm_event_is_of_run(*event); event = cm_event_next(event)) {
      const bool is_texture = cm_event_type(*event) == CM_EVENT_FOOTPRINTS;
      const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
      for (uint32_t i = 0; is_texture && i < cm_event_count(*event); i++) {
         if ((footprints[i].quad & 3u) != number)
            continue;
         struct cm_texel_bounds bounds[4];
         cm_footprints_bounds(&footprints[i], 1, bounds);
         read_texture(shading, unit_of(shading, event), &footprints[i], bounds, processor, cache);
         read++;
      }
      if (cm_event_type(*event) == CM_EVENT_REGIONS)
         take_regions(shading, event);
      else if (!is_texture && has_storage(shading))
         accesses += cm_storage_access(shading->stage->storage, shading->draw->storage - 1, event, number,
                                       number + 1, quad->live, processor);
   }
   end_quad(shading, quad, number, processor, read, accesses);
   return event;
}

const uint32_t *
cm_shading_run_quad(struct cm_shading *shading, const uint32_t *group, const uint32_t *end, uint32_t number,
                    uint32_t place)
{
   const uint32_t *run = group;
   if (group[1] != shading->draw_number)
      take_draw(shading, group[1]);
   do {
      if (((const struct cm_quad *)(run + 2))[number].live)
         run = run_on_processor(shading, run, end, number, choose_processor(shading, place));
      else
         run = cm_group_next_run(run, end);
   } while (run < end && cm_event_continues(*run));
   return run;
}

bool
cm_shading_hold_shader(struct cm_shading *shading, uint32_t draw, uint32_t processor)
{
   assert(processor < shading->processors);
   if (shading->at_draw[processor] == draw)
      return false;
   shading->at_draw[processor] = draw;
   shading->draw_number = NO_DRAW; /* who holds its shader is to be counted again */
   return true;
}

uint64_t
cm_shading_executed(const struct cm_shading *shading)
{
   return shading->executed;
}

/* ---- tiles ------------------------------------------------------------- */

/* Whether the quads of a shade event, `next` being the event after it, read nothing (neither
 * textures nor, as all processors hold it, their shader), and which processor has run one
 * does not matter to later ones. */
static inline bool
reads_nothing(const struct cm_shading *shading, const uint32_t *word, const uint32_t *next,
              const uint32_t *end)
{
   return word[1] == shading->draw_number && !shading->without_shader && !shading->counts_each &&
          (next == end || (!cm_event_is_of_run(*next) && !cm_event_continues(*next)));
}

/* Assigns the quads of such an event to processors: round-robin, to the next ones. */
static void
count_quads(struct cm_shading *shading, const uint32_t *word)
{
   const struct cm_quad *quads = (const struct cm_quad *)(word + 2);
   shading->next += count_running(shading, quads, cm_event_count(*word));
   while (shading->next >= shading->processors)
      shading->next -= shading->processors;
}

/* Whether a group begins with an instruction that reads a texture, on processors that hold the shader, and of its quads nothing but
 * reads matters, and a log. What follows is for the caller to check. */
static inline bool
begins_with_read(const struct cm_shading *shading, const uint32_t *group, const uint32_t *event,
                 const uint32_t *end)
{
   return (shading->is_plain || shading->logs_plainly) && group[1] == shading->draw_number &&
          !shading->without_shader && event < end && cm_event_type(*event) == CM_EVENT_FOOTPRINTS;
}

/* Whether an event is the last one of a group that runs once. */
static inline bool
ends_group(const uint32_t *event, const uint32_t *end)
{
   event = cm_event_next(event);
   return event == end || (!cm_event_is_of_run(*event) && !cm_event_continues(*event));
}

/* The caches that the processors of a group's quads read through, a quad that does not run having none: in `caches`, or of
 * processors that take the quads in turn. Counts the quads. */
static inline struct cm_cache *const *
start_plain_group(struct cm_shading *shading, const struct cm_quad *quads, uint32_t count,
                  struct cm_cache *caches[4])
{
   const bool in_turn = shading->scheduler == CM_SCHEDULER_ROUND_ROBIN;
   const uint32_t next = shading->next;
   assert(count <= 4 && next < shading->processors);
   if (in_turn && next + 4 <= shading->processors && is_full(quads, count)) {
      shading->next = next + 4 == shading->processors ? 0 : next + 4;
      shading->pipeline[CM_PIPELINE_QUADS] += 4;
      shading->pipeline[CM_PIPELINE_FRAGMENTS] += 16;
      return &shading->caches[next];
   }
   for (uint32_t q = 0; q < 4; q++) {
      const bool runs = q < count && quads[q].live;
      caches[q] = !runs     ? NULL
                  : in_turn ? shading->caches[next_processor(shading)]
                            : shading->caches[choose_processor(shading, place_of(shading, &quads[q]))];
   }
   count_running(shading, quads, count);
   return caches;
}

/* Runs the quads of a group that only reads in `event`; returns its end. */
static const uint32_t *
run_plain_group(struct cm_shading *shading, const uint32_t *group, const uint32_t *event)
{
   struct cm_cache *own[4];
   struct cm_cache *const *caches =
      start_plain_group(shading, (const struct cm_quad *)(group + 2), cm_min(cm_event_count(*group), 4), own);
   shading->pipeline[CM_PIPELINE_FOOTPRINTS] +=
      cm_texture_unit_read_group(shading->texture, unit_of(shading, event),
                                 (const struct cm_footprint *)(event + 1), cm_event_count(*event), caches);
   return cm_event_next(event);
}

/* The same of one that executes several instructions, or counts regions. NULL, with nothing done: it is not read together. */
static const uint32_t *
run_filtered_group(struct cm_shading *shading, const uint32_t *group, const uint32_t *event,
                   const uint32_t *end)
{
   struct cm_filtered_group filtered;
   struct cm_cache *own[4];
   if (!shading->texture->has_filters)
      return NULL;
   cm_filtered_group_begin(&filtered);
   for (; event < end && cm_event_is_of_run(*event); event = cm_event_next(event)) {
      const enum cm_event_type type = cm_event_type(*event);
      if (type != CM_EVENT_FOOTPRINTS && type != CM_EVENT_REGIONS)
         return NULL;
      if (type == CM_EVENT_FOOTPRINTS &&
          !cm_filtered_group_add(&filtered, shading->texture, unit_of(shading, event),
                                 (const struct cm_footprint *)(event + 1), cm_event_count(*event)))
         return NULL;
   }
   if (event < end && cm_event_continues(*event))
      return NULL;
   struct cm_cache *const *caches =
      start_plain_group(shading, (const struct cm_quad *)(group + 2), cm_min(cm_event_count(*group), 4), own);
   shading->pipeline[CM_PIPELINE_FOOTPRINTS] += cm_filtered_group_read(&filtered, shading->texture, caches);
   return event;
}

/* The same of one that executes one instruction, quad by quad, each of which is logged. NULL, with nothing done: it is another. */
static const uint32_t *
run_logged_group(struct cm_shading *shading, const uint32_t *group, const uint32_t *event,
                 const uint32_t *end)
{
   if (!ends_group(event, end))
      return NULL;
   const struct cm_quad *quads = (const struct cm_quad *)(group + 2);
   const uint32_t count = cm_min(cm_event_count(*group), 4);
   struct cm_texture_unit *unit = unit_of(shading, event);
   const struct cm_footprint *footprint = (const struct cm_footprint *)(event + 1),
                             *last = footprint + cm_event_count(*event);
   const bool in_turn = shading->scheduler == CM_SCHEDULER_ROUND_ROBIN;
   struct cm_texel_bounds bounds[4];
   size_t read = 0;
   count_running(shading, quads, count);
   for (uint32_t q = 0; q < count; q++) {
      const bool runs = quads[q].live != 0;
      const uint32_t processor = !runs     ? 0
                                 : in_turn ? next_processor(shading)
                                           : choose_processor(shading, place_of(shading, &quads[q]));
      const size_t first = read;
      for (; footprint < last && (footprint->quad & 3) == q; footprint++, read++) {
         if (read % 4 == 0)
            cm_footprints_bounds(footprint, last - footprint < 4 ? (unsigned)(last - footprint) : 4, bounds);
         if (runs)
            cm_texture_unit_read(shading->texture, unit, footprint, &bounds[read % 4], processor,
                                 shading->caches[processor]);
      }
      shading->instructions[q] = shading->least_instructions;
      if (runs)
         end_quad(shading, &quads[q], q, processor, read - first, 0);
   }
   return cm_event_next(event);
}

/* Runs the quads of a group, `event` being what follows its first shade event; returns its end. */
static const uint32_t *
run_group(struct cm_shading *shading, const uint32_t *group, const uint32_t *event, const uint32_t *end)
{
   const struct cm_quad *quads = (const struct cm_quad *)(group + 2);
   const uint32_t count = cm_min(cm_event_count(*group), 4);
   const uint32_t *next = NULL;
   if (begins_with_read(shading, group, event, end))
      next = !shading->is_plain       ? run_logged_group(shading, group, event, end)
             : ends_group(event, end) ? run_plain_group(shading, group, event)
                                      : run_filtered_group(shading, group, event, end);
   if (next)
      return next;
   if (group[1] != shading->draw_number)
      take_draw(shading, group[1]);
   next = collect_reads(shading, group, end);
   if (next)
      count_running(shading, quads, count);
   for (uint32_t q = 0; next && q < count; q++) {
      if (quads[q].live)
         run_collected(shading, &quads[q], q, choose_processor(shading, place_of(shading, &quads[q])));
   }
   if (next)
      return next;
   next = cm_event_next(group);
   for (uint32_t q = 0; q < count; q++)
      next = cm_shading_run_quad(shading, group, end, q, place_of(shading, &quads[q]));
   return next;
}

/* Whether the tile's quads are assigned as in the mirror. */
static void
mirror(struct cm_shading *shading, uint32_t tile)
{
   const struct cm_gpu *gpu = shading->gpu;
   if (gpu->config.fragment_stage.assignment != CM_ASSIGNMENT_MIRRORED)
      return;
   shading->mirror_x = tile % gpu->pass->tiles_x & 1 ? shading->side - 1 : 0;
   shading->mirror_y = tile / gpu->pass->tiles_x & 1 ? shading->side - 1 : 0;
}

void
cm_shading_run_tile(struct cm_shading *shading, const struct cm_tile_events *events, uint32_t tile,
                    uint32_t position)
{
   if (!events->num_words)
      return;
   cm_shading_begin(shading);
   mirror(shading, tile);
   shading->tile = position;
   const uint32_t *end = events->words + events->num_words;
   for (const uint32_t *word = events->words; word < end;) {
      const uint32_t *next = cm_event_next(word);
      const enum cm_event_type type = cm_event_type(*word);
      if (type == CM_EVENT_SHADE) {
         const bool reads = next < end && cm_event_type(*next) == CM_EVENT_FOOTPRINTS;
         if (!reads && reads_nothing(shading, word, next, end))
            count_quads(shading, word);
         else
            next = run_group(shading, word, next, end);
      } else if (type == CM_EVENT_UNSHADED) {
         if (*word & CM_UNSHADED_KILLED)
            count_killed_quads(shading, word);
         if (shading->times_each)
            time_hidden_quads(shading, word);
      }
      word = next;
   }
}

bool
cm_fragment_stage_run(struct cm_fragment_stage *stage, uint32_t tile)
{
   struct cm_gpu *gpu = stage->gpu;
   assert(gpu->pass->kind != CM_PASS_COMPUTE);
   const struct cm_tile_events *full = &gpu->pass->tiles[tile];
   const struct cm_tile_events *events = cm_shaded_events_find(&stage->shaded, gpu, tile, full);
   if (!events)
      return false;
   cm_shading_run_tile(stage->shading, events, tile, gpu->positions[tile]);
   if (cm_config_counts_operations(&gpu->config))
      cm_operations_tile(gpu, full, events, gpu->operations);
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
   cm_shaded_events_finish(&stage->shaded);
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
   shading->side = gpu->config.tile.size / 2;
   shading->tile_quads = shading->side * shading->side;
   shading->times_each = gpu->timing && gpu->config.mode != CM_MODE_IMR;
   shading->attributes_each = gpu->attribution && gpu->attribution->is_by_resource;
   shading->costs_each = shading->times_each && gpu->config.core == CM_CORE_PIPES;
   shading->counts_each = shading->scheduler == CM_SCHEDULER_LEAST_WORK || shading->times_each;
   for (uint32_t p = 0; p < shading->processors; p++)
      shading->caches[p] = cm_texture_path_cache(shading->texture, p);
   return shading;
}

void
cm_shading_destroy(struct cm_shading *shading)
{
   free(shading);
}

void
cm_shading_begin(struct cm_shading *shading)
{
   shading->next = 0;
   shading->draw_number = NO_DRAW;
   shading->without_shader = shading->processors;
   /* Whoever reads what arrives at the caches may have come since the stage was made. */
   shading->is_plain =
      !shading->counts_each && !shading->attributes_each && cm_texture_path_is_plain(shading->texture);
   shading->logs_plainly = shading->times_each && !shading->costs_each && !shading->attributes_each;
   memset(shading->work, 0, sizeof shading->work);
   for (uint32_t p = 0; p < shading->processors; p++)
      shading->at_draw[p] = NO_DRAW;
}
