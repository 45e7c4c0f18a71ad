/* SPDX-License-Identifier: MIT */
/**
 * Clusters of points by bisecting k-means: all points are one cluster, and the one that would add most to the error of a
 * total is split in two, again and again. Deterministic: a split begins with the best cut along the cluster's
 * principal direction, not with points chosen at random.
 *
 * The estimate is a sum over all points, from one of each cluster. If the summed value differs between points as
 * their distance does, taking one of a cluster's n points for all of them makes an error with the variance
 * n² × mean squared distance: a split makes that smaller.
 */
#ifndef CM_CLUSTERS_H
#define CM_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cm_cluster {
   uint32_t size;           /**< points */
   uint32_t representative; /**< the point nearest to their centre; if there are several, one in the middle */
   double spread;           /**< mean squared distance of the points from the representative */
   double scatter;          /**< mean squared distance of the points from their centre */
};

struct cm_clusters {
   struct cm_cluster *list; /**< by representative, ascending */
   uint32_t count;
   uint32_t *of; /**< the cluster of each point */
};

/** When to stop splitting. */
struct cm_cluster_limits {
   /** Standard error of the mean of all points that is small enough, as a distance. */
   double error;
   /** The most steps that all representatives together may cost. */
   uint64_t budget;
   /** Steps before a point that it needs: those that two points share count once. NULL: none. */
   const uint32_t *before;
};

/** Clusters points, each of `dimensions` numbers. There is at least one cluster, whatever it costs. False when out of
 * memory. */
bool cm_clusters_create(struct cm_clusters *clusters, const double *points, uint32_t count,
                        unsigned dimensions, const struct cm_cluster_limits *limits);
void cm_clusters_finish(struct cm_clusters *clusters);

/** Squared distance of two points. */
double cm_squared_distance(const double *a, const double *b, unsigned dimensions);

/** The standard error of the mean of all points that is expected of these clusters, as a distance. */
double cm_clusters_error(const struct cm_clusters *clusters, uint32_t count);

#endif
