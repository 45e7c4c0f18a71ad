/* SPDX-License-Identifier: MIT */
/** Mesa's compiler for Arm's Bifrost and Valhall, as its driver Panfrost uses it. */
#include "compilers/tbr_gpu_code_internal.h"

#include "nir_builder.h"
#include "util/u_dynarray.h"
#include "panfrost/compiler/bifrost_compile.h"
#include "panfrost/compiler/compiler.h"
#include "compilers/tbr_gpu_panfrost.h"
#include "panfrost/compiler/valhall/valhall.h"

/* Mali-G52 and Mali-G57. */
#define GPU_BIFROST 0x7212
#define GPU_VALHALL 0x9091

/* ---- counting -------------------------------------------------------------- */

/** Components of 16 bits that an instruction loads of a varying. */
static unsigned
varying_components(const bi_instr *instr)
{
   return (instr->vecsize + 1) * (bi_is_regfmt_16(instr->register_format) ? 1 : 2);
}

/** Of a texture read with a varying: two coordinates of 32 bits. */
#define VARYING_TEXTURE_COMPONENTS 4

static void
count_message(const bi_clause *clause, uint32_t *operations)
{
   switch (clause->message_type) {
   case BIFROST_MESSAGE_VARYING: operations[CM_PIPE_VARYING] += varying_components(clause->message); break;
   case BIFROST_MESSAGE_VARTEX:
      operations[CM_PIPE_VARYING] += VARYING_TEXTURE_COMPONENTS;
      operations[CM_PIPE_TEXTURE]++;
      break;
   case BIFROST_MESSAGE_TEX: operations[CM_PIPE_TEXTURE]++; break;
   case BIFROST_MESSAGE_ATTRIBUTE:
   case BIFROST_MESSAGE_LOAD:
   case BIFROST_MESSAGE_STORE:
   case BIFROST_MESSAGE_ATOMIC: operations[CM_PIPE_LOAD_STORE]++; break;
   case BIFROST_MESSAGE_BLEND:
   case BIFROST_MESSAGE_TILE:
   case BIFROST_MESSAGE_Z_STENCIL:
   case BIFROST_MESSAGE_ATEST: operations[CM_PIPE_TILE]++; break;
   default: break;
   }
}

static void
count_tuple(const bi_clause *clause, const bi_tuple *tuple, uint32_t *operations)
{
   const bool is_message = tuple->add && tuple->add == clause->message;
   operations[CM_PIPE_ISSUE]++;
   /* Slots without an instruction are filled up with one that does nothing; next to a message they cost nothing. */
   if (tuple->fma || (tuple->add && !is_message) || (!tuple->add && clause->message))
      operations[CM_PIPE_FMA]++;
   if (is_message)
      count_message(clause, operations);
}

static void
count_bifrost(bi_block *block, uint32_t *operations)
{
   bi_foreach_clause_in_block(block, clause)
   {
      for (unsigned i = 0; i < clause->tuple_count; i++)
         count_tuple(clause, &clause->tuples[i], operations);
   }
}

/** Messages that are sent before the shader's first instruction. */
static void
count_preloads(const bi_context *ctx, uint32_t *operations)
{
   for (unsigned i = 0; i < ARRAY_SIZE(ctx->info.bifrost->messages); i++) {
      const struct bifrost_message_preload *message = &ctx->info.bifrost->messages[i];
      if (!message->enabled)
         continue;
      if (message->texture) {
         operations[CM_PIPE_VARYING] += VARYING_TEXTURE_COMPONENTS;
         operations[CM_PIPE_TEXTURE]++;
      } else {
         operations[CM_PIPE_VARYING] += message->num_components * (message->fp16 ? 1 : 2);
      }
   }
}

