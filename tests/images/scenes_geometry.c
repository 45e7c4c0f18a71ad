/* SPDX-License-Identifier: MIT */
/* Scenes of geometry programs, transform feedback, queries and many attributes. */
#include <GLES3/gl32.h>

#include <EGL/egl.h>
#include <stdlib.h>

#include "images/scenes.h"

/* OpenGL's, which OpenGL ES' headers lack. */
#define SAMPLES_PASSED 0x8914
#define PROGRAM_POINT_SIZE 0x8642
#define CLIP_DISTANCE0 0x3000
#define QUERY_WAIT 0x8E13
#define QUERY_NO_WAIT 0x8E14

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void
clear(void)
{
   glClearColor(0.1f, 0.05f, 0.1f, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

/** Core contexts draw from vertex array and buffer objects only. */
static void
bind_vertices(GLuint buffer)
{
   static GLuint array;
   if (!array)
      glGenVertexArrays(1, &array);
   glBindVertexArray(array);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
}

static GLuint
make_buffer(size_t bytes, const void *data)
{
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, bytes, data, GL_DYNAMIC_COPY);
   return buffer;
}

/** Fills the buffer with points: position and colour, eight numbers each. */
static void
fill_points(GLuint buffer, int n, uint32_t seed)
{
   float *points = malloc(sizeof(float) * 8 * n);
   for (int p = 0; p < n; p++) {
      for (int c = 0; c < 2; c++)
         points[p * 8 + c] = random_between(&seed, -0.95f, 0.95f);
      points[p * 8 + 2] = random_between(&seed, -1, 1);
      points[p * 8 + 3] = 1;
      for (int c = 4; c < 8; c++)
         points[p * 8 + c] = random_between(&seed, 0, 1);
   }
   bind_vertices(buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(float) * 8 * n, points, GL_DYNAMIC_COPY);
   free(points);
}

static void
use_points(GLuint buffer)
{
   bind_vertices(buffer);
   for (unsigned attribute = 0; attribute < 2; attribute++) {
      glEnableVertexAttribArray(attribute);
      glVertexAttribPointer(attribute, 4, GL_FLOAT, GL_FALSE, 32, (void *)(attribute * 16ul));
   }
   glDisableVertexAttribArray(2);
}

static const char pass_on[] = "#version 330\n"
                              "in vec4 position, color;\n"
                              "out vec4 v_color;\n"
                              "void main() { gl_Position = position; v_color = color; }\n";
static const char show_color[] = "#version 330\n"
                                 "in vec4 f_color;\n"
                                 "out vec4 fragment;\n"
                                 "void main() { fragment = f_color; }\n";

/* ---- geometry programs ---------------------------------------------------- */

/** A point becomes a fan of triangles, each flat, cut by a plane, in one of three viewports. */
static const char fans[] = "#version 330\n"
                           "#extension GL_ARB_viewport_array : require\n"
                           "layout(points) in;\n"
                           "layout(triangle_strip, max_vertices = 18) out;\n"
                           "in vec4 v_color[];\n"
                           "flat out vec4 g_flat;\n"
                           "noperspective out vec4 g_color;\n"
                           "out float gl_ClipDistance[1];\n"
                           "void emit(vec2 offset, vec4 color) {\n"
                           "   gl_Position = gl_in[0].gl_Position + vec4(offset, 0.0, 0.0);\n"
                           "   gl_Position *= 1.0 + color.x;\n"
                           "   gl_ClipDistance[0] = 0.15 - offset.y;\n"
                           "   gl_ViewportIndex = gl_PrimitiveIDIn % 3;\n"
                           "   g_flat = vec4(float(gl_PrimitiveIDIn % 7) / 7.0, color.yz, 1.0);\n"
                           "   g_color = color;\n"
                           "   EmitVertex();\n"
                           "}\n"
                           "void main() {\n"
                           "   for (int t = 0; t < 6; t++) {\n"
                           "      float a = float(t), b = float(t) + 0.8;\n"
                           "      emit(vec2(0.0), v_color[0]);\n"
                           "      emit(vec2(cos(a), sin(a)) * 0.2, v_color[0].yzxw);\n"
                           "      emit(vec2(cos(b), sin(b)) * 0.2, v_color[0].zxyw);\n"
                           "      EndPrimitive();\n"
                           "   }\n"
                           "}\n";
/** Triangles with their neighbours become lines to the neighbours' corners. */
static const char neighbours[] = "#version 330\n"
                                 "layout(triangles_adjacency) in;\n"
                                 "layout(line_strip, max_vertices = 12) out;\n"
                                 "in vec4 v_color[];\n"
                                 "out vec4 f_color;\n"
                                 "void main() {\n"
                                 "   for (int n = 0; n < 6; n++) {\n"
                                 "      for (int end = 0; end < 2; end++) {\n"
                                 "         int v = (n + end) % 6;\n"
                                 "         gl_Position = gl_in[v].gl_Position;\n"
                                 "         f_color = vec4(v_color[v].rgb, 1.0);\n"
                                 "         EmitVertex();\n"
                                 "      }\n"
                                 "      EndPrimitive();\n"
                                 "   }\n"
                                 "}\n";

static void
set_viewports(const struct target *target)
{
   typedef void (*viewport_function)(GLuint index, GLfloat x, GLfloat y, GLfloat width, GLfloat height);
   typedef void (*scissor_function)(GLuint index, GLint left, GLint bottom, GLsizei width, GLsizei height);
   const viewport_function viewport = (viewport_function)eglGetProcAddress("glViewportIndexedf");
   const scissor_function scissor = (scissor_function)eglGetProcAddress("glScissorIndexed");
   for (int n = 0; n < 3; n++) {
      viewport(n, target->width * n * 0.2f, target->height * n * 0.1f, target->width * 0.6f,
               target->height * 0.8f);
      scissor(n, n * 7, n * 5, target->width - 20 * n, target->height - 10);
   }
   glEnable(GL_SCISSOR_TEST);
}

void
draw_geometry_programs(const struct target *target, int frame)
{
   static GLuint program, lines, points;
   if (!program) {
      program = attach_shader(0, GL_VERTEX_SHADER, pass_on);
      attach_shader(program, GL_GEOMETRY_SHADER, fans);
      attach_shader(
         program, GL_FRAGMENT_SHADER,
         "#version 330\n"
         "flat in vec4 g_flat;\n"
         "noperspective in vec4 g_color;\n"
         "out vec4 fragment;\n"
         "void main() { fragment = mix(g_flat, g_color, 0.5 + 0.1 * float(gl_PrimitiveID % 3)); }\n");
      link_program(program);
      lines = attach_shader(0, GL_VERTEX_SHADER, pass_on);
      attach_shader(lines, GL_GEOMETRY_SHADER, neighbours);
      attach_shader(lines, GL_FRAGMENT_SHADER, show_color);
      link_program(lines);
      points = make_buffer(0, NULL);
   }
   bind_vertices(points);
   begin(target, program);
   clear();
   glEnable(GL_DEPTH_TEST);
   glEnable(CLIP_DISTANCE0);
   fill_points(points, 60, 211 + frame);
   use_points(points);
   set_viewports(target);
   glDrawArrays(GL_POINTS, 0, 60);
   glDisable(CLIP_DISTANCE0);
   begin(target, lines);
   glDrawArrays(GL_TRIANGLE_STRIP_ADJACENCY, 0, 24);
}

/* ---- transform feedback --------------------------------------------------- */

/** Moves points: what is captured of a round is the next one's input. */
static GLuint
make_mover(void)
{
   static const char *const captured[] = {"v_position", "v_color"};
   const GLuint program = attach_shader(0, GL_VERTEX_SHADER,
                                        "#version 330\n"
                                        "in vec4 position, color;\n"
                                        "out vec4 v_position, v_color;\n"
                                        "void main() {\n"
                                        "   v_position = vec4(position.yx * vec2(0.9, -0.8), position.zw);\n"
                                        "   v_color = color.gbra;\n"
                                        "   gl_Position = v_position;\n"
                                        "   gl_PointSize = 3.0;\n"
                                        "}\n");
   attach_shader(program, GL_FRAGMENT_SHADER,
                 "#version 330\n"
                 "in vec4 v_color;\n"
                 "out vec4 fragment;\n"
                 "void main() { fragment = vec4(v_color.rgb, 1.0); }\n");
   glTransformFeedbackVaryings(program, LENGTH(captured), captured, GL_INTERLEAVED_ATTRIBS);
   link_program(program);
   return program;
}

/** Reads the captured points as a texture, in the fragment program. */
static GLuint
make_reader(void)
{
   return make_program("#version 330\n"
                       "in vec4 position;\n"
                       "void main() { gl_Position = position; gl_PointSize = 9.0; }\n",
                       "#version 330\n"
                       "uniform samplerBuffer points;\n"
                       "uniform int first;\n"
                       "out vec4 fragment;\n"
                       "void main() {\n"
                       "   int n = first + int(gl_FragCoord.x) % 16;\n"
                       "   fragment = vec4(texelFetch(points, n * 2 + 1).rgb, 1.0);\n"
                       "}\n");
}

static void
capture(GLuint from, GLuint to, int first, int count, bool shown)
{
   use_points(from);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, to);
   if (!shown)
      glEnable(GL_RASTERIZER_DISCARD);
   glBeginTransformFeedback(GL_POINTS);
   glDrawArrays(GL_POINTS, first, count / 2);
   glPauseTransformFeedback();
   glDrawArrays(GL_POINTS, first, 3);
   glResumeTransformFeedback();
   glDrawArraysInstanced(GL_POINTS, first + count / 2, count / 4, 2);
   glEndTransformFeedback();
   glDisable(GL_RASTERIZER_DISCARD);
}

