/* SPDX-License-Identifier: MIT */
/**
 * The simulated GPU as data: a YAML file (a preset in configs/ or the user's own)
 * and key=value changes to it. A file sets every key, except caches that the GPU does not have
 * and optional keys, which are then 0; in an optional mapping that is present, it
 * sets every key. The presets have the values' sources as comments. Keys are
 * dotted paths: "caches.l2.size". Numbers of bytes can be written as 256K or 2MiB, frequencies as 600MHz or 1.6GHz
 * (config/quantity.h), names in upper or lower case (config/names.h).
 *
 * Functions that can fail write one line to error (no newline at its end): for a
 * file "FILE:LINE: what is wrong, what was expected".
 */
#ifndef CM_CONFIG_H
#define CM_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/access_unit_config.h"
#include "config/compression_config.h"
#include "config/config_problem.h"
#include "config/dram_config.h"
#include "config/elimination_config.h"
#include "config/energy_config.h"
#include "config/nuca_config.h"
#include "config/pipeline_config.h"
#include "config/shader_core_config.h"
#include "config/tiling_config.h"
#include "config/units.h"

/** In which order fragments are shaded, and which of them: key mode. */
enum cm_mode {
   CM_MODE_TBDR, /**< "tbdr": tile by tile; each pixel's visible opaque fragment is shaded once */
   CM_MODE_TBR,  /**< "tbr": tile by tile; early depth test only */
   CM_MODE_IMR, /**< "imr": primitive by primitive, without tiles or a Parameter Buffer (gpu/immediate/immediate.h) */
   CM_MODE_COUNT
};

extern const char *const cm_mode_names[CM_MODE_COUNT];

/** Which fragment processor a quad goes to: key fragment_stage.scheduler. */
enum cm_scheduler {
   /** "round-robin": a tile's (mode imr: a pass') n-th quad goes to n % processors */
   CM_SCHEDULER_ROUND_ROBIN,
   /** "quad-block": by its position in the tile (mode imr: in the attachments). Blocks of 2×2 quads are numbered
    * in Z-order; block n goes to n % processors */
   CM_SCHEDULER_QUAD_BLOCK,
   /** "least-work": to the processor with the least work in this tile (mode imr: pass) so far, the lowest
    * number of several. A quad's work, which counts when it has run, is its program's instructions and its
    * footprints. */
   CM_SCHEDULER_LEAST_WORK,
   /** "sub-tile": by its position in the tile. Quads are numbered in Z-order; of n, quad q goes to
    * q * processors / n: each processor has one contiguous part, a rectangle where they are a power of two.
    * Not in mode imr */
   CM_SCHEDULER_SUB_TILE,
   /** "tile": all quads of a tile to one processor, that of the tile's position in the traversal % processors. Not
    * in mode imr */
   CM_SCHEDULER_TILE,
   /** "interleaved": by its position in the tile: one in column x and row y, counted in quads, goes to
    * (x + y * (processors / 2)) % processors. Not in mode imr */
   CM_SCHEDULER_INTERLEAVED,
   /** "rows": of n rows of quads of the tile, row y goes to y * processors / n. Not in mode imr */
   CM_SCHEDULER_ROWS,
   /** "columns": the same with columns. Not in mode imr */
   CM_SCHEDULER_COLUMNS,
};

/** Whether that is the same in all tiles: key fragment_stage.assignment. */
enum cm_assignment {
   /** "constant": it is */
   CM_ASSIGNMENT_CONSTANT,
   /** "mirrored": in tiles of odd columns from right to left, in those of odd rows from bottom to top. Quads on the two
    * sides of a tile's edge then go to the same processor. For schedulers that go by a quad's position in the tile */
   CM_ASSIGNMENT_MIRRORED,
};

/** In which order a deferred GPU shades a run of opaque primitives: key fragment_stage.quad_order. */
enum cm_shading_order {
   CM_SHADING_ORDER_BLOCKS, /**< "blocks": by block of 4×4 pixels (events/deferred.h) */
   CM_SHADING_ORDER_DRAWS,  /**< "draws": as they were drawn */
};

