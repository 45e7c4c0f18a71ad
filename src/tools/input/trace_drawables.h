/* SPDX-License-Identifier: MIT */
/** The windows and pbuffers that a trace draws on. Traces have the sizes of pbuffers, but windows are made by calls that
 * are not traced; a window's size follows, frame by frame, from:
 *  - what the program asks EGL or GLX for, and the viewport of a context that becomes current for the first time, which
 *    apitrace traces as a call of the program's;
 *  - else the viewports that are drawn with. Together they cover the window where one of them has its corner at 0, 0;
 *    the window is smaller than before then, too. It has at least their extent otherwise;
 *  - else the one that it is cleared with;
 *  - else the frame before it; before the first of these, the frame after it. */
#ifndef TRACE_DRAWABLES_H
#define TRACE_DRAWABLES_H

#include <stdbool.h>
#include <stdio.h>

/** The calls that are looked at, alternatives of a regular expression of functions' names. */
#define TRACE_DRAWABLES_CALLS                                                                                \
   "egl(MakeCurrent|ReleaseThread|CreateContext|Create\\w*Surface\\w*|QuerySurface|SwapBuffers\\w*)"         \
   "|wglMakeCurrent|wglSwapBuffers|CGLFlushDrawable"                                                         \
   "|glX(MakeCurrent|MakeContextCurrent|MakeCurrentReadSGI|Create\\w+|QueryDrawable|SwapBuffers)"            \
   "|glBindFramebuffer\\w*|glViewport\\w*|glBlit\\w*Framebuffer\\w*|glClear(Buffer\\w+)?|glBegin|glRect\\w+" \
   "|glCallLists?|glDrawPixels|glBitmap|gl(Multi)?Draw(Arrays|Elements|RangeElements)\\w*"

struct trace_drawables;

struct trace_drawables *trace_drawables_create(void);
void trace_drawables_destroy(struct trace_drawables *drawables);

/** Takes the next call, as `apitrace dump --multiline=no --thread-ids=yes` prints it; others than those are ignored. */
void trace_drawables_take(struct trace_drawables *drawables, const char *call);

/** After the last call: what has been drawn since the last swaps counts, too. */
void trace_drawables_end(struct trace_drawables *drawables);

/** The number of frames that windows' swaps end. */
unsigned trace_drawables_count_frames(const struct trace_drawables *drawables);

/** The number of the call that ends a frame; without frames, of the last one that draws, 0 where none does. */
unsigned trace_drawables_frame_end(const struct trace_drawables *drawables, unsigned frame);

/** Whether some are eglSwapBuffersWithDamageKHR or …EXT, which apitrace's replayers leave out. */
bool trace_drawables_have_damage(const struct trace_drawables *drawables);

/** Writes a line for each size that a drawable has from so many swaps on, for the replayer (TBRSIM_DRAWABLES): its number
 * in the order in which they become current, from 1; the swaps; width, height; and whether it is swapped. */
void trace_drawables_write(const struct trace_drawables *drawables, FILE *file);

#endif
