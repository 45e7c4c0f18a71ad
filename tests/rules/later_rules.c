/* SPDX-License-Identifier: MIT */
/* Single rules of OpenGL ES 3.1 and 3.2: border colours are within their format's range, textures without mipmap filter are
 * sampled at their base level whatever their format, images of one layer have no second one, strips of geometry
 * shaders may end after any vertex, arrays of blocks and samplers are indexed by what the invocations that are there have,
 * and the device's identifiers can be asked for. */
#include <GLES3/gl32.h>
#include <GLES2/gl2ext.h>
#include <stdio.h>
#include <string.h>

#include "gles.h"

#define SIZE 8

static const char quad_vertex[] =
   "#version 320 es\n"
   "void main() { gl_Position = vec4(gl_VertexID & 1, gl_VertexID >> 1, 0, 0.5) * "
   "2.0 - vec4(1, 1, 0, 0); }\n";

/* Framebuffers of floats, integers and unsigned integers. */
static GLuint framebuffers[3];

static void
create_framebuffers(void)
{
   static const GLenum formats[] = {GL_RGBA32F, GL_RGBA32I, GL_RGBA32UI};
   for (unsigned i = 0; i < COUNT_OF(formats); i++)
      framebuffers[i] = gles_framebuffer(formats[i], GL_NONE, SIZE, SIZE);
}

/** Draws a square whose fragment shader is this expression of a type, and reads a pixel's four words. */
static void
evaluate(const char *type, const char *declarations, const char *expression, uint32_t values[4])
{
   char source[1000];
   const bool is_float = type[0] == 'v', is_signed = type[0] == 'i';
   snprintf(source, sizeof source,
            "#version 320 es\n"
            "precision highp float;\n"
            "precision highp int;\n"
            "%s\n"
            "out highp %s color;\n"
            "void main() { color = %s; }\n",
            declarations, type, expression);
   const GLuint program = build_program(quad_vertex, source);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[is_float ? 0 : is_signed ? 1 : 2]);
   glUseProgram(program);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   glReadPixels(3, 3, 1, 1, is_float ? GL_RGBA : GL_RGBA_INTEGER,
                is_float    ? GL_FLOAT
                : is_signed ? GL_INT
                            : GL_UNSIGNED_INT,
                values);
   glUseProgram(0);
   glDeleteProgram(program);
}

/* ---- borders ------------------------------------------------------------ */

static GLuint
bordered_texture(GLenum format)
{
   const GLuint texture = gles_texture(GL_TEXTURE_2D, format, 4, 4, 1, 1);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
   return texture;
}

static void
check_float_border(GLenum format, const float border[4], const float wanted[4])
{
   float values[4];
   const GLuint texture = bordered_texture(format);
   glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, border);
   evaluate("vec4", "uniform highp sampler2D image;", "texture(image, vec2(2.0))", (uint32_t *)values);
   for (unsigned i = 0; i < 4; i++)
      holds(values[i] == wanted[i], "format 0x%04x: component %u of the border %g is %g instead of %g",
            format, i, border[i], values[i], wanted[i]);
   glDeleteTextures(1, &texture);
}

static void
check_integer_border(GLenum format, bool is_signed, const GLint border[4], const GLint wanted[4])
{
   GLint values[4];
   const GLuint texture = bordered_texture(format);
   if (is_signed)
      glTexParameterIiv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, border);
   else
      glTexParameterIuiv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, (const GLuint *)border);
   evaluate(is_signed ? "ivec4" : "uvec4",
            is_signed ? "uniform highp isampler2D image;" : "uniform highp usampler2D image;",
            "texture(image, vec2(2.0))", (uint32_t *)values);
   for (unsigned i = 0; i < 4; i++)
      holds(values[i] == wanted[i], "format 0x%04x: component %u of the border %d is %d instead of %d",
            format, i, border[i], values[i], wanted[i]);
   glDeleteTextures(1, &texture);
}

