/* SPDX-License-Identifier: MIT */
/**
 * Makes the shaders that Mesa's draw executes log what they access. A NIR pass puts before each instruction that reads a
 * texture or accesses storage the storing of its operands in a shader buffer of the driver's. Another one makes shaders with
 * control flow count how often they run their regions (tile/tbr_regions.h).
 */
#ifndef TBR_NIR_LOG_H
#define TBR_NIR_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/event_stream.h"

struct nir_shader;
struct tbr_regions;

/** The unit of an instruction that accesses memory by address, instead of a buffer's. */
#define TBR_LOGGED_BY_ADDRESS 255

/** An instruction, besides its operands. */
struct tbr_logged_instruction {
   uint8_t type; /**< enum cm_vertex_access_type */
   uint8_t unit; /**< of a texture, a storage buffer or an image the first one it may access */
   uint8_t
      operation; /**< of textures as struct tbr_sample_arguments has it, of storage enum cm_storage_operation */
   uint8_t bytes; /**< that an invocation accesses of a storage buffer */
   uint8_t lod_control, gather_component;
   bool shadow, has_offset, has_sample; /**< as struct tbr_sample_arguments */
   uint32_t operands;                   /**< that it has: words of what it logs */
};

/** An instruction that an invocation ran: as the generated code stores it, words. Of the operands those are valid that
 * the instruction has (struct tbr_logged_instruction). */
struct tbr_logged_access {
   uint32_t instruction;      /**< its number in the shader, and the stage (TBR_LOGGED_STAGE_SHIFT) */
   uint32_t invocation;       /**< of the stage since the log was begun, in the order of shading */
   uint32_t vertex, instance; /**< of a vertex shader */
   uint32_t
      coords[4]; /**< coords[3]: layer of a cube array; of a storage buffer coords[0] is the byte offset, by
                  * address coords[1] the number of the buffer, too */
   uint32_t lod, sample; /**< bits */
   uint32_t unit;        /**< added to the instruction's unit */
   uint32_t offset[3], ddx[3], ddy[3];
};
#define TBR_LOGGED_WORD(member) (offsetof(struct tbr_logged_access, member) / 4)
#define TBR_LOGGED_STAGE_SHIFT 24
#define TBR_LOGGED_NUMBER(word) ((word) & ((1u << TBR_LOGGED_STAGE_SHIFT) - 1))

/** The head of the shader buffer TBR_LOG_BUFFER. */
struct tbr_log {
   uint32_t count;          /**< accesses of a part of the draw, whether or not there is space for them */
   uint32_t invocations[4]; /**< of the draw, by enum cm_preraster_stage */
   uint32_t unused[3];
   /** By stage: invocations of a part of the draw, then how often these came to the places that the shader counts. */
   uint32_t region_runs[4][CM_MAX_REGIONS];
   struct tbr_logged_access accesses[];
};

/** Address space; what is not written to takes no memory. Sizes of shader buffers are signed. */
#define TBR_LOG_BYTES 0x7fff0000u
#define TBR_LOG_ACCESSES ((TBR_LOG_BYTES - sizeof(struct tbr_log)) / sizeof(struct tbr_logged_access))

/** The regions of a vertex, tessellation or geometry shader, which is made to add up how often its invocations run them. NULL
 * where it has no control flow, and when out of memory; nothing is changed then. The caller frees it (FREE). of_block: as of
 * tbr_nir_find_regions. */
struct tbr_regions *tbr_nir_log_regions(struct nir_shader *nir, unsigned *of_block);

/** Whether the shader has instructions that are logged. */
bool tbr_nir_has_accesses(struct nir_shader *nir);

/** Makes a shader that has some log them: of a vertex, tessellation or geometry shader. They are allocated; *count of them.
 * NULL when out of memory, and nothing is changed. */
struct tbr_logged_instruction *tbr_nir_log_accesses(struct nir_shader *nir, uint32_t *count);

#endif