/** What GSPC leaves open of mode imr: keys immediate.*, all of them optional (docs/immediate.md). */
struct cm_immediate_config {
   enum cm_clears {
      CM_CLEARS_MEMORY, /**< "memory": a clear writes all blocks of the attachment */
      CM_CLEARS_FAST,   /**< "fast": it sets a bit of each (gpu/cleared_blocks.h) */
   } clears;
   enum cm_hiz_region {
      CM_HIZ_REGION_8X8, /**< "8x8": pixels of a region that has bounds of its own */
      CM_HIZ_REGION_8X4, /**< "8x4": 8 columns, 4 rows */
      CM_HIZ_REGION_4X4, /**< "4x4" */
   } hiz_region;
   /** Bytes of a region's bounds: 4, 8 or 16; 0: 4. */
   uint32_t hiz_bytes;
   enum cm_hiz_samples {
      CM_HIZ_SAMPLES_TOGETHER, /**< "together": the bounds are of all samples of a region's pixels */
      CM_HIZ_SAMPLES_EACH,     /**< "each": each sample of the pixels has bounds of its own */
   } hiz_samples;
   enum cm_depth_reads {
      CM_DEPTH_READS_NOT_HIDDEN, /**< "not-hidden": Z is read of all blocks but those of regions that HiZ rejects */
      /** "undecided": nor of blocks whose fragments all pass the depth test, or all fail */
      CM_DEPTH_READS_UNDECIDED,
   } depth_reads;
   enum cm_render_caches {
      CM_RENDER_CACHES_EMPTIED, /**< "emptied": of the attachments, at the end of each pass */
      CM_RENDER_CACHES_KEPT,    /**< "kept": of an attachment when something else reads it */
   } render_caches;
   /** What a write of all pixels of a block is; clears and resolves always write whole blocks. */
   enum cm_pixel_writes {
      CM_PIXEL_WRITES_WHOLE, /**< "whole": a write of a whole block, which reads nothing */
      /** "partial": one of a part, for which a render cache with write_miss "fetch" reads the block */
      CM_PIXEL_WRITES_PARTIAL,
   } pixel_writes;
};

/** Where texels lie: key texture.placement. */
enum cm_placement_kind {
   CM_PLACEMENT_LINEAR,    /**< "linear": row after row (texture/placement.h has all) */
   CM_PLACEMENT_4D,        /**< "4d": tiles */
   CM_PLACEMENT_6D,        /**< "6d": tiles of tiles */
   CM_PLACEMENT_RZ,        /**< "rz": recursive Z */
   CM_PLACEMENT_MORTON_4K, /**< "morton-4k": recursive Z within pages of 4 KiB */
};

/** Where textures begin: key texture.offset. */
enum cm_texture_offset {
   CM_TEXTURE_OFFSET_NONE, /**< "none": at a multiple of 4 KiB */
   /** "hashed": up to 3840 bytes further, a multiple of 256 that depends on how many were placed before (gpu/address_space.h) */
   CM_TEXTURE_OFFSET_HASHED,
};

/** The bus that connects the texture caches to the next level ("DTM-NUCA" IV-A: "a common bus"), texture/bus.h: keys
 * texture_bus.*, each of which may be left out. Its energy: energy.texture_bus_byte. */
struct cm_texture_bus_config {
   uint32_t bytes_per_cycle; /**< a power of two up to 4096; 0: any number of blocks at once */
   uint32_t latency;         /**< further cycles that a request and its block spend on it, 0 … 1000 */
};

/** How a texture cache is accessed (texture/access.h): key texture_access.design. */
enum cm_texture_design {
   CM_TEXTURE_DESIGN_NONE, /**< "none": accesses are not counted by design */
   CM_TEXTURE_DESIGN_TRADITIONAL,
   CM_TEXTURE_DESIGN_WIDE_BUS,
   CM_TEXTURE_DESIGN_MULTI_PORT,
   CM_TEXTURE_DESIGN_BANKED_CONTINUOUS,
   CM_TEXTURE_DESIGN_BANKED_INTERLEAVED,
};

/** Where its tags are: key texture_access.tags. */
enum cm_texture_tags {
   CM_TEXTURE_TAGS_SHARED,      /**< "shared": one array, with a port for each address */
   CM_TEXTURE_TAGS_FOUR_ARRAYS, /**< "four-arrays": one for each address */
   CM_TEXTURE_TAGS_BANKED,      /**< "banked": four banks of one port */
};

/** What a miss takes of its energy: key texture_access.miss. */
enum cm_texture_miss {
   CM_TEXTURE_MISS_LINE, /**< "line": the line's data in all banks, and its tags, which it replaces (thesis 3.4) */
   CM_TEXTURE_MISS_ACCESS, /**< "access": one more access, as the thesis' (C + M) * E says (4.2.2) */
};

