/* SPDX-License-Identifier: MIT */
/* reads SCENE: draws three frames, each a pass to a texture that is then read in the scene's way, or not at all, and a
 * pass to the window. Which reads the event stream is to have is in reads_test.py. */
#include <GLES3/gl32.h>
#include <GLES2/gl2ext.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define SIZE 64
#define FRAMES 3

static GLuint plain_program, textured_program, vertex_program, geometry_program;
static GLuint target, framebuffer, other, other_framebuffer, pack_buffer;
static int frame;
static GLubyte pixels[SIZE * SIZE * 4];

/* ---- programs ------------------------------------------------------------- */

static const char position_source[] =
   "in vec2 position;\nvoid main() { gl_Position = vec4(position, 0.0, 1.0); }\n";
static const char plain_source[] = "precision mediump float;\nout vec4 result;\n"
                                   "void main() { result = vec4(0.25, 0.5, 0.75, 1.0); }\n";
static const char textured_source[] = "precision mediump float;\nuniform sampler2D image;\nout vec4 result;\n"
                                      "void main() { result = texture(image, gl_FragCoord.xy / 64.0); }\n";
static const char colored_source[] = "precision mediump float;\nin vec4 color;\nout vec4 result;\n"
                                     "void main() { result = color; }\n";

static GLuint
make_geometry_program(const char *version)
{
   const GLuint geometry = compile_shader(GL_GEOMETRY_SHADER, version,
                                          "layout(triangles) in;\n"
                                          "layout(triangle_strip, max_vertices = 3) out;\n"
                                          "uniform sampler2D image;\nout vec4 color;\n"
                                          "void main() {\n"
                                          "   for (int i = 0; i < 3; i++) {\n"
                                          "      color = texelFetch(image, ivec2(1), 0);\n"
                                          "      gl_Position = gl_in[i].gl_Position;\n"
                                          "      EmitVertex();\n"
                                          "   }\n"
                                          "}\n");
   const GLuint program = glCreateProgram();
   GLint linked;
   glAttachShader(program, compile_shader(GL_VERTEX_SHADER, version, position_source));
   glAttachShader(program, geometry);
   glAttachShader(program, compile_shader(GL_FRAGMENT_SHADER, version, colored_source));
   glBindAttribLocation(program, 0, "position");
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   require(linked, "a program with a geometry shader");
   return program;
}

static void
make_programs(bool desktop)
{
   const char *version = desktop ? "#version 150\n" : "#version 300 es\n";
   plain_program = build_versioned_program(version, position_source, plain_source);
   textured_program = build_versioned_program(version, position_source, textured_source);
   vertex_program = build_versioned_program(version,
                                            "in vec2 position;\nuniform sampler2D image;\nout vec4 color;\n"
                                            "void main() {\n"
                                            "   gl_Position = vec4(position, 0.0, 1.0);\n"
                                            "   color = texelFetch(image, ivec2(1), 0);\n"
                                            "}\n",
                                            colored_source);
   geometry_program = desktop ? make_geometry_program(version) : 0;
}

/* ---- objects -------------------------------------------------------------- */

static GLuint
make_texture(GLuint *texture, const char *label)
{
   PFNGLOBJECTLABELKHRPROC object_label = (PFNGLOBJECTLABELKHRPROC)eglGetProcAddress("glObjectLabelKHR");
   if (!object_label)
      object_label = (PFNGLOBJECTLABELKHRPROC)eglGetProcAddress("glObjectLabel");
   glGenTextures(1, texture);
   glBindTexture(GL_TEXTURE_2D, *texture);
   object_label(GL_TEXTURE, *texture, -1, label);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   const GLuint made = bind_new_framebuffer(*texture);
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "framebuffer");
   return made;
}

