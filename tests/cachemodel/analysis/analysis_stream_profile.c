/* SPDX-License-Identifier: MIT */
/* What GSPC measures of the streams in a cache: on accesses made by hand, and on random ones against the lives
 * of all blocks written down as texts. What an observer is told of each access, for every policy. */
#include <stdlib.h>
#include <string.h>

#include "analysis/stream_profile.h"
#include "memory/next_use.h"
#include "support/test.h"

#define TEX CM_STREAM_TEXTURE
#define RT CM_STREAM_COLOR
#define Z CM_STREAM_DEPTH
#define VERTEX CM_STREAM_VERTEX

/* ---- by hand ------------------------------------------------------------ */

/* An access to a block, or its invalidation, and by how much the counts grow. */
struct row {
   enum cm_stream stream;
   char block;
   enum { HIT, MISS, INVALIDATE } what;
   struct cm_stream_profile_counts counted;
};

/* One set of four ways, LRU. */
#define NOTHING {.produced = 0}

static const struct row rows[] = {
   /* A render target, drawn and blended, is consumed once; then it is a texture of growing age. */
   {RT, 'A', MISS, {.produced = 1}},
   {RT, 'A', HIT, NOTHING},
   {TEX, 'A', HIT, {.inter_stream_hits = 1, .consumed = 1, .texture = {.entered = {1}}}},
   {TEX, 'A', HIT, {.intra_stream_hits = 1, .texture = {.entered = {0, 1}, .hits = {1}}}},
   {TEX, 'A', HIT, {.intra_stream_hits = 1, .texture = {.entered = {0, 0, 1}, .hits = {0, 1}}}},
   {TEX, 'A', HIT, {.intra_stream_hits = 1, .texture = {.entered = {0, 0, 0, 1}, .hits = {0, 0, 1}}}},
   {TEX, 'A', HIT, {.intra_stream_hits = 1, .texture = {.hits = {0, 0, 0, 1}}}},
   {TEX, 'A', HIT, {.intra_stream_hits = 1, .texture = {.hits = {0, 0, 0, 1}}}},
   /* Drawn over, it is produced again. */
   {RT, 'A', HIT, {.produced = 1}},
   /* Depth, which then is a shadow map. */
   {Z, 'B', MISS, {.z_produced = 1, .z = {.entered = {1}}}},
   {Z, 'B', HIT, {.z = {.entered = {0, 1}, .hits = {1}}}},
   {VERTEX, 'B', HIT, NOTHING},
   {Z, 'B', HIT, {.z = {.entered = {0, 0, 1}, .hits = {0, 1}}}},
   {TEX,
    'B',
    HIT,
    {.intra_stream_hits = 1, .first_texture_hits = 1, .z_consumed = 1, .texture = {.entered = {1}}}},
   {VERTEX, 'B', HIT, NOTHING},
   {TEX, 'B', HIT, {.intra_stream_hits = 1, .texture = {.entered = {0, 1}, .hits = {1}}}},
   {Z, 'B', HIT, {.z_produced = 1, .z = {.entered = {1}}}},
   /* A stays a render target while depth is accessed there. */
   {Z, 'A', HIT, {.z_produced = 1, .z = {.entered = {1}}}},
   {RT, 'A', HIT, NOTHING},
   {TEX, 'A', HIT, {.inter_stream_hits = 1, .consumed = 1, .texture = {.entered = {1}}}},
   /* Static textures; two of them leave the cache for others. */
   {TEX, 'C', MISS, {.texture = {.entered = {1}}}},
   {RT, 'D', MISS, {.produced = 1}},
   {TEX, 'E', MISS, {.texture = {.entered = {1}}}}, /* B leaves */
   {TEX, 'B', MISS, {.texture = {.entered = {1}}}}, /* A leaves */
   {TEX, 'B', HIT, {.intra_stream_hits = 1, .texture = {.entered = {0, 1}, .hits = {1}}}},
   {TEX, 'C', HIT, {.intra_stream_hits = 1, .texture = {.entered = {0, 1}, .hits = {1}}}},
   {VERTEX, 'F', MISS, NOTHING}, /* D leaves, and nobody has consumed it */
   {TEX, 'D', MISS, {.texture = {.entered = {1}}}},
   {TEX, 'F', HIT, {.intra_stream_hits = 1, .first_texture_hits = 1, .texture = {.entered = {1}}}},
   /* So does what is invalidated. */
   {RT, 'D', HIT, {.produced = 1}},
   {RT, 'D', INVALIDATE, NOTHING},
   {TEX, 'D', MISS, {.texture = {.entered = {1}}}},
};

