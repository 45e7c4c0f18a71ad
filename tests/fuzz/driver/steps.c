/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "desktop.h"

static void
bind_textures(struct world *world, const struct program *program)
{
   for (unsigned unit = 0; unit < TEXTURE_UNITS; unit++) {
      const struct texture *texture = &world->textures[program->textures[unit]];
      glActiveTexture(GL_TEXTURE0 + unit);
      glBindTexture(texture->target, texture->name);
   }
   glActiveTexture(GL_TEXTURE0 + TEXTURE_UNITS);
   glBindBufferBase(GL_UNIFORM_BUFFER, 0, world->uniforms);
   glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, world->words);
   glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, world->results);
   if (program->plan.compute)
      glBindImageTexture(0, world->picture, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
   else
      glBindImageTexture(0, world->counts, 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
   glUseProgram(program->name);
}

static void
bind_vertices(struct world *world, struct dice *dice)
{
   const unsigned divisor = chance(dice, 15) ? 1 + roll(dice, 2) : 0;
   glBindVertexArray(world->vertex_array);
   glBindBuffer(GL_ARRAY_BUFFER, world->vertices);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, world->indices);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 40, (void *)0);
   if (chance(dice, 70))
      glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 40, (void *)16);
   else
      glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, 40, (void *)32);
   glVertexAttribIPointer(2, 4, GL_BYTE, 40, (void *)32);
   glVertexAttribIPointer(3, 2, GL_UNSIGNED_SHORT, 40, (void *)36);
   for (unsigned i = 0; i < 4; i++) {
      if (i == 0 || chance(dice, 90))
         glEnableVertexAttribArray(i);
      else
         glDisableVertexAttribArray(i);
   }
   glVertexAttrib4f(1, 0.5f, 0.25f, 0, 1);
   glVertexAttribI4i(2, 1, 2, 3, 4);
   glVertexAttribI4ui(3, 5, 6, 7, 8);
   glVertexAttribDivisor(1, divisor);
}

static GLenum
pick_mode(struct dice *dice, const struct program_plan *plan)
{
   static const GLenum triangles[] = {GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN};
   static const GLenum any[] = {GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_POINTS,
                                GL_LINES,     GL_LINE_STRIP,     GL_LINE_LOOP};
   static const GLenum old[] = {GL_QUADS, GL_QUAD_STRIP, GL_POLYGON};
   if (plan->tessellation)
      return GL_PATCHES;
   if (plan->geometry) {
      switch (plan->vertices_in) {
      case 1: return GL_POINTS;
      case 2: return chance(dice, 50) ? GL_LINES : GL_LINE_STRIP;
      case 4: return chance(dice, 50) ? GL_LINES_ADJACENCY : GL_LINE_STRIP_ADJACENCY;
      case 6: return chance(dice, 50) ? GL_TRIANGLES_ADJACENCY : GL_TRIANGLE_STRIP_ADJACENCY;
      default: return PICK(dice, triangles);
      }
   }
   if (plan->compatible && plan->loose && chance(dice, 20))
      return PICK(dice, old);
   if (plan->loose)
      return PICK(dice, any);
   return PICK(dice, triangles);
}

static void
draw_indices(struct world *world, struct dice *dice, GLenum mode, GLsizei count, GLsizei instances)
{
   static const GLenum types[] = {GL_UNSIGNED_INT, GL_UNSIGNED_SHORT, GL_UNSIGNED_BYTE};
   /* The upper halves and bytes of the indices are 0: vertices that all types find. */
   const GLenum type = PICK(dice, types);
   const void *from = (const void *)(uintptr_t)(4 * roll(dice, 128));
   const GLint base = roll_between(dice, 0, 1) * (world->wild ? roll_between(dice, -200, 200) : 0);
   switch (roll(dice, 4)) {
   case 0: glDrawElements(mode, count, type, from); break;
   case 1: glDrawRangeElements(mode, 0, VERTICES - 1, count, type, from); break;
   case 2: glDrawElementsInstanced(mode, count, type, from, instances); break;
   default: glDrawElementsInstancedBaseVertex(mode, count, type, from, instances, base); break;
   }
}

