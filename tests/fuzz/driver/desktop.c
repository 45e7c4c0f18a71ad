/* SPDX-License-Identifier: MIT */
#include "desktop.h"
#include "support/program.h"

#include <stdlib.h>
#include <string.h>

static void
set_enabled(GLenum what, bool on)
{
   if (on)
      glEnable(what);
   else
      glDisable(what);
}

/* ---- objects -------------------------------------------------------------------- */

void
create_desktop_objects(struct world *world, struct dice *dice)
{
   static const GLuint zeros[4];
   static GLubyte texels[128 * 128 * 4];
   for (unsigned i = 0; i < sizeof texels; i++)
      texels[i] = (GLubyte)roll_bits(dice);
   world->source = bind_new_image(GL_RGBA8, 128, 128);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 128, 128, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glGenBuffers(1, &world->counter);
   glBindBuffer(GL_ATOMIC_COUNTER_BUFFER, world->counter);
   glBufferData(GL_ATOMIC_COUNTER_BUFFER, sizeof zeros, zeros, GL_DYNAMIC_DRAW);
   glGenTransformFeedbacks(1, &world->transform);
   glGenQueries(1, &world->samples);
   world->has_transform = world->has_samples = false;
   glEnable(GL_PROGRAM_POINT_SIZE);
   /* Where a cube's faces are sampled alone, llvmpipe clamps at their edges, whatever the wrap mode. */
   set_enabled(GL_TEXTURE_CUBE_MAP_SEAMLESS, !world->loose || chance(dice, 50));
}

void
delete_desktop_objects(struct world *world)
{
   glDeleteTextures(1, &world->source);
   glDeleteBuffers(1, &world->counter);
   glDeleteTransformFeedbacks(1, &world->transform);
   glDeleteQueries(1, &world->samples);
}

void
bind_desktop_objects(struct world *world, struct dice *dice, const struct program *program)
{
   glBindImageTexture(1, world->source, 0, GL_FALSE, 0, GL_READ_ONLY, GL_RGBA8);
   glBindBufferBase(GL_ATOMIC_COUNTER_BUFFER, 0, world->counter);
   GLint count = 0;
   if (program->plan.subroutines && !program->plan.compute)
      glGetProgramStageiv(program->name, GL_FRAGMENT_SHADER, GL_ACTIVE_SUBROUTINE_UNIFORM_LOCATIONS, &count);
   const GLuint choice = roll(dice, 3);
   if (count == 1)
      glUniformSubroutinesuiv(GL_FRAGMENT_SHADER, 1, &choice);
}

void
dump_desktop_results(struct world *world)
{
   glBindBuffer(GL_COPY_READ_BUFFER, world->counter);
   GLuint words[4];
   glGetBufferSubData(GL_COPY_READ_BUFFER, 0, sizeof words, words);
   dump_record(world, "counter", 'u', 0, words, 4);
}

/* ---- state ---------------------------------------------------------------------- */

/** All viewports at whole pixels, each with scissor and depths of its own. */
static void
set_viewports(struct dice *dice, const struct framebuffer *framebuffer)
{
   for (GLuint i = 1; i < VIEWPORTS; i++) {
      glViewportIndexedf(i, (float)roll_between(dice, -9, 30), (float)roll_between(dice, -9, 30),
                         (float)framebuffer->width, (float)framebuffer->height);
      glScissorIndexed(i, (GLint)roll(dice, 20), (GLint)roll(dice, 20), 60, 60);
      glDepthRangeIndexed(i, 0.25 * roll(dice, 3), 1);
   }
}

/** What drivers may do differently, but one driver always in the same way. */
static void
set_loose_state(struct dice *dice)
{
   static const GLenum ways[] = {GL_POINT, GL_LINE, GL_FILL, GL_FILL};
   static const GLenum operations[] = {GL_XOR, GL_INVERT, GL_NAND, GL_OR_REVERSE, GL_EQUIV, GL_SET};
   glPolygonMode(GL_FRONT_AND_BACK, PICK(dice, ways));
   set_enabled(GL_LINE_SMOOTH, chance(dice, 20));
   set_enabled(GL_POLYGON_SMOOTH, chance(dice, 10));
   set_enabled(GL_COLOR_LOGIC_OP, chance(dice, 15));
   glLogicOp(PICK(dice, operations));
   set_enabled(GL_POLYGON_OFFSET_LINE, chance(dice, 20));
   set_enabled(GL_POLYGON_OFFSET_POINT, chance(dice, 20));
   glPointParameteri(GL_POINT_SPRITE_COORD_ORIGIN, chance(dice, 50) ? GL_LOWER_LEFT : GL_UPPER_LEFT);
   set_enabled(GL_SAMPLE_ALPHA_TO_ONE, chance(dice, 10));
   glClipControl(chance(dice, 70) ? GL_LOWER_LEFT : GL_UPPER_LEFT,
                 chance(dice, 70) ? GL_NEGATIVE_ONE_TO_ONE : GL_ZERO_TO_ONE);
}

