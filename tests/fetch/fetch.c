/* SPDX-License-Identifier: MIT */
/* fetch: programs that read the framebuffer (EXT_shader_framebuffer_fetch), in an OpenGL ES 3.0 and an OpenGL 3.3
 * context, against the same worked out on the CPU. Rectangles with edges between pixels lie over each other in one
 * draw; each replaces what is there by an integer function of it and of its own number, so that their order and
 * every bit count. Prints what is wrong; exit status 0 if nothing is. */
#include "fetch/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <EGL/egl.h>
#include <GLES2/gl2ext.h>

#define SIZE 61 /* no tile size divides it */
#define NUM_RECTANGLES 24
#define MAX_BUFFERS 8
#define MAX_SAMPLES 4
#define MAX_COMPLAINTS 4

/* Of desktop OpenGL, not in the headers of OpenGL ES. */
#define GL_RGBA16 0x805B
#define GL_TEXTURE_2D_MULTISAMPLE 0x9100
#define GL_SAMPLE_MASK 0x8E51
#define GL_MULTISAMPLE 0x809D

typedef void (*sample_mask_function)(GLuint number, GLbitfield mask);
typedef void (*multisample_function)(GLenum target, GLsizei samples, GLenum format, GLsizei width,
                                     GLsizei height, GLboolean fixed);
typedef void (*color_mask_function)(GLuint buffer, GLboolean r, GLboolean g, GLboolean b, GLboolean a);
static sample_mask_function sample_mask;
static multisample_function texture_multisample;
static color_mask_function color_mask_of;

static bool desktop;
static int broken;

/* ---- formats --------------------------------------------------------------- */

enum kind { UNORM, SRGB, FLOAT, SINT, UINT };

/* A component is an integer from 0 to its maximum, 2^n - 1, that the format keeps exactly. */
static const struct format {
   const char *name;
   GLenum internal;
   enum kind kind;
   unsigned channels;
   int maximum[4];
   bool desktop_only;
} formats[] = {
   {"RGBA8", GL_RGBA8, UNORM, 4, {255, 255, 255, 255}, false},
   {"RGB8", GL_RGB8, UNORM, 3, {255, 255, 255, 0}, false},
   {"RG8", GL_RG8, UNORM, 2, {255, 255, 0, 0}, false},
   {"R8", GL_R8, UNORM, 1, {255, 0, 0, 0}, false},
   {"RGB565", GL_RGB565, UNORM, 3, {31, 63, 31, 0}, false},
   {"RGBA4", GL_RGBA4, UNORM, 4, {15, 15, 15, 15}, false},
   {"RGB5_A1", GL_RGB5_A1, UNORM, 4, {31, 31, 31, 1}, false},
   {"RGB10_A2", GL_RGB10_A2, UNORM, 4, {1023, 1023, 1023, 3}, false},
   {"RGBA16", GL_RGBA16, UNORM, 4, {65535, 65535, 65535, 65535}, true},
   {"SRGB8_ALPHA8", GL_SRGB8_ALPHA8, SRGB, 4, {255, 255, 255, 255}, false},
   {"RGBA16F", GL_RGBA16F, FLOAT, 4, {2047, 2047, 2047, 2047}, false},
   {"RG16F", GL_RG16F, FLOAT, 2, {2047, 2047, 0, 0}, false},
   {"R16F", GL_R16F, FLOAT, 1, {2047, 0, 0, 0}, false},
   {"RGBA32F", GL_RGBA32F, FLOAT, 4, {0xfffff, 0xfffff, 0xfffff, 0xfffff}, false},
   {"RG32F", GL_RG32F, FLOAT, 2, {0xfffff, 0xfffff, 0, 0}, false},
   {"R32F", GL_R32F, FLOAT, 1, {0xfffff, 0, 0, 0}, false},
   {"R11F_G11F_B10F", GL_R11F_G11F_B10F, FLOAT, 3, {63, 63, 31, 0}, false},
   {"RGBA8UI", GL_RGBA8UI, UINT, 4, {255, 255, 255, 255}, false},
   {"RG16UI", GL_RG16UI, UINT, 2, {65535, 65535, 0, 0}, false},
   {"R32UI", GL_R32UI, UINT, 1, {0x7ffffff, 0, 0, 0}, false},
   {"RGBA32UI", GL_RGBA32UI, UINT, 4, {0x7ffffff, 0x7ffffff, 0x7ffffff, 0x7ffffff}, false},
   {"RGB10_A2UI", GL_RGB10_A2UI, UINT, 4, {1023, 1023, 1023, 3}, false},
   {"RGBA8I", GL_RGBA8I, SINT, 4, {127, 127, 127, 127}, false},
   {"RG16I", GL_RG16I, SINT, 2, {32767, 32767, 0, 0}, false},
   {"RGBA32I", GL_RGBA32I, SINT, 4, {0x7ffffff, 0x7ffffff, 0x7ffffff, 0x7ffffff}, false},
};
#define NUM_FORMATS (sizeof formats / sizeof formats[0])

