/* SPDX-License-Identifier: MIT */
#include "gpu/attribution_writer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/names.h"
#include "gpu/attribution_internal.h"
#include "stats/table_file.h"
#include "results/writer.h"

/* A table's keys after frame, pass_frame and pass. */
struct table {
   const char *name, *keys;
   /* frame: number of the one that is written */
   void (*add_keys)(struct cm_byte_writer *row, struct cm_gpu *gpu, uint64_t frame,
                    const struct cm_attributed_row *of);
};

struct cm_attribution_writer {
   const struct cm_counter_table *counters;
   struct cm_stats_writer *stats;
   struct cm_table_file *files[CM_ORIGIN_COUNT]; /* by enum cm_origin_part; NULL: not asked for */
   bool *flags;                                  /* by counter */
   uint64_t *values;                             /* by counter */
};

/* ---- keys ------------------------------------------------------------------ */

static void
add_numbers(struct cm_byte_writer *row, const uint64_t *numbers, unsigned count)
{
   for (unsigned n = 0; n < count; n++)
      cm_text_add_value(row, numbers[n]);
}

static void
add_empty(struct cm_byte_writer *row, unsigned count)
{
   for (unsigned n = 0; n < count; n++)
      cm_text_add_character(row, ',');
}

/* The frame that was so many before the one that is written. Frames of the GPU that were left out are those before its first
 * one; the statistics may have others there. */
static void
add_earlier_frame(struct cm_byte_writer *row, const struct cm_gpu *gpu, uint64_t frame, uint32_t frames_ago)
{
   const uint32_t written = gpu->attribution->written;
   const bool was_left_out = frames_ago > written;
   if (was_left_out)
      cm_text_add_character(row, '-');
   cm_text_add_number(row, was_left_out ? frames_ago - written : frame - frames_ago);
}

/* The stores that a pass is the first to read, or replaces, as RESOURCE@FRAME:PASS. */
static void
add_ends(struct cm_byte_writer *row, const struct cm_gpu *gpu, uint64_t frame,
         const struct cm_pass_shape *shape, enum cm_store_fate fate)
{
   bool any = false;
   cm_text_add_character(row, ',');
   for (uint32_t e = 0; e < shape->num_ends; e++) {
      const struct cm_ended_store ended = cm_gpu_ended_store(gpu, shape->first_end + e);
      if (ended.end.fate != fate)
         continue;
      if (any)
         cm_text_add_character(row, ' ');
      any = true;
      cm_text_add_number(row, ended.end.resource);
      cm_text_add_character(row, '@');
      add_earlier_frame(row, gpu, frame, ended.frames_ago);
      cm_text_add_character(row, ':');
      cm_text_add_number(row, ended.pass);
   }
}

static void
add_pass(struct cm_byte_writer *row, struct cm_gpu *gpu, uint64_t frame, const struct cm_attributed_row *of)
{
   const struct cm_pass_shape *shape = cm_gpu_pass_shape(gpu, of);
   if (!shape) {
      add_empty(row, 9);
      return;
   }
   const uint64_t numbers[] = {shape->width,   shape->height,    shape->tile_size,     shape->tiles_x,
                               shape->tiles_y, shape->num_draws, shape->num_primitives};
   add_numbers(row, numbers, 7);
   add_ends(row, gpu, frame, shape, CM_STORE_READ);
   add_ends(row, gpu, frame, shape, CM_STORE_REPLACED);
}

/* Between double quotes where it has to be (RFC 4180). */
static void
add_text(struct cm_byte_writer *row, const char *text)
{
   cm_text_add_character(row, ',');
   if (!text[strcspn(text, ",\"\r\n")]) {
      cm_text_add(row, text);
      return;
   }
   cm_text_add_character(row, '"');
   for (; *text; text++) {
      if (*text == '"')
         cm_text_add_character(row, '"');
      cm_text_add_character(row, *text);
   }
   cm_text_add_character(row, '"');
}

