/* SPDX-License-Identifier: MIT */
#include "output/bound.h"

#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "tools.h"

/* What counts the work of a part, in cycles; several rows of a part: it is as loaded as the most loaded one. */
static const struct counted {
   const char *part, *counter;
   bool is_of_cores; /* summed over them */
} counted[] = {
   {"arithmetic", "shader_core.issue.busy_cycles", true},
   {"arithmetic", "shader_core.fma.busy_cycles", true},
   {"arithmetic", "shader_core.cvt.busy_cycles", true},
   {"special functions", "shader_core.sfu.busy_cycles", true},
   {"varyings", "shader_core.varying.busy_cycles", true},
   {"texture", "shader_core.texture.busy_cycles", true},
   {"load/store", "shader_core.load_store.busy_cycles", true},
   {"fill", "shader_core.tile.busy_cycles", true},
   {"fill", "tile_buffers.busy_cycles", true},
   {"rasterizer", "rasterizer.busy_cycles", true},
   {"rasterizer", "shader_core.depth.busy_cycles", true},
   {"tile lists", "tile_fetcher.busy_cycles", true},
   {"geometry", "vertex_fetch.busy_cycles", false},
   {"geometry", "primitive_assembly.busy_cycles", false},
   {"tiling", "polygon_list_builder.busy_cycles", false},
};
#define NUM_COUNTED (sizeof counted / sizeof counted[0])

struct part {
   const char *name;
   double load;
   unsigned number;
};

static double
value(const json_t *totals, const char *name)
{
   return (double)json_integer_value(json_object_get(totals, name));
}

/* A part has a load. */
static void
add(struct part *parts, unsigned *count, const char *name, double load)
{
   for (unsigned p = 0; p < *count; p++) {
      if (strcmp(parts[p].name, name) == 0) {
         parts[p].load = load > parts[p].load ? load : parts[p].load;
         return;
      }
   }
   parts[*count] = (struct part){name, load, *count};
   ++*count;
}

/* The greatest load first; of two alike, the one that was added first. */
static int
compare(const void *a, const void *b)
{
   const struct part *first = a, *second = b;
   if (first->load != second->load)
      return first->load > second->load ? -1 : 1;
   return first->number < second->number ? -1 : 1;
}

char *
bound_line(const json_t *totals, const struct cm_config *config)
{
   const double cycles = value(totals, "gpu.cycles");
   struct part parts[NUM_COUNTED + 1];
   unsigned count = 0;
   if (config->core != CM_CORE_PIPES || config->mode == CM_MODE_IMR || cycles <= 0)
      return NULL;
   for (unsigned c = 0; c < NUM_COUNTED; c++)
      add(parts, &count, counted[c].part,
          value(totals, counted[c].counter) / cycles /
             (counted[c].is_of_cores ? config->fragment_stage.processors : 1));
   const double channels = value(totals, "dram_system.channel_cycles");
   add(parts, &count, "bandwidth", channels > 0 ? value(totals, "dram_system.busy_cycles") / channels : 0);
   qsort(parts, count, sizeof parts[0], compare);
   return text("load: %s %.0f %%, %s %.0f %%, %s %.0f %%", parts[0].name, 100 * parts[0].load, parts[1].name,
               100 * parts[1].load, parts[2].name, 100 * parts[2].load);
}
