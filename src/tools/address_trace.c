/* SPDX-License-Identifier: MIT */
#include "address_trace.h"

#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/access_text.h"
#include "events/recording_format.h"

const char *const address_format_names[ADDRESS_FORMAT_COUNT] = {"auto", "din", "oraclegeneral", "plain",
                                                                "streams"};

#define BUFFER_SIZE (256 * 1024)
/* More than any sensible line has; the buffer always holds one of this length. */
#define LINE_MAX_BYTES 65536
/* Bytes from which the format is detected. */
#define SAMPLE_BYTES 4096

/* Block numbers leave 8 bits for what a cache remembers of a block. */
#define BLOCK_LIMIT ((1ull << 56) - 1)

/* One of libCacheSim's records: time, object, size, next access; all little endian. */
#define RECORD_BYTES 24
#define RECORD_OBJECT 4
#define RECORD_SIZE 12

struct access {
   uint64_t address;
   uint64_t bytes;
   bool write;
   uint8_t stream; /* enum cm_stream, where the format has them */
};

struct address_trace {
   struct input_file *file;
   char *name;
   struct address_options options;
   char *buffer;
   size_t begin, size; /* of what has been read and not yet decoded */
   bool at_end;
   uint64_t number; /* of lines, or records, decoded */
   /* The rest of an access that touches more blocks than a batch had room for. */
   uint64_t rest_block, rest_count;
   bool rest_write;
   uint8_t rest_stream;
};

/* What is wrong with the line, or the record, that is being decoded. */
static bool __attribute__((format(printf, 4, 5)))
malformed(const struct address_trace *trace, char *error, unsigned long error_size, const char *format, ...)
{
   const unsigned long long number = trace->number;
   int length = trace->options.format == ADDRESS_FORMAT_ORACLEGENERAL
                   ? snprintf(error, error_size, "%s: record %llu (byte %llu): ", trace->name, number + 1,
                              number * RECORD_BYTES)
                   : snprintf(error, error_size, "%s:%llu: ", trace->name, number);
   if ((unsigned long)length < error_size) {
      va_list arguments;
      va_start(arguments, format);
      vsnprintf(error + length, error_size - (unsigned long)length, format, arguments);
      va_end(arguments);
   }
   return false;
}

/* Reads until there are at least `wanted` bytes, or the end. */
static bool
fill_buffer(struct address_trace *trace, size_t wanted, char *error, unsigned long error_size)
{
   if (trace->size >= wanted || trace->at_end)
      return true;
   memmove(trace->buffer, trace->buffer + trace->begin, trace->size);
   trace->begin = 0;
   while (trace->size < wanted && !trace->at_end) {
      const long count = input_file_read(trace->file, trace->buffer + trace->size, BUFFER_SIZE - trace->size,
                                         error, error_size);
      if (count < 0)
         return false;
      trace->size += (size_t)count;
      trace->at_end = count == 0;
   }
   return true;
}

/* ---- formats ----------------------------------------------------------- */

static bool
is_space(char c)
{
   return c == ' ' || c == '\t' || c == '\r';
}

/* Part of a line, for a message. */
#define SHOWN_BYTES 40
struct shown {
   char text[SHOWN_BYTES + 4];
};

static struct shown
show(const char *begin, const char *end)
{
   struct shown shown = {0};
   unsigned length = 0;
   for (; begin < end && length < SHOWN_BYTES; begin++)
      shown.text[length++] = *begin >= ' ' && *begin <= '~' ? *begin : '?';
   if (begin < end)
      strcpy(shown.text + length, "...");
   return shown;
}

/* Lines are not empty and without spaces before. */

