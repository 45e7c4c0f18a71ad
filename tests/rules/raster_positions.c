/* SPDX-License-Identifier: MIT */
/* raster_positions: what vertex shaders work out for glRasterPos, feedback and selection, which Mesa's state tracker has run by
 * the CPU, not by the driver: comparisons of all types, doubles, packed numbers, divisions. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <math.h>
#include <stdio.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
#define SIZE 64

static const struct {
   const char *expression; /* of the vertex (0.5, 0.25, 0, 1) */
   float value;
} cases[] = {
   {"gl_Vertex.x == 0.5 ? 1.0 : 0.25", 1},
   {"gl_Vertex.x != 0.5 ? 1.0 : 0.25", 0.25f},
   {"int(gl_Vertex.x * 8.0) == 4 ? 0.75 : 0.25", 0.75f},
   {"int(gl_Vertex.x * 8.0) < 4 ? 0.75 : 0.25", 0.25f},
   {"uint(gl_Vertex.y * 8.0) >= 2u ? 0.75 : 0.25", 0.75f},
   {"gl_Vertex.xy == vec2(0.5, 0.25) ? 0.5 : 0.0", 0.5f},
   {"double(gl_Vertex.x) > double(gl_Vertex.y) ? 0.5 : 0.0", 0.5f},
   {"float(dot(dvec2(gl_Vertex.x, 1.0), dvec2(1.0LF, 0.25LF)))", 0.75f},
   {"unpackUnorm4x8(uint(gl_Vertex.x * 510.0)).x", 1},
   {"float(bitfieldExtract(int(gl_Vertex.x * 8.0), 2, 3)) * 0.5", 0.5f},
   {"mod(gl_Vertex.x, 0.375)", 0.125f},
   {"float(uint(gl_Vertex.x * 14.0) / uint(gl_Vertex.y * 8.0)) * 0.25", 0.75f},
   {"ldexp(gl_Vertex.x, -int(gl_Vertex.x * 2.0))", 0.25f},
};

static void
check_raster_position(const char *expression, float value)
{
   GLfloat color[4], position[4];
   glRasterPos3f(0.5f, 0.25f, 0);
   glGetFloatv(GL_CURRENT_RASTER_COLOR, color);
   glGetFloatv(GL_CURRENT_RASTER_POSITION, position);
   holds(fabsf(color[0] - value) < 1e-5f, "glRasterPos, %s: %g, not %g", expression, color[0], value);
   holds(position[0] == SIZE * 0.75f && position[1] == SIZE * 0.625f, "glRasterPos, %s: at %g, %g",
         expression, position[0], position[1]);
}

static void
check_feedback(const char *expression, float value)
{
   GLfloat words[16] = {0};
   glFeedbackBuffer(COUNT_OF(words), GL_3D_COLOR, words);
   glRenderMode(GL_FEEDBACK);
   glBegin(GL_POINTS);
   glVertex3f(0.5f, 0.25f, 0);
   glEnd();
   const GLint count = glRenderMode(GL_RENDER);
   holds(count == 8 && words[0] == GL_POINT_TOKEN, "feedback, %s: %d words, the first %g", expression, count,
         words[0]);
   holds(fabsf(words[4] - value) < 1e-5f, "feedback, %s: %g, not %g", expression, words[4], value);
}

static void
check_selection(const char *expression)
{
   GLuint words[16] = {0};
   glSelectBuffer(COUNT_OF(words), words);
   glRenderMode(GL_SELECT);
   glInitNames();
   glPushName(7);
   glBegin(GL_POINTS);
   glVertex3f(0.5f, 0.25f, 0);
   glEnd();
   const GLint hits = glRenderMode(GL_RENDER);
   holds(hits == 1 && words[3] == 7, "selection, %s: %d hits, of %u", expression, hits, words[3]);
}

int
main(void)
{
   egl_open_context((struct surface_request){SURFACELESS_PBUFFER, SIZE, SIZE, .depth = false}, true, 2, 1);
   glViewport(0, 0, SIZE, SIZE);
   for (unsigned i = 0; i < COUNT_OF(cases); i++) {
      char source[500];
      snprintf(source, sizeof source,
               "#version 450 compatibility\n"
               "void main() { gl_Position = gl_Vertex; gl_FrontColor = vec4(%s); }\n",
               cases[i].expression);
      glUseProgram(
         build_program(source, "#version 450 compatibility\nvoid main() { gl_FragColor = gl_Color; }\n"));
      check_raster_position(cases[i].expression, cases[i].value);
      check_feedback(cases[i].expression, cases[i].value);
      check_selection(cases[i].expression);
   }
   require(glGetError() == GL_NO_ERROR, "an error of OpenGL");
   return check_status();
}
