/* SPDX-License-Identifier: MIT */
/**
 * A render pass of subpasses that are chosen at random:
 *    vulkan_random_subpasses SEED FILE.ppm
 * Each has two of five attachments as its outputs, in any order, and reads two others; with blending, depth and cleared parts,
 * or without. Prints how many subpasses there are, and whether they depend on each other by region.
 */
#include <stdio.h>
#include <stdlib.h>

#include "device.h"

#include "color.vert.h"
#include "mix.frag.h"

#define WIDTH 128
#define HEIGHT 96
#define COLORS 5 /* the last is the picture */
#define DEPTH COLORS
#define MAX_SUBPASSES 5

static uint64_t state;

static uint32_t
random_below(uint32_t end)
{
   state = state * 6364136223846793005u + 1442695040888963407u;
   return (uint32_t)(state >> 33) % end;
}

static float
random_float(float first, float last)
{
   return first + (last - first) * (float)random_below(1001) / 1000.0f;
}

struct subpass {
   uint32_t outputs[2], inputs[2], preserved[COLORS + 1], num_preserved;
   VkAttachmentReference output_references[2], input_references[2];
   bool depth, blend, quad;
};

static struct subpass
choose_subpass(bool last)
{
   struct subpass subpass = {.depth = random_below(2), .blend = random_below(2), .quad = random_below(4)};
   uint32_t order[COLORS];
   for (uint32_t i = 0; i < COLORS; i++)
      order[i] = i;
   for (uint32_t i = COLORS - 1; i; i--) {
      const uint32_t other = random_below(i + 1), moved = order[i];
      order[i] = order[other];
      order[other] = moved;
   }
   /* The picture is drawn at last. */
   for (uint32_t i = 0; last && i < COLORS; i++) {
      if (order[i] == COLORS - 1) {
         order[i] = order[0];
         order[0] = COLORS - 1;
      }
   }
   for (uint32_t i = 0; i < 2; i++) {
      subpass.outputs[i] = order[i];
      subpass.inputs[i] = order[2 + random_below(3)];
      subpass.output_references[i] = (VkAttachmentReference){subpass.outputs[i], VK_IMAGE_LAYOUT_GENERAL};
      subpass.input_references[i] = (VkAttachmentReference){subpass.inputs[i], VK_IMAGE_LAYOUT_GENERAL};
   }
   for (uint32_t i = 2; i < COLORS; i++) {
      if (order[i] != subpass.inputs[0] && order[i] != subpass.inputs[1])
         subpass.preserved[subpass.num_preserved++] = order[i];
   }
   if (!subpass.depth)
      subpass.preserved[subpass.num_preserved++] = DEPTH;
   return subpass;
}

static VkSubpassDescription
describe(const struct subpass *subpass)
{
   static const VkAttachmentReference depth = {DEPTH, VK_IMAGE_LAYOUT_GENERAL};
   return (VkSubpassDescription){
      .colorAttachmentCount = 2,
      .pColorAttachments = subpass->output_references,
      .inputAttachmentCount = 2,
      .pInputAttachments = subpass->input_references,
      .pDepthStencilAttachment = subpass->depth ? &depth : NULL,
      .preserveAttachmentCount = subpass->num_preserved,
      .pPreserveAttachments = subpass->preserved,
   };
}

static void
draw(VkCommandBuffer commands, const struct vk_pass *pass, uint32_t number, const struct subpass *subpass,
     const struct vk_image *images)
{
   float vertices[4][8];
   for (uint32_t i = 0; i < 4; i++) {
      for (uint32_t c = 0; c < 8; c++)
         vertices[i][c] = random_float(0.0f, 1.0f);
      vertices[i][0] = (i & 1 ? 1.0f : -1.0f) * random_float(0.6f, 1.0f);
      vertices[i][1] = (i & 2 ? 1.0f : -1.0f) * random_float(0.6f, 1.0f);
      vertices[i][3] = 1.0f;
   }
   const struct vk_image *inputs[] = {&images[subpass->inputs[0]], &images[subpass->inputs[1]]};
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, .count = 1, .images = &inputs[0]},
      {.type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, .count = 1, .images = &inputs[1]},
   };
   struct vk_pipeline_description description = {
      .vertex = VK_CODE(color_vert),
      .fragment = VK_CODE(mix_frag),
      .pass = pass->pass,
      .subpass = number,
      .num_colors = 2,
      .stride = sizeof vertices[0],
      .num_attributes = 2,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
      .depth = random_below(2),
      .blend = subpass->blend,
   };
   const VkDescriptorSet set = vk_create_set(descriptors, 2, &description.layout);
   const struct vk_buffer buffer =
      vk_create_buffer(sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, vertices);
   const VkDeviceSize offset = 0;
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, vk_create_pipeline(&description));
   vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &offset);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, description.layout, 0, 1, &set, 0,
                           NULL);
   vkCmdDraw(commands, subpass->quad ? 4 : 3, 1, 0, 0);
}

