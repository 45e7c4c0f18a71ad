/* SPDX-License-Identifier: MIT */
/** draw_vbo: sends a draw through Mesa's draw module, which shades its vertices and
 * passes the primitives to tbr_binning.c. */
#include <assert.h>
#include <string.h>

#include "draw/draw_context.h"
#include "util/format/u_format.h"
#include "util/log.h"
#include "util/u_atomic.h"
#include "util/u_draw.h"
#include "util/u_memory.h"
#include "pass/tbr_batch.h"
#include "pass/tbr_hazards.h"
#include "geometry/tbr_binning.h"
#include "state/tbr_context.h"
#include "tile/tbr_decoding.h"
#include "geometry/tbr_draw_events.h"
#include "geometry/tbr_draw_state.h"
#include "geometry/tbr_drawn_storage.h"
#include "pass/tbr_pixel_local.h"
#include "model/tbr_process.h"
#include "state/tbr_resource.h"
#include "shader/tbr_shader.h"
#include "geometry/tbr_vertex_accesses.h"

/* ---- queries ------------------------------------------------------------- */

/** Enables the statistics in draw that the active queries need of the next draw. */
static void
begin_counting(struct tbr_context *context)
{
   struct tbr_binning *binning = context->binning;
   const bool active = !context->queries_paused;
   /* The event stream has how often the stages behind the vertices ran, and what vertices read of textures; draw tells
    * after each part of a draw. */
   const bool stages = context->evaluation_shader || context->geometry_shader;
   const bool parts = stages || context->vertex_shader->num_logged > 0;
   binning->counts_statistics = active && context->num_active_statistics > 0;
   binning->counts_primitives =
      (active && context->num_active_primitives > 0) || context->num_stream_output > 0;
   draw_collect_pipeline_statistics(context->draw, stages || binning->counts_statistics);
   draw_collect_primitives_generated(context->draw, parts || (active && context->num_active_primitives > 0));
}

/** After a draw: what primitive assembly counted. */
static void
end_counting(struct tbr_context *context)
{
   struct tbr_binning *binning = context->binning;
   if (!context->queries_paused)
      context->statistics.c_primitives += binning->clipped_primitives;
   binning->clipped_primitives = 0;
}

/* ---- state --------------------------------------------------------------- */

/** Notes which buffers the draw depends on and which it may change. */
static void
note_transfers(struct tbr_batch *batch, const struct tbr_draw_state *state)
{
   if (state->depth_test)
      batch->read |= PIPE_CLEAR_DEPTH;
   if (state->depth_write)
      batch->written |= PIPE_CLEAR_DEPTH;
   if (state->stencil_test) {
      batch->read |= PIPE_CLEAR_STENCIL;
      batch->written |= PIPE_CLEAR_STENCIL;
   }
   if (!state->shade)
      return;
   batch->read |= state->fetched;
   for (unsigned i = 0; i < batch->pass.num_color; i++) {
      if (state->blend.rt[i].colormask && state->color_outputs >> i & 1)
         batch->written |= PIPE_CLEAR_COLOR0 << i;
   }
}

static const struct tbr_draw_state *
state_of(const struct tbr_binning *binning)
{
   assert(binning->state <
          util_dynarray_num_elements(&binning->batch->states, const struct tbr_draw_state *));
   return *util_dynarray_element(&binning->batch->states, const struct tbr_draw_state *, binning->state);
}

/** Adds a copy of the state, which stays as long as the batch, and returns its index; TBR_NO_STATE when out of
 * memory. */
static uint32_t
append_state(struct tbr_batch *batch, const struct tbr_draw_state *state, struct tbr_draw_state **copy)
{
   assert(batch->state == TBR_BATCH_RECORDING && !batch->closed);
   *copy = tbr_batch_allocate(batch, sizeof **copy);
   const struct tbr_draw_state **appended =
      *copy ? util_dynarray_grow(&batch->states, const struct tbr_draw_state *, 1) : NULL;
   if (!appended)
      return TBR_NO_STATE;
   **copy = *state;
   *appended = *copy;
   return util_dynarray_num_elements(&batch->states, const struct tbr_draw_state *) - 1;
}

