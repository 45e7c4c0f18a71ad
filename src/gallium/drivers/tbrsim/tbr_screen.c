/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include "tbr_public.h"
struct pipe_screen *
tbrsim_create_screen(struct sw_winsys *winsys)
{
   (void)winsys;
   return NULL;
}
