/* SPDX-License-Identifier: MIT */
/** The version of what results are called: counters and their units of measure, members of stats.json, columns of the tables
 * beside it. "schema" of "run" in stats.json; docs/statistics.md has what each version has renamed. */
#ifndef CM_STATS_SCHEMA_H
#define CM_STATS_SCHEMA_H

/** Where something gets another name or meaning, or is not there any more, the next number; counters that are new do not
 * change it. Statistics without a number are of before 1. */
#define CM_STATS_SCHEMA 1

/** Of the names and units of all counters of all presets: tests/documents/schema_test.py fails where it is another, and says
 * what to do. */
#define CM_STATS_COUNTERS "15822338818293cc"

#endif
