/* SPDX-License-Identifier: MIT */
/* Where the files cannot be written, one line says so, and what was written
 * before stays whole. A limit on the size of files simulates a full disk. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/json_reader.h"
#include "support/stats_files.h"
#include "support/test.h"
#include "util/message.h"

/* The messages of a test, and how many. */
static char message[1024];
static unsigned num_messages;

static void
collect(enum cm_message_kind kind, const char *text)
{
   assert_int_equal(kind, CM_MESSAGE_ERROR);
   num_messages++;
   snprintf(message, sizeof message, "%s", text);
}

static void
assert_one_message(const char *part)
{
   assert_int_equal(num_messages, 1);
   assert_non_null(strstr(message, part));
   assert_null(strchr(message, '\n'));
}

static void
set_file_size_limit(rlim_t bytes)
{
   struct rlimit limit;
   getrlimit(RLIMIT_FSIZE, &limit);
   limit.rlim_cur = bytes;
   assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(full_disk)
{
   signal(SIGXFSZ, SIG_IGN);
   cm_set_message_handler(collect);
   /* Limits that end in the head, in a row, in a tail, of a file that grows and of one that is written again. */
   unsigned least = 64, most = 0;
   for (rlim_t limit = 1000; most < 15; limit += 997) {
      struct stats_files *files = stats_files_new();
      unsigned written = 0;
      num_messages = 0;
      set_file_size_limit(limit);
      for (unsigned frame = 0; frame < 64; frame++) {
         const bool fine = stats_write_frame(files, frame);
         assert_true(!fine || written == frame); /* once it failed, it stays failed */
         written += fine;
      }
      assert_false(cm_stats_writer_destroy(files->writer));
      set_file_size_limit(RLIM_INFINITY);
      assert_one_message("File too large");
      char path[128];
      strcpy(path, files->directory);
      strcat(path, "/stats.json");
      struct stat status;
      const bool began = stat(path, &status) == 0 && status.st_size > 0;
      assert_true(began || written == 0);
      if (began)
         assert_stats_files(files, written, false);
      strcpy(path + strlen(files->directory), "/.stats.json.new");
      assert_int_not_equal(access(path, F_OK), 0);
      strcpy(path + strlen(files->directory), "/.frames.csv.new");
      assert_int_not_equal(access(path, F_OK), 0);
      stats_files_free(files);
      least = written < least ? written : least;
      most = written > most ? written : most;
   }
   assert_int_equal(least, 0);
}

TEST(no_directory)
{
   cm_set_message_handler(collect);
   struct stats_files *files = stats_files_new();
   cm_stats_writer_destroy(files->writer);
   static const struct {
      const char *directory, *message;
   } cases[] = {
      {"no/such/directory", "no/such/directory: No such file or directory"},
      {"/dev/null", "/dev/null: Not a directory"},
      {"/proc/self", "/proc/self/frames.csv: "},
   };
   for (unsigned i = 0; i < 3; i++) {
      files->writer = cm_stats_writer_create(cases[i].directory, NULL, files->table, files->config, NULL, 0);
      num_messages = 0;
      assert_false(stats_write_frame(files, 0));
      assert_false(stats_write_frame(files, 1));
      assert_false(cm_stats_writer_destroy(files->writer));
      assert_one_message(cases[i].message);
   }
   stats_files_free(files);
}
