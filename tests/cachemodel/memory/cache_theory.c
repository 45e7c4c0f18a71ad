/* SPDX-License-Identifier: MIT */
/* "Boustrophedonic Frames", section III, exactly: what circular and alternately reversed
 * traces of s blocks do in a cache of j blocks, and Figure 4 access by access. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/outcomes.h"
#include "support/test.h"

enum { MAX_BLOCKS = 64, MAX_WAYS = 16 };

/* Iterations of a loop over s blocks, every second one reversed or none. */
static void
make_loop(struct outcome_step *steps, uint32_t s, uint32_t iterations, bool reverse)
{
   for (uint32_t i = 0; i < iterations; i++) {
      for (uint32_t k = 0; k < s; k++)
         steps[i * s + k] = (struct outcome_step){.block = reverse && i % 2 ? s - 1 - k : k};
   }
}

/* The accesses of a loop that go to the next level in the steady state: after the first s iterations, in
 * as many as are asked for, further ones following. Sets *bypasses to those that pass by. */
static uint32_t
steady_misses(enum cm_policy policy, uint32_t s, uint32_t j, uint32_t iterations, bool reverse,
              uint32_t *bypasses)
{
   static struct outcome_step steps[(3 * MAX_BLOCKS + 4) * MAX_BLOCKS];
   static char outcomes[(3 * MAX_BLOCKS + 4) * MAX_BLOCKS];
   const uint32_t before = s + s % 2, after = s + 2;
   make_loop(steps, s, before + iterations + after, reverse);
   find_outcomes(policy, 1, j, steps, (before + iterations + after) * s, outcomes);
   *bypasses = count_outcomes(outcomes + before * s, iterations * s, 'b');
   return count_outcomes(outcomes + before * s, iterations * s, 'm') + *bypasses;
}

static void
check_loops(uint32_t s, uint32_t j)
{
   const uint32_t over = s > j ? s - j : 0; /* blocks that have no room */
   uint32_t bypasses;

   /* Circular: miss ratios 1, (s - j) / (s - 1) over the s - 1 iterations of a period, (s - j) / s. */
   const uint32_t lru_forward = steady_misses(CM_POLICY_LRU, s, j, 1, false, &bypasses);
   assert_int_equal(lru_forward, over ? s : 0);
   if (s > 1) {
      assert_int_equal(steady_misses(CM_POLICY_OPT, s, j, s - 1, false, &bypasses), over * s);
      assert_int_equal(steady_misses(CM_POLICY_MRU, s, j, s - 1, false, &bypasses), over * s);
   }
   assert_int_equal(steady_misses(CM_POLICY_OPTPT, s, j, 1, false, &bypasses), over);
   assert_int_equal(bypasses, over);

   /* Alternately reversed: (s - j) / s in each iteration, and nothing passes by. */
   const uint32_t lru_reverse = steady_misses(CM_POLICY_LRU, s, j, 1, true, &bypasses);
   assert_int_equal(lru_reverse, over);
   for (uint32_t iterations = 1; iterations <= 3; iterations++) {
      assert_int_equal(steady_misses(CM_POLICY_OPT, s, j, iterations, true, &bypasses), over * iterations);
      assert_int_equal(steady_misses(CM_POLICY_OPTPT, s, j, iterations, true, &bypasses), over * iterations);
      assert_int_equal(bypasses, 0);
   }

   /* Figure 9: the fraction of decrease in misses, FDM = j / s. */
   assert_int_equal((lru_forward - lru_reverse) * s, (over ? j : 0) * lru_forward);
}

TEST(loops)
{
   for (uint32_t s = 1; s <= MAX_BLOCKS; s++) {
      for (uint32_t j = 1; j <= MAX_WAYS; j++)
         check_loops(s, j);
   }
}

