/* SPDX-License-Identifier: MIT */
/** The shapes of objects: the side that one sees, as a grid between the edges of a silhouette. */
#include <math.h>

#include "scene.h"

#define OUTLINE 9

/* Widths from the foot to the top, how far round the front goes (1: half a turn), what lies flat on top. */
static const struct shape {
   float widths[OUTLINE], round, top;
} shapes[] = {
   [PLATE] = {{1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, 0},
   [DOME] = {{0.08f, 0.66f, 0.87f, 0.97f, 1, 0.97f, 0.87f, 0.66f, 0.08f}, 1, 0},
   [BOX] = {{1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, 0.35f},
   [COLUMN] = {{0.5f, 0.4f, 0.38f, 0.37f, 0.36f, 0.36f, 0.37f, 0.4f, 0.5f}, 1, 0},
   [FIGURE] = {{0.34f, 0.36f, 0.40f, 0.44f, 0.62f, 0.58f, 0.22f, 0.36f, 0.12f}, 0.9f, 0},
   [CAR] = {{0.98f, 1, 1, 0.98f, 0.94f, 0.82f, 0.76f, 0.70f, 0.60f}, 0.45f, 0.3f},
   [TREE] = {{0.14f, 0.14f, 0.8f, 0.68f, 0.56f, 0.44f, 0.3f, 0.16f, 0.04f}, 1, 0},
   [DIAMOND] = {{0.05f, 0.25f, 0.45f, 0.65f, 0.85f, 1, 0.9f, 0.75f, 0.55f}, 0.7f, 0},
   [ROCK] = {{0.9f, 1, 0.94f, 0.9f, 0.8f, 0.74f, 0.6f, 0.42f, 0.15f}, 0.8f, 0},
   [CANDY] = {{0.55f, 0.9f, 1, 0.92f, 0.86f, 0.92f, 1, 0.9f, 0.55f}, 0.9f, 0},
   [BIRD] = {{0.2f, 0.7f, 0.95f, 1, 0.9f, 0.72f, 0.6f, 0.42f, 0.1f}, 1, 0},
   [TOWER] = {{0.6f, 0.6f, 0.6f, 0.6f, 0.6f, 0.6f, 0.6f, 0.6f, 0.6f}, 0, 0.12f},
};

unsigned
num_shapes(void)
{
   return sizeof shapes / sizeof *shapes;
}

static float
width_at(const struct shape *shape, float v)
{
   const float at = v * (OUTLINE - 1);
   const unsigned first = at >= OUTLINE - 1 ? OUTLINE - 2 : (unsigned)at;
   return shape->widths[first] + (shape->widths[first + 1] - shape->widths[first]) * (at - first);
}

struct vertex
shape_vertex(unsigned index, float u, float v)
{
   const struct shape *shape = &shapes[index];
   const float width = width_at(shape, v), half = 1.5707963f * shape->round, angle = (2 * u - 1) * half;
   const float across = shape->round > 0 ? sinf(angle) / sinf(half) : 2 * u - 1;
   const float slope = (width_at(shape, fminf(v + 0.05f, 1)) - width_at(shape, fmaxf(v - 0.05f, 0))) * -4;
   struct vertex vertex = {
      .position = {0.5f * width * across, v - 0.5f, -0.12f * width * cosf(angle)},
      .coordinates = {u, 1 - v},
      .normal = {sinf(angle), 0.3f * slope, -cosf(angle)},
   };
   if (shape->top > 0 && v > 1 - shape->top) {
      const float back = (v - 1 + shape->top) / shape->top;
      vertex.position[0] *= 1 - 0.15f * back;
      vertex.position[2] += 0.25f * back;
      vertex.normal[1] = back > 0.01f ? 0.95f : 0;
      vertex.normal[2] = back > 0.01f ? -0.3f : -1;
   }
   return vertex;
}
