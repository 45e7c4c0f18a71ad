/* SPDX-License-Identifier: MIT */
/* primitive_numbers: of the draws of a glMultiDraw… call, each numbers its primitives from 0, as if it were a call of its own
 * (OpenGL 4.5, 10.4); primitive restart does not restart the numbers. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
#define NONE (-1)

static const char vertex_source[] = "#version 400\nvoid main() { gl_Position = vec4(0.0); }\n";
static const char geometry_source[] = "#version 400\n"
                                      "layout(points) in;\nlayout(points, max_vertices = 1) out;\n"
                                      "flat out int number;\n"
                                      "void main() { number = gl_PrimitiveIDIn; EmitVertex(); }\n";
static const char evaluation_source[] = "#version 400\n"
                                        "layout(isolines, point_mode) in;\nflat out int number;\n"
                                        "void main() { number = gl_PrimitiveID; gl_Position = vec4(0.0); }\n";

/** A program that captures the number of each primitive; of a patch twice, at the two ends of its line. */
static void
use_capturing(GLenum stage, const char *source)
{
   static const char *const captured = "number";
   const GLuint program = glCreateProgram();
   GLint linked;
   glAttachShader(program, compile_shader(GL_VERTEX_SHADER, "", vertex_source));
   glAttachShader(program, compile_shader(stage, "", source));
   glTransformFeedbackVaryings(program, 1, &captured, GL_INTERLEAVED_ATTRIBS);
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   require(linked, "a program does not link");
   glUseProgram(program);
}

static void
check_draws(GLenum mode, const char *what, const int *wanted, unsigned count, unsigned copies, bool indexed)
{
   static const GLint firsts[] = {0, 4, 1};
   static const GLsizei counts[] = {4, 2, 3};
   static const void *const from[] = {(void *)0, (void *)4, (void *)1};
   GLint numbers[32];
   for (unsigned i = 0; i < COUNT_OF(numbers); i++)
      numbers[i] = NONE;
   const GLuint buffer = create_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, numbers, sizeof numbers);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
   glBeginTransformFeedback(GL_POINTS);
   if (indexed)
      glMultiDrawElements(mode, counts, GL_UNSIGNED_BYTE, from, 3);
   else
      glMultiDrawArrays(mode, firsts, counts, 3);
   glEndTransformFeedback();
   glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof numbers, numbers);
   for (unsigned i = 0; i < COUNT_OF(numbers); i++) {
      const int number = i < count * copies ? wanted[i / copies] : NONE;
      holds(numbers[i] == number, "%s: number %u is %d, not %d", what, i, numbers[i], number);
   }
}

int
main(void)
{
   static const int numbers[] = {0, 1, 2, 3, 0, 1, 0, 1, 2};
   /* Index 2 restarts. */
   static const int restarted[] = {0, 1, 2, 0, 1, 0, 1};
   static const GLubyte indices[] = {0, 1, 2, 3, 4, 5};
   egl_open_context((struct surface_request){SURFACELESS_PBUFFER, 8, 8, .depth = false}, true, 4, 0);
   bind_new_vertex_array();
   create_buffer(GL_ELEMENT_ARRAY_BUFFER, indices, sizeof indices);
   glEnable(GL_RASTERIZER_DISCARD);
   glPatchParameteri(GL_PATCH_VERTICES, 1);
   glPrimitiveRestartIndex(2);

   use_capturing(GL_GEOMETRY_SHADER, geometry_source);
   check_draws(GL_POINTS, "points", numbers, COUNT_OF(numbers), 1, false);
   check_draws(GL_POINTS, "indexed points", numbers, COUNT_OF(numbers), 1, true);
   glEnable(GL_PRIMITIVE_RESTART);
   check_draws(GL_POINTS, "restarted points", restarted, COUNT_OF(restarted), 1, true);
   glDisable(GL_PRIMITIVE_RESTART);
   use_capturing(GL_TESS_EVALUATION_SHADER, evaluation_source);
   check_draws(GL_PATCHES, "patches", numbers, COUNT_OF(numbers), 2, false);
   check_draws(GL_PATCHES, "indexed patches", numbers, COUNT_OF(numbers), 2, true);
   require(glGetError() == GL_NO_ERROR, "an error of OpenGL");
   return check_status();
}
