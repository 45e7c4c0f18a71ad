/* SPDX-License-Identifier: MIT */
/* What a long-running or careless program does. Exits with 0 if all went well:
 *    contexts N   creates and destroys N contexts that draw; memory, threads and
 *                 descriptors must not grow
 *    programs N   compiles N different programs, draws with and deletes each
 *    threads      four threads, each with a context, share textures, buffers, programs
 *    sizes        objects that no memory holds: GL_OUT_OF_MEMORY, and the context stays usable
 *    loops        programs whose loops do not end
 *    bounds       blocks read past their end give zeros, arrays indexed wildly do no harm
 *    exits N      N processes exit while a thread draws on
 *    signals      a signal's handler closes the display while its thread waits in a call of GL
 *    layers N     N layers of blended textures: tiles with more texture reads than may wait */
#include <GLES3/gl3.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define SIZE 64

/* A sanitizer's own memory grows; leaks are for it to find. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMORY_IS_OURS false
#else
#define MEMORY_IS_OURS true
#endif

static struct egl egl;

static EGLContext
create_context(EGLContext shared)
{
   return egl_create_context(&egl, false, 3, 0, shared);
}

static void
make_current(EGLContext context)
{
   egl_make_current(&egl, context);
}

static const char plain_vertex[] = "#version 300 es\n"
                                   "void main() {\n"
                                   "   gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0,\n"
                                   "                      gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);\n"
                                   "}\n";

/** A framebuffer object of its own, bound. */
static GLuint
create_target(GLuint *texture)
{
   glGenTextures(1, texture);
   glBindTexture(GL_TEXTURE_2D, *texture);
   glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SIZE, SIZE);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   const GLuint framebuffer = bind_new_framebuffer(*texture);
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "the framebuffer");
   glViewport(0, 0, SIZE, SIZE);
   return framebuffer;
}