static void
count_valhall_instr(const bi_instr *instr, uint32_t *operations)
{
   /* Results of 64 bits take twice as long. */
   const unsigned words = bi_count_write_registers(instr, 0);
   operations[CM_PIPE_ISSUE]++;
   switch (instr->op) {
   case BI_OPCODE_ATEST:
   case BI_OPCODE_BLEND:
   case BI_OPCODE_LD_TILE:
   case BI_OPCODE_ST_TILE:
   case BI_OPCODE_ZS_EMIT: operations[CM_PIPE_TILE]++; break;
   default: break;
   }
   switch (valhall_opcodes[instr->op].unit) {
   case VA_UNIT_FMA: operations[CM_PIPE_FMA] += words; break;
   case VA_UNIT_CVT: operations[CM_PIPE_CVT] += words; break;
   case VA_UNIT_SFU: operations[CM_PIPE_SFU] += words; break;
   case VA_UNIT_V: operations[CM_PIPE_VARYING] += varying_components(instr); break;
   case VA_UNIT_LS: operations[CM_PIPE_LOAD_STORE]++; break;
   case VA_UNIT_T: operations[CM_PIPE_TEXTURE]++; break;
   case VA_UNIT_VT:
      operations[CM_PIPE_VARYING] += VARYING_TEXTURE_COMPONENTS;
      operations[CM_PIPE_TEXTURE]++;
      break;
   case VA_UNIT_NONE: break;
   }
}

static enum cm_code_part
part_of(const bi_context *ctx)
{
   switch (ctx->idvs) {
   case BI_IDVS_POSITION: return CM_CODE_POSITION;
   case BI_IDVS_VARYING: return CM_CODE_VARYINGS;
   default: return CM_CODE_WHOLE;
   }
}

/** The compiler has a program. */
static void
count_program(void *data, const void *program, unsigned bytes)
{
   struct tbr_gpu_compilation *compilation = data;
   const bi_context *ctx = program;
   nir_function_impl *impl = nir_shader_get_entrypoint(ctx->nir);
   struct cm_shader_code *part = tbr_gpu_code_add_part(compilation, part_of(ctx));
   const unsigned *of_block = part ? tbr_gpu_code_find_regions(compilation, ctx->nir) : NULL;
   if (!of_block)
      return;

   const bool valhall = ctx->arch >= 9;
   for (unsigned i = 0; i < impl->num_blocks; i++) {
      uint32_t *operations = tbr_gpu_code_operations(part, of_block[i]);
      bi_block *block = ctx->indexed_nir_blocks[i];
      if (!valhall) {
         count_bifrost(block, operations);
         continue;
      }
      bi_foreach_instr_in_block(block, instr) count_valhall_instr(instr, operations);
   }
   if (!valhall && part->part != CM_CODE_VARYINGS)
      count_preloads(ctx, tbr_gpu_code_operations(part, 0));
   part->bytes = bytes;
   part->registers = ctx->info.work_reg_count;
   part->threads_shared = ctx->info.work_reg_count <= 32 ? 1 : 2;
   part->spills = ctx->spills;
   part->fills = ctx->fills;
}

/* ---- compiling -------------------------------------------------------------- */

