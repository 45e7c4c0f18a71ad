/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "dram/address_mapping.h"

enum field { FIELD_ROW, FIELD_RANK, FIELD_BANK, FIELD_COLUMN, FIELD_CHANNEL, FIELD_COUNT };

static const char *const field_names[FIELD_COUNT] = {"row", "rank", "bank", "column", "channel"};

/* The field that a part of the text names; FIELD_COUNT: none. */
static enum field
field_of(const char *text, size_t length, bool *bank_xor_row)
{
   if (length == 8 && memcmp(text, "bank^row", 8) == 0) {
      *bank_xor_row = true;
      return FIELD_BANK;
   }
   for (int i = 0; i < FIELD_COUNT; i++) {
      if (strlen(field_names[i]) == length && memcmp(text, field_names[i], length) == 0)
         return (enum field)i;
   }
   return FIELD_COUNT;
}

/* The fields from the most significant one. */
static bool
parse_order(const char *text, enum field order[FIELD_COUNT], bool *bank_xor_row)
{
   unsigned seen = 0;
   *bank_xor_row = false;
   for (int i = 0; i < FIELD_COUNT; i++) {
      const size_t length = strcspn(text, "-");
      order[i] = field_of(text, length, bank_xor_row);
      if (order[i] == FIELD_COUNT || seen & 1u << order[i])
         return false;
      seen |= 1u << order[i];
      text += length;
      if (i < FIELD_COUNT - 1 && *text++ != '-')
         return false;
   }
   return *text == '\0';
}

bool
cm_dram_address_mapping_parse(struct cm_dram_address_mapping *mapping, const char *text,
                              const struct cm_dram_geometry *geometry, char *message, size_t size)
{
   enum field order[FIELD_COUNT];
   if (!parse_order(text, order, &mapping->bank_xor_row)) {
      snprintf(message, size,
               "'%s' is no order of the fields, expected row, rank, bank (or bank^row), column and channel, "
               "each once, with - between them",
               text);
      return false;
   }
   const uint32_t bits[FIELD_COUNT] = {
      [FIELD_ROW] = geometry->row_bits,         [FIELD_RANK] = geometry->rank_bits,
      [FIELD_BANK] = geometry->bank_bits,       [FIELD_COLUMN] = geometry->column_bits,
      [FIELD_CHANNEL] = geometry->channel_bits,
   };
   uint8_t *const shifts[FIELD_COUNT] = {
      [FIELD_ROW] = &mapping->row_shift,         [FIELD_RANK] = &mapping->rank_shift,
      [FIELD_BANK] = &mapping->bank_shift,       [FIELD_COLUMN] = &mapping->column_shift,
      [FIELD_CHANNEL] = &mapping->channel_shift,
   };
   uint32_t shift = geometry->offset_bits;
   for (int i = FIELD_COUNT - 1; i >= 0; i--) {
      *shifts[order[i]] = (uint8_t)shift;
      shift += bits[order[i]];
   }
   assert(shift < 64 && geometry->row_bits < 32);
   mapping->capacity_bits = (uint8_t)shift;
   mapping->offset_bits = (uint8_t)geometry->offset_bits;
   mapping->row_bits = (uint8_t)geometry->row_bits;
   mapping->row_mask = (1u << geometry->row_bits) - 1;
   mapping->rank_mask = (1u << geometry->rank_bits) - 1;
   mapping->bank_mask = (1u << geometry->bank_bits) - 1;
   mapping->column_mask = (1u << geometry->column_bits) - 1;
   mapping->channel_mask = (1u << geometry->channel_bits) - 1;
   return true;
}
