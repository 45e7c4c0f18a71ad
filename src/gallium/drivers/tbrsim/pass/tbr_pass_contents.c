/* SPDX-License-Identifier: MIT */
#include "pass/tbr_pass_contents.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/u_atomic.h"
#include "util/u_math.h"
#include "util/u_memory.h"
#include "pass/tbr_batch.h"
#include "state/tbr_context.h"
#include "state/tbr_resource.h"
#include "state/tbr_screen.h"
#include "state/tbr_signatures.h"
#include "tile/tbr_tile_content.h"

/** A pass to certain attachments: the first one of each frame, the second … are others, in this order in the screen's list. */
struct tbr_pass_history {
   uint64_t attachments;                              /**< signature */
   uint32_t frame;                                    /**< of the last such pass */
   struct tbr_pass_inputs *inputs[CM_EARLIER_FRAMES]; /**< of frame f at f % CM_EARLIER_FRAMES; or NULL */
};

static void
release_inputs(struct tbr_pass_inputs *inputs)
{
   if (inputs && !p_atomic_dec_return(&inputs->users))
      FREE(inputs);
}

/* ---- surfaces ------------------------------------------------------------------- */

/** Whether pixels first … end of a row, or a column, of an image are whole groups of it. */
static bool
has_whole_groups(uint32_t first, uint32_t end, uint32_t size)
{
   return first % CM_GROUP_SIZE == 0 && (end % CM_GROUP_SIZE == 0 || end == size);
}

static bool
is_whole(const struct tbr_resource *resource, unsigned level, uint32_t x, uint32_t y, uint32_t width,
         uint32_t height)
{
   return has_whole_groups(x, x + width, u_minify(resource->base.width0, level)) &&
          has_whole_groups(y, y + height, u_minify(resource->base.height0, level));
}

/** layers: of the surface that are attached. */
static void
find_signatures(struct tbr_surface_content *surface, struct tbr_storage *storage,
                const struct tbr_resource *resource, unsigned level, unsigned layer, unsigned layers)
{
   surface->version = tbr_resource_version(resource);
   if (storage && layers == 1 && resource->base.nr_samples <= 1 && tbr_resource_is_own(resource))
      surface->signatures = tbr_storage_signatures(storage, resource, level, layer);
}

/** The batch's reference to the memory that it uses of the resource; NULL: the resource has another one by now. */
static struct tbr_storage *
held_storage(const struct tbr_batch *batch, const struct tbr_resource *resource)
{
   struct tbr_storage *storage = p_atomic_read(&resource->storage);
   return tbr_batch_holds(batch, storage) ? storage : NULL;
}

static bool
shares_memory(const struct tbr_pass *pass)
{
   return pass->depth.memory && pass->depth.memory == pass->stencil.memory;
}

static void
describe_attachment(struct tbr_batch *batch, struct tbr_pass_contents *contents, enum tbr_attachment_number i)
{
   const struct tbr_pass *pass = &batch->pass;
   const struct tbr_attachment *attachment = &pass->attachment[i];
   const struct pipe_surface *view = batch->surfaces[i];
   const struct tbr_resource *resource = tbr_resource(view->texture);
   struct tbr_surface_content *surface = &contents->attachment[i];
   const bool fits = tbr_describe_pixel(attachment->format, &surface->layout) && attachment->samples == 1 &&
                     pass->tile_size >= CM_GROUP_SIZE &&
                     is_whole(resource, view->u.tex.level, 0, 0, pass->width, pass->height);
   if (!fits)
      return;
   find_signatures(surface, held_storage(batch, resource), resource, view->u.tex.level,
                   view->u.tex.first_layer, attachment->layers);
   /* Depth and stencil that share pixels are stored with depth. */
   surface->stored = attachment->store && !(i == TBR_STENCIL && shares_memory(pass));
}

static struct tbr_resource *
resolve_target(const struct tbr_batch *batch, unsigned color)
{
   return tbr_resource(batch->resolved[color] ? batch->resolved[color]
                                              : batch->surfaces[TBR_COLOR0 + color]->texture);
}