static void
draw_indirect(struct world *world, struct dice *dice, GLenum mode, GLsizei count, GLsizei instances)
{
   const GLuint words[] = {(GLuint)count, (GLuint)instances, roll(dice, VERTICES / 2), 0, 0};
   glBindBuffer(GL_DRAW_INDIRECT_BUFFER, world->indirect);
   glBufferSubData(GL_DRAW_INDIRECT_BUFFER, 0, sizeof words, words);
   if (chance(dice, 50))
      glDrawArraysIndirect(mode, NULL);
   else
      glDrawElementsIndirect(mode, GL_UNSIGNED_INT, NULL);
   glBindBuffer(GL_DRAW_INDIRECT_BUFFER, 0);
}

static void
draw_some(struct world *world, struct dice *dice, GLenum mode, bool may_capture)
{
   const GLsizei count = (GLsizei)(chance(dice, 80) ? 3 + roll(dice, 15) : roll(dice, VERTICES / 2));
   const GLsizei instances = (GLsizei)(1 + roll(dice, 3));
   const GLint first = (GLint)roll(dice, VERTICES / 2);
   if (world->desktop && may_capture && chance(dice, 40)) {
      draw_desktop(world, dice, mode, count);
      return;
   }
   switch (roll(dice, 6)) {
   case 0:
   case 1: draw_indices(world, dice, mode, count, instances); break;
   case 2: draw_indirect(world, dice, mode, count, instances); break;
   case 3: glDrawArraysInstanced(mode, first, count, instances); break;
   default: glDrawArrays(mode, first, count); break;
   }
}

/** What queries count of a draw. */
static void
dump_query(struct world *world, const char *name, GLuint query)
{
   GLuint result = 0;
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &result);
   dump_record(world, name, 'u', 0, &result, 1);
}

static void
print_state(const struct program *program, GLenum mode)
{
   static const GLenum switches[] = {GL_DEPTH_TEST,         GL_STENCIL_TEST,
                                     GL_CULL_FACE,          GL_SCISSOR_TEST,
                                     GL_SAMPLE_MASK,        GL_BLEND,
                                     GL_RASTERIZER_DISCARD, GL_PRIMITIVE_RESTART_FIXED_INDEX};
   GLint viewport[4], scissor[4];
   glGetIntegerv(GL_VIEWPORT, viewport);
   glGetIntegerv(GL_SCISSOR_BOX, scissor);
   fprintf(stderr,
           "framebuffer %d, mode %u, viewport %d %d %d %d, scissor %d %d %d %d, on:", program->framebuffer,
           mode, viewport[0], viewport[1], viewport[2], viewport[3], scissor[0], scissor[1], scissor[2],
           scissor[3]);
   for (unsigned i = 0; i < sizeof switches / sizeof switches[0]; i++) {
      if (glIsEnabled(switches[i]))
         fprintf(stderr, " 0x%x", switches[i]);
   }
   fprintf(stderr, "\n");
}

/** What transform feedback gets of a draw; most wrong answers are errors. */
static GLenum
captured_mode(const struct program_plan *plan, GLenum mode)
{
   if (mode == GL_POINTS || (plan->geometry && plan->points_out))
      return GL_POINTS;
   return plan->geometry && plan->vertices_in == 2 ? GL_LINES : GL_TRIANGLES;
}