/** Which block a set evicts: key caches.*.policy. An empty way is filled before any
 * block is evicted. docs/caches.md has the sources and what the papers leave open.
 * X(identifier, name, definition, description) */
#define CM_POLICIES(X)                                                                                \
   X(LRU, "lru", lru, "the least recently used")                                                      \
   X(MRU, "mru", mru, "the most recently used")                                                       \
   X(FIFO, "fifo", fifo, "the oldest")                                                                \
   X(RANDOM, "random", random, "any, by a generator with a fixed seed")                               \
   X(NRU, "nru", nru, "the first not used since all were marked unused (1 bit)")                      \
   X(TREE_PLRU, "tree-plru", tree_plru, "where a binary tree of the ways points; ways: a power of 2") \
   X(SRRIP, "srrip", srrip, "static RRIP: inserted with a long RRPV (2 bits)")                        \
   X(SRRIP4, "srrip4", srrip4, "as srrip, 4 bits")                                                    \
   X(BRRIP, "brrip", brrip, "bimodal RRIP: inserted with a distant RRPV, 1 of 32 long")               \
   X(BRRIP4, "brrip4", brrip4, "as brrip, 4 bits")                                                    \
   X(DRRIP, "drrip", drrip, "dynamic RRIP: srrip or brrip by set dueling (2 bits)")                   \
   X(DRRIP4, "drrip4", drrip4, "as drrip, 4 bits")                                                    \
   X(SHIP_MEM, "ship-mem", ship_mem, "srrip; distant RRPV if its 16 KiB region had no hits")          \
   X(GS_DRRIP, "gs-drrip", gs_drrip, "as drrip, with a selector for each of four streams (2 bits)")   \
   X(GS_DRRIP4, "gs-drrip4", gs_drrip4, "as gs-drrip, 4 bits")                                        \
   X(GSPZTC, "gspztc", gspztc, "srrip; RRPV of depth and textures by learnt reuse")                   \
   X(GSPZTC_TSE, "gspztc-tse", gspztc_tse, "as gspztc, with texture sampler epochs")                  \
   X(GSPC, "gspc", gspc, "as gspztc-tse; RRPV of colour by its use as texture")                       \
   X(OPT, "opt", opt, "the one whose next use is farthest; offline only")                             \
   X(OPTPT, "optpt", optpt, "as opt, or bypass if its own next use is farthest")                      \
   X(TCOR, "tcor", tcor, "dead Parameter Buffer first, live last; primitives by OPT number")          \
   X(DEAD_LRU, "dead-lru", dead_lru, "dead Parameter Buffer first, then the least recently used")     \
   X(PERFECT, "perfect", perfect, "none: every access hits, none goes to the next unit")

enum cm_policy {
#define CM_POLICY_ENUM(id, name, definition, description) CM_POLICY_##id,
   CM_POLICIES(CM_POLICY_ENUM)
#undef CM_POLICY_ENUM
      CM_POLICY_COUNT
};

extern const char *const cm_policy_names[CM_POLICY_COUNT];
extern const char *const cm_policy_descriptions[CM_POLICY_COUNT];

/** How a block number becomes a set number: key caches.*.index (memory/set_index.h). Except with modulo, the number of sets is
 * a power of two, 2^n. */
enum cm_index {
   CM_INDEX_MODULO,   /**< "modulo": the remainder by the number of sets */
   CM_INDEX_XOR,      /**< "xor": the low n bits, exclusive-ored with the next n ones (TCOR III-C2) */
   CM_INDEX_XOR_FOLD, /**< "xor-fold": all of the number, n bits each, exclusive-ored */
   /** "ipoly": the remainder by the smallest irreducible polynomial of degree n over GF(2) (B. Rau, "Pseudo-Randomly
    * Interleaved Memory", ISCA 1991) */
   CM_INDEX_IPOLY,
   CM_INDEX_COUNT
};

extern const char *const cm_index_names[CM_INDEX_COUNT];

/** What a write that misses does with the rest of its block: key caches.*.write_miss. */
enum cm_write_miss {
   /** "allocate": the block is allocated, and never read: reads of any of its bytes hit, and it is written back
    * whole. Ideal: what keeps the block's other bytes costs nothing. */
   CM_WRITE_MISS_ALLOCATE,
   CM_WRITE_MISS_FETCH, /**< "fetch": unless the write is the whole block, it is read first */
   /** "validate": the block is allocated, and only the bytes written are valid. A read of others reads the block
    * and merges it; until then a write-back is a write of a part of a block. */
   CM_WRITE_MISS_VALIDATE,
};

