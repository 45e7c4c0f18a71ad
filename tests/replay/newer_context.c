/* SPDX-License-Identifier: MIT */
/* newer_context es|gl MAJOR MINOR FRAMES [compute|specialize]: draws frames with what OpenGL ES 2.0 has, on a context of
 * another version. With "compute", it also calls what came with OpenGL ES 3.1 and OpenGL 4.3, with "specialize" what came
 * with OpenGL 4.6, and draws all the same. */
#include <GLES3/gl31.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define SIZE 64

/* A triangle that is somewhere else in each frame. */
static void
draw(GLuint program, GLuint buffer, int frame)
{
   const float x = (float)frame * 0.1f;
   const float corners[6] = {-0.9f + x, -0.9f, 0.1f + x, -0.9f, -0.4f + x, 0.9f};
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(0);
   glUseProgram(program);
   glViewport(0, 0, SIZE, SIZE);
   glClearColor(0.2f, 0.3f, 0.4f, 1.0f);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(GL_TRIANGLES, 0, 3);
}

int
main(int argc, char **argv)
{
   if (argc < 5)
      return 2;
   const int is_es = !strcmp(argv[1], "es"), frames = atoi(argv[4]);
   const int compute = argc > 5 && !strcmp(argv[5], "compute");
   const int specialize = argc > 5 && !strcmp(argv[5], "specialize");
   const struct egl egl = egl_open_context((struct surface_request){X11_WINDOW, SIZE, SIZE, .depth = false},
                                           !is_es, atoi(argv[2]), atoi(argv[3]));
   const GLuint program =
      is_es
         ? build_program("attribute vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); }",
                         "precision mediump float; void main() { gl_FragColor = vec4(1.0, 0.5, 0.0, 1.0); }")
         : build_program(
              "#version 330\nin vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); }",
              "#version 330\nout vec4 color; void main() { color = vec4(1.0, 0.5, 0.0, 1.0); }");
   const GLuint worker =
      compute ? link_shaders(compile_shader(GL_COMPUTE_SHADER, is_es ? "#version 310 es\n" : "#version 430\n",
                                            "layout(local_size_x = 1) in; void main() {}"),
                             0)
              : 0;
   void (*specialize_shader)(GLuint, const GLchar *, GLuint, const GLuint *, const GLuint *) =
      (void (*)(GLuint, const GLchar *, GLuint, const GLuint *, const GLuint *))eglGetProcAddress(
         "glSpecializeShader");
   GLuint buffer;
   bind_new_vertex_array();
   glGenBuffers(1, &buffer);
   for (int frame = 0; frame < frames; frame++) {
      draw(program, buffer, frame);
      if (compute) {
         glUseProgram(worker);
         glDispatchCompute(1, 1, 1);
         glMemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT);
      }
      if (specialize)
         specialize_shader(glCreateShader(GL_VERTEX_SHADER), "main", 0, NULL, NULL);
      egl_swap(&egl);
   }
   return 0;
}
