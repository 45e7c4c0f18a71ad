/* SPDX-License-Identifier: MIT */
/* Vertex programs that read textures a different number of times each: vertex n of each instance reads
 * n modulo 7 + 1 texels, or nothing where `odd` is set and n is even. The image shows what was read. */
#include <GLES3/gl3.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define VERTICES 7
#define INSTANCES 3
#define REPEATED 1300 /* more vertices than Mesa's draw shades at a time */

/* Points at the pixels of a row for each instance. */
static GLint
use_program(void)
{
   const GLuint program =
      build_program("#version 300 es\n"
                    "uniform sampler2D values;\n"
                    "uniform int odd;\n"
                    "out float sum;\n"
                    "void main() {\n"
                    "   sum = 0.0;\n"
                    "   if (odd == 0 || (gl_VertexID & 1) == 1) {\n"
                    "      for (int i = 0; i <= gl_VertexID % 7; i++)\n"
                    "         sum += texelFetch(values, ivec2(i, 0), 0).x;\n"
                    "   }\n"
                    "   vec2 pixel = vec2(gl_VertexID % 7, gl_InstanceID) + 0.5;\n"
                    "   gl_Position = vec4(pixel / vec2(7.0, 3.0) * 2.0 - 1.0, 0.0, 1.0);\n"
                    "   gl_PointSize = 1.0;\n"
                    "}\n",
                    "#version 300 es\n"
                    "precision highp float;\n"
                    "in float sum;\n"
                    "out vec4 color;\n"
                    "void main() { color = vec4(sum, 0.0, 0.0, 1.0); }\n");
   glUseProgram(program);
   return glGetUniformLocation(program, "odd");
}

/* Texel i is 8 / 255. */
static void
make_texture(void)
{
   GLubyte texels[VERTICES * 4];
   for (int i = 0; i < VERTICES * 4; i++)
      texels[i] = 8;
   bind_new_image(GL_RGBA8, VERTICES, 1);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, VERTICES, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
}

static void
draw_and_check(GLint place, int odd, int repeated)
{
   GLubyte pixels[INSTANCES][VERTICES][4];
   glUniform1i(place, odd);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArraysInstanced(GL_POINTS, 0, VERTICES * repeated, INSTANCES);
   glReadPixels(0, 0, VERTICES, INSTANCES, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (int instance = 0; instance < INSTANCES; instance++) {
      for (int vertex = 0; vertex < VERTICES; vertex++)
         require(pixels[instance][vertex][0] == (odd && vertex % 2 == 0 ? 0 : 8 * (vertex + 1)),
                 "a wrong pixel");
   }
}

int
main(void)
{
   egl_open_context((struct surface_request){X11_PBUFFER, VERTICES, INSTANCES, .depth = false}, false, 3, 0);
   const GLint place = use_program();
   make_texture();
   draw_and_check(place, 0, 1);
   draw_and_check(place, 1, 1);
   draw_and_check(place, 0, REPEATED);
   return 0;
}
