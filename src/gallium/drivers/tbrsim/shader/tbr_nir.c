/* SPDX-License-Identifier: MIT */
#include "shader/tbr_nir.h"

#include "nir_builder.h"
#include "tbr_limits.h"

nir_def *
tbr_nir_load_input(nir_builder *b, unsigned components, unsigned base, unsigned component)
{
   return nir_load_input(b, components, 32, nir_imm_int(b, 0), .base = base, .component = component,
                         .dest_type = nir_type_uint32);
}

static bool
lower_front_face(nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   if (intrinsic->intrinsic != nir_intrinsic_load_front_face)
      return false;

   b->cursor = nir_before_instr(&intrinsic->instr);
   nir_def *face = tbr_nir_load_input(b, 1, *(unsigned *)data, 0);
   if (intrinsic->def.bit_size == 1)
      face = nir_ine_imm(b, face, 0);
   nir_def_replace(&intrinsic->def, face);
   return true;
}

bool
tbr_nir_lower_front_face(nir_shader *nir, unsigned base)
{
   return nir_shader_intrinsics_pass(nir, lower_front_face, nir_metadata_control_flow, &base);
}

/** Shaders with more constants than this read the rest from memory. */
#define MAX_PUSHED_CONSTANTS 256

struct push_constants {
   unsigned base;
   unsigned count;
};

static bool
push_constants(nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   struct push_constants *state = data;
   if (intrinsic->intrinsic != nir_intrinsic_load_ubo || intrinsic->def.bit_size != 32 ||
       !nir_src_is_const(intrinsic->src[0]) || nir_src_as_uint(intrinsic->src[0]) != 0 ||
       !nir_src_is_const(intrinsic->src[1]))
      return false;

   const unsigned first = nir_src_as_uint(intrinsic->src[1]) / 4;
   const unsigned last = first + intrinsic->def.num_components - 1;
   if (nir_src_as_uint(intrinsic->src[1]) % 4 || last / 4 >= MAX_PUSHED_CONSTANTS)
      return false;

   b->cursor = nir_before_instr(&intrinsic->instr);
   nir_def *words[NIR_MAX_VEC_COMPONENTS];
   for (unsigned i = 0; i < intrinsic->def.num_components; i++)
      words[i] = tbr_nir_load_input(b, 1, state->base + (first + i) / 4, (first + i) % 4);
   state->count = MAX2(state->count, last / 4 + 1);
   nir_def_replace(&intrinsic->def, nir_vec(b, words, intrinsic->def.num_components));
   return true;
}

unsigned
tbr_nir_push_constants(nir_shader *nir, unsigned base)
{
   struct push_constants state = {.base = base};
   nir_shader_intrinsics_pass(nir, push_constants, nir_metadata_control_flow, &state);
   return state.count;
}

/** The shader buffer of the driver's that shaders mark what happened in. Storage of fragment and compute shaders has other
 * numbers (tbr_nir_storage.h). */
static nir_def *
marks_buffer(nir_builder *b)
{
   const gl_shader_stage stage = b->shader->info.stage;
   const bool is_drawn = stage != MESA_SHADER_FRAGMENT && stage != MESA_SHADER_COMPUTE;
   return nir_imm_int(b, is_drawn ? TBR_MARKS_BUFFER : 0);
}

/* ---- endless loops ----------------------------------------------------- */

/** At the loop's beginning: one iteration more, or the way out. */
static void
count_iteration(nir_builder *b, nir_loop *loop, nir_variable *iterations, unsigned limit)
{
   b->cursor = nir_after_phis(nir_loop_first_block(loop));
   nir_def *count = nir_iadd_imm(b, nir_load_var(b, iterations), 1);
   nir_store_var(b, iterations, count, 1);
   nir_push_if(b, nir_ult32(b, nir_imm_int(b, limit), count));
   nir_jump(b, nir_jump_break);
   /* What the loop computes for later does not come from here. */
   nir_insert_phi_undef(nir_cf_node_as_block(nir_cf_node_next(&loop->cf_node)),
                        nir_cursor_current_block(b->cursor));
   nir_pop_if(b, NULL);
}

