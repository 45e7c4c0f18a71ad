/* SPDX-License-Identifier: MIT */
/** Counters of each draw call, as glretrace --pdrawcalls prints them. */
#ifndef DRAW_METRICS_H
#define DRAW_METRICS_H

#include "process/replayer.h"

/** Exits with a message where one of the counters, which commas separate, is not of the configuration or is not attributed
 * to draws. */
void draw_metrics_check(const struct options *options, const char *counters);

/** Replays a trace once more, without statistics, with glretrace's table of the counters on stdout: the values are
 * those of the attributed replay whose results are in options->out. False where the driver complained. */
bool draw_metrics_print(const struct options *options, const struct trace *trace, const char *counters);

#endif
