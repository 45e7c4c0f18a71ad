/* SPDX-License-Identifier: MIT */
/**
 * Shaders that access memory by address (bufferDeviceAddress), without a window:
 *    vulkan_addresses NAME FILE.ppm [WIDTH HEIGHT]
 * draws the scene NAME (scenes[]) and writes it. Without arguments it lists them. Scenes that count something print it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

#include "bars.frag.h"
#include "color.frag.h"
#include "color.vert.h"
#include "counting.comp.h"
#include "counting.frag.h"
#include "counting.vert.h"
#include "divided.tesc.h"
#include "divided.tese.h"
#include "grown.geom.h"
#include "list.frag.h"
#include "loaded.frag.h"
#include "loaded_bound.frag.h"
#include "not_gone.frag.h"
#include "numbered.vert.h"
#include "outside.frag.h"
#include "outside.vert.h"
#include "parameters.frag.h"
#include "pointers.frag.h"
#include "pulled.vert.h"
#include "stored.frag.h"
#include "stored_bound.frag.h"
#include "written.comp.h"

/** What shaders get as push constants. */
struct push {
   VkDeviceAddress address;
   uint32_t count;
};

/* ---- what scenes share --------------------------------------------------------- */

/** A buffer that has an address, and may be bound as storage or vertices, or have parameters of draws, as well. */
static struct vk_buffer
create_addressed(size_t bytes, const void *data)
{
   return vk_create_buffer(bytes,
                           VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                              VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
                           data);
}

/** A pass with the whole picture, whose shaders get an address and a number. vertex 0: color.vert; descriptor NULL: none. */
static void
record_whole(VkCommandBuffer commands, const struct vk_image *target, struct vk_code vertex,
             struct vk_code fragment, const struct vk_descriptor *descriptor, struct push constants)
{
   const struct vk_pass pass = create_clearing_pass(target);
   record_simple(commands, &pass,
                 &(struct simple_draw){
                    .vertex = vertex,
                    .fragment = fragment,
                    .vertices = whole,
                    .count = 4,
                    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                    .descriptors = descriptor,
                    .num_descriptors = descriptor != NULL,
                    .constants = &constants,
                    .constant_bytes = sizeof constants,
                 });
}

/** The picture of such a pass. */
static struct vk_image
draw_whole(struct vk_code vertex, struct vk_code fragment, const struct vk_descriptor *descriptor,
           struct push constants)
{
   const struct vk_image target = create_target(0);
   VkCommandBuffer commands = vk_begin();
   record_whole(commands, &target, vertex, fragment, descriptor, constants);
   vk_run(commands);
   return target;
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
   const struct vk_descriptor descriptor = {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                            .count = 1,
                                            .buffer = &block};
   return draw_whole(VK_CODE(color_vert), VK_CODE(pointers_frag), &descriptor,
                     (struct push){vk_address_of(&tint), 16});
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
   return draw_whole(VK_CODE(color_vert), VK_CODE(list_frag), NULL, (struct push){.address = next});
}

/** Where a vertex shader finds a pointer to the vertices, which it reads itself. */
static VkDeviceAddress
create_header(const struct vk_buffer *vertices)
{
   const VkDeviceAddress address = vk_address_of(vertices);
   const struct vk_buffer header = create_addressed(sizeof address, &address);
   return vk_address_of(&header);
}

/** Vertices of triangles in rows of eight. */
#define TRIANGLES 64
static struct vk_buffer
create_triangles(void)
{
   struct vertex vertices[TRIANGLES * 3];
   for (unsigned i = 0; i < TRIANGLES * 3; i++) {
      const unsigned triangle = i / 3, corner = i % 3;
      vertices[i] = (struct vertex){
         {(float)(triangle % 8) / 4.0f - 1.0f + (corner == 1 ? 0.25f : 0.0f),
          (float)(triangle / 8) / 4.0f - 1.0f + (corner == 2 ? 0.25f : 0.0f), 0.0f, 1.0f},
         {(float)corner / 2.0f, (float)(triangle % 8) / 7.0f, (float)(triangle / 8) / 7.0f, 1.0f},
      };
   }
   return create_addressed(sizeof vertices, vertices);
}

/** Vertices that the vertex shader reads itself. */
static struct vk_image
draw_pulled(void)
{
   const struct vk_buffer vertices = create_triangles();
   const struct push constants = {.address = create_header(&vertices)};
   return draw_simple(&(struct simple_draw){
      .vertex = VK_CODE(pulled_vert),
      .count = TRIANGLES * 3,
      .constants = &constants,
      .constant_bytes = sizeof constants,
   });
}

/** A geometry shader makes a triangle of each point, and counts. */
static struct vk_image
draw_grown(void)
{
   const struct vk_buffer vertices = create_triangles(), counter = create_addressed(sizeof(uint32_t), NULL);
   const VkDeviceAddress constants[] = {vk_address_of(&vertices), vk_address_of(&counter)};
   const struct vk_image target = draw_simple(&(struct simple_draw){
      .vertex = VK_CODE(numbered_vert),
      .geometry = VK_CODE(grown_geom),
      .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
      .count = TRIANGLES,
      .constants = constants,
      .constant_bytes = sizeof constants,
   });
   printf("%u invocations\n", *(const uint32_t *)counter.memory);
   return target;
}

