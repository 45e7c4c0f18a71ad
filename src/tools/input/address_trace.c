/* SPDX-License-Identifier: MIT */
#include "input/address_trace.h"

#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/access_text.h"
#include "events/recording_format.h"

#define BUFFER_SIZE (256 * 1024)
/* More than any sensible line has; the buffer always holds one of this length. */
#define LINE_MAX_BYTES 65536
/* Bytes from which the format is detected. */
#define SAMPLE_BYTES 4096

/* Block numbers leave 8 bits for what a cache remembers of a block. */
#define BLOCK_LIMIT ((1ull << 56) - 1)

/* Blocks below that have their own number. */
#define NEAR_BLOCKS (1ull << 55)
/* Of those beyond, which 56 bits cannot all name, the blocks of a region stay together. Regions take the place of their
 * number's lower bits, or the next free one. */
#define REGION_SHIFT 40
#define FIRST_PLACE (NEAR_BLOCKS >> REGION_SHIFT)
#define LAST_PLACE ((BLOCK_LIMIT >> REGION_SHIFT) - 1)
#define REGION_COUNT (1u << 20) /* of the smallest blocks, 16 bytes */
/* Those of a kernel, and of tags of 8 bits on pointers. More are numbers that are no addresses. */
#define MOST_REGIONS 1024
/* What one access has of them at most. */
#define MOST_FAR_BLOCKS (1u << 20)

/* One of libCacheSim's records: time, object, size, next access; all little endian. */
#define RECORD_BYTES 24
#define RECORD_OBJECT 4
#define RECORD_SIZE 12
#define RECORD_NEXT 16

/* Where numbers are too large for addresses. */
#define OBJECTS_HINT " (--objects takes an object's number as a name)"

struct regions {
   uint16_t places[REGION_COUNT]; /* of regions; 0: none yet */
   bool taken[LAST_PLACE + 1];
   unsigned count;
};

