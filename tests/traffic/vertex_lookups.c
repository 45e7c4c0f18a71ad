/* SPDX-License-Identifier: MIT */
/* vertex_lookups CASE: 48 vertices, each of which reads a texture once, at a place that its number gives:
 * vertex_lookups_test.py computes the texels. Coordinates are odd multiples of a power of two, so that none is between
 * two texels. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define VERTICES 48
#define WIDTH 16
#define HEIGHT 8
#define CUBE 8
#define LAYERS 5
#define BUFFER_TEXELS 40000

/* What the lookups name: p, from -1/2 to 3/2, the third from 0 to 1; lod, from -3/4 to 17/4; layer, from -3/4 to 21/4;
 * direction, on each face of a cube in turn. */
static const char vertex_source[] =
   "out vec4 color;\n"
   "void main() {\n"
   "   int i = gl_VertexID;\n"
   "   vec3 p = vec3(ivec3(2) * (ivec3(i) * ivec3(7, 5, 11) % ivec3(64, 64, 32)) + 1) / 64.0 - vec3(0.5, "
   "0.5, 0.0);\n"
   "   float lod = float(i % 11) * 0.5 - 0.75;\n"
   "   float layer = float(i % 7) - 0.75;\n"
   "   vec2 minor = vec2(ivec2(2) * (ivec2(i) * ivec2(7, 11) % ivec2(16)) - 15) / 16.0;\n"
   "   float sign = (i % 2) == 0 ? 1.0 : -1.0;\n"
   "   vec3 direction = (i % 6) / 2 == 0 ? vec3(sign, minor) : (i % 6) / 2 == 1 ? vec3(minor.x, sign, "
   "minor.y)\n"
   "                                                                             : vec3(minor, sign);\n"
   "   color = vec4(LOOKUP);\n"
   "   gl_Position = vec4((float(i) + 0.5) / 24.0 - 1.0, 0.0, 0.0, 1.0);\n"
   "   gl_PointSize = 1.0;\n"
   "}\n";

struct lookup {
   const char *name;
   GLenum target;
   const char *samplers, *expression;
   GLint minification, magnification, wrap;
};

