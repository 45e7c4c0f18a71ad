/* SPDX-License-Identifier: MIT */
#ifndef CM_JSON_H
#define CM_JSON_H

#include <stdbool.h>
#include <stdio.h>

/** Whether a text is UTF-8. */
bool cm_is_utf8(const char *text);

/** Writes a JSON string with its quotes. Text that is not UTF-8 is taken as
 * Latin-1, so that the file is valid with any application's name. */
void cm_json_write_string(const char *text, FILE *file);

#endif
