/* SPDX-License-Identifier: MIT */
/**
 * The streams and the units of the memory hierarchy: what an access is for, and
 * where it can go. Both are closed lists; configurations, counters and reports
 * take their names from here, so adding a unit or a stream is adding a line.
 */
#ifndef CM_UNITS_H
#define CM_UNITS_H

/** Streams that every configuration has: X(identifier, name, description) */
#define CM_MANDATORY_STREAMS(X)                                                           \
   X(VERTEX, "vertex", "vertex attributes")                                               \
   X(INDEX, "index", "vertex indices")                                                    \
   X(PB_LIST, "pb_list", "PMDs in PB-Lists of the Parameter Buffer")                      \
   X(PB_ATTRIBUTE, "pb_attribute", "attributes in PB-Attributes of the Parameter Buffer") \
   X(TEXTURE, "texture", "texels")                                                        \
   X(COLOR, "color", "colour attachments")                                                \
   X(DEPTH, "depth", "depth attachments")                                                 \
   X(STENCIL, "stencil", "stencil attachments")                                           \
   X(SHADER, "shader", "instructions of vertex and fragment shaders")                     \
   X(CONSTANT, "constant", "constants of vertex and fragment shaders")

/** Streams that a configuration may have (cm_config_has_stream). Where it has no `display`, displayable
 * surfaces are of `color`. `hiz` is of mode imr alone. Without `storage` programs that need it cannot be simulated.
 * `descriptor` is always there: where a configuration does not name its unit, it is that of `constant`. */
#define CM_OPTIONAL_STREAMS(X)                                    \
   X(HIZ, "hiz", "hierarchical depth")                            \
   X(DISPLAY, "display", "colour attachments that are displayed") \
   X(STORAGE, "storage", "storage buffers and images of shaders") \
   X(DESCRIPTOR, "descriptor", "descriptors of shaders (Vulkan)")

#define CM_STREAMS(X)      \
   CM_MANDATORY_STREAMS(X) \
   CM_OPTIONAL_STREAMS(X)

/** What an access is for. */
enum cm_stream {
#define CM_STREAM_ENUM(id, name, description) CM_STREAM_##id,
   CM_STREAMS(CM_STREAM_ENUM)
#undef CM_STREAM_ENUM
      CM_STREAM_COUNT
};

/** X(identifier, name, description): the caches a configuration may have. */
#define CM_CACHES(X)                                                                         \
   X(VERTEX_CACHE, vertex_cache, "the Vertex Stage's L1 cache")                              \
   X(TEXTURE_CACHE, texture_cache, "the Fragment Processors' L1 texture caches")             \
   X(TILE_CACHE, tile_cache, "the Tiling Engine's L1 cache of the Parameter Buffer")         \
   X(PRIMITIVE_LIST_CACHE, primitive_list_cache, "the Tiling Engine's L1 cache of PB-Lists") \
   X(ATTRIBUTE_CACHE, attribute_cache, "the Tiling Engine's L1 cache of PB-Attributes")      \
   X(INSTRUCTION_CACHE, instruction_cache, "the L1 cache of instructions and constants")     \
   X(L2, l2, "the shared L2 cache")                                                          \
   X(INDEX_CACHE, index_cache, "the Vertex Stage's L1 cache of vertex indices")              \
   X(HIZ_CACHE, hiz_cache, "the HiZ cache")                                                  \
   X(DEPTH_CACHE, depth_cache, "the Z cache")                                                \
   X(STENCIL_CACHE, stencil_cache, "the stencil cache")                                      \
   X(COLOR_CACHE, color_cache, "the render target cache")                                    \
   X(TEXTURE_CACHE_L2, texture_cache_l2, "the second level of texture caches")               \
   X(TEXTURE_CACHE_L3, texture_cache_l3, "the third level of texture caches")                \
   X(LLC, llc, "the last-level cache")                                                       \
   X(LOAD_STORE_CACHE, load_store_cache, "the Fragment Processors' L1 caches of storage")    \
   X(HEADER_CACHE, header_cache, "the tile buffers' cache of headers of compressed images")  \
   X(TEXTURE_HEADER_CACHE, texture_header_cache, "the texture units' caches of such headers")

/** Where an access can go. Caches come first, memory is last. */
enum cm_unit {
#define CM_UNIT_ENUM(id, name, description) CM_UNIT_##id,
   CM_CACHES(CM_UNIT_ENUM)
#undef CM_UNIT_ENUM
      CM_CACHE_COUNT,
   CM_UNIT_DRAM = CM_CACHE_COUNT,
   CM_UNIT_COUNT
};

extern const char *const cm_stream_names[CM_STREAM_COUNT];
extern const char *const cm_stream_descriptions[CM_STREAM_COUNT];
extern const char *const cm_unit_names[CM_UNIT_COUNT];
extern const char *const cm_unit_descriptions[CM_UNIT_COUNT];

#endif
