/* SPDX-License-Identifier: MIT */
#include "geometry/tbr_draw_events.h"

#include <assert.h>
#include <string.h>

#include "draw/draw_context.h"
#include "draw/draw_private.h"
#include "util/format/u_format.h"
#include "util/log.h"
#include "util/u_atomic.h"
#include "util/u_prim.h"
#include "shader/tbr_gpu_shaders.h"
#include "pass/tbr_batch.h"
#include "geometry/tbr_binning.h"
#include "state/tbr_context.h"
#include "tile/tbr_draw_tests.h"
#include "state/tbr_resource.h"
#include "shader/tbr_shader.h"

static void
describe_elements(struct tbr_context *context, struct tbr_batch *batch, struct cm_draw *event)
{
   const struct tbr_vertex_elements *elements = context->vertex_elements;
   for (unsigned i = 0; i < MIN2(elements->count, CM_MAX_VERTEX_ELEMENTS); i++) {
      const struct pipe_vertex_element *element = &elements->elements[i];
      const struct pipe_vertex_buffer *buffer = &context->vertex_buffers[element->vertex_buffer_index];
      /* Vulkan's locations may have gaps. */
      if (!buffer->buffer.resource || element->src_format == PIPE_FORMAT_NONE)
         continue;
      assert(!buffer->is_user_buffer);
      struct cm_vertex_element *described = &event->elements[event->num_elements++];
      described->offset = buffer->buffer_offset + element->src_offset;
      described->stride = element->src_stride;
      described->bytes = util_format_get_blocksize(element->src_format);
      described->instance_divisor = element->instance_divisor;
      described->buffer = tbr_resource_announce(context, tbr_resource(buffer->buffer.resource));
   }
}

void
tbr_draw_events_describe_texture(struct tbr_context *context, const struct pipe_sampler_view *view,
                                 const struct pipe_sampler_state *sampler, struct cm_texture_binding *binding)
{
   /* Also where no fragment will read it: the consumer binds the textures of all draws. */
   binding->resource = tbr_resource_announce(context, tbr_resource(view->texture));
   binding->repeat_s = sampler && tbr_texture_repeats(sampler->wrap_s);
   binding->repeat_t = sampler && tbr_texture_repeats(sampler->wrap_t);
   if (view->target == PIPE_BUFFER) {
      binding->buffer_offset = view->u.buf.offset;
      binding->texel_bytes = util_format_get_blocksize(view->format);
   } else {
      binding->first_level = view->u.tex.first_level;
      binding->first_layer = view->target == PIPE_TEXTURE_3D ? 0 : view->u.tex.first_layer;
   }
}

static void
describe_textures(struct tbr_context *context, struct cm_draw *event)
{
   const uint32_t used = context->fragment_shader->textures_used;
   event->num_textures = util_last_bit(used);
   u_foreach_bit (unit, used) {
      const struct pipe_sampler_view *view = context->sampler_views[PIPE_SHADER_FRAGMENT][unit];
      const struct pipe_sampler_state *sampler = context->samplers[PIPE_SHADER_FRAGMENT][unit];
      if (view && view->texture)
         tbr_draw_events_describe_texture(context, view, sampler, &event->textures[unit]);
   }
}

void
tbr_draw_events_describe_image(struct tbr_context *context, const struct pipe_image_view *image,
                               struct cm_texture_binding *binding)
{
   binding->resource = tbr_resource_announce(context, tbr_resource(image->resource));
   if (image->resource->target == PIPE_BUFFER) {
      binding->buffer_offset = image->u.buf.offset;
      binding->texel_bytes = util_format_get_blocksize(image->format);
   } else {
      binding->first_level = image->u.tex.level;
      binding->first_layer = image->u.tex.first_layer;
   }
}