static void
capture_tint(GLuint mover, GLuint tinted, GLuint from, GLuint to)
{
   glUseProgram(mover);
   use_points(from);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, to);
   glEnable(GL_RASTERIZER_DISCARD);
   glBeginTransformFeedback(GL_POINTS);
   glDrawArrays(GL_POINTS, 7, 1);
   glEndTransformFeedback();
   glDisable(GL_RASTERIZER_DISCARD);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
   glUseProgram(tinted);
}

void
draw_transform_feedback(const struct target *target, int frame)
{
   static GLuint mover, reader, tinted, buffers[2], small, texture, uniforms;
   if (!mover) {
      mover = make_mover();
      reader = make_reader();
      for (unsigned b = 0; b < 2; b++)
         buffers[b] = make_buffer(64 * 32, NULL);
      small = make_buffer(20 * 32 + 5, NULL);
      tinted =
         make_program(pass_on, "#version 330\n"
                               "uniform tints { vec4 tint; };\n"
                               "in vec4 v_color;\n"
                               "out vec4 fragment;\n"
                               "void main() { fragment = vec4(fract(v_color.rgb + tint.rgb), 1.0); }\n");
      uniforms = make_buffer(32, NULL);
      glGenTextures(1, &texture);
   }
   bind_vertices(buffers[0]);
   begin(target, mover);
   glEnable(PROGRAM_POINT_SIZE);
   clear();
   fill_points(buffers[0], 64, 223 + frame);
   glActiveTexture(GL_TEXTURE0);
   glBindTexture(GL_TEXTURE_BUFFER, texture);
   for (unsigned round = 0; round < 4; round++) {
      /* The pass has read the buffer as a texture: that is captured into again. */
      glUseProgram(mover);
      capture(buffers[round & 1], buffers[~round & 1], 0, 64, round == 2);
      use_points(buffers[~round & 1]);
      glDrawArrays(GL_LINE_STRIP, round * 8, 16);
      glUseProgram(reader);
      glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, buffers[~round & 1]);
      glUniform1i(glGetUniformLocation(reader, "first"), round * 10);
      glDrawArrays(GL_POINTS, 16 * round, 16);
   }
   /* A uniform buffer that is written between draws. */
   bind_vertices(buffers[0]);
   begin(target, tinted);
   use_points(buffers[0]);
   glBindBufferBase(GL_UNIFORM_BUFFER, 0, uniforms);
   for (int step = 0; step < 4; step++) {
      const float tint[4] = {step * 0.3f, 1 - step * 0.2f, frame * 0.3f, 1};
      if (step == 3) /* captured: the first point's position */
         capture_tint(mover, tinted, buffers[0], uniforms);
      else
         glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof(tint), tint);
      glDrawArrays(GL_TRIANGLES, 40 + step * 3, 3);
   }
   /* More than fits: twenty points and nothing past them. */
   glUseProgram(mover);
   capture(buffers[0], small, 0, 64, false);
   use_points(small);
   glDrawArrays(GL_TRIANGLES, 0, 20);
   glDisable(PROGRAM_POINT_SIZE);
}

