/* SPDX-License-Identifier: MIT */
/** Builds render passes for tests, and drives them through a simulated GPU. */
#ifndef PASS_BUILDER_H
#define PASS_BUILDER_H

#include "events/shader_code.h"
#include "events/tile_content.h"
#include "gpu/gpu.h"

#define BUILDER_LIMIT 4096

struct pass_builder {
   struct cm_pass pass;
   struct cm_draw draws[64];
   struct cm_descriptors descriptors[256];
   uint32_t vertices[BUILDER_LIMIT];
   struct cm_feedback feedback[128];
   struct cm_texture_binding vertex_bindings[64];
   struct cm_vertex_access vertex_accesses[BUILDER_LIMIT];
   uint64_t region_runs[BUILDER_LIMIT];
   struct cm_primitive primitives[BUILDER_LIMIT];
   uint32_t primitive_tiles[BUILDER_LIMIT * 16];
   struct cm_tile_events tiles[1024];
   bool touched[1024];
   struct cm_tile_content contents[1024]; /**< of the pass once something is known of a tile */
};

/** An empty pass of this size into no attachments. Free it with pass_free. */
struct pass_builder *pass_new(uint32_t frame, uint32_t width, uint32_t height, uint32_t tile_size);
void pass_free(struct pass_builder *builder);

/** A color attachment that is stored, not loaded. */
void pass_color(struct pass_builder *builder, uint32_t resource, uint8_t pixel_bytes);

/** A draw without vertices, programs or textures; the caller fills it in. */
struct cm_draw *pass_draw(struct pass_builder *builder);

/** A span of transform feedback of the draw added last. */
void pass_feedback(struct pass_builder *builder, struct cm_feedback span);

/** Descriptors that a shader of the draw added last names. */
void pass_descriptors(struct pass_builder *builder, struct cm_descriptors descriptors);

/** A texel (x, y) of level 0 that a vertex of the draw added last reads; linear: and three more. Vertices ascend. */
void pass_vertex_read(struct pass_builder *builder, uint32_t vertex, uint32_t texture, uint16_t x, uint16_t y,
                      bool linear);

/** An access of a stage of the draw added last. Stages follow one another, and invocations of a stage ascend. */
void pass_access(struct pass_builder *builder, enum cm_preraster_stage stage, struct cm_vertex_access access);

/** How often the invocations of a stage of the draw added last ran its regions, region 0 first. Stages follow one another. */
void pass_region_runs(struct pass_builder *builder, enum cm_preraster_stage stage, const uint64_t *runs,
                      uint32_t count);
/** How often quads (a mask) of the tile's last shade or invoke event ran regions 1 … count. */
void pass_regions(struct pass_builder *builder, uint32_t tile, uint32_t quads, const uint32_t *runs,
                  uint32_t count);

/** A primitive of the draw added last, on num_tiles tiles in ascending order. */
void pass_primitive(struct pass_builder *builder, uint32_t num_attributes, const uint32_t *tiles,
                    uint32_t num_tiles);

/** A shade event of a draw's quads (live: all of them with these fragments). */
void pass_shade(struct pass_builder *builder, uint32_t tile, uint32_t draw, uint32_t num_quads, uint8_t live);

/** A shade event of these quads; flags: CM_SHADE_*. */
void pass_quads(struct pass_builder *builder, uint32_t tile, uint32_t draw, uint32_t flags,
                const struct cm_quad *quads, uint32_t num_quads);

/** Any words of a tile. */
void pass_words(struct pass_builder *builder, uint32_t tile, const void *words, size_t count);

/** Footprints of a texture unit for the last shade event. */
void pass_footprints(struct pass_builder *builder, uint32_t tile, uint32_t unit,
                     const struct cm_footprint *footprints, uint32_t count);

/** What is known of a tile: its inputs are those of earlier frames (a mask, CM_SAME_AS_FRAME …). */
void pass_same_inputs(struct pass_builder *builder, uint32_t tile, unsigned mask);
/** Its stored surface of a slot, one mask for each of its groups, columns * rows. */
void pass_same(struct pass_builder *builder, uint32_t tile, unsigned slot, unsigned columns, unsigned rows,
               const uint8_t *masks);
/** What a tile stores of an image, in so many groups; slot: as in struct cm_stored_surface. Returns the sizes, to be filled in. */
uint8_t *
pass_content(struct pass_builder *builder, uint32_t tile, unsigned slot, unsigned columns, unsigned rows);
/** The same for all touched tiles of a color attachment as large as the pass: random sizes, groups of one color among them. */
void pass_random_contents(struct pass_builder *builder, unsigned color, uint64_t *state);

/** Sends the pass through the GPU, all tiles in its traversal. */
/** All tiles of a pass, in the order of the GPU's traversal. */
void gpu_run_pass(struct cm_gpu *gpu, const struct cm_pass *pass);
void pass_run(const struct pass_builder *builder, struct cm_gpu *gpu);
void pass_run_and_free(struct pass_builder *builder, struct cm_gpu *gpu);

/** The default preset with key=value changes (ended by NULL), or the test fails. */
struct cm_config *test_config(const char *const *assignments);

/** The same of another preset. */
struct cm_config *test_config_of(const char *preset, const char *const *assignments);

/** Settings of test_config that make the Tile Cache two caches, the second one TCOR's Attribute
 * Cache, small enough for random passes to fill; ended by NULL. */
extern const char *const test_tcor_settings[];

/** Settings of test_config that compress framebuffers as AFBC does, without caches of headers; such caches. Ended by NULL. */
extern const char *const test_compression_settings[];
extern const char *const test_header_cache_settings[];
/** Both. */
struct cm_config *test_compression_config(const char *const *changes);

/** A GPU of test_config. */
struct cm_gpu *test_gpu(const char *const *assignments);
/** One of some assignments and then others, each ended by NULL, up to 64 together. */
struct cm_gpu *test_gpu_with(const char *const *assignments, const char *const *changes);

/** An uncompressed 2D texture, resource 1, of so many bytes per texel. */
struct cm_resource_description
describe_texture(uint32_t width, uint32_t height, uint8_t levels, uint8_t bytes);

/** An RGBA8 texture (bytes per texel: 4), or a buffer, made known to the GPU. */
void define_texture(struct cm_gpu *gpu, uint32_t id, uint32_t width, uint32_t height, uint8_t levels);
void define_buffer(struct cm_gpu *gpu, uint32_t id, uint32_t bytes);

/** A counter's sum over the frames; fails the test where there is none of the name. */
uint64_t gpu_total(struct cm_gpu *gpu, const char *name);

/** Cycles of a frame of this pass on a GPU with timing; frees both. */
uint64_t cycles_of_pass(struct cm_gpu *gpu, struct pass_builder *pass);

struct expected_counter {
   const char *name;
   uint64_t value;
};

/** A list of them: `COUNTERS({"dram.total.reads", 2}, {"dram.total.writes", 0})`. */
#define COUNTERS(...) ((const struct expected_counter[]){__VA_ARGS__, {NULL, 0}})

/** Fail the test where a counter differs, of the total or of what cm_gpu_frame_end gave; ended by a NULL name. */
void assert_counters(struct cm_gpu *gpu, const struct expected_counter *expected);
void assert_frame(struct cm_gpu *gpu, const uint64_t *values, const struct expected_counter *expected);

/** The same with the counters as arguments. */
#define expect_counters(gpu, ...) assert_counters(gpu, COUNTERS(__VA_ARGS__))
#define expect_frame(gpu, values, ...) assert_frame(gpu, values, COUNTERS(__VA_ARGS__))

#endif
