/* SPDX-License-Identifier: MIT */
/* The policies that GSPC compares against plain caches written from its text, on random accesses of all
 * streams, access by access and to the last counter; with a stream that passes by, too. OPT misses no more
 * than any of them, set by set. */
#include <stdlib.h>
#include <string.h>

#include "memory/cache.h"
#include "memory/next_use.h"
#include "memory/replacement/gspc.h"
#include "support/reference_streams.h"
#include "support/test.h"

enum { STEPS = 120000 };

struct step {
   uint64_t block, last; /* last: of the blocks that are invalidated, from block on; 0: an access */
   enum cm_stream stream;
   bool write;
};

struct shape {
   uint32_t sets, ways, banks;
   enum cm_index index;
   uint32_t uncached; /* 1 + a stream; 0: none */
   struct cm_gspc_config gspc;
   struct cm_rrip_config rrip;
};

static const struct shape shapes[] = {
   {256, 16, 4, CM_INDEX_MODULO, 0, {0}, {0}},
   {1024, 4, 4, CM_INDEX_MODULO, 0, {0}, {0}},
   {512, 8, 1, CM_INDEX_XOR, 0, {0}, {0}},
   {1024, 3, 16, CM_INDEX_XOR, 0, {2, 4, 4, CM_GSPC_SAMPLES_QUARTER}, {0}},
   {128, 8, 2, CM_INDEX_MODULO, 0, {16, 32, 2, CM_GSPC_SAMPLES_QUARTER}, {0}},
   {512, 8, 4, CM_INDEX_MODULO, 1 + CM_STREAM_COLOR, {0}, {0}},
   {2048, 1, 8, CM_INDEX_XOR, 1 + CM_STREAM_VERTEX, {4, 128, 1, CM_GSPC_SAMPLES_QUARTER}, {0}},
   {2048, 4, 4, CM_INDEX_MODULO, 0, {0}, {.leaders = CM_LEADERS_COMPLEMENT}},
   {1024, 4, 4, CM_INDEX_MODULO, 0, {0}, {.leaders = CM_LEADERS_HASH}},
   {1024, 4, 4, CM_INDEX_XOR, 0, {0}, {.leaders = CM_LEADERS_BANK}},
   {1024, 4, 4, CM_INDEX_MODULO, 0, {.samples = CM_GSPC_SAMPLES_SPREAD}, {0}},
   {256, 8, 2, CM_INDEX_XOR, 0, {4, 16, 2, CM_GSPC_SAMPLES_SPREAD}, {0}},
   {256, 8, 1, CM_INDEX_MODULO, 0, {0}, {.leaders = CM_LEADERS_COMPLEMENT}},
};

/* Render targets that are drawn, blended and, in some phases, used as textures; depth; textures used once and
 * several times; noise of all streams over all of it. A phase has its own shares of all that. */
static void
make_steps(struct step *steps, uint64_t seed, uint32_t blocks)
{
   uint64_t state = seed;
   uint32_t shares[6] = {0}, consumed = 0, depth_blocks = 1, texture_blocks = 1;
   for (uint32_t i = 0; i < STEPS; i++) {
      if (i % 6000 == 0) {
         for (unsigned k = 0; k < 6; k++)
            shares[k] = 1 + random_below(&state, 10);
         consumed = random_below(&state, 3) * blocks / 4;
         depth_blocks = 1 + random_below(&state, 4 * blocks);
         texture_blocks = 1 + random_below(&state, 4 * blocks);
      }
      uint32_t kind = 0, lot = random_below(&state, shares[0] + shares[1] + shares[2] + shares[3] +
                                                       shares[4] + shares[5]);
      while (lot >= shares[kind])
         lot -= shares[kind++];
      struct step step = {.block = 0};
      const uint32_t target = i / 16 % (2 * blocks);
      switch (kind) {
      case 0: step = (struct step){target, 0, CM_STREAM_COLOR, true}; break;
      case 1: step = (struct step){random_below(&state, consumed + 1), 0, CM_STREAM_TEXTURE, false}; break;
      case 2:
         step = (struct step){10 * blocks + random_below(&state, depth_blocks), 0, CM_STREAM_DEPTH, i % 2};
         break;
      case 3: step = (struct step){20 * blocks + i, 0, CM_STREAM_TEXTURE, false}; break;
      case 4:
         step =
            (struct step){40 * blocks + random_below(&state, texture_blocks), 0, CM_STREAM_TEXTURE, false};
         break;
      default:
         step = (struct step){random_below(&state, 12 * blocks), 0,
                              (enum cm_stream)random_below(&state, CM_STREAM_COUNT), i % 3 == 0};
         break;
      }
      if (i % 4001 == 4000)
         step.last = step.block + random_below(&state, blocks / 8);
      steps[i] = step;
   }
}

