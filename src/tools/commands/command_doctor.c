/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/environment.h"
#include "options.h"
#include "output/output.h"
#include "process/python.h"
#include "tools.h"

static const char description[] =
   "Checks whether this machine has what tbrsim needs, and says how to get what is missing. It\n"
   "creates EGL, GLX and Vulkan contexts as programs do under tbrsim run, and replays a trace.\n"
   "Exit status: 1 if rendering or replaying does not work, else 0.\n";

enum part_kind {
   PART_PROGRAM, /* one of some programs is in PATH */
   PART_MODULE,  /* a Python module, or something that tbrsim.doctor knows */
   PART_CONTEXT, /* tbrsim-context makes one, or a device */
   PART_REPLAY,  /* a program in PATH that replays a trace, which is installed with the command */
   PART_FILE,    /* a file, one of several */
};

/* Something that tbrsim uses. */
struct part {
   const char *name;
   enum part_kind kind;
   const char *
      where; /* names of programs, with | between them; a module; egl, glx, vulkan, wayland; a pattern of files */
   const char *use;               /* what it is for */
   bool needed;                   /* to render and to replay */
   const char *package, *command; /* Debian's package; or the command that fetches it */
};

#define BUILD "make deps all" /* in the checkout */

static const struct part parts[] = {
   {"EGL", PART_CONTEXT, "egl", "programs and traces of OpenGL ES", true, "libegl1", NULL},
   {"GLX", PART_CONTEXT, "glx", "programs and traces of OpenGL on X11", true, "libgl1", NULL},
   {"Vulkan", PART_CONTEXT, "vulkan", "programs of Vulkan", false, "libvulkan1", NULL},
   {"Wayland", PART_CONTEXT, "wayland", "windows of Vulkan on Wayland", false, NULL, BUILD},
   {"Xvfb", PART_PROGRAM, "Xvfb", "run and replay without a display", true, "xvfb", NULL},
   {"apitrace", PART_REPLAY, "eglretrace", "tbrsim replay, make captures", true, "apitrace", NULL},
   {"gfxreconstruct", PART_REPLAY, "gfxrecon-replay", "the same of programs of Vulkan", false,
    "gfxreconstruct", NULL},
   {"Python", PART_PROGRAM, PYTHON, "tbrsim report, tbrsim explore, the Python package", false, "python3",
    NULL},
   {"pandas", PART_MODULE, "pandas", "tbrsim report, tables of the Python package", false, "python3-pandas",
    NULL},
   {"uPlot", PART_MODULE, "uplot", "tbrsim report", false, NULL, BUILD},
   {"PyYAML", PART_MODULE, "yaml", "tbrsim explore", false, "python3-yaml", NULL},
   {"matplotlib", PART_MODULE, "matplotlib",
    "plots of tbrsim explore, of the Python package, of make reproduce", false, "python3-matplotlib", NULL},
   {"DuckDB", PART_MODULE, "duckdb", "tables as Parquet", false, NULL, BUILD},
   {"Snakemake", PART_PROGRAM, "snakemake", "tbrsim explore on a cluster, make reproduce", false, "snakemake",
    NULL},
   {"render node", PART_FILE, "/dev/dri/renderD*",
    "compositors of wlroots (sway, cage), which do not start without", false, NULL, NULL},
   {"Chromium", PART_PROGRAM, "chromium|chromium-browser|google-chrome",
    "tests of tbrsim report's pages, WebGL", false, "chromium", NULL},
};
#define NUM_PARTS (sizeof(parts) / sizeof(parts[0]))

/* Of PART_REPLAY: the trace, and Debian's packages of the libraries that the program opens. */
static const struct replayed {
   const char *program, *trace, *libraries;
} replayed[] = {
   {"eglretrace", "doctor.trace", "libegl-dev libgl-dev libgles-dev"},
   {"gfxrecon-replay", "doctor.gfxr", "libvulkan1"},
};

/* What was found of a part. */
struct finding {
   bool there;
   char *detail;                  /* where, which version; or why not */
   const char *package, *command; /* how to get it, as in struct part */
};

static struct finding
found(const struct part *part, char *detail)
{
   return (struct finding){true, detail, NULL, NULL};
}

static struct finding
missing(const struct part *part, char *detail)
{
   return (struct finding){false, detail, part->package, part->command};
}

/* ---- programs ------------------------------------------------------------------ */

