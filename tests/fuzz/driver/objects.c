/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/program.h"
#include "desktop.h"

static const struct format color_formats[] = {
   {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, FLOAT, 4, true, true, .tolerance = 1},
   {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, FLOAT, 4, true, true, .tolerance = 1},
   {GL_R8, GL_RED, GL_UNSIGNED_BYTE, FLOAT, 1, true, true, .tolerance = 1},
   {GL_RG8, GL_RG, GL_UNSIGNED_BYTE, FLOAT, 2, true, true, .tolerance = 1},
   {GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, FLOAT, 3, true, true, .tolerance = 1},
   {GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE, FLOAT, 4, true, true, .tolerance = 3},
   {GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, FLOAT, 2, true, true, .tolerance = 9},
   {GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, FLOAT, 2, true, true, .tolerance = 18},
   {GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, FLOAT, 2, true, true, .tolerance = 255},
   {GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, FLOAT, 4, true, true, .tolerance = 86},
   {GL_R11F_G11F_B10F, GL_RGB, GL_FLOAT, FLOAT, 12, true, true, .is_float = true},
   {GL_R16F, GL_RED, GL_FLOAT, FLOAT, 4, true, true, .is_float = true},
   {GL_RGBA16F, GL_RGBA, GL_FLOAT, FLOAT, 16, true, true, .is_float = true},
   {GL_RG32F, GL_RG, GL_FLOAT, FLOAT, 8, true, false, .is_float = true},
   {GL_RGBA32F, GL_RGBA, GL_FLOAT, FLOAT, 16, true, false, .is_float = true},
   {GL_RGB9_E5, GL_RGB, GL_FLOAT, FLOAT, 12, false, true, .is_float = true},
   {GL_RGBA8_SNORM, GL_RGBA, GL_BYTE, FLOAT, 4, false, true, .tolerance = 0},
   {GL_COMPRESSED_RGB8_ETC2, 0, 0, FLOAT, 8, false, true, .compressed = true},
   {GL_COMPRESSED_RGBA8_ETC2_EAC, 0, 0, FLOAT, 16, false, true, .compressed = true},
   {GL_COMPRESSED_R11_EAC, 0, 0, FLOAT, 8, false, true, .compressed = true},
   {GL_R8I, GL_RED_INTEGER, GL_BYTE, INT, 1, true, false, .tolerance = 0},
   {GL_RG16I, GL_RG_INTEGER, GL_SHORT, INT, 4, true, false, .tolerance = 0},
   {GL_RGBA32I, GL_RGBA_INTEGER, GL_INT, INT, 16, true, false, .tolerance = 0},
   {GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, UINT, 1, true, false, .tolerance = 0},
   {GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, UINT, 4, true, false, .tolerance = 0},
   {GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, UINT, 8, true, false, .tolerance = 0},
   {GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, UINT, 4, true, false, .tolerance = 0},
   {GL_RGB10_A2UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV, UINT, 4, true, false, .tolerance = 0},
};
static const struct format depth_formats[] = {
   {GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, FLOAT, 2, true, true, .tolerance = 0},
   {GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, FLOAT, 4, true, true, .tolerance = 0},
   {GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, FLOAT, 4, true, true, .tolerance = 0},
   {GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, FLOAT, 4, true, true, .tolerance = 0},
   {GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV, FLOAT, 8, true, true,
    .tolerance = 0},
};

const struct format *
pick_color_format(struct dice *dice, bool only_floats)
{
   const struct format *format;
   do
      format = &PICK(dice, color_formats);
   while (!format->renderable || (only_floats && format->sort != FLOAT));
   return format;
}

static bool
is_depth(const struct format *format)
{
   return format >= depth_formats && format < depth_formats + sizeof depth_formats / sizeof depth_formats[0];
}

/* ---- contents ------------------------------------------------------------------ */