static void
set_compatible_state(struct world *world, struct dice *dice)
{
   GLubyte stipple[128];
   for (unsigned i = 0; i < sizeof stipple; i++)
      stipple[i] = (GLubyte)roll_bits(dice);
   glPolygonStipple(stipple);
   set_enabled(GL_POLYGON_STIPPLE, chance(dice, 25));
   if (!world->loose)
      return;
   set_enabled(GL_ALPHA_TEST, chance(dice, 20));
   glAlphaFunc(GL_NEVER + roll(dice, 8), 0.25f * (float)roll(dice, 5));
   set_enabled(GL_LINE_STIPPLE, chance(dice, 20));
   glLineStipple(1 + (GLint)roll(dice, 3), (GLushort)roll_bits(dice));
   set_enabled(GL_POINT_SPRITE, chance(dice, 30));
   set_enabled(GL_POINT_SMOOTH, chance(dice, 20));
   set_enabled(GL_VERTEX_PROGRAM_TWO_SIDE, chance(dice, 20));
   glClampColor(GL_CLAMP_FRAGMENT_COLOR, chance(dice, 50) ? GL_TRUE : GL_FIXED_ONLY);
   glShadeModel(chance(dice, 80) ? GL_SMOOTH : GL_FLAT);
}

void
set_desktop_state(struct world *world, struct dice *dice, const struct program *program)
{
   glProvokingVertex(chance(dice, 50) ? GL_FIRST_VERTEX_CONVENTION : GL_LAST_VERTEX_CONVENTION);
   set_enabled(GL_DEPTH_CLAMP, chance(dice, 20));
   set_enabled(GL_CLIP_DISTANCE0, program && program->plan.clips && chance(dice, 50));
   set_enabled(GL_CLIP_DISTANCE1, program && program->plan.clips && chance(dice, 50));
   set_enabled(GL_FRAMEBUFFER_SRGB, chance(dice, 30));
   set_enabled(GL_MULTISAMPLE, chance(dice, 90) || !world->loose);
   set_enabled(GL_PRIMITIVE_RESTART, chance(dice, 25));
   glPrimitiveRestartIndex(roll(dice, VERTICES));
   if (program)
      set_viewports(dice, &world->framebuffers[program->framebuffer]);
   if (program && program->plan.dual && chance(dice, 70)) {
      glEnablei(GL_BLEND, 0);
      glBlendEquation(GL_FUNC_ADD);
      glBlendFunc(chance(dice, 50) ? GL_SRC1_COLOR : GL_ONE_MINUS_SRC1_ALPHA,
                  chance(dice, 50) ? GL_SRC1_ALPHA : GL_ONE_MINUS_SRC1_COLOR);
   } else if (program && program->plan.dual) {
      glBlendFunc(GL_ONE, GL_ONE);
   }
   if (world->loose)
      set_loose_state(dice);
   if (world->compatible)
      set_compatible_state(world, dice);
}

void
reset_desktop_state(void)
{
   static const GLenum off[] = {GL_DEPTH_CLAMP,      GL_CLIP_DISTANCE0,    GL_CLIP_DISTANCE1,
                                GL_FRAMEBUFFER_SRGB, GL_PRIMITIVE_RESTART, GL_LINE_SMOOTH,
                                GL_POLYGON_SMOOTH,   GL_COLOR_LOGIC_OP,    GL_SAMPLE_ALPHA_TO_ONE};
   for (unsigned i = 0; i < sizeof off / sizeof off[0]; i++)
      glDisable(off[i]);
   glEnable(GL_MULTISAMPLE);
   glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
   glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
}

/* ---- draws ---------------------------------------------------------------------- */

static void
draw_many_indirect(struct world *world, struct dice *dice, GLenum mode, GLsizei count)
{
   GLuint words[3][5];
   const bool indexed = chance(dice, 50);
   for (unsigned i = 0; i < 3; i++) {
      const GLuint draw[] = {(GLuint)count + i, 1 + roll(dice, 2), roll(dice, VERTICES / 2), 0, 0};
      memcpy(words[i], draw, sizeof draw);
      if (!indexed)
         words[i][3] = roll(dice, 2);
   }
   glBindBuffer(GL_DRAW_INDIRECT_BUFFER, world->indirect);
   glBufferSubData(GL_DRAW_INDIRECT_BUFFER, 0, sizeof words, words);
   if (indexed)
      glMultiDrawElementsIndirect(mode, GL_UNSIGNED_INT, NULL, 1 + (GLsizei)roll(dice, 3), sizeof words[0]);
   else
      glMultiDrawArraysIndirect(mode, NULL, 1 + (GLsizei)roll(dice, 3), sizeof words[0]);
   glBindBuffer(GL_DRAW_INDIRECT_BUFFER, 0);
}