/* The row's draw or tile. */
static void
add_number_within(struct cm_byte_writer *row, const struct cm_attributed_row *of)
{
   cm_text_add_character(row, ',');
   if (of->number)
      cm_text_add_number(row, of->number - 1);
}

static void
add_shader(struct cm_byte_writer *row, const struct cm_names *names, enum cm_shader_stage stage,
           uint32_t shader)
{
   char text[20] = "";
   const uint64_t hash = cm_names_shader_hash(names, stage, shader);
   if (hash)
      snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
   add_text(row, text);
}

static void
add_group(struct cm_byte_writer *row, const struct cm_names *names, uint32_t group)
{
   const size_t bytes = cm_names_group_path(names, group, NULL, 0) + 1;
   char *path = malloc(bytes);
   if (!path) {
      row->out_of_memory = true;
      return;
   }
   cm_names_group_path(names, group, path, bytes);
   add_text(row, path);
   free(path);
}

static void
add_draw(struct cm_byte_writer *row, struct cm_gpu *gpu, uint64_t frame, const struct cm_attributed_row *of)
{
   const struct cm_draw_names *draw = cm_gpu_draw_names(gpu, of);
   const struct cm_names *names = cm_gpu_names(gpu);
   add_number_within(row, of);
   if (!draw) {
      add_empty(row, 5);
      return;
   }
   cm_text_add_character(row, ',');
   if (draw->call)
      cm_text_add_number(row, draw->call);
   add_group(row, names, draw->group);
   add_text(row, cm_names_string(names, draw->marker));
   add_shader(row, names, CM_SHADER_VERTEX, draw->vertex_shader);
   add_shader(row, names, CM_SHADER_FRAGMENT, draw->fragment_shader);
}

static void
add_resource(struct cm_byte_writer *row, struct cm_gpu *gpu, uint64_t frame,
             const struct cm_attributed_row *of)
{
   const struct cm_resource *resource = of->number ? cm_address_space_use(&gpu->space, of->number) : NULL;
   if (!resource) {
      add_empty(row, 11);
      return;
   }
   const struct cm_resource_description *description = &resource->description;
   const uint64_t numbers[] = {description->width,  description->height, description->depth,
                               description->layers, description->levels, description->samples,
                               resource->bytes};
   add_numbers(row, &(uint64_t){of->number}, 1);
   cm_text_add(row, description->is_buffer        ? ",buffer"
                    : description->is_displayable ? ",window"
                                                  : ",texture");
   if (description->is_buffer) {
      add_empty(row, 6);
      add_numbers(row, &numbers[6], 1);
   } else {
      add_numbers(row, numbers, 7);
   }
   add_text(row, cm_names_format(cm_gpu_names(gpu), of->number));
   add_text(row, cm_names_label(cm_gpu_names(gpu), of->number));
}

static void
add_tile(struct cm_byte_writer *row, struct cm_gpu *gpu, uint64_t frame, const struct cm_attributed_row *of)
{
   const struct cm_pass_shape *shape = cm_gpu_pass_shape(gpu, of);
   add_number_within(row, of);
   if (!of->number || !shape) {
      add_empty(row, 2);
      return;
   }
   const uint32_t tile = of->number - 1;
   const uint64_t numbers[] = {tile % shape->tiles_x, tile / shape->tiles_x};
   add_numbers(row, numbers, 2);
}

static const struct table tables[CM_ORIGIN_COUNT] = {
   [CM_ORIGIN_PASS] = {"passes.csv",
                       CM_TABLE_KEYS "width,height,tile_size,tiles_x,tiles_y,draws,"
                                     "primitives,first_reads,overwrites",
                       add_pass},
   [CM_ORIGIN_DRAW] = {"draws.csv", CM_TABLE_KEYS "draw,call,group,marker,vertex_shader,fragment_shader",
                       add_draw},
   [CM_ORIGIN_RESOURCE] = {"textures.csv",
                           CM_TABLE_KEYS
                           "resource,kind,width,height,depth,layers,levels,samples,bytes,format,label",
                           add_resource},
   [CM_ORIGIN_TILE] = {"tiles.csv", CM_TABLE_KEYS "tile,column,row", add_tile},
};