/* ---- queries --------------------------------------------------------------- */

static GLuint
result_of(GLuint query)
{
   GLuint result;
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &result);
   return result;
}

/** A triangle that shows a number, as its height and its colour. */
static void
show(unsigned number, int place)
{
   const float x = -0.9f + place * 0.2f, height = 0.2f + (number % 1009) / 1009.0f;
   const float color[3] = {(number & 255) / 255.0f, (number >> 8 & 255) / 255.0f, 0.7f};
   float points[3][8] = {{x, -0.9f, -1, 1}, {x + 0.15f, -0.9f, -1, 1}, {x, -0.9f + height, -1, 1}};
   for (unsigned p = 0; p < 3; p++) {
      for (unsigned c = 0; c < 3; c++)
         points[p][4 + c] = color[c];
      points[p][7] = 1;
   }
   glBufferData(GL_ARRAY_BUFFER, sizeof(points), points, GL_DYNAMIC_COPY);
   glDrawArrays(GL_TRIANGLES, 0, 3);
}

void
draw_queries(const struct target *target, int frame)
{
   typedef void (*condition_function)(GLuint query, GLenum mode);
   const condition_function begin_conditional =
      (condition_function)eglGetProcAddress("glBeginConditionalRender");
   void (*end_conditional)(void) = (void (*)(void))eglGetProcAddress("glEndConditionalRender");
   static GLuint program, points, queries[6];
   if (!program) {
      program = attach_shader(0, GL_VERTEX_SHADER, pass_on);
      attach_shader(program, GL_FRAGMENT_SHADER,
                    "#version 330\n"
                    "in vec4 v_color;\n"
                    "out vec4 fragment;\n"
                    "void main() { if (v_color.a < 0.2) discard; fragment = v_color; }\n");
      link_program(program);
      points = make_buffer(0, NULL);
      glGenQueries(6, queries);
   }
   bind_vertices(points);
   begin(target, program);
   clear();
   glEnable(GL_DEPTH_TEST);
   fill_points(points, 90, 227 + frame);
   use_points(points);
   /* Samples, primitives and any sample, across a flush; then a query of what is hidden. */
   glBeginQuery(SAMPLES_PASSED, queries[0]);
   glBeginQuery(GL_PRIMITIVES_GENERATED, queries[1]);
   glDrawArrays(GL_TRIANGLES, 0, 45);
   glFlush();
   glDrawArrays(GL_TRIANGLES, 45, 45);
   glEndQuery(GL_PRIMITIVES_GENERATED);
   glEndQuery(SAMPLES_PASSED);
   glBeginQuery(SAMPLES_PASSED, queries[2]);
   glDrawArrays(GL_TRIANGLES, 0, 90);
   glEndQuery(SAMPLES_PASSED);
   glDepthFunc(GL_LEQUAL);
   glBeginQuery(GL_ANY_SAMPLES_PASSED, queries[3]);
   glDrawArrays(GL_LINES, 0, 20);
   glEndQuery(GL_ANY_SAMPLES_PASSED);
   glDepthFunc(GL_ALWAYS);
   for (int q = 0; q < 4; q++)
      show(result_of(queries[q]), q);
   for (int q = 2; q < 4; q++) {
      begin_conditional(queries[q], q == 2 ? QUERY_WAIT : QUERY_NO_WAIT);
      show(500 + q, 2 + q);
      end_conditional();
   }
}