/** Which sets are the samples of GSPC's policies, "identified by simple Boolean functions on the LLC index bits" (3): key
 * caches.*.gspc.samples. Of 1,024 sets 16, whose bits 9 to 6 equal bits 3 to 0. */
enum cm_gspc_samples {
   CM_GSPC_SAMPLES_QUARTER, /**< "quarter": bits 5 and 4 are clear: the first quarter of 64 neighbours */
   CM_GSPC_SAMPLES_SPREAD,  /**< "spread": bits 5 and 4 equal bits 7 and 6: all over the 64 */
};

/** Policies that learn from sampled sets: keys caches.*.gspc.*. Each threshold is a power of two, 1 … 128; 0: the
 * paper's (GSPC, sections 3 and 5.1). */
struct cm_gspc_config {
   /** Threshold t: depth and texture blocks are inserted with a distant RRPV if blocks of their kind are used again with
    * a probability below 1 / (t + 1). gspztc, gspztc-tse, gspc; the paper's is 8. */
   uint32_t threshold;
   /** Colour blocks are inserted with a distant RRPV if fewer than one in so many is used as texture. gspc; the
    * paper's is 16. */
   uint32_t render_target_distant;
   uint32_t render_target_long; /**< the same for a long RRPV; the paper's is 8 */
   enum cm_gspc_samples samples;
};

/** Which sets are samples ("leaders") of the policies that duel: key caches.*.rrip.leaders. The sets are divided into
 * groups of neighbours, one for each pair of samples; g is a group's number. memory/replacement/set_dueling.h. */
enum cm_leaders {
   CM_LEADERS_GROUPS, /**< "groups": the sets numbered g and ~g within their group, g not being repeated */
   CM_LEADERS_COMPLEMENT, /**< "complement": the same, g's bits being repeated until they fill a set's number */
   CM_LEADERS_HASH,       /**< "hash": sets chosen by a hash of their index */
   CM_LEADERS_BANK,       /**< "bank": complement within each bank, which has a selector of its own */
};

/** What the papers of the RRIP policies leave open: keys caches.*.rrip.*. drrip, gs-drrip. */
struct cm_rrip_config {
   enum cm_leaders leaders;
};

/** A latency that follows from size, ways, technology and clock (cm_energy_find_latency): key "auto". */
#define CM_LATENCY_AUTO UINT32_MAX

/** One cache, or several alike: keys caches.NAME.*. Not configured: size is 0. */
struct cm_cache_config {
   uint32_t size;      /**< bytes of one instance; a multiple of ways * block */
   uint32_t ways;      /**< 1 … 1024; "full": as many as there are blocks */
   uint32_t full_ways; /**< 1: the key says "full", so that ways follows size and block; 0 */
   uint32_t block;     /**< bytes of a block; a power of two, 16 … 4096 */
   /** Fragment processor p uses instance p % instances, everything else instance 0. If `next` has as many,
    * instance i's misses go to instance i of it. */
   uint32_t instances;
   uint32_t latency; /**< cycles of a hit; CM_LATENCY_AUTO, only of the L2 */
   enum cm_policy policy;
   enum cm_index index;
   enum cm_write_miss write_miss;
   enum cm_unit next; /**< the unit that serves its misses */
   /* Optional keys. */
   /** Banks, a power of two up to 16: set s is in bank s % banks. A policy that learns keeps what it has
    * learnt for each bank by itself. 0: the policy's own number (cm_cache_config_banks). */
   uint32_t banks;
   /** 1 + the stream whose accesses bypass the cache, like displayable colour in GSPC 5.1; 0: "none".
    * cm_config_set also takes the key uncached_display: true is "display", false "none". */
   uint32_t uncached;
   /** 1 + the only stream of which write_miss "fetch" reads a block that a write does not fill; those of others are
    * allocated; 0: "all" are read. */
   uint32_t fetched;
   struct cm_gspc_config gspc;
   struct cm_rrip_config rrip;
};

/** A cache's banks: those of its policy's paper where the configuration has none. GSPC's policies have 4
 * (section 4: 2 MiB each of 8); all others 1. */
uint32_t cm_cache_config_banks(const struct cm_cache_config *cache);

/** A cache's thresholds, the paper's where the configuration has none. */
struct cm_gspc_config cm_cache_config_gspc(const struct cm_cache_config *cache);

