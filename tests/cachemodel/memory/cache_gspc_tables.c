/* SPDX-License-Identifier: MIT */
/* Tables 2 to 5 of GSPC row by row, in sample and in other sets; the states of Figure 10; counters that
 * are full, and their halving. */
#include <string.h>

#include "memory/cache.h"
#include "memory/replacement/gspc.h"
#include "support/test.h"

enum { SETS = 1024, WAYS = 4, BANKS = 4 };
enum { SAMPLE = 65, NOT_SAMPLE = 66 }; /* sets, of banks 1 and 2 */

static const enum cm_policy policies[] = {CM_POLICY_GSPZTC, CM_POLICY_GSPZTC_TSE, CM_POLICY_GSPC};
enum { NUM_POLICIES = 3 };
enum { ZTC = 1, TSE = 2, GSPC = 4, ALL = ZTC | TSE | GSPC }; /* bits of policies[] */

static void
init(struct cm_cache *cache, struct cm_dram *dram, enum cm_policy policy, struct cm_gspc_config gspc)
{
   const struct cm_cache_config config = {
      .size = SETS * WAYS * 64,
      .ways = WAYS,
      .block = 64,
      .instances = 1,
      .policy = policy,
      .next = CM_UNIT_DRAM,
      .banks = BANKS,
      .gspc = gspc,
   };
   char error[256];
   assert_true(cm_cache_config_validate(&config, CM_CACHE_MAX_WAYS, "", error, sizeof error));
   memset(dram, 0, sizeof *dram);
   assert_true(cm_cache_init(cache, &config, NULL, dram));
}

static struct gspc_bank *
bank_of(const struct cm_cache *cache, uint32_t set)
{
   return (struct gspc_bank *)cache->bank_state + set % BANKS;
}

static uint8_t *
prediction_of(const struct cm_cache *cache, uint32_t set, unsigned way)
{
   return cache->state + (size_t)set * 2 * WAYS + way;
}

static uint8_t *
state_of(const struct cm_cache *cache, uint32_t set, unsigned way)
{
   return prediction_of(cache, set, way) + WAYS;
}

/* An access to the set's block of a number. */
static void
access_set(struct cm_cache *cache, uint32_t set, uint32_t number, enum cm_stream stream,
           enum cm_access access)
{
   cm_cache_access(cache, ((uint64_t)number * SETS + set) * 64, stream, access);
}

/* ---- the tables --------------------------------------------------------- */

/* An event: a fill, or a hit on a block in a state. What the counters are before, what the block's
 * prediction and state are after it, and by how much the bank's counters grow. */
struct row {
   const char *event;
   unsigned policies;
   enum cm_stream stream;
   int before; /* -1: a fill */
   struct gspc_bank counters;
   uint8_t prediction, state;
   struct gspc_bank counted;
};

#define FILL (-1)
#define TEX CM_STREAM_TEXTURE
#define RT CM_STREAM_COLOR
#define Z CM_STREAM_DEPTH

/* Counters that would make each fill and each hit distant in the other sets. */
#define UNLIKELY              \
   {.z_fills = 90,            \
    .z_hits = 1,              \
    .texture_fill = {90, 90}, \
    .texture_hit = {1, 1},    \
    .produced = 90,           \
    .consumed = 1,            \
    .accesses = 20}