/* ---- many attributes -------------------------------------------------------- */

/** As many varyings as there are, and a primitive each few pixels. */
void
draw_attributes(const struct target *target, int frame)
{
   static GLuint program, points;
   if (!program) {
      program = make_program("#version 330\n"
                             "in vec4 position, color;\n"
                             "out vec4 v[15];\n"
                             "flat out ivec4 v_number;\n"
                             "out float gl_ClipDistance[8];\n"
                             "void main() {\n"
                             "   gl_Position = position;\n"
                             "   gl_PointSize = 3.0;\n"
                             "   for (int n = 0; n < 15; n++) v[n] = fract(color * float(n + 1));\n"
                             "   for (int n = 0; n < 8; n++) gl_ClipDistance[n] = 1.0 + color[n / 2];\n"
                             "   v_number = ivec4(gl_VertexID, gl_InstanceID, 3, 5);\n"
                             "}\n",
                             "#version 330\n"
                             "in vec4 v[15];\n"
                             "flat in ivec4 v_number;\n"
                             "in float gl_ClipDistance[8];\n"
                             "out vec4 fragment;\n"
                             "void main() {\n"
                             "   vec4 sum = vec4(0.0);\n"
                             "   for (int n = 0; n < 15; n++) sum += v[n] * float(n % 3);\n"
                             "   for (int n = 0; n < 8; n++) sum += vec4(gl_ClipDistance[n] * 0.05);\n"
                             "   sum.xy += gl_PointCoord * 0.2;\n"
                             "   fragment = vec4(fract(sum.rgb) * 0.8, 1.0)\n"
                             "            + vec4(v_number % ivec4(7, 2, 3, 4)) * 0.02;\n"
                             "}\n");
      points = make_buffer(0, NULL);
   }
   const int n = target->width >= 512 ? 15000 : 150;
   bind_vertices(points);
   begin(target, program);
   clear();
   glEnable(PROGRAM_POINT_SIZE);
   glEnable(GL_DEPTH_TEST);
   fill_points(points, n, 229 + frame);
   use_points(points);
   for (unsigned c = 0; c < 8; c++)
      glEnable(CLIP_DISTANCE0 + c);
   glDrawArraysInstanced(GL_POINTS, 0, n, 2);
   glDrawArrays(GL_TRIANGLES, 0, 30);
   for (unsigned c = 0; c < 8; c++)
      glDisable(CLIP_DISTANCE0 + c);
   glDisable(PROGRAM_POINT_SIZE);
}