void
tbr_draw_events_describe_storage(struct tbr_context *context, unsigned stage, uint32_t buffers,
                                 uint32_t images, struct cm_storage *storage)
{
   storage->num_buffers = util_last_bit(buffers);
   u_foreach_bit (i, buffers) {
      const struct pipe_shader_buffer *buffer = &context->shader_buffers[stage][i];
      if (!buffer->buffer)
         continue;
      const uint32_t offset = MIN2(buffer->buffer_offset, buffer->buffer->width0);
      storage->buffers[i] = (struct cm_storage_buffer){
         .resource = tbr_resource_announce(context, tbr_resource(buffer->buffer)),
         .offset = offset,
         .bytes = MIN2(buffer->buffer_size, buffer->buffer->width0 - offset),
      };
   }
   storage->num_images = util_last_bit(images);
   u_foreach_bit (i, images) {
      const struct pipe_image_view *image = &context->images[stage][i];
      if (image->resource)
         tbr_draw_events_describe_image(context, image, &storage->images[i]);
   }
}

/** What the fragment shader accesses besides textures. False when out of memory. */
static bool
describe_storage(struct tbr_context *context, struct tbr_batch *batch, struct cm_draw *event)
{
   const struct tbr_fragment_shader *shader = context->fragment_shader;
   if (!tbr_fragment_shader_uses_storage(shader))
      return true;
   struct cm_storage *storage = util_dynarray_grow(&batch->events.storages, struct cm_storage, 1);
   if (!storage)
      return false;
   memset(storage, 0, sizeof *storage);
   tbr_draw_events_describe_storage(context, PIPE_SHADER_FRAGMENT, shader->buffers_used, shader->images_used,
                                    storage);
   event->storage = util_dynarray_num_elements(&batch->events.storages, struct cm_storage);
   return true;
}

bool
tbr_draw_events_describe_descriptors(struct tbr_context *context, bool fragment_alone,
                                     struct util_dynarray *described)
{
   for (unsigned d = 0; d < context->num_descriptors; d++) {
      const struct tbr_named_descriptors *descriptors = &context->descriptors[d];
      if (fragment_alone && descriptors->named.stage != CM_SHADER_FRAGMENT)
         continue;
      struct cm_descriptors *copy = util_dynarray_grow(described, struct cm_descriptors, 1);
      if (!copy)
         return false;
      *copy = descriptors->named;
      copy->set = tbr_resource_announce(context, descriptors->set);
   }
   return true;
}

/** Where they are those of the draw before, both share them. False when out of memory. */
static bool
describe_descriptors(struct tbr_context *context, struct tbr_batch *batch, bool fragment_alone,
                     struct cm_draw *event)
{
   struct util_dynarray *all = &batch->events.descriptors;
   const unsigned first = util_dynarray_num_elements(all, struct cm_descriptors);
   if (!tbr_draw_events_describe_descriptors(context, fragment_alone, all))
      return false;
   const unsigned count = util_dynarray_num_elements(all, struct cm_descriptors) - first;
   if (!count)
      return true;
   const unsigned draws = util_dynarray_num_elements(&batch->events.draws, struct cm_draw);
   const struct cm_draw *last =
      draws ? util_dynarray_element(&batch->events.draws, struct cm_draw, draws - 1) : NULL;
   const struct cm_descriptors *elements = all->data;
   event->num_descriptors = count;
   event->first_descriptor = first;
   if (last && last->num_descriptors == count &&
       !memcmp(elements + last->first_descriptor, elements + first, count * sizeof *elements)) {
      event->first_descriptor = last->first_descriptor;
      all->size = first * sizeof *elements;
   }
   return true;
}

static bool
changes_stencil(const struct tbr_stencil *stencil)
{
   return stencil->writemask &&
          (stencil->fail_op != PIPE_STENCIL_OP_KEEP || stencil->zfail_op != PIPE_STENCIL_OP_KEEP ||
           stencil->zpass_op != PIPE_STENCIL_OP_KEEP);
}

static bool
is_of_destination(enum pipe_blendfactor factor)
{
   switch (factor) {
   case PIPE_BLENDFACTOR_DST_ALPHA:
   case PIPE_BLENDFACTOR_DST_COLOR:
   case PIPE_BLENDFACTOR_INV_DST_ALPHA:
   case PIPE_BLENDFACTOR_INV_DST_COLOR:
   case PIPE_BLENDFACTOR_SRC_ALPHA_SATURATE: return true;
   default: return false;
   }
}

