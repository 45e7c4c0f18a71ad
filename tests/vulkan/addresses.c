/* SPDX-License-Identifier: MIT */
/**
 * Shaders that access memory by address (bufferDeviceAddress), without a window:
 *    vulkan_addresses NAME FILE.ppm [WIDTH HEIGHT]
 * draws the scene NAME (scenes[]) and writes it. Without arguments it lists them. Scenes that count something print it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

#include "bars.frag.h"
#include "color.frag.h"
#include "color.vert.h"
#include "counting.comp.h"
#include "counting.frag.h"
#include "counting.vert.h"
#include "list.frag.h"
#include "loaded.frag.h"
#include "loaded_bound.frag.h"
#include "outside.frag.h"
#include "outside.vert.h"
#include "pointers.frag.h"
#include "pulled.vert.h"
#include "stored.frag.h"
#include "stored_bound.frag.h"
#include "written.comp.h"

/* Odd on purpose: no tile size divides it. */
static uint32_t picture_width = 203, picture_height = 117;

struct vertex {
   float position[4], color[4];
};

/** The whole picture, as a strip. */
static const struct vertex quad[] = {
   {{-1.0f, -1.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f, 1.0f}},
   {{1.0f, -1.0f, 0.0f, 1.0f}, {1.0f, 0.0f, 0.0f, 1.0f}},
   {{-1.0f, 1.0f, 0.0f, 1.0f}, {0.0f, 1.0f, 0.0f, 1.0f}},
   {{1.0f, 1.0f, 0.0f, 1.0f}, {1.0f, 1.0f, 1.0f, 1.0f}},
};

static const VkClearValue grey = {.color = {.float32 = {0.25f, 0.25f, 0.5f, 1.0f}}};

/** What shaders get as push constants. */
struct push {
   VkDeviceAddress address;
   uint32_t count;
};

/* ---- what scenes share --------------------------------------------------------- */

/** A buffer that has an address, and may be bound as storage or vertices as well. */
static struct vk_buffer
create_addressed(size_t bytes, const void *data)
{
   return vk_create_buffer(bytes,
                           VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                              VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
                           data);
}

static struct vk_image
create_target(void)
{
   return vk_create_image(VK_FORMAT_R8G8B8A8_UNORM, picture_width, picture_height, 1, 1,
                          VK_SAMPLE_COUNT_1_BIT,
                          VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
}

static struct vk_pass
create_pass(const struct vk_image *target)
{
   const struct vk_attachment color = {target, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE,
                                       grey, NULL};
   return vk_create_pass(&color, 1, NULL);
}

/** A set with one buffer at binding 0; NULL: none. */
static VkDescriptorSet
create_set(VkDescriptorType type, const struct vk_buffer *buffer, VkPipelineLayout *layout)
{
   const struct vk_descriptor descriptor = {.type = type, .count = 1, .buffer = buffer};
   return vk_create_set(&descriptor, buffer != NULL, layout);
}

/** Of a strip of struct vertex, or of triangles that the vertex shader finds itself. */
static VkPipeline
create_pipeline(const struct vk_pass *pass, VkPipelineLayout layout, struct vk_code vertex,
                struct vk_code fragment, bool has_vertices)
{
   const struct vk_pipeline_description description = {
      .vertex = vertex,
      .fragment = fragment,
      .pass = pass->pass,
      .num_colors = 1,
      .layout = layout,
      .stride = has_vertices ? sizeof(struct vertex) : 0,
      .num_attributes = has_vertices ? 2 : 0,
      .topology = has_vertices ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
   };
   return vk_create_pipeline(&description);
}

static void
push(VkCommandBuffer commands, VkPipelineLayout layout, VkDeviceAddress address, uint32_t count)
{
   const struct push constants = {address, count};
   vkCmdPushConstants(commands, layout,
                      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT,
                      0, sizeof constants, &constants);
}

static void
begin_pass(VkCommandBuffer commands, const struct vk_pass *pass)
{
   const VkViewport viewport = {0, 0, (float)pass->width, (float)pass->height, 0, 1};
   const VkRect2D scissor = {{0, 0}, {pass->width, pass->height}};
   vk_begin_pass(commands, pass, VK_SUBPASS_CONTENTS_INLINE);
   vkCmdSetViewport(commands, 0, 1, &viewport);
   vkCmdSetScissor(commands, 0, 1, &scissor);
}

static void
bind(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline, VkPipelineLayout layout,
     VkDescriptorSet set)
{
   vkCmdBindPipeline(commands, point, pipeline);
   vkCmdBindDescriptorSets(commands, point, layout, 0, 1, &set, 0, NULL);
}

/** The vertices of a quad, of the whole picture. */
static void
draw_quad(VkCommandBuffer commands)
{
   const struct vk_buffer vertices = vk_create_buffer(sizeof quad, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, quad);
   const VkDeviceSize offset = 0;
   vkCmdBindVertexBuffers(commands, 0, 1, &vertices.buffer, &offset);
   vkCmdDraw(commands, 4, 1, 0, 0);
}

/** A pass with the quad, and a fragment shader that gets an address and a number. */
static void
record_quad(VkCommandBuffer commands, const struct vk_image *target, VkPipelineLayout layout,
            VkDescriptorSet set, struct vk_code vertex, struct vk_code fragment, VkDeviceAddress address,
            uint32_t count)
{
   const struct vk_pass pass = create_pass(target);
   VkPipeline pipeline = create_pipeline(&pass, layout, vertex, fragment, true);
   begin_pass(commands, &pass);
   bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline, layout, set);
   push(commands, layout, address, count);
   draw_quad(commands);
   vkCmdEndRenderPass(commands);
}

