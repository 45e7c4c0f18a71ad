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

/** Work-groups read 16 blocks each, and copy them: memory limits, whose peak is so many GB/s, but for a factor, as refreshes
 * take from it, and turns between reads and writes. With one miss at a time it takes so many times as long, or longer. */
struct stream {
   const char *preset;
   const char *const *changes, *const *one_miss;
   double peak, slowdown;
};
void check_stream(const struct stream *stream, bool copies, double factor);

/** A quad of ten instructions, and what it does after five: an access. */
uint64_t cycles_of_quad(const char *preset, bool accesses, enum cm_storage_operation operation,
                        const char *const *changes);

/** Several frames of random passes, with and without compute, with each of the settings, which begin with "timing=on": what a
 * stage does in a frame are all cycles, and no fewer than its units have to do; time changes no other counter, and is the same
 * each time. full: passes are of the kind CM_PASS_FULL. stages: how many the preset has. */
void check_random_frames(const char *preset, const char *const *const *settings, unsigned num_settings,
                         bool full, uint32_t processors, unsigned stages);

#endif
