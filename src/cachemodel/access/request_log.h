/* SPDX-License-Identifier: MIT */
/**
 * Groups and lookups apart from the accesses that follow them, for who has to look at the accesses only. Runs of accesses say
 * where they belong.
 */
#ifndef CM_REQUEST_LOG_H
#define CM_REQUEST_LOG_H

#include "access/access_stream.h"
#include "util/array.h"

/** Accesses that follow the first so many requests and precede the next one: from the end of the run before on. */
struct cm_access_run {
   uint32_t requests, end;
};

struct cm_access_runs {
   struct cm_access_run *list;
   uint32_t count;
   size_t capacity;
};

/** Accesses up to `end` follow the first `requests` requests; if there are some since the last run. False when out of memory. */
static inline bool
cm_access_runs_add(struct cm_access_runs *runs, uint32_t requests, uint32_t end)
{
   if (end == (runs->count ? runs->list[runs->count - 1].end : 0))
      return true;
   if (!cm_array_make_room(&runs->list, &runs->capacity, runs->count, 1, sizeof *runs->list))
      return false;
   runs->list[runs->count++] = (struct cm_access_run){requests, end};
   return true;
}

/** Who makes requests and accesses. */
struct cm_request_log {
   struct cm_access_stream requests;        /**< groups and lookups */
   const struct cm_access_stream *accesses; /**< what they cause */
   struct cm_access_runs *runs;
   bool out_of_memory;
};

/** Before the next request, and after the last one: what has been accessed follows those before. */
static inline void
cm_request_log_settle(struct cm_request_log *log)
{
   log->out_of_memory |= !cm_access_runs_add(log->runs, log->requests.count, log->accesses->count);
}

#endif
