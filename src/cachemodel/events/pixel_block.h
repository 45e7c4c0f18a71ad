/* SPDX-License-Identifier: MIT */
/**
 * How small a block of CM_BLOCK_SIZE x CM_BLOCK_SIZE pixels becomes without loss: the compressor whose sizes
 * struct cm_stored_surface has. It is none of a real GPU's, but made of the parts that are published: a color transform, a
 * prediction from neighbours or from a plane, bit widths by quad (docs/compression.md has the format, byte by byte). Only sizes are
 * found: nobody needs the bytes.
 */
#ifndef CM_PIXEL_BLOCK_H
#define CM_PIXEL_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/tile_content.h"

#define CM_PIXEL_CHANNELS 4
#define CM_MAX_PIXEL_BYTES 16
/** The size of a block of one color that is not the group's first pixel's: that pixel. */
#define CM_FLAT_SIZE 4

/** How the bits of a pixel are divided, the lowest ones first. */
struct cm_pixel_layout {
   uint8_t bytes;                   /**< of a pixel: 1, 2, 4, 8 or 16 */
   uint8_t num_channels;            /**< 1 ... CM_PIXEL_CHANNELS; none crosses a multiple of 32 bits */
   uint8_t bits[CM_PIXEL_CHANNELS]; /**< of each channel, 1 ... 32; together all bits of the pixel */
   bool
      is_color; /**< channels 0 to 2 are red, green and blue, or blue, green and red, green with as many bits as these
                   * or more: they are predicted from green */
};

/** Whether a layout is as its comments say. */
bool cm_pixel_layout_is_valid(const struct cm_pixel_layout *layout);

/** The size that struct cm_stored_surface has of a block whose size is this, in 1 / CM_RAW_SIZE of what it is uncompressed. */
unsigned cm_stored_size(unsigned size);

/** The stored sizes of a group's blocks, whose rows are `stride` bytes apart. Of the group, width x height pixels are inside the image, at
 * least one: pixels has no others. */
void cm_group_sizes(const struct cm_pixel_layout *layout, const uint8_t *pixels, size_t stride,
                    unsigned width, unsigned height, uint8_t sizes[CM_GROUP_BLOCKS]);

#endif
