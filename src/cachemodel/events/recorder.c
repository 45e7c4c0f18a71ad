/* SPDX-License-Identifier: MIT */
#include "events/recorder.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "config/config.h"
#include "events/recording_file.h"
#include "events/recording_format.h"
#include "events/recording_index.h"
#include "events/tile_content.h"
#include "results/process_results.h"
#include "results/writer.h"
#include "util/file.h"
#include "util/message.h"
#include "util/minmax.h"
#include "util/threads.h"

/** Jobs that may wait for the thread. */
#define MAX_WAITING_JOBS 4096
/** Bytes of tiles' events for which the thread is woken. */
#define WORTHWHILE_BYTES (256u << 10)
/** The lowest is the fastest that pays: see docs/recording-format.md. */
#define COMPRESSION_LEVEL 1

const char *const cm_recording_kind_names[CM_RECORDING_KINDS] = {
   [CM_RECORDING_PLAIN] = "plain",
   [CM_RECORDING_HIDDEN] = "hidden",
};

enum job_type {
   JOB_GPU,
   JOB_DEFINITIONS,
   JOB_PASS_BEGIN,
   JOB_TILE,
   JOB_PASS_END,
   JOB_FRAME_END,
};

/* A call, for the thread. */
struct job {
   enum job_type type;
   uint32_t number; /* the tile's; of a frame's end: the frame's */
   union {
      const struct cm_pass *pass;        /* of a pass' beginning */
      struct cm_byte_writer definitions; /* encoded; the thread frees them */
   };
   struct cm_pass_owner *owner; /* of a pass' beginning */
   size_t bytes;                /* of memory that is held until the job is done */
};

struct cm_recorder {
   /* The caller's side. */
   struct cm_byte_writer definitions; /* of resources and names, not yet submitted */
   const struct cm_pass *pass;        /* begun last; NULL: none */
   struct cm_pass_owner *owner;       /* the pass' */

   /* Between the two: a ring, job n is at n % MAX_WAITING_JOBS. */
   pthread_t thread;
   pthread_mutex_t lock;
   pthread_cond_t queued, taken;
   struct job jobs[MAX_WAITING_JOBS];
   size_t first, end; /* jobs that are not done */
   size_t waiting_bytes;
   bool flush_now; /* a job in the queue must not wait for more jobs */
   bool full;      /* from the limit on until half of it: the caller waits */
   bool stop;
   atomic_bool failed;
   atomic_size_t num_frames; /* written whole */

   /* The thread's side. */
   struct cm_tile_encoder *tiles;
   struct cm_byte_writer payload;       /* under way; its memory is kept */
   const struct cm_pass *encoded;       /* begun last; NULL: none */
   struct cm_pass_owner *encoded_owner; /* the pass' */
   struct cm_recording_counts counts;   /* of the current frame */
   struct cm_recording_file file;
   struct cm_process_results *results; /* NULL: the path is used */
   uint64_t offset;                    /* where the next chunk goes */
   uint64_t frame_offset;              /* where the current frame began */
   uint32_t num_chunks;
   struct cm_recording_index index;
   ZSTD_CCtx *compressor;
   uint8_t *chunk; /* room for a header and the largest zstd frame */
   size_t chunk_capacity;
};

/* ---- the thread: chunks to the file -------------------------------------- */

static void
fail(struct cm_recorder *recorder, const char *reason)
{
   if (!atomic_exchange(&recorder->failed, true))
      cm_message(CM_MESSAGE_ERROR, "%s: %s; the recording ends after %zu frames", recorder->file.path, reason,
                 atomic_load(&recorder->num_frames));
}

/* At the end of the file; 0, or what went wrong. */
static int
append(struct cm_recorder *recorder, const uint8_t *bytes, size_t n)
{
   assert(bytes || !n);
   const int code = cm_write_at(recorder->file.file, bytes, n, (off_t)recorder->offset);
   recorder->offset += code ? 0 : n;
   return code;
}

