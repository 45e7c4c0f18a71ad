/* SPDX-License-Identifier: MIT */
#include "pass/tbr_counter_query.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/u_atomic.h"
#include "util/u_memory.h"
#include "pass/tbr_batch.h"
#include "state/tbr_context.h"
#include "model/tbr_model.h"

/** Queries of a counter that follow one another, of which one is active at a time. Several of a counter are
 * there where queries overlap: those of GALLIUM_HUD and of a program's monitors. */
struct tbr_counter_watch {
   struct list_head link; /**< in tbr_context.counter_watches; those whose query ended last come first */
   unsigned counter;
   uint64_t seen;            /**< its value when it was charged last */
   struct tbr_query *active; /**< NULL: none */
   /** Queries that have ended, but were active in the pass being recorded or just submitted,
    * if none has begun since. */
   struct list_head ended;
   bool owed;     /**< such a query's result was read before the pass ended: the pass is the next query's */
   uint64_t debt; /**< what was counted meanwhile */
};

static struct tbr_counter_watch *
create_watch(struct tbr_context *context, unsigned counter)
{
   struct tbr_counter_watch *watch = CALLOC_STRUCT(tbr_counter_watch);
   if (!watch)
      return NULL;
   watch->counter = counter;
   list_inithead(&watch->ended);
   list_addtail(&watch->link, &context->counter_watches);
   return watch;
}

/** The sequence that a query continues: its own, if it has been used before, or the one whose last query ended most
 * recently, as who watches without a gap ends a query and begins the next. NULL when out of memory. */
static struct tbr_counter_watch *
find_watch(struct tbr_context *context, const struct tbr_query *query)
{
   const unsigned counter = query->type - PIPE_QUERY_DRIVER_SPECIFIC;
   if (query->watch && !query->watch->active)
      return query->watch;
   list_for_each_entry (struct tbr_counter_watch, watch, &context->counter_watches, link) {
      if (watch->counter == counter && !watch->active)
         return watch;
   }
   return create_watch(context, counter);
}

static bool
has_claim(const struct tbr_counter_watch *watch)
{
   return watch->active || !list_is_empty(&watch->ended) || watch->owed;
}

static void
drop_ended(struct tbr_counter_watch *watch)
{
   list_for_each_entry_safe (struct tbr_query, query, &watch->ended, link)
      list_delinit(&query->link);
}

/** Charges what was counted since the last time. Waits for the consumer, not for the renderer
 * to begin anything: the pass being recorded stays as it is. */
static void
charge(struct tbr_model *model, struct tbr_counter_watch *watch)
{
   const uint64_t value = model ? tbr_model_counter(model, watch->counter) : watch->seen;
   const uint64_t counted = value - watch->seen;
   assert(value >= watch->seen && has_claim(watch));

   watch->seen = value;
   if (watch->active)
      watch->active->end += counted;
   list_for_each_entry (struct tbr_query, query, &watch->ended, link)
      query->end += counted;
   if (!watch->active && list_is_empty(&watch->ended))
      watch->debt += counted;
}

void
tbr_counter_queries_account(struct tbr_context *context)
{
   struct tbr_model *model = tbr_screen(context->base.screen)->model;
   list_for_each_entry (struct tbr_counter_watch, watch, &context->counter_watches, link) {
      if (has_claim(watch))
         charge(model, watch);
   }
}

static void
note_frame_end(struct tbr_query *query)
{
   query->at_frame_end = query->end;
   query->saw_frame_end = true;
}

void
tbr_counter_queries_end_frame(struct tbr_context *context)
{
   tbr_counter_queries_account(context);
   list_for_each_entry (struct tbr_counter_watch, watch, &context->counter_watches, link) {
      if (watch->active)
         note_frame_end(watch->active);
      list_for_each_entry (struct tbr_query, query, &watch->ended, link)
         note_frame_end(query);
   }
}

void
tbr_counter_queries_begin_pass(struct tbr_context *context)
{
   static __thread char here;
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   const void *first = p_atomic_cmpxchg_ptr(&screen->drawing_thread, NULL, (const void *)&here);
   if (first && first != &here)
      p_atomic_set(&screen->many_threads, 1);
   list_for_each_entry (struct tbr_counter_watch, watch, &context->counter_watches, link) {
      drop_ended(watch);
      watch->owed = false;
   }
}

