/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "memory/tap.h"

bool
cm_tap_grow(struct cm_tap *tap)
{
   const size_t capacity = tap->capacity ? tap->capacity * 2 : 1024;
   cm_token *tokens = realloc(tap->tokens, capacity * sizeof *tokens);
   if (!tokens) {
      tap->out_of_memory = true;
      return false;
   }
   tap->tokens = tokens;
   tap->capacity = capacity;
   return true;
}

void
cm_tap_finish(struct cm_tap *tap)
{
   free(tap->tokens);
   *tap = (struct cm_tap){0};
}
