/* SPDX-License-Identifier: MIT */
/** The consumer of events, on a thread of its own, fed in stream order: the simulated memory
 * hierarchy, the recording, or both. */
#ifndef TBR_MODEL_H
#define TBR_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "events/event_stream.h"
#include "gpu/gpu.h"

struct tbr_model;
struct tbr_thumbnail;
struct cm_config;

/** Starts the consumer thread and prepares the statistics files (tbr_statistics.h). simulate:
 * whether there is a hierarchy; without, events are only recorded (tbr_recording.h). config and isa must outlive the
 * model. NULL with a message when the hierarchy cannot be built. */
struct tbr_model *tbr_model_create(const struct cm_config *config, const char *isa, bool simulate);
/** Consumes what is queued and writes the last frame. Other threads may still draw (the process exits): what they queue
 * from now on is released, and counts nowhere. Once. */
void tbr_model_finish(struct tbr_model *model);
/** Stops the thread of a model that is finished, and that nothing else uses. */
void tbr_model_destroy(struct tbr_model *model);

void tbr_model_define_resource(struct tbr_model *model, const struct cm_resource_description *resource);
/** No pass that is queued from now on names it. */
void tbr_model_forget_resource(struct tbr_model *model, uint32_t id);
/** The text is copied. */
void tbr_model_define_name(struct tbr_model *model, const struct cm_name *name);

/** Queues a pass. traversal: its tiles in the order of rendering, which is that of the
 * configuration. The consumer calls wait_tile(data, n) before it reads the n-th tile of the
 * traversal, which waits until that is rendered;
 * take_thumbnail(data), which may be NULL, after the last one; release_tile(data, tile) when it is
 * done with that tile's events; and release(data) when it is done with the pass. The last two are
 * called on the recorder's thread where the pass is recorded, and release_tile otherwise on any
 * thread of the simulation. */
void
tbr_model_pass(struct tbr_model *model, const struct cm_pass *pass, const uint32_t *traversal, void *data,
               void (*wait_tile)(void *data, uint32_t n), struct tbr_thumbnail (*take_thumbnail)(void *data),
               void (*release_tile)(void *data, uint32_t tile), void (*release)(void *data));
void tbr_model_frame_end(struct tbr_model *model);

/** Whether the frame that is being recorded is simulated (TBRSIM_FRAMES). */
bool tbr_model_frame_wanted(const struct tbr_model *model, uint32_t frame);

/** The table that tbr_model_counter's counter indexes; NULL: nothing is simulated. */
const struct cm_counter_table *tbr_model_counters(const struct tbr_model *model);

/** A counter's value in all that is queued: waits until that is consumed. */
uint64_t tbr_model_counter(struct tbr_model *model, unsigned counter);

#endif
