/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/attribution_internal.h"
#include "gpu/compression.h"
#include "timing/attribution.h"
#include "util/minmax.h"

/** Among the columns of the stages: that of gpu.cycles, after their counters and operations; with timing, those of what
 * stages did with their cycles. */
#define CYCLES_COLUMN (CM_PIPELINE_COUNT + CM_OPERATION_COUNT)
#define STATES_COLUMN (CYCLES_COLUMN + 1)

/* Which counters energies can be made of. */
static bool
find_counters(const struct cm_gpu *gpu, struct cm_gpu_attribution *attribution)
{
   attribution->has_counter = calloc(gpu->table->count, sizeof *attribution->has_counter);
   return attribution->has_counter &&
          cm_attributed_counters(&gpu->config, gpu->table, CM_ORIGIN_PASS, attribution->has_counter);
}

bool
cm_gpu_attribution_create(struct cm_gpu *gpu)
{
   const struct cm_config *config = &gpu->config;
   struct cm_gpu_attribution *attribution = gpu->attribution = calloc(1, sizeof *attribution);
   if (!attribution)
      return false;
   const uint32_t columns =
      STATES_COLUMN + (config->timing == CM_TIMING_ON ? cm_timing_attributed_columns(config) : 0);
   const bool compresses = config->framebuffer_compression.mode != CM_COMPRESSION_NONE;
   attribution->counts = cm_attribution_create(config, columns + (compresses ? CM_COMPRESSION_COLUMNS : 0));
   attribution->contents = cm_contents_create();
   if (!attribution->counts || !attribution->contents ||
       !cm_array_reserve(&attribution->first_pass, 1, sizeof(uint32_t)) ||
       (gpu->energy && !find_counters(gpu, attribution)))
      return false;
   attribution->first_of_compression = attribution->counts->first_of_stages + columns;
   ((uint32_t *)attribution->first_pass.data)[0] = 0;
   attribution->is_by_resource = attribution->counts->has_part[CM_ORIGIN_RESOURCE];
   const enum cm_unit unit = config->streams[CM_STREAM_TEXTURE];
   attribution->has_texture_caches = unit != CM_UNIT_DRAM && !gpu->hierarchy.shared.caches[unit];
   return cm_hierarchy_attribute(&gpu->hierarchy, attribution->counts);
}

void
cm_gpu_attribution_destroy(struct cm_gpu_attribution *attribution)
{
   if (!attribution)
      return;
   cm_attribution_destroy(attribution->counts);
   cm_contents_destroy(attribution->contents);
   CM_FREE_ARRAYS(&attribution->first_pass, &attribution->shapes, &attribution->draws, &attribution->ends,
                  &attribution->rows, &attribution->sum, &attribution->energies);
   free(attribution->has_counter);
   free(attribution);
}

/* ---- what the stages have counted ------------------------------------------------ */

static uint64_t
count_texture_reads(const struct cm_gpu *gpu)
{
   const enum cm_unit unit = gpu->config.streams[CM_STREAM_TEXTURE];
   assert(unit != CM_UNIT_DRAM);
   uint64_t reads = 0;
   for (uint32_t i = 0; i < gpu->hierarchy.instances[unit]; i++)
      reads += gpu->hierarchy.caches[unit][i].accesses[CM_STREAM_TEXTURE][0];
   return reads;
}

/* Counts for the current origin by how much values have grown since the last time. */
static void
count_growth(struct cm_attribution *counts, uint32_t column, const uint64_t *values, uint64_t *counted,
             unsigned count)
{
   for (unsigned c = 0; c < count; c++) {
      if (values[c] == counted[c])
         continue;
      assert(values[c] > counted[c]);
      cm_attribution_count(counts, column + c, values[c] - counted[c]);
      counted[c] = values[c];
   }
}