/* ---- scenes ---------------------------------------------------------------------- */

/** Pointers in push constants, and in an array of a uniform block: neighbours' lead to different buffers. */
static struct vk_image
draw_pointers(void)
{
   float colors[16][4];
   struct {
      VkDeviceAddress address, padding;
   } palettes[3] = {{0}};
   for (unsigned p = 0; p < 3; p++) {
      for (unsigned i = 0; i < 16; i++) {
         const float shade = (float)i / 15.0f;
         memcpy(colors[i], (float[]){p == 0 ? 1.0f : shade, p == 1 ? 1.0f : shade, 1.0f - shade, 1.0f},
                sizeof colors[i]);
      }
      const struct vk_buffer palette = create_addressed(sizeof colors, colors);
      palettes[p].address = vk_address_of(&palette);
   }
   for (unsigned i = 0; i < 16; i++)
      memcpy(colors[i], (float[]){1.0f, 1.0f - (float)i / 30.0f, 1.0f, 1.0f}, sizeof colors[i]);
   const struct vk_buffer tint = create_addressed(sizeof colors, colors);
   const struct vk_buffer block =
      vk_create_buffer(sizeof palettes, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, palettes);
   VkPipelineLayout layout;
   VkDescriptorSet set = create_set(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, &block, &layout);
   const struct vk_image target = create_target();
   VkCommandBuffer commands = vk_begin();
   record_quad(commands, &target, layout, set, VK_CODE(color_vert), VK_CODE(pointers_frag),
               vk_address_of(&tint), 16);
   vk_run(commands);
   return target;
}

/** A list of circles, whose nodes are in three buffers; each has a line of 64 bytes. */
#define NODES 24
static struct vk_image
draw_list(void)
{
   struct node {
      float circle[4], color[4];
      VkDeviceAddress next, padding[3];
   } *nodes[3];
   struct vk_buffer buffers[3];
   for (unsigned b = 0; b < 3; b++) {
      buffers[b] = create_addressed(NODES / 3 * sizeof(struct node), NULL);
      nodes[b] = buffers[b].memory;
   }
   VkDeviceAddress next = 0;
   for (unsigned i = 0; i < NODES; i++) {
      const unsigned b = i * 7 % 3, place = i / 3;
      const float x = (float)(i * 37 % 23) / 22.0f, y = (float)(i * 17 % 19) / 18.0f;
      nodes[b][place] = (struct node){
         .circle = {x * (float)picture_width, y * (float)picture_height, 8.0f + (float)(i % 5) * 6.0f},
         .color = {x, y, (float)(i % 4) / 3.0f, 1.0f},
         .next = next,
      };
      next = vk_address_of(&buffers[b]) + place * sizeof(struct node);
   }
   VkPipelineLayout layout;
   VkDescriptorSet set = create_set(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, NULL, &layout);
   const struct vk_image target = create_target();
   VkCommandBuffer commands = vk_begin();
   record_quad(commands, &target, layout, set, VK_CODE(color_vert), VK_CODE(list_frag), next, 0);
   vk_run(commands);
   return target;
}