static const struct row sample_rows[] = {
   /* Table 3. */
   {"Z fill", ALL, Z, FILL, UNLIKELY, 2, 0, {.z_fills = 1, .accesses = 1}},
   {"Z hit", ALL, Z, 0, UNLIKELY, 0, 0, {.z_hits = 1, .accesses = 1}},
   {"Z hit on 01", TSE | GSPC, Z, 1, UNLIKELY, 0, 1, {.z_hits = 1, .accesses = 1}},
   {"Z hit on 10", TSE | GSPC, Z, 2, UNLIKELY, 0, 2, {.z_hits = 1, .accesses = 1}},
   {"Z hit on a render target", ALL, Z, 3, UNLIKELY, 0, 3, {.z_hits = 1, .accesses = 1}},
   {"TEX fill", ALL, TEX, FILL, UNLIKELY, 2, 0, {.texture_fill = {1, 0}, .accesses = 1}},
   {"RT to TEX hit", ZTC | TSE, TEX, 3, UNLIKELY, 0, 0, {.texture_fill = {1, 0}, .accesses = 1}},
   {"TEX hit", ZTC, TEX, 0, UNLIKELY, 0, 0, {.texture_hit = {1, 0}, .accesses = 1}},
   {"other fill", ALL, CM_STREAM_VERTEX, FILL, UNLIKELY, 2, 0, {.accesses = 1}},
   {"other fill", ALL, CM_STREAM_STENCIL, FILL, UNLIKELY, 2, 0, {.accesses = 1}},
   {"other hit", ALL, CM_STREAM_VERTEX, 0, UNLIKELY, 0, 0, {.accesses = 1}},
   {"other hit", ALL, CM_STREAM_STENCIL, 0, UNLIKELY, 0, 0, {.accesses = 1}},
   {"other hit on a render target", ALL, CM_STREAM_CONSTANT, 3, UNLIKELY, 0, 3, {.accesses = 1}},
   {"RT fill", ZTC | TSE, RT, FILL, UNLIKELY, 2, 3, {.accesses = 1}},
   {"RT hit", ALL, RT, 3, UNLIKELY, 0, 3, {.accesses = 1}},
   {"RT hit on 00", ALL, RT, 0, UNLIKELY, 0, 3, {.accesses = 1}},
   /* Table 4. */
   {"RT hit on 01", TSE | GSPC, RT, 1, UNLIKELY, 0, 3, {.accesses = 1}},
   {"RT hit on 10", TSE | GSPC, RT, 2, UNLIKELY, 0, 3, {.accesses = 1}},
   {"TEX hit on 00",
    TSE | GSPC,
    TEX,
    0,
    UNLIKELY,
    0,
    1,
    {.texture_hit = {1, 0}, .texture_fill = {0, 1}, .accesses = 1}},
   {"TEX hit on 01", TSE | GSPC, TEX, 1, UNLIKELY, 0, 2, {.texture_hit = {0, 1}, .accesses = 1}},
   {"TEX hit on 10", TSE | GSPC, TEX, 2, UNLIKELY, 0, 2, {.accesses = 1}},
   /* Table 5. */
   {"RT fill", GSPC, RT, FILL, UNLIKELY, 2, 3, {.produced = 1, .accesses = 1}},
   {"RT to TEX hit", GSPC, TEX, 3, UNLIKELY, 0, 0, {.texture_fill = {1, 0}, .consumed = 1, .accesses = 1}},
};

