/* SPDX-License-Identifier: MIT */
/* Levels of detail of cube maps: at each pixel within what the specification allows at one of its quad (OpenGL 4.5, 8.14), or
 * next to the pixel, on faces and past their edges. Shadows in cubes and arrays of cubes, of all depth formats and filters: what is
 * compared, and the mean of two levels. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define SIZE 28 /* of what is drawn, in pixels */
#define CUBE_SIZE 64
#define LEVELS 7

static const char vertex_source[] =
   "#version 450\n"
   "void main() { gl_Position = vec4(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1, 0, 1); }\n";

/* The pixel's direction: on a face, `low` at the window's lower left corner and `high` at the upper right. */
#define DIRECTION                                                               \
   "#version 450\n"                                                             \
   "#extension GL_EXT_texture_shadow_lod : require\n"                           \
   "uniform vec2 low, high, origin;\n"                                          \
   "uniform int face;\n"                                                        \
   "out vec4 color;\n"                                                          \
   "vec3 direction()\n"                                                         \
   "{\n"                                                                        \
   "   vec2 at = low + (high - low) * (gl_FragCoord.xy - origin) / 28;\n"       \
   "   vec3 along = vec3(at, face % 2 == 0 ? 1 : -1);\n"                        \
   "   return face / 2 == 0 ? along.zxy : face / 2 == 1 ? along.xzy : along;\n" \
   "}\n"

static const char level_source[] =
   DIRECTION "uniform samplerCube cube;\n"
             "void main() { color = vec4(textureQueryLod(cube, direction()).y); }\n";

/* Red: the lookup; green: the same of its levels, one by one; blue and alpha: of the first of them, and by hand. */
#define SHADOW(type, coordinates)                                                                       \
   DIRECTION "uniform sampler" type "Shadow shadow;\n"                                                  \
             "uniform sampler" type " depth;\n"                                                         \
             "uniform float reference;\n"                                                               \
             "uniform bool is_between;\n"                                                               \
             "#define AT " coordinates "\n"                                                             \
             "void main()\n"                                                                            \
             "{\n"                                                                                      \
             "   float level = textureQueryLod(shadow, direction()).x;\n"                               \
             "   float first = is_between ? floor(level) : level;\n"                                    \
             "   float near = LOOKUP_LEVEL(first), far = LOOKUP_LEVEL(min(first + 1, 6));\n"            \
             "   float by_hand = reference < textureLod(depth, AT, first).r ? 1 : 0;\n"                 \
             "   color = vec4(LOOKUP, mix(near, far, is_between ? fract(level) : 0), near, by_hand);\n" \
             "}\n"
static const char cube_source[] = SHADOW("Cube", "direction()");
static const char array_source[] = SHADOW("CubeArray", "vec4(direction(), 1)");

static GLuint
use_program(const char *source, const char *lookup, const char *lookup_level)
{
   /* After the extension's line. */
   static char text[4000];
   const char *rest = strstr(source, "uniform vec2 low");
   snprintf(text, sizeof text, "%.*s#define LOOKUP %s\n#define LOOKUP_LEVEL(level) %s\n%s",
            (int)(rest - source), source, lookup, lookup_level, rest);
   const GLuint program = build_program(vertex_source, text);
   glUseProgram(program);
   return program;
}

