/* SPDX-License-Identifier: MIT */
/** The passes and draws of a recording, and what the program calls them. */
#ifndef DRAW_LIST_H
#define DRAW_LIST_H

#include <jansson.h>

#include "events/names.h"
#include "input/session.h"

/** A debug group with those it is in, as JSON; exits with a message when out of memory. */
json_t *draw_list_group(const struct cm_names *names, uint32_t group);

/** What to print. */
struct listed {
   bool draws; /**< each with what it uses, under the program's names */
   bool
      passes; /**< each with its attachments, before its draws; and reads that have no events (CM_NAME_READ) */
};

/** Prints a line of JSON for each, in the order of the stream. Exits with a message when out of memory; damage is left
 * to session_check. */
void draw_list_print(struct session *session, const struct listed *listed);

#endif