static void
add(struct cm_stream_profile_counts *sum, const struct cm_stream_profile_counts *counted)
{
   uint64_t *to = (uint64_t *)sum;
   for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
      to[i] += ((const uint64_t *)counted)[i];
}

static void
assert_hits(const struct cm_cache *cache, const uint64_t hits[CM_STREAM_COUNT])
{
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      assert_int_equal(cm_cache_counter(cache, (enum cm_stream)stream, CM_CACHE_EVENT_HITS), hits[stream]);
}

TEST(by_hand)
{
   const struct cm_cache_config config = {
      .size = 256, .ways = 4, .block = 64, .instances = 1, .next = CM_UNIT_DRAM};
   struct cm_dram dram = {0};
   struct cm_cache cache;
   struct cm_stream_profile_counts expected = {0};
   uint64_t hits[CM_STREAM_COUNT] = {0};
   assert_true(cm_cache_init(&cache, &config, NULL, &dram));
   struct cm_stream_profile *profile = cm_stream_profile_create(&config, &cache);
   const struct cm_stream_profile_counts *counts = cm_stream_profile_counts(profile);
   for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
      const uint64_t address = (uint64_t)rows[i].block * 64;
      if (rows[i].what == INVALIDATE) {
         cm_cache_invalidate(&cache, address, address + 64);
      } else {
         cm_stream_profile_access(profile, address + 8, rows[i].stream, i % 2 ? CM_READ : CM_WRITE);
         hits[rows[i].stream] += rows[i].what == HIT;
      }
      add(&expected, &rows[i].counted);
      if (memcmp(counts, &expected, sizeof expected) != 0)
         fail_msg("row %u: the counts are not as expected", i);
      assert_hits(&cache, hits);
   }
   /* Of texture blocks in epoch 0 … */
   assert_int_equal(counts->texture.entered[0], 9);
   assert_int_equal(counts->texture.entered[1], 4);
   assert_true(cm_epoch_death_ratio(&counts->texture, 0) == 5.0 / 9);
   assert_true(cm_epoch_death_ratio(&counts->texture, 1) == 3.0 / 4);
   assert_true(cm_epoch_death_ratio(&counts->texture, 2) == 0);
   assert_true(cm_epoch_death_ratio(&counts->z, 0) == 2.0 / 3);
   assert_true(cm_epoch_death_ratio(&counts->z, 1) == 0);
   assert_true(cm_epoch_death_ratio(&counts->z, 2) == 1);
   const struct cm_epochs none = {0};
   assert_true(cm_epoch_death_ratio(&none, 0) == 0);
   cm_cache_finish(&cache);
   cm_stream_profile_destroy(profile);
}

/* ---- against the lives of blocks ---------------------------------------- */

enum { SETS = 16, WAYS = 4, BLOCKS = 6 * SETS * WAYS, STEPS = 60000 };

/* A block's life in the cache: a letter for each access; empty: it is not there. */
struct life {
   char *letters;
   size_t length, capacity;
};

struct lives {
   struct cm_cache *cache;
   struct cm_stream_profile *profile;
   struct life blocks[BLOCKS];
   uint64_t outcomes[3], evictions;
   struct cm_stream_profile_counts counts;
   uint64_t hits[CM_STREAM_COUNT];
};

static char
letter_of(enum cm_stream stream)
{
   return stream == RT || stream == CM_STREAM_DISPLAY ? 'R' : stream == TEX ? 'T' : stream == Z ? 'Z' : 'o';
}

/* A run of n letters: a life in epochs. */
static void
count_run(struct cm_epochs *epochs, size_t n)
{
   for (size_t i = 0; i < n; i++) {
      if (i < CM_EPOCHS)
         epochs->entered[i]++;
      if (i > 0)
         epochs->hits[i - 1 < CM_EPOCHS - 1 ? i - 1 : CM_EPOCHS - 1]++;
   }
}