/** Random texels; floats are from 0 to 1. */
static void *
random_texels(struct dice *dice, const struct format *format, unsigned bytes)
{
   unsigned char *data = malloc(bytes + 8);
   require(data != NULL, "out of memory");
   for (unsigned i = 0; i < bytes; i++)
      data[i] = (unsigned char)roll_bits(dice);
   const bool with_stencil = format->type == GL_FLOAT_32_UNSIGNED_INT_24_8_REV;
   if (format->type == GL_FLOAT || with_stencil) {
      for (unsigned i = 0; i + 4 <= bytes; i += with_stencil ? 8 : 4) {
         const float value = (float)roll(dice, 65) / 64.0f;
         memcpy(data + i, &value, 4);
      }
   }
   return data;
}

static unsigned
bytes_of(const struct format *format, int width, int height, int depth)
{
   if (format->compressed)
      return format->bytes * (unsigned)((width + 3) / 4) * (unsigned)((height + 3) / 4) * (unsigned)depth;
   return format->bytes * (unsigned)(width * height * depth);
}

int
side(int size, int level)
{
   return size >> level > 1 ? size >> level : 1;
}

int
height_of(const struct texture *texture, int level)
{
   return texture->target == GL_TEXTURE_1D_ARRAY ? texture->height : side(texture->height, level);
}

static bool
has_depth(GLenum target)
{
   return target == GL_TEXTURE_3D || target == GL_TEXTURE_2D_ARRAY || target == GL_TEXTURE_CUBE_MAP_ARRAY;
}

/** Texels of a box of a level; of a cube: of a face. */
static void
upload(struct dice *dice, const struct texture *texture, int level, int x, int y, int z, int width,
       int height, int depth)
{
   const struct format *format = texture->format;
   const unsigned bytes = bytes_of(format, width, height, depth);
   void *data = random_texels(dice, format, bytes);
   const GLenum face =
      texture->target == GL_TEXTURE_CUBE_MAP ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)z : texture->target;
   glBindTexture(texture->target, texture->name);
   if (has_depth(texture->target)) {
      if (format->compressed)
         glCompressedTexSubImage3D(face, level, x, y, z, width, height, depth, format->internal,
                                   (GLsizei)bytes, data);
      else
         glTexSubImage3D(face, level, x, y, z, width, height, depth, format->format, format->type, data);
   } else if (texture->target == GL_TEXTURE_1D) {
      glTexSubImage1D(face, level, x, width, format->format, format->type, data);
   } else if (format->compressed) {
      glCompressedTexSubImage2D(face, level, x, y, width, height, format->internal, (GLsizei)bytes, data);
   } else {
      glTexSubImage2D(face, level, x, y, width, height, format->format, format->type, data);
   }
   free(data);
}

static int
depth_of_level(const struct texture *texture, int level)
{
   return texture->target == GL_TEXTURE_3D ? side(texture->depth, level) : texture->depth;
}

static void
upload_all(struct dice *dice, const struct texture *texture)
{
   const bool cube = texture->target == GL_TEXTURE_CUBE_MAP;
   for (int level = 0; level < texture->levels; level++) {
      const int depth = depth_of_level(texture, level);
      for (int z = 0; z < (cube ? 6 : 1); z++)
         upload(dice, texture, level, 0, 0, z, side(texture->width, level), height_of(texture, level),
                cube ? 1 : depth);
   }
}

/* ---- textures ---------------------------------------------------------------------- */