static const struct lookup lookups[] = {
   {"nearest", GL_TEXTURE_2D, "sampler2D t", "textureLod(t, p.xy, lod)", GL_NEAREST_MIPMAP_NEAREST,
    GL_NEAREST, GL_REPEAT},
   {"linear", GL_TEXTURE_2D, "sampler2D t", "textureLod(t, p.xy, lod)", GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR,
    GL_CLAMP_TO_EDGE},
   {"between", GL_TEXTURE_2D, "sampler2D t", "textureLod(t, p.xy, lod)", GL_NEAREST_MIPMAP_LINEAR, GL_NEAREST,
    GL_MIRRORED_REPEAT},
   {"trilinear", GL_TEXTURE_2D, "sampler2D t", "textureLod(t, p.xy, lod)", GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR,
    GL_REPEAT},
   {"border", GL_TEXTURE_2D, "sampler2D t", "textureLod(t, p.xy, lod)", GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR,
    GL_CLAMP_TO_BORDER},
   /* Of levels 1 to 3, from 1/2 to 5/4. */
   {"levels", GL_TEXTURE_2D, "sampler2D t", "textureLod(t, p.xy, lod)", GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR,
    GL_MIRRORED_REPEAT},
   {"implicit", GL_TEXTURE_2D, "sampler2D t", "texture(t, p.xy)", GL_LINEAR_MIPMAP_LINEAR, GL_NEAREST,
    GL_REPEAT},
   {"gradient", GL_TEXTURE_2D, "sampler2D t",
    "textureGrad(t, p.xy, vec2(exp2(float(i % 6 - 1)) * 1.25 / 16.0, 0.0), vec2(0.0, 1.0 / 64.0))",
    GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR, GL_REPEAT},
   {"offset", GL_TEXTURE_2D, "sampler2D t", "textureLodOffset(t, p.xy, lod, ivec2(3, -2))",
    GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR, GL_REPEAT},
   {"projected", GL_TEXTURE_2D, "sampler2D t", "textureProjLod(t, vec3(p.xy * 2.0, 2.0), lod)",
    GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR, GL_REPEAT},
   {"fetch", GL_TEXTURE_2D, "sampler2D t", "texelFetchOffset(t, ivec2(i % 6 + 1, i % 3), 1, ivec2(-1, 1))",
    GL_NEAREST, GL_NEAREST, GL_REPEAT},
   {"gather", GL_TEXTURE_2D, "sampler2D t", "textureGather(t, p.xy, 1)", GL_LINEAR_MIPMAP_LINEAR, GL_NEAREST,
    GL_REPEAT},
   {"gather-offset", GL_TEXTURE_2D, "sampler2D t", "textureGatherOffset(t, p.xy, ivec2(i % 8 - 4, 3))",
    GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE},
   {"shadow", GL_TEXTURE_2D, "sampler2DShadow t", "textureLod(t, vec3(p.xy, 0.5), lod)",
    GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR, GL_REPEAT},
   {"second", GL_TEXTURE_2D, "sampler2D t[2]; uniform int unit", "textureLod(t[unit], p.xy, 0.0)", GL_NEAREST,
    GL_NEAREST, GL_REPEAT},
   {"array", GL_TEXTURE_2D_ARRAY, "sampler2DArray t", "textureLod(t, vec3(p.xy, layer), lod)",
    GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR, GL_REPEAT},
   {"volume", GL_TEXTURE_3D, "sampler3D t", "textureLod(t, p, lod)", GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR,
    GL_REPEAT},
   {"cube", GL_TEXTURE_CUBE_MAP, "samplerCube t", "textureLod(t, direction, lod)", GL_NEAREST_MIPMAP_NEAREST,
    GL_NEAREST, GL_CLAMP_TO_EDGE},
   {"seamless", GL_TEXTURE_CUBE_MAP, "samplerCube t", "textureLod(t, direction, lod)",
    GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE},
   {"cubes", GL_TEXTURE_CUBE_MAP_ARRAY, "samplerCubeArray t", "textureLod(t, vec4(direction, layer), lod)",
    GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR, GL_CLAMP_TO_EDGE},
   {"line", GL_TEXTURE_1D, "sampler1D t", "textureLod(t, p.x, lod)", GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR,
    GL_REPEAT},
   {"lines", GL_TEXTURE_1D_ARRAY, "sampler1DArray t", "textureLod(t, vec2(p.x, layer), lod)",
    GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR, GL_REPEAT},
   {"rectangle", GL_TEXTURE_RECTANGLE, "sampler2DRect t", "texture(t, p.xy * vec2(16.0, 8.0))", GL_LINEAR,
    GL_LINEAR, GL_CLAMP_TO_EDGE},
   {"buffer", GL_TEXTURE_BUFFER, "samplerBuffer t", "texelFetch(t, i * 833)", 0, 0, 0},
   {"samples", GL_TEXTURE_2D_MULTISAMPLE, "sampler2DMS t", "texelFetch(t, ivec2(i % 16, i % 8), i % 4)", 0, 0,
    0},
};

static void
use_program(const struct lookup *lookup)
{
   char version[sizeof vertex_source];
   snprintf(version, sizeof version, "#version 450 core\nuniform %s;\n#define LOOKUP %s\n", lookup->samplers,
            lookup->expression);
   const GLuint program =
      link_shaders(compile_shader(GL_VERTEX_SHADER, version, vertex_source),
                   compile_shader(GL_FRAGMENT_SHADER, "#version 450 core\n",
                                  "in vec4 color;\nout vec4 result;\nvoid main() { result = color; }\n"));
   glUseProgram(program);
   glUniform1iv(glGetUniformLocation(program, "t"), 1, (const GLint[]){0});
   if (strcmp(lookup->name, "second") == 0) {
      glUniform1iv(glGetUniformLocation(program, "t"), 2, (const GLint[]){0, 1});
      glUniform1i(glGetUniformLocation(program, "unit"), 1);
   }
}

