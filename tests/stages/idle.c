/* SPDX-License-Identifier: MIT */
/* idle CASE: draws with a stage whose shader does nothing, under all queries that count what stages do. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define SIZE 32
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define VERSION "#version 450\n"

/* Triangles that cover the window. */
#define COVERING                                                      \
   "out vec4 value;\n"                                                \
   "void main() {\n"                                                  \
   "   int i = gl_VertexID % 3;\n"                                    \
   "   value = vec4(i);\n"                                            \
   "   gl_Position = vec4(i == 1 ? 3 : -1, i == 2 ? 3 : -1, 0, 1);\n" \
   "}\n"
#define NOTHING "void main() {}\n"
#define WHITE "out vec4 color;\nvoid main() { color = vec4(1); }\n"
/* Of a patch one triangle. */
#define CONTROL                                                                     \
   "layout(vertices = 3) out;\n"                                                    \
   "void main() {\n"                                                                \
   "   gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n" \
   "   gl_TessLevelInner[0] = 1;\n"                                                 \
   "   for (int i = 0; i < 3; i++)\n"                                               \
   "      gl_TessLevelOuter[i] = 1;\n"                                              \
   "}\n"
#define EVALUATION                                                                                     \
   "layout(triangles) in;\n"                                                                           \
   "void main() {\n"                                                                                   \
   "   gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position + " \
   "gl_TessCoord.z * gl_in[2].gl_Position;\n"                                                          \
   "}\n"
#define ANY (~0u) /* what is not defined */

enum counter {
   VERTICES,
   PRIMITIVES,
   VERTEX_INVOCATIONS,
   PATCHES,
   EVALUATIONS,
   GEOMETRY_INVOCATIONS,
   EMITTED,
   CLIPPED_IN,
   FRAGMENTS,
   SAMPLES,
   COMPUTED,
   GENERATED, /* of the case's stream */
   WRITTEN,
   NUM_COUNTERS,
};

static const GLenum targets[NUM_COUNTERS] = {
   [VERTICES] = GL_VERTICES_SUBMITTED_ARB,
   [PRIMITIVES] = GL_PRIMITIVES_SUBMITTED_ARB,
   [VERTEX_INVOCATIONS] = GL_VERTEX_SHADER_INVOCATIONS_ARB,
   [PATCHES] = GL_TESS_CONTROL_SHADER_PATCHES_ARB,
   [EVALUATIONS] = GL_TESS_EVALUATION_SHADER_INVOCATIONS_ARB,
   [GEOMETRY_INVOCATIONS] = GL_GEOMETRY_SHADER_INVOCATIONS,
   [EMITTED] = GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED_ARB,
   [CLIPPED_IN] = GL_CLIPPING_INPUT_PRIMITIVES_ARB,
   [FRAGMENTS] = GL_FRAGMENT_SHADER_INVOCATIONS_ARB,
   [SAMPLES] = GL_SAMPLES_PASSED,
   [COMPUTED] = GL_COMPUTE_SHADER_INVOCATIONS_ARB,
   [GENERATED] = GL_PRIMITIVES_GENERATED,
   [WRITTEN] = GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN,
};

struct test {
   const char *name;
   const char *vertex, *control, *evaluation, *geometry, *fragment, *compute;
   GLenum mode;
   unsigned count;                  /* vertices; of compute shaders groups */
   GLenum captured;                 /* primitives of transform feedback */
   const char *varying;             /* that is captured; NULL: none */
   unsigned stream;                 /* whose primitives are counted */
   unsigned expected[NUM_COUNTERS]; /* but for the vertices and their shader's invocations: those drawn */
};

