/* SPDX-License-Identifier: MIT */
/* The Affinity Table state by state ("DTM-NUCA" III-A, III-B, IV), and what the texture caches do
 * with it request by request. */
#include <string.h>

#include "support/nuca_harness.h"
#include "support/test.h"
#include "texture/affinity_table.h"

#define ZERO "nuca.affinity_table.epoch_reset=zero"

static const struct cm_affinity_config table_one = {
   .page_blocks = 8,
   .buckets = 32,
   .counter_bits = 4,
   .threshold_percent = 25,
   .epoch_accesses = 20000,
};

/* Figure 3: pages of two blocks in four buckets. */
TEST(buckets)
{
   static const uint32_t buckets[16] = {0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3};
   struct cm_affinity_config config = table_one;
   config.page_blocks = 2;
   config.buckets = 4;
   struct cm_affinity_table table;
   assert_true(cm_affinity_table_init(&table, &config, 4));
   for (uint64_t block = 0; block < 16; block++)
      assert_int_equal(cm_affinity_bucket(&table, block), buckets[block]);
   cm_affinity_table_finish(&table);

   config.buckets = 7; /* no power of two */
   assert_true(cm_affinity_table_init(&table, &config, 4));
   for (uint64_t block = 0; block < 1000; block++)
      assert_int_equal(cm_affinity_bucket(&table, block), block / 2 % 7);
   cm_affinity_table_finish(&table);
}

struct table_step {
   uint32_t processor, times;
   uint32_t owner; /* that the last access was told */
   uint8_t counters[4];
   uint32_t owner_after;
};

static void
run_steps(struct cm_affinity_table *table, uint32_t bucket, const struct table_step *steps, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      const struct table_step *step = &steps[i];
      uint32_t told = CM_NO_OWNER, changes = 0;
      const uint32_t before = table->owners[bucket];
      for (uint32_t n = 0; n < step->times; n++) {
         told = cm_affinity_owner(table, bucket, step->processor);
         changes += cm_affinity_count(table, bucket, step->processor, 1);
      }
      if (told != step->owner || memcmp(table->counters + bucket * 4, step->counters, 4) != 0 ||
          table->owners[bucket] != step->owner_after)
         fail_msg("step %u: told %u, counters %u %u %u %u, owner %u", i, told, table->counters[bucket * 4],
                  table->counters[bucket * 4 + 1], table->counters[bucket * 4 + 2],
                  table->counters[bucket * 4 + 3], table->owners[bucket]);
      assert_int_equal(changes, before != CM_NO_OWNER && before != step->owner_after);
   }
}

/* III-B, with 25 per cent. */
TEST(ownership)
{
   static const struct table_step steps[] = {
      /* The first access takes the bucket. */
      {0, 1, 0, {1, 0, 0, 0}, 0},
      {1, 14, 0, {1, 14, 0, 0}, 0},
      {0, 11, 0, {12, 14, 0, 0}, 0},
      /* 15 is no more than 12 and a quarter of it: all are halved, the owner stays. */
      {1, 1, 0, {6, 7, 0, 0}, 0},
      /* 15 against 6: it moves, for the accesses after this one. */
      {1, 8, 0, {3, 7, 0, 0}, 1},
      /* The owner's own counter saturates. */
      {1, 8, 1, {1, 7, 0, 0}, 1},
      {3, 3, 1, {1, 7, 0, 3}, 1},
      /* 15 against 7. */
      {2, 15, 1, {0, 3, 7, 1}, 2},
      /* And back: 15 against 7 again. */
      {1, 11, 2, {0, 14, 7, 1}, 2},
      {1, 1, 2, {0, 7, 3, 0}, 1},
   };
   struct cm_affinity_table table;
   assert_true(cm_affinity_table_init(&table, &table_one, 4));
   for (uint32_t b = 0; b < 32; b++)
      assert_int_equal(table.owners[b], CM_NO_OWNER);
   run_steps(&table, 5, steps, sizeof steps / sizeof steps[0]);
   /* Other buckets know nothing of it. */
   for (uint32_t b = 0; b < 32; b++) {
      for (uint32_t p = 0; p < 4 && b != 5; p++)
         assert_int_equal(table.counters[b * 4 + p], 0);
      assert_true(b == 5 || table.owners[b] == CM_NO_OWNER);
   }
   cm_affinity_table_finish(&table);
}

