/* SPDX-License-Identifier: MIT */
/* passes: in each frame draws over all of a texture, does what the frame's scene is about, and draws over all of it again.
 * Prints the scenes' names, a line for each frame; passes_test.py has what ends a pass, and what that costs. */
#include <GLES3/gl32.h>
#include <GLES2/gl2ext.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define WIDTH 128
#define HEIGHT 96
#define OTHER_SIZE 32 /* of other textures: a tile */
#define QUADS 40      /* of a draw that needs more of the Parameter Buffer than there is */

static struct egl egl;
static GLuint plain_program, textured_program, slow_program, block_program, storing_program, vertex_program,
   compute_program;
static GLuint target, target_framebuffer, others[2], other_framebuffers[2], samples_framebuffer;
static GLuint quad, quads, block, storage, pack_buffer, texture_of_zeros;
static PFNGLQUERYCOUNTEREXTPROC query_counter;
static PFNGLGETQUERYOBJECTUI64VEXTPROC get_query_result;
static PFNEGLCREATESYNCPROC create_sync;
static PFNEGLDESTROYSYNCPROC destroy_sync;
static PFNEGLCLIENTWAITSYNCPROC client_wait_sync;
static GLubyte pixels[WIDTH * HEIGHT * 4];

/* ---- what is drawn -------------------------------------------------------- */

static void
make_programs(void)
{
   static const char version[] = "#version 310 es\nprecision mediump float;\n";
   static const char vertex[] =
      "in vec2 position;\nvoid main() { gl_Position = vec4(position, 0.0, 1.0); }\n";
   plain_program =
      build_versioned_program(version, vertex, "out vec4 result;\nvoid main() { result = vec4(0.2); }\n");
   textured_program = build_versioned_program(
      version, vertex,
      "uniform sampler2D image;\nout vec4 result;\n"
      "void main() { result = vec4(0.2) + texture(image, gl_FragCoord.xy / 128.0); }\n");
   slow_program = build_versioned_program(
      version, vertex,
      "uniform sampler2D image;\nout vec4 result;\n"
      "void main() {\n"
      "   highp float x = gl_FragCoord.x;\n"
      "   for (int i = 0; i < 4000; i++)\n"
      "      x = fract(x * 1.37 + 0.11);\n"
      "   result = vec4(x > 2.0 ? 1.0 : 0.2) + texture(image, gl_FragCoord.xy / 128.0);\n"
      "}\n");
   block_program = build_versioned_program(version, vertex,
                                           "layout(std140, binding = 0) uniform Block { vec4 color; };\n"
                                           "out vec4 result;\nvoid main() { result = color; }\n");
   storing_program = build_versioned_program(
      version, vertex,
      "layout(std430, binding = 0) buffer Storage { uint fragments; };\n"
      "out vec4 result;\nvoid main() { atomicAdd(fragments, 1u); result = vec4(0.2); }\n");
   vertex_program = build_versioned_program(
      version,
      "in vec2 position;\nuniform sampler2D image;\n"
      "void main() { gl_Position = vec4(position, texelFetch(image, ivec2(0), 0).x, 1.0); }\n",
      "out vec4 result;\nvoid main() { result = vec4(0.2); }\n");
   compute_program =
      link_shaders(compile_shader(GL_COMPUTE_SHADER, version,
                                  "layout(local_size_x = 1) in;\nuniform sampler2D image;\n"
                                  "layout(std430, binding = 0) buffer Storage { uint value; };\n"
                                  "void main() { value = uint(texelFetch(image, ivec2(0), 0).x); }\n"),
                   0);
}

static GLuint
make_texture(GLsizei width, GLsizei height, GLsizei levels)
{
   const GLuint texture = bind_new_texture(GL_TEXTURE_2D);
   glTexStorage2D(GL_TEXTURE_2D, levels, GL_RGBA8, width, height);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   return texture;
}

static GLuint
make_framebuffer(GLuint texture)
{
   const GLuint framebuffer = bind_new_framebuffer(texture);
   return framebuffer;
}

