/* SPDX-License-Identifier: MIT */
/* Storage accesses and compute passes: by hand, and random ones against a naive simulation of the load/store caches. */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "support/compute_pass.h"
#include "support/test.h"

#define BUFFER_BYTES 8192
#define BLOCK 64

static struct cm_gpu *
storage_gpu(const char *const *assignments)
{
   char error[512];
   struct cm_config *config = test_config_of("mali-like", assignments);
   struct cm_gpu *gpu = cm_gpu_create(config, error, sizeof error);
   assert_non_null(gpu);
   cm_config_destroy(config);
   define_buffer(gpu, 2, BUFFER_BYTES);
   return gpu;
}

/* ---- by hand ---------------------------------------------------------------- */

/* 16 work-groups copy 64 bytes each, word by word: a block is read and a block is written by each. */
TEST(copy)
{
   struct cm_storage storage;
   struct pass_builder *builder = compute_pass(16, BUFFER_BYTES, &storage);
   uint32_t offsets[CM_INVOCATIONS];
   for (uint32_t group = 0; group < 16; group++) {
      fill_offsets(offsets, group * 64, 4);
      add_access(builder, group, CM_STORAGE_LOAD, 4, offsets, 0xffff);
      fill_offsets(offsets, 4096 + group * 64, 4);
      add_access(builder, group, CM_STORAGE_STORE, 4, offsets, 0xffff);
   }
   struct cm_gpu *gpu = storage_gpu(NULL);
   pass_run(builder, gpu);
   assert_int_equal(gpu_total(gpu, "compute_stage.work_groups"), 16);
   assert_int_equal(gpu_total(gpu, "compute_stage.invocations"), 256);
   assert_int_equal(gpu_total(gpu, "load_store.loads"), 16);
   assert_int_equal(gpu_total(gpu, "load_store.stores"), 16);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.reads"), 16);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.writes"), 16);
   /* Whole blocks are written: nothing is read for them. */
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.fills"), 16);
   /* When the pass ends. */
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.writebacks"), 16);
   assert_int_equal(gpu_total(gpu, "l2.storage.reads"), 16);
   assert_int_equal(gpu_total(gpu, "l2.storage.writes"), 16);
   assert_int_equal(gpu_total(gpu, "dram.storage.read_bytes"), 16 * 64);
   pass_free(builder);
   cm_gpu_destroy(gpu);
}

/* A part of a block is read before it is written; a second group on the same processor's cache finds it there. */
TEST(parts)
{
   struct cm_storage storage;
   struct pass_builder *builder =
      compute_pass(5, BUFFER_BYTES, &storage); /* four processors: the first and the last share one */
   uint32_t offsets[CM_INVOCATIONS];
   fill_offsets(offsets, 0, 4);
   add_access(builder, 0, CM_STORAGE_STORE, 4, offsets, 0x00ff);
   add_access(builder, 4, CM_STORAGE_LOAD, 4, offsets, 0xffff);
   struct cm_gpu *gpu = storage_gpu(NULL);
   pass_run(builder, gpu);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.fills"), 1);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.hits"), 1);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.writebacks"), 1);
   pass_free(builder);
   cm_gpu_destroy(gpu);
}

/* All invocations add to one word: the L2 is read and written once per instruction, the load/store cache keeps nothing. */
TEST(atomics)
{
   struct cm_storage storage;
   struct pass_builder *builder = compute_pass(8, BUFFER_BYTES, &storage);
   uint32_t offsets[CM_INVOCATIONS];
   fill_offsets(offsets, 128, 0);
   for (uint32_t group = 0; group < 8; group++)
      add_access(builder, group, CM_STORAGE_ATOMIC, 4, offsets, 0xffff);
   struct cm_gpu *gpu = storage_gpu(NULL);
   pass_run(builder, gpu);
   assert_int_equal(gpu_total(gpu, "load_store.atomics"), 8);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.bypasses"), 16);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.hits"), 0);
   assert_int_equal(gpu_total(gpu, "l2.storage.reads"), 8);
   assert_int_equal(gpu_total(gpu, "l2.storage.writes"), 8);
   assert_int_equal(gpu_total(gpu, "l2.storage.misses"), 1);
   pass_free(builder);
   cm_gpu_destroy(gpu);
}

/* Of 16 invocations those with even numbers load from one buffer by address, the others from another one: two instructions, each
 * of which reads a block. Then the first processor loads the first buffer's block through a binding: it has it. Nothing is
 * read of a number that no buffer has. */
