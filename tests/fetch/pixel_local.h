/* SPDX-License-Identifier: MIT */
/** What the test of pixel local storage has in two files. */
#ifndef FETCH_PIXEL_LOCAL_H
#define FETCH_PIXEL_LOCAL_H

#include <GLES3/gl3.h>

#define PLS_SIZE 61 /* no tile size divides it */

/** A program of a fragment shader with the extension, of what comes after its input "number". */
GLuint pls_program(const char *source);
/** Draws all of the framebuffer. */
void pls_draw(GLuint program);

/** What does not compile. */
void pls_test_shader_errors(void);
/** Errors of OpenGL's commands, and its queries. */
void pls_test_command_errors(void);

#endif
