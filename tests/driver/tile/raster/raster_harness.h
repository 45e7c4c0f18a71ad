/* SPDX-License-Identifier: MIT */
/** Scenes for the raster pipeline without GL: primitives with their state, drawn
 * through a real Parameter Buffer by any vector level, mode and tile size. */
#ifndef RASTER_HARNESS_H
#define RASTER_HARNESS_H

#include "tile/tbr_isa.h"
#include "util/macros.h"

#define SCENE_MAX_DRAWS 64

/** A primitive: positions (x, y, z, 1/w), then inputs for the program. */
struct scene_primitive {
   uint32_t draw, flags;
   float position[3][4];
   float color[3][4];
};

struct scene_buffer {
   enum pipe_format format;
   bool clear;
   union pipe_color_union clear_value;
};

struct scene {
   uint32_t width, height;
   uint32_t samples; /**< 1 (scene_init) or TBR_MAX_SAMPLES */
   uint32_t num_color;
   struct scene_buffer color[TBR_MAX_COLOR_BUFFERS];
   struct scene_buffer depth;     /**< PIPE_FORMAT_NONE: none */
   bool drop_depth, drop_stencil; /**< not stored */
   uint32_t num_draws;
   struct tbr_draw_state draws[SCENE_MAX_DRAWS];
   struct program_constants {
      float discard; /**< not 0: discards a pattern of pixels */
      float depth;   /**< added to the depth, if the program writes it */
      float stencil; /**< if the program writes it */
   } constants[SCENE_MAX_DRAWS];
   uint32_t num_primitives, capacity;
   struct scene_primitive *primitives;
};

/** Bits of the Parameter Buffer that are flipped between building and drawing. */
struct damage {
   enum { DAMAGE_NONE, DAMAGE_ATTRIBUTES, DAMAGE_LIST } where;
   uint32_t number; /**< attribute block, or tile whose first PMD it is */
   uint32_t byte;   /**< of the block or PMD */
   uint8_t bits;
};

struct run {
   const struct tbr_isa *isa;
   uint32_t tile_size;
   bool deferred;
   bool record;     /**< the events, checked against the shaded fragments */
   uint32_t split;  /**< render in two passes, the second from this primitive on; 0: one pass */
   uint32_t repeat; /**< render so many times more, for measuring */
   struct damage damage;
   bool keep_hidden; /**< as tbr, the events what either mode shades; recorded_order is `deferred`'s */
   /** With record: is told of each tile's events; NULL: none. */
   void (*examine)(void *context, const struct tbr_pass *pass, uint32_t tile,
                   const struct cm_tile_events *events);
   void *examine_context;
};

/** What a run left in memory; rows without padding, sample after sample. */
struct image {
   uint8_t *color[TBR_MAX_COLOR_BUFFERS];
   uint8_t *depth;
   size_t color_bytes[TBR_MAX_COLOR_BUFFERS], depth_bytes;
   uint64_t shaded;         /**< fragments the program ran for */
   uint64_t recorded;       /**< live fragments in the recorded events, of all that were shaded */
   uint64_t recorded_order; /**< a checksum of the shaded quads in their order */
   uint64_t occlusion[4];
   double seconds; /**< of the fastest time all tiles were rendered */
};

void scene_init(struct scene *scene, uint32_t width, uint32_t height, enum pipe_format color,
                enum pipe_format depth);
void scene_finish(struct scene *scene);
/** A draw that replaces the colours; the caller changes what it wants otherwise. */
struct tbr_draw_state *scene_add_draw(struct scene *scene);
/** A triangle of the last draw. */
struct scene_primitive *scene_add_primitive(struct scene *scene);

/** Buffers hold bytes 0x5a before. */
void scene_render(const struct scene *scene, const struct run *run, struct image *image);
void image_finish(struct image *image);
/** Fails the test if the images differ in any bit. */
void assert_images_equal(const struct image *a, const struct image *b, const char *what);

/** The program: colour = input 0, scaled for further buffers. */
void program_shade(const struct tbr_fragment_resources *resources, struct tbr_fragment_block *block,
                   struct tbr_texture_thread *thread);
/** Whether the program discards the pixel. */
bool program_discards(const struct program_constants *constants, int x, int y);

/** The scene drawn pixel by pixel and primitive by primitive, in 64-bit integers
 * and doubles, straight from GL's rules. Colour 0 as four floats per pixel (8-bit
 * unorm values after each write), depth as the buffer's integers, stencil. */
struct reference {
   double (*color)[4];
   int64_t *depth;
   uint8_t *stencil;
   uint32_t *coverage; /**< primitives that cover the pixel */
   uint64_t visible;   /**< pixels that some primitive covers */
   uint64_t occlusion[4];
};

void reference_render(const struct scene *scene, struct reference *reference);
void reference_finish(struct reference *reference);

/** The vector feature levels that this CPU can run; found before the first test. */
extern const struct tbr_isa *levels[4];
extern unsigned num_levels;

/** The next statement for every level, tile size and mode; run: the name of the struct run. */
#define FOR_EACH_RUN_OF(run, tile_sizes, record)                                                           \
   for (unsigned level_ = 0; level_ < num_levels; level_++)                                                \
      for (unsigned size_ = 0; size_ < ARRAY_SIZE(tile_sizes); size_++)                                    \
         for (unsigned mode_ = 0; mode_ < 2; mode_++)                                                      \
            for (struct run run = {levels[level_], tile_sizes[size_], mode_, record, 0, 0}, *once_ = &run; \
                 once_; once_ = NULL)

/** Small deterministic random numbers. */
uint32_t random_bits(uint64_t *state);
/** 0 … n - 1 */
uint32_t random_below(uint64_t *state, uint32_t n);
/** low … high */
float random_float(uint64_t *state, float low, float high);

/** Positions near and far, small and large, degenerate, with ties. */
void random_positions(uint64_t *state, const struct scene *scene, struct scene_primitive *primitive);
void random_colors(uint64_t *state, struct scene_primitive *primitive);
/** One rectangle over the framebuffer, its colour from corner to corner. */
void add_rectangle(struct scene *scene, uint64_t *state);
void random_blend(uint64_t *state, struct tbr_draw_state *draw, struct pipe_rt_blend_state *rt);
/** Draws with random state and primitives; flat_depth: each primitive at a depth
 * of its own, without perspective, so that a reference in doubles decides every
 * test alike. */
void random_scene(uint64_t *state, struct scene *scene, unsigned num_draws, bool flat_depth);

#endif
