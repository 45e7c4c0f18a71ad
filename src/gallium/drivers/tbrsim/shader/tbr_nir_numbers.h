/* SPDX-License-Identifier: MIT */
/**
 * NIR passes for numbers of textures, images, buffers and blocks that a shader computes and that may differ from invocation
 * to invocation: instructions that are marked so (ACCESS_NON_UNIFORM, nir_tex_instr.texture_non_uniform), as those of Vulkan
 * are. Generated code takes the number of the first invocation of a vector. Marked texture instructions read one of the textures
 * from texture_index to sampler_index, whose samplers have the same numbers.
 *
 * After instructions and regions have been counted: to the simulated GPU each is one instruction.
 */
#ifndef TBR_NIR_NUMBERS_H
#define TBR_NIR_NUMBERS_H

struct nir_shader;

/** Bounds the numbers of blocks, storage buffers and images to those that the shader has. First, before the driver adds its own. */
void tbr_nir_bound_numbers(struct nir_shader *nir);

/** Executes each marked instruction once for the invocations that have the same number. Last: what makes loops end does not
 * count these, and marks are kept until then. */
void tbr_nir_split_numbers(struct nir_shader *nir);

#endif
