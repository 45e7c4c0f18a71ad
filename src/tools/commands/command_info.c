/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_config.h"
#include "config/config.h"
#include "events/names.h"
#include "output/draw_list.h"
#include "options.h"
#include "output/output.h"
#include "input/session.h"
#include "texture/placement.h"
#include "tools.h"

static const char usage[] = "tbrsim info [OPTIONS] FILE.tbr";
static const char description[] =
   "Prints what a recording holds: its origin, its frames, its buffers and textures, the names\n"
   "that the program gave them, and the size of each section in bytes. JSON also has the\n"
   "configuration and all names.\n";

/* A recording, looked through. */
struct info {
   struct cm_recording *recording;
   const struct cm_indexed_frame *frames;
   size_t num_frames;
   struct cm_recording_counts total;
   struct cm_recording_section sections[CM_RECORDING_MAX_SECTIONS];
   size_t num_sections;
   struct cm_config *config;
   uint64_t buffers, buffer_bytes, textures, texture_bytes;
   struct cm_names *names; /* of the GPU whose definitions are being read */
   struct name_count {
      uint64_t groups, labels, shaders, strings, reads;
   } count;                 /* of all GPUs */
   json_t *groups, *labels; /* paths; texts */
};

static const char *const end_names[] = {
   [CM_RECORDING_WHOLE] = "whole",
   [CM_RECORDING_STOPPED] = "stopped",
   [CM_RECORDING_UNFINISHED] = "unfinished",
};

static const struct {
   const char *name, *description;
   size_t offset;
} counts[] = {
#define COUNT(name, description) {#name, description, offsetof(struct cm_recording_counts, name)},
   CM_RECORDING_COUNTS(COUNT)
#undef COUNT
};

static uint64_t
count_of(const struct cm_recording_counts *of, unsigned number)
{
   uint64_t value;
   memcpy(&value, (const char *)of + counts[number].offset, sizeof(value));
   return value;
}

static void
count_resource(struct info *info, const struct cm_resource_description *resource)
{
   if (resource->is_buffer) {
      info->buffers++;
      info->buffer_bytes += resource->width;
      return;
   }
   static struct cm_texture_layout layout;
   cm_texture_layout_init(&layout, resource, info->config);
   info->textures++;
   info->texture_bytes += layout.bytes;
}

/* Lists the names of a GPU, all of whose definitions have been read. */
static void
finish_names(struct info *info)
{
   if (!info->names)
      return;
   const uint32_t num_groups = cm_names_count_groups(info->names);
   for (uint32_t g = 1; g <= num_groups; g++)
      json_array_append_new(info->groups, draw_list_group(info->names, g));
   info->count.groups += num_groups;
   info->count.labels += cm_names_count_labels(info->names);
   info->count.shaders += cm_names_count_shaders(info->names);
   info->count.strings += cm_names_count_strings(info->names);
   info->count.reads += cm_names_count_reads(info->names);
   cm_names_destroy(info->names);
   info->names = NULL;
}

static void
take_name(struct info *info, const struct cm_name *name)
{
   if (!cm_names_define(info->names, name))
      fail(STATUS_FAILED, "out of memory");
   if (name->type == CM_NAME_LABEL && name->string)
      json_array_append_new(info->labels, output_text(cm_names_string(info->names, name->string)));
}

static void
take_definitions(const struct cm_item *item, void *context)
{
   struct info *info = context;
   if (item->type == CM_ITEM_GPU) {
      finish_names(info);
      info->names = cm_names_create();
      if (!info->names)
         fail(STATUS_FAILED, "out of memory");
   }
   for (size_t n = 0; n < item->num_names; n++)
      take_name(info, &item->names[n]);
   for (size_t r = 0; r < item->num_resources; r++)
      count_resource(info, &item->resources[r]);
}

static void
collect(struct info *info)
{
   info->config = configurations_recorded(info->recording);
   info->frames = cm_recording_frames(info->recording, &info->num_frames);
   uint32_t most_blocks = 0;
   for (size_t f = 0; f < info->num_frames; f++) {
      const struct cm_recording_counts *frame = &info->frames[f].counts;
#define ADD(name, description) info->total.name += frame->name;
      CM_RECORDING_COUNTS(ADD)
#undef ADD
      if (frame->most_attribute_blocks > most_blocks)
         most_blocks = frame->most_attribute_blocks;
   }
   info->total.most_attribute_blocks = most_blocks;
   info->num_sections = cm_recording_sections(info->recording, info->sections);
   info->groups = json_array();
   info->labels = json_array();
   cm_recording_list_definitions(info->recording, take_definitions, info);
   finish_names(info);
}

/* ---- JSON ------------------------------------------------------------------------ */

static json_t *
counts_json(const struct cm_recording_counts *of)
{
   json_t *object = json_object();
   for (unsigned c = 0; c < CM_RECORDING_NUM_COUNTS; c++)
      json_object_set_new(object, counts[c].name, json_integer((json_int_t)count_of(of, c)));
   return object;
}