struct address_trace {
   struct input_file *file;
   char *name;
   struct address_options options;
   address_line_reader *read; /* NULL: it has no lines */
   struct address_lines lines;
   char *buffer;
   size_t begin, size; /* of what has been read and not yet decoded */
   bool at_end;
   bool has_accesses;
   uint64_t number; /* of lines, or records, decoded */
   /* The rest of an access that touches more blocks than a batch had room for. */
   uint64_t rest_block, rest_count;
   bool rest_write;
   uint8_t rest_stream;
   bool has_second;         /* lines.second is still to come */
   struct regions *regions; /* NULL: all blocks so far are near */
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

/* ---- blocks -------------------------------------------------------------- */

/* The number of a block that is not near. */
static bool __attribute__((cold))
place_block(struct address_trace *trace, uint64_t *block, char *error, unsigned long error_size)
{
   if (!trace->regions && !(trace->regions = calloc(1, sizeof *trace->regions)))
      return malformed(trace, error, error_size, "out of memory for addresses of 64 bits");
   struct regions *regions = trace->regions;
   const uint64_t region = *block >> REGION_SHIFT;
   uint16_t *place = &regions->places[region];
   if (!*place) {
      if (regions->count++ == MOST_REGIONS)
         return malformed(trace, error, error_size,
                          "more than %u regions of 2^%u bytes beyond address 2^%u: no addresses%s",
                          MOST_REGIONS, REGION_SHIFT + trace->options.block_shift,
                          55 + trace->options.block_shift,
                          address_format_has_objects(trace->options.format) ? OBJECTS_HINT : "");
      uint64_t free = FIRST_PLACE | (region & (FIRST_PLACE - 1));
      while (free > LAST_PLACE || regions->taken[free])
         free = free < LAST_PLACE ? free + 1 : FIRST_PLACE;
      regions->taken[free] = true;
      *place = (uint16_t)free;
   }
   *block = (uint64_t)*place << REGION_SHIFT | (*block & ((1ull << REGION_SHIFT) - 1));
   return true;
}

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
static bool
add_rest(struct address_trace *trace, struct address_batch *batch, char *error, unsigned long error_size)
{
   for (; trace->rest_count && batch->count < ADDRESS_BATCH; trace->rest_count--) {
      uint64_t block = trace->rest_block++;
      if (block >= NEAR_BLOCKS && !place_block(trace, &block, error, error_size))
         return false;
      add_block(batch, block, trace->rest_write, trace->rest_stream);
   }
   return true;
}

/* Of an access that is none of a program. */
static bool __attribute__((cold))
is_wild(const struct address_trace *trace, uint64_t address, uint64_t bytes, char *error,
        unsigned long error_size)
{
   const bool object = address_format_has_objects(trace->options.format);
   return malformed(trace, error, error_size, "%s 0x%llx of %llu bytes %s%s",
                    object ? "object" : "what is at", (unsigned long long)address, (unsigned long long)bytes,
                    address + bytes - 1 < address ? "ends beyond the largest address, 2^64 - 1"
                                                  : "is larger than anything at such an address",
                    object ? OBJECTS_HINT : "");
}

/* The blocks of an access. */
static inline bool
add_access(struct address_trace *trace, struct address_batch *batch, struct address_access access,
           char *error, unsigned long error_size)
{
   const unsigned shift = trace->options.block_shift;
   const uint64_t last_byte = access.address + (access.bytes ? access.bytes - 1 : 0);
   const uint64_t first = access.address >> shift, last = last_byte >> shift;
   if (last_byte < access.address)
      return is_wild(trace, access.address, access.bytes, error, error_size);
   if (first == last && last < NEAR_BLOCKS) {
      add_block(batch, first, access.write, access.stream);
      return true;
   }
   if (last >= NEAR_BLOCKS && last - first > MOST_FAR_BLOCKS)
      return is_wild(trace, access.address, access.bytes, error, error_size);
   trace->rest_block = first;
   trace->rest_count = last - first + 1;
   trace->rest_write = access.write;
   trace->rest_stream = access.stream;
   return add_rest(trace, batch, error, error_size);
}

/* What is invalidated, as its blocks are numbered. */
static bool
add_invalidation(struct address_trace *trace, struct address_batch *batch, char *error,
                 unsigned long error_size)
{
   const unsigned shift = trace->options.block_shift;
   batch->invalidates = true;
   batch->invalid_begin = trace->lines.invalid_begin;
   batch->invalid_end = trace->lines.invalid_end;
   if (batch->invalid_begin == batch->invalid_end || (batch->invalid_end - 1) >> shift < NEAR_BLOCKS)
      return true;
   uint64_t first = batch->invalid_begin >> shift, last = (batch->invalid_end - 1) >> shift;
   if (first >> REGION_SHIFT != last >> REGION_SHIFT)
      return malformed(trace, error, error_size,
                       "an invalidation across regions of 2^%u bytes beyond address 2^%u",
                       REGION_SHIFT + shift, 55 + shift);
   if (!place_block(trace, &first, error, error_size) || !place_block(trace, &last, error, error_size))
      return false;
   batch->invalid_begin = first << shift;
   batch->invalid_end = (last + 1) << shift;
   return true;
}

/* ---- batches ----------------------------------------------------------- */

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

/* Objects are named by numbers, often hashes of 64 bits: these lose their upper 8 bits to the
 * lower ones. Two of a million objects become one with a probability of 10^-5. */
static inline uint64_t
block_of_object(uint64_t object)
{
   const uint64_t block = (object ^ (object >> 56) * 0x9e3779b97f4a7c15ull) & BLOCK_LIMIT;
   return object < BLOCK_LIMIT ? object : block % BLOCK_LIMIT;
}

/* The access of a line that ends before `end`, and with it whatever else the line says. */
static bool
read_line(struct address_trace *trace, struct address_batch *batch, const char *line, const char *end,
          char *error, unsigned long error_size)
{
   struct address_access access = {.stream = 0};
   const enum address_line kind = trace->read(&trace->lines, line, end, &access);
   if (__builtin_expect(kind == ADDRESS_LINE_ACCESS && !trace->options.objects, 1))
      return add_access(trace, batch, access, error, error_size);
   switch (kind) {
   case ADDRESS_LINE_WRONG:
   case ADDRESS_LINE_UNSUPPORTED: return malformed(trace, error, error_size, "%s", trace->lines.problem);
   case ADDRESS_LINE_NOTHING: return true;
   case ADDRESS_LINE_INVALIDATION: return add_invalidation(trace, batch, error, error_size);
   default: break;
   }
   if (trace->options.objects) {
      add_block(batch, block_of_object(access.address), false, 0);
      return true;
   }
   trace->has_second = kind == ADDRESS_LINE_TWO_ACCESSES;
   return add_access(trace, batch, access, error, error_size);
}

static bool
read_lines(struct address_trace *trace, struct address_batch *batch, char *error, unsigned long error_size)
{
   while (batch->count < ADDRESS_BATCH) {
      if (trace->has_second) {
         trace->has_second = false;
         if (!add_access(trace, batch, trace->lines.second, error, error_size))
            return false;
         continue;
      }
      const char *line, *end;
      if (!next_line(trace, &line, &end, error, error_size))
         return false;
      if (!line)
         return true;
      line = cm_text_skip_spaces(line, end);
      if (address_line_is_comment(line, end))
         continue;
      if (!read_line(trace, batch, line, end, error, error_size))
         return false;
      if (batch->invalidates)
         return true;
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
         const struct address_access access = {.address = object, .bytes = record_size(record)};
         if (trace->options.objects)
            add_block(batch, block_of_object(object), false, 0);
         else if (!add_access(trace, batch, access, error, error_size))
            return false;
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
   if (!add_rest(trace, batch, error, error_size) ||
       !(trace->read ? read_lines : read_records)(trace, batch, error, error_size))
      return false;
   trace->has_accesses |= batch->count > 0;
   if (trace->has_accesses || batch->invalidates)
      return true;
   snprintf(error, error_size, "%s: the trace has no accesses", trace->name);
   return false;
}

/* ---- beginning ----------------------------------------------------------- */

/* What is no address trace, by its first bytes; NULL: it may be one. */
static const char *
name_content(const char *bytes, size_t size)
{
   static const struct {
      const char *bytes, *name;
   } contents[] = {
      {CM_RECORDING_MAGIC, "not an address trace but a recording; tbrsim export makes one of it"},
      {"BZh", "compressed with bzip2, which is not read; bzip2 -dc FILE | tbrsim cache ... - is"},
      {"\x04\x22\x4d\x18", "compressed with lz4, which is not read; lz4 -dc FILE | tbrsim cache ... - is"},
      {"\x1f\x9d", "compressed with compress, which is not read; zcat FILE | tbrsim cache ... - is"},
      {"PK\x03\x04", "not an address trace but a ZIP archive"},
      {"7z\xbc\xaf", "not an address trace but a 7z archive"},
      {"\xff\xfe", "text in UTF-16, expected ASCII"},
      {"\xfe\xff", "text in UTF-16, expected ASCII"},
      {"\x7f"
       "ELF",
       "not an address trace but a program"},
   };
   for (unsigned c = 0; c < sizeof contents / sizeof contents[0]; c++) {
      const size_t length = strlen(contents[c].bytes);
      if (size >= length && !memcmp(bytes, contents[c].bytes, length))
         return contents[c].name;
   }
   return NULL;
}

static bool
is_text(const char *text, size_t size)
{
   for (size_t i = 0; i < size; i++) {
      if ((unsigned char)text[i] >= 127 || (text[i] < ' ' && !memchr(" \t\r\n", text[i], 4)))
         return false;
   }
   return true;
}

/* Whether text has lines that end with a carriage return alone: their rest would be what follows an address. */
static bool
has_returns(const char *text, size_t size)
{
   const char *end = text + size;
   while ((text = memchr(text, '\r', (size_t)(end - text)))) {
      if (++text < end && *text != '\n' && *text != '\r')
         return true;
   }
   return false;
}

/* Whether some bytes are records: their times do not go back, and no next access is that of an earlier one. */
static bool
are_records(const char *bytes, size_t size)
{
   uint32_t before = 0;
   int64_t number = 0;
   for (const char *record = bytes; record + RECORD_BYTES <= bytes + size; record += RECORD_BYTES, number++) {
      uint32_t time;
      int64_t next;
      memcpy(&time, record, sizeof time);
      memcpy(&next, record + RECORD_NEXT, sizeof next);
      time = le32toh(time);
      next = (int64_t)le64toh((uint64_t)next);
      if (time < before || (next >= 0 && next <= number))
         return false;
      before = time;
   }
   return number > 0;
}

/* The format of a text, of which the buffer has the beginning. */
static bool
detect_text(struct address_trace *trace, char *error, unsigned long error_size)
{
   enum address_format *format = &trace->options.format;
   const char *first;
   enum address_guess guess = ADDRESS_GUESS_NO_LINE;
   for (size_t wanted = SAMPLE_BYTES; guess == ADDRESS_GUESS_NO_LINE; wanted = LINE_MAX_BYTES + 1) {
      if (!fill_buffer(trace, wanted, error, error_size))
         return false;
      const char *text = trace->buffer + trace->begin;
      const size_t size = trace->size < wanted ? trace->size : wanted;
      const bool whole = trace->at_end && size == trace->size;
      guess = address_format_guess(text, size, whole, format, &first);
      if (guess == ADDRESS_GUESS_NO_LINE && (whole || wanted > LINE_MAX_BYTES))
         break;
   }
   const char *end = trace->buffer + trace->begin + trace->size;
   switch (guess) {
   case ADDRESS_GUESS_NO_LINE:
      snprintf(error, error_size,
               trace->at_end ? "%s: the trace has no accesses"
                             : "%s: begins with comments alone; see --format",
               trace->name);
      return false;
   case ADDRESS_GUESS_AMBIGUOUS:
      snprintf(error, error_size,
               "%s: it can be of the formats din and ramulator-cpu; --format says which of them it is",
               trace->name);
      return false;
   case ADDRESS_GUESS_UNKNOWN: {
      const char *newline = memchr(first, '\n', (size_t)(end - first));
      snprintf(error, error_size, "%s: '%s' is a line of no known format; see --format", trace->name,
               address_line_show(first, newline ? newline : end).text);
      return false;
   }
   default: return true;
   }
}

/* The format of what the buffer begins with. */
static bool
detect(struct address_trace *trace, char *error, unsigned long error_size)
{
   const char *bytes = trace->buffer + trace->begin;
   const size_t size = trace->size < SAMPLE_BYTES ? trace->size : SAMPLE_BYTES;
   const char *content = name_content(bytes, size);
   if (content) {
      snprintf(error, error_size, "%s: %s", trace->name, content);
      return false;
   }
   if (is_text(bytes, size))
      return detect_text(trace, error, error_size);
   trace->options.format = ADDRESS_FORMAT_ORACLEGENERAL;
   if (are_records(bytes, size))
      return true;
   snprintf(
      error, error_size,
      "%s: neither text nor records of oraclegeneral, whose times never go back, nor their next accesses "
      "(--format oraclegeneral reads it as such)",
      trace->name);
   return false;
}

/* Reads the beginning and finds out the format. */
static bool
begin(struct address_trace *trace, char *error, unsigned long error_size)
{
   static const char byte_order_mark[] = "\xef\xbb\xbf";
   enum address_format *format = &trace->options.format;
   if (!fill_buffer(trace, SAMPLE_BYTES, error, error_size))
      return false;
   if (!trace->size) {
      snprintf(error, error_size, "%s: the trace is empty", trace->name);
      return false;
   }
   if (*format != ADDRESS_FORMAT_ORACLEGENERAL && trace->size >= 3 &&
       !memcmp(trace->buffer, byte_order_mark, 3)) {
      trace->begin += 3;
      trace->size -= 3;
   }
   if (*format == ADDRESS_FORMAT_AUTO && !detect(trace, error, error_size))
      return false;
   if (*format != ADDRESS_FORMAT_ORACLEGENERAL && has_returns(trace->buffer + trace->begin, trace->size)) {
      snprintf(error, error_size,
               "%s: lines that end with carriage returns alone; tr '\\r' '\\n' makes text of it",
               trace->name);
      return false;
   }
   trace->read = address_line_readers[*format];
   if (!trace->options.objects || address_format_has_objects(*format))
      return true;
   snprintf(error, error_size, "%s: --objects: %s has addresses", trace->name, address_format_names[*format]);
   return false;
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
   if (!trace->name || !trace->buffer)
      snprintf(error, error_size, "%s: out of memory", name);
   else if (begin(trace, error, error_size))
      return trace;
   address_trace_close(trace);
   return NULL;
}

void
address_trace_close(struct address_trace *trace)
{
   if (!trace)
      return;
   input_file_close(trace->file);
   free(trace->regions);
   free(trace->buffer);
   free(trace->name);
   free(trace);
}
