/* SPDX-License-Identifier: MIT */
#include "timing/tiled/mesh.h"

#include <assert.h>
#include <endian.h>

#include "util/minmax.h"

/* ---- building ------------------------------------------------------------ */

#define BITS 8 /* of a byte */

/* The links of a mesh as lines: a line of each direction for each row or column. */
struct line {
   uint32_t number; /* of its direction */
   uint32_t place;  /* of the link, in the order in which messages cross them */
};

static struct line
line_of(const struct cm_mesh *mesh, uint32_t router, enum cm_mesh_direction direction)
{
   const uint32_t row = router / mesh->columns, column = router % mesh->columns;
   switch (direction) {
   case CM_MESH_EAST: return (struct line){row, column};
   case CM_MESH_WEST: return (struct line){row, mesh->columns - 1 - column};
   case CM_MESH_SOUTH: return (struct line){column, row};
   default: return (struct line){column, mesh->rows - 1 - row};
   }
}

/* Bytes of a line. */
static uint32_t
line_bytes(const struct cm_mesh *mesh, enum cm_mesh_direction direction)
{
   const bool is_row = direction == CM_MESH_EAST || direction == CM_MESH_WEST;
   return ((is_row ? mesh->columns : mesh->rows) + BITS - 1) / BITS;
}

/* Bytes of a row before the lines of a direction; of CM_MESH_DIRECTION_COUNT: of all lines. */
static uint32_t
bytes_before(const struct cm_mesh *mesh, unsigned direction)
{
   uint32_t bytes = 0;
   for (unsigned d = 0; d < direction; d++) {
      const bool is_row = d == CM_MESH_EAST || d == CM_MESH_WEST;
      bytes += (is_row ? mesh->rows : mesh->columns) * line_bytes(mesh, (enum cm_mesh_direction)d);
   }
   return bytes;
}

/* Leads are such that no row is before the cycle. */
static uint32_t
most_lead(const struct cm_mesh_timing *timing)
{
   const struct cm_mesh *mesh = timing->shape;
   return (mesh->columns > mesh->rows ? mesh->columns : mesh->rows) * timing->hop_cycles;
}

/* Bits of the byte after the lines, of a table that is attached to the mesh: its links, and its turns. It has one as soon as a
 * request has crossed the link to it, as if that were one more link. */
enum { FROM_TABLE = 1, TO_TABLE = 2, TABLE = 4 };

static struct cm_mesh_leg
make_leg(const struct cm_mesh_timing *timing, uint32_t byte, unsigned links, uint32_t lead, uint32_t cycles)
{
   assert(links && links < 1u << BITS);
   return (struct cm_mesh_leg){
      .lead = lead,
      .cycles = cycles,
      .rows = byte * ((uint32_t)timing->row_mask + 1),
      .queues = (uint16_t)(byte * BITS),
      .links = (uint8_t)links,
   };
}

/* A leg of one link. */
static struct cm_mesh_leg
link_leg(const struct cm_mesh_timing *timing, uint32_t router, enum cm_mesh_direction direction)
{
   const struct cm_mesh *mesh = timing->shape;
   if (router == mesh->routers)
      return make_leg(timing, bytes_before(mesh, CM_MESH_DIRECTION_COUNT),
                      direction == CM_MESH_WEST ? TO_TABLE | TABLE : FROM_TABLE, most_lead(timing),
                      timing->hop_cycles);
   const struct line line = line_of(mesh, router, direction);
   const uint32_t bytes = line_bytes(mesh, direction);
   return make_leg(timing, bytes_before(mesh, direction) + line.number * bytes + line.place / BITS,
                   1u << line.place % BITS, most_lead(timing) - line.place * timing->hop_cycles,
                   timing->hop_cycles);
}

