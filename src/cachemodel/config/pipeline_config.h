/* SPDX-License-Identifier: MIT */
/** The part of a configuration that describes the pipeline's timing: keys timing and pipeline.*
 * (docs/timing.md). Latencies of caches, the mesh and the Attribute Cache's queue and MSHRs are keys in
 * their own mappings; those of DRAM are dram_system.*. */
#ifndef CM_PIPELINE_CONFIG_H
#define CM_PIPELINE_CONFIG_H

#include <stdint.h>

/** Whether cycles are simulated: key timing. */
enum cm_timing_mode {
   CM_TIMING_OFF, /**< "off": they are not; the same without the key */
   CM_TIMING_ON,  /**< "on": needs pipeline (in mode imr immediate_pipeline) and dram_system */
};

/** Keys pipeline.*: the Geometry Pipeline, the Tile Fetcher, the Raster Pipeline, the memory hierarchy. Throughputs are
 * in cycles per item, so that twice the number is half the throughput. tile_queue: 0 is without limit; where there is a
 * primitive_buffer, its output_queue is the limit, unless tile_queue is 0. primitive_buffer.mshrs are the Attribute
 * Cache's own. X(member, least, most, what it is) */
#define CM_PIPELINE_KEYS(X)                                                                                 \
   X(vertex_processors, 1, 64, "Vertex Processors")                                                         \
   X(vertex_queue, 1, 65536, "vertices before the Vertex Processors, and as many after them")               \
   X(assembly_cycles, 1, 1000, "cycles of Primitive Assembly per vertex")                                   \
   X(triangle_queue, 1, 65536, "primitives before the Polygon List Builder")                                \
   X(fetch_queue, 1, 4096,                                                                                  \
     "primitives that the Tile Fetcher has requested and not passed on (TCOR II-C), at most")               \
   X(tile_queue, 0, 65536, "primitives between it and the Rasterizer")                                      \
   X(rasterizer_cycles, 1, 1000, "cycles per attribute of a quad")                                          \
   X(early_z_quads, 1, 1024, "quads in the Early Z-Test at once")                                           \
   X(early_z_latency, 1, 1000, "cycles that a quad is in it")                                               \
   X(fragment_queue, 1, 65536, "quads before the Early Z-Test, and as many before the Fragment Processors") \
   X(fragment_contexts, 1, 64, "quads that a Fragment Processor works on at once")                          \
   X(color_queue, 1, 65536, "shaded quads before the Blending Unit")                                        \
   X(blend_cycles, 1, 1000, "cycles of it per quad")                                                        \
   X(tile_buffers, 1, 16, "tiles that have a Color Buffer at once")                                         \
   X(flush_cycles, 1, 1000, "cycles per block of a tile's load or flush")                                   \
   X(flush_requests, 1, 4096, "blocks of flushes in flight: written, and not yet taken by the next level")  \
   X(vertex_mshrs, 1, 256, "misses outstanding of the Vertex Stage")                                        \
   X(tile_mshrs, 1, 256, "misses outstanding of the Tiling Engine")                                         \
   X(texture_mshrs, 1, 256, "misses outstanding of each texture cache")                                     \
   X(instruction_mshrs, 1, 256, "misses outstanding of the instruction cache")                              \
   X(l2_mshrs, 1, 256, "misses outstanding of the L2")                                                      \
   X(l2_banks, 1, 64, "banks of the L2: block n is in bank n % l2_banks")                                   \
   X(l2_bank_cycles, 1, 1000, "cycles that a bank is busy with an access")

#define CM_PIPELINE_FIELD(member, least, most, description) uint32_t member;
/** How quads go from the Rasterizer through Early Z-Test, Fragment Processors and Blending Unit: key pipeline.lanes. */
enum cm_lanes {
   /** "shared": there is one Early Z-Test and one Blending Unit, which take all quads in order */
   CM_LANES_SHARED,
   /** "coupled": each Fragment Processor has its own, with queues of their own; these stages of all processors go on to
    * the next tile together, when the last quad of the tile has left the stage */
   CM_LANES_COUPLED,
   /** "decoupled": the same, but each processor's stages go on to the next tile by themselves */
   CM_LANES_DECOUPLED,
};

/** All are 0 where there is no such mapping. */
struct cm_pipeline_config {
   CM_PIPELINE_KEYS(CM_PIPELINE_FIELD)
   uint32_t load_requests; /**< blocks of tiles' loads outstanding, 1 … 4096; 0: as many as flush_requests */
   /** Entries of hierarchical lists, of one block, that the Tile Fetcher drops per cycle, as they are not of the tile, 1 … 16;
    * 0: 1. */
   uint32_t list_entries;
   enum cm_lanes lanes; /**< optional */
};

/** Keys immediate_pipeline.*: the same of mode imr (docs/immediate.md). X(member, least, most, what it is) */
#define CM_IMMEDIATE_PIPELINE_KEYS(X)                                                                     \
   X(vertex_queue, 1, 65536, "vertices that are fetched and not assembled, at most")                      \
   X(setup_cycles, 1, 1000, "cycles of Primitive Assembly per primitive")                                 \
   X(triangle_queue, 1, 65536, "primitives before the Rasterizer")                                        \
   X(hiz_queue, 1, 4096, "regions that wait for their HiZ")                                               \
   X(rasterizer_cycles, 1, 1000, "cycles per block of 4x4 pixels that HiZ does not hide")                 \
   X(depth_queue, 1, 4096, "blocks that wait for what the early tests compare with")                      \
   X(fragment_contexts, 1, 1024, "blocks that a Fragment Processor works on at once")                     \
   X(issue_width, 1, 1024, "instructions of quads that a Fragment Processor issues per cycle")            \
   X(sampler_cycles, 1, 1000, "cycles of a Fragment Processor's sampler a footprint of a quad")           \
   X(texture_mshrs, 1, 1024, "misses outstanding of a Fragment Processor's first texture cache")          \
   X(color_queue, 1, 65536, "blocks between the oldest one to blend and the youngest one that is shaded") \
   X(color_reads, 1, 4096, "blocks that wait for the colours to blend with")                              \
   X(llc_clock_mhz, 1, 100000, "clock of the last-level cache: an access per bank and cycle")             \
   X(llc_mshrs, 1, 1024, "blocks that the last-level cache reads from memory at once")                    \
   X(llc_writes, 1, 4096, "blocks on their way from it to memory")

/** All are 0 where there is no such mapping. */
struct cm_immediate_pipeline_config {
   CM_IMMEDIATE_PIPELINE_KEYS(CM_PIPELINE_FIELD)
};
#undef CM_PIPELINE_FIELD

#endif
