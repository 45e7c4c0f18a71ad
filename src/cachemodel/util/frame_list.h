/* SPDX-License-Identifier: MIT */
/** Requested frames, as ranges. */
#ifndef CM_FRAME_LIST_H
#define CM_FRAME_LIST_H

#include <stdbool.h>
#include <stdint.h>

/** Frames first to last, both included. */
struct cm_frame_range {
   uint32_t first, last;
};

/** Ranges in ascending order that do not overlap. */
struct cm_frame_list {
   struct cm_frame_range *ranges;
   uint32_t count;
};

/** Adds a range that ends after all ranges of a list, which has space for it; ranges that it meets are merged with it. */
void cm_frame_list_add(struct cm_frame_list *list, uint32_t first, uint32_t last);

/** Parses a list: frames ("7") and ranges ("3-5" or "3..5"; "9-": and all after it) with commas, ascending; counted from
 * 0. Ranges that meet are one. False, and an empty list, if it is wrong, or when out of memory. */
bool cm_frame_list_parse(const char *text, struct cm_frame_list *list);

void cm_frame_list_free(struct cm_frame_list *list);

/** How many frames the list has; the last range must have an end. */
uint32_t cm_frame_list_count(const struct cm_frame_list *list);

bool cm_frame_list_has(const struct cm_frame_list *list, uint32_t frame);

#endif
