/* SPDX-License-Identifier: MIT */
/**
 * Signatures of the pixels that passes have stored to images, by groups of CM_GROUP_SIZE x CM_GROUP_SIZE pixels
 * (events/tile_content.h), now and at the ends of the last frames. They belong to the memory of a resource. Only where
 * contents of tiles are asked for (tbr_screen.wants_contents).
 *
 * The renderer stores batches one after another, and a group is stored by the worker that has its tile: nothing of a group
 * needs a lock. Memory that something else writes has another version (tbr_resource_version) from then on: groups of an older
 * one are unknown.
 */
#ifndef TBR_SIGNATURES_H
#define TBR_SIGNATURES_H

#include <stdint.h>

#include "events/tile_content.h"

struct tbr_resource;
struct tbr_storage;

/** A signature that is not known. */
#define TBR_UNKNOWN_SIGNATURE 0

struct tbr_group {
   uint64_t version; /**< of the memory that the others are of; 0: never stored */
   uint64_t now;     /**< of the pixels */
   uint64_t ended
      [CM_EARLIER_FRAMES]; /**< of what they were at the ends of the frames before `frame`, the last first */
   uint32_t frame;         /**< of the last store */
   uint8_t sizes[CM_GROUP_BLOCKS]; /**< of the pixels that `now` is of */
};

/** The groups of a level of a layer. */
struct tbr_signatures {
   struct tbr_signatures *next; /**< of the same memory */
   uint32_t level, layer;
   uint32_t columns, rows;
   struct tbr_group groups[];
};

/** Those of an image of this memory of the resource; made if there are none, all unknown. NULL when out of memory. Called with the
 * screen's submit_lock. */
struct tbr_signatures *
tbr_storage_signatures(struct tbr_storage *storage, const struct tbr_resource *resource, uint32_t level,
                       uint32_t layer);
void tbr_signatures_free(struct tbr_signatures *signatures);

/** The version of the resource's memory, which changes when anything but passes may have written it; never 0. */
uint64_t tbr_resource_version(const struct tbr_resource *resource);
/** Whether nobody else writes to it: other processes and the window system do not. */
bool tbr_resource_is_own(const struct tbr_resource *resource);

/** Pixels with this signature are stored in a frame. Returns the bits CM_SAME_AS_FRAME of the frames when they were the same. */
unsigned tbr_group_store(struct tbr_group *group, uint64_t version, uint32_t frame, uint64_t signature);

#endif
