/* SPDX-License-Identifier: MIT */
#include "compilers/tbr_gpu_panfrost.h"

#include "nir_builder.h"
#include "panfrost/lib/pan_props.h"
#include "panfrost/util/pan_ir.h"

/* ---- what is accepted -------------------------------------------------------- */

static bool
has_wide_value(nir_def *def, void *data)
{
   *(bool *)data |= def->bit_size == 64;
   return true;
}

static bool
is_accepted(const nir_instr *instr)
{
   if (instr->type == nir_instr_type_call)
      return false;
   if (instr->type == nir_instr_type_tex) {
      const nir_texop op = nir_instr_as_tex((nir_instr *)instr)->op;
      return op != nir_texop_query_levels && op != nir_texop_texture_samples &&
             op != nir_texop_samples_identical;
   }
   if (instr->type != nir_instr_type_intrinsic)
      return true;
   switch (nir_instr_as_intrinsic((nir_instr *)instr)->intrinsic) {
   case nir_intrinsic_emit_vertex:
   case nir_intrinsic_end_primitive: return false;
   default: return true;
   }
}

bool
tbr_gpu_panfrost_accepts(nir_shader *nir)
{
   const gl_shader_stage stage = nir->info.stage;
   if (stage != MESA_SHADER_VERTEX && stage != MESA_SHADER_FRAGMENT && stage != MESA_SHADER_COMPUTE)
      return false;
   /* Only fragment and compute shaders have side effects. */
   if (stage == MESA_SHADER_VERTEX && nir->info.writes_memory)
      return false;
   /* Panfrost does not let vertex shaders choose the layer or the viewport. */
   if (stage == MESA_SHADER_VERTEX && nir->info.outputs_written & (VARYING_BIT_LAYER | VARYING_BIT_VIEWPORT))
      return false;
   /* Reads of the tile buffer and second sources depend on formats. */
   if (stage == MESA_SHADER_FRAGMENT &&
       (nir->info.outputs_read || nir->info.fs.pixel_interlock_ordered || nir->info.fs.color_is_dual_source))
      return false;
   bool wide = false, accepted = true;
   nir_foreach_block (block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr (instr, block) {
         accepted &= is_accepted(instr);
         nir_foreach_def(instr, has_wide_value, &wide);
      }
   }
   return accepted && !wide;
}

/* ---- values that the driver provides ------------------------------------------- */

/** Of the values that draws and dispatches have, and Panfrost's driver keeps in a uniform block: a number of its own for each.
 * -1: not one of them. */
static int
provided_value(nir_instr *instr, unsigned arch)
{
   if (instr->type == nir_instr_type_tex) {
      const nir_tex_instr *tex = nir_instr_as_tex(instr);
      return tex->op == nir_texop_txs ? 32 + (int)(tex->texture_index % 32) : -1;
   }
   if (instr->type != nir_instr_type_intrinsic)
      return -1;
   nir_intrinsic_instr *intrinsic = nir_instr_as_intrinsic(instr);
   switch (intrinsic->intrinsic) {
   case nir_intrinsic_load_viewport_scale: return 0;
   case nir_intrinsic_load_viewport_offset: return 1;
   case nir_intrinsic_load_num_workgroups: return 2;
   case nir_intrinsic_load_workgroup_size: return 3;
   case nir_intrinsic_load_work_dim: return 4;
   case nir_intrinsic_load_num_vertices: return 5;
   case nir_intrinsic_load_raw_vertex_offset_pan:
   case nir_intrinsic_load_first_vertex:
   case nir_intrinsic_load_base_vertex:
   case nir_intrinsic_load_base_instance: return 6;
   case nir_intrinsic_load_multisampled_pan: return 7;
   case nir_intrinsic_load_sample_positions_pan: return 8;
   case nir_intrinsic_load_draw_id: return arch >= 10 ? -1 : 9;
   case nir_intrinsic_load_rt_conversion_pan: return 10 + (int)nir_intrinsic_base(intrinsic);
   case nir_intrinsic_load_ssbo_address: return arch >= 9 ? -1 : 64;
   case nir_intrinsic_get_ssbo_size: return 64;
   case nir_intrinsic_image_size: return 65;
   default: return -1;
   }
}

struct provided {
   unsigned arch;
   unsigned block; /**< of uniforms; 0: none yet */
};

static bool
load_provided(nir_builder *b, nir_instr *instr, void *data)
{
   struct provided *provided = data;
   const int number = provided_value(instr, provided->arch);
   if (number < 0)
      return false;
   nir_def *old = nir_instr_def(instr);
   int offset = number * 16;
   /* The numbers of a texture, a buffer or an image may be computed; what is loaded costs the same. */
   b->cursor = nir_after_instr(instr);
   if (!provided->block)
      provided->block = b->shader->info.num_ubos++;
   nir_def *value = nir_load_ubo(b, old->num_components, old->bit_size, nir_imm_int(b, provided->block),
                                 nir_imm_int(b, offset), .align_mul = old->bit_size / 8, .align_offset = 0,
                                 .range_base = offset, .range = 16);
   nir_def_replace(old, value);
   return true;
}

/* ---- tables of Valhall ------------------------------------------------------------ */

/** The numbers that Panfrost's driver gives to its tables of resources. */
enum resource_table {
   TABLE_UNIFORMS,
   TABLE_ATTRIBUTES,
   TABLE_SAMPLERS = 3,
   TABLE_TEXTURES,
   TABLE_IMAGES,
   TABLE_STORAGE,
};

