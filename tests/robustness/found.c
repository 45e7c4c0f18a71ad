/* SPDX-License-Identifier: MIT */
/* found CASE: what random programs (tests/fuzz/driver) have found to go wrong, each by itself.
 *    half         functions of half precision whose results are used in half precision
 *    anisotropy   a vertex shader reads integers of a texture with anisotropic filtering
 *    unread       a draw without fragments whose texture nothing else has used, in a pass with fragments
 *    unfilled     tessellated triangles as lines, then filled (OpenGL)
 *    numbered     vertices of unfilled triangles, by gl_PrimitiveID, after another shader (OpenGL)
 *    smooth       smooth lines that are tessellated (OpenGL)
 *    listed       a quad that begins in a display list and ends after it (OpenGL, compatible)
 * Of the last two only sanitizers see what was wrong: reads past the end of memory. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define VERSION "#version 320 es\n"
#define SIZE 16

static const char covering_vertex[] =
   "void main() {\n"
   "   gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);\n"
   "}\n";

static void
create_target(void)
{
   bind_new_framebuffer(bind_new_image(GL_RGBA8, SIZE, SIZE));
   glViewport(0, 0, SIZE, SIZE);
}

static int
red(int x)
{
   GLubyte pixel[4];
   glReadPixels(x, 3, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   return pixel[0];
}

static void
half(void)
{
   static const struct {
      const char *expression;
      double (*function)(double);
   } cases[] = {{"exp(x)", exp}, {"log(x)", log},   {"exp2(x)", exp2}, {"log2(x)", log2},  {"sin(x)", sin},
                {"cos(x)", cos}, {"tanh(x)", tanh}, {"sinh(x)", sinh}, {"pow(x, x)", NULL}};
   for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
      char fragment[400];
      snprintf(fragment, sizeof fragment,
               "precision mediump float;\nuniform float scale;\nout vec4 color;\n"
               "void main() { float x = gl_FragCoord.x * scale; color = vec4((%s) * 0.125 + 0.5); }\n",
               cases[c].expression);
      const GLuint program = build_versioned_program(VERSION, covering_vertex, fragment);
      glUseProgram(program);
      glUniform1f(glGetUniformLocation(program, "scale"), 0.0625f);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      for (int i = 2; i < SIZE; i++) {
         const double x = (i + 0.5) * 0.0625, value = cases[c].function ? cases[c].function(x) : pow(x, x);
         const double expected = fmin(value * 0.125 + 0.5, 1) * 255;
         holds(fabs(red(i) - expected) <= 1.5, "%s of %f: %d, expected %.1f", cases[c].expression, x, red(i),
               expected);
      }
   }
}

static void
anisotropy(void)
{
   static const GLubyte texels[4] = {10, 20, 30, 40};
   glActiveTexture(GL_TEXTURE0);
   bind_new_image(GL_R8UI, 2, 2);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, GL_RED_INTEGER, GL_UNSIGNED_BYTE, texels);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glTexParameterf(GL_TEXTURE_2D, 0x84FE /* GL_TEXTURE_MAX_ANISOTROPY_EXT */, 8);
   static const char vertex[] =
      "uniform highp usampler2D numbers;\nflat out highp uint number;\n"
      "void main() {\n"
      "   number = texture(numbers, vec2(0.75, 0.25)).x;\n"
      "   gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);\n"
      "}\n";
   glUseProgram(
      build_versioned_program(VERSION, vertex,
                              "precision highp float;\nflat in highp uint number;\nout vec4 color;\n"
                              "void main() { color = vec4(float(number) / 255.0); }\n"));
   glDrawArrays(GL_TRIANGLES, 0, 3);
   holds(red(0) == 20, "anisotropy: %d, expected 20", red(0));
}

static void
unread(void)
{
   static const GLubyte white[4] = {255, 255, 255, 255};
   GLuint textures[2];
   glUseProgram(build_versioned_program(VERSION, covering_vertex,
                                        "precision highp float;\nuniform sampler2D image;\nout vec4 color;\n"
                                        "void main() { color = texture(image, vec2(0.5)); }\n"));
   glGenTextures(2, textures);
   for (int i = 0; i < 2; i++) {
      glBindTexture(GL_TEXTURE_2D, textures[i]);
      glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 1, 1);
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, white);
   }
   glEnable(GL_RASTERIZER_DISCARD);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glDisable(GL_RASTERIZER_DISCARD);
   glBindTexture(GL_TEXTURE_2D, textures[0]);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   holds(red(0) == 255, "unread: %d, expected 255", red(0));
}

static void
use_tessellation(const char *evaluation, const char *fragment)
{
   const char *const sources[] = {
      "#version 400\nvoid main() { gl_Position = vec4(gl_VertexID & 1, gl_VertexID >> 1, 0, 1); }\n",
      evaluation,
      fragment,
   };
   static const GLenum stages[] = {GL_VERTEX_SHADER, GL_TESS_EVALUATION_SHADER, GL_FRAGMENT_SHADER};
   const GLuint program = glCreateProgram();
   for (unsigned s = 0; s < 3; s++)
      glAttachShader(program, compile_shader(stages[s], "", sources[s]));
   glLinkProgram(program);
   glUseProgram(program);
   bind_new_vertex_array();
   glPatchParameteri(GL_PATCH_VERTICES, 3);
}

