/* SPDX-License-Identifier: MIT */
/** Simulations of the frames that tbrsim select has chosen, and what they say of all frames. */
#ifndef SELECTED_H
#define SELECTED_H

#include "input/selection_file.h"
#include "input/session.h"

/** Options of sim. */
struct selected_options {
   const char *path; /**< file of tbrsim select; NULL: all frames are simulated */
   double verify; /**< all frames are simulated, too: estimates may be off by this share; 0: they are not */
};

struct selected {
   const char *path; /**< of the file */
   const char *recording;
   struct selection selection;
   struct frame_plan plan; /**< what is simulated */
   uint32_t *warm_up;      /**< frames before each selected one */
};

/** Reads the selection and plans which frames are simulated: before each frame as many as the largest cache of
 * the session's configurations needs, and at least warm_up. Exits with a message if the selection is not of this recording. */
void selected_open(struct selected *selected, const char *path, unsigned warm_up, struct session *session);

/** After a simulation of the plan: writes the estimates of all counters to estimate.json and the frames to
 * selected.csv, in its directory. Its totals are the estimates from now on. Exits with a message if it cannot. */
void selected_finish(const struct selected *selected, struct simulation *simulation);

/** Prints the estimates of the main counters, with the confidence intervals. whole: a simulation of all frames, whose
 * totals are printed, too; NULL: none. Returns the largest error of cycles, DRAM bytes and misses of the L2 and the LLC,
 * of their totals; 0 without `whole`. */
double selected_print(const struct selected *selected, const struct simulation *simulation,
                      const struct simulation *whole);

#endif
