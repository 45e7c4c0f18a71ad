/* SPDX-License-Identifier: MIT */
#include "shader/tbr_jit_sampler.h"

#include <assert.h>
#include <stddef.h>

#include "compiler/nir/nir.h"
#include "gallivm/lp_bld_const.h"
#include "gallivm/lp_bld_flow.h"
#include "gallivm/lp_bld_init.h"
#include "gallivm/lp_bld_type.h"
#include "tile/tbr_fragment.h"
#include "tile/tbr_texture_unit.h"

LLVMValueRef
tbr_jit_lane_bits(struct gallivm_state *gallivm, LLVMValueRef mask)
{
   LLVMTypeRef word = LLVMInt32TypeInContext(gallivm->context);
   LLVMValueRef bits = LLVMBuildICmp(gallivm->builder, LLVMIntNE, mask, LLVMConstNull(LLVMTypeOf(mask)), "");
   bits = LLVMBuildBitCast(gallivm->builder, bits, LLVMIntTypeInContext(gallivm->context, TBR_LANES), "");
   return LLVMBuildZExt(gallivm->builder, bits, word, "");
}

LLVMValueRef
tbr_jit_address(struct gallivm_state *gallivm, LLVMValueRef base, size_t offset)
{
   LLVMValueRef index = lp_build_const_int32(gallivm, (int)offset);
   return LLVMBuildGEP2(gallivm->builder, LLVMInt8TypeInContext(gallivm->context), base, &index, 1, "");
}

LLVMValueRef
tbr_jit_load(struct gallivm_state *gallivm, LLVMTypeRef type, LLVMValueRef base, size_t offset)
{
   LLVMValueRef value = LLVMBuildLoad2(gallivm->builder, type, tbr_jit_address(gallivm, base, offset), "");
   LLVMSetAlignment(value, 4);
   return value;
}

void
tbr_jit_store(struct gallivm_state *gallivm, LLVMValueRef value, LLVMValueRef base, size_t offset)
{
   LLVMSetAlignment(LLVMBuildStore(gallivm->builder, value, tbr_jit_address(gallivm, base, offset)), 4);
}

static void
put(struct gallivm_state *gallivm, const struct tbr_jit_sampler *sampler, LLVMValueRef value, size_t offset)
{
   tbr_jit_store(gallivm, value, sampler->arguments, offset);
}

static void
put_byte(struct gallivm_state *gallivm, const struct tbr_jit_sampler *sampler, unsigned value, size_t offset)
{
   LLVMValueRef byte = LLVMConstInt(LLVMInt8TypeInContext(gallivm->context), value, 0);
   LLVMBuildStore(gallivm->builder, byte, tbr_jit_address(gallivm, sampler->arguments, offset));
}

/** The binding of the instruction's texture unit; an index that the shader
 * computes is kept within the array. */
static LLVMValueRef
load_binding(struct gallivm_state *gallivm, const struct tbr_jit_sampler *sampler, unsigned unit,
             LLVMValueRef offset)
{
   LLVMBuilderRef builder = gallivm->builder;
   LLVMTypeRef pointer = LLVMPointerTypeInContext(gallivm->context, 0);
   assert(unit < TBR_MAX_TEXTURES);
   LLVMValueRef textures =
      tbr_jit_address(gallivm, sampler->resources, offsetof(struct tbr_fragment_resources, textures));
   LLVMValueRef index = lp_build_const_int32(gallivm, unit);
   if (offset) {
      index = LLVMBuildAdd(builder, index, offset, "");
      LLVMValueRef inside =
         LLVMBuildICmp(builder, LLVMIntULT, index, lp_build_const_int32(gallivm, TBR_MAX_TEXTURES), "");
      index = LLVMBuildSelect(builder, inside, index, lp_build_const_int32(gallivm, unit), "");
   }
   return LLVMBuildLoad2(builder, pointer, LLVMBuildGEP2(builder, pointer, textures, &index, 1, ""),
                         "binding");
}

