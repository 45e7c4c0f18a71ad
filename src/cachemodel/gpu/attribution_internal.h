/* SPDX-License-Identifier: MIT */
/** The stages of the simulated GPU report to its attribution with these. All functions do nothing if nothing is attributed. */
#ifndef CM_GPU_ATTRIBUTION_INTERNAL_H
#define CM_GPU_ATTRIBUTION_INTERNAL_H

#include "energy/energy.h"
#include "events/contents.h"
#include "gpu/attribution.h"
#include "gpu/gpu_internal.h"
#include "memory/attribution.h"

/** Sizes of a render pass. */
struct cm_pass_shape {
   uint32_t width, height; /**< pixels of a layer */
   uint32_t tile_size, tiles_x, tiles_y;
   uint32_t num_draws, num_primitives;
   uint32_t first_draw;          /**< of its draws among those of the frame */
   uint32_t first_end, num_ends; /**< of stores that it reads first or replaces, among those of the frame */
};

/** What is known of a draw. */
struct cm_draw_names {
   uint32_t call, group, marker;            /**< struct cm_draw */
   uint32_t vertex_shader, fragment_shader; /**< identifiers; 0: none */
};

/** For a GPU whose configuration asks for it. */
struct cm_gpu_attribution {
   struct cm_attribution *counts;
   uint32_t first_of_compression;           /**< column of CM_COMPRESSION_COLUMN(0, 0) */
   uint64_t counted[CM_PIPELINE_COUNT];     /**< of the stages' counters: what has been attributed */
   uint64_t operations[CM_OPERATION_COUNT]; /**< the same of their operations */
   uint64_t texture_reads;                  /**< the same of reads of the texture caches */
   bool has_texture_caches; /**< texture reads reach private caches first, which don't attribute them */
   bool is_by_resource;
   bool is_texture;        /**< the current resource is one whose footprints must be counted */
   uint32_t passes;        /**< so far */
   struct cm_array shapes; /**< struct cm_pass_shape: of the frame's passes */
   struct cm_array draws;  /**< struct cm_draw_names: of the frame's draws; where these are attributed */
   uint32_t num_draws;     /**< of the frame */
   struct cm_contents *contents;
   struct cm_array ends; /**< struct cm_store_end: those that passes of the frame have ended */
   uint32_t num_ends;
   struct cm_array first_pass; /**< uint32_t by frame: passes before it */
   bool *has_counter;    /**< by counter: rows by passes, draws and tiles have it; NULL: without energy */
   uint32_t frames;      /**< ended */
   uint32_t written;     /**< of these, those that the attribution writer got, which are the last ones */
   bool frame_has_ended; /**< the rows are those of the last frame */
   /* For cm_gpu_attributed_rows. */
   struct cm_array rows;     /**< struct cm_attributed_row */
   struct cm_array sum;      /**< uint64_t */
   struct cm_array energies; /**< uint64_t [CM_ENERGY_UNIT_COUNT] by row, and of the sum */
};

/** Sets that of a GPU whose hierarchy has no reader yet. False when out of memory. */
bool cm_gpu_attribution_create(struct cm_gpu *gpu);
/** NULL is fine. */
void cm_gpu_attribution_destroy(struct cm_gpu_attribution *attribution);

/** A definition, and a read outside of passes, for the fate of stores. */
void cm_gpu_attribute_definition(struct cm_gpu *gpu, const struct cm_resource_description *resource);
void cm_gpu_attribute_read(struct cm_gpu *gpu, uint32_t resource);

/** A pass, or a frame, begins or ends. */
void cm_gpu_attribute_pass(struct cm_gpu *gpu);
void cm_gpu_attribute_pass_end(struct cm_gpu *gpu);
void cm_gpu_attribute_frame_end(struct cm_gpu *gpu);

/** Of a row's pass; NULL: it is of an earlier frame. */
const struct cm_pass_shape *cm_gpu_pass_shape(const struct cm_gpu *gpu, const struct cm_attributed_row *row);

/** A store that the frame's passes have ended: how many frames ago it happened, and the pass in that frame. */
struct cm_ended_store {
   struct cm_store_end end;
   uint32_t frames_ago, pass;
};
struct cm_ended_store cm_gpu_ended_store(const struct cm_gpu *gpu, uint32_t number);

/** The same for a row's draw; NULL: it has none, or one of an earlier frame. */
const struct cm_draw_names *cm_gpu_draw_names(const struct cm_gpu *gpu, const struct cm_attributed_row *row);

/** cm_gpu_attribute_draw and cm_gpu_attribute_tile with attribution. */
void cm_gpu_change_origin(struct cm_gpu *gpu, enum cm_origin_part part, uint32_t number);

/** No draw, or no tile. */
#define CM_NOT_ATTRIBUTED UINT32_MAX

/** What the stages do next is attributed to that draw of the pass; CM_NOT_ATTRIBUTED: to none. No resource. */
static inline void
cm_gpu_attribute_draw(struct cm_gpu *gpu, uint32_t draw)
{
   if (gpu->attribution)
      cm_gpu_change_origin(gpu, CM_ORIGIN_DRAW, draw + 1);
}

/** The same of a tile. */
static inline void
cm_gpu_attribute_tile(struct cm_gpu *gpu, uint32_t tile)
{
   if (gpu->attribution)
      cm_gpu_change_origin(gpu, CM_ORIGIN_TILE, tile + 1);
}

/** With attribution by resources: whether the last access was to another one. */
static inline bool
cm_gpu_is_other_resource(const struct cm_gpu *gpu, uint32_t id)
{
   return gpu->attribution->counts->stages.origin.parts[CM_ORIGIN_RESOURCE] != id;
}

/** cm_gpu_attribute_resource for another one. */
void cm_gpu_change_resource(struct cm_gpu *gpu, uint32_t id);

/** The next accesses are attributed to that resource; 0: to none. */
static inline void
cm_gpu_attribute_resource(struct cm_gpu *gpu, uint32_t id)
{
   if (gpu->attribution && gpu->attribution->is_by_resource && cm_gpu_is_other_resource(gpu, id))
      cm_gpu_change_resource(gpu, id);
}

/** The same for a texture: the footprints that follow, and their reads, are counted for it when another resource follows.
 * With attribution by resources. */
void cm_gpu_attribute_texture(struct cm_gpu *gpu, uint32_t id);

#endif
