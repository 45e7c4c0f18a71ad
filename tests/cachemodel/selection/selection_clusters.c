/* SPDX-License-Identifier: MIT */
/* Clusters against brute force: the first split is the best of all bipartitions where there are two groups, and the best
 * cut on a line; what is said of clusters is counted again, point by point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "selection/clusters.h"
#include "support/test.h"

static double
random_real(uint64_t *state)
{
   return random_below(state, 1000000) / 1e6;
}

/* Sum of the squared distances from the centre of the points whose bit in `members` is set; pairs of points, not centres. */
static double
scatter_of(const double *points, unsigned count, unsigned dimensions, uint32_t members)
{
   double sum = 0;
   for (unsigned a = 0; a < count; a++) {
      for (unsigned b = 0; b < a; b++) {
         if (members >> a & members >> b & 1)
            sum += cm_squared_distance(points + a * dimensions, points + b * dimensions, dimensions);
      }
   }
   return sum / __builtin_popcount(members);
}

static uint32_t
members_of(const struct cm_clusters *clusters, unsigned count, uint32_t cluster)
{
   uint32_t members = 0;
   for (unsigned p = 0; p < count; p++)
      members |= (uint32_t)(clusters->of[p] == cluster) << p;
   return members;
}

static double
scatter_of_both(const struct cm_clusters *clusters, const double *points, unsigned count, unsigned dimensions)
{
   double sum = 0;
   for (uint32_t c = 0; c < clusters->count; c++)
      sum += scatter_of(points, count, dimensions, members_of(clusters, count, c));
   return sum;
}

static const struct cm_cluster_limits two = {.budget = 2};

/* Two groups: the best bipartition of all. */
TEST(two_groups)
{
   for (uint64_t seed = 1; seed <= 60; seed++) {
      uint64_t state = seed;
      const unsigned count = 4 + random_below(&state, 7), dimensions = 1 + random_below(&state, 4);
      double points[12 * 4];
      for (unsigned p = 0; p < count; p++) {
         for (unsigned d = 0; d < dimensions; d++)
            points[p * dimensions + d] = random_real(&state) + (p % 3 == 0 ? 3 : 0);
      }
      double best = INFINITY;
      for (uint32_t left = 1; left + 1 < 1u << count; left++) {
         const double sum = scatter_of(points, count, dimensions, left) +
                            scatter_of(points, count, dimensions, ~left & ((1u << count) - 1));
         best = sum < best ? sum : best;
      }
      struct cm_clusters clusters;
      assert_true(cm_clusters_create(&clusters, points, count, dimensions, &two));
      assert_int_equal(clusters.count, 2);
      assert_true(fabs(scatter_of_both(&clusters, points, count, dimensions) - best) < 1e-9);
      cm_clusters_finish(&clusters);
   }
}

/* On a line the best two clusters are left and right of a cut, whatever the points. */
TEST(line)
{
   for (uint64_t seed = 1; seed <= 200; seed++) {
      uint64_t state = seed;
      const unsigned count = 2 + random_below(&state, 12);
      double points[16];
      for (unsigned p = 0; p < count; p++)
         points[p] = random_real(&state) * random_real(&state);
      double best = INFINITY;
      for (unsigned cut = 0; cut < count; cut++) {
         uint32_t left = 0;
         for (unsigned p = 0; p < count; p++)
            left |= (uint32_t)(points[p] <= points[cut]) << p;
         if (left + 1 == 1u << count)
            continue;
         const double sum =
            scatter_of(points, count, 1, left) + scatter_of(points, count, 1, ~left & ((1u << count) - 1));
         best = sum < best ? sum : best;
      }
      struct cm_clusters clusters;
      assert_true(cm_clusters_create(&clusters, points, count, 1, &two));
      assert_int_equal(clusters.count, 2);
      assert_true(fabs(scatter_of_both(&clusters, points, count, 1) - best) < 1e-9);
      cm_clusters_finish(&clusters);
   }
}

/* ---- what is said of clusters ------------------------------------------------------- */

#define POINTS 300
#define DIMENSIONS 5

struct world {
   double points[POINTS * DIMENSIONS];
   uint32_t before[POINTS];
};

static void
make_world(struct world *world, uint64_t seed)
{
   uint64_t state = seed;
   for (unsigned p = 0; p < POINTS; p++) {
      const unsigned group = random_below(&state, 6);
      for (unsigned d = 0; d < DIMENSIONS; d++)
         world->points[p * DIMENSIONS + d] = (group >> d & 1) + 0.1 * group * random_real(&state);
      world->before[p] = p < 3 ? p : random_below(&state, 4);
   }
}

