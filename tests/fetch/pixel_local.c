/* SPDX-License-Identifier: MIT */
/* pixel_local [absent]: programs with pixel local storage (EXT_shader_pixel_local_storage), against the same worked out
 * on the CPU. The storage's words are read into a framebuffer of four integers per pixel by a program that declares them
 * as such. absent: checks that there is no such extension. Prints what is wrong; exit status 0 if nothing is. */
#include "fetch/support.h"
#include "fetch/pixel_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <EGL/egl.h>
#include <GLES2/gl2ext.h>
#include <GLES3/gl31.h>

#define NUM_RECTANGLES 24

static const float screen[6][3] = {{-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}, {-1, 1, 0}, {1, -1, 0}, {1, 1, 0}};
static uint32_t found[PLS_SIZE * PLS_SIZE][4];

/* ---- drawing ---------------------------------------------------------------- */

GLuint
pls_program(const char *source)
{
   static const char vertex[] = "in vec3 position;\n"
                                "flat out highp uint number;\n"
                                "void main() {\n"
                                "   number = uint(position.z);\n"
                                "   gl_Position = vec4(position.xy, 0.0, 1.0);\n"
                                "}\n";
   char text[4000];
   snprintf(text, sizeof text,
            "#extension GL_EXT_shader_pixel_local_storage : require\n"
            "precision highp float;\nprecision highp int;\n"
            "flat in highp uint number;\n%s",
            source);
   return build_versioned_program("#version 300 es\n", vertex, text);
}

void
pls_draw(GLuint program)
{
   glUseProgram(program);
   draw_triangles(screen, 6);
}

/* A framebuffer, bound, whose only attachment is the renderbuffer that is returned. */
static GLuint
make_target(GLenum format)
{
   GLuint framebuffer;
   glGenFramebuffers(1, &framebuffer);
   const GLuint buffer = bind_new_renderbuffer(format, PLS_SIZE, PLS_SIZE);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "framebuffer");
   glViewport(0, 0, PLS_SIZE, PLS_SIZE);
   return framebuffer;
}

static void
clear_to_zeros(void)
{
   static const GLuint zeros[4];
   glClearBufferuiv(GL_COLOR, 0, zeros);
}

/* Reads four words per pixel into `found` by a program that writes them, then disables the storage. */
static void
read_words(GLuint program)
{
   pls_draw(program);
   glDisable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   glReadPixels(0, 0, PLS_SIZE, PLS_SIZE, GL_RGBA_INTEGER, GL_UNSIGNED_INT, found);
   require(glGetError() == GL_NO_ERROR, "an error while words were read");
}

static void
begin(void)
{
   clear_to_zeros();
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
}

static GLuint
raw_reader(void)
{
   return pls_program("__pixel_local_inEXT Words { uint w0, w1, w2, w3; };\n"
                      "out uvec4 value;\n"
                      "void main() { value = uvec4(w0, w1, w2, w3); }\n");
}