static void
use_viewport_state(struct tbr_binning *binning, unsigned viewport)
{
   assert(binning->viewport_states[viewport] != TBR_NO_STATE);
   binning->viewport = viewport;
   binning->state = binning->viewport_states[viewport];
   const struct tbr_draw_state *state = state_of(binning);
   binning->x0 = state->scissor_x0;
   binning->y0 = state->scissor_y0;
   binning->x1 = state->scissor_x1;
   binning->y1 = state->scissor_y1;
}

/** Gives the batch a draw state for the next primitives, which belong to the
 * event stream's draw event_draw. */
static bool
begin_state(struct tbr_context *context, struct tbr_batch *batch, uint32_t event_draw)
{
   struct tbr_binning *binning = context->binning;
   struct tbr_draw_state *current = context->draw_state;

   if (context->pixel_local && !tbr_pixel_local_attach(context, batch))
      return false;
   tbr_draw_state_check_constants(context);
   if (context->dirty) {
      if (!tbr_draw_state_update(context, batch, current))
         return false;
      if (context->dirty & TBR_DIRTY_LAYOUT)
         tbr_binning_lay_out(context);
   }
   current->event_draw = event_draw;
   const bool same = !context->dirty && batch->states.size && !batch->recorded;
   context->dirty = 0;
   if (!same) {
      struct tbr_draw_state *state;
      const uint32_t index = append_state(batch, current, &state);
      if (index == TBR_NO_STATE)
         return false;
      memset(binning->viewport_states, 0xff, sizeof binning->viewport_states);
      binning->viewport_states[0] = index;
   }
   note_transfers(batch, current);
   batch->drawn = true;
   if (batch->stale_fronts)
      tbr_batch_refresh_fronts(batch);
   tbr_batch_revalidate(batch);
   binning->batch = batch;
   binning->event_draw = current->event_draw;
   use_viewport_state(binning, 0);
   return true;
}

/** Index in the event stream of the batch's next draw. */
static uint32_t
num_event_draws(const struct tbr_batch *batch)
{
   return util_dynarray_num_elements(&batch->events.draws, struct cm_draw);
}

bool
tbr_draw_select_viewport(struct tbr_context *context, unsigned viewport)
{
   struct tbr_binning *binning = context->binning;
   struct tbr_batch *batch = binning->batch;
   assert(viewport < PIPE_MAX_VIEWPORTS && batch == context->batch);
   if (viewport == binning->viewport)
      return true;
   if (binning->viewport_states[viewport] == TBR_NO_STATE) {
      struct tbr_draw_state *state;
      const uint32_t index = append_state(batch, state_of(binning), &state);
      if (index == TBR_NO_STATE)
         return false;
      tbr_draw_state_set_viewport(context, batch, viewport, state);
      binning->viewport_states[viewport] = index;
   }
   use_viewport_state(binning, viewport);
   return true;
}

bool
tbr_draw_refresh_state(struct tbr_context *context)
{
   struct tbr_binning *binning = context->binning;
   assert(binning->batch && binning->batch == context->batch);
   return !context->dirty || begin_state(context, binning->batch, binning->event_draw);
}

/** Adds what the shaders before the rasterizer have accessed so far to the draw's events. */
static void
take_vertex_accesses(struct tbr_context *context)
{
   if (context->vertex_accesses && !tbr_vertex_accesses_end(context)) {
      mesa_loge(
         "out of memory for what a draw's vertices access, or more than 26 million accesses of some 4,096 "
         "vertices, or 89 million of a draw; the process ends");
      tbr_process_abort();
   }
}