static double
distance(const struct world *world, unsigned a, unsigned b)
{
   return cm_squared_distance(world->points + a * DIMENSIONS, world->points + b * DIMENSIONS, DIMENSIONS);
}

/* The mean squared distance from a member, of which that from the centre follows: the sum over all pairs. */
static void
check_cluster(const struct world *world, const struct cm_clusters *clusters, uint32_t number)
{
   const struct cm_cluster *cluster = &clusters->list[number];
   unsigned size = 0;
   double pairs = 0, nearest = INFINITY, spread = 0;
   for (unsigned a = 0; a < POINTS; a++) {
      if (clusters->of[a] != number)
         continue;
      double sum = 0;
      for (unsigned b = 0; b < POINTS; b++)
         sum += clusters->of[b] == number ? distance(world, a, b) : 0;
      size++;
      pairs += sum;
      nearest = sum < nearest ? sum : nearest;
      spread = a == cluster->representative ? sum : spread;
   }
   assert_int_equal(size, cluster->size);
   assert_int_equal(clusters->of[cluster->representative], number);
   assert_true(fabs(cluster->scatter - pairs / 2 / size / size) < 1e-9);
   /* The nearest to the centre is the nearest to all. */
   assert_true(fabs(spread - nearest) < 1e-9);
   assert_true(fabs(cluster->spread - nearest / size) < 1e-9);
}

static uint64_t
cost_of(const struct world *world, const struct cm_clusters *clusters)
{
   bool used[POINTS] = {false};
   uint64_t cost = 0;
   for (uint32_t c = 0; c < clusters->count; c++) {
      const uint32_t point = clusters->list[c].representative;
      for (uint32_t step = point - world->before[point]; step <= point; step++)
         used[step] = true;
   }
   for (unsigned p = 0; p < POINTS; p++)
      cost += used[p];
   return cost;
}

TEST(clusters)
{
   static struct world world;
   for (uint64_t seed = 1; seed <= 30; seed++) {
      make_world(&world, seed);
      struct cm_clusters clusters, again;
      const struct cm_cluster_limits limits = {.budget = 1 + seed * 2, .before = world.before};
      assert_true(cm_clusters_create(&clusters, world.points, POINTS, DIMENSIONS, &limits));
      assert_true(cm_clusters_create(&again, world.points, POINTS, DIMENSIONS, &limits));
      uint32_t size = 0;
      double variance = 0;
      for (uint32_t c = 0; c < clusters.count; c++) {
         check_cluster(&world, &clusters, c);
         assert_true(!c || clusters.list[c].representative > clusters.list[c - 1].representative);
         size += clusters.list[c].size;
         variance += pow(clusters.list[c].size, 2) * clusters.list[c].scatter;
      }
      assert_int_equal(size, POINTS);
      assert_true(fabs(cm_clusters_error(&clusters, POINTS) - sqrt(variance) / POINTS) < 1e-9);
      assert_true(clusters.count == 1 || cost_of(&world, &clusters) <= limits.budget);
      assert_true(clusters.count > seed / 4);
      assert_int_equal(clusters.count, again.count);
      assert_memory_equal(clusters.of, again.of, sizeof(world.before));
      cm_clusters_finish(&clusters);
      cm_clusters_finish(&again);
   }
}

/* It stops when the error is small enough, not before, and points that are the same are one cluster. */
TEST(limits)
{
   static struct world world;
   for (uint64_t seed = 1; seed <= 10; seed++) {
      make_world(&world, seed);
      struct cm_clusters clusters;
      const struct cm_cluster_limits error = {.error = 0.01, .budget = POINTS};
      assert_true(cm_clusters_create(&clusters, world.points, POINTS, DIMENSIONS, &error));
      assert_true(cm_clusters_error(&clusters, POINTS) <= 0.01);
      assert_true(clusters.count > 1 && clusters.count < POINTS / 2);
      cm_clusters_finish(&clusters);

      for (unsigned p = 4; p < POINTS; p++)
         memcpy(world.points + p * DIMENSIONS, world.points + p % 4 * DIMENSIONS,
                DIMENSIONS * sizeof(double));
      const struct cm_cluster_limits all = {.budget = POINTS};
      assert_true(cm_clusters_create(&clusters, world.points, POINTS, DIMENSIONS, &all));
      assert_true(clusters.count <= 4);
      assert_true(cm_clusters_error(&clusters, POINTS) < 1e-9);
      cm_clusters_finish(&clusters);
   }
}
