/* SPDX-License-Identifier: MIT */
#include "model/tbr_model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "util/u_cpu_detect.h"
#include "util/u_atomic.h"
#include "util/u_dynarray.h"
#include "util/u_memory.h"
#include "util/u_thread.h"
#include "gpu/timeline_writer.h"
#include "util/frame_list.h"
#include "model/tbr_process.h"
#include "model/tbr_recording.h"
#include "model/tbr_statistics.h"

enum message_type {
   MESSAGE_RESOURCE,
   MESSAGE_FORGET,
   MESSAGE_NAME,
   MESSAGE_CODE,
   MESSAGE_PASS,
   MESSAGE_FRAME_END,
   MESSAGE_COUNT,  /**< the totals are wanted */
   MESSAGE_FINISH, /**< the last frame is to be written; nothing that follows counts */
   MESSAGE_STOP,
};

struct message {
   struct message *next;
   enum message_type type;
   bool recorded; /**< goes to the recording as well */
   union {
      struct cm_resource_description resource;
      uint32_t forgotten;         /**< a resource's id */
      struct cm_name name;        /**< its text is the message's */
      struct cm_shader_code code; /**< its regions are the message's */
      struct tbr_pass_source *source;
   };
};

struct tbr_model {
   struct cm_gpu *gpu;              /**< NULL: events are only recorded */
   struct tbr_recording *recording; /**< NULL: events are not recorded */
   struct cm_frame_list frames;     /**< simulated and recorded: TBRSIM_FRAMES */
   thrd_t thread;

   mtx_t lock;
   cnd_t queued, drained;
   struct message *first, **end;
   bool busy;                       /**< a message is being consumed */
   bool timed;                      /**< a frame that has ended may be there to be written */
   uint64_t *counters;              /**< totals, of the last MESSAGE_COUNT */
   bool counted;                    /**< they are of all that is queued */
   bool ends;                       /**< MESSAGE_FINISH has been queued */
   bool finished;                   /**< the consumer has had it */
   uint32_t frame;                  /**< that the consumer is in */
   bool frame_open;                 /**< it has passes */
   uint32_t passes;                 /**< of that frame, so far */
   struct util_dynarray thumbnails; /**< struct tbr_thumbnail, of that frame */
   /** Those of frames that have ended, whose counters the GPU has not returned, by their order modulo the size. */
   struct util_dynarray ended_thumbnails[CM_MOST_ENDED_FRAMES];
   unsigned num_ended, num_written;

   /* Of the pass that is consumed. The GPU's threads release its tiles. */
   struct cm_pass_owner *owner;
   struct cm_recorder *recorder; /**< gets them first; NULL: it is not recorded */
   mtx_t recorder_lock;          /**< it takes one tile at a time */
};

static void
take_thumbnail(struct tbr_model *model, struct tbr_pass_source *source)
{
   source->wait_tile(source, source->pass->tiles_x * source->pass->tiles_y);
   struct tbr_thumbnail thumbnail = source->thumbnail;
   thumbnail.pass = model->passes;
   if (!thumbnail.png)
      return;
   struct tbr_thumbnail *added = util_dynarray_grow(&model->thumbnails, struct tbr_thumbnail, 1);
   if (added)
      *added = thumbnail;
   else
      free(thumbnail.png);
}

static void
drop_thumbnails(struct util_dynarray *thumbnails)
{
   util_dynarray_foreach (thumbnails, struct tbr_thumbnail, thumbnail)
      free(thumbnail->png);
   util_dynarray_clear(thumbnails);
}

/** Writes the frames that the GPU returns, from these values on. */
static void
write_frames(struct tbr_model *model, const uint64_t *values, const uint64_t *(*next)(struct cm_gpu *gpu))
{
   for (; values; values = next(model->gpu)) {
      struct util_dynarray *thumbnails =
         &model->ended_thumbnails[model->num_written++ % CM_MOST_ENDED_FRAMES];
      assert(model->num_written <= model->num_ended);
      tbr_statistics_frame(model, model->gpu, values, thumbnails);
      drop_thumbnails(thumbnails);
   }
}

/** The frame that ends may be written later. */
static void
end_frame(struct tbr_model *model)
{
   struct util_dynarray *ended = &model->ended_thumbnails[model->num_ended++ % CM_MOST_ENDED_FRAMES];
   const struct util_dynarray empty = *ended;
   *ended = model->thumbnails;
   model->thumbnails = empty;
   write_frames(model, cm_gpu_frame_end(model->gpu), cm_gpu_next_frame);
}

