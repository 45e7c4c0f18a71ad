/* SPDX-License-Identifier: MIT */
/* particles bodies|fountain FRAMES: two animations whose objects compute shaders move, drawn in a window.
 *
 * bodies: 512 bodies attract each other; a work-group keeps 64 of them at a time in shared memory.
 * fountain: 4,096 particles fly and fall. Those that are above the ground are written one after another by an atomic
 * counter, which is the count of an indirect draw. */
#include <GLES3/gl31.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define VERSION "#version 310 es\nprecision highp float; precision highp int;\n"
#define SIZE 128
#define BODIES 512
#define PARTICLES 4096

static const char bodies_source[] =
   "layout(local_size_x = 64) in;\n"
   "layout(std430, binding = 0) readonly buffer From { vec4 from[]; };\n"
   "layout(std430, binding = 1) writeonly buffer To { vec4 to[]; };\n"
   "layout(std430, binding = 2) buffer Velocity { vec4 velocity[]; };\n"
   "shared vec4 bodies[64];\n"
   "void main() {\n"
   "   uint me = gl_GlobalInvocationID.x;\n"
   "   vec4 body = from[me];\n"
   "   vec2 force = vec2(0.0);\n"
   "   for (uint first = 0u; first < 512u; first += 64u) {\n"
   "      bodies[gl_LocalInvocationID.x] = from[first + gl_LocalInvocationID.x];\n"
   "      barrier();\n"
   "      for (uint i = 0u; i < 64u; i++) {\n"
   "         vec2 distance = bodies[i].xy - body.xy;\n"
   "         float square = dot(distance, distance) + 0.01;\n"
   "         force += distance * (bodies[i].z / (square * sqrt(square)));\n"
   "      }\n"
   "      barrier();\n"
   "   }\n"
   "   vec2 now = velocity[me].xy + force * 0.002;\n"
   "   velocity[me] = vec4(now, 0.0, 0.0);\n"
   "   to[me] = vec4(body.xy + now * 0.02, body.zw);\n"
   "}\n";

static const char fountain_source[] =
   "layout(local_size_x = 128) in;\n"
   "layout(std430, binding = 0) buffer State { vec4 state[]; };\n"
   "layout(std430, binding = 1) writeonly buffer Drawn { vec4 drawn[]; };\n"
   "layout(std430, binding = 2) buffer Draw { uint count; uint instances; uint first; uint zero; };\n"
   "void main() {\n"
   "   uint me = gl_GlobalInvocationID.x;\n"
   "   vec4 particle = state[me];\n"
   "   particle.xy += particle.zw * 0.0625;\n"
   "   particle.w -= 0.0625;\n"
   "   state[me] = particle;\n"
   "   if (particle.y > -0.75)\n"
   "      drawn[atomicAdd(count, 1u)] = vec4(particle.xy, 0.0, 1.0);\n"
   "}\n";

static GLuint
build_compute(const char *source)
{
   return link_shaders(compile_shader(GL_COMPUTE_SHADER, VERSION, source), 0);
}

static GLuint
bind_storage(unsigned binding, const void *data, size_t bytes)
{
   const GLuint buffer = create_buffer(GL_SHADER_STORAGE_BUFFER, data, bytes);
   glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, buffer);
   return buffer;
}

/** A number from 0 to 1, of 12 bits. */
static float
next_number(void)
{
   static unsigned state = 1;
   state = state * 1664525 + 1013904223;
   return (float)(state >> 20) / 4096;
}

static void
use_points(GLuint buffer)
{
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(0);
}

static void
bodies(const struct egl *egl, GLuint points, int frames)
{
   static float position[BODIES][4], velocity[BODIES][4];
   for (unsigned b = 0; b < BODIES; b++) {
      const float angle = 6.2831853f * next_number(), radius = 0.2f + 0.6f * next_number();
      const float body[4] = {radius * cosf(angle), radius * sinf(angle), 0.02f, 0};
      memcpy(position[b], body, sizeof body);
      velocity[b][0] = -body[1];
      velocity[b][1] = body[0];
   }
   GLuint buffers[2] = {bind_storage(0, position, sizeof position), bind_storage(1, NULL, sizeof position)};
   const GLuint program = build_compute(bodies_source);
   bind_storage(2, velocity, sizeof velocity);
   for (int frame = 0; frame < frames; frame++) {
      const GLuint from = buffers[frame & 1], to = buffers[!(frame & 1)];
      glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, from);
      glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, to);
      glUseProgram(program);
      glDispatchCompute(BODIES / 64, 1, 1);
      glMemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
      glClear(GL_COLOR_BUFFER_BIT);
      glUseProgram(points);
      use_points(to);
      glDrawArrays(GL_POINTS, 0, BODIES);
      egl_swap(egl);
   }
}

static void
fountain(const struct egl *egl, GLuint points, int frames)
{
   static float state[PARTICLES][4];
   static const GLuint none[4] = {0, 1, 0, 0};
   for (unsigned p = 0; p < PARTICLES; p++) {
      const float particle[4] = {0, -0.75f, next_number() - 0.5f, next_number() - 0.25f};
      memcpy(state[p], particle, sizeof particle);
   }
   const GLuint program = build_compute(fountain_source);
   bind_storage(0, state, sizeof state);
   const GLuint drawn = bind_storage(1, NULL, sizeof state), draw = bind_storage(2, none, sizeof none);
   glBindBuffer(GL_DRAW_INDIRECT_BUFFER, draw);
   for (int frame = 0; frame < frames; frame++) {
      glBufferSubData(GL_DRAW_INDIRECT_BUFFER, 0, sizeof none, none);
      glUseProgram(program);
      glDispatchCompute(PARTICLES / 128, 1, 1);
      glMemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT | GL_COMMAND_BARRIER_BIT |
                      GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
      glClear(GL_COLOR_BUFFER_BIT);
      glUseProgram(points);
      use_points(drawn);
      glDrawArraysIndirect(GL_POINTS, NULL);
      egl_swap(egl);
   }
}

int
main(int argc, char **argv)
{
   if (argc < 3)
      return 2;
   struct egl egl =
      egl_open_context((struct surface_request){X11_WINDOW, SIZE, SIZE, .depth = false}, false, 3, 1);
   const GLuint points = build_versioned_program(
      VERSION,
      "in vec4 position; void main() { gl_Position = vec4(position.xy, 0.0, 1.0); gl_PointSize = 2.0; }",
      "out vec4 color; void main() { color = vec4(0.25, 0.125, 0.0625, 1.0); }");
   bind_new_vertex_array();
   glViewport(0, 0, SIZE, SIZE);
   glClearColor(0, 0, 0.25f, 1);
   /* Sums do not depend on the order in which points are drawn. */
   glEnable(GL_BLEND);
   glBlendFunc(GL_ONE, GL_ONE);
   if (!strcmp(argv[1], "bodies"))
      bodies(&egl, points, atoi(argv[2]));
   else
      fountain(&egl, points, atoi(argv[2]));
   holds(glGetError() == GL_NO_ERROR, "GL reports an error");
   egl_close(&egl);
   return check_status();
}
