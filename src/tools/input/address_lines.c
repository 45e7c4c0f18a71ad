/* SPDX-License-Identifier: MIT */
#include "input/address_lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "access/access_text.h"
#include "config/names.h"

const char *const address_format_names[ADDRESS_FORMAT_COUNT] = {"auto",      "din",           "oraclegeneral",
                                                                "plain",     "streams",       "dramsim3",
                                                                "ramulator", "ramulator-cpu", "lackey",
                                                                "csv"};

struct address_shown
address_line_show(const char *begin, const char *end)
{
   struct address_shown shown = {0};
   unsigned length = 0;
   for (; begin < end && length < ADDRESS_SHOWN_BYTES; begin++)
      shown.text[length++] = *begin >= ' ' && *begin <= '~' ? *begin : '?';
   if (begin < end)
      strcpy(shown.text + length, "...");
   return shown;
}

/* "'LINE'MESSAGE" is the problem. */
static void
complain(struct address_lines *lines, const char *line, const char *end, const char *message)
{
   snprintf(lines->problem, sizeof lines->problem, "'%s'%s", address_line_show(line, end).text, message);
}

static enum address_line
wrong(struct address_lines *lines, const char *line, const char *end, const char *message)
{
   complain(lines, line, end, message);
   return ADDRESS_LINE_WRONG;
}

/* ---- words --------------------------------------------------------------- */

static const char *
word_end(const char *text, const char *end)
{
   while (text < end && cm_text_skip_spaces(text, end) == text)
      text++;
   return text;
}

static bool
is_digit(char c)
{
   return c >= '0' && c <= '9';
}

/* A decimal number of up to 64 bits. Returns its end; NULL: there is none. */
static const char *
read_decimal(const char *text, const char *end, uint64_t *value)
{
   const char *begin = text;
   uint64_t number = 0;
   for (; text < end && is_digit(*text); text++) {
      if (__builtin_mul_overflow(number, 10, &number) ||
          __builtin_add_overflow(number, (uint64_t)(*text - '0'), &number))
         return NULL;
   }
   *value = number;
   return text > begin ? text : NULL;
}

/* The same, before a space or the end. */
static const char *
read_decimal_word(const char *text, const char *end, uint64_t *value)
{
   text = read_decimal(text, end, value);
   return text && (text == end || word_end(text, end) == text) ? text : NULL;
}

/* The same, or hexadecimal with 0x. */
static const char *
read_number(const char *text, const char *end, uint64_t *value)
{
   const bool hexadecimal = end - text > 2 && text[0] == '0' && (text[1] | 32) == 'x';
   return hexadecimal ? cm_text_hexadecimal(text, end, value) : read_decimal_word(text, end, value);
}

static bool
is_end(const char *text, const char *end)
{
   return cm_text_skip_spaces(text, end) == end;
}

/* ---- formats ----------------------------------------------------------- */

static enum address_line
read_din(struct address_lines *lines, const char *line, const char *end, struct address_access *access)
{
   static const char expected[] =
      ", expected \"LABEL ADDRESS\" with label 0 to 3, or \"r|w|i|m ADDRESS SIZE\"";
   const char *text = cm_text_skip_spaces(line + 1, end);
   if (text == line + 1 || text == end)
      return wrong(lines, line, end, expected);
   bool extended = false;
   access->write = false;
   access->bytes = 1;
   switch (line[0]) {
   case '1': access->write = true; break;
   case '0':
   case '2':
   case '3': break;
   case 'w': access->write = true; __attribute__((fallthrough));
   case 'r':
   case 'i':
   case 'm': extended = true; break;
   case '4':
   case '5':
   case 'c':
   case 'v':
      snprintf(lines->problem, sizeof lines->problem, "label %c: flushes and copies back cannot be simulated",
               line[0]);
      return ADDRESS_LINE_UNSUPPORTED;
   default: return wrong(lines, line, end, expected);
   }
   text = cm_text_hexadecimal(text, end, &access->address);
   if (!text)
      return wrong(lines, line, end, " has no hexadecimal address of up to 64 bits");
   if (extended && !cm_text_hexadecimal(cm_text_skip_spaces(text, end), end, &access->bytes))
      return wrong(lines, line, end, " has no hexadecimal size");
   return ADDRESS_LINE_ACCESS;
}

