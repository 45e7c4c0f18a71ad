/* SPDX-License-Identifier: MIT */
/* Private texture caches: the baseline. */
#include "texture/nuca_internal.h"

static void
read_private(struct cm_nuca *nuca, uint32_t processor, const uint64_t *blocks, unsigned count)
{
   for (unsigned b = 0; b < count; b++) {
      cm_nuca_access(nuca, processor, processor, blocks[b]);
      cm_nuca_count_degree(nuca, blocks[b]);
   }
}

const struct cm_nuca_organisation cm_nuca_private = {.read = read_private};
