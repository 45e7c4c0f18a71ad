/* SPDX-License-Identifier: MIT */
/* What the timing is made of, against references that go through every cycle: a chain of stages with bounded queues
 * (when each item enters and leaves everything, what the stages did, Little's law), and resources that take one
 * request a slot. */
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "timing/queues.h"

#define STAGES 3
#define ITEMS 300
#define NONE UINT32_MAX

/* Random work: when items come, how long each stage works on each, how long the queues before the stages are. */
struct chain {
   uint32_t num_items;
   uint64_t arrival[ITEMS];
   uint64_t work[STAGES][ITEMS];
   uint32_t queue[STAGES];
};

/* What becomes of it. */
struct outcome {
   uint64_t begin[STAGES][ITEMS]; /* it leaves the queue before the stage */
   uint64_t out[STAGES][ITEMS];   /* it leaves the stage */
   uint64_t cycles[STAGES][CM_STAGE_STATE_COUNT];
   uint64_t occupancy[STAGES]; /* of the queue before the stage, summed over all cycles */
   uint64_t end;
};

static void
make_chain(struct chain *chain, uint64_t *random)
{
   chain->num_items = 1 + random_below(random, ITEMS);
   uint64_t time = 0;
   const uint32_t pace = 1 + random_below(random, 12);
   for (uint32_t s = 0; s < STAGES; s++)
      chain->queue[s] = 1 + random_below(random, 6);
   for (uint32_t i = 0; i < chain->num_items; i++) {
      time += random_below(random, pace);
      chain->arrival[i] = time;
      for (uint32_t s = 0; s < STAGES; s++)
         chain->work[s][i] = 1 + random_below(random, 10);
   }
}

/* The recurrences: all stages of an item before the next item. Items enter the first queue when they arrive and it
 * has room. */
static void
run_recurrences(const struct chain *chain, struct outcome *outcome)
{
   struct cm_pool pool = {0};
   struct cm_queue queues[STAGES];
   struct cm_stage stages[STAGES] = {0};
   for (uint32_t s = 0; s < STAGES; s++)
      cm_queue_init(&queues[s], chain->queue[s], &pool);
   assert_false(pool.out_of_memory);
   uint64_t entered_first = 0;
   for (uint32_t i = 0; i < chain->num_items; i++) {
      uint64_t enters = cm_queue_room(&queues[0]);
      enters = enters > chain->arrival[i] ? enters : chain->arrival[i];
      enters = enters > entered_first ? enters : entered_first;
      entered_first = enters;
      for (uint32_t s = 0; s < STAGES; s++) {
         cm_queue_push(&queues[s]);
         cm_stage_account(&stages[s], CM_STAGE_STARVED, enters);
         outcome->begin[s][i] = stages[s].until;
         cm_queue_pop(&queues[s], enters, stages[s].until);
         enters = cm_stage_work(&stages[s], CM_STAGE_STARVED, stages[s].until, chain->work[s][i]);
         if (s + 1 < STAGES) {
            cm_stage_account(&stages[s], CM_STAGE_BLOCKED, cm_queue_room(&queues[s + 1]));
            enters = stages[s].until;
         }
         outcome->out[s][i] = enters;
      }
   }
   outcome->end = stages[STAGES - 1].until;
   for (uint32_t s = 0; s < STAGES; s++) {
      cm_stage_account(&stages[s], CM_STAGE_STARVED, outcome->end);
      memcpy(outcome->cycles[s], stages[s].cycles, sizeof stages[s].cycles);
      outcome->occupancy[s] = queues[s].waiting;
      assert_int_equal(queues[s].popped, chain->num_items);
   }
   cm_pool_finish(&pool);
}

/* A stage in the reference, and the queue before it. */
struct naive_stage {
   uint32_t queue[8], length;
   uint32_t item; /* worked on; NONE */
   uint64_t left; /* cycles of work left; 0: it waits to leave */
};