static bool
decode_din(struct address_trace *trace, const char *line, const char *end, struct access *access, char *error,
           unsigned long error_size)
{
   static const char expected[] = "expected \"LABEL ADDRESS\" with label 0 to 3, or \"r|w|i|m ADDRESS SIZE\"";
   const char label = line[0];
   const char *text = cm_text_skip_spaces(line + 1, end);
   if (text == line + 1 || text == end)
      return malformed(trace, error, error_size, "'%s', %s", show(line, end).text, expected);
   if (memchr("45cv", label, 4))
      return malformed(trace, error, error_size, "label %c: flushes and copies back cannot be simulated",
                       label);
   const bool extended = memchr("rwim", label, 4) != NULL;
   if (!extended && (label < '0' || label > '3'))
      return malformed(trace, error, error_size, "'%s', %s", show(line, end).text, expected);
   access->write = label == '1' || label == 'w';
   access->bytes = 1;
   text = cm_text_hexadecimal(text, end, &access->address);
   if (!text)
      return malformed(trace, error, error_size, "'%s' has no hexadecimal address of up to 64 bits",
                       show(line, end).text);
   if (extended && !cm_text_hexadecimal(cm_text_skip_spaces(text, end), end, &access->bytes))
      return malformed(trace, error, error_size, "'%s' has no hexadecimal size", show(line, end).text);
   return true;
}

static bool
decode_plain(struct address_trace *trace, const char *line, const char *end, struct access *access,
             char *error, unsigned long error_size)
{
   const char kind = (char)(line[0] | 32);
   access->write = kind == 'w';
   access->bytes = 1;
   const char *rest = cm_text_address(line + 1, end, &access->address);
   if ((kind != 'r' && kind != 'w') || !rest || cm_text_skip_spaces(rest, end) != end)
      return malformed(trace, error, error_size, "'%s', expected \"R 0xADDRESS\" or \"W 0xADDRESS\"",
                       show(line, end).text);
   return true;
}

/* Of the format `streams`: an access, or what the batch ends with, or nothing that matters to a cache. */
static bool
decode_streams(struct address_trace *trace, const char *line, const char *end, struct access *access,
               struct address_batch *batch, char *error, unsigned long error_size, bool *is_access)
{
   struct cm_unit_arrival arrival;
   const char *wrong, *expected;
   *is_access = false;
   switch (cm_access_text_read(line, end, &arrival, &wrong, &expected)) {
   case CM_ARRIVAL_NONE:
      return malformed(trace, error, error_size, "'%s', expected %s", show(wrong, end).text, expected);
   case CM_ARRIVAL_ACCESS:
      *is_access = true;
      access->address = arrival.address;
      access->bytes = 1;
      access->write = arrival.access != CM_READ;
      access->stream = (uint8_t)arrival.stream;
      return true;
   case CM_ARRIVAL_INVALIDATION:
      batch->invalidates = true;
      batch->invalid_begin = arrival.address;
      batch->invalid_end = arrival.end;
      return true;
   default: return true;
   }
}

/* Whether a line can only be of the format "streams". */
static bool
is_streams_line(const char *line, const char *end)
{
   struct cm_unit_arrival arrival;
   const char *wrong, *expected;
   return cm_access_text_read(line, end, &arrival, &wrong, &expected) != CM_ARRIVAL_NONE;
}

/* The format of what the buffer begins with. */
static enum address_format
guess_format(const struct address_trace *trace)
{
   const char *text = trace->buffer + trace->begin;
   const size_t size = trace->size < SAMPLE_BYTES ? trace->size : SAMPLE_BYTES;
   for (size_t i = 0; i < size; i++) {
      if ((unsigned char)text[i] >= 127 || (text[i] < ' ' && !is_space(text[i]) && text[i] != '\n'))
         return ADDRESS_FORMAT_ORACLEGENERAL;
   }
   /* The first line that says something. */
   const char *end = text + size;
   while (text < end && (is_space(*text) || *text == '\n' || *text == '#')) {
      const char *line_end = *text == '#' ? memchr(text, '\n', (size_t)(end - text)) : NULL;
      text = line_end ? line_end + 1 : *text == '#' ? end : text + 1;
   }
   const char *line_end = text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
   struct access access;
   char ignored[8];
   const bool plain = text < end && decode_plain((struct address_trace *)trace, text,
                                                 line_end ? line_end : end, &access, ignored, sizeof ignored);
   if (is_streams_line(text, line_end ? line_end : end))
      return ADDRESS_FORMAT_STREAMS;
   return plain ? ADDRESS_FORMAT_PLAIN : ADDRESS_FORMAT_DIN;
}