/* Blits from an image into other parts of itself: scaled, mirrored, from and into the same tiles. */
void
draw_blits_within(const struct target *target, int frame)
{
   static GLuint program, points;
   const int width = target->width, height = target->height;
   if (!program) {
      program = attach_shader(0, GL_VERTEX_SHADER, pass_on);
      attach_shader(program, GL_FRAGMENT_SHADER,
                    "#version 330\n"
                    "in vec4 v_color;\n"
                    "out vec4 fragment;\n"
                    "void main() { fragment = v_color; }\n");
      link_program(program);
      points = make_buffer(0, NULL);
   }
   bind_vertices(points);
   begin(target, program);
   clear();
   fill_points(points, 90, 229 + frame);
   use_points(points);
   glDrawArrays(GL_TRIANGLES, 0, 90);
   glBlitFramebuffer(3, 5, width / 2 - 7, height / 2 - 9, width / 2 + 1, 2, width - 3, height / 2 - 1,
                     GL_COLOR_BUFFER_BIT, GL_NEAREST);
   glBlitFramebuffer(width / 3, 1, 11, height / 2 - 3, 5, height / 2 + 2, width / 2 - 4, height - 1,
                     GL_COLOR_BUFFER_BIT, GL_LINEAR);
   glDrawArrays(GL_TRIANGLES, 0, 9);
}