/** On a thread of the GPU's. */
static void
frame_is_timed(void *data)
{
   struct tbr_model *model = data;
   mtx_lock(&model->lock);
   model->timed = true;
   cnd_signal(&model->queued);
   mtx_unlock(&model->lock);
}

/** The model does not need a tile's events any more. */
static void
release_tile(void *data, uint32_t tile)
{
   struct tbr_model *model = data;
   if (model->recorder) {
      mtx_lock(&model->recorder_lock);
      cm_recorder_pass_tile(model->recorder, tile);
      mtx_unlock(&model->recorder_lock);
   } else {
      model->owner->release_tile(model->owner, tile);
   }
}

static void
consume_pass(struct tbr_model *model, const struct message *message)
{
   struct tbr_pass_source *source = message->source;
   const struct cm_pass *pass = source->pass;
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   /* The recorder, if there is one, releases tiles and pass after the model. */
   model->owner = &source->owner;
   model->recorder =
      message->recorded ? tbr_recording_begin_pass(model->recording, pass, &source->owner) : NULL;
   assert(model->gpu || model->recording);
   model->frame_open = true;
   if (model->gpu)
      cm_gpu_pass_begin(model->gpu, pass);
   for (uint32_t n = 0; n < num_tiles; n++) {
      const uint32_t tile = source->traversal[n];
      assert(tile < num_tiles);
      source->wait_tile(source, n);
      if (model->gpu)
         cm_gpu_pass_tile(model->gpu, tile);
      else
         release_tile(model, tile);
   }
   if (model->gpu)
      cm_gpu_pass_end(model->gpu);
   if (source->has_thumbnail)
      take_thumbnail(model, source);
   model->passes++;
   if (model->recorder)
      tbr_recording_end_pass(model->recording);
   else
      source->owner.release(&source->owner);
}

static void
consume_frame_end(struct tbr_model *model, bool recorded)
{
   if (tbr_model_frame_wanted(model, model->frame)) {
      if (model->gpu)
         end_frame(model);
      /* After the statistics: they create the folder that the recording may be named after. */
      if (recorded)
         tbr_recording_end_frame(model->recording, model->frame);
      model->frame_open = false;
   }
   drop_thumbnails(&model->thumbnails);
   model->passes = 0;
   model->frame++;
}

static void
consume_resource(struct tbr_model *model, const struct cm_resource_description *resource)
{
   if (model->recording)
      tbr_recording_define_resource(model->recording, resource);
   if (model->gpu)
      cm_gpu_define_resource(model->gpu, resource);
}

static void
consume_forget(struct tbr_model *model, uint32_t id)
{
   if (model->recording)
      tbr_recording_forget_resource(model->recording, id);
   if (model->gpu)
      cm_gpu_forget_resource(model->gpu, id);
}

/** Passes after the last swap are a frame, too. */
static void
consume_finish(struct tbr_model *model)
{
   if (model->frame_open) {
      tbr_statistics_claim(model);
      consume_frame_end(model, model->recording && tbr_recording_claim_frame(model->recording));
   }
   assert(!model->frame_open);
   if (model->gpu)
      write_frames(model, cm_gpu_last_frame(model->gpu), cm_gpu_last_frame);
   assert(model->num_written == model->num_ended);
}

/** For threads that still draw while the process exits: what they wait for still happens. */
static void
discard(const struct message *message)
{
   if (message->type == MESSAGE_NAME)
      FREE((char *)message->name.text);
   if (message->type == MESSAGE_CODE)
      FREE((void *)message->code.regions);
   if (message->type != MESSAGE_PASS)
      return;
   struct tbr_pass_source *source = message->source;
   const uint32_t num_tiles = source->pass->tiles_x * source->pass->tiles_y;
   for (uint32_t n = 0; n < num_tiles; n++) {
      source->wait_tile(source, n);
      source->owner.release_tile(&source->owner, source->traversal[n]);
   }
   if (source->has_thumbnail)
      source->wait_tile(source, num_tiles);
   free(source->thumbnail.png);
   source->owner.release(&source->owner);
}

