/* SPDX-License-Identifier: MIT */
/* stages CASE FILE: draws with tessellation and geometry shaders, whose invocations and pixels are known, and writes the
 * pixels to a file. */
#include <GLES3/gl32.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define SIZE 96
#define VERSION "#version 320 es\nprecision highp float;\n"

static uint8_t pixels[SIZE][SIZE][4];

/* ---- programs --------------------------------------------------------------- */

/* Of any stages: NULL where there is none. */
static GLuint
link_stages(const char *vertex, const char *control, const char *evaluation, const char *geometry,
            const char *fragment)
{
   const struct {
      GLenum stage;
      const char *source;
   } stages[] = {
      {GL_VERTEX_SHADER, vertex},
      {GL_TESS_CONTROL_SHADER, control},
      {GL_TESS_EVALUATION_SHADER, evaluation},
      {GL_GEOMETRY_SHADER, geometry},
      {GL_FRAGMENT_SHADER, fragment},
   };
   const GLuint program = glCreateProgram();
   for (unsigned i = 0; i < sizeof stages / sizeof stages[0]; i++) {
      if (stages[i].source)
         glAttachShader(program, compile_shader(stages[i].stage, VERSION, stages[i].source));
   }
   GLint linked;
   char log[500] = "";
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   glGetProgramInfoLog(program, sizeof log, NULL, log);
   require(linked, "a program does not link: %s", log);
   glUseProgram(program);
   return program;
}

/* Corners of two squares, the left and the right half, in the order of their rows. */
#define HALVES                                                                              \
   "out vec2 corner;\n"                                                                     \
   "void main() {\n"                                                                        \
   "   int i = gl_VertexID & 3;\n"                                                          \
   "   corner = vec2(float(i & 1) + float(gl_VertexID >> 2), float(i >> 1) * 2.0) - 1.0;\n" \
   "}\n"

#define COLOR_OF_PLACE \
   "in vec2 place;\n"  \
   "out vec4 color;\n" \
   "void main() { color = vec4(place, 0.5, 1.0); }\n"

static void
read_pixels(void)
{
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   holds(glGetError() == GL_NO_ERROR, "an error of OpenGL ES");
}

static bool
is_near(int value, double expected)
{
   return abs(value - (int)(expected * 255 + 0.5)) <= 1;
}

/* Red and green are where a pixel is in its square; columns and rows of squares. */
static void
check_places(const char *name, double columns, double rows)
{
   for (int y = 0; y < SIZE; y++) {
      for (int x = 0; x < SIZE; x++) {
         const double u = (x + 0.5) / SIZE * columns, v = (y + 0.5) / SIZE * rows;
         holds(is_near(pixels[y][x][0], u - (int)u) && is_near(pixels[y][x][1], v - (int)v),
               "%s: pixel %d, %d is %d, %d", name, x, y, pixels[y][x][0], pixels[y][x][1]);
      }
   }
}

/* ---- cases ------------------------------------------------------------------- */

/* Two squares, in 2, 3 and 4 parts per side. */
static void
draw_quads(void)
{
   link_stages(HALVES,
               "layout(vertices = 4) out;\n"
               "in vec2 corner[];\n"
               "out vec2 moved[];\n"
               "patch out vec2 center;\n"
               "uniform highp int parts;\n"
               "void main() {\n"
               "   moved[gl_InvocationID] = corner[gl_InvocationID];\n"
               "   barrier();\n"
               "   if (gl_InvocationID == 0)\n"
               "      center = (moved[0] + moved[1] + moved[2] + moved[3]) / 4.0;\n"
               "   gl_TessLevelInner[0] = gl_TessLevelInner[1] = float(parts);\n"
               "   for (int i = 0; i < 4; i++)\n"
               "      gl_TessLevelOuter[i] = float(parts);\n"
               "}\n",
               "layout(quads, equal_spacing, ccw) in;\n"
               "in vec2 moved[];\n"
               "patch in vec2 center;\n"
               "out vec2 place;\n"
               "void main() {\n"
               "   place = gl_TessCoord.xy;\n"
               "   gl_Position = vec4(center + (place - 0.5) * (moved[3] - moved[0]), 0.0, 1.0);\n"
               "}\n",
               NULL, COLOR_OF_PLACE);
   GLint program;
   glGetIntegerv(GL_CURRENT_PROGRAM, &program);
   glPatchParameteri(GL_PATCH_VERTICES, 4);
   for (int parts = 2; parts <= 4; parts++) {
      glUniform1i(glGetUniformLocation((GLuint)program, "parts"), parts);
      glDrawArrays(GL_PATCHES, 0, 8);
   }
   read_pixels();
   check_places("quads", 2, 1);
}

