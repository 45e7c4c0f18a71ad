/* SPDX-License-Identifier: MIT */
/* A process killed by SIGKILL leaves the frames it had finished. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/stats_files.h"
#include "support/test.h"

static void
test_killed(void **unused)
{
   (void)unused;
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
      assert_true(cm_stats_writer_destroy(files->writer)); /* the parent's copy: begins the files anew */
      stats_files_free(files);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {cmocka_unit_test(test_killed)};
   return cmocka_run_group_tests(tests, NULL, NULL);
}
