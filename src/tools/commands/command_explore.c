/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "options.h"
#include "process/python.h"
#include "tools.h"

static const char description[] =
   "Simulates all combinations of a plan's recordings (or captures, which it records first),\n"
   "configurations and settings, on all cores. The sums of their counters become one table,\n"
   "DIR/results.csv. Combinations that DIR already has are not simulated again, so an exploration\n"
   "that was stopped continues where it was, and a plan can grow. A simulation that fails is tried\n"
   "again, then named; the exit status is then 1.\n";
static const char notes[] = "A plan (docs/explore.md):\n"
                            "  recordings: [game.tbr, \"more/*.tbr\"]       # or captures: of *.trace\n"
                            "  configurations: [tcor-baseline-64k, mine.yaml]\n"
                            "  settings:\n"
                            "    l2.size: [256K, 1M]\n"
                            "    l2.policy: [lru, opt]\n"
                            "    except: {l2.policy: opt, l2.size: 1M}    # or only: …\n"
                            "  pareto: [[l2.total.misses, dram.total.reads]]\n";

struct explore {
   const char *out, *profile;
   unsigned jobs, retries;
   bool list;
};

static void
take_retries(void *field, const char *option, const char *value)
{
   *(unsigned *)field = options_number(option, value, 0, 9999, "a number of attempts");
}

static const struct option_row rows[] = {
   OPTION("retries", "N", "how often a failed simulation is tried again (default: 2)", take_retries,
          struct explore, retries),
   OPTION("profile", "NAME|DIR",
          "run the simulations on a cluster by a profile of Snakemake: slurm, which\n"
          "comes with tbrsim, or a directory with a config.yaml (default: none,\n"
          "this machine)",
          take_path, struct explore, profile),
   OPTION("list", NULL, "only print the combinations", take_flag, struct explore, list),
};

int
command_explore(int argc, char **argv)
{
   struct explore explore = {.retries = 2, .jobs = options_count_cores()};
   const struct command_line line = {
      .usage = "tbrsim explore [OPTIONS] PLAN.yaml",
      .description = description,
      .operands = OPERANDS_ONE,
      .operand = "plan",
      .groups = {DIRECTORY_OPTIONS(&explore.out, "tbrsim-explore"), JOB_OPTIONS(&explore.jobs),
                 OPTION_GROUP(rows, &explore)},
      .notes = notes,
   };
   const char *plan = command_line_parse(&line, argc, argv).list[0];
   char *words[8];
   unsigned count = 0;
   words[count++] = text("--directory=%s", explore.out ? explore.out : "tbrsim-explore");
   words[count++] = text("--jobs=%u", explore.jobs);
   words[count++] = text("--retries=%u", explore.retries);
   if (explore.profile)
      words[count++] = text("--profile=%s", explore.profile);
   if (explore.list)
      words[count++] = "--list";
   words[count++] = "--";
   words[count++] = (char *)plan;
   words[count] = NULL;
   return python_run("tbrsim.explore", words);
}
