/* SPDX-License-Identifier: MIT */
/**
 * The rules that a consumer of events (gpu/gpu.h) relies on. A renderer follows them; what
 * comes from a file is validated. Functions return NULL, or the error.
 */
#ifndef CM_RECORDING_CHECK_H
#define CM_RECORDING_CHECK_H

#include "events/event_stream.h"
#include "events/shader_code.h"

/** The beginning of an error that is no fault of the file; the rest says what there was no memory for. */
#define CM_OUT_OF_MEMORY_FOR "out of memory for "

const char *cm_check_resource(const struct cm_resource_description *resource);

/** Checks sizes and numbers of tiles, on which the rest depends. */
const char *cm_check_pass_size(const struct cm_pass *pass);

/** Checks draws, primitives and their tiles; not the tiles' events. */
const char *cm_check_pass(const struct cm_pass *pass);

/** Checks the descriptors of a pass, and which of them its draws name. */
const char *cm_check_descriptors(const struct cm_pass *pass);

/** Checks what is known of the tiles' contents, which the pass has. */
const char *cm_check_contents(const struct cm_pass *pass);

/** What names may refer to: what has been defined since the GPU began. Begins as zeros. */
struct cm_name_check {
   uint32_t strings, groups;
   uint8_t *depths; /**< of each group: 1 + the groups it is in */
};

/** Nothing is defined; also frees the memory. */
void cm_name_check_begin(struct cm_name_check *check);
/** Whether the next definition is one, of strings and groups that are defined; a string's text is not looked at.
 * Returns NULL, or what is wrong. */
const char *cm_check_name(struct cm_name_check *check, const struct cm_name *name);
/** The code of a shader, but for its regions. */
const char *cm_check_code(const struct cm_shader_code *code);
/** Whether the draws' groups and markers are defined. Returns NULL, or what is wrong. */
const char *cm_check_pass_names(const struct cm_name_check *check, const struct cm_pass *pass);

#endif
