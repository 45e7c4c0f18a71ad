/* SPDX-License-Identifier: MIT */
#include "state/tbr_context.h"

#include <assert.h>

#include "draw/draw_context.h"
#include "util/u_math.h"
#include "state/tbr_resource.h"

void
tbr_context_storage_replaced(struct tbr_context *context)
{
   context->dirty |= TBR_DIRTY_FRAGMENT_TEXTURES | TBR_DIRTY_VERTEX_TEXTURES | TBR_DIRTY_VERTEX_BUFFERS |
                     TBR_DIRTY_FRAGMENT_CONSTANTS | TBR_DIRTY_VERTEX_CONSTANTS | TBR_DIRTY_FRAMEBUFFER |
                     TBR_DIRTY_FRAGMENT_STORAGE;
}

void
tbr_context_release_storage(struct tbr_context *context, const struct tbr_storage *storage)
{
   struct tbr_storage **held = (struct tbr_storage **)&context->held;
   for (unsigned i = 0; i < sizeof context->held / sizeof *held; i++) {
      if (!storage || held[i] == storage)
         tbr_storage_reference(&held[i], NULL);
   }
}

void
tbr_context_map_constants(struct tbr_context *context, enum pipe_shader_type stage, unsigned index)
{
   const struct pipe_constant_buffer *constants = &context->constants[stage][index];
   const void *address = NULL;
   unsigned size = 0;

   if (constants->buffer && constants->buffer_offset < constants->buffer->width0) {
      assert(context->held.constants[stage][index]);
      address = context->held.constants[stage][index]->memory + constants->buffer_offset;
      size = MIN2(constants->buffer_size, constants->buffer->width0 - constants->buffer_offset);
   }
   draw_set_mapped_constant_buffer(context->draw, stage, index, address, size);
}

void
tbr_context_refresh_constants(struct tbr_context *context)
{
   for (unsigned stage = 0; stage < PIPE_SHADER_TYPES; stage++) {
      u_foreach_bit (i, context->mapped_constants[stage]) {
         const struct tbr_resource *resource = tbr_resource(context->constants[stage][i].buffer);
         if (tbr_resource_hold(resource, &context->held.constants[stage][i]))
            tbr_context_map_constants(context, stage, i);
      }
   }
}

bool
tbr_render_condition_passes(struct tbr_context *context)
{
   union pipe_query_result result;
   if (!context->render_condition_query)
      return true;
   context->base.get_query_result(&context->base, context->render_condition_query, true, &result);
   return (result.u64 != 0) != context->render_condition_condition;
}
