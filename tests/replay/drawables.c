/* SPDX-License-Identifier: MIT */
/* drawables CASE: programs whose windows and pbuffers have sizes of their own, from the first frame on.
 *    window       three frames, without glViewport; 200x120, as in the other cases
 *    viewports    a frame in two halves, and one without its upper third; the first is in the first frame
 *    resized      a window becomes larger and smaller from frame to frame
 *    windows      two windows, each with a context and its half of the frames
 *    alternating  two windows of one context that never sets a viewport; the later frames are drawn over the first
 *    asked        a window that the program asks EGL for the size of, and draws a corner of
 *    map          the viewport of a texture larger than the window is set before its framebuffer object is bound
 *    damage       eglSwapBuffersWithDamageKHR
 *    plain        a window that is cleared, to the same colour in all frames
 *    later        a framebuffer object without a surface first, then a window
 *    pbuffer      a pbuffer, whose swaps do nothing: one frame
 *    texture      a framebuffer object and glFinish, no swap: one frame
 *    surfaceless  the same without a surface
 *    compute      a compute shader, no swap
 *    after        draws, and glFinish, after the last swap
 *    glx          a GLX window, three frames
 *    glx-pbuffer  a GLX pbuffer, then a GLX window
 */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>
#include <X11/Xutil.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define WIDTH 200
#define HEIGHT 120
#define MAP 512

static const char vertex_source[] = "in vec2 position;\nout vec4 color;\n"
                                    "void main() {\n"
                                    "   color = vec4(position * 0.5 + 0.5, 0.5, 1.0);\n"
                                    "   gl_Position = vec4(position, 0.0, 1.0);\n"
                                    "}\n";
static const char fragment_source[] = "precision mediump float;\nin vec4 color;\nout vec4 result;\n"
                                      "void main() { result = color; }\n";
static const char compute_source[] = "layout(local_size_x = 8) in;\n"
                                     "layout(std430, binding = 0) buffer numbers { uint number[]; };\n"
                                     "void main() { number[gl_GlobalInvocationID.x] *= 3u; }\n";

static struct egl egl;

/* ---- drawing ------------------------------------------------------------ */

static void
clear(int frame)
{
   glClearColor(0.1 * frame, 0.2, 0.3, 1);
   glClear(GL_COLOR_BUFFER_BIT);
}