static enum address_line
read_plain(struct address_lines *lines, const char *line, const char *end, struct address_access *access)
{
   const char kind = (char)(line[0] | 32);
   const char *rest = cm_text_address(line + 1, end, &access->address);
   access->write = kind == 'w';
   access->bytes = 1;
   if ((kind == 'r' || kind == 'w') && rest && is_end(rest, end))
      return ADDRESS_LINE_ACCESS;
   return wrong(lines, line, end, ", expected \"R 0xADDRESS\" or \"W 0xADDRESS\"");
}

static enum address_line
read_streams(struct address_lines *lines, const char *line, const char *end, struct address_access *access)
{
   struct cm_unit_arrival arrival;
   const char *at, *expected;
   switch (cm_access_text_read(line, end, &arrival, &at, &expected)) {
   case CM_ARRIVAL_NONE:
      snprintf(lines->problem, sizeof lines->problem, "'%s', expected %s", address_line_show(at, end).text,
               expected);
      return ADDRESS_LINE_WRONG;
   case CM_ARRIVAL_ACCESS:
      access->address = arrival.address;
      access->bytes = 1;
      access->write = arrival.access != CM_READ;
      access->stream = (uint8_t)arrival.stream;
      return ADDRESS_LINE_ACCESS;
   case CM_ARRIVAL_INVALIDATION:
      lines->invalid_begin = arrival.address;
      lines->invalid_end = arrival.end;
      return ADDRESS_LINE_INVALIDATION;
   default: return ADDRESS_LINE_NOTHING;
   }
}

/* Whether a word is one of these; *is_write: one from the second list. */
static bool
read_operation(const char *word, const char *end, const char *const *reads, const char *const *writes,
               bool *is_write)
{
   char text[16] = "";
   if (end - word >= (long)sizeof text)
      return false;
   memcpy(text, word, (size_t)(end - word));
   for (*is_write = false; *reads; reads++) {
      if (cm_name_is(text, *reads))
         return true;
   }
   for (*is_write = true; *writes; writes++) {
      if (cm_name_is(text, *writes))
         return true;
   }
   return false;
}

/* An address, an operation, and what is read of the rest: a cycle. DRAMsim2's operations are those of its "k6" and
 * "mase" traces. */
static enum address_line
read_dramsim3(struct address_lines *lines, const char *line, const char *end, struct address_access *access)
{
   static const char *const reads[] = {"READ", "P_MEM_RD", "P_FETCH", "IFETCH", NULL};
   static const char *const writes[] = {"WRITE", "P_MEM_WR", NULL};
   const char *operation = cm_text_hexadecimal(line, end, &access->address);
   operation = operation ? cm_text_skip_spaces(operation, end) : end;
   const char *rest = word_end(operation, end);
   uint64_t cycle;
   access->bytes = 1;
   if (!read_operation(operation, rest, reads, writes, &access->write))
      return wrong(lines, line, end, ", expected \"0xADDRESS READ|WRITE CYCLE\"");
   rest = read_decimal(cm_text_skip_spaces(rest, end), end, &cycle);
   if (!rest || !is_end(rest, end))
      return wrong(lines, line, end, " has no decimal cycle at its end");
   return ADDRESS_LINE_ACCESS;
}

