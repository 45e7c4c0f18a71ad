/* SPDX-License-Identifier: MIT */
/* Descriptors in recordings: what is written is read again, and what no renderer makes is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

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

/* ---- chunks where they cannot be ------------------------------------------------ */

/* The payload of a pass as the version before descriptors has it: without the number of buffers with addresses, which is the
 * first byte that differs where there is one. */
static struct cm_byte_writer
encode_older_pass(struct pass_builder *builder)
{
   struct cm_byte_writer payload = {0}, none = {0}, one = {0};
   uint32_t id = 1;
   cm_encode_pass(&none, &builder->pass);
   builder->pass.addressed = &id;
   builder->pass.num_addressed = 1;
   cm_encode_pass(&one, &builder->pass);
   builder->pass.num_addressed = 0;
   size_t at = 0;
   while (none.data[at] == one.data[at])
      at++;
   assert_int_equal(none.data[at], 0);
   cm_put_bytes(&payload, none.data, at);
   cm_put_bytes(&payload, none.data + at + 1, none.size - at - 1);
   free(none.data);
   free(one.data);
   return payload;
}

/* The chunks of a recording of one pass, each as it is in the file, by type. */
static void
read_chunks(struct cm_byte_writer chunks[CM_CHUNK_TYPES], uint8_t header[CM_RECORDING_HEADER_BYTES])
{
   static uint8_t bytes[1 << 20];
   struct cm_chunk_header chunk;
   FILE *file = fopen(recording_path(), "rb");
   assert_non_null(file);
   const size_t size = fread(bytes, 1, sizeof bytes, file);
   fclose(file);
   memcpy(header, bytes, CM_RECORDING_HEADER_BYTES);
   for (size_t at = CM_RECORDING_HEADER_BYTES;
        at < size && cm_chunk_header_load(bytes + at, &chunk) && chunk.type != CM_CHUNK_INDEX;
        at += CM_CHUNK_HEADER_BYTES + chunk.stored_bytes) {
      assert_int_equal(chunks[chunk.type].size, 0);
      cm_put_bytes(&chunks[chunk.type], bytes + at, CM_CHUNK_HEADER_BYTES + chunk.stored_bytes);
   }
}

static void
replace_chunk(struct cm_byte_writer *chunk, const struct cm_byte_writer *payload)
{
   static uint8_t stored[1 << 16], head[CM_CHUNK_HEADER_BYTES];
   struct cm_chunk_header header;
   assert_true(cm_chunk_header_load(chunk->data, &header));
   header.bytes = (uint32_t)payload->size;
   header.stored_bytes =
      (uint32_t)ZSTD_compress(stored, sizeof stored, payload->data, payload->size, ZSTD_CLEVEL_DEFAULT);
   assert_true(header.stored_bytes <= sizeof stored);
   cm_chunk_header_store(head, &header);
   chunk->size = 0;
   cm_put_bytes(chunk, head, sizeof head);
   cm_put_bytes(chunk, stored, header.stored_bytes);
}

/* Reads a recording of that version whose pass has these parts, one after another up to a 0. */
static void
expect_parts(uint32_t version, const uint8_t *parts, const char *expected)
{
   const struct cm_quad quad = {0, 3, 3, 15, 15, 15, 15};
   const uint32_t tile = 0;
   struct cm_byte_writer chunks[CM_CHUNK_TYPES] = {0};
   uint8_t header[CM_RECORDING_HEADER_BYTES];
   struct pass_builder *builder = new_pass();
   pass_primitive(builder, 1, &tile, 1);
   pass_quads(builder, 0, 0, 0, &quad, 1);
   struct cm_recorder *recorder = new_recorder(recording_path());
   cm_recorder_gpu_begin(recorder);
   record_pass(recorder, builder);
   cm_recorder_frame_end(recorder, 0);
   assert_true(cm_recorder_destroy(recorder));
   read_chunks(chunks, header);
   if (version < CM_RECORDING_ADDRESS_VERSION) {
      struct cm_byte_writer older = encode_older_pass(builder);
      replace_chunk(&chunks[CM_CHUNK_PASS], &older);
      free(older.data);
   }
   pass_free(builder);
   cm_store_uint32(header + 8, version);
   cm_store_uint32(header + 28, cm_crc32(header, 28));
   FILE *file = fopen(recording_path(), "wb");
   assert_non_null(file);
   fwrite(header, 1, sizeof header, file);
   const uint8_t before[] = {CM_CHUNK_PROVENANCE, CM_CHUNK_GPU, CM_CHUNK_PASS};
   for (unsigned i = 0; i < sizeof before; i++)
      fwrite(chunks[before[i]].data, 1, chunks[before[i]].size, file);
   for (; *parts; parts++)
      fwrite(chunks[*parts].data, 1, chunks[*parts].size, file);
   fwrite(chunks[CM_CHUNK_FRAME_END].data, 1, chunks[CM_CHUNK_FRAME_END].size, file);
   assert_int_equal(fclose(file), 0);
   for (unsigned i = 0; i < CM_CHUNK_TYPES; i++)
      free(chunks[i].data);

   char error[512] = "";
   struct cm_recording *recording = cm_recording_open(recording_path(), error, sizeof error);
   assert_string_equal(error, "");
   assert_int_equal(cm_recording_next(recording).type, CM_ITEM_GPU);
   const struct cm_item item = cm_recording_next(recording);
   assert_int_equal(item.type, expected ? CM_ITEM_DAMAGED : CM_ITEM_PASS);
   if (expected && !strstr(cm_recording_damage(recording), expected))
      fail_msg("%s: expected %s", cm_recording_damage(recording), expected);
   if (!expected)
      cm_recorded_pass_release(item.pass);
   cm_recording_close(recording);
}

#define PARTS(...) ((const uint8_t[]){__VA_ARGS__, 0})

TEST(misplaced)
{
   enum { DESCRIPTORS = CM_CHUNK_DESCRIPTORS, TILES = CM_CHUNK_TILES };
   const uint32_t before = CM_RECORDING_ADDRESS_VERSION - 1;
   expect_parts(CM_RECORDING_VERSION, PARTS(DESCRIPTORS, TILES), NULL);
   expect_parts(CM_RECORDING_VERSION, PARTS(TILES), NULL);
   expect_parts(CM_RECORDING_VERSION, PARTS(TILES, DESCRIPTORS),
                "descriptors after events of their pass' tiles");
   expect_parts(CM_RECORDING_VERSION, PARTS(DESCRIPTORS, DESCRIPTORS, TILES), "a pass has descriptors twice");
   expect_parts(before, PARTS(TILES), NULL);
   expect_parts(before, PARTS(DESCRIPTORS, TILES),
                "descriptors, which recordings of this version do not have");
   expect_parts(before, PARTS(TILES, DESCRIPTORS),
                "descriptors, which recordings of this version do not have");
}