/* The file of a program, as execvp finds it; NULL: none. */
static char *
find_program(const char *name)
{
   const char *path = getenv("PATH");
   if (strchr(name, '/'))
      return access(name, X_OK) ? NULL : text("%s", name);
   char *list = text("%s", path ? path : "/bin:/usr/bin"), *rest = list, *found = NULL;
   for (char *directory; !found && (directory = strsep(&rest, ":"));) {
      found = text("%s/%s", *directory ? directory : ".", name);
      if (access(found, X_OK)) {
         free(found);
         found = NULL;
      }
   }
   free(list);
   return found;
}

static struct finding
look_for_program(const struct part *part)
{
   char *names = text("%s", part->where), *rest = names, *path = NULL;
   for (char *name; !path && (name = strsep(&rest, "|"));)
      path = find_program(name);
   free(names);
   return path ? found(part, path) : missing(part, text("not installed"));
}

static struct finding
look_for_file(const struct part *part)
{
   glob_t files;
   const int error = glob(part->where, 0, NULL, &files);
   struct finding finding =
      error ? missing(part, text("no %s", part->where)) : found(part, text("%s", files.gl_pathv[0]));
   globfree(&files);
   return finding;
}

/* ---- what others say ------------------------------------------------------------- */

/* All that a process writes, up to its end; its exit status. */
static char *
read_all(struct process *process, int *status)
{
   char *content;
   size_t size;
   FILE *file = open_memstream(&content, &size);
   if (!file)
      fail(STATUS_FAILED, "out of memory");
   char bytes[512];
   for (ssize_t got; (got = read(process->output, bytes, sizeof bytes)) > 0;)
      fwrite(bytes, 1, (size_t)got, file);
   *status = process_wait(process);
   process_end_by(process_interrupted());
   if (fclose(file))
      fail(STATUS_FAILED, "out of memory");
   return content;
}

/* The last line of a text that is not empty; changes the text. */
static char *
last_line(char *content)
{
   size_t length = strlen(content);
   while (length && content[length - 1] == '\n')
      content[--length] = 0;
   char *newline = strrchr(content, '\n');
   return newline ? newline + 1 : content;
}

/* What this command says with other words, in one line, and how it ends; without the caller's study. */
static char *
ask_command(char *const argv[], int *status)
{
   const struct variable variables[] = {{"TBRSIM_CONFIG", NULL}, {"TBRSIM_SET", NULL},
                                        {"TBRSIM_OUT", NULL},    {"TBRSIM_RECORD", NULL},
                                        {"TBRSIM_DEBUG", NULL},  {"TBRSIM_TIMELINE", NULL}};
   const struct process_setup setup = {
      .variables = variables,
      .num_variables = sizeof(variables) / sizeof(variables[0]),
      .output = OUTPUT_PIPE_ALL,
   };
   struct process process;
   const int error = process_start(&process, argv, &setup);
   if (error)
      fail(STATUS_FAILED, "%s: %s", command_path(), strerror(error));
   char *said = read_all(&process, status);
   char *line = text("%s", last_line(said));
   free(said);
   return line;
}

/* tbrsim run does the rest: environment, display. */
static struct finding
look_for_context(const struct part *part)
{
   char *program = program_path("tbrsim-context");
   if (access(program, X_OK))
      return (struct finding){.detail = text("%s: this build is without Mesa and the driver", program),
                              .command = BUILD};
   char *const argv[] = {(char *)command_path(), "run", "--no-model", "--", program,
                         (char *)part->where,    NULL};
   int status;
   char *line = ask_command(argv, &status);
   free(program);
   return status ? missing(part, line) : found(part, line);
}

/* A replayer that is there may still lack libraries, which it opens when it replays: apitrace's by names that on Debian
 * only the development packages have. */
static struct finding
look_for_replay(const struct part *part)
{
   const struct replayed *what = replayed;
   while (strcmp(what->program, part->where))
      what++;
   struct finding finding = look_for_program(part);
   char *program = program_path("tbrsim-context"), *trace = data_path(what->trace);
   const char *temporary = getenv("TMPDIR");
   char *out = text("%s/tbrsim-XXXXXX", temporary && *temporary ? temporary : "/tmp");
   if (finding.there && !access(program, X_OK)) {
      if (!mkdtemp(out))
         fail(STATUS_FAILED, "%s: %s", out, strerror(errno));
      char *const argv[] = {
         (char *)command_path(), "replay", "--no-model", "--frames", "0-0", "--out", out, trace, NULL};
      int status;
      char *line = ask_command(argv, &status);
      char *log = text("%s/replay.log", out);
      unlink(log);
      rmdir(out);
      free(log);
      if (status) {
         free(finding.detail);
         /* Without a display, say, the display is what is missing. */
         finding = (struct finding){.detail = line, .package = strstr(line, ".so") ? what->libraries : NULL};
      } else {
         free(line);
      }
   }
   free(out);
   free(program);
   free(trace);
   return finding;
}

