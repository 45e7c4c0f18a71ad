/* SPDX-License-Identifier: MIT */
/* The events of passes that keep hidden fragments, against a GPU without tiles: brought
 * into the order of primitives, the quads of all tiles pass and fail the depth test as
 * it does, write what it writes, and are hidden by their region's depth where they are. */
#include <stdio.h>
#include <string.h>

#include "raster_harness.h"
#include "support/run_tests.h"
#include "tile/tbr_draw_tests.h"

#define WIDTH 100
#define HEIGHT 75

/* A quad of the pass. */
struct event {
   struct cm_quad quad;
   uint32_t x, y;        /* its first pixel in the framebuffer */
   uint32_t word;        /* of its event */
   uint32_t tile, order; /* among the tile's */
};

struct events {
   struct event *events;
   size_t count, capacity;
};

static void
collect(void *context, const struct tbr_pass *pass, uint32_t tile, const struct cm_tile_events *events)
{
   struct events *all = context;
   const uint32_t *end = events->words + events->num_words;
   uint32_t order = 0;
   for (const uint32_t *word = events->words; word < end; word = cm_event_next(word)) {
      const enum cm_event_type type = cm_event_type(*word);
      for (uint32_t n = 0; type != CM_EVENT_FLUSH && n < cm_event_count(*word); n++) {
         if (all->count == all->capacity) {
            all->capacity = all->capacity * 2 + 1024;
            all->events = realloc(all->events, all->capacity * sizeof(*all->events));
            assert_non_null(all->events);
         }
         struct event *event = &all->events[all->count++];
         memcpy(&event->quad, word + 2 + n * CM_QUAD_WORDS, sizeof(event->quad));
         event->x = tile % pass->tiles_x * pass->tile_size + event->quad.x * 2u;
         event->y = tile / pass->tiles_x * pass->tile_size + event->quad.y * 2u;
         event->word = *word;
         event->tile = tile;
         event->order = order++;
      }
   }
}

static int
compare_events(const void *left, const void *right)
{
   const struct event *a = left, *b = right;
   if (a->quad.primitive != b->quad.primitive)
      return a->quad.primitive < b->quad.primitive ? -1 : 1;
   if (a->tile != b->tile)
      return a->tile < b->tile ? -1 : 1;
   return a->order < b->order ? -1 : 1;
}

static bool
passes(unsigned func, float z, float stored)
{
   switch (func) {
   case PIPE_FUNC_NEVER: return false;
   case PIPE_FUNC_LESS: return z < stored;
   case PIPE_FUNC_EQUAL: return z == stored;
   case PIPE_FUNC_LEQUAL: return z <= stored;
   case PIPE_FUNC_GREATER: return z > stored;
   case PIPE_FUNC_NOTEQUAL: return z != stored;
   case PIPE_FUNC_GEQUAL: return z >= stored;
   default: return true;
   }
}

/* Whether the depth test fails in the whole region of a pixel. */
static bool
fails_everywhere(unsigned func, float z, const float *depth, uint32_t x, uint32_t y)
{
   const uint32_t first_x = x / CM_HIZ_SIZE * CM_HIZ_SIZE, first_y = y / CM_HIZ_SIZE * CM_HIZ_SIZE;
   for (y = first_y; y < first_y + CM_HIZ_SIZE && y < HEIGHT; y++) {
      for (x = first_x; x < first_x + CM_HIZ_SIZE && x < WIDTH; x++) {
         if (passes(func, z, depth[y * WIDTH + x]))
            return false;
      }
   }
   return true;
}

struct found {
   uint64_t hidden, looked_at, written;
};

/* before, after: depth without and with what the primitive writes. */
static void
check_event(const struct event *event, const struct tbr_draw_state *draw, float z, const float *before,
            const float *after, struct found *found)
{
   const struct tbr_draw_tests tests = tbr_draw_tests(draw, true, false);
   const struct cm_quad *quad = &event->quad;
   for (unsigned pixel = 0; pixel < 4; pixel++) {
      const uint32_t x = event->x + pixel % 2, y = event->y + pixel / 2;
      const uint32_t bit = 1u << pixel;
      if (!(quad->covered & bit))
         continue;
      assert_true(x < WIDTH && y < HEIGHT);
      const bool passed = !tests.depth_test || passes(draw->depth_func, z, before[y * WIDTH + x]);
      if (tests.early)
         assert_int_equal((quad->live & bit) != 0, passed);
      else if (quad->written & bit)
         assert_true(passed);
   }
   assert_int_equal(quad->written & ~quad->live, 0);
   if (tests.early && !draw->shader_discards)
      assert_int_equal(quad->written, quad->live);
   if (cm_event_type(event->word) != CM_EVENT_UNSHADED || !tests.hierarchical || quad->live) {
      assert_false(cm_event_type(event->word) == CM_EVENT_UNSHADED && event->word & CM_UNSHADED_HIDDEN);
      return;
   }
   const bool hidden = event->word & CM_UNSHADED_HIDDEN;
   found->hidden += hidden;
   found->looked_at += !hidden;
   if (hidden)
      assert_true(fails_everywhere(draw->depth_func, z, after, event->x, event->y));
   else if (tests.early) /* else the draw's own writes may still be under way */
      assert_false(fails_everywhere(draw->depth_func, z, before, event->x, event->y));
}

