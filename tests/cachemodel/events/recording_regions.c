/* SPDX-License-Identifier: MIT */
/* Codes of shaders and runs of their regions in recordings: what is written is read again, what no renderer makes is
 * refused. */
#include <stdlib.h>
#include <string.h>

#include "events/recording.h"
#include "events/recording_format.h"
#include "support/random_pass.h"
#include "support/random_recording.h"
#include "support/test.h"

/* ---- codes --------------------------------------------------------------------- */

static struct cm_shader_code
random_code(uint64_t *state, struct cm_code_region *regions)
{
   const struct cm_shader_code code = {
      .stage = (enum cm_shader_stage)random_below(state, CM_SHADER_STAGES),
      .shader = 1 + random_below(state, 1000000),
      .isa = (enum cm_isa)random_below(state, CM_ISA_COUNT),
      .part = (enum cm_code_part)random_below(state, CM_CODE_PARTS),
      .bytes = random_below(state, 5000),
      .registers = random_below(state, 65),
      .threads_shared = 1 + random_below(state, 4),
      .spills = random_below(state, 9),
      .fills = random_below(state, 9),
      .num_regions = 1 + random_below(state, random_below(state, 10) ? 9 : CM_MAX_REGIONS),
      .regions = regions,
   };
   for (uint32_t r = 0; r < code.num_regions; r++) {
      for (unsigned p = 0; p < CM_PIPE_COUNT; p++)
         regions[r].operations[p] = random_below(state, 1000);
   }
   return code;
}

static void
assert_same_code(const struct cm_shader_code *found, const struct cm_shader_code *expected)
{
#define SAME(member) assert_int_equal(found->member, expected->member)
   SAME(stage);
   SAME(shader);
   SAME(isa);
   SAME(part);
   SAME(bytes);
   SAME(registers);
   SAME(threads_shared);
   SAME(spills);
   SAME(fills);
   SAME(num_regions);
#undef SAME
   assert_memory_equal(found->regions, expected->regions, found->num_regions * sizeof *found->regions);
}

/* With a name and a resource between them. */
TEST(codes)
{
   static struct cm_code_region regions[50][CM_MAX_REGIONS];
   struct cm_shader_code codes[50];
   struct cm_byte_writer writer = {0};
   uint64_t state = 1;
   for (unsigned c = 0; c < 50; c++) {
      codes[c] = random_code(&state, regions[c]);
      cm_encode_code_definition(&writer, &codes[c]);
      if (c == 20) {
         const struct cm_resource_description resource = random_resource(3);
         cm_encode_resource_definition(&writer, &resource);
         cm_encode_name_definition(&writer,
                                   &(struct cm_name){.type = CM_NAME_STRING, .number = 1, .text = "a"});
      }
   }
   struct cm_byte_reader reader = {.at = writer.data, .end = writer.data + writer.size};
   struct cm_name_check check = {0};
   struct cm_definitions found;
   assert_null(cm_decode_definitions(&reader, CM_RECORDING_VERSION, &check, &found));
   assert_int_equal(found.num_codes, 50);
   assert_int_equal(found.num_names + found.num_resources, 2);
   for (unsigned c = 0; c < 50; c++)
      assert_same_code(&found.codes[c], &codes[c]);
   cm_definitions_finish(&found);
   /* No part of it is taken for the whole. */
   for (size_t size = 1; size < writer.size; size += 7) {
      reader = (struct cm_byte_reader){.at = writer.data, .end = writer.data + size};
      cm_name_check_begin(&check);
      if (!cm_decode_definitions(&reader, CM_RECORDING_VERSION, &check, &found)) {
         assert_true(found.num_codes < 50);
         cm_definitions_finish(&found);
      }
   }
   cm_name_check_begin(&check);
   free(writer.data);
}

static void
check_code(const struct cm_shader_code *code, uint32_t version, const char *expected)
{
   struct cm_byte_writer writer = {0};
   struct cm_name_check check = {0};
   struct cm_definitions found;
   cm_encode_code_definition(&writer, code);
   struct cm_byte_reader reader = {.at = writer.data, .end = writer.data + writer.size};
   const char *wrong = cm_decode_definitions(&reader, version, &check, &found);
   if (expected && (!wrong || !strstr(wrong, expected)))
      fail_msg("'%s': expected '%s'", wrong, expected);
   if (!expected)
      assert_null(wrong);
   cm_definitions_finish(&found);
   cm_name_check_begin(&check);
   free(writer.data);
}

TEST(codes_refused)
{
   static const struct cm_code_region regions[CM_MAX_REGIONS + 1];
   const struct cm_shader_code usual = {.shader = 1, .num_regions = 2, .regions = regions};
   check_code(&usual, CM_RECORDING_VERSION, NULL);
   check_code(&usual, CM_RECORDING_REGIONS_VERSION - 1, "unknown type");
#define REFUSED(expected, member, value)                 \
   do {                                                  \
      struct cm_shader_code code = usual;                \
      code.member = value;                               \
      check_code(&code, CM_RECORDING_VERSION, expected); \
   } while (0)
   REFUSED("unknown stage", shader, 0);
   REFUSED("unknown stage", stage, CM_SHADER_STAGES);
   REFUSED("unknown stage", isa, CM_ISA_COUNT);
   REFUSED("unknown stage", part, CM_CODE_PARTS);
   REFUSED("no regions, or too many", num_regions, 0);
   REFUSED("no regions, or too many", num_regions, CM_MAX_REGIONS + 1);
#undef REFUSED
}