/* The same of footprints and their reads. */
static void
count_textures(struct cm_gpu *gpu)
{
   struct cm_gpu_attribution *attribution = gpu->attribution;
   struct cm_attribution *counts = attribution->counts;
   count_growth(counts, counts->first_of_stages + CM_PIPELINE_FOOTPRINTS,
                &gpu->pipeline[CM_PIPELINE_FOOTPRINTS], &attribution->counted[CM_PIPELINE_FOOTPRINTS], 1);
   count_growth(counts, counts->first_of_stages + CM_PIPELINE_VERTEX_FOOTPRINTS,
                &gpu->pipeline[CM_PIPELINE_VERTEX_FOOTPRINTS],
                &attribution->counted[CM_PIPELINE_VERTEX_FOOTPRINTS], 1);
   if (!attribution->has_texture_caches)
      return;
   const enum cm_unit unit = gpu->config.streams[CM_STREAM_TEXTURE];
   const uint64_t reads = count_texture_reads(gpu);
   count_growth(counts, counts->first_column[unit][CM_STREAM_TEXTURE] + CM_CACHE_EVENT_READS, &reads,
                &attribution->texture_reads, 1);
}

/* Counts for the current origin what the stages have counted since the last time. Frames are no origin's. */
static void
count_stages(struct cm_gpu *gpu)
{
   struct cm_gpu_attribution *attribution = gpu->attribution;
   struct cm_attribution *counts = attribution->counts;
   const unsigned first = CM_PIPELINE_FRAMES + 1;
   count_growth(counts, counts->first_of_stages + first, gpu->pipeline + first, attribution->counted + first,
                CM_PIPELINE_COUNT - first);
   if (cm_config_counts_operations(&gpu->config))
      count_growth(counts, counts->first_of_stages + CM_PIPELINE_COUNT, gpu->operations,
                   attribution->operations, CM_OPERATION_COUNT);
   count_textures(gpu);
}

void
cm_gpu_change_origin(struct cm_gpu *gpu, enum cm_origin_part part, uint32_t number)
{
   assert(part < CM_ORIGIN_COUNT && part != CM_ORIGIN_RESOURCE);
   struct cm_attribution *counts = gpu->attribution->counts;
   cm_gpu_attribute_resource(gpu, 0);
   if (!counts->has_part[part] || counts->stages.origin.parts[part] == number)
      return;
   count_stages(gpu);
   cm_attribution_set(counts, part, number);
}

void
cm_gpu_change_resource(struct cm_gpu *gpu, uint32_t id)
{
   struct cm_gpu_attribution *attribution = gpu->attribution;
   if (attribution->is_texture)
      count_textures(gpu);
   attribution->is_texture = false;
   cm_attribution_set(attribution->counts, CM_ORIGIN_RESOURCE, id);
}

void
cm_gpu_attribute_texture(struct cm_gpu *gpu, uint32_t id)
{
   cm_gpu_attribute_resource(gpu, id);
   gpu->attribution->is_texture = true;
}

/* ---- passes and frames ------------------------------------------------------------ */

static void
keep_draws(struct cm_gpu_attribution *attribution, const struct cm_pass *pass)
{
   const uint32_t first = attribution->num_draws;
   if (!cm_array_extend(&attribution->draws, first + pass->num_draws, sizeof(struct cm_draw_names))) {
      attribution->counts->out_of_memory = true;
      return;
   }
   struct cm_draw_names *names = (struct cm_draw_names *)attribution->draws.data + first;
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const struct cm_draw *draw = &pass->draws[d];
      names[d] = (struct cm_draw_names){
         .call = draw->call,
         .group = draw->group,
         .marker = draw->marker,
         .vertex_shader = draw->vertex_shader.id,
         .fragment_shader = draw->fragment_shader.id,
      };
   }
   attribution->num_draws += pass->num_draws;
}

/* The stores that the pass reads or replaces. Without memory for them nothing is written. */
static bool
keep_ends(struct cm_gpu_attribution *attribution, const struct cm_pass *pass, uint32_t *num_ends)
{
   struct cm_contents *contents = attribution->contents;
   uint16_t stored;
   cm_contents_ends(contents, num_ends); /* those that have no pass */
   if (!cm_contents_pass_reads(contents, pass) || !cm_contents_pass_stores(contents, pass, &stored))
      return false;
   const struct cm_store_end *ends = cm_contents_ends(contents, num_ends);
   if (!cm_array_extend(&attribution->ends, attribution->num_ends + *num_ends, sizeof *ends))
      return false;
   if (*num_ends)
      memcpy((struct cm_store_end *)attribution->ends.data + attribution->num_ends, ends,
             *num_ends * sizeof *ends);
   attribution->num_ends += *num_ends;
   return true;
}