static void
init_links(struct cm_mesh_timing *timing, struct cm_pool *pool)
{
   const struct cm_mesh *mesh = timing->shape;
   timing->links = cm_pool_take(pool, cm_mesh_num_links(mesh), sizeof *timing->links);
   for (uint32_t link = 0; timing->links && link < cm_mesh_num_links(mesh); link++)
      timing->links[link] = link_leg(timing, link / CM_MESH_DIRECTION_COUNT,
                                     (enum cm_mesh_direction)(link % CM_MESH_DIRECTION_COUNT));
}

/* The number of the next link of a message at a router; *router becomes the router after the link. Messages go along
 * the row and then along the column. A router attached to one of the mesh has links of its own in both directions. */
static uint32_t
next_link(const struct cm_mesh *mesh, uint32_t *router, uint32_t to)
{
   const uint32_t from = *router, last = to == mesh->routers ? mesh->attached_to : to;
   const uint32_t column = from % mesh->columns, last_column = last % mesh->columns;
   enum cm_mesh_direction direction = from < last ? CM_MESH_SOUTH : CM_MESH_NORTH;
   if (from == mesh->routers) {
      *router = mesh->attached_to;
      return cm_mesh_link(mesh, from, CM_MESH_EAST);
   }
   if (from == last) {
      *router = to;
      return cm_mesh_link(mesh, to, CM_MESH_WEST);
   }
   if (column != last_column)
      direction = column < last_column ? CM_MESH_EAST : CM_MESH_WEST;
   *router = cm_mesh_neighbour(mesh->columns, from, direction);
   return cm_mesh_link(mesh, from, direction);
}

/* Links in the same byte become one leg. */
static void
init_route(const struct cm_mesh_timing *timing, uint32_t from, uint32_t to, struct cm_mesh_leg *route)
{
   struct cm_mesh_leg *last = NULL;
   while (from != to) {
      const struct cm_mesh_leg link = timing->links[next_link(timing->shape, &from, to)];
      if (last && last->rows == link.rows) {
         assert(link.links == (uint8_t)(last->links + (last->links & -last->links)));
         last->links |= link.links;
         last->cycles += link.cycles;
      } else {
         last = last ? last + 1 : route;
         *last = link;
      }
      assert(last < route + timing->route_legs - 1);
   }
   for (const struct cm_mesh_leg *leg = route; leg->links; leg++)
      route->route_cycles += leg->cycles;
}

static void
init_routes(struct cm_mesh_timing *timing, struct cm_pool *pool)
{
   const uint32_t ends = timing->shape->routers + 1;
   /* Both lines, both links of an attached router, and the end. */
   timing->route_legs =
      line_bytes(timing->shape, CM_MESH_EAST) + line_bytes(timing->shape, CM_MESH_SOUTH) + 2 + 1;
   timing->routes = cm_pool_take(pool, (size_t)ends * ends * timing->route_legs, sizeof *timing->routes);
   for (uint32_t r = 0; timing->links && timing->routes && r < ends * ends; r++)
      init_route(timing, r / ends, r % ends, timing->routes + (size_t)r * timing->route_legs);
}

/* Rows that are kept at least, besides those between the first and the last links of a line. */
#define ROWS 16384

/* The timetable: lines, the links of an attached router, ports. */
static void
init_rows(struct cm_mesh_timing *mesh, uint32_t processors, struct cm_pool *pool)
{
   const uint32_t first_port = bytes_before(mesh->shape, CM_MESH_DIRECTION_COUNT) + 1;
   assert(processors <= CM_MESH_MAX_NODES);
   uint32_t num_rows = ROWS;
   while (num_rows < ROWS + most_lead(mesh))
      num_rows *= 2;
   mesh->row_mask = num_rows - 1;
   mesh->near_row = num_rows - CM_MESH_NEAR_ROWS;
   for (uint32_t p = 0; p < processors; p++)
      mesh->ports[p] = make_leg(mesh, first_port + p / BITS, 1u << p % BITS, 0, 0);
   mesh->row_bytes = first_port + (processors + BITS - 1) / BITS;
   mesh->rows = cm_pool_take(pool, num_rows, mesh->row_bytes);
   mesh->blocks = cm_pool_take(pool, num_rows / CM_MESH_BLOCK, mesh->row_bytes);
   mesh->queues = cm_pool_take(pool, (size_t)mesh->row_bytes * BITS, sizeof *mesh->queues);
}