static unsigned
limit_loops(nir_builder *b, struct exec_list *nodes, nir_variable *iterations, unsigned limit)
{
   unsigned count = 0;
   foreach_list_typed_safe(nir_cf_node, node, node, nodes)
   {
      if (node->type == nir_cf_node_if) {
         nir_if *branch = nir_cf_node_as_if(node);
         count += limit_loops(b, &branch->then_list, iterations, limit);
         count += limit_loops(b, &branch->else_list, iterations, limit);
      } else if (node->type == nir_cf_node_loop) {
         nir_loop *loop = nir_cf_node_as_loop(node);
         count += 1 + limit_loops(b, &loop->body, iterations, limit);
         count_iteration(b, loop, iterations, limit);
      }
   }
   return count;
}

static void
report_limit(nir_builder *b, nir_function_impl *impl, nir_variable *iterations, unsigned limit)
{
   b->cursor = nir_after_impl(impl);
   nir_push_if(b, nir_ult32(b, nir_imm_int(b, limit), nir_load_var(b, iterations)));
   nir_store_ssbo(b, nir_imm_int(b, 1), marks_buffer(b), nir_imm_int(b, 0), .write_mask = 1,
                  .access = ACCESS_NON_READABLE, .align_mul = 4);
   nir_pop_if(b, NULL);
}

bool
tbr_nir_limit_loops(nir_shader *nir, unsigned limit)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   if (!limit)
      return false;

   /* The way out must not skip what is computed in the loop and used after it: phis take it from there. */
   NIR_PASS_V(nir, nir_convert_to_lcssa, false, false);
   nir_builder b = nir_builder_create(impl);
   nir_variable *iterations = nir_local_variable_create(impl, glsl_uint_type(), "iterations");
   if (!limit_loops(&b, &impl->body, iterations, limit)) {
      exec_node_remove(&iterations->node);
      return false;
   }
   report_limit(&b, impl, iterations, limit);
   b.cursor = nir_before_impl(impl);
   nir_store_var(&b, iterations, nir_imm_int(&b, 0), 1);
   nir_metadata_preserve(impl, nir_metadata_none);
   NIR_PASS_V(nir, nir_lower_vars_to_ssa);
   /* The same on every run. */
   NIR_PASS_V(nir, nir_lower_undef_to_zero);
   return true;
}

/* ---- texture reads ------------------------------------------------------ */

static bool
reads_texture(nir_builder *b, nir_instr *instr, void *found)
{
   *(bool *)found |= instr->type == nir_instr_type_tex && !nir_tex_instr_is_query(nir_instr_as_tex(instr));
   return false;
}

bool
tbr_nir_reads_textures(nir_shader *nir)
{
   bool found = false;
   nir_shader_instructions_pass(nir, reads_texture, nir_metadata_all, &found);
   return found;
}

/* ---- offsets that wrap -------------------------------------------------- */

/** Blocks are far smaller: a greater distance from their beginning is outside. */
#define MAX_BLOCK_DISTANCE 1073741824.0f
#define OUTSIDE_OF_BLOCKS 0xfffffff0u

/** The offset as a float, computed alongside: exact enough to decide whether 32 bits
 * have wrapped. Sets *scaled if an index has been multiplied. */
static nir_def *
approximate_offset(nir_builder *b, nir_scalar offset, bool *scaled)
{
   if (nir_scalar_is_const(offset))
      return nir_imm_float(b, (float)nir_scalar_as_int(offset));
   if (nir_scalar_is_alu(offset)) {
      const nir_op op = nir_scalar_alu_op(offset);
      nir_scalar left = nir_scalar_chase_alu_src(offset, 0);
      if (op == nir_op_mov)
         return approximate_offset(b, left, scaled);
      if (op == nir_op_ineg)
         return nir_fneg(b, approximate_offset(b, left, scaled));
      if (op == nir_op_iadd || op == nir_op_imul || op == nir_op_ishl) {
         nir_scalar right = nir_scalar_chase_alu_src(offset, 1);
         if (op == nir_op_imul && nir_scalar_is_const(left)) {
            const nir_scalar factor = left;
            left = right;
            right = factor;
         }
         if (op == nir_op_iadd)
            return nir_fadd(b, approximate_offset(b, left, scaled), approximate_offset(b, right, scaled));
         if (nir_scalar_is_const(right)) {
            const float factor = op == nir_op_imul ? (float)nir_scalar_as_int(right)
                                                   : (float)(1u << (nir_scalar_as_uint(right) & 31));
            *scaled = true;
            return nir_fmul_imm(b, approximate_offset(b, left, scaled), factor);
         }
      }
   }
   return nir_i2f32(b, nir_channel(b, offset.def, offset.comp));
}

