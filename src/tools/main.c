/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "help.h"
#include "output/progress.h"
#include "tbrsim_version.h"
#include "tools.h"
#include "util/message.h"
#include "util/near.h"

const struct command commands[] = {
   {"run", "run a GL or GLES program on the simulated GPU", command_run},
   {"replay", "replay a capture of a program, print its statistics, compare its images", command_replay},
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
   {"explore", "simulate a design space: recordings, configurations, settings of a plan", command_explore},
   {"env", "print the environment that runs any GL program on the simulated GPU", command_env},
   {"cache", "simulate one cache on any address trace", command_cache},
   {"configs", "list the simulated GPUs, or print one", command_configs},
   {"counters", "list the counters", command_counters},
   {"doctor", "say what is missing on this machine, and how to get it", command_doctor},
};
const unsigned num_commands = sizeof(commands) / sizeof(commands[0]);

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
   /* Simulations on other threads have messages, too. */
   flockfile(stderr);
   fputs("tbrsim: ", stderr);
   vfprintf(stderr, format, arguments);
   fputc('\n', stderr);
   funlockfile(stderr);
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

int
end_output(int status)
{
   const bool failed = ferror(stdout);
   if (!fflush(stdout) && !failed)
      return status;
   say("standard output: cannot be written to: %s", strerror(errno));
   return status == STATUS_OK ? STATUS_FAILED : status;
}

/* The cache model's messages, on any thread. */
static void
say_message(enum cm_message_kind kind, const char *text)
{
   say("%s", text);
}

/* What commands of this kind are called elsewhere. */
static const struct {
   const char *word, *answer;
} synonyms[] = {
   {"capture", "apitrace trace, or gfxrecon-capture-vulkan.py"},
   {"compare", "report --compare"},
   {"diff", "report --compare"},
   {"keys", "configs --keys"},
   {"list", "configs"},
   {"presets", "configs"},
   {"profile", "report"},
   {"record", "run --record"},
   {"stats", "info"},
   {"version", "--version"},
};

static _Noreturn void
fail_unknown(const char *word)
{
   struct cm_near near;
   char hint[CM_NEAR_TEXT];
   cm_near_start(&near, word, strlen(word));
   for (unsigned s = 0; s < sizeof synonyms / sizeof *synonyms; s++) {
      if (!strcmp(word, synonyms[s].word))
         fail(STATUS_USAGE, "no command '%s' (did you mean %s?); tbrsim --help lists them", word,
              synonyms[s].answer);
   }
   if (*word == '-') {
      cm_near_offer(&near, "--version");
      cm_near_offer(&near, "--help");
      fail(STATUS_USAGE,
           "unknown option '%s'%s; a command's options come after it; tbrsim --help lists commands", word,
           cm_near_text(&near, hint, sizeof hint));
   }
   for (unsigned c = 0; c < num_commands; c++)
      cm_near_offer(&near, commands[c].name);
   fail(STATUS_USAGE, "no command '%s'%s; tbrsim --help lists them", word,
        cm_near_text(&near, hint, sizeof hint));
}

int
main(int argc, char **argv)
{
   cm_set_message_handler(say_message);
   json_set_alloc_funcs(allocate, free); /* what makes JSON need not look for NULL */
   if (argc < 2) {
      help_print_commands(stderr);
      return STATUS_USAGE;
   }
   /* tbrsim help COMMAND is tbrsim COMMAND --help. */
   if (argc == 3 && !strcmp(argv[1], "help") && *argv[2] != '-') {
      argv[1] = argv[2];
      argv[2] = "--help";
   }
   const bool has_form = !strncmp(argv[1], "--help=", strlen("--help="));
   if (has_form || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
      help_print_all(help_form(has_form ? argv[1] + strlen("--help=") : NULL));
      return end_output(STATUS_OK);
   }
   if (!strcmp(argv[1], "--version")) {
      printf("tbrsim %s\ncommit %s\nMesa %s\n", tbrsim_release, tbrsim_commit, tbrsim_mesa);
      return end_output(STATUS_OK);
   }
   progress_open(argv[1]);
   for (unsigned c = 0; c < num_commands; c++) {
      if (!strcmp(argv[1], commands[c].name))
         return end_output(commands[c].run(argc - 1, argv + 1));
   }
   fail_unknown(argv[1]);
}
