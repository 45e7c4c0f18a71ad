/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "support/test.h"
#include "tiling/parameter_buffer.h"

/* The bytes that docs/parameter-buffer.md gives a PMD. */
static void
encode(uint8_t *bytes, bool wide, const struct cm_pmd *pmd)
{
   const uint64_t next = pmd->opt_number == CM_PB_NEVER ? 0 : pmd->opt_number;
   const uint64_t attributes = pmd->num_attributes - 1;
   const uint64_t value =
      wide ? pmd->primitive | attributes << 32 | next << 40 : pmd->primitive | attributes << 16 | next << 20;
   for (unsigned i = 0; i < cm_pmd_bytes(wide); i++)
      bytes[i] = (uint8_t)(value >> 8 * i);
}

static void
assert_round_trip(bool wide, struct cm_pmd pmd)
{
   /* One byte of distance on either side, and an odd address. */
   uint8_t bytes[10];
   memset(bytes, 0xa5, sizeof(bytes));
   encode(bytes + 1, wide, &pmd);
   const struct cm_pmd decoded = cm_pmd_decode(bytes + 1, wide);
   assert_int_equal(decoded.primitive, pmd.primitive);
   assert_int_equal(decoded.num_attributes, pmd.num_attributes);
   assert_int_equal(decoded.opt_number, pmd.opt_number);
   assert_int_equal(bytes[0], 0xa5);
   assert_int_equal(bytes[1 + cm_pmd_bytes(wide)], 0xa5);
}

TEST(bytes)
{
   static const struct {
      bool wide;
      struct cm_pmd pmd;
      uint8_t bytes[8];
   } cases[] = {
      {false, {0, 1, CM_PB_NEVER}, {0, 0, 0, 0}},
      {false, {0xffff, 1, CM_PB_NEVER}, {0xff, 0xff, 0, 0}},
      {false, {0, 16, CM_PB_NEVER}, {0, 0, 0x0f, 0}},
      {false, {0, 1, 4095}, {0, 0, 0xf0, 0xff}},
      {false, {0x1234, 6, 0x789}, {0x34, 0x12, 0x95, 0x78}},
      {true, {0, 1, CM_PB_NEVER}, {0, 0, 0, 0, 0, 0, 0, 0}},
      {true, {0xffffffff, 1, CM_PB_NEVER}, {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}},
      {true, {0, 256, CM_PB_NEVER}, {0, 0, 0, 0, 0xff, 0, 0, 0}},
      {true, {0, 1, 0xffffff}, {0, 0, 0, 0, 0, 0xff, 0xff, 0xff}},
      {true, {0x12345678, 0x9b, 0xbcdef0}, {0x78, 0x56, 0x34, 0x12, 0x9a, 0xf0, 0xde, 0xbc}},
   };
   for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
      uint8_t bytes[8] = {0};
      encode(bytes, cases[c].wide, &cases[c].pmd);
      assert_memory_equal(bytes, cases[c].bytes, 8);
      assert_round_trip(cases[c].wide, cases[c].pmd);
   }
}

TEST(every_value_of_each_field)
{
   for (uint32_t primitive = 0; primitive < 65536; primitive++)
      assert_round_trip(false, (struct cm_pmd){primitive, 1 + primitive % 16, CM_PB_NEVER});
   for (uint32_t num_attributes = 1; num_attributes <= 16; num_attributes++)
      assert_round_trip(false, (struct cm_pmd){65535, num_attributes, 4095});
   for (uint32_t opt_number = 1; opt_number < 4096; opt_number++)
      assert_round_trip(false, (struct cm_pmd){opt_number, 16, opt_number});
   for (uint32_t num_attributes = 1; num_attributes <= 256; num_attributes++)
      assert_round_trip(true, (struct cm_pmd){UINT32_MAX, num_attributes, CM_PB_NEVER});

   uint64_t random = 1;
   for (unsigned n = 0; n < 100000; n++) {
      const uint32_t next = random_below(&random, 1u << 24);
      assert_round_trip(true, (struct cm_pmd){random_below(&random, UINT32_MAX),
                                              1 + random_below(&random, 256), next ? next : CM_PB_NEVER});
   }
}

/* Every bit of a PMD means something: another bit pattern is another PMD. */
TEST(every_bit_counts)
{
   for (unsigned wide = 0; wide < 2; wide++) {
      const struct cm_pmd pmd = {0x5a5a, 7, 0x5a5};
      uint8_t bytes[8];
      encode(bytes, wide, &pmd);
      for (unsigned bit = 0; bit < cm_pmd_bytes(wide) * 8; bit++) {
         bytes[bit / 8] ^= 1 << bit % 8;
         const struct cm_pmd other = cm_pmd_decode(bytes, wide);
         assert_true(other.primitive != pmd.primitive || other.num_attributes != pmd.num_attributes ||
                     other.opt_number != pmd.opt_number);
         bytes[bit / 8] ^= 1 << bit % 8;
      }
   }
}

TEST(needs_wide)
{
   assert_false(cm_pb_needs_wide(1, 0, 1));
   assert_false(cm_pb_needs_wide(4096, 65536, 16));
   assert_true(cm_pb_needs_wide(4097, 1, 1));
   assert_true(cm_pb_needs_wide(1, 65537, 1));
   assert_true(cm_pb_needs_wide(1, 1, 17));
   assert_true(cm_pb_needs_wide(UINT64_C(1) << 32, 1, 1));
   assert_true(cm_pb_needs_wide(1, UINT64_C(1) << 32, 1));
}

TEST(attribute_block)
{
   assert_int_equal(sizeof(struct cm_pb_attribute_block), CM_PB_BLOCK_BYTES);
   assert_int_equal(sizeof(((struct cm_pb_attribute_block *)0)->vertex), CM_PB_ATTRIBUTE_BYTES);
   assert_int_equal(offsetof(struct cm_pb_attribute_block, vertex[1]), 16);
   assert_int_equal(offsetof(struct cm_pb_attribute_block, last_tile), 48);
   assert_int_equal(offsetof(struct cm_pb_attribute_block, draw), 52);
   assert_int_equal(offsetof(struct cm_pb_attribute_block, flags), 56);
   assert_int_equal(offsetof(struct cm_pb_attribute_block, reserved), 60);
}
