/* SPDX-License-Identifier: MIT */
/** Reads the chunks of a recording's file. One thread at a time uses a reader; several readers read the same file. */
#ifndef CM_RECORDING_CHUNKS_H
#define CM_RECORDING_CHUNKS_H

#include "events/recording_format.h"

struct ZSTD_DCtx_s;

struct cm_chunk_reader {
   const char *path; /**< for messages */
   int file;
   uint64_t file_bytes;
   uint32_t version;
   char damage[512];   /**< the line about what is wrong; empty: nothing */
   bool out_of_memory; /**< that is what is wrong, and not the file */
   struct ZSTD_DCtx_s *decompressor;
   struct cm_byte_writer stored, payload; /**< the last payload read */
};

/** path and file must outlive it. False when out of memory; cm_chunk_reader_finish is fine then. */
bool cm_chunk_reader_init(struct cm_chunk_reader *reader, const char *path, int file, uint64_t file_bytes);
void cm_chunk_reader_finish(struct cm_chunk_reader *reader);

/** Records damage at an offset. Returns false. */
bool cm_chunks_damaged(struct cm_chunk_reader *reader, uint64_t offset, const char *format, ...)
   __attribute__((format(printf, 3, 4)));
/** The same of lack of memory for something: the file may be as it should. */
bool cm_chunks_lack_memory(struct cm_chunk_reader *reader, const char *what);
/** The same of what a decoder says, which has words for both. */
bool cm_chunks_are_wrong(struct cm_chunk_reader *reader, uint64_t offset, const char *wrong);

/** Those that return false have recorded why. */
bool cm_chunks_read_at(struct cm_chunk_reader *reader, void *bytes, size_t n, uint64_t offset);
bool cm_chunks_read_header(struct cm_chunk_reader *reader, uint64_t offset, struct cm_chunk_header *header);
/** The same, but where there is no header, that is no damage. */
bool cm_chunks_find_header(struct cm_chunk_reader *reader, uint64_t offset, struct cm_chunk_header *header);
/** Appends a chunk's content to the payload. */
bool cm_chunks_read(struct cm_chunk_reader *reader, uint64_t offset, const struct cm_chunk_header *header);
/** Reads the payload that begins with the chunk at *offset, and advances it. */
bool cm_chunks_read_payload(struct cm_chunk_reader *reader, uint64_t *offset, enum cm_chunk_type type);
struct cm_byte_reader cm_chunks_payload(const struct cm_chunk_reader *reader);

/* ---- the parts of a pass: descriptors, tiles' events and contents (recording_tiles.c) ---- */

struct cm_recorded_pass;
struct cm_recording;
struct cm_tile_reader;

/** Reads those of a pass. */
bool cm_chunks_read_tiles(struct cm_chunk_reader *reader, struct cm_recorded_pass *pass);
/** Where the parts end that begin at an offset. If the file is damaged before their end: where the damage is, which is not recorded;
 * cm_chunks_read_tiles finds it again. */
uint64_t cm_chunks_skip_tiles(struct cm_chunk_reader *reader, uint64_t offset);

const struct cm_chunk_reader *cm_recording_chunks(const struct cm_recording *recording);
const struct cm_chunk_reader *cm_tile_reader_chunks(const struct cm_tile_reader *reader);

#endif
