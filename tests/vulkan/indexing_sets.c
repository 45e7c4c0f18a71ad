/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "device_private.h"
#include "indexing.h"

static uint32_t picture_width, picture_height;
static VkDescriptorPool pool;
static VkBufferView buffer_views[2 * MAX_ARRAY];
static uint32_t num_buffer_views;

void
set_picture_size(uint32_t width, uint32_t height)
{
   picture_width = width;
   picture_height = height;
}

/* ---- what descriptors describe ----------------------------------------------------- */

/** Each texture and level has colours of its own. */
static void
fill(const struct vk_image *image, uint32_t number, uint32_t level)
{
   const uint32_t width = image->width >> level, height = image->height >> level;
   uint8_t(*texels)[4] = calloc(width * height, sizeof *texels);
   for (uint32_t i = 0; i < width * height; i++) {
      const uint32_t x = i % width, y = i / width;
      texels[i][0] = (uint8_t)(x * 255 / width);
      texels[i][1] = (uint8_t)((x / 4 + y / 4 + number) % 2 * (200 - 100 * level));
      texels[i][2] = (uint8_t)(number * 37 + y);
      texels[i][3] = 255;
   }
   vk_upload(image, level, 0, texels, 4);
   free(texels);
}

static struct vk_image
create_levels(uint32_t number, uint32_t width, uint32_t height, uint32_t levels)
{
   const struct vk_image image =
      vk_create_image(COLOR_FORMAT, width, height, levels, 1, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
   for (uint32_t level = 0; level < levels; level++)
      fill(&image, number, level);
   return image;
}

struct vk_image
create_texture(uint32_t number)
{
   return create_levels(number, 16, 16, 1);
}

struct vk_image
create_mipmapped_texture(uint32_t number)
{
   return create_levels(number, 32, 32, 2);
}

struct vk_image
create_picture_texture(uint32_t number)
{
   return create_levels(number, picture_width, picture_height, 1);
}

struct binding
textures(uint32_t count, uint32_t allocated, struct vk_image (*create)(uint32_t number))
{
   const VkSampler sampler = vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                               VK_SAMPLER_ADDRESS_MODE_REPEAT, false);
   struct binding binding = {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                             .count = count,
                             .written = allocated};
   for (uint32_t i = 0; i < allocated; i++)
      binding.images[i] = (VkDescriptorImageInfo){sampler, create(i).view, VK_IMAGE_LAYOUT_GENERAL};
   return binding;
}

struct binding
blocks(uint32_t count, uint32_t colors)
{
   struct binding binding = {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .count = count, .written = count};
   for (uint32_t i = 0; i < count; i++) {
      float data[16][4];
      for (uint32_t c = 0; c < colors; c++) {
         for (uint32_t channel = 0; channel < 4; channel++)
            data[c][channel] =
               (float)((i * 31 + c * 17 + channel * 71) % 64) / (colors > 1 ? 64.0f : 1024.0f);
      }
      const struct vk_buffer buffer =
         vk_create_buffer(colors * sizeof data[0], VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, data);
      binding.buffers[i] = (VkDescriptorBufferInfo){buffer.buffer, 0, VK_WHOLE_SIZE};
   }
   return binding;
}

struct binding
inline_block(uint32_t set)
{
   static float data[MAX_SETS][4][4];
   for (uint32_t i = 0; i < 16; i++)
      data[set][i / 4][i % 4] = (float)((set * 5 + i * 3) % 16) / 256.0f;
   return (struct binding){
      .type = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK,
      .set = set,
      .count = sizeof data[0],
      .written = sizeof data[0],
      .data = data[set],
   };
}

struct binding
buffers(uint32_t count, uint32_t words)
{
   struct binding binding = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = count, .written = count};
   for (uint32_t i = 0; i < count; i++) {
      uint32_t *data = calloc(words, sizeof *data);
      for (uint32_t w = 0; w < words; w++)
         data[w] = w * 2654435761u >> 8 ^ i << 20;
      const struct vk_buffer buffer =
         vk_create_buffer(words * sizeof *data, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, data);
      free(data);
      binding.buffers[i] = (VkDescriptorBufferInfo){buffer.buffer, 0, VK_WHOLE_SIZE};
   }
   return binding;
}