/* All pixels have these words. */
static void
check_words(const char *what, uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
{
   const uint32_t expected[4] = {w0, w1, w2, w3};
   for (unsigned p = 0; p < PLS_SIZE * PLS_SIZE; p++) {
      if (!holds(!memcmp(found[p], expected, sizeof expected),
                 "%s, pixel %u,%u: %08x %08x %08x %08x, expected %08x %08x %08x %08x", what, p % PLS_SIZE,
                 p / PLS_SIZE, found[p][0], found[p][1], found[p][2], found[p][3], w0, w1, w2, w3))
         return;
   }
}

/* ---- formats ---------------------------------------------------------------- */

/* What is written, by a program with these components, and the word that the storage has then, by hand. */
static const struct packing {
   const char *format, *type, *value;
   uint32_t word;
} packings[] = {
   {"r32ui", "uint", "0x89abcdefu", 0x89abcdef},
   {"r32f", "float", "-1.5", 0xbfc00000},
   {"r32f", "float", "0.1", 0x3dcccccd},
   {"rg16f", "vec2", "vec2(1.0, -2.0)", 0xc0003c00},
   {"rg16f", "vec2", "vec2(65504.0, 0.333251953125)", 0x35557bff},
   {"rg16f", "vec2", "vec2(0.0, 1e9)", 0x7c000000},
   /* A float of 11 bits has 6 of mantissa, one of 10 bits 5; both have 5 of exponent, and no sign. */
   {"r11f_g11f_b10f", "vec3", "vec3(1.0, 0.5, 2.0)", 15 << 6 | 14 << 17 | 16u << 27},
   {"r11f_g11f_b10f", "vec3", "vec3(1.015625, 0.0, 1.03125)", (15 << 6 | 1) | (15u << 5 | 1) << 22},
   {"r11f_g11f_b10f", "vec3", "vec3(-1.0, 3.0, -0.5)", (16 << 6 | 32) << 11},
   {"rgb10_a2", "vec4", "vec4(1.0, 0.0, 512.0 / 1023.0, 1.0 / 3.0)", 0x3ff | 0x200 << 20 | 1u << 30},
   {"rgb10_a2", "vec4", "vec4(-1.0, 7.0, 0.0, 9.0)", 0x3ff << 10 | 3u << 30},
   {"rgba8", "vec4", "vec4(1.0, 0.0, 51.0 / 255.0, 0.25)", 0x403300ff},
   {"rgba8", "vec4", "vec4(2.0, -1.0, 0.001, 0.999)", 0xff0000ff},
   {"rg16", "vec2", "vec2(1.0, 4660.0 / 65535.0)", 0x1234ffff},
   {"rg16", "vec2", "vec2(-3.0, 3.0)", 0xffff0000},
   {"rgba8i", "ivec4", "ivec4(-1, 127, -128, 5)", 0x05807fff},
   {"rgba8i", "ivec4", "ivec4(300, -300, 0, 1)", 0x0100807f},
   {"rg16i", "ivec2", "ivec2(-2, 32767)", 0x7ffffffe},
   {"rg16i", "ivec2", "ivec2(40000, -40000)", 0x80007fff},
   {"rgb10_a2ui", "uvec4", "uvec4(1023, 1, 512, 2)", 0x3ff | 1 << 10 | 512 << 20 | 2u << 30},
   {"rgb10_a2ui", "uvec4", "uvec4(2000, 0, 0, 7)", 0x3ff | 3u << 30},
   {"rgba8ui", "uvec4", "uvec4(1, 2, 3, 254)", 0xfe030201},
   {"rgba8ui", "uvec4", "uvec4(256, 255, 1000, 0)", 0x00ffffff},
   {"rg16ui", "uvec2", "uvec2(65535, 258)", 0x0102ffff},
   {"rg16ui", "uvec2", "uvec2(70000, 1)", 0x0001ffff},
};

/* The second word, so that the others show what else is changed; next to it the default format. */
static void
test_packing(const struct packing *packing, GLuint reader)
{
   char text[2000];
   snprintf(text, sizeof text,
            "__pixel_localEXT Storage {\n"
            "   highp uint before;\n"
            "   layout(%s) highp %s value;\n"
            "} storage;\n"
            "void main() { storage.value = %s(%s); }\n",
            packing->format, packing->type, packing->type, packing->value);
   const GLuint writer = pls_program(text);
   const GLuint first = pls_program("__pixel_local_outEXT Words { uint w[4]; };\n"
                                    "void main() { w[0] = 1u; w[1] = 2u; w[2] = 3u; w[3] = 4u; }\n");
   snprintf(text, sizeof text, "%s %s", packing->format, packing->value);
   begin();
   pls_draw(first);
   pls_draw(writer);
   read_words(reader);
   check_words(text, 1, packing->word, 3, 4);
   glDeleteProgram(writer);
   glDeleteProgram(first);
}

/* What a word is when it is read, as the bits of up to four components. */
static const struct unpacking {
   const char *format, *type, *bits; /* bits: a uvec4 of `value` */
   uint32_t word, expected[4];
   uint32_t tolerance; /* of the quotients of normalised numbers, units of the last place */
} unpackings[] = {
   {"r32ui", "uint", "uvec4(value, 0, 0, 0)", 0xfedcba98, {0xfedcba98}, 0},
   {"r32f", "float", "uvec4(floatBitsToUint(value), 0, 0, 0)", 0x40490fdb, {0x40490fdb}, 0},
   {"rg16f", "vec2", "uvec4(floatBitsToUint(value), 0, 0)", 0xc0003555, {0x3eaaa000, 0xc0000000}, 0},
   {"r11f_g11f_b10f",
    "vec3",
    "uvec4(floatBitsToUint(value), 0)",
    15 << 6 | (16 << 6 | 32) << 11 | (14u << 5 | 16) << 22,
    {0x3f800000, 0x40400000, 0x3f400000},
    0},
   {"rgb10_a2",
    "vec4",
    "floatBitsToUint(value)",
    0x3ff | 341 << 20 | 1u << 30,
    {0x3f800000, 0, 0x3eaaaaab, 0x3eaaaaab},
    1},
   {"rgba8", "vec4", "floatBitsToUint(value)", 0x003300ff, {0x3f800000, 0, 0x3e4ccccd, 0}, 1},
   {"rg16", "vec2", "uvec4(floatBitsToUint(value), 0, 0)", 0x3333ffff, {0x3f800000, 0x3e4ccccd}, 1},
   {"rgba8i", "ivec4", "uvec4(value)", 0x05807fff, {~0u, 127, -128, 5}, 0},
   {"rg16i", "ivec2", "uvec4(value, 0, 0)", 0x80007fff, {32767, -32768}, 0},
   {"rgb10_a2ui", "uvec4", "value", 0x3ff | 1 << 10 | 512 << 20 | 2u << 30, {1023, 1, 512, 2}, 0},
   {"rgba8ui", "uvec4", "value", 0xfe030201, {1, 2, 3, 254}, 0},
   {"rg16ui", "uvec2", "uvec4(value, 0, 0)", 0x0102ffff, {65535, 258}, 0},
};

static void
test_unpacking(const struct unpacking *unpacking)
{
   char text[2000];
   snprintf(text, sizeof text,
            "__pixel_local_outEXT Storage { uint unused, value; } storage;\n"
            "void main() { storage.value = 0x%08xu; }\n",
            unpacking->word);
   const GLuint writer = pls_program(text);
   snprintf(text, sizeof text,
            "layout(%s) __pixel_local_inEXT Storage { layout(r32ui) uint unused; %s value; };\n"
            "out uvec4 bits;\n"
            "void main() { bits = %s; }\n",
            unpacking->format, unpacking->type, unpacking->bits);
   const GLuint reader = pls_program(text);
   begin();
   pls_draw(writer);
   read_words(reader);
   for (unsigned c = 0; c < 4; c++) {
      const uint32_t expected = unpacking->expected[c];
      holds(found[0][c] - expected + unpacking->tolerance <= 2 * unpacking->tolerance,
            "%s is read as %08x, expected %08x (component %u)", unpacking->format, found[0][c], expected, c);
      if (unpacking->tolerance &&
          !holds(expected == 0 || expected == 0x3f800000 ? found[0][c] == expected : true,
                 "%s: the ends are exact", unpacking->format))
         break;
   }
   check_words(unpacking->format, found[0][0], found[0][1], found[0][2], found[0][3]);
   glDeleteProgram(writer);
   glDeleteProgram(reader);
}

/* ---- order ------------------------------------------------------------------- */

static uint32_t expected[PLS_SIZE * PLS_SIZE][4];

static void
check_expected(const char *what)
{
   for (unsigned p = 0; p < PLS_SIZE * PLS_SIZE; p++) {
      if (!holds(!memcmp(found[p], expected[p], sizeof expected[p]),
                 "%s, pixel %u,%u: %08x %08x %08x %08x, expected %08x %08x %08x %08x", what, p % PLS_SIZE,
                 p / PLS_SIZE, found[p][0], found[p][1], found[p][2], found[p][3], expected[p][0],
                 expected[p][1], expected[p][2], expected[p][3]))
         return;
   }
}

typedef void (*pixel_function)(uint32_t words[4], uint32_t number);

/* Draws rectangles that lie over each other in one draw, and does the same to `expected`. */
static void
draw_rectangles(GLuint program, pixel_function function)
{
   float vertices[NUM_RECTANGLES * 6][3];
   for (unsigned r = 0; r < NUM_RECTANGLES; r++) {
      const unsigned x0 = random_below(PLS_SIZE - 8), y0 = random_below(PLS_SIZE - 8);
      const unsigned x1 = x0 + 1 + random_below(PLS_SIZE - x0), y1 = y0 + 1 + random_below(PLS_SIZE - y0);
      const unsigned number = 1 + random_below(250);
      const unsigned corners[6][2] = {{x0, y0}, {x1, y0}, {x0, y1}, {x0, y1}, {x1, y0}, {x1, y1}};
      for (unsigned v = 0; v < 6; v++) {
         vertices[r * 6 + v][0] = 2.0f * corners[v][0] / PLS_SIZE - 1;
         vertices[r * 6 + v][1] = 2.0f * corners[v][1] / PLS_SIZE - 1;
         vertices[r * 6 + v][2] = number;
      }
      for (unsigned y = y0; y < y1; y++) {
         for (unsigned x = x0; x < x1; x++)
            function(expected[y * PLS_SIZE + x], number);
      }
   }
   glUseProgram(program);
   draw_triangles(vertices, NUM_RECTANGLES * 6);
}

static void
fill(uint32_t words[4], uint32_t number)
{
   words[0] = number;
   words[1] = number * 3;
}

static void
mix_words(uint32_t words[4], uint32_t number)
{
   words[0] = words[0] * 5 + number;
   words[2] = words[2] ^ (words[0] + words[1]);
}

static void
mix_and_discard(uint32_t words[4], uint32_t number)
{
   if ((words[0] & 3) != 1)
      words[3] += words[0] + number;
}

static void
move_words(uint32_t words[4], uint32_t number)
{
   const uint32_t sum = words[0] + words[1] + number;
   words[1] = words[3];
   words[0] = sum;
}

/* Opaque draws, draws that depend on order, several programs, nothing lost between them. */
static void
test_order(GLuint reader)
{
   const GLuint filling = pls_program("__pixel_local_outEXT Words { uint w0, w1; };\n"
                                      "void main() { w0 = number; w1 = number * 3u; }\n");
   const GLuint mixing = pls_program("__pixel_localEXT Words { uint w0, w1, w2, w3; } words;\n"
                                     "void add(inout uint word) { word = word * 5u + number; }\n"
                                     "void main() {\n"
                                     "   add(words.w0);\n"
                                     "   words.w2 ^= words.w0 + words.w1;\n"
                                     "}\n");
   const GLuint discarding = pls_program("__pixel_localEXT Words { __pixel_localEXT uint w0, w1, w2, w3; };\n"
                                         "void main() {\n"
                                         "   w3 += w0 + number;\n"
                                         "   if ((w0 & 3u) == 1u) discard;\n"
                                         "}\n");
   const GLuint moving = pls_program("__pixel_local_inEXT In { uint w[4]; } from;\n"
                                     "__pixel_local_outEXT Out { uint w[2]; } to;\n"
                                     "void main() {\n"
                                     "   to.w[1] = from.w[3];\n"
                                     "   to.w[0] = from.w[0] + from.w[1] + number;\n"
                                     "}\n");
   memset(expected, 0, sizeof expected);
   begin();
   draw_rectangles(filling, fill);
   draw_rectangles(mixing, mix_words);
   draw_rectangles(filling, fill);
   draw_rectangles(discarding, mix_and_discard);
   draw_rectangles(moving, move_words);
   draw_rectangles(mixing, mix_words);
   read_words(reader);
   check_expected("order");
   glDeleteProgram(filling);
   glDeleteProgram(mixing);
   glDeleteProgram(discarding);
   glDeleteProgram(moving);
}

/* ---- programs ----------------------------------------------------------------- */

/* Returns, members of arrays by numbers that are not constant, components, instances and members of their own. */
static void
test_programs(GLuint reader)
{
   const GLuint writer =
      pls_program("layout(rgba8ui) __pixel_localEXT;\n"
                  "__pixel_localEXT Storage {\n"
                  "   layout(rgb10_a2, r11f_g11f_b10f) vec3 normal;\n" /* the second holds */
                  "   uvec4 flags;\n"                                  /* rgba8ui */
                  "   layout(r32ui) uint list[2];\n"
                  "} storage;\n"
                  "void main() {\n"
                  "   storage.flags.y = 7u;\n"
                  "   storage.flags[2] = 9u;\n"
                  "   storage.normal = vec3(1.0, 2.0, 0.5);\n"
                  "   storage.normal.x *= 2.0;\n"
                  "   for (int i = 0; i < 2; i++) storage.list[(i + 1) % 2] = uint(i + 40);\n"
                  "   if (gl_FragCoord.x > 0.0) return;\n"
                  "   storage.list[0] = 0u;\n"
                  "}\n");
   begin();
   pls_draw(writer);
   read_words(reader);
   check_words("a block's members", 16 << 6 | 16 << 17 | 14u << 27, 0x00090700, 41, 40);
   glDeleteProgram(writer);

   const GLuint constants =
      pls_program("__pixel_local_outEXT Words { uint w[gl_MaxShaderPixelLocalStorageSizeEXT / 4]; };\n"
                  "void main() { w[0] = uint(gl_MaxShaderPixelLocalStorageFastSizeEXT); w[3] = 5u; }\n");
   begin();
   pls_draw(constants);
   read_words(reader);
   holds(found[0][0] == 16 && found[0][3] == 5, "the constants are %u bytes", found[0][0]);
   glDeleteProgram(constants);
}

/* Members of medium precision, which shaders compute with in 16 bits: what is stored is of their formats. */
static void
test_medium_precision(GLuint reader, const char *instance)
{
   static const char block[] = "__pixel_localEXT FragDataLocal {\n"
                               "   layout(r11f_g11f_b10f) mediump vec3 normal;\n"
                               "   layout(rgb10_a2) highp vec4 color;\n"
                               "   layout(rgba8ui) mediump uvec4 flags;\n"
                               "   layout(rg16i) mediump ivec2 place;\n"
                               "}";
   char text[2000];
   const char *dot = instance[0] ? "." : "";
   snprintf(text, sizeof text,
            "%s %s;\n"
            "void main() {\n"
            "   mediump float two = float(number + 2u);\n"
            "   %s%snormal = vec3(0.5, 1.0, 2.0) * two;\n"
            "   %s%scolor += vec4(1.0, 0.0, 0.0, 1.0 / 3.0);\n"
            "   %s%sflags = uvec4(1, 20, 30, 250) + uvec4(5u);\n"
            "   %s%splace = ivec2(-%s%snormal.yz * 3.0);\n"
            "}\n",
            block, instance, instance, dot, instance, dot, instance, dot, instance, dot, instance, dot);
   const GLuint writer = pls_program(text);
   begin();
   pls_draw(writer);
   read_words(reader);
   check_words(instance[0] ? "medium precision, an instance" : "medium precision",
               15 << 6 | 16 << 17 | 17u << 27, 0x3ff | 1u << 30, 6 | 25 << 8 | 35 << 16 | 255u << 24,
               0xfff4fffa);
   glDeleteProgram(writer);
}

/* Outputs that have no draw buffer while the storage is enabled, and one of a program that only declares storage. */
static void
test_other_outputs(void)
{
   static const char *const declarations[] = {
      "layout(location = 0) out uvec4 first;\nlayout(location = 1) out uvec4 second;\n",
      "layout(location = 1) out uvec4 second;\nlayout(location = 0) out uvec4 first;\n",
      "out uvec4 all[3];\n#define first all[0]\n#define second all[1]\n",
      "layout(location = 0) out uvec4 all[2];\n#define first all[0]\n#define second all[1]\n",
   };
   const GLuint writer = pls_program("__pixel_local_outEXT Words { uint w0, w1, w2; };\n"
                                     "void main() { w0 = 4u; w1 = 5u; w2 = 6u; }\n");
   for (unsigned i = 0; i < sizeof declarations / sizeof declarations[0]; i++) {
      char text[1000];
      snprintf(text, sizeof text,
               "__pixel_local_inEXT Words { uint w0, w1, w2; };\n%s"
               "void main() { second = uvec4(9); first = uvec4(w0, w1, w2, second.x); }\n",
               declarations[i]);
      const GLuint program = pls_program(text);
      begin();
      pls_draw(writer);
      read_words(program);
      check_words(declarations[i], 4, 5, 6, 9);
      glDeleteProgram(program);
   }
   glDeleteProgram(writer);

   static const GLenum buffers[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
   const GLuint program = pls_program("__pixel_localEXT Words { uint w0; };\n"
                                      "layout(location = 0) out uvec4 first;\n"
                                      "layout(location = 1) out uvec4 second;\n"
                                      "void main() { first = uvec4(1); second = uvec4(2); }\n");
   const GLuint buffer = bind_new_renderbuffer(GL_RGBA32UI, PLS_SIZE, PLS_SIZE);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_RENDERBUFFER, buffer);
   glDrawBuffers(2, buffers);
   pls_draw(program);
   for (unsigned i = 0; i < 2; i++) {
      glReadBuffer(buffers[i]);
      glReadPixels(0, 0, PLS_SIZE, PLS_SIZE, GL_RGBA_INTEGER, GL_UNSIGNED_INT, found);
      check_words("two attachments", i + 1, i + 1, i + 1, i + 1);
   }
   glReadBuffer(buffers[0]);
   glDrawBuffers(1, buffers);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_RENDERBUFFER, 0);
   glDeleteRenderbuffers(1, &buffer);
   glDeleteProgram(program);
}

