/* SPDX-License-Identifier: MIT */
/* A process killed by SIGKILL leaves the frames it had finished. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/stats_files.h"
#include "support/test.h"

/* Frames that a child writes at most, some 30 ms of them: it may be killed much later than it should be. */
#define MAX_FRAMES 256

/* A child that writes frames, a byte to a pipe after the last one, and waits to be killed. Returns the pipe. */
static int
start_writing(struct stats_files *files, unsigned frames, pid_t *child)
{
   int written[2];
   assert_int_equal(pipe(written), 0);
   *child = fork();
   assert_true(*child >= 0);
   if (*child == 0) {
      close(written[0]);
      for (unsigned frame = 0; frame < frames; frame++) {
         if (!stats_write_frame(files, frame))
            _exit(1);
      }
      if (write(written[1], "x", 1) != 1)
         _exit(1);
      for (;;)
         pause();
   }
   close(written[1]);
   return written[0];
}

/* It must be there to be killed: a child that could not write has ended by itself. */
static void
kill_child(pid_t child)
{
   int status;
   kill(child, SIGKILL);
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_true(WIFSIGNALED(status));
}

TEST(killed)
{
   static const unsigned frames[] = {1, 2, 12};
   for (unsigned i = 0; i < 3; i++) {
      struct stats_files *files = stats_files_new();
      pid_t child;
      char byte;
      const int written = start_writing(files, frames[i], &child);
      assert_int_equal(read(written, &byte, 1), 1);
      close(written);
      kill_child(child);
      assert_stats_files(files, frames[i], false);
      assert_true(
         cm_stats_writer_destroy(files->writer)); /* the parent's copy: no frame, so nothing changes */
      assert_stats_files(files, frames[i], false);
      stats_files_free(files);
   }
}

/* Waits for a file of a child, however long that takes, but not for that of a child that has ended. */
static void
wait_for_file(const char *path, pid_t child)
{
   while (access(path, F_OK) != 0) {
      assert_int_equal(errno, ENOENT);
      assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
      usleep(100);
   }
}

/* At any moment: also while both files are written again for another column. */
TEST(killed_at_any_moment)
{
   unsigned with_frames = 0;
   for (unsigned i = 0; i < 100; i++) {
      struct stats_files *files = stats_files_new();
      char path[128];
      pid_t child;
      const int written = start_writing(files, MAX_FRAMES, &child);
      snprintf(path, sizeof path, "%s/stats.json", files->directory);
      /* Every second one from its first frame on. */
      if (i % 2)
         wait_for_file(path, child);
      usleep(i * 40);
      kill_child(child);
      close(written);
      if (access(path, F_OK) == 0) {
         assert_in_range(assert_stats_files(files, 1, true), 1, MAX_FRAMES);
         with_frames++;
      }
      assert_true(cm_stats_writer_destroy(files->writer));
      stats_files_free(files);
   }
   assert_true(with_frames > 0);
}
