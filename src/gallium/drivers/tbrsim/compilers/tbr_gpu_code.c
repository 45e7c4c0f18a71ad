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

/** Whether an instruction accesses a texture, an image or a buffer of a number that differs between invocations, for which the
 * compiler has no code: Midgard's takes numbers of textures for constants, V3D's those of buffers as well, and Bifrost's makes
 * branches of numbers of images which it cannot compile. */
static bool
is_refused(const nir_instr *instr, enum cm_isa isa)
{
   if (instr->type == nir_instr_type_tex)
      return nir_instr_as_tex((nir_instr *)instr)->texture_non_uniform &&
             (isa == CM_ISA_MIDGARD || isa == CM_ISA_V3D);
   if (instr->type != nir_instr_type_intrinsic)
      return false;
   const nir_intrinsic_instr *intrinsic = nir_instr_as_intrinsic((nir_instr *)instr);
   switch (intrinsic->intrinsic) {
   case nir_intrinsic_load_ubo:
   case nir_intrinsic_load_ssbo:
   case nir_intrinsic_store_ssbo:
   case nir_intrinsic_ssbo_atomic:
   case nir_intrinsic_ssbo_atomic_swap:
   case nir_intrinsic_get_ssbo_size:
      return isa == CM_ISA_V3D && nir_intrinsic_access(intrinsic) & ACCESS_NON_UNIFORM;
   case nir_intrinsic_image_load:
   case nir_intrinsic_image_store:
   case nir_intrinsic_image_atomic:
   case nir_intrinsic_image_atomic_swap:
   case nir_intrinsic_image_size:
   case nir_intrinsic_image_samples: return nir_intrinsic_access(intrinsic) & ACCESS_NON_UNIFORM;
   default: return false;
   }
}

static bool
has_refused(nir_shader *nir, enum cm_isa isa)
{
   nir_foreach_block (block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr (instr, block) {
         if (is_refused(instr, isa))
            return true;
      }
   }
   return false;
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
   const bool done =
      copy && !has_refused(copy, isa) && compilers[isa](&compilation, copy) && !compilation.failed;
   ralloc_free(copy);
   if (!done)
      code->num_parts = 0;
   return done;
}
