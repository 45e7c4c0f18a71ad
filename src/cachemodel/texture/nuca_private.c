/* SPDX-License-Identifier: MIT */
/* Private texture caches: the baseline. */
#include "texture/nuca_internal.h"

static inline __attribute__((always_inline)) uint32_t
serve(struct cm_nuca *nuca, uint32_t processor, uint64_t block, uint32_t repeats)
{
   cm_nuca_access(nuca, processor, processor, block, repeats);
   cm_nuca_count_degree(nuca, block, repeats);
   return repeats;
}

static void
read_private(struct cm_nuca *nuca, const cm_entry *requests, uint32_t count)
{
   cm_nuca_serve_each(nuca, requests, count, serve);
}

const struct cm_nuca_organisation cm_nuca_private = {.read = read_private};
