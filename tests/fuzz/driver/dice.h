/* SPDX-License-Identifier: MIT */
/** Random choices that a seed repeats. What they choose must not depend on what the driver answers. */
#ifndef FUZZ_DICE_H
#define FUZZ_DICE_H

#include <stdbool.h>
#include <stdint.h>

struct dice {
   uint64_t state;
};

/** Dice of their own for each part of a seed, so that leaving out one part changes no other. */
struct dice dice_of(uint64_t seed, uint64_t part);

/** The next 64 random bits. */
uint64_t roll_bits(struct dice *dice);

/** A number below count, which is above 0. */
unsigned roll(struct dice *dice, unsigned count);

/** A number from least to most, both included. */
int roll_between(struct dice *dice, int least, int most);

/** One of 1025 numbers from 0 to 1. */
float roll_unit(struct dice *dice);

/** Whether it happens, which it does so often of 100 times. */
bool chance(struct dice *dice, unsigned percent);

/** An element of an array. */
#define PICK(dice, array) ((array)[roll(dice, sizeof(array) / sizeof((array)[0]))])

#endif
