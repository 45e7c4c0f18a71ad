/* SPDX-License-Identifier: MIT */
/** What the parts of the simulated GPU share. */
#ifndef CM_GPU_INTERNAL_H
#define CM_GPU_INTERNAL_H

#include "gpu/gpu.h"
#include "events/deferred.h"
#include "gpu/address_space.h"
#include "gpu/counters.h"
#include "gpu/operations.h"
#include "gpu/parallel.h"
#include "memory/hierarchy.h"
#include "memory/attribute_cache.h"
#include "texture/unit.h"
#include "timing/timeline.h"
#include "timing/timing.h"
#include "util/array.h"

/** A pass' primitives as they are binned (parameter_buffer.overlap). */
struct cm_binned {
   const struct cm_primitive *primitives;
   const uint32_t *tiles; /**< row-major numbers; primitives[…].first_tile is an index */
   uint64_t num_tiles;
};

struct cm_gpu {
   struct cm_config config; /**< a copy; the description is the caller's */
   struct cm_hierarchy hierarchy;
   struct cm_texture_path texture;
   struct cm_shading *shading;             /**< of fragment_stage.c */
   struct cm_timing *timing;               /**< NULL: cycles are not simulated */
   struct cm_timeline *timeline;           /**< NULL: there is none */
   struct cm_gpu_attribution *attribution; /**< NULL: nothing is attributed */
   struct cm_address_space space;
   struct cm_names *names;
   struct cm_counter_table *table;
   uint64_t pipeline[CM_PIPELINE_COUNT];
   bool counts_operations;
   uint64_t operations[CM_OPERATION_COUNT]; /**< gpu/operations.h */
   struct cm_energy *energy;                /**< NULL: none is counted */
   uint64_t *total;                         /**< by the table */
   uint64_t *frame;                         /**< by the table */
   uint64_t *frame_start;                   /**< total at the last frame_end */
   bool out_of_memory;                      /**< already reported */

   /* The traversal of the last pass, kept while passes are alike. */
   struct cm_array traversal, position; /**< uint32_t */
   uint32_t tiles_x, tiles_y;
   bool reversed;

   /* The current pass, or the last one. */
   const struct cm_pass *pass; /**< NULL: none, or it cannot be simulated */
   bool in_pass;               /**< it has not ended */
   bool is_held;               /**< the tile that was passed last is not released by cm_gpu_pass_tile */
   void (*release)(void *context, uint32_t tile); /**< NULL: none */
   void *release_context;
   uint32_t num_visited; /**< tiles of it that were passed */
   struct cm_binned binned;
   struct cm_array boxed_primitives, boxed_tiles; /**< binned, where it is not the event stream's */
   struct cm_pb_lists *lists;
   uint32_t pmd_bytes;              /**< bytes of each PMD of the lists */
   struct cm_array first_block;     /**< uint32_t by primitive: its first attribute block */
   struct cm_array tile_begin;      /**< uint64_t by tile, and one more: its part of tile_primitives */
   struct cm_array tile_primitives; /**< uint32_t: primitives by tile, in draw order */
   struct cm_array pmd_offsets;     /**< uint64_t: where a primitive's PMDs go */
   struct cm_attribute_cache *attribute_cache; /**< NULL: no Primitive Buffer that PB-Attributes go to */
   struct cm_array last_tiles;                 /**< uint32_t by attribute block: cm_liveness.last_tiles */
   struct cm_array opt_numbers;                /**< uint32_t: of a primitive's PMDs */
   struct cm_array tile_opt_numbers; /**< uint32_t: of tile_primitives' PMDs; with an attribute_cache */
   struct cm_array draw_textures;    /**< struct cm_resource *[CM_MAX_TEXTURE_UNITS] by draw */
   struct cm_array reuse;            /**< uint32_t: the FIFO of transformed vertices */
   struct cm_array vertex_units;     /**< struct cm_texture_unit by vertex binding of the pass */
   uint32_t vertices_run;            /**< vertices of the pass so far, reused ones among them */
   uint32_t next_vertex_access;      /**< of the draw: where those of the vertex that ran last end */
   struct cm_deferred deferred;      /**< what the deferred mode shades of the last tile of a full pass */
   struct cm_array storages;         /**< of storage.c, by the pass' storages */
   struct cm_array
      vertex_storage;           /**< of storage.c, by vertex binding of the pass, if one of them is storage */
   uint32_t num_vertex_storage; /**< elements of it */
   bool has_storage;            /**< the pass accesses storage, and that is simulated */
   bool storage_refused;        /**< a message has said that something of storage is not simulated */
   struct cm_compute *compute;
   struct cm_immediate *immediate; /**< of immediate.c; NULL: not in mode imr */
   struct cm_parallel *parallel;   /**< NULL: all on the caller's thread */
};

/** A tile's words are not needed any more. */
static inline void
cm_gpu_release_tile(const struct cm_gpu *gpu, uint32_t tile)
{
   if (gpu->release)
      gpu->release(gpu->release_context, tile);
}

/** gpu.c: says that the statistics are incomplete from here on. */
void cm_gpu_out_of_memory(struct cm_gpu *gpu);

