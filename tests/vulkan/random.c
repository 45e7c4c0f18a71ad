/* SPDX-License-Identifier: MIT */
/**
 * Random command buffers, the same for a seed whatever the device answers:
 *    vulkan_random FIRST COUNT FILE [STEPS]
 * appends to FILE, of each seed, a line "SEED WIDTH HEIGHT" and all images that it drew to, from top to bottom, as RGBA. All is
 * defined: what nobody stores is cleared before it is used. STEPS: no more than the first ones, to find the one that matters.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "dice.h"
#include "seeds.h"

#include "color.frag.h"
#include "color.vert.h"
#include "gbuffer.frag.h"
#include "particles.comp.h"
#include "texture.frag.h"

#define NUM_TARGETS 3
#define NUM_TEXTURES 2
#define MAX_STEPS 12
#define MAX_DRAWS 5
#define MAX_VERTICES 12
#define PARTICLES 16

struct vertex {
   float position[4], color[4];
};

/** A picture that is drawn to, and read as a texture in other passes. */
struct target {
   struct vk_image image;
   VkDescriptorSet set; /**< reads it */
};

struct world {
   struct dice dice;
   uint32_t width, height;
   struct target targets[NUM_TARGETS];
   struct vk_image depth, samples;
   bool depth_is_defined, samples_are_defined;
   VkDescriptorSet textures[NUM_TEXTURES];
   VkPipelineLayout layout, compute_layout; /**< the former is of all sets that are textures */
   struct vk_buffer particles;
   VkDescriptorSet particle_set;
   VkPipeline compute;
   VkCommandBuffer commands;
};

static VkClearValue
random_color(struct dice *dice)
{
   VkClearValue value;
   for (unsigned i = 0; i < 4; i++)
      value.color.float32[i] = roll_unit(dice);
   return value;
}

/* ---- what there is ------------------------------------------------------------- */

static VkDescriptorSet
create_texture_set(struct world *world, const struct vk_image *image)
{
   static const VkSamplerAddressMode modes[] = {
      VK_SAMPLER_ADDRESS_MODE_REPEAT,
      VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
      VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
   };
   const struct vk_descriptor descriptor = {
      .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .count = 1,
      .images = &image,
      .sampler = vk_create_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                   PICK(&world->dice, modes), false),
   };
   return vk_create_set(&descriptor, 1, &world->layout);
}

static void
create_texture(struct world *world, unsigned number)
{
   struct dice *dice = &world->dice;
   const uint32_t width = 1 + roll(dice, 20), height = 1 + roll(dice, 20);
   const struct vk_image image =
      vk_create_image(VK_FORMAT_R8G8B8A8_UNORM, width, height, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
   uint8_t texels[20 * 20 * 4];
   for (unsigned i = 0; i < sizeof texels; i++)
      texels[i] = (uint8_t)roll(dice, 256);
   vk_upload(&image, 0, 0, texels, 4);
   world->textures[number] = create_texture_set(world, &image);
}

static void
create_particles(struct world *world)
{
   world->particles =
      vk_create_buffer(PARTICLES * 3 * sizeof(struct vertex),
                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, NULL);
   const struct vk_image image = vk_create_image(VK_FORMAT_R8G8B8A8_UNORM, 8, 8, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                                                 VK_IMAGE_USAGE_STORAGE_BIT),
                         *images[] = {&image};
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = 1, .buffer = &world->particles},
      {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .count = 1, .images = images},
   };
   world->particle_set = vk_create_set(descriptors, 2, &world->compute_layout);
   world->compute = vk_create_compute_pipeline(VK_CODE(particles_comp), world->compute_layout);
   VkCommandBuffer commands = vk_begin();
   vk_change_layout(commands, &image, VK_IMAGE_LAYOUT_GENERAL);
   vk_run(commands);
}

