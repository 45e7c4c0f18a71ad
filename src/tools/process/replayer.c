/* SPDX-License-Identifier: MIT */
#include "process/replayer.h"

#include <assert.h>
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

/* A replayer's command line and environment. */
struct launch {
   char *argv[13];
   unsigned count;
   struct variable variables[MAX_VARIABLES];
   unsigned num_variables;
};

static void
add_argument(struct launch *launch, const char *argument)
{
   assert(launch->count + 1 < sizeof(launch->argv) / sizeof(launch->argv[0]));
   launch->argv[launch->count++] = text("%s", argument);
   launch->argv[launch->count] = NULL;
}

/* value: the launch's from here on; NULL unsets it. */
static void
add_variable(struct launch *launch, const char *name, char *value)
{
   assert(launch->num_variables < MAX_VARIABLES);
   launch->variables[launch->num_variables++] = (struct variable){name, value};
}

/* How what the driver refuses is shown. Without --benchmark, each call's error is looked at. */
static void
add_contexts(struct launch *launch, const struct trace *trace, const char *driver, bool names_refused)
{
   if (!names_refused)
      add_argument(launch, "--benchmark");
   if (trace_is_newer(trace))
      add_argument(launch, "--no-context-check");
   /* OpenGL's contexts cannot be made with another version than they were; Mesa refuses what it has not. */
   if (trace->versions.gl > (strcmp(driver, "softpipe") ? TRACE_GL_LIMIT : TRACE_SOFTPIPE_LIMIT))
      add_variable(launch, "MESA_GL_VERSION_OVERRIDE",
                   text("%u.%u%s", trace->versions.gl / 10, trace->versions.gl % 10,
                        trace->versions.gl_compatibility ? "COMPAT" : ""));
}

static void
add_names(struct launch *launch, const struct trace *trace, const char *program)
{
   /* Results and recordings are of the program that was captured; Mesa's settings are those of the replayer. */
   if (!getenv("MESA_PROCESS_NAME")) {
      add_variable(launch, "MESA_PROCESS_NAME", text("%s", trace->program));
      add_variable(launch, "MESA_DRICONF_EXECUTABLE_OVERRIDE", text("%s", program));
   }
   /* The driver's lines are looked for in the log: Mesa's must not go elsewhere. */
   add_variable(launch, "MESA_LOG", NULL);
   add_variable(launch, "MESA_LOG_FILE", NULL);
}

static void
add_images(struct launch *launch, const struct trace *trace, const struct replay_images *wanted)
{
   char *calls = text("--snapshot=@%s", wanted->calls);
   add_argument(launch, calls);
   free(calls);
   add_argument(launch, "--snapshot-prefix=-");
   add_argument(launch, "--snapshot-format=PNM");
   /* Without swaps, of what has been drawn to. */
   if (trace->swaps)
      add_argument(launch, "--snapshot-force-backbuffer");
}

static void
free_launch(struct launch *launch)
{
   for (unsigned a = 0; a < launch->count; a++)
      free(launch->argv[a]);
   for (unsigned v = 0; v < launch->num_variables; v++)
      free(launch->variables[v].value);
}

static void
open_images(struct replayer *replayer)
{
   replayer->images = fdopen(replayer->process.output, "rb");
   replayer->process.output = -1;
   if (!replayer->images)
      fail(STATUS_FAILED, "out of memory");
   /* replayer_has_image looks at the pipe itself. */
   setvbuf(replayer->images, NULL, _IONBF, 0);
}

void
replayer_start(struct replayer *replayer, const struct trace *trace, const char *driver,
               const struct options *options, const char *frames, const struct replay_images *wanted,
               const char *log)
{
   *replayer = (struct replayer){.driver = driver,
                                 .program = trace->egl ? "eglretrace" : "glretrace",
                                 .log = text("%s", log),
                                 /* What is refused is printed where images go. */
                                 .names_refused = trace_is_newer(trace) && !wanted};
   struct launch launch = {0};
   launch.num_variables = environment_variables(launch.variables, driver, options, frames);
   launch.num_variables += replayer_variables(&launch.variables[launch.num_variables], trace);
   add_argument(&launch, replayer->program);
   add_contexts(&launch, trace, driver, replayer->names_refused);
   /* A marker before each call: the driver takes its number (tbr_names.h). */
   if (options->call_numbers && !wanted)
      add_argument(&launch, "--markers");
   add_names(&launch, trace, replayer->program);
   add_argument(&launch, "--headless");
   if (wanted)
      add_images(&launch, trace, wanted);
   add_argument(&launch, trace->path);

   const struct process_setup setup = {
      .variables = launch.variables,
      .num_variables = launch.num_variables,
      .output = wanted ? OUTPUT_PIPE : OUTPUT_NONE,
      .errors = log,
      /* Its handler of SIGTERM may wait for ever, for a lock that it has interrupted: the allocator's. */
      .killed_with_command = true,
   };
   const int error = process_start(&replayer->process, launch.argv, &setup);
   free_launch(&launch);
   if (error)
      fail(process_explain(replayer->program, "", error), "replaying needs the Debian package apitrace");
   replayer->id = replayer->process.id;
   crash_watch_begin(replayer->id);
   if (wanted)
      open_images(replayer);
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