static struct cm_cache_config
configure(const struct shape *shape, enum cm_policy policy)
{
   return (struct cm_cache_config){
      .size = 64 * shape->sets * shape->ways,
      .ways = shape->ways,
      .block = 64,
      .instances = 1,
      .policy = policy,
      .index = shape->index,
      .next = CM_UNIT_DRAM,
      .banks = shape->banks,
      .uncached = shape->uncached,
      .gspc = shape->gspc,
      .rrip = shape->rrip,
   };
}

static uint64_t
misses_of(const struct cm_cache *cache, enum cm_stream stream)
{
   return cache->counts[stream][CM_CACHE_EVENT_MISSES] + cache->counts[stream][CM_CACHE_EVENT_BYPASSES];
}

/* True where the access hit. */
static bool
run_step(struct cm_cache *cache, const struct step *step)
{
   if (step->last) {
      cm_cache_invalidate(cache, step->block << 6, (step->last + 1) << 6);
      return true;
   }
   const uint64_t before = misses_of(cache, step->stream);
   cm_cache_access(cache, step->block << 6, step->stream, step->write ? CM_WRITE_BLOCK : CM_READ);
   return misses_of(cache, step->stream) == before;
}

/* All steps, hits and misses alike; in no set fewer misses than OPT's. */
static void
run_steps(struct cm_cache *cache, struct reference_streams *reference, const struct step *steps,
          const uint32_t *fewest)
{
   uint32_t *misses = calloc(reference->sets, sizeof *misses);
   for (uint32_t i = 0; i < STEPS; i++) {
      const struct step *step = &steps[i];
      bool hit = true;
      if (step->last)
         reference_streams_invalidate(reference, step->block, step->last);
      else
         hit = reference_streams_access(reference, step->block, step->stream, step->write);
      if (run_step(cache, step) != hit)
         fail_msg("%s%s, %u sets, step %u: expected a %s", cm_policy_names[reference->policy],
                  reference->foreseen ? " that knows" : "", reference->sets, i, hit ? "hit" : "miss");
      misses[reference_streams_set(reference, step->block)] += !hit;
   }
   for (uint32_t set = 0; set < reference->sets; set++)
      assert_true(fewest[set] <= misses[set]);
   free(misses);
}

static void
assert_banks_equal(const struct cm_cache *cache, const struct reference_streams *reference)
{
   for (uint32_t b = 0; b < reference->num_banks; b++) {
      const struct gspc_bank *bank = (const struct gspc_bank *)cache->bank_state + b;
      const struct reference_bank *expected = &reference->banks[b];
      const int pairs[][2] = {
         {bank->z_fills, expected->fill_z},
         {bank->z_hits, expected->hit_z},
         {bank->texture_fill[0], expected->fill_tex[0]},
         {bank->texture_fill[1], expected->fill_tex[1]},
         {bank->texture_hit[0], expected->hit_tex[0]},
         {bank->texture_hit[1], expected->hit_tex[1]},
         {bank->produced, expected->prod},
         {bank->consumed, expected->cons},
         {bank->accesses, expected->acc},
      };
      for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
         assert_int_equal(pairs[i][0], pairs[i][1]);
   }
}

static void
assert_equal(const struct cm_cache *cache, const struct reference_streams *reference)
{
   for (unsigned s = 0; s < CM_STREAM_COUNT; s++) {
      for (unsigned event = 0; event < CM_CACHE_EVENT_COUNT; event++)
         assert_int_equal(cm_cache_counter(cache, (enum cm_stream)s, (enum cm_cache_event)event),
                          reference->counts[s][event]);
      assert_int_equal(cache->dram->counts[s][CM_DRAM_EVENT_READS], reference->memory_reads[s]);
      assert_int_equal(cache->dram->counts[s][CM_DRAM_EVENT_WRITES], reference->memory_writes[s]);
   }
   for (size_t i = 0; i < (size_t)reference->sets * reference->ways; i++) {
      const struct reference_block *block = &reference->blocks[i];
      assert_int_equal(cache->lines[i] != CM_LINE_EMPTY, block->valid);
      if (block->valid)
         assert_int_equal(cache->lines[i], block->number << 8 | (uint64_t)block->stream << 1 | block->dirty);
   }
   if (cm_policy_samples(reference->policy))
      assert_banks_equal(cache, reference);
}

