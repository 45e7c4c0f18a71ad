/* SPDX-License-Identifier: MIT */
#include "process/crash_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "tools.h"

#define MAX_WATCHED 8
#define LOOKS_A_SECOND 2

/* Changed with SIGALRM blocked. */
static struct watched {
   pid_t id; /* 0: none */
   char path[32];
   unsigned looks; /* one after another that found it in a handler */
   bool killed;
} list[MAX_WATCHED];

static unsigned
digit_of(char c)
{
   return c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

/* Whether the first thread blocks a signal that ends programs, as it does in its handler; other threads block signals that
 * are not for them. Called in a handler of signals. */
static bool
handles_end(const char *path)
{
   static const int ends[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTERM, SIGINT, SIGHUP};
   static const char label[] = "SigBlk:\t";
   char status[4096];
   const int file = open(path, O_RDONLY | O_CLOEXEC);
   const ssize_t length = file >= 0 ? read(file, status, sizeof(status) - 1) : 0;
   if (file >= 0)
      close(file);
   status[length > 0 ? length : 0] = 0;
   const char *mask = strstr(status, label);
   unsigned long long blocked = 0;
   for (mask = mask ? mask + sizeof(label) - 1 : ""; digit_of(*mask) < 16; mask++)
      blocked = blocked << 4 | digit_of(*mask);
   for (unsigned e = 0; e < sizeof(ends) / sizeof(*ends); e++) {
      if (blocked >> (ends[e] - 1) & 1)
         return true;
   }
   return false;
}

static void
look(int number)
{
   const int error = errno;
   for (unsigned w = 0; w < MAX_WATCHED; w++) {
      struct watched *watched = &list[w];
      if (!watched->id || watched->killed)
         continue;
      watched->looks = handles_end(watched->path) ? watched->looks + 1 : 0;
      if (watched->looks > CRASH_WATCH_SECONDS * LOOKS_A_SECOND)
         watched->killed = !kill(watched->id, SIGKILL);
   }
   errno = error;
}

static void
block(bool blocked)
{
   sigset_t set;
   sigemptyset(&set);
   sigaddset(&set, SIGALRM);
   sigprocmask(blocked ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

static struct watched *
find(pid_t id)
{
   for (unsigned w = 0; w < MAX_WATCHED; w++) {
      if (list[w].id == id)
         return &list[w];
   }
   fail(STATUS_FAILED, "too many programs at once");
}

/* Half seconds are often enough, and cost nothing. */
static void
set_timer(bool on)
{
   const struct timeval time = {.tv_usec = on ? 1000000 / LOOKS_A_SECOND : 0};
   setitimer(ITIMER_REAL, &(struct itimerval){time, time}, NULL);
}

void
crash_watch_begin(pid_t id)
{
   const struct sigaction action = {.sa_handler = look, .sa_flags = SA_RESTART};
   struct watched *watched = find(0);
   block(true);
   *watched = (struct watched){.id = id};
   snprintf(watched->path, sizeof(watched->path), "/proc/%d/status", (int)id);
   sigaction(SIGALRM, &action, NULL);
   set_timer(true);
   block(false);
}

bool
crash_watch_end(pid_t id)
{
   struct watched *watched = find(id);
   bool any = false;
   block(true);
   const bool killed = watched->killed;
   *watched = (struct watched){.id = 0};
   for (unsigned w = 0; w < MAX_WATCHED; w++)
      any |= list[w].id != 0;
   if (!any)
      set_timer(false);
   block(false);
   return killed;
}