bool
tbr_draw_continue(struct tbr_context *context)
{
   assert(context->batch && context->batch == context->binning->batch);
   /* What has run and been fetched of the draw in progress stays with the pass it was done in. */
   tbr_draw_events_run_stages(context);
   take_vertex_accesses(context);
   tbr_batch_submit(context, CM_END_MEMORY);
   tbr_drawn_storage_wait(context);
   struct tbr_batch *batch = tbr_batch_get(context);
   const unsigned viewport = context->binning->viewport;
   context->binning->batch = NULL;
   if (!batch || !begin_state(context, batch, num_event_draws(batch)) ||
       !tbr_draw_select_viewport(context, viewport) ||
       (batch->recorded && !tbr_draw_events_continue(context, batch))) {
      context->binning->event_batch = NULL;
      context->binning->out_of_memory = true;
      return false;
   }
   if (!batch->recorded)
      context->binning->event_batch = NULL;
   return true;
}

/* ---- buffers and textures that draw reads ---------------------------------- */

/** Waits for batches whose shaders store to a buffer that is read now. Most buffers are never stored to. */
static void
wait_for_stores(struct tbr_context *context, struct pipe_resource *buffer)
{
   if (buffer && (p_atomic_read(&tbr_resource(buffer)->last_write) || tbr_resource(buffer)->address_number))
      tbr_resource_wait(context, tbr_resource(buffer), false, CM_END_DRAW);
}

static void
wait_for_buffers(struct tbr_context *context, const struct pipe_draw_info *info)
{
   for (unsigned i = 0; i < context->num_vertex_buffers; i++)
      wait_for_stores(context, context->vertex_buffers[i].buffer.resource);
   if (info->index_size && !info->has_user_indices)
      wait_for_stores(context, info->index.resource);
   u_foreach_bit (i, context->fragment_buffers)
      wait_for_stores(context, context->constants[PIPE_SHADER_FRAGMENT][i].buffer);
   for (unsigned stage = 0; stage < PIPE_SHADER_TYPES; stage++) {
      u_foreach_bit (i, context->mapped_constants[stage])
         wait_for_stores(context, context->constants[stage][i].buffer);
   }
}

static void
map_vertex_buffers(struct tbr_context *context)
{
   for (unsigned i = 0; i < context->num_vertex_buffers; i++) {
      const struct pipe_vertex_buffer *buffer = &context->vertex_buffers[i];
      assert(!buffer->is_user_buffer);
      if (buffer->buffer.resource) {
         tbr_resource_hold(tbr_resource(buffer->buffer.resource), &context->held.vertices[i]);
         draw_set_mapped_vertex_buffer(context->draw, i, context->held.vertices[i]->memory,
                                       buffer->buffer.resource->width0);
      }
   }
}

static void
unmap_vertex_buffers(struct tbr_context *context)
{
   for (unsigned i = 0; i < context->num_vertex_buffers; i++)
      draw_set_mapped_vertex_buffer(context->draw, i, NULL, 0);
}

/** For a stage that draw executes, which happens now: a texture that is still being rendered must be
 * waited for. One that is bound but not read, left by another program, must not end the pass. */