/* What has been seen, added up over the shapes. */
struct seen {
   uint64_t fills[4][16], texture_hits[4][16];
};

/* The totals of a run, and a second one that knows them. */
static void
check_oracle(const struct shape *shape, enum cm_policy policy, const struct step *steps,
             const uint32_t *fewest, struct cm_cache *learner, const struct reference_streams *learnt)
{
   const struct cm_cache_config config = configure(shape, policy);
   struct gspc_totals totals[GSPC_MAX_BANKS];
   struct cm_dram dram = {0};
   struct cm_cache cache;
   struct reference_streams reference;
   assert_true(cm_cache_init(&cache, &config, NULL, &dram));
   reference_streams_init(&reference, &config);
   reference.foreseen = true;
   gspc_take_totals(learner, totals);
   gspc_foresee(&cache, totals);
   for (uint32_t b = 0; b < reference.num_banks; b++) {
      const uint64_t *all = learnt->banks[b].totals;
      struct reference_bank *bank = &reference.banks[b];
      int *pairs[4][2] = {{&bank->fill_z, &bank->hit_z},
                          {&bank->fill_tex[0], &bank->hit_tex[0]},
                          {&bank->fill_tex[1], &bank->hit_tex[1]},
                          {&bank->prod, &bank->cons}};
      assert_memory_equal(totals[b].counts, all, sizeof learnt->banks[b].totals);
      for (unsigned p = 0; p < 4; p++) {
         uint64_t fills = all[pairs[p][0] - &bank->fill_z], hits = all[pairs[p][1] - &bank->fill_z];
         while (fills > 255 || hits > 255) {
            fills /= 2;
            hits /= 2;
         }
         *pairs[p][0] = (int)fills;
         *pairs[p][1] = (int)hits;
      }
   }
   run_steps(&cache, &reference, steps, fewest);
   assert_equal(&cache, &reference);
   gspc_take_totals(learner, totals);
   assert_true(!totals[0].counts[0]);
   reference_streams_finish(&reference);
   cm_cache_finish(&cache);
}

static void
check_policy(const struct shape *shape, enum cm_policy policy, const struct step *steps,
             const uint32_t *fewest, struct seen *seen)
{
   const struct cm_cache_config config = configure(shape, policy);
   struct cm_dram dram = {0};
   struct cm_cache cache;
   struct reference_streams reference;
   char error[256];
   if (!cm_cache_config_validate(&config, CM_CACHE_MAX_WAYS, "", error, sizeof error))
      fail_msg("%s", error);
   assert_true(cm_cache_init(&cache, &config, NULL, &dram));
   reference_streams_init(&reference, &config);
   run_steps(&cache, &reference, steps, fewest);
   assert_equal(&cache, &reference);
   for (unsigned kind = 0; kind < 4; kind++) {
      for (unsigned rrpv = 0; rrpv < 16; rrpv++) {
         seen->fills[kind][rrpv] += reference.fills[kind][rrpv];
         seen->texture_hits[kind][rrpv] += reference.texture_hits[kind][rrpv];
      }
   }
   if (shape->uncached) {
      const enum cm_stream stream = (enum cm_stream)(shape->uncached - 1);
      assert_int_equal(cm_cache_counter(&cache, stream, CM_CACHE_EVENT_BYPASSES),
                       cm_cache_counter(&cache, stream, CM_CACHE_EVENT_READS) +
                          cm_cache_counter(&cache, stream, CM_CACHE_EVENT_WRITES));
      assert_true(cm_cache_counter(&cache, stream, CM_CACHE_EVENT_BYPASSES) > 1000);
   }
   if (cm_policy_samples(policy))
      check_oracle(shape, policy, steps, fewest, &cache, &reference);
   reference_streams_finish(&reference);
   cm_cache_finish(&cache);
}

