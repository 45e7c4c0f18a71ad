/* SPDX-License-Identifier: MIT */
#include "timing/timeline.h"

#include <inttypes.h>
#include <stdlib.h>

#include "util/array.h"

struct event {
   uint64_t begin, end; /* of a value: begin only */
   uint64_t number;     /* tile, pass or row; of a value: it, in thousandths */
   const char *name;    /* of a value; NULL: a span */
   uint32_t track;
   uint32_t order; /* events of one cycle stay in the order in which they came */
};

struct cm_timeline {
   uint32_t frame, label, tracks;
   bool recording, complete;
   uint64_t begin, end; /* of the frame */
   uint64_t *track_ends;
   struct event *events;
   uint32_t count;
   size_t capacity;
   uint64_t left_out;
};

struct cm_timeline *
cm_timeline_create(uint32_t frame, uint32_t label, uint32_t banks)
{
   struct cm_timeline *timeline = calloc(1, sizeof *timeline);
   if (!timeline)
      return NULL;
   timeline->frame = frame;
   timeline->label = label;
   timeline->tracks = CM_TIMELINE_TRACK_COUNT + banks;
   timeline->track_ends = calloc(timeline->tracks, sizeof *timeline->track_ends);
   if (timeline->track_ends)
      return timeline;
   free(timeline);
   return NULL;
}

void
cm_timeline_destroy(struct cm_timeline *timeline)
{
   if (!timeline)
      return;
   free(timeline->track_ends);
   free(timeline->events);
   free(timeline);
}

bool
cm_timeline_begin_frame(struct cm_timeline *timeline, uint32_t frame, uint64_t cycle)
{
   timeline->recording = frame == timeline->frame && !timeline->complete;
   if (timeline->recording) {
      timeline->begin = cycle;
      for (uint32_t t = 0; t < timeline->tracks; t++)
         timeline->track_ends[t] = cycle;
   }
   return timeline->recording;
}

bool
cm_timeline_is_recording(const struct cm_timeline *timeline)
{
   return timeline->recording;
}

bool
cm_timeline_is_complete(const struct cm_timeline *timeline)
{
   return timeline->complete;
}

void
cm_timeline_end_frame(struct cm_timeline *timeline, uint64_t cycle)
{
   timeline->complete |= timeline->recording;
   timeline->recording = false;
   timeline->end = cycle;
}

static void
add(struct cm_timeline *timeline, struct event event)
{
   if (timeline->count == CM_TIMELINE_EVENTS ||
       !cm_array_make_room(&timeline->events, &timeline->capacity, timeline->count, 1, sizeof event)) {
      timeline->left_out++;
      return;
   }
   event.order = timeline->count;
   timeline->events[timeline->count++] = event;
}

void
cm_timeline_span(struct cm_timeline *timeline, uint32_t track, uint64_t begin, uint64_t end, uint64_t number)
{
   uint64_t *last = &timeline->track_ends[track];
   if (!timeline->recording)
      return;
   begin = begin > *last ? begin : *last;
   if (end <= begin)
      return;
   *last = end;
   add(timeline, (struct event){.begin = begin, .end = end, .number = number, .track = track});
}

void
cm_timeline_value(struct cm_timeline *timeline, const char *name, uint64_t cycle, uint64_t thousandths)
{
   if (timeline->recording && cycle >= timeline->begin)
      add(timeline, (struct event){.begin = cycle, .number = thousandths, .name = name});
}

/* ---- the file ------------------------------------------------------------ */

static int
by_time(const void *a, const void *b)
{
   const struct event *first = a, *second = b;
   if (first->begin != second->begin)
      return first->begin < second->begin ? -1 : 1;
   return first->order < second->order ? -1 : 1;
}

static void
write_names(const struct cm_timeline *timeline, FILE *file)
{
   static const char *const names[] = {
#define TRACK_NAME(id, name) name,
      CM_TIMELINE_TRACKS(TRACK_NAME)};
   fputs("{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"GPU\"}},\n"
         "{\"ph\":\"M\",\"pid\":2,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"DRAM\"}}",
         file);
   for (uint32_t t = 0; t < timeline->tracks; t++) {
      const bool is_bank = t >= CM_TIMELINE_FIRST_BANK;
      fprintf(file, ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"",
              is_bank ? 2 : 1, t + 1);
      if (is_bank)
         fprintf(file, "bank %u", t - CM_TIMELINE_FIRST_BANK);
      else
         fputs(names[t], file);
      fputs("\"}}", file);
   }
}

static void
write_event(const struct cm_timeline *timeline, const struct event *event, FILE *file)
{
   const uint64_t begin = event->begin - timeline->begin;
   if (event->name) {
      fprintf(file,
              ",\n{\"ph\":\"C\",\"pid\":1,\"tid\":0,\"name\":\"%s\",\"ts\":%" PRIu64
              ",\"args\":{\"value\":%" PRIu64 ".%03u}}",
              event->name, begin, event->number / 1000, (unsigned)(event->number % 1000));
      return;
   }
   const bool is_bank = event->track >= CM_TIMELINE_FIRST_BANK;
   const char *what = is_bank ? "row" : event->track == CM_TIMELINE_GEOMETRY ? "pass" : "tile";
   fprintf(file,
           ",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"name\":\"%s %" PRIu64 "\",\"ts\":%" PRIu64
           ",\"dur\":%" PRIu64 "}",
           is_bank ? 2 : 1, event->track + 1, what, event->number, begin, event->end - event->begin);
}

bool
cm_timeline_write(struct cm_timeline *timeline, FILE *file)
{
   if (timeline->count)
      qsort(timeline->events, timeline->count, sizeof *timeline->events, by_time);
   fprintf(file,
           "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"frame\":\"%u\",\"unit of ts\":\"cycles of the GPU's "
           "clock\","
           "\"cycles\":\"%" PRIu64 "\",\"events left out\":\"%" PRIu64 "\"},\n\"traceEvents\":[\n",
           timeline->label, timeline->end - timeline->begin, timeline->left_out);
   write_names(timeline, file);
   for (uint32_t e = 0; e < timeline->count; e++)
      write_event(timeline, &timeline->events[e], file);
   fputs("\n]}\n", file);
   return !ferror(file);
}
