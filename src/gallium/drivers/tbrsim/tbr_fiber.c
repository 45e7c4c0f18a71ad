/* SPDX-License-Identifier: MIT */
/* longjmp to another stack is not what _FORTIFY_SOURCE expects. */
#undef _FORTIFY_SOURCE
#include "tbr_fiber.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

/** Of a stack, in bytes: generated code keeps arrays of shaders there, for all lanes. Pages that are not touched cost
 * nothing. The lowest page is not mapped. */
#define STACK_BYTES ((size_t)2 << 20)
#define GUARD_BYTES ((size_t)64 << 10)

struct tbr_fiber {
   jmp_buf here;   /**< where the job goes on */
   jmp_buf caller; /**< where tbr_fiber_resume does */
   ucontext_t start;
   void *stack;
   void (*job)(void *data);
   void *data;
   bool started, waits;
};

/* Contexts are made with ucontext once, and switched without its system calls. */
static void
run_jobs(unsigned low, unsigned high)
{
   struct tbr_fiber *fiber = (struct tbr_fiber *)((uintptr_t)high << 32 | low);
   for (;;) {
      fiber->job(fiber->data);
      fiber->waits = false;
      if (!_setjmp(fiber->here))
         _longjmp(fiber->caller, 1);
   }
}

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
   munmap(fiber->stack, STACK_BYTES);
   free(fiber);
}

void
tbr_fiber_set_job(struct tbr_fiber *fiber, void (*job)(void *data), void *data)
{
   fiber->job = job;
   fiber->data = data;
}

static void
start(struct tbr_fiber *fiber)
{
   const uintptr_t address = (uintptr_t)fiber;
   fiber->started = true;
   getcontext(&fiber->start);
   fiber->start.uc_stack.ss_sp = (char *)fiber->stack + GUARD_BYTES;
   fiber->start.uc_stack.ss_size = STACK_BYTES - GUARD_BYTES;
   fiber->start.uc_link = NULL;
   makecontext(&fiber->start, (void (*)(void))run_jobs, 2, (unsigned)address, (unsigned)(address >> 32));
   setcontext(&fiber->start);
}

bool
tbr_fiber_resume(struct tbr_fiber *fiber)
{
   if (!_setjmp(fiber->caller)) {
      if (!fiber->started)
         start(fiber);
      _longjmp(fiber->here, 1);
   }
   return fiber->waits;
}

void
tbr_fiber_yield(struct tbr_fiber *fiber)
{
   fiber->waits = true;
   if (!_setjmp(fiber->here))
      _longjmp(fiber->caller, 1);
}
