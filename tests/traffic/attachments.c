/* SPDX-License-Identifier: MIT */
/* attachments SCENE: draws three equal frames whose attachments are cleared, thrown away
 * and resolved in the scene's way, and checks the image of the last. What that costs is
 * in attachments_test.py. */
#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>
#include <X11/Xutil.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define WIDTH 128
#define HEIGHT 96
#define SAMPLES 4

static struct egl egl;
static GLint color_place;
static GLuint plain_program, adding_program, geometry_program, lighting_program;
static GLuint storing_program, storage_lighting_program, storage_reading_program;
static GLuint frame, resolved; /* framebuffers; 0: the window's */
static PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC framebuffer_texture_multisample;

/* ---- programs ------------------------------------------------------------- */

static void
use_program(GLuint program)
{
   glUseProgram(program);
   color_place = glGetUniformLocation(program, "color");
   glEnableVertexAttribArray(0);
}

static void
make_programs(bool fetching)
{
   static const char vertex[] =
      "attribute vec3 position;\nvoid main() { gl_Position = vec4(position, 1.0); }\n";
   static const char vertex_3[] =
      "#version 300 es\nin vec3 position;\nvoid main() { gl_Position = vec4(position, 1.0); }\n";
   plain_program =
      build_program(vertex,
                    "precision mediump float;\nuniform vec4 color;\nvoid main() { gl_FragColor = color; }\n");
   use_program(plain_program);
   if (!fetching)
      return;
   adding_program = build_program(vertex, "#extension GL_EXT_shader_framebuffer_fetch : require\n"
                                          "precision mediump float;\n"
                                          "uniform vec4 color;\n"
                                          "void main() { gl_FragColor = gl_LastFragData[0] + color; }\n");
   geometry_program = build_program(vertex_3, "#version 300 es\n"
                                              "precision mediump float;\n"
                                              "uniform vec4 color;\n"
                                              "layout(location = 0) out vec4 lit;\n"
                                              "layout(location = 1) out vec4 surface;\n"
                                              "void main() { lit = vec4(0.0); surface = color; }\n");
   lighting_program = build_program(vertex_3, "#version 300 es\n"
                                              "#extension GL_EXT_shader_framebuffer_fetch : require\n"
                                              "precision mediump float;\n"
                                              "uniform vec4 color;\n"
                                              "layout(location = 0) inout vec4 lit;\n"
                                              "layout(location = 1) inout vec4 surface;\n"
                                              "void main() { lit += surface * color; }\n");
}

/* The same with pixel local storage, which a last program puts into the framebuffer. */
static void
make_storage_programs(void)
{
   static const char version[] = "#version 300 es\n#extension GL_EXT_shader_pixel_local_storage : require\n";
   static const char vertex[] = "in vec3 position;\nvoid main() { gl_Position = vec4(position, 1.0); }\n";
   storing_program = build_versioned_program(version, vertex,
                                             "precision mediump float;\n"
                                             "uniform vec4 color;\n"
                                             "layout(rgba8) __pixel_local_outEXT Storage { vec4 surface; };\n"
                                             "void main() { surface = color; }\n");
   storage_lighting_program =
      build_versioned_program(version, vertex,
                              "precision mediump float;\n"
                              "uniform vec4 color;\n"
                              "layout(rgba8) __pixel_localEXT Storage { vec4 surface, lit; };\n"
                              "void main() { lit += surface * color; }\n");
   storage_reading_program =
      build_versioned_program(version, vertex,
                              "precision mediump float;\n"
                              "layout(rgba8) __pixel_local_inEXT Storage { vec4 surface, lit; };\n"
                              "out vec4 result;\n"
                              "void main() { result = lit; }\n");
}

/* ---- framebuffers --------------------------------------------------------- */

static GLuint
make_renderbuffer(GLenum format, int samples)
{
   GLuint buffer;
   glGenRenderbuffers(1, &buffer);
   glBindRenderbuffer(GL_RENDERBUFFER, buffer);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, WIDTH, HEIGHT);
   return buffer;
}

static GLuint
make_framebuffer(int samples, bool depth)
{
   const GLuint framebuffer = bind_new_framebuffer(0);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                             make_renderbuffer(GL_RGBA8, samples));
   if (depth)
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
                                make_renderbuffer(GL_DEPTH24_STENCIL8, samples));
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "framebuffer");
   return framebuffer;
}

