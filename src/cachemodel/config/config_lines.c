/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "config/config_internal.h"

/* Where the line's text begins; its end if it is blank or a comment. */
static const char *
skip_indentation(const char *line, const char *end)
{
   while (line < end && (*line == ' ' || *line == '\t'))
      line++;
   return line < end && *line == '#' ? end : line;
}

unsigned
cm_config_line(const char *text, const char *path, bool last)
{
   unsigned found = 1, number = 0;
   ptrdiff_t outer = -1;    /* the mapping's lines are indented deeper than this */
   ptrdiff_t siblings = -1; /* and its keys stand here; -1: its first line is to come */

   for (const char *line = text; *line;) {
      const size_t key_length = strcspn(path, ".");
      const char *end = line + strcspn(line, "\n");
      const char *begin = skip_indentation(line, end);
      const ptrdiff_t indentation = begin - line;
      number++;
      if (begin < end) {
         if (indentation <= outer)
            return found; /* the mapping is over */
         if (siblings < 0)
            siblings = indentation;
         if (indentation == siblings && (size_t)(end - begin) > key_length && begin[key_length] == ':' &&
             memcmp(begin, path, key_length) == 0) {
            found = number;
            if (path[key_length] == '.') {
               path += key_length + 1;
               outer = indentation;
               siblings = -1;
            } else if (!last) {
               return found;
            }
         }
      }
      line = *end ? end + 1 : end;
   }
   return found;
}
