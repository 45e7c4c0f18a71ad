/* SPDX-License-Identifier: MIT */
/** What the program calls the draws of a recording. */
#ifndef DRAW_LIST_H
#define DRAW_LIST_H

#include "session.h"

/** Prints a line of JSON for each draw, with what it uses, under the program's names. Exits with a message when out of
 * memory; damage is left to session_check. */
void draw_list_print(struct session *session);

#endif
