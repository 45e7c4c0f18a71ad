/* SPDX-License-Identifier: MIT */
/* cube_seams: prints what linear filters return at the edges and corners of cube maps, whose faces meet without a seam
 * (OpenGL ES 3.0.6, 3.8.8 and 3.8.9.1). compare_test.py compares with what another driver returns. */
#include <stdio.h>

#include "gles.h"

#define PIXELS \
   22 /* across a face and a little beyond its edges, nowhere the same both ways: a tie of two faces */
#define LEVELS 3
#define SIZE 4 /* texels of level 0 */

static const char vertex_source[] = "#version 300 es\n"
                                    "in vec4 position;\n"
                                    "uniform highp vec3 axes[3];\n"
                                    "out highp vec3 direction;\n"
                                    "void main() {\n"
                                    "   vec2 place = position.xy * vec2(1.1, 1.07);\n"
                                    "   direction = axes[0] + place.x * axes[1] + place.y * axes[2];\n"
                                    "   gl_Position = position;\n"
                                    "}\n";
static const char fragment_source[] = "#version 300 es\n"
                                      "precision highp float;\n"
                                      "uniform highp samplerCube image;\n"
                                      "uniform highp float level;\n"
                                      "in vec3 direction;\n"
                                      "out vec4 color;\n"
                                      "void main() { color = textureLod(image, direction, level); }\n";

/* A face's direction, and two along it. */
static const float axes[6][3][3] = {
   {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},  {{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},
   {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},  {{0, 0, -1}, {1, 0, 0}, {0, 1, 0}},
};

static void
make_texture(void)
{
   unsigned char texels[SIZE * SIZE][4];
   unsigned state = 1;
   gles_texture(GL_TEXTURE_CUBE_MAP, GL_RGBA8, SIZE, SIZE, 1, LEVELS);
   for (int level = 0; level < LEVELS; level++) {
      for (GLenum face = 0; face < 6; face++) {
         for (unsigned i = 0; i < SIZE * SIZE * 4; i++)
            texels[i / 4][i % 4] = (unsigned char)((state = state * 1664525u + 1013904223u) >> 24);
         glTexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, level, 0, 0, SIZE >> level, SIZE >> level,
                         GL_RGBA, GL_UNSIGNED_BYTE, texels);
      }
   }
}

int
main(void)
{
   static const GLenum filters[] = {GL_NEAREST, GL_LINEAR};
   static const float levels[] = {0, 1, 1.5f, 2};
   static unsigned char pixels[PIXELS * PIXELS][4];
   gles_open();
   gles_framebuffer(GL_RGBA8, GL_NONE, PIXELS, PIXELS);
   const GLuint program = build_program(vertex_source, fragment_source);
   glUseProgram(program);
   make_texture();
   for (size_t n = 0; n < COUNT_OF(filters) * COUNT_OF(levels) * 6; n++) {
      const GLenum filter = filters[n % COUNT_OF(filters)];
      const float level = levels[n / COUNT_OF(filters) % COUNT_OF(levels)];
      const size_t face = n / COUNT_OF(filters) / COUNT_OF(levels);
      glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, (GLint)filter);
      glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER,
                      filter == GL_LINEAR ? GL_LINEAR_MIPMAP_LINEAR : GL_NEAREST_MIPMAP_LINEAR);
      glUniform3fv(glGetUniformLocation(program, "axes"), 3, axes[face][0]);
      glUniform1f(glGetUniformLocation(program, "level"), level);
      gles_rectangle(-1, -1, 1, 1, 0);
      glReadPixels(0, 0, PIXELS, PIXELS, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
      for (int p = 0; p < PIXELS * PIXELS; p++)
         printf("face %zu, filter 0x%04x, level %g, pixel %d, %d: %u %u %u %u\n", face, filter, level,
                p % PIXELS, p / PIXELS, pixels[p][0], pixels[p][1], pixels[p][2], pixels[p][3]);
   }
   return gles_close();
}
