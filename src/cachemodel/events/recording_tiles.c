/* SPDX-License-Identifier: MIT */
/* The parts of a pass in a recording: descriptors, tiles' events and contents. They depend on nothing but the pass, so that those
 * of several passes can be read at the same time. */
#include <assert.h>
#include <stdlib.h>

#include "events/recording.h"
#include "events/recording_chunks.h"

static bool
read_part(struct cm_chunk_reader *reader, uint64_t *offset, enum cm_chunk_type type, struct cm_pass *pass)
{
   const uint64_t begin = *offset;
   if (!cm_chunks_read_payload(reader, offset, type))
      return false;
   struct cm_byte_reader payload = cm_chunks_payload(reader);
   const char *wrong = type == CM_CHUNK_DESCRIPTORS ? cm_decode_descriptors(&payload, pass)
                       : type == CM_CHUNK_CONTENTS  ? cm_decode_contents(&payload, pass)
                                                    : cm_decode_tiles(&payload, reader->version, pass);
   return wrong ? cm_chunks_are_wrong(reader, begin, wrong) : true;
}

/* Why a part of a pass cannot be where it is; NULL: it can. */
static const char *
is_misplaced(uint32_t version, enum cm_chunk_type type, bool after_tiles)
{
   if (type == CM_CHUNK_CONTENTS && version < CM_RECORDING_CONTENTS_VERSION)
      return "contents of tiles, which recordings of this version do not have";
   if (type != CM_CHUNK_DESCRIPTORS)
      return NULL;
   if (version < CM_RECORDING_ADDRESS_VERSION)
      return "descriptors, which recordings of this version do not have";
   return after_tiles ? "descriptors after events of their pass' tiles" : NULL;
}

static bool
is_part(enum cm_chunk_type type)
{
   return type == CM_CHUNK_TILES || type == CM_CHUNK_DESCRIPTORS || type == CM_CHUNK_CONTENTS;
}

static bool
read_parts(struct cm_chunk_reader *reader, uint64_t offset, struct cm_pass *pass)
{
   struct cm_chunk_header header;
   bool after_tiles = false;
   while (cm_chunks_read_header(reader, offset, &header)) {
      const enum cm_chunk_type type = (enum cm_chunk_type)header.type;
      if (!is_part(type))
         return true;
      const char *wrong = is_misplaced(reader->version, type, after_tiles);
      if (wrong)
         return cm_chunks_are_wrong(reader, offset, wrong);
      if (!read_part(reader, &offset, type, pass))
         return false;
      if (type == CM_CHUNK_CONTENTS)
         return true;
      after_tiles |= type == CM_CHUNK_TILES;
   }
   return false;
}

bool
cm_chunks_read_tiles(struct cm_chunk_reader *reader, struct cm_recorded_pass *pass)
{
   assert(!pass->bytes && pass->parts);
   if (!read_parts(reader, pass->parts, &pass->pass))
      return false;
   pass->bytes = cm_recorded_pass_bytes(&pass->pass);
   return true;
}

uint64_t
cm_chunks_skip_tiles(struct cm_chunk_reader *reader, uint64_t offset)
{
   struct cm_chunk_header header;
   bool is_last = false;
   while (!is_last && cm_chunks_find_header(reader, offset, &header) &&
          is_part((enum cm_chunk_type)header.type)) {
      offset += CM_CHUNK_HEADER_BYTES + header.stored_bytes;
      is_last = header.type == CM_CHUNK_CONTENTS && !(header.flags & CM_CHUNK_CONTINUED);
   }
   return offset;
}

/* ---- readers --------------------------------------------------------------- */

struct cm_tile_reader {
   struct cm_chunk_reader chunks;
};

struct cm_tile_reader *
cm_tile_reader_create(const struct cm_recording *recording)
{
   struct cm_tile_reader *reader = calloc(1, sizeof *reader);
   const struct cm_chunk_reader *its = cm_recording_chunks(recording);
   if (!reader || !cm_chunk_reader_init(&reader->chunks, its->path, its->file, its->file_bytes)) {
      free(reader);
      return NULL;
   }
   reader->chunks.version = its->version;
   return reader;
}

void
cm_tile_reader_destroy(struct cm_tile_reader *reader)
{
   if (reader)
      cm_chunk_reader_finish(&reader->chunks);
   free(reader);
}

bool
cm_tile_reader_read(struct cm_tile_reader *reader, struct cm_recorded_pass *pass)
{
   return cm_chunks_read_tiles(&reader->chunks, pass);
}

const struct cm_chunk_reader *
cm_tile_reader_chunks(const struct cm_tile_reader *reader)
{
   return &reader->chunks;
}
