/* SPDX-License-Identifier: MIT */
#include "texture/mesh.h"

#include <stdlib.h>
#include <string.h>

const char *const cm_mesh_direction_names[CM_MESH_DIRECTION_COUNT] = {"east", "west", "south", "north"};

uint32_t
cm_mesh_columns(uint32_t columns, uint32_t nodes)
{
   if (columns)
      return columns;
   uint32_t root = 1;
   while (root * root < nodes)
      root++;
   for (columns = root; columns * columns <= 4 * nodes; columns++) {
      if (nodes % columns == 0)
         return columns;
   }
   return root;
}

bool
cm_mesh_init(struct cm_mesh *mesh, uint32_t columns, uint32_t nodes)
{
   columns = cm_mesh_columns(columns, nodes);
   *mesh = (struct cm_mesh){.columns = columns, .rows = (nodes + columns - 1) / columns};
   mesh->routers = mesh->columns * mesh->rows;
   const size_t pairs = (size_t)(mesh->routers + 1) * (mesh->routers + 1);
   mesh->counts = calloc(pairs * CM_MESH_MESSAGE_COUNT, sizeof *mesh->counts);
   mesh->broadcasts = calloc(mesh->routers, sizeof *mesh->broadcasts);
   if (mesh->counts && mesh->broadcasts)
      return true;
   cm_mesh_finish(mesh);
   return false;
}

void
cm_mesh_finish(struct cm_mesh *mesh)
{
   free(mesh->counts);
   free(mesh->broadcasts);
   mesh->counts = mesh->broadcasts = NULL;
}

uint32_t
cm_mesh_center(const struct cm_mesh *mesh)
{
   return mesh->rows / 2 * mesh->columns + mesh->columns / 2;
}

static uint32_t
distance(uint32_t a, uint32_t b)
{
   return a > b ? a - b : b - a;
}

/* The router of the mesh by which a message comes to or from a router, which is itself but for the one that hangs at
 * another. */
static uint32_t
at_mesh(const struct cm_mesh *mesh, uint32_t router)
{
   return router == mesh->routers ? mesh->attached_to : router;
}

uint32_t
cm_mesh_hops(const struct cm_mesh *mesh, uint32_t from, uint32_t to)
{
   const uint32_t a = at_mesh(mesh, from), b = at_mesh(mesh, to);
   return (from != to && from == mesh->routers) + (from != to && to == mesh->routers) +
          distance(a % mesh->columns, b % mesh->columns) + distance(a / mesh->columns, b / mesh->columns);
}

uint64_t
cm_mesh_message_hops(const struct cm_mesh *mesh, enum cm_mesh_message kind)
{
   const uint64_t *counts = mesh->counts + (uint64_t)kind * (mesh->routers + 1) * (mesh->routers + 1);
   uint64_t hops = 0;
   for (uint32_t from = 0; from <= mesh->routers; from++) {
      for (uint32_t to = 0; to <= mesh->routers; to++)
         hops += *counts++ * cm_mesh_hops(mesh, from, to);
   }
   return hops;
}

uint64_t
cm_mesh_broadcast_hops(const struct cm_mesh *mesh)
{
   uint64_t packets = 0;
   for (uint32_t from = 0; from < mesh->routers; from++)
      packets += mesh->broadcasts[from];
   return packets * (mesh->routers - 1);
}

bool
cm_mesh_has_link(uint32_t columns, uint32_t rows, uint32_t router, enum cm_mesh_direction direction)
{
   switch (direction) {
   case CM_MESH_EAST: return router % columns + 1 < columns;
   case CM_MESH_WEST: return router % columns > 0;
   case CM_MESH_SOUTH: return router / columns + 1 < rows;
   default: return router / columns > 0;
   }
}

/* Adds messages to the links from a router on, in one direction, up to the one before `end`. */
static void
add_along(const struct cm_mesh *mesh, uint64_t *loads, uint32_t router, uint32_t end,
          enum cm_mesh_direction direction, uint64_t messages)
{
   const uint32_t step = direction == CM_MESH_EAST || direction == CM_MESH_WEST ? 1 : mesh->columns;
   const bool up = direction == CM_MESH_EAST || direction == CM_MESH_SOUTH;
   for (; router != end; router = up ? router + step : router - step)
      loads[cm_mesh_link(mesh, router, direction)] += messages;
}

static void
add_route(const struct cm_mesh *mesh, uint64_t *loads, uint32_t from, uint32_t to, uint64_t messages)
{
   if (from == to)
      return;
   if (from == mesh->routers)
      loads[cm_mesh_link(mesh, from, CM_MESH_EAST)] += messages;
   if (to == mesh->routers)
      loads[cm_mesh_link(mesh, to, CM_MESH_WEST)] += messages;
   from = at_mesh(mesh, from);
   to = at_mesh(mesh, to);
   const uint32_t corner = from / mesh->columns * mesh->columns + to % mesh->columns;
   add_along(mesh, loads, from, corner, corner > from ? CM_MESH_EAST : CM_MESH_WEST, messages);
   add_along(mesh, loads, corner, to, to > corner ? CM_MESH_SOUTH : CM_MESH_NORTH, messages);
}

static void
add_tree(const struct cm_mesh *mesh, uint64_t *loads, uint32_t from, uint64_t packets)
{
   const uint32_t row = from / mesh->columns * mesh->columns, last_row = (mesh->rows - 1) * mesh->columns;
   add_along(mesh, loads, from, row + mesh->columns - 1, CM_MESH_EAST, packets);
   add_along(mesh, loads, from, row, CM_MESH_WEST, packets);
   for (uint32_t column = 0; column < mesh->columns; column++) {
      add_along(mesh, loads, row + column, last_row + column, CM_MESH_SOUTH, packets);
      add_along(mesh, loads, row + column, column, CM_MESH_NORTH, packets);
   }
}

void
cm_mesh_link_loads(const struct cm_mesh *mesh, uint64_t *loads)
{
   const uint64_t *counts = mesh->counts;
   memset(loads, 0, sizeof *loads * cm_mesh_num_links(mesh));
   for (unsigned kind = 0; kind < CM_MESH_MESSAGE_COUNT; kind++) {
      for (uint32_t from = 0; from <= mesh->routers; from++) {
         for (uint32_t to = 0; to <= mesh->routers; to++, counts++) {
            if (*counts)
               add_route(mesh, loads, from, to, *counts);
         }
      }
   }
   for (uint32_t from = 0; from < mesh->routers; from++)
      add_tree(mesh, loads, from, mesh->broadcasts[from]);
}
