/* SPDX-License-Identifier: MIT */
/* The descriptors that a pass' draws name, as bytes: the ranges, then which of them each draw has. */
#include <assert.h>
#include <stdlib.h>

#include "events/recording_check.h"
#include "events/recording_format.h"

/* ---- to bytes -------------------------------------------------------------- */

static void
put_range(struct cm_byte_writer *writer, const struct cm_descriptors *range,
          const struct cm_descriptors *before)
{
   cm_put_signed(writer, (int64_t)range->set - before->set);
   cm_put_signed(writer, (int64_t)range->set_size - before->set_size);
   cm_put_signed(writer, (int64_t)range->first - before->first);
   cm_put_varint(writer, range->count);
   cm_put_varint(writer, range->stage);
   cm_put_varint(writer, range->parts);
}

void
cm_encode_descriptors(struct cm_byte_writer *writer, const struct cm_pass *pass)
{
   static const struct cm_descriptors none;
   const struct cm_descriptors *before = &none;
   assert(pass->num_descriptors);
   cm_put_varint(writer, pass->num_descriptors);
   for (uint32_t d = 0; d < pass->num_descriptors; d++) {
      put_range(writer, &pass->descriptors[d], before);
      before = &pass->descriptors[d];
   }
   uint32_t first = 0;
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const struct cm_draw *draw = &pass->draws[d];
      cm_put_varint(writer, draw->num_descriptors);
      if (!draw->num_descriptors)
         continue;
      cm_put_signed(writer, (int64_t)draw->first_descriptor - first);
      first = draw->first_descriptor;
   }
}

/* ---- from bytes ------------------------------------------------------------ */

/* Bytes of a range, at least. */
#define LEAST_BYTES 6

static uint32_t
get_limited(struct cm_byte_reader *reader, uint64_t limit)
{
   const uint64_t value = cm_get_varint(reader);
   reader->bad |= value > limit;
   return value <= limit ? (uint32_t)value : 0;
}

static uint32_t
get_after(struct cm_byte_reader *reader, uint32_t before)
{
   const uint64_t value = before + (uint64_t)cm_get_signed(reader);
   reader->bad |= value > UINT32_MAX;
   return (uint32_t)value;
}

static void
get_range(struct cm_byte_reader *reader, struct cm_descriptors *range, const struct cm_descriptors *before)
{
   range->set = get_after(reader, before->set);
   range->set_size = get_after(reader, before->set_size);
   range->first = get_after(reader, before->first);
   range->count = get_limited(reader, UINT32_MAX);
   range->stage = (uint8_t)get_limited(reader, UINT8_MAX);
   range->parts = (uint8_t)get_limited(reader, UINT8_MAX);
}

const char *
cm_decode_descriptors(struct cm_byte_reader *reader, struct cm_pass *pass)
{
   static const struct cm_descriptors none;
   const struct cm_descriptors *before = &none;
   if (pass->descriptors)
      return "a pass has descriptors twice";
   const uint64_t count = cm_get_varint(reader);
   if (reader->bad || !count || count > cm_bytes_left(reader) / LEAST_BYTES || count > UINT32_MAX)
      return "descriptors are cut short";
   pass->descriptors = calloc(count, sizeof *pass->descriptors);
   if (!pass->descriptors)
      return CM_OUT_OF_MEMORY_FOR "descriptors";
   pass->num_descriptors = (uint32_t)count;
   for (uint32_t d = 0; d < pass->num_descriptors && !reader->bad; d++) {
      get_range(reader, &pass->descriptors[d], before);
      before = &pass->descriptors[d];
   }
   uint32_t first = 0;
   for (uint32_t d = 0; d < pass->num_draws && !reader->bad; d++) {
      struct cm_draw *draw = &pass->draws[d];
      draw->num_descriptors = get_limited(reader, UINT32_MAX);
      if (draw->num_descriptors)
         draw->first_descriptor = first = get_after(reader, first);
   }
   if (reader->bad)
      return "descriptors are cut short or have values out of range";
   return reader->at == reader->end ? cm_check_descriptors(pass) : "descriptors have bytes left over";
}
