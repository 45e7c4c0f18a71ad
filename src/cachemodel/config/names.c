/* SPDX-License-Identifier: MIT */
#include "config/names.h"

#include <stddef.h>

/* Other simulators' names and ours. */
static const struct {
   const char *other, *name;
} synonyms[] = {
   {"belady", "opt"},
   {"min", "opt"},
   {"plru", "tree-plru"},
};

/* Not strcasecmp(3): the driver runs in processes with any locale. */
static char
lower(char c)
{
   return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool
cm_name_is(const char *text, const char *name)
{
   while (*text && lower(*text) == lower(*name)) {
      text++;
      name++;
   }
   return !*text && !*name;
}

static unsigned
find(const char *text, const char *const *names, unsigned count)
{
   unsigned n = 0;
   while (n < count && !(names[n] && cm_name_is(text, names[n])))
      n++;
   return n;
}

unsigned
cm_name_find(const char *text, const char *const *names, unsigned count)
{
   unsigned found = find(text, names, count);
   for (unsigned s = 0; found == count && s < sizeof synonyms / sizeof synonyms[0]; s++) {
      if (cm_name_is(text, synonyms[s].other))
         found = find(synonyms[s].name, names, count);
   }
   return found;
}
