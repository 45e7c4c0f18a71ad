/* SPDX-License-Identifier: MIT */
/** The screen: the one simulated GPU of a process. */
#ifndef TBR_SCREEN_H
#define TBR_SCREEN_H

#include "config/units.h"
#include "pipe/p_screen.h"
#include "frontend/sw_winsys.h"
#include "util/simple_mtx.h"
#include "util/slab.h"
#include "util/u_dynarray.h"
#include "stats/counters.h"
#include "state/tbr_addresses.h"

struct tbr_model;
struct tbr_names;
struct tbr_shader_cache;
struct tbr_vulkan_screen;
struct tbr_renderer;

struct cm_config;

struct tbr_screen {
   struct pipe_screen base;
   struct sw_winsys *winsys;
   char renderer_name[128]; /**< GL_RENDERER: begins with "tbrsim" */

   struct cm_config *config;      /**< from TBRSIM_CONFIG, TBRSIM_SET; never NULL */
   struct tbr_renderer *renderer; /**< renders passes tile by tile on all cores */
   struct tbr_model *model;       /**< the simulated memory hierarchy; NULL with TBRSIM_MODEL=0 */
   bool model_finished;           /**< the process exits; with the lock of the list */
   bool record_hidden;  /**< events have the fragments that mode tbdr does not shade, and those that fail the
                        * tests: tbr_recording_keeps_hidden */
   bool wants_contents; /**< events have contents of tiles: recordings, and configurations that need them
                         * (cm_config_wants_contents) */
   unsigned isas;       /**< whose code of shaders is counted, besides NIR: a bit for each enum cm_isa */
   bool thumbnails;     /**< of the passes that are simulated: tbr_thumbnails_are_wanted */
   simple_mtx_t submit_lock; /**< renderer and model take passes in the same order */
   struct util_dynarray
      pass_histories;       /**< struct tbr_pass_history, of passes in the last frames; with submit_lock */
   uint32_t content_frame;  /**< of the last pass with contents; likewise */
   struct tbr_screen *next; /**< list of tbr_screen.c */
   bool has_contexts;       /**< there has been one; with the lock of the list */
   bool in_forked_child;    /**< in a forked child: its contexts, and what draws for them, are the parent's */

   struct tbr_shader_cache *shader_cache; /**< generated code */
   struct tbr_names *names;               /**< the program's */
   struct tbr_vulkan_screen *vulkan;      /**< of a Vulkan device's screen (vulkan/tbr_vulkan.h); NULL */

   simple_mtx_t storage_lock;      /**< of tbr_resource.storage, while it is replaced or taken */
   struct tbr_addresses addresses; /**< memory by address */

   struct slab_parent_pool transfer_pool; /**< of struct tbr_transfer */

   /** The model's counters as driver queries (GL_AMD_performance_monitor, HUD), a
    * group for the pipeline and one per unit of the hierarchy; NULL and none without
    * a model. */
   struct cm_counter_table *counters;
   struct tbr_counter_group {
      const char *name;
      int unit; /**< cm_counter.unit of its counters */
      unsigned num_counters, num_hit_rates;
   } counter_groups[1 + CM_UNIT_COUNT];
   unsigned num_counter_groups;
   struct tbr_hit_rate *hit_rates;
   unsigned num_hit_rates;
   char **counter_texts; /**< descriptions with their units, by counter */

   uint32_t loops_ended;        /**< 1 once a shader's loops had to be ended; see tbr_nir_limit_loops */
   uint32_t reported_loops;     /**< ... and that has been reported (atomic) */
   uint32_t frame;              /**< frames ended so far (atomic) */
   uint32_t next_resource_id;   /**< event-stream identifiers, atomically counted up */
   simple_mtx_t announce_mutex; /**< of what contexts announce to the event stream once */
   simple_mtx_t gone_lock;      /**< of gone */
   struct util_dynarray
      gone; /**< struct tbr_gone_resource: what the model can forget, but has not been told yet */
   uint32_t user_buffer_id;    /**< see tbr_resource_user_buffer; 0: not needed yet */
   const void *drawing_thread; /**< identifies the first thread that began a pass (atomic) */
   uint32_t many_threads;      /**< 1 once another has (atomic) */
};

static inline struct tbr_screen *
tbr_screen(struct pipe_screen *screen)
{
   return (struct tbr_screen *)screen;
}

/** Ends a forked child that draws with a context of its parent: nothing there would render it. */
void tbr_screen_check_owner(const struct tbr_screen *screen);

/** Reports, once, that the watchdog has ended a shader's loops. */
void tbr_screen_note_ended_loops(struct tbr_screen *screen);

#endif
