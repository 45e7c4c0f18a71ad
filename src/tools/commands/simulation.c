/* SPDX-License-Identifier: MIT */
#include "commands/simulation.h"
#include "config/config.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "output/progress.h"
#include "events/deferred.h"
#include "results/writer.h"
#include "tools.h"
#include "commands/work_queue.h"
#include "gpu/attribution_writer.h"
#include "gpu/counters.h"
#include "gpu/timeline_writer.h"
#include "options.h"
#include "tbrsim_version.h"
#include "util/threads.h"

/* What a thread decodes tiles with. */
struct decoder {
   struct decoder *next; /* in the round's list */
   struct cm_tile_reader *reader;
   struct cm_deferred deferred;
};

/* One pass over the recording for all simulations that still need one. */
struct round {
   struct simulations *simulations;
   unsigned frames; /* read */
   unsigned run;    /* of the plan */
   unsigned passes; /* of the frame that is being read */
   bool
      defers; /* what deferred GPUs shade is derived once for all of them, in parallel with the simulations */
   const char *work;
   pthread_mutex_t lock;     /* of what follows, and of the simulations' decoding_nanoseconds */
   struct decoder *decoders; /* that no thread has */
   struct decoder
      *failed; /* that which could not decode the pass of the smallest number, failed_number; NULL */
   unsigned failed_number;
};

void
simulation_start(struct simulation *simulation, const struct configuration *configuration,
                 const struct simulations *simulations, const char *out, unsigned warm_up)
{
   const struct cm_config *config = configuration->config;
   const struct frame_plan *plan = simulations->plan;
   *simulation = (struct simulation){.configuration = configuration, .out = out, .warm_up = warm_up};
   simulation->table = cm_gpu_counter_table_create(config);
   simulation->futures = cm_futures_create(config);
   if (!simulation->table || !simulation->futures)
      fail(STATUS_FAILED, "out of memory");
   simulation->total = allocate(simulation->table->count * sizeof(uint64_t));
   simulation->plan = plan;
   if (plan)
      simulation->samples =
         allocate((size_t)plan->num_counted * simulation->table->count * sizeof(*simulation->samples));
   if (!out)
      return;
   /* What stats.json says of a run besides its configuration is the recorded one's. */
   size_t count, kept = 0;
   const struct cm_run_value *values = cm_recording_values(simulations->recording, &count);
   struct cm_run_value *run = allocate((count + 4) * sizeof(*run));
   for (size_t v = 0; v < count; v++) {
      if (strcmp(values[v].key, "preset") && strcmp(values[v].key, "configuration"))
         run[kept++] = values[v];
   }
   char *frames = text("%u", warm_up);
   char *fingerprint = text("%016" PRIx64, cm_recording_fingerprint(simulations->recording));
   run[kept++] = (struct cm_run_value){CM_RUN_SIMULATOR, tbrsim_commit};
   run[kept++] = (struct cm_run_value){CM_RUN_RECORDING, fingerprint};
   if (warm_up)
      run[kept++] = (struct cm_run_value){"warm_up", frames};
   if (plan)
      run[kept++] = (struct cm_run_value){"selected", plan->name};
   simulation->writer = cm_stats_writer_create(out, NULL, simulation->table, config, run, kept);
   if (!simulation->writer ||
       !cm_attribution_writer_create(config, simulation->table, simulation->writer, &simulation->attribution))
      fail(STATUS_FAILED, "out of memory");
   free(run);
   free(frames);
   free(fingerprint);
}

void
simulation_add_timeline(struct simulation *simulation, const struct cm_timeline_frames *frames)
{
   simulation->timeline = frames;
   simulation->timeline_writer = cm_timeline_writer_create(frames, simulation->writer);
   if (!simulation->timeline_writer)
      fail(STATUS_FAILED, "out of memory");
}

/* ---- a part of the stream ---------------------------------------------------- */

static bool
counts(const struct simulation *simulation)
{
   return cm_futures_is_last_pass(simulation->futures);
}

/* Says once where the threads that were asked for change nothing. */
static void
set_threads(struct simulation *simulation)
{
   if (!cm_gpu_set_threads(simulation->gpu, simulation->model_threads))
      fail(STATUS_FAILED, "out of memory");
   const char *reason = cm_gpu_serial_reason(simulation->gpu);
   if (simulation->model_threads > 1 && reason && !simulation->said_serial &&
       simulation->are_threads_asked_for) {
      say("%s: --model-threads %u has no effect: %s", simulation->configuration->name,
          simulation->model_threads, reason);
      simulation->said_serial = true;
   }
}