static bool
is_recording(const struct address_trace *trace)
{
   const size_t length = sizeof CM_RECORDING_MAGIC - 1;
   return trace->size >= length && memcmp(trace->buffer + trace->begin, CM_RECORDING_MAGIC, length) == 0;
}

/* ---- batches ----------------------------------------------------------- */

static inline void
add_block(struct address_batch *batch, uint64_t block, bool write, uint8_t stream)
{
   batch->blocks[batch->count] = block;
   batch->is_write[batch->count] = write;
   batch->streams[batch->count] = stream;
   batch->writes += write;
   batch->count++;
}

/* Adds the blocks that are left of an access while there is room. */
static void
add_rest(struct address_trace *trace, struct address_batch *batch)
{
   for (; trace->rest_count && batch->count < ADDRESS_BATCH; trace->rest_count--)
      add_block(batch, trace->rest_block++, trace->rest_write, trace->rest_stream);
}

/* The blocks of an access; false where they are outside of what a cache can hold. */
static inline bool
add_access(struct address_trace *trace, struct address_batch *batch, const struct access *access)
{
   const unsigned shift = trace->options.block_shift;
   const uint64_t last_byte = access->address + (access->bytes ? access->bytes - 1 : 0);
   const uint64_t first = access->address >> shift, last = last_byte >> shift;
   if (last_byte < access->address || last >= BLOCK_LIMIT)
      return false;
   if (first == last) {
      add_block(batch, first, access->write, access->stream);
      return true;
   }
   trace->rest_block = first;
   trace->rest_count = last - first + 1;
   trace->rest_write = access->write;
   trace->rest_stream = access->stream;
   add_rest(trace, batch);
   return true;
}

/* The next line, without the character that ends it; NULL at the end of the trace. False where it is wrong. */
static bool
next_line(struct address_trace *trace, const char **line, const char **end, char *error,
          unsigned long error_size)
{
   const char *newline = memchr(trace->buffer + trace->begin, '\n', trace->size);
   if (!newline) {
      if (!fill_buffer(trace, LINE_MAX_BYTES + 1, error, error_size))
         return false;
      newline = memchr(trace->buffer + trace->begin, '\n', trace->size);
   }
   *line = trace->size ? trace->buffer + trace->begin : NULL;
   if (!*line)
      return true;
   const size_t length = newline ? (size_t)(newline - *line) : trace->size;
   const size_t taken = length + (newline != NULL);
   *end = *line + length;
   trace->number++;
   trace->begin += taken;
   trace->size -= taken;
   return length <= LINE_MAX_BYTES ||
          malformed(trace, error, error_size, "the line is longer than %u bytes", LINE_MAX_BYTES);
}

static bool
read_lines(struct address_trace *trace, struct address_batch *batch, char *error, unsigned long error_size)
{
   const enum address_format format = trace->options.format;
   while (batch->count < ADDRESS_BATCH) {
      const char *line, *end;
      if (!next_line(trace, &line, &end, error, error_size))
         return false;
      if (!line)
         return true;
      line = cm_text_skip_spaces(line, end);
      if (line == end || *line == '#')
         continue;
      struct access access = {0};
      bool is_access = true;
      if (format == ADDRESS_FORMAT_STREAMS
             ? !decode_streams(trace, line, end, &access, batch, error, error_size, &is_access)
             : !(format == ADDRESS_FORMAT_DIN ? decode_din : decode_plain)(trace, line, end, &access, error,
                                                                           error_size))
         return false;
      if (batch->invalidates)
         return true;
      if (!is_access)
         continue;
      if (!add_access(trace, batch, &access))
         return malformed(trace, error, error_size, "'%s' is beyond the largest address, block 2^56 - 2",
                          show(line, end).text);
   }
   return true;
}

