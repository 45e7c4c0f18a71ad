/* SPDX-License-Identifier: MIT */
/** OpenGL programs from their sources, in any context. What does not compile or link ends the program (check.h).
 * It declares nothing of OpenGL, so that programs include the headers of their own version. */
#ifndef SUPPORT_PROGRAM_H
#define SUPPORT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/** Compiles a shader of a stage (GL_VERTEX_SHADER, …): the line of its version, which may be "", and the rest. */
unsigned compile_shader(unsigned stage, const char *version, const char *source);

/** Links shaders, the second of which may be 0, and deletes them. Attribute 0 is "position", 1 "coordinates". */
unsigned link_shaders(unsigned first, unsigned second);

/** Both of a program of a vertex and a fragment shader. */
unsigned build_program(const char *vertex_source, const char *fragment_source);
unsigned build_versioned_program(const char *version, const char *vertex_source, const char *fragment_source);

/** A buffer with this content, bound to the target (GL_ARRAY_BUFFER, …). */
unsigned create_buffer(unsigned target, const void *data, size_t bytes);

/** These are bound, too: a texture; a 2D texture of one level; a renderbuffer; a framebuffer with a 2D texture as its first
 * colour, 0: without attachments; a vertex array. */
unsigned bind_new_texture(unsigned target);
unsigned bind_new_image(unsigned format, int width, int height);
unsigned bind_new_renderbuffer(unsigned format, int width, int height);
unsigned bind_new_framebuffer(unsigned texture);
unsigned bind_new_vertex_array(void);

/** Whether the current context, of version 3.0 or later, has an extension. */
bool has_extension(const char *name);

#endif
