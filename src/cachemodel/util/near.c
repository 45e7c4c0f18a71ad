/* SPDX-License-Identifier: MIT */
#include "util/near.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/minmax.h"

/* Ranks: numbers of edits, then these. */
#define RANK_PREFIX 100 /* one begins with the other */
#define RANK_PARTS 101
#define RANK_FAR 102
/* To a shorter word, other words are as near as the one meant. */
#define LEAST_PREFIX 2

static char
folded(char letter)
{
   return letter == '-' || letter == '_' ? '.' : (char)tolower((unsigned char)letter);
}

void
cm_near_start(struct cm_near *near, const char *word, size_t length)
{
   memset(near, 0, sizeof *near);
   if (length >= sizeof near->word)
      return;
   for (size_t c = 0; c < length; c++)
      near->word[c] = folded(word[c]);
}

/* The characters to be changed, inserted, left out or swapped with the next one, so that a word is a name. */
static unsigned
count_edits(const char *word, size_t length, const char *name, size_t name_length)
{
   unsigned rows[3][CM_NEAR_BYTES + 1];
   for (size_t n = 0; n <= name_length; n++)
      rows[0][n] = (unsigned)n;
   for (size_t w = 1; w <= length; w++) {
      unsigned *row = rows[w % 3];
      const unsigned *last = rows[(w - 1) % 3], *before = rows[(w + 1) % 3];
      row[0] = (unsigned)w;
      for (size_t n = 1; n <= name_length; n++) {
         row[n] = cm_min(cm_min(last[n], row[n - 1]) + 1, last[n - 1] + (word[w - 1] != name[n - 1]));
         if (w > 1 && n > 1 && word[w - 1] == name[n - 2] && word[w - 2] == name[n - 1])
            row[n] = cm_min(row[n], before[n - 2] + 1);
      }
   }
   return rows[length % 3][name_length];
}

/* Whether the name has the parts of the word that are between dots, in their order, and ends with the last. */
static bool
has_parts(const char *word, const char *name)
{
   while (*word) {
      const size_t length = strcspn(word, ".");
      while (*name && strncmp(name, word, length))
         name += strcspn(name, "."), name += *name == '.';
      if (!*name && length)
         return false;
      name += length;
      word += length + (word[length] == '.');
   }
   return !strchr(name, '.');
}

static unsigned
rank_of(const char *word, const char *name)
{
   const size_t length = strlen(word), name_length = strlen(name);
   const unsigned edits = count_edits(word, length, name, name_length);
   if (edits <= cm_max((uint32_t)length / 3, 1) && edits < length)
      return edits;
   if (length >= LEAST_PREFIX && !strncmp(word, name, length))
      return RANK_PREFIX;
   if (name_length > LEAST_PREFIX && !strncmp(word, name, name_length))
      return RANK_PREFIX;
   return length >= LEAST_PREFIX && has_parts(word, name) ? RANK_PARTS : RANK_FAR;
}

void
cm_near_offer(struct cm_near *near, const char *name)
{
   char letters[CM_NEAR_BYTES] = "";
   const size_t length = strlen(name);
   if (!*near->word || length >= sizeof letters)
      return;
   for (size_t c = 0; c < length; c++)
      letters[c] = folded(name[c]);
   const unsigned rank = rank_of(near->word, letters);
   if (rank >= RANK_FAR || (near->count && rank > near->rank))
      return;
   if (near->count && rank < near->rank)
      near->count = 0;
   if (near->count == CM_NEAR_NAMES)
      return;
   near->rank = rank;
   memcpy(near->names[near->count++], name, length + 1);
}

const char *
cm_near_text(const struct cm_near *near, char *text, size_t size)
{
   size_t length = 0;
   *text = '\0';
   for (unsigned n = 0; n < near->count && length < size; n++) {
      const char *before = !n ? " (did you mean " : n + 1 == near->count ? " or " : ", ";
      const char *after = n + 1 == near->count ? "?)" : "";
      length += (size_t)snprintf(text + length, size - length, "%s%s%s", before, near->names[n], after);
   }
   return text;
}
