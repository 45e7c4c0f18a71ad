/* SPDX-License-Identifier: MIT */
/**
 * What a device says each format can do, done:
 *    vulkan_formats [NAME]
 * prints a line for each format, or the one of that name, and each thing that it can: the format's name, what was done, whether
 * the values are float, int or uint, and 256 values, four for each of 8×8 texels.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "formats_list.h"

#include "drawn.h"
#include "drawn_vertex.h"
#include "fetched.h"
#include "loaded.h"
#include "loaded_buffer.h"
#include "sampled.h"
#include "slope.h"
#include "slope_vert.h"
#include "stored.h"
#include "stored_buffer.h"

#define SIZE 8
#define TEXELS (SIZE * SIZE)
#define WHOLE 1.0f / SIZE

enum kind { FLOATS, INTEGERS, UNSIGNED };

struct format {
   VkFormat format;
   const char *name;
   enum kind kind;
   uint32_t bytes; /**< of a block */
   uint32_t block_width, block_height;
   VkFormatFeatureFlags features, buffer_features;
};

struct constants {
   float scale[2], offset[2];
};

/** What shaders of a kind are given and give. */
union values {
   float floats[4 * TEXELS];
   int32_t integers[4 * TEXELS];
   uint32_t unsigned_integers[4 * TEXELS];
};

static const char *const kind_names[] = {"float", "int", "uint"};
static const VkFormat wide_formats[] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_SINT,
                                        VK_FORMAT_R32G32B32A32_UINT};
