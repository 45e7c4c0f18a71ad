/* SPDX-License-Identifier: MIT */
/** Which part of a GPU with shader cores has the greatest load (docs/shader-core.md). */
#ifndef OUTPUT_BOUND_H
#define OUTPUT_BOUND_H

#include <jansson.h>

struct cm_config;

/** The parts with the greatest loads of a run, in a line: "load: arithmetic 93 %, texture 58 %, bandwidth 41 %"; the first
 * one bounds it. To be freed. NULL: the GPU has no shader cores, or no cycles were simulated. */
char *bound_line(const json_t *totals, const struct cm_config *config);

#endif