/** Where a vertex shader finds a pointer to the vertices, which it reads itself. */
static VkDeviceAddress
create_header(const struct vk_buffer *vertices)
{
   const VkDeviceAddress address = vk_address_of(vertices);
   const struct vk_buffer header = create_addressed(sizeof address, &address);
   return vk_address_of(&header);
}

/** Vertices that the shader reads itself, of triangles in rows of eight. */
#define TRIANGLES 64
static struct vk_image
draw_pulled(void)
{
   static struct vertex vertices[TRIANGLES * 3];
   for (unsigned i = 0; i < TRIANGLES * 3; i++) {
      const unsigned triangle = i / 3, corner = i % 3;
      vertices[i] = (struct vertex){
         {(float)(triangle % 8) / 4.0f - 1.0f + (corner == 1 ? 0.25f : 0.0f),
          (float)(triangle / 8) / 4.0f - 1.0f + (corner == 2 ? 0.25f : 0.0f), 0.0f, 1.0f},
         {(float)corner / 2.0f, (float)(triangle % 8) / 7.0f, (float)(triangle / 8) / 7.0f, 1.0f},
      };
   }
   const struct vk_buffer buffer = create_addressed(sizeof vertices, vertices);
   VkPipelineLayout layout;
   VkDescriptorSet set = create_set(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, NULL, &layout);
   const struct vk_image target = create_target();
   const struct vk_pass pass = create_pass(&target);
   VkPipeline pipeline = create_pipeline(&pass, layout, VK_CODE(pulled_vert), VK_CODE(color_frag), false);
   VkCommandBuffer commands = vk_begin();
   begin_pass(commands, &pass);
   bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline, layout, set);
   push(commands, layout, create_header(&buffer), 0);
   vkCmdDraw(commands, TRIANGLES * 3, 1, 0, 0);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return target;
}

/** A dispatch writes vertices by address; a draw pulls half of them by address, and has the others fetched. */
static struct vk_image
draw_written(void)
{
   const struct vk_buffer vertices = create_addressed(TRIANGLES * 3 * sizeof(struct vertex), NULL);
   const VkDeviceSize half = vertices.bytes / 2;
   VkPipelineLayout layout;
   VkDescriptorSet set = create_set(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, NULL, &layout);
   const struct vk_image target = create_target();
   const struct vk_pass pass = create_pass(&target);
   VkPipeline compute = vk_create_compute_pipeline(VK_CODE(written_comp), layout);
   VkPipeline pulling = create_pipeline(&pass, layout, VK_CODE(pulled_vert), VK_CODE(color_frag), false);
   VkPipeline fetching = create_pipeline(&pass, layout, VK_CODE(color_vert), VK_CODE(color_frag), true);
   VkCommandBuffer commands = vk_begin();
   bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute, layout, set);
   push(commands, layout, vk_address_of(&vertices), TRIANGLES);
   vkCmdDispatch(commands, (TRIANGLES + 63) / 64, 1, 1);
   vk_barrier(commands);
   begin_pass(commands, &pass);
   bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pulling, layout, set);
   push(commands, layout, create_header(&vertices), 0);
   vkCmdDraw(commands, TRIANGLES / 2 * 3, 1, 0, 0);
   bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, fetching, layout, set);
   vkCmdBindVertexBuffers(commands, 0, 1, &vertices.buffer, &half);
   vkCmdDraw(commands, TRIANGLES / 2 * 3, 1, 0, 0);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return target;
}