/* ---- persistence --------------------------------------------------------------- */

static void
test_persistence(GLuint reader)
{
   const GLuint counter = pls_program("__pixel_localEXT Words { uint w0, w1; };\n"
                                      "void main() { w0 += 1u; w1 += w0; }\n");
   const GLuint plain = pls_program("out uvec4 value;\nvoid main() { value = uvec4(77); }\n");
   /* A framebuffer of zeros is storage of zeros; what is there while it is disabled is lost. */
   begin();
   pls_draw(counter);
   pls_draw(counter);
   glDisable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   clear_to_zeros();
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   pls_draw(counter);
   read_words(reader);
   check_words("enabled again", 1, 1, 0, 0);

   begin();
   pls_draw(counter);
   pls_draw(counter);
   clear_to_zeros();
   pls_draw(counter);
   read_words(reader);
   check_words("cleared", 1, 1, 0, 0);

   /* With a query the draws before the clear are not left out. */
   GLuint query;
   glGenQueries(1, &query);
   begin();
   glBeginQuery(GL_ANY_SAMPLES_PASSED, query);
   pls_draw(counter);
   pls_draw(counter);
   glEndQuery(GL_ANY_SAMPLES_PASSED);
   clear_to_zeros();
   pls_draw(counter);
   read_words(reader);
   check_words("counted and cleared", 1, 1, 0, 0);
   glDeleteQueries(1, &query);

   /* Reading the framebuffer ends a pass, but not the storage. */
   begin();
   pls_draw(counter);
   glReadPixels(0, 0, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, found);
   pls_draw(counter);
   glReadPixels(0, 0, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, found);
   read_words(reader);
   check_words("after glReadPixels", 2, 3, 0, 0);

   /* A part of the framebuffer, in a pass that does not clear it: the rest is zeros, whatever was there last. */
   clear_to_zeros();
   glReadPixels(0, 0, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, found);
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   glEnable(GL_SCISSOR_TEST);
   glScissor(3, 5, 4, 6);
   pls_draw(counter);
   glDisable(GL_SCISSOR_TEST);
   glReadPixels(0, 0, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, found);
   pls_draw(counter);
   read_words(reader);
   for (unsigned p = 0; p < PLS_SIZE * PLS_SIZE; p++) {
      const unsigned x = p % PLS_SIZE, y = p / PLS_SIZE, twice = x >= 3 && x < 7 && y >= 5 && y < 11;
      expected[p][0] = 1 + twice;
      expected[p][1] = 1 + 2 * twice;
      expected[p][2] = expected[p][3] = 0;
   }
   check_expected("a part and a pass more");

   /* Draws before and after it are as without it. */
   clear_to_zeros();
   pls_draw(plain);
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   glDisable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   glReadPixels(0, 0, PLS_SIZE, PLS_SIZE, GL_RGBA_INTEGER, GL_UNSIGNED_INT, found);
   check_words("enabled for nothing", 77, 77, 77, 77);
   begin();
   pls_draw(counter);
   glDisable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   pls_draw(plain);
   glReadPixels(0, 0, PLS_SIZE, PLS_SIZE, GL_RGBA_INTEGER, GL_UNSIGNED_INT, found);
   check_words("drawn to afterwards", 77, 77, 77, 77);
   glDeleteProgram(counter);
   glDeleteProgram(plain);
}