/* What surfaces are like, in addition to their colour. */
static GLuint
make_deferred_framebuffer(void)
{
   static const GLenum buffers[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
   const GLuint framebuffer = make_framebuffer(0, true);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_RENDERBUFFER,
                             make_renderbuffer(GL_RGBA8, 0));
   glDrawBuffers(2, buffers);
   return framebuffer;
}

/* A single-sampled texture, drawn to with several samples. */
static GLuint
make_implicit_framebuffer(void)
{
   const GLuint texture = bind_new_image(GL_RGBA8, WIDTH, HEIGHT);
   const GLuint framebuffer = bind_new_framebuffer(0);
   framebuffer_texture_multisample(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0, SAMPLES);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
                             make_renderbuffer(GL_DEPTH24_STENCIL8, SAMPLES));
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "implicit framebuffer");
   return framebuffer;
}

/* ---- drawing -------------------------------------------------------------- */

static void
clear(float red, float green, float blue)
{
   glClearColor(red, green, blue, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

static void
draw(float x0, float y0, float x1, float y1, float red, float green, float blue)
{
   const float corners[][3] = {{x0, y0, 0}, {x1, y0, 0}, {x0, y1, 0}, {x1, y1, 0}};
   glUniform4f(color_place, red, green, blue, 1);
   glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, corners);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/* The left lower half, with a slanted edge. */
static void
draw_half(float red, float green, float blue)
{
   static const float corners[][3] = {{-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}};
   glUniform4f(color_place, red, green, blue, 1);
   glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, corners);
   glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void
invalidate(bool color, bool depth)
{
   GLenum attachments[2];
   int count = 0;
   if (color)
      attachments[count++] = GL_COLOR_ATTACHMENT0;
   if (depth)
      attachments[count++] = GL_DEPTH_STENCIL_ATTACHMENT;
   glInvalidateFramebuffer(GL_FRAMEBUFFER, count, attachments);
}

/* ---- scenes: black where nothing is drawn, a green half ------------------- */

static void
scene_clear(void)
{
   clear(0, 0, 0);
   draw_half(0, 1, 0);
}

static void
scene_load(void)
{
   draw(-1, -1, 1, 1, 0, 0, 0);
   draw_half(0, 1, 0);
}

static void
scene_only_clear(void)
{
   clear(0, 1, 0);
}

/* Nothing but the first tile in memory's order. */
static void
scene_one_tile(void)
{
   draw(-1, -1, -1 + 2 * 16.0f / WIDTH, -1 + 2 * 16.0f / HEIGHT, 0, 1, 0);
}

static void
scene_invalidate_depth(void)
{
   scene_clear();
   invalidate(false, true);
}

static void
scene_invalidate_first(void)
{
   invalidate(true, true);
   scene_load();
}

static void
scene_clear_after_draw(void)
{
   draw(-1, -1, 1, 1, 1, 0, 0);
   scene_clear();
}

/* Depth is thrown away and used again in the next pass. */
static void
scene_depth_again(void)
{
   scene_clear();
   invalidate(false, true);
   glFlush();
   draw_half(0, 1, 0);
   invalidate(false, true);
}

static void
scene_resolve(void)
{
   scene_clear();
   glBindFramebuffer(GL_READ_FRAMEBUFFER, frame);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved);
   glBlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT, GL_COLOR_BUFFER_BIT, GL_NEAREST);
   glBindFramebuffer(GL_FRAMEBUFFER, frame);
   invalidate(true, true);
}

/* Programs that fetch from what has been cleared, and from what has to be loaded. */
static void
scene_fetch(void)
{
   clear(0, 0, 0);
   use_program(adding_program);
   draw_half(0, 0.5f, 0);
   draw_half(0, 0.5f, 0);
}

static void
scene_fetch_load(void)
{
   use_program(plain_program);
   draw(-1, -1, 1, 1, 0, 0, 0);
   use_program(adding_program);
   draw_half(0, 1, 0);
}

/* Deferred shading within a pass: what the lights read of the surfaces never leaves the tile buffers. */
static void
scene_deferred_shading_kept(void)
{
   clear(0, 0, 0);
   use_program(geometry_program);
   draw_half(1, 1, 1);
   use_program(lighting_program);
   draw(-1, -1, 1, 1, 0, 0.5f, 0);
   draw(-1, -1, 1, 1, 0, 0.5f, 0);
   invalidate(false, true);
}

