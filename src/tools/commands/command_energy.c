/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "input/energy_account.h"
#include "options.h"
#include "tools.h"

static const char description[] =
   "Prints the energy of finished simulations by unit: the energy of all events, and the leakage\n"
   "in the meantime (docs/energy.md). STATS.json is what run, replay or sim wrote, or its\n"
   "directory; several are printed side by side. --config and --set change only the keys energy.*,\n"
   "as the counts were made under all others.\n";

struct energy_command {
   struct energy_options options;
   bool explain;
};

static const struct option_row rows[] = {
   OPTION("explain", NULL, "list each number: events, energy per event, and the source of that energy",
          take_flag, struct energy_command, explain),
   OPTION("cycles", "N",
          "for simulations without timing: the cycles that these frames took, for\n"
          "leakage. Main memory and most of the pipeline are still missing\n"
          "(default: the simulated cycles)",
          take_text, struct energy_command, options.cycles),
};

int
command_energy(int argc, char **argv)
{
   struct energy_command energy = {0};
   struct configurations configurations = {.single = true};
   bool json = false;
   const struct command_line line = {
      .usage = "tbrsim energy [OPTIONS] STATS.json...",
      .description = description,
      .operands = OPERANDS_SEVERAL,
      .operand = "statistics",
      .groups = {OPTION_GROUP(rows, &energy), FRAME_OPTIONS(&energy.options.frames),
                 CONFIG_OPTIONS(&configurations, "the simulation's own"), JSON_OPTIONS(&json)},
   };
   const struct operands operands = command_line_parse(&line, argc, argv);
   const struct configuration given = configurations_given(&configurations);
   energy.options.config = given.preset;
   energy.options.settings = given.settings;
   energy.options.num_settings = given.num_settings;
   const unsigned count = operands.count;
   struct energy_account *accounts = allocate(count * sizeof(*accounts));
   for (unsigned a = 0; a < count; a++)
      energy_account_load(&accounts[a], operands.list[a], &energy.options);
   if (json)
      energy_report_json(accounts, count, energy.explain);
   else
      energy_report_text(accounts, count, energy.explain);
   return STATUS_OK;
}
