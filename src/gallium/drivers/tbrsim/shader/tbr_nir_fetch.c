/* SPDX-License-Identifier: MIT */
#include "shader/tbr_nir_fetch.h"

#include "nir_builder.h"

#include "shader/tbr_nir.h"

struct fetch_lowering {
   unsigned base;
   uint32_t fetched;
};

static nir_variable *
fetched_variable(const nir_intrinsic_instr *intrinsic)
{
   if (intrinsic->intrinsic != nir_intrinsic_load_deref)
      return NULL;
   nir_variable *variable = nir_intrinsic_get_var(intrinsic, 0);
   return variable && variable->data.mode == nir_var_shader_out && variable->data.fb_fetch_output ? variable
                                                                                                  : NULL;
}

/** Which value of the framebuffer a variable begins with. */
static unsigned
first_value(const nir_variable *variable)
{
   switch (variable->data.location) {
   case FRAG_RESULT_DEPTH: return TBR_DEPTH;
   case FRAG_RESULT_STENCIL: return TBR_STENCIL;
   case FRAG_RESULT_COLOR: return TBR_COLOR0;
   default:
      assert(variable->data.location >= FRAG_RESULT_DATA0);
      return TBR_COLOR0 + variable->data.location - FRAG_RESULT_DATA0;
   }
}

/** Buffers hold 32 bits a component; mediump variables have 16. */
static nir_def *
convert_fetched(nir_builder *b, nir_def *value, const nir_intrinsic_instr *intrinsic)
{
   if (intrinsic->def.bit_size == 32)
      return value;
   assert(intrinsic->def.bit_size == 16);
   const nir_deref_instr *deref = nir_src_as_deref(intrinsic->src[0]);
   return glsl_base_type_is_integer(glsl_get_base_type(deref->type)) ? nir_u2u16(b, value)
                                                                     : nir_f2f16(b, value);
}

static bool
lower_fetch(nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   struct fetch_lowering *lowering = data;
   const nir_variable *variable = fetched_variable(intrinsic);
   if (!variable)
      return false;

   unsigned value = first_value(variable);
   const nir_deref_instr *deref = nir_src_as_deref(intrinsic->src[0]);
   if (deref->deref_type == nir_deref_type_array)
      value += nir_src_as_uint(deref->arr.index);
   lowering->fetched |= 1u << value;
   b->cursor = nir_before_instr(&intrinsic->instr);
   nir_def *fetched = tbr_nir_load_input(b, intrinsic->def.num_components, lowering->base + value,
                                         variable->data.location_frac);
   nir_def_replace(&intrinsic->def, convert_fetched(b, fetched, intrinsic));
   return true;
}

/* ---- advanced blend equations ------------------------------------------------ */

/** The byte in constant buffer 0 at which Mesa says which equation to use; -1 if the shader does not ask. */
static int
find_blend_mode(const nir_shader *nir)
{
   nir_foreach_uniform_variable (variable, nir) {
      if (variable->data.how_declared == nir_var_hidden &&
          !strcmp(variable->name, "gl_AdvancedBlendModeMESA"))
         return variable->data.driver_location * sizeof(uint32_t);
   }
   return -1;
}

static bool
fold_blend_mode(nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   const int offset = *(int *)data;
   if (intrinsic->intrinsic != nir_intrinsic_load_ubo || !nir_src_is_const(intrinsic->src[0]) ||
       nir_src_as_uint(intrinsic->src[0]) != 0 || !nir_src_is_const(intrinsic->src[1]) ||
       nir_src_as_uint(intrinsic->src[1]) != (unsigned)offset)
      return false;
   assert(intrinsic->def.num_components == 1);
   b->cursor = nir_before_instr(&intrinsic->instr);
   nir_def_replace(&intrinsic->def, nir_imm_intN_t(b, BLEND_NONE, intrinsic->def.bit_size));
   return true;
}

bool
tbr_nir_drop_blend_equation(nir_shader *nir)
{
   int offset = nir->info.fs.advanced_blend_modes ? find_blend_mode(nir) : -1;
   if (offset < 0)
      return false;

   bool progress = nir_shader_intrinsics_pass(nir, fold_blend_mode, nir_metadata_control_flow, &offset);
   while (progress) {
      progress = false;
      NIR_PASS(progress, nir, nir_copy_prop);
      NIR_PASS(progress, nir, nir_opt_constant_folding);
      NIR_PASS(progress, nir, nir_opt_algebraic);
      NIR_PASS(progress, nir, nir_opt_dead_cf);
      NIR_PASS(progress, nir, nir_opt_remove_phis);
      NIR_PASS(progress, nir, nir_opt_dce);
   }
   return true;
}

/* ---- fetches ------------------------------------------------------------------ */

/** gl_LastFragData has the locations of the outputs, but is none. */
static bool
is_for_fetching(nir_variable *variable, void *data)
{
   return variable->data.fb_fetch_output;
}

uint32_t
tbr_nir_lower_framebuffer_fetch(nir_shader *nir, unsigned base)
{
   struct fetch_lowering lowering = {.base = base};
   if (!nir->info.fs.uses_fbfetch_output)
      return 0;

   NIR_PASS_V(nir, nir_lower_indirect_derefs, nir_var_shader_out, UINT32_MAX);
   nir_shader_intrinsics_pass(nir, lower_fetch, nir_metadata_control_flow, &lowering);
   NIR_PASS_V(nir, nir_remove_dead_derefs);
   const nir_remove_dead_variables_options options = {.can_remove_var = is_for_fetching};
   NIR_PASS_V(nir, nir_remove_dead_variables, nir_var_shader_out, &options);
   nir_foreach_shader_out_variable (variable, nir)
      variable->data.fb_fetch_output = false;
   return lowering.fetched;
}
