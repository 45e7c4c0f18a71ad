/* SPDX-License-Identifier: MIT */
/**
 * Random lookups of textures: images, views, samplers and operations, the same for a seed whatever the device answers:
 *    vulkan_random_lookups FIRST COUNT FILE
 * appends to FILE, of each seed, a line "SEED n", a line "KIND NAME BYTES" and the picture's texels. KIND: SFLOAT, or LEVEL where the
 * device computes the level.
 */
#include "device_private.h"
#include "dice.h"
#include "seeds.h"

#include "lookups_1d.frag.h"
#include "lookups_1d_array.frag.h"
#include "lookups_2d.frag.h"
#include "lookups_2d_array.frag.h"
#include "lookups_3d.frag.h"
#include "lookups_cube.frag.h"
#include "lookups_cube_array.frag.h"
#include "whole_screen.vert.h"

#define SIZE 32 /* of the picture */

/* In the order of VkImageViewType. */
static const struct {
   const char *name;
   struct vk_code code;
   VkImageType type;
   bool is_cube, has_layers, has_texels, gathers;
} kinds[] = {
   {"1d", VK_CODE(lookups_1d_frag), VK_IMAGE_TYPE_1D, false, false, true, false},
   {"2d", VK_CODE(lookups_2d_frag), VK_IMAGE_TYPE_2D, false, false, true, true},
   {"3d", VK_CODE(lookups_3d_frag), VK_IMAGE_TYPE_3D, false, false, true, false},
   {"cube", VK_CODE(lookups_cube_frag), VK_IMAGE_TYPE_2D, true, false, false, true},
   {"1d_array", VK_CODE(lookups_1d_array_frag), VK_IMAGE_TYPE_1D, false, true, true, false},
   {"2d_array", VK_CODE(lookups_2d_array_frag), VK_IMAGE_TYPE_2D, false, true, true, true},
   {"cube_array", VK_CODE(lookups_cube_array_frag), VK_IMAGE_TYPE_2D, true, true, false, true},
};
/* As the shaders number them. */
enum { LOD, GRADIENTS, BIAS, SIZES, FETCH, OFFSET, GATHER, NUM_OPERATIONS };

static const struct {
   VkFormat format;
   uint32_t bytes; /* of a texel, or of a block of 4 × 4 */
   uint32_t block;
} formats[] = {
   {VK_FORMAT_R8_UNORM, 1, 1},
   {VK_FORMAT_R8G8_UNORM, 2, 1},
   {VK_FORMAT_R8G8B8A8_UNORM, 4, 1},
   {VK_FORMAT_R8G8B8A8_SNORM, 4, 1},
   {VK_FORMAT_R8G8B8A8_SRGB, 4, 1},
   {VK_FORMAT_B8G8R8A8_UNORM, 4, 1},
   {VK_FORMAT_R5G6B5_UNORM_PACK16, 2, 1},
   {VK_FORMAT_A1R5G5B5_UNORM_PACK16, 2, 1},
   {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, 1},
   {VK_FORMAT_R16G16_UNORM, 4, 1},
   {VK_FORMAT_R16G16B16A16_SNORM, 8, 1},
   {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 8, 4},
   {VK_FORMAT_BC3_UNORM_BLOCK, 16, 4},
   {VK_FORMAT_BC4_SNORM_BLOCK, 8, 4},
   {VK_FORMAT_BC5_UNORM_BLOCK, 16, 4},
   {VK_FORMAT_BC7_UNORM_BLOCK, 16, 4},
};

struct lookup {
   unsigned kind, format;
   VkExtent3D extent;
   uint32_t levels, layers;
   VkImage image;
   VkImageView view;
   VkSampler sampler;
   uint32_t last_level; /**< of the view */
   struct {
      int32_t operation;
      float lod;
      int32_t level;
   } specialized;
   float places[2][4]; /**< a factor and a summand */
};

/* ---- images --------------------------------------------------------------------- */

static uint32_t
blocks(uint32_t texels, uint32_t level, uint32_t block)
{
   const uint32_t size = texels >> level ? texels >> level : 1;
   return (size + block - 1) / block;
}

static void
describe_image(struct dice *dice, struct lookup *lookup)
{
   const VkImageType type = kinds[lookup->kind].type;
   lookup->format = roll(dice, sizeof formats / sizeof formats[0]);
   /* Blocks of other images than of two dimensions need not be supported. */
   if (type != VK_IMAGE_TYPE_2D && formats[lookup->format].block > 1)
      lookup->format = 2;
   lookup->extent = (VkExtent3D){1 + roll(dice, 40), 1, 1};
   if (type != VK_IMAGE_TYPE_1D)
      lookup->extent.height = kinds[lookup->kind].is_cube ? lookup->extent.width : 1 + roll(dice, 40);
   if (type == VK_IMAGE_TYPE_3D)
      lookup->extent.depth = 1 + roll(dice, 12);
   const uint32_t all = lookup->extent.width | lookup->extent.height | lookup->extent.depth;
   lookup->levels = 1 + roll(dice, 32 - (unsigned)__builtin_clz(all));
   lookup->layers = type == VK_IMAGE_TYPE_3D         ? 1
                    : kinds[lookup->kind].is_cube    ? 6 * (1 + roll(dice, 3))
                    : kinds[lookup->kind].has_layers ? 1 + roll(dice, 5)
                                                     : 1 + roll(dice, 3);
}

