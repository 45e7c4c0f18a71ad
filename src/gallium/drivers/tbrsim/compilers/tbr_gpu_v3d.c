/* SPDX-License-Identifier: MIT */
/** Mesa's compiler for Broadcom's VideoCore VI, as its driver V3D uses it. */
#include "compilers/tbr_gpu_code_internal.h"

#include "nir_builder.h"
#include "util/simple_mtx.h"
#include "broadcom/compiler/v3d_compiler.h"
#include "broadcom/qpu/qpu_instr.h"
#include "compilers/tbr_gpu_widen.h"

/** V3D 4.2, of the Raspberry Pi 4: what the compiler looks at. */
static const struct v3d_device_info device = {
   .ver = 42,
   .vpm_size = 65536,
   .qpu_count = 8,
   .has_accumulators = true,
};

/** What V3D's compiler needs of the passes that it runs. */
static const struct nir_shader_compiler_options options = {
   .lower_uadd_sat = true,
   .lower_usub_sat = true,
   .lower_iadd_sat = true,
   .lower_extract_byte = true,
   .lower_extract_word = true,
   .lower_insert_byte = true,
   .lower_insert_word = true,
   .lower_bitfield_insert = true,
   .lower_bitfield_extract = true,
   .lower_bitfield_reverse = true,
   .lower_bit_count = true,
   .lower_cs_local_id_to_index = true,
   .lower_ffract = true,
   .lower_fmod = true,
   .lower_pack_unorm_2x16 = true,
   .lower_pack_snorm_2x16 = true,
   .lower_pack_unorm_4x8 = true,
   .lower_pack_snorm_4x8 = true,
   .lower_unpack_unorm_4x8 = true,
   .lower_unpack_snorm_4x8 = true,
   .lower_pack_half_2x16 = true,
   .lower_unpack_half_2x16 = true,
   .lower_pack_32_2x16 = true,
   .lower_pack_32_2x16_split = true,
   .lower_unpack_32_2x16_split = true,
   .lower_fdiv = true,
   .lower_find_lsb = true,
   .lower_ffma16 = true,
   .lower_ffma32 = true,
   .lower_ffma64 = true,
   .lower_flrp32 = true,
   .lower_fpow = true,
   .lower_fsat = true,
   .lower_fsqrt = true,
   .lower_ifind_msb = true,
   .lower_isign = true,
   .lower_ldexp = true,
   .lower_hadd = true,
   .lower_fisnormal = true,
   .lower_mul_high = true,
   .lower_wpos_pntc = true,
   .lower_to_scalar = true,
   .lower_fquantize2f16 = true,
   .lower_ufind_msb = true,
   .has_fsub = true,
   .has_isub = true,
   .has_uclz = true,
   .divergence_analysis_options = nir_divergence_multiple_workgroup_per_compute_subgroup,
   .max_unroll_iterations = 16,
   .force_indirect_unrolling_sampler = true,
   .scalarize_ddx = true,
};

/* ---- counting -------------------------------------------------------------- */

/** Writes to these registers begin a texture read. */
static bool
begins_texture(enum v3d_qpu_waddr waddr)
{
   return waddr == V3D_QPU_WADDR_TMUS || waddr == V3D_QPU_WADDR_TMUSCM || waddr == V3D_QPU_WADDR_TMUSF ||
          waddr == V3D_QPU_WADDR_TMUSLOD;
}

/** Writes to these registers begin a load, a store or an atomic. */
static bool
begins_access(enum v3d_qpu_waddr waddr)
{
   return waddr == V3D_QPU_WADDR_TMUA || waddr == V3D_QPU_WADDR_TMUAU;
}

/** What the two ALUs of an instruction do. */
static void
count_alus(const struct v3d_qpu_alu_instr *alu, uint32_t *operations)
{
   const bool adds = alu->add.op != V3D_QPU_A_NOP, multiplies = alu->mul.op != V3D_QPU_M_NOP;
   operations[CM_PIPE_FMA] += adds || multiplies;
   for (unsigned i = 0; i < 2; i++) {
      if (!(i ? multiplies && alu->mul.magic_write : adds && alu->add.magic_write))
         continue;
      const enum v3d_qpu_waddr waddr = i ? alu->mul.waddr : alu->add.waddr;
      operations[CM_PIPE_TEXTURE] += begins_texture(waddr);
      operations[CM_PIPE_LOAD_STORE] += begins_access(waddr);
   }
}

