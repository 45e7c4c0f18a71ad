/* SPDX-License-Identifier: MIT */
/**
 * The designs of texture caches of the thesis "Design of a Banked Texture Cache", chapter 3:
 * the accesses to the cache that a footprint of one fragment (2x2 texels, or one) takes, and
 * what each activates. Trilinear and anisotropic filtering are several footprints (1.5).
 *
 * A design is in front of the cache and does not change it: its banks are in step, and a
 * miss replaces the line in all of them (3.4), so hits and misses are the cache's.
 *
 * traditional: one address, and one port of 32 bits: a texel per access (4.2.1).
 * wide-bus: one port of 128 bits: texels within 16 consecutive bytes of a line (4.2.1: "continuous
 *    four texels"; they may begin with any texel).
 * multi-port: four addresses, and as many ports of 32 bits.
 * banked-continuous (v1, 3.1): four banks with a quarter of each line. A bank outputs its whole
 *    quarter, so texels of one quarter share a bank. Two quarters of different lines in the
 *    same bank are a conflict (3.1.4): one of them takes another access.
 * banked-interleaved (v2, 3.2): four banks of texels: of texel number A in its level the bank is
 *    A[log2 N] A[0], N being the side of the placement's tile: the lowest bits of row and column.
 *    (The thesis counts the bits of byte addresses from 1: A[log2 N + 3] and A[3].) A bank
 *    outputs 32 bits; two texels of one bank are a conflict. That happens only where a texture of odd
 *    size is read across its edge.
 *
 * Tags: shared, one array, with a port for each address; four-arrays, one for each address; banked
 * (3.3): line l's tag is in bank l % 4, l being the cache's index. Two lines of one tag bank are
 * a conflict (3.3.3). Of the addresses that request a bank, the last one is granted (Table 3-1).
 *
 * The thesis has texels of 4 bytes. Otherwise: smaller ones also take a port; a port's width of
 * larger ones is fetched at a time, for all texels of the footprint in parallel (32 bits; in
 * continuous banks a quarter of a line). A compression block is a texel.
 */
#ifndef CM_TEXTURE_ACCESS_H
#define CM_TEXTURE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "memory/cache.h"
#include "stats/counters.h"
#include "texture/bank_control.h"
#include "texture/placement.h"

/** What the design does with the footprints of fragments, all texture
 * caches together: texture_access.<event>, where the configuration has texture_access. */
#define CM_TEXTURE_ACCESS_EVENTS(X)                                                                          \
   X(FOOTPRINTS, "footprints", "footprints", "reads of 2x2 texels, or of one, by a fragment")                \
   X(ACCESSES, "accesses", "accesses", "accesses to the cache that these take")                              \
   X(ONE_BANK, "one_bank_accesses", "accesses", "those that activate one data bank, or port")                \
   X(TWO_BANKS, "two_bank_accesses", "accesses", "those that activate two")                                  \
   X(THREE_BANKS, "three_bank_accesses", "accesses", "those that activate three")                            \
   X(FOUR_BANKS, "four_bank_accesses", "accesses", "those that activate four")                               \
   X(DATA_BANKS, "data_banks", "activations", "data banks activated; ports where there are no banks")        \
   X(TAG_BANKS, "tag_banks", "activations", "tag banks activated; tag arrays where there are no banks")      \
   X(DATA_CONFLICTS, "data_bank_conflicts", "accesses",                                                      \
     "accesses in which texels wait for another row of their data bank")                                     \
   X(TAG_CONFLICTS, "tag_bank_conflicts", "accesses",                                                        \
     "accesses in which texels wait for another line of their tag bank")                                     \
   X(MISS_DATA_BANKS, "miss_data_banks", "activations", "data banks that misses take (texture_access.miss)") \
   X(MISS_TAG_BANKS, "miss_tag_banks", "activations", "tag banks that misses take")                          \
   X(ENERGY, "energy", "fJ", "energy of the accesses and of the lines that misses replace: (C + M) * E")

enum cm_texture_access_event {
#define CM_TEXTURE_ACCESS_EVENT_ENUM(id, name, measure, description) CM_TEXTURE_ACCESS_EVENT_##id,
   CM_TEXTURE_ACCESS_EVENTS(CM_TEXTURE_ACCESS_EVENT_ENUM)
#undef CM_TEXTURE_ACCESS_EVENT_ENUM
      CM_TEXTURE_ACCESS_EVENT_COUNT
};

/** Read from a struct cm_texture_access, whose texture_misses are set. */
extern const struct cm_counter_source cm_texture_access_counters;

