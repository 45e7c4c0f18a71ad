/* SPDX-License-Identifier: MIT */
/* Scenes of points, lines and textures. */
#include "images/scenes.h"
#include "support/program.h"

static void
clear(void)
{
   glClearColor(0.05f, 0.1f, 0.1f, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

static void
random_vertices(struct vertex *vertices, int n, uint32_t seed)
{
   for (int v = 0; v < n; v++) {
      vertices[v] = (struct vertex){
         .position = {random_between(&seed, -1.1f, 1.1f), random_between(&seed, -1.1f, 1.1f),
                      random_between(&seed, -1, 1), 1},
         .color = {random_between(&seed, 0, 1), random_between(&seed, 0, 1), random_between(&seed, 0, 1), 1},
      };
   }
}

void
draw_points(const struct target *target, int frame)
{
   static GLuint sprites;
   struct vertex vertices[64];
   static const float sizes[] = {1, 2, 5.5f, 20};
   if (!sprites)
      sprites =
         make_program("attribute vec4 position, color;\n"
                      "uniform float size;\n"
                      "varying vec4 v_color;\n"
                      "void main() {\n"
                      "   gl_Position = position; gl_PointSize = size + color.x * 4.0; v_color = color;\n"
                      "}\n",
                      "precision mediump float;\n"
                      "varying vec4 v_color;\n"
                      "void main() {\n"
                      "   gl_FragColor = vec4(gl_PointCoord, 0.0, 1.0) * 0.6 + v_color * 0.4;\n"
                      "}\n");
   begin(target, color_program());
   clear();
   glEnable(GL_DEPTH_TEST);
   for (int s = 0; s < 4; s++) {
      GLuint program = s & 1 ? sprites : color_program();
      glUseProgram(program);
      glUniform1f(glGetUniformLocation(program, "size"), sizes[s]);
      random_vertices(vertices, 64, 71 + frame + s);
      draw(GL_POINTS, vertices, 64);
   }
}

void
draw_lines(const struct target *target, int frame)
{
   struct vertex vertices[24];
   static const GLenum modes[] = {GL_LINES, GL_LINE_STRIP, GL_LINE_LOOP};
   begin(target, color_program());
   clear();
   glEnable(GL_DEPTH_TEST);
   for (int m = 0; m < 6; m++) {
      glLineWidth(m < 3 ? 1 : 4);
      random_vertices(vertices, 24, 81 + frame + m);
      draw(modes[m % 3], vertices, 24);
   }
   glLineWidth(1);
}

/* A texture with a picture that shows every mistake of a texel: level and position are in its colours. */
static GLuint
make_texture(int width, int height, bool mipmaps)
{
   static uint8_t texels[128 * 128 * 4];
   const GLuint texture = bind_new_texture(GL_TEXTURE_2D);
   for (int level = 0; width > 0 && height > 0; level++) {
      for (int t = 0; t < width * height; t++) {
         int x = t % width, y = t / width;
         uint8_t *texel = texels + t * 4;
         texel[0] = x * 255 / width;
         texel[1] = y * 255 / height;
         texel[2] = ((x ^ y) & 1) * 160 + level * 12;
         texel[3] = 255 - level * 20;
      }
      glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
      if (!mipmaps || (width == 1 && height == 1))
         break;
      width = width > 1 ? width / 2 : 1;
      height = height > 1 ? height / 2 : 1;
   }
   return texture;
}

static void
set_sampling(GLenum target, GLenum minify, GLenum magnify, GLenum wrap_s, GLenum wrap_t)
{
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, minify);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, magnify);
   glTexParameteri(target, GL_TEXTURE_WRAP_S, wrap_s);
   glTexParameteri(target, GL_TEXTURE_WRAP_T, wrap_t);
}