static void
map_stage_textures(struct tbr_context *context, enum pipe_shader_type stage,
                   const struct tbr_drawn_shader *shader)
{
   for (unsigned i = 0; shader && i < context->num_sampler_views[stage]; i++) {
      const struct pipe_sampler_view *view = context->sampler_views[stage][i];
      if (!view || !view->texture)
         continue;
      struct tbr_resource *resource = tbr_resource(view->texture);
      uint32_t row_stride[PIPE_MAX_TEXTURE_LEVELS] = {0}, layer_stride[PIPE_MAX_TEXTURE_LEVELS] = {0};
      uint32_t offsets[PIPE_MAX_TEXTURE_LEVELS] = {0};
      unsigned first_level = 0, last_level = 0;
      uint32_t width = resource->base.width0, depth = resource->base.depth0;

      if (shader->reads_textures) {
         tbr_resource_wait(context, resource, false, CM_END_DRAW);
         tbr_resource_announce_read(context, resource);
      }
      tbr_resource_hold(resource, &context->held.textures[stage][i]);
      const uint8_t *base = context->held.textures[stage][i]->memory;
      if (view->target == PIPE_BUFFER) {
         const uint32_t offset = MIN2(view->u.buf.offset, width);
         const uint32_t texels =
            MIN2(view->u.buf.size, width - offset) / util_format_get_blocksize(view->format);
         width = MIN2(texels, TBR_MAX_BUFFER_TEXELS);
         base += offset;
      } else {
         first_level = view->u.tex.first_level;
         last_level = MIN2(view->u.tex.last_level, resource->base.last_level);
         if (view->target != PIPE_TEXTURE_3D)
            depth = view->u.tex.last_layer - view->u.tex.first_layer + 1;
         const struct tbr_resource *sampled = tbr_sampled_resource(view);
         for (unsigned level = first_level; level <= last_level; level++) {
            row_stride[level] = sampled->row_stride[level];
            layer_stride[level] = sampled->layer_stride[level];
            offsets[level] = sampled->level_offset[level];
            if (view->target != PIPE_TEXTURE_3D)
               offsets[level] += view->u.tex.first_layer * sampled->layer_stride[level];
         }
      }
      draw_set_mapped_texture(context->draw, stage, i, width, resource->base.height0, depth, first_level,
                              last_level, resource->base.nr_samples, resource->sample_stride, base,
                              row_stride, layer_stride, offsets);
   }
}

static void
map_textures(struct tbr_context *context)
{
   for (unsigned stage = 0; stage < CM_PRERASTER_STAGES; stage++)
      map_stage_textures(context, tbr_drawn_stages[stage],
                         tbr_drawn_shader(context, tbr_drawn_stages[stage]));
}

/* ---- transform feedback ---------------------------------------------------- */

/** draw writes what it captures at once. What batches still read of the buffers
 * must survive. */
static void
map_feedback_buffers(struct tbr_context *context)
{
   for (unsigned i = 0; i < context->num_stream_output; i++) {
      struct draw_so_target *target = (struct draw_so_target *)context->stream_output[i];
      if (!target)
         continue;
      struct tbr_resource *resource = tbr_resource(target->target.buffer);
      tbr_resource_prepare_write(context, resource, CM_END_DRAW);
      p_atomic_inc(&resource->writes);
      tbr_resource_hold(resource, &context->held.feedback[i]);
      target->mapping = context->held.feedback[i]->memory;
   }
   draw_set_mapped_so_targets(context->draw, context->num_stream_output,
                              (struct draw_so_target **)context->stream_output);
}

static void
unmap_feedback_buffers(struct tbr_context *context)
{
   draw_set_mapped_so_targets(context->draw, 0, NULL);
}

/** The vertices of glDrawTransformFeedback: as many as have been captured. */
static struct pipe_draw_start_count_bias
count_captured(const struct tbr_context *context, const struct pipe_draw_indirect_info *indirect,
               const struct pipe_draw_start_count_bias *draw)
{
   const struct draw_so_target *target = (struct draw_so_target *)indirect->count_from_stream_output;
   const struct tbr_vertex_elements *elements = context->vertex_elements;
   const unsigned stride = elements->count ? elements->elements[0].src_stride : 0;
   struct pipe_draw_start_count_bias resolved = *draw;
   resolved.count = stride ? target->internal_offset / stride : 0;
   return resolved;
}

/* ---- draw_vbo -------------------------------------------------------------- */

static struct tbr_mapped_indices
map_indices(struct tbr_context *context, const struct pipe_draw_info *info)
{
   struct tbr_mapped_indices indices = {0};
   if (!info->index_size)
      return indices;

   uint32_t bytes = ~0u;
   indices.data = info->index.user;
   indices.available = ~(size_t)0;
   if (!info->has_user_indices) {
      bytes = info->index.resource->width0;
      tbr_resource_hold(tbr_resource(info->index.resource), &context->held.indices);
      indices.data = context->held.indices->memory;
      indices.available = bytes / info->index_size;
   }
   draw_set_indexes(context->draw, indices.data, info->index_size, bytes);
   return indices;
}

