/* SPDX-License-Identifier: MIT */
/* Logs of passes that go to other threads, some in parts, cut between random draws: one of them gets each pass of a frame as it was
 * written in one piece, in order, and all of the frame before its end. Frames come back in their order. */
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "timing/log_queue.h"
#include "util/array.h"

#define PASSES 40
#define MAX_DRAWS 30

/* The next item of a list, of zeros. */
#define ADD(log, list)                                                                              \
   (assert_true(cm_array_make_room(&(log)->list.items, &(log)->list.capacity, (log)->list.count, 1, \
                                   sizeof *(log)->list.items)),                                     \
    memset(&(log)->list.items[(log)->list.count], 0, sizeof *(log)->list.items),                    \
    &(log)->list.items[(log)->list.count++])

/* Some entries. Returns where they end. */
static uint32_t
add_entries(struct cm_log *log, uint64_t *random)
{
   for (uint32_t e = random_below(random, 5); e; e--)
      *ADD(log, entries) = random_below(random, UINT32_MAX);
   return log->entries.count;
}

static void
add_draw(struct cm_log *log, uint32_t number, uint64_t *random)
{
   struct cm_logged_draw *draw = ADD(log, draws);
   draw->begin = log->entries.count;
   draw->program_end = add_entries(log, random);
   draw->num_vertices = random_below(random, 4);
   for (uint32_t v = 0; v < draw->num_vertices; v++)
      ADD(log, vertices)->tokens_end = add_entries(log, random);
   draw->tokens_end = add_entries(log, random);
   draw->num_primitives = random_below(random, 4);
   for (uint32_t p = 0; p < draw->num_primitives; p++) {
      *ADD(log, primitives) = (struct cm_logged_primitive){.num_regions = 1, .draw = number};
      ADD(log, regions)->num_blocks = 1;
      ADD(log, blocks)->end = add_entries(log, random);
   }
}

/* The passes as they were written, and what the threads have got. */
struct passes {
   struct cm_log_queue queue;
   struct cm_log written[PASSES], got[PASSES];
   bool is_cut; /* of the last one the end is missing */
};

static void
get_pass(struct passes *passes, struct cm_frame_log *frame, struct cm_work *work)
{
   assert_true(work->begins);
   struct cm_log *log = &passes->got[work->pass - 1];
   const uint32_t pass = work->pass;
   for (bool ends = false; !ends; work = ends ? NULL : cm_log_queue_next(&passes->queue, frame)) {
      if (!work) {
         passes->is_cut = true;
         return;
      }
      ends = work->ends;
      assert_int_equal(work->pass, pass);
      assert_true(cm_log_append(log, &work->log));
      cm_log_queue_give_back(&passes->queue, work);
   }
}

/* A thread's: the passes follow those of the frames before. As if they were cycles, counts them. */
static void
get_frame(void *context, struct cm_frame_log *frame)
{
   struct cm_work *work;
   frame->cycles = 0;
   while ((work = cm_log_queue_next(&((struct passes *)context)->queue, frame))) {
      assert_int_equal(work->pass, frame->passes_before + ++frame->cycles);
      get_pass(context, frame, work);
   }
}

/* Puts what a pass has had since the last part. */
static void
put_part(struct passes *passes, struct cm_log *sent, const struct cm_log *pass, bool begins, bool ends)
{
   struct cm_work *work = cm_log_queue_begin(&passes->queue);
   work->kind = CM_LOG_PASS;
   work->pass = (uint32_t)(pass - passes->written) + 1;
   work->begins = begins;
   work->ends = ends;
#define MOVE(type, list)                                           \
   for (; sent->list.count < pass->list.count; sent->list.count++) \
      *ADD(&work->log, list) = pass->list.items[sent->list.count];
   CM_LOG_LISTS(MOVE)
#undef MOVE
   memcpy(work->log.marks, pass->marks, sizeof pass->marks);
   cm_log_queue_put(&passes->queue, work);
}

static void
write_pass(struct passes *passes, struct cm_log *pass, uint64_t *random, bool is_whole)
{
   struct cm_log sent = {0}; /* counts only */
   bool begins = true;
   pass->marks[CM_LOG_CLEARED] = add_entries(pass, random);
   for (uint32_t d = random_below(random, MAX_DRAWS); d; d--) {
      if (random_below(random, 4) == 0) {
         put_part(passes, &sent, pass, begins, false);
         begins = false;
      }
      add_draw(pass, pass->draws.count, random);
   }
   pass->marks[CM_LOG_DRAWN] = add_entries(pass, random);
   pass->marks[CM_LOG_RESOLVED] = add_entries(pass, random);
   put_part(passes, &sent, pass, begins, is_whole);
}

