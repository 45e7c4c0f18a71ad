/* SPDX-License-Identifier: MIT */
/* Pixel local storage: what is an error, and what only looks like one. */
#include "fetch/support.h"
#include "fetch/pixel_local.h"

#include <GLES2/gl2ext.h>

/* ---- shaders ------------------------------------------------------------------ */

#define MAIN "void main() {}\n"

static const struct source {
   const char *text;
   bool compiles;
} sources[] = {
   /* Blocks. */
   {"__pixel_localEXT Block { uint a; };\n" MAIN, true},
   {"__pixel_localEXT Block { uint a; } block;\n" MAIN, true},
   {"__pixel_localEXT Block { uint a; } block[2];\n" MAIN, false},
   {"__pixel_localEXT uint a;\n" MAIN, false},
   {"__pixel_local_inEXT uint a;\n" MAIN, false},
   {"void main() { __pixel_localEXT uint a; }\n", false},
   {"void main() { __pixel_localEXT Block { uint a; }; }\n", false},
   {"struct S { __pixel_localEXT uint a; };\n" MAIN, false},
   {"uniform Block { __pixel_localEXT uint a; };\n" MAIN, false},
   {"__pixel_localEXT Block { uint a = 1u; };\n" MAIN, false},
   {"__pixel_localEXT Block { __pixel_localEXT uint a; };\n" MAIN, true},
   {"__pixel_localEXT Block { __pixel_local_inEXT uint a; };\n" MAIN, false},
   {"__pixel_localEXT Block { flat uint a; };\n" MAIN, false},
   {"__pixel_localEXT Block { uint a; } block;\nuint block;\n" MAIN, false},
   /* One input and one output block. */
   {"__pixel_local_inEXT In { uint a; };\n__pixel_local_outEXT Out { uint b; };\n" MAIN, true},
   {"__pixel_local_inEXT In { uint a; };\n__pixel_local_inEXT Out { uint b; };\n" MAIN, false},
   {"__pixel_localEXT In { uint a; };\n__pixel_local_inEXT Out { uint b; };\n" MAIN, false},
   {"__pixel_local_outEXT In { uint a; };\n__pixel_localEXT Out { uint b; };\n" MAIN, false},
   /* Sizes. */
   {"__pixel_localEXT Block { uint a, b, c, d; };\n" MAIN, true},
   {"__pixel_localEXT Block { uint a, b, c, d, e; };\n" MAIN, false},
   {"__pixel_localEXT Block { uint a[4]; };\n" MAIN, true},
   {"__pixel_localEXT Block { uint a[4]; uint b; };\n" MAIN, false},
   {"__pixel_localEXT Block { uint a[5]; } block;\n" MAIN, false},
   {"__pixel_localEXT Block { uint a[]; };\n" MAIN, false},
   {"__pixel_localEXT Block { uint a[]; } block;\n" MAIN, false},
   /* Formats. */
   {"__pixel_localEXT Block { float a; };\n" MAIN, false},
   {"__pixel_localEXT Block { int a; };\n" MAIN, false},
   {"__pixel_localEXT Block { uvec2 a; };\n" MAIN, false},
   {"__pixel_localEXT Block { layout(r32f) float a; };\n" MAIN, true},
   {"__pixel_localEXT Block { layout(r11f_g11f_b10f) float a; };\n" MAIN, false},
   {"__pixel_localEXT Block { layout(rgb10_a2ui) vec4 a; };\n" MAIN, false},
   {"__pixel_localEXT Block { layout(rgba8i) uvec4 a; };\n" MAIN, false},
   {"__pixel_localEXT Block { layout(rg16) vec2 a[2]; layout(rgba8) vec4 b; };\n" MAIN, true},
   {"__pixel_localEXT Block { layout(rgba8) mat2 a; };\n" MAIN, false},
   {"struct S { uint a; };\n__pixel_localEXT Block { S a; };\n" MAIN, false},
   {"__pixel_localEXT Block { layout(rgba16f) vec4 a; };\n" MAIN, false},
   {"__pixel_localEXT Block { layout(location = 1) uint a; };\n" MAIN, false},
   {"layout(rgba8ui) __pixel_localEXT Block { uvec4 a; };\n" MAIN, true},
   {"layout(rgba8ui) __pixel_localEXT Block { uint a; };\n" MAIN, false},
   {"layout(rgba8ui) __pixel_localEXT;\n__pixel_localEXT Block { uvec4 a; };\n" MAIN, true},
   {"layout(rgba8ui) __pixel_local_inEXT;\n__pixel_localEXT Block { uvec4 a; };\n" MAIN, false},
   {"layout(rgba8ui) out uvec4 a;\n" MAIN, false},
   {"layout(rg16f) uniform highp sampler2D a;\n" MAIN, false},
   /* What is read and written. */
   {"__pixel_local_inEXT Block { uint a; };\nvoid main() { a = 1u; }\n", false},
   {"__pixel_local_inEXT Block { uint a; } block;\nvoid main() { block.a++; }\n", false},
   {"__pixel_local_outEXT Block { uint a; };\nout uvec4 c;\nvoid main() { c = uvec4(a); }\n", false},
   {"__pixel_local_outEXT Block { uint a; } block;\nvoid main() { block.a += 1u; }\n", false},
   {"__pixel_local_outEXT Block { layout(rgba8ui) uvec4 a; };\n"
    "void main() { a.y = 1u; a[int(gl_FragCoord.x) & 3] = 2u; }\n",
    true},
   {"__pixel_localEXT Block { uint a; };\nout uvec4 c;\nvoid main() { a = 1u; c = uvec4(2); }\n", false},
   {"__pixel_localEXT Block { uint a; } block;\nlayout(location = 0) out uvec4 c;\n"
    "void f(out uint x) { x = 1u; }\nvoid main() { c.x = 3u; f(block.a); }\n",
    false},
   {"__pixel_localEXT Block { uint a; };\nout uvec4 c;\n"
    "void f(inout uint x) { x = 1u; }\nvoid main() { c.x = 3u; f(a); }\n",
    false},
   {"__pixel_local_outEXT Block { uint a; };\nvoid f(out uint x) { x = 1u; }\nvoid main() { f(a); }\n", true},
   {"__pixel_local_outEXT Block { uint a; };\nvoid f(inout uint x) { x = 1u; }\nvoid main() { f(a); }\n",
    false},
   {"__pixel_local_outEXT Block { uint a; };\nuint f(uint x) { return x; }\nvoid main() { a = f(a); }\n",
    false},
   {"__pixel_local_inEXT Block { uint a; };\nvoid f(out uint x) { x = 1u; }\nvoid main() { f(a); }\n", false},
   {"__pixel_localEXT Block { uint a; };\nout uvec4 c;\nvoid main() { c = uvec4(a); }\n", true},
   {"__pixel_localEXT Block { uint a; };\nout uvec4 c;\nvoid main() { a = 2u; }\n", true},
   {"__pixel_localEXT Block { uint a; };\nvoid main() { a = 2u; gl_FragDepth = 0.5; }\n", true},
};

