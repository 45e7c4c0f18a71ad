/* SPDX-License-Identifier: MIT */
/* control_flow CASE P Q: a shader with control flow, which P and Q are constants of. Fragment shaders run for 32 x 32 quads of one
 * primitive, others as their case says. Where the shader counts itself how often it went
 * somewhere, the program prints what it counted: a line per quad, vertex or four invocations. */
#include <GLES3/gl31.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define SIZE 64
#define POINTS 50
#define GROUPS 4
#define INVOCATIONS 40 /* of a work-group */

enum kind { FRAGMENT, VERTEX, COMPUTE };

struct test {
   const char *name;
   enum kind kind;
   const char *
      body; /* in: x, y, or n, the vertex' or invocation's number; out: counted, color, to keep what is computed */
};

static const struct test tests[] = {
   /* A loop whose number of iterations is constant: a short one is unrolled. */
   {"loop", FRAGMENT, "for (int i = 0; i < P; i++) color = color * color + bias;\n"},
   /* The same of a number that is not known. */
   {"loop_unknown", FRAGMENT, "for (int i = 0; i < p; i++) color = color * color + bias;\n"},
   {"loop_per_pixel", FRAGMENT,
    "int end = P + x + 2 * y;\n"
    "for (int i = 0; i < end; i++) { color = color * color + bias; counted++; }\n"},
   {"nested", FRAGMENT,
    "for (int i = 0; i < p; i++) {\n"
    "   for (int j = 0; j < q; j++) color = color * color + bias;\n"
    "   color = color + bias;\n"
    "}\n"},
   /* The inner one depends on the outer one's iteration and the pixel; `break` and `continue`. */
   {"nested_per_pixel", FRAGMENT,
    "int end = x / 4, skipped = y % 5, more = y % 3;\n"
    "for (int i = 0; i < end; i++) {\n"
    "   if (i == skipped) continue;\n"
    "   int last = i + more;\n"
    "   for (int j = 0; j < p; j++) { if (j > last) break; color = color * color + bias; counted++; }\n"
    "}\n"},
   /* Pixels to the left of column p take a side; loops are not made selections of. */
   {"branch", FRAGMENT, "if (x < p) { color = twice(color, q); counted++; }\n"},
   {"both_sides", FRAGMENT,
    "if (x < p) color = twice(color, q); else color = twice(twice(color.yxwz, q), q);\n"},
   {"discard", FRAGMENT, "if (x < p) discard;\ncolor = sin(color);\n"},
   {"early_return", FRAGMENT, "if (x < p) return;\ncolor = twice(color, q);\n"},
   {"function", FRAGMENT, "color = twice(color, p) + twice(color.yxwz, q);\n"},
   {"vertex", VERTEX,
    "int end = P + 3 * n;\n"
    "for (int i = 0; i < end; i++) { value = value * value + bias; counted++; }\n"},
   {"compute", COMPUTE,
    "int end = P + n % 7;\n"
    "for (int i = 0; i < end; i++) { value = value * value + bias; counted++; }\n"
    "barrier();\n"
    "if (n < q) value = twice(value, p);\n"},
};

/* ---- sources ------------------------------------------------------------------ */

#define HEAD                                       \
   "#version 310 es\n"                             \
   "precision highp float; precision highp int;\n" \
   "#define P %d\n#define Q %d\n"                  \
   "uniform vec4 bias; uniform int p, q;\n"        \
   "vec4 twice(vec4 v, int n) { for (int i = 0; i < n; i++) v = v * v + bias; return v; }\n"

static const char *
source(const char *before, const struct test *test, const char *after, int p, int q)
{
   static char text[8192];
   int length = snprintf(text, sizeof text, HEAD, p, q);
   length += snprintf(text + length, sizeof text - (size_t)length, "%s%s%s", before, test->body, after);
   require((size_t)length < sizeof text, "a source is too long");
   return text;
}

static void
set_uniforms(GLuint program, int p, int q)
{
   glUseProgram(program);
   glUniform4f(glGetUniformLocation(program, "bias"), 0.1f, 0.2f, 0.3f, 0.4f);
   glUniform1i(glGetUniformLocation(program, "p"), p);
   glUniform1i(glGetUniformLocation(program, "q"), q);
}

/* ---- stages --------------------------------------------------------------------- */

