/* SPDX-License-Identifier: MIT */
#include "events/recording.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "events/recording_chunks.h"
#include "util/file.h"

#define ZSTD_CHECKSUM_BYTES 4

struct cm_recording {
   char *path;
   int file;
   struct cm_chunk_reader chunks; /* its damage is the recording's */
   enum cm_recording_kind kind;
   struct cm_run_value *values;
   size_t num_values;
   uint64_t first_chunk; /* after the provenance */
   struct cm_recording_index index;
   enum cm_recording_end end;

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

/* ---- opening ---------------------------------------------------------------- */

static bool
read_header(struct cm_recording *recording)
{
   uint8_t header[CM_RECORDING_HEADER_BYTES];
   if (!recording->chunks.file_bytes)
      return cm_chunks_damaged(&recording->chunks, 0, "the file is empty");
   const size_t magic = recording->chunks.file_bytes < 8 ? recording->chunks.file_bytes : 8;
   if (!cm_chunks_read_at(&recording->chunks, header, magic, 0))
      return false;
   if (memcmp(header, CM_RECORDING_MAGIC, magic) != 0)
      return cm_chunks_damaged(&recording->chunks, 0, "not a recording");
   if (!cm_chunks_read_at(&recording->chunks, header, sizeof header, 0))
      return false;
   const uint32_t version = cm_load_uint32(header + 8), kind = cm_load_uint32(header + 12);
   if (version < CM_RECORDING_OLDEST_VERSION || version > CM_RECORDING_VERSION)
      return cm_chunks_damaged(&recording->chunks, 8, "a recording of version %u, expected versions %u to %u",
                               version, CM_RECORDING_OLDEST_VERSION, CM_RECORDING_VERSION);
   if (cm_load_uint32(header + sizeof header - 4) != cm_crc32(header, sizeof header - 4))
      return cm_chunks_damaged(&recording->chunks, 0, "the header is corrupt");
   if (kind >= CM_RECORDING_KINDS)
      return cm_chunks_damaged(&recording->chunks, 12, "a recording of an unknown kind (%u)", kind);
   recording->chunks.version = version;
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
   if (!cm_chunks_read_payload(&recording->chunks, &offset, CM_CHUNK_PROVENANCE))
      return false;
   struct cm_byte_reader reader = cm_chunks_payload(&recording->chunks);
   const uint64_t count = cm_get_varint(&reader);
   if (count > cm_bytes_left(&reader) / 2)
      return cm_chunks_damaged(&recording->chunks, CM_RECORDING_HEADER_BYTES, "the provenance is truncated");
   recording->values = calloc(count + 1, sizeof *recording->values);
   for (uint64_t i = 0; recording->values && i < count; i++) {
      struct cm_run_value *value = &recording->values[recording->num_values++];
      value->key = get_text(&reader);
      value->value = get_text(&reader);
      if (reader.bad)
         return cm_chunks_damaged(&recording->chunks, CM_RECORDING_HEADER_BYTES,
                                  "the provenance is truncated");
      if (!value->key || !value->value)
         return cm_chunks_lack_memory(&recording->chunks, "the provenance");
   }
   recording->first_chunk = offset;
   return recording->values || cm_chunks_lack_memory(&recording->chunks, "the provenance");
}

/* Reads the index at the end of the file. False where there is none, or it is damaged. */
static bool
read_index(struct cm_recording *recording)
{
   uint8_t trailer[CM_TRAILER_BYTES];
   const uint64_t end = recording->chunks.file_bytes - CM_TRAILER_BYTES;
   if (recording->chunks.file_bytes < recording->first_chunk + CM_TRAILER_BYTES ||
       !cm_chunks_read_at(&recording->chunks, trailer, sizeof trailer, end) ||
       memcmp(trailer + 12, CM_TRAILER_MAGIC, 8) != 0 || cm_load_uint32(trailer + 8) != cm_crc32(trailer, 8))
      return false;
   uint64_t offset = cm_load_uint64(trailer);
   if (offset < recording->first_chunk || offset > end ||
       !cm_chunks_read_payload(&recording->chunks, &offset, CM_CHUNK_INDEX) || offset != end)
      return false;
   struct cm_byte_reader reader = cm_chunks_payload(&recording->chunks);
   const char *wrong = cm_decode_index(&reader, &recording->index, end);
   return wrong ? cm_chunks_are_wrong(&recording->chunks, end, wrong) : true;
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
      recording->chunks.payload.size = 0;
      if (!cm_chunks_read(&recording->chunks, offset, header))
         return false;
      struct cm_byte_reader reader = cm_chunks_payload(&recording->chunks);
      cm_decode_frame(&reader, &frame);
      if (reader.bad || reader.at != reader.end)
         return cm_chunks_damaged(&recording->chunks, offset, "the end of a frame is corrupt");
      *frame_offset = next;
      memory = cm_index_add_frame(&recording->index, &frame);
   }
   return memory || cm_chunks_lack_memory(&recording->chunks, "the index");
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
   while (offset < recording->chunks.file_bytes) {
      whole = cm_chunks_read_header(&recording->chunks, offset, &header);
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
      cm_chunks_damaged(&recording->chunks, offset, "the recording is incomplete");
}

/* Adds to the message how much of the file is usable. */
static void
note_whole_frames(struct cm_recording *recording)
{
   const size_t length = strlen(recording->chunks.damage);
   snprintf(recording->chunks.damage + length, sizeof recording->chunks.damage - length,
            "; %zu complete frames precede it", recording->index.num_frames);
}

static void
find_frames(struct cm_recording *recording)
{
   const bool indexed = read_index(recording);
   if (recording->chunks.out_of_memory)
      return;
   if (!indexed) {
      rebuild_index(recording);
      note_whole_frames(recording);
   } else if (recording->index.stopped) {
      recording->end = CM_RECORDING_STOPPED;
      cm_chunks_damaged(&recording->chunks, recording->chunks.file_bytes,
                        "the recording ends early because of a write error");
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
   recording->file = open(path, O_RDONLY | O_CLOEXEC);
   if (recording->file < 0 || fstat(recording->file, &status) != 0) {
      snprintf(error, error_size, "%s: %s", path, strerror(errno));
   } else if (!S_ISREG(status.st_mode)) {
      snprintf(error, error_size, "%s: not a regular file", path);
   } else if (!recording->path || !cm_chunk_reader_init(&recording->chunks, recording->path, recording->file,
                                                        (uint64_t)status.st_size)) {
      snprintf(error, error_size, "%s: out of memory", path);
   } else {
      if (read_header(recording) && read_provenance(recording))
         find_frames(recording);
      if (recording->first_chunk && !recording->chunks.out_of_memory) {
         cm_recording_seek(recording, 0, SIZE_MAX);
         return recording;
      }
      snprintf(error, error_size, "%s", recording->chunks.damage);
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
   cm_chunk_reader_finish(&recording->chunks);
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
   return recording->chunks.version >= CM_RECORDING_PARTS_VERSION;
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
   return recording->chunks.version >= CM_RECORDING_REGIONS_VERSION;
}

bool
cm_recording_has_contents(const struct cm_recording *recording)
{
   return recording->chunks.version >= CM_RECORDING_CONTENTS_VERSION;
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
   return recording->chunks.damage[0] ? recording->chunks.damage : NULL;
}

bool
cm_recording_is_out_of_memory(const struct cm_recording *recording)
{
   return recording->chunks.out_of_memory;
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
   if (!cm_chunks_read_payload(&recording->chunks, offset, CM_CHUNK_RESOURCES))
      return failed;
   struct cm_byte_reader reader = cm_chunks_payload(&recording->chunks);
   struct cm_definitions found;
   const char *wrong = cm_decode_definitions(&reader, recording->chunks.version, &recording->names, &found);
   if (wrong) {
      cm_chunks_are_wrong(&recording->chunks, begin, wrong);
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

/* A pass without its tiles. Where their end cannot be found, the one that reads them finds out why. */
static struct cm_item
read_pass(struct cm_recording *recording)
{
   const uint64_t begin = recording->offset;
   struct cm_item item = {.type = CM_ITEM_DAMAGED, .frame = recording->frame};
   if (!cm_chunks_read_payload(&recording->chunks, &recording->offset, CM_CHUNK_PASS))
      return item;
   struct cm_recorded_pass *pass = calloc(1, sizeof *pass);
   if (!pass) {
      cm_chunks_lack_memory(&recording->chunks, "a pass");
      return item;
   }
   struct cm_byte_reader reader = cm_chunks_payload(&recording->chunks);
   const char *wrong = cm_decode_pass(&reader, recording->chunks.version, &pass->pass);
   if (!wrong)
      wrong = cm_check_pass_names(&recording->names, &pass->pass);
   if (wrong) {
      cm_chunks_are_wrong(&recording->chunks, begin, wrong);
      cm_recorded_pass_release(pass);
      return item;
   }
   pass->parts = recording->offset;
   recording->offset = cm_chunks_skip_tiles(&recording->chunks, pass->parts);
   item.type = CM_ITEM_PASS;
   item.pass = pass;
   return item;
}

static struct cm_item
end_frame(struct cm_recording *recording)
{
   struct cm_item item = {.type = CM_ITEM_DAMAGED, .frame = recording->frame};
   if (!cm_chunks_read_payload(&recording->chunks, &recording->offset, CM_CHUNK_FRAME_END))
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
cm_recording_next_without_tiles(struct cm_recording *recording)
{
   struct cm_item item = {.type = CM_ITEM_END, .frame = recording->frame};
   assert(recording->is_positioned);
   if (recording->frame > recording->last_frame || recording->frame >= recording->index.num_frames)
      return item;
   if (recording->at_start && begin_frame(recording, &item))
      return item;
   struct cm_chunk_header header;
   item.type = CM_ITEM_DAMAGED;
   if (!cm_chunks_read_header(&recording->chunks, recording->offset, &header))
      return item;
   switch (header.type) {
   case CM_CHUNK_RESOURCES: return read_resources(recording, &recording->offset);
   case CM_CHUNK_PASS: return read_pass(recording);
   case CM_CHUNK_FRAME_END: return end_frame(recording);
   default:
      cm_chunks_damaged(&recording->chunks, recording->offset, "a chunk of another type than expected (%u)",
                        header.type);
      return item;
   }
}

struct cm_item
cm_recording_next(struct cm_recording *recording)
{
   struct cm_item item = cm_recording_next_without_tiles(recording);
   if (item.type != CM_ITEM_PASS || cm_chunks_read_tiles(&recording->chunks, item.pass))
      return item;
   cm_recorded_pass_release(item.pass);
   return (struct cm_item){.type = CM_ITEM_DAMAGED, .frame = item.frame};
}

const struct cm_chunk_reader *
cm_recording_chunks(const struct cm_recording *recording)
{
   return &recording->chunks;
}

void
cm_recording_take_damage(struct cm_recording *recording, const struct cm_tile_reader *reader)
{
   const struct cm_chunk_reader *its = cm_tile_reader_chunks(reader);
   assert(its->damage[0]);
   memcpy(recording->chunks.damage, its->damage, sizeof its->damage);
   recording->chunks.out_of_memory = its->out_of_memory;
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
   if (cm_chunks_read_at(&recording->chunks, bytes, CM_RECORDING_HEADER_BYTES, 0))
      hash = add_to_hash(hash, bytes, CM_RECORDING_HEADER_BYTES);
   struct cm_chunk_header header;
   for (uint64_t offset = CM_RECORDING_HEADER_BYTES;
        cm_chunks_find_header(&recording->chunks, offset, &header);
        offset += CM_CHUNK_HEADER_BYTES + header.stored_bytes) {
      const uint64_t end = offset + CM_CHUNK_HEADER_BYTES + header.stored_bytes;
      if (!cm_chunks_read_at(&recording->chunks, bytes, CM_CHUNK_HEADER_BYTES, offset))
         break;
      hash = add_to_hash(hash, bytes, CM_CHUNK_HEADER_BYTES);
      /* zstd's checksum is at the end of what is stored. */
      if (!cm_chunks_read_at(&recording->chunks, bytes, ZSTD_CHECKSUM_BYTES, end - ZSTD_CHECKSUM_BYTES))
         break;
      hash = add_to_hash(hash, bytes, ZSTD_CHECKSUM_BYTES);
   }
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
   struct cm_chunk_header header;
   for (uint64_t offset = CM_RECORDING_HEADER_BYTES;
        cm_chunks_find_header(&recording->chunks, offset, &header);
        offset += CM_CHUNK_HEADER_BYTES + header.stored_bytes) {
      struct cm_recording_section *section = &sections[header.type - 1];
      section->chunks++;
      section->bytes += header.bytes;
      section->stored_bytes += CM_CHUNK_HEADER_BYTES + header.stored_bytes;
   }
   return CM_CHUNK_TYPES - 1;
}
