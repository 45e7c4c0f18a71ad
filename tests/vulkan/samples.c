/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "samples.h"

#include "object.vert.h"
#include "screen.vert.h"

/* ---- frames ---------------------------------------------------------------------- */

static double
read_clock(clockid_t clock)
{
   struct timespec time;
   clock_gettime(clock, &time);
   return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

struct animation
create_animation(void)
{
   return (struct animation){.screen = vk_create_swapchain(COLOR_FORMAT, picture_width, picture_height)};
}

void
create_screen_passes(struct animation *animation, bool has_depth, VkSampleCountFlagBits samples)
{
   const bool resolves = samples != VK_SAMPLE_COUNT_1_BIT;
   struct vk_image many = {0}, deep = {0};
   if (resolves)
      many = vk_create_image(COLOR_FORMAT, picture_width, picture_height, 1, 1, samples,
                             VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT);
   if (has_depth)
      deep = vk_create_image(VK_FORMAT_D32_SFLOAT, picture_width, picture_height, 1, 1, samples,
                             VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT);
   for (uint32_t i = 0; i < animation->screen.count; i++) {
      const struct vk_image *screen = &animation->screen.images[i];
      const struct vk_attachment color = {resolves ? &many : screen, CLEAR, resolves ? DROP : STORE, grey,
                                          resolves ? screen : NULL};
      const struct vk_attachment depth = {has_depth ? &deep : NULL, CLEAR, DROP, far_away, NULL};
      animation->passes[i] = vk_create_pass(&color, 1, &depth);
   }
}

/** Whether frames count: when a quarter of them is over. */
static bool
is_settled(const struct animation *animation, double now)
{
   return scene_seconds > 0 ? now - animation->began >= scene_seconds / 4
                            : animation->frame >= (scene_frames + 3) / 4;
}

bool
next_frame(struct animation *animation)
{
   if (animation->is_last)
      return false;
   const double now = read_clock(CLOCK_MONOTONIC);
   if (!animation->frame)
      animation->began = now;
   if (animation->began_measuring == 0 && is_settled(animation, now)) {
      animation->began_measuring = now;
      animation->processors = read_clock(CLOCK_PROCESS_CPUTIME_ID);
   }
   animation->is_last =
      scene_seconds > 0 ? now - animation->began >= scene_seconds : animation->frame + 1 >= scene_frames;
   animation->time = 0.5f + (float)animation->frame / 60.0f;
   vk_acquire(&animation->screen);
   animation->commands = vk_begin();
   return true;
}

void
begin_screen(struct animation *animation)
{
   vk_begin_pass(animation->commands, &animation->passes[animation->screen.current],
                 VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(animation->commands, picture_width, picture_height);
}

void
end_frame(struct animation *animation)
{
   vkCmdEndRenderPass(animation->commands);
   if (!animation->is_last)
      vk_record_present(animation->commands, &animation->screen);
   vk_run(animation->commands);
   if (!animation->is_last)
      vk_present(&animation->screen);
   animation->frame++;
   animation->num_measured += animation->began_measuring > 0;
}

struct vk_image
end_animation(struct animation *animation)
{
   if (scene_says_times && animation->began_measuring > 0)
      printf("%u frames in %.4f seconds, %.4f seconds of processors\n", animation->num_measured,
             read_clock(CLOCK_MONOTONIC) - animation->began_measuring,
             read_clock(CLOCK_PROCESS_CPUTIME_ID) - animation->processors);
   return animation->screen.images[animation->screen.current];
}

/* ---- where things are -------------------------------------------------------------- */

/* Matrices are four columns. */
static void
multiply(float result[16], const float a[16], const float b[16])
{
   for (unsigned column = 0; column < 4; column++) {
      for (unsigned row = 0; row < 4; row++) {
         result[4 * column + row] = 0;
         for (unsigned i = 0; i < 4; i++)
            result[4 * column + row] += a[4 * i + row] * b[4 * column + i];
      }
   }
}

static void
normalize(float v[3])
{
   const float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
   for (unsigned i = 0; i < 3; i++)
      v[i] /= length;
}

/** From `eye` to the origin, what is up being up; as wide as `aspect` times its height. */
static void
look(float result[16], const float eye[3], float aspect)
{
   float back[3] = {eye[0], eye[1], eye[2]};
   normalize(back);
   float right[3] = {back[2], 0, -back[0]};
   normalize(right);
   const float up[3] = {back[1] * right[2] - back[2] * right[1], back[2] * right[0] - back[0] * right[2],
                        back[0] * right[1] - back[1] * right[0]};
   float view[16] = {[15] = 1};
   for (unsigned i = 0; i < 3; i++) {
      view[4 * i] = right[i];
      view[4 * i + 1] = up[i];
      view[4 * i + 2] = back[i];
      view[12] -= right[i] * eye[i];
      view[13] -= up[i] * eye[i];
      view[14] -= back[i] * eye[i];
   }
   const float near = 0.5f, far = 30.0f, scale = 1.7f;
   const float projection[16] = {[0] = scale / aspect,
                                 [5] = -scale,
                                 [10] = far / (near - far),
                                 [11] = -1,
                                 [14] = near * far / (near - far)};
   multiply(result, projection, view);
}

static const float light_place[3] = {4.8f, 6.0f, 6.4f};

struct vk_buffer
create_uniforms(void)
{
   return vk_create_buffer(sizeof(struct scene_uniforms), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, NULL);
}

void
write_uniforms(const struct vk_buffer *buffer, float time, const float eye[3])
{
   struct scene_uniforms *uniforms = buffer->memory;
   look(uniforms->camera, eye, (float)picture_width / (float)picture_height);
   look(uniforms->light, light_place, 1.0f);
   memcpy(uniforms->eye, eye, 3 * sizeof eye[0]);
   uniforms->time = time;
}

void
write_light_uniforms(const struct vk_buffer *buffer, float time)
{
   struct scene_uniforms *uniforms = buffer->memory;
   write_uniforms(buffer, time, light_place);
   memcpy(uniforms->camera, uniforms->light, sizeof uniforms->camera);
}

/* ---- meshes -------------------------------------------------------------------------- */

static struct mesh
create_mesh(const struct vertex *vertices, uint32_t num_vertices, const uint16_t *indices,
            uint32_t num_indices)
{
   return (struct mesh){
      .vertices = create_vertices(vertices, num_vertices * sizeof *vertices),
      .indices = vk_create_buffer(num_indices * sizeof *indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices),
      .num_indices = num_indices,
   };
}

struct mesh
create_cube(void)
{
   struct vertex vertices[24];
   uint16_t indices[36];
   for (unsigned face = 0; face < 6; face++) {
      const unsigned axis = face / 2;
      const float side = face % 2 ? 1.0f : -1.0f;
      for (unsigned corner = 0; corner < 4; corner++) {
         struct vertex *vertex = &vertices[4 * face + corner];
         const float u = (float)(corner % 2), v = (float)(corner / 2);
         *vertex = (struct vertex){{0, 0, 0, u}, {0, 0, 0, v}};
         vertex->position[axis] = vertex->color[axis] = side;
         vertex->position[(axis + 1) % 3] = 2 * u - 1;
         vertex->position[(axis + 2) % 3] = 2 * v - 1;
      }
      static const uint16_t quads[] = {0, 1, 2, 2, 1, 3};
      for (unsigned i = 0; i < 6; i++)
         indices[6 * face + i] = (uint16_t)(4 * face + quads[i]);
   }
   return create_mesh(vertices, 24, indices, 36);
}

struct mesh
create_ball(uint32_t rings)
{
   const uint32_t across = 2 * rings + 1, num_vertices = (rings + 1) * across,
                  num_indices = 6 * rings * 2 * rings;
   struct vertex *vertices = malloc(num_vertices * sizeof *vertices);
   uint16_t *indices = malloc(num_indices * sizeof *indices), *index = indices;
   if (!vertices || !indices) {
      perror("a ball");
      exit(1);
   }
   for (uint32_t i = 0; i < num_vertices; i++) {
      const float u = (float)(i % across) / (float)(across - 1), v = (float)(i / across) / (float)rings;
      const float a = 6.2831853f * u, b = 3.14159265f * v;
      const float x = sinf(b) * cosf(a), y = cosf(b), z = sinf(b) * sinf(a);
      vertices[i] = (struct vertex){{x, y, z, 2 * u}, {x, y, z, v}};
   }
   for (uint32_t i = 0; i < rings; i++) {
      for (uint32_t j = 0; j < 2 * rings; j++) {
         const uint16_t first = (uint16_t)(i * across + j), below = (uint16_t)(first + across);
         const uint16_t two[] = {first, below, first + 1, first + 1, below, below + 1};
         memcpy(index, two, sizeof two);
         index += 6;
      }
   }
   const struct mesh mesh = create_mesh(vertices, num_vertices, indices, num_indices);
   free(vertices);
   free(indices);
   return mesh;
}

void
bind_mesh(VkCommandBuffer commands, VkPipeline pipeline, const struct mesh *mesh,
          const struct vk_buffer *instances)
{
   const VkDeviceSize offset = 0;
   bind(commands, pipeline, &mesh->vertices);
   if (instances)
      vkCmdBindVertexBuffers(commands, 1, 1, &instances->buffer, &offset);
   vkCmdBindIndexBuffer(commands, mesh->indices.buffer, 0, VK_INDEX_TYPE_UINT16);
}

void
place_on_ring(float place[4], uint32_t number, uint32_t count, float radius, float size)
{
   const float angle = 6.2831853f * (float)number / (float)count;
   place[0] = radius * cosf(angle);
   place[1] = 0.2f * radius * sinf(5 * angle);
   place[2] = radius * sinf(angle);
   place[3] = size;
}

/* ---- pipelines ------------------------------------------------------------------------- */

/* ---- textures ------------------------------------------------------------------------ */

/** The next level: each texel is the mean of four. */
static void
halve(uint8_t *texels, uint32_t side)
{
   const uint32_t half = side / 2;
   for (uint32_t y = 0; y < half; y++) {
      for (uint32_t i = 0; i < 4 * half; i++) {
         const uint32_t at = 4 * (2 * y * side + 2 * (i / 4)) + i % 4;
         texels[4 * y * half + i] =
            (uint8_t)((texels[at] + texels[at + 4] + texels[at + 4 * side] + texels[at + 4 * side + 4] + 2) /
                      4);
      }
   }
}

struct vk_image
create_board(uint32_t size, uint32_t layers)
{
   uint32_t levels = 1;
   while (size >> levels)
      levels++;
   const struct vk_image image =
      vk_create_image(COLOR_FORMAT, size, size, levels, layers, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
   uint8_t *texels = malloc((size_t)size * size * 4);
   for (uint32_t layer = 0; texels && layer < layers; layer++) {
      for (uint32_t i = 0; i < size * size; i++) {
         const uint32_t x = i % size, y = i / size, field = size / 8;
         const bool dark = (x / field + y / field) % 2;
         texels[4 * i + 0] = (uint8_t)((dark ? 60 : 180) + 60 * x / size);
         texels[4 * i + 1] = (uint8_t)((dark ? 150 : 90) + 60 * y / size);
         texels[4 * i + 2] = (uint8_t)(30 + 200 * layer / layers);
         texels[4 * i + 3] = 255;
      }
      for (uint32_t level = 0; level < levels; level++) {
         vk_upload(&image, level, layer, texels, 4);
         halve(texels, size >> level);
      }
   }
   free(texels);
   return image;
}

VkSampler
create_trilinear_sampler(void)
{
   return vk_create_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT,
                            false);
}

VkPipeline
create_object_pipeline(const struct vk_pass *pass, VkPipelineLayout layout, struct vk_code fragment,
                       bool has_depth)
{
   struct vk_pipeline_description description = describe_vertices(pass, layout, fragment);
   description.vertex = VK_CODE(object_vert);
   description.instanced = true;
   description.depth = has_depth;
   description.blend = !has_depth;
   return vk_create_pipeline(&description);
}

VkPipeline
create_screen_pipeline(const struct vk_pass *pass, VkPipelineLayout layout, struct vk_code fragment,
                       uint32_t subpass)
{
   struct vk_pipeline_description description = describe_vertices(pass, layout, fragment);
   description.vertex = VK_CODE(screen_vert);
   description.stride = 0;
   description.num_colors = 1;
   description.subpass = subpass;
   return vk_create_pipeline(&description);
}