static void
begin_gpu(struct simulation *simulation)
{
   char error[512];
   assert(!simulation->gpu);
   simulation->gpu =
      cm_gpu_create_with_futures(simulation->configuration->config, simulation->futures, error, sizeof error);
   if (!simulation->gpu) {
      say("%s", error);
      simulation->failed = simulation->stopped = true;
   }
   cm_changer_destroy(simulation->changer);
   simulation->changer = NULL;
   if (simulation->num_changes &&
       !(simulation->changer = cm_changer_create(simulation->changes, simulation->num_changes)))
      fail(STATUS_FAILED, "out of memory");
   if (simulation->gpu && simulation->reader && counts(simulation))
      simulation->failed |= !cm_gpu_add_reader(simulation->gpu, simulation->reader);
   if (simulation->gpu && simulation->timeline && counts(simulation) &&
       !cm_gpu_make_timeline(simulation->gpu, simulation->timeline))
      fail(STATUS_FAILED, "out of memory");
   if (simulation->gpu)
      set_threads(simulation);
}

static void
run_pass(struct simulation *simulation, const struct cm_pass *pass)
{
   struct cm_gpu *gpu = simulation->gpu;
   if (simulation->changer) {
      const enum cm_changer_result result = cm_changer_pass(simulation->changer, &pass);
      if (result == CM_CHANGER_OUT_OF_MEMORY)
         fail(STATUS_FAILED, "out of memory");
      if (result == CM_CHANGER_SKIPPED)
         return;
   }
   cm_gpu_pass_begin(gpu, pass);
   const uint32_t *traversal = cm_gpu_pass_traversal(gpu);
   for (uint32_t n = 0; traversal && n < pass->tiles_x * pass->tiles_y; n++)
      cm_gpu_pass_tile(gpu, traversal[n]);
   cm_gpu_pass_end(gpu);
   if (simulation->changer)
      cm_changer_pass_end(simulation->changer);
}

/* Whether a frame is counted: the warm-up is not. */
static bool
takes_frame(struct simulation *simulation, size_t frame)
{
   if (simulation->plan)
      return simulation->plan->counted[frame];
   const bool is_warm = simulation->warmed >= simulation->warm_up;
   simulation->warmed += !is_warm;
   return is_warm;
}

static void
take_sample(struct simulation *simulation, size_t frame, const uint64_t *values)
{
   const size_t count = simulation->table->count;
   if (simulation->plan)
      memcpy(simulation->samples + (simulation->plan->counted[frame] - 1) * count, values,
             count * sizeof(*values));
}

/* A frame is simulated. values: its counters. */
static void
take_frame(struct simulation *simulation, size_t frame, const uint64_t *values)
{
   const bool taken = counts(simulation) && takes_frame(simulation, frame);
   if (taken) {
      cm_attribution_writer_frame(simulation->attribution, simulation->gpu);
      cm_timeline_writer_frame(simulation->timeline_writer, simulation->gpu);
   }
   simulation->failed |= !cm_gpu_is_complete(simulation->gpu);
   simulation->stopped |= cm_gpu_is_out_of_memory(simulation->gpu);
   if (!taken || simulation->stopped)
      return;
   take_sample(simulation, frame, values);
   for (uint32_t c = 0; c < simulation->table->count; c++)
      simulation->total[c] += values[c];
   simulation->frames++;
   if (simulation->writer && cm_stats_writer_frame(simulation->writer, values))
      simulation->written++;
   else
      simulation->failed |= simulation->writer != NULL;
}

/* Takes frames that the GPU returns, from these values on. */
static void
take_frames(struct simulation *simulation, const uint64_t *values,
            const uint64_t *(*next)(struct cm_gpu *gpu))
{
   for (; values; values = simulation->stopped ? NULL : next(simulation->gpu))
      take_frame(simulation, simulation->ended[simulation->num_taken++ % CM_MOST_ENDED_FRAMES], values);
}

static void
end_frame(struct simulation *simulation, size_t frame)
{
   simulation->ended[simulation->num_ended++ % CM_MOST_ENDED_FRAMES] = frame;
   take_frames(simulation, cm_gpu_frame_end(simulation->gpu), cm_gpu_next_frame);
}