/* One chunk; 0, or what went wrong. */
static int
append_chunk(struct cm_recorder *recorder, enum cm_chunk_type type, unsigned flags, const uint8_t *data,
             size_t bytes)
{
   assert(bytes <= CM_CHUNK_LIMIT && type && type < CM_CHUNK_TYPES);
   const size_t stored = ZSTD_compress2(recorder->compressor, recorder->chunk + CM_CHUNK_HEADER_BYTES,
                                        recorder->chunk_capacity - CM_CHUNK_HEADER_BYTES, data, bytes);
   if (ZSTD_isError(stored))
      return ENOMEM; /* the only possible error: there is room */
   const struct cm_chunk_header header = {
      .type = (uint8_t)type,
      .flags = (uint8_t)flags,
      .frame = (uint32_t)recorder->index.num_frames,
      .bytes = (uint32_t)bytes,
      .stored_bytes = (uint32_t)stored,
      .number = recorder->num_chunks,
   };
   cm_chunk_header_store(recorder->chunk, &header);
   const int code = append(recorder, recorder->chunk, CM_CHUNK_HEADER_BYTES + stored);
   recorder->num_chunks += !code;
   return code;
}

/* A payload in as many chunks as it takes. */
static int
append_payload(struct cm_recorder *recorder, enum cm_chunk_type type, const uint8_t *data, size_t bytes)
{
   int code;
   do {
      const size_t part = bytes < CM_CHUNK_LIMIT ? bytes : CM_CHUNK_LIMIT;
      code = append_chunk(recorder, type, part < bytes ? CM_CHUNK_CONTINUED : 0, data, part);
      data += part;
      bytes -= part;
   } while (bytes && !code);
   return code;
}

static bool
note_in_index(struct cm_recorder *recorder, enum cm_chunk_type type, uint64_t offset,
              struct cm_indexed_frame *frame)
{
   assert((type == CM_CHUNK_FRAME_END) == (frame != NULL));
   switch (type) {
   case CM_CHUNK_GPU:
      recorder->frame_offset = recorder->offset;
      return cm_index_add_offset(&recorder->index.gpus, offset);
   case CM_CHUNK_RESOURCES: return cm_index_add_offset(&recorder->index.resources, offset);
   case CM_CHUNK_FRAME_END:
      frame->offset = recorder->frame_offset;
      recorder->frame_offset = recorder->offset;
      atomic_fetch_add(&recorder->num_frames, 1);
      return cm_index_add_frame(&recorder->index, frame);
   default: return true;
   }
}

/* Called when the file has a frame. */
static void
name_file(struct cm_recorder *recorder)
{
   assert(!recorder->file.named && recorder->index.num_frames == 1);
   const int code = cm_recording_file_name(&recorder->file, recorder->results);
   if (code) {
      atomic_store(&recorder->num_frames, 0);
      fail(recorder, strerror(code));
   }
}

/* frame: of a frame's end. */
static void
write_payload(struct cm_recorder *recorder, enum cm_chunk_type type, const struct cm_byte_writer *payload,
              struct cm_indexed_frame *frame)
{
   if (payload->out_of_memory || payload->size > CM_PAYLOAD_LIMIT) {
      fail(recorder, payload->out_of_memory ? "out of memory" : "a pass is too large");
      return;
   }
   const uint64_t offset = recorder->offset;
   const int code = append_payload(recorder, type, payload->data, payload->size);
   if (code)
      fail(recorder, strerror(code));
   else if (!note_in_index(recorder, type, offset, frame))
      fail(recorder, "out of memory");
   else if (type == CM_CHUNK_FRAME_END && !recorder->file.named)
      name_file(recorder);
}

/* ---- the thread: jobs to chunks -------------------------------------------- */

static void
count_pass(struct cm_recording_counts *counts, const struct cm_pass *pass)
{
   uint64_t blocks = 0;
   for (uint32_t p = 0; p < pass->num_primitives; p++)
      blocks += pass->primitives[p].num_attributes;
   counts->attributes += blocks;
   blocks = cm_max64(blocks, pass->attribute_blocks);
   if (blocks > counts->most_attribute_blocks)
      counts->most_attribute_blocks = blocks;
   counts->passes++;
   counts->draws += pass->num_draws;
   for (uint32_t d = 0; d < pass->num_draws; d++)
      counts->vertices += pass->draws[d].num_vertices;
   counts->primitives += pass->num_primitives;
   counts->pmds += pass->num_primitive_tiles;
   for (uint32_t t = 0; t < pass->tiles_x * pass->tiles_y; t++)
      counts->tiles += pass->touched[t];
}

