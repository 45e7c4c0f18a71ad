/* SPDX-License-Identifier: MIT */
/**
 * Address traces of other programs, as the blocks that they access. The
 * formats (docs/caches.md):
 *
 *    din             Dinero's text: "0 1fc0" (the rest of the line is ignored), and
 *                    Dinero IV's extended one: "r 1fc0 4"
 *    oraclegeneral   libCacheSim's binary records of 24 bytes
 *    plain           text: "R 0x1fc0", "W 0x2000"
 *    streams         what `tbrsim export --format streams` writes: "R 0x1fc0 texture"; "I 0x1000 0x2000"
 *                    invalidates the blocks from an address to another (excluded), "F" ends a frame
 */
#ifndef ADDRESS_TRACE_H
#define ADDRESS_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "input_file.h"

enum address_format {
   ADDRESS_FORMAT_AUTO, /**< detected from the beginning of the trace */
   ADDRESS_FORMAT_DIN,
   ADDRESS_FORMAT_ORACLEGENERAL,
   ADDRESS_FORMAT_PLAIN,
   ADDRESS_FORMAT_STREAMS,
   ADDRESS_FORMAT_COUNT
};
extern const char *const address_format_names[ADDRESS_FORMAT_COUNT];

/** How a trace is read. */
struct address_options {
   enum address_format format;
   unsigned block_shift; /**< log2 of a block's bytes */
   /** oraclegeneral: an object's number is that of a block, its size does not matter. */
   bool objects;
};

#define ADDRESS_BATCH 4096

/** The next accesses of a trace, one for each block touched. */
struct address_batch {
   unsigned count;
   unsigned writes;                /**< of them */
   uint64_t blocks[ADDRESS_BATCH]; /**< addresses >> block_shift; less than 2^56 - 1 */
   bool is_write[ADDRESS_BATCH];   /**< set where writes > 0 */
   bool has_streams;               /**< the trace names the accesses' streams */
   uint8_t streams[ADDRESS_BATCH]; /**< enum cm_stream; set where has_streams */
   /** After these accesses, the blocks between two byte addresses (the second excluded) are invalidated. */
   bool invalidates;
   uint64_t invalid_begin, invalid_end;
};

struct address_trace;

/** Begins to read a file, which is closed with the trace. NULL with a message in error, and the
 * file closed, where it is no trace. */
struct address_trace *
address_trace_open(struct input_file *file, const char *name, const struct address_options *options,
                   char *error, unsigned long error_size);
void address_trace_close(struct address_trace *trace);

/** Reads the next batch, which has an access or invalidates blocks except at the end. False with a message
 * in error that names the line or record where the trace is malformed. */
bool address_trace_read(struct address_trace *trace, struct address_batch *batch, char *error,
                        unsigned long error_size);

#endif