static void
keep_shape(struct cm_gpu_attribution *attribution, const struct cm_pass *pass)
{
   const uint32_t first_end = attribution->num_ends;
   uint32_t num_ends = 0;
   /* Of the frame that has not ended. */
   const uint32_t number =
      attribution->passes - ((const uint32_t *)attribution->first_pass.data)[attribution->frames];
   if (!cm_array_extend(&attribution->shapes, number + 1, sizeof(struct cm_pass_shape)) ||
       !keep_ends(attribution, pass, &num_ends)) {
      attribution->counts->out_of_memory = true;
      return;
   }
   ((struct cm_pass_shape *)attribution->shapes.data)[number] = (struct cm_pass_shape){
      .width = pass->width,
      .height = pass->height,
      .tile_size = pass->tile_size,
      .tiles_x = pass->tiles_x,
      .tiles_y = pass->tiles_y,
      .num_draws = pass->num_draws,
      .num_primitives = pass->num_primitives,
      .first_draw = attribution->num_draws,
      .first_end = first_end,
      .num_ends = num_ends,
   };
   if (attribution->counts->has_part[CM_ORIGIN_DRAW])
      keep_draws(attribution, pass);
}

void
cm_gpu_attribute_definition(struct cm_gpu *gpu, const struct cm_resource_description *resource)
{
   if (gpu->attribution && !cm_contents_define_resource(gpu->attribution->contents, resource))
      gpu->attribution->counts->out_of_memory = true;
}

void
cm_gpu_attribute_read(struct cm_gpu *gpu, uint32_t resource)
{
   if (gpu->attribution && !cm_contents_read(gpu->attribution->contents, resource))
      gpu->attribution->counts->out_of_memory = true;
}

const struct cm_pass_shape *
cm_gpu_pass_shape(const struct cm_gpu *gpu, const struct cm_attributed_row *row)
{
   return row->frames_ago ? NULL : &((const struct cm_pass_shape *)gpu->attribution->shapes.data)[row->pass];
}

const struct cm_draw_names *
cm_gpu_draw_names(const struct cm_gpu *gpu, const struct cm_attributed_row *row)
{
   const struct cm_pass_shape *shape = cm_gpu_pass_shape(gpu, row);
   return shape && row->number ? (const struct cm_draw_names *)gpu->attribution->draws.data +
                                    shape->first_draw + row->number - 1
                               : NULL;
}

void
cm_gpu_attribute_pass(struct cm_gpu *gpu)
{
   struct cm_gpu_attribution *attribution = gpu->attribution;
   if (!attribution)
      return;
   if (attribution->frame_has_ended) {
      cm_attribution_clear(attribution->counts);
      attribution->num_draws = attribution->num_ends = 0;
   }
   attribution->frame_has_ended = false;
   keep_shape(attribution, gpu->pass);
   cm_attribution_set(attribution->counts, CM_ORIGIN_PASS, ++attribution->passes);
}

void
cm_gpu_attribute_pass_end(struct cm_gpu *gpu)
{
   if (!gpu->attribution)
      return;
   cm_gpu_attribute_draw(gpu, CM_NOT_ATTRIBUTED);
   cm_gpu_attribute_tile(gpu, CM_NOT_ATTRIBUTED);
   count_stages(gpu);
}

static void
add_cycles(struct cm_attribution *counts, const struct cm_timed_end *of, uint64_t cycles)
{
   assert(of->pass && cycles);
   const struct cm_origin origin = {
      .parts =
         {[CM_ORIGIN_PASS] = of->pass, [CM_ORIGIN_TILE] = counts->has_part[CM_ORIGIN_TILE] ? of->tile : 0},
   };
   const struct cm_attribution_former former = cm_attribution_begin(counts, &origin);
   cm_attribution_count(counts, counts->first_of_stages + CYCLES_COLUMN, cycles);
   cm_attribution_end(counts, &former);
}

