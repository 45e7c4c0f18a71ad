/* SPDX-License-Identifier: MIT */
#include "events/recording.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "events/recording_format.h"
#include "util/file.h"

#define ZSTD_CHECKSUM_BYTES 4

struct cm_recording {
   char *path;
   int file;
   uint64_t file_bytes;
   uint32_t version;
   enum cm_recording_kind kind;
   struct cm_run_value *values;
   size_t num_values;
   uint64_t first_chunk; /* after the provenance */
   struct cm_recording_index index;
   enum cm_recording_end end;
   char damage[512];   /* the line about what is wrong; empty: nothing */
   bool out_of_memory; /* that is what is wrong, and not the file */

   ZSTD_DCtx *decompressor;
   struct cm_byte_writer stored, payload; /* the last payload read */

   /* Where cm_recording_next is. */
   size_t frame, last_frame;
   bool at_start;          /* nothing of the frame has been read */
   bool is_positioned;     /* by cm_recording_seek */
   bool has_gpu;           /* CM_ITEM_GPU was returned for the GPU that begins at: */
   uint64_t gpu;           /* an offset */
   size_t resources, last; /* index.resources still to be read before the frame */
   uint64_t offset;        /* of the next chunk */
   struct cm_name_check names;

   bool has_fingerprint;
   uint64_t fingerprint;
};

/* ---- chunks ---------------------------------------------------------------- */

/* Records the damage. */
static bool __attribute__((format(printf, 3, 4)))
damaged(struct cm_recording *recording, uint64_t offset, const char *format, ...)
{
   char what[256];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(what, sizeof what, format, arguments);
   va_end(arguments);
   snprintf(recording->damage, sizeof recording->damage, "%s: offset %llu: %s", recording->path,
            (unsigned long long)offset, what);
   return false;
}

/* There was no memory for something: the file may be as it should. */
static bool
lacks_memory(struct cm_recording *recording, const char *what)
{
   snprintf(recording->damage, sizeof recording->damage, "%s: " CM_OUT_OF_MEMORY_FOR "%s", recording->path,
            what);
   recording->out_of_memory = true;
   return false;
}

/* What a decoder says; it has words for that, too. */
static bool
is_wrong(struct cm_recording *recording, uint64_t offset, const char *wrong)
{
   assert(*wrong);
   static const char memory[] = CM_OUT_OF_MEMORY_FOR;
   if (strncmp(wrong, memory, sizeof memory - 1) == 0)
      return lacks_memory(recording, wrong + sizeof memory - 1);
   return damaged(recording, offset, "%s", wrong);
}

static bool
read_at(struct cm_recording *recording, void *bytes, size_t n, uint64_t offset)
{
   const ssize_t got = cm_read_at(recording->file, bytes, n, (off_t)offset);
   return got == (ssize_t)n || damaged(recording, offset + (got < 0 ? 0 : (uint64_t)got), "%s",
                                       got < 0 ? strerror(errno) : "the file is truncated");
}

static bool
read_chunk_header(struct cm_recording *recording, uint64_t offset, struct cm_chunk_header *header)
{
   uint8_t bytes[CM_CHUNK_HEADER_BYTES];
   if (offset > recording->file_bytes || recording->file_bytes - offset < sizeof bytes)
      return damaged(recording, offset, "the file is truncated");
   if (!read_at(recording, bytes, sizeof bytes, offset))
      return false;
   if (!cm_chunk_header_load(bytes, header))
      return damaged(recording, offset, "the header of a chunk is corrupt");
   if (!header->type || header->type >= CM_CHUNK_TYPES || (header->flags & ~CM_CHUNK_CONTINUED))
      return damaged(recording, offset, "a chunk of an unknown type (%u)", header->type);
   if (header->stored_bytes > recording->file_bytes - offset - sizeof bytes)
      return damaged(recording, offset, "the file is truncated");
   return true;
}

