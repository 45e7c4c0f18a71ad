/* SPDX-License-Identifier: MIT */
/**
 * The Fragment Processors' texture and load/store units. A quad's groups of reads (timing/log.h) are looked up in order, quad after
 * quad; a miss waits for an MSHR of its cache, and the next one does not overtake it. The units' misses are
 * issued in the order of time.
 */
#ifndef CM_TILED_TEXTURE_H
#define CM_TILED_TEXTURE_H

#include "timing/log.h"
#include "timing/tiled/memory.h"

/** The reads of a quad that are not all done. */
struct cm_texture_quad {
   struct cm_dependency *wait; /**< reads are added to it */
   bool *pending;              /**< becomes false when all is done */
   const cm_entry *next, *end; /**< groups, or requests, not yet looked up */
   uint64_t at;                /**< earliest cycle of the next group */
   uint32_t piece;             /**< cycles from a group to the next */
   /* Of the last lookup. */
   const cm_entry *miss, *misses_end; /**< its misses that are not yet issued */
   uint64_t cycle;                    /**< the earliest for the next miss */
   struct cm_mshrs *mshrs;
   uint32_t back;    /**< cycles that the data takes back */
   uint32_t from_l2; /**< of a NUCA's miss, where the L2 is in the mesh: from there to the serving cache */
   uint64_t fill;    /**< address of the block that headers and bodies which are read make */
   bool is_store, is_storage;
   bool copies; /**< of a NUCA's request: the requester keeps a copy of what another cache serves */
};

/** A processor's unit: a ring of its pending quads, and the cache that it reads. */
struct cm_texture_unit {
   struct cm_texture_quad *quads;
   uint32_t first, count;
   struct cm_mshrs *mshrs; /**< memory->texture and memory->texture_port of the instance */
   uint64_t *port;
};

#define CM_TEXTURE_UNIT_BITS 8
#define CM_TEXTURE_MAX_UNITS 64

struct cm_texture_timing {
   struct cm_tiled_memory *memory;
   struct cm_texture_unit *units; /**< by processor */
   uint32_t num_units, num_leaves, size;
   uint32_t latency; /**< of a texture cache */
   uint32_t busy;    /**< units that have quads */
   /* Units by clock. Keys have a clock and below it the unit's number, so that of two with the same clock the first one is
    * less; CM_UNKNOWN: the unit has no work. Key num_leaves + u is unit u's; any before them, from 1 on, is the lesser one
    * of 2 n and 2 n + 1. */
   uint64_t keys[2 * CM_TEXTURE_MAX_UNITS];
   uint64_t least; /**< of all */
};

/** num_units units of `size` quads at once, which the pool has room for. */
void cm_texture_timing_init(struct cm_texture_timing *texture, struct cm_tiled_memory *memory,
                            uint32_t num_units, uint32_t size, struct cm_pool *pool);

static inline bool
cm_is_storage_group(cm_entry token)
{
   return cm_entry_kind(token) == CM_ENTRY_GROUP && cm_entry_stream(token) == CM_STREAM_STORAGE;
}

/** Whether a group, of textures or storage, causes no accesses. */
static inline bool
cm_group_hits(const cm_entry *token, const cm_entry *end)
{
   const cm_entry *next = token + 1 + cm_group_count(*token);
   return next >= end || cm_entry_kind(*next) >= CM_ENTRY_GROUP;
}

/** Looks up the blocks of a group of textures, one per cycle, in a processor's own cache; a hit's block may still be outstanding.
 * Returns when all are looked up. */
static inline __attribute__((always_inline)) uint64_t
cm_texture_look_up(struct cm_texture_timing *texture, const struct cm_texture_unit *unit,
                   const cm_entry **token, uint64_t cycle, struct cm_dependency *wait)
{
   struct cm_mshrs *mshrs = unit->mshrs;
   const cm_entry group = **token;
   const uint32_t count = cm_group_count(group);
   const uint64_t done = cm_later(*unit->port, cycle) + count, found = done + texture->latency;
   const cm_entry *block = *token + 1, *end = block + count;
   wait->resource = cm_group_resource(group);
   cm_dependency_until(wait, found);
   *unit->port = done;
   *token = end;
   for (; block < end; block++) {
      if (cm_mshrs_may_have(mshrs, cm_entry_address(*block)))
         cm_mshrs_add_pending(&texture->memory->base, mshrs, cm_entry_address(*block), done, wait);
   }
   return found;
}

/** cm_texture_timing_quad where something misses, accesses storage, or has to wait for its turn. */
void cm_texture_timing_put(struct cm_texture_timing *texture, uint32_t processor, const cm_entry *token,
                           const cm_entry *end, uint64_t cycle, uint32_t piece, struct cm_dependency *wait,
                           bool *pending);

/** Starts a quad's accesses: groups from token to end, the first at `cycle`, each other `piece` cycles after the one
 * before. Reads are added to wait, which must not move; *pending: more of them will be added. */
static inline __attribute__((always_inline)) void
cm_texture_timing_quad(struct cm_texture_timing *texture, uint32_t processor, const cm_entry *token,
                       const cm_entry *end, uint64_t cycle, uint32_t piece, struct cm_dependency *wait,
                       bool *pending)
{
   const struct cm_texture_unit *unit = &texture->units[processor];
   /* Hits need not wait for their turn. */
   if (!unit->count && !texture->memory->mesh.shape) {
      for (; token < end && !cm_is_storage_group(*token) && cm_group_hits(token, end); cycle += piece)
         cm_texture_look_up(texture, unit, &token, cycle, wait);
   }
   *pending = token < end;
   if (*pending)
      cm_texture_timing_put(texture, processor, token, end, cycle, piece, wait, pending);
}

/** Whether a unit has work; *clock: at which cycle. */
bool cm_texture_timing_ready(struct cm_texture_timing *texture, uint64_t *clock);
/** Does it: at most so many steps, those after the first one up to a cycle. */
void cm_texture_timing_run(struct cm_texture_timing *texture, uint32_t most, uint64_t until);

#endif
