/* SPDX-License-Identifier: MIT */
/* The sample sets of GSPC's policies: sixteen in every 1,024, as many in each bank; smaller caches keep the
 * ratio as far as each bank has one, and are refused beyond. What optional keys are where they are left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_config.h"
#include "memory/cache.h"
#include "memory/replacement/gspc.h"
#include "support/test.h"

static const enum cm_policy policies[] = {CM_POLICY_GSPZTC, CM_POLICY_GSPZTC_TSE, CM_POLICY_GSPC};

static void
check_sixteen_in_1024(bool spread)
{
   unsigned quarters[4] = {0};
   for (uint32_t first = 0; first < 1 << 20; first += 1024) {
      unsigned samples = 0;
      for (uint32_t set = first; set < first + 1024; set++) {
         samples += gspc_is_sample(set, spread);
         quarters[set / 16 % 4] += gspc_is_sample(set, spread);
         assert_int_equal(gspc_is_sample(set, spread), gspc_is_sample(set % 1024, spread));
      }
      assert_int_equal(samples, 16);
   }
   for (unsigned quarter = 0; quarter < 4; quarter++) /* of 64 neighbours */
      assert_int_equal(quarters[quarter], spread ? 4096 : quarter == 0 ? 16384 : 0);
   for (unsigned banks = 1; banks <= 16; banks *= 2) {
      for (unsigned bank = 0; bank < banks; bank++) {
         unsigned samples = 0;
         for (uint32_t set = bank; set < 1024; set += banks)
            samples += gspc_is_sample(set, spread);
         assert_int_equal(samples, 16 / banks);
      }
   }
}

TEST(sixteen_in_1024)
{
   check_sixteen_in_1024(false);
   check_sixteen_in_1024(true);
}

static struct cm_cache_config
configure(enum cm_policy policy, uint32_t sets, uint32_t banks)
{
   return (struct cm_cache_config){.size = sets * 2 * 64,
                                   .ways = 2,
                                   .block = 64,
                                   .instances = 1,
                                   .policy = policy,
                                   .next = CM_UNIT_DRAM,
                                   .banks = banks};
}

/* The sets that behave as samples: a texture's block comes in with RRPV 2 instead of 0. */
static unsigned
count_samples(const struct cm_cache_config *config, uint8_t by_bank[16])
{
   struct cm_dram dram = {0};
   struct cm_cache cache;
   unsigned samples = 0;
   memset(by_bank, 0, 16);
   assert_true(cm_cache_init(&cache, config, NULL, &dram));
   for (uint32_t set = 0; set < cache.sets; set++) {
      /* Nothing is learnt: each set begins with what it knows nothing of. */
      memset(cache.bank_state, 0, (cache.bank_mask + 1) * sizeof(struct gspc_bank));
      cm_cache_access(&cache, (uint64_t)set * 64, CM_STREAM_TEXTURE, CM_READ);
      const uint8_t prediction = cache.state[(size_t)set * cache.state_bytes];
      assert_true(prediction == 0 || prediction == 2);
      samples += prediction == 2;
      by_bank[set & cache.bank_mask] += prediction == 2;
   }
   cm_cache_finish(&cache);
   return samples;
}

TEST(fewer_sets)
{
   for (unsigned p = 0; p < 3; p++) {
      for (uint32_t sets = 1; sets <= 8192; sets *= 2) {
         for (uint32_t banks = 1; banks <= 16; banks *= 2) {
            const struct cm_cache_config config = configure(policies[p], sets, banks);
            char error[256] = "", expected[256];
            uint8_t by_bank[16];
            if (cm_cache_config_validate(&config, CM_CACHE_MAX_WAYS, "l2.", error, sizeof error)) {
               assert_true(sets >= 64 * banks);
               assert_int_equal(count_samples(&config, by_bank), sets / 64);
               for (uint32_t bank = 0; bank < banks; bank++)
                  assert_int_equal(by_bank[bank], sets / 64 / banks);
               struct cm_cache_config spread = config;
               spread.gspc.samples = CM_GSPC_SAMPLES_SPREAD;
               assert_int_equal(count_samples(&spread, by_bank), sets / 64);
               for (uint32_t bank = 0; bank < banks; bank++)
                  assert_int_equal(by_bank[bank], sets / 64 / banks);
               continue;
            }
            assert_true(sets < 64 * banks);
            snprintf(expected, sizeof expected,
                     "l2.policy: %s learns in one of 64 sets of each of %u banks, expected at least %u sets, "
                     "not %u",
                     cm_policy_names[policies[p]], banks, 64 * banks, sets);
            assert_string_equal(error, expected);
         }
      }
   }
}

/* The paper's values where a configuration has none. */
TEST(left_out)
{
   struct cm_cache_config config = configure(CM_POLICY_GSPC, 1024, 0);
   struct cm_gspc_config gspc = cm_cache_config_gspc(&config);
   assert_int_equal(gspc.threshold, 8);
   assert_int_equal(gspc.render_target_distant, 16);
   assert_int_equal(gspc.render_target_long, 8);
   assert_int_equal(gspc.samples, CM_GSPC_SAMPLES_QUARTER);
   config.gspc.threshold = 2;
   gspc = cm_cache_config_gspc(&config);
   assert_int_equal(gspc.threshold, 2);
   assert_int_equal(gspc.render_target_distant, 16);
   for (unsigned policy = 0; policy < CM_POLICY_COUNT; policy++) {
      config.policy = (enum cm_policy)policy;
      config.banks = 0;
      assert_int_equal(cm_cache_config_banks(&config), cm_policy_samples(config.policy) ? 4 : 1);
      config.banks = 2;
      assert_int_equal(cm_cache_config_banks(&config), 2);
   }

   /* And they are not written then: configurations without them stay as they are. */
   char error[512] = "", *text;
   size_t length;
   struct cm_config *whole = cm_config_load(NULL, NULL, error, sizeof error);
   assert_non_null(whole);
   FILE *file = open_memstream(&text, &length);
   cm_config_write_json(whole, file);
   fclose(file);
   assert_null(strstr(text, "\"banks\""));
   assert_null(strstr(text, "uncached"));
   assert_null(strstr(text, "gspc"));
   free(text);

   /* Set, they are written, and read again. */
   static const char *const assignments[] = {"caches.l2.banks=8", "caches.l2.uncached=color",
                                             "caches.l2.gspc.threshold=16", "caches.l2.gspc.samples=spread"};
   for (unsigned i = 0; i < 4; i++)
      assert_true(cm_config_set(whole, assignments[i], error, sizeof error));
   file = open_memstream(&text, &length);
   cm_config_write_json(whole, file);
   fclose(file);
   struct cm_config *again = cm_config_parse(text, "text", "again", error, sizeof error);
   if (!again)
      fail_msg("%s", error);
   assert_memory_equal(&again->caches, &whole->caches, sizeof again->caches);
   assert_int_equal(again->caches[CM_UNIT_L2].banks, 8);
   assert_int_equal(again->caches[CM_UNIT_L2].uncached, 1 + CM_STREAM_COLOR);
   assert_int_equal(again->caches[CM_UNIT_L2].gspc.threshold, 16);
   assert_int_equal(again->caches[CM_UNIT_L2].gspc.samples, CM_GSPC_SAMPLES_SPREAD);
   free(text);
   cm_config_destroy(whole);
   cm_config_destroy(again);
}
