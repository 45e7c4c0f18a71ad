/* SPDX-License-Identifier: MIT */
#include "state/tbr_screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/glsl_types.h"
#include "config/config.h"
#include "gallivm/lp_bld_init.h"
#include "gpu/gpu_config.h"
#include "util/log.h"
#include "util/message.h"
#include "util/u_atomic.h"
#include "util/u_debug.h"
#include "util/u_memory.h"
#include "util/u_screen.h"
#include "shader/tbr_gpu_shaders.h"
#include "state/tbr_context.h"
#include "pass/tbr_batch.h"
#include "state/tbr_debug.h"
#include "pass/tbr_hazards.h"
#include "pass/tbr_pass_contents.h"
#include "pipe/tbr_functions.h"
#include "pipe/tbr_hit_rate_query.h"
#include "model/tbr_model.h"
#include "state/tbr_names.h"
#include "tile/tbr_pass.h"
#include "model/tbr_process.h"
#include "shader/tbr_shader_cache.h"
#include "tbr_public.h"
#include "model/tbr_recording.h"
#include "tile/tbr_renderer.h"
#include "state/tbr_resource.h"
#include "model/tbr_statistics.h"
#include "tile/tbr_thumbnail.h"

/* ---- process exit ------------------------------------------------------- */

/* All screens: a process that exits without destroying them gets its statistics all
 * the same. */
static simple_mtx_t screens_mutex = SIMPLE_MTX_INITIALIZER;
static struct tbr_screen *screens;

/* It stays, as other threads may draw on while the process exits. */
static void
finish_model(struct tbr_screen *screen)
{
   if (!screen->model || screen->model_finished)
      return;
   screen->model_finished = true;
   tbr_model_finish(screen->model);
}

/** For a program without a swap, which has no frames to tell that something is missing. */
static void
report_unflushed(struct tbr_screen *screen)
{
   const unsigned passes =
      screen->model && !p_atomic_read(&screen->frame) ? tbr_renderer_count_recorded(screen->renderer) : 0;
   if (passes)
      mesa_logi(
         "the program ended before it flushed its last draws and clears (%u render pass%s), which are left "
         "out: expected glFlush, glFinish, a read of what they draw, or a swap of a window's buffers",
         passes, passes == 1 ? "" : "es");
}

static void
finish_all_models(void)
{
   simple_mtx_lock(&screens_mutex);
   for (struct tbr_screen *screen = screens; screen; screen = screen->next) {
      report_unflushed(screen);
      finish_model(screen);
   }
   tbr_statistics_close();
   tbr_recording_close();
   tbr_process_finish();
   simple_mtx_unlock(&screens_mutex);
}

/* A forked child has copies of its parent's screens, but neither their threads nor a
 * part in the files. */
static void
reset_after_fork(void)
{
   simple_mtx_init(&screens_mutex, mtx_plain);
   for (struct tbr_screen *screen = screens; screen; screen = screen->next) {
      screen->in_forked_child = true;
      screen->model = NULL;
      screen->model_finished = false;
      tbr_renderer_leave_to_parent(screen->renderer);
   }
}

static void
add_screen(struct tbr_screen *screen)
{
   static bool registered, registered_at_fork;

   simple_mtx_lock(&screens_mutex);
   tbr_process_at_fork(&registered_at_fork, reset_after_fork);
   if (!registered)
      registered = atexit(finish_all_models) == 0;
   screen->next = screens;
   screens = screen;
   simple_mtx_unlock(&screens_mutex);
}

static void
remove_screen(struct tbr_screen *screen)
{
   simple_mtx_lock(&screens_mutex);
   struct tbr_screen **link = &screens;
   while (*link && *link != screen)
      link = &(*link)->next;
   if (*link)
      *link = screen->next;
   finish_model(screen);
   if (screen->model)
      tbr_model_destroy(screen->model);
   screen->model = NULL;
   simple_mtx_unlock(&screens_mutex);
}

/* ---- configuration ---------------------------------------------------- */