static void
describe_resolve(struct tbr_batch *batch, struct tbr_pass_contents *contents, unsigned color)
{
   const struct tbr_resolve *resolve = &batch->pass.resolve[color];
   const struct cm_resolve *event = &batch->events.pass.resolve[color];
   const struct tbr_resource *resource = resolve_target(batch, color);
   struct tbr_surface_content *surface = &contents->resolve[color];
   const bool fits = tbr_describe_pixel(resolve->to, &surface->layout) && !event->flip_y &&
                     batch->pass.tile_size >= CM_GROUP_SIZE && resolve->x0 % CM_GROUP_SIZE == 0 &&
                     resolve->y0 % CM_GROUP_SIZE == 0 &&
                     is_whole(resource, event->level, event->target_x, event->target_y,
                              resolve->x1 - resolve->x0, resolve->y1 - resolve->y0);
   if (!fits)
      return;
   find_signatures(surface, held_storage(batch, resource), resource, event->level, event->layer,
                   resolve->more_layers + 1);
   surface->column = event->target_x / CM_GROUP_SIZE;
   surface->row = event->target_y / CM_GROUP_SIZE;
   surface->stored = true;
}

/** An image that a pass stores twice, as desktop OpenGL allows, has no signatures. */
static void
drop_repeated(struct tbr_pass_contents *contents)
{
   struct tbr_surface_content *surfaces[TBR_NUM_ATTACHMENTS + TBR_MAX_COLOR_BUFFERS];
   unsigned count = 0;
   for (unsigned i = 0; i < TBR_NUM_ATTACHMENTS; i++)
      surfaces[count++] = &contents->attachment[i];
   for (unsigned c = 0; c < TBR_MAX_COLOR_BUFFERS; c++)
      surfaces[count++] = &contents->resolve[c];
   for (unsigned a = 0; a < count; a++) {
      struct tbr_signatures *signatures = surfaces[a]->signatures;
      for (unsigned b = a + 1; b < count && signatures && surfaces[a]->stored; b++) {
         if (surfaces[b]->stored && surfaces[b]->signatures == signatures)
            surfaces[a]->signatures = surfaces[b]->signatures = NULL;
      }
   }
}

/** What is stored without its signatures being kept has others afterwards. contents: NULL: none are kept. */
static void
forget_stored(struct tbr_batch *batch, const struct tbr_pass_contents *contents)
{
   const struct tbr_pass *pass = &batch->pass;
   u_foreach_bit (i, pass->attached) {
      const enum tbr_attachment_number kept = i == TBR_STENCIL && shares_memory(pass) ? TBR_DEPTH : i;
      if (pass->attachment[i].store &&
          !(contents && contents->attachment[kept].stored && contents->attachment[kept].signatures))
         p_atomic_inc(&tbr_resource(batch->surfaces[i]->texture)->writes);
   }
   for (unsigned c = 0; c < pass->num_color; c++) {
      if (pass->resolve[c].memory &&
          !(contents && contents->resolve[c].stored && contents->resolve[c].signatures))
         p_atomic_inc(&resolve_target(batch, c)->writes);
   }
}

/* ---- inputs ---------------------------------------------------------------------- */

uint64_t
tbr_texture_inputs(const struct pipe_sampler_view *view)
{
   const struct tbr_resource *resource = tbr_resource(view->texture);
   /* Buffers may be written while draws that read them are recorded. */
   if (view->target == PIPE_BUFFER || !tbr_resource_is_own(resource))
      return TBR_UNKNOWN_SIGNATURE;
   const uint64_t state[] = {tbr_resource_version(resource), p_atomic_read(&resource->last_write)};
   return tbr_signature(state, sizeof state, 0);
}

static uint64_t
add_textures(const struct tbr_draw_state *state, const struct tbr_texture_binding *empty, uint64_t signature)
{
   for (unsigned unit = 0; unit < TBR_MAX_TEXTURES; unit++) {
      const struct tbr_texture_binding *binding = state->resources.textures[unit];
      if (binding == empty)
         continue;
      if (binding->inputs == TBR_UNKNOWN_SIGNATURE)
         return TBR_UNKNOWN_SIGNATURE;
      signature = tbr_signature(binding, sizeof *binding, signature);
   }
   return signature;
}

