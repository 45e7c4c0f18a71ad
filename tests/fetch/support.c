/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>

void
require(bool condition, const char *what)
{
   if (condition)
      return;
   fprintf(stderr, "failed: %s (GL error 0x%x)\n", what, eglGetCurrentContext() ? glGetError() : 0);
   exit(2);
}

void
open_context(bool desktop)
{
   static const EGLint version_es[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
   static const EGLint version_gl[] = {EGL_CONTEXT_MAJOR_VERSION,
                                       3,
                                       EGL_CONTEXT_MINOR_VERSION,
                                       3,
                                       EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                       EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                       EGL_NONE};
   PFNEGLGETPLATFORMDISPLAYEXTPROC get_display = (void *)eglGetProcAddress("eglGetPlatformDisplayEXT");
   EGLDisplay display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   require(eglInitialize(display, NULL, NULL), "eglInitialize");
   eglBindAPI(desktop ? EGL_OPENGL_API : EGL_OPENGL_ES_API);
   const EGLContext context =
      eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, desktop ? version_gl : version_es);
   require(context != EGL_NO_CONTEXT, "eglCreateContext");
   require(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context), "eglMakeCurrent");
   GLuint array;
   glGenVertexArrays(1, &array);
   glBindVertexArray(array);
   glEnableVertexAttribArray(0);
}

bool
has_extension(const char *name)
{
   GLint count;
   glGetIntegerv(GL_NUM_EXTENSIONS, &count);
   for (GLint i = 0; i < count; i++) {
      if (!strcmp((const char *)glGetStringi(GL_EXTENSIONS, i), name))
         return true;
   }
   return false;
}

GLuint
make_program(const char *version, const char *vertex_source, const char *fragment_source)
{
   const char *const sources[2][2] = {{version, vertex_source}, {version, fragment_source}};
   const GLuint program = glCreateProgram();
   char log[2000] = "";
   for (int i = 0; i < 2; i++) {
      const GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
      GLint compiled;
      glShaderSource(shader, 2, sources[i], NULL);
      glCompileShader(shader);
      glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
      glGetShaderInfoLog(shader, sizeof log, NULL, log);
      require(compiled, log);
      glAttachShader(program, shader);
      glDeleteShader(shader);
   }
   glBindAttribLocation(program, 0, "position");
   glLinkProgram(program);
   GLint linked;
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   glGetProgramInfoLog(program, sizeof log, NULL, log);
   require(linked, log);
   return program;
}

unsigned
random_below(unsigned end)
{
   static uint32_t state = 1;
   state = state * 1664525 + 1013904223;
   return (state >> 16) % end;
}

void
draw_triangles(const float (*vertices)[3], unsigned count)
{
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, count * sizeof vertices[0], vertices, GL_STATIC_DRAW);
   glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
   glDrawArrays(GL_TRIANGLES, 0, count);
   glDeleteBuffers(1, &buffer);
}