TEST(by_address)
{
   struct cm_storage storage;
   struct pass_builder *builder = compute_pass(5, BUFFER_BYTES, &storage);
   uint32_t addressed[] = {0, 3, 0, 2}, offsets[CM_INVOCATIONS];
   struct cm_buffer_access accesses[9];
   fill_offsets(offsets, 64, 4);
   for (uint32_t a = 0; a < 8; a++) {
      accesses[a] =
         (struct cm_buffer_access){.quad = (uint8_t)(a / 2), .live = a % 2 ? 10 : 5, .buffer = a % 2 ? 1 : 3};
      memcpy(accesses[a].offset, &offsets[a / 2 * 4], sizeof accesses[a].offset);
   }
   accesses[8] = (struct cm_buffer_access){.quad = 3, .live = 15, .buffer = 2};
   const uint32_t word = CM_EVENT_BUFFER | 9 << 8 | CM_BY_ADDRESS << 16 | 4u << CM_STORAGE_BYTES_SHIFT;
   pass_words(builder, 0, &word, 1);
   pass_words(builder, 0, accesses, 9 * CM_BUFFER_ACCESS_WORDS);
   add_access(builder, 4, CM_STORAGE_LOAD, 4, offsets, 0xffff);
   builder->pass.num_addressed = 4;
   builder->pass.addressed = addressed;
   struct cm_gpu *gpu = storage_gpu(NULL);
   define_buffer(gpu, 3, BUFFER_BYTES);
   pass_run(builder, gpu);
   assert_int_equal(gpu_total(gpu, "load_store.loads"), 3);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.reads"), 3);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.hits"), 1);
   assert_int_equal(gpu_total(gpu, "dram.storage.read_bytes"), 2 * 64);
   assert_true(cm_gpu_is_complete(gpu));
   pass_free(builder);
   cm_gpu_destroy(gpu);
}

/* Without a stream of storage nothing is counted, and the GPU says that it is incomplete. */
TEST(refused)
{
   static const char *const without_storage[] = {"streams.storage=none", NULL};
   struct cm_storage storage;
   struct pass_builder *builder = compute_pass(1, BUFFER_BYTES, &storage);
   uint32_t offsets[CM_INVOCATIONS];
   fill_offsets(offsets, 0, 4);
   add_access(builder, 0, CM_STORAGE_LOAD, 4, offsets, 0xffff);
   struct cm_gpu *gpu = storage_gpu(without_storage);
   pass_run(builder, gpu);
   assert_int_equal(gpu_total(gpu, "l2.texture.reads"), 0);
   assert_false(cm_gpu_is_complete(gpu));
   pass_free(builder);
   cm_gpu_destroy(gpu);
}

/* ---- against a naive simulation ------------------------------------------------ */

#define SETS 4
#define WAYS 2
#define PROCESSORS 4

struct naive_line {
   uint32_t block;
   bool valid, dirty;
   uint64_t last_use;
};

struct naive {
   struct naive_line lines[PROCESSORS][SETS][WAYS];
   uint64_t now, reads, writes, misses, fills, writebacks, bypasses, evictions;
};

static struct naive_line *
find(struct naive *naive, uint32_t processor, uint32_t block)
{
   for (unsigned way = 0; way < WAYS; way++) {
      struct naive_line *line = &naive->lines[processor][block % SETS][way];
      if (line->valid && line->block == block)
         return line;
   }
   return NULL;
}

static void
access_naively(struct naive *naive, uint32_t processor, uint32_t block, bool write, bool whole)
{
   struct naive_line *line = find(naive, processor, block), *set = naive->lines[processor][block % SETS];
   naive->now++;
   *(write ? &naive->writes : &naive->reads) += 1;
   if (!line) {
      naive->misses++;
      line = &set[0];
      for (unsigned way = 0; way < WAYS; way++) {
         if (line->valid && (!set[way].valid || set[way].last_use < line->last_use))
            line = &set[way];
      }
      naive->evictions += line->valid;
      naive->writebacks += line->valid && line->dirty;
      naive->fills += !write || !whole;
      *line = (struct naive_line){.block = block, .valid = true};
   }
   line->last_use = naive->now;
   line->dirty |= write;
}