static void
count_letters(struct cm_stream_profile_counts *counts, const char *letters, size_t length)
{
   size_t run = 0;
   char running = 0, last_image = 0; /* the last of R and T */
   char last_drawn = 0;              /* the last of R, T and Z */
   for (size_t i = 0; i < length; i++) {
      const char letter = letters[i];
      counts->z_produced += letter == 'Z' && last_drawn != 'Z';
      counts->z_consumed += letter == 'T' && last_drawn == 'Z' && last_image != 'R';
      if (letter != 'o')
         last_drawn = letter;
      if (letter == 'R' && last_image != 'R')
         counts->produced++;
      if (letter == 'T' && last_image == 'R') {
         counts->inter_stream_hits++;
         counts->consumed++;
      } else if (letter == 'T' && i > 0) {
         counts->intra_stream_hits++;
         counts->first_texture_hits += running != 'T';
      }
      if (letter == 'R' || letter == 'T')
         last_image = letter;
      if (letter == 'o')
         continue;
      if (letter != running && (running == 'T' || running == 'Z'))
         count_run(running == 'T' ? &counts->texture : &counts->z, run);
      run = letter == running ? run + 1 : 1;
      running = letter;
   }
   if (running == 'T' || running == 'Z')
      count_run(running == 'T' ? &counts->texture : &counts->z, run);
}

static void
end_life(struct lives *lives, uint64_t block)
{
   struct life *life = &lives->blocks[block];
   count_letters(&lives->counts, life->letters, life->length);
   life->length = 0;
}

static void
live(struct lives *lives, uint64_t block, enum cm_stream stream)
{
   struct life *life = &lives->blocks[block];
   if (life->length == life->capacity) {
      life->capacity = life->capacity * 2 + 16;
      life->letters = realloc(life->letters, life->capacity);
      assert_non_null(life->letters);
   }
   life->letters[life->length++] = letter_of(stream);
}

static bool
holds(const cm_line *lines, uint64_t block)
{
   for (unsigned way = 0; way < WAYS; way++) {
      if (lines[way] != CM_LINE_EMPTY && lines[way] >> 8 == block)
         return true;
   }
   return false;
}

enum outcome { HIT_BLOCK, MISSED_BLOCK, BYPASSED_BLOCK };

/* An access, of which the cache's lines before and after tell what became. */
static void
access_block(struct lives *lives, uint64_t number, enum cm_stream stream, enum cm_access access)
{
   struct cm_cache *cache = lives->cache;
   const cm_line *after = cache->lines + number % SETS * WAYS;
   cm_line before[WAYS];
   memcpy(before, after, sizeof before);
   cm_stream_profile_access(lives->profile, number * 64, stream, access);

   const bool was_there = holds(before, number), is_there = holds(after, number);
   assert_true(is_there || cache->uncached == 1 + (uint32_t)stream || !was_there);
   const enum outcome outcome = !is_there ? BYPASSED_BLOCK : was_there ? HIT_BLOCK : MISSED_BLOCK;
   lives->outcomes[outcome]++;
   for (unsigned way = 0; way < WAYS; way++) {
      const uint64_t block = before[way] >> 8;
      if (before[way] == CM_LINE_EMPTY || holds(after, block))
         continue;
      lives->evictions++;
      end_life(lives, block);
   }
   lives->hits[stream] += outcome == HIT_BLOCK;
   lives->counts.distant_fills[stream] += outcome == MISSED_BLOCK && cm_cache_is_distant(cache, number);
   if (outcome != BYPASSED_BLOCK)
      live(lives, number, stream);
}

static void
invalidate_blocks(struct lives *lives, uint64_t begin, uint64_t end)
{
   for (uint64_t block = begin / 64; block <= (end - 1) / 64 && block < BLOCKS; block++)
      end_life(lives, block);
   cm_cache_invalidate(lives->cache, begin, end);
}

/* lives: of the cache; NULL: not looked at. */
static void
run_steps(struct cm_cache *cache, struct lives *lives, uint64_t seed)
{
   uint64_t state = seed;
   for (unsigned i = 0; i < STEPS; i++) {
      const enum cm_stream streams[] = {RT, TEX, TEX, Z,
                                        (enum cm_stream)random_below(&state, CM_STREAM_COUNT)};
      const uint64_t block =
         random_below(&state, 2) ? random_below(&state, BLOCKS) : random_below(&state, SETS * WAYS);
      const enum cm_stream stream = streams[random_below(&state, 5)];
      for (uint32_t repetitions = 1 + random_below(&state, 3); repetitions > 0; repetitions--) {
         const enum cm_access access = (enum cm_access)random_below(&state, 3);
         if (lives)
            access_block(lives, block, stream, access);
         else
            cm_cache_access(cache, block * 64, stream, access);
      }
      const uint64_t end = block * 64 + 1 + (i % 500 == 499 ? random_below(&state, 64 * 40) : 0);
      if (i % 500 == 499 && lives)
         invalidate_blocks(lives, block * 64, end);
      else if (i % 500 == 499)
         cm_cache_invalidate(cache, block * 64, end);
   }
}

