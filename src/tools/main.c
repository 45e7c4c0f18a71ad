/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "tools.h"
#include "util/message.h"

static const struct {
   const char *name, *summary;
   int (*run)(int argc, char **argv);
} commands[] = {
   {"run", "run a GL or GLES program on the simulated GPU", command_run},
   {"replay", "replay an apitrace file, print its statistics, compare its images", command_replay},
   {"sim", "simulate other GPUs on a recording", command_sim},
   {"select", "choose the frames of a recording that represent all of them", command_select},
   {"info", "print the content of a recording", command_info},
   {"export", "print the addresses that arrive at a cache or at memory", command_export},
   {"analyze", "reuse of a recording's textures within and between frames", command_analyze},
   {"sweep", "simulate a cache of many sizes, ways and policies on a recording", command_sweep},
   {"advise", "what a recorded program could do differently, and what that saves", command_advise},
   {"report", "a page of a run's results: frames, draws, textures, maps of tiles", command_report},
   {"parquet", "write the tables of results as Parquet", command_parquet},
   {"energy", "energy of finished simulations by unit, with its sources", command_energy},
   {"llc", "compare the policies of a last-level cache on recordings", command_llc},
   {"env", "print the environment that runs any GL program on the simulated GPU", command_env},
   {"cache", "simulate one cache on any address trace", command_cache},
   {"configs", "list the simulated GPUs, or print one", command_configs},
   {"counters", "list the counters", command_counters},
};

#ifdef __SANITIZE_ADDRESS__
const char *__asan_default_options(void);

/** What the command has allocated ends with its process; leaks of what it starts count. */
const char *
__asan_default_options(void)
{
   return "detect_leaks=0";
}
#endif

static void
vsay(const char *format, va_list arguments)
{
   progress_end();
   fputs("tbrsim: ", stderr);
   vfprintf(stderr, format, arguments);
   fputc('\n', stderr);
}

void
say(const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   vsay(format, arguments);
   va_end(arguments);
}

void
fail(int status, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   vsay(format, arguments);
   va_end(arguments);
   exit(status);
}

void *
allocate(unsigned long size)
{
   void *memory = calloc(1, size ? size : 1);
   if (!memory)
      fail(STATUS_FAILED, "out of memory");
   return memory;
}

char *
text(const char *format, ...)
{
   char *result;
   va_list arguments;
   va_start(arguments, format);
   if (vasprintf(&result, format, arguments) < 0)
      fail(STATUS_FAILED, "out of memory");
   va_end(arguments);
   return result;
}

static void
print_help(void)
{
   puts("usage: tbrsim COMMAND [OPTIONS]\n"
        "\n"
        "A simulated tile-based deferred GPU for unmodified OpenGL and OpenGL ES programs: it\n"
        "renders the images and counts every access of its memory hierarchy.\n"
        "\n"
        "Commands (tbrsim COMMAND --help explains each):");
   for (unsigned c = 0; c < sizeof(commands) / sizeof(commands[0]); c++)
      printf("  %-9s %s\n", commands[c].name, commands[c].summary);
   puts("\n"
        "Examples:\n"
        "  tbrsim run -- glmark2-es2 -b shading\n"
        "  tbrsim replay --check game.trace\n"
        "  tbrsim replay --config tcor-baseline-64k --set l2.size=2M game.trace\n"
        "  tbrsim sim --config boustro-fo --config boustro-ro game.tbr\n"
        "  eval \"$(tbrsim env --out results)\"; es2gears_x11\n"
        "\n"
        "TBRSIM_DEBUG=shaders|nir|passes|tile=X,Y[,FRAME] in the environment (a comma-\n"
        "separated list) enables debug output of the driver; see docs/debugging.md.");
}

/* The cache model's messages, on any thread. */
static void
say_message(enum cm_message_kind kind, const char *text)
{
   say("%s", text);
}

int
main(int argc, char **argv)
{
   cm_set_message_handler(say_message);
   json_set_alloc_funcs(allocate, free); /* what makes JSON need not look for NULL */
   if (argc < 2)
      fail(STATUS_USAGE, "no command; tbrsim --help lists them");
   if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
      print_help();
      return STATUS_OK;
   }
   if (!strcmp(argv[1], "--version")) {
      puts("tbrsim " TBRSIM_VERSION);
      return STATUS_OK;
   }
   progress_open();
   for (unsigned c = 0; c < sizeof(commands) / sizeof(commands[0]); c++) {
      if (!strcmp(argv[1], commands[c].name))
         return commands[c].run(argc - 1, argv + 1);
   }
   fail(STATUS_USAGE, "no command '%s'; tbrsim --help lists them", argv[1]);
}