/* No more of the GPU follows. */
static void
end_frames(struct simulation *simulation)
{
   if (simulation->gpu && !simulation->stopped)
      take_frames(simulation, cm_gpu_last_frame(simulation->gpu), cm_gpu_last_frame);
   simulation->num_ended = simulation->num_taken = 0;
}

static void
end_gpu(struct simulation *simulation)
{
   end_frames(simulation);
   cm_gpu_destroy(simulation->gpu);
   simulation->gpu = NULL;
}

static void
define_resource(struct simulation *simulation, const struct cm_resource_description *resource)
{
   if (!simulation->changer) {
      cm_gpu_define_resource(simulation->gpu, resource);
      return;
   }
   const struct cm_resource_description changed = cm_changer_resource(simulation->changer, resource);
   cm_gpu_define_resource(simulation->gpu, &changed);
}

static void
take(struct simulation *simulation, const struct cm_item *item)
{
   if (simulation->stopped)
      return;
   if (item->type == CM_ITEM_GPU) {
      end_gpu(simulation);
      begin_gpu(simulation);
   }
   if (!simulation->gpu)
      return;
   if (item->type == CM_ITEM_PASS)
      run_pass(simulation, &item->pass->pass);
   else if (item->type == CM_ITEM_FRAME_END)
      end_frame(simulation, item->frame);
   for (size_t n = 0; item->type == CM_ITEM_RESOURCES && n < item->num_names; n++)
      cm_gpu_define_name(simulation->gpu, &item->names[n]);
   for (size_t r = 0; item->type == CM_ITEM_RESOURCES && r < item->num_resources; r++)
      define_resource(simulation, &item->resources[r]);
   for (size_t c = 0; item->type == CM_ITEM_RESOURCES && c < item->num_codes; c++)
      cm_gpu_define_code(simulation->gpu, &item->codes[c]);
}

/* ---- a pass over the recording -------------------------------------------------- */

static void
show_progress(struct round *round, const struct cm_item *item)
{
   const struct simulations *simulations = round->simulations;
   const unsigned all = simulations->plan ? simulations->plan->num_frames
                                          : simulations->last_frame - simulations->first_frame + 1;
   size_t count;
   const struct cm_indexed_frame *frames = cm_recording_frames(round->simulations->recording, &count);
   round->passes = item->type == CM_ITEM_FRAME_END ? 0 : round->passes + (item->type == CM_ITEM_PASS);
   round->frames += item->type == CM_ITEM_FRAME_END;
   const uint64_t passes =
      item->type != CM_ITEM_FRAME_END && item->frame < count ? frames[item->frame].counts.passes : 0;
   const double part = passes ? (double)round->passes / (double)(passes + 1) : 0;
   progress_show(round->work, round->frames + part, all);
}

/* The next item of the frames that are simulated. */
static struct cm_item
next_item(struct round *round)
{
   struct cm_recording *recording = round->simulations->recording;
   const struct frame_plan *plan = round->simulations->plan;
   struct cm_item item = cm_recording_next_without_tiles(recording);
   if (item.type == CM_ITEM_END && plan && round->run + 1 < plan->runs.count) {
      const struct cm_frame_range *run = &plan->runs.ranges[++round->run];
      cm_recording_skip(recording, run->first, run->last);
      item = cm_recording_next_without_tiles(recording);
   }
   return item;
}

static void *
read_item(void *context, unsigned long *bytes)
{
   struct round *round = context;
   const uint64_t begin = cm_thread_nanoseconds();
   const struct cm_item item = next_item(round);
   round->simulations->reading_nanoseconds += cm_thread_nanoseconds() - begin;
   show_progress(round, &item);
   if (item.type == CM_ITEM_END || item.type == CM_ITEM_DAMAGED)
      return NULL;
   struct cm_item *read = allocate(sizeof(*read));
   *read = item;
   return read;
}

static struct decoder *
take_decoder(struct round *round)
{
   pthread_mutex_lock(&round->lock);
   struct decoder *decoder = round->decoders;
   if (decoder)
      round->decoders = decoder->next;
   pthread_mutex_unlock(&round->lock);
   if (decoder)
      return decoder;
   decoder = allocate(sizeof(*decoder));
   decoder->reader = cm_tile_reader_create(round->simulations->recording);
   if (!decoder->reader)
      fail(STATUS_FAILED, "out of memory");
   return decoder;
}

