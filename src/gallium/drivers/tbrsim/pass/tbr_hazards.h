/* SPDX-License-Identifier: MIT */
/**
 * Hazards: each batch (pass/tbr_batch.h) has a sequence number. A resource has
 * the last batch that reads and the last that writes it; an access by the CPU
 * waits for exactly that batch (tbr_resource_wait), flushing it first if
 * it is still being recorded. A buffer or texture that is discarded as a whole
 * gets new memory instead (orphaning), one that is changed in part while the
 * batch being recorded reads it a copy (shadowing). Whether that happens depends
 * on what has been recorded, never on how far rendering is: new memory is a new
 * resource of the event stream.
 */
#ifndef TBR_HAZARDS_H
#define TBR_HAZARDS_H

#include <stdbool.h>
#include <stdint.h>

#include "events/event_stream.h"

struct tbr_context;
struct tbr_resource;
struct tbr_screen;

/** The context's batch of that sequence number reads the resource. */
void
tbr_resource_note_read(const struct tbr_context *context, struct tbr_resource *resource, uint64_t sequence);

/** Makes the resource's memory safe to read (for_write false: waits for the last
 * writer) or to write (true: waits for readers too) by the CPU. reason: why the batch being recorded ends, if it has to. */
void tbr_resource_wait(struct tbr_context *context, struct tbr_resource *resource, bool for_write,
                       enum cm_end_reason reason);

/** Gives the resource fresh, zeroed memory if batches have used the old one. False
 * when out of memory or it cannot (display targets, persistent mappings). */
bool tbr_resource_orphan(struct tbr_context *context, struct tbr_resource *resource);

/** Makes the resource's memory safe to be written by the CPU, by giving it a copy
 * of its memory if the batch being recorded reads it, else by waiting. */
void tbr_resource_prepare_write(struct tbr_context *context, struct tbr_resource *resource,
                                enum cm_end_reason reason);

/** A front buffer that has not been drawn to since it was displayed gets the
 * window's content, which a buffer swap may have changed. Others stay as they are. */
void tbr_resource_refresh_front(struct tbr_context *context, struct tbr_resource *resource);

/** A batch's fragment shaders access memory by address (state/tbr_addresses.h). */
void tbr_addresses_note_use(struct tbr_screen *screen, uint64_t sequence);
/** They may store to a buffer that has an address. */
void tbr_addresses_note_store(struct tbr_screen *screen, uint64_t sequence);
/** Before what has an address is accessed at once: waits for batches that may store to it and, for_write, for all that use it.
 * With CM_END_DRAW not for the batch that is being recorded: in Vulkan neither vertices nor parameters of a draw can depend on
 * what fragments of the same pass store, or change what they load. */
void tbr_addresses_wait(struct tbr_context *context, bool for_write, enum cm_end_reason reason);

/** The resource is destroyed, or becomes another one in the event stream: no draw names it any more. */
void tbr_resource_note_gone(const struct tbr_resource *resource);
/** Tells the model which resources no pass names any more that comes now. With the screen's submit_lock. */
void tbr_resource_forget_gone(struct tbr_screen *screen);

#endif
