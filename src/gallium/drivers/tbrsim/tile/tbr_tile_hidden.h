/* SPDX-License-Identifier: MIT */
/**
 * Hidden fragments in the events (tbr_pass.keep_hidden): what passes early Z is shaded,
 * as in mode tbr, and the visibility buffer only determines what mode tbdr would have shaded.
 */
#ifndef TBR_TILE_HIDDEN_H
#define TBR_TILE_HIDDEN_H

#include <stdint.h>

struct tbr_tile_thread;

/** Word 0 of the queue's shade event: its flags (CM_SHADE_*). */
uint32_t tbr_hidden_shade_flags(const struct tbr_tile_thread *thread);

/** Records the quads of a 4×4 block that a primitive covers but that run no shader.
 * block: its number; covered, passed: lane masks, of multisampled passes in any sample. */
void tbr_hidden_record_unshaded(struct tbr_tile_thread *thread, uint32_t primitive_index, uint32_t block,
                                uint32_t covered, uint32_t passed);

/** Where mode tbdr empties the visibility buffer: marks what it shades, and empties it. */
void tbr_hidden_flush(struct tbr_tile_thread *thread);

#endif