static void
count_instr(const struct v3d_qpu_instr *instr, uint32_t *operations)
{
   operations[CM_PIPE_ISSUE]++;
   if (instr->type != V3D_QPU_INSTR_TYPE_ALU)
      return;
   count_alus(&instr->alu, operations);
   operations[CM_PIPE_SFU] += v3d_qpu_uses_sfu(instr);
   operations[CM_PIPE_VARYING] += instr->sig.ldvary ? 2 : 0;
   operations[CM_PIPE_LOAD_STORE] += v3d_qpu_reads_vpm(instr) || v3d_qpu_writes_vpm(instr);
   operations[CM_PIPE_TILE] += v3d_qpu_uses_tlb(instr);
}

/** The part of a shader that is being compiled. */
struct v3d_part {
   struct tbr_gpu_compilation *compilation;
   enum cm_code_part part;
};

/** The compiler has a program. */
static void
count_program(void *data, const struct v3d_compile *c)
{
   struct v3d_part *compiled = data;
   struct cm_shader_code *part = tbr_gpu_code_add_part(compiled->compilation, compiled->part);
   const unsigned *of_block = part ? tbr_gpu_code_find_regions(compiled->compilation, c->s) : NULL;
   if (!of_block)
      return;

   unsigned region = 0, counted = 0;
   list_for_each_entry (struct qblock, block, &c->blocks, link) {
      /* What the compiler adds belongs to what is before it. */
      if (block->nir_block)
         region = of_block[block->nir_block->index];
      list_for_each_entry (struct qinst, instr, &block->instructions, link) {
         count_instr(&instr->qpu, tbr_gpu_code_operations(part, region));
         counted++;
      }
   }
   assert(counted == c->qpu_inst_count);
   part->bytes = counted * sizeof(uint64_t);
   part->registers = 64 / c->threads;
   part->threads_shared = 4 / c->threads;
   part->spills = c->spills;
   part->fills = c->fills;
}

/* ---- what the driver does before ---------------------------------------------- */

static bool
is_known_value(const nir_instr *instr)
{
   if (instr->type != nir_instr_type_intrinsic)
      return instr->type != nir_instr_type_call;
   switch (nir_instr_as_intrinsic((nir_instr *)instr)->intrinsic) {
   case nir_intrinsic_ballot:
   case nir_intrinsic_barrier:
   case nir_intrinsic_copy_deref:
   case nir_intrinsic_ddx:
   case nir_intrinsic_ddx_coarse:
   case nir_intrinsic_ddx_fine:
   case nir_intrinsic_ddy:
   case nir_intrinsic_ddy_coarse:
   case nir_intrinsic_ddy_fine:
   case nir_intrinsic_decl_reg:
   case nir_intrinsic_demote:
   case nir_intrinsic_demote_if:
   case nir_intrinsic_elect:
   case nir_intrinsic_get_ssbo_size:
   case nir_intrinsic_image_atomic:
   case nir_intrinsic_image_atomic_swap:
   case nir_intrinsic_image_load:
   case nir_intrinsic_image_size:
   case nir_intrinsic_image_store:
   case nir_intrinsic_interp_deref_at_centroid:
   case nir_intrinsic_interp_deref_at_offset:
   case nir_intrinsic_interp_deref_at_sample:
   case nir_intrinsic_load_deref:
   case nir_intrinsic_load_front_face:
   case nir_intrinsic_load_global_invocation_id:
   case nir_intrinsic_load_global_invocation_index:
   case nir_intrinsic_load_helper_invocation:
   case nir_intrinsic_load_instance_id:
   case nir_intrinsic_load_local_invocation_id:
   case nir_intrinsic_load_local_invocation_index:
   case nir_intrinsic_load_num_workgroups:
   case nir_intrinsic_load_reg:
   case nir_intrinsic_load_sample_id:
   case nir_intrinsic_load_sample_mask_in:
   case nir_intrinsic_load_sample_pos:
   case nir_intrinsic_load_shared:
   case nir_intrinsic_load_ssbo:
   case nir_intrinsic_load_subgroup_invocation:
   case nir_intrinsic_load_ubo:
   case nir_intrinsic_load_vertex_id:
   case nir_intrinsic_load_workgroup_id:
   case nir_intrinsic_load_workgroup_size:
   case nir_intrinsic_read_first_invocation:
   case nir_intrinsic_read_invocation:
   case nir_intrinsic_shared_atomic:
   case nir_intrinsic_shared_atomic_swap:
   case nir_intrinsic_ssbo_atomic:
   case nir_intrinsic_ssbo_atomic_swap:
   case nir_intrinsic_store_deref:
   case nir_intrinsic_store_reg:
   case nir_intrinsic_store_shared:
   case nir_intrinsic_store_ssbo:
   case nir_intrinsic_terminate:
   case nir_intrinsic_terminate_if:
   case nir_intrinsic_vote_all:
   case nir_intrinsic_vote_any: return true;
   default: return false;
   }
}

