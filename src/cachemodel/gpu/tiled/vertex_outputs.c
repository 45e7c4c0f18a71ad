/* SPDX-License-Identifier: MIT */
/* parameter_buffer.attributes other than primitives: what a vertex shader returns goes to memory as it is, vertex by vertex, and
 * tiles read it there. Each draw has an array of positions, and behind it one of varyings. */
#include <assert.h>

#include "gpu/attribution_internal.h"
#include "gpu/gpu_internal.h"
#include "gpu/tiled/stages.h"
#include "tiling/parameter_buffer.h"
#include "util/minmax.h"

/* Bytes of a position, and of each varying, of a vertex. */
#define OUTPUT_BYTES (CM_PB_ATTRIBUTE_BYTES / 3)
#define ARRAY_ALIGNMENT CM_PB_BLOCK_BYTES

struct output_array {
   uint64_t address;
   uint32_t vertices;     /* in it */
   uint32_t vertex_bytes; /* 0: there are no varyings */
   uint32_t written;      /* vertices so far */
};

struct cm_vertex_outputs_draw {
   uint32_t first_primitive, num_primitives;
   bool is_written; /* else its vertices are those of an earlier pass, which wrote them */
   struct output_array arrays[2];
};

static uint64_t
place(struct output_array *array, uint64_t address, uint64_t vertices, uint32_t vertex_bytes)
{
   assert(vertices <= UINT32_MAX);
   *array = (struct output_array){address, vertex_bytes ? (uint32_t)vertices : 0, vertex_bytes, 0};
   const uint64_t bytes = (uint64_t)array->vertices * vertex_bytes;
   return address + (bytes + ARRAY_ALIGNMENT - 1) / ARRAY_ALIGNMENT * ARRAY_ALIGNMENT;
}

bool
cm_vertex_outputs_begin(struct cm_vertex_outputs *outputs, struct cm_gpu *gpu, const uint32_t *shaded,
                        uint64_t buffer)
{
   const struct cm_pass *pass = gpu->pass;
   if (!cm_array_reserve(&outputs->draws, pass->num_draws, sizeof(struct cm_vertex_outputs_draw)))
      return false;
   struct cm_vertex_outputs_draw *draws = outputs->draws.data;
   uint64_t address = CM_PB_ATTRIBUTES_ADDRESS + buffer;
   uint32_t p = 0;
   outputs->gpu = gpu;
   outputs->next_draw = 0;
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const uint32_t first = p;
      while (p < pass->num_primitives && pass->primitives[p].draw == d)
         p++;
      const uint64_t corners = 3 * (uint64_t)(p - first);
      const uint64_t vertices = shaded[d] ? shaded[d] : corners;
      const bool is_visible = gpu->config.parameter_buffer.attributes == CM_PB_ATTRIBUTES_VISIBLE_VERTICES;
      const uint32_t varyings = p > first ? pass->primitives[first].num_attributes - 1 : 0;
      draws[d] = (struct cm_vertex_outputs_draw){first, p - first, shaded[d] != 0, {{0}}};
      address = place(&draws[d].arrays[0], address, vertices, OUTPUT_BYTES);
      address = place(&draws[d].arrays[1], address, is_visible ? cm_min64(vertices, corners) : vertices,
                      varyings * OUTPUT_BYTES);
   }
   assert(p == pass->num_primitives);
   return true;
}

static void
write_up_to(struct cm_gpu *gpu, struct output_array *array, uint64_t end)
{
   assert(end <= array->vertices);
   if (end > array->written)
      cm_hierarchy_access_range(&gpu->hierarchy, 0,
                                array->address + (uint64_t)array->written * array->vertex_bytes,
                                (end - array->written) * array->vertex_bytes, CM_STREAM_PB_ATTRIBUTE, true);
   array->written = (uint32_t)cm_max64(end, array->written);
}

/* What the vertices of a draw's first `primitives` return, if that is not written yet. */
static void
write_draw(struct cm_gpu *gpu, struct cm_vertex_outputs_draw *draw, uint32_t primitives)
{
   for (unsigned a = 0; draw->is_written && a < 2; a++)
      write_up_to(gpu, &draw->arrays[a],
                  draw->num_primitives
                     ? (uint64_t)draw->arrays[a].vertices * primitives / draw->num_primitives
                     : draw->arrays[a].vertices);
}

void
cm_vertex_outputs_write(struct cm_vertex_outputs *outputs, uint32_t p)
{
   struct cm_gpu *gpu = outputs->gpu;
   const struct cm_pass *pass = gpu->pass;
   struct cm_vertex_outputs_draw *draws = outputs->draws.data;
   const uint32_t d = pass->primitives[p].draw;
   for (; outputs->next_draw < d; outputs->next_draw++) {
      cm_gpu_attribute_draw(gpu, outputs->next_draw);
      write_draw(gpu, &draws[outputs->next_draw], draws[outputs->next_draw].num_primitives);
   }
   cm_gpu_attribute_draw(gpu, d);
   write_draw(gpu, &draws[d], p - draws[d].first_primitive + 1);
   for (uint32_t rest = d + 1; p + 1 == pass->num_primitives && rest < pass->num_draws; rest++) {
      cm_gpu_attribute_draw(gpu, rest);
      write_draw(gpu, &draws[rest], 0);
   }
}

void
cm_vertex_outputs_read(const struct cm_vertex_outputs *outputs, uint32_t p)
{
   const struct cm_vertex_outputs_draw *draw =
      (const struct cm_vertex_outputs_draw *)outputs->draws.data + outputs->gpu->pass->primitives[p].draw;
   for (unsigned a = 0; a < 2; a++) {
      const struct output_array *array = &draw->arrays[a];
      const uint32_t corners = cm_min(3, array->vertices);
      const uint64_t spread = (uint64_t)array->vertices * (p - draw->first_primitive) / draw->num_primitives;
      const uint64_t first = cm_min64(spread, array->vertices - corners);
      if (corners && array->vertex_bytes)
         cm_hierarchy_access_range(&outputs->gpu->hierarchy, 0, array->address + first * array->vertex_bytes,
                                   (uint64_t)corners * array->vertex_bytes, CM_STREAM_PB_ATTRIBUTE, false);
   }
}

void
cm_vertex_outputs_finish(struct cm_vertex_outputs *outputs)
{
   CM_FREE_ARRAYS(&outputs->draws);
}