/* ---- a frame ----------------------------------------------------------------- */

static void
add_row(struct cm_attribution_writer *writer, struct cm_gpu *gpu, enum cm_origin_part part,
        const struct cm_attributed_row *of)
{
   struct cm_table_file *file = writer->files[part];
   struct cm_byte_writer *row = &file->rows;
   const uint64_t frame = cm_stats_writer_frames(writer->stats);
   cm_text_add_number(row, frame);
   cm_text_add_character(row, ',');
   add_earlier_frame(row, gpu, frame, of->frames_ago);
   add_numbers(row, &(uint64_t){of->pass}, 1);
   tables[part].add_keys(row, gpu, frame, of);
   for (uint32_t c = 0; c < file->num_columns; c++)
      writer->values[c] = cm_gpu_attributed_value(gpu, of, &writer->counters->counters[file->columns[c]]);
   cm_table_file_add_values(file, writer->values);
}

static void
add_rows(struct cm_attribution_writer *writer, struct cm_gpu *gpu, enum cm_origin_part part)
{
   struct cm_table_file *file = writer->files[part];
   struct cm_attributed_rows rows = {0};
   if (!cm_gpu_attributed_rows(gpu, part, &rows))
      rows.count = 0;
   for (uint32_t c = 0; c < writer->counters->count; c++)
      writer->flags[c] = rows.count && file->may_have[c] &&
                         cm_gpu_attributed_value(gpu, &rows.sum, &writer->counters->counters[c]);
   cm_table_file_begin_frame(file, writer->flags);
   for (uint32_t r = 0; r < rows.count; r++)
      add_row(writer, gpu, part, &rows.list[r]);
}

void
cm_attribution_writer_frame(struct cm_attribution_writer *writer, struct cm_gpu *gpu)
{
   if (!writer)
      return;
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++) {
      if (writer->files[part])
         add_rows(writer, gpu, (enum cm_origin_part)part);
   }
   gpu->attribution->written++;
}

/* ---- the writer -------------------------------------------------------------- */

void
cm_attribution_writer_destroy(struct cm_attribution_writer *writer)
{
   if (!writer)
      return;
   free(writer->flags);
   free(writer->values);
   free(writer);
}

static bool
add_table(struct cm_attribution_writer *writer, const struct cm_config *config, enum cm_origin_part part)
{
   if (!cm_attributed_counters(config, writer->counters, part, writer->flags))
      return false;
   writer->files[part] =
      cm_table_file_create(tables[part].name, tables[part].keys, writer->counters, writer->flags);
   if (writer->files[part])
      cm_stats_writer_add_table(writer->stats, writer->files[part]);
   return writer->files[part];
}

bool
cm_attribution_writer_create(const struct cm_config *config, const struct cm_counter_table *table,
                             struct cm_stats_writer *stats, struct cm_attribution_writer **created)
{
   *created = NULL;
   if (!cm_config_attributes(config))
      return true;
   struct cm_attribution_writer *writer = calloc(1, sizeof *writer);
   if (!writer)
      return false;
   writer->counters = table;
   writer->stats = stats;
   writer->flags = calloc(table->count, sizeof *writer->flags);
   writer->values = calloc(table->count, sizeof *writer->values);
   bool ok = writer->flags && writer->values;
   for (unsigned part = 0; ok && part < CM_ORIGIN_COUNT; part++)
      ok = !cm_config_attributes_by(config, (enum cm_origin_part)part) ||
           add_table(writer, config, (enum cm_origin_part)part);
   if (!ok) {
      cm_attribution_writer_destroy(writer);
      return false;
   }
   *created = writer;
   return true;
}
