/* SPDX-License-Identifier: MIT */
/**
 * Divides a shader into regions, whose blocks run equally often (events/shader_code.h), and counts their instructions.
 *
 * Region 0 is what every invocation runs once. Another one begins where blocks need not run as often as those before them:
 * with a side of a branch, the body of a loop, behind a branch of which a side leaves what is around it (break, continue), and
 * behind an instruction that discards fragments, wherever that is. A region has a number once an instruction is found that is
 * of it, so that they are numbered in the order of the shader. A side that is nothing but a jump is an instruction of the
 * region around the branch: a conditional jump. What is found after CM_MAX_REGIONS regions is in the region around it.
 */
#ifndef TBR_NIR_REGIONS_H
#define TBR_NIR_REGIONS_H

#include "tile/tbr_regions.h"

struct nir_builder;
struct nir_shader;

/** How a shader is told to count. */
struct tbr_region_counting {
   /** Inserts at the builder's cursor that a counter is counted up; NULL: nothing is inserted. */
   void (*count)(struct nir_builder *builder, uint32_t counter, void *data);
   void *data;
};

/** Finds the regions of a shader, and has the counters of those that need one counted where they begin. Returns NULL where the
 * shader has no control flow, and when out of memory; nothing is inserted then. The caller frees it (FREE). of_block: NULL, or has room
 * for the region of each block, by its index as it is: of one that is divided, that of its last instruction. */
struct tbr_regions *
tbr_nir_find_regions(struct nir_shader *nir, const struct tbr_region_counting *counting, unsigned *of_block);

/** Counts for fragment and compute shaders, by generated code (tbr_jit_regions.h): instructions that tbr_nir_lower_storage
 * leaves alone. */
extern const struct tbr_region_counting tbr_count_in_code;

#endif
