/* SPDX-License-Identifier: MIT */
/** The stages of the tile-based GPU, in the order of the pipeline. A stage's members are its own; it has pointers to the others
 * that it calls. */
#ifndef CM_TILED_STAGES_H
#define CM_TILED_STAGES_H

#include "config/config.h"
#include "events/event_stream.h"
#include "gpu/shaded_events.h"
#include "tiling/tile_levels.h"
#include "util/array.h"

struct cm_elimination_stage;
struct cm_gpu;
struct cm_pb_lists;
struct cm_resource;
struct cm_shading;
struct cm_shading_worker;
struct cm_stored_surface;
struct cm_storage_stage;

/* ---- geometry.c --------------------------------------------------------------- */

/** The fetch of a draw's vertices. */
struct cm_vertex_fetch {
   const struct cm_draw *draw;
   const struct cm_resource *index_buffer;
   const struct cm_resource *buffers[CM_MAX_VERTEX_ELEMENTS];
   uint32_t num_elements;
   /* The FIFO of transformed vertices. */
   uint32_t *reuse;
   uint32_t reuse_entries, reuse_used, reuse_next;
};

/** The Vertex Stage and what follows it up to primitive assembly. */
struct cm_geometry_stage {
   struct cm_gpu *gpu;
   struct cm_storage_stage *storage;
   struct cm_array reuse;        /**< uint32_t: the FIFO of transformed vertices */
   struct cm_array vertex_units; /**< struct cm_texture_unit by vertex binding of the pass */
   struct cm_array shaded; /**< uint32_t by draw of the pass: vertices that were not found transformed */
   uint32_t vertices_run;  /**< vertices of the pass so far, reused ones among them */
   /* Where tiles shade vertices (cm_config_shades_by_tile). */
   struct cm_array first_vertices; /**< uint32_t by primitive: its first vertex, in the order of the draw */
   struct cm_vertex_fetch tile_fetch; /**< of the tile's last draw; draw NULL: none yet */
   uint32_t core, cost;               /**< that shades the tile; number of what a vertex costs there */
};

/** Frees what it owns. */
void cm_geometry_finish(struct cm_geometry_stage *geometry);

/** The GPU's pass begins. False when out of memory. */
bool cm_geometry_begin(struct cm_geometry_stage *geometry);
/** Runs draws first … end - 1 of it. */
void cm_geometry_draws(struct cm_geometry_stage *geometry, uint32_t first, uint32_t end);

/** A tile begins, whose vertices this core shades. */
void cm_geometry_tile(struct cm_geometry_stage *geometry, uint32_t core);
/** The tile's list has that primitive (its number in the pass): shades its vertices, but for those that were shaded shortly
 * before. */
void cm_geometry_tile_primitive(struct cm_geometry_stage *geometry, uint32_t number);

/* ---- vertex_outputs.c ---------------------------------------------------------- */

/** Positions and varyings of a pass' vertices in memory (parameter_buffer.attributes). */
struct cm_vertex_outputs {
   struct cm_gpu *gpu;
   struct cm_array draws; /**< struct cm_vertex_outputs_draw */
   uint32_t next_draw;    /**< all before it are written */
};

/** Places those of the GPU's pass. shaded: vertices by draw. False when out of memory. */
bool cm_vertex_outputs_begin(struct cm_vertex_outputs *outputs, struct cm_gpu *gpu, const uint32_t *shaded,
                             uint64_t buffer);
/** When primitive p is binned, its vertices' and all earlier ones' are written. The event stream does not say which vertices
 * a primitive has: those of a draw are taken to be spread evenly over its primitives that are binned. With the pass' last
 * primitive all is written. */
void cm_vertex_outputs_write(struct cm_vertex_outputs *outputs, uint32_t p);
/** What a tile reads of primitive p: those of three vertices. */
void cm_vertex_outputs_read(const struct cm_vertex_outputs *outputs, uint32_t p);
/** Frees what it owns. */
void cm_vertex_outputs_finish(struct cm_vertex_outputs *outputs);

/* ---- tiling.c ----------------------------------------------------------------- */

/** A pass' primitives as they are binned (parameter_buffer.overlap), or listed (parameter_buffer.levels). */
struct cm_binned {
   const struct cm_primitive *primitives;
   const uint32_t *tiles; /**< row-major numbers, or those of lists; primitives[…].first_tile is an index */
   uint64_t num_tiles;
};

