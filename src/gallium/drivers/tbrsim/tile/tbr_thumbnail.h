/* SPDX-License-Identifier: MIT */
/**
 * Small pictures of what render passes leave in memory (TBRSIM_THUMBNAILS=1), next to the statistics
 * (results/thumbnails.h): of the first colour buffer that is stored or resolved, else of the depth buffer, grey between its
 * least and its greatest value. The first row is the first one in memory. A pass that stores neither has none.
 */
#ifndef TBR_THUMBNAIL_H
#define TBR_THUMBNAIL_H

#include <stdbool.h>

#include "model/tbr_statistics.h"

struct tbr_pass;

/** Pixels of the longer side, at most. */
#define TBR_THUMBNAIL_SIZE 160

/** Whether the environment asks for them. */
bool tbr_thumbnails_are_wanted(void);

/** The picture of a pass whose tiles are all in memory, where no later one has been rendered; its number is not set. */
struct tbr_thumbnail tbr_thumbnail_take(const struct tbr_pass *pass);

#endif
