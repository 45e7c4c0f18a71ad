/* SPDX-License-Identifier: MIT */
/* The main of test programs: runs what TEST has added, by lines. */
#include "support/run_tests.h"

#define MAX_TESTS 64

static struct CMUnitTest tests[MAX_TESTS];
static unsigned lines[MAX_TESTS], num_tests;
static CMFixtureFunction group_before, group_after;

void
run_tests_add(unsigned line, struct CMUnitTest test)
{
   unsigned place = num_tests++;
   if (num_tests > MAX_TESTS)
      abort();
   for (; place && lines[place - 1] > line; place--) {
      tests[place] = tests[place - 1];
      lines[place] = lines[place - 1];
   }
   tests[place] = test;
   lines[place] = line;
}

void
run_tests_between(CMFixtureFunction before, CMFixtureFunction after)
{
   group_before = before;
   group_after = after;
}

int
main(void)
{
   if (!num_tests)
      abort();
   return _cmocka_run_group_tests("tests", tests, num_tests, group_before, group_after);
}
