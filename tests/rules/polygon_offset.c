/* SPDX-License-Identifier: MIT */
/* Polygon offset in all depth formats, for polygons that are filled, drawn as lines or points, or both: a unit separates all
 * depths of a polygon, however steep it is; units, slopes and limits have the values of the specification (OpenGL 4.5, 14.6.5);
 * the fragment's depth that shaders see has the offset in it. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <math.h>
#include <stdint.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define SIZE 64
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct format {
   const char *name;
   GLenum internal, attachment;
   int bits; /* 0: floats */
} formats[] = {
   {"16 bits", GL_DEPTH_COMPONENT16, GL_DEPTH_ATTACHMENT, 16},
   {"24 bits", GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT, 24},
   {"24 bits and stencil", GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT, 24},
   {"floats", GL_DEPTH_COMPONENT32F, GL_DEPTH_ATTACHMENT, 0},
   {"floats and stencil", GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT, 0},
};
static const struct format *format;

/* Corners go counterclockwise for a front. */
static const struct mode {
   const char *name;
   GLenum front, back;
} modes[] = {
   {"filled", GL_FILL, GL_FILL},
   {"lines", GL_LINE, GL_LINE},
   {"points", GL_POINT, GL_POINT},
   {"filled fronts, lines at the back", GL_FILL, GL_LINE},
   {"points in front, filled backs", GL_POINT, GL_FILL},
};
static const struct mode *mode;

struct triangle {
   float corner[3][3]; /* in normalised device coordinates */
};

static uint32_t random_state = 1;

static float
random_float(float low, float high)
{
   random_state = random_state * 1664525 + 1013904223;
   return low + (high - low) * (float)(random_state >> 8) * (1.0f / (1 << 24));
}

static void
set_mode(const struct mode *chosen)
{
   mode = chosen;
   glPolygonMode(GL_FRONT, mode->front);
   glPolygonMode(GL_BACK, mode->back);
}

static void
open_format(const struct format *chosen)
{
   GLuint renderbuffers[2];
   format = chosen;
   bind_new_framebuffer(0);
   glGenRenderbuffers(2, renderbuffers);
   glBindRenderbuffer(GL_RENDERBUFFER, renderbuffers[0]);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_R32F, SIZE, SIZE);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffers[0]);
   glBindRenderbuffer(GL_RENDERBUFFER, renderbuffers[1]);
   glRenderbufferStorage(GL_RENDERBUFFER, format->internal, SIZE, SIZE);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, format->attachment, GL_RENDERBUFFER, renderbuffers[1]);
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "%s: incomplete",
           format->name);
   glViewport(0, 0, SIZE, SIZE);
   glEnable(GL_DEPTH_TEST);
   glEnable(GL_POLYGON_OFFSET_FILL);
   glEnable(GL_POLYGON_OFFSET_LINE);
   glEnable(GL_POLYGON_OFFSET_POINT);
}

static void
draw(const struct triangle *triangle, GLenum function, float factor, float units)
{
   glDepthFunc(function);
   glPolygonOffset(factor, units);
   glBegin(GL_TRIANGLES);
   for (unsigned i = 0; i < 3; i++)
      glVertex3fv(triangle->corner[i]);
   glEnd();
}

