/* SPDX-License-Identifier: MIT */
/* The numbers of fields are those of Perfetto's protos/perfetto/trace: trace.proto, trace_packet.proto,
 * track_event/track_descriptor.proto, process_descriptor.proto, track_event.proto and debug_annotation.proto,
 * gpu/gpu_counter_event.proto, and protos/perfetto/common/gpu_counter_descriptor.proto. */
#include "timing/timeline.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/names.h"
#include "stats/appended_file.h"
#include "util/array.h"
#include "util/json.h"
#include "util/message.h"
#include "util/protobuf.h"

enum { TRACE_PACKET = 1 };
enum {
   PACKET_TIMESTAMP = 8,
   PACKET_SEQUENCE = 10,
   PACKET_TRACK_EVENT = 11,
   PACKET_SEQUENCE_FLAGS = 13,
   PACKET_GPU_COUNTER_EVENT = 52,
   PACKET_TRACK_DESCRIPTOR = 60,
};
enum {
   TRACK_UUID = 1,
   TRACK_NAME = 2,
   TRACK_PROCESS = 3,
   TRACK_PARENT = 5,
   TRACK_CHILD_ORDERING = 11,
   TRACK_RANK = 12,
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23 };
enum { ANNOTATION_NUMBER = 3, ANNOTATION_TEXT = 6, ANNOTATION_NAME = 10 };
enum { COUNTERS_DESCRIPTOR = 1, COUNTERS_COUNTER = 2 };
enum { COUNTER_ID = 1, COUNTER_DOUBLE = 3 };
enum { DESCRIPTOR_SPEC = 1 };
enum { SPEC_ID = 1, SPEC_NAME, SPEC_DESCRIPTION, SPEC_NUMERATOR = 7, SPEC_DENOMINATOR, SPEC_GROUP = 10 };

enum { SLICE_BEGIN = 1, SLICE_END = 2 };                 /* TrackEvent.Type */
enum { STATE_CLEARED = 1 };                              /* TracePacket.SequenceFlags */
enum { EXPLICIT_ORDER = 3 };                             /* TrackDescriptor.ChildTracksOrdering */
enum { UNIT_NONE = 0, UNIT_BYTE = 7, UNIT_SECOND = 22 }; /* GpuCounterDescriptor.MeasureUnit */
enum { GROUP_UNCLASSIFIED = 0, GROUP_MEMORY = 5 };       /* GpuCounterDescriptor.GpuCounterGroup */

#define SEQUENCE 1
#define NUM_PROCESSES 2

/* What is told of a pass. */
struct pass {
   uint32_t width, height, tile_size, draws, primitives;
   uint32_t group;       /* the innermost one that all its draws are in; 0: none */
   uint32_t first_group; /* of the draws': numbers in groups */
   size_t target;        /* where the label of what is drawn to stands in labels; 0: it has none */
};

struct cm_timeline {
   struct cm_timeline_frames frames;
   uint32_t clock_mhz;
   uint32_t next; /* the number of the next frame */
   uint32_t number;
   bool recording, is_written;
   /* In cycles since the GPU's first one: of the frame, and of the part from which cycles count. */
   uint64_t frame_begin, begin;
   uint32_t num_tracks, num_counters, ranks[NUM_PROCESSES];
   struct cm_array ends; /* uint64_t: by track, the cycle at which its last slice ends */
   const struct cm_names *names;
   struct cm_array passes, groups; /* struct pass; uint32_t by draw */
   uint32_t num_passes, num_groups;
   struct cm_byte_writer labels; /* each with a zero at its end, the first one empty */
   struct cm_byte_writer head, specs, text;
   struct cm_byte_writer packets, ended; /* of the frame; of the last one that has ended */
   bool has_ended;                       /* there is one, which has not been taken */
   bool has_frame;                       /* it is the frame that was taken last */
   bool has_sample;
   bool lost; /* out of memory for something of the frame */
};

/* ---- packets ------------------------------------------------------------- */

/* A process' number is that of its track. */
static uint64_t
process_track(enum cm_timeline_process process)
{
   return (uint64_t)process + 1;
}

static uint64_t
track_uuid(uint32_t track)
{
   return NUM_PROCESSES + 1 + (uint64_t)track;
}

