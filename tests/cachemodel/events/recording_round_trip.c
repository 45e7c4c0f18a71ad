/* SPDX-License-Identifier: MIT */
/* What a recorder was given comes out of the recording again, to the bit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/recording_format.h"
#include "support/random_pass.h"
#include "support/random_recording.h"
#include "support/test.h"
#include "events/recording_format.h"

static struct cm_recording *
open_recording(void)
{
   char error[512] = "";
   struct cm_recording *recording = cm_recording_open(recording_path(), error, sizeof error);
   assert_string_equal(error, "");
   assert_non_null(recording);
   assert_null(cm_recording_damage(recording));
   assert_int_equal(cm_recording_end(recording), CM_RECORDING_WHOLE);
   return recording;
}

TEST(random_passes)
{
   for (uint64_t seed = 1; seed <= 40; seed++) {
      write_random_recording(recording_path(), seed, 6);
      struct cm_recording *recording = open_recording();
      assert_int_equal(compare_random_recording(recording, seed, 0), 6);
      assert_null(cm_recording_damage(recording));
      /* From any frame on. */
      const uint32_t first = (uint32_t)(seed % 7);
      assert_int_equal(compare_random_recording(recording, seed, first), 6 - first);
      cm_recording_close(recording);
   }
}

TEST(provenance)
{
   write_random_recording(recording_path(), 1, 1);
   struct cm_recording *recording = open_recording();
   size_t count;
   cm_recording_values(recording, &count);
   assert_int_equal(count, 5);
   assert_string_equal(cm_recording_value(recording, "program"), "a \"program\"");
   assert_string_equal(cm_recording_value(recording, "empty"), "");
   assert_string_equal(cm_recording_value(recording, "preset"), CM_CONFIG_DEFAULT);
   assert_non_null(strstr(cm_recording_value(recording, "configuration"), "\"tile\": {\"size\": 32"));
   assert_null(cm_recording_value(recording, "no such key"));
   assert_int_equal(cm_recording_kind(recording), CM_RECORDING_PLAIN);
   cm_recording_close(recording);
}

static uint64_t
fingerprint_of(uint64_t seed, uint32_t frames)
{
   write_random_recording(recording_path(), seed, frames);
   struct cm_recording *recording = open_recording();
   const uint64_t fingerprint = cm_recording_fingerprint(recording);
   assert_int_equal(cm_recording_fingerprint(recording), fingerprint);
   assert_null(cm_recording_damage(recording));
   assert_int_equal(compare_random_recording(recording, seed, 0), frames);
   cm_recording_close(recording);
   return fingerprint;
}

/* The same for the same content, and for no other, one checksum of which differs included. */
TEST(fingerprint)
{
   const uint64_t fingerprint = fingerprint_of(1, 3);
   assert_true(fingerprint_of(2, 3) != fingerprint);
   assert_true(fingerprint_of(1, 2) != fingerprint);
   assert_int_equal(fingerprint_of(1, 3), fingerprint);
   FILE *file = fopen(recording_path(), "r+b");
   assert_non_null(file);
   /* The last chunk's checksum is before the trailer. */
   assert_int_equal(fseek(file, -(CM_TRAILER_BYTES + 1), SEEK_END), 0);
   const int byte = fgetc(file);
   assert_int_equal(fseek(file, -(CM_TRAILER_BYTES + 1), SEEK_END), 0);
   assert_int_equal(fputc(byte ^ 1, file), byte ^ 1);
   fclose(file);
   char error[512];
   struct cm_recording *recording = cm_recording_open(recording_path(), error, sizeof error);
   assert_non_null(recording); /* the index is made anew */
   assert_true(cm_recording_fingerprint(recording) != fingerprint);
   cm_recording_close(recording);
}

/* What only passes with the hidden fragments have, then a group. */
static void
add_event_of_full_pass(struct pass_builder *builder, uint64_t *state, uint32_t tile)
{
   const uint32_t flush = CM_EVENT_FLUSH, draw = random_below(state, builder->pass.num_draws);
   const uint32_t unshaded[2] = {CM_EVENT_UNSHADED | 2 << 8, draw};
   const struct cm_quad quads[2] = {{.x = 3, .y = 15, .covered = 15, .live = 1}, {.covered = 7}};
   pass_words(builder, tile, &flush, random_below(state, 2));
   pass_words(builder, tile, unshaded, 2);
   pass_words(builder, tile, quads, 2 * CM_QUAD_WORDS);
   pass_shade(builder, tile, draw, 1 + random_below(state, 4), (uint8_t)random_below(state, 16));
}