/** Whether what a colour buffer holds goes into what a draw writes there. */
static bool
reads_color(const struct tbr_draw_state *state, unsigned buffer, enum pipe_format format)
{
   const struct pipe_rt_blend_state *rt = &state->blend.rt[buffer];
   if (!util_format_colormask_full(util_format_description(format), rt->colormask))
      return true;
   if (state->blend.logicop_enable)
      return state->blend.logicop_func != PIPE_LOGICOP_CLEAR &&
             state->blend.logicop_func != PIPE_LOGICOP_SET &&
             state->blend.logicop_func != PIPE_LOGICOP_COPY &&
             state->blend.logicop_func != PIPE_LOGICOP_COPY_INVERTED;
   if (util_format_is_pure_integer(format))
      return false;
   if (state->blend.advanced_blend_func)
      return true;
   if (!rt->blend_enable)
      return false;
   return rt->rgb_func >= PIPE_BLEND_MIN || rt->alpha_func >= PIPE_BLEND_MIN ||
          rt->rgb_dst_factor != PIPE_BLENDFACTOR_ZERO || rt->alpha_dst_factor != PIPE_BLENDFACTOR_ZERO ||
          is_of_destination(rt->rgb_src_factor) || is_of_destination(rt->alpha_src_factor);
}

static void
describe_tests(const struct tbr_context *context, const struct tbr_batch *batch, struct cm_draw *event)
{
   const struct tbr_draw_state *state = context->draw_state;
   const struct tbr_pass *pass = &batch->pass;
   const struct tbr_draw_tests tests =
      tbr_draw_tests(state, pass->depth.memory != NULL, pass->stencil.memory != NULL);
   event->tests = (struct cm_fragment_tests){
      .depth_test = tests.depth_test && state->depth_func != PIPE_FUNC_ALWAYS,
      .depth_write = tests.depth_write && state->depth_func != PIPE_FUNC_NEVER,
      .stencil_test = tests.stencil_test,
      .stencil_write =
         tests.stencil_test && (changes_stencil(&state->stencil[0]) || changes_stencil(&state->stencil[1])),
      .late = !tests.early,
      .hierarchical = tests.hierarchical,
   };
   if (!state->shade)
      return;
   const uint32_t fetched = state->fetched & pass->attached;
   event->tests.depth_fetch = fetched >> TBR_DEPTH & 1;
   event->tests.stencil_fetch = fetched >> TBR_STENCIL & 1;
   event->tests.color_fetch = fetched >> TBR_COLOR0;
   u_foreach_bit (i, pass->attached >> TBR_COLOR0) {
      if (!state->blend.rt[i].colormask || !(state->color_outputs >> i & 1))
         continue;
      event->tests.color_write |= 1u << i;
      if (reads_color(state, i, pass->color[i].format))
         event->tests.color_read |= 1u << i;
   }
}

/** What a draw's primitives and fragments need, whichever draw call they are of; what the program calls it. False when
 * out of memory. */
static bool
describe_fragments(struct tbr_context *context, struct tbr_batch *batch, struct cm_draw *event)
{
   if (!context->rasterizer->rasterizer_discard)
      describe_tests(context, batch, event);
   const struct tbr_fragment_shader *fragment = context->fragment_shader;
   event->fragment_shader =
      (struct cm_shader){fragment->id, fragment->num_instructions, fragment->num_pushed_constants * 16};
   describe_textures(context, event);
   tbr_announce_shader(context, CM_SHADER_FRAGMENT, fragment->id, &context->fragment_shader->name,
                       fragment->regions);
   tbr_gpu_shader_announce(context, CM_SHADER_FRAGMENT, fragment->id, fragment->gpu);
   event->group = tbr_names_group(&context->names);
   event->marker = context->names.marker;
   event->call = context->names.call;
   return describe_storage(context, batch, event);
}

