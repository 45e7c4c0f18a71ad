/* SPDX-License-Identifier: MIT */
/** Counts of regions in generated code (tbr_count_in_code): of each quad, how often a live fragment of it comes there. */
#ifndef TBR_JIT_REGIONS_H
#define TBR_JIT_REGIONS_H

#include "gallivm/lp_bld_tgsi.h"

struct tbr_jit_regions {
   struct lp_build_image_soa base;           /**< takes what accesses images */
   const struct lp_build_image_soa *storage; /**< has what are no counts */
   LLVMValueRef thread;                      /**< struct tbr_texture_thread * */
   LLVMValueRef live;                        /**< bytes of lanes: ~0 where a fragment counts; NULL: all do */
};

/** Begins in the function under construction. live: the word whose bits are lanes that count; NULL: all do. Lanes that the
 * shader's mask has left out do not count in either case. */
void tbr_jit_regions_init(struct tbr_jit_regions *regions, struct gallivm_state *gallivm,
                          const struct lp_build_image_soa *storage, LLVMValueRef thread, LLVMValueRef live);

#endif
