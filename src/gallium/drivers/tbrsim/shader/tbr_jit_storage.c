/* SPDX-License-Identifier: MIT */
#include "shader/tbr_jit_storage.h"

#include <assert.h>
#include <stddef.h>

#include "gallivm/lp_bld_const.h"
#include "gallivm/lp_bld_flow.h"
#include "gallivm/lp_bld_init.h"
#include "gallivm/lp_bld_sample.h"
#include "gallivm/lp_bld_type.h"
#include "util/macros.h"
#include "tile/tbr_fragment.h"
#include "shader/tbr_jit_sampler.h"
#include "tile/tbr_load_store.h"

#define VECTOR (sizeof(uint32_t) * TBR_LANES)

static LLVMTypeRef
integers(struct gallivm_state *gallivm, const struct tbr_jit_storage *storage)
{
   return lp_build_int_vec_type(gallivm, storage->type);
}

static void
put(struct gallivm_state *gallivm, const struct tbr_jit_storage *storage, LLVMValueRef value, size_t offset)
{
   value = LLVMBuildBitCast(gallivm->builder, value, integers(gallivm, storage), "");
   tbr_jit_store(gallivm, value, storage->arguments, offset);
}

static void
put_word(struct gallivm_state *gallivm, const struct tbr_jit_storage *storage, LLVMValueRef word,
         size_t offset)
{
   tbr_jit_store(gallivm, word, storage->arguments, offset);
}

static void
put_binding(struct gallivm_state *gallivm, const struct tbr_jit_storage *storage, unsigned binding,
            LLVMValueRef computed)
{
   LLVMValueRef word = lp_build_const_int32(gallivm, binding);
   if (computed)
      word = LLVMBuildAdd(gallivm->builder, word, computed, "");
   put_word(gallivm, storage, word, offsetof(struct tbr_load_store_arguments, binding));
}

/** Calls a function that the resources point to. */
static void
call(struct gallivm_state *gallivm, const struct tbr_jit_storage *storage, size_t function_offset)
{
   LLVMTypeRef pointer = LLVMPointerTypeInContext(gallivm->context, 0);
   LLVMTypeRef parameters[] = {pointer, pointer, pointer};
   LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(gallivm->context), parameters, 3, 0);
   LLVMValueRef function = LLVMBuildLoad2(gallivm->builder, pointer,
                                          tbr_jit_address(gallivm, storage->resources, function_offset), "");
   LLVMValueRef bound = LLVMBuildLoad2(gallivm->builder, pointer,
                                       tbr_jit_address(gallivm, storage->resources,
                                                       offsetof(struct tbr_fragment_resources, storage)),
                                       "");
   LLVMValueRef operands[] = {storage->thread, bound, storage->arguments};
   LLVMBuildCall2(gallivm->builder, type, function, operands, 3, "");
}

static enum tbr_load_store_operation
operation_of(const struct lp_img_params *params)
{
   switch (params->img_op) {
   case LP_IMG_LOAD: return TBR_LOAD;
   case LP_IMG_STORE: return TBR_STORE;
   case LP_IMG_ATOMIC_CAS: return TBR_ATOMIC_COMPARE_AND_SWAP;
   default: break;
   }
   assert(params->img_op == LP_IMG_ATOMIC);
   switch (params->op) {
   case LLVMAtomicRMWBinOpAdd: return TBR_ATOMIC_ADD;
   case LLVMAtomicRMWBinOpAnd: return TBR_ATOMIC_AND;
   case LLVMAtomicRMWBinOpOr: return TBR_ATOMIC_OR;
   case LLVMAtomicRMWBinOpXor: return TBR_ATOMIC_XOR;
   case LLVMAtomicRMWBinOpMin: return TBR_ATOMIC_SIGNED_MIN;
   case LLVMAtomicRMWBinOpMax: return TBR_ATOMIC_SIGNED_MAX;
   case LLVMAtomicRMWBinOpUMin: return TBR_ATOMIC_UNSIGNED_MIN;
   case LLVMAtomicRMWBinOpUMax: return TBR_ATOMIC_UNSIGNED_MAX;
   default: assert(params->op == LLVMAtomicRMWBinOpXchg); return TBR_ATOMIC_EXCHANGE;
   }
}

