/* SPDX-License-Identifier: MIT */
#include "desktop.h"

static GLint
small(struct dice *dice)
{
   return roll_between(dice, -2, 70);
}

static GLuint
any_name(struct dice *dice)
{
   return roll(dice, 24);
}

static GLenum
any_enum(struct dice *dice)
{
   static const GLenum enums[] = {
      GL_TEXTURE_1D,
      GL_TEXTURE_1D_ARRAY,
      GL_TEXTURE_2D,
      GL_TEXTURE_RECTANGLE,
      GL_TEXTURE_2D_MULTISAMPLE_ARRAY,
      GL_TEXTURE_CUBE_MAP_ARRAY,
      GL_RGBA8,
      GL_RGBA8UI,
      GL_RGBA32F,
      GL_RGB10_A2UI,
      GL_LUMINANCE,
      GL_INTENSITY,
      GL_COLOR_INDEX,
      GL_DEPTH_COMPONENT,
      GL_QUADS,
      GL_POLYGON,
      GL_LINES,
      GL_TRIANGLES_ADJACENCY,
      GL_PATCHES,
      GL_UNSIGNED_BYTE,
      GL_DOUBLE,
      GL_BITMAP,
      GL_COLOR,
      GL_DEPTH,
      GL_DEPTH_STENCIL,
      GL_SAMPLES_PASSED,
      GL_TIME_ELAPSED,
      GL_TIMESTAMP,
      GL_PRIMITIVES_GENERATED,
      GL_FRONT_LEFT,
      GL_BACK,
      GL_NONE,
      GL_LINE,
      GL_POINT,
      GL_CLIP_DISTANCE3,
      GL_COLOR_LOGIC_OP,
      GL_POLYGON_SMOOTH,
      GL_STENCIL_INDEX,
      GL_LIGHTING,
      GL_FOG,
      GL_MODELVIEW,
      GL_ACCUM,
      GL_SMOOTH,
   };
   return chance(dice, 5) ? (GLenum)roll_bits(dice) : PICK(dice, enums);
}

/** By names, without binding. */
static void
call_named(struct dice *dice, void *data, GLsizei bytes)
{
   switch (roll(dice, 12)) {
   case 0: glTextureParameteri(any_name(dice), any_enum(dice), (GLint)any_enum(dice)); break;
   case 1:
      glTextureSubImage2D(any_name(dice), small(dice), small(dice), small(dice), 4, 4, GL_RGBA,
                          GL_UNSIGNED_BYTE, data);
      break;
   case 2:
      glTextureSubImage1D(any_name(dice), 0, small(dice), 4, any_enum(dice), GL_UNSIGNED_BYTE, data);
      break;
   case 3: glGetTextureImage(any_name(dice), small(dice), GL_RGBA, any_enum(dice), bytes, data); break;
   case 4:
      glGetTextureSubImage(any_name(dice), 0, small(dice), small(dice), 0, small(dice), small(dice), 1,
                           GL_RGBA, GL_UNSIGNED_BYTE, bytes, data);
      break;
   case 5: glClearTexImage(any_name(dice), small(dice), GL_RGBA, any_enum(dice), data); break;
   case 6:
      glClearTexSubImage(any_name(dice), 0, small(dice), small(dice), 0, small(dice), small(dice), 1, GL_RGBA,
                         GL_UNSIGNED_BYTE, data);
      break;
   case 7: glClearNamedBufferData(any_name(dice), any_enum(dice), GL_RED, GL_UNSIGNED_BYTE, data); break;
   case 8:
      glClearNamedBufferSubData(any_name(dice), GL_R32UI, 4 * small(dice), 4 * small(dice), GL_RED_INTEGER,
                                GL_UNSIGNED_INT, data);
      break;
   case 9: glInvalidateTexImage(any_name(dice), small(dice)); break;
   case 10:
      glTextureView(any_name(dice), any_enum(dice), any_name(dice), any_enum(dice), roll(dice, 3),
                    roll(dice, 3), roll(dice, 3), roll(dice, 3));
      break;
   default: glGenerateTextureMipmap(any_name(dice)); break;
   }
}