uint32_t
tbr_draw_events_constant_bytes(const struct tbr_context *context, unsigned stage, uint32_t buffers)
{
   uint32_t bytes = 0;
   u_foreach_bit (i, buffers)
      bytes += context->constants[stage][i].buffer_size;
   return bytes;
}

/** The indices that a draw reads, in the order of fetch, index bias applied. Past
 * the buffer's end and at primitive restart nothing is fetched. */
static bool
copy_indices(struct tbr_batch *batch, const struct pipe_draw_info *info,
             const struct pipe_draw_start_count_bias *draw, const void *indices, size_t available,
             struct cm_draw *event)
{
   const size_t first = MIN2(draw->start, available), count = MIN2(draw->count, available - first);
   event->first_vertex = util_dynarray_num_elements(&batch->events.vertices, uint32_t);
   uint32_t *vertices = count ? util_dynarray_grow(&batch->events.vertices, uint32_t, count) : NULL;
   if (count && !vertices)
      return false;
   uint32_t copied = 0;

   for (size_t i = first; i < first + count; i++) {
      const uint32_t index = tbr_draw_index(indices, info->index_size, i);
      if (!info->primitive_restart || index != info->restart_index)
         vertices[copied++] = index + draw->index_bias;
   }
   assert(copied <= count);
   event->num_vertices = copied;
   batch->events.vertices.size -= (count - copied) * sizeof(uint32_t);
   return true;
}

/** A shader that draw executes, or none. */
static struct cm_shader
describe_drawn_shader(struct tbr_context *context, struct tbr_drawn_shader *shader,
                      enum pipe_shader_type type, enum cm_shader_stage stage)
{
   if (!shader)
      return (struct cm_shader){0};
   tbr_announce_shader(context, stage, shader->id, &shader->name, shader->regions);
   tbr_gpu_shader_announce(context, stage, shader->id, shader->gpu);
   return (struct cm_shader){shader->id, shader->num_instructions,
                             tbr_draw_events_constant_bytes(context, type, TBR_ALL_CONSTANT_BUFFERS)};
}

static void
describe_drawn_shaders(struct tbr_context *context, struct cm_draw *event)
{
   event->vertex_shader =
      describe_drawn_shader(context, context->vertex_shader, PIPE_SHADER_VERTEX, CM_SHADER_VERTEX);
   event->control_shader =
      describe_drawn_shader(context, context->control_shader, PIPE_SHADER_TESS_CTRL, CM_SHADER_TESS_CONTROL);
   event->evaluation_shader = describe_drawn_shader(context, context->evaluation_shader,
                                                    PIPE_SHADER_TESS_EVAL, CM_SHADER_TESS_EVALUATION);
   event->geometry_shader =
      describe_drawn_shader(context, context->geometry_shader, PIPE_SHADER_GEOMETRY, CM_SHADER_GEOMETRY);
}

static void
describe_index_buffer(struct tbr_context *context, const struct pipe_draw_info *info,
                      const struct pipe_draw_start_count_bias *draw, struct cm_draw *event)
{
   event->index_bytes = info->index_size;
   event->index_offset = draw->start * info->index_size;
   if (info->has_user_indices) {
      event->index_buffer = tbr_resource_user_buffer(context);
   } else {
      event->index_buffer = tbr_resource_announce(context, tbr_resource(info->index.resource));
   }
}

/** The draw, once for each instance. False when out of memory. */
static bool
append_draws(struct tbr_binning *binning, struct tbr_batch *batch, const struct cm_draw *event,
             unsigned num_instances)
{
   assert(num_instances && batch->recorded && batch->state == TBR_BATCH_RECORDING);
   const uint32_t first = util_dynarray_num_elements(&batch->events.draws, struct cm_draw);
   struct cm_draw *draws = util_dynarray_grow(&batch->events.draws, struct cm_draw, num_instances);
   if (!draws)
      return false;
   for (unsigned i = 0; i < num_instances; i++) {
      draws[i] = *event;
      draws[i].instance = i;
      if (i)
         draws[i].indirect.buffer = 0;
   }
   binning->event_batch = batch;
   binning->first_event_draw = first;
   binning->num_event_draws = num_instances;
   return true;
}

