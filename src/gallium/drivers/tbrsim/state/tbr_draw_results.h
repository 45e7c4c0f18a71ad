/* SPDX-License-Identifier: MIT */
/**
 * TBRSIM_DRAW_RESULTS=DIR in the environment: queries of counters (tbr_counter_query.h) that begin and end within a call
 * of a replayed trace are answered with what the call's draws have caused in an earlier, attributed run of the
 * trace, whose results are in DIR (stats/call_results.h). So draws have their share of a pass that is still being recorded.
 *
 * Calls are known by their numbers, from glretrace --markers (tbr_names.h). Other queries, and all counts, stay as they
 * are. Draws without a number, draws that the results do not have and counters that are not attributed to draws are
 * errors, reported once each.
 */
#ifndef TBR_DRAW_RESULTS_H
#define TBR_DRAW_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

struct cm_pass;
struct tbr_draw_results;
struct tbr_screen;

/** Whether the environment asks for it. */
bool tbr_draw_results_are_wanted(void);

/** Sets screen->draw_results, if it is wanted and the model's counters are there. False with a message if the results
 * cannot be read. */
bool tbr_draw_results_init_screen(struct tbr_screen *screen);
void tbr_draw_results_destroy_screen(struct tbr_screen *screen);
/** Nothing will be drawn any more: says so where calls have drawn outside of all queries. */
void tbr_draw_results_finish(struct tbr_screen *screen);

/** A pass is submitted: reports draws that the results do not have. Does nothing without results. */
void tbr_draw_results_check(struct tbr_screen *screen, const struct cm_pass *pass);

/** What the draws of a call have caused; 0 if it has drawn nothing. counter: its number in the model's table. There are
 * results. */
uint64_t tbr_draw_results_value(struct tbr_screen *screen, unsigned counter, uint32_t call);

#endif