/* Appends a chunk's content to the payload. */
static bool
read_chunk(struct cm_recording *recording, uint64_t offset, const struct cm_chunk_header *header)
{
   assert(header->type && header->type < CM_CHUNK_TYPES);
   struct cm_byte_writer *stored = &recording->stored, *payload = &recording->payload;
   stored->size = 0;
   if (payload->size + header->bytes > CM_PAYLOAD_LIMIT)
      return damaged(recording, offset, "the continued chunks are too large");
   if (!cm_bytes_reserve(stored, header->stored_bytes) || !cm_bytes_reserve(payload, header->bytes))
      return lacks_memory(recording, "a chunk");
   if (!read_at(recording, stored->data, header->stored_bytes, offset + CM_CHUNK_HEADER_BYTES))
      return false;
   const size_t bytes = ZSTD_decompressDCtx(recording->decompressor, payload->data + payload->size,
                                            header->bytes, stored->data, header->stored_bytes);
   if (ZSTD_getErrorCode(bytes) == ZSTD_error_memory_allocation)
      return lacks_memory(recording, "a chunk");
   if (ZSTD_isError(bytes))
      return damaged(recording, offset, "a chunk is corrupt (%s)", ZSTD_getErrorName(bytes));
   if (bytes != header->bytes)
      return damaged(recording, offset, "a chunk is shorter than its header says");
   payload->size += bytes;
   return true;
}

/* Reads the payload that begins with the chunk at *offset, and advances it. */
static bool
read_payload(struct cm_recording *recording, uint64_t *offset, enum cm_chunk_type type)
{
   struct cm_chunk_header header;
   recording->payload.size = 0;
   do {
      if (!read_chunk_header(recording, *offset, &header))
         return false;
      if (header.type != type)
         return damaged(recording, *offset, "a chunk of another type than expected (%u)", header.type);
      if (!read_chunk(recording, *offset, &header))
         return false;
      *offset += CM_CHUNK_HEADER_BYTES + header.stored_bytes;
   } while (header.flags & CM_CHUNK_CONTINUED);
   return true;
}

static struct cm_byte_reader
payload_reader(const struct cm_recording *recording)
{
   const struct cm_byte_writer *payload = &recording->payload;
   return (struct cm_byte_reader){payload->data, payload->data + payload->size, false};
}

/* ---- opening ---------------------------------------------------------------- */

static bool
read_header(struct cm_recording *recording)
{
   uint8_t header[CM_RECORDING_HEADER_BYTES];
   if (!recording->file_bytes)
      return damaged(recording, 0, "the file is empty");
   const size_t magic = recording->file_bytes < 8 ? recording->file_bytes : 8;
   if (!read_at(recording, header, magic, 0))
      return false;
   if (memcmp(header, CM_RECORDING_MAGIC, magic) != 0)
      return damaged(recording, 0, "not a recording");
   if (!read_at(recording, header, sizeof header, 0))
      return false;
   const uint32_t version = cm_load_uint32(header + 8), kind = cm_load_uint32(header + 12);
   if (version < CM_RECORDING_OLDEST_VERSION || version > CM_RECORDING_VERSION)
      return damaged(recording, 8, "a recording of version %u, expected versions %u to %u", version,
                     CM_RECORDING_OLDEST_VERSION, CM_RECORDING_VERSION);
   if (cm_load_uint32(header + sizeof header - 4) != cm_crc32(header, sizeof header - 4))
      return damaged(recording, 0, "the header is corrupt");
   if (kind >= CM_RECORDING_KINDS)
      return damaged(recording, 12, "a recording of an unknown kind (%u)", kind);
   recording->version = version;
   recording->kind = (enum cm_recording_kind)kind;
   return true;
}

/* Where the reader is not bad afterwards, NULL is for lack of memory. */
static char *
get_text(struct cm_byte_reader *reader)
{
   const uint64_t length = cm_get_varint(reader);
   const uint8_t *bytes = cm_get_bytes(reader, length);
   return bytes ? strndup((const char *)bytes, length) : NULL;
}

static bool
read_provenance(struct cm_recording *recording)
{
   uint64_t offset = CM_RECORDING_HEADER_BYTES;
   if (!read_payload(recording, &offset, CM_CHUNK_PROVENANCE))
      return false;
   struct cm_byte_reader reader = payload_reader(recording);
   const uint64_t count = cm_get_varint(&reader);
   if (count > cm_bytes_left(&reader) / 2)
      return damaged(recording, CM_RECORDING_HEADER_BYTES, "the provenance is truncated");
   recording->values = calloc(count + 1, sizeof *recording->values);
   for (uint64_t i = 0; recording->values && i < count; i++) {
      struct cm_run_value *value = &recording->values[recording->num_values++];
      value->key = get_text(&reader);
      value->value = get_text(&reader);
      if (reader.bad)
         return damaged(recording, CM_RECORDING_HEADER_BYTES, "the provenance is truncated");
      if (!value->key || !value->value)
         return lacks_memory(recording, "the provenance");
   }
   recording->first_chunk = offset;
   return recording->values || lacks_memory(recording, "the provenance");
}

