/* SPDX-License-Identifier: MIT */
#include "options.h"
#include "output/parquet.h"
#include "tools.h"

static const char description[] =
   "Writes the tables of results, frames.csv and those of --attribute, as Parquet beside them\n"
   "(docs/attribution.md). DIR is what run, replay or sim wrote, or programs under tbrsim env: all of\n"
   "its processes or simulations. --format parquet of run, replay and sim does the same at\n"
   "their end.\n";

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