/** counters.c: whether a counter's event is an index of pipeline[]. */
bool cm_counter_is_of_stages(const struct cm_counter *counter);
/** The values of all counters so far, in the table's order. */
void cm_gpu_read_counters(struct cm_gpu *gpu, uint64_t *values);

/** Reads a shader: all its instructions, then all its constants, once. */
void cm_gpu_fetch_shader(struct cm_gpu *gpu, enum cm_shader_stage stage, const struct cm_shader *shader,
                         uint32_t processor);

/** geometry.c: what the Vertex Stage needs in a pass; the Vertex Stage of draws first … end - 1. */
bool cm_geometry_begin(struct cm_gpu *gpu);
void cm_geometry_draws(struct cm_gpu *gpu, uint32_t first, uint32_t end);

/** vertex_accesses.c: textures of the pass' shaders before the rasterizer. False when out of memory. */
bool cm_vertex_accesses_begin(struct cm_gpu *gpu);
/** What a vertex of a draw accesses when it is shaded. */
void cm_vertex_accesses_run(struct cm_gpu *gpu, const struct cm_draw *draw, uint32_t vertex);
/** What the vertices of a draw that goes on in this pass access. */
void cm_vertex_accesses_run_rest(struct cm_gpu *gpu, const struct cm_draw *draw);
/** What tessellation and geometry shaders of a draw access. */
void cm_vertex_accesses_run_stages(struct cm_gpu *gpu, const struct cm_draw *draw);

/** tile_boxes.c: sets gpu->binned. False when out of memory. */
bool cm_tiling_bin(struct cm_gpu *gpu);

/** tiling_traffic.c: what the Polygon List Builder writes in a pass; what the Tile Fetcher reads of a tile; its signal
 * that the tile is done; the end of the Parameter Buffer. */
bool cm_tiling_build_lists(struct cm_gpu *gpu);
/** Whether the Tile Fetcher reads a tile's list: not where nothing is drawn or cleared, but for primitives that were binned
 * there by their boxes. */
bool cm_tiling_is_fetched(const struct cm_gpu *gpu, uint32_t tile);
void cm_tiling_fetch_tile(struct cm_gpu *gpu, uint32_t tile);
void cm_tiling_tile_done(struct cm_gpu *gpu, uint32_t tile);
void cm_tiling_end(struct cm_gpu *gpu);

/** fragment_stage.c: textures of the pass' draws; the Fragment Processors on a tile. */
bool cm_fragment_stage_bind(struct cm_gpu *gpu);
bool cm_fragment_stage(struct cm_gpu *gpu, uint32_t tile);
/** Whether of the pass' events those are shaded that cm_deferred_build makes of them. */
bool cm_fragment_stage_is_deferred(const struct cm_gpu *gpu);

struct cm_shading_worker;
/** The Fragment Processors; those of a shading worker (gpu/shading_worker.h), or NULL. NULL when out of memory. */
struct cm_shading *cm_shading_create(struct cm_gpu *gpu, struct cm_shading_worker *worker);
void cm_shading_destroy(struct cm_shading *shading);
/** Resets them, to no shader and no work: before a tile, or in mode imr a pass. */
void cm_shading_begin(struct cm_shading *shading);
/** Runs a tile's quads. position: the tile's in the traversal. False when out of memory. */
bool cm_shading_run_tile(struct cm_shading *shading, const struct cm_tile_events *events, uint32_t position);
/** Runs a group's quad of that number, all its runs. block: the number of its block of 2x2 quads, in Z-order. False
 * when out of memory. */
bool cm_shading_run_quad(struct cm_shading *shading, const uint32_t *group, const uint32_t *end,
                         uint32_t number, uint32_t block);

/** Pixels of one level and layer of a resource; x1, y1 exclusive. */
struct cm_rectangle {
   uint32_t x0, y0, x1, y1;
};

/** What happens to pixels: a clear is a store where there are no fast clears. */
enum cm_transfer { CM_TRANSFER_LOAD, CM_TRANSFER_STORE, CM_TRANSFER_CLEAR };

/** framebuffer.c: pixels of a resource, read or written block by block; those of a resolve's target that a
 * rectangle of the pass becomes. */
void cm_framebuffer_transfer(struct cm_gpu *gpu, uint32_t id, uint32_t level, uint32_t layer,
                             struct cm_rectangle part, enum cm_stream stream, enum cm_transfer transfer);
void cm_framebuffer_resolve(struct cm_gpu *gpu, const struct cm_resolve *resolve, uint32_t layer,
                            struct cm_rectangle pixels);
/** How many layers of the pass a color attachment's resolve is of. */
uint32_t cm_framebuffer_resolved_layers(const struct cm_pass *pass, uint32_t color);
/** The stream of a color attachment: whether it is displayed. */
enum cm_stream cm_framebuffer_color_stream(const struct cm_gpu *gpu, const struct cm_resource *resource);

/** framebuffer.c: addresses of the attachments; a tile's load or flush; what the
 * flushes leave stale in the caches. */
void cm_framebuffer_bind(struct cm_gpu *gpu);
void cm_framebuffer_tile(struct cm_gpu *gpu, uint32_t tile, bool store);
void cm_framebuffer_end(struct cm_gpu *gpu);

#endif
