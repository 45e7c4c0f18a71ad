/* SPDX-License-Identifier: MIT */
/* Measures the raster pipeline with a program that does nothing. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "raster_harness.h"
#include "util/blend.h"

/* Leaves the colours of the last call, whatever they were. */
static void
program_nothing(const struct tbr_fragment_resources *resources, struct tbr_fragment_block *block,
                struct tbr_texture_thread *thread)
{
   (void)resources;
   (void)block;
   (void)thread;
}

static void
add_triangle(struct scene *scene, float x0, float y0, float x1, float y1, float x2, float y2, float z)
{
   struct scene_primitive *primitive = scene_add_primitive(scene);
   const float positions[3][2] = {{x0, y0}, {x1, y1}, {x2, y2}};
   for (unsigned v = 0; v < 3; v++) {
      primitive->position[v][0] = positions[v][0];
      primitive->position[v][1] = positions[v][1];
      primitive->position[v][2] = z;
      primitive->color[v][v] = primitive->color[v][3] = 0.5f;
   }
}

static struct tbr_draw_state *
add_draw(struct scene *scene, bool depth, bool blend)
{
   struct tbr_draw_state *draw = scene_add_draw(scene);
   draw->shade = program_nothing;
   draw->depth_test = draw->depth_write = depth;
   draw->depth_func = PIPE_FUNC_LEQUAL;
   draw->opaque = !blend;
   if (blend) {
      struct pipe_rt_blend_state *rt = &draw->blend.rt[0];
      rt->blend_enable = 1;
      rt->rgb_src_factor = rt->alpha_src_factor = PIPE_BLENDFACTOR_SRC_ALPHA;
      rt->rgb_dst_factor = rt->alpha_dst_factor = PIPE_BLENDFACTOR_INV_SRC_ALPHA;
   }
   return draw;
}

/* Layers of a grid of pairs of triangles; 0: one triangle over everything. */
static void
fill_scene(struct scene *scene, unsigned layers, float cell)
{
   const float w = scene->width, h = scene->height;
   for (unsigned layer = 0; layer < layers; layer++) {
      const float z = 0.9f - 0.05f * layer;
      if (cell == 0) {
         add_triangle(scene, -1, -1, 2 * w + 1, -1, -1, 2 * h + 1, z);
         continue;
      }
      for (float y = 0; y < h; y += cell) {
         for (float x = 0; x < w; x += cell) {
            add_triangle(scene, x, y, x + cell, y, x, y + cell, z);
            add_triangle(scene, x + cell, y, x + cell, y + cell, x, y + cell, z);
         }
      }
   }
}

static const struct {
   const char *name;
   unsigned layers;
   float cell;
   bool depth, blend, shade, store_depth;
} cases[] = {
   {"clear and flush", 0, 0, false, false, true, false},
   {"clear and flush with depth", 0, 0, false, false, true, true},
   {"triangle", 1, 0, false, false, true, false},
   {"triangle with depth", 1, 0, true, false, true, true},
   {"4 layers with depth", 4, 0, true, false, true, true},
   {"depth only, 4 layers", 4, 0, true, false, false, true},
   {"4 blended layers", 4, 0, false, true, true, false},
   {"triangles of 512 pixels", 1, 32.3f, true, false, true, true},
   {"triangles of 50 pixels", 1, 10.1f, true, false, true, true},
   {"triangles of 8 pixels", 1, 4.03f, true, false, true, true},
   {"triangles of 2 pixels", 1, 2.01f, true, false, true, true},
};

int
main(int argc, char **argv)
{
   find_levels(NULL);
   const uint32_t tile_size = argc > 1 ? atoi(argv[1]) : 32;
   printf("%-28s %-10s %-10s %8s %8s\n", "ns a pixel, ns a primitive", "level", "mode", "ns/px", "ns/prim");
   for (unsigned n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
      if (argc > 2 && !strstr(cases[n].name, argv[2]))
         continue;
      for (unsigned level = argc > 3 ? num_levels - 1 : 0; level < num_levels; level++) {
         for (unsigned deferred = 0; deferred < 2; deferred++) {
            struct scene scene;
            scene_init(&scene, 960, 544, PIPE_FORMAT_B8G8R8A8_UNORM,
                       cases[n].store_depth ? PIPE_FORMAT_Z24_UNORM_S8_UINT : PIPE_FORMAT_NONE);
            struct tbr_draw_state *draw = add_draw(&scene, cases[n].depth, cases[n].blend);
            if (!cases[n].shade)
               draw->shade = NULL;
            fill_scene(&scene, cases[n].layers, cases[n].cell);
            struct image image;
            scene_render(&scene,
                         &(struct run){levels[level], tile_size, deferred, false, 0,
                                       argc > 4 ? atoi(argv[4]) : 20},
                         &image);
            const double ns = image.seconds * 1e9;
            printf("%-28s %-10s %-10s %8.3f", cases[n].name, levels[level]->name,
                   deferred ? "deferred" : "immediate", ns / (scene.width * scene.height));
            if (scene.num_primitives)
               printf(" %8.1f", ns / scene.num_primitives);
            printf("\n");
            image_finish(&image);
            scene_finish(&scene);
         }
      }
   }
   return 0;
}
