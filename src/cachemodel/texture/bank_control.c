/* SPDX-License-Identifier: MIT */
#include "texture/bank_control.h"

struct cm_priority
cm_priority_encoder(unsigned inputs)
{
   for (unsigned input = CM_TEXTURE_ADDRESSES; input-- > 0;) {
      if (inputs >> input & 1)
         return (struct cm_priority){.select = (uint8_t)input, .enable = true};
   }
   return (struct cm_priority){.enable = false};
}

void
cm_bank_control(const uint8_t bank[CM_TEXTURE_ADDRESSES], unsigned requests,
                struct cm_priority given[CM_TEXTURE_BANKS])
{
   for (unsigned b = 0; b < CM_TEXTURE_BANKS; b++) {
      unsigned equal = 0; /* the comparators' outputs */
      for (unsigned i = 0; i < CM_TEXTURE_ADDRESSES; i++)
         equal |= (unsigned)(requests >> i & 1 && bank[i] == b) << i;
      given[b] = cm_priority_encoder(equal);
   }
}

static unsigned
number_of_banks(const struct cm_priority given[CM_TEXTURE_BANKS])
{
   unsigned count = 0;
   for (unsigned b = 0; b < CM_TEXTURE_BANKS; b++)
      count += given[b].enable;
   return count;
}

void
cm_bank_accesses(const struct cm_texel_position *positions, unsigned count, bool banked_tags,
                 struct cm_bank_counts *counts)
{
   uint8_t bank[CM_TEXTURE_ADDRESSES] = {0}, tag_bank[CM_TEXTURE_ADDRESSES] = {0};
   for (unsigned i = 0; i < count; i++) {
      bank[i] = positions[i].bank;
      tag_bank[i] = positions[i].tag_bank;
   }
   /* The last of those that wait is given both its banks, so there are fewer each time. */
   for (unsigned waiting = (1u << count) - 1; waiting;) {
      struct cm_priority data[CM_TEXTURE_BANKS], tags[CM_TEXTURE_BANKS];
      cm_bank_control(bank, waiting, data);
      cm_bank_control(tag_bank, waiting, tags);
      unsigned has_data = 0, has_tag = 0;
      for (unsigned i = 0; i < count; i++) {
         has_data |= (unsigned)(positions[i].row == positions[data[bank[i]].select].row) << i;
         has_tag |= (unsigned)(!banked_tags || positions[i].line == positions[tags[tag_bank[i]].select].line)
                    << i;
      }
      counts->accesses++;
      counts->addresses += (uint8_t)__builtin_popcount(waiting);
      counts->by_banks[number_of_banks(data)]++;
      counts->data_conflicts += (waiting & ~has_data) != 0;
      counts->tag_conflicts += (waiting & ~has_tag) != 0;
      if (banked_tags)
         counts->tag_banks += (uint8_t)number_of_banks(tags);
      waiting &= ~(has_data & has_tag);
   }
}
