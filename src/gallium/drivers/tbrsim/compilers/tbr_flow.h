/* SPDX-License-Identifier: MIT */
/** Where the regions of a shader's control flow (events/shader_code.h) are in what a compiler makes of it. */
#ifndef TBR_FLOW_H
#define TBR_FLOW_H

#include <stdbool.h>

#include "util/mesa-sha1.h"

struct nir_shader;

/** The control flow of a shader and its regions. */
struct tbr_flow;

/** That of a shader with its blocks as they are, all of one region. `owner`, of ralloc, owns it; NULL when out of memory. */
struct tbr_flow *tbr_flow_create(void *owner, struct nir_shader *nir);

/** Numbers them as the renderer counts them: the region of each block of the shader, by its index, and how many there are. */
void tbr_flow_number(struct tbr_flow *flow, const unsigned *of_block, unsigned count);

/** How many there are, at least 1. */
unsigned tbr_flow_count_regions(const struct tbr_flow *flow);

/** Adds what the flow and its regions are to a digest. */
void tbr_flow_digest(const struct tbr_flow *flow, struct mesa_sha1 *sha1);

/**
 * Finds the regions in another version of the shader, which passes have changed: writes the region of each block by its
 * index, which they have. Nodes of one kind are matched in order, inside of matched nodes, so that most of them and those of
 * the most similar sizes match. A node that is not in the source has the region around it; what had a region that is gone is
 * now in the one around it. A block that discards fragments has the region of its end. False when out of memory.
 */
bool tbr_flow_find_regions(const struct tbr_flow *flow, struct nir_shader *nir, unsigned *of_block);

#endif
