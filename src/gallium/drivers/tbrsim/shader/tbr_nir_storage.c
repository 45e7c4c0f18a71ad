/* SPDX-License-Identifier: MIT */
#include "shader/tbr_nir_storage.h"

#include "nir_builder.h"
#include "tile/tbr_load_store.h"

/** What values of atomics are to gallivm; of others TBR_STORAGE_FORMAT. */
#define ATOMIC_FORMAT PIPE_FORMAT_R32_UINT

static nir_def *
add_to_index(nir_builder *b, nir_src index, unsigned first)
{
   if (nir_src_is_const(index))
      return nir_imm_int(b, nir_src_as_uint(index) + first);
   return nir_iadd_imm(b, index.ssa, first);
}

static nir_def *
buffer_index(nir_builder *b, nir_src index)
{
   return add_to_index(b, index, TBR_STORAGE_BUFFER(0));
}

static nir_def *
buffer_coordinates(nir_builder *b, nir_src offset, unsigned words)
{
   return nir_vec4(b, offset.ssa, nir_imm_int(b, words), nir_imm_int(b, 0), nir_imm_int(b, 0));
}

/** Where an instruction accesses memory. */
struct place {
   nir_def *index, *coordinates;
};

/** first: the number of the first binding of its kind. */
static struct place
in_buffer(nir_builder *b, nir_src index, unsigned first, nir_src offset, unsigned words)
{
   return (struct place){add_to_index(b, index, first), buffer_coordinates(b, offset, words)};
}

static struct place
at_address(nir_builder *b, nir_src address, unsigned words)
{
   return (struct place){
      nir_imm_int(b, TBR_MEMORY_BY_ADDRESS),
      nir_vec4(b, nir_unpack_64_2x32_split_x(b, address.ssa), nir_imm_int(b, words),
               nir_unpack_64_2x32_split_y(b, address.ssa), nir_imm_int(b, 0)),
   };
}

static void
lower_load(nir_builder *b, nir_intrinsic_instr *intrinsic, struct place place)
{
   const unsigned words = intrinsic->num_components;
   assert(intrinsic->def.bit_size == 32 && words <= 4);
   nir_def *value =
      nir_image_load(b, words, 32, place.index, place.coordinates, nir_imm_int(b, 0), nir_imm_int(b, 0),
                     .image_dim = GLSL_SAMPLER_DIM_BUF, .format = TBR_STORAGE_FORMAT,
                     .dest_type = nir_type_uint32, .access = nir_intrinsic_access(intrinsic));
   nir_def_replace(&intrinsic->def, value);
}

static void
lower_store(nir_builder *b, nir_intrinsic_instr *intrinsic, struct place place)
{
   assert(nir_src_bit_size(intrinsic->src[0]) == 32 && intrinsic->num_components <= 4);
   assert(nir_intrinsic_write_mask(intrinsic) == BITFIELD_MASK(intrinsic->num_components));
   nir_image_store(b, place.index, place.coordinates, nir_imm_int(b, 0),
                   nir_pad_vec4(b, intrinsic->src[0].ssa), nir_imm_int(b, 0),
                   .image_dim = GLSL_SAMPLER_DIM_BUF, .format = TBR_STORAGE_FORMAT,
                   .src_type = nir_type_uint32, .access = nir_intrinsic_access(intrinsic));
   nir_instr_remove(&intrinsic->instr);
}

/** Atomics by address have none. */
static enum gl_access_qualifier
access_of(const nir_intrinsic_instr *intrinsic)
{
   return nir_intrinsic_has_access(intrinsic) ? nir_intrinsic_access(intrinsic) : 0;
}

