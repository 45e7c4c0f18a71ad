/* SPDX-License-Identifier: MIT */
#include "compilers/tbr_gpu_widen.h"

#include "nir_builder.h"
#include "util/half_float.h"

static const struct glsl_type *
widen_type(const struct glsl_type *type)
{
   if (glsl_type_is_array(type))
      return glsl_array_type(widen_type(glsl_get_array_element(type)), glsl_get_length(type),
                             glsl_get_explicit_stride(type));
   enum glsl_base_type base = glsl_get_base_type(type);
   switch (base) {
   case GLSL_TYPE_FLOAT16: base = GLSL_TYPE_FLOAT; break;
   case GLSL_TYPE_INT16: base = GLSL_TYPE_INT; break;
   case GLSL_TYPE_UINT16: base = GLSL_TYPE_UINT; break;
   default: return type;
   }
   return glsl_simple_type(base, glsl_get_vector_elements(type), glsl_get_matrix_columns(type));
}

/** A constant's value of 16 bits, of the type that its user takes it for. */
static nir_def *
widen_constant(nir_builder *b, const nir_load_const_instr *load, nir_alu_type type)
{
   nir_const_value values[NIR_MAX_VEC_COMPONENTS] = {0};
   for (unsigned i = 0; i < load->def.num_components; i++) {
      const uint16_t bits = load->value[i].u16;
      if (nir_alu_type_get_base_type(type) == nir_type_int)
         values[i].i32 = (int16_t)bits;
      else if (nir_alu_type_get_base_type(type) == nir_type_uint)
         values[i].u32 = bits;
      else
         values[i].f32 = _mesa_half_to_float(bits);
   }
   return nir_build_imm(b, load->def.num_components, 32, values);
}

/** The source is used as what. */
static nir_alu_type
type_of_source(const nir_src *src)
{
   const nir_instr *user = nir_src_parent_instr(src);
   if (user->type != nir_instr_type_alu)
      return nir_type_float;
   const nir_alu_instr *alu = nir_instr_as_alu((nir_instr *)user);
   const unsigned number = container_of(src, nir_alu_src, src) - alu->src;
   return nir_op_infos[alu->op].input_types[number];
}

static void
widen_constant_uses(nir_builder *b, nir_load_const_instr *load)
{
   nir_foreach_use_safe(src, &load->def)
   {
      b->cursor = nir_before_src(src);
      nir_src_rewrite(src, widen_constant(b, load, type_of_source(src)));
   }
}

/** The operation for 32 bits of one that names its sizes. */
static nir_op
widen_op(const nir_alu_instr *alu)
{
   const nir_op_info *info = &nir_op_infos[alu->op];
   nir_alu_type source = info->input_types[0], result = info->output_type;
   if (!info->is_conversion)
      return alu->op;
   if (nir_alu_type_get_type_size(result) == 16)
      result = nir_alu_type_get_base_type(result) | 32;
   /* Of sizes that are not named, that of the value: now 32 bits where they were 16. */
   if (!nir_alu_type_get_type_size(source))
      source |= alu->src[0].src.ssa->bit_size;
   if (source == result)
      return nir_op_mov;
   return nir_type_conversion_op(source, result, nir_rounding_mode_undef);
}

static void
widen_instr(nir_builder *b, nir_instr *instr)
{
   nir_def *def = nir_instr_def(instr);
   if (instr->type == nir_instr_type_load_const) {
      if (def->bit_size == 16)
         widen_constant_uses(b, nir_instr_as_load_const(instr));
      return;
   }
   if (instr->type == nir_instr_type_deref)
      nir_instr_as_deref(instr)->type = widen_type(nir_instr_as_deref(instr)->type);
   if (instr->type == nir_instr_type_alu && def->bit_size >= 16)
      nir_instr_as_alu(instr)->op = widen_op(nir_instr_as_alu(instr));
   if (instr->type == nir_instr_type_tex && def->bit_size == 16) {
      nir_tex_instr *tex = nir_instr_as_tex(instr);
      tex->dest_type = nir_alu_type_get_base_type(tex->dest_type) | 32;
   }
   if (def && def->bit_size == 16)
      def->bit_size = 32;
}

/** Whether an instruction takes 16 bits by its name. */
static bool
is_left(nir_builder *b, nir_alu_instr *alu, void *data)
{
   for (unsigned i = 0; i < nir_op_infos[alu->op].num_inputs; i++)
      *(bool *)data |= nir_alu_type_get_type_size(nir_op_infos[alu->op].input_types[i]) == 16;
   return false;
}

bool
tbr_gpu_widen(nir_shader *nir)
{
   bool left = false;
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   nir_builder b = nir_builder_create(impl);
   nir_foreach_variable_in_shader(variable, nir) variable->type = widen_type(variable->type);
   nir_foreach_function_temp_variable(variable, impl) variable->type = widen_type(variable->type);
   nir_foreach_block (block, impl) {
      nir_foreach_instr_safe (instr, block)
         widen_instr(&b, instr);
   }
   nir_metadata_preserve(impl, nir_metadata_control_flow);
   nir_shader_alu_pass(nir, is_left, nir_metadata_all, &left);
   if (left)
      return false;
   NIR_PASS(_, nir, nir_copy_prop);
   NIR_PASS(_, nir, nir_opt_dce);
   return true;
}
