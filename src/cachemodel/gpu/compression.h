/* SPDX-License-Identifier: MIT */
/**
 * Framebuffers that are compressed without loss (framebuffer_compression.*, docs/compression.md).
 *
 * An image of an attachment, or of a resolve, is compressed from its first store on of which the events say how small its pixels
 * become (events/tile_content.h). The tile buffers read and write headers and bodies instead of pixels (gpu/tiled/compressed_tile.c).
 * In the first caches of textures are pixels, at the addresses that they have uncompressed; a block that is missed there is made
 * of its superblocks' headers and of the parts of their bodies that it needs.
 *
 * Texture units see what a pass has stored when it has ended, as with what the caches have. So the texture caches can be simulated on
 * another thread during a pass (gpu/parallel.h).
 */
#ifndef CM_COMPRESSION_H
#define CM_COMPRESSION_H

#include "gpu/compressed_surface.h"
#include "memory/hierarchy.h"
#include "stats/counters.h"
#include "texture/placement.h"

struct cm_gpu;
struct cm_resource;

/** Counters framebuffer_compression.<stream>.<event> of color, depth, stencil, display and texture:
 * X(identifier, name, unit of measure, description) */
#define CM_COMPRESSION_EVENTS(X)                                                                             \
   X(RAW_BYTES, "raw_bytes", "bytes", "bytes that compressed images would move without compression")         \
   X(HEADER_BYTES, "header_bytes", "bytes", "bytes of headers moved, by their caches if there are any")      \
   X(BODY_BYTES, "body_bytes", "bytes", "bytes of bodies moved")                                             \
   X(SOLID, "solid_superblocks", "superblocks",                                                              \
     "superblocks of one colour: stored; of textures, read by misses")                                       \
   X(COMPRESSED, "compressed_superblocks", "superblocks", "superblocks smaller than uncompressed, likewise") \
   X(RAW, "raw_superblocks", "superblocks", "superblocks as large as uncompressed, likewise")                \
   X(PARTIAL, "partial_superblocks", "superblocks", "superblocks stored in part, and read before")

enum cm_compression_event {
#define CM_COMPRESSION_EVENT(id, name, measure, description) CM_COMPRESSION_EVENT_##id,
   CM_COMPRESSION_EVENTS(CM_COMPRESSION_EVENT)
#undef CM_COMPRESSION_EVENT
      CM_COMPRESSION_EVENT_COUNT
};

/** Of a stream's event among those of all streams, and how many there are. */
#define CM_COMPRESSION_COLUMN(stream, event) \
   ((uint32_t)(stream) * CM_COMPRESSION_EVENT_COUNT + (uint32_t)(event))
#define CM_COMPRESSION_COLUMNS CM_COMPRESSION_COLUMN(CM_STREAM_COUNT, 0)

/** A compressed image, and its form uncompressed. */
struct cm_compressed_image {
   struct cm_compressed_surface surface;
   uint32_t resource;     /**< identifier */
   enum cm_stream stream; /**< that has stored it first */
   const struct cm_texture_layout *layout;
   const struct cm_texture_level *level;
   uint64_t begin, end; /**< addresses that its pixels have uncompressed */
   bool is_changed;     /**< in the current pass */
   /* Of texture units: */
   uint8_t *visible;            /**< surface.sizes at the end of the last pass */
   struct cm_block_shape shape; /**< of a block of the first texture caches */
   bool has_blocks; /**< a block of theirs is a block of 4x4 pixels, which can be read by itself */
   /** Of each such block its column and row (<< 16) of blocks; with has_blocks its superblock's number times CM_SUPERBLOCK_BLOCKS, plus
    * its own in that. NULL: not read yet. */
   uint32_t *places;
};

/** The compressed images of a resource: keep NULL until there is one. */
struct cm_compressed_images {
   uint32_t num_layers;                  /**< of a level */
   uint32_t count;                       /**< of images */
   struct cm_compressed_image *images[]; /**< by level, then by layer or slice; NULL: not compressed */
};

struct cm_compression;

/** For a GPU whose configuration has compression; its texture caches fetch blocks by it. NULL when out of memory. */
struct cm_compression *cm_compression_create(struct cm_gpu *gpu);
/** NULL is fine. */
void cm_compression_destroy(struct cm_compression *compression);

/** False: out of memory, and something was read as if it were not compressed. */
bool cm_compression_is_complete(const struct cm_compression *compression);

/** The compressed form of an image of a resource, if it has one. */
struct cm_compressed_image *
cm_compression_find(const struct cm_resource *resource, uint32_t level, uint32_t layer);
/** It gets one, all of it raw, if it can be compressed as an attachment of a stream. NULL: it cannot, or out of memory. */
struct cm_compressed_image *cm_compression_add(struct cm_gpu *gpu, struct cm_resource *resource,
                                               enum cm_stream stream, uint32_t level, uint32_t layer);
/** The current pass changes surface.sizes. */
void cm_compression_change(struct cm_compression *compression, struct cm_compressed_image *image);

/** Counts for a stream of the tile buffers. */
void cm_compression_count(struct cm_compression *compression, enum cm_stream stream,
                          enum cm_compression_event event, uint64_t count);

/** The same of a row of attribution: what its counter is. */
uint64_t
cm_compression_attributed(const struct cm_gpu *gpu, const struct cm_counter *counter, const uint64_t *row);

/** Begins a pass: says once that its events lack what is needed. */
void cm_compression_begin_pass(struct cm_compression *compression);
/** Ends it: headers are written back, texture units see what was stored, and the caches that a stream does not reach no longer have
 * what it has replaced. All that is shaded has been. */
void cm_compression_end_pass(struct cm_compression *compression);
/** Where the texture units report what they make blocks of (CM_ENTRY_FILL); requests NULL: to hierarchy.requests. compression NULL is
 * fine. */
void cm_compression_report(struct cm_compression *compression, struct cm_access_stream *requests);

/** Shaders access a resource as storage: it is not compressed from now on, nor later. Converting it is not simulated. */
void cm_compression_give_up(struct cm_gpu *gpu, struct cm_resource *resource);
/** A resource is about to be freed: its images are found no more. */
void cm_compression_forget(struct cm_compression *compression, uint32_t id);
/** Frees what a resource has. NULL is fine. */
void cm_compressed_images_free(struct cm_compressed_images *images);

/** Read from a struct cm_compression, after cm_parallel_drain. */
extern const struct cm_counter_source cm_compression_counters;

/** Keys framebuffer_compression.*, and the caches of headers. */
bool cm_compression_config_check(const struct cm_config *config, struct cm_config_problem *problem);

#endif
