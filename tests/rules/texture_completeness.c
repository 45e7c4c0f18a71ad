/* SPDX-License-Identifier: MIT */
/* texture_completeness: prints what sampling returns of every target, format, filter and flaw of a
 * mipmap (OpenGL ES 3.0.6, 3.8.13): an incomplete texture reads as (0, 0, 0, 1). compare_test.py compares
 * with what another driver returns.
 *
 * Each level has one colour, and the level of detail is a whole number, so that the result does not
 * depend on how a driver rounds. */
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gles.h"

#define SIZE 4 /* pixels of a sample, side by side */
#define LEVELS 5
#define FACES 6

/* How a format is uploaded and sampled. */
static const struct texel_format {
   const char *name;
   GLenum internal, format, type, other; /* another internal format of the same type */
   const char *sampler;                  /* its prefix; "s": a shadow sampler */
   unsigned bytes;
} texel_formats[] = {
   {"rgba8", GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, GL_RGB5_A1, "", 4},
   {"rgba8ui", GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, GL_RGBA8UI, "u", 4},
   {"r32i", GL_R32I, GL_RED_INTEGER, GL_INT, GL_R16I, "i", 4},
   {"r32f", GL_R32F, GL_RED, GL_FLOAT, GL_R16F, "", 4},
   {"r11g11b10f", GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV, GL_R11F_G11F_B10F, "", 4},
   {"depth24", GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, GL_DEPTH_COMPONENT16, "", 4},
   {"depth24 compared", GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, GL_DEPTH_COMPONENT16, "s",
    4},
};

static const struct target {
   const char *name, *sampler;
   GLenum target;
   const char *coordinates; /* of a sampler, from vec2 coordinates */
   const char *compared;    /* the same with a reference value */
} targets[] = {
   {"2D", "sampler2D", GL_TEXTURE_2D, "coordinates", "vec3(coordinates, 0.5)"},
   {"2D array", "sampler2DArray", GL_TEXTURE_2D_ARRAY, "vec3(coordinates, 1.0)",
    "vec4(coordinates, 1.0, 0.5)"},
   {"3D", "sampler3D", GL_TEXTURE_3D, "vec3(coordinates, 0.5)", NULL},
   {"cube", "samplerCube", GL_TEXTURE_CUBE_MAP, "vec3(1.0, coordinates * 2.0)",
    "vec4(1.0, coordinates * 2.0, 0.5)"},
};

/* What is wrong with a mipmap, or is not. */
enum flaw {
   NONE,
   LEVEL_0_MISSING,
   LEVEL_1_MISSING,
   LEVEL_2_TOO_LARGE,
   LEVEL_2_OTHER_FORMAT,
   LAST_LEVEL_MISSING,
   BASE_1,         /* levels from 1 on, and a base level that says so */
   BASE_1_MISSING, /* base level 1, which there is not */
   BASE_BEYOND_MAX,
   BASE_TOO_LARGE, /* no such level can be */
   MAX_1,          /* levels 0 and 1 only, and a maximum level that says so */
   ONLY_LEVEL_0,
   SIZE_0,       /* level 0 is empty */
   FACE_MISSING, /* of a cube map from here on */
   FACE_TOO_LARGE,
   FACE_OTHER_FORMAT,
   FACE_MISSING_AT_2,
   NOT_SQUARE,
   IMMUTABLE, /* glTexStorage, whatever base and maximum level say */
   IMMUTABLE_BASE_TOO_LARGE,
   FLAW_COUNT
};
static const char *const flaw_names[FLAW_COUNT] = {
   "none",
   "no level 0",
   "no level 1",
   "level 2 too large",
   "level 2 of another format",
   "no last level",
   "base level 1",
   "base level 1 missing",
   "base level beyond maximum",
   "base level too large",
   "maximum level 1",
   "only level 0",
   "level 0 empty",
   "a face missing",
   "a face too large",
   "a face of another format",
   "a face missing in level 2",
   "not square",
   "immutable",
   "immutable, base level too large",
};

static bool
is_missing(enum flaw flaw, int level, unsigned face)
{
   switch (flaw) {
   case LEVEL_0_MISSING:
   case BASE_1: return level == 0;
   case LEVEL_1_MISSING:
   case BASE_1_MISSING: return level == 1;
   case LAST_LEVEL_MISSING: return level == LEVELS - 1;
   case MAX_1: return level > 1;
   case ONLY_LEVEL_0: return level > 0;
   case FACE_MISSING: return face == 3;
   case FACE_MISSING_AT_2: return face == 3 && level == 2;
   default: return false;
   }
}

/* A texel of a level: distinct values, above half where depth is compared in even levels. */
static void
fill(const struct texel_format *format, int level, uint32_t *texels, unsigned count)
{
   uint32_t value;
   float real = (float)(level + 1) / 8;
   switch (format->type) {
   case GL_UNSIGNED_BYTE: value = (uint32_t)(level + 1) * 0x20 * 0x010101 | 0xc0000000; break;
   case GL_INT: value = (uint32_t)(level + 1) * 0x20; break;
   case GL_FLOAT: memcpy(&value, &real, sizeof value); break;
   case GL_UNSIGNED_INT: value = level & 1 ? 0x30000000 : 0xd0000000; break;
   default:
      value =
         0x3c0u | 0x3a0u << 11 | 0x1a0u << 22; /* 1.0, 0.75, 0.25: 11, 11 and 10 bits of floating point */
   }
   for (unsigned i = 0; i < count; i++)
      texels[i] = value;
}

