/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "tools.h"

#define SECONDS_BEFORE 0.5
#define SECONDS_BETWEEN 0.1
/* Time left is not said before so much is known about the rate. */
#define SECONDS_OF_RATE 1.0
#define MAX_WIDTH 200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool silent;
static int width; /* of the line that is there */
static char work[64];
static double started, shown;

/* The file for programs; logged: when its last line was written, of which work. */
static FILE *file;
static char logged_work[64];
static double logged;

static double
now(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Spaces over the line, which every terminal can do. The lock is held. */
static void
erase(void)
{
   if (width)
      fprintf(stderr, "\r%*s\r", width, "");
   width = 0;
}

void
progress_end(void)
{
   pthread_mutex_lock(&lock);
   erase();
   work[0] = 0;
   pthread_mutex_unlock(&lock);
}

void
progress_silence(void)
{
   silent = true;
}

void
progress_open(void)
{
   const char *name = getenv("TBRSIM_PROGRESS");
   if (!name || !*name)
      return;
   file = fopen(name, "ae");
   if (!file)
      fail(STATUS_USAGE, "TBRSIM_PROGRESS=%s: %s", name, strerror(errno));
   /* What this command starts has progress of its own. */
   unsetenv("TBRSIM_PROGRESS");
}

/* False where the file cannot be written. The lock is held. */
static bool
write_file(const char *what, double done, double total, double time)
{
   const bool is_new = strcmp(logged_work, what);
   if (!file || (!is_new && time - logged < SECONDS_BETWEEN && (total <= 0 || done < total)))
      return true;
   snprintf(logged_work, sizeof(logged_work), "%s", what);
   logged = time;
   fprintf(file, "{\"work\": \"%s\", \"done\": %.2f, \"total\": %.0f}\n", what, done, total);
   return !fflush(file);
}

static int
columns(void)
{
   struct winsize size;
   if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
      return 80;
   return size.ws_col < MAX_WIDTH ? size.ws_col : MAX_WIDTH;
}

static void
format_seconds(double seconds, char *text, size_t size)
{
   const unsigned long whole = (unsigned long)(seconds + 0.5);
   if (whole >= 3600)
      snprintf(text, size, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
   else if (whole >= 60)
      snprintf(text, size, "%lu:%02lu", whole / 60, whole % 60);
   else
      snprintf(text, size, "%lu s", whole);
}

/* The parts of the line in the order of their importance; the first ones that fit are shown. */
static void
write_line(double seconds, double done, double total)
{
   char parts[5][64], line[MAX_WIDTH + 1] = "", time[32];
   unsigned count = 0;
   snprintf(parts[count++], sizeof(parts[0]), "%s", work);
   if (total > 0) {
      snprintf(parts[count++], sizeof(parts[0]), ": frame %u of %u", (unsigned)done, (unsigned)total);
      snprintf(parts[count++], sizeof(parts[0]), ", %.0f %%", 100 * done / total);
   }
   if (total > 0 && done > 0 && seconds >= SECONDS_OF_RATE) {
      format_seconds(seconds * (total - done) / done, time, sizeof(time));
      snprintf(parts[count++], sizeof(parts[0]), ", %s left", time);
      snprintf(parts[count++], sizeof(parts[0]), ", %.3g frames/s", done / seconds);
   } else {
      format_seconds(seconds, time, sizeof(time));
      snprintf(parts[count++], sizeof(parts[0]), ", %s", time);
   }

   /* The last column stays free: some terminals wrap when it is written. */
   const int room = columns() - 1;
   int length = 0;
   for (unsigned p = 0; p < count; p++) {
      const int more = (int)strlen(parts[p]);
      if (length + more > room)
         break;
      memcpy(line + length, parts[p], (size_t)more + 1);
      length += more;
   }
   fprintf(stderr, "\r%s%*s", line, width > length ? width - length : 0, "");
   if (width > length)
      fprintf(stderr, "\r%s", line);
   width = length;
}

/* The line of a terminal. The lock is held. */
static void
show_line(const char *what, double done, double total, double time)
{
   static bool registered;
   if (strcmp(work, what)) {
      erase();
      snprintf(work, sizeof(work), "%s", what);
      started = time;
      shown = time + SECONDS_BEFORE - SECONDS_BETWEEN;
      if (!registered)
         atexit(progress_end);
      registered = true;
   }
   if (time - shown >= SECONDS_BETWEEN) {
      shown = time;
      write_line(time - started, done, total);
   }
}

void
progress_show(const char *what, double done, double total)
{
   const bool is_visible = !silent && isatty(STDERR_FILENO);
   int error = 0;
   if (!is_visible && !file)
      return;
   pthread_mutex_lock(&lock);
   const double time = now();
   if (total > 0 && done > total)
      done = total;
   if (is_visible)
      show_line(what, done, total, time);
   if (!write_file(what, done, total, time)) {
      error = errno;
      fclose(file);
      file = NULL;
   }
   pthread_mutex_unlock(&lock);
   if (error)
      say("progress is no longer written: %s", strerror(error));
}
