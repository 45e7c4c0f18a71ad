/* SPDX-License-Identifier: MIT */
/** What the tests of framebuffer fetch and advanced blending share: contexts without a surface, drawing. */
#ifndef FETCH_SUPPORT_H
#define FETCH_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <GLES3/gl3.h>

#include "support/check.h"
#include "support/program.h"

/** Makes a context current: OpenGL 3.3 or OpenGL ES 3.0, with a vertex array object bound. */
void open_context(bool desktop);

/** Random numbers, the same in every run. */
unsigned random_below(unsigned end);

/** Draws triangles of three floats per vertex, attribute 0. */
void draw_triangles(const float (*vertices)[3], unsigned count);

#endif
