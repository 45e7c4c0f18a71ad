/* SPDX-License-Identifier: MIT */
/** The screen of a Vulkan device: the driver's, and what lavapipe needs besides. */
#include <stdbool.h>
#include <stdint.h>

#include "frontend/sw_winsys.h"
#include "pipe/p_context.h"
#include "target-helpers/drm_helper.h"
#include "target-helpers/sw_helper_public.h"
#include "util/hash_table.h"
#include "util/u_memory.h"
#include "state/tbr_screen.h"
#include "tbr_public.h"
#include "vulkan/tbr_vulkan_context.h"

static struct pipe_context *
context_create(struct pipe_screen *screen, void *priv, unsigned flags)
{
   struct pipe_context *context = tbr_screen(screen)->vulkan->context_create(screen, priv, flags);
   if (context && !tbr_vulkan_bind_init_context(context)) {
      context->destroy(context);
      return NULL;
   }
   if (context)
      tbr_vulkan_exit_init_context(context);
   return context;
}

/** Once a shader's descriptors are slots: when it is created (tbr_vulkan_bind.c). */
static char *
finalize_nir(struct pipe_screen *screen, struct nir_shader *nir)
{
   return NULL;
}

/** False when out of memory. */
static bool
create_tables(struct tbr_vulkan_screen *vulkan)
{
   simple_mtx_init(&vulkan->buffers_lock, mtx_plain);
   simple_mtx_init(&vulkan->replayed_lock, mtx_plain);
   vulkan->buffers = _mesa_pointer_hash_table_create(NULL);
   vulkan->replayed = _mesa_pointer_hash_table_create(NULL);
   return vulkan->buffers && vulkan->replayed;
}

static void
destroy_tables(struct tbr_vulkan_screen *vulkan)
{
   _mesa_hash_table_destroy(vulkan->buffers, NULL);
   _mesa_hash_table_destroy(vulkan->replayed, NULL);
   simple_mtx_destroy(&vulkan->buffers_lock);
   simple_mtx_destroy(&vulkan->replayed_lock);
}

static void
destroy(struct pipe_screen *screen)
{
   struct tbr_vulkan_screen *vulkan = tbr_screen(screen)->vulkan;
   void (*destroy_driver)(struct pipe_screen *) = vulkan->destroy;
   destroy_tables(vulkan);
   destroy_driver(screen);
   FREE(vulkan);
}

struct pipe_screen *
tbrsim_create_vulkan_screen(struct sw_winsys *winsys)
{
   struct pipe_screen *screen = tbrsim_create_screen(winsys);
   struct tbr_vulkan_screen *vulkan = screen ? CALLOC_STRUCT(tbr_vulkan_screen) : NULL;
   if (!vulkan || !create_tables(vulkan)) {
      if (vulkan)
         destroy_tables(vulkan);
      FREE(vulkan);
      if (screen)
         screen->destroy(screen);
      return NULL;
   }
   tbr_screen(screen)->vulkan = vulkan;
   vulkan->destroy = screen->destroy;
   vulkan->context_create = screen->context_create;
   vulkan->finalize_nir = screen->finalize_nir;
   screen->destroy = destroy;
   screen->context_create = context_create;
   screen->finalize_nir = finalize_nir;
   tbr_vulkan_memory_init_screen(screen);
   return screen;
}

/* ---- Mesa's loader of drivers ------------------------------------------------ */

struct pipe_screen *
sw_screen_create_vk(struct sw_winsys *winsys, const struct pipe_screen_config *config, bool sw_vk)
{
   return tbrsim_create_vulkan_screen(winsys);
}

struct pipe_screen *
sw_screen_create_zink(struct sw_winsys *winsys, const struct pipe_screen_config *config, bool whatever)
{
   return NULL;
}

struct pipe_screen *
sw_screen_create(struct sw_winsys *winsys)
{
   return tbrsim_create_vulkan_screen(winsys);
}
