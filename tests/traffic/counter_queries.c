/* SPDX-License-Identifier: MIT */
/* counter_queries: the model's counters as an application asks for them (GL_AMD_performance_monitor): what a
 * pass costs is in the last query that saw a part of it, and no query ends a pass. */
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 64
#define ALL (SIZE * SIZE)

static const char *current = "";

static PFNGLGETPERFMONITORCOUNTERSAMDPROC get_counters;
static PFNGLGETPERFMONITORCOUNTERSTRINGAMDPROC get_name;
static PFNGLGENPERFMONITORSAMDPROC gen_monitors;
static PFNGLSELECTPERFMONITORCOUNTERSAMDPROC select_counters;
static PFNGLBEGINPERFMONITORAMDPROC begin_monitor;
static PFNGLENDPERFMONITORAMDPROC end_monitor;
static PFNGLGETPERFMONITORCOUNTERDATAAMDPROC get_data;

static void
require(int condition, const char *what)
{
   if (condition)
      return;
   fprintf(stderr, "counter_queries: %s: %s\n", current, what);
   exit(1);
}

/* ---- a context ----------------------------------------------------------- */

static void
load_functions(void)
{
   get_counters = (PFNGLGETPERFMONITORCOUNTERSAMDPROC)eglGetProcAddress("glGetPerfMonitorCountersAMD");
   get_name = (PFNGLGETPERFMONITORCOUNTERSTRINGAMDPROC)eglGetProcAddress("glGetPerfMonitorCounterStringAMD");
   gen_monitors = (PFNGLGENPERFMONITORSAMDPROC)eglGetProcAddress("glGenPerfMonitorsAMD");
   select_counters =
      (PFNGLSELECTPERFMONITORCOUNTERSAMDPROC)eglGetProcAddress("glSelectPerfMonitorCountersAMD");
   begin_monitor = (PFNGLBEGINPERFMONITORAMDPROC)eglGetProcAddress("glBeginPerfMonitorAMD");
   end_monitor = (PFNGLENDPERFMONITORAMDPROC)eglGetProcAddress("glEndPerfMonitorAMD");
   get_data = (PFNGLGETPERFMONITORCOUNTERDATAAMDPROC)eglGetProcAddress("glGetPerfMonitorCounterDataAMD");
   require(strstr((const char *)glGetString(GL_EXTENSIONS), "GL_AMD_performance_monitor") != NULL,
           "there is no GL_AMD_performance_monitor");
}

static GLuint
compile(GLenum stage, const char *source)
{
   const GLuint shader = glCreateShader(stage);
   glShaderSource(shader, 1, &source, NULL);
   glCompileShader(shader);
   return shader;
}

static void
create_context(void)
{
   static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT,
                                   EGL_NONE};
   static const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
   static const EGLint size[] = {EGL_WIDTH, SIZE, EGL_HEIGHT, SIZE, EGL_NONE};
   static const GLfloat corners[] = {-1, -1, 3, -1, -1, 3};
   EGLConfig config;
   EGLint count;
   EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
   require(eglInitialize(display, NULL, NULL), "eglInitialize");
   require(eglChooseConfig(display, wanted, &config, 1, &count) && count, "eglChooseConfig");
   EGLSurface surface = eglCreatePbufferSurface(display, config, size);
   EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
   require(eglMakeCurrent(display, surface, surface, context), "eglMakeCurrent");

   const GLuint program = glCreateProgram();
   glAttachShader(program, compile(GL_VERTEX_SHADER,
                                   "attribute vec2 p; void main() { gl_Position = vec4(p, 0., 1.); }"));
   glAttachShader(program,
                  compile(GL_FRAGMENT_SHADER, "void main() { gl_FragColor = vec4(0., 1., 0., 1.); }"));
   glBindAttribLocation(program, 0, "p");
   glLinkProgram(program);
   glUseProgram(program);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
}

