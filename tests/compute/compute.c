/* SPDX-License-Identifier: MIT */
/* compute [CASE]: runs compute shaders, and fragment shaders with storage, whose results are known; one case, or all. */
#include <GLES3/gl31.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define VERSION "#version 310 es\nprecision highp float; precision highp int; precision highp image2D;\n"

static GLuint
build_compute(const char *source)
{
   return link_shaders(compile_shader(GL_COMPUTE_SHADER, VERSION, source), 0);
}

static GLuint
bind_storage(unsigned binding, const void *data, size_t bytes)
{
   const GLuint buffer = create_buffer(GL_SHADER_STORAGE_BUFFER, data, bytes);
   glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, buffer);
   return buffer;
}

static void *
map(GLuint buffer, size_t bytes)
{
   glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
   glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
   void *memory = glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)bytes, GL_MAP_READ_BIT);
   require(memory, "a buffer cannot be mapped");
   return memory;
}

/* ---- cases ---------------------------------------------------------------- */

#define WORDS 4096

static void
fill(uint32_t *words, unsigned count)
{
   uint32_t state = 1;
   for (unsigned i = 0; i < count; i++) {
      state = state * 1664525 + 1013904223;
      words[i] = state;
   }
}

/* Each invocation copies a vector of four words. */
static void
copy(void)
{
   static uint32_t words[WORDS];
   fill(words, WORDS);
   bind_storage(0, words, sizeof words);
   const GLuint to = bind_storage(1, NULL, sizeof words);
   glUseProgram(
      build_compute("layout(local_size_x = 64) in;\n"
                    "layout(std430, binding = 0) readonly buffer From { uvec4 from[]; };\n"
                    "layout(std430, binding = 1) writeonly buffer To { uvec4 to[]; };\n"
                    "void main() { to[gl_GlobalInvocationID.x] = from[gl_GlobalInvocationID.x]; }\n"));
   glDispatchCompute(WORDS / 4 / 64, 1, 1);
   holds(!memcmp(map(to, sizeof words), words, sizeof words), "copy: other words");
}

/* The same from the parameters of a buffer, which a dispatch has written. */
static void
indirect(void)
{
   static uint32_t words[WORDS];
   const GLuint parameters = bind_storage(0, NULL, 16), to = bind_storage(1, words, sizeof words);
   glUseProgram(build_compute("layout(local_size_x = 1) in;\n"
                              "layout(std430, binding = 0) buffer Parameters { uint groups[3]; };\n"
                              "void main() { groups[0] = 8u; groups[1] = 2u; groups[2] = 4u; }\n"));
   glDispatchCompute(1, 1, 1);
   glMemoryBarrier(GL_COMMAND_BARRIER_BIT);
   glUseProgram(
      build_compute("layout(local_size_x = 4, local_size_y = 2, local_size_z = 8) in;\n"
                    "layout(std430, binding = 1) buffer To { uint to[]; };\n"
                    "void main() {\n"
                    "   uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize, id = gl_GlobalInvocationID;\n"
                    "   to[(id.z * size.y + id.y) * size.x + id.x] = id.x | id.y << 8 | id.z << 16;\n"
                    "}\n"));
   glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, parameters);
   glDispatchComputeIndirect(0);
   const uint32_t *result = map(to, sizeof words);
   for (uint32_t i = 0; i < 32 * 4 * 32; i++)
      holds(result[i] == (i % 32 | i / 32 % 4 << 8 | i / 128 << 16), "indirect: %u is %u", i, result[i]);
}

