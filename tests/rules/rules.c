/* SPDX-License-Identifier: MIT */
/* rules pbuffer|fbo: what the specification says about single pixels, checked pixel by
 * pixel, on a surface whose rows go up (fbo) or down (pbuffer) in memory. Prints every
 * rule that is broken; exit status 0 if none is. */
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define SIZE 64

static const char vertex_source[] = "attribute vec3 position;\n"
                                    "attribute vec2 coordinates;\n"
                                    "uniform float size;\n"
                                    "varying vec2 v_coordinates;\n"
                                    "void main() {\n"
                                    "   v_coordinates = coordinates;\n"
                                    "   gl_PointSize = size;\n"
                                    "   gl_Position = vec4(position.xy / 32.0 - 1.0, position.z, 1.0);\n"
                                    "}\n";
static const char flat_source[] = "precision mediump float;\n"
                                  "uniform vec4 color;\n"
                                  "void main() { gl_FragColor = color; }\n";
static const char texture_source[] = "precision mediump float;\n"
                                     "uniform sampler2D image;\n"
                                     "varying vec2 v_coordinates;\n"
                                     "void main() { gl_FragColor = texture2D(image, v_coordinates); }\n";

static struct egl egl;

/* ---- drawing ------------------------------------------------------------ */

static void
use_color(GLuint program, float red, float green, float blue)
{
   glUseProgram(program);
   glUniform4f(glGetUniformLocation(program, "color"), red, green, blue, 1);
   glUniform1f(glGetUniformLocation(program, "size"), 1);
}

static void
draw(GLenum mode, int count, const float (*vertices)[3])
{
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, vertices);
   glDrawArrays(mode, 0, count);
}

static void
draw_rectangle(float x0, float y0, float x1, float y1, float z)
{
   const float corners[][3] = {{x0, y0, z}, {x1, y0, z}, {x0, y1, z}, {x1, y1, z}};
   draw(GL_TRIANGLE_STRIP, 4, corners);
}

/* A pixel as 0xRRGGBB. */
static unsigned
pixel(int x, int y)
{
   unsigned char rgba[4];
   glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
   return rgba[0] << 16 | rgba[1] << 8 | rgba[2];
}