static void
write_descriptors(struct cm_recorder *recorder, const struct cm_pass *pass)
{
   if (!pass->num_descriptors)
      return;
   recorder->payload.size = 0;
   cm_encode_descriptors(&recorder->payload, pass);
   write_payload(recorder, CM_CHUNK_DESCRIPTORS, &recorder->payload, NULL);
}

static void
write_pass(struct cm_recorder *recorder, const struct cm_pass *pass)
{
   recorder->payload.size = 0;
   cm_encode_pass(&recorder->payload, pass);
   write_payload(recorder, CM_CHUNK_PASS, &recorder->payload, NULL);
   if (!atomic_load(&recorder->failed))
      write_descriptors(recorder, pass);
   count_pass(&recorder->counts, pass);
}

static void
write_tiles(struct cm_recorder *recorder)
{
   assert(recorder->encoded);
   recorder->payload.size = 0;
   cm_tile_encoder_finish(recorder->tiles, &recorder->payload);
   if (recorder->payload.size || recorder->payload.out_of_memory)
      write_payload(recorder, CM_CHUNK_TILES, &recorder->payload, NULL);
}

static void
encode_tile(struct cm_recorder *recorder, uint32_t tile)
{
   assert(recorder->encoded && tile < recorder->encoded->tiles_x * recorder->encoded->tiles_y);
   const struct cm_tile_events *events = &recorder->encoded->tiles[tile];
   size_t at = 0;
   while (at < events->num_words) {
      at = cm_tile_encoder_add(recorder->tiles, tile, events, at, &recorder->counts);
      if (at < events->num_words)
         write_tiles(recorder);
   }
   if (at == SIZE_MAX)
      fail(recorder, "an event of an unknown type");
}

/* Of all tiles at once: they compress better together, and a tile without events has contents, too. */
static void
write_contents(struct cm_recorder *recorder)
{
   if (!recorder->encoded->contents)
      return;
   recorder->payload.size = 0;
   cm_encode_contents(&recorder->payload, recorder->encoded);
   write_payload(recorder, CM_CHUNK_CONTENTS, &recorder->payload, NULL);
}

static void
write_frame_end(struct cm_recorder *recorder, uint32_t number)
{
   struct cm_indexed_frame frame = {.number = number, .counts = recorder->counts};
   recorder->counts = (struct cm_recording_counts){0};
   recorder->payload.size = 0;
   cm_encode_frame(&recorder->payload, &frame);
   write_payload(recorder, CM_CHUNK_FRAME_END, &recorder->payload, &frame);
}

static void
write_job(struct cm_recorder *recorder, const struct job *job)
{
   switch (job->type) {
   case JOB_GPU:
      recorder->counts = (struct cm_recording_counts){0};
      write_payload(recorder, CM_CHUNK_GPU, &(struct cm_byte_writer){0}, NULL);
      break;
   case JOB_DEFINITIONS: write_payload(recorder, CM_CHUNK_RESOURCES, &job->definitions, NULL); break;
   case JOB_PASS_BEGIN: write_pass(recorder, job->pass); break;
   case JOB_TILE: encode_tile(recorder, job->number); break;
   case JOB_PASS_END:
      write_tiles(recorder);
      write_contents(recorder);
      break;
   case JOB_FRAME_END: write_frame_end(recorder, job->number); break;
   }
}

/* Releases what the job refers to, whether it was written or not. */
static void
release_job(struct cm_recorder *recorder, struct job *job)
{
   struct cm_pass_owner *owner = recorder->encoded_owner;
   switch (job->type) {
   case JOB_DEFINITIONS: free(job->definitions.data); break;
   case JOB_TILE: owner->release_tile(owner, job->number); break;
   case JOB_PASS_END: owner->release(owner); break;
   default: break;
   }
}

static void
do_job(struct cm_recorder *recorder, struct job *job)
{
   if (job->type == JOB_PASS_BEGIN) {
      recorder->encoded = job->pass;
      recorder->encoded_owner = job->owner;
   }
   if (!atomic_load(&recorder->failed))
      write_job(recorder, job);
   release_job(recorder, job);
}

/* ---- the queue ------------------------------------------------------------ */

