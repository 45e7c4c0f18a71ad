/* SPDX-License-Identifier: MIT */
/**
 * The common bus between the texture caches and the next level, the L2 ("DTM-NUCA" IV-A), where a configuration has
 * texture_bus. It carries each block that a texture read brings into a texture cache. Addresses have lines of their
 * own. Its time is in timing/memory.h (struct cm_bus).
 */
#ifndef CM_TEXTURE_BUS_H
#define CM_TEXTURE_BUS_H

#include "memory/hierarchy.h"
#include "stats/counters.h"

/** texture_bus.bytes, read from a struct cm_hierarchy. */
extern const struct cm_counter_source cm_texture_bus_counters;

/** Keys texture_bus.*: whether they are in range, and there are texture caches. */
bool cm_texture_bus_config_check(const struct cm_config *config, struct cm_config_problem *problem);

#endif
