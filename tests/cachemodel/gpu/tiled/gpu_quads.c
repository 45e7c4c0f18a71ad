/* SPDX-License-Identifier: MIT */
/* The order of what quads do is theirs, not that of the shade events they came in. */
#include <string.h>

#include "support/pass_builder.h"
#include "support/test.h"

#define NUM_QUADS 400
#define MAX_RUNS 3         /* of a quad */
#define MAX_INSTRUCTIONS 4 /* of a run */
#define MAX_FOOTPRINTS 3   /* of an instruction */

struct instruction {
   uint32_t unit, num_footprints;
   struct cm_footprint footprints[MAX_FOOTPRINTS];
};

struct quad {
   uint32_t draw;
   uint8_t live[MAX_RUNS];
   struct instruction instructions[MAX_RUNS][MAX_INSTRUCTIONS];
};

struct scene {
   uint32_t num_runs[3]; /* by draw */
   struct quad quads[NUM_QUADS];
};

static void
random_instruction(struct instruction *instruction, uint32_t unit, uint8_t live, uint64_t *state)
{
   instruction->unit = unit;
   instruction->num_footprints = live ? random_below(state, MAX_FOOTPRINTS + 1) : 0;
   for (uint32_t f = 0; f < instruction->num_footprints; f++) {
      struct cm_footprint *footprint = &instruction->footprints[f];
      *footprint = (struct cm_footprint){
         .level = (uint8_t)random_below(state, 3),
         .live = live,
         .linear = (uint8_t)random_below(state, 2),
      };
      for (unsigned i = 0; i < 4; i++) {
         footprint->texel[i].x = (int16_t)random_below(state, 16);
         footprint->texel[i].y = (int16_t)random_below(state, 16);
      }
   }
}

static void
random_scene(struct scene *scene, uint64_t *state)
{
   for (unsigned d = 0; d < 3; d++)
      scene->num_runs[d] = 1 + random_below(state, MAX_RUNS);
   uint32_t draw = 0;
   for (uint32_t q = 0; q < NUM_QUADS; q++) {
      struct quad *quad = &scene->quads[q];
      if (random_below(state, 20) == 0)
         draw = random_below(state, 3);
      quad->draw = draw;
      for (uint32_t r = 0; r < scene->num_runs[draw]; r++) {
         quad->live[r] = (uint8_t)random_below(state, 16);
         for (unsigned i = 0; i < MAX_INSTRUCTIONS; i++)
            random_instruction(&quad->instructions[r][i], i % 2, quad->live[r], state);
      }
   }
}

/* An instruction of quads as one event. */
static void
add_instruction(struct pass_builder *pass, const struct quad *quads, uint32_t count, uint32_t run,
                unsigned number)
{
   struct cm_footprint footprints[4 * MAX_FOOTPRINTS];
   uint32_t num_footprints = 0;
   for (uint32_t q = 0; q < count; q++) {
      const struct instruction *instruction = &quads[q].instructions[run][number];
      for (uint32_t f = 0; f < instruction->num_footprints; f++) {
         footprints[num_footprints] = instruction->footprints[f];
         footprints[num_footprints++].quad = (uint8_t)q;
      }
   }
   if (num_footprints)
      pass_footprints(pass, 0, quads[0].instructions[run][number].unit, footprints, num_footprints);
}

static struct pass_builder *
group_quads(const struct scene *scene, uint32_t most)
{
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   for (unsigned d = 0; d < 3; d++) {
      struct cm_draw *draw = pass_draw(pass);
      draw->fragment_shader = (struct cm_shader){.id = 7 + d, .instructions = 50, .constant_bytes = 100};
      draw->num_textures = 2;
      draw->textures[0].resource = 1 + d % 2;
      draw->textures[1].resource = 3;
   }
   for (uint32_t first = 0, count; first < NUM_QUADS; first += count) {
      const struct quad *quads = &scene->quads[first];
      for (count = 1; count < most && first + count < NUM_QUADS; count++) {
         if (quads[count].draw != quads[0].draw)
            break;
      }
      for (uint32_t r = 0; r < scene->num_runs[quads[0].draw]; r++) {
         struct cm_quad group[4];
         for (uint32_t q = 0; q < count; q++)
            group[q] = (struct cm_quad){.x = (uint8_t)(first + q) % 16, .live = quads[q].live[r]};
         pass_quads(pass, 0, quads[0].draw, r ? CM_SHADE_CONTINUES : 0, group, count);
         for (unsigned i = 0; i < MAX_INSTRUCTIONS; i++)
            add_instruction(pass, quads, count, r, i);
      }
   }
   return pass;
}

