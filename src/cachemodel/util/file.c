/* SPDX-License-Identifier: MIT */
#include "util/file.h"

#include <errno.h>
#include <unistd.h>

int
cm_write_at(int file, const void *bytes, size_t count, off_t offset)
{
   for (size_t done = 0; done < count;) {
      const ssize_t n = pwrite(file, (const char *)bytes + done, count - done, offset + (off_t)done);
      if (n < 0 && errno == EINTR)
         continue;
      if (n <= 0)
         return n < 0 ? errno : ENOSPC;
      done += (size_t)n;
   }
   return 0;
}

ssize_t
cm_read_at(int file, void *bytes, size_t count, off_t offset)
{
   size_t done = 0;
   while (done < count) {
      const ssize_t n = pread(file, (char *)bytes + done, count - done, offset + (off_t)done);
      if (n < 0 && errno == EINTR)
         continue;
      if (n < 0)
         return -1;
      if (n == 0)
         break;
      done += (size_t)n;
   }
   return (ssize_t)done;
}
