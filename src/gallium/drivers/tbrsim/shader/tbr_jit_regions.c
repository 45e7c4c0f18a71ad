/* SPDX-License-Identifier: MIT */
#include "shader/tbr_jit_regions.h"

#include <stddef.h>

#include "gallivm/lp_bld_init.h"
#include "tile/tbr_load_store.h"
#include "tile/tbr_texture_unit.h"
#include "shader/tbr_jit_sampler.h"

static LLVMTypeRef
vector_of(struct gallivm_state *gallivm, unsigned bits, unsigned length)
{
   return LLVMVectorType(LLVMIntTypeInContext(gallivm->context, bits), length);
}

/** Lanes become bytes, four of which are a quad: few instructions, with whatever vectors the processor has. */
static void
count(const struct tbr_jit_regions *regions, struct gallivm_state *gallivm, LLVMValueRef mask,
      unsigned counter)
{
   LLVMBuilderRef builder = gallivm->builder;
   LLVMTypeRef quads = vector_of(gallivm, 32, TBR_QUADS);
   const size_t offset = offsetof(struct tbr_texture_thread, region_runs[counter]);
   LLVMValueRef lanes = LLVMBuildTrunc(builder, mask, vector_of(gallivm, 8, TBR_LANES), "");
   if (regions->live)
      lanes = LLVMBuildAnd(builder, lanes, regions->live, "");
   LLVMValueRef any = LLVMBuildICmp(builder, LLVMIntNE, LLVMBuildBitCast(builder, lanes, quads, ""),
                                    LLVMConstNull(quads), "");
   LLVMValueRef runs = tbr_jit_load(gallivm, quads, regions->thread, offset);
   runs = LLVMBuildSub(builder, runs, LLVMBuildSExt(builder, any, quads, ""), "");
   tbr_jit_store(gallivm, runs, regions->thread, offset);
}

static void
emit_op(const struct lp_build_image_soa *base, struct gallivm_state *gallivm,
        const struct lp_img_params *params)
{
   const struct tbr_jit_regions *regions = (const struct tbr_jit_regions *)base;
   if (!params->image_index_offset && params->image_index >= TBR_REGION_COUNTER(0))
      count(regions, gallivm, params->exec_mask, params->image_index - TBR_REGION_COUNTER(0));
   else
      regions->storage->emit_op(regions->storage, gallivm, params);
}

static void
emit_size_query(const struct lp_build_image_soa *base, struct gallivm_state *gallivm,
                const struct lp_sampler_size_query_params *params)
{
   const struct tbr_jit_regions *regions = (const struct tbr_jit_regions *)base;
   regions->storage->emit_size_query(regions->storage, gallivm, params);
}

void
tbr_jit_regions_init(struct tbr_jit_regions *regions, struct gallivm_state *gallivm,
                     const struct lp_build_image_soa *storage, LLVMValueRef thread, LLVMValueRef live)
{
   LLVMBuilderRef builder = gallivm->builder;
   *regions = (struct tbr_jit_regions){
      .base = {.emit_op = emit_op, .emit_size_query = emit_size_query},
      .storage = storage,
      .thread = thread,
   };
   if (!live)
      return;
   live = LLVMBuildTrunc(builder, live, LLVMIntTypeInContext(gallivm->context, TBR_LANES), "");
   live = LLVMBuildBitCast(builder, live, vector_of(gallivm, 1, TBR_LANES), "");
   regions->live = LLVMBuildSExt(builder, live, vector_of(gallivm, 8, TBR_LANES), "");
}
