/* SPDX-License-Identifier: MIT */
/* Transaction elimination: which comparison decides, in each of the frames that a displayed image's buffers need to come
 * round; blocks of pixels and of signatures in closed form; random masks against a reference; what is stored and what is
 * eliminated sum up to what is stored without. */
#include <stdio.h>
#include <string.h>

#include "support/pass_builder.h"
#include "support/test.h"
#include "gpu/gpu_config.h"
#include "util/message.h"

#define NEVER 0
#define MEMORY CM_SAME_AS_MEMORY
#define FRAME(n) (CM_SAME_AS_FRAME << ((n) - 1))
#define ALL (MEMORY | FRAME(1) | FRAME(2) | FRAME(3))

#define SETTINGS(...)                 \
   (const char *const[])              \
   {                                  \
      __VA_ARGS__ __VA_OPT__(, ) NULL \
   }

/* Tiles of 16x16 pixels in memory row by row; a row of a tile is a block. One block of signatures is on chip. */
static struct cm_gpu *
eliminating_gpu(const char *const *changes)
{
   static const char *const settings[] = {
      "mode=tbr",
      "tile.size=16",
      "frame.buffers=1",
      "transaction_elimination.signature_bytes=8",
      "transaction_elimination.lines=1",
      NULL,
   };
   return test_gpu_with(settings, changes);
}

static void
define_image(struct cm_gpu *gpu, uint32_t id, uint32_t side, bool is_displayable)
{
   struct cm_resource_description image = describe_texture(side, side, 1, 4);
   image.id = id;
   image.is_displayable = is_displayable;
   cm_gpu_define_resource(gpu, &image);
}

/* A pass of 2x2 tiles that stores resource 1; masks: of the tiles' only groups. */
static struct pass_builder *
four_tiles(uint32_t frame, const uint8_t *masks)
{
   struct pass_builder *pass = pass_new(frame, 32, 32, 16);
   pass_color(pass, 1, 4);
   for (uint32_t tile = 0; tile < 4; tile++) {
      pass->touched[tile] = true;
      pass_same(pass, tile, 0, 1, 1, &masks[tile]);
   }
   return pass;
}

/* What the last frame stored. */
static void
expect_stores(struct cm_gpu *gpu, uint64_t compared, uint64_t eliminated)
{
   const uint64_t *frame = cm_gpu_frame_end(gpu);
   const uint64_t changed = compared != eliminated;
   expect_frame(gpu, frame, {"transaction_elimination.compared", compared},
                {"transaction_elimination.eliminated", eliminated},
                {"transaction_elimination.blocks", 16 * eliminated}, {"dram.color.reads", 1},
                {"dram.color.writes", 16 * (compared - eliminated) + changed});
}

/* All four signatures are in one block, which is read once a pass, and written if one of them changes. */
TEST(displayed_images)
{
   static const uint8_t masks[4] = {FRAME(1), FRAME(2), FRAME(3), MEMORY};
   static const uint8_t all[4] = {ALL, ALL, ALL, ALL}, none[4] = {NEVER, NEVER, NEVER, NEVER};
   for (unsigned buffers = 1; buffers <= 3; buffers++) {
      char setting[32];
      snprintf(setting, sizeof setting, "frame.buffers=%u", buffers);
      struct cm_gpu *gpu = eliminating_gpu(SETTINGS(setting));
      define_image(gpu, 1, 32, true);
      pass_run_and_free(four_tiles(0, none), gpu);
      expect_stores(gpu, 4, 0);
      /* One tile each is what was in this buffer. */
      pass_run_and_free(four_tiles(1, masks), gpu);
      expect_stores(gpu, 4, 1);
      pass_run_and_free(four_tiles(2, all), gpu);
      expect_stores(gpu, 4, 4);
      cm_gpu_destroy(gpu);
   }
}

/* The second store of a frame replaces the first one, whatever frame is asked for. */
TEST(second_store_of_a_frame)
{
   static const uint8_t masks[4] = {MEMORY, MEMORY, FRAME(2), NEVER};
   struct cm_gpu *gpu = eliminating_gpu(SETTINGS("frame.buffers=2"));
   define_image(gpu, 1, 32, true);
   struct pass_builder *first = four_tiles(0, masks);
   first->touched[1] = false;
   pass_run_and_free(first, gpu);
   /* Tile 1 has not been stored in this frame. */
   pass_run_and_free(four_tiles(0, masks), gpu);
   expect_frame(gpu, cm_gpu_frame_end(gpu), {"transaction_elimination.compared", 3 + 4},
                {"transaction_elimination.eliminated", 1 + 1});
   cm_gpu_destroy(gpu);
}

TEST(images_that_are_not_displayed)
{
   static const uint8_t masks[4] = {MEMORY, MEMORY | FRAME(1), FRAME(1), FRAME(3)};
   struct cm_gpu *gpu = eliminating_gpu(SETTINGS("frame.buffers=3"));
   define_image(gpu, 1, 32, false);
   pass_run_and_free(four_tiles(0, masks), gpu);
   expect_stores(gpu, 4, 2);
   cm_gpu_destroy(gpu);
}