bool
tbr_draw_events_record(struct tbr_context *context, struct tbr_batch *batch,
                       const struct pipe_draw_info *info, const struct pipe_draw_start_count_bias *draw,
                       const struct tbr_mapped_indices *indices)
{
   struct tbr_binning *binning = context->binning;
   struct cm_draw event;
   memset(&event, 0, sizeof event);
   describe_drawn_shaders(context, &event);
   event.first_instance = info->start_instance;
   event.num_vertices = draw->count;
   event.indirect = context->event_indirect;
   context->event_indirect.buffer = 0;
   event.first_vertex_number = draw->start;
   if (indices->data) {
      describe_index_buffer(context, info, draw, &event);
      if (!copy_indices(batch, info, draw, indices->data, indices->available, &event))
         return false;
   }
   describe_elements(context, batch, &event);
   return describe_fragments(context, batch, &event) && describe_descriptors(context, batch, false, &event) &&
          append_draws(binning, batch, &event, info->instance_count);
}

bool
tbr_draw_events_continue(struct tbr_context *context, struct tbr_batch *batch)
{
   struct tbr_binning *binning = context->binning;
   struct cm_draw event;
   memset(&event, 0, sizeof event);
   /* What the rest of the draw executes; the shaders have been fetched. */
   event.control_shader.instructions =
      context->control_shader ? context->control_shader->num_instructions : 0;
   event.evaluation_shader.instructions =
      context->evaluation_shader ? context->evaluation_shader->num_instructions : 0;
   event.geometry_shader.instructions =
      context->geometry_shader ? context->geometry_shader->num_instructions : 0;
   return describe_fragments(context, batch, &event) && describe_descriptors(context, batch, true, &event) &&
          append_draws(binning, batch, &event, 1);
}

/** The draw in progress, of an instance. */
static struct cm_draw *
event_draw(const struct tbr_binning *binning, uint32_t instance)
{
   assert(instance < binning->num_event_draws);
   assert((binning->first_event_draw + instance + 1) * sizeof(struct cm_draw) <=
          binning->event_batch->events.draws.size);
   return util_dynarray_element(&binning->event_batch->events.draws, struct cm_draw,
                                binning->first_event_draw + instance);
}

void
tbr_draw_events_texture_reads(struct tbr_context *context, uint32_t texture_reads)
{
   const struct tbr_binning *binning = context->binning;
   if (binning->event_batch)
      event_draw(binning, 0)->texture_reads += texture_reads;
}

void
tbr_draw_events_run_stages(struct tbr_context *context)
{
   struct tbr_binning *binning = context->binning;
   const struct pipe_query_data_pipeline_statistics *now = &context->draw->statistics;
   const struct pipe_query_data_pipeline_statistics then = binning->stages_run;
   if (!binning->event_batch || !context->draw->collect_statistics)
      return;
   const uint32_t instance = MIN2(context->draw->instance_id, binning->num_event_draws - 1);
   struct cm_draw *draw = event_draw(binning, instance);
   if (context->evaluation_shader) {
      draw->patches += now->ia_primitives - then.ia_primitives;
      draw->evaluation_invocations += now->ds_invocations - then.ds_invocations;
   }
   /* draw counts what they run for. */
   if (context->control_shader)
      draw->control_invocations +=
         (now->hs_invocations - then.hs_invocations) * context->control_shader->invocations;
   if (context->geometry_shader)
      draw->geometry_invocations +=
         (now->gs_invocations - then.gs_invocations) * context->geometry_shader->invocations;
   binning->stages_run = *now;
}

/* ---- transform feedback ------------------------------------------------- */

struct feedback_spans {
   unsigned count;
   struct cm_feedback spans[PIPE_MAX_SO_OUTPUTS];
};