static void
check_borders(void)
{
   check_float_border(GL_R11F_G11F_B10F, (float[]){-0.5f, 0.25f, 1e6f, 2}, (float[]){0, 0.25f, 64512, 1});
   check_float_border(GL_RGB9_E5, (float[]){-0.5f, 0.25f, 1e6f, 2}, (float[]){0, 0.25f, 65408, 1});
   check_float_border(GL_RGBA16F, (float[]){-1e6f, 0.25f, 1e6f, 2}, (float[]){-65504, 0.25f, 65504, 2});
   check_float_border(GL_RGBA32F, (float[]){-1e6f, 0.25f, 1e6f, 2}, (float[]){-1e6f, 0.25f, 1e6f, 2});
   check_float_border(GL_RGBA8, (float[]){-1, 0.25f, 2, 1}, (float[]){0, 0.25f, 1, 1});
   check_float_border(GL_RGBA8_SNORM, (float[]){-2, 0.25f, 2, -1}, (float[]){-1, 0.25f, 1, -1});
   check_integer_border(GL_RGB10_A2UI, false, (GLint[]){5000, 1023, 3, 5}, (GLint[]){1023, 1023, 3, 3});
   check_integer_border(GL_RGBA8UI, false, (GLint[]){256, 255, 0, -1}, (GLint[]){255, 255, 0, 255});
   check_integer_border(GL_RG16UI, false, (GLint[]){70000, 65535, 9, 9}, (GLint[]){65535, 65535, 0, 1});
   check_integer_border(GL_RGBA8I, true, (GLint[]){-200, -128, 127, 200}, (GLint[]){-128, -128, 127, 127});
   check_integer_border(GL_RGBA16I, true, (GLint[]){-40000, 1, 40000, -1}, (GLint[]){-32768, 1, 32767, -1});
   check_integer_border(GL_R32I, true, (GLint[]){INT32_MIN, 1, 2, 3}, (GLint[]){INT32_MIN, 0, 0, 1});
}

/* ---- levels --------------------------------------------------------------- */

/* Every level has its number as its texels. */
static void
check_base_level(GLenum filter, unsigned wanted)
{
   uint32_t values[4];
   const GLuint texture = gles_texture(GL_TEXTURE_2D, GL_R8UI, 8, 8, 1, 4);
   for (GLint level = 0; level < 4; level++) {
      unsigned char texels[8 * 8];
      memset(texels, level, sizeof texels);
      glTexSubImage2D(GL_TEXTURE_2D, level, 0, 0, 8 >> level, 8 >> level, GL_RED_INTEGER, GL_UNSIGNED_BYTE,
                      texels);
   }
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, (GLint)filter);
   evaluate("uvec4", "uniform highp usampler2D image;", "textureLod(image, vec2(0.5), 2.0)", values);
   holds(values[0] == wanted, "filter 0x%04x samples level %u of integers instead of %u", filter, values[0],
         wanted);
   glDeleteTextures(1, &texture);
}

/* ---- images --------------------------------------------------------------- */

/* Texels are 7; what lies outside of the image reads as 0, and is not stored. */
static void
check_single_layer(GLenum target, const char *type, const char *coordinates, GLboolean layered,
                   unsigned wanted)
{
   static const uint32_t seven = 7;
   char declaration[100], load[100];
   uint32_t values[4];
   const GLuint texture = gles_texture(target, GL_R32UI, 1, 1, 1, 1);
   glTexSubImage3D(target, 0, 0, 0, 0, 1, 1, 1, GL_RED_INTEGER, GL_UNSIGNED_INT, &seven);
   glBindImageTexture(0, texture, 0, layered, 0, GL_READ_WRITE, GL_R32UI);
   snprintf(declaration, sizeof declaration, "layout(r32ui, binding = 0) uniform highp %s image;", type);
   snprintf(load, sizeof load, "uvec4(imageLoad(image, %s).x, imageAtomicAdd(image, %s, 0u), 0, 0)",
            coordinates, coordinates);
   evaluate("uvec4", declaration, load, values);
   holds(values[0] == wanted && values[1] == wanted, "target 0x%04x, %s at %s: %u and %u instead of %u",
         target, type, coordinates, values[0], values[1], wanted);
   glBindImageTexture(0, 0, 0, GL_FALSE, 0, GL_READ_ONLY, GL_R32UI);
   glDeleteTextures(1, &texture);
}