/* Footprints with any values that a renderer may write, and more of them in a tile than a
 * chunk takes. */
static void
add_wild_events(struct pass_builder *builder, uint64_t *state, uint32_t tile, uint32_t events)
{
   while (events-- > 0) {
      if (random_below(state, 20) == 0)
         add_event_of_full_pass(builder, state, tile);
      struct cm_footprint footprints[64];
      const uint32_t quads = 1 + random_below(state, 4), count = 1 + random_below(state, 64);
      if (random_below(state, 3) == 0 || !builder->tiles[tile].num_words)
         pass_shade(builder, tile, random_below(state, builder->pass.num_draws), quads,
                    (uint8_t)random_below(state, 16));
      const uint32_t spread = random_below(state, 4);
      for (uint32_t i = 0; i < count; i++) {
         struct cm_footprint *f = &footprints[i];
         *f = (struct cm_footprint){.level = (uint8_t)random_below(state, 256),
                                    .live = (uint8_t)random_below(state, 16),
                                    .linear = (uint8_t)random_below(state, 2),
                                    .layer = random_below(state, 3) ? 0 : random_next(state) << 1};
         for (unsigned q = 0; q < 4; q++) {
            const uint32_t range = spread == 0 ? 65536 : spread == 1 ? 200 : spread == 2 ? 9 : 1;
            f->texel[q].x = (int16_t)(random_below(state, range) - 2);
            f->texel[q].y = (int16_t)(random_below(state, range) + 32760);
         }
      }
      pass_footprints(builder, tile,
                      random_below(state, 4) ? random_below(state, 33) : random_below(state, 65536),
                      footprints, count);
   }
}

TEST(wild_events)
{
   uint64_t state = 77;
   struct pass_builder *builder = random_pass(&state, 3);
   for (uint32_t t = 0; t < 20; t++)
      add_wild_events(builder, &state, t, t == 7 ? 10000 : random_below(&state, 400));
   builder->pass.frame = UINT32_MAX;
   builder->pass.kind = CM_PASS_FULL;
   builder->pass.attribute_blocks = 1u << 31;
   struct cm_recorder *recorder = new_recorder(recording_path());
   cm_recorder_gpu_begin(recorder);
   record_pass(recorder, builder);
   cm_recorder_frame_end(recorder, 0);
   assert_true(cm_recorder_destroy(recorder));

   struct cm_recording *recording = open_recording();
   assert_int_equal(cm_recording_next(recording).type, CM_ITEM_GPU);
   struct cm_item item = cm_recording_next(recording);
   assert_int_equal(item.type, CM_ITEM_PASS);
   assert_passes_equal(&item.pass->pass, &builder->pass);
   cm_recorded_pass_release(item.pass);
   assert_int_equal(cm_recording_next(recording).type, CM_ITEM_FRAME_END);
   assert_int_equal(cm_recording_next(recording).type, CM_ITEM_END);
   cm_recording_close(recording);
   pass_free(builder);
}

/* Buffers that a pass can access by address: more than a byte can number. */
#define ADDRESSED 1000

/* A second GPU of the process: what the first one left open is gone, and its resources are
 * not the second one's. */