/** data: what follows the place in the sources. */
static void
lower_atomic(nir_builder *b, nir_intrinsic_instr *intrinsic, struct place place, unsigned data, bool swaps)
{
   const enum gl_access_qualifier access = access_of(intrinsic);
   nir_def *value =
      swaps ? nir_image_atomic_swap(b, 32, place.index, place.coordinates, nir_imm_int(b, 0),
                                    intrinsic->src[data].ssa, intrinsic->src[data + 1].ssa,
                                    .image_dim = GLSL_SAMPLER_DIM_BUF, .format = ATOMIC_FORMAT,
                                    .atomic_op = nir_intrinsic_atomic_op(intrinsic), .access = access)
            : nir_image_atomic(b, 32, place.index, place.coordinates, nir_imm_int(b, 0),
                               intrinsic->src[data].ssa, .image_dim = GLSL_SAMPLER_DIM_BUF,
                               .format = ATOMIC_FORMAT, .atomic_op = nir_intrinsic_atomic_op(intrinsic),
                               .access = access);
   nir_def_replace(&intrinsic->def, value);
}

static void
lower_size(nir_builder *b, nir_intrinsic_instr *intrinsic)
{
   nir_def *size = nir_image_size(b, 1, 32, buffer_index(b, intrinsic->src[0]), nir_imm_int(b, 0),
                                  .image_dim = GLSL_SAMPLER_DIM_BUF, .format = TBR_STORAGE_FORMAT,
                                  .access = nir_intrinsic_access(intrinsic));
   nir_def_replace(&intrinsic->def, size);
}

static void
lower_barrier(nir_builder *b, nir_intrinsic_instr *intrinsic)
{
   if (nir_intrinsic_execution_scope(intrinsic) == SCOPE_WORKGROUP) {
      nir_def *zeros = nir_imm_ivec4(b, 0, 0, 0, 0);
      nir_image_store(b, nir_imm_int(b, TBR_BARRIER), zeros, nir_imm_int(b, 0), zeros, nir_imm_int(b, 0),
                      .image_dim = GLSL_SAMPLER_DIM_BUF, .format = TBR_STORAGE_FORMAT,
                      .src_type = nir_type_uint32);
   }
   nir_instr_remove(&intrinsic->instr);
}

static bool
lower(nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   const nir_intrinsic_op op = intrinsic->intrinsic;
   const nir_src *src = intrinsic->src;
   const unsigned first = TBR_STORAGE_BUFFER(0), words = intrinsic->num_components;
   b->cursor = nir_before_instr(&intrinsic->instr);
   switch (op) {
   case nir_intrinsic_load_ssbo:
      lower_load(b, intrinsic, in_buffer(b, src[0], first, src[1], words));
      return true;
   case nir_intrinsic_load_global:
   case nir_intrinsic_load_global_constant:
      lower_load(b, intrinsic, at_address(b, src[0], words));
      return true;
   case nir_intrinsic_store_ssbo:
      lower_store(b, intrinsic, in_buffer(b, src[1], first, src[2], words));
      return true;
   case nir_intrinsic_store_global: lower_store(b, intrinsic, at_address(b, src[1], words)); return true;
   case nir_intrinsic_ssbo_atomic:
   case nir_intrinsic_ssbo_atomic_swap:
      lower_atomic(b, intrinsic, in_buffer(b, src[0], first, src[1], 1), 2,
                   op == nir_intrinsic_ssbo_atomic_swap);
      return true;
   case nir_intrinsic_global_atomic:
   case nir_intrinsic_global_atomic_swap:
      lower_atomic(b, intrinsic, at_address(b, src[0], 1), 1, op == nir_intrinsic_global_atomic_swap);
      return true;
   case nir_intrinsic_get_ssbo_size: lower_size(b, intrinsic); return true;
   case nir_intrinsic_barrier: lower_barrier(b, intrinsic); return true;
   default: return false;
   }
}

