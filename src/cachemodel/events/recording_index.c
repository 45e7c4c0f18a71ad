/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdlib.h>

#include "events/recording_index.h"
#include "events/recording_check.h"
#include "util/array.h"

void
cm_index_finish(struct cm_recording_index *index)
{
   free(index->gpus.at);
   free(index->resources.at);
   free(index->frames);
   memset(index, 0, sizeof *index);
}

bool
cm_index_add_offset(struct cm_chunk_offsets *offsets, uint64_t offset)
{
   assert(!offsets->count || offset >= offsets->at[offsets->count - 1]);
   if (!cm_array_grow(&offsets->at, offsets->count, sizeof *offsets->at))
      return false;
   offsets->at[offsets->count++] = offset;
   return true;
}

bool
cm_index_add_frame(struct cm_recording_index *index, const struct cm_indexed_frame *frame)
{
   if (!cm_array_grow(&index->frames, index->num_frames, sizeof *index->frames))
      return false;
   index->frames[index->num_frames++] = *frame;
   return true;
}

/* ---- bytes --------------------------------------------------------------- */

void
cm_encode_frame(struct cm_byte_writer *writer, const struct cm_indexed_frame *frame)
{
   cm_put_varint(writer, frame->number);
#define PUT_COUNT(name, description) cm_put_varint(writer, frame->counts.name);
   CM_RECORDING_COUNTS(PUT_COUNT)
#undef PUT_COUNT
}

void
cm_decode_frame(struct cm_byte_reader *reader, struct cm_indexed_frame *frame)
{
   const uint64_t number = cm_get_varint(reader);
   reader->bad |= number > UINT32_MAX;
   frame->number = (uint32_t)number;
#define GET_COUNT(name, description) frame->counts.name = cm_get_varint(reader);
   CM_RECORDING_COUNTS(GET_COUNT)
#undef GET_COUNT
}

static void
put_offsets(struct cm_byte_writer *writer, const struct cm_chunk_offsets *offsets)
{
   cm_put_varint(writer, offsets->count);
   for (size_t i = 0; i < offsets->count; i++)
      cm_put_varint(writer, offsets->at[i] - (i ? offsets->at[i - 1] : 0));
}

void
cm_encode_index(struct cm_byte_writer *writer, const struct cm_recording_index *index)
{
   cm_put_varint(writer, index->stopped);
   put_offsets(writer, &index->gpus);
   put_offsets(writer, &index->resources);
   cm_put_varint(writer, index->num_frames);
   for (size_t f = 0; f < index->num_frames; f++) {
      cm_put_varint(writer, index->frames[f].offset - (f ? index->frames[f - 1].offset : 0));
      cm_encode_frame(writer, &index->frames[f]);
   }
}

/* The next offset; at file_bytes where it is none. */
static uint64_t
next_offset(struct cm_byte_reader *reader, uint64_t before, uint64_t file_bytes)
{
   const uint64_t difference = cm_get_varint(reader);
   if (!difference || before >= file_bytes || difference >= file_bytes - before) {
      reader->bad = true;
      return file_bytes;
   }
   return before + difference;
}

/* False when out of memory. */
static bool
get_offsets(struct cm_byte_reader *reader, struct cm_chunk_offsets *offsets, uint64_t file_bytes)
{
   uint64_t offset = 0;
   bool memory = true;
   for (uint64_t n = cm_get_varint(reader); n > 0 && memory && !reader->bad; n--) {
      offset = next_offset(reader, offset, file_bytes);
      memory = cm_index_add_offset(offsets, offset);
   }
   return memory;
}

const char *
cm_decode_index(struct cm_byte_reader *reader, struct cm_recording_index *index, uint64_t file_bytes)
{
   const uint64_t stopped = cm_get_varint(reader);
   index->stopped = stopped & 1;
   reader->bad |= stopped > 1;
   bool memory =
      get_offsets(reader, &index->gpus, file_bytes) && get_offsets(reader, &index->resources, file_bytes);
   struct cm_indexed_frame frame = {0};
   for (uint64_t n = cm_get_varint(reader); n > 0 && memory && !reader->bad; n--) {
      frame.offset = next_offset(reader, frame.offset, file_bytes);
      cm_decode_frame(reader, &frame);
      memory = cm_index_add_frame(index, &frame);
   }
   if (!memory)
      return CM_OUT_OF_MEMORY_FOR "the index";
   return reader->bad || reader->at != reader->end ? "the index is cut short or out of order" : NULL;
}
