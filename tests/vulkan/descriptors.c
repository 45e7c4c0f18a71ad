/* SPDX-License-Identifier: MIT */
/**
 * Draws and dispatches whose descriptors can be counted by hand:
 *    vulkan_descriptors NAME FILE.ppm [WIDTH HEIGHT]
 * draws the scene NAME (scenes[]) and writes it. Without arguments it lists them. Whatever draws covers all of the picture.
 */
#include "scene.h"

#include "array.frag.h"
#include "color.frag.h"
#include "color.vert.h"
#include "eight.frag.h"
#include "filter.comp.h"
#include "separate.frag.h"
#include "texture.frag.h"
#include "uniform.vert.h"

#define NUM_TEXTURES 8

/* ---- what scenes share ------------------------------------------------------------- */

static struct vk_image textures[NUM_TEXTURES];
static const struct vk_image *images[NUM_TEXTURES];

static void
create_textures(void)
{
   enum { SIZE = 16 };
   for (unsigned t = 0; t < NUM_TEXTURES; t++) {
      uint8_t texels[SIZE * SIZE][4];
      for (unsigned i = 0; i < SIZE * SIZE; i++) {
         texels[i][0] = (uint8_t)(i % SIZE * 16);
         texels[i][1] = (uint8_t)((i / SIZE / 4 + i % SIZE / 4 + t) % 2 * 255);
         texels[i][2] = (uint8_t)(30 * t);
         texels[i][3] = 255;
      }
      textures[t] = vk_create_image(COLOR_FORMAT, SIZE, SIZE, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                                    VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
      vk_upload(&textures[t], 0, 0, texels, 4);
      images[t] = &textures[t];
   }
}

static void
open_device(void)
{
   vk_open();
   create_textures();
}

static struct vk_descriptor
combined(const struct vk_image *const *first, uint32_t count)
{
   return describe_textures(first, count,
                            create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE));
}

/** One draw, with one set. */
static struct vk_image
draw_once(struct vk_code vertex, struct vk_code fragment, const struct vk_descriptor *descriptors,
          uint32_t count)
{
   static const struct {
      float offset[4];
      uint32_t first, number;
   } constants = {{0, 0, 0, 0}, 1, 2};
   return draw_simple(&(struct simple_draw){
      .vertex = vertex,
      .fragment = fragment,
      .vertices = whole,
      .count = 4,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
      .descriptors = descriptors,
      .num_descriptors = count,
      .constants = &constants,
      .constant_bytes = sizeof constants,
   });
}

/* ---- scenes ------------------------------------------------------------------------ */

/** No descriptor. */
static struct vk_image
draw_none(void)
{
   return draw_once(VK_CODE(color_vert), VK_CODE(color_frag), NULL, 0);
}

/** The fragment shader names the first one of a set of eight. */
static struct vk_image
draw_one(void)
{
   const struct vk_descriptor descriptor = combined(images, NUM_TEXTURES);
   return draw_once(VK_CODE(color_vert), VK_CODE(texture_frag), &descriptor, 1);
}

/** It names all of them. */
static struct vk_image
draw_eight(void)
{
   const struct vk_descriptor descriptor = combined(images, NUM_TEXTURES);
   return draw_once(VK_CODE(color_vert), VK_CODE(eight_frag), &descriptor, 1);
}

/** Two images and two samplers. */
static struct vk_image
draw_separate(void)
{
   const struct vk_descriptor sampler = combined(NULL, 1);
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, .count = 2, .images = images},
      {.type = VK_DESCRIPTOR_TYPE_SAMPLER, .count = 1, .sampler = sampler.sampler},
      {.type = VK_DESCRIPTOR_TYPE_SAMPLER, .count = 1, .sampler = sampler.sampler},
   };
   return draw_once(VK_CODE(color_vert), VK_CODE(separate_frag), descriptors, 3);
}

/** A uniform block of the vertex shader, and four textures of the fragment shader, which computes which one it reads. Both
 * have push constants. */
static struct vk_image
draw_stages(void)
{
   static const float object[] = {1, 1, 1, 1, 1, 1, 1, 1};
   const struct vk_buffer uniforms =
      vk_create_buffer(sizeof object, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, object);
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .count = 1, .buffer = &uniforms},
      combined(images, 4),
   };
   return draw_once(VK_CODE(uniform_vert), VK_CODE(array_frag), descriptors, 2);
}

/** Also binds the set that the draw has. */
static void
record_sets(VkCommandBuffer commands, VkPipelineLayout layout, VkDescriptorSet set, const void *data)
{
   const VkDescriptorSet *others = data;
   for (unsigned d = 0; d < 2 * NUM_TEXTURES; d++) {
      bind_set(commands, layout, d < 2 ? set : others[d / 2 - 1]);
      vkCmdDraw(commands, 4, 1, 0, 0);
   }
}

/** A set for each of eight draws; each is drawn twice, one after the other. */
static struct vk_image
draw_sets(void)
{
   VkPipelineLayout layout;
   VkDescriptorSet others[NUM_TEXTURES - 1];
   const struct vk_descriptor first = combined(images, 1);
   for (unsigned s = 1; s < NUM_TEXTURES; s++) {
      const struct vk_descriptor descriptor = combined(&images[s], 1);
      others[s - 1] = vk_create_set(&descriptor, 1, &layout);
   }
   return draw_simple(&(struct simple_draw){
      .fragment = VK_CODE(texture_frag),
      .vertices = whole,
      .count = 4,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
      .descriptors = &first,
      .num_descriptors = 1,
      .record = record_sets,
      .data = others,
   });
}

/** A compute shader names two textures and two images, which it stores to; a draw then shows one of these. */
static struct vk_image
draw_dispatch(void)
{
   struct vk_image filtered[2];
   const struct vk_image *outputs[] = {&filtered[0], &filtered[1]};
   VkCommandBuffer commands = vk_begin();
   for (unsigned i = 0; i < 2; i++) {
      filtered[i] = vk_create_image(VK_FORMAT_R8_UNORM, 64, 64, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                                    VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
      vk_change_layout(commands, &filtered[i], VK_IMAGE_LAYOUT_GENERAL);
   }
   const struct vk_descriptor descriptors[] = {
      combined(images, 2),
      {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .count = 2, .images = outputs},
   };
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(descriptors, 2, &layout);
   record_dispatch(commands, vk_create_compute_pipeline(VK_CODE(filter_comp), layout), layout, set, 2, 2);
   vk_run(commands);
   const struct vk_descriptor shown = combined(outputs, 1);
   return draw_once(VK_CODE(color_vert), VK_CODE(texture_frag), &shown, 1);
}

static const struct scene scenes[] = {
   {.name = "none", .draw = draw_none},         {.name = "one", .draw = draw_one},
   {.name = "eight", .draw = draw_eight},       {.name = "separate", .draw = draw_separate},
   {.name = "stages", .draw = draw_stages},     {.name = "sets", .draw = draw_sets},
   {.name = "dispatch", .draw = draw_dispatch},
};

int
main(int argc, char **argv)
{
   return run_scenes(scenes, sizeof scenes / sizeof scenes[0], open_device, argc, argv);
}
