/* SPDX-License-Identifier: MIT */
/**
 * What the draws of a replay's calls have caused, read from the results of an earlier run with attribution.draw=on: its
 * draws.csv (gpu/attribution_writer.h), whose rows have the calls' numbers.
 *
 * A call's value of a counter is the sum over all rows of its draws: of each instance, and of later frames in which
 * what a draw has left in a cache was written back.
 */
#ifndef CM_CALL_RESULTS_H
#define CM_CALL_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cm_call_results;

/** directory: that of the results. NULL with a message in error when there is no draws.csv that has numbers of calls. */
struct cm_call_results *cm_call_results_open(const char *directory, char *error, size_t error_size);
/** NULL is fine. */
void cm_call_results_close(struct cm_call_results *results);

/** How many calls have drawn. */
uint32_t cm_call_results_count(const struct cm_call_results *results);
/** The number of a call, by its index. */
uint32_t cm_call_results_number(const struct cm_call_results *results, uint32_t index);
/** A call's index among them, which are in ascending order; -1: it has drawn nothing. */
int64_t cm_call_results_find(const struct cm_call_results *results, uint32_t call);

/** Reads a counter that rows by draws have: values gets the value of each call. A counter without a column was zero in
 * all rows, if stats.json beside it has it. False with a message in error: the run had no such counter, or out of
 * memory. */
bool cm_call_results_read(const struct cm_call_results *results, const char *counter, uint64_t *values,
                          char *error, size_t error_size);

#endif
