/* SPDX-License-Identifier: MIT */
/* S-NUCA: a block's address names the cache that it is in. */
#include "texture/nuca_internal.h"

static inline __attribute__((always_inline)) uint32_t
serve(struct cm_nuca *nuca, uint32_t processor, uint64_t block, uint32_t repeats)
{
   const uint32_t home = (uint32_t)((block >> nuca->interleave_shift) % nuca->processors);
   cm_nuca_ask(nuca, processor, home, block, repeats);
   if (home != processor) {
      cm_mesh_send(&nuca->mesh, CM_MESH_REQUEST, processor, home, repeats);
      cm_mesh_send(&nuca->mesh, CM_MESH_BLOCK, home, processor, repeats);
   }
   return repeats;
}

static void
read_static(struct cm_nuca *nuca, const cm_entry *requests, uint32_t count)
{
   cm_nuca_serve_each(nuca, requests, count, serve);
}

const struct cm_nuca_organisation cm_nuca_static = {.read = read_static, .has_one_copy = true};