static bool
is_integer(const struct format *format)
{
   return format->kind >= SINT;
}

/* ---- the picture as it should be ------------------------------------------------ */

static int expected[MAX_BUFFERS][SIZE * SIZE][MAX_SAMPLES][4];

struct rectangle {
   int x0, y0, x1, y1, number;
};
static struct rectangle rectangles[NUM_RECTANGLES];

static void
make_rectangles(void)
{
   for (unsigned r = 0; r < NUM_RECTANGLES; r++) {
      struct rectangle *rectangle = &rectangles[r];
      rectangle->x0 = random_below(SIZE - 8);
      rectangle->y0 = random_below(SIZE - 8);
      rectangle->x1 = rectangle->x0 + 1 + random_below(SIZE - rectangle->x0);
      rectangle->y1 = rectangle->y0 + 1 + random_below(SIZE - rectangle->y0);
      rectangle->number = 1 + random_below(250);
   }
}

static void
draw_rectangles(void)
{
   float vertices[NUM_RECTANGLES * 6][3];
   for (unsigned r = 0; r < NUM_RECTANGLES; r++) {
      const struct rectangle *rectangle = &rectangles[r];
      const int corners[6][2] = {{rectangle->x0, rectangle->y0}, {rectangle->x1, rectangle->y0},
                                 {rectangle->x0, rectangle->y1}, {rectangle->x0, rectangle->y1},
                                 {rectangle->x1, rectangle->y0}, {rectangle->x1, rectangle->y1}};
      for (unsigned v = 0; v < 6; v++) {
         vertices[r * 6 + v][0] = 2.0f * corners[v][0] / SIZE - 1;
         vertices[r * 6 + v][1] = 2.0f * corners[v][1] / SIZE - 1;
         vertices[r * 6 + v][2] = rectangle->number;
      }
   }
   draw_triangles(vertices, NUM_RECTANGLES * 6);
}

/* What a draw does to a pixel's sample. */
struct operation {
   bool fetches;    /* or replaces */
   bool discards;   /* where the first component of buffer 0 is 1 more than a multiple of 4 */
   bool adds;       /* blending */
   unsigned shift;  /* a buffer is made of the one so many further on */
   unsigned mask;   /* of the components that may be written */
   unsigned locked; /* mask of buffers that may not be written at all */
   unsigned samples;
};

static int
next_value(const struct operation *operation, int old, int number, int maximum)
{
   return (operation->fetches ? old * 5 + number : number * 3) & maximum;
}