/** Atomics and stores of vertices, fragments and invocations; then a pass shows the counters. */
#define COUNTERS 64
static struct vk_image
draw_counting(void)
{
   const struct vk_buffer counters = create_addressed(COUNTERS * sizeof(uint32_t), NULL);
   uint32_t *values = counters.memory;
   memset(values, 0, COUNTERS * sizeof *values);
   values[35] = values[52] = 100000;
   values[49] = UINT32_MAX;
   values[54] = 7;
   values[56] = 55;
   const VkDeviceAddress address = vk_address_of(&counters);
   VkPipelineLayout layout;
   VkDescriptorSet set = create_set(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, NULL, &layout);
   const struct vk_image first = create_target(), target = create_target();
   VkPipeline compute = vk_create_compute_pipeline(VK_CODE(counting_comp), layout);
   VkCommandBuffer commands = vk_begin();
   bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute, layout, set);
   push(commands, layout, address, 0);
   vkCmdDispatch(commands, 2, 1, 1);
   vk_barrier(commands);
   record_quad(commands, &first, layout, set, VK_CODE(counting_vert), VK_CODE(counting_frag), address, 0);
   vk_barrier(commands);
   record_quad(commands, &target, layout, set, VK_CODE(color_vert), VK_CODE(bars_frag), address, 0);
   vk_run(commands);
   for (unsigned i = 0; i < COUNTERS; i++)
      printf("%u%c", values[i], i % 8 == 7 ? '\n' : ' ');
   return target;
}

/** A pass stores its colours in a buffer, the next one loads them from it; each by address, or by a binding. */
static struct vk_image
draw_through_buffer(struct vk_code storing, struct vk_code loading)
{
   const struct vk_buffer values = create_addressed((size_t)picture_width * picture_height * 4, NULL);
   VkPipelineLayout layout;
   VkDescriptorSet set = create_set(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &values, &layout);
   const struct vk_image first = create_target(), target = create_target();
   VkCommandBuffer commands = vk_begin();
   record_quad(commands, &first, layout, set, VK_CODE(color_vert), storing, vk_address_of(&values),
               picture_width);
   vk_barrier(commands);
   record_quad(commands, &target, layout, set, VK_CODE(color_vert), loading, vk_address_of(&values),
               picture_width);
   vk_run(commands);
   return target;
}

static struct vk_image
draw_by_address(void)
{
   return draw_through_buffer(VK_CODE(stored_frag), VK_CODE(loaded_frag));
}

static struct vk_image
draw_bound(void)
{
   return draw_through_buffer(VK_CODE(stored_bound_frag), VK_CODE(loaded_bound_frag));
}

static struct vk_image
draw_stored(void)
{
   return draw_through_buffer(VK_CODE(stored_frag), VK_CODE(loaded_bound_frag));
}

static struct vk_image
draw_loaded(void)
{
   return draw_through_buffer(VK_CODE(stored_bound_frag), VK_CODE(loaded_frag));
}

/** Two buffers that share memory. */
struct shared {
   VkBuffer buffers[2];
   VkDeviceMemory memory;
   uint32_t *words;
};

static void
require(VkResult result)
{
   if (result != VK_SUCCESS) {
      fprintf(stderr, "a call failed: %d\n", result);
      exit(1);
   }
}

static struct shared
create_shared(VkDeviceSize bytes)
{
   struct shared shared;
   const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                    .size = bytes,
                                    .usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
   VkMemoryRequirements requirements;
   for (unsigned b = 0; b < 2; b++)
      require(vkCreateBuffer(vk_device, &info, NULL, &shared.buffers[b]));
   vkGetBufferMemoryRequirements(vk_device, shared.buffers[0], &requirements);
   /* All memory of both devices is of type 0, which can be mapped. */
   const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                            .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
   const VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                            .pNext = &flags,
                                            .allocationSize = requirements.size};
   require(vkAllocateMemory(vk_device, &allocation, NULL, &shared.memory));
   for (unsigned b = 0; b < 2; b++)
      require(vkBindBufferMemory(vk_device, shared.buffers[b], shared.memory, 0));
   require(vkMapMemory(vk_device, shared.memory, 0, VK_WHOLE_SIZE, 0, (void **)&shared.words));
   return shared;
}

static void
destroy_shared(const struct shared *shared)
{
   for (unsigned b = 0; b < 2; b++)
      vkDestroyBuffer(vk_device, shared->buffers[b], NULL);
   vkFreeMemory(vk_device, shared->memory, NULL);
}

/** A third of the picture, from words that are loaded by the address of one of two buffers in the same memory, which are gone
 * when the next third is drawn. */
