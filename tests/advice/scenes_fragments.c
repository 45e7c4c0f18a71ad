/* SPDX-License-Identifier: MIT */
/* Scenes of fragments and the textures that they read. */
#include <stdio.h>

#include "advice/scene.h"
#include "advice/textures.h"

static GLuint image;

/* ---- overdraw --------------------------------------------------------------- */

#define LAYERS 8

static void
prepare_image(void)
{
   image = make_texture(WINDOW_SIZE, true, true, 1);
}

/* The part of the image behind a box, so that all texels are as large as pixels. */
static struct box
behind(struct box box)
{
   return (struct box){box.x0 * 0.5f + 0.5f, box.y0 * 0.5f + 0.5f, box.x1 * 0.5f + 0.5f,
                       box.y1 * 0.5f + 0.5f};
}

/* Layers, the larger the farther. */
static void
overdraw(void)
{
   draw_to(NULL, WINDOW_SIZE);
   clear(true);
   glEnable(GL_DEPTH_TEST);
   use_copy_program();
   glBindTexture(GL_TEXTURE_2D, image);
   for (int drawn = 0; drawn < LAYERS; drawn++) {
      const int layer = is_good ? drawn : LAYERS - 1 - drawn;
      const float half = 1 - (LAYERS - 1 - layer) / 32.0f;
      const struct box box = {-half, -half, half, half};
      /* Another part of the image for each: what is in front can be seen. */
      struct box part = behind(box);
      part.x0 += layer / 64.0f;
      part.x1 += layer / 64.0f;
      draw_box(box, part, (layer + 1) / 16.0f);
   }
   glDisable(GL_DEPTH_TEST);
}

/* ---- discard ---------------------------------------------------------------- */

#define CELLS 8

static GLuint discarding_program;

static void
prepare_discard(void)
{
   prepare_image();
   discarding_program = make_box_program("precision highp float;\n"
                                         "in vec2 coordinates;\n"
                                         "uniform sampler2D image;\n"
                                         "out vec4 color;\n"
                                         "void main() {\n"
                                         "   vec2 cell = abs(fract(coordinates * 8.0) - 0.5);\n"
                                         "   color = texture(image, coordinates);\n"
                                         "   if (max(cell.x, cell.y) > 0.25)\n"
                                         "      discard;\n"
                                         "}\n");
}

/* The middle of each cell: a quarter of it. */
static void
draw_middles(float depth)
{
   for (int y = 0; y < CELLS; y++) {
      for (int x = 0; x < CELLS; x++) {
         const float x0 = (x + 0.25f) / CELLS * 2 - 1, y0 = (y + 0.25f) / CELLS * 2 - 1;
         const struct box box = {x0, y0, x0 + 1.0f / CELLS, y0 + 1.0f / CELLS};
         draw_box(box, behind(box), depth);
      }
   }
}

/* A fence with holes, in front of the image, behind a wall. */
static void
discard_fragments(void)
{
   const struct box left = {-1, -1, 0, 1};
   draw_to(NULL, WINDOW_SIZE);
   clear(true);
   glEnable(GL_DEPTH_TEST);
   use_copy_program();
   glBindTexture(GL_TEXTURE_2D, image);
   draw_box(left, (struct box){0.5f, 0, 1, 1}, 0.25f);
   if (!is_good)
      glUseProgram(discarding_program);
   if (is_good)
      draw_middles(0.5f);
   else
      draw_box(everywhere, whole_texture, 0.5f);
   use_copy_program();
   draw_box(everywhere, (struct box){0.5f, 0.5f, 1.5f, 1.5f}, 0.75f);
   glDisable(GL_DEPTH_TEST);
}

/* ---- textures --------------------------------------------------------------- */

#define LARGE_SIZE 1024
#define COPIES 4 /* a side: of 128 x 128 pixels */

static void
prepare_no_mipmaps(void)
{
   image = make_texture(LARGE_SIZE, true, is_good, 1);
}

static void
no_mipmaps(void)
{
   draw_to(NULL, WINDOW_SIZE);
   clear(false);
   use_copy_program();
   for (int copy = 0; copy < COPIES * COPIES; copy++) {
      const float x0 = -1 + copy % COPIES * 2.0f / COPIES, y0 = -1 + copy / COPIES * 2.0f / COPIES;
      draw_box((struct box){x0, y0, x0 + 2.0f / COPIES, y0 + 2.0f / COPIES}, whole_texture, 0);
   }
}

static void
prepare_uncompressed(void)
{
   image = make_texture(LARGE_SIZE, is_good, true, 1);
}

static void
uncompressed(void)
{
   draw_to(NULL, WINDOW_SIZE);
   clear(false);
   use_copy_program();
   draw_box(everywhere, (struct box){0, 0, 0.5f, 0.5f}, 0);
}

/* ---- the order of tiles ------------------------------------------------------ */

#define IMAGES 16
#define SMALL_SIZE 64

static GLuint summing_program;

/* Each fragment reads all textures: 2 MiB per frame of the large ones, none of it twice. */
static void
prepare_tile_order(void)
{
   static char source[2048];
   int length = snprintf(source, sizeof source,
                         "precision highp float;\n"
                         "in vec2 coordinates;\n"
                         "uniform sampler2D images[%d];\n"
                         "out vec4 color;\n"
                         "void main() {\n"
                         "   color = vec4(0.0);\n",
                         IMAGES);
   for (int i = 0; i < IMAGES; i++)
      length += snprintf(source + length, sizeof source - length,
                         "   color += texture(images[%d], coordinates) / %d.0;\n", i, IMAGES);
   snprintf(source + length, sizeof source - length, "}\n");
   summing_program = make_box_program(source);
   GLint units[IMAGES];
   for (int i = 0; i < IMAGES; i++) {
      units[i] = i;
      glActiveTexture(GL_TEXTURE0 + i);
      make_texture(is_good ? SMALL_SIZE : WINDOW_SIZE, true, true, i);
   }
   glUniform1iv(place_of("images"), IMAGES, units);
}

static void
tile_order(void)
{
   const float times = is_good ? (float)WINDOW_SIZE / SMALL_SIZE : 1;
   draw_to(NULL, WINDOW_SIZE);
   clear(false);
   glUseProgram(summing_program);
   draw_box(everywhere, (struct box){0, 0, times, times}, 0);
}

const struct scene fragment_scenes[] = {
   {"overdraw", true, prepare_image, overdraw},
   {"discard", true, prepare_discard, discard_fragments},
   {"no_mipmaps", false, prepare_no_mipmaps, no_mipmaps},
   {"uncompressed", false, prepare_uncompressed, uncompressed},
   {"tile_order", false, prepare_tile_order, tile_order},
   {0},
};
