/* SPDX-License-Identifier: MIT */
/**
 * Queries. Results are the same in every run, timers excepted: asking whether a
 * result is there waits for it, and so does a render condition that need not wait.
 * Only reading a result ends a pass.
 */
#include "state/tbr_query.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw_context.h"
#include "util/os_time.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "pass/tbr_batch.h"
#include "geometry/tbr_binning.h"
#include "pass/tbr_hazards.h"
#include "pipe/tbr_functions.h"
#include "pipe/tbr_hit_rate_query.h"
#include "state/tbr_context.h"
#include "pass/tbr_counter_query.h"
#include "shader/tbr_shader.h"

/** A moment between what was drawn before and after. Tiles are rendered in another order than draws are made: in the
 * middle of a pass it is the pass' own begin or end, which *time has; otherwise *clock. */
static void
take_time(struct tbr_context *context, struct tbr_query *query, uint64_t *clock, struct tbr_batch_time **time)
{
   tbr_batch_time_release(*time);
   *time = context->batch ? tbr_batch_hold_time(context->batch) : NULL;
   if (*time) {
      query->last_batch = context->batch->sequence;
      return;
   }
   tbr_batch_flush(context, CM_END_QUERY); /* out of memory */
   tbr_batch_finish(context, context->last_batch, CM_END_QUERY);
   *clock = os_time_get_nano();
}

static uint64_t
begin_of(const struct tbr_query *query)
{
   return query->begin_time ? query->begin_time->begin : query->begin;
}

static uint64_t
end_of(const struct tbr_query *query)
{
   return query->end_time ? query->end_time->end : query->end;
}

/* ---- fragments -------------------------------------------------------- */

/** What counts for queries of the type; NULL if they do not count fragments. */
static struct tbr_fragment_counting *
counting_of(struct tbr_context *context, unsigned type)
{
   switch (type) {
   case PIPE_QUERY_OCCLUSION_COUNTER:
   case PIPE_QUERY_OCCLUSION_PREDICATE:
   case PIPE_QUERY_OCCLUSION_PREDICATE_CONSERVATIVE: return &context->samples;
   case PIPE_QUERY_PIPELINE_STATISTICS: return &context->invocations;
   default: return NULL;
   }
}

static void
drop_parts(struct tbr_query *query)
{
   util_dynarray_foreach (&query->parts, struct tbr_fragment_sink *, part)
      tbr_fragment_sink_release(*part);
   util_dynarray_fini(&query->parts);
}

static bool
add_part(struct tbr_query *query, struct tbr_fragment_sink *part)
{
   struct tbr_fragment_sink **added = util_dynarray_grow(&query->parts, struct tbr_fragment_sink *, 1);
   if (!added)
      return false;
   assert(part->users);
   *added = part;
   part->users++;
   return true;
}

/** The set of active queries has changed: starts a new part for them. False
 * when out of memory. */
static bool
begin_part(struct tbr_context *context, struct tbr_fragment_counting *counting)
{
   bool ok = true;

   draw_flush(context->draw);
   context->dirty |= TBR_DIRTY_QUERY;
   tbr_fragment_sink_release(counting->part);
   counting->part = NULL;
   if (list_is_empty(&counting->active))
      return true;

   struct tbr_fragment_sink *part = CALLOC_STRUCT(tbr_fragment_sink);
   if (!part)
      return false;
   part->users = 1;
   list_for_each_entry (struct tbr_query, query, &counting->active, link)
      ok &= add_part(query, part);
   assert(!counting->part);
   counting->part = part;
   return ok;
}

static uint64_t
count_fragments(struct tbr_context *context, const struct tbr_query *query)
{
   uint64_t fragments = 0;
   util_dynarray_foreach (&query->parts, struct tbr_fragment_sink *, part) {
      tbr_batch_finish(context, (*part)->last_batch, CM_END_QUERY);
      fragments += (*part)->fragments;
   }
   return fragments;
}

/* ---- what draw counts -------------------------------------------------- */

/** Makes `counts` the difference of now to what they were. */
static void
subtract_statistics(struct pipe_query_data_pipeline_statistics *counts,
                    const struct pipe_query_data_pipeline_statistics *now)
{
   for (unsigned i = 0; i < ARRAY_SIZE(counts->counters); i++)
      counts->counters[i] = now->counters[i] - counts->counters[i];
}

