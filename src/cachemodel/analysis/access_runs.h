/* SPDX-License-Identifier: MIT */
/**
 * A stream of accesses in memory, to be read many times: runs of accesses to one
 * block, one after another, of one stream and one kind. The effect of a run on a cache is that of its
 * first access; the others are hits.
 */
#ifndef CM_ACCESS_RUNS_H
#define CM_ACCESS_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "access/arrivals.h"
#include "memory/next_use.h"

/** Block number << 8 | stream << 1 | whether it is written. */
typedef uint64_t cm_run;

static inline cm_run
cm_run_make(uint64_t block, enum cm_stream stream, bool write)
{
   return block << 8 | (uint64_t)stream << 1 | write;
}

static inline uint64_t
cm_run_block(cm_run run)
{
   return run >> 8;
}

static inline enum cm_stream
cm_run_stream(cm_run run)
{
   return (enum cm_stream)(run >> 1 & 0x7f);
}

static inline bool
cm_run_is_write(cm_run run)
{
   return run & 1;
}

/** The blocks first … last are invalidated in all caches before a run; dirty ones are written back. */
struct cm_run_invalidation {
   uint32_t before; /**< the run's number within its part; at the end: how many there are */
   uint64_t first, last;
};

/** A part of a stream. */
struct cm_access_runs {
   cm_run *runs;
   uint32_t *counts; /**< by run: its accesses, at least one */
   /** By run: the position of the next run of the same block, CM_NEVER_USED where there is none before
    * the block is invalidated (memory/next_use.h). Positions ascend from run to run and from part to part;
    * they may restart where caches begin empty. NULL where no consumer needs them. */
   const uint32_t *next;
   uint32_t num_runs;
   struct cm_run_invalidation *invalidations; /**< in order */
   uint32_t num_invalidations;
   /** After this part all caches are reset: empty, without write-backs. */
   bool resets;
   bool ends_frame;  /**< a frame ends after this part */
   bool ends_stream; /**< no part comes after this one, which may be empty */
};

/** Where the runs before an invalidation end; after the last invalidation, where all end. */
static inline uint32_t
cm_access_runs_piece(const struct cm_access_runs *part, uint32_t invalidation)
{
   return invalidation < part->num_invalidations ? part->invalidations[invalidation].before : part->num_runs;
}

/** Frees a part's arrays but next. */
void cm_access_runs_free(struct cm_access_runs *part);

/** Adds a part's runs to next uses, which then are those of all parts that were added. uncached: 1 + the stream that bypasses
 * the cache, an access of which invalidates its block; 0: none. Each run takes a position. */
void
cm_access_runs_add_next_uses(const struct cm_access_runs *part, struct cm_next_use *uses, uint32_t uncached);

/** Which runs are made from the access stream, and where they are divided. */
struct cm_run_options {
   enum cm_unit unit;
   unsigned unit_block_shift; /**< binary logarithm of the bytes of the unit's blocks */
   unsigned block_shift;      /**< of the runs' blocks, at least that */
   uint32_t streams;          /**< bit s: accesses of stream s are included */
   bool
      resets; /**< parts are render passes, after which caches are reset; else of limited length. Frames end parts. */
   /** Takes a part and owns it from then on (cm_access_runs_free). */
   void (*take)(void *context, struct cm_access_runs *part);
   void *context;
};

struct cm_run_reader;

/** NULL when out of memory. */
struct cm_run_reader *cm_run_reader_create(const struct cm_run_options *options);
void cm_run_reader_destroy(struct cm_run_reader *reader);

/** The reader of the access stream for it, which must not outlive it. */
struct cm_access_reader cm_run_reader_reader(struct cm_run_reader *reader);

/** Ends the last part, and marks it as that. */
void cm_run_reader_end(struct cm_run_reader *reader);

/** False once out of memory: accesses are missing. */
bool cm_run_reader_complete(const struct cm_run_reader *reader);

/** What was counted of one cache. */
struct cm_sweep_counts {
   /** Misses of reads and of writes, bypasses not among them. */
   uint64_t misses[2];
   uint64_t bypasses;
   uint64_t writebacks; /**< bypassed writes included; blocks that are dirty at the end stay in the cache */
};

#endif
