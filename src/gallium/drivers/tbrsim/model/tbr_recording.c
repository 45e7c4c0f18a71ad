/* SPDX-License-Identifier: MIT */
#include "model/tbr_recording.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "util/simple_mtx.h"
#include "util/u_dynarray.h"
#include "util/u_debug.h"
#include "util/u_memory.h"
#include "config/config.h"
#include "events/shader_code.h"
#include "results/writer.h"
#include "model/tbr_process.h"
#include "model/tbr_statistics.h"

struct tbr_recording {
   const struct cm_config *config;
   const char *isa;
   struct util_dynarray resources; /**< struct cm_resource_description, of all that there are */
   struct util_dynarray names;     /**< struct cm_name, likewise, with texts of their own */
   struct cm_shader_codes codes;   /**< likewise */
};

static simple_mtx_t mutex = SIMPLE_MTX_INITIALIZER;
/* The screen whose passes are recorded, and whether it has finished a frame. */
static const struct tbr_recording *owner;
static bool owner_finished_frame, left_out;

/* Held from a pass' beginning to its end. */
static simple_mtx_t recorder_mutex = SIMPLE_MTX_INITIALIZER;
static struct cm_recorder *recorder;        /* NULL: no pass has been drawn, or it could not be created */
static const struct tbr_recording *current; /* the screen whose GPU the recorder has */
static bool opened;

bool
tbr_recording_is_wanted(void)
{
   const char *path = getenv("TBRSIM_RECORD");
   return path && *path;
}

bool
tbr_recording_keeps_hidden(const struct cm_config *config)
{
   const bool wanted = tbr_recording_is_wanted() || config->timing == CM_TIMING_ON ||
                       config->primitive_assembly.guard_band || config->fragment_stage.pixel_kill ||
                       config->fragment_stage.quad_order != CM_SHADING_ORDER_BLOCKS;
   return debug_get_bool_option("TBRSIM_RECORD_HIDDEN", wanted) || config->mode == CM_MODE_IMR;
}

/* A forked child has neither the recorder's thread nor a part in the file. */
static void
reset_after_fork(void)
{
   simple_mtx_init(&mutex, mtx_plain);
   simple_mtx_init(&recorder_mutex, mtx_plain);
   owner = current = NULL;
   recorder = NULL;
   opened = owner_finished_frame = left_out = false;
}

struct tbr_recording *
tbr_recording_attach(const struct cm_config *config, const char *isa)
{
   static bool registered;
   simple_mtx_lock(&mutex);
   tbr_process_at_fork(&registered, reset_after_fork);
   simple_mtx_unlock(&mutex);
   struct tbr_recording *recording = CALLOC_STRUCT(tbr_recording);
   if (recording)
      *recording = (struct tbr_recording){.config = config, .isa = isa};
   else
      mesa_loge("out of memory for the recording");
   return recording;
}

void
tbr_recording_release(const struct tbr_recording *recording)
{
   simple_mtx_lock(&mutex);
   if (owner == recording)
      owner = NULL;
   simple_mtx_unlock(&mutex);
   simple_mtx_lock(&recorder_mutex);
   if (current == recording)
      current = NULL;
   simple_mtx_unlock(&recorder_mutex);
}

void
tbr_recording_detach(struct tbr_recording *recording)
{
   if (!recording)
      return;
   tbr_recording_release(recording);
   util_dynarray_foreach (&recording->names, struct cm_name, name)
      FREE((char *)name->text);
   util_dynarray_fini(&recording->names);
   cm_shader_codes_finish(&recording->codes);
   util_dynarray_fini(&recording->resources);
   FREE(recording);
}

/* ---- claims ---------------------------------------------------------------- */

static void
note_left_out(void)
{
   simple_mtx_assert_locked(&mutex);
   if (!left_out)
      mesa_logw("frames of a second display of this process are left out of the recording");
   left_out = true;
}

bool
tbr_recording_claim_pass(struct tbr_recording *recording)
{
   simple_mtx_lock(&mutex);
   if (!owner) {
      owner = recording;
      owner_finished_frame = false;
   }
   const bool claimed = owner == recording;
   simple_mtx_unlock(&mutex);
   return claimed;
}

bool
tbr_recording_claim_frame(struct tbr_recording *recording)
{
   simple_mtx_lock(&mutex);
   /* A frame without passes counts, too. */
   if (!owner)
      owner = recording;
   const bool claimed = owner == recording;
   if (claimed) {
      owner_finished_frame = true;
   } else {
      note_left_out();
      if (!owner_finished_frame)
         owner = recording;
   }
   simple_mtx_unlock(&mutex);
   return claimed;
}

static bool
is_owner(const struct tbr_recording *recording)
{
   simple_mtx_lock(&mutex);
   const bool result = owner == recording;
   simple_mtx_unlock(&mutex);
   return result;
}

/* ---- the recorder, with its mutex held ---------------------------------------- */

