/* SPDX-License-Identifier: MIT */
/**
 * The Polygon List Builder that encodes the Parameter Buffer's bytes: culls, finds the tiles
 * that each primitive overlaps, and writes its attributes and PMDs. tile/raster/tbr_pb_decode_tmp.h,
 * the Tile Fetcher, decodes them. What the bytes' traffic costs is the model's business, in
 * cachemodel's units of the same names.
 */
#ifndef TBR_PB_ENCODE_H
#define TBR_PB_ENCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/tiling_config.h"

struct tbr_batch;
struct tbr_binning;

/** A primitive in window coordinates: its corners and where their vertices are. */
struct tbr_binned_primitive {
   float corner[3][4];          /**< x, y, z, 1/w of the triangle or parallelogram */
   const float (*vertex[3])[4]; /**< attributes of each corner, draw's order */
   bool parallelogram;
   bool front_facing; /**< of a parallelogram; a triangle's is found when it is binned */
   bool offset;       /**< polygon offset applies */
   uint8_t provoking; /**< corner whose flat attributes count */
   uint32_t layer;    /**< of a layered framebuffer; one that is too high means the last */
   bool point;        /**< point coordinates replace attributes where enabled */
};

/** Bins one primitive, unless it faces the wrong way or covers nothing. */
void tbr_bin_primitive(struct tbr_binning *binning, struct tbr_binned_primitive *primitive);

/** Once all draws have been binned: PMDs of the batch's primitives into the tiles' lists, and
 * the last tile's ID into each attribute block (TCOR III-D1). False when out of memory. */
bool tbr_pb_encode_lists(struct tbr_batch *batch, enum cm_pb_layout layout);

#endif