static const struct row other_rows[] = {
   /* Table 3, with the paper's t = 8. */
   {"Z fill, FILL(Z) = 0", ALL, Z, FILL, {.z_fills = 0}, 2, 0, {0}},
   {"Z fill, FILL(Z) = 8 HIT(Z)", ALL, Z, FILL, {.z_fills = 40, .z_hits = 5}, 2, 0, {0}},
   {"Z fill, FILL(Z) > 8 HIT(Z)", ALL, Z, FILL, {.z_fills = 41, .z_hits = 5}, 3, 0, {0}},
   {"Z fill, HIT(Z) = 0", ALL, Z, FILL, {.z_fills = 1}, 3, 0, {0}},
   {"Z hit", ALL, Z, 0, UNLIKELY, 0, 0, {0}},
   {"Z hit on 01", TSE | GSPC, Z, 1, UNLIKELY, 0, 1, {0}},
   {"TEX fill, FILL(TEX) = 0", ALL, TEX, FILL, {.texture_fill = {0, 9}}, 0, 0, {0}},
   {"TEX fill, FILL(TEX) = 8 HIT(TEX)",
    ALL,
    TEX,
    FILL,
    {.texture_fill = {248, 90}, .texture_hit = {31, 1}},
    0,
    0,
    {0}},
   {"TEX fill, FILL(TEX) > 8 HIT(TEX)",
    ALL,
    TEX,
    FILL,
    {.texture_fill = {249, 0}, .texture_hit = {31, 90}},
    3,
    0,
    {0}},
   {"RT fill", ZTC | TSE, RT, FILL, UNLIKELY, 0, 3, {0}},
   {"other fill", ALL, CM_STREAM_VERTEX, FILL, UNLIKELY, 2, 0, {0}},
   {"other fill", ALL, CM_STREAM_INDEX, FILL, UNLIKELY, 2, 0, {0}},
   {"other fill", ALL, CM_STREAM_PB_LIST, FILL, UNLIKELY, 2, 0, {0}},
   {"other fill", ALL, CM_STREAM_PB_ATTRIBUTE, FILL, UNLIKELY, 2, 0, {0}},
   {"other fill", ALL, CM_STREAM_STENCIL, FILL, UNLIKELY, 2, 0, {0}},
   {"other fill", ALL, CM_STREAM_SHADER, FILL, UNLIKELY, 2, 0, {0}},
   {"other fill", ALL, CM_STREAM_CONSTANT, FILL, UNLIKELY, 2, 0, {0}},
   {"other hit", ALL, CM_STREAM_SHADER, 0, UNLIKELY, 0, 0, {0}},
   {"other hit on 10", TSE | GSPC, CM_STREAM_SHADER, 2, UNLIKELY, 0, 2, {0}},
   {"other hit on a render target", ALL, CM_STREAM_SHADER, 3, UNLIKELY, 0, 3, {0}},
   {"any hit: RT to TEX", ZTC, TEX, 3, UNLIKELY, 0, 0, {0}},
   {"any hit: TEX", ZTC, TEX, 0, UNLIKELY, 0, 0, {0}},
   /* Table 4. */
   {"RT hit", ALL, RT, 3, UNLIKELY, 0, 3, {0}},
   {"RT hit on 00", ALL, RT, 0, UNLIKELY, 0, 3, {0}},
   {"RT hit on 01", TSE | GSPC, RT, 1, UNLIKELY, 0, 3, {0}},
   {"RT hit on 10", TSE | GSPC, RT, 2, UNLIKELY, 0, 3, {0}},
   {"RT to TEX hit, FILL(0) = 8 HIT(0)",
    TSE | GSPC,
    TEX,
    3,
    {.texture_fill = {80, 90}, .texture_hit = {10, 1}},
    0,
    0,
    {0}},
   {"RT to TEX hit, FILL(0) > 8 HIT(0)",
    TSE | GSPC,
    TEX,
    3,
    {.texture_fill = {81, 0}, .texture_hit = {10, 90}},
    3,
    0,
    {0}},
   {"TEX hit on 00, FILL(1) = 8 HIT(1)",
    TSE | GSPC,
    TEX,
    0,
    {.texture_fill = {90, 80}, .texture_hit = {1, 10}},
    0,
    1,
    {0}},
   {"TEX hit on 00, FILL(1) > 8 HIT(1)",
    TSE | GSPC,
    TEX,
    0,
    {.texture_fill = {0, 81}, .texture_hit = {90, 10}},
    3,
    1,
    {0}},
   {"TEX hit on 01", TSE | GSPC, TEX, 1, UNLIKELY, 0, 2, {0}},
   {"TEX hit on 10", TSE | GSPC, TEX, 2, UNLIKELY, 0, 2, {0}},
   /* Table 5. */
   {"RT fill, PROD = CONS = 0", GSPC, RT, FILL, {.produced = 0}, 0, 3, {0}},
   {"RT fill, PROD = 8 CONS", GSPC, RT, FILL, {.produced = 80, .consumed = 10}, 0, 3, {0}},
   {"RT fill, PROD > 8 CONS", GSPC, RT, FILL, {.produced = 81, .consumed = 10}, 2, 3, {0}},
   {"RT fill, PROD = 16 CONS", GSPC, RT, FILL, {.produced = 160, .consumed = 10}, 2, 3, {0}},
   {"RT fill, PROD > 16 CONS", GSPC, RT, FILL, {.produced = 161, .consumed = 10}, 3, 3, {0}},
   {"RT fill, CONS = 0", GSPC, RT, FILL, {.produced = 1}, 3, 3, {0}},
};

