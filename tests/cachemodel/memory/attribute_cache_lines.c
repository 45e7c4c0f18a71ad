/* SPDX-License-Identifier: MIT */
/* How many of as many primitives as the Primitive Buffer has lines it holds at once: contiguous ones, by index function
 * and by what their IDs are. */
#include <string.h>

#include "memory/attribute_cache.h"
#include "memory/cache.h"
#include "support/test.h"

/* Primitives of so many attributes each, as many as lines, written one after another and all read in the same tile, so
 * that none gives way to another. */
static uint32_t
resident_in(uint32_t lines, uint32_t size, uint32_t entry_bytes, uint32_t attributes, enum cm_index index,
            enum cm_primitive_ids ids)
{
   struct cm_config config;
   memset(&config, 0, sizeof config);
   config.caches[CM_UNIT_ATTRIBUTE_CACHE] = (struct cm_cache_config){
      .size = size,
      .ways = 4,
      .block = 64,
      .instances = 1,
      .policy = CM_POLICY_TCOR,
      .index = index,
      .next = CM_UNIT_DRAM,
   };
   config.primitive_buffer =
      (struct cm_primitive_buffer_config){.lines = lines, .output_queue = 1, .entry_bytes = entry_bytes};
   struct cm_dram dram = {0};
   struct cm_cache unit;
   cm_cache_init_without_lines(&unit, &config.caches[CM_UNIT_ATTRIBUTE_CACHE], NULL, &dram);
   struct cm_attribute_cache *cache = cm_attribute_cache_create(&config, &unit);
   assert_non_null(cache);
   for (uint32_t p = 0; p < lines; p++) {
      const uint32_t block = p * attributes;
      const struct cm_tiled_primitive primitive = {ids == CM_PRIMITIVE_IDS_BLOCKS ? block : p, block,
                                                   attributes};
      cm_attribute_cache_write(cache, &primitive, 1);
   }
   const uint32_t count = lines - (uint32_t)cache->counts[CM_PRIMITIVE_BUFFER_BYPASSES];
   cm_attribute_cache_destroy(cache);
   return count;
}

/* With room for all attributes. */
static uint32_t
resident(uint32_t lines, uint32_t attributes, enum cm_index index, enum cm_primitive_ids ids)
{
   return resident_in(lines, lines * attributes * 64, 0, attributes, index, ids);
}

TEST(ids_of_blocks)
{
   assert_int_equal(resident(512, 3, CM_INDEX_XOR, CM_PRIMITIVE_IDS_BLOCKS), 413);
   assert_int_equal(resident(256, 3, CM_INDEX_XOR, CM_PRIMITIVE_IDS_BLOCKS), 202);
   /* Strides that have no factor with the number of sets fill them all, others a half or a quarter. */
   assert_int_equal(resident(512, 3, CM_INDEX_MODULO, CM_PRIMITIVE_IDS_BLOCKS), 512);
   assert_int_equal(resident(512, 2, CM_INDEX_MODULO, CM_PRIMITIVE_IDS_BLOCKS), 256);
   assert_int_equal(resident(512, 4, CM_INDEX_MODULO, CM_PRIMITIVE_IDS_BLOCKS), 128);
   for (uint32_t attributes = 1; attributes <= 32; attributes *= 2) {
      assert_int_equal(resident(512, attributes, CM_INDEX_XOR_FOLD, CM_PRIMITIVE_IDS_BLOCKS), 512);
      assert_int_equal(resident(512, attributes, CM_INDEX_IPOLY, CM_PRIMITIVE_IDS_BLOCKS), 512);
   }
}

TEST(ids_of_primitives)
{
   for (unsigned index = 0; index < CM_INDEX_COUNT; index++) {
      for (uint32_t attributes = 1; attributes <= 33; attributes++) {
         assert_int_equal(resident(512, attributes, (enum cm_index)index, CM_PRIMITIVE_IDS_PRIMITIVES), 512);
         assert_int_equal(resident(256, attributes, (enum cm_index)index, CM_PRIMITIVE_IDS_PRIMITIVES), 256);
      }
   }
}

/* Of 48 KiB with entries of 48 bytes, and of the lines that III-C2's argument about area gives: none is wasted. */
TEST(any_number_of_lines)
{
   static const uint32_t lines[] = {341, 597, 323, 754};
   for (unsigned i = 0; i < 4; i++)
      assert_int_equal(resident(lines[i], 3, CM_INDEX_MODULO, CM_PRIMITIVE_IDS_PRIMITIVES), lines[i]);
   assert_int_equal(resident_in(341, 49152, 48, 3, CM_INDEX_MODULO, CM_PRIMITIVE_IDS_PRIMITIVES), 1024 / 3);
   assert_int_equal(resident_in(341, 49152, 64, 3, CM_INDEX_MODULO, CM_PRIMITIVE_IDS_PRIMITIVES), 768 / 3);
}
