/* SPDX-License-Identifier: MIT */
#include "output/parquet.h"

#include <stdlib.h>
#include <string.h>

#include "process/python.h"
#include "tools.h"

#define MODULE "tbrsim.parquet"

void
parquet_check(void)
{
   const int status = python_run(MODULE, (char *[]){"--check", NULL});
   if (status)
      exit(status);
}

bool
parquet_write(const char *const directories[], bool list)
{
   unsigned count = 0, used = 0;
   while (directories[count])
      count++;
   char **arguments = allocate((count + 3) * sizeof(*arguments));
   if (list)
      arguments[used++] = "--list";
   arguments[used++] = "--";
   memcpy(arguments + used, directories, count * sizeof(*arguments));
   const int status = python_run(MODULE, arguments);
   free(arguments);
   return status == 0;
}
