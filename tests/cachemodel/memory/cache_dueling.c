/* SPDX-License-Identifier: MIT */
/* Which sets sample for the policies that duel, by choice; that a sweep over a surface whose height is no
 * multiple of a page's rows does not decide a duel by itself; the other choices of the RRIP policies. */
#include <string.h>

#include "memory/cache.h"
#include "memory/replacement/set_dueling.h"
#include "support/test.h"

static struct cm_cache_config
configure(uint32_t sets, enum cm_policy policy, enum cm_leaders leaders, uint32_t banks)
{
   return (struct cm_cache_config){
      .size = sets * 16 * 64,
      .ways = 16,
      .block = 64,
      .instances = 1,
      .policy = policy,
      .next = CM_UNIT_DRAM,
      .banks = banks,
      .rrip = {.leaders = leaders},
   };
}

/* Samples of a policy for a contender, by half of the pages of 64 sets and by bank. */
struct samples {
   uint32_t count[2], half[2][2], bank[2][16];
};

static struct samples
count_samples(const struct duel *duel, uint32_t sets, uint32_t contender, uint32_t banks)
{
   struct samples samples;
   memset(&samples, 0, sizeof samples);
   for (uint32_t set = 0; set < sets; set++) {
      const enum duel_side side = duel_side(duel, set, contender);
      if (side == DUEL_FOLLOWER)
         continue;
      samples.count[side]++;
      samples.half[side][set % 64 / 32]++;
      samples.bank[side][set % banks]++;
      for (uint32_t other = 0; other < contender; other++)
         assert_int_equal(duel_side(duel, set, other), DUEL_FOLLOWER);
   }
   return samples;
}

/* Each policy has as many samples for each stream, and no set samples for two. */
TEST(numbers)
{
   for (enum cm_leaders leaders = CM_LEADERS_GROUPS; leaders <= CM_LEADERS_BANK; leaders++) {
      for (uint32_t sets = 8; sets <= 16384; sets *= 2) {
         const struct cm_cache_config config = configure(sets, CM_POLICY_GS_DRRIP, leaders, 4);
         struct duel duel;
         duel_start(&duel, &config, sets, 8, 4);
         if (leaders == CM_LEADERS_BANK && sets < 32)
            continue; /* a bank has less than a group */
         const uint32_t expected = sets / 8 < 32 ? sets / 8 : 32;
         for (uint32_t contender = 0; contender < 4; contender++) {
            const struct samples samples = count_samples(&duel, sets, contender, 4);
            assert_int_equal(samples.count[DUEL_FIRST], expected);
            assert_int_equal(samples.count[DUEL_SECOND], expected);
            for (uint32_t bank = 0; leaders == CM_LEADERS_BANK && bank < 4; bank++) {
               assert_int_equal(samples.bank[DUEL_FIRST][bank], expected / 4);
               assert_int_equal(samples.bank[DUEL_SECOND][bank], expected / 4);
            }
         }
      }
   }
}

/* In 2 MiB, by half of a page of 32x32 pixels. */
TEST(halves)
{
   for (enum cm_leaders leaders = CM_LEADERS_GROUPS; leaders <= CM_LEADERS_BANK; leaders++) {
      const struct cm_cache_config config = configure(2048, CM_POLICY_DRRIP, leaders, 4);
      struct duel duel;
      duel_start(&duel, &config, 2048, 4, 1);
      const struct samples samples = count_samples(&duel, 2048, 0, 4);
      if (leaders == CM_LEADERS_GROUPS) {
         assert_int_equal(samples.half[DUEL_FIRST][0], 32);
         assert_int_equal(samples.half[DUEL_SECOND][1], 32);
         continue;
      }
      for (unsigned side = DUEL_FIRST; side <= DUEL_SECOND; side++)
         assert_in_range(samples.half[side][0], 12, 20);
   }
}

/* ---- a sweep ------------------------------------------------------------ */

/* All blocks of 4x4 pixels of a surface, in pages of 32x32, of a page's blocks those inside the surface: by how much
 * a sweep moves the selector if it misses everywhere. */
static int
displacement(const struct duel *duel, uint32_t sets, uint32_t first_page, uint32_t width, uint32_t height)
{
   int sum = 0;
   uint32_t page = first_page;
   for (uint32_t y = 0; y < height; y += 32) {
      for (uint32_t x = 0; x < width; x += 32, page++) {
         for (uint32_t block = 0; block < 64; block++) {
            if (y + block / 8 * 4 >= height || x + block % 8 * 4 >= width)
               continue;
            const enum duel_side side = duel_side(duel, (page * 64 + block) % sets, 0);
            sum += (side == DUEL_FIRST) - (side == DUEL_SECOND);
         }
      }
   }
   return sum;
}