/* ---- flushes ----------------------------------------------------------- */

bool
tbr_counter_queries_defer_flush(struct tbr_context *context)
{
   if (!context->num_unread_counters || p_atomic_read(&tbr_screen(context->base.screen)->many_threads))
      return false;
   context->deferred_flushes++;
   context->flushed_last = true;
   return true;
}

/** Makes the deferred flushes that no read of a result followed. */
static void
make_deferred_flushes(struct tbr_context *context)
{
   if (context->deferred_flushes)
      tbr_batch_flush(context, CM_END_FLUSH);
   context->deferred_flushes = 0;
   context->flushed_last = false;
}

/** Drops the flush right before a result is read: it was made for the read. */
static void
drop_flush(struct tbr_context *context)
{
   assert(context->deferred_flushes || !context->flushed_last);
   if (context->flushed_last)
      context->deferred_flushes--;
   context->flushed_last = false;
}

/* ---- creation, begin and end -------------------------------------------- */

bool
tbr_counter_query_is_supported(const struct tbr_screen *screen, unsigned type)
{
   return type >= PIPE_QUERY_DRIVER_SPECIFIC && screen->counters &&
          type - PIPE_QUERY_DRIVER_SPECIFIC < screen->counters->count + screen->num_hit_rates;
}

static void
drop_result(struct tbr_context *context, struct tbr_query *query)
{
   assert(context->num_unread_counters || !query->unread);
   if (query->unread)
      context->num_unread_counters--;
   query->unread = false;
}

bool
tbr_counter_query_begin(struct tbr_context *context, struct tbr_query *query)
{
   struct tbr_model *model = tbr_screen(context->base.screen)->model;

   make_deferred_flushes(context);
   tbr_counter_query_stop(context, query);
   struct tbr_counter_watch *watch = query->watch = find_watch(context, query);
   if (!watch)
      return false;
   if (has_claim(watch))
      charge(model, watch);
   else if (model) /* what was counted without active queries */
      watch->seen = tbr_model_counter(model, watch->counter);
   drop_ended(watch);
   assert(list_is_empty(&query->link) && !query->active && !query->unread);
   query->active = true;
   query->saw_frame_end = false;
   query->end = watch->debt;
   watch->debt = 0;
   watch->owed = false;
   watch->active = query;
   return true;
}

void
tbr_counter_query_end(struct tbr_context *context, struct tbr_query *query)
{
   if (!query->active)
      return;
   query->active = false;
   struct tbr_counter_watch *watch = query->watch;
   watch->active = NULL;
   list_addtail(&query->link, &watch->ended);
   list_move_to(&watch->link, &context->counter_watches);
   assert(!query->unread);
   query->unread = true;
   context->num_unread_counters++;
}

void
tbr_counter_query_stop(struct tbr_context *context, struct tbr_query *query)
{
   if (query->active)
      query->watch->active = NULL;
   if (!list_is_empty(&query->link))
      list_delinit(&query->link);
   query->active = false;
   drop_result(context, query);
}

uint64_t
tbr_counter_query_result(struct tbr_context *context, struct tbr_query *query)
{
   struct tbr_counter_watch *watch = query->watch;
   drop_flush(context);
   drop_result(context, query);
   /* A result that has been read is final. */
   if (!query->active && !list_is_empty(&query->link)) {
      assert(watch);
      list_delinit(&query->link);
      watch->owed = context->batch && !watch->active && list_is_empty(&watch->ended);
      /* What was counted of the frame in progress goes with its pass. */
      if (watch->owed && query->saw_frame_end) {
         watch->debt += query->end - query->at_frame_end;
         query->end = query->at_frame_end;
      }
   }
   return query->end;
}

void
tbr_counter_query_init_context(struct tbr_context *context)
{
   list_inithead(&context->counter_watches);
}

void
tbr_counter_query_destroy_context(struct tbr_context *context)
{
   list_for_each_entry_safe (struct tbr_counter_watch, watch, &context->counter_watches, link)
      FREE(watch);
}
