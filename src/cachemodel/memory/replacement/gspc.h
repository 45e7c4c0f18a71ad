/* SPDX-License-Identifier: MIT */
/**
 * Graphics stream-aware probabilistic caching (Gaur et al., "Efficient Management of
 * Last-level Caches in Graphics Processors for 3D Scene Rendering Workloads", MICRO 2013,
 * section 3): re-reference interval prediction of 2 bits, in which the
 * predictions at insertion and on a hit depend on how likely its stream is to reuse it.
 *
 * Sixteen sets in every 1,024 are samples, which follow srrip and learn those
 * probabilities in counters of their bank; the other sets follow the counters. Tables 3, 4
 * and 5 are the three policies' actions (gspc_access.h). State: two bits more than the
 * predictions, those of Figure 10.
 */
#ifndef CM_REPLACEMENT_GSPC_H
#define CM_REPLACEMENT_GSPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/replacement/graphics_streams.h"

enum { GSPC_NEAR = 0, GSPC_LONG = 2, GSPC_DISTANT = 3 };

/** Figure 10. Without epochs, 11 is the RT bit and 00 its absence. */
enum gspc_state {
   GSPC_EPOCH_0 =
      0, /**< 00: no texture access has hit it since its insertion, or since it was a render target */
   GSPC_EPOCH_1 = 1,       /**< 01: one has */
   GSPC_EPOCH_2 = 2,       /**< 10: more have */
   GSPC_RENDER_TARGET = 3, /**< 11 */
};

#define GSPC_COUNTER_MAX 255
#define GSPC_ACCESSES_MAX 127

/** Counters of a bank's samples. Each has 8 bits and saturates, except accesses. */
struct gspc_bank {
   uint8_t z_fills;         /**< FILL(Z) */
   uint8_t z_hits;          /**< HIT(Z) */
   uint8_t texture_fill[2]; /**< FILL(0, TEX), FILL(1, TEX); without epochs, FILL(TEX) is the first */
   uint8_t texture_hit[2];  /**< HIT(0, TEX), HIT(1, TEX); without epochs, HIT(TEX) is the first */
   uint8_t produced;        /**< PROD */
   uint8_t consumed;        /**< CONS */
   uint8_t accesses;        /**< ACC(ALL), of 7 bits */
};

/** The counters that actions follow from: all but the last one. */
#define GSPC_DECISIVE_BYTES offsetof(struct gspc_bank, accesses)

/** Banks of a cache (memory/config_check.c). */
#define GSPC_MAX_BANKS 16

/** The thresholds, of which each is a power of two: their logarithms. */
struct gspc_thresholds {
   uint8_t reuse;                 /**< t */
   uint8_t render_target_distant; /**< 16 in the paper */
   uint8_t render_target_long;    /**< 8 in the paper */
};

/** New state of a block. */
struct gspc_action {
   uint8_t prediction, state;
};

/** The actions that follow from a bank's counters, for accesses to sets that are not samples. Cached, because only
 * accesses to samples change the counters, and few of those the actions. */
struct gspc_actions {
   uint8_t counters[GSPC_DECISIVE_BYTES];
   struct gspc_action fill[GRAPHICS_STREAM_COUNT];
   struct gspc_action hit[GRAPHICS_STREAM_COUNT][4]; /**< by the block's state */
};

/** Events of a bank's samples, by the number of their counter in struct gspc_bank, without saturation and halving. */
struct gspc_totals {
   uint64_t counts[GSPC_DECISIVE_BYTES];
};

/** State of all sets. */
struct gspc_shared {
   struct gspc_thresholds thresholds;
   bool spread;   /**< samples: enum cm_gspc_samples */
   bool foreseen; /**< the counters are those of the future, and stay (gspc_foresee) */
   struct gspc_totals totals[GSPC_MAX_BANKS];
   struct gspc_actions banks[GSPC_MAX_BANKS];
};

/** Whether a set is a sample: index bits 9 to 6 equal bits 3 to 0, and bits 5 and 4 are clear, or equal bits 7 and 6. Of
 * every 1,024 sets these are 0, 65, 130 … 975, or 0, 81, 162, 243, 260 … 1023, one for each value of the lowest four
 * bits, so that each bank of up to sixteen has equally many; of 512, 256, 128 or 64 sets, one in 64. */
static inline bool
gspc_is_sample(uint64_t set, bool spread)
{
   return ((set >> 6 ^ set) & 0xf) == 0 && ((set ^ (spread ? set >> 2 : 0)) & 0x30) == 0;
}

struct cm_cache;

/** Events since the beginning, or since this was called the last time. The cache's policy is one of GSPC's. */
void gspc_take_totals(struct cm_cache *cache, struct gspc_totals totals[GSPC_MAX_BANKS]);

/** An oracle: from now on the cache does not learn, but acts on these totals, of a run over the accesses that will come.
 * The counters get the ratio of each fill to its hits, PROD to CONS, in 8 bits. */
void gspc_foresee(struct cm_cache *cache, const struct gspc_totals totals[GSPC_MAX_BANKS]);

/** An oracle: the cache does not learn, and predicts in the next access, to this block, whether it will be used again. */
void gspc_foresee_block(struct cm_cache *cache, uint64_t block, bool again);

#endif
