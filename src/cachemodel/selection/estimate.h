/* SPDX-License-Identifier: MIT */
/** Totals of all frames from those of the frames that represent them. */
#ifndef CM_ESTIMATE_H
#define CM_ESTIMATE_H

#include <stdint.h>

/** Other representatives that say how much a counter changes with the distance of two frames. */
#define CM_ESTIMATE_NEIGHBOURS 2

/** A frame that represents a cluster of frames. */
struct cm_representative {
   uint32_t weight;         /**< frames that it represents, itself included */
   double spread;           /**< mean squared distance of their vectors from its own */
   uint32_t num_neighbours; /**< 0: no other representative differs from it */
   struct cm_neighbour {
      uint32_t number; /**< among the representatives */
      double distance; /**< squared, of the two vectors; above 0 */
   } neighbours[CM_ESTIMATE_NEIGHBOURS];
};

struct cm_estimate {
   double total;          /**< of all frames */
   double standard_error; /**< of the total; NAN: there is only one frame to estimate it from */
};

/** The 97.5 % quantile of the normal distribution: total ± this many standard errors is the 95 % confidence
 * interval. */
#define CM_ESTIMATE_95 1.96

/** Estimates the total of a counter. values: the counter in each representative frame.
 *
 * The total is the weighted sum. Its variance is that of a stratified sample with one frame per stratum: the sum of weight²
 * times the variance between the frames that one represents. That variance is not known from one frame; it is taken from
 * the nearest other representatives: the squared difference of the counter between two frames is assumed to grow as their
 * squared distance does. The frames are not chosen at random, but near the middle of their cluster, which makes the real
 * error smaller. */
struct cm_estimate
cm_estimate_total(const struct cm_representative *representatives, uint32_t count, const double *values);

#endif