static void
draw(GLuint program, const float corners[4], const int origin[2], int face)
{
   glViewport(origin[0], origin[1], SIZE, SIZE);
   glUniform2fv(glGetUniformLocation(program, "low"), 1, corners);
   glUniform2fv(glGetUniformLocation(program, "high"), 1, corners + 2);
   glUniform2f(glGetUniformLocation(program, "origin"), (float)origin[0], (float)origin[1]);
   glUniform1i(glGetUniformLocation(program, "face"), face);
   glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* ---- levels ----------------------------------------------------------------- */

/* How far texels move along a face's axis where the direction moves along one of its own. */
static double
step_on_face(const double at[3], unsigned major, unsigned axis, const double move[3])
{
   return fabs(CUBE_SIZE * 0.5 * (move[axis] * at[major] - at[axis] * move[major]) / (at[major] * at[major]));
}

/* The bounds that the specification gives at a pixel. */
static void
find_bounds(const float corners[4], double x, double y, double bounds[2])
{
   const double dx = (corners[2] - corners[0]) / (double)SIZE, dy = (corners[3] - corners[1]) / (double)SIZE;
   const double at[3] = {corners[0] + dx * (x + 0.5), corners[1] + dy * (y + 0.5), 1};
   const double across[3] = {dx, 0, 0}, up[3] = {0, dy, 0};
   unsigned major = 2;
   for (unsigned i = 0; i < 2; i++)
      major = fabs(at[i]) > fabs(at[major]) ? i : major;
   const unsigned s = (major + 1) % 3, t = (major + 2) % 3;
   const double u = fmax(step_on_face(at, major, s, across), step_on_face(at, major, s, up));
   const double v = fmax(step_on_face(at, major, t, across), step_on_face(at, major, t, up));
   bounds[0] = fmin(bounds[0], log2(fmax(u, v)));
   bounds[1] = fmax(bounds[1], log2(u + v));
}

static void
check_levels(const float corners[4], const int origin[2], int face)
{
   static const int near[][2] = {{0, 0},   {-1, 0}, {1, 0},  {0, -1}, {0, 1},
                                 {-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
   static float found[SIZE][SIZE];
   glReadPixels(origin[0], origin[1], SIZE, SIZE, GL_RED, GL_FLOAT, found);
   for (int y = 0; y < SIZE; y++) {
      for (int x = 0; x < SIZE; x++) {
         double bounds[2] = {INFINITY, -INFINITY};
         for (unsigned i = 0; i < COUNT_OF(near); i++)
            find_bounds(corners, x + near[i][0], y + near[i][1], bounds);
         holds(found[y][x] >= bounds[0] - 1.0 / 32 && found[y][x] <= bounds[1] + 1.0 / 32,
               "face %d, %g, %g … %g, %g, at %d, %d: level %g is not within %g … %g", face, corners[0],
               corners[1], corners[2], corners[3], x, y, found[y][x], bounds[0], bounds[1]);
      }
   }
}

static const float places[][4] = {
   {-1.25f, -1.2f, 1.2f, 1.25f}, {0.8f, 0.8f, 1.25f, 1.2f},    {-1.19f, -1.3f, 1.1f, 1.35f},
   {-1.2f, -1.1f, -0.8f, -0.8f}, {-0.61f, -0.1f, 0.9f, 1.18f}, {-0.75f, 1.0f, 0.05f, 0.75f},
};

static void
test_levels(void)
{
   bind_new_texture(GL_TEXTURE_CUBE_MAP);
   glTexStorage2D(GL_TEXTURE_CUBE_MAP, LEVELS, GL_R8, CUBE_SIZE, CUBE_SIZE);
   const GLuint program = use_program(level_source, "", "");
   for (unsigned n = 0; n < COUNT_OF(places) * 4 * 6; n++) {
      const int origin[2] = {n & 1, n >> 1 & 1}, face = (int)(n / 4 % 6);
      draw(program, places[n / 24], origin, face);
      check_levels(places[n / 24], origin, face);
   }
}

/* ---- shadows ----------------------------------------------------------------- */

static const struct format {
   const char *name;
   GLenum internal, data;
} formats[] = {
   {"16 bits", GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT},
   {"24 bits", GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT},
   {"24 bits and stencil", GL_DEPTH24_STENCIL8, GL_DEPTH_COMPONENT},
   {"floats", GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT},
   {"floats and stencil", GL_DEPTH32F_STENCIL8, GL_DEPTH_COMPONENT},
};
static const GLenum min_filters[] = {GL_NEAREST,
                                     GL_LINEAR,
                                     GL_NEAREST_MIPMAP_NEAREST,
                                     GL_LINEAR_MIPMAP_NEAREST,
                                     GL_NEAREST_MIPMAP_LINEAR,
                                     GL_LINEAR_MIPMAP_LINEAR};

static bool
is_linear(GLenum filter)
{
   return filter == GL_LINEAR || filter == GL_LINEAR_MIPMAP_NEAREST || filter == GL_LINEAR_MIPMAP_LINEAR;
}

/* Depths that go up and down along the faces, others in each level. */
static void
fill(GLenum target, const struct format *format)
{
   static float depths[CUBE_SIZE * CUBE_SIZE];
   if (target == GL_TEXTURE_CUBE_MAP_ARRAY)
      glTexStorage3D(target, LEVELS, format->internal, CUBE_SIZE, CUBE_SIZE, 12);
   else
      glTexStorage2D(target, LEVELS, format->internal, CUBE_SIZE, CUBE_SIZE);
   for (int level = 0; level < LEVELS; level++) {
      const int size = CUBE_SIZE >> level;
      for (int face = 0; face < 12; face++) {
         for (int i = 0; i < size * size; i++)
            depths[i] = 0.5f + 0.45f * sinf(0.7f * (float)(i % size) + 0.9f * (float)(i / size) +
                                            (float)(face + level));
         if (target == GL_TEXTURE_CUBE_MAP_ARRAY)
            glTexSubImage3D(target, level, 0, 0, face, size, size, 1, format->data, GL_FLOAT, depths);
         else if (face < 6)
            glTexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face, level, 0, 0, size, size,
                            format->data, GL_FLOAT, depths);
      }
   }
}

static void
check_shadow(const char *what, const struct format *format, GLenum filter)
{
   static float found[SIZE][SIZE][4];
   unsigned lit = 0;
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_FLOAT, found);
   for (unsigned y = 0; y < SIZE; y++) {
      for (unsigned x = 0; x < SIZE; x++) {
         const float *pixel = found[y][x];
         holds(fabsf(pixel[0] - pixel[1]) < 1e-4f, "%s, %s, filter 0x%04x, at %u, %u: %g, not %g", what,
               format->name, filter, x, y, pixel[0], pixel[1]);
         holds(is_linear(filter) || pixel[2] == pixel[3],
               "%s, %s, filter 0x%04x, at %u, %u: compared %g, not %g", what, format->name, filter, x, y,
               pixel[2], pixel[3]);
         lit += pixel[0] > 0.5f;
      }
   }
   holds(lit > 0 && lit < SIZE * SIZE, "%s, %s, filter 0x%04x: %u lit pixels", what, format->name, filter,
         lit);
}

static void
set_filters(GLuint sampler, GLenum filter, bool compares)
{
   glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, (GLint)filter);
   glSamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, is_linear(filter) ? GL_LINEAR : GL_NEAREST);
   glSamplerParameteri(sampler, GL_TEXTURE_COMPARE_MODE, compares ? GL_COMPARE_REF_TO_TEXTURE : GL_NONE);
   glSamplerParameteri(sampler, GL_TEXTURE_COMPARE_FUNC, GL_LESS);
}

