/* SPDX-License-Identifier: MIT */
/** The lines of the text formats of address traces (address_trace.h): the meaning of each, and the format of a text. */
#ifndef ADDRESS_LINES_H
#define ADDRESS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum address_format {
   ADDRESS_FORMAT_AUTO, /**< detected from the beginning of the trace */
   ADDRESS_FORMAT_DIN,
   ADDRESS_FORMAT_ORACLEGENERAL, /**< the only one without lines */
   ADDRESS_FORMAT_PLAIN,
   ADDRESS_FORMAT_STREAMS,
   ADDRESS_FORMAT_DRAMSIM3,
   ADDRESS_FORMAT_RAMULATOR,
   ADDRESS_FORMAT_RAMULATOR_CPU,
   ADDRESS_FORMAT_LACKEY,
   ADDRESS_FORMAT_CSV,
   ADDRESS_FORMAT_COUNT
};
extern const char *const address_format_names[ADDRESS_FORMAT_COUNT];

/** Whether a format has objects, whose numbers may be names. */
static inline bool
address_format_has_objects(enum address_format format)
{
   return format == ADDRESS_FORMAT_ORACLEGENERAL || format == ADDRESS_FORMAT_CSV;
}

struct address_access {
   uint64_t address;
   uint64_t bytes; /**< 0 means 1 */
   bool write;
   uint8_t stream; /**< enum cm_stream; set where the format has them */
};

/** What a line says. */
enum address_line {
   ADDRESS_LINE_WRONG,       /**< it is not in the format */
   ADDRESS_LINE_UNSUPPORTED, /**< it is, and says what cannot be simulated */
   ADDRESS_LINE_NOTHING,     /**< nothing that matters to a cache */
   ADDRESS_LINE_ACCESS,
   ADDRESS_LINE_TWO_ACCESSES, /**< one, and then `second` */
   ADDRESS_LINE_INVALIDATION, /**< of the bytes from invalid_begin to invalid_end (excluded) */
};

/** State from the earlier lines of a trace. Begins as zeros. */
struct address_lines {
   struct address_access second;
   uint64_t invalid_begin, invalid_end;
   /** csv, once the first line has been read: columns of objects and of their sizes, from 1 on; no sizes: 0. */
   unsigned object_column, size_column;
   char problem[200]; /**< of a line that is WRONG or UNSUPPORTED: "'X 0x80', expected …" */
};

/** Reads the next line, which is not empty, does not begin with spaces, and ends before `end`. */
typedef enum address_line address_line_reader(struct address_lines *lines, const char *line, const char *end,
                                              struct address_access *access);

/** By format; NULL where it has no lines. */
extern address_line_reader *const address_line_readers[ADDRESS_FORMAT_COUNT];

/** What the beginning of a text says about its format. */
enum address_guess {
   ADDRESS_GUESS_FORMAT,
   ADDRESS_GUESS_NO_LINE,   /**< it has no whole line that says something */
   ADDRESS_GUESS_UNKNOWN,   /**< its first line that says something is of no format; *first is there */
   ADDRESS_GUESS_AMBIGUOUS, /**< it can be din or ramulator-cpu; taking one for the other would be wrong */
};

/** Guesses the format of a text; all of it where it is whole, so that its last line needs no end. */
enum address_guess address_format_guess(const char *text, size_t size, bool whole,
                                        enum address_format *format, const char **first);

/** Whether a line says nothing in any format: it is empty (without its spaces), or a comment. */
static inline bool
address_line_is_comment(const char *line, const char *end)
{
   return line == end || *line == '#';
}

/** Part of a line, for a message. */
#define ADDRESS_SHOWN_BYTES 40
struct address_shown {
   char text[ADDRESS_SHOWN_BYTES + 4];
};
struct address_shown address_line_show(const char *begin, const char *end);

#endif
