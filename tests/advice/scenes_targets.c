/* SPDX-License-Identifier: MIT */
/* Scenes of render targets: loads, stores, the order of passes. */
#include "advice/scene.h"

#include <GLES2/gl2ext.h>

#include "advice/textures.h"

#define SHADOW_SIZE 256

static GLuint image;
static struct target target, other;

static void
prepare(void)
{
   image = make_texture(WINDOW_SIZE, true, true, 1);
   target = make_target(WINDOW_SIZE, false);
}

static void
prepare_with_depth(void)
{
   image = make_texture(WINDOW_SIZE, true, true, 1);
   target = make_target(WINDOW_SIZE, true);
}

static void
prepare_two(void)
{
   prepare();
   other = make_target(SHADOW_SIZE, false);
}

static void
draw_image(void)
{
   use_copy_program();
   glBindTexture(GL_TEXTURE_2D, image);
   draw_box(everywhere, whole_texture, 0);
}

/* The last frame's image is loaded, and drawn over. */
static void
unneeded_load(void)
{
   draw_to(&target, WINDOW_SIZE);
   if (is_good)
      invalidate(GL_COLOR_ATTACHMENT0);
   draw_image();
   show(target.texture);
}

/* Front to back: a part of the image before the image. */
static void
draw_two_depths(void)
{
   use_copy_program();
   glBindTexture(GL_TEXTURE_2D, image);
   glEnable(GL_DEPTH_TEST);
   draw_box((struct box){-0.5f, -0.5f, 0.5f, 0.5f}, (struct box){0, 0, 0.5f, 0.5f}, 0.25f);
   draw_box(everywhere, whole_texture, 0.75f);
   glDisable(GL_DEPTH_TEST);
}

/* Depth is stored, and cleared when the next frame begins. */
static void
unneeded_store(void)
{
   draw_to(&target, WINDOW_SIZE);
   clear(true);
   draw_two_depths();
   if (is_good)
      invalidate(GL_DEPTH_ATTACHMENT);
   show(target.texture);
}

static void
draw_shadow_map(void)
{
   draw_to(&other, SHADOW_SIZE);
   clear(false);
   use_copy_program();
   glBindTexture(GL_TEXTURE_2D, image);
   draw_box((struct box){-0.5f, -0.5f, 0.5f, 0.5f}, (struct box){0, 0, 0.25f, 0.25f}, 0);
}

/* The shadow map is drawn in the middle of the pass that needs it. */
static void
broken_pass(void)
{
   if (is_good)
      draw_shadow_map();
   draw_to(&target, WINDOW_SIZE);
   clear(false);
   use_copy_program();
   glBindTexture(GL_TEXTURE_2D, image);
   draw_box((struct box){-1, -1, 0, 1}, (struct box){0, 0, 0.5f, 1}, 0);
   if (!is_good)
      draw_shadow_map();
   draw_to(&target, WINDOW_SIZE);
   glBindTexture(GL_TEXTURE_2D, other.texture);
   draw_box((struct box){0, -0.5f, 1, 0.5f}, whole_texture, 0);
   show(target.texture);
}

static GLuint keeping, finishing;

static void
prepare_mergeable(void)
{
   prepare();
   if (!is_good) {
      finishing = make_box_program("precision highp float;\n"
                                   "in vec2 coordinates;\n"
                                   "uniform sampler2D image;\n"
                                   "out vec4 color;\n"
                                   "void main()\n"
                                   "{\n"
                                   "   vec4 kept = texelFetch(image, ivec2(gl_FragCoord.xy), 0);\n"
                                   "   color = kept.bgra * step(0.0, coordinates.x);\n"
                                   "}\n");
      return;
   }
   glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
   keeping = make_box_program("#extension GL_EXT_shader_pixel_local_storage : require\n"
                              "precision highp float;\n"
                              "in vec2 coordinates;\n"
                              "uniform sampler2D image;\n"
                              "layout(rgba8) __pixel_local_outEXT Pixel { vec4 kept; };\n"
                              "void main() { kept = texture(image, coordinates); }\n");
   finishing = make_box_program("#extension GL_EXT_shader_pixel_local_storage : require\n"
                                "precision highp float;\n"
                                "in vec2 coordinates;\n"
                                "layout(rgba8) __pixel_local_inEXT Pixel { vec4 kept; };\n"
                                "out vec4 color;\n"
                                "void main() { color = kept.bgra * step(0.0, coordinates.x); }\n");
   glDisable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
}