/** Applies TBRSIM_SET: assignments, one per line. */
static bool
apply_settings(struct cm_config *config, const char *settings, char *error, size_t error_size)
{
   bool ok = true;
   char *copy = strdup(settings);
   char *rest = copy;
   char *line;

   while (ok && copy && (line = strsep(&rest, "\n"))) {
      if (*line)
         ok = cm_config_set(config, line, error, error_size);
   }
   if (!copy) {
      snprintf(error, error_size, "out of memory");
      ok = false;
   }
   free(copy);
   return ok;
}

/* The model's messages, on any thread. */
static void
log_message(enum cm_message_kind kind, const char *text)
{
   if (kind == CM_MESSAGE_INFO)
      mesa_logi("%s", text);
   else
      mesa_loge("%s", text);
}

static struct cm_config *
load_config(void)
{
   char error[1024] = "";
   const char *settings = getenv("TBRSIM_SET");
   struct cm_config *config = cm_config_load(getenv("TBRSIM_CONFIG"), NULL, error, sizeof error);

   if (config && settings &&
       (!apply_settings(config, settings, error, sizeof error) ||
        !cm_config_validate(config, error, sizeof error))) {
      cm_config_destroy(config);
      config = NULL;
   }
   if (!config)
      mesa_loge("%s", error);
   return config;
}

/* ---- the screen's functions ------------------------------------------- */

static const char *
get_name(struct pipe_screen *screen)
{
   return tbr_screen(screen)->renderer_name;
}

static const char *
get_vendor(struct pipe_screen *screen)
{
   return "tbrsim";
}

static void
flush_frontbuffer(struct pipe_screen *base, struct pipe_context *context, struct pipe_resource *base_resource,
                  unsigned level, unsigned layer, void *drawable, unsigned num_boxes, struct pipe_box *boxes)
{
   struct tbr_screen *screen = tbr_screen(base);
   struct tbr_resource *resource = tbr_resource(base_resource);

   if (context) {
      /* A front buffer is flushed whether it was drawn to or not. */
      if (!resource->front_drawable || p_atomic_read(&resource->last_write) != resource->displayed_write)
         tbr_frame_end(tbr_context(context));
      tbr_resource_wait(tbr_context(context), resource, false, CM_END_FRAME);
   }
   resource->displayed_write = p_atomic_read(&resource->last_write);
   if (resource->display_target)
      screen->winsys->displaytarget_display(screen->winsys, resource->display_target, drawable, num_boxes,
                                            boxes);
}

static void
destroy_screen(struct pipe_screen *base)
{
   struct tbr_screen *screen = tbr_screen(base);

   /* The model waits for tiles that the renderer still has to finish. */
   remove_screen(screen);
   if (screen->renderer)
      tbr_renderer_destroy(screen->renderer);
   tbr_shader_cache_destroy(screen->shader_cache);
   tbr_names_destroy_screen(screen);
   simple_mtx_destroy(&screen->announce_mutex);
   simple_mtx_destroy(&screen->storage_lock);
   tbr_addresses_fini(&screen->addresses);
   simple_mtx_destroy(&screen->gone_lock);
   util_dynarray_fini(&screen->gone);
   tbr_pass_contents_finish_screen(screen);
   simple_mtx_destroy(&screen->submit_lock);
   tbr_counter_set_destroy_screen(screen);
   tbr_hit_rates_destroy_screen(screen);
   cm_counter_table_destroy(screen->counters);
   if (screen->config)
      cm_config_destroy(screen->config);
   slab_destroy_parent(&screen->transfer_pool);
   glsl_type_singleton_decref();
   FREE(screen);
}

static struct disk_cache *
get_disk_shader_cache(struct pipe_screen *screen)
{
   return tbr_shader_cache_disk(tbr_screen(screen)->shader_cache);
}

/* Identifiers, for glGetUnsignedBytevEXT: names, filled up with zeros. Mesa's frontend asks for them whether the
 * extension is there or not. */
static void
name_to_uuid(const char *name, char *uuid)
{
   memset(uuid, 0, PIPE_UUID_SIZE);
   memcpy(uuid, name, MIN2(strlen(name), PIPE_UUID_SIZE));
}

static void
get_driver_uuid(struct pipe_screen *screen, char *uuid)
{
   name_to_uuid("tbrsim " PACKAGE_VERSION, uuid);
}