/* The percentage: by how much 15 must exceed the owner's. */
TEST(threshold)
{
   static const struct {
      uint32_t percent, stays, moves; /* the owner's counters with which the bucket just stays, just moves */
   } cases[] = {{0, 15, 14}, {7, 15, 14}, {8, 14, 13}, {25, 12, 11}, {50, 10, 9}, {100, 8, 7}, {1000, 2, 1}};
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      struct cm_affinity_config config = table_one;
      config.threshold_percent = cases[i].percent;
      struct cm_affinity_table table;
      assert_true(cm_affinity_table_init(&table, &config, 4));
      table.owners[0] = 0;
      table.counters[1] = 14;
      table.counters[0] = (uint8_t)cases[i].stays;
      assert_false(cm_affinity_count(&table, 0, 1, 1));
      assert_int_equal(table.owners[0], 0);
      table.counters[1] = 14;
      table.counters[0] = (uint8_t)cases[i].moves;
      assert_true(cm_affinity_count(&table, 0, 1, 1));
      assert_int_equal(table.owners[0], 1);
      cm_affinity_table_finish(&table);
   }
}

TEST(epoch)
{
   static const struct {
      enum cm_epoch_owner what;
      uint32_t changes;
      uint8_t owners[3];
   } cases[] = {
      {CM_EPOCH_OWNER_RECOMPUTE,
       1,
       {1, 2, CM_NO_OWNER}}, /* of equal ones the lowest; without any, as before */
      {CM_EPOCH_OWNER_KEEP, 0, {3, 2, CM_NO_OWNER}},
      {CM_EPOCH_OWNER_RELEASE, 2, {CM_NO_OWNER, CM_NO_OWNER, CM_NO_OWNER}},
   };
   struct cm_affinity_config config = table_one;
   config.buckets = 3;
   for (unsigned i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
      static const uint8_t counters[12] = {2, 5, 5, 1}, owners[3] = {3, 2, CM_NO_OWNER};
      /* Zero, then halved: a 1-bit right shift (III-B). */
      static const uint8_t after[2][12] = {{0}, {1, 2, 2, 0}};
      const unsigned halves = i >= sizeof cases / sizeof cases[0];
      const unsigned c = i % (sizeof cases / sizeof cases[0]);
      config.epoch_reset = halves ? CM_EPOCH_RESET_HALVE : CM_EPOCH_RESET_ZERO;
      struct cm_affinity_table table;
      assert_true(cm_affinity_table_init(&table, &config, 4));
      memcpy(table.counters, counters, sizeof counters);
      memcpy(table.owners, owners, sizeof owners);
      assert_int_equal(cm_affinity_end_epoch(&table, cases[c].what), cases[c].changes);
      assert_memory_equal(table.owners, cases[c].owners, sizeof owners);
      assert_memory_equal(table.counters, after[halves], sizeof after[halves]);
      cm_affinity_table_finish(&table);
   }
}

struct request {
   uint32_t processor;
   uint64_t block;
   uint32_t times;
   char outcome; /* of each (nuca_harness.h) */
};

static void
run_requests(struct nuca_harness *harness, const struct request *requests, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      for (uint32_t n = 0; n < requests[i].times; n++) {
         const char outcome = nuca_harness_read(harness, requests[i].processor, requests[i].block);
         if (outcome != requests[i].outcome)
            fail_msg("request %u, time %u: %c", i, n, outcome);
      }
   }
}

/* Four processors in two rows; caches of one set of two blocks. Blocks 0, 256, 512 … are in bucket 0. */
#define SMALL_CACHES "caches.texture_cache.size=128", "caches.texture_cache.ways=2"
#define FOUR "fragment_stage.processors=4", "caches.texture_cache.instances=4"

TEST(old_owner)
{
   static const struct request requests[] = {
      {0, 0, 1, 'L'}, /* P0 takes bucket 0 */
      {0, 8, 1, 'L'}, /* and bucket 1; its cache: 8, 0 */
      {1, 0, 14, 'r'},
      {1, 0, 1, 'r'},   /* the 15th moves bucket 0 to P1, after P0 has served it; P0's cache: 0, 8 */
      {0, 8, 1, 'l'},   /* 8, 0 */
      {1, 0, 1, 'L'},   /* P1 has not got it: now two caches do */
      {0, 0, 1, 'o'},   /* the old owner serves itself, and 0 stays the one used longest ago */
      {0, 264, 1, 'L'}, /* bucket 1: 264, 8 */
      {0, 0, 1, 'r'},   /* 0 was the victim */
      {0, 8, 1, 'l'},
      {2, 0, 1, 'r'}, /* P1 serves the others */
      {2, 256, 1, 'R'},
      {2, 16, 1, 'L'},
   };
   struct nuca_harness harness;
   nuca_harness_init(&harness, nuca_config((const char *const[]){FOUR, SMALL_CACHES, NULL}));
   run_requests(&harness, requests, sizeof requests / sizeof requests[0]);
   assert_int_equal(nuca_harness_count(&harness, &cm_nuca_counters, CM_NUCA_OWNERSHIP_CHANGES), 1);
   /* Two caches held block 0 after P1's and P0's own reads of it. */
   assert_int_equal(nuca_harness_count(&harness, &cm_replication_counters, 2), 2);
   assert_int_equal(nuca_harness_count(&harness, &cm_nuca_counters, CM_NUCA_REPLICATION_SUM),
                    nuca_harness_count(&harness, &cm_nuca_counters, CM_NUCA_REQUESTS) + 2);
   nuca_harness_finish(&harness);
}