static void
set_sampling(struct dice *dice, bool loose, struct texture *texture)
{
   static const GLenum wraps[] = {GL_REPEAT, GL_CLAMP_TO_EDGE, GL_MIRRORED_REPEAT, GL_CLAMP_TO_BORDER};
   static const GLenum mipmapped[2][2] = {{GL_NEAREST_MIPMAP_NEAREST, GL_NEAREST_MIPMAP_LINEAR},
                                          {GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_LINEAR}};
   const bool linear =
      texture->format->filterable && (!is_depth(texture->format) || texture->compares) && chance(dice, 60);
   const float border[] = {0.25f, 1, 0, 0.5f};
   const GLint border_numbers[] = {1, 2, 3, 4};
   GLenum minify = linear ? GL_LINEAR : GL_NEAREST;
   if (texture->levels > 1)
      minify = mipmapped[linear][roll(dice, 2)];
   texture->filtered = linear;
   glTexParameteri(texture->target, GL_TEXTURE_MAG_FILTER,
                   loose && texture->format->filterable && chance(dice, 20) ? GL_LINEAR
                   : linear                                                 ? GL_LINEAR
                                                                            : GL_NEAREST);
   glTexParameteri(texture->target, GL_TEXTURE_MIN_FILTER, (GLint)minify);
   for (unsigned i = 0; i < 3; i++) {
      static const GLenum sides[] = {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R};
      /* Views of rectangles begin with GL_REPEAT in Mesa, which rectangles do not have. */
      glTexParameteri(texture->target, sides[i],
                      texture->target == GL_TEXTURE_RECTANGLE ? GL_CLAMP_TO_EDGE : (GLint)PICK(dice, wraps));
   }
   if (texture->format->sort == INT)
      glTexParameterIiv(texture->target, GL_TEXTURE_BORDER_COLOR, border_numbers);
   else if (texture->format->sort == UINT)
      glTexParameterIuiv(texture->target, GL_TEXTURE_BORDER_COLOR, (const GLuint *)border_numbers);
   else
      glTexParameterfv(texture->target, GL_TEXTURE_BORDER_COLOR, border);
   if (texture->compares) {
      static const GLenum functions[] = {GL_LEQUAL, GL_GEQUAL, GL_LESS, GL_GREATER, GL_NEVER, GL_ALWAYS};
      glTexParameteri(texture->target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
      glTexParameteri(texture->target, GL_TEXTURE_COMPARE_FUNC, (GLint)PICK(dice, functions));
   }
   if (chance(dice, 20) && !texture->compares)
      glTexParameteri(texture->target, GL_TEXTURE_SWIZZLE_R + (GLenum)roll(dice, 4), GL_BLUE);
   if (loose && chance(dice, 20) && texture->target != GL_TEXTURE_RECTANGLE)
      glTexParameterf(texture->target, 0x84FE /* GL_TEXTURE_MAX_ANISOTROPY_EXT */, 4);
   if (loose && chance(dice, 10) && texture->target != GL_TEXTURE_RECTANGLE)
      glTexParameteri(texture->target, GL_TEXTURE_BASE_LEVEL, roll_between(dice, 0, 2));
}

static void
create_storage(struct texture *texture)
{
   texture->name = bind_new_texture(texture->target);
   const GLenum internal = texture->format->internal;
   if (texture->target == GL_TEXTURE_2D_MULTISAMPLE)
      glTexStorage2DMultisample(texture->target, texture->samples, internal, texture->width, texture->height,
                                GL_TRUE);
   else if (texture->target == GL_TEXTURE_1D)
      glTexStorage1D(texture->target, texture->levels, internal, texture->width);
   else if (has_depth(texture->target))
      glTexStorage3D(texture->target, texture->levels, internal, texture->width, texture->height,
                     texture->depth);
   else
      glTexStorage2D(texture->target, texture->levels, internal, texture->width, texture->height);
}

static void
create_buffer_texture(struct dice *dice, struct texture *texture)
{
   GLuint buffer;
   texture->format = &color_formats[chance(dice, 50) ? 0 : 26]; /* RGBA8 or R32UI */
   texture->width = 1 + (int)roll(dice, 300);
   texture->height = texture->depth = 1;
   void *data = random_texels(dice, texture->format, 4u * (unsigned)texture->width);
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_TEXTURE_BUFFER, buffer);
   glBufferData(GL_TEXTURE_BUFFER, 4 * texture->width, data, GL_STATIC_DRAW);
   free(data);
   texture->name = bind_new_texture(GL_TEXTURE_BUFFER);
   glTexBuffer(GL_TEXTURE_BUFFER, texture->format->internal, buffer);
   glDeleteBuffers(1, &buffer);
}

