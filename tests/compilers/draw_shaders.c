/* SPDX-License-Identifier: MIT */
/**
 * Draws a pixel with each of some programs, in a fixed order, for compilers_test.py, which knows what is in their code.
 * Fragment shaders are named on standard output, in the order of their first draw.
 */
#include <GLES3/gl31.h>
#include <stdio.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define HEAD                  \
   "#version 310 es\n"        \
   "precision highp float;\n" \
   "uniform vec4 u[16];\n"    \
   "uniform int n;\n"         \
   "uniform sampler2D s;\n"   \
   "in vec4 v;\n"             \
   "layout(location = 0) out vec4 color;\n"

static const char vertex[] = "#version 310 es\n"
                             "layout(location = 0) in vec4 position;\n"
                             "out vec4 v;\n"
                             "void main() { gl_Position = position; v = position * 0.5 + 0.5; }\n";

static const struct {
   const char *name, *source;
} fragments[] = {
   {"constant", HEAD "void main() { color = vec4(1.0, 0.5, 0.25, 1.0); }\n"},
   {"varying", HEAD "void main() { color = v; }\n"},
   {"textures", HEAD "void main() { color = texture(s, v.xy) + texture(s, v.zw); }\n"},
   {"multiply-adds", HEAD "void main() {\n"
                          "   float x = v.x;\n"
                          "   for (int i = 0; i < 8; i++)\n"
                          "      x = x * x + u[i].x;\n"
                          "   color = vec4(x);\n"
                          "}\n"},
   {"loop", HEAD "void main() {\n"
                 "   float x = v.x;\n"
                 "   for (int i = 0; i < n; i++) {\n"
                 "      x = x * u[i & 15].x + u[i & 15].y;\n"
                 "      x = x * u[i & 15].z + u[i & 15].w;\n"
                 "      x = x * x + v.y;\n"
                 "   }\n"
                 "   color = vec4(x);\n"
                 "}\n"},
   {"branch", HEAD "void main() {\n"
                   "   color = v;\n"
                   "   if (v.x > u[0].x) {\n"
                   "      color = texture(s, v.xy * 2.0) * textureLod(s, v.zw, 0.0);\n"
                   "   } else {\n"
                   "      color = exp2(v) * log2(v) + sin(v);\n"
                   "   }\n"
                   "}\n"},
   {"selection", HEAD "void main() { color = v.x > u[0].x ? v * 2.0 : v + 1.0; }\n"},
   {"continue", HEAD "void main() {\n"
                     "   vec4 x = v;\n"
                     "   for (int i = 0; i < n; i++) {\n"
                     "      x = x * u[1] + u[2];\n"
                     "      if (x.x > u[0].x) continue;\n"
                     "      x = textureLod(s, x.xy, 0.0);\n"
                     "   }\n"
                     "   color = x;\n"
                     "}\n"},
   {"discard", HEAD "void main() {\n"
                    "   if (v.x > u[0].x) discard;\n"
                    "   color = texture(s, v.xy) + u[3];\n"
                    "}\n"},
   {"mediump", "#version 310 es\n"
               "precision mediump float;\n"
               "uniform mediump vec4 u[4];\n"
               "in mediump vec4 v;\n"
               "layout(location = 0) out mediump vec4 color;\n"
               "void main() { color = (v * u[0] + u[1]) * v + u[2]; }\n"},
   {"bits", HEAD "void main() { color = v + float(bitCount(n) + bitfieldReverse(n) + findMSB(n)); }\n"},
   {"highp", HEAD "void main() { color = (v * u[0] + u[1]) * v + u[2]; }\n"},
};

static const char compute[] = "#version 310 es\n"
                              "layout(local_size_x = 64) in;\n"
                              "layout(std430, binding = 0) buffer data { float x[]; };\n"
                              "uniform int n;\n"
                              "void main() {\n"
                              "   float y = x[gl_GlobalInvocationID.x];\n"
                              "   for (int i = 0; i < n; i++)\n"
                              "      y = y * y + 1.0;\n"
                              "   x[gl_GlobalInvocationID.x] = y;\n"
                              "}\n";

static void
draw(const char *source)
{
   const GLuint program = build_program(vertex, source);
   glUseProgram(program);
   glUniform1i(glGetUniformLocation(program, "n"), 3);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glFinish();
   glDeleteProgram(program);
}

static void
dispatch(void)
{
   const GLuint program = link_shaders(compile_shader(GL_COMPUTE_SHADER, "", compute), 0);
   glUseProgram(program);
   glUniform1i(glGetUniformLocation(program, "n"), 3);
   glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0,
                    create_buffer(GL_SHADER_STORAGE_BUFFER, (const float[64]){0}, 64 * sizeof(float)));
   glDispatchCompute(1, 1, 1);
   glFinish();
   glDeleteProgram(program);
}

int
main(void)
{
   static const float corners[] = {-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1};
   struct egl egl = egl_open_context((struct surface_request){.kind = SURFACELESS}, false, 3, 1);
   bind_new_framebuffer(bind_new_image(GL_RGBA8, 16, 16));
   glBindTexture(GL_TEXTURE_2D, 0);
   bind_new_image(GL_RGBA8, 16, 16);
   glViewport(0, 0, 16, 16);
   bind_new_vertex_array();
   create_buffer(GL_ARRAY_BUFFER, corners, sizeof corners);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
   for (unsigned i = 0; i < sizeof fragments / sizeof *fragments; i++) {
      printf("%s\n", fragments[i].name);
      draw(fragments[i].source);
   }
   dispatch();
   require(glGetError() == GL_NO_ERROR, "an error while drawing");
   egl_close(&egl);
   return 0;
}
