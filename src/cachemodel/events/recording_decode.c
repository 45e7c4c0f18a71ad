/* SPDX-License-Identifier: MIT */
/* Columns to tiles' events; checks what the consumer relies on. */
#include <stdlib.h>

#include "events/recording_columns.h"
#include "util/minmax.h"

/* The four texels of a footprint. */
typedef texel texels __attribute__((vector_size(16)));

struct decoder {
   const struct cm_pass *pass;
   struct expected expected;
   texels shapes[SHAPES]; /* what is added to the unit's last texel: sums of a shape's differences */
   struct cm_byte_reader column[NUM_COLUMNS];
   uint32_t num_quads; /* of the current group; 0: there is none */
   uint32_t draw;      /* of the current group */
   uint32_t counted;   /* quads of its current run whose regions are counted */
   bool is_in_order;   /* cm_tile_events.is_in_order, of the piece so far */
   const char *wrong;
};

static inline bool
fails(struct decoder *decoder, const char *wrong)
{
   decoder->wrong = wrong;
   return false;
}

static inline uint32_t
get_difference(struct decoder *decoder, enum column column, uint32_t expected)
{
   return (uint32_t)(expected + (uint64_t)cm_get_signed(&decoder->column[column]));
}

/* A quad at a position, whose masks are live, covered, visible and written, four bits each. */
static inline void
store_quad(struct cm_quad *quad, uint32_t primitive, unsigned x, unsigned y, unsigned masks)
{
   const uint64_t bits = primitive | (uint64_t)x << 32 | (uint64_t)y << 40 | (uint64_t)masks << 48;
   _Static_assert(sizeof bits == sizeof *quad && offsetof(struct cm_quad, x) == 4, "alike");
   memcpy(quad, &bits, sizeof bits);
}

/* The fast path: quads of which only live and the position differ from the prediction, as those of most events.
 * False, with nothing done, where there are others, or a fault. */
static inline __attribute__((always_inline)) bool
decode_usual_quads(struct decoder *decoder, struct cm_quad *quads, unsigned count, const uint8_t *tags)
{
   struct expected *expected = &decoder->expected;
   struct cm_byte_reader *near = &decoder->column[COLUMN_QUAD_NEAR];
   const uint8_t *positions = near->at;
   const int last = (int)(decoder->pass->tile_size / 2) - 1;
   unsigned all_tags = 0;
   for (unsigned q = 0; q < count; q++)
      all_tags |= tags[q];
   if (all_tags > 15 || cm_bytes_left(near) < count || expected->primitive >= decoder->pass->num_primitives)
      return false;
   int x = expected->x, y = expected->y, outside = 0;
   for (unsigned q = 0; q < count; q++) {
      x += (positions[q] & 15) - 8;
      y += (positions[q] >> 4) - 8;
      outside |= x | y | (last - x) | (last - y);
      store_quad(&quads[q], expected->primitive, (unsigned)x, (unsigned)y, tags[q] * 0x1111u);
   }
   if (outside < 0)
      return false;
   memcpy(expected->live, tags, count);
   near->at += count;
   expected->x = (uint8_t)x;
   expected->y = (uint8_t)y;
   return true;
}

