/* SPDX-License-Identifier: MIT */
/* The mesh against messages that are moved router by router. */
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "texture/mesh.h"

/* Moves a message one router on: along the row while the columns differ, then along the column. */
static enum cm_mesh_direction
step(uint32_t columns, uint32_t *at, uint32_t to)
{
   const int dx = (int)(to % columns) - (int)(*at % columns), dy = (int)(to / columns) - (int)(*at / columns);
   if (dx) {
      *at = dx > 0 ? *at + 1 : *at - 1;
      return dx > 0 ? CM_MESH_EAST : CM_MESH_WEST;
   }
   *at = dy > 0 ? *at + columns : *at - columns;
   return dy > 0 ? CM_MESH_SOUTH : CM_MESH_NORTH;
}

/* A packet goes to each router, and crosses a link once whatever the number of routers after it. */
static void
broadcast(uint32_t columns, uint32_t routers, uint32_t from, uint64_t *loads)
{
   bool *crossed = calloc(routers * CM_MESH_DIRECTION_COUNT, sizeof *crossed);
   for (uint32_t to = 0; to < routers; to++) {
      for (uint32_t at = from; at != to;) {
         const uint32_t router = at;
         const enum cm_mesh_direction direction = step(columns, &at, to);
         const uint32_t link = router * CM_MESH_DIRECTION_COUNT + direction;
         loads[link] += !crossed[link];
         crossed[link] = true;
      }
   }
   free(crossed);
}

static void
check_mesh(uint32_t columns, uint32_t nodes, uint64_t *state)
{
   struct cm_mesh mesh;
   assert_true(cm_mesh_init(&mesh, columns, nodes));
   const uint32_t links = cm_mesh_num_links(&mesh);
   uint64_t *loads = calloc(links, sizeof *loads), *expected = calloc(links, sizeof *expected);
   uint64_t hops[CM_MESH_MESSAGE_COUNT] = {0}, broadcast_hops = 0, before = 0;
   assert_true(mesh.routers >= nodes && mesh.routers - nodes < mesh.columns);
   mesh.attached_to = random_below(state, mesh.routers);
   for (unsigned i = 0; i < 300; i++) {
      const enum cm_mesh_message kind = (enum cm_mesh_message)random_below(state, CM_MESH_MESSAGE_COUNT);
      uint32_t from = random_below(state, mesh.routers + 1), to = random_below(state, mesh.routers + 1);
      uint32_t length = 0;
      cm_mesh_send(&mesh, kind, from, to, 1);
      assert_true(from != to || cm_mesh_hops(&mesh, from, to) == 0);
      /* The one that hangs at another: a link there and a link back. */
      const uint32_t hops_of = cm_mesh_hops(&mesh, from, to);
      if (from != to && from == mesh.routers) {
         expected[from * CM_MESH_DIRECTION_COUNT + CM_MESH_EAST]++;
         from = mesh.attached_to;
         length++;
      }
      if (from != to && to == mesh.routers) {
         expected[to * CM_MESH_DIRECTION_COUNT + CM_MESH_WEST]++;
         to = mesh.attached_to;
         length++;
      }
      for (uint32_t at = from; at != to; length++) {
         const uint32_t router = at;
         const enum cm_mesh_direction direction = step(mesh.columns, &at, to);
         assert_true(cm_mesh_has_link(mesh.columns, mesh.rows, router, direction));
         expected[router * CM_MESH_DIRECTION_COUNT + direction]++;
      }
      assert_int_equal(hops_of, length);
      hops[kind] += length;
   }
   for (unsigned i = 0; i < 20; i++) {
      const uint32_t from = random_below(state, mesh.routers);
      cm_mesh_broadcast(&mesh, from, 1);
      broadcast(mesh.columns, mesh.routers, from, expected);
   }
   cm_mesh_link_loads(&mesh, loads);
   assert_memory_equal(loads, expected, links * sizeof *loads);
   for (uint32_t link = 0; link < links; link++) {
      before += loads[link];
      if (link / 4 < mesh.routers &&
          !cm_mesh_has_link(mesh.columns, mesh.rows, link / 4, (enum cm_mesh_direction)(link % 4)))
         assert_int_equal(loads[link], 0);
   }
   broadcast_hops = 20 * (mesh.routers - 1);
   assert_int_equal(cm_mesh_broadcast_hops(&mesh), broadcast_hops);
   for (unsigned kind = 0; kind < CM_MESH_MESSAGE_COUNT; kind++)
      assert_int_equal(cm_mesh_message_hops(&mesh, (enum cm_mesh_message)kind), hops[kind]);
   assert_int_equal(before, hops[0] + hops[1] + hops[2] + broadcast_hops);
   free(loads);
   free(expected);
   cm_mesh_finish(&mesh);
}

TEST(routes)
{
   uint64_t state = 1;
   for (uint32_t nodes = 1; nodes <= CM_MESH_MAX_NODES; nodes++) {
      check_mesh(0, nodes, &state);
      check_mesh(1 + random_below(&state, nodes), nodes, &state);
   }
}

/* Figure 5: nine nodes are three by three, the table in the middle. */
TEST(shapes)
{
   static const struct {
      uint32_t nodes, columns, rows, center;
   } shapes[] = {
      {1, 1, 1, 0}, {2, 2, 1, 1}, {4, 2, 2, 3},   {5, 3, 2, 4},   {7, 3, 3, 4},
      {8, 4, 2, 6}, {9, 3, 3, 4}, {16, 4, 4, 10}, {32, 8, 4, 20}, {64, 8, 8, 36},
   };
   for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
      struct cm_mesh mesh;
      assert_true(cm_mesh_init(&mesh, 0, shapes[i].nodes));
      assert_int_equal(mesh.columns, shapes[i].columns);
      assert_int_equal(mesh.rows, shapes[i].rows);
      assert_int_equal(cm_mesh_center(&mesh), shapes[i].center);
      cm_mesh_finish(&mesh);
   }
   assert_int_equal(cm_mesh_columns(5, 32), 5);
}