static void
put_coordinates(struct gallivm_state *gallivm, const struct tbr_jit_sampler *sampler,
                const struct lp_sampler_params *params)
{
   const size_t vector = sizeof(float) * TBR_LANES;
   for (unsigned i = 0; i < 3; i++) {
      if (!LLVMIsUndef(params->coords[i]))
         put(gallivm, sampler, params->coords[i], offsetof(struct tbr_sample_arguments, coords) + i * vector);
   }
   if (!LLVMIsUndef(params->coords[3]))
      put(gallivm, sampler, params->coords[3], offsetof(struct tbr_sample_arguments, cube_layer));
   if (params->sample_key & LP_SAMPLER_SHADOW)
      put(gallivm, sampler, params->coords[4], offsetof(struct tbr_sample_arguments, compare));
   if (params->lod)
      put(gallivm, sampler, params->lod, offsetof(struct tbr_sample_arguments, lod));
   if (params->ms_index)
      put(gallivm, sampler, params->ms_index, offsetof(struct tbr_sample_arguments, sample));

   if (params->derivs) {
      for (unsigned i = 0; i < sampler->num_derivatives[params->texture_index]; i++) {
         put(gallivm, sampler, params->derivs->ddx[i],
             offsetof(struct tbr_sample_arguments, ddx) + i * vector);
         put(gallivm, sampler, params->derivs->ddy[i],
             offsetof(struct tbr_sample_arguments, ddy) + i * vector);
      }
   }
   if (params->sample_key & LP_SAMPLER_OFFSETS) {
      for (unsigned i = 0; i < 3; i++) {
         LLVMTypeRef type = lp_build_int_vec_type(gallivm, params->type);
         put(gallivm, sampler, params->offsets[i] ? params->offsets[i] : LLVMConstNull(type),
             offsetof(struct tbr_sample_arguments, offset) + i * vector);
      }
   }
}

static void
put_controls(struct gallivm_state *gallivm, const struct tbr_jit_sampler *sampler,
             const struct lp_sampler_params *params)
{
   const uint32_t key = params->sample_key;
   static const uint8_t operations[] = {
      [LP_SAMPLER_OP_TEXTURE] = TBR_TEXTURE_SAMPLE,
      [LP_SAMPLER_OP_FETCH] = TBR_TEXTURE_FETCH,
      [LP_SAMPLER_OP_GATHER] = TBR_TEXTURE_GATHER,
      [LP_SAMPLER_OP_LODQ] = TBR_TEXTURE_LODQ,
   };
   static const uint8_t controls[] = {
      [LP_SAMPLER_LOD_IMPLICIT] = TBR_LOD_IMPLICIT,
      [LP_SAMPLER_LOD_BIAS] = TBR_LOD_BIAS,
      [LP_SAMPLER_LOD_EXPLICIT] = TBR_LOD_EXPLICIT,
      [LP_SAMPLER_LOD_DERIVATIVES] = TBR_LOD_DERIVATIVES,
   };
   assert((key & LP_SAMPLER_OP_TYPE_MASK) >> LP_SAMPLER_OP_TYPE_SHIFT < ARRAY_SIZE(operations));
   put_byte(gallivm, sampler, operations[(key & LP_SAMPLER_OP_TYPE_MASK) >> LP_SAMPLER_OP_TYPE_SHIFT],
            offsetof(struct tbr_sample_arguments, operation));
   put_byte(gallivm, sampler, controls[(key & LP_SAMPLER_LOD_CONTROL_MASK) >> LP_SAMPLER_LOD_CONTROL_SHIFT],
            offsetof(struct tbr_sample_arguments, lod_control));
   put_byte(gallivm, sampler, !!(key & LP_SAMPLER_SHADOW), offsetof(struct tbr_sample_arguments, shadow));
   put_byte(gallivm, sampler, !!(key & LP_SAMPLER_OFFSETS),
            offsetof(struct tbr_sample_arguments, has_offset));
   put_byte(gallivm, sampler, params->ms_index != NULL, offsetof(struct tbr_sample_arguments, has_sample));
   put_byte(gallivm, sampler, (key & LP_SAMPLER_GATHER_COMP_MASK) >> LP_SAMPLER_GATHER_COMP_SHIFT,
            offsetof(struct tbr_sample_arguments, gather_component));
}

