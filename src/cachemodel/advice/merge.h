/* SPDX-License-Identifier: MIT */
/** Two render passes as one, as subpasses are: what the second reads of the first one's attachments, each fragment at its own
 * pixel, it reads in the tiles (cm_fragment_tests.color_fetch …) instead of as textures. */
#ifndef CM_MERGE_H
#define CM_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "events/event_stream.h"

struct cm_pass_merge;

/** NULL when out of memory. */
struct cm_pass_merge *cm_pass_merge_create(void);
void cm_pass_merge_destroy(struct cm_pass_merge *merge);

/** Whether passes can be one if the second reads nothing of the first but its own pixels: they have the same size and tiles, one layer,
 * at most CM_MAX_COLOR_ATTACHMENTS color attachments together, one depth and stencil attachment; their shaders store nothing,
 * neither resolves, and the second does not clear what the first has drawn. Of the first, vertex_bindings are not looked at. */
bool cm_passes_can_merge(const struct cm_pass *first, const struct cm_pass *second);

/** Bytes that a pixel of both has in the tile. */
uint32_t cm_merged_pixel_bytes(const struct cm_pass *first, const struct cm_pass *second);

/** Copies the first pass. read: bits of its attachments that the second reads in the tiles; not_stored: those of
 * them that nothing else reads. False when out of memory. */
bool cm_pass_merge_begin(struct cm_pass_merge *merge, const struct cm_pass *first, uint16_t read,
                         uint16_t not_stored);
/** Both as one; valid until cm_pass_merge_begin or cm_pass_merge_release. NULL when out of memory. */
const struct cm_pass *cm_pass_merge_end(struct cm_pass_merge *merge, const struct cm_pass *second);
/** Frees the pass of cm_pass_merge_end, if none was begun since. */
void cm_pass_merge_release(struct cm_pass_merge *merge);

#endif