static void
apply_to_sample(const struct format *format, const struct operation *operation, unsigned buffers,
                unsigned pixel, unsigned sample, int number)
{
   int result[MAX_BUFFERS][4];
   if (operation->discards && (expected[0][pixel][sample][0] & 3) == 1)
      return;
   for (unsigned b = 0; b < buffers; b++) {
      const int *from = expected[(b + operation->shift) % buffers][pixel][sample];
      for (unsigned c = 0; c < 4; c++) {
         result[b][c] = next_value(operation, from[c], number + (int)b, format->maximum[c]);
         if (operation->adds)
            result[b][c] += expected[b][pixel][sample][c];
         if (format->kind == UNORM && result[b][c] > format->maximum[c])
            result[b][c] = format->maximum[c];
      }
   }
   for (unsigned b = 0; b < buffers; b++) {
      for (unsigned c = 0; c < 4; c++) {
         if (operation->mask >> c & 1 && !(operation->locked >> b & 1))
            expected[b][pixel][sample][c] = result[b][c];
      }
   }
}

static void
apply(const struct format *format, const struct operation *operation, unsigned buffers)
{
   for (unsigned r = 0; r < NUM_RECTANGLES; r++) {
      const struct rectangle *rectangle = &rectangles[r];
      for (int y = rectangle->y0; y < rectangle->y1; y++) {
         for (int x = rectangle->x0; x < rectangle->x1; x++) {
            for (unsigned s = 0; s < MAX_SAMPLES; s++) {
               if (operation->samples >> s & 1)
                  apply_to_sample(format, operation, buffers, y * SIZE + x, s, rectangle->number);
            }
         }
      }
   }
}

/* ---- programs -------------------------------------------------------------------- */

static const char vertex_source[] = "in vec3 position;\n"
                                    "flat out highp int number;\n"
                                    "void main() {\n"
                                    "   number = int(position.z);\n"
                                    "   gl_Position = vec4(position.xy, 0.0, 1.0);\n"
                                    "}\n";

/* encode and decode: between what the buffer holds and its components as integers. Components that it does not
 * have read as 0, 0, 0 and 1; where they do not, the result is wrong. */
static const char float_source[] =
   "vec4 linear(vec4 c) {\n"
   "   vec3 low = c.rgb / 12.92, high = pow((c.rgb + 0.055) / 1.055, vec3(2.4));\n"
   "   return vec4(mix(high, low, vec3(lessThanEqual(c.rgb, vec3(0.04045)))), c.a);\n"
   "}\n"
   "vec4 nonlinear(vec4 c) {\n"
   "   vec3 low = c.rgb * 12.92, high = 1.055 * pow(c.rgb, vec3(1.0 / 2.4)) - 0.055;\n"
   "   return vec4(mix(high, low, vec3(lessThanEqual(c.rgb, vec3(0.0031308)))), c.a);\n"
   "}\n"
   "ivec4 decode(vec4 c) {\n"
   "   ivec4 i = ivec4((SRGB ? nonlinear(c) : c) * scale + 0.5);\n"
   "   bvec4 there = greaterThan(maximum, ivec4(0));\n"
   "   bvec4 right = equal(c, vec4(0, 0, 0, 1));\n"
   "   return i + (all(right) || all(equal(ivec4(there) + ivec4(right) * (1 - ivec4(there)), ivec4(1))) ? 0 "
   ": 77);\n"
   "}\n"
   "vec4 encode(ivec4 i) { return SRGB ? linear(vec4(i) / 255.0) : vec4(i) / scale; }\n";
static const char integer_source[] =
   "ivec4 decode(VECTOR c) {\n"
   "   bvec4 there = greaterThan(maximum, ivec4(0));\n"
   "   bvec4 right = equal(ivec4(c), ivec4(0, 0, 0, 1));\n"
   "   return ivec4(c) + (all(equal(ivec4(there) + ivec4(right) * (1 - ivec4(there)), ivec4(1))) ? 0 : 77);\n"
   "}\n"
   "VECTOR encode(ivec4 i) { return VECTOR(i); }\n";

