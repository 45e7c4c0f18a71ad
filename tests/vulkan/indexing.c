/* SPDX-License-Identifier: MIT */
/**
 * Arrays of descriptors whose index differs from invocation to invocation (Vulkan 1.2's descriptor indexing):
 *    vulkan_indexing NAME FILE.ppm [WIDTH HEIGHT]
 * draws the scene NAME (scenes[]) and writes it. Without arguments it lists them. Whatever draws covers all of the picture.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "indexing.h"

#include "indexed_beyond.frag.h"
#include "indexed_blocks.frag.h"
#include "indexed_buffers.comp.h"
#include "indexed_buffers.frag.h"
#include "indexed_grid.vert.h"
#include "indexed_images.comp.h"
#include "indexed_images.frag.h"
#include "indexed_instances.frag.h"
#include "indexed_limits.frag.h"
#include "indexed_samplers.frag.h"
#include "indexed_stages.frag.h"
#include "indexed_stages.geom.h"
#include "indexed_stages.tesc.h"
#include "indexed_stages.tese.h"
#include "indexed_stages.vert.h"
#include "indexed_stripes.frag.h"
#include "indexed_texels.frag.h"
#include "indexed_textures.frag.h"
#include "indexed_words.frag.h"

static uint32_t width = 128, height = 96;

/* ---- what scenes share ------------------------------------------------------------- */

/** A rectangle for each cell of a grid, of what the bound set has; push constants are the grid's and two more numbers. */
static void
draw_grid(const struct drawing *drawing, const struct sets *sets, struct vk_code fragment,
          const uint32_t grid[4])
{
   const struct vk_pipeline_description description = {
      .vertex = VK_CODE(indexed_grid_vert),
      .fragment = fragment,
      .pass = drawing->pass.pass,
      .num_colors = 1,
      .layout = sets->layout,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
   };
   vkCmdBindPipeline(drawing->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, vk_create_pipeline(&description));
   bind_sets(drawing, sets, VK_PIPELINE_BIND_POINT_GRAPHICS);
   vkCmdPushConstants(drawing->commands, sets->layout, VK_SHADER_STAGE_ALL, 0, 4 * sizeof grid[0], grid);
   vkCmdDraw(drawing->commands, 4, grid[0] * grid[1], 0, 0);
}

/** One rectangle over all of the picture, or a grid of them. */
static struct vk_image
draw_once(const struct sets *sets, struct vk_code fragment, const uint32_t grid[4])
{
   struct drawing drawing = begin_drawing(width, height);
   begin_pass(&drawing);
   draw_grid(&drawing, sets, fragment, grid);
   return end_drawing(&drawing);
}

static void
dispatch(const struct drawing *drawing, const struct sets *sets, struct vk_code code, uint32_t x, uint32_t y)
{
   vkCmdBindPipeline(drawing->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                     vk_create_compute_pipeline(code, sets->layout));
   bind_sets(drawing, sets, VK_PIPELINE_BIND_POINT_COMPUTE);
   vkCmdDispatch(drawing->commands, x, y, 1);
   vk_barrier(drawing->commands);
}

static const uint32_t whole[4] = {1, 1, 3, 1};

/* ---- scenes ------------------------------------------------------------------------ */

/** The sample that textbooks have: an array of textures of as many as the program wants, here 32; one draw of 32 instances,
 * each with a texture of its own. Every fifth column of pixels has the next one's. */
static struct vk_image
draw_textures(void)
{
   enum { COUNT = 32 };
   const uint32_t grid[] = {8, 4, COUNT, 5};
   const struct binding binding = textures(COUNT, COUNT, create_mipmapped_texture);
   const struct sets sets = create_sets(&binding, 1, 1);
   return draw_once(&sets, VK_CODE(indexed_textures_frag), grid);
}

/** Many small instances, whose quads are shaded together, each with numbers of its own which the shader does not call different. */
static struct vk_image
draw_instances(void)
{
   const uint32_t grid[] = {width / 4, height / 4, 0, 0};
   struct drawing drawing = begin_drawing(width, height);
   const struct binding bindings[] = {
      textures(8, 8, create_mipmapped_texture),
      blocks(6, 4),
      buffers(5, 1024),
      images(&drawing, 3, COLOR_FORMAT, 16),
   };
   const struct sets sets = create_sets(bindings, 4, 1);
   begin_pass(&drawing);
   draw_grid(&drawing, &sets, VK_CODE(indexed_instances_frag), grid);
   return end_drawing(&drawing);
}

/** Of an array of up to 32 a set has 12, of which those have been written that are read: the second four. */
static struct vk_image
draw_partial(void)
{
   const uint32_t grid[] = {8, 4, 4, 5};
   struct binding binding = textures(32, 12, create_texture);
   for (uint32_t i = 4; i < 12; i++)
      binding.images[i].imageView = VK_NULL_HANDLE;
   const struct sets sets = create_sets(&binding, 1, 1);
   return draw_once(&sets, VK_CODE(indexed_textures_frag), grid);
}

