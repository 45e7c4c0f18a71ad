/* SPDX-License-Identifier: MIT */
/**
 * The fate of stores by render passes: which pass is the first to read one, or replaces it before anything has read it.
 *
 * The advice (advice/advice.h) and the attribution by passes (gpu/attribution_writer.h) use this, so that a report
 * says the same about a store as the advice.
 *
 * A store is of an attachment of a pass: of all layers of it. It is read where a pass loads one of them, or has the resource
 * bound as a texture or an image, and where CM_NAME_READ says so. It is replaced where later passes
 * clear or draw over each of its images as a whole, without loading it. Where a pass draws over a part of an image, the rest is
 * kept, and a window is shown when a frame ends: both are needed.
 */
#ifndef CM_CONTENTS_H
#define CM_CONTENTS_H

#include "events/event_stream.h"

struct cm_contents;

enum cm_store_fate {
   CM_STORE_READ,     /**< it is read for the first time */
   CM_STORE_KEPT,     /**< it is shown, or a part of it stays when the rest is replaced: it was needed */
   CM_STORE_REPLACED, /**< all of it is replaced, and nothing has read it: it was not needed */
};

/** What is known of a store from now on. */
struct cm_store_end {
   uint64_t pass;     /**< that stored: its number in the stream, from 0 */
   uint32_t resource; /**< that it stored to */
   uint8_t slot;      /**< of the attachment (cm_pass_attachment) */
   enum cm_store_fate fate;
};

/** Of a stream from its first pass on. NULL when out of memory. */
struct cm_contents *cm_contents_create(void);
void cm_contents_destroy(struct cm_contents *contents);

/** A definition; if a resource has several, the first one counts. False when out of memory. */
bool
cm_contents_define_resource(struct cm_contents *contents, const struct cm_resource_description *resource);

/** Something outside of passes reads a resource. False when out of memory. */
bool cm_contents_read(struct cm_contents *contents, uint32_t resource);
/** The next pass: first what its shaders read, then what becomes of its attachments. stored: bits of those that it stores,
 * by number (cm_pass_attachment). False when out of memory. */
bool cm_contents_pass_reads(struct cm_contents *contents, const struct cm_pass *pass);
bool cm_contents_pass_stores(struct cm_contents *contents, const struct cm_pass *pass, uint16_t *stored);
/** A frame ends: the content of windows is shown. False when out of memory. */
bool cm_contents_frame_end(struct cm_contents *contents);

/** The stores that have ended since the last call; valid until the next call of any function. */
const struct cm_store_end *cm_contents_ends(struct cm_contents *contents, uint32_t *count);

/** Whether an attachment has all that a pass has stored in it, and nothing has read it. */
bool
cm_contents_has_unread(struct cm_contents *contents, const struct cm_attachment *attachment, uint64_t pass);
#endif
