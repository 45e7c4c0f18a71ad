/* SPDX-License-Identifier: MIT */
/* Quads on fragment processors and their texture reads, counted by hand. */
#include "support/pass_builder.h"
#include "support/test.h"

static struct cm_draw *
add_draw(struct pass_builder *pass, uint32_t program, uint32_t texture)
{
   struct cm_draw *draw = pass_draw(pass);
   draw->fragment_shader = (struct cm_shader){.id = program, .instructions = 8, .constant_bytes = 100};
   draw->num_textures = 1;
   draw->textures[0].resource = texture;
   return draw;
}

/* A footprint of a quad at the texture's upper left texel. */
static struct cm_footprint
at_origin(uint8_t quad, uint8_t live, uint8_t linear)
{
   return (struct cm_footprint){.quad = quad, .live = live, .linear = linear};
}

TEST(round_robin)
{
   struct cm_gpu *gpu = test_gpu(NULL);
   define_texture(gpu, 1, 64, 64, 1);
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   add_draw(pass, 7, 1);
   pass_shade(pass, 0, 0, 4, 15);
   pass_footprints(pass, 0, 0,
                   (const struct cm_footprint[]){at_origin(0, 15, 0), at_origin(1, 15, 0), at_origin(2, 3, 0),
                                                 at_origin(3, 15, 1)},
                   4);
   pass_shade(pass, 0, 0, 1, 5);
   pass_footprints(pass, 0, 0, (const struct cm_footprint[]){at_origin(0, 1, 0)}, 1);
   pass_run(pass, gpu);
   expect_counters(gpu, {"fragment_stage.quads", 5}, {"fragment_stage.fragments", 18},
                   {"fragment_stage.footprints", 5}, {"texture_cache.0.texture.reads", 4 + 1},
                   {"texture_cache.0.texture.misses", 1}, {"texture_cache.1.texture.reads", 4},
                   {"texture_cache.2.texture.reads", 2},
                   /* Bilinear: four fragments of two rows each. */
                   {"texture_cache.3.texture.reads", 8}, {"texture_cache.3.texture.misses", 2},
                   {"texture_cache.texture.reads", 19}, {"l2.texture.reads", 5}, {"l2.texture.misses", 2},
                   {"dram.texture.reads", 2}, {"dram.texture.read_bytes", 128},
                   /* Each processor takes up the draw once: a block of instructions, two of constants. */
                   {"fragment_stage.program_switches", 4}, {"instruction_cache.shader.reads", 4},
                   {"instruction_cache.constant.reads", 8}, {"instruction_cache.total.misses", 3});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* Processors start afresh with each tile, and change programs within one. */
TEST(program_switches)
{
   struct cm_gpu *gpu = test_gpu(
      (const char *const[]){"fragment_stage.processors=2", "caches.texture_cache.instances=2", NULL});
   define_texture(gpu, 1, 64, 64, 1);
   struct pass_builder *pass = pass_new(0, 64, 32, 32);
   add_draw(pass, 7, 1);
   add_draw(pass, 8, 1);
   pass_shade(pass, 0, 0, 3, 15); /* 0 1 0: two switches */
   pass_shade(pass, 0, 1, 1, 15); /* 1: one */
   pass_shade(pass, 0, 0, 2, 15); /* 0 1: one */
   pass_shade(pass, 1, 0, 1, 15); /* another tile: 0: one */
   pass_run(pass, gpu);
   expect_counters(gpu, {"fragment_stage.quads", 7}, {"fragment_stage.program_switches", 5},
                   {"instruction_cache.shader.reads", 5}, {"instruction_cache.shader.misses", 2});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* What is rendered past the caches is read from memory afterwards. */
TEST(render_to_texture)
{
   struct cm_gpu *gpu = test_gpu(NULL);
   define_texture(gpu, 1, 64, 64, 1);
   define_texture(gpu, 2, 32, 32, 1);
   struct pass_builder *sample = pass_new(0, 32, 32, 32);
   pass_color(sample, 2, 4);
   add_draw(sample, 7, 1);
   pass_shade(sample, 0, 0, 1, 15);
   pass_footprints(sample, 0, 0, (const struct cm_footprint[]){at_origin(0, 15, 0)}, 1);
   struct pass_builder *render = pass_new(0, 64, 64, 32);
   pass_color(render, 1, 4);
   render->touched[0] = true;

   pass_run(sample, gpu);
   pass_run(sample, gpu);
   expect_counters(gpu, {"texture_cache.texture.misses", 1}, {"dram.texture.reads", 1});
   pass_run(render, gpu);
   pass_run(sample, gpu);
   expect_counters(gpu, {"texture_cache.texture.misses", 2}, {"texture_cache.texture.invalidations", 1},
                   {"l2.texture.invalidations", 1}, {"dram.texture.reads", 2},
                   {"dram.color.writes", 3 * 64 + 64});
   pass_free(sample);
   pass_free(render);
   cm_gpu_destroy(gpu);
}

TEST(addresses_follow_first_use)
{
   /* Defined in the other order, or with others between that are not used, the
    * textures have the same addresses and conflict alike. */
   uint64_t hits[2];
   for (unsigned order = 0; order < 2; order++) {
      struct cm_gpu *gpu = test_gpu(
         (const char *const[]){"caches.texture_cache.size=256", "caches.texture_cache.ways=1", NULL});
      define_texture(gpu, order ? 2 : 1, 64, 48, 3);
      define_texture(gpu, 3, 1000, 1000, 1);
      define_texture(gpu, order ? 1 : 2, 64, 48, 3);
      struct pass_builder *pass = pass_new(0, 32, 32, 32);
      add_draw(pass, 7, 1);
      add_draw(pass, 7, 2);
      for (unsigned i = 0; i < 40; i++) {
         struct cm_footprint f = at_origin(0, 15, 1);
         f.texel[0].x = (int16_t)(i % 60);
         f.texel[1].y = (int16_t)(i % 40);
         pass_shade(pass, 0, i / 3 % 2, 1, 15);
         pass_footprints(pass, 0, 0, &f, 1);
      }
      pass_run(pass, gpu);
      hits[order] = gpu_total(gpu, "texture_cache.texture.hits");
      pass_free(pass);
      cm_gpu_destroy(gpu);
   }
   assert_int_equal(hits[0], hits[1]);
   assert_true(hits[0] > 0);
}

/* Accesses to storage, where it has no stream, are left out: texture reads before and after them are what they are
 * without. */
TEST(storage_left_out)
{
   uint64_t footprints[2], reads[2];
   for (unsigned stores = 0; stores < 2; stores++) {
      struct cm_config *config = test_config(NULL);
      char error[300];
      config->optional_streams.storage = 0;
      struct cm_gpu *gpu = cm_gpu_create(config, error, sizeof error);
      assert_non_null(gpu);
      define_texture(gpu, 1, 64, 64, 1);
      define_texture(gpu, 3, 64, 64, 1);
      define_buffer(gpu, 2, 4096);
      struct pass_builder *pass = pass_new(0, 32, 32, 32);
      struct cm_storage storage = {.num_buffers = 1, .num_images = 1};
      storage.buffers[0].resource = 2;
      storage.images[0].resource = 3;
      pass->pass.storages = &storage;
      pass->pass.num_storages = 1;
      struct cm_draw *draw = pass_draw(pass);
      draw->fragment_shader = (struct cm_shader){.id = 7, .instructions = 8};
      draw->num_textures = 1;
      draw->textures[0].resource = 1;
      draw->storage = 1;
      struct cm_footprint quads[4] = {0};
      struct {
         uint32_t word;
         struct cm_footprint accesses[4];
      } image = {.word = CM_EVENT_IMAGE | 4 << 8};
      struct {
         uint32_t word;
         struct cm_buffer_access accesses[4];
      } buffer = {.word = CM_EVENT_BUFFER | 4 << 8 | 4u << 24};
      for (unsigned q = 0; q < 4; q++) {
         quads[q] = image.accesses[q] = (struct cm_footprint){.quad = (uint8_t)q, .live = 15};
         buffer.accesses[q] = (struct cm_buffer_access){.quad = (uint8_t)q, .live = 15};
      }
      for (unsigned i = 0; i < 300; i++) {
         pass_shade(pass, 0, 0, 4, 15);
         if (stores && i % 3 == 0)
            pass_words(pass, 0, &image, sizeof image / sizeof(uint32_t));
         if (i % 5)
            pass_footprints(pass, 0, 0, quads, 4);
         if (stores)
            pass_words(pass, 0, &buffer, sizeof buffer / sizeof(uint32_t));
         pass_footprints(pass, 0, 0, quads, 4);
      }
      pass_run(pass, gpu);
      footprints[stores] = gpu_total(gpu, "fragment_stage.footprints");
      reads[stores] = gpu_total(gpu, "texture_cache.texture.reads");
      pass_free(pass);
      cm_gpu_destroy(gpu);
      cm_config_destroy(config);
   }
   assert_int_equal(footprints[0], 4 * (300 + 300 * 4 / 5));
   assert_int_equal(footprints[1], footprints[0]);
   assert_int_equal(reads[1], reads[0]);
}
