/* SPDX-License-Identifier: MIT */
#include "process/replayer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "process/crash_watch.h"
#include "process/environment.h"
#include "output/progress.h"
#include "tools.h"

char **
replayer_trace(char *program[])
{
   const char *slash = strrchr(program[0], '/'), *name = slash ? slash + 1 : program[0];
   char **last = program;
   while (last[1])
      last++;
   const bool is_replayer = !strcmp(name, "eglretrace") || !strcmp(name, "glretrace");
   return is_replayer && last != program && **last != '-' ? last : NULL;
}

unsigned
replayer_variables(struct variable *variables, const struct trace *trace)
{
   unsigned count = 0;
   /* Textures of EGL images, which replayers do not make, get the content that the capture has of them. */
   variables[count++] = (struct variable){"TBRSIM_REPLAY", text("1")};
   variables[count++] = (struct variable){"TBRSIM_DRAWABLES", text("%s", trace_write_sizes(trace))};
   return count;
}

void
replayer_start(struct replayer *replayer, const struct trace *trace, const char *driver,
               const struct options *options, const char *frames, const struct replay_images *wanted,
               const struct replay_metrics *metrics, const char *log)
{
   struct variable variables[MAX_VARIABLES];
   struct process_setup setup = {
      .variables = variables,
      .num_variables = environment_variables(variables, driver, options, frames),
      .output = wanted    ? OUTPUT_PIPE
                : metrics ? OUTPUT_SHARED
                          : OUTPUT_NONE,
      .errors = log,
      /* Its handler of SIGTERM may wait for ever, for a lock that it has interrupted: the allocator's. */
      .killed_with_command = true,
   };
   const bool newer = trace_is_newer(trace), names_refused = newer && !wanted;
   char *snapshots = NULL, *draws = NULL;
   char *argv[13];
   unsigned count = 0;

   *replayer = (struct replayer){.driver = driver,
                                 .program = trace->egl ? "eglretrace" : "glretrace",
                                 .log = text("%s", log),
                                 .names_refused = names_refused};
   argv[count++] = (char *)replayer->program;
   /* Without it, each call's error is looked at; and what is refused is printed where images go. */
   if (!names_refused)
      argv[count++] = "--benchmark";
   if (newer)
      argv[count++] = "--no-context-check";
   /* A marker before each call: the driver takes its number (tbr_names.h). */
   if (options->call_numbers && !wanted)
      argv[count++] = "--markers";
   /* OpenGL's contexts cannot be made with another version than they were; Mesa refuses what it has not. */
   if (trace->versions.gl > (strcmp(driver, "softpipe") ? TRACE_GL_LIMIT : TRACE_SOFTPIPE_LIMIT))
      variables[setup.num_variables++] =
         (struct variable){"MESA_GL_VERSION_OVERRIDE",
                           text("%u.%u%s", trace->versions.gl / 10, trace->versions.gl % 10,
                                trace->versions.gl_compatibility ? "COMPAT" : "")};
   setup.num_variables += replayer_variables(&variables[setup.num_variables], trace);
   /* Results and recordings are of the program that was captured; Mesa's settings are those of the replayer. */
   if (!getenv("MESA_PROCESS_NAME")) {
      variables[setup.num_variables++] = (struct variable){"MESA_PROCESS_NAME", text("%s", trace->program)};
      variables[setup.num_variables++] =
         (struct variable){"MESA_DRICONF_EXECUTABLE_OVERRIDE", text("%s", replayer->program)};
   }
   /* The driver's lines are looked for in the log: Mesa's must not go elsewhere. */
   variables[setup.num_variables++] = (struct variable){"MESA_LOG", NULL};
   variables[setup.num_variables++] = (struct variable){"MESA_LOG_FILE", NULL};
   argv[count++] = "--headless";
   if (wanted) {
      argv[count++] = snapshots = text("--snapshot=@%s", wanted->calls);
      argv[count++] = "--snapshot-prefix=-";
      argv[count++] = "--snapshot-format=PNM";
      /* Without swaps, of what has been drawn to. */
      if (trace->swaps)
         argv[count++] = "--snapshot-force-backbuffer";
   }
   if (metrics) {
      argv[count++] = draws = text("--pdrawcalls=GL_AMD_performance_monitor: %s", metrics->counters);
      variables[setup.num_variables++] =
         (struct variable){"TBRSIM_DRAW_RESULTS", text("%s", metrics->results)};
   }
   argv[count++] = (char *)trace->path;
   argv[count] = NULL;
   int error = process_start(&replayer->process, argv, &setup);
   for (unsigned v = 0; v < setup.num_variables; v++)
      free(variables[v].value);
   free(snapshots);
   free(draws);
   if (error)
      fail(process_explain(replayer->program, "", error), "replaying needs the Debian package apitrace");
   replayer->id = replayer->process.id;
   crash_watch_begin(replayer->id);
   if (wanted) {
      replayer->images = fdopen(replayer->process.output, "rb");
      replayer->process.output = -1;
      if (!replayer->images)
         fail(STATUS_FAILED, "out of memory");
      /* replayer_has_image looks at the pipe itself. */
      setvbuf(replayer->images, NULL, _IONBF, 0);
   }
}

