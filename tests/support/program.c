/* SPDX-License-Identifier: MIT */
#include "support/program.h"

#include <GLES3/gl3.h>
#include <string.h>

#include "support/check.h"

unsigned
compile_shader(unsigned stage, const char *version, const char *source)
{
   const char *const sources[] = {version, source};
   const GLuint shader = glCreateShader(stage);
   GLint compiled;
   char log[2000] = "";
   glShaderSource(shader, 2, sources, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
   glGetShaderInfoLog(shader, sizeof log, NULL, log);
   require(compiled, "a shader does not compile: %s\n%s", log, source);
   return shader;
}

unsigned
link_shaders(unsigned first, unsigned second)
{
   const GLuint shaders[] = {first, second};
   const GLuint program = glCreateProgram();
   GLint linked;
   char log[2000] = "";
   for (unsigned i = 0; i < 2 && shaders[i]; i++) {
      glAttachShader(program, shaders[i]);
      glDeleteShader(shaders[i]);
   }
   glBindAttribLocation(program, 0, "position");
   glBindAttribLocation(program, 1, "coordinates");
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   glGetProgramInfoLog(program, sizeof log, NULL, log);
   require(linked, "a program does not link: %s", log);
   return program;
}

unsigned
build_versioned_program(const char *version, const char *vertex_source, const char *fragment_source)
{
   return link_shaders(compile_shader(GL_VERTEX_SHADER, version, vertex_source),
                       compile_shader(GL_FRAGMENT_SHADER, version, fragment_source));
}

unsigned
build_program(const char *vertex_source, const char *fragment_source)
{
   return build_versioned_program("", vertex_source, fragment_source);
}

unsigned
create_buffer(unsigned target, const void *data, size_t bytes)
{
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(target, buffer);
   glBufferData(target, (GLsizeiptr)bytes, data, GL_STATIC_DRAW);
   return buffer;
}

unsigned
bind_new_texture(unsigned target)
{
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(target, texture);
   return texture;
}

unsigned
bind_new_image(unsigned format, int width, int height)
{
   const GLuint texture = bind_new_texture(GL_TEXTURE_2D);
   glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
   return texture;
}

unsigned
bind_new_renderbuffer(unsigned format, int width, int height)
{
   GLuint renderbuffer;
   glGenRenderbuffers(1, &renderbuffer);
   glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
   glRenderbufferStorage(GL_RENDERBUFFER, format, width, height);
   return renderbuffer;
}

unsigned
bind_new_framebuffer(unsigned texture)
{
   GLuint framebuffer;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   if (texture)
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   return framebuffer;
}

unsigned
bind_new_vertex_array(void)
{
   GLuint array;
   glGenVertexArrays(1, &array);
   glBindVertexArray(array);
   return array;
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