static bool
decode_any_quads(struct decoder *decoder, struct cm_quad *quads, uint32_t count, const uint8_t *tags)
{
   const struct cm_pass *pass = decoder->pass;
   struct expected *expected = &decoder->expected;
   struct cm_byte_reader *column = decoder->column;
   for (uint32_t q = 0; q < count; q++) {
      const unsigned tag = tags[q], live = tag & 15;
      unsigned masks = live * 0x1111;
      if (tag & QUAD_IS_FAR) {
         const uint8_t *position = cm_get_bytes(&column[COLUMN_QUAD_FAR], 2);
         expected->x = position ? position[0] : 0;
         expected->y = position ? position[1] : 0;
      } else {
         const unsigned position = cm_get_byte(&column[COLUMN_QUAD_NEAR]);
         expected->x = (uint8_t)(expected->x + (position & 15) - 8);
         expected->y = (uint8_t)(expected->y + (position >> 4) - 8);
      }
      if (tag & QUAD_HAS_MASKS) {
         const uint8_t *others = cm_get_bytes(&column[COLUMN_QUAD_MASKS], 2);
         if (!others || others[0] > 15)
            return fails(decoder, "quads are truncated");
         masks = live | (unsigned)others[0] << 4 | (unsigned)others[1] << 8;
      }
      if (tag & QUAD_HAS_PRIMITIVE)
         expected->primitive = get_difference(decoder, COLUMN_PRIMITIVES, expected->primitive);
      store_quad(&quads[q], expected->primitive, expected->x, expected->y, masks);
      expected->live[q] = (uint8_t)live;
      if (tag >> QUAD_BITS || expected->primitive >= pass->num_primitives ||
          expected->x >= pass->tile_size / 2 || expected->y >= pass->tile_size / 2)
         return fails(decoder, "a quad has an invalid primitive or pixels outside of the tile");
   }
   return true;
}

static bool
decode_quads(struct decoder *decoder, struct cm_quad *quads, uint32_t count)
{
   const uint8_t *tags = cm_get_bytes(&decoder->column[COLUMN_QUADS], count);
   if (!tags)
      return fails(decoder, "quads are truncated");
   /* Most often four: a constant for the compiler. */
   if (count == 4 ? decode_usual_quads(decoder, quads, 4, tags)
                  : decode_usual_quads(decoder, quads, count, tags))
      return true;
   return decode_any_quads(decoder, quads, count, tags);
}

/* A texel's difference from a column, of so many bytes. */
static inline texel
get_difference_of_texels(struct cm_byte_reader *column, unsigned bytes)
{
   const uint8_t *at = cm_get_bytes(column, bytes);
   if (!at)
      return 0;
   switch (bytes) {
   case 1: return make_texel((at[0] & 15) - 8, (at[0] >> 4) - 8);
   case 2: return make_texel((int8_t)at[0], (int8_t)at[1]);
   default: return make_texel(load_int16(at), load_int16(at + 2));
   }
}

/* A shape that is not in the list. */
static __attribute__((noinline)) struct shape
decode_new_shape(struct decoder *decoder, unsigned tag)
{
   struct cm_byte_reader *column = decoder->column;
   struct shape shape = {0};
   shape.difference[0] = tag & FOOTPRINT_FAR ? get_difference_of_texels(&column[COLUMN_FAR], 4)
                                             : get_difference_of_texels(&column[COLUMN_NEAR], 2);
   for (unsigned i = 1; i < 4; i++) {
      switch (tag & FOOTPRINT_SHAPE) {
      case SHAPE_SMALL: shape.difference[i] = get_difference_of_texels(&column[COLUMN_SMALL], 1); break;
      case SHAPE_BYTES: shape.difference[i] = get_difference_of_texels(&column[COLUMN_WIDE], 2); break;
      default: shape.difference[i] = get_difference_of_texels(&column[COLUMN_WIDE], 4); break;
      }
   }
   return shape;
}

/* A shape's differences to what the last texel is added to. */
static inline texels
add_up(const struct shape *shape)
{
   const texel *difference = shape->difference;
   const texel first = difference[0], right = first + difference[1], below = first + difference[2];
   return (texels){first, right, below, difference[3] + right + below - first};
}

/* A footprint's texels, and its first one as the last of its unit and level. */
static inline void
store_texels(struct cm_footprint *footprint, texel *last, texels shape)
{
   const texels texel = shape + *last;
   _Static_assert(sizeof texel == sizeof footprint->texel, "a texel is x, y of 16 bits");
   memcpy(footprint->texel, &texel, sizeof texel);
   *last = texel[0];
}

/* What a footprint has before its texels. */
static inline void
store_head(struct cm_footprint *footprint, const struct head *head, unsigned live)
{
   struct head stored = *head;
   stored.live = (uint8_t)live;
   memcpy(footprint, &stored, sizeof stored);
}

