/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "input/energy_account.h"
#include "options.h"
#include "tools.h"

static const char description[] =
   "Prints the energy of finished simulations, unit by unit: what each event takes and\n"
   "what leaks meanwhile (docs/energy.md). STATS.json is what run, replay or sim wrote, or\n"
   "its directory; several are put side by side. Of a configuration only the keys energy.*\n"
   "are taken: what was counted depends on the others.\n";

struct energy_command {
   struct energy_options options;
   bool explain;
};

static const struct option_row rows[] = {
   OPTION("explain", NULL, "every number with its source: so many events of so much energy each", take_flag,
          struct energy_command, explain),
   OPTION("cycles", "N",
          "cycles that these frames took, of simulations without timing, which lack\n"
          "main memory and most of the pipeline all the same (default: those\n"
          "simulated)",
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
