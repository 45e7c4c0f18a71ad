/* SPDX-License-Identifier: MIT */
/* What the processors, the fixed-function units and the buffers on chip take. */
#include <stdio.h>

#include "energy/energy_internal.h"

/* ---- operations -------------------------------------------------------- */

/* Where an operation is counted so: on GPUs with tiles, without, or on both. */
enum where {
   ALL,
   TILES,
   NO_TILES,
};

/* An operation, how often it happens, and the key that says what it takes. */
struct operation {
   enum where where;
   enum cm_energy_unit unit;
   const char *what, *counter, *key;
   size_t offset;  /* in struct cm_energy_config */
   unsigned parts; /* how many of it take what the key says */
};

#define OPERATION(where, unit, what, counter, key) \
   {where, CM_ENERGY_##unit, what, counter, #key, offsetof(struct cm_energy_config, key), 1}
/* Per invocation; the key is per quad, of four. */
#define QUARTER(where, unit, what, counter, key) \
   {where, CM_ENERGY_##unit, what, counter, #key, offsetof(struct cm_energy_config, key), 4}
static const struct operation operations[] = {
   OPERATION(ALL, VERTEX_STAGE, "instructions of vertices", "operations.vertex_instructions",
             vertex_instruction),
   OPERATION(TILES, PRIMITIVE_ASSEMBLY, "primitives", "tiling_engine.primitives", primitive_setup),
   OPERATION(NO_TILES, PRIMITIVE_ASSEMBLY, "primitives", "rasterizer.primitives", primitive_setup),
   OPERATION(TILES, TILING_ENGINE, "PMDs", "tiling_engine.pmds", tile_overlap),
   OPERATION(TILES, TILING_ENGINE, "dropped PMDs", "tiling_engine.entries_dropped", tile_overlap),
   OPERATION(TILES, RASTERIZER, "quads", "operations.raster_quads", raster_quad),
   OPERATION(NO_TILES, RASTERIZER, "quads", "rasterizer.quads", raster_quad),
   OPERATION(ALL, RASTERIZER, "attributes of quads", "operations.quad_attributes", quad_attribute),
   OPERATION(ALL, EARLY_Z, "quads", "operations.depth_quads", depth_quad),
   OPERATION(ALL, FRAGMENT_STAGE, "instructions of quads", "operations.quad_instructions", quad_instruction),
   OPERATION(ALL, TEXTURE_UNIT, "footprints", "fragment_stage.footprints", texture_footprint),
   QUARTER(ALL, TEXTURE_UNIT, "footprints of vertices", "vertex_stage.footprints", texture_footprint),
   OPERATION(ALL, BLENDING, "quads", "operations.color_reads", blend_quad),
};

static bool
has_tiles(const struct cm_energy_builder *builder)
{
   return builder->config->mode != CM_MODE_IMR;
}

static bool
add_operation(struct cm_energy_builder *builder, const struct operation *operation)
{
   if (!cm_energy_has_counter(builder, operation->counter) ||
       operation->where == (has_tiles(builder) ? NO_TILES : TILES))
      return true;
   char note[320];
   const uint64_t energy = *(const uint32_t *)((const char *)&builder->config->energy + operation->offset);
   cm_energy_note_key(builder, operation->key, note, sizeof note);
   return cm_energy_add_events(builder, (int)operation->unit, operation->what, operation->counter, 1,
                               energy * CM_ZEPTOJOULES_PER_FEMTOJOULE / operation->parts, note);
}

/* ---- the tile's buffers ------------------------------------------------ */

#define SAMPLE_BYTES 4       /* of a colour or a depth on chip */
#define BUFFER_PORT_BITS 128 /* a quad's samples */
#define QUADS_PER_BLOCK (CM_ENERGY_LINE_BYTES * 8 / BUFFER_PORT_BITS)

/* Accesses of a buffer that the pipeline makes, and those that load or store a tile: blocks of its stream. */
struct buffer_accesses {
   const char *what, *counter;
   bool is_write, is_transfer;
};

static bool
add_accesses(struct cm_energy_builder *builder, enum cm_energy_unit unit,
             const struct buffer_accesses *accesses, const struct cm_array_lookup *array)
{
   struct cm_energy_term *term =
      cm_energy_add_events(builder, (int)unit, accesses->what, "", 1,
                           accesses->is_write ? array->energy.write : array->energy.read, array->note);
   if (!term)
      return false;
   if (accesses->is_transfer) {
      const enum cm_stream stream = unit == CM_ENERGY_COLOR_BUFFER ? CM_STREAM_COLOR : CM_STREAM_DEPTH;
      cm_energy_count(builder, term, "%s.%s.%s", cm_unit_names[builder->config->streams[stream]],
                      cm_stream_names[stream], accesses->counter);
      if (stream == CM_STREAM_COLOR && cm_config_has_stream(builder->config, CM_STREAM_DISPLAY))
         cm_energy_count(builder, term, "%s.%s.%s",
                         cm_unit_names[builder->config->streams[CM_STREAM_DISPLAY]],
                         cm_stream_names[CM_STREAM_DISPLAY], accesses->counter);
      /* Pixels that are not stored are read for their signature. */
      if (stream == CM_STREAM_COLOR && !accesses->is_write &&
          cm_config_has_transaction_elimination(builder->config))
         cm_energy_count(builder, term, "transaction_elimination.blocks");
      term->times = QUADS_PER_BLOCK;
   } else {
      cm_energy_count(builder, term, "operations.%s", accesses->counter);
   }
   return true;
}

static bool
add_tile_buffer(struct cm_energy_builder *builder, enum cm_energy_unit unit, const char *reads,
                const char *writes, uint32_t count)
{
   const struct buffer_accesses accesses[] = {
      {"quads: reads", reads, false, false},
      {"quads: writes", writes, true, false},
      {"quads stored: reads", "writes", false, true},
      {"quads loaded: writes", "reads", true, true},
   };
   const uint32_t side = builder->config->tile.size;
   const uint64_t bytes = (uint64_t)side * side * SAMPLE_BYTES;
   struct cm_array_lookup array;
   if (!cm_energy_find_ram(builder, "the tile buffers", bytes, BUFFER_PORT_BITS, &array))
      return false;
   const bool has_operations = cm_energy_has_counter(builder, "operations.color_reads");
   for (unsigned a = has_operations ? 0 : 2; a < sizeof accesses / sizeof accesses[0]; a++) {
      if (!add_accesses(builder, unit, &accesses[a], &array))
         return false;
   }
   return cm_energy_add_leakage(builder, (int)unit, count, "buffer", array.energy.leakage, array.note);
}

/* ---- rendering elimination ---------------------------------------------- */

/* A CRC by tables, "slicing-by-8" (M. Kounavis, F. Berry, "Novel Table Lookup-Based Algorithms for High-Performance CRC
 * Generation", IEEE Transactions on Computers 57, 2008): one table of 256 entries for each byte of a block; likewise for each byte
 * of the signature that another one is appended to. */
#define TABLE_ENTRIES 256
#define SIGNATURE_PORT_BYTES 4

static bool
add_tables(struct cm_energy_builder *builder)
{
   const struct cm_rendering_elimination_config *config = &builder->config->rendering_elimination;
   const uint32_t bytes = config->signature_bytes;
   const uint32_t words = (bytes + SIGNATURE_PORT_BYTES - 1) / SIGNATURE_PORT_BYTES;
   struct cm_array_lookup table;
   return cm_energy_find_ram(builder, "the Signature Unit's tables", (uint64_t)TABLE_ENTRIES * bytes,
                             SIGNATURE_PORT_BYTES * 8, &table) &&
          cm_energy_add_events(builder, CM_ENERGY_SIGNATURE_UNIT, "blocks: look-ups in tables",
                               "rendering_elimination.blocks", config->block_bytes * words, table.energy.read,
                               table.note) &&
          cm_energy_add_events(builder, CM_ENERGY_SIGNATURE_UNIT, "signatures appended: look-ups in tables",
                               "rendering_elimination.updates", bytes * words, table.energy.read,
                               table.note) &&
          cm_energy_add_leakage(builder, CM_ENERGY_SIGNATURE_UNIT, config->block_bytes + bytes, "table",
                                table.energy.leakage, table.note);
}

static bool
add_signature_unit(struct cm_energy_builder *builder)
{
   const struct cm_rendering_elimination_config *config = &builder->config->rendering_elimination;
   const uint64_t bytes = (uint64_t)config->signatures * config->signature_bytes;
   const uint32_t words = (config->signature_bytes + SIGNATURE_PORT_BYTES - 1) / SIGNATURE_PORT_BYTES;
   struct cm_array_lookup buffer;
   if (!cm_config_has_rendering_elimination(builder->config))
      return true;
   return cm_energy_find_ram(builder, "the Signature Buffer", bytes, SIGNATURE_PORT_BYTES * 8, &buffer) &&
          cm_energy_add_events(builder, CM_ENERGY_SIGNATURE_UNIT, "signatures: reads",
                               "rendering_elimination.updates rendering_elimination.compared", words,
                               buffer.energy.read, buffer.note) &&
          cm_energy_add_events(builder, CM_ENERGY_SIGNATURE_UNIT, "signatures: writes",
                               "rendering_elimination.updates", words, buffer.energy.write, buffer.note) &&
          cm_energy_add_leakage(builder, CM_ENERGY_SIGNATURE_UNIT, 1, "Signature Buffer",
                                buffer.energy.leakage, buffer.note) &&
          add_tables(builder);
}

/* ---- leakage of logic -------------------------------------------------- */

static bool
add_logic_leakage(struct cm_energy_builder *builder, enum cm_energy_unit unit)
{
   const struct cm_config *config = builder->config;
   const uint64_t femtowatts_per_nanowatt = 1000000;
   const uint64_t processor = config->energy.processor_leakage * femtowatts_per_nanowatt;
   const uint32_t vertex_processors =
      config->pipeline.vertex_processors ? config->pipeline.vertex_processors : 1;
   const bool has_lanes = unit == CM_ENERGY_EARLY_Z || unit == CM_ENERGY_BLENDING;
   char note[240];
   const bool is_processor = unit == CM_ENERGY_FRAGMENT_STAGE || unit == CM_ENERGY_VERTEX_STAGE;
   cm_energy_note_key(builder, is_processor ? "processor_leakage" : "unit_leakage", note, sizeof note);
   switch (unit) {
   case CM_ENERGY_FRAGMENT_STAGE:
      return cm_energy_add_leakage(builder, (int)unit, config->fragment_stage.processors, "processor",
                                   processor, note);
   case CM_ENERGY_VERTEX_STAGE:
      return cm_energy_add_leakage(builder, (int)unit, vertex_processors, "processor", processor, note);
   default:
      return cm_energy_add_leakage(builder, (int)unit, has_lanes ? cm_config_lanes(config) : 1, "unit",
                                   config->energy.unit_leakage * femtowatts_per_nanowatt, note);
   }
}

bool
cm_energy_add_pipeline(struct cm_energy_builder *builder)
{
   const struct cm_config *config = builder->config;
   /* A tile can be flushed from one Color Buffer while the next is drawn to another; Hidden Surface Removal has a
    * Z-Buffer of its own ("DTM-NUCA" II-C). */
   const uint32_t color_buffers = config->pipeline.tile_buffers ? config->pipeline.tile_buffers : 1;
   const uint32_t depth_buffers = config->mode == CM_MODE_TBDR ? 2 : 1;
   if (has_tiles(builder) &&
       (!add_tile_buffer(builder, CM_ENERGY_COLOR_BUFFER, "color_reads", "color_writes", color_buffers) ||
        !add_tile_buffer(builder, CM_ENERGY_DEPTH_BUFFER, "depth_quads", "depth_writes", depth_buffers)))
      return false;
   for (int unit = CM_ENERGY_VERTEX_STAGE; unit <= CM_ENERGY_BLENDING; unit++) {
      if (unit == CM_ENERGY_TILING_ENGINE && !has_tiles(builder))
         continue;
      for (size_t o = 0; o < sizeof operations / sizeof operations[0]; o++) {
         if (operations[o].unit == (enum cm_energy_unit)unit && !add_operation(builder, &operations[o]))
            return false;
      }
      if (!add_logic_leakage(builder, (enum cm_energy_unit)unit))
         return false;
   }
   return add_signature_unit(builder);
}
