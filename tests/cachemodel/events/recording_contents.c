/* SPDX-License-Identifier: MIT */
/* Contents of tiles in recordings: what is written is read again, what no renderer makes is refused. */
#include <stdlib.h>
#include <string.h>

#include "events/pixel_block.h"
#include "events/recording.h"
#include "events/recording_format.h"
#include "support/random_pass.h"
#include "support/random_recording.h"
#include "support/test.h"

/* Three color attachments, a resolve, depth: 70 x 50 pixels in tiles of that size, two layers, one tile untouched. */
static struct pass_builder *
new_pass(uint32_t tile_size)
{
   struct pass_builder *builder = pass_new(0, 70, 50, tile_size);
   struct cm_pass *pass = &builder->pass;
   const uint32_t tile = 1;
   pass->tiles_y *= 2;
   for (uint32_t c = 0; c < 3; c++)
      pass_color(builder, 5 + c, 4);
   pass->color[1].store = false;
   pass->resolve[1] = (struct cm_resolve){.resource = 8, .x1 = 32, .y1 = 16};
   pass->depth = (struct cm_attachment){.resource = 9, .pixel_bytes = 4, .store = true};
   pass_draw(builder);
   pass_primitive(builder, 1, &tile, 1);
   for (uint32_t t = 0; t < pass->tiles_x * pass->tiles_y; t++)
      builder->touched[t] = t != 2;
   pass->contents = builder->contents;
   return builder;
}

static struct cm_pass
decode(const struct cm_byte_writer *written, const struct cm_pass *of, const char *expected)
{
   struct cm_pass decoded = *of;
   struct cm_byte_reader reader = {written->data, written->data + written->size, false};
   decoded.contents = NULL;
   const char *wrong = cm_decode_contents(&reader, &decoded);
   if (expected && (!wrong || !strstr(wrong, expected)))
      fail_msg("%s: expected %s", wrong ? wrong : "nothing", expected);
   if (!expected && wrong)
      fail_msg("%s", wrong);
   return decoded;
}

static void
free_contents(struct cm_pass *pass)
{
   for (uint32_t t = 0; t < pass->tiles_x * pass->tiles_y; t++)
      cm_tile_content_finish(&pass->contents[t]);
   free(pass->contents);
}

/* Surfaces that come and go from tile to tile; right and lower tiles have fewer groups. */
static void
fill(struct pass_builder *builder, uint64_t *state)
{
   const struct cm_pass *pass = &builder->pass;
   static const unsigned slots[] = {0, 2, CM_SLOT_DEPTH, CM_CONTENT_RESOLVE + 1};
   for (uint32_t t = 0; t < pass->tiles_x * pass->tiles_y; t++) {
      for (unsigned s = 0; builder->touched[t] && s < 4; s++) {
         const uint32_t x = t % pass->tiles_x * pass->tile_size,
                        y = t / pass->tiles_x % pass->layer_tiles_y * pass->tile_size;
         const uint32_t width = 70 - x < pass->tile_size ? 70 - x : pass->tile_size,
                        height = 50 - y < pass->tile_size ? 50 - y : pass->tile_size;
         const bool resolved = slots[s] >= CM_CONTENT_RESOLVE;
         const uint32_t columns = resolved ? 1 : (width + 15) / 16, rows = resolved ? 1 : (height + 15) / 16;
         uint8_t *same, *sizes;
         if (random_below(state, 4) == 0 || (resolved && t))
            continue;
         assert_true(cm_tile_content_add(&builder->contents[t], slots[s], columns, rows, &same, &sizes));
         for (uint32_t g = 0; g < columns * rows; g++)
            same[g] = (uint8_t)random_below(state, 16);
         for (uint32_t b = 0; b < columns * rows * CM_GROUP_BLOCKS; b++)
            sizes[b] = (uint8_t)cm_stored_size(b % 32 < 16 ? 0 : random_below(state, CM_RAW_SIZE + 1));
      }
      builder->contents[t].same_inputs = (uint8_t)(builder->touched[t] ? random_below(state, 8) << 1 : 0);
   }
}

TEST(come_back)
{
   uint64_t state = 5;
   for (unsigned round = 0; round < 60; round++) {
      struct pass_builder *builder = new_pass(16u << round % 3);
      fill(builder, &state);
      struct cm_byte_writer written = {0};
      cm_encode_contents(&written, &builder->pass);
      struct cm_pass decoded = decode(&written, &builder->pass, NULL);
      assert_passes_equal(&decoded, &builder->pass);
      free_contents(&decoded);
      /* No byte is missing, and none is too many. */
      written.size = random_below(&state, (uint32_t)written.size);
      decoded = decode(&written, &builder->pass, "cut short");
      free_contents(&decoded);
      free(written.data);
      pass_free(builder);
   }
}

