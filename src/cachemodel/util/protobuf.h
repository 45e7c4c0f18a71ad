/* SPDX-License-Identifier: MIT */
/** Messages in protobuf's wire format, field by field, appended to the bytes of a writer. */
#ifndef CM_PROTOBUF_H
#define CM_PROTOBUF_H

#include "util/byte_stream.h"

/** How a field's value is written: the lowest bits of what stands before it. */
enum cm_protobuf_type { CM_PROTOBUF_VARINT = 0, CM_PROTOBUF_FIXED64 = 1, CM_PROTOBUF_BYTES = 2 };

static inline void
cm_protobuf_tag(struct cm_byte_writer *writer, uint32_t field, enum cm_protobuf_type type)
{
   cm_put_varint(writer, field << 3 | type);
}

/** A field of an integer type without a sign, of an enumeration, or of bool. */
static inline void
cm_protobuf_number(struct cm_byte_writer *writer, uint32_t field, uint64_t value)
{
   cm_protobuf_tag(writer, field, CM_PROTOBUF_VARINT);
   cm_put_varint(writer, value);
}

static inline void
cm_protobuf_double(struct cm_byte_writer *writer, uint32_t field, double value)
{
   uint64_t bits;
   uint8_t bytes[8];
   memcpy(&bits, &value, sizeof bits);
   cm_store_uint64(bytes, bits);
   cm_protobuf_tag(writer, field, CM_PROTOBUF_FIXED64);
   cm_put_bytes(writer, bytes, sizeof bytes);
}

static inline void
cm_protobuf_bytes(struct cm_byte_writer *writer, uint32_t field, const void *bytes, size_t count)
{
   cm_protobuf_tag(writer, field, CM_PROTOBUF_BYTES);
   cm_put_varint(writer, count);
   cm_put_bytes(writer, bytes, count);
}

/** text: UTF-8. */
static inline void
cm_protobuf_text(struct cm_byte_writer *writer, uint32_t field, const char *text)
{
   cm_protobuf_bytes(writer, field, text, strlen(text));
}

/** A field that is a message: its fields follow, then cm_protobuf_end with what this returned. */
static inline size_t
cm_protobuf_begin(struct cm_byte_writer *writer, uint32_t field)
{
   cm_protobuf_tag(writer, field, CM_PROTOBUF_BYTES);
   cm_put_bytes(writer, "", 1); /* its length, while that is below 128 */
   return writer->size;
}
void cm_protobuf_end(struct cm_byte_writer *writer, size_t begin);

#endif