static void
make_objects(void)
{
   static const float corners[] = {-1, -1, 3, -1, -1, 3};
   static const float color[] = {0.2f, 0.2f, 0.2f, 0.2f};
   float many[QUADS][12];
   GLuint buffer;
   for (unsigned i = 0; i < QUADS; i++) {
      static const float two[12] = {-1, -1, 1, -1, -1, 1, 1, -1, 1, 1, -1, 1};
      memcpy(many[i], two, sizeof two);
   }
   quads = create_buffer(GL_ARRAY_BUFFER, many, sizeof many);
   block = create_buffer(GL_UNIFORM_BUFFER, color, sizeof color);
   storage = create_buffer(GL_SHADER_STORAGE_BUFFER, color, sizeof color);
   pack_buffer = create_buffer(GL_PIXEL_PACK_BUFFER, NULL, sizeof pixels);
   glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
   quad = create_buffer(GL_ARRAY_BUFFER, corners, sizeof corners);
   glBindBufferBase(GL_UNIFORM_BUFFER, 0, block);
   glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, storage);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);

   glGenRenderbuffers(1, &buffer);
   glBindRenderbuffer(GL_RENDERBUFFER, buffer);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, WIDTH, HEIGHT);
   samples_framebuffer = bind_new_framebuffer(0);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
   for (unsigned i = 0; i < 2; i++) {
      others[i] = make_texture(OTHER_SIZE, OTHER_SIZE, 6);
      other_framebuffers[i] = make_framebuffer(others[i]);
      glClear(GL_COLOR_BUFFER_BIT);
   }
   target = make_texture(WIDTH, HEIGHT, 1);
   target_framebuffer = make_framebuffer(target);
   texture_of_zeros = make_texture(OTHER_SIZE, OTHER_SIZE, 1);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, OTHER_SIZE, OTHER_SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   glViewport(0, 0, WIDTH, HEIGHT);
   glBlendFunc(GL_ONE, GL_ONE);
   glEnable(GL_BLEND);
}

/* Adds 0.2 to every pixel of what is bound. */
static void
draw_with(GLuint program)
{
   glUseProgram(program);
   glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void
draw(void)
{
   draw_with(plain_program);
}

static void
draw_to_other(unsigned i)
{
   glBindFramebuffer(GL_FRAMEBUFFER, other_framebuffers[i]);
   draw();
   glBindFramebuffer(GL_FRAMEBUFFER, target_framebuffer);
}

/* ---- flushes and fences --------------------------------------------------- */

static void
nothing(void)
{
}

static void
flush(void)
{
   glFlush();
}

static void
finish(void)
{
   glFinish();
}

static void
fence(void)
{
   glDeleteSync(glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0));
}

static void
fence_waited(void)
{
   const GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
   const GLenum result = glClientWaitSync(sync, GL_SYNC_FLUSH_COMMANDS_BIT, GL_TIMEOUT_IGNORED);
   holds(result == GL_CONDITION_SATISFIED || result == GL_ALREADY_SIGNALED, "a wait without a limit: %x",
         result);
   glDeleteSync(sync);
}

static void
fence_polled(void)
{
   const GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
   GLint status = GL_UNSIGNALED;
   while (status != GL_SIGNALED)
      glGetSynciv(sync, GL_SYNC_STATUS, 1, NULL, &status);
   glDeleteSync(sync);
}

static void
fence_waited_by_server(void)
{
   const GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
   glWaitSync(sync, 0, GL_TIMEOUT_IGNORED);
   glDeleteSync(sync);
}

static void
fence_and_flush(void)
{
   const GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
   glFlush();
   glClientWaitSync(sync, 0, GL_TIMEOUT_IGNORED);
   glDeleteSync(sync);
}

static void
egl_fence(void)
{
   const EGLSync sync = create_sync(egl.display, EGL_SYNC_FENCE, NULL);
   require(sync != EGL_NO_SYNC, "eglCreateSync");
   holds(client_wait_sync(egl.display, sync, EGL_SYNC_FLUSH_COMMANDS_BIT, EGL_FOREVER) ==
            EGL_CONDITION_SATISFIED,
         "eglClientWaitSync");
   destroy_sync(egl.display, sync);
}

/* ---- queries -------------------------------------------------------------- */

static GLuint
count_samples(void)
{
   GLuint query;
   glGenQueries(1, &query);
   glBeginQuery(GL_ANY_SAMPLES_PASSED, query);
   draw();
   glEndQuery(GL_ANY_SAMPLES_PASSED);
   return query;
}