void
draw(struct world *world, struct dice *dice, int index)
{
   static const GLenum targets[] = {GL_ANY_SAMPLES_PASSED, GL_PRIMITIVES_GENERATED,
                                    GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN};
   const struct program *program = &world->programs[index];
   const struct framebuffer *framebuffer = &world->framebuffers[program->framebuffer];
   const bool captures = program->plan.captured && chance(dice, 70), queries = chance(dice, 25);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer->name);
   bind_textures(world, program);
   bind_vertices(world, dice);
   set_state(world, dice, framebuffer);
   if (world->desktop) {
      bind_desktop_objects(world, dice, program);
      set_desktop_state(world, dice, program);
   }
   static const float scales[] = {1, 0.5f, -1, 1.5f};
   glUniform4f(glGetUniformLocation(program->name, "place"), (float)roll_between(dice, -4, 4) / 8.0f,
               (float)roll_between(dice, -4, 4) / 8.0f, PICK(dice, scales),
               (float)roll_between(dice, -16, 16) / 16.0f);
   glPatchParameteri(GL_PATCH_VERTICES, (GLint)(3 + roll(dice, 2)));
   const GLenum mode = pick_mode(dice, &program->plan);
   if (world->verbose)
      print_state(program, mode);
   if (captures) {
      glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, world->captured);
      glBeginTransformFeedback(captured_mode(&program->plan, mode));
   }
   for (unsigned i = 0; i < 3 && queries; i++)
      glBeginQuery(targets[i], world->queries[i]);
   draw_some(world, dice, mode, !captures && !queries);
   for (unsigned i = 0; i < 3 && queries; i++)
      glEndQuery(targets[i]);
   if (captures)
      glEndTransformFeedback();
   if (program->plan.storage)
      glMemoryBarrier(GL_ALL_BARRIER_BITS);
   static const char *const names[] = {"any-samples", "generated", "written"};
   for (unsigned i = 0; i < 3 && queries; i++)
      dump_query(world, names[i], world->queries[i]);
}

void
dispatch(struct world *world, struct dice *dice, int index)
{
   const GLuint groups[] = {1 + roll(dice, 4), 1 + roll(dice, 3), 1 + roll(dice, 2)};
   bind_textures(world, &world->programs[index]);
   if (world->desktop)
      bind_desktop_objects(world, dice, &world->programs[index]);
   if (chance(dice, 30)) {
      glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, world->indirect);
      glBufferSubData(GL_DISPATCH_INDIRECT_BUFFER, 16, sizeof groups, groups);
      glDispatchComputeIndirect(16);
   } else {
      glDispatchCompute(groups[0], groups[1], groups[2]);
   }
   glMemoryBarrier(GL_ALL_BARRIER_BITS);
}

/* ---- framebuffers ------------------------------------------------------------------- */

static void
clear(struct world *world, struct dice *dice, const struct framebuffer *framebuffer)
{
   const GLfloat color[4] = {(float)roll(dice, 5) / 4, (float)roll(dice, 5) / 4, 1, (float)roll(dice, 5) / 4};
   const GLint numbers[4] = {(GLint)roll(dice, 100), 2, 3, 4};
   const GLint buffer = (GLint)roll(dice, framebuffer->color_count);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer->name);
   if (chance(dice, 30)) {
      glEnable(GL_SCISSOR_TEST);
      glScissor(3, 5, framebuffer->width / 2, framebuffer->height / 2);
   }
   if (chance(dice, 20))
      glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_FALSE);
   switch (framebuffer->colors[buffer]->sort) {
   case FLOAT: glClearBufferfv(GL_COLOR, buffer, color); break;
   case INT: glClearBufferiv(GL_COLOR, buffer, numbers); break;
   case UINT: glClearBufferuiv(GL_COLOR, buffer, (const GLuint *)numbers); break;
   }
   if (chance(dice, 50)) {
      glClearDepthf((float)roll(dice, 5) / 4);
      glClear(GL_DEPTH_BUFFER_BIT);
   }
   if (chance(dice, 30)) {
      glClearStencil((GLint)roll(dice, 4));
      glClear(GL_STENCIL_BUFFER_BIT);
   }
   reset_state(world);
}