/* Sums of 256 words each, in shared memory. */
static void
reduction(void)
{
   static uint32_t words[WORDS];
   fill(words, WORDS);
   bind_storage(0, words, sizeof words);
   const GLuint to = bind_storage(1, NULL, WORDS / 256 * 4);
   glUseProgram(build_compute("layout(local_size_x = 256) in;\n"
                              "layout(std430, binding = 0) readonly buffer From { uint from[]; };\n"
                              "layout(std430, binding = 1) buffer To { uint sums[]; };\n"
                              "shared uint part[256];\n"
                              "void main() {\n"
                              "   uint i = gl_LocalInvocationIndex;\n"
                              "   part[i] = from[gl_GlobalInvocationID.x];\n"
                              "   for (uint step = 128u; step > 0u; step /= 2u) {\n"
                              "      barrier();\n"
                              "      if (i < step)\n"
                              "         part[i] += part[i + step];\n"
                              "   }\n"
                              "   if (i == 0u)\n"
                              "      sums[gl_WorkGroupID.x] = part[0];\n"
                              "}\n"));
   glDispatchCompute(WORDS / 256, 1, 1);
   const uint32_t *sums = map(to, WORDS / 256 * 4);
   for (unsigned group = 0; group < WORDS / 256; group++) {
      uint32_t sum = 0;
      for (unsigned i = 0; i < 256; i++)
         sum += words[256 * group + i];
      holds(sums[group] == sum, "reduction: sum %u is %u, expected %u", group, sums[group], sum);
   }
}

/* Each word of a grid and its four neighbours, if it has them. */
static void
stencil(void)
{
   enum { SIZE = 64 };
   static uint32_t words[SIZE * SIZE];
   fill(words, SIZE * SIZE);
   bind_storage(0, words, sizeof words);
   const GLuint to = bind_storage(1, NULL, sizeof words);
   glUseProgram(build_compute("const int SIZE = 64;\n"
                              "layout(local_size_x = 8, local_size_y = 8) in;\n"
                              "layout(std430, binding = 0) readonly buffer From { uint from[]; };\n"
                              "layout(std430, binding = 1) writeonly buffer To { uint to[]; };\n"
                              "void main() {\n"
                              "   int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);\n"
                              "   int i = y * SIZE + x;\n"
                              "   uint sum = 4u * from[i];\n"
                              "   if (y > 0)\n"
                              "      sum += from[i - SIZE];\n"
                              "   if (y < SIZE - 1)\n"
                              "      sum += from[i + SIZE];\n"
                              "   if (x > 0)\n"
                              "      sum += from[i - 1];\n"
                              "   if (x < SIZE - 1)\n"
                              "      sum += from[i + 1];\n"
                              "   to[i] = sum;\n"
                              "}\n"));
   glDispatchCompute(SIZE / 8, SIZE / 8, 1);
   const uint32_t *result = map(to, sizeof words);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      const unsigned x = i % SIZE, y = i / SIZE;
      const uint32_t sum = 4 * words[i] + (y ? words[i - SIZE] : 0) + (y < SIZE - 1 ? words[i + SIZE] : 0) +
                           (x ? words[i - 1] : 0) + (x < SIZE - 1 ? words[i + 1] : 0);
      holds(result[i] == sum, "stencil: %u, %u is %u, expected %u", x, y, result[i], sum);
   }
}

#define SIDE 48

/* A product of matrices, by tiles in shared memory; the work-groups' last vector of invocations is not full. */
static void
matrix(void)
{
   static float a[SIDE * SIDE], b[SIDE * SIDE];
   for (unsigned i = 0; i < SIDE * SIDE; i++) {
      a[i] = (float)(i * 7 % 11);
      b[i] = (float)(i * 5 % 13);
   }
   bind_storage(0, a, sizeof a);
   bind_storage(1, b, sizeof b);
   const GLuint to = bind_storage(2, NULL, sizeof a);
   glUseProgram(build_compute("const int TILE = 6, SIDE = 48;\n"
                              "layout(local_size_x = 6, local_size_y = 6) in;\n"
                              "layout(std430, binding = 0) readonly buffer A { float a[]; };\n"
                              "layout(std430, binding = 1) readonly buffer B { float b[]; };\n"
                              "layout(std430, binding = 2) writeonly buffer C { float c[]; };\n"
                              "shared float tile_a[6][6], tile_b[6][6];\n"
                              "void main() {\n"
                              "   int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);\n"
                              "   int i = int(gl_LocalInvocationID.x), j = int(gl_LocalInvocationID.y);\n"
                              "   float sum = 0.0;\n"
                              "   for (int t = 0; t < SIDE; t += TILE) {\n"
                              "      tile_a[j][i] = a[y * SIDE + t + i];\n"
                              "      tile_b[j][i] = b[(t + j) * SIDE + x];\n"
                              "      barrier();\n"
                              "      for (int k = 0; k < TILE; k++)\n"
                              "         sum += tile_a[j][k] * tile_b[k][i];\n"
                              "      barrier();\n"
                              "   }\n"
                              "   c[y * SIDE + x] = sum;\n"
                              "}\n"));
   glDispatchCompute(SIDE / 6, SIDE / 6, 1);
   const float *c = map(to, sizeof a);
   for (unsigned y = 0; y < SIDE; y++) {
      for (unsigned x = 0; x < SIDE; x++) {
         float sum = 0.0f;
         for (unsigned k = 0; k < SIDE; k++)
            sum += a[y * SIDE + k] * b[k * SIDE + x];
         holds(c[y * SIDE + x] == sum, "matrix: %u, %u is %f, expected %f", x, y, c[y * SIDE + x], sum);
      }
   }
}

