/* SPDX-License-Identifier: MIT */
/** Recordings of random passes, written and read again. */
#ifndef RANDOM_RECORDING_H
#define RANDOM_RECORDING_H

#include "events/recorder.h"
#include "events/recording.h"
#include "pass_builder.h"

#define RECORDING_RESOURCES 12

/** Resource id (1 … RECORDING_RESOURCES) of random passes (random_pass.h). */
struct cm_resource_description random_resource(uint32_t id);

/** A recorder of the default preset's GPU. */
struct cm_recorder *new_recorder(const char *path);

/** Records a pass, and waits until the recorder gives it back. */
void record_pass(struct cm_recorder *recorder, const struct pass_builder *builder);

/** Writes `frames` frames of 1 to 3 passes, the same for the same seed; resources 1 to 6 come
 * first, the others with the second frame. */
void write_random_recording(const char *path, uint64_t seed, uint32_t frames);

/** Reads all that can be read and compares it with what write_random_recording wrote: fails
 * the test where it differs. Returns the whole frames that were read. */
uint32_t compare_random_recording(struct cm_recording *recording, uint64_t seed, uint32_t first);

/** Fails the test where the passes, of which the first one was read from a recording, differ in anything. */
void assert_passes_equal(const struct cm_pass *a, const struct cm_pass *b);

/** A name for a file in a directory of the program's own, which ends with it. */
const char *recording_path(void);

#endif