/* Ramulator's "0x1fc0 R", Ramulator 2's "LD 0x1fc0" and "ST 8128". */
static enum address_line
read_ramulator(struct address_lines *lines, const char *line, const char *end, struct address_access *access)
{
   static const char *const reads[] = {"R", NULL}, *const writes[] = {"W", NULL};
   static const char *const loads[] = {"LD", NULL}, *const stores[] = {"ST", NULL};
   const char *second = word_end(line, end);
   const char *first_end = second;
   second = cm_text_skip_spaces(second, end);
   access->bytes = 1;
   if (read_operation(line, first_end, loads, stores, &access->write)) {
      const char *rest = read_number(second, end, &access->address);
      if (rest && is_end(rest, end))
         return ADDRESS_LINE_ACCESS;
   } else if (cm_text_hexadecimal(line, end, &access->address)) {
      const char *rest = word_end(second, end);
      if (read_operation(second, rest, reads, writes, &access->write) && is_end(rest, end))
         return ADDRESS_LINE_ACCESS;
   } else if (first_end == line + 1 && (*line == 'R' || *line == 'W') &&
              memchr(second, ',', (size_t)(end - second))) {
      complain(lines, line, end,
               ": channels, ranks, banks and rows are no addresses; expected \"LD|ST ADDRESS\"");
      return ADDRESS_LINE_UNSUPPORTED;
   }
   return wrong(lines, line, end, ", expected \"0xADDRESS R|W\" or \"LD|ST ADDRESS\"");
}

/* Instructions before an access, what it reads, and what it evicts and writes back. */
static enum address_line
read_ramulator_cpu(struct address_lines *lines, const char *line, const char *end,
                   struct address_access *access)
{
   uint64_t bubbles;
   const char *rest = read_decimal_word(line, end, &bubbles);
   rest = rest ? read_number(cm_text_skip_spaces(rest, end), end, &access->address) : NULL;
   access->write = false;
   access->bytes = 1;
   if (rest && is_end(rest, end))
      return ADDRESS_LINE_ACCESS;
   lines->second = (struct address_access){.bytes = 1, .write = true};
   rest = rest ? read_number(cm_text_skip_spaces(rest, end), end, &lines->second.address) : NULL;
   if (rest && is_end(rest, end))
      return ADDRESS_LINE_TWO_ACCESSES;
   return wrong(lines, line, end,
                ", expected \"INSTRUCTIONS READ-ADDRESS\" or \"INSTRUCTIONS READ-ADDRESS WRITE-ADDRESS\"");
}

/* What valgrind says of itself, and its program: "==4711== …". */
static bool
is_valgrind(const char *line, const char *end)
{
   return end - line > 2 && (line[0] == '=' || line[0] == '-') && line[1] == line[0] && is_digit(line[2]);
}

static enum address_line
read_lackey(struct address_lines *lines, const char *line, const char *end, struct address_access *access)
{
   if (is_valgrind(line, end))
      return ADDRESS_LINE_NOTHING;
   const char *text = cm_text_skip_spaces(line + 1, end);
   const char *comma = memchr(text, ',', (size_t)(end - text));
   const char *rest = comma ? read_decimal(comma + 1, end, &access->bytes) : NULL;
   access->write = *line == 'S';
   if (text == line + 1 || !memchr("ILSM", *line, 4) || !rest || !is_end(rest, end) ||
       cm_text_hexadecimal(text, comma, &access->address) != comma)
      return wrong(lines, line, end, ", expected \"I|L|S|M ADDRESS,SIZE\"");
   lines->second = *access;
   lines->second.write = true;
   return *line == 'M' ? ADDRESS_LINE_TWO_ACCESSES : ADDRESS_LINE_ACCESS;
}

/* The next field of a line, without spaces around it. False at the end of the line. */
static bool
next_field(const char **text, const char *end, const char **begin, const char **field_end)
{
   if (*text > end)
      return false;
   const char *comma = memchr(*text, ',', (size_t)(end - *text));
   *field_end = comma ? comma : end;
   *begin = cm_text_skip_spaces(*text, *field_end);
   *text = *field_end + 1;
   while (*field_end > *begin && cm_text_skip_spaces(*field_end - 1, *field_end) == *field_end)
      (*field_end)--;
   return true;
}

