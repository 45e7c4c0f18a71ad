/* SPDX-License-Identifier: MIT */
/* OVR_multiview2: a draw goes to each view's layer, with the view's number in both programs. */
#define GL_GLEXT_PROTOTYPES
#include "gles.h"

#include <EGL/egl.h>
#include <GLES2/gl2ext.h>

#define SIZE 16
#define VIEWS 3
#define LAYERS 5
#define BASE 1

static PFNGLFRAMEBUFFERTEXTUREMULTIVIEWOVRPROC attach_views;

/* View n draws the column n; each instance a row. */
static const char vertex_source[] =
   "#version 300 es\n"
   "#extension GL_OVR_multiview2 : require\n"
   "layout(num_views = 3) in;\n"
   "in vec4 position;\n"
   "void main() {\n"
   "   gl_Position = vec4((float(gl_ViewID_OVR) * 2.0 + 1.0) / 16.0 - 1.0,\n"
   "                      (float(gl_InstanceID) * 2.0 + 1.0) / 16.0 - 1.0, position.z, 1.0);\n"
   "   gl_PointSize = 1.0;\n"
   "}\n";
static const char fragment_source[] =
   "#version 300 es\n"
   "#extension GL_OVR_multiview2 : require\n"
   "precision highp float;\n"
   "uniform float green;\n"
   "out vec4 color;\n"
   "void main() { color = vec4(float(gl_ViewID_OVR) / 255.0, green, 0.0, 1.0); }\n";

/** A framebuffer of one layer, to look at. */
static void
look_at(GLuint texture, int layer)
{
   bind_new_framebuffer(0);
   glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0, layer);
}

static void
expect_column(GLuint texture, int view, int rows, unsigned drawn)
{
   for (int x = 0; x < VIEWS + 1; x++) {
      for (int y = 0; y < rows + 1; y++) {
         const unsigned wanted = x == view && y < rows ? drawn : 0x000000ff;
         look_at(texture, BASE + view);
         const unsigned pixel = gles_pixel(x, y);
         holds(pixel == wanted, "view %d: pixel %d, %d is %08x instead of %08x", view, x, y, pixel, wanted);
      }
   }
}

static GLuint
create_framebuffer(GLuint *texture)
{
   static const unsigned char blue[SIZE * SIZE * 4] = {[2] = 255};
   const GLuint framebuffer = bind_new_framebuffer(0);
   *texture = gles_texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, SIZE, SIZE, LAYERS, 1);
   for (int layer = 0; layer < LAYERS; layer++)
      glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, layer, SIZE, SIZE, 1, GL_RGBA, GL_UNSIGNED_BYTE, blue);
   attach_views(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, *texture, 0, BASE, VIEWS);
   const GLuint depth = gles_texture(GL_TEXTURE_2D_ARRAY, GL_DEPTH_COMPONENT24, SIZE, SIZE, LAYERS, 1);
   attach_views(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, depth, 0, BASE, VIEWS);
   const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
   holds(status == GL_FRAMEBUFFER_COMPLETE, "the framebuffer's status is 0x%04x", status);
   glViewport(0, 0, SIZE, SIZE);
   return framebuffer;
}

static void
draw_points(int instances, float z)
{
   const float vertex[4] = {0, 0, z, 1};
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, vertex);
   glEnableVertexAttribArray(0);
   glDrawArraysInstanced(GL_POINTS, 0, 1, instances);
}

static void
check_views(void)
{
   GLuint texture, query, generated;
   const GLuint framebuffer = create_framebuffer(&texture);
   const GLuint program = build_program(vertex_source, fragment_source);
   const GLint green = glGetUniformLocation(program, "green");
   glUseProgram(program);
   glClearColor(0, 0, 0, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   glUniform1f(green, 1);
   glGenQueries(1, &query);
   glBeginQuery(GL_ANY_SAMPLES_PASSED, query);
   draw_points(4, 0);
   glEndQuery(GL_ANY_SAMPLES_PASSED);
   glUniform1f(green, 0.5f);
   draw_points(6, 0.5f); /* hidden but for two */
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &generated);
   holds(generated == GL_TRUE, "no view has passed samples");
   for (int view = 0; view < VIEWS; view++) {
      look_at(texture, BASE + view);
      const unsigned hidden = gles_pixel(view, 3), seen = gles_pixel(view, 5);
      holds(hidden == ((unsigned)view << 24 | 0x00ff00ff), "view %d: the near point is %08x", view, hidden);
      holds(seen >> 24 == (unsigned)view && (seen >> 16 & 0xff) == 0x80, "view %d: the far point is %08x",
            view, seen);
   }

   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glUniform1f(green, 1);
   draw_points(5, 0);
   for (int view = 0; view < VIEWS; view++)
      expect_column(texture, view, 5, (unsigned)view << 24 | 0x00ff00ff);
   look_at(texture, BASE - 1);
   holds(gles_pixel(0, 0) == 0x0000ff00, "the layer before the views was changed");
   look_at(texture, BASE + VIEWS);
   holds(gles_pixel(0, 0) == 0x0000ff00, "the layer behind the views was changed");
   glDisable(GL_DEPTH_TEST);
}

