/* SPDX-License-Identifier: MIT */
/* Framebuffer fetch and advanced blend equations: programs and equations whose results depend on what is below. */
#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>
#include <stdio.h>

#include "images/scenes.h"
#include "support/program.h"

static const char vertex_source[] = "attribute vec4 position, color;\n"
                                    "varying vec4 shade;\n"
                                    "void main() {\n"
                                    "   gl_Position = position;\n"
                                    "   shade = color;\n"
                                    "}\n";

/* Drivers without the extensions draw something else. */
static GLuint
fetching_program(const char *body)
{
   const bool fetches = has_extension("GL_EXT_shader_framebuffer_fetch");
   char source[1200];
   snprintf(source, sizeof source,
            "%s#extension GL_OES_standard_derivatives : enable\n"
            "precision highp float;\n"
            "varying vec4 shade;\n"
            "void main() {\n"
            "   vec4 below = %s;\n"
            "%s"
            "}\n",
            fetches ? "#extension GL_EXT_shader_framebuffer_fetch : require\n" : "",
            fetches ? "gl_LastFragData[0]" : "vec4(0.5)", body);
   return make_program(vertex_source, source);
}

static GLuint
blending_program(void)
{
   static const char vertex[] = "#version 300 es\n"
                                "in vec4 position, color;\n"
                                "out vec4 shade;\n"
                                "void main() {\n"
                                "   gl_Position = position;\n"
                                "   shade = color;\n"
                                "}\n";
   static const char fragment[] = "precision highp float;\n"
                                  "in vec4 shade;\n"
                                  "out vec4 color;\n"
                                  "void main() { color = vec4(shade.rgb * shade.a, shade.a); }\n";
   char source[600];
   snprintf(
      source, sizeof source, "#version 300 es\n%s%s",
      has_extension("GL_KHR_blend_equation_advanced")
         ? "#extension GL_KHR_blend_equation_advanced : require\nlayout(blend_support_all_equations) out;\n"
         : "",
      fragment);
   return make_program(vertex, source);
}

/* Opaque triangles under and over those that fetch, some of which discard; then a program whose result has the
 * differences to the neighbours in what is below; then equations. */
void
draw_fetch(const struct target *target, int frame)
{
   static const GLenum equations[] = {GL_MULTIPLY_KHR,  GL_OVERLAY_KHR, GL_COLORDODGE_KHR,
                                      GL_SOFTLIGHT_KHR, GL_HSL_HUE_KHR, GL_HSL_LUMINOSITY_KHR};
   static GLuint mixing, edges, blending;
   if (!mixing) {
      mixing = fetching_program("   if (below.b > 0.9) discard;\n"
                                "   gl_FragData[0] = vec4(below.gbr * 0.7 + shade.rgb * 0.3, 1.0);\n");
      edges =
         fetching_program("   gl_FragData[0] = vec4(abs(dFdx(below.rgb)) + abs(dFdy(below.gbr)), 1.0);\n");
      blending = blending_program();
   }
   begin(target, color_program());
   glClearColor(0.3f, 0.6f, 0.1f, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   draw_random_triangles(901 + frame, 30, 0.7f, 1);
   glUseProgram(mixing);
   draw_random_triangles(902 + frame, 60, 0.6f, 1);
   glUseProgram(color_program());
   draw_random_triangles(903 + frame, 10, 0.4f, 1);
   glUseProgram(mixing);
   glDisable(GL_DEPTH_TEST);
   draw_random_triangles(904 + frame, 200, 0.1f, 1);
   glColorMask(1, 0, 1, 1);
   glUseProgram(edges);
   draw_random_triangles(905 + frame, 12, 0.5f, 1);
   glColorMask(1, 1, 1, 1);
   glUseProgram(blending);
   glEnable(GL_BLEND);
   for (unsigned e = 0; e < sizeof equations / sizeof equations[0]; e++) {
      if (has_extension("GL_KHR_blend_equation_advanced"))
         glBlendEquation(equations[e]);
      draw_random_triangles(906 + frame + e, 6, 0.6f, 0.6f);
   }
   glBlendEquation(GL_FUNC_ADD);
   glDisable(GL_BLEND);
}
