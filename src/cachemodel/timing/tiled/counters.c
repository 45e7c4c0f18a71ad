/* SPDX-License-Identifier: MIT */
/* The parts of the tile-based pipeline that are counted. */
#include "timing/tiled/tiled.h"

#define VALUE(name, measure, description, member) \
   CM_VALUE_PART(struct cm_tiled_timing, name, measure, description, member)
#define STAGE(name, description, member) CM_STAGE_PART(struct cm_tiled_timing, name, description, member)
#define QUEUE(name, description, member) CM_QUEUE_PART(struct cm_tiled_timing, name, description, member)
#define AT(member) offsetof(struct cm_tiled_timing, member)

static const struct cm_value_part values[] = {
   VALUE("tile_fetcher.primitives", "primitives",
         "primitives that the Tile Fetcher put into its output queue", fetcher.primitives),
   VALUE("tile_fetcher.cycles", "cycles",
         "cycles from the first PMD requested in a pass to the last primitive in its output queue",
         fetcher.cycles),
   VALUE("texture_cache.mshr_cycles", "cycles", "cycles that misses of the texture caches waited for an MSHR",
         memory.texture_waits),
   VALUE("load_store.port_cycles", "cycles", "cycles in which load/store units took blocks, summed",
         memory.stores.port),
   VALUE("load_store.mshr_cycles", "cycles", "cycles that misses of load/store units waited for an MSHR",
         memory.stores.mshrs),
   VALUE("load_store.write_cycles", "cycles",
         "cycles that stores, atomics and write-backs waited for the next level", memory.stores.writes),
   VALUE("load_store.write_back_cycles", "cycles",
         "cycles in which load/store caches wrote back at the end of passes", compute.counts.write_backs),
   VALUE("compute_stage.cycles", "cycles", "cycles of compute passes", compute.counts.cycles),
   VALUE("compute_stage.barrier_cycles", "cycles",
         "cycles that invocations, 16 at a time, waited for others at barriers", compute.counts.barriers),
   VALUE("l2.mshr_cycles", "cycles", "cycles that misses of the L2 waited for an MSHR", memory.l2.waits),
   VALUE("l2.bank_cycles", "cycles", "cycles that accesses of the L2 waited for their bank",
         memory.l2_banks.waits),
   VALUE("mesh.wait_cycles", "cycles", "cycles that messages waited for a link, or for the table",
         memory.link_cycles),
   {"texture_bus.wait_cycles", "cycles",
    "cycles that blocks waited for the bus between texture caches and L2", AT(memory.texture_bus.waits),
    cm_config_has_texture_bus},
   {0},
};

static const struct cm_stage_part stages[] = {
   STAGE("vertex_fetch", "the fetch of indices and vertices", geometry.fetch),
   {"vertex_processors", "the Vertex Processors, summed", AT(geometry.processors), true},
   STAGE("primitive_assembly", "Primitive Assembly", geometry.assembly),
   STAGE("polygon_list_builder", "the Polygon List Builder", geometry.builder),
   STAGE("tile_fetcher", "the Tile Fetcher", fetcher.stage),
   STAGE("hidden_surface_removal", "Hidden Surface Removal", hidden.stage),
   STAGE("rasterizer", "the Rasterizer", raster.rasterizer),
   STAGE("early_z", "the Early Z-Test", raster.early_z),
   {"fragment_processors", "the Fragment Processors, summed", AT(base.fragment), true},
   STAGE("blending_unit", "the Blending Unit", raster.blend),
   STAGE("tile_buffers", "loads and flushes of tiles", transfer.stage),
   {0},
};

static const struct cm_queue_part queues[] = {
   QUEUE("vertex_input", "vertices before the Vertex Processors", geometry.input.queue),
   QUEUE("vertex_output", "vertices before Primitive Assembly", geometry.output),
   QUEUE("triangle", "primitives before the Polygon List Builder", geometry.triangles),
   QUEUE("tile_fetch", "primitives requested by the Tile Fetcher", fetcher.requests.queue),
   QUEUE("tile", "primitives behind the Tile Fetcher", fetcher.tiles),
   QUEUE("early_z", "quads before the Early Z-Test", raster.z_queue),
   QUEUE("early_z_flight", "quads in the Early Z-Test", raster.z_flight),
   QUEUE("fragment", "quads before the Fragment Processors", raster.fragments),
   QUEUE("color", "quads before the Blending Unit", raster.colors),
   {0},
};

const struct cm_pipeline_parts cm_tiled_parts = {values, stages, queues};
