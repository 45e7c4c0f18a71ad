/* SPDX-License-Identifier: MIT */
/* guard_band FILE WORD...: draws on 128 x 96 pixels with a depth buffer, and writes them to a file, four bytes each from the
 * lower left. Words: "viewport X Y WIDTH HEIGHT", "scissor X Y WIDTH HEIGHT", "samples 4" (first), "blend", "cull" (back
 * faces), "triangle" and three times X Y Z W in clip coordinates. The red of the n-th triangle is n; each fragment reads a
 * texel of a texture. */
#include <GLES3/gl3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define WIDTH 128
#define HEIGHT 96

static const char vertex_source[] = "in vec4 position;\n"
                                    "void main() { gl_Position = position; }\n";
static const char fragment_source[] = "precision highp float;\n"
                                      "uniform float number;\n"
                                      "uniform sampler2D texels;\n"
                                      "out vec4 color;\n"
                                      "void main() { color = vec4(number / 255.0, texelFetch(texels, "
                                      "ivec2(gl_FragCoord.xy), 0).g, 0.0, 1.0); }\n";

/* Takes so many numbers that follow a word. */
static char **
take(char **word, unsigned count, float *numbers)
{
   for (unsigned i = 0; i < count; i++) {
      require(*word, "numbers are missing");
      numbers[i] = strtof(*word++, NULL);
   }
   return word;
}

static void
draw_words(char **word, GLint number)
{
   float numbers[12];
   float drawn = 0;
   while (*word) {
      const char *what = *word++;
      if (!strcmp(what, "triangle")) {
         word = take(word, 12, numbers);
         create_buffer(GL_ARRAY_BUFFER, numbers, sizeof numbers);
         glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
         glUniform1f(number, ++drawn);
         glDrawArrays(GL_TRIANGLES, 0, 3);
         continue;
      }
      if (!strcmp(what, "blend")) {
         glEnable(GL_BLEND);
         glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
         continue;
      }
      if (!strcmp(what, "cull")) {
         glEnable(GL_CULL_FACE);
         continue;
      }
      word = take(word, 4, numbers);
      if (!strcmp(what, "viewport")) {
         glViewport((GLint)numbers[0], (GLint)numbers[1], (GLint)numbers[2], (GLint)numbers[3]);
      } else {
         require(!strcmp(what, "scissor"), "%s is no word", what);
         glEnable(GL_SCISSOR_TEST);
         glScissor((GLint)numbers[0], (GLint)numbers[1], (GLint)numbers[2], (GLint)numbers[3]);
      }
   }
}

/* The framebuffer that is drawn to, bound; a texture of one colour. */
static GLuint
create_framebuffer(GLsizei samples)
{
   const GLuint framebuffer = bind_new_framebuffer(0);
   const GLuint color = bind_new_renderbuffer(GL_RGBA8, WIDTH, HEIGHT);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, WIDTH, HEIGHT);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
   const GLuint depth = bind_new_renderbuffer(GL_DEPTH_COMPONENT24, WIDTH, HEIGHT);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT24, WIDTH, HEIGHT);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "no framebuffer");
   static unsigned char texels[HEIGHT][WIDTH][4];
   memset(texels, 255, sizeof texels);
   bind_new_image(GL_RGBA8, WIDTH, HEIGHT);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   return framebuffer;
}

/* Averages the samples of the framebuffer that is bound into another one, which is then bound. */
static void
resolve(GLuint framebuffer)
{
   const GLuint resolved = bind_new_framebuffer(bind_new_image(GL_RGBA8, WIDTH, HEIGHT));
   glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
   glBlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT, GL_COLOR_BUFFER_BIT, GL_NEAREST);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, resolved);
}

static void
write_pixels(const char *path)
{
   static unsigned char pixels[HEIGHT][WIDTH][4];
   glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   require(glGetError() == GL_NO_ERROR, "an error of OpenGL");
   FILE *file = fopen(path, "wb");
   require(file && fwrite(pixels, sizeof pixels, 1, file) == 1 && !fclose(file), "%s: cannot be written",
           path);
}

int
main(int argc, char **argv)
{
   require(argc > 2, "usage: guard_band FILE WORD...");
   char **words = argv + 2;
   GLsizei samples = 0;
   if (!strcmp(words[0], "samples")) {
      samples = (GLsizei)strtol(words[1], NULL, 10);
      words += 2;
   }
   struct egl egl = egl_open_context((struct surface_request){.kind = SURFACELESS}, false, 3, 0);
   const GLuint framebuffer = create_framebuffer(samples);
   const GLuint program = build_versioned_program("#version 300 es\n", vertex_source, fragment_source);
   glUseProgram(program);
   bind_new_vertex_array();
   glEnableVertexAttribArray(0);
   glViewport(0, 0, WIDTH, HEIGHT);
   glEnable(GL_DEPTH_TEST);
   glDepthFunc(GL_LEQUAL);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   draw_words(words, glGetUniformLocation(program, "number"));
   if (samples)
      resolve(framebuffer);
   write_pixels(argv[1]);
   egl_close(&egl);
   return 0;
}