static void
open_recorder(const struct tbr_recording *recording)
{
   struct cm_run_value values[TBR_NUM_RUN_VALUES];
   const bool hidden = tbr_recording_keeps_hidden(recording->config);
   struct cm_process_results *results = tbr_process_results();
   char error[512];
   simple_mtx_assert_locked(&recorder_mutex);
   assert(!opened && !recorder);
   opened = true;
   if (!results)
      return;
   tbr_statistics_describe_run(recording->isa, values);
   recorder =
      cm_recorder_create(getenv("TBRSIM_RECORD"), results, hidden ? CM_RECORDING_HIDDEN : CM_RECORDING_PLAIN,
                         recording->config, values, TBR_NUM_RUN_VALUES, error, sizeof error);
   if (!recorder)
      mesa_loge("%s; nothing is recorded", error);
}

/** Makes the recorder's GPU the screen's. */
static void
make_current(const struct tbr_recording *recording)
{
   simple_mtx_assert_locked(&recorder_mutex);
   assert(recorder);
   if (current == recording)
      return;
   current = recording;
   cm_recorder_gpu_begin(recorder);
   util_dynarray_foreach (&recording->names, struct cm_name, name)
      cm_recorder_define_name(recorder, name);
   util_dynarray_foreach (&recording->resources, struct cm_resource_description, resource)
      cm_recorder_define_resource(recorder, resource);
   for (size_t c = 0; c < recording->codes.count; c++)
      cm_recorder_define_code(recorder, &recording->codes.codes[c]);
}

/** Gives back what is not NULL. */
static void *
require(void *memory)
{
   if (!memory) {
      mesa_loge("out of memory for the recording; the process ends");
      tbr_process_abort();
   }
   return memory;
}

void
tbr_recording_define_name(struct tbr_recording *recording, const struct cm_name *name)
{
   /* A read is over once another screen's GPU has come between. */
   if (name->type != CM_NAME_READ) {
      struct cm_name *defined = require(util_dynarray_grow(&recording->names, struct cm_name, 1));
      *defined = *name;
      if (name->text)
         defined->text = require(strdup(name->text));
   }
   simple_mtx_lock(&recorder_mutex);
   if (recorder && current == recording)
      cm_recorder_define_name(recorder, name);
   simple_mtx_unlock(&recorder_mutex);
}

void
tbr_recording_define_code(struct tbr_recording *recording, const struct cm_shader_code *code)
{
   if (!cm_shader_codes_define(&recording->codes, code))
      require(NULL);
   simple_mtx_lock(&recorder_mutex);
   if (recorder && current == recording)
      cm_recorder_define_code(recorder, code);
   simple_mtx_unlock(&recorder_mutex);
}

void
tbr_recording_define_resource(struct tbr_recording *recording, const struct cm_resource_description *resource)
{
   struct cm_resource_description *defined =
      require(util_dynarray_grow(&recording->resources, struct cm_resource_description, 1));
   *defined = *resource;
   simple_mtx_lock(&recorder_mutex);
   if (recorder && current == recording)
      cm_recorder_define_resource(recorder, resource);
   simple_mtx_unlock(&recorder_mutex);
}

void
tbr_recording_forget_resource(struct tbr_recording *recording, uint32_t id)
{
   /* Those that go are mostly young. */
   for (unsigned r = util_dynarray_num_elements(&recording->resources, struct cm_resource_description); r > 0;
        r--) {
      struct cm_resource_description *resource =
         util_dynarray_element(&recording->resources, struct cm_resource_description, r - 1);
      if (resource->id != id)
         continue;
      const size_t begin = (r - 1) * sizeof *resource;
      recording->resources.size -= sizeof *resource;
      memmove(resource, resource + 1, recording->resources.size - begin);
      return;
   }
}

struct cm_recorder *
tbr_recording_begin_pass(struct tbr_recording *recording, const struct cm_pass *pass,
                         struct cm_pass_owner *pass_owner)
{
   simple_mtx_lock(&recorder_mutex);
   if (!opened)
      open_recorder(recording);
   /* Another screen may have taken over since the pass was queued. */
   if (!recorder || !is_owner(recording)) {
      simple_mtx_unlock(&recorder_mutex);
      return NULL;
   }
   make_current(recording);
   cm_recorder_pass_begin(recorder, pass, pass_owner);
   return recorder;
}

void
tbr_recording_end_pass(ASSERTED struct tbr_recording *recording)
{
   simple_mtx_assert_locked(&recorder_mutex);
   assert(recorder && current == recording);
   cm_recorder_pass_end(recorder);
   simple_mtx_unlock(&recorder_mutex);
}

void
tbr_recording_end_frame(struct tbr_recording *recording, uint32_t frame)
{
   simple_mtx_lock(&recorder_mutex);
   if (!opened)
      open_recorder(recording);
   if (recorder && is_owner(recording)) {
      make_current(recording);
      cm_recorder_frame_end(recorder, frame);
   }
   simple_mtx_unlock(&recorder_mutex);
}

void
tbr_recording_close(void)
{
   simple_mtx_lock(&recorder_mutex);
   if (recorder)
      cm_recorder_destroy(recorder);
   recorder = NULL;
   opened = false;
   simple_mtx_unlock(&recorder_mutex);
}
