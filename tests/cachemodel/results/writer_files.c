/* SPDX-License-Identifier: MIT */
/* After every frame, both files are whole, agree, and hold what was given. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/json_reader.h"
#include "support/stats_files.h"
#include "support/test.h"

TEST(after_every_frame)
{
   struct stats_files *files = stats_files_new();
   assert_int_not_equal(access(files->directory, F_OK), 0); /* nothing is made before it is needed */
   for (unsigned frame = 0; frame < 2 * STATS_FRAMES + 4; frame++) {
      assert_true(stats_write_frame(files, frame));
      assert_stats_files(files, frame + 1, false);
   }
   assert_true(cm_stats_writer_destroy(files->writer));
   assert_stats_files(files, 2 * STATS_FRAMES + 4, false);
   stats_files_free(files);
}

TEST(no_frame)
{
   struct stats_files *files = stats_files_new();
   assert_true(cm_stats_writer_destroy(files->writer));
   assert_int_not_equal(access(files->directory, F_OK), 0);
   stats_files_free(files);
}

TEST(directory_with_older_files)
{
   struct stats_files *files = stats_files_new();
   for (unsigned frame = 0; frame < 3; frame++)
      assert_true(stats_write_frame(files, frame));
   assert_true(cm_stats_writer_destroy(files->writer));
   files->writer = cm_stats_writer_create(files->directory, NULL, files->table, files->config,
                                          (const struct cm_run_value[]){
                                             {"program", "a \"program\" with \\ and \xff and a\ttab"}},
                                          1);
   assert_stats_files(files, 3, false); /* they stay until there are others */
   assert_true(stats_write_frame(files, 0));
   assert_stats_files(files, 1, false);
   assert_true(cm_stats_writer_destroy(files->writer));
   stats_files_free(files);
}

/* A link to a file elsewhere is replaced; the file is not touched. */
TEST(links)
{
   struct stats_files *files = stats_files_new();
   char path[128];
   assert_int_equal(mkdir(files->directory, 0777), 0);
   FILE *other = fopen("writer_files_other", "w");
   assert_true(other && fputs("other", other) >= 0 && fclose(other) == 0);
   snprintf(path, sizeof path, "%s/stats.json", files->directory);
   assert_int_equal(symlink("../writer_files_other", path), 0);
   assert_true(stats_write_frame(files, 0));
   assert_true(cm_stats_writer_destroy(files->writer));
   assert_stats_files(files, 1, false);
   char *text = read_file("writer_files_other");
   assert_string_equal(text, "other");
   free(text);
   unlink("writer_files_other");
   stats_files_free(files);
}
