/* SPDX-License-Identifier: MIT */
#include "geometry/tbr_vertex_accesses.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "draw/draw_context.h"
#include "draw/draw_private.h"
#include "util/u_memory.h"
#include "pass/tbr_batch.h"
#include "geometry/tbr_binning.h"
#include "state/tbr_context.h"
#include "geometry/tbr_draw_events.h"
#include "geometry/tbr_draw_state.h"
#include "tile/tbr_load_store.h"
#include "shader/tbr_nir_log.h"
#include "tile/tbr_regions.h"
#include "state/tbr_resource.h"
#include "shader/tbr_shader.h"
#include "tile/tbr_texture_unit.h"

/** Memory that the log keeps from draw to draw. */
#define LOG_KEPT_BYTES (16u << 20)
/** Bytes of a storage buffer that the event stream has in one access. */
#define MAX_ACCESS_BYTES 16

/** An access, and when it was made. */
struct found_access {
   struct cm_vertex_access access;
   enum cm_preraster_stage stage;
   uint32_t instance;
   uint32_t
      run; /**< of the stage's invocations, in the order of shading: a vertex may be shaded several times */
};

/** What a stage's accesses are of, and the numbers of that in the batch's vertex_bindings. Bits are units. */
struct stage_bindings {
   uint32_t described; /**< of `textures` */
   uint32_t textures_announced, buffers_announced, images_announced;
   uint32_t texture_numbers[TBR_MAX_TEXTURES];
   uint32_t buffer_numbers[TBR_MAX_STORAGE_BUFFERS];
   uint32_t image_numbers[TBR_MAX_IMAGES];
   struct tbr_texture_binding textures[TBR_MAX_TEXTURES];
};

/** A buffer that has an address. */
struct addressed {
   uint32_t pass;   /**< where it has been announced last: of tbr_vertex_accesses.pass; 0: nowhere */
   uint32_t number; /**< there, in the batch's vertex_bindings */
};

struct tbr_vertex_accesses {
   struct tbr_log *log;
   struct tbr_texture_thread *thread;
   struct cm_tile_events events;        /**< of one call of the texture unit */
   struct util_dynarray found;          /**< struct found_access, of the draw */
   uint32_t texture_reads;              /**< texture instructions that the draw's invocations ran */
   bool lost;                           /**< not all of them: out of memory, or of space in the log */
   uint32_t instance;                   /**< of the part that was taken last */
   uint32_t begun[CM_PRERASTER_STAGES]; /**< invocations logged when that instance began, in this pass */
   uint32_t taken[CM_PRERASTER_STAGES]; /**< when that part ended */
   struct stage_bindings stages[CM_PRERASTER_STAGES];
   uint32_t pass;                  /**< counts the times that bindings are numbered again */
   struct util_dynarray addressed; /**< struct addressed, by number of the buffer */
   /** Of the draw, or what is not in its events yet: as struct tbr_log has it of a part. */
   uint64_t region_runs[CM_PRERASTER_STAGES][CM_MAX_REGIONS];
};

/* ---- the log ------------------------------------------------------------- */