/* Counts words by their lowest bits; every operation on words of its own. */
static void
atomics(void)
{
   static uint32_t words[WORDS], zeros[64];
   uint32_t counts[16] = {0}, initial[8] = {0, ~0u, 0, 0, 0, 100, 77, 0};
   fill(words, WORDS);
   bind_storage(0, words, sizeof words);
   const GLuint bins = bind_storage(1, zeros, sizeof zeros);
   initial[3] = (uint32_t)INT32_MIN;
   const GLuint others = bind_storage(2, initial, sizeof initial);
   glUseProgram(
      build_compute("layout(local_size_x = 100) in;\n"
                    "layout(std430, binding = 0) readonly buffer From { uint from[]; };\n"
                    "layout(std430, binding = 1) buffer Bins { uint bins[]; };\n"
                    "layout(std430, binding = 2) buffer Others {\n"
                    "   uint most, all_bits; int least, greatest; uint any_bits, last, swapped, flips;\n"
                    "};\n"
                    "void main() {\n"
                    "   uint i = gl_GlobalInvocationID.x;\n"
                    "   if (i >= uint(from.length()))\n"
                    "      return;\n"
                    "   atomicAdd(bins[from[i] >> 28], 1u);\n"
                    "   atomicMax(most, from[i]);\n"
                    "   atomicAnd(all_bits, from[i]);\n"
                    "   atomicMin(least, int(from[i]));\n"
                    "   atomicMax(greatest, int(from[i]));\n"
                    "   atomicOr(any_bits, from[i] & 0xffu);\n"
                    "   atomicXor(flips, from[i]);\n"
                    "   if (i == 5u) {\n"
                    "      bins[16] = atomicExchange(last, 9u);\n"
                    "      bins[17] = atomicCompSwap(swapped, 77u, 3u);\n"
                    "      bins[18] = atomicCompSwap(swapped, 77u, 4u);\n"
                    "   }\n"
                    "}\n"));
   glDispatchCompute(WORDS / 100 + 1, 1, 1);
   uint32_t most = 0, all = ~0u, any = 0, flips = 0;
   int32_t least = 0, greatest = INT32_MIN;
   for (unsigned i = 0; i < WORDS; i++) {
      counts[words[i] >> 28]++;
      most = words[i] > most ? words[i] : most;
      all &= words[i];
      any |= words[i] & 0xff;
      flips ^= words[i];
      least = (int32_t)words[i] < least ? (int32_t)words[i] : least;
      greatest = (int32_t)words[i] > greatest ? (int32_t)words[i] : greatest;
   }
   const uint32_t *result = map(bins, sizeof zeros);
   for (unsigned i = 0; i < 16; i++)
      holds(result[i] == counts[i], "atomics: bin %u has %u, expected %u", i, result[i], counts[i]);
   holds(result[16] == 100 && result[17] == 77 && result[18] == 3, "atomics: old values");
   const uint32_t *values = map(others, sizeof initial);
   const uint32_t expected[8] = {most, all, (uint32_t)least, (uint32_t)greatest, any, 9, 3, flips};
   for (unsigned i = 0; i < 8; i++)
      holds(values[i] == expected[i], "atomics: value %u is %u, expected %u", i, values[i], expected[i]);
}

