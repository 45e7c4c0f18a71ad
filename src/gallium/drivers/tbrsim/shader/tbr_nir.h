/* SPDX-License-Identifier: MIT */
/** NIR passes of the driver's own. */
#ifndef TBR_NIR_H
#define TBR_NIR_H

#include "nir.h"

struct nir_builder;

/** Reads an input slot that the raster pipeline fills with something else than an attribute. */
nir_def *tbr_nir_load_input(struct nir_builder *b, unsigned components, unsigned slot, unsigned component);

/** Turns load_front_face into a read of the input slot `base`, because the quads
 * of one vector may belong to primitives of either facing. True if there was one. */
bool tbr_nir_lower_front_face(nir_shader *nir, unsigned base);

/** Turns reads of constant buffer 0 at constant offsets into reads of the input
 * slots from `base` on, one a vec4. Returns how many slots that are. */
unsigned tbr_nir_push_constants(nir_shader *nir, unsigned base);

/** Makes the loops of an invocation end after `limit` iterations in all; an invocation
 * that reaches the limit stores 1 in the first word of the driver's shader buffer (TBR_MARKS_BUFFER; of fragment and
 * compute shaders 0). 0: no limit. True if
 * there are loops. */
bool tbr_nir_limit_loops(nir_shader *nir, unsigned limit);

/** Whether the shader has instructions that read texels. */
bool tbr_nir_reads_textures(nir_shader *nir);

/** Bounds the numbers of storage buffers that a shader computes to its own: the driver's come after them. */
void tbr_nir_bound_buffers(nir_shader *nir);

/** Uniform block reads whose byte offset wraps at 2^32 read outside of the block, not in it. */
void tbr_nir_bound_offsets(nir_shader *nir);

/** Numbers of uniform blocks, and of textures that are asked for their size, are those of the first invocation that
 * executes the instruction. gallivm takes them from the first one of the vector, which may be elsewhere. */
void tbr_nir_take_active_numbers(nir_shader *nir);

/** Functions of half precision that have no code in gallivm (exp2, log2, pow, sin, cos) are computed in single precision and
 * rounded. It would leave them to LLVM, which calls the C library's, lane by lane, and, where the result is used in half
 * precision, a function at address 0. To the simulated GPU each is still one instruction. */
void tbr_nir_widen_functions(nir_shader *nir);

/** What textures return in half precision is converted as gallivm does it for 16 lanes (towards zero, denormal numbers
 * flushed), but with the processor's instruction: gallivm computes it bit by bit. */
void tbr_nir_narrow_texels(nir_shader *nir);

/** Gives all fragments of a quad the same derivatives, those of its upper row and left
 * column, except where the shader asks for fine ones. They are the differences that
 * textures choose their levels by. True if there are any. */
bool tbr_nir_lower_coarse_derivatives(nir_shader *nir);

/** Lets sub-groups have TBR_SUBGROUP_SIZE invocations, before gallivm's passes give them those of a vector. May be called
 * again. */
void tbr_nir_size_subgroups(nir_shader *nir);

/** Votes and ballots of a sub-group: a quad of fragments, helper invocations included, or successive invocations of a
 * work-group. Of the stages that draw executes each invocation is alone. Once, after gallivm's passes, and before passes that
 * use what the whole vector has. */
void tbr_nir_lower_subgroups(nir_shader *nir);

/** Whether the shader asks for inputs at centroids, besides those that are declared so. */
bool tbr_nir_interpolates_at_centroid(nir_shader *nir);

/** Whether a processor executes the instruction, and does not take it as an operand of others. */
bool tbr_nir_is_executed(const nir_instr *instr);

/** Instructions that a processor would execute, a product and the addition that alone uses it as one, as the event stream counts them. */
unsigned tbr_nir_count_instructions(nir_shader *nir);

#endif
