/* SPDX-License-Identifier: MIT */
/**
 * Footprints: which texels an instruction read, for the event stream. Included
 * by tbr_texture_sample_tmp.h.
 */

/** Footprints a fragment can have: two levels, of up to four each (a texel on
 * each of four faces at a cube's edge; two slices of a 3D texture). */
#define TEXTURE_MAX_READS 8

/** What the lanes of a call read, slot by slot. */
struct texture_reads {
   uint32_t texel[TEXTURE_MAX_READS][TBR_LANES]; /**< x in the low, y in the high half */
   uint32_t key[TEXTURE_MAX_READS][TBR_LANES];   /**< TEXTURE_KEY */
   uint32_t lanes[TEXTURE_MAX_READS];            /**< the lanes that read */
};

#define TEXTURE_KEY(level, linear, layer) \
   ((uint32_t)(level) | (uint32_t)(linear) << 8 | (uint32_t)(layer) << 9)

/** Appends a footprint; returns the end. The header is written as the bytes of
 * struct cm_footprint: quad, level, live, linear; layer. */
TEXTURE_INLINE uint32_t *
texture_append_footprint(uint32_t *words, unsigned quad, uint32_t live, uint32_t key, const uint32_t *texel)
{
   words[0] = quad | (key & 0xff) << 8 | live << 16 | (key >> 8 & 1) << 24;
   words[1] = key >> 9;
   memcpy(words + 2, texel, 16);
   return words + (live ? CM_FOOTPRINT_WORDS : 0);
}

/** Appends the call's footprints as one event. `split`: the lanes of a quad may
 * have different keys. */
TEXTURE_INLINE void
texture_record(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
               const struct tbr_sample_arguments *arguments, const struct texture_reads *reads,
               unsigned slots, bool split)
{
   _Static_assert(sizeof(struct cm_footprint) == 24 && CM_FOOTPRINT_WORDS == 6, "as appended");
   const uint32_t live = thread->live & arguments->active;
   const size_t most = 1 + CM_FOOTPRINT_WORDS * (size_t)(slots * (split ? TBR_LANES : TBR_QUADS) + 1);
   uint32_t *event = cm_tile_events_reserve(thread->events, most);
   if (!event)
      return;
   uint32_t *end = event + 1;
   while (slots > 1 && !reads->lanes[slots - 1])
      slots--;

   for (unsigned quad = 0; quad < TBR_QUADS; quad++) {
      for (unsigned slot = 0; slot < slots; slot++) {
         uint32_t mask = (live & reads->lanes[slot]) >> (4 * quad) & 15;
         const uint32_t *key = &reads->key[slot][4 * quad], *texel = &reads->texel[slot][4 * quad];
         if (!split || (key[0] == key[1] && key[0] == key[2] && key[0] == key[3])) {
            end = texture_append_footprint(end, quad, mask, key[0], texel);
            continue;
         }
         /* By key, so that the order is the same whichever lanes are live. */
         while (mask) {
            uint32_t least = ~0u, same = 0;
            for (unsigned i = 0; i < 4; i++)
               least = mask >> i & 1 && key[i] < least ? key[i] : least;
            for (unsigned i = 0; i < 4; i++)
               same |= (uint32_t)(key[i] == least) << i;
            end = texture_append_footprint(end, quad, mask & same, least, texel);
            mask &= ~same;
         }
      }
   }

   uint32_t count = (uint32_t)(end - event - 1) / (uint32_t)CM_FOOTPRINT_WORDS;
   if (!count)
      return;
   event[0] = CM_EVENT_FOOTPRINTS | count << 8 | (uint32_t)binding->unit << 16;
   thread->events->num_words += (size_t)(end - event);
}