static void
create_image(struct dice *dice, struct lookup *lookup)
{
   const VkImageCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .flags = kinds[lookup->kind].is_cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
      .imageType = kinds[lookup->kind].type,
      .format = formats[lookup->format].format,
      .extent = lookup->extent,
      .mipLevels = lookup->levels,
      .arrayLayers = lookup->layers,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
   };
   lookup->image = vk_create_any_image(&info);
   const uint32_t block = formats[lookup->format].block;
   VkCommandBuffer commands = vk_begin();
   const struct vk_image all = {.image = lookup->image,
                                .format = info.format,
                                .levels = lookup->levels,
                                .layers = lookup->layers};
   vk_change_layout(commands, &all, VK_IMAGE_LAYOUT_GENERAL);
   for (uint32_t level = 0; level < lookup->levels; level++) {
      const VkDeviceSize bytes = (VkDeviceSize)formats[lookup->format].bytes * lookup->layers *
                                 blocks(lookup->extent.width, level, block) *
                                 blocks(lookup->extent.height, level, block) *
                                 blocks(lookup->extent.depth, level, 1);
      const struct vk_buffer buffer = vk_create_buffer(bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
      for (VkDeviceSize i = 0; i < bytes; i++)
         ((uint8_t *)buffer.memory)[i] = (uint8_t)roll_bits(dice);
      const VkBufferImageCopy region = {
         .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, lookup->layers},
         .imageExtent = {blocks(lookup->extent.width, level, 1), blocks(lookup->extent.height, level, 1),
                         blocks(lookup->extent.depth, level, 1)},
      };
      vkCmdCopyBufferToImage(commands, buffer.buffer, lookup->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
   }
   vk_barrier(commands);
   vk_run(commands);
}

/* Of some levels and layers, with channels in another order. */
static void
create_view(struct dice *dice, struct lookup *lookup)
{
   const bool is_cube = kinds[lookup->kind].is_cube, is_array = kinds[lookup->kind].has_layers;
   const uint32_t unit = is_cube ? 6 : 1, all = lookup->layers / unit;
   const uint32_t first_level = roll(dice, lookup->levels), first = roll(dice, all);
   VkImageViewCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = lookup->image,
      .viewType = (VkImageViewType)lookup->kind,
      .format = formats[lookup->format].format,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, first_level,
                           1 + roll(dice, lookup->levels - first_level), unit * first, unit},
   };
   if (is_array)
      info.subresourceRange.layerCount = unit * (1 + roll(dice, all - first));
   lookup->last_level = info.subresourceRange.levelCount - 1;
   if (chance(dice, 40)) {
      info.components.r = (VkComponentSwizzle)roll(dice, 7);
      info.components.g = (VkComponentSwizzle)roll(dice, 7);
      info.components.b = (VkComponentSwizzle)roll(dice, 7);
      info.components.a = (VkComponentSwizzle)roll(dice, 7);
   }
   CHECK(vkCreateImageView(vk_device, &info, NULL, &lookup->view));
   vk_keep(VK_OBJECT_TYPE_IMAGE_VIEW, lookup->view);
}

static void
create_sampler(struct dice *dice, struct lookup *lookup)
{
   VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
   info.magFilter = (VkFilter)roll(dice, 2);
   info.minFilter = (VkFilter)roll(dice, 2);
   info.mipmapMode = (VkSamplerMipmapMode)roll(dice, 2);
   info.addressModeU = (VkSamplerAddressMode)roll(dice, 4);
   info.addressModeV = (VkSamplerAddressMode)roll(dice, 4);
   info.addressModeW = (VkSamplerAddressMode)roll(dice, 4);
   info.borderColor = 2 * roll(dice, 3); /* those of floating point */
   info.mipLodBias = chance(dice, 30) ? 2.0f * roll_unit(dice) - 1.0f : 0.0f;
   info.minLod = chance(dice, 30) ? 3.0f * roll_unit(dice) : 0.0f;
   info.maxLod = chance(dice, 30) ? info.minLod + 2.0f * roll_unit(dice) : VK_LOD_CLAMP_NONE;
   CHECK(vkCreateSampler(vk_device, &info, NULL, &lookup->sampler));
   vk_keep(VK_OBJECT_TYPE_SAMPLER, lookup->sampler);
}

static void
choose_operation(struct dice *dice, struct lookup *lookup)
{
   int32_t operation = (int32_t)roll(dice, NUM_OPERATIONS);
   if (operation == GATHER ? !kinds[lookup->kind].gathers
                           : operation >= FETCH && !kinds[lookup->kind].has_texels)
      operation = LOD;
   lookup->specialized.operation = operation;
   lookup->specialized.lod = 5.0f * roll_unit(dice);
   lookup->specialized.level = (int32_t)roll(dice, lookup->last_level + 1);
   for (unsigned c = 0; c < 4; c++) {
      lookup->places[0][c] = 6.0f * roll_unit(dice) - 3.0f;
      lookup->places[1][c] = 4.0f * roll_unit(dice) - 2.0f;
   }
}

