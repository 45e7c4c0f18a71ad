/* SPDX-License-Identifier: MIT */
/**
 * A 2D mesh of routers with X–Y routing (DTM-NUCA IV-A): a message goes along its
 * row first, then along its column, a hop per router. Router r is at column
 * r % columns, row r / columns; node n (a Fragment Processor with its texture cache)
 * is at router n. One more router, number columns * rows, may be attached to one of them by a link
 * in each direction. Messages are counted by source and destination; hops and link
 * loads are computed on demand.
 */
#ifndef CM_MESH_H
#define CM_MESH_H

#include <stdbool.h>
#include <stdint.h>

/** Nodes that a mesh may have. */
#define CM_MESH_MAX_NODES 64

/** The direction of a link. */
enum cm_mesh_direction {
   CM_MESH_EAST,  /**< the router with the next higher number in the row */
   CM_MESH_WEST,  /**< the one before */
   CM_MESH_SOUTH, /**< the router below: columns more */
   CM_MESH_NORTH, /**< the one above */
   CM_MESH_DIRECTION_COUNT
};

extern const char *const cm_mesh_direction_names[CM_MESH_DIRECTION_COUNT];

/** What a message is; counted apart. */
enum cm_mesh_message {
   CM_MESH_REQUEST, /**< of a request, or of its answer without a block: a processor waits for it */
   CM_MESH_BLOCK,   /**< the same with a block */
   CM_MESH_NOTICE,  /**< not waited for: counts for a table, blocks that migrate */
   CM_MESH_MESSAGE_COUNT
};

struct cm_mesh {
   uint32_t columns, rows;
   uint32_t routers;     /**< columns * rows: at least one per node */
   uint32_t attached_to; /**< where router number `routers` is attached; counts if messages go there */
   /** Messages by kind, source and destination: counts[(kind * (routers + 1) + from) * (routers + 1) + to]. */
   uint64_t *counts;
   uint64_t *broadcasts; /**< packets by the router that sends them to all others */
};

/** Columns of the mesh of so many nodes, where the configuration leaves them open (0): the least
 * number that is no less than that of the rows and makes full rows; if that is more than twice the
 * square root, the square root, rounded up. 32 nodes: 8 columns, 4 rows. */
uint32_t cm_mesh_columns(uint32_t columns, uint32_t nodes);

/** Builds the mesh of so many nodes; columns 0: chosen by cm_mesh_columns. False when out of memory. */
bool cm_mesh_init(struct cm_mesh *mesh, uint32_t columns, uint32_t nodes);
void cm_mesh_finish(struct cm_mesh *mesh);

/** The router in the middle: column columns / 2, row rows / 2. */
uint32_t cm_mesh_center(const struct cm_mesh *mesh);

/** Hops from router to router; 0 to itself. */
uint32_t cm_mesh_hops(const struct cm_mesh *mesh, uint32_t from, uint32_t to);

/** Counts messages. Those to itself cross no link. */
static inline void
cm_mesh_send(struct cm_mesh *mesh, enum cm_mesh_message kind, uint32_t from, uint32_t to, uint32_t messages)
{
   mesh->counts[((uint64_t)kind * (mesh->routers + 1) + from) * (mesh->routers + 1) + to] += messages;
}

/** Counts packets that a router sends to all others, each along the tree of X–Y routes: along the row,
 * and from each router of it along the column, so that each crosses routers - 1 links. */
static inline void
cm_mesh_broadcast(struct cm_mesh *mesh, uint32_t from, uint32_t packets)
{
   mesh->broadcasts[from] += packets;
}

/** Hops of all messages of a kind, and of all packets that were broadcast. */
uint64_t cm_mesh_message_hops(const struct cm_mesh *mesh, enum cm_mesh_message kind);
uint64_t cm_mesh_broadcast_hops(const struct cm_mesh *mesh);

/** Whether there is a link from a router in a direction. */
bool cm_mesh_has_link(uint32_t columns, uint32_t rows, uint32_t router, enum cm_mesh_direction direction);

/** The router that a link of a direction leads to. */
static inline uint32_t
cm_mesh_neighbour(uint32_t columns, uint32_t router, enum cm_mesh_direction direction)
{
   switch (direction) {
   case CM_MESH_EAST: return router + 1;
   case CM_MESH_WEST: return router - 1;
   case CM_MESH_SOUTH: return router + columns;
   default: return router - columns;
   }
}

/** The number of a link from a router in a direction; those of the attached router are numbered as if
 * it stood to the west of it, its own to the east and the other's to the west. */
static inline uint32_t
cm_mesh_link(const struct cm_mesh *mesh, uint32_t router, enum cm_mesh_direction direction)
{
   return router * CM_MESH_DIRECTION_COUNT + direction;
}

/** How many numbers of links there are. */
static inline uint32_t
cm_mesh_num_links(const struct cm_mesh *mesh)
{
   return (mesh->routers + 1) * CM_MESH_DIRECTION_COUNT;
}

/** The load of each link: loads[cm_mesh_link] is the messages and packets that crossed it. */
void cm_mesh_link_loads(const struct cm_mesh *mesh, uint64_t *loads);

#endif
