/* SPDX-License-Identifier: MIT */
#include "input/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define BUFFER_SIZE (256 * 1024)
/* What a file may make the decoders of xz and zstd allocate. */
#define MEMORY_LIMIT (1ull << 30)
#define ZSTD_WINDOW_LOG_LIMIT 30

enum compression { COMPRESSION_NONE, COMPRESSION_GZIP, COMPRESSION_ZSTD, COMPRESSION_XZ };

struct input_file {
   char *name;
   int descriptor;
   enum compression compression;
   bool at_end;  /* nothing more to be read from the descriptor */
   bool in_part; /* the decoder is within a member or frame, of which a file may have several */
   uint8_t *buffer;
   size_t begin, end; /* of what has been read and not yet taken */
   z_stream gzip;
   ZSTD_DStream *zstd;
   lzma_stream xz;
};

static long __attribute__((format(printf, 4, 5)))
wrong(const struct input_file *file, char *error, size_t error_size, const char *format, ...)
{
   char message[200];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(message, sizeof message, format, arguments);
   va_end(arguments);
   snprintf(error, error_size, "%s: %s", file->name, message);
   return -1;
}

/* read(2) until something comes; -1 on failure. */
static long
read_descriptor(struct input_file *file, void *buffer, size_t size, char *error, size_t error_size)
{
   for (;;) {
      const ssize_t count = read(file->descriptor, buffer, size);
      if (count >= 0)
         return count;
      if (errno != EINTR)
         return wrong(file, error, error_size, "cannot be read: %s", strerror(errno));
   }
}

/* Reads more into the buffer, which must be empty or at its beginning. */
static bool
fill_buffer(struct input_file *file, char *error, size_t error_size)
{
   if (file->begin == file->end)
      file->begin = file->end = 0;
   const long count =
      read_descriptor(file, file->buffer + file->end, BUFFER_SIZE - file->end, error, error_size);
   if (count < 0)
      return false;
   file->end += (size_t)count;
   file->at_end = count == 0;
   return true;
}

static enum compression
compression_of(const uint8_t *bytes, size_t count)
{
   static const uint8_t xz[6] = {0xfd, '7', 'z', 'X', 'Z', 0};
   if (count >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8)
      return COMPRESSION_GZIP;
   if (count >= 4 && bytes[0] == 0x28 && bytes[1] == 0xb5 && bytes[2] == 0x2f && bytes[3] == 0xfd)
      return COMPRESSION_ZSTD;
   if (count >= sizeof xz && memcmp(bytes, xz, sizeof xz) == 0)
      return COMPRESSION_XZ;
   return COMPRESSION_NONE;
}

static bool
start_decoder(struct input_file *file)
{
   switch (file->compression) {
   case COMPRESSION_GZIP: return inflateInit2(&file->gzip, 15 + 16) == Z_OK;
   case COMPRESSION_ZSTD:
      file->zstd = ZSTD_createDStream();
      return file->zstd &&
             !ZSTD_isError(ZSTD_DCtx_setParameter(file->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_LIMIT));
   case COMPRESSION_XZ:
      file->in_part = true; /* the decoder knows of several parts itself */
      return lzma_stream_decoder(&file->xz, MEMORY_LIMIT, LZMA_CONCATENATED) == LZMA_OK;
   default: return true;
   }
}

struct input_file *
input_file_open(const char *name, char *error, size_t error_size)
{
   const bool standard_input = !strcmp(name, "-");
   const int descriptor = standard_input ? dup(STDIN_FILENO) : open(name, O_RDONLY | O_CLOEXEC);
   name = standard_input ? "standard input" : name;
   if (descriptor < 0) {
      snprintf(error, error_size, "%s: cannot be opened: %s", name, strerror(errno));
      return NULL;
   }
   struct input_file *file = calloc(1, sizeof *file);
   if (file) {
      *file = (struct input_file){.descriptor = descriptor, .xz = LZMA_STREAM_INIT};
      file->name = strdup(name);
      file->buffer = malloc(BUFFER_SIZE);
   }
   if (!file || !file->name || !file->buffer) {
      snprintf(error, error_size, "%s: out of memory", name);
      if (file)
         input_file_close(file);
      else
         close(descriptor);
      return NULL;
   }
   bool ok = true;
   while (ok && !file->at_end && file->end < 6)
      ok = fill_buffer(file, error, error_size);
   if (ok) {
      file->compression = compression_of(file->buffer, file->end);
      ok = start_decoder(file);
      if (!ok)
         snprintf(error, error_size, "%s: out of memory", name);
   }
   if (ok)
      return file;
   input_file_close(file);
   return NULL;
}

