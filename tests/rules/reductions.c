/* SPDX-License-Identifier: MIT */
/* ARB_texture_filter_minmax: filters give the least or greatest of the texels that have any weight, component by component; of
 * integers, of two levels, of slices, of the border and of what depths are compared to, too. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <math.h>
#include <stdio.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define SIZE 4

static const char vertex_source[] =
   "#version 450\n"
   "void main() { gl_Position = vec4(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1, 0, 1); }\n";

static const struct format {
   const char *name, *sampler;
   GLenum internal, format, type;
   bool is_signed;
} formats[] = {
   {"R8", "sampler2D", GL_R8, GL_RED, GL_FLOAT, false},
   {"R32F", "sampler2D", GL_R32F, GL_RED, GL_FLOAT, true},
   {"RGBA8", "sampler2D", GL_RGBA8, GL_RGBA, GL_FLOAT, false},
   {"R16_SNORM", "sampler2D", GL_R16_SNORM, GL_RED, GL_FLOAT, true},
   {"R8UI", "usampler2D", GL_R8UI, GL_RED_INTEGER, GL_INT, false},
   {"RG32I", "isampler2D", GL_RG32I, GL_RG_INTEGER, GL_INT, true},
   {"DEPTH32F", "sampler2D", GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, false},
};

static unsigned
components_of(const struct format *format)
{
   return format->format == GL_RGBA ? 4 : format->format == GL_RG_INTEGER ? 2 : 1;
}

/* A texel's component: small whole numbers, or eighths. */
static float
texel_of(const struct format *format, unsigned level, int x, int y, unsigned component)
{
   const int number = (x * 5 + y * 3 + (int)component * 2 + (int)level * 7) % 8;
   if (format->type == GL_INT)
      return (float)(format->is_signed ? number - 4 : number);
   return (float)(format->is_signed ? number - 4 : number) / 8;
}

static void
set_sampling(GLenum target, GLenum reduction, GLenum min_filter)
{
   glTexParameteri(target, GL_TEXTURE_REDUCTION_MODE_ARB, (GLint)reduction);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, (GLint)min_filter);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
}

static void
fill(const struct format *format)
{
   const unsigned components = components_of(format);
   bind_new_texture(GL_TEXTURE_2D);
   glTexStorage2D(GL_TEXTURE_2D, 2, format->internal, SIZE, SIZE);
   for (unsigned level = 0; level < 2; level++) {
      const int size = SIZE >> level;
      float numbers[SIZE * SIZE * 4];
      GLint integers[SIZE * SIZE * 4];
      for (unsigned i = 0; i < (unsigned)(size * size) * components; i++) {
         const int at = (int)(i / components);
         numbers[i] = texel_of(format, level, at % size, at / size, i % components);
         integers[i] = (GLint)numbers[i];
      }
      glTexSubImage2D(GL_TEXTURE_2D, (GLint)level, 0, 0, size, size, format->format, format->type,
                      format->type == GL_INT ? (const void *)integers : numbers);
   }
}

static GLuint
use_program(const char *sampler, const char *lookup)
{
   char text[500];
   snprintf(
      text, sizeof text,
      "#version 450\nuniform %s texels;\nuniform vec3 at;\nuniform float level, reference;\nout vec4 color;\n"
      "void main() { color = vec4(%s); }\n",
      sampler, lookup);
   const GLuint program = build_program(vertex_source, text);
   glUseProgram(program);
   return program;
}

static void
look_up(GLuint program, const float at[3], float level, float found[4])
{
   glUniform3fv(glGetUniformLocation(program, "at"), 1, at);
   glUniform1f(glGetUniformLocation(program, "level"), level);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glReadPixels(0, 0, 1, 1, GL_RGBA, GL_FLOAT, found);
}

/* The least or greatest of the square of texels that a place in texels is between. */
static float
reduce_square(const struct format *format, unsigned level, float x, float y, unsigned component, bool least,
              float reduced)
{
   const int size = SIZE >> level;
   const float u = x / (float)(1 << level) - 0.5f, v = y / (float)(1 << level) - 0.5f;
   for (int i = 0; i < 4; i++) {
      const int column = (int)floorf(u) + (i & 1), row = (int)floorf(v) + (i >> 1);
      if ((u == floorf(u) && (i & 1)) || (v == floorf(v) && i >> 1))
         continue; /* no weight */
      const int last = size - 1;
      const float texel = texel_of(format, level,
                                   column < 0      ? 0
                                   : column > last ? last
                                                   : column,
                                   row < 0      ? 0
                                   : row > last ? last
                                                : row,
                                   component);
      reduced = least ? fminf(reduced, texel) : fmaxf(reduced, texel);
   }
   return reduced;
}

