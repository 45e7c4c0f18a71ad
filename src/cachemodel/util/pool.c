/* SPDX-License-Identifier: MIT */
#include "util/pool.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

struct cm_pool_piece {
   struct cm_pool_piece *next;
   max_align_t data[];
};

void *
cm_pool_take(struct cm_pool *pool, size_t count, size_t element_bytes)
{
   assert(element_bytes);
   const size_t most = (SIZE_MAX - sizeof *pool->last) / element_bytes;
   struct cm_pool_piece *piece = count <= most ? calloc(1, sizeof *piece + count * element_bytes) : NULL;
   if (!piece) {
      pool->out_of_memory = true;
      return NULL;
   }
   piece->next = pool->last;
   pool->last = piece;
   return piece->data;
}

void
cm_pool_finish(struct cm_pool *pool)
{
   for (struct cm_pool_piece *piece = pool->last, *next; piece; piece = next) {
      next = piece->next;
      free(piece);
   }
   pool->last = NULL;
}