static void
check_single_layers(void)
{
   static const GLenum targets[] = {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D};
   static const char *const types[] = {"uimage2DArray", "uimage3D"};
   for (unsigned i = 0; i < COUNT_OF(targets); i++) {
      check_single_layer(targets[i], types[i], "ivec3(0)", GL_TRUE, 7);
      check_single_layer(targets[i], types[i], "ivec3(0, 0, 1)", GL_TRUE, 0);
      check_single_layer(targets[i], types[i], "ivec3(0, 0, -1)", GL_TRUE, 0);
      check_single_layer(targets[i], "uimage2D", "ivec2(0)", GL_FALSE, 7);
      check_single_layer(targets[i], "uimage2D", "ivec2(0, 1)", GL_FALSE, 0);
   }
}

/* ---- strips --------------------------------------------------------------- */

/* Each of many vertices is a strip of its own, too short for a primitive. */
static void
check_short_strips(const char *primitive)
{
   char geometry[500];
   static const char vertex[] = "#version 320 es\n"
                                "void main() { gl_Position = vec4(0, 0, 0, 1); }\n";
   snprintf(geometry, sizeof geometry,
            "#version 320 es\n"
            "layout(points, invocations = 8) in;\n"
            "layout(%s, max_vertices = 30) out;\n"
            "void main() {\n"
            "   for (int i = 0; i < 30; i++) {\n"
            "      gl_Position = gl_in[0].gl_Position;\n"
            "      EmitVertex();\n"
            "      EndPrimitive();\n"
            "   }\n"
            "}\n",
            primitive);
   const GLuint shaders[] = {compile_shader(GL_VERTEX_SHADER, "", vertex),
                             compile_shader(GL_GEOMETRY_SHADER, "", geometry),
                             compile_shader(GL_FRAGMENT_SHADER, "#version 320 es\n",
                                            "out lowp vec4 color;\n"
                                            "void main() { color = vec4(1); }\n")};
   const GLuint program = glCreateProgram();
   for (unsigned i = 0; i < COUNT_OF(shaders); i++)
      glAttachShader(program, shaders[i]);
   glLinkProgram(program);
   GLuint query, generated = 1;
   glGenQueries(1, &query);
   gles_framebuffer(GL_RGBA8, GL_NONE, SIZE, SIZE);
   glClear(GL_COLOR_BUFFER_BIT);
   glUseProgram(program);
   glBeginQuery(GL_PRIMITIVES_GENERATED, query);
   glDrawArrays(GL_POINTS, 0, 100);
   glEndQuery(GL_PRIMITIVES_GENERATED);
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &generated);
   holds(generated == 0, "%u primitives of %s of one vertex", generated, primitive);
   holds(gles_pixel(SIZE / 2, SIZE / 2) == 0, "something was drawn of %s of one vertex", primitive);
   glDeleteQueries(1, &query);
   glUseProgram(0);
   glDeleteProgram(program);
   for (unsigned i = 0; i < COUNT_OF(shaders); i++)
      glDeleteShader(shaders[i]);
}

/* ---- indices ---------------------------------------------------------------- */

#define RESOURCES 3

/** A stage, and which of its invocations index arrays. */
struct indexing_stage {
   GLenum stage;
   const char *head, *condition, *tail;
};

static const struct indexing_stage indexing_stages[] = {
   {GL_VERTEX_SHADER, "", "gl_VertexID == 2", "gl_Position = vec4(0, 0, 0, 1);"},
   {GL_TESS_CONTROL_SHADER, "layout(vertices = 3) out;", "gl_InvocationID == 1",
    "gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 1.0;"},
   {GL_TESS_EVALUATION_SHADER, "layout(triangles) in;", "gl_TessCoord.y == 1.0",
    "gl_Position = vec4(gl_TessCoord, 1);"},
   {GL_FRAGMENT_SHADER, "", "ivec2(gl_FragCoord.xy) == ivec2(5)", ""},
   {GL_COMPUTE_SHADER, "layout(local_size_x = 16) in;", "gl_LocalInvocationIndex == 5u", ""},
};