static uint64_t
draw_inputs(const struct tbr_draw_state *state, const struct tbr_texture_binding *empty)
{
   if (state->writes_memory || state->resources.storage || state->occlusion_counter ||
       state->invocation_counter)
      return TBR_UNKNOWN_SIGNATURE;
   struct tbr_draw_state values;
   memcpy(&values, state, sizeof values);
   /* Pointers and numbers differ from frame to frame, or are of what follows. */
   values.shade = NULL;
   values.regions = NULL;
   values.event_draw = 0;
   memset(&values.resources, 0, sizeof values.resources);
   values.resources.view = state->resources.view;
   const bool shades = state->shade;
   uint64_t signature = tbr_signature(&values, sizeof values, shades);
   if (!shades)
      return signature;
   for (unsigned i = 0; i < TBR_MAX_CONSTANT_BUFFERS; i++) {
      const struct tbr_constant_buffer *constants = &state->resources.constants[i];
      if (constants->num_words)
         signature = tbr_signature(constants->words, constants->num_words * sizeof(uint32_t), signature + i);
   }
   return add_textures(state, empty, signature);
}

static uint64_t
pass_inputs(const struct tbr_batch *batch)
{
   const struct tbr_pass *pass = &batch->pass;
   if (batch->stores)
      return TBR_UNKNOWN_SIGNATURE;
   const uint32_t size[] = {pass->width, pass->height, pass->tile_size, pass->samples, pass->attached};
   uint64_t signature = tbr_signature(size, sizeof size, 0);
   u_foreach_bit (i, pass->attached) {
      const struct tbr_attachment *attachment = &pass->attachment[i];
      const uint32_t begin[] = {attachment->format, attachment->load, attachment->clear, attachment->store,
                                attachment->layers};
      signature = tbr_signature(begin, sizeof begin, signature);
      if (attachment->clear)
         signature = tbr_signature(&attachment->clear_value, sizeof attachment->clear_value, signature);
   }
   return signature;
}

/** Where the pass stores to, whatever it stores. */
static uint64_t
sign_attachments(const struct tbr_batch *batch)
{
   uint64_t signature = 1;
   u_foreach_bit (i, batch->pass.attached) {
      const struct pipe_surface *view = batch->surfaces[i];
      const uint32_t image[] = {i, tbr_resource(view->texture)->id, view->u.tex.level,
                                view->u.tex.first_layer, view->u.tex.last_layer};
      signature = tbr_signature(image, sizeof image, signature);
   }
   for (unsigned c = 0; c < batch->pass.num_color; c++) {
      const struct cm_resolve *to = &batch->events.pass.resolve[c];
      const uint32_t image[] = {c,      to->resource, to->level,    to->layer,    to->x0,    to->y0,
                                to->x1, to->y1,       to->target_x, to->target_y, to->flip_y};
      if (to->resource)
         signature = tbr_signature(image, sizeof image, signature);
   }
   return signature;
}

/** Drops those that no pass can be compared with any more. */
static void
forget_old(struct util_dynarray *histories, uint32_t frame)
{
   unsigned kept = 0;
   util_dynarray_foreach (histories, struct tbr_pass_history, history) {
      if (frame - history->frame <= CM_EARLIER_FRAMES) {
         *util_dynarray_element(histories, struct tbr_pass_history, kept++) = *history;
         continue;
      }
      for (unsigned f = 0; f < CM_EARLIER_FRAMES; f++)
         release_inputs(history->inputs[f]);
   }
   histories->size = kept * sizeof(struct tbr_pass_history);
}

/** The next pass of the frame to these attachments. NULL when out of memory. */
static struct tbr_pass_history *
find_history(struct util_dynarray *histories, uint64_t attachments, uint32_t frame)
{
   util_dynarray_foreach (histories, struct tbr_pass_history, history) {
      /* Those before it in the list have been used in this frame. */
      if (history->attachments == attachments && history->frame != frame)
         return history;
   }
   struct tbr_pass_history *history = util_dynarray_grow(histories, struct tbr_pass_history, 1);
   if (history)
      *history = (struct tbr_pass_history){.attachments = attachments};
   return history;
}

static struct tbr_pass_inputs *
new_inputs(uint32_t frame, uint32_t num_tiles)
{
   struct tbr_pass_inputs *inputs = CALLOC(1, sizeof *inputs + num_tiles * sizeof(struct tbr_tile_inputs));
   if (inputs)
      *inputs = (struct tbr_pass_inputs){.users = 1, .frame = frame, .num_tiles = num_tiles};
   return inputs;
}