/* The fast path: footprints as predicted, as most are. Returns how many there are before the first that is not. */
static inline __attribute__((always_inline)) uint32_t
decode_usual_footprints(struct decoder *decoder, uint32_t unit, struct cm_footprint *footprints,
                        uint32_t count, const uint8_t *tags)
{
   const struct expected *expected = &decoder->expected;
   const struct head *heads = expected->heads[unit % UNITS];
   struct cm_byte_reader *known = &decoder->column[COLUMN_KNOWN];
   texel *last = decoder->expected.texels[unit % UNITS];
   const uint8_t *shapes = known->at;
   const uint32_t num_quads = decoder->num_quads;
   const uint32_t most = cm_min(cm_min(count, SLOTS), (uint32_t)cm_min64(cm_bytes_left(known), SLOTS));
   uint32_t i;
   for (i = 0; i < most && !tags[i] && heads[i].quad < num_quads; i++) {
      store_head(&footprints[i], &heads[i], expected->live[heads[i].quad & 3]);
      store_texels(&footprints[i], &last[heads[i].level % LEVELS], decoder->shapes[shapes[i]]);
   }
   known->at += i;
   return i;
}

/* Footprints from the first one on that is not as predicted. */
static __attribute__((noinline)) bool
decode_any_footprints(struct decoder *decoder, uint32_t unit, struct cm_footprint *footprints, uint32_t first,
                      uint32_t count, const uint8_t *tags)
{
   struct expected *expected = &decoder->expected;
   struct cm_byte_reader *column = decoder->column;
   for (uint32_t i = first; i < count; i++) {
      const unsigned tag = tags[i];
      struct head *head = expected_head(expected, unit, i);
      if (tag & FOOTPRINT_HEAD) {
         const uint8_t *bytes = cm_get_bytes(&column[COLUMN_HEADS], 3);
         if (!bytes || bytes[2] > 1)
            return fails(decoder, "a footprint has values out of range");
         *head = (struct head){bytes[0], bytes[1], 0, bytes[2],
                               get_difference(decoder, COLUMN_LAYERS, head->layer)};
      }
      const unsigned live =
         tag & FOOTPRINT_LIVE ? cm_get_byte(&column[COLUMN_LIVE]) : expected->live[head->quad & 3];
      if (head->quad >= decoder->num_quads || live > 15 || tag >> FOOTPRINT_BITS ||
          (tag & FOOTPRINT_SHAPE) > SHAPE_WORDS)
         return fails(decoder, "a footprint has an invalid quad or fragments");
      store_head(&footprints[i], head, live);

      texel *last = &expected->texels[unit % UNITS][head->level % LEVELS];
      if (tag & FOOTPRINT_NEW) {
         const struct shape shape = decode_new_shape(decoder, tag);
         const texels added = decoder->shapes[shape_index(&shape)] = add_up(&shape);
         store_texels(&footprints[i], last, added);
      } else {
         store_texels(&footprints[i], last, decoder->shapes[cm_get_byte(&column[COLUMN_KNOWN])]);
      }
   }
   return true;
}

/* Inlined: most of the time of decoding goes here. */
static inline __attribute__((always_inline)) bool
decode_footprints(struct decoder *decoder, uint32_t unit, struct cm_footprint *footprints, uint32_t count)
{
   const uint8_t *tags = cm_get_bytes(&decoder->column[COLUMN_FOOTPRINTS], count);
   if (!tags)
      return fails(decoder, "footprints are truncated");
   const uint32_t usual = decode_usual_footprints(decoder, unit, footprints, count, tags);
   return usual == count || decode_any_footprints(decoder, unit, footprints, usual, count, tags);
}

