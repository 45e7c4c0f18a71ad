/* SPDX-License-Identifier: MIT */
#include "timing/log.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

size_t
cm_log_bytes(const struct cm_log *log)
{
   size_t bytes = 0;
#define ADD_BYTES(type, list) bytes += log->list.capacity * sizeof *log->list.items;
   CM_LOG_LISTS(ADD_BYTES)
#undef ADD_BYTES
   return bytes;
}

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

/* A list that has much more memory than it needs gives it back, if that can be had. */
static void
fit(void *list, size_t *capacity, size_t count, size_t item_bytes)
{
   void **items = list;
   if ((*capacity - count) * item_bytes < 4096)
      return;
   count += !count;
   void *fitting = realloc(*items, count * item_bytes);
   if (!fitting)
      return;
   *items = fitting;
   *capacity = count;
}

void
cm_log_fit(struct cm_log *log)
{
#define FIT(type, list) fit(&log->list.items, &log->list.capacity, log->list.count, sizeof(type));
   CM_LOG_LISTS(FIT)
#undef FIT
}

bool
cm_log_append(struct cm_log *log, const struct cm_log *next)
{
   assert(!next->quads.count); /* numbers of kinds count from the beginning of a part */
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
