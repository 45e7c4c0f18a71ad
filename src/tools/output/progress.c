/* SPDX-License-Identifier: MIT */
#include "output/progress.h"

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
#define MAX_WORK 160
/* Lines that stages have where there is no terminal: the first one so late, then where the work changes, and again. */
#define SECONDS_BEFORE_LINES 10.0
#define SECONDS_BETWEEN_LINES 30.0

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool silent;
static int width; /* of the line that is there */
static char work[MAX_WORK];
static double started, shown;

/* The file for programs; logged: when its last line was written, of which work. */
static FILE *file;
static const char *command;
static char logged_work[MAX_WORK];
static double logged;

/* What is in front of the work, "1 of 3, …: "; empty: there are no stages. */
static char stage[MAX_WORK / 2];
static char line_work[MAX_WORK];
static double opened, line_written;

static double
now(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int
columns(void)
{
   struct winsize size;
   if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
      return 80;
   return size.ws_col < MAX_WIDTH ? size.ws_col : MAX_WIDTH;
}

/* Spaces over the line, which every terminal can do: ours, or that of who reads the file. The lock is held. */
static void
erase(void)
{
   if (file && isatty(STDERR_FILENO))
      width = columns() - 1;
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
progress_open(const char *name_of_command)
{
   const char *name = getenv("TBRSIM_PROGRESS");
   opened = now();
   command = name_of_command;
   if (!name || !*name)
      return;
   file = fopen(name, "ae");
   if (!file)
      fail(STATUS_USAGE, "TBRSIM_PROGRESS=%s: %s", name, strerror(errno));
   /* What this command starts has progress of its own. */
   unsetenv("TBRSIM_PROGRESS");
}

bool
progress_is_read(void)
{
   return file != NULL;
}

void
progress_stage(unsigned number, unsigned count, const char *name)
{
   progress_end();
   snprintf(stage, sizeof(stage), "%u of %u, %.50s: ", number, count, name);
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
   fprintf(file,
           "{\"command\": \"%s\", \"process\": %ld, \"work\": \"%s\", \"done\": %.2f, \"total\": %.0f}\n",
           command, (long)getpid(), what, done, total);
   return !fflush(file);
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
   char parts[5][MAX_WORK], line[MAX_WIDTH + 1] = "", time[32];
   unsigned count = 0;
   snprintf(parts[count++], sizeof(parts[0]), "%s", work);
   if (total > 0) {
      snprintf(parts[count++], sizeof(parts[0]), ": frame %u of %u", (unsigned)done, (unsigned)total);
      snprintf(parts[count++], sizeof(parts[0]), ", %.0f %%", 100 * done / total);
   }
   /* With all frames done the rest, such as writing files, takes what it takes. */
   if (total > 0 && done > 0 && done < total && seconds >= SECONDS_OF_RATE) {
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
   static double last;
   /* Of several works of one name each begins with nothing done. */
   if (strcmp(work, what) || done < last) {
      erase();
      snprintf(work, sizeof(work), "%s", what);
      started = time;
      /* What has stages is long. */
      shown = *stage ? 0 : time + SECONDS_BEFORE - SECONDS_BETWEEN;
      if (!registered)
         atexit(progress_end);
      registered = true;
   }
   last = done;
   if (time - shown >= SECONDS_BETWEEN) {
      shown = time;
      write_line(time - started, done, total);
   }
}

/* Lines of stages, for those who have no terminal. The lock is held. */
static void
write_note(const char *what, double done, double total, double time)
{
   const bool is_new = strcmp(line_work, what);
   if (time - opened < SECONDS_BEFORE_LINES || (!is_new && time - line_written < SECONDS_BETWEEN_LINES))
      return;
   line_written = time;
   snprintf(line_work, sizeof(line_work), "%s", what);
   if (total > 0)
      fprintf(stderr, "tbrsim (note): %s: frame %u of %u, %.0f %%\n", what, (unsigned)done, (unsigned)total,
              100 * done / total);
   else
      fprintf(stderr, "tbrsim (note): %s\n", what);
}

void
progress_show(const char *name, double done, double total)
{
   /* Who reads the file shows it. */
   const bool is_terminal = isatty(STDERR_FILENO), is_visible = !silent && !file && is_terminal;
   const bool has_notes = *stage && !file && !is_terminal;
   int error = 0;
   if (!is_visible && !has_notes && !file)
      return;
   pthread_mutex_lock(&lock);
   const double time = now();
   char what[MAX_WORK];
   snprintf(what, sizeof(what), "%s%s", stage, name);
   if (total > 0 && done > total)
      done = total;
   if (is_visible)
      show_line(what, done, total, time);
   if (has_notes)
      write_note(what, done, total, time);
   if (!write_file(what, done, total, time)) {
      error = errno;
      fclose(file);
      file = NULL;
   }
   pthread_mutex_unlock(&lock);
   if (error)
      say("progress is no longer written: %s", strerror(error));
}