/** The Tiling Engine (TCOR II-B, II-C): the Polygon List Builder, which bins primitives, and the Tile Fetcher. Arrays by tile go
 * by row-major numbers. */
struct cm_tiling_stage {
   struct cm_gpu *gpu;
   struct cm_geometry_stage *geometry;
   struct cm_vertex_outputs outputs; /**< in place of attributes by primitive */
   struct cm_elimination_stage *elimination;
   struct cm_binned binned;
   struct cm_array boxed_primitives, boxed_tiles; /**< binned, if it is not the event stream's */
   struct cm_tile_levels
      levels;               /**< hierarchical lists; none: lists are flat, and tiles' numbers are theirs */
   struct cm_binned listed; /**< the lists that each primitive is in */
   uint32_t num_lists;
   const uint32_t *positions; /**< by list, in memory */
   struct cm_pb_lists *lists;
   uint32_t pmd_bytes;               /**< bytes of each PMD of the lists */
   uint64_t buffer;                  /**< added to addresses: 0, or CM_PB_SECOND_BUFFER */
   struct cm_array first_block;      /**< uint32_t by primitive: its first attribute block */
   struct cm_array tile_begin;       /**< uint64_t by tile, and one more: its part of tile_primitives */
   struct cm_array tile_primitives;  /**< uint32_t: primitives by tile, in draw order */
   struct cm_array pmd_offsets;      /**< uint64_t: where a primitive's PMDs go */
   struct cm_array last_tiles;       /**< uint32_t by attribute block: cm_liveness.last_tiles */
   struct cm_array opt_numbers;      /**< uint32_t: of a primitive's PMDs */
   struct cm_array tile_opt_numbers; /**< uint32_t: of tile_primitives' PMDs; with an Attribute Cache */

   /* Of hierarchical lists. */
   struct cm_array listed_primitives, listed_lists; /**< listed */
   struct cm_array primitive_levels;                /**< uint8_t by primitive: the number of its level */
   struct cm_array list_seen;                       /**< uint32_t by list: the last primitive in it, and 1 */
   struct cm_array list_positions;                  /**< positions */
   struct cm_array list_begin, list_primitives;     /**< as those by tile */
};

/** Frees what it owns. */
void cm_tiling_finish(struct cm_tiling_stage *tiling);

/** Prepares the Polygon List Builder for the GPU's pass. False when out of memory. */
bool cm_tiling_begin(struct cm_tiling_stage *tiling);
/** What it writes of primitives first … end - 1 of it. False when out of memory. */
bool cm_tiling_write(struct cm_tiling_stage *tiling, uint32_t first, uint32_t end);
/** Whether the Tile Fetcher reads a tile's list: not if nothing is drawn or cleared, except for primitives that were binned
 * there by their boxes. */
bool cm_tiling_is_fetched(const struct cm_tiling_stage *tiling, uint32_t tile);
/** What the Tile Fetcher reads of a tile. */
void cm_tiling_fetch_tile(struct cm_tiling_stage *tiling, uint32_t tile);
/** Its signal that a tile is done, fetched or not. */
void cm_tiling_tile_done(struct cm_tiling_stage *tiling, uint32_t tile);
/** The end of the pass' Parameter Buffer. */
void cm_tiling_end(struct cm_tiling_stage *tiling);

/* ---- fragment_stage.c --------------------------------------------------------- */

/** The Fragment Processors: what is shaded of a tile, or of a primitive in mode imr. */
struct cm_fragment_stage {
   struct cm_gpu *gpu;
   struct cm_storage_stage *storage;
   struct cm_array draw_textures;  /**< struct cm_resource *[CM_MAX_TEXTURE_UNITS] by draw of the pass */
   struct cm_shaded_events shaded; /**< of the last tile */
   struct cm_shading *shading;
};

/** For a GPU whose shared units are built. False when out of memory. */
bool
cm_fragment_stage_init(struct cm_fragment_stage *stage, struct cm_gpu *gpu, struct cm_storage_stage *storage);
void cm_fragment_stage_finish(struct cm_fragment_stage *stage);

/** Finds the textures of the pass' draws. False when out of memory. */
bool cm_fragment_stage_bind(struct cm_fragment_stage *stage);

