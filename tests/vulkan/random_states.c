/* SPDX-License-Identifier: MIT */
/**
 * Random state of pipelines, the same for a seed whatever the device answers:
 *    vulkan_random_states FIRST COUNT FILE [DRAWS]
 * appends to FILE, of each seed, a line "SEED n", and of each attachment a line "FORMAT NAME BYTES" and its texels. DRAWS: no more than
 * the first ones.
 */
#include <string.h>

#include "device_private.h"
#include "random_states.h"
#include "seeds.h"

#define MAX_DRAWS 6

static const VkFormat color_formats[] = {VK_FORMAT_R8G8B8A8_UNORM,      VK_FORMAT_B8G8R8A8_UNORM,
                                         VK_FORMAT_R8G8B8A8_SRGB,       VK_FORMAT_R8G8_UNORM,
                                         VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R8_UNORM};
static const VkFormat depth_formats[] = {VK_FORMAT_D16_UNORM, VK_FORMAT_D32_SFLOAT,
                                         VK_FORMAT_D24_UNORM_S8_UINT};

static uint32_t
texel_bytes(VkFormat format)
{
   switch (format) {
   case VK_FORMAT_R8_UNORM: return 1;
   case VK_FORMAT_R8G8_UNORM: return 2;
   case VK_FORMAT_R32G32B32A32_SFLOAT: return 16;
   default: return 4;
   }
}

/* ---- what is drawn to --------------------------------------------------------------- */