static void
scene_deferred_shading(void)
{
   scene_deferred_shading_kept();
   static const GLenum attachments[] = {GL_COLOR_ATTACHMENT1, GL_DEPTH_STENCIL_ATTACHMENT};
   glInvalidateFramebuffer(GL_FRAMEBUFFER, 2, attachments);
}

/* Deferred shading with pixel local storage, between other draws of the same pass. */
static void
shade_with_storage(bool split)
{
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   use_program(storing_program);
   draw_half(1, 0, 0);
   draw_half(1, 1, 1);
   if (split)
      glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, (unsigned char[4]){0});
   use_program(storage_lighting_program);
   draw(-1, -1, 1, 1, 0, 0.5f, 0);
   draw(-1, -1, 1, 1, 0, 0.5f, 0);
   use_program(storage_reading_program);
   draw(-1, -1, 1, 1, 0, 0, 0);
   glDisable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
}

static void
scene_pixel_local(void)
{
   clear(0, 0, 0);
   shade_with_storage(false);
   invalidate(false, true);
}

/* It is lost with the buffer swap, though it is not disabled. */
static void
scene_pixel_local_window(void)
{
   clear(0, 0, 0);
   shade_with_storage(false);
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   use_program(storing_program);
   draw_half(1, 1, 1);
}

static void
scene_pixel_local_among_draws(void)
{
   clear(0, 0, 0);
   use_program(plain_program);
   draw_half(1, 1, 0);
   shade_with_storage(false);
   shade_with_storage(false);
   use_program(plain_program);
   draw_half(0, 1, 0);
   invalidate(false, true);
}

static void
scene_pixel_local_load(void)
{
   use_program(plain_program);
   draw(-1, -1, 1, 1, 0, 0, 0);
   shade_with_storage(false);
}

/* The storage is enabled before anything is done to a framebuffer that is bound after another one with storage. */
static void
scene_pixel_local_two_framebuffers(void)
{
   static GLuint other;
   if (!other)
      other = make_framebuffer(0, true);
   const GLuint framebuffers[] = {other, frame};
   for (unsigned f = 0; f < 2; f++) {
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[f]);
      glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
      clear(0, 0, 0);
      shade_with_storage(false);
      invalidate(false, true);
   }
}

static void
scene_pixel_local_split(void)
{
   clear(0, 0, 0);
   shade_with_storage(true);
   invalidate(false, true);
}

static const struct scene {
   const char *name;
   void (*draw)(void);
   enum { WINDOW, SINGLE, TWO_COLORS, MULTISAMPLED, IMPLICIT } framebuffer;
   bool multisampled_window;
   bool depth_test;
   bool has_edge; /* the half's edge is in the picture */
} scenes[] = {
   {"window", scene_clear, WINDOW, false, true, true},
   {"window_multisampled", scene_clear, WINDOW, true, true, true},
   {"clear", scene_clear, SINGLE, false, true, true},
   {"load", scene_load, SINGLE, false, true, true},
   {"only_clear", scene_only_clear, SINGLE, false, true, false},
   {"one_tile", scene_one_tile, SINGLE, false, true, false},
   {"invalidate_depth", scene_invalidate_depth, SINGLE, false, true, true},
   {"invalidate_first", scene_invalidate_first, SINGLE, false, true, true},
   {"clear_after_draw", scene_clear_after_draw, SINGLE, false, true, true},
   {"no_depth_test", scene_clear_after_draw, SINGLE, false, false, true},
   {"depth_again", scene_depth_again, SINGLE, false, true, true},
   {"resolve", scene_resolve, MULTISAMPLED, false, true, true},
   {"implicit", scene_invalidate_depth, IMPLICIT, false, true, true},
   {"fetch", scene_fetch, SINGLE, false, true, true},
   {"fetch_load", scene_fetch_load, SINGLE, false, true, true},
   {"deferred_shading", scene_deferred_shading, TWO_COLORS, false, true, true},
   {"deferred_shading_kept", scene_deferred_shading_kept, TWO_COLORS, false, true, true},
   {"pixel_local", scene_pixel_local, SINGLE, false, true, true},
   {"pixel_local_window", scene_pixel_local_window, WINDOW, false, true, true},
   {"pixel_local_among_draws", scene_pixel_local_among_draws, SINGLE, false, true, true},
   {"pixel_local_load", scene_pixel_local_load, SINGLE, false, true, true},
   {"pixel_local_two_framebuffers", scene_pixel_local_two_framebuffers, SINGLE, false, true, true},
   {"pixel_local_split", scene_pixel_local_split, SINGLE, false, true, true},
};

