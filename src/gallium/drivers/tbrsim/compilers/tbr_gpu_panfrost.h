/* SPDX-License-Identifier: MIT */
/** What Mesa's driver for Arm's GPUs does to NIR around its compilers, as far as it changes what they make. */
#ifndef TBR_GPU_PANFROST_H
#define TBR_GPU_PANFROST_H

#include <stdbool.h>

struct nir_shader;
struct panfrost_compile_inputs;

/** Whether Panfrost draws with such shaders. */
bool tbr_gpu_panfrost_accepts(struct nir_shader *nir);
/** Before a compiler's first passes. */
void tbr_gpu_panfrost_begin(struct nir_shader *nir, unsigned gpu_id);
/** After them: values that the driver provides are in a uniform block of its own; what may be pushed into registers. */
void tbr_gpu_panfrost_end(struct nir_shader *nir, struct panfrost_compile_inputs *inputs);

#endif
