/* SPDX-License-Identifier: MIT */
#include "shader/tbr_nir_addresses.h"

#include <assert.h>
#include <stddef.h>

#include "events/event_stream.h"
#include "nir.h"
#include "nir_builder.h"
#include "state/tbr_context.h"

/** Which source is the address; -1: it accesses no memory by address. */
static int
address_source(const nir_intrinsic_instr *intrinsic)
{
   switch (intrinsic->intrinsic) {
   case nir_intrinsic_load_global:
   case nir_intrinsic_load_global_constant:
   case nir_intrinsic_global_atomic:
   case nir_intrinsic_global_atomic_swap: return 0;
   case nir_intrinsic_store_global: return 1;
   default: return -1;
   }
}

bool
tbr_nir_uses_addresses(nir_shader *nir)
{
   nir_foreach_block (block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr (instr, block) {
         if (instr->type == nir_instr_type_intrinsic && address_source(nir_instr_as_intrinsic(instr)) >= 0)
            return true;
      }
   }
   return false;
}

/* ---- addresses of the host --------------------------------------------------- */

static unsigned
accessed_bytes(const nir_intrinsic_instr *intrinsic)
{
   const bool is_store = intrinsic->intrinsic == nir_intrinsic_store_global;
   const unsigned bits = is_store ? nir_src_bit_size(intrinsic->src[0]) : intrinsic->def.bit_size;
   const unsigned components =
      is_store ? nir_src_num_components(intrinsic->src[0]) : intrinsic->def.num_components;
   assert(components * bits / 8 <= TBR_MAX_ADDRESSED_BYTES);
   return components * bits / 8;
}

static nir_def *
load_marks(nir_builder *b, unsigned words, nir_def *offset)
{
   return nir_load_ssbo(b, words, 32, nir_imm_int(b, TBR_MARKS_BUFFER), offset, .align_mul = 4);
}

/** Notes that there is no buffer, and where. */
static void
mark_outside(nir_builder *b, nir_def *inside, nir_def *offset, nir_def *number)
{
   nir_push_if(b, nir_inot(b, inside));
   nir_store_ssbo(b, nir_vec3(b, nir_imm_int(b, 1), offset, number), nir_imm_int(b, TBR_MARKS_BUFFER),
                  nir_imm_int(b, offsetof(struct tbr_vertex_marks, outside)), .align_mul = 4,
                  .write_mask = 7);
   nir_pop_if(b, NULL);
}

static nir_def *
host_address(nir_builder *b, nir_def *words)
{
   return nir_pack_64_2x32_split(b, nir_channel(b, words, 0), nir_channel(b, words, 1));
}

/** *inside: whether the access is within a buffer; else it is one to the scratch memory. */
static nir_def *
translate_address(nir_builder *b, nir_def *address, unsigned bytes, nir_def **inside)
{
   nir_def *offset = nir_unpack_64_2x32_split_x(b, address);
   nir_def *number = nir_unpack_64_2x32_split_y(b, address);
   /* Behind the last buffer loads of the table give zeros. */
   nir_def *entry = nir_iadd_imm(b, nir_ishl_imm(b, nir_umin_imm(b, number, CM_MAX_ADDRESSED), 4),
                                 offsetof(struct tbr_vertex_marks, buffers));
   nir_def *buffer = load_marks(b, 3, entry);
   nir_def *size = nir_channel(b, buffer, 2);
   /* gallivm's passes are done: booleans have 32 bits. */
   *inside = nir_iand(b, nir_uge32(b, size, nir_imm_int(b, bytes)),
                      nir_uge32(b, nir_iadd_imm(b, size, -(int)bytes), offset));
   mark_outside(b, *inside, offset, number);
   nir_def *scratch = load_marks(b, 2, nir_imm_int(b, offsetof(struct tbr_vertex_marks, scratch)));
   return nir_b32csel(b, *inside, nir_iadd(b, host_address(b, buffer), nir_u2u64(b, offset)),
                      host_address(b, scratch));
}

static bool
translate(nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   const int source = address_source(intrinsic);
   if (source < 0)
      return false;
   nir_def *inside;
   b->cursor = nir_before_instr(&intrinsic->instr);
   nir_def *address = translate_address(b, intrinsic->src[source].ssa, accessed_bytes(intrinsic), &inside);
   nir_src_rewrite(&intrinsic->src[source], address);
   if (intrinsic->intrinsic == nir_intrinsic_store_global)
      return true;
   b->cursor = nir_after_instr(&intrinsic->instr);
   nir_def *value = nir_b32csel(b, inside, &intrinsic->def,
                                nir_imm_zero(b, intrinsic->def.num_components, intrinsic->def.bit_size));
   nir_def_rewrite_uses_after(&intrinsic->def, value, value->parent_instr);
   return true;
}

void
tbr_nir_translate_addresses(nir_shader *nir)
{
   nir_shader_intrinsics_pass(nir, translate, nir_metadata_none, NULL);
}
