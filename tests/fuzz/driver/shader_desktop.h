/* SPDX-License-Identifier: MIT */
/** What random shaders of OpenGL 4.5 have in addition to those of OpenGL ES (shaders.h). */
#ifndef FUZZ_SHADER_DESKTOP_H
#define FUZZ_SHADER_DESKTOP_H

#include "shader_body.h"

/** The image that is read, the atomic counter, subroutines. */
void put_desktop_declarations(struct writer *writer);

/** A float that is exact, computed with doubles. */
void put_double(struct writer *writer);

/** An int or a uint: sizes of textures, words of doubles. */
void put_desktop_integer(struct writer *writer, bool is_unsigned);

/** A vec4 that is approximate: of doubles, of an image, of a subroutine. */
void put_desktop_approximate(struct writer *writer, unsigned depth);

/** Distances to clip and cull by: those of all vertices of a primitive are the same, unless the shader is loose. */
void put_distances(struct writer *writer);

#endif