static void
check_samples(GLuint query)
{
   GLuint result = 0;
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &result);
   holds(result == 1, "a query counts %u", result);
   glDeleteQueries(1, &query);
}

static GLuint late_query;

static void
query(void)
{
   late_query = count_samples();
}

static void
query_result(void)
{
   check_samples(count_samples());
}

static void
query_available(void)
{
   const GLuint query = count_samples();
   GLuint available = 0;
   while (!available)
      glGetQueryObjectuiv(query, GL_QUERY_RESULT_AVAILABLE, &available);
   check_samples(query);
}

/* Results that are never asked for. */
static void
query_again(void)
{
   late_query = count_samples();
   glBeginQuery(GL_ANY_SAMPLES_PASSED, late_query);
   draw();
   glEndQuery(GL_ANY_SAMPLES_PASSED);
}

static void
query_deleted(void)
{
   const GLuint query = count_samples();
   glDeleteQueries(1, &query);
}

static GLuint late_timers[2];

static void
timer(void)
{
   glGenQueries(2, late_timers);
   glBeginQuery(GL_TIME_ELAPSED_EXT, late_timers[0]);
   draw();
   glEndQuery(GL_TIME_ELAPSED_EXT);
   query_counter(late_timers[1], GL_TIMESTAMP_EXT);
}

/* ---- the CPU -------------------------------------------------------------- */

static void
read_target(void)
{
   glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

static void
read_into_buffer(void)
{
   glBindBuffer(GL_PIXEL_PACK_BUFFER, pack_buffer);
   glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

static void
read_other(void)
{
   glBindFramebuffer(GL_READ_FRAMEBUFFER, other_framebuffers[0]);
   glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, target_framebuffer);
}

static void
change_vertices(void)
{
   static const float corner[] = {-1, -1};
   glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof corner, corner);
}

static void
change_block(void)
{
   static const float color[] = {0.2f, 0.2f, 0.2f, 0.2f};
   draw_with(block_program);
   glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof color, color);
   draw_with(block_program);
}

static void
change_texture(GLuint texture)
{
   memset(pixels, 0, sizeof pixels);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, OTHER_SIZE, OTHER_SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

static void
change_other_texture(void)
{
   change_texture(others[0]);
}

static void
change_used_texture(void)
{
   glBindTexture(GL_TEXTURE_2D, texture_of_zeros);
   draw_with(textured_program);
   change_texture(texture_of_zeros);
   draw_with(textured_program);
}

static void
change_target(void)
{
   memset(pixels, 51, sizeof pixels);
   glBindTexture(GL_TEXTURE_2D, target);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

/* ---- copies --------------------------------------------------------------- */

static void
mipmap(void)
{
   glBindTexture(GL_TEXTURE_2D, others[0]);
   glGenerateMipmap(GL_TEXTURE_2D);
}

static void
mipmap_of_used(void)
{
   glBindTexture(GL_TEXTURE_2D, others[0]);
   draw_with(textured_program);
   glGenerateMipmap(GL_TEXTURE_2D);
}

static void
copy_texture(GLuint from, GLuint to)
{
   glCopyImageSubData(from, GL_TEXTURE_2D, 0, 0, 0, 0, to, GL_TEXTURE_2D, 0, 0, 0, 0, OTHER_SIZE, OTHER_SIZE,
                      1);
}

static void
copy(void)
{
   copy_texture(others[0], others[1]);
}

/* Fills the other textures: the first with 0, the second with 0.2. */
static void
fill_others(void)
{
   for (unsigned i = 0; i < 2; i++) {
      memset(pixels, 51 * i, sizeof pixels);
      glBindTexture(GL_TEXTURE_2D, others[i]);
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, OTHER_SIZE, OTHER_SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   }
}

/* Into a texture that draws before and after it read. */
static void
copy_over_used(void)
{
   fill_others();
   glBindTexture(GL_TEXTURE_2D, others[0]);
   draw_with(textured_program);
   copy_texture(others[1], others[0]);
   draw_with(textured_program);
}

/* The same without a draw before it. */
static void
copy_before_use(void)
{
   fill_others();
   copy_texture(others[1], others[0]);
   glBindTexture(GL_TEXTURE_2D, others[0]);
   draw_with(textured_program);
}

/* A copy reads a texture, which is changed when the pass that reads it, too, is still being rendered. */
static void
copy_and_change(void)
{
   fill_others();
   glBindTexture(GL_TEXTURE_2D, others[1]);
   draw_with(slow_program);
   copy_texture(others[1], others[0]);
   glFlush();
   change_texture(others[1]);
}

static void
copy_target(void)
{
   glBindTexture(GL_TEXTURE_2D, others[0]);
   glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, OTHER_SIZE, OTHER_SIZE);
   draw_with(textured_program);
}

static void
copy_other(void)
{
   glBindTexture(GL_TEXTURE_2D, others[1]);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, other_framebuffers[0]);
   glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, OTHER_SIZE, OTHER_SIZE);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, target_framebuffer);
}

