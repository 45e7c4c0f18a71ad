/* SPDX-License-Identifier: MIT */
/** What the parts of the simulated GPU share: gpu.c and gpu/. */
#ifndef CM_GPU_INTERNAL_H
#define CM_GPU_INTERNAL_H

#include "gpu.h"
#include "events/deferred.h"
#include "gpu/address_space.h"
#include "memory/hierarchy.h"
#include "texture/nuca.h"
#include "timing/timing.h"
#include "tiling/attribute_cache.h"
#include "texture/access.h"

/** An array that keeps its memory from pass to pass. */
struct cm_array {
   void *data;
   size_t bytes; /**< allocated */
};

/** Makes an array at least this long; its content is lost. False when memory is out. */
bool cm_array_reserve(struct cm_array *array, size_t count, size_t element_bytes);
/** The same, but its content stays. */
bool cm_array_extend(struct cm_array *array, size_t count, size_t element_bytes);

struct cm_gpu {
   struct cm_config config; /**< a copy; the description is the caller's */
   struct cm_hierarchy hierarchy;
   struct cm_nuca *nuca;     /**< of the hierarchy's texture caches; NULL: each serves its own processors */
   struct cm_timing *timing; /**< NULL: cycles are not simulated */
   bool reads_apart;         /**< of textures: there is a NUCA, or timing */
   struct cm_address_space space;
   struct cm_counter_table *table;
   uint64_t pipeline[CM_PIPELINE_COUNT];
   struct cm_texture_access texture_access;
   bool counts_operations;
   uint64_t operations[CM_OPERATION_COUNT]; /**< gpu/operations.h */
   struct cm_energy *energy;                /**< NULL: none is counted */
   uint64_t *total;                         /**< by the table */
   uint64_t *frame;                         /**< by the table */
   uint64_t *frame_start;                   /**< total at the last frame_end */
   bool frame_open;
   bool out_of_memory; /**< said so already */

   /* The traversal of the last pass, kept while passes are alike. */
   struct cm_array traversal, position; /**< uint32_t */
   uint32_t tiles_x, tiles_y;
   bool reversed;

   /* The pass begun last. */
   const struct cm_pass *pass; /**< NULL: none, or it cannot be simulated */
   struct cm_pb_lists *lists;
   struct cm_array first_block;     /**< uint32_t by primitive: its first attribute block */
   struct cm_array tile_begin;      /**< uint64_t by tile, and one more: its part of tile_primitives */
   struct cm_array tile_primitives; /**< uint32_t: primitives by tile, in program order */
   struct cm_array pmd_offsets;     /**< uint64_t: where a primitive's PMDs go */
   struct cm_attribute_cache *attribute_cache; /**< NULL: no Primitive Buffer that PB-Attributes go to */
   struct cm_array last_tiles;                 /**< uint32_t by attribute block: cm_liveness.last_tiles */
   struct cm_array opt_numbers;                /**< uint32_t: of a primitive's PMDs */
   struct cm_array tile_opt_numbers; /**< uint32_t: of tile_primitives' PMDs; with an attribute_cache */
   struct cm_array draw_textures;    /**< struct cm_resource *[CM_MAX_TEXTURE_UNITS] by draw */
   struct cm_array reuse;            /**< uint32_t: the FIFO of transformed vertices */
   struct cm_deferred deferred;      /**< what the deferred mode shades of the last tile of a full pass */
   struct cm_array quad_reads;       /**< of fragment_stage.c: what the quads of a group read */
};

/** Reads a program: all its instructions, then all its constants, once. */
void cm_gpu_fetch_program(struct cm_gpu *gpu, enum cm_program_stage stage, const struct cm_program *program,
                          uint32_t processor);

/** geometry.c: the Vertex Stage of a pass. */
bool cm_geometry_pass(struct cm_gpu *gpu);

/** tiling_engine.c: the Polygon List Builder over a pass; the Tile Fetcher on a tile, its signal
 * that the tile is done; the end of the Parameter Buffer. */
bool cm_polygon_list_builder(struct cm_gpu *gpu);
void cm_tile_fetcher(struct cm_gpu *gpu, uint32_t tile);
void cm_tile_fetcher_tile_done(struct cm_gpu *gpu, uint32_t tile);
void cm_parameter_buffer_end(struct cm_gpu *gpu);

/** fragment_stage.c: textures of the pass' draws; the Fragment Processors on a tile. */
bool cm_fragment_stage_bind(struct cm_gpu *gpu);
bool cm_fragment_stage(struct cm_gpu *gpu, uint32_t tile);

/** framebuffer.c: addresses of the attachments; a tile's load or flush; what the
 * flushes leave stale in the caches. */
void cm_framebuffer_bind(struct cm_gpu *gpu);
void cm_framebuffer_tile(struct cm_gpu *gpu, uint32_t tile, bool store);
void cm_framebuffer_end(struct cm_gpu *gpu);

#endif
