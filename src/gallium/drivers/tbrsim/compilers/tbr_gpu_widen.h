/* SPDX-License-Identifier: MIT */
/** Values of 16 bits become such of 32, for compilers whose drivers do not lower precision. */
#ifndef TBR_GPU_WIDEN_H
#define TBR_GPU_WIDEN_H

#include <stdbool.h>

struct nir_shader;

/** Conversions to and from 16 bits are moves then. What is loaded and stored has not had 16 bits. False: some instruction
 * takes 16 bits by its name, and the shader cannot be used. */
bool tbr_gpu_widen(struct nir_shader *nir);

#endif
