/* SPDX-License-Identifier: MIT */
/**
 * Regions of a shader's code (events/shader_code.h): how often each ran. Generated code counts, for each quad of a block,
 * how often it came to some places of the shader (shader/tbr_nir_regions.h) with a live fragment; after a run this is
 * recorded as events.
 */
#ifndef TBR_REGIONS_H
#define TBR_REGIONS_H

#include <stdint.h>

#include "events/event_stream.h"

struct tbr_texture_thread;

/** A region ran as often as its counter says, and once more for each run of the region that it was entered from. */
struct tbr_region {
   uint32_t instructions; /**< of an invocation, as the event stream counts them */
   uint16_t counter;      /**< of another region than 0 */
   uint16_t entered;      /**< 1 + the region, which is before it; 0: none */
};

/** The regions of a shader with control flow. */
struct tbr_regions {
   uint32_t count;    /**< at least 2 */
   uint32_t counters; /**< which generated code has, from 0 */
   struct tbr_region regions[];
};

/** A run has ended: appends how often the quads that ran (a mask) ran regions to the thread's events, if it has some, and
 * sets the counters to 0. */
void tbr_regions_record(struct tbr_texture_thread *thread, const struct tbr_regions *regions, uint32_t quads);

#endif
