/* SPDX-License-Identifier: MIT */
/** Votes and ballots (ARB_shader_group_vote, ARB_shader_ballot), and what else is basic in Vulkan. gallivm's are those of a vector, in which quads of a draw or
 * vertices meet by chance: what shares it depends on the tiles' size, on the mode, and on the processor. */
#include "shader/tbr_nir.h"

#include "nir_builder.h"
#include "tbr_limits.h"

/* ---- numbers of sub-groups ---------------------------------------------------- */

static nir_def *
workgroup_size(nir_builder *b, unsigned component)
{
   const struct shader_info *info = &b->shader->info;
   return info->workgroup_size_variable ? nir_channel(b, nir_load_workgroup_size(b), component)
                                        : nir_imm_int(b, info->workgroup_size[component]);
}

/** Which of its work-group an invocation is in, and how many there are: successive invocations are together. */
static bool
number_subgroup(nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   nir_def *number;
   b->cursor = nir_before_instr(&intrinsic->instr);
   nir_def *width = workgroup_size(b, 0), *height = workgroup_size(b, 1);
   if (intrinsic->intrinsic == nir_intrinsic_load_subgroup_id) {
      nir_def *id = nir_load_local_invocation_id(b);
      nir_def *row = nir_iadd(b, nir_imul(b, nir_channel(b, id, 2), height), nir_channel(b, id, 1));
      number = nir_iadd(b, nir_imul(b, row, width), nir_channel(b, id, 0));
   } else if (intrinsic->intrinsic == nir_intrinsic_load_num_subgroups) {
      number = nir_iadd_imm(b, nir_imul(b, nir_imul(b, width, height), workgroup_size(b, 2)),
                            TBR_SUBGROUP_SIZE - 1);
   } else {
      return false;
   }
   nir_def_replace(&intrinsic->def, nir_udiv_imm(b, number, TBR_SUBGROUP_SIZE));
   return true;
}

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
   if (nir->info.stage == MESA_SHADER_COMPUTE)
      NIR_PASS_V(nir, nir_shader_intrinsics_pass, number_subgroup, nir_metadata_control_flow, NULL);
}

/* ---- operations -------------------------------------------------------------------- */

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

/** The sub-group's first active invocation. */
static nir_def *
first_active(nir_builder *b)
{
   return nir_find_lsb(b, build_ballot(b, nir_imm_int(b, -1)));
}

static nir_def *
build_read_first(nir_builder *b, nir_def *value)
{
   return build_read(b, value, first_active(b));
}

/** The invocation's number in the sub-group. */
static nir_def *
own_number(nir_builder *b)
{
   return nir_iand_imm(b, nir_load_subgroup_invocation(b), TBR_SUBGROUP_SIZE - 1);
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
   case nir_intrinsic_load_subgroup_invocation: return own_number(b);
   case nir_intrinsic_elect: return nir_ieq32(b, own_number(b), first_active(b));
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
   case nir_intrinsic_vote_feq:
   case nir_intrinsic_elect: return nir_imm_int(b, -1);
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
