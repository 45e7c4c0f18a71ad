/* SPDX-License-Identifier: MIT */
/**
 * What a shader costs: the operations of its code by region and by pipe of a shader core, as a compiler makes it. The
 * event stream has the code of each shader for one or several instruction sets, so that a recording serves every GPU,
 * and how often each region ran.
 *
 * A region is a part of a shader's control flow whose blocks run equally often: region 0 is what every invocation runs
 * once; a side of a branch, the body of a loop, or what follows a jump out of either is a region of its own. Regions are
 * those of the shader as the renderer executes it and are the same for all instruction sets: code of a compiler that
 * removed a branch or unrolled a loop is in the region around it, as often as it is there. A shader without control
 * flow has one region.
 *
 * Operations are counted per invocation (a thread of the shader core). A group of invocations, such as a quad, runs a
 * region as often as any of its invocations does.
 */
#ifndef CM_SHADER_CODE_H
#define CM_SHADER_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/event_stream.h"

/** Instruction sets, X(identifier, name, description). */
#define CM_ISAS(X)                                                            \
   X(NIR, "nir", "Mesa's intermediate language, as the renderer executes it") \
   X(MIDGARD, "midgard", "Arm Mali-T600 to T880, Mesa's compiler")            \
   X(BIFROST, "bifrost", "Arm Mali-G31 to G76, Mesa's compiler")              \
   X(VALHALL, "valhall", "Arm Mali-G57 to G715, Mesa's compiler")             \
   X(V3D, "v3d", "Broadcom VideoCore VI, Mesa's compiler")

enum cm_isa {
#define CM_ISA_ENUM(id, name, description) CM_ISA_##id,
   CM_ISAS(CM_ISA_ENUM)
#undef CM_ISA_ENUM
      CM_ISA_COUNT
};

/** Pipes of a shader core and what is counted of each per invocation, X(identifier, name, what). A pipe that an
 * instruction set does not have has no operations; CM_PIPE_ISSUE has all. */
#define CM_PIPES(X)                                                                                         \
   X(ISSUE, "issue", "what is issued: instructions; of Bifrost tuples, of Midgard bundles")                 \
   X(FMA, "fma",                                                                                            \
     "operations of the arithmetic pipe: of Bifrost tuples that have any, of Valhall its FMA unit")         \
   X(CVT, "cvt", "conversions, integer and logic operations, where they have a unit of their own")          \
   X(SFU, "sfu", "reciprocals, square roots, logarithms and the like, where they have a unit of their own") \
   X(VARYING, "varying", "components of 16 bits that are interpolated; one of 32 bits counts as two")       \
   X(TEXTURE, "texture", "texture instructions")                                                            \
   X(LOAD_STORE, "load_store",                                                                              \
     "loads, stores and atomics: attributes, buffers, spilled registers, stored varyings")                  \
   X(TILE, "tile", "accesses to the tile buffer: blending, depth, coverage")

enum cm_pipe {
#define CM_PIPE_ENUM(id, name, what) CM_PIPE_##id,
   CM_PIPES(CM_PIPE_ENUM)
#undef CM_PIPE_ENUM
      CM_PIPE_COUNT
};

/** A vertex shader may be compiled in two parts: positions for all vertices, the rest for those of visible primitives
 * (index-driven vertex shading). */
enum cm_code_part {
   CM_CODE_WHOLE,
   CM_CODE_POSITION, /**< what the position needs */
   CM_CODE_VARYINGS, /**< all else; of V3D, which shades vertices again for each tile, the whole shader */
   CM_CODE_PARTS
};

/** Operations of a region, per invocation that runs it. */
struct cm_code_region {
   uint32_t operations[CM_PIPE_COUNT];
};

/** A shader's code for an instruction set. It is defined before the first pass that names the shader; one that a
 * compiler refuses has none. */
struct cm_shader_code {
   enum cm_shader_stage stage;
   uint32_t shader; /**< identifier in its stage */
   enum cm_isa isa;
   enum cm_code_part part;
   uint32_t bytes;     /**< of code, constants in it included */
   uint32_t registers; /**< of 32 bits that a thread has; 0: not known */
   uint32_t
      threads_shared; /**< 1: as many threads in flight as the core has; 2: half of them for want of registers; 4: a
                             * quarter */
   uint32_t spills, fills; /**< instructions, which LOAD_STORE has too */
   uint32_t num_regions;   /**< 1 … CM_MAX_REGIONS; the same for all instruction sets */
   const struct cm_code_region *regions;
};

/** Operations of a quad, or of four invocations of a compute shader, in a run. runs: the CM_EVENT_REGIONS that the quad is
 * in; NULL: it ran region 0 alone. */
uint64_t cm_code_quad_operations(const struct cm_shader_code *code, enum cm_pipe pipe, const uint32_t *runs);

/** Operations of a shader's invocations before the rasterizer: of so many as the mean of those that ran the regions as often
 * as runs says, rounded to the nearest number. runs: of num_runs regions, of a draw (cm_draw.num_regions). */
uint64_t cm_code_mean_operations(const struct cm_shader_code *code, enum cm_pipe pipe, const uint64_t *runs,
                                 uint32_t num_runs, uint64_t invocations);

/** The codes that a stream defined, by what they are of. */
struct cm_shader_codes {
   struct cm_shader_code *codes; /**< sorted; with regions of their own */
   size_t count;
};

/** Takes a copy of a code, in place of one of the same shader, instruction set and part. False when out of memory; then
 * nothing has changed. */
bool cm_shader_codes_define(struct cm_shader_codes *codes, const struct cm_shader_code *code);
/** The code of a shader; NULL: there is none. Valid until the next definition. */
const struct cm_shader_code *
cm_shader_codes_find(const struct cm_shader_codes *codes, enum cm_shader_stage stage, uint32_t shader,
                     enum cm_isa isa, enum cm_code_part part);
/** Forgets all. */
void cm_shader_codes_finish(struct cm_shader_codes *codes);

#endif