/* An access of some quads to buffer or image `unit`, in a storage of 4 buffers of 1 MiB and 4 images. */
static void
add_storage_event(struct pass_builder *builder, uint64_t *state, uint32_t tile, uint32_t quads)
{
   const bool is_buffer = random_below(state, 2), by_address = is_buffer && !random_below(state, 3);
   const uint32_t bytes = 4 * (1 + random_below(state, 4));
   const uint32_t unit = by_address ? CM_BY_ADDRESS : random_below(state, 4);
   uint32_t words[1 + 4 * CM_FOOTPRINT_WORDS], count = 0;
   for (uint32_t quad = 0; quad < quads; quad++) {
      const uint8_t live = (uint8_t)(random_below(state, 16));
      if (!live && quad + 1 < quads)
         continue;
      if (is_buffer) {
         struct cm_buffer_access access = {.quad = (uint8_t)quad, .live = live ? live : 1};
         access.buffer = by_address ? (uint16_t)random_below(state, ADDRESSED) : 0;
         /* Scattered, all the same, or one after another; the last two by all four, most of the time. */
         const uint32_t first = random_below(state, (1 << 20) - 64), order = random_below(state, 3);
         if (order && random_below(state, 4))
            access.live = 15;
         for (unsigned i = 0; i < 4; i++) {
            const uint32_t scattered = random_below(state, (1 << 20) - 16);
            access.offset[i] = !(access.live >> i & 1) ? 0
                               : order == 0            ? scattered
                                                       : first + (order - 1) * i * bytes;
         }
         memcpy(words + 1 + count++ * CM_BUFFER_ACCESS_WORDS, &access, sizeof access);
      } else {
         struct cm_footprint footprint = {.quad = (uint8_t)quad, .live = live ? live : 1};
         for (unsigned i = 0; i < 4; i++)
            footprint.texel[i].x = (int16_t)random_below(state, 1000);
         footprint.layer = random_below(state, 3);
         memcpy(words + 1 + count++ * CM_FOOTPRINT_WORDS, &footprint, sizeof footprint);
      }
   }
   words[0] = (is_buffer ? CM_EVENT_BUFFER : CM_EVENT_IMAGE) | count << 8 | unit << 16 |
              random_below(state, CM_STORAGE_OPERATIONS) << CM_STORAGE_OPERATION_SHIFT |
              (is_buffer ? bytes << CM_STORAGE_BYTES_SHIFT : 0);
   pass_words(builder, tile, words, 1 + count * (is_buffer ? CM_BUFFER_ACCESS_WORDS : CM_FOOTPRINT_WORDS));
}

/* By number, which some have none of. */
static void
fill_addressed(uint64_t *state, uint32_t addressed[ADDRESSED])
{
   for (uint32_t a = 0; a < ADDRESSED; a++)
      addressed[a] = random_below(state, 5) ? 1 + random_below(state, 1000) : 0;
}

static struct cm_storage
random_storage(uint64_t *state)
{
   struct cm_storage storage = {.num_buffers = 4, .num_images = 4};
   for (unsigned i = 0; i < 4; i++) {
      storage.buffers[i] =
         (struct cm_storage_buffer){1 + random_below(state, 4), random_below(state, 64), 1 << 20};
      storage.images[i] =
         (struct cm_texture_binding){.resource = 5 + i, .first_level = (uint8_t)random_below(state, 3)};
   }
   return storage;
}

/* Work-groups of 40 invocations, three per tile. */
static struct pass_builder *
random_compute_pass(uint64_t *state, struct cm_storage *storage)
{
   enum { GROUPS = 50, PER_TILE = 3 };
   struct pass_builder *builder = pass_new(3, 1, 1, 8);
   struct cm_pass *pass = &builder->pass;
   struct cm_draw *draw = pass_draw(builder);
   draw->storage = 1;
   draw->indirect = (struct cm_indirect){1, 12, 12};
   pass->kind = CM_PASS_COMPUTE;
   pass->tile_size = pass->width = pass->height = pass->tiles_y = pass->layer_tiles_y = 1;
   pass->tiles_x = (GROUPS + PER_TILE - 1) / PER_TILE;
   pass->num_storages = 1;
   pass->storages = storage;
   pass->dispatch = (struct cm_dispatch){
      {9, 100, 64}, {5, 10, 1}, {10, 2, 2}, .shared_bytes = 100, .groups_per_tile = PER_TILE};
   for (uint32_t group = 0; group < GROUPS; group++) {
      const uint32_t words[] = {CM_EVENT_GROUP, group};
      pass_words(builder, group / PER_TILE, words, 2);
      for (uint32_t turn = 0; turn < 2; turn++) {
         for (uint32_t first = 0; first < 40; first += CM_INVOCATIONS) {
            const uint32_t count = first + CM_INVOCATIONS <= 40 ? CM_INVOCATIONS : 40 - first;
            const uint32_t run[] = {CM_EVENT_INVOKE | count << 8 | (turn ? CM_INVOKE_RESUMES : 0), first};
            pass_words(builder, group / PER_TILE, run, 2);
            for (uint32_t i = random_below(state, 5); i > 0; i--)
               add_storage_event(builder, state, group / PER_TILE, (count + 3) / 4);
         }
         const uint32_t barrier = CM_EVENT_BARRIER;
         if (!turn)
            pass_words(builder, group / PER_TILE, &barrier, 1);
      }
   }
   for (uint32_t t = 0; t < pass->tiles_x; t++)
      builder->touched[t] = true;
   return builder;
}

