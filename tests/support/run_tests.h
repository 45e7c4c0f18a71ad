/* SPDX-License-Identifier: MIT */
/** cmocka with what it needs, and tests that need no list. */
#ifndef SUPPORT_RUN_TESTS_H
#define SUPPORT_RUN_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/** A test: `TEST(what_it_is_of)` before its body. A program's tests are run in their order by the main of run_tests.c. */
#define TEST(name) TEST_WITH(name, NULL, NULL)
/** One with a function of cmocka's before and one after it. */
#define TEST_WITH(name, before, after)                                                               \
   static void test_##name(void **unused);                                                           \
   static void __attribute__((constructor)) register_##name(void)                                    \
   {                                                                                                 \
      run_tests_add(__LINE__, (struct CMUnitTest){"test_" #name, test_##name, before, after, NULL}); \
   }                                                                                                 \
   static void test_##name(void **unused)
/** Functions before the first and after the last of a program's tests; either may be NULL. */
#define TESTS_BETWEEN(before, after)                           \
   static void __attribute__((constructor)) register_all(void) \
   {                                                           \
      run_tests_between(before, after);                        \
   }

void run_tests_add(unsigned line, struct CMUnitTest test);
void run_tests_between(CMFixtureFunction before, CMFixtureFunction after);

#endif
