/* SPDX-License-Identifier: MIT */
/** Bytes written and read one after another, little endian on any machine. */
#ifndef CM_BYTE_STREAM_H
#define CM_BYTE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Appends bytes; begins as zeros, data is to be freed. What does not fit when out of memory is dropped, and
 * out_of_memory set. */
struct cm_byte_writer {
   uint8_t *data;
   size_t size, capacity;
   bool out_of_memory;
};

/** Makes room for n more bytes; false when out of memory. */
bool cm_bytes_grow(struct cm_byte_writer *writer, size_t n);

static inline bool
cm_bytes_reserve(struct cm_byte_writer *writer, size_t n)
{
   return writer->capacity - writer->size >= n || cm_bytes_grow(writer, n);
}

static inline void
cm_put_bytes(struct cm_byte_writer *writer, const void *bytes, size_t n)
{
   if (!n || !cm_bytes_reserve(writer, n))
      return;
   memcpy(writer->data + writer->size, bytes, n);
   writer->size += n;
}

/** The bits of a signed number with the sign last, so that small numbers are small. */
static inline uint64_t
cm_zigzag(int64_t value)
{
   return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t
cm_unzigzag(uint64_t value)
{
   return (int64_t)(value >> 1 ^ -(value & 1));
}

#define CM_MAX_VARINT_BYTES 10

/** Seven bits per byte, the lowest first, the top bit set in all but the last. Needs room for
 * CM_MAX_VARINT_BYTES; returns the end. */
static inline uint8_t *
cm_store_varint(uint8_t *at, uint64_t value)
{
   while (value >= 0x80) {
      *at++ = (uint8_t)(value | 0x80);
      value >>= 7;
   }
   *at++ = (uint8_t)value;
   return at;
}

static inline void
cm_put_varint(struct cm_byte_writer *writer, uint64_t value)
{
   if (cm_bytes_reserve(writer, CM_MAX_VARINT_BYTES))
      writer->size = (size_t)(cm_store_varint(writer->data + writer->size, value) - writer->data);
}

static inline void
cm_put_signed(struct cm_byte_writer *writer, int64_t value)
{
   cm_put_varint(writer, cm_zigzag(value));
}

static inline void
cm_store_uint32(uint8_t *at, uint32_t value)
{
   at[0] = (uint8_t)value;
   at[1] = (uint8_t)(value >> 8);
   at[2] = (uint8_t)(value >> 16);
   at[3] = (uint8_t)(value >> 24);
}

static inline uint32_t
cm_load_uint32(const uint8_t *at)
{
   return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline void
cm_store_uint64(uint8_t *at, uint64_t value)
{
   cm_store_uint32(at, (uint32_t)value);
   cm_store_uint32(at + 4, (uint32_t)(value >> 32));
}

static inline uint64_t
cm_load_uint64(const uint8_t *at)
{
   return cm_load_uint32(at) | (uint64_t)cm_load_uint32(at + 4) << 32;
}

/** Reads up to `end`: reads beyond give 0, and set bad. */
struct cm_byte_reader {
   const uint8_t *at, *end;
   bool bad;
};

static inline size_t
cm_bytes_left(const struct cm_byte_reader *reader)
{
   return (size_t)(reader->end - reader->at);
}

static inline uint8_t
cm_get_byte(struct cm_byte_reader *reader)
{
   if (reader->at < reader->end)
      return *reader->at++;
   reader->bad = true;
   return 0;
}

uint64_t cm_get_long_varint(struct cm_byte_reader *reader);

static inline uint64_t
cm_get_varint(struct cm_byte_reader *reader)
{
   if (reader->at < reader->end && *reader->at < 0x80)
      return *reader->at++;
   return cm_get_long_varint(reader);
}

static inline int64_t
cm_get_signed(struct cm_byte_reader *reader)
{
   return cm_unzigzag(cm_get_varint(reader));
}

/** The next n bytes, or NULL if there are fewer. */
static inline const uint8_t *
cm_get_bytes(struct cm_byte_reader *reader, size_t n)
{
   if (cm_bytes_left(reader) < n) {
      reader->bad = true;
      return NULL;
   }
   const uint8_t *bytes = reader->at;
   reader->at += n;
   return bytes;
}

#endif
