/* SPDX-License-Identifier: MIT */
/** What queries hold of a batch: counters of fragments, its time. */
#include "pass/tbr_batch.h"

#include "util/u_memory.h"

uint32_t
tbr_batch_fragment_counter(struct tbr_batch *batch, struct tbr_fragment_sink *sink)
{
   assert(batch->state == TBR_BATCH_RECORDING);
   if (!sink)
      return 0;
   const unsigned count = util_dynarray_num_elements(&batch->sinks, struct tbr_fragment_sink *);
   for (unsigned i = 1; i < count; i++) {
      if (*util_dynarray_element(&batch->sinks, struct tbr_fragment_sink *, i) == sink)
         return i;
   }
   struct tbr_fragment_sink **added = util_dynarray_grow(&batch->sinks, struct tbr_fragment_sink *, 1);
   if (!added)
      return 0;
   *added = sink;
   sink->users++;
   sink->last_batch = batch->sequence;
   return count;
}

void
tbr_fragment_sink_release(struct tbr_fragment_sink *sink)
{
   assert(!sink || sink->users);
   if (sink && !--sink->users)
      FREE(sink);
}

struct tbr_batch_time *
tbr_batch_hold_time(struct tbr_batch *batch)
{
   assert(batch->state == TBR_BATCH_RECORDING);
   if (!batch->time) {
      batch->time = CALLOC_STRUCT(tbr_batch_time);
      if (!batch->time)
         return NULL;
      batch->time->users = 1;
   }
   batch->time->users++;
   return batch->time;
}

void
tbr_batch_time_release(struct tbr_batch_time *time)
{
   assert(!time || time->users);
   if (time && !--time->users)
      FREE(time);
}