/** Tessellation: levels, shades and counters by address. Every second patch is divided. */
static struct vk_image
draw_divided(void)
{
   const struct vk_buffer vertices = create_triangles(), counters = create_addressed(8, NULL);
   float levels[TRIANGLES], shades[TRIANGLES][4];
   for (unsigned i = 0; i < TRIANGLES; i++) {
      levels[i] = (float)(1 + i % 2);
      for (unsigned c = 0; c < 4; c++)
         shades[i][c] = c == 3 ? 1.0f : 1.0f - (float)(i * (c + 1) % 16) / 32.0f;
   }
   const struct vk_buffer level = create_addressed(sizeof levels, levels),
                          shade = create_addressed(sizeof shades, shades);
   const VkDeviceAddress constants[] = {vk_address_of(&level), vk_address_of(&counters),
                                        vk_address_of(&shade)};
   const struct vk_image target = draw_simple(&(struct simple_draw){
      .control = VK_CODE(divided_tesc),
      .evaluation = VK_CODE(divided_tese),
      .topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST,
      .buffer = &vertices,
      .count = TRIANGLES * 3,
      .constants = constants,
      .constant_bytes = sizeof constants,
   });
   const uint32_t *counted = counters.memory;
   printf("%u patches, %u vertices\n", counted[0], counted[1]);
   return target;
}

/** A dispatch writes vertices by address; a draw pulls half of them by address, and has the others fetched. */
static struct vk_image
draw_written(void)
{
   const struct vk_buffer vertices = create_addressed(TRIANGLES * 3 * sizeof(struct vertex), NULL);
   const VkDeviceSize half = vertices.bytes / 2;
   VkPipelineLayout layout = create_plain_layout();
   const struct vk_image target = create_target(0);
   const struct vk_pass pass = create_clearing_pass(&target);
   struct vk_pipeline_description description = describe_vertices(&pass, layout, VK_CODE(color_frag));
   description.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
   VkPipeline fetching = vk_create_pipeline(&description);
   description.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
   description.vertex = VK_CODE(pulled_vert);
   description.stride = description.num_attributes = 0;
   VkPipeline pulling = vk_create_pipeline(&description);
   VkCommandBuffer commands = vk_begin();
   const struct push stored = {vk_address_of(&vertices), TRIANGLES},
                     pulled = {.address = create_header(&vertices)};
   push(commands, layout, &stored, sizeof stored);
   record_dispatch(commands, vk_create_compute_pipeline(VK_CODE(written_comp), layout), layout,
                   VK_NULL_HANDLE, (TRIANGLES + 63) / 64, 1);
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands, pass.width, pass.height);
   push(commands, layout, &pulled, sizeof pulled);
   bind(commands, pulling, NULL);
   vkCmdDraw(commands, TRIANGLES / 2 * 3, 1, 0, 0);
   bind(commands, fetching, NULL);
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
   const struct push constants = {.address = vk_address_of(&counters)};
   VkPipelineLayout layout = create_plain_layout();
   const struct vk_image first = create_target(0), target = create_target(0);
   VkCommandBuffer commands = vk_begin();
   push(commands, layout, &constants, sizeof constants);
   record_dispatch(commands, vk_create_compute_pipeline(VK_CODE(counting_comp), layout), layout,
                   VK_NULL_HANDLE, 2, 1);
   record_whole(commands, &first, VK_CODE(counting_vert), VK_CODE(counting_frag), NULL, constants);
   vk_barrier(commands);
   record_whole(commands, &target, VK_CODE(color_vert), VK_CODE(bars_frag), NULL, constants);
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
   const struct push constants = {vk_address_of(&values), picture_width};
   const struct vk_descriptor descriptor = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .count = 1,
                                            .buffer = &values};
   const struct vk_image first = create_target(0), target = create_target(0);
   VkCommandBuffer commands = vk_begin();
   record_whole(commands, &first, VK_CODE(color_vert), storing, &descriptor, constants);
   vk_barrier(commands);
   record_whole(commands, &target, VK_CODE(color_vert), loading, &descriptor, constants);
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

/** Half of the picture, and all of it with parameters from a buffer. */
static void
record_parameters(VkCommandBuffer commands, VkPipelineLayout layout, VkDescriptorSet set, const void *data)
{
   const struct vk_buffer *parameters = data;
   vkCmdDraw(commands, 3, 1, 0, 0);
   vkCmdDrawIndirect(commands, parameters->buffer, 0, 1, 0);
}