static bool
is_wide(nir_def *def, void *data)
{
   *(bool *)data |= def->bit_size == 64 || def->bit_size == 8;
   return true;
}

static bool
accepts(nir_shader *nir)
{
   const struct shader_info *info = &nir->info;
   bool known = true, wide = false;
   if (info->stage != MESA_SHADER_VERTEX && info->stage != MESA_SHADER_FRAGMENT &&
       info->stage != MESA_SHADER_COMPUTE)
      return false;
   /* Its vertex shaders store to no memory and choose no layer or viewport, and its fragment shaders do not read the tile
    * buffer by variables. */
   if ((info->stage == MESA_SHADER_VERTEX &&
        (info->writes_memory || info->outputs_written & (VARYING_BIT_LAYER | VARYING_BIT_VIEWPORT))) ||
       (info->stage == MESA_SHADER_FRAGMENT && info->outputs_read))
      return false;
   if (BITSET_LAST_BIT(info->textures_used) > V3D_MAX_TEXTURE_SAMPLERS)
      return false;
   nir_foreach_block (block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr (instr, block) {
         known &= is_known_value(instr);
         nir_foreach_def(instr, is_wide, &wide);
      }
   }
   return known && !wide;
}

/** Uniforms are no block, and blocks count from 0 without them. Texture reads without a sampler are as their texture's. */
static bool
name_uniforms(nir_builder *b, nir_instr *instr, void *data)
{
   if (instr->type == nir_instr_type_tex) {
      nir_tex_instr *tex = nir_instr_as_tex(instr);
      if (!nir_tex_instr_need_sampler(tex))
         tex->backend_flags = tex->texture_index;
      return true;
   }
   if (instr->type != nir_instr_type_intrinsic)
      return false;
   nir_intrinsic_instr *load = nir_instr_as_intrinsic(instr);
   if (load->intrinsic != nir_intrinsic_load_ubo)
      return false;
   b->cursor = nir_before_instr(instr);
   if (!nir_src_is_const(load->src[0]) || nir_src_as_uint(load->src[0])) {
      nir_src_rewrite(&load->src[0], nir_iadd_imm(b, load->src[0].ssa, -1));
      return true;
   }
   nir_def *value = nir_load_uniform(b, load->def.num_components, load->def.bit_size, load->src[1].ssa,
                                     .range = nir_intrinsic_range(load), .dest_type = nir_type_uint32);
   nir_def_replace(&load->def, value);
   return true;
}

static int
size_of_type(const struct glsl_type *type, bool bindless)
{
   return glsl_count_attribute_slots(type, false);
}

static void
prepare(nir_shader *nir)
{
   if (nir->info.stage != MESA_SHADER_VERTEX)
      NIR_PASS(_, nir, nir_lower_io, nir_var_shader_in | nir_var_shader_out, size_of_type, 0);
   NIR_PASS(_, nir, nir_normalize_cubemap_coords);
   NIR_PASS(_, nir, nir_lower_load_const_to_scalar);
   v3d_optimize_nir(NULL, nir);
   NIR_PASS(_, nir, nir_lower_var_copies);
   if (nir->info.stage == MESA_SHADER_COMPUTE) {
      static const struct nir_lower_compute_system_values_options values = {0};
      NIR_PASS(_, nir, nir_lower_compute_system_values, &values);
   }
   v3d_optimize_nir(NULL, nir);
   NIR_PASS(_, nir, nir_remove_dead_variables, nir_var_function_temp, NULL);
   NIR_PASS(_, nir, nir_lower_frexp);
   NIR_PASS(_, nir, nir_shader_instructions_pass, name_uniforms, nir_metadata_control_flow, NULL);
}

/* ---- compiling -------------------------------------------------------------- */

static simple_mtx_t compiler_mutex = SIMPLE_MTX_INITIALIZER;

