/* SPDX-License-Identifier: MIT */
/* What the processors, the fixed-function units and the buffers on chip take. */
#include <stdio.h>

#include "energy/energy_internal.h"

/* ---- operations -------------------------------------------------------- */

/* An operation, how often it happens, and the key that says what it takes. */
struct operation {
   enum cm_energy_unit unit;
   const char *what, *counter, *key;
   size_t offset; /* in struct cm_energy_config */
};

#define OPERATION(unit, what, counter, key) \
   {CM_ENERGY_##unit, what, counter, #key, offsetof(struct cm_energy_config, key)}
static const struct operation operations[] = {
   OPERATION(PRIMITIVE_ASSEMBLY, "primitives", "tiling_engine.primitives", primitive_setup),
   OPERATION(TILING_ENGINE, "PMDs", "tiling_engine.pmds", tile_overlap),
   OPERATION(TEXTURE_UNIT, "footprints", "fragment_stage.footprints", texture_footprint),
};

static uint32_t
key_value(const struct cm_energy_config *config, size_t offset)
{
   return *(const uint32_t *)((const char *)config + offset);
}

static bool
add_operation(struct cm_energy_builder *builder, const struct operation *operation)
{
   if (cm_counter_table_find(builder->table, operation->counter) < 0)
      return true;
   struct cm_energy_term *term = cm_energy_add(builder, (int)operation->unit, "%s", operation->what);
   if (!term)
      return false;
   cm_energy_count(builder, term, "%s", operation->counter);
   term->energy =
      (uint64_t)key_value(&builder->config->energy, operation->offset) * CM_ZEPTOJOULES_PER_FEMTOJOULE;
   snprintf(term->note, sizeof term->note, "energy.%s", operation->key);
   return true;
}

/* ---- the tile's buffers ------------------------------------------------ */

#define SAMPLE_BYTES 4       /* of a colour or a depth on chip */
#define BUFFER_PORT_BITS 128 /* a quad's samples */
#define QUADS_PER_BLOCK (CM_ENERGY_LINE_BYTES * 8 / BUFFER_PORT_BITS)

/* Blocks that go between a buffer and memory: loads are written to it, stores read from it. */
static bool
add_transfers(struct cm_energy_builder *builder, enum cm_energy_unit unit, enum cm_stream stream,
              const struct cm_array_lookup *array)
{
   const char *first = cm_unit_names[builder->config->streams[stream]];
   struct cm_energy_term *term = cm_energy_add(builder, (int)unit, "quads stored: reads");
   if (!term)
      return false;
   cm_energy_count(builder, term, "%s.%s.writes", first, cm_stream_names[stream]);
   term->times = QUADS_PER_BLOCK;
   term->energy = array->energy.read;
   snprintf(term->note, sizeof term->note, "%s", array->note);
   term = cm_energy_add(builder, (int)unit, "quads loaded: writes");
   if (!term)
      return false;
   cm_energy_count(builder, term, "%s.%s.reads", first, cm_stream_names[stream]);
   term->times = QUADS_PER_BLOCK;
   term->energy = array->energy.write;
   snprintf(term->note, sizeof term->note, "%s", array->note);
   return true;
}

static bool
add_tile_buffer(struct cm_energy_builder *builder, enum cm_energy_unit unit, enum cm_stream stream)
{
   const uint32_t side = builder->config->tile.size;
   const struct cm_array_shape shape = {.kind = CM_ARRAY_RAM,
                                        .size = (uint64_t)side * side * SAMPLE_BYTES,
                                        .ways = 1,
                                        .bus_bits = BUFFER_PORT_BITS};
   struct cm_array_lookup array;
   return cm_energy_find(builder, cm_energy_unit_name(unit), &shape, &array) &&
          add_transfers(builder, unit, stream, &array) &&
          cm_energy_add_leakage(builder, (int)unit, 1, "buffer", array.energy.leakage, array.note);
}

/* ---- leakage of logic -------------------------------------------------- */

static bool
add_logic_leakage(struct cm_energy_builder *builder, enum cm_energy_unit unit)
{
   const struct cm_energy_config *energy = &builder->config->energy;
   const uint64_t femtowatts_per_nanowatt = 1000000;
   switch (unit) {
   case CM_ENERGY_FRAGMENT_STAGE:
      return cm_energy_add_leakage(builder, (int)unit, builder->config->fragment_stage.processors,
                                   "processor", energy->processor_leakage * femtowatts_per_nanowatt,
                                   "energy.processor_leakage");
   case CM_ENERGY_VERTEX_STAGE:
      return cm_energy_add_leakage(builder, (int)unit, 1, "processor",
                                   energy->processor_leakage * femtowatts_per_nanowatt,
                                   "energy.processor_leakage");
   default:
      return cm_energy_add_leakage(builder, (int)unit, 1, "unit",
                                   energy->unit_leakage * femtowatts_per_nanowatt, "energy.unit_leakage");
   }
}

bool
cm_energy_add_pipeline(struct cm_energy_builder *builder)
{
   if (!add_tile_buffer(builder, CM_ENERGY_COLOR_BUFFER, CM_STREAM_COLOR) ||
       !add_tile_buffer(builder, CM_ENERGY_DEPTH_BUFFER, CM_STREAM_DEPTH))
      return false;
   for (int unit = CM_ENERGY_VERTEX_STAGE; unit < CM_ENERGY_UNIT_COUNT; unit++) {
      for (size_t o = 0; o < sizeof operations / sizeof operations[0]; o++) {
         if (operations[o].unit == (enum cm_energy_unit)unit && !add_operation(builder, &operations[o]))
            return false;
      }
      if (!add_logic_leakage(builder, (enum cm_energy_unit)unit))
         return false;
   }
   return true;
}
