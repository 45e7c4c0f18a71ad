/* SPDX-License-Identifier: MIT */
/* S-NUCA: a block's address names the cache that it is in. */
#include "texture/nuca_internal.h"

static void
read_static(struct cm_nuca *nuca, uint32_t processor, const uint64_t *blocks, unsigned count)
{
   for (unsigned b = 0; b < count; b++) {
      const uint32_t home = (uint32_t)((blocks[b] >> nuca->interleave_shift) % nuca->processors);
      cm_nuca_ask(nuca, processor, home, blocks[b]);
      if (home != processor) {
         cm_mesh_send(&nuca->mesh, CM_MESH_REQUEST, processor, home);
         cm_mesh_send(&nuca->mesh, CM_MESH_BLOCK, home, processor);
      }
   }
}

const struct cm_nuca_organisation cm_nuca_static = {.read = read_static, .has_one_copy = true};