/* MRU does what OPT does to a circular trace, access by access. */
TEST(mru_as_opt)
{
   static struct outcome_step steps[MAX_BLOCKS * MAX_BLOCKS];
   static char opt[MAX_BLOCKS * MAX_BLOCKS], mru[MAX_BLOCKS * MAX_BLOCKS];
   for (uint32_t s = 1; s <= MAX_BLOCKS; s++) {
      for (uint32_t j = 1; j <= MAX_WAYS; j++) {
         make_loop(steps, s, MAX_BLOCKS, false);
         find_outcomes(CM_POLICY_OPT, 1, j, steps, s * MAX_BLOCKS, opt);
         find_outcomes(CM_POLICY_MRU, 1, j, steps, s * MAX_BLOCKS, mru);
         /* The end of the trace is the end of OPT's knowledge. */
         assert_memory_equal(opt, mru, s * (MAX_BLOCKS - 2));
      }
   }
}

/* Sets are caches of their own: the same loop in each set of a larger cache. */
TEST(sets)
{
   enum { SETS = 8, S = 7, J = 3, ITERATIONS = 20 };
   static const enum cm_policy policies[] = {CM_POLICY_LRU, CM_POLICY_MRU, CM_POLICY_OPT, CM_POLICY_OPTPT};
   static struct outcome_step one[S * ITERATIONS], all[S * ITERATIONS * SETS];
   static char outcomes_one[S * ITERATIONS], outcomes_all[S * ITERATIONS * SETS];
   for (unsigned p = 0; p < 4; p++) {
      make_loop(one, S, ITERATIONS, false);
      for (uint32_t i = 0; i < S * ITERATIONS * SETS; i++)
         all[i] = (struct outcome_step){.block = one[i / SETS].block * SETS + i % SETS};
      find_outcomes(policies[p], 1, J, one, S * ITERATIONS, outcomes_one);
      find_outcomes(policies[p], SETS, J, all, S * ITERATIONS * SETS, outcomes_all);
      for (uint32_t i = 0; i < S * ITERATIONS * SETS; i++)
         assert_int_equal(outcomes_all[i], outcomes_one[i / SETS]);
   }
}

/* Figure 4: seven blocks, a cache of three, four iterations of a trace that continues. Its
 * text: LRU_FO gives no hits; OPT_FO and MRU_FO are alike; OPTPT_FO bypasses almost all
 * misses; in alternate order LRU, OPT and OPTPT are alike, and OPTPT bypasses nothing. */
static const struct row {
   const char *name;
   enum cm_policy policy;
   bool reverse;
   const char *outcomes;
} figure_4[] = {
   {"LRU_FO", CM_POLICY_LRU, false, "mmmmmmm mmmmmmm mmmmmmm mmmmmmm"},
   {"OPT_FO", CM_POLICY_OPT, false, "mmmmmmm hhmmmmh hmmmmhh mmmmhhm"},
   {"OPTPT_FO", CM_POLICY_OPTPT, false, "mmmbbbb hhhbbbb hhhbbbb hhhbbbb"},
   {"MRU_FO", CM_POLICY_MRU, false, "mmmmmmm hhmmmmh hmmmmhh mmmmhhm"},
   {"LRU_RO", CM_POLICY_LRU, true, "mmmmmmm hhhmmmm hhhmmmm hhhmmmm"},
   {"OPT_RO", CM_POLICY_OPT, true, "mmmmmmm hhhmmmm hhhmmmm hhhmmmm"},
   {"OPTPT_RO", CM_POLICY_OPTPT, true, "mmmmmmm hhhmmmm hhhmmmm hhhmmmm"},
};

TEST(figure_4)
{
   enum { S = 7, SHOWN = 4, ITERATIONS = 12 };
   struct outcome_step steps[S * ITERATIONS];
   char outcomes[S * ITERATIONS], text[64];
   for (unsigned r = 0; r < sizeof figure_4 / sizeof figure_4[0]; r++) {
      const struct row *row = &figure_4[r];
      make_loop(steps, S, ITERATIONS, row->reverse);
      find_outcomes(row->policy, 1, 3, steps, S * ITERATIONS, outcomes);
      snprintf(text, sizeof text, "%.7s %.7s %.7s %.7s", outcomes, outcomes + S, outcomes + 2 * S,
               outcomes + 3 * S);
      if (strcmp(text, row->outcomes) != 0)
         fail_msg("%s: %s, expected %s", row->name, text, row->outcomes);
   }
}
