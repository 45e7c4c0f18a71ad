/* SPDX-License-Identifier: MIT */
/* Every access hits: a cache that has all blocks from the beginning and keeps them. */
#include "memory/cache_internal.h"

static void
hit(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   (void)cache;
   (void)block;
   (void)stream;
   (void)access;
}

static void
read_sequence(struct cm_cache *cache, const uint64_t *blocks, unsigned count, enum cm_stream stream)
{
   (void)blocks;
   cache->accesses[stream][0] += count;
}

static bool
read_grid(struct cm_cache *cache, const struct cm_read_grid *grid, enum cm_stream stream)
{
   cache->accesses[stream][0] += grid->accesses;
   return true;
}

/* No line is ever filled. */
static void
remove_line(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned way)
{
   (void)cache;
   (void)set;
   (void)lines;
   (void)way;
}

const struct cm_replacement cm_replacement_perfect = {
   .access = hit,
   .read_sequence = read_sequence,
   .read_grid = read_grid,
   .remove = remove_line,
};
