/* SPDX-License-Identifier: MIT */
/**
 * The shaders that compilers of real GPUs compile in addition: copies as the state tracker passes them, and the compilers'
 * code.
 *
 * TBRSIM_RECORD_ISA in the environment: names of instruction sets, with commas between them.
 */
#ifndef TBR_GPU_SHADERS_H
#define TBR_GPU_SHADERS_H

#include <stdbool.h>
#include <stdint.h>

#include "events/shader_code.h"

struct nir_shader;
struct tbr_context;
struct tbr_screen;

/** A shader's copy. */
struct tbr_gpu_shader;

/** The instruction sets that are wanted, a bit for each enum cm_isa with a compiler: the configuration's and those in the
 * environment. False, with a message, if a name there is wrong. */
bool tbr_gpu_shaders_wanted(enum cm_isa configured, unsigned *isas);

/** Keeps a copy of a shader, which the driver's first passes are about to change, until the shader is created or freed. */
void tbr_gpu_shaders_keep(struct nir_shader *nir);

/** The copy of a shader, which is now as it is executed, but for what the driver adds. NULL: none is wanted, or when out of
 * memory. */
struct tbr_gpu_shader *tbr_gpu_shader_create(const struct tbr_screen *screen, struct nir_shader *nir);
/** Numbers the shader's regions as the renderer counts them: by the index of its blocks, `count` of them. shader may be NULL. */
void tbr_gpu_shader_number_regions(struct tbr_gpu_shader *shader, const unsigned *of_block, unsigned count);
/** shader may be NULL. */
void tbr_gpu_shader_destroy(struct tbr_gpu_shader *shader);

/** Compiles a shader for all instruction sets that are wanted, if that has not been done; it is used by the next pass.
 * shader may be NULL. */
void tbr_gpu_shader_announce(struct tbr_context *context, enum cm_shader_stage stage, uint32_t id,
                             struct tbr_gpu_shader *shader);

#endif