/* Reads the index at the end of the file. False where there is none, or it is damaged. */
static bool
read_index(struct cm_recording *recording)
{
   uint8_t trailer[CM_TRAILER_BYTES];
   const uint64_t end = recording->file_bytes - CM_TRAILER_BYTES;
   if (recording->file_bytes < recording->first_chunk + CM_TRAILER_BYTES ||
       !read_at(recording, trailer, sizeof trailer, end) || memcmp(trailer + 12, CM_TRAILER_MAGIC, 8) != 0 ||
       cm_load_uint32(trailer + 8) != cm_crc32(trailer, 8))
      return false;
   uint64_t offset = cm_load_uint64(trailer);
   if (offset < recording->first_chunk || offset > end || !read_payload(recording, &offset, CM_CHUNK_INDEX) ||
       offset != end)
      return false;
   struct cm_byte_reader reader = payload_reader(recording);
   const char *wrong = cm_decode_index(&reader, &recording->index, end);
   return wrong ? is_wrong(recording, end, wrong) : true;
}

/* Adds a chunk to the index; false at the end of the usable part. */
static bool
index_chunk(struct cm_recording *recording, const struct cm_chunk_header *header, uint64_t offset,
            uint64_t *frame_offset, bool continues)
{
   const uint64_t next = offset + CM_CHUNK_HEADER_BYTES + header->stored_bytes;
   bool memory = true;
   if (header->type == CM_CHUNK_GPU) {
      *frame_offset = next;
      memory = cm_index_add_offset(&recording->index.gpus, offset);
   } else if (header->type == CM_CHUNK_RESOURCES && !continues) {
      memory = cm_index_add_offset(&recording->index.resources, offset);
   } else if (header->type == CM_CHUNK_FRAME_END) {
      struct cm_indexed_frame frame = {.offset = *frame_offset};
      recording->payload.size = 0;
      if (!read_chunk(recording, offset, header))
         return false;
      struct cm_byte_reader reader = payload_reader(recording);
      cm_decode_frame(&reader, &frame);
      if (reader.bad || reader.at != reader.end)
         return damaged(recording, offset, "the end of a frame is corrupt");
      *frame_offset = next;
      memory = cm_index_add_frame(&recording->index, &frame);
   }
   return memory || lacks_memory(recording, "the index");
}

/* Finds the frames by a scan of the file. */
static void
rebuild_index(struct cm_recording *recording)
{
   uint64_t offset = recording->first_chunk, frame_offset = offset;
   struct cm_chunk_header header;
   bool continues = false, whole = true;
   cm_index_finish(&recording->index);
   recording->end = CM_RECORDING_UNFINISHED;
   while (offset < recording->file_bytes) {
      whole = read_chunk_header(recording, offset, &header);
      /* A truncated index is not used. */
      if (!whole || header.type == CM_CHUNK_INDEX)
         break;
      whole = index_chunk(recording, &header, offset, &frame_offset, continues);
      if (!whole)
         break;
      continues = header.flags & CM_CHUNK_CONTINUED;
      offset += CM_CHUNK_HEADER_BYTES + header.stored_bytes;
   }
   if (whole)
      damaged(recording, offset, "the recording is incomplete");
}

/* Adds to the message how much of the file is usable. */
static void
note_whole_frames(struct cm_recording *recording)
{
   const size_t length = strlen(recording->damage);
   snprintf(recording->damage + length, sizeof recording->damage - length, "; %zu complete frames precede it",
            recording->index.num_frames);
}

static void
find_frames(struct cm_recording *recording)
{
   const bool indexed = read_index(recording);
   if (recording->out_of_memory)
      return;
   if (!indexed) {
      rebuild_index(recording);
      note_whole_frames(recording);
   } else if (recording->index.stopped) {
      recording->end = CM_RECORDING_STOPPED;
      damaged(recording, recording->file_bytes, "the recording ends early because of a write error");
      note_whole_frames(recording);
   }
}

