/* SPDX-License-Identifier: MIT */
#include "tbr_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/u_atomic.h"
#include "util/u_memory.h"
#include "util/u_thread.h"
#include "tbr_statistics.h"

enum message_type {
   MESSAGE_RESOURCE,
   MESSAGE_PASS,
   MESSAGE_FRAME_END,
   MESSAGE_STOP,
};

struct message {
   struct message *next;
   enum message_type type;
   union {
      struct cm_resource_description resource;
      struct {
         const struct cm_pass *pass;
         void *data;
         void (*wait_tile)(void *data, uint32_t n);
         void (*release_tile)(void *data, uint32_t tile);
         void (*release)(void *data);
      };
   };
};

struct tbr_model {
   struct cm_gpu *gpu;
   uint32_t first_frame, last_frame;
   thrd_t thread;

   mtx_t lock;
   cnd_t queued, drained;
   struct message *first, **end;
   bool busy;          /**< a message is being consumed */
   uint64_t *counters; /**< totals, updated after each message */
   uint32_t frame;     /**< the consumer's */
};

static void
consume_pass(struct tbr_model *model, const struct message *message)
{
   const uint32_t num_tiles = message->pass->tiles_x * message->pass->tiles_y;
   cm_gpu_pass_begin(model->gpu, message->pass);
   const uint32_t *traversal = cm_gpu_pass_traversal(model->gpu);
   for (uint32_t n = 0; n < num_tiles; n++) {
      message->wait_tile(message->data, n);
      cm_gpu_pass_tile(model->gpu, traversal[n]);
      message->release_tile(message->data, traversal[n]);
   }
   cm_gpu_pass_end(model->gpu);
   message->release(message->data);
}

static void
consume_frame_end(struct tbr_model *model)
{
   if (tbr_model_frame_wanted(model, model->frame)) {
      const uint64_t *values = cm_gpu_frame_end(model->gpu);
      tbr_statistics_frame(model, values, cm_gpu_counters(model->gpu)->count);
   }
   model->frame++;
}

static void
consume(struct tbr_model *model, const struct message *message)
{
   switch (message->type) {
   case MESSAGE_RESOURCE: cm_gpu_define_resource(model->gpu, &message->resource); break;
   case MESSAGE_PASS: consume_pass(model, message); break;
   case MESSAGE_FRAME_END: consume_frame_end(model); break;
   case MESSAGE_STOP:
      /* What came after the last swap is a frame too, or it would be lost. */
      if (cm_gpu_frame_open(model->gpu)) {
         tbr_statistics_claim(model);
         consume_frame_end(model);
      }
      break;
   }
}

static int
consumer_main(void *data)
{
   struct tbr_model *model = data;
   const size_t bytes = cm_gpu_counters(model->gpu)->count * sizeof(uint64_t);
   bool stop = false;

   u_thread_setname("tbrsim:model");
   mtx_lock(&model->lock);
   while (!stop) {
      while (!model->first)
         cnd_wait(&model->queued, &model->lock);
      struct message *message = model->first;
      model->first = message->next;
      if (!model->first)
         model->end = &model->first;
      model->busy = true;
      mtx_unlock(&model->lock);

      consume(model, message);
      const enum message_type type = message->type;
      stop = type == MESSAGE_STOP;
      FREE(message);

      const uint64_t *total = type == MESSAGE_RESOURCE ? NULL : cm_gpu_total(model->gpu);
      mtx_lock(&model->lock);
      if (total)
         memcpy(model->counters, total, bytes);
      model->busy = false;
      cnd_broadcast(&model->drained);
   }
   mtx_unlock(&model->lock);
   return 0;
}

static void
queue(struct tbr_model *model, const struct message *content)
{
   struct message *message = MALLOC_STRUCT(message);
   if (!message) {
      fprintf(stderr, "tbrsim: out of memory for the model's queue; the process ends\n");
      abort();
   }
   *message = *content;
   message->next = NULL;
   mtx_lock(&model->lock);
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
tbr_model_pass(struct tbr_model *model, const struct cm_pass *pass, void *data,
               void (*wait_tile)(void *data, uint32_t n), void (*release_tile)(void *data, uint32_t tile),
               void (*release)(void *data))
{
   queue(model, &(struct message){
                   .type = MESSAGE_PASS,
                   .pass = pass,
                   .data = data,
                   .wait_tile = wait_tile,
                   .release_tile = release_tile,
                   .release = release,
                });
}

void
tbr_model_frame_end(struct tbr_model *model)
{
   tbr_statistics_claim(model);
   queue(model, &(struct message){.type = MESSAGE_FRAME_END});
}

bool
tbr_model_frame_wanted(const struct tbr_model *model, uint32_t frame)
{
   return frame >= model->first_frame && frame <= model->last_frame;
}

uint64_t
tbr_model_counter(struct tbr_model *model, unsigned counter, bool wait)
{
   mtx_lock(&model->lock);
   while (wait && (model->first || model->busy))
      cnd_wait(&model->drained, &model->lock);
   const uint64_t value = model->counters[counter];
   mtx_unlock(&model->lock);
   return value;
}

const struct cm_counter_table *
tbr_model_counters(const struct tbr_model *model)
{
   return cm_gpu_counters(model->gpu);
}

/** TBRSIM_FRAMES=A-B, A-, or A. */
static bool
parse_frames(struct tbr_model *model)
{
   const char *frames = getenv("TBRSIM_FRAMES");
   char *end;

   model->first_frame = 0;
   model->last_frame = UINT32_MAX;
   if (!frames || !*frames)
      return true;
   model->first_frame = model->last_frame = strtoul(frames, &end, 10);
   if (end == frames)
      return false;
   if (*end == '-') {
      const char *second = end + 1;
      model->last_frame = *second ? strtoul(second, &end, 10) : UINT32_MAX;
      if (!*second)
         end = (char *)second;
   }
   return *end == '\0' && model->first_frame <= model->last_frame;
}

struct tbr_model *
tbr_model_create(const struct cm_config *config, const char *isa)
{
   struct tbr_model *model = CALLOC_STRUCT(tbr_model);
   if (!model)
      return NULL;
   if (!parse_frames(model)) {
      fprintf(stderr, "tbrsim: TBRSIM_FRAMES=%s: expected A-B, A- or A\n", getenv("TBRSIM_FRAMES"));
      FREE(model);
      return NULL;
   }

   model->gpu = cm_gpu_create(config);
   if (model->gpu)
      model->counters = CALLOC(cm_gpu_counters(model->gpu)->count, sizeof(uint64_t));
   if (!model->gpu || !model->counters || !tbr_statistics_prepare(config, isa)) {
      cm_gpu_destroy(model->gpu);
      FREE(model->counters);
      FREE(model);
      return NULL;
   }
   mtx_init(&model->lock, mtx_plain);
   cnd_init(&model->queued);
   cnd_init(&model->drained);
   model->end = &model->first;
   if (u_thread_create(&model->thread, consumer_main, model) != thrd_success) {
      fprintf(stderr, "tbrsim: cannot start the model's thread\n");
      cm_gpu_destroy(model->gpu);
      FREE(model->counters);
      FREE(model);
      return NULL;
   }
   return model;
}

void
tbr_model_destroy(struct tbr_model *model)
{
   if (!model)
      return;
   queue(model, &(struct message){.type = MESSAGE_STOP});
   thrd_join(model->thread, NULL);
   tbr_statistics_release(model);
   cm_gpu_destroy(model->gpu);
   cnd_destroy(&model->queued);
   cnd_destroy(&model->drained);
   mtx_destroy(&model->lock);
   FREE(model->counters);
   FREE(model);
}