/* A larger tile is stored if one of its groups changed. */
TEST(half_changed_tile)
{
   static const uint8_t masks[2][4] = {{ALL, ALL, FRAME(2), ALL}, {ALL, ALL, FRAME(1), ALL}};
   struct cm_gpu *gpu = eliminating_gpu(SETTINGS("tile.size=32"));
   define_image(gpu, 1, 32, true);
   for (uint32_t frame = 0; frame < 2; frame++) {
      struct pass_builder *pass = pass_new(frame, 32, 32, 32);
      pass_color(pass, 1, 4);
      pass->touched[0] = true;
      pass_same(pass, 0, 0, 2, 2, masks[frame]);
      pass_run_and_free(pass, gpu);
      expect_frame(gpu, cm_gpu_frame_end(gpu), {"transaction_elimination.compared", 1},
                   {"transaction_elimination.eliminated", frame},
                   {"transaction_elimination.blocks", 64 * frame}, {"dram.color.writes", frame ? 0 : 65});
   }
   cm_gpu_destroy(gpu);
}

/* Images with levels and depth take no part, nor do colours after the first one that does; of samples their resolve does. */
TEST(which_images)
{
   static const uint8_t all = ALL;
   struct cm_gpu *gpu = eliminating_gpu(SETTINGS());
   struct cm_resource_description samples = describe_texture(16, 16, 1, 4);
   define_texture(gpu, 1, 16, 16, 3);
   define_image(gpu, 2, 16, false);
   define_image(gpu, 3, 16, false);
   define_image(gpu, 4, 16, false);
   samples.id = 5;
   samples.samples = 4;
   cm_gpu_define_resource(gpu, &samples);
   struct pass_builder *pass = pass_new(0, 16, 16, 16);
   for (uint32_t color = 0; color < 3; color++) {
      pass_color(pass, 1 + color, 4);
      pass_same(pass, 0, color, 1, 1, &all);
   }
   pass->pass.depth = (struct cm_attachment){.resource = 4, .pixel_bytes = 4, .store = true};
   pass_same(pass, 0, CM_SLOT_DEPTH, 1, 1, &all);
   pass->touched[0] = true;
   pass_run_and_free(pass, gpu);
   expect_frame(gpu, cm_gpu_frame_end(gpu), {"transaction_elimination.compared", 1},
                {"transaction_elimination.eliminated", 1}, {"dram.color.writes", 32},
                {"dram.depth.writes", 16});

   pass = pass_new(1, 16, 16, 16);
   pass_color(pass, 5, 4);
   pass->pass.color[0].store = false;
   pass->pass.resolve[0] = (struct cm_resolve){.resource = 2, .x1 = 16, .y1 = 16};
   pass_same(pass, 0, CM_CONTENT_RESOLVE, 1, 1, &all);
   pass->touched[0] = true;
   pass_run_and_free(pass, gpu);
   expect_frame(gpu, cm_gpu_frame_end(gpu), {"transaction_elimination.compared", 1},
                {"transaction_elimination.eliminated", 1}, {"dram.color.writes", 0});
   cm_gpu_destroy(gpu);
}

/* An eliminated tile's flush is the check: the block of its signature. Else its 16 blocks follow, and at the pass' end the block
 * with its new signature. */
TEST(flush_of_a_tile)
{
   uint64_t cycles[2];
   for (unsigned same = 0; same < 2; same++) {
      const uint8_t mask = same ? ALL : NEVER;
      struct cm_gpu *gpu = eliminating_gpu(
         SETTINGS("timing=on", "pipeline.flush_cycles=100", "dram_system.timing.tREFI=1000000"));
      define_image(gpu, 1, 16, true);
      struct pass_builder *pass = pass_new(0, 16, 16, 16);
      pass_color(pass, 1, 4);
      pass->touched[0] = true;
      pass_same(pass, 0, 0, 1, 1, &mask);
      cycles[same] = cycles_of_pass(gpu, pass);
   }
   assert_int_equal(cycles[0] - cycles[1], (16 + 1) * 100);
}

/* ---- random masks ---------------------------------------------------------------- */

#define SIDE 4 /* tiles */
#define TILES (SIDE * SIDE)

/* Which frame stored a tile of each image last, + 1. */
struct reference {
   uint32_t buffers;
   uint32_t last[2][TILES];
   uint64_t compared, eliminated;
};

static void
count_tile(struct reference *reference, unsigned image, uint32_t frame, uint32_t tile, uint8_t mask)
{
   const bool asks_frame = image == 0 && reference->last[image][tile] != frame + 1;
   const unsigned bit = asks_frame ? 1u << reference->buffers : 1;
   reference->compared++;
   reference->eliminated += (mask & bit) != 0;
   reference->last[image][tile] = frame + 1;
}

