/* SPDX-License-Identifier: MIT */
/* render_scenes SURFACE WIDTH HEIGHT FRAMES [DIRECTORY]: draws every scene of
 * scenes.h on a surface (window, pbuffer, fbo, surfaceless; the last two draw into a
 * framebuffer object) and prints "SCENE FRAME CHECKSUM" for each frame; the pixels
 * go to DIRECTORY/SCENE-FRAME.ppm. */
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "images/scenes.h"
#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

struct surface {
   struct egl egl;
   EGLContext contexts[NUM_SCENE_CONTEXTS];
   struct target targets[NUM_SCENE_CONTEXTS];
};

static struct target
make_framebuffer(int width, int height)
{
   const GLuint framebuffer = bind_new_framebuffer(0);
   const GLuint color = bind_new_renderbuffer(GL_RGBA8_OES, width, height);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
   const GLuint depth = bind_new_renderbuffer(GL_DEPTH24_STENCIL8_OES, width, height);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, depth);
   require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "the framebuffer object");
   return (struct target){framebuffer, width, height};
}

/* Draws to a framebuffer object on "fbo" and "surfaceless", else to the surface itself. */
static struct surface
open_surface(const char *name, int width, int height)
{
   static const struct {
      const char *name;
      enum surface_kind kind;
      bool framebuffer;
   } kinds[] = {{"window", X11_WINDOW, false},
                {"pbuffer", SURFACELESS_PBUFFER, false},
                {"fbo", X11_WINDOW, true},
                {"surfaceless", SURFACELESS, true}};
   unsigned k = 0;
   while (k < 4 && strcmp(kinds[k].name, name))
      k++;
   require(k < 4, "%s: no such surface", name);
   struct surface surface = {
      .egl = egl_open((struct surface_request){kinds[k].kind, width, height, .depth = true})};
   for (unsigned c = 0; c < NUM_SCENE_CONTEXTS; c++) {
      surface.contexts[c] =
         egl_create_context(&surface.egl, c == SCENE_GL_33, 3, c == SCENE_GL_33 ? 3 : 0, EGL_NO_CONTEXT);
      egl_make_current(&surface.egl, surface.contexts[c]);
      surface.targets[c] =
         kinds[k].framebuffer ? make_framebuffer(width, height) : (struct target){0, width, height};
   }
   return surface;
}

static uint64_t
checksum(const uint8_t *bytes, size_t size)
{
   uint64_t hash = 0xcbf29ce484222325u;
   for (size_t b = 0; b < size; b++)
      hash = (hash ^ bytes[b]) * 0x100000001b3u;
   return hash;
}

static void
write_image(const char *directory, const char *scene, int frame, const uint8_t *pixels, int width, int height)
{
   char path[4096];
   snprintf(path, sizeof(path), "%s/%s-%d.ppm", directory, scene, frame);
   FILE *file = fopen(path, "wb");
   require(file != NULL, "%s: cannot be written to", path);
   fprintf(file, "P6\n%d %d\n255\n", width, height);
   for (int p = 0; p < width * height; p++)
      fwrite(pixels + p * 4, 1, 3, file);
   require(!fclose(file), "%s: cannot be written to", path);
}

int
main(int argc, char **argv)
{
   require(argc == 5 || argc == 6, "usage: render_scenes SURFACE WIDTH HEIGHT FRAMES [DIRECTORY]");
   int width = atoi(argv[2]), height = atoi(argv[3]), frames = atoi(argv[4]);
   struct surface surface = open_surface(argv[1], width, height);
   uint8_t *pixels = malloc((size_t)width * height * 4);

   for (unsigned s = 0; s < num_scenes; s++) {
      egl_make_current(&surface.egl, surface.contexts[scenes[s].context]);
      for (int frame = 0; frame < frames; frame++) {
         scenes[s].draw(&surface.targets[scenes[s].context], frame);
         glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
         GLenum error = glGetError();
         require(!error, "%s: GL error 0x%x", scenes[s].name, error);
         printf("%s %d %016llx\n", scenes[s].name, frame,
                (unsigned long long)checksum(pixels, (size_t)width * height * 4));
         if (argc == 6)
            write_image(argv[5], scenes[s].name, frame, pixels, width, height);
         if (surface.egl.surface != EGL_NO_SURFACE)
            egl_swap(&surface.egl);
      }
   }
   free(pixels);
   egl_close(&surface.egl);
   return 0;
}