static GLuint
make_rectangle_program(const struct format *format, const struct operation *operation, unsigned buffers)
{
   static const char *const vectors[] = {"vec4", "vec4", "vec4", "ivec4", "uvec4"};
   char text[6000], body[2000] = "";
   for (unsigned b = 0; b < buffers; b++)
      sprintf(body + strlen(body), "layout(location = %u) %s highp VECTOR color%u;\n", b,
              operation->fetches ? "inout" : "out", b);
   strcat(body, "void main() {\n");
   for (unsigned b = 0; b < buffers && operation->fetches; b++)
      sprintf(body + strlen(body), "   ivec4 old%u = decode(color%u);\n", b, b);
   if (operation->discards)
      strcat(body, "   if ((old0.r & 3) == 1) discard;\n");
   for (unsigned b = 0; b < buffers; b++) {
      if (operation->fetches)
         sprintf(body + strlen(body), "   color%u = encode((old%u * 5 + number + %u) & maximum);\n", b,
                 (b + operation->shift) % buffers, b);
      else
         sprintf(body + strlen(body), "   color%u = encode(((number + %u) * 3) & maximum);\n", b, b);
   }
   const int used =
      snprintf(text, sizeof text,
               "%s"
               "precision highp float;\n"
               "precision highp int;\n"
               "#define VECTOR %s\n"
               "#define SRGB %s\n"
               "flat in highp int number;\n"
               "uniform highp ivec4 maximum;\n"
               "uniform highp vec4 scale;\n"
               "%s%s}\n",
               operation->fetches ? "#extension GL_EXT_shader_framebuffer_fetch : require\n" : "",
               vectors[format->kind], format->kind == SRGB ? "true" : "false",
               is_integer(format) ? integer_source : float_source, body);
   require(used < (int)sizeof text, "the program is too long");
   return build_versioned_program(desktop ? "#version 330\n" : "#version 300 es\n", vertex_source, text);
}

static void
use_program(GLuint program, const struct format *format)
{
   float scale[4];
   for (unsigned c = 0; c < 4; c++)
      scale[c] = format->kind == FLOAT || !format->maximum[c] ? 1 : (float)format->maximum[c];
   glUseProgram(program);
   glUniform4iv(glGetUniformLocation(program, "maximum"), 1, format->maximum);
   glUniform4fv(glGetUniformLocation(program, "scale"), 1, scale);
}

/* ---- framebuffers ------------------------------------------------------------------ */

struct target {
   GLuint framebuffer, textures[MAX_BUFFERS];
   unsigned buffers, samples;
};

static struct target
make_target(const struct format *format, unsigned buffers, unsigned samples)
{
   struct target target = {.buffers = buffers, .samples = samples};
   const GLenum kind = samples > 1 ? GL_TEXTURE_2D_MULTISAMPLE : GL_TEXTURE_2D;
   GLenum draw_buffers[MAX_BUFFERS];
   target.framebuffer = bind_new_framebuffer(0);
   glGenTextures(buffers, target.textures);
   for (unsigned b = 0; b < buffers; b++) {
      glBindTexture(kind, target.textures[b]);
      if (samples > 1)
         texture_multisample(kind, samples, format->internal, SIZE, SIZE, GL_TRUE);
      else if (desktop)
         glTexImage2D(kind, 0, format->internal, SIZE, SIZE, 0,
                      is_integer(format) ? GL_RGBA_INTEGER : GL_RGBA, is_integer(format) ? GL_INT : GL_FLOAT,
                      NULL);
      else
         glTexStorage2D(kind, 1, format->internal, SIZE, SIZE);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + b, kind, target.textures[b], 0);
      draw_buffers[b] = GL_COLOR_ATTACHMENT0 + b;
   }
   glDrawBuffers(buffers, draw_buffers);
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "%s", format->name);
   glViewport(0, 0, SIZE, SIZE);
   return target;
}

static void
destroy_target(struct target *target)
{
   glDeleteFramebuffers(1, &target->framebuffer);
   glDeleteTextures(target->buffers, target->textures);
}

static float
clear_value(const struct format *format, unsigned c, int value)
{
   if (format->kind == SRGB && c < 3) /* of linear colours only the ends are exact */
      return value ? 1 : 0;
   return format->kind == FLOAT ? value : (float)value / (format->maximum[c] ? format->maximum[c] : 1);
}

