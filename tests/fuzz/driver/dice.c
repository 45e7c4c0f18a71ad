/* SPDX-License-Identifier: MIT */
#include "dice.h"

/* SplitMix64. */
uint64_t
roll_bits(struct dice *dice)
{
   uint64_t z = dice->state += 0x9e3779b97f4a7c15;
   z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
   z = (z ^ z >> 27) * 0x94d049bb133111eb;
   return z ^ z >> 31;
}

struct dice
dice_of(uint64_t seed, uint64_t part)
{
   struct dice dice = {seed * 0x2545f4914f6cdd1d + part};
   dice.state = roll_bits(&dice);
   return dice;
}

unsigned
roll(struct dice *dice, unsigned count)
{
   return (unsigned)((roll_bits(dice) >> 32) * count >> 32);
}

int
roll_between(struct dice *dice, int least, int most)
{
   return least + (int)roll(dice, (unsigned)(most - least + 1));
}

float
roll_unit(struct dice *dice)
{
   return (float)roll(dice, 1025) / 1024.0f;
}

bool
chance(struct dice *dice, unsigned percent)
{
   return roll(dice, 100) < percent;
}
