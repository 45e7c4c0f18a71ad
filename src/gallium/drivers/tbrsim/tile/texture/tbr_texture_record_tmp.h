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

/** Appends the footprints of a quad; the lanes may have different keys. */
static uint32_t *
texture_append_split(uint32_t *words, unsigned quad, uint32_t mask, const uint32_t *key,
                     const uint32_t *texel)
{
   /* By key, so that the order is the same whichever lanes are live. */
   while (mask) {
      uint32_t least = ~0u, same = 0;
      for (unsigned i = 0; i < 4; i++)
         least = mask >> i & 1 && key[i] < least ? key[i] : least;
      for (unsigned i = 0; i < 4; i++)
         same |= (uint32_t)(key[i] == least) << i;
      words = texture_append_footprint(words, quad, mask & same, least, texel);
      mask &= ~same;
   }
   return words;
}

/** Appends what the live lanes read, quad by quad. */
TEXTURE_INLINE uint32_t *
texture_append_reads(uint32_t *words, const struct texture_reads *reads, unsigned slots, uint32_t live,
                     bool split)
{
   for (unsigned quad = 0; quad < TBR_QUADS; quad++) {
      for (unsigned slot = 0; slot < slots; slot++) {
         const uint32_t mask = (live & reads->lanes[slot]) >> (4 * quad) & 15;
         const uint32_t *key = &reads->key[slot][4 * quad], *texel = &reads->texel[slot][4 * quad];
         if (!split || (key[0] == key[1] && key[0] == key[2] && key[0] == key[3]))
            words = texture_append_footprint(words, quad, mask, key[0], texel);
         else
            words = texture_append_split(words, quad, mask, key, texel);
      }
   }
   return words;
}

#if TEXTURE_LANES == 16
/** A slot's footprints where the lanes of each quad have one key: two in a vector, each followed by two
 * words of anything. */
struct texture_footprints {
   __m512i pairs[2];
   uint32_t lanes; /**< that are live */
};

TEXTURE_INLINE struct texture_footprints
texture_build_footprints(texture_int key, texture_int texel, uint32_t live)
{
   const texture_int quad = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
   const texture_uint lanes = (texture_uint)texture_splat_int((int32_t)live) >> (texture_uint)(quad * 4);
   const texture_int first = quad | (key & 0xff) << 8 | ((texture_int)lanes & 15) << 16 | (key & 0x100) << 16;
   const texture_int second = (texture_int)((texture_uint)key >> 9);
   /* Word 0 of quad q is in lane 4 q, word 1 in the next. */
   const texture_int header = texture_quad_pick(first, second, 0, 0, 1, 1);
   const texture_int low = {0, 2, 16, 17, 18, 19, 0, 0, 4, 6, 20, 21, 22, 23, 4, 4};
   return (struct texture_footprints){
      .pairs = {(__m512i)__builtin_shuffle(header, texel, low),
                (__m512i)__builtin_shuffle(header, texel, low + 8)},
      .lanes = live,
   };
}

/** Appends quad n's footprint of a slot; footprint: its words, and two more, which may be overwritten. */
TEXTURE_INLINE uint32_t *
texture_append_words(uint32_t *words, __m256i footprint, uint32_t lanes, unsigned n)
{
   _mm256_storeu_si256((__m256i *)words, footprint);
   return words + (lanes >> 4 * n & 15 ? CM_FOOTPRINT_WORDS : 0);
}

/** The same as texture_append_reads, where the lanes of each quad have one key. */
TEXTURE_INLINE uint32_t *
texture_append_uniform(uint32_t *words, const struct texture_reads *reads, unsigned slots, uint32_t live)
{
   struct texture_footprints footprints[TEXTURE_MAX_READS];
   unsigned count = 0;
   for (unsigned slot = 0; slot < slots; slot++) {
      if (live & reads->lanes[slot])
         footprints[count++] =
            texture_build_footprints(texture_load_int(reads->key[slot]), texture_load_int(reads->texel[slot]),
                                     live & reads->lanes[slot]);
   }
   for (unsigned pair = 0; pair < 2; pair++) {
      for (unsigned i = 0; i < count; i++)
         words = texture_append_words(words, _mm512_castsi512_si256(footprints[i].pairs[pair]),
                                      footprints[i].lanes, 2 * pair);
      for (unsigned i = 0; i < count; i++)
         words = texture_append_words(words, _mm512_extracti64x4_epi64(footprints[i].pairs[pair], 1),
                                      footprints[i].lanes, 2 * pair + 1);
   }
   return words;
}

/** Whether the lanes of each quad have one key. */
TEXTURE_INLINE bool
texture_is_uniform(const struct texture_reads *reads, unsigned slots)
{
   texture_int differs = {0};
   for (unsigned slot = 0; slot < slots; slot++) {
      const texture_int key = texture_load_int(reads->key[slot]);
      differs |= key ^ texture_quad_shuffle(key, 0, 0, 0, 0);
   }
   return !texture_any(differs);
}
#endif

/** Appends the call's footprints as one event. `split`: the lanes of a quad may
 * have different keys. */
TEXTURE_INLINE void
texture_record(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
               const struct tbr_sample_arguments *arguments, const struct texture_reads *reads,
               unsigned slots, bool split)
{
   _Static_assert(sizeof(struct cm_footprint) == 24 && CM_FOOTPRINT_WORDS == 6, "as appended");
   const uint32_t live = thread->live & arguments->active;
   /* One more, as what is appended may be followed by a few words that do not count. */
   const size_t most = 1 + CM_FOOTPRINT_WORDS * (size_t)(slots * (split ? TBR_LANES : TBR_QUADS) + 1);
   uint32_t *event = cm_tile_events_reserve(thread->events, most);
   if (!event)
      return;
   while (slots > 1 && !reads->lanes[slots - 1])
      slots--;

#if TEXTURE_LANES == 16
   uint32_t *const end = !split || texture_is_uniform(reads, slots)
                            ? texture_append_uniform(event + 1, reads, slots, live)
                            : texture_append_reads(event + 1, reads, slots, live, true);
#else
   uint32_t *const end = texture_append_reads(event + 1, reads, slots, live, split);
#endif

   uint32_t count = (uint32_t)(end - event - 1) / (uint32_t)CM_FOOTPRINT_WORDS;
   if (!count)
      return;
   event[0] = CM_EVENT_FOOTPRINTS | count << 8 | (uint32_t)binding->unit << 16;
   thread->events->num_words += (size_t)(end - event);
}