static void
upload_image(const struct target *target, const struct texel_format *format, enum flaw flaw, int level,
             unsigned face)
{
   static uint32_t texels[64 * 64 * 16];
   const bool other =
      (flaw == LEVEL_2_OTHER_FORMAT && level == 2) || (flaw == FACE_OTHER_FORMAT && face == 3);
   int size = 16 >> level;
   if ((flaw == LEVEL_2_TOO_LARGE && level == 2) || (flaw == FACE_TOO_LARGE && face == 3))
      size *= 2;
   if (flaw == SIZE_0 && level == 0)
      size = 0;
   const int height = flaw == NOT_SQUARE ? (size + 1) / 2 : size;
   const GLint internal = (GLint)(other ? format->other : format->internal);
   fill(format, level, texels, COUNT_OF(texels));
   if (target->target == GL_TEXTURE_2D)
      glTexImage2D(GL_TEXTURE_2D, level, internal, size, height, 0, format->format, format->type, texels);
   else if (target->target == GL_TEXTURE_CUBE_MAP)
      glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, level, internal, size, height, 0, format->format,
                   format->type, texels);
   else
      glTexImage3D(target->target, level, internal, size, height, target->target == GL_TEXTURE_3D ? size : 3,
                   0, format->format, format->type, texels);
}

static void
upload_immutable(const struct target *target, const struct texel_format *format)
{
   static uint32_t texels[16 * 16 * 16];
   const bool is_flat = target->target == GL_TEXTURE_2D || target->target == GL_TEXTURE_CUBE_MAP;
   if (is_flat)
      glTexStorage2D(target->target, LEVELS, format->internal, 16, 16);
   else
      glTexStorage3D(target->target, LEVELS, format->internal, 16, 16,
                     target->target == GL_TEXTURE_3D ? 16 : 3);
   for (int level = 0; level < LEVELS; level++) {
      const int size = 16 >> level;
      fill(format, level, texels, COUNT_OF(texels));
      for (unsigned face = 0; is_flat && face < (target->target == GL_TEXTURE_2D ? 1 : FACES); face++)
         glTexSubImage2D(target->target == GL_TEXTURE_2D ? GL_TEXTURE_2D
                                                         : GL_TEXTURE_CUBE_MAP_POSITIVE_X + face,
                         level, 0, 0, size, size, format->format, format->type, texels);
      if (!is_flat)
         glTexSubImage3D(target->target, level, 0, 0, 0, size, size,
                         target->target == GL_TEXTURE_3D ? size : 3, format->format, format->type, texels);
   }
}

static GLuint
make_texture(const struct target *target, const struct texel_format *format, enum flaw flaw)
{
   const GLuint texture = bind_new_texture(target->target);
   if (flaw == IMMUTABLE || flaw == IMMUTABLE_BASE_TOO_LARGE) {
      upload_immutable(target, format);
   } else {
      const unsigned faces = target->target == GL_TEXTURE_CUBE_MAP ? FACES : 1;
      for (int level = 0; level < LEVELS; level++) {
         for (unsigned face = 0; face < faces; face++) {
            if (!is_missing(flaw, level, face))
               upload_image(target, format, flaw, level, face);
         }
      }
   }
   static const int bases[FLAW_COUNT] = {[BASE_1] = 1,
                                         [BASE_1_MISSING] = 1,
                                         [BASE_BEYOND_MAX] = 3,
                                         [BASE_TOO_LARGE] = 12,
                                         [IMMUTABLE_BASE_TOO_LARGE] = 12};
   glTexParameteri(target->target, GL_TEXTURE_BASE_LEVEL, bases[flaw]);
   if (flaw == BASE_BEYOND_MAX || flaw == MAX_1)
      glTexParameteri(target->target, GL_TEXTURE_MAX_LEVEL, 1);
   return texture;
}

static const GLenum filters[] = {GL_NEAREST,
                                 GL_LINEAR,
                                 GL_NEAREST_MIPMAP_NEAREST,
                                 GL_LINEAR_MIPMAP_NEAREST,
                                 GL_NEAREST_MIPMAP_LINEAR,
                                 GL_LINEAR_MIPMAP_LINEAR};

/* ---- sampling ------------------------------------------------------------------- */

static GLuint
make_program(const struct target *target, const struct texel_format *format)
{
   char source[600];
   const bool compared = format->sampler[0] == 's';
   snprintf(source, sizeof source,
            "#version 300 es\n"
            "precision highp float;\n"
            "uniform highp %s%s%s image;\n"
            "in vec2 coordinates;\n"
            "out vec4 color;\n"
            "void main() { color = vec4(texture(image, %s))%s; }\n",
            compared ? "" : format->sampler, target->sampler, compared ? "Shadow" : "",
            compared ? target->compared : target->coordinates,
            format->sampler[0] && !compared ? " / 255.0" : "");
   return build_program(gles_scaled_vertex, source);
}

