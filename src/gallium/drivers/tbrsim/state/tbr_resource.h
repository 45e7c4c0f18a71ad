/* SPDX-License-Identifier: MIT */
/** Resources: buffers and textures in host memory, linear rows. pass/tbr_hazards.h orders the accesses to them. */
#ifndef TBR_RESOURCE_H
#define TBR_RESOURCE_H

#include "events/event_stream.h"
#include "pipe/p_state.h"
#include "util/u_transfer.h"
#include "tbr_limits.h"

struct sw_displaytarget;
struct sw_winsys;
struct tbr_context;
struct tbr_screen;
struct tbr_signatures;

/** Memory of a resource; batches hold references while they use it. */
struct tbr_storage {
   struct pipe_reference reference; /**< one of the resource's own while it is its memory */
   uint8_t *memory;                 /**< first byte */
   uint64_t bytes;
   void *allocation;                        /**< what to free; NULL: memory belongs to the display target */
   struct sw_winsys *winsys;                /**< of the display target */
   struct sw_displaytarget *display_target; /**< mapped and destroyed with the storage, or NULL */
   struct tbr_signatures *signatures;       /**< of images in it, a list (state/tbr_signatures.h) */
};

struct tbr_resource {
   struct pipe_resource base;
   uint32_t id;                 /**< event-stream identifier; new when the storage is replaced (atomic) */
   struct tbr_storage *storage; /**< changed under the screen's storage_lock, see tbr_resource_hold */
   struct sw_displaytarget *display_target; /**< storage->memory is its mapping */

   uint64_t level_offset[TBR_MAX_LEVELS]; /**< bytes */
   uint32_t row_stride[TBR_MAX_LEVELS];   /**< bytes from row of blocks to row of blocks */
   uint64_t layer_stride[TBR_MAX_LEVELS]; /**< bytes from layer, face or slice to the next */
   uint64_t sample_stride;                /**< bytes from a sample's plane to the next */
   /** Where in the same memory the decoded copy of a compressed texture is (tbr_decoding.h): a resource with a
    * format, a size and a layout, and nothing else; NULL: there is none. The copy's own `decoded` is that of the format
    * of the other sign. */
   struct tbr_resource *decoded;

   uint32_t writes;                /**< how often the CPU or transform feedback began to write it */
   uint64_t last_read, last_write; /**< sequence numbers of batches; 0: none (atomic) */
   /** The context whose batches read it, only compared, as it may be destroyed; TBR_READERS_MANY (atomic). */
   const struct tbr_context *reader;
   uint32_t
      address_number;     /**< of a buffer that has an address (state/tbr_addresses.h): its number; else 0 */
   uint32_t announced_id; /**< the id last announced to the event stream */
   uint32_t label; /**< string of the program's name for it; 0: none (under the screen's announce_mutex) */
   bool undefined; /**< invalidated: the content need not be loaded */
   bool
      stored; /**< by a pass of the event stream, after which the stream has no CM_NAME_READ of it yet (atomic) */

   bool imported; /**< others may write to its memory */

   /** A window's front buffer: what winsys gets its content from; else NULL. */
   const void *front_drawable;
   uint64_t displayed_write; /**< last_write when it was displayed last */
};

/** The value of tbr_resource.reader if several contexts' batches read it. */
#define TBR_READERS_MANY ((const struct tbr_context *)1)

static inline struct tbr_resource *
tbr_resource(struct pipe_resource *resource)
{
   return (struct tbr_resource *)resource;
}

/** First byte of a level and layer in a memory that the resource has or had. */
static inline uint8_t *
tbr_storage_address(const struct tbr_storage *storage, const struct tbr_resource *resource, unsigned level,
                    unsigned layer)
{
   assert(level <= resource->base.last_level);
   return storage->memory + resource->level_offset[level] + layer * resource->layer_stride[level];
}

/** Memory begins at a multiple of this. */
#define TBR_MEMORY_ALIGNMENT 64
/** Zeroed memory, with one reference; NULL when out of memory. */
struct tbr_storage *tbr_storage_create(uint64_t bytes);
void tbr_storage_reference(struct tbr_storage **destination, struct tbr_storage *source);

/** Makes *held a reference to the resource's memory, which another context may replace
 * at any time: readers and writers hold a reference. True if *held was another
 * memory before. Costs nothing if it was not. */
bool tbr_resource_hold(const struct tbr_resource *resource, struct tbr_storage **held);
/** The resource gets other memory of the same size; the reference to it becomes the resource's. */
void tbr_resource_replace_storage(struct tbr_resource *resource, struct tbr_storage *storage);

/** Whether it is a front buffer that has not been drawn to since it was displayed: a swap may have changed the window. */
bool tbr_resource_is_stale_front(const struct tbr_resource *resource);
/** Reads a front buffer's content from its window; nothing that uses the memory may be under way. */
void tbr_resource_read_front(struct tbr_resource *resource);

/** Announces the resource to the event stream, once for each id. Returns the id, which an event that names the resource has:
 * another context may give it a new one at any time. */
uint32_t tbr_resource_announce(struct tbr_context *context, struct tbr_resource *resource);

/** Says in the event stream that the resource is read by what has no events (CM_NAME_READ), if a pass has stored to it
 * since the last time. The context has waited for that pass (tbr_resource_wait). */
void tbr_resource_announce_read(struct tbr_context *context, struct tbr_resource *resource);

/** An event-stream identifier for application memory that a draw reads directly
 * (index arrays): the same for all of it, because its addresses are the host's and
 * must not influence any result. */
uint32_t tbr_resource_user_buffer(struct tbr_context *context);

#endif
