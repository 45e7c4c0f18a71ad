/* SPDX-License-Identifier: MIT */
/**
 * Reads of textures through filters (memory/filter.h) that need no list of blocks: what a footprint reads is looked up block by
 * block, in the order in which its fragments read, without a branch that depends on what the filter holds.
 *
 * They serve footprints that have a shape (enum cm_footprint_shape), which most have where images are linear. Another read of
 * a block that was read last in its set changes nothing, and is not passed on. So a block may be looked up as often as is
 * convenient: for each fragment that reads it, or once. Where nearly all reads are settled, to ask first is faster: so they serve
 * a unit only while now and then one of its reads is passed on (cm_texture_unit.unsettled_reads, which must not be 0).
 */
#ifndef CM_FILTERED_READS_H
#define CM_FILTERED_READS_H

#include "texture/unit.h"

/** Reads a unit's footprint of a kind, with its bounds, through a filter. False, with nothing read, where it has no shape or no live
 * fragment, and when memory is short. */
bool cm_filtered_read(struct cm_texture_unit *unit, const struct cm_footprint_kind *kind,
                      const struct cm_footprint *footprint, const struct cm_texel_bounds *bounds,
                      struct cm_cache *filter);

/** cm_texture_unit_read_group where caches are filters and the unit has a layout. False, with nothing read, unless they are the
 * footprints of quads 0 … 3, one or two each, all have a shape, all fragments are live and all quads run; and when memory is short. */
bool
cm_filtered_read_group(const struct cm_texture_path *path, struct cm_texture_unit *unit,
                       const struct cm_footprint *footprints, size_t count, struct cm_cache *const caches[4]);

#endif
