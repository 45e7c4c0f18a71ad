/* SPDX-License-Identifier: MIT */
/** The texture unit alone, compiled once for each vector feature level with
 * TBR_ISA set to the level's name, as tbr_isa.c compiles it. */
#include "tbr_texture_sample.c"

#include "texture_test.h"

#define PASTE(a, b) a##b
#define NAME(isa) PASTE(texture_isa_, isa)

tbr_sample_function
NAME(TBR_ISA)(struct tbr_texture_binding *binding)
{
   return texture_choose_sampler(binding);
}
