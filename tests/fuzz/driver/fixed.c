/* SPDX-License-Identifier: MIT */
/* The compatibility profile: vertices between glBegin and glEnd, display lists, client arrays, evaluators, pixels, bitmaps,
 * feedback and selection, with the state of the fixed functions. Where a seed is not loose, vertices are on a grid of 1/32
 * and colours are approximate, as in shaders.h. */
#include <string.h>

#include "desktop.h"

static void
set_enabled(GLenum what, bool on)
{
   if (on)
      glEnable(what);
   else
      glDisable(what);
}

static float
fraction(struct dice *dice)
{
   return (float)roll(dice, 65) / 64.0f;
}

/* ---- state ---------------------------------------------------------------------- */

static void
set_matrices(const struct world *world, struct dice *dice)
{
   static const float scales[] = {1, 0.5f, -1, 2};
   glMatrixMode(GL_PROJECTION);
   glLoadIdentity();
   if (world->loose && chance(dice, 30))
      glFrustum(-1, 1, -1, 1, 0.5, 8);
   glMatrixMode(GL_MODELVIEW);
   glLoadIdentity();
   glTranslatef((float)roll_between(dice, -4, 4) / 8, (float)roll_between(dice, -4, 4) / 8, 0);
   glScalef(PICK(dice, scales), PICK(dice, scales), 1);
   if (world->loose && chance(dice, 40))
      glRotatef((float)roll(dice, 360), fraction(dice), 1, fraction(dice));
   if (world->loose)
      glTranslatef(0, 0, -fraction(dice) * 3);
   glMatrixMode(GL_TEXTURE);
   glLoadIdentity();
   glTranslatef(fraction(dice), fraction(dice), 0);
   glMatrixMode(GL_MODELVIEW);
}

static void
set_lighting(struct dice *dice)
{
   set_enabled(GL_LIGHTING, chance(dice, 50));
   for (unsigned i = 0; i < 3; i++) {
      const GLfloat position[] = {fraction(dice) - 0.5f, fraction(dice), 1, chance(dice, 50) ? 1.0f : 0.0f};
      const GLfloat color[] = {fraction(dice), fraction(dice), fraction(dice), 1};
      set_enabled(GL_LIGHT0 + i, chance(dice, 50));
      glLightfv(GL_LIGHT0 + i, GL_POSITION, position);
      glLightfv(GL_LIGHT0 + i, chance(dice, 50) ? GL_DIFFUSE : GL_AMBIENT, color);
      glLightf(GL_LIGHT0 + i, GL_LINEAR_ATTENUATION, fraction(dice));
   }
   const GLfloat color[] = {fraction(dice), fraction(dice), fraction(dice), fraction(dice)};
   glMaterialfv(GL_FRONT_AND_BACK, chance(dice, 50) ? GL_EMISSION : GL_AMBIENT_AND_DIFFUSE, color);
   glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, chance(dice, 40));
   glLightModeli(GL_LIGHT_MODEL_LOCAL_VIEWER, chance(dice, 40));
   set_enabled(GL_COLOR_MATERIAL, chance(dice, 40));
   set_enabled(GL_NORMALIZE, chance(dice, 40));
   set_enabled(GL_COLOR_SUM, chance(dice, 30));
}

static void
set_fog(struct dice *dice)
{
   static const GLint modes[] = {GL_LINEAR, GL_EXP, GL_EXP2};
   const GLfloat color[] = {fraction(dice), fraction(dice), 0.5f, 1};
   set_enabled(GL_FOG, chance(dice, 30));
   glFogi(GL_FOG_MODE, PICK(dice, modes));
   glFogi(GL_FOG_COORD_SRC, chance(dice, 50) ? GL_FOG_COORD : GL_FRAGMENT_DEPTH);
   glFogfv(GL_FOG_COLOR, color);
   glFogf(GL_FOG_DENSITY, fraction(dice));
}

