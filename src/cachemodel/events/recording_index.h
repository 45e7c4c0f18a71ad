/* SPDX-License-Identifier: MIT */
/** The offsets of a recording's parts: collected while it is written, read from its end, or
 * found by a scan of the file. */
#ifndef CM_RECORDING_INDEX_H
#define CM_RECORDING_INDEX_H

#include <stddef.h>

#include "events/byte_stream.h"
#include "events/recording_counts.h"

struct cm_indexed_frame {
   uint64_t offset; /**< of the frame's first chunk */
   uint32_t number; /**< the application's, counting from 0 */
   struct cm_recording_counts counts;
};

struct cm_recording_index {
   bool stopped;   /**< writing failed: the stream went on */
   uint64_t *gpus; /**< offsets of the chunks that begin a GPU */
   size_t num_gpus;
   uint64_t *resources; /**< offsets of the chunks of resources, the first of each payload */
   size_t num_resources;
   struct cm_indexed_frame *frames;
   size_t num_frames;
};

void cm_index_finish(struct cm_recording_index *index);

/** Each false when out of memory. Offsets ascend. */
bool cm_index_add_gpu(struct cm_recording_index *index, uint64_t offset);
bool cm_index_add_resources(struct cm_recording_index *index, uint64_t offset);
bool cm_index_add_frame(struct cm_recording_index *index, const struct cm_indexed_frame *frame);

/** A frame's number and counts, the payload of a frame's end. */
void cm_encode_frame(struct cm_byte_writer *writer, const struct cm_indexed_frame *frame);
void cm_decode_frame(struct cm_byte_reader *reader, struct cm_indexed_frame *frame);

void cm_encode_index(struct cm_byte_writer *writer, const struct cm_recording_index *index);
/** Into an empty index. Returns NULL, or the error; offsets are below file_bytes and ascend. */
const char *
cm_decode_index(struct cm_byte_reader *reader, struct cm_recording_index *index, uint64_t file_bytes);

#endif