/* What tbrsim.doctor says of the modules, "name: version" a line; NULL: it does not run. */
static char *
ask_python(void)
{
   char *words[NUM_PARTS + 1];
   unsigned count = 0;
   for (unsigned p = 0; p < NUM_PARTS; p++) {
      if (parts[p].kind == PART_MODULE)
         words[count++] = (char *)parts[p].where;
   }
   words[count] = NULL;
   struct process process;
   if (python_start(&process, "tbrsim.doctor", words, &(struct process_setup){.output = OUTPUT_PIPE}))
      return NULL;
   int status;
   char *said = read_all(&process, &status);
   if (!status)
      return said;
   free(said);
   return NULL;
}

static struct finding
look_for_module(const struct part *part, const char *python)
{
   if (!python)
      return missing(part, text("Python does not run"));
   const size_t length = strlen(part->where);
   for (const char *line = python; line && *line; line = strchr(line, '\n'), line += line != NULL) {
      if (!strncmp(line, part->where, length) && line[length] == ':') {
         const char *version = line + length + 2;
         return found(part, text("%.*s", (int)strcspn(version, "\n"), version));
      }
   }
   return missing(part, text("not installed"));
}

/* ---- output ------------------------------------------------------------------------ */

static void
print_remedies(const struct finding *findings)
{
   const char *before = "\nTo get what is missing:\n  apt-get install";
   bool has_packages = false;
   for (unsigned p = 0; p < NUM_PARTS; p++) {
      if (!findings[p].package)
         continue;
      printf("%s %s", has_packages ? "" : before, findings[p].package);
      has_packages = true;
   }
   const char *last = NULL;
   for (unsigned p = 0; p < NUM_PARTS; p++) {
      const char *command = findings[p].command;
      if (!command || (last && !strcmp(command, last)))
         continue;
      printf("%s\n  %s", last || has_packages ? "" : "\nTo get what is missing:", command);
      last = command;
   }
   if (last || has_packages)
      putchar('\n');
}

static void
print_table(const struct finding *findings)
{
   for (unsigned p = 0; p < NUM_PARTS; p++) {
      const struct part *part = &parts[p];
      printf("%-8s %-14s %s%s\n%24s%s\n", findings[p].there ? "ok" : "missing", part->name, part->use,
             part->needed ? "" : " (may be left out)", "", findings[p].detail);
   }
   print_remedies(findings);
}

static void
print_json(const struct finding *findings)
{
   json_t *list = json_array();
   for (unsigned p = 0; p < NUM_PARTS; p++) {
      const struct part *part = &parts[p];
      const char *package = findings[p].package, *command = findings[p].command;
      json_t *install = package ? json_sprintf("apt-get install %s", package) : json_string(command);
      json_array_append_new(list,
                            json_pack("{s:s, s:b, s:b, s:o, s:s, s:o*}", "name", part->name, "there",
                                      findings[p].there, "needed", part->needed, "detail",
                                      output_text(findings[p].detail), "use", part->use, "install", install));
   }
   output_json(list, 1, stdout);
}

int
command_doctor(int argc, char **argv)
{
   bool json = false, works = true;
   const struct command_line line = {
      .usage = "tbrsim doctor [OPTIONS]",
      .description = description,
      .groups = {JSON_OPTIONS(&json)},
   };
   command_line_parse(&line, argc, argv);

   struct finding findings[NUM_PARTS];
   char *python = ask_python();
   for (unsigned p = 0; p < NUM_PARTS; p++) {
      findings[p] = parts[p].kind == PART_PROGRAM   ? look_for_program(&parts[p])
                    : parts[p].kind == PART_REPLAY  ? look_for_replay(&parts[p])
                    : parts[p].kind == PART_FILE    ? look_for_file(&parts[p])
                    : parts[p].kind == PART_CONTEXT ? look_for_context(&parts[p])
                                                    : look_for_module(&parts[p], python);
      works &= findings[p].there || !parts[p].needed;
   }
   if (json)
      print_json(findings);
   else
      print_table(findings);
   free(python);
   for (unsigned p = 0; p < NUM_PARTS; p++)
      free(findings[p].detail);
   return works ? STATUS_OK : STATUS_FAILED;
}
