/* SPDX-License-Identifier: MIT */
#include "compilers/tbr_gpu_code_internal.h"

#include "nir.h"
#include "util/ralloc.h"
#include "compilers/tbr_flow.h"

typedef bool (*compiler)(struct tbr_gpu_compilation *compilation, nir_shader *nir);

static const compiler compilers[CM_ISA_COUNT] = {
   [CM_ISA_MIDGARD] = tbr_gpu_compile_midgard,
   [CM_ISA_BIFROST] = tbr_gpu_compile_bifrost,
   [CM_ISA_VALHALL] = tbr_gpu_compile_bifrost,
   [CM_ISA_V3D] = tbr_gpu_compile_v3d,
};

bool
tbr_gpu_code_has(enum cm_isa isa)
{
   return compilers[isa];
}

struct cm_shader_code *
tbr_gpu_code_add_part(struct tbr_gpu_compilation *compilation, enum cm_code_part part)
{
   struct tbr_gpu_code *code = compilation->code;
   const unsigned num_regions = tbr_flow_count_regions(compilation->flow);
   struct cm_code_region *regions = rzalloc_array(compilation->owner, struct cm_code_region, num_regions);
   if (!regions) {
      compilation->failed = true;
      return NULL;
   }
   assert(code->num_parts < CM_CODE_PARTS);
   code->parts[code->num_parts] = (struct cm_shader_code){
      .isa = compilation->isa,
      .part = part,
      .num_regions = num_regions,
      .regions = regions,
      .threads_shared = 1,
   };
   return &code->parts[code->num_parts++];
}

unsigned *
tbr_gpu_code_find_regions(struct tbr_gpu_compilation *compilation, nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   nir_index_blocks(impl);
   unsigned *of_block = rzalloc_array(compilation->owner, unsigned, impl->num_blocks);
   if (of_block && tbr_flow_find_regions(compilation->flow, nir, of_block))
      return of_block;
   compilation->failed = true;
   return NULL;
}

bool
tbr_gpu_code_compile(void *owner, enum cm_isa isa, const nir_shader *nir, const struct tbr_flow *flow,
                     struct tbr_gpu_code *code)
{
   assert(compilers[isa]);
   struct tbr_gpu_compilation compilation = {.owner = owner, .isa = isa, .flow = flow, .code = code};
   memset(code, 0, sizeof *code);
   nir_shader *copy = nir_shader_clone(NULL, nir);
   if (copy)
      nir_shader_gather_info(copy, nir_shader_get_entrypoint(copy));
   const bool done = copy && compilers[isa](&compilation, copy) && !compilation.failed;
   ralloc_free(copy);
   if (!done)
      code->num_parts = 0;
   return done;
}