/* A tile's cycles, or a pass', are those by which it is done later than what was done before it; what remains at the end
 * of the frame, or of a part of it, is the last one's. */
static void
count_cycles(struct cm_attribution *counts, const struct cm_timed_part *part)
{
   uint64_t cycle = 0;
   for (uint32_t e = 0; e < part->num_ends; e++) {
      const bool is_last = e + 1 == part->num_ends;
      const uint64_t end = is_last ? part->cycles : cm_max64(cycle, part->ends[e].cycle);
      if (end > cycle)
         add_cycles(counts, &part->ends[e], end - cycle);
      cycle = end;
   }
   /* No tile was drawn: the last pass' geometry. */
   if (part->cycles > cycle && part->last_pass)
      add_cycles(counts, &(struct cm_timed_end){.pass = part->last_pass}, part->cycles - cycle);
}

/* What each stage did with its cycles. */
static void
count_states(struct cm_attribution *counts, struct cm_cycle_attribution *cycles)
{
   for (uint32_t parts = cycles->parts; parts; parts &= parts - 1)
      cm_attribution_add_table(counts, &cycles->tables[__builtin_ctz(parts)],
                               counts->first_of_stages + STATES_COLUMN);
   counts->out_of_memory |= cycles->out_of_memory;
   cm_cycle_attribution_clear(cycles);
}

void
cm_gpu_attribute_frame_end(struct cm_gpu *gpu)
{
   struct cm_gpu_attribution *attribution = gpu->attribution;
   if (!attribution)
      return;
   if (attribution->frame_has_ended) /* a frame without passes */
      cm_attribution_clear(attribution->counts);
   if (gpu->timing && cm_timing_is_complete(gpu->timing)) {
      struct cm_timed_part part = cm_timing_part(gpu->timing, NULL);
      for (; part.log; part = cm_timing_part(gpu->timing, &part)) {
         count_cycles(attribution->counts, &part);
         count_states(attribution->counts, part.attribution);
      }
   }
   attribution->frame_has_ended = true;
   if (!cm_contents_frame_end(attribution->contents) ||
       !cm_array_extend(&attribution->first_pass, attribution->frames + 2, sizeof(uint32_t))) {
      attribution->counts->out_of_memory = true;
      return;
   }
   ((uint32_t *)attribution->first_pass.data)[++attribution->frames] = attribution->passes;
}

/* ---- rows ------------------------------------------------------------------------- */

/* The frame of a pass, counted from 1 over all frames: the last one that begins before it. */
static uint32_t
frame_of(const struct cm_gpu_attribution *attribution, uint32_t pass)
{
   const uint32_t *first_pass = attribution->first_pass.data;
   uint32_t first = 0, end = attribution->frames;
   while (end - first > 1) {
      const uint32_t middle = first + (end - first) / 2;
      if (first_pass[middle] < pass)
         first = middle;
      else
         end = middle;
   }
   return first;
}

static int
compare(const void *a, const void *b)
{
   const struct cm_attributed_row *first = a, *second = b;
   if (first->frames_ago != second->frames_ago)
      return first->frames_ago < second->frames_ago ? 1 : -1;
   if (first->pass != second->pass)
      return first->pass < second->pass ? -1 : 1;
   return (first->number > second->number) - (first->number < second->number);
}

struct cm_ended_store
cm_gpu_ended_store(const struct cm_gpu *gpu, uint32_t number)
{
   const struct cm_gpu_attribution *attribution = gpu->attribution;
   const struct cm_store_end end = ((const struct cm_store_end *)attribution->ends.data)[number];
   const uint32_t frame = frame_of(attribution, (uint32_t)end.pass + 1);
   return (struct cm_ended_store){
      .end = end,
      .frames_ago = attribution->frames - 1 - frame,
      .pass = (uint32_t)end.pass - ((const uint32_t *)attribution->first_pass.data)[frame],
   };
}

/* Adds a row's counts. False: it has none, because its resource was bound and not accessed. */
static bool
add_counts(uint64_t *sum, const uint64_t *counts, uint32_t num_columns)
{
   uint64_t all = 0;
   for (uint32_t c = 0; c < num_columns; c++) {
      sum[c] += counts[c];
      all |= counts[c];
   }
   return all;
}