/* Cycle by cycle, from the last stage to the first, so that what leaves frees its entry in the same cycle. */
static void
run_naively(const struct chain *chain, struct outcome *outcome)
{
   struct naive_stage stages[STAGES] = {0};
   uint32_t next = 0, done = 0;
   memset(outcome, 0, sizeof *outcome);
   for (uint32_t s = 0; s < STAGES; s++)
      stages[s].item = NONE;
   uint64_t cycle = 0;
   for (;; cycle++) {
      for (uint32_t s = STAGES; s-- > 0;) {
         struct naive_stage *stage = &stages[s];
         if (stage->item != NONE && !stage->left &&
             (s + 1 == STAGES || stages[s + 1].length < chain->queue[s + 1])) {
            outcome->out[s][stage->item] = cycle;
            done += s + 1 == STAGES;
            if (s + 1 < STAGES)
               stages[s + 1].queue[stages[s + 1].length++] = stage->item;
            stage->item = NONE;
            /* The next stage may take it at once. */
            if (s + 1 < STAGES && stages[s + 1].item == NONE) {
               struct naive_stage *after = &stages[s + 1];
               after->item = after->queue[0];
               memmove(after->queue, after->queue + 1, --after->length * sizeof after->queue[0]);
               after->left = chain->work[s + 1][after->item];
               outcome->begin[s + 1][after->item] = cycle;
            }
         }
         if (stage->item == NONE && stage->length) {
            stage->item = stage->queue[0];
            memmove(stage->queue, stage->queue + 1, --stage->length * sizeof stage->queue[0]);
            stage->left = chain->work[s][stage->item];
            outcome->begin[s][stage->item] = cycle;
         }
      }
      while (next < chain->num_items && chain->arrival[next] <= cycle && stages[0].length < chain->queue[0]) {
         stages[0].queue[stages[0].length++] = next++;
         if (stages[0].item == NONE) {
            stages[0].item = stages[0].queue[0];
            memmove(stages[0].queue, stages[0].queue + 1, --stages[0].length * sizeof stages[0].queue[0]);
            stages[0].left = chain->work[0][stages[0].item];
            outcome->begin[0][stages[0].item] = cycle;
         }
      }
      if (done == chain->num_items)
         break;
      for (uint32_t s = 0; s < STAGES; s++) {
         struct naive_stage *stage = &stages[s];
         const enum cm_stage_state state = stage->item == NONE ? CM_STAGE_STARVED
                                           : stage->left       ? CM_STAGE_BUSY
                                                               : CM_STAGE_BLOCKED;
         outcome->cycles[s][state]++;
         stage->left -= stage->item != NONE && stage->left;
         outcome->occupancy[s] += stage->length;
      }
   }
   outcome->end = cycle;
}

TEST(chain)
{
   uint64_t random = 5;
   static struct chain chain;
   static struct outcome recurrences, naive;
   for (unsigned round = 0; round < 400; round++) {
      make_chain(&chain, &random);
      run_recurrences(&chain, &recurrences);
      run_naively(&chain, &naive);
      assert_int_equal(recurrences.end, naive.end);
      for (uint32_t s = 0; s < STAGES; s++) {
         uint64_t sum = 0;
         for (uint32_t i = 0; i < chain.num_items; i++) {
            assert_int_equal(recurrences.begin[s][i], naive.begin[s][i]);
            assert_int_equal(recurrences.out[s][i], naive.out[s][i]);
         }
         for (unsigned state = 0; state < CM_STAGE_STATE_COUNT; state++) {
            assert_int_equal(recurrences.cycles[s][state], naive.cycles[s][state]);
            sum += recurrences.cycles[s][state];
         }
         assert_int_equal(sum, recurrences.end);
         /* Little's law: the waits of all items are the area under the queue's occupancy. */
         assert_int_equal(recurrences.occupancy[s], naive.occupancy[s]);
      }
   }
}

/* A calendar against a list of all slots. Requests come in any order within its memory. */
TEST(calendar)
{
   static uint8_t taken[200000];
   static struct cm_calendar calendar;
   uint64_t random = 9, now = 0;
   memset(&calendar, 0, sizeof calendar);
   for (unsigned n = 0; n < 100000; n++) {
      now += random_below(&random, 3);
      const uint64_t slot = now + random_below(&random, 1000);
      uint64_t expected = slot;
      while (taken[expected])
         expected++;
      taken[expected] = 1;
      assert_int_equal(cm_calendar_take(&calendar, slot), expected);
   }
}

/* What is before its memory counts as taken; a far leap forgets all. */
TEST(calendar_forgets)
{
   static struct cm_calendar calendar;
   memset(&calendar, 0, sizeof calendar);
   assert_int_equal(cm_calendar_take(&calendar, 0), 0);
   assert_int_equal(cm_calendar_take(&calendar, 0), 1);
   assert_int_equal(cm_calendar_take(&calendar, 100000), 100000);
   assert_int_equal(cm_calendar_take(&calendar, 5), 100000 / 64 * 64 - 63 * 64);
   assert_int_equal(cm_calendar_take(&calendar, 100000), 100001);
}
