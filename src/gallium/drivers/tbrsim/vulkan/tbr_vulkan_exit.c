/* SPDX-License-Identifier: MIT */
/**
 * A process that exits while its queue's thread draws. LLVM is C++, and its objects end in exit handlers, as do those of the
 * program; so a handler of ours waits for the draw or dispatch that is being recorded, which may generate code, and those after
 * it are left out.
 */
#include <stdlib.h>

#include "gallivm/lp_bld_init.h"
#include "gallivm/lp_bld_intr.h"
#include "util/os_time.h"
#include "util/u_atomic.h"
#include "util/u_math.h"
#include "model/tbr_process.h"
#include "vulkan/tbr_vulkan_context.h"

/** Of `state`: the process exits. The rest is how many draws and dispatches are being recorded. */
#define EXITS (1u << 31)
#define WAIT_MICROSECONDS 200

static uint32_t state;

static void
wait_for_work(void)
{
   if (!(p_atomic_read(&state) & EXITS))
      p_atomic_add(&state, EXITS);
   while (p_atomic_read(&state) & ~EXITS)
      os_time_sleep(WAIT_MICROSECONDS);
}

/** The thread that did the work is the parent's. */
static void
reset_after_fork(void)
{
   p_atomic_set(&state, 0);
}

/** Exit handlers run in reverse order, and LLVM makes objects, with a handler each, when it first needs them. A function that
 * is generated before ours is registered needs most of them. */
static void
generate_code(struct pipe_context *context)
{
   struct gallivm_state *gallivm = gallivm_create("first", tbr_context(context)->llvm, NULL);
   if (!gallivm)
      return;
   LLVMTypeRef vector = LLVMVectorType(LLVMFloatTypeInContext(gallivm->context), 4);
   LLVMValueRef function =
      LLVMAddFunction(gallivm->module, "first", LLVMFunctionType(vector, &vector, 1, false));
   LLVMPositionBuilderAtEnd(gallivm->builder,
                            LLVMAppendBasicBlockInContext(gallivm->context, function, "entry"));
   LLVMBuildRet(gallivm->builder, lp_build_intrinsic_unary(gallivm->builder, "llvm.floor.v4f32", vector,
                                                           LLVMGetParam(function, 0)));
   gallivm_verify_function(gallivm, function);
   gallivm_compile_module(gallivm);
   gallivm_jit_function(gallivm, function, "first");
   gallivm_free_ir(gallivm);
   gallivm_destroy(gallivm);
}

/** What LLVM makes later, of other kinds of shaders, it makes in the first draws and dispatches: the handler is registered
 * again after one of them, two, four and so on. */
static void
count_work(void)
{
   static uint32_t done;
   if (util_is_power_of_two_nonzero(p_atomic_inc_return(&done)))
      atexit(wait_for_work);
}

/** False: the process exits. Draws may be within others. */
static bool
begin_work(void)
{
   if (!(p_atomic_inc_return(&state) & EXITS))
      return true;
   p_atomic_dec(&state);
   return false;
}

static void
end_work(void)
{
   count_work();
   p_atomic_dec(&state);
}

static void
draw_vbo(struct pipe_context *context, const struct pipe_draw_info *info, unsigned drawid_offset,
         const struct pipe_draw_indirect_info *indirect, const struct pipe_draw_start_count_bias *draws,
         unsigned num_draws)
{
   if (!begin_work())
      return;
   tbr_vulkan_context(context)->draw_vbo(context, info, drawid_offset, indirect, draws, num_draws);
   end_work();
}

static void
launch_grid(struct pipe_context *context, const struct pipe_grid_info *info)
{
   if (!begin_work())
      return;
   tbr_vulkan_context(context)->launch_grid(context, info);
   end_work();
}

void
tbr_vulkan_exit_init_context(struct pipe_context *context)
{
   static simple_mtx_t mutex = SIMPLE_MTX_INITIALIZER;
   static bool registered, registered_at_fork;
   simple_mtx_lock(&mutex);
   tbr_process_at_fork(&registered_at_fork, reset_after_fork);
   if (!registered) {
      generate_code(context);
      registered = atexit(wait_for_work) == 0;
   }
   simple_mtx_unlock(&mutex);
   struct tbr_vulkan_context *vulkan = tbr_vulkan_context(context);
   vulkan->draw_vbo = context->draw_vbo;
   vulkan->launch_grid = context->launch_grid;
   context->draw_vbo = draw_vbo;
   context->launch_grid = launch_grid;
}