/* The columns that a header names; without one, those that libCacheSim's examples have: time, object, size, and perhaps
 * one more. */
static enum address_line
read_header(struct address_lines *lines, const char *line, const char *end)
{
   static const char *const objects[] = {"obj_id", "obj-id", "object", "object_id", "address", "addr", NULL};
   static const char *const sizes[] = {"obj_size", "obj-size", "size", "object_size", "bytes", NULL};
   const char *text = line, *begin, *field_end;
   unsigned columns = 0, numbers = 0, object = 0, size = 0;
   while (next_field(&text, end, &begin, &field_end)) {
      uint64_t number;
      bool is_size;
      numbers += numbers == columns && read_number(begin, field_end, &number) == field_end;
      columns++;
      if (read_operation(begin, field_end, objects, sizes, &is_size))
         *(is_size ? &size : &object) = columns;
   }
   const bool named = object;
   if (!named && numbers < 3)
      return wrong(lines, line, end,
                   ", expected a header with a column obj_id, or three numbers: time, object, size");
   if (!named && columns > 4) {
      complain(lines, line, end,
               ": which of its columns is the object? expected a header with a column obj_id");
      return ADDRESS_LINE_UNSUPPORTED;
   }
   lines->object_column = named ? object : 2;
   lines->size_column = named ? size : 3;
   return named ? ADDRESS_LINE_NOTHING : ADDRESS_LINE_ACCESS;
}

static enum address_line
read_csv(struct address_lines *lines, const char *line, const char *end, struct address_access *access)
{
   if (!lines->object_column) {
      const enum address_line header = read_header(lines, line, end);
      if (header != ADDRESS_LINE_ACCESS)
         return header;
   }
   const char *text = line, *begin, *field_end;
   bool has_object = false, has_size = !lines->size_column;
   access->write = false;
   access->bytes = 1;
   for (unsigned column = 1; next_field(&text, end, &begin, &field_end); column++) {
      if (column == lines->object_column)
         has_object = read_number(begin, field_end, &access->address) == field_end;
      if (column == lines->size_column)
         has_size = read_decimal(begin, field_end, &access->bytes) == field_end;
   }
   if (has_object && has_size)
      return ADDRESS_LINE_ACCESS;
   return wrong(lines, line, end,
                has_object ? " has no number as its size"
                           : " has no number as its object; names are no addresses");
}

address_line_reader *const address_line_readers[ADDRESS_FORMAT_COUNT] = {
   [ADDRESS_FORMAT_DIN] = read_din,
   [ADDRESS_FORMAT_PLAIN] = read_plain,
   [ADDRESS_FORMAT_STREAMS] = read_streams,
   [ADDRESS_FORMAT_DRAMSIM3] = read_dramsim3,
   [ADDRESS_FORMAT_RAMULATOR] = read_ramulator,
   [ADDRESS_FORMAT_RAMULATOR_CPU] = read_ramulator_cpu,
   [ADDRESS_FORMAT_LACKEY] = read_lackey,
   [ADDRESS_FORMAT_CSV] = read_csv,
};

/* ---- detection ---------------------------------------------------------- */

static bool
is_of(enum address_format format, const char *line, const char *end)
{
   struct address_lines lines = {0};
   struct address_access access;
   address_line_reader *read = address_line_readers[format];
   return read && read(&lines, line, end, &access) != ADDRESS_LINE_WRONG;
}

/* The next whole line that says something; NULL: there is none. */
static const char *
next_line(const char **text, const char *end, bool whole, const char **line_end)
{
   while (*text < end) {
      const char *newline = memchr(*text, '\n', (size_t)(end - *text));
      if (!newline && !whole)
         return NULL;
      *line_end = newline ? newline : end;
      const char *line = cm_text_skip_spaces(*text, *line_end);
      *text = newline ? newline + 1 : end;
      if (!address_line_is_comment(line, *line_end) && !is_valgrind(line, *line_end))
         return line;
   }
   return NULL;
}

