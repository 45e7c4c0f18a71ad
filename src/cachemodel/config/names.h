/* SPDX-License-Identifier: MIT */
/** Finds a name in a list of names: policies, indices, units, streams, modes. */
#ifndef CM_NAMES_H
#define CM_NAMES_H

#include <stdbool.h>

/** Whether a text is a name, in upper or lower case: "LRU" is "lru". */
bool cm_name_is(const char *text, const char *name);

/** The number of the name that a text means, or count: it is the name, or its other name in the literature
 * ("belady" for opt, "plru" for tree-plru). Names may be NULL; these are never found. */
unsigned cm_name_find(const char *text, const char *const *names, unsigned count);

#endif
