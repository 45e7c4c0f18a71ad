/* SPDX-License-Identifier: MIT */
/* Vertex programs that read textures a different number of times each: vertex n of each instance reads
 * n + 1 texels, the others nothing where `odd` is set and n is even. The image shows what was read. */
#include <EGL/egl.h>
#include <GLES3/gl3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define VERTICES 7
#define INSTANCES 3

static void
require(bool condition, const char *what)
{
   if (condition)
      return;
   fprintf(stderr, "vertex_textures: %s\n", what);
   exit(1);
}

static void
open_context(void)
{
   static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT,
                                   EGL_NONE};
   static const EGLint size[] = {EGL_WIDTH, VERTICES, EGL_HEIGHT, INSTANCES, EGL_NONE};
   static const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE};
   const EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
   EGLConfig config;
   EGLint count;
   require(eglInitialize(display, NULL, NULL), "eglInitialize");
   require(eglChooseConfig(display, wanted, &config, 1, &count) && count, "no config");
   const EGLSurface surface = eglCreatePbufferSurface(display, config, size);
   const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
   require(eglMakeCurrent(display, surface, surface, context), "eglMakeCurrent");
}

/* Points at the pixels of a row for each instance. */
static GLint
use_program(void)
{
   static const char *const sources[] = {
      "#version 300 es\n"
      "uniform sampler2D values;\n"
      "uniform int odd;\n"
      "out float sum;\n"
      "void main() {\n"
      "   sum = 0.0;\n"
      "   if (odd == 0 || (gl_VertexID & 1) == 1) {\n"
      "      for (int i = 0; i <= gl_VertexID; i++)\n"
      "         sum += texelFetch(values, ivec2(i, 0), 0).x;\n"
      "   }\n"
      "   vec2 pixel = vec2(gl_VertexID, gl_InstanceID) + 0.5;\n"
      "   gl_Position = vec4(pixel / vec2(7.0, 3.0) * 2.0 - 1.0, 0.0, 1.0);\n"
      "   gl_PointSize = 1.0;\n"
      "}\n",
      "#version 300 es\n"
      "precision highp float;\n"
      "in float sum;\n"
      "out vec4 color;\n"
      "void main() { color = vec4(sum, 0.0, 0.0, 1.0); }\n"};
   const GLuint program = glCreateProgram();
   GLint linked;
   for (int i = 0; i < 2; i++) {
      const GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
      glShaderSource(shader, 1, &sources[i], NULL);
      glCompileShader(shader);
      glAttachShader(program, shader);
   }
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   require(linked, "the program does not link");
   glUseProgram(program);
   return glGetUniformLocation(program, "odd");
}

/* Texel i is 8 / 255. */
static void
make_texture(void)
{
   GLubyte texels[VERTICES * 4];
   GLuint texture;
   for (int i = 0; i < VERTICES * 4; i++)
      texels[i] = 8;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, VERTICES, 1);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, VERTICES, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
}

static void
draw_and_check(GLint place, int odd)
{
   GLubyte pixels[INSTANCES][VERTICES][4];
   glUniform1i(place, odd);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArraysInstanced(GL_POINTS, 0, VERTICES, INSTANCES);
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
   open_context();
   const GLint place = use_program();
   make_texture();
   draw_and_check(place, 0);
   draw_and_check(place, 1);
   return 0;
}
