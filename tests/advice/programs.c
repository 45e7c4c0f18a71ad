/* SPDX-License-Identifier: MIT */
/* programs NAME bad|good: draws four frames, which a rule of `tbrsim advise` has something to say of or, where the program
 * follows the advice, has not. Prints a hash of the window's last image. All else is as it should be: attachments cleared
 * and thrown away in time, textures compressed and mipmapped, objects drawn front to back. What each pair differs in is in
 * programs_test.py. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advice/scene.h"
#include "support/check.h"
#include "support/egl.h"

#define FRAMES 4

static const struct scene *
find_scene(const char *name)
{
   const struct scene *const lists[] = {target_scenes, fragment_scenes, geometry_scenes};
   for (size_t list = 0; list < sizeof lists / sizeof lists[0]; list++) {
      for (const struct scene *scene = lists[list]; scene->name; scene++) {
         if (!strcmp(scene->name, name))
            return scene;
      }
   }
   stop("no scene %s", name);
}

/* Depth is thrown away first, as a swap does it: the read ends the pass. */
static void
print_hash(void)
{
   static const GLenum unneeded[] = {GL_DEPTH, GL_STENCIL};
   static uint8_t pixels[WINDOW_SIZE * WINDOW_SIZE * 4];
   uint64_t hash = 0xcbf29ce484222325;
   glInvalidateFramebuffer(GL_FRAMEBUFFER, 2, unneeded);
   glReadPixels(0, 0, WINDOW_SIZE, WINDOW_SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (size_t byte = 0; byte < sizeof pixels; byte++)
      hash = (hash ^ pixels[byte]) * 0x100000001b3;
   printf("%016" PRIx64 "\n", hash);
}

int
main(int argc, char **argv)
{
   require(argc == 3 && (!strcmp(argv[2], "bad") || !strcmp(argv[2], "good")), "programs NAME bad|good");
   const struct scene *scene = find_scene(argv[1]);
   is_good = !strcmp(argv[2], "good");
   struct egl egl = egl_open_context((struct surface_request){.kind = X11_WINDOW,
                                                              .width = WINDOW_SIZE,
                                                              .height = WINDOW_SIZE,
                                                              .depth = scene->depth},
                                     false, 3, 0);
   scene->prepare();
   for (int frame = 0; frame < FRAMES; frame++) {
      scene->draw();
      if (frame == FRAMES - 1)
         print_hash();
      require(glGetError() == GL_NO_ERROR, "an error of OpenGL");
      egl_swap(&egl);
   }
   egl_close(&egl);
   return 0;
}
