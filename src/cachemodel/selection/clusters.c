/* SPDX-License-Identifier: MIT */
#include "selection/clusters.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POWER_ITERATIONS 32
#define LLOYD_ITERATIONS 100

/* A cluster while clusters are split: its points are members[begin … begin + size). */
struct leaf {
   uint32_t begin;
   bool is_final; /* splitting it does not help */
   struct cm_cluster cluster;
};

struct splitter {
   const double *points;
   unsigned dimensions;
   const struct cm_cluster_limits *limits;
   struct leaf *leaves;
   uint32_t count;
   uint32_t *members, *other; /* points; room for as many */
   struct projection *projections;
   double *centre, *direction, *left, *right; /* a point each */
   uint32_t *uses;                            /* of each step, by how many representatives */
   uint64_t cost;                             /* steps that are used */
};

struct projection {
   double at;
   uint32_t point;
};

static const double *
point_of(const struct splitter *splitter, uint32_t point)
{
   return splitter->points + (size_t)point * splitter->dimensions;
}

double
cm_squared_distance(const double *a, const double *b, unsigned dimensions)
{
   double sum = 0;
   for (unsigned d = 0; d < dimensions; d++)
      sum += (a[d] - b[d]) * (a[d] - b[d]);
   return sum;
}

static void
find_centre(const struct splitter *splitter, const uint32_t *members, uint32_t size, double *centre)
{
   assert(size);
   memset(centre, 0, splitter->dimensions * sizeof(*centre));
   for (uint32_t m = 0; m < size; m++) {
      const double *point = point_of(splitter, members[m]);
      for (unsigned d = 0; d < splitter->dimensions; d++)
         centre[d] += point[d];
   }
   for (unsigned d = 0; d < splitter->dimensions; d++)
      centre[d] /= size;
}

/* ---- a cluster ---------------------------------------------------------------- */

static struct leaf
describe(struct splitter *splitter, uint32_t begin, uint32_t size)
{
   assert(size);
   const uint32_t *members = splitter->members + begin;
   struct leaf leaf = {.begin = begin, .cluster = {.size = size}};
   double nearest = INFINITY;
   uint32_t ties = 0; /* members as near as the nearest, which are then the first in `other` */
   find_centre(splitter, members, size, splitter->centre);
   for (uint32_t m = 0; m < size; m++) {
      const double distance =
         cm_squared_distance(point_of(splitter, members[m]), splitter->centre, splitter->dimensions);
      leaf.cluster.scatter += distance / size;
      if (distance < nearest)
         ties = 0;
      if (distance <= nearest) {
         nearest = distance;
         splitter->other[ties++] = members[m];
      }
   }
   assert(ties);
   leaf.cluster.representative = splitter->other[ties / 2];
   /* The mean squared distance from a point is that from the centre, and the point's own. */
   leaf.cluster.spread = leaf.cluster.scatter + nearest;
   return leaf;
}

/* Adds or removes the steps of a representative: those that no other one needs change the cost. */
static void
use(struct splitter *splitter, uint32_t point, int change)
{
   assert(change == 1 || change == -1);
   const uint32_t before = splitter->limits->before ? splitter->limits->before[point] : 0;
   assert(before <= point);
   for (uint32_t step = point - before; step <= point; step++) {
      splitter->cost -= splitter->uses[step] > 0;
      splitter->uses[step] += (uint32_t)change;
      splitter->cost += splitter->uses[step] > 0;
   }
}

/* ---- a split -------------------------------------------------------------------- */

/* The direction in which the members differ most, by power iteration from the member farthest from the centre. */
static void
find_direction(struct splitter *splitter, const uint32_t *members, uint32_t size)
{
   const unsigned dimensions = splitter->dimensions;
   double farthest = -1, *direction = splitter->direction, *next = splitter->left;
   for (uint32_t m = 0; m < size; m++) {
      const double *point = point_of(splitter, members[m]);
      const double distance = cm_squared_distance(point, splitter->centre, dimensions);
      if (distance > farthest) {
         farthest = distance;
         for (unsigned d = 0; d < dimensions; d++)
            direction[d] = point[d] - splitter->centre[d];
      }
   }
   for (unsigned iteration = 0; iteration < POWER_ITERATIONS; iteration++) {
      double length = 0;
      memset(next, 0, dimensions * sizeof(*next));
      for (uint32_t m = 0; m < size; m++) {
         const double *point = point_of(splitter, members[m]);
         double along = 0;
         for (unsigned d = 0; d < dimensions; d++)
            along += (point[d] - splitter->centre[d]) * direction[d];
         for (unsigned d = 0; d < dimensions; d++)
            next[d] += along * (point[d] - splitter->centre[d]);
      }
      for (unsigned d = 0; d < dimensions; d++)
         length += next[d] * next[d];
      for (unsigned d = 0; d < dimensions && length > 0; d++)
         direction[d] = next[d] / sqrt(length);
   }
}