/* A draw and its quads. */
static bool
decode_shading(struct decoder *decoder, uint32_t *word, bool has_draw, size_t room)
{
   const uint32_t count = cm_event_count(*word);
   if (!count || count > 4 || room < 2 + count * CM_QUAD_WORDS)
      return fails(decoder, "an event of quads has too many, or none");
   if (cm_event_continues(*word) && count != decoder->num_quads)
      return fails(decoder, "a shade event does not continue the one before");
   if (has_draw)
      decoder->expected.draw = get_difference(decoder, COLUMN_DRAWS, decoder->expected.draw);
   word[1] = decoder->expected.draw;
   if (word[1] >= decoder->pass->num_draws)
      return fails(decoder, "an event has an invalid draw");
   decoder->draw = word[1];
   decoder->counted = 0;
   decoder->num_quads = cm_event_type(*word) == CM_EVENT_SHADE ? count : 0;
   return decode_quads(decoder, (struct cm_quad *)(word + 2), count);
}

/* ---- storage and work-groups ------------------------------------------------ */

/* What the current group's shader accesses; NULL: nothing. */
static const struct cm_storage *
current_storage(const struct decoder *decoder)
{
   const struct cm_pass *pass = decoder->pass;
   const uint32_t storage = decoder->draw < pass->num_draws ? pass->draws[decoder->draw].storage : 0;
   return decoder->num_quads && storage && storage <= pass->num_storages ? &pass->storages[storage - 1]
                                                                         : NULL;
}

/* last: the offset before them in the unit, and then theirs. */
static bool
decode_offsets(struct decoder *decoder, struct cm_buffer_access *access, enum access_pattern pattern,
               uint32_t bytes, uint32_t *last)
{
   if (pattern == ACCESS_EACH) {
      for (unsigned lane = 0; lane < 4; lane++) {
         if (access->live >> lane & 1)
            *last = access->offset[lane] = get_difference(decoder, COLUMN_ACCESSES, *last);
      }
      return true;
   }
   const uint32_t first = get_difference(decoder, COLUMN_ACCESSES, *last);
   const uint32_t distance = pattern == ACCESS_NEXT ? bytes : 0;
   for (unsigned lane = 0; lane < 4; lane++)
      access->offset[lane] = first + lane * distance;
   *last = access->offset[3];
   return pattern <= ACCESS_NEXT && access->live == 15;
}

static bool
are_inside(const struct cm_buffer_access *access, uint32_t bytes, uint32_t size)
{
   bool inside = true;
   for (unsigned lane = 0; lane < 4; lane++)
      inside &= !(access->live >> lane & 1) || (uint64_t)access->offset[lane] + bytes <= size;
   return inside;
}

/* Which buffer has the address of an access. */
static bool
decode_addressed(struct decoder *decoder, struct cm_buffer_access *access)
{
   const uint32_t buffer = decoder->expected.buffer =
      get_difference(decoder, COLUMN_ACCESSES, decoder->expected.buffer);
   access->buffer = (uint16_t)buffer;
   return buffer < decoder->pass->num_addressed;
}

/* binding: NULL by address, where the end of each buffer is not known here. */
static bool
decode_accesses(struct decoder *decoder, const uint32_t *word, const struct cm_storage_buffer *binding)
{
   struct cm_buffer_access *accesses = (struct cm_buffer_access *)(word + 1);
   const uint32_t bytes = cm_storage_bytes(*word), size = binding ? binding->bytes : UINT32_MAX;
   uint32_t *last = &decoder->expected.offsets[cm_storage_unit(*word) % UNITS];
   if (!bytes || bytes > 16)
      return fails(decoder, "an access to a buffer has no bytes, or too many");
   for (uint32_t i = 0; i < cm_event_count(*word); i++) {
      const unsigned head = cm_get_byte(&decoder->column[COLUMN_ACCESSES]);
      accesses[i] = (struct cm_buffer_access){.quad = head & 3, .live = head >> 4};
      if (accesses[i].quad >= decoder->num_quads || (i && accesses[i].quad < accesses[i - 1].quad))
         return fails(decoder, "an access to a buffer has an invalid quad");
      if (!binding && !decode_addressed(decoder, &accesses[i]))
         return fails(decoder, "an access by address is to a buffer that is not there");
      if (!decode_offsets(decoder, &accesses[i], (enum access_pattern)(head >> 2 & 3), bytes, last))
         return fails(decoder, "an access to a buffer has an invalid pattern");
      if (!are_inside(&accesses[i], bytes, size))
         return fails(decoder, "an access to a buffer is outside of it");
   }
   return true;
}

