/* SPDX-License-Identifier: MIT */
/** What results rest on: the values of a configuration that have no source, and how much depends on them
 * (data/assumptions.csv, data/sensitivity.csv; docs/trust.md); how near its times are to those of a GPU
 * (data/validation-summary.csv; docs/validation.md). */
#ifndef ASSUMED_VALUES_H
#define ASSUMED_VALUES_H

struct cm_config;

/** A result that depends on assumed values. */
enum assumed_result { ASSUMED_CYCLES, ASSUMED_ENERGY, ASSUMED_RESULT_COUNT };

/** One line, to be freed: how many values of a configuration are assumed, how many of them matter, and which does most.
 * preset: the name of the configuration, of which a recording or statistics have the values without their sources. */
char *assumed_values_line(const struct cm_config *config, const char *preset, enum assumed_result result);

/** One line, to be freed: with which GPU the times of a configuration were compared, and how far off they were. NULL: with
 * none, or it has other values than the preset that it is named after. */
char *validation_line(const struct cm_config *config, const char *preset);

#endif