/** The bytes of a vertex that the stream's outputs fill, neighbours together; offset
 * from the vertex' own. */
static void
find_spans(struct tbr_context *context, const struct pipe_stream_output_info *info, unsigned stream,
           struct feedback_spans *found)
{
   unsigned last_buffer = PIPE_MAX_SO_BUFFERS;
   found->count = 0;
   for (unsigned i = 0; i < info->num_outputs; i++) {
      const struct pipe_stream_output *output = &info->output[i];
      const struct pipe_stream_output_target *target = context->stream_output[output->output_buffer];
      if (output->stream != stream || !target)
         continue;
      const uint32_t offset = output->dst_offset * sizeof(float),
                     bytes = output->num_components * sizeof(float);
      struct cm_feedback *last = found->count ? &found->spans[found->count - 1] : NULL;
      if (last && last_buffer == output->output_buffer && last->offset + last->bytes == offset) {
         last->bytes += bytes;
         continue;
      }
      last_buffer = output->output_buffer;
      assert(found->count < ARRAY_SIZE(found->spans));
      found->spans[found->count++] = (struct cm_feedback){
         .buffer = tbr_resource_announce(context, tbr_resource(target->buffer)),
         .offset = offset,
         .stride = info->stride[output->output_buffer] * sizeof(float),
         .bytes = bytes,
         .records = output->output_buffer, /* until place_spans */
      };
   }
}

/** Where the last `records` vertices of the spans were written. */
static void
place_spans(const struct tbr_context *context, struct feedback_spans *found, uint32_t records)
{
   for (unsigned i = 0; i < found->count; i++) {
      struct cm_feedback *span = &found->spans[i];
      const struct draw_so_target *target = (struct draw_so_target *)context->stream_output[span->records];
      span->offset += target->target.buffer_offset + target->internal_offset - records * span->stride;
      span->records = records;
   }
}

/** Whether the spans go on where the draw's last ones, which are the batch's, end. */
static bool
extend_spans(struct tbr_batch *batch, const struct cm_draw *draw, const struct feedback_spans *found)
{
   if (draw->num_feedback < found->count)
      return false;
   assert(found->count * sizeof(struct cm_feedback) <= batch->events.feedback.size);
   struct cm_feedback *last = (struct cm_feedback *)util_dynarray_end(&batch->events.feedback) - found->count;
   for (unsigned i = 0; i < found->count; i++) {
      if (last[i].buffer != found->spans[i].buffer || last[i].bytes != found->spans[i].bytes ||
          last[i].offset + last[i].records * last[i].stride != found->spans[i].offset)
         return false;
   }
   for (unsigned i = 0; i < found->count; i++)
      last[i].records += found->spans[i].records;
   return true;
}

void
tbr_draw_events_capture(struct tbr_context *context, unsigned stream, unsigned primitives)
{
   struct tbr_binning *binning = context->binning;
   struct tbr_batch *batch = binning->event_batch;
   const struct tbr_drawn_shader *shader = tbr_last_drawn_shader(context);
   if (!batch || !primitives)
      return;

   const uint32_t vertices = tbr_binning_vertices_per_primitive(binning);
   const uint32_t instance = MIN2(context->draw->instance_id, binning->num_event_draws - 1);
   struct cm_draw *draw = event_draw(binning, instance);
   struct feedback_spans found;
   find_spans(context, &shader->stream_output, stream, &found);
   place_spans(context, &found, primitives * vertices);
   if (extend_spans(batch, draw, &found))
      return;
   const uint32_t first = util_dynarray_num_elements(&batch->events.feedback, struct cm_feedback);
   struct cm_feedback *spans = util_dynarray_grow(&batch->events.feedback, struct cm_feedback, found.count);
   if (!spans) {
      binning->out_of_memory = true;
      return;
   }
   if (!draw->num_feedback)
      draw->first_feedback = first;
   memcpy(spans, found.spans, found.count * sizeof *found.spans);
   draw->num_feedback += found.count;
}
