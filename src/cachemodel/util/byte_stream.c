/* SPDX-License-Identifier: MIT */
#include "util/byte_stream.h"

#include <assert.h>

#include "util/array.h"

bool
cm_bytes_grow(struct cm_byte_writer *writer, size_t n)
{
   assert(writer->size <= writer->capacity);
   const bool ok = cm_array_make_room(&writer->data, &writer->capacity, writer->size, n, 1);
   writer->out_of_memory |= !ok;
   return ok;
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
