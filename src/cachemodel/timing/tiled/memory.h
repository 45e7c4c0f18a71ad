/* SPDX-License-Identifier: MIT */
/**
 * Timing of the memory hierarchy of the tile-based pipeline: first caches with MSHRs, the banks of the L2, the mesh
 * of a NUCA, DRAM.
 */
#ifndef CM_TILED_MEMORY_H
#define CM_TILED_MEMORY_H

#include "timing/memory.h"
#include "timing/tiled/mesh.h"

/** Blocks of tiles' flushes that wait for the memory controller, the L2 or a unit before it to take them. */
struct cm_write_buffer {
   struct cm_arrival *blocks; /**< when one is taken: when DRAM has its ticket in a queue, or at its time */
   uint32_t size, next;       /**< entries are used in turn: next has the oldest block */
};

struct cm_tiled_memory {
   struct cm_memory base;
   const struct cm_config *config;
   uint64_t least_latency; /**< cycles of the fastest read from memory */
   struct cm_mshrs vertex, list, attribute, instruction;
   struct cm_mshrs loads; /**< of tiles */
   struct cm_write_buffer write_buffer;
   struct cm_mshrs *texture; /**< by cache instance */
   uint64_t *texture_port;   /**< by instance: when it is free; without NUCA */
   uint32_t num_texture;
   struct cm_mshrs *load_store; /**< of load/store units, by processor */
   struct cm_mshrs l2;          /**< by block number */
   struct cm_banks l2_banks;
   struct cm_bus texture_bus; /**< between the texture caches and the L2; all 0 where there is none */
   uint32_t l2_shift, l2_latency;
   struct cm_unit_ports units; /**< before the L2 */
   struct cm_mesh_timing mesh;
};

/** config must be valid. config, nuca (NULL: none) and the pool must outlive memory. False when out of memory. */
bool cm_tiled_memory_init(struct cm_tiled_memory *memory, const struct cm_config *config,
                          const struct cm_nuca *nuca, struct cm_pool *pool);

/** Issues the misses of a group of accesses: tokens [token, end) of L2 and memory, from a cycle on, by a cache with
 * these MSHRs. Reads are added to wait. */
void cm_tiled_memory_misses(struct cm_tiled_memory *memory, const cm_entry *token, const cm_entry *end,
                            uint64_t cycle, struct cm_mshrs *mshrs, struct cm_dependency *wait);

/** Fetches a shader's instructions and constants, a group, from a cycle on. Returns when all are looked up. */
uint64_t cm_tiled_memory_fetch_shader(struct cm_tiled_memory *memory, const cm_entry *token,
                                      const cm_entry *end, uint64_t cycle, struct cm_dependency *wait);

/** The end of the access that begins at token: what it causes follows it. */
const cm_entry *
cm_tiled_memory_access_end(const struct cm_tiled_memory *memory, const cm_entry *token, const cm_entry *end);

/** Issues a read of the L2, of a unit before it or of memory, and the accesses it causes; *token advances past them. */
struct cm_arrival cm_tiled_memory_read(struct cm_tiled_memory *memory, const cm_entry **token,
                                       const cm_entry *end, uint64_t cycle);

/** cm_tiled_memory_miss for a block at that address of the cache with these MSHRs. */
static inline __attribute__((always_inline)) void
cm_tiled_memory_miss_of(struct cm_tiled_memory *memory, const cm_entry **token, const cm_entry *end,
                        uint64_t cycle, struct cm_mshrs *mshrs, uint64_t block, struct cm_bus *bus,
                        uint32_t way, uint32_t after, struct cm_dependency *wait)
{
   struct cm_mshr *mshr = cm_mshrs_alloc(&memory->base, mshrs, &cycle);
   cm_mshrs_set_block(mshrs, mshr, block);
   mshr->fill = cm_tiled_memory_read(memory, token, end, cycle);
   if (bus)
      cm_bus_carry(bus, &mshr->fill);
   mshr->fill.time += way;
   mshr->fill.after += way;
   cm_dependency_add(&memory->base, wait, &mshr->fill, after);
}

/** Issues one read miss and the accesses it causes; *token advances past them. bus: what the block comes over; NULL:
 * nothing that takes time. way: cycles that it takes besides, through the mesh. The MSHR waits for both. */
static inline __attribute__((always_inline)) void
cm_tiled_memory_miss(struct cm_tiled_memory *memory, const cm_entry **token, const cm_entry *end,
                     uint64_t cycle, struct cm_mshrs *mshrs, struct cm_bus *bus, uint32_t way, uint32_t after,
                     struct cm_dependency *wait)
{
   cm_tiled_memory_miss_of(memory, token, end, cycle, mshrs, cm_entry_address(**token), bus, way, after,
                           wait);
}

/** Issues one other token, a write or a read without a waiting consumer, and the accesses it causes. Returns when the L2
 * begins with it, or its unit; of memory `cycle`. */
uint64_t cm_tiled_memory_write(struct cm_tiled_memory *memory, const cm_entry **token, const cm_entry *end,
                               uint64_t cycle);
/** Issues such tokens, [token, end). */
void cm_tiled_memory_writes(struct cm_tiled_memory *memory, const cm_entry *token, const cm_entry *end,
                            uint64_t cycle);

/** What a vertex or an invocation accesses, tokens [token, end), whose shader begins at a cycle: one access after another. Returns
 * when all data has arrived; stores are not waited for. */
uint64_t cm_tiled_memory_vertex_accesses(struct cm_tiled_memory *memory, const cm_entry *token,
                                         const cm_entry *end, uint64_t cycle);

/** Adds up what the texture caches and load/store units waited, in memory->base. */
void cm_tiled_memory_add_up(struct cm_tiled_memory *memory);

/** A block of a tile's load or flush, tokens [token, end) of one access: the stage waits for room in the
 * write buffer, or of a read for an MSHR, and works `cycles` on it. Reads are added to wait. */
void cm_tiled_memory_transfer(struct cm_tiled_memory *memory, const cm_entry *token, const cm_entry *end,
                              uint32_t cycles, struct cm_stage *stage, struct cm_dependency *wait);

#endif
