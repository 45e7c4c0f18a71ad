/* SPDX-License-Identifier: MIT */
/* driver [--wild] [--dump FILE] [--verbose] [--steps A-B] FIRST [COUNT]: random OpenGL ES 3.2 that seeds repeat.
 *
 * Each seed has a context, textures, framebuffers, programs (shaders.h) and steps on them: draws, dispatches, clears,
 * copies, updates. Without --wild all results are defined, within a tolerance, and written to FILE, so that drivers can be
 * compared; with it calls and shaders may be anything, and must do no harm. --steps leaves out the other steps, which
 * changes nothing about those that stay. Prints a line before each seed. */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "world.h"

#define MAX_STEPS 24

static struct world world;
static int first_step, last_step = MAX_STEPS;

static int
pick_program(struct dice *dice, bool compute)
{
   for (unsigned i = 0, at = roll(dice, PROGRAMS); i < PROGRAMS; i++, at++) {
      if (world.programs[at % PROGRAMS].plan.compute == compute)
         return (int)(at % PROGRAMS);
   }
   return -1;
}

static void
take_step(int step)
{
   struct dice dice = dice_of(world.seed, 2000 + (unsigned)step);
   const unsigned kind = roll(&dice, world.wild ? 24 : 20);
   const int program = pick_program(&dice, kind == 0 || kind == 1);
   if (world.verbose)
      fprintf(stderr, "step %d: kind %u, program %d\n", step, kind, program);
   if (kind < 2 && program >= 0)
      dispatch(&world, &dice, program);
   else if (kind < 12 && program >= 0)
      draw(&world, &dice, program);
   else if (kind < 15)
      use_framebuffers(&world, &dice);
   else if (kind < 17)
      update_texture(&world, &dice);
   else if (kind < 20)
      update_buffer(&world, &dice);
   else
      call_at_random(&world, &dice);
   const GLuint error = glGetError();
   if (!world.wild)
      dump_record(&world, "error", 'u', 0, &error, 1);
}

static void
run_seed(const struct egl *egl, unsigned long seed)
{
   world.seed = seed;
   printf("seed %lu\n", seed);
   fflush(stdout);
   EGLContext context = egl_create_context(egl, false, 3, 2, EGL_NO_CONTEXT);
   egl_make_current(egl, context);
   create_objects(&world);
   for (int i = 0; i < PROGRAMS; i++)
      create_program(&world, i);
   require(glGetError() == GL_NO_ERROR, "seed %lu: an error while objects are created", seed);
   struct dice dice = dice_of(seed, 1);
   const int steps = 6 + (int)roll(&dice, MAX_STEPS - 6);
   for (int step = 0; step < steps; step++) {
      if (step >= first_step && step <= last_step)
         take_step(step);
   }
   if (world.wild)
      glFinish();
   else
      dump_results(&world);
   delete_objects(&world);
   egl_make_current(egl, EGL_NO_CONTEXT);
   require(eglDestroyContext(egl->display, context), "eglDestroyContext");
}

int
main(int argc, char **argv)
{
   int i = 1;
   for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
      if (!strcmp(argv[i], "--wild"))
         world.wild = true;
      else if (!strcmp(argv[i], "--verbose"))
         world.verbose = true;
      else if (!strcmp(argv[i], "--dump") && i + 1 < argc)
         world.dump = fopen(argv[++i], "wb");
      else if (!strcmp(argv[i], "--steps") && i + 1 < argc)
         require(sscanf(argv[++i], "%d-%d", &first_step, &last_step) == 2, "--steps A-B");
      else
         stop("%s: no such option", argv[i]);
   }
   require(i < argc, "usage: driver [--wild] [--dump FILE] [--verbose] [--steps A-B] FIRST [COUNT]");
   const unsigned long first = strtoul(argv[i], NULL, 0),
                       count = i + 1 < argc ? strtoul(argv[i + 1], NULL, 0) : 1;
   struct egl egl = egl_open((struct surface_request){SURFACELESS});
   for (unsigned long seed = first; seed < first + count; seed++)
      run_seed(&egl, seed);
   egl_close(&egl);
   if (world.dump)
      require(fclose(world.dump) == 0, "the dump cannot be written");
   return 0;
}