/** Names of enum cm_leaders. */
#define CM_LEADERS_COUNT 4
extern const char *const cm_leaders_names[CM_LEADERS_COUNT];

/** One set in so many is a sample for the policies that learn from samples (GSPC 3: 16 of 1,024). */
#define CM_SETS_PER_SAMPLE 64

/** Whether a policy distinguishes dead blocks of the Parameter Buffer (memory/liveness.h): tcor, dead-lru. */
bool cm_policy_needs_liveness(enum cm_policy policy);

/** Whether a policy learns from sampled sets: gspztc, gspztc-tse, gspc. */
bool cm_policy_samples(enum cm_policy policy);

/** Which primitives are evicted when a line was found, but the Attribute Buffer has no space for all
 * attributes: key primitive_buffer.further_victims. TCOR III-C3 says "more primitives are evicted
 * using OPT", not where they are looked for. */
enum cm_further_victims {
   CM_FURTHER_VICTIMS_ALL_SETS,  /**< "all-sets": the first victim of all sets by the policy */
   CM_FURTHER_VICTIMS_NEXT_SETS, /**< "next-sets": of the same set while it has unlocked ones, then of the
                                  * sets after it */
};

/** The ID of a primitive that indexes and tags the Primitive Buffer: key primitive_buffer.ids. */
enum cm_primitive_ids {
   /** "blocks": the number of its first block of PB-Attributes. TCOR II-B: "the address of the first attribute". */
   CM_PRIMITIVE_IDS_BLOCKS,
   /** "primitives": its number in the pass, so that consecutive primitives are in consecutive sets, whatever their
    * attributes. A PMD would have to hold it in addition to the address, or instead of it, where all have as many. */
   CM_PRIMITIVE_IDS_PRIMITIVES,
};

/** Which of several primitives with the greatest OPT number, to be read next in the same tile or never again, is evicted: key
 * primitive_buffer.ties. */
enum cm_ties {
   CM_TIES_GREATEST_ID, /**< "greatest-id": the last one in program order, which the tile reads last */
   CM_TIES_LEAST_ID,    /**< "least-id": the first one */
   CM_TIES_LRU,         /**< "lru": the least recently used */
   CM_TIES_MRU,         /**< "mru": the most recently used */
};

/** What makes an attribute_cache the Attribute Cache of TCOR III-C2, whose granule is a primitive;
 * caches.attribute_cache is then its Attribute Buffer (size: entries * entry_bytes), with the ways,
 * the index and the policy (tcor: OPT numbers; or lru) of the Primitive Buffer. */
struct cm_primitive_buffer_config {
   /** In sets of caches.attribute_cache.ways, a power of two of them. With index modulo any number of lines, divided
    * evenly among lines / ways sets. 0: none is configured. */
   uint32_t lines;
   enum cm_further_victims further_victims;
   /** Primitives that wait for the Rasterizer, 1 … 4096. A primitive stays locked until the
    * Rasterizer has consumed it (TCOR III-C3); without a clock, until this many more were read, which
    * holds when the Rasterizer is the bottleneck. */
   uint32_t output_queue;
   /** Requests for attributes outstanding at the next level. A miss makes one for each attribute of
    * its primitive at once (TCOR III-C3), so it has to hold those of the largest one. Without a
    * clock no count depends on it. */
   uint32_t mshrs;
   /* Optional keys. */
   enum cm_primitive_ids ids;
   /** Bytes of an entry of the Attribute Buffer: 64, a block of memory, or 48, an attribute without the bytes that
    * PB-Attributes leaves unused. 0: 64. */
   uint32_t entry_bytes;
   enum cm_ties ties;
};

