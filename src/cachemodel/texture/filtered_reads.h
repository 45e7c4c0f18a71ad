/* SPDX-License-Identifier: MIT */
/**
 * Reads of textures through filters (memory/filter.h) that need no list of blocks: what a footprint reads is looked up block by
 * block, in the order in which its fragments read, without a branch that depends on what the filter holds.
 *
 * They serve footprints that have a shape (enum cm_footprint_shape): those of images of rows of blocks, or of one block. Another
 * read of a block that was read last in its set changes nothing, and is not passed on. So a block may be looked up as often as
 * is convenient: for each fragment that reads it, or once. Where nearly all reads are settled, to ask first is faster: groups
 * that only read in one instruction do so until one of their unit's reads is passed on (cm_texture_unit.unsettled_reads).
 */
#ifndef CM_FILTERED_READS_H
#define CM_FILTERED_READS_H

#include "memory/filter.h"
#include "texture/unit.h"

/** An image as filters take it, for footprints of a kind. */
struct cm_filtered_image {
   uint64_t first_block, row_blocks;          /**< as of struct cm_texture_image */
   struct cm_filter_block row;                /**< the distance from row to row */
   uint32_t column_shift, row_shift;          /**< as of its shape */
   uint32_t more, usual_reads, width, height; /**< as of struct cm_footprint_kind */
   bool repeat_s, repeat_t;                   /**< as of struct cm_texture_binding */
};

/** What quads of a group read of a level in an instruction: at most a footprint each, of one kind. */
struct cm_filtered_level {
   struct cm_filtered_image image;
   const struct cm_footprint *footprints; /**< the first; the others: each `stride` behind the one before */
   uint32_t stride;
   int8_t of_quad[4];                   /**< by quad: the number of its footprint; -1: it has none */
   struct cm_footprint_place places[4]; /**< by number */
   /** Copies of the footprints, where they are not equally far apart in the event; `footprints` points here. */
   struct cm_footprint gathered[4];
   uint32_t num_gathered; /**< so far */
};

#define CM_MOST_FILTERED_LEVELS 64

/** What a group reads, in the order in which each of its quads does. */
struct cm_filtered_group {
   uint32_t num_levels;
   /** Some levels are not of quads 0 … 3, with all fragments live, and shapes before CM_ONE_BLOCK. */
   bool has_others;
   struct cm_filtered_level levels[CM_MOST_FILTERED_LEVELS];
};

/** Empties a group. */
static inline void
cm_filtered_group_begin(struct cm_filtered_group *group)
{
   group->num_levels = 0;
   group->has_others = false;
}

/** Adds what is read of a unit in an instruction: at least one footprint. They, and what is bound to the unit, must stay as they
 * are until the group is read. path: as of cm_filtered_group_read. False where the group must be read otherwise: a footprint is
 * of a kind without shapes, or of no live fragment, or there are too many. */
bool
cm_filtered_group_add(struct cm_filtered_group *group, const struct cm_texture_path *path,
                      struct cm_texture_unit *unit, const struct cm_footprint *footprints, uint32_t count);

/** Reads all of it, quad by quad, as cm_texture_unit_read does. caches: by quad; NULL: it does not run. path: one for which
 * cm_texture_path_is_plain, and whose caches are filters. Returns how many footprints are of quads that run. When
 * out of memory for what is passed on, nothing is read; the stream's owner knows. */
size_t cm_filtered_group_read(const struct cm_filtered_group *group, const struct cm_texture_path *path,
                              struct cm_cache *const caches[4]);

/** The same of a group with one instruction. False, with nothing read, where it has to be read otherwise. */
bool cm_filtered_read(const struct cm_texture_path *path, struct cm_texture_unit *unit,
                      const struct cm_footprint *footprints, uint32_t count, struct cm_cache *const caches[4],
                      size_t *num_read);

#endif