/** Code for tessellated vertices with one attribute more, which lines have, was run for those without it. */
static void
unfilled(void)
{
   use_tessellation(
      "#version 400\nlayout(triangles) in;\nout vec4 shade;\n"
      "void main() {\n"
      "   gl_Position = vec4(gl_TessCoord.xy * 4.0 - 1.0, 0, 1);\n   shade = vec4(1, 0, 0, 1);\n"
      "}\n",
      "#version 400\nin vec4 shade;\nout vec4 color;\n"
      "void main() { color = gl_FrontFacing ? shade : shade.yxzw; }\n");
   glPatchParameterfv(GL_PATCH_DEFAULT_OUTER_LEVEL, (const GLfloat[]){4, 4, 4, 4});
   glPatchParameterfv(GL_PATCH_DEFAULT_INNER_LEVEL, (const GLfloat[]){4, 4});
   static const GLenum modes[] = {GL_LINE, GL_FILL, GL_LINE, GL_FILL};
   for (unsigned m = 0; m < 4; m++) {
      glClear(GL_COLOR_BUFFER_BIT);
      glPolygonMode(GL_FRONT_AND_BACK, modes[m]);
      glDrawArrays(GL_PATCHES, 0, 3);
      int reds = 0;
      for (int x = 0; x < SIZE; x++)
         reds += red(x) == 255;
      holds(modes[m] == GL_LINE || reds == SIZE, "unfilled: %d of %d pixels are filled", reds, SIZE);
   }
}

/** Room for a multiple of four vertices, all used; the stage of smooth lines copied the last one with its attribute. */
static void
smooth(void)
{
   use_tessellation("#version 400\nlayout(isolines) in;\nout vec4 shade;\n"
                    "void main() {\n"
                    "   gl_Position = vec4(gl_TessCoord.x * 2.0 - 1.0, -0.5625, 0, 1);\n   shade = vec4(1);\n"
                    "}\n",
                    "#version 400\nin vec4 shade;\nout vec4 color;\nvoid main() { color = shade; }\n");
   glPatchParameterfv(GL_PATCH_DEFAULT_OUTER_LEVEL, (const GLfloat[]){1, 3, 0, 0});
   glEnable(GL_LINE_SMOOTH);
   glDrawArrays(GL_PATCHES, 0, 3);
   for (int x = 0; x < SIZE; x++)
      holds(red(x) > 0, "smooth: pixel %d is not on the line", x);
}

/** The list is replayed call by call. It has one vertex, of which its incomplete quad has four indices. */
static void
listed(void)
{
   const GLuint list = glGenLists(1);
   glNewList(list, GL_COMPILE);
   glBegin(GL_QUADS);
   glVertex2f(-1, -1);
   glEndList();
   glCallList(list);
   glVertex2f(1, -1);
   glVertex2f(1, 1);
   glVertex2f(-1, 1);
   glEnd();
   for (int x = 0; x < SIZE; x++)
      holds(red(x) == 255, "listed: pixel %d is %d, expected 255", x, red(x));
}

/** Vertices had no room for the number, as their shader had been compiled for what the program before reads. */
static void
numbered(void)
{
   static const char vertex[] = "#version 400\nvoid main() {\n"
                                "   vec2 pixel = vec2(gl_VertexID / 3 * 4 + gl_VertexID % 3 * (2 - "
                                "gl_VertexID % 3), 3) + vec2(1.5, 0.5);\n"
                                "   pixel.y += gl_VertexID % 3 == 2 ? 6.0 : 0.0;\n"
                                "   gl_Position = vec4(pixel / 8.0 - 1.0, 0, 1);\n"
                                "}\n";
   static const char *const fragments[] = {
      "#version 400\nout vec4 color;\nvoid main() { color = vec4(1); }\n",
      "#version 400\nout vec4 color;\nvoid main() { color = vec4((gl_PrimitiveID + 1) * 50) / 255.0; }\n",
   };
   bind_new_vertex_array();
   glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
   for (int p = 0; p < 2; p++) {
      glUseProgram(build_program(vertex, fragments[p]));
      glDrawArrays(GL_TRIANGLES, 0, 12);
      for (int x = 1; x < SIZE; x++) {
         const int expected = x % 4 != 1 && x % 4 != 2 ? 0 : p ? (x / 4 + 1) * 50 : 255;
         holds(red(x) == expected, "numbered: pixel %d is %d, expected %d", x, red(x), expected);
      }
   }
}

enum api { ES, CORE, COMPATIBLE };

static struct egl
open_context(enum api api)
{
   const struct surface_request none = {SURFACELESS};
   if (api != COMPATIBLE)
      return egl_open_context(none, api == CORE, api == CORE ? 4 : 3, api == CORE ? 5 : 2);
   struct egl egl = egl_open(none);
   egl_make_current(&egl, egl_create_compatible_context(&egl, 4, 5));
   return egl;
}

int
main(int argc, char **argv)
{
   static const struct {
      const char *name;
      void (*run)(void);
      enum api api;
   } cases[] = {{"half", half, ES},
                {"anisotropy", anisotropy, ES},
                {"unread", unread, ES},
                {"unfilled", unfilled, CORE},
                {"numbered", numbered, CORE},
                {"smooth", smooth, CORE},
                {"listed", listed, COMPATIBLE}};
   require(argc == 2, "usage: found CASE");
   for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
      if (strcmp(argv[1], cases[c].name) != 0)
         continue;
      struct egl egl = open_context(cases[c].api);
      create_target();
      cases[c].run();
      holds(glGetError() == GL_NO_ERROR, "%s: a GL error", argv[1]);
      egl_close(&egl);
   }
   return check_status();
}