/* Blending is of the framebuffer, not of the storage. */
static void
test_blending(void)
{
   uint8_t pixel[4];
   const GLuint framebuffer = make_target(GL_RGBA8);
   const GLuint writer = pls_program("__pixel_localEXT Storage { layout(rgba8) vec4 color; };\n"
                                     "void main() { color += vec4(0.2, 0.0, 0.4, 0.2); }\n");
   const GLuint reader = pls_program("__pixel_local_inEXT Storage { layout(rgba8) vec4 color; };\n"
                                     "out vec4 value;\nvoid main() { value = color; }\n");
   glEnable(GL_BLEND);
   glBlendFunc(GL_ONE, GL_ONE);
   glClearColor(0, 0, 0, 0);
   glClear(GL_COLOR_BUFFER_BIT);
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   pls_draw(writer);
   pls_draw(writer);
   pls_draw(reader);
   glDisable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   glDisable(GL_BLEND);
   glReadPixels(PLS_SIZE / 2, PLS_SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   holds(pixel[0] == 102 && pixel[1] == 0 && pixel[2] == 204 && pixel[3] == 102,
         "blended: %u %u %u %u, expected 102 0 204 102", pixel[0], pixel[1], pixel[2], pixel[3]);
   glDeleteProgram(writer);
   glDeleteProgram(reader);
   glDeleteFramebuffers(1, &framebuffer);
}

/* ---- depth --------------------------------------------------------------------- */

/* Fragments that the depth test removes write no storage; what is hidden later has no effect that is seen. */
static void
test_depth(GLuint reader, GLuint framebuffer)
{
   static const float near[6][3] = {{-1, -1, 0}, {0, -1, 0}, {-1, 1, 0}, {-1, 1, 0}, {0, -1, 0}, {0, 1, 0}};
   const GLuint program =
      build_versioned_program("#version 300 es\n",
                              "in vec3 position;\nuniform highp float depth;\n"
                              "void main() { gl_Position = vec4(position.xy, depth, 1.0); }\n",
                              "#extension GL_EXT_shader_pixel_local_storage : require\n"
                              "__pixel_local_outEXT Words { highp uint w0; };\nuniform highp uint "
                              "word;\nvoid main() { w0 = word; }\n");
   const GLint depth = glGetUniformLocation(program, "depth"), word = glGetUniformLocation(program, "word");
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   const GLuint buffer = bind_new_renderbuffer(GL_DEPTH_COMPONENT24, PLS_SIZE, PLS_SIZE);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffer);
   glEnable(GL_DEPTH_TEST);
   glClear(GL_DEPTH_BUFFER_BIT);
   begin();
   glUseProgram(program);
   glUniform1f(depth, -0.5f);
   glUniform1ui(word, 10);
   draw_triangles(near, 6);
   glUniform1f(depth, 0.5f);
   glUniform1ui(word, 20);
   draw_triangles(screen, 6);
   glDisable(GL_DEPTH_TEST);
   read_words(reader);
   for (unsigned p = 0; p < PLS_SIZE * PLS_SIZE; p++) {
      /* The middle column's centre is on the edge, which belongs to the right. */
      expected[p][0] = p % PLS_SIZE < PLS_SIZE / 2 ? 10 : 20;
      expected[p][1] = expected[p][2] = expected[p][3] = 0;
   }
   check_expected("depth");
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, 0);
   glDeleteRenderbuffers(1, &buffer);
   glDeleteProgram(program);
}

