/* SPDX-License-Identifier: MIT */
/**
 * Writes a recording: the event stream as a file (docs/recording-format.md).
 *
 * Calls come from one thread at a time, in stream order:
 *    gpu_begin, ((define_resource | define_name | define_code)*, pass_begin, pass_tile*, pass_end)*, frame_end, …
 * and may start again with gpu_begin. They only submit their arguments to
 * the recorder's thread, which encodes, compresses and writes them. A pass and its tiles' events are
 * not copied; the recorder owns them until it releases them (struct cm_pass_owner).
 *
 * When the file cannot be written, one message (util/message.h) says so, and what was recorded
 * until then stays readable; what is submitted later is only released.
 */
#ifndef CM_RECORDER_H
#define CM_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/event_stream.h"

struct cm_config;
struct cm_process_results;
struct cm_recorder;
struct cm_run_value;
struct cm_shader_code;

/** Which of the fragments that the GPU's mode removes a recording holds. */
enum cm_recording_kind {
   CM_RECORDING_PLAIN,  /**< none: for the mode it was recorded in */
   CM_RECORDING_HIDDEN, /**< all of them: for every mode */
   CM_RECORDING_KINDS
};

extern const char *const cm_recording_kind_names[CM_RECORDING_KINDS];

/** Creates a file, which gets its name when it has a whole frame: the path, replacing an existing file, or
 * with results the name that they choose (results/process_results.h). values: what stats.json has under "run" besides
 * preset and configuration (results/writer.h). NULL with a line in error when it cannot be created or
 * out of memory. */
struct cm_recorder *
cm_recorder_create(const char *path, struct cm_process_results *results, enum cm_recording_kind kind,
                   const struct cm_config *config, const struct cm_run_value *values, size_t num_values,
                   char *error, size_t error_size);
/** Writes all remaining chunks, and the index. False if anything could not be written. */
bool cm_recorder_destroy(struct cm_recorder *recorder);

/** A simulated GPU begins, without any resources; a frame that was not ended is dropped. */
void cm_recorder_gpu_begin(struct cm_recorder *recorder);
void
cm_recorder_define_resource(struct cm_recorder *recorder, const struct cm_resource_description *resource);
void cm_recorder_define_name(struct cm_recorder *recorder, const struct cm_name *name);
void cm_recorder_define_code(struct cm_recorder *recorder, const struct cm_shader_code *code);

/** The owner of a pass' memory, a part of a struct of the caller. Both functions are called for everything that was
 * submitted, recorded or not, in that order; on the recorder's thread, except for tiles without events, which
 * are released at once. Neither may wait for the submitting thread. */
struct cm_pass_owner {
   /** The recorder no longer reads the tile's events. */
   void (*release_tile)(struct cm_pass_owner *owner, uint32_t tile);
   /** The recorder no longer reads the pass, nor uses the owner; called after all of the pass' tiles. */
   void (*release)(struct cm_pass_owner *owner);
};

/** Limit of the bytes of tiles' events and passes in the recorder's queue: above it, the caller
 * waits until they are half as many. */
#define CM_RECORDER_WAITING_BYTES ((size_t)16 << 20)

/** Submits the pass without its tiles' events, which need not exist yet. The rest must not change
 * until owner->release. */
void
cm_recorder_pass_begin(struct cm_recorder *recorder, const struct cm_pass *pass, struct cm_pass_owner *owner);
/** The events of a tile of the pass begun last, each tile at most once, in any order. They must
 * not change until owner->release_tile. */
void cm_recorder_pass_tile(struct cm_recorder *recorder, uint32_t tile);
void cm_recorder_pass_end(struct cm_recorder *recorder);
/** Ends a frame. number: the application's, counting from 0. */
void cm_recorder_frame_end(struct cm_recorder *recorder, uint32_t number);

#endif
