/* SPDX-License-Identifier: MIT */
/* vulkan_soak seconds|frames N [BYTES]: a program whose scenes come and go, for so long. Each has a swapchain, render passes, textures,
 * shaders, pipelines and descriptor sets of its own, of changing sizes, presents FRAMES frames and is destroyed; then and when the
 * device is, too, and made again. With BYTES each frame loses as many on purpose, so that it can be tested that the memory's
 * growth is found. Prints a line for all scenes together (print_usage). */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples.h"
#include "support/usage.h"

#define FRAMES 4
/* All scenes with one device. */
#define ROUNDS 5

#define DRAW(name) draw_##name,
static struct vk_image (*const draws[])(void) = {FOR_EACH_SAMPLE(DRAW)};
#define NUM_DRAWS (sizeof draws / sizeof draws[0])

int
main(int argc, char **argv)
{
   if (argc != 3 && argc != 4) {
      fprintf(stderr, "usage: vulkan_soak seconds|frames N [BYTES]\n");
      return 2;
   }
   const double began = read_seconds(), length = strtod(argv[2], NULL);
   const bool by_time = !strcmp(argv[1], "seconds");
   const size_t lost = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
   unsigned long frames = 0;
   scene_frames = FRAMES;
   vk_open();
   for (uint32_t number = 0; (by_time ? read_seconds() - began : (double)frames) < length; number++) {
      picture_width = 64 + number * 37 % 150;
      picture_height = 48 + number * 53 % 100;
      draws[number % NUM_DRAWS]();
      vk_destroy_since(0);
      frames += FRAMES;
      lose_memory(FRAMES * lost);
      if (number % NUM_DRAWS == NUM_DRAWS - 1) {
         /* What is freed, but kept for later by as many heaps as there are threads, is no growth. */
         malloc_trim(0);
         print_usage(read_seconds() - began, frames);
      }
      if (number % (ROUNDS * NUM_DRAWS) == ROUNDS * NUM_DRAWS - 1) {
         vk_close();
         vk_open();
      }
   }
   vk_close();
   return 0;
}