/* Each buffer gets one colour. */
static void
clear(const struct format *format, const struct target *target)
{
   for (unsigned b = 0; b < target->buffers; b++) {
      GLint value[4];
      float floats[4];
      for (unsigned c = 0; c < 4; c++) {
         value[c] = format->kind == SRGB ? 255 : (int)(b * 37 + c * 11 + 5) & format->maximum[c];
         floats[c] = clear_value(format, c, value[c]);
      }
      if (format->kind == SINT)
         glClearBufferiv(GL_COLOR, b, value);
      else if (format->kind == UINT)
         glClearBufferuiv(GL_COLOR, b, (GLuint *)value);
      else
         glClearBufferfv(GL_COLOR, b, floats);
      for (unsigned p = 0; p < SIZE * SIZE; p++) {
         for (unsigned s = 0; s < MAX_SAMPLES; s++)
            memcpy(expected[b][p][s], value, sizeof value);
      }
   }
}

/* ---- what has been drawn -------------------------------------------------------------- */

static int read[SIZE * SIZE][4];

/* The components as integers, by a program that puts them into a buffer of integers. */
static void
read_buffer(const struct format *format, const struct target *target, unsigned buffer, unsigned sample)
{
   static const char vertex[] = "in vec3 position;\n"
                                "void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }\n";
   static const float triangle[3][3] = {{-1, -1, 0}, {3, -1, 0}, {-1, 3, 0}};
   static const struct format integers = {"RGBA32I", GL_RGBA32I, SINT, 4, {0}, false};
   static const char *const prefixes[] = {"", "", "", "i", "u"};
   char text[4000];
   snprintf(text, sizeof text,
            "precision highp float;\n"
            "precision highp int;\n"
            "#define VECTOR ivec4\n"
            "#define SRGB %s\n"
            "uniform highp ivec4 maximum;\n"
            "uniform highp vec4 scale;\n"
            "uniform highp int sample_number;\n"
            "uniform highp %ssampler2D%s image;\n"
            "out ivec4 value;\n"
            "%s"
            "void main() { value = decode(%s(texelFetch(image, ivec2(gl_FragCoord.xy), sample_number))); }\n",
            format->kind == SRGB ? "true" : "false", prefixes[format->kind], target->samples > 1 ? "MS" : "",
            is_integer(format) ? integer_source : float_source, is_integer(format) ? "ivec4" : "");
   struct target copy = make_target(&integers, 1, 1);
   const GLuint program =
      build_versioned_program(desktop ? "#version 330\n" : "#version 300 es\n", vertex, text);
   use_program(program, format);
   glUniform1i(glGetUniformLocation(program, "sample_number"), sample);
   glBindTexture(target->samples > 1 ? GL_TEXTURE_2D_MULTISAMPLE : GL_TEXTURE_2D, target->textures[buffer]);
   if (target->samples == 1) {
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   }
   draw_triangles(triangle, 3);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA_INTEGER, GL_INT, read);
   glDeleteProgram(program);
   destroy_target(&copy);
}

static void
compare(const char *what, const struct format *format, const struct target *target)
{
   for (unsigned b = 0; b < target->buffers; b++) {
      for (unsigned s = 0; s < target->samples; s++) {
         int wrong = 0;
         read_buffer(format, target, b, s);
         for (unsigned p = 0; p < SIZE * SIZE; p++) {
            bool same = true;
            for (unsigned c = 0; c < format->channels; c++)
               same &= read[p][c] == expected[b][p][s][c];
            if (!same && wrong++ < MAX_COMPLAINTS)
               fprintf(stderr,
                       "%s, %s, %s: buffer %u, sample %u, pixel %u,%u: %d %d %d %d, expected %d %d %d %d\n",
                       desktop ? "OpenGL" : "OpenGL ES", what, format->name, b, s, p % SIZE, p / SIZE,
                       read[p][0], read[p][1], read[p][2], read[p][3], expected[b][p][s][0],
                       expected[b][p][s][1], expected[b][p][s][2], expected[b][p][s][3]);
         }
         broken += wrong != 0;
      }
   }
   require(glGetError() == GL_NO_ERROR, "%s", what);
}

