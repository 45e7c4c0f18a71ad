/* SPDX-License-Identifier: MIT */
#include "tile/tbr_tile_dump.h"

#include <assert.h>
#include <stdio.h>

#include "util/format/u_format.h"
#include "tile/tbr_tile.h"

static void
dump_begin(FILE *out, const char *name, const struct tbr_attachment *attachment)
{
   if (!attachment->memory)
      return;
   fprintf(out, "  %s %s: ", name, util_format_short_name(attachment->format));
   if (attachment->clear)
      fprintf(out, "cleared to %g %g %g %g\n", attachment->clear_value.f[0], attachment->clear_value.f[1],
              attachment->clear_value.f[2], attachment->clear_value.f[3]);
   else
      fputs(attachment->load ? "loaded\n" : "begins with nothing\n", out);
}

static void
dump_end(FILE *out, const char *name, const struct tbr_attachment *attachment)
{
   if (attachment->memory)
      fprintf(out, "  %s: %s\n", name, attachment->store ? "stored" : "not stored");
}

static void
dump_attachments(const struct tbr_tile_thread *thread,
                 void (*dump)(FILE *out, const char *name, const struct tbr_attachment *attachment))
{
   for (unsigned i = 0; i < thread->pass->num_color; i++) {
      char name[16];
      snprintf(name, sizeof name, "color%u", i);
      dump(thread->dump, name, &thread->pass->color[i]);
   }
   dump(thread->dump, "depth", &thread->pass->depth);
   dump(thread->dump, "stencil", &thread->pass->stencil);
}

void
tbr_tile_dump_load(const struct tbr_tile_thread *thread)
{
   fprintf(thread->dump, "tile %u of a pass of %ux%u pixels", thread->tile, thread->pass->width,
           thread->pass->height);
   if (thread->pass->samples > 1)
      fprintf(thread->dump, " of %u samples", thread->pass->samples);
   fprintf(thread->dump, ": pixels %d,%d to %d,%d\n", thread->tile_x, thread->tile_y,
           thread->tile_x + thread->width - 1, thread->tile_y + thread->height - 1);
   dump_attachments(thread, dump_begin);
}

void
tbr_tile_dump_store(const struct tbr_tile_thread *thread)
{
   dump_attachments(thread, dump_end);
   for (unsigned i = 0; i < thread->pass->num_color; i++) {
      const struct tbr_resolve *resolve = &thread->pass->resolve[i];
      if (resolve->memory)
         fprintf(thread->dump, "  color%u: resolved to %s\n", i, util_format_short_name(resolve->to));
   }
}

void
tbr_tile_dump_primitive(const struct tbr_tile_thread *thread, const struct cm_pb_attribute_block *position,
                        uint32_t first_block, uint32_t num_attributes)
{
   FILE *out = thread->dump;
   fprintf(out, "  primitive at block %u: draw state %u, %s, %s%s\n", first_block, position->draw,
           position->flags & TBR_PRIMITIVE_PARALLELOGRAM ? "parallelogram" : "triangle",
           position->flags & TBR_PRIMITIVE_FRONT_FACING ? "front-facing" : "back-facing",
           position->flags & TBR_PRIMITIVE_OFFSET ? ", offset" : "");
   for (uint32_t a = 0; a < num_attributes; a++) {
      fprintf(out, a ? "    input %u:" : "    position:", a - 1);
      for (unsigned v = 0; v < 3; v++)
         fprintf(out, "%s (%g %g %g %g)", v ? "," : "", position[a].vertex[v][0], position[a].vertex[v][1],
                 position[a].vertex[v][2], position[a].vertex[v][3]);
      fputc('\n', out);
   }
}

/** A lane mask as rows of the block: "##.. ####". */
static void
print_mask(FILE *out, uint32_t mask)
{
   for (unsigned y = 0; y < 4; y++) {
      fputc(' ', out);
      for (unsigned x = 0; x < 4; x++) {
         const unsigned lane = ((y >> 1) * 2 + (x >> 1)) * 4 + (y & 1) * 2 + (x & 1);
         fputc(mask >> lane & 1 ? '#' : '.', out);
      }
   }
}

void
tbr_tile_dump_block(const struct tbr_tile_thread *thread, uint32_t block_x, uint32_t block_y,
                    uint32_t covered, uint32_t passed)
{
   FILE *out = thread->dump;
   fprintf(out, "    block at %d,%d: covered", thread->tile_x + 4 * block_x, thread->tile_y + 4 * block_y);
   print_mask(out, covered);
   if (passed != covered) {
      fputs(", passed", out);
      print_mask(out, passed);
   }
   fputs(!passed               ? ": hidden\n"
         : !thread->plan.shade ? ": not shaded\n"
         : thread->plan.record ? ": noted as visible\n"
                               : ": queued\n",
         out);
}

void
tbr_tile_dump_shaded(const struct tbr_tile_thread *thread, uint32_t entered)
{
   const struct tbr_fragment_queue *queue = &thread->queue;
   const struct tbr_fragment_block *block = &queue->block;
   assert(thread->dump && queue->count <= TBR_QUADS);
   FILE *out = thread->dump;
   for (unsigned n = 0; n < queue->count; n++) {
      fprintf(out, "    shaded with draw state %u, primitive at block %u:", thread->plan.draw,
              thread->primitives[queue->primitive[n]].first_block);
      for (unsigned lane = 4 * n; lane < 4 * n + 4; lane++) {
         if (!(entered >> lane & 1))
            continue;
         fprintf(out, " %d,%d", (int)block->window_x[lane], (int)block->window_y[lane]);
         if (!(block->live >> lane & 1))
            fputs(" discarded", out);
         else if (thread->plan.color[0].write)
            fprintf(out, " (%g %g %g %g)", block->color[0][0][lane], block->color[0][1][lane],
                    block->color[0][2][lane], block->color[0][3][lane]);
      }
      fputc('\n', out);
   }
}
