/* SPDX-License-Identifier: MIT */
/**
 * Descriptors that shaders name, as the event stream has them: which of a set, and what of them. lavapipe's own are llvmpipe's,
 * with addresses for its code, and of no GPU's size: descriptors are numbers of their set here, which the consumer gives a size.
 */
#include <assert.h>
#include <stdlib.h>

#include "util/macros.h"
#include "state/tbr_context.h"
#include "state/tbr_resource.h"
#include "vulkan/tbr_vulkan_context.h"

/* ---- of a shader --------------------------------------------------------------- */

/** Adds one that is not there yet, or a part of one that is. */
static void
add(struct tbr_descriptor_slots *slots, struct tbr_descriptor_place place, enum cm_descriptor_parts part)
{
   for (unsigned i = 0; i < slots->num_uses; i++) {
      if (slots->uses[i].set == place.set && slots->uses[i].first == place.index) {
         slots->uses[i].parts |= part;
         return;
      }
   }
   assert(place.set && slots->num_uses < TBR_MAX_DESCRIPTOR_USES);
   slots->uses[slots->num_uses++] =
      (struct tbr_descriptor_use){.set = place.set, .parts = part, .first = place.index, .count = 1};
}

static int
by_place(const void *left, const void *right)
{
   const struct tbr_descriptor_use *a = left, *b = right;
   if (a->set != b->set)
      return a->set < b->set ? -1 : 1;
   return a->first < b->first ? -1 : a->first > b->first;
}

/** Those that follow one another become one. */
static void
merge(struct tbr_descriptor_slots *slots)
{
   unsigned kept = 0;
   qsort(slots->uses, slots->num_uses, sizeof slots->uses[0], by_place);
   for (unsigned i = 0; i < slots->num_uses; i++) {
      const struct tbr_descriptor_use *use = &slots->uses[i];
      struct tbr_descriptor_use *last = kept ? &slots->uses[kept - 1] : NULL;
      if (last && last->set == use->set && last->parts == use->parts &&
          last->first + last->count == use->first)
         last->count++;
      else
         slots->uses[kept++] = *use;
   }
   slots->num_uses = kept;
}

void
tbr_vulkan_list_uses(struct tbr_descriptor_slots *slots)
{
   slots->num_uses = 0;
   for (unsigned i = 0; i < slots->num_textures; i++) {
      add(slots, slots->textures[i].texture, CM_DESCRIPTOR_RESOURCE);
      if (slots->textures[i].sampler.set)
         add(slots, slots->textures[i].sampler, CM_DESCRIPTOR_SAMPLER);
   }
   for (unsigned i = 1; i < slots->num_constants; i++) {
      if (i != slots->inline_slot)
         add(slots, slots->constants[i], CM_DESCRIPTOR_RESOURCE);
   }
   for (unsigned i = 0; i < slots->num_buffers; i++)
      add(slots, slots->buffers[i], CM_DESCRIPTOR_RESOURCE);
   for (unsigned i = 0; i < slots->num_images; i++)
      add(slots, slots->images[i], CM_DESCRIPTOR_RESOURCE);
   merge(slots);
}

/* ---- of a draw or a dispatch ------------------------------------------------------ */

static const uint8_t event_stages[PIPE_SHADER_TYPES] = {
   [PIPE_SHADER_VERTEX] = CM_SHADER_VERTEX,
   [PIPE_SHADER_TESS_CTRL] = CM_SHADER_TESS_CONTROL,
   [PIPE_SHADER_TESS_EVAL] = CM_SHADER_TESS_EVALUATION,
   [PIPE_SHADER_GEOMETRY] = CM_SHADER_GEOMETRY,
   [PIPE_SHADER_FRAGMENT] = CM_SHADER_FRAGMENT,
   [PIPE_SHADER_COMPUTE] = CM_SHADER_COMPUTE,
};

/** What a stage's shader names in the sets that are bound. False when out of memory. */
static bool
describe_stage(struct pipe_context *context, enum pipe_shader_type number, struct util_dynarray *described)
{
   const struct tbr_vulkan_stage *stage = &tbr_vulkan_context(context)->stages[number];
   const unsigned count = stage->slots ? stage->slots->num_uses : 0;
   for (unsigned i = 0; i < count; i++) {
      const struct tbr_descriptor_use *use = &stage->slots->uses[i];
      const struct pipe_constant_buffer *set = &stage->sets[use->set];
      const uint32_t set_size =
         set->buffer ? MIN2(set->buffer->width0 / sizeof(struct lp_descriptor), CM_MAX_SET_DESCRIPTORS) : 0;
      if (use->first >= set_size)
         continue;
      assert(!set->buffer_offset);
      struct tbr_named_descriptors *descriptors =
         util_dynarray_grow(described, struct tbr_named_descriptors, 1);
      if (!descriptors)
         return false;
      descriptors->set = tbr_resource(set->buffer);
      descriptors->named = (struct cm_descriptors){
         .set_size = set_size,
         .first = use->first,
         .count = MIN2(use->count, set_size - use->first),
         .stage = event_stages[number],
         .parts = use->parts,
      };
   }
   return true;
}

bool
tbr_vulkan_describe_uses(struct pipe_context *base, const enum pipe_shader_type *stages, unsigned count)
{
   struct tbr_context *context = tbr_context(base);
   struct util_dynarray *described = &context->vulkan->uses;
   util_dynarray_clear(described);
   if (!tbr_screen(base->screen)->model)
      return true;
   for (unsigned i = 0; i < count; i++) {
      if (!describe_stage(base, stages[i], described))
         return false;
   }
   context->descriptors = described->data;
   context->num_descriptors = util_dynarray_num_elements(described, struct tbr_named_descriptors);
   return true;
}
