/* SPDX-License-Identifier: MIT */
/**
 * A shader core: pipes, each with its rate, which serve warps one after another, and the threads that it has in
 * flight.
 *
 * A pipe of rate r does up to r units of work per cycle, of one warp or of several. So warps that are given in the order in
 * which they arrive are a max-plus recurrence, in units of a cycle / r: a warp begins when it is there and the pipe is done
 * with the warp before. tests/cachemodel/timing/timing_cores.c has the same cycle by cycle.
 */
#ifndef CM_CORES_CORE_H
#define CM_CORES_CORE_H

#include <assert.h>

#include "config/config.h"
#include "events/shader_code.h"
#include "timing/queues.h"

struct cm_core_pipe {
   uint32_t rate;  /**< units per cycle; 0: the pipe never limits */
   uint64_t free;  /**< when it is done with all it was given: cycle * rate and units */
   uint64_t units; /**< that it was given so far */
};

/** The pipe works on a number of units, from a cycle on. Returns the cycle at which it is done; *begin: the one in which it begins. */
static inline uint64_t
cm_core_pipe_serve(struct cm_core_pipe *pipe, uint64_t cycle, uint64_t units, uint64_t *begin)
{
   *begin = cycle;
   if (!units || !pipe->rate)
      return cycle;
   const uint64_t first = cm_later(pipe->free, cycle * pipe->rate);
   pipe->free = first + units;
   pipe->units += units;
   *begin = first / pipe->rate;
   return (pipe->free + pipe->rate - 1) / pipe->rate;
}

/** Cycles in which a pipe would have done its work at its rate. */
static inline uint64_t
cm_core_pipe_busy(const struct cm_core_pipe *pipe)
{
   return pipe->rate ? (pipe->units + pipe->rate - 1) / pipe->rate : 0;
}

/** What a warp has to do: units of each pipe. Its texture reads begin in `texture_parts` parts, at even distances between its
 * instructions. */
struct cm_warp {
   uint64_t units[CM_PIPE_COUNT];
   uint32_t texture_parts;
};

struct cm_warp_times {
   uint64_t begin;   /**< the first instruction */
   uint64_t issued;  /**< all instructions are done, but for those that wait for textures */
   uint32_t piece;   /**< cycles from a part of the texture reads to the next */
   uint64_t texture; /**< the first part */
   uint64_t sampled; /**< the last sample is taken, if its texels are there */
   uint32_t tail;    /**< cycles of the instructions that follow */
};

struct cm_core_pipes {
   struct cm_core_pipe pipes[CM_PIPE_COUNT];
};

void cm_core_pipes_init(struct cm_core_pipes *core, const struct cm_shader_core_config *config);

/** Runs a warp that is dispatched at a cycle, up to what is written to the tile buffer. Varyings come first; loads and stores
 * run in parallel with the instructions. */
static inline struct cm_warp_times
cm_core_pipes_run(struct cm_core_pipes *core, const struct cm_warp *warp, uint64_t dispatched)
{
   static const enum cm_pipe arithmetic[] = {CM_PIPE_FMA, CM_PIPE_CVT, CM_PIPE_SFU};
   struct cm_core_pipe *pipes = core->pipes;
   struct cm_warp_times times;
   uint64_t unused;
   const uint64_t stored =
      cm_core_pipe_serve(&pipes[CM_PIPE_LOAD_STORE], dispatched, warp->units[CM_PIPE_LOAD_STORE], &unused);
   const uint64_t interpolated =
      cm_core_pipe_serve(&pipes[CM_PIPE_VARYING], dispatched, warp->units[CM_PIPE_VARYING], &unused);
   const uint64_t issued =
      cm_core_pipe_serve(&pipes[CM_PIPE_ISSUE], interpolated, warp->units[CM_PIPE_ISSUE], &times.begin);
   times.issued = cm_later(issued, stored);
   for (unsigned p = 0; p < sizeof arithmetic / sizeof arithmetic[0]; p++)
      times.issued = cm_later(times.issued, cm_core_pipe_serve(&pipes[arithmetic[p]], times.begin,
                                                               warp->units[arithmetic[p]], &unused));
   times.piece = times.tail = 0;
   times.texture = times.sampled = times.begin;
   if (!warp->texture_parts)
      return times;
   const uint64_t instructions = issued - times.begin;
   times.piece = (uint32_t)(instructions / (warp->texture_parts + 1));
   times.tail = (uint32_t)(instructions - (uint64_t)warp->texture_parts * times.piece);
   times.sampled = cm_core_pipe_serve(&pipes[CM_PIPE_TEXTURE], times.begin + times.piece,
                                      warp->units[CM_PIPE_TEXTURE], &times.texture);
   const uint32_t sampling = (uint32_t)((times.sampled - times.texture) / warp->texture_parts);
   times.piece = times.piece > sampling ? times.piece : sampling;
   return times;
}

/* ---- threads in flight ------------------------------------------------------- */

/** Warps that have threads, whose release is known. A warp takes the threads of the oldest ones. */
struct cm_core_window {
   struct cm_core_resident {
      uint64_t released;
      uint32_t threads;
   } *warps; /**< a ring of `size` */
   uint32_t size, first, count;
   uint32_t threads, used; /**< that there are, that are in flight */
   uint64_t time;          /**< when the last ones were taken over */
};

/** Takes space from the pool for warps of at least so many threads. */
void cm_core_window_init(struct cm_core_window *window, uint32_t threads, uint32_t warp_threads,
                         struct cm_pool *pool);

/** A warp that comes at a cycle takes so many threads. Returns when it has them. */
static inline uint64_t
cm_core_window_take(struct cm_core_window *window, uint32_t threads, uint64_t cycle)
{
   assert(threads && threads <= window->threads);
   while (window->used + threads > window->threads) {
      const struct cm_core_resident *oldest = &window->warps[window->first];
      assert(window->count);
      window->time = cm_later(window->time, oldest->released);
      window->used -= oldest->threads;
      window->first = window->first + 1 == window->size ? 0 : window->first + 1;
      window->count--;
   }
   return cm_later(cycle, window->time);
}

/** It gives them back at a cycle. */
static inline void
cm_core_window_put(struct cm_core_window *window, uint32_t threads, uint64_t released)
{
   assert(window->count < window->size);
   const uint32_t last = window->first + window->count++;
   window->warps[last < window->size ? last : last - window->size] =
      (struct cm_core_resident){.released = released, .threads = threads};
   window->used += threads;
}

/** Threads of a core that a warp takes: more where its code has too many registers. All threads at most. */
static inline uint32_t
cm_core_warp_threads(const struct cm_shader_core_config *config, uint32_t threads_shared)
{
   const uint64_t threads = (uint64_t)config->warp_threads * (threads_shared ? threads_shared : 1);
   return threads < config->threads ? (uint32_t)threads : config->threads;
}

#endif