/* Four squares of a vertex each; instances have them in 2, 3 and 4 parts per side, and the last one in none. */
static void
draw_instances(void)
{
   link_stages("out vec2 corner;\n"
               "out float level;\n"
               "void main() {\n"
               "   corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
               "   level = float(gl_InstanceID == 3 ? 0 : 2 + gl_InstanceID);\n"
               "}\n",
               "layout(vertices = 1) out;\n"
               "in vec2 corner[];\n"
               "in float level[];\n"
               "out vec2 origin[];\n"
               "void main() {\n"
               "   origin[gl_InvocationID] = corner[gl_InvocationID];\n"
               "   gl_TessLevelInner[0] = gl_TessLevelInner[1] = level[0];\n"
               "   for (int i = 0; i < 4; i++)\n"
               "      gl_TessLevelOuter[i] = level[0];\n"
               "}\n",
               "layout(quads, equal_spacing, ccw) in;\n"
               "in vec2 origin[];\n"
               "out vec2 place;\n"
               "void main() {\n"
               "   place = gl_TessCoord.xy;\n"
               "   gl_Position = vec4(origin[0] + place - 1.0, 0.0, 1.0);\n"
               "}\n",
               NULL, COLOR_OF_PLACE);
   glPatchParameteri(GL_PATCH_VERTICES, 1);
   glDrawArraysInstanced(GL_PATCHES, 0, 4, 4);
   read_pixels();
   check_places("instances", 2, 2);
}

/* More points than 16 bits number: a square of GRID by GRID patches in 12 parts per side. A patch whose number, counted
 * from the draw's first, is not what it should be in both shaders is not drawn. */
#define GRID 24
static void
draw_dense(void)
{
   link_stages("out vec2 corner;\n"
               "void main() { int i = gl_VertexID - 24; corner = vec2(i % 24, i / 24); }\n",
               "layout(vertices = 1) out;\n"
               "in vec2 corner[];\n"
               "out vec2 origin[];\n"
               "out float is_odd[];\n"
               "void main() {\n"
               "   origin[gl_InvocationID] = corner[gl_InvocationID];\n"
               "   is_odd[gl_InvocationID] = float(gl_PrimitiveID & 1);\n"
               "   gl_TessLevelInner[0] = gl_TessLevelInner[1] = 12.0;\n"
               "   for (int i = 0; i < 4; i++)\n"
               "      gl_TessLevelOuter[i] = 12.0;\n"
               "}\n",
               "layout(quads, equal_spacing, ccw) in;\n"
               "in vec2 origin[];\n"
               "in float is_odd[];\n"
               "out vec2 place;\n"
               "void main() {\n"
               "   bool odd = (int(origin[0].x + origin[0].y * 24.0) & 1) == 1;\n"
               "   bool same = odd == ((gl_PrimitiveID & 1) == 1) && odd == (is_odd[0] > 0.5);\n"
               "   place = gl_TessCoord.xy;\n"
               "   gl_Position = vec4((origin[0] + place) / 12.0 - 1.0, 0.0, same ? 1.0 : -1.0);\n"
               "}\n",
               NULL, COLOR_OF_PLACE);
   glPatchParameteri(GL_PATCH_VERTICES, 1);
   glDrawArrays(GL_PATCHES, 24, GRID * GRID);
   read_pixels();
   check_places("dense", GRID, GRID);
}