void
draw_textures(const struct target *target, int frame)
{
   static const GLenum minify[] = {GL_NEAREST,
                                   GL_LINEAR,
                                   GL_NEAREST_MIPMAP_NEAREST,
                                   GL_LINEAR_MIPMAP_NEAREST,
                                   GL_NEAREST_MIPMAP_LINEAR,
                                   GL_LINEAR_MIPMAP_LINEAR};
   static const GLenum wraps[] = {GL_REPEAT, GL_CLAMP_TO_EDGE, GL_MIRRORED_REPEAT};
   static GLuint power_of_two, odd;
   if (!power_of_two) {
      power_of_two = make_texture(128, 64, true);
      odd = make_texture(57, 35, false);
   }
   begin(target, texture_program());
   clear();
   glEnable(GL_DEPTH_TEST);
   glBindTexture(GL_TEXTURE_2D, power_of_two);
   for (int f = 0; f < 6; f++) {
      set_sampling(GL_TEXTURE_2D, minify[f], f & 1 ? GL_LINEAR : GL_NEAREST, wraps[f % 3],
                   wraps[(f + 1) % 3]);
      draw_random_triangles(91 + frame + f, 8, 0.7f, 1);
   }
   glBindTexture(GL_TEXTURE_2D, odd);
   set_sampling(GL_TEXTURE_2D, GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
   draw_random_triangles(98 + frame, 8, 0.6f, 1);
}

void
draw_cube_map(const struct target *target, int frame)
{
   static GLuint program, texture;
   if (!program) {
      program = make_program("attribute vec4 position, color;\n"
                             "varying vec3 direction;\n"
                             "void main() { gl_Position = position; direction = color.xyz * 2.0 - 1.0; }\n",
                             "precision mediump float;\n"
                             "uniform samplerCube image;\n"
                             "varying vec3 direction;\n"
                             "void main() { gl_FragColor = textureCube(image, direction); }\n");
      texture = bind_new_texture(GL_TEXTURE_CUBE_MAP);
      for (int face = 0; face < 6; face++) {
         uint8_t texels[16 * 16 * 4];
         for (int t = 0; t < 256; t++) {
            texels[t * 4 + 0] = face * 40;
            texels[t * 4 + 1] = t % 16 * 16;
            texels[t * 4 + 2] = t / 16 * 16;
            texels[t * 4 + 3] = 255;
         }
         glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                      texels);
      }
      glGenerateMipmap(GL_TEXTURE_CUBE_MAP);
      /* Not GL_LINEAR: OpenGL ES 2 does not filter across the faces' edges, ES 3 does, and a
       * driver may give a context of either. */
      set_sampling(GL_TEXTURE_CUBE_MAP, GL_NEAREST_MIPMAP_LINEAR, GL_NEAREST, GL_CLAMP_TO_EDGE,
                   GL_CLAMP_TO_EDGE);
   }
   begin(target, program);
   clear();
   glEnable(GL_DEPTH_TEST);
   glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
   draw_random_triangles(101 + frame, 30, 0.6f, 1);
}

/* Two textures drawn in turn from each other, mipmaps made of one, both shown; then one is
 * drawn into again and shown once more within the frame. */