/** The list keeps the new inputs instead of the oldest; the batch has references to all of them. */
static void
find_earlier(struct tbr_screen *screen, const struct tbr_batch *batch, struct tbr_pass_contents *contents)
{
   const uint32_t frame = contents->frame, num_tiles = batch->pass.tiles_x * batch->pass.tiles_y;
   if (screen->content_frame != frame)
      forget_old(&screen->pass_histories, frame);
   screen->content_frame = frame;
   struct tbr_pass_history *history = find_history(&screen->pass_histories, sign_attachments(batch), frame);
   contents->inputs = history ? new_inputs(frame, num_tiles) : NULL;
   if (!contents->inputs)
      return;
   for (uint32_t f = 0; f < CM_EARLIER_FRAMES && f < frame; f++) {
      struct tbr_pass_inputs *earlier = history->inputs[(frame - 1 - f) % CM_EARLIER_FRAMES];
      if (!earlier || earlier->frame != frame - 1 - f || earlier->num_tiles != num_tiles)
         continue;
      p_atomic_inc(&earlier->users);
      contents->earlier[f] = earlier;
   }
   struct tbr_pass_inputs **place = &history->inputs[frame % CM_EARLIER_FRAMES];
   release_inputs(*place);
   *place = contents->inputs;
   p_atomic_inc(&contents->inputs->users);
   history->frame = frame;
}

/* ---- passes ------------------------------------------------------------------------ */

/** Nothing is known of the tiles yet. */
static struct cm_tile_content *
clear_tiles(struct tbr_batch *batch)
{
   struct util_dynarray *tiles = &batch->events.contents;
   const size_t bytes = batch->pass.tiles_x * batch->pass.tiles_y * sizeof(struct cm_tile_content),
                had = tiles->size;
   /* It never becomes smaller: its elements have memory. */
   if (had < bytes && !util_dynarray_resize_bytes(tiles, bytes, 1))
      return NULL;
   if (had < bytes)
      memset((char *)tiles->data + had, 0, bytes - had);
   util_dynarray_foreach (tiles, struct cm_tile_content, content)
      cm_tile_content_reset(content);
   return tiles->data;
}

static bool
describe_draws(struct tbr_batch *batch, struct tbr_pass_contents *contents)
{
   const uint32_t count = util_dynarray_num_elements(&batch->states, const struct tbr_draw_state *);
   uint64_t *inputs = tbr_batch_allocate(batch, (count + 1) * sizeof *inputs);
   for (uint32_t d = 0; inputs && d < count; d++)
      inputs[d] = draw_inputs(batch->pass.draws[d], batch->context->empty_texture);
   contents->draw_inputs = inputs;
   return inputs;
}

void
tbr_pass_contents_begin(struct tbr_screen *screen, struct tbr_batch *batch)
{
   struct tbr_pass_contents *contents = NULL;
   if (!screen->wants_contents)
      return;
   if (batch->recorded)
      contents = tbr_batch_allocate(batch, sizeof *contents);
   if (contents) {
      *contents = (struct tbr_pass_contents){
         .tiles = clear_tiles(batch),
         .frame = p_atomic_read(&screen->frame),
         .pass_inputs = pass_inputs(batch),
      };
      if (!contents->tiles || !describe_draws(batch, contents))
         contents = NULL;
   }
   if (contents) {
      u_foreach_bit (i, batch->pass.attached)
         describe_attachment(batch, contents, i);
      for (unsigned c = 0; c < batch->pass.num_color; c++) {
         if (batch->pass.resolve[c].memory)
            describe_resolve(batch, contents, c);
      }
      drop_repeated(contents);
      find_earlier(screen, batch, contents);
      batch->events.pass.contents = contents->tiles;
   }
   forget_stored(batch, contents);
   batch->pass.contents = contents;
}

void
tbr_pass_contents_end(struct tbr_batch *batch)
{
   const struct tbr_pass_contents *contents = batch->pass.contents;
   if (!contents)
      return;
   release_inputs(contents->inputs);
   for (unsigned f = 0; f < CM_EARLIER_FRAMES; f++)
      release_inputs((struct tbr_pass_inputs *)contents->earlier[f]);
   batch->pass.contents = NULL;
}

void
tbr_pass_contents_finish_screen(struct tbr_screen *screen)
{
   util_dynarray_foreach (&screen->pass_histories, struct tbr_pass_history, history) {
      for (unsigned f = 0; f < CM_EARLIER_FRAMES; f++)
         release_inputs(history->inputs[f]);
   }
   util_dynarray_fini(&screen->pass_histories);
}
