/* SPDX-License-Identifier: MIT */
/** Render passes with the same attachments as one pass: all draws of the first, then all of the second, and so on. */
#ifndef CM_JOIN_H
#define CM_JOIN_H

#include <stdbool.h>

#include "events/event_stream.h"

struct cm_pass_join;

/** NULL when out of memory. */
struct cm_pass_join *cm_pass_join_create(void);
void cm_pass_join_destroy(struct cm_pass_join *join);

/** Whether passes can be one: they have the same attachments, size and tiles, their shaders store nothing, the first
 * does not resolve, nor does the second clear. Transform feedback comes with the vertices, before the tiles, in the order of
 * draws: readers find it there. */
bool cm_passes_can_join(const struct cm_pass *first, const struct cm_pass *second);

/** Appends a pass, which is copied. It and those before it can be one. False when out of memory. */
bool cm_pass_join_add(struct cm_pass_join *join, const struct cm_pass *pass);

/** Gives the pass of those that were appended other attachments: these of `attachments`. */
void cm_pass_join_attach(struct cm_pass_join *join, const struct cm_pass *attachments);

/** The pass of all that were appended since the last call; valid until cm_pass_join_add or cm_pass_join_release. */
const struct cm_pass *cm_pass_join_take(struct cm_pass_join *join);
/** Frees the pass that was taken last, if nothing was appended since. */
void cm_pass_join_release(struct cm_pass_join *join);

#endif
