/* SPDX-License-Identifier: MIT */
/**
 * Built-in functions and derivatives of fragment programs, without a window: results at
 * highp and mediump against references in double precision, within the bounds of the
 * OpenGL ES Shading Language 3.00 (4.5.1); of the functions it leaves open, within those
 * that the conformance tests of OpenGL ES apply.
 */
#include <GLES3/gl3.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define COUNT 1024
#define SIZE 16

enum precision { HIGHP, MEDIUMP };

static const char *const precision_names[] = {"highp", "mediump"};

/** The distance of the numbers next to `value` in the precision. */
static double
ulp(double value, enum precision precision)
{
   const int digits = precision == HIGHP ? 24 : 11, least = precision == HIGHP ? -126 : -14;
   int exponent;
   frexp(value, &exponent);
   return ldexp(1.0, (exponent - 1 < least || value == 0.0 ? least : exponent - 1) - (digits - 1));
}

static double
nearest(double value, enum precision precision)
{
   return precision == HIGHP ? (double)(float)value : (double)(_Float16)value;
}

/* ---- functions and their bounds ------------------------------------------- */

static double
divide(double x, double y)
{
   return x / y;
}

static double
inverse_sqrt(double x, double y)
{
   return 1.0 / sqrt(x);
}

#define UNARY(name, function)                         \
   static double reference_##name(double x, double y) \
   {                                                  \
      return function(x);                             \
   }
UNARY(exp, exp)
UNARY(exp2, exp2)
UNARY(log, log)
UNARY(log2, log2)
UNARY(sqrt, sqrt)
UNARY(sin, sin)
UNARY(cos, cos)
UNARY(tan, tan)
UNARY(asin, asin)
UNARY(acos, acos)
UNARY(atan, atan)

static double
bound_division(double x, double y, double result, enum precision precision)
{
   return 2.5 * ulp(result, precision);
}

static double
bound_exponential(double x, double y, double result, enum precision precision)
{
   return (3 + 2 * fabs(x)) * ulp(result, precision);
}

static double
bound_logarithm(double x, double y, double result, enum precision precision)
{
   const double inside = ldexp(1.0, precision == HIGHP ? -21 : -7);
   return x >= 0.5 && x <= 2.0 ? inside : 3 * ulp(result, precision);
}

/** exp2(y * log2(x)): the exponent's error is multiplied by the result and ln 2. */
static double
bound_power(double x, double y, double result, enum precision precision)
{
   const double logarithm = log2(x), exponent = y * logarithm;
   const double error =
      fabs(y) * bound_logarithm(x, 0, logarithm, precision) + 0.5 * ulp(exponent, precision);
   return bound_exponential(exponent, 0, result, precision) + fabs(result) * (exp2(error) - 1);
}

static double
bound_inverse_sqrt(double x, double y, double result, enum precision precision)
{
   return 2 * ulp(result, precision);
}

/** 1 / inversesqrt(x). */
static double
bound_sqrt(double x, double y, double result, enum precision precision)
{
   return 2.5 * ulp(result, precision) + 2 * fabs(result) * ldexp(1.0, precision == HIGHP ? -23 : -10);
}

/** Also that of asin and acos, which Mesa approximates by polynomials. */
static double
bound_sine(double x, double y, double result, enum precision precision)
{
   return ldexp(1.0, precision == HIGHP ? -11 : -7);
}

/** sin(x) / cos(x). */
static double
bound_tangent(double x, double y, double result, enum precision precision)
{
   const double error = bound_sine(x, y, result, precision), cosine = fabs(cos(x));
   if (cosine <= error)
      return INFINITY;
   return (fabs(sin(x)) + error) / (cosine - error) - fabs(sin(x)) / cosine + 2.5 * ulp(result, precision);
}

static double
bound_arc_tangent(double x, double y, double result, enum precision precision)
{
   return precision == HIGHP ? 4096 * ulp(result, precision) : ldexp(1.0, -7);
}

