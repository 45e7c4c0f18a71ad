/* SPDX-License-Identifier: MIT */
/* longjmp to another stack is not what _FORTIFY_SOURCE expects. */
#undef _FORTIFY_SOURCE
#include "compute/tbr_fiber.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

/** Of a stack, in bytes: generated code keeps arrays of shaders there, for all lanes. Pages that are not touched cost
 * nothing. The lowest page is not mapped. */
#define STACK_BYTES ((size_t)2 << 20)
#define GUARD_BYTES ((size_t)64 << 10)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

struct tbr_fiber {
   jmp_buf here;   /**< where the job goes on */
   jmp_buf caller; /**< where tbr_fiber_resume does */
   ucontext_t start;
   void *stack;
   void (*job)(void *data);
   void *data;
   bool started, waits;
#if IS_SANITIZED
   ucontext_t caller_context;
   void *own_frames, *caller_frames; /**< AddressSanitizer's, of the two stacks */
   const void *caller_stack;
   size_t caller_stack_bytes;
   void *own_thread, *caller_thread; /**< ThreadSanitizer's */
#endif
};

static void run_jobs(unsigned low, unsigned high);

static void
make_context(struct tbr_fiber *fiber)
{
   const uintptr_t address = (uintptr_t)fiber;
   fiber->started = true;
   getcontext(&fiber->start);
   fiber->start.uc_stack.ss_sp = (char *)fiber->stack + GUARD_BYTES;
   fiber->start.uc_stack.ss_size = STACK_BYTES - GUARD_BYTES;
   fiber->start.uc_link = NULL;
   makecontext(&fiber->start, (void (*)(void))run_jobs, 2, (unsigned)address, (unsigned)(address >> 32));
}

/* ---- switching ------------------------------------------------------------- */

#if IS_SANITIZED
/* The sanitizers have to know of it, and longjmp is not among what they follow. */

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#define leave_stack(frames, stack, bytes) __sanitizer_start_switch_fiber(frames, stack, bytes)
#define arrive_on_stack(frames, stack, bytes) __sanitizer_finish_switch_fiber(frames, stack, bytes)
#else
#define leave_stack(frames, stack, bytes) ((void)(frames))
#define arrive_on_stack(frames, stack, bytes) ((void)(frames))
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#else
#define __tsan_create_fiber(flags) NULL
#define __tsan_get_current_fiber() NULL
#define __tsan_destroy_fiber(thread) ((void)(thread))
#define __tsan_switch_to_fiber(thread, flags) ((void)(thread))
#endif

static void
arrive(struct tbr_fiber *fiber)
{
   arrive_on_stack(fiber->own_frames, &fiber->caller_stack, &fiber->caller_stack_bytes);
}

static void
switch_to_job(struct tbr_fiber *fiber)
{
   if (!fiber->started) {
      make_context(fiber);
      fiber->own_thread = __tsan_create_fiber(0);
   }
   fiber->caller_thread = __tsan_get_current_fiber();
   leave_stack(&fiber->caller_frames, (char *)fiber->stack + GUARD_BYTES, STACK_BYTES - GUARD_BYTES);
   __tsan_switch_to_fiber(fiber->own_thread, 0);
   swapcontext(&fiber->caller_context, &fiber->start);
   arrive_on_stack(fiber->caller_frames, NULL, NULL);
}

static void
switch_to_caller(struct tbr_fiber *fiber)
{
   leave_stack(&fiber->own_frames, fiber->caller_stack, fiber->caller_stack_bytes);
   __tsan_switch_to_fiber(fiber->caller_thread, 0);
   swapcontext(&fiber->start, &fiber->caller_context);
   arrive(fiber);
}

static void
forget(struct tbr_fiber *fiber)
{
   if (fiber->started)
      __tsan_destroy_fiber(fiber->own_thread);
}

#else
/* Contexts are made with ucontext once, and switched without its system calls. */

static void
arrive(struct tbr_fiber *fiber)
{
}

static void
switch_to_job(struct tbr_fiber *fiber)
{
   if (_setjmp(fiber->caller))
      return;
   if (fiber->started)
      _longjmp(fiber->here, 1);
   make_context(fiber);
   setcontext(&fiber->start);
}

static void
switch_to_caller(struct tbr_fiber *fiber)
{
   if (!_setjmp(fiber->here))
      _longjmp(fiber->caller, 1);
}

static void
forget(struct tbr_fiber *fiber)
{
}
#endif

static void
run_jobs(unsigned low, unsigned high)
{
   struct tbr_fiber *fiber = (struct tbr_fiber *)((uintptr_t)high << 32 | low);
   arrive(fiber);
   for (;;) {
      fiber->job(fiber->data);
      fiber->waits = false;
      switch_to_caller(fiber);
   }
}

/* ---- public ---------------------------------------------------------------- */

struct tbr_fiber *
tbr_fiber_create(void)
{
   struct tbr_fiber *fiber = calloc(1, sizeof *fiber);
   if (!fiber)
      return NULL;
   fiber->stack =
      mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
   if (fiber->stack == MAP_FAILED) {
      free(fiber);
      return NULL;
   }
   mprotect(fiber->stack, GUARD_BYTES, PROT_NONE);
   return fiber;
}

void
tbr_fiber_destroy(struct tbr_fiber *fiber)
{
   if (!fiber)
      return;
   forget(fiber);
   munmap(fiber->stack, STACK_BYTES);
   free(fiber);
}

void
tbr_fiber_set_job(struct tbr_fiber *fiber, void (*job)(void *data), void *data)
{
   fiber->job = job;
   fiber->data = data;
}

bool
tbr_fiber_resume(struct tbr_fiber *fiber)
{
   switch_to_job(fiber);
   return fiber->waits;
}

void
tbr_fiber_yield(struct tbr_fiber *fiber)
{
   fiber->waits = true;
   switch_to_caller(fiber);
}