static const struct test tests[] = {
   {.name = "vertex",
    .vertex = NOTHING,
    .fragment = WHITE,
    .mode = GL_TRIANGLES,
    .count = 9,
    .expected = {[PRIMITIVES] = 3, [CLIPPED_IN] = 3, [GENERATED] = 3}},
   {.name = "vertex_captured",
    .vertex = "out vec4 value;\nvoid main() { value = vec4(gl_VertexID); }\n",
    .fragment = WHITE,
    .mode = GL_TRIANGLES,
    .count = 9,
    .captured = GL_TRIANGLES,
    .varying = "value",
    .expected = {[PRIMITIVES] = 3, [CLIPPED_IN] = 3, [GENERATED] = 3, [WRITTEN] = 3}},
   /* The levels of its patches are not defined. */
   {.name = "control",
    .vertex = COVERING,
    .control = "layout(vertices = 3) out;\n" NOTHING,
    .evaluation = EVALUATION,
    .fragment = WHITE,
    .mode = GL_PATCHES,
    .count = 9,
    .expected = {[PRIMITIVES] = 3,
                 [PATCHES] = 3,
                 [EVALUATIONS] = ANY,
                 [CLIPPED_IN] = ANY,
                 [FRAGMENTS] = ANY,
                 [SAMPLES] = ANY,
                 [GENERATED] = ANY}},
   {.name = "evaluation",
    .vertex = COVERING,
    .control = CONTROL,
    .evaluation = "layout(triangles) in;\n" NOTHING,
    .fragment = WHITE,
    .mode = GL_PATCHES,
    .count = 9,
    .expected = {[PRIMITIVES] = 3, [PATCHES] = 3, [EVALUATIONS] = 9, [CLIPPED_IN] = 3, [GENERATED] = 3}},
   {.name = "geometry_points",
    .vertex = COVERING,
    .geometry = "layout(points) in;\nlayout(points, max_vertices = 1) out;\n" NOTHING,
    .fragment = WHITE,
    .mode = GL_POINTS,
    .count = 10,
    .expected = {[PRIMITIVES] = 10, [GEOMETRY_INVOCATIONS] = 10}},
   {.name = "geometry_adjacency",
    .vertex = COVERING,
    .geometry = "layout(lines_adjacency) in;\nlayout(line_strip, max_vertices = 7) out;\n" NOTHING,
    .fragment = WHITE,
    .mode = GL_LINES_ADJACENCY,
    .count = 20,
    .expected = {[PRIMITIVES] = 5, [GEOMETRY_INVOCATIONS] = 5}},
   {.name = "geometry_twice",
    .vertex = COVERING,
    .geometry =
       "layout(triangles, invocations = 2) in;\nlayout(triangle_strip, max_vertices = 3) out;\n" NOTHING,
    .fragment = WHITE,
    .mode = GL_TRIANGLES,
    .count = 9,
    .expected = {[PRIMITIVES] = 3, [GEOMETRY_INVOCATIONS] = 6}},
   {.name = "geometry_captured",
    .vertex = COVERING,
    .geometry = "layout(triangles) in;\n"
                "layout(points, max_vertices = 1) out;\n"
                "out vec4 kept;\n"
                "void main() { kept = vec4(1); }\n",
    .fragment = WHITE,
    .mode = GL_TRIANGLES,
    .count = 9,
    .captured = GL_POINTS,
    .varying = "kept",
    .expected = {[PRIMITIVES] = 3, [GEOMETRY_INVOCATIONS] = 3}},
   {.name = "geometry_ends",
    .vertex = COVERING,
    .geometry = "layout(triangles) in;\n"
                "layout(triangle_strip, max_vertices = 3) out;\n"
                "void main() { EndPrimitive(); EndPrimitive(); }\n",
    .fragment = WHITE,
    .mode = GL_TRIANGLES,
    .count = 9,
    .expected = {[PRIMITIVES] = 3, [GEOMETRY_INVOCATIONS] = 3}},
   {.name = "geometry_stream",
    .vertex = COVERING,
    .geometry = "layout(points) in;\n"
                "layout(points, max_vertices = 2) out;\n"
                "layout(stream = 2) out vec4 kept;\n"
                "void main() { kept = vec4(1); EmitStreamVertex(2); }\n",
    .fragment = WHITE,
    .mode = GL_POINTS,
    .count = 6,
    .stream = 2,
    .expected = {[PRIMITIVES] = 6, [GEOMETRY_INVOCATIONS] = 6, [EMITTED] = 6, [GENERATED] = 6}},
   {.name = "geometry_stream_captured",
    .vertex = COVERING,
    .geometry = "layout(points) in;\n"
                "layout(points, max_vertices = 2) out;\n"
                "layout(stream = 2) out vec4 kept;\n"
                "void main() { kept = vec4(1); EmitStreamVertex(2); EmitStreamVertex(2); }\n",
    .fragment = WHITE,
    .mode = GL_POINTS,
    .count = 6,
    .captured = GL_POINTS,
    .varying = "kept",
    .stream = 2,
    .expected =
       {[PRIMITIVES] = 6, [GEOMETRY_INVOCATIONS] = 6, [EMITTED] = 12, [GENERATED] = 12, [WRITTEN] = 12}},
   {.name = "tessellation_and_geometry",
    .vertex = NOTHING,
    .control = "layout(vertices = 3) out;\n"
               "void main() {\n"
               "   gl_TessLevelInner[0] = 1;\n"
               "   for (int i = 0; i < 3; i++)\n"
               "      gl_TessLevelOuter[i] = 1;\n"
               "}\n",
    .evaluation = "layout(triangles) in;\n" NOTHING,
    .geometry = "layout(triangles) in;\nlayout(points, max_vertices = 1) out;\n" NOTHING,
    .fragment = NOTHING,
    .mode = GL_PATCHES,
    .count = 9,
    .expected = {[PRIMITIVES] = 3, [PATCHES] = 3, [EVALUATIONS] = 9, [GEOMETRY_INVOCATIONS] = 3}},
   /* It need not run. */
   {.name = "fragment",
    .vertex = COVERING,
    .fragment = NOTHING,
    .mode = GL_TRIANGLES,
    .count = 9,
    .expected =
       {[PRIMITIVES] = 3, [CLIPPED_IN] = 3, [FRAGMENTS] = ANY, [SAMPLES] = 3 * SIZE * SIZE, [GENERATED] = 3}},
   {.name = "compute",
    .compute = "layout(local_size_x = 5) in;\n" NOTHING,
    .count = 4,
    .expected = {[COMPUTED] = 20}},
};