static void
get_device_uuid(struct pipe_screen *screen, char *uuid)
{
   name_to_uuid(tbr_screen(screen)->config->name, uuid);
}

/* None: these are Windows'. */
static void
get_device_luid(struct pipe_screen *screen, char *luid)
{
   memset(luid, 0, PIPE_LUID_SIZE);
}

static uint32_t
get_device_node_mask(struct pipe_screen *screen)
{
   return 0;
}

static void
init_functions(struct tbr_screen *screen)
{
   struct pipe_screen *base = &screen->base;
   base->destroy = destroy_screen;
   base->get_name = get_name;
   base->get_vendor = get_vendor;
   base->get_device_vendor = get_vendor;
   base->get_driver_uuid = get_driver_uuid;
   base->get_device_uuid = get_device_uuid;
   base->get_device_luid = get_device_luid;
   base->get_device_node_mask = get_device_node_mask;
   base->get_timestamp = u_default_get_timestamp;
   base->context_create = tbr_context_create;
   base->flush_frontbuffer = flush_frontbuffer;
   base->get_disk_shader_cache = get_disk_shader_cache;
   tbr_fence_init_screen(screen);
   tbr_resource_init_screen(screen);
}

/** What has threads: the renderer and, if it is wanted, the model. */
static bool
start_threads(struct tbr_screen *screen)
{
   const char *isa = tbr_isa_get()->name;
   const bool simulate = debug_get_bool_option("TBRSIM_MODEL", true);

   screen->shader_cache = tbr_shader_cache_create(isa);
   if (!screen->shader_cache)
      return false;
   screen->thumbnails = simulate && tbr_thumbnails_are_wanted();
   if (simulate || tbr_recording_is_wanted()) {
      screen->model = tbr_model_create(screen->config, isa, simulate);
      if (!screen->model)
         return false;
   }
   screen->renderer = tbr_renderer_create(screen->config->threads);
   if (!screen->renderer)
      mesa_loge("the threads that render cannot be started");
   return screen->renderer;
}

bool
tbr_screen_begin_context(struct tbr_screen *screen)
{
   simple_mtx_lock(&screens_mutex);
   bool ok = true;
   if (screen->in_forked_child && screen->has_contexts) {
      mesa_loge(
         "a forked child cannot make a context on a display on which its parent has made one; expected a "
         "display that the child opens itself");
      ok = false;
   } else if (screen->in_forked_child) {
      ok = start_threads(screen);
      screen->in_forked_child = !ok;
   }
   screen->has_contexts |= ok;
   simple_mtx_unlock(&screens_mutex);
   return ok;
}

/** Creates the parts of the GPU that the configuration describes. */
static bool
build_gpu(struct tbr_screen *screen)
{
   const char *isa = tbr_isa_get()->name;

   simple_mtx_init(&screen->submit_lock, mtx_plain);
   util_dynarray_init(&screen->pass_histories, NULL);

   cm_set_message_handler(log_message);
   screen->config = load_config();
   if (!screen->config || !tbr_gpu_shaders_wanted(screen->config->shader.isa, &screen->isas))
      return false;
   snprintf(screen->renderer_name, sizeof screen->renderer_name, "tbrsim (%s, %s, LLVM %s)",
            screen->config->name, isa, MESA_LLVM_VERSION_STRING);

   screen->record_hidden = tbr_recording_keeps_hidden(screen->config);
   screen->wants_contents = tbr_recording_is_wanted() || cm_config_wants_contents(screen->config);
   if (!tbr_names_init_screen(screen) || !start_threads(screen))
      return false;
   add_screen(screen);
   return true;
}

struct pipe_screen *
tbrsim_create_screen(struct sw_winsys *winsys)
{
   struct tbr_screen *screen = CALLOC_STRUCT(tbr_screen);
   if (!screen)
      return NULL;

   screen->winsys = winsys;
   tbr_transfer_init_screen(screen);
   glsl_type_singleton_init_or_ref();
   tbr_debug_init();
   init_functions(screen);

   if (!lp_build_init() || !build_gpu(screen) || !tbr_counter_list_init_screen(screen)) {
      destroy_screen(&screen->base);
      return NULL;
   }
   tbr_caps_init_screen(screen);
   return &screen->base;
}