#define SHADER(name, kind)                       \
   ((kind) == FLOATS     ? VK_CODE(name##_float) \
    : (kind) == INTEGERS ? VK_CODE(name##_int)   \
                         : VK_CODE(name##_uint))

/* ---- formats ------------------------------------------------------------------------------ */

static bool
is(const struct format *format, const char *part)
{
   return strstr(format->name, part);
}

/** Of a block, from the name: "PACK16", or the digits of all channels. */
static uint32_t
count_bytes(const struct format *format)
{
   if (is(format, "BLOCK"))
      return is(format, "BC1_") || is(format, "BC4_") || is(format, "R8G8B8_") || is(format, "R8G8B8A1_") ||
                   is(format, "EAC_R11_")
                ? 8
                : 16;
   const char *packed = strstr(format->name, "PACK");
   if (packed)
      return (uint32_t)atoi(packed + 4) / 8;
   uint32_t bits = 0;
   for (const char *character = format->name; *character != '_'; character++) {
      if (*character >= '0' && *character <= '9' && (character[-1] < '0' || character[-1] > '9'))
         bits += (uint32_t)atoi(character);
   }
   return bits / 8;
}

static void
find_block(struct format *format)
{
   format->block_width = format->block_height = is(format, "BLOCK") ? 4 : 1;
   if (!strncmp(format->name, "ASTC_", 5))
      sscanf(format->name, "ASTC_%ux%u", &format->block_width, &format->block_height);
}

static void
describe(struct format *format)
{
   format->kind = is(format, "_UINT") ? UNSIGNED : is(format, "_SINT") ? INTEGERS : FLOATS;
   format->bytes = count_bytes(format);
   find_block(format);
   VkFormatProperties properties;
   vkGetPhysicalDeviceFormatProperties(vk_physical_device, format->format, &properties);
   format->features = properties.optimalTilingFeatures;
   format->buffer_features = properties.bufferFeatures;
}

static uint32_t
next_random(uint32_t *state)
{
   *state = *state * 1664525 + 1013904223;
   return *state >> 8;
}

/** Random texels, of floats neither infinite nor not a number. */
static void
fill(const struct format *format, uint8_t *texels, size_t bytes)
{
   uint32_t state = 7;
   for (size_t i = 0; i < bytes; i++)
      texels[i] = (uint8_t)next_random(&state);
   if (is(format, "B10G11R11")) {
      for (size_t i = 0; i < bytes; i += 4) {
         uint32_t value;
         memcpy(&value, texels + i, 4);
         value &= ~(1u << 10 | 1u << 21 | 1u << 31);
         memcpy(texels + i, &value, 4);
      }
   } else if (is(format, "FLOAT") && format->block_width == 1 && !is(format, "PACK32")) {
      const bool is_half = is(format, "R16");
      for (size_t i = 0; i + 3 < bytes; i += is_half ? 2 : 4) {
         const float value = ((float)next_random(&state) / (1 << 24) - 0.25f) * 2;
         const uint16_t half = (uint16_t)(next_random(&state) & 0xbfff);
         memcpy(texels + i, is_half ? (const void *)&half : &value, is_half ? 2 : 4);
      }
   }
}

/* ---- what is done ---------------------------------------------------------------------------- */

static void
print(const struct format *format, const char *what, const void *result)
{
   const union values *values = result;
   printf("%s %s %s", format->name, what, kind_names[format->kind]);
   for (unsigned i = 0; i < 4 * TEXELS; i++) {
      if (format->kind == FLOATS)
         printf(" %.7g", (double)values->floats[i]);
      else if (format->kind == INTEGERS)
         printf(" %d", values->integers[i]);
      else
         printf(" %u", values->unsigned_integers[i]);
   }
   printf("\n");
   fflush(stdout);
}

static struct vk_buffer
create_values(void)
{
   return vk_create_buffer(sizeof(union values), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL);
}

/** Values that a shader of the kind writes to a format, some of them outside of what it can have. */
static void
set_values(const struct format *format, union values *values)
{
   uint32_t state = 11;
   for (unsigned i = 0; i < 4 * TEXELS; i++) {
      const uint32_t value = next_random(&state);
      if (format->kind == FLOATS)
         values->floats[i] =
            is(format, "SCALED") ? (float)(value % 120) : (float)value / (1 << 24) * 1.5f - 0.25f;
      else if (format->kind == INTEGERS)
         values->integers[i] = (int32_t)(value % 120) - 60;
      else
         values->unsigned_integers[i] = is(format, "10") ? value % 4 : value % 120;
   }
}

static void
dispatch(VkPipeline pipeline, VkPipelineLayout layout, VkDescriptorSet set, const struct constants *constants)
{
   VkCommandBuffer commands = vk_begin();
   vk_barrier(commands);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
   vkCmdPushConstants(commands, layout,
                      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT,
                      0, sizeof *constants, constants);
   vkCmdDispatch(commands, 1, 1, 1);
   vk_barrier(commands);
   vk_run(commands);
}

/** Runs a shader with an image, and a buffer of values. */
static void
run_with_image(struct vk_code code, const struct vk_image *image, VkDescriptorType type, VkSampler sampler,
               const struct vk_buffer *values, struct constants constants)
{
   const struct vk_descriptor descriptors[] = {
      {.type = type, .count = 1, .images = &image, .sampler = sampler},
      {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = 1, .buffer = values},
   };
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(descriptors, 2, &layout);
   dispatch(vk_create_compute_pipeline(code, layout), layout, set, &constants);
}

static void
sample(const struct format *format, const char *what, const struct vk_image *image, VkFilter filter,
       VkSamplerAddressMode address, float scale, float offset)
{
   const struct vk_buffer results = create_values();
   VkSampler sampler = vk_create_sampler(filter, VK_SAMPLER_MIPMAP_MODE_NEAREST, address, false);
   run_with_image(SHADER(sampled, format->kind), image, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, sampler,
                  &results, (struct constants){{scale, scale}, {offset, offset}});
   print(format, what, results.memory);
}

/** What the 8×8 texels are. */
static void
show(const struct format *format, const char *what, const struct vk_image *image)
{
   sample(format, what, image, VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, WHOLE, WHOLE / 2);
}

static struct vk_image
create_image(const struct format *format, VkSampleCountFlagBits samples, VkImageUsageFlags usage)
{
   return vk_create_image(format->format, SIZE, SIZE, 1, 1, samples,
                          usage | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
}

static void
prepare(const struct vk_image *image)
{
   VkCommandBuffer commands = vk_begin();
   vk_change_layout(commands, image, VK_IMAGE_LAYOUT_GENERAL);
   vk_run(commands);
}

static uint32_t
count_blocks(const struct format *format)
{
   return (SIZE + format->block_width - 1) / format->block_width *
          ((SIZE + format->block_height - 1) / format->block_height);
}

static struct vk_image
upload(const struct format *format, VkImageUsageFlags usage)
{
   const struct vk_image image = create_image(format, VK_SAMPLE_COUNT_1_BIT, usage);
   const size_t bytes = (size_t)count_blocks(format) * format->bytes;
   uint8_t *texels = malloc(bytes);
   fill(format, texels, bytes);
   vk_upload(&image, 0, 0, texels, format->block_width > 1 ? (uint32_t)bytes : format->bytes);
   free(texels);
   return image;
}

static void
check_sampled(const struct format *format)
{
   const struct vk_image image = upload(format, VK_IMAGE_USAGE_SAMPLED_BIT);
   show(format, "sampled", &image);
   sample(format, "repeated", &image, VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, 0.4f,
          -1.27f);
   sample(format, "border", &image, VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, 0.25f, -0.3f);
   if (format->features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT)
      sample(format, "linear", &image, VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0.17f, -0.33f);
}

/** Blocks of texels that are all the same, worked out by hand (formats_test.py): of formats that lavapipe does not have. */
static const struct {
   const char *part; /**< of the format's name */
   uint8_t block[16];
} same_texels[] = {
   {"ETC2_R8G8B8_", {0x88, 0x44, 0xcc}},
   {"ETC2_R8G8B8A1_", {16 << 3, 8 << 3, 24 << 3, 2}},
   {"ETC2_R8G8B8A8_", {100, 0, 0, 0, 0, 0, 0, 0, 0x88, 0x44, 0xcc}},
   {"EAC_R11_", {100}},
   {"EAC_R11G11_", {100, 0, 0, 0, 0, 0, 0, 0, 50}},
   {"ASTC_",
    {0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x8a, 0x8a, 0x46, 0x46, 0xce, 0xce, 0x64, 0x64}},
};

static void
check_same_texels(const struct format *format, const uint8_t *block)
{
   uint8_t texels[16 * TEXELS];
   for (unsigned i = 0; i < TEXELS; i++)
      memcpy(texels + i * format->bytes, block, format->bytes);
   const struct vk_image image = create_image(format, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_SAMPLED_BIT);
   vk_upload(&image, 0, 0, texels, count_blocks(format) * format->bytes);
   show(format, "same", &image);
}

static void
check_blocks(const struct format *format)
{
   for (size_t i = 0; i < sizeof same_texels / sizeof same_texels[0]; i++) {
      if (is(format, same_texels[i].part))
         check_same_texels(format, same_texels[i].block);
   }
}

static void
check_storage(const struct format *format)
{
   const struct vk_image image = upload(format, VK_IMAGE_USAGE_STORAGE_BIT);
   const struct vk_buffer values = create_values();
   run_with_image(SHADER(loaded, format->kind), &image, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_NULL_HANDLE,
                  &values, (struct constants){0});
   print(format, "loaded", values.memory);
   set_values(format, values.memory);
   run_with_image(SHADER(stored, format->kind), &image, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_NULL_HANDLE,
                  &values, (struct constants){0});
   run_with_image(SHADER(loaded, format->kind), &image, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_NULL_HANDLE,
                  &values, (struct constants){0});
   print(format, "stored", values.memory);
}

/* ---- texel buffers ----------------------------------------------------------------------------- */

static void
run_with_texels(struct vk_code code, VkBufferView view, VkDescriptorType type, const struct vk_buffer *values)
{
   const struct vk_descriptor descriptors[] = {
      {.type = type, .count = 1, .texels = view},
      {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = 1, .buffer = values},
   };
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(descriptors, 2, &layout);
   dispatch(vk_create_compute_pipeline(code, layout), layout, set, &(struct constants){0});
}

static void
check_texels(const struct format *format, bool storage)
{
   const size_t bytes = (size_t)TEXELS * format->bytes;
   uint8_t *texels = malloc(bytes);
   fill(format, texels, bytes);
   const struct vk_buffer buffer = vk_create_buffer(bytes,
                                                    storage ? VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT
                                                            : VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT,
                                                    texels);
   free(texels);
   const VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                        .buffer = buffer.buffer,
                                        .format = format->format,
                                        .range = VK_WHOLE_SIZE};
   VkBufferView view;
   if (vkCreateBufferView(vk_device, &info, NULL, &view) != VK_SUCCESS) {
      fprintf(stderr, "no view of a buffer\n");
      exit(1);
   }
   const struct vk_buffer values = create_values();
   if (storage) {
      const VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
      run_with_texels(SHADER(loaded_buffer, format->kind), view, type, &values);
      print(format, "loaded_buffer", values.memory);
      set_values(format, values.memory);
      run_with_texels(SHADER(stored_buffer, format->kind), view, type, &values);
      run_with_texels(SHADER(loaded_buffer, format->kind), view, type, &values);
      print(format, "stored_buffer", values.memory);
   } else {
      run_with_texels(SHADER(fetched, format->kind), view, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, &values);
      print(format, "fetched", values.memory);
   }
   vkDestroyBufferView(vk_device, view, NULL);
}

/* ---- attachments and transfers ------------------------------------------------------------------ */

static void
set_viewport(VkCommandBuffer commands)
{
   const VkViewport viewport = {0, 0, SIZE, SIZE, 0, 1};
   const VkRect2D scissor = {{0, 0}, {SIZE, SIZE}};
   vkCmdSetViewport(commands, 0, 1, &viewport);
   vkCmdSetScissor(commands, 0, 1, &scissor);
}

static VkClearValue
clear_value(const struct format *format)
{
   VkClearValue clear = {.color.float32 = {0.3f, 0.7f, 0.55f, 0.4f}};
   if (format->kind != FLOATS)
      clear.color = (VkClearColorValue){.uint32 = {3, 1, 2, 1}};
   return clear;
}

/** Draws a slope over half of an image that was cleared. */
static void
check_attachment(const struct format *format, const char *what, bool blend, VkSampleCountFlagBits samples)
{
   const bool resolves = samples != VK_SAMPLE_COUNT_1_BIT;
   const struct vk_image target =
      create_image(format, VK_SAMPLE_COUNT_1_BIT,
                   VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
   const struct vk_image drawn =
      resolves ? create_image(format, samples, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) : target;
   const struct vk_attachment color = {.image = &drawn,
                                       .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .store = VK_ATTACHMENT_STORE_OP_STORE,
                                       .clear = clear_value(format),
                                       .resolve = resolves ? &target : NULL};
   const struct vk_pass pass = vk_create_pass(&color, 1, NULL);
   VkPipelineLayout layout;
   vk_create_set(NULL, 0, &layout);
   VkPipeline pipeline = vk_create_pipeline(&(struct vk_pipeline_description){
      .vertex = VK_CODE(slope_vert),
      .fragment = SHADER(slope, format->kind),
      .pass = pass.pass,
      .num_colors = 1,
      .layout = layout,
      .samples = samples,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
      .blend = blend,
   });
   const float slope = format->kind == FLOATS ? 0.11f : 0.3f;
   const struct constants constants = {{slope, slope}, {0.04f, 0.02f}};
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
   vkCmdPushConstants(commands, layout,
                      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT,
                      0, sizeof constants, &constants);
   vkCmdDraw(commands, 3, 1, 0, 0);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   show(format, what, &target);
}

static void
check_clear(const struct format *format)
{
   const struct vk_image image = create_image(format, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_SAMPLED_BIT);
   const VkClearValue clear = clear_value(format);
   const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
   VkCommandBuffer commands = vk_begin();
   vk_change_layout(commands, &image, VK_IMAGE_LAYOUT_GENERAL);
   vkCmdClearColorImage(commands, image.image, VK_IMAGE_LAYOUT_GENERAL, &clear.color, 1, &all);
   vk_run(commands);
   show(format, "cleared", &image);
}

static void
blit(const struct format *seen, const char *what, const struct vk_image *from, const struct vk_image *to,
     VkFilter filter)
{
   const VkImageBlit region = {
      .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
      .srcOffsets = {{1, 0, 0}, {6, 8, 1}},
      .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
      .dstOffsets = {{0, 8, 0}, {8, 0, 1}},
   };
   prepare(to);
   VkCommandBuffer commands = vk_begin();
   vk_barrier(commands);
   vkCmdBlitImage(commands, from->image, VK_IMAGE_LAYOUT_GENERAL, to->image, VK_IMAGE_LAYOUT_GENERAL, 1,
                  &region, filter);
   vk_run(commands);
   show(seen, what, to);
}

/** The format of its kind that all values fit in, with the name of this one. */
static struct format
widen(const struct format *format)
{
   struct format wide = *format;
   wide.format = wide_formats[format->kind];
   wide.bytes = 16;
   wide.block_width = wide.block_height = 1;
   return wide;
}

static void
check_blits(const struct format *format)
{
   struct format wide = widen(format);
   if (format->features & VK_FORMAT_FEATURE_BLIT_SRC_BIT) {
      const struct vk_image from = upload(format, VK_IMAGE_USAGE_SAMPLED_BIT);
      const struct vk_image to = create_image(&wide, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_SAMPLED_BIT);
      blit(&wide, "blit_from", &from, &to, VK_FILTER_NEAREST);
      if (format->features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) {
         const struct vk_image filtered =
            create_image(&wide, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_SAMPLED_BIT);
         blit(&wide, "blit_from_linear", &from, &filtered, VK_FILTER_LINEAR);
      }
   }
   if (format->features & VK_FORMAT_FEATURE_BLIT_DST_BIT) {
      const struct vk_image from = create_image(&wide, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_SAMPLED_BIT);
      union values values;
      set_values(format, &values);
      vk_upload(&from, 0, 0, &values, 16);
      const struct vk_image to = create_image(format, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_SAMPLED_BIT);
      blit(format, "blit_to", &from, &to, VK_FILTER_NEAREST);
   }
}

/* ---- vertices ------------------------------------------------------------------------------------ */

/** Draws points, each of which shows its attribute in a pixel of its own. */
static void
check_vertices(const struct format *format)
{
   struct format wide = widen(format);
   const size_t bytes = (size_t)TEXELS * format->bytes;
   uint8_t *values = malloc(bytes);
   fill(format, values, bytes);
   const struct vk_buffer vertices = vk_create_buffer(bytes, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, values);
   free(values);
   const struct vk_image target =
      create_image(&wide, VK_SAMPLE_COUNT_1_BIT,
                   VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
   const struct vk_attachment color = {.image = &target, .load = VK_ATTACHMENT_LOAD_OP_CLEAR};
   const struct vk_pass pass = vk_create_pass(&color, 1, NULL);
   VkPipelineLayout layout;
   vk_create_set(NULL, 0, &layout);
   VkPipeline pipeline = vk_create_pipeline(&(struct vk_pipeline_description){
      .vertex = SHADER(drawn_vertex, format->kind),
      .fragment = SHADER(drawn, format->kind),
      .pass = pass.pass,
      .num_colors = 1,
      .layout = layout,
      .stride = format->bytes,
      .num_attributes = 1,
      .attribute = format->format,
      .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
   });
   const VkDeviceSize offset = 0;
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
   vkCmdBindVertexBuffers(commands, 0, 1, &vertices.buffer, &offset);
   vkCmdDraw(commands, TEXELS, 1, 0, 0);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   show(&wide, "vertices", &target);
}

static VkSampleCountFlags
samples_of(const struct format *format)
{
   VkImageFormatProperties properties;
   const VkResult result = vkGetPhysicalDeviceImageFormatProperties(vk_physical_device, format->format,
                                                                    VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                                                                    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                                       VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                                                                    0, &properties);
   return result == VK_SUCCESS ? properties.sampleCounts : 0;
}

static void
check(const struct format *format)
{
   const unsigned kept = vk_count_objects();
#define STEP(condition, call)    \
   do {                          \
      if (condition) {           \
         call;                   \
         vk_destroy_since(kept); \
      }                          \
   } while (0)
   const bool sampled = format->features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
   STEP(sampled, check_sampled(format));
   STEP(sampled, check_blocks(format));
   STEP(format->features & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT, check_storage(format));
   STEP(format->buffer_features & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT, check_texels(format, false));
   STEP(format->buffer_features & VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT, check_texels(format, true));
   const bool attached = sampled && format->features & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT;
   STEP(attached, check_attachment(format, "drawn", false, VK_SAMPLE_COUNT_1_BIT));
   STEP(attached && format->features & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT,
        check_attachment(format, "blended", true, VK_SAMPLE_COUNT_1_BIT));
   STEP(attached && samples_of(format) & VK_SAMPLE_COUNT_4_BIT,
        check_attachment(format, "resolved", false, VK_SAMPLE_COUNT_4_BIT));
   STEP(sampled && format->block_width == 1, check_clear(format));
   STEP(sampled, check_blits(format));
   STEP(format->buffer_features & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT && !is(format, "64"),
        check_vertices(format));
#undef STEP
}

int
main(int argc, char **argv)
{
   if (argc > 2) {
      fprintf(stderr, "usage: %s [NAME]\n", argv[0]);
      return 2;
   }
   vk_open_version(VK_API_VERSION_1_3, NULL);
   for (size_t i = 0; i < sizeof all_formats / sizeof all_formats[0]; i++) {
      struct format format = {.format = all_formats[i].format, .name = all_formats[i].name};
      if (argc == 2 && strcmp(argv[1], format.name))
         continue;
      describe(&format);
      printf("%s features %u %u\n", format.name, format.features, format.buffer_features);
      check(&format);
   }
   vk_close();
   return 0;
}
