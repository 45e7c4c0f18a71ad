/* SPDX-License-Identifier: MIT */
/** How a name that somebody wrote is found among those that there are: of policies, indices, units, streams, modes. */
#ifndef CM_NAMES_H
#define CM_NAMES_H

#include <stdbool.h>

/** Whether a text is a name, in whatever letters: "LRU" is "lru". */
bool cm_name_is(const char *text, const char *name);

/** The number of the name that a text means, or count: it is one of them, or another name of it in the literature
 * ("belady" for opt, "plru" for tree-plru). Names may be NULL, which nothing means. */
unsigned cm_name_find(const char *text, const char *const *names, unsigned count);

#endif