static void
add_counters(struct gspc_bank *bank, const struct gspc_bank *counted)
{
   uint8_t *to = (uint8_t *)bank;
   for (unsigned i = 0; i < sizeof *bank; i++)
      to[i] = (uint8_t)(to[i] + ((const uint8_t *)counted)[i]);
}

static void
check_row(const struct row *row, enum cm_policy policy, uint32_t set, enum cm_access access,
          struct cm_gspc_config gspc)
{
   struct cm_dram dram;
   struct cm_cache cache;
   init(&cache, &dram, policy, gspc);
   const bool is_hit = row->before != FILL;
   if (is_hit) {
      access_set(&cache, set, 0, CM_STREAM_VERTEX, CM_READ);
      *prediction_of(&cache, set, 0) = 1;
      *state_of(&cache, set, 0) = (uint8_t)row->before;
   }
   struct gspc_bank expected[BANKS];
   for (unsigned bank = 0; bank < BANKS; bank++)
      *bank_of(&cache, bank) = expected[bank] = row->counters;
   add_counters(&expected[set % BANKS], &row->counted);

   access_set(&cache, set, 0, row->stream, access);
   assert_int_equal(cm_cache_counter(&cache, row->stream, CM_CACHE_EVENT_HITS), is_hit);
   const unsigned prediction = *prediction_of(&cache, set, 0), state = *state_of(&cache, set, 0);
   if (prediction != row->prediction || state != row->state)
      fail_msg("%s, %s, set %u: prediction %u, state %u, expected %u, %u", cm_policy_names[policy],
               row->event, set, prediction, state, row->prediction, row->state);
   if (memcmp(cache.bank_state, expected, sizeof expected) != 0)
      fail_msg("%s, %s, set %u: the counters are not as expected", cm_policy_names[policy], row->event, set);
   cm_cache_finish(&cache);
}

static void
check_rows(const struct row *rows, unsigned count, uint32_t set)
{
   for (unsigned r = 0; r < count; r++) {
      for (unsigned p = 0; p < NUM_POLICIES; p++) {
         if (!(rows[r].policies >> p & 1))
            continue;
         for (unsigned access = CM_READ; access <= CM_WRITE_BLOCK; access++)
            check_row(&rows[r], policies[p], set, (enum cm_access)access, (struct cm_gspc_config){0});
      }
   }
}

TEST(tables)
{
   check_rows(sample_rows, sizeof sample_rows / sizeof sample_rows[0], SAMPLE);
   check_rows(other_rows, sizeof other_rows / sizeof other_rows[0], NOT_SAMPLE);
}

/* The thresholds of a configuration. */
TEST(thresholds)
{
   static const struct row rows[][2] = {
      {{"Z, FILL = t HIT", ALL, Z, FILL, {.z_fills = 32, .z_hits = 2}, 2, 0, {0}},
       {"Z, FILL > t HIT", ALL, Z, FILL, {.z_fills = 33, .z_hits = 2}, 3, 0, {0}}},
      {{"TEX, FILL = t HIT", ALL, TEX, FILL, {.texture_fill = {16, 0}, .texture_hit = {1, 0}}, 0, 0, {0}},
       {"TEX, FILL > t HIT", ALL, TEX, FILL, {.texture_fill = {17, 0}, .texture_hit = {1, 0}}, 3, 0, {0}}},
      {{"RT, PROD = 2 CONS", GSPC, RT, FILL, {.produced = 4, .consumed = 2}, 0, 3, {0}},
       {"RT, PROD > 2 CONS", GSPC, RT, FILL, {.produced = 5, .consumed = 2}, 2, 3, {0}}},
      {{"RT, PROD = 64 CONS", GSPC, RT, FILL, {.produced = 128, .consumed = 2}, 2, 3, {0}},
       {"RT, PROD > 64 CONS", GSPC, RT, FILL, {.produced = 129, .consumed = 2}, 3, 3, {0}}},
   };
   const struct cm_gspc_config gspc = {.threshold = 16, .render_target_distant = 64, .render_target_long = 2};
   for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++) {
      for (unsigned p = 0; p < NUM_POLICIES; p++) {
         for (unsigned side = 0; side < 2 && rows[r][0].policies >> p & 1; side++)
            check_row(&rows[r][side], policies[p], NOT_SAMPLE, CM_READ, gspc);
      }
   }
}