/** Calls a function that a structure points to, and loads the result from the arguments. */
static void
call(struct gallivm_state *gallivm, const struct tbr_jit_sampler *sampler, LLVMValueRef structure,
     size_t offset, LLVMTypeRef last_type, LLVMValueRef operands[3], LLVMTypeRef vector,
     LLVMValueRef result[4])
{
   LLVMTypeRef pointer = LLVMPointerTypeInContext(gallivm->context, 0);
   LLVMTypeRef parameters[] = {pointer, pointer, last_type};
   LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(gallivm->context), parameters, 3, 0);
   LLVMValueRef function =
      LLVMBuildLoad2(gallivm->builder, pointer, tbr_jit_address(gallivm, structure, offset), "");
   LLVMBuildCall2(gallivm->builder, type, function, operands, 3, "");

   for (unsigned i = 0; i < 4; i++)
      result[i] = tbr_jit_load(gallivm, vector, sampler->arguments,
                               offsetof(struct tbr_sample_arguments, texel) + i * sizeof(float) * TBR_LANES);
}

static void
emit_tex_sample(const struct lp_build_sampler_soa *base, struct gallivm_state *gallivm,
                const struct lp_sampler_params *params)
{
   const struct tbr_jit_sampler *sampler = (const struct tbr_jit_sampler *)base;

   put_coordinates(gallivm, sampler, params);
   put(gallivm, sampler, tbr_jit_lane_bits(gallivm, params->exec_mask),
       offsetof(struct tbr_sample_arguments, active));
   put_controls(gallivm, sampler, params);

   LLVMValueRef binding = load_binding(gallivm, sampler, params->texture_index, params->texture_index_offset);
   LLVMValueRef operands[] = {sampler->thread, binding, sampler->arguments};
   call(gallivm, sampler, binding, offsetof(struct tbr_texture_binding, sample),
        LLVMPointerTypeInContext(gallivm->context, 0), operands, lp_build_vec_type(gallivm, params->type),
        params->texel);
}

static void
emit_size_query(const struct lp_build_sampler_soa *base, struct gallivm_state *gallivm,
                const struct lp_sampler_size_query_params *params)
{
   const struct tbr_jit_sampler *sampler = (const struct tbr_jit_sampler *)base;
   LLVMTypeRef vector = lp_build_int_vec_type(gallivm, params->int_type);

   LLVMValueRef binding = load_binding(gallivm, sampler, params->texture_unit, params->texture_unit_offset);
   LLVMValueRef level = params->explicit_lod ? params->explicit_lod : LLVMConstNull(vector);
   put(gallivm, sampler, level, offsetof(struct tbr_sample_arguments, lod));

   LLVMValueRef operands[] = {binding, sampler->arguments,
                              lp_build_const_int32(gallivm, params->samples_only)};
   call(gallivm, sampler, sampler->resources, offsetof(struct tbr_fragment_resources, query_size),
        LLVMInt32TypeInContext(gallivm->context), operands, vector, params->sizes_out);
}

/** How many components the derivatives have: gallivm sets those and leaves the others
 * of its struct undefined. */
static void
count_derivatives(struct tbr_jit_sampler *sampler, const nir_shader *nir)
{
   nir_foreach_function_impl (impl, nir) {
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instruction, block) {
            if (instruction->type != nir_instr_type_tex)
               continue;
            const nir_tex_instr *tex = nir_instr_as_tex(instruction);
            if (tex->op == nir_texop_txd && tex->texture_index < TBR_MAX_TEXTURES)
               sampler->num_derivatives[tex->texture_index] = MIN2(tex->coord_components - tex->is_array, 3);
         }
      }
   }
}

void
tbr_jit_sampler_init(struct tbr_jit_sampler *sampler, struct gallivm_state *gallivm, struct lp_type type,
                     LLVMValueRef resources, LLVMValueRef thread, const nir_shader *nir)
{
   LLVMTypeRef storage =
      LLVMArrayType(lp_build_vec_type(gallivm, type),
                    DIV_ROUND_UP(sizeof(struct tbr_sample_arguments), sizeof(float) * TBR_LANES));
   *sampler = (struct tbr_jit_sampler){
      .base =
         {
            .emit_tex_sample = emit_tex_sample,
            .emit_size_query = emit_size_query,
            .takes_first_index = true,
         },
      .resources = resources,
      .thread = thread,
      .arguments = lp_build_alloca_undef(gallivm, storage, "sample_arguments"),
   };
   count_derivatives(sampler, nir);
}
