/* SPDX-License-Identifier: MIT */
/**
 * The futures of a hierarchy's caches: passes over the same accesses, for the policies
 * that need next uses (opt, optpt).
 *
 * The accesses that reach a cache depend only on the caches before it. So a first pass
 * collects the next uses of all such caches that have none before them; in the second
 * one these are simulated, and those after them collect; and so on. When all have their
 * futures, one more pass simulates everything. Each cache's decisions are thus exact for
 * the accesses that reach it, in every level: there are as many passes as the longest
 * chain of such caches has, and one.
 *
 *    struct cm_futures *futures = cm_futures_create(config);
 *    do {
 *       build a hierarchy (or a cm_gpu with it); cm_futures_apply(futures, hierarchy)
 *       all accesses, in the same order in each pass
 *       last = cm_futures_is_last_pass(futures)
 *       cm_futures_end_pass(futures, error, sizeof error)
 *    } while (!last);
 *
 * Only the last pass' counters mean anything.
 */
#ifndef CM_FUTURE_H
#define CM_FUTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "memory/hierarchy.h"

struct cm_futures;

/** Whether a policy needs next uses. */
bool cm_policy_needs_future(enum cm_policy policy);

/** The first cache of a configuration whose policy does; CM_UNIT_DRAM: none. */
enum cm_unit cm_config_needs_future(const struct cm_config *config);

/** Whether a configuration can be simulated while the accesses are made, without passes. If not,
 * error is a line that names the first key which needs the future. */
bool cm_config_needs_no_future(const struct cm_config *config, char *error, size_t error_size);

/** Nothing collected yet, for a valid configuration. NULL when out of memory. A
 * configuration whose policies need no future has one pass, the last. */
struct cm_futures *cm_futures_create(const struct cm_config *config);
void cm_futures_destroy(struct cm_futures *futures);

/** Whether the current pass (or the next one, between passes) is the one that counts. */
bool cm_futures_is_last_pass(const struct cm_futures *futures);

/** Before the first access of a pass: sets what its caches do in this pass, collect or simulate. The
 * hierarchy is built from the same configuration; futures must outlive its last access. */
void cm_futures_apply(struct cm_futures *futures, struct cm_hierarchy *hierarchy);

/** After the last access of a pass. False with a line in error when the next uses could not
 * be collected, or when the accesses of this pass were not those of the passes before. */
bool cm_futures_end_pass(struct cm_futures *futures, char *error, size_t error_size);

#endif