static void
clear(void)
{
   glDisable(GL_DEPTH_TEST);
   glClearColor(0, 0, 0, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
}

/* ---- rules -------------------------------------------------------------- */

/* A clear in the middle of a pass leaves the programs' uniforms alone. */
static void
clear_keeps_uniforms(GLuint program)
{
   clear();
   use_color(program, 1, 0, 1);
   draw_rectangle(0, 0, 32, 32, 0);
   glClear(GL_COLOR_BUFFER_BIT);
   draw_rectangle(32, 0, 64, 32, 0);
   holds(pixel(8, 8) == 0x000000, "clear: what was drawn before is still there: %06x", pixel(8, 8));
   holds(pixel(48, 8) == 0xff00ff, "clear: the next draw's colour is %06x, not ff00ff", pixel(48, 8));
}

/* Clears at a pass's begin and within it give the same depth as a draw at it. */
static void
cleared_depth_is_drawn_depth(GLuint program)
{
   static const float depths[] = {0.5f, 0.25f, 0.75f, 0.6f, 0.3f, 1.0f};
   for (unsigned i = 0; i < sizeof depths / sizeof depths[0]; i++) {
      for (int within = 0; within < 2; within++) {
         clear();
         if (within) {
            use_color(program, 1, 0, 0);
            draw_rectangle(0, 0, 64, 64, 0);
         }
         /* In window coordinates exactly the depth, where that is a float. */
         glClearDepthf(depths[i] * 0.5f + 0.5f);
         glClear(GL_DEPTH_BUFFER_BIT);
         glClearDepthf(1);
         glEnable(GL_DEPTH_TEST);
         glDepthFunc(GL_EQUAL);
         use_color(program, 0, 1, 0);
         draw_rectangle(0, 0, 64, 64, depths[i]);
         holds(pixel(31, 31) == 0x00ff00, "depth %g cleared %s a pass is not equal to the drawn one",
               depths[i], within ? "within" : "at the begin of");
      }
   }
   glDepthFunc(GL_LESS);
}

/* One unit of polygon offset separates two equal depths. */
static void
offset_separates(GLuint program)
{
   for (int direction = -1; direction <= 1; direction += 2) {
      clear();
      glEnable(GL_DEPTH_TEST);
      glDepthFunc(GL_LESS);
      use_color(program, 1, 0, 0);
      draw_rectangle(0, 0, 64, 64, 0);
      glEnable(GL_POLYGON_OFFSET_FILL);
      glPolygonOffset(0, direction);
      use_color(program, 0, 1, 0);
      draw_rectangle(0, 0, 64, 64, 0);
      glDisable(GL_POLYGON_OFFSET_FILL);
      const unsigned expected = direction < 0 ? 0x00ff00 : 0xff0000;
      holds(pixel(20, 40) == expected, "polygon offset %d: %06x, not %06x", direction, pixel(20, 40),
            expected);
   }
}

/* From pixel centre to pixel centre a line has its first pixel and not its last. */
static void
lines_have_first_pixels(GLuint program)
{
   static const int directions[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
   for (int d = 0; d < 4; d++) {
      const int dx = directions[d][0], dy = directions[d][1];
      const float line[][3] = {{32.5f, 32.5f, 0}, {32.5f + 10 * dx, 32.5f + 10 * dy, 0}};
      clear();
      use_color(program, 1, 1, 1);
      draw(GL_LINES, 2, line);
      for (int n = -1; n <= 11; n++) {
         const unsigned expected = n >= 0 && n < 10 ? 0xffffff : 0;
         const unsigned found = pixel(32 + n * dx, 32 + n * dy);
         holds(found == expected, "line to (%d, %d): its pixel %d is %06x", dx, dy, n, found);
      }
   }
}

/* A point on the border of pixels is drawn in the same place of every viewport. */
static void
points_do_not_jump(GLuint program)
{
   const float point[][3] = {{8, 8, 0}};
   unsigned images[2][16][16];
   for (int v = 0; v < 2; v++) {
      clear();
      use_color(program, 1, 1, 1);
      /* The vertex program's units are a 32nd of half a viewport. */
      glViewport(v * 37, v * 37, 21, 21);
      draw(GL_POINTS, 1, point);
      int lit = 0;
      for (int y = 0; y < 16; y++) {
         for (int x = 0; x < 16; x++) {
            images[v][y][x] = pixel(v * 37 + x, v * 37 + y);
            lit += images[v][y][x] != 0;
         }
      }
      holds(lit == 1, "a point of one pixel has %d", lit);
   }
   glViewport(0, 0, SIZE, SIZE);
   holds(!memcmp(images[0], images[1], sizeof images[0]), "a point moved when its viewport did");
}

/* What is drawn after the content was thrown away stays. */
static void
discarding_is_over_with_a_draw(GLuint program, bool fbo)
{
   PFNGLDISCARDFRAMEBUFFEREXTPROC discard =
      (PFNGLDISCARDFRAMEBUFFEREXTPROC)eglGetProcAddress("glDiscardFramebufferEXT");
   if (!discard || !has_extension("GL_EXT_discard_framebuffer"))
      stop("GL_EXT_discard_framebuffer is missing");
   const GLenum color = fbo ? GL_COLOR_ATTACHMENT0 : GL_COLOR_EXT;
   for (int cleared = 0; cleared < 2; cleared++) {
      clear();
      use_color(program, 1, 0, 0);
      if (!cleared)
         draw_rectangle(0, 0, 64, 64, 0);
      discard(GL_FRAMEBUFFER, 1, &color);
      if (cleared)
         glClear(GL_COLOR_BUFFER_BIT);
      use_color(program, 0, 1, 0);
      draw_rectangle(0, 0, 32, 64, 0);
      holds(pixel(5, 5) == 0x00ff00, "drawn after discarding, but %06x", pixel(5, 5));
   }
}

/* Draws keep the texels of their time, whoever has drawn with the texture since. */
static void
texture_changes_between_contexts(GLuint program)
{
   static const EGLint size[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
   static const unsigned char red[4] = {255, 0, 0, 255}, green[4] = {0, 255, 0, 255};
   const EGLContext context = eglGetCurrentContext();
   const EGLContext other_context = egl_create_context(&egl, false, 2, 0, context);
   struct egl other = egl;
   other.surface = eglCreatePbufferSurface(egl.display, egl.config, size);

   clear();
   const GLuint texture = bind_new_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, red);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glUseProgram(program);
   draw_rectangle(0, 0, 32, 64, 0);

   egl_make_current(&other, other_context);
   glBindTexture(GL_TEXTURE_2D, texture);
   glUseProgram(program);
   draw_rectangle(0, 0, 64, 64, 0);
   holds(pixel(8, 8) == 0xff0000, "the other context's draw: %06x", pixel(8, 8));

   egl_make_current(&egl, context);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, green);
   draw_rectangle(32, 0, 64, 64, 0);
   holds(pixel(8, 8) == 0xff0000, "before the texture changed: %06x", pixel(8, 8));
   holds(pixel(48, 8) == 0x00ff00, "after the texture changed: %06x", pixel(48, 8));
   eglDestroySurface(egl.display, other.surface);
   eglDestroyContext(egl.display, other_context);
}

/* ---- surfaces ------------------------------------------------------------ */

static void
make_framebuffer(void)
{
   bind_new_framebuffer(0);
   const GLuint texture = bind_new_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   const GLuint depth = bind_new_renderbuffer(GL_DEPTH_COMPONENT24_OES, SIZE, SIZE);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      stop("the framebuffer is not complete");
}

int
main(int argc, char **argv)
{
   if (argc != 2)
      stop("usage: rules pbuffer|fbo");
   const bool fbo = !strcmp(argv[1], "fbo");
   egl = egl_open_context((struct surface_request){X11_PBUFFER, SIZE, SIZE, .depth = true}, false, 2, 0);
   if (fbo)
      make_framebuffer();
   glViewport(0, 0, SIZE, SIZE);

   const GLuint flat = build_program(vertex_source, flat_source);
   const GLuint textured = build_program(vertex_source, texture_source);
   clear_keeps_uniforms(flat);
   cleared_depth_is_drawn_depth(flat);
   offset_separates(flat);
   lines_have_first_pixels(flat);
   points_do_not_jump(flat);
   discarding_is_over_with_a_draw(flat, fbo);
   texture_changes_between_contexts(textured);
   holds(glGetError() == GL_NO_ERROR, "GL reports an error");
   egl_close(&egl);
   return check_status();
}
