/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "energy_account.h"
#include "options.h"
#include "tools.h"

static const char help[] =
   "usage: tbrsim energy [OPTIONS] STATS.json...\n"
   "\n"
   "Prints the energy of finished simulations, unit by unit: what each event takes and\n"
   "what leaks meanwhile (docs/energy.md). STATS.json is what run, replay or sim left, or\n"
   "its directory; several are put side by side.\n"
   "\n"
   "  --explain                every number with its source: so many events of so much each\n"
   "  --json                   as JSON; energies in pJ\n"
   "  --frames A-B             of these frames only (of the file, counting from 0)\n"
   "  --cycles N               that they took so many cycles: for simulations without timing,\n"
   "                           which lack main memory and most of the pipeline all the same\n"
   "  --config NAME|FILE.yaml  with the keys energy.* of another configuration\n"
   "  --set energy.KEY=VALUE   with another value of one of them; may be repeated\n"
   "  --help                   this text";

enum { OPTION_EXPLAIN = OPTION_COMMAND, OPTION_FRAMES, OPTION_CYCLES };

static const struct option long_options[] = {
   {"explain", no_argument, NULL, OPTION_EXPLAIN},     {"json", no_argument, NULL, OPTION_JSON},
   {"frames", required_argument, NULL, OPTION_FRAMES}, {"cycles", required_argument, NULL, OPTION_CYCLES},
   {"config", required_argument, NULL, OPTION_CONFIG}, {"set", required_argument, NULL, OPTION_SET},
   {"help", no_argument, NULL, OPTION_HELP},           {NULL, 0, NULL, 0},
};

int
command_energy(int argc, char **argv)
{
   struct energy_options options = {.settings = allocate((unsigned long)argc * sizeof(char *))};
   struct operands operands = {0};
   bool explain = false, json = false;
   for (int option; (option = options_get(&operands, argc, argv, long_options)) != -1;) {
      switch (option) {
      case OPTION_EXPLAIN: explain = true; break;
      case OPTION_JSON: json = true; break;
      case OPTION_FRAMES: options.frames = optarg; break;
      case OPTION_CYCLES: options.cycles = optarg; break;
      case OPTION_CONFIG: options.config = optarg; break;
      case OPTION_SET: options.settings[options.num_settings++] = optarg; break;
      case OPTION_OPERAND: break;
      default: puts(help); return STATUS_OK;
      }
   }
   if (!operands.count)
      fail(STATUS_USAGE, "no statistics; usage: tbrsim energy [OPTIONS] STATS.json...");
   const unsigned count = operands.count;
   struct energy_account *accounts = allocate(count * sizeof(*accounts));
   for (unsigned a = 0; a < count; a++)
      energy_account_load(&accounts[a], operands.list[a], &options);
   if (json)
      energy_report_json(accounts, count, explain);
   else
      energy_report_text(accounts, count, explain);
   return STATUS_OK;
}
