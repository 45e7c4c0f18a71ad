/* SPDX-License-Identifier: MIT */
/**
 * Compressed formats whose single texels Mesa's util/format cannot read: ETC2, EAC and ASTC (LDR).
 *
 * Such a texture's memory has its blocks and, after them, all its levels decoded, which is what shaders
 * sample. The copy is brought up to date whenever the CPU has written blocks. Nothing of it is in the event
 * stream: there the texture has only its blocks, and the simulated GPU decodes what its caches deliver.
 */
#ifndef TBR_DECODING_H
#define TBR_DECODING_H

#include "util/format/u_formats.h"

struct pipe_box;
struct pipe_sampler_view;
struct tbr_resource;
struct tbr_storage;

/** The format in which a format's blocks are kept decoded; PIPE_FORMAT_NONE if they need not be. */
enum pipe_format tbr_decoded_format(enum pipe_format format);

/** The format of the other sign, by which views may show the same blocks: of EAC's; PIPE_FORMAT_NONE: there is none. Its
 * texels are decoded, too, since they are other ones. */
enum pipe_format tbr_other_sign(enum pipe_format format);

/** What is read in the resource's memory where a view is sampled: the resource's own levels, or their decoded
 * copy if the view shows compressed texels; and the format of what is read. */
const struct tbr_resource *tbr_sampled_resource(const struct pipe_sampler_view *view);
enum pipe_format tbr_sampled_format(const struct pipe_sampler_view *view);

/** Decodes the blocks of a box of a level into the decoded copy in the same memory.
 * \param resource   has a decoded copy (tbr_resource.decoded)
 * \param storage    its memory, or one that it had
 * \param box        texels; from the first of a block to the last of one, or of the level */
void tbr_decode(const struct tbr_resource *resource, const struct tbr_storage *storage, unsigned level,
                const struct pipe_box *box);

#endif