bool
tbr_vertex_accesses_prepare(struct tbr_context *context)
{
   if (context->vertex_accesses)
      return true;
   struct tbr_vertex_accesses *accesses = CALLOC_STRUCT(tbr_vertex_accesses);
   if (!accesses)
      return false;
   void *log =
      mmap(NULL, TBR_LOG_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
   accesses->log = log == MAP_FAILED ? NULL : log;
   accesses->thread = CALLOC_STRUCT(tbr_texture_thread);
   if (!accesses->log || !accesses->thread) {
      tbr_vertex_accesses_destroy(accesses);
      return false;
   }
   accesses->thread->events = &accesses->events;
   util_dynarray_init(&accesses->found, NULL);
   util_dynarray_init(&accesses->addressed, NULL);
   context->vertex_accesses = accesses;
   for (unsigned stage = 0; stage < CM_PRERASTER_STAGES; stage++)
      draw_set_mapped_shader_buffer(context->draw, tbr_drawn_stages[stage], TBR_LOG_BUFFER, accesses->log,
                                    TBR_LOG_BYTES);
   return true;
}

void
tbr_vertex_accesses_destroy(struct tbr_vertex_accesses *accesses)
{
   if (!accesses)
      return;
   if (accesses->log)
      munmap(accesses->log, TBR_LOG_BYTES);
   util_dynarray_fini(&accesses->found);
   util_dynarray_fini(&accesses->addressed);
   free(accesses->events.words);
   FREE(accesses->thread);
   FREE(accesses);
}

/** Empties the log, but for the numbers of invocations. */
static void
reset_log(struct tbr_vertex_accesses *accesses)
{
   struct tbr_log *log = accesses->log;
   uint32_t invocations[CM_PRERASTER_STAGES];
   memcpy(invocations, log->invocations, sizeof invocations);
   if (log->count * sizeof *log->accesses > LOG_KEPT_BYTES)
      madvise(log, TBR_LOG_BYTES, MADV_DONTNEED);
   memcpy(log->invocations, invocations, sizeof invocations);
   log->count = 0;
}

/* ---- regions ---------------------------------------------------------------- */

static const struct tbr_regions *
regions_of(const struct tbr_context *context, enum cm_preraster_stage stage)
{
   const struct tbr_drawn_shader *shader = tbr_drawn_shader(context, tbr_drawn_stages[stage]);
   return shader ? shader->regions : NULL;
}

/** Takes the counts of a part of the draw from the log. */
static void
take_regions(struct tbr_context *context)
{
   struct tbr_vertex_accesses *accesses = context->vertex_accesses;
   for (unsigned stage = 0; stage < CM_PRERASTER_STAGES; stage++) {
      const struct tbr_regions *regions = regions_of(context, stage);
      uint32_t *logged = accesses->log->region_runs[stage];
      for (uint32_t c = 0; regions && logged[0] && c <= regions->counters; c++)
         accesses->region_runs[stage][c] += logged[c];
      if (regions)
         memset(logged, 0, (1 + regions->counters) * sizeof *logged);
   }
}

/** Appends a stage's to the events; returns how many there are, or UINT32_MAX when out of memory. */
static uint32_t
append_regions(struct tbr_vertex_accesses *accesses, enum cm_preraster_stage stage,
               const struct tbr_regions *regions, struct tbr_batch *batch)
{
   const uint64_t *counted = accesses->region_runs[stage];
   if (!regions || !counted[0])
      return 0;
   uint64_t *runs = util_dynarray_grow(&batch->events.region_runs, uint64_t, regions->count);
   if (!runs)
      return UINT32_MAX;
   runs[0] = counted[0];
   for (uint32_t r = 1; r < regions->count; r++) {
      const struct tbr_region *region = &regions->regions[r];
      runs[r] = counted[1 + region->counter] + (region->entered ? runs[region->entered - 1] : 0);
   }
   return regions->count;
}

/** Gives the draws of the instances what all of them ran. False when out of memory. */
static bool
end_regions(struct tbr_context *context, const struct tbr_binning *binning)
{
   struct tbr_vertex_accesses *accesses = context->vertex_accesses;
   struct tbr_batch *batch = binning->event_batch;
   struct cm_draw described = {0};
   bool ok = true;
   if (batch)
      described.first_region_run = util_dynarray_num_elements(&batch->events.region_runs, uint64_t);
   for (unsigned stage = 0; stage < CM_PRERASTER_STAGES; stage++) {
      const struct tbr_regions *regions = regions_of(context, stage);
      if (batch && ok)
         described.num_regions[stage] = append_regions(accesses, stage, regions, batch);
      ok = ok && described.num_regions[stage] != UINT32_MAX;
      if (regions)
         memset(accesses->region_runs[stage], 0, (1 + regions->counters) * sizeof(uint64_t));
   }
   for (uint32_t i = 0; batch && ok && i < binning->num_event_draws; i++) {
      struct cm_draw *draw =
         util_dynarray_element(&batch->events.draws, struct cm_draw, binning->first_event_draw + i);
      memcpy(draw->num_regions, described.num_regions, sizeof draw->num_regions);
      draw->first_region_run = described.first_region_run;
   }
   return ok;
}

/** What follows is numbered again in the batch, and belongs to another draw of the event stream. */
static void
begin_pass(struct tbr_vertex_accesses *accesses)
{
   for (unsigned stage = 0; stage < CM_PRERASTER_STAGES; stage++) {
      struct stage_bindings *bindings = &accesses->stages[stage];
      bindings->textures_announced = bindings->buffers_announced = bindings->images_announced = 0;
   }
   accesses->pass++;
   memcpy(accesses->begun, accesses->log->invocations, sizeof accesses->begun);
}

void
tbr_vertex_accesses_begin(struct tbr_context *context)
{
   struct tbr_vertex_accesses *accesses = context->vertex_accesses;
   if (!accesses)
      return;
   assert(!accesses->log->count && !util_dynarray_num_elements(&accesses->found, struct found_access));
   memset(accesses->log->invocations, 0, sizeof accesses->log->invocations);
   memset(accesses->taken, 0, sizeof accesses->taken);
   accesses->instance = 0;
   accesses->texture_reads = 0;
   begin_pass(accesses);
   for (unsigned stage = 0; stage < CM_PRERASTER_STAGES; stage++)
      accesses->stages[stage].described = 0;
   accesses->thread->generation++;
}

/* ---- bindings ------------------------------------------------------------- */

/** Appends a binding to the batch's; *number: its number. NULL when out of memory. */
static struct cm_texture_binding *
append_binding(struct tbr_batch *batch, uint32_t *number)
{
   struct cm_texture_binding *binding =
      util_dynarray_grow(&batch->events.vertex_bindings, struct cm_texture_binding, 1);
   if (!binding)
      return NULL;
   memset(binding, 0, sizeof *binding);
   *number = util_dynarray_num_elements(&batch->events.vertex_bindings, struct cm_texture_binding) - 1;
   return binding;
}

/** The binding of a stage's texture unit; NULL: nothing is bound there. */
static const struct tbr_texture_binding *
describe_texture(struct tbr_context *context, enum cm_preraster_stage stage, unsigned unit)
{
   const enum pipe_shader_type type = tbr_drawn_stages[stage];
   struct stage_bindings *bindings = &context->vertex_accesses->stages[stage];
   struct pipe_sampler_view *view = unit < TBR_MAX_TEXTURES ? context->sampler_views[type][unit] : NULL;
   const struct tbr_storage *storage = view ? context->held.textures[type][unit] : NULL;
   if (!view || !view->texture || !storage)
      return NULL;
   if (!(bindings->described >> unit & 1)) {
      tbr_draw_state_describe_texture(view, context->samplers[type][unit], storage, unit,
                                      &bindings->textures[unit]);
      tbr_resource_announce(context, tbr_resource(view->texture));
      bindings->described |= 1u << unit;
   }
   return &bindings->textures[unit];
}

/** Gives a texture unit a number in the batch's events. False when out of memory. */
static bool
announce_texture(struct tbr_context *context, struct tbr_batch *batch, enum cm_preraster_stage stage,
                 unsigned unit)
{
   const enum pipe_shader_type type = tbr_drawn_stages[stage];
   struct stage_bindings *bindings = &context->vertex_accesses->stages[stage];
   if (bindings->textures_announced >> unit & 1)
      return true;
   struct cm_texture_binding *binding = append_binding(batch, &bindings->texture_numbers[unit]);
   if (!binding)
      return false;
   tbr_draw_events_describe_texture(context, context->sampler_views[type][unit],
                                    context->samplers[type][unit], binding);
   bindings->textures_announced |= 1u << unit;
   return true;
}

/** The same of a storage buffer. */
static bool
announce_buffer(struct tbr_context *context, struct tbr_batch *batch, enum cm_preraster_stage stage,
                unsigned unit)
{
   struct stage_bindings *bindings = &context->vertex_accesses->stages[stage];
   const struct pipe_shader_buffer *buffer = &context->shader_buffers[tbr_drawn_stages[stage]][unit];
   if (bindings->buffers_announced >> unit & 1)
      return true;
   struct cm_texture_binding *binding = append_binding(batch, &bindings->buffer_numbers[unit]);
   if (!binding)
      return false;
   binding->resource = tbr_resource_announce(context, tbr_resource(buffer->buffer));
   binding->buffer_offset = MIN2(buffer->buffer_offset, buffer->buffer->width0);
   binding->is_storage = true;
   bindings->buffers_announced |= 1u << unit;
   return true;
}

/** The same of a buffer that has an address, which the context's table has. */
static bool
announce_addressed(struct tbr_context *context, struct tbr_batch *batch, uint32_t buffer, uint32_t *number)
{
   struct tbr_vertex_accesses *accesses = context->vertex_accesses;
   const uint32_t known = util_dynarray_num_elements(&accesses->addressed, struct addressed);
   if (buffer >= known) {
      const uint32_t more = context->addresses->count - known;
      struct addressed *added = util_dynarray_grow(&accesses->addressed, struct addressed, more);
      if (!added)
         return false;
      memset(added, 0, more * sizeof *added);
   }
   struct addressed *addressed = util_dynarray_element(&accesses->addressed, struct addressed, buffer);
   if (addressed->pass != accesses->pass) {
      struct cm_texture_binding *binding = append_binding(batch, &addressed->number);
      if (!binding)
         return false;
      binding->resource = context->addresses->buffers[buffer].id;
      binding->is_storage = true;
      addressed->pass = accesses->pass;
   }
   *number = addressed->number;
   return true;
}

/** The same of an image. */
static bool
announce_image(struct tbr_context *context, struct tbr_batch *batch, enum cm_preraster_stage stage,
               unsigned unit)
{
   struct stage_bindings *bindings = &context->vertex_accesses->stages[stage];
   if (bindings->images_announced >> unit & 1)
      return true;
   struct cm_texture_binding *binding = append_binding(batch, &bindings->image_numbers[unit]);
   if (!binding)
      return false;
   tbr_draw_events_describe_image(context, &context->images[tbr_drawn_stages[stage]][unit], binding);
   binding->is_storage = true;
   bindings->images_announced |= 1u << unit;
   return true;
}

/* ---- what was accessed ---------------------------------------------------- */

static enum cm_preraster_stage
stage_of(const struct tbr_logged_access *logged)
{
   return logged->instruction >> TBR_LOGGED_STAGE_SHIFT;
}

static const struct tbr_logged_instruction *
instruction_of(const struct tbr_context *context, const struct tbr_logged_access *logged)
{
   const struct tbr_drawn_shader *shader = tbr_drawn_shader(context, tbr_drawn_stages[stage_of(logged)]);
   assert(shader && TBR_LOGGED_NUMBER(logged->instruction) < shader->num_logged);
   return &shader->logged[TBR_LOGGED_NUMBER(logged->instruction)];
}

static uint32_t
unit_of(const struct tbr_logged_instruction *instruction, const struct tbr_logged_access *logged)
{
   return instruction->unit + (instruction->operands >> TBR_LOGGED_WORD(unit) & 1 ? logged->unit : 0);
}

/** Adds an access whose number of invocation is missing. False when out of memory. */
static bool
add(struct tbr_vertex_accesses *accesses, const struct tbr_logged_access *logged,
    const struct cm_vertex_access *access)
{
   const enum cm_preraster_stage stage = stage_of(logged);
   const bool is_vertex = stage == CM_PRERASTER_VERTEX;
   struct found_access *found = util_dynarray_grow(&accesses->found, struct found_access, 1);
   if (!found)
      return false;
   *found = (struct found_access){
      .access = *access,
      .stage = stage,
      .instance = is_vertex ? logged->instance : accesses->instance,
      .run = logged->invocation,
   };
   found->access.invocation = is_vertex ? logged->vertex : logged->invocation - accesses->begun[stage];
   return true;
}

/* ---- textures -------------------------------------------------------------- */

static void
fill_arguments(struct tbr_sample_arguments *arguments, const struct tbr_logged_instruction *instruction,
               const struct tbr_logged_access *logged, unsigned lanes)
{
   memset(arguments, 0, sizeof *arguments);
   void *const operands[] = {
      [TBR_LOGGED_WORD(coords[0])] = arguments->coords[0],
      [TBR_LOGGED_WORD(coords[1])] = arguments->coords[1],
      [TBR_LOGGED_WORD(coords[2])] = arguments->coords[2],
      [TBR_LOGGED_WORD(coords[3])] = arguments->cube_layer,
      [TBR_LOGGED_WORD(lod)] = arguments->lod,
      [TBR_LOGGED_WORD(sample)] = arguments->sample,
      [TBR_LOGGED_WORD(unit)] = NULL,
      [TBR_LOGGED_WORD(offset[0])] = arguments->offset[0],
      [TBR_LOGGED_WORD(offset[1])] = arguments->offset[1],
      [TBR_LOGGED_WORD(offset[2])] = arguments->offset[2],
      [TBR_LOGGED_WORD(ddx[0])] = arguments->ddx[0],
      [TBR_LOGGED_WORD(ddx[1])] = arguments->ddx[1],
      [TBR_LOGGED_WORD(ddx[2])] = arguments->ddx[2],
      [TBR_LOGGED_WORD(ddy[0])] = arguments->ddy[0],
      [TBR_LOGGED_WORD(ddy[1])] = arguments->ddy[1],
      [TBR_LOGGED_WORD(ddy[2])] = arguments->ddy[2],
   };
   u_foreach_bit (word, instruction->operands) {
      for (unsigned lane = 0; operands[word] && lane < lanes; lane++)
         memcpy((uint32_t *)operands[word] + lane, (const uint32_t *)&logged[lane] + word, 4);
   }
   arguments->active = BITFIELD_MASK(lanes);
   arguments->operation = instruction->operation;
   arguments->lod_control = instruction->lod_control;
   arguments->shadow = instruction->shadow;
   arguments->has_offset = instruction->has_offset;
   arguments->has_sample = instruction->has_sample;
   arguments->gather_component = instruction->gather_component;
}

/** Takes the footprints of a call of the texture unit apart. False when out of memory. */
static bool
take_footprints(struct tbr_vertex_accesses *accesses, const struct tbr_logged_access *logged, unsigned unit)
{
   const uint32_t number = accesses->stages[stage_of(logged)].texture_numbers[unit];
   const uint32_t *end = accesses->events.words + accesses->events.num_words;
   for (const uint32_t *event = accesses->events.words; event < end; event = cm_event_next(event)) {
      const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
      assert(cm_event_type(*event) == CM_EVENT_FOOTPRINTS);
      for (unsigned i = 0; i < cm_event_count(*event); i++) {
         u_foreach_bit (f, footprints[i].live) {
            const struct cm_vertex_access access = {
               .binding = number,
               .layer = footprints[i].layer,
               .level = footprints[i].level,
               .linear = footprints[i].linear,
               .x = (uint16_t)footprints[i].texel[f].x,
               .y = (uint16_t)footprints[i].texel[f].y,
            };
            if (!add(accesses, &logged[4 * footprints[i].quad + f], &access))
               return false;
         }
      }
   }
   return true;
}

/** Samples once more for reads of one instruction and unit. False when out of memory. */
static bool
find_texels(struct tbr_context *context, struct tbr_batch *batch,
            const struct tbr_logged_instruction *instruction, const struct tbr_logged_access *logged,
            unsigned lanes)
{
   alignas(64) struct tbr_sample_arguments arguments;
   struct tbr_vertex_accesses *accesses = context->vertex_accesses;
   const unsigned unit = unit_of(instruction, logged);
   const struct tbr_texture_binding *binding = describe_texture(context, stage_of(logged), unit);
   if (!binding)
      return true;
   if (!announce_texture(context, batch, stage_of(logged), unit))
      return false;
   fill_arguments(&arguments, instruction, logged, lanes);
   accesses->events.num_words = 0;
   accesses->thread->live = arguments.active;
   binding->sample(accesses->thread, binding, &arguments);
   return take_footprints(accesses, logged, unit);
}

/* ---- storage --------------------------------------------------------------- */

/** Adds an access of so many bytes of a buffer. False when out of memory. */
static bool
add_bytes(struct tbr_vertex_accesses *accesses, const struct tbr_logged_instruction *instruction,
          const struct tbr_logged_access *logged, uint32_t binding, uint32_t bytes)
{
   struct cm_vertex_access access = {
      .binding = binding,
      .type = CM_VERTEX_BUFFER,
      .operation = instruction->operation,
   };
   for (uint32_t done = 0; done < bytes; done += access.bytes) {
      access.layer = logged->coords[0] + done;
      access.bytes = MIN2(bytes - done, MAX_ACCESS_BYTES);
      if (!add(accesses, logged, &access))
         return false;
   }
   return true;
}

/** An access by address, if it is within a buffer. False when out of memory. */
static bool
find_addressed_bytes(struct tbr_context *context, struct tbr_batch *batch,
                     const struct tbr_logged_instruction *instruction, const struct tbr_logged_access *logged)
{
   const struct tbr_address_table *table = context->addresses;
   const uint32_t offset = logged->coords[0], buffer = logged->coords[1], bytes = instruction->bytes;
   uint32_t number;
   if (buffer >= table->count || table->buffers[buffer].bytes < bytes ||
       offset > table->buffers[buffer].bytes - bytes)
      return true;
   return announce_addressed(context, batch, buffer, &number) &&
          add_bytes(context->vertex_accesses, instruction, logged, number, bytes);
}

/** What of an access lies within its buffer. False when out of memory. */
static bool
find_bytes(struct tbr_context *context, struct tbr_batch *batch,
           const struct tbr_logged_instruction *instruction, const struct tbr_logged_access *logged)
{
   const enum cm_preraster_stage stage = stage_of(logged);
   const struct tbr_bound_storage *bound = context->drawn_storage[tbr_drawn_stages[stage]];
   const uint32_t unit = unit_of(instruction, logged), offset = logged->coords[0];
   if (!bound || unit >= TBR_MAX_DRAWN_STORAGE_BUFFERS || !bound->buffers[unit].memory ||
       offset >= bound->buffers[unit].bytes)
      return true;
   if (!announce_buffer(context, batch, stage, unit))
      return false;
   return add_bytes(context->vertex_accesses, instruction, logged,
                    context->vertex_accesses->stages[stage].buffer_numbers[unit],
                    MIN2(instruction->bytes, bound->buffers[unit].bytes - offset));
}

/** A texel that an image has. False when out of memory. */
static bool
find_texel(struct tbr_context *context, struct tbr_batch *batch,
           const struct tbr_logged_instruction *instruction, const struct tbr_logged_access *logged)
{
   const enum cm_preraster_stage stage = stage_of(logged);
   const struct tbr_bound_storage *bound = context->drawn_storage[tbr_drawn_stages[stage]];
   const uint32_t unit = unit_of(instruction, logged);
   const struct tbr_bound_image *image = bound && unit < TBR_MAX_IMAGES ? &bound->images[unit] : NULL;
   if (!image || !image->texels)
      return true;
   const bool has_rows = image->target != PIPE_BUFFER && image->target != PIPE_TEXTURE_1D &&
                         image->target != PIPE_TEXTURE_1D_ARRAY;
   const uint32_t x = logged->coords[0], y = has_rows ? logged->coords[1] : 0;
   const uint32_t layer = image->layers > 1 ? logged->coords[2] : 0;
   const uint32_t sample = image->samples > 1 ? logged->sample : 0;
   if (x >= image->width || y >= image->height || layer >= image->layers || sample >= image->samples)
      return true;
   if (!announce_image(context, batch, stage, unit))
      return false;
   const bool is_buffer = image->target == PIPE_BUFFER;
   return add(context->vertex_accesses, logged,
              &(struct cm_vertex_access){
                 .binding = context->vertex_accesses->stages[stage].image_numbers[unit],
                 .type = CM_VERTEX_IMAGE,
                 .operation = instruction->operation,
                 .layer = layer,
                 .level = sample,
                 .x = is_buffer ? x & 32767 : x,
                 .y = is_buffer ? x >> 15 : y,
              });
}

/* ---- the draw's events ------------------------------------------------------- */

/** One run of an invocation: its accesses are order[first …], in the order of the shader. */
struct run {
   uint32_t instance, invocation, number;
   enum cm_preraster_stage stage;
   uint32_t first, count;
};

/** The accesses found, run by run. */
struct sorted_accesses {
   uint32_t
      *ends; /**< by run of all stages, one stage after another: where those of the run end in `order` */
   uint32_t *order;  /**< numbers of accesses */
   struct run *runs; /**< those that access anything */
   uint32_t num_runs;
};

/** Which of all stages' runs since the draw began an access was made in. */
static uint32_t
run_of(const struct tbr_log *log, const struct found_access *found)
{
   uint32_t before = 0;
   for (unsigned stage = 0; stage < found->stage; stage++)
      before += log->invocations[stage];
   return before + found->run;
}

static bool
allocate_sorted(struct sorted_accesses *sorted, uint32_t runs, uint32_t accesses)
{
   sorted->ends = CALLOC(runs + 1, sizeof *sorted->ends);
   sorted->order = MALLOC(accesses * sizeof *sorted->order);
   sorted->runs = MALLOC(MIN2(runs, accesses) * sizeof *sorted->runs);
   return sorted->ends && sorted->order && sorted->runs;
}

static void
free_sorted(struct sorted_accesses *sorted)
{
   FREE(sorted->ends);
   FREE(sorted->order);
   FREE(sorted->runs);
}

/** Brings accesses into the order of runs; those of a run stay in the order of the log. */
static void
sort_by_run(const struct tbr_log *log, const struct found_access *found, uint32_t count, uint32_t runs,
            struct sorted_accesses *sorted)
{
   uint32_t *ends = sorted->ends;
   for (uint32_t i = 0; i < count; i++)
      ends[run_of(log, &found[i]) + 1]++;
   for (uint32_t r = 0; r < runs; r++)
      ends[r + 1] += ends[r];
   for (uint32_t i = 0; i < count; i++)
      sorted->order[ends[run_of(log, &found[i])]++] = i;
   for (uint32_t r = 0, first = 0; r < runs; first = ends[r++]) {
      if (ends[r] == first)
         continue;
      const struct found_access *its = &found[sorted->order[first]];
      sorted->runs[sorted->num_runs++] = (struct run){
         .instance = its->instance,
         .invocation = its->access.invocation,
         .number = its->run,
         .stage = its->stage,
         .first = first,
         .count = ends[r] - first,
      };
   }
}

/** Of an instance the stages, of these the invocations, and of each its runs, in order. */
static int
compare_runs(const void *a, const void *b)
{
   const struct run *left = a, *right = b;
   if (left->instance != right->instance)
      return left->instance < right->instance ? -1 : 1;
   if (left->stage != right->stage)
      return left->stage < right->stage ? -1 : 1;
   if (left->invocation != right->invocation)
      return left->invocation < right->invocation ? -1 : 1;
   return left->number < right->number ? -1 : left->number > right->number;
}

/** Without indices, instances and more stages they are in order already. */
static void
sort_runs(struct run *runs, uint32_t count)
{
   for (uint32_t i = 1; i < count; i++) {
      if (compare_runs(&runs[i - 1], &runs[i]) > 0) {
         qsort(runs, count, sizeof *runs, compare_runs);
         return;
      }
   }
}

static bool
are_of_one_invocation(const struct run *a, const struct run *b)
{
   return a->instance == b->instance && a->stage == b->stage && a->invocation == b->invocation;
}

/** Appends a run's accesses to the events of its instance's draw. */
static bool
append_run(const struct found_access *found, const struct sorted_accesses *sorted, const struct run *run,
           bool is_first, struct tbr_batch *batch, struct cm_draw *draw)
{
   struct cm_vertex_access *access =
      util_dynarray_grow(&batch->events.vertex_accesses, struct cm_vertex_access, run->count);
   if (!access)
      return false;
   if (is_first)
      draw->first_vertex_access = access - (struct cm_vertex_access *)batch->events.vertex_accesses.data;
   for (uint32_t i = 0; i < run->count; i++)
      access[i] = found[sorted->order[run->first + i]].access;
   draw->num_accesses[run->stage] += run->count;
   return true;
}

/** Gives the draws of the instances their accesses: of each vertex those of its first run. */
static bool
append_accesses(const struct tbr_vertex_accesses *accesses, const struct tbr_binning *binning,
                struct tbr_batch *batch)
{
   struct found_access *found = accesses->found.data;
   const uint32_t count = util_dynarray_num_elements(&accesses->found, struct found_access);
   const uint32_t *invocations = accesses->log->invocations;
   const uint32_t runs = invocations[0] + invocations[1] + invocations[2] + invocations[3];
   struct sorted_accesses sorted = {0};
   if (!count)
      return true;
   bool ok = allocate_sorted(&sorted, runs, count);
   if (ok) {
      for (uint32_t i = 0; i < count; i++)
         found[i].instance = MIN2(found[i].instance, binning->num_event_draws - 1);
      sort_by_run(accesses->log, found, count, runs, &sorted);
      sort_runs(sorted.runs, sorted.num_runs);
   }
   for (uint32_t r = 0; r < sorted.num_runs && ok; r++) {
      const struct run *run = &sorted.runs[r], *before = r ? run - 1 : NULL;
      if (before && are_of_one_invocation(run, before))
         continue;
      struct cm_draw *draw = util_dynarray_element(&batch->events.draws, struct cm_draw,
                                                   binning->first_event_draw + run->instance);
      ok = append_run(found, &sorted, run, !before || before->instance != run->instance, batch, draw);
   }
   free_sorted(&sorted);
   return ok;
}

/** Finds what the logged instructions accessed. False when out of memory, or of space in the log. */
static bool
find_accesses(struct tbr_context *context, struct tbr_batch *batch)
{
   const struct tbr_logged_access *logged = context->vertex_accesses->log->accesses;
   const uint32_t count = context->vertex_accesses->log->count;
   if (count > TBR_LOG_ACCESSES)
      return false;
   for (uint32_t first = 0, end; first < count; first = end) {
      const struct tbr_logged_instruction *instruction = instruction_of(context, &logged[first]);
      bool ok = true;
      end = first + 1;
      if (instruction->type == CM_VERTEX_TEXTURE) {
         while (end < count && end - first < TBR_LANES &&
                logged[end].instruction == logged[first].instruction &&
                unit_of(instruction, &logged[end]) == unit_of(instruction, &logged[first]))
            end++;
         context->vertex_accesses->texture_reads += end - first;
         ok = find_texels(context, batch, instruction, logged + first, end - first);
      } else if (instruction->unit == TBR_LOGGED_BY_ADDRESS) {
         ok = find_addressed_bytes(context, batch, instruction, &logged[first]);
      } else if (instruction->type == CM_VERTEX_BUFFER) {
         ok = find_bytes(context, batch, instruction, &logged[first]);
      } else {
         ok = find_texel(context, batch, instruction, &logged[first]);
      }
      if (!ok)
         return false;
   }
   return true;
}

void
tbr_vertex_accesses_end_part(struct tbr_context *context)
{
   struct tbr_vertex_accesses *accesses = context->vertex_accesses;
   if (!accesses)
      return;
   /* A part is of one instance, but for vertex shaders, which know their instance. */
   const struct tbr_binning *binning = context->binning;
   if (binning->event_batch) {
      const uint32_t instance = MIN2(context->draw->instance_id, binning->num_event_draws - 1);
      if (instance != accesses->instance)
         memcpy(accesses->begun, accesses->taken, sizeof accesses->begun);
      accesses->instance = instance;
      if (accesses->log->count && !find_accesses(context, binning->event_batch))
         accesses->lost = true;
   }
   take_regions(context);
   memcpy(accesses->taken, accesses->log->invocations, sizeof accesses->taken);
   if (accesses->log->count)
      reset_log(accesses);
}

bool
tbr_vertex_accesses_end(struct tbr_context *context)
{
   struct tbr_vertex_accesses *accesses = context->vertex_accesses;
   const struct tbr_binning *binning = context->binning;
   if (!accesses)
      return true;
   tbr_vertex_accesses_end_part(context);
   const bool ok = end_regions(context, binning) && !accesses->lost &&
                   (!binning->event_batch || append_accesses(accesses, binning, binning->event_batch));
   util_dynarray_clear(&accesses->found);
   accesses->instance = 0;
   begin_pass(accesses);
   accesses->lost = false;
   return ok;
}

uint32_t
tbr_vertex_accesses_texture_reads(const struct tbr_vertex_accesses *accesses)
{
   return accesses->texture_reads;
}