/* Of fragments, with footprints between them. */
static struct pass_builder *
random_storage_pass(uint64_t *state, struct cm_storage *storage)
{
   struct pass_builder *builder = pass_new(3, 64, 64, 16);
   pass_draw(builder)->storage = 1;
   pass_primitive(builder, 1, (const uint32_t[]){0, 1, 2, 3}, 4);
   builder->pass.num_storages = 1;
   builder->pass.storages = storage;
   for (uint32_t event = 0; event < 300; event++) {
      const uint32_t tile = random_below(state, 4), quads = 1 + random_below(state, 4);
      const struct cm_footprint footprint = {.quad = 0, .live = 15, .linear = 1};
      pass_shade(builder, tile, 0, quads, 15);
      for (uint32_t i = random_below(state, 4); i > 0; i--) {
         add_storage_event(builder, state, tile, quads);
         pass_footprints(builder, tile, 2, &footprint, 1);
      }
   }
   return builder;
}

TEST(storage)
{
   uint64_t state = 5;
   struct cm_storage storage = random_storage(&state);
   struct pass_builder *builders[] = {random_compute_pass(&state, &storage),
                                      random_storage_pass(&state, &storage)};
   static uint32_t addressed[2][ADDRESSED];
   for (unsigned b = 0; b < 2; b++) {
      fill_addressed(&state, addressed[b]);
      builders[b]->pass.num_addressed = ADDRESSED;
      builders[b]->pass.addressed = addressed[b];
   }
   struct cm_recorder *recorder = new_recorder(recording_path());
   cm_recorder_gpu_begin(recorder);
   for (unsigned b = 0; b < 2; b++)
      record_pass(recorder, builders[b]);
   cm_recorder_frame_end(recorder, 0);
   assert_true(cm_recorder_destroy(recorder));
   struct cm_recording *recording = open_recording();
   assert_int_equal(cm_recording_next(recording).type, CM_ITEM_GPU);
   for (unsigned b = 0; b < 2; b++) {
      struct cm_item item = cm_recording_next(recording);
      if (item.type == CM_ITEM_DAMAGED)
         print_error("%s\n", cm_recording_damage(recording));
      assert_int_equal(item.type, CM_ITEM_PASS);
      assert_passes_equal(&item.pass->pass, &builders[b]->pass);
      cm_recorded_pass_release(item.pass);
      pass_free(builders[b]);
   }
   cm_recording_close(recording);
}

/* Removes a byte, which is zero. */
static void
drop(struct cm_byte_writer *writer, size_t at)
{
   assert_int_equal(writer->data[at], 0);
   writer->size--;
   memmove(writer->data + at, writer->data + at + 1, writer->size - at);
}

/* Files before version 14 have no buffers with addresses: of a pass without draws their number, the eighth last before what tiles
 * are touched. Files before version 12 have no regions: the number of their runs, the third last. Files before version 11 have neither end nor end_call, the last two of the twelve numbers that a pass begins
 * with. */
static void
check_older(uint32_t version)
{
   struct pass_builder *builder = pass_new(2, 300, 200, 32);
   struct cm_byte_writer writer = {0};
   cm_encode_pass(&writer, &builder->pass);
   assert_false(writer.out_of_memory);
   const size_t num_tiles = builder->pass.tiles_x * builder->pass.tiles_y;
   const size_t runs = writer.size - (num_tiles + 7) / 8 - 3;
   if (version < CM_RECORDING_REGIONS_VERSION)
      drop(&writer, runs);
   drop(&writer, runs - 5);
   if (version < CM_RECORDING_ENDS_VERSION) {
      struct cm_byte_reader numbers = {.at = writer.data, .end = writer.data + writer.size};
      for (unsigned n = 0; n < 10; n++)
         cm_get_signed(&numbers);
      const size_t offset = (size_t)(numbers.at - writer.data);
      assert_int_equal(writer.data[offset] | writer.data[offset + 1], 0);
      writer.size -= 2;
      memmove(writer.data + offset, writer.data + offset + 2, writer.size - offset);
   }
   struct cm_pass pass = {0};
   struct cm_byte_reader reader = {.at = writer.data, .end = writer.data + writer.size};
   assert_null(cm_decode_pass(&reader, version, &pass));
   assert_passes_equal(&pass, &builder->pass);
   cm_pass_finish(&pass);
   free(writer.data);
   pass_free(builder);
}