/* An image is made by a dispatch, turned by another one, and both are read. */
static void
images(void)
{
   enum { WIDTH = 40, HEIGHT = 24 };
   GLuint textures[2];
   glGenTextures(2, textures);
   for (unsigned i = 0; i < 2; i++) {
      glBindTexture(GL_TEXTURE_2D, textures[i]);
      glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, i ? HEIGHT : WIDTH, i ? WIDTH : HEIGHT);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   }
   glUseProgram(build_compute("layout(local_size_x = 8, local_size_y = 8) in;\n"
                              "layout(rgba8, binding = 0) writeonly uniform image2D to;\n"
                              "void main() {\n"
                              "   ivec2 at = ivec2(gl_GlobalInvocationID.xy);\n"
                              "   imageStore(to, at, vec4(vec2(at) / 255.0, 0.5, 1.0));\n"
                              "}\n"));
   glBindImageTexture(0, textures[0], 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
   glDispatchCompute(WIDTH / 8 + 1, HEIGHT / 8, 1); /* some of it outside */
   glMemoryBarrier(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT);
   glUseProgram(
      build_compute("layout(local_size_x = 8, local_size_y = 8) in;\n"
                    "layout(rgba8, binding = 0) readonly uniform image2D from;\n"
                    "layout(rgba8, binding = 1) writeonly uniform image2D to;\n"
                    "uniform highp sampler2D sampled;\n"
                    "void main() {\n"
                    "   ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(from);\n"
                    "   vec4 other = texelFetch(sampled, at, 0);\n"
                    "   imageStore(to, ivec2(size.y - 1 - at.y, at.x), imageLoad(from, at) * other);\n"
                    "}\n"));
   glBindImageTexture(0, textures[0], 0, GL_FALSE, 0, GL_READ_ONLY, GL_RGBA8);
   glBindImageTexture(1, textures[1], 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
   glBindTexture(GL_TEXTURE_2D, textures[0]);
   glDispatchCompute(WIDTH / 8, HEIGHT / 8, 1);
   glMemoryBarrier(GL_FRAMEBUFFER_BARRIER_BIT);
   bind_new_framebuffer(textures[1]);
   static GLubyte pixels[WIDTH][HEIGHT][4];
   glReadPixels(0, 0, HEIGHT, WIDTH, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned y = 0; y < WIDTH; y++) {
      for (unsigned x = 0; x < HEIGHT; x++) {
         const unsigned from_x = y, from_y = HEIGHT - 1 - x;
         const GLubyte red = (GLubyte)(from_x * from_x / 255.0 + 0.5);
         const GLubyte green = (GLubyte)(from_y * from_y / 255.0 + 0.5);
         holds(abs(pixels[y][x][0] - red) <= 1 && abs(pixels[y][x][1] - green) <= 1 && pixels[y][x][3] == 255,
               "images: %u, %u is %u %u, expected %u %u", x, y, pixels[y][x][0], pixels[y][x][1], red, green);
      }
   }
}

/* Fragments count themselves, by row, and note where they are; those that a later triangle hides, too. */
static void
fragments(void)
{
   enum { SIZE = 64 };
   static uint32_t zeros[SIZE * SIZE];
   const GLuint target = bind_new_image(GL_RGBA8, SIZE, SIZE);
   const GLuint depth = bind_new_renderbuffer(GL_DEPTH_COMPONENT24, SIZE, SIZE);
   bind_new_framebuffer(target);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
   glViewport(0, 0, SIZE, SIZE);
   glEnable(GL_DEPTH_TEST);
   const GLuint rows = bind_storage(0, zeros, SIZE * 4), where = bind_storage(1, zeros, sizeof zeros);
   const GLuint counter = create_buffer(GL_ATOMIC_COUNTER_BUFFER, zeros, 4);
   glBindBufferBase(GL_ATOMIC_COUNTER_BUFFER, 0, counter);
   const GLuint program =
      build_versioned_program(VERSION,
                              "in vec2 position; uniform float z;\n"
                              "void main() { gl_Position = vec4(position, z, 1.0); }\n",
                              "layout(std430, binding = 0) buffer Rows { uint rows[]; };\n"
                              "layout(std430, binding = 1) buffer Where { uint where[]; };\n"
                              "layout(binding = 0) uniform atomic_uint counter;\n"
                              "out vec4 color;\n"
                              "void main() {\n"
                              "   ivec2 at = ivec2(gl_FragCoord.xy);\n"
                              "   atomicAdd(rows[at.y], 1u);\n"
                              "   where[at.y * 64 + at.x] += uint(at.x) + 1u;\n"
                              "   atomicCounterIncrement(counter);\n"
                              "   color = vec4(1.0);\n"
                              "}\n");
   static const float corners[] = {-1, -1, 1, -1, -1, 1, 1, 1};
   create_buffer(GL_ARRAY_BUFFER, corners, sizeof corners);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glUseProgram(program);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glUniform1f(glGetUniformLocation(program, "z"), 0.5f);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
   glUniform1f(glGetUniformLocation(program, "z"), 0.0f);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   const uint32_t *row = map(rows, SIZE * 4);
   for (unsigned y = 0; y < SIZE; y++)
      holds(row[y] == 2 * SIZE, "fragments: row %u has %u", y, row[y]);
   const uint32_t *sums = map(where, sizeof zeros);
   for (unsigned i = 0; i < SIZE * SIZE; i++)
      holds(sums[i] == 2 * (i % SIZE + 1), "fragments: pixel %u has %u", i, sums[i]);
   glBindBuffer(GL_ATOMIC_COUNTER_BUFFER, counter);
   const uint32_t *count = glMapBufferRange(GL_ATOMIC_COUNTER_BUFFER, 0, 4, GL_MAP_READ_BIT);
   holds(*count == 2 * SIZE * SIZE, "fragments: the counter is %u", *count);
}

/* Fragments that load their colour, and others that hide them and do the same. */
static void
hidden(void)
{
   enum { SIZE = 64 };
   static float colors[SIZE * SIZE][4];
   static uint8_t pixels[SIZE * SIZE][4];
   static const float corners[] = {-1, -1, 1, -1, -1, 1, 1, 1};
   GLuint buffers[2];
   for (unsigned i = 0; i < SIZE * SIZE; i++)
      memcpy(colors[i], (float[]){(float)(i % SIZE) / 255.0f, (float)(i / SIZE) / 255.0f, 0.0f, 1.0f},
             sizeof colors[i]);
   glGenRenderbuffers(2, buffers);
   bind_new_framebuffer(0);
   for (unsigned i = 0; i < 2; i++) {
      glBindRenderbuffer(GL_RENDERBUFFER, buffers[i]);
      glRenderbufferStorage(GL_RENDERBUFFER, i ? GL_DEPTH_COMPONENT24 : GL_RGBA8, SIZE, SIZE);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, i ? GL_DEPTH_ATTACHMENT : GL_COLOR_ATTACHMENT0,
                                GL_RENDERBUFFER, buffers[i]);
   }
   glViewport(0, 0, SIZE, SIZE);
   glEnable(GL_DEPTH_TEST);
   bind_storage(0, colors, sizeof colors);
   const GLuint program =
      build_versioned_program(VERSION,
                              "in vec2 position; uniform float z;\n"
                              "void main() { gl_Position = vec4(position, z, 1.0); }\n",
                              "layout(std430, binding = 0) readonly buffer Colors { vec4 colors[]; };\n"
                              "out vec4 color;\n"
                              "void main() {\n"
                              "   ivec2 at = ivec2(gl_FragCoord.xy);\n"
                              "   color = colors[at.y * 64 + at.x];\n"
                              "}\n");
   create_buffer(GL_ARRAY_BUFFER, corners, sizeof corners);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glUseProgram(program);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   for (unsigned i = 0; i < 2; i++) {
      glUniform1f(glGetUniformLocation(program, "z"), i ? 0.0f : 0.5f);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   }
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * SIZE; i++)
      holds(pixels[i][0] == i % SIZE && pixels[i][1] == i / SIZE, "hidden: pixel %u is %u, %u", i,
            pixels[i][0], pixels[i][1]);
}