/** A simulated GPU. Made by cm_config_load (gpu/gpu_config.h), changed by cm_config_set; read by everyone. */
struct cm_config {
   char *description;          /**< one line */
   uint32_t clock_mhz;         /**< GPU clock */
   enum cm_timing_mode timing; /**< optional */
   /** Optional: to what accesses are attributed, each 0 or 1 (gpu/attribution.h). Changes no other result. */
   struct {
      uint32_t pass, draw, texture, tile;
   } attribution;
   enum cm_mode mode;
   uint32_t threads; /**< threads that render tiles; 0: one per core. No result depends on it. */
   struct {
      uint32_t size; /**< pixels: 8, 16, 32 or 64; tiles are square */
      enum cm_tile_order order;
   } tile;
   struct {
      enum cm_frame_traversal traversal;
      /** Optional: buffers that a displayed image has in turn, 1 … CM_EARLIER_FRAMES (events/tile_content.h): what it is drawn over
       * is what it was so many frames before. Only elimination needs it. */
      uint32_t buffers;
   } frame;
   struct cm_transaction_elimination_config transaction_elimination; /**< optional */
   struct cm_rendering_elimination_config rendering_elimination;     /**< optional */
   struct {
      enum cm_pb_layout layout;
      /** Blocks of PB-Attributes that a pass may fill; one that needs more is drawn in
       * parts, the later ones loading the tiles that the earlier ones stored. */
      uint32_t attribute_blocks;
      enum cm_pb_overlap overlap;       /**< optional */
      enum cm_pb_attributes attributes; /**< optional; in mode imr nothing is written */
      /** Optional: levels of hierarchical lists (tiling/tile_levels.h), 1 … 13; 0: lists are flat, one for each tile. */
      uint32_t levels;
      /** Optional: a primitive that would be in more lists of a level is in those of a coarser one; 0: 4. */
      uint32_t level_lists;
      enum cm_pass_end pass_end;  /**< optional */
      enum cm_pb_written written; /**< optional */
      /** Optional: Parameter Buffers that passes have in turn, at other addresses: 1 or 2; 0: 1, or 2 where passes overlap. */
      uint32_t buffers;
      /** Optional: bytes of its block that an attribute has (TCOR II-B), 4 … 64; 0: 64. Fewer are a part of a block for an
       * ordinary cache. The Attribute Cache (memory/attribute_cache.h) has whole attributes. */
      uint32_t attribute_bytes;
      /** Not a key: a primitive's attributes are accessed as one block, whose number is the primitive's. */
      bool whole_primitives;
   } parameter_buffer;
   struct {
      /** Entries of the FIFO of transformed vertices: a vertex found in it is not
       * fetched again. 0: none. Indexed draws only; emptied before each draw. */
      uint32_t reuse_entries;
   } vertex_stage;
   struct {
      /** Optional: how far triangles may reach from the window's origin without being clipped at the sides of the viewport, in
       * pixels (events/guard_band.h); 0: all are clipped */
      uint32_t guard_band;
      /** Optional: how far they may reach beyond these sides, in percent of the viewport's width and height; 0: no such limit */
      uint32_t guard_band_percent;
   } primitive_assembly;
   struct {
      uint32_t processors; /**< 1 … 64 */
      enum cm_scheduler scheduler;
      enum cm_assignment assignment; /**< optional */
      /** Optional: how many quads that have passed the early tests come after one of the tile while a later one may kill it
       * (events/pixel_kill.h); 0: none is killed */
      uint32_t pixel_kill;
      enum cm_shading_order quad_order; /**< optional; mode tbdr */
   } fragment_stage;
   struct {
      /** Invocations of a sub-group of compute shaders, whose accesses to storage are made together: 4, 8 or 16; 0: 16.
       * In fragment shaders those of a quad are. */
      uint32_t lanes;
      /* For timing. */
      uint32_t
         block_cycles; /**< cycles of a processor's load/store unit per block that an instruction accesses; 0: 1 */
      uint32_t
         mshrs; /**< misses outstanding of each processor's load/store unit; 0: as many as its texture cache has */
   } load_store;
   /** Optional: descriptors (Vulkan). Each of a set has room for both parts. */
   struct {
      uint32_t resource_bytes; /**< of what describes an image or a buffer; 0: 32 */
      uint32_t sampler_bytes;  /**< of what describes a sampler; 0: 32 */
   } descriptors;
   struct {
      /** Invocations of compute shaders that a processor works on at once, for timing: those of whole work-groups; one that
       * is larger runs alone. 0: as many as fragments. */
      uint32_t invocations;
   } compute_stage;
   struct {
      /** Iterations that all loops of one invocation of a program may make together;
       * then they end, with a message. Unrolled loops do not count. 0: no limit. */
      uint32_t loop_limit;
      /** Optional: the instruction set whose code is counted (enum cm_isa, events/shader_code.h). A shader that has no code
       * of it counts with that of the renderer, "nir". */
      uint32_t isa;
   } shader;
   struct {
      enum cm_placement_kind placement;
      /** linear: bytes that a row of texels is padded to a multiple of; a power of two */
      uint32_t row_alignment;
      /** 4d, 6d: texels of a tile's side; a power of two from 2 to 256. Other placements have none: 0 */
      uint32_t first_level_tile;
      /** 6d: texels of the side of a tile of tiles; a power of two, larger than first_level_tile. Others: 0 */
      uint32_t second_level_tile;
      enum cm_texture_offset offset; /**< optional */
   } texture;
   /** Optional: the design of the texture caches, counted separately. */
   struct {
      enum cm_texture_design design;
      enum cm_texture_tags tags;
      enum cm_texture_miss miss; /**< optional */
      /** energy of activating a data bank in fJ (of a port, without banks), with its part of
       * the tags if tag_energy is 0 */
      uint32_t access_energy;
      /** Optional: energy of a look-up in a tag bank in fJ (in an array of tags, without banks) */
      uint32_t tag_energy;
   } texture_access;
   struct cm_texture_bus_config texture_bus; /**< optional; all 0: there is none */
   struct cm_pipeline_config pipeline;       /**< optional; vertex_processors 0: there is none */
   enum cm_core_kind core;                   /**< optional; of the tile-based GPU */
   struct cm_shader_core_config shader_core; /**< optional; warp_threads 0: there is none */
   /** Optional, for mode imr; vertex_queue 0: there is none. */
   struct cm_immediate_pipeline_config immediate_pipeline;
   struct cm_immediate_config immediate; /**< optional, for mode imr */
   struct cm_nuca_config nuca;           /**< organisation CM_NUCA_NONE: no such mapping */
   struct cm_energy_config energy;       /**< technology 0: no such mapping */
   /** Optional; mode CM_COMPRESSION_NONE: framebuffers are not compressed. */
   struct cm_compression_config framebuffer_compression;
   /** The first unit of each stream's accesses; for an absent optional stream, CM_UNIT_DRAM, for an absent key of
    * `descriptor` that of `constant`. */
   enum cm_unit streams[CM_STREAM_COUNT];
   /** The optional keys of streams, which streams[] follows: 1 + the unit; 0: "none", there is no such stream.
    * In mode imr hiz and display are there. Of descriptor, 0 is "constant": the stream goes where constants do. */
   struct {
      uint32_t hiz, display, storage, descriptor;
   } optional_streams;
   struct cm_cache_config caches[CM_CACHE_COUNT];
   struct cm_access_unit_config access_units[CM_ACCESS_UNIT_COUNT]; /**< optional */
   struct cm_primitive_buffer_config primitive_buffer;
   struct {
      uint32_t latency_min, latency_max; /**< cycles */
      uint32_t size_mib;
   } dram;
   struct cm_dram_system_config dram_system; /**< device 0: no such mapping */