/* A function of which calls were refused. */
struct refusal {
   char function[80], error[64];
   unsigned call; /* the first one's number */
   unsigned calls;
};

struct refusals {
   struct refusal *list;
   unsigned count;
};

/* A line such as "43: warning: glGetError(glDispatchCompute) = GL_INVALID_OPERATION". */
static void
take_refusal(struct refusals *refusals, const char *line)
{
   struct refusal new = {.calls = 1};
   if (sscanf(line, "%u: warning: glGetError(%79[^)]) = %63s", &new.call, new.function, new.error) != 3) {
      char what[16];
      if (sscanf(line, "%u: warning: %15s failed", &new.call, what) != 2 ||
          (strcmp(what, "compilation") && strcmp(what, "link")))
         return;
      strcpy(new.function, what[0] == 'c' ? "glCompileShader" : "glLinkProgram");
      snprintf(new.error, sizeof(new.error), "%s failed", what);
   }
   for (unsigned r = 0; r < refusals->count; r++) {
      if (!strcmp(refusals->list[r].function, new.function)) {
         refusals->list[r].calls++;
         return;
      }
   }
   refusals->list = realloc(refusals->list, (refusals->count + 1) * sizeof(*refusals->list));
   if (!refusals->list)
      fail(STATUS_FAILED, "out of memory");
   refusals->list[refusals->count++] = new;
}

static void
say_refusals(const struct refusals *refusals)
{
   for (unsigned r = 0; r < refusals->count; r++) {
      const struct refusal *refusal = &refusals->list[r];
      say("%s is rejected: %s, first by call %u; %u in all", refusal->function, refusal->error, refusal->call,
          refusal->calls);
   }
}

/* The replayers chat on stderr; the driver's lines among that are the user's. Keeps
 * the replayer's last line about an error, if there is one. */
static void
read_log(struct replayer *replayer, char *problem, size_t size)
{
   char line[1024];
   struct refusals refusals = {0};
   FILE *file = fopen(replayer->log, "re");
   *problem = 0;
   if (!file)
      return;
   progress_end();
   while (fgets(line, sizeof(line), file)) {
      line[strcspn(line, "\n")] = 0;
      if (!strncmp(line, "tbrsim: info: ", 14)) {
         fprintf(stderr, "%s\n", line);
      } else if (!strncmp(line, "tbrsim: ", 8)) {
         fprintf(stderr, "%s\n", line);
         replayer->complained = true;
      } else if (strstr(line, "error: ")) {
         snprintf(problem, size, " (%.200s)", line);
      }
      if (replayer->names_refused)
         take_refusal(&refusals, line);
   }
   fclose(file);
   say_refusals(&refusals);
   replayer->complained |= refusals.count;
   free(refusals.list);
}

void
replayer_finish(struct replayer *replayer)
{
   char problem[256];
   if (replayer->images)
      fclose(replayer->images);
   replayer->images = NULL;
   int status = process_wait(&replayer->process);
   const bool hung = crash_watch_end(replayer->id);
   if (process_interrupted())
      exit(STATUS_SIGNAL + process_interrupted());
   read_log(replayer, problem, sizeof(problem));
   if (hung)
      say("%s: a signal ended it, and it was killed as its report of that did not end", replayer->program);
   else
      process_explain_signal(replayer->program, status);
   if (status)
      fail(STATUS_FAILED, "the replay on %s failed: %s ended with status %d%s; its output is in %s",
           replayer->driver, replayer->program, status, problem, replayer->log);
   free(replayer->log);
}

bool
replayer_has_image(const struct replayer *replayer, int milliseconds)
{
   struct pollfd pipe = {.fd = fileno(replayer->images), .events = POLLIN};
   return poll(&pipe, 1, milliseconds) != 0;
}

void
replayer_read(struct replayer *replayer, struct image *image, unsigned frame)
{
   if (image_read(replayer->images, image))
      return;
   replayer_finish(replayer);
   fail(STATUS_FAILED, "the replay on %s ended before frame %u", replayer->driver, frame);
}