static void
expect(int red, int green, int blue, const char *what)
{
   static const int places[][2] = {{0, 0}, {SIZE - 1, 0}, {SIZE / 2, SIZE / 3}, {SIZE - 1, SIZE - 1}};
   for (int i = 0; i < 4; i++) {
      GLubyte pixel[4] = {0};
      glReadPixels(places[i][0], places[i][1], 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
      require(pixel[0] == red && pixel[1] == green && pixel[2] == blue,
              "%s: %d %d %d instead of %d %d %d at %d, %d", what, pixel[0], pixel[1], pixel[2], red, green,
              blue, places[i][0], places[i][1]);
   }
   require(glGetError() == GL_NO_ERROR, "%s: a GL error", what);
}

/* ---- contexts ------------------------------------------------------------ */

struct usage {
   long kib;
   int threads, files;
};

static int
count_entries(const char *path)
{
   int count = 0;
   DIR *directory = opendir(path);
   require(directory, "cannot read %s", path);
   while (readdir(directory))
      count++;
   closedir(directory);
   return count;
}

static struct usage
measure(void)
{
   long pages = 0;
   FILE *file = fopen("/proc/self/statm", "r");
   require(file && fscanf(file, "%*s %ld", &pages) == 1, "cannot read /proc/self/statm");
   fclose(file);
   return (struct usage){pages * (sysconf(_SC_PAGESIZE) / 1024), count_entries("/proc/self/task"),
                         count_entries("/proc/self/fd")};
}

static void
use_context(void)
{
   static const char fragment[] = "#version 300 es\n"
                                  "precision highp float;\n"
                                  "uniform vec4 color;\n"
                                  "out vec4 result;\n"
                                  "void main() { result = color; }\n";
   GLuint texture, framebuffer = create_target(&texture), program = build_program(plain_vertex, fragment);
   glUseProgram(program);
   glUniform4f(glGetUniformLocation(program, "color"), 0, 1, 0, 1);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   expect(0, 255, 0, "a new context");
   glDeleteProgram(program);
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteTextures(1, &texture);
}

static void
test_contexts(int count)
{
   const int settled = count / 4;
   struct usage before = {0};
   for (int i = 0; i < count; i++) {
      if (i == settled)
         before = measure();
      EGLContext context = create_context(EGL_NO_CONTEXT);
      make_current(context);
      use_context();
      make_current(EGL_NO_CONTEXT);
      require(eglDestroyContext(egl.display, context), "eglDestroyContext");
   }
   const struct usage after = measure();
   const long growth = after.kib - before.kib;
   printf("%d contexts: %ld KiB more, %d threads, %d descriptors\n", count - settled, growth, after.threads,
          after.files);
   require(after.threads <= before.threads, "%d threads became %d", before.threads, after.threads);
   require(after.files <= before.files, "%d descriptors became %d", before.files, after.files);
   /* The heap may be more scattered than before, but not by more the longer it runs. */
   require(!MEMORY_IS_OURS || growth < 8192 + 4L * (count - settled), "%d contexts left %ld KiB",
           count - settled, growth);
}

/* ---- programs ------------------------------------------------------------ */

static void
test_programs(int count)
{
   GLuint texture;
   make_current(create_context(EGL_NO_CONTEXT));
   create_target(&texture);
   struct usage before = {0};
   for (int i = 0; i < count; i++) {
      char fragment[400];
      if (i == count / 4)
         before = measure();
      snprintf(fragment, sizeof fragment,
               "#version 300 es\nprecision highp float;\nout vec4 result;\n"
               "void main() { result = vec4(float(int(gl_FragCoord.x) * 0 + %d) / 255.0, %d.0 / 255.0, 0.0, "
               "1.0); }\n",
               i & 255, i >> 8 & 255);
      GLuint program = build_program(plain_vertex, fragment);
      glUseProgram(program);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      expect(i & 255, i >> 8 & 255, 0, "one of many programs");
      glUseProgram(0);
      glDeleteProgram(program);
   }
   const long growth = measure().kib - before.kib;
   printf("%d programs: %ld KiB more\n", count - count / 4, growth);
   require(!MEMORY_IS_OURS || growth < 8192 + 4L * (count - count / 4), "%d programs left %ld KiB",
           count - count / 4, growth);
}

/* ---- threads ------------------------------------------------------------- */

#define THREADS 4
#define ROUNDS 60
#define ORPHAN_ROUNDS 60
#define ORPHAN_VERTICES 9000
#define ORPHAN_TEXELS 256

static struct {
   EGLContext contexts[THREADS];
   GLuint texture, buffer, program;
} shared;

/** Draws with what all threads share, changes what it has for itself. */
static void *
draw_in_thread(void *data)
{
   const int number = (int)(size_t)data;
   make_current(shared.contexts[number]);
   GLuint target;
   create_target(&target);
   GLuint own;
   glGenTextures(1, &own);
   for (int round = 0; round < ROUNDS; round++) {
      const GLubyte texel[4] = {number * 50, round, 0, 255};
      glActiveTexture(GL_TEXTURE1);
      glBindTexture(GL_TEXTURE_2D, own);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texel);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glActiveTexture(GL_TEXTURE0);
      glBindTexture(GL_TEXTURE_2D, shared.texture);
      glUseProgram(shared.program);
      glBindBuffer(GL_ARRAY_BUFFER, shared.buffer);
      glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
      glEnableVertexAttribArray(0);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      expect(number * 50, round, 255, "a thread's image");
      if (round % 8 == number) {
         char fragment[300];
         snprintf(fragment, sizeof fragment,
                  "#version 300 es\nprecision highp float;\nout vec4 result;\n"
                  "void main() { result = vec4(0.0, 0.0, %d.0 / 255.0, 1.0); }\n",
                  round);
         GLuint program = build_program(plain_vertex, fragment);
         glUseProgram(program);
         glDrawArrays(GL_TRIANGLES, 0, 3);
         expect(0, 0, round, "a thread's own program");
         glDeleteProgram(program);
      }
   }
   make_current(EGL_NO_CONTEXT);
   return NULL;
}