/** A target that only OpenGL has. */
static bool
is_flat(GLenum target)
{
   return target == GL_TEXTURE_1D || target == GL_TEXTURE_1D_ARRAY || target == GL_TEXTURE_RECTANGLE;
}

static void
create_texture(struct world *world, struct dice *dice)
{
   static const GLenum targets[] = {
      GL_TEXTURE_2D,       GL_TEXTURE_2D,       GL_TEXTURE_2D_ARRAY,       GL_TEXTURE_3D,
      GL_TEXTURE_CUBE_MAP, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_BUFFER};
   static const GLenum desktop_targets[] = {GL_TEXTURE_1D, GL_TEXTURE_1D_ARRAY, GL_TEXTURE_RECTANGLE};
   struct texture *texture = &world->textures[world->texture_count++];
   *texture = (struct texture){.target = PICK(dice, targets), .framebuffer = -1, .levels = 1};
   if (world->desktop && chance(dice, 30))
      texture->target = PICK(dice, desktop_targets);
   if (texture->target == GL_TEXTURE_BUFFER) {
      create_buffer_texture(dice, texture);
      return;
   }
   const bool cube = texture->target == GL_TEXTURE_CUBE_MAP || texture->target == GL_TEXTURE_CUBE_MAP_ARRAY;
   do
      texture->format = chance(dice, 20) ? &PICK(dice, depth_formats) : &PICK(dice, color_formats);
   while ((texture->target == GL_TEXTURE_3D || is_flat(texture->target)) &&
          (is_depth(texture->format) || texture->format->compressed));
   texture->compares = is_depth(texture->format) && chance(dice, 70);
   texture->width = chance(dice, 50) ? 1 << roll(dice, 7) : 1 + (int)roll(dice, MAX_SIDE);
   if (cube)
      texture->width = 8 << roll(dice, 3);
   texture->height = cube               ? texture->width
                     : chance(dice, 50) ? texture->width
                                        : 1 + (int)roll(dice, MAX_SIDE);
   texture->depth = texture->target == GL_TEXTURE_CUBE_MAP_ARRAY ? 12
                    : texture->target == GL_TEXTURE_CUBE_MAP     ? 6
                    : has_depth(texture->target)                 ? 2 + (int)roll(dice, 4)
                                                                 : 1;
   if (texture->target == GL_TEXTURE_1D)
      texture->height = 1;
   if (texture->target == GL_TEXTURE_1D_ARRAY)
      texture->height = 2 + (int)roll(dice, 4);
   const int longest = texture->target == GL_TEXTURE_1D_ARRAY || texture->width > texture->height
                          ? texture->width
                          : texture->height;
   while (texture->target != GL_TEXTURE_RECTANGLE && longest >> texture->levels && chance(dice, 60))
      texture->levels++;
   create_storage(texture);
   upload_all(dice, texture);
   set_sampling(dice, world->loose, texture);
}

void
update_texture(struct world *world, struct dice *dice)
{
   const struct texture *texture = &world->textures[roll(dice, TEXTURES)];
   if (texture->target == GL_TEXTURE_BUFFER)
      return;
   const struct format *format = texture->format;
   if (format->filterable && format->renderable && !is_depth(format) && !format->is_float &&
       chance(dice, 20) && world->wild) {
      glBindTexture(texture->target, texture->name);
      glGenerateMipmap(texture->target);
      return;
   }
   const int level = (int)roll(dice, (unsigned)texture->levels);
   const int width = side(texture->width, level), height = height_of(texture, level);
   const bool cube = texture->target == GL_TEXTURE_CUBE_MAP;
   const int z = (int)roll(dice, (unsigned)depth_of_level(texture, level));
   if (format->compressed) {
      upload(dice, texture, level, 0, 0, z, width, height, 1);
      return;
   }
   const int x = (int)roll(dice, (unsigned)width), y = (int)roll(dice, (unsigned)height);
   const int w = 1 + (int)roll(dice, (unsigned)(width - x)), h = 1 + (int)roll(dice, (unsigned)(height - y));
   upload(dice, texture, level, x, y, z, w, h, cube || z + 1 == texture->depth ? 1 : 1);
}

