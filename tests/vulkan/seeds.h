/* SPDX-License-Identifier: MIT */
/** The main function of programs that do something random for each of some seeds: PROGRAM FIRST COUNT FILE [STEPS]. */
#ifndef VULKAN_SEEDS_H
#define VULKAN_SEEDS_H

#include <stdint.h>
#include <stdio.h>

/** Calls run_seed for each, which appends what it found to the file. most_steps: that a seed has, where the arguments have none. Returns
 * the program's status. */
int run_seeds(int argc, char **argv, unsigned most_steps,
              void (*run_seed)(uint64_t seed, unsigned most_steps, FILE *file));

#endif
