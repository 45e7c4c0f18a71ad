/* SPDX-License-Identifier: MIT */
#include "input/selection_file.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "options.h"
#include "output/output.h"
#include "tools.h"
#include "util/frame_list.h"
#include "util/minmax.h"

#define VERSION 1

/* ---- writing ------------------------------------------------------------------ */

static json_t *
frame_json(const struct selected_frame *frame)
{
   json_t *neighbours = json_array(), *warm_up = json_array();
   for (uint32_t n = 0; n < frame->represents.num_neighbours; n++)
      json_array_append_new(neighbours,
                            json_pack("{s:i, s:f}", "selected", (int)frame->represents.neighbours[n].number,
                                      "distance", frame->represents.neighbours[n].distance));
   for (unsigned c = 0; c < SELECTION_CACHES; c++)
      json_array_append_new(warm_up, json_integer(frame->warm_up[c]));
   return json_pack("{s:I, s:I, s:f, s:o, s:o, s:I, s:I}", "frame", (json_int_t)frame->number, "weight",
                    (json_int_t)frame->represents.weight, "spread", frame->represents.spread, "neighbours",
                    neighbours, "warm_up", warm_up, "primitives", (json_int_t)frame->primitives, "fragments",
                    (json_int_t)frame->fragments);
}

void
selection_write(const struct selection *selection, const char *path, const char *recording)
{
   json_t *list = json_array(), *of = json_array(), *caches = json_array();
   for (uint32_t s = 0; s < selection->count; s++)
      json_array_append_new(list, frame_json(&selection->list[s]));
   for (uint32_t f = 0; f < selection->frames; f++)
      json_array_append_new(of, json_integer(selection->of[f]));
   for (unsigned c = 0; c + 1 < SELECTION_CACHES; c++)
      json_array_append_new(caches, json_integer((json_int_t)(SELECTION_FIRST_CACHE << c)));
   FILE *file = options_open_output(path);
   output_json(json_pack("{s:i, s:o, s:I, s:f, s:o, s:o, s:o}", "tbrsim_selection", VERSION, "recording",
                         output_text(recording), "frames", (json_int_t)selection->frames, "expected_error",
                         selection->error, "caches", caches, "selected", list, "represented_by", of),
               1, file);
   options_close_output(file, path);
}

/* ---- reading ------------------------------------------------------------------ */

/* Values that are read: the first one that is none makes the file wrong. */
struct parser {
   const char *path;
};

static _Noreturn void
refuse(const struct parser *parser, const char *what)
{
   fail(STATUS_FAILED, "%s: no selection of tbrsim select: %s", parser->path, what);
}

static uint64_t
read_count(const struct parser *parser, const json_t *object, const char *key, uint64_t most)
{
   const json_t *value = json_object_get(object, key);
   if (!json_is_integer(value) || json_integer_value(value) < 0 || (uint64_t)json_integer_value(value) > most)
      refuse(parser, text("\"%s\" is no count", key));
   return (uint64_t)json_integer_value(value);
}

static double
read_real(const struct parser *parser, const json_t *object, const char *key)
{
   const json_t *value = json_object_get(object, key);
   if (!json_is_number(value) || !isfinite(json_number_value(value)) || json_number_value(value) < 0)
      refuse(parser, text("\"%s\" is no number from 0 on", key));
   return json_number_value(value);
}

static void
read_neighbours(const struct parser *parser, const json_t *list, uint32_t count,
                struct cm_representative *represents)
{
   represents->num_neighbours = (uint32_t)json_array_size(list);
   if (!json_is_array(list) || represents->num_neighbours > CM_ESTIMATE_NEIGHBOURS)
      refuse(parser, "\"neighbours\" is no list of them");
   for (uint32_t n = 0; n < represents->num_neighbours; n++) {
      const json_t *neighbour = json_array_get(list, n);
      represents->neighbours[n] = (struct cm_neighbour){
         .number = (uint32_t)read_count(parser, neighbour, "selected", count - 1),
         .distance = read_real(parser, neighbour, "distance"),
      };
      if (represents->neighbours[n].distance <= 0)
         refuse(parser, "the distance of a neighbour is 0");
   }
}

static void
read_warm_up(const struct parser *parser, const json_t *list, uint32_t *warm_up)
{
   if (json_array_size(list) != SELECTION_CACHES)
      refuse(parser, "\"warm_up\" is no list of counts");
   for (unsigned c = 0; c < SELECTION_CACHES; c++) {
      const json_int_t value = json_integer_value(json_array_get(list, c));
      if (value < (c ? (json_int_t)warm_up[c - 1] : 0) || value > UINT16_MAX)
         refuse(parser, "\"warm_up\" is no list of ascending counts");
      warm_up[c] = (uint32_t)value;
   }
}

