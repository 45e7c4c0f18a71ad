/* SPDX-License-Identifier: MIT */
/* A victim buffer: keeps the blocks that are written back to a cache, until it is full; then the oldest one
 * is evicted. A read or write of one of them needs no access to the cache. Reads of other blocks, and writes
 * of a part of one, bypass it. The slots are in the order of arrival, the oldest first. */
#include <string.h>

#include "access/access_unit.h"

/** X(identifier, name, unit of measure, description) */
#define EVENTS(X)                                                                       \
   X(READS, "reads", "accesses", "reads")                                               \
   X(WRITES, "writes", "accesses", "writes")                                            \
   X(READ_HITS, "read_hits", "accesses", "of reads, those that found their block")      \
   X(WRITE_HITS, "write_hits", "accesses", "of writes, those that found their block")   \
   X(BYPASSES, "bypasses", "accesses", "writes of a part of a block that is not there") \
   X(FILLS, "fills", "blocks", "blocks stored")                                         \
   X(WRITEBACKS, "writebacks", "blocks", "blocks that left for the cache")

enum event {
#define EVENT_ENUM(id, name, measure, description) id,
   EVENTS(EVENT_ENUM) NUM_EVENTS
};

static const struct cm_counter_text texts[] = {EVENTS(CM_COUNTER_TEXT)};

/* A read hit and an evicted block read the array; a miss reads the tags, which count the same. */
static const struct cm_access_unit_energy energy[] = {
   {"look-ups: reads", 1u << READS | 1u << WRITES, false},
   {"blocks stored: writes", 1u << WRITE_HITS | 1u << FILLS, true},
   {"blocks written back: reads", 1u << WRITEBACKS, false},
};

/* The index of an entry of the same block, of any stream; `used` if there is none. */
static uint32_t
find(const struct cm_access_unit *buffer, cm_entry written)
{
   const cm_entry stream_bits = (cm_entry)31 << CM_ENTRY_STREAM_SHIFT;
   uint32_t slot = 0;
   while (slot < buffer->used && (buffer->slots[slot] ^ written) & ~stream_bits)
      slot++;
   return slot;
}

/* The block is its last writer's. */
static void
store(struct cm_access_unit *buffer, uint32_t slot, cm_entry written)
{
   buffer->slots[slot] = written;
   buffer->origins[slot] = buffer->origin;
}

static void
write_back(struct cm_access_unit *buffer, uint32_t slot)
{
   const uint32_t behind = --buffer->used - slot;
   cm_access_unit_append(buffer, buffer->slots[slot], &buffer->origins[slot]);
   buffer->counts[WRITEBACKS]++;
   memmove(buffer->slots + slot, buffer->slots + slot + 1, behind * sizeof *buffer->slots);
   memmove(buffer->origins + slot, buffer->origins + slot + 1, behind * sizeof *buffer->origins);
}

/* written: the entry that writes its block back. */
static void
access_block(struct cm_access_unit *buffer, cm_entry entry, cm_entry written)
{
   const enum cm_entry_kind kind = cm_entry_kind(entry);
   const uint32_t slot = find(buffer, written);
   const bool hit = slot < buffer->used;
   buffer->counts[kind == CM_ENTRY_READ ? READS : WRITES]++;
   if (hit) {
      buffer->counts[kind == CM_ENTRY_READ ? READ_HITS : WRITE_HITS]++;
      if (kind != CM_ENTRY_READ)
         store(buffer, slot, written);
      return;
   }
   if (kind != CM_ENTRY_WRITE_BLOCK) {
      buffer->counts[BYPASSES] += kind == CM_ENTRY_WRITE;
      cm_access_stream_append(&buffer->next, entry);
      return;
   }
   if (buffer->used == buffer->config.entries)
      write_back(buffer, 0);
   store(buffer, buffer->used++, written);
   buffer->counts[FILLS]++;
}

/* The cache would write its own back, too. */
static void
invalidate(struct cm_access_unit *buffer, const struct cm_unit_arrival *range)
{
   for (uint32_t slot = 0; slot < buffer->used;) {
      const uint64_t address = cm_entry_address(buffer->slots[slot]);
      if (address >= range->address && address < range->end)
         write_back(buffer, slot);
      else
         slot++;
   }
}

static void
take(struct cm_access_unit *buffer, const cm_entry *entries, uint32_t count)
{
   struct cm_unit_arrival arrival;
   for (uint32_t i = 0; i < count; i++) {
      const cm_entry cache = cm_entry_cache(cm_entry_unit(entries[i]), cm_entry_instance(entries[i]));
      switch (cm_arrivals_decode(&buffer->arrivals, entries[i], &arrival)) {
      case CM_ARRIVAL_ACCESS:
         access_block(buffer, entries[i],
                      cm_entry_access(cache, CM_WRITE_BLOCK, arrival.stream, arrival.address));
         continue;
      case CM_ARRIVAL_INVALIDATION: invalidate(buffer, &arrival); break;
      default: break;
      }
      cm_access_stream_append(&buffer->next, entries[i]);
   }
}

const struct cm_access_unit_kind cm_access_unit_victim_buffer = {
   .name = "victim_buffer",
   .description = "the buffer of written-back blocks",
   .take = take,
   .events = texts,
   .num_events = NUM_EVENTS,
   .energy = energy,
   .num_energy = sizeof energy / sizeof energy[0],
   .entry_bytes = 64,
   .ports = 1,
};
