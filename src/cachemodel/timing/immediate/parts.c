/* SPDX-License-Identifier: MIT */
#include "timing/immediate/parts.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/threads.h"

/* The consumer waits while more entries than that wait: some MiB with their items. */
#define MOST_ENTRIES (1u << 18)
/* The same of parts, which passes with little in them have, too. */
#define MOST_PARTS 256

/* ---- the thread ---------------------------------------------------------- */

static void *
work_off(void *data)
{
   struct cm_immediate_parts *parts = data;
   pthread_mutex_lock(&parts->lock);
   for (;;) {
      while (!parts->first && !parts->stops)
         pthread_cond_wait(&parts->filled, &parts->lock);
      if (!parts->first)
         break;
      parts->is_busy = true;
      pthread_mutex_unlock(&parts->lock);
      parts->run(parts->context);
      pthread_mutex_lock(&parts->lock);
      parts->is_busy = false;
      pthread_cond_broadcast(&parts->drained);
   }
   pthread_mutex_unlock(&parts->lock);
   return NULL;
}

bool
cm_immediate_parts_init(struct cm_immediate_parts *parts, void (*run)(void *context), void *context)
{
   *parts = (struct cm_immediate_parts){.run = run, .context = context};
   pthread_mutex_init(&parts->lock, NULL);
   pthread_cond_init(&parts->filled, NULL);
   pthread_cond_init(&parts->drained, NULL);
   parts->is_running = cm_thread_start(&parts->thread, "tbrsim:timing", work_off, parts) == 0;
   return parts->is_running;
}

static void
free_parts(struct cm_immediate_part *part)
{
   while (part) {
      struct cm_immediate_part *next = part->next;
      cm_log_finish(&part->log);
      free(part);
      part = next;
   }
}

void
cm_immediate_parts_finish(struct cm_immediate_parts *parts)
{
   if (!parts->run)
      return;
   if (parts->is_running) {
      pthread_mutex_lock(&parts->lock);
      parts->stops = true;
      pthread_cond_signal(&parts->filled);
      pthread_mutex_unlock(&parts->lock);
      pthread_join(parts->thread, NULL);
   }
   free_parts(parts->first);
   free_parts(parts->spare);
   pthread_mutex_destroy(&parts->lock);
   pthread_cond_destroy(&parts->filled);
   pthread_cond_destroy(&parts->drained);
}

static bool
is_half_empty(const struct cm_immediate_parts *parts)
{
   return parts->entries <= MOST_ENTRIES / 2 && parts->waiting <= MOST_PARTS / 2;
}

struct cm_immediate_part *
cm_immediate_parts_take(struct cm_immediate_parts *parts)
{
   pthread_mutex_lock(&parts->lock);
   while (!parts->first && !parts->stops)
      pthread_cond_wait(&parts->filled, &parts->lock);
   struct cm_immediate_part *part = parts->first;
   if (part) {
      parts->first = part->next;
      if (!parts->first)
         parts->last = NULL;
      parts->entries -= part->log.entries.count;
      parts->waiting--;
      if (is_half_empty(parts))
         pthread_cond_broadcast(&parts->drained);
   }
   pthread_mutex_unlock(&parts->lock);
   return part;
}

/* ---- the consumer -------------------------------------------------------- */

struct cm_immediate_part *
cm_immediate_parts_begin(struct cm_immediate_parts *parts)
{
   pthread_mutex_lock(&parts->lock);
   struct cm_immediate_part *part = parts->spare;
   if (part)
      parts->spare = part->next;
   pthread_mutex_unlock(&parts->lock);
   if (!part && !(part = calloc(1, sizeof *part)))
      return NULL;
   part->next = NULL;
   part->begins = part->ends = false;
   cm_log_clear(&part->log);
   return part;
}

void
cm_immediate_parts_give_back(struct cm_immediate_parts *parts, struct cm_immediate_part *part)
{
   pthread_mutex_lock(&parts->lock);
   part->next = parts->spare;
   parts->spare = part;
   pthread_mutex_unlock(&parts->lock);
}