static __attribute__((noinline)) bool
decode_image(struct decoder *decoder, const uint32_t *word)
{
   struct cm_footprint *footprints = (struct cm_footprint *)(word + 1);
   const uint32_t count = cm_event_count(*word);
   if (!decode_footprints(decoder, cm_storage_unit(*word), footprints, count))
      return false;
   for (uint32_t i = 0; i < count; i++) {
      if (footprints[i].linear)
         return fails(decoder, "an access to an image is filtered");
   }
   return true;
}

static bool
decode_storage(struct decoder *decoder, const uint32_t *word, size_t room)
{
   const struct cm_storage *storage = current_storage(decoder);
   const bool is_buffer = cm_event_type(*word) == CM_EVENT_BUFFER;
   const uint32_t count = cm_event_count(*word), unit = cm_storage_unit(*word);
   const bool by_address = is_buffer && unit == CM_BY_ADDRESS;
   if (!count || room < 1 + count * (is_buffer ? CM_BUFFER_ACCESS_WORDS : CM_FOOTPRINT_WORDS))
      return fails(decoder, "an event of storage has too many accesses, or none");
   if (!storage || (unit >= (is_buffer ? storage->num_buffers : storage->num_images) && !by_address) ||
       cm_storage_operation(*word) >= CM_STORAGE_OPERATIONS)
      return fails(decoder, "an access to storage that is not there");
   if (!is_buffer)
      return decode_image(decoder, word);
   return decode_accesses(decoder, word, by_address ? NULL : &storage->buffers[unit]);
}

static bool
decode_group(struct decoder *decoder, uint32_t *word, size_t room)
{
   const struct cm_dispatch *dispatch = &decoder->pass->dispatch;
   const uint64_t first = (uint64_t)decoder->expected.tile * dispatch->groups_per_tile;
   const uint64_t groups = (uint64_t)dispatch->groups[0] * dispatch->groups[1] * dispatch->groups[2];
   if (room < 2)
      return fails(decoder, "a tile has more events than words");
   word[1] = decoder->expected.group = get_difference(decoder, COLUMN_NUMBERS, decoder->expected.group + 1);
   decoder->expected.invocation = 0;
   decoder->num_quads = 0;
   return (word[1] >= first && word[1] < first + dispatch->groups_per_tile && word[1] < groups) ||
          fails(decoder, "a work-group is of another tile");
}

static bool
decode_invocations(struct decoder *decoder, uint32_t *word, size_t room)
{
   const uint32_t *size = decoder->pass->dispatch.group_size, count = cm_event_count(*word);
   if (room < 2 || !count || count > CM_INVOCATIONS)
      return fails(decoder, "an event of invocations has too many, or none");
   word[1] = get_difference(decoder, COLUMN_NUMBERS, decoder->expected.invocation);
   decoder->expected.invocation = word[1] + count;
   expect_invocations(&decoder->expected, count);
   decoder->num_quads = quads_of(*word);
   decoder->draw = decoder->counted = 0;
   return (uint64_t)word[1] + count <= (uint64_t)size[0] * size[1] * size[2] ||
          fails(decoder, "invocations are not of their work-group");
}

