/* SPDX-License-Identifier: MIT */
/**
 * Pictures that Vulkan programs of its teaching books draw, without a window:
 *    vulkan_scenes NAME FILE.ppm [WIDTH HEIGHT] [--frames N | --seconds N]
 * draws the scene NAME (scenes[]) and writes it. Without arguments it lists them. Scenes that count something print it. Those
 * that move (--moving lists them) draw and present several frames, and print how long they took.
 */
#include <stdlib.h>

#include "samples.h"
#include "scenes.h"

const struct vertex triangle[] = {
   {{0.0f, -0.8f, 0.5f, 1.0f}, {1.0f, 0.0f, 0.0f, 1.0f}},
   {{0.8f, 0.7f, 0.5f, 1.0f}, {0.0f, 1.0f, 0.0f, 1.0f}},
   {{-0.8f, 0.7f, 0.5f, 1.0f}, {0.0f, 0.0f, 1.0f, 1.0f}},
};

const struct vertex quad[] = {
   {{-0.9f, -0.9f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f, 1.0f}},
   {{0.9f, -0.9f, 0.0f, 1.0f}, {1.0f, 0.0f, 0.0f, 1.0f}},
   {{-0.9f, 0.9f, 0.0f, 1.0f}, {0.0f, 1.0f, 0.0f, 1.0f}},
   {{0.9f, 0.9f, 0.0f, 1.0f}, {1.0f, 1.0f, 0.0f, 1.0f}},
};

/* ---- what scenes share --------------------------------------------------------- */

struct vk_image
draw_textured(struct vk_code fragment, const struct vk_image *texture, VkSampler sampler,
              const struct vertex vertices[4])
{
   const struct vk_descriptor descriptor = describe_textures(&texture, 1, sampler);
   return draw_simple(&(struct simple_draw){
      .fragment = fragment,
      .vertices = vertices,
      .count = 4,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
      .descriptors = &descriptor,
      .num_descriptors = 1,
   });
}

struct vk_image
draw_quad(struct vk_code fragment, const struct vk_descriptor *descriptors, uint32_t num_descriptors)
{
   return draw_simple(&(struct simple_draw){
      .fragment = fragment,
      .vertices = quad,
      .count = 4,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
      .descriptors = descriptors,
      .num_descriptors = num_descriptors,
   });
}

struct vk_image
create_texture(uint32_t size, uint32_t levels, uint32_t layers, unsigned seed)
{
   const struct vk_image image =
      vk_create_image(COLOR_FORMAT, size, size, levels, layers, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
   uint8_t *texels = malloc((size_t)size * size * 4);
   for (uint32_t layer = 0; texels && layer < layers; layer++) {
      for (uint32_t level = 0; level < levels; level++) {
         const uint32_t side = size >> level ? size >> level : 1;
         for (uint32_t i = 0; i < side * side; i++) {
            const uint32_t x = i % side, y = i / side;
            texels[4 * i + 0] = (uint8_t)(255 * x / side);
            texels[4 * i + 1] = (uint8_t)((x / 4 + y / 4 + seed + layer) % 2 * 255);
            texels[4 * i + 2] = (uint8_t)(40 * level + 60 * layer + 50 * seed);
            texels[4 * i + 3] = 255;
         }
         vk_upload(&image, level, layer, texels, 4);
      }
   }
   free(texels);
   return image;
}

/* ---- the program ----------------------------------------------------------------- */

#define SAMPLE(name) {#name, draw_##name, false, true},
static const struct scene scenes[] = {{"clear", draw_clear, false, false},
                                      {"triangle", draw_triangle, false, false},
                                      {"texture", draw_texture, false, false},
                                      {"mipmaps", draw_mipmaps, false, false},
                                      {"compressed", draw_compressed, false, false},
                                      {"separate", draw_separate, false, false},
                                      {"layers", draw_layers, false, false},
                                      {"array", draw_array, false, false},
                                      {"uniforms", draw_uniforms, false, false},
                                      {"depth", draw_depth, false, false},
                                      {"blended", draw_blended, false, false},
                                      {"multisampled", draw_multisampled, false, false},
                                      {"indirect", draw_indirect, false, false},
                                      {"storage", draw_storage, false, false},
                                      {"border", draw_border, false, false},
                                      {"captured", draw_captured, false, false},
                                      {"two_passes", draw_two_passes, false, false},
                                      {"wasteful", draw_wasteful, false, false},
                                      {"frugal", draw_frugal, false, false},
                                      {"shadow", draw_shadow, false, false},
                                      {"compute", draw_compute, false, false},
                                      {"filtered", draw_filtered, false, false},
                                      {"buffers", draw_buffers, true, false},
                                      /* As samples of the teaching books move. */
                                      FOR_EACH_SAMPLE(SAMPLE)};

int
main(int argc, char **argv)
{
   return run_scenes(scenes, sizeof scenes / sizeof scenes[0], vk_open, argc, argv);
}