static void
draw_and_read_all(const struct triangle *triangle, float units, float depths[SIZE * SIZE])
{
   glClearDepth(1);
   glClear(GL_DEPTH_BUFFER_BIT);
   draw(triangle, GL_ALWAYS, 0, units);
   glReadPixels(0, 0, SIZE, SIZE, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
}

/* One unit makes all depths others, nearer or farther. */
static void
units_separate(void)
{
   static float depths[SIZE * SIZE], offset[SIZE * SIZE];
   /* Mesa's draw adds the offset of lines to their ends, so that a unit of floats may be lost between them. */
   const float smallest = !format->bits && (mode->front == GL_LINE || mode->back == GL_LINE) ? 2 : 1;
   for (unsigned n = 0; n < 24; n++) {
      struct triangle triangle;
      /* Steep ones too, in thin triangles; away from the ends of the range, where depths are clamped. */
      for (unsigned i = 0; i < 3; i++) {
         const float x = random_float(-0.95f, 0.95f),
                     y = n & 1 ? random_float(-0.95f, 0.95f) : x + random_float(0, 0.3f) - 0.15f;
         triangle.corner[i][0] = x;
         triangle.corner[i][1] = fmaxf(-0.95f, fminf(0.95f, y));
         triangle.corner[i][2] = random_float(-0.9f, n & 2 ? 0.9f : -0.7f);
      }
      const float units = (n & 4 ? 1.0f : -1.0f) * smallest;
      unsigned drawn = 0, moved = 0;
      draw_and_read_all(&triangle, 0, depths);
      draw_and_read_all(&triangle, units, offset);
      for (unsigned i = 0; i < SIZE * SIZE; i++) {
         drawn += depths[i] < 1;
         moved += depths[i] < 1 && (units < 0 ? offset[i] < depths[i] : offset[i] > depths[i]);
      }
      holds(moved == drawn, "%s, %s, triangle %u: %u of %u depths are moved", format->name, mode->name, n,
            moved, drawn);
   }
}

/* A triangle whose corners are in pixels, and whose depth is that at the window's middle and so much more a pixel. */
static struct triangle
make_plane(float depth, float slope, bool front)
{
   static const float corners[3][2] = {{16.5f, 16.5f}, {48.5f, 16.5f}, {16.5f, 48.5f}};
   struct triangle triangle;
   for (unsigned i = 0; i < 3; i++) {
      const float *corner = corners[front ? i : 2 - i];
      for (unsigned c = 0; c < 2; c++)
         triangle.corner[i][c] = corner[c] / (SIZE / 2) - 1;
      triangle.corner[i][2] = 2 * (depth + (corner[0] - 32.5f) * slope) - 1;
   }
   return triangle;
}

/* At a corner, which is drawn in all modes. */
static float
draw_and_read(const struct triangle *triangle, float factor, float units)
{
   float depth;
   glClearDepth(0);
   glClear(GL_DEPTH_BUFFER_BIT);
   draw(triangle, GL_ALWAYS, factor, units);
   glReadPixels(16, 16, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &depth);
   return depth;
}

/* The resolution, which an implementation chooses for a format of integers: up to two of its steps. */
static double
unit_of(float depth)
{
   int exponent;
   frexpf(depth, &exponent);
   return format->bits ? ldexp(1, 1 - format->bits) : ldexp(1, exponent - 24);
}

static void
units_have_values(void)
{
   static const float depths[] = {0.0078125f, 0.3125f, 0.5f, 0.75f}, units[] = {1, -1, 17, -100};
   for (unsigned n = 0; n < COUNT_OF(depths) * COUNT_OF(units) * 2; n++) {
      const float depth = depths[n / 2 % COUNT_OF(depths)], count = units[n / 2 / COUNT_OF(depths)];
      const struct triangle triangle = make_plane(depth, 0, n & 1);
      const double expected = depth + count * unit_of(depth);
      const double found = draw_and_read(&triangle, 0, count);
      /* A step of integers: what is read is rounded, and so is what is stored. */
      const double tolerance = format->bits ? ldexp(1.01, -format->bits) : 0;
      holds(fabs(found - expected) <= tolerance, "%s, %s: %g units from %g: %.9g, not %.9g", format->name,
            mode->name, count, depth, found, expected);
   }
}

static void
slopes_have_limits(void)
{
   static const struct {
      float factor, units, limit, expected;
   } cases[] = {
      {1, 0, 0, 1 / 256.0f},        {-1, 0, 0, -1 / 256.0f},   {2, 0, 0.001f, 0.001f},
      {-2, 0, 0.001f, -2 / 256.0f}, {-2, 0, -0.001f, -0.001f}, {2, 0, -0.001f, 2 / 256.0f},
      {2, 0, 1, 2 / 256.0f},        {0, 1e7f, 0.125f, 0.125f}, {0, -1e7f, -0.125f, -0.125f},
   };
   for (unsigned n = 0; n < COUNT_OF(cases) * 2; n++) {
      const struct triangle triangle = make_plane(0.5f, 1 / 256.0f, n & 1);
      float found = -draw_and_read(&triangle, 0, 0);
      glPolygonOffsetClampEXT(cases[n / 2].factor, cases[n / 2].units, cases[n / 2].limit);
      glClear(GL_DEPTH_BUFFER_BIT);
      glDepthFunc(GL_ALWAYS);
      glBegin(GL_TRIANGLES);
      for (unsigned i = 0; i < 3; i++)
         glVertex3fv(triangle.corner[i]);
      glEnd();
      float depth;
      glReadPixels(16, 16, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &depth);
      found += depth;
      holds(fabsf(found - cases[n / 2].expected) < 4e-5f,
            "%s, %s: factor %g, %g units, limit %g: %.9g, not %.9g", format->name, mode->name,
            cases[n / 2].factor, cases[n / 2].units, cases[n / 2].limit, found, cases[n / 2].expected);
   }
}

/* gl_FragCoord.z of each fragment is what is stored of it. */
static void
shaders_see_offsets(void)
{
   static float depths[SIZE][SIZE], seen[SIZE][SIZE];
   const struct triangle triangle = make_plane(0.3f, 0.003f, true);
   const GLuint program = build_program("void main() { gl_Position = gl_Vertex; }\n",
                                        "void main() { gl_FragColor = vec4(gl_FragCoord.z); }\n");
   glUseProgram(program);
   glClearDepth(0);
   glClear(GL_DEPTH_BUFFER_BIT | GL_COLOR_BUFFER_BIT);
   draw(&triangle, GL_ALWAYS, 1.5f, 3);
   glReadPixels(0, 0, SIZE, SIZE, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
   glReadPixels(0, 0, SIZE, SIZE, GL_RED, GL_FLOAT, seen);
   glUseProgram(0);
   const double tolerance = format->bits ? ldexp(0.51, -format->bits) : 0;
   for (unsigned y = 0; y < SIZE; y++) {
      for (unsigned x = 0; x < SIZE; x++)
         holds(fabs((double)seen[y][x] - depths[y][x]) <= tolerance,
               "%s: at %u, %u the shader saw %.9g and %.9g is stored", format->name, x, y, seen[y][x],
               depths[y][x]);
   }
}

int
main(void)
{
   struct egl egl =
      egl_open_context((struct surface_request){SURFACELESS_PBUFFER, SIZE, SIZE, .depth = false}, true, 2, 1);
   require(has_extension("GL_EXT_polygon_offset_clamp"), "there is no GL_EXT_polygon_offset_clamp");
   for (unsigned f = 0; f < COUNT_OF(formats); f++) {
      open_format(&formats[f]);
      for (unsigned m = 0; m < COUNT_OF(modes); m++) {
         set_mode(&modes[m]);
         units_separate();
         units_have_values();
         slopes_have_limits();
      }
      set_mode(&modes[0]);
      shaders_see_offsets();
   }
   require(glGetError() == GL_NO_ERROR, "an error of OpenGL");
   egl_close(&egl);
   return check_status();
}