static void
call_modern(struct dice *dice, const void *data)
{
   const GLuint names[] = {any_name(dice), any_name(dice), 0, any_name(dice)};
   switch (roll(dice, 14)) {
   case 0: glBindTextures(roll(dice, 4), 4, names); break;
   case 1: glBindSamplers(roll(dice, 4), 4, names); break;
   case 2: glBindImageTextures(roll(dice, 3), 4, names); break;
   case 3: glBeginConditionalRender(any_name(dice), GL_QUERY_WAIT); break;
   case 4: glBeginQueryIndexed(any_enum(dice), roll(dice, 4), any_name(dice)); break;
   case 5: glQueryCounter(any_name(dice), any_enum(dice)); break;
   case 6: glDrawTransformFeedbackStream(any_enum(dice), any_name(dice), roll(dice, 3)); break;
   case 7: glMultiDrawArraysIndirect(any_enum(dice), NULL, small(dice), 4 * small(dice)); break;
   case 8:
      glTexImage1D(GL_TEXTURE_1D, small(dice), GL_RGBA, small(dice), 0, GL_RGBA, GL_UNSIGNED_BYTE, data);
      break;
   case 9: glClipControl(any_enum(dice), any_enum(dice)); break;
   case 10: glPolygonMode(GL_FRONT_AND_BACK, any_enum(dice)); break;
   case 11: glLogicOp(GL_CLEAR + roll(dice, 17)); break;
   case 12: glTextureBarrier(); break;
   default:
      glTexImage3DMultisample(any_enum(dice), small(dice), GL_RGBA8, small(dice), small(dice), 2, GL_TRUE);
      break;
   }
}

static void
call_old(struct dice *dice, void *data)
{
   switch (roll(dice, 18)) {
   case 0: glBegin(roll(dice, 14)); break;
   case 1: glVertex2f((float)small(dice) / 32, (float)small(dice) / 32); break;
   case 2: glEnd(); break;
   case 3: glNewList(roll(dice, 5), GL_COMPILE); break;
   case 4: glEndList(); break;
   case 5: glCallList(roll(dice, 5)); break;
   case 6: glAccum(any_enum(dice), 0.5f); break;
   case 7:
      glDrawPixels((GLsizei)roll(dice, 17), (GLsizei)roll(dice, 17), any_enum(dice), GL_UNSIGNED_BYTE, data);
      break;
   case 8: glCopyPixels(small(dice), small(dice), small(dice), small(dice), any_enum(dice)); break;
   case 9: glPushAttrib((GLbitfield)roll_bits(dice)); break;
   case 10: glPopAttrib(); break;
   case 11: glMatrixMode(any_enum(dice)); break;
   case 12: glPushMatrix(); break;
   case 13: glRasterPos3f((float)small(dice) / 32, (float)small(dice) / 32, 0); break;
   case 14: glAlphaFunc(any_enum(dice), 0.5f); break;
   case 15: glEnable(any_enum(dice)); break;
   case 16: glRenderMode(GL_RENDER + roll(dice, 3)); break;
   default:
      glBitmap((GLsizei)roll(dice, 17), (GLsizei)roll(dice, 17), 0, 0, 3, (float)small(dice), data);
      break;
   }
}

void
call_desktop_at_random(struct world *world, struct dice *dice)
{
   static GLubyte data[1 << 16];
   static GLuint hits[64];
   static GLfloat fed_back[64];
   if (world->compatible) {
      glSelectBuffer(64, hits);
      glFeedbackBuffer(64, GL_3D_COLOR_TEXTURE, fed_back);
   }
   const unsigned calls = 1 + roll(dice, 10);
   for (unsigned i = 0; i < calls; i++) {
      switch (roll(dice, world->compatible ? 3 : 2)) {
      case 0: call_named(dice, data, sizeof data); break;
      case 1: call_modern(dice, data); break;
      default: call_old(dice, data); break;
      }
   }
   if (world->compatible) {
      glEnd();
      glEndList();
      glRenderMode(GL_RENDER);
   }
   glEndConditionalRender();
   glEndQuery(GL_SAMPLES_PASSED);
   glEndQuery(GL_TIME_ELAPSED);
   glEndQuery(GL_PRIMITIVES_GENERATED);
   while (glGetError() != GL_NO_ERROR)
      ;
}