/** A pass stores the parameters of a draw by address; the next one's draws store by address, too, but elsewhere. */
static struct vk_image
draw_parameters(void)
{
   const struct vk_buffer parameters = create_addressed(sizeof(VkDrawIndirectCommand), NULL),
                          values = create_addressed((size_t)picture_width * picture_height * 4, NULL);
   const struct push constants = {vk_address_of(&values), picture_width};
   const struct vk_image first = create_target(0), target = create_target(0);
   const struct vk_pass pass = create_clearing_pass(&target);
   VkCommandBuffer commands = vk_begin();
   record_whole(commands, &first, VK_CODE(color_vert), VK_CODE(parameters_frag), NULL,
                (struct push){vk_address_of(&parameters), 4});
   vk_barrier(commands);
   record_simple(commands, &pass,
                 &(struct simple_draw){
                    .fragment = VK_CODE(stored_frag),
                    .vertices = whole,
                    .count = 4,
                    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                    .constants = &constants,
                    .constant_bytes = sizeof constants,
                    .record = record_parameters,
                    .data = &parameters,
                 });
   vk_run(commands);
   return target;
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
destroy_buffers(const struct shared *shared)
{
   for (unsigned b = 0; b < 2; b++)
      vkDestroyBuffer(vk_device, shared->buffers[b], NULL);
}

/** A third of the picture, from words that are loaded by the address of one of two buffers in the same memory, which are gone
 * when the next third is drawn. */
static void
draw_third(const struct vk_image *target, unsigned third)
{
   const uint32_t pixels = picture_width * picture_height;
   const struct shared shared = create_shared((VkDeviceSize)pixels * 4);
   for (uint32_t p = 0; p < pixels; p++)
      shared.words[p] = p * (third + 1) | 0xff000000u;
   const struct vk_buffer buffers[] = {{.buffer = shared.buffers[0]}, {.buffer = shared.buffers[1]}};
   const struct push constants = {vk_address_of(&buffers[third % 2]), picture_width};
   const struct vk_attachment color = {target, third ? LOAD : CLEAR, STORE, grey, NULL};
   const struct vk_pass pass = vk_create_pass(&color, 1, NULL);
   const uint32_t rows = picture_height / 3;
   const VkRect2D scissor = {{0, (int32_t)(third * rows)}, {picture_width, rows}};
   run_simple(&pass, &(struct simple_draw){
                        .fragment = VK_CODE(loaded_frag),
                        .vertices = whole,
                        .count = 4,
                        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                        .scissor = &scissor,
                        .constants = &constants,
                        .constant_bytes = sizeof constants,
                     });
   destroy_buffers(&shared);
   vkFreeMemory(vk_device, shared.memory, NULL);
}

static struct vk_image
draw_renewed(void)
{
   const struct vk_image target = create_target(0);
   for (unsigned third = 0; third < 3; third++)
      draw_third(&target, third);
   return target;
}

/** Pixels that do not load have the address of a buffer whose memory is freed: so much that it is given back to the system. */
static struct vk_image
draw_not_gone(void)
{
   uint32_t values[16 * 16 + 2];
   for (uint32_t i = 0; i < 16 * 16; i++)
      values[i] = i * 0x010203u | 0xff000000u;
   values[16 * 16] = 1;
   values[16 * 16 + 1] = 0;
   const struct vk_buffer there = create_addressed(sizeof values, values);
   const struct shared gone = create_shared(1 << 26);
   const VkDeviceAddress constants[] = {vk_address_of(&there),
                                        vk_address_of(&(struct vk_buffer){.buffer = gone.buffers[0]})};
   vkFreeMemory(vk_device, gone.memory, NULL);
   const struct vk_image target = draw_simple(&(struct simple_draw){
      .fragment = VK_CODE(not_gone_frag),
      .vertices = whole,
      .count = 4,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
      .constants = constants,
      .constant_bytes = sizeof constants,
   });
   destroy_buffers(&gone);
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
   const struct vk_image target =
      draw_whole(VK_CODE(outside_vert), VK_CODE(outside_frag), NULL, (struct push){vk_address_of(&some), 32});
   for (uint32_t i = 0; i < 32; i++) {
      if (((const uint32_t *)some.memory)[i] != values[i])
         printf("%u: %u\n", i, ((const uint32_t *)some.memory)[i]);
   }
   return target;
}

static void
open_device(void)
{
   VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
      .bufferDeviceAddress = true,
   };
   vk_open_version(VK_API_VERSION_1_2, &addresses);
}

static const struct scene scenes[] = {
   {.name = "pointers", .draw = draw_pointers},
   {.name = "list", .draw = draw_list},
   {.name = "pulled", .draw = draw_pulled},
   {.name = "grown", .draw = draw_grown},
   {.name = "divided", .draw = draw_divided},
   {.name = "written", .draw = draw_written},
   {.name = "counting", .draw = draw_counting},
   {.name = "by_address", .draw = draw_by_address},
   {.name = "bound", .draw = draw_bound},
   {.name = "stored", .draw = draw_stored},
   {.name = "loaded", .draw = draw_loaded},
   {.name = "parameters", .draw = draw_parameters},
   {.name = "renewed", .draw = draw_renewed},
   {.name = "not_gone", .draw = draw_not_gone},
   /* The specification does not say what it shows. */
   {.name = "outside", .draw = draw_outside, .is_optional = true},
};

int
main(int argc, char **argv)
{
   return run_scenes(scenes, sizeof scenes / sizeof scenes[0], open_device, argc, argv);
}
