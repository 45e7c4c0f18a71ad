/* SPDX-License-Identifier: MIT */
/**
 * The Parameter Buffer as bytes (TCOR II-B, III-A, III-B, III-D1).
 *
 * PB-Attributes: each attribute of a primitive is one 64-byte block: 48 bytes
 * (16 for each of three vertices), then the last tile that uses the block and
 * 12 bytes that tbrsim's own pipeline state occupies (struct cm_pb_attribute_block).
 * A primitive's ID is the number of its first block.
 *
 * PB-Lists: one list of PMDs (primitive metadata) for each tile, in one of two
 * layouts. A narrow PMD is 4 bytes, a wide one 8; a pass is wide as soon as it
 * has more tiles, attribute blocks or attributes per primitive than a narrow PMD's
 * fields hold (cm_pb_needs_wide).
 *
 * Tiles have two numbers here. Callers name a tile by its row-major number; what
 * is stored (OPT numbers, last tiles, the order of the lists in memory) is the
 * tile's traversal position, because the hardware compares those as "sooner"
 * and "later". docs/parameter-buffer.md has every byte.
 */
#ifndef CM_PARAMETER_BUFFER_H
#define CM_PARAMETER_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/tiling_config.h"

/** Simulated addresses of the two sections, the PB-Lists and the PB-Attributes pointer: the
 * same in every pass. */
#define CM_PB_LISTS_ADDRESS (1ull << 40)
#define CM_PB_ATTRIBUTES_ADDRESS (1ull << 41)

/** How much further those of a second Parameter Buffer are. */
#define CM_PB_SECOND_BUFFER (1ull << 39)

#define CM_PB_BLOCK_BYTES 64
#define CM_PB_ATTRIBUTE_BYTES 48
/** Blocks that the baseline layout sets aside for a tile's list, and the length
 * of each further run of an overflowing list (TCOR II-B). */
#define CM_PB_BASELINE_BLOCKS 64
/** "No further tile uses this primitive". */
#define CM_PB_NEVER UINT32_MAX

/** What a narrow PMD's fields hold: 12, 16 and 4 bits. */
#define CM_PB_NARROW_TILES 4096u
#define CM_PB_NARROW_ATTRIBUTE_BLOCKS 65536u
#define CM_PB_NARROW_ATTRIBUTES 16u
/** What a wide PMD's fields hold: 24 and 8 bits (the primitive's 32 hold any). */
#define CM_PB_WIDE_TILES (1u << 24)
#define CM_PB_WIDE_ATTRIBUTES 256u

/** One block of PB-Attributes. */
struct cm_pb_attribute_block {
   float vertex[3][4]; /**< the attribute at the primitive's three vertices */
   uint32_t last_tile; /**< traversal position of the last tile that uses the primitive:
                          * 12 bits narrow, 24 wide (TCOR III-D1) */
   uint32_t draw;      /**< in a primitive's first block: the draw it belongs to; 0 in the others */
   uint32_t flags;     /**< in a primitive's first block: the renderer's own bits */
   uint32_t reserved;  /**< 0 */
};

/** A decoded PMD (TCOR III-A). */
struct cm_pmd {
   uint32_t primitive;      /**< number of the primitive's first attribute block */
   uint32_t num_attributes; /**< 1 … 16 narrow, 1 … 256 wide */
   uint32_t opt_number;     /**< traversal position of the next tile that uses the primitive
                             * (never 0: something comes before a next tile), or CM_PB_NEVER */
};

/** Whether a pass needs 8-byte PMDs: more than CM_PB_NARROW_TILES tiles, more than
 * CM_PB_NARROW_ATTRIBUTE_BLOCKS blocks of PB-Attributes or a primitive of more
 * than CM_PB_NARROW_ATTRIBUTES attributes. */
bool cm_pb_needs_wide(uint64_t num_tiles, uint64_t num_attribute_blocks, uint32_t max_attributes);

/** Bytes of a PMD. */
static inline uint32_t
cm_pmd_bytes(bool wide)
{
   return wide ? 8 : 4;
}

/** A PMD from its bytes, little endian on any machine, at any alignment. The OPT number 0
 * cannot occur as a next tile and encodes CM_PB_NEVER. */
struct cm_pmd cm_pmd_decode(const void *bytes, bool wide);

/** The lists of one pass: lengths, addresses and, when wanted, bytes. */
struct cm_pb_lists;

/** Starts the lists of a pass of num_tiles tiles (at least 1). position[tile] is
 * the traversal position of the tile, a permutation of 0 … num_tiles - 1, and
 * must outlive the pass. with_bytes: keep the PMDs' bytes (a renderer); without:
 * only lengths and offsets (the consumer). Memory grows with what is appended,
 * not with what the layout spans. NULL with errno ENOMEM when out of memory, with
 * EOVERFLOW when the PMDs cannot name that many tiles. */
struct cm_pb_lists *cm_pb_lists_create(enum cm_pb_layout layout, bool wide, uint32_t num_tiles,
                                       const uint32_t *position, bool with_bytes);
void cm_pb_lists_destroy(struct cm_pb_lists *lists);

/** Empties the lists for the next pass, which keeps layout and with_bytes and
 * reuses the allocations. False as cm_pb_lists_create's NULL; then the lists are
 * as they were. */
bool cm_pb_lists_reset(struct cm_pb_lists *lists, bool wide, uint32_t num_tiles, const uint32_t *position);

/** Bins a primitive into its tiles. For tiles[i] (row-major numbers, any order,
 * no duplicates, at least one): offsets[i] gets the byte offset of its PMD from
 * the PB-Lists pointer, opt_numbers[i] the PMD's OPT number. Returns the traversal
 * position of the *first* tile that uses the primitive in *first and of the last
 * in *last. Each of the four may be NULL. False with nothing appended: errno
 * ENOMEM when out of memory, EOVERFLOW when the PMD's fields do not hold
 * primitive or num_attributes. */
bool cm_pb_lists_append(struct cm_pb_lists *lists, uint32_t primitive, uint32_t num_attributes,
                        const uint32_t *tiles, uint32_t num_tiles, uint64_t *offsets, uint32_t *opt_numbers,
                        uint32_t *first, uint32_t *last);

/** PMDs in a tile's list. */
uint32_t cm_pb_lists_length(const struct cm_pb_lists *lists, uint32_t tile);
/** Byte offset of the n-th PMD of a tile from the PB-Lists pointer. */
uint64_t cm_pb_lists_offset(const struct cm_pb_lists *lists, uint32_t tile, uint32_t n);
/** The bytes of the n-th PMD (with_bytes only). Those of the tile's further PMDs
 * follow it in the host's memory, wherever the layout puts them. Valid until the
 * next append, reset or destroy. */
const void *cm_pb_lists_pmd(const struct cm_pb_lists *lists, uint32_t tile, uint32_t n);
#endif