/* ---- Figure 10 ---------------------------------------------------------- */

struct transition {
   enum cm_stream stream;
   uint8_t state;
};

static void
walk(enum cm_policy policy, uint32_t set, const struct transition *path, unsigned length)
{
   struct cm_dram dram;
   struct cm_cache cache;
   init(&cache, &dram, policy, (struct cm_gspc_config){0});
   for (unsigned i = 0; i < length; i++) {
      access_set(&cache, set, 0, path[i].stream, CM_READ);
      if (*state_of(&cache, set, 0) != path[i].state)
         fail_msg("%s, set %u, step %u: state %u, expected %u", cm_policy_names[policy], set, i,
                  *state_of(&cache, set, 0), path[i].state);
   }
   /* The state ends with the block: others take its place. */
   for (unsigned number = 1; number <= 8 * WAYS; number++)
      access_set(&cache, set, number, CM_STREAM_VERTEX, CM_READ);
   access_set(&cache, set, 0, TEX, CM_READ);
   assert_int_equal(cm_cache_counter(&cache, CM_STREAM_VERTEX, CM_CACHE_EVENT_MISSES), 8 * WAYS);
   for (unsigned way = 0; way < WAYS; way++)
      assert_int_equal(*state_of(&cache, set, way), 0);
   cm_cache_finish(&cache);
}

TEST(states)
{
   static const struct transition with_epochs[] = {
      {TEX, 0}, {TEX, 1}, {TEX, 2},
      {TEX, 2}, {Z, 2}, /* a texture; 10 stays */
      {RT, 3},  {RT, 3},  {Z, 3},
      {TEX, 0}, {RT, 3},  {TEX, 0}, /* over 10, over 00 */
      {TEX, 1}, {RT, 3},  {TEX, 0},
      {Z, 0},   {TEX, 1}, {CM_STREAM_INDEX, 1}, /* over 01 */
      {TEX, 2}, {RT, 3},  {CM_STREAM_SHADER, 3},
      {TEX, 0},
   };
   static const struct transition from_render_target[] = {{RT, 3}, {TEX, 0}, {TEX, 1}, {TEX, 2}, {TEX, 2}};
   static const struct transition from_depth[] = {{Z, 0}, {Z, 0}, {TEX, 1}, {TEX, 2}, {Z, 2}};
   static const struct transition without_epochs[] = {
      {TEX, 0}, {TEX, 0}, {RT, 3}, {Z, 3}, {TEX, 0}, {TEX, 0}, {RT, 3}, {CM_STREAM_VERTEX, 3}, {TEX, 0},
   };
#define WALK(policy, set, path) walk(policy, set, path, sizeof path / sizeof path[0])
   for (unsigned s = 0; s < 2; s++) {
      const uint32_t set = s ? SAMPLE : NOT_SAMPLE;
      for (unsigned p = 1; p < NUM_POLICIES; p++) {
         WALK(policies[p], set, with_epochs);
         WALK(policies[p], set, from_render_target);
         WALK(policies[p], set, from_depth);
      }
      WALK(CM_POLICY_GSPZTC, set, without_epochs);
   }
}

/* ---- Table 2: samples are srrip ----------------------------------------- */

