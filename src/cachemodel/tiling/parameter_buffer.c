/* SPDX-License-Identifier: MIT */
#include "tiling/parameter_buffer.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(struct cm_pb_attribute_block) == CM_PB_BLOCK_BYTES, "an attribute is a block");
static_assert(offsetof(struct cm_pb_attribute_block, last_tile) == CM_PB_ATTRIBUTE_BYTES,
              "the last tile is in the bytes that the attribute leaves unused");
static_assert(CM_PB_BLOCK_BYTES == 1 << 6 && CM_PB_BASELINE_BLOCKS == 1 << 6,
              "addresses are computed with shifts");

/* ---- PMDs -------------------------------------------------------------- */

bool
cm_pb_needs_wide(uint64_t num_tiles, uint64_t num_attribute_blocks, uint32_t max_attributes)
{
   return num_tiles > CM_PB_NARROW_TILES || num_attribute_blocks > CM_PB_NARROW_ATTRIBUTE_BLOCKS ||
          max_attributes > CM_PB_NARROW_ATTRIBUTES;
}

static inline bool
primitive_fits(bool wide, uint32_t primitive, uint32_t num_attributes)
{
   return num_attributes >= 1 && num_attributes <= (wide ? CM_PB_WIDE_ATTRIBUTES : CM_PB_NARROW_ATTRIBUTES) &&
          (wide || primitive < CM_PB_NARROW_ATTRIBUTE_BLOCKS);
}

static inline void
store_uint32(uint8_t *bytes, uint32_t value)
{
   bytes[0] = value;
   bytes[1] = value >> 8;
   bytes[2] = value >> 16;
   bytes[3] = value >> 24;
}