/* ---- cases ---------------------------------------------------------------------------- */

static void
set_masks(const struct operation *operation, unsigned buffers)
{
   for (unsigned b = 0; b < buffers; b++) {
      const unsigned mask = operation->locked >> b & 1 ? 0 : operation->mask;
      if (color_mask_of)
         color_mask_of(b, mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3 & 1);
      else
         glColorMask(mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3 & 1);
   }
}

static void
draw(const struct format *format, const struct operation *operation, const struct target *target)
{
   const GLuint program = make_rectangle_program(format, operation, target->buffers);
   use_program(program, format);
   set_masks(operation, target->buffers);
   if (operation->adds) {
      glEnable(GL_BLEND);
      glBlendFunc(GL_ONE, GL_ONE);
   }
   if (target->samples > 1)
      sample_mask(0, operation->samples);
   make_rectangles();
   draw_rectangles();
   apply(format, operation, target->buffers);
   glDisable(GL_BLEND);
   if (target->samples > 1)
      sample_mask(0, ~0u);
   set_masks(&(struct operation){.mask = 15}, target->buffers);
   glDeleteProgram(program);
}

/* Opaque rectangles, some that fetch, opaque and fetching ones again in the same pass; then in another pass, which
 * finds the buffers in memory. */
static void
run(const char *what, const struct format *format, struct operation operation, unsigned buffers,
    unsigned samples)
{
   const struct operation opaque = {.mask = 15, .samples = 15};
   struct target target = make_target(format, buffers, samples);
   operation.fetches = true;
   clear(format, &target);
   draw(format, &opaque, &target);
   draw(format, &operation, &target);
   draw(format, &opaque, &target);
   draw(format, &operation, &target);
   glFlush();
   draw(format, &operation, &target);
   compare(what, format, &target);
   destroy_target(&target);
}

static void
run_samples(const struct format *format)
{
   static const unsigned masks[] = {1, 6, 10, 15};
   glEnable(GL_SAMPLE_MASK);
   for (unsigned m = 0; m < sizeof masks / sizeof masks[0]; m++)
      run("samples", format, (struct operation){.mask = 15, .samples = masks[m]}, 1, MAX_SAMPLES);
   run("samples of two buffers", format, (struct operation){.mask = 15, .samples = 5, .shift = 1}, 2,
       MAX_SAMPLES);
   run("discarded samples", format, (struct operation){.mask = 15, .samples = 15, .discards = true}, 1,
       MAX_SAMPLES);
   glDisable(GL_SAMPLE_MASK);
   /* Whole pixels, of samples that are different. */
   struct target target = make_target(format, 1, MAX_SAMPLES);
   const struct operation all = {.fetches = true, .mask = 15, .samples = 15};
   struct operation one = all;
   clear(format, &target);
   glEnable(GL_SAMPLE_MASK);
   for (unsigned s = 0; s < MAX_SAMPLES; s++) {
      one.samples = 1u << s;
      draw(format, &one, &target);
   }
   glDisable(GL_SAMPLE_MASK);
   glDisable(GL_MULTISAMPLE);
   draw(format, &all, &target);
   glEnable(GL_MULTISAMPLE);
   compare("without multisampling", format, &target);
   destroy_target(&target);
}

static void
run_format(const struct format *format)
{
   const struct operation plain = {.mask = 15, .samples = 15};
   struct operation operation = plain;
   run("fetch", format, operation, 1, 1);
   operation.discards = true;
   run("discard", format, operation, 1, 1);
   operation = plain;
   operation.mask = 5;
   run("colour mask", format, operation, 1, 1);
   operation = plain;
   operation.adds = true;
   if (format->kind == UNORM)
      run("blending", format, operation, 1, 1);
   operation = plain;
   operation.shift = 1;
   run("several buffers", format, operation, format->maximum[0] > 0xffffff ? 2 : 4, 1);
}