/** Textures and samplers have arrays of their own. */
static struct vk_image
draw_samplers(void)
{
   const VkSampler samplers[] = {
      vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT,
                        false),
      vk_create_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                        VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, false),
      vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                        VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, false),
      vk_create_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT,
                        false),
   };
   struct binding bindings[] = {
      textures(5, 5, create_texture),
      {.type = VK_DESCRIPTOR_TYPE_SAMPLER, .count = 4, .written = 4},
      textures(1, 1, create_texture),
   };
   bindings[0].type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
   for (uint32_t i = 0; i < 4; i++)
      bindings[1].images[i].sampler = samplers[i];
   const struct sets sets = create_sets(bindings, 3, 1);
   return draw_once(&sets, VK_CODE(indexed_samplers_frag), whole);
}

static struct vk_image
draw_blocks(void)
{
   const struct binding binding = blocks(6, 4);
   const struct sets sets = create_sets(&binding, 1, 1);
   return draw_once(&sets, VK_CODE(indexed_blocks_frag), whole);
}

/** A dispatch loads from buffers and blocks, stores and counts; a draw shows it. */
static struct vk_image
draw_buffers(void)
{
   struct drawing drawing = begin_drawing(width, height);
   const struct binding bindings[] = {buffers(5, 1024), blocks(3, 4), buffers(2, 8)};
   const struct sets sets = create_sets(bindings, 3, 1);
   dispatch(&drawing, &sets, VK_CODE(indexed_buffers_comp), 8, 1);
   begin_pass(&drawing);
   draw_grid(&drawing, &sets, VK_CODE(indexed_buffers_frag), whole);
   return end_drawing(&drawing);
}

/** A dispatch reads textures and stores to images; a draw shows them. */
static struct vk_image
draw_images(void)
{
   struct drawing drawing = begin_drawing(width, height);
   const struct binding bindings[] = {
      images(&drawing, 3, COLOR_FORMAT, 32),
      images(&drawing, 2, VK_FORMAT_R32_UINT, 8),
      textures(4, 4, create_texture),
   };
   const struct sets sets = create_sets(bindings, 3, 1);
   dispatch(&drawing, &sets, VK_CODE(indexed_images_comp), 4, 4);
   begin_pass(&drawing);
   draw_grid(&drawing, &sets, VK_CODE(indexed_images_frag), whole);
   return end_drawing(&drawing);
}

/** Buffers as textures and as images. */
static struct vk_image
draw_texels(void)
{
   const struct binding bindings[] = {
      texel_buffers(VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 4, COLOR_FORMAT, 16),
      texel_buffers(VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 3, VK_FORMAT_R32_UINT, 16),
   };
   const struct sets sets = create_sets(bindings, 2, 1);
   return draw_once(&sets, VK_CODE(indexed_texels_frag), whole);
}

/** Vertices, patches and triangles look into arrays of all kinds, each with an index of its own. */
static struct vk_image
draw_stages(void)
{
   struct drawing drawing = begin_drawing(width, height);
   const struct binding bindings[] = {
      textures(6, 6, create_mipmapped_texture),
      blocks(4, 4),
      buffers(5, 64),
      images(&drawing, 3, COLOR_FORMAT, 16),
   };
   uint16_t indices[8 * 6 * 4], *index = indices;
   for (uint16_t y = 0; y < 6; y++) {
      for (uint16_t x = 0; x < 8; x++) {
         const uint16_t first = (uint16_t)(y * 9 + x);
         const uint16_t patch[] = {first, first + 1, first + 10, first + 9};
         memcpy(index, patch, sizeof patch);
         index += 4;
      }
   }
   const struct vk_buffer index_buffer =
      vk_create_buffer(sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
   const struct sets sets = create_sets(bindings, 4, 1);
   const struct vk_pipeline_description pipeline = {
      .vertex = VK_CODE(indexed_stages_vert),
      .control = VK_CODE(indexed_stages_tesc),
      .evaluation = VK_CODE(indexed_stages_tese),
      .geometry = VK_CODE(indexed_stages_geom),
      .fragment = VK_CODE(indexed_stages_frag),
      .patch_vertices = 4,
      .topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST,
      .pass = drawing.pass.pass,
      .num_colors = 1,
      .layout = sets.layout,
   };
   begin_pass(&drawing);
   vkCmdBindPipeline(drawing.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, vk_create_pipeline(&pipeline));
   bind_sets(&drawing, &sets, VK_PIPELINE_BIND_POINT_GRAPHICS);
   vkCmdBindIndexBuffer(drawing.commands, index_buffer.buffer, 0, VK_INDEX_TYPE_UINT16);
   vkCmdDrawIndexed(drawing.commands, sizeof indices / sizeof indices[0], 1, 0, 0, 0);
   return end_drawing(&drawing);
}

/** As many blocks as a stage may have. Says what the limits are. */
static struct vk_image
draw_limits(void)
{
   VkPhysicalDeviceInlineUniformBlockProperties inlined = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_PROPERTIES};
   VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                             .pNext = &inlined};
   vkGetPhysicalDeviceProperties2(vk_physical_device, &properties);
   const uint32_t most = properties.properties.limits.maxPerStageDescriptorUniformBuffers;
   printf("%u %u %d %d\n", most, inlined.maxPerStageDescriptorInlineUniformBlocks,
          is_supported(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, most),
          is_supported(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, most + 1));
   const struct binding bindings[] = {blocks(14, 1), inline_block(0), inline_block(1), inline_block(2),
                                      inline_block(3)};
   const uint32_t grid[] = {1, 1, 0, 0};
   const struct sets sets = create_sets(bindings, 5, 4);
   return draw_once(&sets, VK_CODE(indexed_limits_frag), grid);
}

