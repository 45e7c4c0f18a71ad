/* SPDX-License-Identifier: MIT */
/**
 * The Polygon List Builder that encodes the Parameter Buffer's bytes: culls, finds the tiles
 * that each primitive overlaps, and writes its attributes; pass/tbr_pb_lists.c writes the PMDs. tile/raster/tbr_pb_decode_tmp.h,
 * the Tile Fetcher, decodes them. What the bytes' traffic costs is the model's business, in
 * cachemodel's units of the same names.
 */
#ifndef TBR_PB_ENCODE_H
#define TBR_PB_ENCODE_H

#include <stdbool.h>
#include <stdint.h>

struct tbr_binning;

/** How large a guard band leaves a triangle whole: cm_primitive.reach_pixels, reach_percent. */
struct tbr_reach {
   uint16_t pixels, percent;
};

/** A primitive in window coordinates: its corners and where their vertices are. */
struct tbr_binned_primitive {
   float corner[3][4];          /**< x, y, z, 1/w of the triangle or parallelogram */
   const float (*vertex[3])[4]; /**< attributes of each corner, draw's order */
   bool parallelogram;
   bool front_facing;      /**< of a parallelogram; a triangle's is found when it is binned */
   bool offset;            /**< polygon offset applies */
   uint8_t provoking;      /**< corner whose flat attributes count */
   uint32_t layer;         /**< of a layered framebuffer; one that is too high means the last */
   bool point;             /**< point coordinates replace attributes where enabled */
   struct tbr_reach reach; /**< of a part of the same triangle as the primitive before it; others: 0 */
};

/** Bins one primitive, unless it faces the wrong way or covers nothing. */
void tbr_bin_primitive(struct tbr_binning *binning, struct tbr_binned_primitive *primitive);

#endif