/** The process' one, made when it is first needed. */
static struct v3d_compiler *
get_compiler(void)
{
   static struct v3d_compiler *compiler;
   simple_mtx_assert_locked(&compiler_mutex);
   if (!compiler) {
      v3d_process_debug_variable();
      compiler = (struct v3d_compiler *)v3d_compiler_init(&device, 0);
      if (compiler)
         compiler->compiled = count_program;
   }
   return compiler;
}

static void
ignore_message(const char *message, void *data)
{
}

static bool
compile_part(struct tbr_gpu_compilation *compilation, nir_shader *nir, struct v3d_key *key,
             enum cm_code_part part)
{
   struct v3d_part compiled = {compilation, part};
   struct v3d_prog_data *program = NULL;
   uint32_t bytes;
   simple_mtx_lock(&compiler_mutex);
   struct v3d_compiler *compiler = get_compiler();
   uint64_t *code = NULL;
   if (compiler) {
      compiler->compiled_data = &compiled;
      code = v3d_compile(compiler, key, &program, nir, ignore_message, NULL, 0, 0, &bytes);
   }
   simple_mtx_unlock(&compiler_mutex);
   ralloc_free(program);
   free(code);
   return code;
}

static void
describe_textures(const nir_shader *nir, struct v3d_key *key)
{
   key->num_tex_used = key->num_samplers_used = BITSET_LAST_BIT(nir->info.textures_used);
   for (unsigned i = 0; i < key->num_tex_used; i++) {
      /* Texels of up to 16 bits a channel. */
      key->sampler[i].return_size = 16;
      key->sampler[i].return_channels = 2;
      for (unsigned channel = 0; channel < 4; channel++)
         key->tex[i].swizzle[channel] = PIPE_SWIZZLE_X + channel;
   }
}

static bool
compile_fragment(struct tbr_gpu_compilation *compilation, nir_shader *nir)
{
   struct v3d_fs_key key = {.logicop_func = PIPE_LOGICOP_COPY};
   describe_textures(nir, &key.base);
   key.cbufs = nir->info.outputs_written >> FRAG_RESULT_DATA0;
   if (nir->info.outputs_written & BITFIELD64_BIT(FRAG_RESULT_COLOR))
      key.cbufs |= 1;
   return compile_part(compilation, nir, &key.base, CM_CODE_WHOLE);
}

/** Varyings that fragment shaders may read. */
static void
describe_outputs(nir_shader *nir, struct v3d_vs_key *key)
{
   nir_foreach_shader_out_variable (variable, nir) {
      const unsigned slots = glsl_count_attribute_slots(variable->type, false);
      switch (variable->data.location) {
      case VARYING_SLOT_POS:
      case VARYING_SLOT_PSIZ:
      case VARYING_SLOT_EDGE:
      case VARYING_SLOT_LAYER:
      case VARYING_SLOT_VIEWPORT: continue;
      default: break;
      }
      const unsigned components = glsl_get_components(glsl_without_array(variable->type));
      for (unsigned slot = 0; slot < slots; slot++) {
         for (unsigned i = 0; i < MIN2(components, 4 - variable->data.location_frac); i++) {
            if (key->num_used_outputs < ARRAY_SIZE(key->used_outputs))
               key->used_outputs[key->num_used_outputs++] =
                  v3d_slot_from_slot_and_component(variable->data.location + slot,
                                                   variable->data.location_frac + i);
         }
      }
   }
}

static bool
compile_vertex(struct tbr_gpu_compilation *compilation, nir_shader *nir)
{
   struct v3d_vs_key key = {.base.is_last_geometry_stage = true};
   describe_textures(nir, &key.base);
   key.is_coord = true;
   if (!compile_part(compilation, nir, &key.base, CM_CODE_POSITION))
      return false;
   key.is_coord = false;
   describe_outputs(nir, &key);
   return compile_part(compilation, nir, &key.base, CM_CODE_VARYINGS);
}

bool
tbr_gpu_compile_v3d(struct tbr_gpu_compilation *compilation, nir_shader *nir)
{
   nir->options = &options;
   if (!accepts(nir) || !tbr_gpu_widen(nir))
      return false;
   prepare(nir);
   if (nir->info.stage == MESA_SHADER_VERTEX)
      return compile_vertex(compilation, nir);
   if (nir->info.stage == MESA_SHADER_FRAGMENT)
      return compile_fragment(compilation, nir);
   struct v3d_key key = {0};
   describe_textures(nir, &key);
   return compile_part(compilation, nir, &key, CM_CODE_WHOLE);
}
