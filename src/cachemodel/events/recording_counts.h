/* SPDX-License-Identifier: MIT */
/** Counts of a recorded frame. */
#ifndef CM_RECORDING_COUNTS_H
#define CM_RECORDING_COUNTS_H

#include <stdint.h>

/** X(name, description): in the order in which the file has them. */
#define CM_RECORDING_COUNTS(X)                                                   \
   X(passes, "render passes")                                                    \
   X(draws, "draw calls, each instance counted")                                 \
   X(vertices, "vertices fetched")                                               \
   X(primitives, "primitives binned")                                            \
   X(attributes, "attributes of primitives")                                     \
   X(pmds, "primitives in tiles, one per primitive and tile")                    \
   X(tiles, "tiles with primitives or cleared")                                  \
   X(shade_events, "up to four quads of a draw that ran together")               \
   X(quads, "quads shaded; where hidden fragments are recorded, in mode tbr")    \
   X(fragments, "fragments shaded so, helpers not counted")                      \
   X(texture_events, "texture instructions of up to four quads")                 \
   X(footprints, "texture reads of a quad, each mipmap level and slice counted") \
   X(most_attribute_blocks, "blocks of PB-Attributes of the pass that needs most")

struct cm_recording_counts {
#define CM_RECORDING_COUNT_MEMBER(name, description) uint64_t name;
   CM_RECORDING_COUNTS(CM_RECORDING_COUNT_MEMBER)
#undef CM_RECORDING_COUNT_MEMBER
};

enum {
#define CM_RECORDING_COUNT_ENUM(name, description) CM_RECORDING_COUNT_##name,
   CM_RECORDING_COUNTS(CM_RECORDING_COUNT_ENUM)
#undef CM_RECORDING_COUNT_ENUM
      CM_RECORDING_NUM_COUNTS
};

#endif