/* Lists the rows of a table that count something. */
static bool
list_rows(struct cm_gpu_attribution *attribution, const struct cm_attribution_table *table, uint32_t *count)
{
   const uint32_t num_columns = attribution->counts->num_columns;
   if (attribution->counts->out_of_memory ||
       !cm_array_reserve(&attribution->rows, table->keys.count, sizeof(struct cm_attributed_row)) ||
       !cm_array_reserve(&attribution->sum, num_columns, sizeof(uint64_t)))
      return false;
   struct cm_attributed_row *rows = attribution->rows.data;
   uint64_t *sum = attribution->sum.data;
   memset(sum, 0, num_columns * sizeof *sum);
   *count = 0;
   for (uint32_t r = 0; r < table->keys.count; r++) {
      const struct cm_attributed key = cm_attribution_table_row_key(table, r);
      const uint64_t *counts = cm_attribution_table_row(table, r);
      if (!add_counts(sum, counts, num_columns))
         continue;
      const uint32_t frame = frame_of(attribution, key.pass);
      rows[(*count)++] = (struct cm_attributed_row){
         .frames_ago = attribution->frames - 1 - frame,
         .pass = key.pass - 1 - ((const uint32_t *)attribution->first_pass.data)[frame],
         .number = key.number,
         .counts = counts,
      };
   }
   qsort(rows, *count, sizeof *rows, compare);
   return true;
}

/* ---- energies ------------------------------------------------------------------------
 *
 * A term's energy is that of all its events so far, in whole picojoules; a row's is by how much it grows with the row's events,
 * after those of all rows before. So rows add up to what the frame has. */

/* Events of a term before the frame. */
static uint64_t
events_before(const struct cm_gpu *gpu, const struct cm_energy_term *term)
{
   return cm_energy_term_events(term, gpu->total) - cm_energy_term_events(term, gpu->frame);
}

struct row {
   const struct cm_gpu *gpu;
   const struct cm_attributed_row *row;
};

static uint64_t
value_of(const void *context, uint32_t counter)
{
   const struct row *of = context;
   return cm_gpu_attributed_value(of->gpu, of->row, &of->gpu->table->counters[counter]);
}

/* Whether all counters of a term are attributed. */
static bool
can_attribute(const struct cm_energy_term *term, const bool *flags)
{
   bool all = !term->is_static && !term->by_time;
   for (uint32_t c = 0; all && c < term->num_counters; c++)
      all = flags[term->counters[c]];
   return all;
}

static bool
add_energy(struct cm_gpu *gpu, struct cm_attributed_rows *rows, struct cm_attributed_row *list)
{
   const struct cm_energy *energy = gpu->energy;
   struct cm_gpu_attribution *attribution = gpu->attribution;
   const size_t units = CM_ENERGY_UNIT_COUNT;
   if (!cm_array_reserve(&attribution->energies, (rows->count + 1) * units, sizeof(uint64_t)))
      return false;
   uint64_t *energies = attribution->energies.data, *sum = energies + rows->count * units;
   memset(energies, 0, (rows->count + 1) * units * sizeof *energies);
   for (uint32_t t = 0; t < energy->num_terms; t++) {
      const struct cm_energy_term *term = &energy->terms[t];
      if (!can_attribute(term, attribution->has_counter))
         continue;
      uint64_t events = events_before(gpu, term), before = cm_energy_of_events(term, events);
      for (uint32_t r = 0; r < rows->count; r++) {
         events += cm_energy_count_events(term, value_of, &(struct row){gpu, &list[r]});
         const uint64_t now = cm_energy_of_events(term, events);
         energies[r * units + term->unit] += now - before;
         sum[term->unit] += now - before;
         before = now;
      }
   }
   for (uint32_t r = 0; r < rows->count; r++)
      list[r].energy = energies + r * units;
   rows->sum.energy = sum;
   return true;
}

