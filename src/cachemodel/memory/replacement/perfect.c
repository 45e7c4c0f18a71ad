/* SPDX-License-Identifier: MIT */
/* Every access hits: a cache that has all blocks from the beginning and keeps them. */
#include "memory/replacement/ways.h"

static void
hit(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
}

static void
read_sequence(struct cm_cache *cache, const uint64_t *blocks, unsigned count, enum cm_stream stream)
{
   cache->accesses[stream][0] += count;
}

static bool
read_grid(struct cm_cache *cache, const struct cm_read_grid *grid, enum cm_stream stream)
{
   cache->accesses[stream][0] += grid->accesses;
   return true;
}

const struct cm_replacement cm_replacement_perfect = {
   .access = hit,
   .read_sequence = read_sequence,
   .read_grid = read_grid,
   .folds = true,
   .remove = cm_ways_remove, /* no line is ever filled */
};
