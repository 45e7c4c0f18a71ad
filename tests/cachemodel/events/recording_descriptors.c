/* SPDX-License-Identifier: MIT */
/* Descriptors in recordings: what is written is read again, and what no renderer makes is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/recording.h"
#include "events/recording_format.h"
#include "support/random_pass.h"
#include "support/random_recording.h"
#include "support/test.h"

static const struct cm_descriptors usual = {.set = 3,
                                            .set_size = 8,
                                            .first = 2,
                                            .count = 6,
                                            .stage = CM_SHADER_FRAGMENT,
                                            .parts = CM_DESCRIPTOR_RESOURCE | CM_DESCRIPTOR_SAMPLER};

static void
expect(const struct pass_builder *builder, const uint8_t *bytes, size_t size, const char *expected)
{
   struct cm_pass decoded = builder->pass;
   struct cm_draw draws[64];
   struct cm_byte_reader reader = {bytes, bytes + size, false};
   memcpy(draws, builder->draws, sizeof draws);
   for (unsigned d = 0; d < 64; d++)
      draws[d].num_descriptors = draws[d].first_descriptor = 0;
   decoded.draws = draws;
   decoded.descriptors = NULL;
   decoded.num_descriptors = 0;
   const char *wrong = cm_decode_descriptors(&reader, &decoded);
   if (expected && (!wrong || !strstr(wrong, expected)))
      fail_msg("%s: expected %s", wrong ? wrong : "nothing", expected);
   if (!expected) {
      if (wrong)
         fail_msg("%s", wrong);
      assert_int_equal(decoded.num_descriptors, builder->pass.num_descriptors);
      assert_memory_equal(decoded.descriptors, builder->descriptors,
                          decoded.num_descriptors * sizeof *decoded.descriptors);
      assert_memory_equal(draws, builder->draws, builder->pass.num_draws * sizeof *draws);
   }
   free(decoded.descriptors);
}

static void
check(const struct pass_builder *builder, const char *expected)
{
   struct cm_byte_writer writer = {0};
   cm_encode_descriptors(&writer, &builder->pass);
   assert_false(writer.out_of_memory);
   expect(builder, writer.data, writer.size, expected);
   free(writer.data);
}

/* Draws that share theirs, with others and with none between them. */
static struct pass_builder *
new_pass(void)
{
   struct pass_builder *builder = pass_new(0, 64, 64, 32);
   for (unsigned d = 0; d < 5; d++) {
      struct cm_draw *draw = pass_draw(builder);
      if (d == 0 || d == 3) {
         pass_descriptors(builder, usual);
         pass_descriptors(builder, (struct cm_descriptors){.set = 1, .set_size = 1, .count = 1, .parts = 1});
      } else if (d == 1 || d == 4) {
         draw->first_descriptor = builder->draws[0].first_descriptor;
         draw->num_descriptors = builder->draws[0].num_descriptors;
      }
   }
   return builder;
}

TEST(written_and_read)
{
   struct pass_builder *builder = new_pass();
   check(builder, NULL);
   pass_free(builder);
   for (uint64_t seed = 1; seed <= 40; seed++) {
      uint64_t state = seed;
      builder = random_pass(&state, 1);
      if (builder->pass.num_descriptors)
         check(builder, NULL);
      pass_free(builder);
   }
}

TEST(refused)
{
   struct pass_builder *builder = new_pass();
#define REFUSED(member, value)                              \
   do {                                                     \
      builder->descriptors[0] = usual;                      \
      builder->descriptors[0].member = (value);             \
      check(builder, "not in their set, or of an unknown"); \
   } while (0)
   REFUSED(set, 0);
   REFUSED(set_size, 7);
   REFUSED(set_size, CM_MAX_SET_DESCRIPTORS + 1);
   REFUSED(first, 3);
   REFUSED(first, UINT32_MAX);
   REFUSED(count, 0);
   REFUSED(stage, CM_SHADER_STAGES);
   REFUSED(parts, 0);
   REFUSED(parts, 4);
#undef REFUSED
   builder->descriptors[0] = usual;
   builder->draws[4].first_descriptor = 3;
   check(builder, "names descriptors that are not there");
   builder->draws[4].first_descriptor = 0;
   struct cm_byte_writer writer = {0};
   cm_encode_descriptors(&writer, &builder->pass);
   for (size_t size = 0; size < writer.size; size++)
      expect(builder, writer.data, size, "cut short");
   cm_put_varint(&writer, 0);
   expect(builder, writer.data, writer.size, "bytes left over");
   free(writer.data);
   pass_free(builder);
}

TEST(passes_without)
{
   struct cm_recorder *recorder = new_recorder(recording_path());
   cm_recorder_gpu_begin(recorder);
   for (unsigned p = 0; p < 3; p++) {
      struct pass_builder *builder = new_pass();
      if (p != 1) {
         builder->pass.num_descriptors = 0;
         for (unsigned d = 0; d < 5; d++)
            builder->draws[d].num_descriptors = 0;
      }
      record_pass(recorder, builder);
      pass_free(builder);
   }
   cm_recorder_frame_end(recorder, 0);
   assert_true(cm_recorder_destroy(recorder));

   char error[512] = "";
   struct cm_recording *recording = cm_recording_open(recording_path(), error, sizeof error);
   assert_string_equal(error, "");
   uint32_t passes = 0;
   for (struct cm_item item; (item = cm_recording_next(recording)).type != CM_ITEM_END;) {
      assert_int_not_equal(item.type, CM_ITEM_DAMAGED);
      if (item.type != CM_ITEM_PASS)
         continue;
      assert_int_equal(item.pass->pass.num_descriptors, passes++ == 1 ? 4 : 0);
      cm_recorded_pass_release(item.pass);
   }
   assert_int_equal(passes, 3);
   cm_recording_close(recording);
}
