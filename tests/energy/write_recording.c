/* SPDX-License-Identifier: MIT */
/* write_recording FILE SEED FRAMES: random passes, for tests of commands. */
#include <stdlib.h>

#include "support/test.h"
#include "support/random_recording.h"

int
main(int argc, char **argv)
{
   if (argc != 4)
      return 2;
   write_random_recording(argv[1], strtoull(argv[2], NULL, 10), (uint32_t)atoi(argv[3]));
   return 0;
}