/* One point as large as the framebuffer. */
static void
draw_fragments(const struct test *test, int p, int q)
{
   static uint8_t pixels[SIZE][SIZE][4];
   const GLuint vertex =
      compile_shader(GL_VERTEX_SHADER, "#version 310 es\n",
                     "void main() { gl_Position = vec4(0, 0, 0, 1); gl_PointSize = 64.0; }\n");
   const GLuint fragment =
      compile_shader(GL_FRAGMENT_SHADER, "",
                     source("layout(location = 0) out vec4 result;\n"
                            "int counted = 0; vec4 color;\n"
                            "void run() {\n"
                            "int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y);\n",
                            test,
                            "}\n"
                            "void main() {\n"
                            "   color = bias + gl_FragCoord;\n"
                            "   run();\n"
                            "   int kept = color.x + color.y + color.z + color.w == 12345.0 ? 1 : 0;\n"
                            "   result = vec4(counted & 255, counted >> 8, kept, 255) / 255.0;\n"
                            "}\n",
                            p, q));
   bind_new_framebuffer(bind_new_image(GL_RGBA8, SIZE, SIZE));
   bind_new_vertex_array();
   glViewport(0, 0, SIZE, SIZE);
   set_uniforms(link_shaders(vertex, fragment), p, q);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(GL_POINTS, 0, 1);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned y = 0; y < SIZE; y += 2) {
      for (unsigned x = 0; x < SIZE; x += 2) {
         for (unsigned i = 0; i < 4; i++) {
            const uint8_t *pixel = pixels[y + i / 2][x + i % 2];
            printf("%s%d%s", i ? " " : "counted ", pixel[0] | pixel[1] << 8, i < 3 ? "" : "\n");
         }
      }
   }
}

/* Points without fragments: each vertex is shaded once, and what it counted captured. */
static void
draw_vertices(const struct test *test, int p, int q)
{
   static const char *const captured[] = {"result"};
   const GLuint vertex = compile_shader(
      GL_VERTEX_SHADER, "",
      source("flat out ivec2 result;\n"
             "void main() {\n"
             "   int n = gl_VertexID, counted = 0;\n"
             "   vec4 value = bias + float(n);\n",
             test,
             "   result = ivec2(counted, value.x + value.y + value.z + value.w == 12345.0 ? 1 : 0);\n"
             "   gl_Position = vec4(0, 0, 0, 1); gl_PointSize = 1.0;\n"
             "}\n",
             p, q));
   const GLuint fragment =
      compile_shader(GL_FRAGMENT_SHADER, "#version 310 es\n", "precision mediump float;\nvoid main() {}\n");
   const GLuint program = glCreateProgram();
   GLint linked;
   glAttachShader(program, vertex);
   glAttachShader(program, fragment);
   glTransformFeedbackVaryings(program, 1, captured, GL_INTERLEAVED_ATTRIBS);
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   require(linked, "the program does not link");
   set_uniforms(program, p, q);
   bind_new_framebuffer(bind_new_image(GL_RGBA8, SIZE, SIZE));
   bind_new_vertex_array();
   const GLuint buffer = create_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, NULL, POINTS * 8);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
   glBeginTransformFeedback(GL_POINTS);
   glDrawArrays(GL_POINTS, 0, POINTS);
   glEndTransformFeedback();
   const int32_t *words = glMapBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, POINTS * 8, GL_MAP_READ_BIT);
   require(words, "a buffer cannot be mapped");
   for (unsigned n = 0; n < POINTS; n++)
      printf("counted %d\n", words[2 * n]);
}

static void
dispatch(const struct test *test, int p, int q)
{
   const GLuint buffer = create_buffer(GL_SHADER_STORAGE_BUFFER, NULL, GROUPS * INVOCATIONS * 8);
   glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
   const GLuint shader =
      compile_shader(GL_COMPUTE_SHADER, "",
                     source("layout(local_size_x = 40) in;\n"
                            "layout(std430, binding = 0) buffer Results { ivec2 results[]; };\n"
                            "void main() {\n"
                            "   int n = int(gl_LocalInvocationIndex), counted = 0;\n"
                            "   vec4 value = bias + float(n);\n",
                            test,
                            "   results[gl_GlobalInvocationID.x] = ivec2(counted, value.x + value.y + "
                            "value.z + value.w == 12345.0 ? 1 : 0);\n"
                            "}\n",
                            p, q));
   set_uniforms(link_shaders(shader, 0), p, q);
   glDispatchCompute(GROUPS, 1, 1);
   glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
   const int32_t *words =
      glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, GROUPS * INVOCATIONS * 8, GL_MAP_READ_BIT);
   require(words, "a buffer cannot be mapped");
   for (unsigned n = 0; n < GROUPS * INVOCATIONS; n++)
      printf("%s%d%s", n % 4 ? " " : "counted ", words[2 * n], n % 4 < 3 ? "" : "\n");
}

int
main(int argc, char **argv)
{
   static void (*const run[])(const struct test *test, int p, int q) = {
      [FRAGMENT] = draw_fragments,
      [VERTEX] = draw_vertices,
      [COMPUTE] = dispatch,
   };
   require(argc == 4, "usage: control_flow CASE P Q");
   struct egl egl = egl_open_context((struct surface_request){.kind = SURFACELESS}, false, 3, 1);
   for (unsigned t = 0; t < sizeof tests / sizeof tests[0]; t++) {
      if (strcmp(argv[1], tests[t].name) == 0)
         run[tests[t].kind](&tests[t], atoi(argv[2]), atoi(argv[3]));
   }
   holds(glGetError() == GL_NO_ERROR, "an error of OpenGL");
   egl_close(&egl);
   return check_status();
}
