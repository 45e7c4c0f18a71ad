/* SPDX-License-Identifier: MIT */
/* Independent of the vector level. */
#include "tile/tbr_draw_tests.h"

#include "tile/tbr_pass.h"

static bool
stencil_has_effect(const struct tbr_stencil *stencil)
{
   return stencil->func != PIPE_FUNC_ALWAYS || stencil->fail_op != PIPE_STENCIL_OP_KEEP ||
          stencil->zfail_op != PIPE_STENCIL_OP_KEEP || stencil->zpass_op != PIPE_STENCIL_OP_KEEP;
}

/* Whether a fragment that fails leaves the stencil as it is. */
static bool
stencil_keeps_failed(const struct tbr_stencil *stencil)
{
   return stencil->fail_op == PIPE_STENCIL_OP_KEEP && stencil->zfail_op == PIPE_STENCIL_OP_KEEP;
}

static bool
is_ordering(unsigned depth_func)
{
   return depth_func == PIPE_FUNC_LESS || depth_func == PIPE_FUNC_LEQUAL || depth_func == PIPE_FUNC_GREATER ||
          depth_func == PIPE_FUNC_GEQUAL;
}

struct tbr_draw_tests
tbr_draw_tests(const struct tbr_draw_state *state, bool has_depth, bool has_stencil)
{
   struct tbr_draw_tests tests = {
      .depth_test = state->depth_test && has_depth,
      .depth_write = state->depth_test && has_depth && state->depth_write,
      .stencil_test = state->stencil_test && has_stencil &&
                      (stencil_has_effect(&state->stencil[0]) || stencil_has_effect(&state->stencil[1])),
      /* Without a test to do, before or after the shader only differs in what the
       * occlusion counter counts. */
      .early = state->early_tests ||
               !(state->shader_discards || state->shader_writes_depth || state->shader_writes_stencil ||
                 state->writes_sample_mask || state->alpha_to_coverage || state->reads_sample_mask ||
                 state->writes_memory || (state->fetched & PIPE_CLEAR_DEPTHSTENCIL)),
   };
   if (state->depth_func == PIPE_FUNC_ALWAYS && !tests.depth_write)
      tests.depth_test = false;
   /* A fragment that already fails against the buffer fails after the writes of
    * those before it too, as these functions only ever move the buffer away. */
   const bool moves_away = tests.depth_test && !state->shader_writes_depth &&
                           is_ordering(state->depth_func) && (tests.early || !state->writes_memory);
   /* What is dropped depends on what has been written when: where an input is evaluated must not. */
   tests.reject_early =
      !tests.early && moves_away && !tests.stencil_test && !state->reads_sample_mask && !state->centroid;
   tests.hierarchical = (tests.early || tests.reject_early) && moves_away &&
                        (!tests.stencil_test || (stencil_keeps_failed(&state->stencil[0]) &&
                                                 stencil_keeps_failed(&state->stencil[1])));
   return tests;
}