static size_t
begin_packet(struct cm_byte_writer *packets)
{
   const size_t begin = cm_protobuf_begin(packets, TRACE_PACKET);
   cm_protobuf_number(packets, PACKET_SEQUENCE, SEQUENCE);
   return begin;
}

static void
add_process(struct cm_timeline *timeline, enum cm_timeline_process process, const char *name, bool is_first)
{
   struct cm_byte_writer *head = &timeline->head;
   const size_t packet = begin_packet(head);
   if (is_first)
      cm_protobuf_number(head, PACKET_SEQUENCE_FLAGS, STATE_CLEARED);
   const size_t track = cm_protobuf_begin(head, PACKET_TRACK_DESCRIPTOR);
   cm_protobuf_number(head, TRACK_UUID, process_track(process));
   const size_t description = cm_protobuf_begin(head, TRACK_PROCESS);
   cm_protobuf_number(head, PROCESS_PID, process_track(process));
   cm_protobuf_text(head, PROCESS_NAME, name);
   cm_protobuf_end(head, description);
   cm_protobuf_number(head, TRACK_CHILD_ORDERING, EXPLICIT_ORDER);
   cm_protobuf_end(head, track);
   cm_protobuf_end(head, packet);
}

uint32_t
cm_timeline_add_track(struct cm_timeline *timeline, enum cm_timeline_process process, const char *name)
{
   struct cm_byte_writer *head = &timeline->head;
   const uint32_t number = timeline->num_tracks++;
   const size_t packet = begin_packet(head);
   const size_t track = cm_protobuf_begin(head, PACKET_TRACK_DESCRIPTOR);
   cm_protobuf_number(head, TRACK_UUID, track_uuid(number));
   cm_protobuf_text(head, TRACK_NAME, name);
   cm_protobuf_number(head, TRACK_PARENT, process_track(process));
   cm_protobuf_number(head, TRACK_RANK, ++timeline->ranks[process]);
   cm_protobuf_end(head, track);
   cm_protobuf_end(head, packet);
   timeline->head.out_of_memory |= !cm_array_extend(&timeline->ends, timeline->num_tracks, sizeof(uint64_t));
   if (!timeline->head.out_of_memory)
      ((uint64_t *)timeline->ends.data)[number] = 0;
   return number;
}

void
cm_timeline_add_counter(struct cm_timeline *timeline, const char *name, const char *description,
                        enum cm_timeline_unit unit, enum cm_timeline_group group)
{
   struct cm_byte_writer *specs = &timeline->specs;
   const size_t spec = cm_protobuf_begin(specs, DESCRIPTOR_SPEC);
   cm_protobuf_number(specs, SPEC_ID, ++timeline->num_counters);
   cm_protobuf_text(specs, SPEC_NAME, name);
   cm_protobuf_text(specs, SPEC_DESCRIPTION, description);
   cm_protobuf_number(specs, SPEC_NUMERATOR, unit == CM_TIMELINE_BYTES_A_SECOND ? UNIT_BYTE : UNIT_NONE);
   if (unit == CM_TIMELINE_BYTES_A_SECOND)
      cm_protobuf_number(specs, SPEC_DENOMINATOR, UNIT_SECOND);
   cm_protobuf_number(specs, SPEC_GROUP, group == CM_TIMELINE_MEMORY ? GROUP_MEMORY : GROUP_UNCLASSIFIED);
   cm_protobuf_end(specs, spec);
   timeline->head.out_of_memory |= specs->out_of_memory;
}

/* ---- the timeline -------------------------------------------------------- */

struct cm_timeline *
cm_timeline_create(const struct cm_timeline_frames *frames, uint32_t clock_mhz)
{
   struct cm_timeline *timeline = calloc(1, sizeof *timeline);
   if (!timeline)
      return NULL;
   timeline->frames = *frames;
   timeline->next = frames->begin;
   timeline->clock_mhz = clock_mhz;
   add_process(timeline, CM_TIMELINE_GPU, CM_TIMELINE_SIGNATURE, true);
   add_process(timeline, CM_TIMELINE_DRAM, "tbrsim DRAM", false);
   cm_timeline_add_track(timeline, CM_TIMELINE_GPU, "Frames and passes");
   if (!timeline->head.out_of_memory)
      return timeline;
   cm_timeline_destroy(timeline);
   return NULL;
}