static void
replay(const struct scene *scene, const struct events *all, float *depth, struct found *found)
{
   float *before = malloc(WIDTH * HEIGHT * sizeof(*before));
   for (size_t first = 0, end; first < all->count; first = end) {
      const uint32_t primitive = all->events[first].quad.primitive;
      const struct tbr_draw_state *draw = &scene->draws[scene->primitives[primitive].draw];
      const float z = scene->primitives[primitive].position[0][2];
      memcpy(before, depth, WIDTH * HEIGHT * sizeof(*before));
      for (end = first; end < all->count && all->events[end].quad.primitive == primitive; end++) {
         const struct event *event = &all->events[end];
         const struct tbr_draw_tests tests = tbr_draw_tests(draw, true, false);
         const unsigned passed = tests.early ? event->quad.live : event->quad.written;
         found->written += (unsigned)__builtin_popcount(event->quad.written);
         for (unsigned pixel = 0; pixel < 4; pixel++) {
            if (passed >> pixel & 1 && tests.depth_write)
               depth[(event->y + pixel / 2) * WIDTH + event->x + pixel % 2] = z;
         }
      }
      for (size_t n = first; n < end; n++)
         check_event(&all->events[n], draw, z, before, depth, found);
   }
   free(before);
}

TEST(order_of_primitives)
{
   uint64_t random = 31;
   struct found found = {0};
   for (unsigned round = 0; round < 40; round++) {
      struct scene scene;
      scene_init(&scene, WIDTH, HEIGHT, PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_Z32_FLOAT);
      scene.depth.clear_value.f[0] = (float)random_below(&random, 65) / 64;
      random_scene(&random, &scene, 12, true);
      for (unsigned n = 0; n < scene.num_draws; n++) {
         scene.draws[n].depth_test |= random_below(&random, 2);
         scene.draws[n].stencil_test = scene.draws[n].shader_writes_depth = false;
         scene.draws[n].depth_near = 0.0f;
         scene.draws[n].depth_far = 1.0f;
         scene.draws[n].shader_writes_stencil = false;
      }
      for (unsigned level = 0; level < num_levels; level++) {
         static const uint32_t tile_sizes[] = {8, 16, 32, 64};
         struct events all = {0};
         const struct run run = {.isa = levels[level],
                                 .tile_size = tile_sizes[random_below(&random, 4)],
                                 .record = true,
                                 .keep_hidden = true,
                                 .examine = collect,
                                 .examine_context = &all};
         struct image image;
         scene_render(&scene, &run, &image);
         qsort(all.events, all.count, sizeof(*all.events), compare_events);
         float depth[WIDTH * HEIGHT];
         for (unsigned n = 0; n < WIDTH * HEIGHT; n++)
            depth[n] = scene.depth.clear_value.f[0];
         replay(&scene, &all, depth, &found);
         assert_memory_equal(depth, image.depth, sizeof(depth));
         image_finish(&image);
         free(all.events);
      }
      scene_finish(&scene);
   }
   assert_true(found.hidden > 1000 && found.looked_at > 1000 && found.written > 100000);
}

/* A slope in front of a plane: what it hides is told by its nearest and farthest depth in a region. */
TEST(slopes)
{
   struct scene scene;
   scene_init(&scene, WIDTH, HEIGHT, PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_Z32_FLOAT);
   scene.depth.clear_value.f[0] = 1;
   struct tbr_draw_state *draw = scene_add_draw(&scene);
   draw->depth_test = draw->depth_write = draw->half_pixel_center = true;
   draw->depth_func = PIPE_FUNC_LESS;
   /* Depth x / 128 from the left edge on; then a plane of depth 0.25, hidden left of column 32. */
   for (unsigned n = 0; n < 2; n++) {
      struct scene_primitive *primitive = scene_add_primitive(&scene);
      primitive->flags = TBR_PRIMITIVE_PARALLELOGRAM | TBR_PRIMITIVE_FRONT_FACING;
      for (unsigned v = 0; v < 3; v++) {
         primitive->position[v][0] = v == 1 ? 128.0f : 0.0f;
         primitive->position[v][1] = v == 2 ? 128.0f : 0.0f;
         primitive->position[v][2] = n ? 0.25f : v == 1 ? 1.0f : 0.0f;
         primitive->position[v][3] = 1;
      }
   }
   for (unsigned level = 0; level < num_levels; level++) {
      struct events all = {0};
      const struct run run = {.isa = levels[level],
                              .tile_size = 32,
                              .record = true,
                              .keep_hidden = true,
                              .examine = collect,
                              .examine_context = &all};
      struct image image;
      scene_render(&scene, &run, &image);
      unsigned hidden = 0;
      for (size_t n = 0; n < all.count; n++) {
         const struct event *event = &all.events[n];
         if (event->quad.primitive != 1)
            continue;
         const bool is_hidden =
            cm_event_type(event->word) == CM_EVENT_UNSHADED && event->word & CM_UNSHADED_HIDDEN;
         /* 4 regions of 8 columns, the last of which ends at depth 31.5 / 128. */
         assert_int_equal(is_hidden, event->x < 32);
         hidden += is_hidden;
      }
      assert_int_equal(hidden, 16 * ((HEIGHT + 1) / 2));
      image_finish(&image);
      free(all.events);
   }
   scene_finish(&scene);
}
