/* SPDX-License-Identifier: MIT */
/* texture_levels SAMPLER: prints which levels of a mipmap are sampled, of a target and for every way to say where: bias in the
 * shader, least and greatest level of detail of textures and samplers, base and maximum level, textureLod,
 * textureGrad, textureProj and their offsets, texelFetch (OpenGL ES 3.0.6, 3.8.10; GLSL ES 3.00.6, 8.8).
 * compare_test.py compares with what another driver samples.
 *
 * Levels of detail keep away from where the choice changes, by more than drivers may differ. */
#include <stdio.h>
#include <string.h>
#include <math.h>

#include "gles.h"

#define SIZE 4 /* pixels of a sample, side by side */
#define SAMPLES (COUNT_OF(details) * COUNT_OF(values))
#define TEXTURE 64
#define LEVELS 7

static const struct target {
   const char *name, *sampler;
   GLenum target;
   const char *calls[12]; /* with coordinates and the uniform x, a level or a bias */
} targets[] = {
   {"2D",
    "sampler2D",
    GL_TEXTURE_2D,
    {"texture(image, coordinates)", "texture(image, coordinates, x)", "textureLod(image, coordinates, x)",
     "textureOffset(image, coordinates, ivec2(3, -2), x)",
     "textureProj(image, vec3(coordinates, 1.0) * 2.0, x)",
     "textureProjLod(image, vec4(coordinates, 7.0, 1.0) * 0.5, x)",
     "textureGrad(image, coordinates, vec2(exp2(x) / 64.0, 0.0), vec2(0.0))",
     "textureGradOffset(image, coordinates, vec2(0.0), vec2(0.0, exp2(x) / 64.0), ivec2(1))",
     "textureLodOffset(image, coordinates, x, ivec2(-8, 7))", "texelFetch(image, ivec2(0), int(max(x, 0.0)))",
     "vec4(vec2(textureSize(image, int(max(x, 0.0)))) / 64.0, 0.0, 1.0)"}},
   {"2D array",
    "sampler2DArray",
    GL_TEXTURE_2D_ARRAY,
    {"texture(image, vec3(coordinates, 1.0))", "texture(image, vec3(coordinates, 0.4), x)",
     "textureLod(image, vec3(coordinates, 9.0), x)",
     "textureOffset(image, vec3(coordinates, 1.0), ivec2(3, -2), x)",
     "textureGrad(image, vec3(coordinates, 1.0), vec2(exp2(x) / 64.0, 0.0), vec2(0.0))",
     "texelFetch(image, ivec3(0, 0, 2), int(max(x, 0.0)))"}},
   {"3D",
    "sampler3D",
    GL_TEXTURE_3D,
    {"texture(image, vec3(coordinates, 0.5))", "texture(image, vec3(coordinates, 0.3), x)",
     "textureLod(image, vec3(coordinates, 0.7), x)",
     "textureProj(image, vec4(coordinates, 0.5, 1.0) * 3.0, x)",
     "textureOffset(image, vec3(coordinates, 0.5), ivec3(1, 2, -3), x)",
     "textureGrad(image, vec3(coordinates, 0.5), vec3(0.0), vec3(0.0, 0.0, exp2(x) / 64.0))",
     "texelFetch(image, ivec3(0), int(max(x, 0.0)))"}},
   {"cube",
    "samplerCube",
    GL_TEXTURE_CUBE_MAP,
    {"texture(image, vec3(1.0, coordinates * 2.0))", "texture(image, vec3(coordinates * 2.0, -1.0), x)",
     "textureLod(image, vec3(coordinates.x, 1.0, coordinates.y), x)",
     "textureGrad(image, vec3(1.0, 0.0, 0.0), vec3(0.0, exp2(x) / 32.0, 0.0), vec3(0.0))"}},
};

/* What limits the levels. */
static const struct limits {
   float least, greatest;
   int base, max;
   bool by_sampler;
} limits[] = {
   {-1000, 1000, 0, 1000, false}, {-1000, 1000, 2, 1000, false}, {-1000, 1000, 0, 3, false},
   {-1000, 1000, 2, 2, false},    {2, 1000, 0, 1000, false},     {-1000, 1.2f, 0, 1000, false},
   {1, 2, 2, 5, false},           {3, 1000, 0, 1000, true},      {-1000, 2.2f, 1, 4, true},
};

static const GLenum filters[] = {GL_NEAREST,
                                 GL_LINEAR,
                                 GL_NEAREST_MIPMAP_NEAREST,
                                 GL_LINEAR_MIPMAP_NEAREST,
                                 GL_NEAREST_MIPMAP_LINEAR,
                                 GL_LINEAR_MIPMAP_LINEAR};

/* Binary logarithms of texels per pixel, and levels or biases. */
static const float details[] = {-1.2f, 0.2f, 2.2f}, values[] = {-2, -0.25f, 0, 1, 2.25f, 4, 9};

