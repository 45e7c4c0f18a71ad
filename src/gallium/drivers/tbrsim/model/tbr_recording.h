/* SPDX-License-Identifier: MIT */
/**
 * The recording of the process (TBRSIM_RECORD names the file). As with the statistics
 * files, a process may have several screens but has one recording: the first screen that
 * draws a pass owns it. Another that finishes a frame before the owner has finished any
 * takes over, from its next frame on; else its frames are not recorded. When the owner is
 * destroyed, the next screen that draws continues in the same file, as a new GPU.
 *
 * Claims are made on the application's threads, so that the owner does not depend on
 * timing; the rest is called by the consumer of a screen's events.
 */
#ifndef TBR_RECORDING_H
#define TBR_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "events/recorder.h"

struct cm_config;

/** A screen's part in the recording. */
struct tbr_recording;

bool tbr_recording_is_wanted(void);
/** Whether events include hidden fragments: as TBRSIM_RECORD_HIDDEN says, by default those of recordings, those of
 * which cycles are simulated (they take time, too), and those of a GPU with a guard band (cm_guard_band), forward pixel kill
 * (cm_pixel_kill) or fragment_stage.quad_order: draws. In mode imr always, whose model needs all that primitives cover. */
bool tbr_recording_keeps_hidden(const struct cm_config *config);

/** Registers a screen with a GPU of this configuration on this vector feature level (both must
 * outlive the recording). NULL with a message when out of memory. */
struct tbr_recording *tbr_recording_attach(const struct cm_config *config, const char *isa);
/** The screen records nothing any more. Nothing for NULL. */
void tbr_recording_release(const struct tbr_recording *recording);
/** Released and freed. Nothing for NULL. */
void tbr_recording_detach(struct tbr_recording *recording);

/** The screen draws a pass, or finishes a frame: whether that is to be recorded. */
bool tbr_recording_claim_pass(struct tbr_recording *recording);
bool tbr_recording_claim_frame(struct tbr_recording *recording);

void tbr_recording_define_resource(struct tbr_recording *recording,
                                   const struct cm_resource_description *resource);
/** No pass names it any more. */
void tbr_recording_forget_resource(struct tbr_recording *recording, uint32_t id);
void tbr_recording_define_name(struct tbr_recording *recording, const struct cm_name *name);
void tbr_recording_define_code(struct tbr_recording *recording, const struct cm_shader_code *code);
/** The recorder for the pass' tiles until tbr_recording_end_pass, and with them the pass; NULL:
 * it is not recorded, and pass_owner is not called. */
struct cm_recorder *tbr_recording_begin_pass(struct tbr_recording *recording, const struct cm_pass *pass,
                                             struct cm_pass_owner *pass_owner);
void tbr_recording_end_pass(struct tbr_recording *recording);
void tbr_recording_end_frame(struct tbr_recording *recording, uint32_t frame);

/** The process ends: closes the file. */
void tbr_recording_close(void);

#endif
