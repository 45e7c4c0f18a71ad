/* SPDX-License-Identifier: MIT */
/* What draws of calls have caused, from tables written by hand: keys between quotes, rows of instances and of later
 * frames; and tables that are none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stats/call_results.h"
#include "support/test.h"

#define HEAD \
   "frame,pass_frame,pass,draw,call,group,marker,vertex_shader,fragment_shader,gpu.draws,l2.total.misses\n"

static char directory[] = "/tmp/call_results-XXXXXX";

static void
write_file(const char *name, const char *content)
{
   char path[64];
   snprintf(path, sizeof path, "%s/%s", directory, name);
   FILE *file = fopen(path, "we");
   assert_non_null(file);
   fputs(content, file);
   assert_int_equal(fclose(file), 0);
}

static struct cm_call_results *
open_table(const char *table)
{
   char error[512] = "";
   write_file("draws.csv", table);
   struct cm_call_results *results = cm_call_results_open(directory, error, sizeof error);
   if (!results)
      fail_msg("%s", error);
   return results;
}

static void
assert_refused(const char *table, const char *message)
{
   char error[512] = "";
   write_file("draws.csv", table);
   assert_null(cm_call_results_open(directory, error, sizeof error));
   if (!strstr(error, message))
      fail_msg("%s: expected %s", error, message);
}

static void
assert_values(const struct cm_call_results *results, const char *counter, uint64_t first, uint64_t second)
{
   char error[512];
   uint64_t values[2];
   assert_int_equal(cm_call_results_count(results), 2);
   assert_true(cm_call_results_read(results, counter, values, error, sizeof error));
   assert_int_equal(values[0], first);
   assert_int_equal(values[1], second);
}

TEST(sums)
{
   write_file("stats.json",
              "{\"total\": {\"gpu.draws\": 4, \"l2.total.misses\": 1, \"dram.total.reads\": 0}}\n");
   struct cm_call_results *results =
      open_table(HEAD "0,-1,0,0,,,,,,0,1000\n"              /* a draw of a frame that was not counted */
                      "0,0,0,,,,,,,0,500\n"                 /* of no draw */
                      "0,0,0,0,70,\"a,\"\"b\nc\",,,,1,10\n" /* two instances, within a group */
                      "0,0,0,1,70,,,,,1,20\n"
                      "0,0,1,0,9,,\"x\n9,9\",,,1,300\n"
                      "1,0,0,1,,,,,,0,5\n" /* written back a frame later */
                      "1,0,1,0,,,,,,0,18446744\n"
                      "1,1,0,0,70,,,,,1,2\n");
   assert_int_equal(cm_call_results_number(results, 0), 9);
   assert_int_equal(cm_call_results_find(results, 9), 0);
   assert_int_equal(cm_call_results_find(results, 70), 1);
   assert_int_equal(cm_call_results_find(results, 10), -1);
   assert_values(results, "gpu.draws", 1, 3);
   assert_values(results, "l2.total.misses", 18447044, 37);
   assert_values(results, "dram.total.reads", 0, 0);

   char error[512];
   uint64_t values[2];
   assert_false(cm_call_results_read(results, "dram.total.read", values, error, sizeof error));
   assert_non_null(strstr(error, "not of a run that has the counter dram.total.read"));
   cm_call_results_close(results);
}

TEST(values_that_are_none)
{
   char error[512];
   uint64_t values[1];
   static const char *const rows[] = {"0,0,0,0,1,,,,,1\n", "0,0,0,0,1,,,,,1,\n", "0,0,0,0,1,,,,,1,x\n",
                                      "0,0,0,0,1,,,,,1,1x\n", "0,0,0,0,1,,,,,1,99999999999999999999\n"};
   for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++) {
      char table[512];
      snprintf(table, sizeof table, "%s%s", HEAD, rows[r]);
      struct cm_call_results *results = open_table(table);
      assert_true(cm_call_results_read(results, "gpu.draws", values, error, sizeof error));
      assert_false(cm_call_results_read(results, "l2.total.misses", values, error, sizeof error));
      assert_non_null(strstr(error, "damaged"));
      cm_call_results_close(results);
   }
}

TEST(tables_that_are_none)
{
   assert_refused("", "damaged");
   assert_refused("frame,pass_frame,pass,tile,column,row,gpu.draws\n", "damaged");
   assert_refused("frame,pass_frame,pass,draw,call,group\n", "damaged");
   assert_refused("frame,pass_frame,pass,draw,call,group,gpu.\"draws\n0,0,0,0,1,,1\n", "damaged");
   assert_refused(HEAD "0,0,0,0,1,,,,,1,2", "damaged"); /* no end of the line */
   assert_refused(HEAD "0,0,0,0,1,,,,\n", "damaged");
   assert_refused(HEAD "0,0,0,0,1,\"a,,,,1,2\n", "damaged");
   assert_refused(HEAD "0,0,zero,0,1,,,,,1,2\n", "damaged");
   assert_refused(HEAD "0,0,0,0,4294967296,,,,,1,2\n", "damaged");
   assert_refused(HEAD, "no numbers of calls");
   assert_refused(HEAD "0,0,0,0,,,,,,1,2\n0,0,0,,,,,,,1,2\n", "no numbers of calls");
}

TEST(no_table)
{
   char error[512];
   assert_null(cm_call_results_open("/nowhere", error, sizeof error));
   assert_string_equal(error, "/nowhere/draws.csv: No such file or directory");
   cm_call_results_close(NULL);
}

static int
make_directory(void **unused)
{
   return mkdtemp(directory) ? 0 : -1;
}

static int
remove_directory(void **unused)
{
   char path[64];
   for (const char *const *name = (const char *const[]){"draws.csv", "stats.json", NULL}; *name; name++) {
      snprintf(path, sizeof path, "%s/%s", directory, *name);
      unlink(path);
   }
   return rmdir(directory);
}

TESTS_BETWEEN(make_directory, remove_directory)