void
cm_mesh_timing_init(struct cm_mesh_timing *mesh, const struct cm_config *config, const struct cm_nuca *nuca,
                    struct cm_pool *pool)
{
   const struct cm_nuca_config *keys = &config->nuca;
   const uint32_t ports = keys->mesh.table_ports ? keys->mesh.table_ports : 1;
   *mesh = (struct cm_mesh_timing){
      .shape = cm_nuca_mesh(nuca),
      .hop_cycles = keys->mesh.hop_cycles,
      .table_router = cm_nuca_table_router(nuca),
      .l2_router = cm_nuca_l2_router(nuca),
      .table_ports = keys->mesh.table_node == CM_TABLE_NODE_OWN ? 0 : ports,
      .look_up_cycles = 1 + config->caches[CM_UNIT_TEXTURE_CACHE].latency,
      .has_table = keys->organisation == CM_NUCA_DTM || keys->organisation == CM_NUCA_DYNAMIC,
      .is_notified =
         keys->organisation == CM_NUCA_DTM && keys->affinity_table.counted == CM_AFFINITY_COUNTED_ALL,
      .knows_home = keys->organisation == CM_NUCA_STATIC,
      .l2_is_in_mesh = cm_config_l2_is_in_mesh(config),
      .copies = {cm_nuca_copies(keys, false), cm_nuca_copies(keys, true)},
   };
   init_rows(mesh, config->fragment_stage.processors, pool);
   init_links(mesh, pool);
   init_routes(mesh, pool);
}

/* ---- waits --------------------------------------------------------------- */

/* Rows of as many blocks as a word has bytes. */
#define GROUP_ROWS (CM_MESH_BLOCK * (unsigned)sizeof(uint64_t))
static_assert(ROWS % GROUP_ROWS == 0, "the blocks of a group are adjacent");
#define EACH_BYTE 0x0101010101010101ull

static inline uint64_t
end_row(const struct cm_mesh_timing *mesh)
{
   return mesh->near_row + CM_MESH_NEAR_ROWS;
}

/* The timetable moves on to a row after those that are kept: block by block. */
static __attribute__((noinline)) void
advance(struct cm_mesh_timing *mesh, uint64_t row)
{
   const uint64_t num_rows = mesh->row_mask + 1, end = (row / CM_MESH_BLOCK + 1) * CM_MESH_BLOCK;
   const uint64_t first = end - num_rows;
   if (first - mesh->first_row > num_rows)
      mesh->first_row = first - num_rows;
   for (; mesh->first_row < first; mesh->first_row += CM_MESH_BLOCK) {
      for (uint32_t byte = 0; byte < mesh->row_bytes; byte++) {
         const size_t at = byte * num_rows + (mesh->first_row & mesh->row_mask);
         memset(mesh->rows + at, 0, CM_MESH_BLOCK);
         mesh->blocks[at / CM_MESH_BLOCK] = 0;
      }
   }
   mesh->near_row = end - CM_MESH_NEAR_ROWS;
}

/* Of a word whose bytes are rows or blocks, the first one in the lowest: the last one with a bit of it. */
static inline uint64_t
last_byte(uint64_t bits)
{
   assert(bits);
   return (63 - (uint64_t)__builtin_clzll(bits)) / BITS;
}

/* The last row from one on, of a block, in which a link is taken; 0: in none. */
static uint64_t
last_of_block(const struct cm_mesh_timing *mesh, const struct cm_mesh_leg *leg, unsigned link, uint64_t block,
              uint64_t from)
{
   for (uint64_t first = block + CM_MESH_BLOCK; first > block && first > from;) {
      uint64_t rows;
      first -= sizeof rows;
      memcpy(&rows, mesh->rows + cm_mesh_row(mesh, leg, first), sizeof rows);
      uint64_t taken = le64toh(rows) >> link & EACH_BYTE;
      if (first < from)
         taken &= ~0ull << (from - first) * BITS;
      if (taken)
         return first + last_byte(taken);
   }
   return 0;
}