void
cm_timeline_destroy(struct cm_timeline *timeline)
{
   if (!timeline)
      return;
   free(timeline->ends.data);
   free(timeline->passes.data);
   free(timeline->groups.data);
   free(timeline->labels.data);
   free(timeline->head.data);
   free(timeline->specs.data);
   free(timeline->text.data);
   free(timeline->packets.data);
   free(timeline->ended.data);
   free(timeline);
}

uint64_t
cm_timeline_time(const struct cm_timeline *timeline, uint64_t cycle)
{
   return (timeline->begin + cycle) * 1000 / timeline->clock_mhz;
}

bool
cm_timeline_is_recording(const struct cm_timeline *timeline)
{
   return timeline->recording;
}

const struct cm_byte_writer *
cm_timeline_head(const struct cm_timeline *timeline)
{
   return &timeline->head;
}

const struct cm_byte_writer *
cm_timeline_frame(const struct cm_timeline *timeline)
{
   return timeline->has_frame ? &timeline->ended : NULL;
}

void
cm_timeline_mark_written(struct cm_timeline *timeline)
{
   timeline->is_written = true;
}

bool
cm_timeline_is_written(const struct cm_timeline *timeline)
{
   return timeline->is_written;
}

/* ---- slices -------------------------------------------------------------- */

/* A note of a slice: text, or a number. */
struct note {
   const char *name, *text; /* NULL: a number */
   uint64_t number;
};

static void
add_event(struct cm_timeline *timeline, uint32_t track, uint64_t cycle, const char *name,
          const struct note *notes, unsigned num_notes)
{
   struct cm_byte_writer *packets = &timeline->packets;
   const size_t packet = begin_packet(packets);
   cm_protobuf_number(packets, PACKET_TIMESTAMP, cm_timeline_time(timeline, cycle));
   const size_t event = cm_protobuf_begin(packets, PACKET_TRACK_EVENT);
   cm_protobuf_number(packets, EVENT_TYPE, name ? SLICE_BEGIN : SLICE_END);
   cm_protobuf_number(packets, EVENT_TRACK, track_uuid(track));
   if (name)
      cm_protobuf_text(packets, EVENT_NAME, name);
   for (unsigned n = 0; n < num_notes; n++) {
      const size_t note = cm_protobuf_begin(packets, EVENT_ANNOTATION);
      cm_protobuf_text(packets, ANNOTATION_NAME, notes[n].name);
      if (notes[n].text)
         cm_protobuf_text(packets, ANNOTATION_TEXT, notes[n].text);
      else
         cm_protobuf_number(packets, ANNOTATION_NUMBER, notes[n].number);
      cm_protobuf_end(packets, note);
   }
   cm_protobuf_end(packets, event);
   cm_protobuf_end(packets, packet);
}

static void
add_slice(struct cm_timeline *timeline, uint32_t track, uint64_t begin, uint64_t end, const char *name,
          const struct note *notes, unsigned num_notes)
{
   uint64_t *last = (uint64_t *)timeline->ends.data + track;
   if (!timeline->recording)
      return;
   begin = begin > *last ? begin : *last;
   if (end <= begin)
      return;
   *last = end;
   add_event(timeline, track, begin, name, notes, num_notes);
   add_event(timeline, track, end, NULL, NULL, 0);
}

/* What is no UTF-8 would be no text of a packet. */
static void
make_text(char *name)
{
   const bool is_text = cm_is_utf8(name);
   for (char *c = name; *c && !is_text; c++)
      *c = (unsigned char)*c < 0x80 ? *c : '?';
}

/* "pass 3", and after a colon the group with its enclosing groups. Valid until the next call. */
static const char *
name_of(struct cm_timeline *timeline, const char *what, uint64_t number, uint32_t group)
{
   static const char nothing[] = "";
   struct cm_byte_writer *text = &timeline->text;
   char begin[40];
   const int length = snprintf(begin, sizeof begin, "%s %" PRIu64 "%s", what, number, group ? ": " : "");
   const size_t path = group ? cm_names_group_path(timeline->names, group, NULL, 0) : 0;
   text->size = 0;
   cm_put_bytes(text, begin, (size_t)length);
   if (!cm_bytes_reserve(text, path + 1) || text->out_of_memory) {
      timeline->lost = true;
      return nothing;
   }
   char *name = (char *)text->data;
   name[length] = '\0';
   if (group)
      cm_names_group_path(timeline->names, group, name + length, path + 1);
   make_text(name);
   return name;
}