static void
test_threads(void)
{
   static const char vertex[] = "#version 300 es\n"
                                "layout(location = 0) in vec2 corner;\n"
                                "void main() { gl_Position = vec4(corner, 0.0, 1.0); }\n";
   static const char fragment[] =
      "#version 300 es\n"
      "precision highp float;\n"
      "uniform sampler2D common_texture, own_texture;\n"
      "out vec4 result;\n"
      "void main() {\n"
      "   result = texture(common_texture, vec2(0.5)) + texture(own_texture, vec2(0.5));\n"
      "}\n";
   static const float corners[] = {-1, -1, 3, -1, -1, 3};
   static const GLubyte blue[4] = {0, 0, 255, 255};
   EGLContext first = create_context(EGL_NO_CONTEXT);
   make_current(first);
   shared.texture = bind_new_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, blue);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glGenBuffers(1, &shared.buffer);
   glBindBuffer(GL_ARRAY_BUFFER, shared.buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
   shared.program = build_program(vertex, fragment);
   glUseProgram(shared.program);
   glUniform1i(glGetUniformLocation(shared.program, "common_texture"), 0);
   glUniform1i(glGetUniformLocation(shared.program, "own_texture"), 1);
   glFinish();

   pthread_t threads[THREADS];
   for (int i = 0; i < THREADS; i++)
      shared.contexts[i] = create_context(first);
   for (size_t i = 0; i < THREADS; i++)
      require(!pthread_create(&threads[i], NULL, draw_in_thread, (void *)i), "pthread_create");
   for (int i = 0; i < THREADS; i++)
      pthread_join(threads[i], NULL);
   for (int i = 0; i < THREADS; i++)
      eglDestroyContext(egl.display, shared.contexts[i]);
}

/* ---- orphans ------------------------------------------------------------- */

/** Draws with a texture and a buffer whose memory another thread discards meanwhile:
 * what is drawn is undefined, but nothing that is free may be read. */
static void *
draw_with_orphans(void *data)
{
   GLuint target;
   make_current(shared.contexts[(size_t)data]);
   create_target(&target);
   glUseProgram(shared.program);
   glBindBuffer(GL_ARRAY_BUFFER, shared.buffer);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(0);
   glBindTexture(GL_TEXTURE_2D, shared.texture);
   for (int round = 0; round < ORPHAN_ROUNDS; round++)
      glDrawArrays(GL_TRIANGLES, 0, ORPHAN_VERTICES);
   glFinish();
   make_current(EGL_NO_CONTEXT);
   return NULL;
}

static void
test_orphans(void)
{
   static const char vertex[] =
      "#version 300 es\n"
      "layout(location = 0) in vec2 corner;\n"
      "uniform sampler2D values;\n"
      "void main() {\n"
      "   gl_Position = vec4(corner, 0.0, 1.0);\n"
      "   gl_Position.x += texelFetch(values, ivec2(255, gl_VertexID & 255), 0).x;\n"
      "}\n";
   static const char plain[] = "#version 300 es\n"
                               "precision highp float;\n"
                               "out vec4 result;\n"
                               "void main() { result = vec4(1.0); }\n";
   static const char fragment[] = "#version 300 es\n"
                                  "precision highp float;\n"
                                  "uniform sampler2D values;\n"
                                  "out vec4 result;\n"
                                  "void main() { result = texture(values, gl_FragCoord.xy); }\n";
   static float corners[ORPHAN_VERTICES][2];
   static GLubyte texels[ORPHAN_TEXELS][ORPHAN_TEXELS][4];
   for (int i = 0; i < ORPHAN_VERTICES; i++) {
      corners[i][0] = i % 3 == 1;
      corners[i][1] = i % 3 == 2;
   }
   EGLContext first = create_context(EGL_NO_CONTEXT);
   make_current(first);
   GLuint target;
   create_target(&target);
   glGenBuffers(1, &shared.buffer);
   glBindBuffer(GL_ARRAY_BUFFER, shared.buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STREAM_DRAW);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(0);
   shared.texture = bind_new_image(GL_RGBA8, ORPHAN_TEXELS, ORPHAN_TEXELS);
   shared.program = build_program(vertex, plain);
   glUseProgram(build_program(vertex, fragment));
   glFinish();

   pthread_t threads[2];
   for (int i = 0; i < 2; i++)
      shared.contexts[i] = create_context(first);
   for (size_t i = 0; i < 2; i++)
      require(!pthread_create(&threads[i], NULL, draw_with_orphans, (void *)i), "pthread_create");
   for (int round = 0; round < ORPHAN_ROUNDS; round++) {
      /* It gets other memory, for this draw needs what it has; the draw is soon done with that. */
      glDrawArrays(GL_TRIANGLES, 0, 3);
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, ORPHAN_TEXELS, ORPHAN_TEXELS, GL_RGBA, GL_UNSIGNED_BYTE,
                      texels);
      glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STREAM_DRAW);
   }
   glFinish();
   for (int i = 0; i < 2; i++)
      pthread_join(threads[i], NULL);
   require(glGetError() == GL_NO_ERROR, "an error while memory was replaced");
}

