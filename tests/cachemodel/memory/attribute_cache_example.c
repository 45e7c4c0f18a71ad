/* SPDX-License-Identifier: MIT */
/* TCOR's example (III-C7, Figures 9 and 10): 3 primitives on 9 tiles in scanline order, a fully
 * associative cache of two primitives; the twelve states for LRU and OPT as the text tells them.
 *
 * Tiles count from 1. What the text says of them: yellow is read in tile 2 and then never again;
 * pink first in tile 3; blue in tile 4, and before tile 2, or LRU would not have lost pink there.
 * Of the tiles after 4, which blue and pink share, nothing more happens with either policy. */
#include <string.h>

#include "memory/cache.h"
#include "support/test.h"
#include "support/primitive_lines.h"

enum { YELLOW, BLUE, PINK, NOBODY };
#define NEVER CM_PB_NEVER

/* A state of Figure 10. */
struct state {
   uint8_t primitive; /* written in the first three, read in the other nine */
   struct {
      uint8_t primitive;
      uint32_t opt_number;
      bool dirty;
   } line[2];
   bool reads_l2, writes_l2;
};

/* Lines in the order of their last use, the later one first; OPT numbers as in OPT's figure. */
static const struct state lru[12] = {
   {YELLOW, {{YELLOW, 0, true}, {NOBODY, 0, false}}, false, false},
   {BLUE, {{BLUE, 0, true}, {YELLOW, 0, true}}, false, false},
   {PINK, {{PINK, 0, true}, {BLUE, 0, true}}, false, true}, /* yellow is written back */
   {BLUE, {{BLUE, 0, true}, {PINK, 0, true}}, false, false},
   {YELLOW, {{YELLOW, 0, false}, {BLUE, 0, true}}, true, true}, /* pink is */
   {PINK, {{PINK, 0, false}, {YELLOW, 0, false}}, true, true},  /* blue is */
   {BLUE, {{BLUE, 0, false}, {PINK, 0, false}}, true, false},
   {PINK, {{PINK, 0, false}, {BLUE, 0, false}}, false, false},
   {PINK, {{PINK, 0, false}, {BLUE, 0, false}}, false, false},
   {BLUE, {{BLUE, 0, false}, {PINK, 0, false}}, false, false},
   {PINK, {{PINK, 0, false}, {BLUE, 0, false}}, false, false},
   {PINK, {{PINK, 0, false}, {BLUE, 0, false}}, false, false},
};

static const struct state opt[12] = {
   {YELLOW, {{YELLOW, 2, true}, {NOBODY, 0, false}}, false, false},
   {BLUE, {{YELLOW, 2, true}, {BLUE, 1, true}}, false, false},
   {PINK, {{YELLOW, 2, true}, {BLUE, 1, true}}, false, true}, /* 3 is greater than both: a bypass */
   {BLUE, {{YELLOW, 2, true}, {BLUE, 4, true}}, false, false},
   {YELLOW, {{YELLOW, NEVER, true}, {BLUE, 4, true}}, false, false},
   {PINK, {{PINK, 5, false}, {BLUE, 4, true}}, true, true}, /* yellow is written back */
   {BLUE, {{PINK, 5, false}, {BLUE, 7, true}}, false, false},
   {PINK, {{PINK, 6, false}, {BLUE, 7, true}}, false, false},
   {PINK, {{PINK, 8, false}, {BLUE, 7, true}}, false, false},
   {BLUE, {{PINK, 8, false}, {BLUE, NEVER, true}}, false, false},
   {PINK, {{PINK, 9, false}, {BLUE, NEVER, true}}, false, false},
   {PINK, {{PINK, NEVER, false}, {BLUE, NEVER, true}}, false, false},
};

/* The first tile of each primitive, and the next one after each tile. */
static const uint32_t first_tile[3] = {[YELLOW] = 2, [BLUE] = 1, [PINK] = 3};
static const uint32_t opt_numbers[10] = {
   [1] = 4, [2] = NEVER, [3] = 5, [4] = 7, [5] = 6, [6] = 8, [7] = NEVER, [8] = 9, [9] = NEVER};

/* A fully associative cache of two primitives of one attribute each. */
static struct cm_config
two_lines(enum cm_policy policy)
{
   struct cm_config config;
   memset(&config, 0, sizeof config);
   config.caches[CM_UNIT_ATTRIBUTE_CACHE] = (struct cm_cache_config){
      .size = 128, .ways = 2, .block = 64, .instances = 1, .policy = policy, .next = CM_UNIT_DRAM};
   config.primitive_buffer.lines = 2;
   config.primitive_buffer.output_queue = 1;
   return config;
}

struct traffic {
   uint64_t reads, writes;
};

static struct traffic
traffic_of(const struct cm_cache *unit)
{
   return (struct traffic){
      cm_cache_counter(unit, CM_STREAM_PB_ATTRIBUTE, CM_CACHE_EVENT_FILLS),
      cm_cache_counter(unit, CM_STREAM_PB_ATTRIBUTE, CM_CACHE_EVENT_WRITEBACKS),
   };
}

static void
check_lines(const struct cm_attribute_cache *cache, const struct state *state, bool has_opt_numbers)
{
   uint64_t uses[2] = {0, 0};
   bool present[3] = {false, false, false};
   for (unsigned i = 0; i < 2; i++) {
      if (state->line[i].primitive == NOBODY)
         continue;
      const struct cm_primitive_line *line = find_primitive(cache, state->line[i].primitive);
      assert_non_null(line);
      assert_int_equal(line->dirty, state->line[i].dirty);
      if (has_opt_numbers)
         assert_int_equal(line->opt_number, state->line[i].opt_number);
      uses[i] = line->last_use;
      present[state->line[i].primitive] = true;
   }
   if (!has_opt_numbers)
      assert_true(uses[0] > uses[1]);
   for (uint32_t primitive = 0; primitive < 3; primitive++)
      assert_int_equal(find_primitive(cache, primitive) != NULL, present[primitive]);
}

static void
walk(enum cm_policy policy, const struct state *states, uint64_t bypasses)
{
   const struct cm_config config = two_lines(policy);
   struct cm_dram dram = {0};
   struct cm_cache unit;
   cm_cache_init_without_lines(&unit, &config.caches[CM_UNIT_ATTRIBUTE_CACHE], NULL, &dram);
   struct cm_attribute_cache *cache = cm_attribute_cache_create(&config, &unit);
   assert_non_null(cache);

   for (unsigned s = 0; s < 12; s++) {
      const struct traffic before = traffic_of(&unit);
      const uint32_t id = states[s].primitive;
      const struct cm_tiled_primitive primitive = {id, id, 1};
      if (s < 3)
         cm_attribute_cache_write(cache, &primitive, first_tile[id]);
      else
         cm_attribute_cache_read(cache, &primitive, opt_numbers[s - 2]);
      const struct traffic after = traffic_of(&unit);
      assert_int_equal(after.reads - before.reads, states[s].reads_l2);
      assert_int_equal(after.writes - before.writes, states[s].writes_l2);
      check_lines(cache, &states[s], policy == CM_POLICY_TCOR);
   }
   assert_int_equal(cache->counts[CM_PRIMITIVE_BUFFER_BYPASSES], bypasses);
   cm_attribute_cache_destroy(cache);
}

TEST(lru)
{
   walk(CM_POLICY_LRU, lru, 0);
}

TEST(opt)
{
   walk(CM_POLICY_TCOR, opt, 1);
}
