/* SPDX-License-Identifier: MIT */
/** Dispatches whose cycles can be worked out by hand. */
#ifndef TIMED_COMPUTE_H
#define TIMED_COMPUTE_H

#include "gpu/gpu.h"
#include "support/compute_pass.h"

#define SETTINGS(...)                 \
   (const char *const[])              \
   {                                  \
      __VA_ARGS__ __VA_OPT__(, ) NULL \
   }

/** Bytes of the storage buffer, resource 2. */
#define BUFFER (1u << 22)

/** A GPU of a preset with time, whose instructions hit, and changes; with the buffer. */
struct cm_gpu *timed_gpu(const char *preset, const char *const *changes);

/** Work-groups of 16 invocations; each instruction accesses a block, or `blocks` of them, of their own or the first ones. */
struct load {
   uint32_t groups, instructions;
   uint32_t accesses, blocks;
   enum cm_storage_operation operation;
   bool of_their_own;
};

struct pass_builder *make_dispatch(const struct load *load, struct cm_storage *storage);

/** Ends the frame; its cycles so far. */
uint64_t end_frame(struct cm_gpu *gpu);

/** The cycles of a dispatch. */
uint64_t cycles_of(const char *preset, const struct load *load, const char *const *changes);
/** How many cycles 400 work-groups more take than 400. */
uint64_t cycles_of_400(const char *preset, struct load load, const char *const *changes);

/** A work-group of four runs, ten instructions each, with a barrier after a half of them; before that, the first run loads.
 * waited: compute_stage.barrier_cycles. */
uint64_t
cycles_of_barrier(const char *preset, bool has_barrier, const char *const *changes, uint64_t *waited);

/** Each of so many work-groups reads 16 blocks, and copies them. */
struct pass_builder *stream_pass(uint32_t groups, bool copies, struct cm_storage *storage);

/** A quad of ten instructions, and what it does after five: an access. */
uint64_t cycles_of_quad(const char *preset, bool accesses, enum cm_storage_operation operation,
                        const char *const *changes);

/** Several frames of random passes, with and without compute. full: of the kind CM_PASS_FULL. frame_ended: after each, with its
 * counters; NULL: nothing. */
void run_random_frames(struct cm_gpu *gpu, bool full,
                       void (*frame_ended)(struct cm_gpu *gpu, const uint64_t *frame));

#endif
