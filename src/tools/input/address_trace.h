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
 *    dramsim3        DRAMsim3's: "0x1FC0 READ 17"
 *    ramulator       Ramulator's of memory: "0x1fc0 R"; Ramulator 2's: "LD 0x1fc0", "ST 8128"
 *    ramulator-cpu   Ramulator's of processors: "17 8128", "3 8128 4096"
 *    lackey          of valgrind --tool=lackey --trace-mem=yes: " L 1fc0,4"
 *    csv             libCacheSim's: time, object, size, or what a header says
 */
#ifndef ADDRESS_TRACE_H
#define ADDRESS_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "input/address_lines.h"
#include "input/input_file.h"

/** How a trace is read. */
struct address_options {
   enum address_format format;
   unsigned block_shift; /**< log2 of a block's bytes */
   /** oraclegeneral, csv: an object's number is that of a block, its size does not matter. */
   bool objects;
};

#define ADDRESS_BATCH 4096

/** The next accesses of a trace, one for each block touched. */
struct address_batch {
   unsigned count;
   unsigned writes; /**< of them */
   /** addresses >> block_shift; less than 2^56 - 1. If an address is beyond 2^55 blocks, its upper bits are changed:
    * different blocks have different numbers. */
   uint64_t blocks[ADDRESS_BATCH];
   bool is_write[ADDRESS_BATCH];   /**< set where writes > 0 */
   bool has_streams;               /**< the trace names the accesses' streams */
   uint8_t streams[ADDRESS_BATCH]; /**< enum cm_stream; set where has_streams */
   /** After these accesses, the blocks between two byte addresses (the second excluded) are invalidated. */
   bool invalidates;
   uint64_t invalid_begin, invalid_end;
};

struct address_trace;

/** Begins to read a file, which is closed with the trace. NULL with a message in error, and the
 * file closed, if it is not a trace. */
struct address_trace *
address_trace_open(struct input_file *file, const char *name, const struct address_options *options,
                   char *error, unsigned long error_size);
void address_trace_close(struct address_trace *trace);

/** Reads the next batch, which has an access or invalidates blocks except at the end. False with a message
 * in error that names the line or record where the trace is malformed, or where it has no accesses at all. */
bool address_trace_read(struct address_trace *trace, struct address_batch *batch, char *error,
                        unsigned long error_size);

#endif