static void
test_shadows(const char *what, GLenum target, GLuint program)
{
   static const int origin[2];
   GLuint samplers[2];
   glGenSamplers(2, samplers);
   glUniform1i(glGetUniformLocation(program, "depth"), 1);
   glUniform1f(glGetUniformLocation(program, "reference"), 0.5f);
   for (unsigned f = 0; f < COUNT_OF(formats); f++) {
      GLuint texture;
      glGenTextures(1, &texture);
      glActiveTexture(GL_TEXTURE0);
      glBindTexture(target, texture);
      fill(target, &formats[f]);
      glActiveTexture(GL_TEXTURE1);
      glBindTexture(target, texture);
      for (unsigned i = 0; i < COUNT_OF(min_filters); i++) {
         for (unsigned unit = 0; unit < 2; unit++) {
            set_filters(samplers[unit], min_filters[i], unit == 0);
            glBindSampler(unit, samplers[unit]);
         }
         glUniform1i(glGetUniformLocation(program, "is_between"),
                     min_filters[i] == GL_NEAREST_MIPMAP_LINEAR || min_filters[i] == GL_LINEAR_MIPMAP_LINEAR);
         draw(program, places[i % 3 * 2], origin, (int)(i + f) % 6);
         check_shadow(what, &formats[f], min_filters[i]);
      }
   }
}

int
main(void)
{
   struct egl egl = egl_open_context((struct surface_request){SURFACELESS}, true, 4, 5);
   bind_new_vertex_array();
   const GLuint texture = bind_new_image(GL_RGBA32F, SIZE + 2, SIZE + 2);
   bind_new_framebuffer(texture);
   test_levels();
   test_shadows("cubes", GL_TEXTURE_CUBE_MAP,
                use_program(cube_source, "texture(shadow, vec4(AT, reference))",
                            "textureLod(shadow, vec4(AT, reference), level)"));
   test_shadows("arrays of cubes", GL_TEXTURE_CUBE_MAP_ARRAY,
                use_program(array_source, "texture(shadow, AT, reference)",
                            "textureLod(shadow, AT, reference, level)"));
   require(glGetError() == GL_NO_ERROR, "an error of OpenGL");
   egl_close(&egl);
   return check_status();
}