static void
clear_part(VkCommandBuffer commands, const struct subpass *subpass)
{
   const bool depth = subpass->depth && random_below(2);
   VkClearAttachment clear = {depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT,
                              random_below(2),
                              {.depthStencil = {random_float(0, 1), 0}}};
   for (uint32_t c = 0; !depth && c < 4; c++)
      clear.clearValue.color.float32[c] = random_float(0, 1);
   const int32_t x = (int32_t)random_below(WIDTH), y = (int32_t)random_below(HEIGHT);
   const VkClearRect rectangle = {
      {{x, y}, {1 + random_below(WIDTH - (uint32_t)x), 1 + random_below(HEIGHT - (uint32_t)y)}}, 0, 1};
   vkCmdClearAttachments(commands, 1, &clear, 1, &rectangle);
}

static struct vk_image
draw_random(void)
{
   struct vk_image images[COLORS + 1];
   struct vk_attachment attachments[COLORS + 1];
   for (uint32_t i = 0; i <= DEPTH; i++) {
      const VkImageUsageFlags use = i == DEPTH ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                                               : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                    VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT |
                                                    VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
      images[i] = vk_create_image(i == DEPTH ? VK_FORMAT_D32_SFLOAT : VK_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT,
                                  1, 1, VK_SAMPLE_COUNT_1_BIT, use);
      attachments[i] = (struct vk_attachment){
         &images[i], VK_ATTACHMENT_LOAD_OP_CLEAR,
         i == COLORS - 1 ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE,
         .clear = {.color = {.float32 = {random_float(0.3f, 1), random_float(0, 1), random_float(0, 1), 1}}}};
   }
   struct subpass subpasses[MAX_SUBPASSES];
   VkSubpassDescription descriptions[MAX_SUBPASSES];
   const uint32_t count = 2 + random_below(MAX_SUBPASSES - 1);
   for (uint32_t i = 0; i < count; i++) {
      subpasses[i] = choose_subpass(i == count - 1);
      descriptions[i] = describe(&subpasses[i]);
   }
   const bool by_region = random_below(4);
   printf("%u subpasses%s\n", count, by_region ? " by region" : "");
   const struct vk_pass pass = vk_create_subpasses(attachments, COLORS + 1, descriptions, count,
                                                   by_region ? VK_DEPENDENCY_BY_REGION_BIT : 0, 0);
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   const VkViewport viewport = {0, 0, WIDTH, HEIGHT, 0, 1};
   const VkRect2D scissor = {{0, 0}, {WIDTH, HEIGHT}};
   vkCmdSetViewport(commands, 0, 1, &viewport);
   vkCmdSetScissor(commands, 0, 1, &scissor);
   for (uint32_t i = 0; i < count; i++) {
      if (i)
         vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
      for (uint32_t n = 1 + random_below(2); n; n--)
         draw(commands, &pass, i, &subpasses[i], images);
      if (!random_below(3))
         clear_part(commands, &subpasses[i]);
   }
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return images[COLORS - 1];
}

int
main(int argc, char **argv)
{
   if (argc != 3) {
      fprintf(stderr, "usage: %s SEED FILE.ppm\n", argv[0]);
      return 2;
   }
   state = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15u + 1;
   random_below(1);
   vk_open();
   const struct vk_image picture = draw_random();
   vk_write_picture(&picture, argv[2]);
   vk_close();
   return 0;
}
