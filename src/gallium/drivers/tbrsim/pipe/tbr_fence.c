/* SPDX-License-Identifier: MIT */
#include "util/os_time.h"
#include "util/u_atomic.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "pass/tbr_batch.h"
#include "state/tbr_context.h"
#include "model/tbr_model.h"
#include "model/tbr_progress.h"
#include "pass/tbr_counter_query.h"
#include "pass/tbr_pixel_local.h"
#include "pipe/tbr_functions.h"
#include "tile/tbr_renderer.h"

struct tbr_fence {
   struct pipe_reference reference;
   uint64_t sequence;
};

static struct tbr_fence *
tbr_fence(struct pipe_fence_handle *handle)
{
   return (struct tbr_fence *)handle;
}

/** A fence that is signalled once the context's batch with this number, and all before it, have been rendered (0: at
 * once). If it is still being recorded, that is once the context has submitted it, for whatever reason: a fence does not
 * end a pass. NULL when out of memory. */
static struct pipe_fence_handle *
create_fence(uint64_t sequence)
{
   struct tbr_fence *fence = CALLOC_STRUCT(tbr_fence);
   if (!fence)
      return NULL;
   pipe_reference_init(&fence->reference, 1);
   fence->sequence = sequence;
   return (struct pipe_fence_handle *)fence;
}

static void
fence_reference(struct pipe_screen *screen, struct pipe_fence_handle **destination,
                struct pipe_fence_handle *source)
{
   struct tbr_fence *old = tbr_fence(*destination);
   struct tbr_fence *fence = tbr_fence(source);

   if (pipe_reference(old ? &old->reference : NULL, fence ? &fence->reference : NULL))
      FREE(old);
   *destination = source;
}

static bool
fence_finish(struct pipe_screen *base, struct pipe_context *context, struct pipe_fence_handle *handle,
             uint64_t timeout)
{
   struct tbr_screen *screen = tbr_screen(base);
   const uint64_t sequence = handle ? tbr_fence(handle)->sequence : 0;
   struct tbr_context *own = context ? tbr_context(context) : NULL;

   /* Also where the caller only asks and does not wait: it may ask until the answer is yes. Only the context's own thread
    * can. */
   if (own && own->batch && own->batch->sequence == sequence)
      tbr_batch_flush(own, CM_END_FENCE);
   if (timeout == OS_TIMEOUT_INFINITE) {
      tbr_renderer_wait_signalled(screen->renderer, sequence);
      return true;
   }

   const int64_t deadline = os_time_get_absolute_timeout(timeout);
   while (!tbr_renderer_signalled(screen->renderer, sequence)) {
      if (os_time_get_nano() >= deadline)
         return false;
      os_time_sleep(100);
   }
   return true;
}

void
tbr_fence_init_screen(struct tbr_screen *screen)
{
   screen->base.fence_reference = fence_reference;
   screen->base.fence_finish = fence_finish;
}

/* ---- flush ------------------------------------------------------------- */

/** Why a flush ends a pass. */
static enum cm_end_reason
reason_of(const struct tbr_context *context, bool fence, unsigned flags)
{
   if (context->swaps || flags & PIPE_FLUSH_END_OF_FRAME)
      return CM_END_FRAME;
   if (flags & PIPE_FLUSH_HINT_FINISH)
      return CM_END_FINISH;
   return fence ? CM_END_FENCE : CM_END_FLUSH;
}

void
tbr_frame_end(struct tbr_context *context)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   tbr_pixel_local_lose(context);
   tbr_batch_flush(context, CM_END_FRAME);
   assert(!context->batch);
   p_atomic_inc(&screen->frame);
   tbr_progress_frame();
   if (screen->model)
      tbr_model_frame_end(screen->model);
   tbr_counter_queries_end_frame(context);
}

static void
flush(struct pipe_context *base, struct pipe_fence_handle **fence, unsigned flags)
{
   struct tbr_context *context = tbr_context(base);

   if (fence && flags & PIPE_FLUSH_DEFERRED) {
      base->screen->fence_reference(base->screen, fence, NULL);
      *fence = create_fence(context->batch ? context->batch->sequence : context->last_batch);
      return;
   }
   tbr_pixel_local_lose(context);
   if (!fence && (flags & PIPE_FLUSH_ASYNC) && !(flags & PIPE_FLUSH_END_OF_FRAME) &&
       tbr_counter_queries_defer_flush(context))
      return;
   tbr_batch_flush(context, reason_of(context, fence != NULL, flags));
   assert(!context->batch);
   context->swaps = false;
   if (flags & PIPE_FLUSH_END_OF_FRAME)
      tbr_frame_end(context);
   if (fence) {
      base->screen->fence_reference(base->screen, fence, NULL);
      *fence = create_fence(context->last_batch);
   }
}

void
tbr_flush_init_context(struct tbr_context *context)
{
   context->base.flush = flush;
}
