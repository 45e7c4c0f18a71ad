/* SPDX-License-Identifier: MIT */
#include "model/tbr_progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "c11/threads.h"
#include "util/os_time.h"
#include "util/simple_mtx.h"

#define SECOND 1000000000ll
/** Without a frame for SILENCE, the line appears; it is rewritten every INTERVAL. */
#define SILENCE (3 * SECOND / 2)
#define INTERVAL (SECOND / 4)

static simple_mtx_t mutex = SIMPLE_MTX_INITIALIZER;
static struct {
   int64_t begin; /**< of the first work since the last frame; 0: there was none */
   int64_t written;
   int64_t compiling; /**< nanoseconds */
   unsigned shaders, passes;
   bool open; /**< the line is on the terminal */
} progress;

static once_flag terminal_once = ONCE_FLAG_INIT;
static bool terminal;

static void
find_terminal(void)
{
   terminal = isatty(STDERR_FILENO);
}

/** Contexts of several threads ask. */
static bool
is_terminal(void)
{
   call_once(&terminal_once, find_terminal);
   return terminal;
}

static void
clear_line(void)
{
   if (progress.open)
      fputs("\r\033[K", stderr);
   progress.open = false;
}

static void
clear_line_at_exit(void)
{
   simple_mtx_lock(&mutex);
   clear_line();
   simple_mtx_unlock(&mutex);
}

/** With the mutex held. */
static void
show(void)
{
   static bool registered;
   const int64_t now = os_time_get_nano();
   if (!progress.begin)
      progress.begin = now;
   if (now - progress.begin < SILENCE || (progress.open && now - progress.written < INTERVAL))
      return;
   if (!registered)
      registered = atexit(clear_line_at_exit) == 0;
   progress.open = true;
   progress.written = now;
   fprintf(stderr, "\r\033[Ktbrsim: compiling shaders: %u in %.0f s; render passes: %u; no frame for %.0f s",
           progress.shaders, progress.compiling * 1e-9, progress.passes, (now - progress.begin) * 1e-9);
}

void
tbr_progress_shader(int64_t nanoseconds)
{
   if (!is_terminal())
      return;
   simple_mtx_lock(&mutex);
   if (!progress.begin)
      progress.begin = os_time_get_nano() - nanoseconds;
   progress.shaders++;
   progress.compiling += nanoseconds;
   show();
   simple_mtx_unlock(&mutex);
}

void
tbr_progress_pass(void)
{
   if (!is_terminal())
      return;
   simple_mtx_lock(&mutex);
   progress.passes++;
   show();
   simple_mtx_unlock(&mutex);
}

void
tbr_progress_frame(void)
{
   if (!is_terminal())
      return;
   simple_mtx_lock(&mutex);
   clear_line();
   progress.begin = progress.compiling = 0;
   progress.shaders = progress.passes = 0;
   simple_mtx_unlock(&mutex);
}
