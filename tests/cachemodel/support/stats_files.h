/* SPDX-License-Identifier: MIT */
/** Scratch directories and what stats.json and frames.csv in them must hold. */
#ifndef STATS_FILES_H
#define STATS_FILES_H

#include <stdint.h>

#include "results/writer.h"

struct stats_files {
   char directory[64]; /**< does not exist at first */
   struct cm_config *config;
   struct cm_counter_table *table;
   struct cm_stats_writer *writer;
};

/** A writer for a fresh directory. */
struct stats_files *stats_files_new(void);
/** Removes the files and the directory. The writer must be destroyed before. */
void stats_files_free(struct stats_files *files);

/** Half of the counters have their first value within twice as many frames. */
#define STATS_FRAMES 8
/** The values that frame n has in these tests. */
uint64_t stats_value(uint32_t frame, uint32_t counter);
/** Writes frame n. */
bool stats_write_frame(struct stats_files *files, uint32_t frame);

/** Fails the test unless both files hold exactly frames 0 … n - 1 and their sums.
 * at_least: the process was killed, there may be more, and one more in frames.csv. Returns how many stats.json
 * has. */
unsigned assert_stats_files(const struct stats_files *files, unsigned frames, bool at_least);

#endif
