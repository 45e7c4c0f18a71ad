/* SPDX-License-Identifier: MIT */
/** Calls of the load/store unit in generated code (tbr_nir_lower_storage has made images of all storage). */
#ifndef TBR_JIT_STORAGE_H
#define TBR_JIT_STORAGE_H

#include "gallivm/lp_bld_tgsi.h"

struct tbr_jit_storage {
   struct lp_build_image_soa base;
   struct lp_type type;
   LLVMValueRef resources, thread; /**< struct tbr_fragment_resources *, struct tbr_texture_thread * */
   LLVMValueRef arguments;         /**< struct tbr_load_store_arguments, on the function's stack */
};

/** type: of the shader's values. */
void tbr_jit_storage_init(struct tbr_jit_storage *storage, struct gallivm_state *gallivm, struct lp_type type,
                          LLVMValueRef resources, LLVMValueRef thread);

#endif
