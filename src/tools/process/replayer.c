/* SPDX-License-Identifier: MIT */
#include "process/replayer.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "process/crash_watch.h"
#include "process/environment.h"
#include "process/gfxr_lines.h"
#include "process/temporary.h"
#include "output/progress.h"
#include "tools.h"

char **
replayer_trace(char *program[])
{
   const char *slash = strrchr(program[0], '/'), *name = slash ? slash + 1 : program[0];
   char **last = program;
   while (last[1])
      last++;
   const bool is_replayer =
      !strcmp(name, "eglretrace") || !strcmp(name, "glretrace") || !strcmp(name, "gfxrecon-replay");
   return is_replayer && last != program && **last != '-' ? last : NULL;
}

unsigned
replayer_variables(struct variable *variables, const struct trace *trace)
{
   unsigned count = 0;
   /* Textures of EGL images, which replayers do not make, get the content that the capture has of them. What
    * gfxrecon-replay copies to present it is no pass. */
   variables[count++] = (struct variable){"TBRSIM_REPLAY", text("1")};
   if (trace->vulkan)
      return count;
   variables[count++] = (struct variable){"TBRSIM_DRAWABLES", text("%s", trace_write_sizes(trace))};
   return count;
}

/* A replayer's command line and environment. */
struct launch {
   char *argv[20];
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

/* ---- gfxrecon-replay --------------------------------------------------------- */

static char *
image_file(const struct replayer *replayer, unsigned frame)
{
   return text("%s_frame_%u.bmp", replayer->image_files, frame + 1);
}

/* The files are where temporary ones are, and removed with them. */
static void
add_image_files(struct launch *launch, struct replayer *replayer, const struct cm_frame_list *frames)
{
   char *list = text("%s", "");
   replayer->image_files = text("%s", temporary_path(".images"));
   for (unsigned r = 0; r < frames->count; r++) {
      const struct cm_frame_range *range = &frames->ranges[r];
      char *longer = text("%s%s%u-%u", list, r ? "," : "", range->first + 1, range->last + 1);
      free(list);
      list = longer;
      for (unsigned frame = range->first; frame <= range->last; frame++)
         temporary_add(image_file(replayer, frame));
   }
   const char *slash = strrchr(replayer->image_files, '/');
   char *directory = text("%.*s", (int)(slash - replayer->image_files), replayer->image_files);
   add_argument(launch, "--screenshots");
   add_argument(launch, list);
   add_argument(launch, "--screenshot-format");
   add_argument(launch, "bmp");
   add_argument(launch, "--screenshot-dir");
   add_argument(launch, directory);
   add_argument(launch, "--screenshot-prefix");
   add_argument(launch, slash + 1);
   free(directory);
   free(list);
}

static void
add_vulkan(struct launch *launch, struct replayer *replayer, const struct trace *trace,
           const struct replay_images *wanted)
{
   /* No window: sizes are the capture's, whatever a screen has. */
   add_argument(launch, "--wsi");
   add_argument(launch, "headless");
   /* What the device lacks is named, and the rest replayed; otherwise the device is refused, without a name. */
   add_argument(launch, "--remove-unsupported");
   /* Elsewhere sizes and kinds of memory are others. */
   if (trace_is_of_other_gpus(trace)) {
      add_argument(launch, "--memory-translation");
      add_argument(launch, "rebind");
   }
   if (wanted)
      add_image_files(launch, replayer, wanted->frames);
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

static void
add_opengl(struct launch *launch, const struct replayer *replayer, const struct trace *trace,
           const struct options *options, const struct replay_images *wanted)
{
   add_contexts(launch, trace, replayer->driver, replayer->names_refused);
   /* A marker before each call: the driver takes its number (tbr_names.h). */
   if (options->call_numbers && !wanted)
      add_argument(launch, "--markers");
   add_argument(launch, "--headless");
   if (wanted)
      add_images(launch, trace, wanted);
}

void
replayer_start(struct replayer *replayer, const struct trace *trace, const char *driver,
               const struct options *options, const char *frames, const struct replay_images *wanted,
               const char *log)
{
   *replayer = (struct replayer){.driver = driver,
                                 .program = trace->vulkan ? "gfxrecon-replay"
                                            : trace->egl  ? "eglretrace"
                                                          : "glretrace",
                                 .log = text("%s", log),
                                 /* What is refused is printed where images go. */
                                 .names_refused = trace_is_newer(trace) && !wanted};
   struct launch launch = {0};
   launch.num_variables = environment_variables(launch.variables, driver, options, frames);
   launch.num_variables += replayer_variables(&launch.variables[launch.num_variables], trace);
   add_argument(&launch, replayer->program);
   if (trace->vulkan)
      add_vulkan(&launch, replayer, trace, wanted);
   else
      add_opengl(&launch, replayer, trace, options, wanted);
   add_names(&launch, trace, replayer->program);
   add_argument(&launch, trace->path);

   const struct process_setup setup = {
      .variables = launch.variables,
      .num_variables = launch.num_variables,
      /* gfxrecon-replay says some of it there. */
      .output = trace->vulkan ? OUTPUT_ERRORS
                : wanted      ? OUTPUT_PIPE
                              : OUTPUT_NONE,
      .errors = log,
      /* Its handler of SIGTERM may wait for ever, for a lock that it has interrupted: the allocator's. */
      .killed_with_command = true,
   };
   const int error = process_start(&replayer->process, launch.argv, &setup);
   free_launch(&launch);
   if (error)
      fail(process_explain(replayer->program, "", error), "replaying needs the Debian package %s",
           trace->vulkan ? "gfxreconstruct" : "apitrace");
   replayer->id = replayer->process.id;
   crash_watch_begin(replayer->id);
   if (wanted && !trace->vulkan)
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
 * the replayer's last line about an error, or gfxrecon-replay's reason, if there is one. */
static void
read_log(struct replayer *replayer, char *problem, size_t size)
{
   char line[1024];
   struct refusals refusals = {0};
   struct gfxr_lines lines = {0};
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
      gfxr_lines_take(&lines, line);
   }
   fclose(file);
   say_refusals(&refusals);
   replayer->complained |= refusals.count;
   free(refusals.list);
   replayer->complained |= gfxr_lines_say(&lines, replayer->log);
   if (lines.reason)
      snprintf(problem, size, " (%.200s)", lines.reason);
   gfxr_lines_free(&lines);
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
   free(replayer->image_files);
   replayer->image_files = NULL;
   free(replayer->log);
}

/* Whether a file of BMP is there to its end: its size is in it, after two bytes. */
static bool
is_whole(const char *path)
{
   uint32_t size = 0;
   FILE *file = fopen(path, "rbe");
   const bool whole = file && !fseek(file, 2, SEEK_SET) && fread(&size, sizeof size, 1, file) == 1 && size &&
                      !fseek(file, 0, SEEK_END) && ftell(file) >= (long)size;
   if (file)
      fclose(file);
   return whole;
}

static bool
has_image_file(struct replayer *replayer, unsigned frame, int milliseconds)
{
   char *path = image_file(replayer, frame);
   bool there = false;
   for (int waited = 0; !there && waited <= milliseconds; waited += 10) {
      /* Asked first: what is there after its end is all. */
      const bool running = process_running(&replayer->process);
      there = is_whole(path) || !running;
      if (!there)
         nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
   }
   free(path);
   return there;
}

/* They are large: each is removed when it has been read. */
static bool
take_image_file(struct replayer *replayer, unsigned frame, struct image *image)
{
   char *path = image_file(replayer, frame);
   const bool read = image_read_bmp(path, image);
   unlink(path);
   free(path);
   return read;
}

bool
replayer_has_image(struct replayer *replayer, unsigned frame, int milliseconds)
{
   if (replayer->image_files)
      return has_image_file(replayer, frame, milliseconds);
   struct pollfd pipe = {.fd = fileno(replayer->images), .events = POLLIN};
   return poll(&pipe, 1, milliseconds) != 0;
}

void
replayer_read(struct replayer *replayer, struct image *image, unsigned frame)
{
   if (replayer->image_files ? take_image_file(replayer, frame, image) : image_read(replayer->images, image))
      return;
   replayer_finish(replayer);
   fail(STATUS_FAILED, "the replay on %s ended before frame %u", replayer->driver, frame);
}