/** Images' own accesses. */
static bool
renumber_image(nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   enum pipe_format format = TBR_STORAGE_FORMAT;
   switch (intrinsic->intrinsic) {
   case nir_intrinsic_image_atomic:
   case nir_intrinsic_image_atomic_swap: format = ATOMIC_FORMAT; break;
   case nir_intrinsic_image_load:
   case nir_intrinsic_image_store:
   case nir_intrinsic_image_size:
   case nir_intrinsic_image_samples: break;
   default: return false;
   }
   if (nir_src_is_const(intrinsic->src[0]) && nir_src_as_uint(intrinsic->src[0]) >= TBR_REGION_COUNTER(0))
      return false;
   b->cursor = nir_before_instr(&intrinsic->instr);
   nir_src_rewrite(&intrinsic->src[0], add_to_index(b, intrinsic->src[0], TBR_STORAGE_IMAGE(0)));
   nir_intrinsic_set_format(intrinsic, format);
   return true;
}

/** Up to four words at a time. */
static nir_mem_access_size_align
access_size(nir_intrinsic_op intrinsic, uint8_t bytes, uint8_t bit_size, uint32_t align_mul,
            uint32_t align_offset, bool offset_is_const, enum gl_access_qualifier access, const void *data)
{
   return (nir_mem_access_size_align){
      .num_components = MIN2(DIV_ROUND_UP(bytes, 4), 4),
      .bit_size = 32,
      .align = 4,
   };
}

/** Makes accesses as wide as the load/store unit's. */
static bool
lower_sizes(nir_shader *nir, const nir_lower_mem_access_bit_sizes_options *sizes)
{
   bool progress = false;
   NIR_PASS(progress, nir, nir_lower_mem_access_bit_sizes, sizes);
   /* gallivm has no code for values of 64 bits that are made of vectors. */
   if (progress)
      NIR_PASS_V(nir, nir_lower_pack);
   return progress;
}

bool
tbr_nir_lower_storage(nir_shader *nir)
{
   const nir_lower_mem_access_bit_sizes_options sizes = {
      .callback = access_size,
      .modes = nir_var_mem_ssbo | nir_var_mem_global | nir_var_mem_constant,
      .may_lower_unaligned_stores_to_atomics = true,
   };
   bool progress = lower_sizes(nir, &sizes);
   /* First: what follows makes images of buffers. */
   NIR_PASS(progress, nir, nir_shader_intrinsics_pass, renumber_image, nir_metadata_control_flow, NULL);
   NIR_PASS(progress, nir, nir_shader_intrinsics_pass, lower, nir_metadata_control_flow, NULL);
   return progress;
}

/* ---- uniform blocks -------------------------------------------------------- */

static bool
lower_block(nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   struct tbr_block_reads *reads = data;
   if (intrinsic->intrinsic != nir_intrinsic_load_ubo)
      return false;
   const bool is_known = nir_src_is_const(intrinsic->src[0]);
   const unsigned number = is_known ? nir_src_as_uint(intrinsic->src[0]) : 0;
   /* Which of an array of blocks is not known: none of them is constant buffer 0. */
   const uint32_t blocks = is_known ? BITFIELD_BIT(number) : BITFIELD_MASK(TBR_MAX_CONSTANT_BUFFERS) & ~1u;
   if (blocks == 1 || nir_src_is_const(intrinsic->src[1])) {
      reads->preloaded |= blocks;
      return false;
   }
   reads->loaded |= blocks;
   b->cursor = nir_before_instr(&intrinsic->instr);
   lower_load(b, intrinsic,
              in_buffer(b, intrinsic->src[0], TBR_UNIFORM_BLOCK(0), intrinsic->src[1],
                        intrinsic->num_components));
   return true;
}

struct tbr_block_reads
tbr_nir_lower_uniform_blocks(nir_shader *nir)
{
   const nir_lower_mem_access_bit_sizes_options sizes = {.callback = access_size, .modes = nir_var_mem_ubo};
   struct tbr_block_reads reads = {0};
   lower_sizes(nir, &sizes);
   NIR_PASS_V(nir, nir_shader_intrinsics_pass, lower_block, nir_metadata_control_flow, &reads);
   return reads;
}