/* number: of the item, which it could not decode; UINT_MAX: it could. */
static void
give_back_decoder(struct round *round, struct decoder *decoder, unsigned number, uint64_t nanoseconds)
{
   pthread_mutex_lock(&round->lock);
   round->simulations->decoding_nanoseconds += nanoseconds;
   if (number < round->failed_number) {
      struct decoder *before = round->failed;
      round->failed = decoder;
      round->failed_number = number;
      decoder = before;
   }
   if (decoder) {
      decoder->next = round->decoders;
      round->decoders = decoder;
   }
   pthread_mutex_unlock(&round->lock);
}

/* Reads the tiles of a pass. False where they are damaged. */
static bool
decode(void *context, void *data, unsigned number, unsigned long *bytes)
{
   struct round *round = context;
   const struct cm_item *item = data;
   *bytes = item->num_resources * sizeof(*item->resources) + item->num_names * sizeof(*item->names) +
            item->num_codes * sizeof(*item->codes);
   if (!item->pass)
      return true;
   const uint64_t begin = cm_thread_nanoseconds();
   struct decoder *decoder = take_decoder(round);
   const bool ok = cm_tile_reader_read(decoder->reader, item->pass);
   /* Without memory for it, simulations derive it tile by tile. */
   if (ok && round->defers)
      (void)cm_recorded_pass_defer(item->pass, &decoder->deferred);
   give_back_decoder(round, decoder, ok ? UINT_MAX : number, cm_thread_nanoseconds() - begin);
   *bytes = item->pass->bytes;
   return ok;
}

static void
free_decoder(struct decoder *decoder)
{
   if (!decoder)
      return;
   cm_tile_reader_destroy(decoder->reader);
   cm_deferred_finish(&decoder->deferred);
   free(decoder);
}

/* What could not be decoded is the recording's damage. */
static void
end_decoding(struct round *round)
{
   if (round->failed)
      cm_recording_take_damage(round->simulations->recording, round->failed->reader);
   free_decoder(round->failed);
   while (round->decoders) {
      struct decoder *decoder = round->decoders;
      round->decoders = decoder->next;
      free_decoder(decoder);
   }
   pthread_mutex_destroy(&round->lock);
}

static bool
takes_part(const void *context, unsigned simulation)
{
   return !((const struct round *)context)->simulations->list[simulation].finished;
}

static void
simulate(void *context, unsigned number, void *item)
{
   const struct round *round = context;
   struct simulation *simulation = &round->simulations->list[number];
   const uint64_t begin = cm_thread_nanoseconds();
   take(simulation, item);
   simulation->nanoseconds += cm_thread_nanoseconds() - begin;
}

static void
release(void *data)
{
   struct cm_item *item = data;
   cm_recorded_pass_release(item->pass);
   free(item->resources);
   free(item->names);
   free(item->codes);
   free(item);
}

/* Whether the threads of its GPU derive what is shaded of tiles, side by side. */
static bool
derives_shaded(const struct simulation *simulation)
{
   char error[512];
   if (simulation->model_threads < 2 || simulation->reader || simulation->timeline)
      return false;
   struct cm_gpu *gpu = cm_gpu_create(simulation->configuration->config, error, sizeof error);
   const bool derives = gpu && cm_gpu_shades_on_threads(gpu, simulation->model_threads);
   cm_gpu_destroy(gpu);
   return derives;
}

/* Whether what deferred GPUs shade is derived with the decoding: for several of them, or one that does not do it on threads of
 * its own. */
static bool
needs_deferred(const struct simulations *simulations)
{
   const struct simulation *one = NULL;
   for (unsigned s = 0; s < simulations->count; s++) {
      const struct simulation *simulation = &simulations->list[s];
      if (simulation->finished || simulation->num_changes ||
          simulation->configuration->config->mode != CM_MODE_TBDR ||
          simulation->configuration->config->fragment_stage.quad_order != CM_SHADING_ORDER_BLOCKS)
         continue;
      if (one)
         return true;
      one = simulation;
   }
   return one && !derives_shaded(one);
}