static void
test_planes(void)
{
   static const float places[] = {0.5f, 1, 1.75f, 2.5f, 3.9f};
   static const float levels[] = {0, 0.25f, 1};
   for (unsigned f = 0; f < COUNT_OF(formats); f++) {
      const struct format *format = &formats[f];
      GLint supported = 0;
      glGetInternalformativ(GL_TEXTURE_2D, format->internal, GL_TEXTURE_REDUCTION_MODE_ARB, 1, &supported);
      holds(supported, "%s: no reductions", format->name);
      const GLuint program = use_program(format->sampler, "textureLod(texels, at.xy, level)");
      fill(format);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
      for (unsigned n = 0; n < COUNT_OF(places) * COUNT_OF(places) * COUNT_OF(levels) * 2; n++) {
         const bool least = n & 1;
         const float x = places[n / 2 % 5], y = places[n / 10 % 5], level = levels[n / 50];
         set_sampling(GL_TEXTURE_2D, least ? GL_MIN : GL_MAX, GL_LINEAR_MIPMAP_LINEAR);
         float found[4];
         look_up(program, (const float[3]){x / SIZE, y / SIZE}, level, found);
         for (unsigned c = 0; c < components_of(format); c++) {
            float expected = least ? INFINITY : -INFINITY;
            if (level < 1)
               expected = reduce_square(format, 0, x, y, c, least, expected);
            if (level > 0)
               expected = reduce_square(format, 1, x, y, c, least, expected);
            holds(fabsf(found[c] - expected) < 0.003f,
                  "%s: component %u of the %s at %g, %g of level %g is %g, not %g", format->name, c,
                  least ? "least" : "greatest", x, y, level, found[c], expected);
         }
      }
   }
}

static void
test_slices(void)
{
   static const float texels[2][2][2] = {{{0.5f, 0.25f}, {0.625f, 0.75f}}, {{0.875f, 0.125f}, {0.375f, 1}}};
   float found[4];
   const GLuint program = use_program("sampler3D", "texture(texels, at)");
   bind_new_texture(GL_TEXTURE_3D);
   glTexStorage3D(GL_TEXTURE_3D, 1, GL_R32F, 2, 2, 2);
   glTexSubImage3D(GL_TEXTURE_3D, 0, 0, 0, 0, 2, 2, 2, GL_RED, GL_FLOAT, texels);
   set_sampling(GL_TEXTURE_3D, GL_MIN, GL_LINEAR);
   look_up(program, (const float[3]){0.5f, 0.5f, 0.5f}, 0, found);
   holds(found[0] == 0.125f, "the least of a cube of texels is %g", found[0]);
   look_up(program, (const float[3]){0.5f, 0.5f, 0.25f}, 0, found);
   holds(found[0] == 0.25f, "the least of a slice is %g", found[0]);
   set_sampling(GL_TEXTURE_3D, GL_MAX, GL_LINEAR);
   look_up(program, (const float[3]){0.25f, 0.5f, 0.5f}, 0, found);
   holds(found[0] == 0.875f, "the greatest of a column is %g", found[0]);
}

static void
test_borders_and_comparisons(void)
{
   static const float border[4] = {2, 2, 2, 2}, depths[2][2] = {{0.25f, 0.75f}, {0.75f, 0.75f}};
   float found[4];
   GLuint program = use_program("sampler2D", "texture(texels, at.xy)");
   fill(&formats[1]);
   set_sampling(GL_TEXTURE_2D, GL_MAX, GL_LINEAR);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
   glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, border);
   look_up(program, (const float[3]){0.1f, 0.5f}, 0, found);
   holds(found[0] == 2, "the greatest, of the border too, is %g", found[0]);
   look_up(program, (const float[3]){0.125f, 0.5f}, 0, found);
   holds(found[0] < 1, "a border without weight counts: %g", found[0]);

   bind_new_image(GL_DEPTH_COMPONENT24, 2, 2);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LESS);
   program = use_program("sampler2DShadow", "texture(texels, vec3(at.xy, reference))");
   glUniform1f(glGetUniformLocation(program, "reference"), 0.5f);
   set_sampling(GL_TEXTURE_2D, GL_MIN, GL_LINEAR);
   look_up(program, (const float[3]){0.4f, 0.4f}, 0, found);
   holds(found[0] == 0, "the least of comparisons is %g", found[0]);
   set_sampling(GL_TEXTURE_2D, GL_MAX, GL_LINEAR);
   look_up(program, (const float[3]){0.4f, 0.4f}, 0, found);
   holds(found[0] == 1, "the greatest of comparisons is %g", found[0]);
}

int
main(void)
{
   struct egl egl = egl_open_context((struct surface_request){SURFACELESS}, true, 4, 5);
   require(has_extension("GL_ARB_texture_filter_minmax"), "there is no GL_ARB_texture_filter_minmax");
   bind_new_vertex_array();
   const GLuint renderbuffer = bind_new_renderbuffer(GL_RGBA32F, 1, 1);
   bind_new_framebuffer(0);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
   glViewport(0, 0, 1, 1);
   test_planes();
   test_slices();
   test_borders_and_comparisons();
   require(glGetError() == GL_NO_ERROR, "an error of OpenGL");
   egl_close(&egl);
   return check_status();
}