/** The bits of a texel that may be seen as another format; 0: of none. Floats of any bits may be no numbers. */
static unsigned
view_class(const struct format *format, bool with_floats)
{
   switch (format->internal) {
   case GL_R8:
   case GL_R8I:
   case GL_R8UI: return 8;
   case GL_RG8: return 16;
   case GL_RGBA8:
   case GL_RGBA8_SNORM:
   case GL_SRGB8_ALPHA8:
   case GL_RGB10_A2:
   case GL_RGB10_A2UI:
   case GL_RG16I:
   case GL_RGBA8UI:
   case GL_R32UI: return 32;
   case GL_R11F_G11F_B10F: return with_floats ? 32 : 0;
   case GL_RGBA16UI: return 64;
   case GL_RGBA16F:
   case GL_RG32F: return with_floats ? 64 : 0;
   case GL_RGBA32I: return 128;
   case GL_RGBA32F: return with_floats ? 128 : 0;
   default: return 0;
   }
}

/** A target that a texture of another one can be seen as. */
static GLenum
pick_view_target(struct dice *dice, GLenum target)
{
   static const GLenum flat[] = {GL_TEXTURE_2D, GL_TEXTURE_2D_ARRAY},
                       line[] = {GL_TEXTURE_1D, GL_TEXTURE_1D_ARRAY},
                       cubes[] = {GL_TEXTURE_2D, GL_TEXTURE_2D_ARRAY, GL_TEXTURE_CUBE_MAP,
                                  GL_TEXTURE_CUBE_MAP_ARRAY};
   switch (target) {
   case GL_TEXTURE_2D:
   case GL_TEXTURE_2D_ARRAY: return PICK(dice, flat);
   case GL_TEXTURE_1D:
   case GL_TEXTURE_1D_ARRAY: return PICK(dice, line);
   case GL_TEXTURE_CUBE_MAP:
   case GL_TEXTURE_CUBE_MAP_ARRAY: return PICK(dice, cubes);
   default: return target;
   }
}

/** A view of some of the levels and layers of a texture, in a format of as many bits. */
static void
create_view(struct world *world, struct dice *dice)
{
   const struct texture *from = &world->textures[roll(dice, TEXTURES)];
   const struct format *format = from->format;
   if (from->target == GL_TEXTURE_BUFFER)
      return;
   for (unsigned tries = 0; tries < 20; tries++) {
      const struct format *other = &PICK(dice, color_formats);
      if (!is_depth(format) && view_class(format, true) &&
          view_class(other, world->wild) == view_class(format, true))
         format = other;
   }
   const bool line = from->target == GL_TEXTURE_1D_ARRAY;
   const int layers = line ? from->height : from->target == GL_TEXTURE_3D ? 1 : from->depth;
   struct texture view = {.target = pick_view_target(dice, from->target),
                          .format = format,
                          .framebuffer = -1};
   const int faces = view.target == GL_TEXTURE_CUBE_MAP || view.target == GL_TEXTURE_CUBE_MAP_ARRAY ? 6 : 1;
   const int level = (int)roll(dice, (unsigned)from->levels),
             layer = (int)roll(dice, (unsigned)(layers / faces));
   const bool array = view.target == GL_TEXTURE_2D_ARRAY || view.target == GL_TEXTURE_1D_ARRAY;
   const int count = array ? 1 + (int)roll(dice, (unsigned)(layers - layer)) : faces;
   view.levels = 1 + (int)roll(dice, (unsigned)(from->levels - level));
   view.width = side(from->width, level);
   view.height = view.target == GL_TEXTURE_1D         ? 1
                 : view.target == GL_TEXTURE_1D_ARRAY ? count
                                                      : side(from->height, level);
   view.depth = from->target == GL_TEXTURE_3D        ? side(from->depth, level)
                : view.target == GL_TEXTURE_1D_ARRAY ? 1
                                                     : count;
   view.compares = is_depth(format) && chance(dice, 70);
   glGenTextures(1, &view.name);
   glTextureView(view.name, view.target, from->name, format->internal, (GLuint)level, (GLuint)view.levels,
                 (GLuint)layer, (GLuint)count);
   glBindTexture(view.target, view.name);
   set_sampling(dice, world->loose, &view);
   world->textures[world->texture_count++] = view;
}

