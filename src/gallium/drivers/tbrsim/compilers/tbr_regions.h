/* SPDX-License-Identifier: MIT */
/**
 * Regions of a shader's control flow (events/shader_code.h), and where they are in a compiler's output.
 *
 * Regions are numbered in the order of the text: 0 is the function's body; each side of a branch that has instructions,
 * each body of a loop, and each rest of a list of blocks after a node that may jump out of the list begins a new one.
 */
#ifndef TBR_REGIONS_H
#define TBR_REGIONS_H

#include <stdbool.h>

struct nir_shader;

/** The control flow of a shader and its regions. */
struct tbr_regions;

/** Those of a shader with its blocks as they are. `owner`, of ralloc, owns them; NULL when out of memory. */
struct tbr_regions *tbr_regions_create(void *owner, struct nir_shader *nir);

/** Numbers them as the renderer counts them: the region of each block of the shader, by its index, and how many there are. */
void tbr_regions_number(struct tbr_regions *regions, const unsigned *of_block, unsigned count);

/** How many there are, at least 1. */
unsigned tbr_regions_count(const struct tbr_regions *regions);

/**
 * Finds the regions in another version of the shader, which passes have changed: writes the region of each block by its
 * index. Nodes of one kind are matched in order, inside of matched nodes, so that most of them and those of the most similar
 * sizes match. A node that is not in the source has the region around it; what had a region that is gone is now in the one
 * around it. False when out of memory.
 */
bool tbr_regions_join(const struct tbr_regions *regions, struct nir_shader *nir, unsigned *of_block);

#endif
