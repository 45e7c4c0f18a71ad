/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "options.h"
#include "process/python.h"
#include "tools.h"

static const char description[] =
   "Simulates all combinations that a plan has of recordings (or captures, which it records),\n"
   "configurations and settings, on all cores, and puts the sums of their counters into one\n"
   "table, DIR/results.csv. What DIR has is not simulated again: stopped, killed or with another\n"
   "plan, it goes on where it was. What fails is tried again, then named; exit status 1.\n";
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
   OPTION("retries", "N", "how often what has failed is tried again (default: 2)", take_retries,
          struct explore, retries),
   OPTION("profile", "NAME|DIR",
          "Snakemake brings the simulations to a cluster, as its profile says: ours,\n"
          "slurm, or a directory with a config.yaml (default: none, this machine)",
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
