/* SPDX-License-Identifier: MIT */
/**
 * A batch: all that has been drawn into one framebuffer since it was bound or
 * flushed; becomes one render pass. Recorded by a context, then submitted to the
 * screen's renderer, which renders batches one after another.
 */
#ifndef TBR_BATCH_H
#define TBR_BATCH_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "pipe/p_state.h"
#include "util/u_dynarray.h"
#include "pass/tbr_pass_events.h"
#include "tile/tbr_job.h"

struct tbr_context;
struct tbr_resource;
struct tbr_storage;
struct tbr_fragment_shader;
struct linear_ctx;

/** Attribute blocks a page of PB-Attributes holds. */
#define TBR_PAGE_SHIFT 12
#define TBR_PAGE_BLOCKS (1u << TBR_PAGE_SHIFT)

/** State of a batch, which its context changes. */
enum tbr_batch_state {
   TBR_BATCH_FREE,      /**< in its context's list, or being set up */
   TBR_BATCH_RECORDING, /**< accepts draws */
   TBR_BATCH_SUBMITTED, /**< constant, until its job is retired */
};

/** A batch and everything it needs until it is rendered. Objects are recycled by
 * their context with all their memory. */
struct tbr_batch {
   struct tbr_batch *next; /**< in the context's list of free ones */
   struct tbr_context *context;
   enum tbr_batch_state state;
   uint64_t sequence;
   uint32_t frame;
   struct tbr_job job; /**< from submission on */

   struct tbr_pass pass;
   struct pipe_surface *surfaces[TBR_NUM_ATTACHMENTS]; /**< by enum tbr_attachment_number; referenced */
   struct pipe_resource
      *resolved[PIPE_MAX_COLOR_BUFS]; /**< to which colour buffers are resolved; referenced */
   unsigned
      stored;  /**< mask of surfaces that the pass stores or resolves into themselves, once it is submitted */
   bool drawn; /**< it has a draw */
   bool invalidated;      /**< some attachment, since the last draw or clear */
   bool stores;           /**< a draw's shader may store to buffers or images: one worker renders it */
   bool closed;           /**< its samples have been resolved: no more draws and clears */
   unsigned cleared;      /**< PIPE_CLEAR_* that tiles start with */
   unsigned read;         /**< PIPE_CLEAR_* bits of the buffers that a draw depends on */
   unsigned written;      /**< PIPE_CLEAR_* bits of the buffers that a draw may change */
   uint32_t pixel_local;  /**< mask of the attachments that are planes of pixel local storage */
   bool pixel_local_lost; /**< nothing depends on their content any more */
   unsigned stale_fronts; /**< mask of surfaces, see tbr_batch_refresh_fronts */

   /** Of its last draw whose fragment shader accesses memory by address; NULL: none does. */
   const struct tbr_address_table *addresses;

   /* Parameter Buffer. */
   struct util_dynarray pages; /**< struct cm_pb_attribute_block * */
   uint32_t num_blocks;
   uint64_t last_polygon; /**< tbr_binning.polygon of the last primitive */
   uint32_t max_attributes;
   uint32_t most_blocks;              /**< that there would have been with each primitive, drawn or dropped */
   struct util_dynarray first_blocks; /**< uint32_t, a primitive's ID */
   struct cm_pb_lists *lists;
   struct util_dynarray traversal; /**< uint32_t, tiles in the order of rendering */
   struct util_dynarray position;  /**< uint32_t, of a tile in the traversal */

   /* Draws. */
   void *memory; /**< ralloc context of what follows */
   struct linear_ctx *arena;
   struct util_dynarray states;   /**< const struct tbr_draw_state * */
   struct util_dynarray storages; /**< struct tbr_storage *, referenced */
   uint64_t referenced_bytes;     /**< of those that are not attachments */
   struct util_dynarray shaders;  /**< struct tbr_fragment_shader *, referenced */
   struct util_dynarray sinks;    /**< struct tbr_fragment_sink *, [0] unused; referenced */
   struct tbr_batch_time *time;   /**< NULL: not requested */

   bool recorded; /**< it is simulated, or in a recording */
   struct tbr_pass_events events;
   struct util_dynarray tile_done; /**< uint8_t, by index in the traversal */
};

/** Changes a batch's state, which must be `from`. */
static inline void
tbr_batch_set_state(struct tbr_batch *batch, ASSERTED enum tbr_batch_state from, enum tbr_batch_state to)
{
   assert(batch->state == from);
   batch->state = to;
}

/** An attribute block of the batch; those of its page follow it. */
static inline struct cm_pb_attribute_block *
tbr_batch_block(const struct tbr_batch *batch, uint32_t block)
{
   assert(block < batch->num_blocks);
   return *util_dynarray_element(&batch->pages, struct cm_pb_attribute_block *, block >> TBR_PAGE_SHIFT) +
          (block & (TBR_PAGE_BLOCKS - 1));
}

/** Keeps a resource's memory, which it returns, alive until the batch is rendered. NULL
 * when out of memory. */
