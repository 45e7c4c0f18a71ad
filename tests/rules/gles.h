/* SPDX-License-Identifier: MIT */
/** What the programs that check OpenGL ES 3.0's rules share: a context without a
 * surface, textures, framebuffer objects, and drawing. */
#ifndef RULES_GLES_H
#define RULES_GLES_H

#include <GLES3/gl3.h>
#include <stdbool.h>
#include <stddef.h>

#include "support/check.h"
#include "support/program.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/** Opens a display without a window system and makes an OpenGL ES 3.0 context current. */
void gles_open(void);

/** Ends the context; the exit status: 1 if a rule was broken or GL reports an error. */
int gles_close(void);

/** Shaders: the position is that of attribute 0; the same, and times the uniform "scale" it is the "coordinates"; the colour
 * is white. */
extern const char gles_position_vertex[], gles_scaled_vertex[], gles_white_fragment[];

/** A texture of the target with one level of each layer, sampled with the nearest texel. */
GLuint gles_texture(GLenum target, GLenum format, int width, int height, int depth, int levels);

/** A framebuffer of new textures, bound, with its viewport; GL_NONE leaves out an attachment. */
GLuint gles_framebuffer(GLenum color_format, GLenum depth_stencil_format, int width, int height);

/** Draws vertices of four components from client memory with attribute 0. */
void gles_draw(GLenum mode, const float (*vertices)[4], int count);

/** Draws a rectangle in clip space at depth z. */
void gles_rectangle(float left, float bottom, float right, float top, float z);

/** Reads a pixel of the bound framebuffer, whose colours are bytes, as 0xRRGGBBAA. */
unsigned gles_pixel(int x, int y);

#endif
