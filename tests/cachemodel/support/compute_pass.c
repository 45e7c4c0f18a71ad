/* SPDX-License-Identifier: MIT */
#include "support/compute_pass.h"

#include <string.h>

struct pass_builder *
compute_pass(uint32_t groups, uint32_t bytes, struct cm_storage *storage)
{
   struct pass_builder *builder = pass_new(0, groups, 1, 8);
   *storage = (struct cm_storage){.num_buffers = 1, .buffers = {{.resource = 2, .bytes = bytes}}};
   pass_draw(builder)->storage = 1;
   builder->pass.kind = CM_PASS_COMPUTE;
   builder->pass.tile_size = 1;
   builder->pass.tiles_x = groups;
   builder->pass.tiles_y = builder->pass.layer_tiles_y = 1;
   builder->pass.num_storages = 1;
   builder->pass.storages = storage;
   builder->pass.dispatch = (struct cm_dispatch){
      .shader = {.id = 1, .instructions = 8},
      .groups = {groups, 1, 1},
      .group_size = {CM_INVOCATIONS, 1, 1},
      .groups_per_tile = 1,
   };
   for (uint32_t group = 0; group < groups; group++) {
      const uint32_t words[] = {CM_EVENT_GROUP, group, CM_EVENT_INVOKE | CM_INVOCATIONS << 8, 0};
      builder->touched[group] = true;
      pass_words(builder, group, words, 4);
   }
   return builder;
}

void
add_access(struct pass_builder *builder, uint32_t group, enum cm_storage_operation operation, uint32_t bytes,
           const uint32_t offsets[CM_INVOCATIONS], uint32_t lanes)
{
   struct cm_buffer_access accesses[4];
   uint32_t count = 0;
   for (uint32_t quad = 0; quad < 4; quad++) {
      if (!(lanes >> 4 * quad & 15))
         continue;
      accesses[count] = (struct cm_buffer_access){.quad = (uint8_t)quad, .live = lanes >> 4 * quad & 15};
      memcpy(accesses[count++].offset, &offsets[4 * quad], sizeof accesses->offset);
   }
   const uint32_t word = CM_EVENT_BUFFER | count << 8 | (uint32_t)operation << CM_STORAGE_OPERATION_SHIFT |
                         bytes << CM_STORAGE_BYTES_SHIFT;
   pass_words(builder, group, &word, 1);
   pass_words(builder, group, accesses, count * CM_BUFFER_ACCESS_WORDS);
}

void
fill_offsets(uint32_t offsets[CM_INVOCATIONS], uint32_t first, uint32_t step)
{
   for (uint32_t i = 0; i < CM_INVOCATIONS; i++)
      offsets[i] = first + i * step;
}

void
add_run(struct pass_builder *builder, uint32_t group, uint32_t first, bool resumes)
{
   const uint32_t words[] = {CM_EVENT_INVOKE | CM_INVOCATIONS << 8 | (resumes ? CM_INVOKE_RESUMES : 0),
                             first};
   pass_words(builder, group, words, 2);
}

void
add_barrier(struct pass_builder *builder, uint32_t group)
{
   const uint32_t word = CM_EVENT_BARRIER;
   pass_words(builder, group, &word, 1);
}