/* ---- framebuffers --------------------------------------------------------------- */

static GLuint
build_later_program(const char *first, const char *vertex, const char *fragment)
{
   char version[200];
   snprintf(version, sizeof version,
            "#version 310 es\n#extension GL_EXT_shader_pixel_local_storage : enable\n%s"
            "precision highp float;\nprecision highp int;\n",
            first);
   return build_versioned_program(version, vertex, fragment);
}

/* Each view has storage of its own. */
static void
test_views(void)
{
   static const char extension[] = "#extension GL_OVR_multiview2 : require\n";
   static const char vertex[] = "layout(num_views = 2) in;\n"
                                "in vec3 position;\n"
                                "flat out uint view;\n"
                                "void main() {\n"
                                "   view = uint(gl_ViewID_OVR);\n"
                                "   gl_Position = vec4(position.xy, 0.0, 1.0);\n"
                                "}\n";
   const GLuint writer = build_later_program(extension, vertex,
                                             "__pixel_localEXT Words { uint w[4]; };\nflat in uint view;\n"
                                             "void main() { w[view + 1u] += view + 10u; }\n");
   const GLuint reader = build_later_program(extension, vertex,
                                             "__pixel_local_inEXT Words { uint w[4]; };\nout uvec4 value;\n"
                                             "void main() { value = uvec4(w[0], w[1], w[2], w[3]); }\n");
   const PFNGLFRAMEBUFFERTEXTUREMULTIVIEWOVRPROC attach_views =
      (PFNGLFRAMEBUFFERTEXTUREMULTIVIEWOVRPROC)eglGetProcAddress("glFramebufferTextureMultiviewOVR");
   GLuint texture, framebuffers[2];
   texture = bind_new_texture(GL_TEXTURE_2D_ARRAY);
   glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA32UI, PLS_SIZE, PLS_SIZE, 2);
   glGenFramebuffers(2, framebuffers);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
   attach_views(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0, 0, 2);
   begin();
   pls_draw(writer);
   pls_draw(writer);
   pls_draw(reader);
   glDisable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
   for (unsigned view = 0; view < 2; view++) {
      glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0, view);
      glReadPixels(0, 0, PLS_SIZE, PLS_SIZE, GL_RGBA_INTEGER, GL_UNSIGNED_INT, found);
      check_words(view ? "view 1" : "view 0", 0, view ? 0 : 20, view ? 22 : 0, 0);
   }
   glDeleteFramebuffers(2, framebuffers);
   glDeleteTextures(1, &texture);
   glDeleteProgram(writer);
   glDeleteProgram(reader);
}