bool
cm_gpu_attributed_rows(struct cm_gpu *gpu, enum cm_origin_part part, struct cm_attributed_rows *rows)
{
   struct cm_gpu_attribution *attribution = gpu->attribution;
   const struct cm_attribution_table *table =
      attribution ? cm_attribution_table(attribution->counts, part) : NULL;
   if (!table)
      return false;
   uint32_t count;
   if (!list_rows(attribution, table, &count)) {
      cm_gpu_out_of_memory(gpu);
      return false;
   }
   *rows = (struct cm_attributed_rows){
      .count = count,
      .list = attribution->rows.data,
      .sum = {.counts = attribution->sum.data},
   };
   if (gpu->energy && !add_energy(gpu, rows, attribution->rows.data)) {
      cm_gpu_out_of_memory(gpu);
      return false;
   }
   return true;
}

/* ---- counters ----------------------------------------------------------------------- */

/* Those cycles of stages that are a resource's: in which it was waited for, or loaded and stored. */
static bool
is_of_resources(const struct cm_counter *counter)
{
   return strcmp(counter->name, "fragment_processors.memory_cycles") == 0 ||
          strncmp(counter->name, "tile_buffers.", strlen("tile_buffers.")) == 0;
}

/* Whether rows by a part have a counter; energy aside. */
static bool
is_attributed(const struct cm_config *config, const struct cm_counter *counter, enum cm_origin_part part)
{
   if (counter->unit >= 0)
      return counter->source == &cm_memory_counters && counter->instance < 0;
   if (counter->source == &cm_access_unit_counters || counter->source == &cm_compression_counters)
      return true;
   if (counter->source == &cm_operation_counters)
      return part != CM_ORIGIN_RESOURCE;
   if (counter->source == &cm_timing_counters && strcmp(counter->name, "gpu.cycles") == 0)
      return part == CM_ORIGIN_PASS || part == CM_ORIGIN_TILE;
   if (counter->source == &cm_timing_counters)
      return cm_timing_attributed_column(config, counter->event) >= 0 &&
             (part != CM_ORIGIN_RESOURCE || is_of_resources(counter));
   return cm_counter_is_of_stages(counter) && counter->event != CM_PIPELINE_FRAMES &&
          (part != CM_ORIGIN_RESOURCE || counter->event == CM_PIPELINE_FOOTPRINTS);
}

bool
cm_attributed_counters(const struct cm_config *config, const struct cm_counter_table *table,
                       enum cm_origin_part part, bool *flags)
{
   for (uint32_t c = 0; c < table->count; c++)
      flags[c] = is_attributed(config, &table->counters[c], part);
   if (!cm_energy_is_counted(table))
      return true;
   char error[512];
   struct cm_energy *energy = cm_energy_create(config, table, error, sizeof error);
   for (uint32_t c = 0; energy && c < table->count; c++) {
      const struct cm_counter *counter = &table->counters[c];
      if (counter->source != &cm_energy_counters)
         continue;
      const enum cm_energy_unit unit = cm_energy_dynamic_unit(counter);
      flags[c] = unit != CM_ENERGY_UNIT_COUNT && cm_energy_is_made_of(energy, unit, flags);
   }
   cm_energy_destroy(energy);
   return energy;
}

uint64_t
cm_gpu_attributed_value(const struct cm_gpu *gpu, const struct cm_attributed_row *row,
                        const struct cm_counter *counter)
{
   const struct cm_attribution *attribution = gpu->attribution->counts;
   const uint32_t event = (uint32_t)counter->event;
   if (cm_counter_is_of_stages(counter))
      return row->counts[attribution->first_of_stages + event];
   if (counter->source == &cm_operation_counters)
      return row->counts[attribution->first_of_stages + CM_PIPELINE_COUNT + event];
   if (counter->source == &cm_timing_counters) {
      const int state = cm_timing_attributed_column(&gpu->config, counter->event);
      return row->counts[attribution->first_of_stages +
                         (state < 0 ? CYCLES_COLUMN : STATES_COLUMN + (uint32_t)state)];
   }
   if (counter->source == &cm_compression_counters)
      return cm_compression_attributed(gpu, counter, row->counts);
   if (counter->source == &cm_energy_counters)
      return row->energy[cm_energy_dynamic_unit(counter)];
   return cm_attribution_value(attribution, row->counts, counter);
}
