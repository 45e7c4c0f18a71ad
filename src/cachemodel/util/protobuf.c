/* SPDX-License-Identifier: MIT */
#include "util/protobuf.h"

#include <assert.h>

void
cm_protobuf_end(struct cm_byte_writer *writer, size_t begin)
{
   assert(writer->out_of_memory || (begin && begin <= writer->size));
   uint8_t length[CM_MAX_VARINT_BYTES];
   if (writer->out_of_memory)
      return;
   const size_t size = writer->size - begin;
   const size_t more = (size_t)(cm_store_varint(length, size) - length) - 1;
   if (more && !cm_bytes_reserve(writer, more))
      return;
   if (more)
      memmove(writer->data + begin + more, writer->data + begin, size);
   memcpy(writer->data + begin - 1, length, more + 1);
   writer->size += more;
}
