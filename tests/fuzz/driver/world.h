/* SPDX-License-Identifier: MIT */
/** The objects of a seed, and what is done with them. */
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>

#include "shaders.h"

#define TEXTURES 8
#define FRAMEBUFFERS 3
#define PROGRAMS 5
#define VERTICES 96
#define INDICES 256
#define MAX_SIDE 96
#define ANY 1e30 /* a tolerance: one driver is to give this always, others something else */
#define VIEWS 3  /* of textures: in OpenGL only */

struct format {
   GLenum internal, format, type;
   enum sort sort;
   unsigned bytes; /**< of a texel as it is uploaded; of compressed ones: of a block of 4 x 4 */
   bool renderable, filterable, compressed;
   bool is_float;      /**< colours are read as floats */
   unsigned tolerance; /**< of 255: a step of the channel with the fewest bits */
};

struct texture {
   GLuint name;
   GLenum target;
   const struct format *format;
   int width, height, depth; /**< depth: layers, or faces and layers */
   int levels, samples;
   int framebuffer; /**< whose attachment it is; -1: none's */
   bool filtered, compares;
};

struct framebuffer {
   GLuint name;
   int width, height, layers /**< 0: not layered */, samples;
   unsigned color_count;
   const struct format *colors[MAX_COLORS];
   GLuint color_names[MAX_COLORS]; /**< textures, where it is layered */
};

struct program {
   GLuint name;
   struct program_plan plan;
   int framebuffer;             /**< that it draws to */
   int textures[TEXTURE_UNITS]; /**< that its units read */
};

struct world {
   unsigned long seed;
   bool wild, loose; /**< shaders.h */
   bool verbose;
   bool desktop, compatible; /**< OpenGL, its compatibility profile */
   FILE *dump;
   struct texture textures[TEXTURES + FRAMEBUFFERS * (MAX_COLORS + 1) + VIEWS];
   int texture_count;
   struct framebuffer framebuffers[FRAMEBUFFERS];
   struct program programs[PROGRAMS];
   GLuint vertex_array, vertices, indices, uniforms, words, results, captured, indirect;
   GLuint counts, picture; /**< images of r32ui and rgba8, 128 x 128 */
   GLuint queries[3];
   GLuint source, counter;    /**< OpenGL: an image of rgba8 that is read, the buffer of an atomic counter */
   GLuint transform, samples; /**< OpenGL: a transform feedback object, a query that ended */
   bool has_transform, has_samples; /**< the same have been used */
};

/** Texels of a side of a level. */
int side(int size, int level);

/** The same of a texture's height; layers of a texture of one dimension stay. */
int height_of(const struct texture *texture, int level);

/** Creates all objects but programs. */
void create_objects(struct world *world);

/** Creates a program. */
void create_program(struct world *world, int index);

/** Deletes all objects. */
void delete_objects(struct world *world);

/** New texels for a part of a texture, by one of the ways there are. */
void update_texture(struct world *world, struct dice *dice);

/** New content for a part of a buffer. */
void update_buffer(struct world *world, struct dice *dice);

/** Random values of the uniform block. */
void fill_uniforms(struct dice *dice, float values[48]);

/** Random vertices and indices. */
void fill_vertices(struct dice *dice, bool wild, unsigned char data[VERTICES * 40]);

/** Sets what draws depend on; framebuffer and program are bound. */
void set_state(struct world *world, struct dice *dice, const struct framebuffer *framebuffer);

/** The state of a new context where set_state changes it, but for framebuffer, program and textures. */
void reset_state(struct world *world);

/** Draws with a program. */
void draw(struct world *world, struct dice *dice, int program);

void dispatch(struct world *world, struct dice *dice, int program);

/** Clears, blits, copies, reads; all of which have framebuffers as sources or targets. */
void use_framebuffers(struct world *world, struct dice *dice);

/** Calls of arbitrary arguments, most of which are errors. */
void call_at_random(struct world *world, struct dice *dice);

/** Writes all results to the dump. */
void dump_results(struct world *world);

/** Writes a record: values of 32 bits, kind 'u' or 'f'; a difference of tolerance is none. */
void dump_record(struct world *world, const char *name, char kind, double tolerance, const void *values,
                 unsigned count);

/** Whether a framebuffer can be written to as a whole, and how often 4 samples are. */
const struct format *pick_color_format(struct dice *dice, bool only_floats);

#endif