/* What another cache served the requester may keep, and then serves itself, as an old owner does. */
TEST(remote_copies)
{
   static const struct request hits[] = {
      {0, 0, 1, 'L'},   /* P0 takes bucket 0 */
      {1, 0, 1, 'r'},   /* P1 keeps a copy */
      {1, 0, 1, 'o'},   /* and reads it */
      {1, 8, 1, 'L'},   /* bucket 1; P1's cache: 8, 0 */
      {1, 16, 1, 'L'},  /* bucket 2; 0 is the one used longest ago, as reads of a copy do not count: 16, 8 */
      {1, 0, 1, 'r'},   /* 0, 16 */
      {1, 8, 1, 'L'},   /* a copy has displaced P1's own block */
      {2, 256, 1, 'R'}, /* of what P0 has to read there is none */
      {2, 256, 1, 'r'}, {2, 256, 1, 'o'},
   };
   static const struct request misses[] = {
      {0, 0, 1, 'L'}, {1, 0, 2, 'r'}, {2, 256, 1, 'R'}, {2, 256, 1, 'o'}, {1, 256, 2, 'r'},
   };
   static const struct request all[] = {
      {0, 0, 1, 'L'}, {1, 0, 1, 'r'}, {1, 0, 1, 'o'}, {2, 256, 1, 'R'}, {2, 256, 1, 'o'},
   };
   static const struct {
      const char *setting;
      const struct request *requests;
      unsigned count, copies;
   } cases[] = {
      {"nuca.remote_copies=hits", hits, sizeof hits / sizeof *hits, 3},
      {"nuca.remote_copies=misses", misses, sizeof misses / sizeof *misses, 1},
      {"nuca.remote_copies=all", all, sizeof all / sizeof *all, 2},
   };
   for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
      struct nuca_harness harness;
      nuca_harness_init(&harness,
                        nuca_config((const char *const[]){FOUR, SMALL_CACHES, cases[c].setting, NULL}));
      run_requests(&harness, cases[c].requests, cases[c].count);
      assert_int_equal(nuca_harness_count(&harness, &cm_nuca_counters, CM_NUCA_COPIES), cases[c].copies);
      nuca_harness_finish(&harness);
   }
}

/* A use of a remote processor counts for the replacement, or does not. */
TEST(remote_hits)
{
   static const struct request update[] = {
      {0, 0, 1, 'L'}, {0, 8, 1, 'L'}, {1, 0, 1, 'r'}, {0, 264, 1, 'L'}, {1, 0, 1, 'r'}, {1, 8, 1, 'R'},
   };
   static const struct request keep[] = {
      {0, 0, 1, 'L'}, {0, 8, 1, 'L'}, {1, 0, 1, 'r'}, {0, 264, 1, 'L'}, {1, 8, 1, 'r'}, {1, 0, 1, 'R'},
   };
   struct nuca_harness harness;
   nuca_harness_init(&harness, nuca_config((const char *const[]){FOUR, SMALL_CACHES, NULL}));
   run_requests(&harness, update, 6);
   nuca_harness_finish(&harness);
   nuca_harness_init(&harness,
                     nuca_config((const char *const[]){FOUR, SMALL_CACHES, "nuca.remote_hits=keep", NULL}));
   run_requests(&harness, keep, 6);
   nuca_harness_finish(&harness);
}

/* An epoch of ten accesses ends with the tenth: whose counter is highest owns the bucket. */
TEST(epoch_of_requests)
{
   static const struct request requests[] = {
      {0, 0, 1, 'L'}, {0, 0, 3, 'l'}, {1, 0, 6, 'r'}, /* 4 and 6: P1's from here on */
      {1, 0, 1, 'L'}, {0, 0, 1, 'o'}, {2, 0, 1, 'r'},
   };
   struct nuca_harness harness;
   nuca_harness_init(&harness,
                     nuca_config(
                        (const char *const[]){FOUR, "nuca.affinity_table.epoch_accesses=10", ZERO, NULL}));
   run_requests(&harness, requests, sizeof requests / sizeof requests[0]);
   assert_int_equal(nuca_harness_count(&harness, &cm_nuca_counters, CM_NUCA_EPOCHS), 1);
   assert_int_equal(nuca_harness_count(&harness, &cm_nuca_counters, CM_NUCA_OWNERSHIP_CHANGES), 1);
   nuca_harness_finish(&harness);
}

