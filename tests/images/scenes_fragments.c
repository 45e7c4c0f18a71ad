/* SPDX-License-Identifier: MIT */
/* Scenes about which fragments survive and how they end up in the framebuffer. */
#include "images/scenes.h"

static void
clear(float red, float green, float blue)
{
   glClearColor(red, green, blue, 1);
   glClearStencil(0);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

/* Opaque triangles of all sizes: slivers, clipped ones, some through the near plane. */
void
draw_triangles(const struct target *target, int frame)
{
   begin(target, color_program());
   clear(0.1f, 0.2f, 0.3f);
   glEnable(GL_DEPTH_TEST);
   draw_random_triangles(11 + frame, 40, 0.5f, 1);
   draw_random_triangles(12 + frame, 300, 0.04f, 1);
   static const struct vertex through_the_eye[] = {
      {{-0.5f, -0.9f, 0, 1}, {1, 0, 0, 1}, {0}},
      {{0.5f, -0.9f, 0, 1}, {0, 1, 0, 1}, {0}},
      {{0.2f, 0.5f, -2, -0.5f}, {0, 0, 1, 1}, {0}},
   };
   draw(GL_TRIANGLES, through_the_eye, 3);
   glEnable(GL_CULL_FACE);
   glCullFace(frame & 1 ? GL_FRONT : GL_BACK);
   draw_random_triangles(13 + frame, 60, 0.3f, 1);
}

void
draw_blending(const struct target *target, int frame)
{
   static const struct {
      GLenum source, destination, equation;
   } modes[] = {
      {GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_FUNC_ADD},
      {GL_ONE, GL_ONE, GL_FUNC_ADD},
      {GL_DST_COLOR, GL_ZERO, GL_FUNC_ADD},
      {GL_ONE, GL_ONE, GL_FUNC_REVERSE_SUBTRACT},
      {GL_CONSTANT_COLOR, GL_ONE_MINUS_CONSTANT_ALPHA, GL_FUNC_ADD},
      {GL_ONE_MINUS_DST_ALPHA, GL_DST_ALPHA, GL_FUNC_SUBTRACT},
   };
   begin(target, color_program());
   clear(0.4f, 0.4f, 0.4f);
   glEnable(GL_DEPTH_TEST);
   draw_random_triangles(21 + frame, 20, 0.6f, 1);
   glEnable(GL_BLEND);
   glBlendColor(0.2f, 0.5f, 0.7f, 0.6f);
   for (unsigned m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
      glBlendFunc(modes[m].source, modes[m].destination);
      glBlendEquation(modes[m].equation);
      glDepthMask(m & 1);
      draw_random_triangles(22 + frame + m, 12, 0.5f, 0.4f);
   }
   glBlendEquation(GL_FUNC_ADD);
   /* Opaque again, in front of some and behind others: nothing below may be dropped too early. */
   glDisable(GL_BLEND);
   glDepthMask(1);
   draw_random_triangles(29 + frame, 10, 0.5f, 1);
}

/* Fragments that drop themselves keep what is behind them visible, and write no depth. */
void
draw_discard(const struct target *target, int frame)
{
   static GLuint program;
   if (!program)
      program =
         make_program("attribute vec4 position, color;\n"
                      "attribute vec2 texture;\n"
                      "varying vec4 v_color;\n"
                      "varying vec2 v_texture;\n"
                      "void main() { gl_Position = position; v_color = color; v_texture = texture; }\n",
                      "precision mediump float;\n"
                      "varying vec4 v_color;\n"
                      "varying vec2 v_texture;\n"
                      "void main() {\n"
                      "   vec2 cell = fract(v_texture * 4.0);\n"
                      "   if (cell.x < 0.5 && cell.y < 0.6) discard;\n"
                      "   gl_FragColor = v_color;\n"
                      "}\n");
   begin(target, program);
   clear(0.9f, 0.9f, 0.8f);
   glEnable(GL_DEPTH_TEST);
   for (int layer = 0; layer < 4; layer++) {
      glUseProgram(layer & 1 ? color_program() : program);
      draw_random_triangles(31 + frame + layer, 25, 0.5f, 1);
   }
}

void
draw_stencil(const struct target *target, int frame)
{
   static const float white[] = {1, 1, 1, 1}, red[] = {0.8f, 0.1f, 0.1f, 1}, blue[] = {0, 0.2f, 0.9f, 1};
   begin(target, color_program());
   clear(0, 0, 0);
   glEnable(GL_STENCIL_TEST);
   glEnable(GL_DEPTH_TEST);
   /* Counts layers: front faces up, back faces down, hidden ones up by inversion. */
   glColorMask(0, 0, 0, 0);
   glStencilFunc(GL_ALWAYS, 0, 0xff);
   glStencilOpSeparate(GL_FRONT, GL_KEEP, GL_INVERT, GL_INCR_WRAP);
   glStencilOpSeparate(GL_BACK, GL_INCR, GL_DECR, GL_DECR_WRAP);
   draw_random_triangles(41 + frame, 60, 0.5f, 1);
   glColorMask(1, 1, 1, 1);
   glDisable(GL_DEPTH_TEST);
   glStencilOp(GL_KEEP, GL_KEEP, GL_ZERO);
   glStencilFunc(GL_EQUAL, 1, 0xff);
   draw_rectangle(-1, -1, 1, 1, 0, white);
   glStencilFunc(GL_LESS, 0x80, 0xff);
   glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
   glStencilMask(0x0f);
   draw_rectangle(-0.9f, -0.9f, 0.9f, 0.9f, 0, red);
   glStencilMask(0xff);
   /* Where the stencil fails something is written too: no fragment of this is "invisible". */
   glStencilFunc(GL_NEVER, 0x33, 0xff);
   glStencilOp(GL_REPLACE, GL_KEEP, GL_KEEP);
   draw_random_triangles(45 + frame, 8, 0.4f, 1);
   glStencilFunc(GL_EQUAL, 0x33, 0x3f);
   glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
   draw_rectangle(-1, -1, 1, 1, 0, blue);
}

/* All comparison functions, polygon offset, depth range, clears of depth alone. */
void
draw_depth(const struct target *target, int frame)
{
   static const GLenum functions[] = {GL_LESS,     GL_LEQUAL, GL_GREATER, GL_GEQUAL,
                                      GL_NOTEQUAL, GL_EQUAL,  GL_ALWAYS,  GL_LESS};
   begin(target, color_program());
   clear(0.2f, 0, 0.2f);
   glEnable(GL_DEPTH_TEST);
   for (unsigned f = 0; f < sizeof(functions) / sizeof(functions[0]); f++) {
      glDepthFunc(functions[f]);
      draw_random_triangles(51 + frame + f / 2, 12, 0.6f, 1);
   }
   glDepthFunc(GL_LEQUAL);
   glDepthRangef(0.2f, 0.6f);
   glEnable(GL_POLYGON_OFFSET_FILL);
   glPolygonOffset(frame & 1 ? -1.5f : 1.5f, 2);
   draw_random_triangles(51 + frame, 12, 0.6f, 1);
   glDisable(GL_POLYGON_OFFSET_FILL);
   glDepthRangef(0, 1);
   glDepthFunc(GL_LESS);
   glEnable(GL_SCISSOR_TEST);
   glScissor(target->width / 3, target->height / 4, target->width / 2, target->height / 2);
   glClearDepthf(0.55f);
   glClear(GL_DEPTH_BUFFER_BIT);
   glClearDepthf(1);
   glDisable(GL_SCISSOR_TEST);
   draw_random_triangles(59 + frame, 15, 0.5f, 1);
}

/* Colour masks, scissors, viewports larger and smaller than the target, clears in the middle. */
void
draw_masks(const struct target *target, int frame)
{
   begin(target, color_program());
   clear(1, 1, 1);
   for (int pass = 0; pass < 4; pass++) {
      glColorMask(pass != 0, pass != 1, pass != 2, pass != 3);
      draw_random_triangles(61 + frame + pass, 15, 0.6f, 0.5f);
   }
   glColorMask(1, 0, 1, 1);
   glEnable(GL_SCISSOR_TEST);
   glScissor(17, 9, target->width / 2, target->height / 3);
   glClear(GL_COLOR_BUFFER_BIT);
   glColorMask(1, 1, 1, 1);
   glViewport(-40, -30, target->width + 80, target->height + 60);
   draw_random_triangles(66 + frame, 20, 0.5f, 1);
   glDisable(GL_SCISSOR_TEST);
   glViewport(target->width / 2 + 3, 5, target->width / 3, target->height / 3);
   draw_random_triangles(67 + frame, 20, 0.5f, 1);
   glViewport(0, 0, target->width, target->height);
}
