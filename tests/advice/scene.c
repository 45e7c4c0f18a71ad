/* SPDX-License-Identifier: MIT */
#include "advice/scene.h"

#include "support/check.h"
#include "support/program.h"

bool is_good;
const struct box everywhere = {-1, -1, 1, 1}, whole_texture = {0, 0, 1, 1};

/* ---- targets -------------------------------------------------------------- */

static struct target
make_any_target(GLenum format, int size, bool depth)
{
   struct target target;
   GLuint buffer;
   target.texture = bind_new_image(format, size, size);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   target.framebuffer = bind_new_framebuffer(target.texture);
   if (depth) {
      buffer = bind_new_renderbuffer(GL_DEPTH_COMPONENT16, size, size);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffer);
   }
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "framebuffer");
   return target;
}

struct target
make_target(int size, bool depth)
{
   return make_any_target(GL_RGBA8, size, depth);
}

struct target
make_target_of(GLenum format, int size)
{
   return make_any_target(format, size, false);
}

void
draw_to(const struct target *target, int size)
{
   glBindFramebuffer(GL_FRAMEBUFFER, target ? target->framebuffer : 0);
   glViewport(0, 0, size, size);
}

void
invalidate(GLenum attachment)
{
   glInvalidateFramebuffer(GL_FRAMEBUFFER, 1, &attachment);
}

void
clear(bool depth)
{
   glClearColor(0.25f, 0.25f, 0.25f, 1);
   glClear(GL_COLOR_BUFFER_BIT | (depth ? GL_DEPTH_BUFFER_BIT : 0));
}

/* ---- boxes ---------------------------------------------------------------- */

GLint
place_of(const char *uniform)
{
   GLint program;
   glGetIntegerv(GL_CURRENT_PROGRAM, &program);
   const GLint place = glGetUniformLocation((GLuint)program, uniform);
   require(place >= 0, "the uniform %s", uniform);
   return place;
}

GLuint
make_box_program(const char *fragment_source)
{
   const GLuint program = build_versioned_program(
      "#version 300 es\n",
      "precision highp float;\n"
      "in vec2 position;\n"
      "uniform vec4 box, part;\n"
      "uniform float depth;\n"
      "out vec2 coordinates;\n"
      "void main() {\n"
      "   coordinates = mix(part.xy, part.zw, position);\n"
      "   gl_Position = vec4(mix(box.xy, box.zw, position), depth * 2.0 - 1.0, 1.0);\n"
      "}\n",
      fragment_source);
   glUseProgram(program);
   return program;
}

void
use_copy_program(void)
{
   static GLuint program;
   if (!program)
      program = make_box_program("precision highp float;\n"
                                 "in vec2 coordinates;\n"
                                 "uniform sampler2D image;\n"
                                 "out vec4 color;\n"
                                 "void main() { color = texture(image, coordinates); }\n");
   glUseProgram(program);
}

void
draw_box(struct box box, struct box part, float depth)
{
   static const GLfloat corners[] = {0, 0, 1, 0, 0, 1, 1, 1};
   static GLuint buffer;
   if (!buffer)
      buffer = create_buffer(GL_ARRAY_BUFFER, corners, sizeof corners);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(0);
   glUniform4f(place_of("box"), box.x0, box.y0, box.x1, box.y1);
   glUniform4f(place_of("part"), part.x0, part.y0, part.x1, part.y1);
   glUniform1f(place_of("depth"), depth);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

void
show(GLuint texture)
{
   draw_to(NULL, WINDOW_SIZE);
   clear(false);
   use_copy_program();
   glBindTexture(GL_TEXTURE_2D, texture);
   draw_box(everywhere, (struct box){1, 0, 0, 1}, 0);
}