static void
consume_name(struct tbr_model *model, const struct cm_name *name)
{
   if (model->recording)
      tbr_recording_define_name(model->recording, name);
   if (model->gpu)
      cm_gpu_define_name(model->gpu, name);
   FREE((char *)name->text);
}

static void
consume_code(struct tbr_model *model, const struct cm_shader_code *code)
{
   if (model->recording)
      tbr_recording_define_code(model->recording, code);
   if (model->gpu)
      cm_gpu_define_code(model->gpu, code);
   FREE((void *)code->regions);
}

static void
consume(struct tbr_model *model, const struct message *message)
{
   if (model->finished) {
      discard(message);
      return;
   }
   switch (message->type) {
   case MESSAGE_RESOURCE: consume_resource(model, &message->resource); break;
   case MESSAGE_FORGET: consume_forget(model, message->forgotten); break;
   case MESSAGE_NAME: consume_name(model, &message->name); break;
   case MESSAGE_CODE: consume_code(model, &message->code); break;
   case MESSAGE_PASS: consume_pass(model, message); break;
   case MESSAGE_FRAME_END: consume_frame_end(model, message->recorded); break;
   case MESSAGE_COUNT: break;
   case MESSAGE_FINISH: consume_finish(model); break;
   case MESSAGE_STOP: unreachable("finished first");
   }
}

/** With the lock: waits for a message, and meanwhile writes frames that have ended as soon as they can be. */
static struct message *
next_message(struct tbr_model *model)
{
   while (!model->first) {
      if (!model->timed) {
         cnd_wait(&model->queued, &model->lock);
         continue;
      }
      model->timed = false;
      mtx_unlock(&model->lock);
      write_frames(model, cm_gpu_next_frame(model->gpu), cm_gpu_next_frame);
      mtx_lock(&model->lock);
   }
   struct message *message = model->first;
   model->first = message->next;
   assert(!model->busy && (model->first || model->end == &message->next));
   if (!model->first)
      model->end = &model->first;
   return message;
}

static int
consumer_main(void *data)
{
   struct tbr_model *model = data;
   const size_t bytes = model->gpu ? cm_gpu_counters(model->gpu)->count * sizeof(uint64_t) : 0;
   bool stop = false;

   u_thread_setname("tbrsim:model");
   mtx_lock(&model->lock);
   while (!stop) {
      struct message *message = next_message(model);
      model->busy = true;
      mtx_unlock(&model->lock);

      consume(model, message);
      const enum message_type type = message->type;
      stop = type == MESSAGE_STOP;
      FREE(message);

      const uint64_t *total = type == MESSAGE_COUNT ? cm_gpu_total(model->gpu) : NULL;
      mtx_lock(&model->lock);
      assert(model->busy);
      model->finished |= type == MESSAGE_FINISH;
      if (total)
         memcpy(model->counters, total, bytes);
      model->busy = false;
      cnd_broadcast(&model->drained);
   }
   mtx_unlock(&model->lock);
   return 0;
}

/** Gives back what is not NULL. */
static void *
require(void *memory)
{
   if (!memory) {
      mesa_loge("out of memory for the model's queue; the process ends");
      tbr_process_abort();
   }
   return memory;
}

/** The statistics' and the recording's files are of one display at a time. Called with the lock held: a model that ends
 * has no part in them any more. */
static void
claim(struct tbr_model *model, struct message *message)
{
   if (message->type == MESSAGE_FRAME_END) {
      tbr_statistics_claim(model);
      message->recorded = model->recording && tbr_recording_claim_frame(model->recording);
   } else if (message->type == MESSAGE_PASS) {
      message->recorded = model->recording && tbr_recording_claim_pass(model->recording);
   }
}

static void
queue(struct tbr_model *model, const struct message *content)
{
   struct message *message = require(MALLOC_STRUCT(message));
   *message = *content;
   message->next = NULL;
   mtx_lock(&model->lock);
   if (!model->ends)
      claim(model, message);
   model->ends |= content->type == MESSAGE_FINISH;
   model->counted = content->type == MESSAGE_COUNT;
   assert(!*model->end);
   *model->end = message;
   model->end = &message->next;
   cnd_signal(&model->queued);
   mtx_unlock(&model->lock);
}

void
tbr_model_define_resource(struct tbr_model *model, const struct cm_resource_description *resource)
{
   queue(model, &(struct message){.type = MESSAGE_RESOURCE, .resource = *resource});
}

