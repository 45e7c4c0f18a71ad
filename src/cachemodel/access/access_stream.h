/* SPDX-License-Identifier: MIT */
/**
 * The access stream: what passes from the units that are private to a stage or a processor to the caches and the
 * memory that all share, in order.
 *
 * A private cache that misses, and a stream that begins at a shared cache or at memory, append an entry instead of
 * calling into the shared side (memory/shared_side.h), which takes the entries a batch at a time. Hits in private
 * caches make no entry. The order is that of the consumer: whatever the threads, an entry stands behind everything
 * that the units did before it.
 *
 * Readers of the stream get the same entries, each with what it causes on the shared side right behind it: a block
 * that the L2 does not have is a READ at the L2, then a DRAM_READ. Without readers nobody writes down what can only
 * be read: accesses to memory, lookups in private caches, marks.
 */
#ifndef CM_ACCESS_STREAM_H
#define CM_ACCESS_STREAM_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/units.h"

/** What an access to a cache does. */
enum cm_access {
   CM_READ,
   CM_WRITE,       /**< writes a part of a block */
   CM_WRITE_BLOCK, /**< writes a whole block: nothing of it has to be read */
};

/** What an entry says. The first three are enum cm_access. */
enum cm_entry_kind {
   CM_ENTRY_READ = CM_READ,   /**< a block is read of a cache: of which unit, and which instance of it */
   CM_ENTRY_WRITE = CM_WRITE, /**< a part of a block is written to it */
   CM_ENTRY_WRITE_BLOCK = CM_WRITE_BLOCK, /**< a whole block is, or a dirty one is written back to it */
   CM_ENTRY_DRAM_READ,                    /**< bytes are read from memory: 1 << instance of them */
   CM_ENTRY_DRAM_WRITE,                   /**< they are written there */
   CM_ENTRY_RANGE,                        /**< value: where the range begins that the next entry speaks of */
   CM_ENTRY_INVALIDATE, /**< all instances of a unit drop the blocks of the range; address: of its last byte */
   CM_ENTRY_PARAMETER_BUFFER, /**< unit: enum cm_parameter_buffer_event */
   CM_ENTRY_ORIGIN, /**< unit: enum cm_origin; value: its number. All accesses behind it are caused by this draw,
                     * resource or tile, up to the next entry of the same enum cm_origin. */
   /* Where a reader asks for them (cm_access_reader.requests). */
   CM_ENTRY_GROUP, /**< the lookups from here on begin together: a footprint's, a program's, a PMD's, a primitive's
                    * attributes; value: how many stand before what they cause */
   CM_ENTRY_LOOKUP, /**< a block is looked up in a first texture cache, hit or miss; one of a group */
   CM_ENTRY_REQUEST, /**< a block is requested of a NUCA by the group's processor; instance: the cache that serves it.
                      * What that causes stands behind it. */
   CM_ENTRY_MARK, /**< unit: enum cm_mark */
   CM_ENTRY_KIND_COUNT
};
#define CM_ENTRY_LAST_ACCESS CM_ENTRY_WRITE_BLOCK

/** What happens to the Parameter Buffer: what a shared cache of the policy tcor has to know, in order (memory/liveness.h).
 * Written where there is such a cache. */
enum cm_parameter_buffer_event {
   CM_PARAMETER_BUFFER_BEGIN, /**< a pass begins; value: its tiles; range: its attribute blocks, from 0 on */
   /** A primitive is written; range: its first attribute block; instance: how many it has; value: the position of
    * its last tile in the traversal. */
   CM_PARAMETER_BUFFER_PRIMITIVE,
   CM_PARAMETER_BUFFER_TILE_DONE, /**< value: the tile's position in the traversal */
   CM_PARAMETER_BUFFER_END,
};

/** What causes accesses. The format has them and every reader passes over them; nothing writes them so far. */
enum cm_origin {
   CM_ORIGIN_DRAW,     /**< number in the pass */
   CM_ORIGIN_RESOURCE, /**< ID in the event stream */
   CM_ORIGIN_TILE,     /**< row-major number */
   CM_ORIGIN_COUNT
};

/** What the pipeline has come to. Written where somebody reads the stream. */
enum cm_mark {
   CM_MARK_TILE_BEGIN, /**< value: the tile's number */
   CM_MARK_TILE_END,
   CM_MARK_PASS_END,
   CM_MARK_FRAME_END,
   CM_MARK_ITEM, /**< an item of the pipeline has come to some point (timing/log.h); where a reader asks for it */
};

/**
 * An entry:
 *    bits  0 … 43  its value; of an access the byte address without its lowest CM_ENTRY_ADDRESS_SHIFT bits
 *         44 … 48  the stream
 *         49 … 52  the kind
 *         53 … 58  the instance of the unit; of an access to memory the binary logarithm of its bytes
 *         59 … 63  the unit
 * so that one comparison tells an access to some cache from all other entries (cm_entry_access_to).
 */
typedef uint64_t cm_entry;

