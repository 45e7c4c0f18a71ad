/* SPDX-License-Identifier: MIT */
/** What all stages of a simulated GPU use. Each stage has its own parts itself (gpu/pipeline/pipeline.c). */
#ifndef CM_GPU_INTERNAL_H
#define CM_GPU_INTERNAL_H

#include "gpu/gpu.h"
#include "gpu/address_space.h"
#include "gpu/counters.h"
#include "gpu/operations.h"
#include "gpu/parallel.h"
#include "events/guard_band.h"
#include "gpu/shader_cost.h"
#include "memory/hierarchy.h"
#include "memory/attribute_cache.h"
#include "texture/unit.h"
#include "timing/timeline.h"
#include "events/shader_code.h"
#include "timing/timing.h"
#include "util/array.h"

struct cm_compression;

/** Frames that have ended, until the caller gets their counters: a ring, in their order. The first of them are counted; the
 * others wait for their timing. */
struct cm_ended_frames {
   uint64_t
      *values; /**< by frame and the table: of the frame; before that the total, without what timing says */
   uint32_t capacity;                          /**< frames */
   uint64_t num_ended, num_counted, num_taken; /**< of all frames */
};

struct cm_gpu {
   struct cm_config config; /**< a copy; the description is the caller's */
   char *dram_mapping;      /**< config.dram_system.mapping, a copy of its own */
   struct cm_hierarchy hierarchy;
   struct cm_attribute_cache *attribute_cache; /**< NULL: no Primitive Buffer that PB-Attributes go to */
   struct cm_texture_path texture;
   struct cm_compression *compression;     /**< NULL: framebuffers are not compressed */
   struct cm_timing *timing;               /**< NULL: cycles are not simulated */
   struct cm_timeline *timeline;           /**< NULL: there is none */
   struct cm_gpu_attribution *attribution; /**< NULL: nothing is attributed */
   struct cm_address_space space;
   struct cm_names *names;
   struct cm_shader_codes codes;               /**< that the stream defined */
   uint64_t elimination[CM_ELIMINATION_COUNT]; /**< gpu/counters.h */
   struct cm_costed_shaders costed;
   struct cm_counter_table *table;
   uint64_t pipeline[CM_PIPELINE_COUNT];
   uint64_t operations[CM_OPERATION_COUNT]; /**< gpu/operations.h */
   struct cm_energy *energy;                /**< NULL: none is counted */
   uint64_t *total;                         /**< by the table */
   uint64_t *frame;                         /**< the same: of the frame that the caller got last */
   uint64_t *frame_start;                   /**< total before the frame that is counted next */
   struct cm_ended_frames ended;
   bool out_of_memory;              /**< already reported */
   struct cm_guard_band guard_band; /**< where the configuration has one */
   bool lacks_hidden; /**< already reported: passes are not full, which the configuration needs */

   /* The current pass, or the last one. */
   const struct cm_pass *pass; /**< NULL: none, or it cannot be simulated */
   bool in_pass;               /**< it has not ended */
   bool is_held;               /**< the tile that was passed last is not released by cm_gpu_pass_tile */
   void (*release)(void *context, uint32_t tile); /**< NULL: none */
   void *release_context;
   const uint32_t *positions;    /**< its tiles' in the traversal */
   struct cm_stages *stages;     /**< of pipeline/pipeline.c */
   struct cm_parallel *parallel; /**< NULL: all on the caller's thread */
};

/** What the renderer executes of a shader, by region. NULL: its text, once. */
static inline const struct cm_shader_code *
cm_gpu_executed_code(const struct cm_gpu *gpu, enum cm_shader_stage stage, uint32_t shader)
{
   return cm_shader_codes_find(&gpu->codes, stage, shader, CM_ISA_NIR, CM_CODE_WHOLE);
}

/** Binds a resource, or NULL, to a texture unit. */
static inline void
cm_gpu_bind_texture(struct cm_texture_unit *unit, const struct cm_texture_binding *binding,
                    const struct cm_resource *resource)
{
   if (resource)
      cm_texture_unit_bind(unit, binding, resource->layout, resource->address, resource->bytes);
   else
      cm_texture_unit_unbind(unit);
}

/** A tile's words are not needed any more. */
static inline void
cm_gpu_release_tile(struct cm_gpu *gpu, uint32_t tile)
{
   cm_guard_band_release(&gpu->guard_band, tile);
   if (gpu->release)
      gpu->release(gpu->release_context, tile);
}

struct cm_futures;

/** gpu.c: sets what all stages use in a GPU that is all zeros. futures: as in cm_gpu_create_with_futures. False when out of
 * memory, or with a line in error. */
bool cm_gpu_init(struct cm_gpu *gpu, const struct cm_config *config, const struct cm_futures *futures,
                 char *error, size_t error_size);
void cm_gpu_finish(struct cm_gpu *gpu);

/** gpu.c: cm_gpu_forget_resource, where no pass is left that names it. */
void cm_gpu_forget_now(struct cm_gpu *gpu, uint32_t id);

/** gpu.c: before the first frame has ended: room for so many that have ended and are not taken. False when out of memory. */
bool cm_gpu_reserve_frames(struct cm_gpu *gpu, uint32_t capacity);

/** gpu.c: a frame is simulated; its counters follow, with cm_gpu_take_frame. ahead: of each counter, what is the next frame's
 * already; NULL: nothing is. */
void cm_gpu_complete_frame(struct cm_gpu *gpu, const uint64_t *ahead);

/** gpu.c: the counters of the oldest frame that was not taken; NULL: there is none, or it is not timed yet. waits: for that. */
const uint64_t *cm_gpu_take_frame(struct cm_gpu *gpu, bool waits);

/** Reports that the statistics are incomplete from here on. */
void cm_gpu_out_of_memory(struct cm_gpu *gpu);

/** counters.c: whether a counter's event is an index of pipeline[]. */
bool cm_counter_is_of_stages(const struct cm_counter *counter);
/** The values of all counters so far, in the table's order, but for those of timing and energy; then these, of the frames whose
 * timing was taken: energy is made of all values. */
void cm_gpu_read_units(struct cm_gpu *gpu, uint64_t *values);
void cm_gpu_read_timing(const struct cm_gpu *gpu, uint64_t *values);

/** The group of accesses that a fetch of a shader is to the timing. */
cm_entry cm_gpu_shader_group(const struct cm_gpu *gpu, const struct cm_draw *draw, enum cm_shader_stage stage,
                             const struct cm_shader *shader);
/** Reads a shader of a draw of the pass: all its instructions, then all its constants, then the descriptors that it names,
 * once. */
void cm_gpu_fetch_shader(struct cm_gpu *gpu, const struct cm_draw *draw, enum cm_shader_stage stage,
                         const struct cm_shader *shader, uint32_t processor);

/** A stream has written to a resource that was sampled: read-only caches' copies of it are stale. */
void cm_gpu_written_past(struct cm_gpu *gpu, struct cm_resource *resource, enum cm_stream stream);

#endif