static void
draw_many(struct dice *dice, GLenum mode, GLsizei count)
{
   const GLint firsts[] = {(GLint)roll(dice, VERTICES / 2), (GLint)roll(dice, VERTICES / 2), 0};
   const GLsizei counts[] = {count, 3, (GLsizei)roll(dice, 9)};
   const void *const from[] = {(void *)16, (void *)(uintptr_t)(4 * roll(dice, 100)), NULL};
   const GLint bases[] = {0, 0, 0};
   switch (roll(dice, 3)) {
   case 0: glMultiDrawArrays(mode, firsts, counts, 3); break;
   case 1: glMultiDrawElements(mode, counts, GL_UNSIGNED_INT, from, 3); break;
   default: glMultiDrawElementsBaseVertex(mode, counts, GL_UNSIGNED_INT, from, 3, bases); break;
   }
}

/** Draws as a query says that has ended. */
static void
draw_conditionally(struct world *world, struct dice *dice, GLenum mode, GLsizei count)
{
   static const GLenum ways[] = {GL_QUERY_WAIT, GL_QUERY_BY_REGION_WAIT, GL_QUERY_WAIT_INVERTED,
                                 GL_QUERY_BY_REGION_WAIT_INVERTED};
   const bool conditional = world->has_samples && chance(dice, 50);
   if (conditional)
      glBeginConditionalRender(world->samples, PICK(dice, ways));
   else
      glBeginQuery(GL_SAMPLES_PASSED, world->samples);
   glDrawArrays(mode, (GLint)roll(dice, VERTICES / 2), count);
   if (conditional) {
      glEndConditionalRender();
      return;
   }
   glEndQuery(GL_SAMPLES_PASSED);
   world->has_samples = true;
   if (chance(dice, 50)) {
      GLuint passed = 0;
      glGetQueryObjectuiv(world->samples, GL_QUERY_RESULT, &passed);
      dump_record(world, "samples", 'u', ANY, &passed, 1);
   }
}

/** Captures in two parts, with a draw between them that is not captured; or draws what was captured. */
static void
draw_transformed(struct world *world, struct dice *dice, GLenum mode, GLsizei count)
{
   if (world->has_transform && world->wild && chance(dice, 60)) {
      glDrawTransformFeedbackInstanced(mode, world->transform, 1 + (GLsizei)roll(dice, 2));
      return;
   }
   const struct program *program = NULL;
   GLint name;
   glGetIntegerv(GL_CURRENT_PROGRAM, &name);
   for (unsigned i = 0; i < PROGRAMS; i++) {
      if (world->programs[i].name == (GLuint)name)
         program = &world->programs[i];
   }
   if (!program || !program->plan.captured || program->plan.geometry || program->plan.tessellation ||
       (mode != GL_TRIANGLES && mode != GL_TRIANGLE_STRIP && mode != GL_TRIANGLE_FAN)) {
      glDrawArraysInstancedBaseInstance(mode, 1, count, 2, roll(dice, 2));
      return;
   }
   glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, world->transform);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, world->captured);
   glBeginTransformFeedback(GL_TRIANGLES);
   glDrawArrays(mode, 0, count);
   glPauseTransformFeedback();
   glDrawArrays(mode, 3, 3);
   glResumeTransformFeedback();
   glDrawArrays(mode, 6, 6);
   glEndTransformFeedback();
   glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);
   world->has_transform = true;
}

void
draw_desktop(struct world *world, struct dice *dice, GLenum mode, GLsizei count)
{
   switch (roll(dice, 6)) {
   case 0: draw_many(dice, mode, count); break;
   case 1: draw_many_indirect(world, dice, mode, count); break;
   case 2: draw_conditionally(world, dice, mode, count); break;
   case 3: draw_transformed(world, dice, mode, count); break;
   case 4:
      glDrawElementsInstancedBaseVertexBaseInstance(mode, count, GL_UNSIGNED_INT, (void *)8, 2, 0,
                                                    roll(dice, 2));
      break;
   default: glDrawArraysInstancedBaseInstance(mode, 2, count, 2, roll(dice, 2)); break;
   }
}