static bool
is_worth_waking(const struct cm_recorder *recorder)
{
   return recorder->flush_now || recorder->full || recorder->waiting_bytes >= WORTHWHILE_BYTES;
}

static void *
thread_main(void *data)
{
   struct cm_recorder *recorder = data;
   pthread_mutex_lock(&recorder->lock);
   for (;;) {
      while (!is_worth_waking(recorder) && !recorder->stop)
         pthread_cond_wait(&recorder->queued, &recorder->lock);
      if (recorder->first == recorder->end)
         break;
      recorder->flush_now = false;
      for (const size_t end = recorder->end; recorder->first < end; recorder->first++) {
         struct job *job = &recorder->jobs[recorder->first % MAX_WAITING_JOBS];
         pthread_mutex_unlock(&recorder->lock);
         do_job(recorder, job);
         pthread_mutex_lock(&recorder->lock);
         assert(recorder->waiting_bytes >= job->bytes);
         recorder->waiting_bytes -= job->bytes;
         if (recorder->full && recorder->waiting_bytes <= CM_RECORDER_WAITING_BYTES / 2 &&
             recorder->end - recorder->first <= MAX_WAITING_JOBS / 2) {
            recorder->full = false;
            pthread_cond_signal(&recorder->taken);
         }
      }
   }
   pthread_mutex_unlock(&recorder->lock);
   return NULL;
}

/* Waits while the queue is full. */
static void
submit(struct cm_recorder *recorder, const struct job *job)
{
   pthread_mutex_lock(&recorder->lock);
   while (recorder->full)
      pthread_cond_wait(&recorder->taken, &recorder->lock);
   assert(recorder->end - recorder->first < MAX_WAITING_JOBS);
   recorder->jobs[recorder->end++ % MAX_WAITING_JOBS] = *job;
   recorder->waiting_bytes += job->bytes;
   recorder->flush_now |= job->type == JOB_PASS_END || job->type == JOB_FRAME_END;
   recorder->full = recorder->waiting_bytes > CM_RECORDER_WAITING_BYTES ||
                    recorder->end - recorder->first == MAX_WAITING_JOBS;
   if (is_worth_waking(recorder))
      pthread_cond_signal(&recorder->queued);
   pthread_mutex_unlock(&recorder->lock);
}

/* ---- the caller's side ---------------------------------------------------- */

static void
submit_definitions(struct cm_recorder *recorder)
{
   if (recorder->definitions.size || recorder->definitions.out_of_memory)
      submit(recorder, &(struct job){.type = JOB_DEFINITIONS, .definitions = recorder->definitions});
   recorder->definitions = (struct cm_byte_writer){0};
}

void
cm_recorder_gpu_begin(struct cm_recorder *recorder)
{
   assert(!recorder->pass);
   recorder->definitions.size = 0;
   submit(recorder, &(struct job){.type = JOB_GPU});
}

void
cm_recorder_define_resource(struct cm_recorder *recorder, const struct cm_resource_description *resource)
{
   if (atomic_load(&recorder->failed))
      return;
   cm_encode_resource_definition(&recorder->definitions, resource);
   if (recorder->definitions.size > CM_CHUNK_LIMIT / 2)
      submit_definitions(recorder);
}

void
cm_recorder_define_name(struct cm_recorder *recorder, const struct cm_name *name)
{
   if (atomic_load(&recorder->failed))
      return;
   cm_encode_name_definition(&recorder->definitions, name);
   if (recorder->definitions.size > CM_CHUNK_LIMIT / 2)
      submit_definitions(recorder);
}

void
cm_recorder_define_code(struct cm_recorder *recorder, const struct cm_shader_code *code)
{
   if (atomic_load(&recorder->failed))
      return;
   cm_encode_code_definition(&recorder->definitions, code);
   if (recorder->definitions.size > CM_CHUNK_LIMIT / 2)
      submit_definitions(recorder);
}

void
cm_recorder_pass_begin(struct cm_recorder *recorder, const struct cm_pass *pass, struct cm_pass_owner *owner)
{
   assert(pass && owner->release_tile && owner->release);
   assert(!recorder->pass);
   submit_definitions(recorder);
   recorder->pass = pass;
   recorder->owner = owner;
   submit(recorder, &(struct job){.type = JOB_PASS_BEGIN, .pass = pass, .owner = owner});
}