static const struct function {
   const char *expression;
   double (*reference)(double x, double y);
   double (*bound)(double x, double y, double result, enum precision precision);
   double first[2], last[2]; /* of x at highp and at mediump */
   bool logarithmic;         /* how x is spread between them */
} functions[] = {
   {"x / y", divide, bound_division, {1e-10, 0.01}, {1e10, 100}, true},
   {"1.0 / x", NULL, bound_division, {1e-20, 0.001}, {1e20, 1000}, true},
   {"pow(x, y)", pow, bound_power, {1e-3, 0.1}, {1e3, 8}, true},
   {"exp(x)", reference_exp, bound_exponential, {-20, -5}, {20, 9}, false},
   {"exp2(x)", reference_exp2, bound_exponential, {-60, -8}, {60, 13}, false},
   {"log(x)", reference_log, bound_logarithm, {1e-20, 0.001}, {1e20, 10000}, true},
   {"log2(x)", reference_log2, bound_logarithm, {1e-20, 0.001}, {1e20, 10000}, true},
   {"sqrt(x)", reference_sqrt, bound_sqrt, {1e-20, 0.001}, {1e20, 10000}, true},
   {"inversesqrt(x)", inverse_sqrt, bound_inverse_sqrt, {1e-20, 0.001}, {1e20, 10000}, true},
   {"sin(x)", reference_sin, bound_sine, {-M_PI, -3.14}, {M_PI, 3.14}, false},
   {"cos(x)", reference_cos, bound_sine, {-M_PI, -3.14}, {M_PI, 3.14}, false},
   {"tan(x)", reference_tan, bound_tangent, {-1.5, -1.4}, {1.5, 1.4}, false},
   {"asin(x)", reference_asin, bound_sine, {-1, -1}, {1, 1}, false},
   {"acos(x)", reference_acos, bound_sine, {-1, -1}, {1, 1}, false},
   {"atan(x)", reference_atan, bound_arc_tangent, {-20, -20}, {20, 20}, false},
};

/* ---- drawing ---------------------------------------------------------------- */

/** Draws what the program makes of every pixel into a target of unsigned integers. */
static void
draw(const char *version, const char *fragment, int width, int height, uint32_t *result)
{
   char vertex[300];
   snprintf(vertex, sizeof vertex,
            "%sprecision highp float;\n"
            "void main() {\n"
            "   vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;\n"
            "   gl_Position = vec4(corner, 0.0, 1.0);\n"
            "}\n",
            version);
   const GLuint program = build_program(vertex, fragment);
   glUseProgram(program);
   glActiveTexture(GL_TEXTURE1);
   const GLuint texture = bind_new_image(GL_RGBA32UI, width, height);
   const GLuint framebuffer = bind_new_framebuffer(texture);
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "no framebuffer");
   glViewport(0, 0, width, height);
   glClearBufferuiv(GL_COLOR, 0, (const GLuint[4]){7, 7, 7, 7});
   const GLuint array = bind_new_vertex_array();
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glReadPixels(0, 0, width, height, GL_RGBA_INTEGER, GL_UNSIGNED_INT, result);
   require(glGetError() == GL_NO_ERROR, "an error while drawing");
   glDeleteVertexArrays(1, &array);
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteTextures(1, &texture);
   glDeleteProgram(program);
   glActiveTexture(GL_TEXTURE0);
}

static float
as_float(uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof value);
   return value;
}

/* ---- built-in functions ------------------------------------------------------ */

static void
bind_inputs(const float (*inputs)[4])
{
   static GLuint texture;
   if (!texture)
      glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, COUNT, 1, 0, GL_RGBA, GL_FLOAT, inputs);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

/** x as the function has it, y in turn of a few values between -2 and 2. */
static void
make_inputs(const struct function *function, enum precision precision, float (*inputs)[4])
{
   const double first = function->first[precision], last = function->last[precision];
   for (int i = 0; i < COUNT; i++) {
      const double place = i / (COUNT - 1.0), y = (i % 17 - 8) * 0.25;
      const double x =
         function->logarithmic ? first * pow(last / first, place) : first + (last - first) * place;
      inputs[i][0] = nearest(x, precision);
      inputs[i][1] = y == 0.0 ? 1.0 : y;
   }
}

