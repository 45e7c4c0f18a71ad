/* SPDX-License-Identifier: MIT */
#include "compute/tbr_compute.h"
#include "state/tbr_context.h"

#include "draw/draw_context.h"
#include "gallivm/lp_bld.h"
#include "util/u_blitter.h"
#include "util/u_memory.h"
#include "util/u_upload_mgr.h"
#include "pass/tbr_batch.h"
#include "geometry/tbr_binning.h"
#include "pass/tbr_counter_query.h"
#include "pass/tbr_pixel_local.h"
#include "pipe/tbr_functions.h"
#include "shader/tbr_shader_cache.h"
#include "state/tbr_resource.h"
#include "geometry/tbr_drawn_storage.h"
#include "geometry/tbr_vertex_accesses.h"

static void
destroy_context(struct pipe_context *base)
{
   struct tbr_context *context = tbr_context(base);

   /* Renders what has been drawn and drops its references to surfaces and shaders. */
   if (context->draw)
      tbr_batch_flush(context, CM_END_CONTEXT);
   tbr_batch_destroy_all(context);

   if (context->blitter)
      util_blitter_destroy(context->blitter);
   tbr_pixel_local_destroy(context);
   tbr_state_release(context);
   tbr_compute_destroy_context(context);
   if (context->draw)
      draw_destroy(context->draw);
   tbr_draw_destroy_context(context);
   tbr_vertex_accesses_destroy(context->vertex_accesses);
   tbr_drawn_storage_destroy(context);
   if (context->llvm) {
      lp_context_destroy(context->llvm);
      FREE(context->llvm);
   }

   if (base->stream_uploader)
      u_upload_destroy(base->stream_uploader);
   if (base->const_uploader)
      u_upload_destroy(base->const_uploader);
   slab_destroy_child(&context->transfer_pool);
   tbr_counter_query_destroy_context(context);
   FREE(context);
}

/** The simulated GPU is never reset: shaders that do not end are ended (shader.loop_limit). */
static enum pipe_reset_status
get_device_reset_status(struct pipe_context *base)
{
   return PIPE_NO_RESET;
}

static void
set_device_reset_callback(struct pipe_context *base, const struct pipe_device_reset_callback *callback)
{
}

static bool
init_functions(struct tbr_context *context)
{
   context->base.destroy = destroy_context;
   context->base.get_device_reset_status = get_device_reset_status;
   context->base.set_device_reset_callback = set_device_reset_callback;
   tbr_state_init_context(context);
   tbr_shader_init_context(context);
   tbr_transfer_init_context(context);
   tbr_surface_init_context(context);
   tbr_query_init_context(context);
   tbr_flush_init_context(context);
   tbr_names_init_context(&context->base);
   tbr_compute_init_context(context);
   return tbr_draw_init_context(context);
}

/** The blitter's shaders, which are made when they are first needed, are the
 * driver's own; the application's are also those of draw's stages. */
static void *
create_fs_state(struct pipe_context *base, const struct pipe_shader_state *state)
{
   struct tbr_context *context = tbr_context(base);
   return context->blitter->running ? context->create_own_fs_state(base, state)
                                    : context->create_staged_fs_state(base, state);
}

/** draw's stages for what the raster pipeline does not do: they replace shaders,
 * and with them the context's functions for shaders. */
static bool
install_draw_stages(struct tbr_context *context)
{
   struct pipe_context *base = &context->base;
   context->create_own_fs_state = base->create_fs_state;
   if (!draw_install_aaline_stage(context->draw, base) ||
       !draw_install_aapoint_stage(context->draw, base, nir_type_bool32) ||
       !draw_install_pstipple_stage(context->draw, base))
      return false;
   context->create_staged_fs_state = base->create_fs_state;
   base->create_fs_state = create_fs_state;
   return true;
}

static bool
create_parts(struct tbr_context *context)
{
   struct pipe_context *base = &context->base;

   context->llvm = CALLOC_STRUCT(lp_context_ref);
   if (!context->llvm)
      return false;
   lp_context_create(context->llvm);
   context->draw = draw_create_with_llvm_context(base, context->llvm);
   if (!context->draw)
      return false;
   tbr_shader_cache_serve_draw(tbr_screen(base->screen)->shader_cache, context->draw);
   if (!tbr_drawn_storage_init(context))
      return false;
   base->stream_uploader = u_upload_create_default(base);
   base->const_uploader = u_upload_create_default(base);
   if (!base->stream_uploader || !base->const_uploader || !tbr_binning_init(context))
      return false;

   /* The blitter binds and deletes shaders with the driver's own functions: it comes
    * before the stages. */
   context->blitter = util_blitter_create(base);
   return context->blitter && install_draw_stages(context);
}

struct pipe_context *
tbr_context_create(struct pipe_screen *screen, void *priv, unsigned flags)
{
   struct tbr_context *context = CALLOC_STRUCT(tbr_context);
   if (!context)
      return NULL;

   if (!tbr_screen_begin_context(tbr_screen(screen))) {
      FREE(context);
      return NULL;
   }
   context->base.screen = screen;
   context->base.priv = priv;
   context->dirty = TBR_DIRTY_ALL;
   slab_create_child(&context->transfer_pool, &tbr_screen(screen)->transfer_pool);
   if (!init_functions(context) || !create_parts(context)) {
      destroy_context(&context->base);
      return NULL;
   }
   return &context->base;
}
