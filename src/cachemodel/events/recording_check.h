/* SPDX-License-Identifier: MIT */
/**
 * What a consumer of events (gpu/gpu.h) takes for granted. A renderer keeps to it; what
 * comes from a file is validated. Functions return NULL, or the error.
 */
#ifndef CM_RECORDING_CHECK_H
#define CM_RECORDING_CHECK_H

#include "events/event_stream.h"

const char *cm_check_resource(const struct cm_resource_description *resource);

/** Sizes and numbers of tiles, which the rest depends on. */
const char *cm_check_pass_size(const struct cm_pass *pass);

/** Draws, primitives and their tiles; not the tiles' events. */
const char *cm_check_pass(const struct cm_pass *pass);

#endif