static bool
test_function(const struct function *function, enum precision precision)
{
   static float inputs[COUNT][4];
   static uint32_t results[COUNT][4];
   char fragment[1000];
   double worst = 0;
   int worst_input = 0;

   make_inputs(function, precision, inputs);
   bind_inputs(inputs);
   snprintf(fragment, sizeof fragment,
            "#version 300 es\n"
            "precision %s float;\n"
            "uniform %s sampler2D inputs;\n"
            "out highp uvec4 result;\n"
            "void main() {\n"
            "   %s vec4 value = texelFetch(inputs, ivec2(gl_FragCoord.x, 0), 0);\n"
            "   float x = value.x, y = value.y;\n"
            "   float answer = %s;\n"
            "   highp float wide = answer;\n"
            "   result = uvec4(floatBitsToUint(wide));\n"
            "}\n",
            precision_names[precision], precision_names[precision], precision_names[precision],
            function->expression);
   draw("#version 300 es\n", fragment, COUNT, 1, results[0]);
   for (int i = 0; i < COUNT; i++) {
      const double x = inputs[i][0], y = inputs[i][1];
      const double expected = function->reference ? function->reference(x, y) : 1.0 / x;
      const double error = fabs(as_float(results[i][0]) - expected);
      const double share = error / function->bound(x, y, expected, precision);
      if (!(share <= worst)) {
         worst = share;
         worst_input = i;
      }
   }
   const float *input = inputs[worst_input];
   printf("%-8s %-15s %8.4f of the bound, at x = %g, y = %g: %.9g\n", precision_names[precision],
          function->expression, worst, input[0], input[1], as_float(results[worst_input][0]));
   return worst <= 1.0;
}

/* ---- packing ------------------------------------------------------------------ */

static double
clamp(double value, double least, double most)
{
   return fmin(fmax(value, least), most);
}

static bool
is_packed(uint32_t packed, double value, double least, double steps, int shift)
{
   const double place = clamp(value, least, 1.0) * steps;
   const int word = (int)(packed >> shift) & 0xffff;
   const double stored = least < 0 ? (int16_t)word : word;
   /* Either neighbour of a tie will do. */
   return fabs(stored - place) <= 0.5 + 1e-2;
}

static bool
test_packing(void)
{
   static float inputs[COUNT][4];
   static uint32_t results[COUNT][4];
   bool ok = true;

   for (int i = 0; i < COUNT; i++) {
      inputs[i][0] = (i - COUNT / 2) / 400.0f;
      inputs[i][1] = sinf(i) * 1.5f;
   }
   bind_inputs(inputs);
   draw("#version 300 es\n",
        "#version 300 es\n"
        "precision highp float;\n"
        "uniform highp sampler2D inputs;\n"
        "out highp uvec4 result;\n"
        "void main() {\n"
        "   vec2 value = texelFetch(inputs, ivec2(gl_FragCoord.x, 0), 0).xy;\n"
        "   uint half_floats = packHalf2x16(value);\n"
        "   vec2 back = unpackHalf2x16(half_floats);\n"
        "   bool same = packHalf2x16(back) == half_floats &&\n"
        "               packSnorm2x16(unpackSnorm2x16(packSnorm2x16(value))) == packSnorm2x16(value) &&\n"
        "               packUnorm2x16(unpackUnorm2x16(packUnorm2x16(value))) == packUnorm2x16(value);\n"
        "   result = uvec4(packSnorm2x16(value), packUnorm2x16(value), half_floats, same ? 1u : 0u);\n"
        "}\n",
        COUNT, 1, results[0]);
   for (int i = 0; i < COUNT && ok; i++) {
      for (int c = 0; c < 2; c++) {
         const float value = inputs[i][c];
         const uint16_t bits = results[i][2] >> (16 * c);
         _Float16 half;
         memcpy(&half, &bits, sizeof half);
         ok = ok && is_packed(results[i][0], value, -1.0, 32767.0, 16 * c) &&
              is_packed(results[i][1], value, 0.0, 65535.0, 16 * c) &&
              fabs((double)half - value) <= ulp(value, MEDIUMP);
      }
      ok = ok && results[i][3] == 1;
      if (!ok)
         printf("packing of %g, %g: %08x %08x %08x %u\n", inputs[i][0], inputs[i][1], results[i][0],
                results[i][1], results[i][2], results[i][3]);
   }
   return ok;
}

