/* SPDX-License-Identifier: MIT */
#include "gpu/timeline_writer.h"

#include <stdio.h>
#include <stdlib.h>

#include "stats/appended_file.h"
#include "results/process_results.h"
#include "results/writer.h"
#include "util/frame_list.h"
#include "util/message.h"

struct cm_timeline_writer {
   struct cm_timeline_frames frames;
   struct cm_appended_file *file; /* the statistics writer's */
   bool has_gpu;                  /* its head is in the file */
   uint32_t written;              /* frames */
   bool left_out;                 /* another GPU's were; it was reported */
};

bool
cm_timeline_frames_parse(const char *text, struct cm_timeline_frames *frames)
{
   struct cm_frame_list list;
   if (!cm_frame_list_parse(text, &list))
      return false;
   const struct cm_frame_range range = list.ranges[0];
   const bool is_one = list.count == 1 && range.last != UINT32_MAX;
   cm_frame_list_free(&list);
   *frames = (struct cm_timeline_frames){.first = range.first, .last = range.last};
   return is_one;
}

struct cm_timeline_writer *
cm_timeline_writer_create(const struct cm_timeline_frames *frames, struct cm_stats_writer *stats)
{
   struct cm_timeline_writer *writer = calloc(1, sizeof *writer);
   if (!writer)
      return NULL;
   writer->frames = *frames;
   writer->file = cm_appended_file_create(CM_STATISTICS_TIMELINE, "." CM_STATISTICS_TIMELINE ".new");
   if (!writer->file) {
      free(writer);
      return NULL;
   }
   cm_stats_writer_add_file(stats, writer->file);
   return writer;
}

bool
cm_timeline_writer_destroy(struct cm_timeline_writer *writer)
{
   if (!writer)
      return true;
   const uint32_t wanted = writer->frames.last - writer->frames.first + 1;
   if (writer->written < wanted)
      cm_message(CM_MESSAGE_INFO, CM_STATISTICS_TIMELINE " has %u of the frames %u-%u", writer->written,
                 writer->frames.first, writer->frames.last);
   const bool ok = writer->written >= wanted || writer->left_out;
   free(writer);
   return ok;
}

static void
put(struct cm_byte_writer *bytes, const struct cm_byte_writer *more)
{
   cm_put_bytes(bytes, more->data, more->size);
}

void
cm_timeline_writer_frame(struct cm_timeline_writer *writer, struct cm_gpu *gpu)
{
   if (!writer)
      return;
   struct cm_timeline *timeline = cm_gpu_timeline(gpu);
   if (!writer->has_gpu) {
      put(&writer->file->head, cm_timeline_head(timeline));
      cm_timeline_mark_written(timeline);
      writer->has_gpu = true;
   }
   const struct cm_byte_writer *frame = cm_timeline_frame(timeline);
   if (!frame)
      return;
   if (cm_timeline_is_written(timeline)) {
      /* One that is still there could not be written. */
      writer->file->frame.size = 0;
      put(&writer->file->frame, frame);
      writer->written++;
   } else if (!writer->left_out) {
      cm_message(CM_MESSAGE_INFO, CM_STATISTICS_TIMELINE " is without the frames of a second GPU");
      writer->left_out = true;
   }
}
