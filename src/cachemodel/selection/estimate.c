/* SPDX-License-Identifier: MIT */
#include "selection/estimate.h"

#include <math.h>

/* The variance of a counter between the frames that a representative stands for. */
static double
variance_within(const struct cm_representative *representative, const double *values, double value)
{
   if (representative->spread > 0 && !representative->num_neighbours)
      return NAN;
   double slope = 0; /* squared difference of the counter by squared distance */
   for (uint32_t n = 0; n < representative->num_neighbours; n++) {
      const struct cm_neighbour *neighbour = &representative->neighbours[n];
      const double difference = values[neighbour->number] - value;
      slope += difference * difference / neighbour->distance / representative->num_neighbours;
   }
   return slope * representative->spread;
}

struct cm_estimate
cm_estimate_total(const struct cm_representative *representatives, uint32_t count, const double *values)
{
   struct cm_estimate estimate = {0};
   double variance = 0;
   for (uint32_t r = 0; r < count; r++) {
      const double weight = representatives[r].weight;
      estimate.total += weight * values[r];
      variance += weight * weight * variance_within(&representatives[r], values, values[r]);
   }
   estimate.standard_error = sqrt(variance);
   return estimate;
}