struct binding
images(const struct drawing *drawing, uint32_t count, VkFormat format, uint32_t size)
{
   const VkClearColorValue zeros = {0};
   const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
   struct binding binding = {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .count = count, .written = count};
   for (uint32_t i = 0; i < count; i++) {
      const struct vk_image image =
         vk_create_image(format, size, size, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                         VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
      vk_change_layout(drawing->commands, &image, VK_IMAGE_LAYOUT_GENERAL);
      vkCmdClearColorImage(drawing->commands, image.image, VK_IMAGE_LAYOUT_GENERAL, &zeros, 1, &all);
      binding.images[i] = (VkDescriptorImageInfo){VK_NULL_HANDLE, image.view, VK_IMAGE_LAYOUT_GENERAL};
   }
   vk_barrier(drawing->commands);
   return binding;
}

struct binding
texel_buffers(VkDescriptorType type, uint32_t count, VkFormat format, uint32_t texels)
{
   const bool is_storage = type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
   struct binding binding = {.type = type, .count = count, .written = count};
   for (uint32_t i = 0; i < count; i++) {
      uint32_t data[64];
      for (uint32_t t = 0; t < texels; t++)
         data[t] = is_storage ? (i * 60 + t * 11) % 256 : (i * 60 + t * 3) << 8 | (255 - t * 15);
      const struct vk_buffer buffer = vk_create_buffer(texels * sizeof data[0],
                                                       is_storage ? VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT
                                                                  : VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT,
                                                       data);
      const VkBufferViewCreateInfo info = {
         .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
         .buffer = buffer.buffer,
         .format = format,
         .range = VK_WHOLE_SIZE,
      };
      CHECK(vkCreateBufferView(vk_device, &info, NULL, &binding.views[i]));
      buffer_views[num_buffer_views++] = binding.views[i];
   }
   return binding;
}

/* ---- sets ---------------------------------------------------------------------------- */

static bool
is_inline(const struct binding *binding)
{
   return binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
}

/** Whether an element of an array has something. */
static bool
is_written(const struct binding *binding, uint32_t element)
{
   return binding->images[element].sampler || binding->images[element].imageView ||
          binding->buffers[element].buffer || binding->views[element];
}

static void
write_binding(VkDescriptorSet set, uint32_t number, const struct binding *binding)
{
   const VkWriteDescriptorSetInlineUniformBlock data = {
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
      .dataSize = binding->written,
      .pData = binding->data,
   };
   VkWriteDescriptorSet write = {
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .pNext = is_inline(binding) ? &data : NULL,
      .dstSet = set,
      .dstBinding = number,
      .descriptorCount = is_inline(binding) ? binding->written : 1,
      .descriptorType = binding->type,
   };
   if (is_inline(binding))
      vkUpdateDescriptorSets(vk_device, 1, &write, 0, NULL);
   for (uint32_t i = 0; !is_inline(binding) && i < binding->written; i++) {
      write.dstArrayElement = i;
      write.pImageInfo = &binding->images[i];
      write.pBufferInfo = &binding->buffers[i];
      write.pTexelBufferView = &binding->views[i];
      if (is_written(binding, i))
         vkUpdateDescriptorSets(vk_device, 1, &write, 0, NULL);
   }
}

bool
is_supported(VkDescriptorType type, uint32_t count)
{
   const VkDescriptorSetLayoutBinding binding = {0, type, count, VK_SHADER_STAGE_ALL, NULL};
   const VkDescriptorSetLayoutCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .bindingCount = 1,
      .pBindings = &binding,
   };
   VkDescriptorSetLayoutSupport support = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT};
   vkGetDescriptorSetLayoutSupport(vk_device, &info, &support);
   return support.supported;
}

/** Says how many descriptors of a variable count there may be, and where the device does not have as many as the layout. */
static void
check_support(const VkDescriptorSetLayoutCreateInfo *info)
{
   VkDescriptorSetVariableDescriptorCountLayoutSupport variable = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT};
   VkDescriptorSetLayoutSupport support = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT,
                                           .pNext = &variable};
   vkGetDescriptorSetLayoutSupport(vk_device, info, &support);
   if (variable.maxVariableDescriptorCount)
      printf("%u\n", variable.maxVariableDescriptorCount);
   if (!support.supported)
      printf("unsupported\n");
}

/** The bindings of one set; fewer of the last one may be allocated, and not all written. */
static VkDescriptorSetLayout
create_layout(const struct binding *bindings, uint32_t count)
{
   VkDescriptorSetLayoutBinding infos[8];
   VkDescriptorBindingFlags flags[8] = {0};
   for (uint32_t i = 0; i < count; i++) {
      infos[i] =
         (VkDescriptorSetLayoutBinding){i, bindings[i].type, bindings[i].count, VK_SHADER_STAGE_ALL, NULL};
      if (bindings[i].written < bindings[i].count)
         flags[i] =
            VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT | VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
   }
   const VkDescriptorSetLayoutBindingFlagsCreateInfo flags_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
      .bindingCount = count,
      .pBindingFlags = flags,
   };
   const VkDescriptorSetLayoutCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .pNext = &flags_info,
      .bindingCount = count,
      .pBindings = infos,
   };
   VkDescriptorSetLayout layout;
   check_support(&info);
   CHECK(vkCreateDescriptorSetLayout(vk_device, &info, NULL, &layout));
   vk_keep(VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, layout);
   return layout;
}

