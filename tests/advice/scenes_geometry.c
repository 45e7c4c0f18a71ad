/* SPDX-License-Identifier: MIT */
/* Scenes of meshes: how vertices are ordered, how many triangles, how many outputs of vertex shaders. All are a grid of
 * squares with a texture on it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/scene.h"
#include "advice/textures.h"
#include "support/check.h"
#include "support/program.h"

struct vertex {
   GLfloat position[2], coordinates[2], tint[4];
};

static GLuint program, num_indices, num_vertices; /* num_indices 0: not indexed */

/* ---- programs --------------------------------------------------------------- */

/* outputs: of the vertex shader; all but the first are 0, which the compiler cannot know. */
static void
make_mesh_program(int outputs)
{
   char vertex[2048], fragment[2048];
   int v = snprintf(vertex, sizeof vertex,
                    "precision highp float;\n"
                    "in vec2 position;\nin vec2 coordinates;\nlayout(location = 2) in vec4 tint;\n"
                    "uniform float factor;\n"
                    "out vec2 place;\n");
   int f = snprintf(fragment, sizeof fragment,
                    "precision highp float;\n"
                    "in vec2 place;\nuniform sampler2D image;\nout vec4 color;\n");
   for (int i = 1; i < outputs; i++) {
      v += snprintf(vertex + v, sizeof vertex - v, "out vec4 output%d;\n", i);
      f += snprintf(fragment + f, sizeof fragment - f, "in vec4 output%d;\n", i);
   }
   v += snprintf(vertex + v, sizeof vertex - v, "void main() {\n   place = coordinates;\n");
   f += snprintf(fragment + f, sizeof fragment - f, "void main() {\n   color = texture(image, place);\n");
   for (int i = 1; i < outputs; i++) {
      v += snprintf(vertex + v, sizeof vertex - v, "   output%d = tint * position.xyxy * (factor * %d.0);\n",
                    i, i);
      f += snprintf(fragment + f, sizeof fragment - f, "   color += abs(output%d) * abs(output%d.wzyx);\n", i,
                    i);
   }
   snprintf(vertex + v, sizeof vertex - v, "   gl_Position = vec4(position * 2.0 - 1.0, factor, 1.0);\n}\n");
   snprintf(fragment + f, sizeof fragment - f, "}\n");
   program = build_versioned_program("#version 300 es\n", vertex, fragment);
}

/* ---- meshes ----------------------------------------------------------------- */

static void
use_layout(void)
{
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(struct vertex),
                         (void *)offsetof(struct vertex, position));
   glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, sizeof(struct vertex),
                         (void *)offsetof(struct vertex, coordinates));
   glVertexAttribPointer(2, 4, GL_FLOAT, GL_FALSE, sizeof(struct vertex),
                         (void *)offsetof(struct vertex, tint));
   for (GLuint attribute = 0; attribute < 3; attribute++)
      glEnableVertexAttribArray(attribute);
}

static struct vertex *
make_vertices(int squares)
{
   struct vertex *vertices = malloc(sizeof *vertices * (squares + 1) * (squares + 1)), *next = vertices;
   require(vertices, "out of memory");
   for (int y = 0; y <= squares; y++) {
      for (int x = 0; x <= squares; x++) {
         const float u = (float)x / squares, v = (float)y / squares;
         *next++ = (struct vertex){{u, v}, {u, v}, {1, 1, 1, 1}};
      }
   }
   return vertices;
}

#define STRIP 12 /* squares a strip is wide: a FIFO of 32 vertices still has them when the next row comes */

/* The corners of all triangles, in strips of squares. */
static GLuint *
make_indices(int squares)
{
   GLuint *indices = malloc(sizeof *indices * squares * squares * 6), *next = indices;
   require(indices, "out of memory");
   for (int x0 = 0; x0 < squares; x0 += STRIP) {
      for (int y = 0; y < squares; y++) {
         for (int x = x0; x < x0 + STRIP && x < squares; x++) {
            const GLuint a = y * (squares + 1) + x, b = a + squares + 1;
            const GLuint corners[] = {a, a + 1, b, b, a + 1, b + 1};
            for (int c = 0; c < 6; c++)
               *next++ = corners[c];
         }
      }
   }
   return indices;
}

