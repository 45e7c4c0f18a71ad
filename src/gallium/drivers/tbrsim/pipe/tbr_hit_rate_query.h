/* SPDX-License-Identifier: MIT */
/**
 * Hit rates of caches as driver queries, NAME.hit_percent, after those of the model's counters. Each is the part of the
 * accesses that hit, from what queries of these counters report meanwhile (pass/tbr_counter_query.h).
 *
 * Their type is a floating-point number, not a percentage: for the latter GALLIUM_HUD reads an integer and
 * GL_AMD_performance_monitor a floating-point number.
 */
#ifndef TBR_HIT_RATE_QUERY_H
#define TBR_HIT_RATE_QUERY_H

#include "state/tbr_query.h"

struct tbr_context;
struct tbr_screen;

/** A cache's hit rate, of one stream or all. */
struct tbr_hit_rate {
   char *name;                           /**< "l2.texture.hit_percent" */
   int unit;                             /**< cm_counter.unit of its counters */
   unsigned counters[TBR_RATE_COUNTERS]; /**< by their numbers in the screen's table */
};

/** Of the screen's counters. False when out of memory. */
bool tbr_hit_rates_init_screen(struct tbr_screen *screen);
void tbr_hit_rates_destroy_screen(struct tbr_screen *screen);

/** The rate that a type of queries is of; NULL: none. */
const struct tbr_hit_rate *tbr_hit_rate_of(const struct tbr_screen *screen, unsigned type);

/** For queries of a rate; create: false when out of memory, and then there is nothing to destroy. */
bool tbr_hit_rate_query_create(struct tbr_context *context, struct tbr_query *query);
void tbr_hit_rate_query_destroy(struct tbr_context *context, struct tbr_query *query);
/** False when out of memory. */
bool tbr_hit_rate_query_begin(struct tbr_context *context, struct tbr_query *query);
void tbr_hit_rate_query_end(struct tbr_context *context, struct tbr_query *query);
/** Per cent; 0 of no accesses. */
float tbr_hit_rate_query_result(struct tbr_context *context, struct tbr_query *query);

#endif