void
cm_recorder_pass_tile(struct cm_recorder *recorder, uint32_t tile)
{
   assert(recorder->pass && tile < recorder->pass->tiles_x * recorder->pass->tiles_y);
   const struct cm_tile_events *events = &recorder->pass->tiles[tile];
   if (events->num_words)
      submit(recorder, &(struct job){.type = JOB_TILE,
                                     .number = tile,
                                     .bytes = events->num_words * sizeof *events->words});
   else
      recorder->owner->release_tile(recorder->owner, tile);
}

/* Bytes of memory of a pass, without its tiles' events. */
static size_t
pass_bytes(const struct cm_pass *pass)
{
   size_t contents = 0;
   for (uint32_t t = 0; pass->contents && t < pass->tiles_x * pass->tiles_y; t++)
      contents += pass->contents[t].capacity;
   return contents + pass->num_draws * sizeof *pass->draws + pass->num_addressed * sizeof *pass->addressed +
          pass->num_descriptors * sizeof *pass->descriptors + pass->num_vertices * sizeof *pass->vertices +
          pass->num_primitives * sizeof *pass->primitives +
          pass->num_primitive_tiles * sizeof *pass->primitive_tiles;
}

void
cm_recorder_pass_end(struct cm_recorder *recorder)
{
   assert(recorder->pass);
   submit(recorder, &(struct job){.type = JOB_PASS_END, .bytes = pass_bytes(recorder->pass)});
   recorder->pass = NULL;
}

void
cm_recorder_frame_end(struct cm_recorder *recorder, uint32_t number)
{
   assert(!recorder->pass);
   submit_definitions(recorder);
   submit(recorder, &(struct job){.type = JOB_FRAME_END, .number = number});
}

/* ---- beginning and end ---------------------------------------------------- */

static int
write_header(struct cm_recorder *recorder, enum cm_recording_kind kind)
{
   uint8_t header[CM_RECORDING_HEADER_BYTES] = {0};
   memcpy(header, CM_RECORDING_MAGIC, 8);
   cm_store_uint32(header + 8, CM_RECORDING_VERSION);
   cm_store_uint32(header + 12, kind);
   cm_store_uint32(header + CM_RECORDING_HEADER_BYTES - 4, cm_crc32(header, CM_RECORDING_HEADER_BYTES - 4));
   return append(recorder, header, sizeof header);
}

static void
put_text(struct cm_byte_writer *writer, const char *text)
{
   const size_t length = strlen(text);
   cm_put_varint(writer, length);
   cm_put_bytes(writer, text, length);
}

static int
write_provenance(struct cm_recorder *recorder, const struct cm_config *config,
                 const struct cm_run_value *values, size_t num_values)
{
   char *json = NULL;
   size_t length = 0;
   FILE *stream = open_memstream(&json, &length);
   if (!stream)
      return ENOMEM;
   cm_config_write_json(config, stream);
   const bool ok = !ferror(stream);
   if (fclose(stream) != 0 || !ok) {
      free(json);
      return ENOMEM;
   }
   struct cm_byte_writer payload = {0};
   cm_put_varint(&payload, num_values + 2);
   for (size_t i = 0; i < num_values; i++) {
      put_text(&payload, values[i].key);
      put_text(&payload, values[i].value);
   }
   put_text(&payload, "preset");
   put_text(&payload, config->name);
   put_text(&payload, "configuration");
   put_text(&payload, json);
   free(json);
   const int code = payload.out_of_memory
                       ? ENOMEM
                       : append_payload(recorder, CM_CHUNK_PROVENANCE, payload.data, payload.size);
   free(payload.data);
   return code;
}

static void
free_recorder(struct cm_recorder *recorder)
{
   cm_recording_file_finish(&recorder->file);
   cm_tile_encoder_destroy(recorder->tiles);
   cm_index_finish(&recorder->index);
   ZSTD_freeCCtx(recorder->compressor);
   free(recorder->definitions.data);
   free(recorder->payload.data);
   free(recorder->chunk);
   free(recorder);
}