/* ---- framebuffers -------------------------------------------------------------------- */

enum framebuffer_kind { TEXTURE, RENDERBUFFER, SAMPLED_RENDERBUFFER, SAMPLED_TEXTURE, LAYERS };

static GLuint
attach(struct world *world, int index, enum framebuffer_kind kind, const struct format *format,
       GLenum attachment)
{
   const struct framebuffer *framebuffer = &world->framebuffers[index];
   if (kind == RENDERBUFFER || kind == SAMPLED_RENDERBUFFER) {
      GLuint name;
      glGenRenderbuffers(1, &name);
      glBindRenderbuffer(GL_RENDERBUFFER, name);
      glRenderbufferStorageMultisample(GL_RENDERBUFFER, framebuffer->samples, format->internal,
                                       framebuffer->width, framebuffer->height);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, name);
      return name;
   }
   static const GLenum targets[] = {[TEXTURE] = GL_TEXTURE_2D,
                                    [SAMPLED_TEXTURE] = GL_TEXTURE_2D_MULTISAMPLE,
                                    [LAYERS] = GL_TEXTURE_2D_ARRAY};
   struct texture *texture = &world->textures[world->texture_count++];
   *texture = (struct texture){
      .target = targets[kind],
      .format = format,
      .width = framebuffer->width,
      .height = framebuffer->height,
      .depth = framebuffer->layers ? framebuffer->layers : 1,
      .levels = 1,
      .samples = framebuffer->samples,
      .framebuffer = index,
   };
   create_storage(texture);
   if (kind != SAMPLED_TEXTURE) {
      glTexParameteri(texture->target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glTexParameteri(texture->target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   }
   glFramebufferTexture(GL_FRAMEBUFFER, attachment, texture->name, 0);
   return texture->name;
}

static void
clear_all(const struct framebuffer *framebuffer)
{
   static const GLint zero[4] = {0};
   static const GLfloat black[4] = {0};
   glDisable(GL_SCISSOR_TEST);
   for (GLint i = 0; i < (GLint)framebuffer->color_count; i++) {
      if (framebuffer->colors[i]->sort == FLOAT)
         glClearBufferfv(GL_COLOR, i, black);
      else if (framebuffer->colors[i]->sort == INT)
         glClearBufferiv(GL_COLOR, i, zero);
      else
         glClearBufferuiv(GL_COLOR, i, (const GLuint *)zero);
   }
   glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

static void
create_framebuffer(struct world *world, struct dice *dice, int index)
{
   struct framebuffer *framebuffer = &world->framebuffers[index];
   const enum framebuffer_kind kind = (enum framebuffer_kind)roll(dice, 5);
   const bool sampled = kind == SAMPLED_RENDERBUFFER || kind == SAMPLED_TEXTURE;
   *framebuffer = (struct framebuffer){
      .width = 1 + (int)roll(dice, MAX_SIDE),
      .height = 1 + (int)roll(dice, MAX_SIDE),
      .layers = kind == LAYERS ? 1 + (int)roll(dice, 3) : 0,
      .samples = sampled ? 4 : 0,
      .color_count = 1 + (chance(dice, 40) ? roll(dice, MAX_COLORS) : 0),
   };
   static const GLenum buffers[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2,
                                    GL_COLOR_ATTACHMENT3};
   framebuffer->name = bind_new_framebuffer(0);
   for (unsigned i = 0; i < framebuffer->color_count; i++) {
      framebuffer->colors[i] = pick_color_format(dice, sampled);
      framebuffer->color_names[i] =
         attach(world, index, kind, framebuffer->colors[i], GL_COLOR_ATTACHMENT0 + i);
   }
   if (chance(dice, 70)) {
      const struct format *depth = &PICK(dice, depth_formats);
      attach(world, index, kind, depth,
             depth->format == GL_DEPTH_STENCIL ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT);
   }
   glDrawBuffers((GLsizei)framebuffer->color_count, buffers);
   const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
   require(status == GL_FRAMEBUFFER_COMPLETE, "a framebuffer of kind %d: status 0x%x", kind, status);
   clear_all(framebuffer);
}

/* ---- buffers ----------------------------------------------------------------------------------- */

void
fill_uniforms(struct dice *dice, float values[48])
{
   for (unsigned i = 0; i < 48; i++)
      values[i] = i < 16   ? (float)roll_between(dice, -50, 50) / 100.0f
                  : i < 32 ? (float)roll(dice, 101) / 100.0f
                           : (float)roll_between(dice, -32, 32) / 8.0f;
}

void
fill_vertices(struct dice *dice, bool wild, unsigned char data[VERTICES * 40])
{
   for (unsigned v = 0; v < VERTICES; v++, data += 40) {
      float values[8];
      for (unsigned i = 0; i < 3; i++)
         values[i] = (float)roll_between(dice, -40, 40) / 32.0f;
      values[3] = 1;
      for (unsigned i = 4; i < 8; i++)
         values[i] = (float)roll_between(dice, -100, 100) / 100.0f;
      if (wild && chance(dice, 3)) {
         const uint32_t bits = (uint32_t)roll_bits(dice);
         memcpy(&values[roll(dice, 3)], &bits, 4);
      }
      memcpy(data, values, sizeof values);
      for (unsigned i = 32; i < 40; i++)
         data[i] = (unsigned char)roll_bits(dice);
   }
}

static GLuint
create_filled(GLenum target, const void *data, GLsizeiptr bytes)
{
   GLuint name;
   glGenBuffers(1, &name);
   glBindBuffer(target, name);
   glBufferData(target, bytes, data, GL_DYNAMIC_DRAW);
   return name;
}

static void
create_buffers(struct world *world, struct dice *dice)
{
   static unsigned char vertices[VERTICES * 40];
   static const unsigned char zeros[65536];
   float uniforms[48];
   uint32_t indices[INDICES];
   fill_uniforms(dice, uniforms);
   fill_vertices(dice, world->wild, vertices);
   for (unsigned i = 0; i < INDICES; i++)
      indices[i] = world->wild && chance(dice, 2) ? (uint32_t)roll_bits(dice) : roll(dice, VERTICES);
   world->vertex_array = bind_new_vertex_array();
   world->vertices = create_filled(GL_ARRAY_BUFFER, vertices, sizeof vertices);
   world->indices = create_filled(GL_ELEMENT_ARRAY_BUFFER, indices, sizeof indices);
   world->uniforms = create_filled(GL_UNIFORM_BUFFER, uniforms, sizeof uniforms);
   world->words = create_filled(GL_SHADER_STORAGE_BUFFER, zeros, STORAGE_WORDS * 4);
   world->results = create_filled(GL_SHADER_STORAGE_BUFFER, zeros, 1024 * 16);
   world->captured = create_filled(GL_TRANSFORM_FEEDBACK_BUFFER, zeros, 16384);
   world->indirect = create_filled(GL_DRAW_INDIRECT_BUFFER, zeros, 64);
   glBindBufferBase(GL_UNIFORM_BUFFER, 0, world->uniforms);
   glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, world->words);
   glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, world->results);
}

