/* SPDX-License-Identifier: MIT */
#include "images/scenes.h"

#include <stdlib.h>

#include "support/check.h"
#include "support/program.h"

const struct scene scenes[] = {
   {"triangles", draw_triangles, SCENE_ES_2},
   {"blending", draw_blending, SCENE_ES_2},
   {"discard", draw_discard, SCENE_ES_2},
   {"stencil", draw_stencil, SCENE_ES_2},
   {"depth", draw_depth, SCENE_ES_2},
   {"masks", draw_masks, SCENE_ES_2},
   {"points", draw_points, SCENE_ES_2},
   {"lines", draw_lines, SCENE_ES_2},
   {"textures", draw_textures, SCENE_ES_2},
   {"cube_map", draw_cube_map, SCENE_ES_2},
   {"compressed_textures", draw_compressed_textures, SCENE_ES_2},
   {"layered_textures", draw_layered_textures, SCENE_ES_2},
   {"anisotropic_textures", draw_anisotropic_textures, SCENE_ES_2},
   {"render_to_texture", draw_render_to_texture, SCENE_ES_2},
   {"hazards", draw_hazards, SCENE_ES_2},
   {"multisampled", draw_multisampled, SCENE_ES_2},
   {"interpolated", draw_interpolated, SCENE_ES_2},
   {"geometry_programs", draw_geometry_programs, SCENE_GL_33},
   {"transform_feedback", draw_transform_feedback, SCENE_GL_33},
   {"queries", draw_queries, SCENE_GL_33},
   {"blits_within", draw_blits_within, SCENE_GL_33},
   {"fetch", draw_fetch, SCENE_ES_2},
   {"attributes", draw_attributes, SCENE_GL_33},
};
const unsigned num_scenes = sizeof(scenes) / sizeof(scenes[0]);

uint32_t
random_bits(uint32_t *state)
{
   *state ^= *state << 13;
   *state ^= *state >> 17;
   *state ^= *state << 5;
   return *state;
}

float
random_between(uint32_t *state, float low, float high)
{
   return low + (high - low) * (random_bits(state) >> 8) / (float)(1 << 24);
}

GLuint
attach_shader(GLuint program, GLenum type, const char *source)
{
   if (!program)
      program = glCreateProgram();
   glAttachShader(program, compile_shader(type, "", source));
   return program;
}

GLuint
make_program(const char *vertex_source, const char *fragment_source)
{
   const GLuint program = attach_shader(0, GL_VERTEX_SHADER, vertex_source);
   attach_shader(program, GL_FRAGMENT_SHADER, fragment_source);
   link_program(program);
   return program;
}

void
link_program(GLuint program)
{
   GLint linked;
   glBindAttribLocation(program, 0, "position");
   glBindAttribLocation(program, 1, "color");
   glBindAttribLocation(program, 2, "texture");
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   require(linked, "a program does not link");
}

static const char vertex_source[] = "attribute vec4 position, color;\n"
                                    "attribute vec2 texture;\n"
                                    "uniform float size;\n"
                                    "varying vec4 v_color;\n"
                                    "varying vec2 v_texture;\n"
                                    "void main() {\n"
                                    "   gl_Position = position;\n"
                                    "   gl_PointSize = size;\n"
                                    "   v_color = color;\n"
                                    "   v_texture = texture;\n"
                                    "}\n";

GLuint
color_program(void)
{
   static GLuint program;
   if (!program)
      program = make_program(vertex_source, "precision mediump float;\n"
                                            "varying vec4 v_color;\n"
                                            "void main() { gl_FragColor = v_color; }\n");
   return program;
}

GLuint
texture_program(void)
{
   static GLuint program;
   if (!program)
      program = make_program(vertex_source,
                             "precision mediump float;\n"
                             "uniform sampler2D image;\n"
                             "varying vec4 v_color;\n"
                             "varying vec2 v_texture;\n"
                             "void main() { gl_FragColor = v_color * texture2D(image, v_texture); }\n");
   return program;
}

void
begin(const struct target *target, GLuint program)
{
   glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
   glViewport(0, 0, target->width, target->height);
   static const GLenum off[] = {GL_BLEND,  GL_CULL_FACE,    GL_DEPTH_TEST,         GL_STENCIL_TEST,
                                GL_DITHER, GL_SCISSOR_TEST, GL_POLYGON_OFFSET_FILL};
   for (unsigned o = 0; o < sizeof(off) / sizeof(off[0]); o++)
      glDisable(off[o]);
   glColorMask(1, 1, 1, 1);
   glDepthMask(1);
   glStencilMask(0xff);
   glDepthFunc(GL_LESS);
   glUseProgram(program);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   for (unsigned attribute = 0; attribute < 3; attribute++)
      glEnableVertexAttribArray(attribute);
}

void
draw(GLenum mode, const struct vertex *vertices, int count)
{
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(*vertices), vertices->position);
   glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof(*vertices), vertices->color);
   glVertexAttribPointer(2, 2, GL_FLOAT, GL_FALSE, sizeof(*vertices), vertices->texture);
   glDrawArrays(mode, 0, count);
}

void
draw_rectangle(float left, float bottom, float right, float top, float z, const float color[4])
{
   struct vertex vertices[4];
   for (int v = 0; v < 4; v++) {
      vertices[v] = (struct vertex){
         .position = {v & 1 ? right : left, v & 2 ? top : bottom, z, 1},
         .color = {color[0], color[1], color[2], color[3]},
         .texture = {v & 1, v >> 1},
      };
   }
   draw(GL_TRIANGLE_STRIP, vertices, 4);
}

void
draw_random_triangles(uint32_t seed, int n, float size, float alpha)
{
   struct vertex *vertices = malloc(sizeof(*vertices) * 3 * n);
   for (int t = 0; t < n; t++) {
      float x = random_between(&seed, -1.1f, 1.1f), y = random_between(&seed, -1.1f, 1.1f);
      for (int v = 0; v < 3; v++) {
         float w = random_between(&seed, 0.5f, 2);
         vertices[t * 3 + v] = (struct vertex){
            .position = {(x + random_between(&seed, -size, size)) * w,
                         (y + random_between(&seed, -size, size)) * w, random_between(&seed, -1, 1) * w, w},
            .color = {random_between(&seed, 0, 1), random_between(&seed, 0, 1), random_between(&seed, 0, 1),
                      alpha},
            .texture = {random_between(&seed, -1, 2), random_between(&seed, -1, 2)},
         };
      }
   }
   draw(GL_TRIANGLES, vertices, n * 3);
   free(vertices);
}