static void
make_objects(void)
{
   static const GLfloat corners[] = {-1, -1, 3, -1, -1, 3};
   bind_new_vertex_array();
   create_buffer(GL_ARRAY_BUFFER, corners, sizeof corners);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   other_framebuffer = make_texture(&other, "other");
   framebuffer = make_texture(&target, "target");
   glGenBuffers(1, &pack_buffer);
   glBindBuffer(GL_PIXEL_PACK_BUFFER, pack_buffer);
   glBufferData(GL_PIXEL_PACK_BUFFER, sizeof pixels, NULL, GL_STREAM_READ);
   glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

/* ---- what frames are made of ------------------------------------------------ */

static void
draw(GLuint to, GLuint program)
{
   glBindFramebuffer(GL_FRAMEBUFFER, to);
   glClear(GL_COLOR_BUFFER_BIT);
   glUseProgram(program);
   glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void
check_pixel(const GLubyte *pixel)
{
   require(pixel[0] >= 63 && pixel[0] <= 65 && pixel[2] >= 190 && pixel[2] <= 192, "a pixel's color");
}

static void
read_pixels(void)
{
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   check_pixel(pixels);
}

/* ---- scenes ----------------------------------------------------------------- */

static void
unread(void)
{
   draw(framebuffer, plain_program);
   draw(0, plain_program);
}

static void
sampled(void)
{
   draw(framebuffer, plain_program);
   draw(0, textured_program);
}

static void
read_back(void)
{
   draw(framebuffer, plain_program);
   read_pixels();
   read_pixels();
   draw(0, plain_program);
}

static void
read_twice(void)
{
   draw(framebuffer, plain_program);
   read_pixels();
   draw(framebuffer, plain_program);
   read_pixels();
   draw(0, plain_program);
}

/* Only what the first frame has drawn is read, in all frames. */
static void
read_late(void)
{
   if (!frame)
      draw(framebuffer, plain_program);
   draw(0, plain_program);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   read_pixels();
}

static void
pixel_buffer(void)
{
   draw(framebuffer, plain_program);
   glBindBuffer(GL_PIXEL_PACK_BUFFER, pack_buffer);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   const GLubyte *mapped = glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, sizeof pixels, GL_MAP_READ_BIT);
   check_pixel(mapped);
   glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
   glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
   draw(0, plain_program);
}

/* Several draws of a pass; the blitter's clear of a part in between is not one that reads. */
static void
vertex_texture(void)
{
   draw(framebuffer, plain_program);
   draw(0, vertex_program);
   glEnable(GL_SCISSOR_TEST);
   glScissor(0, 0, 8, 8);
   draw(0, vertex_program);
   glDisable(GL_SCISSOR_TEST);
}

/* The vertex program's texture stays bound while others draw, and after it was written again. */
static void
vertex_texture_bound(void)
{
   draw(other_framebuffer, plain_program);
   draw(framebuffer, plain_program);
   glBindTexture(GL_TEXTURE_2D, other);
   draw(0, vertex_program);
   glBindTexture(GL_TEXTURE_2D, target);
   glClear(GL_COLOR_BUFFER_BIT);
   draw(other_framebuffer, textured_program);
}

static void
geometry_texture(void)
{
   draw(framebuffer, plain_program);
   draw(0, geometry_program);
}

/* Blits and copies between images are draws. */
static void
blit(void)
{
   draw(framebuffer, plain_program);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, other_framebuffer);
   glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
   draw(0, plain_program);
}

/* Within an image the CPU copies. */
static void
copy_within(void)
{
   const PFNGLCOPYIMAGESUBDATAEXTPROC copy =
      (PFNGLCOPYIMAGESUBDATAEXTPROC)eglGetProcAddress("glCopyImageSubDataEXT");
   require(has_extension("GL_EXT_copy_image") && copy, "EXT_copy_image");
   draw(framebuffer, plain_program);
   copy(target, GL_TEXTURE_2D, 0, 0, 0, 0, target, GL_TEXTURE_2D, 0, 32, 32, 0, 16, 16, 1);
   draw(0, plain_program);
}

/* The CPU writes a part of what the window's pass is still to read: the rest is copied to other memory, of which
 * nothing is read without events. */
static void
changed_while_read(void)
{
   static const GLubyte black[4 * 4 * 4];
   draw(framebuffer, plain_program);
   draw(0, textured_program);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, black);
   glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* What is thrown away is not stored, so that nothing of it can be read. */
static void
invalidated(void)
{
   static const GLenum color = GL_COLOR_ATTACHMENT0;
   draw(framebuffer, plain_program);
   glInvalidateFramebuffer(GL_FRAMEBUFFER, 1, &color);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   draw(0, plain_program);
}

static const struct {
   const char *name;
   void (*draw)(void);
   bool desktop;
} scenes[] = {
   {"unread", unread, false},
   {"sampled", sampled, false},
   {"read_back", read_back, false},
   {"read_twice", read_twice, false},
   {"read_late", read_late, false},
   {"pixel_buffer", pixel_buffer, false},
   {"vertex_texture", vertex_texture, false},
   {"vertex_texture_bound", vertex_texture_bound, false},
   {"geometry_texture", geometry_texture, true},
   {"blit", blit, false},
   {"copy_within", copy_within, false},
   {"changed_while_read", changed_while_read, false},
   {"invalidated", invalidated, false},
};

int
main(int argc, char **argv)
{
   size_t scene = 0;
   while (scene < sizeof scenes / sizeof scenes[0] && (argc != 2 || strcmp(argv[1], scenes[scene].name)))
      scene++;
   require(scene < sizeof scenes / sizeof scenes[0], "which scene?");
   const bool desktop = scenes[scene].desktop;
   struct egl egl =
      egl_open_context((struct surface_request){.kind = X11_WINDOW, .width = SIZE, .height = SIZE}, desktop,
                       3, desktop ? 2 : 0);
   make_programs(desktop);
   make_objects();
   for (frame = 0; frame < FRAMES; frame++) {
      scenes[scene].draw();
      require(glGetError() == GL_NO_ERROR, "an error of OpenGL");
      egl_swap(&egl);
   }
   egl_close(&egl);
   return 0;
}