static void
use_program(const struct test *test)
{
   const struct {
      GLenum stage;
      const char *source;
   } stages[] = {
      {GL_VERTEX_SHADER, test->vertex},
      {GL_TESS_CONTROL_SHADER, test->control},
      {GL_TESS_EVALUATION_SHADER, test->evaluation},
      {GL_GEOMETRY_SHADER, test->geometry},
      {GL_FRAGMENT_SHADER, test->fragment},
      {GL_COMPUTE_SHADER, test->compute},
   };
   GLint linked;
   char log[500] = "";
   const GLuint program = glCreateProgram();
   for (unsigned i = 0; i < COUNT_OF(stages); i++) {
      if (stages[i].source)
         glAttachShader(program, compile_shader(stages[i].stage, VERSION, stages[i].source));
   }
   if (test->varying)
      glTransformFeedbackVaryings(program, 1, &test->varying, GL_INTERLEAVED_ATTRIBS);
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   glGetProgramInfoLog(program, sizeof log, NULL, log);
   require(linked, "%s: does not link: %s", test->name, log);
   glUseProgram(program);
}

static void
draw(const struct test *test)
{
   if (test->compute) {
      glDispatchCompute(test->count, 1, 1);
      return;
   }
   if (test->varying) {
      GLuint buffer;
      glGenBuffers(1, &buffer);
      glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
      glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, 4096, NULL, GL_STREAM_READ);
      glBeginTransformFeedback(test->captured);
   }
   glDrawArrays(test->mode, 0, (GLsizei)test->count);
   if (test->varying)
      glEndTransformFeedback();
}

static unsigned
expected_of(const struct test *test, enum counter counter)
{
   const bool of_vertices = counter == VERTICES || counter == VERTEX_INVOCATIONS;
   return of_vertices && !test->compute ? test->count : test->expected[counter];
}

static void
run(const struct test *test)
{
   GLuint queries[NUM_COUNTERS], found;
   bind_new_vertex_array();
   glGenQueries(NUM_COUNTERS, queries);
   glPatchParameteri(GL_PATCH_VERTICES, 3);
   use_program(test);
   for (unsigned i = 0; i < NUM_COUNTERS; i++)
      glBeginQueryIndexed(targets[i], i == GENERATED || i == WRITTEN ? test->stream : 0, queries[i]);
   draw(test);
   for (unsigned i = 0; i < NUM_COUNTERS; i++)
      glEndQueryIndexed(targets[i], i == GENERATED || i == WRITTEN ? test->stream : 0);
   for (unsigned i = 0; i < NUM_COUNTERS; i++) {
      const unsigned expected = expected_of(test, i);
      glGetQueryObjectuiv(queries[i], GL_QUERY_RESULT, &found);
      holds(expected == ANY || found == expected, "%s: query 0x%04x is %u, not %u", test->name, targets[i],
            found, expected);
   }
   /* Once more without them. */
   draw(test);
   glFinish();
   require(glGetError() == GL_NO_ERROR, "%s: an error of OpenGL", test->name);
}

int
main(int argc, char **argv)
{
   egl_open_context((struct surface_request){SURFACELESS_PBUFFER, SIZE, SIZE, .depth = false}, true, 4, 5);
   require(has_extension("GL_ARB_pipeline_statistics_query"), "there is no GL_ARB_pipeline_statistics_query");
   for (unsigned i = 0; i < COUNT_OF(tests); i++) {
      if (argc == 2 && !strcmp(argv[1], tests[i].name)) {
         run(&tests[i]);
         return check_status();
      }
   }
   stop("usage: idle CASE");
}
