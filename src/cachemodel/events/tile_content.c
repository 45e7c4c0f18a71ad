/* SPDX-License-Identifier: MIT */
#include "events/tile_content.h"

#include <assert.h>
#include <stdlib.h>

#include "util/array.h"

#define SURFACE_HEADER 3 /* slot, columns, rows */

bool
cm_tile_content_add(struct cm_tile_content *content, unsigned slot, unsigned columns, unsigned rows,
                    uint8_t **same, uint8_t **sizes)
{
   assert(slot < 2 * CM_CONTENT_RESOLVE && columns && columns <= UINT8_MAX && rows && rows <= UINT8_MAX);
   const size_t groups = (size_t)columns * rows;
   const size_t bytes = SURFACE_HEADER + groups * (1 + CM_GROUP_BLOCKS);
   if (!cm_array_make_room(&content->bytes, &content->capacity, content->num_bytes, bytes, 1))
      return false;
   uint8_t *surface = content->bytes + content->num_bytes;
   surface[0] = (uint8_t)slot;
   surface[1] = (uint8_t)columns;
   surface[2] = (uint8_t)rows;
   *same = surface + SURFACE_HEADER;
   *sizes = *same + groups;
   content->num_bytes += bytes;
   return true;
}

bool
cm_tile_content_next(const struct cm_tile_content *content, size_t *offset, struct cm_stored_surface *surface)
{
   assert(*offset <= content->num_bytes);
   if (*offset == content->num_bytes)
      return false;
   const uint8_t *bytes = content->bytes + *offset;
   const size_t groups = (size_t)bytes[1] * bytes[2];
   *surface = (struct cm_stored_surface){
      .slot = bytes[0],
      .columns = bytes[1],
      .rows = bytes[2],
      .same = bytes + SURFACE_HEADER,
      .sizes = bytes + SURFACE_HEADER + groups,
   };
   *offset += SURFACE_HEADER + groups * (1 + CM_GROUP_BLOCKS);
   return true;
}

void
cm_tile_content_reset(struct cm_tile_content *content)
{
   content->same_inputs = 0;
   content->num_bytes = 0;
}

void
cm_tile_content_finish(struct cm_tile_content *content)
{
   free(content->bytes);
   *content = (struct cm_tile_content){0};
}
