/* SPDX-License-Identifier: MIT */
/* slow_game [FRAMES] [FIX...]: the program of the first tutorials, a "game" that is slower than it has to be. Each FIX mends
 * one thing; the image stays the same. Six frames unless it is told another number.
 *
 *    one-pass       the shadow map is drawn before the scene, not in the middle of it
 *    discard-depth  the scene's depth is thrown away when the scene is done
 *    mipmaps        the floor's texture has all levels, not one
 *    compressed     the floor's texture is compressed */
#include <stdlib.h>
#include <string.h>

#include "advice/scene.h"
#include "advice/textures.h"
#include "support/check.h"
#include "support/egl.h"

#include <GLES2/gl2ext.h>

enum { SHADOW_SIZE = WINDOW_SIZE / 2, FLOOR_SIZE = WINDOW_SIZE * 2 };

enum fix { ONE_PASS, DISCARD_DEPTH, MIPMAPS, COMPRESSED, NUM_FIXES };
static const char *const fix_names[NUM_FIXES] = {"one-pass", "discard-depth", "mipmaps", "compressed"};
static bool fixes[NUM_FIXES];

static GLuint wall, ground;
static struct target scene, shadow;
static PFNGLPUSHDEBUGGROUPKHRPROC push_group;
static PFNGLPOPDEBUGGROUPKHRPROC pop_group;

static void
begin_group(const char *name)
{
   push_group(GL_DEBUG_SOURCE_APPLICATION_KHR, 0, -1, name);
}

static void
label(GLenum kind, GLuint object, const char *name)
{
   PFNGLOBJECTLABELKHRPROC object_label = (PFNGLOBJECTLABELKHRPROC)eglGetProcAddress("glObjectLabelKHR");
   object_label(kind, object, -1, name);
}

static void
prepare(void)
{
   push_group = (PFNGLPUSHDEBUGGROUPKHRPROC)eglGetProcAddress("glPushDebugGroupKHR");
   pop_group = (PFNGLPOPDEBUGGROUPKHRPROC)eglGetProcAddress("glPopDebugGroupKHR");
   wall = make_texture(WINDOW_SIZE, true, true, 1);
   ground = make_texture(FLOOR_SIZE, fixes[COMPRESSED], fixes[MIPMAPS], 2);
   scene = make_target(WINDOW_SIZE, true);
   shadow = make_target(SHADOW_SIZE, false);
   label(GL_TEXTURE, wall, "wall");
   label(GL_TEXTURE, ground, "floor");
   label(GL_TEXTURE, scene.texture, "scene");
   label(GL_TEXTURE, shadow.texture, "shadow map");
}

static void
draw_shadow_map(void)
{
   begin_group("shadow map");
   draw_to(&shadow, SHADOW_SIZE);
   clear(false);
   use_copy_program();
   glBindTexture(GL_TEXTURE_2D, wall);
   draw_box((struct box){-0.5f, -0.5f, 0.5f, 0.5f}, (struct box){0, 0, 0.25f, 0.25f}, 0);
   pop_group();
}

/* The wall fills the upper half, the floor the lower one, at eight texels per pixel. */
static void
draw_frame(void)
{
   if (fixes[ONE_PASS])
      draw_shadow_map();
   draw_to(&scene, WINDOW_SIZE);
   clear(true);
   glEnable(GL_DEPTH_TEST);
   begin_group("scene");
   use_copy_program();
   glBindTexture(GL_TEXTURE_2D, wall);
   draw_box((struct box){-1, 0, 1, 1}, (struct box){0, 0.5f, 1, 1}, 0.5f);
   glBindTexture(GL_TEXTURE_2D, ground);
   draw_box((struct box){-1, -1, 1, 0}, (struct box){0, 0, 4, 2}, 0.5f);
   if (!fixes[ONE_PASS])
      draw_shadow_map();
   draw_to(&scene, WINDOW_SIZE);
   glBindTexture(GL_TEXTURE_2D, shadow.texture);
   draw_box((struct box){-0.5f, -0.5f, 0.5f, 0.5f}, whole_texture, 0.25f);
   if (fixes[DISCARD_DEPTH])
      invalidate(GL_DEPTH_ATTACHMENT);
   pop_group();
   glDisable(GL_DEPTH_TEST);
   begin_group("window");
   show(scene.texture);
   pop_group();
}

int
main(int argc, char **argv)
{
   const int frames = argc > 1 ? atoi(argv[1]) : 0;
   for (int a = frames > 0 ? 2 : 1; a < argc; a++) {
      int fix = 0;
      while (fix < NUM_FIXES && strcmp(argv[a], fix_names[fix]))
         fix++;
      require(fix < NUM_FIXES,
              "slow_game [FRAMES] [one-pass] [discard-depth] [mipmaps] [compressed], not '%s'", argv[a]);
      fixes[fix] = true;
   }
   struct egl egl = egl_open_context(
      (struct surface_request){.kind = X11_WINDOW, .width = WINDOW_SIZE, .height = WINDOW_SIZE}, false, 3, 0);
   prepare();
   glGetError(); /* apitrace's own: it asks for what OpenGL ES does not have */
   for (int frame = 0; frame < (frames > 0 ? frames : 6); frame++) {
      draw_frame();
      require(glGetError() == GL_NO_ERROR, "an error of OpenGL");
      egl_swap(&egl);
   }
   egl_close(&egl);
   return 0;
}
