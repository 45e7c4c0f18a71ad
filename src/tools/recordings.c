/* SPDX-License-Identifier: MIT */
#include "recordings.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "events/recording.h"
#include "tools.h"

void
recording_prepare(const char *path)
{
   int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
   struct stat status;
   if (file < 0 || fstat(file, &status))
      fail(STATUS_FAILED, "%s: cannot be written to: %s", path, strerror(errno));
   close(file);
   if (!S_ISREG(status.st_mode))
      fail(STATUS_FAILED, "%s: not a regular file", path);
   /* What the driver does not make is not there. */
   unlink(path);
}

bool
recording_check(const char *path)
{
   char error[512];
   if (access(path, F_OK)) {
      say("%s: nothing was recorded", path);
      return false;
   }
   struct cm_recording *recording = cm_recording_open(path, error, sizeof(error));
   if (!recording) {
      say("%s", error);
      return false;
   }
   enum cm_recording_end end = cm_recording_end(recording);
   /* Of one that could not be written any further the driver has told. */
   if (end == CM_RECORDING_UNFINISHED)
      say("%s", cm_recording_damage(recording));
   cm_recording_close(recording);
   return end == CM_RECORDING_WHOLE;
}