/* Where the groups of blocks end whose rows are kept. */
static inline uint64_t
end_group(const struct cm_mesh_timing *mesh)
{
   return (end_row(mesh) + GROUP_ROWS - 1) / GROUP_ROWS * GROUP_ROWS;
}

/* The blocks of a group, a byte each. */
static inline uint64_t
blocks_of(const struct cm_mesh_timing *mesh, const struct cm_mesh_leg *leg, uint64_t group)
{
   uint64_t blocks;
   memcpy(&blocks, mesh->blocks + cm_mesh_row(mesh, leg, group) / CM_MESH_BLOCK, sizeof blocks);
   blocks = le64toh(blocks);
   const uint64_t rows = end_row(mesh) - group;
   /* Those behind the end are the oldest rows'. */
   return rows < GROUP_ROWS ? blocks & ((1ull << rows / CM_MESH_BLOCK * BITS) - 1) : blocks;
}

/* Whether any of some links may be taken in a row from one on. */
static inline bool
may_be_taken(const struct cm_mesh_timing *mesh, const struct cm_mesh_leg *leg, unsigned links, uint64_t from)
{
   const uint64_t bits = EACH_BYTE * links;
   for (uint64_t group = end_group(mesh); group > from;) {
      group -= GROUP_ROWS;
      const uint64_t taken = blocks_of(mesh, leg, group) & bits;
      if (taken && group + (last_byte(taken) + 1) * CM_MESH_BLOCK > from)
         return true;
   }
   return false;
}

/* The last row from one on, of all. */
static uint64_t
last_taken(const struct cm_mesh_timing *mesh, const struct cm_mesh_leg *leg, unsigned link, uint64_t from)
{
   for (uint64_t group = end_group(mesh); group > from;) {
      group -= GROUP_ROWS;
      uint64_t taken = blocks_of(mesh, leg, group) >> link & EACH_BYTE;
      while (taken) {
         const uint64_t block = last_byte(taken);
         const uint64_t last = last_of_block(mesh, leg, link, group + block * CM_MESH_BLOCK, from);
         if (last)
            return last;
         taken ^= 1ull << block * BITS;
      }
   }
   return 0;
}

/* The row in which a link's window begins, if a row is before it; else that row. */
static uint64_t
window_of(const struct cm_mesh_timing *mesh, const struct cm_mesh_leg *leg, unsigned link, uint64_t row)
{
   const uint32_t place = link - (uint32_t)__builtin_ctz(leg->links);
   const uint64_t lead = leg->lead - place * mesh->hop_cycles;
   const uint64_t after = ((row - lead) / 64 + CM_CALENDAR_WORDS) * 64 + lead;
   const uint64_t last = last_taken(mesh, leg, link, after);
   return last < after ? row : ((last - lead) / 64 - (CM_CALENDAR_WORDS - 1)) * 64 + lead;
}

/* Those of some links in whose windows a row is not. */
static __attribute__((noinline)) unsigned
find_early(struct cm_mesh_timing *mesh, const struct cm_mesh_leg *leg, unsigned links, uint64_t *row)
{
   unsigned early = 0;
   if (*row >= end_row(mesh)) {
      advance(mesh, *row);
      return 0;
   }
   *row = *row < mesh->first_row ? mesh->first_row : *row;
   /* A link's window ends with the word of the last row in which it is taken: the row can only be before it if the link is taken
    * more than CM_MESH_NEAR_ROWS rows later. */
   if (!may_be_taken(mesh, leg, links, *row + CM_MESH_NEAR_ROWS))
      return 0;
   for (unsigned left = links; left; left &= left - 1) {
      const unsigned link = (unsigned)__builtin_ctz(left);
      early |= (unsigned)(window_of(mesh, leg, link, *row) > *row) << link;
   }
   return early;
}

static inline bool
is_in(const struct cm_mesh_queue *queue, uint64_t row)
{
   return row - queue->begin < queue->end - queue->begin;
}