/** The least multiple of 1 … 16: the accesses of a quad divide it where there are no conflicts and texels have 4 bytes. */
#define CM_MISS_PARTS 720720

/** Texels of 1, 2, 4, 8 and 16 bytes are counted by their position in a line. */
#define CM_ACCESS_TEXEL_SIZES 5

/** Counts of accesses by enum cm_texture_access_event. */
typedef uint64_t cm_access_counts[CM_TEXTURE_ACCESS_EVENT_COUNT];

/** The counting of all texture caches of a GPU. */
struct cm_texture_access {
   enum cm_texture_design design; /**< CM_TEXTURE_DESIGN_NONE: nothing is counted */
   enum cm_texture_tags tags;
   uint32_t access_energy; /**< fJ of a data bank (4.2.2: E) */
   uint32_t tag_energy;    /**< fJ of a tag bank; 0: in access_energy */
   enum cm_texture_miss miss;
   uint32_t block_shift;
   struct cm_set_index index; /**< of the cache */
   uint32_t tile_shift;       /**< binary logarithm of N */
   uint64_t texture_misses;   /**< of texture reads in the cache: set before its counters are read */
   /** With CM_TEXTURE_MISS_ACCESS: data banks and tag banks that misses take, in parts of 1 / CM_MISS_PARTS. */
   uint64_t miss_parts[2];
   cm_access_counts counts; /**< of footprints that were looked at one by one */
   /** The others, by the position of their first texel in its line: how many there were, and what each
    * takes. Positions of texels of 2^s bytes begin at first_position[s]; they are row << column_shift |
    * column, four times: footprints of two columns and rows, of one column, of one row, of one texel
    * four times. After all of them come the positions of single texels, one for each size. */
   uint64_t *footprints;
   cm_access_counts *outcomes;
   uint32_t first_position[CM_ACCESS_TEXEL_SIZES + 1];
   struct cm_block_shape shapes[CM_ACCESS_TEXEL_SIZES]; /**< of lines */
};

/** Prepares the counting; false when out of memory. config must be valid. */
bool cm_texture_access_init(struct cm_texture_access *access, const struct cm_config *config);
void cm_texture_access_finish(struct cm_texture_access *access);

/** Counts a quad's footprint. grid: that of cm_footprint_grid, NULL: there is none; blocks: those of
 * cm_footprint_blocks. */
void
cm_texture_access_footprint(struct cm_texture_access *access, const struct cm_texture_image *image,
                            const struct cm_texture_binding *binding, const struct cm_footprint *footprint,
                            const struct cm_block_grid *grid, const uint64_t *blocks);

/** With CM_TEXTURE_MISS_ACCESS: the last footprint, or the last texel of a buffer, had so many misses. Each takes what an
 * access of its fragments takes on average, whichever of them needs the line. image: NULL for a buffer. */
void cm_texture_access_missed(struct cm_texture_access *access, const struct cm_texture_image *image,
                              const struct cm_texture_binding *binding, const struct cm_footprint *footprint,
                              uint64_t misses);

/** Counts one fragment's texel of a buffer: the element of this number, so many bytes at an address. */
void cm_texture_access_element(struct cm_texture_access *access, uint64_t element, uint64_t address,
                               uint32_t bytes);

/** Moves the counts of another one of the same configuration here. */
void cm_texture_access_add(struct cm_texture_access *access, struct cm_texture_access *other);

/** A counter since creation; of the energy, with texture_misses. */
uint64_t cm_texture_access_count(const struct cm_texture_access *access, enum cm_texture_access_event event);

/** A texel of a footprint: the number-th of its level, so many bytes at an address. */
struct cm_access_texel {
   uint64_t address, number;
   uint32_t bytes;
};

/** What a fragment's texels (one or four, in the order of addresses) take: adds to counts. This is
 * the exact way; positions in lines are its short form. */
void cm_texture_access_texels(const struct cm_texture_access *access, const struct cm_access_texel *texels,
                              unsigned count, cm_access_counts counts);

/** Where the part-th part (from 0) of a texel lies in a banked design's banks; false where it has
 * no such part. */
bool cm_texture_access_position(const struct cm_texture_access *access, const struct cm_access_texel *texel,
                                unsigned part, struct cm_texel_position *position);

/** Keys texture_access.*: whether they fit the texture cache, which is valid. */
bool cm_texture_access_config_check(const struct cm_config *config, struct cm_config_problem *problem);

#endif
