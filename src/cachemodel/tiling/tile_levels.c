/* SPDX-License-Identifier: MIT */
#include "tiling/tile_levels.h"

#include "util/minmax.h"

void
cm_tile_levels_init(struct cm_tile_levels *levels, uint32_t most, uint32_t columns, uint32_t rows)
{
   assert(most >= 1 && most <= CM_MOST_TILE_LEVELS && columns && rows);
   const uint32_t bits = 32 - (uint32_t)__builtin_clz(cm_max(columns, rows));
   const uint32_t finest = bits > most ? bits - most : 0;
   *levels = (struct cm_tile_levels){.count = cm_min(most, bits + 1 - finest), .layer_rows = rows};
   for (uint32_t l = 0; l < levels->count; l++) {
      const uint32_t shift = finest + l, last = (1u << shift) - 1;
      levels->levels[l] = (struct cm_tile_level){
         .shift = shift,
         .columns = (columns + last) >> shift,
         .first = levels->layer_lists,
      };
      levels->layer_lists += levels->levels[l].columns * ((rows + last) >> shift);
   }
}

uint32_t
cm_tile_levels_find(const struct cm_tile_levels *levels, struct cm_tile_box box, uint32_t most)
{
   const uint32_t above = box.y0 / levels->layer_rows * levels->layer_rows;
   uint32_t number = 0;
   box.y0 -= above;
   box.y1 -= above;
   assert(box.y1 < levels->layer_rows);
   while (number + 1 < levels->count && cm_tile_level_bins(&levels->levels[number], box) > most)
      number++;
   return number;
}