/* Waits that are not worth to remember. */
#define SHORT_WAIT 4

/* The first of the rows from one on, before `end`, in which a link is not taken; end: there is none. */
static inline uint64_t
first_free(const struct cm_mesh_timing *mesh, const struct cm_mesh_leg *leg, unsigned link, uint64_t row,
           uint64_t end)
{
   while (row < end) {
      const uint64_t first = row - row % sizeof(uint64_t);
      uint64_t rows;
      memcpy(&rows, mesh->rows + cm_mesh_row(mesh, leg, first), sizeof rows);
      const uint64_t open = (~le64toh(rows) >> link & EACH_BYTE) >> row % sizeof rows * BITS;
      if (open)
         return cm_min64(row + (uint64_t)__builtin_ctzll(open) / BITS, end);
      row = first + sizeof rows;
   }
   return end;
}

/* wait_for where the row is not in the midst of the queue that was remembered last. */
static __attribute__((noinline)) uint64_t
search(struct cm_mesh_timing *mesh, const struct cm_mesh_leg *leg, unsigned link, uint64_t row)
{
   struct cm_mesh_queue *queues = mesh->queues[leg->queues + link];
   const uint64_t begin = row, first = queues[0].begin, second = queues[1].begin;
   uint64_t stop;
   if (is_in(&queues[1], row))
      return queues[1].end++;
   row++;
   do {
      if (row == first || row == second) {
         struct cm_mesh_queue *queue = &queues[row != first];
         if (row < queue->end) {
            queue->begin = begin;
            return queue->end++;
         }
      }
      if (row == end_row(mesh))
         advance(mesh, row);
      stop = end_row(mesh);
      stop = first > row ? cm_min64(stop, first) : stop;
      stop = second > row ? cm_min64(stop, second) : stop;
      row = first_free(mesh, leg, link, row, stop);
   } while (row == stop);
   if (row - begin > SHORT_WAIT) {
      queues[1] = queues[0];
      queues[0] = (struct cm_mesh_queue){begin, row + 1};
   }
   return row;
}

/* A row after one in which a link is taken: the next one in which it may not be. It is part of the queue from then on, as
 * the link is taken in it already, or is now. */
static inline __attribute__((always_inline)) uint64_t
wait_for(struct cm_mesh_timing *mesh, const struct cm_mesh_leg *leg, unsigned link, uint64_t row)
{
   struct cm_mesh_queue *queue = mesh->queues[leg->queues + link];
   return is_in(queue, row) ? queue->end++ : search(mesh, leg, link, row);
}

/* Takes the links of a leg, or some, one after another, from a row on. Returns the row in which the last one is taken. queues:
 * it is to be expected that messages queue before the first one. */
static inline __attribute__((always_inline)) uint64_t
take(struct cm_mesh_timing *mesh, const struct cm_mesh_leg *leg, unsigned links, uint64_t row, bool queues)
{
   if (queues) {
      struct cm_mesh_queue *queue = mesh->queues[leg->queues + (uint32_t)__builtin_ctz(links)];
      row = is_in(queue, row) ? queue->end++ : row;
   }
   for (;;) {
      unsigned early = 0;
      if (__builtin_expect(row - mesh->near_row >= CM_MESH_NEAR_ROWS, false))
         early = find_early(mesh, leg, links, &row);
      const size_t at = cm_mesh_row(mesh, leg, row);
      const unsigned before = mesh->rows[at], busy = (before & links) | early;
      /* It crosses those before the first one that is taken. */
      const unsigned left = links & (busy | -busy), crossed = links ^ left;
      mesh->rows[at] = (uint8_t)(before | crossed);
      mesh->blocks[at / CM_MESH_BLOCK] |= (uint8_t)crossed;
      if (!busy)
         return row;
      const unsigned link = (unsigned)__builtin_ctz(busy);
      links = left;
      if (__builtin_expect(early >> link & 1, false))
         row = window_of(mesh, leg, link, row);
      else
         row = wait_for(mesh, leg, link, row);
   }
}

