/* SPDX-License-Identifier: MIT */
/* fetch_depth: programs that read depth and stencil (ARM_shader_framebuffer_fetch_depth_stencil), each fragment
 * those before its own are written, against the same worked out on the CPU; and what is drawn with several samples
 * into single-sampled textures, all colour attachments of a framebuffer (EXT_multisampled_render_to_texture2). Prints
 * what is wrong; exit status 0 if nothing is. */
#include "fetch/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <EGL/egl.h>
#include <GLES2/gl2ext.h>

#define SIZE 61 /* no tile size divides it */
#define NUM_RECTANGLES 40
#define MAX_COMPLAINTS 4

static int broken;

struct rectangle {
   int x0, y0, x1, y1, depth; /* in steps of 1 / 256 */
};
static struct rectangle rectangles[NUM_RECTANGLES];

struct pixel {
   int depth, stencil, seen_depth, seen_stencil;
};
static struct pixel expected[SIZE * SIZE];

/* Random ones; what they do to the picture: fetching ones leave what they have seen. */
static void
draw_rectangles(bool fetches)
{
   float vertices[NUM_RECTANGLES * 6][3];
   for (unsigned r = 0; r < NUM_RECTANGLES; r++) {
      struct rectangle rectangle = {random_below(SIZE - 8), random_below(SIZE - 8), 0, 0,
                                    20 + random_below(200)};
      rectangle.x1 = rectangle.x0 + 1 + random_below(SIZE - rectangle.x0);
      rectangle.y1 = rectangle.y0 + 1 + random_below(SIZE - rectangle.y0);
      rectangles[r] = rectangle;
      const int corners[6][2] = {{rectangle.x0, rectangle.y0}, {rectangle.x1, rectangle.y0},
                                 {rectangle.x0, rectangle.y1}, {rectangle.x0, rectangle.y1},
                                 {rectangle.x1, rectangle.y0}, {rectangle.x1, rectangle.y1}};
      for (unsigned v = 0; v < 6; v++) {
         vertices[r * 6 + v][0] = 2.0f * corners[v][0] / SIZE - 1;
         vertices[r * 6 + v][1] = 2.0f * corners[v][1] / SIZE - 1;
         vertices[r * 6 + v][2] = rectangle.depth / 128.0f - 1;
      }
   }
   draw_triangles(vertices, NUM_RECTANGLES * 6);
   for (unsigned r = 0; r < NUM_RECTANGLES; r++) {
      for (int y = rectangles[r].y0; y < rectangles[r].y1; y++) {
         for (int x = rectangles[r].x0; x < rectangles[r].x1; x++) {
            struct pixel *pixel = &expected[y * SIZE + x];
            if (rectangles[r].depth >= pixel->depth)
               continue;
            if (fetches) {
               pixel->seen_depth = pixel->depth;
               pixel->seen_stencil = pixel->stencil;
            }
            pixel->depth = rectangles[r].depth;
            pixel->stencil++;
         }
      }
   }
}

static GLuint
make_buffer(GLenum format, GLenum attachment)
{
   const GLuint buffer = bind_new_renderbuffer(format, SIZE, SIZE);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer);
   return buffer;
}

static void
check_picture(const char *name, bool has_stencil)
{
   static float read[SIZE * SIZE][4];
   int wrong = 0;
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_FLOAT, read);
   require(glGetError() == GL_NO_ERROR, "%s", name);
   for (unsigned p = 0; p < SIZE * SIZE; p++) {
      const float depth = expected[p].seen_depth / 256.0f,
                  stencil = has_stencil ? expected[p].seen_stencil : 0;
      /* A step of 16 bits. */
      if (fabsf(read[p][0] - depth) <= 1.0f / 65535 && read[p][1] == stencil)
         continue;
      if (wrong++ < MAX_COMPLAINTS)
         fprintf(stderr, "%s, pixel %u,%u: depth %g, stencil %g, expected %g, %g\n", name, p % SIZE, p / SIZE,
                 read[p][0], read[p][1], depth, stencil);
   }
   broken += wrong != 0;
}

/* Some that only set depth and stencil, then some that fetch, in the same pass and in the next. */
static void
run_depth(const char *name, GLenum format, bool has_stencil)
{
   static const char vertex[] = "in vec3 position;\n"
                                "void main() { gl_Position = vec4(position, 1.0); }\n";
   static const char plain[] = "precision highp float;\n"
                               "out vec4 color;\n"
                               "void main() { color = vec4(0.0); }\n";
   static const char fetching[] =
      "#extension GL_ARM_shader_framebuffer_fetch_depth_stencil : require\n"
      "precision highp float;\n"
      "out vec4 color;\n"
      "void main() {\n"
      "   color = vec4(gl_LastFragDepthARM, float(gl_LastFragStencilARM), 0.0, 1.0);\n"
      "}\n";
   const GLuint programs[] = {build_versioned_program("#version 300 es\n", vertex, plain),
                              build_versioned_program("#version 300 es\n", vertex, fetching)};
   const GLuint framebuffer = bind_new_framebuffer(0);
   const GLuint buffers[] = {
      make_buffer(GL_RGBA32F, GL_COLOR_ATTACHMENT0),
      make_buffer(format, has_stencil ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT),
   };
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "%s", name);
   glViewport(0, 0, SIZE, SIZE);
   glEnable(GL_DEPTH_TEST);
   glEnable(GL_STENCIL_TEST);
   glDepthFunc(GL_LESS);
   glStencilFunc(GL_ALWAYS, 0, 0xff);
   glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
   glClearColor(0, 0, 0, 0);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   for (unsigned p = 0; p < SIZE * SIZE; p++)
      expected[p] = (struct pixel){.depth = 256};
   glUseProgram(programs[0]);
   glColorMask(0, 0, 0, 0);
   draw_rectangles(false);
   glColorMask(1, 1, 1, 1);
   for (int pass = 0; pass < 2; pass++) {
      glUseProgram(programs[1]);
      draw_rectangles(true);
      glFlush();
   }
   check_picture(name, has_stencil);
   glDisable(GL_DEPTH_TEST);
   glDisable(GL_STENCIL_TEST);
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteRenderbuffers(2, buffers);
}

