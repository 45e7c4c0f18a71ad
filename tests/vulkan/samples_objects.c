/* SPDX-License-Identifier: MIT */
/** Samples of one pass: textures, instances, uniform blocks, indirect draws, four samples a pixel, blending. */
#include <math.h>
#include <string.h>

#include "samples.h"

#include "glass.frag.h"
#include "layered.frag.h"
#include "lit.frag.h"
#include "still.vert.h"
#include "textured.frag.h"

#define MAX_INSTANCES 1024

static const float eye[3] = {0, 2.5f, 6};

/** Objects on a ring, each an instance of a mesh. */
struct ring {
   struct animation animation;
   struct vk_buffer uniforms, instances;
   VkPipelineLayout layout;
   VkDescriptorSet set;
   VkPipeline pipeline;
   uint32_t count;
};

/** texture NULL: none. */
static struct ring
create_ring(struct vk_code fragment, const struct vk_image *texture, uint32_t count, float radius, float size,
            bool has_depth, VkSampleCountFlagBits samples)
{
   struct ring ring = {.animation = create_animation(), .uniforms = create_uniforms(), .count = count};
   float places[MAX_INSTANCES][4];
   for (uint32_t i = 0; i < count; i++)
      place_on_ring(places[i], i, count, radius, size);
   ring.instances = create_vertices(places, count * sizeof places[0]);
   create_screen_passes(&ring.animation, has_depth, samples);
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .count = 1, .buffer = &ring.uniforms},
      {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
       .count = 1,
       .images = &texture,
       .sampler = create_trilinear_sampler()},
   };
   ring.set = vk_create_set(descriptors, texture ? 2 : 1, &ring.layout);
   ring.pipeline = create_object_pipeline(&ring.animation.passes[0], ring.layout, fragment, has_depth);
   return ring;
}

static struct vk_image
draw_ring(struct ring *ring, const struct mesh *mesh)
{
   struct animation *animation = &ring->animation;
   while (next_frame(animation)) {
      write_uniforms(&ring->uniforms, animation->time, eye);
      begin_screen(animation);
      bind_mesh(animation->commands, ring->pipeline, mesh, &ring->instances);
      bind_set(animation->commands, ring->layout, ring->set);
      vkCmdDrawIndexed(animation->commands, mesh->num_indices, ring->count, 0, 0, 0);
      end_frame(animation);
   }
   return end_animation(animation);
}

/** A cube with a texture, in the middle. */
struct vk_image
draw_rotating_cube(void)
{
   const struct vk_image texture = create_board(256, 1);
   const struct mesh cube = create_cube();
   struct ring ring =
      create_ring(VK_CODE(textured_frag), &texture, 1, 0.0f, 1.6f, true, VK_SAMPLE_COUNT_1_BIT);
   return draw_ring(&ring, &cube);
}

/** Eight cubes, each with a layer of a texture. */
struct vk_image
draw_texture_array(void)
{
   const struct vk_image texture = create_board(128, 8);
   const struct mesh cube = create_cube();
   struct ring ring =
      create_ring(VK_CODE(layered_frag), &texture, 8, 2.6f, 0.7f, true, VK_SAMPLE_COUNT_1_BIT);
   return draw_ring(&ring, &cube);
}

/** Many small cubes. */
struct vk_image
draw_instances(void)
{
   const struct mesh cube = create_cube();
   struct ring ring =
      create_ring(VK_CODE(lit_frag), NULL, MAX_INSTANCES, 3.0f, 0.12f, true, VK_SAMPLE_COUNT_1_BIT);
   return draw_ring(&ring, &cube);
}

struct vk_image
draw_four_samples(void)
{
   const struct mesh ball = create_ball(16);
   struct ring ring = create_ring(VK_CODE(lit_frag), NULL, 12, 2.6f, 0.6f, true, VK_SAMPLE_COUNT_4_BIT);
   return draw_ring(&ring, &ball);
}

/** Cubes whose both sides are seen through. */
struct vk_image
draw_glass(void)
{
   const struct vk_image texture = create_board(128, 1);
   const struct mesh cube = create_cube();
   struct ring ring =
      create_ring(VK_CODE(glass_frag), &texture, 10, 2.2f, 0.9f, false, VK_SAMPLE_COUNT_1_BIT);
   return draw_ring(&ring, &cube);
}