static const struct pass *
pass_of(const struct cm_timeline *timeline, uint32_t pass)
{
   return timeline->recording && pass < timeline->num_passes
             ? (const struct pass *)timeline->passes.data + pass
             : NULL;
}

void
cm_timeline_pass(struct cm_timeline *timeline, uint32_t track, uint64_t begin, uint64_t end, uint32_t pass)
{
   const struct pass *is = pass_of(timeline, pass);
   if (!is)
      return;
   const struct note notes[] = {
      {"pass", NULL, pass},
      {"width", NULL, is->width},
      {"height", NULL, is->height},
      {"tile_size", NULL, is->tile_size},
      {"draws", NULL, is->draws},
      {"primitives", NULL, is->primitives},
      {"target", (const char *)timeline->labels.data + is->target, 0},
   };
   const unsigned count = sizeof notes / sizeof notes[0] - !is->target;
   add_slice(timeline, track, begin, end, name_of(timeline, "pass", pass, is->group), notes, count);
}

void
cm_timeline_part(struct cm_timeline *timeline, uint32_t track, uint64_t begin, uint64_t end, uint32_t pass,
                 const char *what)
{
   add_slice(timeline, track, begin, end, what, &(struct note){"pass", NULL, pass}, 1);
}

void
cm_timeline_draw(struct cm_timeline *timeline, uint32_t track, uint64_t begin, uint64_t end, uint32_t pass,
                 uint32_t draw)
{
   const struct pass *of = pass_of(timeline, pass);
   if (!of || draw >= of->draws)
      return;
   const uint32_t group = ((const uint32_t *)timeline->groups.data)[of->first_group + draw];
   add_slice(timeline, track, begin, end, name_of(timeline, "draw", draw, group),
             &(struct note){"pass", NULL, pass}, 1);
}

void
cm_timeline_tile(struct cm_timeline *timeline, uint32_t track, uint64_t begin, uint64_t end, uint32_t pass,
                 uint32_t tile)
{
   char name[24];
   snprintf(name, sizeof name, "tile %u", tile);
   add_slice(timeline, track, begin, end, name, &(struct note){"pass", NULL, pass}, 1);
}

void
cm_timeline_row(struct cm_timeline *timeline, uint32_t track, uint64_t begin, uint64_t end, uint64_t row)
{
   char name[32];
   snprintf(name, sizeof name, "row %" PRIu64, row);
   add_slice(timeline, track, begin, end, name, NULL, 0);
}

/* ---- counters ------------------------------------------------------------ */

void
cm_timeline_sample(struct cm_timeline *timeline, uint64_t cycle, const double *values)
{
   struct cm_byte_writer *packets = &timeline->packets;
   if (!timeline->recording)
      return;
   const size_t packet = begin_packet(packets);
   cm_protobuf_number(packets, PACKET_TIMESTAMP, cm_timeline_time(timeline, cycle));
   const size_t event = cm_protobuf_begin(packets, PACKET_GPU_COUNTER_EVENT);
   if (!timeline->has_sample)
      cm_protobuf_bytes(packets, COUNTERS_DESCRIPTOR, timeline->specs.data, timeline->specs.size);
   timeline->has_sample = true;
   for (uint32_t c = 0; c < timeline->num_counters; c++) {
      const size_t counter = cm_protobuf_begin(packets, COUNTERS_COUNTER);
      cm_protobuf_number(packets, COUNTER_ID, c + 1);
      cm_protobuf_double(packets, COUNTER_DOUBLE, values[c]);
      cm_protobuf_end(packets, counter);
   }
   cm_protobuf_end(packets, event);
   cm_protobuf_end(packets, packet);
}

/* ---- frames -------------------------------------------------------------- */

bool
cm_timeline_keeps_next(const struct cm_timeline *timeline)
{
   return timeline->next >= timeline->frames.first && timeline->next <= timeline->frames.last;
}

