/* SPDX-License-Identifier: MIT */
/**
 * The access stream: the accesses from units that are private to a stage or a processor to shared caches and
 * memory, in order.
 *
 * A private cache that misses, and a stream that begins at a shared cache or at memory, append an entry instead
 * of calling into the shared side (memory/shared_side.h), which takes the entries a batch at a time. Hits in
 * private caches make no entry. The order does not depend on threads: an entry follows everything that the units
 * did before it.
 *
 * Readers of the stream get the same entries, each followed by what it causes on the shared side: a miss in the
 * L2 is a READ at the L2, then a DRAM_READ. Accesses to memory, lookups in private caches and marks are recorded
 * only with readers.
 */
#ifndef CM_ACCESS_STREAM_H
#define CM_ACCESS_STREAM_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "access/origin.h"
#include "config/units.h"

/** What an access to a cache does. */
enum cm_access {
   CM_READ,
   CM_WRITE,       /**< writes a part of a block */
   CM_WRITE_BLOCK, /**< writes a whole block: no fetch is needed */
};

/** Kinds of entries. The first three are enum cm_access. */
enum cm_entry_kind {
   CM_ENTRY_READ = CM_READ,               /**< a read of a block; unit and instance: of the cache */
   CM_ENTRY_WRITE = CM_WRITE,             /**< a write of a part of a block */
   CM_ENTRY_WRITE_BLOCK = CM_WRITE_BLOCK, /**< a write of a whole block, or a write-back */
   CM_ENTRY_DRAM_READ,                    /**< a read of 1 << instance bytes from memory */
   CM_ENTRY_DRAM_WRITE,                   /**< a write of as many */
   CM_ENTRY_RANGE,                        /**< value: begin of the next entry's range */
   CM_ENTRY_INVALIDATE,       /**< all instances of a unit invalidate the range; address: of its last byte */
   CM_ENTRY_PARAMETER_BUFFER, /**< unit: enum cm_parameter_buffer_event */
   CM_ENTRY_ORIGIN, /**< unit: enum cm_origin_part; value: that part of the origin of all accesses after it, up to the
                     * next entry of the same part. Only with attribution (memory/attribution.h). */
   CM_ENTRY_UNIT_ACCESS, /**< an access arrives at an access unit; unit: enum cm_access_unit_number; instance: enum
                          * cm_access. What the unit passes on follows, up to the next one. Only with readers. */
   /* Where a reader asks for them (cm_access_reader.requests). */
   CM_ENTRY_FILL, /**< the reads of headers and bodies that follow make this block of a first texture cache, which it has missed */
   CM_ENTRY_GROUP, /**< the next lookups begin together: of a footprint, a shader, a PMD, a primitive's attributes;
                    * value: how many precede the accesses that they cause; for textures and storage cm_group_make's */
   CM_ENTRY_LOOKUP, /**< a block is looked up in a first texture cache, hit or miss; one of a group */
   CM_ENTRY_REQUEST, /**< a block is requested of a NUCA by the group's processor; instance: the cache that serves it.
                      * What it causes follows. Among what a shading worker lists it is cm_nuca_list's. */
   /** Messages between a NUCA's nodes that no request waits for, after the request that caused them; instance:
    * the sender; value: how many << 8 | the receiver, which is the sender where they go to all nodes. */
   CM_ENTRY_MESSAGE,
   CM_ENTRY_MARK, /**< unit: enum cm_mark */
   CM_ENTRY_KIND_COUNT
};
#define CM_ENTRY_LAST_ACCESS CM_ENTRY_WRITE_BLOCK

/** Events of the Parameter Buffer that a shared cache of the policy tcor or dead-lru needs, in order (memory/liveness.h).
 * Only with such a cache. */
enum cm_parameter_buffer_event {
   /** A pass begins; value: its tiles; range: its attribute blocks, from 0 on; instance: 1 in the second buffer. */
   CM_PARAMETER_BUFFER_BEGIN,
   /** A primitive is written; range: its first attribute block; instance: how many it has; value: the position of
    * its last tile in the traversal. */
   CM_PARAMETER_BUFFER_PRIMITIVE,
   CM_PARAMETER_BUFFER_TILE_DONE, /**< value: the tile's position in the traversal */
   CM_PARAMETER_BUFFER_END,
};

/** Progress of the pipeline, and what follows an access. But for CM_MARK_SHADER only with readers. */
enum cm_mark {
   CM_MARK_TILE_BEGIN, /**< value: the tile's number */
   CM_MARK_TILE_END,
   CM_MARK_PASS_END,
   CM_MARK_FRAME_END,
   CM_MARK_SHADER, /**< among what a shading worker lists, and nowhere else: a processor (instance) runs quads of a draw (value) */
   CM_MARK_CALL, /**< of the timing (timing/calls.h); instance: how many words follow it that are no entries */
};