/* ---- sizes --------------------------------------------------------------- */

static void
expect_out_of_memory(const char *what)
{
   const GLenum error = glGetError();
   require(error == GL_OUT_OF_MEMORY, "%s: error 0x%x instead of GL_OUT_OF_MEMORY", what, error);
   while (glGetError() != GL_NO_ERROR)
      ;
}

static void
test_sizes(void)
{
   GLint size, layers;
   GLuint names[3];
   make_current(create_context(EGL_NO_CONTEXT));
   glGetIntegerv(GL_MAX_TEXTURE_SIZE, &size);
   glGetIntegerv(GL_MAX_ARRAY_TEXTURE_LAYERS, &layers);
   glGenTextures(3, names);

   glBindTexture(GL_TEXTURE_2D_ARRAY, names[0]);
   glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA32F, size, size, layers);
   expect_out_of_memory("the largest array texture");
   glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA32F, size, size, layers, 0, GL_RGBA, GL_FLOAT, NULL);
   expect_out_of_memory("the largest array texture, level by level");

   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)1 << 45, NULL, GL_STATIC_DRAW);
   expect_out_of_memory("a buffer of 32 TiB");
   glBufferData(GL_ARRAY_BUFFER, ((GLsizeiptr)1 << 32) - 1, NULL, GL_STATIC_DRAW);
   const GLenum error = glGetError();
   require(error == GL_NO_ERROR || error == GL_OUT_OF_MEMORY, "a buffer of 4 GiB: error 0x%x", error);
   glBufferData(GL_ARRAY_BUFFER, 16, NULL, GL_STATIC_DRAW);
   require(glGetError() == GL_NO_ERROR, "a small buffer after the large ones");
   use_context();
}

/* ---- loops --------------------------------------------------------------- */

static void
test_loops(void)
{
   static const char fragment[] = "#version 300 es\n"
                                  "precision highp float;\n"
                                  "uniform int end;\n"
                                  "out vec4 result;\n"
                                  "void main() {\n"
                                  "   int sum = 0;\n"
                                  "   for (int i = 0; i != end; i += 2)\n"
                                  "      for (int j = 0; j != end; j += 2)\n"
                                  "         sum += 1;\n"
                                  "   result = end == 10 ? vec4(0.0, float(sum) / 25.0, 0.0, 1.0)\n"
                                  "                      : vec4(0.0, 1.0, 0.0, 1.0);\n"
                                  "}\n";
   static const char vertex[] = "#version 300 es\n"
                                "uniform int vertex_end;\n"
                                "void main() {\n"
                                "   float sum = 0.0;\n"
                                "   for (int i = 0; i != vertex_end; i += 2)\n"
                                "      sum += 0.001;\n"
                                "   gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0,\n"
                                "                      gl_VertexID == 2 ? 3.0 : -1.0, sum * 1.0e-9, 1.0);\n"
                                "}\n";
   GLuint texture;
   make_current(create_context(EGL_NO_CONTEXT));
   create_target(&texture);
   const GLuint program = build_program(vertex, fragment);
   const GLint end = glGetUniformLocation(program, "end");
   const GLint vertex_end = glGetUniformLocation(program, "vertex_end");
   glUseProgram(program);
   glUniform1i(end, 10);
   glUniform1i(vertex_end, 10);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   expect(0, 255, 0, "loops that end");
   glUniform1i(vertex_end, 11);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glEnable(GL_SCISSOR_TEST);
   glScissor(0, 0, 8, 8);
   glUniform1i(vertex_end, 10);
   glUniform1i(end, 11);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   GLubyte pixel[4];
   glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   require(pixel[0] == 0 && pixel[1] == 255 && pixel[2] == 0, "loops without end: another colour");
}

/* ---- bounds -------------------------------------------------------------- */

