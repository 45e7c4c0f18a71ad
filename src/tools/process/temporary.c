/* SPDX-License-Identifier: MIT */
#include "process/temporary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools.h"
#include "util/array.h"

static const char **paths;
static size_t count;

static void
remove_all(void)
{
   for (size_t p = 0; p < count; p++)
      unlink(paths[p]);
}

void
temporary_add(char *path)
{
   if (!cm_array_grow(&paths, count, sizeof(*paths)) || (!count && atexit(remove_all)))
      fail(STATUS_FAILED, "out of memory");
   paths[count++] = path;
}

FILE *
temporary_create(const char *end, const char **path)
{
   const char *directory = getenv("TMPDIR");
   char *name = text("%s/tbrsim-XXXXXX%s", directory && *directory ? directory : "/tmp", end);
   const int file = mkstemps(name, strlen(end));
   if (file < 0)
      fail(STATUS_FAILED, "%s: %s", name, strerror(errno));
   temporary_add(name);
   *path = name;
   FILE *stream = fdopen(file, "w");
   if (!stream)
      fail(STATUS_FAILED, "out of memory");
   return stream;
}

const char *
temporary_path(const char *end)
{
   const char *path;
   FILE *file = temporary_create(end, &path);
   temporary_close(file, path);
   return path;
}

void
temporary_close(FILE *file, const char *path)
{
   const bool failed = ferror(file);
   if (fclose(file) || failed)
      fail(STATUS_FAILED, "%s: %s", path, strerror(errno ? errno : EIO));
}
