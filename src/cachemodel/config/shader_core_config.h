/* SPDX-License-Identifier: MIT */
/** The part of a configuration that says what a shader core is, where the timing has one (key core, docs/shader-core.md):
 * keys shader_core.*. */
#ifndef CM_SHADER_CORE_CONFIG_H
#define CM_SHADER_CORE_CONFIG_H

#include <stdint.h>

/** How the timing sees the processors of the tile-based GPU: key core. */
enum cm_core_kind {
   CM_CORE_SIMPLE, /**< "simple", and where there is no such key: an instruction of a quad per cycle; vertices apart */
   CM_CORE_PIPES, /**< "pipes": needs shader_core; warps of vertices and of quads on pipes, each with its rate */
};

/** What runs at the same time: key shader_core.overlap. */
enum cm_core_overlap {
   CM_CORE_OVERLAP_NONE, /**< "none": a pass' geometry, then its tiles, then the next pass */
   /** "frames": geometry runs in parallel with tiles, which do not wait for it: it represents the next frame's. */
   CM_CORE_OVERLAP_FRAMES,
};

/** How vertices are shaded: key shader_core.vertices. */
enum cm_core_vertices {
   CM_CORE_VERTICES_WHOLE, /**< "whole": position and varyings at once */
   /** "positions-first": positions of all, varyings of as many as the primitives have that reach the tiler. */
   CM_CORE_VERTICES_POSITIONS_FIRST,
   /** "per-tile": positions of all, and once more as a whole for each tile that has primitives of theirs. */
   CM_CORE_VERTICES_PER_TILE,
};

/** Rates and sizes, each of one core. A rate is a number of items per cycle; what is slower than one per cycle has cycles per item.
 * X(member, least, most, what it is) */
#define CM_SHADER_CORE_KEYS(X)                                                                             \
   X(warp_threads, 4, 128, "threads of a warp, which issue an instruction together; a multiple of 4")      \
   X(threads, 4, 65536, "threads in flight at most; a shader may have too many registers for all of them") \
   X(issue_threads, 1, 1024, "threads that an instruction (Bifrost: a tuple) is issued for per cycle")     \
   X(fma_threads, 0, 1024, "threads that the arithmetic pipe serves per cycle; 0: it never limits")        \
   X(cvt_threads, 0, 1024, "threads that the pipe of conversions serves per cycle; 0: it never limits")    \
   X(sfu_threads, 0, 1024,                                                                                 \
     "threads that the pipe of special functions serves per cycle; 0: it never limits")                    \
   X(varying_components, 1, 1024, "components of 16 bits that are interpolated per cycle")                 \
   X(texels, 1, 256, "bilinear samples per cycle: one per level of a trilinear one and per slice of 3D")   \
   X(texel_bytes, 0, 16,                                                                                   \
     "bytes of a texel up to which that holds; n times as many take n times as long; 0: all")              \
   X(load_store_threads, 1, 1024, "threads whose load or store is done per cycle")                         \
   X(tile_pixels, 1, 256, "pixels that are blended into the tile buffer per cycle")                        \
   X(raster_quads, 1, 64, "quads that are rasterised per cycle")                                           \
   X(depth_quads, 1, 64, "quads that are tested per cycle")                                                \
   X(primitive_cycles, 0, 1000, "cycles per primitive of a tile before its first quad")                    \
   X(tile_cycles, 0, 100000, "cycles of a core from the end of a tile to the start of the next one")       \
   X(tiler_primitive_cycles, 0, 1000, "cycles of the one tiler per primitive")                             \
   X(tiler_tile_cycles, 0, 1000, "cycles of the tiler per entry of a tile's list")                         \
   X(draw_cycles, 0, 1000000, "cycles before a draw's first vertex")                                       \
   X(pass_cycles, 0, 10000000, "cycles before a pass' geometry, and before its first tile")

#define CM_SHADER_CORE_FIELD(member, least, most, description) uint32_t member;
/** All are 0 where there is no such mapping. */
struct cm_shader_core_config {
   CM_SHADER_CORE_KEYS(CM_SHADER_CORE_FIELD)
   enum cm_core_overlap overlap;   /**< optional */
   enum cm_core_vertices vertices; /**< optional */
};
#undef CM_SHADER_CORE_FIELD

#endif
