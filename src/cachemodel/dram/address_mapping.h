/* SPDX-License-Identifier: MIT */
/**
 * What the bits of a byte's address mean to the memory controller: key dram_system.mapping.
 *
 * The text has five fields, from the most significant to the least, with '-' between them: row, rank,
 * bank, column and channel, each once, as "row-rank-bank-column-channel". Below them all are the bytes that
 * dram_system.interleave keeps together in a row: "column" are the bits of the column above those. A bank's
 * lowest bits are its bank group, so that neighbours are in different groups. "bank^row" instead of "bank":
 * the bank is exclusive-ored with the row's low bits, which takes blocks that would be in other rows of a
 * bank to other banks (permutation-based interleaving).
 *
 * An address beyond the memory is in the bank, rank and channel that it would be in modulo the memory's size,
 * but in a row of its own: the simulated GPU's address space has holes, its memory would be mapped by pages.
 */
#ifndef CM_ADDRESS_MAPPING_H
#define CM_ADDRESS_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bits of each field. */
struct cm_dram_geometry {
   uint32_t offset_bits; /**< of the bytes that stay together */
   uint32_t channel_bits, rank_bits, bank_bits;
   uint32_t column_bits; /**< of the column above offset_bits */
   uint32_t row_bits;
};

struct cm_dram_address_mapping {
   uint8_t channel_shift, rank_shift, bank_shift, column_shift, row_shift, offset_bits;
   uint8_t row_bits, capacity_bits;
   bool bank_xor_row;
   uint32_t channel_mask, rank_mask, bank_mask, column_mask, row_mask;
};

/** Where a byte is. */
struct cm_dram_location {
   uint32_t channel, rank, bank;
   uint64_t row;
   uint32_t column; /**< byte in the row */
};

/** Reads the text. False, and the message says what is wrong, when it is no order of the fields. */
bool cm_dram_address_mapping_parse(struct cm_dram_address_mapping *mapping, const char *text,
                                   const struct cm_dram_geometry *geometry, char *message, size_t size);

static inline struct cm_dram_location
cm_dram_address_mapping_locate(const struct cm_dram_address_mapping *mapping, uint64_t address)
{
   struct cm_dram_location location;
   const uint64_t row = address >> mapping->row_shift & mapping->row_mask;
   location.channel = address >> mapping->channel_shift & mapping->channel_mask;
   location.rank = address >> mapping->rank_shift & mapping->rank_mask;
   location.bank = address >> mapping->bank_shift & mapping->bank_mask;
   if (mapping->bank_xor_row)
      location.bank ^= (uint32_t)row & mapping->bank_mask;
   location.row = row | address >> mapping->capacity_bits << mapping->row_bits;
   location.column =
      (uint32_t)((address >> mapping->column_shift & mapping->column_mask) << mapping->offset_bits) |
      ((uint32_t)address & ((1u << mapping->offset_bits) - 1));
   return location;
}

#endif
