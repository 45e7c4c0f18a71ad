/* SPDX-License-Identifier: MIT */
/** The predictions that RRIP inserts a block with (memory/replacement/rrip.h). */
#ifndef CM_REPLACEMENT_PREDICTION_H
#define CM_REPLACEMENT_PREDICTION_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct rrip {
   uint8_t distant;             /**< the largest prediction */
   uint16_t bimodal_insertions; /**< since the last long one */
};

/** The last of so many bimodal insertions is long (Jaleel et al., ISCA 2010). */
#define RRIP_BIMODAL_PERIOD 32

/** Least sets of a group (memory/replacement/set_dueling.h) of drrip. */
#define DRRIP_MIN_GROUP_SETS 4

static inline uint8_t
rrip_insert_long(const struct rrip *rrip)
{
   return (uint8_t)(rrip->distant - 1);
}

/** Deterministic where the paper has a probability. */
static inline uint8_t
rrip_insert_bimodal(struct rrip *rrip)
{
   assert(rrip->distant && rrip->bimodal_insertions < RRIP_BIMODAL_PERIOD);
   const bool is_long = ++rrip->bimodal_insertions == RRIP_BIMODAL_PERIOD;
   if (is_long)
      rrip->bimodal_insertions = 0;
   return (uint8_t)(rrip->distant - is_long);
}

#endif
