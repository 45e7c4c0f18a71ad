/* SPDX-License-Identifier: MIT */
#include "access/access_stream.h"

#include <stdlib.h>
#include <string.h>

bool
cm_access_stream_init(struct cm_access_stream *stream,
                      void (*take)(void *context, struct cm_access_stream *stream), void *context)
{
   *stream = (struct cm_access_stream){
      .entries = malloc(CM_ACCESS_BATCH * sizeof(cm_entry)),
      .capacity = CM_ACCESS_BATCH,
      .take = take,
      .context = context,
   };
   return stream->entries != NULL;
}

void
cm_access_stream_finish(struct cm_access_stream *stream)
{
   free(stream->entries);
   *stream = (struct cm_access_stream){.entries = NULL};
}

void
cm_access_stream_append_all(struct cm_access_stream *stream, const cm_entry *entries, uint32_t count)
{
   while (stream->capacity - stream->count <= count) {
      const uint32_t capacity = stream->capacity;
      stream->take(stream->context, stream);
      if (stream->capacity == capacity)
         return;
   }
   memcpy(stream->entries + stream->count, entries, count * sizeof *entries);
   stream->count += count;
}

void
cm_access_stream_append_origin(struct cm_access_stream *stream, const struct cm_origin *from,
                               const struct cm_origin *to)
{
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++) {
      if (from->parts[part] != to->parts[part])
         cm_access_stream_append(stream,
                                 cm_entry_make(CM_ENTRY_ORIGIN, part, 0, (enum cm_stream)0, to->parts[part]));
   }
}
