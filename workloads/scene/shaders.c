/* SPDX-License-Identifier: MIT */
/** Shaders with as many instructions as are asked for: what draws the scene, and after it instructions that each need
 * the result of the one before and leave the colour as it is, so that no compiler can remove or join them. An
 * instruction is one on scalars, as GPUs of today execute them; a product with the addition that alone uses it is one; a
 * texture read and a written target are one each. */
#include <GLES3/gl3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

#define SOURCE_BYTES 65536

struct source {
   char *text;
   size_t length;
};

static void __attribute__((format(printf, 2, 3)))
add(struct source *source, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   source->length +=
      vsnprintf(source->text + source->length, SOURCE_BYTES - source->length, format, arguments);
   va_end(arguments);
   if (source->length >= SOURCE_BYTES)
      fail("more instructions than a shader can have");
}

static struct source
start(void)
{
   struct source source = {.text = allocate(SOURCE_BYTES, 1)};
   add(&source, "#version 300 es\nprecision highp float;\nprecision highp sampler2D;\n");
   return source;
}

/* same[0] and same[3] are 1, same[1] is less and same[2] more than anything; the compiler does not know. */
static void
add_filler(struct source *source, const char *name, unsigned count)
{
   static const char *const steps[] = {
      "   %s = %s * same[0].x;\n",
      "   %s = max(%s, same[1].x);\n",
      "   %s = %s * same[3].x;\n",
      "   %s = min(%s, same[2].x);\n",
   };
   for (unsigned i = 0; i < count; i++)
      add(source, steps[i % 4], name, name);
}

static GLuint
compile(GLenum stage, struct source source)
{
   const GLuint shader = glCreateShader(stage);
   const char *text = source.text;
   glShaderSource(shader, 1, &text, NULL);
   glCompileShader(shader);
   GLint compiled;
   glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
   if (!compiled) {
      char log[1000];
      glGetShaderInfoLog(shader, sizeof log, NULL, log);
      fail("a shader does not compile: %s\n%s", log, text);
   }
   free(source.text);
   return shader;
}

static unsigned
build(struct source vertex, struct source fragment)
{
   static const float same[4][4] = {{1}, {-1e30f}, {1e30f}, {1}};
   const GLuint program = glCreateProgram();
   const GLuint shaders[2] = {compile(GL_VERTEX_SHADER, vertex), compile(GL_FRAGMENT_SHADER, fragment)};
   for (unsigned i = 0; i < 2; i++)
      glAttachShader(program, shaders[i]);
   glBindAttribLocation(program, 0, "position");
   glBindAttribLocation(program, 1, "coordinates");
   glBindAttribLocation(program, 2, "normal");
   glLinkProgram(program);
   for (unsigned i = 0; i < 2; i++)
      glDeleteShader(shaders[i]);
   GLint linked;
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   if (!linked)
      fail("shaders do not link");
   glUseProgram(program);
   glUniform4fv(glGetUniformLocation(program, "same"), 4, same[0]);
   for (unsigned i = 0; i < MAX_READS; i++) {
      char name[16];
      snprintf(name, sizeof name, "unit%u", i);
      glUniform1i(glGetUniformLocation(program, name), i);
   }
   return program;
}

/* view: pixels to clip coordinates, the horizon; depth: z of the clip coordinates. */
static void
add_transformation(struct source *source, bool perspective)
{
   add(source, "uniform vec4 object;\nuniform vec4 view;\nuniform vec4 same[4];\nin vec3 position;\n");
   add(source, "vec4 place()\n{\n   vec3 at = object.xyz + object.w * position;\n");
   add(source,
       perspective
          ? "   return vec4(at.xy * view.xy + vec2(0.0, view.z * at.z), at.z * 1.016 - 1.008, at.z);\n}\n"
          : "   return vec4(at.xy * view.xy + vec2(0.0, view.z), 0.0, 1.0);\n}\n");
}

/* Instructions without any fillers: the reads and targets, four per colour that is combined, but for the one that is
 * added to a product, one that joins the four. */
static unsigned
fragment_needs(struct shader_request request)
{
   const unsigned reads = request.reads ? request.reads : 1, combined = reads - 1 + request.attributes - 2;
   const bool filled = request.instructions > reads + request.targets;
   const unsigned added = request.attributes >= 4;
   return reads + request.targets + 4 * (combined - added) + (combined || filled);
}

static unsigned
vertex_needs(struct shader_request request)
{
   static const unsigned attributes[MAX_ATTRIBUTES + 1] = {[3] = 10, [4] = 15, [5] = 23};
   return (request.perspective ? 13 : 10) + attributes[request.attributes];
}

