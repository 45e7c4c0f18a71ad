/* SPDX-License-Identifier: MIT */
/* counter_queries: the model's counters as an application asks for them (GL_AMD_performance_monitor): what a
 * pass costs is in the last query that saw a part of it, and no query ends a pass. */
#define GL_GLEXT_PROTOTYPES
#include <GLES3/gl31.h>
#include <GLES2/gl2ext.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

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
   require(has_extension("GL_AMD_performance_monitor"), "there is no GL_AMD_performance_monitor");
}

static void
create_context(void)
{
   static const GLfloat corners[] = {-1, -1, 3, -1, -1, 3};
   egl_open_context((struct surface_request){X11_PBUFFER, SIZE, SIZE, .depth = false}, false, 2, 0);
   glUseProgram(
      build_program("attribute vec2 position; void main() { gl_Position = vec4(position, 0., 1.); }",
                    "void main() { gl_FragColor = vec4(0., 1., 0., 1.); }"));
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
   stop("there is no counter %s", wanted);
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
   require(available, "%s: a result is not available", current);
   get_data(monitor, GL_PERFMON_RESULT_AMD, sizeof data, data, &bytes);
   require(bytes == sizeof data, "%s: a result has another size", current);
   for (unsigned i = 0; i < 8; i += 4) {
      uint64_t value;
      memcpy(&value, &data[i + 2], sizeof value);
      const uint64_t wanted = data[i + 1] == passes ? wanted_passes : wanted_fragments;
      require(value == wanted, "%s: %u %s, expected %u", current, (unsigned)value,
              data[i + 1] == passes ? "passes" : "fragments", (unsigned)wanted);
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

/** Who watches all the time (as GALLIUM_HUD does, in turn with several queries) and who watches some draws do not
 * take passes from each other. */
static void
two_watchers(void)
{
   const GLuint turns[] = {create_monitor(), create_monitor()};
   begin_monitor(turns[0]);
   const GLuint first = watched_draw();
   expect(first, 0, 0); /* the next draw's, as read_before_the_end */
   end_monitor(turns[0]);
   begin_monitor(turns[1]);
   const GLuint second = watched_draw();
   glFinish();
   expect(turns[0], 0, 0);
   const GLuint third = watched_draw();
   end_monitor(turns[1]);
   begin_monitor(turns[0]);
   expect(turns[1], 1, ALL);
   glFinish();
   draw();
   end_monitor(turns[0]);
   glFinish();
   expect(second, 1, ALL);
   expect(third, 1, ALL);
   expect(turns[0], 2, 2 * ALL);
}

/** A dispatch is a pass of its own, which ends during the call. */
static void
dispatches(void)
{
   GLint before;
   glGetIntegerv(GL_CURRENT_PROGRAM, &before);
   glUseProgram(link_shaders(compile_shader(GL_COMPUTE_SHADER, "#version 310 es\n",
                                            "layout(local_size_x = 8) in; void main() {}"),
                             0));
   const GLuint monitor = create_monitor(), whole = create_monitor();
   begin_monitor(whole);
   begin_monitor(monitor);
   glDispatchCompute(3, 2, 1);
   end_monitor(monitor);
   glDispatchCompute(1, 1, 1);
   glUseProgram((GLuint)before);
   draw();
   end_monitor(whole);
   glFinish();
   expect(monitor, 1, 0);
   expect(whole, 3, ALL);
}

int
main(void)
{
   static const struct {
      const char *name;
      void (*run)(void);
   } cases[] = {
      {"the last draw has the pass", last_draw_has_the_pass},
      {"only what it saw", only_what_it_saw},
      {"reading ends no pass", reading_ends_no_pass},
      {"read before the end", read_before_the_end},
      {"a flush of the application", flush_of_the_application},
      {"two watchers", two_watchers},
      {"dispatches", dispatches},
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