struct cm_recording *
cm_recording_open(const char *path, char *error, size_t error_size)
{
   struct cm_recording *recording = calloc(1, sizeof *recording);
   struct stat status;
   if (!recording) {
      snprintf(error, error_size, "%s: out of memory", path);
      return NULL;
   }
   recording->path = strdup(path);
   recording->decompressor = ZSTD_createDCtx();
   recording->file = open(path, O_RDONLY | O_CLOEXEC);
   if (recording->file < 0 || fstat(recording->file, &status) != 0) {
      snprintf(error, error_size, "%s: %s", path, strerror(errno));
   } else if (!S_ISREG(status.st_mode)) {
      snprintf(error, error_size, "%s: not a regular file", path);
   } else if (!recording->path || !recording->decompressor) {
      snprintf(error, error_size, "%s: out of memory", path);
   } else {
      recording->file_bytes = (uint64_t)status.st_size;
      if (read_header(recording) && read_provenance(recording))
         find_frames(recording);
      if (recording->first_chunk && !recording->out_of_memory) {
         cm_recording_seek(recording, 0, SIZE_MAX);
         return recording;
      }
      snprintf(error, error_size, "%s", recording->damage);
   }
   cm_recording_close(recording);
   return NULL;
}

void
cm_recording_close(struct cm_recording *recording)
{
   if (!recording)
      return;
   for (size_t i = 0; i < recording->num_values; i++) {
      free((char *)recording->values[i].key);
      free((char *)recording->values[i].value);
   }
   free(recording->values);
   cm_index_finish(&recording->index);
   cm_name_check_begin(&recording->names);
   free(recording->stored.data);
   free(recording->payload.data);
   ZSTD_freeDCtx(recording->decompressor);
   if (recording->file >= 0)
      close(recording->file);
   free(recording->path);
   free(recording);
}

enum cm_recording_kind
cm_recording_kind(const struct cm_recording *recording)
{
   return recording->kind;
}

bool
cm_recording_has_parts(const struct cm_recording *recording)
{
   return recording->version >= CM_RECORDING_PARTS_VERSION;
}

const struct cm_run_value *
cm_recording_values(const struct cm_recording *recording, size_t *count)
{
   *count = recording->num_values;
   return recording->values;
}

const char *
cm_recording_value(const struct cm_recording *recording, const char *key)
{
   for (size_t i = 0; i < recording->num_values; i++) {
      if (strcmp(recording->values[i].key, key) == 0)
         return recording->values[i].value;
   }
   return NULL;
}

bool
cm_recording_has_regions(const struct cm_recording *recording)
{
   return recording->version >= CM_RECORDING_REGIONS_VERSION;
}

bool
cm_recording_has_contents(const struct cm_recording *recording)
{
   return recording->version >= CM_RECORDING_CONTENTS_VERSION;
}

const struct cm_indexed_frame *
cm_recording_frames(const struct cm_recording *recording, size_t *count)
{
   *count = recording->index.num_frames;
   return recording->index.frames;
}

enum cm_recording_end
cm_recording_end(const struct cm_recording *recording)
{
   return recording->end;
}

const char *
cm_recording_damage(const struct cm_recording *recording)
{
   return recording->damage[0] ? recording->damage : NULL;
}

bool
cm_recording_is_out_of_memory(const struct cm_recording *recording)
{
   return recording->out_of_memory;
}

/* ---- reading ---------------------------------------------------------------- */

void
cm_recording_seek(struct cm_recording *recording, size_t first, size_t last)
{
   assert(first <= last);
   recording->frame = first;
   recording->last_frame = last;
   recording->at_start = true;
   recording->is_positioned = true;
   recording->has_gpu = false;
   recording->resources = recording->last = 0;
}

/* The first of offsets, from a number on, that is not below a limit. */
static size_t
first_from(const struct cm_chunk_offsets *offsets, size_t number, uint64_t limit)
{
   assert(number <= offsets->count);
   while (number < offsets->count && offsets->at[number] < limit)
      number++;
   return number;
}

