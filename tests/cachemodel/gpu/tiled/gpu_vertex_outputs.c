/* SPDX-License-Identifier: MIT */
/* parameter_buffer.attributes by vertex: accesses by hand, and of random passes the bytes that reach memory. */
#include <stdio.h>

#include "support/pass_builder.h"
#include "support/test.h"

#define BLOCK 64

/* A draw of so many vertices, without buffers, and its primitives in tile 0, of so many attributes. */
static void
add_draw(struct pass_builder *pass, uint32_t vertices, uint32_t primitives, uint32_t attributes)
{
   pass_draw(pass)->num_vertices = vertices;
   for (uint32_t p = 0; p < primitives; p++)
      pass_primitive(pass, attributes, (const uint32_t[]){0}, 1);
   pass->touched[0] = true;
}

static void
expect_accesses(const char *attributes, uint32_t vertices, uint64_t writes, uint64_t reads)
{
   struct cm_gpu *gpu = test_gpu((const char *const[]){attributes, NULL});
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   add_draw(pass, vertices, 2, 3);
   pass_run_and_free(pass, gpu);
   expect_counters(gpu, {"tile_cache.pb_attribute.writes", writes}, {"tile_cache.pb_attribute.reads", reads});
   cm_gpu_destroy(gpu);
}

/* Two triangles of a position and two varyings, so 16 and 32 bytes of a vertex. */
TEST(by_hand)
{
   /* A block for each attribute. */
   expect_accesses("parameter_buffer.attributes=primitives", 6, 6, 6);
   /* Positions 0 … 47 and 48 … 95: 1 and 2 blocks. Varyings 0 … 95 and 96 … 191: 2 each. Read as they were written. */
   expect_accesses("parameter_buffer.attributes=vertices", 6, 1 + 2 + 2 + 2, 1 + 2 + 2 + 2);
   expect_accesses("parameter_buffer.attributes=visible-vertices", 6, 1 + 2 + 2 + 2, 1 + 2 + 2 + 2);
   /* Two triangles of four are culled: 192 bytes of positions in halves of 96, 2 blocks each, of varyings 384 in halves of
    * 192, 3 blocks each. Read are three vertices of each half: 48 of 192 from 0 and from 96 on, 1 and 2 blocks; 96 of 384 from
    * 0 and from 192 on, 2 blocks each. */
   expect_accesses("parameter_buffer.attributes=vertices", 12, 2 + 2 + 3 + 3, 1 + 2 + 2 + 2);
   /* Varyings as without the culled ones. */
   expect_accesses("parameter_buffer.attributes=visible-vertices", 12, 2 + 2 + 2 + 2, 1 + 2 + 2 + 2);
}

/* Draws without any primitive that is binned write their positions, wherever they are in the pass; one that goes on from an earlier
 * pass writes nothing. */
TEST(culled_draws)
{
   struct cm_gpu *gpu = test_gpu((const char *const[]){"parameter_buffer.attributes=vertices", NULL});
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   add_draw(pass, 4, 0, 0);
   add_draw(pass, 4, 1, 1);
   add_draw(pass, 0, 1, 2);
   add_draw(pass, 8, 0, 0);
   add_draw(pass, 4, 0, 0);
   pass_run_and_free(pass, gpu);
   expect_counters(gpu, {"tile_cache.pb_attribute.writes", 1 + 1 + 2 + 1},
                   {"tile_cache.pb_attribute.reads", 1 + 1 + 1});
   cm_gpu_destroy(gpu);
}

/* Blocks that some arrays have, each from a block's beginning on: what memory gets when all is written back once. */
TEST(random_passes)
{
   static const char *const values[] = {"vertices", "visible-vertices"};
   for (unsigned v = 0; v < 2; v++) {
      char setting[64];
      snprintf(setting, sizeof setting, "parameter_buffer.attributes=%s", values[v]);
      for (uint64_t seed = 1; seed <= 20; seed++) {
         struct cm_gpu *gpu = test_gpu((const char *const[]){setting, "parameter_buffer.pass_end=write-back",
                                                             "caches.tile_cache.size=4194304", NULL});
         struct pass_builder *pass = pass_new(0, 32, 32, 32);
         uint64_t state = seed, blocks = 0, lists = 0;
         for (unsigned d = 0; d < 20; d++) {
            const uint32_t primitives = random_below(&state, 30), attributes = 1 + random_below(&state, 5);
            const uint32_t vertices = 3 * primitives + random_below(&state, 100);
            const uint32_t shaded = v && primitives ? 3 * primitives : vertices;
            add_draw(pass, vertices, primitives, attributes);
            blocks += (vertices * 16 + BLOCK - 1) / BLOCK;
            if (primitives && vertices)
               blocks += (shaded * 16 * (attributes - 1) + BLOCK - 1) / BLOCK;
            lists += primitives;
         }
         pass_run_and_free(pass, gpu);
         assert_int_equal(gpu_total(gpu, "tile_cache.pb_attribute.writebacks"), blocks);
         assert_int_equal(gpu_total(gpu, "tile_cache.pb_list.reads"), lists);
         cm_gpu_destroy(gpu);
      }
   }
}
