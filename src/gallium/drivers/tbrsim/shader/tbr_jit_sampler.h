/* SPDX-License-Identifier: MIT */
/** Texture instructions of generated code: calls into the texture unit. */
#ifndef TBR_JIT_SAMPLER_H
#define TBR_JIT_SAMPLER_H

#include "gallivm/lp_bld_tgsi.h"
#include "tbr_limits.h"

struct nir_shader;

struct tbr_jit_sampler {
   struct lp_build_sampler_soa base;
   LLVMValueRef resources;                    /**< struct tbr_fragment_resources */
   LLVMValueRef thread;                       /**< struct tbr_texture_thread */
   LLVMValueRef arguments;                    /**< struct tbr_sample_arguments on the function's stack */
   uint8_t num_derivatives[TBR_MAX_TEXTURES]; /**< components of textureGrad's derivatives, by unit */
};

/** Allocates the arguments' stack space in the function under construction, of a shader. */
void tbr_jit_sampler_init(struct tbr_jit_sampler *sampler, struct gallivm_state *gallivm, struct lp_type type,
                          LLVMValueRef resources, LLVMValueRef thread, const struct nir_shader *nir);

/** The address at an offset in bytes from a pointer; a load and a store of words there. */
LLVMValueRef tbr_jit_address(struct gallivm_state *gallivm, LLVMValueRef base, size_t offset);
LLVMValueRef tbr_jit_load(struct gallivm_state *gallivm, LLVMTypeRef type, LLVMValueRef base, size_t offset);
void tbr_jit_store(struct gallivm_state *gallivm, LLVMValueRef value, LLVMValueRef base, size_t offset);

/** A lane mask (0 or ~0 each) as the low bits of an i32. */
LLVMValueRef tbr_jit_lane_bits(struct gallivm_state *gallivm, LLVMValueRef mask);

#endif