static bool
bound_offset(nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   bool scaled = false;
   if (intrinsic->intrinsic != nir_intrinsic_load_ubo || nir_src_is_const(intrinsic->src[1]))
      return false;

   b->cursor = nir_before_instr(&intrinsic->instr);
   nir_def *offset = intrinsic->src[1].ssa;
   nir_def *distance = nir_fabs(b, approximate_offset(b, nir_get_scalar(offset, 0), &scaled));
   if (!scaled)
      return true; /* nothing uses what has been built */
   nir_def *inside = nir_flt32(b, distance, nir_imm_float(b, MAX_BLOCK_DISTANCE));
   nir_src_rewrite(&intrinsic->src[1], nir_b32csel(b, inside, offset, nir_imm_int(b, OUTSIDE_OF_BLOCKS)));
   return true;
}

void
tbr_nir_bound_offsets(nir_shader *nir)
{
   if (nir_shader_intrinsics_pass(nir, bound_offset, nir_metadata_control_flow, NULL)) {
      NIR_PASS_V(nir, nir_opt_dce);
      NIR_PASS_V(nir, nir_opt_cse);
   }
}

/* ---- numbers of storage buffers ------------------------------------------ */

static bool
bound_buffer(nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   const unsigned last = *(const unsigned *)data;
   nir_src *index;
   switch (intrinsic->intrinsic) {
   case nir_intrinsic_store_ssbo: index = &intrinsic->src[1]; break;
   case nir_intrinsic_load_ssbo:
   case nir_intrinsic_ssbo_atomic:
   case nir_intrinsic_ssbo_atomic_swap:
   case nir_intrinsic_get_ssbo_size: index = &intrinsic->src[0]; break;
   default: return false;
   }
   if (nir_src_is_const(*index))
      return false;
   b->cursor = nir_before_instr(&intrinsic->instr);
   nir_src_rewrite(index, nir_umin(b, index->ssa, nir_imm_int(b, last)));
   return true;
}

void
tbr_nir_bound_buffers(nir_shader *nir)
{
   unsigned last = nir->info.num_ssbos ? nir->info.num_ssbos - 1u : 0;
   nir_shader_intrinsics_pass(nir, bound_buffer, nir_metadata_control_flow, &last);
}

/* ---- numbers of resources ------------------------------------------------ */

static bool
take_active_number(nir_builder *b, nir_instr *instr, void *data)
{
   nir_src *number = NULL;
   if (instr->type == nir_instr_type_intrinsic) {
      nir_intrinsic_instr *intrinsic = nir_instr_as_intrinsic(instr);
      if (intrinsic->intrinsic == nir_intrinsic_load_ubo)
         number = &intrinsic->src[0];
   } else if (instr->type == nir_instr_type_tex && nir_tex_instr_is_query(nir_instr_as_tex(instr))) {
      nir_tex_instr *tex = nir_instr_as_tex(instr);
      const int offset = nir_tex_instr_src_index(tex, nir_tex_src_texture_offset);
      if (offset >= 0)
         number = &tex->src[offset].src;
   }
   if (!number || nir_src_is_const(*number))
      return false;
   b->cursor = nir_before_instr(instr);
   nir_src_rewrite(number, nir_read_first_invocation(b, number->ssa));
   return true;
}

void
tbr_nir_take_active_numbers(nir_shader *nir)
{
   nir_shader_instructions_pass(nir, take_active_number, nir_metadata_control_flow, NULL);
}

/* ---- derivatives ------------------------------------------------------- */