TEST(older_versions)
{
   check_older(10);
   check_older(11);
   check_older(13);
}

/* They do not say either which primitives are parts of a triangle: of a primitive, two bytes before its tile's number. Of this
 * draw the last five bytes, before the primitive, are of regions. */
TEST(older_primitives)
{
   struct pass_builder *builder = pass_new(0, 32, 32, 32);
   const uint32_t tile = 0;
   struct cm_byte_writer writer = {0}, empty = {0};
   cm_encode_pass(&empty, &builder->pass);
   (void)pass_draw(builder);
   pass_primitive(builder, 2, &tile, 1);
   builder->touched[0] = false;
   cm_encode_pass(&writer, &builder->pass);
   assert_false(writer.out_of_memory || empty.out_of_memory);
   const uint8_t expected[] = {0, 0, 0, 0, 0, 0, 2 << 1, 1 << 1, 0, 0, 0};
   uint8_t *end = writer.data + writer.size - sizeof expected;
   assert_memory_equal(end, expected, sizeof expected);
   memcpy(end, (const uint8_t[]){0, 2 << 1, 1 << 1, 0}, 4);
   writer.size -= 7;
   const size_t runs = empty.size - 1 - 3;
   drop(&writer, runs);
   drop(&writer, runs - 5);

   struct cm_pass pass = {0};
   struct cm_byte_reader reader = {.at = writer.data, .end = writer.data + writer.size};
   assert_null(cm_decode_pass(&reader, 11, &pass));
   assert_passes_equal(&pass, &builder->pass);
   cm_pass_finish(&pass);
   free(writer.data);
   free(empty.data);
   pass_free(builder);
}

TEST(second_gpu)
{
   uint64_t state = 5;
   struct cm_recorder *recorder = new_recorder(recording_path());
   struct pass_builder *builders[4];
   for (uint32_t i = 0; i < 4; i++)
      builders[i] = random_pass(&state, i);
   for (uint32_t gpu = 0; gpu < 2; gpu++) {
      cm_recorder_gpu_begin(recorder);
      const struct cm_resource_description resource = random_resource(1 + gpu);
      cm_recorder_define_resource(recorder, &resource);
      record_pass(recorder, builders[gpu * 2]);
      cm_recorder_frame_end(recorder, 0);
      record_pass(recorder, builders[gpu * 2 + 1]); /* of a frame that does not end */
   }
   assert_true(cm_recorder_destroy(recorder));

   struct cm_recording *recording = open_recording();
   size_t count;
   cm_recording_frames(recording, &count);
   assert_int_equal(count, 2);
   for (uint32_t first = 0; first < 2; first++) {
      cm_recording_seek(recording, first, 1);
      for (uint32_t gpu = first; gpu < 2; gpu++) {
         assert_int_equal(cm_recording_next(recording).type, CM_ITEM_GPU);
         struct cm_item item = cm_recording_next(recording);
         assert_int_equal(item.type, CM_ITEM_RESOURCES);
         assert_int_equal(item.num_resources, 1);
         assert_int_equal(item.resources[0].id, 1 + gpu);
         free(item.resources);
         item = cm_recording_next(recording);
         assert_int_equal(item.type, CM_ITEM_PASS);
         assert_passes_equal(&item.pass->pass, &builders[gpu * 2]->pass);
         cm_recorded_pass_release(item.pass);
         assert_int_equal(cm_recording_next(recording).type, CM_ITEM_FRAME_END);
      }
      assert_int_equal(cm_recording_next(recording).type, CM_ITEM_END);
   }
   cm_recording_close(recording);
   for (uint32_t i = 0; i < 4; i++)
      pass_free(builders[i]);
}
