/* SPDX-License-Identifier: MIT */
#include "options.h"
#include "output/parquet.h"
#include "tools.h"

static const char description[] =
   "Writes frames.csv and the tables of --attribute as Parquet next to them\n"
   "(docs/attribution.md). DIR holds results of run, replay or sim, or of programs under tbrsim\n"
   "env; all processes and simulations in it are converted. run, replay and sim do the same at\n"
   "their end with --format parquet.\n";

int
command_parquet(int argc, char **argv)
{
   const struct command_line line = {
      .usage = "tbrsim parquet DIR...",
      .description = description,
      .operands = OPERANDS_SEVERAL,
      .operand = "results",
   };
   const struct operands operands = command_line_parse(&line, argc, argv);
   return parquet_write((const char *const *)operands.list, true) ? STATUS_OK : STATUS_FAILED;
}