void
cm_immediate_parts_put(struct cm_immediate_parts *parts, struct cm_immediate_part *part)
{
   pthread_mutex_lock(&parts->lock);
   if (parts->entries > MOST_ENTRIES || parts->waiting >= MOST_PARTS) {
      while (!is_half_empty(parts))
         pthread_cond_wait(&parts->drained, &parts->lock);
   }
   if (parts->last)
      parts->last->next = part;
   else
      parts->first = part;
   parts->last = part;
   parts->entries += part->log.entries.count;
   parts->waiting++;
   pthread_cond_signal(&parts->filled);
   pthread_mutex_unlock(&parts->lock);
}

void
cm_immediate_parts_drain(struct cm_immediate_parts *parts)
{
   pthread_mutex_lock(&parts->lock);
   while (parts->first || parts->is_busy)
      pthread_cond_wait(&parts->drained, &parts->lock);
   pthread_mutex_unlock(&parts->lock);
}

/* ---- the pass' log ------------------------------------------------------- */

/* A part's positions count from its own first items. In the pass' log they count from the log's: each is raised by the
 * number of items that the log had before. */

static void
move_draws(struct cm_log *log, uint32_t first, uint32_t entries, uint32_t accessing)
{
   for (uint32_t d = first; d < log->draws.count; d++) {
      struct cm_logged_draw *draw = &log->draws.items[d];
      draw->begin += entries;
      draw->program_end += entries;
      draw->stages_end += entries;
      draw->tokens_end += entries;
      for (unsigned stage = 0; stage < CM_PRERASTER_STAGES; stage++)
         draw->stages[stage].first_accessing += accessing;
   }
}

static void
move_vertices(struct cm_log *log, uint32_t first, uint32_t first_accessing, uint32_t entries)
{
   for (uint32_t v = first; v < log->vertices.count; v++) {
      log->vertices.items[v].accesses_begin += entries;
      log->vertices.items[v].tokens_end += entries;
   }
   for (uint32_t a = first_accessing; a < log->accessing.count; a++) {
      log->accessing.items[a].begin += entries;
      log->accessing.items[a].end += entries;
   }
}

static void
move_blocks(struct cm_log *log, uint32_t first_region, uint32_t first, uint32_t entries)
{
   for (uint32_t r = first_region; r < log->regions.count; r++) {
      struct cm_logged_region *region = &log->regions.items[r];
      region->begin += entries;
      region->hiz_end += entries;
      region->update_begin += entries;
      region->end += entries;
   }
   for (uint32_t b = first; b < log->blocks.count; b++) {
      struct cm_logged_block *block = &log->blocks.items[b];
      block->tests_end += entries;
      block->shade_end += entries;
      block->end += entries;
   }
}

bool
cm_immediate_parts_append(struct cm_log *log, const struct cm_immediate_part *part)
{
   const struct cm_log *from = &part->log;
   const uint32_t entries = log->entries.count, draws = log->draws.count, vertices = log->vertices.count,
                  accessing = log->accessing.count, regions = log->regions.count, blocks = log->blocks.count;
#define MAKE_ROOM(type, list)                                                                          \
   if (from->list.count && !cm_array_make_room(&log->list.items, &log->list.capacity, log->list.count, \
                                               from->list.count, sizeof *log->list.items))             \
      return false;
   CM_LOG_LISTS(MAKE_ROOM)
#undef MAKE_ROOM
#define APPEND(type, list)                                        \
   if (from->list.count)                                          \
      memcpy(log->list.items + log->list.count, from->list.items, \
             from->list.count * sizeof *log->list.items);         \
   log->list.count += from->list.count;
   CM_LOG_LISTS(APPEND)
#undef APPEND
   if (part->begins)
      log->marks[CM_LOG_CLEARED] = from->marks[CM_LOG_CLEARED];
   if (part->ends) {
      log->marks[CM_LOG_DRAWN] = entries + from->marks[CM_LOG_DRAWN];
      log->marks[CM_LOG_RESOLVED] = entries + from->marks[CM_LOG_RESOLVED];
   }
   move_draws(log, draws, entries, accessing);
   move_vertices(log, vertices, accessing, entries);
   move_blocks(log, regions, blocks, entries);
   return true;
}