static void
create_targets(struct world *world)
{
   struct dice *dice = &world->dice;
   const VkImageUsageFlags color = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
   struct vk_attachment colors[NUM_COLORS] = {{0}};
   struct vk_attachment depth = {.load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                 .store = VK_ATTACHMENT_STORE_OP_STORE,
                                 .clear.depthStencil = {0.5f, 3}};
   world->width = 60 + roll(dice, 60);
   world->height = 40 + roll(dice, 60);
   world->samples = chance(dice, 40) ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT;
   for (unsigned i = 0; i < NUM_COLORS; i++) {
      const VkFormat format = PICK(dice, color_formats);
      world->colors[i] =
         vk_create_image(format, world->width, world->height, 1, 1, VK_SAMPLE_COUNT_1_BIT, color);
      colors[i].image = &world->colors[i];
      colors[i].load = VK_ATTACHMENT_LOAD_OP_CLEAR;
      colors[i].store = VK_ATTACHMENT_STORE_OP_STORE;
      for (unsigned c = 0; c < 4; c++)
         colors[i].clear.color.float32[c] = roll_unit(dice);
      if (world->samples == VK_SAMPLE_COUNT_1_BIT)
         continue;
      world->many[i] = vk_create_image(format, world->width, world->height, 1, 1, world->samples, color);
      colors[i].image = &world->many[i];
      colors[i].resolve = &world->colors[i];
   }
   world->depth = vk_create_image(PICK(dice, depth_formats), world->width, world->height, 1, 1,
                                  world->samples, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
   depth.image = &world->depth;
   world->pass = vk_create_pass(colors, NUM_COLORS, &depth);
}

/* ---- what is read -------------------------------------------------------------------- */

static void
create_texture(struct world *world)
{
   struct dice *dice = &world->dice;
   uint32_t texels[TEXTURE_SIZE * TEXTURE_SIZE];
   world->texture =
      vk_create_image(VK_FORMAT_R8G8B8A8_UNORM, TEXTURE_SIZE, TEXTURE_SIZE, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
   for (unsigned i = 0; i < TEXTURE_SIZE * TEXTURE_SIZE; i++)
      texels[i] = (uint32_t)roll_bits(dice);
   vk_upload(&world->texture, 0, 0, texels, sizeof texels[0]);
   const struct vk_image *images[] = {&world->texture};
   const VkSamplerAddressMode address = (VkSamplerAddressMode)roll(dice, 3);
   const struct vk_descriptor descriptor = {
      .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .count = 1,
      .images = images,
      .sampler = vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, address, false),
   };
   world->set = vk_create_set(&descriptor, 1, &world->layout);
}

/* Positions first, of every vertex, then attributes of random formats. */
static void
create_vertices(struct world *world)
{
   struct dice *dice = &world->dice;
   float positions[NUM_VERTICES][4];
   uint32_t others[NUM_VERTICES][8];
   uint16_t indices[NUM_INDICES];
   for (unsigned v = 0; v < NUM_VERTICES; v++) {
      const float w = chance(dice, 70) ? 1.0f : 0.5f + roll_unit(dice);
      for (unsigned c = 0; c < 2; c++)
         positions[v][c] = (3.0f * roll_unit(dice) - 1.5f) * w;
      positions[v][2] = (1.4f * roll_unit(dice) - 0.2f) * w;
      positions[v][3] = w;
      for (unsigned word = 0; word < 8; word++)
         others[v][word] = (uint32_t)roll_bits(dice);
   }
   for (unsigned i = 0; i < NUM_INDICES; i++)
      indices[i] = chance(dice, 12) ? UINT16_MAX : (uint16_t)roll(dice, NUM_VERTICES - MAX_FIRST);
   world->positions = vk_create_buffer(sizeof positions, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, positions);
   world->others = vk_create_buffer(sizeof others, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, others);
   world->indices = vk_create_buffer(sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
   world->parameters =
      vk_create_buffer(MAX_DRAWS * PARAMETER_BYTES, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, NULL);
}

/* ---- draws --------------------------------------------------------------------------- */

static void
draw(struct world *world, unsigned number)
{
   struct dice *dice = &world->dice;
   const VkCommandBuffer commands = world->commands;
   const struct random_pipeline pipeline = create_random_pipeline(world);
   const uint32_t first = roll(dice, MAX_FIRST), count = 1 + roll(dice, NUM_INDICES - MAX_FIRST),
                  instances = 1 + roll(dice, 3), first_instance = roll(dice, 3);
   const bool is_indexed = pipeline.restarts || chance(dice, 50), is_indirect = chance(dice, 30);
   const float point_size = 1.0f + (float)roll(dice, 12);
   const VkDeviceSize offsets[] = {0, 0, 0}, at = number * PARAMETER_BYTES;
   const VkBuffer buffers[] = {world->positions.buffer, world->others.buffer, world->others.buffer};

   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, world->layout, 0, 1, &world->set, 0,
                           NULL);
   vkCmdPushConstants(commands, world->layout,
                      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT,
                      0, sizeof point_size, &point_size);
   vkCmdBindVertexBuffers(commands, 0, 3, buffers, offsets);
   vkCmdBindIndexBuffer(commands, world->indices.buffer, 0, VK_INDEX_TYPE_UINT16);
   set_dynamic_state(world, &pipeline);
   /* Without restarts the largest index would be a vertex that is not there. */
   if (is_indexed && pipeline.restarts) {
      const VkDrawIndexedIndirectCommand command = {count, instances, first, (int32_t)first, first_instance};
      memcpy((uint8_t *)world->parameters.memory + at, &command, sizeof command);
      if (is_indirect)
         vkCmdDrawIndexedIndirect(commands, world->parameters.buffer, at, 1, 0);
      else
         vkCmdDrawIndexed(commands, count, instances, first, (int32_t)first, first_instance);
      return;
   }
   const uint32_t vertices = 1 + roll(dice, NUM_VERTICES - MAX_FIRST);
   const VkDrawIndirectCommand command = {vertices, instances, first, first_instance};
   memcpy((uint8_t *)world->parameters.memory + at, &command, sizeof command);
   if (is_indirect)
      vkCmdDrawIndirect(commands, world->parameters.buffer, at, 1, 0);
   else
      vkCmdDraw(commands, vertices, instances, first, first_instance);
}

static void
write_targets(struct world *world, uint64_t seed, FILE *file)
{
   fprintf(file, "SEED %llu\n", (unsigned long long)seed);
   for (unsigned i = 0; i < NUM_COLORS; i++) {
      const uint32_t bytes = texel_bytes(world->colors[i].format);
      const size_t size = (size_t)bytes * world->width * world->height;
      void *texels = vk_download(&world->colors[i], 0, bytes);
      if (!texels)
         abort();
      fprintf(file, "%s target %zu\n", bytes == 16 ? "SFLOAT" : "UNORM", size);
      fwrite(texels, 1, size, file);
      free(texels);
   }
}

static void
run_seed(uint64_t seed, unsigned most_draws, FILE *file)
{
   struct world world = {.dice = dice_of(seed, 0)};
   vk_open_version(VK_API_VERSION_1_3, NULL);
   create_targets(&world);
   create_texture(&world);
   create_vertices(&world);
   world.commands = vk_begin();
   const unsigned num_draws = 1 + roll(&world.dice, MAX_DRAWS);
   vk_begin_pass(world.commands, &world.pass, VK_SUBPASS_CONTENTS_INLINE);
   for (unsigned i = 0; i < num_draws && i < most_draws; i++)
      draw(&world, i);
   vkCmdEndRenderPass(world.commands);
   vk_run(world.commands);
   write_targets(&world, seed, file);
   vk_close();
}

int
main(int argc, char **argv)
{
   return run_seeds(argc, argv, MAX_DRAWS, run_seed);
}