/* A triangle is followed by one far away. */
static void
scatter(GLuint *indices, GLuint triangles)
{
   const GLuint step = 1597; /* a prime */
   GLuint *ordered = malloc(sizeof *ordered * triangles * 3);
   require(ordered && triangles % step, "no order of triangles");
   memcpy(ordered, indices, sizeof *ordered * triangles * 3);
   for (GLuint t = 0; t < triangles; t++)
      memcpy(&indices[t * 3], &ordered[t * step % triangles * 3], sizeof *indices * 3);
   free(ordered);
}

static void
make_mesh(int squares, bool indexed, bool scattered)
{
   struct vertex *vertices = make_vertices(squares);
   GLuint *indices = make_indices(squares);
   num_indices = squares * squares * 6;
   num_vertices = (squares + 1) * (squares + 1);
   if (scattered)
      scatter(indices, num_indices / 3);
   if (indexed) {
      create_buffer(GL_ELEMENT_ARRAY_BUFFER, indices, sizeof *indices * num_indices);
      create_buffer(GL_ARRAY_BUFFER, vertices, sizeof *vertices * num_vertices);
   } else {
      struct vertex *corners = malloc(sizeof *corners * num_indices);
      require(corners, "out of memory");
      for (GLuint i = 0; i < num_indices; i++)
         corners[i] = vertices[indices[i]];
      create_buffer(GL_ARRAY_BUFFER, corners, sizeof *corners * num_indices);
      num_vertices = num_indices;
      num_indices = 0;
      free(corners);
   }
   free(vertices);
   free(indices);
   use_layout();
}

static void
draw_mesh(void)
{
   draw_to(NULL, WINDOW_SIZE);
   clear(false);
   glUseProgram(program);
   glUniform1f(place_of("factor"), 0);
   if (num_indices)
      glDrawElements(GL_TRIANGLES, (GLsizei)num_indices, GL_UNSIGNED_INT, NULL);
   else
      glDrawArrays(GL_TRIANGLES, 0, (GLsizei)num_vertices);
}

/* ---- scenes ----------------------------------------------------------------- */

/* Texels of 8 x 8 pixels: no pixel's middle is near the edge of one, whatever the triangle it is in. */
static void
prepare(int outputs)
{
   make_mesh_program(outputs);
   make_texture(64, true, true, 1);
}

/* A side: triangles of 65 pixels, whose Parameter Buffer fits into an L2 of 1 MiB. */
#define SQUARES 45

static void
prepare_unshared_vertices(void)
{
   prepare(2);
   make_mesh(SQUARES, true, !is_good);
}

static void
prepare_unindexed_vertices(void)
{
   prepare(2);
   make_mesh(SQUARES, is_good, false);
}

/* 100,352 triangles of 2.6 pixels, or a quarter as many. */
static void
prepare_tiny_triangles(void)
{
   prepare(2);
   make_mesh(is_good ? 112 : 224, true, false);
}

/* 2,592 triangles, whose Parameter Buffer fits into an L2 of 1 MiB with four outputs, but not with eight. */
static void
prepare_large_parameter_buffer(void)
{
   prepare(is_good ? 4 : 8);
   make_mesh(36, true, false);
}

const struct scene geometry_scenes[] = {
   {"unshared_vertices", false, prepare_unshared_vertices, draw_mesh},
   {"unindexed_vertices", false, prepare_unindexed_vertices, draw_mesh},
   {"tiny_triangles", false, prepare_tiny_triangles, draw_mesh},
   {"large_parameter_buffer", false, prepare_large_parameter_buffer, draw_mesh},
   {0},
};
