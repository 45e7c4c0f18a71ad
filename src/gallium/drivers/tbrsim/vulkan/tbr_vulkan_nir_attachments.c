/* SPDX-License-Identifier: MIT */
/** A fragment shader's outputs and input attachments become those of the pass. */
#include "vulkan/tbr_vulkan_nir.h"

/* ---- outputs --------------------------------------------------------------- */

/** The second colour of dual-source blending is no buffer's. */
static bool
is_color(const nir_variable *variable)
{
   return !variable->data.index && variable->data.location >= FRAG_RESULT_DATA0 &&
          variable->data.location < FRAG_RESULT_DATA0 + TBR_MAX_COLOR_BUFFERS;
}

void
tbr_nir_map_outputs(nir_shader *nir, const struct tbr_attachment_map *map)
{
   /* A variable for each location. */
   NIR_PASS_V(nir, nir_lower_indirect_derefs, nir_var_shader_out, UINT32_MAX);
   NIR_PASS_V(nir, nir_lower_io_arrays_to_elements_no_indirects, true);
   nir_foreach_variable_with_modes_safe(variable, nir, nir_var_shader_out)
   {
      if (!is_color(variable))
         continue;
      const unsigned color = map->color[variable->data.location - FRAG_RESULT_DATA0];
      if (color == TBR_NO_ATTACHMENT)
         variable->data.mode = nir_var_shader_temp;
      else
         variable->data.location = FRAG_RESULT_DATA0 + (int)color;
   }
   nir_fixup_deref_modes(nir);
   NIR_PASS_V(nir, nir_lower_global_vars_to_local);
   NIR_PASS_V(nir, nir_lower_vars_to_ssa);
   NIR_PASS_V(nir, nir_opt_dce);
   nir_assign_io_var_locations(nir, nir_var_shader_out, &nir->num_outputs, nir->info.stage);
   nir_shader_gather_info(nir, nir_shader_get_entrypoint(nir));
}

/* ---- input attachments -------------------------------------------------------- */

static int
location_of(unsigned attachment)
{
   switch (attachment) {
   case TBR_DEPTH: return FRAG_RESULT_DEPTH;
   case TBR_STENCIL: return FRAG_RESULT_STENCIL;
   default: return FRAG_RESULT_DATA0 + (int)attachment - TBR_COLOR0;
   }
}

/** A variable that is only fetched, as in OpenGL ES gl_LastFragData is. */
static nir_variable *
fetched_variable(nir_shader *nir, int location, const struct glsl_type *type)
{
   nir_foreach_shader_out_variable (variable, nir) {
      if (variable->data.fb_fetch_output && variable->data.location == location && variable->type == type)
         return variable;
   }
   nir_variable *variable = nir_variable_create(nir, nir_var_shader_out, type, NULL);
   variable->data.location = location;
   variable->data.fb_fetch_output = true;
   nir->info.fs.uses_fbfetch_output = true;
   return variable;
}

void
tbr_nir_fetch_input(nir_builder *b, nir_intrinsic_instr *load, unsigned attachment)
{
   const nir_alu_type kind = nir_alu_type_get_base_type(nir_intrinsic_dest_type(load));
   const enum glsl_base_type base = kind == nir_type_float  ? GLSL_TYPE_FLOAT
                                    : kind == nir_type_uint ? GLSL_TYPE_UINT
                                                            : GLSL_TYPE_INT;
   const bool is_color = attachment >= TBR_COLOR0;
   b->cursor = nir_before_instr(&load->instr);
   nir_def *value = nir_load_var(b, fetched_variable(b->shader, location_of(attachment),
                                                     glsl_vector_type(base, is_color ? 4 : 1)));
   if (!is_color) {
      nir_def *zero = nir_imm_int(b, 0);
      value =
         nir_vec4(b, value, zero, zero, kind == nir_type_float ? nir_imm_float(b, 1) : nir_imm_int(b, 1));
   }
   nir_def_replace(&load->def, nir_trim_vector(b, value, load->def.num_components));
}