/** Those of a draw, by unit; NULL: nothing is bound. */
static inline struct cm_resource *const *
cm_fragment_stage_textures(const struct cm_fragment_stage *stage, uint32_t draw)
{
   return (struct cm_resource *const *)stage->draw_textures.data + (size_t)draw * CM_MAX_TEXTURE_UNITS;
}

/** Runs a tile. False when out of memory. */
bool cm_fragment_stage_run(struct cm_fragment_stage *stage, uint32_t tile);

/** The processors; those of a shading worker (gpu/shading_worker.h), or NULL. NULL when out of memory. */
struct cm_shading *cm_shading_create(const struct cm_fragment_stage *stage, struct cm_shading_worker *worker);
void cm_shading_destroy(struct cm_shading *shading);
/** Resets them, to no shader and no work: before a tile, or in mode imr a pass. */
void cm_shading_begin(struct cm_shading *shading);
/** Runs a tile's quads. tile: its row-major number; position: in the traversal. */
void cm_shading_run_tile(struct cm_shading *shading, const struct cm_tile_events *events, uint32_t tile,
                         uint32_t position);
/** In mode imr a processor gets the shader of a draw for quads that are run elsewhere. Whether it held another. */
bool cm_shading_hold_shader(struct cm_shading *shading, uint32_t draw, uint32_t processor);
/** Instructions of all quads that ran so far. */
uint64_t cm_shading_executed(const struct cm_shading *shading);
/** Runs a group's quad of that number, all its runs; returns the group's end. place: of the quad, by which the scheduler chooses its
 * processor; in mode imr the number of its block of 2x2 quads, in Z-order. */
const uint32_t *cm_shading_run_quad(struct cm_shading *shading, const uint32_t *group, const uint32_t *end,
                                    uint32_t number, uint32_t place);

/* ---- framebuffer.c ------------------------------------------------------------ */

/** Pixels of one level and layer of a resource; x1, y1 exclusive. */
struct cm_rectangle {
   uint32_t x0, y0, x1, y1;
};

/** What happens to pixels: a clear is a store if there are no fast clears; what is eliminated is only counted. */
enum cm_transfer { CM_TRANSFER_LOAD, CM_TRANSFER_STORE, CM_TRANSFER_CLEAR, CM_TRANSFER_ELIMINATED };

/** The tile buffers. */
struct cm_framebuffer_stage {
   struct cm_gpu *gpu;
   struct cm_elimination_stage *elimination;
   /* The attachments of the pass: colours, depth, stencil. */
   uint32_t num_color, num_attachments;
   const struct cm_attachment *attachments[CM_MAX_COLOR_ATTACHMENTS + 2];
   enum cm_stream streams[CM_MAX_COLOR_ATTACHMENTS + 2];
};

/** The GPU's pass begins: finds its attachments, which get addresses. */
void cm_framebuffer_bind(struct cm_framebuffer_stage *framebuffer);
/** A tile's load, or its flush. */
void cm_framebuffer_tile(struct cm_framebuffer_stage *framebuffer, uint32_t tile, bool store);
/** The pass ends: what was flushed is stale in the caches that it bypassed. */
void cm_framebuffer_end(struct cm_framebuffer_stage *framebuffer);

/** Reads or writes pixels of a resource. content: what is known of those that are written (events/tile_content.h); NULL: nothing. */
void cm_framebuffer_transfer(struct cm_gpu *gpu, uint32_t id, uint32_t level, uint32_t layer,
                             struct cm_rectangle part, enum cm_stream stream, enum cm_transfer transfer,
                             const struct cm_stored_surface *content);
/** Writes the pixels of a resolve's target for a rectangle of the pass, or not, if the transfer is eliminated. content: as
 * there. */
void cm_framebuffer_resolve(struct cm_gpu *gpu, const struct cm_resolve *resolve, uint32_t layer,
                            struct cm_rectangle pixels, enum cm_transfer transfer,
                            const struct cm_stored_surface *content);
/** The number of layers of the pass in a color attachment's resolve. */
uint32_t cm_framebuffer_resolved_layers(const struct cm_pass *pass, uint32_t color);
/** The stream of a color attachment: whether it is displayed. */
enum cm_stream cm_framebuffer_color_stream(const struct cm_gpu *gpu, const struct cm_resource *resource);

#endif