static void
draw(void)
{
   glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* Of a context that is current. */
static void
prepare(void)
{
   static const float corners[] = {-0.9f, -0.8f, 0.95f, -0.7f, 0.2f, 0.9f};
   glUseProgram(build_versioned_program("#version 300 es\n", vertex_source, fragment_source));
   create_buffer(GL_ARRAY_BUFFER, corners, sizeof corners);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
}

static void
draw_frames(unsigned count)
{
   for (unsigned frame = 0; frame < count; frame++) {
      clear(frame);
      draw();
      egl_swap(&egl);
   }
}

static void
open_context(enum surface_kind kind, int minor)
{
   const struct surface_request request = {kind, WIDTH, HEIGHT, .depth = true};
   egl = egl_open_context(request, false, 3, minor);
}

static EGLSurface
another_window(int width, int height)
{
   const Window window =
      XCreateSimpleWindow(egl.x11, DefaultRootWindow(egl.x11), 0, 0, width, height, 0, 0, 0);
   XMapWindow(egl.x11, window);
   XSync(egl.x11, False);
   const EGLSurface surface = eglCreateWindowSurface(egl.display, egl.config, window, NULL);
   require(surface != EGL_NO_SURFACE, "a second window");
   return surface;
}

static void
make_current(EGLSurface draw_to, EGLSurface read_from, EGLContext context)
{
   require(eglMakeCurrent(egl.display, draw_to, read_from, context), "eglMakeCurrent");
}

static GLuint
create_target(int width, int height)
{
   const GLuint framebuffer = bind_new_framebuffer(bind_new_image(GL_RGBA8, width, height));
   glBindFramebuffer(GL_FRAMEBUFFER, 0);
   return framebuffer;
}

/* ---- windows ------------------------------------------------------------ */

static void
draw_window(void)
{
   open_context(X11_WINDOW, 0);
   prepare();
   draw_frames(3);
}

static void
draw_viewports(void)
{
   open_context(X11_WINDOW, 0);
   prepare();
   for (unsigned frame = 0; frame < 4; frame++) {
      clear(frame);
      if (frame % 2) {
         glViewport(0, 0, WIDTH, HEIGHT * 2 / 3);
         draw();
         glViewport(WIDTH / 4, HEIGHT * 2 / 3, WIDTH / 2, HEIGHT / 3);
      } else {
         glViewport(0, 0, WIDTH / 2, HEIGHT);
         draw();
         glViewport(WIDTH / 2, 0, WIDTH / 2, HEIGHT);
      }
      draw();
      egl_swap(&egl);
   }
   /* The lower third is left out. */
   clear(4);
   glViewport(0, HEIGHT / 3, WIDTH, HEIGHT - HEIGHT / 3 - 10);
   draw();
   egl_swap(&egl);
}

static void
draw_resized(void)
{
   static const int sizes[][2] = {{WIDTH, HEIGHT}, {274, 230}, {311, 120}, {100, 400}, {90, 60}, {311, 300}};
   open_context(X11_WINDOW, 0);
   prepare();
   for (unsigned frame = 0; frame < sizeof sizes / sizeof *sizes; frame++) {
      XResizeWindow(egl.x11, egl.window, sizes[frame][0], sizes[frame][1]);
      XSync(egl.x11, False);
      glViewport(0, 0, sizes[frame][0], sizes[frame][1]);
      clear(frame);
      draw();
      egl_swap(&egl);
   }
}

static void
draw_windows(void)
{
   open_context(X11_WINDOW, 0);
   const EGLContext context = eglGetCurrentContext();
   prepare();
   const EGLSurface second = another_window(90, 160);
   const EGLContext other = egl_create_context(&egl, false, 3, 0, context);
   make_current(second, second, other);
   prepare();
   for (unsigned frame = 0; frame < 3; frame++) {
      make_current(egl.surface, egl.surface, context);
      clear(frame);
      draw();
      make_current(second, second, other);
      clear(frame + 3);
      draw();
      eglSwapBuffers(egl.display, second);
      make_current(egl.surface, egl.surface, context);
      draw();
      egl_swap(&egl);
   }
}

static void
draw_alternating(void)
{
   open_context(X11_WINDOW, 0);
   prepare();
   const EGLContext context = eglGetCurrentContext();
   const EGLSurface second = another_window(WIDTH, HEIGHT);
   for (unsigned frame = 0; frame < 4; frame++) {
      const EGLSurface surface = frame % 2 ? second : egl.surface;
      make_current(surface, surface, context);
      if (frame < 2)
         clear(frame);
      draw();
      eglSwapBuffers(egl.display, surface);
   }
}

static void
draw_asked(void)
{
   EGLint width, height;
   open_context(X11_WINDOW, 0);
   prepare();
   for (unsigned frame = 0; frame < 3; frame++) {
      eglQuerySurface(egl.display, egl.surface, EGL_WIDTH, &width);
      eglQuerySurface(egl.display, egl.surface, EGL_HEIGHT, &height);
      clear(frame);
      glViewport(0, 0, width / 2, height / 2);
      draw();
      egl_swap(&egl);
   }
}

static void
draw_map(void)
{
   open_context(X11_WINDOW, 0);
   prepare();
   const GLuint map = create_target(MAP, MAP);
   for (unsigned frame = 0; frame < 3; frame++) {
      glViewport(0, 0, MAP, MAP);
      glBindFramebuffer(GL_FRAMEBUFFER, map);
      clear(frame);
      draw();
      glBindFramebuffer(GL_FRAMEBUFFER, 0);
      clear(frame);
      glViewport(0, 0, WIDTH, HEIGHT);
      draw();
      egl_swap(&egl);
   }
}

static void
draw_damage(void)
{
   PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC swap =
      (PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC)eglGetProcAddress("eglSwapBuffersWithDamageKHR");
   EGLint damage[] = {0, 0, WIDTH, HEIGHT};
   open_context(X11_WINDOW, 0);
   prepare();
   for (unsigned frame = 0; frame < 3; frame++) {
      clear(frame);
      draw();
      require(swap(egl.display, egl.surface, damage, 1), "eglSwapBuffersWithDamageKHR");
   }
}

static void
draw_plain(void)
{
   open_context(X11_WINDOW, 0);
   for (unsigned frame = 0; frame < 2; frame++) {
      clear(0);
      egl_swap(&egl);
   }
}

static void
draw_later(void)
{
   open_context(X11_WINDOW, 0);
   const EGLContext first = eglGetCurrentContext(), second = egl_create_context(&egl, false, 3, 0, first);
   make_current(EGL_NO_SURFACE, EGL_NO_SURFACE, second);
   prepare();
   glBindFramebuffer(GL_FRAMEBUFFER, create_target(64, 64));
   glViewport(0, 0, 64, 64);
   clear(0);
   draw();
   const EGLSurface window = another_window(90, 160);
   make_current(window, window, second);
   glBindFramebuffer(GL_FRAMEBUFFER, 0);
   glViewport(0, 0, 90, 160);
   clear(1);
   draw();
   eglSwapBuffers(egl.display, window);
}

/* ---- no window ------------------------------------------------------------ */

static void
draw_pbuffer(void)
{
   open_context(X11_PBUFFER, 0);
   prepare();
   draw_frames(3);
   glFinish();
}

static void
draw_to_texture(enum surface_kind kind)
{
   open_context(kind, 0);
   prepare();
   glBindFramebuffer(GL_FRAMEBUFFER, create_target(64, 64));
   glViewport(0, 0, 64, 64);
   for (unsigned frame = 0; frame < 3; frame++) {
      clear(frame);
      draw();
      glFinish();
   }
}

static void
draw_texture(void)
{
   draw_to_texture(X11_WINDOW);
}

static void
draw_surfaceless(void)
{
   draw_to_texture(SURFACELESS);
}

static void
compute(void)
{
   GLuint buffer, number[256];
   memset(number, 1, sizeof number);
   open_context(X11_PBUFFER, 1);
   glUseProgram(link_shaders(compile_shader(GL_COMPUTE_SHADER, "#version 310 es\n", compute_source), 0));
   glGenBuffers(1, &buffer);
   glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
   glBufferData(GL_SHADER_STORAGE_BUFFER, sizeof number, number, GL_STATIC_DRAW);
   for (unsigned times = 0; times < 3; times++)
      glDispatchCompute(sizeof number / sizeof *number / 8, 1, 1);
   glFinish();
}

static void
draw_after(void)
{
   draw_window();
   clear(3);
   draw();
   glFinish();
}

/* ---- GLX ------------------------------------------------------------------ */

static void
draw_rectangle(int frame)
{
   clear(frame);
   glColor3f(0.5, 0.1 * frame, 0.5);
   glRectf(-0.7, -0.8, 0.9, 0.6);
}

static void
draw_with_glx(bool pbuffer_first)
{
   static const int wanted[] = {
      GLX_DOUBLEBUFFER, True, GLX_RED_SIZE, 8, GLX_DRAWABLE_TYPE, GLX_WINDOW_BIT | GLX_PBUFFER_BIT, None};
   static const int size[] = {GLX_PBUFFER_WIDTH, 150, GLX_PBUFFER_HEIGHT, 90, None};
   Display *display = XOpenDisplay(NULL);
   int count;
   require(display != NULL, "XOpenDisplay");
   const Window root = DefaultRootWindow(display);
   GLXFBConfig *configs = glXChooseFBConfig(display, DefaultScreen(display), wanted, &count);
   require(configs && count, "glXChooseFBConfig");
   XVisualInfo *visual = glXGetVisualFromFBConfig(display, configs[0]);
   XSetWindowAttributes attributes = {.colormap = XCreateColormap(display, root, visual->visual, AllocNone)};
   const Window window = XCreateWindow(display, root, 0, 0, WIDTH, HEIGHT, 0, visual->depth, InputOutput,
                                       visual->visual, CWColormap | CWBorderPixel, &attributes);
   XMapWindow(display, window);
   const GLXContext context = glXCreateNewContext(display, configs[0], GLX_RGBA_TYPE, NULL, True);
   if (pbuffer_first) {
      const GLXPbuffer pbuffer = glXCreatePbuffer(display, configs[0], size);
      require(glXMakeContextCurrent(display, pbuffer, pbuffer, context), "glXMakeContextCurrent");
      draw_rectangle(0);
      glFinish();
   }
   require(glXMakeCurrent(display, window, context), "glXMakeCurrent");
   glViewport(0, 0, WIDTH, HEIGHT);
   for (unsigned frame = 0; frame < 3; frame++) {
      draw_rectangle(frame);
      glXSwapBuffers(display, window);
   }
}

static void
draw_glx(void)
{
   draw_with_glx(false);
}

static void
draw_glx_pbuffer(void)
{
   draw_with_glx(true);
}

static const struct {
   const char *name;
   void (*function)(void);
} cases[] = {
   {"window", draw_window},
   {"viewports", draw_viewports},
   {"resized", draw_resized},
   {"windows", draw_windows},
   {"alternating", draw_alternating},
   {"asked", draw_asked},
   {"map", draw_map},
   {"damage", draw_damage},
   {"plain", draw_plain},
   {"later", draw_later},
   {"pbuffer", draw_pbuffer},
   {"texture", draw_texture},
   {"surfaceless", draw_surfaceless},
   {"compute", compute},
   {"after", draw_after},
   {"glx", draw_glx},
   {"glx-pbuffer", draw_glx_pbuffer},
};

int
main(int argc, char **argv)
{
   for (unsigned c = 0; argc == 2 && c < sizeof cases / sizeof *cases; c++) {
      if (!strcmp(argv[1], cases[c].name)) {
         cases[c].function();
         return check_status();
      }
   }
   stop("expected a case, see the source");
}
