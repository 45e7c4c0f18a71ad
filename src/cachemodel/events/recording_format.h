/* SPDX-License-Identifier: MIT */
/** The constants and encodings of a recording, for writer and reader: docs/recording-format.md. */
#ifndef CM_RECORDING_FORMAT_H
#define CM_RECORDING_FORMAT_H

#include "util/byte_stream.h"
#include "events/event_stream.h"
#include "events/recording_check.h"
#include "events/recording_counts.h"
#include "events/shader_code.h"

#define CM_RECORDING_VERSION 14
#define CM_RECORDING_OLDEST_VERSION 4  /**< that is read */
#define CM_RECORDING_NAMES_VERSION 5   /**< the first with names */
#define CM_RECORDING_READS_VERSION 6   /**< the first with reads that have no events */
#define CM_RECORDING_STORAGE_VERSION 7 /**< the first with storage, indirect parameters and dispatches */
#define CM_RECORDING_STAGES_VERSION 8  /**< the first with tessellation and invocations of geometry shaders */
#define CM_RECORDING_VERTEX_READS_VERSION 9 /**< the first with texture reads of vertex shaders */
#define CM_RECORDING_ACCESSES_VERSION 10 /**< the first with all accesses of shaders before the rasterizer */
#define CM_RECORDING_ENDS_VERSION 11     /**< the first that says why a pass ended */
#define CM_RECORDING_REGIONS_VERSION 12  /**< the first that says how often regions of shaders ran */
#define CM_RECORDING_PARTS_VERSION 12    /**< the first that says which primitives are parts of a triangle */
#define CM_RECORDING_CONTENTS_VERSION 13 /**< the first with contents of tiles */
#define CM_RECORDING_ADDRESS_VERSION 14  /**< the first with accesses by address, and descriptors */
#define CM_RECORDING_MAGIC "\x89TBR\r\n\x1a\n"
#define CM_RECORDING_HEADER_BYTES 32
#define CM_CHUNK_MARKER "TBRC"
#define CM_CHUNK_HEADER_BYTES 28
#define CM_TRAILER_MAGIC "TBRINDEX"
#define CM_TRAILER_BYTES 20
/** The most bytes of a chunk, uncompressed; larger payloads take several. */
#define CM_CHUNK_LIMIT (8u << 20)
/** The most bytes of a payload, in one or several chunks. */
#define CM_PAYLOAD_LIMIT (1u << 30)

enum cm_chunk_type {
   CM_CHUNK_PROVENANCE = 1, /**< keys and values; the first chunk */
   CM_CHUNK_GPU,            /**< a simulated GPU begins: no resources, cold caches */
   CM_CHUNK_RESOURCES,      /**< descriptions of resources, names */
   CM_CHUNK_PASS,           /**< a pass without its tiles' events */
   CM_CHUNK_TILES,          /**< events of some tiles of the pass before */
   CM_CHUNK_FRAME_END,      /**< the frame's counts */
   CM_CHUNK_INDEX,          /**< where the frames begin; the last chunk */
   CM_CHUNK_CONTENTS,       /**< of the tiles of the pass before; after their events */
   CM_CHUNK_DESCRIPTORS,    /**< that the draws of the pass before name; before its tiles' events */
   CM_CHUNK_TYPES
};

#define CM_CHUNK_CONTINUED 1 /**< flag: the payload continues in the next chunk */

struct cm_chunk_header {
   uint8_t type, flags;
   uint32_t frame;        /**< frames that ended before it in the recording */
   uint32_t bytes;        /**< of the payload, uncompressed */
   uint32_t stored_bytes; /**< of the zstd frame that follows */
   uint32_t number;       /**< chunks before it */
};

void cm_chunk_header_store(uint8_t bytes[CM_CHUNK_HEADER_BYTES], const struct cm_chunk_header *header);
/** False where it is none, or damaged. */
bool cm_chunk_header_load(const uint8_t bytes[CM_CHUNK_HEADER_BYTES], struct cm_chunk_header *header);