static bool
compiles(GLenum stage, const char *first, const char *text)
{
   const char *parts[] = {first, "precision highp float;\nprecision highp int;\n", text};
   GLint status;
   const GLuint shader = glCreateShader(stage);
   glShaderSource(shader, 3, parts, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &status);
   glDeleteShader(shader);
   return status;
}

#define WITH "#version 300 es\n#extension GL_EXT_shader_pixel_local_storage : enable\n"

void
pls_test_shader_errors(void)
{
   for (unsigned i = 0; i < sizeof sources / sizeof sources[0]; i++)
      holds(compiles(GL_FRAGMENT_SHADER, WITH, sources[i].text) == sources[i].compiles, "%s:\n%s",
            sources[i].compiles ? "does not compile" : "compiles", sources[i].text);
   static const char block[] = "__pixel_localEXT Block { uint a; };\n" MAIN;
   /* Mesa does not compile again what has been compiled. */
   holds(!compiles(GL_VERTEX_SHADER, WITH, "__pixel_localEXT Vertices { uint a; };\n" MAIN),
         "a vertex shader has pixel local storage");
   holds(!compiles(GL_FRAGMENT_SHADER, "#version 300 es\n", block), "the extension need not be enabled");
   holds(!compiles(GL_FRAGMENT_SHADER, "#extension GL_EXT_shader_pixel_local_storage : enable\n", block),
         "GLSL ES 1.00 has pixel local storage");
   holds(compiles(GL_FRAGMENT_SHADER, "#version 300 es\n",
                  "#if GL_EXT_shader_pixel_local_storage != 1\n#error\n#endif\n" MAIN),
         "the macro is not defined");
   /* Formats of storage are not formats of images. */
   static const char image[] = "layout(rg16f, binding = 0) uniform highp readonly image2D a;\n" MAIN;
   holds(!compiles(GL_FRAGMENT_SHADER,
                   "#version 310 es\n#extension GL_EXT_shader_pixel_local_storage : enable\n", image),
         "an image has a format of pixel local storage");
   holds(!compiles(GL_FRAGMENT_SHADER,
                   "#version 310 es\n#extension GL_EXT_shader_pixel_local_storage : enable\n",
                   "__pixel_localEXT Block { uint a[65536][65536]; };\n" MAIN),
         "there is room for 16 GiB a pixel");
   holds(compiles(GL_FRAGMENT_SHADER,
                  "#version 310 es\n#extension GL_EXT_shader_pixel_local_storage : enable\n",
                  "layout(rgba8, binding = 0) uniform highp readonly image2D a;\n"
                  "__pixel_localEXT Block { layout(rgba8) vec4 b; };\n" MAIN),
         "images and storage of the same format");
}