/* A framebuffer without attachments; what a draw reads goes to a buffer. */
static void
test_no_attachments(void)
{
   static const char vertex[] = "in vec3 position;\n"
                                "void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }\n";
   const GLuint writer = build_later_program("", vertex,
                                             "__pixel_localEXT Words { uint w0; };\n"
                                             "void main() { w0 += 3u; }\n");
   const GLuint reader = build_later_program("", vertex,
                                             "__pixel_local_inEXT Words { uint w0; };\n"
                                             "layout(std430, binding = 0) buffer Sum { uint sum; };\n"
                                             "void main() { atomicAdd(sum, w0); }\n");
   static const GLuint zero;
   GLuint buffer;
   const GLuint framebuffer = bind_new_framebuffer(0);
   glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_WIDTH, PLS_SIZE);
   glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_HEIGHT, PLS_SIZE);
   buffer = create_buffer(GL_SHADER_STORAGE_BUFFER, &zero, sizeof zero);
   glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
   glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_SAMPLES, 4);
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   holds(glGetError() == GL_INVALID_OPERATION, "enabled for several samples, without attachments");
   glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_SAMPLES, 0);
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   pls_draw(writer);
   pls_draw(writer);
   pls_draw(reader);
   glDisable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   const GLuint *sum = glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, sizeof *sum, GL_MAP_READ_BIT);
   holds(*sum == 6 * PLS_SIZE * PLS_SIZE, "without attachments: a sum of %u, expected %u", *sum,
         6 * PLS_SIZE * PLS_SIZE);
   glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
   glDeleteBuffers(1, &buffer);
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteProgram(writer);
   glDeleteProgram(reader);
}

