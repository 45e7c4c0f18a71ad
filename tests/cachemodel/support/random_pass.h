/* SPDX-License-Identifier: MIT */
#ifndef RANDOM_PASS_H
#define RANDOM_PASS_H

#include "pass_builder.h"

/** Resources 1 … 12 that random passes use. */
void define_random_resources(struct cm_gpu *gpu);

/** Contents of all touched tiles: of the color attachments and of depth, as far as they are stored. */
void random_contents(struct pass_builder *builder, uint64_t state);

/** Up to four ranges of descriptors that shaders of the draw added last name; sets are resources 1 … 9. */
void random_descriptors(struct pass_builder *builder, uint64_t state);

/** A pass with draws, primitives, quads and footprints of all kinds, and every other time contents. */
struct pass_builder *random_pass(uint64_t *state, uint32_t frame);

#endif