static void
run_round(struct simulations *simulations)
{
   static struct work_queue queue;
   for (unsigned s = 0; s < simulations->count; s++) {
      simulations->list[s].model_threads = simulations->model_threads;
      simulations->list[s].are_threads_asked_for = simulations->are_threads_asked_for;
   }
   struct round round = {.simulations = simulations, .work = "simulating", .failed_number = UINT_MAX};
   for (unsigned s = 0; s < simulations->count; s++) {
      if (!simulations->list[s].finished && !counts(&simulations->list[s]))
         round.work = "finding next uses";
   }
   round.defers = needs_deferred(simulations);
   const struct cm_frame_range all = {simulations->first_frame, simulations->last_frame};
   const struct cm_frame_range *first = simulations->plan ? simulations->plan->runs.ranges : &all;
   cm_recording_seek(simulations->recording, first->first, first->last);
   queue = (struct work_queue){
      .context = &round,
      .num_consumers = simulations->count,
      .takes_part = takes_part,
      .consume = simulate,
      .release = release,
      .produce = read_item,
      .complete = decode,
   };
   pthread_mutex_init(&round.lock, NULL);
   work_queue_start(&queue, simulations->jobs - 1);
   work_queue_finish(&queue);
   end_decoding(&round);
   /* Unlike damage, it may have come at another frame than in the pass before, or come never again. */
   for (unsigned s = 0; cm_recording_is_out_of_memory(simulations->recording) && s < simulations->count; s++)
      simulations->list[s].failed = simulations->list[s].stopped = true;
}

/* A line for each part: what it is of, its name, seconds, whether several threads do it at once. */
static void
write_work_times(const struct simulations *simulations)
{
   if (!simulations->work_times)
      return;
   FILE *file = options_open_output(simulations->work_times);
   fprintf(file, "simulation,part,seconds,divisible\n,reading,%.6f,0\n,decoding,%.6f,1\n",
           (double)simulations->reading_nanoseconds * 1e-9, (double)simulations->decoding_nanoseconds * 1e-9);
   for (unsigned s = 0; s < simulations->count; s++) {
      const struct simulation *simulation = &simulations->list[s];
      struct cm_work_time times[CM_MAX_WORK_TIMES];
      const unsigned count = simulation->gpu ? cm_gpu_work_times(simulation->gpu, times) : 0;
      const char *name = simulation->configuration->name, *quote = strchr(name, ',') ? "\"" : "";
      for (unsigned t = 0; t < count; t++)
         fprintf(file, "%s%s%s,%s,%.6f,%d\n", quote, name, quote, times[t].name,
                 (double)(times[t].nanoseconds + (t ? 0 : (int64_t)simulation->nanoseconds)) * 1e-9,
                 times[t].is_divisible);
   }
   options_close_output(file, simulations->work_times);
}

static void
end_round(struct simulation *simulation)
{
   char error[512];
   end_gpu(simulation);
   simulation->finished = counts(simulation);
   cm_changer_destroy(simulation->changer);
   simulation->changer = NULL;
   if (simulation->stopped) {
      simulation->finished = true;
   } else if (!cm_futures_end_pass(simulation->futures, error, sizeof(error))) {
      say("%s: %s", simulation->configuration->name, error);
      simulation->failed = simulation->finished = true;
   }
   if (!simulation->finished)
      return;
   cm_attribution_writer_destroy(simulation->attribution);
   simulation->failed |= !cm_timeline_writer_destroy(simulation->timeline_writer);
   if (simulation->writer)
      simulation->failed |= !cm_stats_writer_destroy(simulation->writer);
   cm_futures_destroy(simulation->futures);
}

bool
simulations_run(struct simulations *simulations)
{
   unsigned left;
   bool ok = true;
   /* Passes come and go: the memory of one is kept for the next. */
   mallopt(M_MMAP_THRESHOLD, 1 << 30);
   mallopt(M_TRIM_THRESHOLD, 1 << 30);
   do {
      run_round(simulations);
      for (unsigned s = 0; s < simulations->count; s++)
         end_frames(&simulations->list[s]);
      write_work_times(simulations);
      left = 0;
      for (unsigned s = 0; s < simulations->count; s++) {
         struct simulation *simulation = &simulations->list[s];
         if (!simulation->finished)
            end_round(simulation);
         left += !simulation->finished;
         ok &= !simulation->failed;
      }
   } while (left);
   progress_end();
   return ok && !cm_recording_damage(simulations->recording);
}
