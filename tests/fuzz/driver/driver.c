/* SPDX-License-Identifier: MIT */
/* driver [--desktop] [--wild] [--dump FILE] [--verbose] [--steps A-B] FIRST [COUNT]: random OpenGL ES 3.2 that seeds repeat;
 * with --desktop OpenGL 4.5, half of it in the compatibility profile.
 *
 * Each seed has a context, textures, framebuffers, programs (shaders.h) and steps on them: draws, dispatches, clears,
 * copies, updates. Without --wild all results are defined and written to FILE: half of the seeds' within a tolerance, so that
 * drivers can be compared, the others' as a driver chooses, always in the same way (shaders.h). With it calls and shaders may
 * be anything, and must do no harm. --steps leaves out the other steps, which
 * changes nothing about those that stay. Prints a line before each seed. */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/egl.h"
#include "desktop.h"

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
finish_step(void)
{
   const GLuint error = glGetError();
   if (world.verbose && error)
      fprintf(stderr, "error 0x%x\n", error);
   if (!world.wild)
      dump_record(&world, "error", 'u', 0, &error, 1);
}

static void
take_step(int step)
{
   struct dice dice = dice_of(world.seed, 2000 + (unsigned)step);
   const unsigned kind = roll(&dice, world.wild ? 24 : 20);
   if (world.compatible && chance(&dice, 30)) {
      if (world.verbose)
         fprintf(stderr, "step %d: fixed functions\n", step);
      use_fixed_functions(&world, &dice);
      finish_step();
      return;
   }
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
   else if (world.compatible || (world.desktop && chance(&dice, 60)))
      /* In the compatibility profile, others would read memory of the program where no buffer is bound. */
      call_desktop_at_random(&world, &dice);
   else
      call_at_random(&world, &dice);
   finish_step();
}

static void
run_seed(const struct egl *egl, unsigned long seed)
{
   struct dice kinds = dice_of(seed, 2);
   world.seed = seed;
   world.loose = world.wild || chance(&kinds, 50);
   world.compatible = world.desktop && chance(&kinds, 50);
   printf("seed %lu\n", seed);
   fflush(stdout);
   EGLContext context = world.compatible ? egl_create_compatible_context(egl, 4, 5)
                        : world.desktop  ? egl_create_context(egl, true, 4, 5, EGL_NO_CONTEXT)
                                         : egl_create_context(egl, false, 3, 2, EGL_NO_CONTEXT);
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
      else if (!strcmp(argv[i], "--desktop"))
         world.desktop = true;
      else if (!strcmp(argv[i], "--verbose"))
         world.verbose = true;
      else if (!strcmp(argv[i], "--dump") && i + 1 < argc)
         world.dump = fopen(argv[++i], "wb");
      else if (!strcmp(argv[i], "--steps") && i + 1 < argc)
         require(sscanf(argv[++i], "%d-%d", &first_step, &last_step) == 2, "--steps A-B");
      else
         stop("%s: no such option", argv[i]);
   }
   require(i < argc,
           "usage: driver [--desktop] [--wild] [--dump FILE] [--verbose] [--steps A-B] FIRST [COUNT]");
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
