/* SPDX-License-Identifier: MIT */
/** What the tests of framebuffer fetch and advanced blending share: contexts without a surface, programs. */
#ifndef FETCH_SUPPORT_H
#define FETCH_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <GLES3/gl3.h>

/** Ends the program with a line where the condition does not hold. */
void require(bool condition, const char *what);

/** Makes a context current: OpenGL 3.3 or OpenGL ES 3.0, with a vertex array object bound. */
void open_context(bool desktop);
bool has_extension(const char *name);

/** Links a program whose sources go on after the version's line; "position" is attribute 0. */
GLuint make_program(const char *version, const char *vertex_source, const char *fragment_source);

/** Random numbers, the same in every run. */
unsigned random_below(unsigned end);

/** Draws triangles of three floats a vertex, attribute 0. */
void draw_triangles(const float (*vertices)[3], unsigned count);

#endif
