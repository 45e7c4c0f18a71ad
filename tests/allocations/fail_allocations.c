/* SPDX-License-Identifier: MIT */
/* Preloaded into a program, it fails some of its allocations, threads among them: a thread needs a stack.
 *    FAIL_ALLOCATIONS=N    the Nth, and no other, counted from 1 over all threads
 *    FAIL_ALLOCATIONS=N-   the Nth and all after it
 *    FAIL_ALLOCATIONS=N-M  the Nth to the Mth
 *    FAIL_ALLOCATIONS_GROWING=BYTES   only realloc of so much or more is counted
 *    FAIL_ALLOCATIONS_OF=NAME   only of programs of this name, not of what they start
 *    FAIL_ALLOCATIONS_COUNT=FILE   at its end the program writes there how many it made
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The C library's own: looking for them with dlsym would allocate. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong made;
static unsigned long first, last;
static size_t growing; /* 0: all allocations */
static bool counts;

__attribute__((constructor)) static void
read_variables(void)
{
   const char *which = getenv("FAIL_ALLOCATIONS"), *program = getenv("FAIL_ALLOCATIONS_OF");
   if (program && strcmp(program, program_invocation_short_name))
      return;
   const char *bytes = getenv("FAIL_ALLOCATIONS_GROWING");
   growing = bytes ? strtoul(bytes, NULL, 10) : 0;
   counts = true;
   if (!which || !*which)
      return;
   char *end;
   first = strtoul(which, &end, 10);
   last = *end != '-' ? first : end[1] ? strtoul(end + 1, NULL, 10) : ~0ul;
}

__attribute__((destructor)) static void
write_count(void)
{
   const char *path = getenv("FAIL_ALLOCATIONS_COUNT");
   char text[32];
   if (!counts || !path)
      return;
   const int length = snprintf(text, sizeof text, "%lu\n", atomic_load(&made));
   const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
   if (file < 0 || write(file, text, (size_t)length) != length)
      abort();
   close(file);
}

/* The next one that is counted. */
static bool
next_fails(void)
{
   const unsigned long number = atomic_fetch_add(&made, 1) + 1;
   return number >= first && number <= last;
}

static bool
fails(void)
{
   return counts && !growing && next_fails();
}

static bool
growth_fails(size_t size)
{
   return counts && size >= growing && next_fails();
}

static void *
no_memory(void)
{
   errno = ENOMEM;
   return NULL;
}

void *
malloc(size_t size)
{
   return fails() ? no_memory() : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
   return fails() ? no_memory() : __libc_calloc(count, size);
}

void *
realloc(void *memory, size_t size)
{
   return growth_fails(size) ? no_memory() : __libc_realloc(memory, size);
}

void *
memalign(size_t alignment, size_t size)
{
   return fails() ? no_memory() : __libc_memalign(alignment, size);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
   return memalign(alignment, size);
}

int
posix_memalign(void **memory, size_t alignment, size_t size)
{
   void *result = memalign(alignment, size);
   if (!result)
      return ENOMEM;
   *memory = result;
   return 0;
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data)
{
   int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
      (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT,
                                                                                     "pthread_create");
   return fails() ? EAGAIN : create(thread, attributes, run, data);
}
