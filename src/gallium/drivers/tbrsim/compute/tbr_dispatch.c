/* SPDX-License-Identifier: MIT */
#include "compute/tbr_dispatch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "util/u_atomic.h"
#include "util/u_dynarray.h"
#include "util/u_math.h"
#include "util/u_memory.h"
#include "util/u_thread.h"
#include "shader/tbr_gpu_shaders.h"
#include "compute/tbr_compute.h"
#include "state/tbr_context.h"
#include "geometry/tbr_draw_events.h"
#include "model/tbr_model.h"
#include "model/tbr_process.h"
#include "state/tbr_resource.h"
#include "state/tbr_screen.h"
#include "shader/tbr_shader.h"

/** About the number of invocations whose events a tile of the pass has. */
#define TILE_INVOCATIONS 512
#define MAX_TILES (1u << 20)
/** Of events that the model has not consumed. */
#define MAX_WAITING_BYTES ((size_t)16 << 20)
/** Tiles' memory that is kept for others. */
#define MAX_SPARES 4

static_assert(TBR_MAX_BOUND_BUFFERS <= CM_MAX_STORAGE_BUFFERS, "each has a unit");

struct tbr_dispatch {
   struct tbr_pass_source source;
   struct cm_pass pass;
   struct cm_draw draw;
   struct cm_storage storage;
   struct util_dynarray addressed;   /**< uint32_t */
   struct util_dynarray descriptors; /**< struct cm_descriptors */
   struct cm_tile_events *tiles;
   bool *touched;
   uint32_t *traversal;
   mtx_t lock;
   cnd_t added, room;
   uint32_t num_added;
   size_t waiting_bytes;
   struct cm_tile_events spares[MAX_SPARES]; /**< empty */
   uint32_t num_spares;
   int32_t users; /**< who runs it, and the model */
};

static void *
require(void *memory)
{
   if (!memory) {
      mesa_loge("out of memory for a dispatch's events; the process ends");
      tbr_process_abort();
   }
   return memory;
}

/* ---- on the threads of model and recorder --------------------------------- */

static void
wait_tile(struct tbr_pass_source *source, uint32_t n)
{
   struct tbr_dispatch *dispatch = container_of(source, struct tbr_dispatch, source);
   const uint32_t needed = MIN2(n + 1, dispatch->pass.tiles_x);
   mtx_lock(&dispatch->lock);
   while (dispatch->num_added < needed)
      cnd_wait(&dispatch->added, &dispatch->lock);
   mtx_unlock(&dispatch->lock);
}

static void
release_tile(struct cm_pass_owner *owner, uint32_t tile)
{
   struct tbr_dispatch *dispatch = container_of(owner, struct tbr_dispatch, source.owner);
   struct cm_tile_events *events = &dispatch->tiles[tile];
   const size_t bytes = events->num_words * sizeof *events->words;
   struct cm_tile_events spare = *events;
   *events = (struct cm_tile_events){0};
   spare.num_words = 0;
   mtx_lock(&dispatch->lock);
   assert(dispatch->waiting_bytes >= bytes);
   dispatch->waiting_bytes -= bytes;
   if (spare.words && dispatch->num_spares < MAX_SPARES) {
      dispatch->spares[dispatch->num_spares++] = spare;
      spare.words = NULL;
   }
   cnd_signal(&dispatch->room);
   mtx_unlock(&dispatch->lock);
   free(spare.words);
}

static void
release(struct cm_pass_owner *owner)
{
   struct tbr_dispatch *dispatch = container_of(owner, struct tbr_dispatch, source.owner);
   if (p_atomic_dec_return(&dispatch->users))
      return;
   for (uint32_t s = 0; s < dispatch->num_spares; s++)
      free(dispatch->spares[s].words);
   mtx_destroy(&dispatch->lock);
   cnd_destroy(&dispatch->added);
   cnd_destroy(&dispatch->room);
   util_dynarray_fini(&dispatch->addressed);
   util_dynarray_fini(&dispatch->descriptors);
   FREE(dispatch->tiles);
   FREE(dispatch->touched);
   FREE(dispatch->traversal);
   FREE(dispatch);
}

