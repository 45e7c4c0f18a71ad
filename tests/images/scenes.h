/* SPDX-License-Identifier: MIT */
/** Scenes that exercise what a tile-based renderer can get wrong, and what they share. */
#ifndef SCENES_H
#define SCENES_H

#include <GLES2/gl2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Where a scene draws: the default framebuffer of a surface, or an FBO. */
struct target {
   GLuint framebuffer;
   int width, height;
};

/** The context a scene is drawn in. */
enum scene_context {
   SCENE_ES_2,  /**< OpenGL ES 3.0, of which most scenes use 2.0 */
   SCENE_GL_33, /**< OpenGL 3.3, core profile; a vertex array object is bound */
   NUM_SCENE_CONTEXTS,
};

/** A scene draws a whole frame, from the clear on; it may keep objects from frame to frame. */
struct scene {
   const char *name;
   void (*draw)(const struct target *target, int frame);
   enum scene_context context;
};

extern const struct scene scenes[];
extern const unsigned num_scenes;

void draw_triangles(const struct target *target, int frame);
void draw_blending(const struct target *target, int frame);
void draw_discard(const struct target *target, int frame);
void draw_stencil(const struct target *target, int frame);
void draw_depth(const struct target *target, int frame);
void draw_masks(const struct target *target, int frame);
void draw_points(const struct target *target, int frame);
void draw_lines(const struct target *target, int frame);
void draw_textures(const struct target *target, int frame);
void draw_cube_map(const struct target *target, int frame);
void draw_compressed_textures(const struct target *target, int frame);
void draw_layered_textures(const struct target *target, int frame);
void draw_anisotropic_textures(const struct target *target, int frame);
void draw_render_to_texture(const struct target *target, int frame);
void draw_multisampled(const struct target *target, int frame);
void draw_interpolated(const struct target *target, int frame);
void draw_hazards(const struct target *target, int frame);
void draw_geometry_programs(const struct target *target, int frame);
void draw_transform_feedback(const struct target *target, int frame);
void draw_queries(const struct target *target, int frame);
void draw_blits_within(const struct target *target, int frame);
void draw_fetch(const struct target *target, int frame);
void draw_attributes(const struct target *target, int frame);

/* ---- what they share ---------------------------------------------------- */

/** A vertex of all scenes: attributes 0 (position), 1 (colour), 2 (texture coordinates). */
struct vertex {
   float position[4];
   float color[4];
   float texture[2];
};

/** Random numbers, the same in every run. */
uint32_t random_bits(uint32_t *state);
float random_between(uint32_t *state, float low, float high);

/** Compiles and links; ends the program where that fails. */
GLuint make_program(const char *vertex_source, const char *fragment_source);
/** The same in parts: compiles and attaches to the program, or to a new one if it is 0. */
GLuint attach_shader(GLuint program, GLenum type, const char *source);
void link_program(GLuint program);

/** The program most draws use: interpolated colour. It has the attributes above and
 * the uniform "size" for points. */
GLuint color_program(void);
/** A textured one: texture "image" times colour. */
GLuint texture_program(void);

/** Uses program with default state: no tests, no blending, the target's viewport. */
void begin(const struct target *target, GLuint program);

/** Draws vertices from client memory. */
void draw(GLenum mode, const struct vertex *vertices, int count);

/** A rectangle in clip space at depth z. */
void draw_rectangle(float left, float bottom, float right, float top, float z, const float color[4]);

/** n random triangles, about size in clip space, with random colours of the given alpha. */
void draw_random_triangles(uint32_t seed, int n, float size, float alpha);

#endif
