/* SPDX-License-Identifier: MIT */
/* ARB_shader_group_vote and ARB_shader_ballot: quads of fragments, helper invocations among them, and four successive invocations
 * of a work-group vote together, whatever else shares a vector with them; in other stages an invocation votes alone. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdint.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define SIZE 64
#define INVOCATIONS 22 /* of a work-group: the last sub-group has two */
#define VERSION                                      \
   "#version 450\n"                                  \
   "#extension GL_ARB_gpu_shader_int64 : require\n"  \
   "#extension GL_ARB_shader_group_vote : require\n" \
   "#extension GL_ARB_shader_ballot : require\n"

/* What an invocation finds out by a condition, and a number of its own. */
#define ASK                                                                                               \
   "uvec4 ask(bool condition, uint number)\n"                                                             \
   "{\n"                                                                                                  \
   "   uint votes = uint(anyInvocationARB(condition)) | uint(allInvocationsARB(condition)) << 1 | "       \
   "uint(allInvocationsEqualARB(condition)) << 2;\n"                                                      \
   "   uint64_t one = 1ul << gl_SubGroupInvocationARB, all = (1ul << gl_SubGroupSizeARB) - 1ul;\n"        \
   "   bool masks = gl_SubGroupEqMaskARB == one && gl_SubGroupLtMaskARB == one - 1ul &&\n"                \
   "                gl_SubGroupLeMaskARB == (one | (one - 1ul)) &&\n"                                     \
   "                gl_SubGroupGeMaskARB == (all & ~(one - 1ul)) &&\n"                                    \
   "                gl_SubGroupGtMaskARB == (all & ~(one | (one - 1ul)));\n"                              \
   "   votes |= uint(masks) << 3;\n"                                                                      \
   "   return uvec4(uint(ballotARB(condition)), votes, gl_SubGroupSizeARB << 8 | "                        \
   "gl_SubGroupInvocationARB,\n"                                                                          \
   "                readFirstInvocationARB(number) << 16 | readInvocationARB(uvec2(0, number), 2u).y);\n" \
   "}\n"

static const char vertex_source[] = VERSION
   "void main() { gl_Position = vec4(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 2 : -1, 0, 1); }\n";
/* In half of a quad: who else takes the branch. With discards: who is left. */
static const char fragment_source[] =
   VERSION ASK "uniform int part;\n"
               "out uvec4 color;\n"
               "void main()\n"
               "{\n"
               "   ivec2 at = ivec2(gl_FragCoord.xy);\n"
               "   uint number = uint(at.x + 64 * at.y);\n"
               "   bool condition = (at.x * 3 + at.y * 5 + (at.x >> 1)) % 4 < 2;\n"
               "   if (part == 1 && (at.x >> 1) % 2 == 0 && at.y % 2 == 0 && at.x % 2 == 0)\n"
               "      discard;\n"
               "   if (part == 2 && (at.x + at.y) % 2 == 0)\n"
               "      color = ask(!condition, number);\n"
               "   else\n"
               "      color = ask(condition, number);\n"
               "}\n";

struct answer {
   uint32_t ballot, votes, place, read;
};

static bool
condition_of(unsigned x, unsigned y)
{
   return (x * 3 + y * 5 + (x >> 1)) % 4 < 2;
}

/* Of a sub-group: which of its invocations ask together, and what each says. */
static void
check_answer(const char *what, const struct answer *found, unsigned place, unsigned active,
             unsigned conditions, const unsigned numbers[4])
{
   const unsigned ballot = active & conditions;
   const unsigned first = (unsigned)__builtin_ctz(active);
   const unsigned votes = (ballot != 0) | (unsigned)(ballot == active) << 1 |
                          (unsigned)(ballot == active || !ballot) << 2 | 1 << 3;
   holds(found->ballot == ballot && found->votes == votes && found->place == (4 << 8 | place),
         "%s: ballot %x, votes %x of %x, not %x and %x of %x", what, found->ballot, found->votes,
         found->place, ballot, votes, 4 << 8 | place);
   holds(found->read >> 16 == numbers[first], "%s: the first says %u, not %u", what, found->read >> 16,
         numbers[first]);
   holds(!(active >> 2 & 1) || (found->read & 0xffff) == numbers[2], "%s: the third says %u, not %u", what,
         found->read & 0xffff, numbers[2]);
}

