/* SPDX-License-Identifier: MIT */
/** What gfxrecon-replay says: lines such as "[gfxrecon] WARNING - Feature …". */
#ifndef GFXR_LINES_H
#define GFXR_LINES_H

#include <stdbool.h>

struct gfxr_lines {
   struct gfxr_line *list; /**< what was left out, now or when the capture was made; each text once */
   unsigned count;
   char *reason; /**< why it ended; NULL: it did not say */
};

/** Takes the next line; others than the replayer's own, and what changes nothing, are ignored. */
void gfxr_lines_take(struct gfxr_lines *lines, const char *line);

/** Says what was left out, of many lines the first; true if any was now. log: the file that has them all. */
bool gfxr_lines_say(const struct gfxr_lines *lines, const char *log);

void gfxr_lines_free(struct gfxr_lines *lines);

#endif
