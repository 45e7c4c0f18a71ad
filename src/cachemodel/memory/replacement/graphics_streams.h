/* SPDX-License-Identifier: MIT */
/** The four streams that GSPC (section 3) divides the accesses to a last-level cache into, "Z, texture
 * sampler, render targets, and the rest", and which of tbrsim's streams belong to them. */
#ifndef CM_REPLACEMENT_GRAPHICS_STREAMS_H
#define CM_REPLACEMENT_GRAPHICS_STREAMS_H

#include "config/units.h"

enum graphics_stream {
   GRAPHICS_STREAM_Z,
   GRAPHICS_STREAM_TEXTURE,
   GRAPHICS_STREAM_RENDER_TARGET,
   GRAPHICS_STREAM_OTHER,
   GRAPHICS_STREAM_COUNT
};

/** The paper's Z stream is that of the Z cache alone: stencil and HiZ have caches and streams of their own
 * (Figures 3 and 4), which belong to "the rest". Displayable colour, where it is cached, is a render target
 * (5.1). */
static inline __attribute__((always_inline)) enum graphics_stream
graphics_stream(enum cm_stream stream)
{
   switch (stream) {
   case CM_STREAM_DEPTH: return GRAPHICS_STREAM_Z;
   case CM_STREAM_TEXTURE: return GRAPHICS_STREAM_TEXTURE;
   case CM_STREAM_COLOR:
   case CM_STREAM_DISPLAY: return GRAPHICS_STREAM_RENDER_TARGET;
   case CM_STREAM_VERTEX:
   case CM_STREAM_INDEX:
   case CM_STREAM_PB_LIST:
   case CM_STREAM_PB_ATTRIBUTE:
   case CM_STREAM_STENCIL:
   case CM_STREAM_HIZ:
   case CM_STREAM_SHADER:
   case CM_STREAM_CONSTANT:
   case CM_STREAM_STORAGE:
   case CM_STREAM_DESCRIPTOR:
   case CM_STREAM_COUNT: break; /* no default: a new stream has to be put somewhere */
   }
   return GRAPHICS_STREAM_OTHER;
}

#endif
