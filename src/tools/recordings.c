/* SPDX-License-Identifier: MIT */
#include "recordings.h"
#include "config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"
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
   /* Of one that could not be written any further the driver has told. */
   if (end == CM_RECORDING_UNFINISHED)
      say("%s", cm_recording_damage(recording));
   cm_recording_close(recording);
   return end == CM_RECORDING_WHOLE;
}

struct cm_recording *
recording_open(const char *path)
{
   char error[512];
   size_t frames;
   struct cm_recording *recording = cm_recording_open(path, error, sizeof(error));
   if (!recording)
      fail(STATUS_FAILED, "%s", error);
   cm_recording_frames(recording, &frames);
   if (!frames && cm_recording_damage(recording))
      fail(STATUS_FAILED, "%s", cm_recording_damage(recording));
   if (!frames)
      fail(STATUS_FAILED, "%s: no frame was recorded", path);
   if (cm_recording_damage(recording))
      say("%s", cm_recording_damage(recording));
   return recording;
}

void
recording_find_frames(const struct cm_recording *recording, const char *path, const char *frames,
                      unsigned *first, unsigned *last)
{
   size_t count;
   const struct cm_indexed_frame *list = cm_recording_frames(recording, &count);
   *first = 0;
   *last = (unsigned)count - 1;
   if (!frames)
      return;
   const struct frame_range range = options_frames(frames);
   while (*first < count && list[*first].number != range.first)
      (*first)++;
   *last = *first;
   while (*last < count && list[*last].number != range.last)
      (*last)++;
   if (*last >= count)
      fail(STATUS_USAGE, "--frames %s: %s has the frames %u-%u", frames, path, list[0].number,
           list[count - 1].number);
}
