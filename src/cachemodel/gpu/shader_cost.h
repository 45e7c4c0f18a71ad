/* SPDX-License-Identifier: MIT */
/** What shaders cost a shader core (docs/shader-core.md), for the timing with core pipes. */
#ifndef CM_SHADER_COST_H
#define CM_SHADER_COST_H

#include "timing/timing.h"

struct cm_gpu;
struct cm_quad;
struct cm_texture_unit;

/** Whether the GPU's timing needs costs. */
bool cm_gpu_needs_costs(const struct cm_gpu *gpu);

/** Logs what an invocation of a draw's shaders before the rasterizer costs; the draw is logged. */
void cm_log_draw_costs(struct cm_gpu *gpu, const struct cm_draw *draw);

/** What a quad of a draw costs. attributes: of its primitive. */
struct cm_shader_cost cm_fragment_cost(const struct cm_draw *draw, uint32_t attributes);

/** Samples of narrow texels that one of a texture takes as long as. */
uint32_t cm_texture_samples(const struct cm_gpu *gpu, const struct cm_texture_binding *binding);

/** Pixels that a quad of a draw writes into the tile buffer, each attachment by itself: all of it, if any. */
uint32_t cm_tile_pixels(const struct cm_draw *draw, const struct cm_quad *quad);

#endif