static void
subtract_streams(struct tbr_stream_counts *counts, const struct tbr_stream_counts *now)
{
   for (unsigned i = 0; i < PIPE_MAX_VERTEX_STREAMS; i++) {
      counts[i].generated = now[i].generated - counts[i].generated;
      counts[i].needed = now[i].needed - counts[i].needed;
      counts[i].written = now[i].written - counts[i].written;
   }
}

static bool
has_overflowed(const struct tbr_query *query)
{
   for (unsigned i = 0; i < PIPE_MAX_VERTEX_STREAMS; i++) {
      const bool counts = query->type == PIPE_QUERY_SO_OVERFLOW_ANY_PREDICATE || i == query->index;
      if (counts && query->streams[i].needed != query->streams[i].written)
         return true;
   }
   return false;
}

static bool
counts_primitives(unsigned type)
{
   switch (type) {
   case PIPE_QUERY_PRIMITIVES_GENERATED:
   case PIPE_QUERY_PRIMITIVES_EMITTED:
   case PIPE_QUERY_SO_STATISTICS:
   case PIPE_QUERY_SO_OVERFLOW_PREDICATE:
   case PIPE_QUERY_SO_OVERFLOW_ANY_PREDICATE: return true;
   default: return false;
   }
}

/* ---- creation, begin and end -------------------------------------------- */

static bool
is_supported(const struct tbr_screen *screen, unsigned type)
{
   switch (type) {
   case PIPE_QUERY_OCCLUSION_COUNTER:
   case PIPE_QUERY_OCCLUSION_PREDICATE:
   case PIPE_QUERY_OCCLUSION_PREDICATE_CONSERVATIVE:
   case PIPE_QUERY_TIMESTAMP:
   case PIPE_QUERY_TIMESTAMP_DISJOINT:
   case PIPE_QUERY_TIME_ELAPSED:
   case PIPE_QUERY_PRIMITIVES_GENERATED:
   case PIPE_QUERY_PRIMITIVES_EMITTED:
   case PIPE_QUERY_SO_STATISTICS:
   case PIPE_QUERY_SO_OVERFLOW_PREDICATE:
   case PIPE_QUERY_SO_OVERFLOW_ANY_PREDICATE:
   case PIPE_QUERY_GPU_FINISHED:
   case PIPE_QUERY_PIPELINE_STATISTICS: return true;
   default: return tbr_counter_query_is_supported(screen, type);
   }
}

static struct pipe_query *
create_query(struct pipe_context *base, unsigned type, unsigned index)
{
   if (!is_supported(tbr_screen(base->screen), type) ||
       (counts_primitives(type) && index >= PIPE_MAX_VERTEX_STREAMS))
      return NULL;
   struct tbr_query *query = CALLOC_STRUCT(tbr_query);
   if (!query)
      return NULL;
   query->type = type;
   query->index = index;
   list_inithead(&query->link);
   if (tbr_hit_rate_of(tbr_screen(base->screen), type) &&
       !tbr_hit_rate_query_create(tbr_context(base), query)) {
      FREE(query);
      return NULL;
   }
   return (struct pipe_query *)query;
}

/** Stops counting for the query. */
static void
stop(struct tbr_context *context, struct tbr_query *query)
{
   if (!query->active)
      return;
   query->active = false;
   struct tbr_fragment_counting *counting = counting_of(context, query->type);
   if (counting) {
      list_del(&query->link);
      begin_part(context, counting);
   }
   if (query->type == PIPE_QUERY_PIPELINE_STATISTICS) {
      assert(context->num_active_statistics);
      context->num_active_statistics--;
   } else if (counts_primitives(query->type)) {
      assert(context->num_active_primitives);
      context->num_active_primitives--;
   }
}

static void
destroy_query(struct pipe_context *base, struct pipe_query *handle)
{
   struct tbr_context *context = tbr_context(base);
   struct tbr_query *query = tbr_query(handle);
   if (context->render_condition_query == handle)
      context->render_condition_query = NULL;
   if (tbr_hit_rate_of(tbr_screen(base->screen), query->type))
      tbr_hit_rate_query_destroy(context, query);
   else if (query->type >= PIPE_QUERY_DRIVER_SPECIFIC)
      tbr_counter_query_stop(context, query);
   else
      stop(context, query);
   assert(!query->active);
   drop_parts(query);
   tbr_batch_time_release(query->begin_time);
   tbr_batch_time_release(query->end_time);
   FREE(query);
}

