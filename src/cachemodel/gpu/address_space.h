/* SPDX-License-Identifier: MIT */
/**
 * The simulated GPU's memory: the addresses of resources, shaders and the
 * Parameter Buffer.
 *
 * Addresses are allocated at the first use in stream order, upwards, in whole
 * pages of 4 KiB, and never reused: they depend on the event stream and the
 * configuration alone. The two sections of the Parameter Buffer are at fixed
 * much higher addresses, the same in every pass (it is built and used up within a
 * pass, TCOR II-A; there is one, not two in turn).
 */
#ifndef CM_ADDRESS_SPACE_H
#define CM_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "events/event_stream.h"
#include "gpu/cleared_blocks.h"
#include "gpu/hiz_buffer.h"
#include "texture/placement.h"
#include "tiling/parameter_buffer.h"
#include "util/id_table.h"

#define CM_PAGE_BYTES 4096
#define CM_RESOURCES_A_PAGE 1024

struct cm_resource {
   struct cm_resource_description description;
   uint64_t address; /**< 0: not used yet */
   uint64_t bytes;
   struct cm_texture_layout *layout;  /**< NULL: a buffer, or not used yet */
   struct cm_hiz_buffer *hiz;         /**< NULL: it was not yet a depth attachment of an immediate-mode GPU */
   struct cm_cleared_blocks *cleared; /**< NULL: no fast clear yet */
   struct cm_stored_tiles
      *stored_tiles; /**< gpu/tiled/elimination.h; NULL: it takes no part in elimination */
   /** 1 + the stream whose render caches may have blocks of it, from a pass that has ended
    * (CM_RENDER_CACHES_KEPT); 0: none. */
   uint32_t kept;
   struct cm_compressed_images *compressed; /**< NULL: none of its images is compressed (gpu/compression.h) */
   bool never_compressed;                   /**< it was storage */
   bool stored;                             /**< to by shaders of the current pass */
   bool sampled;         /**< bound to a texture unit since it was last written past the caches */
   uint64_t descriptors; /**< of a descriptor set: the address of the first; 0: not used yet */
   uint32_t set_size;    /**< descriptors that there is space for */
};

/** Bytes of descriptors that are read together, from the set's first on. */
struct cm_descriptor_range {
   uint64_t begin, end;
};

/** A shader's memory. */
struct cm_shader_memory {
   uint64_t instructions, constants;           /**< addresses */
   uint64_t instruction_bytes, constant_bytes; /**< space */
};

struct cm_address_space {
   const struct cm_config *config;
   uint64_t next;
   uint32_t num_textures; /**< that were placed; counted with texture.offset=hashed */
   uint64_t next_set,
      sets_end; /**< room for descriptor sets, which follow one another, as those of a pool do */
   /** By identifier, in pages of CM_RESOURCES_A_PAGE; NULL: nothing of the page is defined. */
   struct cm_resource ***resources;
   uint32_t num_pages;
   struct cm_id_table shader_ids;    /**< of all stages */
   struct cm_shader_memory *shaders; /**< by their index there */
   bool reported;                    /**< a message was sent about the first resource that is not counted */
   bool out_of_memory;               /**< accesses of some resource are not counted */
};

void cm_address_space_init(struct cm_address_space *space, const struct cm_config *config);
void cm_address_space_finish(struct cm_address_space *space);

/** Defines a resource. False when out of memory. */
bool
cm_address_space_define(struct cm_address_space *space, const struct cm_resource_description *description);

/** The address of so many bytes that are reserved. */
uint64_t cm_address_space_reserve(struct cm_address_space *space, uint64_t bytes);

/** Frees what is kept for a resource that is not used any more; its address is not reused. */
void cm_address_space_forget(struct cm_address_space *space, uint32_t id);

/** The resource with its address; NULL for 0, and after a message (once)
 * for one that was never defined or when out of memory. */
struct cm_resource *cm_address_space_use(struct cm_address_space *space, uint32_t id);

/** The HiZ buffer of a texture that cm_address_space_use has given an address; NULL after a message
 * (once) when out of memory. */
struct cm_hiz_buffer *cm_address_space_use_hiz(struct cm_address_space *space, struct cm_resource *resource);

/** The bits of fast clears of a texture that has an address, and of its HiZ buffer, if it has one whose blocks are as large
 * as those of that stream's first cache. stream: the attachment's; hierarchy: the caches of the streams; pipeline: where
 * they count. False after a message (once) when out of memory. */
bool
cm_address_space_use_cleared(struct cm_address_space *space, struct cm_resource *resource,
                             enum cm_stream stream, const struct cm_hierarchy *hierarchy, uint64_t *pipeline);

/** The address of the first descriptor of a set; 0 after a message (once) for one that was never defined. */
uint64_t
cm_address_space_use_descriptors(struct cm_address_space *space, const struct cm_descriptors *descriptors);

/** From descriptor *number of these on, what is used of all those between which there is no line of 64 bytes that has nothing of
 * them; *number is then that of the next one. False when there is none. */
bool cm_address_space_next_descriptors(const struct cm_address_space *space,
                                       const struct cm_descriptors *descriptors, uint32_t *number,
                                       struct cm_descriptor_range *range);

/** The same for a set that already has its memory, without any change; 0: it has none, or not enough. */
uint64_t cm_address_space_find_descriptors(const struct cm_address_space *space,
                                           const struct cm_descriptors *descriptors);

/** The memory of a shader; each stage has its own identifiers of shaders.
 * NULL when out of memory. Valid until the next call. */
const struct cm_shader_memory *
cm_address_space_shader(struct cm_address_space *space, enum cm_shader_stage stage,
                        const struct cm_shader *shader);

/** The same for a shader that already has its memory, without any change; NULL: it has none. */
const struct cm_shader_memory *
cm_address_space_find_shader(const struct cm_address_space *space, enum cm_shader_stage stage,
                             const struct cm_shader *shader);

#endif
