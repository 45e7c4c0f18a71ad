/* SPDX-License-Identifier: MIT */
/* Storage buffers and images of the shaders that draw executes, which happens during the draw call: they are memory to
 * it, and batches that still use it are waited for. */
#include "draw/draw_context.h"
#include "util/u_atomic.h"
#include "util/u_memory.h"
#include "pass/tbr_hazards.h"
#include "state/tbr_context.h"
#include "geometry/tbr_drawn_storage.h"
#include "tile/tbr_load_store.h"
#include "state/tbr_resource.h"
#include "shader/tbr_shader.h"

/** Memory that no pending work uses or, where the shader only loads, that no pending work changes. */
static const struct tbr_storage *
use(struct tbr_context *context, struct pipe_resource *base, bool writes, struct tbr_storage **held)
{
   struct tbr_resource *resource = tbr_resource(base);
   tbr_resource_wait(context, resource, writes, CM_END_DRAW);
   tbr_resource_announce_read(context, resource);
   if (writes) {
      p_atomic_inc(&resource->writes);
      resource->undefined = false;
   }
   tbr_resource_hold(resource, held);
   return *held;
}

static void
map_buffer(struct tbr_context *context, enum pipe_shader_type stage, bool writes, unsigned unit,
           struct tbr_bound_buffer *bound)
{
   const struct pipe_shader_buffer *buffer = &context->shader_buffers[stage][unit];
   *bound = (struct tbr_bound_buffer){0};
   if (buffer->buffer) {
      writes &= context->writable_buffers[stage] >> unit & 1;
      tbr_describe_buffer(buffer, use(context, buffer->buffer, writes, &context->held.buffers[stage][unit]),
                          bound);
   }
   draw_set_mapped_shader_buffer(context->draw, stage, unit, bound->memory, bound->bytes);
}

static void
map_image(struct tbr_context *context, enum pipe_shader_type stage, bool writes, unsigned unit,
          struct tbr_bound_image *bound)
{
   const struct pipe_image_view *image = &context->images[stage][unit];
   *bound = (struct tbr_bound_image){0};
   if (image->resource) {
      writes &= (image->shader_access & PIPE_IMAGE_ACCESS_WRITE) != 0;
      tbr_describe_image(image, tbr_resource(image->resource),
                         use(context, image->resource, writes, &context->held.images[stage][unit]), bound);
   }
   draw_set_mapped_image(context->draw, stage, unit, bound->width, bound->height, bound->layers,
                         bound->texels, bound->row_stride, bound->layer_stride, bound->samples,
                         bound->sample_stride);
}

static bool
map_stage(struct tbr_context *context, enum pipe_shader_type stage, const struct tbr_drawn_shader *shader)
{
   if (!shader || !(shader->buffers_used | shader->images_used))
      return true;
   if (!context->drawn_storage[stage])
      context->drawn_storage[stage] = CALLOC_STRUCT(tbr_bound_storage);
   struct tbr_bound_storage *bound = context->drawn_storage[stage];
   if (!bound)
      return false;
   u_foreach_bit (unit, shader->buffers_used)
      map_buffer(context, stage, shader->writes_memory, unit, &bound->buffers[unit]);
   u_foreach_bit (unit, shader->images_used)
      map_image(context, stage, shader->writes_memory, unit, &bound->images[unit]);
   return true;
}

/* ---- memory by address ------------------------------------------------------- */

/** The marks with a copy of the buffers that have an address, in draw. False when out of memory. */
static bool
map_marks(struct tbr_context *context, const struct tbr_addressed_buffer *buffers, uint32_t count)
{
   const size_t bytes = sizeof *context->vertex_marks + count * sizeof *buffers;
   struct tbr_vertex_marks *marks = REALLOC(context->vertex_marks, 0, bytes);
   if (!marks)
      return false;
   memset(marks, 0, sizeof *marks);
   marks->scratch = (uintptr_t)marks->unused;
   if (count)
      memcpy(marks->buffers, buffers, count * sizeof *buffers);
   context->vertex_marks = marks;
   for (unsigned s = 0; s < CM_PRERASTER_STAGES; s++)
      draw_set_mapped_shader_buffer(context->draw, tbr_drawn_stages[s], TBR_MARKS_BUFFER, marks, bytes);
   return true;
}

bool
tbr_drawn_storage_init(struct tbr_context *context)
{
   return map_marks(context, NULL, 0);
}