static void
blit_others(void)
{
   glBindFramebuffer(GL_READ_FRAMEBUFFER, other_framebuffers[0]);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, other_framebuffers[1]);
   glBlitFramebuffer(0, 0, OTHER_SIZE, OTHER_SIZE, OTHER_SIZE, 0, 0, OTHER_SIZE, GL_COLOR_BUFFER_BIT,
                     GL_NEAREST);
   glBindFramebuffer(GL_FRAMEBUFFER, target_framebuffer);
}

static void
blit_to_target(void)
{
   glBindFramebuffer(GL_READ_FRAMEBUFFER, other_framebuffers[0]);
   glBlitFramebuffer(0, 0, 1, 1, 0, 0, 1, 1, GL_COLOR_BUFFER_BIT, GL_NEAREST);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, target_framebuffer);
}

/* ---- the GPU -------------------------------------------------------------- */

static void
other_framebuffer(void)
{
   draw_to_other(0);
}

static void
same_framebuffer(void)
{
   glBindFramebuffer(GL_FRAMEBUFFER, 0);
   glBindFramebuffer(GL_FRAMEBUFFER, target_framebuffer);
}

static void
barrier(void)
{
   glMemoryBarrier(GL_ALL_BARRIER_BITS);
}

static void
store_and_barrier(void)
{
   draw_with(storing_program);
   glMemoryBarrier(GL_ALL_BARRIER_BITS);
}

/* As a uniform block, without a barrier. */
static void
store_and_use(void)
{
   draw_with(storing_program);
   glBindBufferBase(GL_UNIFORM_BUFFER, 0, storage);
   draw_with(block_program);
   glBindBufferBase(GL_UNIFORM_BUFFER, 0, block);
}

static void
compute(GLuint texture)
{
   glBindTexture(GL_TEXTURE_2D, texture);
   glUseProgram(compute_program);
   glDispatchCompute(1, 1, 1);
}

static void
compute_of_other(void)
{
   compute(others[0]);
}

static void
compute_of_target(void)
{
   compute(target);
}

static void
vertices_of_other(void)
{
   glBindTexture(GL_TEXTURE_2D, texture_of_zeros);
   draw_with(vertex_program);
}

/* Of which the pass before has the texture. */
static void
vertices_of_texture(void)
{
   draw_to_other(0);
   glBindTexture(GL_TEXTURE_2D, others[0]);
   draw_with(vertex_program);
}

static void
many_primitives(void)
{
   glUseProgram(plain_program);
   glBindBuffer(GL_ARRAY_BUFFER, quads);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glDrawArrays(GL_TRIANGLES, 0, 6 * QUADS);
   glBindBuffer(GL_ARRAY_BUFFER, quad);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
}

static void
resolve(void)
{
   glBindFramebuffer(GL_FRAMEBUFFER, samples_framebuffer);
   glClear(GL_COLOR_BUFFER_BIT);
   draw();
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target_framebuffer);
   glBlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT, GL_COLOR_BUFFER_BIT, GL_NEAREST);
   glBindFramebuffer(GL_FRAMEBUFFER, samples_framebuffer);
   draw();
   glBindFramebuffer(GL_FRAMEBUFFER, target_framebuffer);
}

/* ---- frames --------------------------------------------------------------- */

