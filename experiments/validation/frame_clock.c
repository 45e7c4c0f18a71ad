/* SPDX-License-Identifier: MIT */
/**
 * A clock that goes on from frame to frame, for programs that are loaded with it (LD_PRELOAD): glmark2 animates its scenes
 * by time, so that a frame is the same on a fast and on a slow machine only if the program reads the same time.
 *
 * The program's clock stands still during a frame. FRAME_CLOCK is its times in microseconds, the first one before the
 * first frame ends, separated by commas; each call of eglSwapBuffers or glFinish leads to the next one, and the last one
 * stays. Only what the program itself reads is replaced: threads of the driver wait by the real time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *next_time; /* text of FRAME_CLOCK behind the time that it is */
static int64_t now;           /* microseconds */
static unsigned (*swap_buffers)(void *display, void *surface);
static void (*finish)(void);

static void
next_frame(void)
{
   if (!next_time)
      next_time = getenv("FRAME_CLOCK");
   if (next_time && *next_time) {
      char *end;
      now = strtoll(next_time, &end, 10);
      next_time = *end ? end + 1 : end;
   }
}

static int
find_program(struct dl_phdr_info *info, size_t size, void *data)
{
   /* The program itself comes first. */
   *(struct dl_phdr_info *)data = *info;
   return 1;
}

/** Whether code of the program, not of a library, is at an address. */
static bool
is_in_program(const void *address)
{
   struct dl_phdr_info program = {0};
   dl_iterate_phdr(find_program, &program);
   for (int i = 0; i < program.dlpi_phnum; i++) {
      const ElfW(Phdr) *part = &program.dlpi_phdr[i];
      uintptr_t start = program.dlpi_addr + part->p_vaddr;
      if (part->p_type == PT_LOAD && (uintptr_t)address - start < part->p_memsz)
         return true;
   }
   return false;
}

int
clock_gettime(clockid_t clock, struct timespec *time)
{
   static int (*real)(clockid_t, struct timespec *);
   if (!real)
      real = (int (*)(clockid_t, struct timespec *))dlvsym(RTLD_NEXT, "clock_gettime", "GLIBC_2.17");
   if (!is_in_program(__builtin_return_address(0)))
      return real(clock, time);
   if (!next_time)
      next_frame();
   *time = (struct timespec){.tv_sec = now / 1000000, .tv_nsec = now % 1000000 * 1000};
   return 0;
}

/* glmark2 seeds its random numbers with it. */
time_t
time(time_t *time)
{
   struct timespec now = {0};
   if (!is_in_program(__builtin_return_address(0)))
      clock_gettime(CLOCK_REALTIME, &now);
   if (time)
      *time = now.tv_sec;
   return now.tv_sec;
}

static unsigned
swap_buffers_and_go_on(void *display, void *surface)
{
   unsigned done = swap_buffers(display, surface);
   next_frame();
   return done;
}

static void
finish_and_go_on(void)
{
   finish();
   next_frame();
}

/* glmark2 looks up all functions of EGL and GL in their libraries. */
void *
dlsym(void *library, const char *name)
{
   static void *(*real)(void *, const char *);
   if (!real)
      real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
   void *found = real(library, name);
   if (found && !strcmp(name, "eglSwapBuffers") && is_in_program(__builtin_return_address(0))) {
      swap_buffers = (unsigned (*)(void *, void *))found;
      return (void *)swap_buffers_and_go_on;
   }
   if (found && !strcmp(name, "glFinish") && is_in_program(__builtin_return_address(0))) {
      finish = (void (*)(void))found;
      return (void *)finish_and_go_on;
   }
   return found;
}