/** What the bound shaders that draw executes do with memory by address: *writes, they may store to it. */
static bool
use_addresses(const struct tbr_context *context, bool *writes)
{
   bool uses = false;
   *writes = false;
   for (unsigned s = 0; s < CM_PRERASTER_STAGES; s++) {
      const struct tbr_drawn_shader *shader = tbr_drawn_shader(context, tbr_drawn_stages[s]);
      if (!shader || !shader->by_address)
         continue;
      uses = true;
      *writes |= shader->writes_memory;
   }
   return uses;
}

/** The context's addresses are those of now, and work that uses the same memory is done. False when out of memory. */
static bool
map_addresses(struct tbr_context *context)
{
   bool writes;
   const bool uses = use_addresses(context, &writes);
   if (!uses && !context->fragment_shader->by_address)
      return true;
   const struct tbr_address_table *mapped = context->mapped_addresses;
   if (!tbr_addresses_update(context))
      return false;
   if (!uses)
      return true;
   if (mapped != context->addresses &&
       !map_marks(context, context->addresses->buffers, context->addresses->count))
      return false;
   tbr_address_table_reference(&context->mapped_addresses, context->addresses);
   tbr_addresses_wait(context, writes, CM_END_DRAW);
   if (writes)
      tbr_addresses_note_write(tbr_screen(context->base.screen));
   return true;
}

/* ---- draws -------------------------------------------------------------------- */

bool
tbr_drawn_storage_map(struct tbr_context *context)
{
   if (!map_addresses(context))
      return false;
   for (unsigned s = 0; s < CM_PRERASTER_STAGES; s++) {
      if (!map_stage(context, tbr_drawn_stages[s], tbr_drawn_shader(context, tbr_drawn_stages[s])))
         return false;
   }
   return true;
}

/** Calls a function with each resource that the bound shaders access. */
static void
for_each(struct tbr_context *context,
         void (*function)(struct tbr_context *context, struct tbr_resource *resource, bool writes))
{
   for (unsigned s = 0; s < CM_PRERASTER_STAGES; s++) {
      const enum pipe_shader_type stage = tbr_drawn_stages[s];
      const struct tbr_drawn_shader *shader = tbr_drawn_shader(context, stage);
      if (!shader)
         continue;
      u_foreach_bit (i, shader->buffers_used) {
         struct pipe_resource *buffer = context->shader_buffers[stage][i].buffer;
         const bool writable = context->writable_buffers[stage] >> i & 1;
         if (buffer)
            function(context, tbr_resource(buffer), shader->writes_memory && writable);
      }
      u_foreach_bit (i, shader->images_used) {
         const struct pipe_image_view *image = &context->images[stage][i];
         if (image->resource)
            function(context, tbr_resource(image->resource),
                     shader->writes_memory && image->shader_access & PIPE_IMAGE_ACCESS_WRITE);
      }
   }
}

static void
wait_for(struct tbr_context *context, struct tbr_resource *resource, bool writes)
{
   tbr_resource_wait(context, resource, writes, CM_END_DRAW);
}

void
tbr_drawn_storage_wait(struct tbr_context *context)
{
   bool writes;
   for_each(context, wait_for);
   if (use_addresses(context, &writes))
      tbr_addresses_wait(context, writes, CM_END_DRAW);
}

static void
note_write(struct tbr_context *context, struct tbr_resource *resource, bool writes)
{
   if (writes)
      p_atomic_inc(&resource->writes);
}

void
tbr_drawn_storage_end_draws(struct tbr_context *context)
{
   bool writes;
   for_each(context, note_write);
   if (use_addresses(context, &writes) && writes)
      tbr_addresses_note_write(tbr_screen(context->base.screen));
   const uint32_t *outside = context->vertex_marks->outside;
   if (outside[0])
      tbr_addresses_report_outside((uint64_t)outside[2] << 32 | outside[1]);
}

void
tbr_drawn_storage_set_images(struct tbr_context *context, enum pipe_shader_type stage)
{
   unsigned count = TBR_MAX_IMAGES;
   while (count && !context->images[stage][count - 1].resource)
      count--;
   draw_set_images(context->draw, stage, context->images[stage], count);
}

void
tbr_drawn_storage_destroy(struct tbr_context *context)
{
   for (unsigned stage = 0; stage < PIPE_SHADER_TYPES; stage++)
      FREE(context->drawn_storage[stage]);
   tbr_address_table_reference(&context->mapped_addresses, NULL);
   tbr_address_table_reference(&context->addresses, NULL);
   FREE(context->vertex_marks);
}
