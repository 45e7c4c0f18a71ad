/* SPDX-License-Identifier: MIT */
/**
 * Accesses to a unit as lines of text, the format `streams` of tbrsim export and tbrsim cache (docs/caches.md):
 *
 *    R 0x1fc0 texture    an access: R or W, the block's address, the stream
 *    I 0x1000 0x2000     the blocks from an address to another (excluded) are invalidated
 *    F                   a frame ends
 */
#ifndef CM_ACCESS_TEXT_H
#define CM_ACCESS_TEXT_H

#include <stdio.h>

#include "access/arrivals.h"

/** Writes a decoded entry (cm_arrivals_decode), if the format has it. Errors: ferror of the file. */
void cm_access_text_write(FILE *file, enum cm_arrival_kind kind, const struct cm_unit_arrival *arrival);

/** Reads a line, which ends before `end` and does not begin with spaces. An access has its address, stream
 * and whether it is CM_READ or CM_WRITE; a mark is CM_MARK_FRAME_END. CM_ARRIVAL_NONE: the line is malformed;
 * then *wrong is the position, and *expected what was expected there. */
enum cm_arrival_kind cm_access_text_read(const char *line, const char *end, struct cm_unit_arrival *arrival,
                                         const char **wrong, const char **expected);

/** Reads a hexadecimal number of up to 64 bits, with 0x or without, followed by a space or the end. Returns
 * its end; NULL: there is none. */
const char *cm_text_hexadecimal(const char *text, const char *end, uint64_t *value);

/** The same for an address with 0x, after spaces. */
const char *cm_text_address(const char *text, const char *end, uint64_t *value);

/** The first character that is no space, tab or carriage return. */
static inline const char *
cm_text_skip_spaces(const char *text, const char *end)
{
   while (text < end && (*text == ' ' || *text == '\t' || *text == '\r'))
      text++;
   return text;
}

#endif