/* ---- what the events are of ------------------------------------------------ */

static void
describe_textures(struct tbr_context *context, const struct tbr_compute_shader *shader, struct cm_draw *draw)
{
   u_foreach_bit (unit, shader->textures_used) {
      const struct pipe_sampler_view *view = context->sampler_views[PIPE_SHADER_COMPUTE][unit];
      const struct pipe_sampler_state *sampler = context->samplers[PIPE_SHADER_COMPUTE][unit];
      draw->num_textures = unit + 1;
      if (view && view->texture)
         tbr_draw_events_describe_texture(context, view, sampler, &draw->textures[unit]);
   }
}

/** Those that the load/store unit loads from. */
static void
describe_uniform_blocks(struct tbr_context *context, uint32_t blocks, struct cm_storage *storage)
{
   u_foreach_bit (i, blocks) {
      const struct pipe_constant_buffer *constants = &context->constants[PIPE_SHADER_COMPUTE][i];
      if (!constants->buffer || constants->buffer_offset >= constants->buffer->width0)
         continue;
      const uint32_t bytes =
         MIN2(constants->buffer_size, constants->buffer->width0 - constants->buffer_offset);
      storage->num_buffers = TBR_UNIFORM_BLOCK(i) + 1;
      storage->buffers[TBR_UNIFORM_BLOCK(i)] = (struct cm_storage_buffer){
         .resource = tbr_resource_announce(context, tbr_resource(constants->buffer)),
         .offset = constants->buffer_offset,
         .bytes = bytes & ~3u,
      };
   }
}

static void
describe_draw(struct tbr_context *context, struct tbr_compute_shader *shader,
              const struct pipe_grid_info *grid, struct tbr_dispatch *dispatch)
{
   struct cm_draw *draw = &dispatch->draw;
   describe_textures(context, shader, draw);
   tbr_draw_events_describe_storage(context, PIPE_SHADER_COMPUTE, shader->buffers_used, shader->images_used,
                                    &dispatch->storage);
   describe_uniform_blocks(context, shader->blocks.loaded, &dispatch->storage);
   if (shader->by_address && !tbr_address_table_list(context->addresses, &dispatch->addressed))
      require(NULL);
   draw->storage = dispatch->storage.num_buffers || dispatch->storage.num_images || shader->by_address;
   if (!tbr_draw_events_describe_descriptors(context, false, &dispatch->descriptors))
      require(NULL);
   draw->num_descriptors = util_dynarray_num_elements(&dispatch->descriptors, struct cm_descriptors);
   if (grid->indirect)
      draw->indirect = (struct cm_indirect){
         .buffer = tbr_resource_announce(context, tbr_resource(grid->indirect)),
         .offset = grid->indirect_offset,
         .bytes = sizeof grid->grid,
      };
   tbr_announce_shader(context, CM_SHADER_COMPUTE, shader->id, &shader->name, shader->regions);
   tbr_gpu_shader_announce(context, CM_SHADER_COMPUTE, shader->id, shader->gpu);
   draw->group = tbr_names_group(&context->names);
   draw->marker = context->names.marker;
   draw->call = context->names.call;
}

static void
describe_pass(const struct tbr_context *context, const struct tbr_compute_shader *shader,
              const struct pipe_grid_info *grid, struct tbr_dispatch *dispatch)
{
   const uint64_t groups = (uint64_t)grid->grid[0] * grid->grid[1] * grid->grid[2];
   const uint32_t invocations = grid->block[0] * grid->block[1] * grid->block[2];
   const uint64_t per_tile =
      MAX2(DIV_ROUND_UP(groups, MAX_TILES), DIV_ROUND_UP(TILE_INVOCATIONS, invocations));
   struct cm_pass *pass = &dispatch->pass;
   pass->kind = CM_PASS_COMPUTE;
   pass->tile_size = 1;
   pass->tiles_x = pass->width = (uint32_t)DIV_ROUND_UP(groups, per_tile);
   pass->tiles_y = pass->layer_tiles_y = pass->height = 1;
   pass->dispatch = (struct cm_dispatch){
      .shader = {shader->id, shader->num_instructions,
                 tbr_draw_events_constant_bytes(context, PIPE_SHADER_COMPUTE, shader->blocks.preloaded)},
      .shared_bytes = shader->shared_bytes,
      .groups_per_tile = (uint32_t)per_tile,
   };
   memcpy(pass->dispatch.groups, grid->grid, sizeof pass->dispatch.groups);
   memcpy(pass->dispatch.group_size, grid->block, sizeof pass->dispatch.group_size);
   pass->num_draws = 1;
   pass->draws = &dispatch->draw;
   pass->num_storages = dispatch->draw.storage;
   pass->storages = &dispatch->storage;
   pass->num_addressed = util_dynarray_num_elements(&dispatch->addressed, uint32_t);
   pass->addressed = dispatch->addressed.data;
   pass->num_descriptors = dispatch->draw.num_descriptors;
   pass->descriptors = dispatch->descriptors.data;
}