static void
test_bounds(void)
{
   static const char fragment[] = "#version 300 es\n"
                                  "precision highp float;\n"
                                  "uniform int index;\n"
                                  "uniform vec4 array[4];\n"
                                  "layout(std140) uniform Block { vec4 values[64]; };\n"
                                  "out vec4 result;\n"
                                  "void main() {\n"
                                  "   vec4 table[3] = vec4[3](vec4(0.0), vec4(0.0), vec4(0.0));\n"
                                  "   table[index & 1] = vec4(0.0, 0.0, 1.0, 0.0);\n"
                                  "   int other = index + int(gl_FragCoord.x) / 1000;\n"
                                  "   vec4 read = max(values[index], values[other]) + table[other] * 0.0;\n"
                                  "   result = vec4(read.x, 1.0, array[other & 3].z, 1.0);\n"
                                  "}\n";
   /* The last ones times a vector's 16 bytes wrap to the block's beginning. */
   static const int indices[] = {4,          5,  63,    64,         1000,       100000,
                                 0x7fffffff, -1, -1000, 0x10000000, 0x30000001, (int)0xf0000002};
   static const float values[4][4] = {{1}, {1}, {1}, {1}};
   GLuint texture, buffer;
   make_current(create_context(EGL_NO_CONTEXT));
   create_target(&texture);
   const GLuint program = build_program(plain_vertex, fragment);
   glUseProgram(program);
   glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Block"), 0);
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_UNIFORM_BUFFER, buffer);
   glBufferData(GL_UNIFORM_BUFFER, sizeof values, values, GL_STATIC_DRAW);
   glBindBufferBase(GL_UNIFORM_BUFFER, 0, buffer);
   for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) {
      glUniform1i(glGetUniformLocation(program, "index"), indices[i]);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      expect(0, 255, 0, "a block read past its end");
   }
}

/* ---- layers -------------------------------------------------------------- */