uint64_t
cm_mesh_timing_await_port(struct cm_mesh_timing *mesh, uint32_t processor, uint64_t cycle)
{
   const struct cm_mesh_leg *port = &mesh->ports[processor];
   return take(mesh, port, port->links, cycle, false);
}

/* ---- messages ------------------------------------------------------------ */

/* A message goes along a leg from a cycle on. Returns when it is at its end. */
static inline __attribute__((always_inline)) uint64_t
go_along(struct cm_mesh_timing *mesh, const struct cm_mesh_leg *leg, unsigned links, uint64_t cycle,
         bool queues)
{
   return take(mesh, leg, links, cycle + leg->lead, queues) - leg->lead + leg->cycles;
}

static inline __attribute__((always_inline)) uint64_t
route(struct cm_mesh_timing *mesh, uint32_t from, uint32_t to, uint64_t cycle, bool queues)
{
   const struct cm_mesh_leg *leg = mesh->routes + (from * (mesh->shape->routers + 1) + to) * mesh->route_legs;
   const uint64_t unhindered = cycle + leg->route_cycles;
   for (unsigned links = leg->links; links; links = (++leg)->links)
      cycle = go_along(mesh, leg, links, cycle, queues);
   mesh->waits += cycle - unhindered;
   return cycle;
}

uint64_t
cm_mesh_timing_send(struct cm_mesh_timing *mesh, uint32_t from, uint32_t to, uint64_t cycle)
{
   return route(mesh, from, to, cycle, false);
}

uint64_t
cm_mesh_timing_ask_table(struct cm_mesh_timing *mesh, uint32_t processor, uint64_t cycle)
{
   /* All processors ask one table. */
   const uint64_t arrives = route(mesh, processor, mesh->table_router, cycle, true);
   const uint32_t ports = mesh->table_ports;
   if (!ports)
      return arrives;
   const uint64_t turn = cm_calendar_take(&mesh->table, arrives * ports) / ports;
   mesh->waits += turn - arrives;
   return turn;
}

/* A packet crosses so many links of a direction, beginning at a router. at: when it is at the router after each link. */
static void
cross(struct cm_mesh_timing *mesh, uint32_t from, uint32_t links, enum cm_mesh_direction direction,
      uint64_t *at)
{
   for (uint32_t router = from; links; links--) {
      const struct cm_mesh_leg *link = &mesh->links[cm_mesh_link(mesh->shape, router, direction)];
      const uint32_t next = cm_mesh_neighbour(mesh->shape->columns, router, direction);
      at[next] = go_along(mesh, link, link->links, at[router], false);
      mesh->waits += at[next] - at[router] - link->cycles;
      router = next;
   }
}

/* Sends a packet to all nodes along the tree of X-Y routes. */
static void
broadcast(struct cm_mesh_timing *mesh, uint32_t from, uint64_t cycle)
{
   const uint32_t columns = mesh->shape->columns, row = from / columns, column = from % columns;
   uint64_t at[CM_MESH_MAX_NODES * 2];
   at[from] = cycle;
   cross(mesh, from, columns - 1 - column, CM_MESH_EAST, at);
   cross(mesh, from, column, CM_MESH_WEST, at);
   for (uint32_t router = row * columns; router < (row + 1) * columns; router++) {
      cross(mesh, router, mesh->shape->rows - 1 - row, CM_MESH_SOUTH, at);
      cross(mesh, router, row, CM_MESH_NORTH, at);
   }
}

void
cm_mesh_timing_send_messages(struct cm_mesh_timing *mesh, cm_entry token, uint64_t cycle)
{
   const uint32_t from = cm_entry_instance(token), to = cm_entry_value(token) & 0xff;
   for (uint64_t n = 0; n < cm_entry_value(token) >> 8; n++) {
      if (from == to)
         broadcast(mesh, from, cycle + n);
      else
         cm_mesh_timing_send(mesh, from, to, cycle + n);
   }
}
