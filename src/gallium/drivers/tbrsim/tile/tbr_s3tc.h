/* SPDX-License-Identifier: MIT */
/** Decodes blocks of S3TC (DXT1, DXT3, DXT5). Mesa computes the colours of a block again for
 * each of its texels; here a block's four colours are worked out once. The bytes are the same. */
#ifndef TBR_S3TC_H
#define TBR_S3TC_H

#include <stdint.h>

#include "util/format/u_formats.h"

/** Decodes a block to its 16 texels row by row, red in the lowest byte, sRGB as it is. */
typedef void (*tbr_s3tc_decoder)(const uint8_t *block, uint32_t texels[16]);

/** How a format's blocks are decoded; NULL for formats that are not S3TC. */
tbr_s3tc_decoder tbr_s3tc_choose_decoder(enum pipe_format format);

#endif
