/* SPDX-License-Identifier: MIT */
/**
 * How lavapipe fills in descriptors. llvmpipe has functions of the same names for it, whose descriptors have what its
 * generated code reads. Of these, ours have the number of a texture's or an image's handle, of a sampler, of a buffer; what
 * they stand for is looked up before draws and dispatches.
 */
#include <assert.h>
#include <string.h>

#include "lp_jit.h"
#include "util/macros.h"
#include "state/tbr_resource.h"
#include "vulkan/tbr_vulkan.h"

static void
describe_buffer(struct lp_jit_buffer *jit, const struct pipe_resource *buffer, unsigned offset, uint64_t size)
{
   struct lp_descriptor *descriptor = container_of(jit, struct lp_descriptor, buffer);
   if (!buffer) {
      *jit = (struct lp_jit_buffer){0};
      descriptor->functions = NULL;
      return;
   }
   /* lavapipe adds dynamic offsets to the address. */
   jit->u = (const uint32_t *)(tbr_vulkan_buffer_memory(buffer) + offset);
   jit->num_elements = (uint32_t)MIN2(size, UINT32_MAX);
   descriptor->functions = (void *)(uintptr_t)((const struct tbr_resource *)buffer)->id;
}

void
lp_jit_buffer_from_pipe(struct lp_jit_buffer *jit, const struct pipe_shader_buffer *buffer)
{
   describe_buffer(jit, buffer->buffer, buffer->buffer_offset, buffer->buffer_size);
}

void
lp_jit_buffer_from_pipe_const(struct lp_jit_buffer *jit, const struct pipe_constant_buffer *buffer,
                              struct pipe_screen *screen)
{
   assert(!buffer->user_buffer);
   describe_buffer(jit, buffer->buffer, buffer->buffer_offset, buffer->buffer_size);
}

/* The handle's number says all; lavapipe sets it. */
void
lp_jit_texture_from_pipe(struct lp_jit_texture *jit, const struct pipe_sampler_view *view)
{
}

void
lp_jit_image_from_pipe(struct lp_jit_image *jit, const struct pipe_image_view *view)
{
}

void
lp_jit_sampler_from_pipe(struct lp_jit_sampler *jit, const struct pipe_sampler_state *sampler)
{
}

/* Descriptor buffers, which the device does not have (tbr_vulkan_device.c). */
void
lp_jit_buffer_from_bda(struct lp_jit_buffer *jit, void *memory, size_t size)
{
   unreachable("the device has no descriptor buffers");
}

void
lp_jit_texture_buffer_from_bda(struct lp_jit_texture *jit, void *memory, size_t size, enum pipe_format format)
{
   unreachable("the device has no descriptor buffers");
}

void
lp_jit_image_buffer_from_bda(struct lp_jit_image *jit, void *memory, size_t size, enum pipe_format format)
{
   unreachable("the device has no descriptor buffers");
}

/* Sparse images, which it does not have either. */
uint32_t
llvmpipe_get_texel_offset(struct pipe_resource *resource, uint32_t level, uint32_t x, uint32_t y, uint32_t z)
{
   unreachable("the device has no sparse images");
}