void
cm_recording_skip(struct cm_recording *recording, size_t first, size_t last)
{
   const struct cm_recording_index *index = &recording->index;
   assert(recording->is_positioned && recording->at_start && first >= recording->frame);
   recording->frame = first;
   recording->last_frame = last;
   if (!recording->has_gpu || first >= index->num_frames)
      return;
   recording->resources = first_from(&index->resources, recording->resources, recording->offset);
   recording->last = first_from(&index->resources, recording->resources, index->frames[first].offset);
}

/* The GPU that a frame belongs to: the last one that begins before it; 0: none. */
static uint64_t
gpu_of(const struct cm_recording_index *index, uint64_t frame_offset)
{
   uint64_t gpu = 0;
   for (size_t g = 0; g < index->gpus.count && index->gpus.at[g] < frame_offset; g++)
      gpu = index->gpus.at[g];
   return gpu;
}

size_t
cm_recording_count_gpus(const struct cm_recording *recording, size_t first, size_t last)
{
   const struct cm_recording_index *index = &recording->index;
   size_t count = 0;
   for (size_t f = first; f <= last && f < index->num_frames; f++)
      count +=
         f == first || gpu_of(index, index->frames[f].offset) != gpu_of(index, index->frames[f - 1].offset);
   return count;
}

/* The resources of a GPU that are defined before a frame. */
static void
find_resources(struct cm_recording *recording, uint64_t gpu, uint64_t frame_offset)
{
   const struct cm_recording_index *index = &recording->index;
   recording->resources = first_from(&index->resources, 0, gpu);
   recording->last = first_from(&index->resources, recording->resources, frame_offset);
}

static struct cm_item
read_resources(struct cm_recording *recording, uint64_t *offset)
{
   const struct cm_item failed = {.type = CM_ITEM_DAMAGED};
   struct cm_item item = {.type = CM_ITEM_RESOURCES, .frame = recording->frame};
   const uint64_t begin = *offset;
   if (!read_payload(recording, offset, CM_CHUNK_RESOURCES))
      return failed;
   struct cm_byte_reader reader = payload_reader(recording);
   struct cm_definitions found;
   const char *wrong = cm_decode_definitions(&reader, recording->version, &recording->names, &found);
   if (wrong) {
      is_wrong(recording, begin, wrong);
      return failed;
   }
   item.resources = found.resources;
   item.num_resources = found.num_resources;
   item.names = found.names;
   item.num_names = found.num_names;
   item.codes = found.codes;
   item.num_codes = found.num_codes;
   return item;
}

/* A payload that belongs to a pass. */
static bool
read_part(struct cm_recording *recording, enum cm_chunk_type type, struct cm_pass *pass)
{
   const uint64_t begin = recording->offset;
   if (!read_payload(recording, &recording->offset, type))
      return false;
   struct cm_byte_reader reader = payload_reader(recording);
   const char *wrong = type == CM_CHUNK_DESCRIPTORS ? cm_decode_descriptors(&reader, pass)
                       : type == CM_CHUNK_CONTENTS  ? cm_decode_contents(&reader, pass)
                                                    : cm_decode_tiles(&reader, recording->version, pass);
   return wrong ? is_wrong(recording, begin, wrong) : true;
}

/* Why a part of a pass cannot be where it is; NULL: it can. */
static const char *
is_misplaced(const struct cm_recording *recording, enum cm_chunk_type type, bool after_tiles)
{
   if (type == CM_CHUNK_CONTENTS && recording->version < CM_RECORDING_CONTENTS_VERSION)
      return "contents of tiles, which recordings of this version do not have";
   if (type != CM_CHUNK_DESCRIPTORS)
      return NULL;
   if (recording->version < CM_RECORDING_ADDRESS_VERSION)
      return "descriptors, which recordings of this version do not have";
   return after_tiles ? "descriptors after events of their pass' tiles" : NULL;
}

