/* SPDX-License-Identifier: MIT */
#include "tile/tbr_regions.h"

#include <assert.h>
#include <string.h>

#include "tile/tbr_texture_unit.h"
#include "tile/tbr_tile.h"

/** How often each quad ran each region. */
struct runs {
   uint32_t of[CM_MAX_REGIONS][TBR_QUADS];
};

static void
find_runs(const struct tbr_texture_thread *thread, const struct tbr_regions *regions, struct runs *runs)
{
   for (unsigned q = 0; q < TBR_QUADS; q++)
      runs->of[0][q] = 1;
   for (uint32_t r = 1; r < regions->count; r++) {
      const struct tbr_region *region = &regions->regions[r];
      assert(region->counter < regions->counters && region->entered <= r);
      for (unsigned q = 0; q < TBR_QUADS; q++)
         runs->of[r][q] = thread->region_runs[region->counter][q] +
                          (region->entered ? runs->of[region->entered - 1][q] : 0);
   }
}

/** The quads of a mask that ran all regions as often as one of them did. */
static uint32_t
find_alike(const struct runs *runs, uint32_t count, uint32_t quads, unsigned quad)
{
   for (uint32_t r = 1; r < count; r++) {
      for (unsigned q = 0; q < TBR_QUADS; q++) {
         if (runs->of[r][q] != runs->of[r][quad])
            quads &= ~(1u << q);
      }
   }
   return quads;
}

static void
append_event(struct cm_tile_events *events, const struct runs *runs, uint32_t count, uint32_t quads,
             unsigned quad)
{
   uint32_t all = 0;
   for (uint32_t r = 1; r < count; r++)
      all |= runs->of[r][quad];
   if (!all)
      return;
   const bool are_bytes = all < 256;
   const uint32_t word =
      CM_EVENT_REGIONS | (quads | (are_bytes ? CM_REGIONS_ARE_BYTES : 0)) << 8 | (count - 1) << 16;
   const uint32_t num_words = cm_regions_words(word);
   uint32_t *event = cm_tile_events_reserve(events, 1 + num_words);
   if (!event)
      tbr_tile_out_of_memory("the recorded events");
   memset(event, 0, (1 + num_words) * sizeof *event);
   event[0] = word;
   for (uint32_t r = 1; r < count; r++) {
      if (are_bytes)
         event[1 + (r - 1) / 4] |= runs->of[r][quad] << (r - 1) % 4 * 8;
      else
         event[r] = runs->of[r][quad];
   }
   events->num_words += 1 + num_words;
}

void
tbr_regions_record(struct tbr_texture_thread *thread, const struct tbr_regions *regions, uint32_t quads)
{
   struct runs runs;
   assert(regions->count > 1 && regions->count <= CM_MAX_REGIONS && quads < 1u << TBR_QUADS);
   if (thread->events) {
      find_runs(thread, regions, &runs);
      for (unsigned q = 0; q < TBR_QUADS; q++) {
         if (!(quads >> q & 1))
            continue;
         const uint32_t alike = find_alike(&runs, regions->count, quads, q);
         append_event(thread->events, &runs, regions->count, alike, q);
         quads &= ~alike;
      }
   }
   memset(thread->region_runs, 0, regions->counters * sizeof *thread->region_runs);
}
