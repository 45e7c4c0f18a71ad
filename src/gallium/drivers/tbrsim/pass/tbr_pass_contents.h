/* SPDX-License-Identifier: MIT */
/** What is needed to describe the contents of a pass' tiles (tile/tbr_tile_content.h), and inputs of the same pass in earlier
 * frames. */
#ifndef TBR_PASS_CONTENTS_H
#define TBR_PASS_CONTENTS_H

#include <stdint.h>

struct pipe_sampler_view;
struct tbr_batch;
struct tbr_context;
struct tbr_screen;

/** The batch is about to be submitted: from then on its tiles have contents, if they are asked for. Called with the screen's
 * submit_lock, in the order of submission. */
void tbr_pass_contents_begin(struct tbr_screen *screen, struct tbr_batch *batch);
/** The batch is not used any more. */
void tbr_pass_contents_end(struct tbr_batch *batch);
/** Frees what is kept of earlier frames. No batch is in use. */
void tbr_pass_contents_finish_screen(struct tbr_screen *screen);

/** A signature of a texture's contents as draws of the batch that is being recorded see them; TBR_UNKNOWN_SIGNATURE: unknown. */
uint64_t tbr_texture_inputs(const struct pipe_sampler_view *view);

#endif
