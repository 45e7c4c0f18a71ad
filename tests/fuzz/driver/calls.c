/* SPDX-License-Identifier: MIT */
#include "world.h"

/** Numbers that are wrong somewhere. */
static GLint
number(struct dice *dice)
{
   static const GLint numbers[] = {0,   1,   2,    3,     4,     7,     16,         17, 64,
                                   255, 256, 4096, 16384, 16385, 65535, 0x7fffffff, -1, -7};
   return PICK(dice, numbers);
}

static GLint
small(struct dice *dice)
{
   return roll_between(dice, -2, 70);
}

static GLenum
any_enum(struct dice *dice)
{
   static const GLenum enums[] = {
      GL_TEXTURE_2D,
      GL_TEXTURE_3D,
      GL_TEXTURE_CUBE_MAP,
      GL_TEXTURE_2D_ARRAY,
      GL_TEXTURE_2D_MULTISAMPLE,
      GL_TEXTURE_BUFFER,
      GL_ARRAY_BUFFER,
      GL_FRAMEBUFFER,
      GL_READ_FRAMEBUFFER,
      GL_RENDERBUFFER,
      GL_RGBA8,
      GL_RGBA,
      GL_RGBA32UI,
      GL_DEPTH24_STENCIL8,
      GL_UNSIGNED_BYTE,
      GL_FLOAT,
      GL_UNSIGNED_SHORT,
      GL_HALF_FLOAT,
      GL_COLOR_ATTACHMENT0,
      GL_DEPTH_ATTACHMENT,
      GL_COLOR,
      GL_STENCIL,
      GL_TRIANGLES,
      GL_PATCHES,
      GL_LINES_ADJACENCY,
      GL_TEXTURE_MIN_FILTER,
      GL_TEXTURE_WRAP_R,
      GL_TEXTURE_BASE_LEVEL,
      GL_TEXTURE_MAX_LEVEL,
      GL_NEAREST,
      GL_LINEAR_MIPMAP_LINEAR,
      GL_CLAMP_TO_EDGE,
      GL_RED_INTEGER,
      GL_RGBA_INTEGER,
      GL_UNIFORM_BUFFER,
      GL_SHADER_STORAGE_BUFFER,
      GL_TRANSFORM_FEEDBACK_BUFFER,
      GL_PIXEL_PACK_BUFFER,
      GL_ANY_SAMPLES_PASSED,
      GL_NONE,
      GL_BACK,
      GL_TEXTURE_CUBE_MAP_NEGATIVE_Y,
      GL_R32UI,
      GL_READ_ONLY,
      GL_COMPRESSED_RGBA8_ETC2_EAC,
   };
   return chance(dice, 5) ? (GLenum)roll_bits(dice) : PICK(dice, enums);
}

static GLuint
any_name(struct dice *dice)
{
   return roll(dice, 24);
}

/** A target of textures and a texture of another one. */
static void
call_textures(struct dice *dice, const void *data)
{
   static const GLenum targets[] = {GL_TEXTURE_2D, GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP,
                                    GL_TEXTURE_CUBE_MAP_ARRAY};
   const GLenum target = PICK(dice, targets);
   switch (roll(dice, 14)) {
   case 0: glBindTexture(any_enum(dice), any_name(dice)); break;
   case 1: glTexParameteri(target, any_enum(dice), (GLint)any_enum(dice)); break;
   case 2: glTexParameterf(target, any_enum(dice), (float)number(dice)); break;
   case 3:
      glTexSubImage2D(target, small(dice), small(dice), small(dice), 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, data);
      break;
   case 4:
      glTexSubImage3D(target, 0, small(dice), 0, small(dice), 4, 4, 1, any_enum(dice), any_enum(dice), data);
      break;
   case 5: glTexStorage2D(target, small(dice), any_enum(dice), small(dice), small(dice)); break;
   case 6: glTexStorage3D(target, small(dice), any_enum(dice), small(dice), small(dice), small(dice)); break;
   case 7:
      glCopyTexSubImage3D(target, 0, small(dice), small(dice), small(dice), small(dice), small(dice), 8, 8);
      break;
   case 8: glGenerateMipmap(target); break;
   case 9:
      glCopyImageSubData(any_name(dice), target, 0, small(dice), small(dice), small(dice), any_name(dice),
                         PICK(dice, targets), 0, small(dice), small(dice), small(dice), small(dice),
                         small(dice), 1);
      break;
   case 10:
      glTexBufferRange(GL_TEXTURE_BUFFER, any_enum(dice), any_name(dice), small(dice), number(dice));
      break;
   case 11:
      glBindImageTexture(roll(dice, 3), any_name(dice), small(dice), chance(dice, 50), small(dice),
                         GL_READ_WRITE, any_enum(dice));
      break;
   case 12:
      glTexStorage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, small(dice), any_enum(dice), small(dice),
                                small(dice), GL_TRUE);
      break;
   default: glTexImage2D(target, small(dice), GL_RGBA, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, data); break;
   }
}

