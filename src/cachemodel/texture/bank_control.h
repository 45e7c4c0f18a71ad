/* SPDX-License-Identifier: MIT */
/**
 * The circuits of the thesis "Design of a Banked Texture Cache" that decide which of four
 * addresses a bank is given: priority encoder, address control, tag control; and how many
 * accesses they take for up to four texels.
 *
 * Address i (the thesis' AT_i) is that of the footprint's texel (x + (i & 1), y + (i >> 1)).
 */
#ifndef CM_BANK_CONTROL_H
#define CM_BANK_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#define CM_TEXTURE_BANKS 4     /**< data banks, and tag banks (3.1) */
#define CM_TEXTURE_ADDRESSES 4 /**< texels of a bilinear footprint */

/** The output of a priority encoder. */
struct cm_priority {
   uint8_t select; /**< Y1 Y0: the input that is passed on; 0 without one */
   bool enable;    /**< EN: whether there is one */
};

/** Table 3-1: of the inputs X0 … X3 (bits 0 … 3) that are 1, the last one. */
struct cm_priority cm_priority_encoder(unsigned inputs);

/** Address control (Figure 3-6) and tag control (Figure 3-23): for each bank, which of the
 * requesting addresses (bits 0 … 3 of requests) it is given. bank: of each address, 0 … 3. */
void cm_bank_control(const uint8_t bank[CM_TEXTURE_ADDRESSES], unsigned requests,
                     struct cm_priority given[CM_TEXTURE_BANKS]);

/** The location of a texel, or of a part of it that a bank has at once. */
struct cm_texel_position {
   uint64_t
      row; /**< what its data bank outputs at once: the number of a line's quarter, or its byte address */
   uint64_t line;    /**< number of its block */
   uint8_t bank;     /**< data bank */
   uint8_t tag_bank; /**< of banked tags */
};

/** Counts of accesses. */
struct cm_bank_counts {
   uint8_t accesses;                       /**< all of them */
   uint8_t by_banks[CM_TEXTURE_BANKS + 1]; /**< those that activate so many data banks */
   uint8_t addresses;                      /**< addresses that wait, summed over them */
   uint8_t tag_banks;                      /**< tag banks activated in all of them */
   uint8_t data_conflicts; /**< accesses in which a texel waits for another row of its data bank */
   uint8_t tag_conflicts;  /**< accesses in which one waits for another line of its tag bank */
};

/** Adds the accesses that texels (up to four) take: in each, every bank serves the row of the
 * address it is given, every tag bank its line; texels without both wait (3.1.4, 3.3.3).
 * Without banked_tags, tags are no bottleneck and tag_banks stays unchanged. */
void cm_bank_accesses(const struct cm_texel_position *positions, unsigned count, bool banked_tags,
                      struct cm_bank_counts *counts);

#endif