TEST(grouping)
{
   static struct scene scene;
   for (uint64_t seed = 0; seed < 20; seed++) {
      uint64_t state = seed;
      random_scene(&scene, &state);
      uint64_t expected[1024];
      for (uint32_t most = 1; most <= 4; most++) {
         /* Small caches that share another: all depends on the order. */
         struct cm_gpu *gpu =
            test_gpu((const char *const[]){"fragment_stage.processors=3", "caches.texture_cache.instances=3",
                                           "caches.texture_cache.size=256", "caches.texture_cache.ways=2",
                                           "caches.l2.size=1024", "caches.l2.ways=2", NULL});
         for (uint32_t id = 1; id <= 3; id++)
            define_texture(gpu, id, 40, 40, 3);
         struct pass_builder *pass = group_quads(&scene, most);
         pass_run(pass, gpu);
         const uint64_t *values = cm_gpu_total(gpu);
         const size_t bytes = cm_gpu_counters(gpu)->count * sizeof *values;
         assert_true(bytes <= sizeof expected);
         if (most == 1)
            memcpy(expected, values, bytes);
         else
            assert_memory_equal(values, expected, bytes);
         assert_true(gpu_total(gpu, "l2.texture.misses") > 500);
         pass_free(pass);
         cm_gpu_destroy(gpu);
      }
   }
}

/* Two quads on two processors read the same three blocks through an L2 of two. */
TEST(quads_one_after_another)
{
   struct cm_gpu *gpu =
      test_gpu((const char *const[]){"fragment_stage.processors=2", "caches.texture_cache.instances=2",
                                     "caches.l2.size=128", "caches.l2.ways=2", "caches.l2.block=64", NULL});
   define_texture(gpu, 1, 16, 64, 1);
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   struct cm_draw *draw = pass_draw(pass);
   draw->num_textures = 1;
   draw->textures[0].resource = 1;
   pass_shade(pass, 0, 0, 2, 1);
   for (int16_t row = 0; row < 3; row++) {
      struct cm_footprint pair[2] = {{.quad = 0, .live = 1}, {.quad = 1, .live = 1}};
      pair[0].texel[0].y = pair[1].texel[0].y = row;
      pass_footprints(pass, 0, 0, pair, 2);
   }
   pass_run(pass, gpu);
   /* 0 1 2 0 1 2 through two ways: all miss. As 0 0 1 1 2 2 half of them would hit. */
   expect_counters(gpu, {"l2.texture.reads", 6}, {"l2.texture.misses", 6});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* Quads go to the processors in turn, and who has another draw's program reads it: counted
 * quad by quad here, for groups of any size, most of which read nothing. */
TEST(turns)
{
   enum { PROCESSORS = 4, GROUPS = 300 };
   for (uint64_t seed = 1; seed <= 20; seed++) {
      uint64_t state = seed;
      struct pass_builder *pass = pass_new(0, 32, 32, 32);
      for (unsigned d = 0; d < 3; d++)
         pass_draw(pass)->fragment_shader = (struct cm_shader){.id = 7 + d, .instructions = 8};
      uint32_t at_draw[PROCESSORS] = {3, 3, 3, 3}, next = 0, draw = 0;
      uint64_t switches = 0, quads = 0, fragments = 0;
      for (uint32_t g = 0; g < GROUPS; g++) {
         if (random_below(&state, 4) == 0)
            draw = random_below(&state, 3);
         struct cm_quad group[4] = {0};
         const uint32_t count = 1 + random_below(&state, 4);
         for (uint32_t q = 0; q < count; q++) {
            group[q].live = (uint8_t)(random_below(&state, 3) ? random_below(&state, 16) : 0) & 15;
            if (!group[q].live)
               continue;
            switches += at_draw[next] != draw;
            at_draw[next] = draw;
            next = (next + 1) % PROCESSORS;
            quads++;
            fragments += (uint64_t)__builtin_popcount(group[q].live);
         }
         pass_quads(pass, 0, draw, 0, group, count);
      }
      struct cm_gpu *gpu = test_gpu((const char *const[]){"fragment_stage.processors=4", NULL});
      pass_run(pass, gpu);
      expect_counters(gpu, {"fragment_stage.quads", quads}, {"fragment_stage.fragments", fragments},
                      {"fragment_stage.program_switches", switches},
                      {"instruction_cache.shader.reads", switches});
      pass_free(pass);
      cm_gpu_destroy(gpu);
   }
}
