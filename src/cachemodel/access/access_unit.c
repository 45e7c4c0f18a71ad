/* SPDX-License-Identifier: MIT */
#include "access/access_unit.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND(id, name) extern const struct cm_access_unit_kind cm_access_unit_##name;
CM_ACCESS_UNITS(KIND)
#undef KIND

#define KIND(id, name) &cm_access_unit_##name,
const struct cm_access_unit_kind *const cm_access_unit_kinds[CM_ACCESS_UNIT_COUNT] = {CM_ACCESS_UNITS(KIND)};

static bool
has_energy(const struct cm_access_unit_kind *kind)
{
   for (uint32_t t = 0; t < kind->num_energy; t++) {
      if (!kind->energy[t].events || kind->energy[t].events >> kind->num_events)
         return false;
   }
   return kind->num_energy && kind->entry_bytes;
}

bool
cm_access_unit_check(const struct cm_access_unit_kind *kind, char *error, size_t error_size)
{
   const char *lacks = NULL;
   if (!kind->take)
      lacks = "does not take entries, expected a function";
   else if (!kind->num_events || kind->num_events > CM_ACCESS_UNIT_EVENTS)
      lacks = "has no counters, or too many, expected 1 to 16";
   else if (!has_energy(kind))
      lacks = "has no energy, expected an array and terms, each of events that it counts";
   else if (!kind->ports || kind->ports > CM_ACCESS_UNIT_PORTS)
      lacks = "has no time, or too many ports, expected 1 to 8 accesses that can begin in a cycle";
   if (lacks)
      snprintf(error, error_size, "%s %s", kind->name, lacks);
   return !lacks;
}

/* With readers, batches have one entry. */
static void
report(const struct cm_access_unit *unit, cm_entry entry)
{
   const enum cm_entry_kind kind = cm_entry_kind(entry);
   if (kind <= CM_ENTRY_LAST_ACCESS && cm_entry_unit(entry) == (unsigned)unit->config.before)
      cm_access_stream_append(unit->reported, cm_entry_make(CM_ENTRY_UNIT_ACCESS, unit->number, kind,
                                                            cm_entry_stream(entry), cm_entry_value(entry)));
}

void
cm_access_unit_append(struct cm_access_unit *unit, cm_entry entry, const struct cm_origin *origin)
{
   cm_access_stream_append_origin(&unit->next, &unit->origin, origin);
   cm_access_stream_append(&unit->next, entry);
   cm_access_stream_append_origin(&unit->next, origin, &unit->origin);
}

/* Entries of one origin. */
static void
take_run(struct cm_access_unit *unit, const cm_entry *entries, uint32_t count)
{
   uint64_t before[CM_ACCESS_UNIT_EVENTS];
   if (!count)
      return;
   if (!unit->counted) {
      unit->kind->take(unit, entries, count);
      return;
   }
   memcpy(before, unit->counts, sizeof before);
   unit->kind->take(unit, entries, count);
   unit->counted(unit->counted_context, unit, before);
}

static void
take(void *context, struct cm_access_stream *stream)
{
   struct cm_access_unit *unit = context;
   uint32_t first = 0;
   assert(!unit->reported || stream->count == 1);
   if (unit->reported)
      report(unit, stream->entries[0]);
   for (uint32_t i = 0; i < stream->count; i++) {
      const cm_entry entry = stream->entries[i];
      if (cm_entry_kind(entry) != CM_ENTRY_ORIGIN)
         continue;
      take_run(unit, stream->entries + first, i - first);
      unit->origin.parts[cm_entry_unit(entry)] = (uint32_t)cm_entry_value(entry);
      cm_access_stream_append(&unit->next, entry);
      first = i + 1;
   }
   take_run(unit, stream->entries + first, stream->count - first);
   stream->count = 0;
}

bool
cm_access_unit_init(struct cm_access_unit *unit, const struct cm_access_unit_kind *kind,
                    const struct cm_access_unit_config *config, unsigned block_shift,
                    struct cm_access_stream *before)
{
   assert(kind && config->entries);
   *unit = (struct cm_access_unit){
      .kind = kind,
      .config = *config,
      .arrivals = {.unit = config->before, .block_shift = block_shift},
      .slots = calloc(config->entries, sizeof *unit->slots),
      .origins = calloc(config->entries, sizeof *unit->origins),
   };
   if (!unit->slots || !unit->origins || !cm_access_stream_init(&unit->next, before->take, before->context))
      return false;
   before->take = take;
   before->context = unit;
   return true;
}

void
cm_access_unit_finish(struct cm_access_unit *unit)
{
   cm_access_stream_finish(&unit->next);
   free(unit->slots);
   free(unit->origins);
   unit->slots = NULL;
   unit->origins = NULL;
}
