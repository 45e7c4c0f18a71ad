/* SPDX-License-Identifier: MIT */
/* gl_SampleMaskIn with early tests: all samples that are covered, and with ARB_post_depth_coverage those that have passed; what is
 * drawn in front later changes neither. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define SIZE 32
#define SAMPLES 4
#define VERSION "#version 450\n#extension GL_ARB_post_depth_coverage : require\n"

static const char vertex_source[] =
   VERSION "layout(location = 0) in vec4 position;\nvoid main() { gl_Position = position; }\n";
static const char plain_source[] = VERSION "out vec4 color;\nvoid main() { color = vec4(0, 0, 0, 1); }\n";
#define MASK "out vec4 color;\nvoid main() { color = vec4(1, float(gl_SampleMaskIn[0]) / 15, 0, 1); }\n"
static const char early_source[] = VERSION "layout(early_fragment_tests) in;\n" MASK;
static const char late_source[] = VERSION MASK;
static const char post_source[] = VERSION "layout(post_depth_coverage) in;\n" MASK;
/* Of a sample. */
static const char copy_source[] =
   VERSION "uniform sampler2DMS samples;\n"
           "uniform int number;\n"
           "out vec4 color;\n"
           "void main() { color = texelFetch(samples, ivec2(gl_FragCoord.xy), number); }\n";

static GLuint framebuffers[2]; /* multisampled, and not */

static void
create_framebuffers(void)
{
   GLuint textures[3];
   glGenTextures(3, textures);
   glGenFramebuffers(2, framebuffers);
   glBindTexture(GL_TEXTURE_2D, textures[0]);
   glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SIZE, SIZE);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[0], 0);
   glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, textures[1]);
   glTexStorage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, SAMPLES, GL_DEPTH_COMPONENT24, SIZE, SIZE, GL_TRUE);
   glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, textures[2]);
   glTexStorage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, SAMPLES, GL_RGBA8, SIZE, SIZE, GL_TRUE);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D_MULTISAMPLE, textures[1], 0);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE, textures[2], 0);
   glViewport(0, 0, SIZE, SIZE);
}

static void
draw(GLuint program, const float corners[3][4])
{
   glUseProgram(program);
   glBufferData(GL_ARRAY_BUFFER, 3 * 4 * sizeof(float), corners, GL_STREAM_DRAW);
   glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* A triangle in front, the whole window behind it, with the program, and then perhaps another in front of both; the samples. */
static void
render(GLuint program, bool covers, GLubyte samples[SAMPLES][SIZE][SIZE][4])
{
   static const float near[3][4] = {{-1, -0.9f, 0, 1}, {0.7f, -0.3f, 0, 1}, {-0.5f, 0.8f, 0, 1}};
   static const float far[3][4] = {{-1, -1, 0.5f, 1}, {3, -1, 0.5f, 1}, {-1, 3, 0.5f, 1}};
   static const float nearest[3][4] = {{0.9f, 0.95f, -0.5f, 1},
                                       {-0.8f, 0.5f, -0.5f, 1},
                                       {0.6f, -0.9f, -0.5f, 1}};
   static GLuint plain, copy;
   if (!plain) {
      plain = build_program(vertex_source, plain_source);
      copy = build_program(vertex_source, copy_source);
   }
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
   glEnable(GL_DEPTH_TEST);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   draw(plain, near);
   draw(program, far);
   if (covers)
      draw(plain, nearest);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
   glDisable(GL_DEPTH_TEST);
   for (int s = 0; s < SAMPLES; s++) {
      glUseProgram(copy);
      glUniform1i(glGetUniformLocation(copy, "number"), s);
      draw(copy, far);
      glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, samples[s]);
   }
}

/* Red samples are the program's, and green has the mask that it saw. */
static void
check(const char *name, const char *source, bool passed)
{
   static GLubyte alone[SAMPLES][SIZE][SIZE][4], covered[SAMPLES][SIZE][SIZE][4];
   const GLuint program = build_program(vertex_source, source);
   unsigned partial = 0;
   render(program, false, alone);
   render(program, true, covered);
   for (unsigned n = 0; n < SIZE * SIZE; n++) {
      const unsigned x = n % SIZE, y = n / SIZE;
      unsigned mask = 0;
      if (x == y)
         continue; /* clipped to the window, there are two triangles that meet here */
      for (unsigned s = 0; s < SAMPLES; s++)
         mask |= (unsigned)(alone[s][y][x][0] == 255) << s;
      partial += mask && mask != 15;
      for (unsigned s = 0; s < SAMPLES; s++) {
         const unsigned expected = passed ? mask : 15;
         if (mask >> s & 1)
            holds(alone[s][y][x][1] == expected * 17, "%s: at %u, %u sample %u saw %u/17, not %u", name, x, y,
                  s, alone[s][y][x][1], expected);
         if (covered[s][y][x][0] == 255)
            holds(!memcmp(covered[s][y][x], alone[s][y][x], 4),
                  "%s: at %u, %u sample %u saw %u/17 of %u/17 below another triangle", name, x, y, s,
                  covered[s][y][x][1], alone[s][y][x][1]);
      }
   }
   holds(partial > 20, "%s: %u pixels have some of their samples", name, partial);
}

int
main(void)
{
   struct egl egl = egl_open_context((struct surface_request){SURFACELESS}, true, 4, 5);
   GLuint buffer;
   require(has_extension("GL_ARB_post_depth_coverage"), "there is no GL_ARB_post_depth_coverage");
   bind_new_vertex_array();
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(0);
   create_framebuffers();
   check("late tests", late_source, false);
   check("early tests", early_source, false);
   check("post-depth coverage", post_source, true);
   require(glGetError() == GL_NO_ERROR, "an error of OpenGL");
   egl_close(&egl);
   return check_status();
}