static inline uint64_t
record_object(const char *record)
{
   uint64_t object;
   memcpy(&object, record + RECORD_OBJECT, sizeof object);
   return le64toh(object);
}

static inline uint32_t
record_size(const char *record)
{
   uint32_t size;
   memcpy(&size, record + RECORD_SIZE, sizeof size);
   return le32toh(size);
}

/* Objects are named by numbers, often hashes of 64 bits: these lose their upper 8 bits to the
 * lower ones. Two of a million objects become one with a probability of 10^-5. */
static inline uint64_t
block_of_object(uint64_t object)
{
   const uint64_t block = (object ^ (object >> 56) * 0x9e3779b97f4a7c15ull) & BLOCK_LIMIT;
   return object < BLOCK_LIMIT ? object : block % BLOCK_LIMIT;
}

static bool
read_records(struct address_trace *trace, struct address_batch *batch, char *error, unsigned long error_size)
{
   while (batch->count < ADDRESS_BATCH) {
      if (!fill_buffer(trace, RECORD_BYTES, error, error_size))
         return false;
      if (!trace->size)
         return true;
      if (trace->size < RECORD_BYTES)
         return malformed(trace, error, error_size, "the trace ends within it, after %zu of %u bytes",
                          trace->size, RECORD_BYTES);
      const char *record = trace->buffer + trace->begin;
      const char *end = record + trace->size / RECORD_BYTES * RECORD_BYTES;
      for (; record < end && batch->count < ADDRESS_BATCH; record += RECORD_BYTES, trace->number++) {
         const uint64_t object = record_object(record);
         const struct access access = {.address = object, .bytes = record_size(record)};
         if (trace->options.objects)
            add_block(batch, block_of_object(object), false, 0);
         else if (!add_access(trace, batch, &access))
            return malformed(trace, error, error_size,
                             "object 0x%llx of %llu bytes is beyond the largest address, block 2^56 - 2 "
                             "(--objects takes its number as a name)",
                             (unsigned long long)object, (unsigned long long)access.bytes);
      }
      const size_t taken = (size_t)(record - trace->buffer) - trace->begin;
      trace->begin += taken;
      trace->size -= taken;
   }
   return true;
}

bool
address_trace_read(struct address_trace *trace, struct address_batch *batch, char *error,
                   unsigned long error_size)
{
   batch->count = batch->writes = 0;
   batch->has_streams = trace->options.format == ADDRESS_FORMAT_STREAMS;
   batch->invalidates = false;
   add_rest(trace, batch);
   if (trace->options.format == ADDRESS_FORMAT_ORACLEGENERAL)
      return read_records(trace, batch, error, error_size);
   return read_lines(trace, batch, error, error_size);
}

struct address_trace *
address_trace_open(struct input_file *file, const char *name, const struct address_options *options,
                   char *error, unsigned long error_size)
{
   struct address_trace *trace = calloc(1, sizeof *trace);
   if (!trace) {
      snprintf(error, error_size, "%s: out of memory", name);
      input_file_close(file);
      return NULL;
   }
   trace->file = file;
   trace->options = *options;
   trace->name = strdup(name);
   trace->buffer = malloc(BUFFER_SIZE);
   if (!trace->name || !trace->buffer) {
      snprintf(error, error_size, "%s: out of memory", name);
   } else if (fill_buffer(trace, SAMPLE_BYTES, error, error_size)) {
      const bool automatic = options->format == ADDRESS_FORMAT_AUTO,
                 recording = automatic && is_recording(trace);
      if (automatic && trace->size > 0)
         trace->options.format = guess_format(trace);
      if (trace->size > 0 && !recording)
         return trace;
      snprintf(error, error_size, "%s: %s", name,
               recording ? "not an address trace but a recording; tbrsim export makes one of it"
                         : "the trace is empty");
   }
   address_trace_close(trace);
   return NULL;
}

void
address_trace_close(struct address_trace *trace)
{
   if (!trace)
      return;
   input_file_close(trace->file);
   free(trace->buffer);
   free(trace->name);
   free(trace);
}