static bool
read_parts(struct cm_recording *recording, struct cm_pass *pass)
{
   struct cm_chunk_header header;
   bool after_tiles = false;
   while (read_chunk_header(recording, recording->offset, &header)) {
      const enum cm_chunk_type type = (enum cm_chunk_type)header.type;
      if (type != CM_CHUNK_TILES && type != CM_CHUNK_DESCRIPTORS && type != CM_CHUNK_CONTENTS)
         return true;
      const char *wrong = is_misplaced(recording, type, after_tiles);
      if (wrong)
         return is_wrong(recording, recording->offset, wrong);
      if (!read_part(recording, type, pass))
         return false;
      if (type == CM_CHUNK_CONTENTS)
         return true;
      after_tiles |= type == CM_CHUNK_TILES;
   }
   return false;
}

static struct cm_item
read_pass(struct cm_recording *recording)
{
   const uint64_t begin = recording->offset;
   struct cm_item item = {.type = CM_ITEM_DAMAGED, .frame = recording->frame};
   if (!read_payload(recording, &recording->offset, CM_CHUNK_PASS))
      return item;
   struct cm_recorded_pass *pass = calloc(1, sizeof *pass);
   if (!pass) {
      lacks_memory(recording, "a pass");
      return item;
   }
   struct cm_byte_reader reader = payload_reader(recording);
   const char *wrong = cm_decode_pass(&reader, recording->version, &pass->pass);
   if (!wrong)
      wrong = cm_check_pass_names(&recording->names, &pass->pass);
   if (wrong)
      is_wrong(recording, begin, wrong);
   if (wrong || !read_parts(recording, &pass->pass)) {
      cm_recorded_pass_release(pass);
      return item;
   }
   pass->bytes = cm_recorded_pass_bytes(&pass->pass);
   item.type = CM_ITEM_PASS;
   item.pass = pass;
   return item;
}

static struct cm_item
end_frame(struct cm_recording *recording)
{
   struct cm_item item = {.type = CM_ITEM_DAMAGED, .frame = recording->frame};
   if (!read_payload(recording, &recording->offset, CM_CHUNK_FRAME_END))
      return item;
   item.type = CM_ITEM_FRAME_END;
   recording->frame++;
   recording->at_start = true;
   return item;
}

/* The beginning of a frame: returns its GPU and that one's resources, if that was not done yet. */
static bool
begin_frame(struct cm_recording *recording, struct cm_item *item)
{
   assert(recording->frame < recording->index.num_frames);
   const uint64_t frame_offset = recording->index.frames[recording->frame].offset;
   const uint64_t gpu = gpu_of(&recording->index, frame_offset);
   if (!recording->has_gpu || gpu != recording->gpu) {
      recording->has_gpu = true;
      recording->gpu = gpu;
      find_resources(recording, gpu, frame_offset);
      cm_name_check_begin(&recording->names);
      item->type = CM_ITEM_GPU;
      return true;
   }
   if (recording->resources < recording->last) {
      uint64_t offset = recording->index.resources.at[recording->resources++];
      *item = read_resources(recording, &offset);
      return true;
   }
   recording->at_start = false;
   recording->offset = frame_offset;
   return false;
}

struct cm_item
cm_recording_next(struct cm_recording *recording)
{
   struct cm_item item = {.type = CM_ITEM_END, .frame = recording->frame};
   assert(recording->is_positioned);
   if (recording->frame > recording->last_frame || recording->frame >= recording->index.num_frames)
      return item;
   if (recording->at_start && begin_frame(recording, &item))
      return item;
   struct cm_chunk_header header;
   item.type = CM_ITEM_DAMAGED;
   if (!read_chunk_header(recording, recording->offset, &header))
      return item;
   switch (header.type) {
   case CM_CHUNK_RESOURCES: return read_resources(recording, &recording->offset);
   case CM_CHUNK_PASS: return read_pass(recording);
   case CM_CHUNK_FRAME_END: return end_frame(recording);
   default:
      damaged(recording, recording->offset, "a chunk of another type than expected (%u)", header.type);
      return item;
   }
}

bool
cm_recording_list_definitions(struct cm_recording *recording,
                              void (*found)(const struct cm_item *item, void *context), void *context)
{
   const struct cm_recording_index *index = &recording->index;
   recording->is_positioned = false;
   for (size_t r = 0; r < index->resources.count; r++) {
      uint64_t offset = index->resources.at[r];
      if (!r || gpu_of(index, offset) != gpu_of(index, index->resources.at[r - 1])) {
         cm_name_check_begin(&recording->names);
         found(&(struct cm_item){.type = CM_ITEM_GPU}, context);
      }
      struct cm_item item = read_resources(recording, &offset);
      if (item.type == CM_ITEM_DAMAGED)
         return false;
      found(&item, context);
      free(item.resources);
      free(item.names);
      free(item.codes);
   }
   return true;
}

