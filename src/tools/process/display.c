/* SPDX-License-Identifier: MIT */
#include "process/display.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/process.h"
#include "tools.h"

#define DEFAULT_SIZE "1920x1080"

static struct process server;

static void
stop_server(void)
{
   process_stop(&server);
}

/* Xvfb writes its display's number once it accepts connections. */
static bool
read_display_number(char *number, size_t size)
{
   size_t length = 0;
   while (length < size - 1) {
      ssize_t got = read(server.output, number + length, 1);
      if (got < 0 && errno == EINTR)
         continue;
      if (got <= 0)
         return false;
      if (number[length] == '\n')
         break;
      length++;
   }
   number[length] = 0;
   return length > 0;
}

void
display_require(const char *size)
{
   const char *display = getenv("DISPLAY");
   if (display && *display)
      return;

   char *screen = text("%sx24", size ? size : DEFAULT_SIZE);
   char *argv[] = {"Xvfb", "-displayfd", "1", "-noreset", "-nolisten", "tcp", "-screen", "0", screen, NULL};
   struct process_setup setup = {.system_environment = true,
                                 .background = true,
                                 .output = OUTPUT_PIPE,
                                 .errors = "/dev/null"};
   int error = process_start(&server, argv, &setup);
   if (error == ENOENT)
      fail(STATUS_FAILED, "no DISPLAY, and Xvfb (Debian package xvfb) is not installed");
   if (error)
      fail(STATUS_FAILED, "Xvfb: cannot be executed: %s", strerror(error));
   atexit(stop_server);

   char number[16];
   if (!read_display_number(number, sizeof(number))) {
      /* The server was asked to end, too. */
      process_end_by(process_interrupted());
      fail(STATUS_FAILED, "Xvfb (screen %s) did not start", screen);
   }
   free(screen);
   char *name = text(":%s", number);
   setenv("DISPLAY", name, 1);
   free(name);
}