/* The mean over all pages where the surface may begin, times sets / 64. */
static int
mean_displacement(uint32_t sets, enum cm_leaders leaders, uint32_t width, uint32_t height)
{
   const struct cm_cache_config config = configure(sets, CM_POLICY_DRRIP, leaders, 4);
   struct duel duel;
   int sum = 0;
   duel_start(&duel, &config, sets, 4, 1);
   for (uint32_t page = 0; page < sets / 64; page++)
      sum += displacement(&duel, sets, page, width, height);
   return sum;
}

/* Where a surface's height is no multiple of a page's, its last rows decide for BRRIP before any block is used again,
 * unless both policies have samples in all rows of a page. */
TEST(no_spatial_bias)
{
   static const uint32_t sizes[][2] = {{960, 540}, {800, 600}, {1280, 720}, {1920, 1080}, {1920, 1200}};
   for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
      for (uint32_t sets = 2048; sets <= 8192; sets *= 4) {
         const uint32_t width = sizes[i][0], height = sizes[i][1];
         assert_true(mean_displacement(sets, CM_LEADERS_GROUPS, width, height) > (int)sets / 64);
         assert_int_equal(mean_displacement(sets, CM_LEADERS_COMPLEMENT, width, height), 0);
         assert_int_equal(mean_displacement(sets, CM_LEADERS_BANK, width, height), 0);
      }
   }
   assert_int_equal(mean_displacement(2048, CM_LEADERS_GROUPS, 960, 544), 0);
   /* 2 MiB: 6 to 8 misses of 32 samples. */
   assert_int_equal(mean_displacement(2048, CM_LEADERS_GROUPS, 960, 540), 240);
}

static void
sweep(struct cm_cache *cache, uint64_t first_page, uint32_t height, enum cm_stream stream,
      enum cm_access access)
{
   for (uint32_t y = 0; y < height; y += 32) {
      for (uint32_t x = 0; x < 960; x += 32) {
         const uint64_t page = first_page + y / 32 * 30 + x / 32;
         for (uint32_t block = 0; block < 64; block++) {
            if (y + block / 8 * 4 < height)
               cm_cache_access(cache, (page * 64 + block) * 64, stream, access);
         }
      }
   }
}

/* Clears Z and colour, and blends over all of colour, from a page on: misses in 2 MiB. */
static uint64_t
misses_of_frame(enum cm_policy policy, enum cm_leaders leaders, uint64_t page)
{
   const struct cm_cache_config config = configure(2048, policy, leaders, 4);
   struct cm_dram dram = {0};
   struct cm_cache cache;
   uint64_t misses = 0;
   assert_true(cm_cache_init(&cache, &config, NULL, &dram));
   sweep(&cache, page, 540, CM_STREAM_DEPTH, CM_WRITE_BLOCK);
   sweep(&cache, page + 30 * 17, 540, CM_STREAM_COLOR, CM_WRITE_BLOCK);
   sweep(&cache, page + 30 * 17, 540, CM_STREAM_COLOR, CM_READ);
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      misses += cache.counts[stream][CM_CACHE_EVENT_MISSES];
   cm_cache_finish(&cache);
   return misses;
}

/* Colour fits, and SRRIP keeps it. DRRIP loses much of it where the sweeps decide for BRRIP. */
TEST(frame)
{
   uint64_t sum[CM_LEADERS_COUNT] = {0}, once = 2 * 960 / 4 * 540 / 4;
   for (uint64_t page = 1; page <= 32; page++) {
      assert_int_equal(misses_of_frame(CM_POLICY_SRRIP, CM_LEADERS_GROUPS, page), once);
      for (enum cm_leaders leaders = CM_LEADERS_GROUPS; leaders <= CM_LEADERS_BANK; leaders++)
         sum[leaders] += misses_of_frame(CM_POLICY_DRRIP, leaders, page);
   }
   assert_true(sum[CM_LEADERS_GROUPS] / 32 > 95000);
   for (enum cm_leaders leaders = CM_LEADERS_COMPLEMENT; leaders <= CM_LEADERS_BANK; leaders++)
      assert_true(sum[leaders] / 32 < 76000);
}
