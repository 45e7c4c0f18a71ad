/* SPDX-License-Identifier: MIT */
#include "pass/tbr_batch.h"

#include <stdio.h>

#include "util/format/u_format.h"
#include "state/tbr_debug.h"

static void
print_attachment(const char *name, const struct tbr_attachment *attachment)
{
   if (!attachment->memory)
      return;
   fprintf(tbr_debug.out, ", %s %s%s%s%s", name, util_format_short_name(attachment->format),
           attachment->clear ? " cleared" : "", attachment->load ? " loaded" : "",
           attachment->store ? " stored" : "");
}

static uint32_t
count_touched(const struct tbr_batch *batch)
{
   uint32_t count = 0;
   util_dynarray_foreach (&batch->events.touched, bool, touched)
      count += *touched;
   return count;
}

static void
print_batch(const struct tbr_batch *batch)
{
   const struct tbr_pass *pass = &batch->pass;
   flockfile(tbr_debug.out);
   fprintf(tbr_debug.out, "frame %u, pass %llu: %ux%u", batch->frame, (unsigned long long)batch->sequence,
           pass->width, pass->height);
   for (unsigned i = 0; i < pass->num_color; i++) {
      char name[16];
      snprintf(name, sizeof name, "color%u", i);
      print_attachment(name, &pass->color[i]);
   }
   print_attachment("depth", &pass->depth);
   print_attachment("stencil", &pass->stencil);
   fprintf(tbr_debug.out, "; %zu draw states, %zu primitives, %u of %u tiles\n",
           util_dynarray_num_elements(&batch->states, const struct tbr_draw_state *),
           util_dynarray_num_elements(&batch->events.primitives, struct cm_primitive), count_touched(batch),
           pass->tiles_x * pass->tiles_y);
   funlockfile(tbr_debug.out);
}

static void
select_tile(struct tbr_batch *batch)
{
   struct tbr_pass *pass = &batch->pass;
   if (tbr_debug.tile_x >= pass->tiles_x || tbr_debug.tile_y >= pass->tiles_y ||
       (!tbr_debug.every_frame && batch->frame != tbr_debug.frame))
      return;
   pass->dumped_tile = tbr_debug.tile_y * pass->tiles_x + tbr_debug.tile_x;
   pass->dump = tbr_debug.out;
}

void
tbr_batch_debug(struct tbr_batch *batch)
{
   if (tbr_debug.flags & TBR_DEBUG_PASSES)
      print_batch(batch);
   if (tbr_debug.flags & TBR_DEBUG_TILE)
      select_tile(batch);
}
