/* SPDX-License-Identifier: MIT */
/** What the compilers' files share. */
#ifndef TBR_GPU_CODE_INTERNAL_H
#define TBR_GPU_CODE_INTERNAL_H

#include "compilers/tbr_gpu_code.h"

struct nir_shader;

/** A compilation in progress. */
struct tbr_gpu_compilation {
   void *owner;
   enum cm_isa isa;
   const struct tbr_flow *flow;
   struct tbr_gpu_code *code;
   bool failed; /**< out of memory */
};

/** Adds a part whose operations are 0; its regions may be written while it is added to. NULL when out of memory. */
struct cm_shader_code *tbr_gpu_code_add_part(struct tbr_gpu_compilation *compilation, enum cm_code_part part);

/** The operations of a region of a part that is being made. */
static inline uint32_t *
tbr_gpu_code_operations(struct cm_shader_code *part, unsigned region)
{
   return ((struct cm_code_region *)part->regions)[region].operations;
}

/** The region of each block of the NIR that a compiler's code was made from, by its index; `owner` owns them. NULL when out
 * of memory, which the compilation then says. */
unsigned *tbr_gpu_code_find_regions(struct tbr_gpu_compilation *compilation, struct nir_shader *nir);

/** Compilers: they change `nir`. False: refused. */
bool tbr_gpu_compile_bifrost(struct tbr_gpu_compilation *compilation, struct nir_shader *nir);
bool tbr_gpu_compile_midgard(struct tbr_gpu_compilation *compilation, struct nir_shader *nir);
bool tbr_gpu_compile_v3d(struct tbr_gpu_compilation *compilation, struct nir_shader *nir);

#endif
