/* SPDX-License-Identifier: MIT */
/* Extensions of OpenGL 3.3: ARB_shader_draw_parameters, ARB_multi_draw_indirect and ARB_indirect_parameters,
 * ARB_query_buffer_object, EXT_texture_shadow_lod, ARB_shader_texture_image_samples; queries within a pass. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define SIZE 8

static const char full_vertex[] = "#version 330\n"
                                  "void main() {\n"
                                  "   gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0,\n"
                                  "                      gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);\n"
                                  "}\n";

static GLuint
use_program(const char *vertex, const char *fragment)
{
   const GLuint program = build_program(vertex, fragment);
   glUseProgram(program);
   return program;
}

static void
require_extension(const char *name)
{
   require(has_extension(name), "there is no %s", name);
}

static void
create_target(void)
{
   const GLuint texture = bind_new_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   bind_new_framebuffer(texture);
   glViewport(0, 0, SIZE, 1);
}

static void
expect_pixel(const char *what, int x, unsigned r, unsigned g, unsigned b)
{
   GLubyte pixel[4];
   glReadPixels(x, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   require(pixel[0] == r && pixel[1] == g && pixel[2] == b,
           "%s: pixel %d is %u, %u, %u instead of %u, %u, %u", what, x, pixel[0], pixel[1], pixel[2], r, g,
           b);
}

/* ---- draws: a point for each at the pixel of its number ------------------------- */

#define DRAWS 4

static const char point_vertex[] =
   "#version 330\n"
   "#extension GL_ARB_shader_draw_parameters : require\n"
   "flat out vec3 parameters;\n"
   "void main() {\n"
   "   gl_Position = vec4((float(gl_DrawIDARB) + 0.5) / 4.0 - 1.0, 0.0, 0.0, 1.0);\n"
   "   parameters = vec3(gl_DrawIDARB, gl_BaseVertexARB, gl_BaseInstanceARB) / 255.0;\n"
   "}\n";
static const char point_fragment[] = "#version 330\n"
                                     "flat in vec3 parameters;\n"
                                     "out vec4 color;\n"
                                     "void main() { color = vec4(parameters, 1.0); }\n";

struct indirect_draw {
   GLuint count, instances, first;
   GLint base_vertex;
   GLuint base_instance;
};

static void
expect_draws(const char *what, unsigned count)
{
   for (unsigned i = 0; i < DRAWS; i++) {
      if (i < count)
         expect_pixel(what, i, i, 20 + i, 60 + i);
      else
         expect_pixel(what, i, 255, 255, 255);
   }
   glClear(GL_COLOR_BUFFER_BIT);
}