/** All bits in the lanes whose number in the quad does not have the bit, 0 in the others. */
static nir_def *
mask_of_lanes_without(nir_builder *b, unsigned bit, unsigned bit_size)
{
   nir_def *number = nir_iand_imm(b, nir_ushr_imm(b, nir_load_subgroup_invocation(b), bit), 1);
   return nir_i2iN(b, nir_iadd_imm(b, number, -1), bit_size);
}

/** gallivm's derivatives are fine. That along the other axis of a value that is 0 in its
 * second row or column is the first one's, negated, in both. */
static bool
lower_coarse_derivative(nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   const bool x =
      intrinsic->intrinsic == nir_intrinsic_ddx || intrinsic->intrinsic == nir_intrinsic_ddx_coarse;
   const bool y =
      intrinsic->intrinsic == nir_intrinsic_ddy || intrinsic->intrinsic == nir_intrinsic_ddy_coarse;
   if (!x && !y)
      return false;

   b->cursor = nir_before_instr(&intrinsic->instr);
   nir_def *value = intrinsic->src[0].ssa;
   nir_def *fine = x ? nir_ddx_fine(b, value) : nir_ddy_fine(b, value);
   nir_def *first = nir_iand(b, fine, mask_of_lanes_without(b, x ? 1 : 0, value->bit_size));
   nir_def *negated = x ? nir_ddy_fine(b, first) : nir_ddx_fine(b, first);
   /* The sum makes -0 into 0. */
   nir_def *zero = nir_imm_floatN_t(b, 0.0, value->bit_size);
   nir_def_replace(&intrinsic->def, nir_fadd(b, zero, nir_fneg(b, negated)));
   return true;
}

bool
tbr_nir_lower_coarse_derivatives(nir_shader *nir)
{
   return nir_shader_intrinsics_pass(nir, lower_coarse_derivative, nir_metadata_control_flow, NULL);
}

/* ---- what shaders ask for ----------------------------------------------- */

static bool
is_centroid_interpolation(nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   *(bool *)data |= intrinsic->intrinsic == nir_intrinsic_interp_deref_at_centroid;
   return false;
}

bool
tbr_nir_interpolates_at_centroid(nir_shader *nir)
{
   bool found = false;
   nir_shader_intrinsics_pass(nir, is_centroid_interpolation, nir_metadata_all, &found);
   return found;
}

/* ---- statistics -------------------------------------------------------- */

/** The arithmetic instruction of the same block that alone uses a result; NULL: there is none. */
static const nir_alu_instr *
get_only_user(const nir_def *def)
{
   if (!list_is_singular(&def->uses))
      return NULL;
   nir_src *use = list_first_entry(&def->uses, nir_src, use_link);
   const nir_instr *user = nir_src_is_if(use) ? NULL : nir_src_parent_instr(use);
   return user && user->type == nir_instr_type_alu && user->block == def->parent_instr->block
             ? nir_instr_as_alu(user)
             : NULL;
}

/** A product that an addition alone uses, as it is or negated. */
struct product {
   const nir_def *operand;        /**< of the addition */
   const nir_alu_instr *addition; /**< NULL: there is none, or the shader asks for both to be rounded */
};

/** alu: the product, or its negation. */
static struct product
find_product(const nir_alu_instr *alu)
{
   const nir_alu_instr *product = alu, *last = alu;
   if (alu->op == nir_op_fneg) {
      const nir_def *negated = alu->src[0].src.ssa;
      if (negated->parent_instr->type != nir_instr_type_alu || get_only_user(negated) != alu)
         return (struct product){0};
      product = nir_instr_as_alu(negated->parent_instr);
   } else {
      const nir_alu_instr *user = get_only_user(&alu->def);
      last = user && user->op == nir_op_fneg ? user : alu;
   }
   const nir_alu_instr *addition = get_only_user(&last->def);
   if (product->op != nir_op_fmul || product->exact || !addition || addition->exact ||
       (addition->op != nir_op_fadd && addition->op != nir_op_fsub))
      return (struct product){0};
   return (struct product){&last->def, addition};
}

