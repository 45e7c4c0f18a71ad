/* SPDX-License-Identifier: MIT */
#include "shader/tbr_nir_numbers.h"

#include <assert.h>

#include "nir.h"
#include "nir_builder.h"

/** Whether Mesa's draw executes the shader. */
static bool
is_drawn(const nir_shader *nir)
{
   return nir->info.stage != MESA_SHADER_FRAGMENT && nir->info.stage != MESA_SHADER_COMPUTE;
}

/** What an intrinsic that names a resource by its number accesses. */
enum named_kind { NAMES_NOTHING, NAMES_BLOCK, NAMES_BUFFER, NAMES_IMAGE };

static enum named_kind
kind_of(const nir_intrinsic_instr *intrinsic)
{
   switch (intrinsic->intrinsic) {
   case nir_intrinsic_load_ubo: return NAMES_BLOCK;
   case nir_intrinsic_load_ssbo:
   case nir_intrinsic_store_ssbo:
   case nir_intrinsic_ssbo_atomic:
   case nir_intrinsic_ssbo_atomic_swap:
   case nir_intrinsic_get_ssbo_size: return NAMES_BUFFER;
   case nir_intrinsic_image_load:
   case nir_intrinsic_image_store:
   case nir_intrinsic_image_atomic:
   case nir_intrinsic_image_atomic_swap:
   case nir_intrinsic_image_size:
   case nir_intrinsic_image_samples: return NAMES_IMAGE;
   default: return NAMES_NOTHING;
   }
}

static nir_src *
number_of(nir_intrinsic_instr *intrinsic)
{
   return &intrinsic->src[intrinsic->intrinsic == nir_intrinsic_store_ssbo];
}

static bool
is_marked(const nir_intrinsic_instr *intrinsic)
{
   return kind_of(intrinsic) != NAMES_NOTHING && nir_intrinsic_access(intrinsic) & ACCESS_NON_UNIFORM;
}

/* ---- bounds ------------------------------------------------------------------ */

static bool
bound_number(nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   const struct shader_info *info = &b->shader->info;
   const unsigned counts[] = {
      [NAMES_BLOCK] = info->num_ubos,
      [NAMES_BUFFER] = info->num_ssbos,
      [NAMES_IMAGE] = info->num_images,
   };
   if (!is_marked(intrinsic))
      return false;
   assert(counts[kind_of(intrinsic)]);
   b->cursor = nir_before_instr(&intrinsic->instr);
   nir_src *number = number_of(intrinsic);
   nir_src_rewrite(number, nir_umin(b, number->ssa, nir_imm_int(b, counts[kind_of(intrinsic)] - 1)));
   return true;
}

void
tbr_nir_bound_numbers(nir_shader *nir)
{
   nir_shader_intrinsics_pass(nir, bound_number, nir_metadata_control_flow, NULL);
}

/* ---- numbers that do not differ ------------------------------------------------ */

/** Expressions that are deeper than this are taken for different. */
#define MAX_DEPTH 8

/** Whether all invocations of a vector, which are of one draw or work-group, have the same value. */
static bool
is_same_for_all(const nir_def *value, unsigned depth)
{
   if (value->parent_instr->type == nir_instr_type_load_const)
      return true;
   if (depth == MAX_DEPTH)
      return false;
   if (value->parent_instr->type == nir_instr_type_alu) {
      const nir_alu_instr *alu = nir_instr_as_alu(value->parent_instr);
      for (unsigned i = 0; i < nir_op_infos[alu->op].num_inputs; i++) {
         if (!is_same_for_all(alu->src[i].src.ssa, depth + 1))
            return false;
      }
      return true;
   }
   if (value->parent_instr->type != nir_instr_type_intrinsic)
      return false;
   const nir_intrinsic_instr *intrinsic = nir_instr_as_intrinsic(value->parent_instr);
   switch (intrinsic->intrinsic) {
   case nir_intrinsic_load_workgroup_id:
   case nir_intrinsic_load_num_workgroups: return true;
   case nir_intrinsic_load_ubo:
      return is_same_for_all(intrinsic->src[0].ssa, depth + 1) &&
             is_same_for_all(intrinsic->src[1].ssa, depth + 1);
   default: return false;
   }
}

/** Of a texture. Dispatches of OpenGL, which has no marks, read textures one invocation after another. */
static bool
needs_mark(const nir_shader *nir, const nir_tex_instr *tex)
{
   const int number = nir_tex_instr_src_index(tex, nir_tex_src_texture_offset);
   return number >= 0 && (tex->texture_non_uniform || nir->info.stage == MESA_SHADER_COMPUTE) &&
          !is_same_for_all(tex->src[number].src.ssa, 0);
}

/** Takes marks away that are not needed; *data: whether any are left. */
static bool
mark_needed(nir_builder *b, nir_instr *instr, void *data)
{
   bool *any = data;
   if (instr->type == nir_instr_type_tex) {
      nir_tex_instr *tex = nir_instr_as_tex(instr);
      tex->texture_non_uniform = tex->sampler_non_uniform = needs_mark(b->shader, tex);
      *any |= tex->texture_non_uniform;
   } else if (instr->type == nir_instr_type_intrinsic && is_marked(nir_instr_as_intrinsic(instr))) {
      nir_intrinsic_instr *intrinsic = nir_instr_as_intrinsic(instr);
      /* gallivm's own accesses to buffers are one invocation after another. */
      const bool is_each =
         kind_of(intrinsic) == NAMES_BUFFER && intrinsic->intrinsic != nir_intrinsic_get_ssbo_size;
      if (is_each || is_same_for_all(number_of(intrinsic)->ssa, 0))
         nir_intrinsic_set_access(intrinsic, nir_intrinsic_access(intrinsic) & ~ACCESS_NON_UNIFORM);
      else
         *any = true;
   }
   return false; /* nothing but marks has changed */
}