/* A geometry shader runs three times for the triangle of each patch, and makes squares of it in two of them. */
static void
draw_triangles(void)
{
   link_stages(
      HALVES,
      "layout(vertices = 3) out;\n"
      "in vec2 corner[];\n"
      "out vec2 moved[];\n"
      "void main() {\n"
      "   moved[gl_InvocationID] = corner[gl_InvocationID];\n"
      "   gl_TessLevelInner[0] = 1.0;\n"
      "   for (int i = 0; i < 3; i++)\n"
      "      gl_TessLevelOuter[i] = 1.0;\n"
      "}\n",
      "layout(triangles, equal_spacing, ccw) in;\n"
      "in vec2 moved[];\n"
      "out vec2 point;\n"
      "void main() {\n"
      "   point = moved[0] * gl_TessCoord.x + moved[1] * gl_TessCoord.y + moved[2] * gl_TessCoord.z;\n"
      "}\n",
      "layout(triangles, invocations = 3) in;\n"
      "layout(triangle_strip, max_vertices = 4) out;\n"
      "in vec2 point[];\n"
      "out vec2 place;\n"
      "void main() {\n"
      "   for (int i = 0; gl_InvocationID < 2 && i < 4; i++) {\n"
      "      place = vec2(i & 1, i >> 1);\n"
      "      vec2 low = gl_InvocationID == 0 ? vec2(-1.0) : vec2(0.0, -1.0);\n"
      "      gl_Position = vec4(low + place * vec2(1.0, 2.0), 0.0, 1.0);\n"
      "      EmitVertex();\n"
      "   }\n"
      "}\n",
      COLOR_OF_PLACE);
   glPatchParameteri(GL_PATCH_VERTICES, 3);
   glDrawArrays(GL_PATCHES, 0, 7); /* two patches, and a vertex of none */
   read_pixels();
   check_places("triangles", 2, 1);
}

/* Points that become squares, two each, in the layers of a texture. */
static void
draw_layers(void)
{
   const GLuint texture = bind_new_texture(GL_TEXTURE_2D_ARRAY);
   glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA8, SIZE, SIZE, 2);
   bind_new_framebuffer(0);
   glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "layers are incomplete");
   link_stages("void main() { gl_Position = vec4(float(gl_VertexID), 0.0, 0.0, 1.0); }\n", NULL, NULL,
               "layout(points, invocations = 2) in;\n"
               "layout(triangle_strip, max_vertices = 4) out;\n"
               "out vec2 place;\n"
               "void main() {\n"
               "   for (int i = 0; i < 4; i++) {\n"
               "      place = vec2(i & 1, i >> 1);\n"
               "      gl_Position = vec4(place * 2.0 - 1.0, 0.0, 1.0);\n"
               "      gl_Position.y = (place.y + gl_in[0].gl_Position.x) - 1.0;\n"
               "      gl_Layer = gl_InvocationID;\n"
               "      EmitVertex();\n"
               "   }\n"
               "}\n",
               COLOR_OF_PLACE);
   glDrawArrays(GL_POINTS, 0, 2);
   GLuint read;
   glGenFramebuffers(1, &read);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, read);
   for (int layer = 1; layer >= 0; layer--) {
      glFramebufferTextureLayer(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0, layer);
      read_pixels();
      check_places("layers", 1, 2);
   }
}

/* Points of which each takes its color from a texel: 40 of a row; then three of the same vertices, one twice, in two
 * instances, which read a row each. */
