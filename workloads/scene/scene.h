/* SPDX-License-Identifier: MIT */
/** What the parts of the program `scene` share: a description, and the scene that is made from it. */
#ifndef SCENE_H
#define SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TILE 32          /**< pixels per side: the tiles that tiles_per_primitive counts */
#define MAX_ATTRIBUTES 5 /**< position, coordinates, light, detail, tangent */
#define MAX_READS 8      /**< texture reads of a fragment */
#define MAX_LEVELS 13
#define MAX_VERTICES 65535 /**< of a scene: indices have 16 bits */
#define MEBIBYTE 1048576.0

enum look { BOARD, MAP, RUNNER, RACING, SHOOTER, MAZE, ARENA, SLINGSHOT, VALLEY, CITY, NUM_LOOKS };
enum order { STRIPS, SCATTERED };
enum reuse_counts { TILES, FURTHER_TILES };
enum parameter_buffer_counts { BLOCKS, ATTRIBUTES };
enum texture_format { RGBA8, RGB565, ETC1, ETC2, ASTC };
enum texture_filter { NEAREST_LEVEL, TRILINEAR, ONE_LEVEL };
enum target_format { WINDOW, TARGET_RGBA8, TARGET_RGB10_A2, TARGET_RGBA16F };
enum shadow_kind { SHADOW_DEPTH, SHADOW_COLOR };

/** A range of a free parameter, or the alternatives of one that is a word. */
struct free_parameter {
   char *key;
   char **range;
   unsigned range_count;
};

/** A published characteristic that the scene does not reach, and why. */
struct difference {
   char *of, *why;
};

/** A description as its file has it (docs/workloads.md); 0 where a number is not given. */
struct description {
   char *name, *title, *resolution;
   enum look look;
   unsigned seed, frames;
   double parameter_buffer, reuse, primitives_per_tile, tiles_per_primitive;
   enum reuse_counts reuse_counts;
   enum parameter_buffer_counts parameter_buffer_counts;
   unsigned primitives;
   double attributes;
   unsigned mesh, objects_per_mesh;
   enum order order;
   double overdraw, blended, culled;
   unsigned textures, texture_size, texture_reads, instructions, vertex_instructions;
   enum texture_format texture_format;
   enum texture_filter texture_filter;
   double texture_footprint, texture_share, texels_per_pixel, average_instructions, vertex_share;
   double camera, moving;
   enum target_format target;
   double scale, reflection, consumed;
   unsigned gbuffer, samples, shadow_maps, shadow_size, post, bloom;
   enum shadow_kind shadow_kind;
   struct free_parameter *free;
   unsigned free_count;
   struct difference *differs;
   unsigned differs_count;

   unsigned width, height;  /**< of resolution */
   double tiles;            /**< tiles per primitive that are asked for */
   unsigned num_primitives; /**< that are asked for */
};

struct vertex {
   float position[3], coordinates[2], normal[3];
};

/** A grid of triangles that objects share. Its indices begin with triangles that face away, all of which are culled. */
struct mesh {
   unsigned first_vertex, num_vertices, first_index, num_culled, num_triangles;
   unsigned across, down; /**< cells */
   unsigned shape;
};

/** A draw call. */
struct object {
   float at[3], size; /**< where the mesh's origin is, and how large it is there */
   float scroll[2];   /**< added to its texture coordinates, each frame */
   float moves[2];    /**< pixels that it swings by, across and up */
   float tint[3];
   unsigned mesh, texture, attributes, num_triangles;
   unsigned number; /**< in the order of creation */
   bool backdrop, hand, blended;
};

struct texture_recipe {
   unsigned kind, seed;
};

struct scene {
   const struct description *description;
   unsigned width, height; /**< what it is drawn with */
   bool perspective;
   float horizon; /**< of the screen's height, above its middle */
   struct mesh *meshes;
   unsigned num_meshes;
   struct vertex *vertices;
   unsigned num_vertices;
   bool full; /**< needs more vertices than indices can name; the rest is not there */
   uint16_t *indices;
   unsigned num_indices;
   struct object *objects;
   unsigned num_objects, num_backdrop;
   struct texture_recipe *textures;
   unsigned num_textures, texture_size;
};

/** What a frame has, by the program's own arithmetic. */
struct measure {
   double primitives, tiles, area; /**< area: pixels of all primitives */
   double attributes, vertices;
};

