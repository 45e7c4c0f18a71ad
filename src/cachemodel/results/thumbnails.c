/* SPDX-License-Identifier: MIT */
#include "results/thumbnails.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRESH_NAME ".new.png"

/* The folder, open; negative: the error number. */
static int
open_folder(int directory)
{
   const int folder = openat(directory, CM_THUMBNAILS_NAME, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
   return folder < 0 ? -errno : folder;
}

static int
write_all(int file, const char *bytes, size_t size)
{
   while (size) {
      const ssize_t written = write(file, bytes, size);
      if (written < 0 && errno == EINTR)
         continue;
      if (written < 0)
         return errno;
      bytes += written;
      size -= (size_t)written;
   }
   return 0;
}

static int
write_picture(int folder, const char *name, const void *png, size_t size)
{
   const int file = openat(folder, FRESH_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
   if (file < 0)
      return errno;
   int code = write_all(file, png, size);
   if (close(file) && !code)
      code = errno;
   if (!code && renameat(folder, FRESH_NAME, folder, name))
      code = errno;
   if (code)
      unlinkat(folder, FRESH_NAME, 0);
   return code;
}

int
cm_thumbnails_write(int directory, uint64_t frame, uint32_t pass, const void *png, size_t size)
{
   if (mkdirat(directory, CM_THUMBNAILS_NAME, 0777) && errno != EEXIST)
      return errno;
   const int folder = open_folder(directory);
   if (folder < 0)
      return -folder;
   char name[40];
   snprintf(name, sizeof name, "%" PRIu64 "-%" PRIu32 ".png", frame, pass);
   const int code = write_picture(folder, name, png, size);
   close(folder);
   return code;
}

/* NUMBER-NUMBER.png, or what a killed process has left. */
static bool
is_picture(const char *name)
{
   const char digits[] = "0123456789";
   const size_t frame = strspn(name, digits);
   if (!frame || name[frame] != '-')
      return strcmp(name, FRESH_NAME) == 0;
   const char *pass = name + frame + 1;
   const size_t length = strspn(pass, digits);
   return length && strcmp(pass + length, ".png") == 0;
}

void
cm_thumbnails_remove(int directory)
{
   const int folder = open_folder(directory);
   DIR *list = folder < 0 ? NULL : fdopendir(folder);
   if (!list) {
      if (folder >= 0)
         close(folder);
      return;
   }
   for (const struct dirent *entry; (entry = readdir(list));) {
      if (is_picture(entry->d_name))
         unlinkat(folder, entry->d_name, 0);
   }
   closedir(list);
   unlinkat(directory, CM_THUMBNAILS_NAME, AT_REMOVEDIR);
}