/** Of each texture, as large as the picture, the columns are fetched that are a pixel's. */
static struct vk_image
draw_columns(uint32_t columns)
{
   const uint32_t grid[] = {1, 1, columns, width};
   const struct binding binding = textures(4, 4, create_picture_texture);
   const struct sets sets = create_sets(&binding, 1, 1);
   return draw_once(&sets, VK_CODE(indexed_stripes_frag), grid);
}

/** Columns of a whole number of tiles, but for one pixel. */
static struct vk_image
draw_stripes(void)
{
   return draw_columns(32);
}

/** Each column is another texture's than its neighbours. */
static struct vk_image
draw_lanes(void)
{
   return draw_columns(1);
}

/** Likewise of buffers. */
static struct vk_image
draw_words(void)
{
   const uint32_t grid[] = {1, 1, 1, width};
   const struct binding binding = buffers(4, width * height);
   const struct sets sets = create_sets(&binding, 1, 1);
   return draw_once(&sets, VK_CODE(indexed_words_frag), grid);
}

/** More than the simulated GPU has. */
static struct vk_image
draw_beyond(void)
{
   struct binding bindings[] = {
      textures(8, 8, create_texture),
      {.type = VK_DESCRIPTOR_TYPE_SAMPLER, .count = 5, .written = 5},
   };
   bindings[0].type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
   for (uint32_t i = 0; i < 5; i++)
      bindings[1].images[i].sampler = bindings[0].images[0].sampler;
   const struct sets sets = create_sets(bindings, 2, 1);
   return draw_once(&sets, VK_CODE(indexed_beyond_frag), whole);
}

static const struct {
   const char *name;
   struct vk_image (*draw)(void);
   bool is_optional; /**< not listed */
} scenes[] = {
   {"textures", draw_textures, false}, {"instances", draw_instances, false}, {"partial", draw_partial, false},
   {"samplers", draw_samplers, false}, {"blocks", draw_blocks, false},       {"buffers", draw_buffers, false},
   {"images", draw_images, false},     {"texels", draw_texels, false},       {"stages", draw_stages, false},
   {"limits", draw_limits, false},     {"stripes", draw_stripes, false},     {"lanes", draw_lanes, false},
   {"words", draw_words, false},       {"beyond", draw_beyond, true},
};

static void
open_device(void)
{
   VkPhysicalDeviceInlineUniformBlockFeatures inlined = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_FEATURES,
      .inlineUniformBlock = true,
   };
   VkPhysicalDeviceVulkan12Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
      .pNext = &inlined,
      .shaderUniformTexelBufferArrayDynamicIndexing = true,
      .shaderStorageTexelBufferArrayDynamicIndexing = true,
      .shaderUniformBufferArrayNonUniformIndexing = true,
      .shaderSampledImageArrayNonUniformIndexing = true,
      .shaderStorageBufferArrayNonUniformIndexing = true,
      .shaderStorageImageArrayNonUniformIndexing = true,
      .shaderUniformTexelBufferArrayNonUniformIndexing = true,
      .shaderStorageTexelBufferArrayNonUniformIndexing = true,
      .descriptorBindingPartiallyBound = true,
      .descriptorBindingVariableDescriptorCount = true,
      .runtimeDescriptorArray = true,
   };
   vk_open_version(VK_API_VERSION_1_3, &features);
}

int
main(int argc, char **argv)
{
   const size_t count = sizeof scenes / sizeof scenes[0];
   for (size_t i = 0; argc == 1 && i < count; i++) {
      if (!scenes[i].is_optional)
         puts(scenes[i].name);
   }
   if (argc == 1)
      return 0;
   for (size_t i = 0; i < count; i++) {
      if ((argc != 3 && argc != 5) || strcmp(argv[1], scenes[i].name))
         continue;
      if (argc == 5) {
         width = (uint32_t)atoi(argv[3]);
         height = (uint32_t)atoi(argv[4]);
      }
      open_device();
      set_picture_size(width, height);
      const struct vk_image picture = scenes[i].draw();
      vk_write_picture(&picture, argv[2]);
      close_sets();
      vk_close();
      return 0;
   }
   fprintf(stderr, "usage: %s NAME FILE.ppm [WIDTH HEIGHT]\n", argv[0]);
   return 2;
}