static void
call_buffers(struct dice *dice, void *data)
{
   static const GLenum targets[] = {GL_ARRAY_BUFFER,          GL_ELEMENT_ARRAY_BUFFER, GL_UNIFORM_BUFFER,
                                    GL_SHADER_STORAGE_BUFFER, GL_COPY_WRITE_BUFFER,    GL_PIXEL_UNPACK_BUFFER,
                                    GL_PIXEL_PACK_BUFFER};
   const GLenum target = PICK(dice, targets);
   switch (roll(dice, 9)) {
   case 0: glBindBuffer(target, any_name(dice)); break;
   case 1: glBufferData(target, roll(dice, 5000), NULL, any_enum(dice)); break;
   case 2: glBufferSubData(target, number(dice), 4, data); break;
   case 3: glBindBufferBase(target, roll(dice, 4), any_name(dice)); break;
   case 4: glBindBufferRange(target, roll(dice, 4), any_name(dice), 256 * small(dice), number(dice)); break;
   case 5: {
      void *mapped = glMapBufferRange(target, small(dice), small(dice), roll(dice, 64));
      if (mapped)
         glUnmapBuffer(target);
      break;
   }
   case 6: glCopyBufferSubData(target, PICK(dice, targets), number(dice), small(dice), number(dice)); break;
   case 7: glUnmapBuffer(target); break;
   default:
      glVertexAttribPointer(roll(dice, 4), 1 + (GLint)roll(dice, 5), any_enum(dice), GL_FALSE, small(dice),
                            (void *)(uintptr_t)roll(dice, 9000));
      break;
   }
   /* Where pixels go to or come from memory, data is large enough for them. */
   glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
   glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

static void
call_framebuffers(struct dice *dice, void *data)
{
   static const GLenum attachments[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_DEPTH_ATTACHMENT,
                                        GL_STENCIL_ATTACHMENT};
   switch (roll(dice, 10)) {
   case 0: glBindFramebuffer(any_enum(dice), any_name(dice)); break;
   case 1: glFramebufferTexture(GL_FRAMEBUFFER, PICK(dice, attachments), any_name(dice), small(dice)); break;
   case 2:
      glFramebufferTextureLayer(GL_FRAMEBUFFER, PICK(dice, attachments), any_name(dice), 0, small(dice));
      break;
   case 3:
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, PICK(dice, attachments), GL_RENDERBUFFER, any_name(dice));
      break;
   case 4: glReadPixels(small(dice), small(dice), 8, 8, any_enum(dice), any_enum(dice), data); break;
   case 5:
      glBlitFramebuffer(number(dice), small(dice), small(dice), number(dice), small(dice), small(dice),
                        number(dice), small(dice), GL_COLOR_BUFFER_BIT << 0,
                        chance(dice, 50) ? GL_LINEAR : GL_NEAREST);
      break;
   case 6: glClearBufferfv(any_enum(dice), small(dice), data); break;
   case 7:
      glInvalidateSubFramebuffer(GL_FRAMEBUFFER, 2, attachments, small(dice), small(dice), number(dice),
                                 number(dice));
      break;
   case 8: glDrawBuffers(1 + (GLsizei)roll(dice, 4), attachments); break;
   default: glReadBuffer(any_enum(dice)); break;
   }
}

static void
call_draws(struct dice *dice)
{
   const GLenum mode = any_enum(dice);
   switch (roll(dice, 12)) {
   case 0: glDrawArrays(roll(dice, 16), small(dice), small(dice)); break;
   case 1: glDrawArrays(mode, number(dice), small(dice)); break;
   case 2:
      glDrawElements(roll(dice, 16), small(dice), GL_UNSIGNED_INT, (void *)(uintptr_t)roll(dice, 9000));
      break;
   case 3: glDrawElementsBaseVertex(GL_TRIANGLES, small(dice), GL_UNSIGNED_SHORT, NULL, number(dice)); break;
   case 4: glDrawArraysIndirect(GL_TRIANGLES, (void *)(uintptr_t)(4 * roll(dice, 40))); break;
   case 5: glDispatchCompute(roll(dice, 4), roll(dice, 3), roll(dice, 3)); break;
   case 6: glDispatchComputeIndirect(number(dice)); break;
   case 7: glUseProgram(any_name(dice)); break;
   case 8: glBeginTransformFeedback(any_enum(dice)); break;
   case 9: glEndTransformFeedback(); break;
   case 10: glViewport(number(dice), small(dice), number(dice), number(dice)); break;
   default: glPatchParameteri(GL_PATCH_VERTICES, number(dice)); break;
   }
}

static void
call_others(struct dice *dice)
{
   const GLenum capability = any_enum(dice);
   switch (roll(dice, 10)) {
   case 0: glEnable(capability); break;
   case 1: glBlendEquation(any_enum(dice)); break;
   case 2: glBeginQuery(any_enum(dice), any_name(dice)); break;
   case 3: glEndQuery(GL_ANY_SAMPLES_PASSED); break;
   case 4: glScissor(number(dice), number(dice), number(dice), number(dice)); break;
   case 5: glActiveTexture(GL_TEXTURE0 + (GLenum)number(dice)); break;
   case 6: glDepthRangef((float)number(dice), (float)number(dice)); break;
   case 7: glMemoryBarrier((GLbitfield)roll_bits(dice)); break;
   case 8: glLineWidth((float)number(dice)); break;
   default: glSampleMaski((GLuint)small(dice), (GLbitfield)roll_bits(dice)); break;
   }
}

void
call_at_random(struct world *world, struct dice *dice)
{
   static unsigned char data[1 << 16];
   const unsigned calls = 1 + roll(dice, 8);
   for (unsigned i = 0; i < calls; i++) {
      switch (roll(dice, 5)) {
      case 0: call_textures(dice, data); break;
      case 1: call_buffers(dice, data); break;
      case 2: call_framebuffers(dice, data); break;
      case 3: call_draws(dice); break;
      default: call_others(dice); break;
      }
   }
   glEndQuery(GL_ANY_SAMPLES_PASSED);
   glEndTransformFeedback();
   while (glGetError() != GL_NO_ERROR)
      ;
}
