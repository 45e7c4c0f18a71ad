/* SPDX-License-Identifier: MIT */
/* What the queues between stages take: an item is written once and read once. Their entries are those of
 * "DTM-NUCA", Table I. */
#include <stdio.h>
#include <string.h>

#include "energy/energy_internal.h"

#define VERTEX_BYTES 136
#define PRIMITIVE_BYTES 388 /* a primitive with its attributes */
#define FRAGMENT_BYTES 233  /* a quad with its attributes */
#define COLOR_BYTES 24
/* TCOR III-C3: instead of attributes, the Attribute Buffer Pointer is passed to the Rasterizer. */
#define POINTER_BYTES 4

#define WIDE_PORT_BITS 512
#define NARROW_PORT_BITS 32

struct queue {
   const char *name; /* of its counters: queue.<name>.items */
   uint32_t entries; /* 0: without limit, which is no array */
   uint32_t bytes;
   uint32_t copies; /* that there are of it */
};

static bool
add_accesses(struct cm_energy_builder *builder, const struct queue *queue, const char *accesses,
             uint32_t parts, uint64_t energy, const struct cm_array_lookup *array)
{
   char what[64], counter[64], note[sizeof array->note + 32];
   snprintf(what, sizeof what, "%s: %s", queue->name, accesses);
   snprintf(counter, sizeof counter, "queue.%s.items", queue->name);
   snprintf(note, sizeof note, "%u bytes an item: %s", queue->bytes, array->note);
   return cm_energy_add_events(builder, CM_ENERGY_QUEUES, what, counter, parts, energy, note);
}

static bool
add_queue(struct cm_energy_builder *builder, const struct queue *queue)
{
   const uint32_t port_bits = queue->bytes > POINTER_BYTES ? WIDE_PORT_BITS : NARROW_PORT_BITS;
   const uint32_t parts = (queue->bytes * 8 + port_bits - 1) / port_bits;
   /* Longer queues are there to be no limit, not to be built. */
   const uint64_t bytes = (uint64_t)queue->entries * queue->bytes;
   const bool is_large = bytes > CM_ENERGY_LARGEST_RAM;
   struct cm_array_lookup array;
   char name[64];
   snprintf(name, sizeof name, "queue %s", queue->name);
   if (!cm_energy_find_ram(builder, name, is_large ? CM_ENERGY_LARGEST_RAM : bytes, port_bits, &array))
      return false;
   if (is_large) {
      char row[sizeof array.note];
      memcpy(row, array.note, sizeof row);
      snprintf(array.note, sizeof array.note, "LARGEST ROW instead of %llu bytes: %.150s",
               (unsigned long long)bytes, row);
   }
   return add_accesses(builder, queue, "writes", parts, array.energy.write, &array) &&
          add_accesses(builder, queue, "reads", parts, array.energy.read, &array) &&
          cm_energy_add_leakage(builder, CM_ENERGY_QUEUES, queue->copies, name, array.energy.leakage,
                                array.note);
}

bool
cm_energy_add_queues(struct cm_energy_builder *builder)
{
   const struct cm_config *config = builder->config;
   const struct cm_pipeline_config *pipeline = &config->pipeline;
   if (!cm_energy_has_counter(builder, "queue.color.items"))
      return true;
   const bool has_pointers = config->primitive_buffer.lines != 0;
   const uint32_t tile_entries =
      pipeline->tile_queue && has_pointers ? config->primitive_buffer.output_queue : pipeline->tile_queue;
   const uint32_t lanes = cm_config_lanes(config);
   const struct queue queues[] = {
      {"vertex_input", pipeline->vertex_queue, VERTEX_BYTES, 1},
      {"vertex_output", pipeline->vertex_queue, VERTEX_BYTES, 1},
      {"triangle", pipeline->triangle_queue, PRIMITIVE_BYTES, 1},
      {"tile", tile_entries, has_pointers ? POINTER_BYTES : PRIMITIVE_BYTES, 1},
      {"early_z", pipeline->fragment_queue, FRAGMENT_BYTES, lanes},
      {"fragment", pipeline->fragment_queue, FRAGMENT_BYTES, lanes},
      {"color", pipeline->color_queue, COLOR_BYTES, lanes},
   };
   for (size_t q = 0; q < sizeof queues / sizeof queues[0]; q++) {
      if (queues[q].entries && !add_queue(builder, &queues[q]))
         return false;
   }
   return true;
}