static void
name_texture_tables(nir_builder *b, nir_tex_instr *tex)
{
   b->cursor = nir_before_instr(&tex->instr);
   nir_def *texture = nir_steal_tex_src(tex, nir_tex_src_texture_offset);
   nir_def *sampler = nir_steal_tex_src(tex, nir_tex_src_sampler_offset);
   if (texture)
      nir_tex_instr_add_src(tex, nir_tex_src_texture_offset,
                            nir_ior_imm(b, texture, pan_res_handle(TABLE_TEXTURES, 0)));
   else
      tex->texture_index = pan_res_handle(TABLE_TEXTURES, tex->texture_index);
   if (!nir_tex_instr_need_sampler(tex))
      tex->sampler_index = pan_res_handle(TABLE_SAMPLERS, 0);
   else if (sampler)
      nir_tex_instr_add_src(tex, nir_tex_src_sampler_offset,
                            nir_ior_imm(b, sampler, pan_res_handle(TABLE_SAMPLERS, 0)));
   else
      tex->sampler_index = pan_res_handle(TABLE_SAMPLERS, tex->sampler_index);
}

static bool
name_table(nir_builder *b, nir_intrinsic_instr *intrinsic, enum resource_table table)
{
   b->cursor = nir_before_instr(&intrinsic->instr);
   nir_src_rewrite(&intrinsic->src[0], nir_ior_imm(b, intrinsic->src[0].ssa, pan_res_handle(table, 0)));
   return true;
}

static bool
name_tables(nir_builder *b, nir_instr *instr, void *data)
{
   if (instr->type == nir_instr_type_tex) {
      name_texture_tables(b, nir_instr_as_tex(instr));
      return true;
   }
   if (instr->type != nir_instr_type_intrinsic)
      return false;
   nir_intrinsic_instr *intrinsic = nir_instr_as_intrinsic(instr);
   switch (intrinsic->intrinsic) {
   case nir_intrinsic_image_load:
   case nir_intrinsic_image_store:
   case nir_intrinsic_image_texel_address: return name_table(b, intrinsic, TABLE_IMAGES);
   case nir_intrinsic_load_ubo: return name_table(b, intrinsic, TABLE_UNIFORMS);
   case nir_intrinsic_load_ssbo:
   case nir_intrinsic_load_ssbo_address: return name_table(b, intrinsic, TABLE_STORAGE);
   case nir_intrinsic_load_input:
      if (b->shader->info.stage != MESA_SHADER_VERTEX)
         return false;
      nir_intrinsic_set_base(intrinsic, pan_res_handle(TABLE_ATTRIBUTES, nir_intrinsic_base(intrinsic)));
      return true;
   default: return false;
   }
}

/* ---- uniforms of 16 bits ------------------------------------------------------------ */

/** Panfrost has uniforms of mediump in its uniform block with 16 bits, where tbrsim has them with 32 and converts them. */
static bool
narrow_uniform(nir_builder *b, nir_alu_instr *alu, void *data)
{
   if (alu->op != nir_op_f2f16 && alu->op != nir_op_f2fmp)
      return false;
   nir_intrinsic_instr *load = nir_src_as_intrinsic(alu->src[0].src);
   if (!load || load->intrinsic != nir_intrinsic_load_ubo || load->def.bit_size != 32 ||
       !nir_src_is_const(load->src[0]) || nir_src_as_uint(load->src[0]))
      return false;
   b->cursor = nir_after_instr(&load->instr);
   /* At the same offset: no two have the same, and what is loaded does not matter. */
   nir_def *value =
      nir_load_ubo(b, load->def.num_components, 16, load->src[0].ssa, load->src[1].ssa,
                   .align_mul = nir_intrinsic_align_mul(load),
                   .align_offset = nir_intrinsic_align_offset(load),
                   .range_base = nir_intrinsic_range_base(load), .range = nir_intrinsic_range(load));
   nir_src_rewrite(&alu->src[0].src, value);
   alu->op = nir_op_mov;
   return true;
}

/* ---- around the compiler ---------------------------------------------------------- */

void
tbr_gpu_panfrost_begin(nir_shader *nir, unsigned gpu_id)
{
   /* Transform feedback is a separate program. */
   nir->info.has_transform_feedback_varyings = false;
   if (nir->info.stage == MESA_SHADER_FRAGMENT &&
       nir->info.outputs_written & BITFIELD64_BIT(FRAG_RESULT_COLOR))
      NIR_PASS(_, nir, nir_lower_fragcolor, 1);
   /* Midgard's have 32. */
   if (pan_arch(gpu_id) >= 6 && nir_shader_alu_pass(nir, narrow_uniform, nir_metadata_control_flow, NULL)) {
      NIR_PASS(_, nir, nir_copy_prop);
      NIR_PASS(_, nir, nir_opt_dce);
      NIR_PASS(_, nir, nir_opt_cse);
   }
}

void
tbr_gpu_panfrost_end(nir_shader *nir, struct panfrost_compile_inputs *inputs)
{
   struct provided provided = {.arch = pan_arch(inputs->gpu_id)};
   if (nir->info.stage == MESA_SHADER_VERTEX)
      NIR_PASS(_, nir, pan_nir_lower_static_noperspective, 0);
   bool progress;
   do {
      progress = false;
      NIR_PASS(progress, nir, nir_copy_prop);
      NIR_PASS(progress, nir, nir_opt_constant_folding);
      NIR_PASS(progress, nir, nir_opt_dce);
   } while (progress);
   nir->info.num_ubos = MAX2(nir->info.num_ubos, 1);
   NIR_PASS(_, nir, nir_shader_instructions_pass, load_provided, nir_metadata_control_flow, &provided);
   /* The default block, and that of the driver. */
   inputs->pushable_ubos = 1 | (provided.block ? BITFIELD_BIT(provided.block) : 0);
   if (provided.arch >= 9)
      NIR_PASS(_, nir, nir_shader_instructions_pass, name_tables, nir_metadata_control_flow, NULL);
}