int
main(int argc, char **argv)
{
   if (argc > 1 && !strcmp(argv[1], "absent")) {
      open_context(false);
      holds(!has_extension("GL_EXT_shader_pixel_local_storage"), "the extension is there");
      return check_status();
   }
   open_context(true);
   holds(!has_extension("GL_EXT_shader_pixel_local_storage"), "OpenGL has the extension");
   open_context(false);
   require(has_extension("GL_EXT_shader_pixel_local_storage"), "no extension");

   const GLuint framebuffer = make_target(GL_RGBA32UI), reader = raw_reader();
   for (unsigned i = 0; i < sizeof packings / sizeof packings[0]; i++)
      test_packing(&packings[i], reader);
   for (unsigned i = 0; i < sizeof unpackings / sizeof unpackings[0]; i++)
      test_unpacking(&unpackings[i]);
   for (unsigned round = 0; round < 4; round++)
      test_order(reader);
   test_programs(reader);
   test_medium_precision(reader, "");
   test_medium_precision(reader, "storage");
   test_other_outputs();
   test_persistence(reader);
   test_depth(reader, framebuffer);
   test_blending();
   test_views();
   test_no_attachments();
   pls_test_shader_errors();
   pls_test_command_errors();
   require(glGetError() == GL_NO_ERROR, "an error is left");
   return check_status();
}