static void
test_layers(int count)
{
   static const char fragment[] =
      "#version 300 es\n"
      "precision highp float;\n"
      "uniform sampler2D green;\n"
      "out vec4 result;\n"
      "void main() {\n"
      "   result = vec4(0.0);\n"
      "   for (int i = 0; i < 8; i++)\n"
      "      result += texture(green, gl_FragCoord.xy * 0.037 * float(i)) / 8.0;\n"
      "   result.a = 1.0 / 16.0;\n"
      "}\n";
   static GLubyte texels[64 * 64][4];
   GLuint target;
   for (int i = 0; i < 64 * 64; i++)
      texels[i][1] = texels[i][3] = 255;
   make_current(create_context(EGL_NO_CONTEXT));
   create_target(&target);
   bind_new_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 64, 64, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
   glGenerateMipmap(GL_TEXTURE_2D);
   glUseProgram(build_program(plain_vertex, fragment));
   glEnable(GL_BLEND);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   glClearColor(0, 1, 0, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   for (int i = 0; i < count; i++)
      glDrawArrays(GL_TRIANGLES, 0, 3);
   expect(0, 255, 0, "many layers");
}

/* ---- exits ----------------------------------------------------------------- */

static atomic_int passes_drawn;
static atomic_bool is_stopped;
static pthread_t drawing;

static void *
draw_on(void *data)
{
   static const GLubyte texels[SIZE * SIZE][4];
   GLuint target, texture;
   make_current(create_context(EGL_NO_CONTEXT));
   create_target(&target);
   glUseProgram(build_program(plain_vertex, "#version 300 es\n"
                                            "precision highp float;\n"
                                            "uniform sampler2D image;\n"
                                            "out vec4 result;\n"
                                            "void main() {\n"
                                            "   result = texture(image, gl_FragCoord.xy * 0.03);\n"
                                            "}\n"));
   while (!is_stopped) {
      texture = bind_new_texture(GL_TEXTURE_2D);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
      glGenerateMipmap(GL_TEXTURE_2D);
      for (int i = 0; i < 10; i++) {
         glDrawArrays(GL_TRIANGLES, 0, 3);
         glFlush();
      }
      glDeleteTextures(1, &texture);
      passes_drawn++;
   }
   return data;
}

static void
stop_drawing(void)
{
   is_stopped = true;
   pthread_join(drawing, NULL);
}

static void
exit_while_drawing(int after)
{
   alarm(60);
   /* It is called after what EGL registers: the thread draws on after the driver has finished, but not after the
    * libraries have, among which libglvnd frees its tables. */
   atexit(stop_drawing);
   egl = egl_open((struct surface_request){SURFACELESS});
   require(!pthread_create(&drawing, NULL, draw_on, NULL), "pthread_create");
   while (passes_drawn < 2)
      usleep(100);
   usleep(after);
   exit(0);
}

static void
test_exits(int count)
{
   for (int i = 0; i < count; i++) {
      int status;
      const pid_t child = fork();
      require(child >= 0, "fork");
      if (!child)
         exit_while_drawing(i * 700);
      require(waitpid(child, &status, 0) == child, "waitpid");
      require(WIFEXITED(status) && !WEXITSTATUS(status), "exit %d of %d, while a thread draws: %s %d", i + 1,
              count, WIFSIGNALED(status) ? "signal" : "status",
              WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
   }
}

/* ---- signals --------------------------------------------------------------- */

/** As engines do that end at SIGTERM, whatever call their thread is in: it never returns there. */
static void
close_display(int number)
{
   egl_close(&egl);
   _exit(0);
}

/** Draws what takes one thread tenths of a second, and waits for it. */
static void
wait_for_a_signal(int ready)
{
   GLuint target;
   alarm(60);
   require(signal(SIGTERM, close_display) != SIG_ERR, "signal");
   egl = egl_open((struct surface_request){SURFACELESS});
   make_current(create_context(EGL_NO_CONTEXT));
   create_target(&target);
   const GLuint program = build_program(plain_vertex, "#version 300 es\n"
                                                      "precision highp float;\n"
                                                      "uniform int rounds;\n"
                                                      "out vec4 result;\n"
                                                      "void main() {\n"
                                                      "   float sum = 0.0;\n"
                                                      "   for (int i = 0; i < rounds; i++)\n"
                                                      "      for (int j = 0; j < 10000; j++)\n"
                                                      "         sum = sin(sum + gl_FragCoord.x);\n"
                                                      "   result = vec4(sum);\n"
                                                      "}\n");
   glUseProgram(program);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glFinish();
   glUniform1i(glGetUniformLocation(program, "rounds"), 100);
   glEnable(GL_SCISSOR_TEST);
   glScissor(0, 0, SIZE / 4, SIZE / 4); /* one tile: however many threads there are */
   glDrawArrays(GL_TRIANGLES, 0, 3);
   require(write(ready, "", 1) == 1, "write");
   glFinish();
   stop("the picture was ready before the signal");
}

static void
test_signals(void)
{
   int status, ready[2];
   char byte;
   require(!pipe(ready), "pipe");
   const pid_t child = fork();
   require(child >= 0, "fork");
   if (!child)
      wait_for_a_signal(ready[1]);
   require(read(ready[0], &byte, 1) == 1, "read");
   usleep(30000);
   kill(child, SIGTERM);
   require(waitpid(child, &status, 0) == child, "waitpid");
   require(WIFEXITED(status) && !WEXITSTATUS(status), "a display that is closed while glFinish waits: %s %d",
           WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

int
main(int argc, char **argv)
{
   require(
      argc >= 2,
      "usage: robustness contexts N|programs N|threads|orphans|sizes|loops|bounds|exits N|signals|layers N");
   const int number = argc > 2 ? atoi(argv[2]) : 0;
   if (!strcmp(argv[1], "exits")) {
      test_exits(number); /* before there is a display that the processes would share */
      return 0;
   }
   if (!strcmp(argv[1], "signals")) {
      test_signals(); /* likewise */
      return 0;
   }

   egl = egl_open((struct surface_request){SURFACELESS});
   if (!strcmp(argv[1], "contexts"))
      test_contexts(number);
   else if (!strcmp(argv[1], "programs"))
      test_programs(number);
   else if (!strcmp(argv[1], "threads"))
      test_threads();
   else if (!strcmp(argv[1], "orphans"))
      test_orphans();
   else if (!strcmp(argv[1], "sizes"))
      test_sizes();
   else if (!strcmp(argv[1], "loops"))
      test_loops();
   else if (!strcmp(argv[1], "bounds"))
      test_bounds();
   else if (!strcmp(argv[1], "layers"))
      test_layers(number);
   else
      stop("%s: no such test", argv[1]);
   /* Contexts that are still there end with the display. */
   egl_close(&egl);
   eglReleaseThread();
   return 0;
}