/* ---- textures and images of shaders that draw executes ---------------------------- */

/** The instruction for the texture of a number that is known, at the cursor. */
static nir_def *
read_texture(nir_builder *b, const nir_instr *instr, unsigned number)
{
   static const nir_tex_src_type computed[] = {nir_tex_src_texture_offset, nir_tex_src_sampler_offset};
   nir_tex_instr *read = nir_instr_as_tex(nir_instr_clone(b->shader, instr));
   nir_builder_instr_insert(b, &read->instr);
   for (unsigned i = 0; i < ARRAY_SIZE(computed); i++) {
      const int source = nir_tex_instr_src_index(read, computed[i]);
      if (source >= 0)
         nir_tex_instr_remove_src(read, (unsigned)source);
   }
   read->texture_index = read->sampler_index = number;
   read->texture_non_uniform = read->sampler_non_uniform = false;
   return &read->def;
}

/** The same for an image; NULL: it has no result. */
static nir_def *
access_image(nir_builder *b, const nir_instr *instr, unsigned number)
{
   nir_intrinsic_instr *access = nir_instr_as_intrinsic(nir_instr_clone(b->shader, instr));
   nir_builder_instr_insert(b, &access->instr);
   b->cursor = nir_before_instr(&access->instr);
   nir_src_rewrite(&access->src[0], nir_imm_int(b, (int)number));
   b->cursor = nir_after_instr(&access->instr);
   nir_intrinsic_set_access(access, nir_intrinsic_access(access) & ~ACCESS_NON_UNIFORM);
   return nir_intrinsic_infos[access->intrinsic].has_dest ? &access->def : NULL;
}

/** The instruction for the one of `count` textures or images from `first` on that `number` says; beyond them the last. */
static nir_def *
choose(nir_builder *b, const nir_instr *instr, nir_def *number, unsigned first, unsigned count)
{
   if (count == 1)
      return instr->type == nir_instr_type_tex ? read_texture(b, instr, first)
                                               : access_image(b, instr, first);
   const unsigned half = count / 2;
   nir_push_if(b, nir_ult_imm(b, number, first + half));
   nir_def *lower = choose(b, instr, number, first, half);
   nir_push_else(b, NULL);
   nir_def *upper = choose(b, instr, number, first + half, count - half);
   nir_pop_if(b, NULL);
   return lower ? nir_if_phi(b, lower, upper) : NULL;
}

static void
replace(nir_builder *b, nir_instr *instr, nir_def *old, nir_def *number, unsigned first, unsigned end)
{
   nir_def *result = choose(b, instr, number, first, end - first);
   if (result)
      nir_def_rewrite_uses(old, result);
   nir_instr_remove(instr);
}

/** gallivm has no code for all of them: it reads textures one invocation after another, without offsets and derivatives, and
 * takes the first image's size. Branches between those that are known instead. */
static bool
branch(nir_builder *b, nir_instr *instr, void *data)
{
   const struct shader_info *info = &b->shader->info;
   b->cursor = nir_before_instr(instr);
   if (instr->type == nir_instr_type_tex) {
      nir_tex_instr *tex = nir_instr_as_tex(instr);
      const int offset = nir_tex_instr_src_index(tex, nir_tex_src_texture_offset);
      if (offset < 0 || !tex->texture_non_uniform)
         return false;
      assert(tex->texture_index <= tex->sampler_index && tex->sampler_index < info->num_textures);
      nir_def *number = nir_iadd_imm(b, tex->src[offset].src.ssa, tex->texture_index);
      replace(b, instr, &tex->def, number, tex->texture_index, tex->sampler_index + 1);
      return true;
   }
   if (instr->type != nir_instr_type_intrinsic)
      return false;
   nir_intrinsic_instr *intrinsic = nir_instr_as_intrinsic(instr);
   if (kind_of(intrinsic) != NAMES_IMAGE || !is_marked(intrinsic))
      return false;
   replace(b, instr, &intrinsic->def, intrinsic->src[0].ssa, 0, info->num_images);
   return true;
}

/* ---- the pass -------------------------------------------------------------------- */

void
tbr_nir_split_numbers(nir_shader *nir)
{
   const nir_lower_non_uniform_access_options options = {
      .types = nir_lower_non_uniform_ubo_access | nir_lower_non_uniform_ssbo_access |
               nir_lower_non_uniform_texture_access | nir_lower_non_uniform_image_access |
               nir_lower_non_uniform_get_ssbo_size,
   };
   bool progress = false, any = false;
   if (is_drawn(nir))
      NIR_PASS(progress, nir, nir_shader_instructions_pass, branch, nir_metadata_none, NULL);
   NIR_PASS_V(nir, nir_shader_instructions_pass, mark_needed, nir_metadata_all, &any);
   if (any)
      NIR_PASS(progress, nir, nir_lower_non_uniform_access, &options);
   /* gallivm's passes are done: booleans have 32 bits. */
   if (progress)
      NIR_PASS_V(nir, nir_lower_bool_to_int32);
}