static GLuint
create_image(GLenum internal, GLenum format, GLenum type)
{
   static const unsigned char zeros[128 * 128 * 4];
   const GLuint name = bind_new_image(internal, 128, 128);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 128, 128, format, type, zeros);
   return name;
}

void
update_buffer(struct world *world, struct dice *dice)
{
   static unsigned char vertices[VERTICES * 40];
   float uniforms[48];
   switch (roll(dice, 4)) {
   case 0:
      fill_uniforms(dice, uniforms);
      glBindBuffer(GL_UNIFORM_BUFFER, world->uniforms);
      glBufferSubData(GL_UNIFORM_BUFFER, 64, 64, uniforms + 16);
      break;
   case 1:
      fill_uniforms(dice, uniforms);
      glBindBuffer(GL_UNIFORM_BUFFER, world->uniforms);
      void *mapped =
         glMapBufferRange(GL_UNIFORM_BUFFER, 0, sizeof uniforms,
                          GL_MAP_WRITE_BIT | (chance(dice, 50) ? GL_MAP_INVALIDATE_BUFFER_BIT : 0));
      require(mapped != NULL, "glMapBufferRange");
      memcpy(mapped, uniforms, sizeof uniforms);
      glUnmapBuffer(GL_UNIFORM_BUFFER);
      break;
   case 2:
      fill_vertices(dice, world->wild, vertices);
      glBindBuffer(GL_ARRAY_BUFFER, world->vertices);
      glBufferData(GL_ARRAY_BUFFER, sizeof vertices, vertices, GL_STATIC_DRAW);
      break;
   default: {
      const GLintptr from = 40 * (GLintptr)roll(dice, VERTICES / 2),
                     to = 40 * (VERTICES / 2 + (GLintptr)roll(dice, 20));
      glBindBuffer(GL_COPY_READ_BUFFER, world->vertices);
      glBindBuffer(GL_COPY_WRITE_BUFFER, world->vertices);
      glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, from, to, 40);
      break;
   }
   }
}