/* ---- commands ------------------------------------------------------------------- */

static void
expect(GLenum expected, const char *command)
{
   const GLenum error = glGetError();
   holds(error == expected, "%s: error %04x, expected %04x", command, error, expected);
   while (glGetError() != GL_NO_ERROR)
      continue;
}

static GLuint
make_buffer(GLenum format, unsigned samples)
{
   GLuint buffer;
   glGenRenderbuffers(1, &buffer);
   glBindRenderbuffer(GL_RENDERBUFFER, buffer);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, PLS_SIZE, PLS_SIZE);
   return buffer;
}

static void
test_enabling(void)
{
   static const GLenum both[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1}, second[] = {GL_NONE, both[1]};
   const GLuint buffer = make_buffer(GL_RGBA8, 0), other = make_buffer(GL_RGBA8, 0);
   const GLuint samples = make_buffer(GL_RGBA8, 4);
   const GLuint framebuffer = bind_new_framebuffer(0);
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   expect(GL_INVALID_FRAMEBUFFER_OPERATION, "glEnable, incomplete");
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, samples);
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   expect(GL_INVALID_OPERATION, "glEnable, multisampled");
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
   glDrawBuffers(2, both);
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   expect(GL_INVALID_OPERATION, "glEnable, two draw buffers");
   glDrawBuffers(2, second);
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   expect(GL_INVALID_OPERATION, "glEnable, another draw buffer");
   glDrawBuffers(1, both);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_RENDERBUFFER, other);
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   expect(GL_INVALID_OPERATION, "glEnable, two attachments");
   holds(!glIsEnabled(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT), "an error enables it");
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_RENDERBUFFER, 0);
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   expect(GL_NO_ERROR, "glEnable");
   holds(glIsEnabled(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT), "it is not enabled");
   GLboolean enabled = GL_FALSE;
   glGetBooleanv(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT, &enabled);
   holds(enabled, "glGetBooleanv");
   glDisable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   holds(!glIsEnabled(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT), "it is enabled");
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteRenderbuffers(1, &buffer);
   glDeleteRenderbuffers(1, &other);
   glDeleteRenderbuffers(1, &samples);
}