/* ---- texels --------------------------------------------------------------------- */

/** A texel as mediump has it: rounded towards zero, without denormal numbers. */
static float
truncated(float value)
{
   const double size = fabs(value);
   if (isnan(value) || isinf(value))
      return value;
   if (size < ldexp(1.0, -14))
      return copysignf(0.0f, value);
   const double step = ulp(size, MEDIUMP);
   return copysignf(fmin(floor(size / step) * step, 65504.0), value);
}

static bool
test_texels(void)
{
   static float inputs[COUNT][4];
   static uint32_t results[COUNT][4];
   const float special[] = {0.0f,     -0.0f,          65504.0f, 65519.0f, 65520.0f,  -65536.0f, 1e30f,
                            INFINITY, -INFINITY,      NAN,      0x1p-14f, 0x1p-15f,  0x1p-24f,  1e-30f,
                            1.0f,     0x1.fffffep-1f, -3e-5f,   -1e-6f,   0x1.8p-14f};
   const int num_special = sizeof special / sizeof *special;
   for (int i = 0; i < COUNT * 4; i++) {
      const double spread = ldexp(sin(i), i % 40 - 22);
      inputs[i / 4][i % 4] = i < num_special ? special[i] : (float)spread;
   }
   bind_inputs(inputs);
   draw("#version 300 es\n",
        "#version 300 es\n"
        "precision mediump float;\n"
        "uniform mediump sampler2D inputs;\n"
        "out highp uvec4 result;\n"
        "void main() {\n"
        "   vec4 value = texelFetch(inputs, ivec2(gl_FragCoord.x, 0), 0);\n"
        "   highp vec4 wide = value;\n"
        "   result = floatBitsToUint(wide);\n"
        "}\n",
        COUNT, 1, results[0]);
   for (int i = 0; i < COUNT * 4; i++) {
      const float value = inputs[i / 4][i % 4], expected = truncated(value);
      const float found = as_float(results[i / 4][i % 4]);
      if (isnan(expected) ? !isnan(found) : memcmp(&found, &expected, sizeof found)) {
         printf("texel %.9g at mediump: %.9g instead of %.9g\n", value, found, expected);
         return false;
      }
   }
   return true;
}

/* ---- derivatives ---------------------------------------------------------------- */

/** Draws SIZE x SIZE pixels with a function body that sets `result`. */
static void
draw_body(const char *version, const char *body, uint32_t (*results)[SIZE][4])
{
   char fragment[1500];
   snprintf(fragment, sizeof fragment,
            "%sprecision highp float;\n"
            "out highp uvec4 result;\n"
            "void main() {\n"
            "   int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y);\n"
            "   float linear = gl_FragCoord.x * 3.0 + gl_FragCoord.y * 5.0;\n"
            "   float curved = gl_FragCoord.x * gl_FragCoord.x * gl_FragCoord.y;\n"
            "   vec3 d = vec3(-1.0);\n"
            "%s"
            "   result = uvec4(floatBitsToUint(d), 1u);\n"
            "}\n",
            version, body);
   draw(version, fragment, SIZE, SIZE, results[0][0]);
}

/** Of the pixels that are left, all have the derivatives of the linear function. */
static bool
test_linear(const char *name, const char *body, bool (*is_left)(int x, int y))
{
   static uint32_t results[SIZE][SIZE][4];
   draw_body("#version 300 es\n", body, results);
   for (int y = 0; y < SIZE; y++) {
      for (int x = 0; x < SIZE; x++) {
         const uint32_t *result = results[y][x];
         const bool left = is_left(x, y);
         if ((result[3] == 1) != left ||
             (left && (as_float(result[0]) != 3 || as_float(result[1]) != 5 || as_float(result[2]) != 8))) {
            printf("derivatives %s at %d, %d: %g %g %g, %u\n", name, x, y, as_float(result[0]),
                   as_float(result[1]), as_float(result[2]), result[3]);
            return false;
         }
      }
   }
   return true;
}

static bool
everywhere(int x, int y)
{
   return true;
}