   struct cm_config_source
      *source;    /**< the files it was loaded from, with the line of each value (config_file.h) */
   char name[64]; /**< the preset's name, or the file's without directory and ".yaml"; not a key */
};

/** Whether a configuration has a stream: all but the optional ones. */
static inline bool
cm_config_has_stream(const struct cm_config *config, enum cm_stream stream)
{
   switch (stream) {
   case CM_STREAM_HIZ: return config->optional_streams.hiz != 0;
   case CM_STREAM_DISPLAY: return config->optional_streams.display != 0;
   case CM_STREAM_STORAGE: return config->optional_streams.storage != 0;
   default: return true;
   }
}

/** Whether a quad's position in its tile says which Fragment Processor it goes to. */
static inline bool
cm_config_places_quads(const struct cm_config *config)
{
   switch (config->fragment_stage.scheduler) {
   case CM_SCHEDULER_ROUND_ROBIN:
   case CM_SCHEDULER_LEAST_WORK:
   case CM_SCHEDULER_TILE: return false;
   default: return true;
   }
}

/** How many Early Z-Tests and Blending Units there are. */
static inline uint32_t
cm_config_lanes(const struct cm_config *config)
{
   return config->pipeline.lanes == CM_LANES_SHARED ? 1 : config->fragment_stage.processors;
}

/** Whether tiles that did not change are not stored; are not drawn. */
static inline bool
cm_config_has_transaction_elimination(const struct cm_config *config)
{
   return config->transaction_elimination.signature_bytes != 0;
}
static inline bool
cm_config_has_rendering_elimination(const struct cm_config *config)
{
   return config->rendering_elimination.signature_bytes != 0;
}

/** Whether texture caches reach the L2 through a NUCA's mesh instead of over a bus. */
static inline bool
cm_config_l2_is_in_mesh(const struct cm_config *config)
{
   return config->nuca.organisation != CM_NUCA_NONE && config->nuca.mesh.l2 != CM_MESH_NODE_BUS;
}

