/* SPDX-License-Identifier: MIT */
#include "results/earlier_files.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "stats/appended_file.h"
#include "stats/table_file.h"
#include "util/file.h"
/* The first bytes of a file that is no link; returns how many. */
static size_t
read_begin(int directory, const char *name, char *bytes, size_t count)
{
   const int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
   const ssize_t read = file >= 0 ? cm_read_at(file, bytes, count, 0) : 0;
   if (file >= 0)
      close(file);
   return read > 0 ? (size_t)read : 0;
}

static bool
is_table(int directory, const char *name)
{
   static const char keys[] = CM_TABLE_KEYS;
   char begin[sizeof keys];
   return read_begin(directory, name, begin, sizeof keys - 1) == sizeof keys - 1 &&
          memcmp(begin, keys, sizeof keys - 1) == 0;
}

static bool
is_timeline(int directory, const char *name)
{
   static const char signature[] = CM_TIMELINE_SIGNATURE;
   char begin[CM_TIMELINE_SIGNATURE_BYTES];
   const size_t count = read_begin(directory, name, begin, sizeof begin);
   for (size_t at = 0; at + sizeof signature - 1 <= count; at++) {
      if (memcmp(begin + at, signature, sizeof signature - 1) == 0)
         return true;
   }
   return false;
}

static bool
is_parquet(int directory, const char *name)
{
   static const char signature[] = {'P', 'A', 'R', '1'};
   char begin[sizeof signature];
   return read_begin(directory, name, begin, sizeof begin) == sizeof begin &&
          memcmp(begin, signature, sizeof begin) == 0;
}

void
cm_remove_earlier_file(int directory, const char *name)
{
   if (is_table(directory, name) || is_timeline(directory, name) || is_parquet(directory, name))
      unlinkat(directory, name, 0);
}
