/* SPDX-License-Identifier: MIT */
/**
 * The program's own names, as the event stream defined them (struct cm_name): strings by number, debug groups,
 * labels and formats of resources, shaders. A draw names its group, marker and call itself (struct cm_draw).
 *
 * Everything stays valid until the object is destroyed, except labels, which a program may change.
 */
#ifndef CM_NAMES_H
#define CM_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/event_stream.h"

/** The most bytes of a string, without its end: OpenGL's limit for a message. */
#define CM_MAX_NAME_BYTES 4095
/** The deepest nesting of groups. */
#define CM_MAX_GROUP_DEPTH 128

struct cm_names;

/** NULL when out of memory. */
struct cm_names *cm_names_create(void);
void cm_names_destroy(struct cm_names *names);

/** Takes a definition, whose text is copied. False when out of memory; then nothing has changed. */
bool cm_names_define(struct cm_names *names, const struct cm_name *name);
/** Takes a resource's format and uses. False when out of memory. */
bool cm_names_define_resource(struct cm_names *names, const struct cm_resource_description *resource);

/** Strings and groups defined so far: their numbers are 1 … count. */
uint32_t cm_names_count_strings(const struct cm_names *names);
uint32_t cm_names_count_groups(const struct cm_names *names);
/** Resources that have a label, and shaders that were defined. */
uint32_t cm_names_count_labels(const struct cm_names *names);
uint32_t cm_names_count_shaders(const struct cm_names *names);
/** Reads of resources that have no events (CM_NAME_READ). */
uint32_t cm_names_count_reads(const struct cm_names *names);

/** A string; "" for 0. */
const char *cm_names_string(const struct cm_names *names, uint32_t string);

/** The name of a group, without its enclosing groups; "" for 0. */
const char *cm_names_group(const struct cm_names *names, uint32_t group);
/** The group that a group is in; 0: none. */
uint32_t cm_names_group_parent(const struct cm_names *names, uint32_t group);
/** A group with its enclosing groups, the outermost first, with slashes between them ("shadow pass/terrain"); "" for 0.
 * As snprintf: returns its length, size may be 0. */
size_t cm_names_group_path(const struct cm_names *names, uint32_t group, char *path, size_t size);

/** A resource's label, as it is now; "": none. */
const char *cm_names_label(const struct cm_names *names, uint32_t resource);
/** The name of its texels' format; "": none, or a buffer. */
const char *cm_names_format(const struct cm_names *names, uint32_t resource);
/** What it was made for: enum cm_resource_use. */
uint8_t cm_names_uses(const struct cm_names *names, uint32_t resource);

/** A shader's hash: of its code, the same in every run; 0: not known. */
uint64_t cm_names_shader_hash(const struct cm_names *names, enum cm_shader_stage stage, uint32_t shader);
/** A shader's label, which is its program's; "": none. */
const char *cm_names_shader_label(const struct cm_names *names, enum cm_shader_stage stage, uint32_t shader);

#endif
