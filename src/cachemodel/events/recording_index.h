/* SPDX-License-Identifier: MIT */
/** The offsets of a recording's parts: collected while it is written, read from its end, or
 * found by a scan of the file. */
#ifndef CM_RECORDING_INDEX_H
#define CM_RECORDING_INDEX_H

#include <stddef.h>

#include "util/byte_stream.h"
#include "events/recording_counts.h"

struct cm_indexed_frame {
   uint64_t offset; /**< of the frame's first chunk */
   uint32_t number; /**< the application's, counting from 0 */
   struct cm_recording_counts counts;
};

/** Offsets of chunks, ascending. */
struct cm_chunk_offsets {
   uint64_t *at;
   size_t count;
};

struct cm_recording_index {
   bool stopped;                      /**< writing failed: the stream went on */
   struct cm_chunk_offsets gpus;      /**< of those that begin a GPU */
   struct cm_chunk_offsets resources; /**< of resources, the first of each payload */
   struct cm_indexed_frame *frames;
   size_t num_frames;
};

void cm_index_finish(struct cm_recording_index *index);

/** Each false when out of memory. */
bool cm_index_add_offset(struct cm_chunk_offsets *offsets, uint64_t offset);
bool cm_index_add_frame(struct cm_recording_index *index, const struct cm_indexed_frame *frame);

/** A frame's number and counts, the payload of a frame's end. */
void cm_encode_frame(struct cm_byte_writer *writer, const struct cm_indexed_frame *frame);
void cm_decode_frame(struct cm_byte_reader *reader, struct cm_indexed_frame *frame);

void cm_encode_index(struct cm_byte_writer *writer, const struct cm_recording_index *index);
/** Into an empty index. Returns NULL, or the error; offsets are below file_bytes and ascend. */
const char *
cm_decode_index(struct cm_byte_reader *reader, struct cm_recording_index *index, uint64_t file_bytes);

#endif
