/* SPDX-License-Identifier: MIT */
/** What seeds of OpenGL do in addition to what those of OpenGL ES do (world.h). */
#ifndef FUZZ_DESKTOP_H
#define FUZZ_DESKTOP_H

#include "world.h"

/** The objects of a seed that only OpenGL has. */
void create_desktop_objects(struct world *world, struct dice *dice);
void delete_desktop_objects(struct world *world);

/** Binds them for a program that is in use, and chooses its subroutine. */
void bind_desktop_objects(struct world *world, struct dice *dice, const struct program *program);

/** Sets the state that only OpenGL has; set_state has set the rest. */
void set_desktop_state(struct world *world, struct dice *dice, const struct program *program);

/** What set_desktop_state may have enabled is disabled. */
void reset_desktop_state(void);

/** Draws by one of the calls that only OpenGL has. */
void draw_desktop(struct world *world, struct dice *dice, GLenum mode, GLsizei count);

/** A step without a program: the fixed functions of the compatibility profile. */
void use_fixed_functions(struct world *world, struct dice *dice);

/** A call of arbitrary arguments. */
void call_desktop_at_random(struct world *world, struct dice *dice);

/** What its objects hold, to the dump. */
void dump_desktop_results(struct world *world);

#endif
