/* SPDX-License-Identifier: MIT */
/** The version of all names in results: counters and their units of measure, members of stats.json, columns of the tables
 * next to it. "schema" of "run" in stats.json; docs/statistics.md has what each version has renamed. */
#ifndef CM_STATS_SCHEMA_H
#define CM_STATS_SCHEMA_H

/** The next number when something gets another name or meaning, or is removed; new counters do not
 * change it. Statistics without a number are older than 1. */
#define CM_STATS_SCHEMA 1

/** A hash of the names and units of all counters of all presets: tests/documents/schema_test.py fails if it differs, and says
 * what to do. */
#define CM_STATS_COUNTERS "4c47769654b78f46"

#endif
