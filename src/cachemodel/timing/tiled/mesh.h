/* SPDX-License-Identifier: MIT */
/**
 * The mesh of a NUCA in time: links, which take a message per cycle each, the table, and the ports of texture caches.
 *
 * Each resource takes the first free slot from a cycle on, in any order of asking, as a cm_calendar does, to the slot: a window of
 * 64 words of 64 slots before its last one counts as taken. But a message that does not wait crosses the links of a row or column in
 * adjacent cycles: link i of a line (one direction of a row or a column, counted as messages go) at i hops after link 0. So slot c of
 * link i is bit i of the line in row c - i hops of one timetable. All links that a message crosses in a line are then bits of the same
 * byte, which are looked at and taken together; where a link is taken, the message waits for a row in which it is not. Longer lines
 * have several bytes.
 */
#ifndef CM_TILED_MESH_H
#define CM_TILED_MESH_H

#include "access/access_stream.h"
#include "config/config.h"
#include "texture/mesh.h"
#include "texture/nuca.h"
#include "timing/queues.h"

/** Rows of a block. */
#define CM_MESH_BLOCK 512
/** Rows from near_row on. */
#define CM_MESH_NEAR_ROWS ((CM_CALENDAR_WORDS - 1) * 64)

/** Links that a message crosses one after another, of one byte of a row. */
struct cm_mesh_leg {
   uint32_t lead;   /**< the row for a message that comes at a cycle to the first one is so much later */
   uint32_t cycles; /**< to cross them */
   uint32_t rows;   /**< where that byte's rows begin */
   uint32_t route_cycles; /**< of a route's first leg: to cross all its links */
   uint16_t queues;       /**< the number of the byte's first bit */
   uint8_t links;         /**< bits of it; 0: the route ends */
};

/** Rows in which a link or port is taken: who comes into the midst of such a queue waits until its end. */
struct cm_mesh_queue {
   uint64_t begin, end;
};
/** Queues that are remembered, of a link: of requests, which go now, and of replies, which go later. */
#define CM_MESH_QUEUES 2

struct cm_mesh_timing {
   const struct cm_mesh *shape; /**< NULL: there is no NUCA */
   /** By byte of a row, then by row: a ring of row_mask + 1, a power of two; what is before them counts as taken. */
   uint8_t *rows;
   uint32_t row_bytes;
   uint64_t row_mask;
   uint64_t first_row;
   /** From this row on, to the last one that is kept, no slot is before its resource's window. */
   uint64_t near_row;
   uint8_t *blocks; /**< the same by block of CM_MESH_BLOCK rows: what is taken in any of them */
   struct cm_mesh_queue (*queues)[CM_MESH_QUEUES]; /**< by the number of the bit in a row */
   struct cm_calendar table; /**< table_ports slots per cycle, where it shares a processor's router */
   /** Routes, by source and destination, each of route_legs. */
   struct cm_mesh_leg *routes;
   uint32_t route_legs;
   struct cm_mesh_leg *links;                   /**< each as a leg, by cm_mesh_link */
   struct cm_mesh_leg ports[CM_MESH_MAX_NODES]; /**< of texture caches, by processor */
   uint32_t hop_cycles;
   uint32_t table_router, l2_router;
   uint32_t table_ports;    /**< 0: the table is at the end of a link of its own, and has its turns there */
   uint32_t look_up_cycles; /**< from a port's turn until it is known whether the cache has the block */
   bool has_table;          /**< which is asked for other processors' blocks */
   bool is_notified;        /**< it counts what it is not asked for */
   bool knows_home; /**< the address says which cache has a block: the own one need not be looked up */
   bool l2_is_in_mesh;
   bool copies[2]; /**< cm_nuca_copies, of hits and misses */
   uint64_t waits; /**< cycles that messages waited for a link or the table */
};

/** Where a leg's byte of a row is. */
static inline __attribute__((always_inline)) size_t
cm_mesh_row(const struct cm_mesh_timing *mesh, const struct cm_mesh_leg *leg, uint64_t row)
{
   return leg->rows + (row & mesh->row_mask);
}

/** config must be valid; what it takes from the pool is there unless that is out of memory. */
void cm_mesh_timing_init(struct cm_mesh_timing *mesh, const struct cm_config *config,
                         const struct cm_nuca *nuca, struct cm_pool *pool);

/** Routes a message through the mesh, from a cycle on. Returns when it is there. */
uint64_t cm_mesh_timing_send(struct cm_mesh_timing *mesh, uint32_t from, uint32_t to, uint64_t cycle);

/** Messages that no request waits for, a CM_ENTRY_MESSAGE, a cycle apart. */
void cm_mesh_timing_send_messages(struct cm_mesh_timing *mesh, cm_entry token, uint64_t cycle);

/** cm_mesh_timing_take_port where the port is taken, or the row is not kept. */
uint64_t cm_mesh_timing_await_port(struct cm_mesh_timing *mesh, uint32_t processor, uint64_t cycle);

/** Reserves a turn of a processor's texture cache, the first one from a cycle on. Returns it. */
static inline uint64_t
cm_mesh_timing_take_port(struct cm_mesh_timing *mesh, uint32_t processor, uint64_t cycle)
{
   const struct cm_mesh_leg *port = &mesh->ports[processor];
   const size_t row = cm_mesh_row(mesh, port, cycle);
   if (__builtin_expect(cycle - mesh->near_row >= CM_MESH_NEAR_ROWS || mesh->rows[row] & port->links, false))
      return cm_mesh_timing_await_port(mesh, processor, cycle);
   mesh->rows[row] |= port->links;
   mesh->blocks[row / CM_MESH_BLOCK] |= port->links;
   return cycle;
}

/** A processor asks the table. Returns when that has its turn. */
uint64_t cm_mesh_timing_ask_table(struct cm_mesh_timing *mesh, uint32_t processor, uint64_t cycle);

#endif
