/* SPDX-License-Identifier: MIT */
#include "process/stages.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "output/progress.h"
#include "tools.h"

#define MILLISECONDS_BETWEEN 50

static struct {
   unsigned number, count; /* 0: there are none */
   int file;               /* that the processes write to; in memory */
   off_t end;              /* of the lines that were read */
} stages;

void
stages_begin(unsigned count)
{
   stages.file = memfd_create("progress", MFD_CLOEXEC);
   if (stages.file < 0)
      fail(STATUS_FAILED, "a file in memory: %s", strerror(errno));
   stages.count = count;
   /* A name, for Python closes what its processes do not ask for. */
   char *name = text("/proc/%ld/fd/%d", (long)getpid(), stages.file);
   setenv("TBRSIM_PROGRESS", name, true);
   free(name);
}

void
stages_next(const char *name)
{
   progress_stage(++stages.number, stages.count, name);
}

/* The last whole line that was written since; NULL: none was. */
static json_t *
read_last(void)
{
   const off_t size = lseek(stages.file, 0, SEEK_END);
   if (size <= stages.end)
      return NULL;
   const size_t length = (size_t)(size - stages.end);
   char *lines = allocate(length + 1);
   const ssize_t got = pread(stages.file, lines, length, stages.end);
   char *last = got > 0 ? memrchr(lines, '\n', (size_t)got) : NULL;
   json_t *entry = NULL;
   if (last) {
      stages.end += last + 1 - lines;
      *last = '\0';
      const char *before = strrchr(lines, '\n');
      entry = json_loads(before ? before + 1 : lines, 0, NULL);
   }
   free(lines);
   return entry;
}

/* Of the process itself what it does, of one that it has started whose work it is, too. */
static void
show(const json_t *entry, pid_t process)
{
   const char *work = json_string_value(json_object_get(entry, "work"));
   const char *command = json_string_value(json_object_get(entry, "command"));
   const bool is_itself = json_integer_value(json_object_get(entry, "process")) == process;
   if (!work || !command)
      return;
   char *name = is_itself ? text("%s", work) : text("%s, %s", command, work);
   progress_show(name, json_number_value(json_object_get(entry, "done")),
                 json_number_value(json_object_get(entry, "total")));
   free(name);
}

int
stages_wait(struct process *process)
{
   json_t *entry = NULL;
   while (stages.count && process_running(process)) {
      json_t *next = read_last();
      if (next) {
         json_decref(entry);
         entry = next;
      }
      const pid_t author = (pid_t)json_integer_value(json_object_get(entry, "process"));
      if (entry && !kill(author, 0)) {
         show(entry, process->id);
      } else {
         /* What comes next may be the process' own words. */
         json_decref(entry);
         entry = NULL;
         progress_end();
      }
      nanosleep(&(struct timespec){.tv_nsec = MILLISECONDS_BETWEEN * 1000 * 1000}, NULL);
   }
   json_decref(entry);
   progress_end();
   return process_wait(process);
}