static void
read_frame(const struct parser *parser, const json_t *object, uint32_t count, struct selected_frame *frame)
{
   frame->number = (uint32_t)read_count(parser, object, "frame", UINT32_MAX);
   frame->represents.weight = (uint32_t)read_count(parser, object, "weight", UINT32_MAX);
   frame->represents.spread = read_real(parser, object, "spread");
   read_neighbours(parser, json_object_get(object, "neighbours"), count, &frame->represents);
   read_warm_up(parser, json_object_get(object, "warm_up"), frame->warm_up);
   frame->primitives = read_count(parser, object, "primitives", INT64_MAX);
   frame->fragments = read_count(parser, object, "fragments", INT64_MAX);
}

struct selection
selection_read(const char *path)
{
   const struct parser parser = {path};
   json_error_t error;
   json_t *root = json_load_file(path, 0, &error);
   if (!root && error.line < 1)
      fail(STATUS_FAILED, "%s", error.text);
   if (!root)
      refuse(&parser, text("line %d: %s", error.line, error.text));
   if (read_count(&parser, root, "tbrsim_selection", INT64_MAX) != VERSION)
      refuse(&parser, "it is of another version of tbrsim");
   const json_t *list = json_object_get(root, "selected");
   struct selection selection = {
      .path = path,
      .frames = (uint32_t)read_count(&parser, root, "frames", UINT32_MAX),
      .error = read_real(&parser, root, "expected_error"),
      .count = (uint32_t)json_array_size(list),
   };
   if (!selection.count)
      refuse(&parser, "it has no frames");
   selection.list = allocate(selection.count * sizeof(*selection.list));
   uint64_t weights = 0;
   for (uint32_t s = 0; s < selection.count; s++) {
      read_frame(&parser, json_array_get(list, s), selection.count, &selection.list[s]);
      if (s && selection.list[s].number <= selection.list[s - 1].number)
         refuse(&parser, "its frames do not ascend");
      weights += selection.list[s].represents.weight;
   }
   if (weights != selection.frames)
      refuse(&parser, "the weights do not add up to the frames");
   json_decref(root);
   return selection;
}

/* ---- the recording -------------------------------------------------------------- */

uint32_t
selection_warm_up(const struct selected_frame *frame, uint64_t cache_bytes)
{
   unsigned cache = 0;
   while (cache < SELECTION_CACHES - 1 && SELECTION_FIRST_CACHE << cache < cache_bytes)
      cache++;
   return frame->warm_up[cache];
}

uint64_t
selection_largest_cache(const struct cm_config *config)
{
   uint64_t largest = 0;
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++)
      largest = cm_max64(largest, config->caches[unit].size);
   return largest;
}

char *
selection_frames(const struct selection *selection, uint64_t cache_bytes, uint32_t *count)
{
   struct cm_frame_list list = {.ranges = allocate(selection->count * sizeof(*list.ranges))};
   for (uint32_t s = 0; s < selection->count; s++) {
      const uint32_t number = selection->list[s].number;
      cm_frame_list_add(&list, number - cm_min(number, selection_warm_up(&selection->list[s], cache_bytes)),
                        number);
   }
   char *result = text("%s", "");
   for (uint32_t r = 0; r < list.count; r++) {
      const struct cm_frame_range *range = &list.ranges[r];
      char *longer = range->first == range->last
                        ? text("%s%s%u", result, r ? "," : "", range->first)
                        : text("%s%s%u-%u", result, r ? "," : "", range->first, range->last);
      free(result);
      result = longer;
   }
   if (count)
      *count = cm_frame_list_count(&list);
   cm_frame_list_free(&list);
   return result;
}

uint32_t
selection_find(const struct selection *selection, const struct selected_frame *frame,
               const struct cm_recording *recording, const char *recording_path)
{
   size_t count;
   const struct cm_indexed_frame *frames = cm_recording_frames(recording, &count);
   uint32_t index = 0;
   while (index < count && frames[index].number != frame->number)
      index++;
   if (index == count)
      fail(STATUS_USAGE, "--selected %s: %s has no frame %u", selection->path, recording_path, frame->number);
   if (frames[index].counts.primitives != frame->primitives ||
       frames[index].counts.fragments != frame->fragments)
      fail(STATUS_USAGE, "--selected %s: frame %u of %s is another one: it was selected of another recording",
           selection->path, frame->number, recording_path);
   return index;
}