static void
emit_op(const struct lp_build_image_soa *base, struct gallivm_state *gallivm,
        const struct lp_img_params *params)
{
   const struct tbr_jit_storage *storage = (const struct tbr_jit_storage *)base;
   if (!params->image_index_offset && params->image_index == TBR_BARRIER) {
      call(gallivm, storage, offsetof(struct tbr_fragment_resources, barrier));
      return;
   }
   const enum tbr_load_store_operation operation = operation_of(params);
   for (unsigned i = 0; i < 3; i++)
      put(gallivm, storage, params->coords[i],
          offsetof(struct tbr_load_store_arguments, coordinates) + i * VECTOR);
   if (params->ms_index)
      put(gallivm, storage, params->ms_index, offsetof(struct tbr_load_store_arguments, sample));
   const unsigned components = operation == TBR_LOAD ? 0 : operation == TBR_STORE ? 4 : 1;
   for (unsigned i = 0; i < components; i++)
      put(gallivm, storage, params->indata[i], offsetof(struct tbr_load_store_arguments, data) + i * VECTOR);
   if (operation == TBR_ATOMIC_COMPARE_AND_SWAP)
      put(gallivm, storage, params->indata2[0], offsetof(struct tbr_load_store_arguments, swap));
   put_word(gallivm, storage, tbr_jit_lane_bits(gallivm, params->exec_mask),
            offsetof(struct tbr_load_store_arguments, active));
   put_word(gallivm, storage, lp_build_const_int32(gallivm, operation),
            offsetof(struct tbr_load_store_arguments, operation));
   put_binding(gallivm, storage, params->image_index, params->image_index_offset);
   call(gallivm, storage, offsetof(struct tbr_fragment_resources, load_store));
   const unsigned results = operation == TBR_LOAD ? 4 : operation == TBR_STORE ? 0 : 1;
   for (unsigned i = 0; i < results; i++)
      params->outdata[i] = tbr_jit_load(gallivm, integers(gallivm, storage), storage->arguments,
                                        offsetof(struct tbr_load_store_arguments, result) + i * VECTOR);
}

static void
emit_size_query(const struct lp_build_image_soa *base, struct gallivm_state *gallivm,
                const struct lp_sampler_size_query_params *params)
{
   const struct tbr_jit_storage *storage = (const struct tbr_jit_storage *)base;
   put_binding(gallivm, storage, params->texture_unit, params->texture_unit_offset);
   put_word(gallivm, storage, lp_build_const_int32(gallivm, params->target),
            offsetof(struct tbr_load_store_arguments, target));
   call(gallivm, storage, offsetof(struct tbr_fragment_resources, query_storage));
   for (unsigned i = 0; i < 4; i++)
      params->sizes_out[i] = tbr_jit_load(gallivm, integers(gallivm, storage), storage->arguments,
                                          offsetof(struct tbr_load_store_arguments, result) +
                                             (params->samples_only ? 3 : i) * VECTOR);
}

void
tbr_jit_storage_init(struct tbr_jit_storage *storage, struct gallivm_state *gallivm, struct lp_type type,
                     LLVMValueRef resources, LLVMValueRef thread)
{
   LLVMTypeRef memory = LLVMArrayType(lp_build_int_vec_type(gallivm, type),
                                      DIV_ROUND_UP(sizeof(struct tbr_load_store_arguments), VECTOR));
   *storage = (struct tbr_jit_storage){
      .base = {.emit_op = emit_op, .emit_size_query = emit_size_query},
      .type = type,
      .resources = resources,
      .thread = thread,
      .arguments = lp_build_alloca_undef(gallivm, memory, "load_store_arguments"),
   };
}
