/* SPDX-License-Identifier: MIT */
/** The statements of random shaders (shaders.h). */
#ifndef FUZZ_SHADER_BODY_H
#define FUZZ_SHADER_BODY_H

#include "shaders.h"

enum stage { VERTEX, CONTROL, EVALUATION, GEOMETRY, FRAGMENT, COMPUTE };

/** A shader that is being written. */
struct writer {
   struct dice *dice;
   const struct program_plan *plan;
   enum stage stage;
   char *text;
   unsigned length;
   unsigned depth;    /**< of nested statements */
   unsigned loops;    /**< counters that are in use */
   bool uniform_flow; /**< all invocations of the draw are here */
   bool in_function;
};

void put(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Declares what statements use: uniforms, samplers, storage, functions. */
void put_declarations(struct writer *writer);

/** Declares and sets the locals: a0 to a3, x0 to x2, i0 to i2, u0 to u2, and arrays of them. */
void put_locals(struct writer *writer);

/** Random statements on the locals. */
void put_statements(struct writer *writer, unsigned count);

/** Expressions of a sort: a vec4 that is approximate; a float, an int, a uint, a condition that are exact. */
void put_approximate(struct writer *writer, unsigned depth);
void put_exact(struct writer *writer, unsigned depth);
void put_int(struct writer *writer, unsigned depth);
void put_uint(struct writer *writer, unsigned depth);
void put_condition(struct writer *writer);

/** Text with operands, which are less deep: % is an approximate one, $e an exact one, $i and $u integers, $l an exact leaf, $c a
 * condition. */
void put_form(struct writer *writer, const char *form, unsigned depth);

/** A number, an input or a local, that is exact. */
void put_exact_leaf(struct writer *writer);

#endif
