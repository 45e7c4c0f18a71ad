/* SPDX-License-Identifier: MIT */
/** Compute shaders: work-groups run at the call, one after another, in the order of their numbers. */
#ifndef TBR_COMPUTE_H
#define TBR_COMPUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "pipe/p_state.h"
#include "tile/tbr_fragment.h"
#include "state/tbr_names.h"
#include "shader/tbr_nir_storage.h"

struct nir_shader;
struct tbr_code;
struct tbr_context;
struct tbr_dispatch;
struct tbr_regions;
struct tbr_shader_cache;

/** What the API promises at least, and a little more. */
#define TBR_MAX_GROUP_INVOCATIONS 1024
#define TBR_MAX_SHARED_BYTES (32u << 10)

struct tbr_compute_shader {
   struct tbr_shader_cache *shader_cache;
   struct nir_shader *nir;
   struct tbr_code *code; /**< NULL: not compiled yet */
   uint32_t id;           /**< in the event stream */
   struct tbr_shader_name name;
   uint32_t num_instructions;
   struct tbr_gpu_shader *gpu;  /**< for the compilers of real GPUs; NULL: for none */
   struct tbr_regions *regions; /**< NULL: it has no control flow, or nobody counts */
   uint32_t shared_bytes;
   uint32_t textures_used; /**< masks */
   uint32_t images_used, buffers_used;
   struct tbr_block_reads blocks;
   bool has_barrier;
   bool zeroes_shared; /**< its shared memory begins as zeros */
   bool by_address;    /**< it accesses memory by address */
   bool writes_memory; /**< it may store, to whatever memory */
};

/** Of a context: what runs work-groups. */
struct tbr_compute_runner;
void tbr_compute_runner_destroy(struct tbr_compute_runner *runner);

/** Runs all work-groups; their events go to the dispatch, if it is not NULL. False when out of memory. */
bool tbr_compute_run(struct tbr_context *context, const struct tbr_compute_shader *shader,
                     const struct tbr_fragment_resources *resources, const struct pipe_grid_info *grid,
                     struct tbr_dispatch *dispatch);

void tbr_compute_init_context(struct tbr_context *context);
void tbr_compute_destroy_context(struct tbr_context *context);

#endif