static json_t *
provenance_json(const struct info *info)
{
   json_t *object = json_object();
   size_t num_values;
   const struct cm_run_value *values = cm_recording_values(info->recording, &num_values);
   for (size_t v = 0; v < num_values; v++) {
      json_t *value = strcmp(values[v].key, "configuration") ? NULL : json_loads(values[v].value, 0, NULL);
      json_object_set_new(object, values[v].key, value ? value : output_text(values[v].value));
   }
   return object;
}

static json_t *
resources_json(uint64_t count, uint64_t bytes)
{
   return json_pack("{s:I, s:I}", "count", (json_int_t)count, "bytes", (json_int_t)bytes);
}

static json_t *
names_json(const struct info *info)
{
   return json_pack("{s:O, s:O, s:I, s:I}", "groups", info->groups, "labels", info->labels, "shaders",
                    (json_int_t)info->count.shaders, "strings", (json_int_t)info->count.strings);
}

static json_t *
info_json(const struct info *info)
{
   json_t *frames = json_array(), *sections = json_object();
   for (size_t f = 0; f < info->num_frames; f++) {
      json_t *frame = json_pack("{s:i}", "number", (int)info->frames[f].number);
      json_object_update_new(frame, counts_json(&info->frames[f].counts));
      json_array_append_new(frames, frame);
   }
   for (size_t s = 0; s < info->num_sections; s++) {
      const struct cm_recording_section *section = &info->sections[s];
      json_object_set_new(sections, section->name,
                          json_pack("{s:I, s:I, s:I}", "chunks", (json_int_t)section->chunks, "bytes",
                                    (json_int_t)section->bytes, "stored_bytes",
                                    (json_int_t)section->stored_bytes));
   }
   const char *damage = cm_recording_damage(info->recording);
   char fingerprint[17];
   snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, cm_recording_fingerprint(info->recording));
   return json_pack("{s:s, s:s, s:o, s:s, s:o, s:I, s:i, s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "kind",
                    cm_recording_kind_names[cm_recording_kind(info->recording)], "end",
                    end_names[cm_recording_end(info->recording)], "damage",
                    damage ? output_text(damage) : json_null(), "fingerprint", fingerprint, "provenance",
                    provenance_json(info), "gpus",
                    (json_int_t)cm_recording_count_gpus(info->recording, 0, info->num_frames - 1),
                    "tile_size", (int)info->config->tile.size, "mode", cm_mode_names[info->config->mode],
                    "buffers", resources_json(info->buffers, info->buffer_bytes), "textures",
                    resources_json(info->textures, info->texture_bytes), "names", names_json(info),
                    "reads_without_events", (json_int_t)info->count.reads, "sections", sections, "total",
                    counts_json(&info->total), "frames", frames);
}

/* The JSON, but for the configuration and lists of names; what is counted with what it means. */
static void
print_text(json_t *root)
{
   static const char *const lists[] = {"sections", "total", "frames", "provenance"};
   json_t *sections = json_array(), *totals = json_array(), *section, *count;
   json_t *frames = json_incref(json_object_get(root, "frames"));
   json_t *provenance = json_incref(json_object_get(root, "provenance"));
   const char *name;
   unsigned c = 0;
   json_object_foreach(json_object_get(root, "sections"), name, section)
      json_array_append_new(sections, json_pack("{s:s, s:O}", "section", name, "bytes", section));
   json_object_foreach(json_object_get(root, "total"), name, count)
      json_array_append_new(totals, json_pack("{s:s, s:O, s:s}", "count", name, "total", count, "what",
                                              counts[c++].description));
   for (unsigned l = 0; l < sizeof lists / sizeof *lists; l++)
      json_object_del(root, lists[l]);
   json_object_del(json_object_get(root, "names"), "groups");
   json_object_del(json_object_get(root, "names"), "labels");
   json_object_del(provenance, "configuration");
   output_lines(root, 0, stdout);
   output_lines(provenance, 0, stdout);
   putchar('\n');
   output_table(totals, stdout);
   putchar('\n');
   output_table(sections, stdout);
   putchar('\n');
   output_table(frames, stdout);
}

int
command_info(int argc, char **argv)
{
   bool json = false;
   struct listed listed = {0};
   static const struct option_row rows[] = {
      OPTION("draws", NULL, "print only the draws, one line of JSON each", take_flag, struct listed, draws),
      OPTION("passes", NULL, "print only the render passes, one line of JSON each", take_flag, struct listed,
             passes),
   };
   const struct command_line line = {
      .usage = usage,
      .description = description,
      .operands = OPERANDS_ONE,
      .operand = "recording",
      .groups = {JSON_OPTIONS(&json), OPTION_GROUP(rows, &listed)},
   };
   const char *path = command_line_parse(&line, argc, argv).list[0];

   struct session session = session_open(path, &(struct frame_selection){0}, NULL);
   if (listed.draws || listed.passes) {
      draw_list_print(&session, &listed);
      const bool read = session_check(&session);
      session_close(&session);
      return read ? STATUS_OK : STATUS_FAILED;
   }
   struct info info = {.recording = session.simulations.recording};
   collect(&info);
   const bool whole = session_check(&session);
   if (json)
      output_json(info_json(&info), 2, stdout);
   else
      print_text(info_json(&info));
   session_close(&session);
   json_decref(info.groups);
   json_decref(info.labels);
   cm_config_destroy(info.config);
   return whole ? STATUS_OK : STATUS_FAILED;
}