/** No block is smaller. */
#define CM_ENTRY_ADDRESS_SHIFT 4
#define CM_ENTRY_VALUE_BITS 44
#define CM_ENTRY_STREAM_SHIFT 44
#define CM_ENTRY_KIND_SHIFT 49
#define CM_ENTRY_INSTANCE_SHIFT 53
#define CM_ENTRY_UNIT_SHIFT 59
static_assert(CM_UNIT_COUNT <= 32, "a unit has 5 bits");
static_assert(CM_STREAM_COUNT <= 32, "a stream has 5 bits");
static_assert(CM_ENTRY_KIND_COUNT <= 16, "a kind has 4 bits");

/** Any entry. value: below 1 << CM_ENTRY_VALUE_BITS; unit: below 32; instance: below 64. */
static inline cm_entry
cm_entry_make(enum cm_entry_kind kind, unsigned unit, unsigned instance, enum cm_stream stream,
              uint64_t value)
{
   return value | (uint64_t)instance << CM_ENTRY_INSTANCE_SHIFT | (uint64_t)unit << CM_ENTRY_UNIT_SHIFT |
          (uint64_t)stream << CM_ENTRY_STREAM_SHIFT | (uint64_t)kind << CM_ENTRY_KIND_SHIFT;
}

static inline enum cm_entry_kind
cm_entry_kind(cm_entry entry)
{
   return (enum cm_entry_kind)(entry >> CM_ENTRY_KIND_SHIFT & 15);
}

static inline unsigned
cm_entry_unit(cm_entry entry)
{
   return (unsigned)(entry >> CM_ENTRY_UNIT_SHIFT);
}

static inline unsigned
cm_entry_instance(cm_entry entry)
{
   return entry >> CM_ENTRY_INSTANCE_SHIFT & 63;
}

static inline enum cm_stream
cm_entry_stream(cm_entry entry)
{
   return (enum cm_stream)(entry >> CM_ENTRY_STREAM_SHIFT & 31);
}

static inline uint64_t
cm_entry_value(cm_entry entry)
{
   return entry & ((1ull << CM_ENTRY_VALUE_BITS) - 1);
}

/** The byte address, rounded down to a multiple of 1 << CM_ENTRY_ADDRESS_SHIFT. */
static inline uint64_t
cm_entry_address(cm_entry entry)
{
   return cm_entry_value(entry) << CM_ENTRY_ADDRESS_SHIFT;
}

/** What all accesses to an instance of a cache have in common. */
static inline cm_entry
cm_entry_cache(unsigned unit, unsigned instance)
{
   return cm_entry_make((enum cm_entry_kind)0, unit, instance, (enum cm_stream)0, 0);
}

/** An access to a cache that cm_entry_cache has named. */
static inline cm_entry
cm_entry_access(cm_entry cache, enum cm_access access, enum cm_stream stream, uint64_t address)
{
   return cache | address >> CM_ENTRY_ADDRESS_SHIFT | (uint64_t)stream << CM_ENTRY_STREAM_SHIFT |
          (uint64_t)access << CM_ENTRY_KIND_SHIFT;
}

/** What an entry does that is an access to the same cache as another access; more than CM_ENTRY_LAST_ACCESS: it is
 * not. */
static inline unsigned
cm_entry_access_to(cm_entry entry, cm_entry other)
{
   const unsigned kinds = 1u << (CM_ENTRY_INSTANCE_SHIFT - CM_ENTRY_KIND_SHIFT);
   return (unsigned)(entry >> CM_ENTRY_KIND_SHIFT) -
          ((unsigned)(other >> CM_ENTRY_KIND_SHIFT) & ~(kinds - 1));
}

/** An access to memory, of a power of two of bytes. */
static inline cm_entry
cm_entry_dram(bool write, enum cm_stream stream, uint64_t address, uint32_t bytes)
{
   return cm_entry_make(write ? CM_ENTRY_DRAM_WRITE : CM_ENTRY_DRAM_READ, CM_UNIT_DRAM,
                        (unsigned)__builtin_ctz(bytes), stream, address >> CM_ENTRY_ADDRESS_SHIFT);
}

/* ---- batches --------------------------------------------------------------- */

/** Entries on their way: few enough to stay in the caches of the CPU that simulates. */
#define CM_ACCESS_BATCH 1024

struct cm_access_stream {
   cm_entry *entries; /**< room for `capacity` of them */
   uint32_t count, capacity;
   /** Takes all entries and sets count to 0; called when there is no more room. */
   void (*take)(void *context, struct cm_access_stream *stream);
   void *context;
};

/** Makes a stream without entries; false when out of memory. */
bool cm_access_stream_init(struct cm_access_stream *stream,
                           void (*take)(void *context, struct cm_access_stream *stream), void *context);
void cm_access_stream_finish(struct cm_access_stream *stream);

/** Gives all entries to who takes them. */
void cm_access_stream_drain(struct cm_access_stream *stream);

/** Makes room: the next `count` entries, fewer than a batch, stay where they are until another one is appended. */
static inline void
cm_access_stream_reserve(struct cm_access_stream *stream, uint32_t count)
{
   if (stream->capacity - stream->count <= count)
      cm_access_stream_drain(stream);
}

static inline void
cm_access_stream_append(struct cm_access_stream *stream, cm_entry entry)
{
   stream->entries[stream->count++] = entry;
   if (stream->count == stream->capacity)
      cm_access_stream_drain(stream);
}

#endif