/* A pass to the displayed image (0) or the other one that stores some tiles; without: nothing is known. */
static struct pass_builder *
random_stores(uint64_t *state, uint32_t frame, struct reference *reference)
{
   const unsigned image = random_below(state, 2);
   struct pass_builder *pass = pass_new(frame, SIDE * 16, SIDE * 16, 16);
   pass_color(pass, 1 + image, 4);
   for (uint32_t tile = 0; tile < TILES; tile++) {
      const uint8_t mask = (uint8_t)random_below(state, 16);
      pass->touched[tile] = random_below(state, 4) != 0;
      if (!pass->touched[tile])
         continue;
      pass_same(pass, tile, 0, 1, 1, &mask);
      count_tile(reference, image, frame, tile, mask);
   }
   return pass;
}

TEST(random_masks)
{
   for (uint32_t round = 0; round < test_rounds(24); round++) {
      const char *const buffers[] = {"frame.buffers=1", "frame.buffers=2", "frame.buffers=3"};
      struct reference reference = {.buffers = round % 3 + 1};
      struct cm_gpu *with = eliminating_gpu(SETTINGS(buffers[round % 3], "transaction_elimination.lines=4"));
      struct cm_gpu *without = test_gpu(SETTINGS("mode=tbr", "tile.size=16"));
      uint64_t state = round + 1;
      for (uint32_t image = 0; image < 2; image++) {
         define_image(with, 1 + image, SIDE * 16, image == 0);
         define_image(without, 1 + image, SIDE * 16, image == 0);
      }
      uint64_t dirty = 0;
      for (uint32_t n = 0; n < 24; n++) {
         const uint64_t stored = reference.compared - reference.eliminated;
         struct pass_builder *pass = random_stores(&state, n / 3, &reference);
         /* 16 signatures of 8 bytes are two blocks. */
         pass_run(pass, with);
         pass_run_and_free(pass, without);
         dirty += stored != reference.compared - reference.eliminated ? 2 : 0;
         if (n % 3 == 2) {
            cm_gpu_frame_end(with);
            cm_gpu_frame_end(without);
         }
      }
      expect_counters(with, {"transaction_elimination.compared", reference.compared},
                      {"transaction_elimination.eliminated", reference.eliminated},
                      {"transaction_elimination.blocks", 16 * reference.eliminated});
      const uint64_t blocks = gpu_total(with, "dram.color.writes") + 16 * reference.eliminated;
      const uint64_t without_signatures = gpu_total(without, "dram.color.writes");
      assert_in_range(blocks - without_signatures, dirty / 2, dirty);
      assert_in_range(gpu_total(with, "dram.color.reads"), 24, 2 * 24);
      cm_gpu_destroy(with);
      cm_gpu_destroy(without);
   }
}

/* ---- what cannot be -------------------------------------------------------------- */

static unsigned messages;

static void
count_message(enum cm_message_kind kind, const char *text)
{
   assert_int_equal(kind, CM_MESSAGE_INFO);
   assert_non_null(strstr(text, "nothing is eliminated"));
   messages++;
}

TEST(without_contents)
{
   struct cm_gpu *gpu = eliminating_gpu(SETTINGS());
   define_image(gpu, 1, 16, true);
   messages = 0;
   cm_set_message_handler(count_message);
   for (uint32_t frame = 0; frame < 3; frame++) {
      struct pass_builder *pass = pass_new(frame, 16, 16, 16);
      pass_color(pass, 1, 4);
      pass->touched[0] = true;
      pass_run_and_free(pass, gpu);
   }
   cm_set_message_handler(NULL);
   assert_int_equal(messages, 1);
   expect_counters(gpu, {"transaction_elimination.compared", 0}, {"dram.color.writes", 48},
                   {"dram.color.reads", 0});
   cm_gpu_destroy(gpu);
}

TEST(configurations)
{
   static const struct {
      const char *preset, *settings[4], *error;
   } cases[] = {
      {NULL,
       {"transaction_elimination.signature_bytes=8", "transaction_elimination.lines=1"},
       "frame.buffers: missing, but there is elimination, expected 1 to 3"},
      {NULL,
       {"transaction_elimination.signature_bytes=8", "transaction_elimination.lines=1", "frame.buffers=4"},
       "frame.buffers: 4 is out of range, expected 1 to 3"},
      {NULL,
       {"transaction_elimination.signature_bytes=12", "transaction_elimination.lines=1", "frame.buffers=2"},
       "transaction_elimination.signature_bytes: 12"},
      {"imr-8m",
       {"transaction_elimination.signature_bytes=8", "transaction_elimination.lines=1", "frame.buffers=2"},
       "transaction_elimination: of tiles, which mode imr has not"},
      {NULL,
       {"transaction_elimination.signature_bytes=8", "transaction_elimination.lines=1", "frame.buffers=2",
        "tile.size=8"},
       "tile.size: 8, but there is transaction_elimination, expected at least 16"},
   };
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      struct cm_config *config = test_config_of(cases[i].preset, NULL);
      char error[512] = "";
      for (unsigned s = 0; s < 4 && cases[i].settings[s]; s++)
         assert_true(cm_config_set(config, cases[i].settings[s], error, sizeof error));
      assert_false(cm_config_validate(config, error, sizeof error));
      if (strncmp(error, cases[i].error, strlen(cases[i].error)) != 0)
         fail_msg("%s", error);
      cm_config_destroy(config);
   }
}