static void
make_texture(const struct target *target)
{
   static unsigned char texels[TEXTURE * TEXTURE * TEXTURE];
   const bool is_3d = target->target == GL_TEXTURE_3D, is_cube = target->target == GL_TEXTURE_CUBE_MAP;
   const int depth = is_3d ? TEXTURE : 3;
   gles_texture(target->target, GL_R8, TEXTURE, TEXTURE, depth, LEVELS);
   for (int level = 0; level < LEVELS; level++) {
      const int size = TEXTURE >> level;
      for (size_t i = 0; i < sizeof texels; i++)
         texels[i] = (unsigned char)(16 + level * 32);
      for (GLenum face = 0; face < (is_cube ? 6 : 1) && !is_3d && target->target != GL_TEXTURE_2D_ARRAY;
           face++)
         glTexSubImage2D(is_cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face : GL_TEXTURE_2D, level, 0, 0, size,
                         size, GL_RED, GL_UNSIGNED_BYTE, texels);
      if (is_3d || target->target == GL_TEXTURE_2D_ARRAY)
         glTexSubImage3D(target->target, level, 0, 0, 0, size, size, is_3d ? size : depth, GL_RED,
                         GL_UNSIGNED_BYTE, texels);
   }
}

static GLuint
make_program(const struct target *target, const char *call)
{
   char source[600];
   snprintf(source, sizeof source,
            "#version 300 es\n"
            "precision highp float;\n"
            "uniform highp %s image;\n"
            "uniform highp float x;\n"
            "in vec2 coordinates;\n"
            "out vec4 color;\n"
            "void main() { color = %s; if (x > 1000.0) color.r += x; }\n",
            target->sampler, call);
   return build_program(gles_scaled_vertex, source);
}

static void
set_limits(const struct limits *limit, GLenum target, GLuint sampler, GLenum filter)
{
   glBindSampler(0, limit->by_sampler ? sampler : 0);
   glTexParameteri(target, GL_TEXTURE_BASE_LEVEL, limit->base);
   glTexParameteri(target, GL_TEXTURE_MAX_LEVEL, limit->max);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, (GLint)filter);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
   glTexParameterf(target, GL_TEXTURE_MIN_LOD, limit->by_sampler ? 6 : limit->least);
   glTexParameterf(target, GL_TEXTURE_MAX_LOD, limit->by_sampler ? 6 : limit->greatest);
   glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, (GLint)filter);
   glSamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
   glSamplerParameterf(sampler, GL_TEXTURE_MIN_LOD, limit->least);
   glSamplerParameterf(sampler, GL_TEXTURE_MAX_LOD, limit->greatest);
}

static void
print_call(const struct target *target, const char *call, GLuint sampler)
{
   const GLuint program = make_program(target, call);
   glUseProgram(program);
   const GLint scale = glGetUniformLocation(program, "scale"), x = glGetUniformLocation(program, "x");
   for (size_t l = 0; l < COUNT_OF(limits) * COUNT_OF(filters); l++) {
      const GLenum filter = filters[l % COUNT_OF(filters)];
      set_limits(&limits[l / COUNT_OF(filters)], target->target, sampler, filter);
      for (size_t n = 0; n < SAMPLES; n++) {
         glViewport((GLint)n * SIZE, 0, SIZE, SIZE);
         glUniform1f(scale, exp2f(details[n / COUNT_OF(values)]) * SIZE / (2.0f * TEXTURE));
         glUniform1f(x, values[n % COUNT_OF(values)]);
         gles_rectangle(-1, -1, 1, 1, 0);
      }
      unsigned char pixels[SAMPLES * SIZE][4];
      glReadPixels(0, 2, SAMPLES * SIZE, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
      for (size_t n = 0; n < SAMPLES; n++)
         printf("%s %s, filter 0x%04x, limits %zu, detail %g, x %g: %u\n", target->name, call, filter,
                l / COUNT_OF(filters), details[n / COUNT_OF(values)], values[n % COUNT_OF(values)],
                pixels[n * SIZE + 1][0]);
   }
   glBindSampler(0, 0);
   glDeleteProgram(program);
}

int
main(int argc, char **argv)
{
   size_t t = 0;
   while (argc == 2 && t < COUNT_OF(targets) && strcmp(targets[t].sampler, argv[1]))
      t++;
   require(argc == 2 && t < COUNT_OF(targets), "usage: texture_levels SAMPLER");
   GLuint sampler;
   gles_open();
   gles_framebuffer(GL_RGBA8, GL_NONE, SAMPLES * SIZE, SIZE);
   glGenSamplers(1, &sampler);
   make_texture(&targets[t]);
   for (size_t c = 0; c < COUNT_OF(targets[t].calls) && targets[t].calls[c]; c++)
      print_call(&targets[t], targets[t].calls[c], sampler);
   return gles_close();
}
