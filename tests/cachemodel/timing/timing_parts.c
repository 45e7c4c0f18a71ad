/* SPDX-License-Identifier: MIT */
/* A pass' log of mode imr that goes to another thread in parts, cut between random draws: the thread gets it as it was written
 * in one piece. */
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "timing/immediate/parts.h"
#include "util/array.h"

#define PASSES 40
#define MOST_DRAWS 30

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

/* A draw that the pass has so many draws before; its positions are those of this log. */
static void
add_draw(struct cm_log *log, uint32_t number, uint64_t *random)
{
   struct cm_logged_draw draw = {.begin = log->entries.count, .num_vertices = random_below(random, 4)};
   draw.program_end = add_entries(log, random);
   for (uint32_t v = 0; v < draw.num_vertices; v++) {
      struct cm_logged_vertex *vertex = ADD(log, vertices);
      vertex->accesses_begin = add_entries(log, random);
      vertex->tokens_end = add_entries(log, random);
   }
   for (unsigned stage = 0; stage < CM_PRERASTER_STAGES; stage++) {
      draw.stages[stage].num_accessing = random_below(random, 3);
      draw.stages[stage].first_accessing = log->accessing.count;
      for (uint32_t i = 0; i < draw.stages[stage].num_accessing; i++) {
         struct cm_logged_invocation *invocation = ADD(log, accessing);
         invocation->number = i;
         invocation->begin = log->entries.count;
         invocation->end = add_entries(log, random);
      }
   }
   draw.stages_end = add_entries(log, random);
   draw.tokens_end = add_entries(log, random);
   draw.num_primitives = random_below(random, 4);
   *ADD(log, draws) = draw;
   for (uint32_t p = 0; p < draw.num_primitives; p++) {
      struct cm_logged_region region = {.begin = log->entries.count, .draw = number};
      *ADD(log, primitives) = (struct cm_logged_primitive){.num_regions = 1, .draw = number};
      region.hiz_end = add_entries(log, random);
      region.num_blocks = random_below(random, 4);
      for (uint32_t b = 0; b < region.num_blocks; b++) {
         struct cm_logged_block block = {.tests_end = add_entries(log, random)};
         block.shade_end = add_entries(log, random);
         block.end = add_entries(log, random);
         *ADD(log, blocks) = block;
      }
      region.update_begin = log->entries.count;
      region.end = add_entries(log, random);
      *ADD(log, regions) = region;
   }
}

/* What the passes have, and what the thread has got. */
struct passes {
   struct cm_immediate_parts parts;
   struct cm_log written[PASSES], got[PASSES];
   uint32_t num_got;
};

static void
get_pass(void *context)
{
   struct passes *passes = context;
   struct cm_log *log = &passes->got[passes->num_got++];
   bool ends = false;
   while (!ends) {
      struct cm_immediate_part *part = cm_immediate_parts_take(&passes->parts);
      if (!part)
         return;
      ends = part->ends;
      assert_true(cm_immediate_parts_append(log, part));
      cm_immediate_parts_give_back(&passes->parts, part);
   }
}

static void
set_mark(struct cm_log *log, struct cm_log *whole, enum cm_log_mark mark, uint64_t *random)
{
   uint64_t same = *random;
   log->marks[mark] = add_entries(log, random);
   whole->marks[mark] = add_entries(whole, &same);
}

/* Writes a pass as a whole, and the same in parts. */
static void
write_pass(struct passes *passes, struct cm_log *whole, uint64_t *random, bool is_whole)
{
   struct cm_immediate_part *part = cm_immediate_parts_begin(&passes->parts);
   part->begins = true;
   set_mark(&part->log, whole, CM_LOG_CLEARED, random);
   const uint32_t draws = random_below(random, MOST_DRAWS);
   for (uint32_t d = 0; d < draws; d++) {
      if (random_below(random, 4) == 0) {
         cm_immediate_parts_put(&passes->parts, part);
         part = cm_immediate_parts_begin(&passes->parts);
      }
      uint64_t same = *random;
      add_draw(&part->log, d, random);
      add_draw(whole, d, &same);
   }
   set_mark(&part->log, whole, CM_LOG_DRAWN, random);
   set_mark(&part->log, whole, CM_LOG_RESOLVED, random);
   part->ends = is_whole;
   cm_immediate_parts_put(&passes->parts, part);
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

static void
test_parts(void **unused)
{
   struct passes *passes = calloc(1, sizeof *passes);
   uint64_t random = 11;
   assert_true(cm_immediate_parts_init(&passes->parts, get_pass, passes));
   for (uint32_t p = 0; p < PASSES; p++) {
      write_pass(passes, &passes->written[p], &random, true);
      if (random_below(&random, 3) == 0)
         cm_immediate_parts_drain(&passes->parts);
   }
   cm_immediate_parts_drain(&passes->parts);
   assert_int_equal(passes->num_got, PASSES);
   cm_immediate_parts_finish(&passes->parts);
   for (uint32_t p = 0; p < PASSES; p++) {
      compare(&passes->written[p], &passes->got[p]);
      cm_log_finish(&passes->written[p]);
      cm_log_finish(&passes->got[p]);
   }
   free(passes);
}

/* The consumer ends within a pass, of which the thread waits for more. */
static void
test_end_in_pass(void **unused)
{
   struct passes *passes = calloc(1, sizeof *passes);
   uint64_t random = 12;
   assert_true(cm_immediate_parts_init(&passes->parts, get_pass, passes));
   write_pass(passes, &passes->written[0], &random, false);
   cm_immediate_parts_finish(&passes->parts);
   assert_int_equal(passes->num_got, 1);
   cm_log_finish(&passes->written[0]);
   cm_log_finish(&passes->got[0]);
   free(passes);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_end_in_pass),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
