/* SPDX-License-Identifier: MIT */
/** Limits of how much more a run may have of some counters than another: a check of changes (report --fail-above). */
#ifndef REGRESSION_H
#define REGRESSION_H

#include <stdbool.h>

struct regression_limit {
   char *name;  /**< as given */
   double most; /**< per cent */
};

struct regression_limits {
   struct regression_limit *list;
   unsigned count;
};

/** Adds the limit of a text, "dram=2%". Exits if it is none. */
void regression_take_limit(struct regression_limits *limits, const char *option, const char *value);

/** Prints each limit's counters per frame of two directories of results, and by how much the second one has more. False
 * where that is more than the limit. Averages are over all frames but those that look like loading in the first one, which it names:
 * frames with the same numbers are left out of both, so that a frame that grows is a change. Exits with a message where a run has no
 * such counter, or no frame is left. */
bool regression_check(const struct regression_limits *limits, const char *first, const char *second);

#endif