/* Vertices and fragments count themselves in a pass that is cleared before it ends. */
static void
cleared(void)
{
   enum { SIZE = 16 };
   static const uint32_t zeros[2];
   static const float corners[] = {-1, -1, 1, -1, -1, 1, 1, 1};
   bind_new_framebuffer(bind_new_image(GL_RGBA8, SIZE, SIZE));
   glViewport(0, 0, SIZE, SIZE);
   glDisable(GL_DEPTH_TEST);
   const GLuint counts = bind_storage(0, zeros, sizeof zeros);
   glUseProgram(build_versioned_program(VERSION,
                                        "layout(std430, binding = 0) buffer Counts { uint counts[]; };\n"
                                        "in vec2 position;\n"
                                        "void main() {\n"
                                        "   atomicAdd(counts[0], 1u);\n"
                                        "   gl_Position = vec4(position, 0.0, 1.0);\n"
                                        "}\n",
                                        "layout(std430, binding = 0) buffer Counts { uint counts[]; };\n"
                                        "out vec4 color;\n"
                                        "void main() {\n"
                                        "   atomicAdd(counts[1], 1u);\n"
                                        "   color = vec4(1.0);\n"
                                        "}\n"));
   create_buffer(GL_ARRAY_BUFFER, corners, sizeof corners);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   glClear(GL_COLOR_BUFFER_BIT);
   const uint32_t *count = map(counts, sizeof zeros);
   holds(count[0] == 4 && count[1] == SIZE * SIZE, "cleared: %u vertices, %u fragments", count[0], count[1]);
}

