/* SPDX-License-Identifier: MIT */
#include "recordings.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "events/recording.h"
#include "stats/process_results.h"
#include "tools.h"

void
recording_prepare(const char *path, const char *out)
{
   struct stat status;
   if (!stat(path, &status)) {
      if (!S_ISREG(status.st_mode))
         fail(STATUS_FAILED, "%s: not a regular file", path);
      if (access(path, W_OK))
         fail(STATUS_FAILED, "%s: cannot be written to: %s", path, strerror(errno));
   }
   char *copy = text("%s", path);
   const char *directory = dirname(copy);
   /* With the statistics that directory will be there. */
   if (out && cm_path_is_below(path, out) && access(directory, F_OK) && errno == ENOENT) {
      free(copy);
      return;
   }
   char *probe = text("%s/.tbrsim-XXXXXX", directory);
   int file = mkostemp(probe, O_CLOEXEC);
   if (file < 0)
      fail(STATUS_FAILED, "%s: cannot be written to: %s", path, strerror(errno));
   close(file);
   unlink(probe);
   free(probe);
   free(copy);
}

bool
recording_check(const char *path)
{
   char error[512];
   struct cm_recording *recording = cm_recording_open(path, error, sizeof(error));
   if (!recording) {
      say("%s", error);
      return false;
   }
   enum cm_recording_end end = cm_recording_end(recording);
   /* The driver has reported a recording that it could not continue. */
   if (end == CM_RECORDING_UNFINISHED)
      say("%s", cm_recording_damage(recording));
   cm_recording_close(recording);
   return end == CM_RECORDING_WHOLE;
}
