/* SPDX-License-Identifier: MIT */
/** The consumer of events, on a thread of its own, fed in stream order: the simulated memory
 * hierarchy, the recording, or both. */
#ifndef TBR_MODEL_H
#define TBR_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "events/event_stream.h"
#include "events/recorder.h"
#include "events/shader_code.h"
#include "gpu/gpu.h"
#include "model/tbr_statistics.h"

struct tbr_model;
struct cm_config;

/** Starts the consumer thread and prepares the statistics files (tbr_statistics.h). simulate:
 * whether there is a hierarchy; without, events are only recorded (tbr_recording.h). config and isa must outlive the
 * model. NULL with a message when the hierarchy cannot be built. */
struct tbr_model *tbr_model_create(const struct cm_config *config, const char *isa, bool simulate);
/** Consumes what is queued and writes the last frame. Other threads may still draw (the process exits): what they queue
 * from now on is released, and not counted. Once. */
void tbr_model_finish(struct tbr_model *model);
/** Stops the thread of a model that is finished, and that nothing else uses. */
void tbr_model_destroy(struct tbr_model *model);

void tbr_model_define_resource(struct tbr_model *model, const struct cm_resource_description *resource);
/** No pass that is queued from now on names it. */
void tbr_model_forget_resource(struct tbr_model *model, uint32_t id);
/** The text is copied. */
void tbr_model_define_name(struct tbr_model *model, const struct cm_name *name);

/** The code of a shader, before the first pass that names it; its regions are copied. */
void tbr_model_define_code(struct tbr_model *model, const struct cm_shader_code *code);

/**
 * The tiles of a pass on their way to the model: part of a struct of the one that renders or runs them.
 *
 * Tiles are finished in any order and read in that of the traversal. The model waits for the next one (wait_tile); the
 * simulated GPU, with its timing and its counters, and then the recorder read its events; the last one returns them
 * (owner.release_tile), and the pass once it is done with all tiles (owner.release), which ends the source. Both may be
 * called on any thread: the recorder's where the pass is recorded, one of the simulation's otherwise.
 */
struct tbr_pass_source {
   struct cm_pass_owner owner;
   const struct cm_pass *pass;
   const uint32_t *traversal; /**< tiles in the order of rendering, which is that of the configuration */
   /** Returns when the n-th tile of the traversal is finished. n may be the number of tiles: then when the whole pass is. */
   void (*wait_tile)(struct tbr_pass_source *source, uint32_t n);
   bool has_thumbnail;             /**< it has a thumbnail when it is finished as a whole */
   struct tbr_thumbnail thumbnail; /**< which the model frees */
};

/** Queues a pass. */
void tbr_model_pass(struct tbr_model *model, struct tbr_pass_source *source);
void tbr_model_frame_end(struct tbr_model *model);

/** Whether the frame that is being recorded is simulated (TBRSIM_FRAMES). */
bool tbr_model_frame_wanted(const struct tbr_model *model, uint32_t frame);

/** The table that tbr_model_counter's counter indexes; NULL: nothing is simulated. */
const struct cm_counter_table *tbr_model_counters(const struct tbr_model *model);

/** A counter's value in all that is queued: waits until that is consumed. */
uint64_t tbr_model_counter(struct tbr_model *model, unsigned counter);

#endif