/* ---- events ---------------------------------------------------------------------- */

/* A tile of many groups with and without regions, in several payloads. */
TEST(many_regions)
{
   uint64_t state = 3;
   struct pass_builder *builder = pass_new(0, 32, 32, 32);
   const uint32_t tile = 0;
   builder->pass.kind = CM_PASS_TBR;
   pass_draw(builder);
   pass_primitive(builder, 1, &tile, 1);
   for (uint32_t group = 0; group < 2000; group++) {
      uint32_t runs[CM_MAX_REGIONS - 1];
      const uint32_t count = 1 + random_below(&state, CM_MAX_REGIONS - 1);
      for (uint32_t r = 0; r < count; r++)
         runs[r] = random_below(&state, group % 3 ? 4 : UINT32_MAX);
      pass_shade(builder, 0, 0, 4, 15);
      pass_regions(builder, 0, 5, runs, count);
      pass_regions(builder, 0, 2, runs, count);
   }
   struct cm_recorder *recorder = new_recorder(recording_path());
   cm_recorder_gpu_begin(recorder);
   record_pass(recorder, builder);
   cm_recorder_frame_end(recorder, 0);
   assert_true(cm_recorder_destroy(recorder));
   char error[512];
   struct cm_recording *recording = cm_recording_open(recording_path(), error, sizeof error);
   cm_recording_seek(recording, 0, 0);
   assert_true(cm_recording_has_regions(recording));
   assert_int_equal(cm_recording_next(recording).type, CM_ITEM_GPU);
   struct cm_item item = cm_recording_next(recording);
   if (item.type == CM_ITEM_DAMAGED)
      print_error("%s\n", cm_recording_damage(recording));
   assert_int_equal(item.type, CM_ITEM_PASS);
   assert_passes_equal(&item.pass->pass, &builder->pass);
   cm_recorded_pass_release(item.pass);
   cm_recording_close(recording);
   pass_free(builder);
}

/* Words behind a shade event of three quads; what reading them says. */
static void
check_words(const uint32_t *words, size_t count, const char *expected)
{
   const uint32_t tile = 0;
   struct pass_builder *builder = pass_new(0, 32, 32, 32);
   struct cm_tile_encoder *encoder = cm_tile_encoder_create();
   struct cm_recording_counts counts = {0};
   struct cm_byte_writer writer = {0};
   struct cm_pass pass = {0};
   builder->pass.kind = CM_PASS_TBR;
   pass_draw(builder);
   pass_primitive(builder, 1, &tile, 1);
   cm_encode_pass(&writer, &builder->pass);
   struct cm_byte_reader reader = {.at = writer.data, .end = writer.data + writer.size};
   assert_null(cm_decode_pass(&reader, CM_RECORDING_VERSION, &pass));
   pass_shade(builder, 0, 0, 3, 15);
   pass_words(builder, 0, words, count);
   writer.size = 0;
   assert_int_equal(cm_tile_encoder_add(encoder, 0, &builder->tiles[0], 0, &counts),
                    builder->tiles[0].num_words);
   cm_tile_encoder_finish(encoder, &writer);
   reader = (struct cm_byte_reader){.at = writer.data, .end = writer.data + writer.size};
   const char *wrong = cm_decode_tiles(&reader, CM_RECORDING_VERSION, &pass);
   if (expected && (!wrong || !strstr(wrong, expected)))
      fail_msg("'%s': expected '%s'", wrong, expected);
   if (!expected)
      assert_null(wrong);
   cm_pass_finish(&pass);
   cm_tile_encoder_destroy(encoder);
   free(writer.data);
   pass_free(builder);
}

#define REGIONS(quads, count) (CM_EVENT_REGIONS | (uint32_t)(quads) << 8 | (uint32_t)(count) << 16)

TEST(regions_refused)
{
   static const struct {
      uint32_t words[8];
      size_t count;
      const char *wrong;
   } cases[] = {
      {{REGIONS(7, 2), 1000, 5}, 3, NULL},
      {{REGIONS(3 | CM_REGIONS_ARE_BYTES, 4), 0x01020304, REGIONS(4, 1), 9}, 4, NULL},
      {{REGIONS(0, 1), 5}, 2, "invalid quads"},
      {{REGIONS(8, 1), 5}, 2, "invalid quads"},
      {{REGIONS(1 | 32, 1), 5}, 2, "invalid quads"},
      {{REGIONS(3, 1), 5, REGIONS(2, 1), 6}, 4, "invalid quads"},
      {{REGIONS(1, 0)}, 1, "too many, or none"},
      {{CM_EVENT_FLUSH}, 1, "unknown type"},
   };
   for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++)
      check_words(cases[c].words, cases[c].count, cases[c].wrong);
}
