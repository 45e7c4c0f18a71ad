/* SPDX-License-Identifier: MIT */
/**
 * Caches with the re-reference interval policies that GSPC compares (its sections 1, 3 and
 * 5.1), written from the paper's text and tables to be obviously right: blocks and counters
 * are plain integers, and every rule is spelled out where it applies. Shares nothing with
 * the library but the configuration and the names of streams and events.
 */
#ifndef REFERENCE_STREAMS_H
#define REFERENCE_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/cache.h"

struct reference_block {
   bool valid, dirty, reused;
   uint64_t number;
   enum cm_stream stream; /* that brought it in or wrote it last */
   int rrpv;
   int state; /* Figure 10: 0, 1, 2, or 3 for 11; of gspztc 3 is the RT bit */
};

struct reference_bank {
   int fill_z, hit_z, fill_tex[2], hit_tex[2], prod, cons, acc;
   uint64_t totals[8];   /* of the same, in this order, without saturation and halving */
   int regions[1 << 14]; /* of SHiP-mem */
};

struct reference_streams {
   enum cm_policy policy;
   uint32_t sets, ways, num_banks;
   bool xor_index;
   int uncached;  /* a stream, or -1 */
   bool foreseen; /* the counters do not change */
   int t, render_target_distant, render_target_long;
   enum cm_gspc_samples samples;
   struct reference_block *blocks;
   struct reference_bank *banks;
   enum cm_leaders leaders;
   /* Of GS-DRRIP by stream: Z, texture, render target, other; of DRRIP the first. By bank, where each has its own. */
   int selectors[4][16];
   unsigned bimodal; /* blocks that have come in bimodally */
   uint64_t counts[CM_STREAM_COUNT][CM_CACHE_EVENT_COUNT];
   uint64_t memory_reads[CM_STREAM_COUNT], memory_writes[CM_STREAM_COUNT];
   /* What has been seen, or nothing would be tested: fills by kind of stream and RRPV, texture hits by state
    * and RRPV, in sets that are no samples. */
   uint64_t fills[4][16], texture_hits[4][16];
};

/** The configuration's policy must be one of srrip, brrip, drrip, gs-drrip, those of 4 bits, ship-mem, gspztc,
 * gspztc-tse and gspc. Where it has no banks, there is one. */
void reference_streams_init(struct reference_streams *cache, const struct cm_cache_config *config);
void reference_streams_finish(struct reference_streams *cache);

/** One access, writes being of whole blocks; true where it hits. */
bool
reference_streams_access(struct reference_streams *cache, uint64_t block, enum cm_stream stream, bool write);
void reference_streams_invalidate(struct reference_streams *cache, uint64_t first, uint64_t last);

uint32_t reference_streams_set(const struct reference_streams *cache, uint64_t block);

#endif