static VkDescriptorSet
create_set(const struct binding *bindings, uint32_t count, VkDescriptorSetLayout layout)
{
   const struct binding *last = &bindings[count - 1];
   const VkDescriptorSetVariableDescriptorCountAllocateInfo variable = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
      .descriptorSetCount = 1,
      .pDescriptorCounts = &last->written,
   };
   const VkDescriptorSetAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .pNext = last->written < last->count ? &variable : NULL,
      .descriptorPool = pool,
      .descriptorSetCount = 1,
      .pSetLayouts = &layout,
   };
   VkDescriptorSet set;
   CHECK(vkAllocateDescriptorSets(vk_device, &info, &set));
   for (uint32_t i = 0; i < count; i++)
      write_binding(set, i, &bindings[i]);
   return set;
}

static void
create_pool(const struct binding *bindings, uint32_t count)
{
   VkDescriptorPoolSize sizes[8];
   uint32_t inline_blocks = 0;
   for (uint32_t i = 0; i < count; i++) {
      sizes[i] = (VkDescriptorPoolSize){bindings[i].type, bindings[i].count};
      inline_blocks += is_inline(&bindings[i]);
   }
   const VkDescriptorPoolInlineUniformBlockCreateInfo inlined = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO,
      .maxInlineUniformBlockBindings = inline_blocks,
   };
   const VkDescriptorPoolCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .pNext = &inlined,
      .maxSets = MAX_SETS,
      .poolSizeCount = count,
      .pPoolSizes = sizes,
   };
   CHECK(vkCreateDescriptorPool(vk_device, &info, NULL, &pool));
}

struct sets
create_sets(const struct binding *bindings, uint32_t count, uint32_t num_sets)
{
   struct sets sets = {.count = num_sets};
   VkDescriptorSetLayout layouts[MAX_SETS];
   create_pool(bindings, count);
   for (uint32_t s = 0, first = 0, end = 0; s < num_sets; s++, first = end) {
      while (end < count && bindings[end].set == s)
         end++;
      layouts[s] = create_layout(&bindings[first], end - first);
      sets.sets[s] = create_set(&bindings[first], end - first, layouts[s]);
   }
   const VkPushConstantRange push = {VK_SHADER_STAGE_ALL, 0, 16};
   const VkPipelineLayoutCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = num_sets,
      .pSetLayouts = layouts,
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &push,
   };
   CHECK(vkCreatePipelineLayout(vk_device, &info, NULL, &sets.layout));
   vk_keep(VK_OBJECT_TYPE_PIPELINE_LAYOUT, sets.layout);
   return sets;
}

void
bind_sets(const struct drawing *drawing, const struct sets *sets, VkPipelineBindPoint point)
{
   vkCmdBindDescriptorSets(drawing->commands, point, sets->layout, 0, sets->count, sets->sets, 0, NULL);
}

void
close_sets(void)
{
   CHECK(vkDeviceWaitIdle(vk_device));
   vkDestroyDescriptorPool(vk_device, pool, NULL);
   for (uint32_t i = 0; i < num_buffer_views; i++)
      vkDestroyBufferView(vk_device, buffer_views[i], NULL);
}

/* ---- drawing --------------------------------------------------------------------------- */

struct drawing
begin_drawing(uint32_t width, uint32_t height)
{
   struct drawing drawing = {
      .target = vk_create_image(COLOR_FORMAT, width, height, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                                VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT),
      .commands = vk_begin(),
   };
   const struct vk_attachment color = {.image = &drawing.target,
                                       .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .store = VK_ATTACHMENT_STORE_OP_STORE};
   drawing.pass = vk_create_pass(&color, 1, NULL);
   return drawing;
}

void
begin_pass(const struct drawing *drawing)
{
   const VkViewport viewport = {0, 0, (float)drawing->pass.width, (float)drawing->pass.height, 0, 1};
   const VkRect2D scissor = {{0, 0}, {drawing->pass.width, drawing->pass.height}};
   vk_begin_pass(drawing->commands, &drawing->pass, VK_SUBPASS_CONTENTS_INLINE);
   vkCmdSetViewport(drawing->commands, 0, 1, &viewport);
   vkCmdSetScissor(drawing->commands, 0, 1, &scissor);
}

struct vk_image
end_drawing(const struct drawing *drawing)
{
   vkCmdEndRenderPass(drawing->commands);
   vk_run(drawing->commands);
   return drawing->target;
}
