/* SPDX-License-Identifier: MIT */
/**
 * The statistics files of the process (TBRSIM_OUT), in a folder of its own
 * (results/process_results.h). A process may have several
 * screens, one after another or at once (a display that was only opened to query
 * it, one for X and one for EGL), but has one set of files: the first screen that
 * finishes a frame owns them. When it is destroyed, the next screen that finishes
 * a frame continues the same files, beginning with cold caches.
 */
#ifndef TBR_STATISTICS_H
#define TBR_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "results/writer.h"

struct cm_config;
struct cm_gpu;
struct cm_timeline_frames;
struct tbr_model;
struct util_dynarray;

/** A picture of a pass as a file; empty: there is none. */
struct tbr_thumbnail {
   uint32_t pass; /**< its number in the frame, from 0 */
   size_t size;   /**< bytes */
   uint8_t *png;  /**< to be freed */
};

/** What a run is, besides its configuration: program, versions, the commit that rendered, isa (the vector feature
 * level's name, which must outlive the values). */
#define TBR_NUM_RUN_VALUES 5
void tbr_statistics_describe_run(const char *isa, struct cm_run_value values[TBR_NUM_RUN_VALUES]);

/** Prepares the files for the process, once; nothing is opened before a frame.
 * config: the process's (all screens read the same), isa: the vector feature
 * level's name; timeline: the frames of which there is one, NULL: none. False with a message when out of memory. */
bool tbr_statistics_prepare(const struct cm_config *config, const char *isa,
                            const struct cm_timeline_frames *timeline);

/** The model's screen finishes a frame: makes it the owner if there is none. Warns
 * once that another screen's frames are not in the files. Called on the
 * application's thread, so that the owner does not depend on timing. */
void tbr_statistics_claim(const struct tbr_model *model);

/** Appends a frame if the model owns the files: that of its GPU, which has ended; `values` in the counter
 * table's order; thumbnails: struct tbr_thumbnail, of its passes. */
void tbr_statistics_frame(const struct tbr_model *model, struct cm_gpu *gpu, const uint64_t *values,
                          const struct util_dynarray *thumbnails);

/** The model's screen is being destroyed. */
void tbr_statistics_release(const struct tbr_model *model);

/** The process ends: closes the files. Without a frame there are none. */
void tbr_statistics_close(void);

#endif