/* Each invocation adds a number at a known place of a uniform block and a word at a computed one. */
static void
uniforms(void)
{
   enum { INVOCATIONS = 256, TABLE = 64 };
   static uint32_t block[4 + TABLE * 4];
   block[0] = 1000;
   for (unsigned i = 0; i < TABLE * 4; i++)
      block[4 + i] = i * i;
   const GLuint to = bind_storage(0, NULL, INVOCATIONS * 4);
   glBindBufferBase(GL_UNIFORM_BUFFER, 1, create_buffer(GL_UNIFORM_BUFFER, block, sizeof block));
   glUseProgram(build_compute("layout(local_size_x = 64) in;\n"
                              "layout(std140, binding = 1) uniform Block { uint base; uvec4 table[64]; };\n"
                              "layout(std430, binding = 0) writeonly buffer To { uint to[]; };\n"
                              "void main() {\n"
                              "   uint n = gl_GlobalInvocationID.x;\n"
                              "   to[n] = base + table[(n * 5u) & 63u].z;\n"
                              "}\n"));
   glDispatchCompute(INVOCATIONS / 64, 1, 1);
   const uint32_t *words = map(to, INVOCATIONS * 4);
   for (uint32_t n = 0; n < INVOCATIONS; n++) {
      const uint32_t at = (n * 5 % TABLE) * 4 + 2;
      holds(words[n] == 1000 + at * at, "uniforms: word %u is %u", n, words[n]);
   }
}

/* ---- main ----------------------------------------------------------------- */

int
main(int argc, char **argv)
{
   static const struct {
      const char *name;
      void (*run)(void);
   } cases[] = {
      {"copy", copy},     {"indirect", indirect}, {"reduction", reduction}, {"stencil", stencil},
      {"matrix", matrix}, {"atomics", atomics},   {"images", images},       {"fragments", fragments},
      {"hidden", hidden}, {"uniforms", uniforms}, {"cleared", cleared},
   };
   struct egl egl = egl_open_context((struct surface_request){.kind = SURFACELESS}, false, 3, 1);
   for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
      if (argc > 1 && strcmp(argv[1], cases[c].name) != 0)
         continue;
      cases[c].run();
      holds(glGetError() == GL_NO_ERROR, "%s: an error of OpenGL", cases[c].name);
   }
   egl_close(&egl);
   return check_status();
}