/* How often quads of the run ran regions. */
static __attribute__((noinline)) bool
decode_regions(struct decoder *decoder, uint32_t *word, size_t room)
{
   const uint32_t count = cm_event_unit(*word), quads = cm_regions_quads(*word);
   const bool are_bytes = cm_event_count(*word) & CM_REGIONS_ARE_BYTES;
   if (!count || count >= CM_MAX_REGIONS || room < 1 + cm_regions_words(*word))
      return fails(decoder, "an event of regions has too many, or none");
   if (!quads || quads >> decoder->num_quads || quads & decoder->counted ||
       cm_event_count(*word) & ~(CM_REGIONS_QUADS | CM_REGIONS_ARE_BYTES))
      return fails(decoder, "an event of regions has invalid quads");
   decoder->counted |= quads;
   const unsigned tag = cm_get_byte(&decoder->column[COLUMN_REGIONS]);
   uint32_t *last = decoder->expected.runs, all = 0;
   memset(word + 1, 0, cm_regions_words(*word) * sizeof *word);
   for (uint32_t r = 1; r <= count; r++) {
      if (tag == REGIONS_DIFFER)
         last[r] = get_difference(decoder, COLUMN_REGIONS, last[r]);
      all |= last[r];
      if (are_bytes)
         word[1 + (r - 1) / 4] |= (last[r] & 255) << (r - 1) % 4 * 8;
      else
         word[r] = last[r];
   }
   return (tag <= REGIONS_SAME && (!are_bytes || all < 256)) ||
          fails(decoder, "runs of regions are out of range");
}

static bool
decode_of_compute(struct decoder *decoder, uint32_t *word, size_t room)
{
   switch (cm_event_type(*word)) {
   case CM_EVENT_GROUP: return decode_group(decoder, word, room);
   case CM_EVENT_INVOKE: return decode_invocations(decoder, word, room);
   case CM_EVENT_BARRIER: decoder->num_quads = 0; return true;
   default: return fails(decoder, "an event of an unknown type");
   }
}

/* ---- events ------------------------------------------------------------------- */

/* An event's first word; 0: there is none. */
static uint32_t
decode_word(struct decoder *decoder, unsigned tag)
{
   uint32_t *word = expected_word(&decoder->expected);
   if (tag & EVENT_WORD) {
      const uint8_t *bytes = cm_get_bytes(&decoder->column[COLUMN_EVENT_WORDS], 4);
      *word = bytes ? cm_load_uint32(bytes) : 0;
   }
   return decoder->expected.word = *word;
}

/* One event to words. */
static bool
decode_event(struct decoder *decoder, uint32_t *word, const uint32_t *end)
{
   const size_t room = (size_t)(end - word);
   const unsigned tag = cm_get_byte(&decoder->column[COLUMN_EVENTS]);
   if (!room || tag >> EVENT_BITS)
      return fails(decoder, "a tile has more events than words");
   word[0] = decode_word(decoder, tag);
   const enum cm_event_type type = cm_event_type(*word);
   const uint32_t count = cm_event_count(*word);
   if (type == CM_EVENT_FOOTPRINTS) {
      if (!count || room < 1 + count * CM_FOOTPRINT_WORDS)
         return fails(decoder, "a texture event has too many footprints, or none");
      return decode_footprints(decoder, cm_event_unit(*word), (struct cm_footprint *)(word + 1), count);
   }
   if (type == CM_EVENT_BUFFER || type == CM_EVENT_IMAGE)
      return decode_storage(decoder, word, room);
   if (type == CM_EVENT_REGIONS)
      return decode_regions(decoder, word, room);
   if (decoder->pass->kind == CM_PASS_COMPUTE)
      return decode_of_compute(decoder, word, room);
   decoder->is_in_order &= type == CM_EVENT_SHADE && !(*word & CM_SHADE_DEFERRED);
   if (type == CM_EVENT_SHADE)
      return decode_shading(decoder, word, tag & EVENT_DRAW, room);
   if (decoder->pass->kind != CM_PASS_FULL || (type != CM_EVENT_UNSHADED && type != CM_EVENT_FLUSH))
      return fails(decoder, "an event of an unknown type");
   decoder->num_quads = 0;
   return type == CM_EVENT_FLUSH || decode_shading(decoder, word, tag & EVENT_DRAW, room);
}

/* Reserves space for a tile's next words: the usual tile has one piece and gets exactly as many. */
static uint32_t *
add_words(struct cm_tile_events *events, size_t n)
{
   if (events->num_words)
      return cm_tile_events_reserve(events, n);
   events->words = malloc(n * sizeof *events->words);
   events->capacity = events->words ? n : 0;
   return events->words;
}