static void
draw_third(const struct vk_image *target, VkPipelineLayout layout, VkDescriptorSet set, unsigned third)
{
   const uint32_t pixels = picture_width * picture_height;
   const struct shared shared = create_shared((VkDeviceSize)pixels * 4);
   for (uint32_t p = 0; p < pixels; p++)
      shared.words[p] = p * (third + 1) | 0xff000000u;
   const struct vk_buffer buffers[] = {{.buffer = shared.buffers[0]}, {.buffer = shared.buffers[1]}};
   const VkDeviceAddress addresses[] = {vk_address_of(&buffers[0]), vk_address_of(&buffers[1])};
   const struct vk_attachment color = {target,
                                       third ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       VK_ATTACHMENT_STORE_OP_STORE, grey, NULL};
   const struct vk_pass pass = vk_create_pass(&color, 1, NULL);
   VkPipeline pipeline = create_pipeline(&pass, layout, VK_CODE(color_vert), VK_CODE(loaded_frag), true);
   VkCommandBuffer commands = vk_begin();
   begin_pass(commands, &pass);
   const uint32_t rows = picture_height / 3;
   const VkRect2D scissor = {{0, (int32_t)(third * rows)}, {picture_width, rows}};
   vkCmdSetScissor(commands, 0, 1, &scissor);
   bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline, layout, set);
   push(commands, layout, addresses[third % 2], picture_width);
   draw_quad(commands);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   destroy_shared(&shared);
}

static struct vk_image
draw_renewed(void)
{
   VkPipelineLayout layout;
   VkDescriptorSet set = create_set(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, NULL, &layout);
   const struct vk_image target = create_target();
   for (unsigned third = 0; third < 3; third++)
      draw_third(&target, layout, set, third);
   return target;
}

/** Accesses behind a buffer, where no other one is. */
static struct vk_image
draw_outside(void)
{
   uint32_t values[32];
   for (uint32_t i = 0; i < 32; i++)
      values[i] = 8 * i;
   const struct vk_buffer some = create_addressed(sizeof values, values);
   VkPipelineLayout layout;
   VkDescriptorSet set = create_set(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, NULL, &layout);
   const struct vk_image target = create_target();
   VkCommandBuffer commands = vk_begin();
   record_quad(commands, &target, layout, set, VK_CODE(outside_vert), VK_CODE(outside_frag),
               vk_address_of(&some), 32);
   vk_run(commands);
   for (uint32_t i = 0; i < 32; i++) {
      if (((const uint32_t *)some.memory)[i] != values[i])
         printf("%u: %u\n", i, ((const uint32_t *)some.memory)[i]);
   }
   return target;
}

static const struct scene {
   const char *name;
   struct vk_image (*draw)(void);
   bool is_undefined; /**< not listed: the specification does not say what it shows */
} scenes[] = {
   {"pointers", draw_pointers, false}, {"list", draw_list, false},
   {"pulled", draw_pulled, false},     {"written", draw_written, false},
   {"counting", draw_counting, false}, {"by_address", draw_by_address, false},
   {"bound", draw_bound, false},       {"stored", draw_stored, false},
   {"loaded", draw_loaded, false},     {"renewed", draw_renewed, false},
   {"outside", draw_outside, true},
};

int
main(int argc, char **argv)
{
   const size_t count = sizeof scenes / sizeof scenes[0];
   for (size_t i = 0; argc == 1 && i < count; i++) {
      if (!scenes[i].is_undefined)
         puts(scenes[i].name);
   }
   if (argc == 1)
      return 0;
   for (size_t i = 0; i < count; i++) {
      if ((argc != 3 && argc != 5) || strcmp(argv[1], scenes[i].name))
         continue;
      if (argc == 5) {
         picture_width = (uint32_t)atoi(argv[3]);
         picture_height = (uint32_t)atoi(argv[4]);
      }
      VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {
         .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
         .bufferDeviceAddress = true,
      };
      vk_open_version(VK_API_VERSION_1_2, &addresses);
      const struct vk_image picture = scenes[i].draw();
      vk_write_picture(&picture, argv[2]);
      vk_close();
      return 0;
   }
   fprintf(stderr, "usage: %s NAME FILE.ppm [WIDTH HEIGHT]\n", argv[0]);
   return 2;
}
