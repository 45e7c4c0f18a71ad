/* SPDX-License-Identifier: MIT */
/** The tile pipelines that the driver was built with, see tbr_isa_get. */
#ifndef TBR_ISA_H
#define TBR_ISA_H

#include "tile/tbr_pass.h"

extern const struct tbr_isa tbr_isa_x86_64;    /**< SSE2 */
extern const struct tbr_isa tbr_isa_x86_64_v3; /**< AVX2 */
extern const struct tbr_isa tbr_isa_x86_64_v4; /**< AVX-512 F, BW, DQ, VL */
extern const struct tbr_isa tbr_isa_native;    /**< what the compiler's machine has (not x86-64) */

#endif
