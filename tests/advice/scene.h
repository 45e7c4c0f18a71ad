/* SPDX-License-Identifier: MIT */
/** What the scenes of the programs share: a window, targets, boxes with a texture on them. */
#ifndef ADVICE_SCENE_H
#define ADVICE_SCENE_H

#include <GLES3/gl3.h>
#include <stdbool.h>
#include <stddef.h>

/** Pixels of the window a side, and of most targets: what fills them reads a texture of this size 1:1. A program that is to be
 * smaller is compiled with -DWINDOW_SIZE. */
#ifndef WINDOW_SIZE
#define WINDOW_SIZE 512
#endif

struct scene {
   const char *name;
   bool depth;            /**< the window has a depth buffer */
   void (*prepare)(void); /**< before the first frame */
   void (*draw)(void);    /**< a frame, the window last */
};

/** By file; each list ends with a scene without a name. */
extern const struct scene target_scenes[], fragment_scenes[], geometry_scenes[];

/** Whether the program follows the advice. */
extern bool is_good;

/** A rectangle: of the framebuffer from -1 to 1, of a texture from 0 to 1. */
struct box {
   float x0, y0, x1, y1;
};
extern const struct box everywhere, whole_texture;

/** A framebuffer of one texture. */
struct target {
   GLuint framebuffer, texture;
};
/** RGBA8. depth: with a depth buffer of its own. */
struct target make_target(int size, bool depth);
/** Without depth. */
struct target make_target_of(GLenum format, int size);

/** Draws to a target from now on; NULL: to the window. */
void draw_to(const struct target *target, int size);
void invalidate(GLenum attachment);
/** Clears the color, and depth if there is any. */
void clear(bool depth);

/** The bound program's uniform; ends the program where it has none. */
GLint place_of(const char *uniform);
/** Uses a program of a fragment shader that has "in vec2 coordinates" and, usually, "uniform sampler2D image". */
GLuint make_box_program(const char *fragment_source);
/** Uses the program that copies the texture. */
void use_copy_program(void);
/** Draws a part of the bound texture with the program of make_box_program that is used, at a depth of 0, near, to 1. */
void draw_box(struct box box, struct box part, float depth);

/** All of the window, cleared, with a texture on it, mirrored: of a target no fragment reads its own pixel. */
void show(GLuint texture);

#endif
