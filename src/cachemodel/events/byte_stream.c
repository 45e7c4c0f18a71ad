/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "events/byte_stream.h"

bool
cm_bytes_grow(struct cm_byte_writer *writer, size_t n)
{
   if (n > SIZE_MAX / 4 - writer->size) {
      writer->out_of_memory = true;
      return false;
   }
   const size_t capacity = (writer->size + n) * 2 + 256;
   uint8_t *larger = realloc(writer->data, capacity);
   if (!larger) {
      writer->out_of_memory = true;
      return false;
   }
   writer->data = larger;
   writer->capacity = capacity;
   return true;
}

uint64_t
cm_get_long_varint(struct cm_byte_reader *reader)
{
   uint64_t value = 0;
   for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = cm_get_byte(reader);
      value |= (uint64_t)(byte & 0x7f) << shift;
      if (byte < 0x80)
         return value;
   }
   reader->bad = true;
   return 0;
}