/* While it is enabled. */
static void
test_changes(void)
{
   static const GLenum none[] = {GL_NONE};
   GLuint framebuffers[2], textures[2], texture, depth = make_buffer(GL_DEPTH_COMPONENT16, 0);
   const GLuint buffers[] = {make_buffer(GL_DEPTH_COMPONENT16, 0), depth};
   glGenTextures(2, textures);
   glBindTexture(GL_TEXTURE_2D, textures[0]);
   texture = textures[1];
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, PLS_SIZE, PLS_SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glGenFramebuffers(2, framebuffers);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   expect(GL_NO_ERROR, "glEnable");
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
   expect(GL_INVALID_OPERATION, "glBindFramebuffer");
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
   expect(GL_INVALID_OPERATION, "glBindFramebuffer of the draw framebuffer");
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
   expect(GL_NO_ERROR, "glBindFramebuffer of the bound one");
   glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers[1]);
   expect(GL_NO_ERROR, "glBindFramebuffer of the read framebuffer");
   glDeleteFramebuffers(1, &framebuffers[0]);
   expect(GL_INVALID_OPERATION, "glDeleteFramebuffers");
   holds(glIsFramebuffer(framebuffers[0]), "the framebuffer is deleted");
   glDeleteFramebuffers(2, (const GLuint[]){framebuffers[1], framebuffers[0]});
   expect(GL_INVALID_OPERATION, "glDeleteFramebuffers of two");
   holds(glIsFramebuffer(framebuffers[1]), "the framebuffer before the one that is refused is deleted");
   glDeleteFramebuffers(1, &framebuffers[1]);
   expect(GL_NO_ERROR, "glDeleteFramebuffers of another");
   glDrawBuffers(1, none);
   expect(GL_INVALID_OPERATION, "glDrawBuffers");
   glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, 0, 0);
   expect(GL_INVALID_OPERATION, "glFramebufferTexture2D");
   glFramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, 0);
   expect(GL_INVALID_OPERATION, "glFramebufferRenderbuffer");
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   expect(GL_INVALID_OPERATION, "glTexImage2D");
   glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 0, 0, 8, 8, 0);
   expect(GL_INVALID_OPERATION, "glCopyTexImage2D");
   glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 8, 8);
   expect(GL_INVALID_OPERATION, "glTexStorage2D");
   glBindRenderbuffer(GL_RENDERBUFFER, depth);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT16, 8, 8);
   expect(GL_INVALID_OPERATION, "glRenderbufferStorage");
   glDeleteTextures(2, textures);
   expect(GL_INVALID_OPERATION, "glDeleteTextures");
   holds(glIsTexture(textures[0]), "the texture before the one that is refused is deleted");
   glDeleteRenderbuffers(2, buffers);
   expect(GL_INVALID_OPERATION, "glDeleteRenderbuffers");
   holds(glIsRenderbuffer(buffers[0]), "the renderbuffer before the one that is refused is deleted");
   glDeleteTextures(2, (const GLuint[]){0, textures[0]});
   glDeleteRenderbuffers(2, (const GLuint[]){0, buffers[0]});
   expect(GL_NO_ERROR, "glDelete of what is not attached");
   holds(!glIsTexture(textures[0]) && !glIsRenderbuffer(buffers[0]), "what is not attached is not deleted");
   glDisable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   holds(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "it has changed");
   glDeleteFramebuffers(1, &framebuffers[0]);
   glDeleteTextures(1, &texture);
   glDeleteRenderbuffers(1, &depth);
   expect(GL_NO_ERROR, "while it is disabled");
}

void
pls_test_command_errors(void)
{
   GLint size = 0, fast = 0;
   glGetIntegerv(GL_MAX_SHADER_PIXEL_LOCAL_STORAGE_SIZE_EXT, &size);
   glGetIntegerv(GL_MAX_SHADER_PIXEL_LOCAL_STORAGE_FAST_SIZE_EXT, &fast);
   holds(size == 16 && fast == 16, "%d bytes, %d of them fast", size, fast);
   test_enabling();
   test_changes();

   const GLuint buffer = make_buffer(GL_RGBA8, 0);
   const GLuint storing = pls_program("__pixel_local_outEXT Block { uint a; };\nvoid main() { a = 1u; }\n");
   const GLuint declaring = pls_program("__pixel_local_outEXT Block { uint a; };\nvoid main() {}\n");
   const GLuint framebuffer = bind_new_framebuffer(0);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
   pls_draw(storing);
   expect(GL_INVALID_OPERATION, "a draw while it is not enabled");
   pls_draw(declaring);
   expect(GL_NO_ERROR, "a draw that does not access it");
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   pls_draw(storing);
   expect(GL_NO_ERROR, "a draw while it is enabled");
   glDisable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   pls_draw(storing);
   expect(GL_INVALID_OPERATION, "a draw while it is disabled");
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteRenderbuffers(1, &buffer);
   glDeleteProgram(storing);
   glDeleteProgram(declaring);
}
