/* SPDX-License-Identifier: MIT */
/** The rendering of one tile as text (TBRSIM_DEBUG=tile=X,Y). All are called with thread->dump set. */
#ifndef TBR_TILE_DUMP_H
#define TBR_TILE_DUMP_H

#include <stdint.h>

struct cm_pb_attribute_block;
struct tbr_tile_thread;

/** What the on-chip buffers begin with / what of them goes to memory. */
void tbr_tile_dump_load(const struct tbr_tile_thread *thread);
void tbr_tile_dump_store(const struct tbr_tile_thread *thread);
/** A primitive of the list, its attributes decoded. */
void
tbr_tile_dump_primitive(const struct tbr_tile_thread *thread, const struct cm_pb_attribute_block *position,
                        uint32_t first_block, uint32_t num_attributes);
/** A 4×4 block that the primitive covers: lane masks before and after the tests, of
 * a multisampled pass those of any sample;
 * block_x, block_y in blocks of the tile. */
void tbr_tile_dump_block(const struct tbr_tile_thread *thread, uint32_t block_x, uint32_t block_y,
                         uint32_t covered, uint32_t passed);
/** The queue after the fragment shader; entered: lanes that were live before. */
void tbr_tile_dump_shaded(const struct tbr_tile_thread *thread, uint32_t entered);

#endif