/* Triangles whose edges cross pixels, moved by the view. */
static const char edges_vertex[] =
   "#version 300 es\n"
   "#extension GL_OVR_multiview2 : require\n"
   "layout(num_views = 3) in;\n"
   "in vec4 position;\n"
   "void main() {\n"
   "   gl_Position = position + vec4(float(gl_ViewID_OVR) * 0.3, 0.0, 0.0, 0.0);\n"
   "}\n";
static const char plain_vertex[] =
   "#version 300 es\n"
   "in vec4 position;\n"
   "uniform float view;\n"
   "void main() { gl_Position = position + vec4(view * 0.3, 0.0, 0.0, 0.0); }\n";

/** With samples that are in the tile buffers alone, each view is as it is without the others. */
static void
check_samples(void)
{
   static const float edges[3][4] = {{-0.9f, -0.85f, 0, 1}, {0.45f, -0.3f, 0, 1}, {-0.6f, 0.9f, 0, 1}};
   const PFNGLFRAMEBUFFERTEXTUREMULTISAMPLEMULTIVIEWOVRPROC attach_samples =
      (PFNGLFRAMEBUFFERTEXTUREMULTISAMPLEMULTIVIEWOVRPROC)eglGetProcAddress(
         "glFramebufferTextureMultisampleMultiviewOVR");
   const PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC attach_plain =
      (PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC)eglGetProcAddress("glFramebufferTexture2DMultisampleEXT");
   GLuint framebuffers[2];
   unsigned partial = 0;
   if (!has_extension("GL_OVR_multiview_multisampled_render_to_texture"))
      return;
   const GLuint texture = gles_texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, SIZE, SIZE, LAYERS, 1);
   const GLuint plain = gles_texture(GL_TEXTURE_2D, GL_RGBA8, SIZE, SIZE, 1, 1);
   glGenFramebuffers(2, framebuffers);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
   attach_samples(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0, 4, BASE, VIEWS);
   const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
   holds(status == GL_FRAMEBUFFER_COMPLETE, "with samples the status is 0x%04x", status);
   glViewport(0, 0, SIZE, SIZE);
   glClear(GL_COLOR_BUFFER_BIT);
   glUseProgram(build_program(edges_vertex, gles_white_fragment));
   gles_draw(GL_TRIANGLES, edges, 3);
   const GLuint program = build_program(plain_vertex, gles_white_fragment);
   for (int view = 0; view < VIEWS; view++) {
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
      attach_plain(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, plain, 0, 4);
      glClear(GL_COLOR_BUFFER_BIT);
      glUseProgram(program);
      glUniform1f(glGetUniformLocation(program, "view"), view);
      gles_draw(GL_TRIANGLES, edges, 3);
      for (int i = 0; i < SIZE * SIZE; i++) {
         glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
         const unsigned wanted = gles_pixel(i % SIZE, i / SIZE);
         look_at(texture, BASE + view);
         const unsigned pixel = gles_pixel(i % SIZE, i / SIZE);
         partial += wanted >> 24 && wanted >> 24 != 255;
         holds(pixel == wanted, "view %d with samples: pixel %d, %d is %08x instead of %08x", view, i % SIZE,
               i / SIZE, pixel, wanted);
      }
   }
   holds(partial > 20, "edges cross %u pixels only", partial);
}

/** Other framebuffers after it have no views. */
static void
check_plain(void)
{
   gles_framebuffer(GL_RGBA8, GL_NONE, SIZE, SIZE);
   glClear(GL_COLOR_BUFFER_BIT);
   draw_points(1, 0);
   holds(gles_pixel(0, 0) == 0x00ff00ff, "a plain framebuffer has %08x", gles_pixel(0, 0));
}

int
main(void)
{
   GLint most = 0;
   gles_open();
   if (!has_extension("GL_OVR_multiview2"))
      stop("there is no GL_OVR_multiview2");
   attach_views =
      (PFNGLFRAMEBUFFERTEXTUREMULTIVIEWOVRPROC)eglGetProcAddress("glFramebufferTextureMultiviewOVR");
   glGetIntegerv(GL_MAX_VIEWS_OVR, &most);
   holds(most >= VIEWS, "there are up to %d views", most);
   check_views();
   check_plain();
   check_samples();
   return gles_close();
}