/* A program fetches from two textures that are drawn to with four samples, of which slanted triangles cover some: the
 * same as into multisampled buffers that are resolved. */
static void
run_implicit(bool implicit, unsigned char (*pixels)[SIZE * SIZE][4])
{
   static const char vertex[] = "in vec3 position;\n"
                                "void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }\n";
   static const char fetching[] = "#extension GL_EXT_shader_framebuffer_fetch : require\n"
                                  "precision highp float;\n"
                                  "layout(location = 0) inout highp vec4 first;\n"
                                  "layout(location = 1) inout highp vec4 second;\n"
                                  "void main() {\n"
                                  "   vec4 old = first;\n"
                                  "   first = fract(second.gbra + vec4(64.0 / 255.0, 0.0, 0.0, 0.0));\n"
                                  "   second = vec4(1.0) - old;\n"
                                  "}\n";
   static const float triangles[][3] = {{-1, -1, 0},      {0.9f, -0.7f, 0}, {-0.3f, 0.8f, 0},
                                        {-0.8f, 0.9f, 0}, {1, -0.9f, 0},    {0.7f, 0.95f, 0},
                                        {-0.9f, 0.3f, 0}, {0.8f, -0.2f, 0}, {0.3f, 0.7f, 0}};
   static const GLenum draw_buffers[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
   static const float colors[2][4] = {{1, 0, 0.2f, 1}, {0, 0.4f, 1, 0}};
   PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC attach =
      (PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC)eglGetProcAddress("glFramebufferTexture2DMultisampleEXT");
   GLuint framebuffers[2], textures[2], buffers[2];
   glGenFramebuffers(2, framebuffers);
   glGenTextures(2, textures);
   glGenRenderbuffers(2, buffers);
   for (int i = 0; i < 2; i++) {
      glBindTexture(GL_TEXTURE_2D, textures[i]);
      glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SIZE, SIZE);
      glBindRenderbuffer(GL_RENDERBUFFER, buffers[i]);
      glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, SIZE, SIZE);
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
      if (implicit)
         attach(GL_FRAMEBUFFER, draw_buffers[i], GL_TEXTURE_2D, textures[i], 0, 4);
      else
         glFramebufferRenderbuffer(GL_FRAMEBUFFER, draw_buffers[i], GL_RENDERBUFFER, buffers[i]);
   }
   glDrawBuffers(2, draw_buffers);
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE,
           "two attachments with samples");
   glViewport(0, 0, SIZE, SIZE);
   glUseProgram(build_versioned_program("#version 300 es\n", vertex, fetching));
   for (int i = 0; i < 2; i++)
      glClearBufferfv(GL_COLOR, i, colors[i]);
   draw_triangles(triangles, 9);
   for (int i = 0; i < 2; i++) {
      if (!implicit) {
         glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffers[1]);
         glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[i], 0);
         glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers[0]);
         glReadBuffer(draw_buffers[i]);
         glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
      }
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[i], 0);
      glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels[i]);
   }
   require(glGetError() == GL_NO_ERROR, "samples into textures");
}

/* But for the rounding of an average. */
static bool
is_alike(const unsigned char *a, const unsigned char *b)
{
   for (int c = 0; c < 4; c++) {
      if (a[c] > b[c] + 1 || b[c] > a[c] + 1)
         return false;
   }
   return true;
}

static void
compare_implicit(void)
{
   static unsigned char pixels[2][2][SIZE * SIZE][4];
   for (int implicit = 0; implicit < 2; implicit++)
      run_implicit(implicit, pixels[implicit]);
   for (int i = 0; i < 2; i++) {
      unsigned differ = 0, between = 0;
      for (unsigned p = 0; p < SIZE * SIZE; p++) {
         differ += !is_alike(pixels[0][i][p], pixels[1][i][p]);
         between += p % SIZE && memcmp(pixels[1][i][p], pixels[1][i][p - 1], 4) != 0;
      }
      if (differ || between < SIZE)
         fprintf(stderr, "attachment %d: %u pixels are not as in multisampled buffers, %u edges\n", i, differ,
                 between);
      broken += differ || between < SIZE;
   }
}

int
main(void)
{
   open_context(false);
   require(has_extension("GL_ARM_shader_framebuffer_fetch_depth_stencil"),
           "GL_ARM_shader_framebuffer_fetch_depth_stencil");
   require(has_extension("GL_EXT_multisampled_render_to_texture2"), "GL_EXT_multisampled_render_to_texture2");
   run_depth("DEPTH24_STENCIL8", GL_DEPTH24_STENCIL8, true);
   run_depth("DEPTH32F_STENCIL8", GL_DEPTH32F_STENCIL8, true);
   run_depth("DEPTH_COMPONENT16", GL_DEPTH_COMPONENT16, false);
   run_depth("DEPTH_COMPONENT32F", GL_DEPTH_COMPONENT32F, false);
   compare_implicit();
   if (broken)
      fprintf(stderr, "fetch_depth: %d pictures are wrong\n", broken);
   return broken != 0;
}
