/* SPDX-License-Identifier: MIT */
#include "desktop.h"

static const GLenum functions[] = {GL_NEVER,   GL_LESS,     GL_EQUAL,  GL_LEQUAL,
                                   GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS};

static void
set_enabled(GLenum what, bool on)
{
   if (on)
      glEnable(what);
   else
      glDisable(what);
}

static void
set_blending(struct dice *dice, const struct framebuffer *framebuffer)
{
   static const GLenum equations[] = {GL_FUNC_ADD, GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT,
                                      GL_MIN,      GL_MAX};
   static const GLenum factors[] = {
      GL_ZERO,
      GL_ONE,
      GL_SRC_COLOR,
      GL_ONE_MINUS_SRC_COLOR,
      GL_DST_COLOR,
      GL_SRC_ALPHA,
      GL_DST_ALPHA,
      GL_ONE_MINUS_DST_COLOR,
      GL_ONE_MINUS_SRC_ALPHA,
      GL_ONE_MINUS_DST_ALPHA,
      GL_CONSTANT_COLOR,
      GL_CONSTANT_ALPHA,
      GL_SRC_ALPHA_SATURATE,
   };
   glDisable(GL_BLEND);
   for (unsigned i = 0; i < framebuffer->color_count; i++) {
      const bool all = chance(dice, 50);
      set_enabled(GL_BLEND, false);
      if (all || framebuffer->colors[i]->sort != FLOAT || framebuffer->colors[i]->is_float)
         continue;
      glEnablei(GL_BLEND, i);
      glBlendEquationSeparatei(i, PICK(dice, equations), PICK(dice, equations));
      glBlendFuncSeparatei(i, PICK(dice, factors), PICK(dice, factors), PICK(dice, factors),
                           PICK(dice, factors));
   }
   for (unsigned i = 0; i < framebuffer->color_count; i++) {
      const unsigned mask = chance(dice, 80) ? 15 : roll(dice, 16);
      glColorMaski(i, mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3 & 1);
   }
   glBlendColor(0.25f, 0.5f, 0.75f, 0.5f);
}

static void
set_stencil(struct dice *dice)
{
   static const GLenum operations[] = {GL_KEEP, GL_ZERO,   GL_REPLACE,   GL_INCR,
                                       GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP};
   static const GLenum faces[] = {GL_FRONT, GL_BACK};
   set_enabled(GL_STENCIL_TEST, chance(dice, 30));
   for (unsigned i = 0; i < 2; i++) {
      glStencilFuncSeparate(faces[i], PICK(dice, functions), (GLint)roll(dice, 5),
                            chance(dice, 60) ? 255 : roll(dice, 256));
      glStencilOpSeparate(faces[i], PICK(dice, operations), PICK(dice, operations), PICK(dice, operations));
      glStencilMaskSeparate(faces[i], chance(dice, 70) ? 255 : roll(dice, 256));
   }
}

void
set_state(struct world *world, struct dice *dice, const struct framebuffer *framebuffer)
{
   static const float ranges[][2] = {{0, 1}, {0, 1}, {0.25f, 0.75f}, {1, 0}};
   const int width = framebuffer->width, height = framebuffer->height;
   /* Of the framebuffer's size or twice as large, at whole pixels: what is exact stays so. */
   const int scale = chance(dice, 80) ? 1 : 2;
   glViewport(chance(dice, 80) ? 0 : roll_between(dice, -20, 20),
              chance(dice, 80) ? 0 : roll_between(dice, -20, 20), width * scale, height * scale);
   const float *range = PICK(dice, ranges);
   glDepthRangef(range[0], range[1]);
   /* With samples, llvmpipe draws a pixel to the left of the scissor and below it, too. */
   set_enabled(GL_SCISSOR_TEST, chance(dice, 25) && (world->loose || !framebuffer->samples));
   glScissor(roll_between(dice, -5, width / 2), roll_between(dice, -5, height / 2),
             roll_between(dice, 0, width), roll_between(dice, 0, height));
   set_enabled(GL_DEPTH_TEST, chance(dice, 60));
   glDepthFunc(chance(dice, 50) ? GL_LEQUAL : PICK(dice, functions));
   glDepthMask(chance(dice, 75));
   set_enabled(GL_CULL_FACE, chance(dice, 30));
   glCullFace(chance(dice, 50) ? GL_BACK : chance(dice, 80) ? GL_FRONT : GL_FRONT_AND_BACK);
   glFrontFace(chance(dice, 50) ? GL_CCW : GL_CW);
   set_enabled(GL_RASTERIZER_DISCARD, chance(dice, 3));
   set_enabled(GL_SAMPLE_MASK, chance(dice, 20));
   glSampleMaski(0, roll(dice, 16));
   set_enabled(GL_DITHER, false);
   set_enabled(GL_PRIMITIVE_RESTART_FIXED_INDEX, chance(dice, 20));
   set_stencil(dice);
   set_blending(dice, framebuffer);
   if (!world->loose)
      return;
   set_enabled(GL_SAMPLE_ALPHA_TO_COVERAGE, chance(dice, 10));
   set_enabled(GL_SAMPLE_COVERAGE, chance(dice, 10));
   glSampleCoverage(0.5f, chance(dice, 50));
   set_enabled(GL_SAMPLE_SHADING, chance(dice, 10));
   glMinSampleShading(1.0f);
   set_enabled(GL_POLYGON_OFFSET_FILL, chance(dice, 20));
   glPolygonOffset(1.5f, 2);
   glLineWidth(1 + (float)roll(dice, 8) * 0.5f);
}

void
reset_state(struct world *world)
{
   if (world->desktop)
      reset_desktop_state();
   static const GLenum off[] = {GL_SCISSOR_TEST, GL_DEPTH_TEST,   GL_CULL_FACE, GL_RASTERIZER_DISCARD,
                                GL_SAMPLE_MASK,  GL_STENCIL_TEST, GL_BLEND};
   for (unsigned i = 0; i < sizeof off / sizeof off[0]; i++)
      glDisable(off[i]);
   glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
   glDepthMask(GL_TRUE);
   glStencilMask(255);
}
