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
   return bytes + (log->quad_log ? cm_quad_log_bytes(log->quad_log) : 0);
}

void
cm_log_clear(struct cm_log *log)
{
#define CLEAR(type, list) log->list.count = 0;
   CM_LOG_LISTS(CLEAR)
#undef CLEAR
   assert(!log->quad_log);
   memset(log->marks, 0, sizeof log->marks);
}

void
cm_log_finish(struct cm_log *log)
{
   free(cm_log_separate(log));
   cm_quad_log_destroy(log->quad_log);
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
   struct cm_quad_log *quads = log->quad_log;
   if (!quads)
      return;
   fit(&quads->requests, &quads->request_capacity, quads->num_requests, sizeof *quads->requests);
   fit(&quads->quads, &quads->quad_capacity, quads->num_quads, sizeof *quads->quads);
   fit(&quads->kinds, &quads->kind_capacity, quads->num_kinds, sizeof *quads->kinds);
   fit(&quads->costs, &quads->cost_capacity, quads->num_costs, sizeof *quads->costs);
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

/* ---- quads that a shading worker runs ---------------------------------------- */

void
cm_quad_log_destroy(struct cm_quad_log *log)
{
   if (!log)
      return;
   free(log->requests);
   free(log->quads);
   free(log->kinds);
   free(log->costs);
   free(log);
}

size_t
cm_quad_log_bytes(const struct cm_quad_log *log)
{
   return sizeof *log + log->request_capacity * sizeof *log->requests +
          log->quad_capacity * sizeof *log->quads + log->kind_capacity * sizeof *log->kinds +
          log->cost_capacity * sizeof *log->costs;
}

/* On the way from a log without its quads to one with them. */
struct merge {
   const struct cm_quad_log *quads;
   cm_entry *merged, *next;          /* all entries; where the next one goes */
   struct cm_logged_quad *next_quad; /* whose end is not among them yet */
   uint32_t requests;                /* that are among them */
};

/* The requests before one, and the quads that end before it. */
static void
add_requests(struct merge *merge, uint32_t end)
{
   const struct cm_logged_quad *last = merge->quads->quads + merge->quads->num_quads;
   const uint32_t others = (uint32_t)(merge->next - merge->merged) - merge->requests;
   assert(merge->requests <= end && end <= merge->quads->num_requests);
   for (; merge->next_quad < last && merge->next_quad->tokens_end < end; merge->next_quad++)
      merge->next_quad->tokens_end += others;
   for (; merge->requests < end; merge->requests++)
      *merge->next++ = merge->quads->requests[merge->requests];
}

static void
add_entries(struct merge *merge, const cm_entry *entries, uint32_t count)
{
   for (uint32_t e = 0; e < count; e++)
      merge->next[e] = entries[e];
   merge->next += count;
}

/* Costs of kinds become those of the log. */
static bool
add_costs(struct cm_log *log, struct cm_quad_log *quads)
{
   const uint32_t before = log->costs.count;
   if (!quads->num_costs)
      return true;
   if (!cm_array_make_room(&log->costs.items, &log->costs.capacity, before, quads->num_costs,
                           sizeof *log->costs.items))
      return false;
   memcpy(log->costs.items + before, quads->costs, quads->num_costs * sizeof *quads->costs);
   log->costs.count += quads->num_costs;
   for (uint32_t k = 0; k < quads->num_kinds; k++)
      quads->kinds[k].cost += quads->kinds[k].shaded ? before : 0;
   return true;
}

static void
merge_entries(const struct cm_log *log, struct merge *merge)
{
   const struct cm_quad_log *quads = log->quad_log;
   const cm_entry *entries = log->entries.items;
   uint32_t added = log->quads_begin;
   add_entries(merge, entries, added);
   for (uint32_t r = 0; r < log->caused.count; r++) {
      const struct cm_access_run *run = &log->caused.items[r];
      add_requests(merge, run->requests);
      add_entries(merge, entries + added, run->end - added);
      added = run->end;
   }
   add_requests(merge, quads->num_requests);
   /* Those that end after the last accesses. */
   for (; merge->next_quad < quads->quads + quads->num_quads; merge->next_quad++)
      merge->next_quad->tokens_end += (uint32_t)(merge->next - merge->merged) - merge->requests;
   add_entries(merge, entries + added, log->entries.count - added);
}

bool
cm_log_merge(struct cm_log *log, struct cm_entry_buffer *buffer)
{
   struct cm_quad_log *quads = log->quad_log;
   const uint32_t count = cm_log_num_entries(log);
   assert(quads && !log->merged && buffer->capacity >= count && !log->quads.count && !log->kinds.count);
   if (quads->out_of_memory || !add_costs(log, quads))
      return false;
   struct merge merge = {.quads = quads,
                         .merged = buffer->entries,
                         .next = buffer->entries,
                         .next_quad = quads->quads};
   merge_entries(log, &merge);
   assert(merge.next == merge.merged + count);
   log->marks[CM_LOG_SHADED] += quads->num_requests;
   log->merged = buffer;
   log->unmerged = log->entries.items;
   log->entries.items = buffer->entries;
   log->entries.count = count;
   log->own_quads = log->quads.items;
   log->own_kinds = log->kinds.items;
   log->quads.items = quads->quads;
   log->quads.count = quads->num_quads;
   log->kinds.items = quads->kinds;
   log->kinds.count = quads->num_kinds;
   return true;
}

struct cm_entry_buffer *
cm_log_separate(struct cm_log *log)
{
   struct cm_entry_buffer *buffer = log->merged;
   if (!buffer)
      return NULL;
   log->entries.items = log->unmerged;
   log->quads.items = log->own_quads;
   log->kinds.items = log->own_kinds;
   log->entries.count = log->quads.count = log->kinds.count = 0;
   log->merged = NULL;
   return buffer;
}