static void
create_storage(const struct lookup *lookup)
{
   static const float zeros[BUFFER_TEXELS];
   switch (lookup->target) {
   case GL_TEXTURE_1D: glTexStorage1D(lookup->target, 5, GL_RGBA8, WIDTH); break;
   case GL_TEXTURE_1D_ARRAY: glTexStorage2D(lookup->target, 5, GL_RGBA8, WIDTH, LAYERS); break;
   case GL_TEXTURE_2D_ARRAY: glTexStorage3D(lookup->target, 5, GL_RGBA8, WIDTH, HEIGHT, LAYERS); break;
   case GL_TEXTURE_3D: glTexStorage3D(lookup->target, 4, GL_RGBA8, CUBE, CUBE, CUBE); break;
   case GL_TEXTURE_CUBE_MAP: glTexStorage2D(lookup->target, 4, GL_RGBA8, CUBE, CUBE); break;
   case GL_TEXTURE_CUBE_MAP_ARRAY: glTexStorage3D(lookup->target, 4, GL_RGBA8, CUBE, CUBE, 2 * 6); break;
   case GL_TEXTURE_RECTANGLE: glTexStorage2D(lookup->target, 1, GL_RGBA8, WIDTH, HEIGHT); break;
   case GL_TEXTURE_BUFFER:
      glTexBuffer(lookup->target, GL_R32F, create_buffer(GL_TEXTURE_BUFFER, zeros, sizeof zeros));
      break;
   case GL_TEXTURE_2D_MULTISAMPLE:
      glTexStorage2DMultisample(lookup->target, 4, GL_RGBA8, WIDTH, HEIGHT, GL_TRUE);
      break;
   default:
      glTexStorage2D(lookup->target, 5, strcmp(lookup->name, "shadow") == 0 ? GL_DEPTH_COMPONENT16 : GL_RGBA8,
                     WIDTH, HEIGHT);
   }
}

static void
create_texture(const struct lookup *lookup)
{
   bind_new_texture(lookup->target);
   create_storage(lookup);
   if (!lookup->wrap)
      return;
   glTexParameteri(lookup->target, GL_TEXTURE_MIN_FILTER, lookup->minification);
   glTexParameteri(lookup->target, GL_TEXTURE_MAG_FILTER, lookup->magnification);
   glTexParameteri(lookup->target, GL_TEXTURE_WRAP_S, lookup->wrap);
   glTexParameteri(lookup->target, GL_TEXTURE_WRAP_T, lookup->wrap);
   glTexParameteri(lookup->target, GL_TEXTURE_WRAP_R, lookup->wrap);
   if (strcmp(lookup->name, "levels") == 0) {
      glTexParameteri(lookup->target, GL_TEXTURE_BASE_LEVEL, 1);
      glTexParameteri(lookup->target, GL_TEXTURE_MAX_LEVEL, 3);
      glTexParameterf(lookup->target, GL_TEXTURE_MIN_LOD, 0.5f);
      glTexParameterf(lookup->target, GL_TEXTURE_MAX_LOD, 1.25f);
   } else if (strcmp(lookup->name, "shadow") == 0) {
      glTexParameteri(lookup->target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
   }
}

static void
draw(const struct lookup *lookup)
{
   GLubyte pixels[VERTICES][4];
   bind_new_vertex_array();
   glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
   use_program(lookup);
   if (strcmp(lookup->name, "second") == 0) {
      bind_new_image(GL_RGBA8, 2, 2);
      glActiveTexture(GL_TEXTURE1);
   }
   create_texture(lookup);
   glDrawArrays(GL_POINTS, 0, VERTICES);
   glReadPixels(0, 0, VERTICES, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   require(glGetError() == GL_NO_ERROR, "%s: an error of OpenGL", lookup->name);
}

int
main(int argc, char **argv)
{
   egl_open_context((struct surface_request){SURFACELESS_PBUFFER, VERTICES, 1, .depth = false}, true, 4, 5);
   for (unsigned i = 0; argc == 2 && i < sizeof lookups / sizeof lookups[0]; i++) {
      if (strcmp(argv[1], lookups[i].name) == 0) {
         draw(&lookups[i]);
         return 0;
      }
   }
   stop("usage: vertex_lookups CASE");
}