/* The n-th way to sample: a pair of filters, of the texture or of a sampler object, magnified or minified. */
struct way {
   GLenum minifying, magnifying;
   bool by_sampler, is_minified;
};
#define WAYS (COUNT_OF(filters) * 8)

static struct way
get_way(size_t n)
{
   return (struct way){filters[n / 8], n & 2 ? GL_LINEAR : GL_NEAREST, n & 4, n & 1};
}

static void
draw_sample(const struct target *target, const struct texel_format *format, size_t n, GLuint sampler,
            GLint scale)
{
   const struct way way = get_way(n);
   const GLint mode = format->sampler[0] == 's' ? GL_COMPARE_REF_TO_TEXTURE : GL_NONE;
   /* Where there is a sampler object, what the texture says of filters does not count. */
   glTexParameteri(target->target, GL_TEXTURE_MIN_FILTER,
                   (GLint)(way.by_sampler ? GL_NEAREST : way.minifying));
   glTexParameteri(target->target, GL_TEXTURE_MAG_FILTER,
                   (GLint)(way.by_sampler ? GL_NEAREST : way.magnifying));
   glTexParameteri(target->target, GL_TEXTURE_COMPARE_MODE, mode);
   glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, (GLint)way.minifying);
   glSamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, (GLint)way.magnifying);
   glSamplerParameteri(sampler, GL_TEXTURE_COMPARE_MODE, mode);
   glBindSampler(0, way.by_sampler ? sampler : 0);
   glUniform1f(scale, way.is_minified ? 0.5f : 1.0f / 64); /* level 2, or 0 */
   glViewport((GLint)n * SIZE, 0, SIZE, SIZE);
   gles_rectangle(-1, -1, 1, 1, 0);
}

static void
print_samples(const struct target *target, const struct texel_format *format, enum flaw flaw, GLint scale)
{
   const bool is_llvmpipe = strstr((const char *)glGetString(GL_RENDERER), "llvmpipe");
   GLuint sampler;
   glGenSamplers(1, &sampler);
   glClearColor(0.2f, 0.4f, 0.6f, 0.8f);
   glClear(GL_COLOR_BUFFER_BIT);
   for (size_t n = 0; n < WAYS; n++)
      draw_sample(target, format, n, sampler, scale);
   unsigned char pixels[WAYS * SIZE][4];
   glReadPixels(0, 2, WAYS * SIZE, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (size_t n = 0; n < WAYS; n++) {
      const struct way way = get_way(n);
      const unsigned char *pixel = pixels[n * SIZE + 1];
      if (flaw == BASE_BEYOND_MAX && (way.minifying == GL_NEAREST || way.minifying == GL_LINEAR)) {
         /* Without a mipmap, only the base level has to be there; llvmpipe samples nothing. */
         const bool is_filtered = way.magnifying == GL_LINEAR || way.minifying == GL_LINEAR;
         holds(is_llvmpipe || is_filtered || pixel[0] || pixel[1] || pixel[2] || !pixel[3],
               "%s %s: base level 3 is not sampled", target->name, format->name);
         continue;
      }
      printf("%s %s, %s, filters 0x%04x 0x%04x%s, %s: %u %u %u %u\n", target->name, format->name,
             flaw_names[flaw], way.minifying, way.magnifying, way.by_sampler ? " of a sampler" : "",
             way.is_minified ? "minified" : "magnified", pixel[0], pixel[1], pixel[2], pixel[3]);
   }
   glBindSampler(0, 0);
   glDeleteSamplers(1, &sampler);
}

int
main(void)
{
   gles_open();
   gles_framebuffer(GL_RGBA8, GL_NONE, WAYS * SIZE, SIZE);
   for (size_t t = 0; t < COUNT_OF(targets); t++) {
      for (size_t f = 0; f < COUNT_OF(texel_formats); f++) {
         const struct texel_format *format = &texel_formats[f];
         const bool is_depth = format->format == GL_DEPTH_COMPONENT;
         if (is_depth && targets[t].target == GL_TEXTURE_3D)
            continue;
         const GLuint program = make_program(&targets[t], format);
         glUseProgram(program);
         for (enum flaw flaw = NONE; flaw < FLAW_COUNT; flaw++) {
            if (targets[t].target != GL_TEXTURE_CUBE_MAP && flaw >= FACE_MISSING && flaw <= FACE_MISSING_AT_2)
               continue;
            const GLuint texture = make_texture(&targets[t], format, flaw);
            const GLenum error = glGetError();
            printf("%s %s, %s: error 0x%04x\n", targets[t].name, format->name, flaw_names[flaw], error);
            print_samples(&targets[t], format, flaw, glGetUniformLocation(program, "scale"));
            glDeleteTextures(1, &texture);
         }
         glDeleteProgram(program);
      }
   }
   return gles_close();
}