/** Draws of different sizes, whose parameters change from frame to frame. */
struct vk_image
draw_indirect_batches(void)
{
   enum { BATCHES = 64, IN_BATCH = 4 };
   const struct mesh ball = create_ball(8);
   struct ring ring =
      create_ring(VK_CODE(lit_frag), NULL, BATCHES * IN_BATCH, 2.8f, 0.2f, true, VK_SAMPLE_COUNT_1_BIT);
   const struct vk_buffer parameters = vk_create_buffer(BATCHES * sizeof(VkDrawIndexedIndirectCommand),
                                                        VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, NULL);
   struct animation *animation = &ring.animation;
   while (next_frame(animation)) {
      VkDrawIndexedIndirectCommand *draws = parameters.memory;
      for (uint32_t i = 0; i < BATCHES; i++)
         draws[i] = (VkDrawIndexedIndirectCommand){
            .indexCount = ball.num_indices,
            .instanceCount = 1 + (i + animation->frame / 8) % IN_BATCH,
            .firstInstance = i * IN_BATCH,
         };
      write_uniforms(&ring.uniforms, animation->time, eye);
      begin_screen(animation);
      bind_mesh(animation->commands, ring.pipeline, &ball, &ring.instances);
      bind_set(animation->commands, ring.layout, ring.set);
      vkCmdDrawIndexedIndirect(animation->commands, parameters.buffer, 0, BATCHES, sizeof draws[0]);
      end_frame(animation);
   }
   return end_animation(animation);
}

/* ---- uniform blocks with dynamic offsets ------------------------------------------------ */

#define SIDE 5
#define OBJECTS (SIDE * SIDE * SIDE)

/** 256 bytes: any device's alignment. */
struct object {
   float place[16], color[4], unused[44];
};

static void
write_objects(struct object *objects, float time)
{
   for (uint32_t i = 0; i < OBJECTS; i++) {
      const uint32_t place[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
      const float angle = time * (1.0f + 0.1f * (float)(i % 7)), size = 0.25f;
      const float c = size * cosf(angle), s = size * sinf(angle);
      const float matrix[16] = {[0] = c, [2] = -s, [5] = size, [8] = s, [10] = c, [15] = 1};
      memcpy(objects[i].place, matrix, sizeof matrix);
      for (unsigned axis = 0; axis < 3; axis++) {
         objects[i].place[12 + axis] = (float)place[axis] - 2.0f;
         objects[i].color[axis] = 0.3f + 0.15f * (float)place[axis];
      }
   }
}

/** Each object has its matrix in a part of one buffer, and a draw. */
struct vk_image
draw_dynamic_uniforms(void)
{
   const struct mesh cube = create_cube();
   struct animation animation = create_animation();
   create_screen_passes(&animation, true, VK_SAMPLE_COUNT_1_BIT);
   const struct vk_buffer uniforms = create_uniforms();
   const struct vk_buffer objects =
      vk_create_buffer(OBJECTS * sizeof(struct object), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, NULL);
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .count = 1, .buffer = &uniforms},
      {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
       .count = 1,
       .buffer = &objects,
       .range = offsetof(struct object, unused)},
   };
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(descriptors, 2, &layout);
   struct vk_pipeline_description description =
      describe_vertices(&animation.passes[0], layout, VK_CODE(lit_frag));
   description.vertex = VK_CODE(still_vert);
   description.depth = true;
   VkPipeline pipeline = vk_create_pipeline(&description);
   while (next_frame(&animation)) {
      write_uniforms(&uniforms, animation.time, eye);
      write_objects(objects.memory, animation.time);
      begin_screen(&animation);
      bind_mesh(animation.commands, pipeline, &cube, NULL);
      for (uint32_t i = 0; i < OBJECTS; i++) {
         const uint32_t offset = i * sizeof(struct object);
         vkCmdBindDescriptorSets(animation.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 1,
                                 &offset);
         vkCmdDrawIndexed(animation.commands, cube.num_indices, 1, 0, 0, 0);
      }
      end_frame(&animation);
   }
   return end_animation(&animation);
}