void
draw_render_to_texture(const struct target *target, int frame)
{
   static GLuint textures[2], framebuffers[2], depth;
   static const struct {
      float color[4];
   } tints[] = {{{1, 1, 1, 1}}, {{0.5f, 1, 0.8f, 1}}};
   const int size = 96;
   if (!depth) {
      glGenTextures(2, textures);
      glGenFramebuffers(2, framebuffers);
      depth = bind_new_renderbuffer(GL_DEPTH_COMPONENT16, size, size);
      for (int t = 0; t < 2; t++) {
         glBindTexture(GL_TEXTURE_2D, textures[t]);
         glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
         set_sampling(GL_TEXTURE_2D, GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
         glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[t]);
         glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[t], 0);
         glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
      }
   }
   const struct target inner[2] = {{framebuffers[0], size, size}, {framebuffers[1], size, size}};
   begin(&inner[0], color_program());
   clear();
   glEnable(GL_DEPTH_TEST);
   draw_random_triangles(111 + frame, 30, 0.6f, 1);
   for (int step = 1; step <= 3; step++) {
      begin(&inner[step & 1], texture_program());
      glBindTexture(GL_TEXTURE_2D, textures[!(step & 1)]);
      draw_rectangle(-0.95f, -0.9f, 0.9f, 0.95f, 0, tints[step & 1].color);
   }
   begin(target, texture_program());
   clear();
   glBindTexture(GL_TEXTURE_2D, textures[1]);
   draw_rectangle(-0.98f, -0.98f, -0.02f, 0.98f, 0, tints[0].color);
   begin(&inner[1], color_program());
   draw_random_triangles(117 + frame, 6, 0.5f, 1);
   begin(target, texture_program());
   glBindTexture(GL_TEXTURE_2D, textures[1]);
   draw_rectangle(0.02f, -0.98f, 0.98f, 0.98f, 0, tints[0].color);
}

/* Textures and buffers that change between draws of one frame, copies and readbacks in the middle. */
void
draw_hazards(const struct target *target, int frame)
{
   static GLuint texture, copy, buffer;
   static const float white[] = {1, 1, 1, 1};
   uint8_t texels[16 * 16 * 4], pixels[4];
   struct vertex vertices[3];
   uint32_t seed = 121 + frame;
   if (!texture) {
      texture = make_texture(16, 16, false);
      set_sampling(GL_TEXTURE_2D, GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
      copy = make_texture(32, 32, false);
      set_sampling(GL_TEXTURE_2D, GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
      glGenBuffers(1, &buffer);
   }
   begin(target, texture_program());
   clear();
   glBindTexture(GL_TEXTURE_2D, texture);
   for (int column = 0; column < 6; column++) {
      for (unsigned t = 0; t < sizeof(texels); t++)
         texels[t] = random_bits(&seed);
      glTexSubImage2D(GL_TEXTURE_2D, 0, column, column, 10, 8, GL_RGBA, GL_UNSIGNED_BYTE, texels);
      draw_rectangle(-1 + column / 3.0f, 0.1f, -0.7f + column / 3.0f, 0.9f, 0, white);
   }
   glBindTexture(GL_TEXTURE_2D, copy);
   glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 5, target->height / 2 + 9, 32, 32);
   draw_rectangle(-0.9f, -0.9f, -0.1f, -0.1f, 0, white);
   /* What is read back decides the colour of the next draw. */
   const float random_color[] = {random_between(&seed, 0, 1), random_between(&seed, 0, 1), 0.5f, 1};
   glUseProgram(color_program());
   draw_rectangle(0.05f, -0.95f, 0.15f, -0.05f, 0, random_color);
   glReadPixels(target->width * 11 / 20, target->height / 4, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   const float read_back[] = {pixels[1] / 255.0f, pixels[2] / 255.0f, pixels[0] / 255.0f, 1};
   draw_rectangle(0.2f, -0.9f, 0.3f, -0.1f, 0, read_back);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(vertices), NULL, GL_DYNAMIC_DRAW);
   for (int step = 0; step < 5; step++) {
      random_vertices(vertices, 3, 125 + frame + step);
      for (int v = 0; v < 3; v++) {
         vertices[v].position[0] = 0.7f + vertices[v].position[0] * 0.25f;
         vertices[v].position[1] = -0.5f + vertices[v].position[1] * 0.4f;
      }
      if (step == 3) /* orphaned */
         glBufferData(GL_ARRAY_BUFFER, sizeof(vertices), vertices, GL_DYNAMIC_DRAW);
      else
         glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(vertices), vertices);
      draw(GL_TRIANGLES, NULL, 3);
   }
   glBindBuffer(GL_ARRAY_BUFFER, 0);
}
