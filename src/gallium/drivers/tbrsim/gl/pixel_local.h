/* SPDX-License-Identifier: MIT */
/**
 * GL_EXT_shader_pixel_local_storage in Mesa's front end: the blocks of shaders, and what programs may do while the
 * storage is enabled. Compiled into Mesa's compiler; the hooks call it (docs/mesa.md).
 *
 * A block's members are variables of their shader. A shader that has run through the compiler copies the storage, four
 * words per pixel, into them when main begins and back when it ends. The words are outputs of the locations 1 to 4, which
 * the extension leaves free, and are read as framebuffer fetch reads outputs.
 */
#ifndef PIXEL_LOCAL_H
#define PIXEL_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

/** Words per pixel; MAX_SHADER_PIXEL_LOCAL_STORAGE_SIZE_EXT and …_FAST_SIZE_EXT are that in bytes. */
#define PIXEL_LOCAL_WORDS 4
#define PIXEL_LOCAL_BYTES (PIXEL_LOCAL_WORDS * 4)

#ifdef __cplusplus
extern "C" {
#endif

struct gl_context;
struct nir_shader;

/** Replaces the blocks' variables of a fragment shader that has just become NIR, and is not linked, by what is described
 * above. */
void pixel_local_lower(struct nir_shader *nir);

/** glEnable and glDisable of GL_SHADER_PIXEL_LOCAL_STORAGE_EXT, with their errors. */
void pixel_local_enable(struct gl_context *ctx, bool enable);

/** Whether a command that changes `object`, a framebuffer, texture or renderbuffer, is an error because the storage is
 * enabled, and the object is the draw framebuffer or attached to it. Records the error. */
bool pixel_local_forbids(struct gl_context *ctx, const void *object, const char *command);

/** The same of glDeleteFramebuffers, glDeleteTextures or glDeleteRenderbuffers (GL_FRAMEBUFFER, GL_TEXTURE or
 * GL_RENDERBUFFER) of `count` names: where one of them must not be deleted, none is, as a command with an error has no
 * effect. */
bool pixel_local_forbids_deletion(struct gl_context *ctx, uint32_t type, int count, const uint32_t *names);

/** Whether a draw is an error because its fragment shader accesses the storage and it is not enabled. */
bool pixel_local_is_missing(const struct gl_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
