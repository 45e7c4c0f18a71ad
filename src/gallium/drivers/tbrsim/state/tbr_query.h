/* SPDX-License-Identifier: MIT */
/** A query, and what primitive assembly counts for it. */
#ifndef TBR_QUERY_H
#define TBR_QUERY_H

#include "pipe/p_defines.h"
#include "pipe/p_state.h"
#include "util/list.h"
#include "util/u_dynarray.h"

struct pipe_query;
struct tbr_batch_time;
struct tbr_counter_watch;

/** Primitives of a vertex stream since the context began. */
struct tbr_stream_counts {
   uint64_t generated; /**< that left the last vertex processing stage */
   uint64_t needed;    /**< of these, while transform feedback was active */
   uint64_t written;   /**< of these, that fitted into the buffers */
};

/** Counters that a hit rate is made of. */
enum { TBR_RATE_HITS, TBR_RATE_READS, TBR_RATE_WRITES, TBR_RATE_COUNTERS };

struct tbr_query {
   unsigned
      type; /**< PIPE_QUERY_*, or PIPE_QUERY_DRIVER_SPECIFIC + number of the model's counter, or after these of a hit
                   * rate */
   unsigned index;
   bool active;
   uint64_t begin, end; /**< timestamps: the value at begin and end; counters: end is the result */
   struct tbr_batch_time *begin_time, *end_time; /**< of a pass that was being drawn then; else NULL */
   bool unread;                                  /**< of a counter: ended, its result not read */
   struct tbr_counter_watch
      *watch;             /**< of a counter: the sequence of queries that it belongs to; NULL: new */
   uint64_t at_frame_end; /**< of a counter: the result when a frame ended last */
   bool saw_frame_end;    /**< of a counter: one has ended since it began */
   struct tbr_query *counted[TBR_RATE_COUNTERS]; /**< of a hit rate: the queries that it is made of */
   uint64_t last_batch;                          /**< result is final once this batch is done */
   /** Both at begin; after end the difference. */
   struct pipe_query_data_pipeline_statistics statistics;
   struct tbr_stream_counts streams[PIPE_MAX_VERTEX_STREAMS];

   /* A query of fragments counts in parts: when one begins or ends while others are active, a part ends for all
    * of them and the next begins. */
   struct list_head link;      /**< in tbr_fragment_counting.active, or tbr_counter_watch.ended */
   struct util_dynarray parts; /**< struct tbr_fragment_sink *, referenced */
};

static inline struct tbr_query *
tbr_query(struct pipe_query *query)
{
   return (struct tbr_query *)query;
}

#endif