/* ---- draws ------------------------------------------------------------------------ */

static VkDescriptorSet
create_set(const struct lookup *lookup, VkPipelineLayout *layout)
{
   const struct vk_image seen = {.image = lookup->image, .view = lookup->view};
   const struct vk_image *images[] = {&seen};
   const struct vk_descriptor descriptor = {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                            .count = 1,
                                            .images = images,
                                            .sampler = lookup->sampler};
   return vk_create_set(&descriptor, 1, layout);
}

static VkPipeline
create_pipeline(const struct lookup *lookup, VkRenderPass pass, VkPipelineLayout layout)
{
   static const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}};
   const VkSpecializationInfo specialization = {3, entries, sizeof lookup->specialized, &lookup->specialized};
   const VkPipelineShaderStageCreateInfo stages[] = {
      {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
       .stage = VK_SHADER_STAGE_VERTEX_BIT,
       .module = vk_create_module(VK_CODE(whole_screen_vert)),
       .pName = "main"},
      {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
       .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
       .module = vk_create_module(kinds[lookup->kind].code),
       .pName = "main",
       .pSpecializationInfo = &specialization},
   };
   const VkPipelineVertexInputStateCreateInfo vertices = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
   const VkPipelineInputAssemblyStateCreateInfo assembly = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
   const VkViewport area = {0, 0, SIZE, SIZE, 0, 1};
   const VkRect2D scissor = {{0, 0}, {SIZE, SIZE}};
   const VkPipelineViewportStateCreateInfo viewport = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
      .viewportCount = 1,
      .pViewports = &area,
      .scissorCount = 1,
      .pScissors = &scissor};
   const VkPipelineRasterizationStateCreateInfo raster = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
   const VkPipelineMultisampleStateCreateInfo multisample = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
      .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
   const VkPipelineColorBlendAttachmentState written = {.colorWriteMask = 15};
   const VkPipelineColorBlendStateCreateInfo blend = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
      .attachmentCount = 1,
      .pAttachments = &written};
   const VkGraphicsPipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
      .stageCount = 2,
      .pStages = stages,
      .pVertexInputState = &vertices,
      .pInputAssemblyState = &assembly,
      .pViewportState = &viewport,
      .pRasterizationState = &raster,
      .pMultisampleState = &multisample,
      .pColorBlendState = &blend,
      .layout = layout,
      .renderPass = pass,
   };
   VkPipeline pipeline;
   CHECK(vkCreateGraphicsPipelines(vk_device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
   vk_keep(VK_OBJECT_TYPE_PIPELINE, pipeline);
   for (unsigned stage = 0; stage < 2; stage++)
      vkDestroyShaderModule(vk_device, stages[stage].module, NULL);
   return pipeline;
}

static void
draw(const struct lookup *lookup, const struct vk_image *picture)
{
   const struct vk_attachment color = {
      picture, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE, {{{0}}}, NULL};
   const struct vk_pass pass = vk_create_pass(&color, 1, NULL);
   VkPipelineLayout layout;
   const VkDescriptorSet set = create_set(lookup, &layout);
   const VkPipeline pipeline = create_pipeline(lookup, pass.pass, layout);
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, NULL);
   vkCmdPushConstants(commands, layout,
                      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT,
                      0, sizeof lookup->places, lookup->places);
   vkCmdDraw(commands, 3, 1, 0, 0);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
}

static void
run_seed(uint64_t seed, unsigned most_steps, FILE *file)
{
   struct dice dice = dice_of(seed, 0);
   struct lookup lookup = {0};
   vk_open_version(VK_API_VERSION_1_3, NULL);
   lookup.kind = roll(&dice, sizeof kinds / sizeof kinds[0]);
   describe_image(&dice, &lookup);
   create_image(&dice, &lookup);
   create_view(&dice, &lookup);
   create_sampler(&dice, &lookup);
   choose_operation(&dice, &lookup);
   const struct vk_image picture =
      vk_create_image(VK_FORMAT_R32G32B32A32_SFLOAT, SIZE, SIZE, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
   draw(&lookup, &picture);
   void *texels = vk_download(&picture, 0, 16);
   if (!texels)
      abort();
   const bool computes_level =
      lookup.specialized.operation == GRADIENTS || lookup.specialized.operation == BIAS;
   fprintf(file, "SEED %llu\n%s %s_format%d_operation%d %d\n", (unsigned long long)seed,
           computes_level ? "LEVEL" : "SFLOAT", kinds[lookup.kind].name, formats[lookup.format].format,
           lookup.specialized.operation, SIZE * SIZE * 16);
   fwrite(texels, 16, SIZE * SIZE, file);
   free(texels);
   vk_close();
}

int
main(int argc, char **argv)
{
   return run_seeds(argc, argv, 1, run_seed);
}
