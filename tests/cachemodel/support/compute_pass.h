/* SPDX-License-Identifier: MIT */
/** Compute passes for tests. */
#ifndef COMPUTE_PASS_H
#define COMPUTE_PASS_H

#include "support/pass_builder.h"

/** A compute pass of work-groups of 16 invocations, one per tile, with a storage buffer of so many bytes, which is resource 2.
 * Each has its CM_EVENT_GROUP and CM_EVENT_INVOKE. */
struct pass_builder *compute_pass(uint32_t groups, uint32_t bytes, struct cm_storage *storage);

/** An instruction of the last invocations of a work-group; lanes: those that access so many bytes at their offset. */
void add_access(struct pass_builder *builder, uint32_t group, enum cm_storage_operation operation,
                uint32_t bytes, const uint32_t offsets[CM_INVOCATIONS], uint32_t lanes);

/** first, first + step, … */
void fill_offsets(uint32_t offsets[CM_INVOCATIONS], uint32_t first, uint32_t step);

/** Other invocations of a work-group run; a barrier. */
void add_run(struct pass_builder *builder, uint32_t group, uint32_t first, bool resumes);
void add_barrier(struct pass_builder *builder, uint32_t group);

#endif
