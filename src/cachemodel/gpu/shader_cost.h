/* SPDX-License-Identifier: MIT */
/** What shaders cost a shader core (docs/shader-core.md), for the timing with core pipes. */
#ifndef CM_SHADER_COST_H
#define CM_SHADER_COST_H

#include "timing/timing.h"
#include "util/id_table.h"

struct cm_gpu;
struct cm_quad;
struct cm_resource;
struct cm_texture_unit;

/** Whether the GPU's timing needs costs. */
bool cm_gpu_needs_costs(const struct cm_gpu *gpu);

/** Shaders that a GPU has asked for the code of; those that have none for its instruction set. */
struct cm_costed_shaders {
   struct cm_id_table seen;
   uint32_t without_code;
};
/** Says how many have none, and frees the tables. */
void cm_costed_shaders_finish(struct cm_gpu *gpu);

/** Logs what an invocation of a draw's shaders before the rasterizer costs; the draw is logged. */
void cm_log_draw_costs(struct cm_gpu *gpu, const struct cm_draw *draw);

/** What a vertex of a draw costs that a tile shades, as a whole. */
struct cm_shader_cost cm_tile_vertex_cost(struct cm_gpu *gpu, const struct cm_draw *draw);

/** What a quad of a draw costs; on any thread. attributes: of its primitive. runs: the CM_EVENT_REGIONS that it is in, or NULL. */
struct cm_shader_cost
cm_fragment_cost(struct cm_gpu *gpu, const struct cm_draw *draw, uint32_t attributes, const uint32_t *runs);

/** Samples of narrow texels that one of a texture takes as long as. resource: what is bound; NULL: nothing. */
uint32_t cm_texture_samples(const struct cm_gpu *gpu, const struct cm_texture_binding *binding,
                            const struct cm_resource *resource);

/** Pixels that a quad of a draw writes into the tile buffer, each attachment by itself: all of it, if any. */
uint32_t cm_tile_pixels(const struct cm_draw *draw, const struct cm_quad *quad);

#endif