TEST(samples_are_srrip)
{
   for (unsigned p = 0; p < NUM_POLICIES; p++) {
      struct cm_dram drams[2];
      struct cm_cache caches[2];
      init(&caches[0], &drams[0], policies[p], (struct cm_gspc_config){0});
      init(&caches[1], &drams[1], CM_POLICY_SRRIP, (struct cm_gspc_config){0});
      uint64_t state = 5;
      for (unsigned i = 0; i < 20000; i++) {
         const uint32_t set = random_below(&state, 16) * 65, number = random_below(&state, 3 * WAYS);
         const enum cm_stream stream = (enum cm_stream)random_below(&state, CM_STREAM_COUNT);
         for (unsigned c = 0; c < 2; c++)
            access_set(&caches[c], set, number, stream, i % 3 ? CM_READ : CM_WRITE);
         assert_memory_equal(prediction_of(&caches[0], set, 0),
                             caches[1].state + (size_t)set * caches[1].state_bytes, WAYS);
      }
      assert_memory_equal(caches[0].lines, caches[1].lines, sizeof(cm_line) * SETS * WAYS);
      assert_memory_equal(caches[0].counts, caches[1].counts, sizeof caches[0].counts);
      cm_cache_finish(&caches[0]);
      cm_cache_finish(&caches[1]);
   }
}

/* ---- halving ------------------------------------------------------------ */

TEST(halving)
{
   for (unsigned p = 0; p < NUM_POLICIES; p++) {
      struct cm_dram dram;
      struct cm_cache cache;
      init(&cache, &dram, policies[p], (struct cm_gspc_config){0});
      const struct gspc_bank before = {.z_fills = 255,
                                       .z_hits = 7,
                                       .texture_fill = {100, 33},
                                       .texture_hit = {1, 0},
                                       .produced = 11,
                                       .consumed = 254,
                                       .accesses = 0};
      for (unsigned bank = 0; bank < BANKS; bank++)
         *bank_of(&cache, bank) = before;
      /* 126 accesses count as such and no more; the block of Z that then comes in is the 127th. */
      for (unsigned i = 0; i < 126; i++) {
         access_set(&cache, SAMPLE, 0, CM_STREAM_VERTEX, CM_READ);
         access_set(&cache, NOT_SAMPLE, i, Z, CM_READ);
      }
      struct gspc_bank expected = before;
      expected.accesses = 126;
      assert_memory_equal(bank_of(&cache, SAMPLE), &expected, sizeof expected);
      access_set(&cache, SAMPLE, 1, Z, CM_READ);
      expected = (struct gspc_bank){.z_fills = 127, /* 255 is the most */
                                    .z_hits = 3,
                                    .texture_fill = {50, 16},
                                    .texture_hit = {0, 0},
                                    .produced = 5,
                                    .consumed = 127,
                                    .accesses = 0};
      assert_memory_equal(bank_of(&cache, SAMPLE), &expected, sizeof expected);
      access_set(&cache, SAMPLE, 1, Z, CM_READ);
      expected.z_hits = 4;
      expected.accesses = 1;
      assert_memory_equal(bank_of(&cache, SAMPLE), &expected, sizeof expected);
      for (unsigned bank = 0; bank < BANKS; bank++) {
         if (bank != SAMPLE % BANKS)
            assert_memory_equal(bank_of(&cache, bank), &before, sizeof before);
      }
      cm_cache_finish(&cache);
   }
}

/* Each counter stays at 255. */
TEST(saturation)
{
   static const struct {
      enum cm_stream stream;
      int before;
   } events[] = {{Z, FILL}, {Z, 0}, {TEX, FILL}, {TEX, 0}, {TEX, 1}, {TEX, 3}, {RT, FILL}};
   for (unsigned p = 0; p < NUM_POLICIES; p++) {
      for (unsigned e = 0; e < sizeof events / sizeof events[0]; e++) {
         struct cm_dram dram;
         struct cm_cache cache;
         init(&cache, &dram, policies[p], (struct cm_gspc_config){0});
         if (events[e].before != FILL) {
            access_set(&cache, SAMPLE, 0, CM_STREAM_VERTEX, CM_READ);
            *state_of(&cache, SAMPLE, 0) = (uint8_t)events[e].before;
         }
         struct gspc_bank full;
         memset(&full, 255, sizeof full);
         full.accesses = 9;
         *bank_of(&cache, SAMPLE) = full;
         access_set(&cache, SAMPLE, 0, events[e].stream, CM_READ);
         full.accesses = 10;
         assert_memory_equal(bank_of(&cache, SAMPLE), &full, sizeof full);
         cm_cache_finish(&cache);
      }
   }
}