/* gl_LastFragData of OpenGL ES 2.0's language, of which a program reads other buffers than it writes. */
static void
run_last_data(void)
{
   static const char vertex[] = "attribute vec3 position;\n"
                                "varying float number;\n"
                                "void main() {\n"
                                "   number = position.z;\n"
                                "   gl_Position = vec4(position.xy, 0.0, 1.0);\n"
                                "}\n";
   static const char *const declarations[] = {"", "highp vec4 gl_LastFragData[gl_MaxDrawBuffers];\n"};
   const struct format *format = &formats[0];
   struct operation operation = {.fetches = true, .mask = 15, .samples = 15};
   for (unsigned variant = 0; variant < 3; variant++) {
      const bool precise = variant == 1;
      const unsigned buffers = variant == 2 ? 1 : 4;
      char text[2000] = "";
      sprintf(text,
              "#extension GL_EXT_shader_framebuffer_fetch : require\n"
              "#extension GL_EXT_draw_buffers : require\n"
              "precision highp float;\n"
              "varying highp float number;\n"
              "%s"
              "vec4 next(vec4 old, float more) {\n"
              "   return mod(floor(old * 255.0 + 0.5) * 5.0 + floor(number + 0.5) + more, 256.0) / 255.0;\n"
              "}\n"
              "void main() {\n",
              declarations[precise]);
      for (unsigned b = 0; b < buffers && buffers > 1; b++)
         sprintf(text + strlen(text), "   gl_FragData[%u] = next(gl_LastFragData[%u], %u.0);\n", b,
                 (b + 1) % buffers, b);
      strcat(text, buffers == 1 ? "   gl_FragColor = next(gl_LastFragData[0], 0.0);\n}\n" : "}\n");
      operation.shift = buffers > 1;
      const GLuint program = build_versioned_program("#version 100\n", vertex, text);
      struct target target = make_target(format, buffers, 1);
      clear(format, &target);
      glUseProgram(program);
      for (unsigned i = 0; i < 2; i++) {
         make_rectangles();
         draw_rectangles();
         apply(format, &operation, buffers);
      }
      compare(buffers == 1 ? "gl_FragColor"
              : precise    ? "gl_LastFragData, highp"
                           : "gl_LastFragData",
              format, &target);
      destroy_target(&target);
      glDeleteProgram(program);
   }
}

static void
run_context(bool is_desktop)
{
   desktop = is_desktop;
   open_context(desktop);
   require(has_extension("GL_EXT_shader_framebuffer_fetch"), "GL_EXT_shader_framebuffer_fetch");
   require(has_extension("GL_EXT_shader_framebuffer_fetch_non_coherent"),
           "GL_EXT_shader_framebuffer_fetch_non_coherent");
   if (desktop) {
      sample_mask = (sample_mask_function)eglGetProcAddress("glSampleMaski");
      texture_multisample = (multisample_function)eglGetProcAddress("glTexImage2DMultisample");
      color_mask_of = (color_mask_function)eglGetProcAddress("glColorMaski");
      glEnable(GL_FRAMEBUFFER_SRGB_EXT);
   }
   for (unsigned f = 0; f < NUM_FORMATS; f++) {
      if (!formats[f].desktop_only || desktop)
         run_format(&formats[f]);
   }
   const struct operation all = {.mask = 15, .samples = 15, .shift = 3};
   run("eight buffers", &formats[0], all, MAX_BUFFERS, 1);
   if (!desktop) {
      run_last_data();
      return;
   }
   struct operation locked = all;
   locked.locked = 0xa5;
   run("buffers that are only read", &formats[0], locked, MAX_BUFFERS, 1);
   for (unsigned f = 0; f < NUM_FORMATS; f++) {
      if (formats[f].kind != SRGB && formats[f].channels == 4)
         run_samples(&formats[f]);
   }
}

int
main(int argc, char **argv)
{
   for (int i = 0; i < 2; i++) {
      if (argc < 2 || !strcmp(argv[1], i ? "gl" : "es"))
         run_context(i);
   }
   if (broken)
      fprintf(stderr, "fetch: %d buffers are wrong\n", broken);
   return broken != 0;
}