/* IV-B: 0 1 in two rows
 *       2 3 */
TEST(distributed)
{
   static const struct request first_epoch[] = {
      /* At first all own all buckets: three copies of block 0. */
      {0, 0, 1, 'L'}, {0, 0, 2, 'l'}, {1, 0, 1, 'L'}, {1, 0, 2, 'l'}, {3, 0, 1, 'L'},
      {3, 0, 3, 'l'}, {2, 8, 1, 'L'}, {2, 8, 1, 'l'}, /* the twelfth: each broadcasts 32 packets; of bucket 0, P3 counted most, of 1, P2 */
   };
   static const struct request second_epoch[] = {
      /* Cycle 0: the packets of bucket 0 are on their way; P0 finds itself the owner of 256. */
      {0, 256, 1, 'L'},
      /* Cycle 1: they are with the nodes next to each. P1 hears of P3's 4 accesses, P2's table too. */
      {1, 512, 1, 'R'},
      {1, 0, 1, 'o'},
      /* From cycle 3 on all know of buckets 0 and 1. */
      {0, 512, 1, 'r'},
      {2, 512, 1, 'r'},
      {2, 0, 1, 'r'},
      {0, 0, 1, 'o'},
      {3, 0, 1, 'l'},
      {0, 8, 1, 'r'},
      {0, 256, 1, 'o'},
      {1, 16, 1, 'R'}, /* nobody counted bucket 2: it is P0's, the lowest number's */
      {2, 8, 1, 'l'},  /* the twelfth */
   };
   struct nuca_harness harness;
   nuca_harness_init(&harness,
                     nuca_config((const char *const[]){FOUR, "nuca.organisation=dtm-nuca-distributed",
                                                       "nuca.affinity_table.epoch_accesses=12", ZERO, NULL}));
   run_requests(&harness, first_epoch, sizeof first_epoch / sizeof first_epoch[0]);
   assert_int_equal(nuca_harness_count(&harness, &cm_nuca_counters, CM_NUCA_EPOCHS), 1);
   assert_int_equal(nuca_harness_count(&harness, &cm_nuca_counters, CM_NUCA_BROADCASTS), 4 * 32);
   /* Each packet crosses as many links as there are other routers. */
   assert_int_equal(nuca_harness_count(&harness, &cm_nuca_counters, CM_NUCA_BROADCAST_HOPS), 4 * 32 * 3);
   run_requests(&harness, second_epoch, sizeof second_epoch / sizeof second_epoch[0]);
   assert_int_equal(nuca_harness_count(&harness, &cm_nuca_counters, CM_NUCA_EPOCHS), 2);
   /* All packets had arrived: bucket 0 is P3's and bucket 1 P2's in all tables, and of the others, which were
    * not used, of equal counters the lowest number is the owner. So now each bucket is broadcast once. */
   assert_int_equal(nuca_harness_count(&harness, &cm_nuca_counters, CM_NUCA_BROADCASTS), 4 * 32 + 32);
   nuca_harness_finish(&harness);
}

/* A node takes a bucket when its own counter saturates, and the others do not know yet. */
TEST(distributed_takes)
{
   static const struct request epoch[] = {
      {0, 0, 1, 'L'},
      {0, 0, 9, 'l'},
      {2, 8, 1, 'L'},
      {2, 8, 89, 'l'},
      /* P0 has 10 of bucket 0. Its packet has 32 cycles and some hops to arrive everywhere. */
      {2, 8, 40, 'l'},
      /* P1 counts 15 against the 10 that the packet said: more than a quarter more. */
      {1, 0, 14, 'r'},
      {1, 0, 1, 'r'},
      {1, 0, 1, 'L'},
      {1, 0, 1, 'l'},
      /* The others go on asking P0. */
      {3, 0, 1, 'r'},
      {0, 0, 1, 'l'},
   };
   struct nuca_harness harness;
   nuca_harness_init(&harness,
                     nuca_config((const char *const[]){FOUR, "nuca.organisation=dtm-nuca-distributed",
                                                       "nuca.affinity_table.epoch_accesses=100", ZERO,
                                                       NULL}));
   run_requests(&harness, epoch, sizeof epoch / sizeof epoch[0]);
   assert_int_equal(nuca_harness_count(&harness, &cm_replication_counters, 2), 4);
   nuca_harness_finish(&harness);
}