/* ---- the image ------------------------------------------------------------ */

static unsigned char pixels[HEIGHT][WIDTH][3]; /* from the lower row up */

static void
read_pixels(void)
{
   static unsigned char read[HEIGHT][WIDTH][4];
   glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, read);
   require(glGetError() == GL_NO_ERROR, "a GL error");
   for (int y = 0; y < HEIGHT; y++) {
      for (int x = 0; x < WIDTH; x++)
         memcpy(pixels[y][x], read[y][x], 3);
   }
}

/* What is on the screen. */
static void
read_window(void)
{
   XImage *image = XGetImage(egl.x11, egl.window, 0, 0, WIDTH, HEIGHT, AllPlanes, ZPixmap);
   require(image != NULL, "XGetImage");
   for (int y = 0; y < HEIGHT; y++) {
      for (int x = 0; x < WIDTH; x++) {
         const unsigned long pixel = XGetPixel(image, x, HEIGHT - 1 - y);
         for (int c = 0; c < 3; c++)
            pixels[y][x][c] = pixel >> (16 - 8 * c);
      }
   }
   XDestroyImage(image);
}

static void
check_image(const struct scene *scene)
{
   require(!memcmp(pixels[4][4], (unsigned char[]){0, 255, 0}, 3), "the half is not green");
   if (!scene->has_edge)
      return;
   require(!memcmp(pixels[HEIGHT - 4][WIDTH - 4], (unsigned char[]){0, 0, 0}, 3),
           "beside the half it is not black");
   unsigned between = 0;
   for (unsigned y = 0; y < HEIGHT; y++) {
      for (unsigned x = 0; x < WIDTH; x++)
         between += pixels[y][x][1] > 0 && pixels[y][x][1] < 255;
   }
   const bool smooth = scene->multisampled_window || scene->framebuffer >= MULTISAMPLED;
   require(smooth ? between > HEIGHT / 2 : !between, "the edge's pixels are wrong");
}

int
main(int argc, char **argv)
{
   const struct scene *scene = NULL;
   for (unsigned i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
      if (argc == 2 && !strcmp(argv[1], scenes[i].name))
         scene = &scenes[i];
   }
   require(scene != NULL, "there is no such scene");
   egl = egl_open_context((struct surface_request){X11_WINDOW, WIDTH, HEIGHT, .depth = true,
                                                   .samples = scene->multisampled_window ? SAMPLES : 0},
                          false, 3, 0);
   framebuffer_texture_multisample =
      (PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC)eglGetProcAddress("glFramebufferTexture2DMultisampleEXT");
   require(scene->framebuffer != IMPLICIT || has_extension("GL_EXT_multisampled_render_to_texture"),
           "no multisampled rendering to textures");
   make_programs(has_extension("GL_EXT_shader_framebuffer_fetch"));
   if (has_extension("GL_EXT_shader_pixel_local_storage"))
      make_storage_programs();
   if (scene->framebuffer == SINGLE)
      frame = make_framebuffer(0, true);
   else if (scene->framebuffer == TWO_COLORS)
      frame = make_deferred_framebuffer();
   else if (scene->framebuffer == MULTISAMPLED)
      frame = make_framebuffer(SAMPLES, true);
   else if (scene->framebuffer == IMPLICIT)
      frame = make_implicit_framebuffer();
   if (scene->framebuffer == MULTISAMPLED)
      resolved = make_framebuffer(0, false);
   glBindFramebuffer(GL_FRAMEBUFFER, frame);
   glViewport(0, 0, WIDTH, HEIGHT);
   if (scene->depth_test)
      glEnable(GL_DEPTH_TEST);
   glDepthFunc(GL_ALWAYS);
   for (int i = 0; i < 3; i++) {
      scene->draw();
      egl_swap(&egl);
   }
   if (scene->framebuffer == WINDOW) {
      read_window();
      check_image(scene);
   }
   scene->draw();
   glBindFramebuffer(GL_FRAMEBUFFER, scene->framebuffer == MULTISAMPLED ? resolved : frame);
   read_pixels();
   check_image(scene);
   return 0;
}