static void
check_policy(enum cm_policy policy, uint32_t uncached)
{
   const struct cm_cache_config config = {.size = 64 * SETS * WAYS,
                                          .ways = WAYS,
                                          .block = 64,
                                          .instances = 1,
                                          .policy = policy,
                                          .next = CM_UNIT_DRAM,
                                          .uncached = uncached};
   struct cm_dram dram = {0};
   struct cm_cache cache;
   struct cm_next_use uses;
   cm_next_use_init(&uses);
   if (policy == CM_POLICY_OPT || policy == CM_POLICY_OPTPT) {
      assert_true(cm_cache_init(&cache, &config, NULL, &dram));
      cm_cache_collect(&cache, &uses);
      run_steps(&cache, NULL, policy);
      cm_next_use_rewind(&uses);
      cm_cache_finish(&cache);
   }
   struct lives *lives = calloc(1, sizeof *lives);
   assert_true(cm_cache_init(&cache, &config, NULL, &dram));
   cm_cache_set_future(&cache, &uses);
   struct cm_stream_profile *profile = cm_stream_profile_create(&config, &cache);
   lives->cache = &cache;
   lives->profile = profile;
   run_steps(&cache, lives, policy);
   for (unsigned block = 0; block < BLOCKS; block++) {
      end_life(lives, block);
      free(lives->blocks[block].letters);
   }
   const struct cm_stream_profile_counts *counts = cm_stream_profile_counts(profile);
   assert_memory_equal(counts, &lives->counts, sizeof *counts);

   /* The cache's own counters. */
   uint64_t intra = counts->first_texture_hits;
   for (unsigned k = 0; k < CM_EPOCHS; k++)
      intra += counts->texture.hits[k];
   assert_int_equal(counts->intra_stream_hits, intra);
   assert_int_equal(lives->hits[TEX], counts->inter_stream_hits + counts->intra_stream_hits);
   assert_hits(&cache, lives->hits);
   assert_int_equal(uncached || policy == CM_POLICY_OPTPT, lives->outcomes[BYPASSED_BLOCK] > 1000);
   assert_true(lives->outcomes[HIT_BLOCK] > 5000 && lives->outcomes[MISSED_BLOCK] > 5000 &&
               lives->evictions > 5000);
   assert_true(counts->texture.hits[CM_EPOCHS - 1] > 10 && counts->first_texture_hits > 100);
   assert_true(counts->z.entered[CM_EPOCHS - 1] > 10);
   assert_true(counts->z_consumed > 100 && counts->z_produced > counts->z_consumed);
   assert_true(uncached || (counts->consumed > 1000 && counts->produced > counts->consumed));
   free(lives);
   cm_stream_profile_destroy(profile);
   cm_next_use_free(&uses);
   cm_cache_finish(&cache);
}

TEST(against_lives)
{
   for (unsigned policy = 0; policy < CM_POLICY_COUNT; policy++) {
      if (policy == CM_POLICY_PERFECT)
         continue;
      check_policy((enum cm_policy)policy, 0);
      check_policy((enum cm_policy)policy, 1 + CM_STREAM_COLOR);
   }
}

/* A perfect cache has no blocks: what is in them cannot be told, what hits can. */
TEST(perfect)
{
   const struct cm_cache_config config = {
      .size = 256, .ways = 4, .block = 64, .instances = 1, .policy = CM_POLICY_PERFECT, .next = CM_UNIT_DRAM};
   struct cm_dram dram = {0};
   struct cm_cache cache;
   assert_true(cm_cache_init(&cache, &config, NULL, &dram));
   struct cm_stream_profile *profile = cm_stream_profile_create(&config, &cache);
   const struct cm_stream_profile_counts *counts = cm_stream_profile_counts(profile);
   for (unsigned i = 0; i < 10; i++)
      cm_stream_profile_access(profile, i % 3 * 64, i < 5 ? RT : TEX, CM_READ);
   uint64_t hits[CM_STREAM_COUNT] = {[RT] = 5, [TEX] = 5};
   assert_hits(&cache, hits);
   assert_int_equal(counts->produced + counts->inter_stream_hits + counts->intra_stream_hits, 0);
   cm_cache_finish(&cache);
   cm_stream_profile_destroy(profile);
}