static bool
begin_query(struct pipe_context *base, struct pipe_query *handle)
{
   struct tbr_context *context = tbr_context(base);
   struct tbr_query *query = tbr_query(handle);

   draw_flush(context->draw);
   if (tbr_hit_rate_of(tbr_screen(base->screen), query->type))
      return tbr_hit_rate_query_begin(context, query);
   if (query->type >= PIPE_QUERY_DRIVER_SPECIFIC)
      return tbr_counter_query_begin(context, query);
   assert(!query->active);
   query->active = true;
   if (query->type == PIPE_QUERY_TIME_ELAPSED) {
      take_time(context, query, &query->begin, &query->begin_time);
   } else if (query->type == PIPE_QUERY_PIPELINE_STATISTICS) {
      query->statistics = context->statistics;
      context->num_active_statistics++;
   } else if (counts_primitives(query->type)) {
      memcpy(query->streams, context->binning->streams, sizeof query->streams);
      context->num_active_primitives++;
   }

   struct tbr_fragment_counting *counting = counting_of(context, query->type);
   if (!counting)
      return true;
   drop_parts(query);
   list_addtail(&query->link, &counting->active);
   return begin_part(context, counting);
}

static bool
end_query(struct pipe_context *base, struct pipe_query *handle)
{
   struct tbr_context *context = tbr_context(base);
   struct tbr_query *query = tbr_query(handle);

   draw_flush(context->draw);
   if (tbr_hit_rate_of(tbr_screen(base->screen), query->type)) {
      tbr_hit_rate_query_end(context, query);
      return true;
   }
   if (query->type >= PIPE_QUERY_DRIVER_SPECIFIC) {
      tbr_counter_query_end(context, query);
      return true;
   }
   stop(context, query);
   switch (query->type) {
   case PIPE_QUERY_TIMESTAMP:
   case PIPE_QUERY_TIME_ELAPSED: take_time(context, query, &query->end, &query->end_time); break;
   case PIPE_QUERY_PIPELINE_STATISTICS: subtract_statistics(&query->statistics, &context->statistics); break;
   case PIPE_QUERY_GPU_FINISHED:
      tbr_batch_flush(context, CM_END_QUERY);
      query->last_batch = context->last_batch;
      break;
   default:
      if (counts_primitives(query->type))
         subtract_streams(query->streams, context->binning->streams);
      break;
   }
   return true;
}

static bool
get_query_result(struct pipe_context *base, struct pipe_query *handle, bool wait,
                 union pipe_query_result *result)
{
   struct tbr_context *context = tbr_context(base);
   struct tbr_query *query = tbr_query(handle);

   /* Some callers read more than the member that belongs to the type. */
   result->u64 = 0;
   if (tbr_hit_rate_of(tbr_screen(base->screen), query->type)) {
      result->f = tbr_hit_rate_query_result(context, query);
      return true;
   }
   if (query->type >= PIPE_QUERY_DRIVER_SPECIFIC) {
      result->u64 = tbr_counter_query_result(context, query);
      return true;
   }
   assert(!query->active);
   tbr_batch_finish(context, query->last_batch, CM_END_QUERY);
   switch (query->type) {
   case PIPE_QUERY_OCCLUSION_COUNTER: result->u64 = count_fragments(context, query); break;
   case PIPE_QUERY_OCCLUSION_PREDICATE:
   case PIPE_QUERY_OCCLUSION_PREDICATE_CONSERVATIVE: result->b = count_fragments(context, query) > 0; break;
   case PIPE_QUERY_TIMESTAMP: result->u64 = end_of(query); break;
   case PIPE_QUERY_TIMESTAMP_DISJOINT:
      result->timestamp_disjoint.frequency = 1000000000;
      result->timestamp_disjoint.disjoint = false;
      break;
   case PIPE_QUERY_GPU_FINISHED: result->b = true; break;
   case PIPE_QUERY_PIPELINE_STATISTICS:
      result->pipeline_statistics = query->statistics;
      result->pipeline_statistics.ps_invocations = count_fragments(context, query);
      break;
   case PIPE_QUERY_PRIMITIVES_GENERATED: result->u64 = query->streams[query->index].generated; break;
   case PIPE_QUERY_PRIMITIVES_EMITTED: result->u64 = query->streams[query->index].written; break;
   case PIPE_QUERY_SO_STATISTICS:
      result->so_statistics.num_primitives_written = query->streams[query->index].written;
      result->so_statistics.primitives_storage_needed = query->streams[query->index].needed;
      break;
   case PIPE_QUERY_SO_OVERFLOW_PREDICATE:
   case PIPE_QUERY_SO_OVERFLOW_ANY_PREDICATE: result->b = has_overflowed(query); break;
   default: result->u64 = end_of(query) - begin_of(query); break;
   }
   return true;
}

