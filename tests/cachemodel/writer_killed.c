/* SPDX-License-Identifier: MIT */
/* A process killed by SIGKILL leaves the frames it had finished. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/stats_files.h"
#include "support/test.h"

static void
test_killed(void **unused)
{
   static const unsigned frames[] = {1, 2, 12};
   for (unsigned i = 0; i < 3; i++) {
      struct stats_files *files = stats_files_new();
      int ready[2];
      char byte;
      assert_int_equal(pipe(ready), 0);
      const pid_t child = fork();
      if (child == 0) {
         for (unsigned frame = 0; frame < frames[i]; frame++) {
            if (!stats_write_frame(files, frame))
               _exit(1);
         }
         if (write(ready[1], "x", 1) != 1)
            _exit(1);
         for (;;)
            pause();
      }
      close(ready[1]);
      assert_int_equal(read(ready[0], &byte, 1), 1);
      kill(child, SIGKILL);
      int status;
      waitpid(child, &status, 0);
      assert_true(WIFSIGNALED(status));
      close(ready[0]);
      assert_stats_files(files, frames[i], false);
      assert_true(
         cm_stats_writer_destroy(files->writer)); /* the parent's copy: no frame, so nothing changes */
      assert_stats_files(files, frames[i], false);
      stats_files_free(files);
   }
}

/* At any moment: also while both files are written again for another column. */
static void
test_killed_at_any_moment(void **unused)
{
   unsigned with_frames = 0;
   for (unsigned i = 0; i < 100; i++) {
      struct stats_files *files = stats_files_new();
      const pid_t child = fork();
      if (child == 0) {
         for (unsigned frame = 0; stats_write_frame(files, frame); frame++)
            ;
         _exit(1);
      }
      char path[128];
      snprintf(path, sizeof path, "%s/stats.json", files->directory);
      /* Every second one from its first frame on, however long that takes. */
      while (i % 2 && access(path, F_OK) != 0)
         usleep(100);
      usleep(i * 40);
      kill(child, SIGKILL);
      int status;
      waitpid(child, &status, 0);
      assert_true(WIFSIGNALED(status));
      if (access(path, F_OK) == 0) {
         assert_stats_files(files, 1, true);
         with_frames++;
      }
      assert_true(cm_stats_writer_destroy(files->writer));
      stats_files_free(files);
   }
   assert_true(with_frames > 0);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_killed),
      cmocka_unit_test(test_killed_at_any_moment),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