unsigned
build_scene_program(struct shader_request request)
{
   struct source vertex = start(), fragment = start();
   const bool light = request.attributes >= 3, detail = request.attributes >= 4,
              tangent = request.attributes >= 5;
   add_transformation(&vertex, request.perspective);
   add(&vertex, "in vec2 coordinates;\nuniform vec2 scroll;\nout vec2 uv;\n");
   if (light)
      add(&vertex, "in vec3 normal;\nuniform vec3 tint;\nout vec4 lit;\n");
   add(&vertex, "%s%svoid main()\n{\n", detail ? "out vec4 shine;\n" : "", tangent ? "out vec4 glow;\n" : "");
   add(&vertex, "   vec4 at = place();\n");
   const unsigned transformed = vertex_needs(request);
   if (request.vertex_instructions > transformed)
      add_filler(&vertex, "at.x", request.vertex_instructions - transformed);
   add(&vertex, "   gl_Position = at;\n   uv = coordinates + scroll;\n");
   if (light)
      add(&vertex, "   float sun = 0.62 + 0.5 * max(dot(normal, vec3(0.35, 0.7, -0.6)), 0.0);\n"
                   "   lit = vec4(tint * sun, sun);\n");
   if (detail)
      add(&vertex, "   shine = 0.04 * normal.yzxz + vec4(0.02);\n");
   if (tangent)
      add(&vertex, "   glow = 1.0 + 0.04 * normal.xzyx;\n");
   add(&vertex, "}\n");

   const unsigned reads = request.reads ? request.reads : 1;
   add(&fragment, "in vec2 uv;\nuniform vec4 same[4];\n%s%s%s", light ? "in vec4 lit;\n" : "",
       detail ? "in vec4 shine;\n" : "", tangent ? "in vec4 glow;\n" : "");
   for (unsigned i = 0; i < reads; i++)
      add(&fragment, "uniform sampler2D unit%u;\n", i);
   for (unsigned i = 0; i < request.targets; i++)
      add(&fragment, "layout(location = %u) out vec4 color%u;\n", i, i);
   add(&fragment, "void main()\n{\n   vec4 color = texture(unit0, uv);\n");
   for (unsigned i = 1; i < reads; i++)
      add(&fragment, "   color = max(color, texture(unit%u, uv));\n", i);
   add(&fragment, "%s%s%s", light ? "   color *= lit;\n" : "", detail ? "   color += shine;\n" : "",
       tangent ? "   color *= glow;\n" : "");
   const unsigned needed = fragment_needs(request);
   add_filler(&fragment, "color.x", request.instructions > needed ? request.instructions - needed : 0);
   for (unsigned i = 0; i < request.targets; i++)
      add(&fragment, "   color%u = color;\n", i);
   add(&fragment, "}\n");
   return build(vertex, fragment);
}

unsigned
build_shadow_program(bool color, bool perspective)
{
   struct source vertex = start(), fragment = start();
   add_transformation(&vertex, perspective);
   add(&vertex,
       "out float far;\nvoid main()\n{\n   gl_Position = place();\n   far = gl_Position.w / 16.0;\n}\n");
   add(&fragment, color ? "in float far;\nout vec4 color;\nvoid main()\n{\n   color = vec4(far, fract(far * "
                          "255.0), 0.0, 1.0);\n}\n"
                        : "void main()\n{\n}\n");
   return build(vertex, fragment);
}

/** A rectangle of the target, of which unit 0 to reads - 1 are averaged. */
unsigned
build_full_screen_program(unsigned reads, unsigned instructions)
{
   struct source vertex = start(), fragment = start();
   add(&vertex, "uniform vec4 object;\nin vec3 position;\nout vec2 uv;\nvoid main()\n{\n"
                "   vec2 at = position.xy * object.xy;\n   gl_Position = vec4(at * 2.0 - 1.0, 0.0, 1.0);\n"
                "   uv = at;\n}\n");
   add(&fragment, "in vec2 uv;\nuniform vec4 same[4];\nuniform vec4 shares[%u];\nout vec4 color;\n",
       MAX_READS);
   for (unsigned i = 0; i < reads; i++)
      add(&fragment, "uniform sampler2D unit%u;\n", i);
   add(&fragment, "void main()\n{\n   vec4 sum = texture(unit0, uv) * shares[0];\n");
   for (unsigned i = 1; i < reads; i++)
      add(&fragment, "   sum += texture(unit%u, uv) * shares[%u];\n", i, i);
   add_filler(&fragment, "sum.x", instructions > 5 * reads + 4 ? instructions - 5 * reads - 4 : 0);
   add(&fragment, "   color = sum;\n}\n");
   return build(vertex, fragment);
}