static inline uint32_t
load_uint32(const uint8_t *bytes)
{
   return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* next: the OPT number as stored, 0 for never. */
static inline void
store_pmd(uint8_t *bytes, bool wide, uint32_t primitive, uint32_t num_attributes, uint32_t next)
{
   if (wide) {
      store_uint32(bytes, primitive);
      store_uint32(bytes + 4, (num_attributes - 1) | next << 8);
   } else {
      store_uint32(bytes, primitive | (num_attributes - 1) << 16 | next << 20);
   }
}

struct cm_pmd
cm_pmd_decode(const void *bytes, bool wide)
{
   const uint32_t low = load_uint32(bytes);
   struct cm_pmd pmd;
   uint32_t next;
   if (wide) {
      const uint32_t high = load_uint32((const uint8_t *)bytes + 4);
      pmd.primitive = low;
      pmd.num_attributes = (high & 0xff) + 1;
      next = high >> 8;
   } else {
      pmd.primitive = low & 0xffff;
      pmd.num_attributes = (low >> 16 & 0xf) + 1;
      next = low >> 20;
   }
   pmd.opt_number = next ? next : CM_PB_NEVER;
   return pmd;
}

/* ---- pieces of memory -------------------------------------------------- */

/* The lists' memory comes in pieces of powers of two of blocks. A list that has
 * outgrown its piece gives it back for another list; slabs are freed at the end
 * only, so passes after the first do without the system's allocator. */
#define NUM_PIECE_SIZES 32
#define SLAB_BYTES (256u << 10)

struct slab {
   struct slab *next;
};

struct free_piece {
   struct free_piece *next;
};

struct pieces {
   struct free_piece *free[NUM_PIECE_SIZES]; /* [n]: of CM_PB_BLOCK_BYTES << n bytes */
   struct slab *slabs;
   uint8_t *unused; /* of the newest slab of SLAB_BYTES */
   size_t unused_bytes;
};

static uint8_t *
pieces_new_slab(struct pieces *pieces, size_t bytes)
{
   /* The slab's own link takes a block, which keeps the pieces aligned to blocks. */
   struct slab *slab = aligned_alloc(CM_PB_BLOCK_BYTES, CM_PB_BLOCK_BYTES + bytes);
   if (!slab)
      return NULL;
   slab->next = pieces->slabs;
   pieces->slabs = slab;
   return (uint8_t *)slab + CM_PB_BLOCK_BYTES;
}

static void
pieces_give(struct pieces *pieces, void *piece, unsigned size)
{
   struct free_piece *free_piece = piece;
   free_piece->next = pieces->free[size];
   pieces->free[size] = free_piece;
}

static void *
pieces_take(struct pieces *pieces, unsigned size)
{
   if (size >= NUM_PIECE_SIZES) {
      errno = ENOMEM;
      return NULL;
   }
   struct free_piece *free_piece = pieces->free[size];
   if (free_piece) {
      pieces->free[size] = free_piece->next;
      return free_piece;
   }
   const size_t bytes = (size_t)CM_PB_BLOCK_BYTES << size;
   if (bytes > SLAB_BYTES / 4)
      return pieces_new_slab(pieces, bytes);
   if (bytes > pieces->unused_bytes) {
      uint8_t *slab = pieces_new_slab(pieces, SLAB_BYTES);
      if (!slab)
         return NULL;
      /* The rest of the old slab serves as single blocks, the most wanted size. */
      for (; pieces->unused_bytes; pieces->unused_bytes -= CM_PB_BLOCK_BYTES) {
         pieces_give(pieces, pieces->unused, 0);
         pieces->unused += CM_PB_BLOCK_BYTES;
      }
      pieces->unused = slab;
      pieces->unused_bytes = SLAB_BYTES;
   }
   uint8_t *piece = pieces->unused;
   pieces->unused += bytes;
   pieces->unused_bytes -= bytes;
   return piece;
}

static void
pieces_finish(struct pieces *pieces)
{
   while (pieces->slabs) {
      struct slab *slab = pieces->slabs;
      pieces->slabs = slab->next;
      free(slab);
   }
}

/* Memory that doubles: size counts as in struct pieces, plus one; 0: none yet. */
struct growing {
   uint8_t *bytes;
   uint32_t size;
};

static inline size_t
growing_capacity(const struct growing *growing)
{
   return growing->size ? (size_t)CM_PB_BLOCK_BYTES << (growing->size - 1) : 0;
}

static bool
growing_grow(struct growing *growing, struct pieces *pieces)
{
   uint8_t *bytes = pieces_take(pieces, growing->size);
   if (!bytes)
      return false;
   if (growing->size) {
      memcpy(bytes, growing->bytes, growing_capacity(growing));
      pieces_give(pieces, growing->bytes, growing->size - 1);
   }
   growing->bytes = bytes;
   growing->size++;
   return true;
}

static void
growing_release(struct growing *growing, struct pieces *pieces)
{
   if (growing->size)
      pieces_give(pieces, growing->bytes, growing->size - 1);
   *growing = (struct growing){0};
}

/* ---- the lists --------------------------------------------------------- */

/* A list's head, as the tiling engine keeps it. */
struct list {
   uint32_t length;     /* PMDs */
   uint32_t num_runs;   /* runs beyond the list's own 64 blocks */
   struct growing runs; /* their numbers, uint32_t each, in order */
   struct growing pmds; /* with_bytes: the PMDs */
};

struct cm_pb_lists {
   enum cm_pb_layout layout;
   bool wide, with_bytes;
   unsigned pmd_shift;       /* log2 of a PMD's bytes */
   unsigned block_pmd_shift; /* log2 of the PMDs in a block */
   unsigned run_pmd_shift;   /* log2 of the PMDs in a run of CM_PB_BASELINE_BLOCKS */
   uint32_t num_tiles;
   const uint32_t *position;
   uint32_t capacity; /* tiles that the arrays below are long enough for */
   struct list *list; /* by traversal position */
   uint64_t num_runs; /* runs allocated beyond the tiles' own */

   /* For sorting one primitive's tiles. A key is position << 32 | index. */
   uint64_t *keys;
   uint32_t *index;   /* by position: index into the caller's tiles */
   uint64_t *used;    /* a bit for each position; all 0 between calls */
   uint64_t *summary; /* a bit for each word of used; all 0 between calls */

   struct pieces pieces;
};

static inline size_t
bitmap_words(size_t bits)
{
   return (bits + 63) / 64;
}

/* All or nothing. What the lists held is lost. */
static bool
allocate_arrays(struct cm_pb_lists *lists, uint32_t num_tiles)
{
   const size_t used_words = bitmap_words(num_tiles);
   struct list *list = calloc(num_tiles, sizeof(*list));
   uint64_t *keys = malloc((size_t)num_tiles * sizeof(*keys));
   uint32_t *index = malloc((size_t)num_tiles * sizeof(*index));
   uint64_t *used = calloc(used_words, sizeof(*used));
   uint64_t *summary = calloc(bitmap_words(used_words), sizeof(*summary));
   if (!list || !keys || !index || !used || !summary) {
      free(list);
      free(keys);
      free(index);
      free(used);
      free(summary);
      errno = ENOMEM;
      return false;
   }
   for (uint32_t n = 0; n < lists->capacity; n++) {
      growing_release(&lists->list[n].runs, &lists->pieces);
      growing_release(&lists->list[n].pmds, &lists->pieces);
   }
   free(lists->list);
   free(lists->keys);
   free(lists->index);
   free(lists->used);
   free(lists->summary);
   lists->list = list;
   lists->keys = keys;
   lists->index = index;
   lists->used = used;
   lists->summary = summary;
   lists->capacity = num_tiles;
   return true;
}

bool
cm_pb_lists_reset(struct cm_pb_lists *lists, bool wide, uint32_t num_tiles, const uint32_t *position)
{
   assert(num_tiles >= 1);
   if (num_tiles > (wide ? CM_PB_WIDE_TILES : CM_PB_NARROW_TILES)) {
      errno = EOVERFLOW;
      return false;
   }
   if (num_tiles > lists->capacity) {
      if (!allocate_arrays(lists, num_tiles))
         return false;
   } else {
      for (uint32_t n = 0; n < lists->num_tiles; n++) {
         struct list *list = &lists->list[n];
         growing_release(&list->runs, &lists->pieces);
         growing_release(&list->pmds, &lists->pieces);
         list->length = 0;
         list->num_runs = 0;
      }
   }
   lists->wide = wide;
   lists->pmd_shift = wide ? 3 : 2;
   lists->block_pmd_shift = 6 - lists->pmd_shift;
   lists->run_pmd_shift = lists->block_pmd_shift + 6;
   lists->num_tiles = num_tiles;
   lists->position = position;
   lists->num_runs = 0;
   return true;
}

struct cm_pb_lists *
cm_pb_lists_create(enum cm_pb_layout layout, bool wide, uint32_t num_tiles, const uint32_t *position,
                   bool with_bytes)
{
   struct cm_pb_lists *lists = calloc(1, sizeof(*lists));
   if (!lists)
      return NULL;
   lists->layout = layout;
   lists->with_bytes = with_bytes;
   if (!cm_pb_lists_reset(lists, wide, num_tiles, position)) {
      free(lists);
      return NULL;
   }
   return lists;
}

void
cm_pb_lists_destroy(struct cm_pb_lists *lists)
{
   if (!lists)
      return;
   pieces_finish(&lists->pieces);
   free(lists->list);
   free(lists->keys);
   free(lists->index);
   free(lists->used);
   free(lists->summary);
   free(lists);
}

/* ---- addresses --------------------------------------------------------- */

static inline uint64_t
pmd_offset(const struct cm_pb_lists *lists, uint32_t position, uint32_t n)
{
   const uint32_t in_block = n & ((1u << lists->block_pmd_shift) - 1);
   uint64_t block;
   if (lists->layout == CM_PB_LAYOUT_INTERLEAVED) {
      block = (uint64_t)(n >> lists->block_pmd_shift) * lists->num_tiles + position;
   } else {
      const uint32_t run = n >> lists->run_pmd_shift;
      uint64_t run_place = position;
      if (run)
         run_place =
            (uint64_t)lists->num_tiles + ((const uint32_t *)lists->list[position].runs.bytes)[run - 1];
      block = run_place * CM_PB_BASELINE_BLOCKS + (n >> lists->block_pmd_shift & (CM_PB_BASELINE_BLOCKS - 1));
   }
   return block * CM_PB_BLOCK_BYTES + ((uint64_t)in_block << lists->pmd_shift);
}

uint32_t
cm_pb_lists_length(const struct cm_pb_lists *lists, uint32_t tile)
{
   assert(tile < lists->num_tiles);
   return lists->list[lists->position[tile]].length;
}

uint64_t
cm_pb_lists_offset(const struct cm_pb_lists *lists, uint32_t tile, uint32_t n)
{
   assert(n < cm_pb_lists_length(lists, tile));
   return pmd_offset(lists, lists->position[tile], n);
}

const void *
cm_pb_lists_pmd(const struct cm_pb_lists *lists, uint32_t tile, uint32_t n)
{
   assert(lists->with_bytes && n < cm_pb_lists_length(lists, tile));
   return lists->list[lists->position[tile]].pmds.bytes + ((size_t)n << lists->pmd_shift);
}

/* ---- binning ----------------------------------------------------------- */

/* Up to here insertion is faster than going through the bitmap. */
#define INSERTION_SORT_TILES 12

static void
sort_few(struct cm_pb_lists *lists, const uint32_t *tiles, uint32_t num_tiles)
{
   uint64_t *keys = lists->keys;
   for (uint32_t i = 0; i < num_tiles; i++) {
      assert(tiles[i] < lists->num_tiles);
      const uint64_t key = (uint64_t)lists->position[tiles[i]] << 32 | i;
      uint32_t slot = i;
      for (; slot > 0 && keys[slot - 1] > key; slot--)
         keys[slot] = keys[slot - 1];
      keys[slot] = key;
   }
}

/* Marks the positions in a bitmap of two levels and collects them in order;
 * the summary spares frames of millions of tiles a walk over all words. */
static void
sort_many(struct cm_pb_lists *lists, const uint32_t *tiles, uint32_t num_tiles)
{
   for (uint32_t i = 0; i < num_tiles; i++) {
      assert(tiles[i] < lists->num_tiles);
      const uint32_t position = lists->position[tiles[i]];
      lists->index[position] = i;
      lists->used[position / 64] |= UINT64_C(1) << position % 64;
      lists->summary[position / 4096] |= UINT64_C(1) << position / 64 % 64;
   }
   uint64_t *key = lists->keys;
   const size_t summary_words = bitmap_words(bitmap_words(lists->num_tiles));
   for (size_t s = 0; s < summary_words; s++) {
      for (uint64_t words = lists->summary[s]; words; words &= words - 1) {
         const size_t word = s * 64 + __builtin_ctzll(words);
         for (uint64_t bits = lists->used[word]; bits; bits &= bits - 1) {
            const uint32_t position = word * 64 + __builtin_ctzll(bits);
            *key++ = (uint64_t)position << 32 | lists->index[position];
         }
         lists->used[word] = 0;
      }
      lists->summary[s] = 0;
   }
   assert(key == lists->keys + num_tiles);
}

/* Makes room for one more PMD. Doing it twice is the same as doing it once. */
static bool
list_reserve(struct cm_pb_lists *lists, struct list *list)
{
   if (lists->with_bytes) {
      const size_t end = ((size_t)list->length + 1) << lists->pmd_shift;
      if (end > growing_capacity(&list->pmds) && !growing_grow(&list->pmds, &lists->pieces))
         return false;
   }
   if (lists->layout == CM_PB_LAYOUT_BASELINE && list->length >> lists->run_pmd_shift > list->num_runs) {
      const size_t end = ((size_t)list->num_runs + 1) * sizeof(uint32_t);
      if (end > growing_capacity(&list->runs) && !growing_grow(&list->runs, &lists->pieces))
         return false;
      ((uint32_t *)list->runs.bytes)[list->num_runs++] = lists->num_runs++;
   }
   return true;
}

bool
cm_pb_lists_append(struct cm_pb_lists *lists, uint32_t primitive, uint32_t num_attributes,
                   const uint32_t *tiles, uint32_t num_tiles, uint64_t *offsets, uint32_t *opt_numbers,
                   uint32_t *first, uint32_t *last)
{
   assert(num_tiles >= 1 && num_tiles <= lists->num_tiles);
   if (!primitive_fits(lists->wide, primitive, num_attributes)) {
      errno = EOVERFLOW;
      return false;
   }
   if (num_tiles <= INSERTION_SORT_TILES)
      sort_few(lists, tiles, num_tiles);
   else
      sort_many(lists, tiles, num_tiles);

   const uint64_t *keys = lists->keys;
   for (uint32_t k = 0; k < num_tiles; k++) {
      if (!list_reserve(lists, &lists->list[keys[k] >> 32]))
         return false;
   }
   for (uint32_t k = 0; k < num_tiles; k++) {
      const uint32_t position = keys[k] >> 32;
      const uint32_t i = (uint32_t)keys[k];
      const uint32_t next = k + 1 < num_tiles ? keys[k + 1] >> 32 : 0;
      struct list *list = &lists->list[position];
      const uint32_t n = list->length++;
      if (lists->with_bytes)
         store_pmd(list->pmds.bytes + ((size_t)n << lists->pmd_shift), lists->wide, primitive, num_attributes,
                   next);
      if (offsets)
         offsets[i] = pmd_offset(lists, position, n);
      if (opt_numbers)
         opt_numbers[i] = next ? next : CM_PB_NEVER;
   }
   if (first)
      *first = keys[0] >> 32;
   if (last)
      *last = keys[num_tiles - 1] >> 32;
   return true;
}