/** What the compiler has code for; it ends the process, or makes wrong code, where it meets something else. */
static bool
is_known(nir_intrinsic_op op, bool valhall)
{
   switch (op) {
   case nir_intrinsic_ballot:
   case nir_intrinsic_ballot_relaxed:
   case nir_intrinsic_barrier:
   case nir_intrinsic_ddx:
   case nir_intrinsic_ddx_coarse:
   case nir_intrinsic_ddx_fine:
   case nir_intrinsic_ddy:
   case nir_intrinsic_ddy_coarse:
   case nir_intrinsic_ddy_fine:
   case nir_intrinsic_global_atomic:
   case nir_intrinsic_global_atomic_swap:
   case nir_intrinsic_image_load:
   case nir_intrinsic_image_store:
   case nir_intrinsic_image_texel_address:
   case nir_intrinsic_load_barycentric_at_offset:
   case nir_intrinsic_load_barycentric_at_sample:
   case nir_intrinsic_load_barycentric_centroid:
   case nir_intrinsic_load_barycentric_pixel:
   case nir_intrinsic_load_barycentric_sample:
   case nir_intrinsic_load_converted_output_pan:
   case nir_intrinsic_load_draw_id:
   case nir_intrinsic_load_frag_coord_zw_pan:
   case nir_intrinsic_load_front_face:
   case nir_intrinsic_load_global:
   case nir_intrinsic_load_global_constant:
   case nir_intrinsic_load_global_invocation_id:
   case nir_intrinsic_load_input:
   case nir_intrinsic_load_instance_id:
   case nir_intrinsic_load_interpolated_input:
   case nir_intrinsic_load_local_invocation_id:
   case nir_intrinsic_load_pixel_coord:
   case nir_intrinsic_load_point_coord:
   case nir_intrinsic_load_sample_id:
   case nir_intrinsic_load_sample_mask:
   case nir_intrinsic_load_sample_mask_in:
   case nir_intrinsic_load_scratch:
   case nir_intrinsic_load_shared:
   case nir_intrinsic_load_subgroup_invocation:
   case nir_intrinsic_load_ubo:
   case nir_intrinsic_load_workgroup_id:
   case nir_intrinsic_read_invocation:
   case nir_intrinsic_shared_atomic:
   case nir_intrinsic_shared_atomic_swap:
   case nir_intrinsic_store_global:
   case nir_intrinsic_store_output:
   case nir_intrinsic_store_scratch:
   case nir_intrinsic_store_shared:
   case nir_intrinsic_terminate:
   case nir_intrinsic_terminate_if: return true;
   case nir_intrinsic_load_raw_vertex_id_pan: return !valhall;
   case nir_intrinsic_load_ssbo:
   case nir_intrinsic_load_ssbo_address:
   case nir_intrinsic_load_vertex_id:
   case nir_intrinsic_load_view_index: return valhall;
   default: return false;
   }
}

/** Whether the compiler will ask what differs between invocations, which it cannot say of a vertex' raw number. */
static bool
needs_divergence(const struct shader_info *info)
{
   return info->inputs_read_indirectly || info->outputs_accessed_indirectly ||
          info->patch_inputs_read_indirectly || info->patch_outputs_accessed_indirectly ||
          info->images_used[0];
}

static bool
is_unknown(nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   bool *unknown = data;
   if (intrinsic->intrinsic == nir_intrinsic_load_raw_vertex_id_pan && needs_divergence(&b->shader->info))
      *unknown = true;
   *unknown |= !is_known(intrinsic->intrinsic, b->shader->options == &bifrost_nir_options_v9);
   return false;
}

bool
tbr_gpu_compile_bifrost(struct tbr_gpu_compilation *compilation, nir_shader *nir)
{
   const bool valhall = compilation->isa == CM_ISA_VALHALL;
   struct panfrost_compile_inputs inputs = {
      .gpu_id = valhall ? GPU_VALHALL : GPU_BIFROST,
      .compiled = count_program,
      .compiled_data = compilation,
   };
   struct pan_shader_info info = {0};
   struct util_dynarray binary;

   bool unknown = false;
   nir->options = valhall ? &bifrost_nir_options_v9 : &bifrost_nir_options_v6;
   if (!tbr_gpu_panfrost_accepts(nir))
      return false;
   tbr_gpu_panfrost_begin(nir, inputs.gpu_id);
   bifrost_preprocess_nir(nir, inputs.gpu_id);
   tbr_gpu_panfrost_end(nir, &inputs);
   nir_shader_intrinsics_pass(nir, is_unknown, nir_metadata_all, &unknown);
   if (unknown)
      return false;
   inputs.valhall.use_ld_var_buf = valhall;
   util_dynarray_init(&binary, NULL);
   bifrost_compile_shader_nir(nir, &inputs, &binary, &info);
   util_dynarray_fini(&binary);
   return true;
}
