/* SPDX-License-Identifier: MIT */
/* The policy second-chance against a reference that keeps each set as a queue: built with a library that the patches
 * of this folder were applied to. */
#include <string.h>

#include "gpu/gpu_config.h"
#include "memory/cache.h"
#include "support/test.h"

#define SETS 4
#define WAYS 4

/* A queue of blocks: the block at the front leaves, or goes to the end if it has been hit. */
struct queue {
   uint64_t blocks[WAYS];
   bool hit[WAYS];
   unsigned count;
};

static void
rotate(struct queue *queue, uint64_t block)
{
   memmove(queue->blocks, queue->blocks + 1, (WAYS - 1) * sizeof queue->blocks[0]);
   memmove(queue->hit, queue->hit + 1, (WAYS - 1) * sizeof queue->hit[0]);
   queue->blocks[WAYS - 1] = block;
   queue->hit[WAYS - 1] = false;
}

/* Whether it hits. */
static bool
reference_access(struct queue *queue, uint64_t block)
{
   for (unsigned i = 0; i < queue->count; i++) {
      if (queue->blocks[i] == block) {
         queue->hit[i] = true;
         return true;
      }
   }
   if (queue->count < WAYS) {
      queue->hit[queue->count] = false;
      queue->blocks[queue->count++] = block;
      return false;
   }
   while (queue->hit[0])
      rotate(queue, queue->blocks[0]);
   rotate(queue, block);
   return false;
}

TEST(against_queues)
{
   char error[512];
   struct cm_config *config = cm_config_load(CM_CONFIG_DEFAULT, NULL, error, sizeof error);
   assert_non_null(config);
   assert_true(cm_config_set(config, "l2.policy=second-chance", error, sizeof error));
   assert_true(cm_config_set(config, "l2.size=1024", error, sizeof error));
   assert_true(cm_config_set(config, "l2.ways=4", error, sizeof error));
   assert_true(cm_config_validate(config, error, sizeof error));
   struct cm_dram dram = {0};
   struct cm_cache cache;
   assert_true(cm_cache_init(&cache, &config->caches[CM_UNIT_L2], NULL, &dram));
   struct queue queues[SETS] = {0};
   uint64_t state = 5, misses = 0;
   for (unsigned i = 0; i < 100000; i++) {
      const uint64_t block = random_below(&state, random_below(&state, 2) ? 12 : 60);
      cm_cache_access(&cache, block * 64, CM_STREAM_TEXTURE, CM_READ);
      misses += !reference_access(&queues[block % SETS], block);
      assert_int_equal(cm_cache_counter(&cache, CM_STREAM_TEXTURE, CM_CACHE_EVENT_MISSES), misses);
   }
   assert_true(misses > 20000 && misses < 80000);
   cm_cache_finish(&cache);
   cm_config_destroy(config);
}