/* One wrong thing at a time in a pass of one surface. */
TEST(impossible_contents)
{
   static const struct {
      unsigned slot, columns, rows, same, size, inputs;
      const char *wrong;
   } cases[] = {
      {0, 2, 2, 15, 64, 14, NULL},
      {CM_SLOT_DEPTH, 2, 2, 0, 0, 0, NULL},
      {CM_CONTENT_RESOLVE + 1, 1, 2, 0, 0, 0, NULL},
      {0, 2, 2, 32, 0, 0, "out of range"},
      {0, 2, 2, 0, 0, 1, "inputs"},
      {0, 2, 2, 0, 0, 16, "inputs"},
      {0, 1, 2, 0, 0, 0, "another part"},
      {0, 2, 3, 0, 0, 0, "another part"},
      {1, 2, 2, 0, 0, 0, "another part"}, /* not stored */
      {3, 2, 2, 0, 0, 0, "another part"}, /* not there */
      {CM_SLOT_STENCIL, 2, 2, 0, 0, 0, "another part"},
      {CM_CONTENT_RESOLVE, 2, 2, 0, 0, 0, "another part"},
      {CM_CONTENT_RESOLVE + 1, 3, 2, 0, 0, 0, "another part"},
   };
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      struct pass_builder *builder = new_pass(32);
      struct cm_byte_writer written = {0};
      uint8_t *same, *sizes;
      const size_t groups = cases[i].columns * cases[i].rows;
      assert_true(cm_tile_content_add(&builder->contents[0], cases[i].slot, cases[i].columns, cases[i].rows,
                                      &same, &sizes));
      memset(same, (int)cases[i].same, groups);
      memset(sizes, (int)cases[i].size, groups * CM_GROUP_BLOCKS);
      builder->contents[0].same_inputs = (uint8_t)cases[i].inputs;
      cm_encode_contents(&written, &builder->pass);
      /* The other tiles have none: 1 + 0 surfaces. */
      struct cm_pass decoded = decode(&written, &builder->pass, cases[i].wrong);
      free_contents(&decoded);
      free(written.data);
      pass_free(builder);
   }
}

/* Twice the same surface; tiles smaller than a group; more surfaces than bytes. */
TEST(impossible_surfaces)
{
   struct pass_builder *builder = new_pass(8);
   const uint32_t touched = builder->pass.tiles_x * builder->pass.tiles_y - 1;
   uint8_t bytes[2000] = {2, 0, 1, 1, 1};
   struct cm_byte_writer written = {.data = bytes, .size = 4 + touched - 1 + touched + 1};
   struct cm_pass decoded = decode(&written, &builder->pass, "another part");
   free_contents(&decoded);
   written.size = 4 + touched - 1;
   decoded = decode(&written, &builder->pass, "cut short");
   free_contents(&decoded);
   pass_free(builder);

   builder = new_pass(16);
   const uint32_t tiles = builder->pass.tiles_x * builder->pass.tiles_y - 1;
   memset(bytes, 1, sizeof bytes);
   memcpy(bytes, (uint8_t[]){3, 0, 1, 1, 0, 1, 1}, 7);
   memset(bytes + 7 + tiles - 1, 0, tiles);
   written.size = 7 + (tiles - 1) + tiles + 2;
   decoded = decode(&written, &builder->pass, "another part");
   free_contents(&decoded);
   pass_free(builder);
}

/* The file says whether it has them, and they survive it (random passes: recording_round_trip.c). */
TEST(in_a_file)
{
   char error[512] = "";
   write_random_recording(recording_path(), 3, 3);
   struct cm_recording *recording = cm_recording_open(recording_path(), error, sizeof error);
   assert_non_null(recording);
   assert_true(cm_recording_has_contents(recording));
   struct cm_recording_section sections[CM_RECORDING_MAX_SECTIONS];
   assert_int_equal(cm_recording_sections(recording, sections), CM_CHUNK_TYPES - 1);
   assert_string_equal(sections[CM_CHUNK_CONTENTS - 1].name, "contents");
   assert_true(sections[CM_CHUNK_CONTENTS - 1].chunks > 0);
   cm_recording_close(recording);
   recording = cm_recording_open(getenv("TBRSIM_OLD_RECORDING"), error, sizeof error);
   assert_non_null(recording);
   assert_false(cm_recording_has_contents(recording));
   cm_recording_close(recording);
}
