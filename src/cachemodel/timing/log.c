/* SPDX-License-Identifier: MIT */
#include "timing/log.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

void
cm_log_clear(struct cm_log *log)
{
#define CLEAR(type, list) log->list.count = 0;
   CM_LOG_LISTS(CLEAR)
#undef CLEAR
   memset(log->marks, 0, sizeof log->marks);
}

void
cm_log_finish(struct cm_log *log)
{
#define FREE(type, list) free(log->list.items);
   CM_LOG_LISTS(FREE)
#undef FREE
}

bool
cm_log_append(struct cm_log *log, const struct cm_log *next)
{
   assert(!log->entries.count || !next->draws.count || next->draws.items[0].begin == log->entries.count);
#define MAKE_ROOM(type, list)                                                                          \
   if (next->list.count && !cm_array_make_room(&log->list.items, &log->list.capacity, log->list.count, \
                                               next->list.count, sizeof *log->list.items))             \
      return false;
   CM_LOG_LISTS(MAKE_ROOM)
#undef MAKE_ROOM
#define APPEND(type, list)                                        \
   if (next->list.count)                                          \
      memcpy(log->list.items + log->list.count, next->list.items, \
             next->list.count * sizeof *log->list.items);         \
   log->list.count += next->list.count;
   CM_LOG_LISTS(APPEND)
#undef APPEND
   for (unsigned mark = 0; mark < CM_LOG_MARK_COUNT; mark++)
      log->marks[mark] = next->marks[mark] ? next->marks[mark] : log->marks[mark];
   return true;
}