/** Whether a stream's headers of compressed images go through a cache of headers: those of attachments, or of textures. They
 * come from no stream's first unit. */
static inline bool
cm_stream_has_headers(enum cm_stream stream, enum cm_unit unit)
{
   if (unit == CM_UNIT_TEXTURE_HEADER_CACHE)
      return stream == CM_STREAM_TEXTURE;
   return stream == CM_STREAM_COLOR || stream == CM_STREAM_DEPTH || stream == CM_STREAM_STENCIL ||
          stream == CM_STREAM_DISPLAY;
}

/** Whether there is a bus of the texture caches: it takes time. It is not used where the L2 is in a NUCA's mesh. */
static inline bool
cm_config_has_texture_bus(const struct cm_config *config)
{
   const struct cm_texture_bus_config *bus = &config->texture_bus;
   return !cm_config_l2_is_in_mesh(config) && (bus->bytes_per_cycle || bus->latency);
}

/** Whether accesses of the stream can reach the unit in this configuration; not where it has no such stream. */
static inline bool
cm_stream_reaches(const struct cm_config *config, enum cm_stream stream, enum cm_unit unit)
{
   if (!cm_config_has_stream(config, stream))
      return false;
   if (unit == CM_UNIT_HEADER_CACHE || unit == CM_UNIT_TEXTURE_HEADER_CACHE)
      return cm_stream_has_headers(stream, unit);
   enum cm_unit at = config->streams[stream];
   while (at != unit && at != CM_UNIT_DRAM)
      at = config->caches[at].next;
   return at == unit;
}

/** Whether the values of a configuration fit together; if not, what is wrong with which value. */
typedef bool cm_config_checker(const struct cm_config *config, struct cm_config_problem *problem);

/** cm_config_load (gpu/gpu_config.h) and cm_config_parse with a check of the caller's. */
struct cm_config *cm_config_read(const char *name_or_path, const char *presets_dir, cm_config_checker *check,
                                 char *error, size_t error_size);
#define CM_CONFIG_DEFAULT "tcor-baseline-64k"
struct cm_config *cm_config_read_text(const char *text, const char *source, const char *name,
                                      cm_config_checker *check, char *error, size_t error_size);
void cm_config_destroy(struct cm_config *config);

/** Sets one key: "caches.l2.size=2097152", where "caches." may be left out: "l2.size=2097152". Does not
 * validate, so that several changes can make a valid configuration together. On failure nothing is changed. */
bool cm_config_set(struct cm_config *config, const char *assignment, char *error, size_t error_size);

/** Whether operations are counted (gpu/operations.h): where the configuration has energy and its timing is on. */
static inline bool
cm_config_counts_operations(const struct cm_config *config)
{
   return config->energy.technology != 0 && config->timing == CM_TIMING_ON;
}

/** Whether tiles shade the vertices of their primitives (shader_core.vertices: per-tile): the Parameter Buffer has no attributes
 * then. */
static inline bool
cm_config_shades_by_tile(const struct cm_config *config)
{
   return config->core == CM_CORE_PIPES && config->shader_core.vertices == CM_CORE_VERTICES_PER_TILE &&
          config->mode != CM_MODE_IMR;
}

/** All keys and values as one JSON object, without a newline at its end. Optional ones are left out if
 * their values equal those of a missing key. */
void cm_config_write_json(const struct cm_config *config, FILE *file);

/** The same as YAML that cm_config_load takes, a key per line, with the file and line that each value comes from as a
 * comment ("--set" where cm_config_set set it). */
void cm_config_write_yaml(const struct cm_config *config, FILE *file);

/** A key that configurations may have. */
struct cm_config_key {
   const char *path;  /**< dotted: "caches.l2"; the keys that all caches have are "caches.NAME.size" … */
   const char *takes; /**< "a whole number", "one of: a, b" …; NULL: keys of its own */
   const char *description; /**< NULL where there is none but that of its member here */
   bool optional;           /**< a configuration need not have it */
};

/** All keys, each before those in it. */
void cm_config_list_keys(void (*found)(const struct cm_config_key *key, void *context), void *context);

/** cm_config_list_presets (gpu/gpu_config.h) with a check of the caller's. */
bool cm_config_read_presets(const char *presets_dir, cm_config_checker *check,
                            void (*found)(const char *name, const char *description, void *context),
                            void *context, char *error, size_t error_size);

#endif