/** Textures of two units; unfiltered ones only if loose, as approximate coordinates may be at the edges of texels. */
static void
set_textures(const struct world *world, struct dice *dice)
{
   static const GLint modes[] = {GL_MODULATE, GL_REPLACE, GL_DECAL, GL_ADD, GL_BLEND, GL_COMBINE};
   static const GLint combinations[] = {GL_INTERPOLATE, GL_SUBTRACT, GL_DOT3_RGB, GL_ADD_SIGNED};
   static const GLint generated[] = {GL_OBJECT_LINEAR, GL_EYE_LINEAR, GL_SPHERE_MAP};
   for (unsigned unit = 0; unit < 2; unit++) {
      const struct texture *texture = &world->textures[roll(dice, TEXTURES)];
      const bool usable = texture->format->sort == FLOAT && texture->target != GL_TEXTURE_BUFFER &&
                          texture->target != GL_TEXTURE_2D_ARRAY && texture->target != GL_TEXTURE_1D_ARRAY &&
                          texture->target != GL_TEXTURE_CUBE_MAP_ARRAY &&
                          (world->loose || (texture->filtered && texture->levels == 1 && !texture->compares &&
                                            texture->target != GL_TEXTURE_CUBE_MAP));
      glActiveTexture(GL_TEXTURE0 + unit);
      if (usable) {
         glBindTexture(texture->target, texture->name);
         set_enabled(texture->target, chance(dice, 70));
      }
      glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, PICK(dice, modes));
      glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_RGB, PICK(dice, combinations));
      glTexEnvi(GL_TEXTURE_ENV, GL_SRC1_RGB, chance(dice, 50) ? GL_PRIMARY_COLOR : GL_CONSTANT);
      glTexGeni(GL_S, GL_TEXTURE_GEN_MODE, PICK(dice, generated));
      glTexGeni(GL_T, GL_TEXTURE_GEN_MODE, PICK(dice, generated));
      set_enabled(GL_TEXTURE_GEN_S, chance(dice, 20));
      set_enabled(GL_TEXTURE_GEN_T, chance(dice, 20));
   }
   glActiveTexture(GL_TEXTURE0);
}

/** All of a primitive is on one side of the planes, unless the seed is loose. */
static void
set_planes(const struct world *world, struct dice *dice)
{
   for (unsigned i = 0; i < 2; i++) {
      const GLdouble plane[4] = {world->loose ? fraction(dice) - 0.5 : 0,
                                 world->loose ? fraction(dice) - 0.5 : 0, 0, chance(dice, 80) ? 0.5 : -0.5};
      glClipPlane(GL_CLIP_PLANE0 + i, plane);
      set_enabled(GL_CLIP_PLANE0 + i, chance(dice, 25));
   }
}

static void
set_fixed_state(struct world *world, struct dice *dice)
{
   set_matrices(world, dice);
   set_lighting(dice);
   set_fog(dice);
   set_textures(world, dice);
   set_planes(world, dice);
   glShadeModel(chance(dice, 70) ? GL_SMOOTH : GL_FLAT);
   glPointSize((GLfloat)(1 + roll(dice, 9)));
}

/* ---- geometry --------------------------------------------------------------------- */

static GLenum
pick_mode(const struct world *world, struct dice *dice)
{
   static const GLenum all[] = {GL_POINTS,         GL_LINES,        GL_LINE_LOOP, GL_LINE_STRIP, GL_TRIANGLES,
                                GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_QUADS,     GL_QUAD_STRIP, GL_POLYGON};
   static const GLenum triangles[] = {GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN};
   return world->loose ? PICK(dice, all) : PICK(dice, triangles);
}

static void
put_vertex(const struct world *world, struct dice *dice, float depth)
{
   if (chance(dice, 60))
      glColor4f(fraction(dice), fraction(dice), fraction(dice), fraction(dice));
   if (chance(dice, 40))
      glSecondaryColor3f(fraction(dice), 0, fraction(dice));
   if (chance(dice, 40))
      glNormal3f(fraction(dice) - 0.5f, fraction(dice), 1);
   if (chance(dice, 60))
      glMultiTexCoord4f(GL_TEXTURE0 + roll(dice, 2), fraction(dice) * 2, fraction(dice), fraction(dice), 1);
   if (chance(dice, 20))
      glFogCoordf(fraction(dice));
   if (chance(dice, 10))
      glMaterialf(GL_FRONT_AND_BACK, GL_SHININESS, fraction(dice) * 8);
   if (chance(dice, 10))
      glEdgeFlag(chance(dice, 50));
   const float x = (float)roll_between(dice, -40, 40) / 32, y = (float)roll_between(dice, -40, 40) / 32;
   if (world->loose && chance(dice, 20))
      glVertex4f(x, y, fraction(dice) - 0.5f, 1 + fraction(dice));
   else
      glVertex3f(x, y, depth);
}

static void
put_primitives(const struct world *world, struct dice *dice)
{
   const unsigned count = chance(dice, 90) ? 3 + roll(dice, 15) : roll(dice, 200);
   const float depth = (float)roll_between(dice, -16, 16) / 16;
   glBegin(pick_mode(world, dice));
   for (unsigned i = 0; i < count; i++)
      put_vertex(world, dice, depth);
   glEnd();
}