void
input_file_close(struct input_file *file)
{
   if (!file)
      return;
   if (file->compression == COMPRESSION_GZIP)
      inflateEnd(&file->gzip);
   ZSTD_freeDStream(file->zstd);
   lzma_end(&file->xz);
   close(file->descriptor);
   free(file->buffer);
   free(file->name);
   free(file);
}

/* ---- decoders ---------------------------------------------------------- */

/* Each decodes from the buffer into `output`; the number of bytes it made, or -1. */

static long
decode_gzip(struct input_file *file, uint8_t *output, size_t size)
{
   z_stream *stream = &file->gzip;
   /* Another member, or the end. */
   if (!file->in_part && (file->begin == file->end || inflateReset(stream) != Z_OK))
      return file->begin == file->end ? 0 : -1;
   stream->next_in = file->buffer + file->begin;
   stream->avail_in = (uInt)(file->end - file->begin);
   stream->next_out = output;
   stream->avail_out = (uInt)size;
   const int result = inflate(stream, Z_NO_FLUSH);
   file->begin = file->end - stream->avail_in;
   file->in_part = result != Z_STREAM_END;
   if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      return -1;
   return (long)(size - stream->avail_out);
}

static long
decode_zstd(struct input_file *file, uint8_t *output, size_t size)
{
   ZSTD_inBuffer in = {file->buffer, file->end, file->begin};
   ZSTD_outBuffer out = {output, size, 0};
   if (!file->in_part && in.pos == in.size)
      return 0;
   const size_t result = ZSTD_decompressStream(file->zstd, &out, &in);
   file->begin = in.pos;
   file->in_part = result != 0;
   return ZSTD_isError(result) ? -1 : (long)out.pos;
}

static long
decode_xz(struct input_file *file, uint8_t *output, size_t size)
{
   lzma_stream *stream = &file->xz;
   if (!file->in_part)
      return 0;
   stream->next_in = file->buffer + file->begin;
   stream->avail_in = file->end - file->begin;
   stream->next_out = output;
   stream->avail_out = size;
   const lzma_ret result = lzma_code(stream, file->at_end ? LZMA_FINISH : LZMA_RUN);
   file->begin = file->end - stream->avail_in;
   file->in_part = result != LZMA_STREAM_END;
   if (result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR)
      return -1;
   return (long)(size - stream->avail_out);
}

static long
decode(struct input_file *file, uint8_t *output, size_t size)
{
   switch (file->compression) {
   case COMPRESSION_GZIP: return decode_gzip(file, output, size);
   case COMPRESSION_ZSTD: return decode_zstd(file, output, size);
   default: return decode_xz(file, output, size);
   }
}

static long
read_compressed(struct input_file *file, uint8_t *output, size_t size, char *error, size_t error_size)
{
   static const char *const names[] = {"", "gzip", "zstd", "xz"};
   for (;;) {
      if (file->begin == file->end && !file->at_end && !fill_buffer(file, error, error_size))
         return -1;
      const size_t before = file->begin;
      const long count = decode(file, output, size);
      if (count < 0)
         return wrong(file, error, error_size, "its %s data is damaged", names[file->compression]);
      if (count > 0)
         return count;
      if (file->at_end && file->begin == before) {
         if (!file->in_part)
            return 0;
         return wrong(file, error, error_size, "its %s data is cut off", names[file->compression]);
      }
   }
}

long
input_file_read(struct input_file *file, void *buffer, size_t size, char *error, size_t error_size)
{
   if (size > BUFFER_SIZE)
      size = BUFFER_SIZE;
   if (file->compression != COMPRESSION_NONE)
      return read_compressed(file, buffer, size, error, error_size);
   if (file->begin == file->end)
      return file->at_end ? 0 : read_descriptor(file, buffer, size, error, error_size);
   if (size > file->end - file->begin)
      size = file->end - file->begin;
   memcpy(buffer, file->buffer + file->begin, size);
   file->begin += size;
   return (long)size;
}