static int
compare_projections(const void *a, const void *b)
{
   const struct projection *first = a, *second = b;
   if (first->at != second->at)
      return first->at < second->at ? -1 : 1;
   return first->point < second->point ? -1 : first->point > second->point;
}

/* The members in the order of the direction: how many are left of the cut after which the squared distances
 * from the two centres are smallest. Of points that are the same none is left of it and another right. */
static uint32_t
find_cut(struct splitter *splitter, uint32_t *members, uint32_t size)
{
   const unsigned dimensions = splitter->dimensions;
   for (uint32_t m = 0; m < size; m++) {
      const double *point = point_of(splitter, members[m]);
      double along = 0;
      for (unsigned d = 0; d < dimensions; d++)
         along += (point[d] - splitter->centre[d]) * splitter->direction[d];
      splitter->projections[m] = (struct projection){along, members[m]};
   }
   qsort(splitter->projections, size, sizeof(*splitter->projections), compare_projections);
   double best = 0, *sum = splitter->left;
   uint32_t cut = 0;
   memset(sum, 0, dimensions * sizeof(*sum));
   for (uint32_t m = 0; m < size; m++) {
      members[m] = splitter->projections[m].point;
      const double *point = point_of(splitter, members[m]);
      double length = 0;
      for (unsigned d = 0; d < dimensions; d++) {
         sum[d] += point[d] - splitter->centre[d];
         length += sum[d] * sum[d];
      }
      /* By how much less the squared distances are: the right side's sum is the negative one. */
      const uint32_t left = m + 1, right = size - left;
      const double gain = right ? length / left + length / right : 0;
      if (gain > best && splitter->projections[m].at < splitter->projections[m + 1].at) {
         best = gain;
         cut = left;
      }
   }
   return cut;
}

/* Moves the members to the nearer of the two centres until none moves; returns how many are left. */
static uint32_t
refine(struct splitter *splitter, uint32_t *members, uint32_t size, uint32_t cut)
{
   assert(cut && cut <= size);
   const unsigned dimensions = splitter->dimensions;
   for (unsigned iteration = 0; iteration < LLOYD_ITERATIONS; iteration++) {
      uint32_t left = 0, right = 0, moved = 0;
      find_centre(splitter, members, cut, splitter->left);
      find_centre(splitter, members + cut, size - cut, splitter->right);
      for (uint32_t m = 0; m < size; m++) {
         const double *point = point_of(splitter, members[m]);
         const double to_left = cm_squared_distance(point, splitter->left, dimensions);
         const double to_right = cm_squared_distance(point, splitter->right, dimensions);
         const bool is_left = m < cut ? to_left <= to_right : to_left < to_right;
         moved += is_left != (m < cut);
         if (is_left)
            members[left++] = members[m];
         else
            splitter->other[right++] = members[m];
      }
      memcpy(members + left, splitter->other, right * sizeof(*members));
      cut = left;
      if (!moved)
         break;
   }
   return cut;
}

/* The leaf that adds most to the variance of a total; NULL: nothing can be split. */
static struct leaf *
worst_leaf(const struct splitter *splitter)
{
   struct leaf *worst = NULL;
   double most = 0;
   for (uint32_t l = 0; l < splitter->count; l++) {
      struct leaf *leaf = &splitter->leaves[l];
      const double variance = (double)leaf->cluster.size * leaf->cluster.size * leaf->cluster.scatter;
      if (!leaf->is_final && variance > most) {
         most = variance;
         worst = leaf;
      }
   }
   return worst;
}