/** Whether the application's range of indices is right
 * (glDrawRangeElements): draw shades just that range, and would read past it. */
static bool
are_bounds_true(const struct pipe_draw_info *info, const struct pipe_draw_start_count_bias *draw,
                const struct tbr_mapped_indices *indices)
{
   const size_t first = MIN2(draw->start, indices->available);
   const size_t end = first + MIN2(draw->count, indices->available - first);
   for (size_t i = first; i < end; i++) {
      const uint32_t index = tbr_draw_index(indices->data, info->index_size, i);
      if ((index < info->min_index || index > info->max_index) &&
          !(info->primitive_restart && index == info->restart_index))
         return false;
   }
   return true;
}

static bool
can_draw(const struct tbr_context *context)
{
   return context->vertex_shader && context->fragment_shader && context->rasterizer && context->blend &&
          context->depth_stencil && context->vertex_elements;
}

static bool
has_framebuffer(const struct tbr_context *context)
{
   return context->framebuffer.width && context->framebuffer.height;
}

static void
draw_one(struct tbr_context *context, const struct pipe_draw_info *info, unsigned drawid_offset,
         const struct pipe_draw_start_count_bias *draw, const struct tbr_mapped_indices *indices,
         bool rasterize)
{
   struct tbr_binning *binning = context->binning;
   binning->batch = binning->event_batch = NULL;
   binning->input_primitive = info->mode;
   struct tbr_batch *batch = has_framebuffer(context) ? tbr_batch_get(context) : NULL;
   if (rasterize && (!batch || !begin_state(context, batch, num_event_draws(batch)))) {
      mesa_loge("a draw was lost: its fragment shader could not be compiled, or out of memory");
      return;
   }
   if (batch && batch->recorded && !tbr_draw_events_record(context, batch, info, draw, indices)) {
      mesa_loge("out of memory for a draw's events; the process ends");
      tbr_process_abort();
   }
   struct pipe_draw_info checked = *info;
   if (indices->data && info->index_bounds_valid && !are_bounds_true(info, draw, indices))
      checked.index_bounds_valid = false;
   tbr_vertex_accesses_begin(context);
   memset(&binning->stages_run, 0, sizeof binning->stages_run);
   draw_vbo(context->draw, &checked, drawid_offset, NULL, draw, 1, context->patch_vertices);
   draw_flush(context->draw);
   take_vertex_accesses(context);
   if (context->vertex_accesses)
      tbr_draw_events_texture_reads(context, tbr_vertex_accesses_texture_reads(context->vertex_accesses));
   end_counting(context);
   if (binning->out_of_memory) {
      mesa_loge("primitives were lost: out of memory for the Parameter Buffer");
      binning->out_of_memory = false;
   }
}

void
tbr_draw_select_view(struct tbr_context *context, unsigned view, unsigned mask)
{
   draw_set_viewmask(context->draw, mask);
   context->binning->view = context->draw_state->resources.view = view;
   context->dirty |= TBR_DIRTY_FRAMEBUFFER;
}

/** A draw into several views is a draw for each: vertices are fetched and shaded again. */
static void
draw_views(struct tbr_context *context, const struct pipe_draw_info *info, unsigned drawid_offset,
           const struct pipe_draw_start_count_bias *draw, const struct tbr_mapped_indices *indices,
           bool rasterize)
{
   if (!context->framebuffer.viewmask) {
      draw_one(context, info, drawid_offset, draw, indices, rasterize);
      return;
   }
   u_foreach_bit (view, context->framebuffer.viewmask) {
      tbr_draw_select_view(context, view, 1u << view);
      draw_one(context, info, drawid_offset, draw, indices, rasterize);
   }
   tbr_draw_select_view(context, 0, 0);
}