static bool
allocate_parts(struct cm_recorder *recorder)
{
   recorder->tiles = cm_tile_encoder_create();
   recorder->compressor = ZSTD_createCCtx();
   recorder->chunk_capacity = CM_CHUNK_HEADER_BYTES + ZSTD_compressBound(CM_CHUNK_LIMIT);
   recorder->chunk = malloc(recorder->chunk_capacity);
   if (!recorder->tiles || !recorder->compressor || !recorder->chunk)
      return false;
   ZSTD_CCtx_setParameter(recorder->compressor, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
   ZSTD_CCtx_setParameter(recorder->compressor, ZSTD_c_checksumFlag, 1);
   return true;
}

struct cm_recorder *
cm_recorder_create(const char *path, struct cm_process_results *results, enum cm_recording_kind kind,
                   const struct cm_config *config, const struct cm_run_value *values, size_t num_values,
                   char *error, size_t error_size)
{
   struct cm_recorder *recorder = calloc(1, sizeof *recorder);
   if (!recorder) {
      snprintf(error, error_size, "%s: out of memory", path);
      return NULL;
   }
   int code = ENOMEM;
   recorder->file.file = -1;
   recorder->results = results;
   if (results)
      cm_process_results_prepare_recording(results, path);
   if (allocate_parts(recorder)) {
      code = cm_recording_file_open(&recorder->file, path);
      if (!code)
         code = write_header(recorder, kind);
      if (!code)
         code = write_provenance(recorder, config, values, num_values);
   }
   pthread_mutex_init(&recorder->lock, NULL);
   pthread_cond_init(&recorder->queued, NULL);
   pthread_cond_init(&recorder->taken, NULL);
   if (!code)
      code = cm_thread_start(&recorder->thread, "tbrsim:recorder", thread_main, recorder);
   if (!code)
      return recorder;
   snprintf(error, error_size, "%s: %s", path, strerror(code));
   free_recorder(recorder);
   return NULL;
}

static int
write_index(struct cm_recorder *recorder)
{
   struct cm_byte_writer payload = {0};
   const uint64_t offset = recorder->offset;
   cm_encode_index(&payload, &recorder->index);
   int code =
      payload.out_of_memory ? ENOMEM : append_payload(recorder, CM_CHUNK_INDEX, payload.data, payload.size);
   free(payload.data);
   if (code)
      return code;
   uint8_t trailer[CM_TRAILER_BYTES];
   cm_store_uint64(trailer, offset);
   cm_store_uint32(trailer + 8, cm_crc32(trailer, 8));
   memcpy(trailer + 12, CM_TRAILER_MAGIC, 8);
   return append(recorder, trailer, sizeof trailer);
}

/* Data after the last whole frame is useless, and takes space that the index may need. */
static void
cut_unfinished_frame(struct cm_recorder *recorder)
{
   assert(recorder->frame_offset <= recorder->offset);
   if (ftruncate(recorder->file.file, (off_t)recorder->frame_offset) == 0)
      recorder->offset = recorder->frame_offset;
   struct cm_chunk_offsets *resources = &recorder->index.resources;
   while (resources->count && resources->at[resources->count - 1] >= recorder->frame_offset)
      resources->count--;
}

bool
cm_recorder_destroy(struct cm_recorder *recorder)
{
   assert(!recorder->pass);
   pthread_mutex_lock(&recorder->lock);
   recorder->stop = true;
   pthread_cond_signal(&recorder->queued);
   pthread_mutex_unlock(&recorder->lock);
   pthread_join(recorder->thread, NULL);

   if (recorder->index.gpus.count)
      cut_unfinished_frame(recorder);
   const uint64_t whole = recorder->offset;
   recorder->index.stopped = atomic_load(&recorder->failed);
   int code = write_index(recorder);
   /* Without an index the file is scanned when it is read; a partial one is useless. */
   if (code && ftruncate(recorder->file.file, (off_t)whole) != 0 && !atomic_load(&recorder->failed))
      code = errno;
   const int closed = cm_recording_file_close(&recorder->file);
   if (code || closed)
      fail(recorder, strerror(code ? code : closed));
   const bool ok = !atomic_load(&recorder->failed);
   pthread_mutex_destroy(&recorder->lock);
   pthread_cond_destroy(&recorder->queued);
   pthread_cond_destroy(&recorder->taken);
   free_recorder(recorder);
   return ok;
}