/** Covers all pixels; of several in a pass the last is seen. */
static void
draw(void)
{
   glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* ---- monitors ------------------------------------------------------------ */

static GLuint group, passes, fragments;

static GLuint
find_counter(const char *wanted)
{
   GLuint counters[64];
   GLint count;
   char name[128];
   get_counters(group, &count, NULL, 64, counters);
   for (GLint i = 0; i < count && i < 64; i++) {
      get_name(group, counters[i], sizeof name, NULL, name);
      if (!strcmp(name, wanted))
         return counters[i];
   }
   require(0, wanted);
   return 0;
}

static GLuint
create_monitor(void)
{
   GLuint monitor;
   gen_monitors(1, &monitor);
   select_counters(monitor, GL_TRUE, group, 1, &passes);
   select_counters(monitor, GL_TRUE, group, 1, &fragments);
   return monitor;
}

static GLuint
watched_draw(void)
{
   const GLuint monitor = create_monitor();
   begin_monitor(monitor);
   draw();
   end_monitor(monitor);
   return monitor;
}

static void
expect(GLuint monitor, uint64_t wanted_passes, uint64_t wanted_fragments)
{
   GLuint available = 0, data[8];
   GLint bytes;
   get_data(monitor, GL_PERFMON_RESULT_AVAILABLE_AMD, sizeof available, &available, NULL);
   require(available, "a result is not available");
   get_data(monitor, GL_PERFMON_RESULT_AMD, sizeof data, data, &bytes);
   require(bytes == sizeof data, "a result has another size");
   for (unsigned i = 0; i < 8; i += 4) {
      uint64_t value;
      memcpy(&value, &data[i + 2], sizeof value);
      const uint64_t wanted = data[i + 1] == passes ? wanted_passes : wanted_fragments;
      if (value != wanted) {
         fprintf(stderr, "counter_queries: %s: %u %s, expected %u\n", current, (unsigned)value,
                 data[i + 1] == passes ? "passes" : "fragments", (unsigned)wanted);
         exit(1);
      }
   }
}

/* ---- what they report ----------------------------------------------------- */

static void
last_draw_has_the_pass(void)
{
   const GLuint whole = create_monitor();
   begin_monitor(whole);
   const GLuint first = watched_draw(), second = watched_draw(), third = watched_draw();
   end_monitor(whole);
   glFinish();
   expect(first, 0, 0);
   expect(second, 0, 0);
   expect(third, 1, ALL);
   expect(whole, 1, ALL);
}

static void
only_what_it_saw(void)
{
   draw();
   glFinish();
   const GLuint monitor = watched_draw();
   glFinish();
   draw();
   glFinish();
   expect(monitor, 1, ALL);
}

static void
reading_ends_no_pass(void)
{
   const GLuint first = watched_draw();
   expect(first, 0, 0);
   const GLuint second = watched_draw();
   glFlush();
   expect(second, 0, 0);
   draw();
   const GLuint third = watched_draw();
   glFinish();
   expect(third, 1, ALL);
   expect(second, 0, 0);
}

static void
read_before_the_end(void)
{
   const GLuint first = watched_draw();
   expect(first, 0, 0);
   glFinish();
   draw();
   glFinish();
   const GLuint second = watched_draw();
   glFinish();
   expect(second, 2, 2 * ALL);
}

static void
flush_of_the_application(void)
{
   const GLuint whole = create_monitor();
   begin_monitor(whole);
   const GLuint first = watched_draw();
   glFlush();
   const GLuint second = watched_draw();
   glFlush(); /* the application's; the next is the reader's */
   glFlush();
   expect(first, 1, ALL);
   draw();
   end_monitor(whole);
   glFinish();
   expect(second, 1, ALL);
   expect(whole, 3, 3 * ALL);
}

int
main(void)
{
   static const struct {
      const char *name;
      void (*run)(void);
   } cases[] = {
      {"the last draw has the pass", last_draw_has_the_pass},   {"only what it saw", only_what_it_saw},
      {"reading ends no pass", reading_ends_no_pass},           {"read before the end", read_before_the_end},
      {"a flush of the application", flush_of_the_application},
   };
   create_context();
   load_functions();
   passes = find_counter("gpu.passes");
   fragments = find_counter("fragment_stage.fragments");
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      current = cases[i].name;
      cases[i].run();
      glFinish();
   }
   require(glGetError() == GL_NO_ERROR, "a GL error");
   return 0;
}