static void
create_world(struct world *world, uint64_t seed)
{
   *world = (struct world){.dice = dice_of(seed, 0)};
   struct dice *dice = &world->dice;
   world->width = 1 + roll(dice, 150);
   world->height = 1 + roll(dice, 150);
   for (unsigned i = 0; i < NUM_TARGETS; i++) {
      world->targets[i].image =
         vk_create_image(VK_FORMAT_R8G8B8A8_UNORM, world->width, world->height, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                         VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                            VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
      world->targets[i].set = create_texture_set(world, &world->targets[i].image);
   }
   world->depth = vk_create_image(VK_FORMAT_D32_SFLOAT, world->width, world->height, 1, 1,
                                  VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
   world->samples = vk_create_image(VK_FORMAT_R8G8B8A8_UNORM, world->width, world->height, 1, 1,
                                    VK_SAMPLE_COUNT_4_BIT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
   for (unsigned i = 0; i < NUM_TEXTURES; i++)
      create_texture(world, i);
   create_particles(world);
}

/* ---- passes ------------------------------------------------------------------------ */

/** Triangles anywhere, partly outside. */
static struct vk_buffer
create_vertices(struct world *world)
{
   struct dice *dice = &world->dice;
   struct vertex vertices[MAX_VERTICES];
   for (unsigned i = 0; i < MAX_VERTICES; i++) {
      const float w = chance(dice, 25) ? 0.5f + roll_unit(dice) : 1.0f;
      vertices[i].position[0] = (roll_unit(dice) * 3.0f - 1.5f) * w;
      vertices[i].position[1] = (roll_unit(dice) * 3.0f - 1.5f) * w;
      vertices[i].position[2] = roll_unit(dice) * w;
      vertices[i].position[3] = w;
      for (unsigned k = 0; k < 4; k++)
         vertices[i].color[k] = roll_unit(dice);
   }
   return vk_create_buffer(sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, vertices);
}

static VkRect2D
random_rectangle(struct world *world)
{
   struct dice *dice = &world->dice;
   const uint32_t x = roll(dice, world->width), y = roll(dice, world->height);
   return (VkRect2D){{(int32_t)x, (int32_t)y},
                     {1 + roll(dice, world->width - x), 1 + roll(dice, world->height - y)}};
}

static void
set_viewport(struct world *world)
{
   struct dice *dice = &world->dice;
   VkRect2D scissor = {{0, 0}, {world->width, world->height}};
   if (chance(dice, 30))
      scissor = random_rectangle(world);
   VkViewport viewport = {0, 0, (float)world->width, (float)world->height, 0, 1};
   if (chance(dice, 20)) {
      viewport.x = (float)roll_between(dice, -20, 20);
      viewport.height *= 0.5f;
      viewport.maxDepth = 0.75f;
   }
   vkCmdSetViewport(world->commands, 0, 1, &viewport);
   vkCmdSetScissor(world->commands, 0, 1, &scissor);
}

/** `attached` is a mask of the targets, which are not read. */
static void
draw(struct world *world, const struct vk_pass *pass, bool has_depth, unsigned attached)
{
   static const VkPrimitiveTopology topologies[] = {
      VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
      VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
      VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN,
   };
   struct dice *dice = &world->dice;
   /* All targets are written. */
   const bool textured = pass->num_colors == 1 && chance(dice, 50), particles = chance(dice, 15);
   VkDescriptorSet set = world->textures[roll(dice, NUM_TEXTURES)];
   const unsigned other = roll(dice, NUM_TARGETS);
   if (!(attached >> other & 1) && chance(dice, 60))
      set = world->targets[other].set;
   const struct vk_pipeline_description description = {
      .vertex = VK_CODE(color_vert),
      .fragment = textured                ? VK_CODE(texture_frag)
                  : pass->num_colors == 2 ? VK_CODE(gbuffer_frag)
                                          : VK_CODE(color_frag),
      .pass = pass->pass,
      .num_colors = pass->num_colors,
      .layout = world->layout,
      .stride = sizeof(struct vertex),
      .num_attributes = 2,
      .samples = pass->samples,
      .topology = particles ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST : PICK(dice, topologies),
      .depth = has_depth && chance(dice, 80),
      .blend = chance(dice, 40),
   };
   const struct vk_buffer vertices = particles ? world->particles : create_vertices(world);
   const VkDeviceSize offset = 0;
   set_viewport(world);
   vkCmdBindPipeline(world->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, vk_create_pipeline(&description));
   vkCmdBindVertexBuffers(world->commands, 0, 1, &vertices.buffer, &offset);
   vkCmdBindDescriptorSets(world->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, world->layout, 0, 1, &set, 0,
                           NULL);
   if (particles)
      vkCmdDraw(world->commands, 3 * PARTICLES, 1, 0, 0);
   else
      vkCmdDraw(world->commands, 3 + roll(dice, MAX_VERTICES - 2), 1 + roll(dice, 2), 0, 0);
}

static void
clear_attachment(struct world *world, const struct vk_pass *pass, bool has_depth)
{
   struct dice *dice = &world->dice;
   const VkClearRect rectangle = {
      .rect = chance(dice, 30) ? (VkRect2D){{0, 0}, {world->width, world->height}} : random_rectangle(world),
      .layerCount = 1,
   };
   VkClearAttachment attachment = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                                   .colorAttachment = roll(dice, pass->num_colors),
                                   .clearValue = random_color(dice)};
   if (has_depth && chance(dice, 40)) {
      attachment.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT;
      attachment.clearValue.depthStencil = (VkClearDepthStencilValue){roll_unit(dice), 0};
   }
   vkCmdClearAttachments(world->commands, 1, &attachment, 1, &rectangle);
}

static VkAttachmentLoadOp
random_load(struct dice *dice, bool is_defined)
{
   return is_defined && chance(dice, 60) ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR;
}

static void
render(struct world *world)
{
   struct dice *dice = &world->dice;
   struct vk_attachment colors[2], depth = {0};
   const bool multisampled = chance(dice, 20), has_depth = !multisampled && chance(dice, 50);
   const unsigned first = roll(dice, NUM_TARGETS), num_colors = multisampled ? 1 : 1 + roll(dice, 2);
   unsigned attached = 1u << first;
   colors[0] = (struct vk_attachment){&world->targets[first].image, random_load(dice, true),
                                      VK_ATTACHMENT_STORE_OP_STORE, random_color(dice), NULL};
   if (multisampled) {
      colors[0].resolve = colors[0].image;
      colors[0].image = &world->samples;
      colors[0].load = random_load(dice, world->samples_are_defined);
      world->samples_are_defined = chance(dice, 50);
      if (!world->samples_are_defined)
         colors[0].store = VK_ATTACHMENT_STORE_OP_DONT_CARE;
   } else if (num_colors == 2) {
      const unsigned second = (first + 1) % NUM_TARGETS;
      attached |= 1u << second;
      colors[1] = (struct vk_attachment){&world->targets[second].image, random_load(dice, true),
                                         VK_ATTACHMENT_STORE_OP_STORE, random_color(dice), NULL};
   }
   if (has_depth) {
      depth = (struct vk_attachment){&world->depth,
                                     random_load(dice, world->depth_is_defined),
                                     VK_ATTACHMENT_STORE_OP_STORE,
                                     {.depthStencil = {1.0f, 0}},
                                     NULL};
      world->depth_is_defined = chance(dice, 50);
      if (!world->depth_is_defined)
         depth.store = VK_ATTACHMENT_STORE_OP_DONT_CARE;
   }
   const struct vk_pass pass = vk_create_pass(colors, num_colors, &depth);
   vk_begin_pass(world->commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   for (unsigned i = roll(dice, MAX_DRAWS + 1); i > 0; i--) {
      if (chance(dice, 20))
         clear_attachment(world, &pass, has_depth);
      else
         draw(world, &pass, has_depth, attached);
   }
   vkCmdEndRenderPass(world->commands);
}

/* ---- other commands ---------------------------------------------------------------- */

static const VkImageSubresourceLayers all_layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};

/** Two targets. */
static void
pick_two(struct world *world, VkImage *from, VkImage *to)
{
   const unsigned first = roll(&world->dice, NUM_TARGETS);
   *from = world->targets[first].image.image;
   *to = world->targets[(first + 1 + roll(&world->dice, NUM_TARGETS - 1)) % NUM_TARGETS].image.image;
}

static void
copy(struct world *world)
{
   VkImage from, to;
   pick_two(world, &from, &to);
   const VkRect2D source = random_rectangle(world);
   const VkImageCopy region = {
      .srcSubresource = all_layers,
      .srcOffset = {source.offset.x, source.offset.y, 0},
      .dstSubresource = all_layers,
      .dstOffset = {(int32_t)roll(&world->dice, world->width - source.extent.width + 1),
                    (int32_t)roll(&world->dice, world->height - source.extent.height + 1), 0},
      .extent = {source.extent.width, source.extent.height, 1},
   };
   vkCmdCopyImage(world->commands, from, VK_IMAGE_LAYOUT_GENERAL, to, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

/** Of all of an image, or of a part that becomes as large or twice as large. */
static void
blit(struct world *world)
{
   struct dice *dice = &world->dice;
   VkImage from, to;
   pick_two(world, &from, &to);
   VkRect2D part = {{0, 0}, {world->width, world->height}};
   if (chance(dice, 60))
      part = random_rectangle(world);
   const int32_t width = (int32_t)part.extent.width, height = (int32_t)part.extent.height;
   const int32_t factor = 2 * width <= (int32_t)world->width && 2 * height <= (int32_t)world->height ? 2 : 1;
   VkImageBlit region = {
      .srcSubresource = all_layers,
      .srcOffsets = {{part.offset.x, part.offset.y, 0}, {part.offset.x + width, part.offset.y + height, 1}},
      .dstSubresource = all_layers,
      .dstOffsets = {{0, 0, 0}, {factor * width, factor * height, 1}},
   };
   if (chance(dice, 30)) {
      region.dstOffsets[0].x = factor * width;
      region.dstOffsets[1].x = 0;
   }
   vkCmdBlitImage(world->commands, from, VK_IMAGE_LAYOUT_GENERAL, to, VK_IMAGE_LAYOUT_GENERAL, 1, &region,
                  VK_FILTER_NEAREST);
}

static void
clear(struct world *world, unsigned target)
{
   static const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
   const VkClearValue value = random_color(&world->dice);
   vkCmdClearColorImage(world->commands, world->targets[target].image.image, VK_IMAGE_LAYOUT_GENERAL,
                        &value.color, 1, &range);
}

static void
compute(struct world *world)
{
   const struct {
      float offset[4];
      uint32_t count;
   } constants = {.count = 1 + roll(&world->dice, PARTICLES)};
   vkCmdBindPipeline(world->commands, VK_PIPELINE_BIND_POINT_COMPUTE, world->compute);
   vkCmdBindDescriptorSets(world->commands, VK_PIPELINE_BIND_POINT_COMPUTE, world->compute_layout, 0, 1,
                           &world->particle_set, 0, NULL);
   vkCmdPushConstants(world->commands, world->compute_layout, VK_PUSH_STAGES, 0, sizeof constants,
                      &constants);
   vkCmdDispatch(world->commands, 1, 1, 1);
}

static void
step(struct world *world)
{
   switch (roll(&world->dice, 8)) {
   case 0: copy(world); break;
   case 1: blit(world); break;
   case 2: clear(world, roll(&world->dice, NUM_TARGETS)); break;
   case 3: compute(world); break;
   case 4: /* what follows is another submission */
      vk_run(world->commands);
      world->commands = vk_begin();
      break;
   default: render(world); break;
   }
   vk_barrier(world->commands);
}

static void
draw_seed(uint64_t seed, unsigned most_steps, FILE *file)
{
   struct world world;
   vk_open();
   create_world(&world, seed);
   world.commands = vk_begin();
   for (unsigned i = 0; i < NUM_TARGETS; i++) {
      vk_change_layout(world.commands, &world.targets[i].image, VK_IMAGE_LAYOUT_GENERAL);
      clear(&world, i);
   }
   vk_change_layout(world.commands, &world.depth, VK_IMAGE_LAYOUT_GENERAL);
   vk_change_layout(world.commands, &world.samples, VK_IMAGE_LAYOUT_GENERAL);
   vk_barrier(world.commands);
   const unsigned num_steps = 1 + roll(&world.dice, MAX_STEPS);
   for (unsigned i = 0; i < num_steps && i < most_steps; i++)
      step(&world);
   vk_run(world.commands);
   fprintf(file, "%llu %u %u\n", (unsigned long long)seed, world.width, NUM_TARGETS * world.height);
   for (unsigned i = 0; i < NUM_TARGETS; i++) {
      void *texels = vk_download(&world.targets[i].image, 0, 4);
      if (!texels)
         abort();
      fwrite(texels, 4, (size_t)world.width * world.height, file);
      free(texels);
   }
   vk_close();
}

int
main(int argc, char **argv)
{
   return run_seeds(argc, argv, MAX_STEPS, draw_seed);
}