/** From client memory, by the calls of OpenGL 1.1. */
static void
draw_arrays(const struct world *world, struct dice *dice)
{
   static GLfloat vertices[32][12]; /* GL_T2F_C4F_N3F_V3F */
   GLubyte indices[40];
   const float depth = (float)roll_between(dice, -16, 16) / 16;
   for (unsigned v = 0; v < 32; v++) {
      for (unsigned i = 0; i < 9; i++)
         vertices[v][i] = fraction(dice);
      vertices[v][9] = (float)roll_between(dice, -40, 40) / 32;
      vertices[v][10] = (float)roll_between(dice, -40, 40) / 32;
      vertices[v][11] = depth;
   }
   for (unsigned i = 0; i < sizeof indices; i++)
      indices[i] = (GLubyte)roll(dice, 32);
   glInterleavedArrays(GL_T2F_C4F_N3F_V3F, 0, vertices);
   if (chance(dice, 30))
      glDisableClientState(GL_COLOR_ARRAY);
   const GLenum mode = pick_mode(world, dice);
   const GLsizei count = 3 + (GLsizei)roll(dice, 25);
   /* Of restarts that are compiled into a list, Mesa stays between glBegin and glEnd. */
   glDisable(GL_PRIMITIVE_RESTART);
   glDisable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
   switch (roll(dice, 4)) {
   case 0: glDrawArrays(mode, 2, count); break;
   case 1: glDrawElements(mode, count, GL_UNSIGNED_BYTE, indices); break;
   case 2: glDrawRangeElements(mode, 0, 31, count, GL_UNSIGNED_BYTE, indices); break;
   default:
      glBegin(mode);
      for (GLsizei i = 0; i < count; i++)
         glArrayElement(indices[i]);
      glEnd();
      break;
   }
   glDisableClientState(GL_VERTEX_ARRAY);
   glDisableClientState(GL_COLOR_ARRAY);
   glDisableClientState(GL_NORMAL_ARRAY);
   glDisableClientState(GL_TEXTURE_COORD_ARRAY);
}

/** A curved surface, whose vertices round: for loose seeds. */
static void
evaluate(struct dice *dice)
{
   GLfloat points[4][4][3], colors[2][2][4];
   for (unsigned i = 0; i < 48; i++)
      points[i / 12][i / 3 % 4][i % 3] = (float)roll_between(dice, -40, 40) / 32;
   for (unsigned i = 0; i < 16; i++)
      colors[i / 8][i / 4 % 2][i % 4] = fraction(dice);
   glMap2f(GL_MAP2_VERTEX_3, 0, 1, 3, 4, 0, 1, 12, 4, points[0][0]);
   glMap2f(GL_MAP2_COLOR_4, 0, 1, 4, 2, 0, 1, 8, 2, colors[0][0]);
   glEnable(GL_MAP2_VERTEX_3);
   glEnable(GL_MAP2_COLOR_4);
   set_enabled(GL_AUTO_NORMAL, chance(dice, 50));
   glMapGrid2f(5, 0, 1, 4, 0, 1);
   glEvalMesh2(chance(dice, 60) ? GL_FILL : GL_LINE, 0, 5, 0, 4);
}

/* ---- pixels ----------------------------------------------------------------------- */

static void
put_pixels(struct world *world, struct dice *dice, const struct framebuffer *framebuffer)
{
   static GLubyte data[16 * 16 * 4];
   const int width = 1 + (int)roll(dice, 16), height = 1 + (int)roll(dice, 16);
   for (unsigned i = 0; i < sizeof data; i++)
      data[i] = (GLubyte)roll_bits(dice);
   glWindowPos2i((GLint)roll(dice, (unsigned)framebuffer->width),
                 (GLint)roll(dice, (unsigned)framebuffer->height));
   if (world->loose && chance(dice, 40))
      glPixelZoom(fraction(dice) * 4 - 2, fraction(dice) * 4);
   else if (chance(dice, 30))
      glPixelZoom(2, -1);
   if (chance(dice, 30))
      glPixelTransferf(GL_RED_SCALE, fraction(dice));
   switch (roll(dice, 4)) {
   case 0: /* Mesa crashes where textures have changed when it draws those that it has collected */
      glBitmap(width, height, 0, 0, 5, 3, data);
      glFlush();
      break;
   case 1: glDrawPixels(width, height, GL_RGBA, GL_UNSIGNED_BYTE, data); break;
   case 2:
      if (!framebuffer->samples)
         glCopyPixels((GLint)roll(dice, 20), (GLint)roll(dice, 20), width, height, GL_COLOR);
      break;
   default:
      if (world->loose)
         glDrawPixels(width, height, chance(dice, 50) ? GL_STENCIL_INDEX : GL_LUMINANCE, GL_UNSIGNED_BYTE,
                      data);
      else
         glDrawPixels(width, height, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, data);
      break;
   }
   glPixelTransferf(GL_RED_SCALE, 1);
   glPixelZoom(1, 1);
}