/* ---- fingerprint ------------------------------------------------------------- */

/* FNV-1a. */
static uint64_t
add_to_hash(uint64_t hash, const uint8_t *bytes, size_t n)
{
   for (size_t i = 0; i < n; i++)
      hash = (hash ^ bytes[i]) * 0x100000001b3ull;
   return hash;
}

uint64_t
cm_recording_fingerprint(struct cm_recording *recording)
{
   uint64_t hash = 0xcbf29ce484222325ull;
   if (recording->has_fingerprint)
      return recording->fingerprint;
   uint8_t bytes[CM_CHUNK_HEADER_BYTES > CM_RECORDING_HEADER_BYTES ? CM_CHUNK_HEADER_BYTES
                                                                   : CM_RECORDING_HEADER_BYTES];
   char damage[sizeof recording->damage];
   memcpy(damage, recording->damage, sizeof damage);
   if (read_at(recording, bytes, CM_RECORDING_HEADER_BYTES, 0))
      hash = add_to_hash(hash, bytes, CM_RECORDING_HEADER_BYTES);
   struct cm_chunk_header header;
   for (uint64_t offset = CM_RECORDING_HEADER_BYTES;
        offset < recording->file_bytes && read_chunk_header(recording, offset, &header);
        offset += CM_CHUNK_HEADER_BYTES + header.stored_bytes) {
      const uint64_t end = offset + CM_CHUNK_HEADER_BYTES + header.stored_bytes;
      if (!read_at(recording, bytes, CM_CHUNK_HEADER_BYTES, offset))
         break;
      hash = add_to_hash(hash, bytes, CM_CHUNK_HEADER_BYTES);
      /* zstd's checksum is at the end of what is stored. */
      if (!read_at(recording, bytes, ZSTD_CHECKSUM_BYTES, end - ZSTD_CHECKSUM_BYTES))
         break;
      hash = add_to_hash(hash, bytes, ZSTD_CHECKSUM_BYTES);
   }
   /* The trailer is no chunk; damage was reported when the file was opened. */
   memcpy(recording->damage, damage, sizeof damage);
   recording->has_fingerprint = true;
   recording->fingerprint = hash;
   return hash;
}

/* ---- sections ---------------------------------------------------------------- */

size_t
cm_recording_sections(struct cm_recording *recording,
                      struct cm_recording_section sections[CM_RECORDING_MAX_SECTIONS])
{
   static const char *const names[CM_CHUNK_TYPES] = {
      [CM_CHUNK_PROVENANCE] = "provenance",
      [CM_CHUNK_GPU] = "gpus",
      [CM_CHUNK_RESOURCES] = "resources",
      [CM_CHUNK_PASS] = "passes",
      [CM_CHUNK_TILES] = "tiles",
      [CM_CHUNK_FRAME_END] = "frames",
      [CM_CHUNK_INDEX] = "index",
      [CM_CHUNK_CONTENTS] = "contents",
      [CM_CHUNK_DESCRIPTORS] = "descriptors",
   };
   for (unsigned type = 1; type < CM_CHUNK_TYPES; type++)
      sections[type - 1] = (struct cm_recording_section){.name = names[type]};
   char damage[sizeof recording->damage];
   memcpy(damage, recording->damage, sizeof damage);
   struct cm_chunk_header header;
   for (uint64_t offset = CM_RECORDING_HEADER_BYTES;
        offset < recording->file_bytes && read_chunk_header(recording, offset, &header);
        offset += CM_CHUNK_HEADER_BYTES + header.stored_bytes) {
      struct cm_recording_section *section = &sections[header.type - 1];
      section->chunks++;
      section->bytes += header.bytes;
      section->stored_bytes += CM_CHUNK_HEADER_BYTES + header.stored_bytes;
   }
   /* The trailer is no chunk; damage was reported when the file was opened. */
   memcpy(recording->damage, damage, sizeof damage);
   return CM_CHUNK_TYPES - 1;
}
