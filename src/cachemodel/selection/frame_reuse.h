/* SPDX-License-Identifier: MIT */
/**
 * The age, in frames, of the memory that frames access.
 *
 * Memory is looked at in blocks: 4×4 texels of a texture, 64 bytes of a buffer. A block that a frame accesses for the
 * first time has the age of its last access: 1 if the frame before accessed it, and so on. The ages of a
 * sequence of frames show what a cache of a given size can still hold when one of them begins, and so how many
 * frames before it must be simulated.
 */
#ifndef CM_FRAME_REUSE_H
#define CM_FRAME_REUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Ages that are distinguished: blocks that were not accessed in so many frames count as new. */
#define CM_REUSE_AGES 16

/** What one frame accesses: bytes of different blocks. */
struct cm_frame_ages {
   uint64_t bytes;                    /**< all of them */
   uint64_t read[CM_REUSE_AGES + 1];  /**< that are read first, by their age; 0: new */
   uint64_t touch[CM_REUSE_AGES + 1]; /**< the same, those that are written first included */
};

struct cm_reuse_entry;

/** The blocks of the last frames. Begins as zeros. */
struct cm_frame_reuse {
   struct cm_reuse_entry *entries; /**< a hash table, at most half full */
   size_t count, num_slots;
   uint64_t last;  /**< the block that was accessed last */
   uint32_t frame; /**< frames that have ended */
   struct cm_frame_ages ages;
};

/** A block of so many bytes is accessed. key: its name, not 0. False when out of memory. */
bool cm_frame_reuse_access(struct cm_frame_reuse *reuse, uint64_t key, uint32_t bytes, bool is_read);

/** Ends a frame: its ages. */
struct cm_frame_ages cm_frame_reuse_end(struct cm_frame_reuse *reuse);

/** Removes all blocks: a GPU begins. */
void cm_frame_reuse_clear(struct cm_frame_reuse *reuse);
void cm_frame_reuse_finish(struct cm_frame_reuse *reuse);

/** Frames that must be simulated before a frame, so that of the bytes that it accesses at most the share
 * `tolerance` could be in a cache of cache_bytes in a simulation of all frames and not be in it now. At least 1, if there
 * is one; at most CM_REUSE_AGES. ages: those of all frames from that of the GPU's first one on; frame: the number of the
 * frame among them. */
unsigned
cm_frame_warm_up(const struct cm_frame_ages *ages, size_t frame, uint64_t cache_bytes, double tolerance);

#endif
