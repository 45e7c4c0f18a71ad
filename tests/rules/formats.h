/* SPDX-License-Identifier: MIT */
/** The sized internal formats of OpenGL ES 3.0 (table 3.13 and what extensions add). */
#ifndef RULES_FORMATS_H
#define RULES_FORMATS_H

#include <GLES3/gl3.h>
#include <stddef.h>

/** How a format's values are written and read. */
enum kind {
   KIND_FLOAT,    /**< normalised, fixed or floating point */
   KIND_SIGNED,   /**< integers */
   KIND_UNSIGNED, /**< integers */
   KIND_DEPTH,    /**< depth, stencil or both */
};

struct format {
   const char *name;
   GLenum internal, format, type;
   enum kind kind;
};

extern const struct format formats[];
extern const size_t num_formats;

#endif