static void
test_fragments(void)
{
   static struct answer found[SIZE][SIZE];
   static const char *const names[] = {"quads", "quads with discards", "quads in branches"};
   bind_new_framebuffer(bind_new_image(GL_RGBA32UI, SIZE, SIZE));
   glViewport(0, 0, SIZE, SIZE);
   const GLuint program = build_program(vertex_source, fragment_source);
   glUseProgram(program);
   for (unsigned part = 0; part < COUNT_OF(names); part++) {
      unsigned drawn = 0;
      glClearBufferuiv(GL_COLOR, 0, (const GLuint[4]){0});
      glUniform1i(glGetUniformLocation(program, "part"), (GLint)part);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      glReadPixels(0, 0, SIZE, SIZE, GL_RGBA_INTEGER, GL_UNSIGNED_INT, found);
      for (unsigned n = 0; n < SIZE * SIZE; n++) {
         const unsigned x = n % SIZE, y = n / SIZE, left = x & ~1u, low = y & ~1u;
         if (!found[y][x].place)
            continue;
         unsigned active = 15, conditions = 0, numbers[4];
         for (unsigned i = 0; i < 4; i++) {
            const unsigned at_x = left + (i & 1), at_y = low + (i >> 1);
            conditions |= (unsigned)condition_of(at_x, at_y) << i;
            numbers[i] = at_x + 64 * at_y;
         }
         if (part == 1 && left / 2 % 2 == 0)
            active = 14;
         if (part == 2) {
            active = (x + y) % 2 == 0 ? 9 : 6;
            conditions ^= (x + y) % 2 == 0 ? 15 : 0;
         }
         check_answer(names[part], &found[y][x], (y & 1) * 2 + (x & 1), active, conditions, numbers);
         drawn++;
      }
      holds(drawn > SIZE * SIZE / 3 && drawn < SIZE * SIZE, "%s: %u are drawn", names[part], drawn);
   }
}

static GLuint
create_storage(size_t bytes)
{
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
   glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)bytes, NULL, GL_DYNAMIC_COPY);
   return buffer;
}

static const struct answer *
map_storage(void)
{
   glMemoryBarrier(GL_ALL_BARRIER_BITS);
   const void *answers = glMapBuffer(GL_SHADER_STORAGE_BUFFER, GL_READ_ONLY);
   require(answers != NULL, "a buffer cannot be mapped");
   return answers;
}

#define ANSWERS "layout(std430, binding = 0) buffer Answers { uvec4 answers[]; };\n"

static void
test_work_groups(void)
{
   const GLuint program = glCreateProgram();
   const GLuint shader =
      compile_shader(GL_COMPUTE_SHADER, VERSION,
                     ANSWERS ASK "layout(local_size_x = 11, local_size_y = 2) in;\n"
                                 "void main()\n"
                                 "{\n"
                                 "   uint i = gl_LocalInvocationIndex;\n"
                                 "   answers[gl_WorkGroupID.x * 22 + i] = ask(i % 5 < 2, i + 1);\n"
                                 "}\n");
   glAttachShader(program, shader);
   glLinkProgram(program);
   glUseProgram(program);
   create_storage(3 * INVOCATIONS * sizeof(struct answer));
   glDispatchCompute(3, 1, 1);
   const struct answer *answers = map_storage();
   for (unsigned n = 0; n < 3 * INVOCATIONS; n++) {
      const unsigned i = n % INVOCATIONS, begin = i & ~3u;
      unsigned active = 0, conditions = 0, numbers[4];
      for (unsigned k = 0; k < 4; k++) {
         active |= (unsigned)(begin + k < INVOCATIONS) << k;
         conditions |= (unsigned)((begin + k) % 5 < 2) << k;
         numbers[k] = begin + k + 1;
      }
      check_answer("work-groups", &answers[n], i & 3, active, conditions, numbers);
   }
   glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
}

/* Each of 40 vertices, and of 40 geometry shaders. */
static void
test_vertices(void)
{
   const GLuint program = glCreateProgram();
   glAttachShader(program, compile_shader(GL_VERTEX_SHADER, VERSION,
                                          ANSWERS ASK "flat out uint number;\n"
                                                      "void main()\n"
                                                      "{\n"
                                                      "   number = uint(gl_VertexID);\n"
                                                      "   answers[number] = ask(number % 3 == 0, number);\n"
                                                      "   gl_Position = vec4(0, 0, 0, 1);\n"
                                                      "}\n"));
   glAttachShader(
      program,
      compile_shader(GL_GEOMETRY_SHADER, VERSION,
                     ANSWERS ASK
                     "layout(points) in;\n"
                     "layout(points, max_vertices = 1) out;\n"
                     "flat in uint number[];\n"
                     "void main() { answers[40 + number[0]] = ask(number[0] % 3 == 0, number[0]); }\n"));
   glLinkProgram(program);
   glUseProgram(program);
   create_storage(80 * sizeof(struct answer));
   glEnable(GL_RASTERIZER_DISCARD);
   glDrawArrays(GL_POINTS, 0, 40);
   glDisable(GL_RASTERIZER_DISCARD);
   const struct answer *answers = map_storage();
   for (unsigned n = 0; n < 80; n++) {
      const unsigned numbers[4] = {n % 40};
      check_answer(n < 40 ? "vertices" : "geometry", &answers[n], 0, 1, n % 40 % 3 == 0, numbers);
      holds((answers[n].read & 0xffff) == n % 40, "an invocation that is alone reads from another");
   }
   glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
}

int
main(void)
{
   struct egl egl = egl_open_context((struct surface_request){SURFACELESS}, true, 4, 5);
   require(has_extension("GL_ARB_shader_group_vote") && has_extension("GL_ARB_shader_ballot"),
           "there are no votes and ballots");
   bind_new_vertex_array();
   test_fragments();
   test_work_groups();
   test_vertices();
   require(glGetError() == GL_NO_ERROR, "an error of OpenGL");
   egl_close(&egl);
   return check_status();
}