/* The blocks of a sub-group's lanes in the order of their first lanes, and whether all bytes of them are accessed. */
static void
run_naively(struct naive *naive, uint32_t processor, enum cm_storage_operation operation, uint32_t bytes,
            const uint32_t *offsets, uint32_t lanes, uint32_t first, uint32_t end)
{
   static uint8_t covered[BUFFER_BYTES];
   uint32_t order[2 * CM_INVOCATIONS], count = 0;
   memset(covered, 0, sizeof covered);
   for (uint32_t lane = first; lane < end; lane++) {
      for (uint32_t b = 0; lanes >> lane & 1 && b < bytes; b++) {
         const uint32_t block = (offsets[lane] + b) / BLOCK;
         bool seen = false;
         for (uint32_t o = 0; o < count; o++)
            seen |= order[o] == block;
         if (!seen)
            order[count++] = block;
         covered[offsets[lane] + b] = 1;
      }
   }
   for (uint32_t o = 0; o < count; o++) {
      bool whole = true;
      for (uint32_t b = 0; b < BLOCK; b++)
         whole &= covered[order[o] * BLOCK + b];
      if (operation != CM_STORAGE_ATOMIC) {
         access_naively(naive, processor, order[o], operation == CM_STORAGE_STORE, whole);
         continue;
      }
      struct naive_line *line = find(naive, processor, order[o]);
      naive->writebacks += line && line->dirty;
      if (line)
         line->valid = false;
      naive->reads++;
      naive->writes++;
      naive->bypasses += 2;
      naive->fills++;      /* the block, from the next level */
      naive->writebacks++; /* to it */
   }
}

static void
finish_naively(struct naive *naive)
{
   for (unsigned p = 0; p < PROCESSORS; p++) {
      for (unsigned set = 0; set < SETS; set++) {
         for (unsigned way = 0; way < WAYS; way++) {
            const struct naive_line *line = &naive->lines[p][set][way];
            naive->evictions += line->valid;
            naive->writebacks += line->valid && line->dirty;
         }
      }
   }
}

static void
check_random(uint64_t seed, uint32_t lanes_together, const char *setting)
{
   enum { GROUPS = 24, INSTRUCTIONS = 12 };
   const char *const assignments[] = {setting, "caches.load_store_cache.size=512",
                                      "caches.load_store_cache.ways=2", NULL};
   struct cm_storage storage;
   struct pass_builder *builder = compute_pass(GROUPS, BUFFER_BYTES, &storage);
   struct naive *naive = calloc(1, sizeof *naive);
   for (uint32_t group = 0; group < GROUPS; group++) {
      for (uint32_t i = 0; i < INSTRUCTIONS; i++) {
         uint32_t offsets[CM_INVOCATIONS];
         const enum cm_storage_operation operation = random_below(&seed, CM_STORAGE_OPERATIONS);
         const uint32_t bytes = operation == CM_STORAGE_ATOMIC ? 4 : 4 * (1 + random_below(&seed, 4));
         const uint32_t lanes = 1 + random_below(&seed, 0xffff), pattern = random_below(&seed, 3);
         const uint32_t base = 4 * random_below(&seed, 200);
         for (uint32_t lane = 0; lane < CM_INVOCATIONS; lane++)
            offsets[lane] = pattern == 0   ? base
                            : pattern == 1 ? base + lane * bytes
                                           : 4 * random_below(&seed, (BUFFER_BYTES - 16) / 4);
         add_access(builder, group, operation, bytes, offsets, lanes);
         for (uint32_t first = 0; first < CM_INVOCATIONS; first += lanes_together)
            run_naively(naive, group % PROCESSORS, operation, bytes, offsets, lanes, first,
                        first + lanes_together);
      }
   }
   finish_naively(naive);
   struct cm_gpu *gpu = storage_gpu(assignments);
   pass_run(builder, gpu);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.reads"), naive->reads);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.writes"), naive->writes);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.misses"), naive->misses);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.fills"), naive->fills);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.writebacks"), naive->writebacks);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.bypasses"), naive->bypasses);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.evictions"), naive->evictions);
   assert_int_equal(gpu_total(gpu, "l2.storage.reads"), naive->fills);
   assert_int_equal(gpu_total(gpu, "l2.storage.writes"), naive->writebacks);
   free(naive);
   pass_free(builder);
   cm_gpu_destroy(gpu);
}

TEST(random)
{
   for (uint64_t seed = 1; seed <= 40; seed++) {
      check_random(seed, 4, "load_store.lanes=4");
      check_random(seed, 8, "load_store.lanes=8");
      check_random(seed, 16, "load_store.lanes=16");
   }
}