static void
draw_texels(void)
{
   static const uint8_t indices[] = {0, 1, 2, 0};
   static uint8_t texels[2][64][4];
   for (unsigned y = 0; y < 2; y++) {
      for (unsigned x = 0; x < 64; x++)
         memcpy(texels[y][x], (const uint8_t[]){(uint8_t)x, (uint8_t)(100 * y), 7, 255}, 4);
   }
   bind_new_image(GL_RGBA8, 64, 2);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 64, 2, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   const GLuint program = link_stages("uniform sampler2D texels;\n"
                                      "uniform int row;\n"
                                      "out vec4 texel;\n"
                                      "void main() {\n"
                                      "   texel = texelFetch(texels, ivec2(gl_VertexID, gl_InstanceID), 0);\n"
                                      "   vec2 pixel = vec2(gl_VertexID, row + gl_InstanceID) + 0.5;\n"
                                      "   gl_Position = vec4(pixel / 48.0 - 1.0, 0.0, 1.0);\n"
                                      "   gl_PointSize = 1.0;\n"
                                      "}\n",
                                      NULL, NULL, NULL,
                                      "in vec4 texel;\n"
                                      "out vec4 color;\n"
                                      "void main() { color = texel; }\n");
   glDrawArrays(GL_POINTS, 8, 40);
   glUniform1i(glGetUniformLocation(program, "row"), 1);
   glDrawElementsInstancedBaseVertex(GL_POINTS, 4, GL_UNSIGNED_BYTE, indices, 2, 50);
   read_pixels();
   for (unsigned x = 0; x < 64; x++) {
      if (x >= 8 && x < 48)
         require(memcmp(pixels[0][x], texels[0][x], 4) == 0, "texels: pixel %u of row 0", x);
      if (x >= 50 && x < 53) {
         require(memcmp(pixels[1][x], texels[0][x], 4) == 0, "texels: pixel %u of row 1", x);
         require(memcmp(pixels[2][x], texels[1][x], 4) == 0, "texels: pixel %u of row 2", x);
      }
   }
}

static GLuint
make_buffer(GLuint binding, size_t bytes, const void *data)
{
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, buffer);
   glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)bytes, data, GL_DYNAMIC_COPY);
   return buffer;
}

static const void *
map_buffer(GLuint buffer, size_t bytes)
{
   glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
   const void *content = glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)bytes, GL_MAP_READ_BIT);
   require(content != NULL, "a buffer cannot be mapped");
   return content;
}

#define COUNTS "layout(std430, binding = 0) buffer Counts { uint counts[4]; };\n"

/* The image that geometry shaders store to, a row for each triangle: its second texel is the vertex' number. */
static void
check_image(GLuint image, unsigned triangles)
{
   static uint32_t texels[4][8][4];
   GLuint framebuffer;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, image, 0);
   glReadPixels(0, 0, 8, 4, GL_RGBA_INTEGER, GL_UNSIGNED_INT, texels);
   for (unsigned t = 0; t < 4; t++) {
      for (unsigned x = 0; x < 8; x++)
         holds(texels[t][x][0] == (t < triangles && x == 1 ? 1 + 3 * t : 0), "accesses: texel %u, %u is %u",
               x, t, texels[t][x][0]);
   }
   glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
}

/* Two patches of three vertices in each of two instances. Each invocation of each stage counts itself; vertices store, control
 * shaders load, evaluation shaders read a texel, geometry shaders store a texel, and read one of their vertices by a number
 * that is not constant. */
