/* SPDX-License-Identifier: MIT */
/** Tables of results as Parquet, next to those as CSV: by the package's tbrsim.parquet, with DuckDB's library. */
#ifndef PARQUET_H
#define PARQUET_H

#include <stdbool.h>

/** Exits with a message where what it needs is missing. */
void parquet_check(void);

/** Writes all tables in directories of results (NULL follows the last), with those of their processes or simulations. False
 * after a message. list: print the files that are written. */
bool parquet_write(const char *const directories[], bool list);

#endif