void
tbr_model_forget_resource(struct tbr_model *model, uint32_t id)
{
   queue(model, &(struct message){.type = MESSAGE_FORGET, .forgotten = id});
}

void
tbr_model_define_name(struct tbr_model *model, const struct cm_name *name)
{
   struct message message = {.type = MESSAGE_NAME, .name = *name};
   if (name->text)
      message.name.text = require(strdup(name->text));
   queue(model, &message);
}

void
tbr_model_define_code(struct tbr_model *model, const struct cm_shader_code *code)
{
   struct message message = {.type = MESSAGE_CODE, .code = *code};
   const size_t bytes = code->num_regions * sizeof *code->regions;
   message.code.regions = memcpy(require(MALLOC(bytes)), code->regions, bytes);
   queue(model, &message);
}

void
tbr_model_pass(struct tbr_model *model, struct tbr_pass_source *source)
{
   assert(source->pass && source->traversal && source->wait_tile);
   queue(model, &(struct message){.type = MESSAGE_PASS, .source = source});
}

void
tbr_model_frame_end(struct tbr_model *model)
{
   queue(model, &(struct message){.type = MESSAGE_FRAME_END});
}

bool
tbr_model_frame_wanted(const struct tbr_model *model, uint32_t frame)
{
   return cm_frame_list_has(&model->frames, frame);
}

uint64_t
tbr_model_counter(struct tbr_model *model, unsigned counter)
{
   assert(model->gpu && counter < cm_gpu_counters(model->gpu)->count);
   mtx_lock(&model->lock);
   const bool counted = model->counted;
   mtx_unlock(&model->lock);
   if (!counted)
      queue(model, &(struct message){.type = MESSAGE_COUNT});
   mtx_lock(&model->lock);
   while (model->first || model->busy)
      cnd_wait(&model->drained, &model->lock);
   const uint64_t value = model->counters[counter];
   mtx_unlock(&model->lock);
   return value;
}

const struct cm_counter_table *
tbr_model_counters(const struct tbr_model *model)
{
   return model->gpu ? cm_gpu_counters(model->gpu) : NULL;
}

/** TBRSIM_FRAMES=A-B, A-, or A, or several of them with commas. */
static bool
parse_frames(struct tbr_model *model)
{
   const char *frames = getenv("TBRSIM_FRAMES");
   return cm_frame_list_parse(frames && *frames ? frames : "0-", &model->frames);
}

static void
free_model(struct tbr_model *model)
{
   cm_gpu_destroy(model->gpu);
   tbr_recording_detach(model->recording);
   util_dynarray_fini(&model->thumbnails);
   for (unsigned n = 0; n < ARRAY_SIZE(model->ended_thumbnails); n++)
      util_dynarray_fini(&model->ended_thumbnails[n]);
   cm_frame_list_free(&model->frames);
   mtx_destroy(&model->recorder_lock);
   FREE(model->counters);
   FREE(model);
}

/** TBRSIM_TIMELINE=A-B or A: has the GPU make a timeline of these frames; *frames becomes NULL without. */
static bool
make_timeline(struct tbr_model *model, const struct cm_config *config, struct cm_timeline_frames **frames)
{
   const char *timeline = getenv("TBRSIM_TIMELINE");
   if (!timeline || !*timeline || !tbr_process_directory()) {
      if (timeline && *timeline)
         mesa_logw("TBRSIM_TIMELINE=%s: there are no statistics for it to be next to; expected TBRSIM_OUT",
                   timeline);
      *frames = NULL;
      return true;
   }
   if (!cm_timeline_frames_parse(timeline, *frames)) {
      mesa_loge("TBRSIM_TIMELINE=%s: expected A-B or A", timeline);
      return false;
   }
   if (config->timing != CM_TIMING_ON) {
      mesa_loge("TBRSIM_TIMELINE=%s: %s has no timing, expected timing: on", timeline, config->name);
      return false;
   }
   if (model->frames.count > 1) {
      mesa_loge("TBRSIM_TIMELINE=%s: expected frames that follow one another in TBRSIM_FRAMES=%s", timeline,
                getenv("TBRSIM_FRAMES"));
      return false;
   }
   (*frames)->begin = model->frames.ranges[0].first;
   if (cm_gpu_make_timeline(model->gpu, *frames))
      return true;
   mesa_loge("out of memory for the timeline");
   return false;
}

