/* SPDX-License-Identifier: MIT */
/** Votes and ballots (ARB_shader_group_vote, ARB_shader_ballot). gallivm's are those of a vector, in which quads of a draw or
 * vertices meet by chance: what shares it depends on the tiles' size, on the mode, and on the processor. */
#include "shader/tbr_nir.h"

#include "nir_builder.h"
#include "tbr_limits.h"

void
tbr_nir_size_subgroups(nir_shader *nir)
{
   static const nir_lower_subgroups_options options = {
      .subgroup_size = TBR_SUBGROUP_SIZE,
      .ballot_bit_size = 32,
      .ballot_components = 1,
      .lower_to_scalar = true,
      .lower_subgroup_masks = true,
   };
   NIR_PASS_V(nir, nir_lower_subgroups, &options);
}

/** The vector's lane where the invocation's sub-group begins. */
static nir_def *
first_lane(nir_builder *b)
{
   return nir_iand_imm(b, nir_load_subgroup_invocation(b), ~(TBR_SUBGROUP_SIZE - 1u));
}

/** Which invocations of the sub-group are active and have a value that is true. */
static nir_def *
build_ballot(nir_builder *b, nir_def *value)
{
   return nir_iand_imm(b, nir_ushr(b, nir_ballot(b, 1, 32, value), first_lane(b)),
                       BITFIELD_MASK(TBR_SUBGROUP_SIZE));
}

static nir_def *
build_all(nir_builder *b, nir_def *value)
{
   return nir_ieq32(b, build_ballot(b, nir_inot(b, value)), nir_imm_int(b, 0));
}

static nir_def *
build_read(nir_builder *b, nir_def *value, nir_def *invocation)
{
   return nir_shuffle(b, value, nir_iadd(b, first_lane(b), invocation));
}

static nir_def *
build_read_first(nir_builder *b, nir_def *value)
{
   return build_read(b, value, nir_find_lsb(b, build_ballot(b, nir_imm_int(b, -1))));
}

/** What an operation gives in sub-groups of TBR_SUBGROUP_SIZE successive lanes; NULL for what is none. */
static nir_def *
lower_to_lanes(nir_builder *b, const nir_intrinsic_instr *intrinsic)
{
   nir_def *value = nir_intrinsic_infos[intrinsic->intrinsic].num_srcs ? intrinsic->src[0].ssa : NULL;
   switch (intrinsic->intrinsic) {
   case nir_intrinsic_ballot: return build_ballot(b, value);
   case nir_intrinsic_vote_any: return nir_ine32(b, build_ballot(b, value), nir_imm_int(b, 0));
   case nir_intrinsic_vote_all: return build_all(b, value);
   case nir_intrinsic_vote_ieq: return build_all(b, nir_ieq32(b, value, build_read_first(b, value)));
   case nir_intrinsic_vote_feq: return build_all(b, nir_feq32(b, value, build_read_first(b, value)));
   case nir_intrinsic_read_first_invocation: return build_read_first(b, value);
   case nir_intrinsic_read_invocation:
      return build_read(b, value, nir_iand_imm(b, intrinsic->src[1].ssa, TBR_SUBGROUP_SIZE - 1));
   case nir_intrinsic_load_subgroup_invocation:
      return nir_iand_imm(b, nir_load_subgroup_invocation(b), TBR_SUBGROUP_SIZE - 1);
   default: return NULL;
   }
}

/** The same where each invocation is a sub-group's only one. */
static nir_def *
lower_to_one(nir_builder *b, const nir_intrinsic_instr *intrinsic)
{
   switch (intrinsic->intrinsic) {
   case nir_intrinsic_ballot: return nir_iand_imm(b, intrinsic->src[0].ssa, 1);
   case nir_intrinsic_vote_any:
   case nir_intrinsic_vote_all:
   case nir_intrinsic_read_first_invocation:
   case nir_intrinsic_read_invocation: return intrinsic->src[0].ssa;
   case nir_intrinsic_vote_ieq:
   case nir_intrinsic_vote_feq: return nir_imm_int(b, -1);
   case nir_intrinsic_load_subgroup_invocation: return nir_imm_int(b, 0);
   default: return NULL;
   }
}

static bool
lower_subgroup(nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   const gl_shader_stage stage = b->shader->info.stage;
   const bool has_lanes = stage == MESA_SHADER_FRAGMENT || stage == MESA_SHADER_COMPUTE;
   b->cursor = nir_before_instr(&intrinsic->instr);
   nir_def *lowered = has_lanes ? lower_to_lanes(b, intrinsic) : lower_to_one(b, intrinsic);
   if (!lowered)
      return false;
   assert(lowered->bit_size == intrinsic->def.bit_size);
   nir_def_replace(&intrinsic->def, lowered);
   return true;
}

void
tbr_nir_lower_subgroups(nir_shader *nir)
{
   nir_shader_intrinsics_pass(nir, lower_subgroup, nir_metadata_control_flow, NULL);
}