/**
 * An entry:
 *    bits  0 … 43  its value; of an access the byte address without its lowest CM_ENTRY_ADDRESS_SHIFT bits
 *         44 … 48  the stream
 *         49 … 52  the kind
 *         53 … 58  the instance of the unit; of an access to memory the binary logarithm of its bytes
 *         59 … 63  the unit
 * so that one comparison separates accesses to a cache from all other entries (cm_entry_access_to).
 */
typedef uint64_t cm_entry;

/** Where headers and bodies of compressed images begin (gpu/compressed_surface.h); those of an image are at the same distance
 * from both. All other addresses are lower. */
#define CM_HEADERS_ADDRESS (1ull << 42)
#define CM_BODIES_ADDRESS (1ull << 43)

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

/** An access to a cache (cm_entry_cache). */
static inline cm_entry
cm_entry_access(cm_entry cache, enum cm_access access, enum cm_stream stream, uint64_t address)
{
   return cache | address >> CM_ENTRY_ADDRESS_SHIFT | (uint64_t)stream << CM_ENTRY_STREAM_SHIFT |
          (uint64_t)access << CM_ENTRY_KIND_SHIFT;
}

/** The kind of an entry that is an access to the same cache as `other`, an access; more than
 * CM_ENTRY_LAST_ACCESS: it is not one. */
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

/* ---- groups ---------------------------------------------------------------- */

/** A CM_ENTRY_GROUP of textures or storage has fewer lookups than 1 << CM_GROUP_COUNT_BITS. */
#define CM_GROUP_COUNT_BITS 12

/** One that accesses a resource. */
static inline cm_entry
cm_group_make(unsigned unit, unsigned instance, enum cm_stream stream, uint32_t count, uint32_t resource)
{
   assert(count >> CM_GROUP_COUNT_BITS == 0);
   return cm_entry_make(CM_ENTRY_GROUP, unit, instance, stream,
                        (uint64_t)resource << CM_GROUP_COUNT_BITS | count);
}

static inline uint32_t
cm_group_count(cm_entry group)
{
   return (uint32_t)group & ((1u << CM_GROUP_COUNT_BITS) - 1);
}

static inline uint32_t
cm_group_resource(cm_entry group)
{
   return (uint32_t)(group >> CM_GROUP_COUNT_BITS);
}

/* ---- batches --------------------------------------------------------------- */

/** Entries of a batch: few enough to stay in the caches of the host. */
#define CM_ACCESS_BATCH 1024

struct cm_access_stream {
   cm_entry *entries; /**< room for `capacity` of them */
   uint32_t count, capacity;
   /** Consumes all entries and sets count to 0; called when the batch is full. For a stream that keeps its entries until
    * they are read, and is never drained, it enlarges the array. */
   void (*take)(void *context, struct cm_access_stream *stream);
   void *context;
};

/** Makes a stream without entries; false when out of memory. */
bool cm_access_stream_init(struct cm_access_stream *stream,
                           void (*take)(void *context, struct cm_access_stream *stream), void *context);
void cm_access_stream_finish(struct cm_access_stream *stream);

/** Passes all entries to `take`. */
static inline void
cm_access_stream_drain(struct cm_access_stream *stream)
{
   if (stream->count)
      stream->take(stream->context, stream);
   assert(stream->count == 0);
}

/** The same for a full stream, which may make room for more entries instead. */
static inline void
cm_access_stream_make_room(struct cm_access_stream *stream)
{
   stream->take(stream->context, stream);
   assert(stream->count < stream->capacity);
}

/** Makes room for `count` entries, fewer than a batch: the stream is not drained before yet another one is appended. */
static inline void
cm_access_stream_reserve(struct cm_access_stream *stream, uint32_t count)
{
   if (stream->capacity - stream->count <= count && stream->count)
      cm_access_stream_make_room(stream);
}

static inline void
cm_access_stream_append(struct cm_access_stream *stream, cm_entry entry)
{
   stream->entries[stream->count++] = entry;
   if (stream->count == stream->capacity)
      cm_access_stream_make_room(stream);
}

/** Appends all of them to a stream that keeps its entries; none without memory. */
void cm_access_stream_append_all(struct cm_access_stream *stream, const cm_entry *entries, uint32_t count);

/** Appends a CM_ENTRY_ORIGIN for each part in which the next origin, `to`, differs from the last one in the
 * stream, `from`. */
void cm_access_stream_append_origin(struct cm_access_stream *stream, const struct cm_origin *from,
                                    const struct cm_origin *to);

#endif