/* ---- all ------------------------------------------------------------------------------------------ */

void
create_objects(struct world *world)
{
   struct dice dice = dice_of(world->seed, 0);
   glPixelStorei(GL_PACK_ALIGNMENT, 1);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   world->texture_count = 0;
   for (unsigned i = 0; i < TEXTURES; i++)
      create_texture(world, &dice);
   for (unsigned i = 0; i < VIEWS && world->desktop; i++)
      create_view(world, &dice);
   for (int i = 0; i < FRAMEBUFFERS; i++)
      create_framebuffer(world, &dice, i);
   create_buffers(world, &dice);
   world->counts = create_image(GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT);
   world->picture = create_image(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE);
   glGenQueries(3, world->queries);
   if (world->desktop)
      create_desktop_objects(world, &dice);
}

void
delete_objects(struct world *world)
{
   const GLuint buffers[] = {world->vertices, world->indices,  world->uniforms, world->words,
                             world->results,  world->captured, world->indirect};
   for (int i = 0; i < world->texture_count; i++)
      glDeleteTextures(1, &world->textures[i].name);
   for (int i = 0; i < PROGRAMS; i++)
      glDeleteProgram(world->programs[i].name);
   for (int i = 0; i < FRAMEBUFFERS; i++)
      glDeleteFramebuffers(1, &world->framebuffers[i].name);
   glDeleteBuffers(sizeof buffers / sizeof buffers[0], buffers);
   glDeleteVertexArrays(1, &world->vertex_array);
   glDeleteTextures(1, &world->counts);
   glDeleteTextures(1, &world->picture);
   glDeleteQueries(3, world->queries);
   if (world->desktop)
      delete_desktop_objects(world);
}