static void
draw_accesses(void)
{
   static const uint32_t zeros[64], expected[4] = {12, 12, 12, 4};
   static const float loaded[6] = {0, 10, 20, 30, 40, 50};
   static const uint8_t texels[2][4] = {{0, 0, 0, 255}, {255, 0, 0, 255}};
   const GLuint counts = make_buffer(0, sizeof expected, zeros);
   const GLuint stored = make_buffer(1, 12 * 16, zeros);
   make_buffer(2, sizeof loaded, loaded);
   GLuint textures[2];
   glGenTextures(2, textures);
   glBindTexture(GL_TEXTURE_2D, textures[0]);
   glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32UI, 8, 4);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 8, 4, GL_RED_INTEGER, GL_UNSIGNED_INT, zeros);
   glBindImageTexture(0, textures[0], 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_R32UI);
   glBindTexture(GL_TEXTURE_2D, textures[1]);
   glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 2, 1);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   const GLuint program = link_stages(
      COUNTS "layout(std430, binding = 1) writeonly buffer Stored { vec4 stored[]; };\n"
             "void main() {\n"
             "   atomicAdd(counts[0], 1u);\n"
             "   stored[6 * gl_InstanceID + gl_VertexID] = vec4(gl_VertexID, gl_InstanceID, 2.0, 3.0);\n"
             "}\n",
      COUNTS "layout(vertices = 3) out;\n"
             "layout(std430, binding = 2) readonly buffer Loaded { float loaded[]; };\n"
             "out float value[];\n"
             "void main() {\n"
             "   atomicAdd(counts[1], 1u);\n"
             "   value[gl_InvocationID] = loaded[3 * gl_PrimitiveID + gl_InvocationID];\n"
             "   gl_TessLevelInner[0] = 1.0;\n"
             "   for (int i = 0; i < 3; i++)\n"
             "      gl_TessLevelOuter[i] = 1.0;\n"
             "}\n",
      COUNTS
      "layout(triangles, equal_spacing, ccw) in;\n"
      "uniform sampler2D texels;\n"
      "in float value[];\n"
      "out Point { float number; float red; };\n"
      "void main() {\n"
      "   atomicAdd(counts[2], 1u);\n"
      "   red = texelFetch(texels, ivec2(gl_PrimitiveID, 0), 0).r;\n"
      "   number = (gl_TessCoord.x * value[0] + gl_TessCoord.y * value[1] + gl_TessCoord.z * value[2]) / "
      "10.0;\n"
      "}\n",
      COUNTS
      "layout(triangles) in;\n"
      "layout(triangle_strip, max_vertices = 4) out;\n"
      "layout(binding = 0, r32ui) writeonly uniform highp uimage2D image;\n"
      "uniform int vertex;\n"
      "in Point { float number; float red; } points[];\n"
      "out vec2 place;\n"
      "void main() {\n"
      "   atomicAdd(counts[3], 1u);\n"
      /* Of a patch' vertices, in whichever order tessellation has them, the least is number 3 t. */
      "   ivec2 others = points[0].red > 0.5 ? ivec2(1, 2) : ivec2(2, 1);\n"
      "   float least = min(points[others.x].number, points[others.y].number);\n"
      "   least = min(least, points[vertex].number);\n"
      "   imageStore(image, ivec2(1, gl_PrimitiveIDIn), uvec4(uint(least) + 1u, 0u, 0u, 0u));\n"
      "   for (int i = 0; i < 4; i++) {\n"
      "      place = vec2(i & 1, i >> 1);\n"
      "      gl_Position = vec4(points[others.y].red - 1.0 + place.x, place.y * 2.0 - 1.0, 0.0, 1.0);\n"
      "      EmitVertex();\n"
      "   }\n"
      "}\n",
      COLOR_OF_PLACE);
   glUniform1i(glGetUniformLocation(program, "vertex"), 0);
   glPatchParameteri(GL_PATCH_VERTICES, 3);
   glDrawArraysInstanced(GL_PATCHES, 0, 6, 2);
   glMemoryBarrier(GL_ALL_BARRIER_BITS);
   read_pixels();
   check_places("accesses", 2, 1);
   const uint32_t *counted = map_buffer(counts, sizeof expected);
   for (unsigned i = 0; i < 4; i++)
      holds(counted[i] == expected[i], "accesses: stage %u ran %u times", i, counted[i]);
   const float *values = map_buffer(stored, 12 * 16);
   for (unsigned i = 0; i < 12; i++)
      holds(values[4 * i] == i % 6 && values[4 * i + 1] == i / 6 && values[4 * i + 3] == 3,
            "accesses: vertex %u stored %g, %g", i, values[4 * i], values[4 * i + 1]);
   check_image(textures[0], 2);
}

int
main(int argc, char **argv)
{
   static const struct {
      const char *name;
      void (*draw)(void);
   } cases[] = {
      {"quads", draw_quads},         {"instances", draw_instances}, {"dense", draw_dense},
      {"triangles", draw_triangles}, {"layers", draw_layers},       {"texels", draw_texels},
      {"accesses", draw_accesses},
   };
   egl_open_context((struct surface_request){SURFACELESS_PBUFFER, SIZE, SIZE, .depth = false}, false, 3, 2);
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      if (argc != 3 || strcmp(argv[1], cases[i].name))
         continue;
      cases[i].draw();
      FILE *file = fopen(argv[2], "wb");
      require(file && fwrite(pixels, 1, sizeof pixels, file) == sizeof pixels && !fclose(file),
              "%s cannot be written", argv[2]);
      return check_status();
   }
   stop("usage: stages quads|instances|dense|triangles|layers|texels|accesses FILE");
}
