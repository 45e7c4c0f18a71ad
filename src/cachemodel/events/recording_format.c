/* SPDX-License-Identifier: MIT */
#include "events/recording_format.h"

uint32_t
cm_crc32(const uint8_t *bytes, size_t n)
{
   uint32_t crc = UINT32_MAX;
   for (size_t i = 0; i < n; i++) {
      crc ^= bytes[i];
      for (unsigned bit = 0; bit < 8; bit++)
         crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
   }
   return ~crc;
}

void
cm_chunk_header_store(uint8_t bytes[CM_CHUNK_HEADER_BYTES], const struct cm_chunk_header *header)
{
   memcpy(bytes, CM_CHUNK_MARKER, 4);
   bytes[4] = header->type;
   bytes[5] = header->flags;
   bytes[6] = bytes[7] = 0;
   cm_store_uint32(bytes + 8, header->frame);
   cm_store_uint32(bytes + 12, header->bytes);
   cm_store_uint32(bytes + 16, header->stored_bytes);
   cm_store_uint32(bytes + 20, header->number);
   cm_store_uint32(bytes + 24, cm_crc32(bytes, 24));
}

bool
cm_chunk_header_load(const uint8_t bytes[CM_CHUNK_HEADER_BYTES], struct cm_chunk_header *header)
{
   header->type = bytes[4];
   header->flags = bytes[5];
   header->frame = cm_load_uint32(bytes + 8);
   header->bytes = cm_load_uint32(bytes + 12);
   header->stored_bytes = cm_load_uint32(bytes + 16);
   header->number = cm_load_uint32(bytes + 20);
   return memcmp(bytes, CM_CHUNK_MARKER, 4) == 0 && cm_load_uint32(bytes + 24) == cm_crc32(bytes, 24) &&
          header->bytes <= CM_CHUNK_LIMIT;
}