/** TBRSIM_MODEL_THREADS=N: the GPU is simulated on so many threads. Where no number is asked for, on as many as there are
 * processors, up to eight, as more find little to do: with those that render they are twice as many, but those wait while
 * much is left to be simulated, and these while little is. */
static bool
set_threads(struct tbr_model *model)
{
   const char *value = getenv("TBRSIM_MODEL_THREADS");
   unsigned threads = CLAMP(util_get_cpu_caps()->nr_cpus, 1, 8);
   const bool asked = value && *value;
   if (asked) {
      char *end;
      threads = strtoul(value, &end, 10);
      if (*end || !threads) {
         mesa_loge("TBRSIM_MODEL_THREADS=%s: expected a number of threads", value);
         return false;
      }
   }
   if (cm_gpu_set_threads(model->gpu, threads)) {
      const char *reason = cm_gpu_serial_reason(model->gpu);
      if (asked && threads > 1 && reason)
         mesa_logw("TBRSIM_MODEL_THREADS=%u has no effect: %s", threads, reason);
      return true;
   }
   mesa_loge("out of memory for the model's threads");
   return false;
}

/** Creates the consumers of events: the hierarchy, the recording. */
static bool
create_consumers(struct tbr_model *model, const struct cm_config *config, const char *isa, bool simulate)
{
   if (tbr_recording_is_wanted()) {
      model->recording = tbr_recording_attach(config, isa);
      if (!model->recording)
         return false;
   }
   if (!simulate)
      return true;
   char error[512];
   model->gpu = cm_gpu_create(config, error, sizeof error);
   if (!model->gpu) {
      mesa_loge("%s", error);
      return false;
   }
   struct cm_timeline_frames frames, *timeline = &frames;
   if (!make_timeline(model, config, &timeline) || !set_threads(model))
      return false;
   cm_gpu_release_tiles(model->gpu, release_tile, model);
   cm_gpu_on_timed_frame(model->gpu, frame_is_timed, model);
   model->counters = CALLOC(cm_gpu_counters(model->gpu)->count, sizeof(uint64_t));
   return model->counters && tbr_statistics_prepare(config, isa, timeline);
}

struct tbr_model *
tbr_model_create(const struct cm_config *config, const char *isa, bool simulate)
{
   struct tbr_model *model = CALLOC_STRUCT(tbr_model);
   if (!model)
      return NULL;
   if (!parse_frames(model)) {
      mesa_loge("TBRSIM_FRAMES=%s: expected A-B, A- or A, or several of them, ascending, with commas",
                getenv("TBRSIM_FRAMES"));
      FREE(model);
      return NULL;
   }
   mtx_init(&model->recorder_lock, mtx_plain);
   if (!create_consumers(model, config, isa, simulate)) {
      free_model(model);
      return NULL;
   }
   util_dynarray_init(&model->thumbnails, NULL);
   for (unsigned n = 0; n < ARRAY_SIZE(model->ended_thumbnails); n++)
      util_dynarray_init(&model->ended_thumbnails[n], NULL);
   mtx_init(&model->lock, mtx_plain);
   cnd_init(&model->queued);
   cnd_init(&model->drained);
   model->end = &model->first;
   if (u_thread_create(&model->thread, consumer_main, model) != thrd_success) {
      mesa_loge("cannot start the model's thread");
      free_model(model);
      return NULL;
   }
   return model;
}

void
tbr_model_finish(struct tbr_model *model)
{
   queue(model, &(struct message){.type = MESSAGE_FINISH});
   mtx_lock(&model->lock);
   while (!model->finished)
      cnd_wait(&model->drained, &model->lock);
   mtx_unlock(&model->lock);
   tbr_statistics_release(model);
   tbr_recording_release(model->recording);
}

void
tbr_model_destroy(struct tbr_model *model)
{
   queue(model, &(struct message){.type = MESSAGE_STOP});
   thrd_join(model->thread, NULL);
   assert(model->finished && !model->first && !model->busy);
   cm_gpu_destroy(model->gpu); /* whose threads may be about to lock */
   model->gpu = NULL;
   cnd_destroy(&model->queued); /* and not `drained`, as in tbr_renderer_destroy() */
   mtx_destroy(&model->lock);
   free_model(model);
}
