/* SPDX-License-Identifier: MIT */
#include "util/frame_list.h"

#include <assert.h>
#include <stdlib.h>

#include "util/minmax.h"

/* Digits, of which there is one at least, and no more than fit. */
static bool
parse_number(const char **text, uint32_t *number)
{
   uint64_t value = 0;
   const char *digit = *text;
   for (; *digit >= '0' && *digit <= '9'; digit++) {
      value = value * 10 + (uint64_t)(*digit - '0');
      if (value > UINT32_MAX)
         return false;
   }
   if (digit == *text)
      return false;
   *number = (uint32_t)value;
   *text = digit;
   return true;
}

static bool
parse_range(const char **text, struct cm_frame_range *range)
{
   if (!parse_number(text, &range->first))
      return false;
   range->last = range->first;
   const bool dots = (*text)[0] == '.' && (*text)[1] == '.';
   if (**text != '-' && !dots)
      return true;
   *text += dots ? 2 : 1;
   if (!**text) {
      range->last = UINT32_MAX;
      return true;
   }
   return parse_number(text, &range->last) && range->first <= range->last;
}

void
cm_frame_list_add(struct cm_frame_list *list, uint32_t first, uint32_t last)
{
   assert(!list->count || last > list->ranges[list->count - 1].last);
   while (list->count && first <= list->ranges[list->count - 1].last + 1) {
      list->count--;
      first = cm_min(first, list->ranges[list->count].first);
   }
   list->ranges[list->count++] = (struct cm_frame_range){first, last};
}

bool
cm_frame_list_parse(const char *text, struct cm_frame_list *list)
{
   uint32_t most = 1;
   for (const char *c = text; *c; c++)
      most += *c == ',';
   *list = (struct cm_frame_list){.ranges = malloc(most * sizeof *list->ranges)};
   bool ok = list->ranges;
   while (ok) {
      struct cm_frame_range range;
      ok = parse_range(&text, &range) && (!list->count || range.first > list->ranges[list->count - 1].last);
      if (ok)
         cm_frame_list_add(list, range.first, range.last);
      if (*text != ',')
         break;
      text++;
   }
   if (ok && !*text)
      return true;
   cm_frame_list_free(list);
   return false;
}

void
cm_frame_list_free(struct cm_frame_list *list)
{
   free(list->ranges);
   *list = (struct cm_frame_list){0};
}

uint32_t
cm_frame_list_count(const struct cm_frame_list *list)
{
   uint32_t count = 0;
   for (uint32_t r = 0; r < list->count; r++)
      count += list->ranges[r].last - list->ranges[r].first + 1;
   return count;
}

bool
cm_frame_list_has(const struct cm_frame_list *list, uint32_t frame)
{
   uint32_t begin = 0, end = list->count;
   while (begin < end) {
      const uint32_t middle = begin + (end - begin) / 2;
      if (frame > list->ranges[middle].last)
         begin = middle + 1;
      else
         end = middle;
   }
   return begin < list->count && frame >= list->ranges[begin].first;
}
