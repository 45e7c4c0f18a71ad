/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_TMPFILE, asprintf */
#include "events/recording_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/process_results.h"

/* A link to a file is that file. 0, or the error number. */
static int
find_path(const char *path, char **found)
{
   struct stat status;
   if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
      return S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
   *found = realpath(path, NULL);
   if (!*found)
      *found = strdup(path);
   return *found ? 0 : ENOMEM;
}

static int
open_temporary(struct cm_recording_file *recording, const char *directory, int opened)
{
   recording->file = openat(opened, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
   if (recording->file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
      return recording->file >= 0 ? 0 : errno;
   char *name;
   if (asprintf(&name, "%s.tbrsim-%ld.tbr", directory, (long)getpid()) < 0)
      return ENOMEM;
   recording->temporary = name;
   unlink(name);
   recording->file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
   return recording->file >= 0 ? 0 : errno;
}

int
cm_recording_file_open(struct cm_recording_file *recording, const char *path)
{
   *recording = (struct cm_recording_file){.file = -1};
   int code = find_path(path, &recording->path);
   if (code)
      return code;
   const char *slash = strrchr(recording->path, '/');
   char *directory = slash ? strndup(recording->path, (size_t)(slash + 1 - recording->path)) : strdup("");
   if (!directory)
      return ENOMEM;
   const int opened = open(*directory ? directory : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
   code = opened < 0 ? errno : open_temporary(recording, directory, opened);
   if (opened >= 0)
      close(opened);
   free(directory);
   if (!code)
      flock(recording->file, LOCK_EX | LOCK_NB); /* marks it as unfinished for others */
   return code;
}

int
cm_recording_file_name(struct cm_recording_file *recording, struct cm_process_results *results)
{
   assert(recording->file >= 0 && !recording->named);
   const char *slash = recording->temporary ? strrchr(recording->temporary, '/') : NULL;
   char *path = cm_process_results_name_recording(results, recording->path, recording->file,
                                                  slash ? slash + 1 : recording->temporary);
   if (!path)
      return errno;
   free(recording->path);
   recording->path = path;
   recording->named = true;
   return 0;
}

int
cm_recording_file_close(struct cm_recording_file *recording)
{
   if (recording->file < 0)
      return 0;
   flock(recording->file, LOCK_UN); /* a child may have it open, too */
   const int code = close(recording->file) != 0 ? errno : 0;
   recording->file = -1;
   if (recording->temporary && !recording->named)
      unlink(recording->temporary);
   return code;
}

void
cm_recording_file_finish(struct cm_recording_file *recording)
{
   cm_recording_file_close(recording);
   free(recording->path);
   free(recording->temporary);
}
