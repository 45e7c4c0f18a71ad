/* SPDX-License-Identifier: MIT */
/**
 * The model's counters as driver queries: GL_AMD_performance_monitor, GALLIUM_HUD.
 *
 * Queries do not change what is counted: none ends a pass. What a pass costs is known only when it
 * has ended, and as a whole. Queries of a counter form sequences: in each one query is active at a time, and one
 * that begins while all are active begins a sequence of its own, as GALLIUM_HUD's and a program's monitors do.
 * (The driver does not know who asks: a second watcher's first query that begins while none is active continues
 * the first watcher's sequence, and has the pass of its last query.)
 * In each sequence a pass is attributed to the query that is active when it ends, and to those
 * that ended while it was recorded, unless the next has begun since; so are frame ends. Queries that follow one
 * another, such as those of draws, therefore add up to what queries of whole frames report: each pass is in the
 * last of the queries that saw a part of it. A result that is read while a pass is being recorded does not wait
 * for it; the pass is the next query's, and if a frame has ended since the query began, so is what was counted since
 * that end: queries that begin and end just before buffers are swapped, like those of glretrace and GALLIUM_HUD,
 * report whole frames, each the one that ended while they were active.
 */
#ifndef TBR_COUNTER_QUERY_H
#define TBR_COUNTER_QUERY_H

#include "state/tbr_query.h"

struct tbr_context;
struct tbr_screen;

bool tbr_counter_query_is_supported(const struct tbr_screen *screen, unsigned type);
/** False when out of memory. */
bool tbr_counter_query_begin(struct tbr_context *context, struct tbr_query *query);
void tbr_counter_query_end(struct tbr_context *context, struct tbr_query *query);
/** Nothing more is attributed to the query. */
void tbr_counter_query_stop(struct tbr_context *context, struct tbr_query *query);
uint64_t tbr_counter_query_result(struct tbr_context *context, struct tbr_query *query);

/** The context's pass, or a frame, has been submitted to the model. */
void tbr_counter_queries_account(struct tbr_context *context);
/** The same, and a frame has ended. */
void tbr_counter_queries_end_frame(struct tbr_context *context);
/** A pass begins: those that ended before it have no part in it. */
void tbr_counter_queries_begin_pass(struct tbr_context *context);

/** A glFlush, which programs do before they read results, must not end the pass while there are results to be
 * read. True if it is deferred until something is drawn or a query begins: it is dropped if a result is
 * read next. Once several threads draw nothing is deferred, as another may need what has been drawn; a
 * context that becomes another's successor in the same thread is flushed in any case. */
bool tbr_counter_queries_defer_flush(struct tbr_context *context);

void tbr_counter_query_init_context(struct tbr_context *context);
void tbr_counter_query_destroy_context(struct tbr_context *context);

#endif