/** What is invalidated is cleared before anything reads it. */
static void
invalidate(struct dice *dice, const struct framebuffer *framebuffer)
{
   static const GLenum attachments[] = {GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT, GL_STENCIL_ATTACHMENT};
   static const GLfloat color[4] = {0.5f, 0.25f, 0, 1};
   static const GLint numbers[4] = {9, 8, 7, 6};
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer->name);
   glInvalidateFramebuffer(GL_FRAMEBUFFER, 3, attachments);
   if (chance(dice, 50))
      glFlush();
   switch (framebuffer->colors[0]->sort) {
   case FLOAT: glClearBufferfv(GL_COLOR, 0, color); break;
   case INT: glClearBufferiv(GL_COLOR, 0, numbers); break;
   case UINT: glClearBufferuiv(GL_COLOR, 0, (const GLuint *)numbers); break;
   }
   glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

static void
blit(struct dice *dice, const struct framebuffer *from, const struct framebuffer *to)
{
   glBindFramebuffer(GL_READ_FRAMEBUFFER, from->name);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to->name);
   const int x = (int)roll(dice, 20), y = (int)roll(dice, 20);
   const int width = 1 + (int)roll(dice, 30), height = 1 + (int)roll(dice, 30);
   const bool resolves = from->samples > 0;
   /* Twice as large at most, and by whole numbers: the texels that are nearest are clear. */
   const int scale = resolves || to->samples || chance(dice, 60) ? 1 : 2;
   const bool mirror = !resolves && !to->samples && chance(dice, 20);
   const int at_x = resolves || to->samples ? x : (int)roll(dice, 20),
             at_y = resolves || to->samples ? y : (int)roll(dice, 20);
   glBlitFramebuffer(x, y, x + width, y + height, mirror ? at_x + width * scale : at_x, at_y,
                     mirror ? at_x : at_x + width * scale, at_y + height * scale, GL_COLOR_BUFFER_BIT,
                     GL_NEAREST);
   if (chance(dice, 30))
      glBlitFramebuffer(x, y, x + width, y + height, x, y, x + width, y + height,
                        GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT, GL_NEAREST);
}

/** From a framebuffer into a texture; most pairs of formats are errors. */
static void
copy(struct world *world, struct dice *dice, const struct framebuffer *from)
{
   const struct texture *to = &world->textures[roll(dice, TEXTURES)];
   glBindFramebuffer(GL_FRAMEBUFFER, from->name);
   if (to->target == GL_TEXTURE_2D) {
      const int width = to->width < from->width ? to->width : from->width;
      const int height = to->height < from->height ? to->height : from->height;
      glBindTexture(GL_TEXTURE_2D, to->name);
      glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, width, height);
   }
   if (!from->samples && !from->layers && to->target == GL_TEXTURE_2D_ARRAY) {
      const struct texture *other = &world->textures[roll(dice, TEXTURES)];
      if (other->target == GL_TEXTURE_2D && other != to && other->width > 2 && to->width > 2)
         glCopyImageSubData(other->name, GL_TEXTURE_2D, 0, 0, 0, 0, to->name, GL_TEXTURE_2D_ARRAY, 0, 1, 0, 1,
                            1, 1, 1);
   }
}

void
use_framebuffers(struct world *world, struct dice *dice)
{
   const unsigned first = roll(dice, FRAMEBUFFERS);
   const struct framebuffer *framebuffer = &world->framebuffers[first];
   const struct framebuffer *other =
      &world->framebuffers[(first + 1 + roll(dice, FRAMEBUFFERS - 1)) % FRAMEBUFFERS];
   reset_state(world);
   switch (roll(dice, 8)) {
   case 0:
   case 1: clear(world, dice, framebuffer); break;
   case 2: invalidate(dice, framebuffer); break;
   case 3:
   case 4: blit(dice, framebuffer, other); break;
   case 5: copy(world, dice, framebuffer); break;
   case 6: {
      glFlush();
      GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
      glClientWaitSync(sync, GL_SYNC_FLUSH_COMMANDS_BIT, 1000000000);
      glDeleteSync(sync);
      break;
   }
   default: glFinish(); break;
   }
}