/** Draws with parameters of a buffer, one draw after another. */
static void
draw_indirect(struct tbr_context *context, const struct pipe_draw_info *info, unsigned drawid_offset,
              const struct pipe_draw_indirect_info *indirect)
{
   context->indirect = (struct tbr_indirect){
      .buffer = tbr_resource_announce(context, tbr_resource(indirect->buffer)),
      .offset = indirect->offset,
      .stride = indirect->stride,
      .bytes = info->index_size ? 5 * sizeof(uint32_t) : 4 * sizeof(uint32_t),
   };
   util_draw_indirect(&context->base, info, drawid_offset, indirect);
   context->indirect.buffer = 0;
}

static void
draw_vbo_function(struct pipe_context *pipe, const struct pipe_draw_info *info, unsigned drawid_offset,
                  const struct pipe_draw_indirect_info *indirect,
                  const struct pipe_draw_start_count_bias *draws, unsigned num_draws)
{
   struct tbr_context *context = tbr_context(pipe);
   if (indirect && indirect->buffer) {
      draw_indirect(context, info, drawid_offset, indirect);
      return;
   }
   const struct tbr_indirect parameters = context->indirect;
   context->indirect.offset += context->indirect.stride;
   if (!info->instance_count || !can_draw(context) || !tbr_render_condition_passes(context))
      return;
   struct pipe_draw_start_count_bias captured;
   if (indirect && indirect->count_from_stream_output) {
      captured = count_captured(context, indirect, &draws[0]);
      draws = &captured;
      num_draws = 1;
   }

   /* Textures, storage and feedback first: waiting may submit the batch. */
   map_textures(context);
   if (!tbr_drawn_storage_map(context)) {
      mesa_loge("a draw was lost: out of memory");
      return;
   }
   if (context->num_stream_output)
      map_feedback_buffers(context);
   wait_for_buffers(context, info);
   map_vertex_buffers(context);
   tbr_context_refresh_constants(context);
   const struct tbr_mapped_indices indices = map_indices(context, info);
   const bool rasterize = !context->rasterizer->rasterizer_discard && has_framebuffer(context);

   context->event_indirect = (struct cm_indirect){parameters.buffer, parameters.offset, parameters.bytes};
   begin_counting(context);
   for (unsigned i = 0; i < num_draws; i++) {
      if (draws[i].count)
         draw_views(context, info, drawid_offset + (info->increment_draw_id ? i : 0), &draws[i], &indices,
                    rasterize);
   }
   tbr_drawn_storage_end_draws(context);
   context->binning->batch = context->binning->event_batch = NULL;

   unmap_vertex_buffers(context);
   if (context->num_stream_output)
      unmap_feedback_buffers(context);
   if (indices.data)
      draw_set_indexes(context->draw, NULL, 0, 0);
   if (context->vertex_marks->loops_ended)
      p_atomic_set(&tbr_screen(pipe->screen)->loops_ended, 1);
   tbr_screen_note_ended_loops(tbr_screen(pipe->screen));
}

bool
tbr_draw_init_context(struct tbr_context *context)
{
   context->base.draw_vbo = draw_vbo_function;
   context->draw_state = CALLOC_STRUCT(tbr_draw_state);
   context->empty_texture = CALLOC_STRUCT(tbr_texture_binding);
   if (!context->draw_state || !context->empty_texture)
      return false;
   tbr_texture_binding_init_empty(context->empty_texture);
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   context->draw_state->resources.query_size = tbr_texture_query_size;
   context->draw_state->resources.load_store = tbr_isa_get()->load_store;
   context->draw_state->resources.query_storage = tbr_load_store_query_size;
   context->draw_state->resources.loops_ended =
      (struct tbr_constant_buffer){&screen->loops_ended, sizeof screen->loops_ended};
   return true;
}

void
tbr_draw_destroy_context(struct tbr_context *context)
{
   FREE(context->draw_state);
   FREE(context->empty_texture);
}