bool
cm_timeline_begin_frame(struct cm_timeline *timeline)
{
   char name[24];
   timeline->recording = cm_timeline_keeps_next(timeline);
   timeline->number = timeline->next++;
   timeline->num_passes = timeline->num_groups = 0;
   timeline->labels.size = 0;
   timeline->packets.size = 0;
   timeline->packets.out_of_memory = timeline->lost = false;
   if (!timeline->recording)
      return false;
   timeline->frame_begin = timeline->begin;
   snprintf(name, sizeof name, "frame %u", timeline->number);
   add_event(timeline, CM_TIMELINE_FRAMES, 0, name, NULL, 0);
   return true;
}

void
cm_timeline_begin_part(struct cm_timeline *timeline)
{
   if (timeline->num_tracks)
      memset(timeline->ends.data, 0, timeline->num_tracks * sizeof(uint64_t));
}

void
cm_timeline_end_frame(struct cm_timeline *timeline, uint64_t cycle)
{
   const struct note notes[] = {
      {"cycles", NULL, timeline->begin + cycle - timeline->frame_begin},
      {"passes", NULL, timeline->num_passes},
   };
   assert(timeline->recording);
   add_event(timeline, CM_TIMELINE_FRAMES, cycle, NULL, notes, 2);
   timeline->recording = false;
   if (timeline->packets.out_of_memory || timeline->lost) {
      cm_message(CM_MESSAGE_ERROR, "out of memory; the timeline is without frame %u", timeline->number);
      return;
   }
   const struct cm_byte_writer packets = timeline->packets;
   timeline->packets = timeline->ended;
   timeline->ended = packets;
   timeline->has_ended = true;
}

void
cm_timeline_take_part(struct cm_timeline *timeline, uint64_t cycles)
{
   timeline->begin += cycles;
}

void
cm_timeline_take_frame(struct cm_timeline *timeline)
{
   timeline->has_frame = timeline->has_ended;
   timeline->has_ended = false;
}

/* The innermost group that two are in. */
static uint32_t
common_group(const struct cm_names *names, uint32_t a, uint32_t b)
{
   /* A group is defined after the one it is in: its number is greater. */
   while (a != b) {
      if (a > b)
         a = cm_names_group_parent(names, a);
      else
         b = cm_names_group_parent(names, b);
   }
   return a;
}

/* Where a copy of the label of what a pass draws to is. */
static size_t
add_target(struct cm_timeline *timeline, const struct cm_pass *pass, const struct cm_names *names)
{
   struct cm_byte_writer *labels = &timeline->labels;
   const char *label = cm_names_label(names, pass->num_color ? pass->color[0].resource : 0);
   if (!*label)
      label = cm_names_label(names, pass->depth.resource);
   if (!labels->size)
      cm_put_bytes(labels, "", 1);
   const size_t begin = labels->size;
   cm_put_bytes(labels, label, strlen(label) + 1);
   timeline->lost |= labels->out_of_memory;
   if (!*label || timeline->lost)
      return 0;
   make_text((char *)labels->data + begin);
   return begin;
}

void
cm_timeline_add_pass(struct cm_timeline *timeline, const struct cm_pass *pass, const struct cm_names *names)
{
   if (!timeline->recording)
      return;
   if (!cm_array_extend(&timeline->passes, timeline->num_passes + 1, sizeof(struct pass)) ||
       !cm_array_extend(&timeline->groups, timeline->num_groups + pass->num_draws, sizeof(uint32_t))) {
      timeline->lost = true;
      return;
   }
   struct pass *is = (struct pass *)timeline->passes.data + timeline->num_passes++;
   uint32_t *groups = (uint32_t *)timeline->groups.data + timeline->num_groups;
   *is = (struct pass){
      .width = pass->width,
      .height = pass->height,
      .tile_size = pass->tile_size,
      .draws = pass->num_draws,
      .primitives = pass->num_primitives,
      .first_group = timeline->num_groups,
      .target = add_target(timeline, pass, names),
   };
   timeline->names = names;
   timeline->num_groups += pass->num_draws;
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      groups[d] = pass->draws[d].group;
      is->group = d ? common_group(names, is->group, groups[d]) : groups[d];
   }
}
