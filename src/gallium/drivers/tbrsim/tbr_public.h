/* SPDX-License-Identifier: MIT */
#ifndef TBR_PUBLIC_H
#define TBR_PUBLIC_H

struct pipe_screen;
struct sw_winsys;

/* Creates the simulated GPU on top of a software window system. NULL when the
 * configuration in the environment is wrong (said on stderr). */
struct pipe_screen *tbrsim_create_screen(struct sw_winsys *winsys);

#endif
