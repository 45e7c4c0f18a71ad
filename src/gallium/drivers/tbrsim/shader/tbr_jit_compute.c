/* SPDX-License-Identifier: MIT */
/** Generates the function of a compute shader from NIR with gallivm: one call runs a struct tbr_compute_block. */
#include <stddef.h>

#include "gallivm/lp_bld_const.h"
#include "gallivm/lp_bld_flow.h"
#include "gallivm/lp_bld_init.h"
#include "gallivm/lp_bld_intr.h"
#include "gallivm/lp_bld_misc.h"
#include "gallivm/lp_bld_nir.h"
#include "gallivm/lp_bld_type.h"
#include "nir.h"
#include "util/u_memory.h"
#include "state/tbr_context.h"
#include "shader/tbr_jit_regions.h"
#include "shader/tbr_jit_sampler.h"
#include "shader/tbr_jit_storage.h"
#include "shader/tbr_shader.h"
#include "shader/tbr_shader_cache.h"

#define FUNCTION_NAME "compute"

/** The function's parameters. */
struct parameters {
   LLVMValueRef resources, block, thread;
};

static void
load_system_values(struct gallivm_state *gallivm, struct lp_type type, LLVMValueRef block,
                   struct lp_bld_tgsi_system_values *values)
{
   LLVMTypeRef word = LLVMInt32TypeInContext(gallivm->context), vector = lp_build_int_vec_type(gallivm, type);
   for (unsigned i = 0; i < 3; i++) {
      const size_t lanes = i * sizeof(uint32_t) * TBR_LANES, words = i * sizeof(uint32_t);
      values->thread_id[i] =
         tbr_jit_load(gallivm, vector, block, offsetof(struct tbr_compute_block, thread_id) + lanes);
      values->block_id[i] =
         tbr_jit_load(gallivm, word, block, offsetof(struct tbr_compute_block, block_id) + words);
      values->grid_size[i] =
         tbr_jit_load(gallivm, word, block, offsetof(struct tbr_compute_block, grid_size) + words);
      values->block_size[i] =
         tbr_jit_load(gallivm, word, block, offsetof(struct tbr_compute_block, block_size) + words);
   }
   values->work_dim = lp_build_const_int32(gallivm, 3);
}

static LLVMValueRef
load_pointer(struct gallivm_state *gallivm, LLVMValueRef base, size_t offset)
{
   LLVMTypeRef pointer = LLVMPointerTypeInContext(gallivm->context, 0);
   return LLVMBuildLoad2(gallivm->builder, pointer, tbr_jit_address(gallivm, base, offset), "");
}

static void
build_body(struct gallivm_state *gallivm, const struct parameters *parameters, nir_shader *nir)
{
   const struct lp_type type = lp_type_float_vec(32, 32 * TBR_LANES);
   LLVMTypeRef vector = lp_build_int_vec_type(gallivm, type);
   LLVMValueRef outputs[PIPE_MAX_SHADER_OUTPUTS][4] = {0};
   struct lp_bld_tgsi_system_values values = {0};
   struct lp_build_mask_context mask;
   struct tbr_jit_sampler sampler;
   struct tbr_jit_storage storage;
   struct tbr_jit_regions regions;

   load_system_values(gallivm, type, parameters->block, &values);
   lp_build_mask_begin(&mask, gallivm, type,
                       tbr_jit_load(gallivm, vector, parameters->block,
                                    offsetof(struct tbr_compute_block, present)));
   tbr_jit_sampler_init(&sampler, gallivm, type, parameters->resources, parameters->thread, nir);
   tbr_jit_storage_init(&storage, gallivm, type, parameters->resources, parameters->thread);
   tbr_jit_regions_init(&regions, gallivm, &storage.base, parameters->thread, NULL);
   const struct lp_build_tgsi_params params = {
      .type = type,
      .mask = &mask,
      .ssbo_ptr = tbr_jit_address(gallivm, parameters->resources,
                                  offsetof(struct tbr_fragment_resources, loops_ended)),
      .consts_ptr =
         tbr_jit_address(gallivm, parameters->resources, offsetof(struct tbr_fragment_resources, constants)),
      .system_values = &values,
      .sampler = &sampler.base,
      .image = &regions.base,
      .shared_ptr = load_pointer(gallivm, parameters->block, offsetof(struct tbr_compute_block, shared)),
   };
   lp_build_nir_soa(gallivm, nir, &params, outputs);
   lp_build_mask_end(&mask);
}

static LLVMValueRef
declare_function(struct gallivm_state *gallivm, struct parameters *parameters)
{
   LLVMTypeRef pointer = LLVMPointerTypeInContext(gallivm->context, 0);
   LLVMTypeRef types[] = {pointer, pointer, pointer};
   LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(gallivm->context), types, ARRAY_SIZE(types), 0);
   LLVMValueRef function = LLVMAddFunction(gallivm->module, FUNCTION_NAME, type);
   LLVMSetFunctionCallConv(function, LLVMCCallConv);
   for (unsigned i = 0; i < ARRAY_SIZE(types); i++)
      lp_add_function_attr(function, i + 1, LP_FUNC_ATTR_NOALIAS);
   *parameters = (struct parameters){
      .resources = LLVMGetParam(function, 0),
      .block = LLVMGetParam(function, 1),
      .thread = LLVMGetParam(function, 2),
   };
   return function;
}

static void
define_function(struct gallivm_state *gallivm, LLVMValueRef function, const struct parameters *parameters,
                const nir_shader *shader)
{
   LLVMPositionBuilderAtEnd(gallivm->builder,
                            LLVMAppendBasicBlockInContext(gallivm->context, function, "entry"));
   nir_shader *nir = nir_shader_clone(NULL, shader);
   build_body(gallivm, parameters, nir);
   ralloc_free(nir);
   LLVMBuildRetVoid(gallivm->builder);
   gallivm_verify_function(gallivm, function);
}

struct tbr_code *
tbr_jit_compile_compute(struct tbr_context *context, const struct nir_shader *nir,
                        struct tbr_shader_cache *cache, const unsigned char *digest)
{
   struct lp_cached_code cached = {0};
   struct tbr_code *code = CALLOC_STRUCT(tbr_code);
   if (!code)
      return NULL;
   memcpy(code->key, digest, sizeof code->key);
   tbr_shader_cache_find(cache, digest, &cached);
   const bool found = cached.data_size;
   code->from_disk = found;
   code->gallivm = gallivm_create(FUNCTION_NAME, context->llvm, &cached);
   if (!code->gallivm) {
      FREE(code);
      return NULL;
   }
   struct parameters parameters;
   LLVMValueRef function = declare_function(code->gallivm, &parameters);
   if (!found)
      define_function(code->gallivm, function, &parameters, nir);
   gallivm_compile_module(code->gallivm);
   code->compute = (tbr_compute_function)gallivm_jit_function(code->gallivm, function, FUNCTION_NAME);
   if (!found && code->compute)
      tbr_shader_cache_store(cache, digest, &cached);
   gallivm_free_ir(code->gallivm);
   if (!code->compute) {
      gallivm_destroy(code->gallivm);
      FREE(code);
      return NULL;
   }
   return code;
}
