/* SPDX-License-Identifier: MIT */
/** Mesa's compiler for Arm's Midgard, as its driver Panfrost uses it. */
#include "compilers/tbr_gpu_code_internal.h"

#include "nir_builder.h"
#include "util/u_dynarray.h"
#include "panfrost/midgard/compiler.h"
#include "panfrost/midgard/midgard_compile.h"
#include "panfrost/midgard/midgard_ops.h"
#include "compilers/tbr_gpu_panfrost.h"

/* Mali-T860. */
#define GPU_MIDGARD 0x860

/* ---- counting -------------------------------------------------------------- */

/** Components of 16 bits that an instruction loads of a varying. */
static unsigned
varying_components(const midgard_instruction *instr)
{
   return util_bitcount(instr->mask) * (instr->op == midgard_op_ld_vary_16 ? 1 : 2);
}

static void
count_load_store(const midgard_instruction *instr, uint32_t *operations)
{
   switch (instr->op) {
   case midgard_op_ld_vary_16:
   case midgard_op_ld_vary_32:
   case midgard_op_ld_vary_32i:
   case midgard_op_ld_vary_32u: operations[CM_PIPE_VARYING] += varying_components(instr); break;
   case midgard_op_ld_tilebuffer_16f:
   case midgard_op_ld_tilebuffer_32f:
   case midgard_op_ld_tilebuffer_raw:
   case midgard_op_st_tilebuffer_16f:
   case midgard_op_st_tilebuffer_32f:
   case midgard_op_st_tilebuffer_raw: operations[CM_PIPE_TILE]++; break;
   default: operations[CM_PIPE_LOAD_STORE]++; break;
   }
}

static void
count_bundle(const midgard_bundle *bundle, uint32_t *operations)
{
   operations[CM_PIPE_ISSUE]++;
   for (int i = 0; i < bundle->instruction_count; i++) {
      const midgard_instruction *instr = bundle->instructions[i];
      switch (instr->type) {
      case TAG_TEXTURE_4: operations[CM_PIPE_TEXTURE]++; break;
      case TAG_LOAD_STORE_4: count_load_store(instr, operations); break;
      default: operations[CM_PIPE_TILE] += instr->compact_branch && instr->writeout; break;
      }
   }
   operations[CM_PIPE_FMA] += bundle->instruction_count && bundle->instructions[0]->type == TAG_ALU_4;
}

/** Of work registers, which have four times 32 bits, a thread of a full core has four. */
static unsigned
threads_shared(unsigned registers)
{
   return registers <= 4 ? 1 : registers <= 8 ? 2 : 4;
}

/** The compiler has a program. */
static void
count_program(void *data, const void *program, unsigned bytes)
{
   struct tbr_gpu_compilation *compilation = data;
   const compiler_context *ctx = program;
   struct cm_shader_code *part = tbr_gpu_code_add_part(compilation, CM_CODE_WHOLE);
   const unsigned *of_block = part ? tbr_gpu_code_find_regions(compilation, ctx->nir) : NULL;
   if (!of_block)
      return;

   unsigned region = 0;
   list_for_each_entry (midgard_block, block, &ctx->blocks, base.link) {
      /* What the compiler adds belongs to what is before it. */
      if (block->nir_block)
         region = of_block[block->nir_block->index];
      mir_foreach_bundle_in_block(block, bundle) count_bundle(bundle, tbr_gpu_code_operations(part, region));
   }
   part->bytes = bytes;
   part->registers = ctx->info->work_reg_count * 4;
   part->threads_shared = threads_shared(ctx->info->work_reg_count);
   part->spills = ctx->spills;
   part->fills = ctx->fills;
}

/* ---- compiling -------------------------------------------------------------- */

/** What the compiler has code for; it ends the process, or makes wrong code, where it meets something else. */
static bool
is_known(nir_intrinsic_op op)
{
   switch (op) {
   case nir_intrinsic_barrier:
   case nir_intrinsic_ddx:
   case nir_intrinsic_ddy:
   case nir_intrinsic_decl_reg:
   case nir_intrinsic_global_atomic:
   case nir_intrinsic_global_atomic_swap:
   case nir_intrinsic_image_load:
   case nir_intrinsic_image_store:
   case nir_intrinsic_image_texel_address:
   case nir_intrinsic_load_barycentric_centroid:
   case nir_intrinsic_load_barycentric_pixel:
   case nir_intrinsic_load_barycentric_sample:
   case nir_intrinsic_load_global:
   case nir_intrinsic_load_global_constant:
   case nir_intrinsic_load_global_invocation_id:
   case nir_intrinsic_load_input:
   case nir_intrinsic_load_instance_id:
   case nir_intrinsic_load_interpolated_input:
   case nir_intrinsic_load_local_invocation_id:
   case nir_intrinsic_load_output:
   case nir_intrinsic_load_raw_vertex_id_pan:
   case nir_intrinsic_load_reg:
   case nir_intrinsic_load_sample_id:
   case nir_intrinsic_load_sample_mask_in:
   case nir_intrinsic_load_scratch:
   case nir_intrinsic_load_shared:
   case nir_intrinsic_load_ubo:
   case nir_intrinsic_load_workgroup_id:
   case nir_intrinsic_shared_atomic:
   case nir_intrinsic_shared_atomic_swap:
   case nir_intrinsic_store_combined_output_pan:
   case nir_intrinsic_store_global:
   case nir_intrinsic_store_output:
   case nir_intrinsic_store_reg:
   case nir_intrinsic_store_scratch:
   case nir_intrinsic_store_shared:
   case nir_intrinsic_terminate:
   case nir_intrinsic_terminate_if: return true;
   default: return false;
   }
}

static bool
is_known_texture_operation(nir_texop op)
{
   switch (op) {
   case nir_texop_tex:
   case nir_texop_tg4:
   case nir_texop_txb:
   case nir_texop_txf:
   case nir_texop_txf_ms:
   case nir_texop_txl: return true;
   default: return false;
   }
}

static bool
is_unknown(nir_builder *b, nir_instr *instr, void *data)
{
   if (instr->type == nir_instr_type_intrinsic)
      *(bool *)data |= !is_known(nir_instr_as_intrinsic(instr)->intrinsic);
   else if (instr->type == nir_instr_type_tex)
      *(bool *)data |= !is_known_texture_operation(nir_instr_as_tex(instr)->op);
   return false;
}

bool
tbr_gpu_compile_midgard(struct tbr_gpu_compilation *compilation, nir_shader *nir)
{
   struct panfrost_compile_inputs inputs = {
      .gpu_id = GPU_MIDGARD,
      .compiled = count_program,
      .compiled_data = compilation,
   };
   struct pan_shader_info info = {0};
   struct util_dynarray binary;
   bool unknown = false;

   nir->options = &midgard_nir_options;
   if (!tbr_gpu_panfrost_accepts(nir))
      return false;
   tbr_gpu_panfrost_begin(nir, inputs.gpu_id);
   /* The compiler's options ask for bit counts and reversed bits to be lowered, and its own passes do not. */
   NIR_PASS(_, nir, nir_lower_alu);
   midgard_preprocess_nir(nir, inputs.gpu_id);
   tbr_gpu_panfrost_end(nir, &inputs);
   nir_shader_instructions_pass(nir, is_unknown, nir_metadata_all, &unknown);
   if (unknown)
      return false;
   util_dynarray_init(&binary, NULL);
   midgard_compile_shader_nir(nir, &inputs, &binary, &info);
   util_dynarray_fini(&binary);
   return true;
}
