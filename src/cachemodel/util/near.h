/* SPDX-License-Identifier: MIT */
/** Suggestions for a wrong name, for messages: the nearest few of all names. */
#ifndef CM_NEAR_H
#define CM_NEAR_H

#include <stddef.h>

#define CM_NEAR_NAMES 3  /**< so many are named at most */
#define CM_NEAR_BYTES 80 /**< longer names and words have no suggestions */
/** Space for the text of cm_near_text. */
#define CM_NEAR_TEXT (CM_NEAR_NAMES * (CM_NEAR_BYTES + 4) + 20)

/** Upper and lower case are equal in it, and so are '.', '-' and '_'. */
struct cm_near {
   char word[CM_NEAR_BYTES];
   char names[CM_NEAR_NAMES]
             [CM_NEAR_BYTES]; /**< the nearest names; if several are equally near, the first ones offered */
   unsigned count, rank;      /**< of names; how far they are from the word */
};

/** Begins the search for a wrong word, which has so many characters. */
void cm_near_start(struct cm_near *near, const char *word, size_t length);

/** Offers a name. It is near if a third of the word's characters or fewer are wrong, missing, too
 * many or swapped with their neighbours; if one of both begins with the other; or if it has all parts of the word,
 * its last one too ("l2.texture.misses" those of "l2.misses"). */
void cm_near_offer(struct cm_near *near, const char *name);

/** " (did you mean A, B or C?)", to follow the wrong word; "" where nothing is near. size: CM_NEAR_TEXT. Returns
 * text. */
const char *cm_near_text(const struct cm_near *near, char *text, size_t size);

#endif