/** The member of a result that a query buffer gets. */
static uint64_t
select_value(const struct tbr_query *query, const union pipe_query_result *result, int index)
{
   switch (query->type) {
   case PIPE_QUERY_OCCLUSION_PREDICATE:
   case PIPE_QUERY_OCCLUSION_PREDICATE_CONSERVATIVE:
   case PIPE_QUERY_SO_OVERFLOW_PREDICATE:
   case PIPE_QUERY_SO_OVERFLOW_ANY_PREDICATE:
   case PIPE_QUERY_GPU_FINISHED: return result->b;
   case PIPE_QUERY_SO_STATISTICS:
      return index ? result->so_statistics.primitives_storage_needed
                   : result->so_statistics.num_primitives_written;
   case PIPE_QUERY_PIPELINE_STATISTICS: return result->pipeline_statistics.counters[index];
   default: return result->u64;
   }
}

/** Results go to the buffer when they are asked for: the draws that read it come later. */
static void
get_query_result_resource(struct pipe_context *base, struct pipe_query *handle, enum pipe_query_flags flags,
                          enum pipe_query_value_type type, int index, struct pipe_resource *buffer,
                          unsigned offset)
{
   static const uint64_t largest[] = {
      [PIPE_QUERY_TYPE_I32] = INT32_MAX,
      [PIPE_QUERY_TYPE_U32] = UINT32_MAX,
      [PIPE_QUERY_TYPE_I64] = INT64_MAX,
      [PIPE_QUERY_TYPE_U64] = UINT64_MAX,
   };
   assert(type < ARRAY_SIZE(largest));
   const bool wide = type == PIPE_QUERY_TYPE_I64 || type == PIPE_QUERY_TYPE_U64;
   uint64_t value = 1; /* available, always */
   if (index >= 0) {
      union pipe_query_result result;
      get_query_result(base, handle, true, &result);
      value = MIN2(select_value(tbr_query(handle), &result, index), largest[type]);
   }
   const uint32_t narrow = value;
   pipe_buffer_write(base, buffer, offset, wide ? 8 : 4, wide ? (const void *)&value : &narrow);
}

static void
set_active_query_state(struct pipe_context *base, bool enable)
{
   struct tbr_context *context = tbr_context(base);
   draw_flush(context->draw);
   context->queries_paused = !enable;
   context->dirty |= TBR_DIRTY_QUERY;
}

/* ---- conditional rendering -------------------------------------------- */

static void
render_condition(struct pipe_context *base, struct pipe_query *query, bool condition,
                 enum pipe_render_cond_flag mode)
{
   struct tbr_context *context = tbr_context(base);
   context->render_condition_query = query;
   context->render_condition_condition = condition;
   context->render_condition_mode = mode;
}

void
tbr_query_init_context(struct tbr_context *context)
{
   struct pipe_context *base = &context->base;

   list_inithead(&context->samples.active);
   list_inithead(&context->invocations.active);
   tbr_counter_query_init_context(context);
   tbr_counter_set_init_context(context);
   base->create_query = create_query;
   base->destroy_query = destroy_query;
   base->begin_query = begin_query;
   base->end_query = end_query;
   base->get_query_result = get_query_result;
   base->get_query_result_resource = get_query_result_resource;
   base->set_active_query_state = set_active_query_state;
   base->render_condition = render_condition;
}
