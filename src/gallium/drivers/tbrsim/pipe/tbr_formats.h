/* SPDX-License-Identifier: MIT */
/** Which formats the simulated GPU supports, by their channels. */
#ifndef TBR_FORMATS_H
#define TBR_FORMATS_H

#include <stdbool.h>

#include "util/format/u_formats.h"

struct util_format_description;

/** Whether any channel that holds something is 64 bits wide. */
bool tbr_format_has_wide_channels(const struct util_format_description *description);
/** Whether pixels are three channels that real GPUs, too, pad to four: narrower than 32 bits. */
bool tbr_format_is_odd_rgb(const struct util_format_description *description);
/** Whether a colour buffer can have the format. */
bool tbr_format_is_color_renderable(enum pipe_format format);
/** Whether a depth or stencil buffer can have the format. */
bool tbr_format_is_depth_stencil(enum pipe_format format);

#endif