#define SCENE(function, added) {#function, function, added}
static const struct {
   const char *name;
   void (*act)(void);
   unsigned added; /* to the target by it, in units of 0.2 */
} scenes[] = {
   SCENE(nothing, 0),
   SCENE(flush, 0),
   SCENE(finish, 0),
   SCENE(fence, 0),
   SCENE(fence_waited, 0),
   SCENE(fence_polled, 0),
   SCENE(fence_waited_by_server, 0),
   SCENE(fence_and_flush, 0),
   SCENE(egl_fence, 0),
   SCENE(query, 1),
   SCENE(query_result, 1),
   SCENE(query_available, 1),
   SCENE(query_again, 2),
   SCENE(query_deleted, 1),
   SCENE(timer, 1),
   SCENE(read_target, 0),
   SCENE(read_into_buffer, 0),
   SCENE(read_other, 0),
   SCENE(change_vertices, 0),
   SCENE(change_block, 2),
   SCENE(change_other_texture, 0),
   SCENE(change_used_texture, 2),
   SCENE(change_target, 0),
   SCENE(mipmap, 0),
   SCENE(mipmap_of_used, 1),
   SCENE(copy, 0),
   SCENE(copy_over_used, 3),
   SCENE(copy_before_use, 2),
   SCENE(copy_and_change, 2),
   SCENE(copy_target, 2),
   SCENE(copy_other, 0),
   SCENE(blit_others, 0),
   SCENE(blit_to_target, 0),
   SCENE(other_framebuffer, 0),
   SCENE(same_framebuffer, 0),
   SCENE(barrier, 0),
   SCENE(store_and_barrier, 1),
   SCENE(store_and_use, 2),
   SCENE(compute_of_other, 0),
   SCENE(compute_of_target, 0),
   SCENE(vertices_of_other, 1),
   SCENE(vertices_of_texture, 1),
   SCENE(many_primitives, QUADS),
   SCENE(resolve, 0),
};

/* The last pixel has all that was added to it. */
static void
check_target(unsigned scene)
{
   const unsigned added = 2 + scenes[scene].added, expected = added < 5 ? 51 * added : 255;
   memset(pixels, 0, sizeof pixels);
   glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   const GLubyte *last = pixels + sizeof pixels - 4;
   holds(last[0] == expected && last[3] == expected, "%s: %u instead of %u", scenes[scene].name, last[0],
         expected);
   holds(glGetError() == GL_NO_ERROR, "%s: an error of OpenGL", scenes[scene].name);
}

static void
check_late_queries(void)
{
   if (late_query)
      check_samples(late_query);
   late_query = 0;
   if (!late_timers[0])
      return;
   GLuint64 elapsed = 0, stamp = 0;
   get_query_result(late_timers[0], GL_QUERY_RESULT, &elapsed);
   get_query_result(late_timers[1], GL_QUERY_RESULT, &stamp);
   holds(elapsed > 0 && elapsed < 1000000000000 && stamp > elapsed, "timers: %llu, %llu",
         (unsigned long long)elapsed, (unsigned long long)stamp);
   glDeleteQueries(2, late_timers);
   late_timers[0] = 0;
}

int
main(void)
{
   egl = egl_open_context(
      (struct surface_request){.kind = X11_WINDOW, .width = OTHER_SIZE, .height = OTHER_SIZE}, false, 3, 2);
   query_counter = (PFNGLQUERYCOUNTEREXTPROC)eglGetProcAddress("glQueryCounterEXT");
   get_query_result = (PFNGLGETQUERYOBJECTUI64VEXTPROC)eglGetProcAddress("glGetQueryObjectui64vEXT");
   create_sync = (PFNEGLCREATESYNCPROC)eglGetProcAddress("eglCreateSync");
   destroy_sync = (PFNEGLDESTROYSYNCPROC)eglGetProcAddress("eglDestroySync");
   client_wait_sync = (PFNEGLCLIENTWAITSYNCPROC)eglGetProcAddress("eglClientWaitSync");
   require(has_extension("GL_EXT_disjoint_timer_query") && query_counter && get_query_result,
           "no timer queries");
   require(create_sync && destroy_sync && client_wait_sync, "no fences of EGL 1.5");
   make_programs();
   make_objects();
   egl_swap(&egl);
   puts("");
   for (unsigned i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
      glClear(GL_COLOR_BUFFER_BIT);
      draw();
      scenes[i].act();
      draw();
      check_target(i);
      check_late_queries();
      egl_swap(&egl);
      puts(scenes[i].name);
   }
   egl_close(&egl);
   return check_status();
}
