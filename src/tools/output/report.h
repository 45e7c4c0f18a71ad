/* SPDX-License-Identifier: MIT */
/** The table of statistics at the end of a replay. */
#ifndef REPORT_H
#define REPORT_H

struct cm_config;

/** Reads DIRECTORY/stats.json and prints, for each unit and stream with accesses,
 * the accesses, the hit rate and the traffic to the next level, per frame and in
 * total. Exits with a message if the file is missing or no such JSON. */
void report_print(const char *directory, const struct cm_config *config);

#endif
