/* SPDX-License-Identifier: MIT */
/** The part of a configuration that says how long the pipeline takes: keys timing and pipeline.*
 * (docs/timing.md). Latencies of caches, the mesh and the Attribute Cache's queue and MSHRs are keys of
 * theirs; those of DRAM are dram_system.*. */
#ifndef CM_PIPELINE_CONFIG_H
#define CM_PIPELINE_CONFIG_H

#include <stdint.h>

/** Whether cycles are simulated: key timing. */
enum cm_timing_mode {
   CM_TIMING_OFF, /**< "off", and where there is no such key */
   CM_TIMING_ON,  /**< "on": needs pipeline (in mode imr immediate_pipeline) and dram_system */
};

/** Keys pipeline.*; "004" is "DTM-NUCA", Table I. A queue holds 1 … 65536 items; throughputs are in cycles an
 * item, so that twice the number is half the throughput. All are 0 where there is no such mapping. */
struct cm_pipeline_config {
   /* The Geometry Pipeline. */
   uint32_t vertex_processors; /**< 1 … 64 */
   uint32_t vertex_queue;      /**< vertices before the Vertex Processors, and as many behind them */
   uint32_t assembly_cycles;   /**< Primitive Assembly: cycles a vertex, 1 … 1000 */
   uint32_t triangle_queue;    /**< primitives before the Polygon List Builder */
   /* The Tile Fetcher. */
   uint32_t fetch_queue; /**< primitives that it has requested and not passed on (TCOR II-C), at most */
   /** Primitives between it and the Rasterizer; 0: without limit. Where there is a primitive_buffer, its
    * output_queue is the limit, unless this is 0. */
   uint32_t tile_queue;
   /* The Raster Pipeline. */
   uint32_t rasterizer_cycles; /**< cycles an attribute of a quad, 1 … 1000 */
   uint32_t early_z_quads;     /**< quads in the Early Z-Test at once, 1 … 1024 */
   uint32_t early_z_latency;   /**< cycles a quad is in it, 1 … 1000 */
   uint32_t fragment_queue; /**< quads before the Early Z-Test, and as many before the Fragment Processors */
   uint32_t fragment_contexts; /**< quads that a Fragment Processor works on at once, 1 … 64 */
   uint32_t color_queue;       /**< shaded quads before the Blending Unit */
   uint32_t blend_cycles;      /**< cycles a quad, 1 … 1000 */
   uint32_t tile_buffers;      /**< tiles that have a Color Buffer at once, 1 … 16 */
   uint32_t flush_cycles;      /**< cycles a block of a tile's load or flush, 1 … 1000 */
   uint32_t flush_requests;    /**< blocks of them outstanding, 1 … 4096 */
   /* The memory hierarchy. */
   uint32_t vertex_mshrs;  /**< misses outstanding of the Vertex Stage, 1 … 256 */
   uint32_t tile_mshrs;    /**< of the Tiling Engine; primitive_buffer.mshrs are the Attribute Cache's own */
   uint32_t texture_mshrs; /**< of each texture cache */
   uint32_t instruction_mshrs; /**< of the instruction cache */
   uint32_t l2_mshrs;          /**< of the L2 */
   uint32_t l2_banks;          /**< block n is in bank n % l2_banks, 1 … 64 */
   uint32_t l2_bank_cycles;    /**< cycles that a bank is busy with an access, 1 … 1000 */
};

/** Keys immediate_pipeline.*: the same of mode imr (docs/immediate.md). X(member, least, most, what it is) */
#define CM_IMMEDIATE_PIPELINE_KEYS(X)                                                                     \
   X(vertex_queue, 1, 65536, "vertices that are fetched and not assembled, at most")                      \
   X(setup_cycles, 1, 1000, "cycles of Primitive Assembly a primitive")                                   \
   X(triangle_queue, 1, 65536, "primitives before the Rasterizer")                                        \
   X(hiz_queue, 1, 4096, "regions that wait for their HiZ")                                               \
   X(rasterizer_cycles, 1, 1000, "cycles a block of 4x4 pixels that HiZ does not hide")                   \
   X(depth_queue, 1, 4096, "blocks that wait for what the early tests compare with")                      \
   X(fragment_contexts, 1, 1024, "blocks that a Fragment Processor works on at once")                     \
   X(issue_width, 1, 1024, "instructions of quads that a Fragment Processor issues a cycle")              \
   X(sampler_cycles, 1, 1000, "cycles of a Fragment Processor's sampler a footprint of a quad")           \
   X(texture_mshrs, 1, 1024, "misses outstanding of a Fragment Processor's first texture cache")          \
   X(color_queue, 1, 65536, "blocks between the oldest one to blend and the youngest one that is shaded") \
   X(color_reads, 1, 4096, "blocks that wait for the colours to blend with")                              \
   X(llc_clock_mhz, 1, 100000, "clock of the last-level cache: an access a bank and cycle")               \
   X(llc_mshrs, 1, 1024, "blocks that the last-level cache reads from memory at once")                    \
   X(llc_writes, 1, 4096, "blocks on their way from it to memory")

/** All are 0 where there is no such mapping. */
struct cm_immediate_pipeline_config {
#define CM_IMMEDIATE_PIPELINE_FIELD(member, least, most, description) uint32_t member;
   CM_IMMEDIATE_PIPELINE_KEYS(CM_IMMEDIATE_PIPELINE_FIELD)
#undef CM_IMMEDIATE_PIPELINE_FIELD
};

#endif