static void
test_draws(void)
{
   static const GLubyte indices[4];
   static const GLuint counts[] = {2, 10, 0};
   struct indirect_draw draws[DRAWS];
   require_extension("GL_ARB_shader_draw_parameters");
   require_extension("GL_ARB_multi_draw_indirect");
   require_extension("GL_ARB_indirect_parameters");
   for (unsigned i = 0; i < DRAWS; i++)
      draws[i] = (struct indirect_draw){1, 1, 0, 20 + (GLint)i, 60 + i};
   create_target();
   glClearColor(1, 1, 1, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   use_program(point_vertex, point_fragment);
   create_buffer(GL_ELEMENT_ARRAY_BUFFER, indices, sizeof indices);
   create_buffer(GL_DRAW_INDIRECT_BUFFER, draws, sizeof draws);
   glMultiDrawElementsIndirect(GL_POINTS, GL_UNSIGNED_BYTE, NULL, DRAWS, 0);
   expect_draws("indirect draws", DRAWS);
   create_buffer(GL_PARAMETER_BUFFER_ARB, counts, sizeof counts);
   glMultiDrawElementsIndirectCountARB(GL_POINTS, GL_UNSIGNED_BYTE, NULL, 0, DRAWS, sizeof draws[0]);
   expect_draws("two draws of four", 2);
   glMultiDrawElementsIndirectCountARB(GL_POINTS, GL_UNSIGNED_BYTE, NULL, 4, DRAWS, sizeof draws[0]);
   expect_draws("at most four draws", DRAWS);
   glMultiDrawElementsIndirectCountARB(GL_POINTS, GL_UNSIGNED_BYTE, NULL, 8, DRAWS, sizeof draws[0]);
   expect_draws("no draws", 0);

   glDrawElementsInstancedBaseVertexBaseInstance(GL_POINTS, 1, GL_UNSIGNED_BYTE, NULL, 1, 7, 9);
   expect_pixel("base vertex and instance", 0, 0, 7, 9);
   glDrawArrays(GL_POINTS, 5, 1);
   expect_pixel("without indices there is no base vertex", 0, 0, 0, 0);
}

/* ---- results of queries in buffers ----------------------------------------------- */

static void
test_query_buffers(void)
{
   GLuint64 wide[4] = {~0ull, ~0ull, ~0ull, ~0ull};
   GLuint query;
   require_extension("GL_ARB_query_buffer_object");
   create_target();
   use_program(full_vertex, "#version 330\nout vec4 color;\nvoid main() { color = vec4(1.0); }\n");
   glGenQueries(1, &query);
   glBeginQuery(GL_SAMPLES_PASSED, query);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glEndQuery(GL_SAMPLES_PASSED);
   create_buffer(GL_QUERY_BUFFER, wide, sizeof wide);
   glGetQueryObjectui64v(query, GL_QUERY_RESULT, (GLuint64 *)0);
   glGetQueryObjectuiv(query, GL_QUERY_RESULT_NO_WAIT, (GLuint *)8);
   glGetQueryObjectiv(query, GL_QUERY_RESULT_AVAILABLE, (GLint *)12);
   glGetQueryObjectui64v(query, GL_QUERY_RESULT_AVAILABLE, (GLuint64 *)16);
   glGetBufferSubData(GL_QUERY_BUFFER, 0, sizeof wide, wide);
   glBindBuffer(GL_QUERY_BUFFER, 0);
   require(wide[0] == 2 * SIZE, "%u samples in the buffer", (unsigned)wide[0]);
   require(wide[1] == (2 * SIZE | 1ull << 32), "32 bits of a result are wrong");
   require(wide[2] == 1, "a result is not available");
   require(wide[3] == ~0ull, "memory behind a result was written");
}

/* ---- queries within a pass -------------------------------------------------------- */

static void
count_draws(GLuint query, unsigned draws)
{
   glBeginQuery(GL_SAMPLES_PASSED, query);
   for (unsigned i = 0; i < draws; i++)
      glDrawArrays(GL_TRIANGLES, 0, 3);
   glEndQuery(GL_SAMPLES_PASSED);
}

static void
expect_result(const char *what, GLuint query, GLuint64 expected)
{
   GLuint64 result = 0;
   glGetQueryObjectui64v(query, GL_QUERY_RESULT, &result);
   require(result == expected, "%s: %u samples instead of %u", what, (unsigned)result, (unsigned)expected);
}

/* Queries whose results are never read, and a copy that is drawn meanwhile, which does not count. */
static void
test_queries(void)
{
   GLuint queries[4];
   create_target();
   use_program(full_vertex, "#version 330\nout vec4 color;\nvoid main() { color = vec4(1.0); }\n");
   bind_new_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glGenQueries(4, queries);
   count_draws(queries[0], 5);
   count_draws(queries[0], 3);
   count_draws(queries[1], 4);
   glDeleteQueries(1, &queries[1]);
   glBeginQuery(GL_SAMPLES_PASSED, queries[2]);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glGenerateMipmap(GL_TEXTURE_2D);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glEndQuery(GL_SAMPLES_PASSED);
   count_draws(queries[3], 1);
   glDeleteQueries(1, &queries[3]);
   expect_result("begun again", queries[0], 3 * SIZE);
   expect_result("across a copy", queries[2], 2 * SIZE);
}

/* Times of passes that are still being drawn, and of others. */
static void
test_timers(void)
{
   GLuint queries[4], others[1];
   GLuint64 first, elapsed, second, unfinished;
   create_target();
   glGenQueries(4, queries);
   glGenQueries(1, others);
   glQueryCounter(queries[0], GL_TIMESTAMP);
   glBeginQuery(GL_TIME_ELAPSED, queries[1]);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glEndQuery(GL_TIME_ELAPSED);
   glQueryCounter(others[0], GL_TIMESTAMP);
   glDeleteQueries(1, others);
   create_target();
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glQueryCounter(queries[2], GL_TIMESTAMP);
   glQueryCounter(queries[3], GL_TIMESTAMP);
   glQueryCounter(queries[3], GL_TIMESTAMP);
   glGetQueryObjectui64v(queries[3], GL_QUERY_RESULT, &unfinished);
   glGetQueryObjectui64v(queries[0], GL_QUERY_RESULT, &first);
   glGetQueryObjectui64v(queries[1], GL_QUERY_RESULT, &elapsed);
   glGetQueryObjectui64v(queries[2], GL_QUERY_RESULT, &second);
   require(first && elapsed && first + elapsed <= second && second <= unfinished,
           "times: at first %llu, then %llu, until %llu", (unsigned long long)first,
           (unsigned long long)elapsed, (unsigned long long)second);
}

/* ---- textures ----------------------------------------------------------------------- */

/** Level 0 has depth 0.25, level 1 0.75. */
static void
fill_levels(GLenum target, GLenum image, unsigned layers)
{
   GLfloat depth[2 * 2 * 12];
   for (unsigned level = 0; level < 2; level++) {
      for (unsigned i = 0; i < 48; i++)
         depth[i] = level ? 0.75f : 0.25f;
      if (layers)
         glTexImage3D(image, level, GL_DEPTH_COMPONENT32F, 2 >> level, 2 >> level, layers, 0,
                      GL_DEPTH_COMPONENT, GL_FLOAT, depth);
      else
         glTexImage2D(image, level, GL_DEPTH_COMPONENT32F, 2 >> level, 2 >> level, 0, GL_DEPTH_COMPONENT,
                      GL_FLOAT, depth);
   }
   glTexParameteri(target, GL_TEXTURE_MAX_LEVEL, 1);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glTexParameteri(target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
}

static void
test_shadow_lod(void)
{
   static const struct {
      GLenum target;
      unsigned layers;
      const char *sampler, *call;
   } cases[] = {
      {GL_TEXTURE_2D_ARRAY, 2, "sampler2DArrayShadow", "textureLod(image, vec4(0.5, 0.5, 1.0, 0.5), lod)"},
      {GL_TEXTURE_2D_ARRAY, 2, "sampler2DArrayShadow",
       "texture(image, vec4(gl_FragCoord.xy * 0.5, 1.0, 0.5), lod * 4.0)"},
      {GL_TEXTURE_CUBE_MAP, 0, "samplerCubeShadow", "textureLod(image, vec4(0.1, 0.2, 1.0, 0.5), lod)"},
      {GL_TEXTURE_CUBE_MAP_ARRAY, 12, "samplerCubeArrayShadow",
       "textureLod(image, vec4(0.1, 0.2, 1.0, 1.0), 0.5, lod)"},
   };
   require_extension("GL_EXT_texture_shadow_lod");
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      char source[1000];
      create_target();
      bind_new_texture(cases[i].target);
      if (cases[i].target == GL_TEXTURE_CUBE_MAP) {
         for (unsigned face = 0; face < 6; face++)
            fill_levels(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0);
      } else {
         fill_levels(cases[i].target, cases[i].target, cases[i].layers);
      }
      snprintf(source, sizeof source,
               "#version 330\n#extension GL_EXT_texture_shadow_lod : require\n"
               "#extension GL_ARB_texture_cube_map_array : require\n"
               "uniform %s image;\nuniform float lod;\nout vec4 color;\n"
               "void main() { color = vec4(%s, 0.0, 0.0, 1.0); }\n",
               cases[i].sampler, cases[i].call);
      const GLuint program = use_program(full_vertex, source);
      for (unsigned lod = 0; lod < 2; lod++) {
         glUniform1f(glGetUniformLocation(program, "lod"), lod);
         glDrawArrays(GL_TRIANGLES, 0, 3);
         expect_pixel(cases[i].call, 3, lod ? 255 : 0, 0, 0);
      }
   }
}

static void
test_samples(void)
{
   GLuint textures[2];
   require_extension("GL_ARB_shader_texture_image_samples");
   create_target();
   glGenTextures(2, textures);
   glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, textures[0]);
   glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_RGBA8, 4, 4, GL_TRUE);
   glActiveTexture(GL_TEXTURE1);
   glBindTexture(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, textures[1]);
   glTexImage3DMultisample(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, 4, GL_RGBA8, 4, 4, 2, GL_TRUE);
   glActiveTexture(GL_TEXTURE0);
   const GLuint program =
      use_program(full_vertex,
                  "#version 330\n"
                  "#extension GL_ARB_shader_texture_image_samples : require\n"
                  "uniform sampler2DMS plain;\n"
                  "uniform sampler2DMSArray layered;\n"
                  "out vec4 color;\n"
                  "void main() {\n"
                  "   color = vec4(textureSamples(plain), textureSamples(layered), 0.0, 255.0) / 255.0;\n"
                  "}\n");
   glUniform1i(glGetUniformLocation(program, "layered"), 1);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   expect_pixel("textureSamples", 5, 4, 4, 0);
}

int
main(void)
{
   egl_open_context((struct surface_request){SURFACELESS}, true, 3, 3);
   bind_new_vertex_array();
   test_draws();
   test_query_buffers();
   test_queries();
   test_timers();
   test_shadow_lod();
   test_samples();
   require(glGetError() == GL_NO_ERROR, "a GL error");
   return 0;
}