/** A shader that indexes arrays, or one that is only there. */
static GLuint
indexing_shader(const struct indexing_stage *stage, bool indexes)
{
   static const char loop[] = "   for (int i = first; i < first + 3; i++) {\n"
                              "      found[2 * i] = textureSize(images[i], 0).x;\n"
                              "      found[2 * i + 1] = blocks[i].value;\n"
                              "   }\n";
   char source[1500];
   snprintf(source, sizeof source,
            "#version 320 es\n"
            "precision highp float;\n"
            "%s\n"
            "layout(binding = 0) uniform highp sampler2D images[3];\n"
            "layout(std140, binding = 0) uniform Block { highp int value; } blocks[3];\n"
            "layout(std430, binding = 0) buffer Found { highp int found[]; };\n"
            "uniform highp int first;\n"
            "void main() {\n"
            "   %s\n"
            "   if (%s) {\n%s   }\n"
            "}\n",
            stage->head, stage->tail, indexes ? stage->condition : "false", indexes ? loop : "");
   return compile_shader(stage->stage, "", source);
}

/** The first invocations of a vector do not index. */
static void
check_indexing(const struct indexing_stage *stage)
{
   GLint found[2 * RESOURCES] = {0};
   const bool compute = stage->stage == GL_COMPUTE_SHADER;
   const GLuint program = glCreateProgram();
   for (unsigned i = 0; i < COUNT_OF(indexing_stages); i++) {
      if ((indexing_stages[i].stage == GL_COMPUTE_SHADER) == compute)
         glAttachShader(program, indexing_shader(&indexing_stages[i], &indexing_stages[i] == stage));
   }
   glLinkProgram(program);
   glUseProgram(program);
   const GLuint buffer = create_buffer(GL_SHADER_STORAGE_BUFFER, found, sizeof found);
   glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
   if (compute)
      glDispatchCompute(1, 1, 1);
   else
      glDrawArrays(GL_PATCHES, 0, 3);
   glMemoryBarrier(GL_ALL_BARRIER_BITS);
   const GLint *mapped = glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, sizeof found, GL_MAP_READ_BIT);
   for (int i = 0; i < RESOURCES; i++) {
      holds(mapped[2 * i] == 100 * (i + 1), "stage 0x%04x: texture %d is %d wide", stage->stage, i,
            mapped[2 * i]);
      holds(mapped[2 * i + 1] == i + 5, "stage 0x%04x: block %d has %d", stage->stage, i, mapped[2 * i + 1]);
   }
   glDeleteBuffers(1, &buffer);
   glUseProgram(0);
   glDeleteProgram(program);
}

static void
check_indices(void)
{
   GLuint textures[RESOURCES], buffers[RESOURCES];
   for (int i = 0; i < RESOURCES; i++) {
      const GLint value[4] = {i + 5};
      glActiveTexture(GL_TEXTURE0 + (GLenum)i);
      textures[i] = gles_texture(GL_TEXTURE_2D, GL_RGBA8, 100 * (i + 1), 1, 1, 1);
      buffers[i] = create_buffer(GL_UNIFORM_BUFFER, value, sizeof value);
      glBindBufferBase(GL_UNIFORM_BUFFER, (GLuint)i, buffers[i]);
   }
   glPatchParameteri(GL_PATCH_VERTICES, 3);
   for (unsigned i = 0; i < COUNT_OF(indexing_stages); i++)
      check_indexing(&indexing_stages[i]);
   glDeleteTextures(RESOURCES, textures);
   glDeleteBuffers(RESOURCES, buffers);
   glActiveTexture(GL_TEXTURE0);
}

/* ---- identifiers ---------------------------------------------------------- */

/* Mesa answers whether the extension is there or not. */
static void
check_identifiers(void)
{
   static const GLenum names[] = {GL_DEVICE_UUID_EXT, GL_DRIVER_UUID_EXT, GL_DEVICE_LUID_EXT,
                                  GL_DEVICE_NODE_MASK_EXT};
   for (unsigned i = 0; i < COUNT_OF(names); i++) {
      GLint words[16];
      glGetIntegerv(names[i], words);
      glGetError();
   }
}

int
main(void)
{
   gles_open();
   create_framebuffers();
   check_borders();
   check_base_level(GL_NEAREST, 0);
   check_base_level(GL_NEAREST_MIPMAP_NEAREST, 2);
   check_single_layers();
   check_short_strips("line_strip");
   check_short_strips("triangle_strip");
   check_indices();
   check_identifiers();
   return gles_close();
}
