/* SPDX-License-Identifier: MIT */
/**
 * Random shaders of all stages, as text.
 *
 * Defined shaders give the same results, within a tolerance, on every driver that follows the specification. The
 * grammar sees to that by two sorts of numbers:
 *   - exact ones: integers, and floats that are multiples of 1/8 and small, so that nothing rounds. They are in locals
 *     i, u and x; from flat inputs, uniforms, gl_FragCoord, gl_VertexID and the like; texels of integer textures.
 *   - approximate ones, in vectors a: interpolated inputs, filtered texels, sines. Only continuous functions are applied to
 *     them, and each statement's result is brought back to a small range, so that errors stay small.
 * What is not continuous (comparisons, conversions to integers, indices, discard, coordinates of unfiltered textures,
 * loops' ends) takes exact numbers only; derivatives are of affine functions of gl_FragCoord, in uniform control flow.
 * All else that the specification leaves open is left out: every variable is set, indices are masked, nothing is divided by
 * what may be 0, and shaders store by operations whose order does not matter.
 *
 * Other shaders, `wild` ones, may break all of these rules, and use mediump; they only have to do no harm. Between them are
 * `loose` ones: what they use is defined, but only up to what drivers may choose (levels of detail, places of samples). One
 * driver gives the same results for them whatever the simulated GPU is like.
 */
#ifndef FUZZ_SHADERS_H
#define FUZZ_SHADERS_H

#include <stdbool.h>

#include "dice.h"

#define SHADER_BYTES 32768
#define MAX_COLORS 4
#define MAX_VARYINGS 5
#define TEXTURE_UNITS 4
#define STORAGE_WORDS 512 /* of the buffer of atomics: four ranges, each with one operation */
#define VIEWPORTS 3       /* that geometry shaders select */
#define CAPTURED_FLOATS 4 /* that transform feedback captures of a vertex */

enum sort { FLOAT, INT, UINT };

/** What a sampler of a unit looks like to shaders. */
struct sampler_kind {
   const char *type;     /**< without its prefix: "sampler2DArray", … */
   enum sort sort;       /**< of its texels */
   unsigned coordinates; /**< how many numbers its coordinates have, layers included */
   bool shadow;          /**< it compares */
   bool fetched;         /**< only texelFetch reads it: buffers, samples */
   bool filtered;        /**< filters are linear: any coordinates give nearly the same */
   bool cube;            /**< coordinates are a direction */
   bool rectangle;       /**< coordinates are texels, and there are no levels */
   unsigned
      sides[3]; /**< texels of the last level; of buffers: texels; of samples: texels, texels, samples */
   unsigned levels;
};

struct varying {
   enum sort sort;
   unsigned components;
   bool flat;
   const char *qualifier; /**< of floats: "", "centroid ", "sample " */
};

/** What a program is to be like. */
struct program_plan {
   bool desktop, compatible; /**< OpenGL 4.5, its compatibility profile */
   bool wild, loose;         /**< wild ones are loose */
   bool geometry, tessellation, compute;
   bool storage;      /**< the fragment shader stores by atomics, in a buffer and an image */
   bool early_tests;  /**< layout(early_fragment_tests) */
   bool captured;     /**< the last stage before the rasteriser writes `captured` */
   bool layered;      /**< a geometry shader selects layers */
   bool multisampled; /**< fragments may ask for samples, if wild */
   bool clips;        /**< the last stage before the rasteriser writes distances; OpenGL's are these: */
   bool viewports;    /**< a geometry shader selects viewports */
   bool dual;         /**< the fragment shader has a second colour for blending */
   bool counts;       /**< the fragment shader counts by an atomic counter */
   bool subroutines;  /**< a function is chosen when it draws */
   unsigned layers;   /**< of the framebuffer; 0: not layered */
   unsigned color_count;
   enum sort colors[MAX_COLORS]; /**< the attachments' */
   struct sampler_kind samplers[TEXTURE_UNITS];
   unsigned patch_vertices;   /**< out of the control shader */
   unsigned group[3];         /**< sizes of work-groups */
   const char *primitives_in; /**< of a geometry shader: "triangles", … */
   unsigned vertices_in;
   bool points_out; /**< of a geometry shader */
   struct varying varyings[MAX_VARYINGS];
   unsigned varying_count;
};

/** The stages' sources; "" of a stage that the program does not have. */
struct program_text {
   char vertex[SHADER_BYTES], control[SHADER_BYTES], evaluation[SHADER_BYTES], geometry[SHADER_BYTES],
      fragment[SHADER_BYTES], compute[SHADER_BYTES];
};

/** Chooses the varyings, and writes all stages. */
void write_program(struct dice *dice, struct program_plan *plan, struct program_text *text);

#endif