static bool
off_the_diagonal(int x, int y)
{
   return (x + y) % 2 != 0;
}

static bool
one_of_four(int x, int y)
{
   return x % 2 == 1 && y % 2 == 0;
}

#define DERIVATIVES "d = vec3(dFdx(linear), dFdy(linear), fwidth(linear));\n"

static bool
test_derivatives(void)
{
   /* The derivative of a value from before the branch, by some pixels of a quad. */
   return test_linear("everywhere", DERIVATIVES, everywhere) &
          test_linear("in a branch", "if (((x ^ y) & 1) == 0)\n" DERIVATIVES "else\n" DERIVATIVES,
                      everywhere) &
          test_linear("in a loop", "for (int i = 0; i <= x + 2 * y; i++)\n" DERIVATIVES, everywhere) &
          test_linear("after a discard", "if ((x + y) % 2 == 0) discard;\n" DERIVATIVES, off_the_diagonal) &
          test_linear("after three discards",
                      "if (x % 2 == 0) discard;\n"
                      "if (y % 2 == 1) discard;\n" DERIVATIVES,
                      one_of_four) &
          test_linear("before a discard", DERIVATIVES "if ((x + y) % 2 == 0) discard;\n", off_the_diagonal);
}

static double
curved(double x, double y)
{
   return (x + 0.5) * (x + 0.5) * (y + 0.5);
}

/** Fine ones are of a pixel's own row and column; coarse ones, and those of which the program
 * does not say, of the first row and column of its quad. */
static bool
test_fine_and_coarse(void)
{
   static const char version[] = "#version 330\n#extension GL_ARB_derivative_control : require\n"
                                 "#extension GL_ARB_shader_bit_encoding : require\n";
   static uint32_t fine[SIZE][SIZE][4], coarse[SIZE][SIZE][4], plain[SIZE][SIZE][4];
   draw_body(version, "d = vec3(dFdxFine(curved), dFdyFine(curved), fwidthFine(curved));\n", fine);
   draw_body(version, "d = vec3(dFdxCoarse(curved), dFdyCoarse(curved), fwidthCoarse(curved));\n", coarse);
   draw_body(version, "d = vec3(dFdx(curved), dFdy(curved), fwidth(curved));\n", plain);
   for (int y = 0; y < SIZE; y++) {
      for (int x = 0; x < SIZE; x++) {
         const int x0 = x & ~1, y0 = y & ~1;
         const double dx = curved(x0 + 1, y) - curved(x0, y), dy = curved(x, y0 + 1) - curved(x, y0);
         const double first_dx = curved(x0 + 1, y0) - curved(x0, y0);
         const double first_dy = curved(x0, y0 + 1) - curved(x0, y0);
         const uint32_t *f = fine[y][x], *c = coarse[y][x];
         if (as_float(f[0]) != dx || as_float(f[1]) != dy || as_float(f[2]) != fabs(dx) + fabs(dy) ||
             as_float(c[0]) != first_dx || as_float(c[1]) != first_dy ||
             as_float(c[2]) != fabs(first_dx) + fabs(first_dy) ||
             memcmp(c, plain[y][x], sizeof plain[y][x])) {
            printf("derivatives at %d, %d: fine %g %g %g, not %g %g; coarse %g %g %g\n", x, y, as_float(f[0]),
                   as_float(f[1]), as_float(f[2]), dx, dy, as_float(c[0]), as_float(c[1]), as_float(c[2]));
            return false;
         }
      }
   }
   return true;
}

/* ---- main ------------------------------------------------------------------------ */

int
main(void)
{
   struct egl egl = egl_open_context((struct surface_request){SURFACELESS}, false, 3, 0);
   bool ok = true;
   for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
      ok &= test_function(&functions[i], HIGHP);
      ok &= test_function(&functions[i], MEDIUMP);
   }
   ok &= test_packing();
   ok &= test_texels();
   ok &= test_derivatives();
   egl_make_current(&egl, egl_create_context(&egl, true, 3, 3, EGL_NO_CONTEXT));
   ok &= test_fine_and_coarse();
   egl_close(&egl);
   return !ok;
}