static void
allocate_tiles(struct tbr_dispatch *dispatch)
{
   const uint32_t count = dispatch->pass.tiles_x;
   dispatch->tiles = require(CALLOC(count, sizeof *dispatch->tiles));
   dispatch->touched = require(MALLOC(count * sizeof *dispatch->touched));
   dispatch->traversal = require(MALLOC(count * sizeof *dispatch->traversal));
   for (uint32_t t = 0; t < count; t++) {
      dispatch->touched[t] = true;
      dispatch->traversal[t] = t;
   }
   dispatch->pass.tiles = dispatch->tiles;
   dispatch->pass.touched = dispatch->touched;
}

/* ---- public ---------------------------------------------------------------- */

struct tbr_dispatch *
tbr_dispatch_begin(struct tbr_context *context, struct tbr_compute_shader *shader,
                   const struct pipe_grid_info *grid)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   const uint32_t frame = p_atomic_read(&screen->frame);
   if (!screen->model || !tbr_model_frame_wanted(screen->model, frame))
      return NULL;
   struct tbr_dispatch *dispatch = require(CALLOC_STRUCT(tbr_dispatch));
   mtx_init(&dispatch->lock, mtx_plain);
   cnd_init(&dispatch->added);
   cnd_init(&dispatch->room);
   dispatch->users = 2;
   util_dynarray_init(&dispatch->addressed, NULL);
   util_dynarray_init(&dispatch->descriptors, NULL);
   describe_draw(context, shader, grid, dispatch);
   describe_pass(context, shader, grid, dispatch);
   dispatch->pass.frame = frame;
   allocate_tiles(dispatch);
   dispatch->source = (struct tbr_pass_source){
      .owner = {release_tile, release},
      .pass = &dispatch->pass,
      .traversal = dispatch->traversal,
      .wait_tile = wait_tile,
   };
   simple_mtx_lock(&screen->submit_lock);
   tbr_model_pass(screen->model, &dispatch->source);
   simple_mtx_unlock(&screen->submit_lock);
   return dispatch;
}

uint32_t
tbr_dispatch_groups_per_tile(const struct tbr_dispatch *dispatch)
{
   return dispatch->pass.dispatch.groups_per_tile;
}

void
tbr_dispatch_add_tile(struct tbr_dispatch *dispatch, struct cm_tile_events *events)
{
   mtx_lock(&dispatch->lock);
   while (dispatch->waiting_bytes > MAX_WAITING_BYTES)
      cnd_wait(&dispatch->room, &dispatch->lock);
   assert(dispatch->num_added < dispatch->pass.tiles_x);
   dispatch->tiles[dispatch->num_added++] = *events;
   dispatch->waiting_bytes += events->num_words * sizeof *events->words;
   *events = dispatch->num_spares ? dispatch->spares[--dispatch->num_spares] : (struct cm_tile_events){0};
   cnd_signal(&dispatch->added);
   mtx_unlock(&dispatch->lock);
}

void
tbr_dispatch_end(struct tbr_dispatch *dispatch)
{
   /* Out of memory, some are missing: they are empty. */
   mtx_lock(&dispatch->lock);
   dispatch->num_added = dispatch->pass.tiles_x;
   cnd_signal(&dispatch->added);
   mtx_unlock(&dispatch->lock);
   release(&dispatch->source.owner);
}