/* Finds the group that a tile's words end with. */
static void
find_last_group(struct decoder *decoder, const struct cm_tile_events *events)
{
   decoder->num_quads = decoder->draw = decoder->counted = 0;
   if (!events->num_words)
      return;
   const uint32_t *end = events->words + events->num_words;
   for (const uint32_t *word = events->words; word < end; word = cm_event_next(word)) {
      if (cm_event_type(*word) == CM_EVENT_REGIONS)
         decoder->counted |= cm_regions_quads(*word);
      if (cm_event_is_of_run(*word))
         continue;
      decoder->counted = 0;
      decoder->num_quads = quads_of(*word);
      decoder->draw = cm_event_type(*word) == CM_EVENT_SHADE ? word[1] : 0;
   }
}

static const char *
decode_piece(struct decoder *decoder, struct cm_byte_reader *pieces, bool first, size_t most_words)
{
   const struct cm_pass *pass = decoder->pass;
   const uint64_t tile = decoder->expected.tile + (uint64_t)cm_get_signed(pieces);
   const uint64_t num_events = cm_get_varint(pieces), num_words = cm_get_varint(pieces);
   if (pieces->bad || tile >= (uint64_t)pass->tiles_x * pass->tiles_y)
      return "events are of a tile that is not there";
   if (!num_words || num_words > most_words)
      return "a tile has more words than events";
   struct cm_tile_events *events = &pass->tiles[tile];
   if (events->num_words && !first)
      return "a tile comes twice";
   decoder->expected.tile = (uint32_t)tile;
   find_last_group(decoder, events);
   decoder->is_in_order = !events->num_words || events->is_in_order;
   uint32_t *word = add_words(events, num_words);
   if (!word)
      return CM_OUT_OF_MEMORY_FOR "a tile's events";
   const uint32_t *end = word + num_words;
   for (uint64_t e = 0; e < num_events; e++) {
      if (!decode_event(decoder, word, end))
         return decoder->wrong;
      word += cm_event_next(word) - word;
   }
   if (word != end)
      return "a tile has fewer events than words";
   events->num_words += num_words;
   events->is_in_order = decoder->is_in_order;
   return NULL;
}

const char *
cm_decode_tiles(struct cm_byte_reader *reader, uint32_t version, struct cm_pass *pass)
{
   struct decoder decoder = {.pass = pass};
   const unsigned columns = version < CM_RECORDING_STORAGE_VERSION   ? COLUMN_NUMBERS
                            : version < CM_RECORDING_REGIONS_VERSION ? COLUMN_REGIONS
                                                                     : NUM_COLUMNS;
   const uint64_t num_pieces = cm_get_varint(reader);
   uint64_t length[NUM_COLUMNS] = {0}, sum = 0;
   for (unsigned c = 0; c < columns; c++) {
      length[c] = cm_get_varint(reader);
      sum += length[c] < column_bytes[c] ? length[c] : column_bytes[c];
      reader->bad |= length[c] > column_bytes[c];
   }
   if (reader->bad || sum > cm_bytes_left(reader))
      return "columns of events are cut short";

   struct cm_byte_reader pieces = {reader->at, reader->end - sum, false};
   const uint8_t *at = pieces.end;
   for (unsigned c = 0; c < NUM_COLUMNS; c++) {
      decoder.column[c] = (struct cm_byte_reader){at, at + length[c], false};
      at += length[c];
   }
   /* No byte of a column makes more words than this, but those of REGIONS. */
   const size_t most_words =
      sum * (2 + CM_QUAD_WORDS + CM_FOOTPRINT_WORDS) + (length[COLUMN_REGIONS] ? MAX_REGION_WORDS : 0);
   for (uint64_t p = 0; p < num_pieces; p++) {
      const char *wrong = decode_piece(&decoder, &pieces, p == 0, most_words);
      if (wrong)
         return wrong;
   }
   bool whole = pieces.at == pieces.end;
   for (unsigned c = 0; c < NUM_COLUMNS; c++)
      whole &= !decoder.column[c].bad && decoder.column[c].at == decoder.column[c].end;
   return whole ? NULL : "columns of events are cut short or have bytes left over";
}