/** CRC-32 (ISO-HDLC) of some bytes. */
uint32_t cm_crc32(const uint8_t *bytes, size_t n);

/* ---- payloads (recording_pass.c, recording_definitions.c) --------------- */

/** A pass without its tiles' events. */
void cm_encode_pass(struct cm_byte_writer *writer, const struct cm_pass *pass);
/** The same from bytes of that version of the file into a pass that is all zero; cm_pass_finish frees it. Returns
 * NULL, or the error. */
const char *cm_decode_pass(struct cm_byte_reader *reader, uint32_t version, struct cm_pass *pass);
void cm_pass_finish(struct cm_pass *pass);
/** Bytes of memory of a pass that was decoded. */
size_t cm_recorded_pass_bytes(const struct cm_pass *pass);

void cm_encode_resource(struct cm_byte_writer *writer, const struct cm_resource_description *resource);
/** Returns NULL, or the error. */
const char *
cm_decode_resource(struct cm_byte_reader *reader, uint32_t version, struct cm_resource_description *resource);

/** Definitions, one after another in a payload. */
void
cm_encode_resource_definition(struct cm_byte_writer *writer, const struct cm_resource_description *resource);
void cm_encode_name_definition(struct cm_byte_writer *writer, const struct cm_name *name);

void cm_encode_code_definition(struct cm_byte_writer *writer, const struct cm_shader_code *code);

/** A payload of definitions: first come the names, then the resources, then the codes of shaders. */
struct cm_definitions {
   struct cm_resource_description *resources;
   size_t num_resources;
   struct cm_name *names; /**< their texts are in the same memory */
   size_t num_names;
   struct cm_shader_code *codes; /**< their regions are in the same memory */
   size_t num_codes;
};

/** Reads a payload to its end. check: what the payloads before it, of the same GPU, have defined. Returns NULL, or
 * the error; cm_definitions_finish frees what was found, of which nothing is left after an error. */
const char *cm_decode_definitions(struct cm_byte_reader *reader, uint32_t version,
                                  struct cm_name_check *check, struct cm_definitions *found);
void cm_definitions_finish(struct cm_definitions *definitions);

/* ---- tiles' events (recording_encode.c, recording_decode.c) ----------------------------------- */

/** Encodes the events of some tiles. */
struct cm_tile_encoder;

struct cm_tile_encoder *cm_tile_encoder_create(void);
void cm_tile_encoder_destroy(struct cm_tile_encoder *encoder);
/** Adds the events of a tile from word `first` on; returns the word at which to continue
 * after cm_tile_encoder_finish, num_words where all are added, or SIZE_MAX where there is an event of
 * an unknown type. counts: shaded quads and footprints are added to it. */
size_t
cm_tile_encoder_add(struct cm_tile_encoder *encoder, uint32_t tile, const struct cm_tile_events *events,
                    size_t first, struct cm_recording_counts *counts);
/** Appends the payload of the events added since the last call, if any. */
void cm_tile_encoder_finish(struct cm_tile_encoder *encoder, struct cm_byte_writer *writer);

/** The descriptors that the draws of a pass name, if they name any (recording_descriptors.c). */
void cm_encode_descriptors(struct cm_byte_writer *writer, const struct cm_pass *pass);
/** Gives them to a pass that has its draws. Returns NULL, or the error; cm_pass_finish frees them. */
const char *cm_decode_descriptors(struct cm_byte_reader *reader, struct cm_pass *pass);

/** What is known of the tiles of a pass, which has contents (recording_contents.c). */
void cm_encode_contents(struct cm_byte_writer *writer, const struct cm_pass *pass);
/** Gives a pass contents, which it has none of. Returns NULL, or the error; cm_pass_finish frees them. */
const char *cm_decode_contents(struct cm_byte_reader *reader, struct cm_pass *pass);

/** Appends a payload's events, of that version of the file, to the tiles of a pass. Returns NULL, or the error. */
const char *cm_decode_tiles(struct cm_byte_reader *reader, uint32_t version, struct cm_pass *pass);

#endif