static void
compare(const struct cm_log *log, const struct cm_log *other)
{
#define COMPARE(type, list)                              \
   assert_int_equal(log->list.count, other->list.count); \
   if (log->list.count)                                  \
      assert_memory_equal(log->list.items, other->list.items, log->list.count * sizeof(type));
   CM_LOG_LISTS(COMPARE)
#undef COMPARE
   assert_memory_equal(log->marks, other->marks, sizeof log->marks);
}

static struct passes *
start(unsigned threads, size_t most_bytes)
{
   struct passes *passes = calloc(1, sizeof *passes);
   cm_log_queue_init(&passes->queue, get_frame, most_bytes);
   for (unsigned t = 0; t < threads; t++)
      assert_true(cm_log_queue_add_thread(&passes->queue, passes));
   return passes;
}

static void
finish(struct passes *passes, uint32_t num_passes)
{
   cm_log_queue_stop(&passes->queue);
   cm_log_queue_finish(&passes->queue);
   for (uint32_t p = 0; p < num_passes; p++) {
      compare(&passes->written[p], &passes->got[p]);
      cm_log_finish(&passes->written[p]);
      cm_log_finish(&passes->got[p]);
   }
   free(passes);
}

/* Takes back frames that have ended, in order; returns how many passes they have. */
static uint32_t
take_back(struct passes *passes, uint32_t taken, bool waits)
{
   uint32_t count = 0;
   struct cm_frame_log *frame;
   while ((frame = cm_log_queue_take_back(&passes->queue, waits))) {
      assert_int_equal(frame->passes_before, taken + count);
      assert_false(frame->is_cut);
      count += (uint32_t)frame->cycles;
      cm_log_queue_release(&passes->queue, frame);
   }
   return count;
}

/* most_bytes: few, so that the consumer waits, or enough for all. */
static void
check_parts(unsigned threads, size_t most_bytes)
{
   struct passes *passes = start(threads, most_bytes);
   uint64_t random = 11;
   uint32_t taken = 0;
   assert_true(cm_log_queue_begin_frame(&passes->queue, 0, 1));
   for (uint32_t p = 0; p < PASSES; p++) {
      write_pass(passes, &passes->written[p], &random, true);
      if (random_below(&random, 3))
         continue;
      if (random_below(&random, 2))
         cm_log_queue_drain(&passes->queue);
      cm_log_queue_end_frame(&passes->queue, false);
      taken += take_back(passes, taken, random_below(&random, 3) == 0);
      assert_true(cm_log_queue_begin_frame(&passes->queue, p + 1, p + 2));
   }
   cm_log_queue_end_frame(&passes->queue, false);
   taken += take_back(passes, taken, true);
   assert_int_equal(taken, PASSES);
   assert_false(passes->is_cut);
   finish(passes, PASSES);
}

TEST(parts)
{
   static const unsigned thread_counts[] = {1, 2, 3, 8};
   for (unsigned t = 0; t < sizeof thread_counts / sizeof thread_counts[0]; t++) {
      check_parts(thread_counts[t], 1 << 12);
      check_parts(thread_counts[t], 1 << 24);
   }
}

/* The consumer ends within a pass, of which the thread waits for more. */
TEST(end_in_pass)
{
   struct passes *passes = start(2, 1 << 24);
   uint64_t random = 12;
   assert_true(cm_log_queue_begin_frame(&passes->queue, 0, 1));
   write_pass(passes, &passes->written[0], &random, true);
   cm_log_queue_end_frame(&passes->queue, false);
   assert_int_equal(take_back(passes, 0, true), 1);
   assert_true(cm_log_queue_begin_frame(&passes->queue, 1, 2));
   write_pass(passes, &passes->written[1], &random, false);
   cm_log_queue_drain(&passes->queue);
   assert_false(passes->is_cut);
   cm_log_queue_stop(&passes->queue);
   assert_true(passes->is_cut && passes->queue.newest->is_cut);
   finish(passes, 2);
}