/* A line of ramulator-cpu may be one of din: "1 20734016". That its address is decimal shows in that many have no letter;
 * in a second address, where din has nothing that is read; in that all are of whole blocks as decimal numbers, but not of
 * whole words as hexadecimal ones. */
#define MANY_ADDRESSES 64
#define FEWEST_DIGITS 5
#define LEAST_ADDRESS 1024
#define CACHE_BLOCK 64
#define CACHE_WORD 4
struct decimals {
   unsigned addresses; /* with some digits; of these: */
   bool not_words;     /* one is no multiple of a word as a hexadecimal number */
   bool not_blocks;    /* one is no multiple of a block as a decimal number */
   bool two;           /* a line has two addresses */
};

static void
look_for_decimals(const char *line, const char *end, struct decimals *decimals)
{
   struct address_lines lines = {0};
   struct address_access access;
   uint64_t hexadecimal = 0;
   const enum address_line kind = read_ramulator_cpu(&lines, line, end, &access);
   const char *address = cm_text_skip_spaces(word_end(line, end), end);
   cm_text_hexadecimal(address, end, &hexadecimal);
   decimals->two |= kind == ADDRESS_LINE_TWO_ACCESSES && lines.second.address >= LEAST_ADDRESS;
   const bool says_hexadecimal = end - address > 1 && (address[1] | 32) == 'x';
   if (says_hexadecimal || word_end(address, end) - address < FEWEST_DIGITS)
      return;
   decimals->addresses++;
   decimals->not_words |= hexadecimal % CACHE_WORD != 0;
   decimals->not_blocks |= access.address % CACHE_BLOCK != 0;
}

/* Which of din and ramulator-cpu a text is, from a line on that can be both. */
static enum address_guess
guess_numbers(const char *line, const char *line_end, const char *text, const char *end, bool whole,
              enum address_format *format)
{
   struct decimals decimals = {0};
   *format = ADDRESS_FORMAT_DIN;
   for (; line; line = next_line(&text, end, whole, &line_end)) {
      const bool din = is_of(ADDRESS_FORMAT_DIN, line, line_end);
      const bool cpu = is_of(ADDRESS_FORMAT_RAMULATOR_CPU, line, line_end);
      if (din && !cpu)
         return ADDRESS_GUESS_FORMAT;
      if (cpu)
         look_for_decimals(line, line_end, &decimals);
      if (cpu && !din && decimals.addresses) {
         *format = ADDRESS_FORMAT_RAMULATOR_CPU;
         return ADDRESS_GUESS_FORMAT;
      }
   }
   return decimals.two || decimals.addresses >= MANY_ADDRESSES || (decimals.not_words && !decimals.not_blocks)
             ? ADDRESS_GUESS_AMBIGUOUS
             : ADDRESS_GUESS_FORMAT;
}

enum address_guess
address_format_guess(const char *text, size_t size, bool whole, enum address_format *format,
                     const char **first)
{
   const char *end = text + size, *line_end;
   const char *line = next_line(&text, end, whole, &line_end);
   *first = line;
   if (!line)
      return ADDRESS_GUESS_NO_LINE;
   if (is_of(ADDRESS_FORMAT_DIN, line, line_end) && is_of(ADDRESS_FORMAT_RAMULATOR_CPU, line, line_end))
      return guess_numbers(line, line_end, text, end, whole, format);
   for (unsigned f = ADDRESS_FORMAT_AUTO + 1; f < ADDRESS_FORMAT_COUNT; f++) {
      *format = (enum address_format)f;
      if (is_of(*format, line, line_end))
         return ADDRESS_GUESS_FORMAT;
   }
   return ADDRESS_GUESS_UNKNOWN;
}