/** Prints a message and ends the program. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Memory, or the end of the program. */
void *allocate(size_t count, size_t size);
void *reallocate(void *memory, size_t count, size_t size);

/** Random numbers, the same everywhere. */
static inline uint32_t
random_bits(uint32_t *state)
{
   *state = *state * 747796405u + 2891336453u;
   const uint32_t word = ((*state >> ((*state >> 28) + 4)) ^ *state) * 277803737u;
   return (word >> 22) ^ word;
}

static inline float
random_float(uint32_t *state, float low, float high)
{
   return low + (high - low) * (float)(random_bits(state) >> 8) / 16777216.0f;
}

/* description.c */
struct description *read_description(const char *path, char *const *settings, unsigned num_settings);
void free_description(struct description *description);
unsigned attribute_bytes(const struct description *description);

/* layout.c */
/** How a scene of a look is filled: found by solve(). */
struct filling {
   double cell;        /**< pixels per side of the backdrop's cells; 0: one cell */
   double large_share; /**< of the objects' area, in objects of two triangles */
   double size;        /**< of the others, pixels at the distance 1 */
   unsigned small_triangles;
};
/** Where the scene is full, it is not complete. */
void lay_out(struct scene *scene, const struct description *description, const struct filling *filling);
void free_scene(struct scene *scene);
void object_position(const struct scene *scene, const struct object *object, unsigned frame, float at[4]);
unsigned object_indices(const struct scene *scene, const struct object *object);

/* shapes.c */
unsigned num_shapes(void);
struct vertex shape_vertex(unsigned shape, float u, float v);
enum { PLATE, DOME, BOX, COLUMN, FIGURE, CAR, TREE, DIAMOND, ROCK, CANDY, BIRD, TOWER };

/* measure.c */
struct measure measure_frame(const struct scene *scene, unsigned frame);
struct samples;
struct samples *sample_frame(const struct scene *scene, unsigned frame);
/** Widths of a texture from a pixel to the next, of all fragments: times its size, the texels per pixel and side. */
double texture_change(const struct samples *samples);
/** The distinct bytes of textures that a frame reads, in blocks of 64 bytes. */
double footprint(const struct scene *scene, const struct samples *samples, unsigned texture_size);
double sampled_fragments(const struct samples *samples);
void free_samples(struct samples *samples);

/* solve.c */
struct measure solve(struct scene *scene, const struct description *description);
void print_scene(const struct scene *scene, const struct measure *measure);

/* image.c */
enum {
   IMAGE_NOISE,
   IMAGE_GRASS,
   IMAGE_BRICK,
   IMAGE_ROAD,
   IMAGE_SKY,
   IMAGE_WOOD,
   IMAGE_ICON,
   IMAGE_FACE,
   IMAGE_FACADE,
   IMAGE_METAL,
   IMAGE_SIGN,
   IMAGE_STONE,
   NUM_IMAGES
};
void draw_image(struct texture_recipe recipe, unsigned size, uint8_t *rgba);
void halve_image(const uint8_t *rgba, unsigned width, unsigned height, uint8_t *half);

/* etc2.c, astc.c: the encoders; a block has 4 x 4 texels of four bytes. ETC2's are ETC1's as well. */
void encode_etc2(const uint8_t texels[64], uint8_t block[8]);
void encode_astc(const uint8_t texels[64], uint8_t block[16]);

/* texture.c */
unsigned level_size(unsigned size, unsigned level);
unsigned num_levels(unsigned size);
unsigned texel_bits(enum texture_format format);
bool is_compressed(enum texture_format format);
unsigned create_texture(struct texture_recipe recipe, unsigned size, enum texture_format format,
                        enum texture_filter filter);

/* shaders.c */
struct shader_request {
   unsigned attributes, reads, instructions, vertex_instructions, targets;
   bool perspective;
};
unsigned build_scene_program(struct shader_request request);
unsigned build_full_screen_program(unsigned reads, unsigned instructions);
unsigned build_shadow_program(bool color, bool perspective);

/* draw.c */
struct renderer;
struct renderer *create_renderer(const struct scene *scene);
void draw_frame(struct renderer *renderer, unsigned frame);
void free_renderer(struct renderer *renderer);

#endif
