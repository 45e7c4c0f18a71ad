/* SPDX-License-Identifier: MIT */
/* A prefetcher before the L2: with each block that is read, the next one is, unless it was requested lately.
 *
 *    tbrsim export --format streams --unit l2 FILE.tbr | next_line ENTRIES |
 *       tbrsim cache --format streams --size 1M --ways 8 --policy lru -
 *
 * is the L2 with it. ENTRIES blocks are remembered as requested; what is counted goes to stderr. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "access/access_text.h"
#include "access/access_unit.h"

/* ---- the unit ----------------------------------------------------------- */

enum { READS, PREFETCHES, NUM_EVENTS };

static const struct cm_counter_text events[] = {
   {"reads", "accesses", "reads"},
   {"prefetches", "accesses", "blocks read in advance"},
};

static const struct cm_access_unit_energy energy[] = {
   {"look-ups: reads", 1u << READS, false},
   {"blocks remembered: writes", 1u << PREFETCHES, true},
};

/* Whether a block is among those remembered; afterwards it is, in place of the oldest one. */
static bool
remember(struct cm_access_unit *unit, cm_entry block)
{
   for (uint32_t slot = 0; slot < unit->config.entries; slot++) {
      if (unit->slots[slot] == block)
         return true;
   }
   unit->slots[unit->used] = block;
   unit->used = (unit->used + 1) % unit->config.entries;
   return false;
}

static void
take(struct cm_access_unit *unit, const cm_entry *entries, uint32_t count)
{
   struct cm_unit_arrival arrival;
   for (uint32_t i = 0; i < count; i++) {
      const bool is_read = cm_arrivals_decode(&unit->arrivals, entries[i], &arrival) == CM_ARRIVAL_ACCESS &&
                           arrival.access == CM_READ;
      cm_access_stream_append(&unit->next, entries[i]);
      if (!is_read)
         continue;
      const cm_entry cache = cm_entry_cache(cm_entry_unit(entries[i]), cm_entry_instance(entries[i]));
      const uint64_t next = arrival.address + arrival.bytes;
      unit->counts[READS]++;
      if (remember(unit, cm_entry_access(cache, CM_READ, (enum cm_stream)0, next)))
         continue;
      cm_access_stream_append(&unit->next, cm_entry_access(cache, CM_READ, arrival.stream, next));
      unit->counts[PREFETCHES]++;
   }
}

static const struct cm_access_unit_kind next_line = {
   .name = "next_line",
   .description = "the prefetcher of next blocks",
   .take = take,
   .events = events,
   .num_events = NUM_EVENTS,
   .energy = energy,
   .num_energy = sizeof energy / sizeof energy[0],
   .entry_bytes = sizeof(cm_entry),
   .ports = 1,
};

/* ---- text in, text out -------------------------------------------------- */

static void
write_entries(void *context, struct cm_access_stream *stream)
{
   struct cm_unit_arrival arrival;
   for (uint32_t i = 0; i < stream->count; i++)
      cm_access_text_write(stdout, cm_arrivals_decode(context, stream->entries[i], &arrival), &arrival);
   stream->count = 0;
}

static bool
append_line(struct cm_access_stream *stream, const char *line)
{
   struct cm_unit_arrival arrival;
   const char *wrong, *expected;
   switch (cm_access_text_read(line, line + strcspn(line, "\n"), &arrival, &wrong, &expected)) {
   case CM_ARRIVAL_ACCESS:
      cm_access_stream_append(stream, cm_entry_access(cm_entry_cache(CM_UNIT_L2, 0), arrival.access,
                                                      arrival.stream, arrival.address));
      return true;
   case CM_ARRIVAL_INVALIDATION:
      cm_access_stream_append(stream, cm_entry_make(CM_ENTRY_RANGE, 0, 0, (enum cm_stream)0,
                                                    arrival.address >> CM_ENTRY_ADDRESS_SHIFT));
      cm_access_stream_append(stream, cm_entry_make(CM_ENTRY_INVALIDATE, CM_UNIT_L2, 0, (enum cm_stream)0,
                                                    (arrival.end - 1) >> CM_ENTRY_ADDRESS_SHIFT));
      return true;
   case CM_ARRIVAL_MARK:
      cm_access_stream_append(stream, cm_entry_make(CM_ENTRY_MARK, arrival.mark, 0, (enum cm_stream)0, 0));
      return true;
   default: fprintf(stderr, "%sexpected %s\n", line, expected); return false;
   }
}

int
main(int argc, char **argv)
{
   struct cm_arrivals l2 = {.unit = CM_UNIT_L2, .block_shift = 6};
   struct cm_access_unit_config config = {.before = CM_UNIT_L2, .latency = 1};
   struct cm_access_stream stream;
   struct cm_access_unit unit;
   char line[256], error[256] = "usage: next_line ENTRIES";
   config.entries = argc == 2 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
   if (!config.entries || !cm_access_unit_check(&next_line, error, sizeof error) ||
       !cm_access_stream_init(&stream, write_entries, &l2) ||
       !cm_access_unit_init(&unit, &next_line, &config, l2.block_shift, &stream)) {
      fprintf(stderr, "%s\n", error);
      return 1;
   }
   bool fine = true;
   while (fine && fgets(line, sizeof line, stdin))
      fine = append_line(&stream, line);
   cm_access_stream_drain(&stream);
   cm_access_stream_drain(&unit.next);
   for (uint32_t e = 0; e < NUM_EVENTS; e++)
      fprintf(stderr, "next_line.%s %" PRIu64 "\n", events[e].name, unit.counts[e]);
   cm_access_unit_finish(&unit);
   cm_access_stream_finish(&stream);
   return fine ? 0 : 1;
}
