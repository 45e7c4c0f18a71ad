/* SPDX-License-Identifier: MIT */
/** Shared by the texture unit's tests and its benchmark. */
#ifndef TEXTURE_TEST_H
#define TEXTURE_TEST_H

#include "tile/tbr_texture_unit.h"

/** Vector feature levels that the machine runs; the others are left out. */
#define TEXTURE_TEST_MAX_LEVELS 3
unsigned texture_test_num_levels(void);
const char *texture_test_level_name(unsigned level);
/** The level that tbr_texture_binding_prepare chooses functions of from now on. */
void texture_test_use_level(unsigned level);

/** A texture in memory with random content, and a binding of all of it. */
struct texture_test_image {
   struct tbr_texture_binding binding;
   uint8_t *memory;
};

/** Describes a texture; what is 0 is 1. */
struct texture_test_description {
   enum pipe_texture_target target;
   enum pipe_format format;
   unsigned width, height, depth, layers, levels;
};

void
texture_test_image_init(struct texture_test_image *image, const struct texture_test_description *description);
void texture_test_image_free(struct texture_test_image *image);

/** A random number of 64 bits; the same sequence in every run. */
uint64_t texture_test_random(void);
static inline unsigned
texture_test_below(unsigned end)
{
   return (unsigned)((texture_test_random() >> 32) * end >> 32);
}
/** Uniform in low … high. */
static inline double
texture_test_uniform(double low, double high)
{
   return low + (high - low) * (double)(texture_test_random() >> 11) * 0x1p-53;
}

/* ---- the reference ----------------------------------------------------- */

#define TEXTURE_REFERENCE_MAX_READS 256

struct texture_reference_read {
   unsigned level, layer;
   int x, y;
};

/** What one fragment's instruction should return and read. */
struct texture_reference {
   double texel[4]; /**< or integers' bits */
   bool integer;
   /** Too near to a decision (a level, a texel's edge, a comparison) for
    * rounding not to matter: neither texel nor reads are compared. */
   bool ambiguous;
   unsigned num_reads; /**< distinct texels */
   struct texture_reference_read reads[TEXTURE_REFERENCE_MAX_READS];
};

/** Samples as the OpenGL specification says, in double. */
void texture_reference_sample(const struct tbr_texture_binding *binding,
                              const struct tbr_sample_arguments *arguments, unsigned lane,
                              struct texture_reference *reference);

/* ---- random cases -------------------------------------------------------- */

/** A texture of the target and format, of up to `most` texels per side, with a full or shorter chain. */
void texture_random_image(struct texture_test_image *image, enum pipe_texture_target target,
                          enum pipe_format format, unsigned most);
/** The binding's sampler, with one of the wrap modes for each coordinate. */
void texture_random_sampler(struct tbr_texture_binding *binding, const uint8_t *wraps, unsigned num_wraps);
/** Coordinates near texels that there are, and the rest of a call. */
void
texture_random_arguments(const struct tbr_texture_binding *binding, struct tbr_sample_arguments *arguments);

/* ---- checks -------------------------------------------------------------- */

/** Distinct texels that the recorded footprints name for a lane. */
struct texture_recorded {
   unsigned count;
   struct texture_reference_read reads[2 * TEXTURE_REFERENCE_MAX_READS];
};

/** Reads back the events of one call, as the consumer does. */
void texture_decode_events(const struct tbr_texture_binding *binding, const struct cm_tile_events *events,
                           struct texture_recorded recorded[TBR_LANES]);

/** Prints the binding and one lane's arguments. */
void texture_print_case(const struct tbr_texture_binding *binding,
                        const struct tbr_sample_arguments *arguments, unsigned lane);

/** Samples on every feature level, with and without events, and compares; fails the test where anything differs, or
 * a colour by more than the tolerance. */
void texture_check_call(struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
                        double tolerance);

/** Lanes that were compared since texture_check_begin; texture_check_finish fails the test where they are too few, or
 * too many were ambiguous. */
extern unsigned texture_compared;
void texture_check_begin(void);
void texture_check_finish(void);

#endif
