/* SPDX-License-Identifier: MIT */
/* A tile's log whose quads were listed apart: merged, it is the log that is written in order, entry by entry. */
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "timing/log.h"
#include "util/array.h"

#define ROUNDS 300
#define SPACE 4096

/* Written in order, and apart. */
struct logs {
   cm_entry entries[SPACE];
   struct cm_logged_quad quads[SPACE];
   uint32_t num_entries, num_quads;
   struct cm_log log;
   struct cm_quad_log *apart;
   struct cm_access_run run; /* what follows the last requests */
   uint64_t *random;
};

#define ADD(log, list)                                                                              \
   (assert_true(cm_array_make_room(&(log)->list.items, &(log)->list.capacity, (log)->list.count, 1, \
                                   sizeof *(log)->list.items)),                                     \
    &(log)->list.items[(log)->list.count++])

/* An entry that is no request. */
static void
add_entry(struct logs *logs)
{
   const cm_entry entry = random_below(logs->random, UINT32_MAX);
   assert_true(logs->num_entries < SPACE);
   logs->entries[logs->num_entries++] = *ADD(&logs->log, entries) = entry;
}

static void
add_requests(struct logs *logs, uint32_t count)
{
   struct cm_quad_log *apart = logs->apart;
   for (; count; count--) {
      const cm_entry entry = random_below(logs->random, UINT32_MAX);
      assert_true(cm_array_make_room(&apart->requests, &apart->request_capacity, apart->num_requests, 1,
                                     sizeof entry));
      logs->entries[logs->num_entries++] = apart->requests[apart->num_requests++] = entry;
   }
}

/* What the requests so far have caused. */
static void
add_caused(struct logs *logs, uint32_t count)
{
   for (uint32_t e = 0; e < count; e++)
      add_entry(logs);
   if (count)
      *ADD(&logs->log, caused) = (struct cm_access_run){logs->apart->num_requests, logs->log.entries.count};
}

/* Some quads fail the depth test, and have no requests. */
static void
add_quad(struct logs *logs)
{
   const uint32_t processor = random_below(logs->random, 64);
   for (uint32_t footprint = random_below(logs->random, 4); footprint; footprint--) {
      add_requests(logs, 1 + random_below(logs->random, 5));
      add_caused(logs, random_below(logs->random, 2) ? random_below(logs->random, 6) : 0);
   }
   cm_quad_log_add(logs->apart, logs->apart->num_requests, processor);
   logs->quads[logs->num_quads++] = (struct cm_logged_quad){.tokens_end = logs->num_entries,
                                                            .kind = logs->apart->num_kinds - 1,
                                                            .processor = (uint8_t)processor};
}

static void
add_kind(struct logs *logs, bool has_costs)
{
   const struct cm_shader_cost cost = {.threads_shared = random_below(logs->random, 100)};
   struct cm_logged_kind kind = {.primitive = random_below(logs->random, 100), .shaded = true};
   if (has_costs)
      kind.cost = cm_quad_log_add_cost(logs->apart, &cost);
   cm_quad_log_add_kind(logs->apart, &kind);
}

/* The cost that a kind names is the one that it was given. */
static void
check_costs(const struct cm_log *log, const struct cm_quad_log *apart, const struct cm_logged_kind *given)
{
   assert_int_equal(log->kinds.count, apart->num_kinds);
   for (uint32_t k = 0; k < apart->num_kinds; k++) {
      assert_int_equal(log->kinds.items[k].primitive, given[k].primitive);
      if (apart->num_costs)
         assert_memory_equal(&log->costs.items[log->kinds.items[k].cost], &apart->costs[given[k].cost],
                             sizeof *apart->costs);
   }
}

static void
merge_and_check(struct logs *logs, uint32_t shaded, uint32_t fetched)
{
   struct cm_log *log = &logs->log;
   struct cm_entry_buffer *buffer = malloc(sizeof *buffer + SPACE * sizeof *buffer->entries);
   struct cm_logged_kind given[SPACE];
   const cm_entry *own = log->entries.items;
   const uint32_t num_own = log->entries.count;
   buffer->capacity = SPACE;
   memcpy(given, logs->apart->kinds, logs->apart->num_kinds * sizeof *given);
   assert_int_equal(cm_log_num_entries(log), logs->num_entries);
   logs->apart->out_of_memory = true;
   assert_false(cm_log_merge(log, buffer));
   logs->apart->out_of_memory = false;
   assert_true(cm_log_merge(log, buffer));
   assert_int_equal(log->entries.count, logs->num_entries);
   assert_memory_equal(log->entries.items, logs->entries, logs->num_entries * sizeof *logs->entries);
   assert_int_equal(log->quads.count, logs->num_quads);
   assert_memory_equal(log->quads.items, logs->quads, logs->num_quads * sizeof *logs->quads);
   assert_int_equal(log->marks[CM_LOG_SHADED], shaded);
   assert_int_equal(log->marks[CM_LOG_FETCHED], fetched);
   check_costs(log, logs->apart, given);
   assert_true(cm_log_bytes(log) >= num_own * sizeof *own);
   assert_ptr_equal(cm_log_separate(log), buffer);
   assert_ptr_equal(log->entries.items, own);
   assert_null(cm_log_separate(log));
   free(buffer);
}

static void
check_tile(uint64_t *random)
{
   struct logs *logs = calloc(1, sizeof *logs);
   const bool has_costs = random_below(random, 2);
   logs->random = random;
   logs->apart = calloc(1, sizeof *logs->apart);
   for (uint32_t e = random_below(random, 20); e; e--)
      add_entry(logs);
   for (uint32_t c = random_below(random, 4); has_costs && c; c--)
      *ADD(&logs->log, costs) = (struct cm_shader_cost){.threads_shared = 1000};
   const uint32_t fetched = logs->log.marks[CM_LOG_FETCHED] = logs->num_entries;
   logs->log.quads_begin = logs->log.entries.count;
   logs->log.quad_log = logs->apart;
   add_caused(logs, random_below(random, 3)); /* before the first request */
   for (uint32_t q = random_below(random, 60); q; q--) {
      if (!logs->apart->num_kinds || !random_below(random, 4))
         add_kind(logs, has_costs);
      add_quad(logs);
   }
   const uint32_t shaded = logs->num_entries;
   logs->log.marks[CM_LOG_SHADED] = logs->log.entries.count;
   for (uint32_t e = random_below(random, 20); e; e--)
      add_entry(logs); /* the flush */
   merge_and_check(logs, shaded, fetched);
   cm_log_finish(&logs->log);
   free(logs);
}

TEST(merged)
{
   uint64_t random = 44;
   for (unsigned round = 0; round < ROUNDS; round++)
      check_tile(&random);
}