static void
split(struct splitter *splitter, struct leaf *leaf)
{
   assert(leaf->cluster.size && !leaf->is_final);
   uint32_t *members = splitter->members + leaf->begin;
   const uint32_t size = leaf->cluster.size;
   find_centre(splitter, members, size, splitter->centre);
   find_direction(splitter, members, size);
   uint32_t cut = find_cut(splitter, members, size);
   cut = cut ? refine(splitter, members, size, cut) : 0;
   leaf->is_final = !cut || cut == size;
   if (leaf->is_final)
      return;
   const struct leaf left = describe(splitter, leaf->begin, cut);
   const struct leaf right = describe(splitter, leaf->begin + cut, size - cut);
   const uint64_t before = splitter->cost;
   use(splitter, left.cluster.representative, 1);
   use(splitter, right.cluster.representative, 1);
   use(splitter, leaf->cluster.representative, -1);
   if (splitter->cost > splitter->limits->budget && splitter->cost > before) {
      use(splitter, left.cluster.representative, -1);
      use(splitter, right.cluster.representative, -1);
      use(splitter, leaf->cluster.representative, 1);
      leaf->is_final = true;
      return;
   }
   *leaf = left;
   splitter->leaves[splitter->count++] = right;
}

/* ---- all of them --------------------------------------------------------------------- */

static double
variance_of(const struct cm_cluster *cluster)
{
   return (double)cluster->size * cluster->size * cluster->scatter;
}

static double
error_of(const struct splitter *splitter, uint32_t count)
{
   double variance = 0;
   for (uint32_t l = 0; l < splitter->count; l++)
      variance += variance_of(&splitter->leaves[l].cluster);
   return sqrt(variance) / count;
}

double
cm_clusters_error(const struct cm_clusters *clusters, uint32_t count)
{
   double variance = 0;
   for (uint32_t c = 0; c < clusters->count; c++)
      variance += variance_of(&clusters->list[c]);
   return sqrt(variance) / count;
}

static int
compare_leaves(const void *a, const void *b)
{
   const struct leaf *first = a, *second = b;
   return first->cluster.representative < second->cluster.representative ? -1 : 1;
}

static bool
start(struct splitter *splitter, uint32_t count)
{
   const size_t bytes = splitter->dimensions * sizeof(double);
   splitter->leaves = calloc(count, sizeof(*splitter->leaves));
   splitter->members = calloc(count, sizeof(*splitter->members));
   splitter->other = calloc(count, sizeof(*splitter->other));
   splitter->uses = calloc(count, sizeof(*splitter->uses));
   splitter->projections = calloc(count, sizeof(*splitter->projections));
   splitter->centre = calloc(4, bytes);
   if (!splitter->leaves || !splitter->members || !splitter->other || !splitter->uses ||
       !splitter->projections || !splitter->centre)
      return false;
   splitter->direction = splitter->centre + splitter->dimensions;
   splitter->left = splitter->direction + splitter->dimensions;
   splitter->right = splitter->left + splitter->dimensions;
   for (uint32_t p = 0; p < count; p++)
      splitter->members[p] = p;
   splitter->leaves[0] = describe(splitter, 0, count);
   splitter->count = 1;
   use(splitter, splitter->leaves[0].cluster.representative, 1);
   return true;
}

static bool
collect(struct splitter *splitter, uint32_t count, struct cm_clusters *clusters)
{
   clusters->list = calloc(splitter->count, sizeof(*clusters->list));
   clusters->of = calloc(count, sizeof(*clusters->of));
   if (!clusters->list || !clusters->of)
      return false;
   qsort(splitter->leaves, splitter->count, sizeof(*splitter->leaves), compare_leaves);
   clusters->count = splitter->count;
   for (uint32_t c = 0; c < splitter->count; c++) {
      const struct leaf *leaf = &splitter->leaves[c];
      clusters->list[c] = leaf->cluster;
      for (uint32_t m = 0; m < leaf->cluster.size; m++)
         clusters->of[splitter->members[leaf->begin + m]] = c;
   }
   return true;
}

bool
cm_clusters_create(struct cm_clusters *clusters, const double *points, uint32_t count, unsigned dimensions,
                   const struct cm_cluster_limits *limits)
{
   assert(count && dimensions);
   struct splitter splitter = {.points = points, .dimensions = dimensions, .limits = limits};
   *clusters = (struct cm_clusters){0};
   bool ok = start(&splitter, count);
   while (ok && error_of(&splitter, count) > limits->error) {
      struct leaf *leaf = worst_leaf(&splitter);
      if (!leaf)
         break;
      split(&splitter, leaf);
   }
   ok = ok && collect(&splitter, count, clusters);
   free(splitter.leaves);
   free(splitter.members);
   free(splitter.other);
   free(splitter.uses);
   free(splitter.projections);
   free(splitter.centre);
   if (!ok)
      cm_clusters_finish(clusters);
   return ok;
}

void
cm_clusters_finish(struct cm_clusters *clusters)
{
   free(clusters->list);
   free(clusters->of);
   *clusters = (struct cm_clusters){0};
}
