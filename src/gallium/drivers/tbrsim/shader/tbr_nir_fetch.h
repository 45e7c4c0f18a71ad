/* SPDX-License-Identifier: MIT */
/** Framebuffer fetch: what shaders read of the attachments, as inputs. */
#ifndef TBR_NIR_FETCH_H
#define TBR_NIR_FETCH_H

#include "nir.h"
#include "tile/tbr_fragment.h"

/** Turns reads of the framebuffer's values (gl_LastFragData, inout outputs, the destination of advanced
 * blend equations, gl_LastFragDepthARM, gl_LastFragStencilARM) into reads of the input slots base +
 * one of enum tbr_attachment_number, and outputs that can only be read into nothing. Returns a mask of the
 * values read. */
uint32_t tbr_nir_lower_framebuffer_fetch(nir_shader *nir, unsigned base);

/** Takes the evaluation of advanced blend equations, which Mesa appends to shaders that may be used with them,
 * out of a shader again. True if it was in it. */
bool tbr_nir_drop_blend_equation(nir_shader *nir);

#endif
