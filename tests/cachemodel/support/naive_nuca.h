/* SPDX-License-Identifier: MIT */
/**
 * Texture caches as a NUCA, written to be obviously right, not fast: sets are lists
 * in the order of use, everything is searched. It shares nothing with the library's
 * but the configuration and the names of events.
 */
#ifndef NAIVE_NUCA_H
#define NAIVE_NUCA_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "texture/nuca.h"

#define NAIVE_PROCESSORS 64
#define NAIVE_SETS 16
#define NAIVE_WAYS 4
#define NAIVE_BUCKETS 40
#define NAIVE_PACKETS (NAIVE_PROCESSORS * NAIVE_BUCKETS)
#define NAIVE_FORMER 512

/** A bucket in a table. */
struct naive_bucket {
   int owner; /**< -1: none */
   int counters[NAIVE_PROCESSORS];
   /** Of the synchronisation under way: the best that was heard of; -1: nothing. */
   int best_owner, best_counter;
};

/** A packet to one node. */
struct naive_packet {
   int from, to, bucket, counter;
   uint64_t arrival; /**< the cycle, counted from the epoch's end */
};

struct naive_nuca {
   const struct cm_config *config;
   int processors, sets, ways, columns;
   /** The blocks of a set, the one used last first. */
   uint64_t blocks[NAIVE_PROCESSORS][NAIVE_SETS][NAIVE_WAYS];
   int used[NAIVE_PROCESSORS][NAIVE_SETS];
   struct naive_bucket tables[NAIVE_PROCESSORS][NAIVE_BUCKETS]; /**< dtm-nuca: the first one */
   struct naive_packet *packets; /**< arrived ones have the arrival UINT64_MAX */
   int num_packets, num_arrived;
   uint64_t cycle;    /**< the next one that packets arrive in */
   uint64_t accesses; /**< of the epoch */
   /** d-nuca: who asked for each block last, and where the blocks were that left. */
   struct {
      uint64_t block;
      int processor;
   } last[1024], former[NAIVE_FORMER];
   int num_last;
   uint64_t counts[CM_NUCA_EVENT_COUNT];
   uint64_t degrees[NAIVE_PROCESSORS + 1];
};

struct naive_nuca *naive_nuca_new(const struct cm_config *config);
void naive_nuca_free(struct naive_nuca *naive);

/** A processor reads a footprint's blocks. */
void naive_nuca_read(struct naive_nuca *naive, int processor, const uint64_t *blocks, int count);

/** Blocks first … last go from all caches. */
void naive_nuca_invalidate(struct naive_nuca *naive, uint64_t first, uint64_t last);

/** Whether a cache has a block. */
bool naive_nuca_has(const struct naive_nuca *naive, int cache, uint64_t block);

#endif
