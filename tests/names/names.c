/* SPDX-License-Identifier: MIT */
/* names [plain]: draws two frames in debug groups, with markers and labels; "plain": the same without any of them.
 * What is to become of them is in names_test.py. */
#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define SIZE 64

static bool plain;
static PFNGLPUSHDEBUGGROUPKHRPROC push_debug_group;
static PFNGLPOPDEBUGGROUPKHRPROC pop_debug_group;
static PFNGLDEBUGMESSAGEINSERTKHRPROC insert_message;
static PFNGLOBJECTLABELKHRPROC object_label;
static PFNGLPUSHGROUPMARKEREXTPROC push_group_marker;
static PFNGLPOPGROUPMARKEREXTPROC pop_group_marker;
static PFNGLINSERTEVENTMARKEREXTPROC insert_event_marker;
static PFNGLLABELOBJECTEXTPROC label_object;

static void
find_functions(void)
{
   require(has_extension("GL_KHR_debug"), "KHR_debug");
   require(has_extension("GL_EXT_debug_label"), "EXT_debug_label");
   require(has_extension("GL_EXT_debug_marker"), "EXT_debug_marker");
   push_debug_group = (PFNGLPUSHDEBUGGROUPKHRPROC)eglGetProcAddress("glPushDebugGroupKHR");
   pop_debug_group = (PFNGLPOPDEBUGGROUPKHRPROC)eglGetProcAddress("glPopDebugGroupKHR");
   insert_message = (PFNGLDEBUGMESSAGEINSERTKHRPROC)eglGetProcAddress("glDebugMessageInsertKHR");
   object_label = (PFNGLOBJECTLABELKHRPROC)eglGetProcAddress("glObjectLabelKHR");
   push_group_marker = (PFNGLPUSHGROUPMARKEREXTPROC)eglGetProcAddress("glPushGroupMarkerEXT");
   pop_group_marker = (PFNGLPOPGROUPMARKEREXTPROC)eglGetProcAddress("glPopGroupMarkerEXT");
   insert_event_marker = (PFNGLINSERTEVENTMARKEREXTPROC)eglGetProcAddress("glInsertEventMarkerEXT");
   label_object = (PFNGLLABELOBJECTEXTPROC)eglGetProcAddress("glLabelObjectEXT");
}

/* ---- names, unless plain ---------------------------------------------------- */

static void
push(const char *name)
{
   if (!plain)
      push_debug_group(GL_DEBUG_SOURCE_APPLICATION_KHR, 0, -1, name);
}

static void
pop(void)
{
   if (!plain)
      pop_debug_group();
}

static void
label(GLenum type, GLuint name, const char *text)
{
   if (!plain)
      object_label(type, name, -1, text);
}

static void
marker(const char *text)
{
   if (!plain)
      insert_message(GL_DEBUG_SOURCE_APPLICATION_KHR, GL_DEBUG_TYPE_MARKER_KHR, 1,
                     GL_DEBUG_SEVERITY_NOTIFICATION_KHR, -1, text);
}

/* ---- drawing ---------------------------------------------------------------- */

static const GLfloat corners[] = {-1, -1, 3, -1, -1, 3, 0, 0};

static GLuint
make_program(const char *name, const char *fragment)
{
   GLuint program =
      build_versioned_program("#version 300 es\n",
                              "in vec2 position;\nvoid main() { gl_Position = vec4(position, 0.0, 1.0); }\n",
                              fragment);
   /* Its shaders have the label once it is linked again. */
   label(GL_PROGRAM_KHR, program, name);
   glLinkProgram(program);
   return program;
}

struct objects {
   GLuint plain_program, textured_program, texture, depth, framebuffer, buffer;
};

static struct objects
make_objects(void)
{
   struct objects o;
   o.plain_program = make_program("plain program", "precision mediump float;\nout vec4 color;\n"
                                                   "void main() { color = vec4(0.25, 0.5, 0.75, 1.0); }\n");
   o.textured_program =
      make_program("textured program", "precision mediump float;\nuniform sampler2D image;\nout vec4 color;\n"
                                       "void main() { color = texture(image, gl_FragCoord.xy / 64.0); }\n");
   /* A label before there is memory, one after, and one for what will get other memory. */
   o.texture = bind_new_texture(GL_TEXTURE_2D);
   label(GL_TEXTURE, o.texture, "scene color");
   glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SIZE, SIZE);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   o.depth = bind_new_renderbuffer(GL_DEPTH_COMPONENT16, SIZE, SIZE);
   label(GL_RENDERBUFFER, o.depth, "scene depth");
   o.framebuffer = bind_new_framebuffer(o.texture);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, o.depth);
   o.buffer = create_buffer(GL_ARRAY_BUFFER, corners, 6 * sizeof corners[0]);
   if (!plain)
      label_object(GL_BUFFER_OBJECT_EXT, o.buffer, 0, "corners");
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   return o;
}

static void
draw_scene(const struct objects *o)
{
   glBindFramebuffer(GL_FRAMEBUFFER, o->framebuffer);
   glEnable(GL_DEPTH_TEST);
   glDepthFunc(GL_LEQUAL);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glUseProgram(o->plain_program);
   glDrawArrays(GL_TRIANGLES, 0, 3); /* in no group */
   push("shadow pass");
   glDrawArrays(GL_TRIANGLES, 0, 3);
   push("terrain");
   marker("first hill");
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glDrawArraysInstanced(GL_TRIANGLES, 0, 3, 2);
   pop();
   if (!plain) {
      push_group_marker(0, "trees");
      push_group_marker(3, "oaks");
      insert_event_marker(0, "an oak");
   }
   glDrawArrays(GL_TRIANGLES, 0, 3);
   if (!plain) {
      pop_group_marker();
      pop_group_marker();
      pop_group_marker(); /* of "shadow pass", too: one stack */
      pop_group_marker(); /* of nothing */
      pop_debug_group();
   }
   glDisable(GL_DEPTH_TEST);
}

static void
draw_window(const struct objects *o, int frame)
{
   glBindFramebuffer(GL_FRAMEBUFFER, 0);
   /* In the first frame that is a larger buffer: other memory. */
   glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
   push("shadow pass");
   push("terrain"); /* the same group as before */
   if (frame)
      marker("42 glories"); /* not a call's */
   glUseProgram(o->textured_program);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   pop();
   pop();
}

int
main(int argc, char **argv)
{
   plain = argc > 1 && !strcmp(argv[1], "plain");
   struct egl egl =
      egl_open_context((struct surface_request){.kind = X11_WINDOW, .width = SIZE, .height = SIZE}, false, 3,
                       0);
   find_functions();
   const struct objects objects = make_objects();
   for (int frame = 0; frame < 2; frame++) {
      if (frame)
         label(GL_TEXTURE, objects.texture, "last color");
      draw_scene(&objects);
      draw_window(&objects, frame);
      GLubyte pixel[4];
      glReadPixels(1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
      require(pixel[0] >= 63 && pixel[0] <= 65 && pixel[2] >= 190 && pixel[2] <= 192, "the pixel's color");
      require(glGetError() == GL_NO_ERROR, "an error of OpenGL");
      egl_swap(&egl);
   }
   egl_close(&egl);
   return 0;
}
