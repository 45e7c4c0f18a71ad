/* SPDX-License-Identifier: MIT */
#include "support/usage.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double
read_seconds(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

_Noreturn static void
stop_at(const char *path)
{
   perror(path);
   exit(1);
}

static int
count_entries(const char *path)
{
   int count = 0;
   DIR *directory = opendir(path);
   if (!directory)
      stop_at(path);
   while (readdir(directory))
      count++;
   closedir(directory);
   return count;
}

void
print_usage(double seconds, unsigned long frames)
{
   long pages = 0;
   FILE *file = fopen("/proc/self/statm", "r");
   if (!file || fscanf(file, "%*s %ld", &pages) != 1)
      stop_at("/proc/self/statm");
   fclose(file);
   const struct mallinfo2 heap = mallinfo2();
   printf("%.1f %lu %ld %zu %d %d\n", seconds, frames, pages * (sysconf(_SC_PAGESIZE) / 1024),
          (heap.uordblks + heap.hblkhd) / 1024, count_entries("/proc/self/task"),
          count_entries("/proc/self/fd"));
   fflush(stdout);
}

void
lose_memory(size_t bytes)
{
   static void *volatile last;
   if (bytes)
      last = memset(malloc(bytes), 1, bytes);
   (void)last;
}
