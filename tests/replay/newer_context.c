/* SPDX-License-Identifier: MIT */
/* newer_context es|gl MAJOR MINOR FRAMES [compute]: draws frames with what OpenGL ES 2.0 has, on a context of another
 * version. With "compute", it also calls what came with OpenGL ES 3.1 and OpenGL 4.3, and draws all the same. */
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl31.h>
#include <X11/Xlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 64

static EGLDisplay display;
static EGLSurface surface;

static void
fail(const char *what)
{
   fprintf(stderr, "newer_context: %s failed (EGL error 0x%x)\n", what, eglGetError());
   exit(1);
}

static void
make_context(int is_es, int major, int minor)
{
   const EGLint config_attributes[] = {EGL_RENDERABLE_TYPE,
                                       is_es ? EGL_OPENGL_ES3_BIT : EGL_OPENGL_BIT,
                                       EGL_SURFACE_TYPE,
                                       EGL_WINDOW_BIT,
                                       EGL_RED_SIZE,
                                       8,
                                       EGL_NONE};
   const EGLint context_attributes[] = {EGL_CONTEXT_MAJOR_VERSION, major, EGL_CONTEXT_MINOR_VERSION, minor,
                                        EGL_NONE};
   EGLConfig config;
   EGLint count;
   Display *x = XOpenDisplay(NULL);
   if (!x)
      fail("XOpenDisplay");
   display = eglGetDisplay((EGLNativeDisplayType)x);
   if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(is_es ? EGL_OPENGL_ES_API : EGL_OPENGL_API) ||
       !eglChooseConfig(display, config_attributes, &config, 1, &count) || !count)
      fail("EGL");
   const Window window =
      XCreateSimpleWindow(x, DefaultRootWindow(x), 0, 0, SIZE, SIZE, 0, 0, BlackPixel(x, DefaultScreen(x)));
   XMapWindow(x, window);
   XSync(x, False);
   surface = eglCreateWindowSurface(display, config, (EGLNativeWindowType)window, NULL);
   EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_attributes);
   if (!context)
      fail("eglCreateContext");
   if (!eglMakeCurrent(display, surface, surface, context))
      fail("eglMakeCurrent");
}

static GLuint
make_shader(GLenum type, const char *source)
{
   const GLuint shader = glCreateShader(type);
   GLint compiled;
   glShaderSource(shader, 1, &source, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
   if (!compiled)
      fail("glCompileShader");
   return shader;
}

static GLuint
link_program(GLuint first, GLuint second)
{
   const GLuint program = glCreateProgram();
   glAttachShader(program, first);
   if (second)
      glAttachShader(program, second);
   glBindAttribLocation(program, 0, "position");
   glLinkProgram(program);
   return program;
}

/* A triangle that is somewhere else in each frame. */
static void
draw(GLuint program, GLuint buffer, int frame)
{
   const float x = (float)frame * 0.1f;
   const float corners[6] = {-0.9f + x, -0.9f, 0.1f + x, -0.9f, -0.4f + x, 0.9f};
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(0);
   glUseProgram(program);
   glViewport(0, 0, SIZE, SIZE);
   glClearColor(0.2f, 0.3f, 0.4f, 1.0f);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(GL_TRIANGLES, 0, 3);
}

int
main(int argc, char **argv)
{
   if (argc < 5)
      return 2;
   const int is_es = !strcmp(argv[1], "es"), frames = atoi(argv[4]);
   const int compute = argc > 5 && !strcmp(argv[5], "compute");
   make_context(is_es, atoi(argv[2]), atoi(argv[3]));
   const GLuint program = link_program(
      make_shader(
         GL_VERTEX_SHADER,
         is_es ? "attribute vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); }"
               : "#version 330\nin vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); }"),
      make_shader(GL_FRAGMENT_SHADER,
                  is_es ? "precision mediump float; void main() { gl_FragColor = vec4(1.0, 0.5, 0.0, 1.0); }"
                        : "#version 330\nout vec4 color; void main() { color = vec4(1.0, 0.5, 0.0, 1.0); }"));
   const GLuint worker =
      compute
         ? link_program(make_shader(GL_COMPUTE_SHADER,
                                    is_es ? "#version 310 es\nlayout(local_size_x = 1) in; void main() {}"
                                          : "#version 430\nlayout(local_size_x = 1) in; void main() {}"),
                        0)
         : 0;
   GLuint buffer, array;
   glGenVertexArrays(1, &array);
   glBindVertexArray(array);
   glGenBuffers(1, &buffer);
   for (int frame = 0; frame < frames; frame++) {
      draw(program, buffer, frame);
      if (compute) {
         glUseProgram(worker);
         glDispatchCompute(1, 1, 1);
         glMemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT);
      }
      eglSwapBuffers(display, surface);
   }
   return 0;
}