/** Whether the instruction is a product, or its negation, that is one instruction with the addition that alone uses it: of two
 * products that are added the first one. */
static bool
is_part_of_addition(const nir_alu_instr *alu)
{
   const struct product product = find_product(alu);
   if (!product.addition)
      return false;
   const nir_def *first = product.addition->src[0].src.ssa;
   return first == product.operand || first->parent_instr->type != nir_instr_type_alu ||
          find_product(nir_instr_as_alu(first->parent_instr)).addition != product.addition;
}

bool
tbr_nir_is_executed(const nir_instr *instr)
{
   switch (instr->type) {
   case nir_instr_type_alu: return !is_part_of_addition(nir_instr_as_alu(instr));
   case nir_instr_type_tex:
   case nir_instr_type_jump:
   case nir_instr_type_call: return true;
   case nir_instr_type_intrinsic:
      switch (nir_instr_as_intrinsic((nir_instr *)instr)->intrinsic) {
      case nir_intrinsic_decl_reg:
      case nir_intrinsic_load_deref:
      case nir_intrinsic_load_input:
      case nir_intrinsic_load_ubo:
         /* Operands of the instructions that use them. */
         return false;
      default: return true;
      }
   default: return false;
   }
}

unsigned
tbr_nir_count_instructions(nir_shader *nir)
{
   unsigned count = 0;
   nir_foreach_function_impl (impl, nir) {
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instr, block)
            count += tbr_nir_is_executed(instr);
      }
   }
   return MAX2(count, 1);
}

/* ---- functions of half precision ----------------------------------------- */

static unsigned
get_wider_bit_size(const struct nir_instr *instr, void *data)
{
   if (instr->type != nir_instr_type_alu)
      return 0;
   const struct nir_alu_instr *alu = nir_instr_as_alu(instr);
   if (alu->def.bit_size != 16)
      return 0;
   switch (alu->op) {
   case nir_op_fexp2:
   case nir_op_flog2:
   case nir_op_fpow:
   case nir_op_fsin:
   case nir_op_fcos: return 32;
   default: return 0;
   }
}

void
tbr_nir_widen_functions(nir_shader *nir)
{
   NIR_PASS_V(nir, nir_lower_bit_size, get_wider_bit_size, NULL);
}

/* Rounds toward zero, what is less than the least normal number to zero, finite numbers to
 * finite ones: what is left for the conversion to round is nothing. */
static nir_def *
truncate_to_half(nir_builder *b, nir_def *value)
{
   const uint32_t sign = 0x80000000, infinity = 0x7f800000;
   const uint32_t least = 0x38800000 /* 2^-14 */, largest = 0x477fe000 /* 65504 */;
   nir_def *magnitude = nir_iand_imm(b, value, ~sign);
   nir_def *kept = nir_iand_imm(b, value, ~(sign | BITFIELD_MASK(23 - 10)));
   kept = nir_umin(b, kept, nir_imm_int(b, largest));
   kept = nir_b32csel(b, nir_ult32(b, magnitude, nir_imm_int(b, least)), nir_imm_int(b, 0), kept);
   kept = nir_ior(b, kept, nir_iand_imm(b, value, sign));
   return nir_f2f16(b, nir_b32csel(b, nir_uge32(b, magnitude, nir_imm_int(b, infinity)), value, kept));
}

static bool
narrow_texels(nir_builder *b, nir_instr *instr, void *data)
{
   if (instr->type != nir_instr_type_tex)
      return false;
   nir_tex_instr *tex = nir_instr_as_tex(instr);
   if (tex->def.bit_size != 16 || nir_alu_type_get_base_type(tex->dest_type) != nir_type_float)
      return false;
   b->cursor = nir_after_instr(instr);
   tex->dest_type = nir_type_float32;
   tex->def.bit_size = 32;
   nir_def *half = truncate_to_half(b, &tex->def);
   nir_def_rewrite_uses_after(&tex->def, half, half->parent_instr);
   return true;
}

void
tbr_nir_narrow_texels(nir_shader *nir)
{
   NIR_PASS_V(nir, nir_shader_instructions_pass, narrow_texels, nir_metadata_control_flow, NULL);
}