struct tbr_storage *tbr_batch_hold_storage(struct tbr_batch *batch, const struct tbr_resource *resource);
/** Fragment shaders of the batch access memory by address, as context->addresses say now, or store to it as well; these stay
 * until the batch is rendered. False when out of memory. */
bool tbr_batch_use_addresses(struct tbr_batch *batch, bool stores);
void tbr_batch_hold_shader(struct tbr_batch *batch, struct tbr_fragment_shader *shader);
/** Memory that lives as long as the batch. */
void *tbr_batch_allocate(struct tbr_batch *batch, size_t bytes);

/** Frees the context's batches; all have been rendered. */
void tbr_batch_destroy_all(struct tbr_context *context);

/** The context's batch for its bound framebuffer; a new one if there is none or the last
 * is closed or full. NULL when out of memory. */
struct tbr_batch *tbr_batch_get(struct tbr_context *context);

/** Makes the surface, or a plane of pixel local storage, an attachment of a batch that has none of that number.
 * batch->storages has space for it. */
void tbr_batch_attach(struct tbr_context *context, struct tbr_batch *batch, struct pipe_surface *surface,
                      enum tbr_attachment_number i);

/** Front buffers whose window may have changed since they were displayed are read
 * from it before the first draw to them, not sooner: there need not be a window on
 * the screen to read from yet. */
void tbr_batch_refresh_fronts(struct tbr_batch *batch);

/** Clears whole attachments (PIPE_CLEAR_*) if nothing has been drawn to them in
 * this batch, or nothing that matters after the clear; returns the buffers it could
 * not clear that way (those must be drawn). */
unsigned tbr_batch_clear(struct tbr_context *context, unsigned buffers, const union pipe_color_union *color,
                         double depth, unsigned stencil);

/** Once all draws have been binned: PMDs of the batch's primitives into the tiles' lists, and the last tile's ID into each
 * attribute block (TCOR III-D1). False when out of memory. */
bool tbr_batch_write_lists(struct tbr_batch *batch, enum cm_pb_layout layout);
/** Reports the batch as it is submitted (TBR_DEBUG_PASSES), and selects the tile of it to be dumped, if any. */
void tbr_batch_debug(struct tbr_batch *batch);

/** Flushes draw and submits the context's batch, if there is one, to the renderer. reason: why no more is drawn into it. */
void tbr_batch_flush(struct tbr_context *context, enum cm_end_reason reason);
/** Waits until a batch is rendered, which is submitted first if it is being recorded; 0: none. */
void tbr_batch_finish(struct tbr_context *context, uint64_t sequence, enum cm_end_reason reason);
/** Like tbr_batch_flush, without flushing draw, which may be the caller. */
void tbr_batch_submit(struct tbr_context *context, enum cm_end_reason reason);

/** A copy to another framebuffer begins, which need not end the batch: sets it aside. If the copy accesses what the batch
 * writes, or writes what it reads, the batch is submitted first. */
void tbr_batch_set_aside(struct tbr_context *context);
/** The copy has been submitted: continues with the batch, unless that has been submitted, too. */
void tbr_batch_resume(struct tbr_context *context);
/** Submits the batch that is set aside. */
void tbr_batch_submit_aside(struct tbr_context *context, enum cm_end_reason reason);

/** Records that the batch reads a resource; its memory is returned and stays alive as long
 * as the batch. NULL when out of memory. */
struct tbr_storage *tbr_batch_reads(struct tbr_batch *batch, struct tbr_resource *resource);

void tbr_fragment_sink_release(struct tbr_fragment_sink *sink);
/** The batch's time, which the caller returns; NULL when out of memory. */
struct tbr_batch_time *tbr_batch_hold_time(struct tbr_batch *batch);
void tbr_batch_time_release(struct tbr_batch_time *time);
/** The counter (tbr_draw_state) whose sum is added to *sink when the batch has been
 * rendered; 0 if sink is NULL. */
uint32_t tbr_batch_fragment_counter(struct tbr_batch *batch, struct tbr_fragment_sink *sink);

/** The attachment is about to be overwritten or discarded: its content need not
 * be stored, nor be loaded before it has been drawn to again (invalidate_resource). */
void tbr_batch_invalidate(struct tbr_context *context, struct tbr_resource *resource);
/** Resolves a rectangle of a multisampled colour attachment of the batch being recorded
 * into a single-sampled image, at the end of each tile and from the tile buffers. The
 * batch accepts no more draws after that. False if the blit is not such a resolve, or
 * the batch cannot do it: then it must be drawn. */
bool tbr_batch_resolve(struct tbr_context *context, const struct pipe_blit_info *blit);
/** Colour buffers with fewer samples than the pass are resolved, not stored. */
void tbr_batch_resolve_single_sampled(struct tbr_batch *batch);
/** Marks the tiles of a resolve as touched. */
void tbr_batch_touch_resolved(struct tbr_batch *batch, const struct tbr_resolve *resolve);
/** The attachments get new content, which must be stored again. */
void tbr_batch_revalidate(struct tbr_batch *batch);
/** Whether draws of the batch read the memory (or it is an attachment). */
bool tbr_batch_holds(const struct tbr_batch *batch, const struct tbr_storage *storage);

#endif
