/* SPDX-License-Identifier: MIT */
/** What the program calls the draws of a recording. */
#ifndef DRAW_LIST_H
#define DRAW_LIST_H

#include <jansson.h>

#include "events/names.h"
#include "session.h"

/** A debug group with those it is in, as JSON; exits with a message when out of memory. */
json_t *draw_list_group(const struct cm_names *names, uint32_t group);

/** Prints a line of JSON for each draw, with what it uses, under the program's names. Exits with a message when out of
 * memory; damage is left to session_check. */
void draw_list_print(struct session *session);

#endif
