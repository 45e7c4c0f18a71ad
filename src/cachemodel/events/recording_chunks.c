/* SPDX-License-Identifier: MIT */
#include "events/recording_chunks.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "util/file.h"

bool
cm_chunk_reader_init(struct cm_chunk_reader *reader, const char *path, int file, uint64_t file_bytes)
{
   *reader = (struct cm_chunk_reader){.path = path, .file = file, .file_bytes = file_bytes};
   reader->decompressor = ZSTD_createDCtx();
   return reader->decompressor;
}

void
cm_chunk_reader_finish(struct cm_chunk_reader *reader)
{
   free(reader->stored.data);
   free(reader->payload.data);
   ZSTD_freeDCtx(reader->decompressor);
}

bool
cm_chunks_damaged(struct cm_chunk_reader *reader, uint64_t offset, const char *format, ...)
{
   char what[256];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(what, sizeof what, format, arguments);
   va_end(arguments);
   reader->out_of_memory = false;
   snprintf(reader->damage, sizeof reader->damage, "%s: offset %llu: %s", reader->path,
            (unsigned long long)offset, what);
   return false;
}

bool
cm_chunks_lack_memory(struct cm_chunk_reader *reader, const char *what)
{
   snprintf(reader->damage, sizeof reader->damage, "%s: " CM_OUT_OF_MEMORY_FOR "%s", reader->path, what);
   reader->out_of_memory = true;
   return false;
}

bool
cm_chunks_are_wrong(struct cm_chunk_reader *reader, uint64_t offset, const char *wrong)
{
   assert(*wrong);
   static const char memory[] = CM_OUT_OF_MEMORY_FOR;
   if (strncmp(wrong, memory, sizeof memory - 1) == 0)
      return cm_chunks_lack_memory(reader, wrong + sizeof memory - 1);
   return cm_chunks_damaged(reader, offset, "%s", wrong);
}

bool
cm_chunks_read_at(struct cm_chunk_reader *reader, void *bytes, size_t n, uint64_t offset)
{
   const ssize_t got = cm_read_at(reader->file, bytes, n, (off_t)offset);
   return got == (ssize_t)n || cm_chunks_damaged(reader, offset + (got < 0 ? 0 : (uint64_t)got), "%s",
                                                 got < 0 ? strerror(errno) : "the file is truncated");
}

bool
cm_chunks_read_header(struct cm_chunk_reader *reader, uint64_t offset, struct cm_chunk_header *header)
{
   uint8_t bytes[CM_CHUNK_HEADER_BYTES];
   if (offset > reader->file_bytes || reader->file_bytes - offset < sizeof bytes)
      return cm_chunks_damaged(reader, offset, "the file is truncated");
   if (!cm_chunks_read_at(reader, bytes, sizeof bytes, offset))
      return false;
   if (!cm_chunk_header_load(bytes, header))
      return cm_chunks_damaged(reader, offset, "the header of a chunk is corrupt");
   if (!header->type || header->type >= CM_CHUNK_TYPES || (header->flags & ~CM_CHUNK_CONTINUED))
      return cm_chunks_damaged(reader, offset, "a chunk of an unknown type (%u)", header->type);
   if (header->stored_bytes > reader->file_bytes - offset - sizeof bytes)
      return cm_chunks_damaged(reader, offset, "the file is truncated");
   return true;
}

bool
cm_chunks_find_header(struct cm_chunk_reader *reader, uint64_t offset, struct cm_chunk_header *header)
{
   char damage[sizeof reader->damage];
   const bool out_of_memory = reader->out_of_memory;
   memcpy(damage, reader->damage, sizeof damage);
   const bool found = cm_chunks_read_header(reader, offset, header);
   memcpy(reader->damage, damage, sizeof damage);
   reader->out_of_memory = out_of_memory;
   return found;
}

bool
cm_chunks_read(struct cm_chunk_reader *reader, uint64_t offset, const struct cm_chunk_header *header)
{
   assert(header->type && header->type < CM_CHUNK_TYPES);
   struct cm_byte_writer *stored = &reader->stored, *payload = &reader->payload;
   stored->size = 0;
   if (payload->size + header->bytes > CM_PAYLOAD_LIMIT)
      return cm_chunks_damaged(reader, offset, "the continued chunks are too large");
   if (!cm_bytes_reserve(stored, header->stored_bytes) || !cm_bytes_reserve(payload, header->bytes))
      return cm_chunks_lack_memory(reader, "a chunk");
   if (!cm_chunks_read_at(reader, stored->data, header->stored_bytes, offset + CM_CHUNK_HEADER_BYTES))
      return false;
   const size_t bytes = ZSTD_decompressDCtx(reader->decompressor, payload->data + payload->size,
                                            header->bytes, stored->data, header->stored_bytes);
   if (ZSTD_getErrorCode(bytes) == ZSTD_error_memory_allocation)
      return cm_chunks_lack_memory(reader, "a chunk");
   if (ZSTD_isError(bytes))
      return cm_chunks_damaged(reader, offset, "a chunk is corrupt (%s)", ZSTD_getErrorName(bytes));
   if (bytes != header->bytes)
      return cm_chunks_damaged(reader, offset, "a chunk is shorter than its header says");
   payload->size += bytes;
   return true;
}

bool
cm_chunks_read_payload(struct cm_chunk_reader *reader, uint64_t *offset, enum cm_chunk_type type)
{
   struct cm_chunk_header header;
   reader->payload.size = 0;
   do {
      if (!cm_chunks_read_header(reader, *offset, &header))
         return false;
      if (header.type != type)
         return cm_chunks_damaged(reader, *offset, "a chunk of another type than expected (%u)", header.type);
      if (!cm_chunks_read(reader, *offset, &header))
         return false;
      *offset += CM_CHUNK_HEADER_BYTES + header.stored_bytes;
   } while (header.flags & CM_CHUNK_CONTINUED);
   return true;
}

struct cm_byte_reader
cm_chunks_payload(const struct cm_chunk_reader *reader)
{
   const struct cm_byte_writer *payload = &reader->payload;
   return (struct cm_byte_reader){payload->data, payload->data + payload->size, false};
}
