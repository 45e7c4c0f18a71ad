/* SPDX-License-Identifier: MIT */
#include "seeds.h"

#include <stdlib.h>

int
run_seeds(int argc, char **argv, unsigned most_steps,
          void (*run_seed)(uint64_t seed, unsigned most_steps, FILE *file))
{
   FILE *file = argc == 4 || argc == 5 ? fopen(argv[3], "wb") : NULL;
   if (!file) {
      fprintf(stderr, "usage: %s FIRST COUNT FILE [STEPS]\n", argv[0]);
      return 2;
   }
   if (argc == 5)
      most_steps = (unsigned)strtoul(argv[4], NULL, 10);
   const uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
   for (uint64_t seed = first; seed < first + count; seed++) {
      printf("seed %llu\n", (unsigned long long)seed);
      fflush(stdout);
      run_seed(seed, most_steps, file);
   }
   return fclose(file) ? 1 : 0;
}