/* Each pixel of the window needs its own of the target only. */
static void
mergeable_pass(void)
{
   if (is_good) {
      draw_to(NULL, WINDOW_SIZE);
      clear(false);
      glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
      glUseProgram(keeping);
      glBindTexture(GL_TEXTURE_2D, image);
      draw_box(everywhere, whole_texture, 0);
   } else {
      draw_to(&target, WINDOW_SIZE);
      clear(false);
      draw_image();
      draw_to(NULL, WINDOW_SIZE);
      clear(false);
      glBindTexture(GL_TEXTURE_2D, target.texture);
   }
   glUseProgram(finishing);
   draw_box(everywhere, whole_texture, 0);
   if (is_good)
      glDisable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT);
}

/* The target is drawn and never read. */
static void
target_never_read(void)
{
   if (!is_good) {
      draw_to(&target, WINDOW_SIZE);
      clear(false);
      draw_image();
   }
   show(image);
}

static GLuint quarters;

static void
prepare_wide(void)
{
   quarters = make_box_program("precision highp float;\n"
                               "in vec2 coordinates;\n"
                               "out vec4 color;\n"
                               "void main()\n"
                               "{\n"
                               "   color = vec4(step(0.5, coordinates), 0.0, 1.0);\n"
                               "}\n");
   target = make_target_of(is_good ? GL_RGBA8 : GL_RGBA16F, WINDOW_SIZE);
}

/* The target has pixels of 8 bytes for what 4 have, too: the blocks are of one color each. */
static void
wide_target(void)
{
   draw_to(&target, WINDOW_SIZE);
   clear(false);
   glUseProgram(quarters);
   draw_box(everywhere, whole_texture, 0);
   show(target.texture);
}

static void
prepare_several(void)
{
   prepare_with_depth();
   other = make_target(SHADOW_SIZE, false);
}

/* Passes of the first frame, as of a program that loads: each is one of many. */
static void
load(void)
{
   for (int pass = 0; pass < 20; pass++) {
      draw_shadow_map();
      draw_to(&target, WINDOW_SIZE);
      clear(true);
      draw_image();
   }
}

/* The image is loaded and drawn over, the pass is flushed in the middle, and its depth is stored. */
static void
several(void)
{
   static bool is_loaded;
   if (!is_loaded)
      load();
   is_loaded = true;
   draw_to(&target, WINDOW_SIZE);
   if (is_good)
      invalidate(GL_COLOR_ATTACHMENT0);
   glClear(GL_DEPTH_BUFFER_BIT);
   use_copy_program();
   glBindTexture(GL_TEXTURE_2D, image);
   glEnable(GL_DEPTH_TEST);
   draw_box(everywhere, whole_texture, 0.75f);
   if (!is_good)
      glFlush();
   /* Blended, so that their color is loaded, and hides nothing that was drawn before the flush. */
   glEnable(GL_BLEND);
   glBlendFunc(GL_ONE, GL_ONE);
   draw_box((struct box){-0.4375f, -0.4375f, 0.4375f, 0.4375f}, (struct box){0, 0, 0.4375f, 0.4375f}, 0.25f);
   glDisable(GL_BLEND);
   glDisable(GL_DEPTH_TEST);
   if (is_good)
      invalidate(GL_DEPTH_ATTACHMENT);
   show(target.texture);
}

/* There is nothing to say of this one. */
static void
fine(void)
{
   draw_to(&target, WINDOW_SIZE);
   clear(true);
   draw_two_depths();
   invalidate(GL_DEPTH_ATTACHMENT);
   show(target.texture);
}

const struct scene target_scenes[] = {
   {"unneeded_load", false, prepare, unneeded_load},
   {"unneeded_store", false, prepare_with_depth, unneeded_store},
   {"broken_pass", false, prepare_two, broken_pass},
   {"mergeable_pass", false, prepare_mergeable, mergeable_pass},
   {"target_never_read", false, prepare, target_never_read},
   {"wide_target", false, prepare_wide, wide_target},
   {"several", false, prepare_several, several},
   {"fine", false, prepare_with_depth, fine},
   {0},
};
