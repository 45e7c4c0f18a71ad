/* SPDX-License-Identifier: MIT */
/** Drawing: the scene's objects, and the render passes around them. */
#ifndef DRAW_H
#define DRAW_H

#include <GLES3/gl3.h>

#include "scene.h"

struct program {
   GLuint name;
   GLint object, view, scroll, tint;
};

struct renderer {
   const struct scene *scene;
   GLuint buffers[3]; /**< vertices, indices, the two triangles of a full-screen pass */
   GLuint *textures;
   struct program programs[MAX_ATTRIBUTES + 1]; /**< by attributes */
   struct program shadow;
   struct passes *passes; /**< NULL: the window alone */
};

/** How the scene is looked at: as in shaders.c's view; flipped: upside down. */
struct view {
   float scale[2], shift;
   bool flipped;
};

struct view main_view(const struct scene *scene);
void draw_objects(const struct renderer *renderer, unsigned frame, const struct view *view, bool shadow);
struct program find_uniforms(GLuint name);

/* passes.c */
struct passes *create_passes(const struct renderer *renderer);
void draw_passes(const struct renderer *renderer, unsigned frame);
void free_passes(struct passes *passes);

#endif