/* OPT's misses of each set. */
static void
find_fewest(const struct shape *shape, const struct step *steps, uint32_t *fewest)
{
   const struct cm_cache_config config = configure(shape, CM_POLICY_OPT);
   struct cm_next_use uses;
   cm_next_use_init(&uses);
   for (unsigned pass = 0; pass < 2; pass++) {
      struct cm_dram dram = {0};
      struct cm_cache cache;
      struct reference_streams sets = {.sets = shape->sets, .xor_index = shape->index == CM_INDEX_XOR};
      assert_true(cm_cache_init(&cache, &config, NULL, &dram));
      if (pass == 0)
         cm_cache_collect(&cache, &uses);
      else
         cm_cache_set_future(&cache, &uses);
      for (uint32_t i = 0; i < STEPS; i++) {
         const bool hit = run_step(&cache, &steps[i]);
         fewest[reference_streams_set(&sets, steps[i].block)] += pass == 1 && !hit;
      }
      assert_int_equal(uses.position, pass == 1 ? uses.count : 0);
      cm_next_use_rewind(&uses);
      cm_cache_finish(&cache);
   }
   cm_next_use_free(&uses);
}

static void
check_shape(const struct shape *shape, uint64_t seed, struct seen seen[CM_POLICY_COUNT])
{
   static const enum cm_policy policies[] = {
      CM_POLICY_BRRIP,  CM_POLICY_BRRIP4,     CM_POLICY_SRRIP,    CM_POLICY_SRRIP4,
      CM_POLICY_DRRIP,  CM_POLICY_DRRIP4,     CM_POLICY_GS_DRRIP, CM_POLICY_GS_DRRIP4,
      CM_POLICY_GSPZTC, CM_POLICY_GSPZTC_TSE, CM_POLICY_GSPC,     CM_POLICY_SHIP_MEM,
   };
   static struct step steps[STEPS];
   uint32_t *fewest = calloc(shape->sets, sizeof *fewest);
   make_steps(steps, seed, shape->sets * shape->ways);
   find_fewest(shape, steps, fewest);
   for (unsigned p = 0; p < sizeof policies / sizeof policies[0]; p++)
      check_policy(shape, policies[p], steps, fewest, &seen[policies[p]]);
   free(fewest);
}

/* Each arrow and each choice of the tables has been taken, or nothing was tested. */
static void
assert_all_seen(const struct seen seen[CM_POLICY_COUNT])
{
   enum { Z, TEXTURE, RENDER_TARGET, OTHER };
   for (unsigned policy = 0; policy < CM_POLICY_COUNT; policy++) {
      const uint64_t(*fills)[16] = seen[policy].fills, (*hits)[16] = seen[policy].texture_hits;
      if (policy == CM_POLICY_GS_DRRIP || policy == CM_POLICY_GS_DRRIP4) {
         const unsigned distant = policy == CM_POLICY_GS_DRRIP ? 3 : 15;
         for (unsigned kind = 0; kind < 4; kind++)
            assert_true(fills[kind][distant] > 1000 && fills[kind][distant - 1] > 1000);
      }
      if (!cm_policy_samples((enum cm_policy)policy))
         continue;
      assert_true(fills[Z][2] > 1000 && fills[Z][3] > 1000);
      assert_true(fills[TEXTURE][0] > 1000 && fills[TEXTURE][3] > 1000);
      assert_true(fills[RENDER_TARGET][0] > 1000 && fills[OTHER][2] > 1000);
      assert_int_equal(policy == CM_POLICY_GSPC, fills[RENDER_TARGET][2] > 1000);
      assert_int_equal(policy == CM_POLICY_GSPC, fills[RENDER_TARGET][3] > 1000);
      const bool epochs = policy != CM_POLICY_GSPZTC;
      assert_true(hits[0][0] > 1000 && hits[3][0] > 1000);
      assert_int_equal(epochs, hits[1][0] > 1000 && hits[2][0] > 1000);
      assert_int_equal(epochs, hits[0][3] > 1000 && hits[3][3] > 1000);
   }
}

TEST(against_reference)
{
   static struct seen seen[CM_POLICY_COUNT];
   for (unsigned s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
      check_shape(&shapes[s], s, seen);
   assert_all_seen(seen);
}

/* GS-DRRIP needs no samples of a certain number: any cache, down to one set. */
TEST(small_caches)
{
   static struct step steps[STEPS];
   static uint32_t none[64];
   static struct seen seen;
   for (uint32_t sets = 1; sets <= 64; sets *= 2) {
      make_steps(steps, sets, 4 * sets + 8);
      for (enum cm_leaders leaders = CM_LEADERS_GROUPS; leaders <= CM_LEADERS_BANK; leaders++) {
         const struct shape shape = {sets, 4, 1, CM_INDEX_MODULO, 0, {0}, {.leaders = leaders}};
         check_policy(&shape, CM_POLICY_GS_DRRIP, steps, none, &seen);
         check_policy(&shape, CM_POLICY_GS_DRRIP4, steps, none, &seen);
      }
   }
}
