/* SPDX-License-Identifier: MIT */
/** What Mesa's compilers for real GPUs make of a shader (events/shader_code.h). */
#ifndef TBR_GPU_CODE_H
#define TBR_GPU_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "events/shader_code.h"

struct nir_shader;
struct tbr_flow;

/** A shader's code for one instruction set. */
struct tbr_gpu_code {
   unsigned num_parts; /**< 0: the compiler refused the shader */
   struct cm_shader_code parts[CM_CODE_PARTS];
};

/** Whether there is a compiler for an instruction set. */
bool tbr_gpu_code_has(enum cm_isa isa);

/**
 * Compiles a shader. `nir` is what the state tracker hands over, before the driver's own passes; it is not changed.
 * `flow` is that of the shader as the driver executes it. `owner`, of ralloc, owns what the code points to; stage and
 * shader of the parts are the caller's to fill in. False if the compiler refuses the shader, or when out of memory.
 */
bool tbr_gpu_code_compile(void *owner, enum cm_isa isa, const struct nir_shader *nir,
                          const struct tbr_flow *flow, struct tbr_gpu_code *code);

#endif