/* ---- what is not drawn -------------------------------------------------------------- */

/** How many values there are; Mesa leaves the colours of some vertices unset. */
static void
feed_back(struct world *world, struct dice *dice)
{
   static GLfloat values[8192];
   glFeedbackBuffer(sizeof values / sizeof values[0], GL_3D_COLOR, values);
   glRenderMode(GL_FEEDBACK);
   put_primitives(world, dice);
   glPassThrough(3);
   glRectf(-0.5f, -0.5f, 0.5f, 0.25f);
   const GLint count = glRenderMode(GL_RENDER);
   dump_record(world, "feedback-count", 'u', 0, &count, 1);
}

static void
select_names(struct world *world, struct dice *dice)
{
   static GLuint hits[512];
   memset(hits, 0, sizeof hits);
   glSelectBuffer(sizeof hits / sizeof hits[0], hits);
   glRenderMode(GL_SELECT);
   glInitNames();
   glPushName(0);
   for (unsigned i = 0; i < 4; i++) {
      glLoadName(100 + i);
      put_primitives(world, dice);
      if (chance(dice, 40)) {
         glPushName(7);
         glRectf(-0.5f, -0.5f, 0.5f, 0.25f);
         glPopName();
      }
   }
   const GLint count = glRenderMode(GL_RENDER);
   dump_record(world, "hit-count", 'u', 0, &count, 1);
   dump_record(world, "hits", 'u', ANY, hits, sizeof hits / sizeof hits[0]);
}

/* ---- display lists -------------------------------------------------------------------- */

static void
take_one(struct world *world, struct dice *dice, const struct framebuffer *framebuffer, bool in_list);

/** The same commands by lists, of which one calls the other. */
static void
use_lists(struct world *world, struct dice *dice, const struct framebuffer *framebuffer)
{
   const GLuint lists = glGenLists(2);
   glNewList(lists, GL_COMPILE);
   for (unsigned i = 0; i < 1 + roll(dice, 3); i++)
      take_one(world, dice, framebuffer, true);
   glEndList();
   glNewList(lists + 1, chance(dice, 50) ? GL_COMPILE : GL_COMPILE_AND_EXECUTE);
   glPushMatrix();
   glTranslatef(0.125f, 0, 0);
   glCallList(lists);
   put_primitives(world, dice);
   glPopMatrix();
   glEndList();
   const GLubyte offsets[] = {1, 0, 1};
   glListBase(lists);
   glCallLists(1 + (GLsizei)roll(dice, 3), GL_UNSIGNED_BYTE, offsets);
   glDeleteLists(lists, 2);
}

static void
take_one(struct world *world, struct dice *dice, const struct framebuffer *framebuffer, bool in_list)
{
   switch (roll(dice, in_list ? 6 : 10)) {
   case 0:
   case 1: put_primitives(world, dice); break;
   case 2: /* llvmpipe draws pixels of one colour where there is fog */
      if (world->loose)
         put_pixels(world, dice, framebuffer);
      break;
   case 3: draw_arrays(world, dice); break;
   case 4:
      glRectf((float)roll_between(dice, -32, 0) / 32, -0.5f, 0.75f, (float)roll_between(dice, 1, 30) / 32);
      break;
   case 5:
      if (world->loose)
         evaluate(dice);
      break;
   case 6: feed_back(world, dice); break;
   case 7: select_names(world, dice); break;
   default: use_lists(world, dice, framebuffer); break;
   }
}

void
use_fixed_functions(struct world *world, struct dice *dice)
{
   const struct framebuffer *framebuffer = &world->framebuffers[roll(dice, FRAMEBUFFERS)];
   for (unsigned i = 0; i < framebuffer->color_count; i++) {
      if (framebuffer->colors[i]->sort != FLOAT)
         return; /* whose colours fixed functions leave undefined */
   }
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer->name);
   glUseProgram(0);
   glBindVertexArray(0);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glPushClientAttrib(GL_CLIENT_ALL_ATTRIB_BITS);
   glPushAttrib(GL_ALL_ATTRIB_BITS);
   set_state(world, dice, framebuffer);
   set_desktop_state(world, dice, NULL);
   set_fixed_state(world, dice);
   const unsigned count = 1 + roll(dice, 4);
   for (unsigned i = 0; i < count; i++)
      take_one(world, dice, framebuffer, false);
   glPopAttrib();
   glPopClientAttrib();
}
